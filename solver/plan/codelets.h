/* The codelets of a heart simulation on a tile, and their costs.
 *
 * The vectorised kernels compute the values (solver/cells/model.h, solver/kernels/ellpack.h). The cost is that of
 * the same equations on a tile: cells are distributed evenly over the workers, each at the cycles counted on its
 * source (ipu/tally/tally.h, codelets_tally.c here and the kernel file of the ionic model). The fields are in the
 * order of the enums. */
#pragma once

#include "ipu/graph/graph.h"
#include "ipu/cost/mix.h"
#include "solver/cells/model.h"
#include "solver/record.h"

/* One diffusion step of the tile's rows: out = D v + A v[column]. `v` holds the own cells, then the received cells. */
extern const ipu_codelet mt_codelet_pde;

/* Same as increments in double words (solver/kernels/ellpack.h): the low parts are kept between the diffusion steps
 * of a time step, but not after the last. `substep` counts them from 0. Context: const size_t *, the number of
 * diffusion steps per time step. */
extern const ipu_codelet mt_codelet_pde_double_word;

/* One reaction step of the tile's cells of a model; context: the mt_ode_context that the
 * codelet was created with. v_in and v_out may be the same elements.
 *   mixed      each cell has a variant, a row of `constants` selected by `of`; the context's constants are ignored. If all cells
 *              have one variant, its constants are compiled in; the cost does not depend on their values
 *   spread     s = share (v_out - v_in), then v_out = v_out + s (solver/diffusion/spreading.h)
 *   increments d = v_out - v_in, which spread to neighbours later (solver/plan/nodal_codelets.h); not with `spread`
 *   multirate  some cells are evaluated, the others keep their rate of change (solver/kernels/multirate.h). The cost depends on the
 *              number of evaluated cells; worker w of W visits the cells w, w + W, w + 2 W ... of the tile */
typedef struct mt_ode_context {
    const mt_cell_model *model;
    const float *constants; /* [n_constants] of the variant of all cells */
    double dt_ms;
    bool mixed, spread, multirate;
    double tolerance_mV; /* for multirate stepping */
    bool increments;
} mt_ode_context;
ipu_codelet mt_codelet_ode(const mt_ode_context *context);

/* Returns the worker cycles of one cell in such a step, in a vector its part; with multirate stepping, of a cell that is evaluated. */
double mt_codelet_ode_cycles(const ipu_target *target, const mt_ode_context *context);

/* Records the step from `before` to `v` (solver/record.h), then sets before = v and step = step + 1. With
 * spreading, first sets v = v - s. For the activation at 0 mV only: context const float *, dt_ms. For all: context
 * const mt_record_context *. */
typedef struct mt_record_context {
    mt_record record;
    double dt_ms;
} mt_record_context;
const ipu_codelet *mt_codelet_record(bool all, bool spread);

/* Frees elements between time steps (solver/record.h); at the beginning of a beat also sets step = 0. Two codelets
 * of equal cost, without context. */
const ipu_codelet *mt_codelet_free_elements(bool begins);

/* Adds `rise` to the v of the listed cells; context: const float *, the rise [mV]. */
extern const ipu_codelet mt_codelet_stimulus;

/* Same, in the listed cells with delay <= elapsed < delay + duration; in those with elapsed < delay <= elapsed + held, v between held_mV
 * and free_mV becomes held_mV. `elapsed` counts the steps of a window from 0, and is 0 again after it. Context: mt_delayed_context. */
typedef struct mt_delayed_context {
    float rise_mV, held_mV, free_mV;
    size_t duration, held, window; /* steps */
} mt_delayed_context;
extern const ipu_codelet mt_codelet_stimulus_delayed;

/* Returns the instruction counts from which a codelet's cost derives, or NULL for an unknown name: "pde",
 * "pde_double_word", "activation", "record", "turn", "stimulus", "stimulus_delayed"; with spreading "spread", "activation_spread" and
 * "record_spread"; "multirate" for a cell that is not evaluated; "nodal_increment", and those of
 * solver/plan/nodal_codelets.h. The counts of ionic models are in their table
 * rows. Names for implicit steps are in codelets_tally.c. */
const ipu_mix *mt_codelet_mix(const char *name);

/* Return the cycles of a vertex that applies the counted code to n elements, distributed evenly over the workers, `in_a_turn` elements
 * at once (ipu_mix_turns); the code size of such a codelet [bytes]; and the size of a vertex with n_fields fields [bytes]. */
ipu_cycles mt_codelet_cost(const ipu_target *target, const ipu_mix *mix, size_t n, size_t in_a_turn);
size_t mt_codelet_code_bytes(const ipu_mix *mix);
size_t mt_codelet_vertex_bytes(size_t n_fields);
