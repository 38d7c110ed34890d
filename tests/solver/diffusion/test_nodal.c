/* The operator with voltages at the vertices. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "solver/diffusion/nodal.h"
#include "tests/random.h"
#include "tests/solver/gmsh_box.h"

typedef struct block {
    mt_arena arena;
    mt_mesh mesh;
    uint16_t *of;
    mt_diffusion op;
} block;

static const mt_nodal_spreading usual = {1, &mt_nodal_law_default, NULL};
static const double size_mm[3] = {6, 5, 5}, PLANE_MM = 3;
static uint64_t seed = 5;

/* A slab whose inner vertices are displaced at random, but remain in the plane x = 3 mm, with two frames of fibres and sheets. */
static void make_block(block *b)
{
    *b = (block){0};
    cr_assert_eq(mt_slab_make(&b->arena, size_mm, 0.5, &b->mesh), MT_OK);
    for (size_t i = 0; i < 3 * b->mesh.n_vertices; i++) {
        double *x = b->mesh.xyz_mm + i;
        const bool held =
            fabs(*x) < 1e-9 || fabs(*x - size_mm[i % 3]) < 1e-9 || (i % 3 == 0 && fabs(*x - PLANE_MM) < 1e-9);
        const double by = between(&seed, -0.1, 0.1);
        if (!held) *x += by;
    }
    b->of = mt_arena_alloc(&b->arena, b->mesh.n_elements, sizeof *b->of);
    b->mesh.sheet = mt_arena_alloc(&b->arena, 3 * b->mesh.n_elements, sizeof *b->mesh.sheet);
    for (size_t e = 0; e < b->mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&b->mesh, e, x);
        b->of[e] = x[0] > PLANE_MM;
        const double a = b->of[e] ? 0.4 : 1.1, c = b->of[e] ? 1.3 : 0.5;
        const double fibre[] = {cos(a) * cos(c), sin(a) * cos(c), sin(c)}, sheet[] = {-sin(a), cos(a), 0};
        memcpy(b->mesh.fibre + 3 * e, fibre, sizeof fibre);
        memcpy(b->mesh.sheet + 3 * e, sheet, sizeof sheet);
    }
}

static void make_operator(block *b, const mt_tissues *tissues)
{
    cr_assert_eq(mt_nodal_diffusion_make(&b->arena, &b->mesh, tissues, &usual, &(mt_watch){0}, &b->op), MT_OK,
        "%s", mt_message());
}

static const double *position(const block *b, size_t i) { return b->mesh.xyz_mm + 3 * i; }

static bool on_surface(const block *b, size_t i)
{
    bool outside = false;
    for (int k = 0; k < 3; k++)
        outside |= fabs(position(b, i)[k]) < 1e-9 || fabs(position(b, i)[k] - size_mm[k]) < 1e-9;
    return outside;
}

