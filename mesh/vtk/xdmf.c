#include "mesh/vtk/xdmf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/files/h5.h"
#include "mesh/vtk/vtk_grid.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/vtk/xdmf_cells.h"
#include "mesh/vtk/xdmf_item.h"
#include "mesh/vtk/xdmf_reference.h"
#include "mesh/names.h"

enum { GRIDS_MOST = 32 };

/* A uniform Grid of the file. */
typedef struct grid {
    const mt_xml_element *element, *topology, *geometry;
    size_t n_steps; /* length of the time series in which it is the first step; 0 if none */
    mt_vtk_cells cells;
    size_t first_cell; /* index of its first triangle among all cells of the mesh */
    bool read, used;   /* `read`: True if its cells were read */
} grid;

typedef struct reader {
    mt_xml_tree tree;
    mt_arena *scratch;
    size_t n_grids;
    grid grids[GRIDS_MOST];
    grid *mesh;                       /* the Grid with the mesh, in `grids` */
    const mt_xml_element *collection; /* the first collection that is not read; NULL if there is none */
    mt_xdmf_item of_cells[MT_VTK_ROLES], of_points[MT_VTK_ROLES]; /* items of the arrays of `out` */
    mt_vtk_grid out;
} reader;

static const char *either(const mt_xml_element *e, const char *name, const char *other, const char *missing)
{
    return mt_xml_tree_attribute(e, name, mt_xml_tree_attribute(e, other, missing));
}

static mt_status first_child(
    reader *r, const mt_xml_element *parent, const char *name, const mt_xml_element **found)
{
    const mt_xml_element *at = NULL;
    return mt_xdmf_reference_child(&r->tree, parent, name, &at, found);
}

/* ---- the Grids ---- */

static mt_status count_grids(reader *r, const mt_xml_element *parent, size_t *n)
{
    const mt_xml_element *at = NULL, *found;
    *n = 0;
    do {
        MT_TRY(mt_xdmf_reference_child(&r->tree, parent, "Grid", &at, &found));
        *n += found != NULL;
    } while (found);
    return MT_OK;
}

/* Replaces a collection in *e by its uniform Grid. *e is NULL if there is none, or if a spatial collection has more than one. */
static mt_status find_uniform(reader *r, const mt_xml_element **e, size_t *n_steps)
{
    *n_steps = 0;
    while (*e && strcasecmp(either(*e, "GridType", "Type", "Uniform"), "Uniform") != 0) {
        const mt_xml_element *collection = *e;
        const char *kind = either(collection, "GridType", "Type", "");
        size_t n;
        MT_TRY(count_grids(r, collection, &n));
        if (strcasecmp(kind, "Collection") != 0 && strcasecmp(kind, "Tree") != 0) n = 0;
        const bool series =
            strcasecmp(mt_xml_tree_attribute(collection, "CollectionType", ""), "Temporal") == 0;
        *e = NULL;
        if (n == 1 || (n > 1 && series))
            MT_TRY(first_child(r, collection, "Grid", e));
        else if (!r->collection)
            r->collection = collection;
        if (series) *n_steps = n;
    }
    return MT_OK;
}

static mt_status add_grid(reader *r, const mt_xml_element *e)
{
    size_t n_steps;
    MT_TRY(find_uniform(r, &e, &n_steps));
    if (!e) return MT_OK;
    if (r->n_grids == GRIDS_MOST)
        return mt_xml_tree_fail(&r->tree, e, "more than %d grids next to each other", GRIDS_MOST);
    grid *g = &r->grids[r->n_grids++];
    *g = (grid){.element = e, .n_steps = n_steps};
    MT_TRY(first_child(r, e, "Topology", &g->topology));
    return first_child(r, e, "Geometry", &g->geometry);
}

static mt_status find_grids(reader *r)
{
    const mt_xml_element *root = r->tree.root, *domain, *at = NULL, *found;
    if (strcasecmp(root->name, "Xdmf") != 0)
        return mt_xml_tree_fail(&r->tree, root, "not an XDMF file; allowed: a root <Xdmf>");
    MT_TRY(first_child(r, root, "Domain", &domain));
    while (domain) {
        MT_TRY(mt_xdmf_reference_child(&r->tree, domain, "Grid", &at, &found));
        if (!found) break;
        MT_TRY(add_grid(r, found));
    }
    return MT_OK;
}

