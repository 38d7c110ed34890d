/* myotile heart: from files to a mesh, a case that can be run again, and maps, fully automatically. */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/app/program.h"

#include "app/heart/heart_case.h"
#include "data/core/vec3.h"
#include "mesh/anatomy/surfaces.h"
#include "mesh/files/formats.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/make/slab.h"
#include "mesh/names.h"
#include "solver/case/case.h"
#include "solver/outputs/leads.h"
#include "tests/answers.h"
#include "tests/mesh/bowl.h"

TestSuite(heart, .init = enter_room, .fini = leave_room);

/* Writes the triangles with this tag (0: all) as OBJ, scaled by `scale`. */
static void write_obj(const char *path, const mt_mesh *mesh, int32_t tag, double scale)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *x = mesh->xyz_mm + 3 * v;
        (void)fprintf(file, "v %.9g %.9g %.9g\n", scale * x[0], scale * x[1], scale * x[2]);
    }
    for (size_t t = 0; t < mesh->n_faces; t++) {
        const uint32_t *v = mesh->face_vertex + 3 * t;
        if (tag == 0 || mesh->face_tag[t] == tag)
            (void)fprintf(file, "f %u %u %u\n", v[0] + 1, v[1] + 1, v[2] + 1);
    }
    cr_assert_eq(fclose(file), 0);
}

/* Writes a left ventricle: complete, and its epicardium, endocardium and base separately. */
static void write_bowl(double scale)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    bowl_make(&arena, 40, 28, 90, &bowl);
    write_obj("bowl.obj", &bowl, 0, scale);
    write_obj("epi.obj", &bowl, MT_SURFACE_EPI, scale);
    write_obj("lv.obj", &bowl, MT_SURFACE_LV, scale);
    write_obj("base.obj", &bowl, MT_SURFACE_BASE, scale);
    mt_arena_free(&arena);
}

static void write_slab(const char *path, double x_mm, double edge_mm, bool fibres)
{
    mt_arena arena = {0};
    mt_mesh slab;
    ok(mt_slab_make(&arena, (const double[]){x_mm, 4, 4}, edge_mm, &slab));
    if (!fibres) slab.fibre = slab.sheet = NULL;
    ok(mt_vtkhdf_write(path, &slab, 0, NULL));
    mt_arena_free(&arena);
}

/* Returns the line of the text that contains `what`; the test fails if it is missing. */
static const char *says(const char *text, const char *what)
{
    const char *line = strstr(text, what);
    cr_assert(line, "no '%s' in: %s", what, text);
    return line;
}

static void read_case(mt_arena *arena, const char *path, mt_case *input)
{
    ok(mt_case_load(arena, path, NULL, 0, input));
}

Test(heart, a_surface_becomes_a_tagged_mesh_with_fibres_and_a_case)
{
    mt_arena arena = {0};
    mt_case input;
    mt_mesh mesh;
    mt_surfaces counts;
    char *text = works("heart data/geometry/ventricle.obj --elements 3000 -o made --case-only");
    (void)says(text, "surface: closed, 322 vertices, 143 mL\n");
    (void)says(text, "anatomy: one ventricle, assumed to be the left, found by the flat base\n");
    (void)says(text, "elements: 3,000 requested, element size ");
    (void)says(text, "; CV error: activation times about 17 % late or more; propagation may fail at element "
                     "sizes above 0.80 mm\n");
    (void)says(text, "fibres: by rule, from 60 degrees at the endocardium to -60 at the epicardium\n");
    (void)says(text, "stimulus: apex at (");
    (void)says(text, "ecg: none: without a right ventricle");
    (void)says(
        text, "case: made/case.yaml; to run it again after a change: myotile run made/case.yaml -o made\n");
    (void)says(text, "time: about ");
    free(text);
    cr_assert_not(there("made/result.hdf"), "--case-only stops before the run");
    read_case(&arena, "made/case.yaml", &input);
    cr_assert_str_eq(input.title, "ventricle");
    cr_assert_eq(input.time.until, MT_CASE_UNTIL_ACTIVATED);
    cr_assert_eq(input.n_stimuli, 1);
    cr_assert_str_eq(input.stimuli[0].region.at, "apex");
    cr_assert_eq(input.n_electrodes, 0);
    ok(mt_mesh_read(&arena, input.mesh.file, &mesh));
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

Test(heart, a_generated_case_runs_again_from_another_folder)
{
    write_slab("slab.hdf", 4, 0.5, true);
    free(works("heart slab.hdf -o made --case-only"));
    cr_assert_eq(mkdir("elsewhere", 0700), 0);
    cr_assert_eq(chdir("elsewhere"), 0);
    free(works("run ../made/case.yaml -o ../made --set time.end_ms=1"));
    cr_assert_eq(chdir(".."), 0);
    cr_assert(there("made/result.hdf") && there("made/heart.hdf") && there("made/case.yaml"));
}

Test(heart, without_a_number_of_elements_the_expected_delay_is_below_10_percent)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_bowl(0.25);
    char *text = works("heart bowl.obj -o made --case-only");
    (void)says(text, " mm), for a CV error below 10 %\n");
    const char *late = says(text, "; CV error: activation times about ");
    cr_assert_leq(atoi(late + strlen("; CV error: activation times about ")), 10, "%s", text);
    free(text);
    ok(mt_mesh_read(&arena, "made/heart.hdf", &mesh));
    cr_assert(mt_mesh_length_mm(&mesh) > 0.6 && mt_mesh_length_mm(&mesh) < 0.68, "%g mm, suitable for tp06",
        mt_mesh_length_mm(&mesh));
    mt_arena_free(&arena);
}

