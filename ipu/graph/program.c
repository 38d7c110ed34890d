#include "ipu/graph/program.h"

static mt_status make(mt_arena *arena, ipu_program content, const ipu_program **program)
{
    ipu_program *p = NULL;
    MT_ALLOC(arena, p, 1);
    *p = content;
    *program = p;
    return MT_OK;
}

mt_status ipu_program_sequence(
    mt_arena *arena, const ipu_program *const *children, size_t n, const ipu_program **program)
{
    const ipu_program **copy = NULL;
    MT_ALLOC(arena, copy, n);
    for (size_t i = 0; i < n; i++) copy[i] = children[i];
    return make(arena, (ipu_program){.kind = IPU_SEQUENCE, .children = copy, .n_children = n}, program);
}

mt_status ipu_program_repeat(
    mt_arena *arena, uint64_t count, const ipu_program *child, const ipu_program **program)
{
    const ipu_program **copy = NULL;
    MT_ALLOC(arena, copy, 1);
    copy[0] = child;
    return make(
        arena, (ipu_program){.kind = IPU_REPEAT, .children = copy, .n_children = 1, .count = count}, program);
}

mt_status ipu_program_execute(mt_arena *arena, uint32_t compute_set, const ipu_program **program)
{
    return make(arena, (ipu_program){.kind = IPU_EXECUTE, .compute_set = compute_set}, program);
}

mt_status ipu_program_host_write(
    mt_arena *arena, uint32_t stream, ipu_tensor tensor, const ipu_program **program)
{
    return make(arena, (ipu_program){.kind = IPU_HOST_WRITE, .stream = stream, .tensor = tensor}, program);
}

mt_status ipu_program_host_read(
    mt_arena *arena, ipu_tensor tensor, uint32_t stream, const ipu_program **program)
{
    return make(arena, (ipu_program){.kind = IPU_HOST_READ, .stream = stream, .tensor = tensor}, program);
}

mt_status ipu_program_if(mt_arena *arena, ipu_tensor predicate, const ipu_program *then,
    const ipu_program *otherwise, const ipu_program **program)
{
    const ipu_program **copy = NULL;
    MT_ALLOC(arena, copy, 2);
    copy[0] = then;
    copy[1] = otherwise;
    return make(arena,
        (ipu_program){.kind = IPU_IF, .children = copy, .n_children = otherwise ? 2 : 1, .tensor = predicate},
        program);
}

mt_status ipu_program_switch(mt_arena *arena, ipu_tensor predicate, const ipu_program *const *cases, size_t n,
    const ipu_program *otherwise, const ipu_program **program)
{
    const ipu_program **copy = NULL;
    if (n == 0) return mt_fail(MT_INPUT, "program: a switch without cases; allowed: at least one case");
    MT_ALLOC(arena, copy, n + 1);
    for (size_t i = 0; i < n; i++) copy[i] = cases[i];
    copy[n] = otherwise;
    if (!otherwise) MT_TRY(ipu_program_sequence(arena, NULL, 0, &copy[n]));
    return make(arena,
        (ipu_program){.kind = IPU_SWITCH, .children = copy, .n_children = n + 1, .tensor = predicate},
        program);
}

mt_status ipu_program_repeat_while(mt_arena *arena, const ipu_program *condition, ipu_tensor predicate,
    const ipu_program *body, uint64_t limit, const ipu_program **program)
{
    const ipu_program **copy = NULL;
    MT_ALLOC(arena, copy, 2);
    copy[0] = condition;
    copy[1] = body;
    return make(arena,
        (ipu_program){
            .kind = IPU_REPEAT_WHILE, .children = copy, .n_children = 2, .count = limit, .tensor = predicate},
        program);
}

mt_status ipu_program_copy(
    ipu_graph *graph, const char *name, ipu_tensor from, ipu_tensor to, const ipu_program **program)
{
    uint32_t set;
    MT_TRY(ipu_graph_add_compute_set(graph, name, &set));
    MT_TRY(ipu_graph_add_copy(graph, set, from, to));
    return ipu_program_execute(graph->arena, set, program);
}

static bool is_of(const ipu_tensor *tensor, const ipu_graph *graph)
{
    return tensor->first_slice <= graph->n_slices &&
           tensor->n_slices <= graph->n_slices - tensor->first_slice;
}

static mt_status check_predicate(const ipu_tensor *tensor, const ipu_graph *graph)
{
    if (!is_of(tensor, graph))
        return mt_fail(MT_INPUT, "program: the predicate does not belong to this graph");
    if (tensor->n != 1)
        return mt_fail(MT_INPUT, "program: a predicate of %zu elements; allowed: one", tensor->n);
    const ipu_variable *variable = &graph->variables[graph->slices[tensor->first_slice].variable];
    if (variable->type != IPU_UNSIGNED_INT)
        return mt_fail(MT_INPUT, "program: the predicate, of variable '%s', is of type %s; allowed: %s",
            variable->name, ipu_type_name(variable->type), ipu_type_name(IPU_UNSIGNED_INT));
    return MT_OK;
}

static mt_status check_transfer(const ipu_program *program, const ipu_graph *graph)
{
    if (program->stream >= graph->n_streams)
        return mt_fail(MT_INPUT, "program: stream %u; allowed: below %zu", program->stream, graph->n_streams);
    const ipu_stream *stream = &graph->streams[program->stream];
    const ipu_tensor *tensor = &program->tensor;
    if (!is_of(tensor, graph))
        return mt_fail(
            MT_INPUT, "program: stream '%s': the tensor does not belong to this graph", stream->name);
    if (tensor->n > 0 && tensor->type != stream->type)
        return mt_fail(MT_INPUT, "program: stream '%s' is of type %s, its tensor of type %s", stream->name,
            ipu_type_name(stream->type), ipu_type_name(tensor->type));
    const char *constant = ipu_graph_constant_in(graph, tensor);
    if (constant && program->kind == IPU_HOST_WRITE)
        return mt_fail(
            MT_INPUT, "program: stream '%s' would write to the constant '%s'", stream->name, constant);
    return MT_OK;
}

mt_status ipu_program_check(const ipu_program *program, const ipu_graph *graph)
{
    for (size_t i = 0; i < program->n_children; i++) MT_TRY(ipu_program_check(program->children[i], graph));
    if (ipu_program_is_transfer(program)) return check_transfer(program, graph);
    if (ipu_program_has_predicate(program)) return check_predicate(&program->tensor, graph);
    if (program->kind == IPU_EXECUTE && program->compute_set >= graph->n_compute_sets)
        return mt_fail(MT_INPUT, "program: compute set %u; allowed: below %zu", program->compute_set,
            graph->n_compute_sets);
    return MT_OK;
}
