#include "solver/cells/graph/algebra.h"

#include <math.h>
#include <string.h>

#include "data/core/hash.h"

mt_status mt_algebra_new(mt_arena *arena, const bool *constant_variable, mt_algebra *algebra)
{
    *algebra = (mt_algebra){.constant_variable = constant_variable};
    return mt_graph_new(arena, &algebra->graph);
}

static const mt_graph_node *node_of(const mt_algebra *m, mt_node node) { return &m->graph->node[node]; }
static mt_op op_of(const mt_algebra *m, mt_node node) { return node_of(m, node)->op; }
static mt_node operand(const mt_algebra *m, mt_node node, size_t k) { return node_of(m, node)->operand[k]; }

bool mt_is_constant(const mt_algebra *m, mt_node node) { return m->note[node].constant; }

/* True if a is the first of two factors. */
static bool is_before(const mt_algebra *m, mt_node a, mt_node b) { return m->note[a].key < m->note[b].key; }

static bool is_number(const mt_algebra *m, mt_node node) { return op_of(m, node) == MT_OP_NUMBER; }

bool mt_is_number(const mt_algebra *m, mt_node node, double value)
{
    return is_number(m, node) && node_of(m, node)->value == value;
}

static double number_of(const mt_algebra *m, mt_node node) { return node_of(m, node)->value; }

/* ---- nodes as they are ---- */

/* Returns what is known about a node from what is known about its operands. */
static mt_algebra_note note_of(const mt_algebra *m, mt_node node)
{
    const mt_graph_node *one = node_of(m, node);
    const size_t n = mt_op_operands(one->op);
    uint64_t key[4] = {(uint64_t)one->op};
    bool constant = one->op != MT_OP_VARIABLE || m->constant_variable[one->variable];
    if (one->op == MT_OP_NUMBER) memcpy(&key[1], &one->value, sizeof one->value);
    if (one->op == MT_OP_VARIABLE) key[1] = one->variable;
    for (size_t k = 0; k < n; k++) {
        constant &= m->note[one->operand[k]].constant;
        key[k + 1] = m->note[one->operand[k]].key;
    }
    return (mt_algebra_note){constant, mt_hash_short(key, sizeof key)};
}

/* Notes what is known about a new node. On an error stores the status and returns a node that exists. */
static mt_node added(mt_algebra *m, mt_status status, mt_node node)
{
    if (status == MT_OK && node >= m->room) {
        const size_t room = m->graph->room;
        mt_algebra_note *note = mt_arena_copy(m->graph->arena, NULL, room, sizeof *note);
        if (note) {
            if (m->room) memcpy(note, m->note, m->room * sizeof *note);
            m->note = note;
            m->room = room;
        } else {
            status = MT_MEMORY;
        }
    }
    if (status != MT_OK) {
        if (m->status == MT_OK) m->status = status;
        return 0;
    }
    m->note[node] = note_of(m, node);
    return node;
}

static mt_node raw(mt_algebra *m, mt_op op, mt_node a, mt_node b, mt_node c)
{
    if (m->status != MT_OK) return 0;
    mt_node node = 0;
    const mt_status status = mt_graph_operation(m->graph, op, (const mt_node[]){a, b, c}, &node);
    return added(m, status, node);
}

mt_node mt_number(mt_algebra *m, double value)
{
    if (m->status != MT_OK) return 0;
    mt_node node = 0;
    const mt_status status = mt_graph_number(m->graph, value == 0 ? 0 : value, &node); /* -0 becomes 0 */
    return added(m, status, node);
}

mt_node mt_symbol(mt_algebra *m, size_t variable)
{
    if (m->status != MT_OK) return 0;
    mt_node node = 0;
    const mt_status status = mt_graph_variable(m->graph, variable, &node);
    return added(m, status, node);
}

/* ---- products ---- */

/* An expression as coefficient times rest. */
typedef struct scaled {
    mt_node c, x; /* constant, or MT_NO_NODE for 1; not constant, or MT_NO_NODE for 1 */
} scaled;

