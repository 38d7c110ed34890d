/* `myotile eikonal`: maps of cases against runs of the same cases, and laws. */
#include <criterion/criterion.h>

#include "tests/app/map_file.h"
#include "tests/app/network_case.h"
#include "tests/app/program.h"
#include "tests/app/sketch.h"

#include "mesh/vtk/vtkhdf.h"
#include "tests/solver/small_case.h"

#include <math.h>
#include <omp.h>

/* A bar of boxes of 0.25 mm, stimulated at its end: a plane wave along the fibres. Cells that are quickly computed. */
#define BAR_MESH "mesh: {slab: {size_mm: [10, 1, 1], edge_mm: 0.25}}\n"
#define QUICK_CELLS "cell: {model: mitchell-schaeffer, type: standard}\n"
#define END_STIMULUS                                                                                         \
    "stimuli:\n  - {min_mm: [0, 0, 0], max_mm: [1, 1, 1], duration_ms: 2, strength_uA_mm3: 50}\n"
#define CPU "machine: {backend: cpu}\n"
#define BAR BAR_MESH NETWORK_TISSUE QUICK_CELLS "time: {dt_ms: 0.05, end_ms: 60}\n" END_STIMULUS CPU
static const char bar[] = BAR "points:\n  - {name: far, at_mm: [9, 0.5, 0.5]}\n";
enum { BAR_ELEMENTS = 40 * 4 * 4 * 6, BAR_VERTICES = 41 * 5 * 5 };
#define NODES " --set diffusion.discretisation=nodes"

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("bar.yaml", bar);
}

TestSuite(eikonal_map, .init = enter, .fini = leave_room, .timeout = 120);

static void read_mesh(mt_arena *arena, const char *folder, mt_mesh *mesh)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    cr_assert_eq(mt_vtkhdf_read(arena, path, mesh), MT_OK, "%s", mt_message());
}

/* Returns the number of a key in the row of the first stimulus. */
static double row_number(const char *table, const char *key)
{
    char name[64];
    (void)snprintf(name, sizeof name, "\"%s\": ", key);
    const char *row = strstr(table, "{\"stimulus\": 0,"), *value = row ? strstr(row, name) : NULL;
    cr_assert_not_null(value, "no '%s' in %s", key, table);
    return strtod(value + strlen(name), NULL);
}

/* Returns the number of this property in a table of rows with an error in ms. */
static double error_of(const char *table, const char *row) { return json_number(table, row, "ms"); }

/* A plane wave has no curvature. The difference to the run is then that of CV on elements of 0.14 mm, at most 2 % of 27 ms
 * (solver/README.md), and the border of the stimulus, which is half an element, 0.2 ms, uncertain. */
Test(eikonal_map, a_plane_wave_agrees_with_a_run_with_either_discretisation)
{
    static const char *const sets[] = {"", NODES}, *const fields[] = {"CellData", "PointData"};
    for (int k = 0; k < 2; k++) {
        char field[64];
        free(works("run bar.yaml -o run --force%s", sets[k]));
        char *table = works("eikonal bar.yaml -o map --force --compare run --format json%s", sets[k]);
        cr_expect_lt(fabs(error_of(table, "mean")), 0.8, "%s", table);
        cr_expect_lt(error_of(table, "percentile_95"), 0.8, "%s", table);
        cr_expect_lt(json_number(table, "rms", "percent"), 3, "%s", table);
        cr_expect_eq(json_property(table, "activated_percent"), 100);
        cr_expect_float_eq(json_property(table, "activated_mm3"), 10, 1e-9);
        cr_expect_eq(json_property(table, "elements"), BAR_ELEMENTS);
        cr_expect_eq(json_property(table, "vertices"), BAR_VERTICES);
        free(table);
        (void)snprintf(field, sizeof field, "VTKHDF/%s/activation", fields[k]);
        free(read_map("map", field, k == 0 ? BAR_ELEMENTS : BAR_VERTICES));
        cr_expect(there("map/activation.png") && there("map/activation.csv") && there("map/used.yaml"));
    }
}

