#include <criterion/criterion.h>

#include "tests/app/program.h"

#include <sys/resource.h>

#include "ipu/machine/target.h"
#include "mesh/cut/halo.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/diffusion/diffusion.h"

/* 12 x 8 x 4 boxes of 6 elements. */
enum { CELLS = 2304, SLAB_VERTICES = 13 * 9 * 5 };
static const double size_mm[3] = {6, 4, 2};
static const double edge_mm = 0.5;

static void enter(void)
{
    enter_room();
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(&arena, size_mm, edge_mm, &mesh), MT_OK);
    cr_assert_eq(mt_vtkhdf_write("slab.hdf", &mesh, 0, NULL), MT_OK);
    mt_arena_free(&arena);
}

TestSuite(partition_command, .init = enter, .fini = leave_room);

static double sum_of_three(const char *text, const char *row)
{
    return json_number(text, row, "min") + json_number(text, row, "median") + json_number(text, row, "max");
}

/* No input produces wrong schedules; tests/ipu/compile/test_schedule.c tests them. */
Test(partition_command, schedules_are_replayed_on_request)
{
    write_machine("three.yaml", 3);
    char *plain = works("partition slab.hdf --target three.yaml --ipus 2 --format csv"),
         *checked = works("partition slab.hdf --target three.yaml --ipus 2 --format csv --check");
    cr_assert(strstr(plain, "\n\"graph, compiled\",2,") && !strstr(plain, "checked"), "%s", plain);
    cr_assert(strstr(checked, "\n\"graph, compiled and checked\",2,"), "%s", checked);
    free(plain), free(checked);
}

#define WAFER                                                                                                \
    "--target wse2 --machine-set tiles=2000 --machine-set fabric.width=40 --scheme exact --format json"

/* 2304 elements on 40 x 50 tiles: two on a tile need 1152, and 34 x 34 are the square above. */
Test(partition_command, a_mesh_of_tiles_uses_the_smallest_square_with_the_same_largest_part)
{
    char *text = works("partition slab.hdf " WAFER),
         *same = works("partition slab.hdf --partition bisection " WAFER),
         *flat = works("partition slab.hdf --partition flat " WAFER),
         *curve = works("partition slab.hdf --partition curve " WAFER);
    cr_expect_eq(json_property(text, "used_columns"), 34);
    cr_expect_eq(json_property(text, "used_rows"), 34);
    cr_expect_eq(json_property(text, "parts"), 2000);
    cr_expect_eq(json_property(text, "empty_parts"), 2000 - 34 * 34);
    cr_expect_eq(json_number(strstr(text, "\"tiles\""), "elements", "max"), 2);
    cr_expect_eq(json_property(text, "faces_cut"), json_property(same, "faces_cut"));
    cr_expect_lt(2 * json_property(text, "grid_distance"), json_property(flat, "grid_distance"));
    cr_expect_lt(2 * json_property(curve, "grid_distance"), json_property(flat, "grid_distance"));
    cr_expect_eq(json_property(curve, "used_rows"), 34);
    cr_expect_eq(json_property(flat, "used_rows"), 50);
    free(text), free(same), free(flat), free(curve);
}

/* 585 vertices are fewer than tiles: each has its own, of 25 x 24. */
Test(partition_command, vertices_on_a_mesh_of_tiles_are_placed_by_their_positions)
{
    char *text = works("partition slab.hdf --discretisation nodes " WAFER),
         *flat = works("partition slab.hdf --discretisation nodes --partition flat " WAFER);
    cr_expect_eq(json_property(text, "empty_parts"), 2000 - SLAB_VERTICES);
    cr_expect_eq(json_property(text, "used_columns"), 25);
    cr_expect_eq(json_property(text, "used_rows"), 24);
    cr_expect_lt(2 * json_property(text, "grid_distance"), json_property(flat, "grid_distance"));
    free(text), free(flat);
}

