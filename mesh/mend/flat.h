/* Taking flat cells out of a mesh so that what lies around them closes the gap: a part of the repair
 * (mesh/mend/defects.h), which says what comes first and what after. */
#ifndef MT_MESH_MEND_FLAT_H
#define MT_MESH_MEND_FLAT_H

#include "mesh/mend/defects.h"

/* Marks in dead [n_cells] (all 0 before) the cells that go, moves those that stay to the vertices that stay, and counts in
 * repair: collapsed_edges, collapsed_cells, flat_surface, flat_inside. The mesh has neither inverted cells nor such
 * that are there or have a vertex twice, and has none afterwards. Tagged triangles move with their vertices; they
 * may then have one twice. MT_FILE: no memory. Time O(n) and a bounded number of steps for each flat cell: around a
 * vertex of more than 256 cells no edge is drawn together, nor any once 262144 cells and 20 for each of the mesh have
 * been looked at (enough where some percent of all are flat); what is flat then is removed. Scratch 20 bytes a cell and
 * 16 a vertex, freed. */
MT_NODISCARD mt_status mt_flat_remove(mt_mesh *mesh, uint8_t *dead, mt_repair *repair);

#endif
