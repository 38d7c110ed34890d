/* myotile machine list, myotile machine show: the machines there are, and where their numbers come from. */
#include <stdlib.h>
#include <string.h>

#include "app/commands/commands.h"
#include "app/cli/machines.h"
#include "app/cli/remarks.h"
#include "app/cli/table.h"
#include "data/scan.h"
#include "ipu/machine/target.h"

static mt_status list(mt_arena *arena, const mt_arguments *arguments);
static mt_status show(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {"--format", "text|json|csv", "of the tables; default: text", false}, {NULL, NULL, NULL, false}};

const mt_command mt_command_machine_list = {
    .name = "machine list",
    .operands = "",
    .summary = "the machines that --target knows by name",
    .example = "myotile machine list --format csv",
    .options = options,
    .run = list,
};

const mt_command mt_command_machine_show = {
    .name = "machine show",
    .operands = "NAME|FILE.yaml",
    .n_operands = 1,
    .summary = "every number of a machine, how it is known and where it comes from",
    .example = "myotile machine show gc200",
    .options = options,
    .run = show,
};

static double chip_MiB(const ipu_target *t) { return (double)t->tiles * (double)t->bytes_per_tile / 0x1p20; }

/* ---- list ---- */

static mt_status list(mt_arena *arena, const mt_arguments *arguments)
{
    size_t n;
    const char **names, *path;
    mt_format format;
    ipu_target t;
    MT_TRY(mt_format_option(arguments, &format));
    MT_TRY(mt_machine_names(arena, &n, &names));
    mt_table table = mt_table_begin(arena, "Machines");
    mt_table_strings(&table, "name");
    mt_table_strings(&table, "machine");
    mt_table_decimals(&table, "tiles", "", 0);
    mt_table_digits(&table, "memory of a tile", "KiB", 6);
    mt_table_digits(&table, "of the chip", "MiB", 6);
    mt_table_digits(&table, "clock", "GHz", 6);
    mt_table_decimals(&table, "exchange of a tile", "bytes/cycle", 0);
    for (size_t k = 0; k < n; k++) {
        MT_TRY(mt_machine_path(arena, names[k], &path));
        MT_TRY(ipu_target_load(arena, path, NULL, 0, &t));
        mt_table_text(&table, names[k]);
        mt_table_text(&table, t.name);
        mt_table_number(&table, (double)t.tiles);
        mt_table_number(&table, (double)t.bytes_per_tile / 1024);
        mt_table_number(&table, chip_MiB(&t));
        mt_table_number(&table, t.clock_hz / 1e9);
        mt_table_number(&table, (double)t.exchange_bytes_per_cycle);
    }
    return mt_table_print(arguments->out, &table, format);
}

/* ---- show ---- */

/* A key's name says its unit; "" where it counts things. */
static const char *unit_of(const char *key)
{
    static const char *const units[][2] = {{"instructions.", "worker cycles"},
        {"bytes_per_cycle", "bytes/cycle"}, {"bytes_per_tile", "bytes"}, {"_cycles", "tile cycles"},
        {"_hz", "Hz"}, {"links.direct", "lanes"}, {"links.cross", "lanes"}, {"links.rail", "lanes"},
        {"bits_per_second", "bits/s"}, {"bytes_per_second", "bytes/s"}, {"packet_", "bytes"},
        {"ns_per_hop", "ns"}, {"send_words", "words"}, {"memory.", "bytes"}};
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
        if (strstr(key, units[k][0])) return units[k][1];
    return "";
}

/* What another shape of links has: a list, or lanes of its own. */
static bool of_another_shape(const ipu_links *links, const char *key)
{
    static const char *const lanes[] = {"links.direct", "links.cross", "links.rail"};
    if (links->shape != IPU_LINK_LIST) return strcmp(key, "links.list") == 0;
    for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++)
        if (strcmp(key, lanes[k]) == 0) return true;
    return false;
}

/* One link of a list. Its source stands behind its lanes, or behind all of it in one line; `at` goes on through the file
 * with the links, so that many cost no more than reading it once. */
static mt_status link_row(
    mt_arena *arena, const ipu_listed_link *link, size_t number, mt_remarks *at, mt_table *table)
{
    char entry[48], lanes[64], *name;
    mt_remark remark;
    const char *known = NULL, *source = NULL;
    (void)snprintf(entry, sizeof entry, "links.list.%zu", number);
    (void)snprintf(lanes, sizeof lanes, "%s.lanes", entry);
    while (mt_remarks_next(at, &remark)) {
        if (strcmp(remark.key, entry) != 0 && strcmp(remark.key, lanes) != 0) continue;
        MT_TRY(mt_remark_source(arena, &remark, &known, &source));
        break;
    }
    MT_TAKE(arena, name, sizeof entry + 32);
    (void)sprintf(name, "%s, IPU %u to %u", entry, link->from, link->to);
    mt_table_text(table, name);
    mt_table_number(table, (double)link->lanes);
    mt_table_text(table, "lanes");
    mt_table_text(table, known);
    mt_table_text(table, source);
    return MT_OK;
}

