/* Files of `run` and `partition` about the emulated machine: profile.json, tables and traces. */
#include <criterion/criterion.h>

#include "ipu/machine/machines.h"
#include "ipu/run/profile_files.h"
#include "data/files/csv.h"
#include "tests/answers.h"
#include "tests/json.h"
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* 3 x 2 x 1 mm at 0.5 mm: 288 elements on machines of 8 tiles; 50 time steps of two diffusion substeps each. */
enum { TILES = 8, STEPS = 50 };

static const char small[] =
    "title: Small \"slab\"\n" SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 1, pde_steps: 2}\n" SMALL_STIMULUS("0.2") "machine: {target: eight.yaml}\n";

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("small.yaml", small);
    write_machine("eight.yaml", TILES);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(run_profile, .init = enter, .fini = leave);

static json *read_json(const char *path)
{
    size_t n;
    char *text = bytes_of(path, &n);
    json *value = json_parse(&arena, text);
    free(text);
    return value;
}

/* ---- profile.json */

static bool is_a_profile(const json *profile)
{
    char path[1100];
    (void)snprintf(path, sizeof path, "%s/data/reference/profile.schema.json", source_root);
    const json *schema = read_json(path);
    return json_obeys(schema, schema, profile, "profile");
}

Test(run_profile, profiles_match_their_schema)
{
    free(works("run small.yaml --output one"));
    free(works("run small.yaml --output four --set machine.ipus=4 --profile four"));
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    free(works("partition slab.hdf --target eight.yaml --ipus 2 --profile cut"));
    cr_assert(is_a_profile(read_json("one/profile.json")), "%s", json_why);
    cr_assert(is_a_profile(read_json("four/profile.json")), "%s", json_why);
    cr_assert(is_a_profile(read_json("cut/profile.json")), "%s", json_why);
    free(works("run small.yaml --output gone --set checkpoint.at_end=true --set time.end_ms=0.4"));
    free(works("run --resume gone --set machine.backend=cpu --set time.end_ms=0.6"));
    free(works("run --resume gone --set machine.backend=ipu --set machine.tiles=5 --set time.end_ms=1"));
    cr_assert(is_a_profile(read_json("gone/profile.json")), "%s", json_why);
    const json *segments = json_at(read_json("gone/profile.json"), "segments");
    cr_assert_not_null(segments);
    cr_expect_eq(json_at(segments->first->next, "first_step")->number, 20);
    cr_expect_eq(json_at(segments->first->next->next, "tiles")->number, 5);
    cr_assert_str_eq(json_at(read_json("one/profile.json"), "title")->text, "Small \"slab\"");
    cr_assert_str_eq(json_at(read_json("cut/profile.json"), "title")->text, "slab.hdf on 2 IPUs");
    cr_assert_null(json_at(read_json("one/profile.json"), "links")->first);
}

/* The totals are those of the compute sets, and the maps those of a run without memory outside of the chip. */
Test(run_profile, streamed_variables_are_in_the_profile_and_change_no_map)
{
    double dram = 0;
    size_t n[2];
    free(works("run small.yaml --output plain"));
    free(works("run small.yaml --output streamed --set machine.stream=all --machine-set dram.bytes=1e9 "
               "--machine-set dram.read_bytes_per_second=2e10 --machine-set dram.write_bytes_per_second=1e10 "
               "--machine-set dram.buffer_bytes=4096 --machine-set dram.overlap=true"));
    json *profile = read_json("streamed/profile.json");
    cr_assert(is_a_profile(profile), "%s", json_why);
    for (const json *s = json_at(profile, "compute_sets")->first; s; s = s->next)
        dram += json_at(s, "runs")->number * json_at(s, "dram_cycles")->number;
    const json *totals = json_at(profile, "totals");
    cr_expect(dram > 0 && dram == json_at(totals, "dram_cycles")->number, "%g", dram);
    cr_expect(json_at(totals, "cycles")->number > dram + json_at(totals, "compute_cycles")->number);
    char *plain = bytes_of("plain/activation.csv", &n[0]),
         *streamed = bytes_of("streamed/activation.csv", &n[1]);
    cr_expect(n[0] == n[1] && memcmp(plain, streamed, n[0]) == 0);
    free(plain), free(streamed);
    refuses(2, "small.yaml: machine.stream: states; allowed with ",
        "run small.yaml --output not --set machine.stream=states");
}

