#include "solver/plan/implicit.h"

#include <string.h>

#include "ipu/library/reduce.h"
#include "solver/diffusion/implicit.h"
#include "solver/kernels/bicgstab_scalars.h"
#include "solver/plan/nodal.h"
#include "solver/plan/variables.h"

void mt_plan_implicit_state(const mt_plan *plan, float norm, float state[MT_IMPLICIT_STATE])
{
    const bicgstab_state first = {.norm = norm, .tolerance_mV = (float)plan->problem->residual_mV};
    memcpy(state, &first, sizeof first);
}

double mt_plan_implicit_residual_mV(const float state[MT_IMPLICIT_STATE])
{
    bicgstab_state now;
    memcpy(&now, state, sizeof now);
    return (double)now.residual_mV;
}

/* Adds a variable of n words on the tile of the scalars. */
static mt_status add_scalars(mt_plan *plan, const char *name, ipu_type type, size_t n, ipu_tensor *tensor)
{
    uint32_t variable;
    MT_TRY(ipu_graph_add_variable(plan->graph, name, type, n, &variable));
    MT_TRY(ipu_graph_set_tile_mapping(
        plan->graph, variable, 0, n, mt_plan_tile(plan, plan->implicit->scalars_part)));
    return ipu_graph_variable_tensor(plan->graph, variable, tensor);
}

static mt_status add_vectors(mt_plan *plan, mt_plan_implicit *m)
{
    const struct {
        const char *name;
        ipu_tensor *tensor;
    } vectors[] = {{"r", &m->r}, {"shadow", &m->shadow}, {"p", &m->p}, {"q", &m->q}, {"t", &m->t}};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        MT_TRY(mt_plan_add_per_element(plan, vectors[k].name, IPU_FLOAT, 1, vectors[k].tensor));
        MT_TRY(mt_plan_set_temporary(plan, *vectors[k].tensor));
    }
    return MT_OK;
}

/* Adds the variables of partial sums per tile, and of their totals. */
static mt_status add_sums(mt_plan *plan, mt_plan_implicit *m)
{
    const struct {
        const char *name, *all;
        ipu_type type;
        size_t entries;
        ipu_tensor *of_part, *of_all;
    } sums[] = {{"words 1", "sum 1", IPU_INT, MT_IMPLICIT_WORDS_FIRST, &m->words_first, &m->sum_first},
        {"words 2", "sum 2", IPU_INT, MT_IMPLICIT_WORDS_SECOND, &m->words_second, &m->sum_second},
        {"bound", "bounds", IPU_FLOAT, MT_IMPLICIT_BOUNDS, &m->bound, &m->bounds}};
    for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++) {
        MT_TRY(mt_plan_add_per_part(plan, sums[k].name, sums[k].type, sums[k].entries, sums[k].of_part));
        MT_TRY(add_scalars(plan, sums[k].all, sums[k].type, sums[k].entries, sums[k].of_all));
        MT_TRY(mt_plan_set_temporary(plan, *sums[k].of_part));
        MT_TRY(mt_plan_set_temporary(plan, *sums[k].of_all));
    }
    return MT_OK;
}

/* Checks that sums in fixed point do not overflow (solver/kernels/fixed_equations.h). */
static mt_status check_terms(const mt_plan *plan)
{
    const char *what = plan->nodal ? "vertices" : "elements";
    if (plan->halo->n_elements >> FIXED_TERMS_BITS)
        return mt_fail(MT_FIT, "%zu %s; allowed with implicit steps on tiles: fewer than %d",
            (size_t)plan->halo->n_elements, what, 1 << FIXED_TERMS_BITS);
    for (uint32_t part = 0; part < plan->halo->n_parts; part++)
        if (mt_plan_count(plan, part) >> FIXED_TILE_BITS)
            return mt_fail(MT_FIT,
                "tile %u: %zu %s; allowed with implicit steps: fewer than %d; use more tiles", part,
                mt_plan_count(plan, part), what, 1 << FIXED_TILE_BITS);
    return MT_OK;
}

