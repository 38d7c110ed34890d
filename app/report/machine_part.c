#include "app/report/machine_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/table_part.h"
#include "data/folder.h"
#include "data/number.h"
#include "data/yaml.h"
#include "data/yaml_node.h"
#include "ipu/run/profile_files.h"

/* ---- profile.json: JSON is YAML ---- */

/* What a value is called here. `path` has points between keys. */
typedef struct row {
    const char *path, *label, *unit;
} row;

static const row machine_rows[] = {{"machine.ipus", "IPUs", ""}, {"machine.tiles", "tiles", ""},
    {"machine.clock_hz", "clock", "Hz"}, {"time_steps", "time steps", ""},
    {"totals.cycles", "all cycles", "cycles"},
    {"totals.least_cycles", "with the constants that take the least time", "cycles"},
    {"totals.most_cycles", "with the constants that take the most time", "cycles"},
    {"totals.seconds", "time", "s"}, {"totals.compute_cycles", "compute", "cycles"},
    {"totals.exchange_cycles", "exchange", "cycles"},
    {"totals.rearrangement_cycles", "copies inside tiles", "cycles"},
    {"totals.internal_sync_cycles", "sync in a chip", "cycles"},
    {"totals.external_sync_cycles", "sync between chips", "cycles"},
    {"totals.host_cycles", "streams to and from the host", "cycles"},
    {"totals.host_bytes_read", "read by the host", "bytes"},
    {"totals.host_bytes_written", "written by the host", "bytes"},
    {"memory.bytes_there", "memory of a tile", "bytes"}, {"memory.bytes_median", "median tile", "bytes"},
    {"memory.bytes_fullest", "fullest tile", "bytes"},
    {"memory.fullest_tile", "number of the fullest tile", ""}};

static const row step_columns[] = {{"name", "compute set", ""}, {"runs", "runs", ""},
    {"cycles", "one run", "cycles"}, {"total_cycles", "all runs", "cycles"},
    {"tile_compute_cycles.tiles", "tiles that compute", ""},
    {"tile_compute_cycles.min", "least compute of a tile", "cycles"},
    {"tile_compute_cycles.mean", "mean", "cycles"}, {"tile_compute_cycles.max", "most", "cycles"},
    {"tile_compute_cycles.effectiveness", "load balance (mean / max)", ""},
    {"exchange_cycles", "exchange", "cycles"}, {"rearrangement_cycles", "copies", "cycles"},
    {"internal_sync_cycles", "sync in a chip", "cycles"},
    {"external_sync_cycles", "sync between chips", "cycles"}, {"bytes_received", "received", "bytes"},
    {"bytes_sent", "sent", "bytes"}, {"bytes_crossing", "between chips", "bytes"},
    {"busiest_link", "busiest link", ""}};

static const row vertex_columns[] = {{"codelet", "codelet", ""}, {"compute_set", "compute set", ""},
    {"instances", "vertices", ""}, {"cycles", "one run", "cycles"}, {"total_cycles", "all runs", "cycles"}};

static const row memory_columns[] = {{"name", "use of memory", ""},
    {"bytes_fullest", "fullest tile", "bytes"}, {"bytes_all_tiles", "all tiles", "bytes"}};

/* NULL: there is no such value. */
static const mt_yaml_node *node_at(const mt_yaml_node *node, const char *path)
{
    while (node && *path) {
        const size_t n = strcspn(path, ".");
        node = node->kind == MT_YAML_IS_MAPPING ? mt_yaml_node_named(node, path, n) : NULL;
        path += n + (path[n] == '.');
    }
    return node;
}

static void put_value(mt_html_part *part, const mt_yaml_node *node)
{
    double number;
    if (!node || node->kind != MT_YAML_IS_SCALAR || (!node->quoted && strcmp(node->text, "null") == 0))
        mt_json_text(&part->json, NULL, NULL);
    else if (!node->quoted && mt_number_read(node->text, &number))
        mt_json_number(&part->json, NULL, number);
    else
        mt_json_text(&part->json, NULL, node->text);
}

static void put_properties(mt_html_part *part, const mt_yaml_node *root)
{
    const mt_yaml_node *name = node_at(root, "machine.name");
    char title[MT_COLUMN_WORDS];
    (void)snprintf(
        title, sizeof title, "The whole run on %s", name && name->text ? name->text : "the machine");
    mt_table_part_begin(part, NULL, title);
    mt_table_part_column(part, "property", "", false);
    mt_table_part_column(part, "value", "", true);
    mt_table_part_column(part, "unit", "", false);
    mt_table_part_rows(part);
    for (size_t k = 0; k < sizeof machine_rows / sizeof *machine_rows; k++) {
        mt_json_open(&part->json, NULL, '[');
        mt_json_text(&part->json, NULL, machine_rows[k].label);
        put_value(part, node_at(root, machine_rows[k].path));
        mt_json_text(&part->json, NULL, machine_rows[k].unit);
        mt_json_close(&part->json);
    }
    mt_table_part_end(part);
}

