/* The parts of a time step on a device (solver/monodomain.h): what solver/backends/cpu_backend.h computes, in the same order and in the
 * same memory layout, so that all bits are the same. A work-item has LANES unknowns of a block.
 *
 * The text follows solver/device/lanes_opencl.h, the functions and the equations of an ionic model, which define STATES, CONSTANTS and
 * cell_step (solver/cells/kernel.h). */
#include "solver/device/rows.h"
#include "solver/kernels/activation_equations.h"
#include "solver/kernels/block.h"
#include "solver/kernels/double_word_equations.h"
#include "solver/kernels/multirate_equations.h"
#include "solver/kernels/record_equations.h"
#include "solver/kernels/sliced_equations.h"
#include "solver/kernels/tables_equations.h"

/* Finds the unknowns k to k + m - 1 of a work-item, the lane of the first in its block, the block and its width. */
#define FIND_UNKNOWNS                                                                                        \
    const size_t k = get_global_id(0) * LANES, lane = k % MT_BLOCK, block = k / MT_BLOCK;                    \
    if (k >= n) return;                                                                                      \
    const size_t width = mt_block_width(n, k);                                                               \
    const int m = width - lane < LANES ? (int)(width - lane) : LANES

/* A loop that the compiler unrolls, so that arrays of a cell are in registers. */
#define EACH(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)

/* Load and store the first m lanes. */
#if LANES == 1
#    define lanes_get(from, m) (*(from))
#    define lanes_put(to, m, x) (*(to) = (x))
static inline real lane_of(lanes x, int lane) { return x; }
#else
typedef union numbers {
    lanes all;
    real one[LANES];
} numbers;
/* A vector of numbers one by one: stores of single numbers would delay the load of the vector. */
#    define FOUR(number, i) number(i), number(i + 1), number(i + 2), number(i + 3)
#    if LANES == 8
#        define lanes_of(number) ((lanes)(FOUR(number, 0), FOUR(number, 4)))
#    else
#        define lanes_of(number) ((lanes)(FOUR(number, 0), FOUR(number, 4), FOUR(number, 8), FOUR(number, 12)))
#    endif
typedef union integers {
    lanes_mask all;
    int one[LANES];
} integers;
static inline lanes lanes_get(global const real *from, int m)
{
    if (m == LANES) return LANES_EXPAND(vload, LANES)(0, from);
    numbers x = {.all = (lanes)0};
    for (int i = 0; i < m; i++) x.one[i] = from[i];
    return x.all;
}
static inline void lanes_put(global real *to, int m, lanes value)
{
    if (m == LANES) {
        LANES_EXPAND(vstore, LANES)(value, 0, to);
        return;
    }
    const numbers x = {.all = value};
    for (int i = 0; i < m; i++) to[i] = x.one[i];
}
#endif

/* Returns m numbers of v, for consecutive columns. */
#if LANES == 1
#    define lanes_gather(v, column, m) ((v)[*(column)])
#else
#    define IN_COLUMN(i) v[column[i]]
#    define DEFINE_GATHER(name, index)                                                                       \
        static inline lanes name(global const real *v, global const index *column, int m)                    \
        {                                                                                                    \
            if (m == LANES) return lanes_of(IN_COLUMN);                                                      \
            numbers x = {.all = (lanes)0};                                                                   \
            for (int i = 0; i < m; i++) x.one[i] = v[column[i]];                                             \
            return x.all;                                                                                    \
        }
DEFINE_GATHER(gather_near, ushort)
DEFINE_GATHER(gather_far, uint)
#endif
#if LANES == 1
#    define gather_near lanes_gather
#    define gather_far lanes_gather
#endif

/* ---- reaction ---- */

/* Adds to v of n unknowns of the list, from number `first` on. */
kernel void stimulate(
    const ulong first, const ulong n, const real rise_mV, global const uint *unknown, global real *v)
{
    const size_t i = get_global_id(0);
    if (i < n) v[unknown[first + i]] += rise_mV;
}

/* Holds v of n unknowns of the list, from number `first` on: a value between both becomes the lower one. */
kernel void hold(const ulong first, const ulong n, const real low, const real high, global const uint *unknown,
    global real *v)
{
    const size_t i = get_global_id(0);
    if (i >= n) return;
    const real x = v[unknown[first + i]];
    v[unknown[first + i]] = x > low && x < high ? low : x;
}

