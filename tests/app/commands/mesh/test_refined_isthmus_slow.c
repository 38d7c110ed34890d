/* Activation through narrow isthmuses of weak tissue on a coarse mesh of Gmsh, refined only in the isthmus, compared with a converged sheet
 * (tests/solver/isthmus.h). */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/gmsh_run.h"
#include "tests/solver/isthmus.h"

TestSuite(refined_isthmus, .init = enter_room, .fini = leave_room);

static const double coarse_edge_mm = 0.72, end_ms = 140;

/* Makes a slab of 12 x 6 x 1.5 mm with the gap in a wall of 2 mm. */
static void make_mesh(const isthmus *i)
{
    char geometry[1024];
    char *arguments[] = {
        "gmsh", "-3", "-nt", "1", "-v", "1", "-format", "msh2", "-o", "gap.msh", "gap.geo", NULL};
    const double low = 3 - i->gap_mm / 2, high = 3 + i->gap_mm / 2;
    (void)snprintf(geometry, sizeof geometry,
        "SetFactory(\"OpenCASCADE\");\n"
        "Box(1) = {0, 0, 0, 5, 6, 1.5};\nBox(2) = {5, 0, 0, 2, %g, 1.5};\nBox(3) = {5, %g, 0, 2, %g, 1.5};\n"
        "Box(4) = {5, %g, 0, 2, %g, 1.5};\nBox(5) = {7, 0, 0, 5, 6, 1.5};\n"
        "BooleanFragments{Volume{1:5}; Delete;}{}\n"
        "Physical Volume(\"wall\", 2) = {2, 4};\nPhysical Volume(\"tissue\", 1) = {1, 3, 5};\n"
        "Mesh.MeshSizeMin = %g;\nMesh.MeshSizeMax = %g;\n",
        low, low, i->gap_mm, high, 6 - high, coarse_edge_mm, coarse_edge_mm);
    write_text("gap.geo", geometry);
    cr_assert_eq(gmsh_run(arguments), 0, "the gmsh program is needed to make this test's mesh");
    free(works("mesh fibres gap.msh --axis %s -o gap.hdf --force", i->transverse ? "0,1,0" : "1,0,0"));
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
        mesh, i->g_Na, end_ms);
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

/* Refinement also makes the times better where the coarse mesh conducts. */
static void expect_conduction(const struct isthmus_case *c, double edge_mm)
{
    const isthmus *i = &c->isthmus;
    make_mesh(i);
    const double right_ms = c->reference_ms, coarse_ms = far_time(i, "gap.hdf"),
                 refined_ms = refined_time(i, edge_mm);
    cr_log_info("%g mm wide, g_Na %g: %g +- %g ms, coarse %.2f, refined %.2f (%+.1f %%)", i->gap_mm, i->g_Na,
        right_ms, c->band_ms, coarse_ms, refined_ms, 100 * (refined_ms / right_ms - 1));
    cr_expect_float_eq(refined_ms, right_ms, 0.05 * right_ms);
    cr_expect_leq(fabs(refined_ms - right_ms), fabs(coarse_ms - right_ms) + c->band_ms);
}

/* The second blocks on the coarse mesh. */
Test(refined_isthmus, activation_times_are_right_within_5_percent)
{
    for (size_t k = 0; k < ISTHMUS_CASES; k++)
        if (!isthmus_cases[k].isthmus.local) expect_conduction(&isthmus_cases[k], 0.36);
}

Test(refined_isthmus, that_blocks_when_converged_blocks_on_every_mesh)
{
    static const isthmus blocked[] = {
        {"", 0.4, 2, true, 0.2, false}, {"", 0.2, 2, true, 0.3, false}, {"", 0.4, 2, false, 0.12, false}};
    for (size_t k = 0; k < sizeof blocked / sizeof *blocked; k++) {
        const isthmus *i = &blocked[k];
        cr_assert(isinf(isthmus_time(i, 0.025, 0.02, false)));
        make_mesh(i);
        cr_expect(isinf(far_time(i, "gap.hdf")), "%g mm on the coarse mesh", i->gap_mm);
        cr_expect(isinf(refined_time(i, 0.36)), "%g mm on the refined mesh", i->gap_mm);
    }
}
