#include "app/report/machine_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/table_part.h"
#include "data/files/folder.h"
#include "data/core/number.h"
#include "data/yaml/yaml.h"
#include "data/yaml/yaml_node.h"
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
    {"tile_compute_cycles.tiles", "active tiles", ""}, {"tile_compute_cycles.min", "least compute", "cycles"},
    {"tile_compute_cycles.mean", "mean compute", "cycles"},
    {"tile_compute_cycles.max", "most compute", "cycles"},
    {"tile_compute_cycles.effectiveness", "load balance (mean / max)", ""},
    {"exchange_cycles", "exchange", "cycles"},
    {"exchange_bound_cycles", "exchange, bound in a chip", "cycles"},
    {"exchange_waiting_cycles", "exchange, waiting", "cycles"},
    {"external_exchange_cycles", "exchange, between chips", "cycles"},
    {"rearrangement_cycles", "copies", "cycles"}, {"internal_sync_cycles", "sync in a chip", "cycles"},
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

static void put_value(mt_html_part *part, const char *key, const mt_yaml_node *node)
{
    double number;
    if (!node || node->kind != MT_YAML_IS_SCALAR || (!node->quoted && strcmp(node->text, "null") == 0))
        mt_json_text(&part->json, key, NULL);
    else if (!node->quoted && mt_number_read(node->text, &number))
        mt_json_number(&part->json, key, number);
    else
        mt_json_text(&part->json, key, node->text);
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
        put_value(part, NULL, node_at(root, machine_rows[k].path));
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
        for (size_t k = 0; k < n; k++) put_value(part, NULL, node_at(item, columns[k].path));
        mt_json_close(&part->json);
    }
    mt_table_part_end(part);
}

#define PUT_LIST(part, list, title, columns)                                                                 \
    put_list((part), (list), (title), sizeof(columns) / sizeof *(columns), (columns))

static void put_summary(mt_html_part *part, const mt_yaml_node *root)
{
    mt_json_open(&part->json, "summary", '[');
    put_properties(part, root);
    PUT_LIST(part, node_at(root, "compute_sets"), "Compute sets", step_columns);
    PUT_LIST(part, node_at(root, "vertices"), "Vertices", vertex_columns);
    PUT_LIST(part, node_at(root, "memory.categories"), "Memory", memory_columns);
    mt_json_close(&part->json);
}

/* ---- a time step ---- */

/* Values of a compute set: the path in profile.json, and the key here. */
static const char *const turn_values[][2] = {{"runs", "runs"}, {"total_compute_cycles", "all_compute"},
    {"tile_gather_cycles.max", "gather"}, {"internal_sync_cycles", "internal_sync"},
    {"external_sync_cycles", "external_sync"}, {"exchange_cycles", "exchange"},
    {"external_exchange_cycles", "external_exchange"}, {"exchange_bound_cycles", "bound"},
    {"tile_scatter_cycles.max", "scatter"}, {"tile_compute_cycles.max", "compute"}};

static const mt_yaml_node *set_named(const mt_yaml_node *root, const mt_yaml_node *name)
{
    const mt_yaml_node *sets = node_at(root, "compute_sets"), *found = NULL;
    for (const mt_yaml_node *set = sets && name ? sets->first : NULL; set && !found; set = set->next) {
        const mt_yaml_node *known = node_at(set, "name");
        if (known && known->text && name->text && strcmp(known->text, name->text) == 0) found = set;
    }
    return found;
}

/* `turn`: of the program of a time step; NULL: the set runs in some time steps only. */
static void put_turn(mt_html_part *part, const mt_yaml_node *turn, const mt_yaml_node *set)
{
    mt_json_open(&part->json, NULL, '{');
    put_value(part, "set", node_at(set, "name"));
    put_value(part, "times", turn ? node_at(turn, "times") : NULL);
    for (size_t k = 0; k < sizeof turn_values / sizeof *turn_values; k++)
        put_value(part, turn_values[k][1], node_at(set, turn_values[k][0]));
    mt_json_close(&part->json);
}

static bool is_in_program(const mt_yaml_node *list, const mt_yaml_node *set)
{
    const mt_yaml_node *name = node_at(set, "name");
    for (const mt_yaml_node *turn = list->first; turn; turn = turn->next) {
        const mt_yaml_node *of = node_at(turn, "compute_set");
        if (of && of->text && name && name->text && strcmp(of->text, name->text) == 0) return true;
    }
    return false;
}

static double number_at(const mt_yaml_node *node, const char *path)
{
    const mt_yaml_node *found = node_at(node, path);
    double number;
    return found && found->text && mt_number_read(found->text, &number) ? number : 0;
}

/* Puts the cycles of the mean time step, the number that `myotile run` prints: all but the host's streams. Null if no step ran. */
static void put_step_cycles(mt_html_part *part, const mt_yaml_node *root)
{
    const double steps = number_at(root, "time_steps"),
                 cycles = number_at(root, "totals.cycles") - number_at(root, "totals.host_cycles");
    if (steps > 0)
        mt_json_number(&part->json, "step_cycles", cycles / steps);
    else
        mt_json_text(&part->json, "step_cycles", NULL);
}

