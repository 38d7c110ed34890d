/* Warnings: what is told of a case that runs but may not mean what its author meant. On standard error, one line each:
 *
 *     myotile: warning: FILE: KEY: found ...; usual ...
 *
 * They change neither results nor exit codes. What makes no sense at all is no warning but a failure, told where it is seen. */
#ifndef MT_APP_STAGES_WARNINGS_H
#define MT_APP_STAGES_WARNINGS_H

#include "mesh/mesh.h"
#include "solver/case.h"
#include "solver/monodomain.h"

/* A wave that activated something so shortly before the end is still on its way: slow ones need 5 ms for a mm. */
#define MT_WARNINGS_WAVE_MS 5

/* Writes one: all behind "myotile: warning: ", by printf's rules, without a line's end, at most 1023 characters. The line of
 * mt_progress_stage goes. */
void mt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what a time becomes that is no whole number of steps (MT_CASE_PART_OF_A_STEP); nothing where it is one. */
void mt_warn_of_time(const char *file, const char *key, double found_ms, size_t used_steps, double dt_ms);

/* Before a run, of the case by itself: values of the tissue that are more than four times outside what was measured, and
 * times of stimuli that are rounded to steps. */
void mt_warnings_of_case(const char *path, const mt_case *input);

/* Before a run: cells that are large for the width of the wave in the case's tissue. */
void mt_warnings_of_mesh(const mt_case *input, const mt_mesh *mesh);

/* After a run that came to reached_ms: stimuli that activated none of their cells (problem->peak_mV is there), and a wave that is
 * still on its way or has not come everywhere. activation_ms [n_cells] is infinite where not activated. */
void mt_warnings_of_run(const char *path, const mt_case *input, const mt_monodomain *problem,
    const double *activation_ms, double reached_ms);

#endif
