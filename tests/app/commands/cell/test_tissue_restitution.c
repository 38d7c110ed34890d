/* myotile restitution in tissue, with the cheap model. tests/app/waves/test_premature.c tests the numbers of propagation; the
 * usual model is in test_tissue_restitution_slow.c. */
#include <criterion/criterion.h>

#include "solver/diffusion/tissue.h"
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

TestSuite(tissue_restitution, .init = enter, .fini = leave);

#define QUICK "restitution --model mitchell-schaeffer --dt-ms 0.1 --format json "

static const json *tables_of(char *text) { return json_parse_and_free(&arena, text); }

static const json *rows_of(const json *tables) { return json_rows(tables, "s1_s2_tissue"); }

static double property(const json *tables, const char *key)
{
    return json_value(json_at(json_item(tables, "table", "restitution"), "properties"), key);
}

/* CV and APD90 decrease with the interval until propagation is blocked: within 284 ms of S1 no cell is excited again. */
Test(tissue_restitution, cv_and_apd90_decrease_with_the_interval_until_conduction_block)
{
    const json *tables =
        tables_of(works(QUICK "--cable --beats 1 --intervals-ms 600,250,50 --picture curves.png"));
    double interval_ms = 600, di_ms = INFINITY, speed = property(tables, "s1_conduction_velocity_mm_per_ms"),
           apd_ms = property(tables, "s1_apd90_ms");
    for (const json *row = rows_of(tables)->first; row; row = row->next) {
        const double of_s1 = json_value(row, "conduction_velocity_mm_per_ms") /
                             property(tables, "s1_conduction_velocity_mm_per_ms");
        cr_expect_float_eq(json_value(row, "s1_s2_interval_ms"), interval_ms, 1e-9);
        cr_expect_lt(json_value(row, "diastolic_interval_ms"), di_ms);
        cr_expect_lt(json_value(row, "conduction_velocity_mm_per_ms"), speed);
        cr_expect_lt(json_value(row, "apd90_ms"), apd_ms);
        cr_expect_float_eq(json_value(row, "of_s1_percent"), 100 * of_s1, 1e-9);
        di_ms = json_value(row, "diastolic_interval_ms"), apd_ms = json_value(row, "apd90_ms");
        speed = json_value(row, "conduction_velocity_mm_per_ms");
        interval_ms -= 50;
    }
    cr_expect(interval_ms >= 284 && interval_ms <= 350, "%g", interval_ms);
    cr_expect_float_eq(property(tables, "shortest_interval_ms"), interval_ms + 50, 1e-9);
    cr_expect_eq(property(tables, "shortest_diastolic_interval_ms"), di_ms);
    cr_expect_float_eq(property(tables, "blocked_interval_ms"), interval_ms, 1e-9);
    cr_expect(there("curves.png"));
}

/* A single cell has the same DI except for the delay of S2, and another peak because of its stimulus: its APD90 is 1.6 ms
 * longer. */
Test(tissue_restitution, after_long_intervals_apd90_in_tissue_agrees_with_that_of_a_cell)
{
    static const char line[] = "--beats 2 --intervals-ms 900,600,150";
    const json *tissue = rows_of(tables_of(works(QUICK "--cable %s", line)))->first,
               *cell =
                   json_at(json_item(tables_of(works(QUICK "%s", line)), "table", "s1_s2"), "rows")->first;
    for (int k = 0; k < 3; k++, tissue = tissue->next, cell = cell->next) {
        cr_assert(tissue && cell);
        cr_expect_float_eq(json_value(tissue, "apd90_ms"), json_value(cell, "apd90_ms"), 2.2, "%g, %g",
            json_value(tissue, "apd90_ms"), json_value(cell, "apd90_ms"));
        cr_expect_float_eq(json_value(tissue, "diastolic_interval_ms"),
            json_value(cell, "diastolic_interval_ms"), 3.5, "%g, %g",
            json_value(tissue, "diastolic_interval_ms"), json_value(cell, "diastolic_interval_ms"));
    }
}