static scaled split(mt_algebra *m, mt_node node)
{
    if (mt_is_constant(m, node)) return (scaled){node, MT_NO_NODE};
    const mt_op op = op_of(m, node);
    if (op == MT_OP_NEGATE) return (scaled){mt_number(m, -1), operand(m, node, 0)};
    if (op == MT_OP_MULTIPLY && mt_is_constant(m, operand(m, node, 0)))
        return (scaled){operand(m, node, 0), operand(m, node, 1)};
    if (op == MT_OP_DIVIDE && mt_is_constant(m, operand(m, node, 0)) &&
        !mt_is_number(m, operand(m, node, 0), 1))
        return (scaled){
            operand(m, node, 0), raw(m, MT_OP_DIVIDE, mt_number(m, 1), operand(m, node, 1), MT_NO_NODE)};
    return (scaled){MT_NO_NODE, node};
}

static mt_node ordered_product(mt_algebra *m, mt_node a, mt_node b)
{
    return is_before(m, a, b) ? raw(m, MT_OP_MULTIPLY, a, b, MT_NO_NODE)
                              : raw(m, MT_OP_MULTIPLY, b, a, MT_NO_NODE);
}

/* Operations on two constants. */
static mt_node constant_product(mt_algebra *m, mt_node a, mt_node b)
{
    if (a == MT_NO_NODE) return b;
    if (b == MT_NO_NODE) return a;
    if (is_number(m, a) && is_number(m, b)) return mt_number(m, number_of(m, a) * number_of(m, b));
    if (mt_is_number(m, a, 1)) return b;
    if (mt_is_number(m, b, 1)) return a;
    if (mt_is_number(m, a, 0) || mt_is_number(m, b, 0)) return mt_number(m, 0);
    if (mt_is_number(m, a, -1)) return mt_negative(m, b);
    if (mt_is_number(m, b, -1)) return mt_negative(m, a);
    return ordered_product(m, a, b);
}

static mt_node constant_quotient(mt_algebra *m, mt_node a, mt_node b)
{
    if (b == MT_NO_NODE) return a;
    if (a == MT_NO_NODE) a = mt_number(m, 1);
    if (is_number(m, a) && is_number(m, b)) return mt_number(m, number_of(m, a) / number_of(m, b));
    if (mt_is_number(m, b, 1)) return a;
    return raw(m, MT_OP_DIVIDE, a, b, MT_NO_NODE);
}

/* Returns c x in canonical form. */
static mt_node joined(mt_algebra *m, scaled s)
{
    if (s.x == MT_NO_NODE) return s.c == MT_NO_NODE ? mt_number(m, 1) : s.c;
    if (s.c == MT_NO_NODE || mt_is_number(m, s.c, 1)) return s.x;
    if (mt_is_number(m, s.c, 0)) return s.c;
    if (mt_is_number(m, s.c, -1)) return raw(m, MT_OP_NEGATE, s.x, MT_NO_NODE, MT_NO_NODE);
    if (op_of(m, s.x) == MT_OP_DIVIDE && mt_is_number(m, operand(m, s.x, 0), 1))
        return raw(m, MT_OP_DIVIDE, s.c, operand(m, s.x, 1), MT_NO_NODE);
    return raw(m, MT_OP_MULTIPLY, s.c, s.x, MT_NO_NODE);
}

/* Returns x y of two expressions that are not constant and have no coefficient. */
static mt_node plain_product(mt_algebra *m, mt_node x, mt_node y)
{
    if (op_of(m, x) == MT_OP_DIVIDE && op_of(m, y) == MT_OP_DIVIDE) { /* one division is faster than two */
        const mt_node above = mt_product(m, operand(m, x, 0), operand(m, y, 0));
        return mt_quotient(m, above, mt_product(m, operand(m, x, 1), operand(m, y, 1)));
    }
    for (int turn = 0; turn < 2; turn++) {
        const mt_node quotient = turn ? y : x, by = turn ? x : y;
        if (op_of(m, quotient) != MT_OP_DIVIDE) continue;
        if (operand(m, quotient, 1) == by) return operand(m, quotient, 0);
        if (mt_is_number(m, operand(m, quotient, 0), 1)) return mt_quotient(m, by, operand(m, quotient, 1));
    }
    return ordered_product(m, x, y);
}

/* Returns c x, where x can have a coefficient, too. */
static mt_node scaled_by(mt_algebra *m, mt_node c, mt_node x)
{
    if (m->status != MT_OK) return 0;
    if (c == MT_NO_NODE) return x;
    const scaled s = split(m, x);
    return m->status == MT_OK ? joined(m, (scaled){constant_product(m, c, s.c), s.x}) : 0;
}

