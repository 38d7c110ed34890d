/* myotile report: the page has the data of the files. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/app/report/page_data.h"
#include "tests/mesh/tagged_slab.h"
#include "tests/solver/small_case.h"

#include "app/draw/chart/ecg_picture.h"
#include "data/files/csv.h"
#include "data/files/h5.h"
#include "data/files/lock.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/anatomy/patch.h"
#include "mesh/names.h"
#include "mesh/vertex_mean.h"

#include <omp.h>

enum { N = 288, FRAMES = 7 };

static mt_arena arena;

/* 288 elements, with a non-conducting region and all files of a run. */
static const char body[] = SMALL_SLAB USUAL_TISSUE
    "title: Small & <slab>\n"
    "time: {end_ms: 3}\nregions:\n  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], non_conducting: true}\n"
    "stimuli:\n  - {min_mm: [0, 0, 0], max_mm: [0.5, 2, 1], duration_ms: 2, strength_uA_mm3: 50}\n"
    "points:\n  - {name: the end, at_mm: [2.7, 1, 0.5]}\n  - {name: 'first, begun', at_mm: [0.2, 1, 0.5]}\n"
    "machine: {tiles: 3}\noutput: {maps: [peak, conduction_velocity]}\n"
    "traces: {every_ms: 0.5, fields: [V, Ca_i]}\nseries: {every_ms: 0.5}\n"
    "ecg: {every_ms: 0.5}\nelectrodes:\n  - {name: ahead, at_mm: [6, 1, 0.5]}\n";

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("page.html", bare_page);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(report_command, .init = enter, .fini = leave);

static void make_run(void) { free(works("run case.yaml -o out --profile out")); }

static page report_of(const char *line)
{
    free(works("report %s -o r.html --template page.html", line));
    return open_page(&arena, "r.html");
}

static const json *only_run(const page *p)
{
    const json *runs = json_at(p->data, "runs");
    cr_assert_eq(json_length(runs), 1);
    return runs->first;
}

static mt_mesh result_mesh(const char *path)
{
    mt_mesh mesh;
    cr_assert_eq(mt_vtkhdf_read(&arena, path, &mesh), MT_OK, "%s", mt_message());
    return mesh;
}

