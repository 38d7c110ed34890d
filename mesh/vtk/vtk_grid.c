#include "mesh/vtk/vtk_grid.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mesh/vtk/directions.h"
#include "mesh/repair/repeats.h"
#include "mesh/names.h"

enum { EMPTY = 0, POLY_LINE = 4, TRIANGLE = 5, POLYGON = 7, TETRAHEDRON = 10 };

/* Quadratic and Lagrange cells; their first points are the corners. */
enum {
    LINE_3 = 21,
    TRIANGLE_6 = 22,
    TETRAHEDRON_10 = 24,
    LAGRANGE_LINE = 68,
    LAGRANGE_TRIANGLE = 69,
    LAGRANGE_TETRAHEDRON = 71
};

static const double long_direction = 1e6; /* upper bound of the components of a direction */

/* ---- numbers ---- */

static const mt_vtk_type types[] = {{"Int8", MT_VTK_SIGNED, 1}, {"UInt8", MT_VTK_UNSIGNED, 1},
    {"Int16", MT_VTK_SIGNED, 2}, {"UInt16", MT_VTK_UNSIGNED, 2}, {"Int32", MT_VTK_SIGNED, 4},
    {"UInt32", MT_VTK_UNSIGNED, 4}, {"Int64", MT_VTK_SIGNED, 8}, {"UInt64", MT_VTK_UNSIGNED, 8},
    {"Float32", MT_VTK_FLOAT, 4}, {"Float64", MT_VTK_FLOAT, 8}, {"char", MT_VTK_SIGNED, 1},
    {"signed_char", MT_VTK_SIGNED, 1}, {"unsigned_char", MT_VTK_UNSIGNED, 1}, {"short", MT_VTK_SIGNED, 2},
    {"unsigned_short", MT_VTK_UNSIGNED, 2}, {"int", MT_VTK_SIGNED, 4}, {"unsigned_int", MT_VTK_UNSIGNED, 4},
    {"long", MT_VTK_SIGNED, 8}, {"unsigned_long", MT_VTK_UNSIGNED, 8}, {"float", MT_VTK_FLOAT, 4},
    {"double", MT_VTK_FLOAT, 8}, {"vtkIdType", MT_VTK_SIGNED, 4}, /* always 4 bytes in legacy files */
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

static bool take_nan(mt_scan *scan)
{
    char word[6];
    mt_scan_word(scan, word, sizeof word);
    return strcasecmp(word[0] == '-' ? word + 1 : word, "nan") == 0;
}

mt_status mt_vtk_decode_text(mt_scan *scan, const char *what, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        const mt_scan before = *scan;
        const mt_status status = mt_scan_real(scan, what, DBL_MAX, &out[i]);
        if (status == MT_OK) continue;
        mt_scan again = before;
        if (!take_nan(&again)) return status;
        *scan = again;
        out[i] = NAN;
    }
    return MT_OK;
}

/* ---- names ---- */

const mt_vtk_known *mt_vtk_grid_known(
    const mt_vtk_grid *grid, const char *name, size_t components, bool of_points)
{
    if (!grid->for_lines) return mt_vtk_known_find(name, components, of_points);
    return of_points ? NULL : mt_vtk_known_find_of_lines(name, components);
}

bool mt_vtk_grid_take(
    mt_vtk_grid *grid, const char *name, size_t components, bool of_points, mt_vtk_data **data)
{
    const mt_vtk_known *is = mt_vtk_grid_known(grid, name, components, of_points);
    *data = is ? (of_points ? grid->of_points : grid->of_cells) + is->role : NULL;
    if (!is || ((*data)->is && (*data)->is <= is)) {
        mt_vtk_unused_add(&grid->unused, name, of_points, components);
        return false;
    }
    if ((*data)->is) mt_vtk_unused_add(&grid->unused, (*data)->is->name, of_points, components);
    (*data)->is = is;
    return true;
}

bool mt_vtk_grid_is_names(const char *name, const mt_vtk_type *type)
{
    return strcmp(name, "names") == 0 && type->bytes == 1 && type->kind == MT_VTK_UNSIGNED;
}

