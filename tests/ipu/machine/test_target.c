#include <criterion/criterion.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipu/machine/target.h"
#include "tests/sets.h"

static const char gc200[] = "data/machines/gc200.yaml";

Test(target, the_gc200_matches_its_sources)
{
    mt_arena arena = {0};
    ipu_target t;
    cr_assert_eq(ipu_target_load(&arena, gc200, NULL, 0, &t), MT_OK, "%s", mt_message());
    cr_expect_str_eq(t.name, "GC200");
    cr_expect_eq(t.tiles, 1472);
    cr_expect_eq(t.bytes_per_tile, 624 * 1024);
    cr_expect_eq(t.worker_contexts, 6);
    cr_expect_eq(t.clock_hz, 1.325e9);
    cr_expect_eq(t.exchange_bytes_per_cycle, 4);
    cr_expect_eq(t.local_copy_bytes_per_cycle, 8);
    cr_expect_eq(t.sync_cycles, 126);
    cr_expect_eq(t.exchange_fixed_cycles, 170 - 1);
    cr_expect_eq(t.exchange_fragment_cycles, 1);
    cr_expect_eq(t.exchange_row_cycles, 2);
    cr_expect_eq(t.exchange_way_cycles, 18);
    cr_expect_eq(t.exchange_rows, 23);
    cr_expect_eq(t.exchange_columns, 16);
    cr_expect_not(t.exchange_paired);
    cr_expect_eq(t.links.shape, IPU_LADDER);
    cr_expect_eq(t.links.direct, 4);
    cr_expect_eq(t.links.cross, 2);
    cr_expect_eq(t.links.rail, 2);
    cr_expect_eq(t.links.lane_bits_per_second, 128 * ldexp(1, 30));
    cr_expect_eq(t.links.efficiency, 0.85);
    cr_expect_eq(t.links.packet_bytes, 1024);
    cr_expect_eq(t.links.packet_header_bytes, 0);
    cr_expect_eq(t.links.sync_ns_per_hop, 15);
    cr_expect_float_eq(t.host.write_bytes_per_second, 16 * 16e9 * 128 / 130 / 8, 1e7, "in three digits");
    cr_expect_eq(t.host.read_bytes_per_second, t.host.write_bytes_per_second);
    cr_expect_eq(t.host.write_packet_bytes, 1024);
    cr_expect_eq(t.host.read_packet_bytes, 256);
    cr_expect_eq(t.host.packet_header_bytes, 24);
    cr_expect_eq(t.host.sync_cycles, 600);
    cr_expect_eq(t.memory.region0_bytes, 208 * 1024);
    cr_expect_eq(t.memory.element_bytes, 16 * 1024);
    cr_expect_eq(t.memory.reserved_bytes, 0x450);
    cr_expect_eq(t.memory.exchange_code_bytes, 10);
    cr_expect_eq(t.memory.send_words, 4148);
    cr_expect_eq(t.vertex_entry_cycles, 11);
    cr_expect_eq(t.instructions.issue, IPU_PAIRED);
    cr_expect(t.instructions.memory == 1 && t.instructions.floats == 1 && t.instructions.integer == 1);
    cr_expect(t.instructions.f32_lanes == 1 && t.instructions.f16_lanes == 1);
    cr_expect_eq(t.instructions.f32_div, 3);
    cr_expect_eq(t.instructions.f32_exp, 3);
    cr_expect_eq(t.instructions.f32_log, 6);
    cr_expect_eq(t.instructions.f32_sqrt, 5);
    mt_arena_free(&arena);
}

