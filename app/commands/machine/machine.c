/* myotile machine list, myotile machine show: available machines, and the sources of their numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/command.h"
#include "data/files/data_folder.h"
#include "app/cli/remarks.h"
#include "app/cli/table.h"
#include "data/files/scan.h"
#include "data/yaml/yaml.h"
#include "data/yaml/yaml_node.h"
#include "data/yaml/yaml_set.h"
#include "data/yaml/yaml_words.h"
#include "ipu/machine/machines.h"

static mt_status list(mt_arena *arena, const mt_arguments *arguments);
static mt_status show(mt_arena *arena, const mt_arguments *arguments);

static const mt_option list_options[] = {MT_OPTION_FORMAT, MT_OPTIONS_END};
#define LINKS_ELSEWHERE "`myotile machine allreduce` lists the links between IPUs and their loads"
static const mt_option show_options[] = {MT_OPTION_MACHINE_SET,
    {.name = "--picture", .value = "OUT.png", .instead = LINKS_ELSEWHERE},
    {.name = "--ipus", .value = "N", .instead = LINKS_ELSEWHERE}, MT_OPTION_FORMAT,
    {.name = "--force", .instead = "this command writes no file"}, MT_OPTIONS_END};

const mt_command mt_command_machine_list = {
    .name = "machine list",
    .operands = "",
    .summary = "list the machines that --target accepts by name",
    .example = "myotile machine list --format csv",
    .options = list_options,
    .run = list,
};

const mt_command mt_command_machine_show = {
    .name = "machine show",
    .operands = "NAME|FILE.yaml",
    .n_operands = 1,
    .summary =
        "show every constant of a machine, its status (measured, specified, derived, assumed) and its source",
    .example = "myotile machine show gc200",
    .options = show_options,
    .run = show,
};

static double chip_MiB(const ipu_target *t) { return (double)t->tiles * (double)t->bytes_per_tile / 0x1p20; }

/* ---- list ---- */

static mt_status list(mt_arena *arena, const mt_arguments *arguments)
{
    size_t n;
    const char **names, *path;
    ipu_target t;
    MT_TRY(ipu_machine_names(arena, mt_machines_folder(), &n, &names));
    mt_table table = mt_table_begin(arena, "machines", "Machines");
    mt_table_strings(&table, "name", "name");
    mt_table_strings(&table, "machine", "machine");
    mt_table_decimals(&table, "tiles", "tiles", "", 0);
    mt_table_digits(&table, "memory_per_tile_kib", "memory per tile", "KiB", 6);
    mt_table_digits(&table, "memory_per_chip_mib", "memory per chip", "MiB", 6);
    mt_table_digits(&table, "clock_ghz", "clock", "GHz", 6);
    mt_table_decimals(&table, "exchange_per_tile_bytes_per_cycle", "exchange per tile", "bytes/cycle", 0);
    for (size_t k = 0; k < n; k++) {
        MT_TRY(ipu_machine_path(arena, mt_machines_folder(), names[k], &path));
        MT_TRY(ipu_target_load(arena, path, NULL, 0, &t));
        mt_table_text(&table, names[k]);
        mt_table_text(&table, t.name);
        MT_TABLE_NUMBERS(&table, (double)t.tiles, (double)t.bytes_per_tile / 1024, chip_MiB(&t),
            t.clock_hz / 1e9, (double)t.exchange_bytes_per_cycle);
    }
    return mt_print_table(arguments, &table);
}

/* ---- show ---- */

typedef struct machine_file {
    const char *path, *text;
    mt_yaml_override *sets; /* replacements of its values */
    size_t n_sets;
} machine_file;

typedef struct showing {
    mt_arena *arena;
    const ipu_target *target;
    mt_remarks remarks; /* of the machine file */
    mt_table *table;
} showing;

/* Adds the remark of a value in the file, or the option that set it; empty if it is in neither. */
static mt_status add_source(const showing *s, const mt_yaml_node *there)
{
    const char *known = "set", *source = there ? there->at.origin : NULL;
    if (!there || there->at.line > 0)
        MT_TRY(mt_remark_of_line(s->arena, &s->remarks, there ? there->at.line : 0, &known, &source));
    mt_table_text(s->table, known);
    mt_table_text(s->table, source);
    return MT_OK;
}

/* A list of links between chips or between tiles, and its words. */
typedef struct listed {
    const char *path, *end, *rate, *unit;
    const ipu_listed_link *links;
    size_t n;
} listed;

/* Adds a row per listed link, with the source of its rate. */
static mt_status link_rows(const showing *s, const listed *of, const mt_yaml_node *list)
{
    const mt_yaml_node *there = list ? list->first : NULL;
    for (size_t l = 0; l < of->n; l++, there = there ? there->next : NULL) {
        const ipu_listed_link *link = &of->links[l];
        char name[80];
        (void)snprintf(name, sizeof name, "%s.%zu, %s %u to %u", of->path, l, of->end, link->from, link->to);
        mt_table_text(s->table, name);
        mt_table_number(s->table, (double)link->lanes);
        mt_table_text(s->table, of->unit);
        MT_TRY(add_source(s, there ? mt_yaml_node_named(there, of->rate) : NULL));
    }
    return MT_OK;
}

