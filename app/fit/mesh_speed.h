/* Conductivities with which the fitted CV is realised on the mesh of the case.
 *
 * On elements of a given size CV is not proportional to the square root of the conductivity. For each group the expected error of
 * activation times on this mesh is measured (app/run/fronts.h), along the fibres and across them: the first and the last sector of the
 * wavefront from a corner. If the times are late by e, the converged CV of the conductivities must be 1 + e times the CV that is to be
 * realised. As e depends on the conductivities, this repeats until no factor changes by 0.5 %, at most 6 times. Groups without a
 * measurement (voltages at the elements, ordinary anisotropy) have e = 0. Larger errors than 25 % are refused: on such elements CV is no
 * continuous function of the conductivities. */
#pragma once

#include "app/fit/fit_case.h"

/* Finds the factors for the CV of these values. late [2 groups]: e of each group, along and across. Reports progress. MT_NUMERICS: an
 * error is too large, or a wavefront does not propagate. Returns the errors of `mt_fronts_make`. */
MT_NODISCARD mt_status mt_mesh_speed_realise(const mt_fit_model *model, const mt_fit_values *values,
    mt_fit_factors *factors, double late[2 * MT_FIT_GROUPS_MAX]);
