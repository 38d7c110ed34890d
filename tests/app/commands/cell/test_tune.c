/* myotile tune with the cheap model. The usual model is in test_tune_slow.c. */
#include <criterion/criterion.h>

#include "solver/case/case.h"
#include "tests/json.h"
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include <omp.h>

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(tune, .init = enter, .fini = leave);

#define CELLS "cell.model=mitchell-schaeffer --set cell.type=standard --set time.dt_ms=0.1"
#define QUICK "tune --set " CELLS " "
/* The wavefront of this model is thin, so coarse elements slow it. */
#define SHARP "tune --set cell.model=bueno-orovio --set time.dt_ms=0.1 --set diffusion.spreading=0 "
#define SPEEDS "--cv-l 0.5 --cv-t 0.4 "

static const json *tables_of(char *text) { return json_parse_and_free(&arena, text); }

static const json *tissue_of(const json *tables)
{
    return json_at(json_item(tables, "table", "tuned_tissue"), "properties");
}

static const json *wave_of(const json *tables, const char *direction)
{
    return json_item(json_rows(tables, "tuned_waves"), "direction", direction);
}

static void expect_speeds(const json *tables, double along, double across)
{
    const double asked[] = {along, across};
    static const char *const names[] = {"along", "across"};
    for (int k = 0; k < 2; k++) {
        const json *wave = wave_of(tables, names[k]);
        cr_expect_eq(json_value(wave, "asked_mm_per_ms"), asked[k]);
        cr_expect_float_eq(json_value(wave, "measured_mm_per_ms"), asked[k], 0.002 * asked[k], "%s: %g",
            names[k], json_value(wave, "measured_mm_per_ms"));
        const double percent =
            100 * (json_value(wave, "measured_mm_per_ms") / json_value(wave, "converged_mm_per_ms") - 1);
        cr_expect_float_eq(json_value(wave, "mesh_adds_percent"), percent, 1e-9);
    }
}

/* The CV of the cubic model is sqrt(D) times a constant of the model, 0.333 mm/ms for the usual longitudinal D
 * (tests/app/study/validation/test_waves_command.c). */
Test(tune, tuning_reaches_the_requested_cv_and_keeps_the_conductivity_ratios)
{
    static const char *const families[] = {"kuhn", "mirrored"};
    for (int f = 0; f < 2; f++) {
        const json *tables =
            tables_of(works(QUICK SPEEDS "--edge-mm 1 --format json --family %s", families[f]));
        const json *tissue = tissue_of(tables), *along = wave_of(tables, "along");
        expect_speeds(tables, 0.5, 0.4);
        cr_expect_str_eq(json_at(tissue, "family")->text, families[f]);
        cr_expect_float_eq(json_value(along, "converged_mm_per_ms"),
            0.333 * sqrt(json_value(tissue, "diffusivity_along_mm2_per_ms") / 0.0953), 0.003);
        cr_expect_float_eq(json_value(tissue, "extracellular_along_millisiemens_per_mm") /
                               json_value(tissue, "intracellular_along_millisiemens_per_mm"),
            0.62 / 0.17, 1e-3);
        cr_expect_float_eq(json_value(tissue, "extracellular_across_millisiemens_per_mm") /
                               json_value(tissue, "intracellular_across_millisiemens_per_mm"),
            0.24 / 0.019, 1e-3);
        cr_expect_float_eq(json_value(along, "length_mm"), 1 / cbrt(6), 1e-9);
    }
}

/* Scar causes no warning. */
Test(tune, ignored_parts_of_a_case_cause_a_warning)
{
    static const char *const rest[][2] = {{"regions:\n  - {tag: 1, non_conducting: true}\n", NULL},
        {"regions:\n  - {tag: 1, non_conducting: true}\n  - {tag: 2, conductivity_factor: 2}\n"
         "gradients:\n  - {parameter: tau_in, along: x, last: 2}\n",
            "found regions and gradients in the case"}};
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) {
        char text[2048], *table;
        (void)snprintf(text, sizeof text,
            SMALL_SLAB USUAL_TISSUE "time: {end_ms: 8}\n" SMALL_STIMULUS("2") "%s", rest[k][0]);
        write_text("case.yaml", text);
        char *said = warnings(&table, QUICK SPEEDS "--edge-mm 1 --family kuhn --case case.yaml");
        cr_expect(rest[k][1] ? strstr(said, rest[k][1]) != NULL : !strstr(said, "in the case"), "%s: %s",
            rest[k][0], said);
        free(said), free(table);
    }
}

