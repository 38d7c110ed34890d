#include "solver/cells/graph/step.h"

#include <math.h>
#include <string.h>

const char *mt_method_name(mt_method method)
{
    static const char *const names[] = {[MT_METHOD_EULER] = "forward Euler",
        [MT_METHOD_RUSH_LARSEN] = "Rush-Larsen",
        [MT_METHOD_IMPLICIT] = "implicit"};
    return names[method];
}

/* ---- dependencies ---- */

/* The states on which the derivatives depend: [n][n], row i for the derivative of state i. */
static mt_status find_dependencies(mt_arena *arena, const mt_system *s, bool **depends)
{
    MT_SCRATCH(scratch);
    const mt_graph *graph = s->algebra.graph;
    const size_t n = s->n_states;
    uint32_t *state; /* of each variable; n: none */
    MT_ALLOC(scratch, state, s->step + 1);
    MT_ALLOC(arena, *depends, n * n);
    for (size_t k = 0; k <= s->step; k++) state[k] = (uint32_t)n;
    for (size_t k = 0; k < n; k++) state[s->state[k]] = (uint32_t)k;
    for (size_t i = 0; i < n; i++) {
        MT_SCRATCH(here);
        bool *used;
        MT_ALLOC(here, used, s->rate[i] + 1);
        mt_graph_mark(graph, s->rate[i], used);
        for (mt_node k = 0; k <= s->rate[i]; k++) {
            if (!used[k] || graph->node[k].op != MT_OP_VARIABLE) continue;
            const uint32_t of = state[graph->node[k].variable];
            if (of < n) (*depends)[i * n + of] = true;
        }
    }
    return MT_OK;
}

/* ---- choice of methods ---- */

/* The Jacobian in symbols, and the largest sizes of its entries. */
typedef struct jacobian {
    size_t n;
    bool *depends;    /* [n][n] False: the entry is 0 */
    mt_node *entry;   /* [n][n] */
    double *largest;  /* [n][n] of |J_ik| over the examples */
    double *coupling; /* [n][n] of sqrt |J_ik J_ki| */
    bool *amplifies;  /* [n][n] |J_ik| exceeds |J_kk| at an example; on the diagonal: it is positive */
} jacobian;

static mt_status make_jacobian(mt_arena *scratch, mt_system *s, jacobian *j)
{
    const size_t n = j->n = s->n_states;
    MT_TRY(find_dependencies(scratch, s, &j->depends));
    MT_ALLOC(scratch, j->entry, n * n);
    MT_ALLOC(scratch, j->largest, n * n);
    MT_ALLOC(scratch, j->coupling, n * n);
    MT_ALLOC(scratch, j->amplifies, n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            j->entry[i * n + k] = j->depends[i * n + k] ? mt_derivative(&s->algebra, s->rate[i], s->state[k])
                                                        : mt_number(&s->algebra, 0);
    return s->algebra.status;
}

/* Evaluates the Jacobian at the examples. */
static mt_status measure(mt_system *s, const mt_examples *examples, jacobian *j)
{
    MT_SCRATCH(scratch);
    const mt_graph *graph = s->algebra.graph;
    const size_t n = j->n;
    bool *used;
    double *value;
    MT_ALLOC(scratch, used, graph->n);
    MT_ALLOC(scratch, value, graph->n);
    for (size_t e = 0; e < n * n; e++) used[j->entry[e]] = true;
    mt_graph_mark(graph, (mt_node)(graph->n - 1), used); /* all that the marked nodes need */
    for (size_t x = 0; x < examples->n; x++) {
        MT_TRY(mt_system_values(s, used, examples->v_mV[x], examples->states + x * n, value));
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                const double here = fabs(value[j->entry[i * n + k]]),
                             pair = sqrt(here) * sqrt(fabs(value[j->entry[k * n + i]]));
                if (isfinite(here)) j->largest[i * n + k] = fmax(j->largest[i * n + k], here);
                if (isfinite(pair)) j->coupling[i * n + k] = fmax(j->coupling[i * n + k], pair);
                const double own = value[j->entry[k * n + k]];
                j->amplifies[i * n + k] |= i == k ? own > 0 : here > MT_STEP_SAME * fabs(own);
            }
    }
    return MT_OK;
}

