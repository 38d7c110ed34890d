#include "mesh/patch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tags ---- */

mt_status mt_surface_parse(const char *text, int32_t *tag)
{
    static const char *const name[] = {"base", "epicardium", "lv_endocardium", "rv_endocardium"};
    for (int k = 0; k < 4; k++)
        if (strcmp(text, name[k]) == 0) {
            *tag = MT_SURFACE_BASE + k;
            return MT_OK;
        }
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < INT32_MIN || number > INT32_MAX)
        return mt_fail(MT_INPUT,
            "%.100s; allowed: base, epicardium, lv_endocardium, rv_endocardium, or the number of a tag",
            text);
    *tag = (int32_t)number;
    return MT_OK;
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
    return mt_fail(MT_INPUT, "no triangle of the mesh has the tag %d; there are %s%s", tag, list,
        n == SHOWN ? " and perhaps more" : "");
}

mt_status mt_surface_there(const mt_mesh *mesh, int32_t tag)
{
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] == tag) return MT_OK;
    return no_such_tag(mesh, tag);
}

/* ---- cells with a face on the surface ---- */

static int compare_triples(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static void sort_triple(uint32_t v[3])
{
    for (int k = 0; k < 3; k++) {
        int i = k == 1 ? 1 : 0; /* compare 0 1, 1 2, 0 1 */
        if (v[i] <= v[i + 1]) continue;
        uint32_t swapped = v[i];
        v[i] = v[i + 1], v[i + 1] = swapped;
    }
}

static mt_status mark_faces(
    mt_arena *scratch, const mt_mesh *mesh, const uint32_t *triangle, size_t n, unsigned char *at)
{
    uint32_t(*sorted)[3];
    unsigned char *on;
    MT_TAKE(scratch, sorted, n);
    MT_TAKE(scratch, on, mesh->n_vertices);
    for (size_t t = 0; t < n; t++) {
        memcpy(sorted[t], mesh->face_vertex + 3 * (size_t)triangle[t], sizeof *sorted);
        for (int k = 0; k < 3; k++) on[sorted[t][k]] = 1;
        sort_triple(sorted[t]);
    }
    qsort(sorted, n, sizeof *sorted, compare_triples);
    for (size_t c = 0; c < mesh->n_cells; c++)
        for (size_t f = 0; f < 4 && !at[c]; f++) {
            uint32_t face[3];
            for (size_t k = 0; k < 3; k++) face[k] = mesh->cell_vertex[4 * c + mt_mesh_face[f][k]];
            if (!on[face[0]] || !on[face[1]] || !on[face[2]]) continue;
            sort_triple(face);
            at[c] = bsearch(face, sorted, n, sizeof *sorted, compare_triples) != NULL;
        }
    return MT_OK;
}

/* ---- cells near the surface: a tree of boxes ---- */

/* The triangles in the order of a curve that fills space, LEAF of them in a box, boxes two by two in larger
 * ones. Node 1 is the root, node k has the children 2 k and 2 k + 1, leaf l is node `leaves` + l; those
 * without triangles are empty boxes, infinitely far. */
enum { LEAF = 4, STACK = 64 };

typedef struct tree {
    size_t n, leaves;
    double (*corner)[9]; /* [n] */
    double (*box)[6];    /* [2 leaves] low x y z, high x y z */
} tree;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void minus(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double square_to_segment(const double x[3], const double a[3], const double b[3])
{
    double along[3], from[3];
    minus(b, a, along);
    minus(x, a, from);
    double length2 = dot(along, along), t = length2 > 0 ? dot(from, along) / length2 : 0;
    t = t > 0 ? fmin(t, 1) : 0;
    for (int k = 0; k < 3; k++) from[k] -= t * along[k];
    return dot(from, from);
}

/* Above the triangle the distance to its plane, else that to its nearest side. */
static double square_to_triangle(const double x[3], const double corner[9])
{
    double side[3][3], normal[3], from[3], out[3], least = INFINITY;
    for (size_t k = 0; k < 3; k++) minus(corner + 3 * ((k + 1) % 3), corner + 3 * k, side[k]);
    cross(side[0], side[1], normal);
    int inside = dot(normal, normal) > 0;
    for (size_t k = 0; k < 3 && inside; k++) {
        minus(x, corner + 3 * k, from);
        cross(side[k], from, out);
        inside = dot(out, normal) >= 0;
    }
    if (inside) return dot(from, normal) * dot(from, normal) / dot(normal, normal);
    for (size_t k = 0; k < 3; k++)
        least = fmin(least, square_to_segment(x, corner + 3 * k, corner + 3 * ((k + 1) % 3)));
    return least;
}

static double square_to_box(const double x[3], const double box[6])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = fmax(0, fmax(box[k] - x[k], x[k] - box[k + 3]));
        sum += d * d;
    }
    return sum;
}

static void add_point(double box[6], const double x[3])
{
    for (int k = 0; k < 3; k++) {
        box[k] = fmin(box[k], x[k]);
        box[k + 3] = fmax(box[k + 3], x[k]);
    }
}

static void empty_box(double box[6])
{
    for (int k = 0; k < 6; k++) box[k] = k < 3 ? INFINITY : -INFINITY;
}

typedef struct place {
    uint64_t on_curve;
    uint32_t triangle;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->on_curve != y->on_curve) return x->on_curve < y->on_curve ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/* Morton's curve: the bits of the three coordinates in turn, 21 of each. */
