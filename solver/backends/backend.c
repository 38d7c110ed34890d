#include "solver/backends/backend.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/conduction/conducting.h"

const mt_backend *const mt_backends[] = {
    &mt_backend_cpu, &mt_backend_ipu, &mt_backend_cpu_single, &mt_backend_opencl, NULL};

const mt_backend *mt_backend_find(const char *name)
{
    for (const mt_backend *const *b = mt_backends; *b; b++)
        if (strcmp((*b)->name, name) == 0) return *b;
    char names[64] = "";
    for (const mt_backend *const *b = mt_backends; *b; b++)
        (void)snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
            b > mt_backends ? ", " : "", (*b)->name);
    (void)mt_fail(MT_INPUT, "backend '%s'; allowed: %s", name, names);
    return NULL;
}

size_t mt_array_states(const mt_monodomain *problem)
{
    return MT_ARRAY_RECORD + (problem->record.all ? MT_RECORDED : 0);
}

size_t mt_array_paced(const mt_monodomain *problem)
{
    return mt_array_states(problem) + problem->model->n_states;
}

size_t mt_arrays(const mt_monodomain *problem)
{
    return mt_array_paced(problem) + (problem->stepping == MT_STEPPING_MULTIRATE ? MT_PACED : 0);
}

mt_cell_quantity mt_array(const mt_monodomain *problem, size_t array)
{
    if (array == MT_ARRAY_V) return (mt_cell_quantity){"V", "mV"};
    if (array == MT_ARRAY_ACTIVATION) return (mt_cell_quantity){"activation", "ms"};
    const size_t states = mt_array_states(problem);
    if (array < states) return mt_recorded_quantity[array - MT_ARRAY_RECORD];
    const size_t paced = mt_array_paced(problem);
    return array < paced ? problem->model->states[array - states] : mt_paced_quantity[array - paced];
}

bool mt_array_is_recorded(const mt_monodomain *problem, size_t array)
{
    return array != MT_ARRAY_V && array < mt_array_states(problem);
}

bool mt_backend_possible_mV(double v_mV) { return fabs(v_mV) <= MT_POSSIBLE_mV; }

/* Returns the first of n elements with an impossible V, or of the stimulus' elements if there is one. SIZE_MAX:
 * none. */
static size_t find_impossible(const double *v_mV, size_t n, const mt_stimulus *stimulus)
{
    for (size_t k = 0; k < (stimulus ? stimulus->n_elements : n); k++) {
        const size_t element = stimulus ? stimulus->element[k] : k;
        if (!mt_backend_possible_mV(v_mV[element])) return element;
    }
    return SIZE_MAX;
}

enum { VALUE = 32 };

/* Formats "-300 mV" or "not a number". */
static void tell_mV(double v_mV, char text[VALUE])
{
    if (isnan(v_mV))
        (void)snprintf(text, VALUE, "not a number");
    else
        (void)snprintf(text, VALUE, "%g mV", v_mV);
}

/* Formats "element 7 at [1, 2, 3] mm: V is -300 mV". */
static void tell_value(const mt_monodomain *problem, size_t unknown, double v_mV, char *text, size_t size)
{
    const mt_unknowns unknowns = mt_monodomain_unknowns(problem);
    char value[VALUE], place[96] = "";
    tell_mV(v_mV, value);
    if (problem->mesh) {
        double x[3];
        mt_unknowns_place(&unknowns, unknown, x);
        unknown = mt_unknowns_number(&unknowns, unknown);
        (void)snprintf(place, sizeof place, " at [%.4g, %.4g, %.4g] mm", x[0], x[1], x[2]);
    }
    (void)snprintf(text, size, "%s %zu%s: V is %s", mt_unknowns_word(&unknowns, 1), unknown, place, value);
}

/* Returns the strongest stimulus that was on in this step. If some stimuli have impossible elements of their own,
 * only these are considered: the error began there, even if it has spread since. SIZE_MAX: no stimulus was on. */
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

