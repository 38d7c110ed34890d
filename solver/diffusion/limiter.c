#include "solver/diffusion/limiter.h"

#include <math.h>

#include "solver/diffusion/growth.h"
#include "solver/diffusion/spectrum.h"

enum { MAX_LANCZOS = 400, MAX_VECTORS = 12, MAX_ROUNDS = 24 };

static const double TOP_ALLOWED = 1e-6; /* [per ms] */
static const double DT_SAFETY = 0.9;    /* covers the part of M that is not symmetric, and Lanczos */

/* ---- the symmetric part ---- */

/* delta of an element for values z. */
static void differences(const mt_stars *s, size_t c, const double *z, double delta[4])
{
    for (size_t f = 0; f < 4; f++) delta[f] = z[s->near[4 * c + f]] - z[c];
}

/* w = sym(K) d */
static void apply_form(const double k[10], const double d[4], double w[4])
{
    w[0] = k[0] * d[0] + k[1] * d[1] + k[2] * d[2] + k[3] * d[3];
    w[1] = k[1] * d[0] + k[4] * d[1] + k[5] * d[2] + k[6] * d[3];
    w[2] = k[2] * d[0] + k[5] * d[1] + k[7] * d[2] + k[8] * d[3];
    w[3] = k[3] * d[0] + k[6] * d[1] + k[8] * d[2] + k[9] * d[3];
}

/* What apply_symmetric needs. */
typedef struct symmetric {
    mt_stars *stars;
    size_t *applied; /* times that it was, in this look at the spectrum */
} symmetric;

/* y = S x = V^-1/2 (M + M')/2 V^-1/2 x:
 * first sym(K_c) delta_c for every element, then each element sums what is its own. */
static bool apply_symmetric(const void *context, const double *x, double *y)
{
    const symmetric *part = context;
    const mt_stars *s = part->stars;
    const double share = (double)(*part->applied)++ / MAX_LANCZOS;
    if (!mt_watch_go_on(s->watch, "measuring the largest stable substep", share)) return false;
#pragma omp parallel if (s->n >= MT_STARS_PARALLEL_FROM)
    {
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->n; c++) s->z[c] = s->root[c] * x[c];
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->n; c++) {
            double delta[4];
            differences(s, c, s->z, delta);
            apply_form(s->form + 10 * c, delta, s->w + 4 * c);
        }
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->n; c++) {
            double sum = 0;
            for (size_t f = 0; f < 4; f++)
                sum += s->w[4 * c + f] - s->w[4 * (size_t)s->near[4 * c + f] + s->back[4 * c + f]];
            y[c] = s->root[c] * sum / 2;
        }
    }
    return true;
}

/* ---- the limiter, close to each element ---- */

/* The elements that matter for growth create at least this much of what the worst one does. */
static const double SHARE = 0.05;

static const char looking_close_by[] = "looking where patterns could grow";

/* The indefinite elements whose patch holds the star of this one are to be looked at again. */
static void ask_again(mt_stars *s, const mt_growth_stars *stars, uint32_t element)
{
    mt_growth_patch patch;
    mt_growth_around(stars, element, &patch);
    for (size_t k = 0; k < patch.n_elements; k++)
        s->pending[patch.element[k]] = s->indefinite[patch.element[k]];
}

static size_t limit_in_patch(
    mt_stars *s, const mt_growth_stars *stars, const mt_growth_patch *patch, const double *energy)
{
    double most = 0;
    size_t fresh = 0;
    for (size_t k = 0; k < patch->n_stars; k++) most = fmin(most, energy[k]);
    for (size_t k = 0; k < patch->n_stars; k++) {
        if (!(energy[k] < SHARE * most) || mt_stars_limit(s, patch->element[k]) == 0) continue;
        ask_again(s, stars, patch->element[k]);
        fresh++;
    }
    return fresh;
}

