/* The activation map of a case by the eikonal equation (solver/eikonal/eikonal.h), in the form of a run: app/results writes its files.
 *
 * It has the first activation of each vertex. Later beats, repolarisation, voltages and currents do not exist; keys of a case that need
 * them are ignored with a warning.
 *
 * Speeds: v = v_k sqrt(D / D_0) along each axis of the tissue of an element, with its diffusivity D there, that of the default tissue D_0,
 * and the CV v_k of its cells (app/eikonal/cell_front.h). The cells of an element are those of most of its vertices, the first of equals.
 * Cells without propagation conduct nothing. Cells have the state in which a run starts them, with pre-pacing if the case has it: 5 s of
 * rest would increase CV of TP06 cells by 2 %.
 *
 * Curvature, if requested: div(M grad T) with the diffusivity M of the monodomain equation (solver/eikonal/curvature.h). CV is that of a
 * plane wave, which it does not change. A stimulus is a wavefront at its border.
 *
 * Sources: the unknowns that a run stimulates, at the start of the first pulse plus the latency of the wavefront in the cells of its first
 * unknown. With voltages at the elements these are the vertices of the stimulated elements. In the map the stimulated unknowns have the
 * earlier latency of their own depolarisation.
 *
 * With voltages at the elements an element has the mean of the times of its four vertices, the linear interpolation at its centre; it is
 * activated if all four are. */
#pragma once

#include "app/eikonal/cell_front.h"
#include "app/eikonal/fast_edges.h"
#include "app/run/run.h"
#include "app/run/samples.h"
#include "solver/eikonal/curvature.h"

/* The front of the cells of a kind in a tissue. */
typedef struct mt_eikonal_front {
    size_t variant, medium;
    const char *name;
    size_t n_elements;
    double speed_mm_ms[3]; /* longitudinal, transverse, normal to the sheets; NaN: no propagation */
} mt_eikonal_front;

/* The start at a stimulus, or a part of one with the same membrane. */
typedef struct mt_eikonal_start {
    size_t stimulus, n_unknowns;
    double start_ms;
    mt_latency latency; /* NaN: no capture */
    double earliest_ms; /* first activation of its unknowns */
} mt_eikonal_start;

typedef struct mt_eikonal_map {
    const char *path; /* of the case */
    mt_case input;    /* without the keys that have no effect */
    bool cached;
    bool curvature;        /* true: with the curvature of the wavefront (solver/eikonal/curvature.h) */
    double junction_ms[2]; /* see mt_fast_edges_make */
    mt_problem problem;
    mt_sampling sampling; /* empty */
    mt_run run;           /* points to the members above; complete for app/results */
    size_t n_fronts, n_starts;
    mt_eikonal_front *front; /* [n_fronts] by variant, then by medium */
    mt_eikonal_start *start; /* [n_starts] */
    mt_fast_edges edges;
    size_t n_points; /* vertices and points of cables */
    mt_eikonal_report report;
    mt_curvature_report curved;              /* all 0 without the curvature */
    double activated_percent, activated_mm3; /* of the volume of the conducting tissue */
    double latest_ms;                        /* NaN: no activation */
    /* host time: CV, latencies and delays; equations; solution; curvature */
    double measure_s, prepare_s, solve_s, curvature_s;
    size_t bytes; /* of the equations */
} mt_eikonal_map;

/* Removes from map->input the keys that have no effect, with warnings, and makes paths absolute. MT_INPUT: the case starts from a
 * checkpoint. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_eikonal_map_begin(mt_arena *arena, mt_eikonal_map *map);

/* Computes the map, in `arena`. `map` must not be moved afterwards. Reports progress, and warns of stimuli without capture or effect.
 * MT_INPUT: no stimulus activates the tissue. Returns the errors of `mt_problem_make_still`, `mt_fast_edges_make` and
 * `mt_eikonal_solve`. */
MT_NODISCARD mt_status mt_eikonal_map_make(mt_arena *arena, mt_eikonal_map *map);

/* Same, on map->problem, which the caller has built and whose cells it has paced. */
MT_NODISCARD mt_status mt_eikonal_map_on(mt_arena *arena, mt_eikonal_map *map);
