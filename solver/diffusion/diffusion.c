#include "solver/diffusion/diffusion.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "solver/diffusion/limiter.h"
#include "solver/diffusion/nodal_rows.h"
#include "solver/diffusion/rows.h"
#include "solver/diffusion/spreading.h"

enum { ROW = MT_DIFFUSION_ROW, LIST = 4096 /* rows computed together */ };

static const double ROUNDING = 1e-12; /* of a quotient of volumes */

/* ---- construction ---- */

/* An operator under construction. Stars and their work arrays need several times the memory of the result, so they
 * are in arenas that are freed as early as possible. */
typedef struct making {
    const mt_mesh *mesh; /* input, as the next two */
    const mt_adjacency *adjacency;
    const mt_tissues *tissues;
    const mt_diffusion_options *options;
    mt_diffusion *diffusion;
    mt_arena *arena; /* for the result */
    mt_arena *rows;  /* for arrays needed for measuring, and for others */
    mt_arena *limits;
    mt_element_order order;
    mt_adjacency ordered;
    mt_stars *plain; /* in the mesh's order, without stars; kept by a lean operator */
    mt_stars s;      /* in the element order */
    mt_limits found;
} making;

/* Returns the end of the list that begins with an element. */
static size_t list_end(size_t n, size_t first) { return n - first < LIST ? n : first + LIST; }

static void fill_rows(const mt_stars *s, size_t first, size_t n, uint32_t *column, double *rate)
{
#pragma omp parallel for schedule(static) if (n >= MT_STARS_PARALLEL_FROM / 8)
    for (size_t k = 0; k < n; k++) mt_rows_ordered(s, first + k, column + ROW * k, rate + ROW * k);
}

static mt_status keep_rows(mt_arena *arena, const mt_stars *s, mt_diffusion *diffusion)
{
    MT_ALLOC(arena, diffusion->rate, ROW * s->n);
    MT_ALLOC(arena, diffusion->column, ROW * s->n);
    fill_rows(s, 0, s->n, diffusion->column, diffusion->rate);
    return MT_OK;
}

/* Prepares the plain stars for recomputing rows. */
static mt_status leave_rows(making *m)
{
    m->plain->volume = m->diffusion->volume_mm3;
    m->plain->theta = m->diffusion->theta;
    m->diffusion->stars = m->plain;
    MT_ALLOC(m->arena, m->diffusion->fingerprint, MT_HASH_SIZE);
    return MT_OK;
}

/* Copies the arrays that the operator keeps. */
static mt_status keep(making *m)
{
    const mt_stars *s = &m->s;
    MT_ALLOC(m->arena, m->diffusion->volume_mm3, s->n);
    MT_ALLOC(m->arena, m->diffusion->theta, s->n);
    for (size_t c = 0; c < s->n; c++) {
        m->diffusion->volume_mm3[m->order.element[c]] = s->volume[c];
        m->diffusion->theta[m->order.element[c]] = s->theta[c];
    }
    return m->options->lean ? leave_rows(m) : keep_rows(m->arena, s, m->diffusion);
}

/* Sets the ratio of each element's chi Cm to that of the first tissue. */
static mt_status get_capacity(making *m)
{
    const mt_tissues *tissues = m->tissues;
    bool same = true;
    for (size_t k = 0; k < tissues->n; k++) same &= m->plain->field.tissue[k].capacity == 1;
    if (same) return MT_OK;
    MT_ALLOC(m->arena, m->diffusion->capacity, m->s.n);
    for (size_t e = 0; e < m->s.n; e++)
        m->diffusion->capacity[e] = mt_tissue_field_at(&m->plain->field, e)->capacity;
    return MT_OK;
}

/* Copies the tissue indices in the element order. */
static mt_status order_tissues(making *m)
{
    uint16_t *of;
    if (!m->tissues->of) return MT_OK;
    MT_ALLOC(m->rows, of, m->order.n);
    for (size_t c = 0; c < m->order.n; c++) of[c] = m->tissues->of[m->order.element[c]];
    m->s.field.of = of;
    return MT_OK;
}

