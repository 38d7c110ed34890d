/* A mesh in a few numbers. */
#pragma once

#include <stdbool.h>

#include "mesh/adjacency.h"

typedef struct mt_info {
    size_t n_vertices, n_elements;
    size_t n_dangling; /* vertices of no element */
    size_t n_edges;    /* distinct pairs of vertices of an element */
    size_t n_inner_faces, n_boundary_faces;
    size_t n_components;         /* pieces that are connected by faces */
    size_t n_regions;            /* distinct region tags */
    size_t n_surfaces;           /* distinct tags of triangles */
    double min_mm[3], max_mm[3]; /* of the vertices */
    double volume_mm3;           /* of all elements */
    double length_mm;            /* cube root of the mean element volume: the characteristic edge length */
    double edge_min_mm, edge_mean_mm, edge_max_mm; /* over the distinct edges */
    double quality_min, quality_mean;              /* of mt_info_quality over the elements */
    double dihedral_min_deg; /* smallest angle between two faces of an element, inside it */
} mt_info;

/* The size of the elements of a mesh in both measures in use. The second is 2.04 times the first for a regular tetrahedron, about 2.1 times
 * in meshes of Gmsh and 2.3 times in boxes of six tetrahedra. */
typedef struct mt_element_size {
    double length_mm; /* cube root of the mean volume */
    double edge_mm;   /* mean over the distinct edges */
} mt_element_size;

/* Computes the size of the elements of a mesh (borrowed); NaN for a mesh without elements. MT_MEMORY. Time O(n log n); scratch 24 bytes an
 * element, freed. */
MT_NODISCARD mt_status mt_element_size_find(const mt_mesh *mesh, mt_element_size *size);

/* Computes the size of the elements c with of[c] == group; NaN if there are none. `of`: [n_elements], borrowed; NULL: all elements. */
MT_NODISCARD mt_status mt_element_size_of(
    const mt_mesh *mesh, const uint16_t *of, size_t group, mt_element_size *size);

/* Writes "1.55 mm (mean edge 2.75 mm)". */
enum { MT_ELEMENT_SIZE_TEXT = 64 };
void mt_element_size_text(const mt_element_size *size, char text[MT_ELEMENT_SIZE_TEXT]);

/* Radius ratio 3 r / R of an element with inradius r = 3 V / (sum of face areas) and circumradius R: 1 for the
 * regular tetrahedron, towards 0 as it flattens; 0.717 for a Kuhn tetrahedron. */
double mt_info_quality(const mt_mesh *mesh, size_t element);

/* Fills what follows from the vertices, elements and tags alone: their counts, min, max, volume and length; the rest is 0.
 * The mesh (borrowed) has passed mt_mesh_check_content. MT_MEMORY. Time O(n log n); scratch 12 bytes an element,
 * freed. */
MT_NODISCARD mt_status mt_info_find(const mt_mesh *mesh, mt_info *info);

/* Fills all of info; borrows the mesh (which has passed mt_mesh_check) and its adjacency. For a mesh of
 * no elements no more than mt_info_find. MT_MEMORY. Time O(n log n); scratch about 40 bytes an element, freed. */
MT_NODISCARD mt_status mt_info_make(const mt_mesh *mesh, const mt_adjacency *adjacency, mt_info *info);

/* Are the fibres of all elements along one axis, to 1e-6? As in a slab, or in the files of a program that
 * writes placeholders. false for a mesh without fibres. */
bool mt_info_fibres_alike(const mt_mesh *mesh);

/* What has one tag: how many, and their volume or area. */
typedef struct mt_info_group {
    int32_t tag;
    size_t count;
    double size; /* mm^3 of elements, mm^2 of triangles */
} mt_info_group;

/* Gives the regions, or the surfaces that are tagged, ascending, in `arena`. MT_MEMORY. Time O(n log n);
 * scratch 12 bytes an element or triangle, freed. */
MT_NODISCARD mt_status mt_info_regions(
    mt_arena *arena, const mt_mesh *mesh, size_t *n, mt_info_group **groups);
MT_NODISCARD mt_status mt_info_surfaces(
    mt_arena *arena, const mt_mesh *mesh, size_t *n, mt_info_group **groups);
