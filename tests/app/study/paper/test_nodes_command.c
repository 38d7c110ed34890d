/* myotile reproduce nodes: voltages at the vertices compared with elements, on a small slab with few tiles. */
#include <criterion/criterion.h>

#include "tests/app/study/slab_tables.h"

enum { SLAB_VERTICES = 13 * 9 * 5, KINDS = 3 };
#define NODES "reproduce nodes --mesh slab.hdf --target three.yaml --no-cache"

TestSuite(nodes_command, .init = enter_tables, .fini = leave_tables);

/* Returns the row of a kind, in the order of the table, for the n-th number of IPUs. */
static const json *row_of(const json *tables, const char *table, size_t n, size_t kind)
{
    return table_row(tables, table, n * KINDS + kind);
}

/* All unknowns of the mesh are on tiles. The clock of the GC200 is 1.325 GHz; the study computed 25,000 time steps with 4 substeps. */
Test(nodes_command, each_number_of_ipus_has_rows_of_elements_and_vertices)
{
    static const char *const voltages[] = {"elements", "vertices", "vertices"};
    static const char *const weights[] = {"none", "row costs", "none"};
    const json *tables = tables_of(NODES " --ipus 1,2,4");
    cr_assert_eq(json_length(json_rows(tables, "steps")), 3 * KINDS);
    cr_assert_eq(json_length(json_rows(tables, "tiles")), 3 * KINDS);
    for (size_t n = 0; n < 3; n++)
        for (size_t kind = 0; kind < KINDS; kind++) {
            const json *step = row_of(tables, "steps", n, kind), *tiles = row_of(tables, "tiles", n, kind);
            const double cycles = json_value(step, "time_step_cycles"), ipus = (double)(1 << n),
                         unknowns = kind == 0 ? SLAB_ELEMENTS : SLAB_VERTICES;
            cr_expect_eq(json_value(step, "ipus"), ipus);
            cr_expect_str_eq(json_at(step, "voltages")->text, voltages[kind]);
            cr_expect_str_eq(json_at(step, "weights")->text, weights[kind]);
            cr_expect_eq(json_value(step, "unknowns"), unknowns);
            cr_expect_eq(json_value(step, "substeps"), 4);
            cr_expect_float_eq(json_value(step, "time_s"), cycles * 25000 / 1.325e9, 1e-9);
            cr_expect_str_eq(json_at(step, "fits")->text, "yes");
            cr_expect_eq(json_value(tiles, "tiles"), 3 * ipus);
            cr_expect_float_eq(json_value(tiles, "unknowns_mean"), unknowns / (3 * ipus), 1e-9);
            cr_expect(json_value(tiles, "received_mean") <= json_value(tiles, "received_max"));
            const double percent = json_value(tiles, "load_balance_percent");
            cr_expect(percent > 80 && percent <= 100, "%g", percent);
        }
}

/* A quarter of the unknowns: faster by more than 2.5, even where the sync weighs most. The share of exchange and sync is larger. */
Test(nodes_command, steps_of_vertices_take_fewer_cycles_than_those_of_elements)
{
    const json *tables = tables_of(NODES " --ipus 1,2,4");
    for (size_t n = 0; n < 3; n++) {
        const json *elements = row_of(tables, "steps", n, 0);
        for (size_t kind = 1; kind < KINDS; kind++) {
            const json *vertices = row_of(tables, "steps", n, kind);
            const double ratio =
                json_value(elements, "time_step_cycles") / json_value(vertices, "time_step_cycles");
            cr_expect_gt(ratio, 2.5);
            cr_expect_eq(ratio, json_value(vertices, "faster_than_elements"));
            cr_expect_gt(
                json_value(vertices, "exchange_sync_percent"), json_value(elements, "exchange_sync_percent"));
            cr_expect_lt(json_value(row_of(tables, "tiles", n, kind), "fullest_tile_bytes"),
                json_value(row_of(tables, "tiles", n, 0), "fullest_tile_bytes"));
        }
        cr_expect_eq(json_value(elements, "faster_than_elements"), 1);
    }
}

