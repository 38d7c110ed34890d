#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "mesh/files/formats.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/vertex_mean.h"

#include <omp.h>

/* The slab of 3 x 2 x 1 mm at 0.5 mm. */
enum { VERTICES = 7 * 5 * 3, ELEMENTS = 288 };

static mt_arena arena;

/* Sets up a case on a mesh in CARP's format, with a scar. */
static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    free(works("mesh convert slab.hdf slab.pts"));
    write_text("case.yaml",
        "mesh: {file: slab.pts}\n" USUAL_TISSUE "time: {end_ms: 6}\n"
        "regions:\n  - {min_mm: [2.5, 0, 0], max_mm: [3, 2, 1], non_conducting: true}\n"
        "output: {maps: [peak], vertices: [csv, dat]}\n" SMALL_STIMULUS("2") "machine: {backend: cpu}\n");
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(vertex_map, .init = enter, .fini = leave);

/* Reads the last number of each line of a file, after its first `skipped` lines. */
static void last_numbers(const char *path, int skipped, double *number)
{
    size_t n, rows = 0;
    char *text = bytes_of(path, &n), *save;
    for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
        if (skipped-- > 0) continue;
        cr_assert_lt(rows, VERTICES, "%s", path);
        number[rows++] = strtod(strrchr(row, ',') ? strrchr(row, ',') + 1 : row, NULL);
    }
    cr_assert_eq(rows, VERTICES, "%s: %zu", path, rows);
    free(text);
}

Test(vertex_map, vertex_maps_contain_vertex_means_in_the_order_of_the_mesh_file)
{
    mt_mesh mesh;
    double *of_element, *mean, csv[VERTICES], dat[VERTICES];
    float values[ELEMENTS];
    size_t n, missing = 0;
    free(works("run case.yaml -o out"));
    cr_assert_eq(mt_mesh_read(&arena, "slab.pts", &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_vtkhdf_read_field(&arena, "out/result.hdf", "activation", ELEMENTS, &of_element), MT_OK);
    for (size_t c = 0; c < ELEMENTS; c++) values[c] = (float)of_element[c];
    cr_assert_eq(mt_vertex_mean(&arena, &mesh, values, &mean), MT_OK);
    last_numbers("out/activation_vertices.csv", 1, csv);
    last_numbers("out/activation.dat", 0, dat);
    for (size_t v = 0; v < VERTICES; v++) {
        missing += isnan(mean[v]) != 0;
        cr_expect_eq(isnan(csv[v]) != 0, isnan(mean[v]) != 0, "vertex %zu", v);
        if (!isnan(mean[v])) cr_expect_float_eq(csv[v], mean[v], 1e-8 * mean[v], "vertex %zu", v);
        cr_expect_eq(dat[v], isnan(mean[v]) ? -1 : csv[v], "vertex %zu: %g", v, dat[v]);
    }
    cr_expect_eq(missing, 5 * 3, "the scar's outer end");
    char *text = bytes_of("out/activation_vertices.csv", &n), *peak = bytes_of("out/peak_vertices.csv", &n),
         *potentials = bytes_of("out/peak.dat", &n);
    cr_expect(strstr(text, "x_mm,y_mm,z_mm,activation_ms\n0,0,0,") == text, "%s", text);
    cr_expect(strstr(text, "\n0.5,0,0,") && strstr(text, "\n3,2,1,nan\n"), "%s", text);
    cr_expect(strstr(peak, "x_mm,y_mm,z_mm,peak_mV\n0,0,0,") == peak);
    cr_expect(strstr(potentials, "\nnan\n") && !strstr(potentials, "\n-1\n"));
    free(text), free(peak), free(potentials);
}

Test(vertex_map, each_beat_has_its_own_map_and_outdated_maps_are_deleted)
{
    static const char beats[] =
        "--set cell.model=mitchell-schaeffer --set cell.type=standard --set time.end_ms=280 --set "
        "time.dt_ms=0.05 --set stimuli.0.count=2 --set stimuli.0.period_ms=270 --set output.beats=every";
    free(works("run case.yaml -o out %s", beats));
    cr_expect(there("out/activation.dat") && there("out/activation_beat2.dat") &&
              there("out/peak_beat2.dat") && there("out/activation_beat2_vertices.csv"));
    free(works("run out/used.yaml -o again"));
    cr_expect(same_file("out/peak_beat2.dat", "again/peak_beat2.dat"));
    write_text("out/mine.dat", "1\n");
    free(works("run case.yaml -o out --set output.vertices=[csv] --set output.maps=[]"));
    cr_expect(there("out/activation_vertices.csv") && !there("out/activation.dat") &&
              !there("out/activation_beat2.dat"));
    cr_expect(!there("out/peak_vertices.csv") && !there("out/activation_beat2_vertices.csv") &&
              there("out/mine.dat"));
    free(works("run case.yaml -o out --set output.vertices=[]"));
    cr_expect(!there("out/activation_vertices.csv") && there("out/peak.png"));
    refuses(2, "output.vertices=[vtk]: vtk; allowed: any of csv, dat",
        "run case.yaml --set output.vertices=[vtk]");
}
