/* The cells of XDMF's <Topology>, as mesh/vtk/vtk_grid.h has them. */
#pragma once

#include "mesh/vtk/vtk_grid.h"
#include "mesh/vtk/xml_tree.h"

typedef enum mt_xdmf_shape { MT_XDMF_TETRAHEDRON, MT_XDMF_TRIANGLE } mt_xdmf_shape;

/* True if a Topology can have cells of this shape, by its type. */
bool mt_xdmf_cells_can_be(const mt_xml_element *topology, mt_xdmf_shape shape);

/* Reads the cells of a Topology into `arena`; their first_point and n_points are left to the caller. MT_INPUT, with file and line: a type of
 * cells that is not read, damage. MT_FILE, MT_MEMORY: as mt_xdmf_item_read. */
MT_NODISCARD mt_status mt_xdmf_cells_read(
    mt_arena *arena, mt_xml_tree *tree, const mt_xml_element *topology, mt_vtk_cells *cells);

/* Stores the values of the tetrahedra of `part` as those of the cells of `whole` with the same corners, in any order. Returns in *lost the
 * first cell of `part` that `whole` does not have; part->n if there is none. MT_MEMORY. */
MT_NODISCARD mt_status mt_xdmf_cells_match(mt_arena *scratch, const mt_vtk_cells *whole,
    const mt_vtk_cells *part, const double *values, double *whole_values, size_t *lost);
