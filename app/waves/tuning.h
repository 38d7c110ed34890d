/* Conductivities that give waves asked velocities on elements of a size.
 *
 * On a coarse mesh the speed of a wave does not go with the root of the conductivity, and what comes out is not what a line or a formula
 * says. So plane waves are run through slabs of such elements, along the fibres and across them, and the conductivities corrected until
 * the speeds are those that were asked for, within MT_TUNING_TOLERANCE:
 *   - begin with those that would be right on a converged mesh: the speed along a line is k sqrt(D) (app/waves/plane_wave.h);
 *   - then find log(sigma) for which log(speed) is right, by the secant through the last two waves of a direction.
 * Both directions are corrected at a time, as on a coarse mesh each conductivity also has a little to do with the other's wave.
 *
 * Inside and outside conductivities of a direction are multiplied by the same number, so that their ratio stays. They have five digits:
 * what is given is what was measured.
 *
 * What is tuned is the tissue of the whole, with its cells: regions and gradients are not looked at, and a conductivity normal to
 * the sheets stays as it is. */
#pragma once

#include "app/waves/plane_wave.h"
#include "solver/case/case.h"

#define MT_TUNING_TOLERANCE 0.002

/* The slowest waves that may be asked for; the fastest are MT_VELOCITY_MOST_MM_MS (solver/outputs/velocity.h). */
#define MT_TUNING_LEAST_MM_MS 0.02

enum { MT_TUNING_ALONG, MT_TUNING_ACROSS, MT_TUNING_DIRECTIONS };

/* What was found in one direction. */
typedef struct mt_tuned {
    size_t n_elements;              /* of the slab */
    double length_mm, edge_mean_mm; /* of its elements: the cube root of their mean volume; their mean edge */
    mt_plane_wave wave;
    double converged_mm_ms; /* the speed along a line with the same conductivity */
} mt_tuned;

typedef struct mt_tuning {
    size_t n_rounds; /* waves of each direction */
    mt_tuned direction[MT_TUNING_DIRECTIONS];
} mt_tuning;

/* What waves run through in a case. MT_INPUT: mt_wave_medium_of_case's, and cells with other parameters than their type by itself. */
MT_NODISCARD mt_status mt_tuning_medium(const mt_case *input, mt_wave_medium *medium);

/* Changes the four conductivities of a case so that its waves have the speeds asked[] along and across the fibres. Of the case it also takes
 * the cells, the scheme and the time steps. Shows progress. MT_INPUT: a speed is out of range, or more than half an edge a time
 * step, or faster across than along; mt_tuning_medium. MT_NUMERICS: no wave runs through such elements, or none as fast as asked. Failures of
 * app/waves/plane_wave.h. */
MT_NODISCARD mt_status mt_tune(
    const mt_slab_kind *kind, const double asked[MT_TUNING_DIRECTIONS], mt_case *input, mt_tuning *tuning);
