/* Backends that advance the monodomain problem, and the time loop that drives them.
 *
 * A backend computes the four parts of a time step (solver/monodomain.h) on some machine. One table lists all
 * backends, and the same tests run for each of them.
 *
 * At the end of a time step the state of a backend is the step number and one number per element in each of the
 * following arrays. Arrays that are read from one backend and written to another of the same precision continue to
 * the same bits (solver/backends/checkpoint.h). Numbers of the arrays:
 *
 *     MT_ARRAY_V               V [mV]
 *     MT_ARRAY_ACTIVATION      activation time [ms] since the beginning of the beat; infinite if not activated, minus infinite if
 *                              activated before the beat and not free yet (solver/record.h)
 *     MT_ARRAY_RECORD + r      quantity r of mt_recorded, if the problem records all; times as for the activation
 *     mt_array_states + k      state k of the ionic model
 *     mt_array_paced + k       with multirate stepping: kept, change and since (solver/kernels/multirate.h) */
#pragma once

#include "solver/plan/plan.h"

/* The extent of a trace: ranges of time steps and tiles, numbered from 0, ends included; and the largest number of
 * slices. A slice is a tile's exchange or compute in one superstep, or a phase of the entire machine. */
typedef struct mt_tracing {
    size_t first_step, last_step, first_tile, last_tile;
    uint64_t slices_max;
} mt_tracing;

enum { MT_ARRAY_V, MT_ARRAY_ACTIVATION, MT_ARRAY_RECORD };
size_t mt_array_states(const mt_monodomain *problem);
size_t mt_array_paced(const mt_monodomain *problem);

/* Return the number of arrays of a problem, and the name and unit of one: "V", "activation", or the model's name of
 * the state. */
size_t mt_arrays(const mt_monodomain *problem);
mt_cell_quantity mt_array(const mt_monodomain *problem, size_t array);

/* True if the array is recorded in the time loop and does not affect the computation. */
bool mt_array_is_recorded(const mt_monodomain *problem, size_t array);

/* The size of the reason why bits may differ. */
enum { MT_BACKEND_DIFFERS = 384 };

/* A device that a backend computes on: the host's if the name is empty. */
typedef struct mt_backend_device {
    char name[128];
    uint64_t bytes; /* of its buffers */
    /* Why the bits may differ from those of the host; empty if they are the same. */
    char differs[MT_BACKEND_DIFFERS];
} mt_backend_device;

/* One row of the table of backends. The backend's data is in the arena passed to open.
 *
 * If several ranks share a problem (mt_layout.ranks), each opens the backend for its part, and rank 0 with the
 * complete problem. All ranks call advance and turn together. read, stream and write access the elements of the
 * rank's own parts and leave other values unchanged. Rank 0 counts and profiles for all. solver/backends/leader.h
 * combines the ranks to one backend. */