/* True if the node depends on a variable. */
static mt_status depends_on(const mt_graph *graph, mt_node root, size_t variable, bool *does)
{
    MT_SCRATCH(scratch);
    bool *used;
    MT_ALLOC(scratch, used, root + 1);
    mt_graph_mark(graph, root, used);
    *does = false;
    for (mt_node k = 0; k <= root; k++)
        *does |= used[k] && graph->node[k].op == MT_OP_VARIABLE && graph->node[k].variable == variable;
    return MT_OK;
}

/* Finds the states of which the derivative is linear in the state itself. */
static mt_status find_linear(mt_arena *arena, mt_system *s, mt_step *step)
{
    *step = (mt_step){.substeps = 1};
    MT_ALLOC(arena, step->method, s->n_states);
    MT_ALLOC(arena, step->linear, s->n_states);
    MT_ALLOC(arena, step->fastest, s->n_states);
    for (size_t k = 0; k < s->n_states; k++) {
        bool curved;
        const mt_node slope = mt_derivative(&s->algebra, s->rate[k], s->state[k]);
        MT_TRY(s->algebra.status);
        MT_TRY(depends_on(s->algebra.graph, slope, s->state[k], &curved));
        step->linear[k] = !curved;
    }
    return MT_OK;
}

mt_status mt_step_cautious(mt_arena *arena, mt_system *system, mt_step *step)
{
    MT_SCRATCH(scratch);
    bool *depends;
    const size_t n = system->n_states;
    MT_TRY(find_linear(arena, system, step));
    MT_TRY(find_dependencies(scratch, system, &depends));
    for (size_t i = 0; i < n; i++) {
        bool alone = step->linear[i];
        for (size_t k = 0; k < n; k++) alone &= k == i || !depends[i * n + k];
        step->method[i] = alone ? MT_METHOD_RUSH_LARSEN : MT_METHOD_IMPLICIT;
    }
    MT_ALLOC(arena, step->part, n * n);
    for (size_t e = 0; e < n * n; e++) step->part[e] = MT_PART_CHECKED;
    return MT_OK;
}

/* True if state i is a flux into state k by their units: mM/ms and mM. */
static bool is_flux_of(const mt_system *s, size_t i, size_t k)
{
    const mt_unit flux = s->equations->variable[s->state[i]].unit,
                  amount = s->equations->variable[s->state[k]].unit;
    mt_unit second = mt_unit_none;
    second.exponent[MT_SECOND] = 1;
    return flux.known && amount.known && mt_unit_same_dimension(mt_unit_times(flux, second), amount);
}

/* True if the decay of a state is the growth of another that affects it. */
static bool is_exchanged(const mt_system *s, const jacobian *j, size_t i)
{
    const double own = j->largest[i * j->n + i];
    for (size_t k = 0; k < j->n; k++)
        if (k != i && own > 0 && j->depends[i * j->n + k] &&
            j->largest[k * j->n + i] >= MT_STEP_EXCHANGE * own && !is_flux_of(s, i, k))
            return true;
    return false;
}

/* Adds the states that a member of the implicit group draws into it; true if there was one. */
static bool joins(const jacobian *j, const bool *gate, bool *member)
{
    const size_t n = j->n;
    bool any = false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; member[i] && k < n; k++) {
            if (member[k]) continue;
            member[k] =
                j->coupling[i * n + k] > MT_STEP_SLOW || (!gate[k] && j->largest[k * n + i] > MT_STEP_FAST);
            any |= member[k];
        }
    return any;
}