Test(heart, a_mesh_is_refined_until_fine_enough_or_up_to_the_requested_number_of_elements)
{
    write_slab("slab.hdf", 4, 2, true); /* 1.1 mm long, 48 elements */
    char *text = works("heart slab.hdf -o fine --case-only");
    (void)says(text,
        "elements: 384 requested, element size 0.55 mm (mean edge 1.16 mm), for a CV error below 10 %\n");
    (void)says(text,
        "mesh: 384 elements, element size 0.55 mm (mean edge 1.24 mm), edges halved once; CV error: "
        "activation times about 4 % late\n");
    (void)says(text, "fibres: from the file, uniform\n");
    free(text);
    text = works("heart slab.hdf -o coarse --case-only --elements 383");
    (void)says(text,
        "mesh: 48 elements, element size 1.10 mm (mean edge 2.42 mm); CV error: activation times about "
        "17 % late or more; propagation may fail at element sizes above 0.80 mm\n");
    free(text);
    text = works("heart slab.hdf -o finer --case-only --elements 384");
    (void)says(text, "mesh: 384 elements, element size 0.55 mm (mean edge 1.24 mm), edges halved once; ");
    free(text);
}

Test(heart, a_body_without_anatomy_is_stimulated_at_one_end_and_conducts_isotropically)
{
    mt_arena arena = {0};
    mt_case input;
    write_slab("block.hdf", 12, 0.5, false);
    char *text = works("heart block.hdf -o made --elements 10000 --case-only");
    (void)says(text, "anatomy: none: ");
    (void)says(text, "fibres: none, as the anatomy is unknown; isotropic conductivity");
    (void)says(text, "stimulus: lower end of the longest axis, at (");
    (void)says(text, "ecg: none: the orientation of the heart in the chest is unknown");
    free(text);
    read_case(&arena, "made/case.yaml", &input);
    cr_assert_eq(input.tissue.intracellular_l_mS_mm, mt_medium_default.intracellular_t_mS_mm);
    cr_assert_eq(input.tissue.extracellular_l_mS_mm, mt_medium_default.extracellular_t_mS_mm);
    const double x = input.stimuli[0].region.centre_mm[0];
    cr_assert(x < 1 || x > 11, "%g mm is at an end", x);
    mt_arena_free(&arena);
}

Test(heart, a_run_lasts_until_full_activation_and_writes_its_files)
{
    write_slab("slab.hdf", 6, 0.5, true);
    char *text = works("heart slab.hdf -o made --accuracy 5");
    (void)says(
        text, "discretisation: voltages at the elements: expected error 2.6 %, allowed 5 %; vertices: 7.1 %");
    (void)says(text, "activation: all 4,608 elements activated, the last at ");
    (void)says(text, "files: in made: report.html (for a browser), activation.png (the picture), result.hdf "
                     "(for ParaView), series.hdf, series.xdmf, used.yaml\n");
    free(text);
    static const char *const files[] = {"heart.hdf", "case.yaml", "activation.png", "conduction_velocity.png",
        "result.hdf", "activation.csv", "series.hdf", "used.yaml", "report.html"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[64];
        (void)snprintf(path, sizeof path, "made/%s", files[k]);
        cr_assert(there(path), "%s", path);
    }
}

