#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "app/run/problem.h"
#include "app/run/start_cell.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/backends/backend.h"
#include "solver/cells/cell_state.h"
#include "tests/solver/small_case.h"

#include <omp.h>

/* Initial state of tissue from a single cell. */

static const char body[] =
    SMALL_SLAB USUAL_TISSUE "time: {end_ms: 4}\n" SMALL_STIMULUS("2") "machine: {tiles: 3}\n";

enum { NUMBERS = 64, CELLS = 288 };

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    free(works("cell --type epi --bcl 250 --beats 3 --save epi.yaml"));
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(start_cell, .init = enter, .fini = leave);

static void ok(mt_status status) { cr_assert_eq(status, MT_OK, "%s", mt_message()); }

/* Checks that the results of two runs have the same activation. */
static void expect_same(const char *one, const char *other)
{
    double *a, *b;
    ok(mt_vtkhdf_read_field(&arena, one, "activation", CELLS, &a));
    ok(mt_vtkhdf_read_field(&arena, other, "activation", CELLS, &b));
    cr_expect_arr_eq(a, b, CELLS * sizeof *a, "%s, %s", one, other);
}

Test(start_cell, every_element_starts_from_the_exact_state_in_the_file)
{
    mt_case input;
    mt_problem problem;
    mt_cell_state state;
    void *self;
    double value[CELLS];
    ok(mt_case_load(&arena, "case.yaml", NULL, 0, &input));
    ok(mt_problem_make(&arena, &input, false, &problem));
    ok(mt_cell_state_read(&arena, "epi.yaml", NULL, &state));
    cr_assert(mt_start_is_cell("epi.yaml"));
    ok(mt_start_cell(&arena, "case.yaml", "epi.yaml", &problem.monodomain));
    ok(mt_backend_cpu.open(&arena, &problem.monodomain, NULL, &self));
    for (size_t k = 0; k <= state.model->n_states; k++) {
        mt_backend_cpu.read(self, k == 0 ? MT_ARRAY_V : mt_array_states(&problem.monodomain) + k - 1, value);
        for (size_t e = 0; e < CELLS; e++)
            cr_assert_eq(
                value[e], k == 0 ? state.v_mV : state.states[k - 1], "element %zu, number %zu", e, k);
    }
}

/* Compares with the same cells, paced in the run. */
Test(start_cell, a_run_from_a_saved_state_equals_one_with_prepacing)
{
    free(works("run case.yaml -o paced --set prepace.bcl_ms=250 --set prepace.beats=3"));
    free(works("run case.yaml -o saved --set start.state=epi.yaml"));
    free(works("run saved/used.yaml -o again"));
    free(works("run case.yaml -o rest"));
    expect_same("saved/result.hdf", "paced/result.hdf");
    expect_same("saved/result.hdf", "again/result.hdf");
    cr_expect_not(same_file("saved/activation.png", "rest/activation.png"));
}

Test(start_cell, different_parameters_cause_a_warning_that_names_one)
{
    char *table, *said = warnings(
                     &table, "run case.yaml -o out --set start.state=epi.yaml --set cell.scale=[g_Kr=0.5]");
    cr_expect(
        strstr(said,
            "myotile: warning: case.yaml: start.state: found cells (epi, changed) with g_Kr 0.0765, in /"),
        "%s", said);
    free(said), free(table);
    free(works("cell --type epi --bcl 250 --beats 2 --scale g_Kr=0.5 --save half.yaml"));
    free(works("run case.yaml -o same --set start.state=half.yaml --set cell.scale=[g_Kr=0.5]"));
}

Test(start_cell, cells_of_another_type_or_model_are_rejected)
{
    refuses(2, "epi.yaml: the state of a cell of type epi; 288 elements have type mid; allowed: if all",
        "run case.yaml -o out --set start.state=epi.yaml --set cell.type=mid");
    refuses(2, "epi.yaml: a state of the ionic model tp06; here mitchell-schaeffer",
        "run case.yaml -o out --set start.state=epi.yaml --set cell.model=mitchell-schaeffer --set "
        "cell.type=standard");
    refuses(2, ": prepace.beats: 2, and start.state also sets the initial state; allowed: one of them",
        "run case.yaml -o out --set start.state=epi.yaml --set prepace.beats=2");
    write_text("part.yaml", SMALL_SLAB USUAL_TISSUE
        "time: {end_ms: 1}\nregions:\n  - {min_mm: [2, 0, 0], max_mm: [3, 2, 1], type: mid}\n" SMALL_STIMULUS(
            "2"));
    refuses(
        2, "96 elements have type epi, region 0; allowed", "run part.yaml -o out --set start.state=epi.yaml");
    refuses(2, "case.yaml:1: ", "run case.yaml -o out --set start.state=case.yaml");
}
