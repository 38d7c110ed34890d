#include "solver/diffusion/spreading.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"

enum { PASSES = 4, STAGES = 12 }; /* of the smoothing */
enum { BLOCK = 4096 };            /* elements whose fluxes fit into the nearest caches */
_Static_assert(STAGES % 2 == 0, "a pass ends in the array in which it began");

static const double SMOOTHED = 1.7; /* times the mean of t */

static const char making_it_smooth[] = "spreading the reaction";

/* ---- t ---- */

/* Returns the mean squared distance to the neighbours; 0 without neighbours. */
static double distance2(const mt_stars *ordered, size_t c)
{
    const mt_stars *s = mt_stars_geometry(ordered, &c);
    double sum = 0, here[3];
    int n_inner = 0;
    mt_mesh_centroid(s->mesh, c, here);
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = s->adjacency->neighbour[4 * c + f];
        if (n == MT_NO_ELEMENT) continue;
        double there[3], d[3];
        mt_mesh_centroid(s->mesh, n, there);
        mt_minus3(there, here, d);
        sum += mt_dot3(d, d);
        n_inner++;
    }
    return n_inner > 0 ? sum / n_inner : 0;
}

/* Computes t from the sizes of the elements, and its volume-weighted mean in each tissue. */
static void by_size(const mt_stars *s, double *t, double *mean_ms, double *volume)
{
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        const mt_tissue_axes *tissue = mt_tissue_field_at(&s->field, c);
        t[c] = distance2(s, c) / (cbrt(tissue->d[0] * tissue->d[1] * tissue->d[2]) / tissue->capacity);
    }
    for (size_t e = 0; e < s->n; e++) {
        const size_t c = s->order->place[e], of = s->field.of ? s->field.of[c] : 0;
        mean_ms[of] += t[c] * s->volume[c];
        volume[of] += s->volume[c];
    }
    for (size_t k = 0; k < s->field.n; k++) mean_ms[k] = volume[k] > 0 ? mean_ms[k] / volume[k] : 0;
}

/* ---- smoothing ---- */

/* The smoothing of a field; arrays [n]. */
typedef struct smoothing {
    const mt_stars *stars;
    double *rate; /* duration of a pass / capacity during the smoothing */
    double *now;  /* the last stage; finally the result */
    double *last; /* the stage before, replaced by the next one */
} smoothing;

/* Sets delta_c of an element. */
static void differences(const mt_stars *s, const double *x, size_t c, double delta[4])
{
    for (size_t f = 0; f < 4; f++) delta[f] = x[mt_adjacency_or_own(s->adjacency->neighbour, c, f)] - x[c];
}

/* Returns the one-sided flux of an element through a face: row `face` of K_c delta_c. */
static double flux(const mt_stars *s, size_t c, size_t face, const double delta[4])
{
    const double *k = s->star + 16 * c + 4 * face;
    return k[0] * delta[0] + k[1] * delta[1] + k[2] * delta[2] + k[3] * delta[3];
}

/* Returns the one-sided flux that the neighbour across a face has for this face. `w`: fluxes of the `n` elements from `first` on; those of
 * other elements are recomputed. */
static double flux_back(const smoothing *r, size_t c, size_t face, size_t first, size_t n, const double *w)
{
    const mt_stars *s = r->stars;
    const size_t neighbour = mt_adjacency_or_own(s->adjacency->neighbour, c, face),
                 back = s->back[4 * c + face];
    if (neighbour - first < n) return w[4 * (neighbour - first) + back];
    double delta[4];
    differences(s, r->now, neighbour, delta);
    return flux(s, neighbour, back, delta);
}

