#include "mesh/vtk/xdmf_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/core/order.h"
#include "mesh/vtk/xdmf_item.h"

/* VTK's cell types that vtk_grid.h supports. */
enum {
    VERTEX = 1,
    POLY_LINE = 4,
    TRIANGLE = 5,
    POLYGON = 7,
    TETRAHEDRON = 10,
    LINE_3 = 21,
    TRIANGLE_6 = 22,
    TETRAHEDRON_10 = 24
};

/* The types of Topology that can be read. `mixed`: their number in Mixed. */
static const struct {
    const char *name;
    int vtk;
    size_t points; /* points of a cell; 0 if the file states the number */
    unsigned mixed;
} kinds[] = {{"Tetrahedron", TETRAHEDRON, 4, 6}, {"Triangle", TRIANGLE, 3, 4},
    {"Tetrahedron_10", TETRAHEDRON_10, 10, 38}, {"Tet_10", TETRAHEDRON_10, 10, 38},
    {"Triangle_6", TRIANGLE_6, 6, 36}, {"Tri_6", TRIANGLE_6, 6, 36}, {"Edge_3", LINE_3, 3, 34},
    {"Polyvertex", VERTEX, 0, 1}, {"Polyline", POLY_LINE, 0, 2}, {"Polygon", POLYGON, 0, 3}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- types ---- */

static const char *type_of(const mt_xml_element *topology)
{
    return mt_xml_tree_attribute(topology, "TopologyType", mt_xml_tree_attribute(topology, "Type", ""));
}

static bool is_mixed(const mt_xml_element *topology) { return strcasecmp(type_of(topology), "Mixed") == 0; }

/* Returns the row of a type; KINDS if it is not in the table. */
static int find_kind(const mt_xml_element *topology)
{
    int k = 0;
    while (k < KINDS && strcasecmp(kinds[k].name, type_of(topology)) != 0) k++;
    return k;
}

/* Returns the row of a number in Mixed; KINDS if it is not in the table. */
static int find_number(double number)
{
    int k = 0;
    while (k < KINDS && (double)kinds[k].mixed != number) k++;
    return k;
}

bool mt_xdmf_cells_can_be(const mt_xml_element *topology, mt_xdmf_shape shape)
{
    const int k = find_kind(topology), vtk = k < KINDS ? kinds[k].vtk : 0;
    return is_mixed(topology) || (shape == MT_XDMF_TETRAHEDRON ? vtk == TETRAHEDRON || vtk == TETRAHEDRON_10
                                                               : vtk == TRIANGLE || vtk == TRIANGLE_6);
}

/* ---- cells ---- */

static mt_status whole_attribute(
    const mt_xml_tree *tree, const mt_xml_element *e, const char *name, size_t missing, size_t *value)
{
    const char *text = mt_xml_tree_attribute(e, name, NULL);
    char *end;
    *value = missing;
    if (!text) return MT_OK;
    text += strspn(text, " ");
    *value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !end[strspn(end, " ")] && *value <= UINT32_MAX) return MT_OK;
    return mt_xml_tree_fail(
        tree, e, "%s is '%.40s'; allowed: a whole number from 0 to %u", name, text, UINT32_MAX);
}

/* Sets the ends of cells of one type. */
static mt_status put_alike(mt_arena *arena, const mt_xml_tree *tree, const mt_xml_element *topology, int kind,
    const mt_xdmf_item *item, mt_vtk_cells *cells)
{
    size_t each = kinds[kind].points, counted;
    double *end;
    if (each == 0)
        MT_TRY(whole_attribute(tree, topology, "NodesPerElement", item->rank > 1 ? item->last : 1, &each));
    if (each == 0 || item->n % each)
        return mt_xml_tree_fail(
            tree, topology, "%zu corners; allowed: a multiple of %zu, the corners of a cell", item->n, each);
    cells->n = item->n / each;
    cells->kind = kinds[kind].vtk;
    MT_TRY(whole_attribute(tree, topology, "NumberOfElements", cells->n, &counted));
    if (counted != cells->n)
        return mt_xml_tree_fail(
            tree, topology, "NumberOfElements is %zu, but there are corners for %zu", counted, cells->n);
    MT_ALLOC(arena, end, cells->n);
    for (size_t k = 0; k < cells->n; k++) end[k] = (double)((k + 1) * each);
    cells->end = end;
    return MT_OK;
}

static mt_status refuse_number(
    const mt_xml_tree *tree, const mt_xml_element *topology, size_t cell, double number)
{
    static const char *const names[] = {[5] = " (quadrilateral)",
        [7] = " (pyramid)",
        [8] = " (wedge)",
        [9] = " (hexahedron)",
        [16] = " (polyhedron)"};
    const char *name = number >= 0 && number < sizeof names / sizeof *names ? names[(size_t)number] : NULL;
    return mt_xml_tree_fail(tree, topology,
        "cell %zu is of XDMF's type %g%s; allowed: tetrahedra (6, 38), triangles (3, 4, 36), points and "
        "lines (1, 2, 34)",
        cell, number, name ? name : "");
}

