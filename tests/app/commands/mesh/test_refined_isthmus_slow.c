/* Activation through narrow isthmuses of weak tissue on a coarse mesh of Gmsh, refined only in the isthmus, compared with a converged sheet
 * (tests/solver/sheet.h). */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/gmsh_run.h"
#include "tests/solver/sheet.h"

#include "solver/cells/parameters.h"
#include "solver/diffusion/tissue.h"

TestSuite(refined_isthmus, .init = enter_room, .fini = leave_room);

/* An isthmus of 2 mm in a wall across a slab of 12 x 6 x 1.5 mm. */
typedef struct isthmus {
    double width_mm, share_of_g_Na;
    bool across; /* fibres across the isthmus; else along it */
} isthmus;

static const double coarse_edge_mm = 0.72, end_ms = 140;

static void make_mesh(const isthmus *i)
{
    char geometry[1024];
    char *arguments[] = {
        "gmsh", "-3", "-nt", "1", "-v", "1", "-format", "msh2", "-o", "gap.msh", "gap.geo", NULL};
    const double low = 3 - i->width_mm / 2, high = 3 + i->width_mm / 2;
    (void)snprintf(geometry, sizeof geometry,
        "SetFactory(\"OpenCASCADE\");\n"
        "Box(1) = {0, 0, 0, 5, 6, 1.5};\nBox(2) = {5, 0, 0, 2, %g, 1.5};\nBox(3) = {5, %g, 0, 2, %g, 1.5};\n"
        "Box(4) = {5, %g, 0, 2, %g, 1.5};\nBox(5) = {7, 0, 0, 5, 6, 1.5};\n"
        "BooleanFragments{Volume{1:5}; Delete;}{}\n"
        "Physical Volume(\"wall\", 2) = {2, 4};\nPhysical Volume(\"tissue\", 1) = {1, 3, 5};\n"
        "Mesh.MeshSizeMin = %g;\nMesh.MeshSizeMax = %g;\n",
        low, low, i->width_mm, high, 6 - high, coarse_edge_mm, coarse_edge_mm);
    write_text("gap.geo", geometry);
    cr_assert_eq(gmsh_run(arguments), 0, "the gmsh program is needed to make this test's mesh");
    free(works("mesh fibres gap.msh --axis %s -o gap.hdf --force", i->across ? "0,1,0" : "1,0,0"));
}

static void write_case(const isthmus *i, const char *mesh)
{
    char text[2048];
    (void)snprintf(text, sizeof text,
        "mesh: {file: %s}\n"
        "tissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.019, extracellular_l_mS_mm: 0.62, "
        "extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
        "cell: {type: epi, scale: [g_Na=%g]}\ntime: {dt_ms: 0.02, end_ms: %g, until: activated}\n"
        "regions: [{tag: wall, non_conducting: true}]\nmachine: {backend: cpu}\n"
        "stimuli: [{min_mm: [0, 0, 0], max_mm: [1.5, 6, 1.5], duration_ms: 2, strength_uA_mm3: 50}]\n"
        "points: [{name: far, at_mm: [11, 3, 0.75]}]\n",
        mesh, i->share_of_g_Na, end_ms);
    write_text("gap.yaml", text);
}

/* Returns the activation time behind the isthmus; infinite if the wave does not arrive. */
static double far_time(const isthmus *i, const char *mesh)
{
    static const char key[] = "\"activation_ms\":";
    write_case(i, mesh);
    reply r = myotile("run gap.yaml --format json -o out --force");
    cr_assert_eq(r.code, 0, "%s", r.said);
    const char *at = NULL;
    for (const char *next = r.out; (next = strstr(next, key)); next++) at = next + strlen(key);
    cr_assert_not_null(at);
    const double time_ms = strtod(at, NULL);
    forget(&r);
    return time_ms > 0 ? time_ms : INFINITY;
}

/* Refines the isthmus, and tells the mesh's number of elements before and after. */
static double refined_time(const isthmus *i, double edge_mm)
{
    write_case(i, "gap.hdf");
    reply r = myotile(
        "mesh refine gap.hdf --where channels --case gap.yaml --edge-mm %g -o fine.hdf --force", edge_mm);
    cr_assert_eq(r.code, 0, "%s", r.said);
    cr_log_info("%s", r.out);
    forget(&r);
    return far_time(i, "fine.hdf");
}