/* The weights change the parts of vertices. */
Test(nodes_command, partitions_of_vertices_with_and_without_weights_differ)
{
    const json *tables = tables_of(NODES " --ipus 2,4");
    bool differ = false;
    for (size_t n = 0; n < 2; n++)
        differ = differ || json_value(row_of(tables, "steps", n, 1), "time_step_cycles") !=
                               json_value(row_of(tables, "steps", n, 2), "time_step_cycles");
    cr_assert(differ);
}

/* The command `partition` finds the same tiles for elements. */
Test(nodes_command, rows_of_elements_agree_with_the_partition_command)
{
    const json *tables = tables_of(NODES " --ipus 1,2");
    for (size_t n = 0; n < 2; n++) {
        char *parts = works("partition slab.hdf --target three.yaml --ipus %zu --format json", n + 1);
        const json *tiles = row_of(tables, "tiles", n, 0);
        cr_expect_eq(json_value(tiles, "fullest_tile_bytes"), json_property(parts, "fullest_tile_bytes"));
        cr_expect_eq(json_value(tiles, "received_max"),
            json_number(strstr(parts, "\"tiles\""), "elements_received", "max"));
        free(parts);
    }
}

/* Elements of 0.05 mm need more substeps than vertices; the option sets the least number. */
Test(nodes_command, substeps_are_as_many_as_stability_requires)
{
    free(works("mesh slab --size-mm 0.6,0.4,0.2 --edge-mm 0.05 -o fine.hdf"));
    const json *tables =
        tables_of("reproduce nodes --mesh fine.hdf --target three.yaml --ipus 1 --pde-steps 1");
    const double elements = json_value(row_of(tables, "steps", 0, 0), "substeps"),
                 vertices = json_value(row_of(tables, "steps", 0, 1), "substeps");
    cr_assert(elements > vertices && vertices > 1, "%g and %g", elements, vertices);
    tables = tables_of(NODES " --ipus 1 --pde-steps 9");
    cr_assert_eq(json_value(row_of(tables, "steps", 0, 0), "substeps"), 9);
    cr_assert_eq(json_value(row_of(tables, "steps", 0, 1), "substeps"), 9);
}

/* 128 KiB hold the vertices of one IPU, and the elements of two: the estimate starts from the fewest IPUs that suffice. */
Test(nodes_command, elements_that_do_not_fit_are_reported_with_the_reason)
{
    char *out;
    write_machine_of("small.yaml", 3, 131072);
    char *said = warnings(
        &out, "reproduce nodes --mesh slab.hdf --target small.yaml --no-cache --ipus 1,2 --format json");
    const json *tables = json_parse_and_free(&arena, out), *step = row_of(tables, "steps", 0, 0);
    cr_assert(strstr(said, "elements on 1 IPU, weights of the partition: none: does not fit: "), "%s", said);
    cr_assert(!strstr(said, "vertices") && !strstr(said, "2 IPUs"), "%s", said);
    cr_expect_str_eq(json_at(step, "fits")->text, "does not fit");
    cr_expect_eq(json_at(step, "time_step_cycles")->kind, JSON_NULL);
    cr_expect_eq(json_at(row_of(tables, "steps", 0, 1), "faster_than_elements")->kind, JSON_NULL);
    cr_expect_eq(json_at(row_of(tables, "tiles", 0, 0), "fullest_tile_bytes")->kind, JSON_NULL);
    cr_expect_eq(json_value(step, "unknowns"), SLAB_ELEMENTS);
    const json *largest = json_rows(tables, "largest")->first;
    cr_expect_eq(json_value(largest, "measured_ipus"), 2);
    cr_expect_eq(json_value(largest, "largest_unknowns"),
        floor(
            0.5 * SLAB_ELEMENTS * 131072 / json_value(row_of(tables, "tiles", 1, 0), "fullest_tile_bytes")));
    cr_expect_eq(json_value(largest->next, "measured_ipus"), 1);
    free(said);
}

