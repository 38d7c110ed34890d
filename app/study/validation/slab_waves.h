/* How fast waves are through a slab of elements, against lines without a mesh (solver/line.h).
 *
 * The slab is of the usual tissue with fibres along x, 20 x 7 mm or a little more, and has a corner at 0. Lengths are scaled: y and z
 * count sqrt(D_l / D_t) mm a mm, so that a wave is as fast in all directions. Three waves run through it, each until
 * it has passed everywhere; for 2 ms elements whose centres, or vertices, are within 3 scaled mm get 50 uA/mm^3, the benchmark's current:
 *   out of a corner   from the quarter of an ellipse about 0, in all directions between along and across
 *   along             from the end x = 0
 *   across            from the side y = 0
 * What is compared are those 6 to 18 scaled mm from there: the wave has its form by then, and no end is near. */
#pragma once

#include "mesh/mesh.h"
#include "mesh/info.h"
#include "solver/diffusion/scheme.h"
#include "solver/line.h"

/* The least extent of a slab along x and y. */
extern const double mt_slab_waves_size_mm[2];

/* The waves along lines of points 0.02 mm apart, in scaled lengths: out of a circle and plane. */
typedef struct mt_slab_references {
    const mt_cell_model *model; /* its first variant */
    double dt_ms;
    double scale; /* sqrt(D_l / D_t): a speed across is that along over this */
    mt_line_wave round, plane;
    double speed_mm_ms;                    /* of the plane wave along the fibres */
    double limit_dt_ms, limit_speed_mm_ms; /* the same with a tenth of the time step */
    double peak_mV;                        /* the highest V of both */
} mt_slab_references;

/* Gives them in `arena`. MT_INPUT: mt_line_run's. MT_NUMERICS: a wave dies out. MT_MEMORY. */
MT_NODISCARD mt_status mt_slab_references_make(
    mt_arena *arena, const mt_cell_model *model, double dt_ms, mt_slab_references *references);

enum { MT_SLAB_SECTORS = 9 }; /* of 10 degrees each, from the fibres on, in scaled lengths */

/* A number is NaN where the wave did not reach all elements of its region. */
typedef struct mt_slab_waves {
    mt_element_size size;
    size_t n_elements;
    /* The slope of activation times over those of the round line, less 1: how much later the wave out of the corner is. */
    double delay[MT_SLAB_SECTORS];
    double delay_mean, delay_rms; /* over the sectors; below 0: earlier */
    double along, across;         /* speeds of the plane waves over the line's, less 1 */
    double peak_mV;               /* the highest V after a step farther than 6 mm, of all three waves */
    double low_mV;                /* the lowest V less that at rest, of all elements and waves: 0 or below */
    double substep_ms;            /* the longest stable substep of the operator */
} mt_slab_waves;

/* What computes them: the element-centred finite volumes of the backend cpu, with a scheme, or linear finite elements
 * (app/study/validation/finite_elements.h), whose voltages are at the vertices. */
typedef struct mt_slab_method {
    enum { MT_SLAB_VOLUMES, MT_SLAB_LUMPED_ELEMENTS, MT_SLAB_CONSISTENT_ELEMENTS } kind;
    mt_diffusion_scheme scheme; /* of volumes */
} mt_slab_method;

/* Measures the waves through a slab (borrowed), with progress in the stage that the caller has begun. MT_NUMERICS: V grows beyond all
 * bounds. Failures of mt_diffusion_make and mt_finite_elements_run. MT_MEMORY. */
MT_NODISCARD mt_status mt_slab_waves_measure(const mt_mesh *mesh, const mt_slab_method *method,
    const mt_slab_references *references, mt_slab_waves *waves);
