#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "mesh/make/refine.h"
#include "mesh/make/slab.h"
#include "solver/eikonal/eikonal.h"
#include "solver/eikonal/local_solve.h"
#include "tests/random.h"

/* Activation times by the eikonal equation against exact solutions (plane waves, point sources, head waves, several sources), a slow
 * oracle, and hand calculations of links. */

#define ok(call) cr_assert_eq((call), MT_OK, "%s", mt_message())

/* ---- media ---- */

/* Velocities along three axes, which are rotated by angles about z and then x; different ones above a height. Elements with their centre
 * in a layer along x do not conduct. */
typedef struct medium {
    const mt_mesh *mesh;
    double velocity[3], above[3], height_mm;
    double turn, tilt;
    double gap_mm[2];
    uint64_t random; /* seed: each element has its own axes and velocities; 0: no */
} medium;

static void tensor_of(const double velocity[3], double turn, double tilt, double c[3][3])
{
    const double axes[3][3] = {{cos(turn), sin(turn) * cos(tilt), sin(turn) * sin(tilt)},
        {-sin(turn), cos(turn) * cos(tilt), cos(turn) * sin(tilt)}, {0, -sin(tilt), cos(tilt)}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            c[i][k] = 0;
            for (size_t a = 0; a < 3; a++) c[i][k] += velocity[a] * velocity[a] * axes[a][i] * axes[a][k];
        }
}

static bool velocity_of(const void *context, size_t element, double squared[3][3])
{
    const medium *m = context;
    double x[3];
    mt_mesh_centroid(m->mesh, element, x);
    if (x[0] > m->gap_mm[0] && x[0] < m->gap_mm[1]) return false;
    if (m->random) {
        uint64_t seed = m->random + element;
        const double v[3] = {between(&seed, 0.2, 2), between(&seed, 0.2, 2), between(&seed, 0.2, 2)};
        const double turn = between(&seed, 0, 3);
        tensor_of(v, turn, between(&seed, 0, 3), squared);
        return true;
    }
    tensor_of(m->height_mm > 0 && x[2] > m->height_mm ? m->above : m->velocity, m->turn, m->tilt, squared);
    return true;
}

/* Rotated fibres with velocities 1 : 3 : 2. */
static const medium rotated = {.velocity = {0.6, 0.2, 0.4}, .turn = 0.7, .tilt = 0.5};
static const medium isotropic = {.velocity = {0.5, 0.5, 0.5}};

/* Returns d' C^-1 d of a medium. */
static double square_in(const medium *m, const double d[3])
{
    double square = 0, unit[3][3];
    for (size_t a = 0; a < 3; a++) {
        const double one[3] = {a == 0, a == 1, a == 2};
        tensor_of(one, m->turn, m->tilt, unit); /* e_a e_a' */
        for (size_t i = 0; i < 3; i++)
            square += d[i] * mt_dot3(unit[i], d) / (m->velocity[a] * m->velocity[a]);
    }
    return square;
}

/* ---- a solved mesh ---- */

typedef struct solved {
    mt_arena arena;
    mt_mesh mesh;
    medium of;
    mt_eikonal eikonal;
    double *time_ms;
    mt_eikonal_report report;
} solved;

static void prepare_with(
    solved *s, const medium *m, size_t n_extra, size_t n_links, const mt_eikonal_link *link)
{
    s->of = *m;
    s->of.mesh = &s->mesh;
    const mt_eikonal_problem problem = {&s->mesh, velocity_of, &s->of, n_extra, n_links, link};
    ok(mt_eikonal_make(&s->arena, &problem, &s->eikonal));
    s->time_ms = mt_arena_alloc(&s->arena, s->eikonal.n_points, sizeof *s->time_ms);
}

static void prepare(solved *s, const medium *m) { prepare_with(s, m, 0, 0, NULL); }

/* Builds a box of mirrored cubes. */
static void prepare_box(solved *s, const double size_mm[3], double edge_mm, const medium *m)
{
    *s = (solved){0};
    ok(mt_slab_make(&s->arena, size_mm, edge_mm, &s->mesh));
    prepare(s, m);
}

static void solve(solved *s, size_t n, const mt_eikonal_source *source)
{
    ok(mt_eikonal_solve(&s->eikonal, n, source, MT_EIKONAL_TOLERANCE_MS, s->time_ms, &s->report));
}

