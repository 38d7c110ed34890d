/* Tables for people and for programs: one content, printed as text, JSON or CSV.
 *
 * Not a spreadsheet: a table is filled once, row by row, and printed. Mistakes in filling never go unnoticed: printing returns the
 * first failure (no memory, too many columns, an incomplete row).
 *
 *     mt_table t = mt_table_begin(&arena, "costs", "Cost of a step");
 *     mt_table_strings(&t, "scheme", "scheme");
 *     mt_table_decimals(&t, "step_cycles", "one step", "cycles", 0);
 *     mt_table_digits(&t, "time_us", "time", "us", 3);
 *     mt_table_text(&t, "exact"), mt_table_number(&t, 31415), mt_table_number(&t, 17.0666);
 *     MT_TRY(mt_table_print(stdout, &t, format));
 *
 * Whatever has a name has two: a key for programs and a label for people. Keys are stable: [a-z][a-z0-9_]*, with the unit at the
 * end, once in a table. Labels may be reworded.
 *
 * Text is at most 100 characters wide (app/cli/columns.h) and shows each column with its decimals or digits; JSON (data/reference/tables.schema.json) and CSV have every number with the
 * fewest digits that give the same double when read. A missing value (NaN, or text NULL) is "-" in text, null in JSON, empty in
 * CSV. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "app/cli/command.h"
#include "data/core/arena.h"
#include "data/core/status.h"

typedef enum mt_align { MT_ALIGN_LEFT, MT_ALIGN_RIGHT } mt_align;

enum { MT_TABLE_COLUMNS_MAX = 16 }; /* MT_COLUMNS_MAX */

typedef struct mt_column {
    const char *key;
    const char *label;
    const char *unit; /* "" where there is none */
    int decimals;     /* digits after the point, or -1 */
    int digits;       /* significant digits (as %g counts them), where decimals is -1 */
    mt_align align;   /* strings start left, numbers right; may be changed before printing */
} mt_column;

typedef struct mt_value {
    bool is_number;
    double number;
    const char *text;
    const char *key; /* of an item, for programs; NULL: the text itself */
    int level;       /* of an item */
} mt_value;

/* Rows follow one another: row i, column k is values[i * n_columns + k]; n_values = rows * n_columns. */
typedef struct mt_table {
    mt_arena *arena; /* kept: every name and text is copied there */
    const char *key;
    const char *title;
    bool properties; /* each row is a property: its item, its value and its unit */
    size_t n_columns;
    mt_column columns[MT_TABLE_COLUMNS_MAX];
    size_t n_values;
    size_t capacity;
    mt_value *values;
    mt_status status; /* of the first failure */
} mt_table;

/* Gives an empty table that lives in the arena. */
mt_table mt_table_begin(mt_arena *arena, const char *key, const char *title);

/* The columns, left to right, before the first value. unit NULL is the same as "". */
void mt_table_strings(mt_table *table, const char *key, const char *label);
void mt_table_decimals(mt_table *table, const char *key, const char *label, const char *unit, int decimals);
void mt_table_digits(mt_table *table, const char *key, const char *label, const char *unit, int digits);

/* The next value of the row; after its last column a new row begins. A column takes any kind. An item is a text that names what its
 * row is about: the key in JSON and CSV, and the label in text, two blanks further right each level. */
void mt_table_number(mt_table *table, double number);
void mt_table_numbers(mt_table *table, size_t n, const double *number);
void mt_table_text(mt_table *table, const char *text);
void mt_table_item(mt_table *table, const char *key, const char *label, int level);

#define MT_TABLE_NUMBERS(table, ...)                                                                         \
    mt_table_numbers((table), sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

/* A table of properties: text and CSV have the columns "property" (in CSV "key"), "value" (8 digits) and "unit"; JSON has one object
 * of keys and values. And one property of it, a number (unit "" for none) or a text. */
mt_table mt_table_properties(mt_arena *arena, const char *key, const char *title);
void mt_table_property(mt_table *table, const char *key, const char *label, double value, const char *unit);
void mt_table_property_text(mt_table *table, const char *key, const char *label, const char *text);

/* The table as text, as a JSON list of one, or as CSV (a header of keys, no title). Fails with the first failure of filling,
 * MT_INPUT where the last row is short, MT_FILE where the stream cannot be written: only then has anything been printed. */
MT_NODISCARD mt_status mt_table_print(FILE *stream, const mt_table *table, mt_format format);

/* Prints one table of a command, or n as one document, to its output in the format of --format. Fails as mt_table_print. */
MT_NODISCARD mt_status mt_print_table(const mt_arguments *arguments, const mt_table *table);
MT_NODISCARD mt_status mt_print_tables(const mt_arguments *arguments, const mt_table *tables, size_t n);

/* The table as CSV into a file under way (data/files/file.h). Failures of the stream stay with it. Otherwise fails as
 * mt_table_print. */
MT_NODISCARD mt_status mt_table_put_csv(FILE *stream, const mt_table *table);

/* Prints n tables as one document: text with an empty line between tables; one JSON list; CSV with "# key: title" before each table
 * and an empty line between. */
MT_NODISCARD mt_status mt_tables_print(FILE *stream, const mt_table *tables, size_t n, mt_format format);
