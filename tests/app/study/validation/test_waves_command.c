#include <criterion/criterion.h>

#include "app/draw/page.h"
#include "tests/answers.h"
#include "tests/json.h"
#include "tests/app/program.h"

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

TestSuite(waves_command, .init = enter, .fini = leave);

/* The cheapest model, with its longest time step. */
#define QUICK "reproduce waves --model mitchell-schaeffer --dt-ms 0.1 --format json "

static const json *tables_of(char *text) { return json_parse_and_free(&arena, text); }

static const json *nth(const json *list, size_t n)
{
    const json *item = list->first;
    while (n-- > 0) item = item->next;
    return item;
}

/* Cubes with an edge of 6^(1/3) mm: 12 x 4 x 4 is the smallest number that covers 20 x 7 mm. */
Test(waves_command, each_family_size_and_scheme_has_its_rows_and_the_mean_delay_of_all_directions)
{
    const json *tables =
        tables_of(works(QUICK "--families mirrored,kuhn --lengths 1,0.9 --plain --picture waves.png"));
    const json *waves = json_rows(tables, "waves"), *delays = json_rows(tables, "delays");
    static const char *const families[] = {"mirrored", "kuhn"}, *const schemes[] = {"usual", "plain"};
    static const double lengths[] = {1, 0.9}, elements[] = {6 * 12 * 4 * 4, 6 * 13 * 5 * 4};
    cr_assert(json_length(waves) == 8 && json_length(delays) == 8);
    for (size_t k = 0; k < 8; k++) {
        const json *row = nth(waves, k), *by_angle = nth(delays, k);
        double squares = 0, mean = 0;
        cr_expect_str_eq(json_at(row, "family")->text, families[k / 4]);
        cr_expect_str_eq(json_at(row, "scheme")->text, schemes[k % 2]);
        cr_expect_str_eq(json_at(by_angle, "scheme")->text, schemes[k % 2]);
        cr_expect_float_eq(json_value(row, "length_mm"), lengths[k / 2 % 2], 1e-9);
        cr_expect_eq(json_value(row, "elements"), elements[k / 2 % 2]);
        for (const json *value = json_at(by_angle, "from_0_to_10_percent"); value; value = value->next)
            squares += value->number * value->number / 9, mean += value->number / 9;
        cr_expect_float_eq(json_value(row, "delay_percent"), sqrt(squares), 1e-9);
        cr_expect_float_eq(json_value(row, "mean_delay_percent"), mean, 1e-9);
        cr_expect(json_value(row, "delay_percent") > 0.1 && json_value(row, "delay_percent") < 50);
        cr_expect(
            fabs(json_value(row, "along_percent")) < 20 && fabs(json_value(row, "across_percent")) < 60);
        cr_expect(json_value(row, "substep_ms") > 0.1 && json_value(row, "below_rest_mv") <= 0);
    }
    cr_expect(there("waves.png"));
}

/* Voltages at the vertices and finite elements are after the schemes, on the same mesh; the wavefront of this model is wide, so that their
 * errors are moderate. Only the share of the reaction that enters the neighbours distinguishes nodes from lumped elements. */
Test(waves_command, nodes_and_finite_elements_are_evaluated_on_the_same_meshes)
{
    const json *waves = json_rows(
        tables_of(works(QUICK "--families mirrored --lengths 0.9 --nodes --finite-elements")), "waves");
    static const char *const methods[] = {"usual", "nodes", "lumped elements", "consistent elements"};
    cr_assert_eq(json_length(waves), 4);
    for (size_t k = 0; k < 4; k++) {
        const json *row = nth(waves, k);
        cr_expect_str_eq(json_at(row, "scheme")->text, methods[k]);
        cr_expect_eq(json_value(row, "elements"), json_value(nth(waves, 0), "elements"));
        cr_expect(fabs(json_value(row, "along_percent")) < 30, "%s: %g %%", methods[k],
            json_value(row, "along_percent"));
    }
    cr_expect(json_value(nth(waves, 2), "along_percent") < json_value(nth(waves, 3), "along_percent"));
    cr_expect_eq(json_value(nth(waves, 0), "voltages"), json_value(nth(waves, 0), "elements"));
    for (size_t k = 1; k < 4; k++) cr_expect_eq(json_value(nth(waves, k), "voltages"), 14 * 6 * 5);
    cr_expect(json_value(nth(waves, 1), "delay_percent") < json_value(nth(waves, 2), "delay_percent"));
}

/* The velocity of this model along a cable is known (tests/solver/cells/test_mitchell_schaeffer.c). The errors relative to short time steps
 * differ by the ratio of the cable's two velocities. */
