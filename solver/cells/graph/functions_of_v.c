#include "solver/cells/graph/functions_of_v.h"

#include "solver/cells/tabulated.h"

/* Costs of operations in sums of vectors, and of reading a function from a table: for each cell, a vector of multiply-adds per coefficient
 * reads LANES functions, and the vectors are transposed. Cheaper functions are computed. */
enum { COST_OF_TABLE = 10, COST_OF_DIVISION = 4, COST_OF_FUNCTION = 12, COST_MAX = 1000 };

/* Errors change with parameters and time steps. A run with tables demands MT_TABULATED_ERROR, so some of it is left to such changes. */
#define ERROR_MAX (0.5 * MT_TABULATED_ERROR)

/* What is known about each node. */
typedef struct work {
    mt_system *system;
    size_t n;           /* nodes of the graph before the search */
    bool *used;         /* by the outputs */
    bool *of_v, *of_dt; /* depends on V, constants and the time step alone; on the step of the states */
    bool *smooth;       /* a table can contain it */
    bool *chosen, *visited;
    uint16_t *cost;
    mt_node *stack;
} work;

static mt_status open_work(mt_arena *arena, mt_system *system, work *w)
{
    const size_t n = system->algebra.graph->n;
    *w = (work){.system = system, .n = n};
    MT_ALLOC(arena, w->used, n);
    MT_ALLOC(arena, w->of_v, n);
    MT_ALLOC(arena, w->of_dt, n);
    MT_ALLOC(arena, w->smooth, n);
    MT_ALLOC(arena, w->chosen, n);
    MT_ALLOC(arena, w->visited, n);
    MT_ALLOC(arena, w->cost, n);
    MT_ALLOC(arena, w->stack, 4 * n + 1);
    return MT_OK;
}

static unsigned cost_of(mt_op op)
{
    switch (op) {
    case MT_OP_NUMBER:
    case MT_OP_VARIABLE:
        return 0;
    case MT_OP_DIVIDE:
    case MT_OP_SQRT:
        return COST_OF_DIVISION;
    case MT_OP_NEGATE:
    case MT_OP_ABS:
    case MT_OP_FLOOR:
    case MT_OP_CEIL:
    case MT_OP_ADD:
    case MT_OP_SUBTRACT:
    case MT_OP_MULTIPLY:
    case MT_OP_MIN:
    case MT_OP_MAX:
    case MT_OP_NOT:
    case MT_OP_LESS:
    case MT_OP_LESS_EQUAL:
    case MT_OP_EQUAL:
    case MT_OP_AND:
    case MT_OP_OR:
    case MT_OP_SELECT:
        return 1;
    default:
        return COST_OF_FUNCTION;
    }
}

/* Finds the nodes that depend on V, constants and the time step alone, and their cost. */
static void find_dependencies(work *w, bool multirate)
{
    const mt_system *s = w->system;
    const mt_graph *graph = s->algebra.graph;
    for (mt_node k = 0; k < w->n; k++) {
        const mt_graph_node *one = &graph->node[k];
        if (!w->used[k]) continue;
        if (one->op == MT_OP_VARIABLE) {
            w->of_dt[k] = one->variable == s->dt;
            w->of_v[k] = mt_is_constant(&s->algebra, k) || one->variable == s->v ||
                         one->variable == s->step || (w->of_dt[k] && !multirate);
            continue;
        }
        unsigned cost = mt_is_constant(&s->algebra, k) ? 0 : cost_of(one->op);
        w->of_v[k] = true;
        for (size_t o = 0; o < mt_op_operands(one->op); o++) {
            w->of_v[k] &= w->of_v[one->operand[o]];
            w->of_dt[k] |= w->of_dt[one->operand[o]];
            if (!mt_is_constant(&s->algebra, k)) cost += w->cost[one->operand[o]];
        }
        w->cost[k] = (uint16_t)(cost < COST_MAX ? cost : COST_MAX);
    }
}

/* True if a function is the decay exp(-rate dt), of which a table contains exp(-rate dt) - 1. */
static bool is_decay(const work *w, mt_node k)
{
    return w->of_dt[k] && w->system->algebra.graph->node[k].op == MT_OP_EXP;
}

/* Sets the values of the variables for the parameters of the file. */
static void set_variables(const mt_system *s, double v_mV, double dt_ms, double *variable)
{
    const mt_equations *e = s->equations;
    for (size_t k = 0; k < e->n; k++) variable[k] = e->variable[k].value;
    variable[s->v] = v_mV;
    variable[s->dt] = variable[s->step] = dt_ms;
}

