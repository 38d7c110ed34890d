#include "solver/case/stimulated.h"

#include <math.h>
#include <stdlib.h>

#include "data/core/order.h"

MT_ORDER(by_start, mt_span, from_ms)

/* Returns the number of pulses of a stimulus that begin before the end; appends them to `span` unless it is NULL. */
static size_t add_pulses(const mt_case *input, const mt_case_stimulus *s, mt_span *span)
{
    const double dt_ms = input->time.dt_ms;
    size_t n = 0;
    for (; n < s->count; n++) {
        const double start_ms = s->start_ms + (n > 0 ? (double)n * s->period_ms : 0);
        if (start_ms >= input->time.end_ms) break;
        if (span)
            span[n] = (mt_span){
                round(start_ms / dt_ms) * dt_ms, round((start_ms + s->duration_ms) / dt_ms) * dt_ms};
    }
    return n;
}

mt_status mt_case_stimulated(mt_arena *arena, const mt_case *input, size_t *n, mt_span **span)
{
    size_t n_pulses = 0, last = 0;
    for (size_t s = 0; s < input->n_stimuli; s++) n_pulses += add_pulses(input, &input->stimuli[s], NULL);
    *n = 0;
    MT_ALLOC(arena, *span, n_pulses);
    for (size_t s = 0; s < input->n_stimuli; s++) *n += add_pulses(input, &input->stimuli[s], *span + *n);
    if (n_pulses == 0) return MT_OK;
    qsort(*span, n_pulses, sizeof **span, by_start);
    for (size_t k = 1; k < n_pulses; k++) {
        mt_span *of = *span + last;
        if ((*span)[k].from_ms <= of->to_ms)
            of->to_ms = fmax(of->to_ms, (*span)[k].to_ms);
        else
            (*span)[++last] = (*span)[k];
    }
    *n = 0;
    for (size_t k = 0; k <= last; k++)
        if ((*span)[k].to_ms - (*span)[k].from_ms <= MT_STIMULATED_MOST_MS * (1 + 1e-9))
            (*span)[(*n)++] = (*span)[k];
    return MT_OK;
}

static const double rounding_ms = 1e-6;

/* Returns the number of spans that end before a time. */
static size_t ended(size_t n, const mt_span *span, double t_ms)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (span[middle].to_ms + rounding_ms < t_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool mt_spans_cover(size_t n, const mt_span *span, double t_ms)
{
    const size_t k = ended(n, span, t_ms);
    return k < n && t_ms > span[k].from_ms + rounding_ms;
}

bool mt_spans_between(size_t n, const mt_span *span, double from_ms, double to_ms)
{
    return ended(n, span, to_ms) > ended(n, span, from_ms);
}