static const double *place(const solved *s, size_t vertex) { return &s->mesh.xyz_mm[3 * vertex]; }

static uint32_t vertex_at(const solved *s, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    size_t nearest = 0;
    for (size_t v = 1; v < s->mesh.n_vertices; v++)
        if (mt_square3(place(s, v), at) < mt_square3(place(s, nearest), at)) nearest = v;
    return (uint32_t)nearest;
}

/* ---- the local problem ---- */

/* Returns the least of f(l) over [0, 1] for a convex function, by ternary search. */
static double least_on_line(double (*f)(void *of, double l), void *of)
{
    double low = 0, high = 1;
    for (int k = 0; k < 60; k++) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (f(of, a) < f(of, b))
            high = b;
        else
            low = a;
    }
    return fmin(f(of, (low + high) / 2), fmin(f(of, 0), f(of, 1)));
}

/* A face in the Euclidean metric, with v at 0. */
typedef struct face {
    double x[3][3], t[3], first; /* weight of corner 0 */
} face;

static double through(void *of, double second)
{
    const face *f = of;
    const double l[3] = {f->first, second * (1 - f->first), (1 - second) * (1 - f->first)};
    double p[3] = {0, 0, 0}, t = 0;
    for (size_t i = 0; i < 3; i++) {
        t += l[i] * f->t[i];
        for (size_t k = 0; k < 3; k++) p[k] += l[i] * f->x[i][k];
    }
    return t + mt_length3(p);
}

static double best_of_second(void *of, double first)
{
    face *f = of;
    f->first = first;
    return least_on_line(through, f);
}

static mt_local local_of(const face *f)
{
    static const double v[3] = {0, 0, 0};
    return (mt_local){mt_square3(f->x[0], v), mt_square3(f->x[1], v), mt_square3(f->x[2], v),
        mt_square3(f->x[0], f->x[1]), mt_square3(f->x[0], f->x[2]), mt_square3(f->x[1], f->x[2])};
}

Test(eikonal, the_arrival_at_a_vertex_is_the_minimum_over_its_face)
{
    uint64_t seed = 1;
    for (int k = 0; k < 600; k++) {
        face f;
        /* stretched by up to 30 along an axis: obtuse and flat elements of strong anisotropy */
        const double stretch = exp(between(&seed, 0, log(30)));
        for (size_t i = 0; i < 3; i++) {
            for (size_t a = 0; a < 3; a++) f.x[i][a] = between(&seed, -1, 1) * (a == 0 ? stretch : 1);
            f.t[i] = between(&seed, 0, 1) * (k % 3 + 0.1) * stretch;
        }
        const mt_local local = local_of(&f);
        const double found = mt_local_face(&local, f.t, NULL), expected = least_on_line(best_of_second, &f);
        cr_assert_float_eq(
            found, expected, 1e-7 * (1 + expected), "face %d: %.12g, not %.12g", k, found, expected);
    }
}

