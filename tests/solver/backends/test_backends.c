/* All backends compute the same, and the emulated machine changes only the time. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <omp.h>
#include <string.h>

#include "tests/random.h"
#include "tests/solver/slab_problem.h"
#include "ipu/compile/compile.h"
#include "solver/plan/phases.h"
#include "solver/cells/open.h"
#include "solver/plan/plan.h"

static slab_problem s;

enum { MODELS_MAX = 16 };
static mt_arena models_arena;
/* Those of the table, and an imported one; the last is NULL. */
static const mt_cell_model *models[MODELS_MAX + 1];

static void small_slab(void)
{
    size_t n = 0;
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5); /* 720 elements */
    for (; mt_cell_models[n]; n++) models[n] = mt_cell_models[n];
    cr_assert_lt(n, (size_t)MODELS_MAX);
    cr_assert_eq(
        mt_cell_model_open(&models_arena, "tests/solver/cells/graph/mitchell_schaeffer.mmt", &models[n]),
        MT_OK, "%s", mt_message());
}
static void free_slab(void)
{
    mt_arena_free(&s.arena);
    mt_arena_free(&models_arena);
}

TestSuite(backends, .init = small_slab, .fini = free_slab);

/* Replaces the slab by one of 432 elements, all of which are activated within 11 ms. */
static void shorten_slab(void)
{
    mt_arena_free(&s.arena);
    make_slab_problem(&s, (double[3]){3, 2, 1.5}, 0.5);
}

/* Iterates over the models; the problem uses each in turn. */
#define EACH_MODEL                                                                                           \
    const mt_cell_model *const *m = models;                                                                  \
    *m && (s.problem.model = *m, true);                                                                      \
    m++

/* Same, of the models with several states only the first: communication and scheduling do not depend on the equations. Under the sanitizers
 * the first alone: the same code reads and writes for all of them, and tests of each model run there, too. */
static const mt_cell_model *const *next_kind(const mt_cell_model *const *m)
{
#ifdef MT_SANITIZE
    return models + MODELS_MAX;
#endif
    do m++;
    while (*m && (*m)->n_states > 2);
    return m;
}
#define EACH_KIND_OF_MODEL                                                                                   \
    const mt_cell_model *const *m = models;                                                                  \
    *m && (s.problem.model = *m, true);                                                                      \
    m = next_kind(m)

/* Sets the model of tests that run on every backend: devices compile models with many states for ten seconds (test_opencl.c has one). */
static void use_quick_model(void)
{
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &s.problem.model), MT_OK);
}

static double *values(void) { return mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof(double)); }
static bool same_bits(const double *a, const double *b)
{
    return memcmp(a, b, s.mesh.n_elements * sizeof *a) == 0;
}

static double largest_difference(const double *a, const double *b)
{
    double largest = 0;
    for (size_t c = 0; c < s.mesh.n_elements; c++) largest = fmax(largest, fabs(a[c] - b[c]));
    return largest;
}

/* Every model is compared on one tile and on 64 with two threads; on other layouts only the first, since communication does not depend on
 * the equations. */
Test(backends, voltages_are_bit_identical_for_any_number_of_tiles_and_threads)
{
    static const struct {
        uint32_t tiles;
        int threads;
    } runs[] = {{1, 1}, {64, 2}, {64, 1}, {7, 2}, {1472, 2}};
    enum { EVERY_MODEL = 2 };
    shorten_slab();
    double *first = values(), *first_activation = values(), *v = values(), *activation = values();
    for (EACH_MODEL) {
        const size_t n_runs = m > models ? EVERY_MODEL : sizeof runs / sizeof runs[0];
        for (size_t r = 0; r < n_runs; r++) {
            const mt_layout layout = layout_on(&s, runs[r].tiles);
            omp_set_num_threads(runs[r].threads);
            run_backend(&s, "ipu", &layout, 550, r ? v : first, r ? activation : first_activation);
            if (r == 0) continue;
            cr_assert(same_bits(v, first), "%s: V differs on %u tiles and %d threads", (*m)->name,
                runs[r].tiles, runs[r].threads);
            cr_assert(same_bits(activation, first_activation), "%s: activation differs on %u tiles",
                (*m)->name, runs[r].tiles);
        }
        for (size_t c = 0; c < s.mesh.n_elements; c++)
            cr_assert(isfinite(first_activation[c]), "%s: element %zu never activated", (*m)->name, c);
    }
}

/* The imported model has the equations of a model of the table, with a program of its own: similar cycles and the same voltages. */
Test(backends, an_imported_model_takes_the_time_of_its_program)
{
    double *first = values(), *v = values(), cycles[2] = {0, 0};
    const mt_layout layout = layout_on(&s, 7);
    size_t n = 0;
    for (EACH_MODEL) {
        if (strcmp((*m)->name, "mitchell-schaeffer") != 0 && !(*m)->program) continue;
        mt_arena arena = {0};
        ipu_profile costs;
        cr_assert_lt(n, 2U);
        cr_assert_eq(mt_plan_costs(&arena, *m, true, &layout, &costs), MT_OK, "%s", mt_message());
        for (size_t k = 0; k < costs.n_steps; k++)
            if (strcmp(costs.steps[k].name, "ode") == 0) cycles[n] += (double)costs.steps[k].cycles;
        mt_arena_free(&arena);
        run_backend(&s, "ipu", &layout, 200, n == 0 ? first : v, NULL);
        n++;
    }
    cr_assert_eq(n, 2U);
    cr_assert_gt(cycles[0], 0);
    cr_expect(
        cycles[1] > 0.6 * cycles[0] && cycles[1] < 1.2 * cycles[0], "%g and %g cycles", cycles[1], cycles[0]);
    cr_expect_lt(largest_difference(v, first), 0.1, "%g mV", largest_difference(v, first));
}

/* 200 steps are 4 ms. In this time the activation wavefront crosses most borders between parts. The first model has every scheme with every
 * cut, the others have each scheme with one of them. */
