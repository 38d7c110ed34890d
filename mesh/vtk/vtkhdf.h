/* Myotile's own file of a mesh and element fields: VTKHDF 1.0, an UnstructuredGrid of tetrahedra in HDF5,
 * which ParaView opens directly. It contains one mesh at one time; for time series see mesh/vtk/series.h.
 *
 *    /VTKHDF                    attributes Version = {1, 0}, Type = "UnstructuredGrid"; in it:
 *    NumberOfPoints             [1]              int64
 *    NumberOfCells              [1]              int64
 *    NumberOfConnectivityIds    [1]              int64
 *    Points                     [n_vertices][3]  double; attribute unit: mm in files written here; um, mm, cm or m in
 *                                                files read; mm if absent
 *    Connectivity               [4 n_elements]      int64
 *    Offsets                    [n_elements + 1]    int64
 *    Types                      [n_elements]        uint8, all 10 (VTK_TETRA)
 *    CellData/region            [n_elements]        int32
 *    CellData/fibre             [n_elements][3]     double; this and the following only if the mesh has them
 *    CellData/sheet             [n_elements][3]     double
 *    CellData/normal            [n_elements][3]     double, fibre x sheet: for viewers, not read
 *    CellData/depth             [n_elements]        double
 *    CellData/layer             [n_elements]        int32
 *    CellData/segment           [n_elements]        int32
 *    CellData/groups            [n_elements]        int64, bit g: the element also belongs to the g-th group of the names
 *    CellData/ipu               [n_elements]        int32, from 0: the group of the element's part; this, tile and
 *                                                ipus_and_tiles only in a file with a partition
 *    CellData/tile              [n_elements]        int32, from 0 in each group: the part in its group
 *    PointData/transventricular, transmural, rotational, apicobasal
 *                               [n_vertices]        double, ventricular coordinates; read only if all four are there
 *    PointData/ipu, tile        [n_vertices]        the same of a partition of vertices, instead of these two
 *    CellData/<field>           [n_elements]        float, double or int64, or a float vector [n_elements][3], with its unit;
 *                                                the attribute "nan" states the meaning of nan
 *    PointData/<field>          [n_vertices]        as CellData/<field>, of values at the vertices
 *    FieldData/ipus_and_tiles   [2]              int64, n_groups and parts_per_group
 *    FieldData/face_vertex      [n_faces][3]     int64, the tagged triangles; face_vertex and face_tag only if there are any
 *    FieldData/face_tag         [n_faces]        int32
 *    FieldData/names            [n]              uint8, names and tags of groups as text (mesh/names.h); only with tagged triangles,
 *                                                names or groups
 *
 * The root attribute "program" names the program that wrote the file. In the result of a run, the attributes
 * of the group /run record the run. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "mesh/scale.h"
#include "mesh/unknowns.h"
#include "mesh/cut/partition.h"
#include "mesh/vtk/vtkhdf_grid.h"

/* One field value for each element, or for each vertex. Exactly one of f32, f64 and i64 is set; borrowed. */
typedef struct mt_vtkhdf_field {
    const char *name;  /* not empty, without '/', different from the names above */
    const char *unit;  /* NULL if it has none */
    size_t components; /* numbers for each element; 0 means 1. More than 1: a vector, stored in f32 */
    const float *f32;  /* [n_elements][components] */
    const double *f64;
    const int64_t *i64;
    const char *nan;  /* meaning of nan; NULL if nan has no meaning */
    bool at_vertices; /* true for [n_vertices] values instead of [n_elements] */
} mt_vtkhdf_field;

/* Writes the mesh and the fields atomically. MT_INPUT: the name does not end in .hdf (ParaView 5.11 opens
 * VTKHDF under no other ending), or the name of a field is not allowed or duplicate. MT_FILE: cannot be
 * written. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtkhdf_write(
    const char *path, const mt_mesh *mesh, size_t n_fields, const mt_vtkhdf_field *fields);

/* The same, with notes in the group /run, which exists only if there are any. */
MT_NODISCARD mt_status mt_vtkhdf_write_result(const char *path, const mt_mesh *mesh, size_t n_fields,
    const mt_vtkhdf_field *fields, size_t n_notes, const mt_vtkhdf_note *notes);

/* Writes the mesh and a partition of its elements, or of all its vertices. Returns the errors of mt_vtkhdf_write, and
 * MT_INPUT if the partition has another number of them or fails mt_partition_check. */
MT_NODISCARD mt_status mt_vtkhdf_write_partition(
    const char *path, const mt_unknowns *unknowns, const mt_partition *partition);

/* Reads the mesh of a file written here, under any name. For files of other programs, or with arrays added by
 * them, mesh/vtk/vtk.h specifies the conversion of cells and arrays, and the mesh has notes. Without `region`
 * all regions are 1; without FieldData/face_vertex there are no tagged triangles. In files of Myotile without
 * FieldData/names, which earlier versions wrote, the tags 1 to 4 get the names of mt_surface. Numbers are
 * read exactly; elements may be inverted or flat. MT_FILE: cannot be opened or read. MT_MEMORY. MT_INPUT: no
 * VTKHDF mesh in one piece, or the mesh fails mt_mesh_check_content; the message names the file. */
MT_NODISCARD mt_status mt_vtkhdf_read(mt_arena *arena, const char *path, mt_mesh *mesh);

/* The same for a file with coordinates in units of unit_mm millimetres, unless it states their unit. */
MT_NODISCARD mt_status mt_vtkhdf_read_in(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Returns the attribute "unit" of the points in the file, "" if it is absent. MT_INPUT: it is not um, mm, cm
 * or m. */
MT_NODISCARD mt_status mt_vtkhdf_stated_unit(const char *path, char unit[MT_UNIT_SIZE]);

/* The same for the points `name` of an open file. */
MT_NODISCARD mt_status mt_vtkhdf_unit_of(mt_h5 *h5, const char *name, char unit[MT_UNIT_SIZE]);

/* Reads the element field `name`, stored as float or double, of a file with n_elements elements. MT_INPUT:
 * missing, or of another length or type. */
MT_NODISCARD mt_status mt_vtkhdf_read_field(
    mt_arena *arena, const char *path, const char *name, size_t n_elements, double **values);

/* Finds whether a file has a partition of elements, or of vertices. MT_INPUT: it is missing or invalid. */
MT_NODISCARD mt_status mt_vtkhdf_has_partition(const char *path, bool at_vertices, bool *has);

/* Reads the partition of a file with n elements, or of one with n vertices; edge_cut is set to 0. MT_INPUT: it has
 * none, or one of the others, it has another number of them, or a number violates the invariants of a partition; the
 * message names file, array and entry. */
MT_NODISCARD mt_status mt_vtkhdf_read_partition(
    mt_arena *arena, const char *path, bool at_vertices, size_t n, mt_partition *partition);
