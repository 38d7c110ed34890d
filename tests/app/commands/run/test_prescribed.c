/* `activation: eikonal`: runs whose activation is prescribed, against the eikonal equation and a converged cable. */
#include <criterion/criterion.h>

#include "tests/app/map_file.h"
#include "tests/app/network_case.h"
#include "tests/app/program.h"

#include "mesh/vtk/vtkhdf.h"
#include "solver/cable.h"
#include "solver/diffusion/tissue.h"
#include "tests/solver/small_case.h"

#include <math.h>
#include <omp.h>

/* A bar of boxes of 1 mm, stimulated at its end: too coarse for a wavefront, which is 1 mm wide. */
#define BAR_WITH(time, stimuli)                                                                              \
    "activation: eikonal\nmesh: {slab: {size_mm: [20, 2, 2], edge_mm: 1}}\n" NETWORK_TISSUE                  \
    "cell: {type: epi}\ntime: {dt_ms: 0.05, end_ms: " time "}\n" stimuli "machine: {backend: cpu}\n"
#define AT_END "  - {min_mm: [0, 0, 0], max_mm: [2, 2, 2], duration_ms: 2, strength_uA_mm3: 50"
static const char bar[] = BAR_WITH("60", "stimuli:\n" AT_END "}\n");
enum { BAR_ELEMENTS = 20 * 2 * 2 * 6, BAR_VERTICES = 21 * 3 * 3 };
#define NODES " --set diffusion.discretisation=nodes"

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("bar.yaml", bar);
}

TestSuite(prescribed, .init = enter, .fini = leave_room, .timeout = 120);

/* app/eikonal/prescribed.h has the differences. Without the current the wavefront is late by several ms, or does not move at all; without the
 * hold before it, cells are activated up to 1.1 ms early. */
Test(prescribed, every_unknown_is_activated_at_its_time_of_the_eikonal_equation)
{
    static const struct {
        const char *set, *field, *note;
        size_t n;
    } places[] = {{"", "VTKHDF/CellData/activation", "at 432 of 480 elements", BAR_ELEMENTS},
        {NODES, "VTKHDF/PointData/activation", "at 162 of 189 vertices", BAR_VERTICES}};
    for (int k = 0; k < 2; k++) {
        char line[200], *table;
        (void)snprintf(line, sizeof line, "run bar.yaml -o run --force%s", places[k].set);
        char *said = warnings(&table, line);
        cr_expect(strstr(said, places[k].note), "%s", said);
        free(said), free(table);
        free(works("eikonal bar.yaml -o map --force --curvature%s", places[k].set));
        free(works("run bar.yaml -o alone --force --set activation=monodomain --set diffusion.%s%s",
            k == 0 ? "spreading=0" : "nodal_spreading=0", places[k].set));
        float *run = read_map("run", places[k].field, places[k].n),
              *map = read_map("map", places[k].field, places[k].n),
              *alone = read_map("alone", places[k].field, places[k].n);
        size_t late = 0;
        for (size_t c = 0; c < places[k].n; c++) {
            cr_assert(run[c] > map[c] - 0.5F && run[c] < map[c] + 0.3F, "%zu: %g for %g ms", c,
                (double)run[c], (double)map[c]);
            late += !(alone[c] < map[c] + 3);
        }
        cr_expect_gt(late, places[k].n / 2);
        free(run), free(map), free(alone);
    }
}

/* Cells at a higher extracellular potassium rest at a higher V, need less current, and are held at another V; those with less of a potassium
 * current at the plateau share the current of the others. */
