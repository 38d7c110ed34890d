/* The conduction system of a problem as links of the eikonal equation (solver/eikonal/eikonal.h).
 *
 * Points of the cables are numbered after the vertices of the mesh. A piece of a cable conducts in both directions, at the CV of the case's
 * cables, which is measured along a straight one (app/waves/network_tuning.h) and is proportional to the square root of the radius. A
 * junction joins its free end to all vertices of the unknowns that it is coupled to, with one delay in each direction. Cables and coupled
 * unknowns are those of a run. */
#pragma once

#include "app/run/problem.h"
#include "app/waves/network_tuning.h"
#include "solver/eikonal/eikonal.h"

typedef struct mt_fast_edges {
    size_t n_points, n_links, n_sources;
    mt_eikonal_link *link;
    mt_eikonal_source *source;      /* the first pulses of the network's stimuli */
    double speed_mm_ms, latency_ms; /* CV of the cables; latency of the first stimulus, NaN without one */
    /* of a junction; NaN: it does not conduct in this direction */
    double antegrade_ms, retrograde_ms;
} mt_fast_edges;

/* Builds the links in `arena`; all are 0 without a conduction system. junction_ms: delays, antegrade and retrograde; the first NaN: they
 * are measured for one junction in a slab with the tissue, the cells and about the element size of the case. Reports progress. MT_NUMERICS:
 * the cables do not conduct. Returns the errors of `mt_network_wave_measure` and `mt_junction_delays`. */
MT_NODISCARD mt_status mt_fast_edges_make(mt_arena *arena, const mt_case *input, const mt_problem *problem,
    const double junction_ms[2], mt_fast_edges *edges);

/* Computes the times of the points of the cables, then of the tissue at the junctions, the mean of its coupled unknowns by conductance, as
 * in a run: times_ms [points + junctions]. point_ms [points], unknown_ms [unknowns]. */
void mt_fast_edges_times(
    const mt_problem *problem, const double *point_ms, const double *unknown_ms, double *times_ms);
