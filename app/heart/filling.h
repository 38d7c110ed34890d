/* Generation of a tetrahedral mesh inside a closed surface with the gmsh program.
 *
 * Several feature angles for remeshing the surface are tried, each with several sizes, until a mesh has the requested number of
 * elements within 5 %, the volume of the surface within 5 %, and no radius ratio below 0.2. Otherwise the best mesh is used. If
 * there is none, the original triangles are kept and the number of elements is not controlled. */
#pragma once

#include "data/files/file.h"
#include "mesh/repair/closed.h"
#include "mesh/mesh.h"

enum { MT_FILLING_TRIES = 10 };

typedef struct mt_filling_attempt {
    double angle_deg, edge_mm; /* parameters of gmsh; angle 0: the original triangles */
    size_t n_elements;         /* 0: no mesh of the body */
    double quality;            /* minimum radius ratio */
    double seconds;
} mt_filling_attempt;

typedef struct mt_filling {
    mt_mesh surface; /* closed */
    size_t n_given;  /* number of triangles before its repair */
    mt_closed closed;
    double elements;   /* requested number */
    const char *out;   /* path of the mesh file to be written */
    mt_file triangles; /* the surface as a file for gmsh */
    size_t n_attempts;
    mt_filling_attempt attempts[MT_FILLING_TRIES];
    const mt_filling_attempt *chosen;
} mt_filling;

/* Begins with a surface (mt_closed_join), which is repaired and kept. `name`: prefix of messages. Returns the errors of
 * `mt_closed_make`. */
MT_NODISCARD mt_status mt_filling_begin(const char *name, const mt_mesh *surface, mt_filling *filling);

/* Generates the mesh, without tagged triangles, in `arena`, which must be empty. `out`: path of the mesh file; the temporary files
 * of gmsh are next to it. Shows progress stages. Returns the errors of the last `mt_gmsh_mesh`, or at once an error that no other
 * attempt can avoid. */
MT_NODISCARD mt_status mt_filling_make(
    mt_arena *arena, mt_filling *filling, double elements, const char *out, mt_mesh *mesh);

/* Copies to each triangle of a mesh the tag of the nearest triangle of the surface with the same orientation. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_filling_carry_tags(const mt_mesh *surface, mt_mesh *mesh);