/* With three tiles, minimum, median and maximum are all values, so sums can be checked. */
Test(partition_command, counts_of_the_tiles_sum_to_the_totals)
{
    write_machine("three.yaml", 3);
    char *text = works("partition slab.hdf --target three.yaml --format json");
    cr_assert(is_json(text), "%s", text);
    const char *tiles = strstr(text, "\"tiles\"");
    cr_assert_not_null(tiles);
    cr_assert_eq(json_property(text, "parts"), 3);
    cr_assert_eq(json_property(text, "empty_parts"), 0);
    cr_assert_eq(json_property(text, "elements"), CELLS);
    cr_assert_eq(sum_of_three(tiles, "elements"), CELLS);
    cr_assert_leq(json_number(tiles, "elements", "max"), ceil(1.03 * CELLS / 3));
    const double received = json_property(text, "elements_received");
    cr_assert_eq(sum_of_three(tiles, "elements_received"), received);
    cr_assert_eq(sum_of_three(tiles, "halo_elements") + sum_of_three(tiles, "elements_unused"), received);
    cr_assert_eq(sum_of_three(tiles, "ranges_sent"), json_property(text, "ranges"));
    cr_assert_geq(sum_of_three(tiles, "pieces_received"), json_property(text, "ranges"));
    /* every separator element is sent exactly once */
    cr_assert_eq(sum_of_three(tiles, "separator_elements"), json_property(text, "elements_sent"));
    cr_assert_float_eq(json_property(text, "received_percent"), 100 * received / (received + CELLS), 1e-12);
    cr_assert_gt(json_property(text, "faces_cut"), 0);
    cr_assert_leq(json_number(tiles, "neighbours", "max"), 2);
    free(text);
}

Test(partition_command, parts_of_vertices_are_counted_in_vertices)
{
    write_machine("three.yaml", 3);
    char *text = works("partition slab.hdf --target three.yaml --discretisation nodes --format json");
    const char *tiles = strstr(text, "\"tiles\"");
    cr_assert_not_null(tiles);
    cr_expect_not(strstr(text, "element"), "%s", text);
    cr_expect_eq(json_property(text, "vertices"), SLAB_VERTICES);
    cr_expect_eq(sum_of_three(tiles, "vertices"), SLAB_VERTICES);
    cr_expect_eq(sum_of_three(tiles, "vertices_received"), json_property(text, "vertices_received"));
    cr_expect_gt(json_property(text, "edges_cut"), 0);
    cr_expect_gt(json_property(text, "exchange_cycles"), 0);
    free(text);
    refuses(2, "--picture with --discretisation nodes; allowed: elements",
        "partition slab.hdf --discretisation nodes --picture p.png");
    refuses(2, "--discretisation", "partition slab.hdf --discretisation faces");
}

Test(partition_command, one_tile_exchanges_nothing)
{
    static const char *const nothing[] = {"separator_elements", "halo_elements", "elements_received",
        "elements_unused", "neighbours", "ranges_sent", "pieces_received"};
    write_machine("one.yaml", 1);
    char *text = works("partition slab.hdf --target ./one.yaml --format json");
    cr_assert_eq(json_property(text, "faces_cut"), 0);
    cr_assert_eq(json_property(text, "ranges"), 0);
    cr_assert_eq(sum_of_three(strstr(text, "\"tiles\""), "elements"), 3 * CELLS);
    for (size_t k = 0; k < sizeof nothing / sizeof nothing[0]; k++)
        cr_assert_eq(sum_of_three(text, nothing[k]), 0, "%s", nothing[k]);
    free(text);
}

Test(partition_command, the_number_of_parts_is_the_number_of_tiles_of_the_machine)
{
    write_machine("three.yaml", 3);
    for (int ipus = 1; ipus <= 4; ipus *= 2) {
        char *text = works("partition slab.hdf --target three.yaml --ipus %d --format json", ipus);
        cr_assert_eq(json_property(text, "parts"), 3 * ipus);
        free(text);
    }
    char *text = works("partition slab.hdf --format json");
    cr_assert_eq(json_property(text, "parts"), 1472);
    free(text);
}

/* The command derives the exchange from the mesh's faces, a run from the columns of its diffusion operator: the counts are
 * equal. */
