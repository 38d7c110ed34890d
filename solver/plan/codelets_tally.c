/* The inner loops of the codelets as a worker executes them, except the ionic models (solver/cells/kernel.h): over
 * the cells of a block, in float.
 *
 * This file is not executed: the instructions of the cost model are counted on it (ipu/tally/tally.h). Kernels and
 * tally include the same equations. */
#include "solver/kernels/lanes.h"
#include "solver/conduction/chain_equations.h"
#include "solver/kernels/activation_equations.h"
#include "solver/kernels/bicgstab_equations.h"
#include "solver/kernels/bicgstab_scalars.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack_equations.h"
#include "solver/kernels/multirate_equations.h"
#include "solver/kernels/record_equations.h"
#include "solver/kernels/sliced_equations.h"

void pde(uint32_t n, const float *restrict d, const float *restrict a, const uint16_t *restrict column,
    const float *restrict v_own, const float *restrict v, float *restrict out)
{
    for (uint32_t cell = 0; cell < n; cell++)
        out[cell] = ellpack_row_uint16_t(d[cell], v_own[cell], a + cell, column + cell, MT_BLOCK, v);
}

void pde_double_word(uint32_t n, const float *restrict a, const uint16_t *restrict column,
    const float *restrict v_own, const float *restrict v, float keeps, float *restrict v_low,
    float *restrict out)
{
    for (uint32_t cell = 0; cell < n; cell++) {
        const double_word sum =
            ellpack_row_double_word_uint16_t(v_own[cell], v_low[cell], a + cell, column + cell, MT_BLOCK, v);
        out[cell] = sum.high;
        v_low[cell] = keeps * sum.low;
    }
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

/* The check of a cell, evaluated or not: its margin is for the branch, which is not taken here. */
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

/* The arrays of a record, and the update for one cell. */
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

void stimulus_delayed(uint32_t n, float rise_mV, uint32_t elapsed, uint32_t duration, uint32_t held,
    float held_mV, float free_mV, const uint16_t *restrict delay, const uint16_t *restrict cell,
    float *restrict v)
{
    for (uint32_t k = 0; k < n; k++) {
        const float before = v[cell[k]], raised = before + rise_mV,
                    kept = before > held_mV && before < free_mV ? held_mV : before;
        const uint32_t since = elapsed - delay[k], until = delay[k] - elapsed - 1;
        v[cell[k]] = since < duration ? raised : until < held ? kept : before;
    }
}

/* ---- implicit diffusion steps (solver/diffusion/implicit.h) ---- */

static inline float product(float d, float own, const float *a, const uint16_t *column, const float *v)
{
    return ellpack_row_uint16_t(d, own, a, column, MT_BLOCK, v);
}

void increments(uint32_t n, float over_theta, const float *restrict d, const float *restrict a,
    const uint16_t *restrict column, const float *restrict own, const float *restrict v, float *restrict x)
{
    for (uint32_t cell = 0; cell < n; cell++)
        x[cell] = over_theta * product(d[cell], own[cell], a + cell, column + cell, v);
}

void start(uint32_t n, const float *restrict d, const float *restrict a, const uint16_t *restrict column,
    const float *restrict own, const float *restrict x, float *restrict r, float *restrict p,
    float *restrict shadow, float *restrict most)
{
    float most_r = 0, most_residual = 0;
    for (uint32_t cell = 0; cell < n; cell++) {
        const float g = product(d[cell], own[cell], a + cell, column + cell, x);
        const float residual = bicgstab_start(d[cell], own[cell], g);
        r[cell] = residual;
        p[cell] = residual;
        shadow[cell] = residual;
        most_r = bicgstab_larger(residual, most_r);
        most_residual = bicgstab_larger(bicgstab_residual(d[cell], residual), most_residual);
    }
    most[0] = most_r;
    most[1] = most_residual;
}

void first_product(uint32_t n, float scale_r, float scale_q, const float *restrict d, const float *restrict a,
    const uint16_t *restrict column, const float *restrict own, const float *restrict p,
    const float *restrict shadow, const float *restrict r, float *restrict q, fixed_sum *restrict sums)
{
    fixed_sum of_r = {0}, of_q = {0};
    for (uint32_t cell = 0; cell < n; cell++) {
        const float g = product(d[cell], own[cell], a + cell, column + cell, p);
        const float along = bicgstab_product(d[cell], own[cell], g), shadows = shadow[cell];
        q[cell] = along;
        fixed_add_product(&of_r, scale_r, shadows, r[cell]);
        fixed_add_product(&of_q, scale_q, shadows, along);
    }
    sums[0] = of_r;
    sums[1] = of_q;
}

void half_way(uint32_t n, float alpha, const float *restrict q, float *restrict r)
{
    for (uint32_t cell = 0; cell < n; cell++) r[cell] = bicgstab_half(alpha, r[cell], q[cell]);
}

void second_product(uint32_t n, float scale_ts, float scale_tt, float scale_rt, const float *restrict d,
    const float *restrict a, const uint16_t *restrict column, const float *restrict own,
    const float *restrict s, const float *restrict shadow, float *restrict t, fixed_sum *restrict sums)
{
    fixed_sum of_ts = {0}, of_tt = {0}, of_rt = {0};
    for (uint32_t cell = 0; cell < n; cell++) {
        const float g = product(d[cell], own[cell], a + cell, column + cell, s);
        const float along = bicgstab_product(d[cell], own[cell], g);
        t[cell] = along;
        fixed_add_product(&of_ts, scale_ts, along, own[cell]);
        fixed_add_product(&of_tt, scale_tt, along, along);
        fixed_add_product(&of_rt, scale_rt, shadow[cell], along);
    }
    sums[0] = of_ts;
    sums[1] = of_tt;
    sums[2] = of_rt;
}

void end_iteration(uint32_t n, const bicgstab_scalars *restrict scalars, const float *restrict d,
    const float *restrict q, const float *restrict t, float *restrict x, float *restrict r, float *restrict p,
    float *restrict most)
{
    const bicgstab_scalars c = *scalars;
    float most_r = 0, most_p = 0, most_residual = 0;
    for (uint32_t cell = 0; cell < n; cell++) {
        float at_x = x[cell], at_r = r[cell], at_p = p[cell];
        bicgstab_end(c, q[cell], t[cell], &at_x, &at_r, &at_p);
        x[cell] = at_x;
        r[cell] = at_r;
        p[cell] = at_p;
        most_r = bicgstab_larger(at_r, most_r);
        most_p = bicgstab_larger(at_p, most_p);
        most_residual = bicgstab_larger(bicgstab_residual(d[cell], at_r), most_residual);
    }
    most[0] = most_r;
    most[1] = most_p;
    most[2] = most_residual;
}

void gain(uint32_t n, const float *restrict x, float *restrict v)
{
    for (uint32_t cell = 0; cell < n; cell++) v[cell] += x[cell];
}

/* The scalars: one iteration of the loop each. */
void next_iteration(uint32_t n, const int32_t *restrict iteration, const float *restrict r,
    const float *restrict p, const float *restrict residual, bicgstab_state *restrict state,
    bicgstab_sent *restrict sent, int32_t *restrict goes_on)
{
    for (uint32_t k = 0; k < n; k++)
        goes_on[k] = bicgstab_next(iteration[k], r[k], p[k], residual[k], state + k, sent + k);
}

void find_alpha(
    uint32_t n, const int32_t *restrict word, bicgstab_state *restrict state, bicgstab_sent *restrict sent)
{
    for (uint32_t k = 0; k < n; k++) bicgstab_alpha(word + 2 * FIXED_WORDS * k, state + k, sent + k);
}

void find_omega(uint32_t n, const int32_t *restrict word, const bicgstab_state *restrict state,
    bicgstab_sent *restrict sent)
{
    for (uint32_t k = 0; k < n; k++) bicgstab_omega(word + 3 * FIXED_WORDS * k, state + k, sent + k);
}

/* ---- voltages at the vertices (solver/plan/nodal_codelets.h) ---- */

enum { NODAL_WORKERS = 6 }; /* distance of a worker's rows */

/* The blocks: a worker finds the first entry of each. */
uint32_t nodal_block(uint32_t n, const uint16_t *restrict width)
{
    uint32_t first = 0;
    for (uint32_t block = 0; block < n; block++) first += MT_BLOCK * width[block];
    return first;
}

/* The entries of a row except the last. `a` and `column` begin with the first entry of the block. */
float nodal_entry(uint32_t n, uint32_t lane, float own, const float *restrict a,
    const uint16_t *restrict column, const float *restrict x)
{
    const float *restrict a_row = a + lane;
    const uint16_t *restrict column_row = column + lane;
    float sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum = SLICED_ADD(sum, a_row[MT_BLOCK * k], x[column_row[MT_BLOCK * k]], own);
    return sum;
}

/* The rows of a worker in a block, with their last entries. `a` and `column` begin with the last entry of the worker's first row; `sum` is
 * that of the other entries. */
void nodal_row(uint32_t n, float sum, const uint16_t *restrict row, const float *restrict a,
    const uint16_t *restrict column, const float *restrict v, float *restrict out)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        const float own = v[cell];
        out[cell] = own + SLICED_ADD(sum, a[NODAL_WORKERS * k], v[column[NODAL_WORKERS * k]], own);
    }
}