/* The slope of the times is the reciprocal of CV, proportional to the square root of the conductivity, and the first vertices have the
 * latency of the stimulus. Times of a plane wave are exact. */
Test(eikonal_map, times_follow_from_cv_and_the_square_root_of_the_conductivity)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_text("slow.yaml",
        BAR "regions:\n  - {min_mm: [5, 0, 0], max_mm: [10, 1, 1], conductivity_factor: 0.25}\n");
    char *table = works("eikonal slow.yaml -o map --format json" NODES);
    float *times = read_map("map", "VTKHDF/PointData/activation", BAR_VERTICES);
    read_mesh(&arena, "map", &mesh);
    const double cv = json_number(table, "standard", "along_mm_per_ms"),
                 inside_ms = row_number(table, "latency_ms"), launch_ms = row_number(table, "launch_ms");
    cr_expect(cv > 0.3 && cv < 0.37, "%g mm/ms", cv);
    /* the stimulus raises V by 35.7 mV/ms, from -80 to 0 mV without the currents of the cells */
    cr_expect(inside_ms > 0.5 && inside_ms < 80 / 35.7, "%g ms", inside_ms);
    cr_expect(launch_ms > inside_ms && launch_ms < 5, "%g ms", launch_ms);
    for (size_t v = 0; v < BAR_VERTICES; v++) {
        const double x = mesh.xyz_mm[3 * v],
                     expected =
                         x <= 1 ? inside_ms : launch_ms + (fmin(x, 5) - 1) / cv + fmax(x - 5, 0) / (cv / 2);
        cr_assert_float_eq(
            (double)times[v], expected, 1e-4, "x %g mm: %g ms, not %g", x, (double)times[v], expected);
    }
    free(table), free(times);
    mt_arena_free(&arena);
}

/* Returns by how much a spherical wavefront from radius r to radius R is later with the curvature; e = D / v. */
static double curvature_law(double e, double v, double r, double R)
{
    return (2 * e * log(R / r) + 2 * e * e * (1 / r - 1 / R)) / v;
}

/* In isotropic tissue a sphere in the corner of a cube starts a spherical wavefront. Its speed is v - 2 D / R, which the eikonal equation
 * has without the curvature. From the radius r of the stimulus on, a run is therefore later by
 * (2 D / v^2) ln((R - 2 D / v) / (r - 2 D / v)). This is the first order in the curvature. A wavefront also starts later from a sphere
 * of this size than from a plane, for which the latency is measured: by about 1 ms. The solution's own error, late, is below 0.3 ms.
 * Near the other faces, which are sealed, a wavefront accelerates. */