mt_node mt_product(mt_algebra *m, mt_node a, mt_node b)
{
    if (m->status != MT_OK) return 0;
    const scaled s = split(m, a), t = split(m, b);
    if (m->status != MT_OK) return 0;
    const mt_node c = constant_product(m, s.c, t.c);
    if (s.x == MT_NO_NODE || t.x == MT_NO_NODE) return joined(m, (scaled){c, s.x == MT_NO_NODE ? t.x : s.x});
    return scaled_by(m, c, plain_product(m, s.x, t.x));
}

mt_node mt_negative(mt_algebra *m, mt_node a)
{
    if (m->status != MT_OK) return 0;
    if (is_number(m, a)) return mt_number(m, -number_of(m, a));
    if (op_of(m, a) == MT_OP_NEGATE) return operand(m, a, 0);
    if (op_of(m, a) == MT_OP_SUBTRACT) return mt_difference(m, operand(m, a, 1), operand(m, a, 0));
    if (mt_is_constant(m, a)) return raw(m, MT_OP_NEGATE, a, MT_NO_NODE, MT_NO_NODE);
    return mt_product(m, mt_number(m, -1), a);
}

/* ---- sums ---- */

mt_node mt_sum(mt_algebra *m, mt_node a, mt_node b)
{
    if (m->status != MT_OK) return 0;
    if (is_number(m, a) && is_number(m, b)) return mt_number(m, number_of(m, a) + number_of(m, b));
    if (mt_is_number(m, a, 0)) return b;
    if (mt_is_number(m, b, 0)) return a;
    if (op_of(m, b) == MT_OP_NEGATE) return mt_difference(m, a, operand(m, b, 0));
    if (op_of(m, a) == MT_OP_NEGATE) return mt_difference(m, b, operand(m, a, 0));
    if (mt_is_number(m, b, -1)) return mt_difference(m, a, mt_number(m, 1));
    if (mt_is_number(m, a, -1)) return mt_difference(m, b, mt_number(m, 1));
    return is_before(m, a, b) ? raw(m, MT_OP_ADD, a, b, MT_NO_NODE) : raw(m, MT_OP_ADD, b, a, MT_NO_NODE);
}

mt_node mt_difference(mt_algebra *m, mt_node a, mt_node b)
{
    if (m->status != MT_OK) return 0;
    if (is_number(m, a) && is_number(m, b)) return mt_number(m, number_of(m, a) - number_of(m, b));
    if (mt_is_number(m, b, 0)) return a;
    if (mt_is_number(m, a, 0)) return mt_negative(m, b);
    if (a == b) return mt_number(m, 0);
    if (op_of(m, b) == MT_OP_NEGATE) return mt_sum(m, a, operand(m, b, 0));
    if (mt_is_number(m, b, 1) && op_of(m, a) == MT_OP_EXP)
        return raw(m, MT_OP_EXPM1, operand(m, a, 0), MT_NO_NODE, MT_NO_NODE);
    if (mt_is_number(m, a, 1) && op_of(m, b) == MT_OP_EXP)
        return mt_negative(m, raw(m, MT_OP_EXPM1, operand(m, b, 0), MT_NO_NODE, MT_NO_NODE));
    if (is_number(m, b) && number_of(m, b) < 0) return mt_sum(m, a, mt_number(m, -number_of(m, b)));
    return raw(m, MT_OP_SUBTRACT, a, b, MT_NO_NODE);
}

/* ---- removable singularities ---- */

static mt_node one_at_zero(mt_algebra *m, mt_node u, mt_node quotient)
{
    const mt_node small =
        mt_apply(m, MT_OP_LESS, (const mt_node[]){mt_product(m, u, u), mt_number(m, 1e-36)});
    return mt_choice(m, small, mt_number(m, 1), quotient);
}

mt_node mt_bernoulli(mt_algebra *m, mt_node u)
{
    const mt_node grown = mt_apply(m, MT_OP_EXPM1, &u);
    return one_at_zero(m, u, m->status == MT_OK ? raw(m, MT_OP_DIVIDE, u, grown, MT_NO_NODE) : 0);
}

