#include "app/results/time_csv.h"

#include <math.h>

#include "data/files/csv.h"

void mt_time_csv_begin(FILE *stream, size_t n, const char *const *column)
{
    (void)fputs("time_ms", stream);
    for (size_t k = 0; k < n; k++) {
        (void)fputc(',', stream);
        mt_csv_field(stream, column[k]);
    }
    (void)fputc('\n', stream);
}

void mt_time_csv_add(FILE *stream, double time_ms, size_t n, const double *value)
{
    (void)fprintf(stream, "%.10g", time_ms);
    for (size_t k = 0; k < n; k++)
        (void)(isnan(value[k]) ? fputc(',', stream) : fprintf(stream, ",%.7g", value[k]));
    (void)fputc('\n', stream);
}