Test(target, the_other_machines_match_their_sources)
{
    static const struct {
        const char *path, *name;
        size_t tiles, bytes_per_tile, region0_bytes, rows;
        double clock_hz;
    } machines[] = {{"data/machines/gc2.yaml", "GC2", 1216, 256 * 1024, 128 * 1024, 19, 1.6e9},
        {"data/machines/bow.yaml", "Bow", 1472, 624 * 1024, 208 * 1024, 23, 1.85e9},
        {"data/machines/c600.yaml", "C600", 1472, 624 * 1024, 208 * 1024, 23, 1.486e9}};
    mt_arena arena = {0};
    ipu_target t;
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(ipu_target_load(&arena, machines[k].path, NULL, 0, &t), MT_OK, "%s", mt_message());
        cr_expect_str_eq(t.name, machines[k].name);
        cr_expect_eq(t.tiles, machines[k].tiles);
        cr_expect_eq(t.bytes_per_tile, machines[k].bytes_per_tile);
        cr_expect_eq(t.memory.region0_bytes, machines[k].region0_bytes);
        cr_expect_eq(t.exchange_rows, machines[k].rows);
        cr_expect_eq(t.exchange_columns, 16);
        cr_expect_eq(t.clock_hz, machines[k].clock_hz);
    }
    mt_arena_free(&arena);
}

Test(target, every_machine_loads)
{
    mt_arena arena = {0};
    glob_t found;
    ipu_target t;
    cr_assert_eq(glob("data/machines/*.yaml", 0, NULL, &found), 0);
    cr_assert_geq(found.gl_pathc, 4);
    for (size_t k = 0; k < found.gl_pathc; k++)
        cr_expect_eq(ipu_target_load(&arena, found.gl_pathv[k], NULL, 0, &t), MT_OK, "%s", mt_message());
    globfree(&found);
    mt_arena_free(&arena);
}

Test(target, overrides_change_the_machine)
{
    static const char *const sets[] = {"tiles=1471", "exchange.sync_cycles=0", "instructions.f32_div=3.6"};
    mt_arena arena = {0};
    ipu_target t;
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(sets, 3), 3, &t), MT_OK, "%s", mt_message());
    cr_expect_eq(t.tiles, 1471);
    cr_expect_eq(t.sync_cycles, 0);
    cr_expect_eq(t.instructions.f32_div, 3.6);
    mt_arena_free(&arena);
}

/* Returns the text of a machine file without the line of a key of `instructions`; valid until the next call. */
static char *without_line(const char *key)
{
    static char text[65536];
    char line[64];
    FILE *file = fopen(gc200, "r");
    cr_assert_not_null(file);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[n] = 0;
    (void)snprintf(line, sizeof line, "\n  %s: ", key);
    char *at = strstr(text, line);
    cr_assert(at, "%s", key);
    const char *next = strchr(at + 1, '\n');
    memmove(at, next, strlen(next) + 1);
    return text;
}

Test(target, a_machine_without_costs_of_instructions_is_refused_by_their_keys)
{
    static const char *const keys[] = {"issue", "memory", "float", "integer", "f32_lanes", "f16_lanes"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        mt_arena arena = {0};
        ipu_target t;
        char path[] = "/tmp/test_target.XXXXXX", message[64];
        const int descriptor = mkstemp(path);
        cr_assert(descriptor >= 0);
        FILE *file = fdopen(descriptor, "w");
        cr_assert_not_null(file);
        (void)fputs(without_line(keys[k]), file);
        (void)fclose(file);
        (void)snprintf(message, sizeof message, ": instructions.%s: missing", keys[k]);
        cr_expect_eq(ipu_target_load(&arena, path, NULL, 0, &t), MT_INPUT);
        cr_expect(strstr(mt_message(), message), "%s", mt_message());
        (void)remove(path);
        mt_arena_free(&arena);
    }
}

Test(target, single_instructions_can_be_free_and_have_bands)
{
    static const char *const sets[] = {"instructions.issue=single", "instructions.memory=0",
        "instructions.float=1.5", "instructions.integer=0.25", "instructions.f32_lanes=4"};
    static const char *const bands =
        "bands=[{key: instructions.memory, fast: 0, slow: 2}, {key: instructions.float, fast: 1, slow: 3},"
        " {key: instructions.integer, fast: 0, slow: 4}]";
    mt_arena arena = {0};
    ipu_target t;
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(sets, 5), 5, &t), MT_OK, "%s", mt_message());
    cr_expect_eq(t.instructions.issue, IPU_SINGLE);
    cr_expect(t.instructions.memory == 0 && t.instructions.floats == 1.5 && t.instructions.integer == 0.25);
    cr_expect_eq(t.instructions.f32_lanes, 4);
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(&bands, 1), 1, &t), MT_OK, "%s", mt_message());
    const ipu_instruction_costs slow = ipu_target_at(&t, IPU_SLOW).instructions;
    cr_expect(slow.memory == 2 && slow.floats == 3 && slow.integer == 4);
    mt_arena_free(&arena);
}

