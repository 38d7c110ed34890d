/* Progress of long work, for a person at a terminal; and Ctrl-C, asked for instead of suffered.
 *
 * Not a log: where the stream is no terminal (a pipe, a file) nothing is ever written. On a terminal it is
 * one line, rewritten at most five times a second:
 *
 *     simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G cell-steps/s   0:21 left
 */
#ifndef MT_APP_PROGRESS_H
#define MT_APP_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct mt_progress {
    FILE *stream;     /* borrowed until the end; NULL: silent */
    const char *what; /* borrowed until the end */
    double total_ms;  /* simulated time that is to be reached */
    double now_ms;    /* simulated time reached, 0 <= now_ms <= total_ms */
    double cell_steps;
    double start_s; /* host clock */
    double drawn_s; /* host clock of the newest line */
} mt_progress;

/* The host clock, in seconds from some moment on. */
double mt_now_s(void);

/* Work that goes from 0 to total_ms of simulated time, shown on stderr. */
mt_progress mt_progress_begin(const char *what, double total_ms);

/* The same on any stream. */
mt_progress mt_progress_begin_on(FILE *stream, const char *what, double total_ms);

/* Where the work stands: simulated time, and cells times steps computed since the beginning (0: not told).
 * Cheap: may be called every step. */
void mt_progress_update(mt_progress *progress, double now_ms, double cell_steps);

/* Replaces the line by a last one that says what was done and in what time, and ends it. Also after an
 * interrupt. */
void mt_progress_end(mt_progress *progress);

/* The line as it stands elapsed_s after the beginning, at most `columns` characters (parts that find no room
 * are left out, the least needed first), in out[size] with its final 0. */
void mt_progress_line(const mt_progress *progress, double elapsed_s, int columns, char *out, size_t size);

/* Says what is being done before there is any simulated time: one line on stderr if that is a terminal, replaced by the next
 * one and by the progress of the work itself. NULL takes it away. */
void mt_progress_stage(const char *what);
/* The same on any stream. */
void mt_progress_stage_on(FILE *stream, const char *what);

/* From now on SIGINT and SIGTERM end the program at once, with the exit code of MT_STOPPED; a file that is half written
 * goes (mt_file_abandon). A signal that is ignored (nohup) stays ignored. */
void mt_progress_leave_on_interrupt(void);

/* From now on SIGINT and SIGTERM only set a flag, for work that ends by itself then; the second of them ends the program
 * as above. */
void mt_progress_catch_interrupt(void);

/* Has the person said stop? */
bool mt_progress_interrupted(void);

#endif