mt_status mt_plan_add_implicit_variables(mt_arena *arena, mt_plan *plan)
{
    MT_TRY(check_terms(plan));
    mt_plan_implicit *m;
    MT_ALLOC(arena, m, 1);
    MT_ALLOC(arena, m->codelet, MT_IMPLICIT_PARTS);
    for (int k = 0; k < MT_IMPLICIT_PARTS; k++)
        m->codelet[k] = mt_codelet_implicit((mt_implicit_part)k, plan->nodal != NULL);
    MT_ALLOC(arena, m->context, plan->halo->n_parts);
    for (uint32_t part = 0; part < plan->halo->n_parts; part++)
        m->context[part] = (mt_implicit_context){(float)(1 / mt_diffusing_theta(plan->problem->diffusing)),
            plan->nodal ? &plan->nodal->rows[part] : NULL};
    /* terminates, since a mesh has elements */
    while (mt_plan_count(plan, m->scalars_part) == 0) m->scalars_part++;
    plan->implicit = m;
    MT_TRY(add_vectors(plan, m));
    MT_TRY(add_sums(plan, m));
    MT_TRY(add_scalars(plan, "state", IPU_FLOAT, MT_IMPLICIT_STATE, &m->state));
    MT_TRY(add_scalars(plan, "sent", IPU_FLOAT, MT_IMPLICIT_SENT, &m->sent));
    MT_TRY(add_scalars(plan, "iteration", IPU_UNSIGNED_INT, 1, &m->iteration));
    return add_scalars(plan, "goes on", IPU_UNSIGNED_INT, 1, &m->goes_on);
}

/* ---- vertices of a part ---- */

static mt_status add_vertex(mt_plan *plan, uint32_t set, mt_implicit_part kind, uint32_t part, size_t *vertex)
{
    const mt_plan_implicit *m = plan->implicit;
    return ipu_graph_add_vertex(
        plan->graph, set, &m->codelet[kind], mt_plan_tile(plan, part), &m->context[part], vertex);
}

static mt_status add_product(mt_plan *plan, uint32_t set, mt_implicit_part kind, uint32_t part,
    const char *in, ipu_tensor from, const char *out, ipu_tensor to, ipu_slice *slices, size_t *vertex)
{
    MT_TRY(add_vertex(plan, set, kind, part, vertex));
    if (plan->nodal)
        MT_TRY(mt_plan_connect_implicit_nodal(plan, *vertex, part));
    else
        MT_TRY(mt_plan_connect_rows(plan, *vertex, part));
    MT_TRY(mt_plan_connect_local(plan, *vertex, in, from, part, slices));
    return mt_plan_connect(plan, *vertex, out, to, 1, part);
}

/* Connects a field with n of the words that one tile sends to all. */
static mt_status connect_sent(mt_plan *plan, size_t vertex, const char *field, size_t from, size_t n)
{
    ipu_tensor words;
    MT_TRY(ipu_graph_slice(plan->graph, plan->implicit->sent, from, n, &words));
    return ipu_graph_connect(plan->graph, vertex, field, words);
}

mt_status mt_plan_add_implicit_start(mt_plan *plan, const uint32_t set[2], uint32_t part, ipu_slice *slices)
{
    const mt_plan_implicit *m = plan->implicit;
    size_t vertex;
    MT_TRY(add_product(
        plan, set[0], MT_IMPLICIT_INCREMENTS, part, "v", plan->v_a, "x", plan->v_b, slices, &vertex));
    MT_TRY(add_product(plan, set[1], MT_IMPLICIT_START, part, "x", plan->v_b, "r", m->r, slices, &vertex));
    MT_TRY(mt_plan_connect(plan, vertex, "p", m->p, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "shadow", m->shadow, 1, part));
    MT_TRY(mt_plan_connect_per_part(plan, vertex, "bound", m->bound, MT_IMPLICIT_BOUNDS, part));
    if (part != m->scalars_part) return MT_OK;
    MT_TRY(add_vertex(plan, set[1], MT_IMPLICIT_RESET, part, &vertex));
    return ipu_graph_connect(plan->graph, vertex, "iteration", m->iteration);
}

enum { AT_FIRST, AT_HALF, AT_SECOND, AT_END, AT_GAIN, AT_SETS = MT_IMPLICIT_ITERATION_SETS };

bool mt_plan_implicit_receives_scalars(size_t k) { return k == AT_HALF || k == AT_END; }

/* Adds a product with a vertex that also sums products of vectors, with scales from `sent`. */
static mt_status add_summing_product(mt_plan *plan, uint32_t set, mt_implicit_part kind, uint32_t part,
    const char *in, ipu_tensor from, const char *out, ipu_tensor to, size_t first_scale, size_t end_scale,
    ipu_slice *slices, size_t *vertex)
{
    MT_TRY(add_product(plan, set, kind, part, in, from, out, to, slices, vertex));
    MT_TRY(mt_plan_connect(plan, *vertex, "shadow", plan->implicit->shadow, 1, part));
    return connect_sent(plan, *vertex, "scale", first_scale, end_scale - first_scale);
}

