/* Weighted least squares of a fit: parameters p that minimise
 *
 *     sum_k w_k (y_k - m_k(p))^2 + sum (a^2 + b^2) / L^2
 *
 * for LAT y_k, the model's m_k (app/fit/fit_model.h) and weights w_k. The second sum, with L = log 3 over all logarithms of CV and ratio,
 * keeps parameters without any effect at the values of the case. It moves a single other parameter with value a and standard error e
 * towards the case by e a / (s L)^2 of that error: 0.6 % for a = log 2, e = 0.01 and s = 1 (s as below).
 *
 * Method: Levenberg-Marquardt with Marquardt's scaling. A step is limited to a factor of 2 for CV and ratio, and to 10 mm for a site. It
 * ends when a step decreases the sum by less than 1e-5 of it: for 200 points a parameter then changes by 0.04 standard errors.
 *
 * Covariance: s^2 (J' W J)^-1 over the free parameters, by the eigenvalues of J' W J with columns scaled to length 1. Without standard
 * deviations of the measurements s^2 is the sum of squares over the degrees of freedom. With them it is that, too, but at least 1. A
 * direction with an eigenvalue below 1e-12 of the largest has no information: its parameters have an infinite standard error.
 *
 * Fibres: their angles are not measured with the LAT, and an error of them changes the fit. With the derivatives F of the LAT with
 * respect to the fibre angle in two modes (app/fit/fit_times.h) the parameters change by -(J' W J)^-1 J' W F per radian. The standard
 * error of a parameter has this part for independent errors of both modes, of D / sqrt(2), so that angles at the surfaces have the
 * standard deviation D. */
#pragma once

#include "app/fit/fit_model.h"

typedef struct mt_fit_data {
    size_t n;
    const double *lat_ms, *weight; /* [n] */
    bool has_sd;                   /* true if weight is 1 / sd^2 */
} mt_fit_data;

/* A minimum, or the state on the way. */
typedef struct mt_fit_minimum {
    mt_fit_values values;
    uint8_t fixed[MT_FIT_PARAMETERS_MAX]; /* 1: the parameter keeps its value */
    double sum;                           /* of weighted squares */
    size_t n_free, n_steps;
} mt_fit_minimum;

/* Minimises from minimum->values, by at most `steps` steps. fitted_ms [n]: the model's LAT. MT_STOPPED. Returns the errors of
 * mt_fit_model_times at the start; steps to values with errors are rejected. */
MT_NODISCARD mt_status mt_least_squares(
    mt_fit_model *model, const mt_fit_data *data, size_t steps, mt_fit_minimum *minimum, double *fitted_ms);

/* Covariance and what follows from it. */
typedef struct mt_fit_covariance {
    size_t n;            /* parameters */
    double *error;       /* [n] standard errors; 0: fixed; infinite: no information */
    double *from_fibres; /* [n] their part of the fibres; the other part is that of the noise */
    double *correlation; /* [n][n]; 0 for fixed ones */
    double noise_ms;     /* s, relative to a weight of 1 */
    double condition;    /* largest over smallest singular value of the scaled Jacobian */
} mt_fit_covariance;

/* The uncertainty of the fibre angles, D above, and the surface that determines the normal of the wall. */
typedef struct mt_fit_fibres {
    double sd_rad; /* 0: fibres are exact */
    const mt_fit_surface *surface;
} mt_fit_fibres;

/* Computes the covariance at a minimum, in `arena`. MT_INPUT: there are no more points than free parameters. Returns the errors of
 * mt_fit_model_times. */
MT_NODISCARD mt_status mt_fit_covariance_make(mt_arena *arena, mt_fit_model *model, const mt_fit_data *data,
    const mt_fit_fibres *fibres, const mt_fit_minimum *minimum, mt_fit_covariance *covariance);

/* Computes the least sum of weighted squares near a minimum if the fibres can have other angles: over changes of the free parameters and
 * of the angle q of each mode, in the linear model, of
 *
 *     sum_k w_k (y_k - m_k - F_k q)^2 + s^2 2 |q|^2 / D^2,      s^2: the sum at the minimum over the number of points
 *
 * So it lacks the part of the residuals that follows from other fibres. Returns the errors of mt_fit_model_times. */
MT_NODISCARD mt_status mt_fit_sum_with_fibres(mt_fit_model *model, const mt_fit_data *data,
    const mt_fit_fibres *fibres, const mt_fit_minimum *minimum, double *sum);
