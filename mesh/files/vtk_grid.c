#include "mesh/files/vtk_grid.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "data/vec3.h"
#include "data/axes.h"

enum { EMPTY = 0, POLY_LINE = 4, TRIANGLE = 5, POLYGON = 7, TETRAHEDRON = 10 };

static const double long_direction = 1e6; /* nor any part of a direction */

/* ---- numbers ---- */

static const mt_vtk_type types[] = {{"Int8", MT_VTK_SIGNED, 1}, {"UInt8", MT_VTK_UNSIGNED, 1},
    {"Int16", MT_VTK_SIGNED, 2}, {"UInt16", MT_VTK_UNSIGNED, 2}, {"Int32", MT_VTK_SIGNED, 4},
    {"UInt32", MT_VTK_UNSIGNED, 4}, {"Int64", MT_VTK_SIGNED, 8}, {"UInt64", MT_VTK_UNSIGNED, 8},
    {"Float32", MT_VTK_FLOAT, 4}, {"Float64", MT_VTK_FLOAT, 8}, {"char", MT_VTK_SIGNED, 1},
    {"signed_char", MT_VTK_SIGNED, 1}, {"unsigned_char", MT_VTK_UNSIGNED, 1}, {"short", MT_VTK_SIGNED, 2},
    {"unsigned_short", MT_VTK_UNSIGNED, 2}, {"int", MT_VTK_SIGNED, 4}, {"unsigned_int", MT_VTK_UNSIGNED, 4},
    {"long", MT_VTK_SIGNED, 8}, {"unsigned_long", MT_VTK_UNSIGNED, 8}, {"float", MT_VTK_FLOAT, 4},
    {"double", MT_VTK_FLOAT, 8}, {"vtkIdType", MT_VTK_SIGNED, 4}, /* legacy files have always 4 bytes of it */
    {"vtktypeint64", MT_VTK_SIGNED, 8}, {"vtktypeuint64", MT_VTK_UNSIGNED, 8}};

const mt_vtk_type *mt_vtk_type_find(const char *name)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strcasecmp(types[t].name, name) == 0) return &types[t];
    return NULL;
}

static double number_of(uint64_t bits, const mt_vtk_type *type)
{
    float single;
    double number;
    const uint32_t low = (uint32_t)bits;
    if (type->kind == MT_VTK_UNSIGNED) return (double)bits;
    if (type->kind == MT_VTK_SIGNED) {
        const unsigned above = 64 - 8 * (unsigned)type->bytes;
        return (double)((int64_t)(bits << above) >> above);
    }
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &bits, sizeof number);
    return type->bytes == 4 ? (double)single : number;
}

void mt_vtk_decode(
    const unsigned char *bytes, const mt_vtk_type *type, bool big_endian, size_t n, double *out)
{
    const size_t size = type->bytes;
    for (size_t i = 0; i < n; i++, bytes += size) {
        uint64_t bits = 0;
        for (size_t k = 0; k < size; k++) bits = bits << 8 | bytes[big_endian ? k : size - 1 - k];
        out[i] = number_of(bits, type);
    }
}

mt_status mt_vtk_decode_text(mt_scan *scan, const char *what, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) MT_TRY(mt_scan_real(scan, what, DBL_MAX, &out[i]));
    return MT_OK;
}

/* ---- names ---- */

static const mt_vtk_known known[] = {{MT_VTK_REGION, "region"}, {MT_VTK_REGION, "regions"},
    {MT_VTK_REGION, "elemTag"}, {MT_VTK_REGION, "elemTags"}, {MT_VTK_REGION, "tag"}, {MT_VTK_REGION, "tags"},
    {MT_VTK_REGION, "material"}, {MT_VTK_REGION, "materials"}, {MT_VTK_REGION, "gmsh:physical"},
    {MT_VTK_REGION, "medit:ref"}, {MT_VTK_REGION, "cell_tags"}, {MT_VTK_REGION, "CellEntityIds"},
    {MT_VTK_REGION, "part-id"}, {MT_VTK_REGION, "surface-id"}, {MT_VTK_REGION, "ID"}, {MT_VTK_FIBRE, "fibre"},
    {MT_VTK_FIBRE, "fibres"}, {MT_VTK_FIBRE, "fiber"}, {MT_VTK_FIBRE, "fibers"}, {MT_VTK_FIBRE, "f0"},
    {MT_VTK_FIBRE, "fibre_direction"}, {MT_VTK_FIBRE, "fiber_direction"}, {MT_VTK_FIBRE, "fiberDirections"},
    {MT_VTK_FIBRE, "FIB_DIR"}, {MT_VTK_SHEET, "sheet"}, {MT_VTK_SHEET, "sheets"}, {MT_VTK_SHEET, "s0"},
    {MT_VTK_SHEET, "sheet_direction"}, {MT_VTK_SHEET, "sheetDirections"}, {MT_VTK_SHEET, "SHEET_DIR"},
    {MT_VTK_DEPTH, "depth"}, {MT_VTK_LAYER, "layer"}};

