#include "mesh/repair/pieces.h"

#include <math.h>

#include "data/core/disjoint.h"

mt_status mt_pieces_begin(mt_arena *arena, size_t n_elements, mt_pieces *p)
{
    *p = (mt_pieces){0};
    MT_ALLOC(arena, p->first, n_elements);
    mt_disjoint_begin(p->first, n_elements);
    return MT_OK;
}

void mt_pieces_join(mt_pieces *p, const mt_face *run, size_t n)
{
    for (size_t k = 1; k < n; k++) mt_disjoint_join(p->first, run[0].element, run[k].element);
}

mt_status mt_pieces_end(mt_arena *scratch, const mt_mesh *mesh, mt_pieces *p)
{
    double *volume;
    MT_ALLOC(scratch, volume, mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        p->first[c] = mt_disjoint_root(p->first, (uint32_t)c);
        p->n += p->first[c] == c;
        volume[p->first[c]] += fabs(mt_mesh_volume_mm3(mesh, c));
    }
    for (size_t c = 0; c < mesh->n_elements; c++)
        if (p->first[c] == c && volume[c] > volume[p->largest]) p->largest = (uint32_t)c;
    return MT_OK;
}
