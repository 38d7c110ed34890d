/* Partitions with METIS at its worst: replaced by an implementation that fails on purpose (tests/bad_metis.h). */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/bad_metis.h"
#include "mesh/cut/metis.h"
#include "mesh/cut/partition.h"
#include "mesh/make/slab.h"

static mt_status divide(
    mt_arena *arena, mt_partition_method method, mt_adjacency *adjacency, mt_partition *partition)
{
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(arena, (double[]){4, 2, 1}, 0.5, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(arena, &mesh, adjacency), MT_OK, "%s", mt_message());
    return mt_partition_make(
        arena, adjacency, &(mt_partition_options){method, 3, 7, 1.03, NULL, 0, 0}, partition);
}

Test(metis, no_part_is_empty_or_too_large_for_any_result_of_metis)
{
    for (int method = MT_PARTITION_FLAT; method <= MT_PARTITION_HIERARCHICAL; method++) {
        mt_arena arena = {0};
        mt_adjacency adjacency;
        mt_partition partition;
        size_t size[21] = {0};
        bad.mood = CRAMMED;
        cr_assert_eq(
            divide(&arena, (mt_partition_method)method, &adjacency, &partition), MT_OK, "%s", mt_message());
        for (size_t c = 0; c < partition.n_elements; c++) size[partition.part[c]]++;
        for (size_t p = 0; p < 21; p++)
            cr_assert(size[p] > 0 && (double)size[p] <= ceil(1.03 * (double)partition.n_elements / 21),
                "part %zu: %zu elements", p, size[p]);
        cr_assert_eq(partition.edge_cut, mt_partition_edge_cut(&adjacency, partition.part));
        mt_arena_free(&arena);
    }
}

Test(metis, output_of_metis_is_suppressed_and_other_output_is_kept)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    char text[64] = "";
    FILE *output = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    cr_assert(output && kept >= 0 && dup2(fileno(output), STDOUT_FILENO) >= 0);
    (void)printf("before ");
    const mt_status status = divide(&arena, MT_PARTITION_HIERARCHICAL, &adjacency, &partition);
    (void)printf("after");
    (void)fflush(stdout);
    cr_assert_geq(dup2(kept, STDOUT_FILENO), 0);
    rewind(output);
    (void)fread(text, 1, sizeof text - 1, output);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    cr_assert_str_eq(text, "before after");
    (void)fclose(output);
    (void)close(kept);
    mt_arena_free(&arena);
}

/* ---- one graph of 384 elements in 21 parts, straight from METIS ---- */

typedef struct asked {
    mt_status status;
    mt_metis_outcome outcome;
    uint32_t part[384];
} asked;

