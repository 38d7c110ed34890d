#include "mesh/vertex_share.h"

#include <string.h>

static const double rounding = 1e-9;

mt_status mt_vertex_share_keep(const mt_mesh *mesh, const uint8_t *of, uint8_t *in)
{
    MT_SCRATCH(scratch);
    double *inside_mm3, *all_mm3;
    MT_ALLOC(scratch, inside_mm3, mesh->n_vertices);
    MT_ALLOC(scratch, all_mm3, mesh->n_vertices);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double volume_mm3 = mt_mesh_volume_mm3(mesh, c);
        for (size_t k = 4 * c; k < 4 * c + 4; k++) {
            all_mm3[mesh->element_vertex[k]] += volume_mm3;
            if (of[c]) inside_mm3[mesh->element_vertex[k]] += volume_mm3;
        }
    }
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (!(all_mm3[v] > 0 && inside_mm3[v] >= (0.5 - rounding) * all_mm3[v])) in[v] = 0;
    return MT_OK;
}

/* Adds the volumes of the elements of a class to their vertices. */
static void add_class(const mt_mesh *mesh, const uint16_t *of, size_t number, double *sum_mm3)
{
    memset(sum_mm3, 0, mesh->n_vertices * sizeof *sum_mm3);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        if (of[c] != number) continue;
        const double volume_mm3 = mt_mesh_volume_mm3(mesh, c);
        for (size_t k = 4 * c; k < 4 * c + 4; k++) sum_mm3[mesh->element_vertex[k]] += volume_mm3;
    }
}

mt_status mt_vertex_share_largest(
    mt_arena *arena, const mt_mesh *mesh, size_t n_classes, const uint16_t *of, uint16_t **largest)
{
    MT_SCRATCH(scratch);
    double *sum_mm3, *most_mm3;
    MT_ALLOC(arena, *largest, mesh->n_vertices);
    MT_ALLOC(scratch, sum_mm3, mesh->n_vertices);
    MT_ALLOC(scratch, most_mm3, mesh->n_vertices);
    for (size_t k = 0; k < n_classes; k++) {
        add_class(mesh, of, k, sum_mm3);
        for (size_t v = 0; v < mesh->n_vertices; v++) {
            if (!(sum_mm3[v] > (1 + rounding) * most_mm3[v])) continue;
            most_mm3[v] = sum_mm3[v];
            (*largest)[v] = (uint16_t)k;
        }
    }
    return MT_OK;
}
