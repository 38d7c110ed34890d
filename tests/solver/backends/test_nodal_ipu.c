/* Voltages at the vertices on the emulated machine: the bits of the host in single precision, and their costs. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "ipu/machine/topology.h"
#include "mesh/make/mosaic.h"
#include "solver/backends/backend.h"
#include "solver/diffusion/nodal.h"
#include "solver/plan/nodal.h"
#include "solver/plan/implicit.h"
#include "solver/plan/phases.h"
#include "tests/solver/diffusion_ways.h"

enum { STEPS = 80 };

/* A mosaic, usually of 1397 vertices, of which those near a corner are stimulated for 1 ms. */
typedef struct tissue_sheet {
    mt_arena arena;
    mt_mesh mesh;
    mt_diffusion diffusion;
    mt_stimulus stimulus;
    mt_monodomain problem;
    ipu_target target;
    double *v, *other;
} tissue_sheet;

static tissue_sheet b;

static void make_sheet_of(const double size_mm[2], const mt_nodal_spreading *spreading)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    const mt_yaml_override tiles = {"test", "tiles=64"}; /* the time to compile grows with unused ones, too */
    b = (tissue_sheet){0};
    cr_assert_eq(ipu_target_load(&b.arena, "data/machines/gc200.yaml", &tiles, 1, &b.target), MT_OK);
    cr_assert_eq(mt_mosaic_make(&b.arena, 0.3, size_mm, &b.mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_nodal_diffusion_make(&b.arena, &b.mesh, &tissues, spreading, &(mt_watch){0}, &b.diffusion), MT_OK,
        "%s", mt_message());
    const size_t n = b.diffusion.n_unknowns;
    uint32_t *near = mt_arena_alloc(&b.arena, n, sizeof *near);
    size_t n_near = 0;
    for (size_t i = 0; i < n; i++)
        if (b.mesh.xyz_mm[3 * i] < 2 && b.mesh.xyz_mm[3 * i + 1] < 2) near[n_near++] = (uint32_t)i;
    b.stimulus = (mt_stimulus){0, 1, 50 / 1.4, n_near, near, 0, 0, NULL, 0, 0, 0, 0};
    b.problem = (mt_monodomain){.diffusion = &b.diffusion,
        .model = mt_cell_models[0],
        .dt_ms = 0.05,
        .pde_steps = 2 * mt_monodomain_pde_steps(&b.diffusion, 0.05),
        .splitting = MT_SPLITTING_COMPENSATED,
        .tolerance_mV = 0.1,
        .n_stimuli = 1,
        .stimulus = &b.stimulus,
        .mesh = &b.mesh};
    b.v = mt_arena_alloc(&b.arena, n, sizeof *b.v);
    b.other = mt_arena_alloc(&b.arena, n, sizeof *b.other);
}

static void make_sheet(const mt_nodal_spreading *spreading)
{
    make_sheet_of((const double[]){11, 6}, spreading);
}

static void make_usual_sheet(void) { make_sheet(&(mt_nodal_spreading){1, &mt_nodal_law_default, NULL}); }

static void free_sheet(void) { mt_arena_free(&b.arena); }

TestSuite(nodal_ipu, .init = make_usual_sheet, .fini = free_sheet);

/* Partitions the vertices, with weights or without. */
static mt_partition parts_of(uint32_t chips, uint32_t tiles, bool weighted)
{
    const mt_nodal *nodal = b.diffusion.nodal;
    uint32_t *weight = NULL;
    if (weighted) cr_assert_eq(mt_plan_nodal_weights(&b.arena, &b.problem, &b.target, &weight), MT_OK);
    const mt_cut_graph graph = {
        .n_nodes = b.diffusion.n_unknowns, .start = nodal->start, .near = nodal->column, .weight = weight};
    mt_partition parts;
    cr_assert_eq(mt_partition_make_of(&b.arena, &graph,
                     &(mt_partition_options){
                         MT_PARTITION_HIERARCHICAL, chips, tiles, 1.03, ipu_topology_ladder_distance, 0, 0},
                     &parts),
        MT_OK, "%s", mt_message());
    return parts;
}