mt_status mt_step_choose(mt_arena *arena, mt_system *system, const mt_examples *examples, mt_step *step)
{
    MT_SCRATCH(scratch);
    jacobian j;
    const size_t n = system->n_states;
    MT_TRY(find_linear(arena, system, step));
    MT_TRY(make_jacobian(scratch, system, &j));
    MT_TRY(measure(system, examples, &j));
    for (size_t k = 0; k < n; k++) step->fastest[k] = j.largest[k * n + k];
    bool *gate, *member;
    MT_ALLOC(scratch, gate, n);
    MT_ALLOC(scratch, member, n);
    for (size_t i = 0; i < n; i++) gate[i] = step->linear[i] && !is_exchanged(system, &j, i);
    for (size_t i = 0; i < n; i++) member[i] = !gate[i] && step->fastest[i] > MT_STEP_FAST;
    while (joins(&j, gate, member)) {}
    for (size_t i = 0; i < n; i++)
        step->method[i] = member[i]                                    ? MT_METHOD_IMPLICIT
                          : gate[i] && step->fastest[i] > MT_STEP_SLOW ? MT_METHOD_RUSH_LARSEN
                                                                       : MT_METHOD_EULER;
    MT_ALLOC(arena, step->part, n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const bool amplifies = j.amplifies[i * n + k];
            step->part[i * n + k] = !amplifies ? MT_PART_ALL : i == k ? MT_PART_CHECKED : MT_PART_NONE;
        }
    return MT_OK;
}

/* ---- expressions ---- */

/* True if the rate of a gate is positive at every V: it depends on V only, without cases, or is a number. */
static mt_status is_positive(mt_system *s, mt_node slope, bool *positive)
{
    MT_SCRATCH(scratch);
    const mt_graph *graph = s->algebra.graph;
    bool *used;
    MT_ALLOC(scratch, used, slope + 1);
    mt_graph_mark(graph, slope, used);
    *positive = !mt_is_constant(&s->algebra, slope) || graph->node[slope].op == MT_OP_NUMBER;
    for (mt_node k = 0; k <= slope; k++) {
        const mt_graph_node *one = &graph->node[k];
        if (!used[k] || mt_is_constant(&s->algebra, k)) continue;
        *positive &= one->op != MT_OP_SELECT && (one->op != MT_OP_VARIABLE || one->variable == s->v);
    }
    return MT_OK;
}

/* Returns y after dt by the solution of y' = A - y B. */
static mt_status rush_larsen(mt_system *s, size_t state, mt_node *next)
{
    mt_algebra *m = &s->algebra;
    const mt_node y = mt_symbol(m, s->state[state]), dt = mt_symbol(m, s->dt), zero = mt_number(m, 0);
    const mt_node slope = mt_derivative(m, s->rate[state], s->state[state]),
                  source = mt_replaced(m, s->rate[state], s->state[state], zero);
    const mt_node exponent = mt_product(m, slope, dt), decay = mt_apply(m, MT_OP_EXP, &exponent);
    bool positive;
    MT_TRY(m->status);
    MT_TRY(is_positive(s, slope, &positive));
    if (slope == zero) {
        *next = mt_sum(m, y, mt_product(m, dt, s->rate[state]));
    } else if (source == zero) {
        *next = mt_product(m, y, decay);
    } else if (positive) {
        const mt_node target = mt_quotient(m, mt_negative(m, source), slope);
        *next = mt_sum(m, target, mt_product(m, mt_difference(m, y, target), decay));
    } else {
        const mt_node change = mt_product(m, dt, s->rate[state]);
        *next = mt_sum(m, y, mt_product(m, change, mt_exprel(m, exponent)));
    }
    return m->status;
}

/* A linear system of equations in symbols; absent entries are the number 0. */
typedef struct group {
    size_t n;
    const uint32_t *state; /* [n] indices of states */
    mt_node *a, *right;    /* [n][n], [n] */
    bool *done;            /* [n] eliminated rows */
    size_t *order;         /* [n] */
} group;