size_t mt_vtk_components(mt_vtk_role role) { return role == MT_VTK_FIBRE || role == MT_VTK_SHEET ? 3 : 1; }

const mt_vtk_known *mt_vtk_known_find(const char *name, size_t components, bool of_points)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const bool exact = known[k].role == MT_VTK_DEPTH || known[k].role == MT_VTK_LAYER;
        const size_t n = mt_vtk_components(known[k].role);
        if ((exact ? strcmp : strcasecmp)(known[k].name, name) == 0 && components == n &&
            (n == 3 || !of_points))
            return &known[k];
    }
    return NULL;
}

static const char *type_name(int type)
{
    static const char *const names[] = {[6] = " (triangle strip)",
        [7] = " (polygon)",
        [8] = " (pixel)",
        [9] = " (quadrangle)",
        [11] = " (voxel)",
        [12] = " (hexahedron)",
        [13] = " (wedge)",
        [14] = " (pyramid)",
        [15] = " (pentagonal prism)",
        [16] = " (hexagonal prism)",
        [21] = " (line of 3 points)",
        [22] = " (triangle of 6 points)",
        [23] = " (quadrangle of 8 points)",
        [24] = " (tetrahedron of 10 points)",
        [25] = " (hexahedron of 20 points)",
        [42] = " (polyhedron)",
        [69] = " (Lagrange triangle)",
        [71] = " (Lagrange tetrahedron)",
        [76] = " (Bezier triangle)",
        [78] = " (Bezier tetrahedron)"};
    return (size_t)type < sizeof names / sizeof *names && names[type] ? names[type] : "";
}

/* ---- cells ---- */

/* Where the corners of a cell begin. */
static size_t begin_of(const mt_vtk_cells *cells, size_t k) { return k > 0 ? (size_t)cells->end[k - 1] : 0; }

/* VTK's type of a cell whose numbers have been checked; a polygon of three corners is a triangle. */
static int type_of(const mt_vtk_cells *cells, size_t k)
{
    const int type = cells->type ? (int)cells->type[k] : cells->kind;
    const bool three = (size_t)cells->end[k] - begin_of(cells, k) == 3;
    return type == POLYGON && three ? TRIANGLE : type;
}

/* Checks type and number of corners of cell k, which is number `cell` of the grid. */
static mt_status check_cell(const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell)
{
    const double end = cells->end[k], number = cells->type ? cells->type[k] : cells->kind;
    const size_t begin = begin_of(cells, k);
    if (!(end >= (double)begin && end <= (double)cells->n_corners && end == floor(end)))
        return mt_fail(MT_INPUT,
            "%s: cell %zu: its corners end at offset %.17g; allowed: a whole number from %zu to %zu",
            grid->path, cell, end, begin, cells->n_corners);
    if (!(number >= 0 && number <= 255 && number == floor(number)))
        return mt_fail(MT_INPUT, "%s: cell %zu: type %g; allowed: a whole number from 0 to 255", grid->path,
            cell, number);
    const int type = type_of(cells, k);
    const size_t corners = (size_t)end - begin;
    if (type <= POLY_LINE) return MT_OK;
    if (type != TRIANGLE && type != TETRAHEDRON)
        return mt_fail(MT_INPUT,
            "%s: cell %zu is of VTK's type %d%s; allowed: tetrahedra (10) and triangles (5), beside vertices "
            "and "
            "lines (1 to 4)",
            grid->path, cell, type, type_name(type));
    if (corners != (type == TRIANGLE ? 3 : 4))
        return mt_fail(MT_INPUT, "%s: cell %zu, a %s, has %zu corners", grid->path, cell,
            type == TRIANGLE ? "triangle" : "tetrahedron", corners);
    return MT_OK;
}