Test(backends, voltages_are_bit_identical_for_every_scheme_partition_and_number_of_chips)
{
    static const struct {
        mt_partition_method method;
        uint32_t chips;
    } cuts[] = {{MT_PARTITION_FLAT, 1}, {MT_PARTITION_FLAT, 4}, {MT_PARTITION_HIERARCHICAL, 4},
        {MT_PARTITION_BISECTION, 4}};
    shorten_slab();
    double *first = values(), *v = values();
    const mt_layout one = layout_on(&s, 1);
    for (EACH_KIND_OF_MODEL) {
        run_backend(&s, "ipu", &one, 200, first, NULL);
        for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++)
            for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; k++) {
                if (m > models && k != (size_t)(scheme - mt_schemes) % (sizeof cuts / sizeof cuts[0]))
                    continue;
                const mt_layout layout = layout_by(&s, cuts[k].method, cuts[k].chips, 23, scheme);
                run_backend(&s, "ipu", &layout, 200, v, NULL);
                cr_assert(same_bits(v, first), "%s, %s, %s, %u chips", (*m)->name, scheme->name,
                    mt_partition_methods[cuts[k].method], cuts[k].chips);
            }
        for (size_t c = 0, active = 0; c < s.mesh.n_elements || !active; c++) {
            cr_assert_lt(c, s.mesh.n_elements, "%s: nothing happened", (*m)->name);
            active += first[c] > 0;
        }
    }
}

/* Each cell decides when it is evaluated. */
Test(backends, multirate_stepping_is_bit_identical_on_any_tiles_and_agrees_with_the_cpu)
{
    double *first = values(), *v = values();
    const mt_layout one = layout_on(&s, 1), some = layout_by(&s, MT_PARTITION_FLAT, 2, 23, mt_schemes);
    s.problem.stepping = MT_STEPPING_MULTIRATE;
    s.problem.tolerance_mV = 0.1;
    for (EACH_MODEL) {
        run_backend(&s, "ipu", &one, 200, first, NULL);
        run_backend(&s, "ipu", &some, 200, v, NULL);
        cr_assert(same_bits(v, first), "%s", (*m)->name);
        run_backend(&s, "cpu", NULL, 200, v, NULL);
        cr_expect_lt(largest_difference(v, first), 1, "%s", (*m)->name);
        s.problem.stepping = MT_STEPPING_UNIFORM;
        run_backend(&s, "ipu", &one, 200, v, NULL);
        cr_expect(!same_bits(v, first), "%s: no cell was skipped", (*m)->name);
        s.problem.stepping = MT_STEPPING_MULTIRATE;
        s.problem.tolerance_mV = 0;
        run_backend(&s, "ipu", &some, 200, first, NULL);
        cr_expect(same_bits(v, first), "%s: all are evaluated with a tolerance of 0", (*m)->name);
        s.problem.tolerance_mV = 0.1;
    }
}

/* With one diffusion step and with three; the low parts are kept between them. */
Test(backends, double_words_are_bit_identical_for_every_scheme_tiles_and_threads)
{
    double *first = values(), *v = values();
    const mt_layout one = layout_on(&s, 1);
    for (size_t steps = 1; steps <= 3; steps += 2) {
        s.problem.pde_steps = steps;
        s.problem.accumulation = MT_ACCUMULATION_DOUBLE_WORD;
        run_backend(&s, "ipu", &one, 60, first, NULL);
        for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++)
            for (uint32_t chips = 1; chips <= 4; chips *= 2) {
                const mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, chips, 23, scheme);
                omp_set_num_threads(chips == 1 ? 1 : 2);
                run_backend(&s, "ipu", &layout, 60, v, NULL);
                cr_assert(same_bits(v, first), "%zu steps, %s, %u chips", steps, scheme->name, chips);
            }
        s.problem.accumulation = MT_ACCUMULATION_SINGLE;
        run_backend(&s, "ipu", &one, 60, v, NULL);
        cr_expect(!same_bits(v, first), "%zu steps: double words do not change V", steps);
    }
}

Test(backends, a_checked_run_with_double_words_receives_everything_it_reads)
{
    double *v = values(), *checked = values();
    mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, 2, 23, mt_schemes);
    s.problem.pde_steps = 3;
    s.problem.accumulation = MT_ACCUMULATION_DOUBLE_WORD;
    run_backend(&s, "ipu", &layout, 20, v, NULL);
    layout.checked = true;
    run_backend(&s, "ipu", &layout, 20, checked, NULL);
    cr_expect(same_bits(v, checked));
}

/* Rounding errors of 16 diffusion steps per time step shift the activation time. With double words only rounding in the ionic model
 * remains. */
Test(backends, double_words_agree_better_with_the_cpu)
{
    const mt_layout layout = layout_on(&s, 7);
    double *cpu = values(), *v = values(), apart[2];
    s.problem.pde_steps = 16;
    run_backend(&s, "cpu", NULL, 100, cpu, NULL);
    for (int way = MT_ACCUMULATION_SINGLE; way <= MT_ACCUMULATION_DOUBLE_WORD; way++) {
        s.problem.accumulation = (mt_accumulation)way;
        run_backend(&s, "ipu", &layout, 100, v, NULL);
        apart[way] = largest_difference(cpu, v);
    }
    cr_expect_lt(apart[MT_ACCUMULATION_DOUBLE_WORD], apart[MT_ACCUMULATION_SINGLE] / 10, "%g and %g mV",
        apart[MT_ACCUMULATION_DOUBLE_WORD], apart[MT_ACCUMULATION_SINGLE]);
}