static mt_status link_rows(mt_arena *arena, const ipu_links *links, const char *file, mt_table *table)
{
    mt_remarks at = mt_remarks_begin(file);
    for (size_t l = 0; l < links->n_list; l++) MT_TRY(link_row(arena, &links->list[l], l, &at, table));
    return MT_OK;
}

/* One key: its value as the machine has it, and what stands behind it in the file. */
static mt_status key_row(mt_arena *arena, const mt_remark *key, const char *file, mt_table *table)
{
    mt_remark remark;
    const char *known = NULL, *source = NULL;
    char *value, *end;
    const size_t n = (size_t)(key->value.end - key->value.begin);
    MT_TAKE(arena, value, n + 1);
    memcpy(value, key->value.begin, n);
    const double number = strtod(value, &end);
    if (mt_remark_find(file, key->key, &remark)) MT_TRY(mt_remark_source(arena, &remark, &known, &source));
    mt_table_text(table, key->key);
    if (*end)
        mt_table_text(table, value);
    else
        mt_table_number(table, number);
    mt_table_text(table, unit_of(key->key));
    mt_table_text(table, known);
    mt_table_text(table, source);
    return MT_OK;
}

/* All keys but the name, which is in the title, and those of another shape of links; a link of a list in one row. What the machine was read to is written again, so that whatever keys
 * there are come in one form, defaults among them. */
static mt_status key_table(
    mt_arena *arena, const ipu_target *t, const char *path, const char *file, mt_table *table)
{
    const char *plain;
    char *title;
    mt_remark key;
    MT_TRY(mt_yaml_write(arena, &ipu_target_table, t, &plain));
    MT_TAKE(arena, title, strlen(t->name) + strlen(path) + 3);
    (void)sprintf(title, "%s: %s", t->name, path);
    *table = mt_table_begin(arena, title);
    mt_table_strings(table, "key");
    mt_table_digits(table, "value", "", 10);
    mt_table_strings(table, "unit");
    mt_table_strings(table, "known");
    mt_table_strings(table, "source");
    mt_remarks keys = mt_remarks_begin(plain);
    while (mt_remarks_next(&keys, &key)) {
        if (strcmp(key.key, "name") == 0 || of_another_shape(&t->links, key.key)) continue;
        if (strncmp(key.key, "links.list.", strlen("links.list.")) != 0)
            MT_TRY(key_row(arena, &key, file, table));
        else if (strcmp(key.key, "links.list.0.from") == 0)
            MT_TRY(link_rows(arena, &t->links, file, table));
    }
    return MT_OK;
}

static void derived_row(mt_table *table, const char *what, double value, const char *unit, const char *from)
{
    mt_table_text(table, what);
    mt_table_number(table, value);
    mt_table_text(table, unit);
    mt_table_text(table, from);
}

static mt_table derived_table(mt_arena *arena, const ipu_target *t)
{
    const double cycles = (double)t->tiles * t->clock_hz; /* of all tiles in a second */
    mt_table table = mt_table_begin(arena, "What follows from them, for one chip");
    mt_table_strings(&table, "number");
    mt_table_digits(&table, "value", "", 6);
    mt_table_strings(&table, "unit");
    mt_table_strings(&table, "from");
    derived_row(&table, "memory", chip_MiB(t), "MiB", "tiles x bytes_per_tile");
    derived_row(&table, "exchange, in and out at once", cycles * (double)t->exchange_bytes_per_cycle / 1e12,
        "TB/s", "tiles x exchange.bytes_per_cycle x clock_hz");
    derived_row(&table, "copies inside tiles", cycles * (double)t->local_copy_bytes_per_cycle / 1e12, "TB/s",
        "tiles x exchange.local_copy_bytes_per_cycle x clock_hz");
    derived_row(&table, "an exchange of one word, nearest row",
        (double)(t->sync_cycles + t->exchange_fixed_cycles + t->exchange_fragment_cycles + 1) / t->clock_hz *
            1e9,
        "ns", "exchange.(sync_cycles + fixed_cycles + fragment_cycles) + 1, / clock_hz");
    derived_row(&table, "an instruction of a worker", (double)t->worker_contexts / t->clock_hz * 1e9, "ns",
        "worker_contexts / clock_hz");
    return table;
}

static mt_status show(mt_arena *arena, const mt_arguments *arguments)
{
    const char *path;
    mt_format format;
    mt_scan file;
    ipu_target t;
    mt_table tables[2];
    MT_TRY(mt_format_option(arguments, &format));
    MT_TRY(mt_machine_path(arena, mt_operand(arguments, &mt_command_machine_show, 0), &path));
    MT_TRY(mt_scan_open(arena, path, &file));
    MT_TRY(ipu_target_load(arena, path, NULL, 0, &t));
    MT_TRY(key_table(arena, &t, path, file.begin, &tables[0]));
    tables[1] = derived_table(arena, &t);
    return mt_tables_print(arguments->out, tables, 2, format);
}