/* Returns the number of products that the elimination of row p adds. */
static size_t fill_of(const mt_algebra *m, const group *g, size_t p)
{
    size_t rows = 0, columns = 0;
    for (size_t k = 0; k < g->n; k++) {
        if (k == p || g->done[k]) continue;
        rows += !mt_is_number(m, g->a[k * g->n + p], 0);
        columns += !mt_is_number(m, g->a[p * g->n + k], 0);
    }
    return rows * columns;
}

/* Eliminates unknown p from the rows that remain. */
static void eliminate(mt_algebra *m, group *g, size_t p)
{
    const size_t n = g->n;
    g->done[p] = true;
    for (size_t i = 0; i < n; i++) {
        if (g->done[i] || mt_is_number(m, g->a[i * n + p], 0)) continue;
        const mt_node ratio = mt_quotient(m, g->a[i * n + p], g->a[p * n + p]);
        for (size_t k = 0; k < n; k++)
            if (!g->done[k])
                g->a[i * n + k] = mt_difference(m, g->a[i * n + k], mt_product(m, ratio, g->a[p * n + k]));
        g->right[i] = mt_difference(m, g->right[i], mt_product(m, ratio, g->right[p]));
    }
}

/* Solves the equations of a group: right[i] becomes unknown i. Without exchange of rows: columns are dominated by the diagonal. The unknown
 * with the least fill is eliminated first. */
static void solve(mt_algebra *m, group *g)
{
    const size_t n = g->n;
    for (size_t turn = 0; turn < n; turn++) {
        size_t best = n, least = SIZE_MAX;
        for (size_t p = 0; p < n; p++) {
            if (g->done[p]) continue;
            const size_t fill = fill_of(m, g, p);
            if (fill < least) least = fill, best = p;
        }
        eliminate(m, g, best);
        g->order[turn] = best;
    }
    for (size_t turn = n; turn-- > 0;) {
        const size_t p = g->order[turn];
        mt_node sum = g->right[p];
        for (size_t later = turn + 1; later < n; later++) {
            const size_t k = g->order[later];
            sum = mt_difference(m, sum, mt_product(m, g->a[p * n + k], g->right[k]));
        }
        g->right[p] = mt_quotient(m, sum, g->a[p * n + p]);
    }
}

/* True if an exponential in an expression can overflow, such as that of 1 / (1 + exp(x)), whose derivative is then not a number. */
static mt_status can_overflow(const mt_algebra *m, mt_node root, bool *can)
{
    MT_SCRATCH(scratch);
    bool *used;
    MT_ALLOC(scratch, used, root + 1);
    mt_graph_mark(m->graph, root, used);
    *can = false;
    for (mt_node k = 0; k <= root; k++) {
        const mt_op op = m->graph->node[k].op;
        *can |=
            used[k] && !mt_is_constant(m, k) && (op == MT_OP_EXP || op == MT_OP_EXPM1 || op == MT_OP_POWER);
    }
    return MT_OK;
}

/* Returns df_i/dy_k; 0 where it overflows. */
static mt_node entry_of(mt_system *s, size_t i, size_t k)
{
    mt_algebra *m = &s->algebra;
    const mt_node entry = mt_derivative(m, s->rate[i], s->state[k]);
    bool can;
    if (m->status == MT_OK) m->status = can_overflow(m, entry, &can);
    if (m->status != MT_OK || !can) return entry;
    const mt_node size = mt_apply(m, MT_OP_ABS, &entry);
    return mt_choice(
        m, mt_apply(m, MT_OP_LESS, (const mt_node[]){size, mt_number(m, 1e30)}), entry, mt_number(m, 0));
}

