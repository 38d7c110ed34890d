/* Cases with voltages at the vertices: refused keys, cells and stimuli. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/case/case_on_mesh.h"
#include "tests/mesh/tagged_slab.h"
#include "tests/sets.h"
#include "tests/solver/small_case.h"

static const char body[] = SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 8}\n" SMALL_STIMULUS("2") "diffusion: {discretisation: nodes}\nmachine: {backend: cpu}\n";

static mt_arena arena;
static void end(void) { mt_arena_free(&arena); }

TestSuite(nodes, .fini = end);

static mt_status read(const char *const *sets, size_t n, mt_case *c)
{
    return mt_case_read(&arena, "case.yaml", body, sets_of(sets, n), n, c);
}

Test(nodes, keys_of_elements_are_refused_with_vertices_one_by_one)
{
    static const struct {
        const char *set, *message;
    } refused[] = {{"diffusion.spreading=0", "case.yaml: diffusion.spreading: 0; allowed with "
                                             "diffusion.discretisation nodes: the default; "
                                             "diffusion.nodal_spreading sets the spreading"},
        {"diffusion.spreading_of_cells=[0.05,0.06]", "case.yaml: diffusion.spreading_of_cells: 2 numbers; "
                                                     "allowed with diffusion.discretisation nodes: "
                                                     "none; diffusion.nodal_spreading sets the spreading"},
        {"diffusion.damping=1.5",
            "case.yaml: diffusion.damping: 1.5; allowed with diffusion.discretisation nodes: 1.6"},
        {"diffusion.correction=over-relaxed", "case.yaml: diffusion.correction: over-relaxed; allowed with "
                                              "diffusion.discretisation nodes: minimum"}};
    mt_case c;
    cr_assert_eq(read(NULL, 0, &c), MT_OK, "%s", mt_message());
    cr_expect(mt_case_at_vertices(&c));
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        cr_expect_eq(read(&refused[k].set, 1, &c), MT_INPUT, "%s", refused[k].set);
        cr_expect_str_eq(mt_message(), refused[k].message);
    }
}

Test(nodes, implicit_steps_and_double_words_are_allowed_as_with_elements)
{
    static const char *const sets[] = {
        "diffusion.accumulation=double-word", "diffusion.method=implicit", "diffusion.scheme=crank-nicolson"};
    mt_case c;
    cr_assert_eq(read(sets, 1, &c), MT_OK, "%s", mt_message());
    cr_expect_eq(c.diffusion.accumulation, MT_ACCUMULATION_DOUBLE_WORD);
    cr_assert_eq(read(sets + 1, 2, &c), MT_OK, "%s", mt_message());
    cr_expect_eq(mt_case_diffusing(&c), MT_DIFFUSING_CRANK_NICOLSON);
    cr_expect_eq(read(sets, 2, &c), MT_INPUT, "both");
}

/* Both keys have their meaning with one discretisation only. */
Test(nodes, the_spreading_of_vertices_is_refused_with_elements)
{
    const char *sets[] = {"diffusion.discretisation=elements", "diffusion.nodal_spreading=0.5"};
    mt_case c;
    cr_assert_eq(read(sets, 1, &c), MT_OK, "%s", mt_message());
    cr_expect_not(mt_case_at_vertices(&c));
    cr_expect_eq(read(sets, 2, &c), MT_INPUT);
    cr_expect_str_eq(mt_message(), "case.yaml: diffusion.nodal_spreading: 0.5, with diffusion.discretisation "
                                   "elements; allowed: 1; diffusion.spreading sets the spreading");
}

Test(nodes, an_accuracy_has_a_meaning_with_auto_only)
{
    const char *sets[] = {"diffusion.accuracy_percent=5", "diffusion.discretisation=auto"};
    mt_case c;
    cr_assert_eq(read(sets, 1, &c), MT_OK, "%s", mt_message());
    cr_expect(isnan(c.diffusion.accuracy_percent) && mt_case_at_vertices(&c));
    cr_assert_eq(read(sets, 2, &c), MT_OK, "%s", mt_message());
    cr_expect(mt_case_is_auto(&c) && !mt_case_at_vertices(&c));
    cr_expect_eq(mt_case_accuracy_percent(&c), 5);
    cr_assert_eq(mt_case_need_elements("case.yaml", &c), MT_OK, "auto becomes elements");
    cr_expect_not(mt_case_is_auto(&c));
    cr_expect(isnan(c.diffusion.accuracy_percent));
    cr_assert_eq(read(sets + 1, 1, &c), MT_OK, "%s", mt_message());
    cr_expect_eq(mt_case_accuracy_percent(&c), MT_CASE_ACCURACY_PERCENT);
}

