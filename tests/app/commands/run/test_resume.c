/* Checkpoints and --resume, by command. Killed runs are tested in tests/app/results/test_crash_recovery_slow.c. */
#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "mesh/vtk/vtkhdf.h"
#include "tests/solver/small_case.h"

#include <omp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* A region is non-conducting, so that the numbers of elements change. */
static const char body[] = SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 8}\nregions:\n  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], non_conducting: "
    "true}\n" SMALL_STIMULUS("2") "points:\n  - {name: behind, at_mm: [2.7, 0.5, 0.5]}\nmachine: {tiles: 3}\n"
                                  "checkpoint: {at_end: true}\n";

enum { N = 288 };

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
}

TestSuite(resume, .init = enter, .fini = leave_room);

static void same_results(const char *a, const char *b, bool with_profile)
{
    static const char *const names[] = {
        "result.hdf", "activation.csv", "used.yaml", "activation.png", "profile.json"};
    char in_a[64], in_b[64];
    for (size_t k = 0; k < sizeof names / sizeof *names - !with_profile; k++) {
        (void)snprintf(in_a, sizeof in_a, "%s/%s", a, names[k]);
        (void)snprintf(in_b, sizeof in_b, "%s/%s", b, names[k]);
        cr_expect(same_file(in_a, in_b), "%s and %s", in_a, in_b);
    }
}

/* Runs to 3.5 ms, with a checkpoint at the end, and resumes from it to 8 ms. */
static void in_two(const char *sets, const char *more, const char *folder)
{
    free(works("run case.yaml --set time.end_ms=3.5 -o %s%s", folder, sets));
    cr_assert(there("two/checkpoint-0000000175.hdf"));
    free(works("run --resume %s --set time.end_ms=8%s", folder, more));
    cr_assert_not(there("two/checkpoint-0000000175.hdf"), "a completed run keeps only its final checkpoint");
    cr_assert(there("two/checkpoint-0000000400.hdf"));
}

Test(resume, a_resumed_run_writes_the_files_of_an_uninterrupted_run)
{
    static const char *const sets[] = {"", " --set machine.backend=cpu",
        " --set diffusion.spreading=0 --set cell.model=mitchell-schaeffer --set cell.type=standard"};
    for (int k = 0; k < 3; k++) {
        free(works("run case.yaml -o one%s", sets[k]));
        in_two(sets[k], "", "two");
        same_results("one", "two", k != 1);
        cr_expect(same_file("one/checkpoint-0000000400.hdf", "two/checkpoint-0000000400.hdf"));
    }
}

Test(resume, on_other_tiles_the_table_states_the_time_at_which_counting_started)
{
    free(works("run case.yaml -o one --set machine.tiles=5"));
    in_two("", " --set machine.tiles=5", "two");
    same_results("one", "two", false);
    free(works("run case.yaml --set time.end_ms=3.5 -o two"));
    char *table = works("run --resume two --set time.end_ms=8 --set machine.tiles=5 --format json");
    cr_expect_float_eq(json_property(table, "machine_counted_from_ms"), 3.5, 1e-9, "%s", table);
    free(table);
}

/* The properties of a run on one machine are listed with those of each segment: the last segment has the values of the table of
 * cycles. */
Test(resume, on_other_tiles_a_table_lists_each_segment)
{
    size_t n;
    char *table = works("run case.yaml -o two --set time.end_ms=2 --format json");
    cr_expect_not(strstr(table, "segments"), "%s", table);
    const double whole_s = json_number(table, "time_step", "whole_run_s");
    free(table);
    free(works("run --resume two --set machine.tiles=5 --set time.end_ms=3"));
    free(works("run --resume two --set machine.tiles=5 --set time.end_ms=4"));
    table = works("run --resume two --set machine.tiles=6 --set time.end_ms=5 --format json");
    char *segments = strstr(
        table, "\"first_step\": 0, \"last_step\": 99, \"machine\": \"GC200\", \"ipus\": 1, \"tiles\": 3");
    cr_assert_not_null(segments, "%s", table);
    cr_expect_not_null(strstr(segments,
        "\"first_step\": 100, \"last_step\": 199, \"machine\": \"GC200\", \"ipus\": 1, \"tiles\": 5"));
    const char *last = strstr(segments,
        "\"first_step\": 200, \"last_step\": 249, \"machine\": \"GC200\", \"ipus\": 1, \"tiles\": 6");
    cr_assert_not_null(last);
    cr_expect_float_eq(json_property(table, "machine_counted_from_ms"), 4, 1e-9);
    double time_s;
    cr_assert_eq(sscanf(strstr(segments, "\"time_s\": "), "\"time_s\": %lf", &time_s), 1);
    cr_expect_float_eq(time_s, whole_s, 1e-9 * whole_s, "as reported by that run: %g, %g", time_s, whole_s);
    cr_assert_eq(sscanf(strstr(last, "\"time_s\": "), "\"time_s\": %lf", &time_s), 1);
    const double here_s = json_number(table, "whole_run", "time_s");
    cr_expect(here_s > 0 && fabs(time_s - here_s) < 1e-9 * here_s, "%g, %g", time_s, here_s);
    free(table);
    char *profile = bytes_of("two/profile.json", &n);
    cr_expect_not_null(strstr(profile, "\"segments\": ["));
    free(profile);
}

