/* Commands of the program, their options, and the arguments of a call.
 *
 * A command writes its files, then prints its tables to its output stream. It reports progress on standard error and returns a
 * status. Only the program turns the status into a message and an exit code (app/cli/program.h).
 *
 * On the command line a value is the next word, or follows '=' in the same word ("--name=value"). Operands and options come in any
 * order; "--" ends the options. Option names cannot be abbreviated. getopt_long reads the words. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "data/core/arena.h"
#include "data/files/file.h"
#include "data/core/status.h"
#include "data/yaml/yaml_schema.h"

typedef struct mt_option {
    const char *name; /* "--format" */
    /* name of its value; alternatives are separated by '|' and checked by the command ("text|json|csv"). NULL: a switch */
    const char *value;
    const char *help;
    char letter;  /* 'o': also "-o"; 0: no letter */
    bool repeats; /* true if it can be repeated */
    bool required;
    /* of a removed option: its replacement. The option is still accepted, with a warning; help omits it */
    const char *instead;
} mt_option;

/* Options shared by several commands, with the same text and meaning. */
#define MT_OPTION_OUTPUT(what, text)                                                                         \
    {                                                                                                        \
        .name = "--output", .letter = 'o', .value = (what), .help = (text), .required = true                 \
    }
#define MT_OPTION_FORCE                                                                                      \
    {                                                                                                        \
        .name = "--force", .help = "replace files that myotile did not write"                                \
    }
#define MT_OPTION_FORMAT                                                                                     \
    {                                                                                                        \
        .name = "--format", .value = "text|json|csv", .help = "format of the tables; default: text"          \
    }
#define MT_OPTION_MACHINE_SET                                                                                \
    {                                                                                                        \
        .name = "--machine-set", .value = "key=value",                                                       \
        .help = "replace a value of the machine, such as links.shape=torus", .repeats = true                 \
    }
#define MT_OPTION_NO_CACHE                                                                                   \
    {                                                                                                        \
        .name = "--no-cache", .help = "measure the largest stable substep again, even if it is cached"       \
    }
#define MT_OPTION_PROGRESS                                                                                   \
    {                                                                                                        \
        .name = "--progress", .value = "never|auto|lines",                                                   \
        .help = "progress on standard error; auto: a line that is updated on a terminal, otherwise one "     \
                "line a minute; "                                                                            \
                "default: auto"                                                                              \
    }
#define MT_OPTIONS_END                                                                                       \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

struct mt_arguments;

typedef struct mt_command {
    const char *name;         /* one or two words: "run", "mesh slab" */
    const char *operands;     /* as in the usage line: "CASE.yaml"; "" if none */
    size_t n_operands;        /* number of required operands */
    size_t n_optional;        /* number of optional operands */
    bool more_operands;       /* true if the last operand can be repeated */
    const char *summary;      /* a single line */
    const char *example;      /* a command line that works in the project's folder */
    const mt_option *options; /* terminated by MT_OPTIONS_END */
    bool ranks;               /* true if it can run on several ranks (app/cli/ranks.h) */
    /* Runs the command. `arena` is empty at first and freed after the call. If it fails, the program clears the line of
     * mt_progress_stage. */
    mt_status (*run)(mt_arena *arena, const struct mt_arguments *arguments);
} mt_command;

typedef struct mt_given {
    const mt_option *option;
    const char *value; /* NULL for a switch */
} mt_given;

/* Output formats of tables. */
typedef enum mt_format { MT_FORMAT_TEXT, MT_FORMAT_JSON, MT_FORMAT_CSV } mt_format;

/* Arguments of a call, and the output stream of its tables. Borrows the words. */
typedef struct mt_arguments {
    size_t n_operands, n_given;
    const char **operand;
    mt_given *given; /* in the order of the command line */
    FILE *out;
    mt_format format; /* of tables (--format) */
} mt_arguments;

/* Reads the n words after a command's name. Fails with MT_INPUT if an option is unknown, duplicated, without its value, or missing
 * but required, or if there are too few or too many operands; the message shows the usage. */
MT_NODISCARD mt_status mt_arguments_read(mt_arena *arena, const mt_command *command, size_t n,
    char *const *word, FILE *out, mt_arguments *arguments);

/* Writes the usage, such as "mesh info MESH.hdf", to text [size] and returns it. */
const char *mt_command_usage(const mt_command *command, char *text, size_t size);

/* Returns the operand of this number, counted from 0; "" after the last. */
const char *mt_operand(const mt_arguments *arguments, size_t number);

/* Return the value of an option: the first, or `missing` if the option was not given; the n-th, counted from 0, or NULL; and true
 * if the option was given. */
const char *mt_option_value(const mt_arguments *arguments, const char *name, const char *missing);
const char *mt_option_nth(const mt_arguments *arguments, const char *name, size_t n);
bool mt_option_given(const mt_arguments *arguments, const char *name);

/* Returns all n values of an option in `arena`. */
MT_NODISCARD mt_status mt_option_all(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, const char ***values);

/* Returns the n values of an option as overrides with the option's name, in `arena`, with room for one more. */
MT_NODISCARD mt_status mt_option_overrides(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, mt_yaml_override **sets);

/* Returns the index of the option's value in a list of n words; `missing` is the default. Fails with MT_INPUT if the value is not
 * in the list; the message names the option and the words. */
MT_NODISCARD mt_status mt_option_word(const mt_arguments *arguments, const char *option, const char *missing,
    const char *const *words, size_t n, size_t *number);

/* Returns the files that can be replaced: any file with --force. */
mt_file_replace mt_option_replace(const mt_arguments *arguments);

/* Reads `count` numbers separated by commas. Fails with MT_INPUT if the text is anything else or a number is not greater than
 * `above`; the message names the option. */
MT_NODISCARD mt_status mt_numbers(
    const char *option, const char *text, size_t count, double above, double *numbers);

/* Same, for one integer from `least` to `most`. */
MT_NODISCARD mt_status mt_integer(
    const char *option, const char *text, unsigned long least, unsigned long most, unsigned long *number);

/* Same, for a list of at most `room` integers separated by commas. Returns their number. */
MT_NODISCARD mt_status mt_integers(const char *option, const char *text, unsigned long least,
    unsigned long most, size_t room, size_t *n, unsigned long *numbers);