static mt_layout layout_of(const mt_partition *parts, const mt_scheme *scheme)
{
    mt_halo *halo = mt_arena_alloc(&b.arena, 1, sizeof *halo);
    ipu_target *target = mt_arena_alloc(&b.arena, 1, sizeof *target);
    const mt_pattern pattern = mt_diffusion_pattern(&b.diffusion);
    cr_assert_eq(ipu_target_several(&b.target, mt_partition_groups(parts), target), MT_OK);
    cr_assert_eq(mt_halo_make(&b.arena, &pattern, parts, scheme, halo), MT_OK, "%s", mt_message());
    return (mt_layout){.target = target, .halo = halo, .checked = true};
}

static mt_layout layout_on(uint32_t chips, uint32_t tiles)
{
    mt_scheme exact;
    const mt_partition parts = parts_of(chips, tiles, true);
    cr_assert_eq(mt_scheme_find("exact", 0, &exact), MT_OK);
    return layout_of(&parts, &exact);
}

static void *open_on(mt_arena *arena, const mt_backend *backend, const mt_layout *layout)
{
    void *self = NULL;
    cr_assert_eq(backend->open(arena, &b.problem, layout, &self), MT_OK, "%s", mt_message());
    return self;
}

/* Runs steps from rest and reads V. */
static void run_on(const mt_backend *backend, const mt_layout *layout, double *v)
{
    mt_arena arena = {0};
    mt_results results;
    void *self = open_on(&arena, backend, layout);
    cr_assert_eq(mt_results_new(&arena, &b.problem, &results), MT_OK);
    cr_assert_eq(
        mt_backend_run(&b.problem, backend, self, 0, STEPS, &results, NULL, NULL), MT_OK, "%s", mt_message());
    backend->read(self, MT_ARRAY_V, v);
    mt_arena_free(&arena);
}

/* Runs on the host, where a front must have formed, into b.v. */
static void run_on_host(void)
{
    double least = INFINITY, most = -INFINITY;
    run_on(&mt_backend_cpu_single, NULL, b.v);
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++)
        least = fmin(least, b.v[i]), most = fmax(most, b.v[i]);
    cr_assert(least < -80 && most > 10, "no front: %g to %g mV", least, most);
}

static void expect_bits_of_host(const mt_layout *layout, const char *what)
{
    run_on(&mt_backend_ipu, layout, b.other);
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++)
        cr_assert_eq(b.v[i], b.other[i], "%s, %u parts, vertex %zu: %.9g on the host, %.9g on the machine",
            what, layout->halo->n_parts, i, b.v[i], b.other[i]);
}

/* Explicit steps, also in double words, and both schemes of implicit ones. */
static void choose_way(size_t way) { set_way(&b.problem, way, 3, 1e-4); }

/* The first way on all layouts, each of the others on every second one. */
Test(nodal_ipu, voltages_have_the_bits_of_the_host_on_any_number_of_tiles_and_chips)
{
    static const uint32_t layouts[][2] = {{1, 1}, {1, 2}, {1, 7}, {1, 60}, {2, 1}, {2, 30}};
    for (size_t way = 0; way < WAYS; way++) {
        choose_way(way);
        run_on_host();
        for (size_t k = way / 2; k < sizeof layouts / sizeof *layouts; k += way == 0 ? 1 : 2) {
            const mt_layout layout = layout_on(layouts[k][0], layouts[k][1]);
            expect_bits_of_host(&layout, diffusion_ways[way].name);
        }
    }
}

/* Explicit and implicit steps on one chip and on two. */
Test(nodal_ipu, voltages_have_the_bits_of_the_host_in_every_scheme)
{
    for (size_t way = 0; way < WAYS; way++) {
        choose_way(way);
        run_on_host();
        const uint32_t chips = 1 + way % 2;
        const mt_partition parts = parts_of(chips, 40 / chips, true);
        for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++) {
            const mt_layout layout = layout_of(&parts, scheme);
            expect_bits_of_host(&layout, scheme->name);
        }
    }
}

