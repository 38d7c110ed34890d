#include "benchmarks/slab.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks/rounds.h"
#include "mesh/files/formats.h"
#include "mesh/make/slab.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/diffusion/tissue.h"

static const double size_mm[] = {20, 7, 3};

static bool is_edge(const char *mesh, double *edge_mm)
{
    char *end;
    *edge_mm = strtod(mesh, &end);
    return end != mesh && !*end;
}

void slab_mesh(slab *s, const char *mesh)
{
    double edge_mm;
    *s = (slab){0};
    if (is_edge(mesh, &edge_mm))
        bench_must(mt_slab_make(&s->arena, size_mm, edge_mm, &s->mesh));
    else
        bench_must(mt_mesh_read(&s->arena, mesh, &s->mesh));
}

void slab_options(const char *mesh, size_t size, char *options)
{
    double edge_mm;
    (void)snprintf(options, size,
        is_edge(mesh, &edge_mm)
            ? "--set mesh.slab.edge_mm=%s"
            : "--set 'mesh={file: \"%s\"}' --set 'stimuli=[{min_mm: [-1e6, -1e6, -1e6], max_mm: [1e6, 1e6, "
              "1e6], start_ms: 0, duration_ms: 2, strength_uA_mm3: 50}]'",
        mesh);
}

void slab_adjacency(slab *s, mt_arena *arena)
{
    bench_must(mt_adjacency_make(arena, &s->mesh, &s->adjacency));
}

void slab_operator(slab *s, mt_arena *arena)
{
    bench_must(mt_diffusion_make(
        arena, &s->mesh, &s->adjacency, &mt_tissue_default, &mt_diffusion_scheme_default, &s->diffusion));
}

void slab_partition(slab *s, mt_arena *arena)
{
    const mt_partition_options flat = {MT_PARTITION_FLAT, 1, (uint32_t)s->target.tiles, 1.03, NULL, 0, 0};
    bench_must(mt_partition_make(arena, &s->adjacency, &flat, &s->partition));
}

void slab_halo(slab *s, mt_arena *arena)
{
    const mt_pattern pattern = mt_diffusion_pattern(&s->diffusion);
    mt_scheme scheme;
    bench_must(mt_scheme_find("mixed-clean", 0, &scheme));
    bench_must(mt_halo_make(arena, &pattern, &s->partition, &scheme, &s->halo));
}

void slab_make(slab *s, const char *mesh)
{
    slab_mesh(s, mesh);
    slab_adjacency(s, &s->arena);
    slab_operator(s, &s->arena);
    bench_must(ipu_target_load(&s->arena, MT_DATA_DIR "/machines/gc200.yaml", NULL, 0, &s->target));
    slab_partition(s, &s->arena);
    slab_halo(s, &s->arena);
    s->problem = (mt_monodomain){.diffusion = &s->diffusion,
        .model = &mt_cell_tp06,
        .dt_ms = 0.02,
        .pde_steps = mt_monodomain_pde_steps(&s->diffusion, 0.02)};
    s->layout = (mt_layout){.target = &s->target, .halo = &s->halo};
}
