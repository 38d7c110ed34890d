/* The domain of plane waves that start at one end: a slab of elements, or a 1-D cable of points that is converged in space.
 *
 * Points are 0.05 mm apart in tissue with the default longitudinal diffusivity; in other tissue the spacing scales with the square root of
 * the diffusivity. Differences are central, of second order, without damping and spreading. The number of diffusion substeps is the
 * smallest stable one. The velocity is then accurate to 0.4 % with time steps of 0.02 ms (tests/solver/coarse_bar.h, solver/README.md). */
#pragma once

#include "app/waves/plane_wave.h"

typedef struct mt_strand {
    mt_diffusion diffusion;
    size_t pde_steps; /* diffusion substeps in a time step */
    /* For a slab that of the medium; for points compensated, so that many substeps do not reduce the velocity. */
    mt_splitting splitting;
    const mt_mesh *mesh;    /* of a slab; NULL for points */
    const double *place_mm; /* [diffusion.n_unknowns] position along the direction of propagation */
    double spacing_mm;      /* the edge of a slab (mt_wave_slab.edge_mm), or the distance of the points */
    double stimulated_mm, from_mm, to_mm; /* waves are measured between the last two */
} mt_strand;

/* Returns the ratio of converged velocities, and so of lengths, along an axis (0: longitudinal, 1: transverse) and along the fibres of the
 * default tissue: the square root of the ratio of the diffusivities. */
double mt_strand_length_scale(const mt_wave_medium *medium, int axis);

/* Builds, in `arena`, the strand of a slab, which it borrows for its lifetime. Reports progress within the current stage. Fails with
 * MT_NUMERICS if the number of diffusion substeps is too small for stability, and with the errors of `mt_operator_make`. */
MT_NODISCARD mt_status mt_strand_of_slab(
    mt_arena *arena, const mt_wave_slab *slab, const mt_wave_medium *medium, mt_strand *strand);

/* Builds, in `arena`, a strand of points with the lengths of app/waves/plane_wave.h. Fails with MT_INPUT if the tissue does not conduct. */
MT_NODISCARD mt_status mt_strand_of_points(
    mt_arena *arena, const mt_wave_medium *medium, int axis, mt_strand *strand);
