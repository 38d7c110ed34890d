/* What a time step adds to the record of an element's action potential, and how it becomes free for another (solver/record.h).
 *
 * Included after solver/kernels/lanes.h has chosen the arithmetic. There is no branch: this is what a worker of a tile does, and
 * what its instructions are counted on. The host asks record_changes first, which is false in nearly all steps. */
#pragma once

#include "solver/kernels/block.h"

typedef struct record_rule {
    real dt_ms, per_dt;          /* and its reciprocal */
    real threshold_mV, fraction; /* of activation; of the amplitude that is left behind at repolarisation */
    real slowest_mV_ms;          /* of what counts as an upstroke */
    size_t rest_steps;           /* from one look at V at rest to the next */
} record_rule;

/* Times are infinite where not yet, and count from the beginning of the beat. The activation is minus infinite where the action
 * potential began in an earlier beat. Before activation `rest` is V at the time before the newest at which it was looked at, and the
 * newest is in the place of the repolarisation. `low` is the level of repolarisation while an action potential lasts, else minus
 * infinite; `peak` is infinite before activation: so one comparison with each tells whether anything changes. */
typedef struct recorded {
    real activation_ms, rest_mV, peak_mV, upstroke_mV_ms, repolarisation_ms, low_mV;
} recorded;

/* May the step from `before` to `now` change the record, where it does not look at V at rest? */
static inline int record_changes(const record_rule *r, real before, real now, real peak_mV, real low_mV)
{
    const int crosses = (before < r->threshold_mV) & (now >= r->threshold_mV);
    return crosses | (now > peak_mV) | (now < low_mV) | ((now - before) * r->per_dt >= r->slowest_mV_ms);
}

/* The same of MT_BLOCK elements, any of them: a loop of known length without a sum, which compilers make vectors of. */
static inline int record_changes_any(const record_rule *rule, const real *restrict before,
    const real *restrict now, const real *restrict peak_mV, const real *restrict low_mV)
{
    const record_rule r = *rule;
    int any = 0;
    for (size_t k = 0; k < MT_BLOCK; k++) any |= record_changes(&r, before[k], now[k], peak_mV[k], low_mV[k]);
    return any;
}

/* The record after step number `step` (from 0), which took V from `before` to `now`; `looks`: it looks at V at rest. Both sides of each
 * choice are names, so that compilers choose and do not branch. */
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

/* The record between two time steps, at whose V the element stands, of an action potential that began before `until_ms` of the beat:
 * infinite where another begins, of all; 0, of an earlier beat. It is over, and the element is free, or goes on. */
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

/* The time for that. */
static inline real record_until(_Bool begins) { return begins ? (real)__builtin_inf() : 0; }
