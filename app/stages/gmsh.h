/* Meshes made by the gmsh program, which runs as a child and is killed when this program ends, however that happens. */
#ifndef MT_APP_STAGES_GMSH_H
#define MT_APP_STAGES_GMSH_H

#include <stdio.h>

#include "mesh/mesh.h"

/* Runs a script of data/geometry, such as "ventricles.geo", and reads the volume mesh that HXT makes. The script's number `h`, in
 * mm, is set to edge_mm. `surface` is a file to load first, with the script's number `angle`; NULL: there is neither. gmsh
 * writes to a temporary file of `out` (data/file.h), which is removed afterwards; its output is discarded. MT_FILE: gmsh cannot be
 * started. MT_MEMORY. MT_NUMERICS: gmsh fails. MT_STOPPED: a signal came (app/cli/progress.h); gmsh has ended, and signals are left
 * to mt_progress_leave_on_interrupt again. Other failures: mt_gmsh_read's. */
MT_NODISCARD mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface,
    double angle_deg, double edge_mm, const char *out, mt_mesh *mesh);

/* Gives two idealised ventricles with this number of elements, within 1 %. Frees the arena between attempts. MT_NUMERICS: no attempt
 * came that close. Other failures: mt_gmsh_mesh's. */
MT_NODISCARD mt_status mt_gmsh_ventricles(
    mt_arena *arena, unsigned long elements, const char *out, mt_mesh *mesh);

/* Writes a surface (mesh/triangles.h) for gmsh to load: MSH 2.2, text, one surface, in mm. Failures stay with the stream. */
void mt_gmsh_put_surface(FILE *stream, const mt_mesh *surface);

#endif