/* Adds a row per listed route, with the chips that it passes. */
static mt_status route_rows(const showing *s, const mt_yaml_node *list)
{
    const mt_yaml_node *there = list ? list->first : NULL;
    for (size_t r = 0; r < s->target->links.n_routes; r++, there = there ? there->next : NULL) {
        const ipu_listed_route *route = &s->target->links.routes[r];
        char name[80], *via;
        MT_ALLOC(s->arena, via, 12 * (route->n_via + 1)); /* a number and a space each, and a NUL */
        (void)snprintf(name, sizeof name, "links.routes.%zu, IPU %u to %u", r, route->from, route->to);
        for (size_t k = 0, used = 0; k < route->n_via; k++)
            used += (size_t)sprintf(via + used, "%s%u", k > 0 ? " " : "", route->via[k]);
        mt_table_text(s->table, name);
        mt_table_text(s->table, via);
        mt_table_text(s->table, "via");
        MT_TRY(add_source(s, there ? mt_yaml_node_named(there, "from") : NULL));
    }
    return MT_OK;
}

static mt_status list_rows(const showing *s, const char *path, const mt_yaml_node *list)
{
    const ipu_target *t = s->target;
    const listed lists[] = {{"links.list", "IPU", "lanes", "lanes", t->links.list, t->links.n_list},
        {"fabric.list", "tile", "words_per_cycle", "words/cycle", t->fabric.list, t->fabric.n_list}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (strcmp(path, lists[k].path) == 0) return link_rows(s, &lists[k], list);
    return route_rows(s, list);
}

/* Adds a row for a key: its value in the machine, and its remark in the file. */
static mt_status key_row(
    const showing *s, const char *path, const mt_yaml_node *value, const mt_yaml_node *there)
{
    char *end;
    const double number = strtod(value->text, &end);
    mt_table_text(s->table, path);
    if (*end)
        mt_table_text(s->table, value->text);
    else
        mt_table_number(s->table, number);
    mt_table_text(s->table, mt_yaml_unit_at(ipu_target_table.keys, path));
    return add_source(s, there);
}

/* Adds all keys except the name, which is in the title, and keys of other networks. `there`: the same mapping in the file. */
static mt_status key_rows(
    const showing *s, const char *path, const mt_yaml_node *mapping, const mt_yaml_node *there)
{
    for (const mt_yaml_node *c = mapping->first; c; c = c->next) {
        const mt_yaml_node *same = there ? mt_yaml_node_named(there, c->key) : NULL;
        char here[MT_YAML_WORDS];
        mt_yaml_join(here, path, c->key);
        if (strcmp(here, "name") == 0 || strcmp(here, "bands") == 0 || !ipu_target_has(s->target, here))
            continue;
        MT_TRY(c->kind == MT_YAML_IS_MAPPING    ? key_rows(s, here, c, same)
               : c->kind == MT_YAML_IS_SEQUENCE ? list_rows(s, here, same)
                                                : key_row(s, here, c, same));
    }
    return MT_OK;
}

/* Builds the table of keys. The loaded machine is written again, so that all keys, including defaults, have the same form. */
static mt_status key_table(mt_arena *arena, const ipu_target *t, const machine_file *from, mt_table *table)
{
    const char *path = from->path;
    showing s = {.arena = arena, .target = t, .table = table};
    const char *text;
    char *title;
    mt_yaml_node *written, *there;
    MT_TRY(mt_yaml_write(arena, &ipu_target_table, t, &text));
    MT_TRY(mt_yaml_node_read(arena, path, text, &written));
    MT_TRY(mt_yaml_node_read(arena, path, from->text, &there));
    for (size_t k = 0; k < from->n_sets; k++)
        MT_TRY(mt_yaml_set(arena, ipu_target_table.keys, &from->sets[k], there));
    MT_TRY(mt_remarks_begin(arena, from->text, &s.remarks));
    MT_ALLOC(arena, title, strlen(t->name) + strlen(path) + 3);
    (void)sprintf(title, "%s: %s", t->name, path);
    *table = mt_table_begin(arena, "machine", title);
    mt_table_strings(table, "key", "key");
    mt_table_digits(table, "value", "value", "", 10);
    mt_table_strings(table, "unit", "unit");
    mt_table_strings(table, "known", "known");
    mt_table_strings(table, "source", "source");
    return key_rows(&s, "", written, there);
}

static void derived_row(
    mt_table *table, const char *key, const char *label, double value, const char *unit, const char *formula)
{
    mt_table_item(table, key, label, 0);
    mt_table_number(table, value);
    mt_table_text(table, unit);
    mt_table_text(table, formula);
}

static mt_table derived_table(mt_arena *arena, const ipu_target *t)
{
    const double cycles = (double)t->tiles * t->clock_hz; /* cycles of all tiles per second */
    mt_table table = mt_table_begin(arena, "derived", "Derived quantities of one chip");
    mt_table_strings(&table, "quantity", "quantity");
    mt_table_digits(&table, "value", "value", "", 6);
    mt_table_strings(&table, "unit", "unit");
    mt_table_strings(&table, "formula", "formula");
    derived_row(&table, "memory", "memory", chip_MiB(t), "MiB", "tiles x bytes_per_tile");
    derived_row(&table, "exchange_bandwidth", "exchange bandwidth, in and out simultaneously",
        cycles * (double)t->exchange_bytes_per_cycle / 1e12, "TB/s",
        "tiles x exchange.bytes_per_cycle x clock_hz");
    derived_row(&table, "copy_bandwidth", "copy bandwidth within tiles",
        cycles * (double)t->local_copy_bytes_per_cycle / 1e12, "TB/s",
        "tiles x exchange.local_copy_bytes_per_cycle x clock_hz");
    if (t->fabric.kind == IPU_CROSSBAR)
        derived_row(&table, "exchange_latency", "latency of a one-word exchange, nearest row",
            (double)(t->sync_cycles + t->exchange_fixed_cycles + t->exchange_fragment_cycles + 1) /
                t->clock_hz * 1e9,
            "ns", "exchange.(sync_cycles + fixed_cycles + fragment_cycles) + 1, / clock_hz");
    else
        derived_row(&table, "exchange_latency", "latency of a word over one link",
            ((double)t->exchange_way_cycles + t->fabric.hop_cycles + 1) / t->clock_hz * 1e9, "ns",
            "exchange.way_cycles + fabric.hop_cycles + 1, / clock_hz");
    derived_row(&table, "instruction_time", "instruction time of a worker",
        (double)t->worker_contexts / t->clock_hz * 1e9, "ns", "worker_contexts / clock_hz");
    return table;
}

/* Returns the entry of a band in the machine file; NULL if --machine-set defined it. */
static const mt_yaml_node *band_in_file(const mt_yaml_node *root, const ipu_band *band)
{
    const mt_yaml_node *list = mt_yaml_node_named(root, "bands");
    for (const mt_yaml_node *n = list ? list->first : NULL; n; n = n->next) {
        const mt_yaml_node *key = mt_yaml_node_named(n, "key"), *fast = mt_yaml_node_named(n, "fast"),
                           *slow = mt_yaml_node_named(n, "slow");
        if (key && fast && slow && strcmp(key->text, band->key) == 0 &&
            strtod(fast->text, NULL) == band->fast && strtod(slow->text, NULL) == band->slow)
            return key;
    }
    return NULL;
}

/* Builds the table of uncertain constants, with their remarks. */
static mt_status band_table(mt_arena *arena, const ipu_target *t, const machine_file *from, mt_table *table)
{
    showing s = {.arena = arena, .target = t, .table = table};
    mt_yaml_node *root;
    *table = mt_table_begin(arena, "bands",
        "Uncertain constants: values at the ends with the least (fast) and the most (slow) time");
    mt_table_strings(table, "key", "key");
    mt_table_digits(table, "value", "value", "", 6);
    mt_table_digits(table, "fast", "fast end", "", 6);
    mt_table_digits(table, "slow", "slow end", "", 6);
    mt_table_strings(table, "known", "known");
    mt_table_strings(table, "source", "source");
    MT_TRY(mt_yaml_node_read(arena, from->path, from->text, &root));
    MT_TRY(mt_remarks_begin(arena, from->text, &s.remarks));
    for (size_t k = 0; k < t->n_bands; k++) {
        const ipu_band *band = &t->bands[k];
        const mt_yaml_node *there = band_in_file(root, band);
        mt_table_text(table, band->key);
        MT_TABLE_NUMBERS(table, mt_yaml_number(mt_yaml_key_at(ipu_target_table.keys, band->key), t),
            band->fast, band->slow);
        if (there) {
            MT_TRY(add_source(&s, there));
        } else {
            mt_table_text(table, "set");
            mt_table_text(table, NULL);
        }
    }
    return MT_OK;
}

static mt_status show(mt_arena *arena, const mt_arguments *arguments)
{
    machine_file from;
    mt_scan file;
    ipu_target t;
    mt_table tables[3];
    size_t n = 2;
    MT_TRY(ipu_machine_path(arena, mt_machines_folder(), mt_operand(arguments, 0), &from.path));
    MT_TRY(mt_option_overrides(arena, arguments, "--machine-set", &from.n_sets, &from.sets));
    MT_TRY(mt_scan_open(arena, from.path, &file));
    from.text = file.begin;
    MT_TRY(ipu_machine_load(arena, from.path, from.sets, from.n_sets, &t));
    MT_TRY(key_table(arena, &t, &from, &tables[0]));
    if (t.n_bands > 0) {
        MT_TRY(band_table(arena, &t, &from, &tables[1]));
        n = 3;
    }
    tables[n - 1] = derived_table(arena, &t);
    return mt_print_tables(arguments, tables, n);
}