/* Returns the rate of change at a vertex, and the sum of the absolute values of its terms. */
static double change(const block *b, const double *v, size_t i, double *size)
{
    const mt_nodal *nodal = b->op.nodal;
    double sum = 0;
    *size = 0;
    for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
        const double term = nodal->rate[k] * (v[nodal->column[k]] - v[i]);
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

/* ---- linear fields ---- */

static const mt_tissue orthotropic[2] = {{0.1, 0.02, 1, 1, 0.05}, {0.4, 0.3, 1, 0.7, 0.01}};

/* Sets a field with the gradient g before the plane, and the gradient `beyond` after it. */
static double *field(block *b, const double g[3], const double beyond[3])
{
    double *v = mt_arena_alloc(&b->arena, b->mesh.n_vertices, sizeof *v);
    for (size_t i = 0; i < b->mesh.n_vertices; i++) {
        double x[3] = {position(b, i)[0] - PLANE_MM, position(b, i)[1], position(b, i)[2]};
        v[i] = mt_dot3(x[0] > 0 ? beyond : g, x);
    }
    return v;
}

static void expect_steady_inside(const block *b, const double *v)
{
    size_t inside = 0;
    for (size_t i = 0; i < b->mesh.n_vertices; i++) {
        double size, sum;
        if (on_surface(b, i)) continue;
        sum = change(b, v, i, &size);
        cr_assert(fabs(sum) < 1e-12 * size, "vertex %zu: %g of %g", i, sum, size);
        inside++;
    }
    cr_assert(inside > 500, "%zu", inside);
}

Test(nodal, linear_fields_are_steady_inside_uniform_tissue)
{
    block b;
    make_block(&b);
    memset(b.of, 0, b.mesh.n_elements * sizeof *b.of);
    for (size_t e = 0; e < b.mesh.n_elements; e++) { /* one frame */
        memcpy(b.mesh.fibre + 3 * e, b.mesh.fibre, 3 * sizeof(double));
        memcpy(b.mesh.sheet + 3 * e, b.mesh.sheet, 3 * sizeof(double));
    }
    make_operator(&b, &(mt_tissues){1, orthotropic, NULL});
    for (int k = 0; k < 3; k++) {
        const double g[3] = {k == 0, k == 1, k == 2};
        expect_steady_inside(&b, field(&b, g, g));
    }
    mt_arena_free(&b.arena);
}

static void tensor_of(const block *b, const mt_tissue *t, size_t e, double d[3][3])
{
    const double *fibre = b->mesh.fibre + 3 * e, *sheet = b->mesh.sheet + 3 * e;
    mt_tissue_tensor(
        mt_tissue_diffusivity_l(t) * t->cm_uF_mm2, mt_tissue_diffusivity_t(t) * t->cm_uF_mm2, fibre, d);
    mt_tissue_tensor_add_normal(
        (mt_tissue_diffusivity_n(t) - mt_tissue_diffusivity_t(t)) * t->cm_uF_mm2, fibre, sheet, d);
}

/* The normal current and the tangential gradient are continuous. The capacitances of the tissues differ. */
Test(nodal, a_field_with_a_continuous_current_through_a_border_of_tissues_is_steady)
{
    block b;
    double before[3][3], behind[3][3], g[3] = {0.7, -1.3, 0.4}, beyond[3], jump = 0;
    make_block(&b);
    size_t last = b.mesh.n_elements - 1;
    cr_assert(b.of[0] == 0 && b.of[last] == 1);
    make_operator(&b, &(mt_tissues){2, orthotropic, b.of});
    tensor_of(&b, &orthotropic[0], 0, before);
    tensor_of(&b, &orthotropic[1], last, behind);
    for (int k = 0; k < 3; k++) jump += (before[0][k] - behind[0][k]) * g[k];
    memcpy(beyond, g, sizeof g);
    beyond[0] += jump / behind[0][0];
    expect_steady_inside(&b, field(&b, g, beyond));
    mt_arena_free(&b.arena);
}

/* ---- rows ---- */

static size_t entry(const mt_nodal *nodal, size_t row, size_t column)
{
    for (size_t k = nodal->start[row]; k < nodal->start[row + 1]; k++)
        if (nodal->column[k] == column) return k;
    cr_assert_fail("row %zu has no column %zu", row, column);
    return 0;
}

/* Rounding: an entry is a sum over some elements whose terms can cancel. */
static void expect_same_charge(const double *value, double own, double other, size_t k, size_t back)
{
    cr_assert(fabs(own * value[k] - other * value[back]) <= 1e-12 * fabs(own * value[k]) + 1e-17, "%g and %g",
        own * value[k], other * value[back]);
}

Test(nodal, charge_is_exchanged_symmetrically_and_columns_ascend)
{
    block b;
    make_block(&b);
    make_operator(&b, &(mt_tissues){2, orthotropic, b.of});
    const mt_nodal *nodal = b.op.nodal;
    const double *volume = b.op.volume_mm3;
    size_t longest = 0, n_negative = 0;
    for (size_t i = 0; i < b.mesh.n_vertices; i++) {
        cr_assert(volume[i] > 0);
        for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++) {
            const uint32_t j = nodal->column[k];
            const size_t back = entry(nodal, j, i);
            cr_assert(j != i && (k == nodal->start[i] || j > nodal->column[k - 1]));
            cr_assert(nodal->spread[k] >= 0);
            expect_same_charge(nodal->rate, volume[i], volume[j], k, back);
            expect_same_charge(nodal->spread, volume[i], volume[j], k, back);
            n_negative += nodal->rate[k] < 0;
        }
        longest =
            nodal->start[i + 1] - nodal->start[i] > longest ? nodal->start[i + 1] - nodal->start[i] : longest;
    }
    cr_expect_eq(longest, nodal->longest_row);
    cr_expect_eq(n_negative, nodal->n_negative);
    mt_arena_free(&b.arena);
}

