/* myotile run --sweep: a case with several values of one key, one run after the other, and a table over all of them.
 *
 * Each value's files are those of `run --set key=value`, byte for byte, in a folder of its own below the output folder; there stands
 * sweep.csv, the table, which is renewed after each run. What does not depend on the key is made once (app/run/shared.h).
 *
 * Before the first run all values are checked: that each is a case, that its files are there, and, of those on the first one's mesh,
 * that stimuli and points fit it. Then a run that fails does not keep the next ones from being made; it is told at once, and at the end.
 * A signal ends the run that is under way as it would end it alone, and no other begins. */
#pragma once

#include "app/cli/command.h"
#include "app/cli/table.h"

/* Makes the runs of the arguments of `run`, which have --sweep, in and below this folder. MT_INPUT, MT_FILE: a value makes no sense,
 * and nothing was run; or, as every other status, that of the first run that failed. MT_STOPPED. MT_MEMORY. */
MT_NODISCARD mt_status mt_sweep(mt_arena *arena, const mt_arguments *arguments, const char *folder);
