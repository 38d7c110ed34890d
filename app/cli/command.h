/* A command of the program: what it takes, and what it was given.
 *
 * A command writes its files, then prints its tables to the file it is given, and says what it is doing to standard error. It
 * returns a status; only the program turns that into a message and an exit code (app/cli/program.h).
 *
 * On the command line a value is the next word or stands behind a '=' in the same one ("--name=value"); operands and options
 * come in any order; "--" ends the options. A name is written in full. getopt_long does the reading. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "data/core/arena.h"
#include "data/files/file.h"
#include "data/core/status.h"
#include "data/yaml/yaml_schema.h"

typedef struct mt_option {
    const char *name; /* "--format" */
    const char
        *value; /* what its value is called; between '|' the words of which it is one, as the command checks
                          ("text|json|csv"); NULL: a switch */
    const char *help;
    char letter;  /* 'o': also "-o"; 0: none */
    bool repeats; /* may be given several times */
    bool needed;
    const char *
        instead; /* of a removed option: what replaces it. It is still read, with a warning, and no help shows it */
} mt_option;

/* Options that several commands have, in the same words and with the same meaning. */
#define MT_OPTION_OUTPUT(what, text)                                                                         \
    {                                                                                                        \
        .name = "--output", .letter = 'o', .value = (what), .help = (text), .needed = true                   \
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
        .help = "use this value in place of the machine's: links.shape=torus", .repeats = true               \
    }
#define MT_OPTION_NO_CACHE                                                                                   \
    {                                                                                                        \
        .name = "--no-cache", .help = "measure the largest stable substep again, even if it is in the cache" \
    }
#define MT_OPTION_PROGRESS                                                                                   \
    {                                                                                                        \
        .name = "--progress", .value = "never|auto|lines",                                                   \
        .help = "on standard error; auto: a line rewritten on a terminal, elsewhere a line a minute; "       \
                "default: auto"                                                                              \
    }
#define MT_OPTIONS_END                                                                                       \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

struct mt_arguments;

typedef struct mt_command {
    const char *name;         /* one or two words: "run", "mesh slab" */
    const char *operands;     /* as shown in the usage line: "CASE.yaml"; "" for none */
    size_t n_operands;        /* so many are needed */
    size_t n_optional;        /* and so many more are allowed; or */
    bool more_operands;       /* of the last one there may be several */
    const char *summary;      /* one line */
    const char *example;      /* a command line that works in the project's folder */
    const mt_option *options; /* ended by MT_OPTIONS_END */
    bool ranks;               /* it may run on several (app/cli/ranks.h) */
    /* The arena is empty at first, and freed when it returns; a failure takes the line of mt_progress_stage away. */
    mt_status (*run)(mt_arena *arena, const struct mt_arguments *arguments);
} mt_command;

typedef struct mt_given {
    const mt_option *option;
    const char *value; /* NULL for a switch */
} mt_given;

/* Formats of tables. */
typedef enum mt_format { MT_FORMAT_TEXT, MT_FORMAT_JSON, MT_FORMAT_CSV } mt_format;

/* What was given, and where the command's tables go. Borrows the words. */
typedef struct mt_arguments {
    size_t n_operands, n_given;
    const char **operand;
    mt_given *given; /* in the order of the command line */
    FILE *out;
    mt_format format; /* of the tables (--format) */
} mt_arguments;

/* Reads the words [n] behind a command's name. MT_INPUT: an unknown option, one given twice or without its value, one that is
 * needed and not there, too few or too many operands; the message says how the command is used. */
MT_NODISCARD mt_status mt_arguments_read(mt_arena *arena, const mt_command *command, size_t n,
    char *const *word, FILE *out, mt_arguments *arguments);

/* "mesh info MESH.hdf", into text [size]; answers it. */
const char *mt_command_usage(const mt_command *command, char *text, size_t size);

/* The operand with this number, from 0; "" behind the last. */
const char *mt_operand(const mt_arguments *arguments, size_t number);

/* The value of an option, or `missing` where it was not given; the n-th (from 0) where it may be given several times. */
const char *mt_option_value(const mt_arguments *arguments, const char *name, const char *missing);
const char *mt_option_nth(const mt_arguments *arguments, const char *name, size_t n);
bool mt_option_given(const mt_arguments *arguments, const char *name);

/* Gives all of them. */
MT_NODISCARD mt_status mt_option_all(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, const char ***values);

/* Gives the values that an option sets, with its name; there is room for one more behind them. */
MT_NODISCARD mt_status mt_option_overrides(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, mt_yaml_override **sets);

/* Gives which of n words an option's value is, `missing` where it was not given. MT_INPUT, naming the option and the words: it is none. */
MT_NODISCARD mt_status mt_option_word(const mt_arguments *arguments, const char *option, const char *missing,
    const char *const *words, size_t n, size_t *number);

/* What may be replaced: any file with --force. */
mt_file_replace mt_option_replace(const mt_arguments *arguments);

/* `count` numbers separated by commas; MT_INPUT, naming the option, where the text is anything else or a number is not above
 * `above`. */
MT_NODISCARD mt_status mt_numbers(
    const char *option, const char *text, size_t count, double above, double *numbers);

/* The same for one whole number from `least` to `most`. */
MT_NODISCARD mt_status mt_whole_number(
    const char *option, const char *text, unsigned long least, unsigned long most, unsigned long *number);

/* The same for a list of them, separated by commas: at most `room`; gives how many there are. */
MT_NODISCARD mt_status mt_whole_numbers(const char *option, const char *text, unsigned long least,
    unsigned long most, size_t room, size_t *n, unsigned long *numbers);
