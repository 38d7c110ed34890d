/* The moments of a run at which something is taken: at its start and every so many ms from there on, at times of a list, or both.
 *
 * Times are rounded to the nearest time step. A moment that both ask for is one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* As a case says it. */
typedef struct mt_moments_asked {
    double every_ms; /* at least a step is taken; NaN: not by that */
    double *at_ms;   /* [n_at] */
    size_t n_at;
} mt_moments_asked;

/* In time steps that have been done. All zero: none. */
typedef struct mt_moments {
    size_t every; /* 0: not by that */
    size_t n;
    const size_t *at; /* [n], ascending */
} mt_moments;

/* Is anything asked for? */
bool mt_moments_any(const mt_moments_asked *asked);

/* Gives the moments in `arena`. MT_INPUT: a time of the list is above end_ms, or not at a later step than the one before; the message
 * begins with `key`, below which the list stands in the case. MT_MEMORY. */
MT_NODISCARD mt_status mt_moments_make(mt_arena *arena, const char *key, const mt_moments_asked *asked,
    double dt_ms, double end_ms, mt_moments *moments);

/* The first moment after so many steps or more; SIZE_MAX: there is none. O(log n). */
size_t mt_moments_next(const mt_moments *moments, size_t steps_done);
