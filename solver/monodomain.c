#include "solver/monodomain.h"

#include <math.h>

size_t mt_monodomain_pde_steps(const mt_diffusion *diffusion, double dt_ms)
{
    size_t steps = 1;
    if (dt_ms > diffusion->limit_dt_ms) steps = (size_t)ceil(dt_ms / diffusion->limit_dt_ms);
    while (dt_ms / (double)steps > diffusion->limit_dt_ms)
        steps++; /* rounding may have reduced the quotient above */
    return steps;
}

mt_status mt_monodomain_check(const mt_monodomain *problem)
{
    if (problem->diffusing != MT_DIFFUSING_EXPLICIT) return MT_OK;
    double dt_pde_ms = problem->dt_ms / (double)problem->pde_steps;
    if (dt_pde_ms <= problem->diffusion->limit_dt_ms) return MT_OK;
    return mt_fail(MT_NUMERICS,
        "pde_steps %zu: diffusion steps of %g ms are unstable on this mesh; the limit is %g ms: at least %zu",
        problem->pde_steps, dt_pde_ms, problem->diffusion->limit_dt_ms,
        mt_monodomain_pde_steps(problem->diffusion, problem->dt_ms));
}

const char *const mt_splitting_name[] = {
    [MT_SPLITTING_GODUNOV] = "godunov", [MT_SPLITTING_COMPENSATED] = "compensated", NULL};

const char *const mt_accumulation_name[] = {
    [MT_ACCUMULATION_SINGLE] = "single", [MT_ACCUMULATION_DOUBLE_WORD] = "double-word", NULL};

const char *const mt_stepping_name[] = {
    [MT_STEPPING_UNIFORM] = "uniform", [MT_STEPPING_MULTIRATE] = "multirate", NULL};
const char *const mt_evaluation_name[] = {
    [MT_EVALUATION_EXACT] = "exact", [MT_EVALUATION_TABULATED] = "tabulated", NULL};

double mt_splitting_compensation(mt_splitting splitting, size_t pde_steps)
{
    return splitting == MT_SPLITTING_COMPENSATED ? 0.5 * (1 - 1 / (double)pde_steps) : 0;
}

double mt_diffusing_theta(mt_diffusing diffusing)
{
    return diffusing == MT_DIFFUSING_CRANK_NICOLSON ? 0.5 : 1;
}

static double compensation(const mt_monodomain *problem)
{
    if (problem->diffusing != MT_DIFFUSING_EXPLICIT)
        return problem->splitting == MT_SPLITTING_COMPENSATED ? mt_diffusing_theta(problem->diffusing) : 0;
    return mt_splitting_compensation(problem->splitting, problem->pde_steps);
}

bool mt_monodomain_spreads(const mt_monodomain *problem)
{
    return problem->diffusion->kappa_ms || compensation(problem) > 0;
}

double mt_monodomain_share(const mt_monodomain *problem, size_t element)
{
    const double *kappa_ms = problem->diffusion->kappa_ms;
    return (kappa_ms ? kappa_ms[element] / problem->dt_ms : 0) + compensation(problem);
}

size_t mt_monodomain_own_stimuli(const mt_monodomain *problem)
{
    size_t n = problem->n_stimuli;
    while (n > 0 && problem->stimulus[n - 1].delay) n--;
    return n;
}

const mt_cell_variant *mt_monodomain_variants(const mt_monodomain *problem, size_t *n)
{
    *n = problem->variants ? problem->n_variants : problem->model->n_variants;
    return problem->variants ? problem->variants : problem->model->variants;
}

const mt_cell_variant *mt_monodomain_variant(const mt_monodomain *problem, size_t element)
{
    size_t n;
    return mt_monodomain_variants(problem, &n) +
           (problem->variant_of ? problem->variant_of[element] : problem->variant);
}

size_t mt_monodomain_next_switch(const mt_monodomain *problem, size_t step, size_t end)
{
    for (size_t s = 0; s < problem->n_stimuli; s++)
        end = mt_stimulus_next_switch(&problem->stimulus[s], problem->dt_ms, step, end);
    return end;
}

mt_status mt_results_new(mt_arena *arena, const mt_monodomain *problem, mt_results *results)
{
    *results = (mt_results){0};
    MT_ALLOC(arena, results->peak_mV, problem->n_stimuli);
    MT_ALLOC(arena, results->capture, problem->n_stimuli);
    return mt_records_new(arena, &problem->record, problem->diffusion->n_unknowns, &results->beats);
}
