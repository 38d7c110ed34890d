/* A tetrahedral mesh, stored in flat arrays.
 *
 * Invariants (mt_mesh_check):
 *   every coordinate is within +-mt_mesh_far_mm, and every vertex index below n_vertices;
 *   every fibre and sheet is a unit vector to 1e-6, and the fibre and sheet of an element are perpendicular to 1e-6;
 *   elements are positively oriented: ((x1 - x0) x (x2 - x0)) . (x3 - x0) = 6 V > 0, so their vertices are distinct;
 *   the three corners of a tagged triangle are distinct; the triangle need not be a face of an element;
 *   ventricular coordinates are within 0 .. 1, and the transventricular one is 0 or 1;
 *   names and groups satisfy the invariants of mesh/names.h.
 * The first two invariants and the last two concern the content (mt_mesh_check_content). They suffice to examine and repair a mesh
 * (mesh/repair/defects.h, mesh/repair/repair.h); simulations need all of them.
 *
 * Face f of an element is the face opposite its vertex f. */
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

/* Ventricular coordinates of the vertices. */
typedef enum mt_coordinate {
    MT_TRANSVENTRICULAR,
    MT_TRANSMURAL,
    MT_ROTATIONAL,
    MT_APICOBASAL,
    MT_COORDINATES
} mt_coordinate;

/* Their names in files. */
extern const char *const mt_coordinate_name[MT_COORDINATES];

typedef struct mt_mesh {
    size_t n_vertices;
    size_t n_elements;
    double *xyz_mm;           /* [n_vertices][3] */
    uint32_t *element_vertex; /* [n_elements][4] */
    int32_t *region;          /* [n_elements] region tags of the file; 1 if the file has no regions */
    double *fibre;  /* [n_elements][3] fibre direction; this and the next three are NULL if unknown */
    double *sheet;  /* [n_elements][3] transverse direction in the sheet; only with fibres */
    double *depth;  /* [n_elements] 0 at the endocardium, 1 at the epicardium, 1/2 inside a septum */
    int32_t *layer; /* [n_elements] layer of the wall: see mt_layer */
    /* [n_elements] segment of the left ventricle, 1 .. MT_SEGMENT_LAST (mesh/anatomy/segments.h), or 0 if none; NULL if unknown */
    int32_t *segment;
    uint32_t *number; /* [n_elements] ascending, if this is a part of a mesh (mt_mesh_number); else NULL */
    /* [n_vertices] numbers in a complete mesh, ascending, if this mesh lacks some of its vertices (mesh/unknowns.h); else NULL */
    uint32_t *vertex_number;
    /* [n_vertices] ventricular coordinates (mesh/anatomy/coordinates.h), by mt_coordinate; all NULL if unknown. Refined meshes and those
     * with another set of vertices (`vertex_number`) have none. */
    double *coordinate[MT_COORDINATES];
    size_t n_faces;        /* number of tagged triangles; 0 if no triangle is tagged */
    uint32_t *face_vertex; /* [n_faces][3] */
    int32_t *face_tag;     /* [n_faces] the surface of each triangle: see mt_surface */
    size_t n_names;        /* names of tags; mesh/names.h has functions for names and groups */
    mt_mesh_name *names;   /* [n_names] ascending by dimension and tag, each pair once */
    size_t n_groups;       /* groups, with elements of other regions; at most MT_GROUPS_MAX */
    int32_t *group_tag;    /* [n_groups] distinct tags, which share names with the regions */
    uint32_t *groups;      /* [n_elements] bit g: belongs to group_tag[g], too; NULL if n_groups is 0 */
    const char *notes; /* the file reader's notes for the user, one per line; NULL if there are no notes */
} mt_mesh;

/* The largest allowed coordinate: keeps volumes finite, and detects damaged data. */
extern const double mt_mesh_far_mm;

/* The surface tags that the program itself writes and recognises. */
typedef enum mt_surface {
    MT_SURFACE_BASE = 1,
    MT_SURFACE_EPI = 2,
    MT_SURFACE_LV = 3,
    MT_SURFACE_RV = 4
} mt_surface;

/* The layers of the ventricular wall. */
typedef enum mt_layer { MT_LAYER_ENDO = 1, MT_LAYER_MID = 2, MT_LAYER_EPI = 3 } mt_layer;

enum { MT_SEGMENT_LAST = 17 };

/* Creates a mesh in `arena` with zeroed vertices, elements and regions, without tagged triangles; optional arrays are NULL. MT_INPUT: too
 * many vertices or elements. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_new(mt_arena *arena, size_t n_vertices, size_t n_elements, mt_mesh *mesh);

/* Appends a line (printf rules, at most 1023 characters) to notes: *notes, NULL or lines, is replaced by a text in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_notes_add(mt_arena *arena, const char **notes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints a reader's notes on a file, one per line; NULL: no notes. */
void mt_print_notes(const char *path, const char *notes);

/* Same as mt_notes_add for the notes of a mesh. */
#define mt_mesh_note(arena, mesh, ...) mt_notes_add(arena, &(mesh)->notes, __VA_ARGS__)