Test(partition_command, counts_of_elements_equal_those_of_a_run)
{
    enum { PARTS = 700 }; /* of three elements, so that few elements are needed by several parts */
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    mt_partition parts;
    mt_halo halo;
    mt_scheme scheme;
    cr_assert_eq(mt_scheme_find("mixed-clean", 0, &scheme), MT_OK);
    const mt_tissue tissue = {
        .sigma_l_mS_mm = 0.13, .sigma_t_mS_mm = 0.018, .chi_per_mm = 140, .cm_uF_mm2 = 0.01};
    cr_assert_eq(mt_slab_make(&arena, size_mm, edge_mm, &mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    cr_assert_eq(
        mt_diffusion_make(&arena, &mesh, &adjacency, &tissue, &mt_diffusion_scheme_default, &diffusion),
        MT_OK);
    cr_assert_eq(mt_partition_make(&arena, &adjacency,
                     &(mt_partition_options){MT_PARTITION_FLAT, 1, PARTS, 1.03, NULL, 0, 0}, &parts),
        MT_OK);
    cr_assert_eq(
        mt_halo_make(&arena, &(mt_pattern){mesh.n_elements, MT_DIFFUSION_ROW, diffusion.column, NULL, NULL},
            &parts, &scheme, &halo),
        MT_OK);
    size_t received = 0, needed = 0;
    for (int p = 0; p < PARTS; p++)
        received += halo.inbound[p], needed = needed > halo.needed[p] ? needed : halo.needed[p];

    write_machine("m.yaml", PARTS);
    char *text =
        works("partition slab.hdf --target m.yaml --scheme mixed-clean --imbalance 1.03 --format json");
    cr_assert_eq(json_property(text, "elements_received"), (double)received);
    cr_assert_eq(json_number(text, "halo_elements", "max"), (double)needed);
    cr_assert_eq(json_property(text, "ranges"), (double)halo.n_ranges);
    free(text);
    mt_arena_free(&arena);
}

Test(partition_command, text_and_csv_output_are_supported_too)
{
    write_machine("three.yaml", 3);
    char *csv = works("partition slab.hdf --target three.yaml --format csv");
    cr_assert(strncmp(csv, "# partition: slab.hdf on 1 IPU\nkey,value,unit\nparts,3,\n", 55) == 0, "%s", csv);
    cr_assert(strstr(csv, "\n\n# tiles: Tiles of 1 IPU\nitem,min,median,max\nelements,"), "%s", csv);
    char *text = works("partition slab.hdf --target three.yaml");
    cr_assert(
        strncmp(text, "slab.hdf on 1 IPU\n", 18) == 0 && strstr(text, "\nTiles of 1 IPU\n"), "%s", text);
    free(csv), free(text);
}

/* Several counts of IPUs give the same results as each alone; only stages report times. */
Test(partition_command, several_numbers_of_ipus_report_the_same_as_each_alone)
{
    write_machine("three.yaml", 3);
    char *both = works("partition slab.hdf --target three.yaml --ipus 4,1");
    for (int ipus = 1; ipus <= 4; ipus += 3) {
        char *one = works("partition slab.hdf --target three.yaml --ipus %d", ipus);
        *strstr(one, "\nStages") = 0;
        cr_assert_not_null(strstr(both, one), "%s\nin\n%s", one, both);
        free(one);
    }
    free(both);
}

/* The load of the busiest tile: elements needed (exact), or received (mixed-clean, for which elements are moved once more). */
Test(partition_command, balanced_halos_lower_the_peak)
{
    static const char *const schemes[] = {"exact", "mixed-clean"};
    write_machine("forty.yaml", 40);
    for (int k = 0; k < 2; k++) {
        static const char line[] = "partition slab.hdf --target forty.yaml --scheme %s --format json%s";
        char *before = works(line, schemes[k], ""), *after = works(line, schemes[k], " --balance-halo");
        const double most = json_number(strstr(before, "\"tiles\""), "elements_received", "max");
        cr_assert_lt(
            json_number(strstr(after, "\"tiles\""), "elements_received", "max"), most, "%s", schemes[k]);
        cr_assert_gt(json_property(after, "elements_moved"), 0);
        cr_assert_null(strstr(before, "elements moved"));
        cr_assert_eq(
            json_property(after, "halo_elements_before_max"), json_number(before, "halo_elements", "max"));
        cr_assert_leq(json_number(strstr(after, "\"tiles\""), "elements", "max"), ceil(1.03 * CELLS / 40));
        free(before), free(after);
    }
}

/* The picture has as many colours as the 16 parts need, and some for lines and words. */
Test(partition_command, a_picture_of_the_parts_is_drawn)
{
    write_machine("eight.yaml", 8);
    free(works("partition slab.hdf --target eight.yaml --ipus 2 --picture parts.png"));
    size_t n;
    char *png = bytes_of("parts.png", &n);
    cr_assert(n > 10000 && memcmp(png, "\x89PNG", 4) == 0, "%zu bytes", n);
    free(png);
}

/* If all tiles are equivalent, those of another IPU are no different; on one IPU there is no such traffic. */
Test(partition_command, traffic_between_ipus_is_counted)
{
    write_machine("one.yaml", 1);
    write_machine("four.yaml", 4);
    char *alone = works("partition slab.hdf --target four.yaml --format json"),
         *apart = works("partition slab.hdf --target one.yaml --ipus 4 --format json");
    cr_assert_gt(json_property(alone, "elements_received"), 0);
    cr_assert_eq(json_property(alone, "elements_from_other_ipus"), 0);
    cr_assert_eq(json_property(apart, "elements_from_other_ipus"), json_property(apart, "elements_received"));
    cr_assert_eq(json_property(alone, "elements_received"), json_property(apart, "elements_received"));
    cr_assert_eq(json_property(alone, "between_ipus_bytes"), 0);
    cr_assert_eq(json_property(apart, "between_ipus_bytes"), 4 * json_property(apart, "elements_received"),
        "chips with one tile");
    const double links = json_property(apart, "between_ipus_cycles");
    cr_assert_gt(links, 0);
    cr_assert_gt(json_property(apart, "exchange_cycles"), links);
    cr_assert(strstr(apart, " on 4 IPUs, busiest link: ") && !strstr(alone, "busiest link:"), "%s", apart);
    cr_assert_not_null(strstr(apart, "on 4 IPUs, busiest link: "), "%s", apart);
    cr_assert(strstr(apart, ", IPU ") && !strstr(alone, "busiest link: "), "%s", apart);
    free(alone), free(apart);
}

/* The lower bound of an exchange is tight: the schedule of a mesh comes close to it. */
Test(partition_command, the_exchange_takes_at_most_15_percent_more_than_its_lower_bound)
{
    static const char *const schemes[] = {"mixed-clean", "exact"};
    for (size_t k = 0; k < 4; k++) {
        char *json =
            works("partition slab.hdf --ipus %d --scheme %s --format json", k < 2 ? 1 : 2, schemes[k % 2]);
        const double links = json_property(json, "between_ipus_cycles");
        const double rest = json_property(json, "exchange_cycles") - links;
        const double least = json_property(json, "exchange_lower_bound_cycles");
        cr_expect(least > 170 && least <= rest && rest <= 1.15 * least, "%s: %g of %g", schemes[k % 2], rest,
            least);
        free(json);
    }
}

Test(partition_command, a_machine_that_is_too_small_is_reported)
{
    write_machine_of("tiny.yaml", 3, 16384);
    char *table, *said = warnings(&table, "partition slab.hdf --target tiny.yaml --format json");
    cr_assert(
        strstr(said, "slab.hdf on 1 IPU does not fit: tile ") && strstr(said, "16384 available"), "%s", said);
    cr_assert(isnan(json_property(table, "fullest_tile_bytes")), "%s", table);
    cr_assert_gt(json_property(table, "elements_received"), 0, "known values are printed");
    free(said), free(table);
}

/* Three chips, which are not possible on a ladder. */
Test(partition_command, the_number_of_ipus_must_match_the_list_of_links)
{
    write_ring_machine("ring.yaml", 3);
    char *one_way = "links.list=[{\"from\":0,\"to\":1,\"lanes\":4},{\"from\":1,\"to\":2,\"lanes\":4},{"
                    "\"from\":2,\"to\":0,\"lanes\":4}]";
    char *json = works("partition slab.hdf --target ring.yaml --ipus 3 --format json");
    cr_assert_eq(json_property(json, "parts"), 9);
    cr_assert(strstr(json, "busiest link: link "), "%s", json);
    free(json);
    json = works("partition slab.hdf --target ring.yaml --ipus 1,3 --format json");
    free(json);
    refuses(2, "2 IPUs on links that connect 3; allowed: 1 or 3",
        "partition slab.hdf --target ring.yaml --ipus 2");
    char *table, *said;
    char line[LINE_SIZE];
    (void)snprintf(line, sizeof line,
        "partition slab.hdf --target ring.yaml --ipus 3 --scheme full --machine-set %s", one_way);
    said = warnings(&table, line);
    cr_assert(strstr(said, "'link 0, IPU 0 to 1', 'link 1, IPU 1 to 2'"), "%s %s", said, table);
    free(said), free(table);
}

Test(partition_command, invalid_options_are_rejected)
{
    refuses(2, "myotile: --machine-set tiles=x: x; allowed: a whole number",
        "partition slab.hdf --machine-set tiles=x");
    refuses(2, "--ipus 0; allowed: at most 16 whole numbers from 1 to 4096", "partition slab.hdf --ipus 0");
    refuses(2, "--ipus -1", "partition slab.hdf --ipus -1");
    refuses(2, "--ipus 1.5", "partition slab.hdf --ipus 1.5");
    refuses(2, "--ipus 4097", "partition slab.hdf --ipus 4097");
    refuses(
        2, "separator scheme 'best'; allowed: full, ranged, mixed-clean", "partition slab.hdf --scheme best");
    refuses(2, "--imbalance 1; allowed", "partition slab.hdf --imbalance 1");
    refuses(2, "imbalance", "partition slab.hdf --imbalance 3");
    refuses(2, "--partition round; allowed: flat, hierarchical", "partition slab.hdf --partition round");
    refuses(2, "3 IPUs on a ladder; allowed: 1, or an even number", "partition slab.hdf --ipus 1,3");
    refuses(2, "--ipus 1,x; allowed", "partition slab.hdf --ipus 1,x");
    refuses(
        2, "at most 16 whole numbers from 1", "partition slab.hdf --ipus 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
    refuses(2, "separator scheme 'mixed-clean' has no limit of ranges, but 7 is given",
        "partition slab.hdf --ranges 7");
    refuses(2, "--ranges 0; allowed", "partition slab.hdf --ranges 0");
    refuses(2, "--output with 2 counts of IPUs; allowed: one", "partition slab.hdf --ipus 1,2 -o cut.hdf");
    refuses(2, "--picture with 2 counts", "partition slab.hdf --ipus 1,2 --picture cut.png");
    refuses(
        2, "--picture with 66 IPUs; allowed: at most 64", "partition slab.hdf --ipus 66 --picture cut.png");
    refuses(2, "a.jpg: a picture needs a name ending in .png", "partition slab.hdf --picture a.jpg");
    refuses(3, "none/a.png: cannot be written: No such file", "partition slab.hdf --picture none/a.png");
    refuses(3, "none/a.hdf: cannot be written: No such file", "partition slab.hdf -o none/a.hdf");
    refuses(2, "ending in .hdf", "partition slab.hdf -o cut.vtu");
    refuses(2, "machine 'gc9000'", "partition slab.hdf --target gc9000");
    refuses(3, "none.yaml: ", "partition slab.hdf --target none.yaml");
    refuses(3, "none.hdf: ", "partition none.hdf");
    refuses(2, "data/machines/gc200.yaml: unknown file name extension; allowed: ",
        "partition data/machines/gc200.yaml");
}

/* So the parts of 4,096 chips always have numbers of 32 bits. */
Test(partition_command, a_crossbar_of_a_million_tiles_is_rejected)
{
    write_machine("large.yaml", 1 << 20);
    refuses(2,
        "large.yaml: tiles: 1048576; allowed with fabric.kind crossbar: at most 4096, because no larger one "
        "is known",
        "partition slab.hdf --target large.yaml --ipus 4096");
}

/* ---- more tiles than the host has memory for ---- */

static void limit_address_space(size_t more)
{
    struct rlimit limit;
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file && fscanf(file, "%zu", &pages) == 1);
    (void)fclose(file);
    cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = more ? pages * 4096 + more : limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

Test(partition_command, tables_larger_than_the_available_memory_are_rejected_before_any_work)
{
    static const char said[] = "4096 IPUs of 1472 tiles: the emulator's tables of 6029312 tiles take at "
                               "least 4.2 GB (700 bytes per tile), for any mesh; 2.0 GB are available";
    limit_address_space(2000000000);
    refuses(3, said, "partition nowhere.hdf --ipus 1,4096");
    refuses(3, said, "reproduce table1 --mesh nowhere.hdf --ipus 4096");
    refuses(3, said, "run data/cases/niederer-0.5.yaml --set machine.ipus=4096 --output out");
    refuses(3, "nowhere.hdf", "partition nowhere.hdf --ipus 512"); /* 0.5 GB suffice: it reads the mesh */
    limit_address_space(0);
}

Test(partition_command, tables_larger_than_a_gigabyte_cause_a_warning)
{
    size_t n;
    const int kept = dup(STDERR_FILENO), to = open("stderr", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    (void)dup2(to, STDERR_FILENO);
    reply r = myotile("partition nowhere.hdf --ipus 972"), less = myotile("partition nowhere.hdf --ipus 970");
    (void)dup2(kept, STDERR_FILENO);
    char *said = bytes_of("stderr", &n), *first = strstr(said, "myotile: warning: 972 IPUs of 1472 tiles: ");
    cr_assert(r.code == 3 && less.code == 3 && first, "%s", said);
    cr_assert_not(strstr(said, "970 IPUs"), "%s", said);
    free(said), forget(&r), forget(&less);
}
