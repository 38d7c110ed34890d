/* An ECG as CSV. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "app/results/ecg_csv.h"

Test(ecg_csv, a_row_a_time_and_a_column_a_lead)
{
    const char *const leads[] = {"I", "a, \"quoted\" one"};
    const double first[] = {0.1, -2}, second[] = {1.0 / 3, 0};
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    mt_ecg_csv_begin(stream, 2, leads);
    mt_ecg_csv_add(stream, 0, 2, first);
    mt_ecg_csv_add(stream, 0.02, 2, second);
    fclose(stream);
    cr_expect_str_eq(
        text, "time_ms,I,\"a, \"\"quoted\"\" one\"\n0,0.1,-2\n0.02,0.3333333333333333,0\n", "%s", text);
    free(text);
}
