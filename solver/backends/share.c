#include "solver/backends/share.h"
#include "solver/cells/compiled/compiled.h"
#include "solver/cells/open.h"
#include "solver/diffusion/nodal_rows.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* The numbers of the problem's elements and vertices in a part; NONE: not in the part. All are NONE between two
 * parts. With voltages at the vertices, "elements" are vertices, and `vertex` is NULL. */
typedef struct names {
    uint32_t *element; /* [elements of the problem] */
    uint32_t *vertex;  /* [vertices of the problem] */
    uint8_t *own;      /* [elements of the problem] 1: the rank's own */
} names;

/* A transfer from rank 0 to another rank. Sender and receiver make the same calls in the same order. A struct is
 * sent with the pointers of rank 0, which only show which arrays exist; the arrays follow. */
typedef struct parcel {
    const mt_communicator *ranks;
    bool gives;
    uint32_t to;        /* for the sender */
    mt_arena *arena;    /* for received data, and for work space of the sender */
    size_t n;           /* elements of the part, */
    uint32_t *element;  /* [n] their numbers in the problem, ascending; sender only, as the next */
    const names *whole; /* NULL for the receiver */
} parcel;

static void pass(const parcel *p, void *data, size_t bytes)
{
    if (p->gives)
        p->ranks->send(p->ranks, p->to, data, bytes);
    else
        p->ranks->receive(p->ranks, 0, data, bytes);
}

/* Transfers a list of n items; the receiver allocates it. */
static mt_status pass_items(const parcel *p, size_t n, size_t size, void **list)
{
    if (!p->gives) *list = mt_arena_alloc(p->arena, n, size);
    if (!*list && n > 0) return MT_MEMORY;
    pass(p, *list, n * size);
    return MT_OK;
}

/* Converts numbers of the problem to those of the part. */
static void rename_all(const uint32_t *name, size_t n, uint32_t *number)
{
    for (size_t k = 0; k < n; k++)
        if (number[k] != NONE) number[k] = name[number[k]];
}

enum { CHUNK = 256 }; /* rows per message */

/* Transfers n rows of a list. If `name` is not NULL, their numbers are converted to those of the part. */
static mt_status pass_rows(
    const parcel *p, size_t n, const uint32_t *row, size_t size, const uint32_t *name, void **rows)
{
    MT_SCRATCH(scratch);
    const char *whole = *rows;
    char *room = mt_arena_alloc(p->gives ? scratch : p->arena, p->gives ? CHUNK : n, size);
    if (!room) return MT_MEMORY;
    for (size_t first = 0; first < n; first += CHUNK) {
        const size_t some = n - first < CHUNK ? n - first : CHUNK;
        char *chunk = p->gives ? room : room + first * size;
        for (size_t k = 0; p->gives && k < some; k++)
            memcpy(chunk + size * k, whole + size * row[first + k], size);
        if (p->gives && name) rename_all(name, some * size / sizeof *name, (uint32_t *)(void *)chunk);
        pass(p, chunk, some * size);
    }
    if (!p->gives) *rows = room;
    return MT_OK;
}

/* Transfers an array of any type; NULL remains NULL. */
#define PASS_ITEMS(p, pointer, n)                                                                            \
    do {                                                                                                     \
        void *items_ = (void *)(uintptr_t)(pointer);                                                         \
        if (items_) MT_TRY(pass_items(p, n, sizeof *(pointer), &items_));                                    \
        (pointer) = items_;                                                                                  \
    } while (0)

/* Transfers a list with `each` items per element. */
#define PASS_ROWS(p, pointer, each, name)                                                                    \
    do {                                                                                                     \
        void *rows_ = (void *)(uintptr_t)(pointer);                                                          \
        if (rows_) MT_TRY(pass_rows(p, (p)->n, (p)->element, (each) * sizeof *(pointer), name, &rows_));     \
        (pointer) = rows_;                                                                                   \
    } while (0)

/* ---- the operator ---- */

/* Sorts numbers of the problem and assigns each its index. */
static void name_all(size_t n, uint32_t *number, uint32_t *name)
{
    qsort(number, n, sizeof *number, mt_compare_ids);
    for (size_t k = 0; k < n; k++) name[number[k]] = (uint32_t)k;
}

static void forget(size_t n, const uint32_t *number, uint32_t *name)
{
    for (size_t k = 0; k < n; k++) name[number[k]] = NONE;
}