static float *result_field(const char *name, size_t components)
{
    mt_h5 h5 = {0};
    char full[128];
    float *values = json_take(&arena, N * components, sizeof *values);
    (void)snprintf(full, sizeof full, "VTKHDF/CellData/%s", name);
    cr_assert_eq(mt_h5_open("out/result.hdf", &h5), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_h5_read(&h5, full, MT_H5_FLOAT, components > 1 ? 2 : 1, (size_t[]){N, components}, values), MT_OK,
        "%s", mt_message());
    mt_h5_close(&h5);
    for (size_t c = 0; components > 1 && c < N; c++) {
        const float *v = values + 3 * c;
        values[c] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return values;
}

/* Finds the mesh vertex of each vertex of the page; the distance is at most half a step in each direction. */
static uint32_t *vertices_of(const page *p, const json *positions, const mt_mesh *mesh, size_t *n)
{
    const double *x = array(&arena, p, positions, n);
    *n /= 3;
    uint32_t *vertex = json_take(&arena, *n, sizeof *vertex);
    for (size_t k = 0; k < *n; k++) {
        size_t v = 0;
        for (bool found = false; !found; v += !found) {
            cr_assert_lt(
                v, mesh->n_vertices, "[%g %g %g] is no vertex", x[3 * k], x[3 * k + 1], x[3 * k + 2]);
            found = true;
            for (size_t d = 0; d < 3; d++)
                found = found && fabs(x[3 * k + d] - mesh->xyz_mm[3 * v + d]) <= half_step(positions);
        }
        vertex[k] = (uint32_t)v;
    }
    return vertex;
}

static void expect_near(const page *p, const json *about, size_t n, const double *values)
{
    size_t n_there;
    const double *there = array(&arena, p, about, &n_there);
    cr_assert_eq(n_there, n);
    for (size_t k = 0; k < n; k++) {
        cr_assert_eq(isnan(there[k]) != 0, isnan(values[k]) != 0, "%zu: %g, %g", k, there[k], values[k]);
        if (!isnan(values[k]))
            cr_assert_leq(
                fabs(there[k] - values[k]), half_step(about), "%zu: %g, %g", k, there[k], values[k]);
    }
}

static double *means_at(const mt_mesh *mesh, const float *values, size_t n, const uint32_t *vertex)
{
    double *all, *some = json_take(&arena, n, sizeof *some);
    cr_assert_eq(mt_vertex_mean(&arena, mesh, values, &all), MT_OK);
    for (size_t k = 0; k < n; k++) some[k] = all[vertex[k]];
    return some;
}

Test(report_command, every_map_equals_the_result_at_vertices_and_elements)
{
    static const char *const names[] = {"activation", "peak", "conduction_velocity"};
    static const char *const units[] = {"ms", "mV", "mm/ms"};
    size_t n, n_cut, n_triangles, missing = 0;
    make_run();
    const page p = report_of("out");
    const json *heart = json_at(only_run(&p), "heart"), *map = json_at(heart, "maps")->first;
    const mt_mesh mesh = result_mesh("out/result.hdf");
    const uint32_t *vertex = vertices_of(&p, json_at(heart, "surface.position"), &mesh, &n),
                   *cut = vertices_of(&p, json_at(heart, "cut.position"), &mesh, &n_cut);
    const double *element = array_at(&arena, &p, heart, "surface.element", &n_triangles);
    cr_expect_eq(json_value(heart, "n_elements"), N);
    cr_expect_eq(json_value(heart, "error_mm"), 0);
    cr_expect_eq(n_triangles, 2 * 2 * (6 * 4 + 6 * 2 + 4 * 2));
    cr_expect_eq(json_value(heart, "n_surface_triangles"), (double)n_triangles);
    cr_expect_eq(json_length(json_at(heart, "maps")), 3);
    for (int k = 0; k < 3; k++, map = map->next) {
        const float *values = result_field(names[k], k == 2 ? 3 : 1);
        double *own = json_take(&arena, n_triangles, sizeof *own);
        for (size_t t = 0; t < n_triangles; t++) own[t] = (double)values[(size_t)element[t]];
        for (size_t t = 0; t < n_triangles; t++) missing += isnan(own[t]) != 0;
        cr_expect_str_eq(json_at(map, "name")->text, names[k]);
        cr_expect_str_eq(json_at(map, "unit")->text, units[k]);
        cr_expect_eq(json_at(map, "beat")->kind, JSON_NULL);
        expect_near(&p, json_at(map, "vertex"), n, means_at(&mesh, values, n, vertex));
        expect_near(&p, json_at(map, "cut"), n_cut, means_at(&mesh, values, n_cut, cut));
        expect_near(&p, json_at(map, "element"), n_triangles, own);
    }
    cr_expect_gt(missing, 0);
}

Test(report_command, triangles_are_faces_of_their_elements)
{
    size_t n, n_corners;
    make_run();
    const page p = report_of("out");
    const json *surface = json_at(only_run(&p), "heart.surface");
    const mt_mesh mesh = result_mesh("out/result.hdf");
    const uint32_t *vertex = vertices_of(&p, json_at(surface, "position"), &mesh, &n);
    const double *corner = array_at(&arena, &p, surface, "triangle", &n_corners),
                 *element = array_at(&arena, &p, surface, "element", &n);
    cr_assert_eq(n_corners, 3 * n);
    for (size_t k = 0; k < n_corners; k++) {
        const uint32_t *of = mesh.element_vertex + 4 * (size_t)element[k / 3], v = vertex[(size_t)corner[k]];
        cr_assert(v == of[0] || v == of[1] || v == of[2] || v == of[3], "triangle %zu", k / 3);
    }
}

/* A slab with tagged surfaces, compared with the drawn face of each element. */
Test(report_command, triangles_carry_the_names_of_their_surfaces)
{
    mt_mesh mesh;
    size_t n, n_tags, tagged = 0;
    tagged_slab(&arena, (double[]){1, 1, 1}, 0.5, &mesh);
    cr_assert_eq(mt_vtkhdf_write("heart.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
    free(works("mesh fibres heart.hdf -o fibred.hdf"));
    write_text("heart.yaml", "mesh: {file: fibred.hdf}\n" USUAL_TISSUE
                             "time: {end_ms: 2.5}\nmachine: {backend: cpu}\n" SMALL_STIMULUS("2"));
    free(works("run heart.yaml -o out"));
    const page p = report_of("out");
    const json *surface = json_at(only_run(&p), "heart.surface"),
               *named = json_item(json_at(only_run(&p), "heart.named"), "name", "surface");
    mesh = result_mesh("fibred.hdf");
    const uint32_t *vertex = vertices_of(&p, json_at(surface, "position"), &mesh, &n);
    const double *corner = array_at(&arena, &p, surface, "triangle", &n),
                 *kind = array_at(&arena, &p, named, "triangle", &n_tags);
    cr_assert_eq(n, 3 * n_tags);
    for (size_t t = 0; t < n_tags; t++) {
        uint32_t drawn[3];
        const char *expected = NULL;
        for (size_t k = 0; k < 3; k++) drawn[k] = vertex[(size_t)corner[3 * t + k]];
        for (size_t f = 0; f < mesh.n_faces; f++) {
            size_t same = 0;
            for (size_t k = 0; k < 9; k++) same += drawn[k / 3] == mesh.face_vertex[3 * f + k % 3];
            if (same == 3) expected = mt_surface_name(mesh.face_tag[f]);
        }
        tagged += expected != NULL;
        const json *word = kind[t] > 0 ? json_at(named, "kinds")->first : NULL;
        for (size_t k = 1; word && k < (size_t)kind[t]; k++) word = word->next;
        cr_assert_eq(expected == NULL, word == NULL, "%zu", t);
        if (word) cr_assert_str_eq(word->text, expected);
    }
    cr_expect_gt(tagged, 20);
}

/* A number alone does not identify a surface; a name that is not a surface's is shown unchanged. */
Test(report_command, unnamed_tags_are_shown_as_numbers)
{
    mt_mesh mesh;
    bool named = false, numbered = false;
    tagged_slab(&arena, (double[]){1, 1, 1}, 0.5, &mesh);
    cr_assert_eq(mt_names_remove(&arena, &mesh, MT_NAMES_FACES), MT_OK);
    cr_assert_eq(mt_names_put(&arena, &mesh, MT_NAMES_FACES, MT_SURFACE_EPI, "patch", 5), MT_OK);
    cr_assert_eq(mt_vtkhdf_write("plain.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
    write_text("plain.yaml", "mesh: {file: plain.hdf}\n" USUAL_TISSUE
                             "time: {end_ms: 2.5}\nmachine: {backend: cpu}\n" SMALL_STIMULUS("2"));
    free(works("run plain.yaml -o out"));
    const page p = report_of("out");
    const json *kinds = json_at(json_item(json_at(only_run(&p), "heart.named"), "name", "surface"), "kinds");
    for (const json *word = kinds->first; word; word = word->next) {
        cr_expect_null(strstr(word->text, "base"), "%s", word->text);
        cr_expect_null(strstr(word->text, "endo"), "%s", word->text);
        numbered |= strcmp(word->text, "tag 3") == 0;
        named |= strcmp(word->text, "patch") == 0;
    }
    cr_assert(numbered && named);
}

/* The last of two overlapping regions wins. */
Test(report_command, triangles_carry_the_names_of_their_regions)
{
    size_t n;
    write_text("two.yaml", SMALL_SLAB USUAL_TISSUE
        "time: {end_ms: 0.1}\nregions:\n  - {min_mm: [1.5, 0, 0], max_mm: [2, 1, 1], non_conducting: true}\n"
        "  - {min_mm: [1.75, 0, 0], max_mm: [3, 2, 1], conductivity_factor: 0.5}\nmachine: {backend: "
        "cpu}\n" SMALL_STIMULUS("2"));
    free(works("run two.yaml -o out"));
    const page p = report_of("out");
    const json *named = json_item(json_at(only_run(&p), "heart.named"), "name", "region"),
               *surface = json_at(only_run(&p), "heart.surface");
    const mt_mesh mesh = result_mesh("out/result.hdf");
    const double *kind = array_at(&arena, &p, named, "triangle", &n),
                 *element = array_at(&arena, &p, surface, "element", &n);
    size_t found[3] = {0};
    cr_expect_str_eq(json_at(named, "kinds")->first->text, "regions.0, a box, non-conducting");
    cr_expect_str_eq(json_at(named, "kinds")->first->next->text, "regions.1, a box");
    for (size_t k = 0; k < n; k++) {
        double c[3];
        mt_mesh_centroid(&mesh, (size_t)element[k], c);
        const bool second = c[0] > 1.75 - 1e-9, first = !second && c[0] > 1.5 - 1e-9 && c[1] < 1 + 1e-9;
        cr_assert_eq(kind[k], second ? 2 : first ? 1 : 0, "triangle %zu", k);
        found[(size_t)kind[k]]++;
    }
    cr_expect(found[0] > 0 && found[1] > 0 && found[2] > 0);
}

Test(report_command, frames_are_vertex_means_of_the_series_at_the_frame_times)
{
    static const char *const places[] = {"surface.position", "cut.position"};
    static const char *const values[] = {"frames.v_mV", "frames.cut_v_mV"};
    size_t n, n_times, shape, part[2];
    mt_h5 h5 = {0};
    make_run();
    const page p = report_of("out");
    const json *heart = json_at(only_run(&p), "heart");
    const mt_mesh mesh = result_mesh("out/result.hdf");
    const double *time_ms = array_at(&arena, &p, heart, "frames.time_ms", &n_times);
    cr_assert_eq(mt_h5_open("out/series.hdf", &h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_shape(&h5, "VTKHDF/CellData/V", 1, &shape), MT_OK);
    cr_assert_eq(mt_h5_shape(&h5, "VTKHDF/CellData/element", 1, part), MT_OK);
    float *v = json_take(&arena, shape, sizeof *v), whole[N];
    int64_t *number = json_take(&arena, part[0], sizeof *number);
    cr_assert_eq(mt_h5_read(&h5, "VTKHDF/CellData/V", MT_H5_FLOAT, 1, &shape, v), MT_OK);
    cr_assert_eq(mt_h5_read(&h5, "VTKHDF/CellData/element", MT_H5_INT64, 1, part, number), MT_OK);
    mt_h5_close(&h5);
    cr_assert(n_times == FRAMES && part[0] < N);
    for (size_t f = 0; f < FRAMES; f++) cr_expect_float_eq(time_ms[f], 0.5 * (double)f, 1e-12);
    for (size_t k = 0; k < N; k++) whole[k] = NAN;
    for (int w = 0; w < 2; w++) {
        const uint32_t *vertex = vertices_of(&p, json_at(heart, places[w]), &mesh, &n);
        double *expected = json_take(&arena, FRAMES * n, sizeof *expected);
        for (size_t f = 0; f < FRAMES; f++) {
            for (size_t c = 0; c < part[0]; c++) whole[number[c]] = v[f * part[0] + c];
            memcpy(expected + f * n, means_at(&mesh, whole, n, vertex), n * sizeof *expected);
        }
        expect_near(&p, json_at(heart, values[w]), FRAMES * n, expected);
        cr_expect_str_eq(json_at(json_at(heart, values[w]), "type")->text, "u8");
    }
}

/* Reads a column of a file of traces. */
static double *column(const char *path, const char *name, size_t *n)
{
    mt_csv csv;
    cr_assert_eq(mt_csv_read(&arena, path, &csv), MT_OK, "%s", mt_message());
    const size_t k = mt_csv_find(&csv, name);
    cr_assert_lt(k, csv.n_columns, "%s", name);
    double *values = json_take(&arena, csv.n_rows, sizeof *values);
    for (size_t row = 0; row < csv.n_rows; row++) values[row] = mt_csv_number(&csv, row, k);
    *n = csv.n_rows;
    return values;
}

/* Checks a curve. `end_ms`: end of the stimulus at 0 ms, as an ECG omits samples during a stimulus; 0 if all samples are shown. */
static void expect_curve(
    const page *p, const json *group, const char *label, const char *path, const char *name, double end_ms)
{
    size_t n;
    const json *curve = json_item(json_at(group, "curves"), "label", label);
    double *values = column(path, name, &n);
    const double *time_ms = column(path, "time_ms", &n), *x = array_at(&arena, p, group, "x", &n);
    for (size_t k = 0; k < n; k++) {
        cr_assert_eq(x[k], time_ms[k]);
        if (time_ms[k] > 0 && time_ms[k] <= end_ms) values[k] = NAN;
    }
    expect_near(p, json_at(curve, "y"), n, values);
}

/* Returns the scale of the picture of one electrode, without the samples of the stimulus at 0 ms. */
static mt_ecg_scale paper_of(const char *name, double end_ms)
{
    size_t n;
    const double *value = column("out/ecg.csv", name, &n), *time_ms = column("out/ecg.csv", "time_ms", &n);
    mt_curve curve;
    mt_ecg_scale scale;
    cr_assert_eq(mt_curve_begin(&arena, time_ms[0], time_ms[n - 1], &curve), MT_OK);
    for (size_t k = 0; k < n; k++)
        if (time_ms[k] <= 0 || time_ms[k] > end_ms) mt_curve_add(&curve, time_ms[k], value[k]);
    cr_assert_eq(mt_ecg_scale_find(&(mt_ecg_record){.n = 1, .name = &name, .curve = &curve}, &scale), MT_OK);
    return scale;
}

Test(report_command, curves_equal_those_of_the_files_for_each_field_and_point)
{
    make_run();
    const page p = report_of("out");
    const json *run = only_run(&p), *traces = json_at(run, "traces"), *ecg = json_at(run, "ecg");
    cr_assert(json_length(traces) == 2 && json_length(ecg) == 1);
    cr_expect_str_eq(json_at(traces->first, "label")->text, "V");
    for (const json *group = traces->first; group; group = group->next)
        cr_expect_eq(json_length(json_at(group, "curves")), 2);
    expect_curve(&p, traces->first, "the end", "out/traces.csv", "the end V[mV]", 0);
    expect_curve(&p, traces->first, "first, begun", "out/traces.csv", "first, begun V[mV]", 0);
    expect_curve(&p, traces->first->next, "the end", "out/traces.csv", "the end Ca_i[mM]", 0);
    expect_curve(&p, ecg->first, "ahead", "out/ecg.csv", "ahead", 2);
    const json *span = json_at(ecg->first, "stimulated")->first;
    cr_expect(json_length(json_at(ecg->first, "stimulated")) == 1 && span->first->number == 0 &&
              span->first->next->number == 2);
    const mt_ecg_scale paper = paper_of("ahead", 2);
    cr_expect_eq(json_at(ecg->first, "mm_per_s")->number, 25);
    cr_expect_eq(paper.mm_per_s, 25);
    cr_expect_eq(json_at(ecg->first, "mm_per_mV")->first->number, paper.mm_per_mV[MT_ECG_LIMBS]);
    cr_expect_str_eq(json_at(ecg->first, "note")->text, mt_ecg_calibration);
    const json *curve = json_at(traces->first, "curves")->first;
    cr_expect_str_eq(json_at(curve, "unit")->text, "mV");
    cr_expect_eq(json_at(curve, "at_mm")->first->number, 2.7);
    const mt_mesh mesh = result_mesh("out/result.hdf");
    double centre[3];
    mt_mesh_centroid(&mesh, (size_t)json_value(curve, "element"), centre);
    cr_expect(fabs(centre[0] - 2.7) < 0.5 && fabs(centre[1] - 1) < 0.5 && fabs(centre[2] - 0.5) < 0.5);
}

Test(report_command, every_used_value_is_listed_with_its_unit_and_meaning)
{
    make_run();
    const page p = report_of("out");
    const json *run = only_run(&p), *used = json_at(run, "used");
    const json *dt = json_item(used, "key", "time.dt_ms"),
               *start = json_item(used, "key", "stimuli.0.start_ms");
    cr_expect_str_eq(json_at(dt, "value")->text, "0.02");
    cr_expect_str_eq(json_at(dt, "unit")->text, "ms");
    cr_expect_not_null(json_find(dt, "help"));
    cr_expect_str_eq(json_at(start, "unit")->text, "ms");
    cr_expect_str_eq(json_at(start, "default")->text, "0");
    for (const json *line = used->first; line; line = line->next)
        cr_expect_not_null(json_find(line, "help"), "%s", json_at(line, "key")->text);
    cr_expect_str_eq(json_at(run, "title")->text, "Small & <slab>");
    cr_expect_str_eq(json_at(run, "folder")->text, "out");
    cr_expect_str_eq(json_at(run, "command")->text, "myotile run 'out/used.yaml' --output 'out-again'");
}

Test(report_command, defaults_match_the_schema_and_automatic_values_are_stated)
{
    static const struct {
        const char *key, *fallback;
        double found; /* -1: the default is not automatic */
    } expected[] = {{"diffusion.tolerance_mV", "1e-4", -1}, {"mesh.file", "", -1}, {"start.state", "", -1},
        {"machine.target", "gc200", -1}, {"time.dt_ms", "0.02", -1}, {"cell.set", "[]", -1},
        {"traces.fields", "[V]", -1}, {"title", "", -1}, {"machine.tiles", "0", 1472},
        {"machine.ranges", "0", 0}, {"series.every_ms", "", -1}, {"time.pde_steps", "0", 0},
        {"output.maps", "[activation]", -1}, {"stimuli.0.min_mm", "", -1}};
    make_run();
    const page p = report_of("out");
    const json *used = json_at(only_run(&p), "used");
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const json *line = json_item(used, "key", expected[k].key);
        cr_expect_str_eq(json_at(line, "default")->text, expected[k].fallback, "%s", expected[k].key);
        if (expected[k].found < 0)
            cr_expect_null(json_find(line, "found"), "%s", expected[k].key);
        else
            cr_expect_eq(json_value(line, "found"), expected[k].found, "%s", expected[k].key);
    }
    cr_expect_null(json_find(json_item(used, "key", "stimuli.0.duration_ms"), "default"), "it is required");
}

Test(report_command, the_machine_is_taken_from_the_profile)
{
    size_t n, n_csv;
    make_run();
    const page p = report_of("out");
    const json *run = only_run(&p), *tiles = json_at(run, "machine.tiles");
    char *text = bytes_of("out/profile.json", &n);
    cr_expect_str_eq(text_at(&arena, &p, run, "machine.profile"), text);
    free(text);
    size_t of_phases = 0;
    for (const json *m = json_at(tiles, "measures")->first; m; m = m->next) {
        const double *csv = column("out/tiles.csv", json_at(m, "name")->text, &n_csv),
                     *values = array_at(&arena, &p, m, "value", &n);
        cr_assert(n == n_csv && n == (size_t)json_value(tiles, "n") && n >= 3);
        for (size_t t = 0; t < n; t++) cr_assert_eq(values[t], csv[t], "%s", json_at(m, "name")->text);
        of_phases += json_at(m, "phase")->kind == JSON_TEXT;
    }
    cr_expect_gt(of_phases, 2);
    cr_expect_str_eq(json_at(json_at(tiles, "measures")->first, "label")->text, "memory");
    cr_expect_eq(json_value(run, "machine.links"), 100);
    cr_expect_eq(json_length(json_at(tiles, "details")), 3);
    const json *table = json_at(run, "tables")->first;
    cr_expect_eq(json_length(json_at(table, "rows")), 2);
    cr_expect_str_eq(json_at(table, "rows")->first->next->first->text, "first, begun");
    const json *qrs = table->next;
    cr_expect_str_eq(json_at(qrs, "title")->text, "QRS complexes");
    cr_expect(json_length(json_at(qrs, "rows")) == 1 && !qrs->next);
    cr_expect_eq(json_at(qrs, "rows")->first->first->next->number, column("out/qrs.csv", "onset_ms", &n)[0]);
}

Test(report_command, a_profile_can_be_in_another_folder)
{
    make_run();
    cr_assert_eq(mkdir("prof", 0777), 0);
    cr_assert_eq(rename("out/profile.json", "prof/profile.json"), 0);
    page p = report_of("out");
    cr_expect_eq(json_at(only_run(&p), "machine")->kind, JSON_NULL);
    p = report_of("out --profile prof --force");
    cr_expect_not_null(json_parse(&arena, text_at(&arena, &p, only_run(&p), "machine.profile")));
    cr_expect_eq(json_at(only_run(&p), "machine.tiles")->kind, JSON_NULL);
}

Test(report_command, a_damaged_profile_is_rejected_with_its_line)
{
    size_t n;
    make_run();
    char *text = bytes_of("out/profile.json", &n);
    text[n / 2] = 0;
    write_text("out/profile.json", text);
    free(text);
    refuses(2, "out/profile.json:", "report out -o r.html --template page.html");
    write_text("out/profile.json", "{\"format\": \"myotile profile\",\n\"title\": \"\xff\"}\n");
    refuses(2, "out/profile.json:2: ", "report out -o r.html --template page.html");
}

Test(report_command, markup_in_titles_and_folder_names_is_escaped)
{
    static const char title[] = "</script><script>alert('x')</script>", folder[] = "a'b<!--&\xff";
    write_text("bad.yaml",
        SMALL_SLAB USUAL_TISSUE "title: \"</script><script>alert('x')</script>\"\ntime: {end_ms: "
                                "0.1}\nmachine: {backend: cpu}\n" SMALL_STIMULUS("2"));
    free(works("run bad.yaml -o %s", folder));
    const page p = report_of(folder);
    cr_expect_str_eq(json_at(only_run(&p), "title")->text, title);
    cr_expect_str_eq(json_at(only_run(&p), "folder")->text, "a'b<!--&\xEF\xBF\xBD");
    cr_expect_null(strstr(p.html, "alert('x')</script>"));
    cr_expect_null(strstr(p.html, "<!--&"));
    cr_expect_not_null(strstr(json_at(only_run(&p), "command")->text, "'a'\\''b"));
}

Test(report_command, missing_files_are_named)
{
    refuses(3, "nowhere: no such folder", "report nowhere -o r.html --template page.html");
    refuses(3, "case.yaml: not a folder", "report case.yaml -o r.html --template page.html");
    cr_assert_eq(mkdir("empty", 0777), 0);
    refuses(3, "empty: result.hdf is missing", "report empty -o r.html --template page.html");
    make_run();
    refuses(2, "the line '<!-- data -->' occurs nowhere", "report out -o r.html --template case.yaml");
    refuses(2, "--profile: given 2 times for 1 runs",
        "report out --profile out --profile out -o r.html --template page.html");
    refuses(2, "--size-mb and --full", "report out -o r.html --size-mb 1 --full --template page.html");
    cr_assert_eq(rename("out/used.yaml", "used.yaml"), 0);
    refuses(3, "out: used.yaml is missing", "report out -o r.html --template page.html");
    cr_assert_eq(rename("used.yaml", "out/used.yaml"), 0);
    write_text("out/traces.csv", "time_ms,a V[mV]\n0,1\n1\n");
    refuses(2, "out/traces.csv:3: 1 fields; allowed: 2", "report out -o r.html --template page.html");
    write_text("out/traces.csv", "t,a V[mV]\n0,1\n");
    refuses(2, "the first column is 't'; it must be 'time_ms'", "report out -o r.html --template page.html");
}

/* Locks a folder like a run. */
static int lock_folder(const char *mark)
{
    const int file = open(mark, O_RDWR | O_CREAT, 0666);
    cr_assert_eq(mt_lock_try(file), MT_LOCK_TAKEN);
    return file;
}

static bool notes_say(const page *p, const char *text)
{
    bool said = false;
    for (const json *note = json_at(only_run(p), "notes")->first; note; note = note->next)
        said = said || strstr(note->text, text);
    return said;
}

Test(report_command, running_and_interrupted_runs_are_reported_as_such)
{
    cr_assert_eq(mkdir("begun", 0777), 0);
    int file = lock_folder("begun/.myotile");
    refuses(3, "begun: result.hdf is missing: a run in this folder is in progress",
        "report begun -o r.html --template page.html");
    (void)close(file);
    make_run();
    page p = report_of("out");
    cr_expect(!notes_say(&p, "stopped") && !notes_say(&p, "A run was writing"));
    cr_expect(notes_say(&p, "of 288 elements"), "the non-conducting ones");
    file = lock_folder("out/.myotile");
    const mt_mesh mesh = result_mesh("out/result.hdf");
    const mt_vtkhdf_note notes[] = {{.name = "mesh_hash", .text = "none"},
        {.name = "time_reached_ms", .number = 1.5}, {.name = "end_ms", .number = 3},
        {.name = "stopped_by", .text = "SIGINT"}};
    cr_assert_eq(remove("out/series.hdf"), 0);
    cr_assert_eq(
        mt_vtkhdf_write_result("out/result.hdf", &mesh, 0, NULL, 4, notes), MT_OK, "%s", mt_message());
    p = report_of("out");
    cr_expect(notes_say(&p, "stopped by SIGINT at 1.5 of 3 ms") && notes_say(&p, "A run was writing"));
    cr_expect_eq(json_at(only_run(&p), "heart.frames")->kind, JSON_NULL);
    (void)close(file);
}

Test(report_command, a_series_of_another_mesh_is_rejected)
{
    make_run();
    const mt_mesh mesh = result_mesh("out/result.hdf");
    const mt_vtkhdf_note notes[] = {{.name = "mesh_hash", .text = "none"},
        {.name = "time_reached_ms", .number = 1.5}, {.name = "end_ms", .number = 3},
        {.name = "stopped_by", .text = "its end"}};
    cr_assert_eq(
        mt_vtkhdf_write_result("out/result.hdf", &mesh, 0, NULL, 4, notes), MT_OK, "%s", mt_message());
    refuses(2, "result.hdf has mesh none", "report out -o r.html --template page.html");
}

static size_t bytes_in(const char *path)
{
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    return (size_t)info.st_size;
}

/* The mesh has 17,280 elements. */
Test(report_command, a_report_does_not_exceed_its_size_limit)
{
    write_text("large.yaml",
        "mesh:\n  slab: {size_mm: [6, 5, 1.5], edge_mm: 0.25}\n" USUAL_TISSUE
        "time: {end_ms: 0.2}\nmachine: {backend: cpu}\nseries: {every_ms: 0.02}\n" SMALL_STIMULUS("2"));
    free(works("run large.yaml -o large"));
    free(works("report large -o all.html --full --template page.html"));
    const page whole = open_page(&arena, "all.html");
    const json *heart = json_at(only_run(&whole), "heart");
    cr_expect_eq(json_value(heart, "n_surface_triangles"), json_value(heart, "surface.triangle.count"));
    cr_expect_eq(json_value(heart, "cut.tetrahedron.count"), json_value(heart, "n_elements"));
    for (double mb = 0.05; mb > 0.022; mb *= 0.65) {
        free(works("report large -o part.html --size-mb %g --template page.html", mb));
        cr_expect_leq((double)bytes_in("part.html"), 1e6 * mb);
        cr_expect_gt((double)bytes_in("part.html"), 0.5e6 * mb);
        const page p = open_page(&arena, "part.html");
        heart = json_at(only_run(&p), "heart");
        cr_expect_lt(json_value(heart, "surface.triangle.count"), json_value(heart, "n_surface_triangles"));
        cr_expect_gt(json_value(heart, "error_mm"), 0);
        cr_expect(notes_say(&p, "The surface is simplified to "));
        size_t n;
        const mt_mesh mesh = result_mesh("large/result.hdf");
        (void)vertices_of(&p, json_at(heart, "surface.position"), &mesh, &n);
        (void)vertices_of(&p, json_at(heart, "cut.position"), &mesh, &n);
    }
    refuses(
        2, "at the coarsest resolution", "report large -o none.html --size-mb 0.015 --template page.html");
    refuses(
        2, "the page without results has", "report large -o none.html --size-mb 0.0001 --template page.html");
}

Test(report_command, reports_are_reproducible_and_show_several_runs_side_by_side)
{
    make_run();
    free(works("run case.yaml -o other --set title=Other --set machine.backend=cpu"));
    free(works("report out other -o a.html --template page.html"));
    free(works("report out other -o b.html --template page.html"));
    cr_expect(same_file("a.html", "b.html"));
    const page p = open_page(&arena, "a.html"); /* finds each array once */
    const json *runs = json_at(p.data, "runs");
    cr_assert_eq(json_length(runs), 2);
    cr_expect_str_eq(json_at(runs->first->next, "title")->text, "Other");
    cr_expect_eq(json_at(runs->first->next, "machine")->kind, JSON_NULL);
    for (const json *run = runs->first; run; run = run->next) {
        size_t n;
        (void)array_at(&arena, &p, run, "heart.surface.position", &n);
        cr_expect_eq(n, 3 * 90);
    }
}

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static float *activation_of(const char *path, size_t n)
{
    mt_h5 h5 = {0};
    float *values = json_take(&arena, n, sizeof *values);
    cr_assert_eq(mt_h5_open(path, &h5), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_h5_read(&h5, "VTKHDF/CellData/activation", MT_H5_FLOAT, 1, &n, values), MT_OK, "%s", mt_message());
    mt_h5_close(&h5);
    return values;
}

/* Checks the statistics of the second activation minus the first, over all elements with both. */
static void expect_statistics(const json *found, const float *before, const float *after)
{
    double list[N], sum = 0, squares = 0, largest = 0;
    size_t n = 0;
    for (size_t c = 0; c < N; c++) {
        if (isnan(before[c]) || isnan(after[c])) continue;
        list[n] = (double)after[c] - (double)before[c];
        sum += list[n], squares += list[n] * list[n], largest = fmax(largest, fabs(list[n])), n++;
    }
    qsort(list, n, sizeof *list, ascending);
    const double rank = 0.05 * (double)(n - 1), part = rank - floor(rank);
    const size_t k = (size_t)rank;
    cr_expect(n > 50 && n < N, "%zu", n);
    cr_expect_eq(json_value(found, "n"), (double)n);
    cr_expect_eq(json_value(found, "missing"), (double)(N - n));
    cr_expect_float_eq(json_value(found, "mean"), sum / (double)n, 1e-9);
    cr_expect_float_eq(json_value(found, "rms"), sqrt(squares / (double)n), 1e-9);
    cr_expect_float_eq(json_value(found, "p5"), (1 - part) * list[k] + part * list[k + 1], 1e-9);
    cr_expect_float_eq(json_value(found, "p50"), 0.5 * (list[(n - 1) / 2] + list[n / 2]), 1e-9);
    cr_expect_float_eq(json_value(found, "p95"), (1 - part) * list[n - 1 - k] + part * list[n - 2 - k], 1e-9);
    cr_expect_float_eq(json_value(found, "largest"), largest, 1e-12);
    const size_t element = (size_t)json_value(found, "element");
    cr_expect_float_eq(fabs((double)after[element] - (double)before[element]), largest, 1e-12);
}

Test(report_command, runs_on_the_same_mesh_have_statistics_of_their_differences)
{
    make_run();
    free(works("run case.yaml -o slow --set machine.backend=cpu --set tissue.intracellular_l_mS_mm=0.12"));
    free(works("run case.yaml -o other --set machine.backend=cpu --set mesh.slab.edge_mm=0.25"));
    free(works("report out slow other -o r.html --template page.html"));
    const page p = open_page(&arena, "r.html");
    const json *first = json_at(p.data, "runs")->first, *second = first->next, *third = second->next;
    cr_expect_str_eq(json_at(first, "heart.mesh")->text, json_at(second, "heart.mesh")->text);
    cr_expect_str_neq(json_at(first, "heart.mesh")->text, json_at(third, "heart.mesh")->text);
    cr_expect_eq(json_length(json_at(first, "differences")), 0);
    cr_assert_eq(json_length(json_at(second, "differences")), 3);
    cr_expect_eq(json_length(json_at(third, "differences")), 0);
    const json *found = json_item(json_at(second, "differences"), "map", "activation");
    cr_expect_eq(json_value(found, "run"), 0);
    expect_statistics(found, activation_of("out/result.hdf", N), activation_of("slow/result.hdf", N));
}

/* One of them has frames, so that it would be coarser if drawn separately. */
Test(report_command, runs_on_the_same_mesh_share_the_vertices_of_a_size_limited_report)
{
    static const char *const counts[] = {
        "heart.surface.position.count", "heart.surface.triangle.count", "heart.cut.position.count"};
    write_text("large.yaml", "mesh:\n  slab: {size_mm: [4, 4, 1.5], edge_mm: 0.25}\n" USUAL_TISSUE
                             "time: {end_ms: 2}\nmachine: {backend: cpu}\n" SMALL_STIMULUS("2"));
    free(works("run large.yaml -o plain"));
    free(works("run large.yaml -o frames --set series.every_ms=0.05"));
    free(works("report plain frames -o r.html --size-mb 0.06 --template page.html"));
    const page p = open_page(&arena, "r.html");
    const json *first = json_at(p.data, "runs")->first;
    cr_expect_lt(json_value(first, counts[1]), json_value(first, "heart.n_surface_triangles"));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        cr_expect_eq(json_value(first, counts[k]), json_value(first->next, counts[k]), "%s", counts[k]);
}

Test(report_command, the_command_prints_the_contents_of_the_report)
{
    make_run();
    char *text = works("report out -o r.html --template page.html --format json");
    cr_expect_float_eq(json_property(text, "size_mb"), (double)bytes_in("r.html") / 1e6, 1e-9);
    cr_expect_eq(json_number(text, "out", "triangles"), 176);
    cr_expect_eq(json_number(text, "out", "maps"), 3);
    cr_expect_eq(json_number(text, "out", "frames"), FRAMES);
    free(text);
}

/* Uses the installed template. */
Test(report_command, a_run_writes_the_same_report_and_deletes_an_old_one_if_disabled)
{
    if (!there("data/report/template.html")) cr_skip_test("the page is not built here");
    free(works("run case.yaml -o out --profile prof"));
    free(works("report out --profile prof -o r.html"));
    cr_expect(same_file("out/report.html", "r.html"));
    free(works("run case.yaml -o out --set output.report=false"));
    cr_expect(!there("out/report.html"));
}
