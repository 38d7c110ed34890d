#include "app/report/ensemble_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/html_report.h"
#include "app/report/table_part.h"
#include "app/report/used_part.h"
#include "app/results/ensemble_quantities.h"
#include "data/files/folder.h"

const char mt_ensemble_page_name[] = "ensemble.html";

/* ---- the table ---- */

/* Writes the label and unit of a column; those of a key are separated as in names of columns ("intracellular_l_mS_mm"). */
static void put_column(mt_html_part *part, const mt_table *table, size_t column, bool is_key, bool number)
{
    const mt_column *c = &table->columns[column];
    char label[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
    mt_column_words(c->label, label, unit);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "key", c->key);
    mt_json_text(&part->json, "label", is_key ? label : c->label);
    mt_json_text(&part->json, "unit", is_key ? unit : c->unit);
    mt_json_truth(&part->json, "number", number);
    mt_json_close(&part->json);
}

static const mt_value *cell(const mt_table *table, size_t row, size_t column)
{
    return &table->values[row * table->n_columns + column];
}

/* True if a column has numbers and no words. */
static bool is_of_numbers(const mt_table *table, size_t n_rows, size_t column)
{
    bool number = false;
    for (size_t r = 0; r < n_rows; r++) {
        const mt_value *v = cell(table, r, column);
        if (!v->is_number && v->text) return false;
        number |= v->is_number;
    }
    return number;
}

static void put_row(mt_html_part *part, const mt_table *table, size_t row)
{
    mt_json_open(&part->json, NULL, '[');
    for (size_t c = 0; c < table->n_columns; c++) {
        const mt_value *v = cell(table, row, c);
        if (v->is_number)
            mt_json_number(&part->json, NULL, v->number);
        else
            mt_json_text(&part->json, NULL, v->text);
    }
    mt_json_close(&part->json);
}

static void put_table(mt_html_part *part, const mt_ensemble_page *page, size_t n_rows)
{
    const mt_table *table = page->table;
    mt_json_open(&part->json, "table", '{');
    mt_json_text(&part->json, "title", "Members");
    mt_json_open(&part->json, "columns", '[');
    for (size_t c = 0; c < table->n_columns; c++)
        put_column(part, table, c, c > 0 && c <= page->n_keys, is_of_numbers(table, n_rows, c));
    mt_json_close(&part->json);
    mt_json_open(&part->json, "rows", '[');
    for (size_t r = 0; r < n_rows; r++) put_row(part, table, r);
    mt_json_close(&part->json);
    mt_json_close(&part->json);
}

/* ---- quantities and distributions ---- */

/* Writes the number of a column, or null if the table lacks it. */
static void put_column_number(mt_html_part *part, const mt_table *table, const char *key)
{
    for (size_t c = 0; c < table->n_columns; c++)
        if (strcmp(table->columns[c].key, key) == 0) {
            mt_json_count(&part->json, key, c);
            return;
        }
    mt_json_text(&part->json, key, NULL);
}

static void put_quantity(mt_html_part *part, const mt_ensemble_quantities *all, const mt_ensemble_quantity *q)
{
    char label[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
    const bool is_key = !q->is_result && !q->is_factor;
    mt_column_words(q->label, label, unit);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "label", is_key ? label : q->label);
    mt_json_text(&part->json, "unit", is_key ? unit : q->unit);
    mt_json_open(&part->json, "words", '[');
    for (size_t k = 0; k < q->n_words; k++) mt_json_text(&part->json, NULL, q->word[k]);
    mt_json_close(&part->json);
    mt_json_open(&part->json, "values", '[');
    for (size_t r = 0; r < all->n_rows; r++) mt_json_number(&part->json, NULL, q->value[r]);
    mt_json_close(&part->json);
}

/* Writes the statistics of each beat. `beats`: 0 if the rows have no beats. */
static mt_status put_statistics(
    mt_html_part *part, const mt_ensemble_quantities *all, size_t quantity, size_t beats)
{
    mt_json_open(&part->json, "statistics", '[');
    for (size_t beat = beats > 0 ? 1 : 0; beat <= beats; beat++) {
        mt_ensemble_statistics of;
        MT_TRY(mt_ensemble_statistics_of(all, quantity, beat, &of));
        mt_json_open(&part->json, NULL, '{');
        mt_json_count(&part->json, "n", of.n);
        mt_json_number(&part->json, "min", of.least);
        mt_json_number(&part->json, "p5", of.p5);
        mt_json_number(&part->json, "p50", of.median);
        mt_json_number(&part->json, "p95", of.p95);
        mt_json_number(&part->json, "max", of.largest);
        mt_json_close(&part->json);
    }
    mt_json_close(&part->json);
    return MT_OK;
}

