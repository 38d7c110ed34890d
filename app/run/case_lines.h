/* Two cases beside each other, line by line: "path.to.key: value", as mt_yaml_write_lines gives them. */
#ifndef MT_APP_RUN_CASE_LINES_H
#define MT_APP_RUN_CASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* A line, without its end; text NULL: there is none. Borrowed. */
typedef struct mt_case_line {
    const char *text;
    size_t n;
} mt_case_line;

/* May cases differ in this line? It ends with a line end or a NUL. */
typedef bool mt_case_line_free(const char *line);

/* Do the lines of two cases differ, other than in those that may? Gives the first two that do: of a case that has no more lines, none. */
bool mt_case_lines_differ(
    const char *was, const char *is, mt_case_line_free *may, mt_case_line *before, mt_case_line *now);

/* Does the line begin with one of these, the last of which is NULL? */
bool mt_case_line_begins(const char *line, const char *const *begins);

#endif
