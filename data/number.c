#include "data/number.h"

#include <stdio.h>
#include <stdlib.h>

void mt_number_text(double x, char out[MT_NUMBER_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(out, MT_NUMBER_SIZE, "%.*g", digits, x);
        if (strtod(out, NULL) == x) return;
    }
}
