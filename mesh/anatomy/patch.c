#include "mesh/anatomy/patch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/anatomy/nearest.h"
#include "mesh/names.h"

/* ---- tags ---- */

mt_status mt_surface_parse(const mt_mesh *mesh, const char *text, int32_t *tag)
{
    char list[MT_NAMES_LIST];
    for (*tag = MT_SURFACE_BASE; *tag <= MT_SURFACE_RV; ++*tag)
        if (strcmp(text, mt_surface_name(*tag)) == 0) return MT_OK;
    if (mt_names_find(mesh, MT_NAMES_FACES, text, tag) == MT_OK) return MT_OK;
    mt_names_list(mesh, MT_NAMES_FACES, list);
    return mt_fail(MT_INPUT,
        "%.100s; allowed: base, epicardium, lv_endocardium, rv_endocardium, or a tag or name of the mesh's "
        "triangles: %s",
        text, list);
}

static mt_status no_such_tag(const mt_mesh *mesh, int32_t tag)
{
    enum { SHOWN = 10 };
    int32_t there[SHOWN];
    char list[16 * SHOWN] = "";
    size_t n = 0, length = 0;
    for (size_t f = 0; f < mesh->n_faces && n < SHOWN; f++) {
        size_t k = 0;
        while (k < n && there[k] != mesh->face_tag[f]) k++;
        if (k < n) continue;
        there[n++] = mesh->face_tag[f];
        length += (size_t)snprintf(
            list + length, sizeof list - length, "%s%d", n > 1 ? ", " : "", mesh->face_tag[f]);
    }
    if (n == 0) return mt_fail(MT_INPUT, "the mesh has no tagged triangles");
    return mt_fail(MT_INPUT, "no triangle of the mesh has the tag %d; the mesh has %s%s", tag, list,
        n == SHOWN ? " and possibly more" : "");
}

mt_status mt_surface_check(const mt_mesh *mesh, int32_t tag)
{
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] == tag) return MT_OK;
    return no_such_tag(mesh, tag);
}

/* ---- elements with a face on the surface ---- */

static mt_status mark_faces(mt_arena *scratch, const mt_mesh *mesh, const mt_mesh *surface, unsigned char *at)
{
    const size_t n = surface->n_faces;
    uint32_t(*sorted)[3];
    unsigned char *on;
    MT_ALLOC(scratch, sorted, n);
    MT_ALLOC(scratch, on, mesh->n_vertices);
    for (size_t t = 0; t < n; t++) {
        memcpy(sorted[t], surface->face_vertex + 3 * t, sizeof *sorted);
        for (int k = 0; k < 3; k++) on[sorted[t][k]] = 1;
        mt_face_sort(sorted[t]);
    }
    qsort(sorted, n, sizeof *sorted, mt_face_compare);
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t f = 0; f < 4 && !at[c]; f++) {
            uint32_t face[3];
            for (size_t k = 0; k < 3; k++) face[k] = mesh->element_vertex[4 * c + mt_mesh_face[f][k]];
            if (!on[face[0]] || !on[face[1]] || !on[face[2]]) continue;
            mt_face_sort(face);
            at[c] = bsearch(face, sorted, n, sizeof *sorted, mt_face_compare) != NULL;
        }
    return MT_OK;
}

/* ---- elements near the surface ---- */

static void mark_near(const mt_mesh *mesh, const mt_nearest *tree, double depth_mm, unsigned char *at)
{
#pragma omp parallel for schedule(dynamic, 4096)
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        if (at[c]) continue;
        mt_mesh_centroid(mesh, c, x);
        at[c] = mt_nearest_within(tree, x, depth_mm);
    }
}

static double nearest_mm(const mt_mesh *mesh, const mt_nearest *tree)
{
    double least = INFINITY;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        if (mt_nearest_within(tree, x, least)) (void)mt_nearest_find(tree, x, NULL, &least);
    }
    return least;
}

/* Creates a surface of the triangles with this tag, on the same vertices. */
static mt_status choose_triangles(mt_arena *scratch, const mt_mesh *mesh, int32_t tag, mt_mesh *surface)
{
    size_t n = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) n += mesh->face_tag[f] == tag;
    if (n == 0) return no_such_tag(mesh, tag);
    *surface = *mesh;
    MT_TRY(mt_mesh_new_faces(scratch, n, surface));
    uint32_t *vertex = surface->face_vertex;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        if (mesh->face_tag[f] != tag) continue;
        memcpy(vertex, mesh->face_vertex + 3 * f, 3 * sizeof *vertex);
        vertex += 3;
    }
    return MT_OK;
}

mt_status mt_patch_elements(const mt_mesh *mesh, int32_t tag, double depth_mm, unsigned char *at)
{
    MT_SCRATCH(scratch);
    mt_mesh surface;
    mt_nearest tree;
    MT_TRY(choose_triangles(scratch, mesh, tag, &surface));
    memset(at, 0, mesh->n_elements);
    MT_TRY(mark_faces(scratch, mesh, &surface, at));
    if (depth_mm == 0 && memchr(at, 1, mesh->n_elements)) return MT_OK;
    MT_TRY(mt_nearest_make(scratch, &surface, 0, &tree));
    mark_near(mesh, &tree, depth_mm, at);
    if (memchr(at, 1, mesh->n_elements)) return MT_OK;
    return mt_fail(MT_INPUT,
        "no element has a face on the surface or its centre within %g mm of it; the nearest centre is %.3g "
        "mm away",
        depth_mm, nearest_mm(mesh, &tree));
}

mt_status mt_patch_vertices(const mt_mesh *mesh, int32_t tag, double depth_mm, unsigned char *at)
{
    MT_SCRATCH(scratch);
    mt_mesh surface;
    mt_nearest tree;
    MT_TRY(choose_triangles(scratch, mesh, tag, &surface));
    memset(at, 0, mesh->n_vertices);
    for (size_t k = 0; k < 3 * surface.n_faces; k++) at[surface.face_vertex[k]] = 1;
    if (depth_mm == 0) return MT_OK;
    MT_TRY(mt_nearest_make(scratch, &surface, 0, &tree));
#pragma omp parallel for schedule(dynamic, 4096)
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (!at[v]) at[v] = mt_nearest_within(&tree, mesh->xyz_mm + 3 * v, depth_mm);
    return MT_OK;
}
