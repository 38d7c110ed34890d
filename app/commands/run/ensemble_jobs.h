/* Several runs of an ensemble at once, in worker processes (app/commands/run/workers.h). */
#pragma once

#include "app/commands/run/ensemble_state.h"

enum { MT_ENSEMBLE_JOBS_MAX = 1024 };

/* Executes the runs in s->jobs processes, until all are done or a signal arrives. */
MT_NODISCARD mt_status mt_ensemble_run_at_once(mt_ensemble_state *s);
