#include "solver/plan/plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/offsets.h"
#include "ipu/compile/compile.h"
#include "ipu/run/details.h"
#include "solver/diffusion/implicit.h"
#include "solver/kernels/block.h"
#include "solver/plan/codelets.h"
#include "solver/plan/variables.h"
#include "solver/plan/implicit.h"
#include "solver/plan/network.h"
#include "solver/plan/nodal.h"
#include "solver/kernels/ellpack.h"

_Static_assert(
    (int)MT_ELLPACK_WIDTH == (int)MT_DIFFUSION_ROW, "a row of the operator is a row of the matrix");

/* Contexts of the vertices of a plan, with its lifetime. */
typedef struct contexts {
    mt_ode_context ode;
    ipu_codelet ode_codelet; /* of the model */
    mt_record_context record;
    float dt_ms;
    mt_delayed_context *stimulus; /* [n_stimuli]; without delays only the rise is used */
} contexts;

static bool is_implicit(const mt_plan *plan) { return plan->problem->diffusing != MT_DIFFUSING_EXPLICIT; }

/* ---- variables ---- */

static mt_status add_spreading(mt_plan *plan)
{
    MT_TRY(mt_plan_add_per_element(plan, "share", IPU_FLOAT, 1, &plan->share));
    MT_TRY(mt_plan_add_per_element(plan, "s", IPU_FLOAT, 1, &plan->s));
    return mt_plan_set_temporary(plan, plan->s);
}

/* Adds the constants' row of each element, and the constants of each tile. */
static mt_status add_variants(mt_plan *plan)
{
    const size_t n_constants = plan->problem->model->n_constants, *rows = plan->rows;
    uint32_t variable;
    MT_TRY(mt_plan_add_per_element(plan, "of", IPU_UNSIGNED_SHORT, 1, &plan->of));
    MT_TRY(ipu_graph_add_variable(
        plan->graph, "constants", IPU_FLOAT, n_constants * rows[plan->halo->n_parts], &variable));
    for (uint32_t part = 0; part < plan->halo->n_parts; part++)
        if (mt_plan_count(plan, part) > 0)
            MT_TRY(ipu_graph_set_tile_mapping(plan->graph, variable, n_constants * rows[part],
                n_constants * (rows[part + 1] - rows[part]), mt_plan_tile(plan, part)));
    return ipu_graph_variable_tensor(plan->graph, variable, &plan->constants);
}

static mt_status add_double_words(mt_plan *plan)
{
    MT_TRY(mt_plan_add_per_element(plan, "v_low", IPU_FLOAT, 1, &plan->v_low));
    return mt_plan_add_per_part(plan, "substep", IPU_FLOAT, 1, &plan->substep);
}

static mt_status add_matrix(mt_plan *plan)
{
    if (plan->nodal) return mt_plan_add_nodal_variables(plan);
    if (!plan->double_words) MT_TRY(mt_plan_add_per_element(plan, "d", IPU_FLOAT, 1, &plan->d));
    MT_TRY(mt_plan_add_per_element(plan, "a", IPU_FLOAT, MT_ELLPACK_WIDTH, &plan->a));
    return mt_plan_add_per_element(plan, "column", IPU_UNSIGNED_SHORT, MT_ELLPACK_WIDTH, &plan->column);
}

static mt_status add_variables(mt_arena *arena, mt_plan *plan)
{
    MT_TRY(mt_plan_add_per_element(plan, "v_a", IPU_FLOAT, 1, &plan->v_a));
    MT_TRY(mt_plan_add_per_element(plan, "v_b", IPU_FLOAT, 1, &plan->v_b));
    MT_TRY(add_matrix(plan));
    MT_TRY(mt_plan_add_per_element(plan, "state", IPU_FLOAT, plan->problem->model->n_states, &plan->state));
    if (plan->rows) MT_TRY(add_variants(plan));
    MT_TRY(mt_plan_add_per_element(plan, "before", IPU_FLOAT, 1, &plan->before));
    MT_TRY(mt_plan_add_per_element(plan, "activation", IPU_FLOAT, 1, &plan->activation));
    for (int r = 0; plan->problem->record.all && r < MT_RECORDED; r++)
        MT_TRY(mt_plan_add_per_element(plan, mt_recorded_quantity[r].name, IPU_FLOAT, 1, &plan->recorded[r]));
    for (int k = 0; plan->problem->stepping == MT_STEPPING_MULTIRATE && k < MT_PACED; k++)
        MT_TRY(mt_plan_add_per_element(plan, mt_paced_quantity[k].name, IPU_FLOAT, 1, &plan->paced[k]));
    if (plan->spread) MT_TRY(add_spreading(plan));
    if (plan->double_words) MT_TRY(add_double_words(plan));
    if (is_implicit(plan)) MT_TRY(mt_plan_add_implicit_variables(arena, plan));
    MT_TRY(mt_plan_add_per_part(plan, "step", IPU_FLOAT, 1, &plan->step));
    return mt_plan_set_temporary(plan, plan->v == &plan->v_a ? plan->v_b : plan->v_a);
}

