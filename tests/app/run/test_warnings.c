#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/cli/console.h"
#include "data/core/progress.h"

#include <omp.h>

/* 3 x 2 x 1 mm at 0.5 mm: 288 elements, all activated within 6 ms. */
static const char small[] =
    SMALL_SLAB USUAL_TISSUE "time: {end_ms: 8}\n" SMALL_STIMULUS("2") "machine: {backend: cpu}\n";

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("small.yaml", small);
}

TestSuite(warnings, .init = enter, .fini = leave_room);

/* Writes the small case with a weak stimulus in another place. */
static void write_second_stimulus(const char *path)
{
    static const char second[] =
        "  - {min_mm: [2, 1, 0], max_mm: [3, 2, 1], duration_ms: 2, strength_uA_mm3: 5}\n";
    char text[sizeof small + sizeof second];
    const char *behind = strstr(small, "machine:");
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(behind - small), small, second, behind);
    write_text(path, text);
}

/* ---- messages */

static int kept = -1;

static void begin_listening(void)
{
    const int to = open("stderr", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    (void)fflush(stderr);
    kept = dup(STDERR_FILENO);
    cr_assert(kept >= 0 && dup2(to, STDERR_FILENO) >= 0);
    (void)close(to);
}

/* Returns the messages; the caller frees them. */
static char *end_listening(void)
{
    size_t n;
    (void)fflush(stderr);
    (void)dup2(kept, STDERR_FILENO);
    (void)close(kept);
    return bytes_of("stderr", &n);
}

/* Returns the messages of a successful run with these settings. */
static char *said_of_run(const char *sets)
{
    char line[512], *table;
    (void)snprintf(line, sizeof line, "run small.yaml --output out%s%s", *sets ? " --set " : "", sets);
    char *said = warnings(&table, line);
    free(table);
    return said;
}

static void expect(char *said, const char *warning)
{
    char expected[512];
    (void)snprintf(expected, sizeof expected, "myotile: warning: small.yaml: %s", warning);
    cr_expect(strstr(said, expected), "no '%s' in: %s", expected, said);
    free(said);
}

static void expect_silence(char *said)
{
    cr_expect_str_empty(said, "%s", said);
    free(said);
}

/* ---- before a run */

Test(warnings, warnings_about_a_case_are_printed_when_it_runs)
{
    expect_silence(said_of_run(""));
    expect(said_of_run("tissue.intracellular_t_mS_mm=1.9"),
        "tissue.intracellular_t_mS_mm: found 1.9 mS/mm; usual 0.019 to 0.06\n");
}

Test(warnings, the_warning_about_a_removed_key_names_its_replacement)
{
    char *said = said_of_run("series.movie=true");
    cr_expect_str_eq(said, "myotile: warning: --set series.movie=true: no longer used; report.html plays the "
                           "frames of the series\n");
    free(said);
}

Test(warnings, each_warning_is_one_line_for_any_file_name)
{
    begin_listening();
    mt_console_listen(stdout);
    mt_warn("a\nb\x1b.hdf: %d", 7);
    char *said = end_listening();
    cr_expect_str_eq(said, "myotile: warning: a b .hdf: 7\n");
    free(said);
}

/* Returns the messages of `mesh fibres`, which come before the mesh is read. */
static char *said_of_fibres(const char *options)
{
    begin_listening();
    reply r = myotile("mesh fibres none.hdf -o out.hdf %s", options);
    char *said = end_listening();
    cr_assert_eq(r.code, 3, "%s", r.said);
    forget(&r);
    return said;
}

Test(warnings, angles_that_look_like_radians_cause_a_warning_naming_their_option)
{
    static const char *const options[] = {"--endo-deg", "--epi-deg", "--sheet-endo-deg", "--sheet-epi-deg"};
    for (int k = 0; k < 4; k++) {
        char given[64], expected[128];
        (void)snprintf(given, sizeof given, "%s -1.05", options[k]);
        (void)snprintf(expected, sizeof expected,
            "myotile: warning: none.hdf: %s: found -1.05 degrees, possibly meant in radians "
            "(-60.2 degrees); usual",
            options[k]);
        char *said = said_of_fibres(given);
        cr_expect(strncmp(said, expected, strlen(expected)) == 0, "%s: %s", given, said);
        free(said);
    }
    expect_silence(said_of_fibres("--endo-deg 60 --epi-deg=-60 --sheet-endo-deg 0 --layers 1,1,1"));
    expect_silence(said_of_fibres("--endo-deg 3.2"));
}

/* ---- after it */

/* The second pulse is 10 ms after the first, in the plateau. */
Test(warnings, a_later_pulse_without_capture_is_reported_with_its_time)
{
    static const char *const backends[] = {"cpu", "ipu"};
    for (int k = 0; k < 2; k++) {
        char sets[256];
        (void)snprintf(sets, sizeof sets,
            "stimuli.0.count=2 --set stimuli.0.period_ms=10 --set time.end_ms=18 --set machine.backend=%s "
            "--set machine.tiles=4",
            backends[k]);
        expect(said_of_run(sets), "stimuli.0: found 1 of 2 pulses without capture, the first at 10 ms: no "
                                  "element was below 0 mV at its start and above that 5 ms after its end; "
                                  "usual: pulses of sufficient strength, in tissue that is not refractory");
    }
}

/* A tenth of the benchmark's strength. V starts at -85 mV and cannot rise by more than the stimulus adds in 2 ms. */
Test(warnings, a_stimulus_without_activation_is_reported_with_its_peak_voltage)
{
    char *said = said_of_run("stimuli.0.strength_uA_mm3=5"), *table;
    const char *peak = strstr(said, "it raised V of its 108 elements to ");
    cr_assert(
        strncmp(said, "myotile: warning: small.yaml: stimuli.0: found no activation by 8 ms: ", 70) == 0 &&
            peak,
        "%s", said);
    const double peak_mV = strtod(peak + strlen("it raised V of its 108 elements to "), NULL);
    cr_expect(peak_mV > -85 + 2 && peak_mV < -85.23 + 2 * 5 / 1.4, "%g mV", peak_mV);
    cr_expect(strstr(said, "3.571 mV/ms (strength_uA_mm3 5 over chi Cm) for 2 ms; usual 35.7 mV/ms for 2 ms"),
        "%s", said);
    cr_expect_eq(strchr(said, '\n'), said + strlen(said) - 1, "one line: %s", said);
    free(said);
    said = said_of_run("time.end_ms=0.1");
    cr_expect(strstr(said, "; usual a run that continues after 2 ms, when the stimulus ends"), "%s", said);
    free(said);
    said = said_of_run("stimuli.0.start_ms=7.995"); /* its first time step is after the end */
    cr_expect(strstr(said, "small.yaml: stimuli.0: not on in any step before the end at 8 ms\n"), "%s", said);
    free(said);
    /* no warning for a weak stimulus if another captures: its wavefront activates these elements */
    write_second_stimulus("two.yaml");
    said = warnings(&table, "run two.yaml --output out");
    cr_expect_str_empty(said, "%s", said);
    free(said), free(table);
}

/* The table has it, too. */
Test(warnings, ongoing_propagation_at_the_end_time_causes_a_warning)
{
    char *table, *said = warnings(&table, "run small.yaml --output out --set time.end_ms=3 --format json");
    const double activated = json_property(table, "elements_activated_percent"),
                 lately = json_property(table, "elements_activated_in_last_5_ms_percent");
    char expected[256];
    cr_expect(activated > 40 && activated < 90 && lately == activated, "%g and %g %%", activated, lately);
    (void)snprintf(expected, sizeof expected,
        "small.yaml: time.end_ms: found activation still propagating at 3 ms: %.0f of 288 elements (%.3g %%) "
        "are not activated yet; usual: an end after the last activation",
        2.88 * (100 - activated), 100 - activated);
    cr_expect(strstr(said, expected), "%s", said);
    free(said), free(table);
    said = warnings(&table, "run small.yaml --output out --set time.end_ms=20 --format json");
    cr_expect_str_empty(said);
    cr_expect_eq(json_property(table, "elements_activated_in_last_5_ms_percent"), 0);
    free(said), free(table);
}

/* The message names an element of the stimulus, although V is also NaN in elements with lower numbers by then. */
Test(warnings, an_invalid_voltage_is_reported_with_location_time_and_stimulus)
{
    static const char *const backends[] = {"cpu", "ipu --set machine.tiles=8"};
    for (int k = 0; k < 2; k++) {
        char line[256];
        (void)snprintf(line, sizeof line,
            "run small.yaml --set machine.backend=%s --set stimuli.0.strength_uA_mm3=50000 --set "
            "stimuli.0.min_mm=[2.5,1.5,0.5] --set stimuli.0.max_mm=[3,2,1]",
            backends[k]);
        refuses(5,
            "small.yaml: element 282 at [2.625, 1.75, 0.875] mm: V is not a number between 0 and 1 ms; it "
            "must",
            "%s", line);
        refuses(5,
            "; stimuli.0 was on there and raises V by 3.571e+04 mV/ms: a smaller strength_uA_mm3 or "
            "time.dt_ms may help",
            "%s", line);
    }
}