static asked ask(void)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    asked a;
    cr_assert_eq(mt_slab_make(&arena, (double[]){4, 2, 1}, 0.5, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    a.status = mt_metis_divide(
        &(mt_cut_graph){.n_nodes = 384, .adjacency = &adjacency}, 21, 1.03, a.part, &a.outcome);
    mt_arena_free(&arena);
    return a;
}

static void assert_in_turn(const asked *a)
{
    for (uint32_t c = 0; c < 384; c++) cr_assert_eq(a->part[c], c % 21, "element %u: part %u", c, a->part[c]);
}

static bool nobody_is_left(void) { return waitpid(-1, NULL, WNOHANG) < 0; }

Test(metis, without_a_failure_there_is_one_attempt_with_the_first_seed)
{
    bad.mood = IN_TURN;
    const asked a = ask();
    cr_assert_eq(a.status, MT_OK, "%s", mt_message());
    cr_assert(a.outcome.attempts == 1 && a.outcome.seed == 1 && a.outcome.imbalance == 1.03);
    cr_assert_str_empty(a.outcome.failure);
    assert_in_turn(&a);
    cr_assert(nobody_is_left());
}

/* Each kind of failure, its words in the message, and METIS's answer. */
static const struct {
    enum mood mood;
    int answer, signal;
    const char *words, *told;
} failures[] = {
    {ANSWERS, METIS_ERROR, 0, "Failed during\n\tinitial partitioning\n",
        "answer -4; output: \"Failed during initial partitioning\""},
    {ANSWERS, METIS_ERROR, 0, NULL, "answer -4; no output"},
    {ANSWERS, -77, 0, NULL, "answer -77"},
    {GARBAGE, 0, 0, NULL, "it returned invalid part numbers"},
    {DIES, 0, SIGSEGV, NULL, "killed by signal 11, Segmentation fault"},
    {DIES, 0, SIGABRT, NULL, "killed by signal 6"},
    {DIES, 0, SIGTERM, NULL, "killed by signal 15, Terminated"},
    {EXITS, 0, 0, NULL, "it ended without a result"},
    {CAUGHT_ITSELF, 0, 0, NULL, "it ended without a result; output: \"Failed during initial partitioning\""},
};

Test(metis, after_each_failure_the_next_seed_is_used_and_reported)
{
    for (size_t k = 0; k < sizeof failures / sizeof failures[0]; k++)
        for (int failing = 1; failing < MT_METIS_SEEDS; failing++) {
            bad.mood = failures[k].mood, bad.answer = failures[k].answer, bad.signal = failures[k].signal;
            bad.words = failures[k].words, bad.failing = failing;
            (void)printf("not yet written ");
            const asked a = ask();
            __fpurge(stdout);
            cr_assert_not(strstr(a.outcome.failure, "not yet"), "%s", a.outcome.failure);
            cr_assert_eq(a.status, MT_OK, "failure %zu: %s", k, mt_message());
            cr_assert_eq((int)a.outcome.seed, failing + 1);
            cr_assert_eq((int)a.outcome.attempts, failing + 1);
            cr_assert(a.outcome.imbalance == 1.03);
            cr_assert(strstr(a.outcome.failure, failures[k].told), "failure %zu: %s", k, a.outcome.failure);
            assert_in_turn(&a);
            cr_assert(nobody_is_left());
        }
}

Test(metis, if_all_seeds_fail_a_larger_imbalance_is_tried_once)
{
    bad.mood = ANSWERS, bad.answer = METIS_ERROR, bad.words = "hm", bad.up_to = 1.05;
    asked a = ask();
    cr_assert_eq(a.status, MT_OK, "%s", mt_message());
    cr_assert(a.outcome.attempts == MT_METIS_SEEDS + 1 && a.outcome.seed == 1);
    cr_assert_float_eq(a.outcome.imbalance, 1.09, 1e-12);
    assert_in_turn(&a);
    bad.up_to = 100;
    a = ask();
    cr_assert_eq(a.status, MT_INPUT);
    cr_assert_eq(a.outcome.attempts, 2 * MT_METIS_SEEDS);
    cr_assert(strstr(mt_message(), "384 elements in 21 parts with seeds 1 to 4 at imbalance 1.03 and 1.09; "
                                   "first failure: answer -4; output: \"hm\""),
        "%s", mt_message());
}

/* As METIS returns it, as it prints it during its initial partitioning, and as the system reports it. */
Test(metis, out_of_memory_in_metis_is_not_retried)
{
    static const char *const words = "***Memory allocation failed for SetupCoarseGraph: adjwgt. Requested "
                                     "size: 2547544 bytes\nFailed during initial partitioning\n\n";
    for (int k = 0; k < 3; k++) {
        bad.mood = k < 2 ? ANSWERS : DIES, bad.signal = SIGKILL, bad.words = words;
        bad.answer = k == 0 ? METIS_ERROR_MEMORY : METIS_ERROR;
        const asked a = ask();
        cr_assert_eq(a.status, MT_MEMORY, "way %d: %s", k, mt_message());
        cr_assert_eq(a.outcome.attempts, 1);
        cr_assert(
            strstr(mt_message(), "METIS: out of memory for 384 elements in 21 parts ("), "%s", mt_message());
        cr_assert(strstr(mt_message(), k < 2 ? "Requested size: 2547544 bytes Failed during" : "signal 9"),
            "%s", mt_message());
    }
}

Test(metis, invalid_input_to_metis_is_not_retried)
{
    bad.mood = ANSWERS, bad.answer = METIS_ERROR_INPUT, bad.words = "Input Error: Incorrect nparts.\n";
    const asked a = ask();
    cr_assert_eq(a.status, MT_INPUT);
    cr_assert_eq(a.outcome.attempts, 1);
    cr_assert(strstr(mt_message(),
                  "rejected 384 elements in 21 parts (answer -2; output: \"Input Error: Incorrect"),
        "%s", mt_message());
}

Test(metis, the_end_of_a_long_metis_message_is_kept)
{
    static char words[100001];
    memset(words, 'x', sizeof words - 1);
    memcpy(words + 100000 - 9, "\x01the \xffnd", 8);
    bad.mood = ANSWERS, bad.answer = METIS_ERROR, bad.words = words, bad.failing = 1;
    const asked a = ask();
    cr_assert_eq(a.status, MT_OK, "%s", mt_message());
    cr_assert(strstr(a.outcome.failure, "xxx the ?ndx\""), "%s", a.outcome.failure);
    cr_assert_lt(strlen(a.outcome.failure), sizeof a.outcome.failure);
}

static pid_t parent;

static void run_at_exit(void)
{
    if (getpid() != parent) (void)fputs("the parent's own", stderr);
}

/* exit would flush the parent's open files and delete its temporary files. */
Test(metis, exit_handlers_of_the_parent_do_not_run_in_the_child)
{
    parent = getpid();
    cr_assert_eq(atexit(run_at_exit), 0);
    bad.mood = EXITS, bad.failing = 1;
    const asked a = ask();
    cr_assert_str_eq(a.outcome.failure, "it ended without a result; no output");
}

static void must_not(int number)
{
    (void)number;
    _exit(9);
}

/* METIS raises and catches signals internally, separately from the parent's handlers. */
Test(metis, signal_handlers_of_the_parent_are_kept_and_do_not_run_in_the_child)
{
    struct sigaction now;
    sigset_t mask;
    (void)signal(SIGTERM, must_not);
    (void)signal(SIGABRT, must_not);
    (void)signal(SIGHUP, SIG_IGN);
    bad.mood = DIES, bad.signal = SIGTERM, bad.failing = 1;
    const asked a = ask();
    cr_assert(strstr(a.outcome.failure, "killed by signal 15"), "%s", a.outcome.failure);
    (void)sigaction(SIGTERM, NULL, &now);
    cr_assert_eq(now.sa_handler, must_not);
    (void)sigaction(SIGHUP, NULL, &now);
    cr_assert_eq(now.sa_handler, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, NULL, &mask);
    cr_assert_not(sigismember(&mask, SIGTERM));
    (void)signal(SIGTERM, SIG_DFL);
}

/* The process may have been started with ignored SIGCHLD. */
Test(metis, the_child_process_works_with_ignored_sigchld)
{
    (void)signal(SIGCHLD, SIG_IGN);
    bad.mood = DIES, bad.signal = SIGSEGV, bad.failing = 1;
    const asked a = ask();
    cr_assert_eq(a.status, MT_OK, "%s", mt_message());
    cr_assert_str_eq(a.outcome.failure, "it ended without a result; no output");
    assert_in_turn(&a);
}

/* SIGTERM and SIGKILL to the caller, and to its process group, while METIS works: its process ends too. */
Test(metis, the_child_process_ends_with_the_caller, .timeout = 30)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); /* adopt orphans */
    for (int k = 0; k < 4; k++) {
        pid_t at_work;
        int ended;
        const int number = k % 2 ? SIGKILL : SIGTERM;
        const pid_t caller = fork();
        if (caller == 0) {
            (void)setpgid(0, 0);
            bad.mood = WAITS, bad.pipe = ends[1];
            (void)ask();
            _exit(1);
        }
        cr_assert_eq(read(ends[0], &at_work, sizeof at_work), sizeof at_work);
        cr_assert_neq(at_work, caller);
        cr_assert_eq(kill(k < 2 ? caller : -caller, number), 0);
        cr_assert_eq(waitpid(caller, &ended, 0), caller);
        cr_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == number);
        cr_assert_eq(waitpid(at_work, &ended, 0), at_work);
        cr_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL, "round %d: %x", k, (unsigned)ended);
    }
    cr_assert(nobody_is_left());
}

