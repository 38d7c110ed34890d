#include "solver/cells/graph/currents.h"

/* Where a term of dV/dt stands: in a product of dV/dt, in a sum, or in a product that is a term of a sum. */
typedef enum depth { IN_PRODUCT, IN_SUM, IN_PRODUCT_OF_SUM } depth;

/* The search for terms, from dV/dt to its operands; for each node of the flat graph. */
typedef struct search {
    const mt_system *system;
    const mt_graph *flat;
    mt_algebra algebra; /* of the copies and the factors */
    mt_node *copy;
    mt_node *factor; /* of the node in dV/dt; MT_NO_NODE: it is not a term */
    depth *depth;    /* the least, if it is several terms */
    uint32_t *name;  /* the intermediate with this value; UINT32_MAX: none */
} search;

static mt_status search_new(mt_arena *arena, const mt_system *system, search *s)
{
    const mt_equations *e = system->equations;
    const size_t n = e->flat->n;
    *s = (search){.system = system, .flat = e->flat};
    MT_TRY(mt_algebra_new(arena, system->algebra.constant_variable, &s->algebra));
    MT_ALLOC(arena, s->copy, n);
    MT_ALLOC(arena, s->factor, n);
    MT_ALLOC(arena, s->depth, n);
    MT_ALLOC(arena, s->name, n);
    for (size_t k = 0; k < n; k++) {
        s->factor[k] = MT_NO_NODE;
        s->depth[k] = IN_PRODUCT_OF_SUM;
        s->name[k] = UINT32_MAX;
    }
    for (size_t k = e->n; k-- > 0;)
        if (e->variable[k].kind == MT_VARIABLE_INTERMEDIATE) s->name[e->variable[k].flat] = (uint32_t)k;
    return mt_system_copy(system, &s->algebra, mt_number(&s->algebra, 0), s->copy);
}

static void add_term(search *s, mt_node term, mt_node factor, depth at)
{
    if (s->factor[term] != MT_NO_NODE) factor = mt_sum(&s->algebra, s->factor[term], factor);
    s->factor[term] = factor;
    if (at < s->depth[term]) s->depth[term] = at;
}

static bool is_sum(const search *s, mt_node node)
{
    const mt_op op = s->flat->node[node].op;
    return op == MT_OP_ADD || op == MT_OP_SUBTRACT;
}

/* Passes the factor of a sum on to its terms. In products the terms must have names: V - E and V + 50 are no sums of currents. */
static void open_sum(search *s, mt_node node)
{
    const mt_graph_node *one = &s->flat->node[node];
    const depth at = s->depth[node] == IN_PRODUCT ? IN_SUM : s->depth[node];
    for (int k = 0; at == IN_PRODUCT_OF_SUM && k < 2; k++)
        if (s->name[one->operand[k]] == UINT32_MAX && !is_sum(s, one->operand[k])) return;
    const mt_node factor = s->factor[node];
    add_term(s, one->operand[0], factor, at);
    add_term(s, one->operand[1], one->op == MT_OP_ADD ? factor : mt_negative(&s->algebra, factor), at);
}

/* Passes the factor of a product or quotient with a constant on to the other operand. */
static void open_product(search *s, mt_node node)
{
    mt_algebra *m = &s->algebra;
    const mt_graph_node *one = &s->flat->node[node];
    const mt_node a = s->copy[one->operand[0]], b = s->copy[one->operand[1]], factor = s->factor[node];
    const depth at = s->depth[node] == IN_PRODUCT ? IN_PRODUCT : IN_PRODUCT_OF_SUM;
    if (one->op == MT_OP_DIVIDE && mt_is_constant(m, b))
        add_term(s, one->operand[0], mt_quotient(m, factor, b), at);
    else if (one->op == MT_OP_MULTIPLY && mt_is_constant(m, b))
        add_term(s, one->operand[0], mt_product(m, factor, b), at);
    else if (one->op == MT_OP_MULTIPLY && mt_is_constant(m, a))
        add_term(s, one->operand[1], mt_product(m, factor, a), at);
}

/* Finds all terms. Operands have smaller indices, so the factor of a node is complete before it is passed on. */
static void find_terms(search *s)
{
    mt_algebra *m = &s->algebra;
    const mt_system *system = s->system;
    const mt_node rate = system->equations->variable[system->v].flat;
    add_term(s, rate, mt_number(m, -system->mV / system->ms), IN_PRODUCT);
    for (mt_node k = rate + 1; k-- > 0;) {
        const mt_op op = s->flat->node[k].op;
        if (s->factor[k] == MT_NO_NODE || mt_is_constant(m, s->copy[k])) continue;
        if (is_sum(s, k))
            open_sum(s, k);
        else if (op == MT_OP_NEGATE)
            add_term(s, s->flat->node[k].operand[0], mt_negative(m, s->factor[k]), s->depth[k]);
        else if (s->depth[k] == IN_PRODUCT || s->name[k] == UINT32_MAX)
            open_product(s, k);
    }
}