/* Returns the text from "tissue:" on. */
static const char *snippet_of(const char *printed)
{
    const char *snippet = strstr(printed, "\ntissue:\n");
    cr_assert_not_null(snippet, "%s", printed);
    return snippet + 1;
}

Test(tune, the_printed_snippet_is_a_valid_tissue_section_that_needs_no_tuning)
{
    mt_case loaded;
    char text[2048], *printed = works(QUICK SPEEDS "--edge-mm 1");
    (void)snprintf(text, sizeof text,
        "mesh: {slab: {size_mm: [3.2, 1.6, 1.6], edge_mm: 0.8, cut: kuhn}}\n"
        "cell: {model: mitchell-schaeffer, type: standard}\ntime: {dt_ms: 0.1, end_ms: 40}\n"
        "machine: {backend: cpu}\n" SMALL_STIMULUS("2") "%s",
        snippet_of(printed));
    free(printed);
    write_text("tuned.yaml", text);
    cr_assert_eq(mt_case_load(&arena, "tuned.yaml", NULL, 0, &loaded), MT_OK, "%s", mt_message());
    reply run = myotile("run tuned.yaml");
    cr_expect_eq(run.code, 0, "%s", run.said);
    forget(&run);
    cr_expect(there("tuned/result.hdf"));
    const json *again = tissue_of(
        tables_of(works("tune --case tuned.yaml " SPEEDS "--edge-mm 1 --family mirrored --format json")));
    cr_expect_float_eq(json_value(again, "intracellular_along_millisiemens_per_mm"),
        loaded.tissue.intracellular_l_mS_mm, 2e-5 * loaded.tissue.intracellular_l_mS_mm);
    cr_expect_float_eq(json_value(again, "extracellular_across_millisiemens_per_mm"),
        loaded.tissue.extracellular_t_mS_mm, 2e-5 * loaded.tissue.extracellular_t_mS_mm);
}

/* Membrane parameters and element size are those of the case. */
Test(tune, unspecified_values_are_taken_from_the_case)
{
    write_text("own.yaml", "mesh: {slab: {size_mm: [3, 2, 2], edge_mm: 1, cut: kuhn}}\n" USUAL_TISSUE
                           "time: {end_ms: 2}\n" SMALL_STIMULUS("2"));
    static const char line[] = "tune --case own.yaml --set " CELLS " --format json " SPEEDS;
    const json *of_case = tables_of(works("%s", line)),
               *thick = tables_of(works("%s --set tissue.chi_per_mm=280", line)),
               *plain = tables_of(works("%s --set diffusion.spreading=0", line));
    const json *tissue = tissue_of(of_case);
    const double inside = json_value(tissue, "intracellular_along_millisiemens_per_mm");
    cr_expect_str_eq(json_at(tissue, "family")->text, "kuhn");
    cr_expect_float_eq(json_value(wave_of(of_case, "along"), "length_mm"), 1 / cbrt(6), 1e-9);
    cr_expect_float_eq(
        json_value(tissue_of(thick), "intracellular_along_millisiemens_per_mm"), 2 * inside, 1e-3 * inside);
    cr_expect_neq(json_value(tissue_of(plain), "intracellular_along_millisiemens_per_mm"), inside);
    expect_speeds(plain, 0.5, 0.4);
}