Test(nodal, the_pattern_alone_is_that_of_the_operator)
{
    block b;
    mt_nodal pattern;
    make_block(&b);
    make_operator(&b, &(mt_tissues){2, orthotropic, b.of});
    const mt_nodal *nodal = b.op.nodal;
    const size_t n = b.mesh.n_vertices;
    cr_assert_eq(mt_nodal_pattern_make(&b.arena, &b.mesh, &pattern), MT_OK);
    cr_expect_arr_eq(pattern.start, nodal->start, (n + 1) * sizeof *pattern.start);
    cr_expect_arr_eq(pattern.column, nodal->column, nodal->start[n] * sizeof *pattern.column);
    cr_expect_eq(pattern.longest_row, nodal->longest_row);
    cr_expect(!pattern.rate && !pattern.spread);
    mt_arena_free(&b.arena);
}

/* A quarter of each element's volume, times its chi Cm relative to the first tissue, belongs to each of its vertices. */
Test(nodal, vertices_hold_the_charge_of_their_elements)
{
    block b;
    make_block(&b);
    make_operator(&b, &(mt_tissues){2, orthotropic, b.of});
    double *expected = mt_arena_alloc(&b.arena, b.mesh.n_vertices, sizeof *expected);
    for (size_t k = 0; k < 4 * b.mesh.n_elements; k++) {
        const double capacity = orthotropic[b.of[k / 4]].cm_uF_mm2 / orthotropic[0].cm_uF_mm2;
        expected[b.mesh.element_vertex[k]] += capacity * mt_mesh_volume_mm3(&b.mesh, k / 4) / 4;
    }
    for (size_t i = 0; i < b.mesh.n_vertices; i++)
        cr_assert_float_eq(
            b.op.volume_mm3[i], expected[i], 1e-12, "%g, not %g", b.op.volume_mm3[i], expected[i]);
    mt_arena_free(&b.arena);
}

Test(nodal, spreading_does_not_change_the_rates)
{
    block b;
    mt_diffusion without;
    make_block(&b);
    const mt_tissues tissues = {2, orthotropic, b.of};
    make_operator(&b, &tissues);
    cr_assert_eq(mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues, NULL, &(mt_watch){0}, &without), MT_OK);
    cr_expect_null(without.nodal->spread);
    cr_expect(without.nodal->lowest_spread == 0 && without.nodal->kept == 1);
    cr_expect_arr_eq(
        without.nodal->rate, b.op.nodal->rate, b.op.nodal->start[b.op.n_unknowns] * sizeof(double));
    char a[MT_HASH_SIZE], c[MT_HASH_SIZE];
    cr_assert_eq(mt_diffusion_fingerprint(&b.op, a), MT_OK);
    cr_assert_eq(mt_diffusion_fingerprint(&without, c), MT_OK);
    cr_expect(strcmp(a, c) != 0, "the fingerprint ignores the spreading");
    mt_arena_free(&b.arena);
}

Test(nodal, fingerprints_change_with_a_single_rate)
{
    block b;
    char a[MT_HASH_SIZE], same[MT_HASH_SIZE], c[MT_HASH_SIZE];
    make_block(&b);
    make_operator(&b, &(mt_tissues){2, orthotropic, b.of});
    cr_assert_eq(mt_diffusion_fingerprint(&b.op, a), MT_OK);
    cr_assert_eq(mt_diffusion_fingerprint(&b.op, same), MT_OK);
    b.op.nodal->rate[17] *= 1 + 1e-15;
    cr_assert_eq(mt_diffusion_fingerprint(&b.op, c), MT_OK);
    cr_expect_str_eq(a, same);
    cr_expect(strcmp(a, c) != 0);
    mt_arena_free(&b.arena);
}

