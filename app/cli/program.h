/* The program `myotile`: finds the command, reads its arguments, runs it, and says how it went. */
#pragma once

#include "app/cli/command.h"

/* Runs the program of these commands with main's arguments. A NULL ends them; those with the same first word stand together.
 * Prints help, tables and messages; returns the exit code: the status (data/core/status.h), or 128 and the number of the signal that
 * stopped it. */
int mt_program_main(
    const mt_command *const *commands, int argc, char *const *argv, FILE *out, FILE *messages);
