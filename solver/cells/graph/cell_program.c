#include "solver/cells/graph/cell_program.h"

#include <string.h>

#include "solver/cells/graph/exponentials.h"
#include "solver/cells/row.h"
#include "solver/kernels/block.h"

MT_CELL_DECLARE(program);
MT_CELL_DECLARE_CURRENTS(program);
extern mt_cell_constants mt_cell_program_constants_double_base;

void mt_cell_program_kernels(mt_cell_model *model)
{
    static mt_cell_kernel_float *const single[MT_ISAS] = MT_CELL_KERNELS(program, float);
    static mt_cell_kernel_double *const twice[MT_ISAS] = MT_CELL_KERNELS(program, double);
    static mt_cell_multirate_float *const multirate_single[MT_ISAS] =
        MT_CELL_KERNELS(program_multirate, float);
    static mt_cell_multirate_double *const multirate_twice[MT_ISAS] =
        MT_CELL_KERNELS(program_multirate, double);
    model->constants = mt_cell_program_constants_double_base;
    model->currents_of = MT_CELL_CURRENTS(program);
    for (int set = 0; set < MT_ISAS; set++) {
        model->kernel_float[set] = single[set];
        model->kernel_double[set] = twice[set];
        model->multirate_float[set] = multirate_single[set];
        model->multirate_double[set] = multirate_twice[set];
    }
}

/* The constant nodes that an expression uses directly: inputs of a program. */
typedef struct inputs {
    mt_node *node; /* [n]: numbers, then other constants */
    size_t n_numbers, n;
} inputs;

/* Finds the constant operands of the nodes that the outputs need and that are not constant, and constant outputs. */
static mt_status find_constants(
    mt_arena *arena, const mt_algebra *m, size_t n_outputs, const mt_node *outputs, inputs *in)
{
    MT_SCRATCH(scratch);
    const mt_graph *graph = m->graph;
    bool *used, *direct;
    MT_ALLOC(scratch, used, graph->n);
    MT_ALLOC(scratch, direct, graph->n);
    MT_ALLOC(arena, in->node, graph->n);
    for (size_t k = 0; k < n_outputs; k++) used[outputs[k]] = true;
    for (size_t k = 0; k < n_outputs; k++) direct[outputs[k]] = mt_is_constant(m, outputs[k]);
    for (mt_node k = (mt_node)graph->n; k-- > 0;) {
        const mt_graph_node *one = &graph->node[k];
        if (!used[k] || mt_is_constant(m, k)) continue;
        for (size_t o = 0; o < mt_op_operands(one->op); o++) {
            used[one->operand[o]] = true;
            direct[one->operand[o]] |= mt_is_constant(m, one->operand[o]);
        }
    }
    for (int turn = 0; turn < 2; turn++) {
        for (mt_node k = 0; k < graph->n; k++)
            if (direct[k] && (graph->node[k].op == MT_OP_NUMBER) == (turn == 0)) in->node[in->n++] = k;
        if (turn == 0) in->n_numbers = in->n;
    }
    return MT_OK;
}

/* Finds the numbers that the constants need. */
static mt_status find_numbers(
    mt_arena *arena, const mt_algebra *m, size_t n_outputs, const mt_node *outputs, inputs *in)
{
    MT_SCRATCH(scratch);
    const mt_graph *graph = m->graph;
    bool *used;
    MT_ALLOC(scratch, used, graph->n);
    MT_ALLOC(arena, in->node, graph->n);
    for (size_t k = 0; k < n_outputs; k++) mt_graph_mark(graph, outputs[k], used);
    for (mt_node k = 0; k < graph->n; k++)
        if (used[k] && graph->node[k].op == MT_OP_NUMBER) in->node[in->n++] = k;
    in->n_numbers = in->n;
    return MT_OK;
}

static mt_status numbers_of(mt_arena *arena, const mt_graph *graph, const inputs *in, const double **number)
{
    double *value;
    MT_ALLOC(arena, value, in->n_numbers);
    for (size_t k = 0; k < in->n_numbers; k++) value[k] = graph->node[in->node[k]].value;
    *number = value;
    return MT_OK;
}

/* Repeats every number for a block of cells. */
static mt_status make_blocks(mt_arena *arena, mt_cell_program *p)
{
    double *twice;
    float *single;
    MT_ALLOC(arena, twice, p->n_numbers * MT_BLOCK);
    MT_ALLOC(arena, single, p->n_numbers * MT_BLOCK);
    for (size_t k = 0; k < p->n_numbers * MT_BLOCK; k++) {
        twice[k] = p->number[k / MT_BLOCK];
        single[k] = (float)twice[k];
    }
    p->number_blocks = twice;
    p->number_blocks_single = single;
    return MT_OK;
}

mt_status mt_cell_program_make(
    mt_arena *arena, mt_system *system, const mt_step *step, mt_cell_program *program)
{
    MT_SCRATCH(scratch);
    mt_algebra *m = &system->algebra;
    const size_t n_states = system->n_states, n_parameters = system->n_parameters;
    mt_node *outputs, *all;
    inputs of_step = {0}, of_constants = {0};
    MT_ALLOC(scratch, outputs, n_states + 1);
    memcpy(outputs, step->next, n_states * sizeof *outputs);
    outputs[n_states] = step->v_change;
    mt_exponentials_share(m, system->v, n_states + 1, outputs, outputs);
    const mt_node dt = mt_symbol(m, system->dt), now = mt_symbol(m, system->step),
                  v = mt_symbol(m, system->v);
    MT_TRY(find_constants(scratch, m, n_states + 1, outputs, &of_step));
    *program = (mt_cell_program){.n_numbers = of_step.n_numbers,
        .n_constants = of_step.n - of_step.n_numbers,
        .n_states = n_states,
        .n_parameters = n_parameters};
    MT_ALLOC(scratch, all, of_step.n + 3 + n_states);
    memcpy(all, of_step.node, of_step.n * sizeof *all);
    size_t n = of_step.n;
    all[n++] = dt;
    all[n++] = now;
    all[n++] = v;
    for (size_t k = 0; k < n_states; k++) all[n++] = mt_symbol(m, system->state[k]);
    MT_TRY(m->status);
    MT_TRY(numbers_of(arena, m->graph, &of_step, &program->number));
    MT_TRY(make_blocks(arena, program));
    MT_TRY(mt_program_make(arena, m->graph, n, all, n_states + 1, outputs, false, &program->step));
    MT_TRY(mt_program_make(arena, m->graph, n, all, n_states + 1, outputs, true, &program->step_in_pairs));

    const mt_node *constants = of_step.node + of_step.n_numbers;
    MT_TRY(find_numbers(scratch, m, program->n_constants, constants, &of_constants));
    program->n_constants_numbers = of_constants.n;
    MT_TRY(numbers_of(arena, m->graph, &of_constants, &program->constants_number));
    mt_node *inner;
    MT_ALLOC(scratch, inner, of_constants.n + n_parameters);
    memcpy(inner, of_constants.node, of_constants.n * sizeof *inner);
    for (size_t k = 0; k < n_parameters; k++) inner[of_constants.n + k] = mt_symbol(m, system->parameter[k]);
    MT_TRY(m->status);
    return mt_program_make(arena, m->graph, of_constants.n + n_parameters, inner, program->n_constants,
        constants, false, &program->constants);
}
