/* Tuning of conductivities to target conduction velocities on elements of a given size.
 *
 * On a coarse mesh the velocity is not proportional to the square root of the conductivity, so that neither a cable nor a formula predicts
 * it. Longitudinal and transverse plane waves are therefore computed in slabs of such elements, and the conductivities corrected until the
 * velocities are within MT_TUNING_TOLERANCE of their targets:
 *   - start with the conductivities for a converged mesh: the velocity along a cable is k sqrt(D) (app/waves/plane_wave.h);
 *   - then solve for log(sigma) by the secant method, through log(velocity) of the last two waves of a direction.
 * Both directions are corrected in the same round, as on a coarse mesh each conductivity slightly affects the other velocity.
 *
 * Intracellular and extracellular conductivities of a direction are scaled by the same factor, which preserves their ratio. They are
 * rounded to five digits before the measurement, so that the reported values are those measured.
 *
 * The default tissue of the case is tuned, with its cells. Regions and gradients are ignored, and a conductivity normal to the sheets is
 * unchanged. */
#pragma once

#include "app/waves/plane_wave.h"
#include "solver/case/case.h"

#define MT_TUNING_TOLERANCE 0.002

/* The lowest target velocity; the highest is MT_VELOCITY_MOST_MM_MS (solver/outputs/velocity.h). */
#define MT_TUNING_LEAST_MM_MS 0.02

enum { MT_TUNING_ALONG, MT_TUNING_ACROSS, MT_TUNING_DIRECTIONS };

/* The result in one direction. */
typedef struct mt_tuned {
    size_t n_elements;              /* of the slab */
    double length_mm, edge_mean_mm; /* of its elements: cube root of the mean volume; mean edge */
    mt_plane_wave wave;
    double converged_mm_ms; /* the velocity along a cable with the same conductivity */
} mt_tuned;

typedef struct mt_tuning {
    size_t n_rounds; /* number of plane waves in each direction */
    mt_tuned direction[MT_TUNING_DIRECTIONS];
} mt_tuning;

/* Reads the medium of plane waves from a case. Fails with MT_INPUT if the case changes parameters of the cell type, and with the errors of
 * `mt_wave_medium_of_case`. */
MT_NODISCARD mt_status mt_wave_medium_for_tuning(const mt_case *input, mt_wave_medium *medium);

/* Changes the four conductivities of a case so that its conduction velocities are asked[], longitudinal and transverse [mm/ms]. Cells,
 * scheme and time steps are taken from the case. Reports progress. Fails with
 * - MT_INPUT if a velocity is out of range or above half an edge per time step, or if the transverse one is the higher one;
 * - MT_NUMERICS if no wave propagates in such elements, or none at the target velocity;
 * - the errors of `mt_wave_medium_for_tuning` and of app/waves/plane_wave.h. */
MT_NODISCARD mt_status mt_tune(
    const mt_slab_kind *kind, const double asked[MT_TUNING_DIRECTIONS], mt_case *input, mt_tuning *tuning);
