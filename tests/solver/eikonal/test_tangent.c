#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "solver/eikonal/tangent.h"
#include "tests/random.h"

/* Derivatives of eikonal times against central differences of solutions, and against laws. */

#define ok(call) cr_assert_eq((call), MT_OK, "%s", mt_message())

/* Random axes and velocities in each element, so that some elements are obtuse in their metric; two groups of elements with a factor of all
 * velocities, by the side of the middle. */
typedef struct setting {
    mt_arena arena;
    mt_mesh mesh;
    mt_eikonal eikonal;
    double (*square)[6]; /* without factors */
    double factor_log[2];
    bool uniform;
} setting;

enum { FIRST, SECOND, START, PARAMETERS };

static size_t group_of(const setting *s, size_t element)
{
    double x[3];
    mt_mesh_centroid(&s->mesh, element, x);
    return x[0] > 2 ? SECOND : FIRST;
}

static bool velocity_of(const void *context, size_t element, double squared[3][3])
{
    const setting *s = context;
    uint64_t seed = s->uniform ? 1 : 7919 * element + 5;
    const double along = between(&seed, 0.5, 1), across = s->uniform ? along : between(&seed, 0.2, 0.5);
    double f[3] = {between(&seed, -1, 1), between(&seed, -1, 1), between(&seed, -1, 1)};
    (void)mt_normalise3(f);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            squared[i][k] = (i == k ? across * across : 0) + (along * along - across * across) * f[i] * f[k];
    return true;
}

static void begin(setting *s, bool uniform)
{
    *s = (setting){.uniform = uniform};
    ok(mt_slab_make(&s->arena, (double[]){4, 2, 2}, 0.5, &s->mesh));
    const mt_eikonal_problem problem = {.mesh = &s->mesh, .velocity = velocity_of, .context = s};
    ok(mt_eikonal_make(&s->arena, &problem, &s->eikonal));
    s->square = mt_arena_alloc(&s->arena, s->eikonal.n_elements, sizeof *s->square);
    for (size_t c = 0; c < s->eikonal.n_elements; c++)
        memcpy(s->square[c], s->eikonal.element[c].square, sizeof *s->square);
}

static void slopes_of(const void *context, size_t element, mt_eikonal_slopes *slopes)
{
    const setting *s = context;
    slopes->n = 1;
    slopes->parameter[0] = (uint32_t)group_of(s, element);
    for (int e = 0; e < 6; e++) slopes->square[0][e] = -2 * s->eikonal.element[element].square[e];
}

/* Solves with two sources, at the first and the last vertex; the second starts at start_ms. */
static void solve(setting *s, double start_ms, double *time_ms, mt_eikonal_source source[2])
{
    mt_eikonal_report report;
    for (size_t c = 0; c < s->eikonal.n_elements; c++)
        for (int e = 0; e < 6; e++)
            s->eikonal.element[c].square[e] = s->square[c][e] * exp(-2 * s->factor_log[group_of(s, c)]);
    mt_eikonal_changed(&s->eikonal);
    source[0] = (mt_eikonal_source){0, 0};
    source[1] = (mt_eikonal_source){(uint32_t)s->mesh.n_vertices - 1, start_ms};
    ok(mt_eikonal_solve(&s->eikonal, 2, source, 1e-13, time_ms, &report));
}

static double *differentiate(setting *s, double *time_ms)
{
    static const double slopes[2][PARAMETERS] = {{0}, {[START] = 1}};
    mt_eikonal_source source[2];
    double *slope = mt_arena_alloc(&s->arena, s->mesh.n_vertices * PARAMETERS, sizeof *slope);
    solve(s, 1, time_ms, source);
    const mt_eikonal_tangent tangent = {PARAMETERS, slopes_of, s, 2, source, slopes[0]};
    ok(mt_eikonal_differentiate(&s->eikonal, &tangent, time_ms, slope));
    return slope;
}

/* Central differences agree to 1e-6 relative to the largest derivative, except at points where both arrivals are equal to within the step:
 * 1e-5 of 4 ms, of which there are few. */
