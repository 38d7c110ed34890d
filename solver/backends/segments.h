/* Segments: ranges of a run's time steps that were computed on one machine with one partition.
 *
 * A run that is resumed on another machine begins a new segment, since cycles of different machines cannot be
 * added. The cycles of earlier segments are kept and reported separately. Resuming on the same machine continues
 * the segment. */
#pragma once

#include "solver/backends/backend.h"
#include "solver/plan/phases.h"

typedef struct mt_segment {
    size_t first, end;   /* time steps [first, end) */
    const char *machine; /* the target's name; "": no emulated machine, and all that follows is 0 or "" */
    char fingerprint[MT_HASH_SIZE]; /* of machine and partition (mt_backend.fingerprint) */
    size_t ipus, tiles;             /* tiles with elements, of all IPUs */
    double clock_hz;
    uint64_t cycles[MT_PHASES]; /* in [first, end), by phase; also the next two: */
    uint64_t step_cycles;       /* of all phases, */
    uint64_t host_cycles;       /* and of streams to the host */
} mt_segment;

typedef struct mt_segments {
    size_t n; /* at least 1; consecutive */
    mt_segment *segment;
} mt_segments;

/* Builds in `arena` the segments of a run on an open backend. End and cycles of the last segment are not known yet.
 * `before`: the segments of the checkpoint from which the run is resumed, or NULL. The run continues the last of
 * them if the machine has `counted` (mt_checkpoint_restore), or if neither has a machine. Keeps the names of
 * `before` and of the layout's target; reads the layout only if the backend has a machine. MT_MEMORY. */
MT_NODISCARD mt_status mt_segments_begin(mt_arena *arena, const mt_segments *before, bool counted,
    const mt_backend *backend, void *self, const mt_layout *layout, mt_segments *segments);

/* Sets the end of the last segment to a number of steps, with the counts of its machine at that time; `profile` is
 * NULL without a machine. */
void mt_segments_set(
    mt_segments *segments, const mt_monodomain *problem, const ipu_profile *profile, size_t steps_done);

/* Same, with the current counts of the backend. MT_MEMORY. */
MT_NODISCARD mt_status mt_segments_count(mt_segments *segments, const mt_monodomain *problem,
    const mt_backend *backend, void *self, size_t steps_done);

/* True if several segments have time steps, or if one other than the last has. */
bool mt_segments_several(const mt_segments *segments);

/* ---- as arrays of a file */

enum { MT_SEGMENT_COUNTS = 4 + MT_PHASES };

typedef struct mt_segments_flat {
    size_t n;
    int64_t *begin; /* [n + 1] first steps of the segments, and the end of the last */
    int64_t *count; /* [n][MT_SEGMENT_COUNTS] ipus, tiles, step_cycles, host_cycles, cycles */
    double *clock_hz;
    size_t n_words;
    unsigned char *words; /* [n_words] machine and fingerprint of each, NUL-terminated */
} mt_segments_flat;

/* Convert segments to arrays and back, in `arena`. MT_MEMORY. The second also MT_INPUT, without a message, if the
 * arrays are inconsistent. */
MT_NODISCARD mt_status mt_segments_flatten(
    mt_arena *arena, const mt_segments *segments, mt_segments_flat *flat);
MT_NODISCARD mt_status mt_segments_unflatten(
    mt_arena *arena, const mt_segments_flat *flat, mt_segments *segments);
