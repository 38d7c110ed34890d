#include "app/waves/network_tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/run/problem.h"
#include "app/waves/plane_wave.h"
#include "data/core/progress.h"
#include "solver/backends/backend.h"
#include "solver/case/case_network.h"
#include "solver/conduction/conducting.h"

/* Returns in `arena` a straight network of one segment. */
static mt_status make_line(mt_arena *arena, const double from_mm[3], const double to_mm[3], mt_network *line)
{
    MT_TRY(mt_network_new(arena, 2, 1, line));
    for (size_t k = 0; k < 3; k++) {
        line->xyz_mm[k] = from_mm[k];
        line->xyz_mm[3 + k] = to_mm[k];
    }
    line->segment_node[1] = 1;
    return MT_OK;
}

/* Sets a case with one cable that is stimulated at its upper end, by the defaults of a case, in uniform tissue of one kind of cells. */
static mt_status make_simple(
    mt_arena *arena, const mt_case *input, mt_case_network_stimulus *stimulus, mt_case *c)
{
    *c = *input;
    MT_TRY(mt_case_default_network_stimulus(arena, stimulus));
    c->network.file = "";
    c->network.root = 0;
    c->network.n_block = 0;
    c->network.stimuli = stimulus;
    c->network.n_stimuli = 1;
    c->n_regions = c->n_gradients = c->n_stimuli = c->n_points = c->n_electrodes = c->line.points = 0;
    if ((size_t)c->cell.type >= mt_case_model(c)->n_variants) c->cell.type = 0;
    return MT_OK;
}

/* Returns a number rounded to four digits, so that a case with it has the measured result. */
static double rounded(double x)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.4g", x);
    return strtod(text, NULL);
}

/* ---- velocity */

static const double usual_mm_ms = 2.5, usual_length_mm = 40, longest_ms = 60;

/* Measures the wavefront along a cable of the case. `given`: the stimulus; NULL: the default one. */
static mt_status measure(
    const mt_case *input, const mt_case_network_stimulus *given, double length_mm, mt_network_wave *wave)
{
    MT_SCRATCH(scratch);
    mt_case_network_stimulus stimulus;
    mt_case c;
    const mt_junctions_tissue no_tissue = {0};
    mt_network line;
    mt_conduction conduction;
    mt_conducting run;
    MT_TRY(make_simple(scratch, input, &stimulus, &c));
    if (given) {
        stimulus.radius_mm = given->radius_mm;
        stimulus.duration_ms = given->duration_ms;
        stimulus.strength_mV_ms = given->strength_mV_ms;
    }
    const size_t n_steps = (size_t)ceil(longest_ms / c.time.dt_ms);
    MT_TRY(make_line(scratch, (double[]){0, 0, 0}, (double[]){length_mm, 0, 0}, &line));
    MT_TRY(mt_case_conduction_of(scratch, &c, &line, &no_tissue, &conduction));
    MT_TRY(mt_conducting_open(scratch, &conduction, c.time.dt_ms, false, &run));
    const size_t n = conduction.cables.n_points, at[2] = {2 * n / 5, 4 * n / 5};
    double t_ms[2], x_mm[2];
    for (size_t s = 0; s < n_steps && isinf(run.activation_ms[at[1]]); s++) mt_conducting_step(&run, s, NULL);
    for (size_t k = 0; k < 2; k++) {
        t_ms[k] = run.activation_ms[at[k]];
        x_mm[k] = conduction.cables.xyz_mm[3 * at[k]];
    }
    wave->speed_mm_ms =
        isfinite(t_ms[1]) && t_ms[1] > t_ms[0] ? (x_mm[1] - x_mm[0]) / (t_ms[1] - t_ms[0]) : NAN;
    wave->latency_ms = t_ms[0] - stimulus.start_ms - (x_mm[0] - stimulus.radius_mm) / wave->speed_mm_ms;
    return mt_progress_interrupted() ? mt_fail(MT_STOPPED, "stopped") : MT_OK;
}

mt_status mt_network_wave_measure(
    const mt_case *input, const mt_case_network_stimulus *stimulus, mt_network_wave *wave)
{
    return measure(input, stimulus, usual_length_mm, wave);
}

