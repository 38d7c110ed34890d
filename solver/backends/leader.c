#include "solver/backends/leader.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/offsets.h"
#include "solver/backends/share.h"

typedef struct listed listed;

typedef struct leader {
    const mt_communicator *ranks;
    const mt_backend *backend;    /* of the own part, */
    void *self;                   /* and its data */
    const mt_monodomain *problem; /* the complete problem, or the part */
    const uint32_t *element;      /* in the order of the parts, numbered as on this rank: */
    size_t *first;                /* [n_ranks + 1] the elements of rank r are [first[r], first[r + 1]) */
    mt_backend led;               /* the backend that rank 0 returns */
    uint32_t *place;              /* rank 0: [n_elements] index of each element in that order */
    double *values;               /* other ranks: [n_elements] of their part */
    double *seen;                 /* [2 n_stimuli + 1] */
    double *packed;               /* [largest rank] own values in that order, for messages */
    mt_arena *arena;              /* of the connection to a conduction system */
    listed *connected;            /* rank 0: its unknowns */
    size_t n_connected;           /* other ranks: the number of their own, */
    double *exchange;             /* and [n_connected] values of these */
} leader;

/* Requests of rank 0, with the numbers that their functions take. */
typedef enum question {
    DISMISSED,
    ADVANCE, /* first, n */
    TURN,    /* steps_done, begins */
    SURVEY,
    READ,    /* array */
    LOOK,    /* array; the size of a list and the list follow */
    WRITE,   /* array; its values follow */
    RESUME,  /* steps_done */
    CONNECT, /* the size of a list and the list follow */
    SENSE,
    CHARGE, /* values follow */
    DESCRIBE
} question;

typedef struct asked {
    uint64_t question, number[2];
} asked;

static void ask(const leader *l, question what, uint64_t a, uint64_t b)
{
    asked all = {what, {a, b}};
    l->ranks->broadcast(l->ranks, 0, &all, sizeof all);
}

/* ---- rank 0 ---- */

static mt_status lead_advance(void *self, size_t first, size_t n)
{
    const leader *l = self;
    ask(l, ADVANCE, first, n);
    return mt_communicator_agree(l->ranks, l->backend->advance(l->self, first, n));
}

static mt_status lead_turn(void *self, size_t steps_done, bool begins)
{
    const leader *l = self;
    ask(l, TURN, steps_done, begins);
    return mt_communicator_agree(l->ranks, l->backend->turn(l->self, steps_done, begins));
}

static size_t elements_of(const leader *l, uint32_t rank) { return l->first[rank + 1] - l->first[rank]; }

/* Return the rank's own elements and their number. */
static const uint32_t *own(const leader *l) { return l->element + l->first[l->ranks->rank]; }
static size_t n_own(const leader *l) { return elements_of(l, l->ranks->rank); }

/* Returns the highest V, or with sign -1 the highest -V, of the rank's own elements of a stimulus without delays. */
static double peak_of(const leader *l, const mt_stimulus *stimulus, const double *v_mV, double sign)
{
    double peak = -INFINITY;
    for (size_t k = 0; !stimulus->delay && k < stimulus->n_elements; k++) {
        const uint32_t element = stimulus->element[k];
        if (!l->place || l->place[element] < l->first[1]) peak = fmax(peak, sign * v_mV[element]);
    }
    return peak;
}

/* Checks the rank's own voltages. Fills seen: the extremes (mt_backend.survey), and 1 if some V is not possible or cannot be read, else
 * 0. */
static void survey(const leader *l, double *v_mV)
{
    const size_t n = l->problem->n_stimuli;
    bool possible = l->backend->read(l->self, MT_ARRAY_V, v_mV) == MT_OK;
    for (size_t k = 0; k < n_own(l); k++) possible &= mt_backend_possible_mV(v_mV[own(l)[k]]);
    for (size_t s = 0; s < n; s++) {
        l->seen[s] = peak_of(l, &l->problem->stimulus[s], v_mV, 1);
        l->seen[n + s] = peak_of(l, &l->problem->stimulus[s], v_mV, -1);
    }
    l->seen[2 * n] = possible ? 0 : 1;
    mt_communicator_largest(l->ranks, l->seen, 2 * n + 1);
}

