/* Several runs of an ensemble at once, in worker processes (app/commands/run/workers.h) of this computer or of several ranks. */
#pragma once

#include "app/commands/run/ensemble_state.h"

enum { MT_ENSEMBLE_JOBS_MAX = 1024 };

/* Executes the runs in s->jobs processes, until all are done or a signal arrives. With s->ranks, rank 0 calls it after
 * mt_ensemble_share. */
MT_NODISCARD mt_status mt_ensemble_run_at_once(mt_ensemble_state *s);

/* Copies to all ranks the data that only rank 0 has: folder, number of members that are not complete, and the members to resume.
 * Collective, unless s->ranks is NULL. Fails with MT_INPUT on a rank that has read other members, or with MT_MEMORY. */
MT_NODISCARD mt_status mt_ensemble_share(mt_ensemble_state *s);

/* Executes runs on another rank than 0, after mt_ensemble_share. Returns the errors of `mt_workers_serve`. */
MT_NODISCARD mt_status mt_ensemble_serve(mt_ensemble_state *s);