mt_node mt_exprel(mt_algebra *m, mt_node u)
{
    const mt_node grown = mt_apply(m, MT_OP_EXPM1, &u);
    return one_at_zero(m, u, m->status == MT_OK ? raw(m, MT_OP_DIVIDE, grown, u, MT_NO_NODE) : 0);
}

static mt_line line_of(const mt_algebra *m, mt_node node, int depth)
{
    if (is_number(m, node)) return (mt_line){MT_NO_NODE, 0, number_of(m, node)};
    const mt_op op = op_of(m, node);
    const mt_line itself = {node, 1, 0};
    const bool sum = op == MT_OP_ADD || op == MT_OP_SUBTRACT, product = op == MT_OP_MULTIPLY;
    if (depth == 0 || !(sum || product || op == MT_OP_NEGATE)) return itself;
    const mt_line a = line_of(m, operand(m, node, 0), depth - 1);
    if (op == MT_OP_NEGATE) return (mt_line){a.leaf, -a.slope, -a.intercept};
    const mt_line b = line_of(m, operand(m, node, 1), depth - 1);
    if (product) {
        if (a.leaf != MT_NO_NODE) return itself;
        return (mt_line){b.leaf, a.intercept * b.slope, a.intercept * b.intercept};
    }
    if (a.leaf != MT_NO_NODE && b.leaf != MT_NO_NODE && a.leaf != b.leaf) return itself;
    const double sign = op == MT_OP_ADD ? 1 : -1;
    return (mt_line){
        a.leaf != MT_NO_NODE ? a.leaf : b.leaf, a.slope + sign * b.slope, a.intercept + sign * b.intercept};
}

enum { LINE_DEPTH = 8, FACTORS = 32 };

mt_line mt_line_of(const mt_algebra *m, mt_node node) { return line_of(m, node, LINE_DEPTH); }

/* True if u is a multiple of x; then `ratio` is the constant u / x. */
static bool is_multiple(mt_algebra *m, mt_node u, mt_node x, mt_node *ratio)
{
    const scaled of_u = split(m, u), of_x = split(m, x);
    if (m->status != MT_OK || of_u.x == MT_NO_NODE || of_x.x == MT_NO_NODE) return false;
    if (of_u.x == of_x.x) {
        *ratio = constant_quotient(m, of_u.c, of_x.c);
        if (*ratio == MT_NO_NODE) *ratio = mt_number(m, 1);
        return true;
    }
    const mt_line a = mt_line_of(m, u), b = mt_line_of(m, x);
    if (a.leaf != b.leaf || a.leaf == MT_NO_NODE || a.slope == 0 || b.slope == 0) return false;
    const double root = -a.intercept / a.slope, other = -b.intercept / b.slope;
    if (!(fabs(root - other) <= 1e-9 * fmax(1, fabs(root)))) return false;
    *ratio = mt_number(m, a.slope / b.slope);
    return true;
}

/* Collects the factors of a product of nodes that are not constant; a product of more than FACTORS keeps the rest as one. */
static size_t factors_of(const mt_algebra *m, mt_node x, mt_node factor[FACTORS])
{
    size_t n = 0;
    factor[n++] = x;
    for (size_t k = 0; k < n;) {
        if (op_of(m, factor[k]) != MT_OP_MULTIPLY || n == FACTORS) {
            k++;
            continue;
        }
        const mt_node product = factor[k];
        factor[k] = operand(m, product, 0);
        factor[n++] = operand(m, product, 1);
    }
    return n;
}

static mt_node product_without(mt_algebra *m, const mt_node *factor, size_t n, size_t left_out)
{
    mt_node product = mt_number(m, 1);
    for (size_t k = 0; k < n; k++)
        if (k != left_out) product = mt_product(m, product, factor[k]);
    return product;
}

/* If one of the factors of `grown` is expm1(u) and one of those of `linear` a multiple of u, sets `result` to
 * (linear / grown) with `bernoulli`, or (grown / linear) without, computed without a singularity. */