/* Describes the stimulus that caused an impossible voltage. */
static void tell_cause(const mt_monodomain *problem, size_t cause, const char *there, char *why, size_t size)
{
    const mt_stimulus *stimulus = &problem->stimulus[cause];
    if (stimulus->delay)
        (void)snprintf(why, size,
            "activation: eikonal was on%s and raises V by %.4g mV/ms: a smaller time.dt_ms may help", there,
            stimulus->rise_mV_ms);
    else
        (void)snprintf(why, size,
            "stimuli.%zu was on%s and raises V by %.4g mV/ms: a smaller strength_uA_mm3 or time.dt_ms may "
            "help",
            cause, there, stimulus->rise_mV_ms);
}

/* Fails with the message for a voltage that is impossible at this step and was possible at step `from`. */
static mt_status refuse(
    const mt_monodomain *problem, const double *v_mV, size_t element, size_t from, size_t step)
{
    const char *more = problem->diffusing == MT_DIFFUSING_EXPLICIT ? " or more time.pde_steps" : "";
    char value[160], why[256];
    (void)snprintf(why, sizeof why, "no stimulus was on: a smaller time.dt_ms%s may help", more);
    const size_t cause = find_cause(problem, v_mV, step - 1, true);
    if (cause != SIZE_MAX) {
        const size_t own = find_impossible(v_mV, 0, &problem->stimulus[cause]);
        if (own != SIZE_MAX) element = own;
        tell_cause(problem, cause, own != SIZE_MAX ? " there" : "", why, sizeof why);
    }
    tell_value(problem, element, v_mV[element], value, sizeof value);
    return mt_fail(MT_NUMERICS, "%s between %g and %g ms; it must stay within -200 .. 200 mV; %s", value,
        (double)from * problem->dt_ms, (double)step * problem->dt_ms, why);
}

/* Checks the steps [from, step), within which no stimulus was switched. */
static mt_status check_voltages(const mt_monodomain *problem, const double *v_mV, size_t from, size_t step)
{
    const size_t element = find_impossible(v_mV, problem->diffusion->n_unknowns, NULL);
    return element == SIZE_MAX ? MT_OK : refuse(problem, v_mV, element, from, step);
}

/* Returns the end of the current millisecond, or of the one that begins at this step; independent of where the run
 * began. */
static size_t end_of_ms(const mt_monodomain *problem, size_t step)
{
    const size_t piece = problem->dt_ms < 1 ? (size_t)llround(1 / problem->dt_ms) : 1;
    return (step / piece + 1) * piece;
}

/* ---- beats ---- */

/* A run in progress, with work space for recorded arrays. */
typedef struct running {
    const mt_monodomain *problem;
    const mt_backend *backend;
    void *self;
    mt_results *results;
    double *v_mV;          /* [n] */
    double *activation_ms; /* [n] of the backend; with a single beat in the memory of its result */
    double *low;           /* [n] in the memory of V; NULL if only the activation is recorded */
    double *value;         /* [n]; NULL with a single beat, whose results are streamed to their own memory */
    double *extreme_mV;    /* [2][n_stimuli], of a survey */
    double *coupled_mV;    /* [coupled unknowns] of the conduction system */
    bool carries;          /* True if an action potential of an earlier beat may still continue */
} running;

/* Returns the beat of an element's previous action potential. */
static size_t beat_before(const mt_results *results, size_t beat, size_t element)
{
    while (beat > 0 && isinf(results->beats[--beat].activation_ms[element])) continue;
    return beat;
}

static mt_status stream(const running *r, size_t array, double *values)
{
    return r->backend->stream(r->self, array, 0, NULL, values);
}

