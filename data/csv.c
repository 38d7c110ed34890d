#include "data/csv.h"

#include <string.h>

void mt_csv_field(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fputs(text, stream);
        return;
    }
    (void)fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') (void)fputc('"', stream);
        (void)fputc(*text, stream);
    }
    (void)fputc('"', stream);
}
