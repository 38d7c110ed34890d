#include "data/core/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const mt_listener *of_process;
static _Thread_local const mt_listener *of_thread;
static _Thread_local mt_messages *collecting; /* innermost list; NULL: messages are reported */

void mt_listen(const mt_listener *to) { of_process = to; }
void mt_listen_here(const mt_listener *to) { of_thread = to; }

/* Returns the listener of this thread's reports; NULL: there is none. */
static const mt_listener *listener_here(void) { return of_thread ? of_thread : of_process; }

enum { TEXT = 1024, DECISION = 16384 /* may contain paths */ };

/* Adds a message to the innermost list, or reports it. */
static void report(bool is_note, const char *text)
{
    const mt_listener *listener = listener_here();
    if (collecting && mt_messages_add(collecting, is_note, text) == MT_OK) return;
    if (listener && listener->message) listener->message(is_note ? "note" : "warning", text);
}

void mt_warn(const char *format, ...)
{
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report(false, text);
}

void mt_note(const char *file, const char *text, size_t n)
{
    char line[TEXT + 512];
    (void)snprintf(line, sizeof line, "%s: %.*s", file, (int)n, text);
    report(true, line);
}

void mt_messages_begin(mt_messages *list, mt_arena *arena)
{
    *list = (mt_messages){.arena = arena, .outer = collecting};
    collecting = list;
}

void mt_messages_end(mt_messages *list) { collecting = list->outer; }

mt_status mt_messages_add(mt_messages *list, bool is_note, const char *text)
{
    mt_message_line *line;
    MT_ALLOC(list->arena, line, 1);
    line->is_note = is_note;
    line->text = mt_arena_text(list->arena, text);
    if (!line->text) return MT_MEMORY;
    if (list->last)
        list->last->next = line;
    else
        list->first = line;
    list->last = line;
    return MT_OK;
}

void mt_messages_report(const mt_messages *list)
{
    for (const mt_message_line *line = list->first; line; line = line->next)
        report(line->is_note, line->text);
}

void mt_decision(const char *what, const char *format, ...)
{
    const mt_listener *listener = listener_here();
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
    const mt_listener *listener = listener_here();
    if (listener && listener->stage) listener->stage(what);
}

void mt_progress_stage_part(const char *part, double done)
{
    const mt_listener *listener = listener_here();
    if (listener && listener->part) listener->part(part, done);
}

void mt_progress_begin(const char *what, double total_ms)
{
    mt_progress_begin_counting(what, NULL, total_ms);
}

void mt_progress_begin_counting(const char *what, const char *counted, double millions)
{
    const mt_listener *listener = listener_here();
    if (listener && listener->begin) listener->begin(what, counted, millions);
}

void mt_progress_update(double now_ms, double element_steps)
{
    const mt_listener *listener = listener_here();
    if (listener && listener->update) listener->update(now_ms, element_steps);
}

void mt_progress_end(void)
{
    const mt_listener *listener = listener_here();
    if (listener && listener->end) listener->end();
}

void mt_progress_catch_interrupt(const char *message)
{
    const mt_listener *listener = listener_here();
    if (listener && listener->defer_stop) listener->defer_stop(message);
}

void mt_progress_exit_on_interrupt(void)
{
    const mt_listener *listener = listener_here();
    if (listener && listener->stop_at_once) listener->stop_at_once();
}

int mt_progress_signal(void)
{
    const mt_listener *listener = listener_here();
    return listener && listener->stop_signal ? listener->stop_signal() : 0;
}

bool mt_progress_interrupted(void) { return mt_progress_signal() != 0; }

double mt_now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