/* Computes stage j of a pass for the n <= BLOCK elements from `first` on: the fluxes of each element, then their sums. */
static void stage_of_block(const smoothing *r, int j, size_t first, size_t n)
{
    const double start = 2.0 / (STAGES * STAGES + STAGES), mu = (2.0 * j - 1) / j, nu = (1.0 - j) / j;
    double w[4 * BLOCK], delta[4];
    for (size_t k = 0; k < n; k++) {
        differences(r->stars, r->now, first + k, delta);
        for (size_t f = 0; f < 4; f++) w[4 * k + f] = flux(r->stars, first + k, f, delta);
    }
    for (size_t k = 0; k < n; k++) {
        const size_t c = first + k;
        double sum = 0;
        for (size_t f = 0; f < 4; f++) sum += w[4 * k + f] - flux_back(r, c, f, first, n, w);
        const double m = sum / 2;
        r->last[c] = j == 1 ? r->now[c] + start * r->rate[c] * m
                            : mu * r->now[c] + nu * r->last[c] + mu * start * r->rate[c] * m;
    }
}

/* Advances the diffusion equation by one step of the first-order Runge-Kutta-Legendre scheme (C. D. Meyer, D. S.
 * Balsara, T. D. Aslam, J. Comput. Phys. 257, 2014), which is stable for decays of up to (S^2 + S) / 2 per pass. */
static void pass(smoothing *r)
{
    const size_t n = r->stars->n;
    for (int j = 1; j <= STAGES; j++) {
#pragma omp parallel for schedule(static) if (n >= MT_STARS_PARALLEL_FROM)
        for (size_t first = 0; first < n; first += BLOCK)
            stage_of_block(r, j, first, n - first < BLOCK ? n - first : BLOCK);
        double *const next = r->last;
        r->last = r->now;
        r->now = next;
    }
}

/* Diffuses t for a time per tissue [n_tissues]. The capacity of elements that would decay too fast for the scheme
 * is raised meanwhile. */
static mt_status smooth(mt_stars *s, const double *time_ms, double *t)
{
    const double most = (STAGES * STAGES + STAGES) / 2.0;
    double largest = 0;
    smoothing r = {.stars = s, .now = t, .last = s->z};
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, r.rate, s->n);
    mt_stars_bound(s); /* in z, until the rates are known */
    for (size_t c = 0; c < s->n; c++) largest = fmax(largest, t[c]);
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        const double duration = time_ms[s->field.of ? s->field.of[c] : 0] / PASSES,
                     least = mt_stars_load(s, c) * duration / most;
        r.rate[c] = duration / fmax(s->volume[c], least);
    }
    for (int k = 0; k < PASSES; k++) {
        MT_TRY(mt_watch_report(s->watch, making_it_smooth, (double)k / PASSES));
        pass(&r);
    }
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) t[c] = fmin(fmax(t[c], 0), largest);
    return MT_OK;
}

/* ---- stiff elements ---- */

/* Returns -V_c a_cc, from the element's own star and those of its neighbours. */
static double diagonal_of(const mt_stars *s, size_t c)
{
    double sum = 0;
    for (size_t k = 0; k < 16; k++) sum += s->star[16 * c + k];
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = s->adjacency->neighbour[4 * c + f];
        if (n != MT_NO_ELEMENT) sum += s->star[16 * (size_t)n + 5 * (size_t)s->back[4 * c + f]];
    }
    return sum / 2;
}

static const mt_spreading_law *law_of(const mt_stars *s, const mt_spreading *by, size_t c)
{
    return &by->law[by->of ? by->of[s->order->element[c]] : 0];
}

/* Limits kappa in elements with a law that asks for it, and raises V_c in the others. Stores the limits, infinite for the others, in
 * limit[n]. Returns the number of raised elements. */
static size_t bound(mt_stars *s, const mt_spreading *by, double *kappa, double *limit, float *slowed)
{
    size_t n_slowed = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_slowed) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        const mt_spreading_law *law = law_of(s, by, c);
        const double load = diagonal_of(s, c), least = 2 * load * (kappa[c] - law->reaction_ms),
                     times = least / s->volume[c];
        slowed[c] = 1;
        limit[c] = INFINITY;
        if (law->limits_kappa) {
            const double own_ms = s->volume[c] / load;
            limit[c] = fmin(own_ms, law->reaction_ms + own_ms / 2);
            kappa[c] = fmin(kappa[c], limit[c]);
            continue;
        }
        if (!(times > 1)) continue;
        slowed[c] = (float)times;
        s->volume[c] *= (double)slowed[c];
        n_slowed++;
    }
    return n_slowed;
}