Test(eikonal_map, a_run_from_a_sphere_is_later_by_its_curvature)
{
    enum { ELEMENTS = 12 * 12 * 12 * 6 };
    const double d = 0.0953, r = 1.5;
    mt_arena arena = {0};
    mt_mesh mesh;
    size_t n = 0;
    write_text("sphere.yaml",
        "mesh: {slab: {size_mm: [3, 3, 3], edge_mm: 0.25}}\n" QUICK_CELLS
        "tissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.17, extracellular_l_mS_mm: 0.62, "
        "extracellular_t_mS_mm: 0.62, chi_per_mm: 140, cm_uF_mm2: 0.01}\ntime: {dt_ms: 0.05, end_ms: "
        "60}\nstimuli:\n"
        "  - {centre_mm: [0, 0, 0], radius_mm: 1.5, duration_ms: 2, strength_uA_mm3: 50}\n" CPU);
    free(works("run sphere.yaml -o run"));
    char *table = works("eikonal sphere.yaml -o map --format json --compare run");
    const double v = json_number(table, "standard", "along_mm_per_ms");
    float *run = read_map("run", "VTKHDF/CellData/activation", ELEMENTS),
          *map = read_map("map", "VTKHDF/CellData/activation", ELEMENTS);
    read_mesh(&arena, "map", &mesh);
    for (size_t c = 0; c < ELEMENTS; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        const double radius = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        if (radius < 2 || fmax(x[0], fmax(x[1], x[2])) > 2.25) continue;
        const double late = (double)run[c] - (double)map[c],
                     law = 2 * d / (v * v) * log((radius - 2 * d / v) / (r - 2 * d / v));
        n++;
        cr_assert(late > law - 0.3 && late < law + 1.2, "at %g, %g, %g mm: %g ms late, law %g ms", x[0], x[1],
            x[2], late, law);
    }
    cr_expect_gt(n, ELEMENTS / 8);
    cr_expect_lt(error_of(table, "mean"), -0.5, "%s", table);

    /* with the curvature the map is later by its law (solver/eikonal/curvature.h) from the border of the stimulus, which is between 1.5 and
     * 2 mm; the delay remains by which the wavefront starts later in the run */
    char *curved = works("eikonal sphere.yaml -o curved --format json --compare run --curvature");
    float *with = read_map("curved", "VTKHDF/CellData/activation", ELEMENTS);
    for (size_t c = 0; c < ELEMENTS; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        const double radius = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        if (radius < 2 || fmax(x[0], fmax(x[1], x[2])) > 2 || radius > 2.75) continue;
        const double later = (double)with[c] - (double)map[c];
        cr_assert(later > curvature_law(d / v, v, 2, radius) - 0.1 &&
                      later < curvature_law(d / v, v, 1.5, radius) + 0.1,
            "at %g, %g, %g mm: %g ms later", x[0], x[1], x[2], later);
    }
    cr_expect_gt(error_of(curved, "mean"), 0.8 * error_of(table, "mean"), "%s", curved);
    cr_expect_lt(error_of(curved, "percentile_95"), 0.75 * error_of(table, "percentile_95"), "%s", curved);
    cr_expect_gt(json_property(curved, "curvature_sweeps"), 1);
    free(curved), free(with);
    free(table), free(run), free(map);
    mt_arena_free(&arena);
}

Test(eikonal_map, non_conducting_tissue_and_what_is_behind_it_has_no_time)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_text(
        "scar.yaml", BAR "regions:\n  - {min_mm: [5, 0, 0], max_mm: [6, 1, 1], non_conducting: true}\n");
    char *table = works("eikonal scar.yaml -o map --format json");
    float *times = read_map("map", "VTKHDF/CellData/activation", BAR_ELEMENTS);
    read_mesh(&arena, "map", &mesh);
    for (size_t c = 0; c < BAR_ELEMENTS; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        cr_assert_eq(isnan(times[c]), x[0] > 5, "x %g mm", x[0]);
    }
    cr_expect_eq(json_property(table, "inert_elements"), BAR_ELEMENTS / 10);
    cr_expect_float_eq(json_property(table, "activated_mm3"), 5, 1e-9);
    cr_expect_float_eq(json_property(table, "activated_percent"), 100 * 5 / 9., 1e-6);
    free(table), free(times);
    mt_arena_free(&arena);
}

/* Cells without sodium current do not propagate: neither they nor the cells that they separate from the stimulus have times. */
Test(eikonal_map, cells_without_propagation_do_not_conduct)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char *table;
    write_text("cells.yaml", BAR_MESH NETWORK_TISSUE
        "cell: {type: epi}\ntime: {dt_ms: 0.05, end_ms: 60}\n" END_STIMULUS CPU
        "regions:\n  - {min_mm: [5, 0, 0], max_mm: [6, 1, 1], scale: [g_Na=0, g_CaL=0]}\n");
    char *said = warnings(&table, "eikonal cells.yaml -o map --format json");
    cr_expect(strstr(said, "found no propagation along a converged cable; they do not conduct"), "%s", said);
    float *times = read_map("map", "VTKHDF/CellData/activation", BAR_ELEMENTS);
    read_mesh(&arena, "map", &mesh);
    for (size_t c = 0; c < BAR_ELEMENTS; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        cr_assert_eq(isnan(times[c]), x[0] > 5, "x %g mm", x[0]);
    }
    free(said), free(table), free(times);
    mt_arena_free(&arena);
}

