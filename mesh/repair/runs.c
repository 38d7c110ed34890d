#include "mesh/repair/runs.h"

#include <stdlib.h>

#include "mesh/repair/form.h"

uint32_t mt_run_opposite(const mt_mesh *mesh, const mt_face *face)
{
    return mesh->element_vertex[4 * (size_t)face->element + face->side];
}

static int by_opposite(const void *left, const void *right, void *context)
{
    const mt_face *a = left, *b = right;
    const uint32_t p = mt_run_opposite(context, a), q = mt_run_opposite(context, b);
    if (p != q) return p < q ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

int mt_run_side(const mt_mesh *mesh, const mt_face *face)
{
    const uint32_t *v = mesh->element_vertex + 4 * (size_t)face->element;
    const uint8_t *corner = mt_mesh_face[face->side];
    const uint32_t a = v[corner[0]], b = v[corner[1]], c = v[corner[2]];
    const int outward = (a < b) + (b < c) + (c < a) == 2 ? 1 : -1;
    return mt_mesh_volume_mm3(mesh, face->element) > 0 ? outward : -outward;
}

void mt_runs_each(const mt_faces *faces, mt_run_act *act, void *context)
{
    for (size_t v = 0; v < faces->n_vertices; v++)
        for (size_t k = faces->start[v], next; k < faces->start[v + 1]; k = next) {
            const mt_face *first = faces->face + k;
            next = mt_faces_run(faces, k, faces->start[v + 1]);
            if (first->middle == v || first->middle == first->high) continue;
            act(context, faces->face + k, next - k);
        }
}

size_t mt_run_order(const mt_mesh *mesh, mt_face *run, size_t n)
{
    size_t m = 0;
    for (size_t k = 0; k < n; k++)
        if (!mt_form_repeats(mesh, run[k].element)) run[m++] = run[k];
    if (m > 1) qsort_r(run, m, sizeof *run, by_opposite, (void *)mesh);
    return m;
}