Test(nodal_ipu, threads_of_the_host_change_no_bit)
{
    const mt_layout layout = layout_on(2, 20);
    for (size_t way = 0; way < WAYS; way++) {
        choose_way(way);
        run_on_host();
        for (int threads = 1; threads <= 2; threads++) {
            omp_set_num_threads(threads);
            expect_bits_of_host(&layout, diffusion_ways[way].name);
        }
    }
}

/* Every instruction set computes the rows of the emulated tiles and of the host: about 25 of a tile, a multiple of no vector. */
Test(nodal_ipu, instruction_sets_change_no_bit)
{
    free_sheet();
    make_sheet_of((const double[]){6, 4}, &(mt_nodal_spreading){1, &mt_nodal_law_default, NULL});
    const mt_kernels *all[MT_ISAS];
    const size_t n_all = mt_kernels_all(all);
    const mt_layout layout = layout_on(1, 20);
    for (size_t way = WORDS_WAY; way < WAYS; way++) {
        choose_way(way);
        cr_assert_eq(mt_kernels_choose(NULL), MT_OK);
        run_on_host();
        for (size_t k = 0; k < n_all; k++) {
            cr_assert_eq(mt_kernels_choose(all[k]->isa), MT_OK);
            expect_bits_of_host(&layout, all[k]->isa);
            run_on(&mt_backend_cpu_single, NULL, b.other);
            cr_assert_arr_eq(b.v, b.other, b.diffusion.n_unknowns * sizeof *b.v, "%s, %s",
                diffusion_ways[way].name, all[k]->isa);
        }
    }
}

/* Kinds of steps: every fifth one of the 64 combinations, from any first one, which together contain every pair of the six choices. */
enum { KINDS = 64, EVERY_KIND = 5 };

/* No spreading along the rows, no share of the reaction, multirate stepping, an odd number of diffusion steps or another scheme, different
 * cells, and several beats, which add compute sets. */
static void run_kind(int kind, bool implicit)
{
    static const size_t beats[] = {0, STEPS / 2};
    free_sheet();
    make_sheet(kind & 1 ? NULL : &(mt_nodal_spreading){1, &mt_nodal_law_default, NULL});
    uint16_t *of = mt_arena_alloc(&b.arena, b.diffusion.n_unknowns, sizeof *of);
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++) of[i] = (uint16_t)(i % b.problem.model->n_variants);
    if (kind & 2) b.problem.splitting = MT_SPLITTING_GODUNOV;
    if (kind & 4) b.problem.stepping = MT_STEPPING_MULTIRATE;
    if (kind & 8) b.problem.pde_steps++;
    if (implicit) choose_way(kind & 8 ? 2 : 3);
    if (kind & 16) b.problem.variant_of = of;
    if (kind & 32) b.problem.record = (mt_record){true, -60, 0.9, 0, 2, beats};
    const mt_layout layout = layout_on(1, 20);
    run_on_host();
    expect_bits_of_host(&layout, "kind");
}

Test(nodal_ipu, every_kind_of_time_step_has_the_bits_of_the_host)
{
    for (int kind = 0; kind < KINDS; kind += EVERY_KIND) run_kind(kind, false);
}

/* Kinds with several beats and implicit steps have the most compute sets. */
Test(nodal_ipu, every_kind_of_implicit_step_has_the_bits_of_the_host)
{
    for (int kind = 2; kind < KINDS; kind += EVERY_KIND) run_kind(kind, true);
}

