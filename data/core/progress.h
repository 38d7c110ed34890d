/* Progress, warnings and decisions of long work, and requests to stop it.
 *
 * A library reports through these functions and prints nothing. The program registers one listener for the process (app/cli/console.h).
 * Without a listener reports are dropped and no stop is requested. Texts are borrowed for the call, except where a member says otherwise.
 * A process has at most one stage and one work of known length at a time. Warnings change neither results nor statuses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Receives reports. Each function corresponds to the one of the same name below; NULL: such reports are dropped. */
typedef struct mt_listener {
    void (*message)(const char *kind, const char *text); /* "warning" or "note"; one line without its end */
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

/* Registers a listener, which is kept for ever; NULL: none. Call it while no work is under way. */
void mt_listen(const mt_listener *listener);

/* Reports what may not be meant, by printf's rules, in at most 1023 characters: "FILE: KEY: found ...; usual ...". */
void mt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports how a file was understood. `text` has n characters. */
void mt_note(const char *file, const char *text, size_t n);

/* Reports what was decided where nothing was asked, by printf's rules: "stimulus" and "apex at (-13.2, -3.6, -71.5) mm, ...". */
void mt_decision(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begins a stage of unknown length, which ends the stage before it. NULL: ends it only. */
void mt_progress_stage(const char *what);

/* Reports which part of the stage is being done (a text that lives on), and how much of the part is done, 0 to 1. Cheap. */
void mt_progress_stage_part(const char *part, double done);

/* Begins work from 0 to total_ms of simulated time. Keeps `what` until mt_progress_end. */
void mt_progress_begin(const char *what, double total_ms);

/* Begins work that counts things: `counted` names them ("floats"; kept until mt_progress_end); what is reported as simulated time is in
 * millions of them. */
void mt_progress_begin_counting(const char *what, const char *counted, double millions);

/* Reports simulated time, and elements times steps computed since the beginning (0: unknown). Cheap enough for every step. */
void mt_progress_update(double now_ms, double element_steps);

/* Ends the work, complete or not. */
void mt_progress_end(void);

/* From now on the first signal only requests a stop: work checks mt_progress_interrupted, ends by itself and keeps its results. `message`
 * (which lives on; NULL: none) is printed then. A second signal ends the program. */
void mt_progress_catch_interrupt(const char *message);

/* From now on a signal ends the program at once. */
void mt_progress_leave_on_interrupt(void);

/* Returns the number of the signal that requested a stop; 0: none. */
int mt_progress_signal(void);

/* Was a stop requested? */
bool mt_progress_interrupted(void);

/* Returns the host's clock: seconds since an arbitrary moment. */
double mt_now_s(void);