/* True if a quantity of an element is known as of now. */
static bool is_known(const running *r, int recorded, size_t e)
{
    const bool earlier = r->activation_ms[e] == -INFINITY, closed = r->low[e] == -INFINITY;
    if (r->activation_ms[e] == INFINITY || (recorded == MT_RECORDED_REPOLARISATION && !closed)) return false;
    return !earlier || recorded != MT_RECORDED_REST; /* keeps the value from the end of that beat */
}

/* Stores one of mt_recorded, as of a number of steps, in the beat that it belongs to. */
static mt_status gather_one(running *r, size_t beat, size_t begin, int recorded)
{
    const mt_monodomain *problem = r->problem;
    const bool is_time = recorded == MT_RECORDED_REPOLARISATION;
    double *value = r->value ? r->value : r->results->beats[beat].recorded[recorded];
    MT_TRY(stream(r, MT_ARRAY_RECORD + (size_t)recorded, value));
    for (size_t e = 0; e < problem->diffusion->n_unknowns; e++) {
        const bool earlier = r->activation_ms[e] == -INFINITY;
        if (!is_known(r, recorded, e)) {
            if (!r->value) value[e] = mt_recorded_start[recorded];
            continue;
        }
        const mt_records *to = &r->results->beats[earlier ? beat_before(r->results, beat, e) : beat];
        to->recorded[recorded][e] = is_time ? (double)begin * problem->dt_ms + value[e] : value[e];
    }
    return MT_OK;
}

/* Stores the activation times, the last ones to be gathered. */
static void put_activation(running *r, size_t beat, size_t begin)
{
    double *to = r->results->beats[beat].activation_ms;
    for (size_t e = 0; e < r->problem->diffusion->n_unknowns; e++)
        if (isfinite(r->activation_ms[e]))
            to[e] = (double)begin * r->problem->dt_ms + r->activation_ms[e];
        else if (!r->value)
            to[e] = INFINITY;
}

/* Copies the activations of the conduction system in a beat. */
static void gather_conduction(const running *r, size_t beat)
{
    mt_conducting *c = r->results->conducting;
    if (!c || !r->results->conduction_ms) return;
    mt_conducting_look(c);
    memcpy(r->results->conduction_ms[beat], c->activation_ms, c->n_places * sizeof *c->activation_ms);
}

/* Gathers the record as of a number of steps, without changing it: that of the current beat, and the ends of
 * earlier ones. */
static mt_status gather(running *r, size_t steps_done)
{
    const mt_monodomain *problem = r->problem;
    const mt_record *record = &problem->record;
    const size_t beat = mt_record_beat(record, steps_done), begin = mt_record_first(record, beat);
    gather_conduction(r, beat);
    if (!r->results->beats) return MT_OK;
    MT_TRY(stream(r, MT_ARRAY_ACTIVATION, r->activation_ms));
    if (record->all) MT_TRY(stream(r, MT_ARRAY_RECORD + MT_RECORDED_LOW, r->low));
    for (int k = 0; k < MT_RECORDED; k++)
        if (r->results->beats[beat].recorded[k]) MT_TRY(gather_one(r, beat, begin, k));
    put_activation(r, beat, begin);
    return MT_OK;
}

/* True if an action potential is in progress that began before the beat, or before now. */
static bool carries(const running *r, bool before_now)
{
    bool any = false;
    for (size_t e = 0; e < r->problem->diffusion->n_unknowns; e++)
        any |= r->low[e] != -INFINITY && (before_now || r->activation_ms[e] == -INFINITY);
    return any;
}

/* Returns the next step, at most `end`, before which a beat begins or elements may be freed. */
static size_t next_turn(const running *r, size_t steps_done, size_t end)
{
    const mt_record *record = &r->problem->record;
    const size_t every = mt_record_rest_steps(r->problem->dt_ms),
                 beat = mt_record_beat(record, steps_done + 1), begin = mt_record_first(record, beat);
    if (mt_record_beats(record) == 1) return end;
    if (beat + 1 < record->n_beats && record->beat[beat + 1] < end) end = record->beat[beat + 1];
    const size_t look = begin + ((steps_done - begin) / every + 1) * every;
    return r->carries && look < end ? look : end;
}