static void read_stream_and_write(size_t way)
{
    enum { DURING = 20 }; /* steps with the stimulus, and as many without */
    mt_arena arena = {0};
    const mt_layout layout = layout_on(2, 20);
    const size_t n = b.diffusion.n_unknowns;
    choose_way(way);
    b.problem.record = (mt_record){.all = true, .threshold_mV = -60, .fraction = 0.9};
    void *host = open_on(&arena, &mt_backend_cpu_single, NULL),
         *machine = open_on(&arena, &mt_backend_ipu, &layout),
         *again = open_on(&arena, &mt_backend_ipu, &layout);
    cr_assert_eq(mt_backend_cpu_single.advance(host, 0, DURING), MT_OK);
    cr_assert_eq(mt_backend_ipu.advance(machine, 0, DURING), MT_OK);
    for (size_t array = 0; array < mt_arrays(&b.problem); array++) {
        mt_backend_cpu_single.read(host, array, b.v);
        mt_backend_ipu.read(machine, array, b.other);
        cr_expect_arr_eq(b.v, b.other, n * sizeof *b.v, "%s", mt_array(&b.problem, array).name);
        memset(b.other, 0, n * sizeof *b.other);
        cr_assert_eq(mt_backend_ipu.stream(machine, array, 0, NULL, b.other), MT_OK, "%s", mt_message());
        cr_expect_arr_eq(b.v, b.other, n * sizeof *b.v, "%s, streamed", mt_array(&b.problem, array).name);
        mt_backend_ipu.write(again, array, b.v);
    }
    mt_backend_ipu.resume(again, DURING);
    cr_assert_eq(mt_backend_cpu_single.advance(host, 50, DURING), MT_OK);
    cr_assert_eq(mt_backend_ipu.advance(again, 50, DURING), MT_OK);
    mt_backend_cpu_single.read(host, MT_ARRAY_V, b.v);
    mt_backend_ipu.read(again, MT_ARRAY_V, b.other);
    cr_expect_arr_eq(b.v, b.other, n * sizeof *b.v, "%s, resumed", diffusion_ways[way].name);
    mt_arena_free(&arena);
}

Test(nodal_ipu, every_array_is_read_streamed_and_written_as_on_the_host)
{
    for (size_t way = 0; way < WAYS; way++) read_stream_and_write(way);
}

/* ---- conservation ---- */

static double charge(const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++) sum += b.diffusion.volume_mm3[i] * v[i];
    return sum;
}

/* In double precision nothing but the reaction and the stimulus changes the charge (test_nodal_step). In single precision each of some 20
 * operations on a vertex in a step errs by at most 2^-24 of 100 mV: 6e-6 mV, of random sign. */
Test(nodal_ipu, the_charge_is_that_of_double_precision_to_rounding)
{
    const mt_layout layout = layout_on(1, 40);
    double size = 0;
    for (size_t i = 0; i < b.diffusion.n_unknowns; i++) size += b.diffusion.volume_mm3[i];
    run_on(&mt_backend_cpu, NULL, b.v);
    run_on(&mt_backend_ipu, &layout, b.other);
    const double rest = size * b.problem.model->variants[0].v_mV, gain = charge(b.v) - rest;
    cr_assert(gain > size, "%g mV mm3 gained", gain);
    cr_expect(charge(b.other) != charge(b.v));
    cr_expect_float_eq(
        charge(b.other), charge(b.v), 1e-4 * gain, "%.9g, not %.9g", charge(b.other), charge(b.v));
}

/* ---- costs ---- */

static ipu_profile profile_of(mt_arena *arena, void *self)
{
    ipu_profile profile;
    cr_assert_eq(mt_backend_ipu.profile(self, arena, &profile), MT_OK, "%s", mt_message());
    return profile;
}

Test(nodal_ipu, the_phases_of_a_profile_add_up_and_include_the_spreading)
{
    mt_arena arena = {0};
    const mt_layout layout = layout_on(2, 20);
    void *self = open_on(&arena, &mt_backend_ipu, &layout);
    cr_assert_eq(mt_backend_ipu.advance(self, 0, 3), MT_OK);
    const ipu_profile profile = profile_of(&arena, self);
    const size_t set = mt_plan_nodal_spreading_set(&b.problem);
    uint64_t cycles[MT_PHASES], sum = 0;
    mt_phases_count(&profile, &b.problem, cycles);
    for (int p = 0; p < MT_PHASES; p++) sum += cycles[p];
    cr_expect_eq(sum, profile.cycles - profile.host_cycles);
    cr_assert_lt(set, profile.n_steps);
    cr_expect_str_eq(profile.steps[set].name, "spreading");
    cr_expect_eq(profile.steps[set].runs, 3);
    cr_expect_eq(cycles[MT_PHASE_SPREADING], profile.steps[set].total_compute_cycles);
    cr_expect_eq(cycles[MT_PHASE_SOLVER], 0);
    cr_expect(profile.steps[set].exchange_bound_cycles > 0);
    uint64_t exchange = 0;
    for (size_t s = 0; s < profile.n_steps; s++)
        exchange += profile.steps[s].runs * profile.steps[s].exchange_bound_cycles;
    cr_expect_eq(cycles[MT_PHASE_PDE_EXCHANGE], exchange);
    mt_arena_free(&arena);
}