/* Is this a column of numbers in a list of objects? */
static bool is_of_numbers(const mt_yaml_node *list, const char *path)
{
    double number;
    bool any = false;
    for (const mt_yaml_node *item = list->first; item; item = item->next) {
        const mt_yaml_node *node = node_at(item, path);
        if (!node || node->quoted || node->kind != MT_YAML_IS_SCALAR) return false;
        any = any || mt_number_read(node->text, &number);
    }
    return any;
}

static void put_list(
    mt_html_part *part, const mt_yaml_node *list, const char *title, size_t n, const row *columns)
{
    if (!list || list->kind != MT_YAML_IS_SEQUENCE) return;
    mt_table_part_begin(part, NULL, title);
    for (size_t k = 0; k < n; k++)
        mt_table_part_column(part, columns[k].label, columns[k].unit, is_of_numbers(list, columns[k].path));
    mt_table_part_rows(part);
    for (const mt_yaml_node *item = list->first; item; item = item->next) {
        mt_json_open(&part->json, NULL, '[');
        for (size_t k = 0; k < n; k++) put_value(part, node_at(item, columns[k].path));
        mt_json_close(&part->json);
    }
    mt_table_part_end(part);
}

#define PUT_LIST(part, list, title, columns)                                                                 \
    put_list((part), (list), (title), sizeof(columns) / sizeof *(columns), (columns))

static mt_status put_summary(mt_arena *arena, mt_html_part *part, const char *path)
{
    mt_yaml_node *root;
    const char *text;
    MT_TRY(mt_yaml_text(arena, path, &text));
    MT_TRY(mt_yaml_node_read(arena, path, text, &root));
    mt_json_open(&part->json, "summary", '[');
    put_properties(part, root);
    PUT_LIST(part, node_at(root, "compute_sets"), "Compute sets", step_columns);
    PUT_LIST(part, node_at(root, "vertices"), "Vertices", vertex_columns);
    PUT_LIST(part, node_at(root, "memory.categories"), "Memory", memory_columns);
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- tiles.csv ---- */

enum { PLACES = 4 }; /* columns before the measures */
static const char *const place[PLACES] = {"tile", "chip", "row", "column"};

static mt_status take_wholes(const mt_csv *csv, const char *path, size_t column, uint32_t *value)
{
    for (size_t k = 0; k < csv->n_rows; k++) {
        const double number = mt_csv_number(csv, k, column);
        if (!(number >= 0 && number <= UINT32_MAX && number == floor(number)))
            return mt_fail(MT_INPUT, "%s:%zu: %s: %s; allowed: a whole number from 0 to %u", path, k + 2,
                csv->column[column], csv->cell[k * csv->n_columns + column], UINT32_MAX);
        value[k] = (uint32_t)number;
    }
    return MT_OK;
}

/* "compute pde a to b": of a phase; else of the whole program. */
static void put_measure(mt_html_part *part, const mt_csv *csv, size_t column, const uint32_t *value)
{
    static const char *const kinds[] = {"rearrangement ", "exchange ", "compute "};
    char label[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
    const char *phase = NULL;
    mt_column_words(csv->column[column], label, unit);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "name", csv->column[column]);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && strcmp(unit, "cycles") == 0; k++) {
        const size_t n = strlen(kinds[k]);
        if (strncmp(label, kinds[k], n) != 0) continue;
        label[n - 1] = 0;
        phase = label + n;
    }
    mt_json_text(&part->json, "label", label);
    mt_json_text(&part->json, "unit", unit);
    mt_html_wholes(part, "value", csv->n_rows, 1, value);
    mt_json_text(&part->json, "phase", phase);
    mt_json_close(&part->json);
}

static bool any(size_t n, const uint32_t *value)
{
    for (size_t k = 0; k < n; k++)
        if (value[k] > 0) return true;
    return false;
}

/* The memory in use comes first, then all others in the order of the file. */
static mt_status put_measures(mt_arena *arena, mt_html_part *part, const mt_csv *csv, const char *path,
    size_t most_bytes, mt_machine_shown *shown)
{
    const size_t n = csv->n_columns - PLACES;
    size_t before, now;
    uint32_t *value;
    MT_ALLOC(arena, value, csv->n_rows);
    MT_TRY(mt_html_part_size(part, &before));
    mt_json_open(&part->json, "measures", '[');
    for (size_t k = 0; k < n; k++) {
        const size_t column = PLACES + (k + n - 1) % n;
        MT_TRY(take_wholes(csv, path, column, value));
        if (!any(csv->n_rows, value)) continue;
        shown->all_measures++;
        MT_TRY(mt_html_part_size(part, &now));
        if (shown->measures > 0 && now - before > most_bytes) continue;
        put_measure(part, csv, column, value);
        shown->measures++;
    }
    mt_json_close(&part->json);
    return MT_OK;
}

