#include "solver/cells/graph/program.h"

#include <string.h>

/* The instruction for an operation of an expression. */
static const mt_code codes[MT_OPS] = {
    [MT_OP_NEGATE] = MT_CODE_NEGATE,
    [MT_OP_SQRT] = MT_CODE_SQRT,
    [MT_OP_EXP] = MT_CODE_EXP,
    [MT_OP_EXPM1] = MT_CODE_EXPM1,
    [MT_OP_LOG] = MT_CODE_LOG,
    [MT_OP_ABS] = MT_CODE_ABS,
    [MT_OP_FLOOR] = MT_CODE_FLOOR,
    [MT_OP_CEIL] = MT_CODE_CEIL,
    [MT_OP_SIN] = MT_CODE_SIN,
    [MT_OP_COS] = MT_CODE_COS,
    [MT_OP_TAN] = MT_CODE_TAN,
    [MT_OP_ASIN] = MT_CODE_ASIN,
    [MT_OP_ACOS] = MT_CODE_ACOS,
    [MT_OP_ATAN] = MT_CODE_ATAN,
    [MT_OP_SINH] = MT_CODE_SINH,
    [MT_OP_COSH] = MT_CODE_COSH,
    [MT_OP_TANH] = MT_CODE_TANH,
    [MT_OP_CBRT] = MT_CODE_CBRT,
    [MT_OP_NOT] = MT_CODE_NOT,
    [MT_OP_ADD] = MT_CODE_ADD,
    [MT_OP_SUBTRACT] = MT_CODE_SUBTRACT,
    [MT_OP_MULTIPLY] = MT_CODE_MULTIPLY,
    [MT_OP_DIVIDE] = MT_CODE_DIVIDE,
    [MT_OP_POWER] = MT_CODE_POWER,
    [MT_OP_MIN] = MT_CODE_MIN,
    [MT_OP_MAX] = MT_CODE_MAX,
    [MT_OP_REMAINDER] = MT_CODE_REMAINDER,
    [MT_OP_LESS] = MT_CODE_LESS,
    [MT_OP_LESS_EQUAL] = MT_CODE_LESS_EQUAL,
    [MT_OP_EQUAL] = MT_CODE_EQUAL,
    [MT_OP_AND] = MT_CODE_AND,
    [MT_OP_OR] = MT_CODE_OR,
    [MT_OP_SELECT] = MT_CODE_SELECT,
};

/* The instructions in terms of nodes, before registers are chosen. */
typedef struct draft {
    mt_code code;
    mt_node node, operand[4];
    size_t n_operands;
} draft;

typedef struct maker {
    const mt_graph *graph;
    draft *draft; /* [n] */
    size_t n;
    enum { NEW, INPUT, WAITING, DONE } * state; /* of each node */
    mt_node *stack;
    size_t depth;
    uint32_t *last; /* of each node: the last instruction that reads it; UINT32_MAX: a result */
} maker;

/* Translates one node. A selection by a comparison is one instruction, unless the truth value is an input. */
static draft draft_of(const maker *w, mt_node node)
{
    const mt_graph *graph = w->graph;
    const mt_graph_node *one = &graph->node[node];
    draft d = {.code = codes[one->op], .node = node, .n_operands = mt_op_operands(one->op)};
    for (size_t k = 0; k < d.n_operands; k++) d.operand[k] = one->operand[k];
    if (one->op != MT_OP_SELECT || w->state[one->operand[0]] == INPUT) return d;
    const mt_graph_node *condition = &graph->node[one->operand[0]];
    const mt_code fused = condition->op == MT_OP_LESS         ? MT_CODE_SELECT_LESS
                          : condition->op == MT_OP_LESS_EQUAL ? MT_CODE_SELECT_LESS_EQUAL
                          : condition->op == MT_OP_EQUAL      ? MT_CODE_SELECT_EQUAL
                                                              : MT_CODE_SELECT;
    if (fused == MT_CODE_SELECT) return d;
    return (draft){.code = fused,
        .node = node,
        .operand = {condition->operand[0], condition->operand[1], one->operand[1], one->operand[2]},
        .n_operands = 4};
}

