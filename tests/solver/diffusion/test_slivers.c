#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/solver/diffusion/check_diffusion.h"
#include "tests/solver/gmsh_box.h"
#include "mesh/make/slab.h"
#include "tests/solver/slivers.h"
#include "solver/diffusion/diffusion.h"

/* Nearly flat elements: all properties of the operator hold with them, and runs succeed. */

static const mt_tissue muscle = {0.0953 * 1.4, 0.0126 * 1.4, 140, 0.01, 0};
static const double D_L = 0.0953;
enum { ROW = MT_DIFFUSION_ROW };

typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion op;
} problem;

static uint64_t seed = 1;

static double uniform(void) { return between(&seed, -1, 1); }

static void make(problem *p)
{
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_diffusion_make(&p->arena, &p->mesh, &p->adjacency, &muscle, &mt_diffusion_scheme_plain, &p->op),
        MT_OK, "%s", mt_message());
    cr_assert_eq(diffusion_check(&p->op, &p->adjacency), MT_OK, "%s", mt_message());
}

static void oblique_fibres(mt_mesh *mesh)
{
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t k = 0; k < 3; k++) mesh->fibre[3 * c + k] = (double)(k + 1) / sqrt(14);
}

static void kuhn(mt_arena *arena, mt_mesh *mesh)
{
    cr_assert_eq(mt_slab_make_cut(arena, (double[]){4, 3, 3}, 0.5, MT_SLAB_KUHN, mesh), MT_OK);
}

static void gmsh(mt_arena *arena, mt_mesh *mesh) { gmsh_box(arena, 0.2, mesh); }

/* One element in fifty and its neighbour become slivers. */
static void make_with_slivers(problem *p, void (*from)(mt_arena *, mt_mesh *), double flatness)
{
    mt_mesh mesh;
    *p = (problem){0};
    from(&p->arena, &mesh);
    oblique_fibres(&mesh);
    plant_slivers(&p->arena, &mesh, mesh.n_elements / 50, flatness, 7, &p->mesh);
    make(p);
}

static double *noise(problem *p)
{
    double *v = mt_arena_alloc(&p->arena, p->op.n_unknowns, sizeof *v), integral = 0, volume = 0;
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        v[c] = uniform();
        integral += p->op.volume_mm3[c] * v[c];
        volume += p->op.volume_mm3[c];
    }
    for (size_t c = 0; c < p->op.n_unknowns; c++) v[c] -= integral / volume;
    return v;
}

static double v_norm(const mt_diffusion *op, const double *v)
{
    double sum = 0;
    for (size_t c = 0; c < op->n_unknowns; c++) sum += op->volume_mm3[c] * v[c] * v[c];
    return sqrt(sum);
}

static void constants_stay(problem *p)
{
    double *v = noise(p), *dv = noise(p);
    for (size_t c = 0; c < p->op.n_unknowns; c++) v[c] = -85.23;
    mt_diffusion_apply(&p->op, v, dv);
    for (size_t c = 0; c < p->op.n_unknowns; c++) cr_assert(dv[c] == 0);
}

/* As in test_diffusion.c: a hundred epsilon of the absolute terms. */
static void integral_stays(problem *p)
{
    double *v = noise(p), *dv = noise(p), sum = 0, size = 0;
    mt_diffusion_apply(&p->op, v, dv);
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        sum += p->op.volume_mm3[c] * dv[c];
        for (size_t k = ROW * c; k < ROW * (c + 1); k++)
            size += p->op.volume_mm3[c] * fabs(p->op.rate[k] * (v[p->op.column[k]] - v[c]));
    }
    cr_assert(fabs(sum) <= 100 * DBL_EPSILON * size, "%g of %g", sum, size);
}

