/* Plane waves along a chain of points, and the law of reaction spreading that they yield for any cells (mt_nodal_law of
 * solver/diffusion/nodal.h).
 *
 * Point i is at (i + 1/2) b, and no flux passes the ends. A time step is that of solver/monodomain.h in double precision. The cells step
 * from v to v*, and with the increments d = v* - v and the share s of each neighbour
 *
 *     v*_i <- v*_i + s (d_i-1 - 2 d_i + d_i+1)
 *
 * Diffusion takes the smallest number of explicit substeps with D dt <= 0.4 b^2, with the compensated splitting of the new v* - v. Only
 * s, dt and Y = b^2 / D have an effect on the delay between two points. A point shares all its increments at s = 1/2, the limit.
 *
 * The share of a chain is the s with which CV is that of a converged cable (solver/cable.h) of the same cells with the same dt. The law is
 * fitted to the shares at several Y. The sum of squares of (s - law) / sigma is least, with
 *
 *     sigma^2 = (MT_CHAIN_SHARE_SIGMA s)^2 + (MT_CHAIN_SPEED_SIGMA / (d ln CV / ds))^2
 *
 * Errors are therefore relative, and count less on fine chains, where CV hardly depends on the share and the share is uncertain. */
#pragma once

#include "solver/cells/model.h"
#include "solver/diffusion/nodal.h"

/* The cells, at rest, and the tissue. */
typedef struct mt_chain {
    const mt_cell_model *model;
    const mt_cell_variant *cells;
    double diffusivity_mm2_ms, dt_ms;
} mt_chain;

#define MT_CHAIN_SHARE_MOST 0.5
#define MT_CHAIN_TOLERANCE 2e-5 /* of CV, relative */
#define MT_CHAIN_SHARE_SIGMA 0.01
#define MT_CHAIN_SPEED_SIGMA 0.002

/* Returns the distance of points with b^2 / D = y_ms [mm]. */
double mt_chain_distance(const mt_chain *chain, double y_ms);

/* Computes CV along a chain of points distance_mm apart, for a share from 0 to MT_CHAIN_SHARE_MOST [mm/ms]; NaN: no propagation. Fails with
 * MT_INPUT if an argument is out of its range, and with MT_NUMERICS if V is not a number. */
MT_NODISCARD mt_status mt_chain_speed(
    const mt_chain *chain, double distance_mm, double share, double *speed_mm_ms);

/* Computes CV along a converged cable [mm/ms], extrapolated from two distances of points; NaN: no propagation. Fails with the errors of
 * `mt_cable_run`. */
MT_NODISCARD mt_status mt_chain_converged(const mt_chain *chain, double *speed_mm_ms);

/* The share of a chain. */
typedef struct mt_chain_match {
    bool reached;  /* false: no share in the range has CV within MT_CHAIN_SPEED_SIGMA */
    double share;  /* with the least error of CV; MT_CHAIN_SHARE_MOST if no wave propagates */
    double error;  /* CV relative to that of the cable, less 1; NaN: no wave propagates */
    double effect; /* d ln CV / ds, between this share and a larger one; 0 if not reached */
    size_t n_waves;
} mt_chain_match;

/* Finds the share of a chain of points distance_mm apart, by the secant method. `speed_mm_ms`: CV of the converged cable. Returns the
 * errors of `mt_chain_speed`. */
MT_NODISCARD mt_status mt_chain_share(
    const mt_chain *chain, double distance_mm, double speed_mm_ms, mt_chain_match *match);

/* The values of Y of a law, ascending. */
enum { MT_CHAIN_POINTS = 8 };
extern const double mt_chain_y_ms[MT_CHAIN_POINTS];

/* The law of cells. */
typedef struct mt_chain_fit {
    mt_nodal_law law;                      /* mt_nodal_law_default if these cells do not conduct */
    double speed_mm_ms;                    /* converged CV; NaN: these cells do not conduct */
    mt_chain_match match[MT_CHAIN_POINTS]; /* zero if these cells do not conduct */
    /* Largest relative errors of the law where the share was reached: of the share, and of CV that follows from it (error of the share
     * times its effect). */
    double share_error, speed_error;
    /* Largest Y at which a wave with the law's share propagates, within a tenth; infinite: at least the last of mt_chain_y_ms; 0: none. */
    double farthest_y_ms;
    size_t n_waves; /* along chains */
} mt_chain_fit;

/* Returns the share of a law at Y. */
double mt_chain_law_share(const mt_nodal_law *law, double y_ms);

/* Returns the law for n >= 1 shares with these sigma. Two constants are linear, and front_ms is searched for between 0.1 and 1000 ms. The
 * law's shares are from 1e-4 to MT_CHAIN_SHARE_MOST at all Y. Deterministic. */
mt_nodal_law mt_chain_law_of(size_t n, const double *y_ms, const double *share, const double *sigma);

/* Finds the law of the cells of a chain. Returns the errors of `mt_chain_speed` and `mt_chain_converged`. */
MT_NODISCARD mt_status mt_chain_law(const mt_chain *chain, mt_chain_fit *fit);
