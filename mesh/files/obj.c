#include "mesh/files/obj.h"

#include <stdlib.h>
#include <string.h>

#include "data/files/scan.h"

/* Computes upper bounds on the number of points and triangles. */
static void count_lines(mt_scan scan, size_t *n_points, size_t *n_triangles)
{
    char word[3];
    *n_points = *n_triangles = 0;
    while (mt_scan_left(&scan) > 0) {
        mt_scan_word(&scan, word, sizeof word);
        *n_points += strcmp(word, "v") == 0;
        if (strcmp(word, "f") == 0) {
            const size_t corners = mt_scan_words(&scan);
            *n_triangles += corners > 2 ? corners - 2 : 0;
        }
        mt_scan_next_line(&scan);
    }
}

static mt_status read_point(mt_scan *scan, double unit_mm, double xyz_mm[3])
{
    for (int k = 0; k < 3; k++) {
        if (!mt_scan_more(scan)) return mt_scan_fail(scan, "a point of %d coordinates; allowed: three", k);
        MT_TRY(mt_scan_real(scan, "coordinate", mt_mesh_far_mm / unit_mm, &xyz_mm[k]));
        xyz_mm[k] *= unit_mm;
    }
    return MT_OK;
}

/* Reads a corner, after n points. */
static mt_status read_corner(mt_scan *scan, size_t n, size_t n_all, uint32_t *vertex)
{
    char word[48], *end = NULL;
    mt_scan_word(scan, word, sizeof word);
    const long long number = strtoll(word, &end, 10);
    const long long index = number < 0 ? (long long)n + number : number - 1;
    if (end == word || (*end != 0 && *end != '/') || number == 0 || index < 0 || index >= (long long)n_all)
        return mt_scan_fail(scan,
            "corner '%s' of a face; allowed: 1 to %zu, or -1 to -%zu, optionally followed by '/'", word,
            n_all, n);
    *vertex = (uint32_t)index;
    return MT_OK;
}

static mt_status read_face(mt_scan *scan, size_t n_points, mt_mesh *mesh)
{
    uint32_t first = 0, before = 0, now = 0;
    size_t corners = 0;
    for (; mt_scan_more(scan); corners++) {
        before = now;
        MT_TRY(read_corner(scan, n_points, mesh->n_vertices, &now));
        if (corners == 0) first = now;
        if (corners < 2 || first == before || before == now || now == first) continue;
        const uint32_t v[3] = {first, before, now};
        memcpy(mesh->face_vertex + 3 * mesh->n_faces++, v, sizeof v);
    }
    if (corners < 3) return mt_scan_fail(scan, "a face of %zu corners; allowed: three or more", corners);
    return MT_OK;
}

mt_status mt_obj_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    mt_scan scan;
    size_t n_points, n_triangles, n = 0;
    char word[3];
    MT_TRY(mt_scan_open(scratch, path, &scan));
    count_lines(scan, &n_points, &n_triangles);
    MT_TRY(mt_mesh_new(arena, n_points, 0, mesh));
    MT_TRY(mt_mesh_new_faces(arena, n_triangles, mesh));
    mesh->n_faces = 0;
    while (mt_scan_left(&scan) > 0) {
        mt_scan_word(&scan, word, sizeof word);
        if (strcmp(word, "v") == 0) MT_TRY(read_point(&scan, unit_mm, mesh->xyz_mm + 3 * n++));
        if (strcmp(word, "f") == 0) MT_TRY(read_face(&scan, n, mesh));
        mt_scan_next_line(&scan);
    }
    if (mesh->n_faces == 0) return mt_fail(MT_INPUT, "%s: no triangles (lines 'f')", path);
    return MT_OK;
}
