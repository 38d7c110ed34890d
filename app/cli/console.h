/* The console: shows progress, warnings and decisions to a person at a terminal or in a log, and handles Ctrl-C.
 *
 * On a terminal progress is one line, rewritten at most five times a second:
 *
 *     simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G element-steps/s   0:21 left
 *
 * In a log (the stream is not a terminal) it is a line a minute, the first after a minute. A thread of its own writes it, so that
 * work that reports nothing meanwhile shows up, too:
 *
 *     myotile: building the diffusion operator: spectrum 38 % ... 2:00
 *     myotile: simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G element-steps/s   0:21 left
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "data/core/status.h"

/* auto: a line that is rewritten on a terminal, lines elsewhere. */
typedef enum mt_console_mode {
    MT_CONSOLE_AUTO,
    MT_CONSOLE_NEVER,
    MT_CONSOLE_LINES,
    MT_CONSOLE_MODES
} mt_console_mode;

extern const char *const mt_console_mode_name[MT_CONSOLE_MODES];

/* Chooses how all later progress is shown and, for tests, how often lines come and how long stages take that are told of. At first: auto,
 * every 60 s, 10 s. */
void mt_console_choose(mt_console_mode mode);
void mt_console_choose_interval(double seconds);
void mt_console_choose_worth(double seconds);

typedef struct mt_console_work {
    FILE *stream;     /* borrowed until the end; NULL: silent */
    bool rewritten;   /* the one line of a terminal */
    const char *what; /* borrowed until the end */
    double total_ms;  /* simulated time to reach */
    double now_ms;    /* simulated time reached, 0 <= now_ms <= total_ms */
    double element_steps;
    const char *counted; /* things, in place of simulated time ("floats", in millions); NULL: none */
    double start_s;      /* host clock */
    double drawn_s;      /* host clock of the newest line */
} mt_console_work;

/* Registers the console for the reports of all work (data/core/progress.h): messages, stages and progress go to stderr, decisions to `out`
 * (kept), one line each:
 *
 *     myotile: warning: FILE: KEY: found ...; usual ...
 *     stimulus: apex at (-13.2, -3.6, -71.5) mm, 6 mm, 2 ms
 *
 * On a rank that is silent (app/cli/ranks.h) messages are dropped. SIGINT, SIGTERM and SIGHUP end the program at once with exit code 128
 * plus their number, after half-written files were removed (mt_file_abandon, mt_folder_abandon), or request a stop
 * (mt_progress_catch_interrupt). A signal that is ignored (nohup) stays ignored. */
void mt_console_listen(FILE *out);

/* Begins work on any stream that goes from 0 to total_ms of simulated time. */
mt_console_work mt_console_begin_on(FILE *stream, const char *what, double total_ms);

/* Reports simulated time, and elements times steps computed since the beginning (0: not known). Cheap enough for every step. */
void mt_console_update(mt_console_work *progress, double now_ms, double element_steps);

/* Replaces the line by a last one that says what was done and how long it took. Also after an interrupt. */
void mt_console_end(mt_console_work *progress);

/* Writes the line for elapsed_s after the beginning into out[size]: at most `columns` characters; parts that do not fit are
 * left out, the least important first. */
void mt_console_line(const mt_console_work *progress, double elapsed_s, int columns, char *out, size_t size);

/* Shows on any stream, borrowed until the next stage, what is being done before there is any simulated time: on a terminal one line, replaced
 * by the next stage and by the progress of the work itself; in a log a line a minute. NULL clears it. If all stages before the work took ten
 * seconds or more, a line tells what each took:
 *
 *     myotile: ready in 0:38: getting the mesh 3.1 s, cutting the mesh for the tiles 9.8 s, laying it out 6.0 s
 */
void mt_console_stage_on(FILE *stream, const char *what);