static mt_status check_cells(const mt_vtk_grid *grid, size_t *n_tetrahedra, size_t *n_triangles)
{
    size_t cell = 0;
    *n_tetrahedra = *n_triangles = 0;
    for (const mt_vtk_cells *cells = grid->cells; cells; cells = cells->next)
        for (size_t k = 0; k < cells->n; k++, cell++) {
            MT_TRY(check_cell(grid, cells, k, cell));
            *n_tetrahedra += type_of(cells, k) == TETRAHEDRON;
            *n_triangles += type_of(cells, k) == TRIANGLE;
        }
    if (*n_tetrahedra + *n_triangles > 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: has no tetrahedra and no triangles among its %zu cells", grid->path, cell);
}

/* The corners of cell k of the block, as vertices of the mesh. */
static mt_status put_corners(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell, size_t n, uint32_t *vertex)
{
    const double *corner = cells->corner + begin_of(cells, k);
    for (size_t i = 0; i < n; i++) {
        if (!(corner[i] >= 0 && corner[i] < (double)cells->n_points && corner[i] == floor(corner[i])))
            return mt_fail(MT_INPUT, "%s: cell %zu: point %.17g; allowed: a whole number below %zu",
                grid->path, cell, corner[i], cells->n_points);
        vertex[i] = (uint32_t)(cells->first_point + (size_t)corner[i]);
    }
    return MT_OK;
}

/* ---- data of cells ---- */

/* A whole number of a cell array, `missing` where there is none. */
static mt_status put_whole(
    const mt_vtk_grid *grid, mt_vtk_role role, size_t cell, int32_t missing, int32_t *out)
{
    const mt_vtk_data *data = &grid->of_cells[role];
    *out = missing;
    if (!data->is) return MT_OK;
    const double x = data->values[cell];
    if (!(x >= INT32_MIN && x <= INT32_MAX && x == floor(x)))
        return mt_fail(MT_INPUT, "%s: cell %zu: %s is %.17g; allowed: a whole number from %d to %d",
            grid->path, cell, data->is->name, x, INT32_MIN, INT32_MAX);
    *out = (int32_t)x;
    return MT_OK;
}

/* A direction of the cells or of the points. */
static mt_status check_direction(
    const mt_vtk_grid *grid, const char *of, const mt_vtk_data *data, size_t at, const double **direction)
{
    *direction = data->values + 3 * at;
    for (size_t k = 0; k < 3; k++)
        if (!(fabs((*direction)[k]) <= long_direction))
            return mt_fail(MT_INPUT, "%s: %s %zu: %s has %g; allowed: numbers from %g to %g", grid->path, of,
                at, data->is->name, (*direction)[k], -long_direction, long_direction);
    return MT_OK;
}

/* The principal axis of the directions of four points, on the side of the first; 0 where all are 0. */
static mt_status axis_of_points(
    const mt_vtk_grid *grid, const mt_vtk_data *data, const uint32_t *vertex, double out[3])
{
    double sum[3][3] = {{0}}, axes[3][3];
    const double *f = NULL;
    for (int i = 3; i >= 0; i--) {
        MT_TRY(check_direction(grid, "point", data, vertex[i], &f));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) sum[r][c] += f[r] * f[c];
    }
    mt_axes_find(sum, axes);
    int most = 0;
    for (int k = 1; k < 3; k++)
        if (sum[k][k] > sum[most][most]) most = k;
    const double side = f[0] * axes[0][most] + f[1] * axes[1][most] + f[2] * axes[2][most];
    const double length = sum[most][most] > 0 ? side < 0 ? -1 : 1 : 0;
    for (int k = 0; k < 3; k++) out[k] = length * axes[k][most];
    return MT_OK;
}

static const mt_vtk_data *directions(const mt_vtk_grid *grid, mt_vtk_role role)
{
    return grid->of_cells[role].is ? &grid->of_cells[role] : &grid->of_points[role];
}

static mt_status find_direction(
    const mt_vtk_grid *grid, mt_vtk_role role, size_t cell, const uint32_t *vertex, double out[3])
{
    const mt_vtk_data *data = directions(grid, role);
    const double *direction;
    if (data != &grid->of_cells[role]) return axis_of_points(grid, data, vertex, out);
    MT_TRY(check_direction(grid, "cell", data, cell, &direction));
    memcpy(out, direction, 3 * sizeof *out);
    return MT_OK;
}

static bool is_unit(const double v[3]) { return fabs(mt_length3(v) - 1) <= 1e-6; }

/* Stores the directions of cell `to` of the mesh; false where its fibre is 0. Sheets go with the first that
 * is none. */
static bool put_directions(mt_mesh *mesh, size_t to, const double fibre[3], const double sheet[3])
{
    const bool good_sheet = !mesh->sheet || (is_unit(sheet) && fabs(mt_dot3(fibre, sheet)) <= 1e-6);
    if (is_unit(fibre) && good_sheet) {
        memcpy(mesh->fibre + 3 * to, fibre, 3 * sizeof *fibre);
        if (mesh->sheet) memcpy(mesh->sheet + 3 * to, sheet, 3 * sizeof *sheet);
        return true;
    }
    if (mt_mesh_put_directions(mesh, to, fibre, sheet)) return true;
    double *sheets = mesh->sheet;
    mesh->sheet = NULL;
    if (mt_mesh_put_directions(mesh, to, fibre, NULL)) return true;
    mesh->sheet = sheets;
    return false;
}