static bool can_be(const grid *g, mt_xdmf_shape shape)
{
    return g->topology && g->geometry && mt_xdmf_cells_can_be(g->topology, shape);
}

/* Finds the Grid with the mesh. If there is none, selects a Grid that is then refused because of its cell type. */
static mt_status find_mesh(reader *r)
{
    grid *tetrahedra = NULL, *triangles = NULL, *any = NULL;
    for (grid *g = r->grids; g < r->grids + r->n_grids; g++) {
        if (!tetrahedra && can_be(g, MT_XDMF_TETRAHEDRON)) tetrahedra = g;
        if (!triangles && can_be(g, MT_XDMF_TRIANGLE)) triangles = g;
        if (!any && g->topology && g->geometry) any = g;
    }
    r->mesh = tetrahedra ? tetrahedra : triangles ? triangles : any;
    if (r->mesh) return MT_OK;
    if (r->collection)
        return mt_xml_tree_fail(&r->tree, r->collection,
            "GridType '%.40s' in space, or empty; allowed: Uniform, a Collection in time, or one of a single "
            "<Grid>",
            either(r->collection, "GridType", "Type", ""));
    return mt_xml_tree_fail(&r->tree, r->tree.root, "has no <Grid> with a <Topology> and a <Geometry>");
}

/* ---- points ---- */

static mt_status read_axes(reader *r, const mt_xml_element *e)
{
    mt_xdmf_item item;
    for (size_t k = 0; k < 3; k++) {
        double *values;
        MT_TRY(mt_xdmf_item_find(&r->tree, e, k, &item));
        if (!item.element || (k > 0 && item.n != r->out.n_points))
            return mt_xml_tree_fail(&r->tree, e, "X_Y_Z needs three <DataItem> of the same length");
        MT_TRY(mt_xdmf_item_read(r->scratch, &r->tree, &item, &values));
        r->out.n_points = item.n;
        if (k == 0) MT_ALLOC(r->scratch, r->out.xyz, 3 * item.n);
        for (size_t v = 0; v < item.n; v++) r->out.xyz[3 * v + k] = values[v];
    }
    return MT_OK;
}

static mt_status read_points(reader *r)
{
    const mt_xml_element *e = r->mesh->geometry;
    const char *kind = either(e, "GeometryType", "Type", "XYZ");
    mt_xdmf_item item;
    if (strcasecmp(kind, "X_Y_Z") == 0) return read_axes(r, e);
    if (strcasecmp(kind, "XYZ") != 0)
        return mt_xml_tree_fail(&r->tree, e, "GeometryType '%.40s'; allowed: XYZ, X_Y_Z", kind);
    MT_TRY(mt_xdmf_item_find(&r->tree, e, 0, &item));
    if (!item.element) return mt_xml_tree_fail(&r->tree, e, "has no <DataItem>");
    if (item.n % 3)
        return mt_xml_tree_fail(&r->tree, e, "%zu coordinates; allowed: three for each point", item.n);
    r->out.n_points = item.n / 3;
    return mt_xdmf_item_read(r->scratch, &r->tree, &item, &r->out.xyz);
}

/* ---- attributes ---- */

/* An Attribute of a Grid. */
typedef struct attribute {
    const char *name; /* NULL after the last one */
    mt_xdmf_item item;
    bool of_points;
    size_t components; /* 0 if the number of values is not a multiple of the number of cells or points */
} attribute;

