/* Rows and tables about a mesh: its content and size, its surfaces, and what its diffusion operator limits. */
#pragma once

#include "app/cli/table.h"
#include "app/heart/anatomy.h"
#include "mesh/info.h"
#include "solver/diffusion/diffusion.h"

/* Adds to a table of properties whether there are fibres (and all along one axis), sheets, depth and layers. */
void mt_content_rows(mt_table *table, const mt_mesh *mesh);

/* Adds both measures of the size of elements to a table of properties. */
void mt_element_size_rows(mt_table *table, const mt_element_size *size);

/* Adds the extents and the volume to a table of properties. */
void mt_size_rows(mt_table *table, const mt_info *info);

/* Adds rows to a table of properties: what says which triangles are the surfaces, the triangles and area of each, and what became of
 * the other triangles that the mesh had when they were counted. */
void mt_anatomy_rows(mt_table *table, const mt_mesh *mesh, const mt_surfaces *surfaces, mt_anatomy anatomy);

/* Adds rows with the apex, the first thing to check where fibres or a stimulus seem wrong. Fails as mt_landmarks_find. */
MT_NODISCARD mt_status mt_anatomy_apex_rows(mt_table *table, const mt_mesh *mesh);

/* Adds to a table of properties how many elements were limited: for stability, and slivers and
 * elements slowed for the spreading if there are any. NULL: no operator. */
void mt_operator_rows(mt_table *table, const mt_diffusion *diffusion);

/* Gives a table of the first limited elements in `arena`: where they are, and what was done to them. */
mt_table mt_operator_table(
    mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency, const mt_diffusion *diffusion);