/* Limits elements until nothing grows in the patch around an element, or nobody is left to blame. Gives how many. */
static size_t limit_around(mt_stars *s, const mt_growth_stars *stars, uint32_t element)
{
    mt_growth_patch patch;
    double x[MT_GROWTH_ELEMENTS], energy[MT_GROWTH_STARS];
    size_t fresh = 0;
    for (size_t more = 1; more > 0; fresh += more) {
        mt_growth_around(stars, element, &patch);
        if (!mt_growth_direction(&patch, TOP_ALLOWED, x)) break;
        mt_growth_energies(stars, &patch, x, energy);
        more = limit_in_patch(s, stars, &patch, energy);
    }
    s->pending[element] = 0;
    return fresh;
}

/* Pending elements around which nothing grows become indefinite. Counts the others. */
static mt_status clear_pending(mt_stars *s, const mt_growth_stars *stars, size_t *left)
{
    size_t others = 0;
    for (size_t first = 0; first < s->n; first += MT_STARS_CHUNK) {
        MT_TRY(mt_watch_tell(s->watch, looking_close_by, (double)first / (double)s->n));
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : others) if (s->n >= MT_STARS_PARALLEL_FROM)
        for (size_t c = first; c < mt_stars_chunk_end(s, first); c++) {
            mt_growth_patch patch;
            double x[MT_GROWTH_ELEMENTS];
            if (!s->pending[c]) continue;
            mt_growth_around(stars, (uint32_t)c, &patch);
            s->pending[c] = mt_growth_direction(&patch, TOP_ALLOWED, x);
            others += s->pending[c];
        }
    }
    *left = others;
    return MT_OK;
}

/* Limits until nothing grows around any element that could feed it. Costs a few steps of the spectrum's search and
 * nearly always leaves it nothing to find. Ends, as every turn but the last limits an element or clears all. */
static mt_status limit_close_by(mt_stars *s, size_t *fresh)
{
    const mt_growth_stars stars = {s->adjacency, s->star, s->indefinite, s->root};
    size_t left;
    for (;;) {
        MT_TRY(clear_pending(s, &stars, &left));
        if (left == 0) return MT_OK;
        for (size_t c = 0; c < s->n; c++) {
            if (!s->pending[c]) continue;
            MT_TRY(mt_watch_tell(s->watch, looking_close_by, (double)c / (double)s->n));
            *fresh += limit_around(s, &stars, (uint32_t)c);
        }
    }
}

/* ---- the limiter, guided by the spectrum ---- */

/* Energy that the star of an element takes from z; below 0 it creates some. */
static double star_energy(const mt_stars *s, size_t c, const double *z)
{
    double delta[4], w[4];
    differences(s, c, z, delta);
    apply_form(s->form + 10 * c, delta, w);
    return delta[0] * w[0] + delta[1] * w[1] + delta[2] * w[2] + delta[3] * w[3];
}

/* Limits the elements that matter for one growing vector: those that create at least 5 % of what the worst one
 * does. Some element does, since the energies sum to less than 0; and it was not limited before, since its star
 * is indefinite. */
static size_t limit_vector(mt_stars *s, const double *x)
{
    double *energy = s->w, most = 0;
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) s->z[c] = s->root[c] * x[c];
#pragma omp parallel for schedule(static) reduction(min : most) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        energy[c] = star_energy(s, c, s->z);
        if (energy[c] < most) most = energy[c];
    }
    size_t fresh = 0;
    for (size_t c = 0; c < s->n; c++)
        if (energy[c] < SHARE * most) fresh += mt_stars_limit(s, c);
    return fresh;
}

static size_t limit_all(mt_stars *s)
{
    size_t fresh = 0;
    for (size_t c = 0; c < s->n; c++) fresh += mt_stars_limit(s, c);
    return fresh;
}

static mt_status limit_some(const mt_spectrum_map *map, const mt_spectrum *ends, mt_stars *s, size_t *fresh)
{
    mt_arena scratch = {0};
    size_t count = 0;
    double *values, *vectors;
    mt_status status =
        mt_spectrum_vectors(&scratch, map, ends, TOP_ALLOWED, MAX_VECTORS, &count, &values, &vectors);
    if (status == MT_OK)
        for (size_t k = 0; k < count; k++) *fresh += limit_vector(s, vectors + k * s->n);
    mt_arena_free(&scratch);
    return status;
}