Test(eikonal_map, used_yaml_reproduces_the_map)
{
    free(works("eikonal bar.yaml -o first" NODES));
    free(works("eikonal first/used.yaml -o second"));
    float *a = read_map("first", "VTKHDF/PointData/activation", BAR_VERTICES),
          *b = read_map("second", "VTKHDF/PointData/activation", BAR_VERTICES);
    cr_expect_eq(memcmp(a, b, BAR_VERTICES * sizeof *a), 0);
    free(a), free(b);
}

/* ---- conduction networks ---- */

/* The times along the cables follow from their lengths and CV, and the tissue at a junction from the given delay. */
Test(eikonal_map, a_network_carries_activation_to_its_junctions)
{
    junction_row row[ROWS_MOST];
    char text[1500];
    write_text("network.csv", small_network);
    (void)snprintf(text, sizeof text,
        "%stime: {dt_ms: 0.05, end_ms: 40}\n" CPU "network:\n  file: network.csv\n%s"
        "  stimuli:\n    - {node: 0, radius_mm: 0.5}\n",
        NETWORK_SLAB, NETWORK_CABLES);
    write_text("network.yaml", text);
    char *table = works("eikonal network.yaml -o map --format json --junction-delay-ms 2,1");
    const double cv = json_property(table, "speed_mm_per_ms"),
                 latency_ms = json_property(table, "latency_ms");
    cr_expect(cv > 2 && cv < 3, "%g mm/ms", cv);
    cr_expect(latency_ms > 0.1 && latency_ms < 2, "%g ms", latency_ms);
    /* from node 0 by 1 and 2, or 3, to the free ends: nodes 4, 5 and 6; the first 0.5 mm are stimulated */
    const double left = 3 + sqrt(1 + 0.25 + 1), right = 3 + sqrt(1 + 0.25 + 1),
                 length[] = {
                     left + sqrt(0.25 + 1 + 4), left + sqrt(0.09 + 0.64 + 4), right + sqrt(0.25 + 1 + 4)};
    cr_assert_eq(read_junctions("map", row), 3);
    for (size_t k = 0; k < 3; k++) {
        const double expected = latency_ms + (length[k] - 0.5) / cv;
        /* the stimulus ends at a point, at most a spacing before 0.5 mm */
        cr_expect_float_eq(
            row[k].cable_ms, expected, 0.3 / cv, "junction %zu: %g, not %g ms", k, row[k].cable_ms, expected);
        cr_expect(
            row[k].delay_ms > 1.2 && row[k].delay_ms < 2.001, "junction %zu: %g ms", k, row[k].delay_ms);
        cr_expect_str_eq(row[k].passage, "antegrade");
    }
    cr_expect_eq(json_property(table, "activated_percent"), 100);
    free(table);

    /* in the other direction the tissue activates the cables after the retrograde delay */
    (void)snprintf(text, sizeof text,
        "%stime: {dt_ms: 0.05, end_ms: 40}\n" CPU "network:\n  file: network.csv\n%s"
        "stimuli:\n  - {min_mm: [0, 0, 0], max_mm: [5, 5, 2], strength_uA_mm3: 50, duration_ms: 2}\n",
        NETWORK_SLAB, NETWORK_CABLES);
    write_text("back.yaml", text);
    table = works("eikonal back.yaml -o back --format json --junction-delay-ms 2,1");
    cr_assert_eq(read_junctions("back", row), 3);
    /* the wavefront starts later than the tissue inside the stimulus is depolarised */
    const double back_ms = -1 - (row_number(table, "launch_ms") - row_number(table, "latency_ms"));
    for (size_t k = 0; k < 3; k++)
        cr_expect_float_eq(row[k].delay_ms, back_ms, 1e-6, "junction %zu: %g ms", k, row[k].delay_ms);
    free(table);
}