/* Writes the varied values, or the results with their statistics. */
static mt_status put_quantities(
    mt_html_part *part, const char *key, const mt_ensemble_quantities *all, bool results)
{
    size_t beats = 0;
    for (size_t r = 0; r < all->n_rows; r++)
        if (all->beat[r] > beats) beats = all->beat[r];
    mt_json_open(&part->json, key, '[');
    for (size_t k = 0; k < all->n; k++) {
        if (all->of[k].is_result != results) continue;
        put_quantity(part, all, &all->of[k]);
        if (results) MT_TRY(put_statistics(part, all, k, beats));
        mt_json_close(&part->json);
    }
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- the page ---- */

static mt_status put_ensemble(mt_html_part *part, const mt_ensemble_page *page)
{
    MT_SCRATCH(scratch);
    mt_ensemble_quantities all;
    MT_TRY(mt_ensemble_quantities_find(scratch, page->table, page->n_keys, &all));
    mt_json_open(&part->json, "ensemble", '{');
    mt_json_count(&part->json, "n", page->n_members);
    mt_json_count(&part->json, "n_keys", page->n_keys);
    put_table(part, page, all.n_rows);
    put_column_number(part, page->table, "beat");
    put_column_number(part, page->table, "outcome");
    put_column_number(part, page->table, "error");
    MT_TRY(put_quantities(part, "parameters", &all, false));
    MT_TRY(put_quantities(part, "results", &all, true));
    mt_json_close(&part->json);
    return MT_OK;
}

static void put_notes(mt_html_part *part, const mt_messages *messages)
{
    mt_json_open(&part->json, "notes", '[');
    for (const mt_message_line *line = messages->first; line; line = line->next)
        mt_json_text(&part->json, NULL, line->text);
    mt_json_close(&part->json);
}

static mt_status put_all(mt_html_part *part, const mt_ensemble_page *page)
{
    const char *slash = strrchr(page->folder, '/'), *name = slash ? slash + 1 : page->folder;
    static const char *const without[] = {"heart", "machine"}, *const empty[] = {
                                                                   "tables", "differences", "traces", "ecg"};
    mt_json_text(&part->json, "title", page->table->title);
    mt_json_text(&part->json, "folder", name);
    mt_json_text(&part->json, "command", page->command);
    MT_TRY(mt_used_part_put_case(part, page->input, "", page->n_keys, page->key));
    put_notes(part, page->messages);
    for (size_t k = 0; k < 4; k++) mt_json_open(&part->json, empty[k], '['), mt_json_close(&part->json);
    for (size_t k = 0; k < 2; k++) mt_json_text(&part->json, without[k], NULL);
    return put_ensemble(part, page);
}

mt_status mt_ensemble_page_write(const mt_ensemble_page *page)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_html_template template;
    mt_html_part part;
    const char *file;
    size_t bytes;
    MT_TRY(mt_html_report_template(scratch, &file));
    MT_TRY(mt_html_template_read(scratch, file, &template));
    MT_TRY(mt_folder_path(page->folder, mt_ensemble_page_name, path));
    MT_TRY(mt_html_part_begin(0, &part));
    mt_status status = put_all(&part, page);
    if (status == MT_OK) status = mt_html_part_end(&part, &bytes);
    if (status == MT_OK) status = mt_html_write(path, &template, 1, &part, &bytes);
    mt_html_part_free(&part);
    return status;
}

mt_status mt_ensemble_page_check(const char *folder)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_html_template template;
    const char *file;
    MT_TRY(mt_html_report_template(scratch, &file));
    MT_TRY(mt_html_template_read(scratch, file, &template));
    MT_TRY(mt_folder_path(folder, mt_ensemble_page_name, path));
    return mt_file_check(path, MT_FILE_ANY);
}