/* ---- the diffusion step in the order of the parts ---- */

mt_status mt_plan_matrix_allocate(mt_arena *arena, const mt_plan *plan, mt_plan_matrix *room)
{
    size_t most = 0;
    for (uint32_t part = 0; part < plan->halo->n_parts; part++)
        if (mt_plan_count(plan, part) > most) most = mt_plan_count(plan, part);
    MT_ALLOC(arena, room->d, most);
    MT_ALLOC(arena, room->a, most * MT_ELLPACK_WIDTH);
    MT_ALLOC(arena, room->column, most * MT_ELLPACK_WIDTH);
    MT_ALLOC(arena, room->local, most * MT_ELLPACK_WIDTH);
    MT_TRY(mt_diffusion_rows_allocate(arena, plan->problem->diffusion, most, &room->rows));
    MT_ALLOC(arena, room->map, plan->problem->diffusion->n_unknowns);
    memset(room->map, 0xff, plan->problem->diffusion->n_unknowns * sizeof *room->map);
    room->norm = 0;
    return MT_OK;
}

/* Computes one row and returns its diagonal. */
static float make_row(const mt_plan *plan, const double *rate, float *off, float *norm)
{
    const mt_monodomain *problem = plan->problem;
    float sum = 1;
    if (!is_implicit(plan))
        return mt_diffusion_step_row_float(rate, problem->dt_ms / (double)problem->pde_steps, off);
    const float d = mt_implicit_row_float(
        MT_DIFFUSION_ROW, rate, mt_diffusing_theta(problem->diffusing) * problem->dt_ms, 1, off);
    for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) sum += fabsf(off[k]);
    *norm = fmaxf(*norm, sum);
    return d;
}

mt_status mt_plan_matrix_of(const mt_plan *plan, uint32_t part, mt_plan_matrix *room)
{
    const mt_monodomain *problem = plan->problem;
    const mt_pattern pattern = mt_diffusion_pattern(problem->diffusion);
    const size_t n = mt_plan_count(plan, part), from = mt_plan_from(plan, part);
    MT_TRY(mt_halo_columns(plan->halo, &pattern, part, room->map, room->local));
    const double *rate = mt_diffusion_rows_of(&room->rows, n, plan->halo->own_element + from);
    for (size_t row = 0; row < n; row++) {
        float off[MT_ELLPACK_WIDTH];
        room->d[row] = make_row(plan, rate + MT_DIFFUSION_ROW * row, off, &room->norm);
        for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
            const size_t at = mt_block_index(n, MT_ELLPACK_WIDTH, row, k);
            room->a[at] = off[k];
            room->column[at] = (uint16_t)room->local[MT_ELLPACK_WIDTH * row + k];
        }
    }
    return MT_OK;
}

static mt_status check_columns(const mt_halo *halo)
{
    for (uint32_t part = 0; part < halo->n_parts; part++)
        if (mt_halo_local(halo, part) > UINT16_MAX + (size_t)1)
            return mt_fail(MT_FIT,
                "tile %u: %zu elements including received ones; 16-bit columns allow at most 65536: use more "
                "tiles",
                part, mt_halo_local(halo, part));
    return MT_OK;
}

/* ---- variants ---- */