Test(eikonal, corners_that_were_not_reached_do_not_count)
{
    const face f = {.x = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const mt_local local = local_of(&f);
    cr_expect_float_eq(mt_local_face(&local, (double[]){0, 0, 0}, NULL), 1 / sqrt(3), 1e-15);
    cr_expect_float_eq(mt_local_face(&local, (double[]){0, INFINITY, 0}, NULL), sqrt(0.5), 1e-15);
    cr_expect_float_eq(mt_local_face(&local, (double[]){INFINITY, 0, 0}, NULL), sqrt(0.5), 1e-15);
    cr_expect_float_eq(mt_local_face(&local, (double[]){INFINITY, INFINITY, 2}, NULL), 3, 1e-15);
    cr_expect(isinf(mt_local_face(&local, (double[]){INFINITY, INFINITY, INFINITY}, NULL)));
}

/* ---- exact solutions ---- */

/* A plane wave enters through the faces x = 0, y = 0 and z = 0. Its slowness p satisfies p' C p = 1. */
Test(eikonal, plane_waves_are_exact_to_rounding)
{
    static const double directions[][3] = {{1, 1, 1}, {3, 1, 2}, {1, 4, 1}, {1, 1, 5}};
    for (size_t d = 0; d < 4; d++) {
        solved s;
        double c[3][3], p[3], worst = 0;
        prepare_box(&s, (double[]){3, 2, 2}, 0.25, &rotated);
        mt_eikonal_source *source = malloc(s.mesh.n_vertices * sizeof *source);
        size_t n = 0;
        tensor_of(rotated.velocity, rotated.turn, rotated.tilt, c);
        /* the ray has the direction C p = g / |g|, so p = C^-1 g / |g|: by squares, (g + e)^2 - (g - e)^2 = 4 g . e */
        const double *g = directions[d], length = sqrt(square_in(&rotated, g));
        for (size_t k = 0; k < 3; k++) {
            double more[3] = {g[0], g[1], g[2]}, less[3] = {g[0], g[1], g[2]};
            more[k] += 1, less[k] -= 1;
            p[k] = (square_in(&rotated, more) - square_in(&rotated, less)) / 4 / length;
        }
        cr_assert_float_eq(
            mt_dot3(p, (double[]){mt_dot3(c[0], p), mt_dot3(c[1], p), mt_dot3(c[2], p)}), 1, 1e-12);
        for (size_t v = 0; v < s.mesh.n_vertices; v++)
            if (fmin(place(&s, v)[0], fmin(place(&s, v)[1], place(&s, v)[2])) == 0)
                source[n++] = (mt_eikonal_source){(uint32_t)v, mt_dot3(p, place(&s, v))};
        solve(&s, n, source);
        for (size_t v = 0; v < s.mesh.n_vertices; v++)
            worst = fmax(worst, fabs(s.time_ms[v] - mt_dot3(p, place(&s, v))));
        cr_expect_lt(worst, 1e-8, "direction %zu: %g ms", d, worst);
        free(source);
        mt_arena_free(&s.arena);
    }
}

/* Solves from a point with exact times in a ball. Returns the errors: the largest, and the most negative. */
static double error_of_point(solved *s, const double at[3], double ball_mm, double *early)
{
    mt_eikonal_source *source = malloc(s->mesh.n_vertices * sizeof *source);
    size_t n = 0;
    double worst = 0;
    for (size_t v = 0; v < s->mesh.n_vertices; v++) {
        double d[3];
        mt_minus3(place(s, v), at, d);
        if (mt_length3(d) <= ball_mm)
            source[n++] = (mt_eikonal_source){(uint32_t)v, sqrt(square_in(&s->of, d))};
    }
    solve(s, n, source);
    *early = 0;
    for (size_t v = 0; v < s->mesh.n_vertices; v++) {
        double d[3];
        mt_minus3(place(s, v), at, d);
        const double error = s->time_ms[v] - sqrt(square_in(&s->of, d));
        worst = fmax(worst, error), *early = fmin(*early, error);
    }
    free(source);
    return worst;
}

/* With exact times in a ball of fixed size the error is proportional to the element size, and times are late: linear times on a face are
 * above the convex exact ones. */
Test(eikonal, a_point_source_converges_with_first_order_from_above)
{
    double error[3], early;
    for (size_t k = 0; k < 3; k++) {
        solved s;
        prepare_box(&s, (double[]){6, 6, 6}, 1 / (double)(1 << k), &rotated);
        error[k] = error_of_point(&s, (double[]){2, 3, 3}, 1.5, &early);
        cr_expect_gt(early, -1e-9, "%g ms too early", -early);
        mt_arena_free(&s.arena);
    }
    cr_expect(error[0] / error[1] > 1.6 && error[0] / error[1] < 2.6, "%g, %g ms", error[0], error[1]);
    cr_expect(error[1] / error[2] > 1.6 && error[1] / error[2] < 2.6, "%g, %g ms", error[1], error[2]);
    cr_expect_lt(error[2], 0.06 * 5 / 0.2, "%g ms", error[2]);
}

Test(eikonal, refinement_reduces_the_error_and_renumbering_has_no_effect)
{
    solved coarse = {0}, fine = {0}, finest = {0}, renumbered = {0};
    double early;
    const double at[3] = {2, 2, 2};
    prepare_box(&coarse, (double[]){4, 4, 4}, 0.5, &rotated);
    ok(mt_refine(&fine.arena, &coarse.mesh, &fine.mesh));
    prepare(&fine, &rotated);
    ok(mt_refine(&finest.arena, &fine.mesh, &finest.mesh));
    prepare(&finest, &rotated);
    const double error[3] = {error_of_point(&coarse, at, 1, &early), error_of_point(&fine, at, 1, &early),
        error_of_point(&finest, at, 1, &early)};
    /* the first refinement also changes the shapes of the elements */
    cr_expect(error[1] < error[0] && error[1] / error[2] > 1.6 && error[1] / error[2] < 2.6, "%g, %g, %g ms",
        error[0], error[1], error[2]);

    /* vertices and elements in the reverse order, and other first vertices of elements */
    const size_t n = coarse.mesh.n_vertices, n_elements = coarse.mesh.n_elements;
    ok(mt_mesh_new(&renumbered.arena, n, n_elements, &renumbered.mesh));
    for (size_t v = 0; v < n; v++)
        memcpy(&renumbered.mesh.xyz_mm[3 * (n - 1 - v)], place(&coarse, v), 3 * sizeof(double));
    for (size_t c = 0; c < n_elements; c++)
        for (size_t k = 0; k < 4; k++)
            renumbered.mesh.element_vertex[4 * (n_elements - 1 - c) + (k + c) % 4] =
                (uint32_t)(n - 1 - coarse.mesh.element_vertex[4 * c + k]);
    prepare(&renumbered, &rotated);
    (void)error_of_point(&renumbered, at, 1, &early);
    for (size_t v = 0; v < n; v++)
        cr_assert_float_eq(renumbered.time_ms[n - 1 - v], coarse.time_ms[v], 1e-7, "vertex %zu", v);
    mt_arena_free(&coarse.arena), mt_arena_free(&fine.arena);
    mt_arena_free(&finest.arena), mt_arena_free(&renumbered.arena);
}

/* A line source below a fast layer: from some distance on, the wave through the layer is first (head wave), by Fermat's principle
 * T = x / v2 + 2 H sqrt(1 / v1^2 - 1 / v2^2) on the line of the source. */
static double head_wave_error(double edge_mm)
{
    const double slow = 0.3, fast = 0.9, height = 1, source_mm = 0.5;
    const medium layers = {.velocity = {slow, slow, slow}, .above = {fast, fast, fast}, .height_mm = height};
    solved s;
    prepare_box(&s, (double[]){8, 0.5, 2}, edge_mm, &layers);
    mt_eikonal_source *source = malloc(s.mesh.n_vertices * sizeof *source);
    size_t n = 0, n_head = 0;
    double worst = 0;
    for (size_t v = 0; v < s.mesh.n_vertices; v++) {
        const double r = hypot(place(&s, v)[0], place(&s, v)[2]);
        if (r <= source_mm) source[n++] = (mt_eikonal_source){(uint32_t)v, r / slow};
    }
    solve(&s, n, source);
    for (size_t v = 0; v < s.mesh.n_vertices; v++) {
        const double x = place(&s, v)[0];
        if (place(&s, v)[2] != 0 || x <= source_mm) continue;
        const double head = x / fast + 2 * height * sqrt(1 / (slow * slow) - 1 / (fast * fast));
        n_head += head < x / slow;
        worst = fmax(worst, fabs(s.time_ms[v] - fmin(head, x / slow)));
    }
    cr_expect_gt(n_head, s.mesh.n_vertices / 100);
    free(source);
    mt_arena_free(&s.arena);
    return worst;
}

Test(eikonal, a_head_wave_overtakes_along_a_fast_layer)
{
    const double coarse = head_wave_error(0.25), fine = head_wave_error(0.125);
    cr_expect_lt(coarse, 0.6, "%g ms", coarse); /* of 14 ms; without the layer 26 ms */
    cr_expect(coarse / fine > 1.4 && coarse / fine < 2.6, "%g, %g ms", coarse, fine);
}

/* Away from the border between two sources, their times are those of each alone; the later source starts with its own time. */
Test(eikonal, several_sources_divide_the_tissue_as_a_voronoi_diagram)
{
    solved s;
    prepare_box(&s, (double[]){6, 2, 2}, 0.25, &isotropic);
    const uint32_t left = vertex_at(&s, 0, 1, 1), right = vertex_at(&s, 6, 1, 1);
    /* the last one is later than the first at the same vertex */
    const mt_eikonal_source both[] = {{left, 0}, {right, 3}, {left, 5}};
    double *alone[2];
    size_t n_of[2] = {0, 0};
    for (size_t k = 0; k < 2; k++) {
        solve(&s, 1, &both[k]);
        alone[k] = mt_arena_copy(&s.arena, s.time_ms, s.mesh.n_vertices, sizeof(double));
    }
    solve(&s, 3, both);
    for (size_t v = 0; v < s.mesh.n_vertices; v++) {
        const size_t first = alone[1][v] < alone[0][v];
        cr_assert_leq(s.time_ms[v], fmin(alone[0][v], alone[1][v]) + 1e-9);
        if (fabs(alone[0][v] - alone[1][v]) < 2 * 0.25 * 2 / 0.5) continue;
        n_of[first]++;
        cr_assert_float_eq(s.time_ms[v], alone[first][v], 1e-8, "vertex %zu", v);
    }
    /* the border is at x / v = 3 + (6 - x) / v, x = 3.75 */
    cr_expect(n_of[0] > n_of[1] && n_of[1] > 100, "%zu, %zu", n_of[0], n_of[1]);
    cr_expect_lt(s.time_ms[vertex_at(&s, 3.5, 1, 1)], 7.6);
    cr_expect_lt(s.time_ms[vertex_at(&s, 4, 1, 1)], 7.6);
    mt_arena_free(&s.arena);
}

Test(eikonal, tissue_without_a_path_from_a_source_is_not_reached)
{
    solved s;
    medium gap = isotropic;
    gap.gap_mm[0] = 1.5, gap.gap_mm[1] = 2.5;
    prepare_box(&s, (double[]){4, 1, 1}, 0.5, &gap);
    solve(&s, 1, &(mt_eikonal_source){vertex_at(&s, 0, 0, 0), 0});
    for (size_t v = 0; v < s.mesh.n_vertices; v++)
        cr_assert_eq(isfinite(s.time_ms[v]), place(&s, v)[0] < 1.6, "x %g mm", place(&s, v)[0]);
    solve(&s, 0, NULL);
    for (size_t v = 0; v < s.mesh.n_vertices; v++) cr_assert(isinf(s.time_ms[v]));
    mt_arena_free(&s.arena);
}

/* ---- links ---- */

/* A chain of three points from one end of a bar to the other, with delays by hand: tissue -> point 3 ms, two pieces of 1 and 0.5 ms,
 * point -> tissue 2 ms; only in this direction. */
Test(eikonal, links_carry_activation_with_their_delays_in_their_direction)
{
    solved s = {0};
    ok(mt_slab_make(&s.arena, (double[]){10, 0.5, 0.5}, 0.25, &s.mesh));
    const uint32_t n = (uint32_t)s.mesh.n_vertices, near = vertex_at(&s, 0, 0, 0),
                   far = vertex_at(&s, 10, 0, 0);
    const mt_eikonal_link link[] = {{near, n, 3}, {n, n + 1, 1}, {n + 1, n + 2, 0.5}, {n + 2, far, 2}};
    prepare_with(&s, &isotropic, 3, 4, link);
    solve(&s, 1, &(mt_eikonal_source){near, 10});
    cr_expect_float_eq(s.time_ms[n], 13, 1e-12);
    cr_expect_float_eq(s.time_ms[n + 1], 14, 1e-12);
    cr_expect_float_eq(s.time_ms[n + 2], 14.5, 1e-12);
    cr_expect_float_eq(s.time_ms[far], 16.5, 1e-12); /* 30 ms through the tissue */
    /* both wavefronts meet where 10 + x / v = 16.5 + (10 - x) / v: along the edge, where times are exact */
    cr_expect_float_eq(s.time_ms[vertex_at(&s, 9, 0, 0)], 18.5, 1e-9);
    cr_expect_float_eq(s.time_ms[vertex_at(&s, 3, 0, 0)], 16, 1e-9);
    /* from the other end only the tissue conducts, and then the chain */
    solve(&s, 1, &(mt_eikonal_source){far, 0});
    cr_expect_float_eq(s.time_ms[near], 20, 1e-9);
    cr_expect_float_eq(s.time_ms[n], 23, 1e-9);
    /* a source at a point of the chain */
    solve(&s, 1, &(mt_eikonal_source){n + 1, 1});
    cr_expect_float_eq(s.time_ms[far], 3.5, 1e-12);
    cr_expect_float_eq(s.time_ms[near], 23.5, 1e-9);
    mt_arena_free(&s.arena);
}

/* ---- the fixed point ---- */

/* Solves by brute force: sweeps over all elements, corners and links until nothing changes. */
static void relax(const solved *s, size_t n_links, const mt_eikonal_link *link, double *time_ms)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t c = 0; c < s->mesh.n_elements; c++)
            for (size_t k = 0; k < 4; k++) {
                const uint32_t *vertex = &s->mesh.element_vertex[4 * c];
                const size_t others[3] = {(k + 1) % 4, (k + 2) % 4, (k + 3) % 4};
                double squared[3][3], square[4][4], t[3];
                if (!velocity_of(&s->of, c, squared)) continue;
                /* the metric by Cramer's rule */
                const double(*q)[3] = squared;
                const double det = q[0][0] * (q[1][1] * q[2][2] - q[1][2] * q[2][1]) -
                                   q[0][1] * (q[1][0] * q[2][2] - q[1][2] * q[2][0]) +
                                   q[0][2] * (q[1][0] * q[2][1] - q[1][1] * q[2][0]);
                for (size_t i = 0; i < 4; i++)
                    for (size_t j = 0; j < 4; j++) {
                        double d[3], y[3];
                        mt_minus3(place(s, vertex[i]), place(s, vertex[j]), d);
                        for (size_t a = 0; a < 3; a++) { /* column a replaced by d */
                            double m[3][3];
                            memcpy(m, squared, sizeof m);
                            for (size_t r = 0; r < 3; r++) m[r][a] = d[r];
                            y[a] = (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) /
                                   det;
                        }
                        square[i][j] = mt_dot3(d, y);
                    }
                for (size_t i = 0; i < 3; i++) t[i] = time_ms[vertex[others[i]]];
                const mt_local local = {square[k][others[0]], square[k][others[1]], square[k][others[2]],
                    square[others[0]][others[1]], square[others[0]][others[2]], square[others[1]][others[2]]};
                const double arrival = mt_local_face(&local, t, NULL);
                if (!(arrival < time_ms[vertex[k]] - 1e-12)) continue;
                time_ms[vertex[k]] = arrival;
                changed = true;
            }
        for (size_t k = 0; k < n_links; k++)
            if (time_ms[link[k].from] + link[k].delay_ms < time_ms[link[k].to]) {
                time_ms[link[k].to] = time_ms[link[k].from] + link[k].delay_ms;
                changed = true;
            }
    }
}

