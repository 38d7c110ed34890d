/* Progress of long work, for a person at a terminal or in a log; and what happens on Ctrl-C.
 *
 * On a terminal it is one line, rewritten at most five times a second:
 *
 *     simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G element-steps/s   0:21 left
 *
 * In a log (the stream is not a terminal) it is a line a minute, the first after a minute. A thread of its own writes it, so that
 * work that reports nothing meanwhile shows up, too:
 *
 *     myotile: building the diffusion operator: spectrum 38 % ... 2:00
 *     myotile: simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G element-steps/s   0:21 left
 */
#ifndef MT_APP_CLI_PROGRESS_H
#define MT_APP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "data/core/status.h"

/* auto: a line that is rewritten on a terminal, lines elsewhere. */
typedef enum mt_progress_mode { MT_PROGRESS_AUTO, MT_PROGRESS_NEVER, MT_PROGRESS_LINES } mt_progress_mode;

/* The value of the option --progress: "never", "auto" or "lines". MT_INPUT: another. */
MT_NODISCARD mt_status mt_progress_mode_parse(const char *text, mt_progress_mode *mode);

/* Chooses how all later progress is shown and, for tests, how often lines come and how long stages take that are told of. At first: auto,
 * every 60 s, 10 s. */
void mt_progress_choose(mt_progress_mode mode);
void mt_progress_choose_interval(double seconds);
void mt_progress_choose_worth(double seconds);

typedef struct mt_progress {
    FILE *stream;     /* borrowed until the end; NULL: silent */
    bool rewritten;   /* the one line of a terminal */
    const char *what; /* borrowed until the end */
    double total_ms;  /* simulated time to reach */
    double now_ms;    /* simulated time reached, 0 <= now_ms <= total_ms */
    double element_steps;
    const char *counted; /* mt_progress_begin_counting; NULL: none */
    double start_s;      /* host clock */
    double drawn_s;      /* host clock of the newest line */
} mt_progress;

/* The host clock: seconds since an arbitrary moment. */
double mt_now_s(void);

/* Work that goes from 0 to total_ms of simulated time, shown on stderr. */
mt_progress mt_progress_begin(const char *what, double total_ms);

/* The same on any stream. */
mt_progress mt_progress_begin_on(FILE *stream, const char *what, double total_ms);

/* Work that counts things where others simulate time: `counted` names them ("floats"; borrowed until the end), and the total and what is
 * reported as simulated time are in millions of them. Shown on stderr. */
mt_progress mt_progress_begin_counting(const char *what, const char *counted, double millions);

/* Reports simulated time, and elements times steps computed since the beginning (0: not known). Cheap enough for every step. */
void mt_progress_update(mt_progress *progress, double now_ms, double element_steps);

/* Replaces the line by a last one that says what was done and how long it took. Also after an interrupt. */
void mt_progress_end(mt_progress *progress);

/* Writes the line for elapsed_s after the beginning into out[size]: at most `columns` characters; parts that do not fit are
 * left out, the least important first. */
void mt_progress_line(const mt_progress *progress, double elapsed_s, int columns, char *out, size_t size);

/* Shows what is being done before there is any simulated time: on a terminal one line on stderr, replaced by the next stage and
 * by the progress of the work itself; in a log a line a minute. NULL clears it. If all stages before the work took ten seconds or
 * more, a line tells what each took:
 *
 *     myotile: ready in 0:38: getting the mesh 3.1 s, cutting the mesh for the tiles 9.8 s, laying it out 6.0 s
 */
void mt_progress_stage(const char *what);
/* The same on any stream, borrowed until the next. */
void mt_progress_stage_on(FILE *stream, const char *what);

/* Clears the line of a terminal so that something else can be printed; the stage goes on. */
void mt_progress_clear_line(void);

/* Shows which part of the stage is being done (a text that lives on), and how much of the part is done, 0 to 1. Cheap. */
void mt_progress_stage_part(const char *part, double done);

/* From now on SIGINT, SIGTERM and SIGHUP end the program at once, with exit code 128 plus their number. Half-written files are
 * removed (mt_file_abandon), and so is a folder made for them (mt_folder_abandon). A signal that is ignored (nohup) stays
 * ignored. */
void mt_progress_leave_on_interrupt(void);

/* From now on the first of these signals only sets a flag, for work that checks it and ends by itself, and prints `message` (a line
 * between two line ends, which lives on; NULL: nothing); the second one ends the program as above. */
void mt_progress_catch_interrupt(const char *message);

/* Has such a signal come? And its number, 0 for none. */
bool mt_progress_interrupted(void);
int mt_progress_signal(void);

#endif
