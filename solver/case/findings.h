/* Findings: warnings (mt_warn) about unusual properties of a case, its mesh or its run. The case runs, but may not mean what its author
 * intended. */
#pragma once

#include "mesh/adjacency.h"
#include "solver/case/parts.h"
#include "solver/monodomain.h"

/* Propagation is considered unfinished if it activated an element less than this before the end: slow wavefronts need 5 ms per mm. */
#define MT_FINDINGS_WAVE_MS 5

/* Delays below this are not reported. */
#define MT_FINDINGS_DELAY_PERCENT 5

/* Warns about a time that is not a whole number of steps (MT_CASE_PART_OF_A_STEP), with the value used. */
void mt_findings_of_time(const char *file, const char *key, double found_ms, size_t used_steps, double dt_ms);

/* Checks a case without its mesh: cells that beat without stimuli before the end; tissue values, also of regions, more than a factor of
 * four outside the measured range; times of stimuli and pre-pacing that are rounded to steps; and a sampling interval of electrodes that
 * is too long for QRS durations (solver/outputs/qrs.h). */
void mt_findings_of_case(const char *path, const mt_case *input);

/* Checks the mesh of a case for elements so large that a delay of MT_FINDINGS_DELAY_PERCENT or more is expected, early or late, as a root
 * mean square over all directions (solver/case/delay.h). Schemes other than the default and the plain one were not measured; the warning
 * says so, if the plain scheme would have such a delay. For each region the tissue with the largest delay is reported, if it exceeds that
 * of the default tissue; parts with a measured error are not reported. MT_MEMORY. */
MT_NODISCARD mt_status mt_findings_of_mesh(const mt_case *input, const mt_case_parts *parts);

/* Checks the places of a case on the mesh of its conducting elements: stimuli that cover more than half of the tissue's volume, and
 * electrodes farther from the mesh than MT_SCALE_FAR times its largest extent. The text suggests the unit (mesh/scale.h).
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_findings_of_places(
    const char *path, const mt_case *input, const mt_mesh *mesh, const mt_monodomain *problem);

/* Checks an operator for effects on propagation: at least one element in a hundred is limited, or elements share no face with any other.
 * `name`: of the mesh. */
void mt_findings_of_operator(const char *name, const mt_adjacency *adjacency, const mt_diffusion *diffusion);

/* Checks a run that ended at reached_ms: stimuli that activated none of their elements in the beat of their first pulse (needs
 * results->peak_mV), other pulses without capture (solver/capture.h; not at sites, which are often activated earlier), and propagation that
 * is unfinished or never reached some elements, with the place where it stopped. Only the activation of each beat is needed, infinite if
 * not activated. */
void mt_findings_of_run(const char *path, const mt_case *input, const mt_monodomain *problem,
    const mt_results *results, double reached_ms);
