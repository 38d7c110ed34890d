/* The program `myotile`: finds the command, reads its arguments, runs it, and reports its status. */
#pragma once

#include "app/cli/command.h"

/* Runs the program with main's arguments. `commands`: terminated by NULL; commands with the same first word are adjacent. Prints
 * help, tables and messages. Returns the exit code: the status (data/core/status.h), or 128 plus the number of the signal that
 * stopped it. */
int mt_program_main(
    const mt_command *const *commands, int argc, char *const *argv, FILE *out, FILE *messages);