/* Begins the beat of the next step, or frees elements, between two steps. */
static mt_status turn(running *r, size_t steps_done)
{
    const mt_record *record = &r->problem->record;
    const size_t beat = mt_record_beat(record, steps_done + 1), begin = mt_record_first(record, beat);
    const bool begins = steps_done == begin;
    if (steps_done == 0 || !(begins || r->carries)) return MT_OK;
    if ((steps_done - begin) % mt_record_rest_steps(r->problem->dt_ms) != 0) return MT_OK;
    MT_TRY(gather(r, steps_done));
    r->carries = carries(r, begins);
    if (begins && r->results->conducting) mt_conducting_begin_beat(r->results->conducting, steps_done);
    return r->backend->turn(r->self, steps_done, begins);
}

/* Allocates the work space. A resumed run checks for action potentials in progress. */
static mt_status begin_beats(mt_arena *arena, running *r, size_t first)
{
    const size_t n = r->problem->diffusion->n_unknowns;
    const bool single = mt_record_beats(&r->problem->record) == 1;
    assert(r->results->beats || single);
    if (!r->results->beats) return MT_OK;
    r->activation_ms = r->results->beats[0].activation_ms;
    if (!single) MT_ALLOC(arena, r->activation_ms, n);
    if (!r->problem->record.all) return MT_OK;
    r->low = r->v_mV;
    if (!single) MT_ALLOC(arena, r->value, n);
    if (first == 0) return MT_OK;
    MT_TRY(r->backend->read(r->self, MT_ARRAY_ACTIVATION, r->activation_ms));
    for (size_t e = 0; e < n; e++) r->carries |= r->activation_ms[e] == -INFINITY;
    return MT_OK;
}

/* ---- the conduction system ---- */

static mt_status connect(mt_arena *arena, running *r, size_t first)
{
    const mt_conduction *conduction = r->problem->conduction;
    const mt_record *record = &r->problem->record;
    if (!conduction) return MT_OK;
    const mt_junctions *junctions = &conduction->junctions;
    assert(r->results->conducting && r->results->conducting->conduction == conduction);
    r->results->conducting->beat_step = mt_record_first(record, mt_record_beat(record, first));
    mt_conducting_look(r->results->conducting);
    if (r->backend->conducting) {
        mt_conducting_move(r->results->conducting, r->backend->conducting, r->self);
        return MT_OK;
    }
    if (!r->backend->connect)
        return mt_fail(MT_INPUT, "backend %s with a conduction system on several ranks; allowed: one rank",
            r->backend->name);
    MT_ALLOC(arena, r->coupled_mV, junctions->n_unknowns);
    return r->backend->connect(r->self, arena, junctions->n_unknowns, junctions->unknown);
}

/* True if a stimulus is on in one of the steps [from, end). */
static bool is_on_within(const mt_stimulus *stimulus, double dt_ms, size_t from, size_t end)
{
    bool on = false;
    for (size_t step = from; step < end; step++) on |= mt_stimulus_is_on(stimulus, dt_ms, step);
    return on;
}

/* Fails with the message for an impossible voltage of a cable in the steps [from, end). */
static mt_status refuse_cable(const mt_conducting *conducting, size_t point, size_t from, size_t end)
{
    const mt_conduction *conduction = conducting->conduction;
    const double *x = conduction->cables.xyz_mm + 3 * point;
    char value[VALUE], why[160] = "no stimulus of the network was on: a smaller time.dt_ms may help";
    const mt_stimulus *strongest = NULL;
    for (size_t s = 0; s < conduction->n_stimuli; s++) {
        const mt_stimulus *stimulus = &conduction->stimulus[s];
        if (!is_on_within(stimulus, conducting->dt_ms, from, end)) continue;
        if (!strongest || stimulus->rise_mV_ms > strongest->rise_mV_ms) strongest = stimulus;
    }
    if (strongest)
        (void)snprintf(why, sizeof why,
            "network.stimuli.%td was on and raises V by %.4g mV/ms: a smaller strength_mV_ms or time.dt_ms "
            "may help",
            strongest - conduction->stimulus, strongest->rise_mV_ms);
    tell_mV(conducting->v_mV[point], value);
    return mt_fail(MT_NUMERICS,
        "network: V is %s at [%.4g, %.4g, %.4g] mm and %g ms; it must stay within -200 .. 200 mV; %s", value,
        x[0], x[1], x[2], (double)end * conducting->dt_ms, why);
}