/* Finds the attribute after *at in a grid of n_cells. */
static mt_status next_attribute(
    reader *r, const grid *g, size_t n_cells, const mt_xml_element **at, attribute *a)
{
    const mt_xml_element *e;
    *a = (attribute){.name = NULL};
    MT_TRY(mt_xdmf_reference_child(&r->tree, g->element, "Attribute", at, &e));
    if (!e) return MT_OK;
    const char *center = mt_xml_tree_attribute(e, "Center", "Node"),
               *kind = mt_xml_tree_attribute(e, "ItemType", "");
    a->name = mt_xml_tree_attribute(e, "Name", "");
    a->of_points = strcasecmp(center, "Node") == 0;
    if ((!a->of_points && strcasecmp(center, "Cell") != 0) || strcasecmp(kind, "FiniteElementFunction") == 0)
        return MT_OK;
    MT_TRY(mt_xdmf_item_find(&r->tree, e, 0, &a->item));
    const size_t n = a->of_points ? r->out.n_points : n_cells;
    if (a->item.element && n > 0 && a->item.n % n == 0) a->components = a->item.n / n;
    return MT_OK;
}

/* Returns the name that determines the role of an attribute. Integers named "f" are a MeshFunction of FEniCS. */
static const char *known_name(const attribute *a)
{
    if (a->of_points || a->components != 1 || strcmp(a->name, "f") != 0) return a->name;
    return strcasestr(either(a->item.element, "NumberType", "DataType", ""), "Int") ? "mesh_tags" : a->name;
}

/* Selects arrays of the mesh from the attributes of a grid with its topology. */
static mt_status select_arrays(reader *r, grid *g)
{
    const mt_xml_element *at = NULL;
    g->used = true;
    for (;;) {
        attribute a;
        mt_vtk_data *data;
        MT_TRY(next_attribute(r, g, r->mesh->cells.n, &at, &a));
        if (!a.name) return MT_OK;
        if (!mt_vtk_grid_take(&r->out, known_name(&a), a.components, a.of_points, &data)) continue;
        if (a.of_points)
            r->of_points[data - r->out.of_points] = a.item;
        else
            r->of_cells[data - r->out.of_cells] = a.item;
    }
}

/* Reads a selected array; cells added by other grids get 0. */
static mt_status read_array(reader *r, const mt_xdmf_item *item, bool of_points, mt_vtk_data *data)
{
    double *values;
    const size_t n = r->mesh->cells.n, all = r->out.n_elements;
    if (!data->is) return MT_OK;
    MT_TRY(mt_xdmf_item_read(r->scratch, &r->tree, item, &values));
    data->values = values;
    if (of_points || all == n) return MT_OK;
    MT_ALLOC(r->scratch, data->values, item->n / n * all);
    memcpy(data->values, values, item->n * sizeof *values);
    return MT_OK;
}

static mt_status read_arrays(reader *r)
{
    for (size_t g = 0; g < r->n_grids; g++)
        if (r->grids[g].topology == r->mesh->topology) MT_TRY(select_arrays(r, &r->grids[g]));
    for (mt_vtk_role role = 0; role < MT_VTK_ROLES; role++) {
        MT_TRY(read_array(r, &r->of_cells[role], false, &r->out.of_cells[role]));
        MT_TRY(read_array(r, &r->of_points[role], true, &r->out.of_points[role]));
    }
    return MT_OK;
}

/* ---- Grids with tags ---- */

/* True if two Geometry elements are identical, or their points are the same array of HDF5. */
static bool same_geometry(const mt_xml_element *a, const mt_xml_element *b)
{
    char x[256], y[256];
    if (!a || !b || a == b) return a == b;
    const mt_xml_element *p = a->first, *q = b->first;
    return p && q && strcasecmp(mt_xml_tree_attribute(p, "Format", "XML"), "HDF") == 0 &&
           mt_xml_tree_text(p, x, sizeof x) && mt_xml_tree_text(q, y, sizeof y) && strcmp(x, y) == 0;
}

/* Reads the cells of other grids with the geometry of the mesh, and adds their triangles to it. */
static mt_status add_cells(reader *r)
{
    mt_vtk_cells *last = r->out.cells;
    for (grid *g = r->grids; g < r->grids + r->n_grids; g++) {
        const bool tetrahedra = can_be(g, MT_XDMF_TETRAHEDRON);
        if (!(tetrahedra || can_be(g, MT_XDMF_TRIANGLE)) || g->topology == r->mesh->topology ||
            !same_geometry(g->geometry, r->mesh->geometry))
            continue;
        MT_TRY(mt_xdmf_cells_read(r->scratch, &r->tree, g->topology, &g->cells));
        g->read = true;
        if (tetrahedra) continue;
        g->cells.n_points = r->out.n_points;
        g->first_cell = r->out.n_elements;
        r->out.n_elements += g->cells.n;
        last = last->next = &g->cells;
    }
    return MT_OK;
}

