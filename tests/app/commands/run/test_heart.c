/* myotile heart: from files to a mesh, a case that can be run again, and maps, fully automatically. */
#include <criterion/criterion.h>

#include <math.h>

#include "tests/app/program.h"

#include "mesh/files/formats.h"
#include "tests/app/heart/heart_files.h"

static void enter(void)
{
    enter_room();
    share_cache();
}

TestSuite(heart, .init = enter, .fini = leave_room);

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
    mt_case input;
    write_bowl(0.25);
    char *text = works("heart bowl.obj -o made --case-only");
    (void)says(text, " mm), for a CV error below 10 %\n");
    const char *late = says(text, "; CV error: activation times about ");
    cr_assert_leq(atoi(late + strlen("; CV error: activation times about ")), 10, "%s", text);
    (void)says(
        text, "case: made/case.yaml; to run it again after a change: myotile run made/case.yaml -o made\n");
    (void)says(text, "time: about ");
    free(text);
    cr_assert_not(there("made/result.hdf"), "--case-only stops before the run");
    read_case(&arena, "made/case.yaml", &input);
    cr_assert_str_eq(input.title, "bowl");
    ok(mt_mesh_read(&arena, "made/heart.hdf", &mesh));
    cr_assert(mt_mesh_length_mm(&mesh) > 0.6 && mt_mesh_length_mm(&mesh) < 0.68, "%g mm, suitable for tp06",
        mt_mesh_length_mm(&mesh));
    mt_arena_free(&arena);
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

Test(heart, several_surfaces_are_merged_if_they_form_a_closed_surface)
{
    write_bowl(0.25);
    char *text = works("heart epi.obj lv.obj base.obj -o made --case-only");
    (void)says(text, "surface: closed, ");
    (void)says(text, "; repaired: points merged");
    (void)says(text, "anatomy: one ventricle");
    free(text);
    refuses(2, "epi.obj and others: the surface is not closed: 64 edges have one triangle",
        "heart epi.obj lv.obj -o open --case-only");
    refuses(2, "lv.obj: the surface is not closed: 32 edges", "heart lv.obj -o open");
    write_slab("slab.hdf", 4, 2, true);
    refuses(2, "slab.hdf: found 48 elements; allowed: one mesh, or surfaces without elements",
        "heart slab.hdf lv.obj -o open");
}

Test(heart, existing_files_are_replaced_with_force_only)
{
    mt_arena arena = {0};
    mt_case input;
    write_slab("slab.hdf", 4, 0.5, true);
    free(works("heart slab.hdf -o made --case-only"));
    refuses(3,
        "made/case.yaml: exists already; to replace it: --force; to run it again: myotile run "
        "made/case.yaml",
        "heart slab.hdf -o made --case-only");
    read_case(&arena, "made/case.yaml", &input);
    cr_expect_eq(input.time.until, MT_CASE_UNTIL_ACTIVATED);
    free(works("heart slab.hdf -o made --case-only --force --beat"));
    read_case(&arena, "made/case.yaml", &input);
    cr_expect_eq(input.time.until, MT_CASE_UNTIL_END, "a complete beat");
    mt_arena_free(&arena);
    refuses(2, "made/heart.hdf: this command would overwrite one of its inputs; allowed: another output",
        "heart made/heart.hdf -o made --force");
    refuses(2, "--elements 99; allowed: a whole number from 100", "heart slab.hdf -o other --elements 99");
    refuses(2, "inch", "heart slab.hdf -o other --unit inch");
    refuses(3, "nothing.obj", "heart nothing.obj -o other");
}

/* The bowl of another test: its cells are calibrated once. */
Test(heart, a_conduction_system_is_generated_and_stimulated)
{
    mt_arena arena = {0};
    mt_case input;
    write_bowl(0.25);
    char *text = works("heart bowl.obj -o made --conduction-system --case-only");
    (void)says(text, "network: His bundle, bundle branches and Purkinje fibres, ");
    (void)says(text, "stimulus: upper end of the His bundle, for 1 ms\n");
    free(text);
    read_case(&arena, "made/case.yaml", &input);
    cr_assert_eq(input.n_stimuli, 0);
    cr_assert_eq(input.network.n_stimuli, 1);
    cr_assert(there(input.network.file));
    free(works(
        "run made/case.yaml -o made --set time.end_ms=0.1 --set time.until=end --set output.report=false"));
    cr_assert(there("made/junctions.csv") && there("made/network.vtp"));
    mt_arena_free(&arena);
}

Test(heart, a_conduction_system_requires_an_anatomy)
{
    write_slab("block.hdf", 12, 0.5, false);
    reply r = myotile("heart block.hdf -o made --elements 10000 --conduction-system --case-only");
    cr_expect_eq(r.code, 2);
    cr_expect(
        strstr(r.said, "block.hdf: the anatomy is unknown; needed for a conduction system"), "%s", r.said);
    cr_assert_not(there("made/case.yaml") || there("made/heart.hdf") || there("made/purkinje.vtp"));
    forget(&r);
}