Test(tangent, derivatives_agree_with_differences_of_solutions)
{
    const double h = 1e-5;
    setting s;
    begin(&s, false);
    const size_t n = s.mesh.n_vertices;
    double *time_ms = mt_arena_alloc(&s.arena, n, sizeof *time_ms), *low_ms = mt_arena_alloc(&s.arena, n, 8),
           *high_ms = mt_arena_alloc(&s.arena, n, 8), *slope = differentiate(&s, time_ms);
    for (size_t p = 0; p < PARAMETERS; p++) {
        mt_eikonal_source source[2];
        size_t n_other = 0, n_changed = 0;
        for (int side = -1; side < 2; side += 2) {
            if (p < START) s.factor_log[p] = side * h;
            solve(&s, p == START ? 1 + side * h : 1, side < 0 ? low_ms : high_ms, source);
        }
        if (p < START) s.factor_log[p] = 0;
        for (size_t v = 0; v < n; v++) {
            const double difference = (high_ms[v] - low_ms[v]) / (2 * h);
            n_changed += fabs(difference) > 0.1;
            n_other += fabs(difference - slope[PARAMETERS * v + p]) > 1e-6 * fmax(1, fabs(difference));
        }
        cr_expect_gt(n_changed, n / 10, "parameter %zu: %zu of %zu", p, n_changed, n);
        cr_expect_leq(n_other, n / 200, "parameter %zu: %zu of %zu differ", p, n_other, n);
    }
    mt_arena_free(&s.arena);
}

/* A common factor of all velocities divides the times from one source at 0 ms, so that the derivatives of both groups add to -T. */
Test(tangent, a_common_factor_of_velocities_scales_all_times)
{
    setting s;
    begin(&s, false);
    const size_t n = s.mesh.n_vertices;
    double *time_ms = mt_arena_alloc(&s.arena, n, sizeof *time_ms);
    double *slope = differentiate(&s, time_ms);
    for (size_t v = 0; v < n; v++) {
        const double *of = slope + PARAMETERS * v;
        cr_assert_float_eq(of[FIRST] + of[SECOND], -time_ms[v] + of[START], 1e-9, "vertex %zu", v);
        cr_assert(of[START] >= 0 && of[START] < 1 + 1e-9, "vertex %zu: %g", v, of[START]);
    }
    mt_arena_free(&s.arena);
}

Test(tangent, any_number_of_threads_has_the_same_bits)
{
    setting s;
    begin(&s, false);
    const size_t n = s.mesh.n_vertices;
    double *time_ms = mt_arena_alloc(&s.arena, n, sizeof *time_ms);
    omp_set_num_threads(1);
    const double *one = differentiate(&s, time_ms);
    omp_set_num_threads(3);
    const double *three = differentiate(&s, time_ms);
    cr_expect_eq(memcmp(one, three, n * PARAMETERS * sizeof *one), 0);
    mt_arena_free(&s.arena);
}

/* A link adds its delay and passes the derivatives of its beginning on; points that are not reached have none. */
Test(tangent, links_pass_derivatives_on)
{
    setting s;
    begin(&s, true);
    const size_t n = s.mesh.n_vertices;
    const uint32_t last = (uint32_t)n - 1, extra = (uint32_t)n;
    const mt_eikonal_link link[] = {{last, extra, 0.5}};
    const mt_eikonal_problem problem = {&s.mesh, velocity_of, &s, 2, 1, link};
    const mt_eikonal_source source = {0, 0};
    const double slopes[] = {0, 0, 1};
    mt_eikonal_report report;
    double *time_ms = mt_arena_alloc(&s.arena, n + 2, sizeof *time_ms),
           *slope = mt_arena_alloc(&s.arena, PARAMETERS * (n + 2), sizeof *slope);
    ok(mt_eikonal_make(&s.arena, &problem, &s.eikonal));
    ok(mt_eikonal_solve(&s.eikonal, 1, &source, 1e-12, time_ms, &report));
    const mt_eikonal_tangent tangent = {PARAMETERS, slopes_of, &s, 1, &source, slopes};
    ok(mt_eikonal_differentiate(&s.eikonal, &tangent, time_ms, slope));
    for (size_t p = 0; p < PARAMETERS; p++) {
        cr_expect_eq(slope[PARAMETERS * extra + p], slope[PARAMETERS * last + p]);
        cr_expect_eq(slope[PARAMETERS * (extra + 1) + p], 0);
    }
    cr_expect_eq(slope[PARAMETERS * extra + START], 1);
    cr_expect_float_eq(
        slope[PARAMETERS * extra + FIRST] + slope[PARAMETERS * extra + SECOND], 0.5 - time_ms[extra], 1e-9);
    mt_arena_free(&s.arena);
}