/* Each element has its own velocities, from 0.2 to 2 mm/ms, along its own axes: rays bend and many elements are obtuse. */
Test(eikonal, times_are_those_of_relaxation_by_brute_force)
{
    for (uint64_t k = 1; k <= 4; k++) {
        solved s = {0};
        uint64_t seed = k;
        mt_eikonal_link link[12];
        ok(mt_slab_make(&s.arena, (double[]){3, 2, 1.5}, 0.5, &s.mesh));
        const size_t n = s.mesh.n_vertices + 3;
        for (size_t l = 0; l < 12; l++)
            link[l] = (mt_eikonal_link){(uint32_t)(l < 3 ? s.mesh.n_vertices + l : draw(&seed, n)),
                (uint32_t)draw(&seed, n), between(&seed, 0.01, 0.3)};
        prepare_with(&s, &(medium){.random = 1000 * k, .gap_mm = {1, 1.2}}, 3, 12, link);
        const mt_eikonal_source source[] = {{(uint32_t)draw(&seed, n), 0}, {(uint32_t)draw(&seed, n), 1}};
        double *expected = mt_arena_alloc(&s.arena, n, sizeof *expected);
        for (size_t v = 0; v < n; v++) expected[v] = INFINITY;
        for (size_t i = 0; i < 2; i++) expected[source[i].point] = source[i].time_ms;
        solve(&s, 2, source);
        relax(&s, 12, link, expected);
        for (size_t v = 0; v < n; v++)
            cr_assert(s.time_ms[v] == expected[v] || fabs(s.time_ms[v] - expected[v]) < 1e-7,
                "mesh %d: vertex %zu: %.12g, not %.12g", (int)k, v, s.time_ms[v], expected[v]);
        mt_arena_free(&s.arena);
    }
}

