/* What the program says of itself, all from one table of commands: help, the manual page, completion for a shell. */
#pragma once

#include "app/cli/command.h"

/* All commands, ended by NULL; with `group` only those whose first word it is ("mesh"). */
void mt_help_overview(FILE *out, const mt_command *const *commands, const char *group);

/* One command: usage, options, an example. */
void mt_help_command(FILE *out, const mt_command *command);

/* The manual page myotile(1), in the macros of man(7). */
void mt_help_manual(FILE *out, const mt_command *const *commands);

/* A script for bash that completes commands, options, those values that are words, and else names of files. */
void mt_help_completion(FILE *out, const mt_command *const *commands);
