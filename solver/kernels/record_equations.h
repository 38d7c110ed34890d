/* Update of an element's action potential record in a time step, and its release for the next action potential (solver/record.h).
 *
 * Included after solver/kernels/lanes.h has selected the arithmetic. There is no branch: a tile's worker executes this code, and its
 * instructions are counted. The host first calls record_changes, which is false in nearly all steps. */
#pragma once

#include "solver/kernels/block.h"

typedef struct record_rule {
    real dt_ms, per_dt; /* time step and its reciprocal */
    /* activation threshold; fraction of the amplitude that repolarisation passes */
    real threshold_mV, fraction;
    real slowest_mV_ms; /* smallest rate of an upstroke */
    size_t rest_steps;  /* interval of the resting voltage samples */
} record_rule;

/* Times are relative to the beginning of the beat, infinite if not yet known. The activation is minus infinite if the action potential
 * began in an earlier beat. Before activation `rest` is the second to last sample of V at rest, and the last sample is stored in
 * repolarisation_ms. `low` is the repolarisation level during an action potential, otherwise minus infinite. `peak` is infinite before
 * activation. One comparison with each of the two therefore detects any change. */
typedef struct recorded {
    real activation_ms, rest_mV, peak_mV, upstroke_mV_ms, repolarisation_ms, low_mV;
} recorded;

/* True if the step from `before` to `now` may change the record, apart from samples of V at rest. */
static inline int record_changes(const record_rule *r, real before, real now, real peak_mV, real low_mV)
{
    const int crosses = (before < r->threshold_mV) & (now >= r->threshold_mV);
    return crosses | (now > peak_mV) | (now < low_mV) | ((now - before) * r->per_dt >= r->slowest_mV_ms);
}

/* Same, for any of MT_BLOCK elements. The loop has a constant length and no sum, so that compilers vectorise it. */
static inline int record_changes_any(const record_rule *rule, const real *restrict before,
    const real *restrict now, const real *restrict peak_mV, const real *restrict low_mV)
{
    const record_rule r = *rule;
    int any = 0;
    for (size_t k = 0; k < MT_BLOCK; k++) any |= record_changes(&r, before[k], now[k], peak_mV[k], low_mV[k]);
    return any;
}

/* Returns the record after step `step` (from 0), in which V changed from `before` to `now`; `looks`: V at rest is sampled. Both sides of
 * each choice are variables, so that compilers select instead of branching. */
static inline recorded record_step(
    const record_rule *r, real step, _Bool looks, real before, real now, recorded x)
{
    const real inf = (real)__builtin_inf(), none = -inf, activation = x.activation_ms, rest = x.rest_mV,
               peak = x.peak_mV, upstroke = x.upstroke_mV_ms, repolarisation = x.repolarisation_ms,
               low = x.low_mV;
    const real rate = (now - before) * r->per_dt,
               rising = r->dt_ms * (step + (r->threshold_mV - before) / (now - before)),
               falling = r->dt_ms * (step + (before - low) / (before - now));
    const int waits = activation == inf, closed = !waits & (low == none), rested = waits & looks,
              rises = waits & (before < r->threshold_mV) & (now >= r->threshold_mV),
              grows = rises | (!waits & !closed & (now > peak)),
              falls = !waits & !closed & !grows & (now < low),
              fastest = !closed & (rate >= r->slowest_mV_ms) & (rate > upstroke);
    const real first = repolarisation == inf ? before : repolarisation, new_rest = rested ? first : rest,
               newest = rested ? before : repolarisation, new_peak = grows ? now : peak,
               level = new_peak - r->fraction * (new_peak - new_rest), fallen = falls ? none : low,
               ended = falls ? falling : newest;
    recorded y;
    y.activation_ms = rises ? rising : activation;
    y.rest_mV = new_rest;
    y.peak_mV = new_peak;
    y.upstroke_mV_ms = fastest ? rate : upstroke;
    y.repolarisation_ms = rises ? inf : ended;
    y.low_mV = grows ? level : fallen;
    return y;
}

/* Updates the record between two time steps, with V = v_mV, if its action potential began before `until_ms` of the beat: infinite at the
 * start of the next beat, for all action potentials; 0 for those of an earlier beat. If the action potential has ended, the element is
 * released; otherwise it continues. */
static inline recorded record_turn(real until_ms, real v_mV, recorded x)
{
    const real inf = (real)__builtin_inf(), none = -inf, activation = x.activation_ms, rest = x.rest_mV,
               peak = x.peak_mV, upstroke = x.upstroke_mV_ms, repolarisation = x.repolarisation_ms,
               low = x.low_mV;
    const int due = activation < until_ms, closed = low == none, free = due & closed;
    const real kept = due ? none : activation;
    recorded y;
    y.activation_ms = free ? inf : kept;
    y.rest_mV = free ? v_mV : rest;
    y.peak_mV = free ? inf : peak;
    y.upstroke_mV_ms = free ? 0 : upstroke;
    y.repolarisation_ms = free ? inf : repolarisation;
    y.low_mV = low;
    return y;
}

/* Returns until_ms for record_turn. */
static inline real record_until(_Bool begins) { return begins ? (real)__builtin_inf() : 0; }
