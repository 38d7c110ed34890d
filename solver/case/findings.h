/* Findings: warnings (mt_warn) of what is unusual about a case, its mesh or its run. A case with findings runs, but may not mean what its
 * author meant. */
#pragma once

#include "mesh/adjacency.h"
#include "solver/case/parts.h"
#include "solver/monodomain.h"

/* A wave that activated an element less than this before the end is still on its way: slow waves need 5 ms for a mm. */
#define MT_FINDINGS_WAVE_MS 5

/* Waves that are less late or early than this are not worth a word. */
#define MT_FINDINGS_DELAY_PERCENT 5

/* Of a time that is no whole number of steps (MT_CASE_PART_OF_A_STEP): what it becomes. */
void mt_findings_of_time(const char *file, const char *key, double found_ms, size_t used_steps, double dt_ms);

/* Of a case by itself: values of the tissue, and of its regions, that are more than four times outside what was measured, and times
 * of stimuli and of prepace that are rounded to steps. */
void mt_findings_of_case(const char *path, const mt_case *input);

/* Of the mesh of a case: elements so large that waves are expected to be late or early by MT_FINDINGS_DELAY_PERCENT or more, as a root mean
 * square over all directions (solver/case/delay.h). A scheme that is neither the usual nor the plain one was not measured: that is said
 * of elements for which the plain one would be so far off. Of each region the tissue in which waves are farthest off is told, where that is farther than in
 * the tissue of the whole. MT_MEMORY. */
MT_NODISCARD mt_status mt_findings_of_mesh(const mt_case *input, const mt_case_parts *parts);

/* Of the places of a case, on the mesh of its live elements: a stimulus that covers more than half of the tissue's volume, and electrodes
 * farther from the mesh than MT_SCALE_FAR times its largest extent; the text suggests the unit (mesh/scale.h). */
void mt_findings_of_places(
    const char *path, const mt_case *input, const mt_mesh *mesh, const mt_monodomain *problem);

/* Of an operator, what changes the wave: one element in a hundred or more is limited, or elements share no face with any other.
 * `name` is the mesh's. */
void mt_findings_of_operator(const char *name, const mt_adjacency *adjacency, const mt_diffusion *diffusion);

/* Of a run that came to reached_ms: stimuli that activated none of their elements in the beat of their first pulse (needs
 * results->peak_mV), other pulses without capture (solver/capture.h; not of sites, which often are activated before), and a wave that is still on its way or came to some elements in no beat. Of the beats only the activation is needed, which is infinite in elements without one. */
void mt_findings_of_run(const char *path, const mt_case *input, const mt_monodomain *problem,
    const mt_results *results, double reached_ms);
