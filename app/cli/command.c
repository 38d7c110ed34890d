#include "app/cli/command.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/utf8.h"

const char *mt_command_usage(const mt_command *command, char *text, size_t size)
{
    (void)snprintf(text, size, "%s%s%s", command->name, command->operands[0] ? " " : "", command->operands);
    return text;
}

/* ---- reading ---- */

enum { OPTIONS_MAX = 32 }; /* maximum per command */

/* The getopt code of an option: FIRST_CODE plus its index in the table. */
enum { FIRST_CODE = 256 };

/* The option table in getopt's format. */
typedef struct getopt_table {
    struct option name[OPTIONS_MAX + 1];
    char letters[2 * OPTIONS_MAX + 2];
} getopt_table;

static void make_table(const mt_option *options, getopt_table *table)
{
    size_t n = 0, letters = 0;
    *table = (getopt_table){0};
    /* ':' suppresses getopt's messages and distinguishes a missing value from an unknown option */
    table->letters[letters++] = ':';
    for (const mt_option *o = options; o->name; o++, n++) {
        assert(n < OPTIONS_MAX);
        table->name[n] = (struct option){
            o->name + 2, o->value ? required_argument : no_argument, NULL, FIRST_CODE + (int)n};
        if (o->letter) table->letters[letters++] = o->letter;
        if (o->letter && o->value) table->letters[letters++] = ':';
    }
}

static const mt_option *with_code(const mt_option *options, int code)
{
    if (code >= FIRST_CODE) return &options[code - FIRST_CODE];
    for (const mt_option *o = options; o->name; o++)
        if (code && o->letter == code) return o;
    return NULL;
}

/* True if this word is the option's complete name, alone or with '=' and a value. getopt also accepts abbreviations. */
static bool is_named(const char *word, const mt_option *option)
{
    const size_t n = strlen(option->name);
    if (option->letter && word[0] == '-' && word[1] == option->letter) return word[2] != '=';
    return strncmp(word, option->name, n) == 0 && (word[n] == 0 || word[n] == '=');
}

static bool is_an_option(const mt_option *options, const char *word)
{
    for (const mt_option *o = options; o->name; o++)
        if (is_named(word, o)) return true;
    return false;
}

static mt_status refuse_unknown(const mt_command *command, const char *word)
{
    return mt_fail(MT_INPUT, "%s: unknown option '%s'; see myotile %s --help", command->name,
        mt_utf8_shown(word), command->name);
}

/* Reports why getopt stopped with this code: ':' for a missing value, else '?'. `word`: the word before the next one. */
static mt_status refuse(const mt_command *command, int code, const char *word)
{
    const char letter[] = {'-', (char)optopt, 0};
    const mt_option *option = with_code(command->options, optopt);
    if (!option) return refuse_unknown(command, optopt ? letter : word);
    if (code == ':')
        return mt_fail(MT_INPUT, "%s: %s requires %s", command->name, option->name, option->value);
    return mt_fail(MT_INPUT, "%s: %s; allowed: %s, which takes no value", command->name, mt_utf8_shown(word),
        option->name);
}

static mt_status take_option(const mt_command *command, const mt_option *option, mt_arguments *arguments)
{
    if (!option->repeats && mt_option_given(arguments, option->name))
        return mt_fail(MT_INPUT, "%s: %s is given twice", command->name, option->name);
    /* the value is the name of another option: it was forgotten */
    if (option->value && (!*optarg || is_an_option(command->options, optarg)))
        return mt_fail(MT_INPUT, "%s: %s requires %s", command->name, option->name, option->value);
    if (option->instead) {
        mt_warn("%s is obsolete and ignored; %s", option->name, option->instead);
        return MT_OK;
    }
    arguments->given[arguments->n_given++] = (mt_given){option, option->value ? optarg : NULL};
    return MT_OK;
}

static mt_status check_all(const mt_command *command, const mt_arguments *arguments)
{
    char use[128];
    if (arguments->n_operands < command->n_operands)
        return mt_fail(MT_INPUT, "%s: an argument is missing; usage: myotile %s [options]", command->name,
            mt_command_usage(command, use, sizeof use));
    if (arguments->n_operands > command->n_operands + command->n_optional && !command->more_operands)
        return mt_fail(MT_INPUT, "%s: unexpected argument '%s'; usage: myotile %s [options]", command->name,
            mt_utf8_shown(arguments->operand[command->n_operands + command->n_optional]),
            mt_command_usage(command, use, sizeof use));
    for (const mt_option *o = command->options; o->name; o++)
        if (o->required && !mt_option_given(arguments, o->name))
            return mt_fail(
                MT_INPUT, "%s: %s is required; see myotile %s --help", command->name, o->name, command->name);
    return MT_OK;
}