static double reference(const isthmus *i, double dx_mm, double dt_ms)
{
    mt_arena arena = {0};
    mt_cell_variant cells;
    char text[32];
    (void)snprintf(text, sizeof text, "g_Na=%g", i->share_of_g_Na);
    const mt_yaml_override scale = {"test", text};
    const mt_cell_model *model = mt_cell_models[0];
    cr_assert_eq(mt_cell_variant_change(&arena, model, &model->variants[0],
                     &(mt_cell_request){.scales = &scale, .n_scales = 1}, &cells),
        MT_OK, "%s", mt_message());
    const double along = mt_tissue_diffusivity_l(&mt_tissue_default),
                 across = mt_tissue_diffusivity_t(&mt_tissue_default);
    const sheet s = {.model = model,
        .cells = &cells,
        .diffusivity_mm2_ms = {i->across ? across : along, i->across ? along : across},
        .size_mm = {12, 3},
        .wall_mm = {5, 7},
        .gap_mm = i->width_mm,
        .dx_mm = dx_mm,
        .dt_ms = dt_ms,
        .end_ms = end_ms,
        .stimulated_mm = 1.5,
        .duration_ms = 2,
        .rise_mV_ms = 50 / 1.4,
        .far_mm = 11};
    const double time_ms = sheet_far_time(&s);
    mt_arena_free(&arena);
    return time_ms;
}

/* The differences are of second order in dx, at worst of order 4/3 at the corners of the wall, and of first order in dt: the limits are at
 * most 1/1.5 of the last difference in dx, and all of that in dt, away. */
static double converged(const isthmus *i, double *band_ms)
{
    const double coarse = reference(i, 0.05, 0.02), fine = reference(i, 0.025, 0.02),
                 small_steps = reference(i, 0.05, 0.01), in_dx = (fine - coarse) / 3,
                 in_dt = small_steps - coarse;
    *band_ms = fabs(in_dx) + fabs(in_dt) / 2;
    cr_log_info("%g mm: %.3f ms, with half the spacing %.3f, with half the step %.3f", i->width_mm, coarse,
        fine, small_steps);
    return fine + in_dx + 1.5 * in_dt;
}

/* Refinement also makes the times better where the coarse mesh conducts. */
static void expect_conduction(const isthmus *i, double edge_mm)
{
    double band_ms;
    const double right_ms = converged(i, &band_ms);
    make_mesh(i);
    const double coarse_ms = far_time(i, "gap.hdf"), refined_ms = refined_time(i, edge_mm);
    cr_log_info("%g mm wide, g_Na %g: %.2f +- %.2f ms, coarse %.2f, refined %.2f (%+.1f %%)", i->width_mm,
        i->share_of_g_Na, right_ms, band_ms, coarse_ms, refined_ms, 100 * (refined_ms / right_ms - 1));
    cr_expect_lt(band_ms, 0.01 * right_ms);
    cr_expect_float_eq(refined_ms, right_ms, 0.05 * right_ms);
    cr_expect_leq(fabs(refined_ms - right_ms), fabs(coarse_ms - right_ms));
}

Test(refined_isthmus, of_0_4_mm_along_the_fibres_is_right_within_5_percent)
{
    expect_conduction(&(isthmus){0.4, 0.2, false}, 0.36);
}
Test(refined_isthmus, of_0_7_mm_across_the_fibres_is_right_within_5_percent)
{
    expect_conduction(&(isthmus){0.7, 0.3, true}, 0.36);
}
Test(refined_isthmus, of_1_4_mm_that_blocks_on_the_coarse_mesh_is_right_within_5_percent)
{
    expect_conduction(&(isthmus){1.4, 0.15, true}, 0.36);
}

/* Converged, these block. */
Test(refined_isthmus, that_blocks_when_converged_blocks_on_every_mesh)
{
    static const isthmus blocked[] = {{0.4, 0.2, true}, {0.2, 0.3, true}, {0.4, 0.12, false}};
    for (size_t k = 0; k < sizeof blocked / sizeof *blocked; k++) {
        const isthmus *i = &blocked[k];
        cr_assert(isinf(reference(i, 0.025, 0.02)));
        make_mesh(i);
        cr_expect(isinf(far_time(i, "gap.hdf")), "%g mm on the coarse mesh", i->width_mm);
        cr_expect(isinf(refined_time(i, 0.36)), "%g mm on the refined mesh", i->width_mm);
    }
}
