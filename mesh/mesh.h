/* A tetrahedral mesh: flat arrays, as everything large here is.
 *
 * Invariants (mt_mesh_check):
 *   every coordinate is within mt_mesh_far_mm of 0, every vertex index < n_vertices;
 *   every fibre and sheet is a unit vector to 1e-6, and the two of an element are perpendicular to 1e-6;
 *   elements are positively oriented: ((x1 - x0) x (x2 - x0)) . (x3 - x0) = 6 V > 0, so that their vertices differ;
 *   the three corners of a tagged triangle differ; it need not be a face of an element;
 *   names and groups are as mesh/names.h says.
 * The first two lines and the last are its content (mt_mesh_check_content): with them the mesh can be examined and repaired
 * (mesh/mend/defects.h, mesh/mend/repair.h); without the others nothing can run on it.
 *
 * Face f of an element is the one opposite its vertex f. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/hash.h"
#include "data/core/status.h"

enum { MT_NAME_SIZE = 120, MT_GROUPS_MAX = 32 };

/* The name of a region (dimension 3) or of a tag of triangles (dimension 2). */
typedef struct mt_mesh_name {
    int32_t dimension, tag;
    char text[MT_NAME_SIZE];
} mt_mesh_name;

typedef struct mt_mesh {
    size_t n_vertices;
    size_t n_elements;
    double *xyz_mm;           /* [n_vertices][3] */
    uint32_t *element_vertex; /* [n_elements][4] */
    int32_t *region;  /* [n_elements], tags chosen by the maker of the mesh; 1 if the file has no regions */
    double *fibre;    /* [n_elements][3] the direction of the muscle; NULL: not known, as the next three */
    double *sheet;    /* [n_elements][3] across the fibre in its sheet; only with fibres */
    double *depth;    /* [n_elements] 0 at the endocardium, 1 at the epicardium, 1/2 inside a septum */
    int32_t *layer;   /* [n_elements] of the wall: see mt_layer */
    uint32_t *number; /* [n_elements] ascending, of a part of a mesh: see mt_mesh_number; else NULL */
    size_t n_faces;   /* tagged triangles of the surface; 0 where nothing is tagged */
    uint32_t *face_vertex; /* [n_faces][3] */
    int32_t *face_tag;     /* [n_faces] what a triangle is part of: see mt_surface */
    size_t n_names;        /* of tags; functions for these and for groups: mesh/names.h */
    mt_mesh_name *names;   /* [n_names] ascending by dimension and tag, each pair once */
    size_t n_groups;       /* at most MT_GROUPS_MAX: groups with elements of other regions */
    int32_t *group_tag;    /* [n_groups] different tags, which share names with the regions */
    uint32_t
        *groups; /* [n_elements] bit g: the element also belongs to group_tag[g]; NULL if n_groups is 0 */
    const char
        *notes; /* of the reader of its file, for the user: lines, each with its line end; NULL: none */
} mt_mesh;

/* The largest coordinate allowed: keeps volumes finite, and tells numbers from damage. */
extern const double mt_mesh_far_mm;

/* The tags that the project's own tools give and look for. */
typedef enum mt_surface {
    MT_SURFACE_BASE = 1,
    MT_SURFACE_EPI = 2,
    MT_SURFACE_LV = 3,
    MT_SURFACE_RV = 4
} mt_surface;

/* What part of the wall an element is in. */
typedef enum mt_layer { MT_LAYER_ENDO = 1, MT_LAYER_MID = 2, MT_LAYER_EPI = 3 } mt_layer;

/* Gives a mesh with its vertices, elements and regions allocated in `arena` and zeroed, no tagged triangles, and
 * nothing of what may be NULL. */
MT_NODISCARD mt_status mt_mesh_new(mt_arena *arena, size_t n_vertices, size_t n_elements, mt_mesh *mesh);