/* Checks the voltages of the cables after the steps [from, end). */
static mt_status check_cables(const running *r, size_t from, size_t end)
{
    const mt_conducting *conducting = r->results->conducting;
    for (size_t k = 0; k < conducting->conduction->cables.n_points; k++)
        if (!mt_backend_possible_mV(conducting->v_mV[k])) return refuse_cable(conducting, k, from, end);
    return MT_OK;
}

/* The same if a backend computes the conduction system. If V of the tissue is impossible, too, and a stimulus of it was on, the error is
 * one of the tissue. */
static mt_status check_computed_cables(const running *r, size_t from, size_t end)
{
    const mt_monodomain *problem = r->problem;
    if (!problem->conduction || !r->backend->conducting) return MT_OK;
    mt_conducting_look(r->results->conducting);
    const bool impossible = find_impossible(r->v_mV, problem->diffusion->n_unknowns, NULL) != SIZE_MAX;
    return impossible && find_cause(problem, r->v_mV, end - 1, true) != SIZE_MAX ? MT_OK
                                                                                 : check_cables(r, from, end);
}

/* Takes a time step of the conduction system, before that of the tissue. */
static mt_status conduct(const running *r, size_t step)
{
    mt_conducting *conducting = r->results->conducting;
    if (!r->problem->conduction || r->backend->conducting) return MT_OK;
    MT_TRY(r->backend->sense(r->self, r->coupled_mV));
    mt_conducting_step(conducting, step, r->coupled_mV);
    /* an impossible voltage of the tissue is reported at the end of the ms */
    if (find_impossible(r->coupled_mV, r->problem->conduction->junctions.n_unknowns, NULL) == SIZE_MAX)
        MT_TRY(check_cables(r, step, step + 1));
    return r->backend->charge(r->self, conducting->tissue_mV);
}

/* ---- the time loop ---- */

static bool notes_peak(const running *r, size_t stimulus, size_t step)
{
    const mt_stimulus *s = &r->problem->stimulus[stimulus];
    return r->results->peak_mV && !s->delay && mt_stimulus_is_on(s, r->problem->dt_ms, step - 1);
}

static void note_peaks(const running *r, size_t step)
{
    double *peak_mV = r->results->peak_mV;
    for (size_t s = 0; s < r->problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &r->problem->stimulus[s];
        if (!notes_peak(r, s, step)) continue;
        for (size_t k = 0; k < stimulus->n_elements; k++)
            peak_mV[s] = fmax(peak_mV[s], r->v_mV[stimulus->element[k]]);
    }
}

/* Updates peaks and captures of the stimuli from a survey, or from V if extreme_mV is NULL. */
static void follow_pulses(const running *r, const double *extreme_mV, size_t step)
{
    const mt_monodomain *problem = r->problem;
    mt_capture *capture = r->results->capture;
    for (size_t s = 0; capture && s < problem->n_stimuli; s++) {
        const mt_stimulus *stimulus = &problem->stimulus[s];
        double high = -INFINITY, low = INFINITY;
        if (!mt_capture_due(&capture[s], stimulus, problem->dt_ms, step)) continue;
        if (extreme_mV) {
            high = extreme_mV[s];
            low = -extreme_mV[problem->n_stimuli + s];
        }
        for (size_t k = 0; !extreme_mV && k < stimulus->n_elements; k++) {
            high = fmax(high, r->v_mV[stimulus->element[k]]);
            low = fmin(low, r->v_mV[stimulus->element[k]]);
        }
        mt_capture_observe(
            &capture[s], stimulus, problem->dt_ms, step, problem->record.threshold_mV, low, high);
    }
}