/* ---- the currents among the terms ---- */

/* True if the unit of an intermediate is that of V. */
static bool is_voltage(const mt_system *system, uint32_t variable)
{
    const mt_variable *v = system->equations->variable;
    const mt_unit unit = v[variable].unit, of_v = v[system->v].unit;
    return unit.known && of_v.known && mt_unit_same_dimension(unit, of_v);
}

/* True if a term is a current. The stimulus, and what depends on it alone, is 0 in the copy. */
static bool is_current(const search *s, mt_node node)
{
    const mt_system *system = s->system;
    return s->factor[node] != MT_NO_NODE && s->name[node] != UINT32_MAX &&
           node != system->equations->variable[system->v].flat &&
           !mt_is_number(&s->algebra, s->copy[node], 0) && !is_voltage(system, s->name[node]);
}

/* The inputs of the program. */
typedef struct inputs {
    mt_node *node;  /* [n] */
    double *number; /* [n_numbers] */
    size_t n_numbers, n;
} inputs;

/* Lists the numbers that the outputs need, among them the parameters on which no derivative depends; then the other inputs. */
static mt_status find_inputs(mt_arena *arena, const mt_system *system, mt_algebra *m, const mt_currents *c,
    const mt_node *output, inputs *in)
{
    MT_SCRATCH(scratch);
    const mt_equations *e = system->equations;
    bool *used, *settable;
    MT_ALLOC(scratch, settable, e->n);
    for (size_t k = 0; k < system->n_parameters; k++) settable[system->parameter[k]] = true;
    const size_t most = m->graph->n + 1 + system->n_states + system->n_parameters;
    MT_ALLOC(scratch, used, most);
    MT_ALLOC(arena, in->node, most);
    MT_ALLOC(arena, in->number, most);
    for (size_t k = 0; k < c->n; k++) mt_graph_mark(m->graph, output[k], used);
    for (mt_node k = 0; k < m->graph->n; k++) {
        const mt_graph_node *one = &m->graph->node[k];
        const mt_variable *v = one->op == MT_OP_VARIABLE ? &e->variable[one->variable] : NULL;
        if (!used[k] || !(one->op == MT_OP_NUMBER || (v && v->kind == MT_VARIABLE_PARAMETER))) continue;
        if (v && settable[one->variable]) continue;
        in->number[in->n_numbers] = v ? v->value : one->value;
        in->node[in->n_numbers++] = k;
    }
    in->n = in->n_numbers;
    for (size_t k = 0; k < system->n_parameters; k++) in->node[in->n++] = mt_symbol(m, system->parameter[k]);
    in->node[in->n++] = mt_symbol(m, system->v);
    for (size_t k = 0; k < system->n_states; k++) in->node[in->n++] = mt_symbol(m, system->state[k]);
    return m->status;
}

mt_status mt_currents_find(mt_arena *arena, const mt_system *system, mt_currents *currents)
{
    MT_SCRATCH(scratch);
    search s;
    MT_TRY(search_new(scratch, system, &s));
    find_terms(&s);
    MT_TRY(s.algebra.status);
    mt_node *output, *node_of;
    const size_t n = system->equations->n;
    *currents = (mt_currents){0};
    MT_ALLOC(arena, currents->variable, n);
    MT_ALLOC(scratch, output, n);
    MT_ALLOC(scratch, node_of, n);
    for (size_t k = 0; k < n; k++) node_of[k] = MT_NO_NODE;
    for (mt_node k = 0; k < s.flat->n; k++)
        if (is_current(&s, k)) node_of[s.name[k]] = k;
    for (size_t k = 0; k < n; k++) {
        if (node_of[k] == MT_NO_NODE) continue;
        output[currents->n] = mt_product(&s.algebra, s.factor[node_of[k]], s.copy[node_of[k]]);
        currents->variable[currents->n++] = (uint32_t)k;
    }
    MT_TRY(s.algebra.status);
    inputs in = {0};
    MT_TRY(find_inputs(arena, system, &s.algebra, currents, output, &in));
    currents->n_numbers = in.n_numbers;
    currents->number = in.number;
    return mt_program_make(
        arena, s.algebra.graph, in.n, in.node, currents->n, output, false, &currents->program);
}
