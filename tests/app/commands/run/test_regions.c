/* Non-conducting regions, by command. */
#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "data/files/h5.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/make/slab.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* The slab 3 x 2 x 1 mm of edge 0.5: 24 elements in each layer of boxes along x, 48 per millimetre. */
enum { N = 288 };

/* A wall from x = 1.5 to 2 mm, with a gate for y > 1 mm. */
#define WALL "  - {min_mm: [1.5, 0, 0], max_mm: [2, 2, 1], non_conducting: true}\n"
#define GATE "  - {min_mm: [1.5, 1, 0], max_mm: [2, 2, 1], non_conducting: false}\n"
#define POINTS                                                                                               \
    "points:\n"                                                                                              \
    "  - {name: before, at_mm: [1.2, 0.5, 0.5]}\n"                                                           \
    "  - {name: within, at_mm: [1.75, 0.5, 0.5]}\n"                                                          \
    "  - {name: behind, at_mm: [2.7, 0.5, 0.5]}\n"

static const char with_gate[] =
    SMALL_SLAB USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 12}\nregions:\n" WALL GATE SMALL_STIMULUS("2") POINTS
    "machine: {tiles: 3}\n";

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("gate.yaml", with_gate);
}

TestSuite(regions, .init = enter, .fini = leave_room);

static const double *activation_of(mt_arena *arena, const char *folder)
{
    char path[64];
    double *ms;
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    cr_assert_eq(mt_vtkhdf_read_field(arena, path, "activation", N, &ms), MT_OK, "%s", mt_message());
    return ms;
}

/* Builds the mesh of the case. */
static void make_mesh(mt_arena *arena, mt_mesh *mesh)
{
    cr_assert_eq(
        mt_slab_make_cut(arena, (double[]){3, 2, 1}, 0.5, MT_SLAB_MIRRORED, mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mesh->n_elements, N);
}

static bool in_wall(const mt_mesh *mesh, size_t element)
{
    double x[3];
    mt_mesh_centroid(mesh, element, x);
    return x[0] > 1.5 && x[0] < 2 && x[1] < 1;
}

Test(regions, activation_passes_a_gap_in_a_scar_and_results_cover_the_complete_mesh)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_h5 h5;
    int64_t inert[N];
    char *text = works("run gate.yaml -o gate --format json"), *again;
    make_mesh(&arena, &mesh);
    const double *ms = activation_of(&arena, "gate");
    cr_assert_eq(json_property(text, "elements"), N);
    cr_assert_eq(json_property(text, "inert_elements"), 24);
    cr_assert_eq(json_property(text, "elements_activated_percent"), 100);
    cr_assert_eq(mt_h5_open("gate/result.hdf", &h5), MT_OK);
    cr_assert_eq(mt_h5_read(&h5, "VTKHDF/CellData/inert", MT_H5_INT64, 1, (size_t[]){N}, inert), MT_OK, "%s",
        mt_message());
    mt_h5_close(&h5);
    for (size_t c = 0; c < N; c++) {
        cr_expect_eq(inert[c], in_wall(&mesh, c), "element %zu", c);
        cr_expect_eq(isnan(ms[c]), in_wall(&mesh, c), "element %zu: %g ms", c, ms[c]);
    }
    again = works("run gate/used.yaml -o again --format json");
    cr_assert_str_eq(again, text);
    mt_arena_free(&arena);
    free(again), free(text);
}

/* Activation through the gate is later than straight on, and after a wall without a gate there is no activation. */
Test(regions, points_show_the_detour_and_a_point_in_the_scar_has_no_activation_time)
{
    double behind_ms[3];
    write_text("open.yaml", SMALL_SLAB USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 12}\n" SMALL_STIMULUS("2")
                                POINTS "machine: {backend: cpu}\n");
    write_text("wall.yaml",
        SMALL_SLAB USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 12}\nregions:\n" WALL SMALL_STIMULUS("2") POINTS
        "machine: {backend: cpu}\n");
    static const char *const cases[] = {"open", "gate", "wall"};
    for (int k = 0; k < 3; k++) {
        char line[LINE_SIZE], *table, path[64];
        size_t n;
        (void)snprintf(line, sizeof line, "run %s.yaml -o %s", cases[k], cases[k]);
        free(warnings(&table, line));
        (void)snprintf(path, sizeof path, "%s/activation.csv", cases[k]);
        char *csv = bytes_of(path, &n);
        behind_ms[k] = strtod(strrchr(strstr(csv, "behind"), ',') + 1, NULL);
        if (k > 0) cr_assert(strstr(csv, "within,1.75,0.5,0.5,\n"), "%s", csv);
        free(csv), free(table);
    }
    cr_assert_gt(behind_ms[1], 1.2 * behind_ms[0], "%g, %g ms", behind_ms[1], behind_ms[0]);
    cr_assert_eq(behind_ms[2], 0, "activation after the wall at %g ms", behind_ms[2]);
}

