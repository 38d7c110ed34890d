/* Statistics of a mesh: counts, sizes, edge lengths and element quality. */
#pragma once

#include <stdbool.h>

#include "mesh/adjacency.h"

typedef struct mt_info {
    size_t n_vertices, n_elements;
    size_t n_dangling; /* vertices that belong to no element */
    size_t n_edges;    /* distinct edges of elements */
    size_t n_inner_faces, n_boundary_faces;
    size_t n_components;                           /* components, connected by faces */
    size_t n_regions;                              /* distinct region tags */
    size_t n_surfaces;                             /* distinct tags of triangles */
    double min_mm[3], max_mm[3];                   /* bounding box of the vertices */
    double volume_mm3;                             /* total volume of the elements */
    double length_mm;                              /* element size: cube root of the mean element volume */
    double edge_min_mm, edge_mean_mm, edge_max_mm; /* over the distinct edges */
    double quality_min, quality_mean;              /* of mt_info_quality, over the elements */
    double dihedral_min_deg;                       /* smallest interior dihedral angle of an element */
} mt_info;

/* The element size of a mesh in the two common measures. The mean edge is 2.04 times the cube root for a regular tetrahedron, about 2.1
 * times in meshes of Gmsh, and 2.3 times in boxes of six tetrahedra. */
typedef struct mt_element_size {
    double length_mm; /* cube root of the mean volume */
    double edge_mm;   /* mean over the distinct edges */
} mt_element_size;

/* Computes the element size of a mesh (borrowed); NaN if it has no elements. MT_MEMORY. Time: O(n log n). Scratch: 24 bytes per element,
 * freed. */
MT_NODISCARD mt_status mt_element_size_find(const mt_mesh *mesh, mt_element_size *size);

/* Computes the size of the elements c with of[c] == group; NaN if there are no such elements. `of`: [n_elements], borrowed; NULL means all
 * elements. */
MT_NODISCARD mt_status mt_element_size_of(
    const mt_mesh *mesh, const uint16_t *of, size_t group, mt_element_size *size);

/* Writes "1.55 mm (mean edge 2.75 mm)". */
enum { MT_ELEMENT_SIZE_TEXT = 64 };
void mt_element_size_text(const mt_element_size *size, char text[MT_ELEMENT_SIZE_TEXT]);

/* Returns the radius ratio 3 r / R of an element with inradius r = 3 V / (sum of face areas) and circumradius R. It is 1 for a regular
 * tetrahedron and 0.717 for a Kuhn tetrahedron, and approaches 0 for slivers. */
double mt_info_quality(const mt_mesh *mesh, size_t element);

/* Computes the members that need no adjacency: the numbers of vertices, elements, regions and surfaces, the bounding box, volume and
 * length. Sets the other members to 0. The mesh (borrowed) has passed mt_mesh_check_content. MT_MEMORY. Time: O(n log n). Scratch: 12 bytes
 * per element, freed. */
MT_NODISCARD mt_status mt_info_find(const mt_mesh *mesh, mt_info *info);

/* Computes all members; same as mt_info_find if the mesh has no elements. Borrows the mesh, which has passed mt_mesh_check, and its
 * adjacency. MT_MEMORY. Time: O(n log n). Scratch: about 40 bytes per element, freed. */
MT_NODISCARD mt_status mt_info_make(const mt_mesh *mesh, const mt_adjacency *adjacency, mt_info *info);

/* True if the fibres of all elements are parallel to one axis to 1e-6, as in a slab or in files with placeholder fibres. False if the mesh
 * has no fibres. */
bool mt_info_fibres_alike(const mt_mesh *mesh);

/* The elements or triangles with one tag: their number, and their volume or area. */
typedef struct mt_info_group {
    int32_t tag;
    size_t count;
    double size; /* mm^3 of elements, mm^2 of triangles */
} mt_info_group;

/* Return the regions, or the tagged surfaces, in `arena`, ascending by tag. MT_MEMORY. Time: O(n log n). Scratch: 12 bytes per element or
 * triangle, freed. */
MT_NODISCARD mt_status mt_info_regions(
    mt_arena *arena, const mt_mesh *mesh, size_t *n, mt_info_group **groups);
MT_NODISCARD mt_status mt_info_surfaces(
    mt_arena *arena, const mt_mesh *mesh, size_t *n, mt_info_group **groups);
