/* Activation prescribed by the eikonal equation: the reaction-eikonal model with diffusion (A. Neic et al., J. Comput. Phys. 346, 191, 2017).
 *
 * The monodomain equation gets a further current. It activates each unknown at its time T of the eikonal equation, with the curvature of the
 * wavefront (app/eikonal/eikonal_map.h), so that a mesh and a time step need not resolve the wavefront:
 *
 *     dv/dt = f + div(D grad v) + i(t - T + L),     i = strength for 0 <= t < MT_PRESCRIBED_MS, else 0
 *
 * The strength belongs to the cells: MT_PRESCRIBED_FACTOR times the lowest one with which an uncoupled cell at rest passes 0 mV. Cells with
 * nearly the same strength and range of V (below) have the same current.
 *
 * V is held in the MT_PRESCRIBED_HELD_MS before the current starts: between rest + h and rest + 3 h it becomes rest + h, where h is half of
 * the change of V by the lowest current. Otherwise charge from cells that were activated before would activate the cell early, by up to the
 * time between neighbours. A V above this range is left as it is: a cell that was activated otherwise, as by a conduction system, keeps its
 * action potential.
 *
 * L is the latency of an uncoupled cell at rest + h from the start of this current to 0 mV, with the time step of the run. In tissue a cell
 * is activated before T if more charge arrives during this latency, and after T if V was less than rest + h. For TP06 in the default tissue
 * on elements of 0.14 to 0.55 mm the mean difference is -0.15 to 0.02 ms, and the largest 0.7 ms. For cells with a slow upstroke it is
 * larger: 1 ms on average for Mitchell-Schaeffer cells on elements of 0.55 mm.
 *
 * CV and latencies of stimuli are those with time steps of at most MT_PRESCRIBED_DT_MS.
 *
 * Stimuli of the case and its conduction system act as without this current. Unknowns that a stimulus of the case reaches before their
 * current would start receive none. If the stimuli have several pulses, all with the same number and period, the current is repeated with
 * them: later beats have the activation times of the first. */
#pragma once

#include "app/run/problem.h"

#define MT_PRESCRIBED_MS 0.5
#define MT_PRESCRIBED_FACTOR 2.0
#define MT_PRESCRIBED_HELD_MS 10.0
#define MT_PRESCRIBED_DT_MS 0.02

typedef struct mt_prescribed {
    size_t n_unknowns; /* with the current */
    double latest_ms;  /* the latest activation of all */
} mt_prescribed;

/* Adds the current to the stimuli of a problem, in `arena`. `path`: of the case, for messages. `paced`: true if the cells have been paced
 * (mt_problem_prepace). `cached`: true to use the cache. Reports progress. MT_INPUT: a time exceeds 65,535 time steps, or the current of a
 * pulse does not end before the next one. Returns the errors of `mt_eikonal_map_on`. */
MT_NODISCARD mt_status mt_prescribe(mt_arena *arena, const char *path, const mt_case *input, bool paced,
    bool cached, mt_problem *problem, mt_prescribed *prescribed);
