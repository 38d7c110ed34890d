#include "app/waves/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/core/progress.h"
#include "mesh/info.h"
#include "solver/outputs/velocity.h"

enum { ROUNDS_MOST = 12, DEAD_MOST = 2 };

/* The search in one direction; logarithms are natural. */
typedef struct search {
    mt_arena arena; /* holds the slab */
    mt_wave_slab slab;
    double asked_mm_ms;
    double *inside, *outside; /* intracellular and extracellular conductivity of the case */
    double inside_at_first, outside_at_first;
    double log_factor;                    /* of both conductivities */
    double last_log_factor, last_log_off; /* of the previous wave; NaN if there was none */
    size_t n_dead;                        /* number of successive waves that failed to propagate */
} search;

typedef struct tuning {
    const mt_slab_kind *kind;
    mt_case *input;
    double line_mm_ms; /* the converged velocity in the default tissue */
    search search[MT_TUNING_DIRECTIONS];
    mt_tuning *found;
} tuning;

/* ---- targets ---- */

static const char *const direction_name[MT_TUNING_DIRECTIONS] = {"longitudinal", "transverse"};

mt_status mt_wave_medium_for_tuning(const mt_case *input, mt_wave_medium *medium)
{
    MT_TRY(mt_wave_medium_of_case(input, medium));
    if (input->cell.asked.n_scales + input->cell.asked.n_sets == 0) return MT_OK;
    return mt_fail(MT_INPUT, "cell.scale, cell.set: parameters are changed; allowed for a plane wave: those "
                             "of the cell type, as with --set cell.scale=[] --set cell.set=[]");
}

static mt_status check_speed(const mt_slab_kind *kind, double dt_ms, int direction, double asked)
{
    const double edge_mm = mt_slab_kind_edge_mm(kind), step_mm = asked * dt_ms;
    if (!(asked >= MT_TUNING_LEAST_MM_MS && asked <= MT_VELOCITY_MOST_MM_MS))
        return mt_fail(MT_INPUT, "CV of %g mm/ms, %s; allowed: %g to %g mm/ms", asked,
            direction_name[direction], MT_TUNING_LEAST_MM_MS, (double)MT_VELOCITY_MOST_MM_MS);
    if (step_mm <= edge_mm / 2) return MT_OK;
    return mt_fail(MT_INPUT,
        "CV of %g mm/ms, %s: %.3g mm in a time step of %g ms; allowed: at most half an element edge, "
        "%.3g mm",
        asked, direction_name[direction], step_mm, dt_ms, edge_mm / 2);
}

static mt_status check(const tuning *t, const double asked[MT_TUNING_DIRECTIONS])
{
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++)
        MT_TRY(check_speed(t->kind, t->input->time.dt_ms, k, asked[k]));
    if (asked[MT_TUNING_ACROSS] <= asked[MT_TUNING_ALONG]) return MT_OK;
    return mt_fail(MT_INPUT,
        "longitudinal CV %g mm/ms, transverse CV %g; allowed: transverse at most longitudinal",
        asked[MT_TUNING_ALONG], asked[MT_TUNING_ACROSS]);
}

/* ---- conductivities ---- */

/* Rounds to five digits. */
static double rounded(double value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.5g", value);
    return strtod(text, NULL);
}

static void set_conductivities(search *s)
{
    *s->inside = rounded(s->inside_at_first * exp(s->log_factor));
    *s->outside = rounded(s->outside_at_first * exp(s->log_factor));
}

static double diffusivity(const mt_case *input, int direction)
{
    const mt_tissue tissue = mt_case_tissue(input);
    return direction == MT_TUNING_ALONG ? mt_tissue_diffusivity_l(&tissue) : mt_tissue_diffusivity_t(&tissue);
}

static double converged_mm_ms(const tuning *t, int direction)
{
    return t->line_mm_ms *
           sqrt(diffusivity(t->input, direction) / mt_tissue_diffusivity_l(&mt_tissue_default));
}

/* ---- the search ---- */

static mt_status measure_elements(const mt_wave_slab *slab, mt_tuned *tuned)
{
    mt_info info;
    MT_TRY(mt_info_make(&slab->mesh, &slab->adjacency, &info));
    tuned->n_elements = info.n_elements;
    tuned->length_mm = info.length_mm;
    tuned->edge_mean_mm = info.edge_mean_mm;
    return MT_OK;
}

static mt_status begin_direction(tuning *t, int direction, double asked)
{
    search *s = &t->search[direction];
    const bool along = direction == MT_TUNING_ALONG;
    s->asked_mm_ms = asked;
    s->inside = along ? &t->input->tissue.intracellular_l_mS_mm : &t->input->tissue.intracellular_t_mS_mm;
    s->outside = along ? &t->input->tissue.extracellular_l_mS_mm : &t->input->tissue.extracellular_t_mS_mm;
    s->inside_at_first = *s->inside;
    s->outside_at_first = *s->outside;
    s->last_log_factor = s->last_log_off = NAN;
    s->log_factor = 2 * log(asked / converged_mm_ms(t, direction));
    set_conductivities(s);
    MT_TRY(mt_wave_slab_make(&s->arena, t->kind, direction, asked, asked / t->line_mm_ms, &s->slab));
    return measure_elements(&s->slab, &t->found->direction[direction]);
}

