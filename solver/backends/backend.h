/* Who computes the monodomain problem, and the time loop over whoever it is.
 *
 * A backend does the four parts of a time step (solver/monodomain.h) on some machine. All backends stand in one table, and the
 * same tests run over all of them.
 *
 * At the end of a time step a backend holds, of each element, an array of numbers of each of these kinds and nothing else that the
 * next steps depend on; the number of the step apart, what is read from one backend and written to another of its precision goes on
 * to the same bits (solver/backends/checkpoint.h). Arrays have numbers:
 *
 *     MT_ARRAY_V               V [mV]
 *     MT_ARRAY_ACTIVATION      ms from the beginning of the beat, infinite where not activated, minus infinite where it was before
 *                              the beat and the element is not free yet (solver/record.h)
 *     MT_ARRAY_RECORD + r      r of mt_recorded, where the problem records them all; times as the activation
 *     mt_array_states + k      state k of the cell model
 *     mt_array_paced + k       with multirate stepping: kept, change and since (solver/kernels/multirate.h) */
#pragma once

#include "solver/plan/plan.h"

/* What a trace is asked for: time steps and tiles, numbered from 0, the last with them; and how many slices there may be,
 * each a tile's exchange or compute in one superstep, or a phase of the whole machine. */
typedef struct mt_tracing {
    size_t first_step, last_step, first_tile, last_tile;
    uint64_t slices_max;
} mt_tracing;

enum { MT_ARRAY_V, MT_ARRAY_ACTIVATION, MT_ARRAY_RECORD };
size_t mt_array_states(const mt_monodomain *problem);
size_t mt_array_paced(const mt_monodomain *problem);

/* How many arrays a problem has; and the name and unit of one: "V", "activation", or what the model calls the state. */
size_t mt_arrays(const mt_monodomain *problem);
mt_cell_quantity mt_array(const mt_monodomain *problem, size_t array);

/* Was it gathered in the time loop, and does it not act on what follows? */
bool mt_array_is_recorded(const mt_monodomain *problem, size_t array);

/* One row of the table of backends. A backend's own data lives in the arena given to open and ends with it.
 *
 * Where several ranks share a problem (mt_layout.ranks), each opens the backend for what it has of it, rank 0 for the whole: all call advance
 * and turn together, and what is read, streamed and written are the elements of the rank's own parts, the other values staying as they
 * are. Rank 0 counts and profiles for all. solver/backends/leader.h makes one backend of them. */
typedef struct mt_backend {
    const char *name;
    bool single; /* computes in single precision */

    /* The first of the parts of a rank, which are those up to the next one's; of the number of ranks: the number of parts. */
    uint32_t (*first_part)(const mt_layout *layout, uint32_t rank);

    /* Sets up v, states and activation times at rest. Keeps problem and layout. For cpu layout may be NULL; with ranks, its halo is of a
     * part for each of them. MT_INPUT: as ipu_ranks_make. */
    mt_status (*open)(mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self);

    /* Does steps [first, first + n), over which no stimulus is switched and no beat begins. */
    mt_status (*advance)(void *self, size_t first, size_t n);

    /* Between time steps, where there are several beats: begins one, or looks for elements that are free again (solver/record.h). */
    mt_status (*turn)(void *self, size_t steps_done, bool begins);

    /* Copies an array out, values[n_elements] by the mesh's elements. Those in single precision come exactly. An emulated machine does
     * not hear of it: this is for what no real one would send, as looks at its memory and checkpoints, which come by the host's
     * clock, so that a run that goes on has counted what one that never stopped has. */
    void (*read)(void *self, size_t array, double *values);

    /* Between time steps: returns the highest V [mV] of each stimulus' elements, then the highest -V of each, extreme_mV[2][n_stimuli], and
     * whether the V of all elements is possible (mt_backend_possible_mV); if it is not, extremes need not be right. v_mV [n_elements] is
     * scratch. NULL: the caller reads V. */
    bool (*survey)(void *self, double *v_mV, double *extreme_mV);

    /* As read, of n of the elements, or of all of them where `element` is NULL (n is not looked at then); the other values stay as
     * they are. An emulated machine counts one stream to its host (ipu_engine_stream): every range of elements that follow one another
     * on a tile goes in packets of its own, and of a state every block of a range (solver/kernels/block.h). An element that is named
     * twice is sent twice. MT_INPUT: as ipu_timing_stream. MT_MEMORY. */
    mt_status (*stream)(void *self, size_t array, size_t n, const uint32_t *element, double *values);

    /* Between time steps: copies one in. Behind the last of them comes resume, which says how many steps have been done. */
    void (*write)(void *self, size_t array, const double *values);
    void (*resume)(void *self, size_t steps_done);

    /* Gives in `arena` what the emulated machine has counted, for recount to go on from on a machine of the same fingerprint: it has
     * the same tiles and links, and every element on the same tile. All three NULL where there is none. */
    mt_status (*count)(void *self, mt_arena *arena, size_t *n, uint64_t **counts);
    void (*recount)(void *self, const uint64_t *counts);
    mt_status (*fingerprint)(void *self, char text[MT_HASH_SIZE]);

    /* What it cost the emulated machine so far; and adds its bands (ipu_profile_add_bands). NULL where there is none. */
    mt_status (*profile)(void *self, mt_arena *arena, ipu_profile *profile);
    mt_status (*add_bands)(void *self, ipu_profile *profile);

    /* Before the first step: gives a trace in `arena` in which those steps will stand. MT_INPUT: they have more slices than
     * there may be; the message tells how many steps have not. NULL where there is no emulated machine. */
    mt_status (*trace)(void *self, mt_arena *arena, const mt_tracing *what, ipu_trace **trace);
} mt_backend;

/* The V that a cell may have [mV]: -200 to 200, far beyond what any has, and no NaN. */
bool mt_backend_possible_mV(double v_mV);

/* cpu: double precision, OpenMP, the whole mesh at once: the yardstick. ipu: float, tile by tile on the
 * emulated machine. NULL ends the table. */
extern const mt_backend mt_backend_cpu, mt_backend_ipu;
extern const mt_backend *const mt_backends[];
const mt_backend *mt_backend_find(const char *name); /* NULL and the message set where there is none */

/* Called after every step with the steps done; false stops the run there (MT_STOPPED). */
typedef bool mt_backend_watch(void *user, size_t steps_done);

/* Runs steps [first, end) on an open backend that has done `first`; watch may be NULL. Looks at all voltages every millisecond: MT_NUMERICS
 * where v leaves -200 .. 200 mV or is no number, with element, place, value and time, the stimulus that did it or was on (as a
 * case names it) and what to try. Fills in `results`, also of a run that is stopped; NULL: none are wanted. Of a resumed run they
 * have, when it is called, the peaks and the beats that had ended by `first`; the captures begin anew.
 *
 * What is recorded is streamed from the backend: at the end of every beat, at each look for elements that are free again, and, behind
 * the last call of watch, at the end. So a checkpoint that watch writes has not counted this last stream, which comes once, wherever
 * the run went on. The looks at V are not streamed. MT_INPUT, MT_MEMORY: as stream. */
MT_NODISCARD mt_status mt_backend_run(const mt_monodomain *problem, const mt_backend *backend, void *self,
    size_t first, size_t end, mt_results *results, mt_backend_watch *watch, void *user);
