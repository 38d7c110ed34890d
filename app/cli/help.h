/* Help, the manual page and shell completion, all generated from one table of commands. */
#pragma once

#include "app/cli/command.h"

/* Prints all commands, terminated by NULL; with `group` only those with this first word ("mesh"). */
void mt_help_overview(FILE *out, const mt_command *const *commands, const char *group);

/* Prints the usage, options and example of one command. */
void mt_help_command(FILE *out, const mt_command *command);

/* Prints the manual page myotile(1) in the macros of man(7). */
void mt_help_manual(FILE *out, const mt_command *const *commands);

/* Prints a bash script that completes commands, options, values from a list of words, and otherwise file names. */
void mt_help_completion(FILE *out, const mt_command *const *commands);
