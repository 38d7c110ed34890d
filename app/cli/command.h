/* A program of commands: what a command is, how its arguments are checked and read, and how the program ends.
 *
 * A command writes its files, then prints its tables to the file it is given, and says what it is doing to standard error. It
 * returns a status; only the program turns that into a message and an exit code (data/status.h; stopped by a signal: 128 and
 * its number). */
#ifndef MT_APP_CLI_COMMAND_H
#define MT_APP_CLI_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "data/arena.h"
#include "data/file.h"
#include "data/status.h"

/* Arguments behind the command's name, and where its tables go. */
typedef struct mt_arguments {
    int n;
    char *const *word;
    FILE *out;
} mt_arguments;

/* What an option of a command looks like: "--name" with the name of its value, or NULL for a switch. On the command line the
 * value is the next word, or stands behind a '=' in the same one: "--name=value". */
typedef struct mt_option {
    const char *name, *value, *help;
    bool repeats; /* may be given several times */
} mt_option;

/* Options that several commands have. */
#define MT_OPTION_FORCE                                                                                      \
    {                                                                                                        \
        "--force", NULL, "replace files that myotile did not write", false                                   \
    }
#define MT_OPTION_PROGRESS                                                                                   \
    {                                                                                                        \
        "--progress", "never|auto|lines",                                                                    \
            "on standard error; auto: a line rewritten on a terminal, elsewhere a line a minute; default: "  \
            "auto",                                                                                          \
            false                                                                                            \
    }

typedef struct mt_command {
    const char *name;     /* one or two words: "run", "mesh slab" */
    const char *operands; /* as shown in the usage line: "CASE.yaml" */
    size_t n_operands;
    bool more_operands;       /* of the last one there may be several */
    const char *summary;      /* one line */
    const char *example;      /* a command line that works in the project's folder */
    const mt_option *options; /* ended by a NULL name */
    /* The arena is empty at first and is freed when the command returns; a failure clears the line of mt_progress_stage. */
    mt_status (*run)(mt_arena *arena, const mt_arguments *arguments);
} mt_command;

/* Runs the program of these commands (a NULL ends them) with main's arguments; prints help, tables and messages; returns the
 * exit code. */
int mt_command_main(
    const mt_command *const commands[], int argc, char *const *argv, FILE *out, FILE *messages);

/* For commands. Before a command runs, all arguments have been checked against its table: every option is known and has its
 * value, and the number of operands is right. */

/* The operand with this number, from 0; "" where there are not so many. */
const char *mt_operand(const mt_arguments *arguments, const mt_command *command, size_t number);

/* The value of an option, or `missing` where it was not given; the n-th value (from 0; NULL where there is none) of an option
 * that may be given several times. */
const char *mt_option_value(const mt_arguments *arguments, const char *name, const char *missing);
const char *mt_option_nth(const mt_arguments *arguments, const char *name, size_t n);
/* Gives all values of such an option. */
MT_NODISCARD mt_status mt_option_all(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, const char ***values);
bool mt_option_given(const mt_arguments *arguments, const char *name);

/* `count` numbers separated by commas; MT_INPUT, naming the option, where the text is anything else or a
 * number is not above `above`. */
MT_NODISCARD mt_status mt_numbers(
    const char *option, const char *text, size_t count, double above, double *numbers);

/* The same for one whole number from `least` to `most`. */
MT_NODISCARD mt_status mt_whole_number(
    const char *option, const char *text, unsigned long least, unsigned long most, unsigned long *number);

/* The same for a list of them, separated by commas: at most `room`; gives how many there are. */
MT_NODISCARD mt_status mt_whole_numbers(const char *option, const char *text, unsigned long least,
    unsigned long most, size_t room, size_t *n, unsigned long *numbers);

/* Which files the command may replace: any file with --force. */
mt_file_replace mt_option_replace(const mt_arguments *arguments);

#endif
