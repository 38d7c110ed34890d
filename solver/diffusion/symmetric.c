#include "solver/diffusion/symmetric.h"

enum { PARALLEL_FROM = 8192 };

/* The context of apply. */
typedef struct applied {
    const mt_symmetric *symmetric;
    size_t *times, most; /* number of applications so far, and at most */
} applied;

/* w = sym(K) d */
static void apply_form(const double k[10], const double d[4], double w[4])
{
    w[0] = k[0] * d[0] + k[1] * d[1] + k[2] * d[2] + k[3] * d[3];
    w[1] = k[1] * d[0] + k[4] * d[1] + k[5] * d[2] + k[6] * d[3];
    w[2] = k[2] * d[0] + k[5] * d[1] + k[7] * d[2] + k[8] * d[3];
    w[3] = k[3] * d[0] + k[6] * d[1] + k[8] * d[2] + k[9] * d[3];
}

/* Computes sym(K) delta of an element for values z. */
static void fluxes(const mt_symmetric *s, size_t c, const double *z, double delta[4], double w[4])
{
    for (size_t f = 0; f < 4; f++) delta[f] = z[mt_adjacency_or_own(s->neighbour, c, f)] - z[c];
    apply_form(s->form + 10 * c, delta, w);
}

double mt_symmetric_energy(const mt_symmetric *s, size_t c, const double *z)
{
    double delta[4], w[4];
    fluxes(s, c, z, delta, w);
    return delta[0] * w[0] + delta[1] * w[1] + delta[2] * w[2] + delta[3] * w[3];
}

/* Computes y = S x = V^-1/2 (M + M')/2 V^-1/2 x: first z, in the memory of y, then sym(K_c) delta_c for every
 * element, then the sum of each element's fluxes. */
static bool apply(const void *context, const double *x, double *y)
{
    const applied *a = context;
    const mt_symmetric *s = a->symmetric;
    const double share = (double)(*a->times)++ / (double)a->most;
    if (!mt_watch_continues(s->watch, "measuring the largest stable substep", share)) return false;
#pragma omp parallel if (s->n >= PARALLEL_FROM)
    {
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->n; c++) y[c] = s->root[c] * x[c];
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->n; c++) {
            double delta[4];
            fluxes(s, c, y, delta, s->w + 4 * c);
        }
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->n; c++) {
            double sum = 0;
            for (size_t f = 0; f < 4; f++)
                sum +=
                    s->w[4 * c + f] - s->w[4 * mt_adjacency_or_own(s->neighbour, c, f) + s->back[4 * c + f]];
            y[c] = s->root[c] * sum / 2;
        }
    }
    return true;
}

static mt_spectrum_map map_of(const applied *a)
{
    return (mt_spectrum_map){a->symmetric->n, apply, a, a->symmetric->null_root, a->symmetric->number};
}

mt_status mt_symmetric_ends(
    mt_arena *arena, const mt_symmetric *s, const mt_spectrum_goal *goal, mt_spectrum *ends)
{
    size_t times = 0;
    const applied a = {s, &times, goal->max_steps};
    const mt_spectrum_map map = map_of(&a);
    return mt_spectrum_run(arena, &map, goal, ends);
}

mt_status mt_symmetric_vectors(mt_arena *arena, const mt_symmetric *s, const mt_spectrum *ends, double above,
    size_t max_vectors, size_t *count, double **values, double **vectors)
{
    size_t times = 0;
    const applied a = {s, &times, ends->steps};
    const mt_spectrum_map map = map_of(&a);
    return mt_spectrum_vectors(arena, &map, ends, above, max_vectors, count, values, vectors);
}
