/* The mesh and the case of a heart, with its decisions, without the choice of the discretisation: that measures wavefronts on such
 * elements, which takes seconds on coarse meshes. */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/app/program.h"

#include "app/heart/heart_case.h"
#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "mesh/files/formats.h"
#include "mesh/names.h"
#include "tests/app/heart/heart_files.h"

TestSuite(heart_case, .init = enter_room, .fini = leave_room);

static FILE *decisions;
static bool scanner_axes, network; /* of the next case */

static void hear(const char *what, const char *text) { (void)fprintf(decisions, "%s: %s\n", what, text); }

/* Writes heart.hdf and case.yaml; returns the decisions, which the caller frees. `elements`: 0: as required. */
static char *prepare(const char *path, double elements, bool beat)
{
    static const mt_listener listener = {.decision = hear};
    mt_arena arena[2] = {{0}, {0}};
    mt_refining refining = {.arenas = {&arena[0], &arena[1]}};
    const mt_heart_request asked = {.n = 1,
        .path = &path,
        .elements = elements,
        .accuracy_percent = MT_HEART_LATE_PERCENT,
        .mesh = "heart.hdf"};
    mt_heart_mesh made;
    mt_heart_case chosen = {.beat = beat,
        .scanner_axes = scanner_axes,
        .network = network ? "purkinje.vtp" : NULL,
        .accuracy_percent = asked.accuracy_percent};
    char *text;
    size_t n;
    decisions = open_memstream(&text, &n);
    cr_assert_not_null(decisions);
    mt_listen(&listener);
    ok(mt_heart_mesh_make(&asked, &refining, &made));
    ok(mt_heart_case_choose("ventricle", "heart.hdf", &made, &chosen));
    mt_listen(NULL);
    (void)fclose(decisions);
    ok(mt_vtkhdf_write("heart.hdf", &made.mesh, 0, NULL));
    FILE *file = fopen("case.yaml", "w");
    cr_assert_not_null(file);
    mt_heart_case_write(file, &chosen, "myotile run case.yaml -o .");
    cr_assert_eq(fclose(file), 0);
    for (int k = 0; k < 2; k++) mt_arena_free(&arena[k]);
    return text;
}

Test(heart_case, a_surface_becomes_a_tagged_mesh_with_fibres_and_a_case)
{
    mt_arena arena = {0};
    mt_case input;
    mt_mesh mesh;
    mt_surfaces counts;
    char *text = prepare("data/geometry/ventricle.obj", 3000, false);
    (void)says(text, "surface: closed, 322 vertices, 143 mL\n");
    (void)says(text, "anatomy: one ventricle, assumed to be the left, found by the flat base\n");
    (void)says(text, "elements: 3,000 requested, element size ");
    (void)says(text, "; CV error: activation times about 17 % late or more; propagation may fail at element "
                     "sizes above 0.80 mm\n");
    (void)says(text, "fibres: by rule, from 60 degrees at the endocardium to -60 at the epicardium\n");
    (void)says(text, "stimulus: apex at (");
    (void)says(text, "ecg: none: without a right ventricle");
    free(text);
    read_case(&arena, "case.yaml", &input);
    cr_assert_str_eq(input.title, "ventricle");
    cr_assert_eq(input.time.until, MT_CASE_UNTIL_ACTIVATED);
    cr_assert_eq(input.n_stimuli, 1);
    cr_assert_str_eq(input.stimuli[0].region.at, "apex");
    cr_assert_eq(input.n_electrodes, 0);
    ok(mt_mesh_read(&arena, "heart.hdf", &mesh));
    mt_surfaces_count(&mesh, &counts);
    cr_assert(fabs((double)mesh.n_elements / 3000 - 1) <= 0.05, "%zu elements", mesh.n_elements);
    cr_assert(mesh.fibre && mesh.sheet && mesh.depth && mesh.layer);
    cr_assert_eq(counts.n_triangles[0], 0);
    for (int s = MT_SURFACE_BASE; s <= MT_SURFACE_LV; s++) {
        cr_assert_gt(counts.n_triangles[s], 0);
        cr_assert_eq(mt_names_surface_of(&mesh, s), s, "surface %d has its name in the file", s);
    }
    mt_arena_free(&arena);
}

Test(heart_case, a_mesh_is_refined_until_fine_enough_or_up_to_the_requested_number_of_elements)
{
    write_slab("slab.hdf", 4, 2, true); /* 1.1 mm long, 48 elements */
    char *text = prepare("slab.hdf", 0, false);
    (void)says(text,
        "elements: 384 requested, element size 0.55 mm (mean edge 1.16 mm), for a CV error below 10 %\n");
    (void)says(text,
        "mesh: 384 elements, element size 0.55 mm (mean edge 1.24 mm), edges halved once; CV error: "
        "activation times about 4 % late\n");
    (void)says(text, "fibres: from the file, uniform\n");
    free(text);
    text = prepare("slab.hdf", 383, false);
    (void)says(text,
        "mesh: 48 elements, element size 1.10 mm (mean edge 2.42 mm); CV error: activation times about "
        "17 % late or more; propagation may fail at element sizes above 0.80 mm\n");
    free(text);
    text = prepare("slab.hdf", 384, false);
    (void)says(text, "mesh: 384 elements, element size 0.55 mm (mean edge 1.24 mm), edges halved once; ");
    free(text);
}

