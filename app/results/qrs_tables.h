/* The QRS complexes of a run with electrodes (solver/outputs/qrs.h), as tables and as qrs.csv.
 *
 * Each beat of the record has one complex: the first one, if it has several stimuli. It is searched from the start of the beat to
 * MT_QRS_QUIET_MS after MT_RUN_QRS_PERCENT of the tissue that the beat activates is activated (few last elements of coarse meshes can be
 * late), or to the start of the next beat. T waves are later. The stimuli of solver/case/stimulated.h are skipped. A beat that activates
 * no tissue has no complex. */
#pragma once

#include "app/cli/table.h"
#include "app/run/run.h"
#include "solver/outputs/qrs.h"

enum { MT_RUN_QRS_PERCENT = 99 };

/* The complex of a beat. `by_activation`: true if the end of its search is that of the activation. */
typedef struct mt_run_complex {
    mt_qrs qrs;
    bool by_activation;
} mt_run_complex;

/* The complexes of a run. */
typedef struct mt_run_qrs {
    size_t n_leads, n_standard;    /* as in mt_qrs_record */
    const char *const *name;       /* [n_leads] */
    const mt_run_complex *of_beat; /* [n_beats] */
} mt_run_qrs;

/* Measures the complexes of all beats for run->qrs, in `arena`, if the run has samples of its electrodes. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_find_qrs(mt_arena *arena, mt_run *run);

/* Returns the duration of the complex of a beat; NaN without a complex, or without electrodes. */
double mt_run_qrs_duration_ms(const mt_run *run, size_t beat);

/* Builds the tables of a run with run->qrs. `complexes` has a row for each beat: onset and end with their reasons ("threshold",
 * "stimulus", "first sample", "last sample", or "activation" if the leads still change at the end of the search), durations, axis, and
 * transition. `leads` has the amplitudes and net areas of each standard lead and beat; without standard leads it has no rows. */
void mt_run_qrs_tables(mt_arena *arena, const mt_run *run, mt_table *complexes, mt_table *leads);