/* Assigns each element its row. Fills variant_of_row with the variants, in the order of their first use in a part. */
static mt_status number_rows(mt_arena *scratch, size_t n_variants, mt_plan *plan, uint16_t *variant_of_row)
{
    const mt_halo *halo = plan->halo;
    uint32_t *asked_by; /* [n_variants] the last part that used it, plus 1 */
    uint16_t *row;
    MT_ALLOC(scratch, asked_by, n_variants);
    MT_ALLOC(scratch, row, n_variants);
    for (uint32_t part = 0; part < halo->n_parts; part++) {
        size_t n = plan->rows[part];
        for (size_t k = mt_plan_from(plan, part); k < mt_plan_from(plan, part) + mt_plan_count(plan, part);
             k++) {
            const uint16_t variant = plan->problem->variant_of[halo->own_element[k]];
            if (asked_by[variant] != part + 1) {
                asked_by[variant] = part + 1;
                row[variant] = (uint16_t)(n - plan->rows[part]);
                variant_of_row[n++] = variant;
            }
            plan->of_value[k] = row[variant];
        }
        plan->rows[part + 1] = n;
    }
    return MT_OK;
}

/* Finds the rows of constants of each tile, if there are several variants. */
static mt_status find_rows(mt_arena *arena, mt_arena *values, mt_plan *plan)
{
    if (!plan->problem->variant_of) return MT_OK;
    MT_SCRATCH(scratch);
    const mt_cell_model *model = plan->problem->model;
    size_t n_variants;
    const mt_cell_variant *variants = mt_monodomain_variants(plan->problem, &n_variants);
    uint16_t *variant_of_row;
    MT_ALLOC(arena, plan->rows, plan->halo->n_parts + (size_t)1);
    MT_ALLOC(values, plan->of_value, plan->halo->n_elements);
    MT_ALLOC(scratch, variant_of_row, plan->halo->n_elements);
    MT_TRY(number_rows(scratch, n_variants, plan, variant_of_row));
    const size_t n = plan->rows[plan->halo->n_parts];
    MT_ALLOC(values, plan->constants_value, n * model->n_constants);
    for (size_t r = 0; r < n; r++)
        mt_cell_constants_float(
            model, &variants[variant_of_row[r]], 1, plan->constants_value + r * model->n_constants);
    return MT_OK;
}

/* Computes the constants that are compiled into the codelet, if all elements are of one variant. */
static mt_status find_constants(mt_arena *arena, const mt_monodomain *problem, const float **constants)
{
    size_t n;
    float *of_all;
    if (problem->variant_of) return MT_OK;
    MT_ALLOC(arena, of_all, problem->model->n_constants);
    mt_cell_constants_float(
        problem->model, mt_monodomain_variants(problem, &n) + problem->variant, 1, of_all);
    *constants = of_all;
    return MT_OK;
}

/* ---- the share that is spread ---- */

static mt_status fill_share(mt_arena *values, mt_plan *plan)
{
    const mt_monodomain *problem = plan->problem;
    if (!plan->spread) return MT_OK;
    MT_ALLOC(values, plan->share_value, plan->halo->n_elements);
    for (size_t k = 0; k < plan->halo->n_elements; k++)
        plan->share_value[k] = (float)mt_monodomain_share(problem, plan->halo->own_element[k]);
    return MT_OK;
}

/* ---- vertices ---- */

static mt_status add_pde(
    mt_plan *plan, uint32_t set, ipu_tensor from, ipu_tensor to, uint32_t part, ipu_slice *slices)
{
    size_t vertex;
    if (plan->nodal) return mt_plan_add_nodal_step(plan, set, from, to, part, slices);
    MT_TRY(ipu_graph_add_vertex(plan->graph, set,
        plan->double_words ? &mt_codelet_pde_double_word : &mt_codelet_pde, mt_plan_tile(plan, part),
        &plan->problem->pde_steps, &vertex));
    if (plan->double_words) MT_TRY(mt_plan_connect_double_words(plan, vertex, part));
    MT_TRY(mt_plan_connect_rows(plan, vertex, part));
    MT_TRY(mt_plan_connect_local(plan, vertex, "v", from, part, slices));
    return mt_plan_connect(plan, vertex, "out", to, 1, part);
}

static mt_status connect_variants(mt_plan *plan, size_t vertex, uint32_t part)
{
    const size_t n_constants = plan->problem->model->n_constants, *rows = plan->rows;
    ipu_tensor constants;
    MT_TRY(mt_plan_connect(plan, vertex, "of", plan->of, 1, part));
    MT_TRY(ipu_graph_slice(plan->graph, plan->constants, n_constants * rows[part],
        n_constants * (rows[part + 1] - rows[part]), &constants));
    return ipu_graph_connect(plan->graph, vertex, "constants", constants);
}

