/* `machine allreduce --sweep`: time of a collective against vector size, on each possible topology of the chips, by the fastest
 * method of each. Prisms are included only if --machine-set does not change the links. */
#pragma once

#include "app/cli/table.h"

/* Computes all times (mt_collective_cycles), writes the optional table and picture, and prints the table. Fails with MT_INPUT if
 * options exclude a sweep, or if there are more sizes than positions in a chart. Fails with MT_FIT if vectors do not fit the tiles. */
MT_NODISCARD mt_status mt_allreduce_sweep(mt_arena *arena, const mt_arguments *arguments);
