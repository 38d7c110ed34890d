/* machine allreduce --sweep: how long a collective takes by size, on all shapes that the chips can have, each by its fastest method.
 * Prisms are among them only where --machine-set leaves links as they are. */
#pragma once

#include "app/cli/table.h"

/* Times everything (mt_collective_cycles), writes the table and the picture where these were asked for, and prints the table. MT_INPUT:
 * options that do not go with a sweep; more sizes than a chart has places. MT_FIT: vectors that do not fit the tiles. */
MT_NODISCARD mt_status mt_allreduce_sweep(mt_arena *arena, const mt_arguments *arguments);