/* Reads the constants of m cells with the variants of[0] to of[m - 1]. */
static inline void take_constants(
    global const real *constants, uint mixed, global const ushort *of, int m, lanes c[CONSTANTS])
{
#if LANES == 1
    global const real *own = constants + (mixed ? (size_t)*of * CONSTANTS : 0);
    EACH(i, CONSTANTS) c[i] = own[i];
#else
    bool alike = true;
    for (int l = 1; mixed && l < m; l++) alike &= of[l] == of[0];
    if (alike) {
        global const real *own = constants + (mixed ? (size_t)*of * CONSTANTS : 0);
        EACH(i, CONSTANTS) c[i] = lanes_all(own[i]);
        return;
    }
#    define OF_VARIANT(l) constants[((l) < m ? (size_t)of[l] : 0) * CONSTANTS + i]
    EACH(i, CONSTANTS) c[i] = lanes_of(OF_VARIANT);
#endif
}

/* ---- functions of V ---- */

/* Tables, and the table of each variant (solver/kernels/tables.h). */
#define OF_TABLES global const real *coefficients, global const ushort *table_of

#ifdef TABLES

/* Returns the coefficients of the interval that a cell is in. */
static inline global const real *find_row(
    OF_TABLES, uint mixed, global const ushort *of, int interval)
{
    return coefficients + ((size_t)table_of[mixed ? *of : 0] * MT_TABLE_INTERVALS + (size_t)interval) *
                              MT_TABLE_COEFFICIENTS * MT_TABLE_STRIDE(FUNCTIONS);
}

/* Returns the sum of powers of x of LANES functions of one cell. */
static inline lanes sum_powers(global const real *row, lanes x)
{
    lanes sum = lanes_load(row);
    EACH(power, MT_TABLE_COEFFICIENTS - 1)
        sum = lanes_fma(sum, x, lanes_load(row + (power + 1) * MT_TABLE_STRIDE(FUNCTIONS)));
    return sum;
}

/* Reads the functions of V of m cells at their places in the tables. */
static inline void look_up(
    OF_TABLES, uint mixed, global const ushort *of, int m, const located *at, lanes of_v[FUNCTIONS])
{
#    if LANES == 1
    global const real *row = find_row(coefficients, table_of, mixed, of, at->interval);
    EACH(k, FUNCTIONS) of_v[k] = sum_powers(row + k, at->offset);
#    else
    /* a vector holds functions of one cell, and is transposed afterwards */
    numbers offset = {.all = at->offset};
    integers interval = {.all = at->interval};
    for (int k = 0; k < FUNCTIONS; k += LANES) {
        numbers y[LANES];
        EACH(l, LANES)
        y[l].all = l < m ? sum_powers(find_row(coefficients, table_of, mixed, of + l, interval.one[l]) + k,
                               lanes_all(offset.one[l]))
                         : (lanes)0;
#        define OF_LANE(l) y[l].one[j]
        EACH(j, LANES)
        if (k + j < FUNCTIONS) of_v[k + j] = lanes_of(OF_LANE);
    }
#    endif
}

/* Computes the functions of V that tables contain. In line on GPUs: a call would force the constants out of registers. */
#    if LANES == 1
#        define SEPARATE inline
#    else
#        define SEPARATE __attribute__((noinline))
#    endif
static SEPARATE void compute_functions(
    real step, bool relaxes, const lanes c[CONSTANTS], lanes v, lanes of_v[FUNCTIONS])
{
    lanes s[STATES], next[STATES];
    EACH(k, STATES) s[k] = lanes_all(0); /* no function depends on them */
    (void)cell_step((pace){lanes_all(step), step, relaxes, FUNCTIONS_STORED, of_v}, c, v, s, next);
}

/* Reads the functions of V from tables; outside their range computes them. */
static inline void read_functions(OF_TABLES, uint mixed, global const ushort *of, int m, real step,
    bool relaxes, const lanes c[CONSTANTS], lanes v, lanes of_v[FUNCTIONS])
{
    const located at = locate(v);
    look_up(coefficients, table_of, mixed, of, m, &at, of_v);
    if (!lanes_any_below(at.margin, (real)0)) return;
    lanes computed[FUNCTIONS];
    compute_functions(step, relaxes, c, v, computed);
    EACH(k, FUNCTIONS) of_v[k] = lanes_select_below(at.margin, (real)0, computed[k], of_v[k]);
}
#endif

/* Computes the next states of m cells, which advance by dt, and returns the change of V. */
static inline lanes step_cells(OF_TABLES, uint mixed, global const ushort *of, int m, lanes dt, real step,
    bool relaxes, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
#ifdef TABLES
    lanes of_v[FUNCTIONS];
    read_functions(coefficients, table_of, mixed, of, m, step, relaxes, c, v, of_v);
    return cell_step((pace){dt, step, relaxes, FUNCTIONS_READ, of_v}, c, v, s, next);
#else
    return cell_step((pace){dt, step, relaxes, FUNCTIONS_COMPUTED}, c, v, s, next);
#endif
}