/* Puts the compute sets of a time step in order, then those that run in some time steps only, such as stimuli; null if the profile has
 * no program of a time step. */
static void put_time_step(mt_html_part *part, const mt_yaml_node *root)
{
    const mt_yaml_node *list = node_at(root, "time_step"), *sets = node_at(root, "compute_sets");
    put_value(part, "time_steps", node_at(root, "time_steps"));
    put_step_cycles(part, root);
    if (!list || list->kind != MT_YAML_IS_SEQUENCE || !list->first) {
        mt_json_text(&part->json, "time_step", NULL);
        return;
    }
    mt_json_open(&part->json, "time_step", '[');
    for (const mt_yaml_node *turn = list->first; turn; turn = turn->next) {
        const mt_yaml_node *set = set_named(root, node_at(turn, "compute_set"));
        if (set) put_turn(part, turn, set);
    }
    for (const mt_yaml_node *set = sets ? sets->first : NULL; set; set = set->next)
        if (number_at(set, "runs") > 0 && !is_in_program(list, set)) put_turn(part, NULL, set);
    mt_json_close(&part->json);
}

/* ---- the network ---- */

static bool of_set(const mt_yaml_node *link, const char *set)
{
    const mt_yaml_node *node = node_at(link, "compute_set");
    return node && node->text && strcmp(node->text, set) == 0;
}

static size_t links_of(const mt_yaml_node *first, const char *set)
{
    size_t n = 0;
    for (const mt_yaml_node *link = first; link; link = link->next) n += of_set(link, set);
    return n;
}

static mt_status put_loads(
    mt_arena *arena, mt_html_part *part, const mt_yaml_node *first, const char *set, const char *value)
{
    double *loads, number;
    size_t n = 0;
    MT_ALLOC(arena, loads, links_of(first, set));
    for (const mt_yaml_node *link = first; link; link = link->next) {
        const mt_yaml_node *node = node_at(link, value);
        if (of_set(link, set))
            loads[n++] = node && node->text && mt_number_read(node->text, &number) ? number : 0;
    }
    mt_html_doubles(part, value, n, loads);
    return MT_OK;
}

/* Links of the first compute set that uses any: every other has the same, in the same order. */
static void put_link_names(mt_html_part *part, const mt_yaml_node *first, const char *set)
{
    mt_json_open(&part->json, "links", '[');
    for (const mt_yaml_node *link = first; link; link = link->next) {
        if (!of_set(link, set)) continue;
        mt_json_open(&part->json, NULL, '{');
        put_value(part, "name", node_at(link, "name"));
        put_value(part, "from", node_at(link, "from"));
        put_value(part, "to", node_at(link, "to"));
        mt_json_close(&part->json);
    }
    mt_json_close(&part->json);
}

static mt_status put_network(mt_arena *arena, mt_html_part *part, const mt_yaml_node *root)
{
    const mt_yaml_node *list = node_at(root, "links"), *sets = node_at(root, "compute_sets");
    const mt_yaml_node *first = list && list->kind == MT_YAML_IS_SEQUENCE ? list->first : NULL,
                       *set = first ? node_at(first, "compute_set") : NULL;
    if (!set || !set->text || !sets) {
        mt_json_text(&part->json, "network", NULL);
        return MT_OK;
    }
    mt_json_open(&part->json, "network", '{');
    put_value(part, "ipus", node_at(root, "machine.ipus"));
    put_link_names(part, first, set->text);
    mt_json_open(&part->json, "sets", '[');
    for (const mt_yaml_node *each = sets->first; each; each = each->next) {
        const mt_yaml_node *name = node_at(each, "name");
        if (!name || !name->text || links_of(first, name->text) != links_of(first, set->text)) continue;
        mt_json_open(&part->json, NULL, '{');
        mt_json_text(&part->json, "name", name->text);
        put_value(part, "exchange_cycles", node_at(each, "exchange_cycles"));
        MT_TRY(put_loads(arena, part, first, name->text, "bytes"));
        MT_TRY(put_loads(arena, part, first, name->text, "busy_cycles"));
        mt_json_close(&part->json);
    }
    mt_json_close(&part->json);
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
    mt_yaml_node *root;
    const char *text;
    MT_TRY(mt_folder_path(folder, "profile.json", path));
    MT_TRY(mt_yaml_text(arena, path, &text));
    MT_TRY(mt_yaml_node_read(arena, path, text, &root));
    put_summary(part, root);
    put_time_step(part, root);
    MT_TRY(put_network(arena, part, root));
    MT_TRY(mt_tiles_part_put(part, folder, &limits->tiles, &shown->tiles));
    MT_TRY(mt_folder_path(folder, "links.csv", path));
    return put_links(arena, part, path, limits, shown);
}

mt_status mt_machine_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_machine_limits *limits, mt_machine_shown *shown)
{
    MT_SCRATCH(arena);
    *shown = (mt_machine_shown){0};
    if (!ipu_profile_is_in(folder->profile)) {
        mt_json_text(&part->json, "machine", NULL);
        return MT_OK;
    }
    mt_json_open(&part->json, "machine", '{');
    const mt_status status = put(arena, part, folder->profile, limits, shown);
    if (status == MT_OK) mt_json_close(&part->json);
    return status;
}
