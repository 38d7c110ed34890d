/* Calibration of reaction spreading (solver/diffusion/spreading.h) for any cells: the law with which activation times from a corner are
 * neither late nor early on elements of a given size, as a mean over all directions (solver/waves/corner_wave.h).
 *
 * The cells first rest for MT_CALIBRATION_REST_MS, because a variant with changed parameters starts at the resting state of its base. A
 * single action potential yields the greatest rate j at which they restore V. The law's 1/j is MT_CALIBRATION_RESTORING / j: 0.1 ms for
 * TP06 cells, with j = 4.5 per ms. It is at most the reciprocal of the rate after a hyperpolarisation, so that sawtooth patterns do not
 * grow there by more than some mV. beta is the zero of the mean error, found by the secant method to MT_CALIBRATION_TOLERANCE. The default
 * law is kept if its mean error is at most MT_CALIBRATION_KEPT: it was fitted to many meshes.
 *
 * Elements of less than about 0.27 mm in the default tissue have small errors, but are many. For them the law is that of 0.27 mm, and
 * errors are scaled with the square of the element size, as the operator is of second order. The same if the slab would be too large, as in
 * isotropic tissue (mt_corner_fits).
 *
 * With voltages at the vertices the law is that of a chain (solver/waves/chain.h), for the same cells and time step. Its strength gets a
 * factor for the elements of this size, found in the same way, from 1/MT_CALIBRATION_FACTOR_MOST to MT_CALIBRATION_FACTOR_MOST. */
#pragma once

#include "solver/waves/chain.h"
#include "solver/waves/corner_wave.h"

#define MT_CALIBRATION_REST_MS 5000
#define MT_CALIBRATION_RESTORING 0.45
#define MT_CALIBRATION_TOLERANCE 0.01
#define MT_CALIBRATION_KEPT 0.025
#define MT_CALIBRATION_BETA_MOST 0.25
#define MT_CALIBRATION_LEAST_MM 0.27
#define MT_CALIBRATION_SAME_mV 2
#define MT_CALIBRATION_FACTOR_MOST 1.5

/* A change of the method or its numbers must increment this. */
enum { MT_CALIBRATION_VERSION = 8 };

typedef struct mt_calibration {
    double speed_l_mm_ms, speed_t_mm_ms; /* converged CV; NaN: these cells do not conduct */
    mt_spreading_law law;    /* of cells that do not conduct: the given one, or that of the scheme */
    mt_nodal_law nodal;      /* with voltages at the vertices, instead of `law` */
    mt_corner_errors errors; /* expected with this law; NaN if these cells do not conduct */
    size_t n_waves;          /* number of wavefronts computed */
} mt_calibration;

/* Stores V and states of cells after MT_CALIBRATION_REST_MS without a stimulus, in `arena`; the initial ones if the cells fire. */
MT_NODISCARD mt_status mt_calibration_rest(
    mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *cells, mt_cell_variant *rested);

/* Returns the greatest rate -df/dv during an action potential of cells at rest [1/ms]. */
double mt_calibration_restoring_rate(const mt_cell_model *model, const mt_cell_variant *rested, double dt_ms);

/* Returns the greatest rate at which cells at rest restore V from a hyperpolarisation by 5 to 40 mV: its initial change, divided by the
 * distance [1/ms]. Below the potassium equilibrium I_K1 restores V faster than anything in an action potential of weak cells. */
double mt_calibration_hyperpolarised_rate(
    const mt_cell_model *model, const mt_cell_variant *rested, double dt_ms);

/* Computes V of a cell at equal times during a stimulus of 2 ms: its upstroke. */
enum { MT_CALIBRATION_UPSTROKE = 17 };
void mt_calibration_upstroke(const mt_cell_model *model, const mt_cell_variant *cells, double dt_ms,
    double v_mV[MT_CALIBRATION_UPSTROKE]);

/* True if two upstrokes differ by at most MT_CALIBRATION_SAME_mV at all times: CV then differs by less than 2 %, as with a change of g_Na
 * by 3 %. */
bool mt_calibration_same_upstroke(
    const double a_mV[MT_CALIBRATION_UPSTROKE], const double b_mV[MT_CALIBRATION_UPSTROKE]);

/* Returns the law of corner->cells, which are at rest, with a strength; that of the scheme with its own strength. The element size has no
 * effect. */
mt_spreading_law mt_calibration_law(const mt_corner *corner, const mt_diffusion_scheme *scheme, double beta);

/* Calibrates the spreading of a scheme for corner->cells, which are at rest. `beta`: the strength, which is only measured then; NULL:
 * it is found. A strength equal to that of the scheme means the scheme's own law. Reports progress within the current stage. Returns the
 * errors of `mt_corner_make` and `mt_corner_measure`. */
MT_NODISCARD mt_status mt_calibrate(
    const mt_corner *corner, const mt_diffusion_scheme *scheme, const double *beta, mt_calibration *found);

/* Finds the law at the vertices for corner->cells, which are at rest. Another `strength` than 1 is a factor of the strength of the chain's
 * law, which is only measured then; 0: no spreading. Reports progress. Returns the errors of `mt_chain_law`, `mt_corner_make` and
 * `mt_corner_measure`. */
MT_NODISCARD mt_status mt_calibrate_nodal(const mt_corner *corner, double strength, mt_calibration *found);

/* Measures a law for the cells at a coupling interval: each is at rest, is stimulated alone, and interval_ms later the wavefront starts at
 * the corner. `conducts`: false if no wavefront propagates along a converged cable of such cells; the errors are then 0.
 * corner->cables, if any, are those of such cells. */
MT_NODISCARD mt_status mt_calibration_early(const mt_corner *corner, const mt_corner_method *method,
    double interval_ms, bool *conducts, mt_corner_errors *errors);
