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