static const ipu_band *band_of(const ipu_target *t, const char *key)
{
    for (size_t k = 0; k < t->n_bands; k++)
        if (strcmp(t->bands[k].key, key) == 0) return &t->bands[k];
    return NULL;
}

/* A machine at an end of its bands differs only in its costs. A value that was set by the user has no band. */
Test(target, constants_have_uncertainty_ranges)
{
    mt_arena arena = {0};
    ipu_target t;
    const mt_yaml_override set = {"--machine-set", "exchange.sync_cycles=1000"};
    cr_assert_eq(ipu_target_load(&arena, gc200, NULL, 0, &t), MT_OK, "%s", mt_message());
    const ipu_band *sync = band_of(&t, "exchange.sync_cycles"), *div = band_of(&t, "instructions.f32_div");
    cr_assert(sync && div);
    const ipu_target fast = ipu_target_at(&t, IPU_FAST), slow = ipu_target_at(&t, IPU_SLOW);
    cr_expect_eq((double)fast.sync_cycles, sync->fast);
    cr_expect_eq((double)slow.sync_cycles, sync->slow);
    cr_expect_eq(fast.instructions.f32_div, div->fast);
    cr_expect_eq(slow.instructions.f32_div, div->slow);
    cr_expect(fast.tiles == t.tiles && fast.clock_hz == t.clock_hz && slow.exchange_rows == t.exchange_rows);
    cr_assert_eq(ipu_target_load(&arena, gc200, &set, 1, &t), MT_OK, "%s", mt_message());
    cr_expect_null(band_of(&t, "exchange.sync_cycles"));
    cr_expect_eq(ipu_target_at(&t, IPU_SLOW).sync_cycles, 1000);
    const mt_yaml_override all = {"--machine-set",
        "links={setup_ns: 0, through_ns: 0, direct: 4, cross: 2, rail: 2, lane_bits_per_second: 1e11, "
        "efficiency: 1, packet_bytes: 1024, packet_header_bytes: 0, sync_ns_per_hop: 15}"};
    cr_assert_eq(ipu_target_load(&arena, gc200, &all, 1, &t), MT_OK, "%s", mt_message());
    cr_expect_null(band_of(&t, "links.setup_ns"));
    mt_arena_free(&arena);
}

