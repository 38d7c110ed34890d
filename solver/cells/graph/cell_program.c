#include "solver/cells/graph/cell_program.h"

#include <string.h>

#include "solver/cells/graph/exponentials.h"
#include "solver/cells/graph/functions_of_v.h"
#include "solver/cells/row.h"
#include "solver/kernels/block.h"

MT_CELL_DECLARE(program);
MT_CELL_DECLARE_TABULATED(program);
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
    static mt_cell_functions *const functions[MT_ISAS] = MT_CELL_KERNELS(program_functions, double);
    static mt_cell_tabulated_float *const tabulated[MT_ISAS] = MT_CELL_KERNELS(program_tabulated, float);
    static mt_cell_tabulated_multirate_float *const tabulated_multirate[MT_ISAS] =
        MT_CELL_KERNELS(program_tabulated_multirate, float);
    const mt_cell_program *p = model->program;
    model->n_functions = p->n_functions;
    model->constants = mt_cell_program_constants_double_base;
    model->currents_of = MT_CELL_CURRENTS(program);
    for (int set = 0; set < MT_ISAS; set++) {
        model->kernel_float[set] = single[set];
        model->kernel_double[set] = twice[set];
        model->multirate_float[set] = multirate_single[set];
        model->multirate_double[set] = multirate_twice[set];
        model->functions[set] = functions[set];
        model->tabulated_float[set] = tabulated[set];
        model->tabulated_multirate_float[set] = tabulated_multirate[set];
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

/* The steps of a program as nodes: outputs [n_outputs], and functions of V for both ways of stepping. */
typedef struct steps {
    size_t n_outputs;
    mt_node *output;
    mt_functions_of_v functions[2];
} steps;

static mt_status find_steps(mt_arena *arena, mt_system *system, const mt_step *step, double dt_ms, steps *s)
{
    const size_t n_states = system->n_states;
    *s = (steps){.n_outputs = n_states + 1};
    MT_ALLOC(arena, s->output, s->n_outputs);
    memcpy(s->output, step->next, n_states * sizeof *s->output);
    s->output[n_states] = step->v_change;
    mt_exponentials_share(&system->algebra, system->v, s->n_outputs, s->output, s->output);
    MT_TRY(system->algebra.status);
    for (int multirate = 0; dt_ms > 0 && multirate < 2; multirate++)
        MT_TRY(mt_functions_of_v_find(
            arena, system, dt_ms, multirate != 0, s->n_outputs, s->output, &s->functions[multirate]));
    return MT_OK;
}

/* Finds the constants that any of the steps uses. */
static mt_status find_all_constants(mt_arena *arena, const mt_algebra *m, const steps *s, inputs *in)
{
    mt_node *all;
    size_t n = 0;
    MT_ALLOC(arena, all, 3 * s->n_outputs);
    for (size_t k = 0; k < s->n_outputs; k++) {
        all[n++] = s->output[k];
        for (int multirate = 0; multirate < 2; multirate++)
            if (s->functions[multirate].output) all[n++] = s->functions[multirate].output[k];
    }
    return find_constants(arena, m, n, all, in);
}

/* Makes the programs of a step with tables. input[n]: the inputs of the step, with room for the functions. */
static mt_status make_tabulated(mt_arena *arena, const mt_graph *graph, const mt_functions_of_v *f, size_t n,
    mt_node *input, size_t n_outputs, mt_tabulated_program *program)
{
    program->n = f->n;
    if (!f->output) return MT_OK;
    memcpy(input + n, f->node, f->n * sizeof *input);
    MT_TRY(mt_program_make(arena, graph, n, input, f->n, f->node, false, &program->functions));
    n += f->n;
    MT_TRY(mt_program_make(arena, graph, n, input, n_outputs, f->output, false, &program->step));
    return mt_program_make(arena, graph, n, input, n_outputs, f->output, true, &program->step_in_pairs);
}

/* Makes the programs of the steps. */
static mt_status make_steps(
    mt_arena *arena, mt_system *system, const steps *s, const inputs *constants, mt_cell_program *program)
{
    MT_SCRATCH(scratch);
    mt_algebra *m = &system->algebra;
    mt_node *input;
    size_t n = constants->n;
    MT_ALLOC(scratch, input, n + 3 + system->n_states + s->functions[0].n + s->functions[1].n);
    memcpy(input, constants->node, n * sizeof *input);
    input[n++] = mt_symbol(m, system->dt);
    input[n++] = mt_symbol(m, system->step);
    input[n++] = mt_symbol(m, system->v);
    for (size_t k = 0; k < system->n_states; k++) input[n++] = mt_symbol(m, system->state[k]);
    MT_TRY(m->status);
    MT_TRY(mt_program_make(arena, m->graph, n, input, s->n_outputs, s->output, false, &program->step));
    MT_TRY(
        mt_program_make(arena, m->graph, n, input, s->n_outputs, s->output, true, &program->step_in_pairs));
    for (int multirate = 0; multirate < 2; multirate++) {
        const mt_functions_of_v *f = &s->functions[multirate];
        MT_TRY(make_tabulated(arena, m->graph, f, n, input, s->n_outputs, &program->tabulated[multirate]));
        if (f->n > program->n_functions) program->n_functions = f->n;
    }
    return MT_OK;
}

/* Makes the program of the constants. */
static mt_status make_constants(
    mt_arena *arena, mt_system *system, const inputs *of_step, mt_cell_program *program)
{
    MT_SCRATCH(scratch);
    mt_algebra *m = &system->algebra;
    const mt_node *constants = of_step->node + of_step->n_numbers;
    inputs in = {0};
    mt_node *inner;
    MT_TRY(find_numbers(scratch, m, program->n_constants, constants, &in));
    program->n_constants_numbers = in.n;
    MT_TRY(numbers_of(arena, m->graph, &in, &program->constants_number));
    MT_ALLOC(scratch, inner, in.n + program->n_parameters);
    memcpy(inner, in.node, in.n * sizeof *inner);
    for (size_t k = 0; k < program->n_parameters; k++) inner[in.n + k] = mt_symbol(m, system->parameter[k]);
    MT_TRY(m->status);
    return mt_program_make(arena, m->graph, in.n + program->n_parameters, inner, program->n_constants,
        constants, false, &program->constants);
}

mt_status mt_cell_program_make(
    mt_arena *arena, mt_system *system, const mt_step *step, double dt_ms, mt_cell_program *program)
{
    MT_SCRATCH(scratch);
    steps s;
    inputs constants = {0};
    MT_TRY(find_steps(scratch, system, step, dt_ms, &s));
    MT_TRY(find_all_constants(scratch, &system->algebra, &s, &constants));
    *program = (mt_cell_program){.n_numbers = constants.n_numbers,
        .n_constants = constants.n - constants.n_numbers,
        .n_states = system->n_states,
        .n_parameters = system->n_parameters};
    MT_TRY(numbers_of(arena, system->algebra.graph, &constants, &program->number));
    MT_TRY(make_blocks(arena, program));
    MT_TRY(make_steps(arena, system, &s, &constants, program));
    return make_constants(arena, system, &constants, program);
}
