#include "mesh/adjacency.h"

#include <stdlib.h>

#include "data/core/offsets.h"
#include "data/core/order.h"

enum { PARALLEL_FROM = 16384 };

void mt_face_sort(uint32_t v[3])
{
    static const int first[] = {0, 1, 0};
    for (int k = 0; k < 3; k++) {
        const uint32_t a = v[first[k]], b = v[first[k] + 1];
        v[first[k]] = a < b ? a : b;
        v[first[k] + 1] = a < b ? b : a;
    }
}

int mt_compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

int mt_face_compare(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Returns the vertices of face f of an element, ascending. */
static void face_vertices(const uint32_t *element_vertex, unsigned f, uint32_t v[3])
{
    for (unsigned k = 0, n = 0; k < 4; k++)
        if (k != f) v[n++] = element_vertex[k];
    mt_face_sort(v);
}

/* Total order, so that the result does not depend on the sorting algorithm. */
MT_ORDER(compare_faces, mt_face, middle, high, element, side)

/* Sorts a bucket: short ones (about 20 faces in a tetrahedral mesh) by insertion, long ones by qsort. */
static void sort_faces(mt_face *faces, size_t n)
{
    if (n > 48) {
        qsort(faces, n, sizeof *faces, compare_faces);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        mt_face one = faces[i];
        size_t k = i;
        for (; k > 0 && compare_faces(&one, &faces[k - 1]) < 0; k--) faces[k] = faces[k - 1];
        faces[k] = one;
    }
}

/* Counting sort of all faces by their lowest vertex; bucket v is then faces[start[v] .. start[v + 1]). */
static void fill_buckets(const mt_mesh *mesh, size_t *start, mt_face *faces)
{
    uint32_t v[3];
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (unsigned f = 0; f < 4; f++) {
            face_vertices(mesh->element_vertex + 4 * c, f, v);
            start[v[0] + 2]++;
        }
    mt_offsets_sum(start, mesh->n_vertices + 2);
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (unsigned f = 0; f < 4; f++) {
            face_vertices(mesh->element_vertex + 4 * c, f, v);
            faces[start[v[0] + 1]++] = (mt_face){v[1], v[2], (uint32_t)c, f};
        }
}

mt_status mt_faces_make(mt_arena *arena, const mt_mesh *mesh, mt_faces *faces)
{
    faces->n_vertices = mesh->n_vertices;
    MT_ALLOC(arena, faces->start, mesh->n_vertices + 2);
    MT_ALLOC(arena, faces->face, 4 * mesh->n_elements);
    fill_buckets(mesh, faces->start, faces->face);
#pragma omp parallel for schedule(static) if (mesh->n_elements >= PARALLEL_FROM)
    for (size_t v = 0; v < mesh->n_vertices; v++)
        sort_faces(faces->face + faces->start[v], faces->start[v + 1] - faces->start[v]);
    return MT_OK;
}

size_t mt_faces_run(const mt_faces *faces, size_t k, size_t end)
{
    const mt_face *first = faces->face + k;
    while (k < end && faces->face[k].middle == first->middle && faces->face[k].high == first->high) k++;
    return k;
}

static void clear(size_t n, uint32_t *neighbour)
{
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t k = 0; k < 4 * n; k++) neighbour[k] = MT_NO_ELEMENT;
}

static void join(const mt_face *a, uint32_t *neighbour)
{
    const mt_face *b = a + 1;
    neighbour[4 * (size_t)a->element + a->side] = b->element;
    neighbour[4 * (size_t)b->element + b->side] = a->element;
}

/* Records all neighbours; false if a face belongs to more than two elements, or two elements share several faces. */
static bool match_all(const mt_faces *faces, size_t n, uint32_t *neighbour)
{
    bool good = true;
#pragma omp parallel for schedule(static) reduction(&& : good) if (n >= PARALLEL_FROM)
    for (size_t v = 0; v < faces->n_vertices; v++)
        for (size_t k = faces->start[v], next; k < faces->start[v + 1]; k = next) {
            next = mt_faces_run(faces, k, faces->start[v + 1]);
            good = good && next - k <= 2;
            if (next - k == 2) join(faces->face + k, neighbour);
        }
#pragma omp parallel for schedule(static) reduction(&& : good) if (n >= PARALLEL_FROM)
    for (size_t c = 0; c < n; c++)
        for (size_t f = 1; f < 4; f++)
            for (size_t g = 0; g < f; g++)
                good = good && (neighbour[4 * c + f] != neighbour[4 * c + g] ||
                                   neighbour[4 * c + f] == MT_NO_ELEMENT);
    return good;
}

