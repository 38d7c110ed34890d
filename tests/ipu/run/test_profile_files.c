/* The profile of a ring of tiles on two chips, written to files. */
#include <criterion/criterion.h>

#include "data/files/file.h"
#include "ipu/run/details.h"
#include "ipu/run/profile_files.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"
#include "tests/json.h"
#include "tests/room.h"

enum { CHIPS = 2, TILES = 3, ROUNDS = 5 }; /* tiles of a chip; the very last tile is idle */

static mt_arena arena;
static ipu_profile profile;
static ipu_target target;
static ipu_profiled of;
static ipu_sync made_with;

/* Runs the ring on `chips` chips of `tiles` tiles each. Its w is live only from "add" to "back". */
static void make_profile_of(size_t chips, size_t tiles)
{
    static ring r;
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    target = ring_target(chips * tiles);
    target.ipus = chips;
    target.links = ring_links();
    target.sync = made_with;
    ok(ring_make(&arena, &target, chips * tiles - 1, 10, RING_TAIL, &r));
    ok(ipu_graph_set_temporary(r.graph, r.w));
    ok(ring_program(&arena, &r, ROUNDS, &program));
    ok(ipu_compile(&arena, r.graph, &program, 1, &e));
    ok(ipu_engine_new(&arena, e, false, &engine));
    ok(ipu_engine_run(engine, 0));
    ok(ipu_profile_make(&arena, engine, &profile));
    ok(ipu_profile_add_executions(&arena, program, &profile));
    ok(ipu_details_add(&arena, e, &profile));
    of = (ipu_profiled){.title = "A \"ring\"", .time_steps = ROUNDS, .profile = &profile, .target = &target};
}

static void make_profile(size_t chips) { make_profile_of(chips, TILES); }

