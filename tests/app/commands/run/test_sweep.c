#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/cli/console.h"
#include "data/core/progress.h"

#include <omp.h>
#include <sys/wait.h>
#include <time.h>

static const char small[] =
    "title: Small slab\n" SMALL_SLAB USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 1}\n"
    "regions:\n"
    "  - {min_mm: [2, 0, 0], max_mm: [3, 2, 1], scale: [g_Kr=0.8], conductivity_factor: 2}\n" SMALL_STIMULUS(
        "2") "points:\n  - {name: a, at_mm: [1, 1, 1]}\nmachine: {tiles: 4}\n";

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("small.yaml", small);
}

#define HOST "--set machine.backend=cpu"

TestSuite(sweep, .init = enter, .fini = leave_room);

static const char *const written[] = {"result.hdf", "activation.png", "activation.csv", "used.yaml",
    "profile.json", "upstroke.png", "traces.csv"};

/* Checks that a single run with this value has the same files as the folder of the sweep. */
static void same_as_alone(const char *set, const char *folder, const char *more)
{
    char alone[320], swept[320];
    size_t n = 0;
    reply r = myotile("run small.yaml -o alone --set %s %s", set, more);
    cr_assert_eq(r.code, 0, "%s", r.said);
    forget(&r);
    for (size_t k = 0; k < sizeof written / sizeof *written; k++) {
        (void)snprintf(alone, sizeof alone, "alone/%s", written[k]);
        (void)snprintf(swept, sizeof swept, "%s/%s", folder, written[k]);
        cr_assert_eq(there(alone), there(swept), "%s", swept);
        if (!there(alone)) continue;
        n++;
        cr_expect(same_file(alone, swept), "%s", swept);
    }
    cr_assert_geq(n, 4);
}

/* Runs the sweep; each of its two values has the files of a single run. */
static void check(const char *key, const char *a, const char *b, const char *more)
{
    const char *const value[] = {a, b}, *dot = strrchr(key, '.');
    char set[256], folder[256];
    reply r = myotile("run small.yaml -o swept --sweep %s=%s,%s %s", key, a, b, more);
    cr_assert_eq(r.code, 0, "%s: %s", key, r.said);
    forget(&r);
    for (int k = 0; k < 2; k++) {
        (void)snprintf(set, sizeof set, "%s=%s", key, value[k]);
        (void)snprintf(folder, sizeof folder, "swept/%s=%s", dot ? dot + 1 : key, value[k]);
        same_as_alone(set, folder, more);
    }
    (void)things(); /* no incomplete files */
}

/* For keys that do not affect the mesh and its operator. (tests/app/run/test_shared.c tests more of them.) */
Test(sweep, files_equal_those_of_single_runs_on_one_mesh)
{
    check("stimuli.0.strength_uA_mm3", "20", "100", "");
    check("cell.scale", "[g_Ks=0.5]", "[g_Na=2,g_Kr=0.5]", HOST " --set output.maps=[upstroke]");
    check("regions.0.scale", "[g_Kr=0.5]", "[]", HOST);
    check("time.dt_ms", "0.02", "0.04", HOST " --set traces.every_ms=0.2");
}

/* For keys that affect them. */
Test(sweep, files_equal_those_of_single_runs_on_different_meshes)
{
    check("mesh.slab.edge_mm", "1", "0.5", "");
    check("regions.0.conductivity_factor", "2", "1.5", HOST);
    check("regions.0.non_conducting", "true", "false", HOST);
    check("machine.tiles", "9", "3", "");
}

Test(sweep, the_table_has_one_row_per_value_on_the_terminal_and_in_a_file)
{
    size_t n;
    char *text = works(
             "run small.yaml --sweep stimuli.0.strength_uA_mm3=0.001,50 --set machine.backend=cpu --set "
             "output.maps=[upstroke] --set time.end_ms=12 --format json --set stimuli.0.max_mm=[3,2,1]"),
         *csv = bytes_of("small/sweep.csv", &n), *alone;
    cr_assert(is_json(text), "%s", text);
    alone = works("run small.yaml -o alone --set machine.backend=cpu --set output.maps=[upstroke] --set "
                  "time.end_ms=12 --format json --set stimuli.0.max_mm=[3,2,1]");
    cr_expect(strstr(csv, "value,elements_activated_percent,latest_activation_ms,median_activation_ms,median_"
                          "upstroke_mv_per_ms,outcome\n0.001,0,,,,done\n50,100,") == csv,
        "%s", csv);
    cr_expect_eq(
        json_number(text, "50", "latest_activation_ms"), json_property(alone, "latest_activation_ms"));
    cr_expect_eq(
        json_number(text, "50", "median_upstroke_mv_per_ms"), json_number(alone, "upstroke", "median"));
    free(text), free(csv), free(alone);
}