Test(prescribed, cells_of_several_kinds_are_activated_at_their_times)
{
    write_text(
        "kinds.yaml", BAR_WITH("60", "stimuli:\n" AT_END "}\n"
                                     "regions:\n  - {min_mm: [8, 0, 0], max_mm: [14, 2, 2], set: [K_o=8]}\n"
                                     "  - {min_mm: [14, 0, 0], max_mm: [20, 2, 2], scale: [g_Ks=0.5]}\n"));
    free(works("run kinds.yaml -o run" NODES));
    free(works("eikonal kinds.yaml -o map --curvature" NODES));
    float *run = read_map("run", "VTKHDF/PointData/activation", BAR_VERTICES),
          *map = read_map("map", "VTKHDF/PointData/activation", BAR_VERTICES);
    for (size_t v = 0; v < BAR_VERTICES; v++)
        cr_assert(run[v] > map[v] - 0.7F && run[v] < map[v] + 0.5F, "%zu: %g for %g ms", v, (double)run[v],
            (double)map[v]);
    free(run), free(map);
}

/* A converged cable: its activation times where its wavefront is plane, and its APD. The bar's times begin at the border of the stimulus,
 * which is uncertain by half an element, 0.4 ms. APD differs by the peak of V, which is higher without neighbours that take charge. */
Test(prescribed, activation_and_repolarisation_are_those_of_a_converged_cable)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_cable_wave wave;
    mt_cable cable = {.diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .length_mm = 20,
        .dx_mm = 0.05,
        .dt_ms = 0.02,
        .end_ms = 420,
        .splitting = MT_SPLITTING_COMPENSATED,
        .repolarises = true,
        .stimulated_mm = 2,
        .duration_ms = 2,
        .rise_mV_ms = 50 / 1.4};
    cr_assert_eq(mt_cell_model_find("tp06", &cable.model), MT_OK);
    cr_assert_eq(mt_cable_run(&arena, &cable, &wave), MT_OK, "%s", mt_message());
    free(works("run bar.yaml -o run --set time.end_ms=380 --set output.maps=[activation,apd]" NODES));
    float *activation = read_map("run", "VTKHDF/PointData/activation", BAR_VERTICES),
          *apd = read_map("run", "VTKHDF/PointData/apd90", BAR_VERTICES);
    cr_assert_eq(mt_vtkhdf_read(&arena, "run/result.hdf", &mesh), MT_OK, "%s", mt_message());
    for (size_t v = 0; v < BAR_VERTICES; v++) {
        const double x = mesh.xyz_mm[3 * v];
        const size_t i = (size_t)fmin(x / cable.dx_mm, (double)wave.n - 1);
        if (x < 8 || x > 18) continue; /* a wavefront accelerates at the other end */
        cr_expect_float_eq((double)activation[v], mt_cable_time(&wave, x), 0.7, "x %g mm: %g, not %g ms", x,
            (double)activation[v], mt_cable_time(&wave, x));
        cr_expect_float_eq((double)apd[v], wave.apd90_ms[i], 2, "x %g mm: %g, not %g ms", x, (double)apd[v],
            wave.apd90_ms[i]);
    }
    free(activation), free(apd);
    mt_arena_free(&arena);
}

#define PACED " --set prepace.bcl_ms=400 --set prepace.beats=5"

/* A checkpoint at 20 ms, when half of the bar has been activated. Paced cells need another current than those at rest, also after it. */
Test(prescribed, results_do_not_depend_on_the_machine_and_on_interruptions)
{
    static const char *const ways[] = {"--set machine.backend=ipu --set machine.tiles=7",
        "--set machine.backend=ipu --set machine.tiles=64 --set machine.scheme=full"};
    free(works("run bar.yaml -o whole --set machine.precision=single" PACED NODES));
    free(works("run bar.yaml -o part --set machine.precision=single --set time.end_ms=20 --set "
               "checkpoint.at_end=true" PACED NODES));
    free(works("run --resume part bar.yaml -o whole2 --set machine.precision=single" PACED NODES));
    float *whole = read_map("whole", "VTKHDF/PointData/activation", BAR_VERTICES),
          *resumed = read_map("whole2", "VTKHDF/PointData/activation", BAR_VERTICES);
    cr_expect_arr_eq(whole, resumed, BAR_VERTICES * sizeof *whole);
    for (int k = 0; k < 2; k++) {
        free(works("run bar.yaml -o tiles --force %s" PACED NODES, ways[k]));
        float *tiles = read_map("tiles", "VTKHDF/PointData/activation", BAR_VERTICES);
        cr_expect_arr_eq(whole, tiles, BAR_VERTICES * sizeof *whole, "%s", ways[k]);
        free(tiles);
    }
    free(whole), free(resumed);
}

