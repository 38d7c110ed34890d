/* The state of one cell in a file: where a cell that was paced for long stands, so that others can begin there.
 *
 *     # The state of a cell, by myotile.
 *     model: tp06
 *     type: "epi"
 *     dt_ms: 0.02
 *     bcl_ms: 1000         # left out where the cell was not paced
 *     beats: 100
 *     v_mV: -85.35
 *     parameters:          # those that are not the type's own; left out where there are none
 *       g_Ks: 0.196 # nS/pF
 *     states:
 *       Xr1: 0.00020718
 *       ...
 *       Ca_i: 0.000103 # mM
 *
 * Every state of the model stands there by its name, and no other. Numbers have as many digits, up to 17, as it takes to read the
 * same double back. */
#pragma once

#include "data/core/arena.h"
#include "solver/cells/model.h"

typedef struct mt_cell_state {
    const mt_cell_model *model;
    const char *type;         /* the name of the cell's variant; it need not be one of the model's */
    const double *parameters; /* [n_parameters]; NaN: as the type has it */
    double dt_ms, bcl_ms;     /* bcl NaN: not paced */
    size_t beats;
    double v_mV;
    const double *states; /* [n_states] in the model's order */
} mt_cell_state;

/* Reads one; gives it in `arena`. MT_INPUT with file, line and key: an unknown model, a state that the model lacks, one that is
 * missing, a number that is none, V outside -200 .. 200 mV. MT_FILE: it cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_state_read(mt_arena *arena, const char *path, mt_cell_state *state);

/* Gives in `arena` the parameters of a state of such a cell: those that differ from the model's own variant of that name. */
MT_NODISCARD mt_status mt_cell_state_parameters(
    mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *variant, const double **parameters);

/* Writes one: whole, or not at all (data/files/file.h). MT_NUMERICS: a number is not finite. MT_FILE: it cannot be written.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_state_write(const char *path, const mt_cell_state *state);
