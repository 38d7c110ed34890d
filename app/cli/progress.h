/* Progress of long work, for a person at a terminal or for a log; and Ctrl-C, asked for instead of suffered.
 *
 * On a terminal it is one line, rewritten at most five times a second:
 *
 *     simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G cell-steps/s   0:21 left
 *
 * In a log (the stream is no terminal) it is a line a minute, the first after a minute, written by a thread of its own, so
 * that work which tells nothing meanwhile is seen, too:
 *
 *     myotile: building the diffusion operator: spectrum 38 % ... 2:00
 *     myotile: simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G cell-steps/s   0:21 left
 */
#ifndef MT_APP_CLI_PROGRESS_H
#define MT_APP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "data/status.h"

/* auto: a line that is rewritten on a terminal, lines elsewhere. */
typedef enum mt_progress_mode { MT_PROGRESS_AUTO, MT_PROGRESS_NEVER, MT_PROGRESS_LINES } mt_progress_mode;

/* The value of the option --progress: "never", "auto" or "lines". MT_INPUT: another. */
MT_NODISCARD mt_status mt_progress_mode_parse(const char *text, mt_progress_mode *mode);

/* How all that follows is told; and, for tests, how often lines come. At first it is auto, every 60 s. */
void mt_progress_choose(mt_progress_mode mode);
void mt_progress_choose_interval(double seconds);

typedef struct mt_progress {
    FILE *stream;     /* borrowed until the end; NULL: silent */
    bool rewritten;   /* the one line of a terminal */
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
 * one and by the progress of the work itself; in a log, a line a minute. NULL takes it away. */
void mt_progress_stage(const char *what);
/* The same on any stream, borrowed until the next. */
void mt_progress_stage_on(FILE *stream, const char *what);

/* Takes the line of a terminal away for something else to be said; the stage goes on. */
void mt_progress_clear_line(void);

/* What is being done within the stage (lives on), and how much of that has been, 0 to 1. Cheap. */
void mt_progress_stage_part(const char *part, double done);

/* From now on SIGINT, SIGTERM and SIGHUP end the program at once, with exit code 128 and their number; files that are half
 * written go (mt_file_abandon), and so does a folder made for them (mt_folder_abandon). A signal that is ignored (nohup)
 * stays ignored. */
void mt_progress_leave_on_interrupt(void);

/* From now on they only set a flag, for work that ends by itself then, and say `message` (a line between two line ends; lives on; NULL: nothing);
 * the second of them ends the program as above. */
void mt_progress_catch_interrupt(const char *message);

/* Has the person said stop? And the number of the signal that said it, 0 for none. */
bool mt_progress_interrupted(void);
int mt_progress_signal(void);

#endif