/* Recovered cells are activated at the same times in the second beat, to a time step and the change of the current's latency. */
Test(prescribed, later_beats_have_the_times_of_the_first)
{
    write_text("beats.yaml",
        BAR_WITH("900", "output: {beats: every}\nstimuli:\n" AT_END ", count: 2, period_ms: 800}\n"));
    free(works("run beats.yaml -o run" NODES));
    float *first = read_map("run", "VTKHDF/PointData/activation", BAR_VERTICES),
          *second = read_map("run", "VTKHDF/PointData/activation_beat2", BAR_VERTICES);
    for (size_t v = 0; v < BAR_VERTICES; v++)
        cr_assert_float_eq(
            second[v] - first[v], 800, 0.1, "%g and %g ms", (double)first[v], (double)second[v]);
    free(first), free(second);
}

/* The conduction system works as in other runs: its own activation differs by less than a time step. Tissue is activated at its times of the
 * eikonal equation, or by the charge of the cables before. */
Test(prescribed, a_conduction_system_acts_as_without_it)
{
    junction_row with[ROWS_MOST], without[ROWS_MOST];
    char text[1500];
    write_text("network.csv", small_network);
    (void)snprintf(text, sizeof text,
        "activation: eikonal\n%stime: {dt_ms: 0.05, end_ms: 40}\nmachine: {backend: cpu}\nnetwork:\n"
        "  file: network.csv\n%s  stimuli:\n    - {node: 0, radius_mm: 0.5}\n",
        NETWORK_SLAB, NETWORK_CABLES);
    write_text("network.yaml", text);
    free(works("run network.yaml -o with"));
    free(works("run network.yaml -o without --set activation=monodomain"));
    cr_assert_eq(read_junctions("with", with), 3);
    cr_assert_eq(read_junctions("without", without), 3);
    for (int k = 0; k < 3; k++)
        cr_expect_float_eq(with[k].cable_ms, without[k].cable_ms, 0.3, "%d: %g and %g ms", k,
            with[k].cable_ms, without[k].cable_ms);
    float *times = read_map("with", "VTKHDF/CellData/activation", SLAB_ELEMENTS);
    for (size_t c = 0; c < SLAB_ELEMENTS; c++) cr_assert(isfinite(times[c]), "element %zu", c);
    free(times);
}

Test(prescribed, contradictions_are_refused)
{
    refuses(2, "start.state: found bar.yaml; allowed with activation: eikonal: none",
        "run bar.yaml -o run --set start.state=bar.yaml");
    refuses(2, "diffusion.spreading: 0.3, with activation: eikonal; allowed: 0",
        "run bar.yaml -o run --set diffusion.spreading=0.3");
    refuses(2, "diffusion.nodal_spreading: 0.3, with activation: eikonal; allowed: 0",
        "run bar.yaml -o run --set diffusion.nodal_spreading=0.3" NODES);
    refuses(2, "diffusion.spreading_of_cells: 1 numbers, with activation: eikonal; allowed: none",
        "run bar.yaml -o run --set diffusion.spreading_of_cells=[0.1]");
    refuses(2, "activation=wave: wave; allowed: monodomain, eikonal",
        "run bar.yaml -o run --set activation=wave");
    write_text("unequal.yaml",
        BAR_WITH("900", "stimuli:\n" AT_END ", count: 2, period_ms: 800}\n" AT_END ", start_ms: 5}\n"));
    refuses(2, "stimuli.1: 1 pulses", "run unequal.yaml -o run");
    refuses(2, "activation: eikonal; allowed with fit: monodomain", "fit bar.yaml --lat points.csv -o run");
    write_text("fast.yaml", BAR_WITH("900", "stimuli:\n" AT_END ", count: 3, period_ms: 20}\n"));
    refuses(2, "allowed with several pulses: less than their period, 20 ms", "run fast.yaml -o run");
    cr_expect_not(there("run"));
}
