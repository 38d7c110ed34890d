/* Time series as CSV. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/results/time_csv.h"

Test(time_csv, each_time_has_one_row)
{
    const char *const names[] = {"I", "a, \"quoted\" one"};
    const double first[] = {0.1, -2}, second[] = {1.0 / 3, 0}, third[] = {NAN, -85.23f};
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    mt_time_csv_begin(stream, 2, names);
    mt_time_csv_add(stream, 0, 2, first);
    mt_time_csv_add(stream, 0.02, 2, second);
    mt_time_csv_add(stream, 0.04, 2, third);
    fclose(stream);
    cr_expect_str_eq(
        text, "time_ms,I,\"a, \"\"quoted\"\" one\"\n0,0.1,-2\n0.02,0.3333333,0\n0.04,,-85.23\n", "%s", text);
    free(text);
}