void nodal_spread_row(uint32_t n, float sum, const uint16_t *restrict row, const float *restrict a,
    const uint16_t *restrict column, const float *restrict d, float *restrict v)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        v[cell] += SLICED_ADD(sum, a[NODAL_WORKERS * k], d[column[NODAL_WORKERS * k]], d[cell]);
    }
}

void nodal_share_row(uint32_t n, float sum, const uint16_t *restrict row, const float *restrict a,
    const uint16_t *restrict column, const float *restrict d, float *restrict v, const float *restrict share,
    float *restrict s)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        const float own = d[cell], spread = share[cell] * own;
        s[cell] = spread;
        v[cell] = v[cell] + SLICED_ADD(sum, a[NODAL_WORKERS * k], d[column[NODAL_WORKERS * k]], own) + spread;
    }
}

/* In double words, whose sum starts from the low part; `keeps` is 0 in the last diffusion step. */
void nodal_word_row(uint32_t n, float keeps, const uint16_t *restrict row, const float *restrict a,
    const uint16_t *restrict column, const float *restrict v, float *restrict v_low, float *restrict out)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        const float own = v[cell];
        const double_word sum = double_word_of(
            own, SLICED_ADD(v_low[cell], a[NODAL_WORKERS * k], v[column[NODAL_WORKERS * k]], own));
        out[cell] = sum.high;
        v_low[cell] = keeps * sum.low;
    }
}