static bool is_removed(mt_algebra *m, mt_node linear, mt_node grown, bool bernoulli, mt_node *result)
{
    mt_node above[FACTORS], below[FACTORS], ratio;
    const size_t n_above = factors_of(m, linear, above), n_below = factors_of(m, grown, below);
    for (size_t b = 0; b < n_below; b++) {
        if (op_of(m, below[b]) != MT_OP_EXPM1 || mt_is_constant(m, below[b])) continue;
        const mt_node u = operand(m, below[b], 0);
        for (size_t a = 0; a < n_above; a++) {
            if (mt_is_constant(m, above[a]) || !is_multiple(m, u, above[a], &ratio)) continue;
            const mt_node v = mt_product(m, ratio, above[a]); /* u, in the form of the other */
            const mt_node rest = product_without(m, above, n_above, a),
                          other = product_without(m, below, n_below, b);
            *result =
                bernoulli
                    ? mt_quotient(m, mt_product(m, rest, mt_bernoulli(m, v)), mt_product(m, ratio, other))
                    : mt_quotient(m, mt_product(m, mt_product(m, ratio, other), mt_exprel(m, v)), rest);
            return true;
        }
    }
    return false;
}

mt_node mt_quotient(mt_algebra *m, mt_node a, mt_node b)
{
    if (m->status != MT_OK) return 0;
    const scaled s = split(m, a), t = split(m, b);
    if (m->status != MT_OK) return 0;
    const mt_node c = t.c == MT_NO_NODE ? s.c : constant_quotient(m, s.c, t.c);
    if (t.x == MT_NO_NODE) return joined(m, (scaled){c, s.x});
    if (s.x == t.x) return joined(m, (scaled){c, MT_NO_NODE});
    if (op_of(m, t.x) == MT_OP_DIVIDE) { /* x / (y / z) = x z / y */
        const mt_node y = operand(m, t.x, 0), z = operand(m, t.x, 1);
        const mt_node above = s.x == MT_NO_NODE ? z : mt_product(m, s.x, z);
        return scaled_by(m, c, mt_quotient(m, above, y));
    }
    if (s.x != MT_NO_NODE && op_of(m, s.x) == MT_OP_DIVIDE) { /* (y / z) / x = y / (z x) */
        const mt_node y = operand(m, s.x, 0), z = operand(m, s.x, 1);
        return scaled_by(m, c, mt_quotient(m, y, mt_product(m, z, t.x)));
    }
    mt_node x;
    if (s.x == MT_NO_NODE)
        x = raw(m, MT_OP_DIVIDE, mt_number(m, 1), t.x, MT_NO_NODE);
    else if (!is_removed(m, s.x, t.x, true, &x) && !is_removed(m, t.x, s.x, false, &x))
        x = raw(m, MT_OP_DIVIDE, s.x, t.x, MT_NO_NODE);
    return scaled_by(m, c, x);
}

/* ---- powers ---- */

/* Returns a b without collecting constant factors: c^16 x^16 would leave the range of single precision where (c x)^16 does not. */
static mt_node unscaled_product(mt_algebra *m, mt_node a, mt_node b)
{
    if (m->status != MT_OK) return 0;
    if (mt_is_constant(m, a) && mt_is_constant(m, b)) return constant_product(m, a, b);
    return ordered_product(m, a, b);
}

/* Returns a^n for n >= 1 by repeated squaring. */
static mt_node integer_power(mt_algebra *m, mt_node a, unsigned n)
{
    mt_node power = MT_NO_NODE;
    for (mt_node square = a; n > 0; n /= 2) {
        if (n % 2) power = power == MT_NO_NODE ? square : unscaled_product(m, power, square);
        if (n > 1) square = unscaled_product(m, square, square);
    }
    return power;
}

mt_node mt_power(mt_algebra *m, mt_node a, mt_node exponent)
{
    enum { POWER_MOST = 16 };
    if (m->status != MT_OK) return 0;
    if (is_number(m, exponent)) {
        const double e = number_of(m, exponent), size = fabs(e), twice = 2 * size;
        if (e == 0) return mt_number(m, 1);
        if (size <= POWER_MOST && twice == floor(twice)) {
            const unsigned n = (unsigned)size;
            mt_node power = n > 0 ? integer_power(m, a, n) : mt_number(m, 1);
            if (twice != 2 * n) power = mt_product(m, power, mt_apply(m, MT_OP_SQRT, &a));
            return e > 0 ? power : mt_quotient(m, mt_number(m, 1), power);
        }
    }
    if (is_number(m, a) && number_of(m, a) > 0) {
        const mt_node rate = mt_apply(m, MT_OP_LOG, &a);
        const mt_node x = mt_product(m, rate, exponent);
        return mt_apply(m, MT_OP_EXP, &x);
    }
    return raw(m, MT_OP_POWER, a, exponent, MT_NO_NODE);
}

