#include <criterion/criterion.h>

#include <math.h>

#include "tests/app/program.h"

TestSuite(machine_allreduce, .init = enter_room, .fini = leave_room);

/* Returns the value of a property of the first table. */
static double property(const char *json, const char *name)
{
    char text[64];
    (void)snprintf(text, sizeof text, "\"%s\": ", name);
    const char *at = strstr(json, text);
    cr_assert_not_null(at, "%s: %s", name, json);
    return strtod(at + strlen(text), NULL);
}

/* The formula of a ring: 2 (n - 1) steps, each sending an n-th of the vector over one hop, at the rate of the slower of its links
 * (2 lanes of a rail, 128 Gibit/s each, at 85 %), plus the fixed time of an exchange between chips. The rest of a step is its
 * sync, its internal exchange and its compute, several hundred cycles. */
Test(machine_allreduce, time_between_chips_equals_the_ring_formula)
{
    char *json = works("machine allreduce --ipus 4 --bytes 1MiB --method clockwise --machine-set tiles=8 "
                       "--machine-set links.setup_ns=1000 --machine-set links.through_ns=0 --format json");
    const double clock = 1.325e9, rail = 2 * 0x1p37 * 0.85 / 8, hop = 0x1p20 / 4 / rail + 1e-6;
    cr_expect_eq(property(json, "steps"), 6);
    cr_expect_float_eq(property(json, "between_cycles"), hop * clock, 2);
    cr_expect_gt(property(json, "time_us"), 6 * hop * 1e6);
    cr_expect_lt(property(json, "fast_us"), property(json, "slow_us"));
    cr_expect(strstr(json, "\"0 1 3 2\""), "%s", json);
    free(json);
}

/* A rung carries both rings in each direction, with twice the lanes of a rail link, which carries one. Only the lanes for data
 * that cross a rung and continue are idle: two links of each of four rungs. */
Test(machine_allreduce, a_barley_twist_loads_all_links_equally)
{
    char *json = works("machine allreduce --ipus 8 --physical torus --logical barley-twist --method quad "
                       "--bytes 64KiB --machine-set tiles=8 --format json");
    cr_expect(strstr(json, "8 others are unused"), "%s", json);
    cr_expect(strstr(json, "\"0 1 3 2 4 5 7 6\"") && strstr(json, "\"1 0 2 3 5 4 6 7\""));
    const double rail = 2 * 7 * 65536.0 / 4 / 8; /* 7 hops twice, of an eighth of a quarter */
    const double busy = json_number(json, "direct, rung 0, IPU 0 to 1", "busy_cycles");
    cr_expect_eq(json_number(json, "direct, rung 0, IPU 0 to 1", "bytes"), 2 * rail);
    cr_expect_eq(json_number(json, "rail 1, IPU 7 to 1", "bytes"), rail);
    cr_expect_eq(json_number(json, "rail 0, IPU 2 to 0", "bytes"), rail);
    cr_expect_eq(json_number(json, "rail 0, IPU 2 to 0", "busy_cycles"), busy);
    free(json);
}

/* Three rings with a third each: a 12th of that over one lane between layers. Links within layers have more lanes. */
Test(machine_allreduce, a_prism_uses_three_rings_concurrently)
{
    char *json = works("machine allreduce --physical prism --layers 4 --bytes 144KiB --machine-set tiles=8 "
                       "--machine-set links.setup_ns=1000 --machine-set links.through_ns=0 --format json");
    const double lane = 0x1p37 * 0.85 / 8, hop = 144 * 1024.0 / 36 / lane + 1e-6;
    cr_expect_eq(property(json, "steps"), 22);
    cr_expect_float_eq(property(json, "between_cycles"), hop * 1.325e9, 2);
    cr_expect(strstr(json, "\"0 1 4 3 6 7 10 9 11 8 5 2\""), "%s", json);
    free(json);
    free(works("machine allreduce --physical prism --layers 2 --faces 5 --bytes 4KiB --machine-set tiles=8"));
    refuses(2, "--ipus with a prism; allowed: --layers and --faces instead",
        "machine allreduce --ipus 12 --physical prism --layers 4 --bytes 4KiB");
    refuses(2, "--faces without --physical prism; allowed: with --physical prism",
        "machine allreduce --ipus 4 --faces 4 --bytes 8");
    refuses(2, "--layers is required", "machine allreduce --physical prism --bytes 4KiB");
}

/* Replaces words in a file. */
static void replace(const char *path, const char *old, const char *new)
{
    size_t n;
    char *text = bytes_of(path, &n), *at = strstr(text, old);
    cr_assert_not_null(at, "%s: %s", old, text);
    *at = 0;
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    (void)fprintf(file, "%s%s%s", text, new, at + strlen(old));
    cr_assert_eq(fclose(file), 0);
    free(text);
}

