/* An ECG as CSV: a header, time_ms and the names of the leads (time_ms,I,II,...,V6), and a row each time, all leads in mV. Every
 * number has the fewest digits that give the same double when read. */
#ifndef MT_APP_RESULTS_ECG_CSV_H
#define MT_APP_RESULTS_ECG_CSV_H

#include <stddef.h>
#include <stdio.h>

/* Write the header of n leads, and a row. Failures stay with the stream. */
void mt_ecg_csv_begin(FILE *stream, size_t n, const char *const *lead);
void mt_ecg_csv_add(FILE *stream, double time_ms, size_t n, const double *lead_mV);

#endif