Test(target, an_uncertainty_range_must_contain_an_existing_cost)
{
    static const struct {
        const char *set, *message;
    } wrong[] = {{"bands=[{key: exchange.speed, fast: 1, slow: 2}]",
                     "bands: key: exchange.speed; allowed, once each: "},
        {"bands=[{key: tiles, fast: 2000, slow: 100}]", "bands: key: tiles; allowed, once each: "},
        {"bands=[{key: links.list.from, fast: 1, slow: 2}]",
            "bands: key: links.list.from; allowed, once each: "},
        {"bands=[{key: exchange.sync_cycles, fast: 1, slow: 200}, {key: exchange.sync_cycles, fast: 1, slow: "
         "200}]",
            "bands: key: exchange.sync_cycles; allowed, once each: "},
        {"bands=[{key: exchange.sync_cycles, fast: 1, slow: 2}]",
            ": bands: exchange.sync_cycles: 1 to 2; allowed: a range that contains its value, 126"},
        {"bands=[{key: exchange.local_copy_bytes_per_cycle, fast: 8, slow: 0}]",
            "bands: exchange.local_copy_bytes_per_cycle: 8 to 0; allowed: each a whole number at least 1 and "
            "at most 1048576"},
        {"bands=[{key: exchange.sync_cycles, fast: -5, slow: 1e30}]",
            "bands: exchange.sync_cycles: -5 to 1e+30; allowed: each a whole number"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mt_arena arena = {0};
        ipu_target t;
        const mt_yaml_override set = {"--machine-set", wrong[k].set};
        cr_expect_eq(ipu_target_load(&arena, gc200, &set, 1, &t), MT_INPUT, "%s", wrong[k].set);
        cr_expect(strstr(mt_message(), wrong[k].message), "%s: %s", wrong[k].set, mt_message());
        mt_arena_free(&arena);
    }
}

Test(target, region_0_consists_of_complete_memory_elements_within_the_tile)
{
    static const char *const sets[] = {"memory.region0_bytes=212991", "bytes_per_tile=212991",
        "memory.reserved_bytes=638977", "memory.reserved_bytes=638976", "memory.element_bytes=13",
        "exchange.bytes_per_cycle=3"};
    mt_arena arena = {0};
    ipu_target t;
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&sets[0], 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(mt_message(), "data/machines/gc200.yaml: memory.region0_bytes: 212991; allowed: a "
                                   "multiple of element_bytes = 16384, at most the 638976 of a tile");
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&sets[1], 1), 1, &t), MT_INPUT);
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&sets[2], 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "data/machines/gc200.yaml: memory.reserved_bytes: 638977; allowed: at most the 638976 of a tile");
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&sets[3], 1), 1, &t), MT_OK);
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&sets[4], 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "data/machines/gc200.yaml: memory.element_bytes: 13; allowed: a multiple of 8");
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&sets[5], 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "data/machines/gc200.yaml: exchange.bytes_per_cycle: 3; allowed: 1, 2, 4 or 8");
    mt_arena_free(&arena);
}

/* If no machine is emulated, its name is "". */
Test(target, an_empty_machine_name_is_rejected)
{
    static const char *const set = "name=";
    mt_arena arena = {0};
    ipu_target t;
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&set, 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(mt_message(), "data/machines/gc200.yaml: name: empty; allowed: a name for tables");
    mt_arena_free(&arena);
}

/* A machine of the same name with only the rows known, or with more tiles than its die has places. */
Test(target, every_tile_needs_a_position_on_the_chip)
{
    static const char *const odd = "exchange.columns=15";
    static const char *const more = "tiles=1473";
    static const char *const no_way = "exchange.way_cycles=0";
    static const char *const rows[] = {"tiles=1473", "exchange.columns=0"};
    mt_arena arena = {0};
    ipu_target t;
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&odd, 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "data/machines/gc200.yaml: exchange.columns: 15; allowed: an even number, or 0");
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&no_way, 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "data/machines/gc200.yaml: exchange.way_cycles: 0; allowed with exchange.columns: at least 1");
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(&more, 1), 1, &t), MT_INPUT);
    cr_expect_str_eq(mt_message(), "data/machines/gc200.yaml: tiles: 1473; allowed: at most 4 x "
                                   "exchange.rows x exchange.columns = 1472, or exchange.columns 0");
    cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(rows, 2), 2, &t), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* Each kind of fabric needs its own numbers and has none of another kind; nothing is taken from another machine. */
