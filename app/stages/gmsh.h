/* The gmsh program, run for its meshes. It goes when this program goes, however that ends. */
#ifndef MT_APP_STAGES_GMSH_H
#define MT_APP_STAGES_GMSH_H

#include <stdio.h>

#include "mesh/mesh.h"

/* Runs a script of data/geometry, such as "ventricles.geo", for its volume mesh by HXT (the script's number `h`, in mm,
 * set to edge_mm) and reads that. `surface` is a file to load before, with the script's number `angle`; NULL for none,
 * and then there is no angle. gmsh writes to a temporary file of `out` (data/file.h), gone afterwards; its talk goes
 * nowhere. MT_FILE: gmsh cannot be started. MT_MEMORY. MT_NUMERICS: gmsh fails. MT_STOPPED: a signal came (app/cli/progress.h);
 * gmsh has ended, and signals are left to mt_progress_leave_on_interrupt again. Other failures: mt_gmsh_read's. */
MT_NODISCARD mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface,
    double angle_deg, double edge_mm, const char *out, mt_mesh *mesh);

/* Gives the number of cells of a heart of the published study, "heart04" or "heart05". MT_INPUT: another name. */
MT_NODISCARD mt_status mt_gmsh_cells_like(const char *name, unsigned long *cells);

/* Gives two idealised ventricles with so many cells, met within 1 %. Frees the arena between attempts. MT_NUMERICS: not met.
 * Other failures: mt_gmsh_mesh's. */
MT_NODISCARD mt_status mt_gmsh_ventricles(
    mt_arena *arena, unsigned long cells, const char *out, mt_mesh *mesh);

/* Writes a surface (mesh/triangles.h) for gmsh to load: MSH 2.2, text, one surface, in mm. Failures stay with the stream. */
void mt_gmsh_put_surface(FILE *stream, const mt_mesh *surface);

#endif
