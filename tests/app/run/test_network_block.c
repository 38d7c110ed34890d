/* Conduction networks with blocked parts, and their effect on a run: its end, and sweeps. */
#include <criterion/criterion.h>

#include "tests/app/network_case.h"
#include "tests/app/same_files.h"

#include "app/run/shared.h"
#include "solver/conduction/conduction.h"

#include <omp.h>

static const char body[] =
    NETWORK_SLAB "time: {dt_ms: 0.05, end_ms: 45}\n"
                 "network:\n"
                 "  file: net.csv\n" NETWORK_CABLES "  stimuli: [{node: 0, duration_ms: 2}]\n"
                 "output: {maps: [activation]}\n"
                 "machine: {backend: cpu}\n";

/* As small_network, but the branch on the right is an arc of three segments outside of the slab. The last one has a kind without a
 * name. */
static const char arched[] = "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n"
                             "2.5,2.5,7,2.5,2.5,4,1\n"
                             "2.5,2.5,4,1.5,2,3,2\n"
                             "2.5,2.5,4,3.5,3,3,3\n"
                             "1.5,2,3,3.5,3,3,7\n"
                             "1.5,2,3,1,1,1,4\n"
                             "1.5,2,3,1.8,1.2,1,4\n"
                             "3.5,3,3,5,3,4,5\n"
                             "5,3,4,6,4,3,5\n"
                             "6,4,3,4,4,1,-9\n";
enum { LEFT_JUNCTIONS = 2, JUNCTIONS = 3 };

static junction_row row[ROWS_MOST];

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("net.csv", arched);
}

TestSuite(network_block, .init = enter, .fini = leave_room);

/* Runs with a list of blocked parts. Returns the number of points. */
static size_t run_blocked(const char *parts, size_t n_junctions)
{
    char line[400];
    size_t n;
    (void)snprintf(line, sizeof line, "run case.yaml -o out --set network.block=%s", parts);
    run(line);
    cr_assert_eq(read_junctions("out", row), n_junctions, "%s", parts);
    free(read_network_array("out", "activation", &n));
    return n;
}

/* Returns the number of pieces of a segment with the default spacing of 0.2 mm. */
static size_t pieces(double dx, double dy, double dz)
{
    return (size_t)ceil(sqrt(dx * dx + dy * dy + dz * dz) / 0.2 * (1 - 1e-9));
}

Test(network_block, without_a_block_all_junctions_conduct_antegradely)
{
    const size_t n = run_blocked("[]", JUNCTIONS);
    for (int k = 0; k < JUNCTIONS; k++) cr_expect_str_eq(row[k].passage, "antegrade");
    cr_expect_eq(n, 1 + pieces(0, 0, 3) + 2 * pieces(1, 0.5, 1) - 1 + pieces(2, 1, 0) + pieces(0.5, 1, 2) +
                        pieces(0.3, 0.8, 2) + pieces(1.5, 0, 1) + pieces(1, 1, 1) + pieces(2, 0, 2));
}

/* Checks that the last junction was activated from the tissue, long after the others, and the arc from there to the block. */
static void expect_backwards(double usual_ms)
{
    const double stump_ms = network_value("out", "activation", 5, 3, 4),
                 far_ms = network_value("out", "activation", 6, 4, 3);
    cr_expect_str_eq(row[0].passage, "antegrade");
    cr_expect_str_eq(row[1].passage, "antegrade");
    cr_expect(fabs(row[2].delay_ms) < 2 && row[2].cable_ms > row[0].tissue_ms + 10, "%g", row[2].cable_ms);
    cr_expect_lt(stump_ms, usual_ms, "the proximal part conducts: %g ms", stump_ms);
    cr_expect_gt(far_ms, row[2].cable_ms, "the distal part conducts backwards: %g ms", far_ms);
}

/* The middle of the arc does not conduct. Its stump, 1 mm above the tissue, is no free end of the network. */
Test(network_block, a_part_behind_a_block_is_activated_through_the_tissue)
{
    static const char part[] = "[{\"centre_mm\":[5.5,3.5,3.5],\"radius_mm\":0.1}]";
    const size_t n = run_blocked("[]", JUNCTIONS);
    const double usual_ms = row[2].cable_ms;
    cr_expect_eq(run_blocked(part, JUNCTIONS), n + 1 - pieces(1, 1, 1));
    expect_backwards(usual_ms);
}

Test(network_block, a_junction_activated_through_the_tissue_is_retrograde)
{
    write_text("case.yaml",
        NETWORK_MESH NETWORK_TISSUE "cell: {type: epi}\n"
                                    "time: {end_ms: 25}\n"
                                    "network:\n"
                                    "  file: net.csv\n" NETWORK_CABLES "  stimuli: [{node: 0}]\n"
                                    "machine: {backend: cpu}\n");
    run_blocked("[{\"centre_mm\":[5.5,3.5,3.5],\"radius_mm\":0.1}]", JUNCTIONS);
    cr_expect_str_eq(row[2].passage, "retrograde");
    expect_backwards(10);
}