/* Drafts the instructions for a node, after those for its operands. Without recursion: expressions can be deep. */
static mt_status visit(maker *w, mt_node root)
{
    w->depth = 0;
    if (w->state[root] == NEW) w->stack[w->depth++] = root;
    while (w->depth > 0) {
        const mt_node at = w->stack[w->depth - 1];
        if (w->state[at] == DONE || w->state[at] == INPUT) {
            w->depth--;
            continue;
        }
        const mt_op op = w->graph->node[at].op;
        if (op == MT_OP_VARIABLE || op == MT_OP_NUMBER)
            return mt_fail(MT_INPUT, "a result depends on a quantity that is no input of the program");
        const draft d = draft_of(w, at);
        if (w->state[at] == WAITING) {
            w->draft[w->n++] = d;
            w->state[at] = DONE;
            w->depth--;
            continue;
        }
        w->state[at] = WAITING;
        for (size_t k = d.n_operands; k-- > 0;)
            if (w->state[d.operand[k]] == NEW) w->stack[w->depth++] = d.operand[k];
    }
    return MT_OK;
}

/* ---- pairs ---- */

/* Returns the number of uses of each node by instructions and as results. */
static void count_uses(const maker *w, size_t n_outputs, const mt_node *outputs, uint32_t *uses)
{
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < w->draft[i].n_operands; k++) uses[w->draft[i].operand[k]]++;
    for (size_t k = 0; k < n_outputs; k++) uses[outputs[k]]++;
}

static bool is_arithmetic(mt_code code) { return code >= MT_CODE_ADD && code <= MT_CODE_DIVIDE; }

/* Combines a quotient c / (a + b), or a product, with the exponential that is its k-th operand. */
static bool combine_exponential(draft *d, size_t k, const draft *exponential)
{
    const bool of_product = exponential->code == MT_CODE_EXP_MULTIPLY;
    if (!of_product && exponential->code != MT_CODE_EXP) return false;
    draft all = {.node = d->node, .operand = {exponential->operand[0]}, .n_operands = 1};
    if (of_product) all.operand[all.n_operands++] = exponential->operand[1];
    if (d->code == (mt_code)MT_CODE_PAIR(MT_CODE_ADD, MT_PAIR_DIVIDE_BY) && k < 2) {
        all.code = of_product ? MT_CODE_LOGISTIC_MULTIPLY : MT_CODE_LOGISTIC;
        all.operand[all.n_operands++] = d->operand[1 - k];
        all.operand[all.n_operands++] = d->operand[2];
    } else if (d->code == MT_CODE_MULTIPLY && of_product) {
        all.code = MT_CODE_EXP_SCALED;
        all.operand[all.n_operands++] = d->operand[1 - k];
    } else {
        return false;
    }
    *d = all;
    return true;
}

/* Combines a draft with that of its k-th operand, if there is such a pair. */
static bool combine(draft *d, size_t k, const draft *first)
{
    static const mt_pair_form forms[][2] = {{MT_PAIR_ADD, MT_PAIR_ADD},
        {MT_PAIR_SUBTRACT, MT_PAIR_SUBTRACT_FROM}, {MT_PAIR_MULTIPLY, MT_PAIR_MULTIPLY},
        {MT_PAIR_DIVIDE, MT_PAIR_DIVIDE_BY}};
    draft pair = {.node = d->node, .operand = {first->operand[0], first->operand[1]}, .n_operands = 2};
    if (d->code == MT_CODE_EXP) {
        if (first->code == MT_CODE_NEGATE) pair.code = MT_CODE_EXP_NEGATE, pair.n_operands = 1;
        if (first->code == MT_CODE_MULTIPLY) pair.code = MT_CODE_EXP_MULTIPLY;
        if (first->code == MT_CODE_DIVIDE) pair.code = MT_CODE_EXP_DIVIDE;
        if (pair.code == 0) return false;
    } else {
        if (!is_arithmetic(d->code) || !is_arithmetic(first->code)) return false;
        pair.code = (mt_code)MT_CODE_PAIR(first->code, forms[d->code - MT_CODE_ADD][k]);
        pair.operand[pair.n_operands++] = d->operand[1 - k];
    }
    *d = pair;
    return true;
}

