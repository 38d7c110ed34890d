/* Mesh generation by the gmsh program, as a child process that is killed whenever this program ends. */
#pragma once

#include <stdio.h>

#include "data/files/file.h"
#include "mesh/mesh.h"

/* A parameter of a script, such as the edge `h` in mm, or an option of gmsh, such as "Mesh.RandomSeed". */
typedef struct mt_gmsh_number {
    const char *name;
    double value;
} mt_gmsh_number;

enum { MT_GMSH_NUMBERS_MAX = 8 };

/* Runs a script of data/geometry, such as "ventricles.geo", with n parameters, at most MT_GMSH_NUMBERS_MAX, and reads the volume
 * mesh. The algorithm is HXT, unless "Mesh.Algorithm3D" selects another. `surface`: a file to load first, or NULL. gmsh writes to a
 * temporary file of `out` (data/files/file.h), which is deleted afterwards; its output is discarded. The same parameters and the
 * same gmsh yield the same mesh, unless the system refuses to disable address randomisation. Fails with MT_FILE if gmsh cannot be
 * started; with MT_NUMERICS if gmsh fails (the message contains the first parameter); with MT_MEMORY; or with MT_STOPPED after a
 * signal (data/core/progress.h), when gmsh has ended and mt_progress_exit_on_interrupt handles signals again. Returns the errors
 * of `mt_gmsh_read`. */
MT_NODISCARD mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface, size_t n,
    const mt_gmsh_number *numbers, const char *out, mt_mesh *mesh);

/* Returns a path for the parameter `out` above if the mesh is not kept: in the folder TMPDIR, or in /tmp. Fails with MT_FILE if it
 * is too long. */
MT_NODISCARD mt_status mt_gmsh_scratch_name(char path[MT_FILE_PATH_MAX]);

/* Generates a slab [0, size_mm[0]] x [0, size_mm[1]] x [0, size_mm[2]] with edges of about edge_mm and fibres along x. `seed`: of
 * gmsh's random numbers. A single thread and the Delaunay algorithm make the mesh reproducible for a given version (HXT of 4.8.4 is
 * not). Returns the errors of `mt_gmsh_mesh`. */
MT_NODISCARD mt_status mt_gmsh_slab(
    mt_arena *arena, const double size_mm[3], double edge_mm, unsigned long seed, mt_mesh *mesh);

/* Generates two idealised ventricles with this number of elements, within 1 %. Frees the arena between attempts. Fails with
 * MT_NUMERICS if no attempt is that close. Returns the errors of `mt_gmsh_mesh`. */
MT_NODISCARD mt_status mt_gmsh_ventricles(
    mt_arena *arena, unsigned long elements, const char *out, mt_mesh *mesh);

/* Writes a surface (mesh/triangles.h) for gmsh: MSH 2.2, text, one surface, in mm. The stream stores its errors. */
void mt_gmsh_put_surface(FILE *stream, const mt_mesh *surface);