/* Appends a line (printf rules, at most 1023 characters) to the notes of a mesh, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_note(mt_arena *arena, mt_mesh *mesh, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes that the corners of n curved (quadratic) cells are used and n_dropped vertices of their edges are not. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_note_curved(mt_arena *arena, mt_mesh *mesh, size_t n, size_t n_dropped);

/* Gives the mesh room in `arena` for fibres, all (1, 0, 0). */
MT_NODISCARD mt_status mt_mesh_new_fibres(mt_arena *arena, mt_mesh *mesh);

/* Gives the mesh room in `arena` for n tagged triangles, zeroed; those it had are forgotten. */
MT_NODISCARD mt_status mt_mesh_new_faces(mt_arena *arena, size_t n_faces, mt_mesh *mesh);

/* Gives used[n_vertices]: 1 for the vertices of elements, 0 for the others. All indices are vertices. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_used(mt_arena *arena, const mt_mesh *mesh, uint8_t **used);

/* Removes the vertices for which keep[v] is 0, of no element and no tagged triangle, and renumbers the others in their order.
 * MT_MEMORY; the mesh is then as it was. */
MT_NODISCARD mt_status mt_mesh_keep_vertices(mt_arena *scratch, mt_mesh *mesh, const uint8_t *keep);

/* Removes the elements with dead[c] not 0, in place, and resets dead[n_elements]. Returns the number of removed elements. */
size_t mt_mesh_drop_elements(mt_mesh *mesh, uint8_t *dead);

/* Gives, as a mesh of its own, the elements of a whole one for which keep[c] is not 0, in their order. What belongs to elements is
 * new in `arena`; vertices, tagged triangles, names and tags of groups are the whole's. Some may then belong to no element. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_select(
    mt_arena *arena, const mt_mesh *whole, const uint8_t *keep, mt_mesh *part);

/* What messages, tables and files call an element: its number in the whole, where the mesh is a part of one. */
static inline size_t mt_mesh_number(const mt_mesh *mesh, size_t element)
{
    return mesh->number ? mesh->number[element] : element;
}

/* Reorients the elements of negative volume by swapping their last two vertices; returns how many there were.
 * All indices are vertices. */
size_t mt_mesh_orient(mt_mesh *mesh);

/* Stores the directions of an element, made unit vectors, the sheet (where the mesh has sheets; else not read)
 * perpendicular to the fibre. False, and nothing is stored, if one is 0 or they are parallel. */
bool mt_mesh_put_directions(mt_mesh *mesh, size_t element, const double fibre[3], const double *sheet);

/* The third direction of an element of a mesh with sheets: fibre x sheet. */
void mt_mesh_normal(const mt_mesh *mesh, size_t element, double normal[3]);

/* The invariants above; the message names the first offending vertex, element or triangle. */
MT_NODISCARD mt_status mt_mesh_check(const mt_mesh *mesh);

/* Does a triangle of these vertices have one twice? */
bool mt_mesh_triangle_repeats(const uint32_t vertex[3]);

/* The fingerprint of everything in a mesh: meshes with the same fingerprint are equal, in the same order. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_hash(const mt_mesh *mesh, char text[MT_HASH_SIZE]);

/* The invariants of the content: those that the reader of a file guarantees. `path` begins the message if it is not
 * NULL. */
MT_NODISCARD mt_status mt_mesh_check_content(const mt_mesh *mesh, const char *path);

/* Centroid [mm] and volume [mm^3] of one element. */
void mt_mesh_centroid(const mt_mesh *mesh, size_t element, double xyz_mm[3]);
double mt_mesh_volume_mm3(const mt_mesh *mesh, size_t element);

/* The cube root of the mean volume of the elements [mm]: their characteristic length. NaN for a mesh of no elements. */
double mt_mesh_length_mm(const mt_mesh *mesh);

/* The box around the vertices; all 0 where there are none. */
void mt_mesh_box(const mt_mesh *mesh, double low_mm[3], double high_mm[3]);

/* The vertices of an element, by their number in it, that are the corners of face f: counter-clockwise seen from
 * outside a positively oriented element. */
extern const uint8_t mt_mesh_face[4][3];

/* Area vector of face f of an element [mm^2]: its length is the area, and it points outward. */
void mt_mesh_face_area(const mt_mesh *mesh, size_t element, size_t face, double area_mm2[3]);