/* The node of the free end is not in any segment that is left. */
Test(network_block, the_junction_of_a_removed_segment_is_removed)
{
    const size_t n = run_blocked("[]", JUNCTIONS);
    cr_expect_eq(run_blocked("[{\"kind\":-9}]", LEFT_JUNCTIONS), n - pieces(2, 0, 2));
    cr_expect_eq(row[1].x_mm[0], 1.8);
    cr_expect_eq(
        run_blocked("[{\"centre_mm\":[5,4,2],\"radius_mm\":0.1}]", LEFT_JUNCTIONS), n - pieces(2, 0, 2));
}

/* Checks that the two branches on the left were activated through the tissue, long after that on the right, or with it. */
static void expect_left(bool through_tissue)
{
    cr_expect_str_eq(row[2].passage, "antegrade");
    for (int k = 0; k < 2; k++)
        if (through_tissue)
            cr_expect(row[k].cable_ms > row[2].tissue_ms + 10 && fabs(row[k].delay_ms) < 2, "%d: %g", k,
                row[k].cable_ms);
        else
            cr_expect(row[k].cable_ms < row[2].cable_ms + 1, "%d: %g", k, row[k].cable_ms);
}

/* Without the left bundle and the segment that closes the loop, two connected branches remain on the left. */
Test(network_block, kinds_are_blocked_by_names_and_numbers)
{
    const size_t n = run_blocked("[]", JUNCTIONS), bundle = pieces(1, 0.5, 1) - 1, loop = pieces(2, 1, 0) - 1;
    expect_left(false);
    cr_expect_eq(run_blocked("[{\"kind\":\"left_bundle\"},{\"kind\":7}]", JUNCTIONS), n - bundle - loop);
    expect_left(true);
    cr_expect_eq(run_blocked("[{\"kind\":\"2\"},{\"kind\":7}]", JUNCTIONS), n - bundle - loop);
    expect_left(true);
    cr_expect_eq(run_blocked("[{\"kind\":7}]", JUNCTIONS), n - loop);
    expect_left(false);
    cr_expect_eq(run_blocked("[{\"kind\":\"left_bundle\"}]", JUNCTIONS), n - bundle);
    expect_left(false);
}

Test(network_block, below_a_blocked_bundle_a_stimulus_is_needed)
{
    const size_t n = run_blocked("[]", JUNCTIONS);
    refuses(2, "network.stimuli.0: found no conducting cable within radius_mm 2 of node 0; needed: one",
        "run case.yaml -o x --set network.block=[{\"kind\":\"his\"}]");
    cr_expect_eq(
        run_blocked("[{\"kind\":\"his\"}] --set network.stimuli.0.node=1", JUNCTIONS), n - pieces(0, 0, 3));
    for (int k = 0; k < JUNCTIONS; k++) cr_expect_str_eq(row[k].passage, "antegrade");
}

/* A part with a kind and a sphere is their intersection; several parts are a union. */
Test(network_block, a_kind_and_a_sphere_select_the_segments_of_both)
{
    const size_t n = run_blocked("[]", JUNCTIONS);
    cr_expect_eq(run_blocked("[{\"kind\":\"left_purkinje\",\"centre_mm\":[1.25,1.5,2],\"radius_mm\":0.1}]",
                     LEFT_JUNCTIONS),
        n - pieces(0.5, 1, 2));
    cr_expect_eq(row[0].x_mm[0], 1.8);
    cr_expect_eq(run_blocked("[{\"kind\":-9,\"centre_mm\":[2.5,2.5,2.5],\"radius_mm\":100}]", LEFT_JUNCTIONS),
        n - pieces(2, 0, 2));
    cr_expect_eq(run_blocked("[{\"kind\":-9},{\"centre_mm\":[1.25,1.5,2],\"radius_mm\":0.1}]", 1),
        n - pieces(2, 0, 2) - pieces(0.5, 1, 2));
    refuses(2, "network.block.0: contains no segment of the network; needed: at least one",
        "run case.yaml -o x --set "
        "network.block=[{\"kind\":\"his\",\"centre_mm\":[1.25,1.5,2],\"radius_mm\":0.1}]");
}

/* ---- the end of a run ---- */

Test(network_block, a_run_until_activated_ends_after_the_last_element)
{
    char *text =
        works("run case.yaml -o until --format json --set time.until=activated --set time.end_ms=90");
    const double latest_ms = json_property(text, "latest_activation_ms");
    cr_expect_eq(json_property(text, "elements_activated_percent"), 100);
    cr_expect(latest_ms > 15 && latest_ms < 60, "%g ms", latest_ms);
    cr_expect_float_eq(json_property(text, "simulated_time_ms"), ceil(latest_ms), 1e-9);
    free(text);
}