/* ---- spreading ---- */

/* On boxes that are all cut alike in isotropic tissue no coupling is negative, and planes of vertices are a chain in each direction:
 * neighbours in the next plane have the share of the chain together, times the factor of meshes. */
Test(nodal, planes_of_vertices_spread_as_the_points_of_a_chain)
{
    const double b_mm = 0.5, size[] = {5, 5, 5}, distance = 1e-9;
    const mt_tissue tissue = {.sigma_l_mS_mm = 0.05, .sigma_t_mS_mm = 0.05, .chi_per_mm = 1, .cm_uF_mm2 = 1};
    const mt_nodal_law law = {.strength = 0.9, .fine = 0.3, .front_ms = 7};
    const double y_ms = b_mm * b_mm / 0.05, share = 0.9 / 6 * (y_ms + 0.3 * 7) / (y_ms + 7);
    block b = {0};
    const mt_tissues tissues = mt_tissues_uniform(&tissue);
    cr_assert_eq(mt_slab_make_cut(&b.arena, size, b_mm, MT_SLAB_KUHN, &b.mesh), MT_OK);
    cr_assert_eq(mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues, &(mt_nodal_spreading){1, &law, NULL},
                     &(mt_watch){0}, &b.op),
        MT_OK);
    size_t inside = 0;
    for (size_t i = 0; i < b.mesh.n_vertices; i++) {
        double ahead[3] = {0};
        const double *x = position(&b, i);
        if (fmin(fmin(x[0], x[1]), x[2]) < 1.9 || fmax(fmax(x[0], x[1]), x[2]) > 3.1) continue;
        for (size_t k = b.op.nodal->start[i]; k < b.op.nodal->start[i + 1]; k++)
            for (int a = 0; a < 3; a++)
                if (position(&b, b.op.nodal->column[k])[a] > x[a] + distance)
                    ahead[a] += b.op.nodal->spread[k];
        for (int a = 0; a < 3; a++)
            cr_assert_float_eq(ahead[a], 0.98 * share, 1e-6, "%g of %g", ahead[a], share);
        inside++;
    }
    cr_expect_eq(inside, 27);
    mt_arena_free(&b.arena);
}

/* Returns the lowest eigenvalue of A = S - V^-1 K / j, by power iteration on c - A, with c above the largest one. */
static double lowest_spread(const block *b, double reaction_ms)
{
    const mt_nodal *nodal = b->op.nodal;
    const size_t n = b->op.n_unknowns;
    const double c = reaction_ms * 2 / b->op.limit_dt_ms;
    mt_arena arena = {0};
    double *v = mt_arena_alloc(&arena, n, sizeof *v), *next = mt_arena_alloc(&arena, n, sizeof *v), norm = 0;
    for (size_t i = 0; i < n; i++) v[i] = between(&seed, -1, 1);
    for (int step = 0; step < 4000; step++) {
        norm = 0;
        for (size_t i = 0; i < n; i++) {
            next[i] = c * v[i];
            for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++)
                next[i] -= (nodal->spread[k] - reaction_ms * nodal->rate[k]) * (v[nodal->column[k]] - v[i]);
            norm += b->op.volume_mm3[i] * next[i] * next[i];
        }
        norm = sqrt(norm);
        for (size_t i = 0; i < n; i++) v[i] = next[i] / norm;
    }
    mt_arena_free(&arena);
    return c - norm;
}

/* No pattern grows in cells that restore V at the rate j; even with a law that would spread too much. Of cells that restore V slowly,
 * diffusion allows more. */
