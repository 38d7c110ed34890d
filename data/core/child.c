#include "data/core/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "data/core/progress.h"

/* Executes the program in the child. */
static _Noreturn void become(const mt_child *child, pid_t parent)
{
    const int nowhere = open("/dev/null", O_RDWR);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(MT_CHILD_NOT_STARTED); /* the parent has already ended */
    (void)signal(SIGPIPE, SIG_DFL), (void)signal(SIGXFSZ, SIG_DFL);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) (void)dup2(nowhere, fd);
    if (child->fixed_addresses) (void)personality(PER_LINUX | ADDR_NO_RANDOMIZE);
    (void)execvp(child->words[0], (char *const *)(uintptr_t)child->words);
    _exit(MT_CHILD_NOT_STARTED);
}

/* Waits for the process by polling, since a signal does not end a wait (mt_progress_catch_interrupt) and can arrive just before one. */
static int wait_for(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    int ended = 0;
    while (waitpid(pid, &ended, WNOHANG) == 0) {
        if (mt_progress_interrupted()) (void)kill(pid, SIGTERM);
        (void)nanosleep(&pause, NULL);
    }
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

/* Starts the programs from k on, in order, and waits for them in reverse order. */
static int start_from(size_t k, size_t n, mt_child *child, pid_t parent)
{
    if (k == n) return 0;
    const pid_t pid = fork();
    if (pid == 0) become(&child[k], parent);
    const int error = pid < 0 ? errno : start_from(k + 1, n, child, parent);
    if (pid > 0) child[k].code = wait_for(pid);
    return error;
}

mt_status mt_children_run(size_t n, mt_child *child)
{
    for (size_t k = 0; k < n; k++) child[k].code = MT_CHILD_NOT_STARTED;
    mt_progress_catch_interrupt(NULL);
    const int error = start_from(0, n, child, getpid());
    mt_progress_exit_on_interrupt();
    if (mt_progress_interrupted())
        return mt_fail(MT_STOPPED, "stopped while %s was running", child[0].words[0]);
    if (error) return mt_fail(MT_FILE, "%s: cannot be started: %s", child[0].words[0], strerror(error));
    return MT_OK;
}