static void enter(void)
{
    enter_room();
    make_profile(CHIPS);
    cr_assert_eq(mkdir("out", 0777), 0);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(profile_files, .init = enter, .fini = leave);

static const json *read_json(const char *path)
{
    size_t n;
    return json_parse_and_free(&arena, bytes_of(path, &n));
}

/* ---- tables */

enum { COLUMNS = 64 };

typedef struct csv {
    char *name[COLUMNS];
    size_t n_columns, n_rows;
    char **field; /* [n_rows][n_columns] */
} csv;

/* Splits a line into its fields; commas inside quotes do not separate. */
static size_t split(char *line, char *field[COLUMNS])
{
    size_t n = 0;
    bool quoted = false;
    field[n++] = line;
    for (char *at = line; *at; at++) {
        if (*at == '"') quoted = !quoted;
        if (*at != ',' || quoted) continue;
        *at = 0;
        cr_assert(n < COLUMNS);
        field[n++] = at + 1;
    }
    return n;
}

static csv read_csv(const char *path)
{
    size_t n, lines = 0;
    csv table = {0};
    char *bytes = bytes_of(path, &n), *text = memcpy(json_take(&arena, n + 1, 1), bytes, n + 1), *save;
    free(bytes);
    for (const char *at = text; *at; at++) lines += *at == '\n';
    char *line = strtok_r(text, "\n", &save);
    table.n_columns = split(line, table.name);
    table.field = json_take(&arena, lines * table.n_columns, sizeof *table.field);
    while ((line = strtok_r(NULL, "\n", &save))) {
        char *field[COLUMNS];
        cr_assert_eq(split(line, field), table.n_columns, "%s: row %zu", path, table.n_rows);
        memcpy(table.field + table.n_rows++ * table.n_columns, field, table.n_columns * sizeof *field);
    }
    return table;
}

static size_t column_of(const csv *table, const char *name)
{
    size_t k = 0;
    while (k < table->n_columns && strcmp(table->name[k], name) != 0) k++;
    cr_assert(k < table->n_columns, "no column %s", name);
    return k;
}

/* Returns NaN for an empty field. */
static double csv_value(const csv *table, size_t row, const char *name)
{
    const char *text = table->field[row * table->n_columns + column_of(table, name)];
    return text[0] ? strtod(text, NULL) : NAN;
}

static double csv_sum(const csv *table, const char *name)
{
    double sum = 0;
    for (size_t row = 0; row < table->n_rows; row++) sum += csv_value(table, row, name);
    return sum;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the lower of the two middle values. */
static double csv_median(const csv *table, const char *name)
{
    double *values = json_take(&arena, table->n_rows, sizeof *values);
    for (size_t row = 0; row < table->n_rows; row++) values[row] = csv_value(table, row, name);
    qsort(values, table->n_rows, sizeof *values, compare_numbers);
    return values[(table->n_rows - 1) / 2];
}

/* The maximum over all rows, not over a sample. */
static double csv_most(const csv *table, const char *name)
{
    double most = 0;
    for (size_t row = 0; row < table->n_rows; row++) most = fmax(most, csv_value(table, row, name));
    return most;
}

static double csv_above_0(const csv *table, const char *name)
{
    double n = 0;
    for (size_t row = 0; row < table->n_rows; row++) n += csv_value(table, row, name) > 0;
    return n;
}

/* The standard deviation over tiles that have work. */
static double csv_sd(const csv *table, const char *name)
{
    const double n = csv_above_0(table, name), mean = csv_sum(table, name) / n;
    double squares = 0;
    for (size_t row = 0; row < table->n_rows; row++)
        if (csv_value(table, row, name) > 0) squares += pow(csv_value(table, row, name) - mean, 2);
    return n > 0 ? sqrt(squares / n) : 0;
}

/* ---- content */

Test(profile_files, a_profile_matches_its_schema)
{
    ok(ipu_profile_write(&of, "out", false));
    const json *schema = read_json("data/reference/profile.schema.json"),
               *written = read_json("out/profile.json");
    cr_assert(json_obeys(schema, schema, written, "profile"), "%s", json_why);
    cr_expect_str_eq(json_at(written, "title")->text, "A \"ring\"");
    cr_expect_eq(json_value(written, "time_steps"), ROUNDS);
    cr_expect_str_eq(json_at(written, "machine.name")->text, "test");
    cr_expect_eq(json_value(written, "totals.cycles"), (double)profile.cycles);
    cr_expect_eq(json_value(written, "memory.bytes_fullest"), (double)profile.memory_max);
    const json *add = json_item(json_at(written, "compute_sets"), "name", "add");
    cr_expect_eq(json_value(add, "runs"), ROUNDS);
    cr_expect_str_eq(json_at(add, "busiest_link")->text, "direct, rung 0, IPU 0 to 1");
    cr_expect_eq(json_sum(json_at(written, "compute_sets"), "total_cycles"), (double)profile.cycles);
}

Test(profile_files, overlapped_cycles_are_in_the_file_of_a_machine_without_a_global_sync_alone)
{
    for (int sync = IPU_SYNC_GLOBAL; sync <= IPU_SYNC_NONE; sync++) {
        const bool global = sync == IPU_SYNC_GLOBAL;
        made_with = (ipu_sync)sync;
        make_profile(1);
        profile.overlapped_cycles = profile.steps[1].overlapped_cycles = global ? 0 : 7;
        profile.cycles -= profile.overlapped_cycles;
        ok(ipu_profile_write(&of, "out", false));
        const json *schema = read_json("data/reference/profile.schema.json"),
                   *written = read_json("out/profile.json"), *sets = json_at(written, "compute_sets"),
                   *found = json_find(json_at(written, "totals"), "overlapped_cycles");
        cr_assert(json_obeys(schema, schema, written, "profile"), "%s", json_why);
        cr_assert_eq(found == NULL, global);
        if (global) continue;
        cr_expect_eq(found->number, 7);
        cr_expect_eq(json_sum(sets, "overlapped_cycles"), 7);
        cr_expect_eq(json_sum(sets, "total_cycles") - 7, json_value(written, "totals.cycles"));
    }
}

/* Compares the cycles of tiles in a phase of a compute set, from the table, with the statistics of the profile. */
static void check_phase(const csv *tiles, const json *set, const char *phase)
{
    char column[128], key[64];
    (void)snprintf(column, sizeof column, "%s %s[cycles]", phase, json_at(set, "name")->text);
    (void)snprintf(key, sizeof key, "tile_%s_cycles", phase);
    const json *spread = json_at(set, key);
    const double busy = json_value(spread, "tiles");
    cr_assert_eq(csv_most(tiles, column), json_value(spread, "max"), "%s", column);
    cr_assert_float_eq(csv_sum(tiles, column), busy * json_value(spread, "mean"), 1e-6, "%s", column);
    cr_assert_eq(csv_above_0(tiles, column), busy, "%s", column);
    cr_assert_float_eq(csv_sd(tiles, column), json_value(spread, "sd"), 1e-6, "%s", column);
}

static void check_sum(const csv *tiles, const json *set, const char *what, const char *key)
{
    char column[128];
    (void)snprintf(column, sizeof column, "%s %s[bytes]", what, json_at(set, "name")->text);
    cr_assert_eq(csv_sum(tiles, column), json_value(set, key), "%s", column);
}

Test(profile_files, the_table_of_tiles_sums_to_the_profile)
{
    ok(ipu_profile_write(&of, "out", true));
    const json *written = read_json("out/profile.json");
    const csv tiles = read_csv("out/tiles.csv");
    cr_assert_eq(tiles.n_rows, CHIPS * TILES);
    for (const json *set = json_at(written, "compute_sets")->first; set; set = set->next) {
        check_phase(&tiles, set, "gather");
        check_phase(&tiles, set, "exchange");
        check_phase(&tiles, set, "scatter");
        check_phase(&tiles, set, "compute");
        check_sum(&tiles, set, "received", "bytes_received");
        check_sum(&tiles, set, "sent", "bytes_sent");
    }
    for (const json *kind = json_at(written, "memory.categories")->first; kind; kind = kind->next) {
        char column[128];
        (void)snprintf(column, sizeof column, "%s[bytes]", json_at(kind, "name")->text);
        cr_assert_eq(csv_sum(&tiles, column), json_value(kind, "bytes_all_tiles"), "%s", column);
    }
    cr_assert_eq(csv_most(&tiles, "memory[bytes]"), json_value(written, "memory.bytes_fullest"));
    cr_assert_eq(csv_median(&tiles, "memory[bytes]"), json_value(written, "memory.bytes_median"));
}

Test(profile_files, no_two_tiles_have_the_same_position)
{
    ok(ipu_profile_write(&of, "out", true));
    const csv tiles = read_csv("out/tiles.csv");
    for (size_t a = 0; a < tiles.n_rows; a++) {
        cr_assert_eq(csv_value(&tiles, a, "tile"), (double)a);
        cr_assert_eq(csv_value(&tiles, a, "chip"), (double)(a / TILES));
        for (size_t b = 0; b < a; b++)
            cr_assert(csv_value(&tiles, a, "chip") != csv_value(&tiles, b, "chip") ||
                      csv_value(&tiles, a, "row") != csv_value(&tiles, b, "row") ||
                      csv_value(&tiles, a, "column") != csv_value(&tiles, b, "column"));
    }
}

/* Sums the rows of a table that match these values. */
static double sum_where(
    const csv *table, const char *column, double tile, const char *set, const char *what, size_t *rows)
{
    double sum = 0;
    *rows = 0;
    for (size_t row = 0; row < table->n_rows; row++) {
        if (csv_value(table, row, "tile") != tile) continue;
        if (strcmp(table->field[row * table->n_columns + column_of(table, column)], set) != 0) continue;
        sum += csv_value(table, row, what);
        ++*rows;
    }
    return sum;
}

/* Each word and each vertex is compared. */
Test(profile_files, the_details_of_a_tile_sum_to_its_row)
{
    char column[128];
    size_t rows;
    ok(ipu_profile_write(&of, "out", true));
    const csv tiles = read_csv("out/tiles.csv"), received = read_csv("out/received.csv"),
              vertices = read_csv("out/vertices.csv");
    cr_assert_gt(received.n_rows, 0);
    for (size_t s = 0; s < profile.n_steps; s++) {
        const char *set = profile.steps[s].name;
        for (size_t t = 0; t < tiles.n_rows; t++) {
            const double bytes =
                sum_where(&received, "compute set", (double)t, set, "received[bytes]", &rows);
            (void)snprintf(column, sizeof column, "received %s[bytes]", set);
            cr_assert_eq(bytes, csv_value(&tiles, t, column), "tile %zu, %s", t, column);
            (void)snprintf(column, sizeof column, "senders %s[tiles]", set);
            cr_assert_eq((double)rows, csv_value(&tiles, t, column), "tile %zu, %s", t, column);
            (void)snprintf(column, sizeof column, "vertices %s[vertices]", set);
            cr_assert_eq(sum_where(&vertices, "compute set", (double)t, set, "vertices", &rows),
                csv_value(&tiles, t, column), "tile %zu, %s", t, column);
        }
    }
    for (size_t row = 0; row < received.n_rows; row++)
        cr_assert_neq(csv_value(&received, row, "tile"), csv_value(&received, row, "from"));
}

Test(profile_files, a_time_step_lists_its_compute_sets_in_order)
{
    ok(ipu_profile_write(&of, "out", false));
    const json *step = json_at(read_json("out/profile.json"), "time_step");
    cr_assert_eq(json_length(step), 2);
    cr_expect_str_eq(json_at(step->first, "compute_set")->text, "add");
    cr_expect_str_eq(json_at(step->first->next, "compute_set")->text, "back");
    cr_expect_eq(json_value(step->first, "times"), ROUNDS);
}

/* The tiles that are busy for the longest time, and the fullest tile. */
Test(profile_files, for_a_large_machine_only_the_worst_tiles_have_details)
{
    make_profile_of(2, 800);
    const ipu_details *details = profile.details;
    bool fullest = false;
    cr_assert_leq(details->n, IPU_DETAILED_WORST + 1);
    cr_assert_geq(details->n, IPU_DETAILED_WORST);
    for (size_t k = 0; k < details->n; k++) {
        cr_assert(k == 0 || details->tile[k] > details->tile[k - 1]);
        cr_assert_neq(details->tile[k], 2 * 800 - 1, "the tile is idle");
        fullest |= details->tile[k] == profile.fullest_tile;
    }
    cr_assert(fullest);
    for (size_t i = 0; i < details->n_received; i++) {
        size_t k = 0;
        while (k < details->n && details->tile[k] != details->received[i].tile) k++;
        cr_assert_lt(k, details->n);
    }
}

/* No item of the fullest tile extends beyond its end or into two regions, and no other item overlaps data that is always live. */
Test(profile_files, the_memory_map_has_no_overlaps_of_live_items)
{
    ok(ipu_profile_write(&of, "out", true));
    const json *memory = json_at(read_json("out/profile.json"), "memory");
    const csv map = read_csv("out/memory.csv");
    double end = 0, always = 0;
    size_t passing = 0;
    for (size_t a = 0; a < map.n_rows; a++) {
        const double from = csv_value(&map, a, "offset[bytes]"), bytes = csv_value(&map, a, "bytes[bytes]");
        if (csv_value(&map, a, "tile") != json_value(memory, "fullest_tile")) continue;
        cr_assert(from + bytes <= 638976 && (from < 212992) == (csv_value(&map, a, "region") == 0));
        if (isnan(csv_value(&map, a, "live from"))) cr_assert_geq(from, end);
        if (isnan(csv_value(&map, a, "live from"))) end = from + bytes, always += bytes;
        cr_assert(!(csv_value(&map, a, "live from") > csv_value(&map, a, "live to")), "row %zu", a);
        passing += csv_value(&map, a, "live from") < csv_value(&map, a, "live to");
    }
    cr_assert_eq(always, json_value(memory, "always_live_fullest"));
    cr_assert_eq(passing, 1, "w alone is live from one moment to another");
    cr_assert_eq(end, 638976, "reserved memory is the last item");
}

Test(profile_files, the_table_of_links_sums_to_the_profile)
{
    ok(ipu_profile_write(&of, "out", true));
    const json *written = read_json("out/profile.json"), *rows = json_at(written, "links"),
               *add = json_item(json_at(written, "compute_sets"), "name", "add");
    const csv links = read_csv("out/links.csv");
    cr_assert_eq(links.n_rows, json_length(rows));
    cr_assert_eq(links.n_rows, 4, "two links each way, in one compute set");
    cr_assert_str_eq(links.field[1], "\"direct, rung 0, IPU 0 to 1\"");
    cr_assert_eq(csv_sum(&links, "load[bytes]"), json_sum(rows, "bytes"));
    cr_assert_eq(csv_most(&links, "busy[cycles]"),
        json_value(add, "external_exchange_cycles") - json_value(add, "external_fixed_cycles"));
}

static void add_note(mt_json *more, const void *context) { mt_json_text(more, "note", context); }

Test(profile_files, additions_of_the_caller_follow_the_totals)
{
    of.add = add_note;
    of.context = "of mine";
    ok(ipu_profile_write(&of, "out", false));
    const json *totals = json_at(read_json("out/profile.json"), "totals");
    cr_assert_str_eq(totals->next->key, "note");
    cr_assert_str_eq(totals->next->text, "of mine");
    cr_assert_str_eq(totals->next->next->key, "compute_sets");
}

/* ---- which files are written */

Test(profile_files, outdated_profile_files_that_are_not_requested_are_deleted)
{
    write_text("out/mine.csv", "mine");
    ok(ipu_profile_write(&of, "out", true));
    cr_assert(there("out/profile.json") && there("out/tiles.csv") && there("out/memory.csv") &&
              there("out/vertices.csv") && there("out/received.csv") && there("out/links.csv"));
    write_text("out/trace.json", "{}");
    ok(ipu_profile_write(&of, "out", false));
    cr_assert_eq(entries("out"), 2);
    make_profile(1);
    ok(ipu_profile_write(&of, "out", true));
    cr_assert_eq(entries("out"), 6, "one chip has no links");
    ok(ipu_profile_remove("out"));
    cr_assert_eq(entries("out"), 1);
    cr_assert(there("out/mine.csv"));
}

Test(profile_files, files_of_other_kinds_are_kept)
{
    write_text("out/tiles.csv", "mine");
    cr_assert(!ipu_profile_is_in("out") && !ipu_profile_is_in("nowhere"));
    write_text("out/profile.json", "{\"format\": \"of another program\"}");
    cr_assert(!ipu_profile_is_in("out"));
    ok(ipu_profile_remove("out"));
    cr_assert_eq(entries("out"), 2);
    ok(ipu_profile_write(&of, "out", false));
    cr_assert(ipu_profile_is_in("out"));
    cr_assert(there("out/tiles.csv"), "there was no profile before");
}

Test(profile_files, profile_files_are_written_all_or_none)
{
    ok(ipu_profile_write(&of, "out", true));
    make_profile(1);
    ok(mt_file_set_begin());
    ok(ipu_profile_write(&of, "out", false));
    cr_assert_eq(mt_file_set_end(MT_INPUT), MT_INPUT);
    cr_assert_eq(entries("out"), 6);
    cr_assert_eq(json_value(read_json("out/profile.json"), "machine.ipus"), CHIPS);
    ok(mt_file_set_begin());
    ok(ipu_profile_write(&of, "out", false));
    cr_assert_eq(json_value(read_json("out/profile.json"), "machine.ipus"), CHIPS);
    ok(mt_file_set_end(MT_OK));
    cr_assert_eq(entries("out"), 1);
    cr_assert_eq(json_value(read_json("out/profile.json"), "machine.ipus"), 1);
}

/* ---- refused input */

Test(profile_files, invalid_utf8_is_rejected_before_any_file_is_written)
{
    ok(ipu_profile_write(&of, "out", true));
    of.title = "a\xff";
    cr_assert_eq(ipu_profile_write(&of, "out", false), MT_INPUT);
    assert_message("the title of a profile is not valid UTF-8");
    of.title = "a";
    target.name = "a\xff";
    cr_assert_eq(ipu_profile_write(&of, "out", false), MT_INPUT);
    assert_message("the machine's name of a profile is not valid UTF-8");
    cr_assert_eq(entries("out"), 6);
}

Test(profile_files, unwritable_profiles_are_reported_before_the_run)
{
    ok(ipu_profile_check("out", true));
    cr_assert_eq(mkdir("out/tiles.csv", 0777), 0);
    ok(ipu_profile_check("out", false));
    cr_assert_eq(ipu_profile_check("out", true), MT_FILE);
    assert_message("out/tiles.csv: is a folder");
    cr_assert_eq(ipu_profile_check("nowhere", false), MT_FILE);
    cr_assert_eq(entries("out"), 1);
}
