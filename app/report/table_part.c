#include "app/report/table_part.h"

#include <math.h>
#include <string.h>

#include "data/yaml/yaml_words.h"

void mt_column_words(const char *name, char label[MT_COLUMN_WORDS], char unit[MT_COLUMN_WORDS])
{
    const size_t n = strlen(name);
    const char *bracket = n > 0 && name[n - 1] == ']' ? strrchr(name, '[') : NULL;
    size_t ending = 0;
    const char *found = bracket ? bracket + 1 : mt_yaml_unit_ending(name, &ending);
    (void)snprintf(unit, MT_COLUMN_WORDS, "%.*s", (int)(bracket ? strlen(found) - 1 : strlen(found)), found);
    (void)snprintf(
        label, MT_COLUMN_WORDS, "%.*s", (int)(bracket ? (size_t)(bracket - name) : n - ending), name);
    for (char *at = label; !bracket && (at = strchr(at, '_'));) *at = ' ';
}

void mt_table_part_begin(mt_html_part *part, const char *key, const char *title)
{
    mt_json_open(&part->json, key, '{');
    mt_json_text(&part->json, "title", title);
    mt_json_open(&part->json, "columns", '[');
}

void mt_table_part_column(mt_html_part *part, const char *label, const char *unit, bool number)
{
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "label", label);
    mt_json_text(&part->json, "unit", unit);
    mt_json_truth(&part->json, "number", number);
    mt_json_close(&part->json);
}

void mt_table_part_rows(mt_html_part *part)
{
    mt_json_close(&part->json);
    mt_json_open(&part->json, "rows", '[');
}

void mt_table_part_end(mt_html_part *part)
{
    mt_json_close(&part->json);
    mt_json_close(&part->json);
}

/* Has it numbers, and else only empty cells? */
static bool is_of_numbers(const mt_csv *csv, size_t column)
{
    size_t n = 0;
    for (size_t row = 0; row < csv->n_rows; row++) {
        if (!*csv->cell[row * csv->n_columns + column]) continue;
        if (isnan(mt_csv_number(csv, row, column))) return false;
        n++;
    }
    return n > 0;
}

static void put_row(mt_html_part *part, const mt_csv *csv, size_t row, const bool *number)
{
    mt_json_open(&part->json, NULL, '[');
    for (size_t k = 0; k < csv->n_columns; k++)
        if (number[k])
            mt_json_number(&part->json, NULL, mt_csv_number(csv, row, k));
        else
            mt_json_text(&part->json, NULL, csv->cell[row * csv->n_columns + k]);
    mt_json_close(&part->json);
}

static mt_status put_csv(mt_arena *arena, mt_html_part *part, const char *key, const char *title,
    const mt_csv *csv, size_t n, const size_t *row)
{
    bool *number;
    MT_ALLOC(arena, number, csv->n_columns);
    mt_table_part_begin(part, key, title);
    for (size_t k = 0; k < csv->n_columns; k++) {
        char label[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
        mt_column_words(csv->column[k], label, unit);
        number[k] = is_of_numbers(csv, k);
        mt_table_part_column(part, label, unit, number[k]);
    }
    mt_table_part_rows(part);
    for (size_t k = 0; k < n; k++) put_row(part, csv, row ? row[k] : k, number);
    mt_table_part_end(part);
    return MT_OK;
}

void mt_table_part_csv(
    mt_html_part *part, const char *key, const char *title, const mt_csv *csv, size_t n, const size_t *row)
{
    MT_SCRATCH(arena);
    const mt_status status = put_csv(arena, part, key, title, csv, n, row);
    if (part->status == MT_OK) part->status = status;
}