/* ---- reaction of all unknowns ---- */

/* Stores V after the reaction, with the spread part s of an element, or the increment of a vertex. */
static inline void put_reaction(size_t k, int m, lanes before, lanes after, uint spreading,
    global const real *share, global real *spread, global real *v)
{
    const lanes change = after - before;
    if (spreading == MT_DEVICE_SPREADS_ELEMENTS) {
        const lanes s = lanes_get(share + k, m) * change;
        lanes_put(spread + k, m, s);
        after += s;
    }
    if (spreading == MT_DEVICE_SPREADS_VERTICES) lanes_put(spread + k, m, change);
    lanes_put(v + k, m, after);
}

#define OF_CELLS                                                                                             \
    global const real *constants, const uint mixed, global const ushort *of, OF_TABLES, global real *state
#define SPREADING const uint spreading, global const real *share, global real *spread

kernel void react(
    const ulong n, const real dt_ms, OF_CELLS, SPREADING, global real *v)
{
    FIND_UNKNOWNS;
    lanes c[CONSTANTS], s[STATES], next[STATES];
    const lanes own = lanes_get(v + k, m);
    global real *first = state + MT_BLOCK * STATES * block + lane;
    take_constants(constants, mixed, of + k, m, c);
    EACH(i, STATES) s[i] = lanes_get(first + i * width, m);
    const lanes change = step_cells(
        coefficients, table_of, mixed, of + k, m, lanes_all(dt_ms), dt_ms, false, c, own, s, next);
    EACH(i, STATES) lanes_put(first + i * width, m, next[i]);
    put_reaction(k, m, own, own + change, spreading, share, spread, v);
}

/* The arrays of multirate stepping (solver/kernels/multirate_equations.h). */
#define PACED global real *kept, global real *change, global real *since
#define TOLERANCES                                                                                           \
    const real dt_ms, const real tolerance_mV, const real half_tolerance_mV, const real together

/* Evaluates those of the unknowns k to k + m - 1 that have a negative margin; returns the changes of V per step. */
static inline lanes evaluate(size_t n, size_t k, int m, lanes margin, real dt_ms, lanes own, lanes steps,
    OF_CELLS, PACED)
{
    const size_t width = mt_block_width(n, k);
    lanes c[CONSTANTS], s[STATES], next[STATES];
    global real *first = state + MT_BLOCK * STATES * (k / MT_BLOCK) + k % MT_BLOCK;
    take_constants(constants, mixed, of + k, m, c);
    EACH(i, STATES) s[i] = lanes_get(first + i * width, m);
    const lanes newest = step_cells(
        coefficients, table_of, mixed, of + k, m, steps * dt_ms, dt_ms, true, c, own, s, next);
    EACH(i, STATES) lanes_put(first + i * width, m, lanes_select_below(margin, (real)0, next[i], s[i]));
    const lanes rate = lanes_select_below(margin, (real)0, newest, lanes_get(change + k, m));
    lanes_put(change + k, m, rate);
    lanes_put(kept + k, m, lanes_select_below(margin, (real)0, own, lanes_get(kept + k, m)));
    lanes_put(since + k, m, lanes_select_below(margin, (real)0, lanes_all(0), steps));
    return rate;
}

#define EVALUATE(k, m, margin, own, steps)                                                                   \
    evaluate(n, k, m, margin, dt_ms, own, steps, constants, mixed, of, coefficients, table_of, state, kept,  \
        change, since)

#if LANES == 1
/* The cells of a work-group that are due are evaluated side by side by its first items. Their order has no influence on results. */
kernel void react_multirate(const ulong n, TOLERANCES, OF_CELLS, SPREADING, PACED, global real *v)
{
    local uint due[GROUP], n_due;
    const multirate_rule rule = {dt_ms, tolerance_mV, half_tolerance_mV, together};
    const size_t k = get_global_id(0), item = get_local_id(0);
    if (item == 0) n_due = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k < n) {
        const real own = v[k], steps = since[k] + (real)1, rate = change[k];
        if (multirate_margin(&rule, own, kept[k], rate, steps) < (real)0) {
            due[atomic_inc(&n_due)] = (uint)item;
        } else {
            since[k] = steps;
            put_reaction(k, 1, own, own + rate, spreading, share, spread, v);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < n_due) {
        const size_t cell = k - item + due[item];
        const real own = v[cell], rate = EVALUATE(cell, 1, (real)-1, own, since[cell] + (real)1);
        put_reaction(cell, 1, own, own + rate, spreading, share, spread, v);
    }
}
#else
kernel void react_multirate(const ulong n, TOLERANCES, OF_CELLS, SPREADING, PACED, global real *v)
{
    FIND_UNKNOWNS;
    const multirate_rule rule = {dt_ms, tolerance_mV, half_tolerance_mV, together};
    const lanes own = lanes_get(v + k, m), steps = lanes_get(since + k, m) + (real)1;
    lanes rate = lanes_get(change + k, m);
    const lanes margin = multirate_margin(&rule, own, lanes_get(kept + k, m), rate, steps);
    if (lanes_any_below(margin, (real)0))
        rate = EVALUATE(k, m, margin, own, steps);
    else
        lanes_put(since + k, m, steps);
    put_reaction(k, m, own, own + rate, spreading, share, spread, v);
}
#endif

