#include "app/cli/command.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/progress.h"
#include "solver/kernels/kernels.h"

static const mt_command *const commands[] = {&mt_command_run, &mt_command_mesh_slab, &mt_command_mesh_info,
    &mt_command_mesh_convert, &mt_command_mesh_ventricles, &mt_command_mesh_fill, &mt_command_mesh_surfaces,
    &mt_command_mesh_fibres, &mt_command_mesh_refine, &mt_command_partition, &mt_command_reproduce_table1,
    &mt_command_reproduce_table2, &mt_command_reproduce_table3, &mt_command_reproduce_figure5,
    &mt_command_reproduce_figure6, &mt_command_cell, &mt_command_machine_list, &mt_command_machine_show};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

/* ---- help ---- */

static void print_overview(FILE *out)
{
    (void)fprintf(out,
        "myotile %s: heart simulations on an emulated machine of tiles\n\nusage: myotile COMMAND ...\n\n",
        MT_VERSION);
    for (int c = 0; c < N_COMMANDS; c++)
        (void)fprintf(out, "  %-17s %s\n", commands[c]->name, commands[c]->summary);
    (void)fprintf(out, "\nThe environment variable MYOTILE_ISA chooses the instruction set (base, avx2 or "
                       "avx512; usual: the best "
                       "that the\nprocessor has). All give the same bits.\n");
    (void)fprintf(out,
        "\n`myotile COMMAND --help` tells the rest. Exit codes: 0 done, 2 bad case or "
        "arguments, 3 files or memory,\n"
        "4 does not fit the machine, 5 numerics, 130, 143 or 129 stopped by Ctrl-C, SIGTERM or SIGHUP.\n");
}

/* "mesh info MESH.hdf" */
static const char *use_of(const mt_command *command, char *use, size_t size)
{
    (void)snprintf(use, size, "%s%s%s", command->name, command->operands[0] ? " " : "", command->operands);
    return use;
}

static void print_help(FILE *out, const mt_command *command)
{
    char use[128];
    (void)fprintf(
        out, "%s\n\nusage: myotile %s [options]\n\n", command->summary, use_of(command, use, sizeof use));
    for (const mt_option *o = command->options; o->name; o++) {
        char left[64];
        (void)snprintf(left, sizeof left, "%s %s", o->name, o->value ? o->value : "");
        (void)fprintf(out, "  %-34s %s\n", left, o->help);
    }
    (void)fprintf(out, "\nexample:\n  %s\n", command->example);
}

/* ---- finding and checking ---- */

static size_t words_of(const char *name) { return strchr(name, ' ') ? 2 : 1; }

static bool matches(const mt_command *command, int argc, char *const *argv)
{
    char given[128];
    if ((size_t)argc < 1 + words_of(command->name)) return false;
    if (words_of(command->name) == 1) return strcmp(argv[1], command->name) == 0;
    (void)snprintf(given, sizeof given, "%s %s", argv[1], argv[2]);
    return strcmp(given, command->name) == 0;
}

/* Is this word the option: "--name" or "-n", or "--name=value"? */
static bool is_option(const char *word, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && (word[n] == 0 || (name[1] == '-' && word[n] == '='));
}

/* The value in the word of an option: "value" of "--name=value"; NULL where it is the next word. */
static const char *value_in(const char *word, const char *name)
{
    const size_t n = strlen(name);
    return word[n] == '=' ? word + n + 1 : NULL;
}

static const mt_option *find_option(const mt_command *command, const char *word)
{
    for (const mt_option *o = command->options; o->name; o++)
        if (is_option(word, o->name)) return o;
    return NULL;
}

static bool given_before(const mt_arguments *arguments, int a, const char *name)
{
    for (int b = 0; b < a; b++)
        if (is_option(arguments->word[b], name)) return true;
    return false;
}

static bool asks_for_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

static mt_status check_arguments(const mt_command *command, const mt_arguments *arguments)
{
    size_t operands = 0;
    char use[128];
    for (int a = 0; a < arguments->n; a++) {
        const char *word = arguments->word[a];
        if (word[0] != '-' || word[1] == 0) {
            if (++operands > command->n_operands && !command->more_operands)
                return mt_fail(MT_INPUT, "%s: '%s' is one argument too many; usage: myotile %s [options]",
                    command->name, word, use_of(command, use, sizeof use));
            continue;
        }
        const mt_option *option = find_option(command, word);
        if (!option)
            return mt_fail(MT_INPUT, "%s: unknown option '%s'; see myotile %s --help", command->name, word,
                command->name);
        if (!option->repeats && given_before(arguments, a, option->name))
            return mt_fail(MT_INPUT, "%s: %s is given twice", command->name, option->name);
        const char *value = value_in(word, option->name);
        if (value && !option->value)
            return mt_fail(
                MT_INPUT, "%s: %s; allowed: %s, which takes no value", command->name, word, option->name);
        /* another option in the value's place, or nothing: the value was forgotten */
        if (option->value &&
            (value ? !*value : ++a >= arguments->n || find_option(command, arguments->word[a])))
            return mt_fail(MT_INPUT, "%s: %s needs %s", command->name, option->name, option->value);
    }
    if (operands < command->n_operands)
        return mt_fail(MT_INPUT, "%s: an argument is missing; usage: myotile %s [options]", command->name,
            use_of(command, use, sizeof use));
    return MT_OK;
}