/* ---- all operations ---- */

mt_node mt_choice(mt_algebra *m, mt_node condition, mt_node yes, mt_node no)
{
    if (m->status != MT_OK) return 0;
    if (is_number(m, condition)) return number_of(m, condition) != 0 ? yes : no;
    if (yes == no) return yes;
    const mt_graph_node *one = &m->graph->node[condition];
    if (one->op == MT_OP_LESS || one->op == MT_OP_LESS_EQUAL) {
        const mt_node smaller = one->operand[0], larger = one->operand[1];
        if (yes == smaller && no == larger) return raw(m, MT_OP_MIN, larger, smaller, MT_NO_NODE);
        if (yes == larger && no == smaller) return raw(m, MT_OP_MAX, smaller, larger, MT_NO_NODE);
    }
    return raw(m, MT_OP_SELECT, condition, yes, no);
}

/* True if the operation on numbers has the same bits on every host. */
static bool is_exact(mt_op op)
{
    switch (op) {
    case MT_OP_NEGATE:
    case MT_OP_SQRT:
    case MT_OP_ABS:
    case MT_OP_FLOOR:
    case MT_OP_CEIL:
    case MT_OP_NOT:
    case MT_OP_MIN:
    case MT_OP_MAX:
    case MT_OP_LESS:
    case MT_OP_LESS_EQUAL:
    case MT_OP_EQUAL:
    case MT_OP_AND:
    case MT_OP_OR:
        return true;
    default:
        return false;
    }
}

/* Simplifies truth values that are known. */
static bool is_decided(mt_algebra *m, mt_op op, mt_node a, mt_node b, mt_node *result)
{
    const bool known_a = is_number(m, a), known_b = is_number(m, b);
    if ((op != MT_OP_AND && op != MT_OP_OR) || (!known_a && !known_b)) return false;
    const bool truth = number_of(m, known_a ? a : b) != 0;
    if (truth == (op == MT_OP_OR)) {
        *result = mt_number(m, truth);
        return true;
    }
    return false;
}

static mt_node other(mt_algebra *m, mt_op op, const mt_node *x)
{
    const size_t n = mt_op_operands(op);
    bool numbers = is_exact(op);
    double value[3] = {0};
    for (size_t k = 0; k < n; k++) {
        numbers &= is_number(m, x[k]);
        if (numbers) value[k] = number_of(m, x[k]);
    }
    if (numbers) return mt_number(m, mt_op_value(op, value[0], value[1], value[2]));
    mt_node result;
    if (n == 2 && is_decided(m, op, x[0], x[1], &result)) return result;
    return raw(m, op, x[0], n > 1 ? x[1] : MT_NO_NODE, MT_NO_NODE);
}

mt_node mt_apply(mt_algebra *m, mt_op op, const mt_node *x)
{
    if (m->status != MT_OK) return 0;
    switch (op) {
    case MT_OP_NEGATE:
        return mt_negative(m, x[0]);
    case MT_OP_ADD:
        return mt_sum(m, x[0], x[1]);
    case MT_OP_SUBTRACT:
        return mt_difference(m, x[0], x[1]);
    case MT_OP_MULTIPLY:
        return mt_product(m, x[0], x[1]);
    case MT_OP_DIVIDE:
        return mt_quotient(m, x[0], x[1]);
    case MT_OP_POWER:
        return mt_power(m, x[0], x[1]);
    case MT_OP_SELECT:
        return mt_choice(m, x[0], x[1], x[2]);
    case MT_OP_EXP:
        return mt_is_number(m, x[0], 0) ? mt_number(m, 1) : other(m, op, x);
    case MT_OP_LOG:
        return mt_is_number(m, x[0], 1) ? mt_number(m, 0) : other(m, op, x);
    case MT_OP_LOG10:
        return mt_product(m, mt_number(m, 0.43429448190325182765), mt_apply(m, MT_OP_LOG, x)); /* 1 / ln 10 */
    case MT_OP_LOG2:
        return mt_product(m, mt_number(m, 1.4426950408889634074), mt_apply(m, MT_OP_LOG, x)); /* 1 / ln 2 */
    default:
        return other(m, op, x);
    }
}

