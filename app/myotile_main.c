/* The program: all it does is in app/commands. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/commands/commands.h"

/* The threads wait for one another thousands of times a second. OpenMP's usual long spinning makes that many
 * times slower as soon as the machine has other work; how long it spins is settled before main begins, so the
 * program starts itself once more with a short spin, unless the person has chosen. */
static void choose_short_spin(char *const *argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME")) return;
    if (setenv("GOMP_SPINCOUNT", "2000", 1) == 0 && setenv("KMP_BLOCKTIME", "1", 1) == 0)
        (void)execv("/proc/self/exe", argv);
}

/* Where a standard stream is closed, the next file that is opened would take its place, and be written into. What takes it
 * instead can be read from and not written to: what is lost on it is noticed. */
static void occupy_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) exit(MT_FILE);
}

int main(int argc, char **argv)
{
    occupy_closed_streams();
    choose_short_spin(argv);
    return mt_program_main(mt_commands, argc, argv, stdout, stderr);
}
