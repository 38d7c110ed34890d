/* A time series of fields of elements or vertices on a fixed mesh, as files for viewers.
 *
 * NAME.hdf is transient VTKHDF 2.0: an UnstructuredGrid of tetrahedra in HDF5. ParaView plays it from version
 * 5.12 on (VTK 9.3). The group /VTKHDF contains Version = {2, 0}, Type, and the counts, Points, Connectivity,
 * Offsets and Types of mesh/vtk/vtkhdf.h, written once, and
 *
 *    CellData/<field>           [n_frames n_elements]  float, frame after frame; with its unit
 *    CellData/region            [n_elements]           int32
 *    CellData/element           [n_elements]           int64, the numbers in the complete mesh (mt_mesh_number), for a part of a mesh
 *    PointData/<field>          [n_frames n_vertices]  float, instead of CellData/<field> for fields of vertices
 *    PointData/vertex           [n_vertices]           int64, the numbers in the complete mesh, if vertices of it are missing; only with
 *                                                      fields of vertices
 *    Steps                      attribute NSteps = n_frames, int64; in it:
 *    Values                     [n_frames]  double, times in ms
 *    NumberOfParts              [n_frames]  int64, all 1
 *    PartOffsets, PointOffsets, CellOffsets, ConnectivityIdOffsets
 *                               [n_frames]  int64, all 0: every frame has the same mesh
 *    CellDataOffsets/<name>     [n_frames]  int64, index of the first value of a frame; 0, 0, ... for region and element
 *    PointDataOffsets/<name>    [n_frames]  int64, the same for PointData; 0, 0, ... for vertex
 *
 * Vertices of no element are omitted. Nothing is compressed: a viewer need not unpack the mesh for each
 * frame, and equal series are identical to the byte. The group /run is described in mesh/vtk/vtkhdf.h.
 * Outside of /VTKHDF there is
 *
 *    /frames/<field>/<number>   a frame of a field, numbered from 000000: a view of CellData/<field> or PointData/<field> without
 *                               values of its own (an HDF5 virtual dataset)
 *
 * NAME.xdmf in the same folder plays the same arrays in older viewers. In ParaView 5.11 it must be opened as
 * `./NAME.xdmf` or by its full path; the bare name crashes ParaView. It is a temporal collection of XDMF 3,
 * with the mesh and one frame of each field per time. It refers to the views because only one of ParaView's
 * three XDMF readers, not the default one, supports a hyperslab of the complete array. It names the other
 * file without a folder, so the two can be moved together. The layouts are documented at docs.vtk.org,
 * "VTKHDF file format", and at xdmf.org, "XDMF Model and Format". */
#pragma once

#include <stdio.h>

#include "data/files/file.h"
#include "mesh/vtk/vtkhdf_grid.h"
#include "mesh/mesh.h"

/* A field of a series; borrowed. */
typedef struct mt_series_field {
    const char *name; /* as in mt_vtkhdf_field, except "region", "element" and "vertex" */
    const char *unit; /* NULL if it has none */
} mt_series_field;

/* Computes the values of a field at a frame into values[n_elements], or values[n_vertices] at vertices. */
typedef mt_status mt_series_read(void *context, size_t frame, size_t field, float *values);

/* The input of mt_series_write; borrowed. */
typedef struct mt_series {
    const mt_mesh *mesh;
    bool
        at_vertices; /* true for fields of vertices; then each vertex belongs to an element (mt_unknowns_mesh) */
    size_t n_fields, n_frames; /* above 0 */
    const mt_series_field *fields;
    const double *time_ms; /* [n_frames], ascending */
    mt_series_read *give;
    void *context; /* passed to `give` */
    size_t n_notes;
    const mt_vtkhdf_note *notes;
} mt_series;

/* Writes both files; `path` is the path of the first. Calls `give` once for each field of each frame, frame
 * by frame. Beyond the mesh, memory is needed for one field of one frame. Each file is written atomically; in
 * an open set of files both appear together (data/files/file.h). MT_INPUT: the name does not end in .hdf, the
 * name of a field is not allowed or duplicate, or there are no frames, fields or elements. MT_FILE: cannot be
 * written. MT_MEMORY. Otherwise returns the errors of `give`. */
MT_NODISCARD mt_status mt_series_write(const char *path, const mt_series *series);

/* Derives the path of the XDMF file from the path of the HDF5 file. MT_INPUT: it is too long. */
MT_NODISCARD mt_status mt_series_xdmf_path(const char *path, char xdmf[MT_FILE_PATH_MAX]);

/* Writes the grid of one frame of a series, whose arrays are in the HDF5 file `hdf`. */
typedef void mt_series_put_frame(FILE *out, const char *hdf, const void *series, size_t frame);

/* Writes the XDMF file of an HDF5 file: a collection of grids with this name. MT_INPUT: as mt_series_xdmf_path. MT_FILE. */
MT_NODISCARD mt_status mt_series_xdmf_write(
    const char *path, const char *name, size_t n_frames, mt_series_put_frame *put, const void *series);

/* For XDMF files: write a text with XML entities; and a reference to a complete array of the HDF5 file `hdf` with values of a type,
 * "Int" or "Float". */
void mt_series_put_text(FILE *out, const char *text);
void mt_series_put_array(
    FILE *out, const char *hdf, const char *type, int bytes, const char *shape, const char *name);
