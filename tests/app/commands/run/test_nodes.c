/* Runs with voltages at the vertices, by command. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/json.h"
#include "tests/app/sketch.h"

#include "data/files/h5.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* Boxes of 0.5 mm: 7 x 5 x 3 vertices. */
static const char body[] = SMALL_SLAB USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 15}\n" SMALL_STIMULUS(
    "2") "points:\n  - {name: far, at_mm: [3, 2, 1]}\nmachine: {backend: cpu}\n";
/* 13 x 7 x 5 vertices, stimulated in the first corner, with a point in the last one. */
static const char corners[] =
    "mesh: {slab: {size_mm: [6, 3, 2], edge_mm: 0.5}}\n" USUAL_TISSUE
    "time: {dt_ms: 0.05, end_ms: 20}\nstimuli:\n  - {min_mm: [0, 0, 0], max_mm: [1.2, 1.2, 1.2], "
    "duration_ms: 2, "
    "strength_uA_mm3: 50}\npoints:\n  - {name: far, at_mm: [6, 3, 2]}\nmachine: {backend: cpu}\n";
enum { VERTICES = 105, LARGE_VERTICES = 455, LARGE_ELEMENTS = 1728 };
#define NODES " --set diffusion.discretisation=nodes"
#define IMPLICIT " --set diffusion.method=implicit"
#define USUAL_STEP " --set time.dt_ms=0.02"
#define FINE " --set time.dt_ms=0.01"
#define CHEAP " --set cell.model=mitchell-schaeffer --set cell.type=standard"

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
}

TestSuite(nodes, .init = enter, .fini = leave_room);

