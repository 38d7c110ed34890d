/* The surface that measured points are projected onto, and that sites of earliest activation move on. */
#pragma once

#include "app/run/problem.h"
#include "mesh/anatomy/nearest.h"

/* Triangles of the boundary of the conducting tissue; vertices have the numbers of the problem's mesh. */
typedef struct mt_fit_surface {
    mt_mesh mesh;
    mt_nearest nearest;
} mt_fit_surface;

/* A point of the surface. */
typedef struct mt_fit_place {
    uint32_t triangle;
    double weight[3]; /* barycentric */
    double xyz_mm[3], distance_mm;
} mt_fit_place;

/* Builds the surface in `arena`: "all", the complete boundary; "endocardium", both endocardia; or a surface of the mesh by name or tag
 * (mt_surface_parse). MT_INPUT: another name, or no such triangle belongs to conducting tissue. MT_MEMORY. */
MT_NODISCARD mt_status mt_fit_surface_make(
    mt_arena *arena, const mt_problem *problem, const char *name, mt_fit_surface *surface);

/* Finds the nearest point of the surface. */
void mt_fit_surface_project(const mt_fit_surface *surface, const double xyz_mm[3], mt_fit_place *place);

/* Computes two unit vectors in the plane of a triangle, and so along the surface. */
void mt_fit_surface_tangents(const mt_fit_surface *surface, uint32_t triangle, double tangent[2][3]);
