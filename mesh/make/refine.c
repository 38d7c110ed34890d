#include "mesh/make/refine.h"

#include <string.h>

#include "data/core/pairs.h"
#include "data/core/vec3.h"
#include "mesh/names.h"

/* ---- the midpoints of edges ---- */

/* The midpoints of edges, indexed by the two ends, the lower first; numbered from 1. */
typedef struct edges {
    mt_arena *arena; /* of the table */
    mt_pairs pairs;
} edges;

/* Returns the vertex number of the midpoint of an edge; new ones are numbered consecutively from `first`. */
static mt_status edges_number(edges *e, uint32_t a, uint32_t b, size_t first, uint32_t *number)
{
    uint32_t *value;
    MT_TRY(mt_pairs_at(e->arena, &e->pairs, a < b ? a : b, a < b ? b : a, &value));
    if (*value == 0) *value = (uint32_t)e->pairs.n;
    *number = (uint32_t)first + *value - 1;
    return MT_OK;
}

/* ---- numbering ---- */

enum { M01, M02, M03, M12, M13, M23, MIDPOINTS }; /* in the order of mt_mesh_edge */
static const uint8_t sides[3][2] = {{0, 1}, {1, 2}, {2, 0}};

/* Stores the numbers of the midpoints of an element (triangle) at the place of its first children. There is room: the 8 (4)
 * children have 4 (3) vertex numbers each. */
static mt_status number_midpoints(const mt_mesh *coarse, edges *e, mt_mesh *fine)
{
    for (size_t c = 0; c < coarse->n_elements; c++) {
        const uint32_t *v = coarse->element_vertex + 4 * c;
        for (size_t k = 0; k < MIDPOINTS; k++)
            MT_TRY(edges_number(e, v[mt_mesh_edge[k][0]], v[mt_mesh_edge[k][1]], coarse->n_vertices,
                &fine->element_vertex[32 * c + k]));
    }
    for (size_t f = 0; f < coarse->n_faces; f++) {
        const uint32_t *v = coarse->face_vertex + 3 * f;
        for (size_t k = 0; k < 3; k++)
            MT_TRY(edges_number(
                e, v[sides[k][0]], v[sides[k][1]], coarse->n_vertices, &fine->face_vertex[12 * f + k]));
    }
    return MT_OK;
}

static void place_vertices(const mt_mesh *coarse, const edges *e, mt_mesh *fine)
{
    memcpy(fine->xyz_mm, coarse->xyz_mm, 3 * coarse->n_vertices * sizeof *fine->xyz_mm);
    for (size_t s = 0; s < e->pairs.room; s++) {
        const mt_pair *edge = &e->pairs.entry[s];
        if (edge->value == 0) continue;
        const double *a = coarse->xyz_mm + 3 * (size_t)edge->a, *b = coarse->xyz_mm + 3 * (size_t)edge->b;
        double *middle = fine->xyz_mm + 3 * (coarse->n_vertices + edge->value - 1);
        for (size_t k = 0; k < 3; k++) middle[k] = a[k] / 2 + b[k] / 2;
    }
}

/* ---- cutting ---- */

static double distance2(const mt_mesh *mesh, uint32_t a, uint32_t b)
{
    return mt_square3(mesh->xyz_mm + 3 * (size_t)a, mesh->xyz_mm + 3 * (size_t)b);
}

/* The even permutations of an element that map its edges 01 and 23, with the ends of the diagonal, to the other pairs of
 * opposite edges. */
static const uint8_t turned[3][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};

/* Returns the number of the diagonal to cut along, 0 to 2. */
static int choose_diagonal(const mt_mesh *fine, const uint32_t v[4], const uint32_t m[MIDPOINTS])
{
    const double length[3] = {
        distance2(fine, m[M01], m[M23]), distance2(fine, m[M02], m[M13]), distance2(fine, m[M03], m[M12])};
    uint32_t lowest = 0, partner[3];
    for (uint32_t k = 1; k < 4; k++)
        if (v[k] < v[lowest]) lowest = k;
    for (int d = 0; d < 3; d++) /* the vertex paired with the lowest one: its partner in turned[d] */
        for (int k = 0; k < 4; k++)
            if (turned[d][k] == lowest) partner[d] = v[turned[d][k ^ 1]];
    int best = 0;
    for (int d = 1; d < 3; d++)
        if (length[d] < length[best] || (length[d] == length[best] && partner[d] < partner[best])) best = d;
    return best;
}

