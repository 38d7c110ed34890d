/* A conduction system in progress: its voltages and cells, and their time steps.
 *
 * In a time step of the problem, before that of the tissue, whose voltages V_i at the coupled unknowns are given, the cables take
 * mt_conduction.steps steps of a length dt:
 *
 *    1. one implicit step (backward Euler), from w = V + d with the increments d of V in the last step of the cells, which is the
 *       compensation of the splitting (a = 1 in solver/monodomain.h):
 *
 *           (C / dt + G + H) x = -G w + sum_i h_i (V_i - w),      V becomes V + x,      W = w + x at the free ends
 *
 *       with G the conductances of the cables and h_i those of the junctions, H their sum at a free end. x is exactly 0 at rest. The
 *       equations are solved by elimination (solver/conduction/elimination.h);
 *    2. V_i changes by dt h_i / C_i (W - V_i): the tissue gains the charge that the cables lose;
 *    3. stimulated points get dt * rise_mV_ms added to V;
 *    4. every point takes a step of the ionic model; with multirate stepping some points (solver/kernels/multirate.h). A machine can
 *       take it together with that of the tissue, which follows.
 *
 * Activations are recorded at the beginning of the time step, the end of the previous one: at a point after the first implicit step, which
 * completes it, and at a junction for the mean of the V_i with weights h_i. An activation is the first time since the beginning of the
 * beat that V passes the threshold upwards, after it was below MT_CONDUCTION_FREE_mV. Interpolated linearly in the time step of the
 * problem.
 *
 * The result does not depend on the number of threads: chains are independent, and sums have a fixed order. In single precision subnormal
 * numbers are flushed, as in the tissue.
 *
 * A system is computed by the host, or by a backend (mt_conducting_move), to the same bits. */
#pragma once

#include "solver/conduction/conducting_functions.h"

typedef struct mt_conducting {
    const mt_conduction *conduction;
    double dt_ms;     /* time step of the problem */
    size_t n_places;  /* points, then junctions */
    size_t beat_step; /* first step of the beat */
    /* computes the system: its functions and their data */
    const mt_conducting_functions *functions;
    void *part;
    /* as of the last mt_conducting_step or mt_conducting_look */
    double
        *activation_ms; /* [n_places] since the beginning of the run, of the current beat; infinite: none */
    double *v_mV;       /* [n_points] after the step of the cells */
    double *places;     /* [n_places] scratch */
    double *tissue_mV;  /* [junctions.n_unknowns] V_i after the last step */
} mt_conducting;

/* Opens a system at its initial state. dt_ms: time step of the problem. Borrows all. MT_MEMORY. */
MT_NODISCARD mt_status mt_conducting_open(
    mt_arena *arena, const mt_conduction *conduction, double dt_ms, bool single, mt_conducting *conducting);

/* Takes the time step `step` of the problem: reads tissue_mV and sets conducting->tissue_mV, both [junctions.n_unknowns]. */
void mt_conducting_step(mt_conducting *conducting, size_t step, const double *tissue_mV);

/* Copies V of the points at the beginning of the last time step, [n_points]: that of the records, which an implicit step has completed. */
void mt_conducting_voltages(const mt_conducting *conducting, double *v_mV);

/* Reads activation_ms and v_mV. */
void mt_conducting_look(mt_conducting *conducting);

/* Begins a beat with this step: forgets the activations. */
void mt_conducting_begin_beat(mt_conducting *conducting, size_t step);

/* Lets `part` compute the system from now on: copies the state to it. */
void mt_conducting_move(mt_conducting *conducting, const mt_conducting_functions *functions, void *part);

/* The state is an array of numbers for each of V, the states of the model and mt_paced with multirate stepping, and d, [points] each, then
 * the recorded ones, [n_places] each. Return the number of arrays; name, unit and length of one. */
size_t mt_conducting_arrays(const mt_conduction *conduction);
mt_cell_quantity mt_conducting_array(const mt_conduction *conduction, size_t array, size_t *length);

/* Returns the number of all numbers of the state; copy them in the order of the arrays. */
size_t mt_conducting_size(const mt_conduction *conduction);
void mt_conducting_save(const mt_conducting *conducting, double *values);
void mt_conducting_restore(mt_conducting *conducting, const double *values);

/* Copy an array of the state from and to a system of the same precision; exact. */
void mt_conducting_read(const mt_conducting *conducting, size_t array, double *values);
void mt_conducting_write(mt_conducting *conducting, size_t array, const double *values);

/* What a junction did in a beat, by activation times: of the free end, of the point inside its cable (mt_junctions.inside), of the tissue
 * (the mean of the V_i, see above), and of each unknown around it (mt_junctions.near).
 *
 * A wavefront in the cable was antegrade if the point inside was activated before the free end; else it came through the junction. A
 * passage is a wavefront on one side that continues on the other one within MT_PASSAGE_LONGEST_MS:
 *
 *     antegrade   the tissue was activated, and more than MT_PASSAGE_SHARE of the volume around the junction, within that time of the free
 *                 end. Around are the coupled unknowns and their neighbours: where a coarse mesh has one unknown at a junction, its
 *                 activation alone is no passage, because the wavefront can end there
 *     retrograde  the free end was activated, and the point inside within that time of the tissue. The mean of the tissue can be activated
 *                 after the free end, which a part of the tissue excites
 *     collision   the wavefront was antegrade, and the tissue was activated from elsewhere, more than MT_PASSAGE_BEFORE_MS before the free
 *                 end. The volume does not count
 *     failed      none of these, in the direction of the wavefront or, if the times of both sides differ by more, from the first side
 *     open        the same, but the first side was activated less than MT_PASSAGE_LONGEST_MS before the end of the beat or run. Such a
 *                 junction has neither passed nor failed
 *
 * The host evaluates the rule, from recorded times alone. */
typedef enum mt_passage {
    MT_PASSAGE_NONE, /* neither side was activated */
    MT_PASSAGE_ANTEGRADE,
    MT_PASSAGE_RETROGRADE,
    MT_PASSAGE_ANTEGRADE_FAILED,
    MT_PASSAGE_RETROGRADE_FAILED,
    MT_PASSAGE_COLLISION,
    MT_PASSAGE_OPEN,
    MT_PASSAGES
} mt_passage;

#define MT_PASSAGE_LONGEST_MS 20
#define MT_PASSAGE_BEFORE_MS 1
#define MT_PASSAGE_SHARE 0.5

extern const char *const mt_passage_name[MT_PASSAGES];

/* Activation times of a junction, infinite if not activated, the end of the beat or run, and the share of the volume around the junction
 * that was activated with the free end (mt_passage_share). */
typedef struct mt_passage_times {
    double inside_ms, cable_ms, tissue_ms, end_ms, share;
} mt_passage_times;

/* Returns the share of the volume around a junction that was activated within MT_PASSAGE_LONGEST_MS of the free end; 0 if that was not
 * activated. volume_mm3, activation_ms: of all unknowns of the tissue. */
double mt_passage_share(const mt_junctions *junctions, size_t junction, const double *volume_mm3,
    const double *activation_ms, double cable_ms);

mt_passage mt_passage_of(const mt_passage_times *times);
