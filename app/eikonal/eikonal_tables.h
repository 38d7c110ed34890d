/* The tables of an eikonal map. */
#pragma once

#include "app/cli/table.h"
#include "app/eikonal/eikonal_comparison.h"

enum { MT_EIKONAL_TABLES = 6 };

/* Builds the tables in `arena`, complete or with an error: a summary; CV of each kind of cells in each tissue; the stimuli with their
 * latencies; the conduction network, if any; activation at the points, if any; the comparison, unless it is NULL. Returns their number. */
size_t mt_eikonal_tables(mt_arena *arena, const mt_eikonal_map *map, const mt_eikonal_comparison *comparison,
    const char *compared, mt_table tables[MT_EIKONAL_TABLES]);