/* Adds a note that of n quadratic cells only the corners are used, and that n_dropped vertices on their edges are dropped. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_note_curved(mt_arena *arena, mt_mesh *mesh, size_t n, size_t n_dropped);

/* Allocates fibres in `arena` and sets them to (1, 0, 0). MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_new_fibres(mt_arena *arena, mt_mesh *mesh);

/* Allocates n_faces zeroed tagged triangles in `arena`, in place of the earlier ones. MT_INPUT: too many. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_new_faces(mt_arena *arena, size_t n_faces, mt_mesh *mesh);

/* Computes used[n_vertices] in `arena`: 1 for vertices of elements, 0 for others. All vertex indices must be valid. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_used(mt_arena *arena, const mt_mesh *mesh, uint8_t **used);

/* Removes the vertices v with keep[v] == 0, which must belong to no element and no tagged triangle. Renumbers the others in their order.
 * MT_MEMORY; the mesh is then unchanged. */
MT_NODISCARD mt_status mt_mesh_keep_vertices(mt_arena *scratch, mt_mesh *mesh, const uint8_t *keep);

/* Removes the elements c with dead[c] != 0 in place, and zeroes dead[n_elements]. Returns the number of removed elements. */
size_t mt_mesh_remove_elements(mt_mesh *mesh, uint8_t *dead);

/* Creates a mesh of the elements c with keep[c] != 0, in their order. Arrays of elements are copied to `arena`. Vertices, tagged triangles,
 * names and group tags are borrowed from `whole`; some of them may then belong to no element. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_select(
    mt_arena *arena, const mt_mesh *whole, const uint8_t *keep, mt_mesh *part);

/* Creates in `arena` the data of the elements of a mesh, those of element origin[c] of `from` for element c: region, fibre, sheet, depth,
 * layer, segment and groups; those that `from` lacks become NULL. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_inherit(
    mt_arena *arena, const mt_mesh *from, const uint32_t *origin, mt_mesh *mesh);

/* Returns the number of an element for messages, tables and files: its number in the complete mesh if this mesh is a part. */
static inline size_t mt_mesh_number(const mt_mesh *mesh, size_t element)
{
    return mesh->number ? mesh->number[element] : element;
}

/* Reorients elements of negative volume by swapping their last two vertices; returns their number. All vertex indices must be valid. */
size_t mt_mesh_orient(mt_mesh *mesh);

/* Normalises and stores the directions of an element. The sheet is first made perpendicular to the fibre; it is not read if the mesh has no
 * sheets. Returns false and stores nothing if a vector is 0 or the two are parallel. */
bool mt_mesh_put_directions(mt_mesh *mesh, size_t element, const double fibre[3], const double *sheet);

/* Returns the sheet normal of an element, fibre x sheet; the mesh has sheets. */
void mt_mesh_normal(const mt_mesh *mesh, size_t element, double normal[3]);

/* Checks the invariants above. MT_INPUT: one is violated; the message names the first offending vertex, element or triangle. */
MT_NODISCARD mt_status mt_mesh_check(const mt_mesh *mesh);

/* True if two of the three vertices are equal. */
bool mt_mesh_triangle_repeats(const uint32_t vertex[3]);

/* Computes the fingerprint of all data of a mesh except its notes, `number`, `vertex_number` and ventricular coordinates. Equal ones mean
 * equal meshes, in the same order. MT_MEMORY. */
MT_NODISCARD mt_status mt_mesh_hash(const mt_mesh *mesh, char text[MT_HASH_SIZE]);

/* Checks the invariants of the content, which every file reader guarantees. MT_INPUT: one is violated; the message begins with `path`
 * unless that is NULL. */
MT_NODISCARD mt_status mt_mesh_check_content(const mt_mesh *mesh, const char *path);

/* Return the centroid [mm] and the volume [mm^3] of an element. */
void mt_mesh_centroid(const mt_mesh *mesh, size_t element, double xyz_mm[3]);
double mt_mesh_volume_mm3(const mt_mesh *mesh, size_t element);

/* Computes the volumes of all elements, with OpenMP: volume_mm3[n_elements]. */
void mt_mesh_volumes_mm3(const mt_mesh *mesh, double *volume_mm3);

/* Returns the element size [mm], the cube root of the mean element volume; NaN if there are no elements. */
double mt_mesh_length_mm(const mt_mesh *mesh);

/* Computes the bounding box of the vertices; 0 if there are no vertices. */
void mt_mesh_box(const mt_mesh *mesh, double low_mm[3], double high_mm[3]);

/* The local vertices (0 to 3) of face f, counter-clockwise seen from outside a positively oriented element. */
extern const uint8_t mt_mesh_face[4][3];

/* The local vertices (0 to 3) of the edges of an element. */
extern const uint8_t mt_mesh_edge[6][2];

/* Computes the outward area vector of a face of an element [mm^2]; its length is the area. */
void mt_mesh_face_area(const mt_mesh *mesh, size_t element, size_t face, double area_mm2[3]);