/* At the longest stable step. No value of the noise exceeds the bound of the norm: |v_c| sqrt(V_c) <= |v|. */
static void norm_falls(problem *p, int steps)
{
    double *v = noise(p), *dv = noise(p), before = v_norm(&p->op, v);
    for (int s = 0; s < steps; s++) {
        mt_diffusion_apply(&p->op, v, dv);
        for (size_t c = 0; c < p->op.n_unknowns; c++) v[c] += p->op.limit_dt_ms * dv[c];
        const double now = v_norm(&p->op, v);
        cr_assert(now < before, "step %d: %.17g after %.17g", s, now, before);
        before = now;
    }
}

/* Returns the square of the smallest longest edge of any element. */
static double least_edge_squared(const mt_mesh *mesh)
{
    double least = INFINITY;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double longest = 0;
        for (size_t i = 1; i < 4; i++)
            for (size_t j = 0; j < i; j++) {
                const double *x = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + i],
                             *y = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * c + j];
                longest = fmax(longest, pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
            }
        least = fmin(least, longest);
    }
    return least;
}

Test(slivers, with_slivers_the_invariants_of_the_operator_hold)
{
    void (*const from[2])(mt_arena *, mt_mesh *) = {kuhn, gmsh};
    for (int m = 0; m < 2; m++)
        for (double flatness = 1e-2; flatness > 1e-8; flatness /= 100) {
            problem p;
            make_with_slivers(&p, from[m], flatness);
            cr_assert(p.op.n_slivers > p.op.n_unknowns / 60, "%zu of %zu", p.op.n_slivers, p.op.n_unknowns);
            constants_stay(&p);
            integral_stays(&p);
            norm_falls(&p, 300);
            const double least_ms = 0.9 * 2 * least_edge_squared(&p.mesh) / (5e4 * D_L);
            cr_assert(p.op.limit_dt_ms > least_ms, "%g, promised %g", p.op.limit_dt_ms, least_ms);
            cr_assert(p.op.top_per_ms <= 1e-6, "%g", p.op.top_per_ms);
            mt_arena_free(&p.arena);
        }
}

/* ---- stacked slivers ---- */

static bool all_above_0(const mt_mesh *mesh)
{
    for (size_t c = 0; c < mesh->n_elements; c++)
        if (!(mt_mesh_volume_mm3(mesh, c) > 0)) return false;
    return true;
}

/* Moves the vertex opposite face f of an element towards the centre of the face; stores its old position. */
static void flatten(mt_mesh *mesh, size_t element, size_t f, double flatness, double was[3])
{
    double *x = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * element + f], middle[3] = {0, 0, 0};
    for (size_t v = 0; v < 4; v++)
        for (size_t k = 0; v != f && k < 3; k++)
            middle[k] += mesh->xyz_mm[3 * (size_t)mesh->element_vertex[4 * element + v] + k] / 3;
    memcpy(was, x, 3 * sizeof *x);
    for (size_t k = 0; k < 3; k++) x[k] = middle[k] + flatness * (was[k] - middle[k]);
}

static size_t face_towards(const mt_adjacency *adjacency, size_t element, size_t neighbour)
{
    size_t f = 0;
    while (adjacency->neighbour[4 * element + f] != neighbour) f++;
    return f;
}

/* Flattens two elements onto their common face: the first two for which no other element is inverted. */
static void stack_two(problem *p, double flatness)
{
    mt_mesh *mesh = &p->mesh;
    cr_assert_eq(mt_adjacency_make(&p->arena, mesh, &p->adjacency), MT_OK);
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        const size_t element = k / 4, near = p->adjacency.neighbour[k];
        double was[2][3];
        if (near == MT_NO_ELEMENT || near < element) continue;
        const size_t f = k % 4, g = face_towards(&p->adjacency, near, element);
        flatten(mesh, element, f, flatness, was[0]);
        flatten(mesh, near, g, flatness, was[1]);
        if (all_above_0(mesh)) return;
        memcpy(mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * element + f], was[0], sizeof was[0]);
        memcpy(mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * near + g], was[1], sizeof was[1]);
    }
    cr_assert(false, "no two elements can be flattened onto a common face");
}