Test(nodal, spreading_is_bounded_for_any_law)
{
    static const double reaction_ms[] = {0.1, 0.1, 0.5};
    double kept[3];
    for (size_t k = 0; k < 3; k++) {
        const mt_nodal_law law = {
            .strength = k == 0 ? 1 : 2.5, .fine = 1, .front_ms = 1, .reaction_ms = reaction_ms[k]};
        block b;
        make_block(&b);
        const mt_tissues tissues = {2, orthotropic, b.of};
        cr_assert_eq(mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues,
                         &(mt_nodal_spreading){1, &law, NULL}, &(mt_watch){0}, &b.op),
            MT_OK);
        const mt_nodal *nodal = b.op.nodal;
        const double lowest = lowest_spread(&b, reaction_ms[k]);
        kept[k] = nodal->kept;
        cr_expect(lowest > -0.96 && lowest < -0.3, "%g", lowest);
        cr_expect(nodal->lowest_spread < lowest + 0.01, "%g, %g", nodal->lowest_spread, lowest);
        if (k == 0) cr_expect_float_eq(nodal->lowest_spread, lowest, 0.01, "%g", lowest);
        cr_expect(k == 0 ? nodal->kept == 1 : nodal->kept < 1, "%g of the spreading is kept", nodal->kept);
        mt_arena_free(&b.arena);
    }
    cr_expect(kept[2] > kept[1], "%g, %g", kept[2], kept[1]);
}

/* A law that would spread too much in one part of the tissue reduces the spreading there and at its border, not elsewhere. */
Test(nodal, spreading_is_bounded_locally)
{
    const mt_nodal_law laws[2] = {
        mt_nodal_law_default, {.strength = 3, .fine = 1, .front_ms = 1, .reaction_ms = 0.1}};
    const double border_mm = 1.5;
    size_t far = 0, reduced = 0;
    block b;
    mt_diffusion whole;
    make_block(&b);
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    cr_assert_eq(mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues, &usual, &(mt_watch){0}, &whole), MT_OK);
    cr_assert_eq(whole.nodal->kept, 1);
    cr_assert_eq(mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues, &(mt_nodal_spreading){2, laws, b.of},
                     &(mt_watch){0}, &b.op),
        MT_OK);
    const mt_nodal *nodal = b.op.nodal;
    for (size_t i = 0; i < b.mesh.n_vertices; i++) {
        if (position(&b, i)[0] > PLANE_MM - border_mm) continue;
        for (size_t k = nodal->start[i]; k < nodal->start[i + 1]; k++, far++)
            reduced += nodal->spread[k] != whole.nodal->spread[k];
    }
    cr_expect(nodal->kept < 0.9, "%g of the spreading is kept", nodal->kept);
    cr_expect(far > 1000 && reduced == 0, "%zu of %zu entries differ", reduced, far);
    mt_arena_free(&b.arena);
}

/* ---- the longest step ---- */

/* Returns the growth of a random pattern by one of many steps. */
static double growth(const block *b, double dt_ms)
{
    const size_t n = b->op.n_unknowns;
    mt_arena arena = {0};
    double *v = mt_arena_alloc(&arena, n, sizeof *v), *rate = mt_arena_alloc(&arena, n, sizeof *rate),
           norm = 0;
    for (size_t i = 0; i < n; i++) v[i] = between(&seed, -1, 1);
    for (int step = 0; step < 3000; step++) {
        double next = 0;
        double size;
        for (size_t i = 0; i < n; i++) rate[i] = change(b, v, i, &size);
        for (size_t i = 0; i < n; i++) v[i] += dt_ms * rate[i], next += b->op.volume_mm3[i] * v[i] * v[i];
        norm = sqrt(next);
        for (size_t i = 0; norm > 1e6 && i < n; i++) v[i] /= norm;
        if (norm > 1e6) break;
    }
    mt_arena_free(&arena);
    return norm;
}

/* Stops in the computation of the longest step, after its first report. */
static bool stop_there(void *user, const char *stage, double done)
{
    size_t *reports = user;
    (void)done;
    return strcmp(stage, "longest step") != 0 || ++*reports < 2;
}

Test(nodal, the_search_for_the_longest_step_can_be_stopped)
{
    block b;
    size_t reports = 0;
    make_block(&b);
    cr_expect_eq(mt_nodal_diffusion_make(&b.arena, &b.mesh, &(mt_tissues){2, orthotropic, b.of}, &usual,
                     &(mt_watch){stop_there, &reports}, &b.op),
        MT_STOPPED);
    cr_expect_eq(reports, 2);
    mt_arena_free(&b.arena);
}