/* The second word of a command whose first word is this; NULL where it is another. */
static const char *second_word(const mt_command *command, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(command->name, word, n) == 0 && command->name[n] == ' ' ? command->name + n + 1 : NULL;
}

/* Is this the first of a command's two words? */
static bool is_first_word(const char *word)
{
    for (int c = 0; c < N_COMMANDS; c++)
        if (second_word(commands[c], word)) return true;
    return false;
}

static mt_status unknown_command(int argc, char *const *argv)
{
    if (!is_first_word(argv[1])) return mt_fail(MT_INPUT, "'%s' is no command; see myotile --help", argv[1]);
    const bool two = argc > 2 && argv[2][0] != '-';
    char allowed[512] = "";
    for (int c = 0; c < N_COMMANDS; c++) {
        const char *second = second_word(commands[c], argv[1]);
        const size_t used = strlen(allowed);
        if (second)
            (void)snprintf(allowed + used, sizeof allowed - used, "%s%s", used > 0 ? ", " : "", second);
    }
    return mt_fail(MT_INPUT, "'%s%s%s' is no command; allowed behind %s: %s; see myotile --help", argv[1],
        two ? " " : "", two ? argv[2] : "", argv[1], allowed);
}

static mt_status run_command(const mt_command *command, const mt_arguments *arguments)
{
    mt_progress_mode progress;
    MT_TRY(mt_progress_mode_parse(mt_option_value(arguments, "--progress", "auto"), &progress));
    mt_progress_choose(progress);
    mt_progress_leave_on_interrupt();
    (void)signal(
        SIGPIPE, SIG_IGN); /* a reader that goes away is a failure of that output, and of nothing else */
    (void)signal(SIGXFSZ, SIG_IGN); /* and so is a file above the limit (ulimit -f) */
    mt_arena arena = {0};
    const mt_status status = command->run(&arena, arguments);
    if (status != MT_OK) mt_progress_stage(NULL);
    mt_arena_free(&arena);
    return status;
}

static mt_status dispatch(int argc, char *const *argv, FILE *out)
{
    for (int c = 0; c < N_COMMANDS; c++) {
        if (!matches(commands[c], argc, argv)) continue;
        int skipped = 1 + (int)words_of(commands[c]->name);
        mt_arguments arguments = {argc - skipped, argv + skipped, out};
        if (mt_option_given(&arguments, "--help") || mt_option_given(&arguments, "-h")) {
            print_help(out, commands[c]);
            return MT_OK;
        }
        MT_TRY(check_arguments(commands[c], &arguments));
        MT_TRY(mt_in_file("MYOTILE_ISA", mt_kernels_choose(getenv("MYOTILE_ISA"))));
        return run_command(commands[c], &arguments);
    }
    return unknown_command(argc, argv);
}

/* As one line, whatever file names and libraries brought into it. */
static void print_message(FILE *messages, const char *text)
{
    (void)fputs("myotile: ", messages);
    for (; *text; text++) (void)fputc((unsigned char)*text < ' ' ? ' ' : *text, messages);
    (void)fputc('\n', messages);
}

/* What is asked about the program itself; false where it is asked to do something. */
static bool answer(int argc, char *const *argv, FILE *out)
{
    if (argc < 2 || asks_for_help(argv[1]) || strcmp(argv[1], "help") == 0 ||
        (argc == 3 && is_first_word(argv[1]) && asks_for_help(argv[2])))
        print_overview(out);
    else if (strcmp(argv[1], "--version") == 0)
        (void)fprintf(out, "myotile %s\n", MT_VERSION);
    else
        return false;
    return true;
}

int mt_command_main(int argc, char *const *argv, FILE *out, FILE *messages)
{
    mt_status status = answer(argc, argv, out) ? MT_OK : dispatch(argc, argv, out);
    errno = 0;
    if ((fflush(out) != 0 || ferror(out)) && status == MT_OK)
        status = mt_fail(MT_FILE, "standard output: %s", errno ? strerror(errno) : "it takes no more");
    if (status != MT_OK) print_message(messages, mt_message());
    if (status == MT_STOPPED && mt_progress_signal()) return 128 + mt_progress_signal();
    if (status == MT_MEMORY) return MT_FILE;
    return status == MT_OK && argc < 2 ? MT_INPUT : (int)status;
}

/* ---- for commands ---- */

const char *mt_operand(const mt_arguments *arguments, const mt_command *command, size_t number)
{
    for (int a = 0; a < arguments->n; a++) {
        const mt_option *option = find_option(command, arguments->word[a]);
        if (option)
            a += option->value && !value_in(arguments->word[a], option->name);
        else if (number-- == 0)
            return arguments->word[a];
    }
    return "";
}

const char *mt_option_nth(const mt_arguments *arguments, const char *name, size_t n)
{
    for (int a = 0; a < arguments->n; a++) {
        if (!is_option(arguments->word[a], name) || n-- > 0) continue;
        const char *value = value_in(arguments->word[a], name);
        return value || a + 1 >= arguments->n ? value : arguments->word[a + 1];
    }
    return NULL;
}