/* Finds the vertices of the part's elements, ascending. */
static mt_status find_vertices(parcel *p, const mt_mesh *whole, size_t *n, uint32_t **vertex)
{
    uint32_t *name = p->whole->vertex;
    MT_ALLOC(p->arena, *vertex, 4 * p->n);
    *n = 0;
    for (size_t k = 0; k < 4 * p->n; k++) {
        const uint32_t v = whole->element_vertex[4 * (size_t)p->element[k / 4] + k % 4];
        if (name[v] != NONE) continue;
        name[v] = 0;
        (*vertex)[(*n)++] = v;
    }
    name_all(*n, *vertex, name);
    return MT_OK;
}

/* Transfers vertices and elements. The stars contain the directions; the rest of the mesh is not needed. */
static mt_status pass_mesh(parcel *p, mt_mesh *mesh)
{
    uint32_t *vertex = NULL;
    pass(p, mesh, sizeof *mesh);
    void *xyz_mm = mesh->xyz_mm;
    size_t n_vertices = 0;
    if (p->gives) MT_TRY(find_vertices(p, mesh, &n_vertices, &vertex));
    pass(p, &n_vertices, sizeof n_vertices);
    MT_TRY(pass_rows(p, n_vertices, vertex, 3 * sizeof *mesh->xyz_mm, NULL, &xyz_mm));
    PASS_ROWS(p, mesh->element_vertex, 4, p->whole->vertex);
    if (p->gives) forget(n_vertices, vertex, p->whole->vertex);
    *mesh = (mt_mesh){.n_vertices = n_vertices,
        .n_elements = p->n,
        .xyz_mm = xyz_mm,
        .element_vertex = mesh->element_vertex};
    return MT_OK;
}

static mt_status pass_adjacency(parcel *p, mt_adjacency *adjacency)
{
    pass(p, adjacency, sizeof *adjacency);
    PASS_ROWS(p, adjacency->neighbour, 4, p->whole->element);
    adjacency->n_elements = p->n;
    return MT_OK;
}

/* Transfers the stars of a lean operator, from which rows are computed. */
static mt_status pass_stars(parcel *p, mt_stars *s)
{
    mt_mesh *mesh;
    mt_adjacency *adjacency;
    MT_ALLOC(p->arena, mesh, 1);
    MT_ALLOC(p->arena, adjacency, 1);
    if (p->gives) *mesh = *s->mesh, *adjacency = *s->adjacency;
    pass(p, s, sizeof *s);
    MT_TRY(pass_mesh(p, mesh));
    MT_TRY(pass_adjacency(p, adjacency));
    PASS_ITEMS(p, s->scheme, 1);
    PASS_ITEMS(p, s->field.tissue, s->field.n);
    PASS_ROWS(p, s->field.of, 1, NULL);
    PASS_ROWS(p, s->field.fibre, 3, NULL);
    PASS_ROWS(p, s->field.sheet, 3, NULL);
    PASS_ROWS(p, s->volume, 1, NULL);
    PASS_ROWS(p, s->theta, 1, NULL);
    *s = (mt_stars){.mesh = mesh,
        .adjacency = adjacency,
        .n = p->n,
        .scheme = s->scheme,
        .field = s->field,
        .volume = s->volume,
        .theta = s->theta};
    return MT_OK;
}

/* ---- the operator with voltages at the vertices ---- */

/* Returns the number of entries of a row: own rows are complete, others are empty. */
static size_t row_length(const parcel *p, const mt_nodal *whole, uint32_t vertex)
{
    return p->whole->own[vertex] ? whole->start[(size_t)vertex + 1] - whole->start[vertex] : 0;
}

/* Transfers a list with values of all entries, `start` [n + 1] of the part. If `name` is not NULL, its numbers are converted to those of
 * the part. These have the order of the problem's numbers, so that the entries of a row keep their order. */
static mt_status pass_entries(const parcel *p, const mt_nodal *whole, const size_t *start, size_t size,
    const uint32_t *name, void **entries)
{
    MT_SCRATCH(scratch);
    const char *from = *entries;
    const size_t most = CHUNK * whole->longest_row;
    char *room = mt_arena_alloc(p->gives ? scratch : p->arena, p->gives ? most : start[p->n], size);
    if (!room) return MT_MEMORY;
    for (size_t first = 0; first < p->n; first += CHUNK) {
        const size_t end = p->n - first < CHUNK ? p->n : first + CHUNK, n = start[end] - start[first];
        char *chunk = p->gives ? room : room + start[first] * size;
        for (size_t k = first; p->gives && k < end; k++)
            memcpy(chunk + size * (start[k] - start[first]), from + size * whole->start[p->element[k]],
                size * (start[k + 1] - start[k]));
        if (p->gives && name) rename_all(name, n, (uint32_t *)(void *)chunk);
        pass(p, chunk, n * size);
    }
    if (!p->gives) *entries = room;
    return MT_OK;
}

