#include "solver/plan/variables.h"

#include "solver/kernels/ellpack.h"

uint32_t mt_plan_tile(const mt_plan *plan, uint32_t part)
{
    const ipu_target *target = &plan->graph->target;
    const uint32_t on_a_chip = (uint32_t)(target->tiles / target->ipus);
    return mt_halo_group_of(plan->halo, part) * on_a_chip + part % plan->halo->parts_per_group;
}

size_t mt_plan_from(const mt_plan *plan, size_t part) { return plan->halo->own_offset[part]; }
size_t mt_plan_count(const mt_plan *plan, size_t part) { return mt_halo_own(plan->halo, (uint32_t)part); }

mt_status mt_plan_add_per_element(
    mt_plan *plan, const char *name, ipu_type type, size_t entries, ipu_tensor *tensor)
{
    uint32_t variable;
    MT_TRY(ipu_graph_add_variable(plan->graph, name, type, entries * plan->halo->n_elements, &variable));
    for (uint32_t part = 0; part < plan->halo->n_parts; part++)
        if (mt_plan_count(plan, part) > 0)
            MT_TRY(ipu_graph_set_tile_mapping(plan->graph, variable, entries * mt_plan_from(plan, part),
                entries * mt_plan_count(plan, part), mt_plan_tile(plan, part)));
    return ipu_graph_variable_tensor(plan->graph, variable, tensor);
}

mt_status mt_plan_add_per_part(
    mt_plan *plan, const char *name, ipu_type type, size_t entries, ipu_tensor *tensor)
{
    uint32_t variable;
    MT_TRY(ipu_graph_add_variable(plan->graph, name, type, entries * plan->halo->n_parts, &variable));
    for (uint32_t part = 0; part < plan->halo->n_parts; part++)
        MT_TRY(ipu_graph_set_tile_mapping(
            plan->graph, variable, entries * part, entries, mt_plan_tile(plan, part)));
    return ipu_graph_variable_tensor(plan->graph, variable, tensor);
}

mt_status mt_plan_add_pieces(
    mt_plan *plan, const char *name, ipu_type type, const size_t *from, ipu_tensor *tensor)
{
    uint32_t variable;
    const uint32_t n_parts = plan->halo->n_parts;
    MT_TRY(ipu_graph_add_variable(plan->graph, name, type, from[n_parts], &variable));
    for (uint32_t part = 0; part < n_parts; part++)
        if (from[part + 1] > from[part])
            MT_TRY(ipu_graph_set_tile_mapping(
                plan->graph, variable, from[part], from[part + 1] - from[part], mt_plan_tile(plan, part)));
    return ipu_graph_variable_tensor(plan->graph, variable, tensor);
}

static mt_status stream(mt_plan *plan, const ipu_tensor *whole)
{
    if (whole->n == 0) return MT_OK; /* the problem has no such variable */
    return ipu_graph_set_dram(plan->graph, plan->graph->slices[whole->first_slice].variable);
}

mt_status mt_plan_stream(mt_plan *plan, mt_streamed streamed)
{
    const bool rows = !plan->nodal && plan->problem->diffusing == MT_DIFFUSING_EXPLICIT;
    const ipu_tensor *record[] = {&plan->of, &plan->before, &plan->activation},
                     *of_rows[] = {&plan->d, &plan->a, &plan->column, &plan->v_low},
                     *shares[] = {&plan->share, &plan->s};
    if (streamed == MT_STREAMED_NONE) return MT_OK;
    MT_TRY(stream(plan, &plan->state));
    for (int k = 0; k < MT_PACED; k++) MT_TRY(stream(plan, &plan->paced[k]));
    if (streamed == MT_STREAMED_STATES) return MT_OK;
    for (size_t k = 0; k < sizeof record / sizeof *record; k++) MT_TRY(stream(plan, record[k]));
    for (int r = 0; r < MT_RECORDED; r++) MT_TRY(stream(plan, &plan->recorded[r]));
    for (size_t k = 0; rows && k < sizeof of_rows / sizeof *of_rows; k++) MT_TRY(stream(plan, of_rows[k]));
    for (size_t k = 0; !plan->nodal && k < sizeof shares / sizeof *shares; k++)
        MT_TRY(stream(plan, shares[k]));
    return MT_OK;
}

mt_status mt_plan_set_temporary(mt_plan *plan, ipu_tensor whole)
{
    return ipu_graph_set_temporary(plan->graph, plan->graph->slices[whole.first_slice].variable);
}

mt_status mt_plan_connect_range(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t from, size_t n)
{
    ipu_tensor piece;
    MT_TRY(ipu_graph_slice(plan->graph, whole, from, n, &piece));
    return ipu_graph_connect(plan->graph, vertex, field, piece);
}

mt_status mt_plan_connect(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t entries, uint32_t part)
{
    return mt_plan_connect_range(
        plan, vertex, field, whole, entries * mt_plan_from(plan, part), entries * mt_plan_count(plan, part));
}

mt_status mt_plan_connect_pieces(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, const size_t *from, uint32_t part)
{
    return mt_plan_connect_range(plan, vertex, field, whole, from[part], from[part + 1] - from[part]);
}

mt_status mt_plan_connect_per_part(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t entries, uint32_t part)
{
    return mt_plan_connect_range(plan, vertex, field, whole, entries * part, entries);
}

mt_status mt_plan_connect_local(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, uint32_t part, ipu_slice *slices)
{
    const mt_halo *halo = plan->halo;
    const uint32_t variable = plan->graph->slices[whole.first_slice].variable;
    ipu_tensor tensor;
    size_t n = 0;
    slices[n++] = (ipu_slice){variable, mt_plan_from(plan, part), mt_plan_count(plan, part)};
    for (size_t k = halo->in_offset[part]; k < halo->in_offset[part + 1]; k++) {
        const mt_scheme_range *range = &halo->range[halo->in_range[k]];
        slices[n++] = (ipu_slice){
            variable, mt_plan_from(plan, range->source) + range->begin, range->end - range->begin};
    }
    MT_TRY(ipu_graph_add_tensor(plan->graph, slices, n, &tensor));
    return ipu_graph_connect(plan->graph, vertex, field, tensor);
}

size_t mt_plan_slices_most(const mt_halo *halo)
{
    size_t most = 0;
    for (uint32_t part = 0; part < halo->n_parts; part++) {
        const size_t n = halo->in_offset[part + 1] - halo->in_offset[part];
        if (n > most) most = n;
    }
    return most + 1;
}

mt_status mt_plan_connect_double_words(mt_plan *plan, size_t vertex, uint32_t part)
{
    MT_TRY(mt_plan_connect(plan, vertex, "v_low", plan->v_low, 1, part));
    return mt_plan_connect_per_part(plan, vertex, "substep", plan->substep, 1, part);
}

mt_status mt_plan_connect_rows(mt_plan *plan, size_t vertex, uint32_t part)
{
    if (!plan->double_words) MT_TRY(mt_plan_connect(plan, vertex, "d", plan->d, 1, part));
    MT_TRY(mt_plan_connect(plan, vertex, "a", plan->a, MT_ELLPACK_WIDTH, part));
    return mt_plan_connect(plan, vertex, "column", plan->column, MT_ELLPACK_WIDTH, part);
}
