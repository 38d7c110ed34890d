/* Limits of a reader's memory, in bytes per byte of the files.
 *
 * MULTIPLE: each number of a file takes at least 2 bytes, and becomes one of 8 bytes at most twice (read, and in the mesh); a line "Tt 0 1
 * 2 3" becomes an element with a fibre and a sheet. The file itself is also in memory. HDF5 files have more than 2 kB of overhead.
 *
 * MULTIPLE_SHARED, of MSH 4.1: a triangle takes at least 8 bytes, and 16 in the mesh for each of its physical groups, at most
 * MT_GROUPS_MAX.
 *
 * MULTIPLE_BYTES, of VTK files: a number can take 1 byte; a tetrahedron 6, which become 48, and 68 in the mesh.
 *
 * MULTIPLE_PACKED, of compressed VTK files, and of XML arrays that share their bytes: up to 4 points, elements and corners per byte
 * (mesh/vtk/vtk.h). A point then takes at most 24 bytes, 48 for its fibre and sheet, and 24 in the mesh; an element 88, plus 8 for each of
 * its corners, and 80 in the mesh. */
#pragma once

#include "mesh/mesh.h"

enum {
    MULTIPLE = 16,
    MULTIPLE_SHARED = MULTIPLE + 2 * MT_GROUPS_MAX,
    MULTIPLE_BYTES = 24,
    MULTIPLE_PACKED = 4 * (24 + 48 + 24 + 88 + 8 + 80)
};