/* ---- rows ---- */

/* Returns the sums of increments of m rows, beginning with `sum`; `stride`: from an entry of a row to the next. */
static inline lanes add_increments(lanes sum, size_t stride, int m, const mt_device_rows *row,
    global const ushort *near, global const real *a, global const real *x, lanes own)
{
    if (row->wide) {
        global const uint *far = (global const uint *)near;
        for (uint i = 0; i < row->entries; i++, a += stride, far += stride)
            sum = SLICED_ADD(sum, lanes_get(a, m), gather_far(x, far, m), own);
    } else {
        x += row->base;
        for (uint i = 0; i < row->entries; i++, a += stride, near += stride)
            sum = SLICED_ADD(sum, lanes_get(a, m), gather_near(x, near, m), own);
    }
    return sum;
}

/* The first column of a work-item. */
#define COLUMNS_OF(row) (columns + (row).at + lane * ((row).wide ? 2 : 1))

/* Adds the increments of the neighbours to V; with the compensated splitting also s. */
kernel void spread_nodal(const ulong n, global const mt_device_rows *rows, global const ushort *columns,
    global const real *a, global const real *d, const uint compensated, global const real *share,
    global real *v, global real *s)
{
    FIND_UNKNOWNS;
    const mt_device_rows row = rows[block];
    const lanes own = lanes_get(d + k, m);
    const lanes sum = add_increments(
        lanes_all(0), MT_BLOCK, m, &row, COLUMNS_OF(row), a + MT_BLOCK * row.first + lane, d, own);
    lanes w = lanes_get(v + k, m) + sum;
    if (compensated) {
        const lanes part = lanes_get(share + k, m) * own;
        lanes_put(s + k, m, part);
        w += part;
    }
    lanes_put(v + k, m, w);
}

kernel void diffuse(const ulong n, global const mt_device_rows *rows, global const ushort *columns,
    global const real *diagonal, global const real *a, global const real *v, global real *v_next)
{
    FIND_UNKNOWNS;
    const mt_device_rows row = rows[block];
    lanes sum = lanes_get(diagonal + k, m) * lanes_get(v + k, m);
    global const ushort *near = COLUMNS_OF(row);
    a += MT_BLOCK * MT_DEVICE_ROW * block + lane;
    if (row.wide) {
        global const uint *far = (global const uint *)near;
        for (int i = 0; i < MT_DEVICE_ROW; i++)
            sum += lanes_get(a + width * i, m) * gather_far(v, far + width * i, m);
    } else {
        global const real *base = v + row.base;
        for (int i = 0; i < MT_DEVICE_ROW; i++)
            sum += lanes_get(a + width * i, m) * gather_near(base, near + width * i, m);
    }
    lanes_put(v_next + k, m, sum);
}

kernel void diffuse_nodal(const ulong n, global const mt_device_rows *rows, global const ushort *columns,
    global const real *a, global const real *v, global real *v_next)
{
    FIND_UNKNOWNS;
    const mt_device_rows row = rows[block];
    const lanes own = lanes_get(v + k, m);
    const lanes sum = add_increments(
        lanes_all(0), MT_BLOCK, m, &row, COLUMNS_OF(row), a + MT_BLOCK * row.first + lane, v, own);
    lanes_put(v_next + k, m, own + sum);
}

/* Same in double words. */
static inline void put_words(size_t k, int m, lanes own, lanes increment, real keeps, global real *v_low,
    global real *v_next)
{
    const double_word sum = double_word_of(own, increment);
    lanes_put(v_next + k, m, sum.high);
    lanes_put(v_low + k, m, keeps * sum.low);
}

