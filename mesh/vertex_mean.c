#include "mesh/vertex_mean.h"

#include <math.h>

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
    mt_arena scratch = {0};
    double *volumes_mm3 = mt_arena_alloc(&scratch, mesh->n_vertices, sizeof *volumes_mm3);
    *means = mt_arena_alloc(arena, mesh->n_vertices, sizeof **means);
    const mt_status status = volumes_mm3 && *means ? MT_OK : MT_MEMORY;
    if (status == MT_OK) add_elements(mesh, values, *means, volumes_mm3);
    for (size_t v = 0; status == MT_OK && v < mesh->n_vertices; v++)
        (*means)[v] = volumes_mm3[v] > 0 ? (*means)[v] / volumes_mm3[v] : NAN;
    mt_arena_free(&scratch);
    return status;
}