/* Transfers the vertices of the part in the order of the problem. */
static mt_status pass_order(const parcel *p, const mt_element_order *whole, mt_element_order *part)
{
    *part = (mt_element_order){.n = p->n};
    MT_ALLOC(p->arena, part->element, p->n);
    size_t n = 0;
    for (size_t k = 0; p->gives && k < whole->n; k++) {
        const uint32_t name = p->whole->element[whole->element[k]];
        if (name != NONE) part->element[n++] = name;
    }
    pass(p, part->element, p->n * sizeof *part->element);
    if (p->gives) return MT_OK;
    MT_ALLOC(p->arena, part->place, p->n);
    for (size_t k = 0; k < p->n; k++) part->place[part->element[k]] = (uint32_t)k;
    return MT_OK;
}

/* Transfers the rows of the rank's own vertices; those of received vertices are empty. */
static mt_status pass_nodal(parcel *p, mt_nodal *nodal)
{
    const mt_nodal whole = *nodal;
    size_t *start = NULL;
    mt_element_order order;
    if (p->gives) MT_ALLOC(p->arena, start, p->n + 1);
    for (size_t k = 0; p->gives && k < p->n; k++)
        start[k + 1] = start[k] + row_length(p, &whole, p->element[k]);
    pass(p, nodal, sizeof *nodal);
    void *starts = start, *column = nodal->column, *rate = nodal->rate, *spread = nodal->spread;
    MT_TRY(pass_items(p, p->n + 1, sizeof *start, &starts));
    MT_TRY(pass_entries(p, nodal, starts, sizeof *nodal->column, p->whole->element, &column));
    MT_TRY(pass_entries(p, nodal, starts, sizeof *nodal->rate, NULL, &rate));
    if (spread) MT_TRY(pass_entries(p, nodal, starts, sizeof *nodal->spread, NULL, &spread));
    MT_TRY(pass_order(p, &whole.order, &order));
    nodal->start = starts, nodal->column = column, nodal->rate = rate, nodal->spread = spread;
    nodal->order = order;
    return MT_OK;
}

/* Transfers the operator with voltages at the vertices. */
static mt_status pass_nodal_diffusion(parcel *p, mt_diffusion *diffusion)
{
    mt_nodal *nodal;
    MT_ALLOC(p->arena, nodal, 1);
    if (p->gives) *nodal = *diffusion->nodal;
    MT_TRY(pass_nodal(p, nodal));
    PASS_ROWS(p, diffusion->volume_mm3, 1, NULL);
    *diffusion = (mt_diffusion){.n_unknowns = p->n,
        .volume_mm3 = diffusion->volume_mm3,
        .limit_dt_ms = diffusion->limit_dt_ms,
        .nodal = nodal};
    return MT_OK;
}

/* ---- either operator ---- */

/* Transfers the operator without data that parts do not need: the limited elements and the fingerprint. */
static mt_status pass_diffusion(parcel *p, mt_diffusion *diffusion)
{
    mt_stars *stars;
    pass(p, diffusion, sizeof *diffusion);
    if (diffusion->nodal) return pass_nodal_diffusion(p, diffusion);
    MT_ALLOC(p->arena, stars, 1);
    if (p->gives) *stars = *diffusion->stars;
    MT_TRY(pass_stars(p, stars));
    PASS_ROWS(p, diffusion->kappa_ms, 1, NULL);
    *diffusion = (mt_diffusion){.n_unknowns = p->n,
        .volume_mm3 = stars->volume,
        .stars = stars,
        .theta = stars->theta,
        .kappa_ms = diffusion->kappa_ms,
        .limit_dt_ms = diffusion->limit_dt_ms};
    return MT_OK;
}

/* ---- cells and stimuli ---- */

/* The ionic model. Each rank opens it by its name or path after the transfer, so that a failure there interrupts no transfer. */
typedef struct model_parcel {
    char *name; /* [n_name], NUL-terminated */
    char identity[MT_CELL_IDENTITY];
    size_t n_name, n_parameters, n_states;
    bool compiled; /* on rank 0 */
} model_parcel;