/* Connects the variables of multirate stepping. */
static mt_status connect_paced(mt_plan *plan, size_t vertex, uint32_t part)
{
    MT_TRY(mt_plan_connect_per_part(plan, vertex, "step", plan->step, 1, part));
    for (int k = 0; k < MT_PACED; k++)
        MT_TRY(mt_plan_connect(plan, vertex, mt_paced_quantity[k].name, plan->paced[k], 1, part));
    return MT_OK;
}

static mt_status add_ode(mt_plan *plan, uint32_t set, const contexts *c, uint32_t part)
{
    size_t vertex;
    MT_TRY(
        ipu_graph_add_vertex(plan->graph, set, &c->ode_codelet, mt_plan_tile(plan, part), &c->ode, &vertex));
    if (plan->rows) MT_TRY(connect_variants(plan, vertex, part));
    if (c->ode.multirate) MT_TRY(connect_paced(plan, vertex, part));
    MT_TRY(mt_plan_connect(plan, vertex, "state", plan->state, plan->problem->model->n_states, part));
    MT_TRY(mt_plan_connect(plan, vertex, "v_in", *plan->v, 1, part));
    if (c->ode.increments) MT_TRY(mt_plan_connect(plan, vertex, "d", plan->nodal->increment, 1, part));
    if (c->ode.spread) {
        MT_TRY(mt_plan_connect(plan, vertex, "share", plan->share, 1, part));
        MT_TRY(mt_plan_connect(plan, vertex, "s", plan->s, 1, part));
    }
    return mt_plan_connect(plan, vertex, "v_out", plan->v_a, 1, part);
}

/* Connects the variables of a vertex that records or frees elements. */
static mt_status connect_record(mt_plan *plan, size_t vertex, uint32_t part)
{
    MT_TRY(mt_plan_connect_per_part(plan, vertex, "step", plan->step, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "v", *plan->v, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "before", plan->before, 1, part));
    for (int r = 0; plan->problem->record.all && r < MT_RECORDED; r++)
        MT_TRY(mt_plan_connect(plan, vertex, mt_recorded_quantity[r].name, plan->recorded[r], 1, part));
    return mt_plan_connect(plan, vertex, "activation", plan->activation, 1, part);
}

static mt_status add_activation(mt_plan *plan, uint32_t set, const contexts *c, uint32_t part)
{
    size_t vertex;
    const bool all = plan->problem->record.all;
    const void *context = all ? (const void *)&c->record : &c->dt_ms;
    MT_TRY(ipu_graph_add_vertex(
        plan->graph, set, mt_codelet_record(all, plan->spread), mt_plan_tile(plan, part), context, &vertex));
    if (plan->spread) MT_TRY(mt_plan_connect(plan, vertex, "s", plan->s, 1, part));
    return connect_record(plan, vertex, part);
}

static mt_status add_vertices(mt_plan *plan, const contexts *c, ipu_slice *slices)
{
    static const char *const names[2][MT_PLAN_STIMULUS] = {
        {"ode", "pde a to b", "pde b to a", "activation"}, {"ode", "increments", "start", "activation"}};
    uint32_t set[MT_PLAN_STIMULUS];
    for (int s = 0; s < MT_PLAN_STIMULUS; s++)
        MT_TRY(ipu_graph_add_compute_set(plan->graph, names[is_implicit(plan)][s], &set[s]));
    for (uint32_t part = 0; part < plan->halo->n_parts; part++) {
        if (mt_plan_count(plan, part) == 0) continue;
        MT_TRY(add_ode(plan, set[MT_PLAN_ODE], c, part));
        if (is_implicit(plan)) {
            MT_TRY(mt_plan_add_implicit_start(plan, &set[MT_PLAN_PDE_AB], part, slices));
        } else {
            MT_TRY(add_pde(plan, set[MT_PLAN_PDE_AB], plan->v_a, plan->v_b, part, slices));
            MT_TRY(add_pde(plan, set[MT_PLAN_PDE_BA], plan->v_b, plan->v_a, part, slices));
        }
        MT_TRY(add_activation(plan, set[MT_PLAN_ACTIVATION], c, part));
    }
    return MT_OK;
}

/* ---- stimuli ---- */

/* The position of each element: its part, and its index within the part. */
typedef struct places {
    uint32_t *part, *at; /* [elements of the problem]; at: within the part */
} places;

