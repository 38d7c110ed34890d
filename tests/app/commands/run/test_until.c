/* A run that ends when all elements are activated. */
#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "tests/solver/small_case.h"

static const char body[] = SMALL_SLAB USUAL_TISSUE "time: {end_ms: 30, until: activated}\n" SMALL_STIMULUS(
    "2") "points:\n  - {name: behind, at_mm: [2.7, 0.5, 0.5]}\n"
         "machine: {tiles: 3}\n";

static void enter(void)
{
    enter_room();
    write_text("case.yaml", body);
}

TestSuite(until, .init = enter, .fini = leave_room);

/* At the first integer ms after the latest activation, with the results of a run that ends there. */
Test(until, activated_ends_at_the_ms_in_which_the_last_element_is_activated)
{
    static const char *const backend[] = {"cpu", "ipu"};
    for (int b = 0; b < 2; b++) {
        char *text = works("run case.yaml -o until --format json --set machine.backend=%s", backend[b]);
        const double latest_ms = json_property(text, "latest_activation_ms"),
                     end_ms = json_property(text, "simulated_time_ms");
        cr_assert_eq(json_property(text, "elements_activated_percent"), 100);
        cr_assert_float_eq(end_ms, ceil(latest_ms), 1e-9, "%g ms, the last at %g", end_ms, latest_ms);
        char *same = works("run case.yaml -o same --format json --set machine.backend=%s --set "
                           "time.until=end --set time.end_ms=%g",
            backend[b], end_ms);
        cr_assert_str_eq(same, text);
        cr_assert(same_file("until/activation.csv", "same/activation.csv"));
        cr_assert(same_file("until/activation.png", "same/activation.png"));
        free(text), free(same);
    }
}

/* A corner of the slab is activated after the last element's centre, and the run ends at the next integer ms. The stimulus starts
 * at several times, so that the corner's activation time is after the end in some of the runs. */
Test(until, points_in_the_corner_activated_last_have_an_activation_time)
{
    size_t later = 0;
    for (int k = 0; k < 4; k++) {
        char *text = works("run case.yaml -o until --format json --set machine.backend=cpu --set "
                           "stimuli.0.start_ms=%g --set points=[{\"name\":corner,\"at_mm\":[3,2,1]}]",
            0.26 * k);
        const double corner_ms = json_number(text, "corner", "activation_ms");
        cr_expect_gt(corner_ms, json_property(text, "latest_activation_ms"));
        later += corner_ms > json_property(text, "simulated_time_ms");
        free(text);
    }
    cr_expect_gt(later, 0);
}

Test(until, activated_runs_to_the_end_time_if_elements_are_not_reached)
{
    char *text = works("run case.yaml -o until --format json --set time.end_ms=3");
    cr_assert_lt(json_property(text, "elements_activated_percent"), 100);
    cr_assert_eq(json_property(text, "simulated_time_ms"), 3);
    free(text);
}

Test(until, activated_is_rejected_for_several_beats)
{
    refuses(2, "time.until: activated, and output.beats is every; allowed: with beats: first",
        "run case.yaml -o until --set output.beats=every");
}

Test(until, the_final_checkpoint_is_named_after_the_last_step)
{
    free(works("run case.yaml -o until --set checkpoint.at_end=true"));
    char *text = works("run case.yaml -o same --format json");
    char name[64];
    (void)snprintf(
        name, sizeof name, "until/checkpoint-%010.0f.hdf", json_property(text, "simulated_time_ms") / 0.02);
    cr_assert(there(name), "%s", name);
    free(text);
}

/* Writes a case with scar beyond x = 2 mm, and tissue after it. */
static void write_scar(void)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s", body,
        "regions: [{min_mm: [2, 0, 0], max_mm: [2.5, 2, 1], non_conducting: true}]\n");
    write_text("scar.yaml", text);
}

Test(until, activated_ends_25_ms_after_the_last_reachable_element)
{
    write_scar();
    char *text = works("run scar.yaml -o until --format json --set time.end_ms=100");
    const double latest_ms = json_property(text, "latest_activation_ms");
    cr_assert_lt(json_property(text, "elements_activated_percent"), 100);
    cr_assert_float_eq(json_property(text, "simulated_time_ms"), ceil(latest_ms) + 25, 1e-9);
    free(text);
}

/* The second stimulus is at 40 ms. */
Test(until, activated_waits_for_pending_stimuli)
{
    write_scar();
    char *text = works("run scar.yaml -o until --format json --set time.end_ms=100 --set stimuli.0.count=2 "
                       "--set stimuli.0.period_ms=40");
    cr_assert_float_eq(json_property(text, "simulated_time_ms"), 65, 1e-9);
    free(text);
}
