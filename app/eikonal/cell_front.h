/* The activation wavefront of one kind of cells, for the eikonal equation: its CV, and the latency of a stimulus. Both are measured along
 * a converged 1-D cable (solver/cable.h) with the longitudinal diffusivity of the default tissue and the time step of the case.
 *
 * CV in other tissue, and in any direction, is proportional to the square root of the diffusivity (a cable scales). The latency does not
 * depend on the diffusivity if the stimulus is much larger than the width of a wavefront.
 *
 * Latencies: a stimulus acts on the first 3 mm of the cable. Inside it V passes 0 mV directly by the stimulus. From 6 to 12 mm the
 * wavefront has its steady CV v. Its times, extrapolated back to the border of the stimulus, start there at the latency of the launch:
 *
 *     direct = T(0),      launch = T(9 mm) - (9 mm - 3 mm) / v,      T: time from the start of the stimulus to the passage through 0 mV
 *
 * Measurements are stored in the cache (data/files/cache.h). */
#pragma once

#include "solver/cells/model.h"
#include "solver/monodomain.h"

/* A change of the method must increment this. */
enum { MT_CELL_FRONT_VERSION = 1 };

/* The cells, in their state at the stimulus, and the time step. */
typedef struct mt_cell_front {
    const mt_cell_model *model;
    const mt_cell_variant *cells;
    double dt_ms;
} mt_cell_front;

/* Measures the longitudinal CV in the default tissue [mm/ms]; NaN: no propagation. `cached`: true to use the cache. Returns the errors of
 * `mt_chain_converged`. */
MT_NODISCARD mt_status mt_cell_front_speed(const mt_cell_front *front, bool cached, double *speed_mm_ms);

typedef struct mt_latency {
    double direct_ms, launch_ms;
} mt_latency;

/* Measures the latencies of a stimulus with this change of V and duration; NaN: no capture. Returns the errors of `mt_cable_run`. */
MT_NODISCARD mt_status mt_cell_front_latency(
    const mt_cell_front *front, double rise_mV_ms, double duration_ms, bool cached, mt_latency *latency);
