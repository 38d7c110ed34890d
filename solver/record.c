#include "solver/record.h"

#include <math.h>

const mt_cell_quantity mt_recorded_quantity[MT_RECORDED] = {[MT_RECORDED_REST] = {"rest", "mV"},
    [MT_RECORDED_PEAK] = {"peak", "mV"},
    [MT_RECORDED_UPSTROKE] = {"upstroke", "mV/ms"},
    [MT_RECORDED_REPOLARISATION] = {"repolarisation", "ms"},
    [MT_RECORDED_LOW] = {"low", "mV"}};

const double mt_recorded_start[MT_RECORDED] = {[MT_RECORDED_REST] = INFINITY,
    [MT_RECORDED_PEAK] = INFINITY,
    [MT_RECORDED_UPSTROKE] = 0,
    [MT_RECORDED_REPOLARISATION] = INFINITY,
    [MT_RECORDED_LOW] = -INFINITY};

size_t mt_record_rest_steps(double dt_ms) { return (size_t)fmax(1, round(MT_RECORD_REST_MS / dt_ms)); }

size_t mt_record_beats(const mt_record *record) { return record->n_beats > 0 ? record->n_beats : 1; }

size_t mt_record_first(const mt_record *record, size_t beat)
{
    return record->n_beats > 0 ? record->beat[beat] : 0;
}

size_t mt_record_beat(const mt_record *record, size_t steps_done)
{
    size_t beat = 0;
    while (beat + 1 < record->n_beats && record->beat[beat + 1] < steps_done) beat++;
    return beat;
}

static mt_status new_array(mt_arena *arena, size_t n, double value, double **array)
{
    MT_ALLOC(arena, *array, n);
    for (size_t k = 0; k < n; k++) (*array)[k] = value;
    return MT_OK;
}

mt_status mt_records_new(mt_arena *arena, const mt_record *record, size_t n_elements, mt_records **beats)
{
    MT_ALLOC(arena, *beats, mt_record_beats(record));
    for (size_t b = 0; b < mt_record_beats(record); b++) {
        MT_TRY(new_array(arena, n_elements, INFINITY, &(*beats)[b].activation_ms));
        for (int r = 0; r < MT_RECORDED; r++)
            if (record->all && record->stored >> r & 1)
                MT_TRY(new_array(arena, n_elements, mt_recorded_start[r], &(*beats)[b].recorded[r]));
    }
    return MT_OK;
}

size_t mt_record_activated(size_t n, const double *activation_ms, double *latest_ms)
{
    size_t activated = 0;
    *latest_ms = NAN;
    for (size_t e = 0; e < n; e++) {
        if (!isfinite(activation_ms[e])) continue;
        activated++;
        *latest_ms = fmax(*latest_ms, activation_ms[e]); /* fmax ignores NaN */
    }
    return activated;
}
