/* The body in a closed surface, meshed by the gmsh program.
 *
 * gmsh is tried with several ways of cutting the surface for meshing it anew and, with each, with several sizes, until a mesh has the
 * wanted number of elements within 5 %, the surface's volume within 5 % and no worse radius ratio than 0.2; else the best of them is
 * taken. Where none will do, the body is meshed within the triangles as they are, with whatever number of elements comes of it. */
#pragma once

#include "data/files/file.h"
#include "mesh/mend/closed.h"
#include "mesh/mesh.h"

enum { MT_FILLING_TRIES = 10 };

typedef struct mt_filling_attempt {
    double angle_deg, edge_mm; /* what gmsh was asked for; angle 0: with the triangles as they are */
    size_t n_elements;         /* 0: it made no mesh of the body */
    double quality;            /* worst radius ratio */
    double seconds;
} mt_filling_attempt;

typedef struct mt_filling {
    mt_mesh surface; /* closed */
    size_t n_given;  /* triangles, before its repair */
    mt_closed closed;
    double elements;   /* wanted */
    const char *out;   /* where the mesh will stand */
    mt_file triangles; /* the surface, for gmsh */
    size_t n_attempts;
    mt_filling_attempt attempts[MT_FILLING_TRIES];
    const mt_filling_attempt *chosen;
} mt_filling;

/* Begins with a surface (mt_closed_join), which is repaired and kept. `name` begins messages. Fails as mt_closed_make. */
MT_NODISCARD mt_status mt_filling_begin(const char *name, const mt_mesh *surface, mt_filling *filling);

/* Gives the mesh in `arena`, which holds nothing else, without tagged triangles. `out` is where it will stand: gmsh's files lie there
 * meanwhile. Shows stages of progress. Failures: mt_gmsh_mesh's of the last attempt; those that no other attempt can help at once. */
MT_NODISCARD mt_status mt_filling_make(
    mt_arena *arena, mt_filling *filling, double elements, const char *out, mt_mesh *mesh);

/* Each triangle of a mesh gets the tag of the nearest of a surface that faces the same way. MT_MEMORY. */
MT_NODISCARD mt_status mt_filling_carry_tags(const mt_mesh *surface, mt_mesh *mesh);