/* Boxes of 0.5 mm; elements at x < 2 are endo, those at x < 3 mid, others epi. */
static mt_mesh layered(void)
{
    mt_mesh mesh;
    tagged_slab(&arena, (double[]){4, 1, 1}, 0.5, &mesh);
    mesh.layer = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.layer);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        mesh.layer[c] = x[0] < 2 ? MT_LAYER_ENDO : x[0] < 3 ? MT_LAYER_MID : MT_LAYER_EPI;
    }
    return mesh;
}

static const char *name_at(const mt_monodomain *problem, size_t vertex)
{
    return mt_monodomain_variant(problem, vertex)->name;
}

/* Vertices in a plane between two layers have half of their volume in each: the inner layer has them. */
Test(nodes, a_vertex_belongs_to_the_layer_with_most_of_its_volume_and_to_the_inner_one_of_equals)
{
    static const char *const set = "cell.type=layers";
    const mt_mesh mesh = layered();
    mt_monodomain problem = {.variant = 0};
    mt_case c;
    cr_assert_eq(read(&set, 1, &c), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_case_cells(&arena, &c, &mesh, &(mt_unknowns){&mesh, true}, &problem), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double x = mesh.xyz_mm[3 * v];
        cr_assert_str_eq(name_at(&problem, v), x <= 2 ? "endo" : x <= 3 ? "mid" : "epi", "at %g", x);
    }
}

/* The regions are applied in order, each to the vertices in it. */
Test(nodes, regions_and_gradients_change_the_cells_of_vertices_by_their_positions)
{
    static const char *const sets[] = {"gradients=[{parameter: g_Ks, along: x, first: 1, last: 2}]",
        "regions=[{min_mm: [1, 0, 0], max_mm: [2, 1, 1], type: mid}, {tag: 1, set: [K_o=6]}]"};
    const mt_mesh mesh = layered();
    mt_monodomain problem = {.variant = 0};
    mt_case c;
    cr_assert_eq(read(sets, 2, &c), MT_OK, "%s", mt_message());
    for (size_t e = 0; e < mesh.n_elements; e++) mesh.region[e] = mesh.layer[e] == MT_LAYER_EPI ? 1 : 2;
    cr_assert_eq(
        mt_case_cells(&arena, &c, &mesh, &(mt_unknowns){&mesh, true}, &problem), MT_OK, "%s", mt_message());
    size_t g_ks = 0, k_o = 0;
    while (strcmp(problem.model->parameters[g_ks].name, "g_Ks") != 0) g_ks++;
    while (strcmp(problem.model->parameters[k_o].name, "K_o") != 0) k_o++;
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        const double x = mesh.xyz_mm[3 * v], step = fmin(floor(4 * x), 15);
        const bool mid = x >= 1 && x <= 2;
        const mt_cell_variant *cells = mt_monodomain_variant(&problem, v), *base;
        size_t type;
        cr_assert_eq(mt_cell_variant_find(problem.model, mid ? "mid" : "epi", &type), MT_OK);
        base = &problem.model->variants[type];
        cr_assert_float_eq(cells->parameters[g_ks] / base->parameters[g_ks], 1 + (step + 0.5) / 16, 1e-12,
            "at %g: %s", x, cells->name);
        cr_assert_eq(cells->parameters[k_o], x >= 3 ? 6 : base->parameters[k_o], "at %g", x);
    }
}

Test(nodes, a_stimulus_consists_of_the_vertices_of_its_region)
{
    const mt_mesh mesh = layered();
    mt_stimulus *stimulus;
    mt_case c;
    size_t k = 0;
    cr_assert_eq(read(NULL, 0, &c), MT_OK);
    cr_assert_eq(mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, true}, &stimulus), MT_OK, "%s",
        mt_message());
    for (size_t v = 0; v < mesh.n_vertices; v++)
        if (mesh.xyz_mm[3 * v] <= 1.5) cr_assert_eq(stimulus->element[k++], v);
    cr_expect_eq(stimulus->n_elements, k);
    cr_expect_float_eq(stimulus->rise_mV_ms, 50 / 1.4, 1e-12);
}
