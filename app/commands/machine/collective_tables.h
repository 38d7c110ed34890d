/* What is told of a collective that was done. */
#pragma once

#include "app/cli/table.h"
#include "app/commands/machine/collective.h"

enum { MT_COLLECTIVE_TABLES = 4 };

/* Gives in `arena` its tables: totals, the order of its rings, its steps, and its links. MT_MEMORY. */
MT_NODISCARD mt_status mt_collective_tables(mt_arena *arena, const mt_collective *collective,
    const ipu_engine *engine, mt_table tables[MT_COLLECTIVE_TABLES]);
