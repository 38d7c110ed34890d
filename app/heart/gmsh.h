/* Meshes made by the gmsh program, which runs as a child and is killed when this program ends, however that happens. */
#pragma once

#include <stdio.h>

#include "data/files/file.h"
#include "mesh/mesh.h"

/* A number of a script, such as its edge `h` in mm, or an option of gmsh, such as "Mesh.RandomSeed". */
typedef struct mt_gmsh_number {
    const char *name;
    double value;
} mt_gmsh_number;

enum { MT_GMSH_NUMBERS_MAX = 8 };

/* Runs a script of data/geometry, such as "ventricles.geo", with these numbers [n], at most MT_GMSH_NUMBERS_MAX, and reads the volume
 * mesh that HXT makes, or the algorithm of the number "Mesh.Algorithm3D". `surface` is a file to load first; NULL: none. gmsh writes to
 * a temporary file of `out` (data/files/file.h), which is removed afterwards; its output is discarded. The same numbers give the same mesh with
 * the same gmsh, except where the system refuses a program without address randomisation. MT_FILE: gmsh cannot be started.
 * MT_MEMORY. MT_NUMERICS: gmsh fails; the message has the first number. MT_STOPPED: a signal came (data/core/progress.h); gmsh has
 * ended, and signals are left to mt_progress_leave_on_interrupt again. Other failures: mt_gmsh_read's. */
MT_NODISCARD mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface, size_t n,
    const mt_gmsh_number *numbers, const char *out, mt_mesh *mesh);

/* Gives a name for `out` above where the mesh is not kept: in the folder TMPDIR, or in /tmp. MT_FILE: it is too long. */
MT_NODISCARD mt_status mt_gmsh_scratch_name(char path[MT_FILE_PATH_MAX]);

/* Gives a slab [0, size_mm[0]] x [0, size_mm[1]] x [0, size_mm[2]] of elements with edges of about edge_mm, fibres along x. gmsh's
 * random numbers begin with `seed`; it runs on one thread and by Delaunay's algorithm, so that the same version gives the same mesh (by
 * HXT, 4.8.4 does not). Failures: mt_gmsh_mesh's. */
MT_NODISCARD mt_status mt_gmsh_slab(
    mt_arena *arena, const double size_mm[3], double edge_mm, unsigned long seed, mt_mesh *mesh);

/* Gives two idealised ventricles with this number of elements, within 1 %. Frees the arena between attempts. MT_NUMERICS: no attempt
 * came that close. Other failures: mt_gmsh_mesh's. */
MT_NODISCARD mt_status mt_gmsh_ventricles(
    mt_arena *arena, unsigned long elements, const char *out, mt_mesh *mesh);

/* Writes a surface (mesh/triangles.h) for gmsh to load: MSH 2.2, text, one surface, in mm. Failures stay with the stream. */
void mt_gmsh_put_surface(FILE *stream, const mt_mesh *surface);
