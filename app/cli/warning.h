/* Warnings: what the program says of work that goes on but may not be what its user meant. On standard error, one line each:
 *
 *     myotile: warning: FILE: KEY: found ...; usual ...
 *
 * They change neither results nor exit codes. What makes no sense at all is a failure, told where it is seen. */
#ifndef MT_APP_CLI_WARNING_H
#define MT_APP_CLI_WARNING_H

#include <stddef.h>

/* Writes one by printf's rules, what follows "myotile: warning: ": without a line end, at most 1023 characters. Clears the line
 * of mt_progress_stage first. */
void mt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes one note, "myotile: note: FILE: ...": how a file was understood. `text` has n characters. */
void mt_note(const char *file, const char *text, size_t n);

#endif
