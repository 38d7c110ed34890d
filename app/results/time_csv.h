/* What changes with time as CSV: a header, time_ms and the names of the columns (time_ms,I,II,...,V6), and a row each time. Times have
 * ten digits, so that sums of decimals look as they should, other numbers seven, about what single precision has; no number, nothing. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Write the header of n columns, and a row. Failures stay with the stream. */
void mt_time_csv_begin(FILE *stream, size_t n, const char *const *column);
void mt_time_csv_add(FILE *stream, double time_ms, size_t n, const double *value);
