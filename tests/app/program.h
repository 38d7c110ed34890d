/* The program Myotile called inside a test: a private folder (tests/room.h) in which the commands of the help work, a command
 * line, and its result. */
#pragma once

#include "app/cli/program.h"
#include "app/commands/commands.h"
#include "tests/app/json_text.h"
#include "tests/leaks.h"
#include "tests/room.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes a machine like the GC200 with this number of tiles and bytes per tile; region 0 is limited to that size. */
static inline void write_machine_of(const char *path, int tiles, int bytes)
{
    size_t n;
    char *text = bytes_of("data/machines/gc200.yaml", &n), *count = strstr(text, "\ntiles: 1472"),
         *memory = strstr(text, "\nbytes_per_tile: 638976"),
         *region = strstr(text, "\n  region0_bytes: 212992");
    cr_assert(count && memory && region && count < memory && memory < region);
    char *columns = strstr(memory, "\n  columns: 16");
    cr_assert_not_null(columns);
    if (tiles > 1472)
        memcpy(columns, "\n  columns: 0 ", strlen("\n  columns: 16")); /* no placement for that many tiles */
    *count = *memory = *region = 0;
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    (void)fprintf(file, "%s\ntiles: %d%s\nbytes_per_tile: %d%s\n  region0_bytes: %d%s", text, tiles,
        count + strlen("\ntiles: 1472"), bytes, memory + strlen("\nbytes_per_tile: 638976"),
        bytes < 212992 ? bytes : 212992, region + strlen("\n  region0_bytes: 212992"));
    (void)fclose(file);
    free(text);
}
/* Writes such a machine with three chips, joined in a ring of links in both directions, one of them written in several lines. */
static inline void write_ring_machine(const char *path, int tiles)
{
    size_t n;
    write_machine_of(path, tiles, 638976);
    char *text = bytes_of(path, &n), *begin = strstr(text, "\n  shape: ladder"),
         *end = strstr(text, "\n  lane_bits_per_second: ");
    cr_assert(begin && end && begin < end);
    *begin = 0;
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    (void)fprintf(file,
        "%s\n"
        "  shape: list                   # assumed: a ring\n"
        "  list:\n"
        "    - {from: 0, to: 1, lanes: 4} # derived: of cables,\n"
        "                                 #   two and two\n"
        "    - {from: 1, to: 0, lanes: 4}\n"
        "    - from: 1\n"
        "      to: 2\n"
        "      lanes: 3                  # measured: here\n"
        "    - {from: 2, to: 1, lanes: 3}\n"
        "    - {from: 2, to: 0, lanes: 2} # assumed: last\n"
        "    - {from: 0, to: 2, lanes: 2}%s",
        text, end);
    cr_assert_eq(fclose(file), 0);
    free(text);
}

static inline void write_machine(const char *path, int tiles) { write_machine_of(path, tiles, 638976); }

/* True if both files contain the same bytes. */
static inline bool same_file(const char *a, const char *b)
{
    size_t n_a, n_b;
    char *in_a = bytes_of(a, &n_a), *in_b = bytes_of(b, &n_b);
    const bool same = n_a == n_b && memcmp(in_a, in_b, n_a) == 0;
    free(in_a), free(in_b);
    return same;
}

/* ---- the command ---- */

typedef struct reply {
    int code;
    char *out, *said; /* standard output, messages */
} reply;

static inline void forget(reply *r) { free(r->out), free(r->said); }

/* Runs a line of words separated by single blanks, of which the first follows the program's name. */
static inline reply run_line(char *line)
{
    char name[] = "myotile", *word[64] = {name};
    int n = 1;
    for (char *save, *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) word[n++] = w;
    reply r = {.code = -1};
    size_t n_out, n_said;
    FILE *out = open_memstream(&r.out, &n_out), *said = open_memstream(&r.said, &n_said);
    r.code = mt_program_main(mt_commands, n, word, out, said);
    (void)fclose(out), (void)fclose(said);
    return r;
}

enum { LINE_SIZE = 2048 };