/* Both schemes of implicit steps. Their solver needs sums over all tiles. Each of the 20 steps takes several iterations. */
Test(backends, implicit_steps_are_bit_identical_on_any_tiles_and_agree_with_the_cpu)
{
    enum { STEPS = 20 };
    double *first = values(), *v = values();
    const mt_layout one = layout_on(&s, 1);
    s.problem.pde_steps = 1;
    s.problem.residual_mV = 1e-4;
    for (int way = MT_DIFFUSING_EULER; way <= MT_DIFFUSING_CRANK_NICOLSON; way++) {
        s.problem.diffusing = (mt_diffusing)way;
        run_backend(&s, "ipu", &one, STEPS, first, NULL);
        for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++)
            for (uint32_t chips = 1; chips <= 4; chips *= 2) {
                const mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, chips, 23, scheme);
                omp_set_num_threads(chips == 1 ? 1 : 2);
                run_backend(&s, "ipu", &layout, STEPS, v, NULL);
                cr_assert(same_bits(v, first), "way %d, %s, %u chips", way, scheme->name, chips);
            }
        run_backend(&s, "cpu", NULL, STEPS, v, NULL);
        cr_expect_lt(largest_difference(v, first), 0.1, "way %d: %g", way, largest_difference(v, first));
    }
}

/* Implicit steps with several beats, multirate stepping and two variants, in a run that is continued on another machine. */
Test(backends, implicit_steps_resume_on_other_tiles_with_beats_variants_and_multirate_stepping)
{
    static const size_t beat[] = {0, 120};
    const size_t n = s.mesh.n_elements;
    uint16_t *variant_of = mt_arena_alloc(&s.arena, n, sizeof *variant_of);
    double *whole = values(), *v = values(), *value = values();
    const mt_layout one = layout_on(&s, 7), other = layout_by(&s, MT_PARTITION_FLAT, 2, 23, mt_schemes);
    mt_arena arena = {0};
    void *first, *second;
    for (size_t c = 0; c < n; c++) variant_of[c] = c % 2;
    s.problem.variant_of = variant_of;
    s.problem.pde_steps = 1;
    s.problem.diffusing = MT_DIFFUSING_EULER;
    s.problem.residual_mV = 1e-4;
    s.problem.stepping = MT_STEPPING_MULTIRATE;
    s.problem.tolerance_mV = 0.1;
    s.problem.record = (mt_record){.all = true, .fraction = 0.9, .n_beats = 2, .beat = beat};
    cr_assert_eq(mt_records_new(&s.arena, &s.problem.record, n, &s.results.beats), MT_OK);
    run_backend(&s, "ipu", &one, 200, whole, NULL);
    cr_assert_eq(mt_backend_ipu.open(&arena, &s.problem, &one, &first), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&s.problem, &mt_backend_ipu, first, 0, 150, &s.results, NULL, NULL), MT_OK,
        "%s", mt_message());
    cr_assert_eq(mt_backend_ipu.open(&arena, &s.problem, &other, &second), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < mt_arrays(&s.problem); k++) {
        mt_backend_ipu.read(first, k, value);
        mt_backend_ipu.write(second, k, value);
    }
    mt_backend_ipu.resume(second, 150);
    cr_assert_eq(mt_backend_run(&s.problem, &mt_backend_ipu, second, 150, 200, &s.results, NULL, NULL), MT_OK,
        "%s", mt_message());
    mt_backend_ipu.read(second, MT_ARRAY_V, v);
    cr_expect(same_bits(v, whole));
    ipu_profile profile;
    uint64_t cycles[MT_PHASES], sum = 0;
    cr_assert_eq(mt_backend_ipu.profile(second, &arena, &profile), MT_OK);
    mt_phases_count(&profile, &s.problem, cycles);
    for (int p = 0; p < MT_PHASES; p++) sum += cycles[p];
    cr_expect_eq(sum, profile.cycles - profile.host_cycles, "the phases do not add up to the total");
    mt_arena_free(&arena);
}

/* Also with a check of every message. */
Test(backends, a_checked_run_with_implicit_steps_receives_everything_it_reads)
{
    double *v = values(), *checked = values();
    mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, 2, 23, mt_schemes);
    s.problem.pde_steps = 1;
    s.problem.residual_mV = 1e-4;
    s.problem.diffusing = MT_DIFFUSING_EULER;
    run_backend(&s, "ipu", &layout, 50, v, NULL);
    layout.checked = true;
    run_backend(&s, "ipu", &layout, 50, checked, NULL);
    cr_expect(same_bits(v, checked));
}

/* The host, with sums in double precision, takes 142 iterations for 40 steps. With a wrong direction (the sign of beta) it takes 169. */
Test(backends, fixed_point_sums_cost_no_additional_iterations)
{
    const mt_layout layout = layout_on(&s, 23);
    mt_arena arena = {0};
    ipu_profile profile;
    void *self;
    s.problem.pde_steps = 1;
    s.problem.diffusing = MT_DIFFUSING_EULER;
    s.problem.residual_mV = 1e-4;
    s.problem.dt_ms = 0.1;
    cr_assert_eq(mt_backend_ipu.open(&arena, &s.problem, &layout, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&s.problem, &mt_backend_ipu, self, 0, 40, &s.results, NULL, NULL), MT_OK);
    cr_assert_eq(mt_backend_ipu.profile(self, &arena, &profile), MT_OK);
    const size_t iterations = mt_phases_iterations(&profile, &s.problem);
    cr_expect(iterations >= 140 && iterations <= 144, "%zu", iterations);
    mt_arena_free(&arena);
}