static mt_status find_places(mt_arena *scratch, size_t n_elements, const mt_halo *halo, places *p)
{
    MT_ALLOC(scratch, p->part, n_elements);
    MT_ALLOC(scratch, p->at, n_elements);
    for (uint32_t part = 0; part < halo->n_parts; part++)
        for (size_t k = halo->own_offset[part]; k < halo->own_offset[part + 1]; k++) {
            p->part[halo->own_element[k]] = part;
            p->at[halo->own_element[k]] = (uint32_t)(k - halo->own_offset[part]);
        }
    return MT_OK;
}

/* Sorts the elements of a stimulus by part: fills in elements_value and delay_value. offset: [n_parts + 2] zeros; part p has the numbers
 * from offset[p] to offset[p + 1]. */
static mt_status sort_stimulus(mt_arena *values, mt_plan *plan, const places *p, size_t s, size_t *offset)
{
    const mt_stimulus *stimulus = &plan->problem->stimulus[s];
    MT_ALLOC(values, plan->elements_value[s], stimulus->n_elements);
    if (stimulus->delay) MT_ALLOC(values, plan->delay_value[s], stimulus->n_elements);
    for (size_t k = 0; k < stimulus->n_elements; k++) offset[p->part[stimulus->element[k]] + (size_t)2]++;
    mt_offsets_sum(offset, plan->halo->n_parts + (size_t)2);
    for (size_t k = 0; k < stimulus->n_elements; k++) {
        const uint32_t element = stimulus->element[k];
        const size_t to = offset[p->part[element] + (size_t)1]++;
        plan->elements_value[s][to] = (uint16_t)p->at[element];
        if (stimulus->delay) plan->delay_value[s][to] = stimulus->delay[k];
    }
    return MT_OK;
}

/* Adds the variables of a stimulus with delays. */
static mt_status add_delays(mt_plan *plan, size_t s, const size_t *offset)
{
    char name[32];
    (void)snprintf(name, sizeof name, "delay %zu", s);
    MT_TRY(mt_plan_add_pieces(plan, name, IPU_UNSIGNED_SHORT, offset, &plan->delay[s]));
    (void)snprintf(name, sizeof name, "elapsed %zu", s);
    return mt_plan_add_per_part(plan, name, IPU_FLOAT, 1, &plan->elapsed[s]);
}

/* Adds one stimulus: a variable with the indices of its elements, a vertex on each tile that has some. */
static mt_status add_stimulus(
    mt_arena *values, mt_arena *scratch, mt_plan *plan, const contexts *c, const places *p, size_t s)
{
    const bool delayed = plan->problem->stimulus[s].delay;
    const void *context = delayed ? (const void *)&c->stimulus[s] : &c->stimulus[s].rise_mV;
    char name[32];
    uint32_t set;
    size_t *offset, vertex;
    (void)snprintf(name, sizeof name, "stimulus %zu", s);
    MT_ALLOC(scratch, offset, plan->halo->n_parts + (size_t)2);
    MT_TRY(sort_stimulus(values, plan, p, s, offset));
    MT_TRY(ipu_graph_add_compute_set(plan->graph, name, &set));
    MT_TRY(mt_plan_add_pieces(plan, name, IPU_UNSIGNED_SHORT, offset, &plan->elements[s]));
    if (delayed) MT_TRY(add_delays(plan, s, offset));
    for (uint32_t part = 0; part < plan->halo->n_parts; part++) {
        if (offset[part + 1] == offset[part]) continue;
        MT_TRY(ipu_graph_add_vertex(plan->graph, set,
            delayed ? &mt_codelet_stimulus_delayed : &mt_codelet_stimulus, mt_plan_tile(plan, part), context,
            &vertex));
        if (delayed) MT_TRY(mt_plan_connect_per_part(plan, vertex, "elapsed", plan->elapsed[s], 1, part));
        if (delayed) MT_TRY(mt_plan_connect_pieces(plan, vertex, "delay", plan->delay[s], offset, part));
        MT_TRY(mt_plan_connect_pieces(plan, vertex, "cell", plan->elements[s], offset, part));
        MT_TRY(mt_plan_connect(plan, vertex, "v", *plan->v, 1, part));
    }
    return MT_OK;
}

