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

/* ---- choice of methods ---- */

/* The Jacobian in symbols, and the largest sizes of its entries. */
typedef struct jacobian {
    size_t n;
    mt_node *entry;  /* [n][n] */
    double *largest; /* [n][n] over the examples, of |J|; and of sqrt |J_ik J_ki| in `coupling` */
    double *coupling;
} jacobian;

static mt_status make_jacobian(mt_arena *scratch, mt_system *s, jacobian *j)
{
    j->n = s->n_states;
    MT_ALLOC(scratch, j->entry, j->n * j->n);
    MT_ALLOC(scratch, j->largest, j->n * j->n);
    MT_ALLOC(scratch, j->coupling, j->n * j->n);
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = 0; k < j->n; k++)
            j->entry[i * j->n + k] = mt_derivative(&s->algebra, s->rate[i], s->state[k]);
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
        MT_TRY(mt_system_values(s, used, examples->v_mV[x], examples->states + x * n, NULL, value));
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                const double here = fabs(value[j->entry[i * n + k]]),
                             pair = sqrt(here) * sqrt(fabs(value[j->entry[k * n + i]]));
                if (isfinite(here)) j->largest[i * n + k] = fmax(j->largest[i * n + k], here);
                if (isfinite(pair)) j->coupling[i * n + k] = fmax(j->coupling[i * n + k], pair);
            }
    }
    return MT_OK;
}

/* True if the node depends on a variable. */
static mt_status depends(const mt_graph *graph, mt_node root, size_t variable, bool *does)
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

mt_status mt_step_choose(mt_arena *arena, mt_system *system, const mt_examples *examples, mt_step *step)
{
    MT_SCRATCH(scratch);
    jacobian j;
    const size_t n = system->n_states;
    MT_ALLOC(arena, step->method, n);
    MT_ALLOC(arena, step->fastest, n);
    MT_ALLOC(arena, step->linear, n);
    MT_TRY(make_jacobian(scratch, system, &j));
    MT_TRY(measure(system, examples, &j));
    for (size_t k = 0; k < n; k++) {
        bool curved;
        MT_TRY(depends(system->algebra.graph, j.entry[k * n + k], system->state[k], &curved));
        step->linear[k] = !curved;
        step->fastest[k] = j.largest[k * n + k];
    }
    for (size_t i = 0; i < n; i++) {
        const double own = step->fastest[i];
        bool coupled = false;
        for (size_t k = 0; k < n; k++) {
            const double fast = fmax(own, step->fastest[k]), pair = j.coupling[i * n + k];
            coupled |= k != i && pair > MT_STEP_FAST / 4 && pair > 0.1 * fast;
        }
        step->method[i] = coupled || (own > MT_STEP_FAST && !step->linear[i]) ? MT_METHOD_IMPLICIT
                          : step->linear[i] && own > MT_STEP_SLOW             ? MT_METHOD_RUSH_LARSEN
                                                                              : MT_METHOD_EULER;
    }
    return MT_OK;
}

/* ---- expressions ---- */

/* Returns y after dt by the solution of y' = A - y B. */
static mt_node rush_larsen(mt_system *s, size_t state)
{
    mt_algebra *m = &s->algebra;
    const mt_node y = mt_symbol(m, s->state[state]), dt = mt_symbol(m, s->dt), zero = mt_number(m, 0);
    const mt_node slope = mt_derivative(m, s->rate[state], s->state[state]),
                  source = mt_replaced(m, s->rate[state], s->state[state], zero);
    const mt_node exponent = mt_product(m, slope, dt), decay = mt_apply(m, MT_OP_EXP, &exponent);
    if (m->status == MT_OK && source == zero) return mt_product(m, y, decay);
    const mt_node target = mt_quotient(m, mt_negative(m, source), slope);
    return mt_sum(m, target, mt_product(m, mt_difference(m, y, target), decay));
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

/* Solves the equations of a group: right[i] becomes unknown i. Without exchange of rows: for chains and buffers I - dt J is diagonally
 * dominant by columns. The unknown with the least fill is eliminated first. */
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

/* Sets the next values of all implicit states. */
static mt_status step_group(mt_system *s, mt_step *step)
{
    MT_SCRATCH(scratch);
    mt_algebra *m = &s->algebra;
    uint32_t *state;
    group g = {0};
    MT_ALLOC(scratch, state, s->n_states);
    for (size_t k = 0; k < s->n_states; k++)
        if (step->method[k] == MT_METHOD_IMPLICIT) state[g.n++] = (uint32_t)k;
    g.state = state;
    MT_ALLOC(scratch, g.a, g.n * g.n);
    MT_ALLOC(scratch, g.right, g.n);
    MT_ALLOC(scratch, g.done, g.n);
    MT_ALLOC(scratch, g.order, g.n);
    const mt_node dt = mt_symbol(m, s->dt), one = mt_number(m, 1);
    for (size_t i = 0; i < g.n; i++) {
        const mt_node rate = s->rate[state[i]];
        g.right[i] = mt_product(m, dt, rate);
        for (size_t k = 0; k < g.n; k++) {
            const mt_node entry = mt_product(m, dt, mt_derivative(m, rate, s->state[state[k]]));
            g.a[i * g.n + k] = i == k ? mt_difference(m, one, entry) : mt_negative(m, entry);
        }
    }
    solve(m, &g);
    for (size_t i = 0; i < g.n; i++)
        step->next[state[i]] = mt_sum(m, mt_symbol(m, s->state[state[i]]), g.right[i]);
    return m->status;
}

mt_status mt_step_build(mt_arena *arena, mt_system *system, mt_step *step)
{
    mt_algebra *m = &system->algebra;
    MT_ALLOC(arena, step->next, system->n_states);
    MT_TRY(step_group(system, step));
    for (size_t k = 0; k < system->n_states; k++) {
        if (step->method[k] == MT_METHOD_RUSH_LARSEN) step->next[k] = rush_larsen(system, k);
        if (step->method[k] == MT_METHOD_EULER)
            step->next[k] = mt_sum(
                m, mt_symbol(m, system->state[k]), mt_product(m, mt_symbol(m, system->dt), system->rate[k]));
    }
    step->v_change = mt_product(m, mt_symbol(m, system->step), system->v_rate);
    return m->status;
}