/* Moves the corners of "type [count] corner corner ..." of each cell to the front of numbers[n], and sets types and ends. */
static mt_status put_mixed(mt_arena *arena, const mt_xml_tree *tree, const mt_xml_element *topology, size_t n,
    double *numbers, mt_vtk_cells *cells)
{
    double *type, *end;
    size_t at = 0, filled = 0, k = 0;
    MT_ALLOC(arena, type, n / 2 + 1);
    MT_ALLOC(arena, end, n / 2 + 1);
    for (; at < n; k++) {
        const int kind = find_number(numbers[at]);
        if (kind == KINDS) return refuse_number(tree, topology, k, numbers[at]);
        at++;
        double points = (double)kinds[kind].points;
        if (points == 0) points = at < n ? numbers[at++] : -1;
        if (!(points >= 1 && points <= (double)(n - at) && points == floor(points)))
            return mt_xml_tree_fail(
                tree, topology, "cell %zu needs more than the %zu numbers available", k, n);
        memmove(numbers + filled, numbers + at, (size_t)points * sizeof *numbers);
        at += (size_t)points, filled += (size_t)points;
        type[k] = kinds[kind].vtk;
        end[k] = (double)filled;
    }
    cells->n = k, cells->n_corners = filled;
    cells->type = type, cells->end = end;
    return MT_OK;
}

mt_status mt_xdmf_cells_read(
    mt_arena *arena, mt_xml_tree *tree, const mt_xml_element *topology, mt_vtk_cells *cells)
{
    const int kind = find_kind(topology);
    const bool mixed = is_mixed(topology);
    mt_xdmf_item item;
    double *corners;
    size_t base;
    if (kind == KINDS && !mixed)
        return mt_xml_tree_fail(tree, topology,
            "TopologyType '%.40s'; allowed: Tetrahedron, Tetrahedron_10, Triangle, Triangle_6, Mixed",
            type_of(topology));
    MT_TRY(whole_attribute(tree, topology, "BaseOffset", 0, &base));
    MT_TRY(mt_xdmf_item_find(tree, topology, 0, &item));
    if (!item.element) return mt_xml_tree_fail(tree, topology, "has no <DataItem>");
    MT_TRY(mt_xdmf_item_read(arena, tree, &item, &corners));
    *cells = (mt_vtk_cells){.n_corners = item.n, .corner = corners};
    MT_TRY(mixed ? put_mixed(arena, tree, topology, item.n, corners, cells)
                 : put_alike(arena, tree, topology, kind, &item, cells));
    for (size_t k = 0; base > 0 && k < cells->n_corners; k++) corners[k] -= (double)base;
    return MT_OK;
}

/* ---- cells of two topologies ---- */

/* A tetrahedron identified by its corners, in ascending order. */
typedef struct key {
    double corner[4];
    size_t cell;
} key;

MT_ORDER_NUMBERS(by_number, double)

static int by_corners(const void *a, const void *b)
{
    for (size_t k = 0; k < 4; k++) {
        const int order = by_number((const double *)a + k, (const double *)b + k);
        if (order) return order;
    }
    return 0;
}

/* Sets the key of cell k. Returns false if the cell is not a tetrahedron. */
static bool make_key(const mt_vtk_cells *cells, size_t k, key *out)
{
    const int type = cells->type ? (int)cells->type[k] : cells->kind;
    const size_t begin = k > 0 ? (size_t)cells->end[k - 1] : 0;
    if (type != TETRAHEDRON && type != TETRAHEDRON_10) return false;
    out->cell = k;
    memcpy(out->corner, cells->corner + begin, sizeof out->corner);
    qsort(out->corner, 4, sizeof *out->corner, by_number);
    return true;
}

mt_status mt_xdmf_cells_match(mt_arena *scratch, const mt_vtk_cells *whole, const mt_vtk_cells *part,
    const double *values, double *whole_values, size_t *lost)
{
    size_t n = 0;
    key *keys, one;
    MT_ALLOC(scratch, keys, whole->n);
    for (size_t k = 0; k < whole->n; k++) n += make_key(whole, k, &keys[n]);
    qsort(keys, n, sizeof *keys, by_corners);
    for (*lost = 0; *lost < part->n; ++*lost) {
        if (!make_key(part, *lost, &one)) continue;
        const key *found = n > 0 ? bsearch(&one, keys, n, sizeof one, by_corners) : NULL;
        if (!found) break;
        whole_values[found->cell] = values[*lost];
    }
    return MT_OK;
}
