#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "data/files/available_memory.h"

static size_t pages(const char *format)
{
    unsigned long long n = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file && fscanf(file, format, &n) == 1);
    (void)fclose(file);
    return (size_t)n * 4096;
}

/* Sets the soft limit of data or address space; 0: to the hard limit. */
static void limit_to(bool data, size_t bytes)
{
    struct rlimit limit;
    cr_assert_eq(data ? getrlimit(RLIMIT_DATA, &limit) : getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
    cr_assert_eq(data ? setrlimit(RLIMIT_DATA, &limit) : setrlimit(RLIMIT_AS, &limit), 0);
}

Test(available_memory, available_memory_is_positive_and_at_most_that_of_the_machine)
{
    unsigned long long total = 0;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    cr_assert(file && fgets(line, sizeof line, file) && sscanf(line, "MemTotal: %llu", &total) == 1);
    unsigned long long swap = 0, n;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "SwapTotal: %llu", &n) == 1) swap = n;
    (void)fclose(file);
    cr_assert(mt_memory_available() > 0 && mt_memory_available() <= (size_t)(total + swap) * 1024);
}

/* 100 MB above the present use, of address space and of data. */
Test(available_memory, available_memory_respects_the_limits_of_the_process)
{
    static const char *const formats[] = {"%llu", "%*u %*u %*u %*u %*u %llu"};
    for (int k = 0; k < 2; k++) {
        limit_to(k == 1, pages(formats[k]) + 100000000);
        const size_t left = mt_memory_available();
        cr_assert(left > 90000000 && left <= 100000000, "limit %d: %zu", k, left);
        limit_to(k == 1, 4096);
        const size_t nothing = mt_memory_available();
        limit_to(k == 1, 0);
        cr_assert_eq(nothing, 0, "limit %d: %zu", k, nothing);
        cr_assert_gt(mt_memory_available(), 100000000);
    }
}