static void read_array(const char *path, const char *name, mt_h5_type type, size_t n, void *values)
{
    MT_H5_SCOPE(h5);
    cr_assert_eq(mt_h5_open(path, h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_read(h5, name, type, 1, &n, values), MT_OK, "%s", mt_message());
}

static bool has_array(const char *path, const char *name)
{
    MT_H5_SCOPE(h5);
    bool has;
    cr_assert_eq(mt_h5_open(path, h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_has(h5, name, &has), MT_OK, "%s", mt_message());
    return has;
}

/* Returns the activation time of the first point in a folder. */
static double far_ms(const char *folder)
{
    char path[64];
    size_t n;
    double at_ms = NAN;
    (void)snprintf(path, sizeof path, "%s/activation.csv", folder);
    char *text = bytes_of(path, &n);
    const char *row = strstr(text, "\nfar,");
    cr_assert_not_null(row, "%s", text);
    cr_assert_eq(sscanf(row, "\nfar,%*f,%*f,%*f,%lf", &at_ms), 1);
    free(text);
    return at_ms;
}

Test(nodes, the_activation_is_point_data_and_agrees_with_the_run_with_elements)
{
    float activation[LARGE_VERTICES];
    sketch_draws = true;
    write_text("corners.yaml", corners);
    for (int single = 0; single < 2; single++) {
        const char *precision = single ? "single" : "double";
        free(works("run corners.yaml -o elements --set machine.precision=%s", precision));
        char *table =
            works("run corners.yaml -o nodes --format json --set machine.precision=%s" NODES, precision);
        cr_expect_eq(json_property(table, "vertices"), LARGE_VERTICES);
        cr_expect_eq(json_property(table, "elements"), LARGE_ELEMENTS);
        cr_expect_eq(json_property(table, "vertices_activated_percent"), 100);
        cr_expect_eq(json_property(table, "negative_couplings_percent"), 0);
        cr_expect_not(strstr(table, "elements_activated_percent"), "%s", table);
        read_array(
            "nodes/result.hdf", "VTKHDF/PointData/activation", MT_H5_FLOAT, LARGE_VERTICES, activation);
        cr_expect_not(has_array("nodes/result.hdf", "VTKHDF/CellData/activation"));
        cr_expect(has_array("nodes/result.hdf", "VTKHDF/CellData/fibre"));
        double latest_ms = 0;
        for (size_t v = 0; v < LARGE_VERTICES; v++) {
            cr_assert(activation[v] > 0 && activation[v] < 20, "vertex %zu: %g", v, (double)activation[v]);
            latest_ms = fmax(latest_ms, (double)activation[v]);
        }
        cr_expect_float_eq(json_property(table, "latest_activation_ms"), latest_ms, 1e-5);
        cr_expect_float_eq(
            far_ms("nodes"), (double)activation[LARGE_VERTICES - 1], 1e-5, "the corner is a vertex");
        cr_expect_float_eq(far_ms("nodes"), far_ms("elements"), 0.15 * far_ms("elements"), "%g and %g",
            far_ms("nodes"), far_ms("elements"));
        free(table);
    }
    cr_expect(there("nodes/activation.png"));
}

Test(nodes, tables_of_vertices_have_the_coordinates_and_values_of_the_map)
{
    float activation[VERTICES];
    double points[VERTICES][3];
    size_t n;
    free(works("run case.yaml -o out --set output.vertices=[csv,dat]" NODES));
    read_array("out/result.hdf", "VTKHDF/PointData/activation", MT_H5_FLOAT, VERTICES, activation);
    MT_H5_SCOPE(h5);
    cr_assert_eq(mt_h5_open("out/result.hdf", h5), MT_OK);
    cr_assert_eq(mt_h5_read(h5, "VTKHDF/Points", MT_H5_DOUBLE, 2, (size_t[]){VERTICES, 3}, points), MT_OK);
    char *csv = bytes_of("out/activation_vertices.csv", &n), *dat = bytes_of("out/activation.dat", &n), *save,
         *save_dat, *line = strtok_r(csv, "\n", &save), *value = strtok_r(dat, "\n", &save_dat);
    cr_expect_str_eq(line, "x_mm,y_mm,z_mm,activation_ms");
    for (size_t v = 0; v < VERTICES; v++, value = strtok_r(NULL, "\n", &save_dat)) {
        double x[4];
        line = strtok_r(NULL, "\n", &save);
        cr_assert_eq(sscanf(line, "%lf,%lf,%lf,%lf", &x[0], &x[1], &x[2], &x[3]), 4);
        cr_assert_arr_eq(x, points[v], sizeof points[v]);
        cr_assert_float_eq(x[3], (double)activation[v], 1e-6);
        cr_assert_float_eq(strtod(value, NULL), x[3], 1e-9);
    }
    cr_expect(!strtok_r(NULL, "\n", &save) && !value);
    free(csv), free(dat);
}

/* The action potential of a vertex, from its voltages after all steps. */
typedef struct action_potential {
    double activation_ms, repolarisation_ms, rest_mV, peak_mV; /* the first two NAN: none */
} action_potential;

/* Returns the time at which V passes a level between two frames. */
static double passes_ms(double dt_ms, size_t frame, double before_mV, double v_mV, double level_mV)
{
    return dt_ms * ((double)frame - (v_mV - level_mV) / (v_mV - before_mV));
}

static action_potential find_action_potential(
    double dt_ms, size_t n_frames, const float *frames, size_t n, size_t vertex)
{
    const double rest_mV = (double)frames[vertex];
    action_potential a = {NAN, NAN, rest_mV, rest_mV};
    for (size_t frame = 1; frame < n_frames && isnan(a.repolarisation_ms); frame++) {
        const double before = (double)frames[(frame - 1) * n + vertex],
                     v = (double)frames[frame * n + vertex];
        a.peak_mV = fmax(a.peak_mV, v);
        const double low = a.peak_mV - 0.9 * (a.peak_mV - rest_mV);
        if (isnan(a.activation_ms) && before < 0 && v >= 0)
            a.activation_ms = passes_ms(dt_ms, frame, before, v, 0);
        else if (!isnan(a.activation_ms) && v < low)
            a.repolarisation_ms = passes_ms(dt_ms, frame, before, v, low);
    }
    return a;
}

/* Maps and voltages are written by different code: maps are recorded in the time loop. Differences are roundings of single precision.
 * Action potentials of about 100 ms. */
Test(nodes, maps_equal_times_that_are_found_in_the_voltages_of_all_steps)
{
    enum { FRAMES = 2601, MAPS = 4 };
    static float frames[(size_t)FRAMES * VERTICES], map[MAPS][VERTICES];
    static const char *const names[MAPS] = {"activation", "repolarisation", "rest", "peak"};
    const double dt_ms = 0.05;
    for (int single = 0; single < 2; single++) {
        free(works("run case.yaml -o out --force --set time.end_ms=130 --set "
                   "series.every_ms=0.05 --set output.maps=[repolarisation,rest,peak] --set "
                   "machine.precision=%s" NODES CHEAP " --set cell.scale=[tau_close=0.3]",
            single ? "single" : "double"));
        read_array("out/series.hdf", "VTKHDF/PointData/V", MT_H5_FLOAT, (size_t)FRAMES * VERTICES, frames);
        for (int k = 0; k < MAPS; k++) {
            char name[64];
            (void)snprintf(name, sizeof name, "VTKHDF/PointData/%s", names[k]);
            read_array("out/result.hdf", name, MT_H5_FLOAT, VERTICES, map[k]);
        }
        double earliest_ms = INFINITY, latest_ms = -INFINITY;
        for (size_t v = 0; v < VERTICES; v++) {
            const action_potential a = find_action_potential(dt_ms, FRAMES, frames, VERTICES, v);
            const double found[MAPS] = {a.activation_ms, a.repolarisation_ms, a.rest_mV, a.peak_mV};
            for (int k = 0; k < MAPS; k++)
                cr_assert_float_eq((double)map[k][v], found[k], 1e-4, "vertex %zu, %s: %.9g, not %.9g", v,
                    names[k], (double)map[k][v], found[k]);
            earliest_ms = fmin(earliest_ms, a.activation_ms), latest_ms = fmax(latest_ms, a.activation_ms);
        }
        cr_expect(latest_ms > earliest_ms + 2, "no front: %g to %g ms", earliest_ms, latest_ms);
    }
}

/* Returns the number of vertices in the scar alone: those at x > 2 and y < 1. */
static size_t n_in_scar(void)
{
    size_t n = 0;
    for (int x = 0; x < 7; x++)
        for (int y = 0; y < 5; y++) n += x > 4 && y < 2 ? 3 : 0;
    return n;
}

Test(nodes, vertices_of_scar_alone_have_no_values)
{
    float activation[VERTICES], frames[4 * VERTICES];
    int64_t number[VERTICES];
    size_t n_nan = 0, n = VERTICES - n_in_scar();
    write_text("scar.yaml", SMALL_SLAB USUAL_TISSUE
        "time: {dt_ms: 0.05, end_ms: 15}\nseries: {every_ms: 5}\n"
        "regions:\n  - {min_mm: [2, 0, 0], max_mm: [3, 1, 1], non_conducting: true}\n" SMALL_STIMULUS(
            "2") "points:\n  - {name: scar, at_mm: [2.6, 0.4, 0.5]}\n  - {name: tissue, at_mm: [2.6, 1.4, "
                 "0.5]}\n"
                 "traces: {every_ms: 5}\n"
                 "machine: {backend: cpu}\ndiffusion: {discretisation: nodes}\n");
    char *table = works("run scar.yaml -o out --format json");
    cr_expect_eq(json_property(table, "vertices"), (double)n);
    cr_expect_eq(json_property(table, "vertices_activated_percent"), 100);
    free(table);
    read_array("out/result.hdf", "VTKHDF/PointData/activation", MT_H5_FLOAT, VERTICES, activation);
    read_array("out/series.hdf", "VTKHDF/PointData/V", MT_H5_FLOAT, 4 * n, frames);
    read_array("out/series.hdf", "VTKHDF/PointData/vertex", MT_H5_INT64, n, number);
    for (size_t v = 0, k = 0; v < VERTICES; v++) {
        const bool conducts = k < n && number[k] == (int64_t)v;
        k += conducts;
        n_nan += isnan(activation[v]) != 0;
        cr_assert_eq(isnan(activation[v]), !conducts, "vertex %zu", v);
    }
    cr_expect_eq(n_nan, n_in_scar());
    for (size_t k = 0; k < n; k++) {
        cr_assert_float_eq((double)frames[k], -85.23, 1e-4);
        cr_assert_gt(frames[3 * n + k], -20, "an action potential at 15 ms");
    }
    size_t bytes;
    char *traces = bytes_of("out/traces.csv", &bytes);
    cr_expect(strstr(traces, "\n15,,"), "no value in the scar, a value in the tissue: %s", traces);
    free(traces);
}

/* Runs on the host and on machines, and compares the files. */
static void expect_bits_of_host(const char *sets)
{
    static const char *const machines[] = {"--set machine.tiles=3",
        "--set machine.tiles=7 --set machine.ipus=2", "--set machine.tiles=20 --set machine.scheme=exact",
        "--set machine.partition=hierarchical --set machine.tiles=5"};
    static float host[VERTICES], tiles[VERTICES];
    free(works("run case.yaml -o host --force%s", sets));
    for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
        free(works("run case.yaml -o tiles --force%s --set machine.backend=ipu %s", sets, machines[k]));
        cr_expect(same_file("host/traces.csv", "tiles/traces.csv"), "%s%s", machines[k], sets);
        for (int map = 0; map < 2; map++) {
            const char *name = map == 0 ? "VTKHDF/PointData/activation" : "VTKHDF/PointData/peak";
            read_array("host/result.hdf", name, MT_H5_FLOAT, VERTICES, host);
            read_array("tiles/result.hdf", name, MT_H5_FLOAT, VERTICES, tiles);
            cr_expect_arr_eq(host, tiles, sizeof host, "%s%s: %s", machines[k], sets, name);
        }
    }
}

/* Saves a partition for 2 IPUs of 8 tiles: the vertices of scar alone on one tile, all others on another. */
static void write_two_parts(const char *path)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    uint32_t part[VERTICES];
    cr_assert_eq(mt_slab_make(&arena, (double[]){3, 2, 1}, 0.5, &mesh), MT_OK);
    for (uint32_t v = 0; v < VERTICES; v++) part[v] = v % 7 > 4 && v / 7 % 5 < 2 ? 3 : 11;
    const mt_partition partition = {
        .n_parts = 16, .parts_per_group = 8, .n_elements = VERTICES, .part = part};
    cr_assert_eq(
        mt_vtkhdf_write_partition(path, &(mt_unknowns){&mesh, true}, &partition), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* True if the cells of a run are on this number of tiles. */
static bool on_tiles(const char *profile, int n)
{
    char words[64];
    size_t bytes;
    char *text = bytes_of(profile, &bytes);
    const char *ode = strstr(text, "{\"name\": \"ode\"");
    cr_assert_not_null(ode);
    (void)snprintf(words, sizeof words, "\"tile_compute_cycles\": {\"tiles\": %d,", n);
    const char *first = strstr(ode, "\"tile_compute_cycles\""), *found = strstr(ode, words);
    const bool same = found == first;
    free(text);
    return same;
}

Test(nodes, a_partition_of_vertices_saved_with_the_mesh_is_used)
{
    static const char sets[] = NODES CHEAP " --set time.end_ms=3 --set machine.backend=ipu --set "
                                           "machine.target=eight.yaml --set machine.ipus=2";
    write_machine("eight.yaml", 8);
    write_text("saved.yaml",
        "mesh: {file: cut.hdf}\n" USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 3}\n"
        "regions:\n  - {min_mm: [2, 0, 0], max_mm: [3, 1, 1], non_conducting: true}\n" SMALL_STIMULUS("2"));
    write_two_parts("cut.hdf");
    free(works("run saved.yaml -o cut%s", sets));
    free(works("run saved.yaml -o saved%s --set machine.partition=saved", sets));
    cr_expect(same_file("cut/activation.csv", "saved/activation.csv"), "another partition");
    cr_expect(on_tiles("cut/profile.json", 16) && on_tiles("saved/profile.json", 1));
    free(works("run saved.yaml -o all%s --set regions=[] --set machine.partition=saved", sets));
    cr_expect(on_tiles("all/profile.json", 2));
    refuses(2, "cut.hdf: has a partition of vertices; allowed here: of elements",
        "run saved.yaml -o no%s --set diffusion.discretisation=elements --set machine.partition=saved", sets);
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    free(works("partition slab.hdf --target eight.yaml --ipus 2 -o cut.hdf --force"));
    refuses(2,
        "cut.hdf: has a partition of elements; allowed here: of vertices, as `myotile partition MESH "
        "--discretisation nodes",
        "run saved.yaml -o no%s --set machine.partition=saved", sets);
    free(works("partition slab.hdf --target eight.yaml --ipus 2 --discretisation nodes -o cut.hdf --force"));
    free(works("run saved.yaml -o again%s --set machine.partition=saved", sets));
    cr_expect(same_file("cut/activation.csv", "again/activation.csv"));
}

/* With links between chips and the spreading there are more phases than in a run with voltages in the elements. */
Test(nodes, the_table_of_segments_has_all_phases_of_a_run_on_several_chips_continued_on_others)
{
    static const char *const columns[] = {
        "first_step", "pde_compute", "stimulus", "beats", "spreading_compute", "links", "time_s"};
    static const char sets[] =
        NODES CHEAP " --set machine.backend=ipu --set machine.ipus=4 --set "
                    "machine.tiles=9 --set output.beats=every --set output.beat_ms=1 --set "
                    "checkpoint.at_end=true";
    mt_arena arena = {0};
    free(works("run case.yaml -o out --set time.end_ms=1.5%s", sets));
    char *text = works("run --resume out --set time.end_ms=3 --set machine.tiles=7 --format json");
    const json *rows = json_rows(json_parse_and_free(&arena, text), "segments");
    cr_assert_eq(json_length(rows), 2);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        cr_expect(!isnan(json_value(rows->first->next, columns[k])), "%s", columns[k]);
    mt_arena_free(&arena);
}

#define ON_MACHINE                                                                                           \
    NODES CHEAP " --set output.maps=[rest,peak] --set machine.precision=single --set "                       \
                "traces.every_ms=1"

/* The machine has the bits of the host for any number of tiles and IPUs and any scheme, also after a resumed run. */
Test(nodes, the_emulated_machine_has_the_bits_of_the_host)
{
    expect_bits_of_host(ON_MACHINE);
    expect_bits_of_host(ON_MACHINE " --set diffusion.accumulation=double-word --set time.pde_steps=3");
    expect_bits_of_host(ON_MACHINE IMPLICIT);
}

/* Returns the activation time of the far corner. */
static double corner_ms(const char *sets)
{
    free(works("run corners.yaml -o corners --force" NODES "%s", sets));
    return far_ms("corners");
}

/* The error of backward Euler is of first order, and those of Crank-Nicolson and of small explicit steps are smaller (solver/monodomain.h).
 * On the emulated machine the table has the cycles of the solver. */
Test(nodes, implicit_steps_activate_at_the_times_of_small_explicit_steps)
{
    write_text("corners.yaml", corners);
    const double exact = 2 * corner_ms(FINE) - corner_ms(USUAL_STEP),
                 euler = corner_ms(IMPLICIT USUAL_STEP) - exact, fine = corner_ms(IMPLICIT FINE) - exact,
                 crank = corner_ms(IMPLICIT USUAL_STEP " --set diffusion.scheme=crank-nicolson") - exact;
    cr_expect_lt(fabs(euler), 0.03 * exact, "%g ms of %g", euler, exact);
    cr_expect(euler / fine > 1.6 && euler / fine < 2.4, "%g and %g ms of %g", euler, fine, exact);
    cr_expect_lt(fabs(crank), 0.1 * fabs(euler), "%g and %g ms of %g", crank, euler, exact);
    char *table = works("run case.yaml -o machine" NODES CHEAP IMPLICIT
                        " --set machine.backend=ipu --set machine.tiles=7 --set time.end_ms=1");
    cr_expect(strstr(table, "implicit solver compute") && strstr(table, "spreading compute"), "%s", table);
    free(table);
}

/* Weak cells are spread more, with the law of their own chain; the factor of the case applies to all. The vertices at x = 3 mm are
 * weak, so that some of the 48 elements before them are, too. */
Test(nodes, each_kind_of_cells_has_a_law_of_its_own)
{
    mt_arena arena = {0};
    double strength[3][2], n = 0;
    static const char *const factor[] = {"1", "0.5", "0.25"};
    write_text("weak.yaml",
        "mesh: {slab: {size_mm: [6, 4, 2], edge_mm: 1}}\n" USUAL_TISSUE
        "time: {dt_ms: 0.05, end_ms: 1}\n" SMALL_STIMULUS(
            "2") "regions:\n  - {min_mm: [3, 0, 0], max_mm: [6, 4, 2], scale: [g_Na=0.12]}\n"
                 "machine: {backend: cpu}\ndiffusion: {discretisation: nodes}\n");
    for (int k = 0; k < 3; k++) {
        char *text =
            works("run weak.yaml -o out --force --format json --set diffusion.nodal_spreading=%s", factor[k]);
        /* a half of the spreading is stable, all of it is not */
        cr_expect_eq(strstr(text, "kept_spreading_percent") != NULL, k == 0);
        const json *rows = json_rows(json_parse_and_free(&arena, text), "fronts");
        cr_assert_eq(json_length(rows), 2);
        const json *healthy = rows->first, *weak = healthy->next;
        strength[k][0] = json_value(healthy, "spreading"), strength[k][1] = json_value(weak, "spreading");
        n = json_value(healthy, "elements") + json_value(weak, "elements");
        cr_expect(json_value(healthy, "elements") > 96 && json_value(healthy, "elements") < 144);
        cr_expect_neq(
            json_value(healthy, "error_with_elements_percent"), json_value(healthy, "error_percent"));
        cr_expect_float_eq(json_value(healthy, "error_with_elements_percent"), 2.6, 0.5);
        cr_expect(json_value(weak, "along_mm_per_ms") < 0.7 * json_value(healthy, "along_mm_per_ms"));
    }
    cr_expect_eq(n, 288);
    cr_expect(strength[0][1] > 1.2 * strength[0][0], "%g, %g", strength[0][0], strength[0][1]);
    for (int i = 0; i < 2; i++) cr_expect_float_eq(strength[2][i], strength[1][i] / 2, 1e-9);
    mt_arena_free(&arena);
}

/* Writes the small slab with the tag 2 at x > 1.5 mm. */
static void write_tagged(const char *path)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(&arena, (double[]){3, 2, 1}, 0.5, &mesh), MT_OK);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        mesh.region[c] = x[0] > 1.5 ? 2 : 1;
    }
    cr_assert_eq(mt_vtkhdf_write(path, &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* The series of all conducting vertices has the same values at these numbers. */
Test(nodes, a_series_of_a_tag_has_the_vertices_of_its_elements)
{
    enum { FRAMES = 4, ALL = 93, TAGGED = 48 };
    static float all[FRAMES * ALL], tagged[FRAMES * TAGGED];
    int64_t number[ALL], some[TAGGED];
    size_t k = 0;
    write_tagged("mesh.hdf");
    write_text("tagged.yaml",
        "mesh: {file: mesh.hdf}\n" USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 15}\nseries: {every_ms: 5}\n"
        "regions:\n  - {min_mm: [2, 0, 0], max_mm: [3, 1, 1], non_conducting: true}\n" SMALL_STIMULUS(
            "2") "machine: {backend: cpu}\ndiffusion: {discretisation: nodes}\n");
    free(works("run tagged.yaml -o all"));
    free(works("run tagged.yaml -o tagged --set series.tag=2"));
    read_array("all/series.hdf", "VTKHDF/PointData/V", MT_H5_FLOAT, FRAMES * ALL, all);
    read_array("all/series.hdf", "VTKHDF/PointData/vertex", MT_H5_INT64, ALL, number);
    read_array("tagged/series.hdf", "VTKHDF/PointData/V", MT_H5_FLOAT, FRAMES * TAGGED, tagged);
    read_array("tagged/series.hdf", "VTKHDF/PointData/vertex", MT_H5_INT64, TAGGED, some);
    for (size_t v = 0; v < ALL; v++) {
        if (number[v] % 7 < 3) continue; /* x < 1.5 mm */
        cr_assert_eq(some[k], number[v]);
        for (size_t frame = 0; frame < FRAMES; frame++)
            cr_assert_eq(tagged[frame * TAGGED + k], all[frame * ALL + v]);
        k++;
    }
    cr_expect_eq(k, TAGGED);
}

/* The page of a run is made of its values in memory, another one of its files. */
Test(nodes, a_report_shows_means_of_the_vertices)
{
    sketch_draws = true;
    free(works("run case.yaml -o out --set output.maps=[conduction_velocity,peak] --set "
               "series.every_ms=5" NODES));
    free(works("report out -o page.html"));
    cr_expect(same_file("page.html", "out/report.html"));
}

/* Also after a beat, with recorded quantities, in either precision. */
Test(nodes, a_resumed_run_has_the_files_of_an_uninterrupted_run)
{
    static const char *const names[] = {
        "result.hdf", "activation.csv", "used.yaml", "series.hdf", "traces.csv", "checkpoint-0000000300.hdf"};
    static const char sets[] = NODES CHEAP " --set output.maps=[rest,peak] --set series.every_ms=1 --set "
                                           "traces.every_ms=1 --set checkpoint.at_end=true";
    for (int single = 0; single < 2; single++) {
        const char *precision = single ? "single" : "double";
        free(works("run case.yaml -o one --set machine.precision=%s%s", precision, sets));
        free(works("run case.yaml -o two --set machine.precision=%s%s --set time.end_ms=2", precision, sets));
        cr_assert(there("two/checkpoint-0000000040.hdf"));
        free(works("run --resume two --set time.end_ms=15"));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            char a[64], b[64];
            (void)snprintf(a, sizeof a, "one/%s", names[k]);
            (void)snprintf(b, sizeof b, "two/%s", names[k]);
            cr_expect(same_file(a, b), "%s, %s precision", names[k], precision);
        }
    }
}

