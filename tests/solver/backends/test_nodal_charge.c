/* Charge with voltages at the vertices, on a graded mesh of slivers with two tissues: diffusion and spreading move it, and neither add nor
 * remove any. The charge of a vertex is computed here, from its elements. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "solver/backends/leader.h"
#include "solver/diffusion/nodal.h"
#include "solver/kernels/block.h"
#include "tests/solver/gmsh_box.h"
#include "tests/solver/slivers.h"

enum { STEPS = 300, STIMULATED = 50, KINDS = 2, SLIVERS = 60 };

/* The second tissue has other conductivities, and 0.6 times the membrane; its cells restore V faster and spread less. */
static const mt_tissue tissues[KINDS] = {{0.1334, 0.0176, 140, 0.01, 0.0176}, {0.05, 0.03, 105, 0.008, 0.01}};
static const mt_nodal_law laws[KINDS] = {{1, 0.7, 8, 0.1}, {0.6, 0.4, 2, 0.05}};

typedef struct tissue_block {
    mt_arena arena;
    mt_mesh mesh;
    uint16_t *of;
    double *charge_mm3; /* [n] charge per mV of the vertices */
    mt_diffusion diffusion;
    mt_stimulus stimulus;
    mt_monodomain problem;
} tissue_block;

/* Makes a cube of about 4 mm: edges grow fivefold along x, and some elements are nearly flat. The fibres turn along z; the tissue changes
 * at random places. */
static void make_mesh(tissue_block *b)
{
    uint64_t seed = 9;
    mt_mesh even;
    gmsh_box(&b->arena, 0.15, &even);
    for (size_t i = 0; i < even.n_vertices; i++) {
        double *x = even.xyz_mm + 3 * i;
        x[0] = 4 * x[0] * (1 + 2 * x[0]) / 3;
        for (int k = 1; k < 3; k++) x[k] *= 4;
    }
    plant_slivers(&b->arena, &even, SLIVERS, 0.01, seed, &b->mesh);
    b->of = mt_arena_alloc(&b->arena, b->mesh.n_elements, sizeof *b->of);
    b->mesh.sheet = mt_arena_alloc(&b->arena, 3 * b->mesh.n_elements, sizeof *b->mesh.sheet);
    for (size_t e = 0; e < b->mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&b->mesh, e, x);
        const double fibre[] = {cos(x[2]), sin(x[2]), 0}, sheet[] = {-sin(x[2]), cos(x[2]), 0};
        memcpy(b->mesh.fibre + 3 * e, fibre, sizeof fibre);
        memcpy(b->mesh.sheet + 3 * e, sheet, sizeof sheet);
        b->of[e] = (uint16_t)draw(&seed, KINDS);
    }
}

static void make_charges(tissue_block *b)
{
    b->charge_mm3 = mt_arena_alloc(&b->arena, b->mesh.n_vertices, sizeof *b->charge_mm3);
    for (size_t k = 0; k < 4 * b->mesh.n_elements; k++) {
        const mt_tissue *t = &tissues[b->of[k / 4]];
        b->charge_mm3[b->mesh.element_vertex[k]] += t->chi_per_mm * t->cm_uF_mm2 /
                                                    (tissues[0].chi_per_mm * tissues[0].cm_uF_mm2) *
                                                    mt_mesh_volume_mm3(&b->mesh, k / 4) / 4;
    }
}

static void make_block(tissue_block *b)
{
    *b = (tissue_block){0};
    make_mesh(b);
    make_charges(b);
    const mt_tissues all = {KINDS, tissues, b->of};
    const mt_nodal_spreading spreading = {KINDS, laws, b->of};
    cr_assert_eq(
        mt_nodal_diffusion_make(&b->arena, &b->mesh, &all, &spreading, &(mt_watch){0}, &b->diffusion), MT_OK,
        "%s", mt_message());
    uint32_t *near = mt_arena_alloc(&b->arena, b->mesh.n_vertices, sizeof *near);
    for (size_t i = 0; i < b->mesh.n_vertices; i++)
        if (b->mesh.xyz_mm[3 * i] < 1) near[b->stimulus.n_elements++] = (uint32_t)i;
    b->stimulus.duration_ms = STIMULATED * 0.02;
    b->stimulus.rise_mV_ms = 50 / 1.4;
    b->stimulus.element = near;
    b->problem = (mt_monodomain){.diffusion = &b->diffusion,
        .model = mt_cell_models[0],
        .dt_ms = 0.02,
        .pde_steps = mt_monodomain_pde_steps(&b->diffusion, 0.02),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = &b->stimulus,
        .mesh = &b->mesh};
}