Test(backends, a_tolerance_that_is_not_reached_is_an_error)
{
    const mt_layout layout = layout_on(&s, 7);
    mt_arena arena = {0};
    void *self;
    s.problem.pde_steps = 1;
    s.problem.diffusing = MT_DIFFUSING_EULER;
    s.problem.residual_mV = 1e-30;
    cr_assert_eq(mt_backend_ipu.open(&arena, &s.problem, &layout, &self), MT_OK, "%s", mt_message());
    cr_expect_eq(
        mt_backend_run(&s.problem, &mt_backend_ipu, self, 0, 10, &s.results, NULL, NULL), MT_NUMERICS);
    cr_expect(strstr(mt_message(), "tolerance_mV 1e-30"), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(backends, each_group_of_parts_is_mapped_to_the_first_tiles_of_its_chip)
{
    const mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, 4, 20, mt_schemes);
    mt_arena arena = {0}, filled = {0};
    mt_plan plan;
    cr_assert_eq(mt_plan_make(&arena, &filled, &s.problem, &layout, &plan), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < plan.graph->n_mappings; k++) cr_assert_lt(plan.graph->mappings[k].tile % 1472, 20);
    for (uint32_t part = 0; part < 80; part++) { /* variable 0 is v_a: one mapping per part */
        const ipu_mapping *m = &plan.graph->mappings[part];
        cr_assert(m->variable == 0 && m->from == layout.halo->own_offset[part]);
        cr_assert_eq(m->tile, part / 20 * 1472 + part % 20);
    }
    mt_arena_free(&arena), mt_arena_free(&filled);
}

/* The resources that a machine needs are computed without building its executable. */
Test(backends, predicted_costs_equal_those_of_a_run)
{
    const mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, 2, 20, mt_schemes);
    s.problem.n_stimuli = 0;
    s.problem.pde_steps = 2;
    for (EACH_MODEL) {
        mt_arena arena = {0};
        ipu_profile costs, run;
        void *self;
        cr_assert_eq(mt_plan_costs(&arena, *m, true, &layout, &costs), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_backend_ipu.open(&arena, &s.problem, &layout, &self), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_backend_ipu.profile(self, &arena, &run), MT_OK, "%s", mt_message());
        cr_assert(costs.memory_max == run.memory_max && costs.memory_median == run.memory_median);
        cr_assert_eq(costs.n_steps, run.n_steps);
        for (size_t k = 0; k < costs.n_steps; k++) {
            cr_assert_str_eq(costs.steps[k].name, run.steps[k].name);
            cr_assert_eq(costs.steps[k].cycles, run.steps[k].cycles, "%s", run.steps[k].name);
            cr_assert_eq(costs.steps[k].bytes_received, run.steps[k].bytes_received);
        }
        cr_assert_gt(costs.steps[MT_PLAN_PDE_AB].bytes_received, 0);
        mt_arena_free(&arena);
    }
}

/* Columns are 16-bit places in the local order of a tile, so a tile can hold 65,536 elements: here 65,530 of its own and some that it
 * receives. The memory of the tile is checked later. */
Test(backends, a_tile_addresses_65536_elements_at_most)
{
    enum { OWN = 65530, OTHERS = 10 };
    static uint32_t column[OWN + OTHERS], part[OWN + OTHERS];
    const mt_diffusion no_values = {0};
    const mt_monodomain problem = {
        .diffusion = &no_values, .model = mt_cell_models[0], .dt_ms = 1, .pde_steps = 2};
    mt_scheme exact;
    cr_assert_eq(mt_scheme_find("exact", 0, &exact), MT_OK);
    for (size_t received = 5; received < 9; received++) {
        for (uint32_t c = 0; c < OWN + OTHERS; c++) {
            column[c] = c < received ? OWN + c : c; /* a row reads one other element, or no other */
            part[c] = c >= OWN;
        }
        mt_arena arena = {0};
        mt_halo halo;
        mt_plan plan;
        const mt_partition two = {
            .n_parts = 2, .parts_per_group = 2, .n_elements = OWN + OTHERS, .part = part};
        cr_assert_eq(
            mt_halo_make(&arena, &(mt_pattern){OWN + OTHERS, 1, column, NULL, NULL}, &two, &exact, &halo),
            MT_OK, "%s", mt_message());
        cr_assert_eq(mt_halo_local(&halo, 0), OWN + received);
        const mt_layout layout = {.target = &s.target, .halo = &halo};
        const mt_status status = mt_plan_make(&arena, NULL, &problem, &layout, &plan);
        cr_assert_eq(status, received <= 6 ? MT_OK : MT_FIT, "%zu elements", OWN + received);
        cr_assert(status == MT_OK || strstr(mt_message(), "tile 0: 6553"), "%s", mt_message());
        mt_arena_free(&arena);
    }
}

