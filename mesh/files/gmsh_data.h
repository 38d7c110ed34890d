/* The sections $ElementData and $NodeData of Gmsh's mesh files, in both versions, text or binary. */
#pragma once

#include "data/files/scan.h"
#include "mesh/vtk/vtk_names.h"

/* The values of one array. Zero-initialised: no array. */
typedef struct mt_gmsh_data {
    const mt_vtk_known *is;
    size_t n;
    int64_t *number; /* [n] element or node numbers, ascending */
    double *values;  /* [n][mt_vtk_components(is->role)] */
} mt_gmsh_data;

/* The arrays of a file that its mesh can use. */
typedef struct mt_gmsh_arrays {
    mt_gmsh_data of_elements[MT_VTK_ROLES], of_nodes[MT_VTK_ROLES]; /* only directions and regions */
    mt_vtk_unused unused;
} mt_gmsh_arrays;

/* Reads the header of a section, starting at its first line, and the values of fibres, sheets and regions. Other arrays and
 * later time steps are listed as unused. The caller then skips to the end of the section. `binary`: True if the values are
 * binary. MT_INPUT, with file and line: damage. MT_MEMORY. */
MT_NODISCARD mt_status mt_gmsh_data_read(
    mt_arena *arena, mt_scan *scan, bool binary, bool of_nodes, mt_gmsh_arrays *arrays);

/* Returns the values of an element or node, or NULL if it has none. */
const double *mt_gmsh_data_at(const mt_gmsh_data *data, int64_t number);