Test(eikonal, any_number_of_threads_has_the_same_bits)
{
    static const int threads[] = {5, 2, 1};
    double *first = NULL;
    solved s;
    prepare_box(&s, (double[]){6, 6, 6}, 0.25, &rotated);
    const mt_eikonal_source source = {vertex_at(&s, 3, 3, 3), 0};
    for (size_t k = 0; k < 3; k++) {
        omp_set_num_threads(threads[k]);
        solve(&s, 1, &source);
        if (!first) first = mt_arena_copy(&s.arena, s.time_ms, s.mesh.n_vertices, sizeof *first);
        cr_expect_eq(
            memcmp(first, s.time_ms, s.mesh.n_vertices * sizeof *first), 0, "%d threads", threads[k]);
    }
    mt_arena_free(&s.arena);
}

/* ---- errors ---- */

static bool bad_velocity(const void *context, size_t element, double squared[3][3])
{
    const double velocity[] = {1, 1, 1};
    tensor_of(velocity, 0, 0, squared);
    if (element == 7) squared[2][2] = *(const double *)context;
    return true;
}

static mt_status try_problem(const mt_eikonal_problem *problem, mt_eikonal_source source)
{
    MT_SCRATCH(arena);
    mt_eikonal eikonal;
    mt_eikonal_report report;
    double *time_ms;
    MT_TRY(mt_eikonal_make(arena, problem, &eikonal));
    MT_ALLOC(arena, time_ms, eikonal.n_points);
    return mt_eikonal_solve(&eikonal, 1, &source, MT_EIKONAL_TOLERANCE_MS, time_ms, &report);
}