/* ---- expressions ---- */

void mt_algebra_copy(
    mt_algebra *m, const mt_graph *from, size_t first, size_t end, const mt_node *leaf, mt_node *copy)
{
    for (size_t k = first; k < end; k++) {
        const mt_graph_node *one = &from->node[k];
        mt_node x[3];
        for (size_t o = 0; o < mt_op_operands(one->op); o++) x[o] = copy[one->operand[o]];
        if (one->op == MT_OP_NUMBER)
            copy[k] = mt_number(m, one->value);
        else
            copy[k] = one->op == MT_OP_VARIABLE ? leaf[one->variable] : mt_apply(m, one->op, x);
    }
}

mt_node mt_rebuilt(mt_algebra *m, mt_node node, const mt_node *copy)
{
    const mt_graph_node one = *node_of(m, node);
    mt_node x[3];
    bool changed = false;
    for (size_t o = 0; o < mt_op_operands(one.op); o++) {
        x[o] = copy[one.operand[o]];
        changed |= x[o] != one.operand[o];
    }
    return changed ? mt_apply(m, one.op, x) : node;
}

/* Marks the nodes that `root` needs. NULL without memory. */
static bool *needed_by(mt_algebra *m, mt_arena *scratch, mt_node root)
{
    bool *used = mt_arena_alloc(scratch, root + 1, sizeof *used);
    if (used)
        mt_graph_mark(m->graph, root, used);
    else if (m->status == MT_OK)
        m->status = MT_MEMORY;
    return used;
}

static mt_node *nodes_for(mt_algebra *m, mt_arena *scratch, mt_node root)
{
    mt_node *node = mt_arena_alloc(scratch, root + 1, sizeof *node);
    if (!node && m->status == MT_OK) m->status = MT_MEMORY;
    return node;
}

/* Returns the expression with other nodes in place of variables: by[variable], or, if it is NULL, `only_by` for one variable. */
static mt_node replaced(mt_algebra *m, mt_node root, const mt_node *by, size_t only, mt_node only_by)
{
    MT_SCRATCH(scratch);
    if (m->status != MT_OK) return 0;
    const bool *used = needed_by(m, scratch, root);
    mt_node *copy = nodes_for(m, scratch, root);
    if (!used || !copy) return 0;
    for (mt_node k = 0; k <= root && m->status == MT_OK; k++) {
        if (!used[k]) continue;
        mt_node to = MT_NO_NODE;
        if (op_of(m, k) == MT_OP_VARIABLE) {
            const uint32_t variable = node_of(m, k)->variable;
            to = by ? by[variable] : variable == only ? only_by : MT_NO_NODE;
        }
        copy[k] = to != MT_NO_NODE ? to : mt_rebuilt(m, k, copy);
    }
    return m->status == MT_OK ? copy[root] : 0;
}

mt_node mt_replaced(mt_algebra *m, mt_node root, size_t variable, mt_node by)
{
    return replaced(m, root, NULL, variable, by);
}

mt_node mt_replaced_all(mt_algebra *m, mt_node root, const mt_node *by)
{
    return replaced(m, root, by, 0, MT_NO_NODE);
}

/* ---- derivatives ---- */

