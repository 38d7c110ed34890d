/* For the two readers of mesh/vtk/vtk.h: numbers as VTK stores them, and the grid that a file holds, which
 * becomes a mesh in one place.
 *
 * Here every number is a double: it holds exactly whatever is allowed, and what is not is seen on the way to
 * the mesh. */
#pragma once

#include "data/files/scan.h"
#include "mesh/vtk/vtk_names.h"
#include "mesh/mesh.h"

/* Points, cells or corners of cells a byte of the file. The most regular meshes, compressed as well as zlib
 * can, have less than one. */
enum { mt_vtk_most_each = 4 };

/* ---- numbers */

typedef enum mt_vtk_kind { MT_VTK_SIGNED, MT_VTK_UNSIGNED, MT_VTK_FLOAT } mt_vtk_kind;

typedef struct mt_vtk_type {
    const char *name;
    mt_vtk_kind kind;
    size_t bytes;
} mt_vtk_type;

/* The type of this name in XML ("Int64") or in legacy files ("unsigned_char"); NULL: none. */
const mt_vtk_type *mt_vtk_type_find(const char *name);

/* out[n] = the n numbers of this type that stand in `bytes`. */
void mt_vtk_decode(
    const unsigned char *bytes, const mt_vtk_type *type, bool big_endian, size_t n, double *out);

/* out[n] = the next n words of a text, finite numbers or nan. */
MT_NODISCARD mt_status mt_vtk_decode_text(mt_scan *scan, const char *what, size_t n, double *out);

/* ---- the grid */

typedef struct mt_vtk_data {
    const mt_vtk_known *is; /* NULL: there is none */
    double *values;
} mt_vtk_data;

/* Cells whose corners are points of one piece. */
typedef struct mt_vtk_cells {
    struct mt_vtk_cells *next;
    size_t first_point, n_points; /* corner k is point first_point + k; k < n_points */
    size_t n;
    int kind;           /* VTK's type of all of them, where `type` is NULL */
    const double *type; /* [n] */
    const double *end;  /* [n] in `corner`, where the corners of each cell end and those of the next begin */
    size_t n_corners;
    const double *corner; /* [n_corners] */
} mt_vtk_cells;

typedef struct mt_vtk_grid {
    const char *path; /* borrowed */
    size_t n_points, n_elements;
    double *xyz;                                                 /* [n_points][3] */
    mt_vtk_cells *cells;                                         /* in the order of of_cells */
    mt_vtk_data of_cells[MT_VTK_ROLES], of_points[MT_VTK_ROLES]; /* [n_elements] or [n_points], [1 or 3] */
    mt_vtk_unused unused; /* arrays that were found and are not of these */
    const char *names;    /* [n_names] text of mesh/names.h in the field data; NULL: none */
    size_t n_names;
} mt_vtk_grid;

/* Gives an array a place among those of the grid, if it has a role and no better one has come before; false otherwise. It, or
 * the one that it takes the place of, is then listed as not used. The caller stores the values. */
bool mt_vtk_grid_take(
    mt_vtk_grid *grid, const char *name, size_t components, bool of_points, mt_vtk_data **data);

/* Stores the n numbers of a field array of bytes as the names of the grid. MT_INPUT: a number that is no byte. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtk_grid_put_names(
    mt_arena *scratch, mt_vtk_grid *grid, size_t n, const double *bytes);

/* True if a field array of this name and type has names of tags. */
bool mt_vtk_grid_is_names(const char *name, const mt_vtk_type *type);

/* Makes the mesh as mesh/vtk/vtk.h says, with its notes; the grid may have any content, of these lengths. */
MT_NODISCARD mt_status mt_vtk_grid_mesh(
    mt_arena *arena, const mt_vtk_grid *grid, double unit_mm, mt_mesh *mesh);
