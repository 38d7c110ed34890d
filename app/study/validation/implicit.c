/* myotile reproduce implicit: cost of implicit diffusion steps on the machine, compared with explicit ones, for several IPU counts.
 *
 * The case is advanced by explicit steps on the host until the wave propagates. From this state each method makes some time steps
 * on each count of IPUs, so the numbers of iterations, and thus the cost, are realistic. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "data/core/progress.h"
#include "app/draw/chart/chart.h"
#include "app/study/reproduce.h"
#include "app/run/mapping.h"
#include "solver/diffusion/implicit.h"
#include "solver/plan/phases.h"
#include "solver/case/case.h"

static mt_status implicit(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_REPRODUCE_IPUS,
    {.name = "--set", .value = "KEY=VALUE", .help = "replace a value of the case", .repeats = true},
    {.name = "--dt-ms", .value = "DT,...", .help = "time steps; default: that of the case"},
    {.name = "--from-ms",
        .value = "T",
        .help = "start of the measurement, during propagation and without a stimulus; default: 5"},
    {.name = "--steps", .value = "N", .help = "number of measured time steps; default: 10"},
    {.name = "--picture",
        .value = "OUT.png",
        .help = "chart of the modelled time by number of IPUs, for the first of --dt-ms"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_implicit = {
    .name = "reproduce implicit",
    .operands = "CASE.yaml",
    .n_operands = 1,
    .summary = "cost of implicit diffusion steps relative to explicit ones, by number of IPUs",
    .example = "myotile reproduce implicit heart.yaml --ipus 1,4,16,64 --picture implicit.png",
    .options = options,
    .run = implicit,
};

enum { WAYS = MT_DIFFUSING_CRANK_NICOLSON + 1, DTS_MAX = 4 };
static const struct {
    const char *key, *label;
} ways[WAYS] = {
    {"explicit", "explicit"}, {"backward_euler", "backward Euler"}, {"crank_nicolson", "Crank-Nicolson"}};

/* Cost of n steps. */
typedef struct measured {
    size_t pde_steps;
    double iterations, products, sum_share; /* per step; sum_share: fraction of its cycles */
    double cycles, seconds;                 /* per step; per simulated second */
    double substep_cycles;                  /* per explicit substep */
    bool fits;
} measured;

typedef struct verdict {
    const char *path, *picture; /* path, or NULL */
    mt_case input;
    size_t n_dts, n_ipus, n_steps;
    double from_ms, dt_ms[DTS_MAX];
    unsigned long ipus[MT_TILING_COUNTS];
    mt_problem problem;
    double **state;               /* [mt_arrays] of all elements, at from_ms */
    double host_s[DTS_MAX][WAYS]; /* processor time per simulated ms */
    measured at[MT_TILING_COUNTS][DTS_MAX][WAYS];
    const char *machine;
} verdict;

/* ---- options ---- */

static mt_status read_case(mt_arena *arena, const mt_arguments *arguments, verdict *v)
{
    mt_yaml_override *sets;
    size_t n;
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n, &sets));
    v->path = mt_operand(arguments, 0);
    MT_TRY(mt_case_load(arena, v->path, sets, n, &v->input));
    MT_TRY(mt_case_need_elements(v->path, &v->input));
    v->machine = v->input.machine.target;
    mt_case_set_backend(&v->input, &mt_backend_ipu);
    return MT_OK;
}

static mt_status read_numbers(const mt_arguments *arguments, verdict *v)
{
    const char *dts = mt_option_value(arguments, "--dt-ms", NULL);
    unsigned long steps;
    v->n_dts = 1;
    v->dt_ms[0] = v->input.time.dt_ms;
    for (const char *at = dts; at && *at; at++) v->n_dts += *at == ',';
    if (v->n_dts > DTS_MAX)
        return mt_fail(MT_INPUT, "--dt-ms with %zu numbers; allowed: at most %d", v->n_dts, DTS_MAX);
    if (dts) MT_TRY(mt_numbers("--dt-ms", dts, v->n_dts, 1e-4, v->dt_ms));
    MT_TRY(mt_numbers("--from-ms", mt_option_value(arguments, "--from-ms", "5"), 1, 0, &v->from_ms));
    MT_TRY(mt_integer("--steps", mt_option_value(arguments, "--steps", "10"), 1, 100000, &steps));
    v->n_steps = steps;
    return mt_integers("--ipus", mt_option_value(arguments, "--ipus", "1,2,4,8,16"), 1, 1024,
        MT_TILING_COUNTS, &v->n_ipus, v->ipus);
}

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, verdict *v)
{
    MT_TRY(read_case(arena, arguments, v));
    MT_TRY(read_numbers(arguments, v));
    v->picture = mt_option_value(arguments, "--picture", NULL);
    if (v->picture && v->n_ipus > MT_CHART_GROUPS_MAX)
        return mt_fail(MT_INPUT, "--picture with %zu counts of IPUs; allowed: at most %d", v->n_ipus,
            MT_CHART_GROUPS_MAX);
    return v->picture ? mt_page_check_name(v->picture, mt_option_replace(arguments)) : MT_OK;
}