static uint64_t place_on_curve(const double x[3], const double box[6])
{
    uint64_t code = 0;
    for (int k = 0; k < 3; k++) {
        double width = box[k + 3] - box[k];
        uint64_t at = width > 0 ? (uint64_t)((x[k] - box[k]) / width * 0x1.fffffp20) : 0;
        for (int bit = 0; bit < 21; bit++) code |= (at >> bit & 1) << (3 * bit + k);
    }
    return code;
}

static void fill_boxes(tree *t)
{
    for (size_t k = 0; k < 2 * t->leaves; k++) empty_box(t->box[k]);
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < 3; k++) add_point(t->box[t->leaves + i / LEAF], t->corner[i] + 3 * k);
    for (size_t k = t->leaves - 1; k > 0; k--)
        for (size_t child = 2 * k; child <= 2 * k + 1; child++) {
            if (t->box[child][0] > t->box[child][3]) continue;
            add_point(t->box[k], t->box[child]);
            add_point(t->box[k], t->box[child] + 3);
        }
}

static mt_status make_tree(
    mt_arena *scratch, const mt_mesh *mesh, const uint32_t *triangle, size_t n, tree *t)
{
    place *order;
    double all[6];
    t->n = n;
    for (t->leaves = 1; t->leaves * LEAF < n;) t->leaves *= 2;
    MT_TAKE(scratch, order, n);
    MT_TAKE(scratch, t->corner, n);
    MT_TAKE(scratch, t->box, 2 * t->leaves);
    empty_box(all);
    for (size_t i = 0; i < 3 * n; i++)
        add_point(all, mesh->xyz_mm + 3 * (size_t)mesh->face_vertex[3 * (size_t)triangle[i / 3] + i % 3]);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *v = mesh->face_vertex + 3 * (size_t)triangle[i];
        order[i] = (place){place_on_curve(mesh->xyz_mm + 3 * (size_t)v[0], all), triangle[i]};
    }
    qsort(order, n, sizeof *order, compare_places);
    for (size_t i = 0; i < 3 * n; i++) {
        const uint32_t v = mesh->face_vertex[3 * (size_t)order[i / 3].triangle + i % 3];
        memcpy(t->corner[i / 3] + 3 * (i % 3), mesh->xyz_mm + 3 * (size_t)v, 3 * sizeof(double));
    }
    fill_boxes(t);
    return MT_OK;
}

/* The square of the distance to the nearest triangle, where it is below `below`; else `below`. One at most
 * `enough` is as good as the nearest. */
static double square_to_surface(const tree *t, const double x[3], double below, double enough)
{
    size_t stack[STACK], n = 0;
    stack[n++] = 1;
    while (n > 0 && below > enough) {
        size_t node = stack[--n];
        if (square_to_box(x, t->box[node]) >= below) continue;
        if (node < t->leaves) {
            size_t nearer = square_to_box(x, t->box[2 * node]) > square_to_box(x, t->box[2 * node + 1]);
            stack[n++] = 2 * node + 1 - nearer;
            stack[n++] = 2 * node + nearer;
            continue;
        }
        for (size_t i = (node - t->leaves) * LEAF; i < t->n && i < (node - t->leaves + 1) * LEAF; i++)
            below = fmin(below, square_to_triangle(x, t->corner[i]));
    }
    return below;
}

static void mark_near(const mt_mesh *mesh, const tree *t, double depth_mm, unsigned char *at)
{
    const double enough = depth_mm * depth_mm, below = nextafter(enough, INFINITY);
#pragma omp parallel for schedule(dynamic, 4096)
    for (size_t c = 0; c < mesh->n_cells; c++) {
        double x[3];
        if (at[c]) continue;
        mt_mesh_centroid(mesh, c, x);
        at[c] = square_to_surface(t, x, below, enough) <= enough;
    }
}

static double nearest_mm(const mt_mesh *mesh, const tree *t)
{
    double least = INFINITY;
    for (size_t c = 0; c < mesh->n_cells; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        least = square_to_surface(t, x, least, 0);
    }
    return sqrt(least);
}

static mt_status find_cells(
    mt_arena *scratch, const mt_mesh *mesh, int32_t tag, double depth_mm, unsigned char *at)
{
    uint32_t *triangle;
    tree t;
    size_t n = 0;
    MT_TAKE(scratch, triangle, mesh->n_faces);
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] == tag) triangle[n++] = (uint32_t)f;
    if (n == 0) return no_such_tag(mesh, tag);
    memset(at, 0, mesh->n_cells);
    MT_TRY(mark_faces(scratch, mesh, triangle, n, at));
    if (depth_mm == 0 && memchr(at, 1, mesh->n_cells)) return MT_OK;
    MT_TRY(make_tree(scratch, mesh, triangle, n, &t));
    mark_near(mesh, &t, depth_mm, at);
    if (memchr(at, 1, mesh->n_cells)) return MT_OK;
    return mt_fail(MT_INPUT,
        "no cell has a face on the surface or its centre within %g mm of it; the nearest centre is %.3g mm "
        "away",
        depth_mm, nearest_mm(mesh, &t));
}

mt_status mt_patch_cells(const mt_mesh *mesh, int32_t tag, double depth_mm, unsigned char *at)
{
    mt_arena scratch = {0};
    mt_status status = find_cells(&scratch, mesh, tag, depth_mm, at);
    mt_arena_free(&scratch);
    return status;
}
