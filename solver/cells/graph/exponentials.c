#include "solver/cells/graph/exponentials.h"

#include <math.h>

/* An exponential exp(sign slope V + intercept) with slope > 0. */
typedef struct exponential {
    mt_node node;
    double slope, sign, factor; /* exp(intercept) */
    size_t base;                /* index of an exponential with slope / power, or of itself */
    int power;
    mt_node with; /* what takes its place; MT_NO_NODE: nothing */
} exponential;

enum { POWER_MOST = 4 };
#define V_MOST_MV 300.0
#define ARGUMENT_MOST 80.0 /* exp(88) is the largest in single precision */
#define SAME_SLOPE 1e-14   /* 1 / 10 and 0.1 differ by rounding */

static bool read_exponential(const mt_algebra *m, mt_node v, mt_node node, exponential *e)
{
    const mt_graph_node *one = &m->graph->node[node];
    if (one->op != MT_OP_EXP || mt_is_constant(m, node)) return false;
    const mt_line line = mt_line_of(m, one->operand[0]);
    if (line.leaf != v || line.slope == 0 || fabs(line.slope) * V_MOST_MV > ARGUMENT_MOST ||
        !(fabs(line.intercept) <= ARGUMENT_MOST))
        return false;
    *e = (exponential){.node = node,
        .slope = fabs(line.slope),
        .sign = copysign(1, line.slope),
        .factor = mt_op_value(MT_OP_EXP, line.intercept, 0, 0),
        .with = MT_NO_NODE};
    return true;
}

/* Chooses the base of e[at] among those before it and itself. */
static void choose_base(exponential *e, const size_t *at, size_t n)
{
    exponential *one = &e[at[n]];
    one->base = at[n], one->power = 1;
    for (int power = 1; power <= POWER_MOST; power++)
        for (size_t k = 0; k < n; k++) {
            const exponential *base = &e[at[k]];
            if (base->base != at[k] || fabs(one->slope - power * base->slope) > SAME_SLOPE * one->slope)
                continue;
            one->base = at[k], one->power = power;
            return;
        }
}

/* Orders exponentials by ascending slope, and equal ones as they are. */
static void order_by_slope(const exponential *e, size_t n, size_t *at)
{
    for (size_t k = 0; k < n; k++) {
        size_t to = k;
        for (; to > 0 && e[at[to - 1]].slope > e[k].slope; to--) at[to] = at[to - 1];
        at[to] = k;
    }
}

/* Sets what takes the place of each exponential that shares a base with another one. */
static mt_status choose(mt_algebra *m, mt_node v, size_t n, exponential *e)
{
    MT_SCRATCH(scratch);
    size_t *at, *members;
    MT_ALLOC(scratch, at, n);
    MT_ALLOC(scratch, members, n);
    order_by_slope(e, n, at);
    for (size_t k = 0; k < n; k++) {
        choose_base(e, at, k);
        members[e[at[k]].base]++;
    }
    for (size_t k = 0; k < n; k++) {
        const exponential *base = &e[e[k].base];
        if (members[e[k].base] < 2) continue;
        const mt_node argument = mt_product(m, mt_number(m, base->slope), v),
                      grown = mt_apply(m, MT_OP_EXP, &argument),
                      signed_one = e[k].sign > 0 ? grown : mt_quotient(m, mt_number(m, 1), grown);
        e[k].with =
            mt_product(m, mt_number(m, e[k].factor), mt_power(m, signed_one, mt_number(m, e[k].power)));
    }
    return m->status;
}

static mt_status share(mt_algebra *m, size_t variable, size_t n, const mt_node *root, mt_node *shared)
{
    MT_SCRATCH(scratch);
    const mt_node v = mt_symbol(m, variable);
    MT_TRY(m->status);
    const size_t n_nodes = m->graph->n;
    bool *used;
    mt_node *copy;
    exponential *e;
    size_t n_found = 0, next = 0;
    MT_ALLOC(scratch, used, n_nodes);
    MT_ALLOC(scratch, copy, n_nodes);
    MT_ALLOC(scratch, e, n_nodes);
    for (size_t k = 0; k < n; k++) mt_graph_mark(m->graph, root[k], used);
    for (mt_node k = 0; k < n_nodes; k++) n_found += used[k] && read_exponential(m, v, k, &e[n_found]);
    MT_TRY(choose(m, v, n_found, e));
    for (mt_node k = 0; k < n_nodes && m->status == MT_OK; k++) {
        if (!used[k]) continue;
        const bool is_exponential = next < n_found && e[next].node == k;
        const mt_node with = is_exponential ? e[next++].with : MT_NO_NODE;
        copy[k] = with != MT_NO_NODE ? with : mt_rebuilt(m, k, copy);
    }
    for (size_t k = 0; k < n && m->status == MT_OK; k++) shared[k] = copy[root[k]];
    return m->status;
}

void mt_exponentials_share(mt_algebra *m, size_t v, size_t n, const mt_node *root, mt_node *shared)
{
    const mt_status status = share(m, v, n, root, shared);
    if (m->status == MT_OK) m->status = status;
}