/* Returns the entry of J for the derivative of state i with respect to state k. */
static mt_node part_of(mt_system *s, const mt_step *step, size_t i, size_t k)
{
    mt_algebra *m = &s->algebra;
    const mt_node zero = mt_number(m, 0);
    const int part = step->complete ? MT_PART_ALL : (int)step->part[i * s->n_states + k];
    if (part == MT_PART_NONE) return zero;
    const mt_node entry = entry_of(s, i, k);
    if (part == MT_PART_ALL || m->status != MT_OK || entry == zero) return entry;
    if (i == k) return mt_apply(m, MT_OP_MIN, (const mt_node[]){entry, zero});
    const mt_node own = entry_of(s, k, k), size = mt_apply(m, MT_OP_ABS, &entry);
    const mt_node most = mt_product(m, mt_number(m, MT_STEP_SAME), mt_apply(m, MT_OP_ABS, &own));
    return mt_choice(m, mt_apply(m, MT_OP_LESS_EQUAL, (const mt_node[]){size, most}), entry, zero);
}

/* Takes a substep of the group from the values by[] of its states; other variables are MT_NO_NODE there. */
static void substep(mt_system *s, const mt_step *step, group *g, mt_node dt, mt_node *by)
{
    mt_algebra *m = &s->algebra;
    const mt_node one = mt_number(m, 1);
    for (size_t i = 0; i < g->n; i++) {
        const size_t row = g->state[i];
        g->done[i] = false;
        g->right[i] = mt_product(m, dt, mt_replaced_all(m, s->rate[row], by));
        for (size_t k = 0; k < g->n; k++) {
            const mt_node part = mt_replaced_all(m, part_of(s, step, row, g->state[k]), by),
                          entry = mt_product(m, dt, part);
            g->a[i * g->n + k] = i == k ? mt_difference(m, one, entry) : mt_negative(m, entry);
        }
    }
    solve(m, g);
    for (size_t i = 0; i < g->n; i++) {
        mt_node *y = &by[s->state[g->state[i]]];
        *y = mt_sum(m, *y, g->right[i]);
    }
}

/* Sets the next values of all implicit states. */
static mt_status step_group(mt_system *s, mt_step *step)
{
    MT_SCRATCH(scratch);
    mt_algebra *m = &s->algebra;
    uint32_t *state;
    mt_node *by;
    group g = {0};
    MT_ALLOC(scratch, state, s->n_states);
    MT_ALLOC(scratch, by, s->step + 1);
    memset(by, 0xff, (s->step + 1) * sizeof *by);
    for (size_t k = 0; k < s->n_states; k++) {
        if (step->method[k] != MT_METHOD_IMPLICIT) continue;
        state[g.n++] = (uint32_t)k;
        by[s->state[k]] = mt_symbol(m, s->state[k]);
    }
    g.state = state;
    MT_ALLOC(scratch, g.a, g.n * g.n);
    MT_ALLOC(scratch, g.right, g.n);
    MT_ALLOC(scratch, g.done, g.n);
    MT_ALLOC(scratch, g.order, g.n);
    const mt_node dt = mt_product(m, mt_number(m, 1.0 / step->substeps), mt_symbol(m, s->dt));
    for (unsigned k = 0; k < step->substeps; k++) substep(s, step, &g, dt, by);
    for (size_t i = 0; i < g.n; i++) step->next[state[i]] = by[s->state[state[i]]];
    return m->status;
}

mt_status mt_step_build(mt_arena *arena, mt_system *system, mt_step *step)
{
    mt_algebra *m = &system->algebra;
    MT_ALLOC(arena, step->next, system->n_states);
    MT_TRY(step_group(system, step));
    for (size_t k = 0; k < system->n_states; k++) {
        if (step->method[k] == MT_METHOD_RUSH_LARSEN) MT_TRY(rush_larsen(system, k, &step->next[k]));
        if (step->method[k] == MT_METHOD_EULER)
            step->next[k] = mt_sum(
                m, mt_symbol(m, system->state[k]), mt_product(m, mt_symbol(m, system->dt), system->rate[k]));
    }
    step->v_change = mt_product(m, mt_symbol(m, system->step), system->v_rate);
    return m->status;
}
