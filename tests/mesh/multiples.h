/* The most memory that a reader takes, in bytes for each byte of the files.
 *
 * MULTIPLE: each number of a file takes 2 bytes there at least, and becomes one of 8 bytes at most twice (read, and in
 * the mesh); a line "Tt 0 1 2 3" becomes an element with a fibre and a sheet. The file itself is in memory, too. HDF5's files
 * have more than 2 kB beside the numbers.
 *
 * MULTIPLE_SHARED, of MSH 4.1: a triangle takes 8 bytes at least, and 16 in the mesh for each of its physical groups, of which there
 * are MT_GROUPS_MAX at most.
 *
 * MULTIPLE_BYTES, of VTK's files: a number can take 1 byte; a tetrahedron 6, which become 48 and in the mesh 68.
 *
 * MULTIPLE_PACKED, of VTK's compressed files, and where several arrays of XML share their bytes: up to 4 points, elements and
 * corners a byte (mesh/vtk/vtk.h). A point is then at most 24 bytes with 48 for its fibre and sheet, and 24 in the mesh; an
 * element 88 with its corners apart (8 each), and 80 in the mesh. */
#pragma once

#include "mesh/mesh.h"

enum {
    MULTIPLE = 16,
    MULTIPLE_SHARED = MULTIPLE + 2 * MT_GROUPS_MAX,
    MULTIPLE_BYTES = 24,
    MULTIPLE_PACKED = 4 * (24 + 48 + 24 + 88 + 8 + 80)
};