/* Finds the only scalar of the cells of a grid; its name is NULL if there is none or more than one. */
static mt_status only_scalar(reader *r, const grid *g, attribute *found)
{
    const mt_xml_element *at = NULL;
    size_t n = 0;
    *found = (attribute){.name = NULL};
    for (attribute a;;) {
        MT_TRY(next_attribute(r, g, g->cells.n, &at, &a));
        if (!a.name) break;
        if (a.of_points || a.components != 1) continue;
        *found = a;
        n++;
    }
    if (n > 1) found->name = NULL;
    return MT_OK;
}

/* Creates the array of regions, with nan (no region) for all cells of the mesh. */
static mt_status start_regions(reader *r, const char *name)
{
    mt_vtk_data *data = &r->out.of_cells[MT_VTK_REGION];
    mt_vtk_known *is;
    MT_ALLOC(r->scratch, is, 1);
    *is = (mt_vtk_known){MT_VTK_REGION, name};
    data->is = is;
    MT_ALLOC(r->scratch, data->values, r->out.n_elements);
    for (size_t k = 0; k < r->mesh->cells.n; k++) data->values[k] = NAN;
    return MT_OK;
}

/* Reads the tags of a grid with its own cells. */
static mt_status read_tags(reader *r, grid *g, bool tetrahedra)
{
    attribute a;
    double *values;
    size_t lost;
    mt_vtk_data *regions = &r->out.of_cells[MT_VTK_REGION];
    MT_TRY(only_scalar(r, g, &a));
    g->used = !tetrahedra || (a.name && !regions->is);
    if (!a.name || !g->used) return MT_OK;
    MT_TRY(mt_xdmf_item_read(r->scratch, &r->tree, &a.item, &values));
    if (!regions->is) MT_TRY(start_regions(r, a.name));
    if (!tetrahedra) {
        memcpy(regions->values + g->first_cell, values, g->cells.n * sizeof *values);
        return MT_OK;
    }
    MT_TRY(mt_xdmf_cells_match(r->scratch, &r->mesh->cells, &g->cells, values, regions->values, &lost));
    if (lost == g->cells.n) return MT_OK;
    return mt_xml_tree_fail(&r->tree, g->topology, "cell %zu is not a cell of the mesh", lost);
}

static mt_status read_all_tags(reader *r)
{
    for (int tetrahedra = 1; tetrahedra >= 0; tetrahedra--)
        for (grid *g = r->grids; g < r->grids + r->n_grids; g++)
            if (g->read && can_be(g, MT_XDMF_TETRAHEDRON) == tetrahedra) MT_TRY(read_tags(r, g, tetrahedra));
    return MT_OK;
}

/* ---- names ---- */

/* Reads the names in the CDATA of an Information; other contents are skipped. */
static mt_status read_names(mt_arena *arena, reader *r, const mt_xml_element *information, mt_mesh *mesh)
{
    static const char begin[] = "<![CDATA[";
    const mt_xml_element *at = NULL, *map;
    mt_xml_tree names;
    mt_scan scan = r->tree.scan;
    scan.at = information->end;
    if (mt_scan_left(&scan) < sizeof begin || memcmp(scan.at, begin, sizeof begin - 1) != 0) return MT_OK;
    scan.begin = scan.at + sizeof begin - 1;
    scan.begin += strspn(scan.begin, " \t\r\n");
    if (strncmp(scan.begin, "<main>", 6) != 0 || !mt_scan_skip_past(&scan, "]]>")) return MT_OK;
    scan.end = scan.at - 3, scan.line = information->text_line;
    for (const char *c = information->begin; c < scan.begin; c++) scan.line += *c == '\n';
    MT_TRY(mt_xml_tree_read(r->scratch, &scan, MT_XML_DEPTH, &names));
    for (;;) {
        char tag[32], *end;
        MT_TRY(mt_xdmf_reference_child(&names, names.root, "map", &at, &map));
        if (!map) return MT_OK;
        const char *name = mt_xml_tree_attribute(map, "key", ""),
                   *dim = mt_xml_tree_attribute(map, "dim", "");
        const int dimension = strcmp(dim, "3") == 0 ? MT_NAMES_ELEMENTS : MT_NAMES_FACES;
        (void)mt_xml_tree_text(map, tag, sizeof tag);
        const long number = strtol(tag, &end, 10);
        if (strcmp(dim, "3") != 0 && strcmp(dim, "2") != 0) continue;
        if (!*tag || *end || number < INT32_MIN || number > INT32_MAX)
            return mt_xml_tree_fail(
                &names, map, "the tag of '%.40s' is '%s'; allowed: a whole number of 32 bits", name, tag);
        MT_TRY(
            mt_fail_in(scan.path, mt_names_put(arena, mesh, dimension, (int32_t)number, name, strlen(name))));
    }
}

