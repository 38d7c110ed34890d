/* Runs that choose their discretisation, by command. */
#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/json.h"
#include "tests/solver/small_case.h"

#include "data/files/h5.h"

#include <omp.h>

/* The expected errors are 4.8 % at the vertices and 1.9 % at the elements. */
static const char body[] = SMALL_SLAB USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 2}\n" SMALL_STIMULUS(
    "1") "points:\n  - {name: far, at_mm: [3, 2, 1]}\nmachine: {backend: cpu}\n"
         "diffusion: {discretisation: auto}\n";
#define CHEAP " --set cell.model=mitchell-schaeffer --set cell.type=standard"

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
}

TestSuite(discretisation, .init = enter, .fini = leave_room);

/* Checks whether the maps of a folder are at the vertices. */
static void expect_maps(const char *folder, bool at_vertices)
{
    char path[64];
    bool points, cells;
    MT_H5_SCOPE(h5);
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    cr_assert_eq(mt_h5_open(path, h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_has(h5, "VTKHDF/PointData/activation", &points), MT_OK);
    cr_assert_eq(mt_h5_has(h5, "VTKHDF/CellData/activation", &cells), MT_OK);
    cr_expect_eq(points, at_vertices, "%s", folder);
    cr_expect_eq(cells, !at_vertices, "%s", folder);
}

static bool file_has(const char *path, const char *what)
{
    size_t n;
    char *text = bytes_of(path, &n);
    const bool has = strstr(text, what) != NULL;
    free(text);
    return has;
}

Test(discretisation, the_choice_is_a_note_a_table_and_a_fact_of_the_results)
{
    static const char why[] =
        "voltages at the vertices: expected error 4.8 %, allowed 8 %; elements: 1.9 %, about "
        "five times the time";
    mt_arena arena = {0};
    char *table, *notes = warnings(&table, "run case.yaml -o out --format json" CHEAP), found[512];
    cr_expect(strstr(notes, "note: case.yaml: ") && strstr(notes, why), "%s", notes);
    const json *rows = json_rows(json_parse_and_free(&arena, table), "discretisation");
    cr_assert_eq(json_length(rows), 2);
    const json *used = rows->first, *other = used->next;
    cr_expect_str_eq(json_at(used, "discretisation")->text, "nodes");
    cr_expect_str_eq(json_at(used, "used")->text, "yes");
    cr_expect_str_eq(json_at(other, "discretisation")->text, "elements");
    cr_expect_float_eq(json_value(used, "error_percent"), 4.8, 0.1);
    cr_expect_float_eq(json_value(other, "error_percent"), 1.9, 0.1);
    cr_expect_eq(json_value(used, "allowed_percent"), 8);
    expect_maps("out", true);
    MT_H5_SCOPE(h5);
    cr_assert_eq(mt_h5_open("out/result.hdf", h5), MT_OK);
    cr_assert_eq(
        mt_h5_read_text(h5, "run", "discretisation", found, sizeof found), MT_OK, "%s", mt_message());
    cr_expect_str_eq(found, why);
    cr_expect(file_has("out/used.yaml", "  discretisation: nodes\n"));
    cr_expect_not(file_has("out/used.yaml", "accuracy_percent"));
    free(notes);
    mt_arena_free(&arena);
}

Test(discretisation, used_yaml_repeats_the_run)
{
    for (int k = 0; k < 2; k++) {
        char *table, line[160];
        (void)snprintf(line, sizeof line,
            "run case.yaml -o out --force --set diffusion.accuracy_percent=%d" CHEAP, k ? 8 : 3);
        free(warnings(&table, line)), free(table);
        free(works("run out/used.yaml -o again --force"));
        cr_expect(same_file("out/activation.csv", "again/activation.csv"));
        cr_expect(same_file("out/used.yaml", "again/used.yaml"));
        expect_maps("again", k);
    }
}

/* The second part of each run allows the other discretisation. */
Test(discretisation, a_resumed_run_takes_that_of_the_checkpoint)
{
    static const int allowed[] = {3, 8};
    for (int k = 0; k < 2; k++) {
        char *table, line[256];
        (void)snprintf(line, sizeof line,
            "run case.yaml -o parts --force --set diffusion.accuracy_percent=%d --set checkpoint.at_end=true "
            "--set "
            "time.end_ms=1" CHEAP,
            allowed[k]);
        free(warnings(&table, line)), free(table);
        (void)snprintf(line, sizeof line,
            "run case.yaml --resume parts --force --set diffusion.accuracy_percent=%d" CHEAP, allowed[!k]);
        char *notes = warnings(&table, line);
        cr_expect(strstr(notes, k ? "voltages at the vertices, as in the checkpoint"
                                  : "voltages at the elements, as in the checkpoint"),
            "%s", notes);
        free(notes), free(table);
        expect_maps("parts", k);
        (void)snprintf(line, sizeof line,
            "run case.yaml -o whole --force --set diffusion.accuracy_percent=%d" CHEAP, allowed[k]);
        free(warnings(&table, line)), free(table);
        cr_expect(same_file("parts/activation.csv", "whole/activation.csv"));
    }
}

Test(discretisation, a_saved_partition_decides)
{
    char *table;
    write_machine_of("four.yaml", 4, 638976);
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    free(works("partition slab.hdf --target four.yaml -o parts.hdf"));
    write_text("saved.yaml",
        "mesh: {file: parts.hdf}\n" USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 2}\n" SMALL_STIMULUS(
            "1") "machine: {target: four.yaml, partition: saved}\ndiffusion: {discretisation: auto}\n");
    char *notes = warnings(&table, "run saved.yaml -o out" CHEAP);
    cr_expect(strstr(notes, "voltages at the elements, as in the saved partition"), "%s", notes);
    expect_maps("out", false);
    free(notes), free(table);
    free(works("partition slab.hdf --target four.yaml --discretisation nodes -o parts.hdf --force"));
    notes = warnings(&table, "run saved.yaml -o vertices" CHEAP);
    cr_expect(strstr(notes, "voltages at the vertices, as in the saved partition"), "%s", notes);
    expect_maps("vertices", true);
    free(notes), free(table);
}

Test(discretisation, the_report_has_the_reason_with_the_value)
{
    char *table;
    free(warnings(&table, "run case.yaml -o out" CHEAP)), free(table);
    cr_expect(
        file_has("out/report.html", "Chosen automatically: voltages at the vertices: expected error 4.8 %"));
    free(works("report out -o page.html"));
    cr_expect(file_has("page.html", "Chosen automatically: voltages at the vertices: expected error 4.8 %"));
}

Test(discretisation, a_sweep_with_both_discretisations_is_warned_of)
{
    char *table,
        *said = warnings(&table, "run case.yaml -o sweep --sweep diffusion.accuracy_percent=3,8" CHEAP);
    cr_expect(
        strstr(said, "diffusion.discretisation: auto: found voltages at the elements (case.yaml, "
                     "accuracy_percent=3) and at the vertices (case.yaml, accuracy_percent=8) in one sweep"),
        "%s", said);
    expect_maps("sweep/accuracy_percent=3", false);
    expect_maps("sweep/accuracy_percent=8", true);
    free(said), free(table);
    said = warnings(&table, "run case.yaml -o same --sweep diffusion.accuracy_percent=9,8" CHEAP);
    cr_expect_null(strstr(said, "in one sweep"), "%s", said);
    free(said), free(table);
}
