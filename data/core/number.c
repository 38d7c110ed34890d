#include "data/core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mt_number_text(double x, char out[MT_NUMBER_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(out, MT_NUMBER_SIZE, "%.*g", digits, x);
        if (strtod(out, NULL) == x) return;
    }
}

bool mt_number_read(const char *text, double *x)
{
    char *end;
    if (!*text || text[strspn(text, "+-.0123456789eE")]) return false;
    *x = strtod(text, &end);
    return *end == 0 && isfinite(*x);
}

const char *mt_number_count_text(double count, char text[MT_NUMBER_SIZE])
{
    char digits[MT_NUMBER_SIZE];
    const size_t n = (size_t)snprintf(digits, 24, "%.0f", fabs(count));
    size_t at = 0;
    for (size_t k = 0; k < n && n < 24; k++) {
        if (k > 0 && (n - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    text[at] = 0;
    return text;
}