/* 13 x 9 x 9 vertices. */
Test(heart, a_mesh_that_is_fine_enough_has_its_voltages_at_the_vertices)
{
    mt_arena arena = {0};
    mt_case input;
    write_slab("slab.hdf", 6, 0.5, true);
    char *text = works("heart slab.hdf -o made --elements 4608");
    (void)says(text,
        "discretisation: voltages at the vertices: expected error 7.1 %, allowed 10 %; elements: 2.6 %, "
        "about five times the time\n");
    (void)says(text, "activation: all 1,053 vertices activated, the last at ");
    free(text);
    read_case(&arena, "made/case.yaml", &input);
    cr_expect(mt_case_is_auto(&input));
    cr_expect_eq(mt_case_accuracy_percent(&input), 10);
    read_case(&arena, "made/used.yaml", &input);
    cr_expect(mt_case_at_vertices(&input));
    refuses(2, "--accuracy 0; allowed", "heart slab.hdf -o made --force --accuracy 0");
    mt_arena_free(&arena);
}

Test(heart, an_allowed_error_is_in_the_case_and_refines_a_mesh)
{
    mt_arena arena = {0};
    mt_case input;
    write_slab("slab.hdf", 4, 1, true); /* 0.55 mm: 4 % late */
    free(works("heart slab.hdf -o coarse --case-only --accuracy 4.5"));
    char *text = works("heart slab.hdf -o fine --case-only --accuracy 3");
    (void)says(text, "for a CV error below 3 %\n");
    (void)says(text, "mesh: 3,072 elements, element size 0.28 mm (mean edge 0.63 mm), edges halved once; ");
    free(text);
    read_case(&arena, "coarse/case.yaml", &input);
    cr_expect(mt_case_is_auto(&input));
    cr_expect_eq(mt_case_accuracy_percent(&input), 4.5);
    mt_arena_free(&arena);
}

static void check_leads(void)
{
    mt_arena arena = {0};
    mt_case input, usual;
    char *text = works("heart both.hdf --elements 6000 -o made --case-only");
    (void)says(text, "anatomy: both ventricles, identified by the names of their tags\n");
    (void)says(text, "ecg: twelve leads, ");
    free(text);
    read_case(&arena, "made/case.yaml", &input);
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
    char *text = works("heart both.hdf --elements 6000 -o beat --case-only --beat");
    (void)says(
        text, "stimuli: 4 early endocardial activation sites of the human heart (Durrer et al. 1970), ");
    (void)says(text, "cells: M cells in the endocardial layer, epicardial cells elsewhere\n");
    (void)says(text, "gradient: apical g_Ks 2.6 times basal g_Ks (");
    (void)says(text, "ecg: twelve leads, ");
    free(text);
    read_case(&arena, "beat/case.yaml", &input);
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
Test(heart,
    a_biventricular_heart_has_a_12_lead_ecg_and_a_complete_beat_has_a_gradient_and_lasts_through_repolarisation)
{
    free(works("mesh ventricles --elements 5000 -o both.hdf"));
    check_leads();
    check_complete_beat();
}

Test(heart, several_surfaces_are_merged_if_they_form_a_closed_surface)
{
    write_bowl(1);
    char *text = works("heart epi.obj lv.obj base.obj -o made --elements 3000 --case-only");
    (void)says(text, "surface: closed, ");
    (void)says(text, "; repaired: points merged");
    (void)says(text, "anatomy: one ventricle");
    free(text);
    refuses(2, "epi.obj and others: the surface is not closed: 64 edges have one triangle",
        "heart epi.obj lv.obj -o open --elements 3000 --case-only");
    refuses(2, "lv.obj: the surface is not closed: 32 edges", "heart lv.obj -o open");
    write_slab("slab.hdf", 4, 2, true);
    refuses(2, "slab.hdf: found 48 elements; allowed: one mesh, or surfaces without elements",
        "heart slab.hdf lv.obj -o open");
}

Test(heart, existing_files_are_replaced_with_force_only)
{
    write_slab("slab.hdf", 4, 2, true);
    free(works("heart slab.hdf -o made --case-only"));
    refuses(3,
        "made/case.yaml: exists already; to replace it: --force; to run it again: myotile run "
        "made/case.yaml",
        "heart slab.hdf -o made --case-only");
    free(works("heart slab.hdf -o made --case-only --force"));
    refuses(2, "made/heart.hdf: this command would overwrite one of its inputs; allowed: another output",
        "heart made/heart.hdf -o made --force");
    refuses(2, "--elements 99; allowed: a whole number from 100", "heart slab.hdf -o other --elements 99");
    refuses(2, "inch", "heart slab.hdf -o other --unit inch");
    refuses(3, "nothing.obj", "heart nothing.obj -o other");
}
