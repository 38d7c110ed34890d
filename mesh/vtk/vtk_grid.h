/* For the two readers of mesh/vtk/vtk.h: decoding of VTK's numbers, and the grid of a file, which is
 * converted to a mesh (vtk_grid.c) or to lines (vtk_lines.c) in one place.
 *
 * All numbers are stored as double, which represents every allowed value exactly. Other values are refused in
 * the conversion. */
#pragma once

#include "data/files/scan.h"
#include "mesh/vtk/vtk_names.h"
#include "mesh/lines.h"
#include "mesh/mesh.h"

/* Maximum number of points, cells or corners of cells for each byte of the file. The most regular meshes,
 * compressed as far as zlib can, have less than one. */
enum { mt_vtk_most_each = 4 };

/* ---- numbers */

typedef enum mt_vtk_kind { MT_VTK_SIGNED, MT_VTK_UNSIGNED, MT_VTK_FLOAT } mt_vtk_kind;

typedef struct mt_vtk_type {
    const char *name;
    mt_vtk_kind kind;
    size_t bytes;
} mt_vtk_type;

/* Returns the type with this name in XML ("Int64") or in legacy files ("unsigned_char"); NULL if there is
 * none. */
const mt_vtk_type *mt_vtk_type_find(const char *name);

/* Converts n numbers of this type in `bytes` to out[n]. */
void mt_vtk_decode(
    const unsigned char *bytes, const mt_vtk_type *type, bool big_endian, size_t n, double *out);

/* Reads n words of a text, finite numbers or nan, into out[n]. */
MT_NODISCARD mt_status mt_vtk_decode_text(mt_scan *scan, const char *what, size_t n, double *out);

/* ---- the grid */

typedef struct mt_vtk_data {
    const mt_vtk_known *is; /* NULL if there is no such array */
    double *values;
} mt_vtk_data;

/* Cells with corners in one piece. */
typedef struct mt_vtk_cells {
    struct mt_vtk_cells *next;
    size_t first_point, n_points; /* corner k is point first_point + k; k < n_points */
    size_t n;
    int kind;           /* VTK type of all cells, if `type` is NULL */
    const double *type; /* [n] VTK types */
    const double *end;  /* [n] index in `corner` after the last corner of each cell */
    size_t n_corners;
    const double *corner; /* [n_corners] */
} mt_vtk_cells;

typedef struct mt_vtk_grid {
    const char *path; /* borrowed */
    bool for_lines;   /* True if it is read for its lines: arrays have the roles of lines */
    size_t n_points, n_elements;
    double *xyz;                                                 /* [n_points][3] */
    mt_vtk_cells *cells;                                         /* in the order of of_cells */
    mt_vtk_data of_cells[MT_VTK_ROLES], of_points[MT_VTK_ROLES]; /* [n_elements] or [n_points], [1 or 3] */
    mt_vtk_unused unused;                                        /* arrays of the file that are not used */
    const char *names; /* [n_names] text of mesh/names.h in the field data; NULL if there is none */
    size_t n_names;
} mt_vtk_grid;

/* Assigns an array to its role in the grid. Returns false if it has no role, or if an array of higher
 * priority was assigned before. The rejected or replaced array is listed as unused. The caller stores the
 * values in *data. */
bool mt_vtk_grid_take(
    mt_vtk_grid *grid, const char *name, size_t components, bool of_points, mt_vtk_data **data);

/* Returns the table entry of an array for the purpose of the grid; NULL if it is not used. */
const mt_vtk_known *mt_vtk_grid_known(
    const mt_vtk_grid *grid, const char *name, size_t components, bool of_points);

/* Stores the n numbers of a field array of bytes as the names of the grid. MT_INPUT: a number is not a byte.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_vtk_grid_put_names(
    mt_arena *scratch, mt_vtk_grid *grid, size_t n, const double *bytes);

/* True if a field array with this name and type contains names of tags. */
bool mt_vtk_grid_is_names(const char *name, const mt_vtk_type *type);

/* ---- checked access, for conversions. Cell k of `cells` is number `cell` of the grid. MT_INPUT: a value that is not allowed */

/* Checks the end of the corners and the range of the type; required before the next three. */
MT_NODISCARD mt_status mt_vtk_grid_check_cell(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell);

/* Return the type in the file, the index of the first corner, and the number of corners. */
int mt_vtk_cells_type(const mt_vtk_cells *cells, size_t k);
size_t mt_vtk_cells_begin(const mt_vtk_cells *cells, size_t k);
size_t mt_vtk_cells_points(const mt_vtk_cells *cells, size_t k);

/* Converts the corner with this index to the number of a point of the grid. */
MT_NODISCARD mt_status mt_vtk_grid_corner(
    const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t at, size_t cell, uint32_t *point);

/* Reads the value of a cell in an array of integers from `least` to `most`. */
MT_NODISCARD mt_status mt_vtk_grid_whole(
    const mt_vtk_grid *grid, mt_vtk_role role, size_t cell, int64_t least, int64_t most, int64_t *out);

/* Copies the coordinates of all points in mm to xyz_mm[n_points][3]. */
MT_NODISCARD mt_status mt_vtk_grid_coordinates(const mt_vtk_grid *grid, double unit_mm, double *xyz_mm);

/* ---- conversions */

/* Builds the lines as specified in mesh/vtk/vtk.h, with their notes. */
MT_NODISCARD mt_status mt_vtk_grid_lines(
    mt_arena *arena, const mt_vtk_grid *grid, double unit_mm, mt_lines *lines);

/* Builds the mesh as specified in mesh/vtk/vtk.h, with its notes. The arrays of the grid have the lengths
 * above, with unchecked content. */
MT_NODISCARD mt_status mt_vtk_grid_mesh(
    mt_arena *arena, const mt_vtk_grid *grid, double unit_mm, mt_mesh *mesh);
