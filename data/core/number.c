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
