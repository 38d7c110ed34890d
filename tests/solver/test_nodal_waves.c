/* Action potential durations with voltages at the vertices, compared with a single cell and with a converged cable. Neither shares the
 * mesh or the operator; durations are found here, from all voltages. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/backends/leader.h"
#include "solver/cable.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/diffusion/nodal.h"
#include "tests/random.h"

static const double dt_ms = 0.02, rise_mV_ms = 50 / 1.4, stimulus_ms = 2, end_ms = 360, edge_mm = 0.4;
static const double size_mm[3] = {16, 0.8, 0.8};

/* APD90 of voltages that are passed step by step: from 0 mV to rest + 0.1 (peak - rest), interpolated. */
typedef struct apd {
    double rest_mV, peak_mV, before_mV, rose_ms, apd90_ms; /* the last two 0: not yet reached */
} apd;

static apd apd_at(double rest_mV) { return (apd){rest_mV, rest_mV, rest_mV, 0, 0}; }

static double passes(double t_ms, double before_mV, double v_mV, double level_mV)
{
    return t_ms - dt_ms * (v_mV - level_mV) / (v_mV - before_mV);
}

static void look(apd *a, double t_ms, double v_mV)
{
    a->peak_mV = fmax(a->peak_mV, v_mV);
    const double low_mV = a->rest_mV + 0.1 * (a->peak_mV - a->rest_mV);
    if (a->rose_ms == 0 && v_mV >= 0) a->rose_ms = passes(t_ms, a->before_mV, v_mV, 0);
    if (a->rose_ms > 0 && a->apd90_ms == 0 && v_mV < low_mV)
        a->apd90_ms = passes(t_ms, a->before_mV, v_mV, low_mV) - a->rose_ms;
    a->before_mV = v_mV;
}

static double of_a_cell(void)
{
    const mt_cell_variant *variant = &mt_cell_tp06.variants[TP06_EPI];
    double constants[MT_CELL_CONSTANTS], state[TP06_STATES], v_mV = variant->v_mV;
    apd a = apd_at(v_mV);
    mt_cell_constants_double(&mt_cell_tp06, variant, 1, constants);
    memcpy(state, variant->states, sizeof state);
    for (size_t step = 0; a.apd90_ms == 0 && (double)step * dt_ms < end_ms; step++) {
        if ((double)step * dt_ms < stimulus_ms - dt_ms / 2) v_mV += dt_ms * rise_mV_ms;
        mt_cell_react_double(&mt_cell_tp06, constants, 1, NULL, dt_ms, 1, state, &v_mV, &v_mV);
        look(&a, dt_ms * (double)(step + 1), v_mV);
    }
    return a.apd90_ms;
}

/* Returns the APD90 in the middle of a cable as long as the slab. */
static double of_a_cable(void)
{
    mt_arena arena = {0};
    const mt_cable cable = {.model = &mt_cell_tp06,
        .variant = TP06_EPI,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .length_mm = size_mm[0],
        .dx_mm = 0.04,
        .dt_ms = dt_ms,
        .end_ms = end_ms,
        .splitting = MT_SPLITTING_COMPENSATED,
        .repolarises = true,
        .stimulated_mm = 2,
        .duration_ms = stimulus_ms,
        .rise_mV_ms = rise_mV_ms};
    mt_cable_wave wave;
    cr_assert_eq(mt_cable_run(&arena, &cable, &wave), MT_OK, "%s", mt_message());
    const double apd90_ms = wave.apd90_ms[wave.n / 2];
    mt_arena_free(&arena);
    return apd90_ms;
}

/* Makes a slab whose inner vertices are displaced along x by up to a quarter of an edge. */
static void make_slab(mt_arena *arena, mt_mesh *mesh)
{
    uint64_t seed = 11;
    cr_assert_eq(mt_slab_make(arena, size_mm, edge_mm, mesh), MT_OK, "%s", mt_message());
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        double *x = mesh->xyz_mm + 3 * i;
        const double by = between(&seed, -0.25, 0.25) * edge_mm;
        if (*x > edge_mm / 2 && *x < size_mm[0] - edge_mm / 2) *x += by;
    }
    cr_assert_eq(mt_mesh_check(mesh), MT_OK, "%s", mt_message());
}

/* Durations of the vertices in a part of the slab. */
typedef struct durations {
    double least_ms, most_ms, mean_ms, first_ms, last_ms; /* APD90; activation */
    size_t n;
} durations;

