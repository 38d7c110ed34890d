/* Positions in the ventricles by their coordinates: the inverse of mesh/anatomy/coordinates.h.
 *
 * The coordinates are interpolated linearly in the elements, the rotational one across its jump. Of the points with the transventricular
 * coordinate of a position, the one with the other three is taken: if there are several, in the element with the least stretch, the lowest
 * number of equals. The stretch is the length of its longest edge along the wall by coordinates, relative to that of its edges. In an element
 * with vertices of both ventricles, the transmural coordinate t continues to 2 - t in the other ventricle, so that the septal surface is
 * at 1 between the vertices. In an element at the apex, where all rotational values meet (a vertex has apicobasal 0, or the rotational
 * coordinates span more than an eighth of a turn), the two numbers apicobasal (cos, sin)(2 pi rotational) are interpolated instead.
 *
 * Between valves that are tagged separately, neighbours can have very different rotational coordinates. Elements with a stretch above 6 have
 * no point.
 *
 * If no point of the mesh has the coordinates, such as between the elements of these two kinds, the nearest point is taken: differences of
 * coordinates become lengths by their mean gradients in the ventricle, and the rotational one near the apex by the circumference there. A
 * point farther than a mean edge does not correspond to the position.
 *
 * Accuracy: that of the coordinates, and the deviation of the exact ones from linear ones in an element, of second order in the edge. The
 * point is always within the element in which its coordinates are, so that the error is at most an edge. */
#pragma once

#include "data/yaml/yaml_schema.h"
#include "mesh/adjacency.h"
#include "mesh/mesh.h"

/* A position. Each coordinate is within 0 .. 1; NaN, and -1 for the ventricle: not stated. */
typedef struct mt_position {
    double apicobasal, rotational, transmural;
    int ventricle; /* 0 left, 1 right: the transventricular coordinate */
} mt_position;

/* A position without coordinates, as an initial value. */
extern const mt_position mt_position_empty;

/* True if any coordinate is stated. */
bool mt_position_stated(const mt_position *position);

/* Names of coordinates. The rotational ones are the middles of the segments of mesh/anatomy/segments.h: inferior 1/12, inferolateral 1/4,
 * lateral 1/3, anterolateral 5/12, anterior 7/12, anteroseptal 3/4, septal 5/6, inferoseptal 11/12, and the junctions of the free walls and
 * the septum: inferior_junction 0 and anterior_junction 2/3. apicobasal: apex 0, mid 1/2, base 1; transmural: endo 0, mid 1/2, epi 1. */
extern const mt_named_number mt_position_apicobasal[], mt_position_rotational[], mt_position_transmural[];

/* Writes a position for messages: "{apicobasal: 0.5, rotational: 0.25, transmural: 0, ventricle: left}". */
enum { MT_POSITION_TEXT = 128 };
const char *mt_position_text(const mt_position *position, char text[MT_POSITION_TEXT]);

/* The elements of one ventricle in the cells of a grid of coordinates, apicobasal x rotational x transmural. */
typedef struct mt_position_grid {
    size_t n[3];                        /* cells along each coordinate; 0: the mesh has no such ventricle */
    double long_mm, around_mm, wall_mm; /* lengths of the mean unit of each coordinate */
    size_t *start;                      /* [n[0] n[1] n[2] + 2] */
    uint32_t *element;                  /* of cell c: element[start[c] .. start[c + 1]) */
} mt_position_grid;

typedef struct mt_positions {
    const mt_mesh *mesh; /* borrowed; has coordinates */
    double edge_mm;      /* mean edge of its elements */
    mt_position_grid grid[2];
} mt_positions;

/* The point of a mesh at a position. */
typedef struct mt_located {
    uint32_t element;   /* MT_NO_ELEMENT: the mesh has no such ventricle */
    double weight[4];   /* barycentric coordinates in it */
    double distance_mm; /* between its coordinates and those of the position; 0 if they agree */
} mt_located;

/* Prepares the search of positions in a mesh (borrowed) with coordinates, in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_positions_make(mt_arena *arena, const mt_mesh *mesh, mt_positions *positions);

/* Return the position of a vertex, and of the centroid of an element, of a mesh with coordinates. */
mt_position mt_position_of_vertex(const mt_mesh *mesh, size_t vertex);
mt_position mt_position_of_element(const mt_mesh *mesh, size_t element);

/* Finds a position with all coordinates. */
mt_located mt_positions_find(const mt_positions *positions, const mt_position *position);

/* True if the point corresponds to the position: it is within a mean edge. */
bool mt_positions_has(const mt_positions *positions, const mt_located *located);

/* Computes the point in mm. */
void mt_positions_point(const mt_positions *positions, const mt_located *located, double xyz_mm[3]);