/* Combines instructions with the only use of their result, by one of the functions above. */
static mt_status make_pairs(maker *w, size_t n_outputs, const mt_node *outputs,
    bool (*combine_them)(draft *d, size_t k, const draft *first))
{
    MT_SCRATCH(scratch);
    uint32_t *uses, *made_by;
    bool *gone;
    size_t n = 0;
    MT_ALLOC(scratch, uses, w->graph->n);
    MT_ALLOC(scratch, made_by, w->graph->n);
    MT_ALLOC(scratch, gone, w->n);
    count_uses(w, n_outputs, outputs, uses);
    for (size_t i = 0; i < w->n; i++) {
        draft *d = &w->draft[i];
        for (size_t k = 0; k < d->n_operands; k++) {
            const mt_node x = d->operand[k];
            if (w->state[x] != DONE || uses[x] != 1 || !combine_them(d, k, &w->draft[made_by[x]])) continue;
            gone[made_by[x]] = true;
            break;
        }
        made_by[d->node] = (uint32_t)i;
    }
    for (size_t i = 0; i < w->n; i++)
        if (!gone[i]) w->draft[n++] = w->draft[i];
    w->n = n;
    return MT_OK;
}

/* ---- registers ---- */

/* Chooses registers: the one that became free last is taken first, since it is in the nearest cache. */
static mt_status choose_registers(
    mt_arena *arena, mt_arena *scratch, const maker *w, uint16_t *of, mt_program *program)
{
    mt_instruction *code;
    uint16_t *free_one;
    size_t n_free = 0;
    MT_ALLOC(arena, code, w->n);
    MT_ALLOC(scratch, free_one, MT_PROGRAM_REGISTERS_MAX);
    for (size_t i = 0; i < w->n; i++) {
        const draft *d = &w->draft[i];
        code[i].code = (uint16_t)d->code;
        for (size_t k = 0; k < d->n_operands; k++) {
            const mt_node x = d->operand[k];
            code[i].operand[k] = of[x];
            bool again = false;
            for (size_t j = 0; j < k; j++) again |= d->operand[j] == x;
            if (w->last[x] == i && !again && of[x] >= program->n_inputs) free_one[n_free++] = of[x];
        }
        if (n_free == 0 && program->n_registers == MT_PROGRAM_REGISTERS_MAX)
            return mt_fail(MT_INPUT, "the equations need more than %d intermediate values at a time",
                MT_PROGRAM_REGISTERS_MAX);
        of[d->node] = n_free > 0 ? free_one[--n_free] : (uint16_t)program->n_registers++;
        code[i].to = of[d->node];
    }
    program->instruction = code;
    program->n_instructions = w->n;
    return MT_OK;
}

mt_status mt_program_make(mt_arena *arena, const mt_graph *graph, size_t n_inputs, const mt_node *inputs,
    size_t n_outputs, const mt_node *outputs, bool pairs, mt_program *program)
{
    MT_SCRATCH(scratch);
    maker w = {.graph = graph};
    uint16_t *of, *output;
    *program = (mt_program){.n_inputs = n_inputs, .n_registers = n_inputs, .n_outputs = n_outputs};
    if (n_inputs > MT_PROGRAM_REGISTERS_MAX)
        return mt_fail(
            MT_INPUT, "the equations have more than %d constants and states", MT_PROGRAM_REGISTERS_MAX);
    MT_ALLOC(scratch, w.draft, graph->n);
    MT_ALLOC(scratch, w.state, graph->n);
    MT_ALLOC(scratch, w.stack, 4 * graph->n + 1);
    MT_ALLOC(scratch, w.last, graph->n);
    MT_ALLOC(scratch, of, graph->n);
    MT_ALLOC(arena, output, n_outputs);
    for (size_t k = 0; k < n_inputs; k++) {
        w.state[inputs[k]] = INPUT;
        of[inputs[k]] = (uint16_t)k;
    }
    for (size_t k = 0; k < n_outputs; k++) MT_TRY(visit(&w, outputs[k]));
    if (pairs) MT_TRY(make_pairs(&w, n_outputs, outputs, combine));
    if (pairs) MT_TRY(make_pairs(&w, n_outputs, outputs, combine_exponential));
    for (size_t i = 0; i < w.n; i++)
        for (size_t k = 0; k < w.draft[i].n_operands; k++) w.last[w.draft[i].operand[k]] = (uint32_t)i;
    for (size_t k = 0; k < n_outputs; k++) w.last[outputs[k]] = UINT32_MAX;
    MT_TRY(choose_registers(arena, scratch, &w, of, program));
    for (size_t k = 0; k < n_outputs; k++) output[k] = of[outputs[k]];
    program->output = output;
    return MT_OK;
}
