/* CSV by RFC 4180. */
#pragma once

#include <stdio.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* Writes one field, in quotes if it contains a comma, a quote or a line end; quotes are doubled. Stream errors stay set in the
 * stream.
 *
 * A spreadsheet executes a text that begins with = + - @ or a tab as a formula. Such a text, unless it is a number or a single
 * character, is written after an apostrophe, which makes spreadsheets treat it as text. A text that begins with apostrophes and
 * would otherwise be such a text gets one more. mt_csv_read removes it. */
void mt_csv_field(FILE *stream, const char *text);

/* The contents of a file with a header. */
typedef struct mt_csv {
    size_t n_columns, n_rows;
    const char **column; /* [n_columns] */
    const char **cell;   /* [n_rows][n_columns] */
} mt_csv;

/* Reads a file into `arena`. Skips a byte order mark, and empty lines at the end if there are several columns. Removes the apostrophe
 * before texts that spreadsheets would execute (mt_csv_field). MT_FILE: the file cannot be read. MT_INPUT: the file is empty, columns are
 * separated by semicolons or tabs, a row and the header differ in length, a quote is not closed or is followed by a byte other than a comma
 * or a line end, or a byte is 0; the message reports the file, the line and the text found. MT_MEMORY. */
MT_NODISCARD mt_status mt_csv_read(mt_arena *arena, const char *path, mt_csv *csv);

/* Returns the index of the column of this name; n_columns if there is no such column. */
size_t mt_csv_find(const mt_csv *csv, const char *column);

/* Returns the number in a cell; NaN if the cell does not contain a number. */
double mt_csv_number(const mt_csv *csv, size_t row, size_t column);