/* Finds which functions are not smooth enough for a table with this time step. */
static mt_status find_rough(work *w, double dt_ms)
{
    MT_SCRATCH(scratch);
    const mt_graph *graph = w->system->algebra.graph;
    double v_mV[MT_TABLE_POINTS], *variable, *value, *of_v; /* [n][MT_TABLE_POINTS] of the functions */
    uint32_t *row;
    uint32_t n = 0;
    MT_ALLOC(scratch, variable, w->system->equations->n + 2);
    MT_ALLOC(scratch, value, w->n);
    MT_ALLOC(scratch, row, w->n);
    for (mt_node k = 0; k < w->n; k++) row[k] = w->smooth[k] ? n++ : UINT32_MAX;
    MT_ALLOC(scratch, of_v, n * (size_t)MT_TABLE_POINTS);
    mt_table_points(v_mV);
    for (size_t point = 0; point < MT_TABLE_POINTS; point++) {
        set_variables(w->system, v_mV[point], dt_ms, variable);
        for (mt_node k = 0; k < w->n; k++) {
            if (!w->used[k] || !w->of_v[k]) continue;
            value[k] = mt_graph_node_value(graph, k, variable, value);
            if (row[k] == UINT32_MAX) continue;
            of_v[row[k] * (size_t)MT_TABLE_POINTS + point] =
                is_decay(w, k) ? mt_op_value(MT_OP_EXPM1, value[graph->node[k].operand[0]], 0, 0) : value[k];
        }
    }
    for (mt_node k = 0; k < w->n; k++)
        if (row[k] != UINT32_MAX)
            w->smooth[k] = mt_table_error(of_v + row[k] * (size_t)MT_TABLE_POINTS) <= ERROR_MAX;
    return MT_OK;
}

/* Chooses the outermost smooth functions below a node. */
static void choose(work *w, mt_node root)
{
    const mt_graph *graph = w->system->algebra.graph;
    size_t depth = 0;
    w->stack[depth++] = root;
    while (depth > 0) {
        const mt_node k = w->stack[--depth];
        if (w->visited[k]) continue;
        w->visited[k] = true;
        w->chosen[k] = w->smooth[k];
        const size_t n_operands = w->smooth[k] ? 0 : mt_op_operands(graph->node[k].op);
        for (size_t o = 0; o < n_operands; o++) w->stack[depth++] = graph->node[k].operand[o];
    }
}

/* Lists the functions, and rebuilds the outputs where a function takes another form. */
static mt_status list(
    mt_arena *arena, const work *w, size_t n_outputs, const mt_node *output, mt_functions_of_v *found)
{
    MT_SCRATCH(scratch);
    mt_algebra *m = &w->system->algebra;
    mt_node *copy;
    MT_ALLOC(scratch, copy, w->n);
    MT_ALLOC(arena, found->node, w->n);
    MT_ALLOC(arena, found->output, n_outputs);
    for (mt_node k = 0; k < w->n && m->status == MT_OK; k++) {
        if (!w->visited[k]) continue;
        copy[k] = k;
        if (!w->chosen[k]) {
            copy[k] = mt_rebuilt(m, k, copy);
        } else if (is_decay(w, k)) {
            const mt_node argument = m->graph->node[k].operand[0],
                          change = mt_apply(m, MT_OP_EXPM1, &argument);
            copy[k] = mt_sum(m, mt_number(m, 1), change);
            found->node[found->n++] = change;
        } else {
            found->node[found->n++] = k;
        }
    }
    for (size_t k = 0; k < n_outputs && m->status == MT_OK; k++) found->output[k] = copy[output[k]];
    return m->status;
}

mt_status mt_functions_of_v_find(mt_arena *arena, mt_system *system, double dt_ms, bool multirate,
    size_t n_outputs, const mt_node *output, mt_functions_of_v *found)
{
    MT_SCRATCH(scratch);
    work w;
    *found = (mt_functions_of_v){0};
    MT_TRY(open_work(scratch, system, &w));
    for (size_t k = 0; k < n_outputs; k++) mt_graph_mark(system->algebra.graph, output[k], w.used);
    find_dependencies(&w, multirate);
    for (mt_node k = 0; k < w.n; k++) w.smooth[k] = w.used[k] && w.of_v[k] && w.cost[k] > COST_OF_TABLE;
    MT_TRY(find_rough(&w, dt_ms));
    MT_TRY(find_rough(&w, dt_ms / 8));
    for (size_t k = 0; k < n_outputs; k++) choose(&w, output[k]);
    return list(arena, &w, n_outputs, output, found);
}