/* Copies the input for the stars, since they may outlive it. */
static mt_status make_plain(making *m)
{
    mt_arena *arena = m->options->lean ? m->arena : m->rows;
    mt_mesh *mesh;
    mt_adjacency *adjacency;
    mt_diffusion_scheme *scheme;
    MT_ALLOC(arena, m->plain, 1);
    MT_ALLOC(arena, mesh, 1);
    MT_ALLOC(arena, adjacency, 1);
    MT_ALLOC(arena, scheme, 1);
    *mesh = *m->mesh, *adjacency = *m->adjacency, *scheme = *m->s.scheme;
    *m->plain = (mt_stars){.mesh = mesh, .adjacency = adjacency, .n = m->s.n, .scheme = scheme};
    return mt_tissue_field_make(arena, mesh, m->tissues, &m->plain->field);
}

/* Builds the stars in the element order, from a copy of the mesh, so that neighbours are close in memory. */
static mt_status make_stars(making *m)
{
    MT_TRY(mt_element_order_make(m->rows, m->mesh, &m->order));
    MT_SCRATCH(copy);
    mt_stars *s = &m->s;
    mt_mesh needed = *m->mesh, mesh;
    if (!m->plain->field.sheet) needed.sheet = NULL;
    MT_TRY(mt_element_order_apply(m->rows, copy, &m->order, &needed, m->adjacency, &mesh, &m->ordered));
    s->order = &m->order, s->mesh = &mesh, s->adjacency = &m->ordered;
    s->field.n = m->plain->field.n, s->field.tissue = m->plain->field.tissue;
    s->field.fibre = mesh.fibre ? mesh.fibre : m->plain->field.fibre;
    s->field.sheet = mesh.sheet;
    MT_TRY(order_tissues(m));
    MT_TRY(mt_stars_make(
        m->rows, m->limits, s, !m->options->known, &m->found.n_indefinite, &m->diffusion->n_slivers));
    s->mesh = NULL, s->field.fibre = s->field.sheet = NULL;
    s->plain = m->plain;
    return MT_OK;
}

/* Applies the known limits if they fit, or finds the elements to limit. */
static mt_status limit(making *m, bool *recalled)
{
    const mt_limits *known = m->options->known;
    *recalled = known && mt_limiter_recall(&m->s, known);
    if (*recalled) return MT_OK;
    if (known) MT_TRY(mt_stars_find_indefinite(&m->s, &m->found.n_indefinite));
    return mt_limiter_find(&m->s, &m->found);
}

static mt_status spread(making *m)
{
    if (!(m->s.scheme->spreading > 0)) return MT_OK;
    MT_SCRATCH(scratch);
    mt_diffusion *diffusion = m->diffusion;
    double *kappa_ms;
    float *slowed;
    MT_ALLOC(scratch, kappa_ms, m->s.n);
    MT_ALLOC(scratch, slowed, m->s.n);
    MT_TRY(mt_spreading_make(&m->s, m->options->spreading, kappa_ms, slowed, &diffusion->n_slowed));
    MT_ALLOC(m->arena, diffusion->kappa_ms, m->s.n);
    MT_ALLOC(m->arena, diffusion->slowed, m->s.n);
    for (size_t c = 0; c < m->s.n; c++) {
        diffusion->kappa_ms[m->order.element[c]] = kappa_ms[c];
        diffusion->slowed[m->order.element[c]] = slowed[c];
    }
    return MT_OK;
}

/* From here on, only the forms of the stars are needed. */
static mt_status measure(making *m)
{
    mt_arena_free(m->limits);
    mt_stars_become_forms(&m->s);
    return mt_limiter_measure(&m->s, &m->found);
}

/* Takes the numbers that belong to the complete mesh from its limits. */
static void take_numbers(const mt_limits *found, mt_diffusion *diffusion)
{
    diffusion->limit_dt_ms = found->limit_dt_ms;
    diffusion->top_per_ms = found->top_per_ms;
    diffusion->n_indefinite = found->n_indefinite;
    diffusion->n_limited = found->n_limited;
    diffusion->n_rounds = found->n_rounds;
}

