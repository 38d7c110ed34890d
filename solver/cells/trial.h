/* A trial: one beat of a cell, or of a cable of cells, from its initial state, for choosing and judging time steps.
 *
 * The cell is stimulated at MT_TRIAL_START_MS for MT_TRIAL_PULSE_MS with MT_TRIAL_RISE_mV_MS, and followed to MT_TRIAL_MS; V and the states
 * are sampled every MT_TRIAL_EVERY_MS. */
#pragma once

#include "data/core/arena.h"
#include "solver/cells/model.h"

#define MT_TRIAL_START_MS 5.0
#define MT_TRIAL_PULSE_MS 1.0
#define MT_TRIAL_RISE_mV_MS 52.0
#define MT_TRIAL_MS 400.0
#define MT_TRIAL_EVERY_MS 0.2
enum { MT_TRIAL_SAMPLES = 2000 };

typedef struct mt_trial {
    double v_mV[MT_TRIAL_SAMPLES];
    double *states;  /* [MT_TRIAL_SAMPLES][n_states]; NULL if not requested */
    double peak_mV;  /* over all steps */
    double apd90_ms; /* NaN if V does not pass 0 mV upwards and then repolarise by 90 % within the trial */
} mt_trial;

/* Runs a trial in double precision; dt_ms divides MT_TRIAL_EVERY_MS. The states are in `arena`; NULL: not recorded. MT_NUMERICS if V leaves
 * -200 .. 200 mV. MT_MEMORY. */
MT_NODISCARD mt_status mt_trial_run(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *variant, double dt_ms, mt_trial *trial);

/* Runs a cable in double precision: MT_TRIAL_CABLE cells at intervals of 0.2 mm, of which the first five are stimulated as above, up to
 * MT_TRIAL_CABLE_MS. The diffusivity is that of the default tissue along fibres (mt_tissue_default of solver/diffusion/tissue.h, a higher
 * layer): conductivities in series by chi C_m. Neighbours load cells otherwise than a stimulus does: in tissue a step can be
 * unstable with which a cell alone is stable. MT_NUMERICS if V leaves -200 .. 200 mV. MT_MEMORY. */
#define MT_TRIAL_CABLE_MS 150.0
#define MT_TRIAL_DIFFUSIVITY_MM2_MS (0.17 * 0.62 / (0.17 + 0.62) / (140 * 0.01))
enum { MT_TRIAL_CABLE = 32 };
MT_NODISCARD mt_status mt_trial_run_cable(
    const mt_cell_model *model, const mt_cell_variant *variant, double dt_ms);

/* Returns the root mean square of the difference of V [mV]. */
double mt_trial_difference_mV(const mt_trial *a, const mt_trial *b);