static mt_status add_stimuli(mt_arena *arena, mt_arena *values, mt_plan *plan, const contexts *c)
{
    MT_ALLOC(arena, plan->elements, plan->problem->n_stimuli);
    MT_ALLOC(arena, plan->delay, plan->problem->n_stimuli);
    MT_ALLOC(arena, plan->elapsed, plan->problem->n_stimuli);
    MT_ALLOC(values, plan->elements_value, plan->problem->n_stimuli);
    MT_ALLOC(values, plan->delay_value, plan->problem->n_stimuli);
    MT_SCRATCH(scratch);
    places p;
    MT_TRY(find_places(scratch, plan->problem->diffusion->n_unknowns, plan->halo, &p));
    for (size_t s = 0; s < plan->problem->n_stimuli; s++)
        MT_TRY(add_stimulus(values, scratch, plan, c, &p, s));
    return MT_OK;
}

/* ---- beats ---- */

static mt_status add_turn(mt_plan *plan, const char *name, bool begins, uint32_t *set)
{
    MT_TRY(ipu_graph_add_compute_set(plan->graph, name, set));
    for (uint32_t part = 0; part < plan->halo->n_parts; part++) {
        size_t vertex;
        if (mt_plan_count(plan, part) == 0) continue;
        MT_TRY(ipu_graph_add_vertex(
            plan->graph, *set, mt_codelet_free_elements(begins), mt_plan_tile(plan, part), NULL, &vertex));
        MT_TRY(connect_record(plan, vertex, part));
    }
    return MT_OK;
}

enum { BEGINS, GOES_ON };

static mt_status add_turn_sets(mt_plan *plan, uint32_t set[2])
{
    if (mt_record_beats(&plan->problem->record) == 1) return MT_OK;
    MT_TRY(add_turn(plan, "beat begins", true, &set[BEGINS]));
    return add_turn(plan, "beat goes on", false, &set[GOES_ON]);
}

/* Adds two programs after the programs of the steps. mt_plan_program never returns them: they have no stimulus, and it
 * finds program 0 first. */
static mt_status add_turn_programs(mt_arena *arena, mt_plan *plan, const uint32_t set[2])
{
    if (mt_record_beats(&plan->problem->record) == 1) return MT_OK;
    plan->beat_begins = plan->n_programs++;
    plan->beat_goes_on = plan->n_programs++;
    MT_TRY(ipu_program_execute(arena, set[BEGINS], &plan->program[plan->beat_begins]));
    return ipu_program_execute(arena, set[GOES_ON], &plan->program[plan->beat_goes_on]);
}

/* ---- spreading along the rows ---- */

static bool spreads_along_rows(const mt_plan *plan) { return plan->nodal && plan->nodal->spreads; }

static mt_status add_spreading_set(mt_plan *plan, ipu_slice *slices)
{
    uint32_t set;
    MT_TRY(ipu_graph_add_compute_set(plan->graph, "spreading", &set));
    assert(set == mt_plan_nodal_spreading_set(plan->problem));
    for (uint32_t part = 0; part < plan->halo->n_parts; part++)
        if (mt_plan_count(plan, part) > 0) MT_TRY(mt_plan_add_nodal_spreading(plan, set, part, slices));
    return MT_OK;
}

/* ---- programs ---- */

/* Return the number of stimuli, those of the tissue and then those of the conduction system; and one of them. */
static size_t n_stimuli(const mt_plan *plan)
{
    return plan->problem->n_stimuli + (plan->network ? plan->network->conduction->n_stimuli : 0);
}

static const mt_stimulus *stimulus_of(const mt_plan *plan, size_t s)
{
    const size_t n = plan->problem->n_stimuli;
    return s < n ? &plan->problem->stimulus[s] : &plan->network->conduction->stimulus[s - n];
}

/* Returns the first step after `step` in which a stimulus is switched on or off; SIZE_MAX: none. */
static size_t next_switch(const mt_plan *plan, size_t step)
{
    size_t end = SIZE_MAX;
    for (size_t s = 0; s < n_stimuli(plan); s++)
        end = mt_stimulus_next_switch(stimulus_of(plan, s), plan->problem->dt_ms, step, end);
    return end;
}

/* Adds the diffusion steps of a time step, at most two programs. */
static mt_status add_diffusion(mt_arena *arena, const mt_plan *plan, const ipu_program **parts, size_t *n)
{
    const ipu_program *ab, *ba, *both, *pair[2];
    const size_t pde_steps = plan->problem->pde_steps;
    if (is_implicit(plan)) {
        parts[(*n)++] = plan->implicit->program;
        return MT_OK;
    }
    MT_TRY(ipu_program_execute(arena, MT_PLAN_PDE_AB, &ab));
    MT_TRY(ipu_program_execute(arena, MT_PLAN_PDE_BA, &ba));
    pair[0] = ab;
    pair[1] = ba;
    MT_TRY(ipu_program_sequence(arena, pair, 2, &both));
    if (pde_steps / 2 > 0) MT_TRY(ipu_program_repeat(arena, pde_steps / 2, both, &parts[(*n)++]));
    if (pde_steps % 2 == 1) parts[(*n)++] = ab;
    return MT_OK;
}

