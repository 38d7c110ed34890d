#include "app/cli/decision.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "app/cli/progress.h"

void mt_decision(FILE *out, const char *what, const char *format, ...)
{
    va_list arguments;
    mt_progress_clear_line();
    (void)fprintf(out, "%s: ", what);
    va_start(arguments, format);
    (void)vfprintf(out, format, arguments);
    va_end(arguments);
    (void)fputc('\n', out);
    (void)fflush(out);
}

const char *mt_count_text(double count, char text[MT_COUNT_TEXT])
{
    char digits[MT_COUNT_TEXT];
    const size_t n = (size_t)snprintf(digits, 24, "%.0f", fabs(count));
    size_t at = 0;
    for (size_t k = 0; k < n && n < 24; k++) {
        if (k > 0 && (n - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    text[at] = 0;
    return text;
}
