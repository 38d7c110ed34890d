/* A slab of unstructured tetrahedra, for measurements of activation that must not prefer a direction, without a mesh generator.
 *
 * It consists of copies of one block, which Gmsh made (mesh/make/mosaic_block.py), alternately mirrored along x and y, so that vertices and
 * faces of adjacent copies coincide. The block is 21 element sizes long and wide and 5.8 thick. Of eight seeds it has the one with
 * activation closest to that on larger Gmsh meshes: for other seeds errors of activation times differ by up to 3 points. */
#pragma once

#include "mesh/mesh.h"

/* Builds a slab with a corner at 0, in `arena`: at least least_mm[0] x least_mm[1] along x and y, rounded up to whole blocks. `length_mm`:
 * element size, the cube root of the mean volume. Fibres along x, region 1. Time and memory O(elements). MT_INPUT: a length is not finite
 * and above 0; too many elements. MT_MEMORY. */
MT_NODISCARD mt_status mt_mosaic_make(
    mt_arena *arena, double length_mm, const double least_mm[2], mt_mesh *mesh);

/* Returns the expected number of elements on an area of such a slab. */
double mt_mosaic_elements(double length_mm, double area_mm2);