/* A message moved onto the next one is detected. */
Test(backends, the_compiled_executable_of_a_plan_is_checked)
{
    const mt_layout layout = layout_by(&s, MT_PARTITION_FLAT, 2, 20, mt_schemes);
    mt_arena arena = {0}, filled = {0};
    mt_plan plan;
    ipu_executable *e;
    cr_assert_eq(mt_plan_make(&arena, &filled, &s.problem, &layout, &plan), MT_OK, "%s", mt_message());
    cr_assert_eq(
        ipu_compile(&arena, plan.graph, plan.program, plan.n_programs, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_plan_check(e), MT_OK, "%s", mt_message());
    cr_assert(e->n_messages > 1 && e->messages[0].destination < e->messages[1].destination);
    e->messages[0].destination = e->messages[1].destination;
    cr_assert_eq(mt_plan_check(e), MT_NUMERICS);
    cr_assert(
        strstr(mt_message(), "the compiled program is invalid: executable: 'pde a to b': message 1 overlaps"),
        "%s", mt_message());
    mt_arena_free(&arena), mt_arena_free(&filled);
}

/* With 1 or 2 diffusion steps, between time steps the potential is in v_b or in v_a; the other is not needed, nor is the spread
 * reaction. A part of n floats takes 4 n bytes, and 4 more if n is odd and nothing is received. */
Test(backends, one_of_two_voltages_and_the_spread_reaction_are_temporary_variables)
{
    const mt_layout layout = layout_on(&s, 7);
    for (size_t steps = 1; steps <= 2; steps++) {
        mt_arena arena = {0};
        ipu_profile profile;
        void *self = NULL;
        s.problem.pde_steps = steps;
        cr_assert_eq(mt_backend_ipu.open(&arena, &s.problem, &layout, &self), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_backend_ipu.profile(self, &arena, &profile), MT_OK, "%s", mt_message());
        const size_t bytes = profile.memory_all.bytes[IPU_MEMORY_TEMPORARIES];
        cr_expect(bytes >= 8 * s.mesh.n_elements && bytes <= 8 * s.mesh.n_elements + 8 * 7,
            "%zu steps: %zu bytes", steps, bytes);
        mt_arena_free(&arena);
    }
}

Test(backends, the_cpu_is_bit_identical_for_any_number_of_threads)
{
    double *one = values(), *two = values();
    for (EACH_MODEL) {
        omp_set_num_threads(1);
        run_backend(&s, "cpu", NULL, 300, one, NULL);
        omp_set_num_threads(2);
        run_backend(&s, "cpu", NULL, 300, two, NULL);
        cr_assert(same_bits(one, two), "%s", (*m)->name);
    }
}

/* Single and double precision follow the same scheme, so activation times differ only by rounding errors. The upstroke (over 100 mV/ms)
 * reduces them to far less than the 0.05 ms that the published comparison allows. */
Test(backends, the_machine_agrees_with_the_cpu)
{
    const mt_layout layout = layout_on(&s, 16);
    for (EACH_KIND_OF_MODEL)
        for (size_t pde_steps = 1; pde_steps <= 4; pde_steps++) { /* even and odd: the last V is in either
                                                                   * buffer */
            double *v[2] = {values(), values()}, *activation[2] = {values(), values()};
            s.problem.pde_steps = pde_steps;
            run_backend(&s, "cpu", NULL, 300, v[0], activation[0]);
            run_backend(&s, "ipu", &layout, 300, v[1], activation[1]);
            for (size_t c = 0; c < s.mesh.n_elements; c++) { /* infinite if not yet activated */
                const double by_cpu_ms = activation[0][c], by_ipu_ms = activation[1][c];
                cr_assert(by_cpu_ms == by_ipu_ms || fabs(by_cpu_ms - by_ipu_ms) < 0.05,
                    "%s, %zu diffusion steps: %g and %g ms", (*m)->name, pde_steps, by_cpu_ms, by_ipu_ms);
            }
            cr_assert_lt(largest_difference(v[0], v[1]), 1, "%s, %zu diffusion steps", (*m)->name, pde_steps);
        }
}

/* The slab with the plain scheme, which does not spread the reaction. */
static void make_plain(void)
{
    mt_arena_free(&s.arena);
    s = (slab_problem){.scheme = &mt_diffusion_scheme_plain};
    cr_assert_eq(mt_slab_make(&s.arena, (double[3]){3, 2, 1.5}, 0.5, &s.mesh), MT_OK, "%s", mt_message());
    make_problem(&s, (double[]){1.5, 1.5, 1.5});
}

Test(backends, compensated_splitting_agrees_on_both_backends_and_any_tiles)
{
    shorten_slab();
    for (int plain = 0; plain < 2; plain++) {
        if (plain) make_plain();
        double *v[3] = {values(), values(), values()}, *activation[3] = {values(), values(), values()};
        mt_layout few = layout_on(&s, 3), many = layout_on(&s, 64);
        few.checked = many.checked = true;
        s.problem.splitting = MT_SPLITTING_COMPENSATED;
        for (EACH_KIND_OF_MODEL)
            for (s.problem.pde_steps = 2; s.problem.pde_steps <= 3; s.problem.pde_steps++) {
                run_backend(&s, "cpu", NULL, 200, v[0], activation[0]);
                run_backend(&s, "ipu", &few, 200, v[1], activation[1]);
                run_backend(&s, "ipu", &many, 200, v[2], activation[2]);
                cr_assert(same_bits(v[1], v[2]) && same_bits(activation[1], activation[2]), "%s", (*m)->name);
                cr_assert_lt(
                    largest_difference(activation[0], activation[1]), 0.05, "%s", (*m)->name); /* as above */
                cr_assert_lt(largest_difference(v[0], v[1]), 1, "%s", (*m)->name);
            }
    }
}

Test(backends, without_a_stimulus_all_elements_stay_equal)
{
    const mt_layout layout = layout_on(&s, 16);
    double *v = values(), *activation = values();
    s.problem.n_stimuli = 0;
    for (EACH_KIND_OF_MODEL)
        for (const mt_backend *const *b = mt_backends; *b; b++) {
            const double rest_mV = (*m)->variants[0].v_mV;
            if (*b == &mt_backend_opencl && (*m)->n_states > 2) continue;
            run_backend(&s, (*b)->name, &layout, 500, v, activation);
            for (size_t c = 0; c < s.mesh.n_elements; c++) {
                /* a constant field stays constant within one rounding per diffusion step: 500 roundings of 85 mV */
                cr_assert_float_eq(v[c], v[0], 500 * 85 * 1.2e-7, "%s, element %zu", (*b)->name, c);
                cr_assert_float_eq(v[c], rest_mV, 2, "%s, element %zu: %g mV", (*b)->name, c, v[c]);
                cr_assert(isinf(activation[c]));
            }
        }
}

/* Assigns the variants in layers normal to x. */
static void take_variants(const mt_cell_model *model, uint16_t *of)
{
    for (size_t c = 0; c < s.mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, c, x);
        of[c] = (uint16_t)((x[0] < 2 ? 2 : x[0] < 3 ? 1 : 0) % model->n_variants);
    }
    s.problem.variant_of = of;
}

Test(backends, cells_of_several_variants_agree_on_both_backends_and_any_tiles)
{
    static uint16_t of[6 * 10 * 4 * 3];
    double *v[3] = {values(), values(), values()}, *activation[3] = {values(), values(), values()};
    const mt_layout few = layout_on(&s, 3), many = layout_on(&s, 64);
    cr_assert_eq(s.mesh.n_elements, sizeof of / sizeof *of);
    for (EACH_KIND_OF_MODEL) {
        take_variants(*m, of);
        run_backend(&s, "cpu", NULL, 600, v[0], activation[0]);
        run_backend(&s, "ipu", &few, 600, v[1], activation[1]);
        run_backend(&s, "ipu", &many, 600, v[2], activation[2]);
        cr_assert(same_bits(v[1], v[2]) && same_bits(activation[1], activation[2]), "%s", (*m)->name);
        cr_assert_lt(largest_difference(activation[0], activation[1]), 0.05, "%s", (*m)->name); /* as above */
        cr_assert_lt(largest_difference(v[0], v[1]), 1, "%s", (*m)->name);
    }
}

