/* The sampling times of a run: at a fixed interval from its start, at the times of a list, or both.
 *
 * Times are rounded to the nearest time step. Duplicates count once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* Sampling times as stated in a case. */
typedef struct mt_moments_request {
    double every_ms; /* at least one step; NaN: none */
    double *at_ms;   /* [n_at] */
    size_t n_at;
} mt_moments_request;

/* Sampling times as numbers of completed time steps. Zero-initialised: none. */
typedef struct mt_moments {
    size_t every; /* 0: none */
    size_t n;
    const size_t *at; /* [n], ascending */
} mt_moments;

/* True if any sampling time is requested. */
bool mt_moments_any(const mt_moments_request *asked);

/* Computes the sampling times in `arena`. MT_INPUT if a time of the list is after end_ms, or not at a later step than the previous one; the
 * message begins with `key`, the key above the list in the case. MT_MEMORY. */
MT_NODISCARD mt_status mt_moments_make(mt_arena *arena, const char *key, const mt_moments_request *asked,
    double dt_ms, double end_ms, mt_moments *moments);

/* Returns the first sampling time after at least `steps_done` steps; SIZE_MAX if there is none. O(log n). */
size_t mt_moments_next(const mt_moments *moments, size_t steps_done);
