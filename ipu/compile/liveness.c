#include "ipu/compile/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"

static const uint32_t none = UINT32_MAX;
enum { READ = 1, WRITTEN = 2, WHOLE = 4 }; /* accesses of a moment to a temporary variable */

/* A node of the control-flow graph; without a moment it is only a branch or a join. */
typedef struct node {
    uint32_t moment;
    uint32_t n_next;
    size_t next[2];
} node;

typedef struct finding {
    mt_arena *scratch;
    const ipu_graph *graph;
    ipu_liveness *liveness;
    node *nodes;
    size_t n_nodes;
    size_t *start; /* [n_starts] first nodes of programs */
    size_t n_starts;
    const ipu_program **other; /* [n_moments] a transfer or a predicate; NULL for a compute set */
    uint32_t *temporary;       /* [n_variables] index among the temporary ones, or none */
    size_t n_temporary;
    unsigned char **used;    /* [n_temporary][elements] 1 if anything accesses the element */
    size_t *n_used;          /* [n_temporary] number of these elements */
    unsigned char *accesses; /* [n_moments][n_temporary] */
    unsigned char *before;   /* [n_nodes][n_temporary] live before the node */
} finding;

/* ---- the control-flow graph ---- */

/* Returns an upper bound on the nodes of a program. */
static size_t count_nodes(const ipu_program *program)
{
    size_t n = 3;
    for (size_t i = 0; i < program->n_children; i++) n += count_nodes(program->children[i]);
    return n;
}

static void link_nodes(finding *f, size_t from, size_t to)
{
    f->nodes[from].next[f->nodes[from].n_next++] = to;
}

static size_t add_node(finding *f, size_t from, uint32_t moment)
{
    f->nodes[f->n_nodes] = (node){.moment = moment};
    link_nodes(f, from, f->n_nodes);
    return f->n_nodes++;
}

static size_t begin_program(finding *f)
{
    f->nodes[f->n_nodes] = (node){.moment = none};
    f->start[f->n_starts++] = f->n_nodes;
    return f->n_nodes++;
}

static size_t add_compute_set(finding *f, size_t from, uint32_t set)
{
    uint32_t *moment = &f->liveness->set_moment[set];
    if (*moment == none) *moment = f->liveness->n_moments++;
    return add_node(f, from, *moment);
}

/* Adds the moment of a transfer or a predicate. */
static size_t add_moment(finding *f, size_t from, const ipu_program *program)
{
    f->other[f->liveness->n_moments] = program;
    return add_node(f, from, f->liveness->n_moments++);
}

static size_t lay_out(finding *f, const ipu_program *program, size_t from);

static size_t lay_out_if(finding *f, const ipu_program *program, size_t from)
{
    const size_t decides = add_moment(f, from, program);
    const size_t joined = add_node(f, lay_out(f, program->children[0], decides), none);
    link_nodes(f, program->n_children > 1 ? lay_out(f, program->children[1], decides) : decides, joined);
    return joined;
}

/* Builds a chain of branches: each node leads to one child, or to the next node. */
static size_t lay_out_switch(finding *f, const ipu_program *program, size_t from)
{
    size_t decides = add_moment(f, from, program), joined = 0;
    for (size_t i = 0; i + 1 < program->n_children; i++) {
        const size_t end = lay_out(f, program->children[i], decides);
        if (i == 0)
            joined = add_node(f, end, none);
        else
            link_nodes(f, end, joined);
        if (i + 2 < program->n_children) decides = add_node(f, decides, none);
    }
    link_nodes(f, lay_out(f, program->children[program->n_children - 1], decides), joined);
    return joined;
}

/* Adds the nodes of a program that follows node `from`; returns its last node, which has capacity for at least one more edge. A
 * new kind of program without a case here is a compiler error. */
