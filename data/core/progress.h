/* Progress, warnings and decisions of long operations, and requests to stop them.
 *
 * A library reports through these functions and prints nothing. The program registers one listener for the process
 * (app/cli/console.h); a thread can have another one (app/library/myotile.h). Without a listener reports are dropped and no stop is
 * requested. Texts are borrowed for the call unless stated otherwise. A listener has at most one stage and one operation of known length
 * at a time. Warnings change neither results nor statuses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"

/* Receives reports. Each member corresponds to the function of the same name below; NULL: such reports are dropped. */
typedef struct mt_listener {
    void (*message)(const char *kind, const char *text); /* "warning" or "note"; one line without line end */
    void (*decision)(const char *what, const char *text);
    void (*stage)(const char *what);
    void (*part)(const char *part, double done);
    void (*begin)(const char *what, const char *counted, double total);
    void (*update)(double now, double element_steps);
    void (*end)(void);
    void (*defer_stop)(const char *message);
    void (*stop_at_once)(void);
    int (*stop_signal)(void);
} mt_listener;

/* Registers a listener, which must remain valid until it is replaced; NULL: no listener. Call it while no operation is
 * running. */
void mt_listen(const mt_listener *listener);

/* The same for reports of this thread only, which then do not reach the listener of the process; NULL: they do. Worker threads of
 * OpenMP are other threads. */
void mt_listen_here(const mt_listener *listener);

/* Reports a probable mistake in at most 1023 characters (printf format): "FILE: KEY: found ...; usual ...". */
void mt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports how a file was interpreted. `text` has n characters. */
void mt_note(const char *file, const char *text, size_t n);

/* Warnings and notes in the order of their reports. */
typedef struct mt_message_line {
    bool is_note;
    const char *text;
    struct mt_message_line *next; /* NULL: the last */
} mt_message_line;

typedef struct mt_messages {
    mt_arena *arena; /* of the lines and texts; kept */
    mt_message_line *first, *last;
    struct mt_messages *outer; /* the list that received before */
} mt_messages;

/* From now on warnings and notes of this thread are added to an empty list instead of being reported, until mt_messages_end. Calls can be
 * nested: the innermost list receives. Keeps the list. A message for which there is no memory is reported. */
void mt_messages_begin(mt_messages *list, mt_arena *arena);
void mt_messages_end(mt_messages *list);

/* Adds a copy of a text to a list. MT_MEMORY. */
MT_NODISCARD mt_status mt_messages_add(mt_messages *list, bool is_note, const char *text);

/* Reports all messages of a list, in order. */
void mt_messages_report(const mt_messages *list);

/* Reports an automatic decision (printf format), such as "stimulus" and "apex at (-13.2, -3.6, -71.5) mm, ...". */
void mt_decision(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begins a stage of unknown length and ends the previous one. NULL: only ends the previous one. */
void mt_progress_stage(const char *what);

/* Reports the current part of the stage (a text of static lifetime) and the completed fraction of the part, 0 to 1. Cheap. */
void mt_progress_stage_part(const char *part, double done);

/* Begins an operation from 0 to total_ms of simulated time. Keeps `what` until mt_progress_end. */
void mt_progress_begin(const char *what, double total_ms);

/* Begins an operation that counts items: `counted` names them ("floats"; kept until mt_progress_end). The arguments for simulated
 * time are then millions of items. */
void mt_progress_begin_counting(const char *what, const char *counted, double millions);

/* Reports simulated time, and elements times steps computed since the beginning (0: unknown). Cheap enough for every step. */
void mt_progress_update(double now_ms, double element_steps);

/* Ends the operation, complete or not. */
void mt_progress_end(void);

/* From now on the first signal only requests a stop: the operation checks mt_progress_interrupted, ends early and keeps its
 * results. `message` (of static lifetime; NULL: no message) is printed then. A second signal ends the program. */
void mt_progress_catch_interrupt(const char *message);

/* From now on a signal ends the program immediately. */
void mt_progress_exit_on_interrupt(void);

/* Returns the number of the signal that requested a stop; 0: no stop requested. */
int mt_progress_signal(void);

/* True if a stop was requested. */
bool mt_progress_interrupted(void);

/* Returns the host's clock in seconds since an arbitrary moment. */
double mt_now_s(void);
