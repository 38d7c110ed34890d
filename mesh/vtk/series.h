/* A series in time as files for viewers: element fields at some moments, on a mesh that stays as it is.
 *
 * NAME.hdf is transient VTKHDF 2.0, which ParaView plays from 5.12 on (VTK 9.3): an UnstructuredGrid of tetrahedra in HDF5. In /VTKHDF
 * there are Version = {2, 0}, Type, the counts, Points, Connectivity, Offsets and Types as in mesh/vtk/vtkhdf.h, written once, and
 *
 *   CellData/<field>           [n_frames n_elements]  float, a frame behind the other; with its unit
 *   CellData/region            [n_elements]           int32
 *   CellData/element           [n_elements]           int64, the numbers in the whole (mt_mesh_number), of a part of a mesh
 *   Steps                      attribute NSteps = n_frames, int64; in it:
 *   Values                     [n_frames]  double, times in ms
 *   NumberOfParts              [n_frames]  int64, all 1
 *   PartOffsets, PointOffsets, CellOffsets, ConnectivityIdOffsets
 *                              [n_frames]  int64, all 0: each moment has the same mesh
 *   CellDataOffsets/<name>     [n_frames]  int64: where the values of a frame begin; 0, 0, ... for region and element
 *
 * Only vertices of elements are in it. Nothing is compressed, so a viewer need not unpack the mesh for each moment, and equal series are
 * equal to the byte. The group /run is as in mesh/vtk/vtkhdf.h. Outside of VTKHDF there is
 *
 *   /frames/<field>/<number>   [n_elements]  a frame of a field, numbered from 000000: a view of CellData/<field>, without values of its
 *                              own (an HDF5 virtual dataset)
 *
 * NAME.xdmf beside it lets older viewers play the same arrays (ParaView 5.11: `./NAME.xdmf` or a whole path; the bare name makes it
 * crash). XDMF 3, a temporal collection: each moment has the mesh and its frame of each field. The views are there for it: a hyperslab of
 * the whole array is read by one of ParaView's three readers of XDMF alone, and not by the one it takes by itself. It names the other
 * file without a folder, so the two can be moved together. The layout of VTKHDF is explained at docs.vtk.org, "VTKHDF file format";
 * that of XDMF at xdmf.org, "XDMF Model and Format". */
#pragma once

#include "data/files/file.h"
#include "mesh/vtk/vtkhdf_grid.h"
#include "mesh/mesh.h"

/* A field of a series; borrowed. */
typedef struct mt_series_field {
    const char *name; /* as in mt_vtkhdf_field, and not "region" or "element" */
    const char *unit; /* NULL: none */
} mt_series_field;

/* Writes the values of a field at a frame into values[n_elements]. */
typedef mt_status mt_series_give(void *context, size_t frame, size_t field, float *values);

/* All of a series; borrowed. */
typedef struct mt_series {
    const mt_mesh *mesh;
    size_t n_fields, n_frames; /* above 0 */
    const mt_series_field *fields;
    const double *time_ms; /* [n_frames], ascending */
    mt_series_give *give;
    void *context; /* of give */
    size_t n_notes;
    const mt_vtkhdf_note *notes;
} mt_series;

/* Writes both files; `path` is that of the first. `give` is called once for each field of each frame, frame by frame; beside the mesh,
 * memory is taken for one field of one frame. Each file is whole or as it was, and both appear together in an open set of files (data/files/file.h).
 * MT_INPUT: the name does not end in .hdf, a field's name is not allowed or there twice, no frames, no fields or no elements. MT_FILE:
 * cannot be written. MT_MEMORY. Or what `give` answers. */
MT_NODISCARD mt_status mt_series_write(const char *path, const mt_series *series);

/* The path of the second file, for that of the first. MT_INPUT: it is too long. */
MT_NODISCARD mt_status mt_series_xdmf_path(const char *path, char xdmf[MT_FILE_PATH_MAX]);
