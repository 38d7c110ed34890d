/* The case of a heart that was made without a question (app/heart/heart_mesh.h): what is chosen for it, and its text, which says why and can
 * be edited and run.
 *
 *   stimulus   at the apex of the left ventricle; without an anatomy at the lower end of the longest axis
 *   end        when all is activated, at the latest 1.5 times when that is expected (solver/tissue/arrival.h), with waves as late as the mesh
 *              makes them; twice where they may be later
 *   series     some 40 frames of V, which show the wave in the report and in ParaView
 *   ECG        where the electrodes have places (solver/outputs/chest.h)
 *
 * A complete beat (mt_heart_case_choose with `beat`) has instead
 *
 *   stimuli    of a heart with anatomy: the earliest endocardial sites of a human heart (app/heart/heart_sites.h)
 *   endocardia that conduct twice as fast, as the Purkinje network is not in the mesh
 *   end        MT_HEART_BEAT_MS after all is expected to be activated
 *   cells      of a heart with layers: M cells on the endocardial side, epicardial cells in the rest of the wall; of a heart with a base:
 *              g_Ks at the apex MT_HEART_APEX_GKS times that at the base, falling linearly. Both make T concordant with QRS
 *   maps       repolarisation and APD also */
#pragma once

#include <stdio.h>

#include "app/heart/heart_mesh.h"
#include "app/heart/heart_sites.h"
#include "solver/outputs/chest.h"

#define MT_HEART_BEAT_MS 420

/* I_Ks of canine cells from the apex over that of cells from the base: 5.61 and 2.14 pA/pF (B. Szentadrassy et al., Cardiovasc. Res. 65,
 * 851, 2005, who find more of its channel at the apex in human hearts, too). That M cells on the endocardial side and such a gradient
 * together make T upright is a result of J. Okada et al., Am. J. Physiol. 301, H200, 2011. The sign of T is the same from 2 on. */
#define MT_HEART_APEX_GKS 2.6

typedef struct mt_heart_case {
    bool beat; /* complete, through repolarisation */
    const char *title;
    const char *mesh; /* its file */
    const mt_heart_mesh *heart;
    size_t n_sites; /* with stimuli */
    mt_heart_site site[MT_HEART_SITES];
    double expected_ms, end_ms; /* of full activation; and of the run */
    size_t n_electrodes;        /* 0: no ECG */
    mt_electrode electrode[MT_CHEST_ELECTRODES];
} mt_heart_case;

/* Chooses the heart's case and reports each choice (mt_decision). `beat`: a complete one. Keeps `title`, `mesh` and `heart`. MT_MEMORY. */
MT_NODISCARD mt_status mt_heart_case_choose(
    const char *title, const char *mesh, const mt_heart_mesh *heart, bool beat, mt_heart_case *chosen);

/* Writes the text. `run_again` is the command that runs it. Failures stay with the stream. */
void mt_heart_case_write(FILE *to, const mt_heart_case *chosen, const char *run_again);
