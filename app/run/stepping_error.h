/* The error of multirate stepping, measured in each run that uses it: a plane wave along a 1-D cable (solver/cable.h) with uniform stepping
 * and with the run's.
 *
 * The cable is longitudinal, 10 mm long, with points 0.1 mm apart. All its cells are those of the first element. The first mm is stimulated
 * with 50 mV/ms for 2 ms. Time step, splitting and tolerance are taken from the run. Tissues and cells of other regions are ignored. */
#pragma once

#include "solver/case/case.h"
#include "solver/monodomain.h"

/* Multirate minus uniform; NaN if no wave propagates, or if the cells do not repolarise within a second. */
typedef struct mt_stepping_error {
    double speed_percent, apd90_ms;
} mt_stepping_error;

/* Measures the error. Returns the errors of `mt_cable_run`. */
MT_NODISCARD mt_status mt_stepping_error_find(
    const mt_case *input, const mt_monodomain *problem, mt_stepping_error *error);
