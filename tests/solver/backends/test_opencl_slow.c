/* Every ionic model on a device, built in and imported: the bits of the host. Compiling one takes seconds to a minute. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "solver/cells/open.h"
#include "tests/leaks.h"
#include "tests/solver/same_bits.h"
#include "tests/solver/slab_problem.h"

static slab_problem s;

TestSuite(opencl, .timeout = 7200);

/* With variants mixed in blocks; 120 elements, so that the last block has 8. */
static void check(const char *name, mt_stepping stepping, mt_evaluation evaluation, size_t lanes)
{
    char what[128];
    const mt_layout layout = {.lanes = lanes};
    make_slab_problem(&s, (double[]){2.5, 2, 0.5}, 0.5);
    cr_assert_eq(mt_cell_model_open(&s.arena, name, &s.problem.model), MT_OK, "%s", mt_message());
    mix_variants(&s.arena, &s.problem);
    s.problem.mesh = &s.mesh;
    s.problem.stepping = stepping;
    s.problem.evaluation = evaluation;
    s.problem.tolerance_mV = 0.1;
    s.problem.record = (mt_record){.all = true, .threshold_mV = -20, .fraction = 0.9};
    (void)snprintf(what, sizeof what, "%s, %s, %zu lanes", name, mt_stepping_name[stepping], lanes);
    expect_bits_of_host(&s.arena, &s.problem, &layout, 500, what);
    mt_arena_free(&s.arena);
}

/* With the vectors of this processor, 8 or 16, and one cell at a time as on GPUs. */
static void check_both(const char *name, mt_evaluation evaluation)
{
    for (size_t lanes = 0; lanes < 2; lanes++) {
        check(name, MT_STEPPING_UNIFORM, evaluation, lanes);
        check(name, MT_STEPPING_MULTIRATE, evaluation, lanes);
    }
}

Test(opencl, every_model_of_the_table_has_the_bits_of_the_host)
{
    size_t n = 0;
    for (; mt_cell_models[n]; n++) check_both(mt_cell_models[n]->name, MT_EVALUATION_EXACT);
    cr_expect_geq(n, 6);
    for (size_t lanes = 8; lanes <= 16; lanes += 8) {
        check("bueno-orovio", MT_STEPPING_UNIFORM, MT_EVALUATION_EXACT, lanes);
        check("bueno-orovio", MT_STEPPING_MULTIRATE, MT_EVALUATION_EXACT, lanes);
    }
}

Test(opencl, functions_of_v_from_tables_have_the_bits_of_the_host)
{
    check_both("tp06", MT_EVALUATION_TABULATED);
    check("tp06", MT_STEPPING_MULTIRATE, MT_EVALUATION_TABULATED, 8);
    check_both("tests/solver/cells/import/hodgkin_huxley.cellml", MT_EVALUATION_TABULATED);
}

Test(opencl, imported_models_have_the_bits_of_the_host)
{
    check_both("tests/solver/cells/graph/tp06.mmt", MT_EVALUATION_EXACT);
    check_both("tests/solver/cells/import/hodgkin_huxley.cellml", MT_EVALUATION_EXACT);
}
