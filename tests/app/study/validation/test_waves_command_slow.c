/* What `run` expects of waves on coarse meshes is what `reproduce waves` measures. */
#include <criterion/criterion.h>

#include "solver/cells/model.h"
#include "tests/json.h"
#include "tests/app/program.h"

TestSuite(waves_command_slow, .init = enter_room, .fini = leave_room, .timeout = 1800);

/* The delay of rows of a length and scheme, mean over the families, with the sign of the mean over directions. */
static double mean_delay(const json *rows, double length_mm, const char *scheme)
{
    double delay = 0, sum = 0;
    int n = 0;
    for (const json *row = rows->first; row; row = row->next) {
        if (strcmp(json_at(row, "scheme")->text, scheme) != 0 ||
            fabs(json_value(row, "length_mm") / length_mm - 1) > 0.02)
            continue;
        delay += json_value(row, "delay_percent"), sum += json_value(row, "mean_delay_percent"), n++;
    }
    cr_assert_eq(n, 3, "%d families of %g mm", n, length_mm);
    return copysign(delay / n, sum);
}

/* One family of three is gmsh's: another version makes other meshes, and their delays differ by a few tenths. */
static void expect_delay(const mt_cell_model *model, double row, double measured)
{
    cr_expect_float_eq(
        row, measured, 0.4 + 0.05 * fabs(row), "%s: %g %%, measured %g %%", model->name, row, measured);
}

Test(waves_command_slow, the_rows_of_the_models_are_what_is_measured)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        mt_arena arena = {0};
        char *text = works("reproduce waves --plain --model %s --dt-ms %g --format json --progress never",
            (*m)->name, MT_CELL_DELAYS_DT_MS);
        const json *rows = json_at(json_item(json_parse(&arena, text), "table", "waves"), "rows");
        free(text);
        for (size_t k = 0; k < (*m)->n_delays; k++) {
            const mt_cell_delay *d = &(*m)->delays[k];
            expect_delay(*m, d->usual_percent, mean_delay(rows, d->length_mm, "usual"));
            expect_delay(*m, d->plain_percent, mean_delay(rows, d->length_mm, "plain"));
        }
        mt_arena_free(&arena);
    }
}

/* Those of test_command.c that are made quicker there, and the slab for some of them. */
Test(waves_command_slow, examples_that_take_long_work_as_they_are_shown)
{
    static const char *const names[] = {"mesh slab", "mesh ventricles", "partition", "cell", "restitution",
        "run", "reproduce table1", "reproduce table2", "reproduce table3", "reproduce figure1",
        "reproduce figure3", "reproduce figure4", "reproduce figure5", "reproduce figure6", "reproduce waves",
        "reproduce math", "tune"};
    static const char begin[] = "example:\n  myotile ";
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char *help = works("%s --help", names[k]), *line = strstr(help, begin);
        cr_assert_not_null(line);
        line += strlen(begin);
        *strchr(line, '\n') = 0;
        free(works("%s", line));
        free(help);
    }
    cr_assert(there("heart.hdf") && there("quick/activation.png") && there("waves.png"));
}