Test(run_profile, a_mesh_that_does_not_fit_has_no_profile)
{
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    refuses(4, "--profile of slab.hdf on 1 IPU: does not fit: tile ",
        "partition slab.hdf --target eight.yaml --machine-set memory.element_bytes=8 --machine-set "
        "memory.region0_bytes=96 --machine-set bytes_per_tile=104 --machine-set memory.reserved_bytes=0 "
        "--profile cut");
}

/* Checks that the schema rejects invalid profiles. */
Test(run_profile, the_schema_rejects_invalid_profiles)
{
    static const struct {
        const char *old, *new, *why;
    } wrong[] = {{"\"version\": 2", "\"version\": 1", "profile.version: const"},
        {"\"clock_hz\": ", "\"clock\": ", "profile.machine: clock_hz"},
        {"\"runs\": 50", "\"runs\": -50", "profile.compute_sets.item.runs: minimum"},
        {"\"instances\": ", "\"instances\": 0.5, \"x\": ", "profile.vertices.item.instances: type"},
        {"\"sd\": ", "\"ad\": 0, \"sd\": ", "tile_gather_cycles.ad: not allowed"}};
    size_t n;
    free(works("run small.yaml --output out"));
    char *text = bytes_of("out/profile.json", &n), *changed = malloc(n + 64);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const char *at = strstr(text, wrong[k].old);
        cr_assert_not_null(at, "%s", wrong[k].old);
        (void)snprintf(
            changed, n + 64, "%.*s%s%s", (int)(at - text), text, wrong[k].new, at + strlen(wrong[k].old));
        cr_assert(!is_a_profile(json_parse(&arena, changed)), "%s", wrong[k].new);
        cr_assert_not_null(strstr(json_why, wrong[k].why), "%s: %s", wrong[k].new, json_why);
    }
    free(text), free(changed);
}

/* Checks that every cycle is counted once, and that the printed table, the compute sets and the vertices agree. */
static void check_sums(const char *machine)
{
    char *text = works("run small.yaml --output out --format json %s", machine);
    ipu_target target;
    ok(ipu_machine_load(&arena, "eight.yaml", NULL, 0, &target));
    const double launch = (double)target.vertex_launch_cycles;
    const json *profile = read_json("out/profile.json"), *totals = json_at(profile, "totals"),
               *sets = json_at(profile, "compute_sets");
    const double host = json_value(totals, "host_cycles"),
                 cycles = json_value(totals, "cycles") - host; /* of time steps */
    const double sync =
                     json_value(totals, "internal_sync_cycles") + json_value(totals, "external_sync_cycles"),
                 exchange = json_value(totals, "exchange_cycles");
    cr_assert_eq(json_value(profile, "time_steps"), STEPS);
    cr_assert_eq(sync + exchange + json_value(totals, "compute_cycles"), cycles);
    cr_assert_eq(json_sum(sets, "total_cycles"), cycles);
    cr_assert_eq(json_number(text, "time_step", "max_cycles"), cycles / STEPS);
    cr_assert_eq(json_number(text, "whole_run", "time_s"), json_value(totals, "seconds"));
    cr_assert_eq(json_number(text, "streams", "cycles"), host);
    cr_assert_eq(json_number(text, "streams", "bytes"), json_value(totals, "host_bytes_read"));
    cr_assert_eq(json_number(text, "exposed_exchange", "max_cycles"), (sync + exchange) / STEPS);
    cr_assert_eq(json_number(text, "sync", "max_cycles"), sync / STEPS);
    for (const json *set = sets->first; set; set = set->next) {
        double of_vertices = 0;
        for (const json *kind = json_at(profile, "vertices")->first; kind; kind = kind->next)
            if (strcmp(json_at(kind, "compute_set")->text, json_at(set, "name")->text) == 0)
                of_vertices += json_value(kind, "cycles");
        /* a mean of integers, rounded once; a tile takes `launch` cycles before and after its vertices */
        cr_assert_float_eq(of_vertices,
            json_value(set, "tile_compute_cycles.tiles") *
                (json_value(set, "tile_compute_cycles.mean") - (of_vertices > 0 ? launch : 0)),
            1e-12 * of_vertices);
    }
    const json *ode = json_item(json_at(profile, "vertices"), "codelet", "ode_spread");
    cr_assert_eq(json_number(text, "ode_compute", "vertices"), json_value(ode, "instances"));
    const json *pde = json_item(sets, "name", "pde a to b");
    cr_assert_float_eq(json_number(text, "pde_exchange", "load_balance_percent"),
        100 * json_value(pde, "tile_exchange_cycles.effectiveness"), 1e-10);
    const json *memory = json_at(profile, "memory");
    cr_assert_eq(
        json_sum(json_at(memory, "categories"), "bytes_fullest") + json_value(memory, "gaps_fullest"),
        json_value(memory, "bytes_fullest"));
    cr_assert_eq(json_number(text, "fullest_tile", "bytes"), json_value(memory, "bytes_fullest"));
    cr_assert_eq(json_number(text, "median_tile", "bytes"), json_value(memory, "bytes_median"));
    static const char *const exchanged[][2] = {{"runs", "runs"}, {"pieces_received", "pieces_received"},
        {"received_bytes", "bytes_received"}, {"sent_bytes", "bytes_sent"}, {"copied_bytes", "bytes_copied"}};
    const char *exchange_rows = strstr(text, "\"exchange\"");
    for (size_t k = 0; k < sizeof exchanged / sizeof *exchanged; k++)
        cr_assert_eq(json_number(exchange_rows, "pde a to b", exchanged[k][0]),
            json_value(pde, exchanged[k][1]), "%s", exchanged[k][0]);
    cr_assert_neq(json_value(pde, "bytes_sent"), json_value(pde, "bytes_received"), "nothing to tell apart");
    free(text);
}

