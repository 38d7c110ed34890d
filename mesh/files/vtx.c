#include "mesh/files/vtx.h"

#include <stdlib.h>
#include <string.h>

#include "data/files/scan.h"
#include "mesh/adjacency.h"

/* ---- a list ---- */

static mt_status read_head(mt_scan *scan, size_t *n)
{
    char kind[41];
    MT_TRY(mt_scan_count(scan, "number of vertices", sizeof "0", n));
    if (*n == 0) return mt_scan_fail(scan, "number of vertices is 0; allowed: at least 1");
    MT_TRY(mt_scan_end_line(scan, "the number of vertices"));
    mt_scan_word(scan, kind, sizeof kind);
    if (strcmp(kind, "intra") == 0 || strcmp(kind, "extra") == 0) return MT_OK;
    return mt_scan_fail(scan, "%s%s%s after the number of vertices; allowed: intra, extra",
        kind[0] ? "'" : "the file ends", kind, kind[0] ? "'" : "");
}

mt_status mt_vtx_read(mt_arena *arena, const char *path, size_t n_vertices, mt_vtx *list)
{
    MT_SCRATCH(scratch);
    mt_scan scan;
    size_t n, used = 0;
    MT_TRY(mt_scan_open(scratch, path, &scan));
    MT_TRY(read_head(&scan, &n));
    MT_ALLOC(arena, list->vertex, n);
    for (size_t k = 0; k < n; k++) {
        int64_t number;
        MT_TRY(mt_scan_int(&scan, "vertex", 0, (int64_t)n_vertices - 1, &number));
        list->vertex[k] = (uint32_t)number;
    }
    qsort(list->vertex, n, sizeof *list->vertex, mt_compare_ids);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || list->vertex[k] != list->vertex[k - 1]) list->vertex[used++] = list->vertex[k];
    list->path = path;
    list->n = used;
    return mt_scan_end_file(&scan, "vertices", n);
}

/* ---- triangles of lists ---- */

typedef struct triangle {
    uint32_t sorted[3]; /* its corners, ascending */
    uint32_t element;
    unsigned char side;
    bool tagged;
} triangle;

/* Finds the faces of exactly one element with all corners listed; only counts them if `triangles` is NULL. */
static size_t find_triangles(const mt_faces *faces, const unsigned char *listed, triangle *triangles)
{
    size_t n = 0;
    for (uint32_t v = 0; v < faces->n_vertices; v++)
        for (size_t k = faces->start[v], next; k < faces->start[v + 1] && listed[v]; k = next) {
            const mt_face *f = faces->face + k;
            next = mt_faces_run(faces, k, faces->start[v + 1]);
            if (next > k + 1 || !listed[f->middle] || !listed[f->high]) continue;
            /* face of an element with a repeated vertex */
            if (v == f->middle || f->middle == f->high) continue;
            if (triangles)
                triangles[n] = (triangle){{v, f->middle, f->high}, f->element, (unsigned char)f->side, false};
            n++;
        }
    return n;
}

/* Marks the triangles that are already tagged triangles of the mesh. */
static mt_status pass_tagged(mt_arena *scratch, const mt_mesh *mesh, size_t n, triangle *triangles)
{
    uint32_t(*there)[3];
    MT_ALLOC(scratch, there, mesh->n_faces);
    for (size_t f = 0; f < mesh->n_faces; f++) {
        memcpy(there[f], mesh->face_vertex + 3 * f, sizeof *there);
        mt_face_sort(there[f]);
    }
    qsort(there, mesh->n_faces, sizeof *there, mt_face_compare);
    for (size_t k = 0; k < n; k++)
        triangles[k].tagged =
            bsearch(triangles[k].sorted, there, mesh->n_faces, sizeof *there, mt_face_compare) != NULL;
    return MT_OK;
}

static void add_triangle(const triangle *t, int32_t tag, mt_mesh *mesh)
{
    uint32_t *vertex = mesh->face_vertex + 3 * mesh->n_faces;
    for (size_t k = 0; k < 3; k++)
        vertex[k] = mesh->element_vertex[4 * (size_t)t->element + mt_mesh_face[t->side][k]];
    mesh->face_tag[mesh->n_faces++] = tag;
}

/* Adds the triangles of a list. in[v] is 1 + the number of the last list that contains v. */
static mt_status add_list(
    const mt_vtx *list, uint32_t number, size_t n, triangle *triangles, uint32_t *in, mt_mesh *mesh)
{
    const size_t before = mesh->n_faces;
    size_t inside = 0;
    for (size_t k = 0; k < list->n; k++) in[list->vertex[k]] = number + 1;
    for (size_t k = 0; k < n; k++) {
        const uint32_t *v = triangles[k].sorted;
        if (in[v[0]] != number + 1 || in[v[1]] != number + 1 || in[v[2]] != number + 1) continue;
        inside++;
        if (!triangles[k].tagged) add_triangle(&triangles[k], list->tag, mesh);
        triangles[k].tagged = true;
    }
    if (mesh->n_faces > before) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: %zu vertices with %zu triangles of the boundary between them%s; allowed: the vertices of a "
        "surface (a list for a stimulus needs another name)",
        list->path, list->n, inside, inside ? ", all in other surfaces" : "");
}

mt_status mt_vtx_tag(mt_arena *arena, size_t n_lists, const mt_vtx *lists, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    const mt_mesh old = *mesh;
    mt_faces faces;
    unsigned char *listed;
    triangle *triangles;
    uint32_t *in;
    if (n_lists == 0) return MT_OK;
    MT_TRY(mt_faces_make(scratch, mesh, &faces));
    MT_ALLOC(scratch, listed, mesh->n_vertices);
    for (size_t l = 0; l < n_lists; l++)
        for (size_t k = 0; k < lists[l].n; k++) listed[lists[l].vertex[k]] = 1;
    const size_t n = find_triangles(&faces, listed, NULL);
    MT_ALLOC(scratch, triangles, n);
    (void)find_triangles(&faces, listed, triangles);
    MT_TRY(pass_tagged(scratch, mesh, n, triangles));
    MT_ALLOC(scratch, in, mesh->n_vertices);
    MT_TRY(mt_mesh_new_faces(arena, old.n_faces + n, mesh));
    memcpy(mesh->face_vertex, old.face_vertex, 3 * old.n_faces * sizeof *old.face_vertex);
    memcpy(mesh->face_tag, old.face_tag, old.n_faces * sizeof *old.face_tag);
    mesh->n_faces = old.n_faces;
    for (uint32_t l = 0; l < n_lists; l++) MT_TRY(add_list(&lists[l], l, n, triangles, in, mesh));
    return MT_OK;
}
