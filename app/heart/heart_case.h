/* The automatic case of a heart (app/heart/heart_mesh.h): its settings, and its text, which explains them and can be edited and
 * run.
 *
 * - stimulus: at the apex of the left ventricle; without an anatomy at the lower end of the longest axis
 * - end: full activation, or at most 1.5 times the expected activation time (solver/tissue/arrival.h) with the conduction delay of
 *   the mesh; twice if the delay may be larger
 * - series: some 40 frames of Vm, for the report and ParaView
 * - discretisation: auto, with the CV error for which the mesh is refined
 * - ECG: if the electrodes have positions (solver/outputs/chest.h)
 *
 * With a conduction system the stimulus is at the upper end of its His bundle.
 *
 * A complete beat (mt_heart_case_choose with `beat`) differs in
 *
 * - stimuli, with anatomy: the earliest endocardial sites of a human heart (app/heart/heart_sites.h), and endocardia with twice the
 *   conduction velocity, unless there is a conduction system
 * - end: MT_HEART_BEAT_MS after the expected full activation
 * - cells, with layers: M cells on the endocardial side, epicardial cells in the rest of the wall; with a base: g_Ks decreases
 *   linearly from apex to base, by a factor MT_HEART_APEX_GKS. Both make T concordant with QRS
 * - maps: also repolarisation and APD */
#pragma once

#include <stdio.h>

#include "app/heart/heart_mesh.h"
#include "app/heart/heart_sites.h"
#include "solver/outputs/chest.h"

#define MT_HEART_BEAT_MS 420

/* Ratio of I_Ks in canine cells of the apex and of the base: 5.61 and 2.14 pA/pF (B. Szentadrassy et al., Cardiovasc. Res. 65, 851,
 * 2005; they also find more of its channel at the apex of human hearts). Endocardial M cells and such a gradient together produce
 * an upright T wave (J. Okada et al., Am. J. Physiol. 301, H200, 2011). The polarity of T is the same from a ratio of 2 on. */
#define MT_HEART_APEX_GKS 2.6

typedef struct mt_heart_case {
    bool beat;         /* true for a complete beat, including repolarisation */
    bool scanner_axes; /* true if the axes of the mesh are left, posterior, superior: for the electrodes */
    double accuracy_percent; /* of the choice of the discretisation */
    const char *title;
    const char *mesh;    /* path of its file */
    const char *network; /* path of the file of the conduction system; NULL: none */
    const mt_heart_mesh *heart;
    size_t n_sites; /* number of stimulated sites */
    mt_heart_site site[MT_HEART_SITES];
    double expected_ms, end_ms; /* expected full activation; end of the run */
    size_t n_electrodes;        /* 0: no ECG */
    mt_electrode electrode[MT_CHEST_ELECTRODES];
} mt_heart_case;

/* Chooses the case of a heart and reports each decision (mt_decision). `chosen`: has `beat`,
 * `scanner_axes`, `accuracy_percent` and `network`.
 * Keeps `title`, `mesh` and `heart`. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_heart_case_choose(
    const char *title, const char *mesh, const mt_heart_mesh *heart, mt_heart_case *chosen);

/* Writes the text of the case. `run_again`: the command that runs it. The stream stores its errors. */
void mt_heart_case_write(FILE *to, const mt_heart_case *chosen, const char *run_again);
