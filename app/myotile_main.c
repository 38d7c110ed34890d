/* The main program: prepares the process and runs the commands of app/commands. */
#include <ctype.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/commands/commands.h"

enum { LARGE_ARRAY = 4 << 20 }; /* bytes */

static const rlim_t stack_least = 1 << 20, stack_usual = 8 << 20; /* bytes */
static const double stack_most = 0x1p30;

/* Restarts the program with a larger stack if the stack limit, which also applies to OpenMP's threads, is too small. Exits if the
 * limit cannot be raised. */
static void ensure_stack(char *const *argv)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= stack_least) return;
    const unsigned long found = limit.rlim_cur >> 10, needed = stack_least >> 10;
    limit.rlim_cur = limit.rlim_max < stack_usual ? limit.rlim_max : stack_usual;
    if (limit.rlim_cur >= stack_least && setrlimit(RLIMIT_STACK, &limit) == 0)
        (void)execv("/proc/self/exe", argv);
    (void)fprintf(
        stderr, "myotile: the stack limit (ulimit -s) is %lu KiB; needed: at least %lu KiB\n", found, needed);
    exit(MT_FILE);
}

/* Returns the bytes of a size in the format of OMP_STACKSIZE: in KiB, or with a letter B, K, M or G. */
static double bytes_of(const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    while (*end == ' ') end++;
    const int letter = toupper((unsigned char)*end);
    return number * (letter == 'B' ? 1 : letter == 'M' ? 0x1p20 : letter == 'G' ? 0x1p30 : 0x1p10);
}

/* Restarts the program if the stack size of OpenMP's threads, which is fixed before main begins, is too small or unrealistically
 * large. */
static void ensure_thread_stacks(char *const *argv)
{
    const char *found = getenv("OMP_STACKSIZE");
    if (!found || (bytes_of(found) >= (double)stack_least && bytes_of(found) <= stack_most)) return;
    (void)fprintf(stderr, "myotile: warning: OMP_STACKSIZE: found %.40s; used: 8M\n", found);
    if (setenv("OMP_STACKSIZE", "8M", 1) == 0) (void)execv("/proc/self/exe", argv);
}

/* Restarts the program with a short spin time of OpenMP, unless the user has chosen one. The threads synchronise thousands of times
 * a second; with OpenMP's default, long spinning, this becomes many times slower as soon as the machine has other work. The spin
 * time is fixed before main begins. */
static void choose_short_spin(char *const *argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME")) return;
    if (setenv("GOMP_SPINCOUNT", "2000", 1) == 0 && setenv("KMP_BLOCKTIME", "1", 1) == 0)
        (void)execv("/proc/self/exe", argv);
}

/* Opens /dev/null read-only in place of closed standard streams. Otherwise the next opened file would replace such a stream and
 * receive its output. Writing to the replacement fails, so lost output is noticed. */
static void occupy_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) exit(MT_FILE);
}

/* Makes the C library return large arrays to the system when they are freed. By default the first of them that is freed raises the size
 * from which it does so, up to 32 MiB, and smaller arrays then stay in the process. */
static void return_large_arrays(void)
{
#ifdef M_MMAP_THRESHOLD
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_ARRAY);
#endif
}

int main(int argc, char **argv)
{
    occupy_closed_streams();
    ensure_stack(argv);
    ensure_thread_stacks(argv);
    choose_short_spin(argv);
    return_large_arrays();
    return mt_program_main(mt_commands, argc, argv, stdout, stderr);
}