mt_status mt_arguments_read(mt_arena *arena, const mt_command *command, size_t n, char *const *word,
    FILE *out, mt_arguments *arguments)
{
    getopt_table table;
    char **words; /* getopt skips the first word, and moves operands to the end */
    static const char *const formats[] = {"text", "json", "csv"};
    size_t format;
    int code;
    make_table(command->options, &table);
    *arguments = (mt_arguments){.out = out};
    MT_ALLOC(arena, words, n + 2);
    MT_ALLOC(arena, arguments->operand, n + 1);
    MT_ALLOC(arena, arguments->given, n + 1);
    for (size_t k = 0; k < n; k++) words[k + 1] = word[k];
    optind = 0; /* restarts getopt */
    while ((code = getopt_long((int)n + 1, words, table.letters, table.name, NULL)) != -1) {
        const mt_option *option = code == '?' || code == ':' ? NULL : with_code(command->options, code);
        const char *at = words[optind - 1];
        if (!option) return refuse(command, code, at);
        if (optarg == at) at = words[optind - 2]; /* the value is a separate word */
        if (!is_named(at, option)) return refuse_unknown(command, at);
        MT_TRY(take_option(command, option, arguments));
    }
    for (int k = optind; k <= (int)n; k++) arguments->operand[arguments->n_operands++] = words[k];
    MT_TRY(check_all(command, arguments));
    MT_TRY(mt_option_word(arguments, "--format", "text", formats, 3, &format));
    arguments->format = (mt_format)format;
    return MT_OK;
}

/* ---- access to the arguments ---- */

const char *mt_operand(const mt_arguments *arguments, size_t number)
{
    return number < arguments->n_operands ? arguments->operand[number] : "";
}

static const mt_given *find_nth(const mt_arguments *arguments, const char *name, size_t n)
{
    for (size_t k = 0; k < arguments->n_given; k++)
        if (strcmp(arguments->given[k].option->name, name) == 0 && n-- == 0) return &arguments->given[k];
    return NULL;
}

const char *mt_option_nth(const mt_arguments *arguments, const char *name, size_t n)
{
    const mt_given *given = find_nth(arguments, name, n);
    return given ? given->value : NULL;
}

const char *mt_option_value(const mt_arguments *arguments, const char *name, const char *missing)
{
    const char *value = mt_option_nth(arguments, name, 0);
    return value ? value : missing;
}

bool mt_option_given(const mt_arguments *arguments, const char *name)
{
    return find_nth(arguments, name, 0) != NULL;
}

mt_status mt_option_all(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, const char ***values)
{
    MT_ALLOC(arena, *values, arguments->n_given + 1);
    for (*n = 0; ((*values)[*n] = mt_option_nth(arguments, name, *n)) != NULL;) ++*n;
    return MT_OK;
}

mt_status mt_option_overrides(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, mt_yaml_override **sets)
{
    const char **texts;
    MT_TRY(mt_option_all(arena, arguments, name, n, &texts));
    MT_ALLOC(arena, *sets, *n + 1);
    for (size_t k = 0; k < *n; k++) (*sets)[k] = (mt_yaml_override){name, texts[k]};
    return MT_OK;
}

mt_status mt_option_word(const mt_arguments *arguments, const char *option, const char *missing,
    const char *const *words, size_t n, size_t *number)
{
    const char *value = mt_option_value(arguments, option, missing);
    char allowed[256] = "";
    for (*number = 0; *number < n; ++*number)
        if (strcmp(words[*number], value) == 0) return MT_OK;
    for (size_t k = 0; k < n; k++) {
        const size_t used = strlen(allowed);
        (void)snprintf(allowed + used, sizeof allowed - used, "%s%s", k > 0 ? ", " : "", words[k]);
    }
    return mt_fail(MT_INPUT, "%s %s; allowed: %s", option, mt_utf8_shown(value), allowed);
}

mt_file_replace mt_option_replace(const mt_arguments *arguments)
{
    return mt_option_given(arguments, "--force") ? MT_FILE_ANY : MT_FILE_OURS;
}

/* ---- values ---- */

mt_status mt_numbers(const char *option, const char *text, size_t count, double above, double *numbers)
{
    const char *at = text;
    for (size_t k = 0; k < count; k++) {
        char *end = NULL;
        errno = 0;
        numbers[k] = strtod(at, &end);
        if (end == at || errno != 0 || !isfinite(numbers[k]) || !(numbers[k] > above) ||
            *end != (k + 1 < count ? ',' : '\0')) {
            char limit[32] = "";
            if (above > -INFINITY) (void)snprintf(limit, sizeof limit, " above %g", above);
            return mt_fail(MT_INPUT, "%s %s; allowed: %zu number%s%s%s", option, mt_utf8_shown(text), count,
                count > 1 ? "s" : "", limit, count > 1 ? ", separated by commas" : "");
        }
        at = end + 1;
    }
    return MT_OK;
}

mt_status mt_integer(
    const char *option, const char *text, unsigned long least, unsigned long most, unsigned long *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoul(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || text[0] == '-' || *number < least || *number > most)
        return mt_fail(MT_INPUT, "%s %s; allowed: a whole number from %lu to %lu", option,
            mt_utf8_shown(text), least, most);
    return MT_OK;
}

mt_status mt_integers(const char *option, const char *text, unsigned long least, unsigned long most,
    size_t room, size_t *n, unsigned long *numbers)
{
    const char *at = text;
    for (*n = 0; *n < room; at++) {
        char one[32] = "";
        const size_t length = strcspn(at, ",");
        if (length >= sizeof one) break;
        memcpy(one, at, length);
        if (mt_integer(option, one, least, most, &numbers[(*n)++]) != MT_OK) break;
        at += length;
        if (!*at) return MT_OK;
    }
    return mt_fail(MT_INPUT, "%s %s; allowed: at most %zu whole numbers from %lu to %lu, separated by commas",
        option, mt_utf8_shown(text), room, least, most);
}