/* The fullest tile grows in proportion to the unknowns; the mesh has 3.9 elements per vertex. */
Test(nodes_command, largest_heart_follows_from_the_fullest_tile)
{
    const json *tables = tables_of(NODES " --ipus 2,1"), *largest = json_rows(tables, "largest")->first;
    cr_assert_eq(json_length(json_rows(tables, "largest")), KINDS);
    for (size_t kind = 0; kind < KINDS; kind++, largest = largest->next) {
        const double unknowns = kind == 0 ? SLAB_ELEMENTS : SLAB_VERTICES,
                     most = unknowns * 638976 /
                            json_value(row_of(tables, "tiles", 1, kind), "fullest_tile_bytes");
        cr_expect_eq(json_value(largest, "measured_ipus"), 1);
        cr_expect_eq(json_value(largest, "largest_unknowns"), floor(most));
        cr_expect_eq(json_value(largest, "largest_elements"), floor(most * SLAB_ELEMENTS / unknowns));
        cr_expect_float_eq(json_value(largest, "unknown_bytes"),
            json_value(row_of(tables, "tiles", 1, kind), "fullest_tile_bytes") * 3 / unknowns, 1e-9);
    }
}

/* Returns the n-th row of a table with this text in a column. */
static const json *row_with(
    const json *tables, const char *table, const char *column, const char *text, size_t n)
{
    const json *row = json_rows(tables, table)->first;
    for (; row; row = row->next)
        if (strcmp(json_at(row, column)->text, text) == 0 && n-- == 0) return row;
    cr_assert_fail("no row of %s with %s %s", table, column, text);
    return row;
}

/* Elements have the halos of table 1 for each scheme, and the diffusion of table 2 without copies. The study does not spread the reaction:
 * its ODE step is shorter. */
Test(nodes_command, elements_have_the_halos_of_table1_and_the_phases_of_table2)
{
    static const char *const same[] = {
        "received_max", "received_median", "unused_median", "largest_tile", "share_received_percent"};
    static const char *const schemes[] = {"mixed-clean", "exact"};
    const json *ours = tables_of(NODES " --ipus 1,2 --schemes exact"),
               *one = tables_of("reproduce table1 --mesh slab.hdf --target three.yaml --ipus 1,2 --schemes "
                                "mixed-clean,exact"),
               *two = tables_of("reproduce table2 --mesh slab.hdf --target three.yaml --ipus 1,2 "
                                "--machine-set exchange.copies=auto");
    cr_assert_eq((size_t)json_length(json_rows(ours, "halos")), (size_t)2 * 2 * KINDS);
    for (size_t n = 0; n < 2; n++) {
        for (size_t k = 0; k < 2; k++) {
            const json *halo = row_with(ours, "halos", "scheme", schemes[k], KINDS * n),
                       *theirs = row_with(one, "elements", "scheme", schemes[k], n);
            for (size_t q = 0; q < sizeof same / sizeof *same; q++)
                cr_expect_eq(
                    json_value(halo, same[q]), json_value(theirs, same[q]), "%s, %s", schemes[k], same[q]);
            cr_expect_eq(json_value(halo, "pieces_max"),
                json_value(row_with(one, "costs", "scheme", schemes[k], n), "pieces_max"));
        }
        static const char *const cycles[] = {"min_cycles", "mean_cycles", "sd_cycles", "max_cycles", "runs"};
        for (size_t q = 0; q < sizeof cycles / sizeof *cycles; q++)
            cr_expect_eq(json_value(row_with(ours, "phases", "phase", "pde_compute", KINDS * n), cycles[q]),
                json_value(row_with(two, "phases", "phase", "pde_compute", n), cycles[q]), "%s", cycles[q]);
        const double ode =
            json_value(row_with(ours, "phases", "phase", "ode_compute", KINDS * n), "max_cycles");
        cr_expect_float_eq(
            json_value(row_with(two, "phases", "phase", "ode_compute", n), "max_cycles"), ode, 0.01 * ode);
    }
}

