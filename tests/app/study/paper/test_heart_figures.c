/* myotile reproduce figure1 and figure4: activation times and voltages of a small heart. */
#include <criterion/criterion.h>

#include "tests/json.h"
#include "tests/app/program.h"

#include <omp.h>

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1); /* the mesh is small */
    write_machine("eight.yaml", 8);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(heart_figures, .init = enter, .fini = leave, .timeout = 300);

/* With a low surface-to-volume ratio the wavefront is wide compared with these elements: lengths are proportional to the square root of the
 * diffusivity. The model is cheap, and propagation is not complete at the end. */
#define CHEAP                                                                                                \
    " --set machine.target=eight.yaml --set tissue.chi_per_mm=5.6 --set stimuli.0.strength_uA_mm3=2 --set "  \
    "cell.model=mitchell-schaeffer --set cell.type=standard --set time.dt_ms=0.1"

/* Runs a command line and parses its JSON output; warnings about such tissue are ignored. */
static const json *tables_of(const char *line)
{
    char whole[LINE_SIZE], *out;
    (void)snprintf(whole, sizeof whole, "%s --format json", line);
    free(warnings(&out, whole));
    return json_parse_and_free(&arena, out);
}

static const json *row_of(const json *tables, const char *table, size_t row)
{
    const json *r = json_rows(tables, table)->first;
    for (; row > 0; row--) r = r->next;
    return r;
}

static double value(const json *tables, const char *table, size_t row, const char *column)
{
    const json *found = json_at(row_of(tables, table, row), column);
    return found->kind == JSON_NULL ? NAN : found->number;
}

/* The same case on the same heart with the same fibres. */
static void figure1_has_the_activation_of_run_whether_or_not_the_mesh_has_fibres(void)
{
    char *out;
    free(works("mesh fibres heart.hdf -o fibred.hdf"));
    free(warnings(&out, "run data/cases/ventricles.yaml --set diffusion.discretisation=elements --set "
                        "mesh.file=fibred.hdf --set time.end_ms=40 "
                        "--output out --format json" CHEAP));
    const double percent = json_property(out, "elements_activated_percent"),
                 last_ms = json_property(out, "latest_activation_ms");
    free(out);
    const json *bare =
                   tables_of("reproduce figure1 --mesh heart.hdf --set time.end_ms=40 --picture a.png" CHEAP),
               *fibred = tables_of(
                   "reproduce figure1 --mesh fibred.hdf --set time.end_ms=40 --picture b.png" CHEAP);
    cr_assert(percent > 5 && percent < 100, "%g %%", percent); /* hearts by Gmsh vary */
    cr_assert_float_eq(value(bare, "activation", 0, "activated_percent"), percent, 1e-9);
    cr_assert_float_eq(value(bare, "activation", 0, "last_ms"), last_ms, 1e-4);
    for (size_t row = 0; row < 5; row++)
        cr_assert_eq(value(bare, "activation", row, "activated_percent"),
            value(fibred, "activation", row, "activated_percent"));
    cr_assert(there("a.png") && there("b.png"));
    cr_assert_str_eq(
        json_at(row_of(bare, "differences", 1), "here")->text, "the same rule, 60 to -60 degrees");
    cr_assert_str_eq(json_at(row_of(fibred, "differences", 1), "here")->text, "from the mesh");
}

/* Propagation starts at the apex: the left endocardium is activated later than the stimulated epicardium, the base last. */
static void the_wave_begins_at_the_epicardium_of_the_apex_and_comes_to_the_base_last(void)
{
    const json *tables = tables_of("reproduce figure1 --mesh heart.hdf --set time.end_ms=150" CHEAP);
    cr_assert_eq(value(tables, "activation", 0, "activated_percent"), 100);
    cr_assert_eq(value(tables, "activation", 3, "first_ms"), value(tables, "activation", 0, "first_ms"));
    cr_assert_lt(value(tables, "activation", 3, "first_ms"), value(tables, "activation", 1, "first_ms"));
    for (size_t row = 0; row < 4; row++)
        cr_assert_gt(
            value(tables, "activation", 4, "median_ms"), value(tables, "activation", row, "median_ms"));
}

static void figure4_has_the_wave_of_figure1_and_backends_agree(void)
{
    const json *map = tables_of("reproduce figure1 --mesh heart.hdf --set time.end_ms=40" CHEAP),
               *tables = tables_of("reproduce figure4 --mesh heart.hdf --times 1,20,40 --backends ipu,cpu "
                                   "--picture moments.png" CHEAP);
    cr_assert(there("moments.png"));
    cr_assert_float_eq(value(tables, "moments", 2, "activated_percent"),
        value(map, "activation", 0, "activated_percent"), 1e-9); /* an element is 0.02 % */
    for (size_t row = 0; row < 3; row++) {
        const double difference = value(tables, "moments", row, "difference_mv");
        cr_assert(difference > 0 && difference < 0.1, "%g mV", difference);
        cr_assert_leq(value(tables, "moments", row, "excited_percent"), 100);
        cr_assert(row == 0 || value(tables, "moments", row, "activated_percent") >
                                  value(tables, "moments", row - 1, "activated_percent"));
        cr_assert_lt(value(tables, "moments", row, "lowest_mv"), -60);
    }
    cr_assert_gt(value(tables, "moments", 1, "highest_mv"), -10);
    cr_assert_eq(json_length(json_rows(tables, "comparison")), 3);
    const json *one = tables_of("reproduce figure4 --mesh heart.hdf --times 0.5,1 --backends cpu" CHEAP);
    cr_assert(isnan(value(one, "moments", 0, "difference_mv")));
    cr_assert_eq(json_length(json_rows(one, "comparison")), 2);
}

/* One test for all, as generating a heart takes longer than the runs. */
Test(heart_figures, figures_1_and_4_agree_with_a_run_and_with_each_other)
{
    free(works("mesh ventricles --elements 5200 -o heart.hdf"));
    figure1_has_the_activation_of_run_whether_or_not_the_mesh_has_fibres();
    the_wave_begins_at_the_epicardium_of_the_apex_and_comes_to_the_base_last();
    figure4_has_the_wave_of_figure1_and_backends_agree();
}

Test(heart_figures, invalid_figures_are_rejected_before_the_run)
{
    refuses(
        2, "--times 1,2,3,4,5,6,7,8,9; allowed: at most 8", "reproduce figure4 --times 1,2,3,4,5,6,7,8,9");
    refuses(2, "--times 5,5; allowed: increasing times", "reproduce figure4 --times 5,5");
    refuses(2, "--times: 0.03 ms; allowed: multiples of the time step, 0.02 ms",
        "reproduce figure4 --times 0.03,1");
    refuses(2, "--set time.end_ms; allowed here: --times", "reproduce figure4 --set time.end_ms=9");
    refuses(
        2, "--backends cpu,cpu; allowed: each of cpu and ipu once", "reproduce figure4 --backends cpu,cpu");
    refuses(2, "--set mesh.file; allowed here: --mesh", "reproduce figure1 --set mesh.file=heart.hdf");
    refuses(2, "--set output.beats; allowed here: first", "reproduce figure1 --set output.beats=every");
    refuses(
        2, "--mesh and --elements are both given", "reproduce figure1 --mesh nowhere.hdf --elements 9000");
    refuses(2, "--elements 5; allowed", "reproduce figure1 --elements 5");
    refuses(2, "x.jpg", "reproduce figure1 --picture x.jpg");
    refuses(3, "nowhere.hdf", "reproduce figure4 --mesh nowhere.hdf");
}
