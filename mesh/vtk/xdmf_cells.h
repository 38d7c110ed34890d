/* Converts the cells of XDMF's <Topology> to the cells of mesh/vtk/vtk_grid.h. */
#pragma once

#include "data/files/xml_tree.h"
#include "mesh/vtk/vtk_grid.h"

typedef enum mt_xdmf_shape { MT_XDMF_TETRAHEDRON, MT_XDMF_TRIANGLE } mt_xdmf_shape;

/* True if the type of a Topology allows cells of this shape. */
bool mt_xdmf_cells_can_be(const mt_xml_element *topology, mt_xdmf_shape shape);

/* Reads the cells of a Topology into `arena`; the caller sets their first_point and n_points. MT_INPUT, with
 * file and line: an unsupported type of cells, or damage. Otherwise returns the errors of mt_xdmf_item_read. */
MT_NODISCARD mt_status mt_xdmf_cells_read(
    mt_arena *arena, mt_xml_tree *tree, const mt_xml_element *topology, mt_vtk_cells *cells);

/* Copies the values of the tetrahedra of `part` to the cells of `whole` with the same corners, in any order.
 * Returns in *lost the first cell of `part` that is missing in `whole`; part->n if there is none. MT_MEMORY. */
MT_NODISCARD mt_status mt_xdmf_cells_match(mt_arena *scratch, const mt_vtk_cells *whole,
    const mt_vtk_cells *part, const double *values, double *whole_values, size_t *lost);
