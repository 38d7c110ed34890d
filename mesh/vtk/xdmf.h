/* XDMF 2 and 3 (.xdmf, .xmf), read only: a mesh described in XML, with its numbers in HDF5, in binary files
 * or in the XML. The layout follows xdmf.org, "XDMF Model and Format", and the files of meshio, FEniCS and
 * ParaView.
 *
 * The mesh is the first Grid with tetrahedra or, if there is none, with triangles:
 *   Topology     Tetrahedron, Triangle, or Mixed of these; for Tetrahedron_10 and Triangle_6 the corners are used, with a note. Points
 *                and lines are skipped;
 *   Geometry     XYZ or X_Y_Z;
 *   Attribute    with Center Cell or Node, identified by its name as in mesh/vtk/vtk.h. Integers of cells named "f", as FEniCS names
 *                a MeshFunction, are the region. Others are listed in a note;
 *   Information  names of tags, as meshio writes them: <map key="NAME" dim="3">TAG</map> in its CDATA.
 * The first step of a time series is read, with a note; any other collection must have one Grid. References
 * inside the file are followed (mesh/vtk/xdmf_reference.h).
 *
 * Additional Grids, as FEniCS writes them for tags:
 *   with the Topology of the mesh   their attributes are attributes of the mesh;
 *   with its Geometry, tetrahedra   their only scalar is the region, if the mesh has none; cells of the mesh missing in them have
 *                                   no region (mt_names_unassigned);
 *   with its Geometry, triangles    they are added to the mesh, with their only scalar as tag.
 * Other Grids are listed in a note.
 *
 * Elements that repeat an earlier one with another region belong to both regions (mt_repeats_merge). */
#pragma once

#include "mesh/mesh.h"
#include "mesh/scale.h"

/* Reads the mesh of a file with coordinates in units of unit_mm millimetres, otherwise as specified in
 * mesh/vtk/vtk.h. MT_FILE: a file cannot be read. MT_MEMORY. MT_INPUT, with file and line, or the cell or
 * point from 0: damage, content not allowed above or in data/files/xml.h, or a data file outside the folder of
 * the XDMF file and its subfolders. */
MT_NODISCARD mt_status mt_xdmf_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Returns the unit that the points state in HDF5, in their attribute "unit"; "" if it is absent. Failures as
 * above. */
MT_NODISCARD mt_status mt_xdmf_stated_unit(const char *path, char unit[MT_UNIT_SIZE]);