/* Returns f'(a) of an operation with one operand; f: its value. */
static mt_node slope(mt_algebra *m, mt_op op, mt_node a, mt_node f)
{
    const mt_node one = mt_number(m, 1);
    switch (op) {
    case MT_OP_NEGATE:
        return mt_number(m, -1);
    case MT_OP_SQRT:
        return mt_quotient(m, mt_number(m, 0.5), f);
    case MT_OP_EXP:
        return f;
    case MT_OP_EXPM1:
        return mt_sum(m, f, one);
    case MT_OP_LOG:
        return mt_quotient(m, one, a);
    case MT_OP_ABS:
        return mt_choice(
            m, mt_apply(m, MT_OP_LESS, (const mt_node[]){a, mt_number(m, 0)}), mt_number(m, -1), one);
    case MT_OP_SIN:
        return mt_apply(m, MT_OP_COS, &a);
    case MT_OP_COS:
        return mt_negative(m, mt_apply(m, MT_OP_SIN, &a));
    case MT_OP_TAN:
        return mt_sum(m, one, mt_product(m, f, f));
    case MT_OP_ASIN:
    case MT_OP_ACOS: {
        const mt_node root = mt_power(m, mt_difference(m, one, mt_product(m, a, a)), mt_number(m, 0.5));
        return mt_quotient(m, mt_number(m, op == MT_OP_ASIN ? 1 : -1), root);
    }
    case MT_OP_ATAN:
        return mt_quotient(m, one, mt_sum(m, one, mt_product(m, a, a)));
    case MT_OP_SINH:
        return mt_apply(m, MT_OP_COSH, &a);
    case MT_OP_COSH:
        return mt_apply(m, MT_OP_SINH, &a);
    case MT_OP_TANH:
        return mt_difference(m, one, mt_product(m, f, f));
    case MT_OP_CBRT:
        return mt_quotient(m, mt_number(m, 1.0 / 3), mt_product(m, f, f));
    default:
        return mt_number(m, 0);
    }
}

/* Returns the derivative of a power a^b with the derivatives da and db. */
static mt_node slope_of_power(mt_algebra *m, mt_node a, mt_node b, mt_node f, mt_node da, mt_node db)
{
    const mt_node one = mt_number(m, 1);
    mt_node sum = mt_product(m, da, mt_product(m, b, mt_power(m, a, mt_difference(m, b, one))));
    if (!mt_is_number(m, db, 0))
        sum = mt_sum(m, sum, mt_product(m, mt_product(m, f, db), mt_apply(m, MT_OP_LOG, &a)));
    return sum;
}

/* Returns the derivative of operation f of x with the derivatives d. */
static mt_node chain(mt_algebra *m, mt_node f, const mt_node *x, const mt_node *d)
{
    const mt_op op = op_of(m, f);
    switch (op) {
    case MT_OP_ADD:
        return mt_sum(m, d[0], d[1]);
    case MT_OP_SUBTRACT:
        return mt_difference(m, d[0], d[1]);
    case MT_OP_MULTIPLY:
        return mt_sum(m, mt_product(m, d[0], x[1]), mt_product(m, x[0], d[1]));
    case MT_OP_DIVIDE:
        return mt_difference(m, mt_quotient(m, d[0], x[1]), mt_quotient(m, mt_product(m, f, d[1]), x[1]));
    case MT_OP_POWER:
        return slope_of_power(m, x[0], x[1], f, d[0], d[1]);
    case MT_OP_MIN:
        return mt_choice(m, mt_apply(m, MT_OP_LESS, (const mt_node[]){x[1], x[0]}), d[1], d[0]);
    case MT_OP_MAX:
        return mt_choice(m, mt_apply(m, MT_OP_LESS, (const mt_node[]){x[0], x[1]}), d[1], d[0]);
    case MT_OP_REMAINDER:
        return d[0];
    case MT_OP_SELECT:
        return mt_choice(m, x[0], d[1], d[2]);
    default:
        return mt_op_operands(op) == 1 ? mt_product(m, d[0], slope(m, op, x[0], f)) : mt_number(m, 0);
    }
}

mt_node mt_derivative(mt_algebra *m, mt_node root, size_t variable)
{
    MT_SCRATCH(scratch);
    if (m->status != MT_OK) return 0;
    const bool *used = needed_by(m, scratch, root);
    mt_node *d = nodes_for(m, scratch, root);
    if (!used || !d) return 0;
    const mt_node zero = mt_number(m, 0), one = mt_number(m, 1);
    for (mt_node k = 0; k <= root && m->status == MT_OK; k++) {
        if (!used[k]) continue;
        const mt_graph_node node = *node_of(m, k);
        mt_node dx[3];
        bool varies = false;
        for (size_t o = 0; o < mt_op_operands(node.op); o++) {
            dx[o] = d[node.operand[o]];
            varies |= dx[o] != zero;
        }
        d[k] = varies ? chain(m, k, node.operand, dx) : zero;
        if (node.op == MT_OP_VARIABLE && node.variable == variable) d[k] = one;
    }
    return m->status == MT_OK ? d[root] : 0;
}
