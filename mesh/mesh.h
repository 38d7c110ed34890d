/* A tetrahedral mesh: flat arrays, as everything large here is.
 *
 * Invariants (mt_mesh_check):
 *   every vertex index < n_vertices; the four of a cell differ;
 *   cells are positively oriented: ((x1 - x0) x (x2 - x0)) . (x3 - x0) = 6 V > 0;
 *   every fibre is a unit vector to 1e-6;
 *   the three corners of a tagged triangle are vertices, and differ; it need not be a face of a cell.
 *
 * Face f of a cell is the one opposite its vertex f. */
#ifndef MT_MESH_MESH_H
#define MT_MESH_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "data/arena.h"
#include "data/status.h"

typedef struct mt_mesh {
    size_t n_vertices;
    size_t n_cells;
    double *xyz_mm;        /* [n_vertices][3] */
    uint32_t *cell_vertex; /* [n_cells][4] */
    double *fibre;         /* [n_cells][3], unit vectors */
    int32_t *region;       /* [n_cells], tags chosen by whoever made the mesh; 1 where nothing else is said */
    size_t n_faces;        /* tagged triangles of the surface; 0 where nothing is tagged */
    uint32_t *face_vertex; /* [n_faces][3] */
    int32_t *face_tag;     /* [n_faces] what a triangle is part of: see mt_surface */
} mt_mesh;

/* The tags that the project's own tools give and look for. */
typedef enum mt_surface {
    MT_SURFACE_BASE = 1,
    MT_SURFACE_EPI = 2,
    MT_SURFACE_LV = 3,
    MT_SURFACE_RV = 4
} mt_surface;

/* Gives a mesh with its arrays allocated in `arena` and zeroed, and no tagged triangles. */
MT_NODISCARD mt_status mt_mesh_new(mt_arena *arena, size_t n_vertices, size_t n_cells, mt_mesh *mesh);

/* Gives the mesh room in `arena` for n tagged triangles, zeroed; those it had are forgotten. */
MT_NODISCARD mt_status mt_mesh_new_faces(mt_arena *arena, size_t n_faces, mt_mesh *mesh);

/* Turns the cells of negative volume round, by swapping their last two vertices; returns how many there were.
 * All indices are vertices. */
size_t mt_mesh_orient(mt_mesh *mesh);

/* The invariants above; the message names the first offending cell or triangle. */
MT_NODISCARD mt_status mt_mesh_check(const mt_mesh *mesh);

/* Centroid [mm] and volume [mm^3] of one cell. */
void mt_mesh_centroid(const mt_mesh *mesh, size_t cell, double xyz_mm[3]);
double mt_mesh_volume_mm3(const mt_mesh *mesh, size_t cell);

/* The vertices of a cell, by their number in it, that are the corners of face f: counter-clockwise seen from
 * outside a positively oriented cell. */
extern const uint8_t mt_mesh_face[4][3];

/* Area vector of face f of a cell [mm^2]: its length is the area, and it points outward. */
void mt_mesh_face_area(const mt_mesh *mesh, size_t cell, size_t face, double area_mm2[3]);

#endif
