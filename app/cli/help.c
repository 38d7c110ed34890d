#include "app/cli/help.h"

#include <string.h>

enum { WIDTH = 80, OPTION_COLUMN = 30, COMMAND_COLUMN = 21 };

static const char about[] = "cardiac electrophysiology on an emulated IPU system";
static const struct {
    const char *code, *meaning;
} exits[] = {{"0", "done"}, {"2", "invalid case or arguments"}, {"3", "file error or out of memory"},
    {"4", "does not fit the machine"}, {"5", "numerical failure"}, {"6", "failure of an OpenCL device"},
    {"130, 143 or 129", "stopped by Ctrl-C, SIGTERM or SIGHUP"}};
static const char isa[] = "instruction set: base, avx2 or avx512; default: the best one of the processor. "
                          "Results are bit-identical.";
static const char opencl[] =
    "OpenCL library to load, a loader or a driver; default: libOpenCL.so.1, then the drivers "
    "that it does not list";
static const char cache[] = "folder of the cache of largest stable diffusion substeps; default: ~/.cache";
static const struct {
    const char *name, *meaning;
} variables[] = {{"MYOTILE_ISA", isa}, {"MYOTILE_OPENCL", opencl}, {"XDG_CACHE_HOME", cache}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- help ---- */

/* Prints words from column `at` on, wrapped into lines that begin at `column`. */
static void print_wrapped(FILE *out, size_t column, size_t at, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, " ");
        if (at > column && at + 1 + n > WIDTH) {
            (void)fprintf(out, "\n%*s", (int)column, "");
            at = column;
        } else if (at > column) {
            (void)fputc(' ', out), at++;
        }
        (void)fwrite(text, 1, n, out), at += n;
        text += n + strspn(text + n, " ");
    }
    (void)fputc('\n', out);
}

/* Prints a term and its meaning, which begins at `column`. */
static void print_entry(FILE *out, const char *term, size_t column, const char *meaning)
{
    const size_t n = strlen(term) + 2;
    (void)fprintf(out, "  %s", term);
    if (n + 2 > column)
        (void)fprintf(out, "\n%*s", (int)column, "");
    else
        (void)fprintf(out, "%*s", (int)(column - n), "");
    print_wrapped(out, column, column, meaning);
}

/* True if the command belongs to the group, as "mesh slab" to "mesh"; NULL: any command. */
static bool is_of(const mt_command *command, const char *group)
{
    const size_t n = group ? strlen(group) : 0;
    return !group || (strncmp(command->name, group, n) == 0 && command->name[n] == ' ');
}

void mt_help_overview(FILE *out, const mt_command *const *commands, const char *group)
{
    (void)fprintf(
        out, "myotile %s: %s\n\nusage: myotile %s ...\n\n", MT_VERSION, about, group ? group : "COMMAND");
    for (; *commands; commands++)
        if (is_of(*commands, group))
            print_entry(out, (*commands)->name, COMMAND_COLUMN, (*commands)->summary);
    (void)fprintf(out, "\n`myotile COMMAND --help` shows the options of a command.\n");
    if (group) return;
    (void)fprintf(out,
        "`myotile --manual` prints the manual page, `myotile --completion` a script for bash.\n"
        "\nEnvironment variables:\n");
    for (size_t k = 0; k < COUNT(variables); k++)
        print_entry(out, variables[k].name, COMMAND_COLUMN, variables[k].meaning);
    (void)fprintf(out, "\nExit codes:\n");
    for (size_t k = 0; k < COUNT(exits); k++)
        print_entry(out, exits[k].code, COMMAND_COLUMN, exits[k].meaning);
}

/* "-o, --output OUT.hdf" */
static const char *term_of(const mt_option *option, char *text, size_t size)
{
    char letter[8] = "    ";
    if (option->letter) (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    (void)snprintf(text, size, "%s%s%s%s", letter, option->name, option->value ? " " : "",
        option->value ? option->value : "");
    return text;
}

static void print_option(FILE *out, const mt_option *option)
{
    char term[96], meaning[1024];
    (void)snprintf(meaning, sizeof meaning, "%s%s%s", option->help,
        option->repeats ? "; can be repeated" : "", option->required ? " (required)" : "");
    print_entry(out, term_of(option, term, sizeof term), OPTION_COLUMN, meaning);
}

void mt_help_command(FILE *out, const mt_command *command)
{
    char use[128];
    print_wrapped(out, 0, 0, command->summary);
    (void)fprintf(out, "\nusage: myotile %s [options]\n\n", mt_command_usage(command, use, sizeof use));
    for (const mt_option *o = command->options; o->name; o++)
        if (!o->instead) print_option(out, o);
    (void)fprintf(out, "\nexample:\n  %s\n", command->example);
}

/* ---- the manual page ---- */

/* Prints a text in roff: hyphens and backslashes are escaped, and no line begins with a control character. */
static void print_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'') (void)fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-' || *text == '\\') (void)fputc('\\', out);
        (void)fputs(*text == '\\' ? "e" : (char[]){*text, 0}, out);
    }
    (void)fputc('\n', out);
}

