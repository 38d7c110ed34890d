/* The values of a sweep: the text path.to.key=A,B,C of --sweep, taken apart.
 *
 * Commas part values, but those within brackets, braces or quotes. Blanks around a value are not part of it. Each value has a name for its
 * folder: the last part of the key and the value, "edge_mm=0.2", with '_' in place of what no name of a file may have. */
#pragma once

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_SWEEP_NAME_MAX = 200 }; /* bytes of the longest name */

typedef struct mt_sweep_value {
    const char *text; /* "0.2" */
    const char *set;  /* "mesh.slab.edge_mm=0.2" */
    const char *name; /* "edge_mm=0.2" */
} mt_sweep_value;

typedef struct mt_sweep_values {
    const char *key; /* its last part */
    size_t n;
    mt_sweep_value *value; /* [n] as they were given */
} mt_sweep_values;

/* Gives the values of a text in `arena`. MT_INPUT: it has no key or no values, one is empty, two are the same or have the same name, or a
 * name is too long. MT_MEMORY. */
MT_NODISCARD mt_status mt_sweep_values_read(mt_arena *arena, const char *text, mt_sweep_values *values);