Test(target, a_fabric_has_exactly_the_numbers_of_its_kind)
{
    static const struct {
        const char *sets[6];
        const char *message; /* after the path; NULL: it is allowed */
    } cases[] = {{{"fabric.kind=mesh"}, "exchange.rows: 23; allowed with fabric.kind mesh: none"},
        {{"fabric.kind=mesh", "exchange.rows=0"},
            "fabric.width: 0; allowed with fabric.kind mesh: at least 1"},
        {{"fabric.kind=mesh", "exchange.rows=0", "fabric.width=32", "fabric.words_per_cycle=1",
             "fabric.hop_cycles=1"},
            "exchange.row_cycles: not its default; allowed with fabric.kind mesh: the default"},
        {{"fabric={kind: mesh, width: 33, words_per_cycle: 1, hop_cycles: 1}", "exchange.rows=0",
             "exchange.row_cycles=0", "exchange.columns=0"},
            "tiles: 1472; allowed: a multiple of fabric.width = 33"},
        {{"fabric={kind: torus, width: 32, words_per_cycle: 1, hop_cycles: 1}", "exchange.rows=0",
             "exchange.row_cycles=0", "exchange.columns=0"},
            NULL},
        {{"fabric={kind: clusters, cluster_tiles: 64, words_per_cycle: 4, hop_cycles: 1}", "exchange.rows=0",
             "exchange.row_cycles=0", "exchange.columns=0"},
            NULL},
        {{"fabric={kind: clusters, cluster_tiles: 64, hop_cycles: 1}", "exchange.rows=0"},
            "fabric.words_per_cycle: 0; allowed with fabric.kind clusters: at least 1"},
        {{"fabric={kind: list, hop_cycles: 1, list: [{from: 0, to: 1472, words_per_cycle: 1}]}",
             "exchange.rows=0", "exchange.row_cycles=0", "exchange.columns=0"},
            "fabric.list: 0: from 0 to 1472; allowed: different tiles below 1472"},
        {{"fabric.width=32"}, "fabric.width: 32; allowed with fabric.kind crossbar: none"},
        {{"fabric.multicast=true"},
            "fabric.multicast: not its default; allowed with fabric.kind crossbar: the default"},
        {{"tiles=850000", "exchange.columns=0"},
            "tiles: 850000; allowed with fabric.kind crossbar: at most 4096, because no larger one is known"},
        {{"links.shape=none"},
            "links: lanes, chips, a list or routes; allowed with links.shape none: nothing"},
        {{"links={shape: ladder, direct: 4, cross: 2, rail: 2}"},
            "links.lane_bits_per_second: missing; allowed without it: links.shape none"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mt_arena arena = {0};
        ipu_target t;
        size_t n = 0;
        char message[256];
        while (n < 6 && cases[k].sets[n]) n++;
        const mt_status status = ipu_target_load(&arena, gc200, sets_of(cases[k].sets, n), n, &t);
        cr_expect_eq(status, cases[k].message ? MT_INPUT : MT_OK, "%s: %s", cases[k].sets[0], mt_message());
        (void)snprintf(message, sizeof message, "data/machines/gc200.yaml: %s", cases[k].message);
        if (cases[k].message) cr_expect_str_eq(mt_message(), message);
        mt_arena_free(&arena);
    }
}

Test(target, memory_outside_of_the_chip_has_all_its_numbers_or_none)
{
    static const struct {
        const char *sets[4];
        const char *message;
    } bad[] = {{{"dram.bytes=1e9"}, "dram.read_bytes_per_second: missing; allowed without it: dram.bytes 0"},
        {{"dram.bytes=1e9", "dram.read_bytes_per_second=1e9", "dram.write_bytes_per_second=1e9"},
            "dram.buffer_bytes: missing or below 64; allowed without it: dram.bytes 0"},
        {{"dram.overlap=true"},
            "dram.overlap without dram.bytes; allowed: dram.bytes of at least 1, or no key of dram"},
        {{"dram.latency_cycles=3"},
            "dram.latency_cycles without dram.bytes; allowed: dram.bytes of at least 1, or no key of dram"}};
    static const char *const good[] = {"dram.bytes=1e9", "dram.read_bytes_per_second=2e9",
        "dram.write_bytes_per_second=1e9", "dram.buffer_bytes=64"};
    mt_arena arena = {0};
    ipu_target t;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        size_t n = 0;
        while (n < 4 && bad[k].sets[n]) n++;
        cr_expect_eq(ipu_target_load(&arena, gc200, sets_of(bad[k].sets, n), n, &t), MT_INPUT);
        cr_expect(strstr(mt_message(), bad[k].message), "%s", mt_message());
    }
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(good, 4), 4, &t), MT_OK, "%s", mt_message());
    cr_expect_eq(t.dram.bytes, 1000000000);
    cr_expect_not(t.dram.duplex);
    cr_expect(ipu_target_has(&t, "dram.latency_cycles"));
    cr_assert_eq(ipu_target_load(&arena, gc200, NULL, 0, &t), MT_OK);
    cr_expect_not(ipu_target_has(&t, "dram.latency_cycles"));
    mt_arena_free(&arena);
}

