/* The sites of earliest activation of a fit, found one after the other.
 *
 * LAT and residuals are first smoothed: the mean of a point and its four nearest ones. The first site starts at the points that are
 * earliest. A further one starts at the points whose measured LAT precedes the fitted one the most, and at local minima of LAT. Candidates
 * are at least a tenth of the extent of the points from each other and from the sites. Each is tried by
 * five steps of all parameters (app/fit/least_squares.h), and the best one is completed.
 * Steps do not lead through a wall. Therefore each site is then tried on the other side of its wall, up to 30 mm away. It
 * moves there if BIC decreases by more than 10.
 *
 * Then sites are removed that others made needless, the one first without which the sum increases the least. If the number of sites is
 * given, one more is added before.
 *
 * Number of sites: given, or such that the Bayesian information criterion decreases by more than 10 with each site,
 *
 *     BIC = n log(S / n) + k log n      or, with standard deviations of the measurements,      BIC = S + k log n
 *
 * for n points, k free parameters and the weighted sum of squares S that remains with fibres of other angles (mt_fit_sum_with_fibres), as
 * wrong angles would otherwise be compensated by further sites. A fit with two sites closer than a tenth of the extent is rejected
 * unless the number is given: such a pair represents one site with a stimulus of another shape. */
#pragma once

#include "app/fit/least_squares.h"

/* The fits with 1, 2, ... sites that were tried. */
typedef struct mt_site_trials {
    size_t n;
    double rms_ms[MT_FIT_SITES_MAX], bic[MT_FIT_SITES_MAX];
} mt_site_trials;

/* Returns the least number of points for n sites: one more than there are parameters. */
size_t mt_site_search_points(const mt_fit_model *model, size_t n_sites);

/* Finds the sites, with the fixed tissue parameters of `minimum`; its values are the start. n_sites: 0: automatic, at most `most`.
 * fitted_ms [n]. Reports progress. MT_INPUT: there are too few points,
 * or all are close to each other. Returns the errors of mt_least_squares. */
MT_NODISCARD mt_status mt_site_search(mt_fit_model *model, const mt_fit_data *data,
    const mt_fit_fibres *fibres, size_t n_sites, size_t most, mt_fit_minimum *minimum, double *fitted_ms,
    mt_site_trials *trials);
