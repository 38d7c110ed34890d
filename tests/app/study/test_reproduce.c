#include <criterion/criterion.h>

#include "app/study/validation/steps.h"
#include "ipu/machine/machines.h"
#include "solver/cells/model.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/plan/codelets.h"
#include "tests/answers.h"
#include "tests/app/program.h"

/* 12 x 8 x 4 cubes of 6 elements, all divided alike: with METIS' partition a torus relieves the busiest links of eight chips. */
static void enter(void)
{
    enter_room();
    free(works("mesh slab --size-mm 6,4,2 --edge-mm 0.5 --cut kuhn -o slab.hdf"));
    write_machine("three.yaml", 3);
}

TestSuite(reproduce, .init = enter, .fini = leave_room);

/* Returns the number in a column and a row of a table in CSV, both from 0, after title and header. */
static double element_of(const char *csv, int row, int column)
{
    for (row++; row >= 0; row--) {
        csv = strchr(csv, '\n');
        cr_assert_not_null(csv++);
    }
    for (; column > 0; column--) {
        csv = strchr(csv, ',');
        cr_assert_not_null(csv++);
    }
    return *csv == ',' || *csv == '\n' ? NAN : strtod(csv, NULL);
}

enum { IPUS, SCHEME, RECEIVED, RECEIVED_MEDIAN, UNUSED, LARGEST, SHARE, PUBLISHED, DIFFERENCE };
enum { MEMORY = 2, MEMORY_MEDIAN, PIECES, CROSSING, EXCHANGE, MEAN };

/* A row agrees with `partition` except in memory, which includes data for the spreading of reactions that the study did not have. */
Test(reproduce, rows_of_table1_agree_with_the_partition_command)
{
    char *csv = works(
        "reproduce table1 --mesh slab.hdf --target three.yaml --ipus 1,2 --schemes mixed-clean --format csv");
    const char *costs = strstr(csv, "# costs: ");
    cr_assert(strstr(csv, "\nipus,scheme,received_max,") && costs, "%s", csv);
    for (int row = 0; row < 2; row++) {
        char *json = works("partition slab.hdf --target three.yaml --ipus %d --format json", 1 + row);
        cr_assert_eq(element_of(csv, row, IPUS), 1 + row);
        cr_assert_lt(1024 * element_of(costs, row, MEMORY), json_property(json, "fullest_tile_bytes"));
        cr_assert_gt(1024 * element_of(costs, row, MEMORY), 0.95 * json_property(json, "fullest_tile_bytes"));
        cr_assert_lt(1024 * element_of(costs, row, MEMORY_MEDIAN), json_property(json, "median_tile_bytes"));
        cr_assert_eq(element_of(csv, row, RECEIVED),
            json_number(strstr(json, "\"tiles\""), "elements_received", "max"));
        cr_assert_eq(element_of(csv, row, RECEIVED_MEDIAN),
            json_number(strstr(json, "\"tiles\""), "elements_received", "median"));
        cr_assert_eq(element_of(csv, row, UNUSED), json_number(json, "elements_unused", "median"));
        cr_assert_eq(element_of(costs, row, CROSSING), json_property(json, "elements_from_other_ipus"));
        cr_assert_eq(element_of(costs, row, EXCHANGE), json_property(json, "exchange_cycles"));
        cr_assert_eq(element_of(csv, row, SHARE), json_property(json, "received_percent"));
        cr_assert_eq(element_of(costs, row, PIECES), json_number(json, "pieces_received", "max"));
        cr_assert_eq(element_of(costs, row, MEAN), json_property(json, "exchange_load_balance_percent"));
        free(json);
    }
    free(csv);
}