Test(sweep, invalid_sweeps_are_rejected_before_the_first_run)
{
    refuses(2, "--sweep time.end_ms=x: x; allowed: a number", "run small.yaml --sweep time.end_ms=1,x");
    refuses(2, "--sweep time.stop_ms=1: unknown key", "run small.yaml --sweep time.stop_ms=1,2");
    refuses(2, "--sweep time.end_ms=1,: an empty value", "run small.yaml --sweep time.end_ms=1,");
    refuses(3, "none.hdf: ", "run small.yaml --sweep start.state=small.yaml,none.hdf");
    refuses(2, "small.yaml, max_mm=[0,0,0]: stimuli.0: no element centre is in the box [",
        "run small.yaml --sweep stimuli.0.max_mm=[1,1,1],[0,0,0]");
    refuses(
        3, "gone.hdf: ", "run small.yaml --set mesh.slab.edge_mm=0 --sweep mesh.file=data/../gone.hdf,b.hdf");
    refuses(2, "machine.tiles: 1473; allowed: at most 1472", "run small.yaml --sweep machine.tiles=2,1473");
    refuses(2, "--profile with --sweep", "run small.yaml --sweep time.end_ms=1,2 --profile out");
    refuses(2, "--sweep without CASE.yaml", "run --sweep time.end_ms=1,2");
    refuses(2, "--sweep is given twice", "run small.yaml --sweep time.end_ms=1,2 --sweep time.dt_ms=1,2");
}

/* Tiles of 32 KiB hold the mesh if there are 50 of them. */
Test(sweep, a_failed_run_is_reported_at_the_end_and_the_others_are_completed)
{
    size_t n;
    write_machine_of("tiny.yaml", 50, 32768);
    reply r = myotile("run small.yaml -o out --sweep machine.tiles=1,40 --set machine.target=tiny.yaml --set "
                      "time.end_ms=0.05 --format csv");
    cr_expect_eq(r.code, 4);
    cr_expect(strstr(r.said,
                  "myotile: 1 of 2 values failed; the first error: small.yaml, tiles=1: tile 0: ") == r.said,
        "%s", r.said);
    char *csv = bytes_of("out/sweep.csv", &n);
    cr_expect(strstr(csv, "\n1,,,,,failed\n40,0,,,") && strstr(csv, ",done\n"), "%s", csv);
    cr_expect(strstr(r.out, csv), "%s", r.out);
    cr_expect(there("out/tiles=40/result.hdf") && !there("out/tiles=1"));
    free(csv);
    forget(&r);
}

Test(sweep, a_signal_before_the_first_run_leaves_no_files)
{
    mt_console_listen(stdout);
    mt_progress_catch_interrupt(NULL);
    (void)raise(SIGTERM);
    refuses(143, "2 of 2 values were not begun", "run small.yaml --sweep time.end_ms=1,2 --output out");
}

/* Ctrl-C in the second of three runs, which would take minutes. */
Test(sweep, a_signal_ends_the_current_run_and_starts_no_other)
{
    int ended = 0;
    size_t n;
    const struct timespec wait = {.tv_nsec = 50000000};
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) _exit(myotile("run small.yaml -o out --sweep time.end_ms=0.1,100000,0.2").code);
    for (int k = 0; k < 400 && !there("out/end_ms=100000/.myotile"); k++) (void)nanosleep(&wait, NULL);
    for (int k = 0; k < 10; k++) (void)nanosleep(&wait, NULL);
    cr_assert_eq(kill(child, SIGINT), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 130, "status %d", ended);
    char *csv = bytes_of("out/sweep.csv", &n);
    cr_expect(strstr(csv, "\n0.1,") && strstr(csv, ",done\n100000,"), "%s", csv);
    cr_expect(strstr(csv, ",stopped\n0.2,,,,,not begun\n"), "%s", csv);
    cr_expect(there("out/end_ms=0.1/used.yaml") && there("out/end_ms=100000/used.yaml") &&
              !there("out/end_ms=0.2"));
    free(csv);
    (void)things();
}

Test(sweep, folders_are_reused)
{
    free(works("run small.yaml -o out --sweep time.end_ms=0.1,0.2"));
    free(works("run small.yaml -o out --sweep time.end_ms=0.2,0.3 --set machine.backend=cpu"));
    cr_expect(there("out/end_ms=0.1/profile.json") && !there("out/end_ms=0.2/profile.json"));
    free(works("run small.yaml -o out/end_ms=0.3 --set time.end_ms=0.1"));
}

/* Streams to the host are not included: the step equals that of a single run's table. */
Test(sweep, the_cycles_of_a_time_step_equal_those_of_a_single_run)
{
    reply single = myotile("run small.yaml -o alone --set cell.scale=[g_Kr=0.5] --format json"),
          swept = myotile("run small.yaml -o swept --sweep cell.scale=[g_Kr=0.5] --format json");
    cr_assert(single.code == 0 && swept.code == 0, "%s%s", single.said, swept.said);
    const double cycles = json_number(single.out, "time_step", "max_cycles");
    cr_expect_gt(cycles, 1000);
    cr_expect_float_eq(json_number(swept.out, "[g_Kr=0.5]", "time_step_cycles"), cycles, 1e-9 * cycles);
    forget(&single), forget(&swept);
}