static mt_status make_from_stars(making *m)
{
    bool recalled;
    MT_TRY(make_stars(m));
    MT_TRY(limit(m, &recalled));
    MT_TRY(spread(m));
    MT_TRY(keep(m));
    if (!recalled) MT_TRY(measure(m));
    take_numbers(recalled ? m->options->known : &m->found, m->diffusion);
    return MT_OK;
}

/* Returns V_c of an element that is not raised. */
static double plain_volume_mm3(const mt_stars *plain, size_t element)
{
    return mt_mesh_volume_mm3(plain->mesh, element) * mt_tissue_field_at(&plain->field, element)->capacity;
}

/* Sets the values of all elements from the known ones. */
static void put_values(const mt_stars *plain, const mt_limits *known, mt_diffusion *diffusion)
{
#pragma omp parallel for schedule(static) if (plain->n >= MT_STARS_PARALLEL_FROM)
    for (size_t e = 0; e < plain->n; e++) {
        diffusion->volume_mm3[e] = plain_volume_mm3(plain, e);
        diffusion->theta[e] = 1;
        if (diffusion->slowed) diffusion->slowed[e] = 1;
    }
    for (size_t k = 0; k < known->n_limited; k++) diffusion->theta[known->limited[k]] = known->theta[k];
    for (size_t k = 0; k < known->n_raised; k++) {
        diffusion->volume_mm3[known->raised[k]] = known->volume_mm3[k];
        if (diffusion->slowed) diffusion->slowed[known->raised[k]] = known->slowed[k];
    }
}

/* Builds a lean operator from known values. */
static mt_status make_from_values(making *m)
{
    const mt_limits *known = m->options->known;
    mt_diffusion *diffusion = m->diffusion;
    MT_ALLOC(m->arena, diffusion->volume_mm3, m->s.n);
    MT_ALLOC(m->arena, diffusion->theta, m->s.n);
    if (known->n_kappa > 0) {
        MT_COPY(m->arena, diffusion->kappa_ms, known->kappa_ms, known->n_kappa);
        MT_ALLOC(m->arena, diffusion->slowed, m->s.n);
    }
    put_values(m->plain, known, diffusion);
    diffusion->n_slivers = known->n_slivers;
    diffusion->n_slowed = known->n_slowed;
    take_numbers(known, diffusion);
    return leave_rows(m);
}

static mt_status make(making *m)
{
    const mt_limits *known = m->options->known;
    MT_TRY(make_plain(m));
    MT_TRY(get_capacity(m));
    const bool has_values =
        m->options->lean && known && mt_limits_values_fit(known, m->s.n, m->s.scheme->spreading > 0);
    return has_values ? make_from_values(m) : make_from_stars(m);
}

mt_status mt_diffusion_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissue *tissue, const mt_diffusion_scheme *scheme, mt_diffusion *diffusion)
{
    const mt_tissues tissues = mt_tissues_uniform(tissue);
    return mt_diffusion_make_with(
        arena, mesh, adjacency, &tissues, scheme, &(mt_diffusion_options){.known = NULL}, diffusion);
}

mt_status mt_diffusion_make_with(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissues *tissues, const mt_diffusion_scheme *scheme, const mt_diffusion_options *options,
    mt_diffusion *diffusion)
{
    MT_TRY(mt_tissues_check(tissues, mesh->n_elements));
    MT_TRY(mt_diffusion_scheme_check(scheme));
    if (adjacency->n_elements != mesh->n_elements)
        return mt_fail(MT_INPUT, "an adjacency of %zu elements for a mesh of %zu", adjacency->n_elements,
            mesh->n_elements);
    *diffusion = (mt_diffusion){.n_unknowns = mesh->n_elements};
    MT_SCRATCH(rows);
    MT_SCRATCH(limits);
    making m = {.mesh = mesh,
        .adjacency = adjacency,
        .tissues = tissues,
        .options = options,
        .diffusion = diffusion,
        .arena = arena,
        .rows = rows,
        .limits = limits,
        .s = {.n = mesh->n_elements, .scheme = scheme, .watch = &options->watch}};
    return make(&m);
}

