/* The functions of V in a cell's step, which tables can contain (solver/cells/tabulated.h).
 *
 * A function of V depends on V, constants and the time step alone. With multirate stepping the step of the states differs between cells: a
 * rate is then a function of V, the decay exp(-rate dt) is not. Of nested functions the outermost is chosen that is smooth enough for a
 * table, with the parameters of the file, and that costs more than reading a table. exp(-rate dt) is 1 + f with the function
 * f = exp(-rate dt) - 1, of which all digits matter. */
#pragma once

#include "solver/cells/graph/system.h"

typedef struct mt_functions_of_v {
    size_t n;
    mt_node *node;   /* [n] */
    mt_node *output; /* [n_outputs] the outputs, in which the functions are nodes */
} mt_functions_of_v;

/* Finds the functions in output[n_outputs] for time steps up to dt_ms. MT_MEMORY. */
MT_NODISCARD mt_status mt_functions_of_v_find(mt_arena *arena, mt_system *system, double dt_ms,
    bool multirate, size_t n_outputs, const mt_node *output, mt_functions_of_v *found);
