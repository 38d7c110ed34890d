#include "data/files/available_memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/files/input.h"

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t of_the_system(void)
{
    char line[256];
    unsigned long long kilobytes, sum = 0;
    MT_STREAM *file = fopen("/proc/meminfo", "r");
    if (!file) return SIZE_MAX;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1 ||
            sscanf(line, "SwapFree: %llu", &kilobytes) == 1)
            sum += kilobytes;
    return sum > 0 ? (size_t)sum * 1024 : SIZE_MAX;
}

/* Returns the part of a limit that remains when this number of pages is in use. */
static size_t under(const struct rlimit *limit, unsigned long long pages)
{
    const size_t used = (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
    if (limit->rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    return limit->rlim_cur > used ? (size_t)limit->rlim_cur - used : 0;
}

static size_t of_the_process(void)
{
    unsigned long long all = 0, data = 0;
    MT_STREAM *file = fopen("/proc/self/statm", "r");
    if (!file) return SIZE_MAX;
    const int n = fscanf(file, "%llu %*u %*u %*u %*u %llu", &all, &data);
    struct rlimit of_all, of_data;
    if (n != 2 || getrlimit(RLIMIT_AS, &of_all) != 0 || getrlimit(RLIMIT_DATA, &of_data) != 0)
        return SIZE_MAX;
    return smaller(under(&of_all, all), under(&of_data, data));
}

static size_t of_the_group(void)
{
    char line[PATH_MAX], path[PATH_MAX + 64] = "";
    unsigned long long bytes = 0;
    MT_STREAM *file = fopen("/proc/self/cgroup", "r");
    if (!file) return SIZE_MAX;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0)
            (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
    }
    MT_STREAM *most = *path ? fopen(path, "r") : NULL;
    return most && fscanf(most, "%llu", &bytes) == 1 ? (size_t)bytes : SIZE_MAX; /* or "max" */
}

size_t mt_memory_available(void)
{
    return smaller(of_the_system(), smaller(of_the_process(), of_the_group()));
}
