/* Tissue that begins where one cell stands: the state of a cell in a file, as `myotile cell --save` writes it (solver/cells/cell_state.h).
 *
 * A state means something in cells of its own type alone, so all elements must be of it. Their parameters may be others than the saved
 * cell's: a drug that begins to act at time 0. That is worth a warning. */
#pragma once

#include "solver/monodomain.h"

/* Is this file the state of a cell, not a checkpoint? It is none where it is HDF5, or says so by its name. */
bool mt_start_is_cell(const char *path);

/* Gives the problem, in `arena`, variants that begin at the state in a file; nothing else of them changes. `name` is the case's, for
 * warnings. MT_INPUT: it is of another cell model, or some element is of another type; or as mt_cell_state_read. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_start_cell(
    mt_arena *arena, const char *name, const char *path, mt_monodomain *problem);
