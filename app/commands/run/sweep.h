/* `myotile run --sweep`: a case with several values of one key, one run per value, and a table of all runs.
 *
 * The files of each value are identical to the files of `run --set key=value`, in a subfolder of the output folder. The table,
 * sweep.csv, is in the output folder and is rewritten after each run. Data that does not depend on the key is built once
 * (app/run/shared.h).
 *
 * All values are checked before the first run: that each case is valid, that its files exist, and, for cases on the mesh of the
 * first, that stimuli and points fit it. After that, a failed run does not prevent the next ones; it is reported at once and at the
 * end. A signal stops the current run as it stops a single one, and no other run begins. */
#pragma once

#include "app/cli/command.h"
#include "app/cli/table.h"

/* Executes the runs of the arguments of `run`, which contain --sweep, in and below this folder. Fails with MT_INPUT or MT_FILE
 * before any run if a value is invalid, with MT_STOPPED, or with MT_MEMORY. Otherwise returns the status of the first failed run. */
MT_NODISCARD mt_status mt_sweep(mt_arena *arena, const mt_arguments *arguments, const char *folder);
