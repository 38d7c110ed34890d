#include "app/results/ecg_csv.h"

#include "app/cli/table.h"
#include "data/number.h"

void mt_ecg_csv_begin(FILE *stream, size_t n, const char *const *lead)
{
    (void)fputs("time_ms", stream);
    for (size_t k = 0; k < n; k++) {
        (void)fputc(',', stream);
        mt_table_csv_field(stream, lead[k]);
    }
    (void)fputc('\n', stream);
}

void mt_ecg_csv_add(FILE *stream, double time_ms, size_t n, const double *lead_mV)
{
    char number[MT_NUMBER_SIZE];
    mt_number_text(time_ms, number);
    (void)fputs(number, stream);
    for (size_t k = 0; k < n; k++) {
        mt_number_text(lead_mV[k], number);
        (void)fprintf(stream, ",%s", number);
    }
    (void)fputc('\n', stream);
}