/* Records the n elements of one face as neighbours; fails if there are more than two, or if they share another face. */
static mt_status match(uint32_t low, const mt_face *a, size_t n, uint32_t *neighbour)
{
    const mt_face *b = a + 1;
    if (n > 2)
        return mt_fail(MT_INPUT,
            "the face of vertices %u, %u, %u belongs to %zu elements (%u, %u, %u%s); at most 2 are allowed",
            low, a->middle, a->high, n, a[0].element, a[1].element, a[2].element, n > 3 ? ", ..." : "");
    if (n < 2) return MT_OK;
    for (size_t f = 0; f < 4; f++)
        if (neighbour[4 * (size_t)a->element + f] == b->element)
            return mt_fail(
                MT_INPUT, "elements %u and %u have the same four vertices", a->element, b->element);
    join(a, neighbour);
    return MT_OK;
}

/* Matches in sequence up to the first defect. */
static mt_status report_defect(const mt_faces *faces, size_t n, uint32_t *neighbour)
{
    clear(n, neighbour);
    for (size_t v = 0; v < faces->n_vertices; v++)
        for (size_t k = faces->start[v], next; k < faces->start[v + 1]; k = next) {
            next = mt_faces_run(faces, k, faces->start[v + 1]);
            MT_TRY(match((uint32_t)v, faces->face + k, next - k, neighbour));
        }
    return MT_OK;
}

mt_status mt_adjacency_make(mt_arena *arena, const mt_mesh *mesh, mt_adjacency *adjacency)
{
    MT_SCRATCH(scratch);
    adjacency->n_elements = mesh->n_elements;
    uint32_t *neighbour;
    mt_faces faces;
    MT_ALLOC(arena, neighbour, 4 * mesh->n_elements);
    adjacency->neighbour = neighbour;
    MT_TRY(mt_faces_make(scratch, mesh, &faces));
    clear(mesh->n_elements, neighbour);
    return match_all(&faces, mesh->n_elements, neighbour)
               ? MT_OK
               : report_defect(&faces, mesh->n_elements, neighbour);
}

size_t mt_adjacency_boundary_faces(const mt_adjacency *adjacency)
{
    size_t n = 0;
    for (size_t k = 0; k < 4 * adjacency->n_elements; k++) n += adjacency->neighbour[k] == MT_NO_ELEMENT;
    return n;
}

size_t mt_adjacency_inner_faces(const mt_adjacency *adjacency)
{
    return (4 * adjacency->n_elements - mt_adjacency_boundary_faces(adjacency)) / 2;
}

/* Counts, for each number of the list, the smaller ones. Has no branches on the numbers, as these would be unpredictable. */
static void rank(const uint32_t list[MT_RING_MAX], uint8_t below[MT_RING_MAX])
{
    for (int k = 0; k < MT_RING_MAX; k++) below[k] = 0;
    for (int j = 0; j < MT_RING_MAX; j++)
        for (int k = 0; k < MT_RING_MAX; k++) below[k] = (uint8_t)(below[k] + (list[j] < list[k]));
}

size_t mt_adjacency_ring(const mt_adjacency *adjacency, size_t element, uint32_t ring[MT_RING_MAX])
{
    uint32_t list[MT_RING_MAX + 4], sorted[MT_RING_MAX];
    uint8_t below[MT_RING_MAX];
    size_t found = 0, n = 0;
    for (size_t k = 0; k < MT_RING_MAX; k++) list[k] = sorted[k] = MT_NO_ELEMENT;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t near = adjacency->neighbour[4 * element + f];
        if (near == MT_NO_ELEMENT) continue;
        list[found++] = near;
        for (size_t g = 0; g < 4; g++) {
            const uint32_t far = adjacency->neighbour[4 * (size_t)near + g];
            list[found] = far;
            found += far != MT_NO_ELEMENT && far != element;
        }
    }
    if (found < MT_RING_MAX) list[found] = MT_NO_ELEMENT; /* a boundary, or `element` itself */
    rank(list, below);
    for (size_t k = 0; k < found; k++) sorted[below[k]] = list[k]; /* equal elements in the same place */
    for (size_t k = 0; k < MT_RING_MAX; k++)
        if (sorted[k] != MT_NO_ELEMENT) ring[n++] = sorted[k];
    for (size_t k = n; k < MT_RING_MAX; k++) ring[k] = (uint32_t)element;
    return n;
}

static size_t place_in(const uint32_t *list, size_t n, uint32_t element)
{
    size_t k = 0;
    while (k < n && list[k] != element) k++;
    return k;
}

void mt_adjacency_ball(
    const mt_adjacency *adjacency, uint32_t element, size_t rings, uint32_t *ball, size_t *end)
{
    size_t n = 1, first = 0;
    ball[0] = element;
    end[0] = 1;
    for (size_t r = 1; r <= rings; r++) {
        for (size_t k = first; k < end[r - 1]; k++)
            for (size_t f = 0; f < 4; f++) {
                const uint32_t near = adjacency->neighbour[4 * (size_t)ball[k] + f];
                if (near != MT_NO_ELEMENT && place_in(ball, n, near) == n) ball[n++] = near;
            }
        first = end[r - 1];
        end[r] = n;
    }
}
