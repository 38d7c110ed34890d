#include "solver/maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const mt_map_words[] = {[MT_MAP_ACTIVATION] = "activation",
    [MT_MAP_REPOLARISATION] = "repolarisation",
    [MT_MAP_APD] = "apd",
    [MT_MAP_REST] = "rest",
    [MT_MAP_PEAK] = "peak",
    [MT_MAP_UPSTROKE] = "upstroke",
    [MT_MAPS] = NULL};

const char *const mt_map_label[MT_MAPS] = {[MT_MAP_ACTIVATION] = "Activation time",
    [MT_MAP_REPOLARISATION] = "Repolarisation time",
    [MT_MAP_APD] = "Action potential duration",
    [MT_MAP_REST] = "Resting potential",
    [MT_MAP_PEAK] = "Peak potential",
    [MT_MAP_UPSTROKE] = "Upstroke velocity"};

const char *const mt_map_unit[MT_MAPS] = {[MT_MAP_ACTIVATION] = "ms",
    [MT_MAP_REPOLARISATION] = "ms",
    [MT_MAP_APD] = "ms",
    [MT_MAP_REST] = "mV",
    [MT_MAP_PEAK] = "mV",
    [MT_MAP_UPSTROKE] = "mV/ms"};

void mt_map_name(mt_map map, double fraction, char text[32])
{
    (void)snprintf(text, 32, "%s", mt_map_words[map]);
    if (map == MT_MAP_APD) (void)snprintf(text, 32, "apd%.10g", 100 * fraction);
}

bool mt_maps_need_all(uint32_t maps) { return (maps & ~((uint32_t)1 << MT_MAP_ACTIVATION)) != 0; }

static double value_of(mt_map map, const mt_records *r, size_t element)
{
    const double activation_ms = r->activation_ms[element];
    if (map == MT_MAP_ACTIVATION || !isfinite(activation_ms)) return activation_ms;
    switch (map) {
    case MT_MAP_REPOLARISATION:
        return r->recorded[MT_RECORDED_REPOLARISATION][element];
    case MT_MAP_APD:
        return r->recorded[MT_RECORDED_REPOLARISATION][element] - activation_ms;
    case MT_MAP_REST:
        return r->recorded[MT_RECORDED_REST][element];
    case MT_MAP_PEAK:
        return r->recorded[MT_RECORDED_PEAK][element];
    default:
        return r->recorded[MT_RECORDED_UPSTROKE][element];
    }
}

mt_status mt_map_make(mt_arena *arena, mt_map map, const mt_records *records, const mt_mesh *whole,
    const mt_mesh *mesh, float **values)
{
    MT_ALLOC(arena, *values, whole->n_elements);
    for (size_t element = 0; element < whole->n_elements; element++) (*values)[element] = NAN;
    for (size_t element = 0; element < mesh->n_elements; element++) {
        const double value = value_of(map, records, element);
        if (isfinite(value)) (*values)[mt_mesh_number(mesh, element)] = (float)value;
    }
    return MT_OK;
}

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

mt_status mt_map_summarise(const float *values, size_t n, mt_map_summary *summary)
{
    mt_arena scratch = {0};
    float *sorted = mt_arena_alloc(&scratch, n, sizeof *sorted);
    *summary = (mt_map_summary){0, NAN, NAN, NAN};
    if (!sorted) return MT_MEMORY;
    for (size_t k = 0; k < n; k++)
        if (!isnan(values[k])) sorted[summary->n++] = values[k];
    qsort(sorted, summary->n, sizeof *sorted, ascending);
    if (summary->n > 0) {
        summary->low = (double)sorted[(summary->n - 1) / 20];
        summary->median = (double)sorted[(summary->n - 1) / 2];
        summary->high = (double)sorted[(summary->n - 1) * 19 / 20];
    }
    mt_arena_free(&scratch);
    return MT_OK;
}