/* The scheme does not affect the gradients; the plain scheme needs least work. */
mt_status mt_diffusion_gradients(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissues *tissues, double **column)
{
    MT_TRY(mt_tissues_check(tissues, mesh->n_elements));
    MT_ALLOC(arena, *column, 12 * mesh->n_elements);
    mt_stars s = {
        .mesh = mesh, .adjacency = adjacency, .n = mesh->n_elements, .scheme = &mt_diffusion_scheme_plain};
    MT_SCRATCH(scratch);
    MT_TRY(mt_tissue_field_make(scratch, mesh, tissues, &s.field));
    mt_stars_gradients(&s, *column);
    return MT_OK;
}

/* Adds the values of limited and raised elements to the limits. */
static mt_status add_values(mt_arena *arena, const mt_diffusion *diffusion, mt_limits *found)
{
    const mt_stars *plain = diffusion->stars;
    uint32_t *raised;
    double *volume_mm3;
    float *theta, *slowed;
    size_t n = 0;
    for (size_t e = 0; e < plain->n; e++) n += diffusion->volume_mm3[e] != plain_volume_mm3(plain, e);
    MT_ALLOC(arena, theta, found->n_limited);
    MT_ALLOC(arena, raised, n);
    MT_ALLOC(arena, volume_mm3, n);
    MT_ALLOC(arena, slowed, n);
    for (size_t k = 0; k < found->n_limited; k++) theta[k] = diffusion->theta[found->limited[k]];
    for (size_t e = 0, k = 0; e < plain->n && k < n; e++) {
        if (diffusion->volume_mm3[e] == plain_volume_mm3(plain, e)) continue;
        raised[k] = (uint32_t)e;
        volume_mm3[k] = diffusion->volume_mm3[e];
        slowed[k++] = diffusion->slowed ? diffusion->slowed[e] : 1;
    }
    found->has_values = true;
    found->n_slivers = diffusion->n_slivers, found->n_slowed = diffusion->n_slowed;
    found->theta = theta;
    found->n_raised = n;
    found->raised = raised, found->volume_mm3 = volume_mm3, found->slowed = slowed;
    found->n_kappa = diffusion->kappa_ms ? plain->n : 0;
    found->kappa_ms = diffusion->kappa_ms;
    return MT_OK;
}

mt_status mt_diffusion_limits(mt_arena *arena, const mt_diffusion *diffusion, mt_limits *found)
{
    uint32_t *limited;
    size_t n = 0;
    MT_ALLOC(arena, limited, diffusion->n_limited);
    for (size_t c = 0; c < diffusion->n_unknowns && n < diffusion->n_limited; c++)
        if (diffusion->theta[c] < 1) limited[n++] = (uint32_t)c;
    *found = (mt_limits){.limit_dt_ms = diffusion->limit_dt_ms,
        .top_per_ms = diffusion->top_per_ms,
        .n_indefinite = diffusion->n_indefinite,
        .n_rounds = diffusion->n_rounds,
        .n_limited = n,
        .limited = limited};
    return diffusion->stars ? add_values(arena, diffusion, found) : MT_OK;
}

mt_diffusion_limiting mt_diffusion_effect_on(
    const mt_diffusion *diffusion, const mt_mesh *mesh, const mt_adjacency *adjacency, size_t element)
{
    mt_diffusion_limiting effect = {.theta = (double)diffusion->theta[element],
        .cosine = 1,
        .capacity = diffusion->volume_mm3[element] / mt_mesh_volume_mm3(mesh, element)};
    if (diffusion->slowed) effect.capacity /= (double)diffusion->slowed[element];
    if (diffusion->capacity) effect.capacity /= diffusion->capacity[element];
    double here[3];
    mt_mesh_centroid(mesh, element, here);
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = adjacency->neighbour[4 * element + f];
        if (n == MT_NO_ELEMENT) continue;
        double area[3], there[3], to[3];
        mt_mesh_face_area(mesh, element, f, area);
        mt_mesh_centroid(mesh, n, there);
        mt_minus3(there, here, to);
        effect.cosine = fmin(effect.cosine, mt_dot3(area, to) / mt_stars_lengths(area, to));
    }
    effect.limited = effect.theta < 1 || effect.cosine < MT_STARS_COSINE || effect.capacity > 1 + ROUNDING;
    return effect;
}

