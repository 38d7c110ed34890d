/* Meshes made by the gmsh program, which runs as a child and is killed when this program ends, however that happens. */
#ifndef MT_APP_STAGES_GMSH_H
#define MT_APP_STAGES_GMSH_H

#include <stdio.h>

#include "data/file.h"
#include "mesh/mesh.h"

/* A number of a script, such as its `h`. */
typedef struct mt_gmsh_number {
    const char *name;
    double value;
} mt_gmsh_number;

enum { MT_GMSH_NUMBERS_MAX = 8 };

/* Runs a script of data/geometry, such as "ventricles.geo", and reads the volume mesh that HXT makes. Its numbers are set to these
 * n, of which the first is the edge asked for, `h`, in mm. `surface` is a file to load before the script; NULL: none. gmsh
 * writes to a temporary file of `out` (data/file.h), which is removed afterwards; its output is discarded. MT_FILE: gmsh cannot be
 * started. MT_MEMORY. MT_NUMERICS: gmsh fails. MT_STOPPED: a signal came (app/cli/progress.h); gmsh has ended, and signals are left
 * to mt_progress_leave_on_interrupt again. Other failures: mt_gmsh_read's. */
MT_NODISCARD mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface, size_t n,
    const mt_gmsh_number *numbers, const char *out, mt_mesh *mesh);

/* Gives a name for `out` in $TMPDIR or /tmp, for meshes of which no file is kept. MT_FILE: it is too long. */
MT_NODISCARD mt_status mt_gmsh_no_file(char out[MT_FILE_PATH_MAX]);

/* Gives an unstructured mesh of [0, size_mm[0]] x [0, size_mm[1]] x [0, size_mm[2]], with fibres along x. No file is kept. Fails
 * as mt_gmsh_mesh. */
MT_NODISCARD mt_status mt_gmsh_slab(mt_arena *arena, const double size_mm[3], double edge_mm, mt_mesh *mesh);

/* Gives two idealised ventricles with this number of elements, within 1 %. Frees the arena between attempts. MT_NUMERICS: no attempt
 * came that close. Other failures: mt_gmsh_mesh's. */
MT_NODISCARD mt_status mt_gmsh_ventricles(
    mt_arena *arena, unsigned long elements, const char *out, mt_mesh *mesh);

/* Writes a surface (mesh/triangles.h) for gmsh to load: MSH 2.2, text, one surface, in mm. Failures stay with the stream. */
void mt_gmsh_put_surface(FILE *stream, const mt_mesh *surface);

#endif
