#include "solver/plan/nodal.h"

#include <math.h>
#include <string.h>

#include "solver/diffusion/implicit.h"
#include "solver/diffusion/nodal_rows.h"
#include "solver/plan/implicit_codelets.h"

static const mt_nodal *rows_of(const mt_plan *plan) { return plan->problem->diffusion->nodal; }

static bool is_implicit(const mt_plan *plan) { return plan->problem->diffusing != MT_DIFFUSING_EXPLICIT; }

/* Returns the number of entries of a vertex. */
static size_t length_of(const mt_nodal *nodal, uint32_t vertex)
{
    return nodal->start[(size_t)vertex + 1] - nodal->start[vertex];
}

mt_status mt_plan_find_nodal(mt_arena *arena, mt_plan *plan)
{
    const mt_halo *halo = plan->halo;
    const mt_nodal *nodal = rows_of(plan);
    mt_plan_nodal *p;
    size_t *length;
    MT_SCRATCH(scratch);
    MT_ALLOC(arena, p, 1);
    MT_ALLOC(arena, p->rows, halo->n_parts);
    MT_ALLOC(arena, p->block_from, (size_t)halo->n_parts + 1);
    MT_ALLOC(arena, p->value_from, (size_t)halo->n_parts + 1);
    MT_ALLOC(scratch, length, halo->n_elements);
    for (size_t k = 0; k < halo->n_elements; k++) length[k] = length_of(nodal, halo->own_element[k]);
    for (uint32_t part = 0; part < halo->n_parts; part++) {
        mt_tile_rows *rows = &p->rows[part];
        MT_TRY(mt_tile_rows_make(arena, mt_plan_count(plan, part), length + mt_plan_from(plan, part), rows));
        p->block_from[part + 1] = p->block_from[part] + rows->n_blocks;
        p->value_from[part + 1] = p->value_from[part] + rows->n_values;
    }
    if (plan->double_words) MT_ALLOC(arena, p->words, halo->n_parts);
    for (uint32_t part = 0; plan->double_words && part < halo->n_parts; part++)
        p->words[part] = (mt_tile_words){&p->rows[part], plan->problem->pde_steps};
    p->spreads = nodal->spread != NULL;
    plan->nodal = p;
    return MT_OK;
}

mt_status mt_plan_add_nodal_variables(mt_plan *plan)
{
    mt_plan_nodal *p = plan->nodal;
    if (is_implicit(plan)) MT_TRY(mt_plan_add_per_element(plan, "d", IPU_FLOAT, 1, &plan->d));
    MT_TRY(mt_plan_add_per_element(plan, "row", IPU_UNSIGNED_SHORT, 1, &p->row));
    MT_TRY(mt_plan_add_pieces(plan, "width", IPU_UNSIGNED_SHORT, p->block_from, &p->width));
    MT_TRY(mt_plan_add_pieces(plan, "a", IPU_FLOAT, p->value_from, &p->rate));
    MT_TRY(mt_plan_add_pieces(plan, "column", IPU_UNSIGNED_SHORT, p->value_from, &p->column));
    if (!p->spreads) return MT_OK;
    MT_TRY(mt_plan_add_pieces(plan, "spreads", IPU_FLOAT, p->value_from, &p->spread));
    MT_TRY(mt_plan_add_per_element(plan, "increment", IPU_FLOAT, 1, &p->increment));
    return mt_plan_set_temporary(plan, p->increment);
}

/* ---- vertices ---- */

/* Connects the fields row, width, a and column with the rows of a part and these values. */
static mt_status connect_rows(mt_plan *plan, size_t vertex, ipu_tensor values, uint32_t part)
{
    const mt_plan_nodal *p = plan->nodal;
    MT_TRY(mt_plan_connect(plan, vertex, "row", p->row, 1, part));
    MT_TRY(mt_plan_connect_pieces(plan, vertex, "width", p->width, p->block_from, part));
    MT_TRY(mt_plan_connect_pieces(plan, vertex, "a", values, p->value_from, part));
    return mt_plan_connect_pieces(plan, vertex, "column", p->column, p->value_from, part);
}

mt_status mt_plan_connect_implicit_nodal(mt_plan *plan, size_t vertex, uint32_t part)
{
    MT_TRY(mt_plan_connect(plan, vertex, "d", plan->d, 1, part));
    return connect_rows(plan, vertex, plan->nodal->rate, part);
}

static mt_status add_vertex(mt_plan *plan, uint32_t set, const ipu_codelet *codelet, uint32_t part,
    const void *context, size_t *vertex)
{
    return ipu_graph_add_vertex(plan->graph, set, codelet, mt_plan_tile(plan, part), context, vertex);
}