static mt_status pass_model(parcel *p, const mt_cell_model *model, model_parcel *m)
{
    *m = (model_parcel){.name = NULL};
    if (p->gives) {
        const size_t n = strlen(model->name) + 1;
        *m = (model_parcel){.n_name = n,
            .n_parameters = model->n_parameters,
            .n_states = model->n_states,
            .compiled = model->compiled};
        (void)snprintf(m->identity, sizeof m->identity, "%s", model->identity);
        MT_COPY(p->arena, m->name, model->name, n);
    }
    char *name = m->name;
    pass(p, m, sizeof *m);
    if (!p->gives) MT_ALLOC(p->arena, name, m->n_name);
    pass(p, name, m->n_name);
    m->name = name;
    return MT_OK;
}

/* Opens the model on a rank. Its file must have the same content there. Without a compiler it is interpreted, with the same bits. */
static mt_status open_model(
    mt_arena *arena, const model_parcel *m, bool tabulated, const mt_cell_model **model)
{
    MT_TRY(mt_cell_model_open(arena, m->name, model));
    if (strcmp((*model)->identity, m->identity) != 0)
        return mt_fail(MT_INPUT,
            "%s: the ionic model is %s on one rank, and %s on rank 0; allowed: the same file", m->name,
            (*model)->identity, m->identity);
    const mt_status status = m->compiled ? mt_cell_compile(arena, *model, tabulated, true, model) : MT_OK;
    return status == MT_MEMORY || status == MT_STOPPED ? status : MT_OK;
}

static mt_status pass_variants(parcel *p, const model_parcel *model, size_t n, mt_cell_variant **variants)
{
    PASS_ITEMS(p, *variants, n);
    for (size_t k = 0; *variants && k < n; k++) {
        mt_cell_variant v = (*variants)[k];
        PASS_ITEMS(p, v.parameters, model->n_parameters);
        PASS_ITEMS(p, v.states, model->n_states);
        v.name = model->name;
        if (!p->gives) (*variants)[k] = v;
    }
    return MT_OK;
}

/* Transfers the rank's own elements of a stimulus. */
static mt_status pass_stimulus(parcel *p, mt_stimulus *stimulus)
{
    uint32_t *own = NULL;
    uint16_t *delay = NULL;
    size_t n = 0;
    if (p->gives) MT_ALLOC(p->arena, own, stimulus->n_elements);
    if (p->gives && stimulus->delay) MT_ALLOC(p->arena, delay, stimulus->n_elements);
    for (size_t k = 0; p->gives && k < stimulus->n_elements; k++) {
        if (!p->whole->own[stimulus->element[k]]) continue;
        if (delay) delay[n] = stimulus->delay[k];
        own[n++] = p->whole->element[stimulus->element[k]];
    }
    void *elements = own, *delays = delay;
    pass(p, &n, sizeof n);
    MT_TRY(pass_items(p, n, sizeof *own, &elements));
    if (stimulus->delay) MT_TRY(pass_items(p, n, sizeof *delay, &delays));
    if (stimulus->delay) stimulus->delay = delays;
    stimulus->n_elements = n;
    stimulus->element = elements;
    return MT_OK;
}

static mt_status pass_stimuli(parcel *p, size_t n, const mt_stimulus *whole, mt_stimulus **part)
{
    MT_COPY(p->arena, *part, p->gives ? whole : NULL, n);
    pass(p, *part, n * sizeof **part);
    for (size_t s = 0; s < n; s++) MT_TRY(pass_stimulus(p, &(*part)[s]));
    return MT_OK;
}

static mt_status pass_problem(parcel *p, mt_monodomain *problem, model_parcel *model)
{
    mt_diffusion *diffusion;
    mt_stimulus *stimuli;
    MT_ALLOC(p->arena, diffusion, 1);
    if (p->gives) *diffusion = *problem->diffusion;
    pass(p, problem, sizeof *problem);
    MT_TRY(pass_diffusion(p, diffusion));
    MT_TRY(pass_model(p, problem->model, model));
    mt_cell_variant *variants = (mt_cell_variant *)(uintptr_t)problem->variants;
    MT_TRY(pass_variants(p, model, problem->n_variants, &variants));
    PASS_ROWS(p, problem->variant_of, 1, NULL);
    MT_TRY(pass_stimuli(p, problem->n_stimuli, problem->stimulus, &stimuli));
    PASS_ITEMS(p, problem->record.beat, problem->record.n_beats);
    problem->diffusion = diffusion;
    problem->mesh = NULL; /* only rank 0 composes messages */
    problem->variants = variants;
    problem->stimulus = stimuli;
    problem->stimulus_of = NULL;
    problem->conduction = NULL; /* rank 0 computes it */
    return MT_OK;
}