/* The longest stable step. */
static mt_status take_lowest(const mt_spectrum *ends, mt_limits *found)
{
    if (!ends->settled)
        return mt_fail(MT_NUMERICS, "the lowest eigenvalue %g per ms had not settled after %zu Lanczos steps",
            ends->lowest, ends->steps);
    found->limit_dt_ms = ends->lowest < 0 ? DT_SAFETY * 2 / -ends->lowest : INFINITY;
    return MT_OK;
}

/* Both ends of the spectrum; the highest only as far as needed when every star is definite, and in the first
 * round, where any Ritz value above what is allowed is answer enough. */
static mt_status look(
    mt_arena *scratch, const mt_spectrum_map *map, const mt_limits *found, mt_spectrum *ends)
{
    const mt_spectrum_goal goal = {.max_steps = MAX_LANCZOS,
        .lowest_only = found->n_limited == found->n_indefinite,
        .lowest_tolerance = 1e-3,
        .above = TOP_ALLOWED,
        .above_tolerance = found->n_rounds == 0 ? INFINITY : 1e-2};
    return mt_spectrum_run(scratch, map, &goal, ends);
}

/* Limits until nothing grows, and nothing where nothing does: the first round only asks whether something
 * grows, and if so elements are limited by what lies close to them; later rounds are guided by the spectrum. Each
 * limits at least one element more; after many, or should rounding hide the culprit, all indefinite elements are
 * limited, and then top <= 0 is a matter of algebra. */
mt_status mt_limiter_find(mt_arena *scratch, mt_stars *s, mt_limits *found)
{
    size_t applied;
    const symmetric part = {s, &applied};
    const mt_spectrum_map map = {s->n, apply_symmetric, &part, s->null_root};
    mt_spectrum ends;
    for (;;) {
        applied = 0;
        MT_TRY(look(scratch, &map, found, &ends));
        MT_TRY(take_lowest(&ends, found));
        found->n_rounds++;
        if (ends.highest <= TOP_ALLOWED || found->n_limited == found->n_indefinite) break;
        size_t fresh = 0;
        if (found->n_rounds == 1) MT_TRY(limit_close_by(s, &fresh));
        if (fresh == 0 && found->n_rounds < MAX_ROUNDS) MT_TRY(limit_some(&map, &ends, s, &fresh));
        if (fresh == 0) fresh = limit_all(s);
        found->n_limited += fresh;
    }
    found->top_per_ms = ends.highest;
    return MT_OK;
}

mt_status mt_limiter_measure(mt_arena *scratch, mt_stars *s, mt_limits *found)
{
    size_t applied = 0;
    const symmetric part = {s, &applied};
    const mt_spectrum_map map = {s->n, apply_symmetric, &part, s->null_root};
    const mt_spectrum_goal goal = {.max_steps = MAX_LANCZOS, .lowest_only = true, .lowest_tolerance = 1e-3};
    mt_spectrum ends;
    MT_TRY(mt_spectrum_run(scratch, &map, &goal, &ends));
    return take_lowest(&ends, found);
}

bool mt_limiter_recall(mt_stars *s, const mt_limits *known)
{
    if (!(known->limit_dt_ms > 0) || !isfinite(known->top_per_ms) || known->n_limited > known->n_indefinite ||
        known->n_indefinite > s->n)
        return false;
    for (size_t k = 0; k < known->n_limited; k++) {
        const uint32_t c = known->limited[k];
        if (c >= s->n || (k > 0 && c <= known->limited[k - 1])) return false;
        if (!mt_stars_ask_one(s, c)) return false;
    }
    for (size_t k = 0; k < known->n_limited; k++) (void)mt_stars_limit(s, known->limited[k]);
    return true;
}