mt_pattern mt_diffusion_pattern(const mt_diffusion *diffusion)
{
    const mt_nodal *nodal = diffusion->nodal;
    if (nodal)
        return (mt_pattern){.n_elements = diffusion->n_unknowns,
            .width = nodal->longest_row,
            .columns = nodal->column,
            .start = nodal->start};
    return (mt_pattern){.n_elements = diffusion->n_unknowns,
        .width = ROW,
        .columns = diffusion->column,
        .adjacency = diffusion->stars ? diffusion->stars->adjacency : NULL};
}

/* ---- rows ---- */

mt_status mt_diffusion_rows_allocate(
    mt_arena *arena, const mt_diffusion *diffusion, size_t most, mt_diffusion_rows *rows)
{
    *rows = (mt_diffusion_rows){.diffusion = diffusion};
    if (!diffusion->rate) return mt_rows_allocate(arena, diffusion->stars, most, &rows->anew);
    MT_ALLOC(arena, rows->rate, ROW * most);
    return MT_OK;
}

const double *mt_diffusion_rows_of(const mt_diffusion_rows *rows, size_t n, const uint32_t *element)
{
    if (!rows->rate) return mt_rows_of(&rows->anew, n, element);
    for (size_t k = 0; k < n; k++)
        memcpy(
            rows->rate + ROW * k, rows->diffusion->rate + ROW * (size_t)element[k], ROW * sizeof *rows->rate);
    return rows->rate;
}

mt_status mt_diffusion_order(mt_arena *arena, const mt_diffusion *diffusion, mt_element_order *order)
{
    if (diffusion->stars) return mt_element_order_make(arena, diffusion->stars->mesh, order);
    if (diffusion->nodal) {
        const mt_element_order *known = &diffusion->nodal->order;
        order->n = known->n;
        MT_COPY(arena, order->element, known->element, known->n);
        MT_COPY(arena, order->place, known->place, known->n);
        return MT_OK;
    }
    order->n = diffusion->n_unknowns;
    MT_ALLOC(arena, order->element, order->n);
    MT_ALLOC(arena, order->place, order->n);
    for (size_t k = 0; k < order->n; k++) order->element[k] = order->place[k] = (uint32_t)k;
    return MT_OK;
}

/* ---- fingerprint ---- */

/* Hashes each row separately, by element, so that rows can be computed in any order. */
static mt_status hash_rows(mt_arena *scratch, const mt_diffusion *diffusion, uint64_t *of_row)
{
    const mt_pattern pattern = mt_diffusion_pattern(diffusion);
    mt_diffusion_rows rows;
    mt_element_order order;
    MT_TRY(mt_diffusion_order(scratch, diffusion, &order));
    const uint32_t *element = order.element;
    MT_TRY(mt_diffusion_rows_allocate(scratch, diffusion, LIST, &rows));
    for (size_t first = 0; first < diffusion->n_unknowns; first = list_end(diffusion->n_unknowns, first)) {
        const size_t n = list_end(diffusion->n_unknowns, first) - first;
        const double *rate = mt_diffusion_rows_of(&rows, n, element + first);
        for (size_t k = 0; k < n; k++) {
            uint32_t ring[MT_RING_MAX];
            const uint32_t *column = mt_pattern_row(&pattern, element[first + k], ring);
            of_row[element[first + k]] = mt_hash_short(rate + ROW * k, ROW * sizeof *rate) +
                                         3 * mt_hash_short(column, ROW * sizeof *column);
        }
    }
    return MT_OK;
}

