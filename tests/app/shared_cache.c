/* A cache folder for the tests of a program (tests/room.h): that of a run of CTest (cmake/tests.cmake), or else a new one, which is deleted
 * at the end. Either is empty at first, since an entry of an older build would hide a fault. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/test_cache.XXXXXX";

ReportHook(PRE_ALL)(struct criterion_test_set *set)
{
    (void)set;
    if (getenv("MT_TEST_CACHE")) return;
    if (!mkdtemp(folder) || setenv("MT_TEST_CACHE", folder, 1) != 0) abort();
}

static int remove_thing(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
    (void)stats;
    (void)nftw(folder, remove_thing, 8, FTW_DEPTH | FTW_PHYS);
}
