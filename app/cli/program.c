#include "app/cli/program.h"

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "app/cli/help.h"
#include "app/cli/console.h"
#include "data/core/progress.h"
#include "app/cli/ranks.h"
#include "data/files/input.h"
#include "data/core/utf8.h"
#include "solver/kernels/kernels.h"

/* ---- finding the command ---- */

static bool asks_for_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

/* Returns the number of words in the command's name if they are the first words; 0 otherwise. */
static int words_of(const mt_command *command, int n, char *const *word)
{
    char given[128] = "";
    if (n < 1) return 0;
    if (strcmp(word[0], command->name) == 0) return 1;
    if (n > 1) (void)snprintf(given, sizeof given, "%s %s", word[0], word[1]);
    return strcmp(given, command->name) == 0 ? 2 : 0;
}

/* Returns the second word of a command with this first word; NULL if its first word differs. */
static const char *second_word(const mt_command *command, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(command->name, word, n) == 0 && command->name[n] == ' ' ? command->name + n + 1 : NULL;
}

/* True if this is the first of a command's two words. */
static bool is_group(const mt_command *const *commands, const char *word)
{
    for (const mt_command *const *c = commands; *c; c++)
        if (second_word(*c, word)) return true;
    return false;
}

static mt_status unknown_command(const mt_command *const *commands, int n, char *const *word)
{
    if (!is_group(commands, word[0]))
        return mt_fail(MT_INPUT, "'%s' is not a command; see myotile --help", mt_utf8_shown(word[0]));
    const bool two = n > 1 && word[1][0] != '-';
    char allowed[512] = "";
    for (const mt_command *const *c = commands; *c; c++) {
        const char *second = second_word(*c, word[0]);
        const size_t used = strlen(allowed);
        if (second)
            (void)snprintf(allowed + used, sizeof allowed - used, "%s%s", used > 0 ? ", " : "", second);
    }
    return mt_fail(MT_INPUT, "'%s%s%s' is not a command; allowed after %s: %s; see myotile %s --help",
        word[0], two ? " " : "", two ? mt_utf8_shown(word[1]) : "", word[0], allowed, word[0]);
}

/* ---- running the command ---- */

/* Rank 0 stops all ranks. */
static void leave_signals_to_others(void)
{
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
}

static mt_status run_command(const mt_command *command, const mt_arguments *arguments)
{
    size_t progress;
    MT_TRY(mt_fail_in("MYOTILE_ISA", mt_kernels_choose(getenv("MYOTILE_ISA"))));
    MT_TRY(
        mt_option_word(arguments, "--progress", "auto", mt_console_mode_name, MT_CONSOLE_MODES, &progress));
    mt_console_choose(mt_ranks_prints() ? (mt_console_mode)progress : MT_CONSOLE_NEVER);
    if (mt_ranks() && !command->ranks)
        return mt_fail(
            MT_INPUT, "%s: started on %u ranks; allowed: one rank", command->name, mt_ranks()->n_ranks);
    if (mt_ranks_prints())
        mt_progress_exit_on_interrupt();
    else
        leave_signals_to_others();
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of that output only */
    (void)signal(SIGXFSZ, SIG_IGN); /* as is a file above the size limit (ulimit -f) */
    MT_SCRATCH(arena);
    const mt_status status = command->run(arena, arguments);
    if (status != MT_OK) mt_progress_stage(NULL);
    return status;
}

static mt_status read_and_run(const mt_command *command, int n, char *const *word, FILE *out)
{
    for (int k = 0; k < n; k++)
        if (asks_for_help(word[k])) {
            mt_help_command(out, command);
            return MT_OK;
        }
    MT_SCRATCH(arena);
    mt_arguments arguments;
    MT_TRY(mt_arguments_read(arena, command, (size_t)n, word, out, &arguments));
    return run_command(command, &arguments);
}

