#include "data/core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/core/utf8.h"

enum { PATHS = 9000 }; /* two paths of PATH_MAX and a sentence, before long words are shortened */

static _Thread_local char message[1024];

mt_status mt_fail(mt_status code, const char *format, ...)
{
    char text[PATHS]; /* a copy, because the arguments may point to the message */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mt_utf8_shorten_words(text);
    const size_t n = mt_utf8_beginning(text, sizeof message - 1);
    memcpy(message, text, n);
    message[n] = 0;
    return code;
}

mt_status mt_fail_in(const char *where, mt_status status)
{
    if (status == MT_OK || status == MT_FILE || status == MT_STOPPED) return status;
    return mt_fail(status, "%s: %s", where, message);
}

const char *mt_message(void) { return message; }
