#include "mesh/files/stl.h"

#include <math.h>
#include <string.h>

#include "data/files/scan.h"

enum { HEADER = 80, COUNT = 4, RECORD = 50, NORMAL = 12 }; /* bytes in the binary format */

static mt_status new_surface(mt_arena *arena, size_t n_triangles, mt_mesh *mesh)
{
    MT_TRY(mt_mesh_new(arena, 3 * n_triangles, 0, mesh));
    MT_TRY(mt_mesh_new_faces(arena, n_triangles, mesh));
    for (size_t k = 0; k < 3 * n_triangles; k++) mesh->face_vertex[k] = (uint32_t)k;
    return MT_OK;
}

/* ---- binary ---- */

static uint32_t word_at(const char *bytes)
{
    uint32_t word = 0;
    for (int k = 3; k >= 0; k--) word = word << 8 | (unsigned char)bytes[k];
    return word;
}

static bool is_binary(const mt_scan *scan)
{
    const size_t n = mt_scan_left(scan);
    return n >= HEADER + COUNT && (n - HEADER - COUNT) / RECORD == word_at(scan->begin + HEADER) &&
           (n - HEADER - COUNT) % RECORD == 0;
}

static mt_status read_binary(mt_arena *arena, mt_scan *scan, double unit_mm, mt_mesh *mesh)
{
    const size_t n = word_at(scan->begin + HEADER);
    scan->binary = true;
    scan->at = scan->begin + HEADER + COUNT;
    MT_TRY(new_surface(arena, n, mesh));
    for (size_t t = 0; t < n; t++) {
        scan->at += NORMAL;
        for (size_t k = 0; k < 9; k++, scan->at += 4) {
            const uint32_t bits = word_at(scan->at);
            float x;
            memcpy(&x, &bits, sizeof x);
            if (!(fabs((double)x) <= mt_mesh_far_mm / unit_mm))
                return mt_scan_fail(
                    scan, "coordinate is %g; allowed: up to %g", (double)x, mt_mesh_far_mm / unit_mm);
            mesh->xyz_mm[9 * t + k] = (double)x * unit_mm;
        }
        scan->at += RECORD - NORMAL - 9 * 4;
    }
    return MT_OK;
}

/* ---- text ---- */

static size_t count_words(mt_scan scan, const char *wanted)
{
    size_t n = 0;
    char word[16];
    while (mt_scan_left(&scan) > 0) {
        mt_scan_word(&scan, word, sizeof word);
        n += strcmp(word, wanted) == 0;
    }
    return n;
}

static mt_status expect(mt_scan *scan, const char *wanted)
{
    char word[41];
    mt_scan_word(scan, word, sizeof word);
    if (strcmp(word, wanted) == 0) return MT_OK;
    return mt_scan_fail(scan, "'%s'; expected: %s", word, wanted);
}

static mt_status read_facet(mt_scan *scan, double unit_mm, double xyz_mm[9])
{
    mt_scan_next_line(scan); /* the normal */
    MT_TRY(expect(scan, "outer"));
    MT_TRY(expect(scan, "loop"));
    for (int k = 0; k < 9; k++) {
        if (k % 3 == 0) MT_TRY(expect(scan, "vertex"));
        MT_TRY(mt_scan_real(scan, "coordinate", mt_mesh_far_mm / unit_mm, &xyz_mm[k]));
        xyz_mm[k] *= unit_mm;
    }
    MT_TRY(expect(scan, "endloop"));
    return expect(scan, "endfacet");
}

static mt_status read_text(mt_arena *arena, mt_scan *scan, double unit_mm, mt_mesh *mesh)
{
    const size_t n = count_words(*scan, "endfacet");
    size_t t = 0;
    char word[41];
    MT_TRY(new_surface(arena, n, mesh));
    for (;;) {
        mt_scan_word(scan, word, sizeof word);
        if (!word[0]) break;
        if (strcmp(word, "solid") == 0 || strcmp(word, "endsolid") == 0) {
            mt_scan_next_line(scan);
            continue;
        }
        if (strcmp(word, "facet") != 0)
            return mt_scan_fail(scan,
                "'%s'; allowed: solid, facet, endsolid (or a binary file of the length that its count "
                "implies)",
                word);
        if (t == n) return mt_scan_fail(scan, "a facet without endfacet");
        MT_TRY(read_facet(scan, unit_mm, mesh->xyz_mm + 9 * t++));
    }
    if (t == n) return MT_OK;
    return mt_scan_fail(scan, "%zu endfacet lines, but %zu facets", n, t);
}

mt_status mt_stl_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    mt_scan scan;
    MT_TRY(mt_scan_open(scratch, path, &scan));
    MT_TRY((is_binary(&scan) ? read_binary : read_text)(arena, &scan, unit_mm, mesh));
    return mesh->n_faces > 0 ? MT_OK : mt_fail(MT_INPUT, "%s: no triangles", path);
}