Test(tune, the_element_size_is_taken_from_the_mesh_file)
{
    free(works("mesh slab --size-mm 4,2,2 --edge-mm 1 -o own.hdf"));
    write_text("own.yaml", "mesh: {file: own.hdf}\n" USUAL_TISSUE "time: {end_ms: 2}\n" SMALL_STIMULUS("2"));
    const json *tables = tables_of(works("tune --case own.yaml --set " CELLS " --format json " SPEEDS));
    cr_expect_str_eq(json_at(tissue_of(tables), "family")->text, "gmsh");
    cr_expect_float_eq(json_value(wave_of(tables, "along"), "length_mm"), 1 / cbrt(6), 0.01);
}

Test(tune, strong_dependence_of_cv_on_the_element_size_causes_a_warning)
{
    char *out, *said = warnings(&out, SHARP "--cv-l 0.5 --cv-t 0.5 --edge-mm 1.4");
    cr_expect(strstr(said, "warning: tune: CV along the fibres is "), "%s", said);
    cr_expect(strstr(said, "slower than on a converged mesh"), "%s", said);
    free(out), free(said);
}

Test(tune, propagation_failure_is_reported)
{
    refuses(5, "CV of about 0.08 mm/ms, longitudinal: propagation fails in elements with edges of 2 mm",
        SHARP "--cv-l 0.08 --cv-t 0.08 --edge-mm 2");
}

Test(tune, invalid_options_are_rejected)
{
    refuses(
        2, "no --cv-l; needed: --cv-l and --cv-t, or --network or --junction", "tune --cv-t 0.2 --edge-mm 1");
    refuses(2, "--cv-l 0; allowed: 1 number above 0", "tune --cv-l 0 --cv-t 0.2 --edge-mm 1");
    refuses(2, "--cv-t fast; allowed", "tune --cv-l 0.4 --cv-t fast --edge-mm 1");
    refuses(2, "longitudinal CV 0.4 mm/ms, transverse CV 0.5; allowed: transverse at most longitudinal",
        "tune --cv-l 0.4 --cv-t 0.5 --edge-mm 1");
    refuses(2, "CV of 40 mm/ms, longitudinal; allowed: 0.02 to 10 mm/ms",
        "tune --cv-l 40 --cv-t 0.5 --edge-mm 1");
    refuses(2, "CV of 0.01 mm/ms, transverse; allowed: 0.02 to 10 mm/ms",
        "tune --cv-l 0.4 --cv-t 0.01 --edge-mm 1");
    refuses(2,
        "CV of 0.4 mm/ms, longitudinal: 0.008 mm in a time step of 0.02 ms; allowed: at most half an element "
        "edge, 0.005 mm",
        "tune --cv-l 0.4 --cv-t 0.2 --edge-mm 0.01");
    refuses(2, "elements; allowed: at most 3000000",
        "tune --cv-l 9 --cv-t 0.2 --edge-mm 0.01 --set time.dt_ms=0.0005 --set cell.model=mitchell-schaeffer "
        "--set cell.type=standard");
    refuses(2, "no element size; needed: --edge-mm, --length-mm or --case", "tune " SPEEDS);
    refuses(2, "--edge-mm and --length-mm are both given", "tune " SPEEDS "--edge-mm 1 --length-mm 1");
    refuses(2, "--edge-mm 0; allowed", "tune " SPEEDS "--edge-mm 0");
    refuses(
        2, "--family prisms; allowed: kuhn, mirrored, gmsh", "tune " SPEEDS "--edge-mm 1 --family prisms");
    refuses(2, "--seed 0; allowed", "tune " SPEEDS "--edge-mm 1 --seed 0");
    refuses(2, "cell.type: layers; allowed for a plane wave: cells of one type",
        "tune " SPEEDS "--edge-mm 1 --set cell.type=layers");
    refuses(2,
        "cell.scale, cell.set: parameters are changed; allowed for a plane wave: those of the cell type",
        "tune " SPEEDS "--edge-mm 1 --set cell.scale=[g_Na=0.5]");
    refuses(3, "none.yaml", "tune " SPEEDS "--case none.yaml");
    refuses(5,
        "longitudinal plane wave, elements with edges of 0.4 mm: pde_steps 1: diffusion steps of 0.1 "
        "ms are unstable",
        QUICK SPEEDS "--edge-mm 0.4 --set time.pde_steps=1");
}