Test(target, only_crossbars_are_linked)
{
    static const char *const sets[] = {"fabric={kind: mesh, width: 32, words_per_cycle: 1, hop_cycles: 1}",
        "exchange.rows=0", "exchange.row_cycles=0", "exchange.columns=0"};
    mt_arena arena = {0};
    ipu_target t, two;
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(sets, 4), 4, &t), MT_OK, "%s", mt_message());
    size_t row, column;
    ipu_target_place(&t, 70, &row, &column);
    cr_expect(row == 2 && column == 6);
    cr_expect_eq(ipu_target_several(&t, 1, &two), MT_OK);
    cr_expect_eq(ipu_target_several(&t, 2, &two), MT_INPUT);
    cr_expect_str_eq(mt_message(), "GC200: 2 chips with fabric.kind mesh; allowed: one chip, or crossbar");
    mt_arena_free(&arena);
}

/* Pairs fill the 23 rows upwards (tiles 0 to 45), then downwards next to them (46 to 91), then the next column of four. */
Test(target, tile_positions_follow_the_numbering_of_the_chip)
{
    static const size_t places[][3] = {{0, 0, 0}, {1, 0, 2}, {2, 1, 0}, {45, 22, 2}, {46, 22, 1}, {47, 22, 3},
        {48, 21, 1}, {91, 0, 3}, {92, 0, 4}, {94, 1, 4}, {1471, 0, 63}, {1426, 22, 61}};
    bool taken[23][64] = {{false}};
    size_t row, column;
    mt_arena arena = {0};
    ipu_target one, several;
    cr_assert_eq(ipu_target_load(&arena, gc200, NULL, 0, &one), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_target_several(&one, 4, &several), MT_OK, "%s", mt_message());
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        ipu_target_place(&several, 3 * 1472 + places[i][0], &row, &column);
        cr_expect_eq(row, places[i][1], "row of tile %zu", places[i][0]);
        cr_expect_eq(column, places[i][2], "column of tile %zu", places[i][0]);
    }
    ipu_target_place(&one, 46, &row, &column);
    cr_expect_eq(64 * row + column, 1409, "its number on the chip");
    for (size_t t = 0; t < 1472; t++) {
        size_t beside, two_on;
        ipu_target_place(&one, t, &row, &column);
        cr_assert(row < 23 && column < 64 && !taken[row][column], "tile %zu", t);
        taken[row][column] = true;
        ipu_target_place(&one, ipu_target_partner(&one, t), &beside, &two_on);
        cr_assert(beside == row && two_on == (column ^ 2), "tile %zu", t);
    }
    one.tiles = 5;
    cr_expect_eq(ipu_target_partner(&one, 4), 4, "alone");
    mt_arena_free(&arena);
}

Test(target, several_chips_multiply_the_number_of_tiles)
{
    static const char *const set = "links.shape=torus";
    mt_arena arena = {0};
    ipu_target one, several;
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(&set, 1), 1, &one), MT_OK, "%s", mt_message());
    cr_expect_eq(one.links.shape, IPU_TORUS);
    cr_assert_eq(ipu_target_several(&one, 4, &several), MT_OK, "%s", mt_message());
    cr_expect_eq(several.tiles, 4 * 1472);
    cr_expect_eq(several.links.shape, IPU_TORUS);
    for (size_t chip = 0; chip < 4; chip++) {
        cr_expect_eq(ipu_target_chip(&several, 1472 * chip), chip);
        cr_expect_eq(ipu_target_chip(&several, 1472 * chip + 1471), chip);
    }
    several.ipus = 2;
    several.tiles = 5; /* 0 and 1; 2 to 4 */
    cr_expect_eq(ipu_target_chip(&several, 1), 0);
    cr_expect_eq(ipu_target_chip(&several, 2), 1);
    cr_expect_eq(ipu_target_several(&one, 3, &several), MT_INPUT);
    cr_expect_str_eq(mt_message(), "3 IPUs on a torus; allowed: 1, or an even number, with two per rung");
    one.links.packet_bytes = 0;
    cr_expect_eq(ipu_target_several(&one, 4, &several), MT_INPUT);
    cr_expect_str_eq(mt_message(), "GC200: links between chips at 1.37439e+11 bits/s per lane, efficiency "
                                   "0.85, packets of 0 bytes; allowed: above 0");
    cr_expect_eq(ipu_target_several(&one, 1, &several), MT_OK);
    one.links.direct = 0;
    cr_expect_eq(ipu_target_several(&one, 4, &several), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "GC200: links.direct: 0 or missing; allowed with links.shape torus: at least 1");
    mt_arena_free(&arena);
}