/* The products of implicit steps. */
void nodal_increments_row(uint32_t n, float sum, float over_theta, const uint16_t *restrict row,
    const float *restrict a, const uint16_t *restrict column, const float *restrict v, float *restrict x)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        x[cell] = over_theta * SLICED_ADD(sum, a[NODAL_WORKERS * k], v[column[NODAL_WORKERS * k]], v[cell]);
    }
}

void nodal_start_row(uint32_t n, float sum, const uint16_t *restrict row, const float *restrict a,
    const uint16_t *restrict column, const float *restrict d, const float *restrict x, float *restrict r,
    float *restrict p, float *restrict shadow, float *restrict most)
{
    float most_r = most[0], most_residual = most[1];
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        const float own = x[cell],
                    g = SLICED_ADD(sum, a[NODAL_WORKERS * k], x[column[NODAL_WORKERS * k]], own),
                    residual = bicgstab_start(d[cell], own, g);
        r[cell] = residual;
        p[cell] = residual;
        shadow[cell] = residual;
        most_r = bicgstab_larger(residual, most_r);
        most_residual = bicgstab_larger(bicgstab_residual(d[cell], residual), most_residual);
    }
    most[0] = most_r;
    most[1] = most_residual;
}

void nodal_first_row(uint32_t n, float sum, float scale_r, float scale_q, const uint16_t *restrict row,
    const float *restrict a, const uint16_t *restrict column, const float *restrict d,
    const float *restrict p, const float *restrict shadow, const float *restrict r, float *restrict q,
    fixed_sum *restrict sums)
{
    fixed_sum of_r = sums[0], of_q = sums[1];
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        const float own = p[cell],
                    g = SLICED_ADD(sum, a[NODAL_WORKERS * k], p[column[NODAL_WORKERS * k]], own),
                    along = bicgstab_product(d[cell], own, g), shadows = shadow[cell];
        q[cell] = along;
        fixed_add_product(&of_r, scale_r, shadows, r[cell]);
        fixed_add_product(&of_q, scale_q, shadows, along);
    }
    sums[0] = of_r;
    sums[1] = of_q;
}

void nodal_second_row(uint32_t n, float sum, float scale_ts, float scale_tt, float scale_rt,
    const uint16_t *restrict row, const float *restrict a, const uint16_t *restrict column,
    const float *restrict d, const float *restrict s, const float *restrict shadow, float *restrict t,
    fixed_sum *restrict sums)
{
    fixed_sum of_ts = sums[0], of_tt = sums[1], of_rt = sums[2];
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t cell = row[NODAL_WORKERS * k];
        const float own = s[cell],
                    g = SLICED_ADD(sum, a[NODAL_WORKERS * k], s[column[NODAL_WORKERS * k]], own),
                    along = bicgstab_product(d[cell], own, g);
        t[cell] = along;
        fixed_add_product(&of_ts, scale_ts, along, own);
        fixed_add_product(&of_tt, scale_tt, along, along);
        fixed_add_product(&of_rt, scale_rt, shadow[cell], along);
    }
    sums[0] = of_ts;
    sums[1] = of_tt;
    sums[2] = of_rt;
}

void nodal_increment(uint32_t n, const float *restrict before, const float *restrict after, float *restrict d)
{
    for (uint32_t cell = 0; cell < n; cell++) d[cell] = after[cell] - before[cell];
}

