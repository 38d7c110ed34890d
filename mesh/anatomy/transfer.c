#include "mesh/anatomy/transfer.h"

#include <math.h>

#include "mesh/vertex_mean.h"

static void count(mt_transfer *t, const uint8_t *used)
{
    for (size_t k = 0; k < t->n; k++) {
        if (used && !used[k]) continue;
        t->n_used++;
        if (t->at[k].element == MT_NO_ELEMENT)
            t->n_without++;
        else
            t->farthest_mm = fmax(t->farthest_mm, t->at[k].distance_mm);
    }
}

mt_status mt_transfer_make(
    mt_arena *arena, const mt_positions *from, const mt_mesh *to, bool at_vertices, mt_transfer *t)
{
    MT_SCRATCH(scratch);
    uint8_t *used = NULL;
    *t = (mt_transfer){
        .n = at_vertices ? to->n_vertices : to->n_elements, .at_vertices = at_vertices, .from = from};
    MT_ALLOC(arena, t->at, t->n);
    if (at_vertices) MT_TRY(mt_mesh_used(scratch, to, &used));
#pragma omp parallel for schedule(dynamic, 256)
    for (size_t k = 0; k < t->n; k++) {
        const mt_position p = at_vertices ? mt_position_of_vertex(to, k) : mt_position_of_element(to, k);
        t->at[k].element = MT_NO_ELEMENT;
        if (used && !used[k]) continue;
        const mt_located at = mt_positions_find(from, &p);
        if (mt_positions_has(from, &at)) t->at[k] = at;
    }
    count(t, used);
    return MT_OK;
}

/* Returns a linear combination of values at the vertices of an element; vertices with a factor of 0 do not count. */
static double combine(const uint32_t *vertex, const double factor[4], const double *values)
{
    double sum = 0;
    for (size_t k = 0; k < 4; k++)
        if (factor[k] != 0) sum += factor[k] * values[vertex[k]];
    return sum;
}

/* Computes the means of a field of elements at the vertices; values that are not finite do not count. */
static mt_status means_of(mt_arena *scratch, const mt_mesh *mesh, const double *values, double **means)
{
    float *single;
    MT_ALLOC(scratch, single, mesh->n_elements);
    for (size_t e = 0; e < mesh->n_elements; e++) single[e] = isfinite(values[e]) ? (float)values[e] : NAN;
    return mt_vertex_mean(scratch, mesh, single, means);
}

mt_status mt_transfer_values(mt_arena *arena, const mt_transfer *t, const double *values, double **out)
{
    MT_SCRATCH(scratch);
    const mt_mesh *from = t->from->mesh;
    double *means = NULL;
    MT_ALLOC(arena, *out, t->n);
    if (!t->at_vertices) MT_TRY(means_of(scratch, from, values, &means));
    for (size_t k = 0; k < t->n; k++) {
        const mt_located *at = &t->at[k];
        double factor[4], value = 0;
        (*out)[k] = NAN;
        if (at->element == MT_NO_ELEMENT) continue;
        for (size_t i = 0; i < 4; i++) factor[i] = at->weight[i] - (t->at_vertices ? 0 : 0.25);
        if (!t->at_vertices) value = values[at->element];
        value +=
            combine(from->element_vertex + 4 * (size_t)at->element, factor, t->at_vertices ? values : means);
        if (isfinite(value)) (*out)[k] = value;
    }
    return MT_OK;
}

mt_status mt_transfer_numbers(
    mt_arena *arena, const mt_transfer *t, const int64_t *numbers, int64_t without, int64_t **out)
{
    MT_ALLOC(arena, *out, t->n);
    for (size_t k = 0; k < t->n; k++) {
        const mt_located *at = &t->at[k];
        size_t largest = 0;
        (*out)[k] = without;
        if (at->element == MT_NO_ELEMENT) continue;
        for (size_t i = 1; i < 4; i++)
            if (at->weight[i] > at->weight[largest]) largest = i;
        (*out)[k] = numbers[t->at_vertices ? t->from->mesh->element_vertex[4 * (size_t)at->element + largest]
                                           : at->element];
    }
    return MT_OK;
}