/* ---- the mesh ---- */

/* What is done, and where directions are missing. */
typedef struct progress {
    size_t tetrahedra, triangles;
    size_t n_bath, first_bath;
} progress;

static mt_status put_tetrahedron(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell, mt_mesh *mesh, progress *done)
{
    const size_t to = done->tetrahedra++;
    uint32_t *vertex = mesh->element_vertex + 4 * to;
    double fibre[3], sheet[3] = {0};
    MT_TRY(put_corners(grid, cells, k, cell, 4, vertex));
    MT_TRY(put_whole(grid, MT_VTK_REGION, cell, 1, &mesh->region[to]));
    if (mesh->layer) MT_TRY(put_whole(grid, MT_VTK_LAYER, cell, 0, &mesh->layer[to]));
    if (mesh->depth) {
        mesh->depth[to] = grid->of_cells[MT_VTK_DEPTH].values[cell];
        if (!isfinite(mesh->depth[to]))
            return mt_fail(MT_INPUT, "%s: cell %zu: depth is %g; allowed: finite numbers", grid->path, cell,
                mesh->depth[to]);
    }
    if (!mesh->fibre) return MT_OK;
    MT_TRY(find_direction(grid, MT_VTK_FIBRE, cell, vertex, fibre));
    if (mesh->sheet) MT_TRY(find_direction(grid, MT_VTK_SHEET, cell, vertex, sheet));
    if (!put_directions(mesh, to, fibre, sheet) && done->n_bath++ == 0) done->first_bath = cell;
    return MT_OK;
}

static mt_status put_triangle(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell, mt_mesh *mesh, progress *done)
{
    const size_t to = done->triangles++;
    MT_TRY(put_corners(grid, cells, k, cell, 3, mesh->face_vertex + 3 * to));
    return put_whole(grid, MT_VTK_REGION, cell, 0, &mesh->face_tag[to]);
}

static mt_status put_cells(const mt_vtk_grid *grid, mt_mesh *mesh)
{
    size_t cell = 0;
    progress done = {0};
    for (const mt_vtk_cells *cells = grid->cells; cells; cells = cells->next)
        for (size_t k = 0; k < cells->n; k++, cell++) {
            const int type = type_of(cells, k);
            if (type == TETRAHEDRON) MT_TRY(put_tetrahedron(grid, cells, k, cell, mesh, &done));
            if (type == TRIANGLE) MT_TRY(put_triangle(grid, cells, k, cell, mesh, &done));
        }
    if (done.n_bath == 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: cell %zu: %s has length 0 there (bath, or isotropic), as in %zu of %zu tetrahedra; every cell "
        "needs a "
        "direction",
        grid->path, done.first_bath, directions(grid, MT_VTK_FIBRE)->is->name, done.n_bath, mesh->n_elements);
}

static mt_status put_points(const mt_vtk_grid *grid, double unit_mm, mt_mesh *mesh)
{
    for (size_t i = 0; i < 3 * grid->n_points; i++) {
        if (!(fabs(grid->xyz[i]) <= mt_mesh_far_mm / unit_mm))
            return mt_fail(MT_INPUT, "%s: point %zu: coordinate %g; allowed: numbers from %g to %g",
                grid->path, i / 3, grid->xyz[i], -mt_mesh_far_mm / unit_mm, mt_mesh_far_mm / unit_mm);
        mesh->xyz_mm[i] = grid->xyz[i] * unit_mm;
    }
    return MT_OK;
}

mt_status mt_vtk_grid_mesh(mt_arena *arena, const mt_vtk_grid *grid, double unit_mm, mt_mesh *mesh)
{
    size_t n_tetrahedra, n_triangles;
    MT_TRY(check_cells(grid, &n_tetrahedra, &n_triangles));
    MT_TRY(mt_mesh_new(arena, grid->n_points, n_tetrahedra, mesh));
    if (n_triangles > 0) MT_TRY(mt_mesh_new_faces(arena, n_triangles, mesh));
    if (n_tetrahedra > 0 && directions(grid, MT_VTK_FIBRE)->is) {
        MT_TRY(mt_mesh_new_fibres(arena, mesh));
        if (directions(grid, MT_VTK_SHEET)->is) MT_ALLOC(arena, mesh->sheet, 3 * n_tetrahedra);
    }
    if (n_tetrahedra > 0 && grid->of_cells[MT_VTK_DEPTH].is) MT_ALLOC(arena, mesh->depth, n_tetrahedra);
    if (n_tetrahedra > 0 && grid->of_cells[MT_VTK_LAYER].is) MT_ALLOC(arena, mesh->layer, n_tetrahedra);
    MT_TRY(put_points(grid, unit_mm, mesh));
    return put_cells(grid, mesh);
}