Test(run_profile, sums_of_the_profile_equal_the_printed_table) { check_sums(""); }

Test(run_profile, sums_over_several_chips_equal_the_printed_table) { check_sums("--set machine.ipus=4"); }

/* The table of `partition` agrees with its profile. */
Test(run_profile, the_table_of_a_partition_agrees_with_its_profile)
{
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    char *text = works("partition slab.hdf --target eight.yaml --ipus 4 --profile cut --format json");
    const json *profile = read_json("cut/profile.json"), *memory = json_at(profile, "memory"),
               *pde = json_item(json_at(profile, "compute_sets"), "name", "pde a to b");
    const struct {
        const char *row;
        double value;
    } rows[] = {{"fullest_tile_bytes", json_value(memory, "bytes_fullest")},
        {"median_tile_bytes", json_value(memory, "bytes_median")},
        {"exchange_cycles", json_value(pde, "exchange_cycles")},
        {"between_ipus_cycles", json_value(pde, "external_exchange_cycles")},
        {"exchange_lower_bound_cycles", json_value(pde, "exchange_bound_cycles")},
        {"between_ipus_bytes", json_value(pde, "bytes_crossing")}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        cr_assert_eq(json_property(text, rows[k].row), rows[k].value, "%s", rows[k].row);
    cr_assert_float_eq(json_property(text, "exchange_load_balance_percent"),
        100 * json_value(pde, "tile_exchange_cycles.effectiveness"), 1e-10);
    cr_assert_neq(
        json_value(memory, "bytes_median"), json_value(memory, "bytes_fullest"), "nothing to tell apart");
    free(text);
}

Test(run_profile, listed_links_are_named_by_number_and_end_points)
{
    write_ring_machine("ring.yaml", TILES);
    free(works(
        "run small.yaml --output out --set machine.target=ring.yaml --set machine.ipus=3 --profile out"));
    const json *profile = read_json("out/profile.json");
    const json *rows = json_at(profile, "links");
    static const char *const names[] = {"link 0, IPU 0 to 1", "link 1, IPU 1 to 0", "link 2, IPU 1 to 2",
        "link 3, IPU 2 to 1", "link 4, IPU 2 to 0", "link 5, IPU 0 to 2"};
    cr_assert_eq(json_length(rows), 2 * 6, "in two diffusion steps");
    size_t n, k = 0;
    for (const json *row = rows->first; row; row = row->next)
        cr_assert_str_eq(json_at(row, "name")->text, names[k++ % 6]);
    char *table = bytes_of("out/links.csv", &n);
    cr_assert(strstr(table, ",\"link 5, IPU 0 to 2\",0,2,"), "%s", table);
    free(table);
}

/* ---- files */

Test(run_profile, only_requested_files_are_written)
{
    static const char *const details[] = {
        "tiles.csv", "memory.csv", "vertices.csv", "received.csv", "links.csv"};
    char path[64];
    free(works("run small.yaml --output out --set machine.ipus=2 --profile out --trace 0:1"));
    for (size_t k = 0; k < sizeof details / sizeof *details; k++) {
        (void)snprintf(path, sizeof path, "out/%s", details[k]);
        cr_assert(there(path), "%s", path);
    }
    cr_assert(there("out/trace.json"));
    cr_assert_eq(entries("out"), 12);
    write_text("out/tiles.png", "of an earlier version");
    free(works("run small.yaml --output out --profile ./out/"));
    cr_assert_eq(
        entries("out"), 10, "the picture of an earlier version is removed, and one chip has no links");
    free(works("run small.yaml --output out"));
    cr_assert_eq(entries("out"), 6);
    cr_assert_eq(mkdir("mine", 0777), 0);
    write_text("mine/tiles.csv", "mine");
    write_text("mine/tiles.png", "mine");
    free(works("run small.yaml --force --output mine"));
    cr_assert(there("mine/tiles.csv") && there("mine/tiles.png"), "there was no profile before");
    write_text("mine/profile.json", "{\"format\": \"of another program\"}");
    free(works("run small.yaml --output mine --set machine.backend=cpu"));
    cr_assert(there("mine/tiles.csv") && there("mine/tiles.png") && there("mine/profile.json"),
        "the profile belongs to another program");
    free(works("run small.yaml --output out --set machine.backend=cpu"));
    cr_assert_eq(entries("out"), 5);
}

static mt_csv csv_of(const char *path)
{
    mt_csv csv;
    cr_assert_eq(mt_csv_read(&arena, path, &csv), MT_OK, "%s", mt_message());
    return csv;
}

static double cell(const mt_csv *csv, size_t row, const char *column)
{
    const size_t k = mt_csv_find(csv, column);
    cr_assert_lt(k, csv->n_columns, "%s", column);
    return mt_csv_number(csv, row, k);
}

/* Returns the bytes and rows of received.csv for a tile in a compute set. */
static double received_by(const mt_csv *received, double tile, const char *set, size_t *rows)
{
    double bytes = 0;
    *rows = 0;
    for (size_t k = 0; k < received->n_rows; k++) {
        if (cell(received, k, "tile") != tile) continue;
        if (strcmp(received->cell[k * received->n_columns + mt_csv_find(received, "compute set")], set) != 0)
            continue;
        cr_assert_neq(cell(received, k, "from"), tile);
        bytes += cell(received, k, "received[bytes]");
        ++*rows;
    }
    return bytes;
}

/* Tiles that receive several ranges from one another, and copy from their own memory. */
Test(run_profile, received_bytes_of_a_tile_sum_up_and_list_each_sender_once)
{
    static const char *const ways[] = {"never", "always"};
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    for (size_t w = 0; w < 2; w++) {
        size_t rows;
        free(works("partition slab.hdf --target eight.yaml --machine-set exchange.copies=%s --profile %s",
            ways[w], ways[w]));
        char path[64];
        (void)snprintf(path, sizeof path, "%s/tiles.csv", ways[w]);
        const mt_csv tiles = csv_of(path);
        (void)snprintf(path, sizeof path, "%s/received.csv", ways[w]);
        const mt_csv received = csv_of(path);
        cr_assert_eq(tiles.n_rows, TILES);
        for (size_t t = 0; t < TILES; t++) {
            const double bytes = received_by(&received, (double)t, "pde a to b", &rows);
            cr_assert_gt(bytes, 0);
            cr_assert_eq(bytes, cell(&tiles, t, "received pde a to b[bytes]"), "%s: tile %zu", ways[w], t);
            cr_assert_eq(
                (double)rows, cell(&tiles, t, "senders pde a to b[tiles]"), "%s: tile %zu", ways[w], t);
        }
    }
}

/* Each file is in one folder, and files of an earlier run are deleted from both folders. */
Test(run_profile, a_profile_can_have_a_separate_folder)
{
    free(works("run small.yaml --output out --profile out --trace 0:1"));
    char *text = works("run small.yaml --output out --profile out/machine --trace 0:1");
    cr_assert(strstr(text, "activation.csv, report.html (for a browser), used.yaml\nIn out/machine/: "
                           "profile.json, tables of the tiles, trace.json\n"),
        "%s", text);
    free(text);
    cr_assert_eq(entries("out"), 6, "five results, and the folder");
    cr_assert_eq(entries("out/machine"), 6);
    free(works("run small.yaml --output alike --profile alike --trace 0:1"));
    cr_assert(same_file("alike/profile.json", "out/machine/profile.json"));
    cr_assert(same_file("alike/trace.json", "out/machine/trace.json"));
    free(works("run small.yaml --output other --profile out/machine"));
    cr_assert(there("out/machine/tiles.csv") && !there("out/machine/trace.json"));
}

Test(run_profile, a_failed_run_leaves_no_folder_for_its_profile)
{
    refuses(5, "V is", "run small.yaml --output out --profile machine --set stimuli.0.strength_uA_mm3=1e6");
    cr_assert(!there("out") && !there("machine"));
}

Test(run_profile, invalid_utf8_is_rejected_before_any_file_is_written)
{
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    cr_assert_eq(symlink("slab.hdf", "a\xff.hdf"), 0);
    refuses(2, "the title of a profile", "partition a\xff.hdf --target eight.yaml --profile cut");
    free(works("partition slab.hdf --target eight.yaml --profile cut"));
    ipu_profile none = {0};
    const ipu_target target = {.name = "a\xff"};
    const ipu_profiled of = {.title = "a", .profile = &none, .target = &target};
    const size_t before = entries("cut");
    cr_assert_eq(ipu_profile_write(&of, "cut", false), MT_INPUT);
    cr_assert_eq(entries("cut"), before);
}

Test(run_profile, invalid_options_are_rejected)
{
    refuses(2, "--trace 3; allowed: FIRST:LAST, time steps from 0 to 49", "run small.yaml --trace 3");
    refuses(2, "--trace 3,4; allowed", "run small.yaml --trace 3,4");
    refuses(2, "--trace 4:3; allowed", "run small.yaml --trace 4:3");
    refuses(2, "--trace 0:50; allowed", "run small.yaml --trace 0:50");
    refuses(2, "--trace 1:2:3; allowed", "run small.yaml --trace 1:2:3");
    refuses(2, "--trace -1:2; allowed", "run small.yaml --trace -1:2");
    refuses(2, "--trace-tiles 0:8; allowed: FIRST:LAST, tiles from 0 to 7",
        "run small.yaml --trace 0:1 --trace-tiles 0:8");
    refuses(2, "--trace-tiles without --trace", "run small.yaml --trace-tiles 0:1");
    refuses(
        2, "--profile with machine.backend: cpu", "run small.yaml --set machine.backend=cpu --profile out");
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    refuses(2, "--profile with 2 counts of IPUs", "partition slab.hdf --ipus 1,2 --profile out");
    refuses(3, "slab.hdf: is not a folder", "partition slab.hdf --profile slab.hdf");
}

/* 8 tiles and up to 5 machine phases in each of 4 or 5 supersteps of a time step: 2,000,000 slices hold about 29,000 time steps. */
Test(run_profile, a_trace_that_is_too_large_is_rejected_with_the_allowed_size)
{
    refuses(2, " slices; allowed: at most 2000000, which the first 29",
        "run small.yaml --set time.end_ms=2000 --trace 0:99999");
}

/* ---- traces */

/* Returns nanoseconds, from microseconds with three decimals. */
static double ns(const json *event, const char *key) { return round(1000 * json_value(event, key)); }

static int by_thread_and_time(const void *left, const void *right)
{
    const json *const *a = left, *const *b = right;
    const double d = json_value(*a, "tid") - json_value(*b, "tid"), e = ns(*a, "ts") - ns(*b, "ts");
    return d != 0 ? (d > 0) - (d < 0) : (e > 0) - (e < 0);
}

/* Returns the slices of a trace, sorted by thread and time. */
static const json **slices_of(const json *trace, size_t *n)
{
    const json *events = json_at(trace, "traceEvents"),
               **slice = json_take(&arena, json_length(events), sizeof *slice);
    *n = 0;
    for (const json *event = events->first; event; event = event->next)
        if (*json_at(event, "ph")->text == 'X') slice[(*n)++] = event;
    qsort(slice, *n, sizeof *slice, by_thread_and_time);
    return slice;
}

Test(run_profile, trace_slices_of_a_tile_never_overlap_and_those_of_the_machine_leave_no_gaps)
{
    size_t n, machine = 0;
    double cycles = 0, ode = 0;
    free(works("run small.yaml --output out --profile out --set machine.ipus=2 --trace 0:49"));
    const json *profile = read_json("out/profile.json");
    const json *trace = read_json("out/trace.json"), **slice = slices_of(trace, &n);
    cr_assert_eq(
        json_value(trace, "otherData.supersteps"), json_sum(json_at(profile, "compute_sets"), "runs"));
    cr_assert_eq(json_length(json_at(trace, "otherData")), 4, "title, machine, clock and supersteps");
    for (size_t k = 0; k < n; k++) {
        const bool whole = json_value(slice[k], "tid") == 2 * TILES + 1;
        const bool follows = k > 0 && json_value(slice[k - 1], "tid") == json_value(slice[k], "tid");
        const double gap =
            follows ? ns(slice[k], "ts") - ns(slice[k - 1], "ts") - ns(slice[k - 1], "dur") : 0;
        cr_assert(whole ? gap == 0 : gap >= 0, "slice %zu: %g ns after the previous one", k, gap);
        cr_assert_eq(json_value(slice[k], "pid"), 1 + floor((json_value(slice[k], "tid") - 1) / TILES));
        if (whole) machine++, cycles += json_value(slice[k], "args.cycles");
        if (!whole && strcmp(json_at(slice[k], "name")->text, "compute: ode") == 0)
            ode += json_value(slice[k], "args.cycles");
    }
    cr_assert_gt(machine, 0);
    /* the only stream is after the last step */
    cr_assert_eq(cycles, json_value(profile, "totals.cycles") - json_value(profile, "totals.host_cycles"));
    cr_assert_eq(ns(slice[n - 1], "ts") + ns(slice[n - 1], "dur"),
        round(1e9 * (cycles / json_value(profile, "machine.clock_hz"))));
    const json *busy =
        json_at(json_item(json_at(profile, "compute_sets"), "name", "ode"), "tile_compute_cycles");
    cr_assert_float_eq(ode, STEPS * json_value(busy, "tiles") * json_value(busy, "mean"), 1e-12 * ode);
}

Test(run_profile, a_partial_trace_is_a_subset_of_the_complete_trace)
{
    size_t n_all, n_part, found = 0;
    free(works("run small.yaml --output all --trace 0:49"));
    free(works("run small.yaml --output part --trace 20:22 --trace-tiles 3:4"));
    const json **all = slices_of(read_json("all/trace.json"), &n_all),
               **part = slices_of(read_json("part/trace.json"), &n_part);
    /* in each step ODE, two diffusion substeps and activation compute, and two exchange; the machine also has two syncs */
    cr_assert_eq(n_part, 3 * (2 * 6 + 8));
    for (size_t k = 0; k < n_part; k++) {
        cr_assert(json_value(part[k], "tid") == 4 || json_value(part[k], "tid") == 5 ||
                  json_value(part[k], "tid") == 9);
        for (size_t i = 0; i < n_all; i++)
            found += by_thread_and_time(&part[k], &all[i]) == 0 &&
                     strcmp(json_at(part[k], "name")->text, json_at(all[i], "name")->text) == 0 &&
                     json_value(part[k], "args.cycles") == json_value(all[i], "args.cycles");
    }
    cr_assert_eq(found, n_part);
}
