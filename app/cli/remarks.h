/* The remarks behind the values of a YAML file, where the numbers of data/machines have their sources:
 *
 *     exchange:
 *       sync_cycles: 126   # specified: target description,
 *                          #   largest delay of a sync
 *
 * The remark of the value in line 2 is "specified" and "target description, largest delay of a sync". A remark continues in the
 * lines that hold nothing but a remark and begin to the right of where the value's line begins. The lines of values come from
 * data/yaml/yaml_node.h. */
#pragma once

#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* The lines of a text. */
typedef struct mt_remarks {
    const char **line; /* where each begins; borrowed */
    size_t n;
} mt_remarks;

/* Gives the lines of a text that ends with a NUL, which is borrowed for as long. MT_MEMORY. */
MT_NODISCARD mt_status mt_remarks_begin(mt_arena *arena, const char *text, mt_remarks *remarks);

/* Gives the remark of the value in a line (from 1) in two parts: *known is one of measured, specified, derived, assumed, and *source
 * what follows its colon. If the remark does not begin with such a word, *known is NULL and *source all of it; if there is no
 * remark, or no such line, both are NULL. MT_MEMORY. */
MT_NODISCARD mt_status mt_remark_of_line(
    mt_arena *arena, const mt_remarks *remarks, size_t line, const char **known, const char **source);
