/* Initial state of tissue from a single cell: a file of `myotile cell --save` (solver/cells/cell_state.h).
 *
 * A state is valid only for its own cell type, so that all elements must have that type. Their parameters may differ from the saved ones,
 * as for a drug that acts from time 0; this is a warning. */
#pragma once

#include "solver/monodomain.h"

/* True if this file is the state of a cell rather than a checkpoint: it is not HDF5 and does not have the name of an HDF5 file. */
bool mt_start_is_cell(const char *path);

/* Replaces the variants of a problem by copies in `arena` that start from the state in a file. `name`: file of the case, for warnings.
 * Fails with MT_INPUT if the state belongs to another ionic model, or if an element has another type. Other errors come from
 * `mt_cell_state_read`. */
MT_NODISCARD mt_status mt_start_cell(
    mt_arena *arena, const char *name, const char *path, mt_monodomain *problem);