Test(resume, a_specified_case_must_equal_that_of_the_checkpoint)
{
    free(works("run case.yaml --set time.end_ms=3.5 -o two"));
    refuses(2,
        "checkpoint-0000000175.hdf: a checkpoint of a run with time.dt_ms: 0.02, here time.dt_ms: 0.01",
        "run case.yaml --resume two --set time.dt_ms=0.01");
    refuses(2, "of a run with stimuli.0.duration_ms: 2, here stimuli.0.duration_ms: 1",
        "run --resume two --set stimuli.0.duration_ms=1");
    refuses(2, "of a run with regions.0.min_mm: [1.5, 0, 0], here regions: []",
        "run --resume two --set regions=[]");
    refuses(2, "time.end_ms: 3; allowed: at least 3.5, the time of two/checkpoint-0000000175.hdf",
        "run --resume two --set time.end_ms=3");
    refuses(2, "starts at step 175; allowed: this step or later",
        "run --resume two --set time.end_ms=8 --trace 0:1");
    free(works("run case.yaml --resume two --set time.end_ms=8 --set title=Other"));
}

Test(resume, folders_without_a_usable_checkpoint_are_reported)
{
    refuses(3, "nowhere: this folder cannot be read: No such file", "run --resume nowhere");
    cr_assert_eq(mkdir("empty", 0700), 0);
    refuses(3, "empty: found no checkpoint in this folder", "run --resume empty");
    write_text("empty/checkpoint-0000000001.hdf", "nonsense");
    refuses(3, "empty/checkpoint-0000000001.hdf: not an HDF5 file", "run --resume empty");
}

/* As in a job script that is restarted repeatedly. */
Test(resume, with_a_case_and_no_checkpoint_a_run_starts_from_the_beginning)
{
    char *table;
    free(works("run case.yaml -o one"));
    for (int k = 0; k < 2; k++) {
        char *said = warnings(&table, "run case.yaml --resume two");
        cr_expect_eq(strstr(said, "two: found no checkpoint") != NULL, k == 0, "%s", said);
        same_results("one", "two", true);
        free(said), free(table);
    }
}

/* The newest checkpoint is truncated: the run resumes from the previous one, and deletes the truncated one. */
Test(resume, a_damaged_checkpoint_falls_back_to_the_previous_one)
{
    char *table;
    free(works("run case.yaml -o one"));
    free(works("run case.yaml --set time.end_ms=3.5 -o two"));
    write_text("two/checkpoint-0000000200.hdf", "torn");
    char *said = warnings(&table, "run --resume two --set time.end_ms=8");
    cr_expect(strstr(said, "checkpoint-0000000200.hdf: not an HDF5 file, or incomplete") &&
                  strstr(said, "; resuming from the previous checkpoint"),
        "%s", said);
    free(said), free(table);
    same_results("one", "two", true);
    cr_expect_not(there("two/checkpoint-0000000200.hdf"));
}