static size_t lay_out(finding *f, const ipu_program *program, size_t from)
{
    switch (program->kind) {
    case IPU_SEQUENCE:
        for (size_t i = 0; i < program->n_children; i++) from = lay_out(f, program->children[i], from);
        return from;
    case IPU_REPEAT: {
        if (program->count == 0) return from;
        const size_t first = add_node(f, from, none);
        const size_t last = add_node(f, lay_out(f, program->children[0], first), none);
        if (program->count > 1) link_nodes(f, last, first);
        return last;
    }
    case IPU_EXECUTE:
        return add_compute_set(f, from, program->compute_set);
    case IPU_HOST_WRITE:
    case IPU_HOST_READ:
        return add_moment(f, from, program);
    case IPU_IF:
        return lay_out_if(f, program, from);
    case IPU_SWITCH:
        return lay_out_switch(f, program, from);
    case IPU_REPEAT_WHILE: {
        const size_t first = add_node(f, from, none);
        const size_t decides = add_moment(f, lay_out(f, program->children[0], first), program);
        link_nodes(f, lay_out(f, program->children[1], decides), first);
        return add_node(f, decides, none);
    }
    }
    return from;
}

static mt_status lay_out_all(finding *f, const ipu_program *const *programs, size_t n_programs)
{
    const size_t n_sets = f->graph->n_compute_sets;
    size_t most = n_programs + 2 * n_sets;
    for (size_t i = 0; i < n_programs; i++) most += count_nodes(programs[i]);
    MT_ALLOC(f->scratch, f->nodes, most);
    MT_ALLOC(f->scratch, f->start, n_programs + n_sets);
    MT_ALLOC(f->scratch, f->other, most);
    for (size_t s = 0; s < n_sets; s++) f->liveness->set_moment[s] = none;
    for (size_t i = 0; i < n_programs; i++) (void)lay_out(f, programs[i], begin_program(f));
    for (uint32_t s = 0; s < n_sets; s++)
        if (f->liveness->set_moment[s] == none) (void)add_compute_set(f, begin_program(f), s);
    return MT_OK;
}

/* ---- elements that anything accesses ---- */

static void mark_tensor(const finding *f, const ipu_tensor *tensor)
{
    for (size_t s = tensor->first_slice; s < tensor->first_slice + tensor->n_slices; s++) {
        const ipu_slice *slice = &f->graph->slices[s];
        const uint32_t k = f->temporary[slice->variable];
        if (k != none && slice->n > 0) memset(f->used[k] + slice->from, 1, slice->n);
    }
}

static void mark_all(const finding *f)
{
    const ipu_graph *g = f->graph;
    for (size_t i = 0; i < g->n_vertices; i++) {
        const ipu_vertex *v = &g->vertices[i];
        for (size_t field = 0; field < v->codelet->n_fields; field++)
            mark_tensor(f, &g->connections[v->first_connection + field].tensor);
    }
    for (size_t i = 0; i < g->n_copies; i++) {
        mark_tensor(f, &g->copies[i].from);
        mark_tensor(f, &g->copies[i].to);
    }
    for (size_t m = 0; m < f->liveness->n_moments; m++)
        if (f->other[m]) mark_tensor(f, &f->other[m]->tensor);
}

static size_t count_used(const unsigned char *used, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += used[i];
    return sum;
}

MT_ORDER(by_variable, ipu_mapping, variable, from)

static mt_status find_unused(finding *f)
{
    const ipu_graph *g = f->graph;
    ipu_mapping *sorted;
    MT_ALLOC(f->scratch, sorted, g->n_mappings);
    for (size_t i = 0; i < g->n_mappings; i++) sorted[i] = g->mappings[i];
    if (g->n_mappings > 1) qsort(sorted, g->n_mappings, sizeof *sorted, by_variable);
    for (size_t i = 0; i < g->n_mappings; i++) {
        const uint32_t k = f->temporary[sorted[i].variable];
        f->liveness->unused[i] = k != none && count_used(f->used[k] + sorted[i].from, sorted[i].n) == 0;
    }
    return MT_OK;
}

