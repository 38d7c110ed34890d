/* A scar one element thick: nothing crosses it, neither by the operator, with rows that extend over two faces, nor by spreading. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/solver/slab_problem.h"
#include "tests/solver/gmsh_box.h"

enum { STEPS = 200 }; /* 4 ms: the wavefront has reached the scar by then */

/* About the middle of the cube: elements with a centroid left of it are one side; elements beyond it that share a face with one of them
 * are the scar. */
static const double left_mm = 0.5;

static bool is_left(const mt_mesh *mesh, size_t element)
{
    double x[3];
    mt_mesh_centroid(mesh, element, x);
    return x[0] < left_mm;
}

/* Removes the scar from the mesh of the problem. */
static void cut(slab_problem *s)
{
    mt_adjacency adjacency;
    mt_mesh whole = s->mesh;
    cr_assert_eq(mt_adjacency_make(&s->arena, &whole, &adjacency), MT_OK, "%s", mt_message());
    uint8_t *conducting = mt_arena_alloc(&s->arena, whole.n_elements, 1);
    for (size_t c = 0; c < whole.n_elements; c++) {
        conducting[c] = 1;
        for (size_t f = 0; f < 4 && !is_left(&whole, c); f++) {
            const uint32_t n = adjacency.neighbour[4 * c + f];
            if (n != MT_NO_ELEMENT && is_left(&whole, n)) conducting[c] = 0;
        }
    }
    cr_assert_eq(mt_mesh_select(&s->arena, &whole, conducting, &s->mesh), MT_OK, "%s", mt_message());
    cr_assert(s->mesh.n_elements < whole.n_elements);
}

/* Builds a cube stimulated at its left end, in two halves if `scarred`. */
static void make(slab_problem *s, bool scarred)
{
    *s = (slab_problem){0};
    gmsh_box(&s->arena, 0.2, &s->mesh);
    if (scarred) cut(s);
    make_problem(s, (double[]){0.2, 1, 1});
    cr_assert(s->diffusion.kappa_ms != NULL);
}

Test(nonconducting, no_matrix_row_couples_elements_across_a_scar)
{
    slab_problem s;
    size_t across = 0;
    for (int scarred = 0; scarred < 2; scarred++) {
        make(&s, scarred);
        across = 0;
        for (size_t c = 0; c < s.mesh.n_elements; c++)
            for (size_t k = 0; k < MT_DIFFUSION_ROW; k++)
                across +=
                    is_left(&s.mesh, c) != is_left(&s.mesh, s.diffusion.column[MT_DIFFUSION_ROW * c + k]);
        if (!scarred) cr_assert_gt(across, 0);
        mt_arena_free(&s.arena);
    }
    cr_assert_eq(across, 0);
}

/* Expects that V beyond the scar is the same with and without a stimulus before it, to the bit, and that the stimulus changes V before
 * it. */
static void expect_no_flux(slab_problem *s, const char *backend, const mt_layout *layout)
{
    const size_t n = s->mesh.n_elements;
    double *with = calloc(n, sizeof *with), *without = calloc(n, sizeof *without), lowest = INFINITY;
    cr_assert(with && without);
    run_backend(s, backend, layout, STEPS, with, NULL);
    s->problem.n_stimuli = 0;
    run_backend(s, backend, layout, STEPS, without, NULL);
    s->problem.n_stimuli = 1;
    for (size_t c = 0; c < n; c++)
        if (is_left(&s->mesh, c))
            lowest = fmin(lowest, with[c] - without[c]);
        else
            cr_expect_eq(
                with[c], without[c], "%s, element %zu: %.17g, %.17g mV", backend, c, with[c], without[c]);
    cr_assert_gt(lowest, 80, "%s: the stimulus raised V of the left side by %g mV", backend, lowest);
    free(with), free(without);
}

Test(nonconducting, the_flux_across_a_scar_is_exactly_zero)
{
    slab_problem s;
    make(&s, true);
    const mt_layout layout = layout_on(&s, 5);
    expect_no_flux(&s, "cpu", NULL);
    expect_no_flux(&s, "ipu", &layout);
    mt_arena_free(&s.arena);
}