Test(eikonal, invalid_tensors_links_and_sources_are_refused)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 0.5, &mesh));
    const uint32_t n = (uint32_t)mesh.n_vertices;
    const double values[] = {0, -1, NAN, INFINITY, 1};
    for (size_t k = 0; k < 5; k++) {
        const mt_eikonal_problem problem = {&mesh, bad_velocity, &values[k], 0, 0, NULL};
        const mt_status status = try_problem(&problem, (mt_eikonal_source){0, 0});
        cr_expect_eq(status, k < 4 ? MT_INPUT : MT_OK, "%g", values[k]);
        if (k < 4) cr_expect(strstr(mt_message(), "element 7: "), "%s", mt_message());
    }
    static const double one = 1;
    const mt_eikonal_link links[] = {{0, n + 1, 1}, {n + 1, 0, 1}, {0, 1, -1}, {0, 1, NAN}, {n, 0, 0}};
    for (size_t k = 0; k < 5; k++) {
        const mt_eikonal_problem problem = {&mesh, bad_velocity, &one, 1, 1, &links[k]};
        cr_expect_eq(
            try_problem(&problem, (mt_eikonal_source){0, 0}), k < 4 ? MT_INPUT : MT_OK, "link %zu", k);
    }
    const mt_eikonal_problem problem = {&mesh, bad_velocity, &one, 0, 0, NULL};
    cr_expect_eq(try_problem(&problem, (mt_eikonal_source){n, 0}), MT_INPUT);
    cr_expect_eq(try_problem(&problem, (mt_eikonal_source){0, INFINITY}), MT_INPUT);
    cr_expect_eq(try_problem(&problem, (mt_eikonal_source){0, -1}), MT_OK);
    mt_arena_free(&arena);
}

