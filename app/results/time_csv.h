/* Time series as CSV: a header with time_ms and the names of the columns (time_ms,I,II,...,V6), and a row for each time. Times have ten
 * digits, so that sums of decimal steps print exactly. Other numbers have seven, about the digits of single precision. NaN is an empty
 * cell. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Write the header of n columns, and a row. The caller checks the stream for write errors. */
void mt_time_csv_begin(FILE *stream, size_t n, const char *const *column);
void mt_time_csv_add(FILE *stream, double time_ms, size_t n, const double *value);
