/* XDMF 2 and 3 (.xdmf, .xmf): a mesh described in XML, with its numbers in HDF5, in files of bytes or in the XML; read only. Layout as at
 * xdmf.org, "XDMF Model and Format", and as meshio, FEniCS and ParaView write it.
 *
 * The mesh is the first Grid with tetrahedra, or else with triangles:
 *   Topology     Tetrahedron, Triangle, or Mixed of these; of Tetrahedron_10 and Triangle_6 the corners are used, with a note. Points and
 *                lines are skipped;
 *   Geometry     XYZ or X_Y_Z;
 *   Attribute    of Center Cell or Node, by its name as in mesh/vtk/vtk.h; whole numbers of cells named "f", as FEniCS names a
 *                MeshFunction, are the region; others are listed in a note;
 *   Information  names of tags, as meshio writes them: <map key="NAME" dim="3">TAG</map> in its CDATA.
 * Of a time series the first step is read, with a note; another collection must have one Grid. References inside the file are followed
 * (mesh/vtk/xml_tree.h).
 *
 * More Grids, as FEniCS writes them for tags:
 *   on the Topology of the mesh     their attributes are those of the mesh;
 *   on its Geometry, tetrahedra     their only scalar is the region, if the mesh has none; cells of the mesh that they do not have are
 *                                   without a region (mt_names_unassigned);
 *   on its Geometry, triangles      these are added to the mesh, with their only scalar as tag.
 * Other Grids are listed in a note.
 *
 * Elements that repeat an earlier one with another region belong to both (mt_repeats_merge). */
#pragma once

#include "mesh/mesh.h"
#include "mesh/scale.h"

/* Reads the mesh of a file whose numbers are of unit_mm millimetres each; as mesh/vtk/vtk.h otherwise. MT_FILE: a file cannot be read.
 * MT_MEMORY. MT_INPUT, with file and line, or the cell or point from 0: damage, anything not allowed above or in mesh/vtk/xml.h, a file that
 * is not in the folder of the XDMF file or below. */
MT_NODISCARD mt_status mt_xdmf_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Returns the unit that the points state in HDF5, in their attribute "unit"; "" if they do not. Failures as above. */
MT_NODISCARD mt_status mt_xdmf_stated_unit(const char *path, char unit[MT_UNIT_SIZE]);