/* With boxes of 0.6 mm this model's CV is underestimated by 2 %, also that of premature beats. */
Test(tissue_restitution, a_slab_of_small_elements_has_the_cv_of_a_cable)
{
    static const char line[] = "--beats 1 --intervals-ms 350,350,1";
    const json *slab = tables_of(works(QUICK "--edge-mm 0.6 %s", line)),
               *cable = tables_of(works(QUICK "--cable %s", line)), *a = rows_of(slab)->first,
               *b = rows_of(cable)->first;
    const double speed = json_value(b, "conduction_velocity_mm_per_ms");
    cr_expect_float_eq(json_value(a, "conduction_velocity_mm_per_ms"), speed, 0.03 * speed, "%g, %g",
        json_value(a, "conduction_velocity_mm_per_ms"), speed);
    cr_expect_float_eq(json_value(a, "diastolic_interval_ms"), json_value(b, "diastolic_interval_ms"), 1);
    cr_expect_float_eq(json_value(a, "apd90_ms"), json_value(b, "apd90_ms"), 1);
    cr_expect_float_eq(property(slab, "length_mm"), 0.6 / cbrt(6), 1e-9);
    cr_expect(property(slab, "elements") > 5000 && property(cable, "elements") < 500);
}

/* Only the diffusivity contains a length. */
Test(tissue_restitution, transverse_cv_scales_with_the_root_of_diffusivity_at_equal_apd90)
{
    static const char line[] = "--beats 1 --intervals-ms 360,360,1";
    const json *along = rows_of(tables_of(works(QUICK "--cable %s", line)))->first,
               *across = rows_of(tables_of(works(QUICK "--cable --direction across %s", line)))->first;
    const double scale =
        sqrt(mt_tissue_diffusivity_t(&mt_tissue_default) / mt_tissue_diffusivity_l(&mt_tissue_default));
    cr_expect_float_eq(json_value(across, "conduction_velocity_mm_per_ms"),
        scale * json_value(along, "conduction_velocity_mm_per_ms"), 1e-8);
    cr_expect_float_eq(json_value(across, "apd90_ms"), json_value(along, "apd90_ms"), 1e-6);
}

/* A cell paced every 350 ms has rested for less than 100 ms. */
Test(tissue_restitution, s1_starts_from_paced_cells)
{
    static const char line[] = "--cable --bcl 350 --intervals-ms 350,350,1";
    const json *one = tables_of(works(QUICK "%s --beats 1", line)),
               *nine = tables_of(works(QUICK "%s --beats 9", line));
    const double rested = property(one, "s1_conduction_velocity_mm_per_ms"),
                 paced = property(nine, "s1_conduction_velocity_mm_per_ms");
    cr_expect(paced > 0.5 * rested && paced < 0.9 * rested, "%g, %g", paced, rested);
    cr_expect_lt(property(nine, "s1_apd90_ms"), property(one, "s1_apd90_ms") - 20);
}

