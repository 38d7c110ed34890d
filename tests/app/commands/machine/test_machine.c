#include <criterion/criterion.h>

#include <glob.h>

#include "tests/app/program.h"

#include "ipu/machine/machines.h"

TestSuite(machine, .init = enter_room, .fini = leave_room);

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

/* Finds the names of all machine files; the caller frees them by globfree. */
static glob_t machines(void)
{
    glob_t found;
    cr_assert_eq(glob("data/machines/*.yaml", 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        char *name = found.gl_pathv[k];
        memmove(name, basename(name), strlen(basename(name)) + 1);
        *strstr(name, ".yaml") = 0;
    }
    return found;
}

/* Returns the rows of the first table; the text before "rows" contains the path. */
static char *rows_of(char *json)
{
    char *rows = strstr(json, "\"rows\": ");
    cr_assert(rows && is_json(json), "%s", json);
    return rows;
}

Test(machine, list_names_every_machine_as_the_option_target_accepts_it)
{
    glob_t all = machines();
    char *json = works("machine list --format json");
    mt_arena arena = {0};
    const char *path;
    cr_assert(is_json(json), "%s", json);
    cr_expect_eq(count(json, "{\"name\": \""), all.gl_pathc, "a row for each: %s", json);
    for (size_t k = 0; k < all.gl_pathc; k++) {
        cr_expect_gt(json_number(json, all.gl_pathv[k], "tiles"), 0);
        cr_expect_eq(ipu_machine_path(&arena, "data/machines", all.gl_pathv[k], &path), MT_OK);
    }
    cr_expect_eq(json_number(json, "gc2", "memory_per_tile_kib"), 256);
    cr_expect_eq(json_number(json, "gc2", "memory_per_chip_mib"), 304);
    cr_expect_eq(json_number(json, "gc200", "clock_ghz"), 1.325);
    cr_expect_eq(json_number(json, "gc200", "exchange_per_tile_bytes_per_cycle"), 4);
    mt_arena_free(&arena);
    globfree(&all);
    free(json);
}

Test(machine, every_machine_value_states_its_unit_and_provenance)
{
    glob_t all = machines();
    for (size_t k = 0; k < all.gl_pathc; k++) {
        char *json = works("machine show %s --format json", all.gl_pathv[k]), *rows = rows_of(json);
        *strchr(rows, ']') = 0;
        cr_expect_geq(count(rows, "\"key\": "), 14, "%s", rows);
        cr_expect_eq(count(rows, "\"known\": null"), 0, "%s: %s", all.gl_pathv[k], rows);
        cr_expect_eq(count(rows, "\"source\": null"), 0, "%s: %s", all.gl_pathv[k], rows);
        cr_expect_eq(count(rows, "\"source\": \"\""), 0, "%s: %s", all.gl_pathv[k], rows);
        /* without a unit: tiles, worker_contexts, kind, copies, sync, overlap, shape and issue; of a crossbar with links also rows,
         * columns, paired, efficiency and buffers, of a mesh first and multicast; of memory outside of the chip duplex and overlap */
        const bool crossbar = strstr(rows, "\"value\": \"crossbar\"") != NULL,
                   outside = strstr(rows, "\"key\": \"dram.duplex\"") != NULL;
        cr_expect_eq(count(rows, "\"unit\": \"\""), (crossbar ? 13 : 10) + (outside ? 2 : 0), "%s", rows);
        free(json);
    }
    globfree(&all);
}

Test(machine, show_prints_value_unit_provenance_and_source)
{
    char *csv = works("machine show gc200 --format csv");
    cr_expect(strncmp(csv, "# machine: GC200: ", 18) == 0, "%s", csv);
    cr_expect(strstr(csv, "\nkey,value,unit,known,source\ntiles,1472,,specified,data sheet;"), "%s", csv);
    cr_expect(strstr(csv, "\nclock_hz,1325000000,Hz,specified,1.325 to 1.33 GHz\n"), "%s", csv);
    cr_expect(strstr(csv, "\nexchange.sync_cycles,126,tile cycles,assumed,as C600"), "%s", csv);
    cr_expect(
        strstr(csv,
            "\ninstructions.f32_div,3,worker cycles,derived,\"poplibs estimators, 6 for a pair divided "
            "by one number, including load and store; depends on the operands (1 for special ones)\"\n"),
        "%s", csv);
    cr_expect(strstr(csv, "\nlinks.sync_ns_per_hop,15,ns,"), "%s", csv);
    cr_expect(
        strstr(csv, "\nlinks.direct,4,lanes,") && strstr(csv, "\nlinks.packet_bytes,1024,bytes,"), "%s", csv);
    cr_expect(strstr(csv, "\nhost.write_bytes_per_second,31500000000,bytes/s,"), "%s", csv);
    cr_expect(strstr(csv, "\nlinks.lane_bits_per_second,137438953472,bits/s,"), "%s", csv);
    cr_expect(strstr(csv, "\nmemory.send_words,4148,words,"), "%s", csv);
    cr_expect(strstr(csv, "\nexchange.bytes_per_cycle,4,bytes/cycle,"), "%s", csv);
    free(csv);
}

Test(machine, derived_values_are_computed)
{
    char *json = works("machine show gc200 --format json");
    const double cycles = 1472 * 1.325e9, rounding = 1e-14;
    cr_expect_eq(json_number(json, "memory", "value"), 897);
    cr_expect_float_eq(json_number(json, "exchange_bandwidth", "value"), cycles * 4e-12, 8 * rounding);
    cr_expect_float_eq(json_number(json, "copy_bandwidth", "value"), cycles * 8e-12, 16 * rounding);
    cr_expect_float_eq(json_number(json, "exchange_latency", "value"), (126 + 171) / 1.325, 300 * rounding);
    cr_expect_float_eq(json_number(json, "instruction_time", "value"), 6 / 1.325, 5 * rounding);
    free(json);
}

Test(machine, a_user_supplied_machine_file_is_shown_the_same_way)
{
    write_machine("my.yaml", 1472);
    char *own = works("machine show my.yaml --format json"),
         *known = works("machine show gc200 --format json");
    cr_expect(strstr(own, "GC200: my.yaml"), "%s", own);
    cr_expect_str_eq(rows_of(own), rows_of(known));
    free(own), free(known);
    write_machine("my.yaml", 5);
    own = works("machine show my.yaml --format json");
    cr_expect_eq(json_number(own, "tiles", "value"), 5);
    cr_expect_eq(json_number(own, "memory", "value"), 5 * 624. / 1024);
    free(own);
}

Test(machine, overridden_values_are_shown_with_the_option_that_set_them)
{
    char *csv = works("machine show gc200 --format csv --machine-set exchange.sync_cycles=200 --machine-set "
                      "links.shape=torus");
    cr_expect(strncmp(csv, "# machine: GC200 with exchange.sync_cycles=200, links.shape=torus: ", 67) == 0,
        "%s", csv);
    cr_expect(
        strstr(csv, "\nexchange.sync_cycles,200,tile cycles,set,'--machine-set exchange.sync_cycles=200\n"),
        "%s", csv);
    cr_expect(strstr(csv, "\ntiles,1472,,specified,data sheet;"), "%s", csv);
    free(csv);
    refuses(2, "--machine-set tiles=0: 0; allowed: at least 1", "machine show gc200 --machine-set tiles=0");
}

Test(machine, listed_links_are_shown_one_per_row)
{
    write_ring_machine("ring.yaml", 8);
    char *csv = works("machine show ring.yaml --format csv");
    cr_expect(strstr(csv, "\nlinks.shape,list,,assumed,a ring\n"
                          "\"links.list.0, IPU 0 to 1\",4,lanes,derived,\"of cables, two and two\"\n"
                          "\"links.list.1, IPU 1 to 0\",4,lanes,,\n"
                          "\"links.list.2, IPU 1 to 2\",3,lanes,measured,here\n"
                          "\"links.list.3, IPU 2 to 1\",3,lanes,,\n"
                          "\"links.list.4, IPU 2 to 0\",2,lanes,assumed,last\n"
                          "\"links.list.5, IPU 0 to 2\",2,lanes,,\n"
                          "links.chips,0,,,\n"
                          "links.lane_bits_per_second,"),
        "%s", csv);
    char *routed = works(
        "machine show ring.yaml --format csv --machine-set links.routes=[{\"from\":0,\"to\":1,\"via\":[2]}]");
    cr_expect(strstr(routed, "\n\"links.routes.0, IPU 0 to 1\",2,via,"), "%s", routed);
    free(routed);
    char *ladder = works("machine show gc200 --format csv");
    cr_expect(!strstr(ladder, "links.list"), "%s", ladder);
    free(csv), free(ladder);
}

Test(machine, a_network_between_tiles_is_shown_by_its_own_keys)
{
    char *csv = works("machine show gc200 --format csv --machine-set tiles=2 --machine-set exchange.rows=0 "
                      "--machine-set exchange.columns=0 --machine-set exchange.row_cycles=0 --machine-set "
                      "fabric={\"kind\":\"list\",\"hop_cycles\":3,\"list\":[{\"from\":0,\"to\":1,\"words_per_"
                      "cycle\":2}]}");
    cr_expect(strstr(csv, "\nfabric.kind,list,,set,"), "%s", csv);
    cr_expect(strstr(csv, "\nfabric.hop_cycles,3,tile cycles,set,"), "%s", csv);
    cr_expect(strstr(csv, "\n\"fabric.list.0, tile 0 to 1\",2,words/cycle,set,"), "%s", csv);
    cr_expect(!strstr(csv, "\nfabric.width") && !strstr(csv, "\nexchange.rows"), "%s", csv);
    free(csv);
}

/* One line per value, without sources. */
Test(machine, a_machine_file_without_sources_is_shown_without_them)
{
    write_text("my.yaml",
        "{name: \"A \\\"machine\\\"\", tiles: 4, bytes_per_tile: 1024, worker_contexts: 2, clock_hz: 1e9,\n"
        "memory: {region0_bytes: 512, element_bytes: 256, reserved_bytes: 0, exchange_code_bytes: 4, "
        "send_words: 1, copy_range_bytes: 8},\n"
        "fabric: {kind: crossbar}, exchange: {bytes_per_cycle: 4, local_copy_bytes_per_cycle: 8, "
        "copy_call_cycles: 5, "
        "copy_range_cycles: 6, copy_row_cycles: 3, sync_cycles: 1, fixed_cycles: 2,\n"
        "fragment_cycles: 3, row_cycles: 0, rows: 1}, links: {direct: 1, cross: 1, rail: 1, "
        "lane_bits_per_second: 1e6, efficiency: 1,\n"
        "packet_bytes: 1, packet_header_bytes: 0, sync_ns_per_hop: 0, setup_ns: 0, through_ns: 0},\n"
        "host: {write_bytes_per_second: 1e6, read_bytes_per_second: 1e6, write_packet_bytes: 1, "
        "read_packet_bytes: 1, packet_header_bytes: 0, sync_cycles: 0}, vertex: {launch_cycles: 5, "
        "entry_cycles: 4}, "
        "instructions: {issue: single, memory: 0, float: 1, integer: 0, f32_lanes: 1, f16_lanes: 4, f32_div: "
        "1, "
        "f32_exp: 1.5, f32_log: 1,\n"
        "f32_sqrt: 1}}\n");
    char *json = works("machine show my.yaml --format json"), *rows = rows_of(json);
    cr_expect(strstr(json, "\"title\": \"A \\\"machine\\\": my.yaml\""), "%s", json);
    cr_expect_eq(json_number(json, "instructions.f32_exp", "value"), 1.5);
    cr_expect_eq(count(rows, "\"known\": null"), 57, "%s", rows);
    cr_expect_eq(count(rows, "\"source\": null"), 57, "%s", rows);
    free(json);
}

Test(machine, invalid_machine_files_are_rejected)
{
    refuses(2,
        "machine 'gc9000'; allowed: bow, c600, epiphany64, gc2, gc200, wse1, wse2, or the path of a .yaml "
        "file",
        "machine show gc9000");
    refuses(3, "none.yaml: cannot be read", "machine show none.yaml");
    refuses(3, "./data/machines: is a folder; allowed: a regular file", "machine show ./data/machines");
    refuses(2, "--format xml; allowed: text, json, csv", "machine list --format xml");
    refuses(2, "--format xml; allowed: text, json, csv", "machine show gc200 --format xml");
    write_machine("my.yaml", 0);
    refuses(2, "tiles: 0; allowed: at least 1", "machine show my.yaml");
    write_text("my.yaml", "");
    refuses(2, "my.yaml:1: name: missing", "machine show my.yaml");
}

Test(machine, error_messages_do_not_disclose_the_contents_of_other_files)
{
    write_text("foreign", "user:x:0:0:somebody:/home/somebody:/bin/sh\nother:password\n");
    refuses(2, "foreign:1: user:x:0:0:somebody:/home/somebody:/bin/...; allowed: lines of key: value",
        "machine show ./foreign");
    reply r = myotile("partition mesh.hdf --target ./foreign");
    cr_expect(r.code != 0 && !strstr(r.said, "password"), "%s", r.said);
    forget(&r);
}

Test(machine, options_of_the_removed_picture_are_ignored_with_a_warning)
{
    char *table, *said = warnings(&table, "machine show gc200 --picture show.png --ipus 4 --force");
    cr_expect(strstr(said, "--picture is obsolete and ignored; `myotile machine allreduce` lists the links"),
        "%s", said);
    cr_expect(!there("show.png"));
    free(said), free(table);
}