mt_status mt_vtk_grid_put_names(mt_arena *scratch, mt_vtk_grid *grid, size_t n, const double *bytes)
{
    char *text;
    MT_ALLOC(scratch, text, n);
    for (size_t k = 0; k < n; k++) {
        if (!(bytes[k] >= 0 && bytes[k] <= 255 && bytes[k] == floor(bytes[k])))
            return mt_fail(MT_INPUT, "%s: names: number %zu is %g; allowed: bytes of a text, 0 to 255",
                grid->path, k, bytes[k]);
        text[k] = (char)(unsigned char)bytes[k];
    }
    grid->names = text;
    grid->n_names = n;
    return MT_OK;
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
        [23] = " (quadrangle of 8 points)",
        [25] = " (hexahedron of 20 points)",
        [42] = " (polyhedron)",
        [76] = " (Bezier triangle)",
        [78] = " (Bezier tetrahedron)"};
    return (size_t)type < sizeof names / sizeof *names && names[type] ? names[type] : "";
}

/* ---- cells ---- */

size_t mt_vtk_cells_begin(const mt_vtk_cells *cells, size_t k)
{
    return k > 0 ? (size_t)cells->end[k - 1] : 0;
}

size_t mt_vtk_cells_points(const mt_vtk_cells *cells, size_t k)
{
    return (size_t)cells->end[k] - mt_vtk_cells_begin(cells, k);
}

int mt_vtk_cells_type(const mt_vtk_cells *cells, size_t k)
{
    return cells->type ? (int)cells->type[k] : cells->kind;
}

/* Returns the VTK type of a checked cell; a polygon of three corners counts as a triangle, and a curved cell as the linear
 * one with its corners. */
static int type_of(const mt_vtk_cells *cells, size_t k)
{
    const int type = mt_vtk_cells_type(cells, k);
    if (type == POLYGON && mt_vtk_cells_points(cells, k) == 3) return TRIANGLE;
    if (type == LINE_3 || type == LAGRANGE_LINE) return POLY_LINE;
    if (type == TRIANGLE_6 || type == LAGRANGE_TRIANGLE) return TRIANGLE;
    return type == TETRAHEDRON_10 || type == LAGRANGE_TETRAHEDRON ? TETRAHEDRON : type;
}

/* Checks the number of points of a tetrahedron or triangle. */
static mt_status check_points(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell, int type)
{
    const int given = mt_vtk_cells_type(cells, k);
    const size_t n = mt_vtk_cells_points(cells, k), corners = type == TRIANGLE ? 3 : 4;
    const size_t needed = given == TRIANGLE_6 ? 6 : given == TETRAHEDRON_10 ? 10 : corners;
    const bool lagrange = given == LAGRANGE_TRIANGLE || given == LAGRANGE_TETRAHEDRON;
    if (n == needed || (lagrange && n >= corners)) return MT_OK;
    return mt_fail(MT_INPUT, "%s: cell %zu, a %s, has %zu corners", grid->path, cell,
        type == TRIANGLE ? "triangle" : "tetrahedron", n);
}

mt_status mt_vtk_grid_check_cell(const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell)
{
    const double end = cells->end[k], number = cells->type ? cells->type[k] : cells->kind;
    const size_t begin = mt_vtk_cells_begin(cells, k);
    if (!(end >= (double)begin && end <= (double)cells->n_corners && end == floor(end)))
        return mt_fail(MT_INPUT,
            "%s: cell %zu: its corners end at offset %.17g; allowed: a whole number from %zu to %zu",
            grid->path, cell, end, begin, cells->n_corners);
    if (!(number >= 0 && number <= 255 && number == floor(number)))
        return mt_fail(MT_INPUT, "%s: cell %zu: type %g; allowed: a whole number from 0 to 255", grid->path,
            cell, number);
    return MT_OK;
}