mt_status mt_tune_network(mt_case *input, double asked_mm_ms, mt_network_tuning *found)
{
    enum { ROUNDS_MOST = 12 };
    double *sigma = &input->network.conductivity_mS_mm;
    *found = (mt_network_tuning){.speed_mm_ms = NAN};
    if (!(asked_mm_ms >= 0.1 && asked_mm_ms <= 10))
        return mt_fail(MT_INPUT, "CV of %g mm/ms; allowed: 0.1 to 10 mm/ms", asked_mm_ms);
    mt_progress_stage("tuning the conductivity of the cables");
    while (found->n_rounds++ < ROUNDS_MOST) {
        mt_network_wave wave;
        MT_TRY(measure(input, NULL, usual_length_mm * asked_mm_ms / usual_mm_ms, &wave));
        const double speed_mm_ms = wave.speed_mm_ms;
        found->speed_mm_ms = speed_mm_ms;
        found->diffusivity_mm2_ms =
            *sigma * input->network.radius_mm / (2 * input->network.capacitance_uF_mm2);
        if (fabs(speed_mm_ms / asked_mm_ms - 1) <= MT_NETWORK_TOLERANCE) return MT_OK;
        /* a block, or a wavefront too slow for the time: much more conductivity */
        const double factor = isnan(speed_mm_ms) ? 4 : pow(asked_mm_ms / speed_mm_ms, 2);
        *sigma = rounded(*sigma * factor);
    }
    return mt_fail(MT_NUMERICS,
        "CV of %g mm/ms: not reached; %g mm/ms with a conductivity of %g mS/mm: a smaller network.spacing_mm "
        "or time.dt_ms may help",
        asked_mm_ms, found->speed_mm_ms, *sigma);
}

/* ---- delay */

/* A slab with one junction. */
typedef struct bench {
    mt_case input;
    mt_case_network_stimulus stimulus;
    mt_problem problem;
    mt_network line;
    mt_conducting *running;
    size_t n_runs;
} bench;

/* Stops a run if both sides are activated, or one of them too long ago. */
static bool watch(void *user, size_t steps_done)
{
    const bench *b = user;
    const mt_conduction *conduction = b->running->conduction;
    const double cable_ms = b->running->activation_ms[conduction->junctions.point[0]],
                 tissue_ms = b->running->activation_ms[conduction->cables.n_points],
                 now_ms = (double)steps_done * b->problem.monodomain.dt_ms;
    if (mt_progress_interrupted()) return false;
    return isinf(fmax(cable_ms, tissue_ms)) &&
           !(now_ms > fmin(cable_ms, tissue_ms) + MT_NETWORK_DELAY_MOST_MS);
}

/* Computes the delay of the junction with the resistance of the case: antegrade, or retrograde. NaN: block. */
static mt_status find_delay(bench *b, bool antegrade, double *delay_ms)
{
    MT_SCRATCH(scratch);
    mt_conduction conduction;
    mt_conducting running;
    mt_results results = {.conducting = &running};
    mt_monodomain problem = b->problem.monodomain;
    const mt_junctions_tissue tissue = mt_problem_tissue(&b->problem);
    void *self;
    b->input.network.n_stimuli = antegrade;
    MT_TRY(mt_case_conduction_of(scratch, &b->input, &b->line, &tissue, &conduction));
    if (conduction.junctions.n == 0) return mt_fail(MT_INPUT, "no tissue near the end of the cable");
    problem.conduction = &conduction;
    if (antegrade) problem.n_stimuli = 0;
    MT_TRY(mt_conducting_open(scratch, &conduction, problem.dt_ms, false, &running));
    MT_TRY(mt_backend_cpu.open(scratch, &problem, NULL, &self));
    b->running = &running;
    b->n_runs++;
    const mt_status status = mt_backend_run(
        &problem, &mt_backend_cpu, self, 0, (size_t)ceil(longest_ms / problem.dt_ms), &results, watch, b);
    if (status != MT_OK && status != MT_STOPPED) return status;
    if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "stopped");
    *delay_ms = running.activation_ms[conduction.cables.n_points] -
                running.activation_ms[conduction.junctions.point[0]];
    if (!antegrade) *delay_ms = -*delay_ms;
    if (!isfinite(*delay_ms)) *delay_ms = NAN;
    return MT_OK;
}

/* Stimulates one side of the slab, for the retrograde delay. */
static mt_status stimulate_side(mt_arena *arena, mt_problem *p)
{
    const size_t n = mt_unknowns_count(&p->unknowns);
    mt_stimulus *side;
    uint32_t *unknown;
    MT_ALLOC(arena, side, 1);
    MT_ALLOC(arena, unknown, n);
    *side = (mt_stimulus){.duration_ms = mt_plane_wave_duration_ms,
        .rise_mV_ms = mt_plane_wave_rise_mV_ms(),
        .element = unknown};
    for (size_t k = 0; k < n; k++) {
        double x[3];
        mt_unknowns_place(&p->unknowns, k, x);
        if (x[0] < 1.5) unknown[side->n_elements++] = (uint32_t)k;
    }
    p->monodomain.n_stimuli = 1;
    p->monodomain.stimulus = side;
    p->monodomain.stimulus_of = NULL;
    return MT_OK;
}

static mt_status open_bench(mt_arena *arena, const mt_slab_kind *kind, const mt_case *input, bench *b)
{
    const double size_mm = MT_NETWORK_SLAB_MM;
    mt_mesh *mesh;
    double low[3], high[3];
    MT_TRY(make_simple(arena, input, &b->stimulus, &b->input));
    MT_ALLOC(arena, mesh, 1);
    MT_TRY(mt_slab_kind_make(arena, kind, (double[]){size_mm, size_mm, size_mm / 2}, mesh));
    MT_TRY(mt_problem_make_on(arena, mesh, &b->input, true, &b->problem));
    mt_mesh_box(mesh, low, high);
    const double x = (low[0] + high[0]) / 2, y = (low[1] + high[1]) / 2;
    MT_TRY(make_line(arena, (double[]){x, y, high[2] + 14}, (double[]){x, y, high[2] - 1}, &b->line));
    return stimulate_side(arena, &b->problem);
}

