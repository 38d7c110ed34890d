#include "mesh/unknowns.h"

#include <string.h>

/* Copies the tagged triangles that have only used vertices, with their new numbers. */
static mt_status keep_faces(
    mt_arena *arena, const mt_mesh *mesh, const uint8_t *used, const uint32_t *number, mt_mesh *to)
{
    size_t n = 0;
    if (mesh->n_faces == 0) return MT_OK;
    MT_ALLOC(arena, to->face_vertex, 3 * mesh->n_faces);
    MT_ALLOC(arena, to->face_tag, mesh->n_faces);
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const uint32_t *v = mesh->face_vertex + 3 * f;
        if (!used[v[0]] || !used[v[1]] || !used[v[2]]) continue;
        for (size_t k = 0; k < 3; k++) to->face_vertex[3 * n + k] = number[v[k]];
        to->face_tag[n++] = mesh->face_tag[f];
    }
    to->n_faces = n;
    return MT_OK;
}

mt_status mt_unknowns_mesh(mt_arena *arena, const mt_mesh *mesh, mt_mesh *to)
{
    MT_SCRATCH(scratch);
    uint8_t *used;
    uint32_t *number;
    size_t n = 0;
    mt_mesh part = *mesh;
    MT_TRY(mt_mesh_used(scratch, mesh, &used));
    for (size_t v = 0; v < mesh->n_vertices; v++) n += used[v];
    *to = part;
    if (n == mesh->n_vertices) return MT_OK;
    MT_ALLOC(scratch, number, mesh->n_vertices);
    MT_ALLOC(arena, part.vertex_number, n);
    MT_ALLOC(arena, part.xyz_mm, 3 * n);
    MT_ALLOC(arena, part.element_vertex, 4 * mesh->n_elements);
    part.n_vertices = 0;
    memset(part.coordinate, 0, sizeof part.coordinate);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        if (!used[v]) continue;
        number[v] = (uint32_t)part.n_vertices;
        part.vertex_number[part.n_vertices] = mesh->vertex_number ? mesh->vertex_number[v] : (uint32_t)v;
        memcpy(part.xyz_mm + 3 * part.n_vertices++, mesh->xyz_mm + 3 * v, 3 * sizeof *part.xyz_mm);
    }
    for (size_t k = 0; k < 4 * mesh->n_elements; k++)
        part.element_vertex[k] = number[mesh->element_vertex[k]];
    MT_TRY(keep_faces(arena, mesh, used, number, &part));
    *to = part;
    return MT_OK;
}

void mt_unknowns_place(const mt_unknowns *unknowns, size_t unknown, double xyz_mm[3])
{
    if (unknowns->at_vertices)
        memcpy(xyz_mm, unknowns->mesh->xyz_mm + 3 * unknown, 3 * sizeof *xyz_mm);
    else
        mt_mesh_centroid(unknowns->mesh, unknown, xyz_mm);
}

mt_status mt_unknowns_volumes(mt_arena *arena, const mt_unknowns *unknowns, double **volume_mm3)
{
    const mt_mesh *mesh = unknowns->mesh;
    MT_ALLOC(arena, *volume_mm3, mt_unknowns_count(unknowns));
    if (!unknowns->at_vertices) mt_mesh_volumes_mm3(mesh, *volume_mm3);
    for (size_t c = 0; unknowns->at_vertices && c < mesh->n_elements; c++) {
        const double quarter_mm3 = mt_mesh_volume_mm3(mesh, c) / 4;
        for (size_t k = 4 * c; k < 4 * c + 4; k++) (*volume_mm3)[mesh->element_vertex[k]] += quarter_mm3;
    }
    return MT_OK;
}

const char *mt_unknowns_word(const mt_unknowns *unknowns, size_t n)
{
    if (unknowns->at_vertices) return n == 1 ? "vertex" : "vertices";
    return n == 1 ? "element" : "elements";
}