#define LISTED(links)                                                                                        \
    "links.shape=list", "links.direct=0", "links.cross=0", "links.rail=0", "links.list=" links
#define THERE_AND_BACK "{from: 0, to: 1, lanes: 4}, {from: 1, to: 0, lanes: 3}"

Test(target, a_list_of_links_connects_the_chips_it_names)
{
    static const char *const sets[] = {
        LISTED("[" THERE_AND_BACK ", {from: 1, to: 2, lanes: 2}, {from: 2, to: 0, lanes: 1}]")};
    mt_arena arena = {0};
    ipu_target one, several;
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(sets, 5), 5, &one), MT_OK, "%s", mt_message());
    cr_assert_eq(one.links.shape, IPU_LINK_LIST);
    cr_assert_eq(one.links.n_list, 4);
    for (size_t l = 0; l < 4; l++) cr_expect_eq(one.links.list[l].lanes, 4 - l);
    cr_expect_eq(one.links.list[2].from, 1);
    cr_expect_eq(one.links.list[2].to, 2);
    for (size_t n = 0; n < 8; n++)
        cr_expect_eq(ipu_target_several(&one, n, &several), n == 1 || n == 3 ? MT_OK : MT_INPUT, "%zu", n);
    cr_expect_str_eq(mt_message(), "7 IPUs on links that connect 3; allowed: 1 or 3");
    cr_assert_eq(ipu_target_several(&one, 3, &several), MT_OK);
    cr_expect_eq(several.tiles, 3 * 1472);
    mt_arena_free(&arena);
}

Test(target, a_list_of_links_can_specify_routes_and_the_number_of_chips)
{
    static const char *const sets[] = {
        LISTED("[" THERE_AND_BACK
               ", {from: 1, to: 2, lanes: 2}, {from: 2, to: 1, lanes: 1}, {from: 0, to: 2, lanes: 1}]"),
        "links.chips=3", "links.routes=[{from: 0, to: 2, via: [1]}, {from: 0, to: 1}]"};
    mt_arena arena = {0};
    ipu_target one, several;
    cr_assert_eq(ipu_target_load(&arena, gc200, sets_of(sets, 7), 7, &one), MT_OK, "%s", mt_message());
    cr_assert_eq(one.links.n_routes, 2);
    cr_expect_eq(one.links.routes[0].to, 2);
    cr_assert_eq(one.links.routes[0].n_via, 1);
    cr_expect_eq(one.links.routes[0].via[0], 1);
    cr_expect_eq(one.links.routes[1].n_via, 0);
    cr_expect_eq(ipu_target_several(&one, 3, &several), MT_OK, "%s", mt_message());
    cr_expect_eq(ipu_target_several(&one, 2, &several), MT_INPUT);
    mt_arena_free(&arena);
}

