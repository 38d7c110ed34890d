/* What multirate stepping changes, measured with every run that uses it: a plane wave along a line of the run's tissue and cells
 * (solver/line.h), once with uniform stepping and once as the run has it.
 *
 * The line is 10 mm long, along the fibres, in points 0.1 mm apart, all of the cells of the first element, whose first mm is
 * stimulated by 50 mV/ms for 2 ms; its time step, splitting and
 * tolerance are the run's. What tissues and cells of other regions would differ by is not looked at. */
#pragma once

#include "solver/case/case.h"
#include "solver/monodomain.h"

/* Multirate less uniform; NaN where no wave runs, or nothing repolarises within a second. */
typedef struct mt_stepping_error {
    double speed_percent, apd90_ms;
} mt_stepping_error;

/* As mt_line_run fails. */
MT_NODISCARD mt_status mt_stepping_error_find(
    const mt_case *input, const mt_monodomain *problem, mt_stepping_error *error);