static mt_status pass_halo(parcel *p, mt_halo *halo)
{
    pass(p, halo, sizeof *halo);
    if (p->gives) rename_all(p->whole->element, halo->n_elements, halo->own_element);
    PASS_ITEMS(p, halo->own_offset, halo->n_parts + (size_t)1);
    PASS_ITEMS(p, halo->own_element, halo->n_elements);
    PASS_ITEMS(p, halo->n_interior, halo->n_parts);
    PASS_ITEMS(p, halo->range, halo->n_ranges);
    PASS_ITEMS(p, halo->range_offset, halo->n_parts + (size_t)1);
    PASS_ITEMS(p, halo->to_offset, halo->n_ranges + 1);
    PASS_ITEMS(p, halo->to_part, halo->to_offset[halo->n_ranges]);
    PASS_ITEMS(p, halo->in_offset, halo->n_parts + (size_t)1);
    PASS_ITEMS(p, halo->in_range, halo->in_offset[halo->n_parts]);
    PASS_ITEMS(p, halo->inbound, halo->n_parts);
    PASS_ITEMS(p, halo->needed, halo->n_parts);
    return MT_OK;
}

/* ---- sender ---- */

/* Finds the elements of a rank's part: all that its rows read, with its own elements [first, end) of that order. */
static mt_status find_elements(parcel *p, const mt_halo *seen, size_t first, size_t end)
{
    p->n = seen->n_elements;
    MT_COPY(p->arena, p->element, seen->own_element, p->n);
    for (size_t k = first; k < end; k++) p->whole->own[seen->own_element[k]] = 1;
    name_all(p->n, p->element, p->whole->element);
    return MT_OK;
}

static void forget_elements(const parcel *p)
{
    forget(p->n, p->element, p->whole->element);
    for (size_t k = 0; k < p->n; k++) p->whole->own[p->element[k]] = 0;
}

static mt_status give(
    parcel *p, const mt_backend *backend, const mt_monodomain *whole, const mt_layout *layout)
{
    const uint32_t first = backend->first_part(layout, p->to), end = backend->first_part(layout, p->to + 1);
    mt_monodomain problem = *whole;
    model_parcel model;
    mt_halo seen;
    MT_TRY(
        mt_halo_seen(p->arena, layout->halo, first, end, whole->diffusing != MT_DIFFUSING_EXPLICIT, &seen));
    MT_TRY(find_elements(p, &seen, seen.own_offset[first], seen.own_offset[end]));
    pass(p, &p->n, sizeof p->n);
    MT_TRY(pass_problem(p, &problem, &model));
    MT_TRY(pass_halo(p, &seen));
    forget_elements(p);
    return MT_OK;
}

static mt_status make_names(mt_arena *arena, const mt_diffusion *whole, names *made)
{
    const size_t n = whole->n_unknowns, n_vertices = whole->stars ? whole->stars->mesh->n_vertices : 0;
    MT_ALLOC(arena, made->element, n);
    MT_ALLOC(arena, made->own, n);
    memset(made->element, 0xff, n * sizeof *made->element);
    made->vertex = NULL;
    if (whole->nodal) return MT_OK;
    MT_ALLOC(arena, made->vertex, n_vertices);
    memset(made->vertex, 0xff, n_vertices * sizeof *made->vertex);
    return MT_OK;
}

mt_status mt_share_send(const mt_backend *backend, const mt_monodomain *problem, const mt_layout *layout)
{
    assert(problem->diffusion->stars || problem->diffusion->nodal);
    MT_SCRATCH(arena);
    names whole;
    MT_TRY(make_names(arena, problem->diffusion, &whole));
    for (uint32_t r = 1; r < layout->ranks->n_ranks; r++) {
        MT_SCRATCH(scratch);
        parcel p = {.ranks = layout->ranks, .gives = true, .to = r, .arena = scratch, .whole = &whole};
        MT_TRY(give(&p, backend, problem, layout));
    }
    return MT_OK;
}

mt_status mt_share_receive(mt_arena *arena, mt_layout *layout, mt_monodomain **part)
{
    mt_halo *halo;
    model_parcel model;
    const names none = {0};
    parcel p = {.ranks = layout->ranks, .arena = arena, .whole = &none};
    MT_ALLOC(arena, *part, 1);
    MT_ALLOC(arena, halo, 1);
    pass(&p, &p.n, sizeof p.n);
    MT_TRY(pass_problem(&p, *part, &model));
    MT_TRY(pass_halo(&p, halo));
    layout->halo = halo;
    const bool tabulated = (*part)->evaluation == MT_EVALUATION_TABULATED;
    return open_model(arena, &model, tabulated, &(*part)->model);
}
