#include "app/cli/table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "app/cli/columns.h"
#include "data/files/csv.h"
#include "data/files/json.h"
#include "data/core/number.h"

/* ---- filling ---- */

static const char *copy(mt_table *table, const char *text)
{
    size_t n = strlen(text) + 1;
    char *own = mt_arena_alloc(table->arena, n, 1);
    if (own)
        memcpy(own, text, n);
    else
        table->status = MT_MEMORY;
    return own;
}

static const char *copy_key(mt_table *table, const char *key)
{
    assert(key[0] >= 'a' && key[0] <= 'z' && !key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_")]);
    return copy(table, key);
}

mt_table mt_table_begin(mt_arena *arena, const char *key, const char *title)
{
    mt_table table = {.arena = arena};
    table.key = copy_key(&table, key);
    if (table.status == MT_OK) table.title = copy(&table, title);
    return table;
}

static void add_column(mt_table *table, mt_column column)
{
    if (table->status != MT_OK) return;
    if (table->n_columns == MT_TABLE_COLUMNS_MAX || table->n_values > 0) {
        table->status = mt_fail(MT_INPUT,
            "table \"%s\": column \"%s\" follows %zu columns and %zu values; allowed: columns before values, "
            "at most %d",
            table->title, column.key, table->n_columns, table->n_values, MT_TABLE_COLUMNS_MAX);
        return;
    }
    column.key = copy_key(table, column.key);
    if (table->status == MT_OK) column.label = copy(table, column.label);
    if (table->status == MT_OK) column.unit = copy(table, column.unit ? column.unit : "");
    if (table->status == MT_OK) table->columns[table->n_columns++] = column;
}

void mt_table_strings(mt_table *table, const char *key, const char *label)
{
    add_column(table, (mt_column){key, label, "", -1, 6, MT_ALIGN_LEFT});
}

void mt_table_decimals(mt_table *table, const char *key, const char *label, const char *unit, int decimals)
{
    add_column(table, (mt_column){key, label, unit, decimals, 0, MT_ALIGN_RIGHT});
}

void mt_table_digits(mt_table *table, const char *key, const char *label, const char *unit, int digits)
{
    add_column(table, (mt_column){key, label, unit, -1, digits, MT_ALIGN_RIGHT});
}

static bool room(mt_table *table)
{
    if (table->status != MT_OK || table->n_values < table->capacity) return table->status == MT_OK;
    size_t capacity = table->capacity ? 2 * table->capacity : 64;
    mt_value *values = mt_arena_alloc(table->arena, capacity, sizeof *values);
    if (!values) {
        table->status = MT_MEMORY;
        return false;
    }
    if (table->n_values) memcpy(values, table->values, table->n_values * sizeof *values);
    table->values = values;
    table->capacity = capacity;
    return true;
}

void mt_table_number(mt_table *table, double number)
{
    if (room(table)) table->values[table->n_values++] = (mt_value){.is_number = true, .number = number};
}

void mt_table_numbers(mt_table *table, size_t n, const double *number)
{
    for (size_t k = 0; k < n; k++) mt_table_number(table, number[k]);
}

void mt_table_text(mt_table *table, const char *text)
{
    if (!room(table)) return;
    const char *own = text ? copy(table, text) : NULL;
    if (table->status == MT_OK) table->values[table->n_values++] = (mt_value){.text = own};
}

void mt_table_item(mt_table *table, const char *key, const char *label, int level)
{
    if (!room(table)) return;
    mt_value item = {.key = copy_key(table, key), .level = level};
    if (table->status == MT_OK) item.text = copy(table, label);
    if (table->status == MT_OK) table->values[table->n_values++] = item;
}

mt_table mt_table_properties(mt_arena *arena, const char *key, const char *title)
{
    mt_table table = mt_table_begin(arena, key, title);
    table.properties = true;
    mt_table_strings(&table, "key", "property");
    mt_table_digits(&table, "value", "value", "", 8);
    mt_table_strings(&table, "unit", "unit");
    return table;
}

void mt_table_property(mt_table *table, const char *key, const char *label, double value, const char *unit)
{
    mt_table_item(table, key, label, 0);
    mt_table_number(table, value);
    mt_table_text(table, unit);
}

void mt_table_property_text(mt_table *table, const char *key, const char *label, const char *text)
{
    mt_table_item(table, key, label, 0);
    mt_table_text(table, text);
    mt_table_text(table, "");
}

/* ---- printing ---- */

static bool missing(const mt_value *value) { return value->is_number ? isnan(value->number) : !value->text; }

enum { NUMBER_SIZE = MT_COLUMNS_CELL };

/* Formats a number for text output. */
static void shown(const mt_column *column, double number, char out[NUMBER_SIZE])
{
    if (column->decimals >= 0)
        (void)snprintf(out, NUMBER_SIZE, "%.*f", column->decimals, number);
    else
        (void)snprintf(out, NUMBER_SIZE, "%.*g", column->digits, number);
}

/* Implements mt_columns.cell for a table. */
static const char *cell_of(const void *of, size_t row, size_t column, char buffer[NUMBER_SIZE], int *level)
{
    const mt_table *table = of;
    const mt_value *value = &table->values[row * table->n_columns + column];
    *level = value->level;
    if (missing(value)) return "-";
    if (!value->is_number) return value->text;
    shown(&table->columns[column], value->number, buffer);
    return buffer;
}

static void print_text(FILE *stream, const mt_table *table)
{
    mt_columns columns = {.title = table->title,
        .n = table->n_columns,
        .n_rows = table->n_columns ? table->n_values / table->n_columns : 0,
        .cell = cell_of,
        .of = table};
    for (size_t k = 0; k < table->n_columns; k++) {
        columns.label[k] = table->columns[k].label;
        columns.unit[k] = table->columns[k].unit;
        columns.right[k] = table->columns[k].align == MT_ALIGN_RIGHT;
        for (size_t row = 0; row < columns.n_rows; row++) {
            char buffer[NUMBER_SIZE];
            int level;
            const bool number = table->values[row * table->n_columns + k].is_number;
            const size_t n = number ? strlen(cell_of(table, row, k, buffer, &level)) : 0;
            if (n > columns.least[k]) columns.least[k] = n;
            if (!number) columns.text[k] = true;
        }
    }
    mt_columns_print(stream, &columns);
}

/* Returns a text as JSON and CSV contain it. */
static const char *text_of(const mt_value *value) { return value->key ? value->key : value->text; }

static void print_csv(FILE *stream, const mt_table *table)
{
    char buffer[NUMBER_SIZE];
    for (size_t k = 0; k < table->n_columns; k++) {
        if (k) (void)fputc(',', stream);
        mt_csv_field(stream, table->columns[k].key);
    }
    (void)fputc('\n', stream);
    for (size_t i = 0; i < table->n_values; i++) {
        const mt_value *value = &table->values[i];
        if (value->is_number) mt_number_text(value->number, buffer);
        if (!missing(value)) mt_csv_field(stream, value->is_number ? buffer : text_of(value));
        (void)fputc((i + 1) % table->n_columns ? ',' : '\n', stream);
    }
}

static void json_value(mt_json *json, const char *key, const mt_value *value)
{
    if (value->is_number)
        mt_json_number(json, key, value->number);
    else
        mt_json_text(json, key, text_of(value));
}

static void json_properties(mt_json *json, const mt_table *table)
{
    mt_json_open(json, "properties", '{');
    for (size_t i = 0; i < table->n_values; i += table->n_columns)
        json_value(json, table->values[i].key, &table->values[i + 1]);
    mt_json_close(json);
}

static void json_rows(mt_json *json, const mt_table *table)
{
    mt_json_open(json, "columns", '[');
    for (size_t k = 0; k < table->n_columns; k++) {
        mt_json_open(json, NULL, '{');
        mt_json_text(json, "key", table->columns[k].key);
        mt_json_text(json, "label", table->columns[k].label);
        mt_json_text(json, "unit", table->columns[k].unit);
        mt_json_close(json);
    }
    mt_json_close(json);
    mt_json_open(json, "rows", '[');
    for (size_t i = 0; i < table->n_values; i++) {
        const size_t k = i % table->n_columns;
        if (k == 0) mt_json_open(json, NULL, '{');
        json_value(json, table->columns[k].key, &table->values[i]);
        if (k + 1 == table->n_columns) mt_json_close(json);
    }
    mt_json_close(json);
}

/* Prints the object, without a line end after it. */
static void print_json(FILE *stream, const mt_table *table)
{
    mt_json json = mt_json_begin(stream, &mt_json_rows);
    mt_json_open(&json, NULL, '{');
    mt_json_text(&json, "table", table->key);
    mt_json_text(&json, "title", table->title);
    if (table->properties)
        json_properties(&json, table);
    else
        json_rows(&json, table);
    mt_json_close(&json);
}

static mt_status check(const mt_table *table)
{
    if (table->status != MT_OK) return table->status;
    if (table->n_columns ? table->n_values % table->n_columns == 0 : table->n_values == 0) return MT_OK;
    return mt_fail(MT_INPUT, "table \"%s\": %zu values do not fill rows of %zu columns", table->title,
        table->n_values, table->n_columns);
}

static mt_status written(FILE *stream)
{
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s", errno ? strerror(errno) : "cannot be written");
}

mt_status mt_table_print(FILE *stream, const mt_table *table, mt_format format)
{
    if (format != MT_FORMAT_CSV) return mt_tables_print(stream, table, 1, format);
    MT_TRY(mt_table_put_csv(stream, table));
    return written(stream);
}

mt_status mt_table_put_csv(FILE *stream, const mt_table *table)
{
    MT_TRY(check(table));
    print_csv(stream, table);
    return MT_OK;
}

mt_status mt_tables_print(FILE *stream, const mt_table *tables, size_t n, mt_format format)
{
    for (size_t t = 0; t < n; t++) MT_TRY(check(&tables[t]));
    if (format == MT_FORMAT_JSON) (void)fputc('[', stream);
    for (size_t t = 0; t < n; t++) {
        if (t) (void)fputs(format == MT_FORMAT_JSON ? ",\n" : "\n", stream);
        if (format == MT_FORMAT_TEXT)
            print_text(stream, &tables[t]);
        else if (format == MT_FORMAT_JSON)
            print_json(stream, &tables[t]);
        else {
            (void)fprintf(stream, "# %s: %s\n", tables[t].key, tables[t].title);
            print_csv(stream, &tables[t]);
        }
    }
    if (format == MT_FORMAT_JSON) (void)fputs("]\n", stream);
    return written(stream);
}

mt_status mt_print_table(const mt_arguments *arguments, const mt_table *table)
{
    return mt_table_print(arguments->out, table, arguments->format);
}

mt_status mt_print_tables(const mt_arguments *arguments, const mt_table *tables, size_t n)
{
    return mt_tables_print(arguments->out, tables, n, arguments->format);
}