/* Averages limited kappa over each element and its neighbours, AVERAGES times, and limits it again: where kappa differs between neighbours
 * a uniform reaction moves charge. */
static mt_status even_out(const mt_stars *s, const mt_spreading *by, const double *limit, double *kappa)
{
    enum { AVERAGES = 2 };
    MT_SCRATCH(scratch);
    double *from;
    bool limits = false;
    for (size_t k = 0; k < by->n; k++) limits |= by->law[k].limits_kappa;
    if (!limits) return MT_OK;
    MT_ALLOC(scratch, from, s->n);
    for (int k = 0; k < AVERAGES; k++) {
        memcpy(from, kappa, s->n * sizeof *from);
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
        for (size_t c = 0; c < s->n; c++) {
            double sum = from[c];
            if (isinf(limit[c])) continue;
            for (size_t f = 0; f < 4; f++) sum += from[mt_adjacency_or_own(s->adjacency->neighbour, c, f)];
            kappa[c] = fmin(sum / 5, limit[c]);
        }
    }
    return MT_OK;
}

/* Computes kappa from t, in place. */
static void from_times(const mt_stars *s, const double *beta, double *kappa)
{
    const double front_ms = s->scheme->front_ms;
    for (size_t c = 0; c < s->n; c++)
        if (kappa[c] > 0) kappa[c] *= beta[c] * kappa[c] / (kappa[c] + front_ms);
}

/* Computes the smoothed beta of all elements; time_ms: [n_tissues] duration of the smoothing. */
static mt_status find_strengths(mt_stars *s, const mt_spreading *by, const double *time_ms, double *beta)
{
    bool same = true;
    for (size_t k = 1; k < by->n; k++) same &= by->law[k].beta == by->law[0].beta;
    for (size_t c = 0; c < s->n; c++) beta[c] = law_of(s, by, c)->beta;
    return same ? MT_OK : smooth(s, time_ms, beta);
}

/* Computes the smoothed t and beta, and kappa from them. */
static mt_status find_kappa(mt_stars *s, const mt_spreading *by, double *kappa)
{
    MT_SCRATCH(scratch);
    double *time_ms, *volume, *beta;
    if (s->n == 0) return MT_OK;
    MT_ALLOC(scratch, time_ms, s->field.n);
    MT_ALLOC(scratch, volume, s->field.n);
    by_size(s, kappa, time_ms, volume);
    for (size_t k = 0; k < s->field.n; k++) time_ms[k] *= SMOOTHED;
    MT_TRY(smooth(s, time_ms, kappa));
    MT_ALLOC(scratch, beta, s->n);
    MT_TRY(find_strengths(s, by, time_ms, beta));
    from_times(s, beta, kappa);
    return MT_OK;
}

mt_spreading_law mt_spreading_law_of(const mt_diffusion_scheme *scheme)
{
    return (mt_spreading_law){.beta = scheme->spreading, .reaction_ms = MT_SPREADING_REACTION_MS};
}

mt_status mt_spreading_make(
    mt_stars *s, const mt_spreading *by, double *kappa_ms, float *slowed, size_t *n_slowed)
{
    const mt_spreading_law of_scheme = mt_spreading_law_of(s->scheme);
    const mt_spreading one = {.n = 1, .law = &of_scheme};
    MT_SCRATCH(scratch);
    double *limit;
    if (!by) by = &one;
    MT_TRY(find_kappa(s, by, kappa_ms));
    MT_ALLOC(scratch, limit, s->n);
    *n_slowed = bound(s, by, kappa_ms, limit, slowed);
    MT_TRY(even_out(s, by, limit, kappa_ms));
    mt_stars_update_volumes(s);
    return MT_OK;
}
