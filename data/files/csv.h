/* CSV by RFC 4180. */
#pragma once

#include <stdio.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* Writes one field, in quotes if it has a comma, a quote or a line end; quotes are doubled. Failures of the stream stay with it.
 *
 * A spreadsheet executes a text that begins with = + - @ or a tab as a formula. Such a text, unless it is a number or a single
 * character, gets an apostrophe before it, which spreadsheets take as "this is a text"; so does one that begins with apostrophes and then
 * would be such a text. mt_csv_read removes it. */
void mt_csv_field(FILE *stream, const char *text);

/* A file with a header. */
typedef struct mt_csv {
    size_t n_columns, n_rows;
    const char **column; /* [n_columns] */
    const char **cell;   /* [n_rows][n_columns] */
} mt_csv;

/* Reads a file; all is in `arena`. The apostrophe of a text that spreadsheets would execute (mt_csv_field) is removed. MT_FILE: it cannot be
 * read. MT_INPUT: it is empty, a row has more or fewer fields than the header, a quote is not closed or followed by other bytes than a
 * comma or a line end, a byte is 0; the message names file, line and what was found. MT_MEMORY. */
MT_NODISCARD mt_status mt_csv_read(mt_arena *arena, const char *path, mt_csv *csv);

/* Which column has this name; n_columns: none. */
size_t mt_csv_find(const mt_csv *csv, const char *column);

/* The number in a cell; NaN where it is none. */
double mt_csv_number(const mt_csv *csv, size_t row, size_t column);
