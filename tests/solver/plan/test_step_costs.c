/* The costs of a time step without running, for voltages at vertices and at the centres of elements. */
#include <criterion/criterion.h>

#include <string.h>

#include "mesh/make/slab.h"
#include "solver/backends/backend.h"
#include "solver/diffusion/nodal.h"
#include "solver/plan/step_costs.h"

typedef struct both {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion[2]; /* of elements, of vertices */
    mt_monodomain problem[2];
    mt_tiling tiling;
    mt_scheme scheme;
} both;

static both b;

static void make(void)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    b = (both){
        .tiling = {
            .tiles = 20, .method = MT_PARTITION_HIERARCHICAL, .imbalance = 1.03, .balance_halo = true}};
    cr_assert_eq(ipu_target_load(&b.arena, "data/machines/gc200.yaml", NULL, 0, &b.tiling.one), MT_OK);
    cr_assert_eq(mt_scheme_find("mixed-clean", 0, &b.scheme), MT_OK);
    cr_assert_eq(mt_slab_make(&b.arena, (double[]){5, 4, 3}, 0.5, &b.mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&b.arena, &b.mesh, &b.adjacency), MT_OK);
    cr_assert_eq(mt_diffusion_make_with(&b.arena, &b.mesh, &b.adjacency, &tissues,
                     &mt_diffusion_scheme_default, &(mt_diffusion_options){0}, &b.diffusion[0]),
        MT_OK, "%s", mt_message());
    cr_assert_eq(mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues,
                     &(mt_nodal_spreading){1, &mt_nodal_law_default, NULL}, &(mt_watch){0}, &b.diffusion[1]),
        MT_OK, "%s", mt_message());
    for (int k = 0; k < 2; k++)
        b.problem[k] = (mt_monodomain){.diffusion = &b.diffusion[k],
            .model = mt_cell_models[0],
            .dt_ms = 0.02,
            .pde_steps = 5,
            .splitting = MT_SPLITTING_COMPENSATED};
}

static void drop(void) { mt_arena_free(&b.arena); }

TestSuite(step_costs, .init = make, .fini = drop);

/* The cycles of a run of ten steps are ten times those of a step. */
Test(step_costs, a_step_costs_what_a_run_counts)
{
    for (int k = 0; k < 2; k++)
        for (uint32_t ipus = 1; ipus <= 2; ipus++) {
            mt_halo halo;
            mt_step_costs costs;
            ipu_target target;
            ipu_profile profile;
            void *self;
            cr_assert_eq(mt_step_halo_make(
                             &b.arena, &b.problem[k], &b.adjacency, &b.tiling, &b.scheme, ipus, true, &halo),
                MT_OK, "%s", mt_message());
            cr_assert_eq(mt_step_costs_find(&b.problem[k], &b.tiling, &halo, &costs), MT_OK);
            cr_assert(costs.fits, "%s", costs.why);
            cr_assert_eq(ipu_target_several(&b.tiling.one, ipus, &target), MT_OK);
            const mt_layout layout = {.target = &target, .halo = &halo};
            cr_assert_eq(mt_backend_ipu.open(&b.arena, &b.problem[k], &layout, &self), MT_OK);
            cr_assert_eq(mt_backend_ipu.advance(self, 0, 10), MT_OK);
            cr_assert_eq(mt_backend_ipu.profile(self, &b.arena, &profile), MT_OK);
            cr_expect_eq(10 * costs.cycles, profile.cycles, "%d, %u IPUs: %zu and %zu", k, ipus,
                (size_t)costs.cycles, (size_t)profile.cycles);
            cr_expect_eq(costs.memory_max, profile.memory_max);
            cr_expect_eq((size_t)costs.own.sum, b.diffusion[k].n_unknowns);
            cr_expect(costs.balance > 0.5 && costs.balance <= 1, "%g", costs.balance);
            cr_expect(costs.received.max > 0);
        }
}