static durations summary(const mt_mesh *mesh, const apd *a, double from_mm, double to_mm)
{
    durations d = {INFINITY, -INFINITY, 0, INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        if (mesh->xyz_mm[3 * i] < from_mm || mesh->xyz_mm[3 * i] > to_mm) continue;
        d.least_ms = fmin(d.least_ms, a[i].apd90_ms), d.most_ms = fmax(d.most_ms, a[i].apd90_ms);
        d.first_ms = fmin(d.first_ms, a[i].rose_ms), d.last_ms = fmax(d.last_ms, a[i].rose_ms);
        d.mean_ms += a[i].apd90_ms;
        d.n++;
    }
    d.mean_ms /= (double)d.n;
    return d;
}

/* Runs a beat through the slab; vertices up to stimulated_mm are stimulated. */
static durations beat(double stimulated_mm, double from_mm, double to_mm)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_diffusion diffusion;
    void *self;
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    const mt_nodal_spreading usual = {1, &mt_nodal_law_default, NULL};
    make_slab(&arena, &mesh);
    cr_assert_eq(mt_nodal_diffusion_make(&arena, &mesh, &tissues, &usual, &(mt_watch){0}, &diffusion), MT_OK,
        "%s", mt_message());
    const size_t n = mesh.n_vertices;
    uint32_t *near = mt_arena_alloc(&arena, n, sizeof *near);
    double *v_mV = mt_arena_alloc(&arena, n, sizeof *v_mV);
    apd *a = mt_arena_alloc(&arena, n, sizeof *a);
    size_t n_near = 0;
    for (size_t i = 0; i < n; i++) {
        a[i] = apd_at(mt_cell_tp06.variants[TP06_EPI].v_mV);
        if (mesh.xyz_mm[3 * i] <= stimulated_mm) near[n_near++] = (uint32_t)i;
    }
    const mt_stimulus stimulus = {0, stimulus_ms, rise_mV_ms, n_near, near, 0, 0, NULL, 0, 0, 0, 0};
    const mt_monodomain problem = {.diffusion = &diffusion,
        .model = &mt_cell_tp06,
        .variant = TP06_EPI,
        .dt_ms = dt_ms,
        .pde_steps = mt_monodomain_pde_steps(&diffusion, dt_ms),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = &stimulus,
        .mesh = &mesh};
    cr_assert_eq(mt_backend_cpu.open(&arena, &problem, NULL, &self), MT_OK, "%s", mt_message());
    for (size_t step = 0; (double)step * dt_ms < end_ms; step++) {
        cr_assert_eq(mt_backend_cpu.advance(self, step, 1), MT_OK);
        mt_backend_cpu.read(self, MT_ARRAY_V, v_mV);
        for (size_t i = 0; i < n; i++) look(&a[i], dt_ms * (double)(step + 1), v_mV[i]);
    }
    const durations d = summary(&mesh, a, from_mm, to_mm);
    mt_arena_free(&arena);
    return d;
}

static void enter(void) { omp_set_num_threads(1); } /* too few vertices for several threads */

TestSuite(nodal_waves, .init = enter);

/* The stimulus starts all vertices at the same time: nothing diffuses. */
Test(nodal_waves, tissue_excited_at_once_has_the_apd90_of_a_single_cell)
{
    const durations d = beat(size_mm[0] + 1, -1, size_mm[0] + 1);
    const double alone_ms = of_a_cell();
    cr_assert(alone_ms > 250 && alone_ms < 350, "%g ms", alone_ms);
    cr_expect_float_eq(d.least_ms, alone_ms, 1e-9, "%.12g ms, not %.12g", d.least_ms, alone_ms);
    cr_expect_float_eq(d.most_ms, alone_ms, 1e-9, "%.12g ms, not %.12g", d.most_ms, alone_ms);
}

/* In the middle of the slab, where neither the stimulus nor the end of the wave changes it. */
Test(nodal_waves, vertices_behind_a_plane_wave_have_the_apd90_of_a_converged_cable)
{
    const durations d = beat(2, 7, 9);
    const double cable_ms = of_a_cable();
    cr_log_info("APD90 of %zu vertices: %.2f to %.2f ms, mean %.2f; cable %.2f, cell %.2f ms", d.n,
        d.least_ms, d.most_ms, d.mean_ms, cable_ms, of_a_cell());
    cr_assert(
        d.n > 20 && d.last_ms > d.first_ms + 2, "no wave: %zu vertices, %g ms", d.n, d.last_ms - d.first_ms);
    cr_expect_float_eq(d.mean_ms, cable_ms, 0.5, "%g ms, not %g", d.mean_ms, cable_ms);
    cr_expect_float_eq(d.least_ms, cable_ms, 1, "%g ms, not %g", d.least_ms, cable_ms);
    cr_expect_float_eq(d.most_ms, cable_ms, 1, "%g ms, not %g", d.most_ms, cable_ms);
}