/* Checks the voltages at the end of steps [from, step). V is read only if the backend has no survey, or for an
 * error message. */
static mt_status look(running *r, size_t from, size_t step)
{
    const mt_monodomain *problem = r->problem;
    if (r->backend->survey && r->backend->survey(r->self, r->v_mV, r->extreme_mV)) {
        for (size_t s = 0; s < problem->n_stimuli; s++)
            if (notes_peak(r, s, step))
                r->results->peak_mV[s] = fmax(r->results->peak_mV[s], r->extreme_mV[s]);
        follow_pulses(r, r->extreme_mV, step);
        return MT_OK;
    }
    MT_TRY(r->backend->read(r->self, MT_ARRAY_V, r->v_mV));
    MT_TRY(check_computed_cables(r, from, step));
    MT_TRY(check_voltages(problem, r->v_mV, from, step));
    note_peaks(r, step);
    follow_pulses(r, NULL, step);
    return MT_OK;
}

static mt_status run(running *r, size_t first, size_t end, mt_backend_watch *watch, void *user, size_t *done)
{
    const mt_monodomain *problem = r->problem;
    const mt_results *results = r->results;
    for (size_t s = 0; first == 0 && results->peak_mV && s < problem->n_stimuli; s++)
        results->peak_mV[s] = -INFINITY;
    for (size_t s = 0; results->capture && s < problem->n_stimuli; s++)
        mt_capture_begin(&results->capture[s], &problem->stimulus[s], problem->dt_ms, first);
    for (size_t step = first; step < end;) {
        MT_TRY(turn(r, step));
        const size_t from = step, ms = next_turn(r, step, end_of_ms(problem, step)),
                     to = mt_monodomain_next_switch(problem, step, ms < end ? ms : end);
        bool stopped = false;
        while (step < to && !stopped) {
            MT_TRY(conduct(r, step));
            MT_TRY(r->backend->advance(r->self, step++, 1));
            /* before a checkpoint that watch writes, which then includes it */
            if (step == to) MT_TRY(look(r, from, step));
            stopped = watch && !watch(user, step);
            *done = step;
        }
        if (step < to) MT_TRY(look(r, from, step));
        if (stopped) return mt_fail(MT_STOPPED, "stopped at %g ms", (double)step * problem->dt_ms);
    }
    return MT_OK;
}

mt_status mt_backend_run(const mt_monodomain *problem, const mt_backend *backend, void *self, size_t first,
    size_t end, mt_results *results, mt_backend_watch *watch, void *user)
{
    MT_SCRATCH(scratch);
    mt_results none = {0};
    size_t done = first;
    running r = {.problem = problem,
        .backend = backend,
        .self = self,
        .results = results ? results : &none,
        .v_mV = mt_arena_alloc(scratch, problem->diffusion->n_unknowns, sizeof *r.v_mV),
        .extreme_mV = mt_arena_alloc(scratch, 2 * problem->n_stimuli, sizeof *r.extreme_mV)};
    mt_status status = r.v_mV && r.extreme_mV ? begin_beats(scratch, &r, first) : MT_MEMORY;
    if (status == MT_OK) status = connect(scratch, &r, first);
    if (status == MT_OK) status = run(&r, first, end, watch, user, &done);
    if (status == MT_OK || status == MT_STOPPED) {
        const mt_status gathered = gather(&r, done);
        if (gathered != MT_OK) status = gathered;
    }
    r.results->n_beats = mt_record_beat(&problem->record, done) + 1;
    return status;
}