/* Tissue with a quarter of the diffusivity, and cells with other parameters. */
Test(tissue_restitution, tissue_cells_and_time_step_are_taken_from_the_case)
{
    write_text("own.yaml", "mesh: {slab: {size_mm: [3.2, 1.6, 1.6], edge_mm: 0.8, cut: kuhn}}\n" USUAL_TISSUE
                           "time: {end_ms: 2}\n" SMALL_STIMULUS("2"));
    static const char line[] = "--cable --beats 1 --intervals-ms 360,360,1 --format json";
    char *options =
             works("restitution --model mitchell-schaeffer --dt-ms 0.1 --scale tau_close=0.8 %s", line),
         *same = works("restitution --case own.yaml --set cell.model=mitchell-schaeffer --set "
                       "cell.type=standard --set time.dt_ms=0.1 --set cell.scale=[tau_close=0.8] %s",
             line);
    cr_expect_str_eq(options, same);
    const json *quarter = tables_of(
        works("restitution --case own.yaml --set cell.model=mitchell-schaeffer --set cell.type=standard "
              "--set time.dt_ms=0.1 --set cell.scale=[tau_close=0.8] --set tissue.chi_per_mm=560 %s",
            line));
    char *godunov =
        works("restitution --case own.yaml --set cell.model=mitchell-schaeffer --set cell.type=standard "
              "--set time.dt_ms=0.1 --set cell.scale=[tau_close=0.8] --set time.splitting=godunov %s",
            line);
    cr_expect_str_eq(godunov, same, "a cable is converged, independent of the splitting of the case");
    const json *whole = tables_of(same);
    cr_expect_float_eq(property(quarter, "s1_conduction_velocity_mm_per_ms"),
        property(whole, "s1_conduction_velocity_mm_per_ms") / 2, 1e-9);
    free(options), free(godunov);
}

Test(tissue_restitution, ignored_parts_of_a_case_cause_a_warning)
{
    char *table;
    write_text("parts.yaml", SMALL_SLAB USUAL_TISSUE
        "time: {end_ms: 2}\n" SMALL_STIMULUS("2") "regions:\n  - {tag: 2, conductivity_factor: 2}\n");
    char *said = warnings(&table,
        "restitution --case parts.yaml --set cell.model=mitchell-schaeffer --set cell.type=standard "
        "--set time.dt_ms=0.1 --cable --beats 1 --intervals-ms 400,400,50");
    cr_expect(strstr(said, "restitution: found regions in the case"), "%s", said);
    free(said), free(table);
}

Test(tissue_restitution, invalid_options_are_rejected)
{
    refuses(2, "--family applies to tissue; required with it: --edge-mm, --length-mm, --case",
        "restitution --family kuhn");
    refuses(2, "--direction applies to tissue; required with it: --edge-mm, --length-mm, --case or --cable",
        "restitution --direction along");
    refuses(2, "--cable and --edge-mm; a cable has no mesh", "restitution --cable --edge-mm 1");
    refuses(2, "--cable and --seed; a cable has no mesh", "restitution --cable --seed 2");
    refuses(2, "--case and --type; cell and time step belong to the case",
        "restitution --case data/cases/niederer-0.5.yaml --type mid");
    refuses(2, "--protocol dynamic; allowed in tissue: s1-s2", "restitution --cable --protocol dynamic");
    refuses(2, "--direction round; allowed: along, across", "restitution --cable --direction round");
    refuses(2, "--edge-mm and --length-mm are both given", "restitution --edge-mm 1 --length-mm 1");
    refuses(2, "--family prisms; allowed: kuhn, mirrored, gmsh", "restitution --edge-mm 1 --family prisms");
    refuses(2, "--intervals-ms down to 2 ms; allowed in tissue: above 2 ms",
        "restitution --cable --intervals-ms 4,2,1");
    refuses(2, "cell.type: layers; allowed for a plane wave",
        "restitution --case data/cases/niederer-0.5.yaml --set cell.type=layers");
    refuses(2, "prepace.beats: 3; allowed for a plane wave: cells at rest",
        "restitution --case data/cases/niederer-0.5.yaml --set prepace.beats=3 --set prepace.bcl_ms=500");
    refuses(2, "start.state: a.yaml; allowed for a plane wave: cells at rest",
        "restitution --case data/cases/niederer-0.5.yaml --set start.state=a.yaml");
    refuses(2, "elements; allowed: at most 3000000", QUICK "--beats 1 --edge-mm 0.001");
    refuses(5, "restitution: S2 is blocked at 250 ms; a longer interval may help",
        QUICK "--cable --beats 1 --intervals-ms 250,200,50");
    refuses(5, "restitution: S1 does not propagate through the tissue",
        QUICK "--cable --beats 1 --bcl 50 --intervals-ms 400,400,50 --scale tau_in=20");
}
