/* Decisions: what a command that asks nothing has decided, on its standard output, one line each:
 *
 *     stimulus: apex at (-13.2, -3.6, -71.5) mm, 6 mm, 2 ms
 */
#ifndef MT_APP_CLI_DECISION_H
#define MT_APP_CLI_DECISION_H

#include <stdio.h>

/* Prints one by printf's rules at once: a stage of progress goes on below it. Failures stay with the stream. */
void mt_decision(FILE *out, const char *what, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes a count with its thousands apart, "5,806", and answers it. */
enum { MT_COUNT_TEXT = 32 };
const char *mt_count_text(double count, char text[MT_COUNT_TEXT]);

#endif