/* Faults of links, and the message for each. */
Test(target, invalid_links_are_reported_with_key_value_and_allowed_values)
{
    static const struct {
        const char *sets[6], *said;
    } wrong[] = {{{LISTED("[" THERE_AND_BACK "]"), "links.chips=4"},
                     ": links.chips: 4; allowed: 2, since links.list connects IPUs 0 to 1"},
        {{LISTED("[" THERE_AND_BACK "]"), "links.routes=[{from: 0, to: 1, via: [2]}]"},
            ": links.routes.0: IPU 2; allowed: 0 to 1"},
        {{LISTED("[" THERE_AND_BACK "]"), "links.routes=[{from: 0, to: 1, via: [0.5]}]"},
            ": 0.5; allowed: a whole number at least 0 and at most 65534"},
        {{"links.chips=4"}, ": links.chips: 4; allowed with links.shape ladder: 0, or omitted"},
        {{"links.routes=[{from: 0, to: 1}]"},
            ": links.routes: 1 routes; allowed with links.shape ladder: none"},
        {{LISTED("[]")}, ": links.list: no links; allowed with links.shape list: at least 2"},
        {{LISTED("[" THERE_AND_BACK ", {from: 1, to: 1, lanes: 1}]")},
            ": links.list.2.to: 1; allowed: an IPU other than links.list.2.from"},
        {{LISTED("[" THERE_AND_BACK ", {from: 1, to: 2, lanes: 1}]")},
            ": links.list: no link from IPU 2; allowed: routes between all of IPUs 0 to 2"},
        {{LISTED("[{from: 0, to: 1, lanes: 1}, {from: 1, to: 2, lanes: 1}, {from: 2, to: 1, lanes: 1}]")},
            ": links.list: no route from IPU 1 to IPU 0; allowed: routes between all of IPUs 0 to 2"},
        {{LISTED("[" THERE_AND_BACK ", {from: 2, to: 0, lanes: 1}]")},
            ": links.list: no route from IPU 0 to IPU 2; allowed: routes between all of IPUs 0 to 2"},
        {{LISTED("[{from: 0, to: 65535, lanes: 1}]")}, ": 65535; allowed: at least 0 and at most 65534"},
        {{LISTED("[{from: 0, to: 1, lanes: 0}]")}, ": 0; allowed: at least 1"},
        {{LISTED("[{from: 0, to: 1}]")}, "links.list.0.lanes is missing; allowed: a whole number at least 1"},
        {{"links.shape=list", "links.direct=0", "links.cross=0", "links.list=[" THERE_AND_BACK "]"},
            ": links.rail: 2; allowed with links.shape list: 0, or omitted"},
        {{"links.list=[" THERE_AND_BACK "]", "links.shape=torus"},
            ": links.list: 2 links; allowed with links.shape torus: none"},
        {{"links.cross=0"}, ": links.cross: 0 or missing; allowed with links.shape ladder: at least 1"}};
    mt_arena arena = {0};
    ipu_target t;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        size_t n = 0;
        while (n < 6 && wrong[k].sets[n]) n++;
        cr_expect_eq(
            ipu_target_load(&arena, gc200, sets_of(wrong[k].sets, n), n, &t), MT_INPUT, "%s", wrong[k].said);
        cr_expect(strstr(mt_message(), wrong[k].said), "'%s' in '%s'", wrong[k].said, mt_message());
    }
    mt_arena_free(&arena);
}

Test(target, a_damaged_machine_file_is_reported_with_line_and_key)
{
    char path[] = "/tmp/ipu_target_XXXXXX";
    char message[200];
    int handle = mkstemp(path);
    cr_assert(handle >= 0);
    FILE *file = fdopen(handle, "w");
    cr_assert(fputs("name: X\ntiles: 0\n", file) >= 0);
    cr_assert_eq(fclose(file), 0);
    mt_arena arena = {0};
    ipu_target t;
    cr_expect_eq(ipu_target_load(&arena, path, NULL, 0, &t), MT_INPUT);
    (void)snprintf(message, sizeof message, "%s:2: tiles: 0; allowed: at least 1 and at most 1048576", path);
    cr_expect_str_eq(mt_message(), message);
    static const char *const set = "tiles=4";
    cr_expect_eq(ipu_target_load(&arena, path, sets_of(&set, 1), 1, &t), MT_INPUT);
    (void)snprintf(message, sizeof message,
        "%s:1: bytes_per_tile: missing; allowed: a whole number at least 1 and at most 4294967295", path);
    cr_expect_str_eq(mt_message(), message);
    cr_expect_eq(remove(path), 0);
    mt_arena_free(&arena);
}
