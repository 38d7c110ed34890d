/* The slab of Niederer et al., or another mesh, with all that stands before a time step: what several benchmarks run on. */
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

/* Gives the mesh alone: of a file with fibres, or, where `mesh` is a number, the slab of 20 x 7 x 3 mm with boxes of that edge [mm]. */
void slab_mesh(slab *s, const char *mesh);

/* And all the rest. */
void slab_make(slab *s, const char *mesh);

/* For the shell: options by which `myotile run` takes this mesh in place of a slab's; a file with a stimulus everywhere. */
void slab_options(const char *mesh, size_t size, char *options);

/* The steps between mesh and time step, one by one, each from those before; what they make lies in `arena`. */
void slab_adjacency(slab *s, mt_arena *arena);
void slab_operator(slab *s, mt_arena *arena);
void slab_partition(slab *s, mt_arena *arena);
void slab_halo(slab *s, mt_arena *arena);
