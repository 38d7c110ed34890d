/* Runs the gmsh program in tests. */
#pragma once

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs gmsh with these NULL-terminated arguments; returns its exit code, -1 if it cannot be started. */
static int gmsh_run(char *const arguments[])
{
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
    int failed = posix_spawnp(&child, arguments[0], &quiet, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (failed) return -1;
    while (waitpid(child, &status, 0) < 0) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
