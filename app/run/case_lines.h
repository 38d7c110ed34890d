/* Two cases compared line by line: "path.to.key: value", as mt_yaml_write_lines writes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/hash.h"

/* A line without its line break, borrowed; `text` is NULL and `n` 0 if there is no line. */
typedef struct mt_case_line {
    const char *text;
    size_t n;
} mt_case_line;

/* True if two cases differ in a key that affects any of `affects` (flags of mt_affects). Returns in `before` and `now` the first lines that
 * differ; one is empty if its case has no more lines. */
bool mt_case_lines_differ(
    const char *was, const char *is, unsigned affects, mt_case_line *before, mt_case_line *now);

/* Computes the fingerprint of the lines with keys that affect any of `affects`. MT_MEMORY. */
MT_NODISCARD mt_status mt_case_lines_hash(const char *lines, unsigned affects, char text[MT_HASH_SIZE]);