/* Scar hides the corner beyond it. The pulse of the network at 40 ms is awaited, as one of the tissue. */
Test(network_block, a_run_until_activated_awaits_the_pulses_of_the_network)
{
    write_text("later.yaml", NETWORK_SLAB
        "time: {dt_ms: 0.05, end_ms: 200, until: activated}\n"
        "network:\n"
        "  file: net.csv\n" NETWORK_CABLES "  stimuli: [{node: 0, start_ms: 1, count: 2, period_ms: 60}]\n"
        "regions: [{min_mm: [4.4, 0, 0], max_mm: [4.8, 5, 2], non_conducting: true}]\n"
        "machine: {backend: cpu}\n");
    char *table, *said = warnings(&table, "run later.yaml -o until --format json");
    cr_expect_lt(json_property(table, "elements_activated_percent"), 100);
    cr_expect_float_eq(json_property(table, "simulated_time_ms"), 61 + 25, 1e-9, "%s", table);
    free(table), free(said);
}

/* ---- sweeps ---- */

/* Each value has the files of a single run, and the values differ. */
Test(network_block, a_sweep_over_a_key_of_the_network_has_the_files_of_single_runs)
{
    static const char *const value[] = {"3", "2.5"};
    double delay_ms[2];
    run("run case.yaml -o swept --sweep network.junction.resistance_kOhm=3,2.5");
    for (int k = 0; k < 2; k++) {
        char line[300], folder[40];
        (void)snprintf(
            line, sizeof line, "run case.yaml -o alone --set network.junction.resistance_kOhm=%s", value[k]);
        (void)snprintf(folder, sizeof folder, "swept/resistance_kOhm=%s", value[k]);
        run(line);
        cr_expect_eq(expect_same_files("alone", folder, true), 8);
        cr_assert_eq(read_junctions(folder, row), JUNCTIONS);
        delay_ms[k] = row[0].delay_ms;
    }
    cr_expect_lt(
        delay_ms[1], delay_ms[0] - 0.1, "a lower resistance: %g and %g ms", delay_ms[1], delay_ms[0]);
}

/* The second value has more chains than the first: its tiles are not those of the first. */
Test(network_block, a_sweep_over_blocks_on_the_machine_has_the_files_of_single_runs)
{
    static const char *const machine = " --set machine.backend=ipu --set machine.tiles=8 --set time.end_ms=1",
                             *const value[] = {"[{\"kind\":5}]", "[]"};
    char line[300], folder[60];
    (void)snprintf(line, sizeof line, "run case.yaml -o swept%s --sweep network.block=%s,%s", machine,
        value[0], value[1]);
    run(line);
    for (int k = 0; k < 2; k++) {
        (void)snprintf(
            line, sizeof line, "run case.yaml -o alone%s --set network.block=%s", machine, value[k]);
        (void)snprintf(folder, sizeof folder, "swept/block=%s", value[k]);
        run(line);
        cr_expect_gt(expect_same_files("alone", folder, true), 8);
    }
}

/* One of the free ends is far from the tissue. Each run builds its network and warns; the warnings are one. */
Test(network_block, a_sweep_lists_the_warning_of_all_its_runs_once)
{
    char *table, *said = warnings(&table, "run case.yaml -o swept --set network.root=4 --set time.end_ms=1 "
                                          "--sweep network.fibres=100,200,300");
    const char *at = strstr(said, "1 of 3 free ends");
    cr_assert_not_null(at, "%s", said);
    cr_expect(strstr(at, " (3 of 3 values: fibres=100, fibres=200, fibres=300)\n"), "%s", said);
    cr_expect(!strstr(at + 1, "1 of 3 free ends"), "%s", said);
    free(table), free(said);
}

/* Keys of the network change neither the mesh nor its operator. */
Test(network_block, keys_of_the_network_do_not_rebuild_the_operator)
{
    static const char *const sets[] = {"network.junction.resistance_kOhm=4", "network.junction.radius_mm=0.8",
        "network.spacing_mm=0.1", "network.fibres=100", "network.cell.scale=[g_Na=0.9]",
        "network.block=[{kind: 7}]", "network.stimuli.0.node=1", "network.root=4", "network.cell.model=tp06"};
    static mt_shared shared;
    static const mt_conduction *usual, *changed;
    mt_arena arena = {0};
    const size_t mark = 123456789;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        for (int with = 0; with < 2; with++) {
            const mt_yaml_override set = {"test", sets[k]};
            mt_case input;
            mt_problem problem;
            cr_assert_eq(
                mt_case_load(&arena, "case.yaml", &set, (size_t)with, &input), MT_OK, "%s", mt_message());
            cr_assert_eq(
                mt_shared_problem(&shared, &arena, &input, false, &problem), MT_OK, "%s", mt_message());
            if (with) cr_expect_eq(shared.problem.probes.n, mark, "%s", sets[k]);
            shared.problem.probes.n = mark;
            *(with ? &changed : &usual) = problem.monodomain.conduction;
        }
        char before[MT_HASH_SIZE], after[MT_HASH_SIZE];
        cr_assert_eq(mt_conduction_fingerprint(usual, before), MT_OK);
        cr_assert_eq(mt_conduction_fingerprint(changed, after), MT_OK);
        const bool is_stimulus = strstr(sets[k], "stimuli") != NULL;
        cr_expect_eq(strcmp(before, after) == 0, is_stimulus, "%s", sets[k]);
    }
    mt_shared_free(&shared);
    mt_arena_free(&arena);
}