/* Variants of the problem, more than the model has; each element has a random one. */
Test(backends, cells_of_many_variants_agree_on_both_backends_and_any_tiles_and_threads)
{
    enum { VARIANTS = 70, PARAMETERS_MOST = 64 };
    static mt_cell_variant variants[VARIANTS];
    static double parameters[VARIANTS][PARAMETERS_MOST];
    static uint16_t of[6 * 10 * 4 * 3];
    double *v[3] = {values(), values(), values()}, *activation[3] = {values(), values(), values()};
    const mt_layout few = layout_on(&s, 3), many = layout_on(&s, 64);
    uint64_t seed = 3;
    for (size_t c = 0; c < s.mesh.n_elements; c++)
        of[c] = c > 0 && between(&seed, 0, 1) < 0.9 ? of[c - 1] : (uint16_t)between(&seed, 0, VARIANTS);
    for (EACH_KIND_OF_MODEL) {
        cr_assert_leq((*m)->n_parameters, (size_t)PARAMETERS_MOST);
        for (size_t k = 0; k < VARIANTS; k++) {
            variants[k] = (*m)->variants[k % (*m)->n_variants];
            for (size_t p = 0; p < (*m)->n_parameters; p++)
                parameters[k][p] = variants[k].parameters[p] * between(&seed, 0.95, 1.05);
            variants[k].parameters = parameters[k];
        }
        s.problem.variants = variants;
        s.problem.n_variants = VARIANTS;
        s.problem.variant_of = of;
        omp_set_num_threads(1);
        run_backend(&s, "cpu", NULL, 500, v[0], activation[0]);
        run_backend(&s, "ipu", &few, 500, v[1], activation[1]);
        omp_set_num_threads(2);
        run_backend(&s, "ipu", &many, 500, v[2], activation[2]);
        cr_assert(same_bits(v[1], v[2]) && same_bits(activation[1], activation[2]), "%s", (*m)->name);
        cr_assert_lt(largest_difference(activation[0], activation[1]), 0.05, "%s", (*m)->name); /* as above */
        cr_assert_lt(largest_difference(v[0], v[1]), 1, "%s", (*m)->name);
        run_backend(&s, "cpu", NULL, 20, v[1], NULL);
        omp_set_num_threads(1);
        run_backend(&s, "cpu", NULL, 20, v[2], NULL);
        cr_assert(same_bits(v[1], v[2]), "%s", (*m)->name);
        s.problem.variant_of = NULL;
        s.problem.variant = VARIANTS - 1;
        run_backend(&s, "ipu", &few, 100, v[1], NULL);
        for (size_t c = 0; c < s.mesh.n_elements; c++) of[c] = VARIANTS - 1;
        s.problem.variant_of = of;
        run_backend(&s, "ipu", &many, 100, v[2], NULL);
        cr_assert(same_bits(v[1], v[2]), "%s: one variant, specified in two ways", (*m)->name);
    }
}

/* A tile holds the constants of only those variants that its elements have. */
Test(backends, a_tile_stores_only_the_constants_of_its_own_cell_variants)
{
    static mt_cell_variant variants[1000];
    static uint16_t of[6 * 10 * 4 * 3];
    mt_arena arena = {0};
    mt_plan plan;
    const mt_layout layout = layout_on(&s, 64);
    for (size_t k = 0; k < 1000; k++) variants[k] = s.problem.model->variants[0];
    for (size_t c = 0; c < s.mesh.n_elements; c++) of[c] = (uint16_t)(c / 4 * 3);
    s.problem.variants = variants;
    s.problem.n_variants = 1000;
    s.problem.variant_of = of;
    s.problem.n_stimuli = 0;
    cr_assert_eq(mt_plan_make(&arena, &arena, &s.problem, &layout, &plan), MT_OK, "%s", mt_message());
    for (uint32_t part = 0; part < layout.halo->n_parts; part++) {
        bool needed[1000] = {false};
        size_t n = 0, from = layout.halo->own_offset[part];
        for (size_t k = from; k < layout.halo->own_offset[part + 1]; k++) {
            bool *here = &needed[of[layout.halo->own_element[k]]];
            n += !*here;
            *here = true;
        }
        cr_expect_eq(plan.rows[part + 1] - plan.rows[part], n, "part %u", part);
    }
    cr_expect_eq(plan.constants.n, plan.rows[layout.halo->n_parts] * s.problem.model->n_constants);
    mt_arena_free(&arena);
}

/* Without a stimulus each variant drifts from its own resting state. */
Test(backends, cells_of_each_variant_start_from_their_own_resting_state)
{
    static uint16_t of[6 * 10 * 4 * 3];
    double *v[2] = {values(), values()};
    const mt_layout many = layout_on(&s, 64);
    s.problem.n_stimuli = 0;
    for (EACH_MODEL) {
        take_variants(*m, of);
        run_backend(&s, "cpu", NULL, 1, v[0], NULL);
        run_backend(&s, "ipu", &many, 1, v[1], NULL);
        for (size_t c = 0; c < s.mesh.n_elements; c++) {
            double x[3];
            mt_mesh_centroid(&s.mesh, c, x);
            if (fabs(x[0] - 2) < 1 || fabs(x[0] - 3) < 1) continue; /* one step reaches across two faces */
            const double rest = (*m)->variants[of[c]].v_mV;
            cr_assert(fabs(v[0][c] - rest) < 0.1 && fabs(v[1][c] - rest) < 0.1,
                "element %zu: %g and %g, not %g", c, v[0][c], v[1][c], rest);
        }
    }
}