/* Three chips in a ring with a specified route; a torus with second buffers. */
Test(machine_allreduce, a_prism_takes_the_same_time_on_any_machine_topology)
{
    static const char *const files[] = {"ladder.yaml", "ring.yaml", "torus.yaml"};
    double time_us[3];
    write_machine("ladder.yaml", 8);
    write_ring_machine("ring.yaml", 8);
    replace(
        "ring.yaml", "\n  lane_bits", "\n  routes: [{from: 0, to: 1, via: [2]}]\n  chips: 3\n  lane_bits");
    write_machine("torus.yaml", 8);
    replace("torus.yaml", "shape: ladder", "shape: torus");
    replace("torus.yaml", "buffers: 1", "buffers: 2");
    for (size_t k = 0; k < 3; k++) {
        char *json = works(
            "machine allreduce --physical prism --layers 2 --bytes 4KiB --format json --target %s", files[k]);
        time_us[k] = property(json, "time_us");
        cr_expect_eq(time_us[k], time_us[0], "%s", files[k]);
        free(json);
    }
    refuses(2, "--machine-set links.list.0.lanes=2 with a prism; allowed: keys other than links",
        "machine allreduce --physical prism --layers 2 --bytes 8 --target ring.yaml --machine-set "
        "links.list.0.lanes=2");
    refuses(2, "--machine-set links.chips=3 with a prism; allowed: keys other than links",
        "machine allreduce --physical prism --layers 2 --bytes 8 --machine-set links.chips=3");
    refuses(2, "--machine-set links.routes=[] with a prism; allowed: keys other than links",
        "machine allreduce --physical prism --layers 2 --bytes 8 --machine-set links.routes=[]");
}

Test(machine_allreduce, a_picture_without_a_sweep_is_ignored_with_a_warning)
{
    char *table, *said = warnings(
                     &table, "machine allreduce --ipus 2 --bytes 4KiB --machine-set tiles=2 --picture p.png");
    cr_expect(strstr(said, "--picture without --sweep is obsolete and ignored"), "%s", said);
    cr_expect(!there("p.png"));
    free(said), free(table);
}

Test(machine_allreduce, other_operations_and_operators_are_supported)
{
    free(works("machine allreduce --ipus 4 --bytes 4KiB --operation reduce-scatter --machine-set tiles=8"));
    free(works("machine allreduce --ipus 4 --bytes 4KiB --operation all-gather --method bidirectional "
               "--machine-set tiles=8"));
    free(works("machine allreduce --ipus 4 --bytes 4KiB --operation broadcast --machine-set tiles=8"));
    free(works("machine allreduce --ipus 4 --bytes 400 --operator mul --machine-set tiles=8"));
    free(works("machine allreduce --ipus 8 --bytes 400 --operator and --logical ring-on-line --machine-set "
               "tiles=8"));
    free(works("machine allreduce --ipus 8 --bytes 4KiB --operator max --group 4 --orthogonal --machine-set "
               "tiles=8"));
}

/* 4 chips: a ring on a ladder, which is the same on a torus of two rungs; a twist on the torus; and collectives over replicas of
 * two chips. Checks the fastest of all methods, and the time of an executed collective. */
Test(machine_allreduce, a_sweep_lists_the_fastest_method_of_each_shape)
{
    static const char *const methods[] = {
        "clockwise", "anticlockwise", "bidirectional", "meet-in-the-middle"};
    char *json = works("machine allreduce --ipus 4 --sweep --bytes 4KiB,1MiB --machine-set tiles=8 --picture "
                       "s.png -o s.csv --format json");
    size_t n_csv, rows = 0;
    char *csv = bytes_of("s.csv", &n_csv);
    const char *first = strstr(json, "\"bytes\": 1048576");
    double fastest = INFINITY;
    for (const char *at = json; (at = strstr(at, "\"bytes\": 4096")); at++) rows++;
    cr_expect_eq(rows, 5, "2 on a ladder, 3 on a torus: %s", json);
    cr_assert_not_null(first);
    for (size_t m = 0; m < 4; m++) {
        char *one = works("machine allreduce --ipus 4 --bytes 1MiB --machine-set tiles=8 --format json "
                          "--method %s --physical torus",
            methods[m]);
        fastest = fmin(fastest, property(one, "time_us"));
        free(one);
    }
    const char *ring = strstr(first, "\"logical\": \"peripheral-ring\"");
    cr_assert_not_null(ring);
    cr_expect_eq(property(ring, "time_us"), fastest);
    cr_expect_lt(property(first, "time_us"), fastest, "a twist is faster");
    cr_expect(strstr(csv, "bytes,physical,logical,replica,method,steps,time_us,") == csv, "%s", csv);
    cr_expect(there("s.png"));
    free(json), free(csv);
    char *only =
        works("machine allreduce --ipus 9 --sweep --method clockwise --bytes 36 --machine-set tiles=4");
    cr_expect(strstr(only, "prism, 3 layers") && !strstr(only, "ladder"), "%s", only);
    free(only);
}

