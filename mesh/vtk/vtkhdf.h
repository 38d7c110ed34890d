/* Myotile's own file of a mesh and element fields: VTKHDF 1.0, an UnstructuredGrid of tetrahedra in HDF5, which
 * ParaView opens as it is. One mesh, one moment; mesh/vtk/series.h has those of a series in time.
 *
 *   /VTKHDF                    attributes Version = {1, 0}, Type = "UnstructuredGrid"; in it:
 *   NumberOfPoints             [1]              int64
 *   NumberOfCells              [1]              int64
 *   NumberOfConnectivityIds    [1]              int64
 *   Points                     [n_vertices][3]  double; the attribute unit is mm where written here, and um, mm, cm or m
 *                                               where read; without it, mm
 *   Connectivity               [4 n_elements]      int64
 *   Offsets                    [n_elements + 1]    int64
 *   Types                      [n_elements]        uint8, all 10 (VTK_TETRA)
 *   CellData/region            [n_elements]        int32
 *   CellData/fibre             [n_elements][3]     double; this and the rest only where the mesh has them
 *   CellData/sheet             [n_elements][3]     double
 *   CellData/normal            [n_elements][3]     double, fibre x sheet: for viewers, not read
 *   CellData/depth             [n_elements]        double
 *   CellData/layer             [n_elements]        int32
 *   CellData/groups            [n_elements]        int64, bit g: the element also belongs to the g-th group of the names
 *   CellData/ipu               [n_elements]        int32, from 0: the group of the element's part; this and the two
 *                                               others only in a file with a partition
 *   CellData/tile              [n_elements]        int32, from 0 in each group: the part in its group
 *   CellData/<field>           [n_elements]        float, double or int64, or a float vector [n_elements][3], with its unit and, as the attribute "nan", what
 *                                               it means where there is no number
 *   FieldData/ipus_and_tiles   [2]              int64, n_groups and parts_per_group
 *   FieldData/face_vertex      [n_faces][3]     int64, the tagged triangles; both only where there are any
 *   FieldData/face_tag         [n_faces]        int32
 *   FieldData/names            [n]              uint8, names and tags of groups as text (mesh/names.h); only with tagged triangles,
 *                                               names or groups
 *
 * The root's attribute "program" says who wrote the file; those of the group /run, in the result of a run, how it came about. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "mesh/scale.h"
#include "mesh/cut/partition.h"
#include "mesh/vtk/vtkhdf_grid.h"

/* One value an element. Exactly one of f32, f64, i64 is given; borrowed. */
typedef struct mt_vtkhdf_field {
    const char *name;  /* not empty, no '/', none of the mesh's own above */
    const char *unit;  /* NULL: none */
    size_t components; /* numbers an element; 0 is 1. More than 1: of a vector, f32 */
    const float *f32;  /* [n_elements][components] */
    const double *f64;
    const int64_t *i64;
    const char *nan; /* what it means where there is no number; NULL: nothing */
} mt_vtkhdf_field;

/* Writes the mesh and the fields; the file is whole or as it was. MT_INPUT: the name does not end in .hdf
 * (ParaView 5.11 opens VTKHDF under no other ending), or a field's name is not allowed or there twice.
 * MT_FILE: cannot be written. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtkhdf_write(
    const char *path, const mt_mesh *mesh, size_t n_fields, const mt_vtkhdf_field *fields);

/* The same with notes in the group /run, which exists only if there are any. */
MT_NODISCARD mt_status mt_vtkhdf_write_result(const char *path, const mt_mesh *mesh, size_t n_fields,
    const mt_vtkhdf_field *fields, size_t n_notes, const mt_vtkhdf_note *notes);

/* Writes the mesh and its partition, else as mt_vtkhdf_write. MT_INPUT, too: a partition of another number of elements, or
 * one that fails mt_partition_check. */
MT_NODISCARD mt_status mt_vtkhdf_write_partition(
    const char *path, const mt_mesh *mesh, const mt_partition *partition);

/* Gives the mesh of a file, of any name, written here; of others' files, and where others added arrays, mesh/vtk/vtk.h says what
 * becomes of cells and arrays, and the mesh has notes. Without `region` it is 1 everywhere,
 * without FieldData/face_vertex there are no tagged triangles. In files of Myotile without FieldData/names, which earlier
 * versions wrote, the tags 1 to 4 get the names of mt_surface. Numbers come back to the bit; elements may be inverted
 * or flat. MT_FILE: cannot be opened or read. MT_MEMORY. MT_INPUT: no VTKHDF mesh in one piece, or a
 * mesh that fails mt_mesh_check_content; the message names the file. */
MT_NODISCARD mt_status mt_vtkhdf_read(mt_arena *arena, const char *path, mt_mesh *mesh);

/* The same of a file whose coordinates are of unit_mm millimetres each, unless it states their unit. */
MT_NODISCARD mt_status mt_vtkhdf_read_in(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Returns the attribute "unit" of the file's points, "" if there is none. MT_INPUT: it is none of um, mm, cm and m. */
MT_NODISCARD mt_status mt_vtkhdf_stated_unit(const char *path, char unit[MT_UNIT_SIZE]);

/* The same for the points `name` of an open file. */
MT_NODISCARD mt_status mt_vtkhdf_unit_of(mt_h5 *h5, const char *name, char unit[MT_UNIT_SIZE]);

/* Gives the element field `name`, stored as float or double (both fit a double exactly), of a file whose mesh
 * has n_elements. MT_INPUT: missing, of another length or kind. */
MT_NODISCARD mt_status mt_vtkhdf_read_field(
    mt_arena *arena, const char *path, const char *name, size_t n_elements, double **values);

/* Gives the partition of a file whose mesh has n_elements, but its edge_cut, which is 0. MT_INPUT: it has none, it is of another number
 * of elements, or a number is outside what the invariants of a partition allow; the message names file, array and entry. */
MT_NODISCARD mt_status mt_vtkhdf_read_partition(
    mt_arena *arena, const char *path, size_t n_elements, mt_partition *partition);