#define FORMAT_LINE(line, format)                                                                            \
    do {                                                                                                     \
        va_list args_;                                                                                       \
        va_start(args_, format);                                                                             \
        (void)vsnprintf((line), LINE_SIZE, format, args_);                                                   \
        va_end(args_);                                                                                       \
    } while (0)

/* Runs a line in printf format. */
static inline reply myotile(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline reply myotile(const char *format, ...)
{
    char line[LINE_SIZE];
    FORMAT_LINE(line, format);
    return run_line(line);
}

/* Runs a line that must succeed without messages; returns its output, which the caller frees. */
static inline char *works(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline char *works(const char *format, ...)
{
    char line[LINE_SIZE], shown[LINE_SIZE];
    FORMAT_LINE(line, format);
    (void)strcpy(shown, line);
    reply r = run_line(line);
    cr_assert_eq(r.code, 0, "%s: code %d: %s", shown, r.code, r.said);
    cr_assert_str_empty(r.said, "%s", shown);
    free(r.said);
    return r.out;
}

/* Runs a line that must succeed; returns its messages, apart from the table, which the caller frees. */
static inline char *warnings(char **table, const char *line)
{
    size_t n;
    const int kept = dup(STDERR_FILENO), to = open("stderr", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    cr_assert(kept >= 0 && to >= 0);
    (void)fflush(stderr);
    (void)dup2(to, STDERR_FILENO);
    reply r = myotile("%s", line);
    (void)fflush(stderr);
    (void)dup2(kept, STDERR_FILENO);
    (void)close(kept), (void)close(to);
    cr_assert_eq(r.code, 0, "%s: %s", line, r.said);
    free(r.said);
    *table = r.out;
    return bytes_of("stderr", &n);
}

/* Runs a line that must fail: with this code, no output, one line of message that contains this text, and no new or deleted
 * file. */
static inline void refuses(int code, const char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline void refuses(int code, const char *text, const char *format, ...)
{
    char line[LINE_SIZE], shown[LINE_SIZE];
    FORMAT_LINE(line, format);
    (void)strcpy(shown, line);
    const size_t before = things();
    reply r = run_line(line);
    const char *end = strchr(r.said, '\n');
    cr_assert_eq(r.code, code, "%s: code %d: %s", shown, r.code, r.said);
    cr_assert(
        strncmp(r.said, "myotile: ", 9) == 0 && end && end[1] == 0, "%s: not one line: '%s'", shown, r.said);
    cr_assert(strstr(r.said, text), "%s: no '%s' in: %s", shown, text, r.said);
    cr_assert_str_empty(r.out, "%s", shown);
    cr_assert_eq(things(), before, "%s: a file was left or deleted", shown);
    forget(&r);
}

/* ---- JSON ---- */

/* Returns the number of `key` in the first table of properties that has it; NaN if it is null. */
static inline double json_property(const char *text, const char *key)
{
    static const char begin[] = "\"properties\": {";
    char mark[128];
    (void)snprintf(mark, sizeof mark, "\"%s\": ", key);
    for (const char *at = text; (at = strstr(at, begin)); at++) {
        const char *value = strstr(at + strlen(begin), mark);
        if (!value || value > strchr(at, '}')) continue;
        value += strlen(mark);
        return strncmp(value, "null", 4) == 0 ? NAN : strtod(value, NULL);
    }
    cr_assert(false, "no property '%s' in %s", key, text);
    return NAN;
}

/* Returns the number of `name` in the first row with the text `row` before it; NaN if it is null. */
static inline double json_number(const char *text, const char *row, const char *name)
{
    char row_mark[128], name_mark[128];
    const char *value = NULL;
    (void)snprintf(row_mark, sizeof row_mark, ": \"%s\", ", row);
    (void)snprintf(name_mark, sizeof name_mark, "\"%s\": ", name);
    for (const char *at = text; !value && (at = strstr(at, row_mark)); at++) {
        value = strstr(at, name_mark);
        if (value && value > strchr(at, '}')) value = NULL;
    }
    cr_assert_not_null(value, "no '%s' in a row '%s' of %s", name, row, text);
    value += strlen(name_mark);
    return strncmp(value, "null", 4) == 0 ? NAN : strtod(value, NULL);
}
