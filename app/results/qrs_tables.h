/* The QRS complexes of a run with electrodes (solver/outputs/qrs.h), as tables and as qrs.csv.
 *
 * Each beat of the record has one complex: the first one, if it has several stimuli. It is searched from the start of the beat to
 * MT_QRS_QUIET_MS after MT_RUN_QRS_PERCENT of the tissue that the beat activates is activated (few last elements of coarse meshes can be
 * late), or to the start of the next beat. T waves are later. The stimuli of solver/case/stimulated.h are skipped. A beat that activates
 * no tissue has no complex. */
#pragma once

#include "app/cli/table.h"
#include "app/run/run.h"

enum { MT_RUN_QRS_PERCENT = 99 };

/* True if the run has samples of its electrodes. */
bool mt_run_has_qrs(const mt_run *run);

/* Builds the tables of a run with such samples. `complexes` has a row for each beat: onset and end with their reasons ("threshold",
 * "stimulus", "first sample", "last sample", or "activation" if the leads still change at the end of the search), durations, axis, and
 * transition. `leads` has the amplitudes and net areas of each standard lead and beat; without standard leads it has no rows. MT_FILE.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_run_qrs_tables(
    mt_arena *arena, const mt_run *run, mt_table *complexes, mt_table *leads);

/* Computes the durations of the complexes of all beats, NaN without a complex. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_qrs_durations(const mt_run *run, double *duration_ms);