static mt_status add_first(mt_plan *plan, uint32_t set, uint32_t part, ipu_slice *slices)
{
    const mt_plan_implicit *m = plan->implicit;
    size_t vertex;
    MT_TRY(add_summing_product(plan, set, MT_IMPLICIT_FIRST, part, "p", m->p, "q", m->q,
        MT_IMPLICIT_SENT_FIRST, MT_IMPLICIT_SENT_SECOND, slices, &vertex));
    MT_TRY(mt_plan_connect(plan, vertex, "r", m->r, 1, part));
    return mt_plan_connect_per_part(plan, vertex, "words", m->words_first, MT_IMPLICIT_WORDS_FIRST, part);
}

static mt_status add_half(mt_plan *plan, uint32_t set, uint32_t part)
{
    const mt_plan_implicit *m = plan->implicit;
    size_t vertex;
    MT_TRY(add_vertex(plan, set, MT_IMPLICIT_HALF, part, &vertex));
    MT_TRY(mt_plan_connect(plan, vertex, "r", m->r, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "q", m->q, 1, part));
    return connect_sent(plan, vertex, "alpha", MT_IMPLICIT_SENT_ALPHA, 1);
}

static mt_status add_second(mt_plan *plan, uint32_t set, uint32_t part, ipu_slice *slices)
{
    const mt_plan_implicit *m = plan->implicit;
    size_t vertex;
    MT_TRY(add_summing_product(plan, set, MT_IMPLICIT_SECOND, part, "r", m->r, "t", m->t,
        MT_IMPLICIT_SENT_SECOND, MT_IMPLICIT_SENT_ALPHA, slices, &vertex));
    return mt_plan_connect_per_part(plan, vertex, "words", m->words_second, MT_IMPLICIT_WORDS_SECOND, part);
}

static mt_status add_end(mt_plan *plan, uint32_t set, uint32_t part)
{
    const mt_plan_implicit *m = plan->implicit;
    size_t vertex;
    MT_TRY(add_vertex(plan, set, MT_IMPLICIT_END, part, &vertex));
    MT_TRY(mt_plan_connect(plan, vertex, "x", plan->v_b, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "r", m->r, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "p", m->p, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "d", plan->d, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "q", m->q, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "t", m->t, 1, part));
    MT_TRY(connect_sent(
        plan, vertex, "scalars", MT_IMPLICIT_SENT_ALPHA, MT_IMPLICIT_SENT - MT_IMPLICIT_SENT_ALPHA));
    return mt_plan_connect_per_part(plan, vertex, "bound", m->bound, MT_IMPLICIT_BOUNDS, part);
}

static mt_status add_gain(mt_plan *plan, uint32_t set, uint32_t part)
{
    size_t vertex;
    MT_TRY(add_vertex(plan, set, MT_IMPLICIT_GAIN, part, &vertex));
    MT_TRY(mt_plan_connect(plan, vertex, "v", plan->v_a, 1, part));
    return mt_plan_connect(plan, vertex, "x", plan->v_b, 1, part);
}

static mt_status add_iteration_sets(
    mt_arena *arena, mt_plan *plan, ipu_slice *slices, const ipu_program **iteration)
{
    static const char *const names[AT_SETS] = {"first product", "half", "second product", "end", "gain"};
    uint32_t set[AT_SETS];
    for (int k = 0; k < AT_SETS; k++) {
        MT_TRY(ipu_graph_add_compute_set(plan->graph, names[k], &set[k]));
        MT_TRY(ipu_program_execute(arena, set[k], &iteration[k]));
    }
    for (uint32_t part = 0; part < plan->halo->n_parts; part++) {
        if (mt_plan_count(plan, part) == 0) continue;
        MT_TRY(add_first(plan, set[AT_FIRST], part, slices));
        MT_TRY(add_half(plan, set[AT_HALF], part));
        MT_TRY(add_second(plan, set[AT_SECOND], part, slices));
        MT_TRY(add_end(plan, set[AT_END], part));
        MT_TRY(add_gain(plan, set[AT_GAIN], part));
    }
    return MT_OK;
}

/* ---- sums over tiles, and the scalars ---- */

