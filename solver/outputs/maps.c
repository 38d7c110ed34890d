#include "solver/outputs/maps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/select.h"

const char *const mt_map_words[] = {[MT_MAP_ACTIVATION] = "activation",
    [MT_MAP_REPOLARISATION] = "repolarisation",
    [MT_MAP_APD] = "apd",
    [MT_MAP_REST] = "rest",
    [MT_MAP_PEAK] = "peak",
    [MT_MAP_UPSTROKE] = "upstroke",
    [MT_MAP_CONDUCTION_VELOCITY] = "conduction_velocity",
    [MT_MAPS] = NULL};

const char *const mt_map_label[MT_MAPS] = {[MT_MAP_ACTIVATION] = "Activation time",
    [MT_MAP_REPOLARISATION] = "Repolarisation time",
    [MT_MAP_APD] = "Action potential duration",
    [MT_MAP_REST] = "Resting membrane potential",
    [MT_MAP_PEAK] = "Peak voltage",
    [MT_MAP_UPSTROKE] = "Upstroke velocity",
    [MT_MAP_CONDUCTION_VELOCITY] = "Conduction velocity"};

const char *const mt_map_unit[MT_MAPS] = {[MT_MAP_ACTIVATION] = "ms",
    [MT_MAP_REPOLARISATION] = "ms",
    [MT_MAP_APD] = "ms",
    [MT_MAP_REST] = "mV",
    [MT_MAP_PEAK] = "mV",
    [MT_MAP_UPSTROKE] = "mV/ms",
    [MT_MAP_CONDUCTION_VELOCITY] = "mm/ms"};

void mt_map_name(mt_map map, double fraction, char text[32])
{
    (void)snprintf(text, 32, "%s", mt_map_words[map]);
    if (map == MT_MAP_APD) (void)snprintf(text, 32, "apd%.10g", 100 * fraction);
}

uint32_t mt_maps_recorded(uint32_t maps)
{
    static const struct {
        mt_map map;
        mt_recorded of;
    } needs[] = {{MT_MAP_REPOLARISATION, MT_RECORDED_REPOLARISATION},
        {MT_MAP_APD, MT_RECORDED_REPOLARISATION}, {MT_MAP_REST, MT_RECORDED_REST},
        {MT_MAP_PEAK, MT_RECORDED_PEAK}, {MT_MAP_UPSTROKE, MT_RECORDED_UPSTROKE}};
    uint32_t stored = 0;
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
        if (maps >> needs[k].map & 1) stored |= (uint32_t)1 << needs[k].of;
    return stored;
}

static double value_of(mt_map map, const mt_records *r, size_t unknown)
{
    const double activation_ms = r->activation_ms[unknown];
    if (map == MT_MAP_ACTIVATION || !isfinite(activation_ms)) return activation_ms;
    switch (map) {
    case MT_MAP_REPOLARISATION:
        return r->recorded[MT_RECORDED_REPOLARISATION][unknown];
    case MT_MAP_APD:
        return r->recorded[MT_RECORDED_REPOLARISATION][unknown] - activation_ms;
    case MT_MAP_REST:
        return r->recorded[MT_RECORDED_REST][unknown];
    case MT_MAP_PEAK:
        return r->recorded[MT_RECORDED_PEAK][unknown];
    default:
        return r->recorded[MT_RECORDED_UPSTROKE][unknown];
    }
}

/* Computes velocity [unknowns][3] and reason [unknowns] of the problem. */
static mt_status velocity_of(mt_arena *scratch, const mt_records *records, const mt_monodomain *problem,
    double radius_mm, double **velocity, uint8_t **reason)
{
    const size_t n = problem->diffusion->n_unknowns;
    uint8_t *stimulated;
    MT_ALLOC(scratch, stimulated, n);
    MT_ALLOC(scratch, *velocity, 3 * n);
    MT_ALLOC(scratch, *reason, n);
    for (size_t s = 0; s < mt_monodomain_own_stimuli(problem); s++)
        for (size_t k = 0; k < problem->stimulus[s].n_elements; k++)
            stimulated[problem->stimulus[s].element[k]] = 1;
    return mt_velocity(problem->mesh, problem->diffusion, radius_mm, records->activation_ms, stimulated, NULL,
        *velocity, *reason);
}

mt_unknowns mt_map_places(const mt_map_input *in)
{
    return (mt_unknowns){in->whole, mt_monodomain_unknowns(in->problem).at_vertices};
}

/* Stores the velocities at the places of the complete mesh, and counts the problem's unknowns per reason. */
mt_status mt_map_velocity(mt_arena *arena, const mt_map_input *in, mt_map_velocities *velocities)
{
    MT_SCRATCH(scratch);
    const mt_unknowns of = mt_monodomain_unknowns(in->problem), places = mt_map_places(in);
    const size_t n = mt_unknowns_count(&places);
    double *found;
    uint8_t *reason;
    MT_TRY(velocity_of(scratch, in->records, in->problem, in->velocity_mm, &found, &reason));
    *velocities = (mt_map_velocities){0};
    MT_ALLOC(arena, velocities->velocity, 3 * n);
    for (size_t k = 0; k < 3 * n; k++) velocities->velocity[k] = NAN;
    for (size_t k = 0; k < mt_unknowns_count(&of); k++) {
        float *to = velocities->velocity + 3 * mt_unknowns_number(&of, k);
        for (int axis = 0; axis < 3; axis++) to[axis] = (float)found[3 * k + (size_t)axis];
        velocities->n_reason[reason[k]]++;
    }
    return MT_OK;
}

static mt_status speed_map(mt_arena *arena, const mt_map_input *in, float **values)
{
    const mt_unknowns places = mt_map_places(in);
    const float *velocity = in->velocities->velocity;
    MT_ALLOC(arena, *values, mt_unknowns_count(&places));
    for (size_t k = 0; k < mt_unknowns_count(&places); k++)
        (*values)[k] = hypotf(hypotf(velocity[3 * k], velocity[3 * k + 1]), velocity[3 * k + 2]);
    return MT_OK;
}

mt_status mt_map_make(mt_arena *arena, mt_map map, const mt_map_input *in, float **values)
{
    const mt_unknowns of = mt_monodomain_unknowns(in->problem), places = mt_map_places(in);
    if (map == MT_MAP_CONDUCTION_VELOCITY) return speed_map(arena, in, values);
    MT_ALLOC(arena, *values, mt_unknowns_count(&places));
    for (size_t k = 0; k < mt_unknowns_count(&places); k++) (*values)[k] = NAN;
    for (size_t k = 0; k < mt_unknowns_count(&of); k++) {
        const double value = value_of(map, in->records, k);
        if (isfinite(value)) (*values)[mt_unknowns_number(&of, k)] = (float)value;
    }
    return MT_OK;
}

mt_status mt_map_summarise(const float *values, size_t n, mt_map_summary *summary)
{
    MT_SCRATCH(scratch);
    double *known;
    *summary = (mt_map_summary){0, NAN, NAN, NAN};
    MT_ALLOC(scratch, known, n);
    for (size_t k = 0; k < n; k++)
        if (!isnan(values[k])) known[summary->n++] = (double)values[k];
    if (summary->n == 0) return MT_OK;
    summary->low = mt_select(known, summary->n, (summary->n - 1) / 20);
    summary->median = mt_median(known, summary->n);
    summary->high = mt_select(known, summary->n, (summary->n - 1) * 19 / 20);
    return MT_OK;
}