/* Two stimuli that overlap in time: the first alone, both, the second alone, no stimulus. */
Test(backends, stimuli_start_and_end_at_their_times)
{
    const mt_layout layout = layout_on(&s, 16);
    uint32_t last = (uint32_t)s.mesh.n_elements - 1;
    double *v = values();
    use_quick_model();
    s.stimulus[0] = (mt_stimulus){0.1, 0.2, 10, 1, &last, 0, 0, NULL, 0, 0, 0, 0};
    s.stimulus[1] = (mt_stimulus){0.2, 0.2, 20, 1, (uint32_t[]){0}, 0, 0, NULL, 0, 0, 0, 0};
    s.problem.n_stimuli = 2;
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        run_backend(&s, (*b)->name, &layout, 5, v, NULL);
        cr_assert_float_eq(v[last], v[0], 0.1, "%s: no stimulus is on before 0.1 ms", (*b)->name);
        run_backend(&s, (*b)->name, &layout, 6, v, NULL);
        cr_assert_gt(v[last], v[0] + 0.05, "%s: the first is on from 0.1 ms", (*b)->name);
        run_backend(&s, (*b)->name, &layout, 11, v, NULL);
        cr_assert_gt(
            v[0], s.mesh.n_elements > 500 ? v[500] + 0.1 : 0, "%s: the second from 0.2 ms", (*b)->name);
    }
    cr_assert(!mt_stimulus_is_on(&s.stimulus[0], 0.02, 4) && mt_stimulus_is_on(&s.stimulus[0], 0.02, 5));
    cr_assert(mt_stimulus_is_on(&s.stimulus[0], 0.02, 14) && !mt_stimulus_is_on(&s.stimulus[0], 0.02, 15));
    cr_assert_eq(mt_monodomain_next_switch(&s.problem, 0, 100), 5);
    cr_assert_eq(mt_monodomain_next_switch(&s.problem, 5, 100), 10);
    cr_assert_eq(mt_monodomain_next_switch(&s.problem, 20, 100), 100);
}

/* Stores the peak voltage recorded by the end of the stimulus, when a checkpoint may be written. */
static bool note_peak(void *user, size_t steps_done)
{
    if (steps_done == 75) *(double *)user = s.results.peak_mV[0];
    return true;
}

/* The peak voltage under a stimulus. At its end, at 1.5 ms, V of its elements is still rising. The other stimulus has not begun. */
Test(backends, the_peak_voltage_under_a_stimulus_is_recorded)
{
    const mt_layout layout = layout_on(&s, 16);
    double *v = values(), peak_mV[2];
    use_quick_model();
    s.stimulus[0].duration_ms = 1.5, s.stimulus[0].rise_mV_ms = 5;
    s.stimulus[1] = (mt_stimulus){3, 1, 10, 1, (uint32_t[]){0}, 0, 0, NULL, 0, 0, 0, 0};
    s.problem.n_stimuli = 2, s.results.peak_mV = peak_mV;
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        double highest = -INFINITY;
        run_backend(&s, (*b)->name, &layout, 75, v, NULL);
        for (size_t k = 0; k < s.stimulus[0].n_elements; k++)
            highest = fmax(highest, v[s.stimulus[0].element[k]]);
        run_backend(&s, (*b)->name, &layout, 150, v, NULL);
        cr_expect_eq(peak_mV[0], highest, "%s: %g, not %g mV", (*b)->name, peak_mV[0], highest);
        cr_expect_gt(peak_mV[0], s.problem.model->variants[0].v_mV + 1, "%s: %g mV", (*b)->name, peak_mV[0]);
        cr_expect_eq(peak_mV[1], -INFINITY, "%s", (*b)->name);
        mt_arena arena = {0};
        void *self = NULL;
        double noted_mV = 0;
        cr_assert_eq((*b)->open(&arena, &s.problem, &layout, &self), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_backend_run(&s.problem, *b, self, 0, 150, &s.results, note_peak, &noted_mV), MT_OK);
        cr_expect_eq(noted_mV, highest, "%s: %g, not %g mV", (*b)->name, noted_mV, highest);
        mt_arena_free(&arena);
    }
}

/* The error names the stimulus of the faulty elements, and the first of these elements. It does not name another stimulus that is on
 * elsewhere. */
Test(backends, an_invalid_voltage_is_reported_with_its_cause)
{
    const mt_layout layout = layout_on(&s, 16);
    const size_t last = s.mesh.n_elements - 1;
    char expected[128];
    use_quick_model();
    s.stimulus[1] = (mt_stimulus){0, 2, 1e5, 1, (uint32_t[]){(uint32_t)last}, 0, 0, NULL, 0, 0, 0, 0};
    s.problem.n_stimuli = 2;
    for (const mt_backend *const *b = mt_backends; *b; b++)
        for (int k = 0; k < 2; k++) {
            mt_arena arena = {0};
            void *self = NULL;
            double x[3];
            s.problem.mesh = k ? &s.mesh : NULL;
            mt_mesh_centroid(&s.mesh, last, x);
            cr_assert_eq((*b)->open(&arena, &s.problem, &layout, &self), MT_OK, "%s", mt_message());
            cr_assert_eq(mt_backend_run(&s.problem, *b, self, 0, 100, &s.results, NULL, NULL), MT_NUMERICS);
            (void)snprintf(expected, sizeof expected,
                k ? "element %zu at [%.4g, %.4g, %.4g] mm: V is " : "element %zu: V is ", last, x[0], x[1],
                x[2]);
            cr_expect(
                strncmp(mt_message(), expected, strlen(expected)) == 0, "%s: %s", (*b)->name, mt_message());
            cr_expect(strstr(mt_message(), " between 0 and 1 ms; ") &&
                          strstr(mt_message(), "stimuli.1 was on there and raises V by 1e+05"),
                "%s: %s", (*b)->name, mt_message());
            mt_arena_free(&arena);
        }
}