/* Builds the program that reduces the results of all non-empty parts. */
static mt_status reduce_parts(mt_plan *plan, ipu_reduction how, ipu_tensor of_part, size_t entries,
    ipu_tensor all, const ipu_program **program)
{
    const mt_halo *halo = plan->halo;
    const uint32_t variable = plan->graph->slices[of_part.first_slice].variable;
    MT_SCRATCH(scratch);
    ipu_slice *slices;
    ipu_tensor in;
    size_t n = 0;
    MT_ALLOC(scratch, slices, halo->n_parts);
    for (uint32_t part = 0; part < halo->n_parts; part++)
        if (mt_plan_count(plan, part) > 0) slices[n++] = (ipu_slice){variable, entries * part, entries};
    MT_TRY(ipu_graph_add_tensor(plan->graph, slices, n, &in));
    return ipu_reduce(plan->graph, how, in, all, program);
}

/* Adds a compute set with one vertex, for scalars. */
static mt_status add_scalar_vertex(mt_arena *arena, mt_plan *plan, const char *name, mt_implicit_part kind,
    ipu_tensor found, size_t *vertex, const ipu_program **program)
{
    const mt_plan_implicit *m = plan->implicit;
    uint32_t set;
    MT_TRY(ipu_graph_add_compute_set(plan->graph, name, &set));
    MT_TRY(add_vertex(plan, set, kind, m->scalars_part, vertex));
    MT_TRY(ipu_graph_connect(plan->graph, *vertex, "state", m->state));
    MT_TRY(ipu_graph_connect(plan->graph, *vertex, "sent", m->sent));
    MT_TRY(ipu_graph_connect(plan->graph, *vertex, "found", found));
    return ipu_program_execute(arena, set, program);
}

/* A reduction and the scalars that derive from it. */
enum { SUM_NEXT, SUM_ALPHA, SUM_OMEGA, SUMS };

static mt_status add_sum_sets(mt_arena *arena, mt_plan *plan, const ipu_program **sum)
{
    const mt_plan_implicit *m = plan->implicit;
    const struct {
        const char *name;
        ipu_reduction how;
        ipu_tensor of_part, of_all;
        size_t entries;
        mt_implicit_part kind;
    } what[SUMS] = {{"next", IPU_REDUCE_MAXIMUM, m->bound, m->bounds, MT_IMPLICIT_BOUNDS, MT_IMPLICIT_NEXT},
        {"alpha", IPU_REDUCE_ADD, m->words_first, m->sum_first, MT_IMPLICIT_WORDS_FIRST, MT_IMPLICIT_ALPHA},
        {"omega", IPU_REDUCE_ADD, m->words_second, m->sum_second, MT_IMPLICIT_WORDS_SECOND,
            MT_IMPLICIT_OMEGA}};
    for (int k = 0; k < SUMS; k++) {
        const ipu_program *both[2];
        size_t vertex;
        MT_TRY(reduce_parts(plan, what[k].how, what[k].of_part, what[k].entries, what[k].of_all, &both[0]));
        MT_TRY(add_scalar_vertex(arena, plan, what[k].name, what[k].kind, what[k].of_all, &vertex, &both[1]));
        if (k == SUM_NEXT) {
            MT_TRY(ipu_graph_connect(plan->graph, vertex, "iteration", m->iteration));
            MT_TRY(ipu_graph_connect(plan->graph, vertex, "goes_on", m->goes_on));
        }
        MT_TRY(ipu_program_sequence(arena, both, 2, &sum[k]));
    }
    return MT_OK;
}

mt_status mt_plan_add_implicit(mt_arena *arena, mt_plan *plan, ipu_slice *slices)
{
    const ipu_program *iteration[AT_SETS], *sum[SUMS], *body, *loop, *increments, *start;
    MT_TRY(add_iteration_sets(arena, plan, slices, iteration));
    MT_TRY(add_sum_sets(arena, plan, sum));
    const ipu_program *const iterations[] = {iteration[AT_FIRST], sum[SUM_ALPHA], iteration[AT_HALF],
        iteration[AT_SECOND], sum[SUM_OMEGA], iteration[AT_END]};
    MT_TRY(ipu_program_sequence(arena, iterations, sizeof iterations / sizeof iterations[0], &body));
    MT_TRY(ipu_program_repeat_while(
        arena, sum[SUM_NEXT], plan->implicit->goes_on, body, MT_IMPLICIT_ITERATIONS_MOST, &loop));
    MT_TRY(ipu_program_execute(arena, MT_PLAN_PDE_AB, &increments));
    MT_TRY(ipu_program_execute(arena, MT_PLAN_PDE_BA, &start));
    const ipu_program *const all[] = {increments, start, loop, iteration[AT_GAIN]};
    return ipu_program_sequence(arena, all, sizeof all / sizeof all[0], &plan->implicit->program);
}
