/* The state of one cell in a file, so that other runs can start from the state after long pacing.
 *
 *     # The state of a cell, by myotile.
 *     model: tp06          # of an imported model: the path of its file, and the next line
 *     identity: "a.mmt#..." # mt_cell_model.identity
 *     type: "epi"
 *     dt_ms: 0.02
 *     bcl_ms: 1000         # omitted if the cell was not paced
 *     beats: 100
 *     v_mV: -85.35
 *     parameters:          # those that differ from the type's; omitted if there are none
 *       g_Ks: 0.196 # nS/pF
 *     states:
 *       Xr1: 0.00020718
 *       ...
 *       Ca_i: 0.000103 # mM
 *
 * The file contains every state of the model by its name, and no other. Numbers have as many digits, up to 17, as are needed to read back
 * the same double. */
#pragma once

#include "data/core/arena.h"
#include "solver/cells/model.h"

typedef struct mt_cell_state {
    const mt_cell_model *model;
    const char *type;         /* name of the cell's variant; not necessarily one of the model's */
    const double *parameters; /* [n_parameters]; NaN: value of the type */
    double dt_ms, bcl_ms;     /* bcl_ms NaN: not paced */
    size_t beats;
    double v_mV;
    const double *states; /* [n_states] in the model's order */
} mt_cell_state;

/* Reads a state into `arena`. If the file has the identity of the model `known` (may be NULL), the state has this model, and the path in
 * the file is not opened: the file of an imported model can have been moved. MT_INPUT with file, line and key: an unknown model, another
 * identity than that of the model, a state that the model lacks, a missing state, an invalid number, or V outside -200 .. 200 mV. MT_FILE
 * if the file cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_state_read(
    mt_arena *arena, const char *path, const mt_cell_model *known, mt_cell_state *state);

/* Returns in `arena` the parameters for the state of a cell of this variant: the values that differ from the model's variant of that
 * name. */
MT_NODISCARD mt_status mt_cell_state_parameters(
    mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *variant, const double **parameters);

/* Writes a state, completely or not at all (data/files/file.h). MT_NUMERICS if a number is not finite. MT_FILE if the file cannot be
 * written. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_state_write(const char *path, const mt_cell_state *state);

/* Writes a state with the parameters in which its cell, of this variant, differs from the model's variant of that name; ignores type and
 * parameters of `state`. Returns the errors of mt_cell_state_write. */
MT_NODISCARD mt_status mt_cell_state_save(
    const char *path, const mt_cell_variant *variant, const mt_cell_state *state);