typedef struct mt_backend {
    const char *name;
    bool single; /* True if it computes in single precision */

    /* Returns the first part of a rank, which owns the parts up to that of the next rank; for rank = number of
     * ranks, the number of parts. */
    uint32_t (*first_part)(const mt_layout *layout, uint32_t rank);

    /* Sets v and states to rest, and clears the activation times. Keeps problem and layout. For cpu and cpu-single, layout may be
     * NULL; with ranks, its halo has one part per rank. Fails with MT_INPUT as ipu_ranks_make. With voltages at the
     * vertices all "elements" of this header are vertices. */
    mt_status (*open)(mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, void **self);

    /* Computes steps [first, first + n), within which no stimulus is switched and no beat begins. */
    mt_status (*advance)(void *self, size_t first, size_t n);

    /* Called between time steps if there are several beats: begins a beat, or frees elements (solver/record.h). */
    mt_status (*turn)(void *self, size_t steps_done, bool begins);

    /* Copies an array to values[n_elements] in the order of the mesh's elements. Single precision is copied
     * exactly. An emulated machine does not count this: it is for checks of V and for checkpoints, which depend on
     * the host's clock. A resumed run therefore has the same counts as an uninterrupted one. MT_DEVICE: the device failed. */
    mt_status (*read)(void *self, size_t array, double *values);

    /* Called between time steps: returns the highest V [mV] of each stimulus' elements, then the highest -V of
     * each, in extreme_mV[2][n_stimuli]; minus infinity for a stimulus with delays. True if the V of all elements is possible
     * (mt_backend_possible_mV); if not, the extremes may be wrong. v_mV [n_elements] is scratch. May be NULL: the caller then reads V. */
    bool (*survey)(void *self, double *v_mV, double *extreme_mV);

    /* As read, for n of the elements, or for all if `element` is NULL (n is then ignored); leaves other values
     * unchanged. An emulated machine counts one stream to its host (ipu_engine_stream). Each contiguous range of
     * elements on a tile is sent in separate packets; for a state, each block of a range (solver/kernels/block.h).
     * An element listed twice is sent twice. Fails with MT_INPUT as ipu_timing_stream. MT_MEMORY. */
    mt_status (*stream)(void *self, size_t array, size_t n, const uint32_t *element, double *values);

    /* Between time steps: write copies an array in; resume follows the last array and sets the number of completed
     * steps. */
    void (*write)(void *self, size_t array, const double *values);
    void (*resume)(void *self, size_t steps_done);

    /* Returns in `arena` the counts of the emulated machine. recount restores them on a machine with the same
     * fingerprint, which has the same tiles and links, and every element on the same tile. All three are NULL if
     * there is no machine. */
    mt_status (*count)(void *self, mt_arena *arena, size_t *n, uint64_t **counts);
    void (*recount)(void *self, const uint64_t *counts);
    mt_status (*fingerprint)(void *self, char text[MT_HASH_SIZE]);

    /* Profile the emulated machine so far, and add its bands (ipu_profile_add_bands). NULL if there is no machine. */
    mt_status (*profile)(void *self, mt_arena *arena, ipu_profile *profile);
    mt_status (*add_bands)(void *self, ipu_profile *profile);

    /* Called before the first step: returns a trace in `arena` that will contain the requested steps. MT_INPUT:
     * they have more slices than allowed; the message has the number of steps that fit. NULL if there is no
     * machine. */
    mt_status (*trace)(void *self, mt_arena *arena, const mt_tracing *what, ipu_trace **trace);

    /* For the conduction system of a problem (solver/conduction/conduction.h), if the host computes it. connect keeps in `arena` the
     * distinct unknowns that are coupled to it. Then, between time steps, sense copies their V to v_mV [n], and charge replaces it by
     * v_mV [n], rounded to the arithmetic of the backend. On several ranks only rank 0 calls them, on the leading backend. MT_DEVICE.
     * MT_MEMORY. */
    mt_status (*connect)(void *self, mt_arena *arena, size_t n, const uint32_t *unknown);
    mt_status (*sense)(void *self, double *v_mV);
    mt_status (*charge)(void *self, const double *v_mV);

    /* Instead of these, for a backend that computes the conduction system itself, in `advance` and `turn`: the functions that read and
     * write its state (solver/conduction/conducting_functions.h) in `self`, exactly and uncounted as read and write. Else NULL. */
    const struct mt_conducting_functions *conducting;

    /* Describes the device; on several ranks their different devices, with the bytes of all. NULL if the host computes. */
    void (*describe)(void *self, mt_backend_device *device);
} mt_backend;

/* True if a cell can have this V [mV]: -200 to 200, a wide margin, and not NaN. */
enum { MT_POSSIBLE_mV = 200 };
bool mt_backend_possible_mV(double v_mV);

/* cpu: double precision, OpenMP, the entire mesh at once; the reference. cpu-single: the same in single precision, with the bits of ipu:
 * tile by tile on the emulated machine. opencl: the same bits on a device (solver/device/program.h). NULL terminates the table. */
extern const mt_backend mt_backend_cpu, mt_backend_cpu_single, mt_backend_ipu, mt_backend_opencl;
extern const mt_backend *const mt_backends[];
const mt_backend *mt_backend_find(const char *name); /* NULL with an error message if not found */

/* Called after every step with the number of completed steps; returns false to stop the run (MT_STOPPED). */
typedef bool mt_backend_watch(void *user, size_t steps_done);

/* Runs steps [first, end) on an open backend that has completed `first`; watch may be NULL. Checks all voltages
 * every millisecond: fails with MT_NUMERICS if v leaves -200 .. 200 mV or is not a number. The message has element,
 * position, value and time, the stimulus that caused it or was on (as the case names it) and a suggestion. Fills
 * `results` (optional), also of a stopped run. For a resumed run, `results` must contain the peaks and the beats
 * that ended by `first`; the captures start again. A problem with a conduction system requires `results` with its state. MT_INPUT if the
 * backend supports none.
 *
 * Recorded arrays are streamed from the backend at the end of every beat, at each search for free elements, and at
 * the end, after the last call of watch. A checkpoint that watch writes therefore excludes the last stream, which
 * is counted once for any resumption. Checks of V are not streamed. MT_INPUT and MT_MEMORY as stream. */
MT_NODISCARD mt_status mt_backend_run(const mt_monodomain *problem, const mt_backend *backend, void *self,
    size_t first, size_t end, mt_results *results, mt_backend_watch *watch, void *user);
