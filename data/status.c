#include "data/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[1024];

mt_status mt_fail(mt_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return code;
}

const char *mt_message(void) { return message; }