static mt_status delay_at(bench *b, double resistance_kOhm, double *delay_ms)
{
    b->input.network.resistance_kOhm = rounded(resistance_kOhm);
    return find_delay(b, true, delay_ms);
}

/* Finds the lowest resistance of block above one that conducts; NaN if none is found. */
static mt_status find_block(bench *b, double conducts_kOhm, double *block_kOhm)
{
    enum { DOUBLINGS = 12 };
    double low = conducts_kOhm, high = NAN, delay_ms;
    for (int k = 0; k < DOUBLINGS && isnan(high); k++) {
        MT_TRY(delay_at(b, 2 * low, &delay_ms));
        if (isnan(delay_ms))
            high = 2 * low;
        else
            low *= 2;
    }
    while (high / low > 1.05) {
        const double middle = sqrt(low * high);
        MT_TRY(delay_at(b, middle, &delay_ms));
        if (isnan(delay_ms))
            high = middle;
        else
            low = middle;
    }
    *block_kOhm = high;
    return MT_OK;
}

/* Finds two resistances, 2 or more apart, with a shorter delay at *low and a longer one or block at *high. */
static mt_status bracket(bench *b, double asked_ms, double *low, double *high)
{
    enum { TRIALS_MOST = 14 };
    double at = b->input.network.resistance_kOhm, delay_ms;
    *low = *high = NAN;
    for (int k = 0; k < TRIALS_MOST && (isnan(*low) || isnan(*high)); k++) {
        MT_TRY(delay_at(b, at, &delay_ms));
        const bool is_long = isnan(delay_ms) || delay_ms > asked_ms;
        if (is_long)
            *high = at;
        else
            *low = at;
        at = is_long ? at / 2 : at * 2;
    }
    if (!isnan(*low) && !isnan(*high)) return MT_OK;
    return mt_fail(MT_NUMERICS,
        isnan(*low)
            ? "the cables cannot activate this tissue with any resistance: more network.fibres, a smaller "
              "network.junction.radius_mm or smaller elements may help"
            : "found no resistance that delays activation by %g ms",
        asked_ms);
}

mt_status mt_tune_junction(
    const mt_slab_kind *kind, mt_case *input, double asked_ms, mt_junction_tuning *found)
{
    MT_SCRATCH(arena);
    bench b = {.n_runs = 0};
    double low, high, delay_ms = NAN, most_ms = 0;
    *found = (mt_junction_tuning){NAN, NAN, NAN, 0};
    if (!(asked_ms >= 0.05 && asked_ms <= MT_NETWORK_DELAY_MOST_MS))
        return mt_fail(
            MT_INPUT, "a delay of %g ms; allowed: 0.05 to %d ms", asked_ms, MT_NETWORK_DELAY_MOST_MS);
    MT_TRY(open_bench(arena, kind, input, &b));
    mt_progress_stage("tuning the resistance of a junction");
    MT_TRY(bracket(&b, asked_ms, &low, &high));
    while (high / low > 1.001) {
        const double middle = sqrt(low * high);
        MT_TRY(delay_at(&b, middle, &delay_ms));
        if (fabs(delay_ms / asked_ms - 1) <= 0.02) break;
        if (!isnan(delay_ms)) most_ms = fmax(most_ms, delay_ms);
        if (isnan(delay_ms) || delay_ms > asked_ms)
            high = middle;
        else
            low = middle;
    }
    if (!(fabs(delay_ms / asked_ms - 1) <= 0.02))
        return mt_fail(MT_NUMERICS, "a delay of %g ms: not reached; the longest before block: %.3g ms",
            asked_ms, most_ms);
    found->antegrade_ms = delay_ms;
    input->network.resistance_kOhm = b.input.network.resistance_kOhm;
    MT_TRY(find_delay(&b, false, &found->retrograde_ms));
    MT_TRY(find_block(&b, input->network.resistance_kOhm, &found->block_kOhm));
    found->n_runs = b.n_runs;
    return MT_OK;
}

mt_status mt_junction_delays(
    const mt_slab_kind *kind, const mt_case *input, double *antegrade_ms, double *retrograde_ms)
{
    MT_SCRATCH(arena);
    bench b = {.n_runs = 0};
    *antegrade_ms = *retrograde_ms = NAN;
    MT_TRY(open_bench(arena, kind, input, &b));
    mt_progress_stage("measuring the delays of a junction");
    MT_TRY(find_delay(&b, true, antegrade_ms));
    return find_delay(&b, false, retrograde_ms);
}
