/* Tables for people and programs: one content, printed as text, JSON or CSV.
 *
 * A table is filled once, row by row, and printed. Errors in filling are never lost: printing returns the first one (no memory, too
 * many columns, an incomplete row).
 *
 *     mt_table t = mt_table_begin(&arena, "costs", "Cost of a step");
 *     mt_table_strings(&t, "scheme", "scheme");
 *     mt_table_decimals(&t, "step_cycles", "one step", "cycles", 0);
 *     mt_table_digits(&t, "time_us", "time", "us", 3);
 *     mt_table_text(&t, "exact"), mt_table_number(&t, 31415), mt_table_number(&t, 17.0666);
 *     MT_TRY(mt_table_print(stdout, &t, format));
 *
 * Each name is a pair: a key for programs and a label for people. Keys are stable, match [a-z][a-z0-9_]*, end with the unit, and
 * are unique in a table. Labels may be reworded.
 *
 * Text is at most 100 characters wide (app/cli/columns.h) and has the decimals or digits of each column. JSON
 * (data/reference/tables.schema.json) and CSV have the fewest digits that restore the same double. A missing value (NaN, or text
 * NULL) is "-" in text, null in JSON, and empty in CSV. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "app/cli/command.h"
#include "data/core/arena.h"
#include "data/core/status.h"

typedef enum mt_align { MT_ALIGN_LEFT, MT_ALIGN_RIGHT } mt_align;

enum { MT_TABLE_COLUMNS_MAX = 64 }; /* MT_COLUMNS_MAX */

typedef struct mt_column {
    const char *key;
    const char *label;
    const char *unit; /* "" if none */
    int decimals;     /* digits after the point, or -1 */
    int digits;       /* significant digits (as of %g) if decimals is -1 */
    mt_align align;   /* initially left for strings, right for numbers; can be changed before printing */
} mt_column;

typedef struct mt_value {
    bool is_number;
    double number;
    const char *text;
    const char *key; /* of an item, for programs; NULL: `text` */
    int level;       /* indentation of an item */
} mt_value;

/* A table in row-major order: row i, column k is values[i * n_columns + k]; n_values = rows * n_columns. */
typedef struct mt_table {
    mt_arena *arena; /* kept: every name and text is copied there */
    const char *key;
    const char *title;
    bool properties; /* true if each row is a property: item, value and unit */
    size_t n_columns;
    mt_column columns[MT_TABLE_COLUMNS_MAX];
    size_t n_values;
    size_t capacity;
    mt_value *values;
    mt_status status; /* the first error */
} mt_table;

/* Returns an empty table in `arena`. */
mt_table mt_table_begin(mt_arena *arena, const char *key, const char *title);

/* Add a column on the right, before the first value. unit NULL means "". */
void mt_table_strings(mt_table *table, const char *key, const char *label);
void mt_table_decimals(mt_table *table, const char *key, const char *label, const char *unit, int decimals);
void mt_table_digits(mt_table *table, const char *key, const char *label, const char *unit, int digits);

/* Add the next value of the row; a new row begins after the last column. A column accepts any kind of value. An item names the
 * subject of its row: JSON and CSV have its key, text has its label, indented by two blanks per level. */
void mt_table_number(mt_table *table, double number);
void mt_table_numbers(mt_table *table, size_t n, const double *number);
void mt_table_text(mt_table *table, const char *text);
void mt_table_item(mt_table *table, const char *key, const char *label, int level);

#define MT_TABLE_NUMBERS(table, ...)                                                                         \
    mt_table_numbers((table), sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

/* A table of properties. Text and CSV have the columns "property" (in CSV "key"), "value" (8 digits) and "unit"; JSON has one
 * object of keys and values. The other functions add a property, a number (unit "" if none) or a text. */
mt_table mt_table_properties(mt_arena *arena, const char *key, const char *title);
void mt_table_property(mt_table *table, const char *key, const char *label, double value, const char *unit);
void mt_table_property_text(mt_table *table, const char *key, const char *label, const char *text);

/* Prints the table as text, as a JSON list of length one, or as CSV (a header of keys, no title). Returns the first error of
 * filling, or fails with MT_INPUT if the last row is incomplete: then nothing is printed. Fails with MT_FILE if the stream cannot
 * be written. */
MT_NODISCARD mt_status mt_table_print(FILE *stream, const mt_table *table, mt_format format);

/* Print one table of a command, or n tables as one document, to its output in the format of --format. Return the errors of
 * `mt_table_print`. */
MT_NODISCARD mt_status mt_print_table(const mt_arguments *arguments, const mt_table *table);
MT_NODISCARD mt_status mt_print_tables(const mt_arguments *arguments, const mt_table *tables, size_t n);

/* Writes the table as CSV to an open output file (data/files/file.h). The stream stores its own errors. Returns the other errors of
 * `mt_table_print`. */
MT_NODISCARD mt_status mt_table_put_csv(FILE *stream, const mt_table *table);

/* Prints n tables as one document: text with an empty line between tables; one JSON list; CSV with "# key: title" before each table
 * and an empty line between them. */
MT_NODISCARD mt_status mt_tables_print(FILE *stream, const mt_table *tables, size_t n, mt_format format);
