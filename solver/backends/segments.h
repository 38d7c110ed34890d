/* Segments: the stretches of a run's time steps that were each made on one machine, with the mesh cut one way.
 *
 * A run that goes on from a checkpoint elsewhere begins another segment: what a machine counted is of no use to another. What the one before
 * took is kept, in cycles of its own, and told beside the others. A run that goes on where it was begins no other. */
#pragma once

#include "solver/backends/backend.h"
#include "solver/plan/phases.h"

typedef struct mt_segment {
    size_t first, end;   /* time steps [first, end) */
    const char *machine; /* the target's name; "": no emulated machine, and all that follows is 0 or "" */
    char fingerprint[MT_HASH_SIZE]; /* of the machine and how the mesh is cut (mt_backend.fingerprint) */
    size_t ipus, tiles;             /* tiles that have elements, of all IPUs */
    double clock_hz;
    uint64_t cycles[MT_PHASES]; /* in [first, end), as the next; by phase, */
    uint64_t step_cycles;       /*   of all phases, */
    uint64_t host_cycles;       /*   and of streams to the host */
} mt_segment;

typedef struct mt_segments {
    size_t n; /* at least 1; each begins where the one before ends */
    mt_segment *segment;
} mt_segments;

/* Gives in `arena` the segments of a run on an open backend, the last of which is under way, its end and cycles not known yet. `before`
 * are those of the checkpoint that it goes on from, NULL where it begins; it goes on in the last of them where the machine has `counted` on
 * (mt_checkpoint_restore), or where there is none, now as then. Keeps the names of `before` and of the layout's target; the
 * layout is only looked at for a backend with a machine. MT_MEMORY. */
MT_NODISCARD mt_status mt_segments_begin(mt_arena *arena, const mt_segments *before, bool counted,
    const mt_backend *backend, void *self, const mt_layout *layout, mt_segments *segments);

/* Brings the last one to so many steps, with what its machine had counted then; NULL without one. */
void mt_segments_set(
    mt_segments *segments, const mt_monodomain *problem, const ipu_profile *profile, size_t steps_done);

/* The same with what the backend has counted by now. MT_MEMORY. */
MT_NODISCARD mt_status mt_segments_count(mt_segments *segments, const mt_monodomain *problem,
    const mt_backend *backend, void *self, size_t steps_done);

/* Do several have time steps, or others than the last? */
bool mt_segments_several(const mt_segments *segments);

/* ---- as arrays of a file */

enum { MT_SEGMENT_COUNTS = 4 + MT_PHASES };

typedef struct mt_segments_flat {
    size_t n;
    int64_t *begin; /* [n + 1] the steps where they begin, and where the last ends */
    int64_t *count; /* [n][MT_SEGMENT_COUNTS] ipus, tiles, step_cycles, host_cycles, cycles */
    double *clock_hz;
    size_t n_words;
    unsigned char *words; /* [n_words] for each the machine and the fingerprint, both with a NUL behind */
} mt_segments_flat;

/* Each gives one from the other in `arena`. MT_MEMORY. The second also MT_INPUT, without a message: they make no sense. */
MT_NODISCARD mt_status mt_segments_flatten(
    mt_arena *arena, const mt_segments *segments, mt_segments_flat *flat);
MT_NODISCARD mt_status mt_segments_unflatten(
    mt_arena *arena, const mt_segments_flat *flat, mt_segments *segments);