/* limit_dt_ms is 0.9 of 2 / |lambda|, with lambda found to 1e-3. */
Test(nodal, the_longest_step_is_nine_tenths_of_the_step_that_diverges)
{
    block b;
    make_block(&b);
    make_operator(&b, &(mt_tissues){2, orthotropic, b.of});
    const double limit_ms = b.op.limit_dt_ms;
    cr_expect(growth(&b, limit_ms) < 100, "a step of the limit diverges");
    cr_expect(growth(&b, 0.99 / 0.9 * limit_ms) < 100, "a step of 0.99 of the true limit diverges");
    cr_expect(growth(&b, 1.02 / 0.9 * limit_ms) > 1e6, "a step of 1.02 of the true limit is stable");
    mt_arena_free(&b.arena);
}

/* ---- the order of the rows ---- */

Test(nodal, rows_are_stored_close_in_space_and_with_descending_lengths_in_each_window)
{
    block b = {0};
    mt_element_order order;
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    double filled = 0, padded = 0, apart_mm = 0;
    gmsh_box(&b.arena, 0.07, &b.mesh);
    make_operator(&b, &tissues);
    cr_assert_eq(mt_diffusion_order(&b.arena, &b.op, &order), MT_OK);
    const size_t *start = b.op.nodal->start, n = order.n;
    cr_assert(n == b.mesh.n_vertices && n > 4 * MT_NODAL_WINDOW, "%zu", n);
    for (size_t k = 0; k < n; k++) {
        const size_t i = order.element[k], length = start[i + 1] - start[i];
        cr_assert(i < n && order.place[i] == k);
        filled += (double)length;
        if (k % 16 == 0) padded += 16 * (double)length;
        if (k % MT_NODAL_WINDOW == 0) continue;
        double d[3];
        const size_t last = order.element[k - 1];
        mt_minus3(position(&b, i), position(&b, last), d);
        apart_mm += sqrt(mt_dot3(d, d)) / (double)n;
        cr_assert(start[last + 1] - start[last] >= length, "place %zu", k);
    }
    cr_expect(padded < 1.1 * filled, "%g times the entries", padded / filled);
    cr_expect(apart_mm < 0.45, "consecutive vertices are %g mm apart; at random 0.66", apart_mm);
    mt_arena_free(&b.arena);
}

/* ---- refusals ---- */

static void expect_refused(block *b, const mt_tissues *tissues, const char *words)
{
    cr_expect_eq(
        mt_nodal_diffusion_make(&b->arena, &b->mesh, tissues, NULL, &(mt_watch){0}, &b->op), MT_INPUT);
    cr_expect(strstr(mt_message(), words), "%s", mt_message());
    mt_arena_free(&b->arena);
}

Test(nodal, a_vertex_without_an_element_is_refused_with_its_position)
{
    block b;
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    make_block(&b);
    double *xyz_mm = mt_arena_alloc(&b.arena, 3 * (b.mesh.n_vertices + 1), sizeof *xyz_mm);
    memcpy(xyz_mm, b.mesh.xyz_mm, 3 * b.mesh.n_vertices * sizeof *xyz_mm);
    memcpy(xyz_mm + 3 * b.mesh.n_vertices, (double[]){7, 8, 9}, 3 * sizeof *xyz_mm);
    b.mesh.xyz_mm = xyz_mm;
    b.mesh.n_vertices++;
    expect_refused(&b, &tissues, "at (7, 8, 9) mm belongs to no element");
}

Test(nodal, a_flat_element_is_refused_with_its_number)
{
    block b;
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    make_block(&b);
    const uint32_t *corner = b.mesh.element_vertex + 4 * (size_t)100;
    memcpy(b.mesh.xyz_mm + 3 * (size_t)corner[3], position(&b, corner[0]), 3 * sizeof(double));
    expect_refused(&b, &tissues, "has no volume");
}

Test(nodal, missing_fibres_of_anisotropic_tissue_are_refused)
{
    block b;
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    make_block(&b);
    b.mesh.fibre = NULL;
    expect_refused(&b, &tissues, "fibre");
}