static mt_status dispatch(const mt_command *const *commands, int n, char *const *word, FILE *out)
{
    for (const mt_command *const *c = commands; *c; c++) {
        const int skipped = words_of(*c, n, word);
        if (skipped) return read_and_run(*c, n - skipped, word + skipped, out);
    }
    return unknown_command(commands, n, word);
}

/* Answers a request about the program itself, such as --version. False if the words are a command. */
static bool answer(const mt_command *const *commands, int n, char *const *word, FILE *out)
{
    if (n == 0 || asks_for_help(word[0]) || strcmp(word[0], "help") == 0)
        mt_help_overview(out, commands, NULL);
    else if (n == 2 && is_group(commands, word[0]) && asks_for_help(word[1]))
        mt_help_overview(out, commands, word[0]);
    else if (strcmp(word[0], "--version") == 0)
        (void)fprintf(out, "myotile %s\n", MT_VERSION);
    else if (strcmp(word[0], "--manual") == 0)
        mt_help_manual(out, commands);
    else if (strcmp(word[0], "--completion") == 0)
        mt_help_completion(out, commands);
    else
        return false;
    return true;
}

/* Prints a message as a single line, with control characters of file names and libraries replaced, and by a single call, since
 * other processes may print, too. */
static void print_message(FILE *messages, const char *text)
{
    char line[1024];
    (void)snprintf(line, sizeof line, "%s", text);
    for (char *at = line; *at; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
    (void)fprintf(messages, "myotile: %s\n", line);
}

static int exit_code(mt_status status, int n_words)
{
    if (status == MT_STOPPED && mt_progress_signal()) return 128 + mt_progress_signal();
    if (status == MT_MEMORY) return MT_FILE;
    return status == MT_OK && n_words == 0 ? MT_INPUT : (int)status;
}

enum { ALWAYS = 64, FOR_A_PROCESSOR = 4 }; /* numbers of threads that are always accepted */

/* Limits the number of threads: to that of the processors if more than 64 and more than four per processor are requested, and to
 * half the user's limit of processes (ulimit -u) if that limit is lower. True if it reduced the number. */
static bool bound_threads(void)
{
    const int asked = omp_get_max_threads(), processors = omp_get_num_procs();
    struct rlimit limit;
    const int most = FOR_A_PROCESSOR * processors > ALWAYS ? FOR_A_PROCESSOR * processors : ALWAYS;
    int used = asked > most || asked < 1 ? processors : asked; /* below 1: int overflow */
    if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < (rlim_t)used)
        used = limit.rlim_cur > 2 ? (int)(limit.rlim_cur / 2) : 1;
    if (used == asked) return false;
    omp_set_num_threads(used);
    return true;
}

int mt_program_main(const mt_command *const *commands, int argc, char *const *argv, FILE *out, FILE *messages)
{
    const int n = argc > 0 ? argc - 1 : 0;
    const bool bounded = bound_threads();
    mt_status status = mt_ranks_begin();
    mt_input_begin_command();
    FILE *nowhere = mt_ranks_prints() ? NULL : fopen("/dev/null", "w");
    if (nowhere) out = nowhere;
    mt_console_listen(out);
    if (bounded)
        mt_warn("OMP_NUM_THREADS: found %.40s; used: %d threads, for %d processors",
            getenv("OMP_NUM_THREADS") ? getenv("OMP_NUM_THREADS") : "none", omp_get_max_threads(),
            omp_get_num_procs());
    if (status == MT_OK && !answer(commands, n, argv + 1, out)) status = dispatch(commands, n, argv + 1, out);
    errno = 0;
    if ((fflush(out) != 0 || ferror(out)) && status == MT_OK)
        status = mt_fail(MT_FILE, "standard output: %s", errno ? strerror(errno) : "cannot be written");
    if (nowhere) (void)fclose(nowhere);
    mt_input_end_command();
    if (mt_ranks_end(status)) print_message(messages, mt_message());
    const int code = exit_code(status, n);
    (void)fflush(messages);
    mt_ranks_exit(code);
    return code;
}
