/* Rows and tables about a mesh: content, size, surfaces, and the limited elements of its diffusion operator. */
#pragma once

#include "app/cli/table.h"
#include "app/heart/anatomy.h"
#include "mesh/info.h"
#include "solver/diffusion/diffusion.h"

/* Adds to a table of properties whether the mesh has fibres (and if all are along one axis), sheets, depth and layers, and segments if it
 * has them. */
void mt_content_rows(mt_table *table, const mt_mesh *mesh);

/* Adds both measures of the size of elements to a table of properties. */
void mt_element_size_rows(mt_table *table, const mt_element_size *size);

/* Adds the extents and the volume to a table of properties. */
void mt_size_rows(mt_table *table, const mt_info *info);

/* Adds rows to a table of properties: the source of the surface labels, the number of triangles and the area of each surface, and the use
 * of the other triangles that the mesh had when they were counted. */
void mt_anatomy_rows(mt_table *table, const mt_mesh *mesh, const mt_surfaces *surfaces, mt_anatomy anatomy);

/* Adds rows with the apex, the first value to check if fibres or a stimulus seem wrong. Returns the errors of `mt_landmarks_find`. */
MT_NODISCARD mt_status mt_anatomy_apex_rows(mt_table *table, const mt_mesh *mesh);

/* Adds to a table of properties the number of elements limited for stability and, if there are any, of slivers and of elements slowed for
 * the spreading; with voltages at the vertices the share of negative couplings (solver/diffusion/nodal.h). `diffusion` may be NULL. */
void mt_operator_rows(mt_table *table, const mt_diffusion *diffusion);

/* Builds, in `arena`, a table of the first limited elements with their places and the kind of limit. */
mt_table mt_operator_table(
    mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency, const mt_diffusion *diffusion);
