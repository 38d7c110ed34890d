#include "ipu/library/loop.h"

#include "ipu/cost/mix.h"
#include "ipu/library/elementwise.h"
#include "ipu/library/vertices.h"

static void count(const ipu_span *f, const void *context)
{
    (void)context;
    *(uint32_t *)f[0].data += 1;
}

static ipu_cycles count_cost(const ipu_target *target, const size_t *n, const void *context)
{
    static const ipu_mix addition = {.count = {[IPU_OP_LOAD] = 1, [IPU_OP_INTEGER] = 1, [IPU_OP_STORE] = 1}};
    (void)n;
    (void)context;
    const ipu_instruction_costs *costs = &target->instructions;
    if (costs->issue == IPU_SINGLE)
        return (ipu_cycles){.entry = target->vertex_entry_cycles + ipu_mix_loop(&addition, costs, 1, 1)};
    return (ipu_cycles){.entry = 43};
}

static const ipu_field fields[] = {{"counter", IPU_INOUT, IPU_UNSIGNED_INT}};
static const ipu_codelet counting = {"count", 1, fields, count, count_cost, IPU_LIBRARY_CODE_BYTES,
    IPU_LIBRARY_VERTEX_BYTES, .kind = IPU_SUPERVISOR};

size_t ipu_loop_codelets(const ipu_codelet **list) { return ipu_list_codelets(list, 0, &counting, 1); }

/* Adds a compute set and builds the program that executes it. */
static mt_status add_set(ipu_graph *graph, const char *name, uint32_t *set, const ipu_program **program)
{
    MT_TRY(ipu_graph_add_compute_set(graph, name, set));
    return ipu_program_execute(graph->arena, *set, program);
}

mt_status ipu_counted_loop(
    ipu_graph *graph, uint64_t n, ipu_tensor counter, const ipu_program *body, const ipu_program **program)
{
    static const uint32_t zero = 0;
    const ipu_program *begin, *turn[2] = {body}, *turns, *repeat;
    ipu_tile_range *range;
    uint32_t set;
    size_t vertex, n_ranges;
    MT_SCRATCH(scratch);
    if (n > UINT32_MAX)
        return mt_fail(MT_INPUT, "counted loop: %ju iterations; allowed: at most %ju", (uintmax_t)n,
            (uintmax_t)UINT32_MAX);
    if (counter.n != 1 || counter.type != IPU_UNSIGNED_INT)
        return mt_fail(MT_INPUT, "counted loop: a counter of %zu elements of type %s; allowed: 1 of type %s",
            counter.n, ipu_type_name(counter.type), ipu_type_name(IPU_UNSIGNED_INT));
    MT_TRY(ipu_ranges_of(scratch, graph, counter, "counted loop", &range, &n_ranges));
    MT_TRY(add_set(graph, "counted loop: begin", &set, &begin));
    MT_TRY(ipu_add_fill(graph, set, &zero, counter));
    MT_TRY(add_set(graph, "counted loop: count", &set, &turn[1]));
    MT_TRY(ipu_graph_add_vertex(graph, set, &counting, range[0].tile, NULL, &vertex));
    MT_TRY(ipu_graph_connect(graph, vertex, "counter", counter));
    MT_TRY(ipu_program_sequence(graph->arena, turn, 2, &turns));
    MT_TRY(ipu_program_repeat(graph->arena, n, turns, &repeat));
    return ipu_program_sequence(graph->arena, (const ipu_program *[]){begin, repeat}, 2, program);
}