static void check_leads(void)
{
    mt_arena arena = {0};
    mt_case input, usual;
    char *text = prepare("both.hdf", 6000, false);
    (void)says(text, "anatomy: both ventricles, identified by the names of their tags\n");
    (void)says(text, "ecg: twelve leads, ");
    free(text);
    read_case(&arena, "case.yaml", &input);
    read_case(&arena, "data/cases/s1-s2.yaml", &usual);
    const double frames =
        input.time.end_ms /
        input.series.samples.when.every_ms; /* the end is 1.5 to 2 times the expected time, plus 10 ms */
    cr_assert(input.series.samples.when.every_ms >= 1 && frames >= 40 && frames <= 2 * 40 + 10, "%g", frames);
    cr_assert_eq(input.n_electrodes, usual.n_electrodes);
    for (size_t e = 0; e < input.n_electrodes; e++) {
        cr_assert_str_eq(input.electrodes[e].name, usual.electrodes[e].name);
        for (int k = 0; k < 3; k++)
            cr_assert_float_eq(input.electrodes[e].at_mm[k], usual.electrodes[e].at_mm[k], 12,
                "%s: the centre of the heart is estimated 10 mm away from there", input.electrodes[e].name);
    }
    mt_arena_free(&arena);
}

/* The electrodes have the distances of the chest along x, y and z. */
static void check_scanner_axes(void)
{
    mt_arena arena = {0};
    mt_case input;
    scanner_axes = true;
    char *text = prepare("both.hdf", 6000, false);
    scanner_axes = false;
    (void)says(text,
        "ecg: twelve leads, with the electrode positions of an adult chest in the axes of the scanner\n");
    free(text);
    read_case(&arena, "case.yaml", &input);
    static const double from_ra_to_v6[3] = {290, 0, -205};
    for (int k = 0; k < 3; k++)
        cr_assert_float_eq(
            input.electrodes[8].at_mm[k] - input.electrodes[0].at_mm[k], from_ra_to_v6[k], 0.11);
    mt_arena_free(&arena);
}

/* Tissue and junctions of a case with a conduction system. */
static void check_conduction(void)
{
    mt_arena arena = {0};
    mt_case input, usual;
    network = true;
    free(prepare("both.hdf", 6000, false));
    network = false;
    read_case(&arena, "case.yaml", &input);
    read_case(&arena, "data/cases/patient/sinus.yaml", &usual);
    cr_assert_eq(input.network.n_stimuli, 1);
    cr_assert_eq(input.network.conductivity_mS_mm, usual.network.conductivity_mS_mm);
    cr_assert_eq(input.network.fibres, usual.network.fibres);
    cr_assert_eq(input.network.resistance_kOhm, usual.network.resistance_kOhm);
    cr_assert_eq(input.network.reach_mm, usual.network.reach_mm);
    cr_assert_eq(input.tissue.intracellular_t_mS_mm, usual.tissue.intracellular_t_mS_mm);
    mt_arena_free(&arena);
}

/* Checks that the sites are within 12 mm of the manually chosen sites in data/cases/s1-s2.yaml. */
static void expect_sites_chosen_by_hand(mt_arena *arena, const mt_case *input)
{
    mt_case usual;
    read_case(arena, "data/cases/s1-s2.yaml", &usual);
    for (size_t k = 0; k < 4; k++) {
        const mt_region *found = &input->stimuli[k].region, *expected = &usual.stimuli[k].region;
        double way[3];
        mt_minus3(found->centre_mm, expected->centre_mm, way);
        cr_expect_str_eq(found->surface, expected->surface);
        cr_expect_lt(mt_length3(way), 12, "site %zu: (%g, %g, %g)", k, found->centre_mm[0],
            found->centre_mm[1], found->centre_mm[2]);
    }
}

static void check_complete_beat(void)
{
    mt_arena arena = {0};
    mt_case input;
    char *text = prepare("both.hdf", 6000, true);
    (void)says(
        text, "stimuli: 4 early endocardial activation sites of the human heart (Durrer et al. 1970), ");
    (void)says(text, "cells: M cells in the endocardial layer, epicardial cells elsewhere\n");
    (void)says(text, "gradient: apical g_Ks 2.6 times basal g_Ks (");
    (void)says(text, "ecg: twelve leads, ");
    free(text);
    read_case(&arena, "case.yaml", &input);
    cr_assert_eq(input.n_gradients, 1);
    cr_assert_str_eq(input.gradients[0].parameter, "g_Ks");
    cr_assert_eq(input.gradients[0].along, MT_GRADIENT_APEX_TO_BASE);
    cr_assert_eq(input.gradients[0].first, MT_HEART_APEX_GKS);
    cr_assert_eq(input.time.until, MT_CASE_UNTIL_END);
    cr_assert_gt(input.time.end_ms, 420);
    cr_assert_eq(input.n_stimuli, 4);
    cr_assert_eq(input.stimuli[3].start_ms, 8);
    expect_sites_chosen_by_hand(&arena, &input);
    mt_arena_free(&arena);
}

/* On one mesh, which takes longer than the rest. */
Test(heart_case,
    a_biventricular_heart_has_a_12_lead_ecg_and_a_complete_beat_has_a_gradient_and_lasts_through_repolarisation)
{
    free(works("mesh ventricles --elements 5000 -o both.hdf"));
    check_leads();
    check_scanner_axes();
    check_conduction();
    check_complete_beat();
}