Test(nodes, checkpoints_of_the_other_discretisation_are_refused)
{
    static const char short_run[] = CHEAP " --set time.end_ms=1 --set checkpoint.at_end=true";
    free(works("run case.yaml -o nodes%s" NODES, short_run));
    free(works("run case.yaml -o elements%s", short_run));
    refuses(2,
        "checkpoint-0000000020.hdf: a checkpoint of a run with diffusion.discretisation: nodes, here "
        "diffusion.discretisation: elements",
        "run --resume nodes --set diffusion.discretisation=elements");
    refuses(2,
        "elements/checkpoint-0000000020.hdf: from a run with diffusion.discretisation elements; here nodes",
        "run case.yaml -o other --set start.state=elements/checkpoint-0000000020.hdf%s" NODES, CHEAP);
    free(works("run case.yaml -o other --set start.state=nodes/checkpoint-0000000020.hdf" NODES CHEAP
               " --set time.end_ms=1 --set stimuli.0.start_ms=0.5 --set "
               "stimuli.0.duration_ms=0.1"));
}

/* Every file is the same, byte by byte, if the default is stated. */
Test(nodes, a_case_that_states_elements_has_the_files_of_one_without_the_key)
{
    static const char *const names[] = {"result.hdf", "activation.csv", "used.yaml", "series.hdf",
        "series.xdmf", "traces.csv", "checkpoint-0000000100.hdf", "activation.png"};
    static const char sets[] = CHEAP " --set series.every_ms=1 --set traces.every_ms=1 "
                                     "--set time.end_ms=5 --set checkpoint.at_end=true";
    free(works("run case.yaml -o one%s", sets));
    free(works("run case.yaml -o two --set diffusion.discretisation=elements%s", sets));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char a[64], b[64];
        (void)snprintf(a, sizeof a, "one/%s", names[k]);
        (void)snprintf(b, sizeof b, "two/%s", names[k]);
        cr_expect(same_file(a, b), "%s", names[k]);
    }
}

Test(nodes, commands_for_elements_refuse_vertices)
{
    write_text("nodes.yaml", SMALL_SLAB USUAL_TISSUE "time: {end_ms: 15}\n" SMALL_STIMULUS(
                                 "2") "machine: {backend: cpu}\ndiffusion: {discretisation: nodes}\n");
    refuses(2, "nodes.yaml: diffusion.discretisation: nodes; allowed here: elements",
        "tune --case nodes.yaml --cv-l 0.6 --cv-t 0.3");
    refuses(2, "nodes.yaml: diffusion.discretisation: nodes; allowed here: elements",
        "restitution --case nodes.yaml");
}