static void print_roff_entry(FILE *out, const char *term, const char *meaning)
{
    (void)fputs(".TP\n.B ", out);
    print_roff(out, term + strspn(term, " "));
    print_roff(out, meaning);
}

static void print_roff_command(FILE *out, const mt_command *command)
{
    char use[128];
    (void)fputs(".SS myotile ", out);
    print_roff(out, mt_command_usage(command, use, sizeof use));
    print_roff(out, command->summary);
    for (const mt_option *o = command->options; o->name; o++) {
        char term[96];
        if (o->instead) continue;
        print_roff_entry(out, term_of(o, term, sizeof term), o->help);
    }
    (void)fputs(".PP\nExample:\n.PP\n.RS\n", out);
    print_roff(out, command->example);
    (void)fputs(".RE\n", out);
}

void mt_help_manual(FILE *out, const mt_command *const *commands)
{
    (void)fprintf(out,
        ".TH MYOTILE 1 \"\" \"myotile %s\" \"User Commands\"\n.SH NAME\nmyotile \\- %s\n"
        ".SH SYNOPSIS\n.B myotile\n.I COMMAND\n[\\fIOPTIONS\\fR]\n"
        ".SH DESCRIPTION\nMyotile simulates cardiac electrical activation (monodomain equation, finite "
        "volumes on\n"
        "tetrahedral meshes) on an emulated system of Graphcore IPUs, and reports the cycles, bytes and "
        "memory of\nthis system.\n.SH COMMANDS\n",
        MT_VERSION, about);
    for (; *commands; commands++) print_roff_command(out, *commands);
    (void)fputs(".SH ENVIRONMENT\n", out);
    for (size_t k = 0; k < COUNT(variables); k++)
        print_roff_entry(out, variables[k].name, variables[k].meaning);
    (void)fputs(".SH EXIT STATUS\n", out);
    for (size_t k = 0; k < COUNT(exits); k++) print_roff_entry(out, exits[k].code, exits[k].meaning);
}

/* ---- completion ---- */

/* True if the value is one of several words. Names of values contain capitals. */
static bool is_choice(const char *value)
{
    return value && strchr(value, '|') && strcspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ.,") == strlen(value);
}

static void print_command_words(FILE *out, const mt_command *command)
{
    (void)fprintf(out, "    '%s '*)\n        words='", command->name);
    for (const mt_option *o = command->options; o->name; o++)
        if (!o->instead) (void)fprintf(out, "%s%s", o == command->options ? "" : " ", o->name);
    (void)fprintf(out, "'\n        case $before in\n");
    for (const mt_option *o = command->options; o->name; o++) {
        if (!o->value || o->instead) continue;
        (void)fprintf(out, "        %s", o->name);
        if (o->letter) (void)fprintf(out, "|-%c", o->letter);
        (void)fprintf(out, ") words='");
        for (const char *c = is_choice(o->value) ? o->value : ""; *c; c++)
            (void)fputc(*c == '|' ? ' ' : *c, out);
        (void)fprintf(out, "' ;;\n");
    }
    (void)fprintf(out, "        esac ;;\n");
}

/* Prints the first word of each command, without duplicates, or the second words of the commands with this first word. */
static void print_words(FILE *out, const mt_command *const *commands, const char *first)
{
    const char *between = "", *last = "";
    for (; *commands; commands++) {
        const char *name = (*commands)->name;
        const size_t n = strcspn(name, " ");
        if (!first && strncmp(name, last, n + 1) != 0) (void)fprintf(out, "%s%.*s", between, (int)n, name);
        if (first && is_of(*commands, first)) (void)fprintf(out, "%s%s", between, name + n + 1);
        if (!first || is_of(*commands, first)) between = " ";
        last = name;
    }
}

void mt_help_completion(FILE *out, const mt_command *const *commands)
{
    (void)fprintf(out,
        "# Completion of myotile for bash, printed by `myotile --completion`.\n_myotile() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
        "    # bash takes '=' for a word of its own\n"
        "    if [ \"$word\" = = ]; then\n        word=\n"
        "    elif [ \"$before\" = = ]; then\n        before=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
        "    case \"${COMP_WORDS[*]:1:COMP_CWORD - 1} \" in\n    ' ') words='");
    print_words(out, commands, NULL);
    (void)fprintf(out, " --help --version' ;;\n");
    for (const mt_command *const *c = commands; *c; c++) print_command_words(out, *c);
    for (const mt_command *const *c = commands; *c; c++) {
        char first[32];
        const size_t n = strcspn((*c)->name, " ");
        (void)snprintf(first, sizeof first, "%.*s", (int)n, (*c)->name);
        if (!(*c)->name[n] || (c > commands && is_of(c[-1], first))) continue;
        (void)fprintf(out, "    '%s ') words='", first);
        print_words(out, commands, first);
        (void)fprintf(out, "' ;;\n");
    }
    (void)fprintf(out, "    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
                       "complete -o default -F _myotile myotile\n");
}