kernel void diffuse_double_word(const ulong n, global const mt_device_rows *rows, global const ushort *columns,
    global const real *a, global const real *v, const real keeps, global real *v_low, global real *v_next)
{
    FIND_UNKNOWNS;
    const mt_device_rows row = rows[block];
    const lanes own = lanes_get(v + k, m);
    const lanes increment = add_increments(lanes_get(v_low + k, m), width, m, &row, COLUMNS_OF(row),
        a + MT_BLOCK * MT_DEVICE_ROW * block + lane, v, own);
    put_words(k, m, own, increment, keeps, v_low, v_next);
}

kernel void diffuse_nodal_double_word(const ulong n, global const mt_device_rows *rows,
    global const ushort *columns, global const real *a, global const real *v, const real keeps,
    global real *v_low, global real *v_next)
{
    FIND_UNKNOWNS;
    const mt_device_rows row = rows[block];
    const lanes own = lanes_get(v + k, m);
    const lanes increment = add_increments(lanes_get(v_low + k, m), MT_BLOCK, m, &row, COLUMNS_OF(row),
        a + MT_BLOCK * row.first + lane, v, own);
    put_words(k, m, own, increment, keeps, v_low, v_next);
}

/* ---- record ---- */

/* Subtracts the spread reaction, if any, of unknown i. */
static inline real without_spread(uint spreads, global const real *s, global real *v, size_t i)
{
    const real now = spreads ? v[i] - s[i] : v[i];
    if (spreads) v[i] = now;
    return now;
}

kernel void record_activation(const ulong n, const real at_step, const real dt_ms, const uint spreads,
    global const real *s, global real *v, global real *before, global real *activation_ms)
{
    FIND_UNKNOWNS;
    for (size_t i = k; i < k + m; i++) {
        const real was = before[i], now = without_spread(spreads, s, v, i);
        if (was < 0 && now >= 0)
            activation_ms[i] = activation_step(at_step, dt_ms, was, now, activation_ms[i]);
        before[i] = now;
    }
}

/* The arrays of a record. */
#define RECORDS                                                                                              \
    global real *activation_ms, global real *rest, global real *peak, global real *upstroke,                 \
        global real *repolarisation, global real *low
#define RECORD_OF(i)                                                                                         \
    {                                                                                                        \
        activation_ms[i], rest[i], peak[i], upstroke[i], repolarisation[i], low[i]                           \
    }
#define PUT_RECORD(i, y)                                                                                     \
    activation_ms[i] = y.activation_ms, rest[i] = y.rest_mV, peak[i] = y.peak_mV,                            \
    upstroke[i] = y.upstroke_mV_ms, repolarisation[i] = y.repolarisation_ms, low[i] = y.low_mV

kernel void record_all(const ulong n, const real at_step, const uint looks, const real dt_ms,
    const real per_dt, const real threshold_mV, const real fraction, const real slowest_mV_ms,
    const uint spreads, global const real *s, global real *v, global real *before, RECORDS)
{
    FIND_UNKNOWNS;
    const record_rule rule = {dt_ms, per_dt, threshold_mV, fraction, slowest_mV_ms, 0};
    for (size_t i = k; i < k + m; i++) {
        const real was = before[i], now = without_spread(spreads, s, v, i);
        if (looks || record_changes(&rule, was, now, peak[i], low[i])) {
            const recorded x = RECORD_OF(i), y = record_step(&rule, at_step, looks != 0, was, now, x);
            PUT_RECORD(i, y);
        }
        before[i] = now;
    }
}

kernel void turn(const ulong n, const real until_ms, global const real *v, RECORDS)
{
    FIND_UNKNOWNS;
    for (size_t i = k; i < k + m; i++) {
        const recorded x = RECORD_OF(i), y = record_turn(until_ms, v[i], x);
        PUT_RECORD(i, y);
    }
}

/* ---- what the host reads ---- */

/* Copies n numbers to the front. */
kernel void pick(const ulong n, global const ulong *at, global const real *from, global real *to)
{
    const size_t i = get_global_id(0);
    if (i < n) to[i] = from[at[i]];
}

/* Sets the V that a conduction system has changed. */
kernel void charge(const ulong n, global const ulong *at, global const real *changed_mV, global real *v)
{
    const size_t i = get_global_id(0);
    if (i < n) v[at[i]] = changed_mV[i];
}

/* Sets *any_of_them to 1 if a voltage is not within the limit, or not a number. */
kernel void look(const ulong n, const real limit_mV, global const real *v, global uint *any_of_them)
{
    FIND_UNKNOWNS;
    for (size_t i = k; i < k + m; i++)
        if (!(fabs(v[i]) <= limit_mV)) *any_of_them = 1;
}
