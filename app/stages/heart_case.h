/* The case of a heart that was made without a question (app/stages/heart_mesh.h): what is chosen for it, and its text, which says why and can
 * be edited and run.
 *
 *   stimulus   at the apex of the left ventricle; without an anatomy at the lower end of the longest axis
 *   end        when all is activated, at the latest 1.5 times when that is expected (solver/tissue/arrival.h), with waves as late as the mesh
 *              makes them; twice where they may be later
 *   series     some 40 frames of V, which show the wave in the report and in ParaView
 *   ECG        where the electrodes have places (solver/outputs/chest.h) */
#ifndef MT_APP_STAGES_HEART_CASE_H
#define MT_APP_STAGES_HEART_CASE_H

#include <stdio.h>

#include "app/stages/heart_mesh.h"
#include "solver/outputs/chest.h"
#include "solver/tissue/region.h"

typedef struct mt_heart_case {
    const char *title;
    const char *mesh; /* its file */
    const mt_heart_mesh *heart;
    mt_region stimulus;
    double expected_ms, end_ms; /* of full activation; and of the run */
    size_t n_electrodes;        /* 0: no ECG */
    mt_electrode electrode[MT_CHEST_ELECTRODES];
} mt_heart_case;

/* Chooses what the heart's case has, and says it in lines. `title`, `mesh` and `heart` are kept. MT_MEMORY. */
MT_NODISCARD mt_status mt_heart_case_choose(
    const char *title, const char *mesh, const mt_heart_mesh *heart, FILE *out, mt_heart_case *chosen);

/* Writes the text. `run_again` is the command that runs it. Failures stay with the stream. */
void mt_heart_case_write(FILE *to, const mt_heart_case *chosen, const char *run_again);

#endif