/* For any flatness: the distance between their centroids decreases with it, but must not increase the effective volume of these elements
 * or their neighbours. Elements that are not flat keep their volume to the bit, and the mesh keeps its own to a hundredth. */
Test(slivers, stacked_slivers_do_not_change_the_effective_volume_of_their_neighbours)
{
    for (double flatness = 1e-2; flatness > 1e-9; flatness /= 100) {
        problem p = {0};
        double held = 0, volume = 0;
        kuhn(&p.arena, &p.mesh);
        oblique_fibres(&p.mesh);
        stack_two(&p, flatness);
        make(&p);
        const double mean = 4 * 3 * 3 / (double)p.op.n_unknowns;
        for (size_t c = 0; c < p.op.n_unknowns; c++) {
            const double own = mt_mesh_volume_mm3(&p.mesh, c);
            held += p.op.volume_mm3[c], volume += own;
            cr_assert(own < 0.05 * mean || p.op.volume_mm3[c] == own,
                "flatness %g, element %zu: %g times its volume", flatness, c, p.op.volume_mm3[c] / own);
        }
        cr_assert(held < 1.01 * volume, "flatness %g: %g of %g mm^3", flatness, held, volume);
        constants_stay(&p), integral_stays(&p);
        norm_falls(&p, 300);
        mt_arena_free(&p.arena);
    }
}

/* The largest addition by one limited element. Its volume at the least flatness is negligible; its effective volume is a few hundredths
 * of the element that it was cut from (0.5^3 / 6 mm^3). */
Test(slivers, the_effective_volume_of_slivers_is_little_more_than_their_volume)
{
    for (double flatness = 1e-3; flatness > 1e-8; flatness /= 100) {
        problem p;
        make_with_slivers(&p, kuhn, flatness);
        for (size_t c = 0; c < p.op.n_unknowns; c++) {
            const double more = p.op.volume_mm3[c] - mt_mesh_volume_mm3(&p.mesh, c);
            cr_assert(more >= 0 && more < 0.05 * 0.125 / 6, "element %zu: %g more", c, more);
        }
        mt_arena_free(&p.arena);
    }
}

static bool far_from_walls(const problem *p, size_t c, int rings)
{
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = p->adjacency.neighbour[4 * c + f];
        if (n == MT_NO_ELEMENT || p->op.theta[n] < 1 || (rings > 0 && !far_from_walls(p, n, rings - 1)))
            return false;
    }
    return true;
}

/* Independent of tau: for a linear field F_f yields D S . g. Rounding: the terms of a sliver are about 1e3 times those of its
 * neighbours, and its pseudo-inverse is less accurate by the same factor. */
Test(slivers, slivers_preserve_linear_fields)
{
    problem p;
    make_with_slivers(&p, kuhn, 1e-3);
    double *v = noise(&p), *dv = noise(&p);
    size_t oblique = 0;
    for (size_t c = 0; c < p.op.n_unknowns; c++) {
        double x[3];
        mt_mesh_centroid(&p.mesh, c, x);
        v[c] = 3 * x[0] - 5 * x[1] + 2 * x[2] + 1;
    }
    mt_diffusion_apply(&p.op, v, dv);
    for (size_t c = 0; c < p.op.n_unknowns; c++) {
        if (!far_from_walls(&p, c, 1)) continue;
        double size = 0;
        for (size_t k = ROW * c; k < ROW * (c + 1); k++)
            size += fabs(p.op.rate[k] * (v[p.op.column[k]] - v[c]));
        cr_assert(fabs(dv[c]) <= 1e-9 * size, "element %zu: %g of %g", c, dv[c], size);
        oblique += mt_diffusion_effect_on(&p.op, &p.mesh, &p.adjacency, c).cosine < 0.05;
    }
    cr_assert(oblique > 10, "%zu", oblique);
    mt_arena_free(&p.arena);
}