/* Sets the next factor. `log_off`: log of measured over target velocity. A converged velocity is proportional to the square root of the
 * conductivity. The power by the last two waves replaces it, between bounds, as both velocities have small errors. */
static void correct(search *s, double log_off)
{
    const double apart = s->log_factor - s->last_log_factor;
    double power = 0.5;
    if (fabs(apart) > 1e-3) power = fmin(fmax((log_off - s->last_log_off) / apart, 0.25), 2);
    s->last_log_factor = s->log_factor;
    s->last_log_off = log_off;
    s->log_factor -= log_off / power;
    s->n_dead = 0;
}

/* Doubles the conductivity after propagation failed, up to DEAD_MOST times. */
static mt_status after_death(const mt_slab_kind *kind, int direction, search *s)
{
    if (++s->n_dead > DEAD_MOST)
        return mt_fail(MT_NUMERICS,
            "CV of about %g mm/ms, %s: propagation fails in elements with edges of %.3g mm, even with an "
            "intracellular conductivity of %.4g mS/mm; smaller elements are needed",
            s->asked_mm_ms, direction_name[direction], mt_slab_kind_edge_mm(kind), *s->inside);
    s->log_factor += log(2);
    s->last_log_factor = s->last_log_off = NAN;
    return MT_OK;
}

/* Measures a wave and corrects the conductivities if its velocity is off target. `right`: true if it is within the tolerance. */
static mt_status try_direction(tuning *t, int direction, bool *right)
{
    char where[96];
    search *s = &t->search[direction];
    mt_wave_medium medium;
    mt_plane_wave *wave = &t->found->direction[direction].wave;
    MT_TRY(mt_wave_medium_for_tuning(t->input, &medium));
    (void)snprintf(where, sizeof where, "%s plane wave, elements with edges of %.3g mm",
        direction_name[direction], mt_slab_kind_edge_mm(t->kind));
    MT_TRY(mt_fail_in(where, mt_plane_wave_measure(&s->slab, &medium, wave)));
    *right = fabs(wave->speed_mm_ms / s->asked_mm_ms - 1) <= MT_TUNING_TOLERANCE;
    if (*right) return MT_OK;
    if (isnan(wave->speed_mm_ms)) return after_death(t->kind, direction, s);
    correct(s, log(wave->speed_mm_ms / s->asked_mm_ms));
    return MT_OK;
}

static mt_status not_found(const tuning *t)
{
    char found[MT_TUNING_DIRECTIONS][32];
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++) {
        const double speed = t->found->direction[k].wave.speed_mm_ms;
        if (isnan(speed))
            (void)snprintf(found[k], sizeof found[k], "none");
        else
            (void)snprintf(found[k], sizeof found[k], "%.4g mm/ms", speed);
    }
    return mt_fail(MT_NUMERICS,
        "no conductivities found for a longitudinal CV of %g and a transverse CV of %g mm/ms in elements "
        "with edges of %.3g mm: after %d waves in each direction CV is %s and %s; smaller elements may help",
        t->search[MT_TUNING_ALONG].asked_mm_ms, t->search[MT_TUNING_ACROSS].asked_mm_ms,
        mt_slab_kind_edge_mm(t->kind), ROUNDS_MOST, found[MT_TUNING_ALONG], found[MT_TUNING_ACROSS]);
}

static mt_status find(tuning *t)
{
    for (size_t round = 1; round <= ROUNDS_MOST; round++) {
        char stage[64];
        bool right[MT_TUNING_DIRECTIONS];
        (void)snprintf(stage, sizeof stage, "plane waves, round %zu", round);
        mt_progress_stage(stage);
        for (int k = 0; k < MT_TUNING_DIRECTIONS; k++) MT_TRY(try_direction(t, k, &right[k]));
        t->found->n_rounds = round;
        if (right[MT_TUNING_ALONG] && right[MT_TUNING_ACROSS]) return MT_OK;
        for (int k = 0; k < MT_TUNING_DIRECTIONS; k++) set_conductivities(&t->search[k]);
    }
    return not_found(t);
}

static mt_status tune(tuning *t, const double asked[MT_TUNING_DIRECTIONS])
{
    mt_wave_medium medium;
    MT_TRY(mt_wave_medium_for_tuning(t->input, &medium));
    MT_TRY(check(t, asked));
    mt_progress_stage("plane wave along a 1-D cable");
    MT_TRY(mt_plane_wave_cable_speed(
        medium.model, medium.variant, fmin(MT_PLANE_WAVE_CONVERGED_MS, medium.dt_ms), &t->line_mm_ms));
    mt_progress_stage("generating the meshes");
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++) MT_TRY(begin_direction(t, k, asked[k]));
    MT_TRY(find(t));
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++)
        t->found->direction[k].converged_mm_ms = converged_mm_ms(t, k);
    mt_progress_stage(NULL);
    return MT_OK;
}

mt_status mt_tune(
    const mt_slab_kind *kind, const double asked[MT_TUNING_DIRECTIONS], mt_case *input, mt_tuning *found)
{
    tuning t = {.kind = kind, .input = input, .found = found};
    *found = (mt_tuning){0};
    const mt_status status = tune(&t, asked);
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++) mt_arena_free(&t.search[k].arena);
    return status;
}
