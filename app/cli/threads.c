#include "app/cli/threads.h"

#include <omp.h>
#include <sys/resource.h>

enum { ALWAYS = 64, FOR_A_PROCESSOR = 4 }; /* threads that are not questioned */

bool mt_threads_bound(void)
{
    const int asked = omp_get_max_threads(), processors = omp_get_num_procs();
    struct rlimit limit;
    const int most = FOR_A_PROCESSOR * processors > ALWAYS ? FOR_A_PROCESSOR * processors : ALWAYS;
    int used = asked > most || asked < 1 ? processors : asked; /* below 1: beyond an int */
    if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < (rlim_t)used)
        used = limit.rlim_cur > 2 ? (int)(limit.rlim_cur / 2) : 1;
    if (used == asked) return false;
    omp_set_num_threads(used);
    return true;
}