/* Without a global sync, time steps that follow each other take the cycles of a long run. The first steps of the run differ. */
Test(step_costs, a_step_costs_what_a_run_counts_without_a_global_sync)
{
    mt_halo halo;
    mt_step_costs costs, global;
    ipu_target target;
    ipu_profile profile;
    void *self;
    cr_assert_eq(
        mt_step_halo_make(&b.arena, &b.problem[1], &b.adjacency, &b.tiling, &b.scheme, 1, false, &halo),
        MT_OK);
    cr_assert_eq(mt_step_costs_find(&b.problem[1], &b.tiling, &halo, &global), MT_OK);
    cr_expect_eq(global.overlapped_cycles, 0);
    b.tiling.one.sync = IPU_SYNC_NONE;
    cr_assert_eq(mt_step_costs_find(&b.problem[1], &b.tiling, &halo, &costs), MT_OK);
    cr_assert(costs.fits, "%s", costs.why);
    cr_expect(costs.overlapped_cycles > 0);
    cr_expect_eq(costs.cycles + costs.overlapped_cycles, global.cycles);
    cr_expect(costs.band.at[IPU_FAST] < global.band.at[IPU_FAST] && costs.band.at[IPU_FAST] <= costs.cycles);
    cr_assert_eq(ipu_target_several(&b.tiling.one, 1, &target), MT_OK);
    const mt_layout layout = {.target = &target, .halo = &halo};
    cr_assert_eq(mt_backend_ipu.open(&b.arena, &b.problem[1], &layout, &self), MT_OK);
    cr_assert_eq(mt_backend_ipu.advance(self, 0, 100), MT_OK);
    cr_assert_eq(mt_backend_ipu.profile(self, &b.arena, &profile), MT_OK);
    cr_expect_float_eq(100 * (double)costs.cycles / (double)profile.cycles, 1, 1e-3, "%zu and %zu",
        100 * (size_t)costs.cycles, (size_t)profile.cycles);
}

/* One worker that issues single instructions computes the same voltages as six with bundles. */
Test(step_costs, a_machine_of_single_instructions_and_one_worker_computes_the_same)
{
    static const ipu_instruction_costs single = {.issue = IPU_SINGLE,
        .floats = 1,
        .f32_div = 20,
        .f32_exp = 30,
        .f32_log = 30,
        .f32_sqrt = 20,
        .f32_lanes = 4,
        .f16_lanes = 8};
    mt_halo halo;
    double *v[2];
    ipu_profile profile[2];
    cr_assert_eq(
        mt_step_halo_make(&b.arena, &b.problem[0], &b.adjacency, &b.tiling, &b.scheme, 1, false, &halo),
        MT_OK);
    for (int k = 0; k < 2; k++) {
        mt_step_costs costs;
        ipu_target target;
        void *self;
        if (k == 1) {
            b.tiling.one.worker_contexts = 1;
            b.tiling.one.instructions = single;
        }
        cr_assert_eq(mt_step_costs_find(&b.problem[0], &b.tiling, &halo, &costs), MT_OK);
        cr_assert(costs.fits, "%s", costs.why);
        cr_assert_eq(ipu_target_several(&b.tiling.one, 1, &target), MT_OK);
        const mt_layout layout = {.target = &target, .halo = &halo};
        cr_assert_eq(mt_backend_ipu.open(&b.arena, &b.problem[0], &layout, &self), MT_OK);
        cr_assert_eq(mt_backend_ipu.advance(self, 0, 10), MT_OK);
        cr_assert_eq(mt_backend_ipu.profile(self, &b.arena, &profile[k]), MT_OK);
        cr_expect_eq(10 * costs.cycles, profile[k].cycles);
        v[k] = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof **v);
        cr_assert_not_null(v[k]);
        cr_assert_eq(mt_backend_ipu.read(self, MT_ARRAY_V, v[k]), MT_OK);
    }
    cr_expect_arr_eq(v[0], v[1], b.mesh.n_elements * sizeof **v);
    cr_expect_neq(profile[0].cycles, profile[1].cycles);
    cr_expect_eq(profile[0].exchange_cycles, profile[1].exchange_cycles);
}

