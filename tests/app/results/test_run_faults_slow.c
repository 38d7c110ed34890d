/* A run with all possible files, into the folder of an earlier run: with 24 sizes of a disk that becomes full, and with a kill, one failure
 * and several failures at each call that changes a folder. */
#include "tests/app/results/two_runs.h"

enum { SIZES = 24, KILLS = 200 };

static void enter(void)
{
    enter_room();
    begin_two_runs(" --set machine.ipus=2 --set series.every_ms=1");
}

TestSuite(run_faults, .init = enter, .fini = leave_room);

Test(run_faults, a_full_disk_leaves_the_files_of_one_run) { fill_sizes(SIZES, 60000); }

static int calls_of_second_run(void)
{
    restore_first_run();
    cr_assert_eq(second_run("out", NO_FAULT, 0), 0);
    return calls_of_run();
}

Test(run_faults, a_kill_at_any_call_leaves_the_files_of_one_run)
{
    const int n = calls_of_second_run();
    int kills = 0;
    for (int at = 0; kills < KILLS; at = (at + 1) % n, kills++) {
        restore_first_run();
        const int code = second_run("out", KILLED, at);
        cr_assert_eq(code, KILLED_CODE);
        expect_one_run(code, "kill", at);
    }
}

Test(run_faults, failing_calls_leave_the_files_of_one_run)
{
    const int n = calls_of_second_run();
    for (fault what = FAILS_ONCE; what <= FAILS_11_TIMES; what++)
        for (int at = 0; at < n; at++) {
            restore_first_run();
            expect_one_run(second_run("out", what, at), "failure", at);
        }
}
