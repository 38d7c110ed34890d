/* Two cases compared line by line: "path.to.key: value", as mt_yaml_write_lines writes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A line, without its end; `text` is NULL and `n` 0 if there is none. Borrowed. */
typedef struct mt_case_line {
    const char *text;
    size_t n;
} mt_case_line;

/* True if two cases differ in a key that affects any of `affects` (flags of mt_affects). Returns the first two lines that do: an empty
 * one of a case that has no more lines. */
bool mt_case_lines_differ(
    const char *was, const char *is, unsigned affects, mt_case_line *before, mt_case_line *now);