Test(waves_command, cv_is_compared_with_a_cable_at_equal_and_at_short_time_steps)
{
    const json *tables = tables_of(works(QUICK "--families mirrored --lengths 1"));
    const json *line = json_at(json_item(tables, "table", "line"), "properties"),
               *row = json_rows(tables, "waves")->first;
    const double speed = json_value(line, "along_mm_per_ms"),
                 limit = json_value(line, "limit_along_mm_per_ms");
    cr_expect_float_eq(limit, 0.333, 0.002, "%g mm/ms", limit);
    cr_expect(fabs(speed / limit - 1) < 0.01 && speed != limit, "%g mm/ms", speed);
    cr_expect_float_eq(json_value(line, "across_mm_per_ms") / speed, 0.3633, 1e-4);
    cr_expect_eq(json_value(line, "time_step_ms"), 0.1);
    const double ratio =
        (1 + json_value(row, "along_of_limit_percent") / 100) / (1 + json_value(row, "along_percent") / 100);
    cr_expect_float_eq(ratio, speed / limit, 1e-9);
}

Test(waves_command, a_user_defined_scheme_is_used_and_named)
{
    const json *tables = tables_of(works(QUICK
                   "--families kuhn --lengths 1 --spreading 0 --damping 1.5 --correction over-relaxed")),
               *given = tables_of(works(QUICK "--families kuhn --lengths 1 --spreading 0")),
               *both = tables_of(works(QUICK "--families kuhn --lengths 1 --plain"));
    const json *plain = json_rows(tables, "waves")->first;
    cr_expect_str_eq(json_at(plain, "scheme")->text, "plain");
    cr_expect_str_eq(json_at(json_rows(given, "waves")->first, "scheme")->text, "given");
    cr_expect_eq(
        json_value(plain, "delay_percent"), json_value(nth(json_rows(both, "waves"), 1), "delay_percent"));
    cr_expect_neq(
        json_value(plain, "delay_percent"), json_value(json_rows(given, "waves")->first, "delay_percent"));
}

/* In such large elements, with little damping and without spreading, propagation succeeds along the fibres and fails across them. */
Test(waves_command, failed_propagation_has_no_cv)
{
    const json *tables = tables_of(works("reproduce waves --dt-ms 0.05 --families kuhn --lengths 1 "
                                         "--spreading 0 --damping 0.1 --format json"));
    const json *row = json_rows(tables, "waves")->first, *by_angle = json_rows(tables, "delays")->first;
    cr_expect(json_value(row, "along_percent") < -50);
    cr_expect(isfinite(json_value(by_angle, "from_0_to_10_percent")));
    static const char *const none[] = {"across_percent", "across_of_limit_percent", "delay_percent"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        cr_expect_eq(json_at(row, none[k])->kind, JSON_NULL, "%s", none[k]);
    cr_expect_eq(json_at(by_angle, "from_80_to_90_percent")->kind, JSON_NULL);
}

Test(waves_command, a_gmsh_mesh_has_about_the_requested_element_size_and_depends_on_the_seed)
{
    static const char *const lines[] = {QUICK "--families gmsh --lengths 0.9",
        QUICK "--families gmsh --lengths 0.9 --seed 1", QUICK "--families gmsh --lengths 0.9 --seed 2"};
    double elements[3], delay[3];
    for (int k = 0; k < 3; k++) {
        const json *row = json_rows(tables_of(works("%s", lines[k])), "waves")->first;
        cr_expect_float_eq(json_value(row, "length_mm"), 0.9, 0.009);
        elements[k] = json_value(row, "elements"), delay[k] = json_value(row, "delay_percent");
    }
    cr_expect(elements[0] == elements[1] && delay[0] == delay[1]);
    cr_expect(delay[0] != delay[2]);
    cr_expect_eq(things(), 2, "other files remain than the folder and its link to data");
}

Test(waves_command, invalid_options_are_rejected_before_the_computation)
{
    refuses(
        2, "--families kuhn,prisms; allowed: kuhn, mirrored, gmsh", "reproduce waves --families kuhn,prisms");
    refuses(2, "--families kuhn,kuhn; allowed", "reproduce waves --families kuhn,kuhn");
    refuses(2, "--families requires NAME,...", "reproduce waves --families=");
    refuses(2, "--lengths: 1.5 mm; allowed: 0.1 to 1", "reproduce waves --lengths 0.5,1.5");
    refuses(2, "--lengths: 0.05 mm; allowed: 0.1 to 1", "reproduce waves --lengths 0.05");
    refuses(2, "--lengths 0.5,; allowed: 2 numbers above 0", "reproduce waves --lengths 0.5,");
    refuses(2, "--lengths with 13 numbers; allowed: at most 12",
        "reproduce waves --lengths .3,.3,.3,.3,.3,.3,.3,.3,.3,.3,.3,.3,.3");
    refuses(2, "--dt-ms 0.06; allowed: 0.0001 to 0.05", "reproduce waves --dt-ms 0.06");
    refuses(2, "spreading is -1", "reproduce waves --spreading -1");
    refuses(2, "--damping 0; allowed: 1 number above 0", "reproduce waves --damping 0");
    refuses(2, "--correction most; allowed: minimum, over-relaxed", "reproduce waves --correction most");
    refuses(2, "--plain with a plain scheme",
        "reproduce waves --plain --spreading 0 --damping 1.5 --correction over-relaxed");
    refuses(2, "--seed 0; allowed: a whole number from 1", "reproduce waves --seed 0");
    refuses(2, "mitchell", "reproduce waves --model hodgkin-huxley");
    refuses(2, "waves.jpg", "reproduce waves --picture waves.jpg");
}
