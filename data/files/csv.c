#include "data/files/csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/number.h"
#include "data/files/scan.h"

/* True if a spreadsheet would execute the text, possibly after its apostrophes are removed. */
static bool is_formula(const char *text)
{
    char *end;
    text += strspn(text, "'");
    if (!*text || !strchr("=+-@\t\r", *text) || !text[1]) return false;
    (void)strtod(text, &end);
    return *end != 0;
}

void mt_csv_field(FILE *stream, const char *text)
{
    const char *apostrophe = is_formula(text) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fprintf(stream, "%s%s", apostrophe, text);
        return;
    }
    (void)fprintf(stream, "\"%s", apostrophe);
    for (; *text; text++) {
        if (*text == '"') (void)fputc('"', stream);
        (void)fputc(*text, stream);
    }
    (void)fputc('"', stream);
}

/* ---- reading ---- */

static bool is_mark(char c) { return c == ',' || c == '\r' || c == '\n'; }

/* Reads the quoted field at scan->at and writes its text to `to`, which is never after the place read from. */
static mt_status take_quoted(mt_scan *scan, char **to)
{
    const size_t line = scan->line;
    for (scan->at++; scan->at < scan->end; scan->at++) {
        if (*scan->at == '"' && scan->at[1] != '"') {
            scan->at++;
            return MT_OK;
        }
        scan->at += *scan->at == '"';
        scan->line += *scan->at == '\n';
        *(*to)++ = *scan->at;
    }
    scan->line = line;
    return mt_scan_fail(scan, "an unterminated quote");
}

static mt_status take_field(mt_scan *scan, char **to, const char **field)
{
    *field = *to;
    if (scan->at < scan->end && *scan->at == '"')
        MT_TRY(take_quoted(scan, to));
    else
        while (scan->at < scan->end && *scan->at && !is_mark(*scan->at)) *(*to)++ = *scan->at++;
    if (scan->at == scan->end || is_mark(*scan->at)) return MT_OK;
    return mt_scan_fail(scan, "byte %u after a field; allowed: a comma or the end of the line",
        (unsigned)(unsigned char)*scan->at);
}

/* Moves past the separator after a field; true if the field was the last of its line. */
static bool ends_line(mt_scan *scan)
{
    if (scan->at < scan->end && *scan->at == ',') {
        scan->at++;
        return false;
    }
    if (scan->at < scan->end && *scan->at == '\r') scan->at++;
    if (scan->at < scan->end && *scan->at == '\n') scan->at++, scan->line++;
    return true;
}

/* Counts commas and line ends, an upper bound of the number of fields. */
static size_t count_marks(const mt_scan *scan)
{
    size_t n = 1;
    for (const char *at = scan->at; at < scan->end; at++) n += is_mark(*at);
    return n;
}

/* Reads a line into field[0 ..]: exactly `room` fields, or any number if `room` is 0. The texts are stored consecutively from
 * `to`. */
static mt_status take_line(mt_scan *scan, char **to, const char **field, size_t room, size_t *n)
{
    const size_t line = scan->line;
    bool last = false;
    for (*n = 0; !last; ++*n) {
        const char *text;
        MT_TRY(take_field(scan, to, &text));
        *(*to)++ = 0;
        if (*text == '\'' && is_formula(text + 1)) text++;
        if (room == 0 || *n < room) field[*n] = text;
        last = ends_line(scan);
    }
    if (room == 0 || *n == room) return MT_OK;
    scan->line = line;
    return mt_scan_fail(scan, "%zu fields; allowed: %zu, as in the header", *n, room);
}

static void skip_byte_order_mark(mt_scan *scan)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (mt_scan_left(scan) >= 3 && memcmp(scan->at, mark, 3) == 0) scan->at += 3;
}

/* Moves to the end of the file if only empty lines are left. */
static void skip_last_lines(mt_scan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && (*at == '\n' || *at == '\r')) at++;
    if (at == scan->end) scan->at = at;
}

/* Fails if the only column appears to be several with another separator. */
static mt_status check_separator(mt_scan *scan, const mt_csv *csv)
{
    const char *mark = csv->n_columns == 1 ? strpbrk(csv->column[0], ";\t") : NULL;
    if (!mark) return MT_OK;
    scan->line = 1;
    return mt_scan_fail(scan, "columns separated by a %s; allowed: commas, and decimal points in numbers",
        *mark == ';' ? "semicolon" : "tab");
}

mt_status mt_csv_read(mt_arena *arena, const char *path, mt_csv *csv)
{
    mt_scan scan;
    size_t n;
    char *to;
    MT_TRY(mt_scan_open(arena, path, &scan));
    *csv = (mt_csv){0};
    skip_byte_order_mark(&scan);
    if (scan.at == scan.end) return mt_scan_fail(&scan, "the file is empty; allowed: a header and rows");
    const size_t most = count_marks(&scan);
    MT_ALLOC(arena, to, mt_scan_left(&scan) + most + 1);
    MT_ALLOC(arena, csv->column, most);
    MT_ALLOC(arena, csv->cell, most);
    MT_TRY(take_line(&scan, &to, csv->column, 0, &csv->n_columns));
    MT_TRY(check_separator(&scan, csv));
    if (csv->n_columns > 1) skip_last_lines(&scan);
    for (; scan.at < scan.end; csv->n_rows++) {
        MT_TRY(take_line(&scan, &to, csv->cell + csv->n_rows * csv->n_columns, csv->n_columns, &n));
        if (csv->n_columns > 1) skip_last_lines(&scan);
    }
    return MT_OK;
}

size_t mt_csv_find(const mt_csv *csv, const char *column)
{
    size_t k = 0;
    while (k < csv->n_columns && strcmp(csv->column[k], column) != 0) k++;
    return k;
}

double mt_csv_number(const mt_csv *csv, size_t row, size_t column)
{
    double number;
    return mt_number_read(csv->cell[row * csv->n_columns + column], &number) ? number : NAN;
}