const char *mt_option_value(const mt_arguments *arguments, const char *name, const char *missing)
{
    const char *value = mt_option_nth(arguments, name, 0);
    return value ? value : missing;
}

mt_status mt_option_all(
    mt_arena *arena, const mt_arguments *arguments, const char *name, size_t *n, const char ***values)
{
    MT_TAKE(arena, *values, (size_t)arguments->n + 1);
    for (*n = 0; ((*values)[*n] = mt_option_nth(arguments, name, *n)) != NULL;) ++*n;
    return MT_OK;
}

bool mt_option_given(const mt_arguments *arguments, const char *name)
{
    for (int a = 0; a < arguments->n; a++)
        if (is_option(arguments->word[a], name)) return true;
    return false;
}

mt_file_replace mt_option_replace(const mt_arguments *arguments)
{
    return mt_option_given(arguments, "--force") ? MT_FILE_ANY : MT_FILE_OURS;
}

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
            return mt_fail(MT_INPUT, "%s %s; allowed: %zu number%s%s%s", option, text, count,
                count > 1 ? "s" : "", limit, count > 1 ? ", separated by commas" : "");
        }
        at = end + 1;
    }
    return MT_OK;
}

mt_status mt_whole_number(
    const char *option, const char *text, unsigned long least, unsigned long most, unsigned long *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoul(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || text[0] == '-' || *number < least || *number > most)
        return mt_fail(MT_INPUT, "%s %s; allowed: a whole number from %lu to %lu", option, text, least, most);
    return MT_OK;
}

mt_status mt_whole_numbers(const char *option, const char *text, unsigned long least, unsigned long most,
    size_t room, size_t *n, unsigned long *numbers)
{
    const char *at = text;
    for (*n = 0; *n < room; at++) {
        char one[32] = "";
        const size_t length = strcspn(at, ",");
        if (length >= sizeof one) break;
        memcpy(one, at, length);
        if (mt_whole_number(option, one, least, most, &numbers[(*n)++]) != MT_OK) break;
        at += length;
        if (!*at) return MT_OK;
    }
    return mt_fail(MT_INPUT, "%s %s; allowed: at most %zu whole numbers from %lu to %lu, separated by commas",
        option, text, room, least, most);
}

const char *mt_name_in_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

mt_status mt_in_file(const char *path, mt_status status)
{
    if (status == MT_OK || status == MT_FILE || status == MT_MEMORY || status == MT_STOPPED) return status;
    char message[1024];
    (void)snprintf(message, sizeof message, "%s", mt_message());
    return mt_fail(status, "%s: %s", path, message);
}

static mt_status copy_names(mt_arena *arena, const glob_t *found, const char **names)
{
    for (size_t k = 0; k < found->gl_pathc; k++) {
        const char *file = mt_name_in_folder(found->gl_pathv[k]);
        const size_t n = strlen(file) - strlen(".yaml");
        char *name;
        MT_TAKE(arena, name, n + 1);
        memcpy(name, file, n);
        names[k] = name;
    }
    return MT_OK;
}

mt_status mt_machine_names(mt_arena *arena, size_t *n, const char ***names)
{
    glob_t found;
    *n = 0;
    *names = NULL;
    const int failure = glob(MT_DATA_DIR "/machines/*.yaml", 0, NULL, &found);
    if (failure == GLOB_NOMATCH) return MT_OK;
    if (failure) return mt_fail(MT_FILE, "%s/machines: cannot be read", MT_DATA_DIR);
    *n = found.gl_pathc;
    *names = mt_arena_take(arena, *n, sizeof **names);
    const mt_status status = *names ? copy_names(arena, &found, *names) : MT_MEMORY;
    globfree(&found);
    return status;
}

static mt_status unknown_machine(mt_arena *arena, const char *name)
{
    char allowed[512] = "";
    const char **names;
    size_t n;
    MT_TRY(mt_machine_names(arena, &n, &names));
    for (size_t k = 0; k < n; k++) {
        const size_t used = strlen(allowed);
        (void)snprintf(allowed + used, sizeof allowed - used, "%s, ", names[k]);
    }
    return mt_fail(MT_INPUT, "machine '%s'; allowed: %sor the path of a .yaml file", name, allowed);
}

bool mt_machine_is_path(const char *name) { return strchr(name, '/') || strstr(name, ".yaml"); }

mt_status mt_machine_path(mt_arena *arena, const char *name, const char **path)
{
    const bool named = !mt_machine_is_path(name);
    const char *folder = named ? MT_DATA_DIR : "", *ending = named ? ".yaml" : "";
    size_t size = strlen(MT_DATA_DIR) + strlen(name) + 32;
    char *text;
    MT_TAKE(arena, text, size);
    (void)snprintf(text, size, "%s%s%s%s", folder, named ? "/machines/" : "", name, ending);
    if (named && access(text, R_OK) != 0) return unknown_machine(arena, name);
    *path = text;
    return MT_OK;
}