/* Each compute set with rows takes the cycles of its codelet on the slowest tile. */
Test(nodal_ipu, a_profile_has_the_cycles_of_the_codelets)
{
    mt_arena arena = {0};
    const mt_layout layout = layout_on(1, 20);
    void *self = open_on(&arena, &mt_backend_ipu, &layout);
    cr_assert_eq(mt_backend_ipu.advance(self, 0, 1), MT_OK);
    const ipu_profile profile = profile_of(&arena, self);
    const struct {
        size_t set;
        const ipu_codelet *codelet;
    } sets[] = {{MT_PLAN_PDE_AB, &mt_codelet_nodal_pde}, {MT_PLAN_PDE_BA, &mt_codelet_nodal_pde},
        {mt_plan_nodal_spreading_set(&b.problem), mt_codelet_nodal_spread(true)}};
    mt_plan plan = {.problem = &b.problem, .halo = layout.halo};
    cr_assert_eq(mt_plan_find_nodal(&arena, &plan), MT_OK);
    for (size_t k = 0; k < 3; k++) {
        uint64_t most = 0;
        for (uint32_t p = 0; p < 20; p++) {
            const ipu_cycles c = sets[k].codelet->cost(layout.target, NULL, &plan.nodal->rows[p]);
            const uint64_t all =
                layout.target->vertex_launch_cycles + c.entry + layout.target->worker_contexts * c.worker;
            most = all > most ? all : most;
        }
        cr_expect_eq(profile.steps[sets[k].set].compute.max, most, "%s: %zu, not %zu",
            profile.steps[sets[k].set].name, (size_t)profile.steps[sets[k].set].compute.max, (size_t)most);
    }
    mt_arena_free(&arena);
}

/* Implicit steps, with several beats: the compute sets of beats, spreading, iterations and sums follow each other. */
Test(nodal_ipu, the_phases_of_implicit_steps_add_up_and_have_the_cycles_of_the_codelets)
{
    static const size_t beats[] = {0, 2};
    mt_arena arena = {0};
    mt_results results;
    choose_way(2);
    b.problem.record = (mt_record){true, -60, 0.9, 0, 2, beats};
    const mt_layout layout = layout_on(2, 20);
    void *self = open_on(&arena, &mt_backend_ipu, &layout);
    cr_assert_eq(mt_results_new(&arena, &b.problem, &results), MT_OK);
    cr_assert_eq(mt_backend_run(&b.problem, &mt_backend_ipu, self, 0, 4, &results, NULL, NULL), MT_OK, "%s",
        mt_message());
    const ipu_profile profile = profile_of(&arena, self);
    const size_t spreading = mt_plan_nodal_spreading_set(&b.problem);
    uint64_t cycles[MT_PHASES], sum = 0, solver = 0, product[2] = {0};
    mt_phases_count(&profile, &b.problem, cycles);
    for (int p = 0; p < MT_PHASES; p++) sum += cycles[p];
    cr_expect_eq(sum, profile.cycles - profile.host_cycles);
    cr_expect_str_eq(profile.steps[spreading - 1].name, "beat goes on");
    cr_expect_str_eq(profile.steps[spreading].name, "spreading");
    cr_expect_str_eq(profile.steps[spreading + 1].name, "first product");
    cr_expect_str_eq(profile.steps[spreading + MT_IMPLICIT_ITERATION_SETS].name, "gain");
    cr_expect_eq(cycles[MT_PHASE_SPREADING], profile.steps[spreading].total_compute_cycles);
    for (size_t k = 1; k <= MT_IMPLICIT_ITERATION_SETS; k++)
        solver += profile.steps[spreading + k].total_compute_cycles;
    cr_expect_eq(cycles[MT_PHASE_SOLVER], solver);
    const uint64_t iterations = mt_phases_iterations(&profile, &b.problem);
    cr_expect(iterations >= 4 && iterations < 4 * 20, "%zu iterations in 4 steps", (size_t)iterations);
    mt_plan plan = {.problem = &b.problem, .halo = layout.halo};
    cr_assert_eq(mt_plan_find_nodal(&arena, &plan), MT_OK);
    for (uint32_t part = 0; part < layout.halo->n_parts; part++)
        for (int k = 0; k < 2; k++) {
            const mt_implicit_context c = {1, &plan.nodal->rows[part]};
            const ipu_cycles cost = mt_codelet_implicit(k == 0 ? MT_IMPLICIT_FIRST : MT_IMPLICIT_SECOND, true)
                                        .cost(layout.target, NULL, &c);
            const uint64_t all = layout.target->vertex_launch_cycles + cost.entry +
                                 layout.target->worker_contexts * cost.worker;
            product[k] = all > product[k] ? all : product[k];
        }
    cr_expect_eq(profile.steps[spreading + 1].compute.max, product[0]);
    cr_expect_eq(profile.steps[spreading + 3].compute.max, product[1]);
    mt_arena_free(&arena);
}