/* The values reported per element add up to the totals; no other elements are reported. */
Test(slivers, slivers_reported_per_element_sum_to_the_totals)
{
    problem p;
    size_t limited = 0, slivers = 0;
    make_with_slivers(&p, gmsh, 1e-3);
    for (size_t c = 0; c < p.op.n_unknowns; c++) {
        const mt_diffusion_limiting e = mt_diffusion_effect_on(&p.op, &p.mesh, &p.adjacency, c);
        const bool sliver = e.cosine < 0.05 || e.capacity > 1;
        limited += e.theta < 1;
        slivers += sliver;
        cr_assert_eq(e.limited, e.theta < 1 || sliver);
        cr_assert(e.capacity >= 1);
    }
    cr_assert_eq(limited, p.op.n_limited);
    cr_assert_eq(slivers, p.op.n_slivers);
    mt_arena_free(&p.arena);
}

static void two_elements(problem *p, const double xyz[15], const uint32_t elements[8])
{
    *p = (problem){0};
    cr_assert_eq(mt_mesh_new(&p->arena, 5, 2, &p->mesh), MT_OK);
    cr_assert_eq(mt_mesh_new_fibres(&p->arena, &p->mesh), MT_OK);
    memcpy(p->mesh.xyz_mm, xyz, 15 * sizeof *xyz);
    memcpy(p->mesh.element_vertex, elements, 8 * sizeof *elements);
    oblique_fibres(&p->mesh);
    make(p);
}

/* Two elements on one triangle with tips beyond opposite sides of it: the line between the centroids is almost in the plane of the
 * triangle. Tip heights +-0.02, lateral +-20: d = (5 .. 10, 0, 0.01), so the cosine is about 1e-3. */
Test(slivers, adjacent_slivers_with_offset_centroids_are_handled)
{
    static const double xyz[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -20, 0, 0.02, 20, 0, -0.02};
    static const uint32_t elements[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    problem p;
    two_elements(&p, xyz, elements);
    cr_assert_eq(p.op.n_slivers, 2);
    integral_stays(&p);
    norm_falls(&p, 3);
    mt_arena_free(&p.arena);
}

/* Both on the same side, each of positive volume: S . d is positive seen from one and negative from the other. The program refuses such
 * meshes when it reads them; the operator is valid nevertheless. */
Test(slivers, overlapping_slivers_are_handled)
{
    static const double xyz[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1, 0.4, 0.3, 0.5};
    static const uint32_t elements[8] = {0, 1, 2, 3, 0, 1, 2, 4};
    problem p;
    two_elements(&p, xyz, elements);
    cr_assert(p.op.n_slivers >= 1);
    integral_stays(&p);
    norm_falls(&p, 3);
    mt_arena_free(&p.arena);
}

/* No limit without slivers, including slabs of flat boxes and tissues with much higher longitudinal conductivity. */
Test(slivers, a_mesh_without_slivers_has_none_reported)
{
    for (int k = 0; k < 3; k++) {
        problem p = {0};
        kuhn(&p.arena, &p.mesh);
        for (size_t v = 0; k == 1 && v < p.mesh.n_vertices; v++) p.mesh.xyz_mm[3 * v + 2] /= 10;
        if (k == 2) oblique_fibres(&p.mesh);
        const mt_tissue tissue = {1.4, k == 2 ? 1.4 / 57 : 1.4, 140, 0.01, 0};
        cr_assert_eq(mt_adjacency_make(&p.arena, &p.mesh, &p.adjacency), MT_OK);
        cr_assert_eq(
            mt_diffusion_make(&p.arena, &p.mesh, &p.adjacency, &tissue, &mt_diffusion_scheme_plain, &p.op),
            MT_OK);
        cr_assert_eq(p.op.n_slivers, 0, "%d: %zu", k, p.op.n_slivers);
        mt_arena_free(&p.arena);
    }
}
