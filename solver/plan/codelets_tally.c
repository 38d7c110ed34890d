/* The inner loops of the codelets as a worker of a tile runs them, but those of the cell models (solver/cells/kernel.h): one
 * cell after another of a block, in float.
 *
 * Nothing runs this file: it is what the instructions of the cost model are counted on (ipu/tally/tally.h). The
 * equations are those of the kernels that do run, included from the same headers. */
#include "solver/kernels/lanes.h"
#include "solver/kernels/activation_equations.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack_equations.h"
#include "solver/kernels/multirate_equations.h"
#include "solver/kernels/record_equations.h"

void pde(uint32_t n, const float *restrict d, const float *restrict a, const uint16_t *restrict column,
    const float *restrict v_own, const float *restrict v, float *restrict out)
{
    for (uint32_t cell = 0; cell < n; cell++)
        out[cell] = ellpack_row_uint16_t(d[cell], v_own[cell], a + cell, column + cell, MT_BLOCK, v);
}

void activation(uint32_t n, float step, float dt_ms, const float *restrict v, float *restrict before,
    float *restrict activation_ms)
{
    for (uint32_t cell = 0; cell < n; cell++) {
        activation_ms[cell] = activation_step(step, dt_ms, before[cell], v[cell], activation_ms[cell]);
        before[cell] = v[cell];
    }
}

void spread(uint32_t n, const float *restrict share, const float *restrict before, float *restrict after,
    float *restrict s)
{
    for (uint32_t cell = 0; cell < n; cell++) {
        s[cell] = share[cell] * (after[cell] - before[cell]);
        after[cell] += s[cell];
    }
}

/* The look at a cell, evaluated or not: its margin goes to the branch that is not taken here. */
void multirate(uint32_t n, const multirate_rule *restrict rule, const float *restrict v_in,
    const float *restrict kept, const float *restrict change, float *restrict since, float *restrict v_out,
    float *restrict least)
{
    const multirate_rule r = *rule;
    float below = 0;
    for (uint32_t cell = 0; cell < n; cell++) {
        const float now = since[cell] + 1,
                    margin = multirate_margin(&r, v_in[cell], kept[cell], change[cell], now);
        below = margin < below ? margin : below;
        since[cell] = now;
        v_out[cell] = v_in[cell] + change[cell];
    }
    *least = below;
}

void activation_spread(uint32_t n, float step, float dt_ms, float *restrict v, float *restrict before,
    float *restrict activation_ms, const float *restrict s)
{
    for (uint32_t cell = 0; cell < n; cell++) {
        v[cell] -= s[cell];
        activation_ms[cell] = activation_step(step, dt_ms, before[cell], v[cell], activation_ms[cell]);
        before[cell] = v[cell];
    }
}

/* The arrays of a record, and what it does to one cell. */
typedef struct record_arrays {
    float *before, *activation, *rest, *peak, *upstroke, *repolarisation, *low;
} record_arrays;

static inline void record_cell(
    const record_rule *r, float step, _Bool looks, uint32_t cell, float v, const record_arrays *a)
{
    const recorded x = {a->activation[cell], a->rest[cell], a->peak[cell], a->upstroke[cell],
        a->repolarisation[cell], a->low[cell]};
    const recorded y = record_step(r, step, looks, a->before[cell], v, x);
    a->activation[cell] = y.activation_ms;
    a->rest[cell] = y.rest_mV;
    a->peak[cell] = y.peak_mV;
    a->upstroke[cell] = y.upstroke_mV_ms;
    a->repolarisation[cell] = y.repolarisation_ms;
    a->low[cell] = y.low_mV;
    a->before[cell] = v;
}

void record(uint32_t n, float step, _Bool looks, const record_rule *restrict rule, const float *restrict v,
    float *restrict before, float *restrict activation, float *restrict rest, float *restrict peak,
    float *restrict upstroke, float *restrict repolarisation, float *restrict low)
{
    const record_arrays a = {before, activation, rest, peak, upstroke, repolarisation, low};
    const record_rule r = *rule;
    for (uint32_t cell = 0; cell < n; cell++) record_cell(&r, step, looks, cell, v[cell], &a);
}

void record_spread(uint32_t n, float step, _Bool looks, const record_rule *restrict rule, float *restrict v,
    float *restrict before, float *restrict activation, float *restrict rest, float *restrict peak,
    float *restrict upstroke, float *restrict repolarisation, float *restrict low, const float *restrict s)
{
    const record_arrays a = {before, activation, rest, peak, upstroke, repolarisation, low};
    const record_rule r = *rule;
    for (uint32_t cell = 0; cell < n; cell++) {
        v[cell] -= s[cell];
        record_cell(&r, step, looks, cell, v[cell], &a);
    }
}

void turn(uint32_t n, float until_ms, const float *restrict v, float *restrict activation,
    float *restrict rest, float *restrict peak, float *restrict upstroke, float *restrict repolarisation,
    const float *restrict low)
{
    for (uint32_t cell = 0; cell < n; cell++) {
        const recorded x = {
            activation[cell], rest[cell], peak[cell], upstroke[cell], repolarisation[cell], low[cell]};
        const recorded y = record_turn(until_ms, v[cell], x);
        activation[cell] = y.activation_ms;
        rest[cell] = y.rest_mV;
        peak[cell] = y.peak_mV;
        upstroke[cell] = y.upstroke_mV_ms;
        repolarisation[cell] = y.repolarisation_ms;
    }
}

void stimulus(uint32_t n, float rise_mV, const uint16_t *restrict cell, float *restrict v)
{
    for (uint32_t k = 0; k < n; k++) v[cell[k]] += rise_mV;
}
