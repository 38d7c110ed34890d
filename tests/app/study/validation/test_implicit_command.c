#include <criterion/criterion.h>

#include <math.h>

#include "tests/answers.h"
#include "tests/json.h"
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

static mt_arena arena;

static const char text[] = SMALL_SLAB USUAL_TISSUE SMALL_STIMULUS("0.8") "time: {dt_ms: 0.02, end_ms: 1}\n";

static void enter(void)
{
    enter_room();
    write_machine("eight.yaml", 8);
    write_text("small.yaml", text);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(implicit_command, .init = enter, .fini = leave);

static const json *rows_of(const char *line, const char *table)
{
    return json_rows(json_parse_and_free(&arena, works("%s", line)), table);
}

/* The figures of a row are consistent: products with iterations, seconds with cycles, ratios and the number of substeps with the same time
 * with the rows of explicit steps. */
Test(implicit_command, rows_cover_each_ipu_count_time_step_and_scheme_with_consistent_figures)
{
    static const char *const ways[] = {"explicit", "backward_euler", "crank_nicolson"};
    const json *rows = rows_of("reproduce implicit small.yaml --set machine.target=eight.yaml --from-ms 1 "
                               "--steps 3 --ipus 1,2 --dt-ms 0.02,0.04 --format json --picture verdict.png",
        "machine");
    const json *row = rows->first, *first = NULL, *at_dt = NULL;
    cr_assert_eq(json_length(rows), 12);
    for (size_t k = 0; k < 12; k++, row = row->next) {
        const double dt_ms = k / 3 % 2 ? 0.04 : 0.02, cycles = json_value(row, "cycles");
        cr_expect_str_eq(json_at(row, "way")->text, ways[k % 3]);
        cr_expect_eq(json_value(row, "ipus"), k < 6 ? 1 : 2);
        cr_expect_float_eq(json_value(row, "dt_ms"), dt_ms, 1e-12);
        cr_expect_float_eq(json_value(row, "seconds"), 1000 * cycles / dt_ms / 1.325e9, 1e-9 * cycles);
        if (k % 6 == 0) first = row;
        if (k % 3 == 0) {
            at_dt = row;
            continue;
        }
        const double iterations = json_value(row, "iterations");
        cr_expect(iterations >= 1 && iterations <= 4, "%g", iterations);
        cr_expect_float_eq(json_value(row, "products"), 2 + 2 * iterations, 1e-9);
        cr_expect_float_eq(json_value(row, "beside_explicit"),
            json_value(row, "seconds") / json_value(first, "seconds"), 1e-9);
        /* each product takes at least the time of a substep, plus the sums */
        cr_expect_gt(json_value(row, "break_even"), json_value(row, "products"));
        cr_expect_gt(cycles, json_value(at_dt, "cycles"));
        cr_expect(json_value(row, "sum_percent") > 0 && json_value(row, "sum_percent") < 100);
    }
    cr_expect(there("verdict.png"));
}

Test(implicit_command, invalid_options_are_rejected)
{
    refuses(MT_INPUT, "--from-ms 0.5: stimuli.0 is active then; allowed: a time without a stimulus",
        "reproduce implicit small.yaml --set machine.target=eight.yaml --from-ms 0.5");
    refuses(MT_INPUT, "CASE.yaml", "reproduce implicit");
    refuses(MT_INPUT, "--dt-ms with 5 numbers; allowed: at most 4",
        "reproduce implicit small.yaml --set machine.target=eight.yaml --dt-ms 0.01,0.02,0.03,0.04,0.05");
    refuses(MT_INPUT, "time.pde_steps: 3, with diffusion.method implicit; allowed: 0 or 1",
        "run small.yaml --set machine.target=eight.yaml --set time.pde_steps=3 --set "
        "diffusion.method=implicit");
}