mt_status mt_plan_add_nodal_step(
    mt_plan *plan, uint32_t set, ipu_tensor from, ipu_tensor to, uint32_t part, ipu_slice *slices)
{
    const mt_plan_nodal *p = plan->nodal;
    size_t vertex;
    if (plan->double_words) {
        MT_TRY(add_vertex(plan, set, &mt_codelet_nodal_pde_double_word, part, &p->words[part], &vertex));
        MT_TRY(mt_plan_connect_double_words(plan, vertex, part));
    } else {
        MT_TRY(add_vertex(plan, set, &mt_codelet_nodal_pde, part, &p->rows[part], &vertex));
    }
    MT_TRY(connect_rows(plan, vertex, p->rate, part));
    MT_TRY(mt_plan_connect_local(plan, vertex, "v", from, part, slices));
    return mt_plan_connect(plan, vertex, "out", to, 1, part);
}

mt_status mt_plan_add_nodal_spreading(mt_plan *plan, uint32_t set, uint32_t part, ipu_slice *slices)
{
    const mt_plan_nodal *p = plan->nodal;
    size_t vertex;
    MT_TRY(add_vertex(plan, set, mt_codelet_nodal_spread(plan->spread), part, &p->rows[part], &vertex));
    MT_TRY(connect_rows(plan, vertex, p->spread, part));
    MT_TRY(mt_plan_connect_local(plan, vertex, "d", p->increment, part, slices));
    if (plan->spread) {
        MT_TRY(mt_plan_connect(plan, vertex, "share", plan->share, 1, part));
        MT_TRY(mt_plan_connect(plan, vertex, "s", plan->s, 1, part));
    }
    return mt_plan_connect(plan, vertex, "v", plan->v_a, 1, part);
}

uint32_t mt_plan_nodal_spreading_set(const mt_monodomain *problem)
{
    const size_t turns = mt_record_beats(&problem->record) > 1 ? 2 : 0;
    return (uint32_t)(MT_PLAN_STIMULUS + problem->n_stimuli + turns);
}

/* ---- values ---- */

mt_status mt_plan_nodal_values_allocate(mt_arena *arena, const mt_plan *plan, mt_plan_nodal_values *room)
{
    const size_t n = plan->problem->diffusion->n_unknowns;
    size_t most = 0, most_own = 0;
    *room = (mt_plan_nodal_values){0};
    for (uint32_t part = 0; part < plan->halo->n_parts; part++) {
        const mt_tile_rows *rows = &plan->nodal->rows[part];
        most = rows->n_values > most ? rows->n_values : most;
        most_own = rows->n > most_own ? rows->n : most_own;
    }
    MT_ALLOC(arena, room->rate, most);
    if (is_implicit(plan)) MT_ALLOC(arena, room->d, most_own);
    if (plan->nodal->spreads) MT_ALLOC(arena, room->spread, most);
    MT_ALLOC(arena, room->column, most);
    MT_ALLOC(arena, room->local, most);
    MT_ALLOC(arena, room->map, n);
    memset(room->map, 0xff, n * sizeof *room->map);
    return MT_OK;
}

/* Stores the diffusion step of row r, beginning at rate[at]. */
static void put_rates(const mt_plan *plan, const mt_tile_rows *rows, size_t r, uint32_t vertex, size_t at,
    size_t stride, mt_plan_nodal_values *room)
{
    const mt_monodomain *problem = plan->problem;
    const mt_nodal *nodal = rows_of(plan);
    const double *rate = nodal->rate + nodal->start[vertex],
                 dt_ms = problem->dt_ms / (double)problem->pde_steps;
    const size_t length = length_of(nodal, vertex);
    float sum = 1;
    for (size_t k = 0; !room->d && k < length; k++) room->rate[at + k * stride] = (float)(dt_ms * rate[k]);
    if (!room->d) return;
    room->d[rows->row[r]] = mt_implicit_row_float(
        length, rate, mt_diffusing_theta(problem->diffusing) * problem->dt_ms, stride, room->rate + at);
    for (size_t k = 0; k < length; k++) sum += fabsf(room->rate[at + k * stride]);
    room->norm = fmaxf(room->norm, sum);
}