/* After the stimulus, a simulation that starts from the end of another one continues it exactly; its times start at 0. */
Test(resume, a_simulation_starts_from_the_final_state_of_another)
{
    mt_arena arena = {0};
    double *whole, *second;
    free(works("run case.yaml -o one --set machine.backend=cpu"));
    free(works("run case.yaml --set time.end_ms=3.5 -o first --set machine.backend=cpu"));
    free(works("run case.yaml -o second --set start.state=first/checkpoint-0000000175.hdf --set "
               "time.end_ms=4.5 --set machine.backend=cpu --set stimuli.0.start_ms=4.4"));
    cr_assert_eq(mt_vtkhdf_read_field(&arena, "one/result.hdf", "activation", N, &whole), MT_OK);
    cr_assert_eq(mt_vtkhdf_read_field(&arena, "second/result.hdf", "activation", N, &second), MT_OK);
    size_t later = 0;
    for (size_t c = 0; c < N; c++) {
        if (!(whole[c] > 3.5)) continue;
        later++;
        cr_assert_float_eq(
            second[c] + 3.5, whole[c], 8 * 0x1p-23, "%zu: %g and %g", c, second[c], whole[c]); /* as stored */
    }
    cr_expect_gt(later, 50);
    char *table, *said = warnings(&table,
                     "run case.yaml -o other --set start.state=first/checkpoint-0000000175.hdf --set "
                     "machine.backend=cpu --set time.end_ms=0.1 --set cell.scale=[g_Kr=0.5]");
    cr_expect(
        strstr(said, "warning: case.yaml: start.state: /") &&
            strstr(said, "of a run with cell.scale: [], here cell.scale: [\"g_Kr=0.5\"]; usual: the same"),
        "%s", said);
    free(said), free(table);
    refuses(2, "start.state: /",
        "run case.yaml -o x --set mesh.slab.edge_mm=0.25 --set start.state=first/checkpoint-0000000175.hdf");
    refuses(2, "where this run would delete it",
        "run case.yaml -o first --set start.state=first/checkpoint-0000000175.hdf");
    refuses(3, "first/gone.hdf", "run case.yaml -o x --set start.state=first/gone.hdf");
    refuses(2, "first/result.hdf: not a checkpoint", "run case.yaml -o x --set start.state=first/result.hdf");
    mt_arena_free(&arena);
}

/* Starts a run of several minutes and stops it when its first checkpoint exists; returns its exit code. */
static int stopped_by(int number, const char *more)
{
    int ended = 0;
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0)
        _exit(myotile("run case.yaml --set time.end_ms=100000 --set checkpoint.every_ms=1 -o two%s", more)
                  .code);
    while (!there("two/checkpoint-0000000050.hdf") && waitpid(child, &ended, WNOHANG) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cr_assert_eq(kill(child, number), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended), "status %d", ended);
    return WEXITSTATUS(ended);
}

/* A warning reports the checkpoint of an interrupted run; it is deleted when the results of another run are in place. */
Test(resume, a_new_run_warns_that_an_interrupted_run_could_be_resumed)
{
    char *table;
    cr_assert_eq(stopped_by(SIGTERM, ""), 143);
    char *said = warnings(&table, "run case.yaml --set time.end_ms=1 -o two");
    cr_expect(strstr(said, ": the results of a stopped run will be replaced") &&
                  strstr(said, "`myotile run --resume two`"),
        "%s", said);
    free(said), free(table);
    cr_expect(there("two/checkpoint-0000000050.hdf"), "its own final checkpoint");
    said = warnings(&table, "run case.yaml --set time.end_ms=1 --set checkpoint.at_end=false -o two");
    cr_expect_not(strstr(said, "earlier run"), "%s", said);
    free(said), free(table);
    cr_expect_not(there("two/checkpoint-0000000050.hdf"));
}

Test(resume, outputs_that_are_not_due_before_an_interrupt_have_no_file)
{
    cr_assert_eq(stopped_by(SIGTERM, " --set series.at_ms=[0,90000] --set traces.at_ms=[90000]"), 143);
    cr_expect(there("two/series.hdf") && there("two/activation.png"));
    cr_expect_not(there("two/traces.csv") || there("two/traces.png"));
}

/* As on a full disk: the run continues, and existing checkpoints are kept. */
Test(resume, a_checkpoint_that_cannot_be_written_is_a_warning)
{
    struct rlimit before, small;
    char *table;
    free(works("run case.yaml --set machine.backend=cpu --set machine.precision=double "
               "--set mesh.slab.edge_mm=0.25 --set time.end_ms=3.5 -o two"));
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    small = (struct rlimit){300000, before.rlim_max}; /* a checkpoint does not fit, results do */
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    char *said = warnings(&table, "run --resume two --set time.end_ms=4");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    cr_expect(strstr(said, "no checkpoint at 4 ms; earlier ones remain: two/checkpoint-0000000200.hdf"), "%s",
        said);
    cr_expect(there("two/checkpoint-0000000175.hdf"));
    free(said), free(table);
}
