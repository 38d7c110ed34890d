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

/* True if a column has numbers, and no other cells that are not empty. */
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

static void put_column(mt_html_part *part, const char *name, bool number)
{
    char label[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
    mt_column_words(name, label, unit);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "label", label);
    mt_json_text(&part->json, "unit", unit);
    mt_json_truth(&part->json, "number", number);
    mt_json_close(&part->json);
}

mt_status mt_table_part_csv(mt_html_part *part, const char *title, const mt_csv *csv)
{
    MT_SCRATCH(arena);
    bool *number;
    MT_ALLOC(arena, number, csv->n_columns);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "title", title);
    mt_json_open(&part->json, "columns", '[');
    for (size_t k = 0; k < csv->n_columns; k++)
        put_column(part, csv->column[k], number[k] = is_of_numbers(csv, k));
    mt_json_close(&part->json);
    mt_json_open(&part->json, "rows", '[');
    for (size_t row = 0; row < csv->n_rows; row++) put_row(part, csv, row, number);
    mt_json_close(&part->json);
    mt_json_close(&part->json);
    return MT_OK;
}