static void put_element(uint32_t *out, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

static void cut_element(const mt_mesh *fine, const uint32_t v[4], const uint32_t m[MIDPOINTS], uint32_t *out)
{
    static const uint8_t of_ends[4][4] = {{MIDPOINTS, M01, M02, M03}, {M01, MIDPOINTS, M12, M13},
        {M02, M12, MIDPOINTS, M23}, {M03, M13, M23, MIDPOINTS}};
    const uint8_t *t = turned[choose_diagonal(fine, v, m)];
    const uint32_t p = m[of_ends[t[0]][t[1]]], q = m[of_ends[t[2]][t[3]]];
    const uint32_t ring[4] = {
        m[of_ends[t[0]][t[2]]], m[of_ends[t[1]][t[2]]], m[of_ends[t[1]][t[3]]], m[of_ends[t[0]][t[3]]]};
    put_element(out, v[0], m[M01], m[M02], m[M03]);
    put_element(out + 4, m[M01], v[1], m[M12], m[M13]);
    put_element(out + 8, m[M02], m[M12], v[2], m[M23]);
    put_element(out + 12, m[M03], m[M13], m[M23], v[3]);
    for (size_t k = 0; k < 4; k++) put_element(out + 16 + 4 * k, p, q, ring[(k + 1) % 4], ring[k]);
}

static void cut_elements(const mt_mesh *coarse, mt_mesh *fine)
{
    for (size_t c = 0; c < coarse->n_elements; c++) {
        uint32_t m[MIDPOINTS];
        memcpy(m, fine->element_vertex + 32 * c, sizeof m);
        cut_element(fine, coarse->element_vertex + 4 * c, m, fine->element_vertex + 32 * c);
    }
}

static void cut_faces(const mt_mesh *coarse, mt_mesh *fine)
{
    for (size_t f = 0; f < coarse->n_faces; f++) {
        const uint32_t *v = coarse->face_vertex + 3 * f;
        uint32_t *out = fine->face_vertex + 12 * f;
        const uint32_t m[3] = {out[0], out[1], out[2]}; /* between 0 and 1, 1 and 2, 2 and 0 */
        for (size_t k = 0; k < 3; k++)
            out[3 * k] = v[k], out[3 * k + 1] = m[k], out[3 * k + 2] = m[(k + 2) % 3];
        memcpy(out + 9, m, sizeof m);
        for (size_t k = 0; k < 4; k++) fine->face_tag[4 * f + k] = coarse->face_tag[f];
    }
}

/* ---- data of elements ---- */

static mt_status inherit_all(mt_arena *arena, const mt_mesh *coarse, mt_mesh *fine)
{
    MT_SCRATCH(scratch);
    uint32_t *parent;
    MT_ALLOC(scratch, parent, fine->n_elements);
    for (size_t c = 0; c < fine->n_elements; c++) parent[c] = (uint32_t)(c / 8);
    MT_TRY(mt_names_copy(arena, coarse, fine));
    return mt_mesh_inherit(arena, coarse, parent, fine);
}

/* ---- the refined mesh ---- */

mt_status mt_refine_check(const mt_mesh *coarse, unsigned long times)
{
    double elements = (double)coarse->n_elements, faces = (double)coarse->n_faces,
           vertices = (double)coarse->n_vertices;
    for (unsigned long k = 0; k < times && elements + faces > 0 && vertices < UINT32_MAX; k++) {
        vertices += 6 * elements + 3 * faces;
        elements *= 8, faces *= 4;
    }
    if (elements < UINT32_MAX && faces < UINT32_MAX && vertices < UINT32_MAX) return MT_OK;
    return mt_fail(MT_INPUT,
        "refining %zu elements %lu times results in %g elements, %g tagged triangles and up to %g vertices; "
        "allowed: fewer than %u of each",
        coarse->n_elements, times, elements, faces, vertices, UINT32_MAX);
}

mt_status mt_refine(mt_arena *arena, const mt_mesh *coarse, mt_mesh *fine)
{
    const size_t n = coarse->n_elements, n_faces = coarse->n_faces;
    MT_SCRATCH(scratch);
    edges e = {.arena = scratch};
    mt_mesh numbers = {0};
    MT_TRY(mt_refine_check(coarse, 1));
    /* by Euler's formula a ball of C elements has about C + V edges plus half the number of its surface faces */
    MT_TRY(mt_pairs_reserve(scratch, &e.pairs, n + coarse->n_vertices));
    MT_ALLOC(arena, numbers.element_vertex, 32 * n);
    MT_ALLOC(arena, numbers.face_vertex, 12 * n_faces);
    MT_TRY(number_midpoints(coarse, &e, &numbers));
    *fine = (mt_mesh){.n_vertices = coarse->n_vertices + e.pairs.n,
        .n_elements = 8 * n,
        .n_faces = 4 * n_faces,
        .element_vertex = numbers.element_vertex,
        .face_vertex = numbers.face_vertex};
    MT_ALLOC(arena, fine->xyz_mm, 3 * fine->n_vertices);
    MT_ALLOC(arena, fine->face_tag, fine->n_faces);
    place_vertices(coarse, &e, fine);
    cut_elements(coarse, fine);
    cut_faces(coarse, fine);
    return inherit_all(arena, coarse, fine);
}
