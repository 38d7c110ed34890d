/* The console: shows progress, warnings and decisions in a terminal or a log, and handles Ctrl-C.
 *
 * On a terminal, progress is one line, rewritten at most five times a second:
 *
 *     simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G cell-steps/s   0:21 left
 *
 * In a log (the stream is not a terminal) it is one line per minute, the first after a minute. A separate thread writes it, so work
 * that reports nothing in the meantime is shown, too:
 *
 *     myotile: building the diffusion operator: spectrum 38 % ... 2:00
 *     myotile: simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G cell-steps/s   0:21 left */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "data/core/status.h"

/* AUTO: a rewritten line on a terminal, separate lines elsewhere. */
typedef enum mt_console_mode {
    MT_CONSOLE_AUTO,
    MT_CONSOLE_NEVER,
    MT_CONSOLE_LINES,
    MT_CONSOLE_MODES
} mt_console_mode;

extern const char *const mt_console_mode_name[MT_CONSOLE_MODES];

/* Set how all later progress is shown; for tests, also the interval between lines and the minimum duration of reported stages.
 * Defaults: auto, 60 s, 10 s. */
void mt_console_choose(mt_console_mode mode);
void mt_console_choose_interval(double seconds);
void mt_console_choose_worth(double seconds);

typedef struct mt_console_work {
    FILE *stream;     /* borrowed until the end; NULL: silent */
    bool rewritten;   /* true if shown as the rewritten line of a terminal */
    const char *what; /* borrowed until the end */
    double total_ms;  /* simulated time at the end */
    double now_ms;    /* current simulated time, 0 <= now_ms <= total_ms */
    double element_steps;
    const char *counted; /* counted items, in place of simulated time ("floats", in millions), or NULL */
    double start_s;      /* host clock */
    double drawn_s;      /* host clock at the last drawn line */
} mt_console_work;

/* Registers the console as the listener of all work (data/core/progress.h). Messages, stages and progress are written to stderr,
 * decisions to `out` (kept), one line each:
 *
 *     myotile: warning: FILE: KEY: found ...; usual ...
 *     stimulus: apex at (-13.2, -3.6, -71.5) mm, 6 mm, 2 ms
 *
 * Messages of a silent rank (app/cli/ranks.h) are dropped. SIGINT, SIGTERM and SIGHUP end the program at once with exit code 128
 * plus their number, after incomplete files are removed (mt_file_abandon, mt_folder_abandon), or request a stop
 * (mt_progress_catch_interrupt). An ignored signal (nohup) stays ignored. */
void mt_console_listen(FILE *out);

/* Begins work on any stream, from 0 to total_ms of simulated time. */
mt_console_work mt_console_begin_on(FILE *stream, const char *what, double total_ms);

/* Reports the simulated time and the cell-steps computed since the beginning (0: unknown). Cheap enough for every step. */
void mt_console_update(mt_console_work *progress, double now_ms, double element_steps);

/* Replaces the line with a final one: the work done and its duration. Also called after an interrupt. */
void mt_console_end(mt_console_work *progress);

/* Writes the line at elapsed_s after the beginning to out[size], at most `columns` characters. Parts that do not fit are omitted,
 * the least important first. */
void mt_console_line(const mt_console_work *progress, double elapsed_s, int columns, char *out, size_t size);

/* Shows a stage before the simulation on any stream, borrowed until the next stage. On a terminal it is one line, replaced by the
 * next stage and by the progress of the work; in a log one line per minute. NULL clears it. If all stages before the work took ten
 * seconds or more, a line lists their durations:
 *
 *     myotile: ready in 0:38: getting the mesh 3.1 s, cutting the mesh for the tiles 9.8 s, laying it out 6.0 s */
void mt_console_stage_on(FILE *stream, const char *what);
