/* Parameters with a gradient over a heart. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/cells/model.h"
#include "solver/tissue/gradient.h"

static mt_mesh slab(mt_arena *arena)
{
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(arena, (double[]){8, 2, 1}, 0.5, &mesh), MT_OK, "%s", mt_message());
    return mesh;
}

/* Returns the factor of each element. */
static double *factors_of(mt_arena *arena, const mt_gradient *gradient, const mt_mesh *mesh)
{
    uint8_t *step;
    double *factor = mt_arena_alloc(arena, mesh->n_elements, sizeof *factor);
    cr_assert_eq(mt_gradient_steps(arena, gradient, mesh, &(mt_unknowns){mesh, false}, &step), MT_OK, "%s",
        mt_message());
    for (size_t e = 0; e < mesh->n_elements; e++) factor[e] = mt_gradient_factor(gradient, step[e]);
    return factor;
}

static void centre_of(const mt_mesh *mesh, size_t element, double x[3])
{
    mt_mesh_centroid(mesh, element, x);
}

/* A linear function, to half a step of 1/16. */
Test(gradient, a_gradient_extends_from_one_end_to_the_other)
{
    mt_arena arena = {0};
    const mt_mesh mesh = slab(&arena);
    const mt_gradient along_x = {"g_Ks", MT_GRADIENT_X, 2, 1}, along_z = {"g_Ks", MT_GRADIENT_Z, 0, 3};
    const double *of_x = factors_of(&arena, &along_x, &mesh), *of_z = factors_of(&arena, &along_z, &mesh);
    double least = INFINITY, most = -INFINITY;
    for (size_t e = 0; e < mesh.n_elements; e++) {
        double x[3];
        centre_of(&mesh, e, x);
        cr_assert_float_eq(of_x[e], 2 - x[0] / 8, 1.0 / 32 + 1e-12);
        cr_assert_float_eq(of_z[e], 3 * x[2], 3.0 / 32 + 1e-12);
        least = fmin(least, of_x[e]), most = fmax(most, of_x[e]);
    }
    cr_expect_float_eq(most, 2 - 1.0 / 32, 1e-12);
    cr_expect_float_eq(least, 1 + 1.0 / 32, 1e-12);
    mt_arena_free(&arena);
}

Test(gradient, depth_gradients_use_the_depth_of_the_mesh)
{
    mt_arena arena = {0};
    mt_mesh mesh = slab(&arena);
    const mt_gradient through = {"g_to", MT_GRADIENT_DEPTH, 0.25, 1};
    uint8_t *step;
    cr_expect_eq(mt_gradient_steps(&arena, &through, &mesh, &(mt_unknowns){&mesh, false}, &step), MT_INPUT);
    cr_expect(strstr(mt_message(), "myotile mesh fibres"), "%s", mt_message());
    mesh.depth = mt_arena_alloc(&arena, mesh.n_elements, sizeof(double));
    for (size_t e = 0; e < mesh.n_elements; e++) mesh.depth[e] = (double)e / (double)(mesh.n_elements - 1);
    const double *factor = factors_of(&arena, &through, &mesh);
    for (size_t e = 0; e < mesh.n_elements; e++)
        cr_assert_float_eq(factor[e], 0.25 + 0.75 * mesh.depth[e], 0.75 / 32 + 1e-12);
    mt_arena_free(&arena);
}

/* Sixteen kinds; each element has its own factor, also in a part of the mesh. */
Test(gradient, a_gradient_changes_the_parameter_of_each_element)
{
    mt_arena arena = {0};
    mt_mesh whole = slab(&arena), part;
    const mt_gradient along = {"g_Ks", MT_GRADIENT_X, 2, 1};
    mt_monodomain problem = {.variant = 0};
    mt_kinds kinds;
    uint8_t *keep = mt_arena_alloc(&arena, whole.n_elements, 1);
    cr_assert_eq(mt_cell_model_find("tp06", &problem.model), MT_OK);
    size_t g_ks = 0;
    while (strcmp(problem.model->parameters[g_ks].name, "g_Ks") != 0) g_ks++;
    for (size_t e = 0; e < whole.n_elements; e++) keep[e] = e % 3 != 0;
    cr_assert_eq(mt_mesh_select(&arena, &whole, keep, &part), MT_OK);
    const double *factor = factors_of(&arena, &along, &whole);
    cr_assert_eq(mt_kinds_begin(&arena, &problem, part.n_elements, &kinds), MT_OK);
    cr_assert_eq(mt_gradient_apply(&arena, &along, &whole, &(mt_unknowns){&part, false}, &kinds), MT_OK, "%s",
        mt_message());
    cr_assert_eq(mt_kinds_end(&arena, &kinds, &problem), MT_OK, "%s", mt_message());
    cr_expect_eq(problem.n_variants, MT_GRADIENT_STEPS);
    const double usual = problem.model->variants[0].parameters[g_ks];
    for (size_t e = 0; e < part.n_elements; e++)
        cr_assert_float_eq(mt_monodomain_variant(&problem, e)->parameters[g_ks],
            factor[mt_mesh_number(&part, e)] * usual, 1e-14 * usual);
    mt_arena_free(&arena);
}
