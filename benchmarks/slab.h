/* The slab of Niederer et al., or another mesh, with everything needed for a time step; shared by several benchmarks. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/cut/halo.h"
#include "mesh/mesh.h"
#include "solver/backends/backend.h"

typedef struct slab {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    ipu_target target; /* a GC200 */
    mt_partition partition;
    mt_halo halo;
    mt_monodomain problem;
    mt_layout layout;
} slab;

/* Reads or generates only the mesh: from a file with fibres, or, if `mesh` is a number, the slab of 20 x 7 x 3 mm with boxes of
 * that edge [mm]. */
void slab_mesh(slab *s, const char *mesh);

/* Also builds everything else. */
void slab_make(slab *s, const char *mesh);

/* Writes shell options with which `myotile run` uses this mesh instead of a slab; a mesh file is stimulated everywhere. */
void slab_options(const char *mesh, size_t size, char *options);

/* The steps from mesh to time step, each using the results of the previous ones; their results are in `arena`. */
void slab_adjacency(slab *s, mt_arena *arena);
void slab_operator(slab *s, mt_arena *arena);
void slab_partition(slab *s, mt_arena *arena);
void slab_halo(slab *s, mt_arena *arena);