static mt_status put_tile_places(mt_arena *arena, mt_html_part *part, const mt_csv *csv, const char *path)
{
    uint32_t *value;
    MT_ALLOC(arena, value, csv->n_rows);
    for (size_t k = 0; k < PLACES; k++)
        if (csv->n_columns <= PLACES || strcmp(csv->column[k], place[k]) != 0)
            return mt_fail(MT_INPUT,
                "%s:1: column %zu is '%s'; it must be '%s', and measures behind column %d", path, k + 1,
                k < csv->n_columns ? csv->column[k] : "", place[k], PLACES);
    mt_json_count(&part->json, "n", csv->n_rows);
    for (size_t k = 1; k < PLACES; k++) {
        MT_TRY(take_wholes(csv, path, k, value));
        mt_html_wholes(part, place[k], csv->n_rows, 1, value);
    }
    return MT_OK;
}

static mt_status put_tiles(mt_arena *arena, mt_html_part *part, const char *path,
    const mt_machine_limits *limits, mt_machine_shown *shown)
{
    mt_csv csv;
    if (access(path, F_OK) != 0) {
        mt_json_text(&part->json, "tiles", NULL);
        return MT_OK;
    }
    MT_TRY(mt_csv_read(arena, path, &csv));
    shown->tiles = csv.n_rows;
    mt_json_open(&part->json, "tiles", '{');
    MT_TRY(put_tile_places(arena, part, &csv, path));
    MT_TRY(put_measures(arena, part, &csv, path, limits->tile_bytes, shown));
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- links.csv ---- */

/* A row by how long its link is busy. */
typedef struct busy {
    double cycles;
    size_t row;
} busy;

static int busiest_first(const void *left, const void *right)
{
    const busy *a = left, *b = right;
    if (a->cycles != b->cycles) return a->cycles > b->cycles ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static mt_status choose_links(mt_arena *arena, const mt_csv *csv, size_t column, size_t **chosen)
{
    busy *all;
    MT_ALLOC(arena, all, csv->n_rows);
    MT_ALLOC(arena, *chosen, csv->n_rows);
    for (size_t k = 0; k < csv->n_rows; k++) all[k] = (busy){mt_csv_number(csv, k, column), k};
    for (size_t k = 0; k < csv->n_rows; k++)
        if (isnan(all[k].cycles)) all[k].cycles = -1;
    qsort(all, csv->n_rows, sizeof *all, busiest_first);
    for (size_t k = 0; k < csv->n_rows; k++) (*chosen)[k] = all[k].row;
    return MT_OK;
}

static mt_status put_links(mt_arena *arena, mt_html_part *part, const char *path,
    const mt_machine_limits *limits, mt_machine_shown *shown)
{
    static const char measure[] = "busy[cycles]";
    mt_csv csv;
    size_t *chosen;
    if (access(path, F_OK) != 0) {
        mt_json_text(&part->json, "links", NULL);
        return MT_OK;
    }
    MT_TRY(mt_csv_read(arena, path, &csv));
    const size_t column = mt_csv_find(&csv, measure);
    if (column == csv.n_columns) return mt_fail(MT_INPUT, "%s:1: there is no column '%s'", path, measure);
    MT_TRY(choose_links(arena, &csv, column, &chosen));
    shown->all_links = csv.n_rows;
    shown->links = csv.n_rows < limits->links ? csv.n_rows : limits->links;
    mt_table_part_csv(
        part, "links", shown->links < csv.n_rows ? "Busiest links" : "Links", &csv, shown->links, chosen);
    return MT_OK;
}

/* ---- all of it ---- */

static mt_status put(mt_arena *arena, mt_html_part *part, const char *folder, const mt_machine_limits *limits,
    mt_machine_shown *shown)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_folder_path(folder, "profile.json", path));
    MT_TRY(put_summary(arena, part, path));
    MT_TRY(mt_folder_path(folder, "tiles.csv", path));
    MT_TRY(put_tiles(arena, part, path, limits, shown));
    MT_TRY(mt_folder_path(folder, "links.csv", path));
    return put_links(arena, part, path, limits, shown);
}

mt_status mt_machine_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_machine_limits *limits, mt_machine_shown *shown)
{
    mt_arena arena = {0};
    *shown = (mt_machine_shown){0};
    if (!ipu_profile_is_in(folder->profile)) {
        mt_json_text(&part->json, "machine", NULL);
        return MT_OK;
    }
    mt_json_open(&part->json, "machine", '{');
    const mt_status status = put(&arena, part, folder->profile, limits, shown);
    if (status == MT_OK) mt_json_close(&part->json);
    mt_arena_free(&arena);
    return status;
}