static mt_status put_names(mt_arena *arena, reader *r, mt_mesh *mesh)
{
    const mt_xml_element *at = NULL, *information;
    for (;;) {
        MT_TRY(mt_xdmf_reference_child(&r->tree, r->mesh->element, "Information", &at, &information));
        if (!information) break;
        MT_TRY(read_names(arena, r, information, mesh));
    }
    return mt_names_settle(arena, mesh);
}

/* ---- the mesh ---- */

static mt_status read_grids(reader *r)
{
    MT_TRY(find_grids(r));
    MT_TRY(find_mesh(r));
    MT_TRY(mt_xdmf_cells_read(r->scratch, &r->tree, r->mesh->topology, &r->mesh->cells));
    MT_TRY(read_points(r));
    r->mesh->cells.n_points = r->out.n_points;
    r->out.cells = &r->mesh->cells;
    r->out.n_elements = r->mesh->cells.n;
    MT_TRY(add_cells(r));
    MT_TRY(read_arrays(r));
    return read_all_tags(r);
}

static mt_status add_notes(mt_arena *arena, const reader *r, mt_mesh *mesh)
{
    size_t n_steps = 0;
    for (const grid *g = r->grids; g < r->grids + r->n_grids; g++) {
        if (g->used && g->n_steps > n_steps) n_steps = g->n_steps;
        if (!g->used)
            MT_TRY(mt_mesh_note(arena, mesh, "grid '%.60s' (line %zu): not used",
                mt_xml_tree_attribute(g->element, "Name", ""), g->element->line));
    }
    if (n_steps <= 1) return MT_OK;
    return mt_mesh_note(arena, mesh, "a time series of %zu steps: the first is used", n_steps);
}

static mt_status open_file(reader *r, const char *path)
{
    mt_scan scan;
    MT_TRY(mt_scan_open(r->scratch, path, &scan));
    return mt_xml_tree_read(r->scratch, &scan, MT_XML_DEPTH, &r->tree);
}

mt_status mt_xdmf_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch};
    MT_TRY(open_file(&r, path));
    MT_TRY(read_grids(&r));
    r.out.path = path;
    MT_TRY(mt_vtk_grid_mesh(arena, &r.out, unit_mm, mesh));
    MT_TRY(put_names(arena, &r, mesh));
    return add_notes(arena, &r, mesh);
}

/* ---- the unit ---- */

mt_status mt_xdmf_stated_unit(const char *path, char unit[MT_UNIT_SIZE])
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch};
    mt_xdmf_item item;
    char file[MT_FILE_PATH_MAX], points[MT_FILE_PATH_MAX];
    MT_H5_SCOPE(h5);
    bool has = false;
    unit[0] = 0;
    MT_TRY(open_file(&r, path));
    MT_TRY(find_grids(&r));
    MT_TRY(find_mesh(&r));
    MT_TRY(mt_xdmf_item_find(&r.tree, r.mesh->geometry, 0, &item));
    if (item.element) MT_TRY(mt_xdmf_item_hdf5(&r.tree, &item, &has, file, points));
    if (!has) return MT_OK;
    MT_TRY(mt_h5_open(file, h5));
    return mt_vtkhdf_unit_of(h5, points, unit);
}