Test(regions, results_are_bit_identical_for_any_tiles_and_saved_partitions)
{
    mt_arena arena = {0};
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    write_machine("four.yaml", 4);
    free(works("partition slab.hdf --target four.yaml --imbalance 1.5 -o cut.hdf"));
    write_text("saved.yaml", "mesh: {file: cut.hdf}\n" USUAL_TISSUE
                             "time: {dt_ms: 0.05, end_ms: 12}\nregions:\n" WALL GATE SMALL_STIMULUS(
                                 "2") "machine: {target: four.yaml, partition: saved}\n");
    free(works("run gate.yaml -o three"));
    free(works(
        "run gate.yaml -o many --set machine.tiles=11 --set machine.ipus=2 --set machine.scheme=exact"));
    free(works("run saved.yaml -o saved"));
    const double *three = activation_of(&arena, "three");
    cr_assert_arr_eq(activation_of(&arena, "many"), three, N * sizeof *three);
    cr_assert_arr_eq(activation_of(&arena, "saved"), three, N * sizeof *three);
    mt_arena_free(&arena);
}

/* Slow cells in the second half, after the wall with its gate; a region within the wall has no effect, because no element is left
 * there. */
static const char with_cells[] = SMALL_SLAB USUAL_TISSUE
    "time: {dt_ms: 0.05, end_ms: 12}\nregions:\n" WALL GATE
    "  - {min_mm: [2, 0, 0], max_mm: [3, 2, 1], scale: [g_Na=0.6, g_CaL=0.8], type: mid}\n"
    "  - {min_mm: [2, 1, 0], max_mm: [3, 2, 1], set: [K_o=5.8]}\n"
    "  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], set: [g_Na=3]}\n" SMALL_STIMULUS("2") POINTS
    "machine: {tiles: 3}\n";

Test(regions, cells_with_changed_parameters_rerun_bit_identically_on_any_tiles)
{
    mt_arena arena = {0};
    share_cache();
    write_text("cells.yaml", with_cells);
    free(works("run gate.yaml -o gate"));
    free(works("run cells.yaml -o cells"));
    free(works("run cells/used.yaml -o again"));
    free(works("run cells.yaml -o many --set machine.tiles=50 --set machine.checked=true"));
    free(works("run gate.yaml -o scaled --set cell.scale=[g_Kr=0.5] --set cell.set=[K_o=6]"));
    free(works("run scaled/used.yaml -o scaled_again"));
    const double *gate = activation_of(&arena, "gate"), *cells = activation_of(&arena, "cells");
    cr_expect_arr_eq(activation_of(&arena, "again"), cells, N * sizeof *cells);
    cr_expect_arr_eq(activation_of(&arena, "many"), cells, N * sizeof *cells);
    cr_expect_arr_eq(
        activation_of(&arena, "scaled_again"), activation_of(&arena, "scaled"), N * sizeof *cells);
    cr_expect_arr_neq(activation_of(&arena, "scaled"), gate, N * sizeof *cells);
    double latest[2] = {0, 0};
    for (size_t c = 0; c < N; c++) {
        cr_expect_eq(isnan(cells[c]), isnan(gate[c]));
        latest[0] = fmax(latest[0], gate[c]), latest[1] = fmax(latest[1], cells[c]);
    }
    cr_expect_gt(latest[1], latest[0] + 0.1, "with 60 %% of g_Na activation is at %g ms, not %g", latest[1],
        latest[0]);
    mt_arena_free(&arena);
}

Test(regions, cell_settings_of_regions_are_validated_before_the_run)
{
    write_text("cells.yaml", with_cells);
    refuses(2,
        "--set regions.2.scale=[g_na=1]: g_na=1: not a parameter of the ionic model tp06; allowed: g_Na, ",
        "run cells.yaml -o out --set regions.2.scale=[g_na=1]");
    refuses(2, "cells.yaml: regions.2: type: cell type 'x'; allowed: epi, mid, endo",
        "run cells.yaml -o out --set regions.2.type=x");
    refuses(2, "--set cell.scale=[g_Kr=-1]: g_Kr=-1; allowed after g_Kr=: a number at least 0 and at most 50",
        "run cells.yaml -o out --set cell.scale=[g_Kr=-1]");
    refuses(2, "regions.3: sets no property; allowed: at least one of non_conducting, type, scale, set",
        "run cells.yaml -o out --set regions.3.set=[]");
    cr_assert_not(there("out"));
}

Test(regions, regions_that_leave_nothing_to_simulate_are_rejected)
{
    refuses(2, "gate.yaml: regions: all elements are non-conducting; allowed: not all",
        "run gate.yaml -o out --set regions.0.min_mm=[0,0,0] --set regions.0.max_mm=[3,2,1] --set "
        "regions.1.non_conducting=true");
    refuses(2,
        "gate.yaml: stimuli.0: all 24 elements are non-conducting; allowed: at least one conducting element",
        "run gate.yaml -o out --set stimuli.0.min_mm=[1.5,0,0] --set stimuli.0.max_mm=[2,1,1]");
    refuses(2,
        "gate.yaml: regions.1: no element centre is in the box [9, 1, 0] .. [9, 2, 1] mm; the nearest is ",
        "run gate.yaml -o out --set regions.1.min_mm=[9,1,0] --set regions.1.max_mm=[9,2,1]");
    write_text("tag.yaml", SMALL_SLAB USUAL_TISSUE
        "time: {end_ms: 1}\nregions:\n  - {tag: 7, non_conducting: true}\n" SMALL_STIMULUS("2"));
    refuses(2, "tag.yaml: regions.0: tag: no element has the tag 7; the mesh has 1", "run tag.yaml -o out");
    refuses(2, "regions.0: tag: 1.5 is not a tag name; allowed: of the mesh's elements: ",
        "run tag.yaml -o out --set regions.0.tag=1.5");
    cr_assert_not(there("out"));
}