/* ---- the runs ---- */

/* Returns the problem without stimuli, for this method and time step. */
static mt_monodomain problem_of(const verdict *v, mt_diffusing way, double dt_ms)
{
    mt_monodomain problem = v->problem.monodomain;
    problem.diffusing = way;
    problem.residual_mV = v->input.diffusion.tolerance_mV;
    problem.dt_ms = dt_ms;
    problem.pde_steps =
        way == MT_DIFFUSING_EXPLICIT ? mt_monodomain_pde_steps(&v->problem.diffusion, dt_ms) : 1;
    problem.n_stimuli = 0;
    problem.stepping = MT_STEPPING_UNIFORM;
    return problem;
}

static mt_status run_up(mt_arena *arena, verdict *v)
{
    MT_SCRATCH(of_backend);
    mt_monodomain problem = v->problem.monodomain;
    const size_t n_arrays = mt_arrays(&problem), steps = (size_t)lround(v->from_ms / problem.dt_ms);
    void *self;
    MT_ALLOC(arena, v->state, n_arrays);
    for (size_t k = 0; k < n_arrays; k++) MT_ALLOC(arena, v->state[k], v->problem.mesh.n_elements);
    problem.diffusing = MT_DIFFUSING_EXPLICIT;
    problem.pde_steps = mt_monodomain_pde_steps(&v->problem.diffusion, problem.dt_ms);
    mt_progress_stage("running to the start of the measurement");
    mt_status status = mt_backend_cpu.open(of_backend, &problem, NULL, &self);
    if (status == MT_OK) status = mt_backend_run(&problem, &mt_backend_cpu, self, 0, steps, NULL, NULL, NULL);
    for (size_t k = 0; status == MT_OK && k < n_arrays; k++) mt_backend_cpu.read(self, k, v->state[k]);
    return status;
}

static mt_status open_there(mt_arena *arena, const verdict *v, const mt_backend *backend,
    const mt_monodomain *problem, const mt_layout *layout, void **self)
{
    MT_TRY(backend->open(arena, problem, layout, self));
    for (size_t k = 0; k < mt_arrays(problem); k++) backend->write(*self, k, v->state[k]);
    backend->resume(*self, 0);
    return MT_OK;
}