Test(eikonal, lack_of_memory_is_reported_at_every_allocation)
{
    static const double one = 1;
    mt_arena arena = {0};
    mt_mesh mesh;
    size_t at = 0;
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 0.5, &mesh));
    const mt_eikonal_link link = {0, 1, 1};
    const mt_eikonal_problem problem = {&mesh, bad_velocity, &one, 0, 1, &link};
    mt_status status;
    do {
        mt_arena_fail_at(++at);
        status = try_problem(&problem, (mt_eikonal_source){0, 0});
        cr_assert(status == MT_MEMORY || status == MT_OK);
    } while (status != MT_OK);
    mt_arena_fail_at(0);
    cr_expect_gt(at, 10);
    mt_arena_free(&arena);
}

static int stops(void) { return 15; }

Test(eikonal, a_requested_stop_ends_the_solution)
{
    static const mt_listener listener = {.stop_signal = stops};
    solved s;
    prepare_box(&s, (double[]){2, 2, 2}, 0.5, &isotropic);
    mt_listen(&listener);
    const mt_eikonal_source source = {0, 0};
    cr_expect_eq(
        mt_eikonal_solve(&s.eikonal, 1, &source, MT_EIKONAL_TOLERANCE_MS, s.time_ms, &s.report), MT_STOPPED);
    mt_listen(NULL);
    solve(&s, 1, &source);
    mt_arena_free(&s.arena);
}