/* ---- the conduction system (solver/plan/network_codelets.h) ---- */

void network_state(uint32_t n, const float *restrict v, const float *restrict d, float *restrict w)
{
    for (uint32_t k = 0; k < n; k++) w[k] = v[k] + d[k];
}

/* For each unknown of a share of a junction. */
void network_junction(uint32_t n, float w, const float *restrict coupling, const float *restrict weight,
    const float *restrict tissue, float *restrict current, float *restrict mean)
{
    float sum = 0, middle = 0;
    for (uint32_t k = 0; k < n; k++) {
        sum = junction_current(sum, coupling[k], tissue[k], w);
        middle = junction_mean(middle, weight[k], tissue[k]);
    }
    *current = sum;
    *mean = middle;
}

/* For each point of a chain. */
void network_forward(uint32_t n, float into, const float *restrict conductance, const float *restrict along,
    const float *restrict across, const float *restrict w, float *restrict b, float *restrict added)
{
    float carried = 0, left = -into, here = w[0];
    for (uint32_t k = 0; k < n; k++) {
        const float next = w[k + 1], out = conductance[k + 1] * (here - next),
                    sum = b[k] + (into - out) + carried;
        b[k] = sum;
        left += across[k] * sum;
        carried = along[k] * sum;
        into = out;
        here = next;
    }
    added[0] = left;
    added[1] = into + carried;
}

/* For each end of a chain at a hub. */
void network_hub_end(uint32_t n, const float *restrict added, float *restrict sum)
{
    float s = 0;
    for (uint32_t k = 0; k < n; k++) s += added[k];
    *sum = s;
}

/* For each entry of a row or column of a hub. */
void network_hub_entry(uint32_t n, const uint32_t *restrict hub, const float *restrict factor,
    const float *restrict b, float *restrict sum)
{
    float s = *sum;
    for (uint32_t k = 0; k < n; k++) s += factor[k] * b[hub[k]];
    *sum = s;
}

/* For each received number. */
void network_copy(uint32_t n, const float *restrict got, float *restrict x)
{
    for (uint32_t k = 0; k < n; k++) x[k] = got[k];
}

/* For each hub, beyond its ends and entries: the limits of its list and its coefficient. */
void network_hub(uint32_t n, const uint32_t *restrict from, const uint32_t *restrict end,
    const float *restrict inverse, float *restrict x, uint32_t *restrict entries)
{
    uint32_t all = 0;
    for (uint32_t k = 0; k < n; k++) {
        all += end[NODAL_WORKERS * k] - from[NODAL_WORKERS * k];
        x[NODAL_WORKERS * k] = inverse[NODAL_WORKERS * k] * x[NODAL_WORKERS * k];
    }
    *entries = all;
}

void network_backward(uint32_t n, float x, float x_left, const float *restrict inverse,
    const float *restrict along, const float *restrict across, float *restrict b, float *restrict v,
    float *restrict w)
{
    for (uint32_t k = 0; k < n; k++) {
        x = inverse[k] * b[k] + along[k] * x + across[k] * x_left;
        v[k] += x;
        w[k] += x;
        b[k] = 0;
    }
}

/* For each pair of a junction and an unknown of the tissue. */
void network_charge(uint32_t n, float tissue, const uint16_t *restrict junction, const float *restrict gain,
    const float *restrict w, float *restrict rise)
{
    float sum = 0;
    for (uint32_t k = 0; k < n; k++) sum = junction_charge(sum, gain[k], w[junction[k]], tissue);
    *rise = sum;
}

/* For each of these unknowns. */
void network_unknown(uint32_t n, const uint16_t *restrict cell, const uint16_t *restrict entries,
    const float *restrict rise, float *restrict v, uint32_t *restrict last)
{
    uint32_t all = 0;
    for (uint32_t k = 0; k < n; k++) {
        v[cell[k]] += rise[k];
        all += entries[k];
    }
    *last = all;
}

void network_record(uint32_t n, float step, float dt_ms, float threshold_mV, float free_mV,
    const float *restrict v, float *restrict before, float *restrict is_free, float *restrict activation_ms)
{
    for (uint32_t k = 0; k < n; k++) {
        activation_ms[k] =
            place_activation(step, dt_ms, threshold_mV, before[k], v[k], is_free[k], activation_ms[k]);
        is_free[k] = place_frees(threshold_mV, free_mV, v[k], is_free[k]);
        before[k] = v[k];
    }
}

void network_beat(uint32_t n, float infinite, float *restrict activation_ms)
{
    for (uint32_t k = 0; k < n; k++) activation_ms[k] = infinite;
}