/* Bytes of a time step. A cell loads and stores its states. With `all` it also loads its row of the diffusion in each substep (a
 * diagonal, 16 entries and columns), its share and, in the record, its spread reaction; stores the latter; and loads and stores its last
 * voltage and its activation time. */
Test(step_costs, streamed_variables_take_their_bytes_and_change_no_voltage)
{
    const double states = 4.0 * (double)b.problem[0].model->n_states, rows = 5 * (4 + 16 * 4 + 16 * 2.0),
                 record = 4.0 + 4, spread = 4, n = (double)b.diffusion[0].n_unknowns;
    const struct {
        double read, written;
    } bytes[] = {[MT_STREAMED_STATES] = {states, states},
        [MT_STREAMED_ALL] = {states + rows + record + 2 * spread, states + record + spread}};
    mt_halo halo;
    double *v[MT_STREAMED_ALL + 1];
    cr_assert_eq(
        mt_step_halo_make(&b.arena, &b.problem[0], &b.adjacency, &b.tiling, &b.scheme, 1, false, &halo),
        MT_OK);
    b.tiling.one.dram = (ipu_dram){
        .bytes = 1 << 30, .read_bytes_per_second = 1e9, .write_bytes_per_second = 5e8, .buffer_bytes = 4096};
    for (int k = 0; k <= MT_STREAMED_ALL; k++) {
        mt_step_costs costs;
        ipu_target target;
        ipu_profile profile;
        void *self;
        double read = 0, written = 0;
        b.tiling.streamed = (mt_streamed)k;
        cr_assert_eq(mt_step_costs_find(&b.problem[0], &b.tiling, &halo, &costs), MT_OK);
        cr_assert(costs.fits, "%s", costs.why);
        cr_assert_eq(ipu_target_several(&b.tiling.one, 1, &target), MT_OK);
        const mt_layout layout = {
            .target = &target, .halo = &halo, .streamed = (mt_streamed)k, .checked = true};
        cr_assert_eq(mt_backend_ipu.open(&b.arena, &b.problem[0], &layout, &self), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_backend_ipu.advance(self, 0, 10), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_backend_ipu.profile(self, &b.arena, &profile), MT_OK);
        cr_expect_eq(10 * costs.cycles, profile.cycles);
        v[k] = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof **v);
        cr_assert_not_null(v[k]);
        cr_assert_eq(mt_backend_ipu.read(self, MT_ARRAY_V, v[k]), MT_OK);
        cr_expect_arr_eq(v[k], v[0], b.mesh.n_elements * sizeof **v);
        for (size_t s = 0; s < profile.n_steps; s++) {
            read += (double)profile.steps[s].runs * (double)profile.steps[s].dram_read / 10;
            written += (double)profile.steps[s].runs * (double)profile.steps[s].dram_written / 10;
        }
        cr_expect_float_eq(read, n * bytes[k].read, 0.1, "%d: %g", k, read / n);
        cr_expect_float_eq(written, n * bytes[k].written, 0.1, "%d: %g", k, written / n);
        const double shared = (read / 1e9 + written / 5e8) * target.clock_hz;
        cr_expect(shared <= (double)costs.dram_cycles && (double)costs.dram_cycles <= 1.02 * shared,
            "%zu cycles, %g for all bytes; the rest is the launch of a vertex for each chunk",
            (size_t)costs.dram_cycles, shared);
    }
}

Test(step_costs, a_problem_that_does_not_fit_has_a_reason)
{
    mt_halo halo;
    mt_step_costs costs;
    b.tiling.tiles = 1;
    b.tiling.one.bytes_per_tile = 260000;
    cr_assert_eq(
        mt_step_halo_make(&b.arena, &b.problem[0], &b.adjacency, &b.tiling, &b.scheme, 1, true, &halo),
        MT_OK);
    cr_assert_eq(mt_step_costs_find(&b.problem[0], &b.tiling, &halo, &costs), MT_OK, "%s", mt_message());
    cr_expect(!costs.fits && strlen(costs.why) > 0);
    cr_expect_eq(costs.cycles, 0);
    cr_expect_eq((size_t)costs.own.sum, b.mesh.n_elements);
}
