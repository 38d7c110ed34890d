/* A slab ready to be simulated, for the tests of the backends. */
#pragma once

#include <criterion/criterion.h>

#include "mesh/make/slab.h"
#include "solver/case/case.h"
#include "solver/cells/model.h"
#include "solver/backends/backend.h"
#include "solver/diffusion/nodal_rows.h"

/* A partition that several layouts share: METIS takes longer than the steps of a small slab. */
typedef struct slab_partition {
    const struct slab_partition *next;
    const uint32_t *near; /* of the graph */
    mt_partition_method method;
    uint32_t chips, tiles;
    mt_partition partition;
} slab_partition;

typedef struct slab_problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    const mt_diffusion_scheme *scheme; /* NULL: the default scheme */
    mt_diffusion diffusion;
    mt_stimulus stimulus[2];
    mt_monodomain problem;
    mt_results results; /* of run_backend */
    ipu_target target;  /* the gc200, with enough memory for an entire mesh on one tile */
    const slab_partition *partitions;
} slab_problem;

/* Builds the tissue of the benchmark on s->mesh, in the arena of s; the elements with x, y, z below near_mm are stimulated for 2 ms from
 * the start. */
static inline void make_problem(slab_problem *s, const double near_mm[3])
{
    cr_assert_eq(mt_adjacency_make(&s->arena, &s->mesh, &s->adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_diffusion_make(&s->arena, &s->mesh, &s->adjacency, &mt_tissue_default,
                     s->scheme ? s->scheme : &mt_diffusion_scheme_default, &s->diffusion),
        MT_OK, "%s", mt_message());
    uint32_t *elements = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof *elements);
    size_t n = 0;
    for (size_t c = 0; c < s->mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&s->mesh, c, x);
        if (x[0] < near_mm[0] && x[1] < near_mm[1] && x[2] < near_mm[2]) elements[n++] = (uint32_t)c;
    }
    s->stimulus[0] = (mt_stimulus){0, 2, 50 / 1.4, n, elements, 0, 0, NULL, 0, 0, 0, 0};
    s->problem = (mt_monodomain){.diffusion = &s->diffusion,
        .model = mt_cell_models[0],
        .dt_ms = 0.02,
        .pde_steps = mt_monodomain_pde_steps(&s->diffusion, 0.02),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = s->stimulus};
    cr_assert_eq(ipu_target_load(&s->arena, "data/machines/gc200.yaml", NULL, 0, &s->target), MT_OK, "%s",
        mt_message());
    s->target.bytes_per_tile = (size_t)1 << 30;
}

static inline void make_slab_problem(slab_problem *s, const double size_mm[3], double edge_mm)
{
    *s = (slab_problem){0};
    cr_assert_eq(mt_slab_make(&s->arena, size_mm, edge_mm, &s->mesh), MT_OK, "%s", mt_message());
    make_problem(s, (double[]){1.5, 1.5, 1.5});
}

/* Sets the model of a test that runs on every backend: devices compile a model with many states for seconds. */
static inline void use_model_for(slab_problem *s, const mt_backend *b)
{
    const char *name = b == &mt_backend_opencl ? "mitchell-schaeffer" : "tp06";
    cr_assert_eq(mt_cell_model_find(name, &s->problem.model), MT_OK, "%s", mt_message());
}

/* Returns the graph of the unknowns. */
static inline mt_cut_graph graph_of_unknowns(const slab_problem *s)
{
    const mt_nodal *nodal = s->diffusion.nodal;
    if (!nodal) return mt_cut_graph_of(&s->adjacency);
    return (mt_cut_graph){.n_nodes = s->diffusion.n_unknowns, .start = nodal->start, .near = nodal->column};
}

static inline const mt_partition *partition_by(
    slab_problem *s, mt_partition_method method, uint32_t chips, uint32_t tiles)
{
    const mt_partition_options options = {method, chips, tiles, 1.03, ipu_topology_ladder_distance, 0, 0};
    mt_cut_graph graph = graph_of_unknowns(s);
    const uint32_t *near = graph.near ? graph.near : s->adjacency.neighbour;
    for (const slab_partition *p = s->partitions; p; p = p->next)
        if (p->near == near && p->method == method && p->chips == chips && p->tiles == tiles)
            return &p->partition;
    slab_partition *made = mt_arena_alloc(&s->arena, 1, sizeof *made);
    *made = (slab_partition){s->partitions, near, method, chips, tiles, {0}};
    double *xyz_mm = mt_arena_alloc(&s->arena, 3 * graph.n_nodes, sizeof *xyz_mm);
    const mt_unknowns unknowns = {&s->mesh, s->diffusion.nodal != NULL};
    for (size_t i = 0; i < graph.n_nodes; i++) mt_unknowns_place(&unknowns, i, xyz_mm + 3 * i);
    graph.xyz_mm = xyz_mm;
    cr_assert_eq(
        mt_partition_make_of(&s->arena, &graph, &options, &made->partition), MT_OK, "%s", mt_message());
    s->partitions = made;
    return &made->partition;
}

/* Returns a layout on `chips` chips of `tiles` tiles; partition and halo are in the arena of the problem. */
static inline mt_layout layout_by(
    slab_problem *s, mt_partition_method method, uint32_t chips, uint32_t tiles, const mt_scheme *scheme)
{
    mt_halo *halo = mt_arena_alloc(&s->arena, 1, sizeof *halo);
    ipu_target *target = mt_arena_alloc(&s->arena, 1, sizeof *target);
    cr_assert_eq(ipu_target_several(&s->target, chips, target), MT_OK, "%s", mt_message());
    const mt_partition *partition = partition_by(s, method, chips, tiles);
    const mt_pattern pattern = mt_diffusion_pattern(&s->diffusion);
    cr_assert_eq(mt_halo_make(&s->arena, &pattern, partition, scheme, halo), MT_OK, "%s", mt_message());
    return (mt_layout){.target = target, .halo = halo};
}

/* Returns the default layout on one chip. */
static inline mt_layout layout_on(slab_problem *s, uint32_t tiles)
{
    mt_scheme usual;
    cr_assert_eq(mt_scheme_find("mixed-clean", 0, &usual), MT_OK);
    return layout_by(s, MT_PARTITION_FLAT, 1, tiles, &usual);
}

/* Runs n steps on the named backend and reads V, and the activation times unless NULL. */
static inline void run_backend(slab_problem *s, const char *name, const mt_layout *layout, size_t n_steps,
    double *v_mV, double *activation_ms)
{
    const mt_backend *backend = mt_backend_find(name);
    mt_arena arena = {0};
    void *self = NULL;
    cr_assert_eq(backend->open(&arena, &s->problem, layout, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&s->problem, backend, self, 0, n_steps, &s->results, NULL, NULL), MT_OK, "%s",
        mt_message());
    backend->read(self, MT_ARRAY_V, v_mV);
    if (activation_ms) backend->read(self, MT_ARRAY_ACTIVATION, activation_ms);
    mt_arena_free(&arena);
}