/* Builds one time step with the stimuli that are on. */
static mt_status step_program(
    mt_arena *arena, const mt_plan *plan, const bool *on, const ipu_program **program)
{
    const ipu_program **parts;
    size_t n = 0;
    MT_ALLOC(arena, parts, plan->problem->n_stimuli + 6);
    if (plan->network)
        MT_TRY(mt_plan_network_program(arena, plan, on + plan->problem->n_stimuli, &parts[n++]));
    for (size_t s = 0; s < plan->problem->n_stimuli; s++)
        if (on[s]) MT_TRY(ipu_program_execute(arena, (uint32_t)(MT_PLAN_STIMULUS + s), &parts[n++]));
    MT_TRY(ipu_program_execute(arena, MT_PLAN_ODE, &parts[n++]));
    if (spreads_along_rows(plan))
        MT_TRY(ipu_program_execute(arena, mt_plan_nodal_spreading_set(plan->problem), &parts[n++]));
    MT_TRY(add_diffusion(arena, plan, parts, &n));
    MT_TRY(ipu_program_execute(arena, MT_PLAN_ACTIVATION, &parts[n++]));
    return ipu_program_sequence(arena, parts, n, program);
}

/* Each pulse is switched twice, and each switch adds at most one new set of simultaneous stimuli. */
static mt_status add_programs(mt_arena *arena, mt_plan *plan)
{
    const size_t n = n_stimuli(plan);
    size_t most = 2 + 2; /* with the two programs of beats */
    for (size_t s = 0; s < n; s++) most += 2 * (stimulus_of(plan, s)->repeats + 1);
    MT_ALLOC(arena, plan->program, most);
    MT_ALLOC(arena, plan->on, most * (n ? n : 1));
    plan->n_programs = 1; /* no stimulus */
    for (size_t step = 0; n > 0 && step != SIZE_MAX; step = next_switch(plan, step)) {
        bool *on = plan->on + plan->n_programs * n;
        for (size_t s = 0; s < n; s++)
            on[s] = mt_stimulus_is_on(stimulus_of(plan, s), plan->problem->dt_ms, step);
        bool known = false;
        for (size_t q = 0; q < plan->n_programs; q++)
            known |= memcmp(plan->on + q * n, on, n * sizeof *on) == 0;
        if (!known) plan->n_programs++;
    }
    for (size_t q = 0; q < plan->n_programs; q++)
        MT_TRY(step_program(arena, plan, plan->on + q * n, &plan->program[q]));
    return MT_OK;
}

size_t mt_plan_program(const mt_plan *plan, size_t step)
{
    const size_t n = n_stimuli(plan);
    for (size_t q = 0; q < plan->n_programs; q++) {
        bool same = true;
        for (size_t s = 0; s < n; s++)
            same &=
                plan->on[q * n + s] == mt_stimulus_is_on(stimulus_of(plan, s), plan->problem->dt_ms, step);
        if (same) return q;
    }
    assert(false); /* every set of stimuli has its program */
    return 0;
}

static mt_delayed_context context_of(const mt_stimulus *stimulus, double dt_ms)
{
    return (mt_delayed_context){.rise_mV = (float)(dt_ms * stimulus->rise_mV_ms),
        .held_mV = (float)stimulus->held_mV,
        .free_mV = (float)stimulus->free_mV,
        .duration = mt_stimulus_duration(stimulus, dt_ms),
        .held = stimulus->held,
        .window = mt_stimulus_window(stimulus, dt_ms)};
}

