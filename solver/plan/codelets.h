/* What a tile computes: the codelets of a heart simulation, with what they cost.
 *
 * The work is done by the vectorised kernels (solver/cells/model.h, solver/kernels/ellpack.h); the cost is that of the same
 * equations on a tile: cells shared out evenly among the workers, each at the cycles counted on its source
 * (ipu/tally/tally.h, codelets_tally.c here and the kernel file of the cell model). Field order is that of the enums. */
#pragma once

#include "ipu/graph/graph.h"
#include "ipu/cost/mix.h"
#include "solver/cells/model.h"
#include "solver/record.h"

/* One diffusion step of the tile's rows: out = D v + A v[column]. `v` holds the own cells, then those
 * received. */
extern const ipu_codelet mt_codelet_pde;

/* The same as increments in double words (solver/kernels/ellpack.h): low parts are kept from one diffusion step of a time step to the next, and not
 * behind the last. `substep` counts them, from 0 on. Context: const size_t *, how many a time step has. */
extern const ipu_codelet mt_codelet_pde_double_word;

/* One reaction step of the tile's cells of a model; context: mt_ode_context, which says the same of `mixed` and `spread`. v_in and
 * v_out may be the same elements.
 *   mixed   each cell has its own variant, which `of` holds: a row of `constants`; the context's constants are not looked at. Where
 *           all cells are of one, the codelet is compiled with its constants, which costs the same whatever they are
 *   spread  s = share (v_out - v_in), then v_out = v_out + s (solver/diffusion/spreading.h)
 *   multirate  some cells are evaluated, the others go on as they were found to (solver/kernels/multirate.h). What it takes depends on how
 *              many are; worker w of W looks at the cells w, w + W, w + 2 W ... of the tile */
typedef struct mt_ode_context {
    const mt_cell_model *model;
    const float *constants; /* [n_constants] of the variant of all cells */
    double dt_ms;
    bool mixed, spread, multirate;
    double tolerance_mV; /* of multirate stepping */
} mt_ode_context;
ipu_codelet mt_codelet_ode(const mt_ode_context *context);

/* The record of the step from `before` to `v` (solver/record.h); then before = v and step = step + 1. With spreading v = v - s comes
 * first. Only the activation, at 0 mV: context const float *, dt_ms. All: context const mt_record_context *. */
typedef struct mt_record_context {
    mt_record record;
    double dt_ms;
} mt_record_context;
const ipu_codelet *mt_codelet_record(bool all, bool spread);

/* Between time steps: makes free the elements that are to be (solver/record.h); where a beat begins, step = 0. Two codelets of the same
 * cost. Without context. */
const ipu_codelet *mt_codelet_turn(bool begins);

/* v += rise on the listed cells; context: const float *, the rise [mV]. */
extern const ipu_codelet mt_codelet_stimulus;

/* The counts behind a codelet's cost: "pde", "pde_double_word", "activation", "record", "turn", "stimulus", and "spread", "activation_spread" and
 * "record_spread" of the spreading, and "multirate" of the look at a cell that is not evaluated; NULL for another name. Those of a cell model's step
 * stand in its row. Those of implicit steps are named as in codelets_tally.c. */
const ipu_mix *mt_codelet_mix(const char *name);

/* What a vertex takes that does this to n elements, shared out evenly among the workers; the bytes of such a codelet; and those of a vertex
 * with so many fields. */
ipu_cycles mt_codelet_cost(const ipu_target *target, const ipu_mix *mix, size_t n);
size_t mt_codelet_code_bytes(const ipu_mix *mix);
size_t mt_codelet_vertex_bytes(size_t n_fields);