/* Cells that take the steps of the block from its voltages, so that the charge that they add is known. */
typedef struct cells {
    double *v, *state, *constants;
} cells;

static cells make_cells(tissue_block *b)
{
    const mt_cell_model *model = b->problem.model;
    const size_t n = b->mesh.n_vertices;
    cells c = {.v = mt_arena_alloc(&b->arena, n, sizeof *c.v),
        .state = mt_arena_alloc(&b->arena, n * model->n_states, sizeof *c.state),
        .constants = mt_arena_alloc(&b->arena, model->n_constants, sizeof *c.constants)};
    mt_cell_constants_double(model, model->variants, 1, c.constants);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < model->n_states; k++)
            c.state[mt_block_index(n, model->n_states, i, k)] = model->variants[0].states[k];
    return c;
}

/* Returns the sum of V_i v_i, and that of their absolute values. */
static double charge(const tissue_block *b, const double *v, double *size)
{
    double sum = 0;
    *size = 0;
    for (size_t i = 0; i < b->mesh.n_vertices; i++) {
        sum += b->charge_mm3[i] * v[i];
        *size += fabs(b->charge_mm3[i] * v[i]);
    }
    return sum;
}

/* Returns the charge after the reaction alone, from V before the step. */
static double react(const tissue_block *b, cells *c, size_t step)
{
    const mt_monodomain *p = &b->problem;
    double size;
    for (size_t k = 0; step < STIMULATED && k < b->stimulus.n_elements; k++)
        c->v[b->stimulus.element[k]] += p->dt_ms * b->stimulus.rise_mV_ms;
    mt_cell_react_double(p->model, c->constants, 1, NULL, p->dt_ms, b->mesh.n_vertices, c->state, c->v, c->v);
    return charge(b, c->v, &size);
}

static double range_of(const tissue_block *b, const double *v)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < b->mesh.n_vertices; i++) least = fmin(least, v[i]), most = fmax(most, v[i]);
    return most - least;
}

/* A step has some 20 roundings per row and substep, with either sign. */
Test(nodal_charge, neither_diffusion_nor_spreading_changes_the_charge_of_mixed_tissues_on_slivers)
{
    tissue_block b;
    void *self;
    double widest_mV = 0, worst = 0;
    omp_set_num_threads(1);
    make_block(&b);
    cells c = make_cells(&b);
    const double negative =
        (double)b.diffusion.nodal->n_negative / (double)b.diffusion.nodal->start[b.mesh.n_vertices];
    cr_assert(negative > 0.1 && b.problem.pde_steps > 1, "no slivers: %zu substeps", b.problem.pde_steps);
    cr_assert_eq(mt_backend_cpu.open(&b.arena, &b.problem, NULL, &self), MT_OK, "%s", mt_message());
    mt_backend_cpu.read(self, MT_ARRAY_V, c.v);
    for (size_t step = 0; step < STEPS; step++) {
        double size;
        const double expected = react(&b, &c, step);
        cr_assert_eq(mt_backend_cpu.advance(self, step, 1), MT_OK, "%s", mt_message());
        mt_backend_cpu.read(self, MT_ARRAY_V, c.v);
        const double found = charge(&b, c.v, &size);
        worst = fmax(worst, fabs(found - expected) / size);
        widest_mV = fmax(widest_mV, range_of(&b, c.v));
    }
    cr_log_info("%zu vertices, %.1f %% negative, %zu substeps: %.2g of the charge in a step",
        b.mesh.n_vertices, 100 * negative, b.problem.pde_steps, worst);
    cr_expect(worst > 0 && worst < 1e-14 * (double)b.problem.pde_steps, "%g of the charge", worst);
    cr_expect(widest_mV > 100, "no front: %g mV", widest_mV);
    mt_arena_free(&b.arena);
}
