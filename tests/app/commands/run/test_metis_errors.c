/* Messages and exit codes of the program if METIS fails; METIS is replaced by one that does (tests/bad_metis.h). */
#include <criterion/criterion.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/bad_metis.h"
#include "tests/app/program.h"

#define SLAB "data/cases/niederer-0.5.yaml --set mesh.slab.edge_mm=1 --set time.end_ms=0.02"
#define SMALL_MESH "mesh slab --size-mm 4,2,1 --edge-mm 0.5 -o slab.hdf"

TestSuite(metis_errors, .init = enter_room, .fini = leave_room);

static void make_slab(void)
{
    free(works(SMALL_MESH));
    write_machine("small.yaml", 64);
}

Test(metis_errors, partition_run_and_reproduce_warn_if_metis_failed_and_the_partition_differs)
{
    static const char *const lines[] = {"partition slab.hdf --target small.yaml",
        "run " SLAB " --set machine.tiles=64 --output out",
        "reproduce table1 --mesh slab.hdf --ipus 1 --target small.yaml"};
    make_slab();
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        char *table, *said;
        bad.mood = ANSWERS, bad.answer = METIS_ERROR, bad.words = "Failed during initial partitioning\n";
        bad.failing = 1;
        said = warnings(&table, lines[k]);
        const char *warning = strstr(said, "myotile: warning: METIS failed on ");
        cr_assert(warning, "%s: %s", lines[k], said);
        cr_assert(
            strstr(warning, "output: \"Failed during initial partitioning\"); it succeeded with seed 2"),
            "%s", warning);
        free(table), free(said);
    }
}

Test(metis_errors, out_of_memory_inside_metis_exits_with_code_3)
{
    make_slab();
    bad.mood = ANSWERS, bad.answer = METIS_ERROR;
    bad.words =
        "***Memory allocation failed for x. Requested size: 7 bytes\nFailed during initial partitioning\n";
    refuses(3, "METIS: out of memory for 384 elements in 64 parts", "partition slab.hdf --target small.yaml");
    refuses(3, "Requested size: 7 bytes", "run " SLAB " --set machine.tiles=64 --output out");
}

/* The signal of a time limit, to the program alone and to its process group, as the tool `timeout` sends it. */
Test(metis_errors, a_signal_during_metis_ends_the_program_and_leaves_no_child_process, .timeout = 30)
{
    static const int numbers[] = {SIGTERM, SIGINT};
    int ends[2];
    make_slab();
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int k = 0; k < 4; k++) {
        pid_t at_work;
        int ended;
        const pid_t program = fork();
        if (program == 0) {
            (void)setpgid(0, 0);
            (void)freopen("stderr", "w", stderr);
            bad.mood = WAITS, bad.pipe = ends[1];
            _exit(myotile("partition slab.hdf --target small.yaml").code);
        }
        cr_assert_eq(read(ends[0], &at_work, sizeof at_work), sizeof at_work);
        cr_assert_eq(kill(k < 2 ? program : -program, numbers[k % 2]), 0);
        cr_assert_eq(waitpid(program, &ended, 0), program);
        const int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
        cr_assert(code == MT_STOPPED || code == 128 + numbers[k % 2], "round %d: %x", k, (unsigned)ended);
        cr_assert_eq(waitpid(at_work, &ended, 0), at_work);
        cr_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    }
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
}
