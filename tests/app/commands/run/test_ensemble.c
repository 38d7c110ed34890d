#include <criterion/criterion.h>

#include "tests/app/commands/run/ensemble_case.h"

#include "app/cli/console.h"
#include "data/core/progress.h"

#include <sys/wait.h>
#include <time.h>

TestSuite(ensemble, .init = enter_ensemble, .fini = leave_room);

/* Checks that two folders have the same results of a member. */
static void same_member(const char *a, const char *b)
{
    static const char *const names[] = {"result.hdf", "activation.csv", "used.yaml"};
    char in_a[128], in_b[128];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        (void)snprintf(in_a, sizeof in_a, "%s/%s", a, names[k]);
        (void)snprintf(in_b, sizeof in_b, "%s/%s", b, names[k]);
        cr_assert(there(in_a) && there(in_b), "%s and %s", in_a, in_b);
        cr_expect(same_file(in_a, in_b), "%s and %s", in_a, in_b);
    }
}

/* Returns the text of a table without members' numbers: the rows in their order and the last column. */
static void expect_outcomes(const char *path, const char *expected)
{
    size_t n;
    char found[512] = "", *text = bytes_of(path, &n), *save;
    (void)strtok_r(text, "\n", &save);
    for (char *line = strtok_r(NULL, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        (void)snprintf(
            found + strlen(found), sizeof found - strlen(found), "%.*s", (int)strcspn(line, ","), line);
        static const char *const words[] = {"done", "failed", "stopped", "not begun"};
        for (size_t k = 0; k < 4; k++) {
            char mark[32];
            (void)snprintf(mark, sizeof mark, ",%s", words[k]);
            const char *at = strstr(line, mark);
            if (at && (at[strlen(mark)] == 0 || at[strlen(mark)] == ','))
                (void)snprintf(found + strlen(found), sizeof found - strlen(found), " %s;", words[k]);
        }
    }
    cr_expect_str_eq(found, expected, "%s: %s", path, found);
    free(text);
}

/* Returns the latest activation in the row that begins so: the number after four commas. */
static double latest_ms(const char *csv, const char *row)
{
    const char *at = strstr(csv, row);
    cr_assert_not_null(at, "%s in %s", row, csv);
    for (int k = 0; k < 4; k++) at = strchr(at, ',') + 1;
    return strtod(at, NULL);
}

/* The members run in the order a, c, b, since a and c share the operator; the table has the order of the rows. */
Test(ensemble, members_equal_single_runs_and_keep_the_order_of_the_table)
{
    size_t n;
    free(works("run small.yaml -o out --ensemble three.csv"));
    free(works("run small.yaml -o b --set tissue.intracellular_l_mS_mm=0.2 " PLAIN));
    free(works("run small.yaml -o c --set stimuli.0.start_ms=1 " PLAIN));
    same_member("out/b", "b");
    same_member("out/c", "c");
    char *csv = bytes_of("out/ensemble.csv", &n);
    cr_expect(
        strstr(csv,
            "name,tissue.intracellular_l_mS_mm,stimuli.0.start_ms,elements_activated_percent,"
            "latest_activation_ms,p5_activation_ms,median_activation_ms,p95_activation_ms,activation_P1_"
            "ms,outcome\na,0.17,0,100,") == csv,
        "%s", csv);
    expect_outcomes("out/ensemble.csv", "a done;b done;c done;");
    /* b conducts faster than a, and c is stimulated 1 ms later */
    cr_expect_lt(latest_ms(csv, "\nb,"), latest_ms(csv, "\na,") - 0.1);
    cr_expect_float_eq(latest_ms(csv, "\nc,"), latest_ms(csv, "\na,") + 1, 1e-4);
    cr_expect(!there("out/a/report.html") && !there("out/a/activation.png") && there("out/ensemble.png"));
    free(csv);
    (void)things();
}

Test(ensemble, several_processes_write_the_same_bytes)
{
    char *one = works("run small.yaml -o one --ensemble three.csv --format csv"),
         *several = works("run small.yaml -o several --ensemble three.csv --format csv --jobs 3");
    cr_expect_str_eq(one, several);
    cr_expect(same_file("one/ensemble.csv", "several/ensemble.csv"));
    same_member("one/a", "several/a");
    same_member("one/b", "several/b");
    same_member("one/c", "several/c");
    (void)things();
    free(one), free(several);
}

Test(ensemble, members_without_names_are_numbered_and_reports_are_written_on_request)
{
    write_text("two.csv", "time.end_ms,output.report,output.pictures\n0.1,true,false\n0.2,false,true\n");
    free(works("run small.yaml -o out --ensemble two.csv"));
    expect_outcomes("out/ensemble.csv", "001 done;002 done;");
    cr_expect(there("out/001/report.html") && !there("out/002/report.html"));
    cr_expect(!there("out/001/activation.png") && there("out/002/activation.png"));
}

Test(ensemble, invalid_tables_are_rejected_before_the_first_run)
{
    static const struct {
        const char *table, *message;
    } bad[] = {{"time.end_ms\n1\nx\n", "t.csv:3: time.end_ms=x: x; allowed: a number"},
        {"time.stop_ms\n1\n", "t.csv:2: time.stop_ms=1: unknown key; allowed here: dt_ms, end_ms"},
        {"time.end_ms\n1\n\n2,3\n", "t.csv:"},
        {"name,time.end_ms\na,1\na,2\n", "t.csv:3: name: a, as in line 2"},
        {"name,time.end_ms\na/b,1\n", "t.csv:2: name: 'a/b': a character"},
        {"name,time.end_ms\nensemble.csv,1\n", "the name of a file of the ensemble"},
        {"name,time.end_ms\n.a,1\n", "a dot at the start"}, {"name\na\n", "t.csv:1: no key of the case"},
        {"time.end_ms\n", "t.csv: no rows"},
        {"time.end_ms,time.end_ms\n1,2\n", "time.end_ms in columns 1 and 2"},
        {"name,time.end_ms\na,\n", "t.csv:2: time.end_ms: empty; allowed: a value"},
        {"stimuli.0.max_mm\n\"[1,1,1]\"\n\"[0,0,0]\"\n",
            "t.csv:3: small.yaml, 002: stimuli.0: no element centre is in the box ["},
        {"time.end_ms\n0.07\n", "t.csv:2: small.yaml"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_text("t.csv", bad[k].table);
        refuses(2, bad[k].message, "run small.yaml --ensemble t.csv --jobs 1");
        refuses(2, bad[k].message, "run small.yaml --ensemble t.csv --jobs 2");
    }
    refuses(3, "none.csv: ", "run small.yaml --ensemble none.csv");
    refuses(2, "--ensemble with --sweep", "run small.yaml --ensemble three.csv --sweep time.end_ms=1,2");
    refuses(2, "--profile with --ensemble", "run small.yaml --ensemble three.csv --profile out");
    refuses(2, "--jobs with a single run", "run small.yaml --jobs 2");
    refuses(2, "--jobs 0; allowed: ", "run small.yaml --ensemble three.csv --jobs 0");
    refuses(2, "--ensemble without CASE.yaml", "run --ensemble three.csv");
}

/* Tiles of 32 KiB hold the mesh if there are 40 of them. */
Test(ensemble, a_failed_member_does_not_end_the_others_and_the_table_has_its_error)
{
    size_t n;
    write_machine_of("tiny.yaml", 50, 32768);
    write_text("tiles.csv", "machine.tiles\n40\n1\n45\n");
    for (int jobs = 1; jobs <= 2; jobs++) {
        reply r =
            myotile("run small.yaml -o out%d --ensemble tiles.csv --set machine.target=tiny.yaml --set "
                    "machine.backend=ipu --set cell.model=tp06 --set cell.type=epi --set time.end_ms=0.05 "
                    "--jobs %d",
                jobs, jobs);
        cr_expect_eq(r.code, 4, "%s", r.said);
        cr_expect(strstr(r.said,
                      "myotile: 1 of 3 members failed; the first error: small.yaml, 002: tile 0: ") == r.said,
            "%s", r.said);
        forget(&r);
    }
    expect_outcomes("out1/ensemble.csv", "001 done;002 failed;003 done;");
    cr_expect(same_file("out1/ensemble.csv", "out2/ensemble.csv"));
    char *csv = bytes_of("out1/ensemble.csv", &n);
    cr_expect(strstr(csv, ",outcome,error\n") && strstr(csv, ",failed,\"tile 0: "), "%s", csv);
    cr_expect(!there("out1/002") && !there("out2/002"));
    free(csv);
}

/* ---- messages ---- */

/* The mesh of the first three is coarse; the first and the third share it, with the operator. All end before the last activation. */
static const char coarse[] = "mesh.slab.edge_mm,tissue.intracellular_l_mS_mm,time.end_ms\n"
                             "1,0.17,3\n1,0.2,3.5\n1,0.17,4\n0.5,0.17,4\n";

Test(ensemble, messages_are_one_list_with_the_members_that_reported_them)
{
    char *table, *said[4];
    write_text("t.csv", coarse);
    said[0] = warnings(&table, "run small.yaml -o out1 --ensemble t.csv"), free(table);
    said[1] = warnings(&table, "run small.yaml -o out2 --ensemble t.csv --jobs 3"), free(table);
    cr_expect_str_eq(said[0], said[1]);
    cr_expect_eq(occurrences(said[0], "myotile: "), 2, "%s", said[0]);
    cr_expect(strstr(said[0], "myotile: warning: mesh.slab: conduction velocity (CV) is ") == said[0], "%s",
        said[0]);
    cr_expect_eq(
        occurrences(said[0], " (3 of 4 members, with different numbers: 001, 002, 003)\n"), 1, "%s", said[0]);
    cr_expect(strstr(said[0],
                  "myotile: warning: small.yaml: time.end_ms: found activation still propagating at 3 ms: "),
        "%s", said[0]);
    cr_expect_eq(occurrences(said[0], " (4 of 4 members, with different numbers: 001, 002, 003 ...)\n"), 1,
        "%s", said[0]);
    /* a complete member keeps its messages */
    cr_assert_eq(unlink("out1/003/used.yaml"), 0);
    said[2] = warnings(&table, "run small.yaml -o out1 --ensemble t.csv"), free(table);
    const char *list = strstr(said[2], "myotile: warning: ");
    cr_assert(
        list && strncmp(said[2], "myotile: note: out1: 3 of 4 members are complete", 47) == 0, "%s", said[2]);
    cr_expect_str_eq(list, said[0]);
    /* members with equal numbers */
    write_text("t.csv", "name,mesh.slab.edge_mm,time.end_ms\na,0.5,12\nb,0.5,3\nc,0.5,3\n");
    said[3] = warnings(&table, "run small.yaml -o c --ensemble t.csv"), free(table);
    cr_expect_eq(occurrences(said[3], " (2 of 3 members: b, c)\n"), 1, "%s", said[3]);
    for (int k = 0; k < 4; k++) free(said[k]);
}

/* ---- repeated commands ---- */

/* Returns the time of the last change of a file [ns]. */
static long long changed_ns(const char *path)
{
    struct stat info;
    cr_assert_eq(stat(path, &info), 0, "%s", path);
    return 1000000000LL * info.st_mtim.tv_sec + info.st_mtim.tv_nsec;
}

Test(ensemble, only_changed_and_incomplete_members_are_repeated)
{
    free(works("run small.yaml -o out --ensemble three.csv"));
    const long long a = changed_ns("out/a/result.hdf"), b = changed_ns("out/b/result.hdf"),
                    c = changed_ns("out/c/result.hdf");
    write_text(
        "three.csv", "name,tissue.intracellular_l_mS_mm,stimuli.0.start_ms\na,0.17,0\nb,0.21,0\nc,0.17,1\n");
    cr_assert_eq(unlink("out/c/used.yaml"), 0);
    char *table, *said = warnings(&table, "run small.yaml --resume out --ensemble three.csv --jobs 2");
    cr_expect(strstr(said, "myotile: note: out: 1 of 3 members are complete and not repeated"), "%s", said);
    cr_expect_eq(changed_ns("out/a/result.hdf"), a);
    cr_expect_gt(changed_ns("out/b/result.hdf"), b);
    cr_expect_gt(changed_ns("out/c/result.hdf"), c);
    free(works("run small.yaml -o new --ensemble three.csv"));
    cr_expect(same_file("out/ensemble.csv", "new/ensemble.csv"));
    same_member("out/b", "new/b");
    same_member("out/c", "new/c");
    free(table), free(said);
}

Test(ensemble, results_of_another_run_in_the_folder_of_a_member_are_not_taken_for_its_own)
{
    free(works("run small.yaml -o out --ensemble three.csv"));
    free(works("run small.yaml -o out/a --set time.end_ms=5 " PLAIN));
    char *table, *said = warnings(&table, "run small.yaml -o out --ensemble three.csv");
    cr_expect(strstr(said, "2 of 3 members are complete"), "%s", said);
    free(works("run small.yaml -o a " PLAIN));
    same_member("out/a", "a");
    free(table), free(said);
}

static const struct timespec moment = {.tv_nsec = 20000000};

/* Waits until a path exists, at most 10 s. */
static void await(const char *path)
{
    for (int k = 0; k < 500 && !there(path); k++) (void)nanosleep(&moment, NULL);
    cr_assert(there(path), "%s", path);
}

/* Returns a child of a process and sets *n to their number. */
static pid_t child_of(pid_t parent, int *n)
{
    char path[64];
    int child = 0, other;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    for (*n = 0; fscanf(file, "%d", &other) == 1; ++*n) child = other;
    (void)fclose(file);
    return child;
}

/* Waits until the command has a single worker, that of the long member, at most 20 s; returns it. */
static pid_t await_last_worker(pid_t command)
{
    pid_t worker = 0;
    int n = 0;
    await("out/c/result.hdf");
    for (int k = 0; k < 1000 && n != 1; k++) {
        (void)nanosleep(&moment, NULL);
        worker = child_of(command, &n);
    }
    cr_assert_eq(n, 1, "%d workers", n);
    return worker;
}

/* b would take minutes. */
static const char long_b[] = "name,time.end_ms\na,12\nb,100000\nc,11\n";

/* Starts the ensemble with a long member in a process, and waits until that runs. */
static pid_t start_long(const char *options)
{
    write_text("long.csv", long_b);
    const pid_t process = fork();
    cr_assert(process >= 0);
    if (process == 0) _exit(myotile("run small.yaml -o out --ensemble long.csv %s", options).code);
    await("out/b/.myotile.member");
    for (int k = 0; k < 15; k++) (void)nanosleep(&moment, NULL);
    return process;
}

/* Ends the long member, so that the ensemble can be completed, and checks the results. */
static void complete_and_check(const char *complete)
{
    write_text("long.csv", "name,time.end_ms\na,12\nb,13\nc,11\n");
    char *table, *said = warnings(&table, "run small.yaml -o out --ensemble long.csv --jobs 2");
    cr_expect(strstr(said, complete), "%s", said);
    free(works("run small.yaml -o new --ensemble long.csv"));
    cr_expect(same_file("out/ensemble.csv", "new/ensemble.csv"));
    same_member("out/a", "new/a");
    same_member("out/b", "new/b");
    same_member("out/c", "new/c");
    free(table), free(said);
    (void)things();
}

Test(ensemble, a_killed_command_leaves_no_processes_and_is_resumed)
{
    int ended;
    const pid_t command = start_long("--jobs 2"), worker = await_last_worker(command);
    cr_assert_eq(kill(command, SIGKILL), 0);
    cr_assert_eq(waitpid(command, &ended, 0), command);
    for (int k = 0; k < 250 && kill(worker, 0) == 0; k++) (void)nanosleep(&moment, NULL);
    cr_expect_neq(kill(worker, 0), 0, "process %d remains", (int)worker);
    complete_and_check("2 of 3 members are complete");
}

Test(ensemble, a_killed_process_fails_its_member_only)
{
    int ended;
    size_t n;
    const pid_t command = start_long("--jobs 2 --set output.maps=[apd]");
    cr_assert_eq(kill(await_last_worker(command), SIGKILL), 0);
    cr_assert_eq(waitpid(command, &ended, 0), command);
    cr_expect(WIFEXITED(ended) && WEXITSTATUS(ended) == 3, "status %d", ended);
    char *csv = bytes_of("out/ensemble.csv", &n);
    cr_expect(strstr(csv, ",failed,\"its process was ended by signal 9 (Killed)"), "%s", csv);
    expect_outcomes("out/ensemble.csv", "a done;b failed;c done;");
    free(csv);
}

/* Ctrl-C: the long member writes its results so far, and then continues from its checkpoint. */
Test(ensemble, a_signal_stops_all_members_with_their_results)
{
    int ended;
    write_text("long.csv", long_b);
    const pid_t command = start_long("--jobs 2");
    (void)await_last_worker(command);
    cr_assert_eq(kill(command, SIGINT), 0);
    cr_assert_eq(waitpid(command, &ended, 0), command);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 130, "status %d", ended);
    expect_outcomes("out/ensemble.csv", "a done;b stopped;c done;");
    cr_expect(there("out/b/used.yaml") && there("out/b/result.hdf"));
    (void)things();
}

/* A run without its checkpoint would warn that the folder has one. */
Test(ensemble, a_stopped_member_resumes_from_its_checkpoint)
{
    int ended;
    write_text("one.csv", "name,time.end_ms\na,3000\n");
    const pid_t command = fork();
    cr_assert(command >= 0);
    if (command == 0) _exit(myotile("run small.yaml -o out --ensemble one.csv").code);
    await("out/a/.myotile.member");
    for (int k = 0; k < 5; k++) (void)nanosleep(&moment, NULL);
    cr_assert_eq(kill(command, SIGINT), 0);
    cr_assert_eq(waitpid(command, &ended, 0), command);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 130, "status %d", ended);
    char *table, *said = warnings(&table, "run small.yaml -o out --ensemble one.csv");
    cr_expect_str_empty(said);
    expect_outcomes("out/ensemble.csv", "a done;");
    free(works("run small.yaml -o alone --set time.end_ms=3000 " PLAIN));
    same_member("out/a", "alone");
    free(table), free(said);
}

Test(ensemble, sweeps_have_jobs_and_do_not_repeat_values)
{
    char *one = works("run small.yaml -o one --sweep time.end_ms=5,12 --format csv"),
         *several = works("run small.yaml -o two --sweep time.end_ms=5,12 --format csv --jobs 2");
    cr_expect_str_eq(one, several);
    same_member("one/end_ms=12", "two/end_ms=12");
    cr_expect(there("one/end_ms=12/activation.png") && !there("one/ensemble.png"));
    char *table, *said = warnings(&table, "run small.yaml -o one --sweep time.end_ms=12,5,6 --format csv");
    cr_expect(strstr(said, "2 of 3 values are complete"), "%s", said);
    free(one), free(several), free(table), free(said);
}
