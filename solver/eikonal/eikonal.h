/* Activation times by the anisotropic eikonal equation, on the vertices of a tetrahedral mesh:
 *
 *     sqrt(grad T . C grad T) = 1,      C = v_l^2 f f' + v_t^2 s s' + v_n^2 n n'      [mm^2/ms^2]
 *
 * C is constant in an element: the square of the velocity tensor, with the CV along the fibre f, across it in the sheet, and normal to it.
 * T is the time of the fastest path from any source. Discrete times are the largest solution of
 *
 *     T_v = min(source of v, min over elements of v of their arrival (solver/eikonal/local_solve.h), min over links to v of T_from + delay)
 *
 * Plane waves are exact to rounding. Other times are too late: by O(h) for an element size h, and near a point source by O(h log h).
 *
 * Links are paths without tissue, in one direction: cables of a conduction network, whose points are numbered after the vertices of the
 * mesh, and junctions.
 *
 * Method: the fixed point is approached from above in rounds (a fast iterative method: Jeong and Whitaker 2008, Fu, Kirby and Whitaker
 * 2013). A vertex whose time has decreased is pending. A round takes the pending vertices with times up to the earliest one plus a band,
 * and updates their neighbours from the times of the previous round. The update of a vertex considers only elements with such a vertex.
 * Times only decrease. Hence the result has the same bits for any number of threads. It ends when no update would decrease a time by more
 * than the tolerance.
 *
 * Memory: 80 bytes per element, for its vertices, its metric, and the lists of the elements of a vertex; 53 per vertex; and 12 per link in
 * addition to the link. The solution allocates nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "mesh/mesh.h"

/* T_to <= T_from + delay_ms. The delay is not negative. */
typedef struct mt_eikonal_link {
    uint32_t from, to;
    double delay_ms;
} mt_eikonal_link;

/* T_point <= time_ms. */
typedef struct mt_eikonal_source {
    uint32_t point;
    double time_ms;
} mt_eikonal_source;

/* Computes the squared velocity tensor C of an element [mm^2/ms^2], symmetric. Returns false if the element does not conduct. Called by
 * several threads at the same time. */
typedef bool mt_eikonal_velocity(const void *context, size_t element, double squared[3][3]);

typedef struct mt_eikonal_problem {
    const mt_mesh *mesh;
    mt_eikonal_velocity *velocity;
    const void *context;
    size_t n_extra; /* points of links, numbered from mesh->n_vertices on */
    size_t n_links;
    const mt_eikonal_link *link;
} mt_eikonal_problem;

/* An element: its vertices, and the squared lengths of its edges in the metric [ms^2], in the order of mt_mesh_edge. */
typedef struct mt_eikonal_element {
    double square[6];
    uint32_t vertex[4];
} mt_eikonal_element;

/* An element seen from one of its vertices v: the edges va, vb, vc, ab, ac, bc of the local problem, by mt_mesh_edge, and the vertices of
 * the face (a, b, c), ascending. */
typedef struct mt_eikonal_view {
    uint8_t edge[6], face[3];
} mt_eikonal_view;
extern const mt_eikonal_view mt_eikonal_views[4];

/* The prepared equations. */
typedef struct mt_eikonal {
    size_t n_points, n_elements; /* vertices and extra points; conducting elements */
    mt_eikonal_element *element; /* [n_elements] */
    /* elements of point v: corner[start[v]] to corner[start[v + 1] - 1], four times the element plus the local number of v */
    size_t *start;
    uint32_t *corner;
    const mt_eikonal_link *link;
    size_t *to_start, *from_start; /* the links to and from each point, by their numbers */
    uint32_t *to, *from;
    double band_ms;
    bool silent; /* true: a solution reports no progress; initially false */
    /* scratch of the solution, [n_points] each */
    double *next_ms;
    uint32_t *pending, *due, *candidate, *due_round, *seen_round;
    uint8_t *is_pending;
} mt_eikonal;

/* Default of the tolerance. */
#define MT_EIKONAL_TOLERANCE_MS 1e-9

/* The course of a solution. */
typedef struct mt_eikonal_report {
    size_t n_rounds;
    size_t n_updates; /* of vertices, over all rounds */
} mt_eikonal_report;

/* Prepares the equations in `arena`; borrows the links for its lifetime. MT_INPUT: the tensor of an element is not finite or not positive
 * definite, or a link is invalid; the message has its number. MT_MEMORY. */
MT_NODISCARD mt_status mt_eikonal_make(
    mt_arena *arena, const mt_eikonal_problem *problem, mt_eikonal *eikonal);

/* Must be called after a caller has changed squared lengths of elements, all still positive. */
void mt_eikonal_changed(mt_eikonal *eikonal);

/* Computes the times of all points, time_ms[n_points]; infinite: not reached. The earliest of several sources of a point counts.
 * `tolerance_ms`: positive. Reports progress. MT_INPUT: a source is invalid. MT_STOPPED: a stop was requested
 * (mt_progress_interrupted). */
MT_NODISCARD mt_status mt_eikonal_solve(mt_eikonal *eikonal, size_t n_sources,
    const mt_eikonal_source *source, double tolerance_ms, double *time_ms, mt_eikonal_report *report);