/* The slowest tile of a time step without exchange. */
static uint64_t slowest(uint32_t tiles, bool weighted)
{
    mt_arena arena = {0};
    mt_scheme exact;
    cr_assert_eq(mt_scheme_find("exact", 0, &exact), MT_OK);
    const mt_partition parts = parts_of(1, tiles, weighted);
    const mt_layout layout = layout_of(&parts, &exact);
    ipu_profile profile;
    b.problem.n_stimuli = 0;
    cr_assert_eq(mt_plan_costs_of(&arena, &b.problem, &layout, &profile), MT_OK, "%s", mt_message());
    const uint64_t cycles = profile.steps[MT_PLAN_ODE].compute.max +
                            profile.steps[MT_PLAN_ACTIVATION].compute.max +
                            profile.steps[mt_plan_nodal_spreading_set(&b.problem)].compute.max +
                            b.problem.pde_steps * profile.steps[MT_PLAN_PDE_AB].compute.max;
    mt_arena_free(&arena);
    return cycles;
}

/* A model with a cheap cell, whose rows are most of the cost. With TP06 the cells are, and their number matters more than the rows: six
 * workers share them, so that the cost of a tile is a step function of it. */
Test(nodal_ipu, weights_of_rows_reduce_the_cycles_of_the_slowest_tile)
{
    static const uint32_t tiles[] = {4, 6, 13, 19};
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        if (strcmp((*m)->name, "mitchell-schaeffer") == 0) b.problem.model = *m;
    b.problem.pde_steps = 5;
    for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k++) {
        const uint64_t plain = slowest(tiles[k], false), weighted = slowest(tiles[k], true);
        cr_expect_lt((double)weighted, 0.99 * (double)plain, "%u tiles: %zu and %zu cycles", tiles[k],
            (size_t)weighted, (size_t)plain);
    }
}

/* ---- memory ---- */

/* Returns the bytes of variables on a single tile in a way, and those that are needed during a time step only. */
static size_t bytes_of_variables(size_t way, size_t *temporary)
{
    mt_arena arena = {0};
    ipu_profile profile;
    choose_way(way);
    b.problem.n_stimuli = 0;
    const mt_layout layout = layout_on(1, 1);
    cr_assert_eq(mt_plan_costs_of(&arena, &b.problem, &layout, &profile), MT_OK, "%s", mt_message());
    const size_t bytes = profile.memory_all.bytes[IPU_MEMORY_VARIABLES];
    *temporary = profile.memory_all.bytes[IPU_MEMORY_TEMPORARIES];
    mt_arena_free(&arena);
    return bytes;
}

static void expect_bytes(size_t found, size_t least, size_t more, const char *what)
{
    cr_expect(found >= least && found <= least + more, "%s: %zu, not %zu", what, found, least);
}

