/* A run that cannot replace the files of an earlier run in its folder: full disk, failed renames, a kill. A few cases of each;
 * tests/app/results/test_run_faults_slow.c has all. */
#include "tests/app/results/two_runs.h"

TestSuite(run_faults, .init = enter_room, .fini = leave_room);

Test(run_faults, a_full_disk_leaves_the_files_of_one_run)
{
    begin_two_runs(" --set machine.backend=cpu --set output.report=false");
    fill_sizes(2, 800000);
}

Test(run_faults, a_failing_call_or_a_kill_leaves_the_files_of_one_run)
{
    static const fault faults[] = {KILLED, FAILS_11_TIMES};
    begin_two_runs(" --set machine.backend=cpu --set output.report=false");
    restore_first_run();
    cr_assert_eq(second_run("out", NO_FAULT, 0), 0);
    const int n = calls_of_run();
    for (int k = 0; k < 2; k++) {
        restore_first_run();
        const int at = n - 45 + 3 * k; /* while the files are put in place */
        expect_one_run(second_run("out", faults[k], at), "fault", at);
    }
}
