#include "solver/backends/backend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const mt_backend *const mt_backends[] = {&mt_backend_cpu, &mt_backend_ipu, NULL};

const mt_backend *mt_backend_find(const char *name)
{
    for (const mt_backend *const *b = mt_backends; *b; b++)
        if (strcmp((*b)->name, name) == 0) return *b;
    (void)mt_fail(MT_INPUT, "backend '%s'; allowed: cpu, ipu", name);
    return NULL;
}

size_t mt_array_states(const mt_monodomain *problem)
{
    return MT_ARRAY_RECORD + (problem->record.all ? MT_RECORDED : 0);
}

size_t mt_arrays(const mt_monodomain *problem) { return mt_array_states(problem) + problem->model->n_states; }

mt_cell_quantity mt_array(const mt_monodomain *problem, size_t array)
{
    if (array == MT_ARRAY_V) return (mt_cell_quantity){"V", "mV"};
    if (array == MT_ARRAY_ACTIVATION) return (mt_cell_quantity){"activation", "ms"};
    const size_t states = mt_array_states(problem);
    if (array < states) return mt_recorded_quantity[array - MT_ARRAY_RECORD];
    return problem->model->states[array - states];
}

bool mt_array_is_recorded(const mt_monodomain *problem, size_t array)
{
    return array != MT_ARRAY_V && array < mt_array_states(problem);
}

static bool is_possible(double v_mV) { return fabs(v_mV) <= 200; }

/* The first of n elements whose V is not possible; with a stimulus, of its own. SIZE_MAX: all are. */
static size_t find_impossible(const double *v_mV, size_t n, const mt_stimulus *stimulus)
{
    for (size_t k = 0; k < (stimulus ? stimulus->n_elements : n); k++) {
        const size_t element = stimulus ? stimulus->element[k] : k;
        if (!is_possible(v_mV[element])) return element;
    }
    return SIZE_MAX;
}

/* "element 7 at [1, 2, 3] mm: V is -300 mV" */
static void tell_value(const mt_monodomain *problem, size_t element, double v_mV, char *text, size_t size)
{
    char value[32] = "not a number", place[96] = "";
    if (!isnan(v_mV)) (void)snprintf(value, sizeof value, "%g mV", v_mV);
    if (problem->mesh) {
        double x[3];
        mt_mesh_centroid(problem->mesh, element, x);
        element = mt_mesh_number(problem->mesh, element);
        (void)snprintf(place, sizeof place, " at [%.4g, %.4g, %.4g] mm", x[0], x[1], x[2]);
    }
    (void)snprintf(text, size, "element %zu%s: V is %s", element, place, value);
}

/* Of the stimuli that were on in this step the strongest, of those with impossible elements of their own if there are any: there
 * it began, whatever is wrong elsewhere by then. SIZE_MAX: none was on. */
static size_t find_cause(const mt_monodomain *problem, const double *v_mV, size_t step, bool own)
{
    size_t found = SIZE_MAX;
    for (size_t s = 0; s < problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &problem->stimulus[s];
        if (!mt_stimulus_is_on(stimulus, problem->dt_ms, step)) continue;
        if (own && find_impossible(v_mV, 0, stimulus) == SIZE_MAX) continue;
        if (found == SIZE_MAX || stimulus->rise_mV_ms > problem->stimulus[found].rise_mV_ms) found = s;
    }
    return found == SIZE_MAX && own ? find_cause(problem, v_mV, step, false) : found;
}

/* What was impossible at this step was possible at step `from`. */
static mt_status refuse(
    const mt_monodomain *problem, const double *v_mV, size_t element, size_t from, size_t step)
{
    char value[160], why[256] = "no stimulus was on: a smaller time.dt_ms or more time.pde_steps may help";
    const size_t cause = find_cause(problem, v_mV, step - 1, true);
    if (cause != SIZE_MAX) {
        const size_t own = find_impossible(v_mV, 0, &problem->stimulus[cause]);
        if (own != SIZE_MAX) element = own;
        (void)snprintf(why, sizeof why,
            "stimuli.%zu was on%s and raises V by %.4g mV/ms: a weaker strength_uA_mm3 or a smaller "
            "time.dt_ms may help",
            cause, own != SIZE_MAX ? " there" : "", problem->stimulus[cause].rise_mV_ms);
    }
    tell_value(problem, element, v_mV[element], value, sizeof value);
    return mt_fail(MT_NUMERICS, "%s between %g and %g ms; it must stay within -200 .. 200 mV; %s", value,
        (double)from * problem->dt_ms, (double)step * problem->dt_ms, why);
}

/* Of the steps [from, step), over which no stimulus was switched. */
static mt_status check_voltages(const mt_monodomain *problem, const double *v_mV, size_t from, size_t step)
{
    const size_t element = find_impossible(v_mV, problem->diffusion->n_elements, NULL);
    return element == SIZE_MAX ? MT_OK : refuse(problem, v_mV, element, from, step);
}

static void note_peaks(const mt_monodomain *problem, const double *v_mV, size_t step)
{
    for (size_t s = 0; problem->peak_mV && s < problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &problem->stimulus[s];
        if (!mt_stimulus_is_on(stimulus, problem->dt_ms, step - 1)) continue;
        for (size_t k = 0; k < stimulus->n_elements; k++)
            problem->peak_mV[s] = fmax(problem->peak_mV[s], v_mV[stimulus->element[k]]);
    }
}

/* The end of the millisecond that begins at this step or is under way: the same wherever a run began. */
static size_t end_of_ms(const mt_monodomain *problem, size_t step)
{
    const size_t piece = problem->dt_ms < 1 ? (size_t)llround(1 / problem->dt_ms) : 1;
    return (step / piece + 1) * piece;
}

static mt_status run(const mt_monodomain *problem, const mt_backend *backend, void *self, size_t first,
    size_t end, mt_backend_watch *watch, void *user, double *v_mV)
{
    for (size_t s = 0; first == 0 && problem->peak_mV && s < problem->n_stimuli; s++)
        problem->peak_mV[s] = -INFINITY;
    for (size_t step = first; step < end;) {
        const size_t from = step, ms = end_of_ms(problem, step),
                     to = mt_monodomain_next_switch(problem, step, ms < end ? ms : end);
        bool stopped = false;
        while (step < to && !stopped) {
            MT_TRY(backend->advance(self, step++, 1));
            stopped = watch && !watch(user, step);
        }
        backend->read(self, MT_ARRAY_V, v_mV);
        MT_TRY(check_voltages(problem, v_mV, from, step));
        note_peaks(problem, v_mV, step);
        if (stopped) return mt_fail(MT_STOPPED, "stopped at %g ms", (double)step * problem->dt_ms);
    }
    return MT_OK;
}

mt_status mt_backend_run(const mt_monodomain *problem, const mt_backend *backend, void *self, size_t first,
    size_t end, mt_backend_watch *watch, void *user)
{
    mt_arena scratch = {0};
    double *v_mV = mt_arena_alloc(&scratch, problem->diffusion->n_elements, sizeof *v_mV);
    mt_status status = v_mV ? run(problem, backend, self, first, end, watch, user, v_mV) : MT_MEMORY;
    mt_arena_free(&scratch);
    return status;
}