/* Explicitly set links are those of ladder and torus. */
Test(machine_allreduce, a_sweep_with_overridden_links_omits_prisms)
{
    char *usual = works("machine allreduce --ipus 6 --sweep --bytes 4KiB --machine-set tiles=8"),
         *set = works("machine allreduce --ipus 6 --sweep --bytes 4KiB --machine-set tiles=8 --machine-set "
                      "links.rail=8");
    cr_expect(strstr(usual, "prism, 2 layers of 3"), "%s", usual);
    cr_expect(strstr(set, "ladder") && strstr(set, "torus") && !strstr(set, "prism"), "%s", set);
    free(usual), free(set);
    refuses(2, "--machine-set links.rail=8 with a prism",
        "machine allreduce --ipus 6 --sweep --physical prism --bytes 4KiB --machine-set links.rail=8");
    refuses(2, "--machine-set links.rail=8 with a prism",
        "machine allreduce --ipus 9 --sweep --bytes 4KiB --machine-set links.rail=8");
}

Test(machine_allreduce, impossible_sweeps_are_rejected)
{
    refuses(2, "--logical with --sweep; allowed: --ipus and --physical",
        "machine allreduce --ipus 4 --sweep --logical barley-twist");
    refuses(2, "--ipus is required with --sweep", "machine allreduce --sweep");
    refuses(2, "--sweep over 5 IPUs: no logical topology; allowed: an even number on a ladder or torus",
        "machine allreduce --ipus 5 --sweep --bytes 4KiB");
    refuses(2, "--bytes: '3'; allowed: ", "machine allreduce --ipus 4 --sweep --bytes 4KiB,3");
    refuses(2, "--picture with 13 sizes; allowed: at most 12",
        "machine allreduce --ipus 4 --sweep --picture s.png --bytes 4,8,12,16,20,24,28,32,36,40,44,48,52");
    refuses(2, "--output without --sweep", "machine allreduce --ipus 4 --bytes 4KiB -o s.csv");
    refuses(2, "--bytes is required; allowed: a size, or --sweep", "machine allreduce --ipus 4");
    refuses(4, "", "machine allreduce --ipus 2 --sweep --bytes 1GiB --machine-set tiles=8");
    cr_expect(!there("s.png") && !there("s.csv"));
}

Test(machine_allreduce, impossible_collectives_are_rejected)
{
    refuses(2,
        "rings: barley-twist with BTNC for replicas of 1 on a ladder of 4 chips; allowed on it: "
        "peripheral-ring with DNC",
        "machine allreduce --ipus 4 --logical barley-twist --bytes 4KiB");
    refuses(2, "--operator foo; allowed: add, mul, min, max, and, or",
        "machine allreduce --ipus 4 --bytes 8 --operator foo");
    refuses(
        2, "--operation foo; allowed: all-reduce,", "machine allreduce --ipus 4 --bytes 8 --operation foo");
    refuses(2, "--method foo; allowed: auto,", "machine allreduce --ipus 4 --bytes 8 --method foo");
    refuses(2, "--logical prism; allowed: peripheral-ring,",
        "machine allreduce --ipus 4 --bytes 8 --logical prism");
    refuses(2, "--routing foo; allowed: DNC, SWNC,", "machine allreduce --ipus 4 --bytes 8 --routing foo");
    refuses(2, "--physical prizm; allowed: ladder, torus, prism",
        "machine allreduce --ipus 4 --bytes 8 --physical prizm");
    refuses(2, "--replica", "machine allreduce --ipus 4 --bytes 8 --replica 1x");
    refuses(2, "--ipus is required", "machine allreduce --bytes 8");
    refuses(2, "--bytes: '0x1000'", "machine allreduce --ipus 4 --bytes 0x1000");
    refuses(2, "--machine-set links.rail=8 with a prism",
        "machine allreduce --physical prism --layers 2 --bytes 8 --machine-set links.rail=8");
    refuses(2, "quad on a peripheral-ring", "machine allreduce --ipus 4 --method quad --bytes 4KiB");
    refuses(2, "--bytes: '1fathom'; allowed: a multiple of 4 bytes up to 1GiB",
        "machine allreduce --ipus 4 --bytes 1fathom");
    refuses(2, "--bytes: '7'", "machine allreduce --ipus 4 --bytes 7");
    refuses(2, "--orthogonal without --group", "machine allreduce --ipus 4 --bytes 8 --orthogonal");
    refuses(2, "3 IPUs on a ladder", "machine allreduce --ipus 3 --bytes 4KiB");
}