static mt_status find_used(finding *f)
{
    const ipu_graph *g = f->graph;
    MT_ALLOC(f->scratch, f->used, f->n_temporary);
    MT_ALLOC(f->scratch, f->n_used, f->n_temporary);
    for (size_t v = 0; v < g->n_variables; v++)
        if (f->temporary[v] != none) MT_ALLOC(f->scratch, f->used[f->temporary[v]], g->variables[v].n);
    mark_all(f);
    for (size_t v = 0; v < g->n_variables; v++)
        if (f->temporary[v] != none)
            f->n_used[f->temporary[v]] = count_used(f->used[f->temporary[v]], g->variables[v].n);
    return find_unused(f);
}

/* ---- accesses of each moment to the temporary variables ---- */

/* Accesses to each temporary variable in the moment of a compute set, collected from its vertices or its copies. */
typedef struct noting {
    unsigned char *accesses; /* [n_temporary] */
    size_t *written;         /* [n_temporary] elements written */
} noting;

static noting noting_of(const finding *f, size_t *written, uint32_t set)
{
    return (noting){
        f->accesses + f->liveness->set_moment[set] * f->n_temporary, written + set * f->n_temporary};
}

static void note_tensor(const finding *f, noting at, const ipu_tensor *tensor, ipu_direction direction)
{
    for (size_t s = tensor->first_slice; s < tensor->first_slice + tensor->n_slices; s++) {
        const ipu_slice *slice = &f->graph->slices[s];
        const uint32_t k = f->temporary[slice->variable];
        if (k == none || slice->n == 0) continue;
        if (direction != IPU_OUTPUT) at.accesses[k] |= READ;
        if (direction == IPU_INPUT) continue;
        at.written[k] += slice->n;
        at.accesses[k] |= at.written[k] == f->n_used[k] ? WRITTEN | WHOLE : WRITTEN;
    }
}

static mt_status note_vertices(finding *f)
{
    const ipu_graph *g = f->graph;
    size_t *written;
    MT_ALLOC(f->scratch, written, g->n_compute_sets * f->n_temporary);
    for (size_t i = 0; i < g->n_vertices; i++) {
        const ipu_vertex *v = &g->vertices[i];
        const noting at = noting_of(f, written, v->compute_set);
        for (size_t field = 0; field < v->codelet->n_fields; field++)
            note_tensor(f, at, &g->connections[v->first_connection + field].tensor,
                v->codelet->fields[field].direction);
    }
    return MT_OK;
}

/* Clears READ of variables that the copies of a compute set have written completely: its vertices read the copied values. */
static void forget_reading(const finding *f, noting at, const ipu_tensor *tensor)
{
    for (size_t s = tensor->first_slice; s < tensor->first_slice + tensor->n_slices; s++) {
        const uint32_t variable = f->graph->slices[s].variable, k = f->temporary[variable];
        if (k != none && at.written[k] == f->graph->variables[variable].n)
            at.accesses[k] &= (unsigned char)~READ;
    }
}

/* Counts copied elements separately, because vertices may write them again. */
static mt_status note_copies(finding *f)
{
    const ipu_graph *g = f->graph;
    size_t *written;
    MT_ALLOC(f->scratch, written, g->n_compute_sets * f->n_temporary);
    for (size_t i = 0; i < g->n_copies; i++) {
        const noting at = noting_of(f, written, g->copies[i].compute_set);
        note_tensor(f, at, &g->copies[i].from, IPU_INPUT);
        note_tensor(f, at, &g->copies[i].to, IPU_OUTPUT);
        forget_reading(f, at, &g->copies[i].to);
    }
    return MT_OK;
}

