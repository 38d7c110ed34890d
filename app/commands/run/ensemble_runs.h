/* The runs of the members of an ensemble: reading, checking and executing them, in any process, and recording their ends. */
#pragma once

#include "app/commands/run/ensemble_state.h"

/* Puts the line of the table before the message of a failure, unless it begins with it. Returns `status`. */
MT_NODISCARD mt_status mt_ensemble_fail_at(const mt_ensemble_state *s, size_t k, mt_status status);

/* Reads the case with the values of member k. `resumed`: folder with its checkpoint, or NULL. */
MT_NODISCARD mt_status mt_ensemble_read_run(
    mt_arena *arena, const mt_ensemble_state *s, size_t k, const char *resumed, mt_one_run *r);

/* Reads the case of the ensemble into s->base: that of the first member, without the default values of members (output.report). Fails as
 * mt_one_run_read. */
MT_NODISCARD mt_status mt_ensemble_read_base(mt_ensemble_state *s);

/* Adds messages to those of member k, except those on files that an earlier command left in its folder, which are reported at once.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_ensemble_add_messages(mt_ensemble_state *s, size_t k, const mt_messages *added);

/* Builds the shared data of the first member, and checks all others on its mesh. Only the messages of a failure are reported: the runs
 * repeat the others. */
MT_NODISCARD mt_status mt_ensemble_check_runs(mt_ensemble_state *s);

/* Executes run k. `row`: its results, in `arena`, if there are any. */
MT_NODISCARD mt_status mt_ensemble_make_run(
    mt_arena *arena, mt_ensemble_state *s, size_t k, mt_member_row *row);

/* Records the end of run k with this status and message, whose results are in its row, and writes the table. */
MT_NODISCARD mt_status mt_ensemble_note_end(
    mt_ensemble_state *s, size_t k, mt_status status, const char *why);