/* Stores the row of an own cell; `local` are its columns. */
static void put_row(const mt_plan *plan, const mt_tile_rows *rows, size_t r, uint32_t vertex,
    const uint32_t *local, mt_plan_nodal_values *room)
{
    const mt_nodal *nodal = rows_of(plan);
    const size_t first = nodal->start[vertex], length = length_of(nodal, vertex);
    size_t stride, width, at = mt_tile_rows_at(rows, r, &stride, &width);
    put_rates(plan, rows, r, vertex, at, stride, room);
    for (size_t k = 0; k < width; k++, at += stride) {
        if (k >= length) room->rate[at] = 0;
        if (room->spread) room->spread[at] = k < length ? (float)nodal->spread[first + k] : 0;
        room->column[at] = k < length ? (uint16_t)local[k] : rows->row[r];
    }
}

mt_status mt_plan_nodal_values_of(const mt_plan *plan, uint32_t part, mt_plan_nodal_values *room)
{
    const mt_pattern pattern = mt_diffusion_pattern(plan->problem->diffusion);
    const mt_tile_rows *rows = &plan->nodal->rows[part];
    const uint32_t *own = plan->halo->own_element + mt_plan_from(plan, part);
    MT_SCRATCH(scratch);
    size_t *from; /* [own] first local column of each cell */
    MT_TRY(mt_halo_columns(plan->halo, &pattern, part, room->map, room->local));
    MT_ALLOC(scratch, from, rows->n + 1);
    for (size_t k = 0; k < rows->n; k++) from[k + 1] = from[k] + length_of(rows_of(plan), own[k]);
    for (size_t r = 0; r < rows->n; r++) {
        const size_t cell = rows->row[r];
        put_row(plan, rows, r, own[cell], room->local + from[cell], room);
    }
    return MT_OK;
}

/* ---- weights ---- */

/* Worker cycles in a time step: of an entry of a row, and of a vertex of the mesh beyond its entries. */
typedef struct row_cycles {
    double entry, vertex;
} row_cycles;

static row_cycles explicit_cycles(const mt_monodomain *problem, const ipu_target *target)
{
    const bool words = problem->accumulation == MT_ACCUMULATION_DOUBLE_WORD;
    const double steps = (double)problem->pde_steps;
    return (row_cycles){steps * mt_nodal_entry_cycles(target),
        steps * mt_nodal_row_cycles(target, words ? "nodal_word_row" : "nodal_row")};
}

static row_cycles implicit_cycles(const ipu_target *target)
{
    enum {
        ITERATIONS = 2,
        PRODUCTS = MT_IMPLICIT_PRODUCTS + MT_IMPLICIT_PRODUCTS_OF_AN_ITERATION * ITERATIONS
    };
    const ipu_instruction_costs *costs = &target->instructions;
    return (row_cycles){PRODUCTS * mt_nodal_entry_cycles(target),
        mt_nodal_row_cycles(target, "nodal_increments_row") + mt_nodal_row_cycles(target, "nodal_start_row") +
            ITERATIONS * (mt_nodal_row_cycles(target, "nodal_first_row") +
                             mt_nodal_row_cycles(target, "nodal_second_row") +
                             ipu_mix_cycles(mt_codelet_mix("half_way"), costs) +
                             ipu_mix_cycles(mt_codelet_mix("end_iteration"), costs)) +
            ipu_mix_cycles(mt_codelet_mix("gain"), costs)};
}

mt_status mt_plan_nodal_weights(
    mt_arena *arena, const mt_monodomain *problem, const ipu_target *target, uint32_t **weight)
{
    const mt_nodal *nodal = problem->diffusion->nodal;
    const bool spreads = nodal->spread != NULL, shares = mt_monodomain_spreads(problem);
    const mt_ode_context context = {.model = problem->model,
        .mixed = problem->variant_of != NULL,
        .spread = shares && !spreads,
        .multirate = problem->stepping == MT_STEPPING_MULTIRATE,
        .increments = spreads};
    const ipu_mix *record = mt_codelet_mix(mt_codelet_record(problem->record.all, shares)->name);
    row_cycles rows = problem->diffusing == MT_DIFFUSING_EXPLICIT ? explicit_cycles(problem, target)
                                                                  : implicit_cycles(target);
    if (spreads) {
        rows.entry += mt_nodal_entry_cycles(target);
        rows.vertex += mt_nodal_row_cycles(target, shares ? "nodal_share_row" : "nodal_spread_row");
    }
    rows.vertex += mt_codelet_ode_cycles(target, &context) + ipu_mix_cycles(record, &target->instructions);
    MT_ALLOC(arena, *weight, problem->diffusion->n_unknowns);
    for (uint32_t i = 0; i < problem->diffusion->n_unknowns; i++)
        (*weight)[i] = (uint32_t)lround(rows.vertex + rows.entry * (double)length_of(nodal, i));
    return MT_OK;
}
