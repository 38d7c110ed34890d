/* The host in single precision has every bit of the emulated machine, in every array of the state. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "tests/solver/slab_problem.h"

static slab_problem s;
static uint16_t *of;
static size_t beats[2] = {0, 110};

static void make_slab(void)
{
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5); /* 720 elements */
    of = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *of);
    for (size_t k = 0; k < s.mesh.n_elements; k++) of[k] = (uint16_t)(k / 7 % s.problem.model->n_variants);
}
static void free_slab(void) { mt_arena_free(&s.arena); }

TestSuite(single_precision, .init = make_slab, .fini = free_slab);

/* Runs n steps and returns all arrays, [mt_arrays][n_elements]. */
static double *state_after(const mt_backend *backend, const mt_layout *layout, size_t n_steps)
{
    const size_t n = s.mesh.n_elements, n_arrays = mt_arrays(&s.problem);
    double *state = mt_arena_alloc(&s.arena, n * n_arrays, sizeof *state);
    mt_results results;
    void *self = NULL;
    cr_assert_eq(mt_results_new(&s.arena, &s.problem, &results), MT_OK, "%s", mt_message());
    cr_assert_eq(backend->open(&s.arena, &s.problem, layout, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&s.problem, backend, self, 0, n_steps, &results, NULL, NULL), MT_OK, "%s",
        mt_message());
    for (size_t k = 0; k < n_arrays; k++) backend->read(self, k, state + k * n);
    return state;
}

/* Compares both, with the host on two threads. */
static void expect_equal_bits(const char *what, size_t n_steps)
{
    mt_scheme usual;
    cr_assert_eq(mt_scheme_find("mixed-clean", 0, &usual), MT_OK);
    const mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, 2, 23, &usual);
    const size_t n = s.mesh.n_elements;
    omp_set_num_threads(2);
    const double *machine = state_after(&mt_backend_ipu, &layout, n_steps),
                 *host = state_after(&mt_backend_cpu_single, NULL, n_steps),
                 *exact = state_after(&mt_backend_cpu, NULL, n_steps);
    for (size_t k = 0; k < mt_arrays(&s.problem); k++)
        cr_assert(memcmp(machine + k * n, host + k * n, n * sizeof *host) == 0, "%s: %s differs", what,
            mt_array(&s.problem, k).name);
    cr_expect(memcmp(host, exact, n * sizeof *host) != 0, "%s: V is that of double precision", what);
}

/* In this time all elements are activated, and the gate u of courtemanche passes through subnormal numbers, which are flushed. */
Test(single_precision, has_the_bits_of_the_machine_with_every_model)
{
    s.problem.record.all = true;
    s.problem.record.fraction = 0.9;
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        s.problem.model = *m;
        expect_equal_bits((*m)->name, 300);
    }
}

Test(single_precision, has_the_bits_of_the_machine_with_multirate_stepping_and_several_types_of_cells)
{
    s.problem.variant_of = of;
    s.problem.stepping = MT_STEPPING_MULTIRATE;
    s.problem.tolerance_mV = 0.1;
    expect_equal_bits("multirate", 400);
}

/* The second beat begins while elements are still excited; those of the first are then freed. */
Test(single_precision, has_the_bits_of_the_machine_over_several_beats)
{
    s.problem.record =
        (mt_record){.all = true, .threshold_mV = 0, .fraction = 0.5, .n_beats = 2, .beat = beats};
    s.problem.model = mt_cell_models[0];
    expect_equal_bits("beats", 330);
}

Test(single_precision, has_the_bits_of_the_machine_with_every_kind_of_diffusion_step)
{
    static const struct {
        const char *name;
        size_t steps;
        mt_diffusing diffusing;
        mt_accumulation accumulation;
        mt_splitting splitting;
    } kinds[] = {{"four steps", 4, MT_DIFFUSING_EXPLICIT, MT_ACCUMULATION_SINGLE, MT_SPLITTING_COMPENSATED},
        {"double words", 3, MT_DIFFUSING_EXPLICIT, MT_ACCUMULATION_DOUBLE_WORD, MT_SPLITTING_COMPENSATED},
        {"one step", 1, MT_DIFFUSING_EXPLICIT, MT_ACCUMULATION_DOUBLE_WORD, MT_SPLITTING_GODUNOV},
        {"Euler", 1, MT_DIFFUSING_EULER, MT_ACCUMULATION_SINGLE, MT_SPLITTING_COMPENSATED},
        {"Crank-Nicolson", 1, MT_DIFFUSING_CRANK_NICOLSON, MT_ACCUMULATION_SINGLE, MT_SPLITTING_COMPENSATED}};
    s.problem.residual_mV = 1e-4;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        s.problem.pde_steps = kinds[k].steps;
        s.problem.diffusing = kinds[k].diffusing;
        s.problem.accumulation = kinds[k].accumulation;
        s.problem.splitting = kinds[k].splitting;
        expect_equal_bits(kinds[k].name, 100);
    }
}

/* Returns the largest difference of V [mV]. */
static double difference_mV(const double *a, const double *b)
{
    double most = 0;
    for (size_t k = 0; k < s.mesh.n_elements; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* The wave has passed half of the elements, where a shift in time is the largest error. */
Test(single_precision, tabulated_evaluation_is_as_accurate_with_any_number_of_threads)
{
    s.problem.variant_of = of;
    s.problem.tolerance_mV = 0.1;
    for (int multirate = 0; multirate < 2; multirate++) {
        s.problem.stepping = multirate ? MT_STEPPING_MULTIRATE : MT_STEPPING_UNIFORM;
        const double *exact = state_after(&mt_backend_cpu, NULL, 300),
                     *single = state_after(&mt_backend_cpu_single, NULL, 300);
        s.problem.evaluation = MT_EVALUATION_TABULATED;
        omp_set_num_threads(1);
        const double *tabulated = state_after(&mt_backend_cpu_single, NULL, 300);
        omp_set_num_threads(2);
        const double *again = state_after(&mt_backend_cpu_single, NULL, 300);
        s.problem.evaluation = MT_EVALUATION_EXACT;
        const size_t n = s.mesh.n_elements * mt_arrays(&s.problem);
        cr_expect(memcmp(tabulated, again, n * sizeof *again) == 0, "multirate %d", multirate);
        const double rounded = difference_mV(single, exact), read = difference_mV(tabulated, exact);
        cr_expect(difference_mV(tabulated, single) > 0 && read < 2 * rounded && read < 0.02,
            "multirate %d: %g mV, without tables %g mV", multirate, read, rounded);
    }
}
