/* `myotile run --ensemble` and `--sweep`: many variants of a case (app/commands/run/members.h), one run for each, and a table of all.
 *
 * The files of each member are identical to the files of `run --set ...` with its values, in a subfolder of the output folder. The table,
 * ensemble.csv or sweep.csv, is in the output folder and is rewritten after each run. An ensemble also has a picture and a page
 * (app/results/ensemble_picture.h, app/report/ensemble_page.h). `output.report` and `output.pictures` of its members are false unless --set
 * or the table states them.
 *
 * All members are checked before the first run: that each case is valid, that its files exist, and, for cases on the mesh of the
 * first, that stimuli and points fit it. After that, a failed run does not prevent the others; it is reported at once and at the
 * end. A signal stops the current runs as it stops a single one, and no other run begins.
 *
 * Data that does not depend on the varied keys is built once for consecutive runs (app/run/shared.h); therefore members with the same
 * mesh, operator and mapping run one after another. Several runs at once (--jobs) are in processes (app/commands/run/workers.h), each
 * with its share of the threads and its own shared data. On several ranks (app/cli/ranks.h) each rank has one such process, and executes a
 * complete run at a time; no run is shared among ranks. The order and the number of processes change no file.
 *
 * Warnings and notes of the members are reported at the end, as one list (app/results/ensemble_messages.h). Each member has the messages
 * of its single run, also if another member built the shared data, so that the list does not depend on the order either.
 *
 * A repeated command does not repeat members that are complete (app/results/member_file.h). Others are repeated, or resumed from
 * their checkpoints. */
#pragma once

#include "app/cli/command.h"
#include "app/cli/table.h"

/* Executes the runs of the arguments of `run`, which contain --sweep or --ensemble, in and below this folder. All ranks call it.
 * Fails with MT_INPUT or MT_FILE before any run if a member is invalid, with MT_STOPPED, or with MT_MEMORY. Otherwise returns the status of
 * the first failed run. */
MT_NODISCARD mt_status mt_ensemble(mt_arena *arena, const mt_arguments *arguments, const char *folder);