static void note_other(const finding *f, const ipu_program *program, unsigned char *accesses)
{
    for (size_t s = 0; s < program->tensor.n_slices; s++) {
        const ipu_slice *slice = &f->graph->slices[program->tensor.first_slice + s];
        const uint32_t k = f->temporary[slice->variable];
        if (k == none || slice->n == 0) continue;
        if (program->kind != IPU_HOST_WRITE)
            accesses[k] |= READ;
        else
            accesses[k] |= slice->n == f->n_used[k] ? WRITTEN | WHOLE : WRITTEN;
    }
}

/* ---- backward data-flow ---- */

static bool live_after(const finding *f, const node *at, size_t k)
{
    bool live = false;
    for (uint32_t i = 0; i < at->n_next; i++) live |= f->before[at->next[i] * f->n_temporary + k] != 0;
    return live;
}

static unsigned char access_at(const finding *f, const node *at, size_t k)
{
    return at->moment == none ? 0 : f->accesses[at->moment * f->n_temporary + k];
}

static bool sweep(finding *f)
{
    bool changed = false;
    for (size_t n = f->n_nodes; n-- > 0;) {
        const node *at = &f->nodes[n];
        for (size_t k = 0; k < f->n_temporary; k++) {
            const unsigned char d = access_at(f, at, k);
            const bool live = (d & READ) || (!(d & WHOLE) && live_after(f, at, k));
            unsigned char *before = &f->before[n * f->n_temporary + k];
            changed |= live && !*before;
            *before |= live;
        }
    }
    return changed;
}

/* Returns the moments at which a variable is live or accessed. If it is live after a moment, it is live before it or written at
 * it. If it is never accessed, `first` remains above `last`. */
static ipu_live_range range_of(const finding *f, size_t k)
{
    ipu_live_range live = {.first = none};
    for (size_t n = 0; n < f->n_nodes; n++) {
        const node *at = &f->nodes[n];
        if (at->moment == none) continue;
        if (!f->before[n * f->n_temporary + k] && !access_at(f, at, k)) continue;
        if (at->moment < live.first) live.first = at->moment;
        if (at->moment > live.last) live.last = at->moment;
    }
    for (size_t i = 0; i < f->n_starts; i++) live.always |= f->before[f->start[i] * f->n_temporary + k] != 0;
    return live;
}

static mt_status find_ranges(finding *f)
{
    ipu_liveness *l = f->liveness;
    MT_ALLOC(f->scratch, f->accesses, l->n_moments * f->n_temporary);
    MT_ALLOC(f->scratch, f->before, f->n_nodes * f->n_temporary);
    MT_TRY(find_used(f));
    MT_TRY(note_vertices(f));
    MT_TRY(note_copies(f));
    for (size_t m = 0; m < l->n_moments; m++)
        if (f->other[m]) note_other(f, f->other[m], f->accesses + m * f->n_temporary);
    while (sweep(f)) continue;
    for (size_t v = 0; v < f->graph->n_variables; v++)
        if (f->temporary[v] != none) l->variable[v] = range_of(f, f->temporary[v]);
    return MT_OK;
}

mt_status ipu_liveness_find(mt_arena *arena, const ipu_graph *graph, const ipu_program *const *programs,
    size_t n_programs, ipu_liveness *liveness)
{
    MT_SCRATCH(scratch);
    *liveness = (ipu_liveness){0};
    finding f = {.scratch = scratch, .graph = graph, .liveness = liveness};
    MT_ALLOC(arena, liveness->set_moment, graph->n_compute_sets);
    MT_ALLOC(arena, liveness->variable, graph->n_variables);
    MT_ALLOC(arena, liveness->unused, graph->n_mappings);
    MT_ALLOC(scratch, f.temporary, graph->n_variables);
    MT_TRY(lay_out_all(&f, programs, n_programs));
    for (size_t v = 0; v < graph->n_variables; v++) {
        liveness->variable[v].always = true;
        f.temporary[v] = graph->variables[v].temporary ? (uint32_t)f.n_temporary++ : none;
    }
    return f.n_temporary > 0 ? find_ranges(&f) : MT_OK;
}