static bool lead_survey(void *self, double *v_mV, double *extreme_mV)
{
    const leader *l = self;
    const size_t n = l->problem->n_stimuli;
    ask(l, SURVEY, 0, 0);
    survey(l, v_mV);
    memcpy(extreme_mV, l->seen, 2 * n * sizeof *extreme_mV);
    return l->seen[2 * n] == 0;
}

/* Receives the values of a rank's elements. */
static void take(const leader *l, uint32_t rank, double *values)
{
    const uint32_t *element = l->element + l->first[rank];
    l->ranks->receive(l->ranks, rank, l->packed, elements_of(l, rank) * sizeof *l->packed);
    for (size_t k = 0; k < elements_of(l, rank); k++) values[element[k]] = l->packed[k];
}

static mt_status lead_read(void *self, size_t array, double *values)
{
    const leader *l = self;
    ask(l, READ, array, 0);
    const mt_status status = l->backend->read(l->self, array, values);
    for (uint32_t r = 1; r < l->ranks->n_ranks; r++) take(l, r, values);
    return mt_communicator_agree(l->ranks, status);
}

/* A list of elements sorted by rank: the elements of rank r are [first[r], first[r + 1]). */
struct listed {
    size_t *first;  /* [n_ranks + 2] */
    uint32_t *item; /* index in the list */
    uint32_t *at;   /* the element's number among the rank's own */
    double *values;
};