/* Only vertices have a compute set of the spreading, which exchanges its increments, too. */
Test(nodes_command, phases_add_up_to_the_time_step)
{
    const json *tables = tables_of(NODES " --ipus 1,2"), *row = json_rows(tables, "phases")->first;
    for (size_t n = 0; n < 2 * KINDS; n++) {
        const json *step = row_of(tables, "steps", n / KINDS, n % KINDS);
        double cycles = 0, percent = 0, exchanges = 0;
        const size_t phases = n % KINDS == 0 ? 5 : 6;
        for (size_t k = 0; k < phases; k++, row = row->next) {
            cr_assert_str_eq(json_at(row, "voltages")->text, json_at(step, "voltages")->text);
            cycles += json_value(row, "runs") * json_value(row, "max_cycles");
            percent += json_value(row, "share_percent");
            if (strstr(json_at(row, "phase")->text, "inside_ipus")) exchanges = json_value(row, "runs");
        }
        cr_expect_float_eq(cycles, json_value(step, "time_step_cycles"), 1e-6);
        cr_expect_float_eq(percent, 100, 1e-9);
        cr_expect_eq(exchanges, n % KINDS == 0 ? 4 : 5);
    }
    cr_expect_null(row);
}

/* From the fewest IPUs, in any order. */
Test(nodes_command, parts_add_up_to_the_time_and_speed_up_follows_from_it)
{
    const json *tables = tables_of(NODES " --ipus 2,1");
    for (size_t n = 0; n < 2; n++)
        for (size_t kind = 0; kind < KINDS; kind++) {
            const json *row = row_of(tables, "scaling", n, kind);
            const double total = json_value(row, "total_s"),
                         one = json_value(row_of(tables, "scaling", 1, kind), "total_s");
            cr_expect_float_eq(json_value(row, "pde_s") + json_value(row, "ode_s"), total, 1e-9);
            cr_expect_float_eq(total, json_value(row_of(tables, "steps", n, kind), "time_s"), 1e-12);
            cr_expect(json_value(row, "pde_exchange_s") < json_value(row, "pde_s"));
            cr_expect(json_value(row, "total_fast_s") <= total && json_value(row, "total_slow_s") >= total);
            cr_expect_eq(json_value(row, "reference_ipus"), 1);
            cr_expect_float_eq(json_value(row, "speedup"), one / total, 1e-9);
            cr_expect_float_eq(
                json_value(row, "efficiency_percent"), 100 * one / total / (n == 0 ? 2 : 1), 1e-9);
            cr_expect_float_eq(json_value(row, "unknown_steps_per_s"),
                (kind == 0 ? SLAB_ELEMENTS : SLAB_VERTICES) * 25000 / total, 1e-3);
        }
}

Test(nodes_command, pictures_show_times_and_shares)
{
    free(works(NODES " --ipus 1,2 --picture times.png --shares-picture shares.png"));
    cr_expect(there("times.png") && there("shares.png"));
    refuses(2, "shares.txt", NODES " --ipus 1 --shares-picture shares.txt");
}

Test(nodes_command, invalid_options_are_rejected)
{
    refuses(2, "--ipus 1,x; allowed", NODES " --ipus 1,x");
    refuses(2, "--ipus 0; allowed", NODES " --ipus 0");
    refuses(2, "--pde-steps 0; allowed", NODES " --pde-steps 0");
    refuses(2, "separator scheme 'best'; allowed: ", NODES " --scheme best");
    refuses(2, "separator scheme 'best'; allowed: ", NODES " --schemes exact,best");
    refuses(2, "--mesh and --elements are both given", NODES " --elements 6000");
    refuses(3, "none.hdf: ", "reproduce nodes --mesh none.hdf --ipus 1");
}