mt_status mt_plan_make(
    mt_arena *arena, mt_arena *values, const mt_monodomain *problem, const mt_layout *layout, mt_plan *plan)
{
    const mt_halo *halo = layout->halo;
    const ipu_target *target = layout->target;
    if (mt_halo_groups(halo) > target->ipus || halo->parts_per_group > target->tiles / target->ipus)
        return mt_fail(MT_FIT, "%u groups of %u parts; the machine has %zu %s of %zu tiles",
            mt_halo_groups(halo), halo->parts_per_group, target->ipus, target->name,
            target->tiles / target->ipus);
    *plan = (mt_plan){.problem = problem, .halo = halo, .spread = mt_monodomain_spreads(problem)};
    plan->double_words = !is_implicit(plan) && problem->accumulation == MT_ACCUMULATION_DOUBLE_WORD;
    plan->v = problem->pde_steps % 2 == 0 || is_implicit(plan) ? &plan->v_a : &plan->v_b;
    if (problem->diffusion->nodal) MT_TRY(mt_plan_find_nodal(arena, plan));
    contexts *c;
    MT_ALLOC(arena, c, 1);
    c->ode = (mt_ode_context){.model = problem->model,
        .dt_ms = problem->dt_ms,
        .mixed = problem->variant_of != NULL,
        .spread = plan->spread && !spreads_along_rows(plan),
        .multirate = problem->stepping == MT_STEPPING_MULTIRATE,
        .tolerance_mV = problem->tolerance_mV,
        .increments = spreads_along_rows(plan)};
    MT_TRY(find_constants(arena, problem, &c->ode.constants));
    c->ode_codelet = mt_codelet_ode(&c->ode);
    c->dt_ms = (float)problem->dt_ms;
    c->record = (mt_record_context){problem->record, problem->dt_ms};
    MT_ALLOC(arena, c->stimulus, problem->n_stimuli);
    for (size_t s = 0; s < problem->n_stimuli; s++)
        c->stimulus[s] = context_of(&problem->stimulus[s], problem->dt_ms);
    MT_TRY(ipu_graph_new(arena, layout->target, &plan->graph));
    MT_TRY(check_columns(halo));
    MT_TRY(find_rows(arena, values, plan));
    MT_TRY(add_variables(arena, plan));
    MT_TRY(mt_plan_stream(plan, layout->streamed));
    if (values) MT_TRY(fill_share(values, plan));
    ipu_slice *slices;
    MT_ALLOC(arena, slices, mt_plan_slices_most(halo));
    MT_TRY(add_vertices(plan, c, slices));
    if (problem->n_stimuli > 0) MT_TRY(add_stimuli(arena, values, plan, c));
    uint32_t turns[2];
    MT_TRY(add_turn_sets(plan, turns));
    if (spreads_along_rows(plan)) MT_TRY(add_spreading_set(plan, slices));
    if (is_implicit(plan)) MT_TRY(mt_plan_add_implicit(arena, plan, slices));
    if (layout->chain_part && problem->conduction)
        MT_TRY(mt_plan_add_network(
            arena, values, plan, layout, mt_record_beats(&problem->record) > 1 ? &turns[BEGINS] : NULL));
    MT_TRY(add_programs(arena, plan));
    return add_turn_programs(arena, plan, turns);
}

mt_status mt_plan_check(const ipu_executable *executable)
{
    const mt_status status = ipu_executable_check(executable);
    if (status != MT_INPUT) return status;
    return mt_fail(MT_NUMERICS, "the compiled program is invalid: %s", mt_message());
}

mt_status mt_plan_costs(
    mt_arena *arena, const mt_cell_model *model, bool spread, const mt_layout *layout, ipu_profile *profile)
{
    double kappa_ms;
    const mt_diffusion no_values = {.kappa_ms = spread ? &kappa_ms : NULL};
    const mt_monodomain problem = {.diffusion = &no_values, .model = model, .dt_ms = 1, .pde_steps = 2};
    return mt_plan_costs_of(arena, &problem, layout, profile);
}

mt_status mt_plan_costs_of(
    mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, ipu_profile *profile)
{
    MT_SCRATCH(scratch);
    mt_plan plan;
    ipu_executable *executable;
    MT_TRY(mt_plan_make(scratch, NULL, problem, layout, &plan));
    MT_TRY(ipu_compile(scratch, plan.graph, plan.program, plan.n_programs, &executable));
    if (layout->checked) MT_TRY(mt_plan_check(executable));
    MT_TRY(ipu_profile_costs(arena, executable, profile));
    MT_TRY(ipu_profile_add_executions(arena, plan.program[0], profile));
    MT_TRY(ipu_profile_add_overlap(executable, plan.program[0], profile));
    MT_TRY(ipu_details_add(arena, executable, profile));
    if (layout->fabric) MT_TRY(ipu_profile_add_fabric(arena, executable, MT_PLAN_PDE_AB, profile));
    return ipu_profile_add_bands(executable, profile);
}