/* Always live: in double words the low part of each vertex and a counter; for implicit steps d of each, and the scalars. During a time
 * step: the other voltage, the increment and the spread reaction; in an implicit step x, the spread reaction and five vectors, one of which
 * takes the place of the increment. */
Test(nodal_ipu, double_words_and_implicit_steps_take_the_memory_of_their_variables)
{
    const size_t n = b.diffusion.n_unknowns;
    size_t temporary[WAYS], bytes[WAYS];
    for (size_t way = 0; way < WAYS; way++) bytes[way] = bytes_of_variables(way, &temporary[way]);
    expect_bytes(bytes[WORDS_WAY] - bytes[0], 4 * n + 4, 8, "double words");
    for (size_t way = 0; way <= WORDS_WAY; way++) expect_bytes(temporary[way], 3 * 4 * n, 32, "explicit");
    for (size_t way = 2; way < WAYS; way++) {
        expect_bytes(bytes[way] - bytes[0], 4 * n, 200, "implicit");
        expect_bytes(temporary[way], 7 * 4 * n, 300, "implicit, temporary");
    }
}

/* Rows of a tile take 10 bytes an entry with spreading, or 6; 2 a vertex and 2 a block. */
Test(nodal_ipu, the_memory_of_a_tile_has_the_true_size_of_its_rows)
{
    size_t bytes[2], n_values = 0;
    for (int k = 0; k < 2; k++) {
        free_sheet();
        make_sheet(k ? NULL : &(mt_nodal_spreading){1, &mt_nodal_law_default, NULL});
        mt_arena arena = {0};
        const mt_layout layout = layout_on(1, 1);
        ipu_profile profile;
        mt_plan plan = {.problem = &b.problem, .halo = layout.halo};
        b.problem.n_stimuli = 0;
        cr_assert_eq(mt_plan_find_nodal(&arena, &plan), MT_OK);
        n_values = plan.nodal->rows[0].n_values;
        cr_assert_eq(mt_plan_costs_of(&arena, &b.problem, &layout, &profile), MT_OK, "%s", mt_message());
        bytes[k] = profile.memory_all.bytes[IPU_MEMORY_VARIABLES];
        mt_arena_free(&arena);
    }
    const size_t entries = b.diffusion.nodal->start[b.diffusion.n_unknowns];
    cr_expect(n_values >= entries && (double)n_values < 1.03 * (double)entries, "%zu values of %zu entries",
        n_values, entries);
    cr_expect_leq(llabs((long long)(bytes[0] - bytes[1]) - (long long)(4 * n_values)), 8);
}

Test(nodal_ipu, a_tile_that_is_too_small_is_refused_with_its_memory)
{
    const mt_layout layout = layout_on(1, 1);
    ipu_target small = *layout.target;
    small.bytes_per_tile = 300000;
    const mt_layout too_small = {.target = &small, .halo = layout.halo};
    mt_arena arena = {0};
    void *self;
    cr_expect_eq(mt_backend_ipu.open(&arena, &b.problem, &too_small, &self), MT_FIT, "%s", mt_message());
    mt_arena_free(&arena);
}

static void expect_reports_of_memory(size_t way)
{
    const mt_layout layout = layout_on(1, 2);
    mt_status status = MT_MEMORY;
    size_t n = 0;
    choose_way(way);
    while (status != MT_OK) {
        mt_arena arena = {0};
        void *self;
        mt_arena_fail_at(++n);
        status = mt_backend_ipu.open(&arena, &b.problem, &layout, &self);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
        mt_arena_free(&arena);
    }
    cr_expect(n > 50, "only %zu", n);
}

/* On few tiles, since the number of allocations and the time until each of them grow with the tiles. */
Test(nodal_ipu, out_of_memory_is_reported_without_a_leak)
{
    free_sheet();
    make_sheet_of((const double[]){3, 2}, &(mt_nodal_spreading){1, &mt_nodal_law_default, NULL});
    b.target.tiles = 2;
    for (size_t way = 0; way < WAYS; way++) expect_reports_of_memory(way);
}
