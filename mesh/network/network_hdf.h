/* Lines as VTKHDF for viewers: a conduction network with fields at its points, and a time series of one more field.
 *
 * NAME.hdf is VTKHDF 2.0 of Type PolyData. ParaView opens it from version 5.12 on (VTK 9.3). The group /VTKHDF contains NumberOfPoints,
 * Points [n_points][3], and for each of the groups Vertices, Lines, Polygons and Strips, which are empty except for Lines, the counts
 * NumberOfConnectivityIds and NumberOfCells, Connectivity and Offsets; each segment is a line of two points. Further arrays:
 *
 *    CellData/radius, CellData/kind   [n_segments]          double, int32; if known
 *    PointData/<field>                [n_points]            double, the fields of the lines, equal at all times
 *    PointData/<name>                 [n_frames n_points]   float, frame after frame, with its unit
 *    Steps                            only with frames, as in mesh/vtk/series.h; CellOffsets and ConnectivityIdOffsets are [n_frames][4]
 *
 * With frames, NAME.xdmf in the same folder plays them in older viewers, by views of the frames as in mesh/vtk/series.h.
 *
 * Nothing is compressed. The group /run is described in mesh/vtk/vtkhdf.h. The layout is documented at docs.vtk.org, "VTKHDF file
 * format". */
#pragma once

#include "mesh/lines.h"
#include "mesh/vtk/vtkhdf_grid.h"

/* Reads the values of the n_points at a frame. */
typedef mt_status mt_network_frame(void *context, size_t frame, float *values);

/* Borrowed. */
typedef struct mt_network_series {
    const mt_lines *lines;
    const char *field_unit; /* of the fields of the lines */
    size_t n_frames;        /* 0: none */
    const double *time_ms;  /* [n_frames], ascending */
    const char *name;       /* of the field of the series, and its unit */
    const char *unit;
    mt_network_frame *give;
    void *context; /* passed to `give` */
    size_t n_notes;
    const mt_vtkhdf_note *notes;
} mt_network_series;

/* Writes the files, each completely or not at all; in an open set of files both appear together. Calls `give` once for each frame.
 * MT_INPUT: the name does not end in .hdf. MT_FILE: cannot be written. MT_MEMORY. Otherwise returns the errors of `give`. */
MT_NODISCARD mt_status mt_network_hdf_write(const char *path, const mt_network_series *series);
