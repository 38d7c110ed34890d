#include "app/cli/warning.h"

#include <stdarg.h>
#include <stdio.h>

#include "app/cli/progress.h"
#include "app/cli/ranks.h"
#include "data/core/utf8.h"

/* Prints as one line, whatever names of files brought into it. */
static void print(const char *kind, char *text)
{
    if (!mt_ranks_speaks()) return;
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
    mt_utf8_shorten_words(text);
    mt_progress_clear_line();
    (void)fprintf(stderr, "myotile: %s: %s\n", kind, text);
}

void mt_warn(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print("warning", text);
}

void mt_note(const char *file, const char *text, size_t n)
{
    char line[1536];
    (void)snprintf(line, sizeof line, "%s: %.*s", file, (int)n, text);
    print("note", line);
}