/* ---- report of a partition ---- */

Test(metis, a_partition_records_deviations_from_the_default_attempt)
{
    for (int method = MT_PARTITION_FLAT; method <= MT_PARTITION_HIERARCHICAL; method++) {
        mt_arena arena = {0};
        mt_adjacency adjacency;
        mt_partition partition;
        bad.mood = ANSWERS, bad.answer = METIS_ERROR, bad.words = "hm\n", bad.failing = 0, bad.up_to = 1;
        cr_assert_eq(divide(&arena, (mt_partition_method)method, &adjacency, &partition), MT_OK);
        cr_assert_eq(partition.metis_failures, 0);
        cr_assert_str_empty(partition.remark);
        bad.failing = 2, bad.up_to = 100;
        cr_assert_eq(divide(&arena, (mt_partition_method)method, &adjacency, &partition), MT_OK);
        cr_assert_eq(
            partition.metis_failures, method == MT_PARTITION_FLAT ? 2 : 8); /* once, and in three groups */
        cr_assert(
            strstr(partition.remark, "(answer -4; output: \"hm\"); it succeeded with seed 3, imbalance 1.0"),
            "%s", partition.remark);
        mt_arena_free(&arena);
    }
}

Test(metis, errors_of_metis_are_propagated)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_partition partition;
    bad.mood = ANSWERS, bad.answer = METIS_ERROR_MEMORY;
    cr_assert_eq(divide(&arena, MT_PARTITION_FLAT, &adjacency, &partition), MT_MEMORY);
    cr_assert_not_null(
        strstr(mt_message(), "out of memory for 384 elements in 21 parts"), "%s", mt_message());
    bad.answer = METIS_ERROR_INPUT;
    cr_assert_eq(divide(&arena, MT_PARTITION_HIERARCHICAL, &adjacency, &partition), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "METIS: rejected 384 elements in 3 parts ("), "%s", mt_message());
    mt_arena_free(&arena);
}
