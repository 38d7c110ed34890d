#include "solver/case/moments.h"

#include <math.h>
#include <stdint.h>

bool mt_moments_any(const mt_moments_request *asked) { return !isnan(asked->every_ms) || asked->n_at > 0; }

mt_status mt_moments_make(mt_arena *arena, const char *key, const mt_moments_request *asked, double dt_ms,
    double end_ms, mt_moments *moments)
{
    size_t *at;
    MT_ALLOC(arena, at, asked->n_at);
    for (size_t k = 0; k < asked->n_at; k++) {
        const double ms = asked->at_ms[k];
        if (ms > end_ms)
            return mt_fail(
                MT_INPUT, "%s.at_ms.%zu: %.12g; allowed: at most time.end_ms = %.12g", key, k, ms, end_ms);
        at[k] = (size_t)llround(ms / dt_ms);
        if (k > 0 && at[k] <= at[k - 1])
            return mt_fail(MT_INPUT,
                "%s.at_ms.%zu: %.12g, after %.12g; allowed: at least one step of time.dt_ms = %g later", key,
                k, ms, asked->at_ms[k - 1], dt_ms);
    }
    *moments = (mt_moments){.n = asked->n_at, .at = at};
    if (!isnan(asked->every_ms))
        moments->every = (size_t)fmin(fmax(1, round(asked->every_ms / dt_ms)), 0x1p53);
    return MT_OK;
}

/* Returns the next time of the list. */
static size_t next_listed(const mt_moments *m, size_t steps)
{
    size_t low = 0, high = m->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->at[middle] < steps)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->n ? m->at[low] : SIZE_MAX;
}

size_t mt_moments_next(const mt_moments *m, size_t steps)
{
    const size_t listed = next_listed(m, steps),
                 regular = m->every > 0 ? (steps + m->every - 1) / m->every * m->every : SIZE_MAX;
    return listed < regular ? listed : regular;
}
