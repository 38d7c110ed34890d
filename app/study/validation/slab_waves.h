/* Conduction velocity through a slab of elements, compared with converged 1-D cables (solver/cable.h).
 *
 * The slab has fibres along x, the longitudinal diffusivity of the default tissue and any transverse one, a size of 20 x 7 mm or slightly more, and a corner at 0. Lengths are scaled:
 * a mm along y or z counts sqrt(D_l / D_t) mm, so that the conduction velocity is isotropic. Three waves propagate through it, each
 * until full activation. For 2 ms the benchmark's current, 50 uA/mm^3, stimulates elements with centres, or vertices, within 3
 * scaled mm:
 *
 * - corner: from a quarter of an ellipse around 0, in all directions between longitudinal and transverse
 * - longitudinal: from the end x = 0
 * - transverse: from the side y = 0
 *
 * Measurements use the distances from 6 to 18 scaled mm, where the wave has its steady form and no boundary is near. */
#pragma once

#include "mesh/mesh.h"
#include "mesh/info.h"
#include "solver/diffusion/scheme.h"
#include "solver/cable.h"

/* Minimum size of a slab along x and y. */
extern const double mt_slab_waves_size_mm[2];

/* Waves along cables of points 0.02 mm apart, in scaled lengths: a circular wave and a plane one. */
typedef struct mt_slab_references {
    const mt_cell_model *model; /* with its first variant */
    const mt_tissue *tissue;    /* borrowed */
    double dt_ms;
    double scale; /* sqrt(D_l / D_t): ratio of longitudinal to transverse velocity */
    mt_cable_wave round, plane;
    double speed_mm_ms;                    /* longitudinal velocity of the plane wave */
    double limit_dt_ms, limit_speed_mm_ms; /* same, with a tenth of the time step */
    double peak_mV;                        /* highest V of both waves */
} mt_slab_references;

/* Computes the references in `arena`. Fails with MT_NUMERICS if a wave dies out, or with MT_MEMORY. Returns the errors of
 * `mt_cable_run`. */
MT_NODISCARD mt_status mt_slab_references_make(mt_arena *arena, const mt_cell_model *model,
    const mt_tissue *tissue, double dt_ms, mt_slab_references *references);

enum { MT_SLAB_SECTORS = 9 }; /* 10 degrees each, from the fibre direction, in scaled lengths */

/* Results of a slab; NaN if the wave did not activate all unknowns of a region. */
typedef struct mt_slab_waves {
    mt_element_size size;
    size_t n_elements, n_unknowns;
    /* Relative delay of the corner wave: slope of its activation times over the activation times of the circular cable wave, less
     * 1. */
    double delay[MT_SLAB_SECTORS];
    double delay_mean, delay_rms; /* over the sectors; negative: earlier */
    double along, across;         /* plane wave velocity over that of the cable, less 1 */
    double peak_mV;               /* highest V after a step beyond 6 mm, of all three waves */
    double low_mV;                /* lowest V less the resting V, of all unknowns and waves: 0 or below */
    double substep_ms;            /* longest stable substep of the operator */
} mt_slab_waves;

/* Discretisation: element-centred finite volumes of the backend cpu, with a scheme; voltages at the vertices, of the same backend, with
 * the spreading of a chain of the same cells (solver/diffusion/nodal.h, solver/waves/chain.h); or linear finite elements
 * (app/study/validation/finite_elements.h). */
typedef struct mt_slab_method {
    enum { MT_SLAB_VOLUMES, MT_SLAB_NODES, MT_SLAB_LUMPED_ELEMENTS, MT_SLAB_CONSISTENT_ELEMENTS } kind;
    mt_diffusion_scheme scheme;  /* of volumes */
    const mt_spreading_law *law; /* of volumes; NULL: that of the scheme */
} mt_slab_method;

/* Measures the waves through a slab (borrowed), with progress in the current stage. Fails with MT_NUMERICS if V diverges, or with
 * MT_MEMORY. Returns the errors of `mt_diffusion_make`, `mt_chain_law`, `mt_nodal_diffusion_make` and `mt_finite_elements_run`. */
MT_NODISCARD mt_status mt_slab_waves_measure(const mt_mesh *mesh, const mt_slab_method *method,
    const mt_slab_references *references, mt_slab_waves *waves);
