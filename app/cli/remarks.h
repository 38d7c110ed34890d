/* Remarks after the values of a YAML file; in data/machines they contain the sources of the numbers:
 *
 *     exchange:
 *       sync_cycles: 126         # specified: target description,
 *                                # largest delay of a sync
 *
 * The remark of the value in line 2 has the parts "specified" and "target description, largest delay of a sync". It continues in
 * lines that contain only a remark and are indented further than the value's line. The line numbers of values come from
 * data/yaml/yaml_node.h. */
#pragma once

#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* The lines of a text. */
typedef struct mt_remarks {
    const char **line; /* their first characters; borrowed */
    size_t n;
} mt_remarks;

/* Splits a NUL-terminated text into lines; borrows the text. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_remarks_begin(mt_arena *arena, const char *text, mt_remarks *remarks);

/* Returns the remark of the value in a line, counted from 1, in two parts. *known is "measured", "specified", "derived" or
 * "assumed"; *source is the text after its colon. If the remark begins with another word, *known is NULL and *source the complete
 * remark. Without a remark, or without such a line, both are NULL. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_remark_of_line(
    mt_arena *arena, const mt_remarks *remarks, size_t line, const char **known, const char **source);