/* Checks the type and the number of corners of cell k, which is number `cell` of the grid. */
static mt_status check_cell(const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell)
{
    MT_TRY(mt_vtk_grid_check_cell(grid, cells, k, cell));
    const int type = type_of(cells, k);
    if (type <= POLY_LINE) return MT_OK;
    if (type != TRIANGLE && type != TETRAHEDRON)
        return mt_fail(MT_INPUT,
            "%s: cell %zu is of VTK's type %d%s; allowed: tetrahedra (10, 24, 71), triangles (5, 22, 69), "
            "vertices and lines (1 to 4, 21, 68)",
            grid->path, cell, type, type_name(type));
    return check_points(grid, cells, k, cell, type);
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

mt_status mt_vtk_grid_corner(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t at, size_t cell, uint32_t *point)
{
    const double corner = cells->corner[at];
    if (!(corner >= 0 && corner < (double)cells->n_points && corner == floor(corner)))
        return mt_fail(MT_INPUT, "%s: cell %zu: point %.17g; allowed: a whole number below %zu", grid->path,
            cell, corner, cells->n_points);
    *point = (uint32_t)(cells->first_point + (size_t)corner);
    return MT_OK;
}

/* Converts the first n points of cell k of the block. */
static mt_status put_corners(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell, size_t n, uint32_t *vertex)
{
    for (size_t i = 0; i < n; i++)
        MT_TRY(mt_vtk_grid_corner(grid, cells, mt_vtk_cells_begin(cells, k) + i, cell, &vertex[i]));
    return MT_OK;
}

/* ---- data of cells ---- */

mt_status mt_vtk_grid_whole(
    const mt_vtk_grid *grid, mt_vtk_role role, size_t cell, int64_t least, int64_t most, int64_t *out)
{
    const mt_vtk_data *data = &grid->of_cells[role];
    const double x = data->values[cell];
    if (!(x >= (double)least && x <= (double)most && x == floor(x)))
        return mt_fail(MT_INPUT, "%s: cell %zu: %s is %.17g; allowed: a whole number from %lld to %lld",
            grid->path, cell, data->is->name, x, (long long)least, (long long)most);
    *out = (int64_t)x;
    return MT_OK;
}

static mt_status put_layer_and_groups(const mt_vtk_grid *grid, size_t cell, size_t to, mt_mesh *mesh)
{
    int64_t number = 0;
    if (mesh->layer) {
        MT_TRY(mt_vtk_grid_whole(grid, MT_VTK_LAYER, cell, INT32_MIN, INT32_MAX, &number));
        mesh->layer[to] = (int32_t)number;
    }
    if (mesh->groups) {
        MT_TRY(mt_vtk_grid_whole(grid, MT_VTK_GROUPS, cell, 0, (INT64_C(1) << mesh->n_groups) - 1, &number));
        mesh->groups[to] = (uint32_t)number;
    }
    return MT_OK;
}

/* Reads the region of a tetrahedron or the tag of a triangle; false if the cell has none. */
static bool find_region(const mt_vtk_grid *grid, size_t cell, int32_t *region, mt_vtk_odd *odd)
{
    const mt_vtk_data *data = &grid->of_cells[MT_VTK_REGION];
    return data->is && mt_vtk_integer(data->values[cell], cell, region, odd);
}

/* Returns a direction of the cells or points after a check of its components. */
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

static mt_status axis_of_points(
    const mt_vtk_grid *grid, const mt_vtk_data *data, const uint32_t *vertex, double out[3], bool *spread)
{
    const double *f[4];
    for (int i = 3; i >= 0; i--) MT_TRY(check_direction(grid, "point", data, vertex[i], &f[i]));
    *spread = mt_directions_mean(f, out);
    return MT_OK;
}

static const mt_vtk_data *directions(const mt_vtk_grid *grid, mt_vtk_role role)
{
    return grid->of_cells[role].is ? &grid->of_cells[role] : &grid->of_points[role];
}

static mt_status find_direction(const mt_vtk_grid *grid, mt_vtk_role role, size_t cell,
    const uint32_t *vertex, double out[3], size_t *n_spread)
{
    const mt_vtk_data *data = directions(grid, role);
    const double *direction;
    bool spread;
    if (data != &grid->of_cells[role]) {
        MT_TRY(axis_of_points(grid, data, vertex, out, &spread));
        *n_spread += spread;
        return MT_OK;
    }
    MT_TRY(check_direction(grid, "cell", data, cell, &direction));
    memcpy(out, direction, 3 * sizeof *out);
    return MT_OK;
}

/* ---- the mesh ---- */

/* The cells converted so far, and the elements with missing directions. */
typedef struct progress {
    size_t tetrahedra, triangles;
    uint8_t *without; /* [n_elements] nonzero for elements without a region */
    mt_vtk_odd odd;   /* invalid regions and tags */
    size_t n_bath, first_bath;
    size_t n_spread[MT_VTK_ROLES]; /* elements with strongly differing directions at their vertices */
} progress;

static mt_status put_tetrahedron(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell, mt_mesh *mesh, progress *done)
{
    const size_t to = done->tetrahedra++;
    uint32_t *vertex = mesh->element_vertex + 4 * to;
    double fibre[3], sheet[3] = {0};
    MT_TRY(put_corners(grid, cells, k, cell, 4, vertex));
    done->without[to] = !find_region(grid, cell, &mesh->region[to], &done->odd);
    MT_TRY(put_layer_and_groups(grid, cell, to, mesh));
    if (mesh->depth) {
        mesh->depth[to] = grid->of_cells[MT_VTK_DEPTH].values[cell];
        if (!isfinite(mesh->depth[to]))
            return mt_fail(MT_INPUT, "%s: cell %zu: depth is %g; allowed: finite numbers", grid->path, cell,
                mesh->depth[to]);
    }
    if (!mesh->fibre) return MT_OK;
    MT_TRY(find_direction(grid, MT_VTK_FIBRE, cell, vertex, fibre, &done->n_spread[MT_VTK_FIBRE]));
    if (mesh->sheet)
        MT_TRY(find_direction(grid, MT_VTK_SHEET, cell, vertex, sheet, &done->n_spread[MT_VTK_SHEET]));
    if (!mt_directions_put(mesh, to, fibre, sheet) && done->n_bath++ == 0) done->first_bath = cell;
    return MT_OK;
}

static mt_status put_triangle(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell, mt_mesh *mesh, progress *done)
{
    const size_t to = done->triangles++;
    MT_TRY(put_corners(grid, cells, k, cell, 3, mesh->face_vertex + 3 * to));
    (void)find_region(grid, cell, &mesh->face_tag[to], &done->odd);
    return MT_OK;
}

static mt_status put_cells(const mt_vtk_grid *grid, mt_mesh *mesh, progress *done)
{
    size_t cell = 0;
    for (const mt_vtk_cells *cells = grid->cells; cells; cells = cells->next)
        for (size_t k = 0; k < cells->n; k++, cell++) {
            const int type = type_of(cells, k);
            if (type == TETRAHEDRON) MT_TRY(put_tetrahedron(grid, cells, k, cell, mesh, done));
            if (type == TRIANGLE) MT_TRY(put_triangle(grid, cells, k, cell, mesh, done));
        }
    if (done->n_bath == 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: cell %zu: %s has length 0 (bath, or isotropic), as in %zu of %zu tetrahedra; every cell needs a "
        "direction",
        grid->path, done->first_bath, directions(grid, MT_VTK_FIBRE)->is->name, done->n_bath,
        mesh->n_elements);
}

mt_status mt_vtk_grid_coordinates(const mt_vtk_grid *grid, double unit_mm, double *xyz_mm)
{
    for (size_t i = 0; i < 3 * grid->n_points; i++) {
        if (!(fabs(grid->xyz[i]) <= mt_mesh_far_mm / unit_mm))
            return mt_fail(MT_INPUT, "%s: point %zu: coordinate %g; allowed: numbers from %g to %g",
                grid->path, i / 3, grid->xyz[i], -mt_mesh_far_mm / unit_mm, mt_mesh_far_mm / unit_mm);
        xyz_mm[i] = grid->xyz[i] * unit_mm;
    }
    return MT_OK;
}

/* ---- notes ---- */

static mt_status add_notes(mt_arena *arena, const mt_vtk_grid *grid, const progress *done, mt_mesh *mesh)
{
    mt_vtk_unused unused = grid->unused;
    const mt_vtk_known *region = grid->of_cells[MT_VTK_REGION].is, *groups = grid->of_cells[MT_VTK_GROUPS].is;
    if (region) MT_TRY(mt_vtk_odd_note(arena, &done->odd, region->name, "cell", mesh));
    if (groups && mesh->n_groups == 0) mt_vtk_unused_add(&unused, groups->name, false, 1);
    const bool used[MT_VTK_ROLES] = {
        [MT_VTK_FIBRE] = mesh->fibre != NULL, [MT_VTK_SHEET] = mesh->sheet != NULL};
    for (mt_vtk_role role = MT_VTK_FIBRE; role <= MT_VTK_SHEET; role++) {
        const mt_vtk_known *cells = grid->of_cells[role].is, *points = grid->of_points[role].is;
        if (used[role] && points && !cells)
            MT_TRY(mt_directions_note(
                arena, mesh, role == MT_VTK_FIBRE ? "fibres" : "sheets", points->name, done->n_spread[role]));
        if (cells && !used[role]) mt_vtk_unused_add(&unused, cells->name, false, 3);
        if (points && (cells || !used[role])) mt_vtk_unused_add(&unused, points->name, true, 3);
    }
    return mt_vtk_unused_note(arena, &unused, &mesh->notes);
}

/* ---- curved cells ---- */

/* Sets keep[n_points] (1 before) to 0 for points of curved cells that are not a corner of any cell, and counts the curved cells. */
static mt_status mark_corners(const mt_vtk_grid *grid, uint8_t *keep, size_t *n_curved)
{
    for (int corners = 0; corners < 2; corners++) {
        size_t cell = 0;
        for (const mt_vtk_cells *cells = grid->cells; cells; cells = cells->next)
            for (size_t k = 0; k < cells->n; k++, cell++) {
                const int type = type_of(cells, k);
                const size_t n = mt_vtk_cells_points(cells, k), first = type == TRIANGLE ? 3 : 4;
                if (type != TRIANGLE && type != TETRAHEDRON) continue;
                for (size_t i = corners ? 0 : first; i < (corners ? first : n); i++) {
                    uint32_t at = 0;
                    MT_TRY(mt_vtk_grid_corner(grid, cells, mt_vtk_cells_begin(cells, k) + i, cell, &at));
                    keep[at] = (uint8_t)corners;
                }
                *n_curved += !corners && n > first;
            }
    }
    return MT_OK;
}

static mt_status drop_points_of_edges(
    mt_arena *arena, mt_arena *scratch, const mt_vtk_grid *grid, mt_mesh *mesh)
{
    size_t n_curved = 0;
    const size_t before = mesh->n_vertices;
    uint8_t *keep;
    MT_ALLOC(scratch, keep, before);
    memset(keep, 1, before);
    MT_TRY(mark_corners(grid, keep, &n_curved));
    if (n_curved == 0) return MT_OK;
    MT_TRY(mt_mesh_keep_vertices(scratch, mesh, keep));
    return mt_mesh_note_curved(arena, mesh, n_curved, before - mesh->n_vertices);
}

/* ---- entry point */

/* Reads names and the tags of groups; the elements of groups are read with the cells. */
static mt_status put_names(mt_arena *arena, const mt_vtk_grid *grid, mt_mesh *mesh)
{
    if (!grid->names) return MT_OK;
    MT_TRY(mt_fail_in(grid->path, mt_names_parse(arena, mesh, grid->names, grid->n_names)));
    if (mesh->n_groups == 0 || grid->of_cells[MT_VTK_GROUPS].is || mesh->n_elements == 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: its names have %zu groups, but there is no array 'groups' of cells",
        grid->path, mesh->n_groups);
}

static mt_status make_arrays(
    mt_arena *arena, const mt_vtk_grid *grid, size_t n_tetrahedra, size_t n_triangles, mt_mesh *mesh)
{
    MT_TRY(mt_mesh_new(arena, grid->n_points, n_tetrahedra, mesh));
    if (n_triangles > 0) MT_TRY(mt_mesh_new_faces(arena, n_triangles, mesh));
    MT_TRY(put_names(arena, grid, mesh));
    if (n_tetrahedra == 0) return MT_OK;
    if (directions(grid, MT_VTK_FIBRE)->is) {
        MT_TRY(mt_mesh_new_fibres(arena, mesh));
        if (directions(grid, MT_VTK_SHEET)->is) MT_ALLOC(arena, mesh->sheet, 3 * n_tetrahedra);
    }
    if (grid->of_cells[MT_VTK_DEPTH].is) MT_ALLOC(arena, mesh->depth, n_tetrahedra);
    if (grid->of_cells[MT_VTK_LAYER].is) MT_ALLOC(arena, mesh->layer, n_tetrahedra);
    return MT_OK;
}

mt_status mt_vtk_grid_mesh(mt_arena *arena, const mt_vtk_grid *grid, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    size_t n_tetrahedra, n_triangles;
    progress done = {0};
    MT_TRY(check_cells(grid, &n_tetrahedra, &n_triangles));
    MT_TRY(make_arrays(arena, grid, n_tetrahedra, n_triangles, mesh));
    MT_ALLOC(scratch, done.without, n_tetrahedra);
    MT_TRY(mt_vtk_grid_coordinates(grid, unit_mm, mesh->xyz_mm));
    MT_TRY(put_cells(grid, mesh, &done));
    MT_TRY(drop_points_of_edges(arena, scratch, grid, mesh));
    MT_TRY(add_notes(arena, grid, &done, mesh));
    MT_TRY(mt_names_settle(arena, mesh));
    return mt_repeats_settle(arena, mesh, done.without, 0);
}
