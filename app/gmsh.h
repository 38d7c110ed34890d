/* The gmsh program, run for its meshes. */
#ifndef MT_APP_GMSH_H
#define MT_APP_GMSH_H

#include "mesh/mesh.h"

/* Runs a script of data/geometry, such as "ventricles.geo", for its volume mesh by HXT (the script's number `h`, in mm,
 * set to edge_mm) and reads that. `surface` is a file to load before, with the script's number `angle`; NULL for none,
 * and then there is no angle. gmsh writes to the path `temporary`, which is gone afterwards; its talk goes nowhere.
 * MT_FILE: gmsh cannot be started; no memory. MT_NUMERICS: gmsh fails. MT_STOPPED: interrupted (app/progress.h), gmsh too.
 * Other failures: mt_gmsh_read's. */
MT_NODISCARD mt_status mt_gmsh_mesh(mt_arena *arena, const char *script, const char *surface,
    double angle_deg, double edge_mm, const char *temporary, mt_mesh *mesh);

/* Gives the number of cells of a heart of the published study, "heart04" or "heart05". MT_INPUT: another name. */
MT_NODISCARD mt_status mt_gmsh_cells_like(const char *name, unsigned long *cells);

/* Gives two idealised ventricles with so many cells, met within 1 %. Frees the arena between attempts. MT_NUMERICS: not met.
 * Other failures: mt_gmsh_mesh's. */
MT_NODISCARD mt_status mt_gmsh_ventricles(
    mt_arena *arena, unsigned long cells, const char *temporary, mt_mesh *mesh);

/* Writes a surface (mesh/triangles.h) for gmsh to load (MSH 2.2, text; one surface, in mm). MT_FILE: cannot be
 * written; there is no file then. */
MT_NODISCARD mt_status mt_gmsh_put_surface(const char *path, const mt_mesh *surface);

#endif