/* A stimulus with three pulses equals three stimuli, to the bit. The other stimulus is on at times, so the set of active stimuli
 * changes. */
Test(backends, a_repeated_stimulus_equals_separate_stimuli)
{
    const mt_layout layout = layout_on(&s, 16);
    uint32_t first = 0, last = (uint32_t)s.mesh.n_elements - 1;
    double *once = values(), *often = values();
    mt_stimulus four[4] = {{0.1, 0.2, 10, 1, &last, 0, 0, NULL, 0, 0, 0, 0},
        {0.5, 0.2, 10, 1, &last, 0, 0, NULL, 0, 0, 0, 0}, {0.9, 0.2, 10, 1, &last, 0, 0, NULL, 0, 0, 0, 0},
        {0.2, 0.6, 5, 1, &first, 0, 0, NULL, 0, 0, 0, 0}};
    use_quick_model();
    mt_stimulus two[2] = {{0.1, 0.2, 10, 1, &last, 0.4, 2, NULL, 0, 0, 0, 0}, four[3]};
    mt_monodomain apart = s.problem;
    apart.stimulus = four, apart.n_stimuli = 4;
    s.problem.stimulus = two, s.problem.n_stimuli = 2;
    for (size_t step = 0; step < 100; step++) {
        bool on = false;
        for (size_t k = 0; k < 3; k++) on |= mt_stimulus_is_on(&four[k], 0.02, step);
        cr_assert_eq(mt_stimulus_is_on(&two[0], 0.02, step), on, "step %zu", step);
        cr_assert_eq(mt_monodomain_next_switch(&s.problem, step, 100),
            mt_monodomain_next_switch(&apart, step, 100), "step %zu", step);
    }
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        run_backend(&s, (*b)->name, &layout, 60, often, NULL);
        mt_monodomain kept = s.problem;
        s.problem = apart;
        run_backend(&s, (*b)->name, &layout, 60, once, NULL);
        s.problem = kept;
        cr_assert(same_bits(once, often), "%s", (*b)->name);
        cr_assert_gt(once[last], once[500] + 1, "%s: nothing happened", (*b)->name);
    }
}

/* A stimulus with delays of 0 to 4 steps, in two pulses, equals a stimulus for each delay, to the bit. Its elements are on most tiles. */
Test(backends, a_stimulus_with_delays_equals_separate_stimuli)
{
    enum { DELAYS = 5, EVERY = 3 };
    const mt_layout layout = layout_on(&s, 16);
    const size_t n = s.mesh.n_elements / EVERY;
    uint32_t *all = mt_arena_alloc(&s.arena, n, sizeof *all),
             *of = mt_arena_alloc(&s.arena, DELAYS * n, sizeof *of);
    uint16_t *delay = mt_arena_alloc(&s.arena, n, sizeof *delay);
    double *once = values(), *apart = values();
    mt_stimulus each[DELAYS], one = {0.1, 0.06, 10, n, all, 0.4, 1, delay, DELAYS - 1, 0, 0, 0};
    for (uint32_t d = 0; d < DELAYS; d++)
        each[d] = (mt_stimulus){0.1 + 0.02 * d, 0.06, 10, 0, of + d * n, 0.4, 1, NULL, 0, 0, 0, 0};
    for (uint32_t k = 0; k < n; k++) {
        all[k] = EVERY * k, delay[k] = (uint16_t)(all[k] * 7 % DELAYS);
        mt_stimulus *own = &each[delay[k]];
        of[delay[k] * n + own->n_elements++] = all[k];
    }
    use_quick_model();
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        s.problem.stimulus = each, s.problem.n_stimuli = DELAYS;
        run_backend(&s, (*b)->name, &layout, 40, apart, NULL);
        s.problem.stimulus = &one, s.problem.n_stimuli = 1;
        run_backend(&s, (*b)->name, &layout, 40, once, NULL);
        cr_assert(same_bits(once, apart), "%s", (*b)->name);
        cr_assert_gt(once[0], s.problem.model->variants[0].v_mV + 0.5, "%s: nothing happened", (*b)->name);
    }
}

Test(backends, a_checked_run_computes_the_same_voltages)
{
    mt_layout layout = layout_on(&s, 8);
    double *plain = values(), *checked = values();
    run_backend(&s, "ipu", &layout, 20, plain, NULL);
    layout.checked = true;
    run_backend(&s, "ipu", &layout, 20, checked, NULL);
    cr_assert(same_bits(plain, checked));
}

Test(backends, an_unstable_diffusion_step_is_rejected_with_the_limit)
{
    const mt_layout layout = layout_on(&s, 8);
    s.problem.dt_ms = 10 * s.diffusion.limit_dt_ms;
    s.problem.pde_steps = 9;
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        mt_arena arena = {0};
        void *self = NULL;
        cr_assert_eq((*b)->open(&arena, &s.problem, &layout, &self), MT_NUMERICS);
        cr_assert(strstr(mt_message(), "at least 10"), "%s", mt_message());
        mt_arena_free(&arena);
    }
}

/* On a small slab. For devices: opencl_faults/every_failing_allocation_is_reported_and_releases_everything. */
Test(backends, out_of_memory_at_any_point_is_an_error)
{
    mt_arena_free(&s.arena);
    make_slab_problem(&s, (double[3]){2, 1, 1}, 0.5);
    const mt_layout layout = layout_on(&s, 2);
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        mt_status status = MT_MEMORY;
        if (*b == &mt_backend_opencl) continue;
        for (size_t n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            void *self = NULL;
            mt_arena_fail_at(n);
            status = (*b)->open(&arena, &s.problem, &layout, &self);
            mt_arena_fail_at(0);
            cr_assert(status == MT_OK || status == MT_MEMORY, "%s at %zu: %s", (*b)->name, n, mt_message());
            mt_arena_free(&arena);
        }
    }
}