/* ---- messages ---- */

static void warns(const char *part, const char *line)
{
    char *table, *said = warnings(&table, line);
    cr_expect(strstr(said, part), "%s: %s", line, said);
    free(said), free(table);
}

Test(eikonal_map, what_an_eikonal_map_cannot_have_is_named)
{
    const char bar_line[] = "eikonal bar.yaml -o map --force";
    char line[300];
    static const char *const parts[][2] = {
        {"stimuli: count: ignored", " --set stimuli.0.count=3 --set stimuli.0.period_ms=400"},
        {"output.maps: ignored", " --set output.maps=[apd]"},
        {"found no capture", " --set stimuli.0.strength_uA_mm3=0.5"},
    };
    for (size_t k = 0; k < 2; k++) {
        (void)snprintf(line, sizeof line, "%s%s", bar_line, parts[k][1]);
        warns(parts[k][0], line);
    }
    write_text("twice.yaml", BAR_MESH NETWORK_TISSUE QUICK_CELLS
        "time: {dt_ms: 0.05, end_ms: 60}\nstimuli:\n"
        "  - {min_mm: [0, 0, 0], max_mm: [1, 1, 1], duration_ms: 2, strength_uA_mm3: 50}\n"
        "  - {min_mm: [8, 0, 0], max_mm: [9, 1, 1], start_ms: 50, duration_ms: 2, strength_uA_mm3: 50}\n"
        "  - {min_mm: [9.2, 0, 0], max_mm: [10, 1, 1], duration_ms: 2, strength_uA_mm3: 0.5}\n" CPU);
    warns("stimuli.1: found its tissue activated before its start at 50 ms",
        "eikonal twice.yaml -o map --force");
    warns("stimuli.2: found no capture of a cable", "eikonal twice.yaml -o map --force");
}

Test(eikonal_map, invalid_requests_are_refused)
{
    write_text("weak.yaml", BAR_MESH NETWORK_TISSUE QUICK_CELLS
        "time: {dt_ms: 0.05, end_ms: 60}\n"
        "stimuli:\n  - {min_mm: [0, 0, 0], max_mm: [1, 1, 1], duration_ms: 2, strength_uA_mm3: 0.5}\n" CPU);
    free(works("eikonal bar.yaml -o map"));
    refuses(2, "--compare map: found another mesh (3840 elements); allowed: a run on that of the case (720)",
        "eikonal bar.yaml -o other --compare map --set mesh.slab.edge_mm=0.5 --set points=[] --set "
        "mesh.slab.size_mm=[15,1,1]");
    /* as many vertices and elements, but others */
    refuses(2, "found another mesh (3840 elements); allowed: a run on that of the case (3840)",
        "eikonal bar.yaml -o other --compare map --set mesh.slab.cut=kuhn");
    refuses(2, "found another mesh (3840 elements)",
        "eikonal bar.yaml -o other --compare map --set mesh.slab.size_mm=[20,2,2] --set "
        "mesh.slab.edge_mm=0.5");
    refuses(3, "nothing: no such folder", "eikonal bar.yaml -o other --compare nothing");
    refuses(2, "--junction-delay-ms with a case without network.file",
        "eikonal bar.yaml -o other --junction-delay-ms 1,2");
    refuses(
        2, "start.state: found map/result.hdf", "eikonal bar.yaml -o other --set start.state=map/result.hdf");
    refuses(2, "stimuli.0",
        "eikonal bar.yaml -o other --set stimuli.0.min_mm=[20,20,20] --set stimuli.0.max_mm=[21,21,21]");
    refuses(2, "eikonal: an argument is missing; usage: myotile eikonal CASE.yaml", "eikonal");
    refuses(2, "stimuli: found none that activates tissue", "eikonal weak.yaml -o other");
}
