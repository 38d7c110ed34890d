/* CSV by RFC 4180. */
#ifndef MT_DATA_CSV_H
#define MT_DATA_CSV_H

#include <stdio.h>

/* One field: quoted where a comma, a quote or a line end is inside; a quote doubled. Failures of the stream stay with it. */
void mt_csv_field(FILE *stream, const char *text);

#endif
