#include "solver/backends/leader.h"

#include <assert.h>
#include <string.h>

typedef struct leader {
    const mt_communicator *ranks;
    const mt_backend *backend; /* of the own part, */
    void *self;                /*   and its data */
    size_t n_elements;
    mt_backend led; /* what rank 0 holds */
    double *values; /* [n_elements] on other ranks, where something is written; NULL: not yet */
} leader;

/* What rank 0 asks for, in numbers as its function takes them. */
typedef enum question {
    DISMISSED,
    ADVANCE, /* first, n */
    TURN,    /* steps_done, begins */
    READ,    /* array */
    STREAM,  /* array, n, whether there is a list, which follows */
    WRITE,   /* array, whose values follow */
    RESUME   /* steps_done */
} question;

typedef struct asked {
    uint64_t question, number[3];
} asked;

static void ask(const leader *l, question what, uint64_t a, uint64_t b, uint64_t c)
{
    asked all = {what, {a, b, c}};
    l->ranks->broadcast(l->ranks, 0, &all, sizeof all);
}

/* ---- rank 0 ---- */

static mt_status lead_advance(void *self, size_t first, size_t n)
{
    const leader *l = self;
    ask(l, ADVANCE, first, n, 0);
    return mt_communicator_agree(l->ranks, l->backend->advance(l->self, first, n));
}

static mt_status lead_turn(void *self, size_t steps_done, bool begins)
{
    const leader *l = self;
    ask(l, TURN, steps_done, begins, 0);
    return mt_communicator_agree(l->ranks, l->backend->turn(l->self, steps_done, begins));
}

static void lead_read(void *self, size_t array, double *values)
{
    const leader *l = self;
    ask(l, READ, array, 0, 0);
    l->backend->read(l->self, array, values);
}

static mt_status lead_stream(void *self, size_t array, size_t n, const uint32_t *element, double *values)
{
    const leader *l = self;
    uint32_t *list = (uint32_t *)(uintptr_t)element; /* rank 0 only gives it */
    ask(l, STREAM, array, n, element != NULL);
    if (list) l->ranks->broadcast(l->ranks, 0, list, n * sizeof *list);
    return mt_communicator_agree(l->ranks, l->backend->stream(l->self, array, n, element, values));
}

static void lead_write(void *self, size_t array, const double *values)
{
    const leader *l = self;
    double *all = (double *)(uintptr_t)values; /* rank 0 only gives it */
    ask(l, WRITE, array, 0, 0);
    l->ranks->broadcast(l->ranks, 0, all, l->n_elements * sizeof *all);
    l->backend->write(l->self, array, values);
}

static void lead_resume(void *self, size_t steps_done)
{
    const leader *l = self;
    ask(l, RESUME, steps_done, 0, 0);
    l->backend->resume(l->self, steps_done);
}

void mt_backend_dismiss(void *self) { ask(self, DISMISSED, 0, 0, 0); }

/* What rank 0 has for all. */

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

/* What the backend has not, its leader has not either. */
static mt_backend led_of(const mt_backend *backend)
{
    return (mt_backend){.name = backend->name,
        .single = backend->single,
        .advance = lead_advance,
        .turn = lead_turn,
        .read = lead_read,
        .stream = lead_stream,
        .write = lead_write,
        .resume = lead_resume,
        .count = backend->count ? lead_count : NULL,
        .recount = backend->recount ? lead_recount : NULL,
        .fingerprint = backend->fingerprint ? lead_fingerprint : NULL,
        .profile = backend->profile ? lead_profile : NULL,
        .add_bands = backend->add_bands ? lead_add_bands : NULL,
        .trace = backend->trace ? lead_trace : NULL};
}

/* ---- the others ---- */

static mt_status serve_stream(const leader *l, const asked *q)
{
    const size_t n = (size_t)q->number[1];
    mt_arena scratch = {0};
    uint32_t *list = NULL;
    if (q->number[2]) {
        list = mt_arena_alloc(&scratch, n, sizeof *list);
        if (!list) return MT_MEMORY;
        l->ranks->broadcast(l->ranks, 0, list, n * sizeof *list);
    }
    const mt_status status =
        mt_communicator_agree(l->ranks, l->backend->stream(l->self, (size_t)q->number[0], n, list, NULL));
    mt_arena_free(&scratch);
    return status == MT_MEMORY ? status : MT_OK;
}

static mt_status serve_write(mt_arena *arena, leader *l, const asked *q)
{
    if (!l->values) MT_ALLOC(arena, l->values, l->n_elements);
    l->ranks->broadcast(l->ranks, 0, l->values, l->n_elements * sizeof *l->values);
    l->backend->write(l->self, (size_t)q->number[0], l->values);
    return MT_OK;
}

static mt_status answer(mt_arena *arena, leader *l, const asked *q)
{
    const size_t number = (size_t)q->number[0];
    mt_status failed = MT_OK; /* rank 0 knows of it, and decides what follows */
    switch ((question)q->question) {
    case ADVANCE:
        failed = mt_communicator_agree(l->ranks, l->backend->advance(l->self, number, (size_t)q->number[1]));
        break;
    case TURN:
        failed = mt_communicator_agree(l->ranks, l->backend->turn(l->self, number, q->number[1] != 0));
        break;
    case READ:
        l->backend->read(l->self, number, NULL);
        break;
    case STREAM:
        return serve_stream(l, q);
    case WRITE:
        return serve_write(arena, l, q);
    case RESUME:
        l->backend->resume(l->self, number);
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
    mt_arena arena = {0};
    mt_status status = MT_OK;
    asked q = {.question = RESUME};
    assert(l->ranks->rank > 0);
    while (q.question != DISMISSED && status == MT_OK) {
        l->ranks->broadcast(l->ranks, 0, &q, sizeof q);
        status = answer(&arena, l, &q);
    }
    mt_arena_free(&arena);
    return status;
}

mt_status mt_backend_open_on_ranks(mt_arena *arena, const mt_backend *backend, const mt_monodomain *problem,
    const mt_layout *layout, const mt_backend **shared, void **self)
{
    leader *l;
    void *own = NULL;
    mt_status status = backend->open(arena, problem, layout, &own);
    MT_TRY(mt_communicator_agree(layout->ranks, status));
    MT_ALLOC(arena, l, 1);
    *l = (leader){.ranks = layout->ranks,
        .backend = backend,
        .self = own,
        .n_elements = problem->diffusion->n_elements,
        .led = led_of(backend)};
    *shared = &l->led;
    *self = l;
    return MT_OK;
}