static uint32_t rank_of(const leader *l, uint32_t place)
{
    uint32_t low = 0, high = l->ranks->n_ranks;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (l->first[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static mt_status sort_by_rank(
    mt_arena *scratch, const leader *l, size_t n, const uint32_t *element, listed *list)
{
    uint32_t *rank;
    MT_ALLOC(scratch, rank, n);
    MT_ALLOC(scratch, list->at, n);
    MT_ALLOC(scratch, list->values, n);
    for (size_t i = 0; i < n; i++) rank[i] = rank_of(l, l->place[element[i]]);
    MT_TRY(mt_offsets_make(scratch, n, 1, rank, l->ranks->n_ranks, &list->first, &list->item));
    for (size_t k = 0; k < n; k++) {
        const uint32_t i = list->item[k];
        list->at[k] = l->place[element[i]] - (uint32_t)l->first[rank[i]];
    }
    return MT_OK;
}

/* Collects the values of a list from the other ranks. */
static mt_status look(const leader *l, size_t array, size_t n, const uint32_t *element, double *values)
{
    MT_SCRATCH(scratch);
    const mt_communicator *ranks = l->ranks;
    listed list;
    MT_TRY(sort_by_rank(scratch, l, n, element, &list));
    ask(l, LOOK, array, 0);
    for (uint32_t r = 1; r < ranks->n_ranks; r++) {
        size_t some = list.first[r + 1] - list.first[r];
        ranks->send(ranks, r, &some, sizeof some);
        ranks->send(ranks, r, list.at + list.first[r], some * sizeof *list.at);
    }
    for (uint32_t r = 1; r < ranks->n_ranks; r++)
        ranks->receive(
            ranks, r, list.values + list.first[r], (list.first[r + 1] - list.first[r]) * sizeof *list.values);
    for (size_t k = list.first[1]; k < n; k++) values[element[list.item[k]]] = list.values[k];
    return MT_OK;
}

/* Rank 0 counts the machine's stream for all; values of other ranks are sent separately. */
static mt_status lead_stream(void *self, size_t array, size_t n, const uint32_t *element, double *values)
{
    const leader *l = self;
    MT_TRY(l->backend->stream(l->self, array, n, element, values));
    if (element) return look(l, array, n, element, values);
    return lead_read(self, array, values);
}

/* Returns the number of coupled unknowns of a rank. */
static size_t connected_of(const leader *l, uint32_t rank)
{
    return l->connected->first[rank + 1] - l->connected->first[rank];
}

static mt_status lead_connect(void *self, mt_arena *arena, size_t n, const uint32_t *unknown)
{
    leader *l = self;
    const mt_communicator *ranks = l->ranks;
    uint32_t *own;
    MT_ALLOC(arena, l->connected, 1);
    MT_TRY(sort_by_rank(arena, l, n, unknown, l->connected));
    const listed *list = l->connected;
    MT_ALLOC(arena, own, list->first[1]);
    for (size_t k = 0; k < list->first[1]; k++) own[k] = unknown[list->item[k]];
    ask(l, CONNECT, 0, 0);
    for (uint32_t r = 1; r < ranks->n_ranks; r++) {
        size_t some = connected_of(l, r);
        ranks->send(ranks, r, &some, sizeof some);
        ranks->send(ranks, r, list->at + list->first[r], some * sizeof *list->at);
    }
    return mt_communicator_agree(ranks, l->backend->connect(l->self, arena, list->first[1], own));
}

static mt_status lead_sense(void *self, double *v_mV)
{
    const leader *l = self;
    const listed *list = l->connected;
    ask(l, SENSE, 0, 0);
    const mt_status status = l->backend->sense(l->self, list->values);
    for (uint32_t r = 1; r < l->ranks->n_ranks; r++)
        l->ranks->receive(
            l->ranks, r, list->values + list->first[r], connected_of(l, r) * sizeof *list->values);
    for (size_t k = 0; k < list->first[l->ranks->n_ranks]; k++) v_mV[list->item[k]] = list->values[k];
    return mt_communicator_agree(l->ranks, status);
}

static mt_status lead_charge(void *self, const double *v_mV)
{
    const leader *l = self;
    const listed *list = l->connected;
    ask(l, CHARGE, 0, 0);
    for (size_t k = 0; k < list->first[l->ranks->n_ranks]; k++) list->values[k] = v_mV[list->item[k]];
    for (uint32_t r = 1; r < l->ranks->n_ranks; r++)
        l->ranks->send(l->ranks, r, list->values + list->first[r], connected_of(l, r) * sizeof *list->values);
    return mt_communicator_agree(l->ranks, l->backend->charge(l->self, list->values));
}

static void lead_write(void *self, size_t array, const double *values)
{
    const leader *l = self;
    ask(l, WRITE, array, 0);
    for (uint32_t r = 1; r < l->ranks->n_ranks; r++) {
        const uint32_t *element = l->element + l->first[r];
        for (size_t k = 0; k < elements_of(l, r); k++) l->packed[k] = values[element[k]];
        l->ranks->send(l->ranks, r, l->packed, elements_of(l, r) * sizeof *l->packed);
    }
    l->backend->write(l->self, array, values);
}

static void lead_resume(void *self, size_t steps_done)
{
    const leader *l = self;
    ask(l, RESUME, steps_done, 0);
    l->backend->resume(l->self, steps_done);
}

void mt_backend_dismiss(void *self) { ask(self, DISMISSED, 0, 0); }

/* Functions that need rank 0 only. */

static mt_status lead_count(void *self, mt_arena *arena, size_t *n, uint64_t **counts)
{
    const leader *l = self;
    return l->backend->count(l->self, arena, n, counts);
}

static void lead_recount(void *self, const uint64_t *counts)
{
    const leader *l = self;
    l->backend->recount(l->self, counts);
}

static mt_status lead_fingerprint(void *self, char text[MT_HASH_SIZE])
{
    const leader *l = self;
    return l->backend->fingerprint(l->self, text);
}

static mt_status lead_profile(void *self, mt_arena *arena, ipu_profile *profile)
{
    const leader *l = self;
    return l->backend->profile(l->self, arena, profile);
}

static mt_status lead_add_bands(void *self, ipu_profile *profile)
{
    const leader *l = self;
    return l->backend->add_bands(l->self, profile);
}

static mt_status lead_trace(void *self, mt_arena *arena, const mt_tracing *what, ipu_trace **trace)
{
    const leader *l = self;
    return l->backend->trace(l->self, arena, what, trace);
}

/* Adds the device of a rank: another name is appended, and the first reason for different bits is kept. */
static void add_device(mt_backend_device *all, const mt_backend_device *one)
{
    const size_t used = strlen(all->name);
    all->bytes += one->bytes;
    if (!strstr(all->name, one->name))
        (void)snprintf(all->name + used, sizeof all->name - used, ", %s", one->name);
    if (!all->differs[0]) (void)strcpy(all->differs, one->differs);
}

static void lead_describe(void *self, mt_backend_device *device)
{
    const leader *l = self;
    ask(l, DESCRIBE, 0, 0);
    l->backend->describe(l->self, device);
    for (uint32_t r = 1; r < l->ranks->n_ranks; r++) {
        mt_backend_device one;
        l->ranks->receive(l->ranks, r, &one, sizeof one);
        add_device(device, &one);
    }
}

/* Returns the leading backend, in which the optional functions are NULL if the backend has none. */
static mt_backend led_of(const mt_backend *backend)
{
    return (mt_backend){.name = backend->name,
        .single = backend->single,
        .advance = lead_advance,
        .turn = lead_turn,
        .survey = lead_survey,
        .read = lead_read,
        .stream = lead_stream,
        .write = lead_write,
        .resume = lead_resume,
        .count = backend->count ? lead_count : NULL,
        .recount = backend->recount ? lead_recount : NULL,
        .fingerprint = backend->fingerprint ? lead_fingerprint : NULL,
        .profile = backend->profile ? lead_profile : NULL,
        .add_bands = backend->add_bands ? lead_add_bands : NULL,
        .trace = backend->trace ? lead_trace : NULL,
        .connect = backend->connect ? lead_connect : NULL,
        .sense = lead_sense,
        .charge = lead_charge,
        .describe = backend->describe ? lead_describe : NULL};
}

/* ---- other ranks ---- */

static mt_status serve_read(const leader *l, size_t array)
{
    const mt_status status = l->backend->read(l->self, array, l->values);
    for (size_t k = 0; k < n_own(l); k++) l->packed[k] = l->values[own(l)[k]];
    l->ranks->send(l->ranks, 0, l->packed, n_own(l) * sizeof *l->packed);
    return mt_communicator_agree(l->ranks, status);
}

static mt_status serve_look(mt_arena *scratch, const leader *l, size_t array)
{
    uint32_t *element;
    double *values;
    size_t n;
    l->ranks->receive(l->ranks, 0, &n, sizeof n);
    MT_ALLOC(scratch, element, n);
    MT_ALLOC(scratch, values, n);
    l->ranks->receive(l->ranks, 0, element, n * sizeof *element);
    for (size_t k = 0; k < n; k++) element[k] = own(l)[element[k]];
    MT_TRY(l->backend->stream(l->self, array, n, element, l->values));
    for (size_t k = 0; k < n; k++) values[k] = l->values[element[k]];
    l->ranks->send(l->ranks, 0, values, n * sizeof *values);
    return MT_OK;
}

/* Receives the list of own coupled unknowns. */
static mt_status serve_connect(mt_arena *scratch, leader *l)
{
    uint32_t *own_number;
    l->ranks->receive(l->ranks, 0, &l->n_connected, sizeof l->n_connected);
    MT_ALLOC(l->arena, l->exchange, l->n_connected);
    MT_ALLOC(scratch, own_number, l->n_connected);
    l->ranks->receive(l->ranks, 0, own_number, l->n_connected * sizeof *own_number);
    for (size_t k = 0; k < l->n_connected; k++) own_number[k] = own(l)[own_number[k]];
    return mt_communicator_agree(
        l->ranks, l->backend->connect(l->self, l->arena, l->n_connected, own_number));
}

static mt_status serve_sense(const leader *l)
{
    const mt_status status = l->backend->sense(l->self, l->exchange);
    l->ranks->send(l->ranks, 0, l->exchange, l->n_connected * sizeof *l->exchange);
    return mt_communicator_agree(l->ranks, status);
}

static mt_status serve_charge(const leader *l)
{
    l->ranks->receive(l->ranks, 0, l->exchange, l->n_connected * sizeof *l->exchange);
    return mt_communicator_agree(l->ranks, l->backend->charge(l->self, l->exchange));
}

static void serve_write(const leader *l, size_t array)
{
    l->ranks->receive(l->ranks, 0, l->packed, n_own(l) * sizeof *l->packed);
    for (size_t k = 0; k < n_own(l); k++) l->values[own(l)[k]] = l->packed[k];
    l->backend->write(l->self, array, l->values);
}

static void serve_describe(const leader *l)
{
    mt_backend_device device = {.bytes = 0};
    l->backend->describe(l->self, &device);
    l->ranks->send(l->ranks, 0, &device, sizeof device);
}

static mt_status answer(mt_arena *scratch, leader *l, const asked *q)
{
    const size_t number = (size_t)q->number[0];
    mt_status failed = MT_OK; /* rank 0 knows the error and decides how to proceed */
    switch ((question)q->question) {
    case ADVANCE:
        failed = mt_communicator_agree(l->ranks, l->backend->advance(l->self, number, (size_t)q->number[1]));
        break;
    case TURN:
        failed = mt_communicator_agree(l->ranks, l->backend->turn(l->self, number, q->number[1] != 0));
        break;
    case SURVEY:
        survey(l, l->values);
        break;
    case READ:
        failed = serve_read(l, number);
        break;
    case LOOK:
        return serve_look(scratch, l, number);
    case WRITE:
        serve_write(l, number);
        break;
    case RESUME:
        l->backend->resume(l->self, number);
        break;
    case CONNECT:
        failed = serve_connect(scratch, l);
        break;
    case SENSE:
        failed = serve_sense(l);
        break;
    case CHARGE:
        failed = serve_charge(l);
        break;
    case DESCRIBE:
        serve_describe(l);
        break;
    case DISMISSED:
        break;
    }
    (void)failed;
    return MT_OK;
}

mt_status mt_backend_serve(void *self)
{
    leader *l = self;
    mt_status status = MT_OK;
    asked q = {.question = RESUME};
    assert(l->ranks->rank > 0);
    while (q.question != DISMISSED && status == MT_OK) {
        mt_arena scratch = {0};
        l->ranks->broadcast(l->ranks, 0, &q, sizeof q);
        status = answer(&scratch, l, &q);
        mt_arena_free(&scratch);
    }
    return status;
}

/* ---- opening ---- */

/* Finds each rank's elements, and allocates the message buffers. */
static mt_status find_places(mt_arena *arena, const mt_layout *layout, size_t n_elements, leader *l)
{
    const mt_halo *halo = layout->halo;
    size_t most = 0;
    l->element = halo->own_element;
    MT_ALLOC(arena, l->first, l->ranks->n_ranks + (size_t)1);
    for (uint32_t r = 0; r <= l->ranks->n_ranks; r++)
        l->first[r] = halo->own_offset[l->backend->first_part(layout, r)];
    for (uint32_t r = 0; r < l->ranks->n_ranks; r++)
        if (elements_of(l, r) > most) most = elements_of(l, r);
    MT_ALLOC(arena, l->packed, most);
    if (l->ranks->rank > 0) {
        MT_ALLOC(arena, l->values, n_elements);
        return MT_OK;
    }
    MT_ALLOC(arena, l->place, n_elements);
    for (size_t k = 0; k < n_elements; k++) l->place[l->element[k]] = (uint32_t)k;
    return MT_OK;
}

/* Sends the other ranks their parts, or receives this rank's part. */
static mt_status share(
    mt_arena *arena, const mt_backend *backend, const mt_monodomain **problem, mt_layout *layout)
{
    mt_monodomain *part;
    if (layout->ranks->rank == 0) return mt_share_send(backend, *problem, layout);
    MT_TRY(mt_share_receive(arena, layout, &part));
    *problem = part;
    return MT_OK;
}

mt_status mt_backend_open_on_ranks(mt_arena *arena, const mt_backend *backend, const mt_monodomain *problem,
    const mt_layout *layout, const mt_backend **shared, void **self)
{
    leader *l;
    mt_layout *own_layout;
    MT_ALLOC(arena, l, 1);
    MT_ALLOC(arena, own_layout, 1);
    *own_layout = *layout;
    *l = (leader){.ranks = layout->ranks, .backend = backend, .arena = arena, .led = led_of(backend)};
    /* a rank without memory for its part ends here, and the others wait for it forever */
    const mt_status status = share(arena, backend, &problem, own_layout);
    if (status == MT_MEMORY) return status;
    MT_TRY(mt_communicator_agree(l->ranks, status));
    MT_TRY(mt_communicator_agree(l->ranks, backend->open(arena, problem, own_layout, &l->self)));
    l->problem = problem;
    MT_ALLOC(arena, l->seen, 2 * problem->n_stimuli + 1);
    MT_TRY(find_places(arena, own_layout, problem->diffusion->n_unknowns, l));
    *shared = &l->led;
    *self = l;
    return MT_OK;
}