/* All schemes on the same partition: the same elements on the tiles, and all received elements are sent. */
Test(reproduce, table1_lists_every_scheme_by_default)
{
    char *text = works("reproduce table1 --mesh slab.hdf --target three.yaml --ipus 2");
    static const char *const names[] = {"full", "ranged", "mixed-clean", "exact", "budget"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        cr_assert_not_null(strstr(text, names[k]), "%s: %s", names[k], text);
    free(text);
    text =
        works("reproduce table1 --mesh slab.hdf --target three.yaml --ipus 2 --schemes exact --format json");
    cr_assert(is_json(text) && strstr(text, "\"exact\"") && !strstr(text, "\"full\""), "%s", text);
    free(text);
}

/* A small slab is not comparable with a heart of three million elements. */
Test(reproduce, published_shares_are_listed_for_meshes_of_the_published_size_only)
{
    char *csv = works(
        "reproduce table1 --mesh slab.hdf --target three.yaml --ipus 1 --schemes mixed-clean --format csv");
    cr_assert(isnan(element_of(csv, 0, PUBLISHED)) && isnan(element_of(csv, 0, DIFFERENCE)), "%s", csv);
    free(csv);
}

Test(reproduce, table1_is_drawn)
{
    free(works("reproduce table1 --mesh slab.hdf --target three.yaml --ipus 1,2 --picture table1.png"));
    size_t n;
    char *png = bytes_of("table1.png", &n);
    cr_assert(n > 5000 && memcmp(png, "\x89PNG", 4) == 0, "%zu bytes", n);
    free(png);
}

Test(reproduce, invalid_options_of_table1_are_rejected)
{
    refuses(2, "separator scheme 'best'; allowed: ", "reproduce table1 --mesh slab.hdf --schemes full,best");
    refuses(2, "separator scheme ''; allowed: ", "reproduce table1 --mesh slab.hdf --schemes full,");
    refuses(2, "--ranges 5; allowed: with a scheme that has this limit",
        "reproduce table1 --mesh slab.hdf --schemes full,exact --ranges 5");
    refuses(2, "--picture with 13 counts of IPUs and 1 schemes; allowed: at most 12 and 8",
        "reproduce table1 --mesh slab.hdf --schemes full --ipus 1,1,1,1,1,1,1,1,1,1,1,1,1 --picture x.png");
    refuses(2, "--ipus 0; allowed", "reproduce table1 --mesh slab.hdf --ipus 0");
    refuses(3, "none.hdf: ", "reproduce table1 --mesh none.hdf");
}

/* ---- times ---- */

#define SLAB "--mesh slab.hdf --target three.yaml"

static double number_in(const char *row, const char *column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static double number_in(const char *row, const char *column, const char *format, ...)
{
    char line[LINE_SIZE];
    FORMAT_LINE(line, format);
    char *json = works("%s --format json", line);
    cr_assert(is_json(json));
    const double number = json_number(json, row, column);
    free(json);
    return number;
}

static const char *const phases[] = {"pde_compute", "pde_exchange_inside_ipus", "pde_rearrangement_after",
    "pde_links", "pde_sync", "ode_compute"};
enum { N_PHASES = sizeof phases / sizeof *phases };

Test(reproduce, the_phases_of_table2_sum_to_the_time_step)
{
    for (int ipus = 1; ipus <= 2; ipus++) {
        char *json = works("reproduce table2 " SLAB " --ipus %d --format json", ipus);
        double cycles = 0, share = 0;
        for (int f = 0; f < N_PHASES; f++) {
            const double runs = json_number(json, phases[f], "runs"),
                         max = json_number(json, phases[f], "max_cycles");
            cr_assert_eq(runs, f == N_PHASES - 1 ? 1 : 4);
            cycles += runs * max;
            share += json_number(json, phases[f], "share_percent");
        }
        cr_assert_eq(cycles, json_number(json, "time_step", "max_cycles"));
        cr_assert_float_eq(share, 100, 1e-9);
        cr_assert(ipus == 1 || json_number(json, "pde_links", "max_cycles") > 0, "%s", json);
        cr_assert_leq(json_number(json, "time_step_fast", "max_cycles"), cycles);
        cr_assert_geq(json_number(json, "time_step_slow", "max_cycles"), cycles);
        free(json);
    }
}

/* Returns the cycles of a tile with the given number of elements, by solver/plan/codelets.h, with the launch of its compute set. */
static double cycles_of(const ipu_target *target, const char *codelet, double elements)
{
    const ipu_mix *mix = strcmp(codelet, "ode") == 0 ? &mt_cell_tp06.mix.ode : mt_codelet_mix(codelet);
    const double workers = (double)target->worker_contexts,
                 each = mix->start + ceil(elements / workers) * ipu_mix_cycles(mix, &target->instructions);
    return (double)(target->vertex_launch_cycles + target->vertex_entry_cycles) + workers * each;
}

/* The tiles with the most and the fewest elements, and the exchange, agree with `partition`. */
Test(reproduce, compute_cycles_of_table2_follow_from_the_elements_of_a_tile)
{
    mt_arena arena = {0};
    ipu_target target;
    ok(ipu_machine_load(&arena, "three.yaml", NULL, 0, &target));
    for (int ipus = 1; ipus <= 2; ipus++) {
        char *json = works("reproduce table2 " SLAB " --ipus %d --scheme exact --format json", ipus);
        char *parts = works("partition slab.hdf --target three.yaml --machine-set exchange.copies=always "
                            "--ipus %d --scheme exact --format json",
            ipus);
        const char *tiles = strstr(parts, "\"tiles\"");
        static const char *const kinds[][2] = {{"pde_compute", "pde"}, {"ode_compute", "ode"}};
        for (int k = 0; k < 2; k++) {
            const double max = cycles_of(&target, kinds[k][1], json_number(tiles, "elements", "max"));
            cr_assert_eq(json_number(json, kinds[k][0], "max_cycles"), max);
            cr_assert_eq(json_number(json, kinds[k][0], "min_cycles"),
                cycles_of(&target, kinds[k][1], json_number(tiles, "elements", "min")));
            cr_assert_float_eq(json_number(json, kinds[k][0], "load_balance_percent"),
                100 * json_number(json, kinds[k][0], "mean_cycles") / max, 1e-9);
        }
        const double links = json_number(json, "pde_links", "max_cycles");
        cr_assert_eq(links, json_property(parts, "between_ipus_cycles"));
        const double copies = json_number(json, "pde_rearrangement_after", "max_cycles");
        cr_assert_eq(copies, json_property(parts, "rearrangement_cycles"));
        cr_assert_eq(json_number(json, "pde_exchange_inside_ipus", "max_cycles") + copies + links,
            json_property(parts, "exchange_cycles"));
        cr_assert_float_eq(json_number(json, "pde_exchange_inside_ipus", "load_balance_percent"),
            100 * json_number(json, "pde_exchange_inside_ipus", "mean_cycles") /
                json_number(json, "pde_exchange_inside_ipus", "max_cycles"),
            1e-9);
        free(json), free(parts);
    }
    mt_arena_free(&arena);
}

/* The clock of the GC200 is 1.325 GHz; the study computed 25,000 time steps. */
Test(reproduce, seconds_of_table3_equal_the_cycles_of_table2_over_the_clock_rate)
{
    char *csv = works("reproduce table3 " SLAB " --ipus 1,2 --format csv");
    enum { PDE = 1, OF_IT, ODE, ALL, FAST, SLOW, RATE };
    for (int row = 0; row < 2; row++) {
        char *json = works("reproduce table2 " SLAB " --ipus %d --format json", 1 + row);
        const double each = 25000 / 1.325e9, ode = json_number(json, "ode_compute", "max_cycles") * each;
        const double pde = 4 * json_number(json, "pde_compute", "max_cycles") * each;
        const double all = json_number(json, "time_step", "max_cycles") * each;
        cr_assert_eq(element_of(csv, row, IPUS), 1 + row);
        cr_assert_float_eq(element_of(csv, row, ALL), all, 1e-9 * all);
        cr_assert_float_eq(element_of(csv, row, ODE), ode, 1e-9 * all);
        cr_assert_float_eq(element_of(csv, row, PDE), all - ode, 1e-9 * all);
        cr_assert_float_eq(element_of(csv, row, OF_IT), all - ode - pde, 1e-9 * all);
        cr_assert_float_eq(element_of(csv, row, RATE), 2304 * 25000 / all, 1);
        cr_assert_float_eq(
            element_of(csv, row, FAST), json_number(json, "time_step_fast", "max_cycles") * each, 1e-9 * all);
        cr_assert_float_eq(
            element_of(csv, row, SLOW), json_number(json, "time_step_slow", "max_cycles") * each, 1e-9 * all);
        free(json);
    }
    free(csv);
}

/* One diffusion substep costs a quarter of four; twice the clock rate halves the time; without sync its cycles are saved. */
Test(reproduce, diffusion_steps_and_machine_values_can_be_specified)
{
    const double four = number_in("time_step", "max_cycles", "reproduce table2 " SLAB " --ipus 1");
    const double one =
        number_in("time_step", "max_cycles", "reproduce table2 " SLAB " --ipus 1 --pde-steps 1");
    const double ode = number_in("ode_compute", "max_cycles", "reproduce table2 " SLAB " --ipus 1");
    cr_assert_eq(4 * (one - ode), four - ode);
    const double sync = number_in("pde_sync", "max_cycles", "reproduce table2 " SLAB " --ipus 1");
    cr_assert_gt(sync, 0);
    cr_assert_eq(
        four - 4 * sync, number_in("time_step", "max_cycles",
                             "reproduce table2 " SLAB " --ipus 1 --machine-set exchange.sync_cycles=0"));
    char *slow = works("reproduce table3 " SLAB " --ipus 1 --format csv");
    char *fast = works("reproduce table3 " SLAB " --ipus 1 --format csv --machine-set clock_hz=2.65e9");
    cr_assert_float_eq(element_of(fast, 0, 4), 0.5 * element_of(slow, 0, 4), 1e-12);
    cr_assert(
        strstr(slow, " on GC200, flat") && strstr(fast, " on GC200 with clock_hz=2.65e9, flat"), "%s", fast);
    free(slow), free(fast);
}

/* Routes in a torus of eight are shorter than in a ladder, so that its busiest link has less traffic. */
Test(reproduce, a_torus_can_be_specified_instead_of_the_ladder)
{
    char *ladder = works("reproduce figure6 " SLAB " --ipus 8 --scheme full --format csv");
    char *torus = works(
        "reproduce figure6 " SLAB " --ipus 8 --scheme full --format csv --machine-set links.shape=torus");
    enum { ODE = 1, PDE, INSIDE, BETWEEN, STEP, OF_ODE };
    cr_assert_lt(element_of(torus, 0, BETWEEN), element_of(ladder, 0, BETWEEN));
    cr_assert_eq(element_of(torus, 0, INSIDE), element_of(ladder, 0, INSIDE));
    const double links =
        number_in("pde_links", "max_cycles", "reproduce table2 " SLAB " --ipus 8 --scheme full");
    const double sync =
        number_in("pde_sync", "max_cycles", "reproduce table2 " SLAB " --ipus 8 --scheme full") -
        number_in("pde_sync", "max_cycles", "reproduce table2 " SLAB " --ipus 1 --scheme full");
    cr_assert_gt(sync, 0);
    cr_assert_eq(element_of(ladder, 0, BETWEEN), 4 * (links + sync));
    double sum = 0, share = 0;
    for (int f = 0; f < 4; f++) {
        sum += element_of(torus, 0, ODE + f);
        share += element_of(torus, 0, OF_ODE + f);
        cr_assert_float_eq(element_of(torus, 0, OF_ODE + f),
            100 * element_of(torus, 0, ODE + f) / element_of(torus, 0, STEP), 1e-9);
    }
    cr_assert_eq(sum, element_of(torus, 0, STEP));
    cr_assert_float_eq(share, 100, 1e-9);
    free(ladder), free(torus);
}

Test(reproduce, three_ipus_can_be_joined_by_a_list_of_links)
{
    write_ring_machine("ring.yaml", 3);
    cr_assert_gt(
        number_in("pde_links", "max_cycles", "reproduce table2 --mesh slab.hdf --target ring.yaml --ipus 3"),
        0);
    refuses(2, "4 IPUs on links that connect 3; allowed: 1 or 3",
        "reproduce figure6 --mesh slab.hdf --target ring.yaml --ipus 1,4");
}

/* Efficiency is time times number of IPUs, relative to the smallest number that fits. */
Test(reproduce, figure5_reports_throughput_and_efficiency_of_every_mesh)
{
    free(works("mesh slab --size-mm 6,4,4 --edge-mm 0.5 -o thick.hdf"));
    char *csv = works("reproduce figure5 --mesh slab.hdf --mesh thick.hdf --target three.yaml --ipus 4,1 "
                      "--format csv --picture figure5.png");
    enum { CELLS = 1, STEPS, COUNT, CYCLES, TIME, FAST, SLOW, AGAINST, SPEED, EFFICIENCY };
    cr_assert_eq(element_of(csv, 0, CELLS), 2304);
    cr_assert_eq(element_of(csv, 2, CELLS), 4608);
    for (int row = 0; row < 4; row += 2) {
        const double four = element_of(csv, row, CYCLES), one = element_of(csv, row + 1, CYCLES);
        cr_assert(element_of(csv, row, COUNT) == 4 && element_of(csv, row + 1, COUNT) == 1);
        cr_assert(element_of(csv, row, AGAINST) == 1 && element_of(csv, row + 1, AGAINST) == 1);
        cr_assert_float_eq(element_of(csv, row, SPEED), one / four, 1e-9);
        cr_assert_float_eq(element_of(csv, row, EFFICIENCY), 25 * one / four, 1e-9);
        cr_assert_float_eq(element_of(csv, row + 1, EFFICIENCY), 100, 1e-9);
        cr_assert_float_eq(element_of(csv, row, TIME), four * 25000 / 1.325e9, 1e-9);
    }
    free(csv);
    size_t n;
    char *png = bytes_of("figure5.png", &n);
    cr_assert(n > 5000 && memcmp(png, "\x89PNG", 4) == 0, "%zu bytes", n);
    free(png);
}

/* 768 elements of at least 180 bytes on each of three tiles do not fit into 98,304 bytes; half of them do. */
Test(reproduce, a_mesh_that_does_not_fit_is_reported_in_its_row)
{
    write_machine_of("small.yaml", 3, 6 * 16384);
    char *csv, *said = warnings(
                   &csv, "reproduce table2 --mesh slab.hdf --target small.yaml --ipus 1,2 --format csv");
    cr_assert(
        strstr(said, "warning: mixed-clean on 1 IPU does not fit: ") && !strstr(said, "2 IPUs"), "%s", said);
    cr_assert(strstr(csv, "\n1,does_not_fit,,,,,,,,\n2,pde_compute,4,") ||
                  strstr(csv, "\n1,does_not_fit,,,,,,,\n2,pde_compute,4,"),
        "%s", csv);
    cr_assert(!strstr(csv, "On 1 IPU"), "%s", csv);
    free(csv), free(said);
    said = warnings(&csv, "reproduce table3 --mesh slab.hdf --target small.yaml --ipus 1,2 --format csv");
    cr_assert(strstr(csv, "\n1,,,,,,,,does not fit\n2,"), "%s", csv);
    free(csv), free(said);
    said = warnings(&csv, "reproduce figure6 --mesh slab.hdf --target small.yaml --ipus 1,2 --format csv "
                          "--picture figure6.png");
    cr_assert(strstr(csv, "\n1,,,,,,,,,,does not fit\n2,") && there("figure6.png"), "%s", csv);
    free(csv), free(said);
    said = warnings(&csv, "reproduce figure5 --mesh slab.hdf --target small.yaml --ipus 1,2,4 --format csv "
                          "--picture figure5.png");
    cr_assert(
        strstr(csv, "\nslab.hdf,2304,4,1,,,,,2,,,does not fit\nslab.hdf,2304,4,2,") && there("figure5.png"),
        "%s", csv);
    cr_assert_float_eq(element_of(csv, 1, 10), 100, 1e-9);
    cr_assert_float_eq(element_of(csv, 2, 10), 100 * element_of(csv, 2, 9) / 2, 1e-9);
    free(csv), free(said);
}

Test(reproduce, a_picture_without_any_fitting_mesh_is_rejected)
{
    static const char *const figures[] = {"figure5", "figure6"};
    write_machine_of("small.yaml", 3, 6 * 16384);
    for (int k = 0; k < 2; k++) {
        reply r = myotile(
            "reproduce %s --mesh slab.hdf --target small.yaml --ipus 1 --picture none.png", figures[k]);
        cr_assert(r.code == 4 && strstr(r.said, "--picture none.png: "), "%d: %s", r.code, r.said);
        cr_assert(!there("none.png") && r.out[0] == 0, "%s", r.out);
        forget(&r);
    }
}

/* Messages in a large torus can deadlock; the rows of smaller machines remain. */
Test(reproduce, a_torus_that_can_deadlock_is_reported_in_its_row)
{
    char *csv, *said = warnings(&csv, "reproduce table3 --mesh slab.hdf --target three.yaml --ipus 4,32 "
                                      "--machine-set links.shape=torus --scheme full --format csv");
    cr_assert(strstr(said, "warning: full on 32 IPUs may deadlock: ") &&
                  strstr(said, "messages between IPUs can deadlock: a cycle of "),
        "%s", said);
    cr_assert(strstr(csv, "\n32,,,,,,,,may deadlock\n") && element_of(csv, 0, 4) > 0, "%s", csv);
    free(csv), free(said);
}

/* A small slab is not comparable with the study's hearts: only our times are printed, without reasons for differences. */
Test(reproduce, published_times_are_listed_for_meshes_of_the_published_size_only)
{
    static const char *const lines[] = {"reproduce table2 " SLAB " --ipus 1,2 --format json",
        "reproduce table3 " SLAB " --ipus 1,2 --format json"};
    static const char *const rows[] = {"heart04_pde_mean_1", "heart04_seconds_1"};
    for (int k = 0; k < 2; k++) {
        char *json = works("%s", lines[k]);
        cr_assert(isnan(json_number(json, rows[k], "published")) &&
                      isnan(json_number(json, rows[k], "difference_percent")) &&
                      isnan(json_number(json, rows[k], "reason")) && json_number(json, rows[k], "ours") > 0,
            "%s", json);
        cr_assert(!strstr(json, "The study's"), "%s", json);
        free(json);
    }
}

/* True if the study's numbers would be printed for a heart of its size with these options. */
static bool stands_beside(const char *options)
{
    char line[256], *word[32];
    size_t n = 0;
    mt_arguments arguments;
    mt_arena arena = {0};
    mt_steps steps;
    mt_comparison comparison;
    (void)snprintf(line, sizeof line, "%s", options);
    for (char *save, *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) word[n++] = w;
    ok(mt_arguments_read(&arena, &mt_command_reproduce_table2, n, word, NULL, &arguments));
    ok(mt_steps_parse(&arena, &arguments, &steps));
    steps.base.like = "heart04", steps.pde_steps = 4;
    ok(mt_steps_compare(&arena, &steps, &comparison));
    cr_assert_eq(comparison.comparable, mt_reproduce_as_studied(&steps.base, &steps.base.scheme[0]));
    mt_arena_free(&arena);
    return comparison.comparable;
}

/* Machines named GC200 with other values, such as three.yaml and one with less memory, do not count as GC200. */
Test(reproduce, published_numbers_are_listed_for_the_machine_and_partition_of_the_study_only)
{
    static const char *const others[] = {"--target three.yaml", "--target short.yaml", "--target c600",
        "--machine-set clock_hz=1.4e9", "--machine-set tiles=1471", "--imbalance 1.05", "--imbalance 1.02",
        "--partition hierarchical", "--balance-halo", "--scheme exact"};
    write_machine_of("short.yaml", 1472, 600000);
    write_machine("same.yaml", 1472);
    cr_assert(stands_beside("") && stands_beside("--target same.yaml") && stands_beside("--imbalance 1.03"));
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        cr_assert(!stands_beside(others[k]), "%s", others[k]);
}

/* The cycles of one IPU agree in both tables. */
Test(reproduce, published_values_are_compared_with_results_on_one_ipu)
{
    char *json = works("reproduce table2 " SLAB " --ipus 2,1 --format json");
    char *one = works("reproduce table2 " SLAB " --ipus 1 --format json"), *beside = strstr(json, "On 1 IPU");
    cr_assert_not_null(beside);
    const double pde = json_number(one, "pde_compute", "max_cycles"),
                 ode = json_number(one, "ode_compute", "max_cycles");
    const double exchange = json_number(one, "pde_exchange_inside_ipus", "max_cycles") +
                            json_number(one, "pde_rearrangement_after", "max_cycles") +
                            json_number(one, "pde_sync", "max_cycles");
    const double all = json_number(one, "time_step", "max_cycles");
    const struct {
        const char *row;
        double value;
    } expected[] = {{"heart04_pde_max_1", pde / 1e3},
        {"heart04_pde_min_1", json_number(one, "pde_compute", "min_cycles") / 1e3},
        {"heart04_pde_sd_1", json_number(one, "pde_compute", "sd_cycles") / 1e3},
        {"heart04_exchange_1", exchange / 1e3}, {"heart04_ode_max_1", ode / 1e3},
        {"heart04_ode_mean_1", json_number(one, "ode_compute", "mean_cycles") / 1e3},
        {"heart04_share_pde_1", 400 * (pde + exchange) / all},
        {"heart04_share_exchange_1", 400 * exchange / all}, {"heart04_share_ode_1", 100 * ode / all},
        {"heart04_compute_per_exchange_1", pde / exchange}, {"heart04_ode_per_pde_1", ode / (pde + exchange)},
        {"heart04_effectiveness_exchange_1",
            json_number(one, "pde_exchange_inside_ipus", "load_balance_percent")},
        {"spmv_profile", json_number(one, "pde_compute", "mean_cycles") / (2304.0 / 3)}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        cr_assert_float_eq(json_number(beside, expected[k].row, "ours"), expected[k].value,
            1e-9 * expected[k].value, "%s", expected[k].row);
    free(json), free(one);
}

Test(reproduce, invalid_options_of_timing_results_are_rejected)
{
    refuses(2, "--pde-steps 0; allowed", "reproduce table2 " SLAB " --pde-steps 0");
    refuses(2, "separator scheme 'best'; allowed: ", "reproduce table3 " SLAB " --scheme best");
    refuses(2, "--machine-set links.shape: no value", "reproduce figure6 " SLAB " --machine-set links.shape");
    refuses(2, "ladder, torus", "reproduce figure6 " SLAB " --machine-set links.shape=ring");
    refuses(2, "--mesh is given twice", "reproduce table2 " SLAB " --mesh slab.hdf");
    refuses(2, "--mesh 5 times; allowed: at most 4",
        "reproduce figure5 " SLAB " --mesh a --mesh b --mesh c --mesh d");
    refuses(2, "--picture with 13 counts of IPUs; allowed: at most 12",
        "reproduce figure5 " SLAB " --ipus 1,1,1,1,1,1,1,1,1,1,1,1,1 --picture x.png");
    refuses(2, "--picture with 13 counts of IPUs; allowed: at most 12",
        "reproduce figure6 " SLAB " --ipus 1,1,1,1,1,1,1,1,1,1,1,1,1 --picture x.png");
    refuses(2, "x.jpg", "reproduce figure6 " SLAB " --picture x.jpg");
    refuses(
        3, "none.hdf: ", "reproduce figure5 --mesh slab.hdf --mesh none.hdf --target three.yaml --ipus 1");
}