/* Same for rows of different lengths. */
static void hash_nodal_rows(const mt_nodal *nodal, size_t n, uint64_t *of_row)
{
    for (size_t i = 0; i < n; i++) {
        const size_t first = nodal->start[i], length = nodal->start[i + 1] - first;
        of_row[i] = mt_hash_short(nodal->rate + first, length * sizeof *nodal->rate) +
                    3 * mt_hash_short(nodal->column + first, length * sizeof *nodal->column);
        if (nodal->spread)
            of_row[i] += 5 * mt_hash_short(nodal->spread + first, length * sizeof *nodal->spread);
    }
}

mt_status mt_diffusion_fingerprint(const mt_diffusion *diffusion, char text[MT_HASH_SIZE])
{
    const size_t n = diffusion->n_unknowns;
    char *known = diffusion->fingerprint;
    MT_SCRATCH(scratch);
    uint64_t *of_row;
    mt_hash hash;
    if (known && known[0]) {
        memcpy(text, known, MT_HASH_SIZE);
        return MT_OK;
    }
    MT_ALLOC(scratch, of_row, n);
    if (diffusion->nodal)
        hash_nodal_rows(diffusion->nodal, n, of_row);
    else
        MT_TRY(hash_rows(scratch, diffusion, of_row));
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, of_row, n * sizeof *of_row);
    if (diffusion->kappa_ms) mt_hash_add(&hash, diffusion->kappa_ms, n * sizeof *diffusion->kappa_ms);
    mt_hash_end(&hash, text);
    if (known) memcpy(known, text, MT_HASH_SIZE);
    return MT_OK;
}

/* ---- storing rows of a lean operator ---- */

static void list_rows(size_t first, size_t n, uint32_t *element)
{
    for (size_t k = 0; k < n; k++) element[k] = (uint32_t)(first + k);
}

mt_status mt_diffusion_keep_rows(mt_arena *arena, mt_diffusion *diffusion)
{
    const mt_pattern rings = mt_diffusion_pattern(diffusion);
    uint32_t element[LIST], *column;
    double *rate;
    mt_diffusion_rows rows;
    MT_SCRATCH(scratch);
    if (diffusion->rate || diffusion->nodal) return MT_OK;
    MT_ALLOC(arena, column, ROW * diffusion->n_unknowns);
    MT_ALLOC(arena, rate, ROW * diffusion->n_unknowns);
    MT_TRY(mt_diffusion_rows_allocate(scratch, diffusion, LIST, &rows));
    for (size_t first = 0; first < diffusion->n_unknowns; first = list_end(diffusion->n_unknowns, first)) {
        const size_t n = list_end(diffusion->n_unknowns, first) - first;
        list_rows(first, n, element);
        memcpy(rate + ROW * first, mt_diffusion_rows_of(&rows, n, element), ROW * n * sizeof *rate);
        for (size_t k = 0; k < n; k++)
            (void)mt_pattern_row(&rings, element[k], column + ROW * (size_t)element[k]);
    }
    diffusion->column = column;
    diffusion->rate = rate;
    return MT_OK;
}

void mt_diffusion_apply(const mt_diffusion *diffusion, const double *v, double *dv_dt)
{
#pragma omp parallel for schedule(static) if (diffusion->n_unknowns >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < diffusion->n_unknowns; c++) {
        const double *rate = diffusion->rate + ROW * c;
        const uint32_t *column = diffusion->column + ROW * c;
        double sum = 0, own = v[c];
        for (size_t k = 0; k < ROW; k++) sum += rate[k] * (v[column[k]] - own);
        dv_dt[c] = sum;
    }
}

double mt_diffusion_step_row(const double *rate, double dt_ms, double *off)
{
    double sum = 0;
    for (size_t k = 0; k < ROW; k++) {
        off[k] = dt_ms * rate[k];
        sum += off[k];
    }
    return 1 - sum;
}

float mt_diffusion_step_row_float(const double *rate, double dt_ms, float *off)
{
    double sum = 0;
    for (size_t k = 0; k < ROW; k++) {
        off[k] = (float)(dt_ms * rate[k]);
        sum += (double)off[k];
    }
    return (float)(1 - sum);
}
