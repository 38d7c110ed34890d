/* What plane waves run along, from its end: a slab of elements, or a line of points, where they are those of a converged mesh.
 *
 * Points lie 0.05 mm apart in tissue of the usual diffusivity along the fibres, and as densely for its root in other tissue.
 * Differences are central and of second order, without damping and spreading; the steps of the diffusion are as many as they need.
 * By all that a wave is right to 0.4 % in time steps of 0.02 ms (tests/solver/coarse_bar.h, solver/README.md). */
#pragma once

#include "app/waves/plane_wave.h"

typedef struct mt_strand {
    mt_diffusion diffusion;
    size_t pde_steps; /* in a time step */
    mt_splitting
        splitting;       /* of a slab the medium's; of points compensated, so that many steps cost no speed */
    const mt_mesh *mesh; /* of a slab; NULL: points */
    const double *place_mm; /* [diffusion.n_elements] along the wave's way */
    double spacing_mm;      /* the edge of a slab's boxes (mt_wave_slab.edge_mm), or from point to point */
    double stimulated_mm, from_mm, to_mm; /* waves are measured between the last two */
} mt_strand;

/* By how much converged waves along an axis (0: along the fibres, 1: across) are faster than along the fibres of the usual tissue, and
 * lengths longer: the root of the ratio of the diffusivities. */
double mt_strand_unit(const mt_wave_medium *medium, int axis);

/* Gives the strand of a slab, which it keeps, in `arena`. Shows progress in the stage that the caller has begun. MT_NUMERICS: the
 * diffusion steps asked for are unstable. Failures of mt_diffusion_make. MT_MEMORY. */
MT_NODISCARD mt_status mt_strand_of_slab(
    mt_arena *arena, const mt_wave_slab *slab, const mt_wave_medium *medium, mt_strand *strand);

/* Gives one of points, with the lengths of app/waves/plane_wave.h, in `arena`. MT_INPUT: the tissue does not conduct. MT_MEMORY. */
MT_NODISCARD mt_status mt_strand_of_points(
    mt_arena *arena, const mt_wave_medium *medium, int axis, mt_strand *strand);