/* Returns the time of all processors in seconds. */
static double processor_s(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Returns the shortest of several measurements. */
static mt_status time_host(const verdict *v, mt_diffusing way, double dt_ms, double *seconds)
{
    enum { TRIES = 3 };
    const mt_monodomain problem = problem_of(v, way, dt_ms);
    MT_SCRATCH(arena);
    void *self;
    mt_status status = open_there(arena, v, &mt_backend_cpu, &problem, NULL, &self);
    *seconds = INFINITY;
    for (size_t t = 0; status == MT_OK && t < TRIES; t++) {
        const double begin = processor_s();
        status = mt_backend_cpu.advance(self, t * v->n_steps, v->n_steps);
        *seconds = fmin(*seconds, (processor_s() - begin) / ((double)v->n_steps * dt_ms));
    }
    return status;
}

static mt_status count_steps(
    mt_arena *arena, const verdict *v, const mt_monodomain *problem, const mt_layout *layout, measured *m)
{
    ipu_profile profile;
    void *self;
    MT_TRY(open_there(arena, v, &mt_backend_ipu, problem, layout, &self));
    MT_TRY(mt_backend_ipu.advance(self, 0, v->n_steps));
    MT_TRY(mt_backend_ipu.profile(self, arena, &profile));
    const double steps = (double)v->n_steps, all = (double)(profile.cycles - profile.host_cycles);
    const bool is_explicit = problem->diffusing == MT_DIFFUSING_EXPLICIT;
    m->iterations = is_explicit ? 0 : (double)mt_phases_iterations(&profile, problem) / steps;
    m->products = is_explicit ? (double)problem->pde_steps
                              : MT_IMPLICIT_PRODUCTS + MT_IMPLICIT_PRODUCTS_OF_AN_ITERATION * m->iterations;
    m->sum_share = is_explicit ? 0 : (double)mt_phases_sum_cycles(&profile, problem) / all;
    m->cycles = all / steps;
    m->substep_cycles = (double)profile.steps[MT_PLAN_PDE_AB].cycles;
    m->seconds = 1000 * m->cycles / problem->dt_ms / layout->target->clock_hz;
    m->fits = true;
    return MT_OK;
}

static mt_status measure(
    const verdict *v, mt_diffusing way, double dt_ms, const mt_layout *layout, measured *m)
{
    const mt_monodomain problem = problem_of(v, way, dt_ms);
    mt_arena arena = {0};
    *m = (measured){.pde_steps = problem.pde_steps};
    mt_status status = count_steps(&arena, v, &problem, layout, m);
    mt_arena_free(&arena);
    if (status != MT_FIT) return status;
    mt_warn("%s on %zu IPUs: %s", ways[way].label, layout->target->ipus, mt_message());
    return MT_OK;
}

/* Measures all methods on one count of IPUs. `kept`: arena of the strings that the mapping choice adds to the case. */
static mt_status measure_on(mt_arena *kept, verdict *v, size_t i)
{
    MT_SCRATCH(arena);
    mt_mapping_choice choice;
    mt_mapping mapping;
    char stage[64];
    v->input.machine.ipus = v->ipus[i];
    (void)snprintf(stage, sizeof stage, "time steps on %lu IPUs", v->ipus[i]);
    mt_progress_stage(stage);
    mt_status status = mt_mapping_choose(kept, v->path, &v->input, NULL, &choice);
    choice.cached = true;
    if (status == MT_OK) status = mt_mapping_make(arena, &v->input, &choice, &v->problem, &mapping);
    for (size_t d = 0; status == MT_OK && d < v->n_dts; d++)
        for (int way = 0; status == MT_OK && way < WAYS; way++)
            status = measure(v, (mt_diffusing)way, v->dt_ms[d], &mapping.layout, &v->at[i][d][way]);
    return status;
}

/* ---- the tables ---- */

/* Begins a row with method and time step. */
static void begin_row(mt_table *table, const verdict *v, size_t d, int way)
{
    mt_table_item(table, ways[way].key, ways[way].label, 0);
    mt_table_number(table, v->dt_ms[d]);
}

/* Returns the number of explicit substeps that would take as long as an implicit step, in an otherwise equal time step. */
static double break_even(const measured *m, const measured *of_explicit)
{
    if (!m->fits || !of_explicit->fits) return NAN;
    return (double)of_explicit->pde_steps + (m->cycles - of_explicit->cycles) / of_explicit->substep_cycles;
}

/* Builds the table of times, relative to explicit steps with the first time step. */
static mt_table machine_table(mt_arena *arena, const verdict *v)
{
    mt_table table =
        mt_table_begin(arena, "machine", "Modelled time of a time step and of a simulated second");
    mt_table_strings(&table, "way", "diffusion");
    mt_table_digits(&table, "dt_ms", "time step", "ms", 4);
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    mt_table_decimals(&table, "substeps", "explicit substeps", "", 0);
    mt_table_decimals(&table, "iterations", "iterations", "", 2);
    mt_table_decimals(&table, "products", "products", "", 2);
    mt_table_decimals(&table, "break_even", "break-even substeps", "", 1);
    mt_table_decimals(&table, "sum_percent", "sums over tiles", "%", 1);
    mt_table_decimals(&table, "cycles", "cycles", "", 0);
    mt_table_digits(&table, "seconds", "time per simulated second", "s", 4);
    mt_table_digits(&table, "beside_explicit", "relative to explicit", "", 3);
    for (size_t i = 0; i < v->n_ipus; i++)
        for (size_t d = 0; d < v->n_dts; d++)
            for (int way = 0; way < WAYS; way++) {
                const measured *m = &v->at[i][d][way], *first = &v->at[i][0][MT_DIFFUSING_EXPLICIT];
                const bool is_explicit = way == MT_DIFFUSING_EXPLICIT;
                begin_row(&table, v, d, way);
                MT_TABLE_NUMBERS(&table, (double)v->ipus[i], is_explicit ? (double)m->pde_steps : NAN,
                    is_explicit || !m->fits ? NAN : m->iterations, m->fits ? m->products : NAN,
                    is_explicit ? NAN : break_even(m, &v->at[i][d][MT_DIFFUSING_EXPLICIT]),
                    is_explicit || !m->fits ? NAN : 100 * m->sum_share, m->fits ? m->cycles : NAN,
                    m->fits ? m->seconds : NAN, m->fits && first->fits ? m->seconds / first->seconds : NAN);
            }
    return table;
}

static mt_table host_table(mt_arena *arena, const verdict *v)
{
    mt_table table = mt_table_begin(arena, "host",
        "CPU time on this computer in double precision; it varies by a few per cent between runs");
    mt_table_strings(&table, "way", "diffusion");
    mt_table_digits(&table, "dt_ms", "time step", "ms", 4);
    mt_table_digits(&table, "seconds_per_ms", "time per simulated ms", "s", 3);
    mt_table_digits(&table, "beside_explicit", "relative to explicit", "", 3);
    for (size_t d = 0; d < v->n_dts; d++)
        for (int way = 0; way < WAYS; way++) {
            begin_row(&table, v, d, way);
            MT_TABLE_NUMBERS(
                &table, v->host_s[d][way], v->host_s[d][way] / v->host_s[0][MT_DIFFUSING_EXPLICIT]);
        }
    return table;
}

static mt_status draw(const verdict *v)
{
    char title[256], group[MT_TILING_COUNTS][16];
    const char *groups[MT_TILING_COUNTS], *bars[WAYS], *const kinds[] = {""};
    double value[MT_TILING_COUNTS * WAYS], place[MT_TILING_COUNTS];
    char bar[WAYS][64];
    for (size_t i = 0; i < v->n_ipus; i++) {
        (void)snprintf(group[i], sizeof group[i], "%lu", v->ipus[i]);
        groups[i] = group[i];
        place[i] = (double)v->ipus[i];
        for (int way = 0; way < WAYS; way++)
            value[WAYS * i + (size_t)way] = v->at[i][0][way].fits ? v->at[i][0][way].seconds : 0;
    }
    for (int way = 0; way < WAYS; way++) {
        (void)snprintf(bar[way], sizeof bar[way], "%s, %g ms", ways[way].label, v->dt_ms[0]);
        bars[way] = bar[way];
    }
    (void)snprintf(title, sizeof title,
        "Time per simulated second of %zu elements, by number of IPUs (%.100s)", v->problem.mesh.n_elements,
        v->machine);
    return mt_chart_write(v->picture, &(mt_chart){.title = title,
                                          .caption = "Modelled time [s]; both axes are logarithmic",
                                          .logarithmic = true,
                                          .n_groups = v->n_ipus,
                                          .n_bars = WAYS,
                                          .n_kinds = 1,
                                          .group = groups,
                                          .bar = bars,
                                          .kind = kinds,
                                          .value = value,
                                          .place = place});
}

/* ---- the command ---- */

/* Refuses an active stimulus, which would be switched off at the first counted step. */
static mt_status check_stimuli(const verdict *v)
{
    const mt_monodomain *problem = &v->problem.monodomain;
    const size_t from = (size_t)lround(v->from_ms / problem->dt_ms);
    for (size_t s = 0; s < problem->n_stimuli; s++)
        if (mt_stimulus_is_on(&problem->stimulus[s], problem->dt_ms, from))
            return mt_fail(MT_INPUT,
                "--from-ms %g: stimuli.%zu is active then; allowed: a time without a stimulus", v->from_ms,
                s);
    return MT_OK;
}

static mt_status find(mt_arena *arena, verdict *v)
{
    MT_TRY(mt_problem_make(arena, &v->input, true, &v->problem));
    MT_TRY(check_stimuli(v));
    v->problem.monodomain.stepping = MT_STEPPING_UNIFORM;
    MT_TRY(run_up(arena, v));
    for (size_t i = 0; i < v->n_ipus; i++) MT_TRY(measure_on(arena, v, i));
    mt_progress_stage("measuring CPU time");
    for (size_t d = 0; d < v->n_dts; d++)
        for (int way = 0; way < WAYS; way++)
            MT_TRY(time_host(v, (mt_diffusing)way, v->dt_ms[d], &v->host_s[d][way]));
    return MT_OK;
}

static mt_status implicit(mt_arena *arena, const mt_arguments *arguments)
{
    verdict *v;
    MT_ALLOC(arena, v, 1);
    MT_TRY(parse(arena, arguments, v));
    MT_TRY(find(arena, v));
    if (v->picture) MT_TRY(draw(v));
    mt_table tables[] = {machine_table(arena, v), host_table(arena, v)};
    return mt_print_tables(arguments, tables, sizeof tables / sizeof tables[0]);
}
