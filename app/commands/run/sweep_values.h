/* Values of a sweep, parsed from the text path.to.key=A,B,C of --sweep.
 *
 * Commas separate values, except within brackets, braces or quotes. Blanks around a value are ignored. Each value has a name for
 * its folder: the last part of the key and the value, "edge_mm=0.2", with '_' in place of characters that file names exclude. */
#pragma once

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_SWEEP_NAME_MAX = 200 }; /* maximum bytes of a name */

typedef struct mt_sweep_value {
    const char *text; /* "0.2" */
    const char *set;  /* "mesh.slab.edge_mm=0.2" */
    const char *name; /* "edge_mm=0.2" */
} mt_sweep_value;

typedef struct mt_sweep_values {
    const char *key; /* the last part of the key */
    size_t n;
    mt_sweep_value *value; /* [n] in the given order */
} mt_sweep_values;

/* Parses the values of a text in `arena`. Fails with MT_INPUT if there is no key or no value, if a value is empty, if two values or
 * their names are equal, or if a name is too long. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_sweep_values_read(mt_arena *arena, const char *text, mt_sweep_values *values);
