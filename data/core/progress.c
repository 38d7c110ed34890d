#include "data/core/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const mt_listener *listener;

void mt_listen(const mt_listener *to) { listener = to; }

enum { TEXT = 1024, DECISION = 16384 /* may contain paths */ };

void mt_warn(const char *format, ...)
{
    char text[TEXT];
    va_list arguments;
    if (!listener || !listener->message) return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    listener->message("warning", text);
}

void mt_note(const char *file, const char *text, size_t n)
{
    char line[TEXT + 512];
    if (!listener || !listener->message) return;
    (void)snprintf(line, sizeof line, "%s: %.*s", file, (int)n, text);
    listener->message("note", line);
}

void mt_decision(const char *what, const char *format, ...)
{
    char text[DECISION];
    va_list arguments;
    if (!listener || !listener->decision) return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    listener->decision(what, text);
}

void mt_progress_stage(const char *what)
{
    if (listener && listener->stage) listener->stage(what);
}

void mt_progress_stage_part(const char *part, double done)
{
    if (listener && listener->part) listener->part(part, done);
}

void mt_progress_begin(const char *what, double total_ms)
{
    mt_progress_begin_counting(what, NULL, total_ms);
}

void mt_progress_begin_counting(const char *what, const char *counted, double millions)
{
    if (listener && listener->begin) listener->begin(what, counted, millions);
}

void mt_progress_update(double now_ms, double element_steps)
{
    if (listener && listener->update) listener->update(now_ms, element_steps);
}

void mt_progress_end(void)
{
    if (listener && listener->end) listener->end();
}

void mt_progress_catch_interrupt(const char *message)
{
    if (listener && listener->defer_stop) listener->defer_stop(message);
}

void mt_progress_exit_on_interrupt(void)
{
    if (listener && listener->stop_at_once) listener->stop_at_once();
}

int mt_progress_signal(void) { return listener && listener->stop_signal ? listener->stop_signal() : 0; }

bool mt_progress_interrupted(void) { return mt_progress_signal() != 0; }

double mt_now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
