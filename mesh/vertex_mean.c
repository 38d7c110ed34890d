#include "mesh/vertex_mean.h"

#include <math.h>

#include "data/core/offsets.h"

static void add_elements(const mt_mesh *mesh, const float *values, double *sums, double *volumes_mm3)
{
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double volume_mm3 = mt_mesh_volume_mm3(mesh, c);
        if (isnan(values[c])) continue;
        for (size_t k = 4 * c; k < 4 * c + 4; k++) {
            sums[mesh->element_vertex[k]] += volume_mm3 * (double)values[c];
            volumes_mm3[mesh->element_vertex[k]] += volume_mm3;
        }
    }
}

mt_status mt_vertex_mean(mt_arena *arena, const mt_mesh *mesh, const float *values, double **means)
{
    MT_SCRATCH(scratch);
    double *volumes_mm3;
    MT_ALLOC(scratch, volumes_mm3, mesh->n_vertices);
    MT_ALLOC(arena, *means, mesh->n_vertices);
    add_elements(mesh, values, *means, volumes_mm3);
    for (size_t v = 0; v < mesh->n_vertices; v++)
        (*means)[v] = volumes_mm3[v] > 0 ? (*means)[v] / volumes_mm3[v] : NAN;
    return MT_OK;
}

mt_status mt_element_mean(mt_arena *arena, const mt_mesh *mesh, const float *values, float **means)
{
    MT_ALLOC(arena, *means, mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const uint32_t *v = mesh->element_vertex + 4 * c;
        (*means)[c] = ((values[v[0]] + values[v[1]]) + (values[v[2]] + values[v[3]])) / 4;
    }
    return MT_OK;
}

mt_status mt_vertex_stars_make(
    mt_arena *arena, const mt_mesh *mesh, size_t n, const uint32_t *vertex, mt_vertex_stars *stars)
{
    MT_SCRATCH(scratch);
    uint32_t *number; /* [n_vertices] index in `vertex` plus 1; 0 for other vertices */
    *stars = (mt_vertex_stars){.n = n};
    MT_ALLOC(scratch, number, mesh->n_vertices);
    for (size_t k = 0; k < n; k++) number[vertex[k]] = (uint32_t)k + 1;
    MT_ALLOC(arena, stars->start, n + 2);
    for (size_t k = 0; k < 4 * mesh->n_elements; k++)
        if (number[mesh->element_vertex[k]] > 0) stars->start[number[mesh->element_vertex[k]] + 1]++;
    mt_offsets_sum(stars->start, n + 2);
    MT_ALLOC(arena, stars->element, stars->start[n + 1]);
    MT_ALLOC(arena, stars->volume_mm3, stars->start[n + 1]);
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        const uint32_t star = number[mesh->element_vertex[k]];
        if (star == 0) continue;
        const size_t at = stars->start[star]++;
        stars->element[at] = (uint32_t)(k / 4);
        stars->volume_mm3[at] = mt_mesh_volume_mm3(mesh, k / 4);
    }
    return MT_OK;
}

void mt_vertex_stars_mean(const mt_vertex_stars *stars, const float *values, double *means)
{
    for (size_t k = 0; k < stars->n; k++) {
        double sum = 0, volume_mm3 = 0;
        for (size_t i = stars->start[k]; i < stars->start[k + 1]; i++) {
            const double value = (double)values[stars->element[i]];
            if (isnan(value)) continue;
            sum += stars->volume_mm3[i] * value;
            volume_mm3 += stars->volume_mm3[i];
        }
        means[k] = volume_mm3 > 0 ? sum / volume_mm3 : NAN;
    }
}
