/* VTKHDF files of other programs: an UnstructuredGrid in one piece, with the cells and arrays that
 * mesh/vtk/vtk.h allows. */
#pragma once

#include "data/files/h5.h"
#include "mesh/mesh.h"

/* Determines whether another program wrote the file (its root has no attribute "program" that begins with
 * "myotile") or added regions, fibres or sheets under a name that Myotile does not write. MT_FILE. MT_INPUT:
 * damage. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtkhdf_is_other(mt_arena *scratch, mt_h5 *h5, bool *other);

/* Reads the mesh of an open file, with its notes, as specified in mesh/vtk/vtk.h. The caller has checked that
 * it is an UnstructuredGrid. MT_FILE. MT_MEMORY. MT_INPUT: several pieces, or damage. */
MT_NODISCARD mt_status mt_vtkhdf_read_other(mt_arena *arena, mt_h5 *h5, mt_mesh *mesh);
