/* Ranks that share a problem: rank 0 obtains the results of a single process, to the bit. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/backends/leader.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/diffusion/nodal.h"
#include "tests/leaks.h"
#include "tests/solver/slab_problem.h"
#include "tests/threads.h"

enum { STEPS = 40, CHIPS = 4, TILES = 9, LISTED = 7 };
enum { TARGET_TILES = 64 }; /* of a chip: the time to compile grows with unused tiles, too */

static slab_problem s;
static thread_world world;
static double peak_mV; /* as stored by rank 0 */
static size_t n_steps = STEPS;
static bool all_receive = true; /* every rank receives something */

/* Builds the operator with rows that are computed from the mesh when needed. */
static void make_lean(const mt_tissues *tissues)
{
    cr_assert_eq(mt_diffusion_make_with(&s.arena, &s.mesh, &s.adjacency, tissues,
                     &mt_diffusion_scheme_default, &(mt_diffusion_options){.lean = true}, &s.diffusion),
        MT_OK, "%s", mt_message());
    s.problem.mesh = &s.mesh;
    s.results.peak_mV = &peak_mV;
}

/* 720 elements. */
static void small_slab(void)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    make_slab_problem(&s, (double[3]){5, 2, 1.5}, 0.5);
    s.target.tiles = TARGET_TILES;
    make_lean(&tissues);
}

static void free_slab(void) { mt_arena_free(&s.arena); }

TestSuite(leader, .init = small_slab, .fini = free_slab);

/* The result of a run: all arrays, some elements as streamed, and the counts of the machine. */
typedef struct left {
    size_t n_arrays;
    double *array;  /* [n_arrays][n_unknowns] */
    double *listed; /* [n_unknowns], only some are set */
    double peak_mV; /* of the stimulus */
    size_t n_counts;
    uint64_t *counts;
} left;

typedef struct job {
    const mt_backend *backend;
    mt_layout layout;
    const left *start; /* initial values; NULL: at rest */
    mt_status status;
    char message[256];
    left left;
} job;

static const uint32_t listed[LISTED] = {700, 3, 3, 412, 0, 95, 333};

/* Runs the steps and stores their result. */
static mt_status make_steps(job *j, const mt_backend *backend, void *self)
{
    const size_t n = s.diffusion.n_unknowns;
    for (size_t a = 0; j->start && a < j->start->n_arrays; a++)
        backend->write(self, a, j->start->array + a * n);
    if (j->start) backend->resume(self, STEPS);
    const size_t first = j->start ? STEPS : 0;
    MT_TRY(mt_backend_run(&s.problem, backend, self, first, first + n_steps, &s.results, NULL, NULL));
    j->left.peak_mV = peak_mV;
    for (size_t a = 0; a < j->left.n_arrays; a++) backend->read(self, a, j->left.array + a * n);
    MT_TRY(backend->stream(self, MT_ARRAY_V, n > listed[0] ? LISTED : 0, listed, j->left.listed));
    return backend->count ? backend->count(self, &s.arena, &j->left.n_counts, &j->left.counts) : MT_OK;
}

static void note(job *j, mt_status status)
{
    j->status = status;
    (void)snprintf(j->message, sizeof j->message, "%s", mt_message());
}

static void run_rank(void *user, const mt_communicator *c)
{
    job *j = user;
    mt_layout layout = j->layout;
    if (c->rank > 0) layout.halo = NULL;
    const mt_backend *shared = NULL;
    void *self = NULL;
    mt_arena arena = {0};
    layout.ranks = c;
    mt_status status = mt_backend_open_on_ranks(
        &arena, j->backend, c->rank > 0 ? NULL : &s.problem, &layout, &shared, &self);
    if (status == MT_OK && c->rank == 0) {
        status = make_steps(j, shared, self);
        mt_backend_dismiss(self);
    } else if (status == MT_OK && mt_backend_serve(self) != MT_OK) {
        abort();
    }
    if (c->rank == 0) note(j, status);
    mt_arena_free(&arena);
}

static void run_alone(job *j)
{
    mt_arena arena = {0};
    void *self = NULL;
    mt_status status = j->backend->open(&arena, &s.problem, &j->layout, &self);
    if (status == MT_OK) status = make_steps(j, j->backend, self);
    note(j, status);
    mt_arena_free(&arena);
}

static job job_on(const mt_backend *backend, mt_layout layout)
{
    const size_t n = s.diffusion.n_unknowns, n_arrays = mt_arrays(&s.problem);
    job j = {.backend = backend, .layout = layout, .left = {.n_arrays = n_arrays}};
    j.left.array = mt_arena_alloc(&s.arena, n * n_arrays, sizeof *j.left.array);
    j.left.listed = mt_arena_alloc(&s.arena, n, sizeof *j.left.listed);
    return j;
}

static void expect_same(const job *alone, const job *shared, uint32_t n_ranks)
{
    const left *a = &alone->left, *b = &shared->left;
    const size_t n = s.diffusion.n_unknowns;
    cr_assert_eq(alone->status, MT_OK, "%s", alone->message);
    cr_assert_eq(shared->status, MT_OK, "%u ranks: %s", n_ranks, shared->message);
    for (size_t k = 0; k < a->n_arrays; k++)
        cr_expect(memcmp(a->array + k * n, b->array + k * n, n * sizeof *a->array) == 0, "%u ranks: %s",
            n_ranks, mt_array(&s.problem, k).name);
    cr_expect(memcmp(a->listed, b->listed, n * sizeof *a->listed) == 0, "%u ranks: listed elements", n_ranks);
    cr_expect(a->peak_mV == b->peak_mV, "%u ranks: the stimulus' peak is %.17g, alone %.17g", n_ranks,
        b->peak_mV, a->peak_mV);
    cr_assert_eq(a->n_counts, b->n_counts);
    for (size_t k = 0; k < a->n_counts; k++)
        cr_expect_eq(a->counts[k], b->counts[k], "%u ranks: count %zu", n_ranks, k);
    for (uint32_t r = 0; all_receive && n_ranks > 1 && r < n_ranks; r++)
        cr_expect_gt(world.crossed[r], 0, "rank %u received nothing", r);
}

/* Of the layouts. */
static const mt_scheme *scheme;

/* Runs on one process and on each number of ranks, ended by 0; both must reach the same state. Then both continue from there, unless
 * `once`. */
static void check_runs(
    const mt_backend *backend, mt_layout (*layout_of)(uint32_t n_ranks), const uint32_t *n_ranks, bool once)
{
    job alone = job_on(backend, layout_of(1)), on = job_on(backend, layout_of(1));
    run_alone(&alone);
    on.start = &alone.left;
    if (!once) run_alone(&on);
    for (const uint32_t *n = n_ranks; *n > 0; n++) {
        job shared = job_on(backend, layout_of(*n)), shared_on = job_on(backend, layout_of(*n));
        on_threads(&world, *n, run_rank, &shared);
        expect_same(&alone, &shared, *n);
        if (once) continue;
        shared_on.start = &shared.left;
        on_threads(&world, *n, run_rank, &shared_on);
        expect_same(&on, &shared_on, *n);
    }
}

static void check_on(
    const mt_backend *backend, mt_layout (*layout_of)(uint32_t n_ranks), const uint32_t *n_ranks)
{
    check_runs(backend, layout_of, n_ranks, false);
}

/* Same on 2, 3 and 4 ranks (3 only with the first scheme). */
static void check(const mt_backend *backend, mt_layout (*layout_of)(uint32_t n_ranks))
{
    static const uint32_t all[] = {2, 3, 4, 0}, even[] = {2, 4, 0};
    check_on(backend, layout_of, scheme == mt_schemes ? all : even);
}

static mt_layout chips(uint32_t n_ranks)
{
    (void)n_ranks;
    return layout_by(&s, MT_PARTITION_HIERARCHICAL, CHIPS, TILES, scheme);
}

static mt_layout parts(uint32_t n_ranks) { return layout_by(&s, MT_PARTITION_FLAT, 1, n_ranks, scheme); }

/* Same for devices: with the number of lanes of test_opencl.c, whose compiled kernels are used again. */
static mt_layout device_parts(uint32_t n_ranks)
{
    mt_layout layout = parts(n_ranks);
    layout.lanes = 8;
    return layout;
}

static mt_layout checked_chips(uint32_t n_ranks)
{
    mt_layout layout = chips(n_ranks);
    layout.checked = true;
    return layout;
}

Test(leader, the_machine_is_bit_identical_with_equal_counts_under_every_scheme)
{
    s.problem.record = (mt_record){.all = true, .threshold_mV = 0, .fraction = 0.9};
    for (scheme = mt_schemes; scheme->name; scheme++) check(&mt_backend_ipu, chips);
}

Test(leader, the_cpu_is_bit_identical_under_every_scheme)
{
    s.problem.record = (mt_record){.all = true, .threshold_mV = 0, .fraction = 0.9};
    for (scheme = mt_schemes; scheme->name; scheme++) check(&mt_backend_cpu, parts);
}

/* Small models are compiled quickly for devices. */
static void use_model(const char *name)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        if (strcmp((*m)->name, name) == 0) s.problem.model = *m;
}

/* Few ranks: pocl reads the whole source each time that a device is opened. */
Test(leader, devices_are_bit_identical)
{
    scheme = mt_schemes;
    use_model("mitchell-schaeffer");
    check_on(&mt_backend_opencl, device_parts, (const uint32_t[]){3, 0});
    s.problem.record = (mt_record){.all = true, .threshold_mV = 0, .fraction = 0.9};
    s.problem.pde_steps = 3;
    s.problem.accumulation = MT_ACCUMULATION_DOUBLE_WORD;
    check_on(&mt_backend_opencl, device_parts, (const uint32_t[]){2, 0});
}

/* Stimulates the elements at the opposite end. */
static void stimulate_far(void)
{
    uint32_t *elements = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *elements);
    mt_stimulus *stimulus = &s.stimulus[0];
    stimulus->n_elements = 0;
    stimulus->element = elements;
    for (size_t e = 0; e < s.mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, e, x);
        if (x[0] > 3.5) elements[stimulus->n_elements++] = (uint32_t)e;
    }
}

enum { KINDS = 2 };

/* Sets two variants of the model with different resting states. */
static void make_variants(void)
{
    static mt_cell_variant variant[KINDS];
    const mt_cell_model *model = s.problem.model;
    double *parameters = mt_arena_alloc(&s.arena, model->n_parameters, sizeof *parameters),
           *states = mt_arena_alloc(&s.arena, model->n_states, sizeof *states);
    variant[0] = variant[1] = model->variants[0];
    for (size_t k = 0; k < model->n_parameters; k++)
        parameters[k] = variant[0].parameters[k] * (k == 0 ? 0.9 : 1);
    for (size_t k = 0; k < model->n_states; k++) states[k] = variant[0].states[k] * (k == 0 ? 1.01 : 1);
    variant[1] = (mt_cell_variant){"other", parameters, variant[0].v_mV + 1, states};
    s.problem.variants = variant;
    s.problem.n_variants = KINDS;
}

/* Sets two tissues, one with lower conductivity normal to its sheets, and two variants. */
static void make_rich(void)
{
    static mt_tissue tissue[KINDS];
    uint16_t *of = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *of);
    s.mesh.sheet = mt_arena_alloc(&s.arena, 3 * s.mesh.n_elements, sizeof *s.mesh.sheet);
    for (size_t e = 0; e < s.mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, e, x);
        s.mesh.sheet[3 * e + 1] = 1; /* fibres are along x */
        of[e] = x[1] > 1;
    }
    tissue[0] = tissue[1] = mt_tissue_default;
    tissue[1].chi_per_mm *= 1.2;
    tissue[1].sigma_n_mS_mm = tissue[1].sigma_t_mS_mm / 2;
    make_lean(&(mt_tissues){KINDS, tissue, of});
    make_variants();
    s.problem.variant_of = of;
}

Test(leader, tissues_sheets_and_cell_variants_are_distributed_with_the_elements)
{
    scheme = mt_schemes;
    make_rich();
    check(&mt_backend_ipu, chips);
    check(&mt_backend_cpu, parts);
}

/* 6 elements, so most chips have no element; each has a rank. */
Test(leader, a_rank_can_have_no_elements)
{
    static const uint32_t each[] = {CHIPS, 0};
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    scheme = mt_schemes;
    all_receive = false;
    free_slab();
    make_slab_problem(&s, (double[3]){0.5, 0.5, 0.5}, 0.5);
    make_lean(&tissues);
    check(&mt_backend_ipu, chips);
    s.problem.stepping = MT_STEPPING_MULTIRATE;
    s.problem.tolerance_mV = 0.1;
    check_on(&mt_backend_ipu, chips, each);
    s.problem.stepping = MT_STEPPING_UNIFORM;
    s.problem.pde_steps = 1;
    s.problem.residual_mV = 1e-4;
    s.problem.diffusing = MT_DIFFUSING_EULER;
    check_on(&mt_backend_ipu, chips, each);
    use_model("mitchell-schaeffer");
    s.problem.diffusing = MT_DIFFUSING_EXPLICIT;
    check_runs(&mt_backend_opencl, device_parts, (const uint32_t[]){7, 0}, true);
}

/* Its cycles depend on the data of all ranks. The activation wavefront starts on the first rank, then on the last. */
Test(leader, multirate_stepping_counts_equal_cycles_on_several_ranks)
{
    scheme = mt_schemes;
    s.problem.stepping = MT_STEPPING_MULTIRATE;
    s.problem.tolerance_mV = 0.1;
    check(&mt_backend_ipu, chips);
    check(&mt_backend_cpu, parts);
    stimulate_far();
    check(&mt_backend_ipu, chips);
}

/* Its loops end by a value on one tile. */
Test(leader, implicit_steps_stay_synchronised_on_all_ranks)
{
    scheme = mt_schemes;
    s.problem.pde_steps = 1;
    s.problem.residual_mV = 1e-4;
    s.problem.diffusing = MT_DIFFUSING_EULER;
    check(&mt_backend_ipu, chips);
    check(&mt_backend_cpu, parts);
}

Test(leader, a_checked_run_on_several_ranks_receives_everything_it_reads)
{
    scheme = mt_schemes;
    s.problem.pde_steps = 2;
    check(&mt_backend_ipu, checked_chips);
}

static void expect_status(
    mt_status status, const mt_backend *backend, mt_layout layout, uint32_t n_ranks, const char *why)
{
    job j = job_on(backend, layout);
    on_threads(&world, n_ranks, run_rank, &j);
    cr_expect_eq(j.status, status);
    cr_expect(strstr(j.message, why), "%s", j.message);
}

static void expect_refused(const mt_backend *backend, mt_layout layout, uint32_t n_ranks, const char *why)
{
    expect_status(MT_INPUT, backend, layout, n_ranks, why);
}

Test(leader, more_ranks_than_ipus_are_rejected)
{
    scheme = mt_schemes;
    expect_refused(&mt_backend_ipu, layout_by(&s, MT_PARTITION_HIERARCHICAL, 2, TILES, scheme), 3,
        "a machine of 2 IPUs on 3 ranks; allowed: at most one rank per IPU");
}

/* The other ranks open the model by its name or path. */
Test(leader, a_model_that_the_other_ranks_cannot_open_or_find_changed_is_rejected_on_all)
{
    mt_cell_model model = mt_cell_tp06;
    scheme = mt_schemes;
    s.problem.model = &model;
    model.name = "models/none.mmt";
    expect_status(MT_FILE, &mt_backend_ipu, chips(3), 3, "models/none.mmt: cannot be read");
    expect_status(MT_FILE, &mt_backend_cpu, parts(3), 3, "models/none.mmt: cannot be read");
    model.name = "tp06";
    model.identity = "tp06#1";
    expect_refused(
        &mt_backend_ipu, chips(2), 2, "tp06: the ionic model is tp06 on one rank, and tp06#1 on rank 0");
}

static void expect_impossible(void)
{
    job j = job_on(&mt_backend_ipu, chips(2)), alone = j;
    run_alone(&alone);
    on_threads(&world, 2, run_rank, &j);
    cr_expect_eq(j.status, MT_NUMERICS);
    cr_expect(strstr(j.message, "it must stay within -200 .. 200 mV"), "%s", j.message);
    cr_expect_str_eq(j.message, alone.message);
}

/* An error found on any one rank is reported on all ranks. */
Test(leader, a_failure_of_one_rank_is_returned_by_all)
{
    scheme = mt_schemes;
    s.stimulus[0].rise_mV_ms = 1e9;
    n_steps = 1; /* within one step no neighbour receives the error */
    expect_impossible();
    stimulate_far();
    expect_impossible();
}

/* ---- voltages at the vertices ---- */

static const uint32_t vertex_ranks[] = {1, 2, 3, 8, 0}, three[] = {3, 0};

static mt_layout eight_chips(uint32_t n_ranks)
{
    (void)n_ranks;
    return layout_by(&s, MT_PARTITION_HIERARCHICAL, 8, 3, scheme);
}

/* Sets two kinds of tissues and cells, at y below and above 1.2 mm: of the elements, and of the vertices. */
static void make_kinds(mt_tissue *tissue, uint16_t *of_element, uint16_t *of_vertex)
{
    for (size_t e = 0; e < s.mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, e, x);
        of_element[e] = x[1] > 1.2;
    }
    for (size_t v = 0; v < s.mesh.n_vertices; v++) of_vertex[v] = s.mesh.xyz_mm[3 * v + 1] > 1.2;
    tissue[0] = tissue[1] = mt_tissue_default;
    tissue[1].chi_per_mm *= 1.2;
    tissue[1].sigma_t_mS_mm /= 2;
}

/* Stimulates the vertices at x < 1 mm at the start, and every third vertex after some steps, with delays: many have neighbours on other
 * ranks. */
static void stimulate_vertices(void)
{
    enum { LONGEST = 6 };
    size_t n[KINDS] = {0};
    uint16_t *delay = mt_arena_alloc(&s.arena, s.mesh.n_vertices, sizeof *delay);
    uint32_t *vertex[KINDS];
    for (int k = 0; k < KINDS; k++) vertex[k] = mt_arena_alloc(&s.arena, s.mesh.n_vertices, sizeof(uint32_t));
    for (uint32_t v = 0; v < s.mesh.n_vertices; v++) {
        if (s.mesh.xyz_mm[3 * (size_t)v] < 1) vertex[0][n[0]++] = v;
        if (v % 3 == 0) delay[n[1]] = (uint16_t)(5 * v % (LONGEST + 1)), vertex[1][n[1]++] = v;
    }
    s.stimulus[0] = (mt_stimulus){0, 1, 50 / 1.4, n[0], vertex[0], 0, 0, NULL, 0, 0, 0, 0};
    s.stimulus[1] = (mt_stimulus){0.5, 0.3, 10, n[1], vertex[1], 0, 0, delay, LONGEST, 3, -80, -60};
    s.problem.n_stimuli = 2;
}

/* Replaces the operator of a slab of voltages in the elements. */
static void make_vertices(const double size_mm[3], double edge_mm, bool spreads)
{
    static mt_tissue tissue[KINDS];
    static double peaks_mV[KINDS];
    static const mt_nodal_law *const usual = &mt_nodal_law_default;
    mt_nodal_law law[KINDS] = {*usual, *usual};
    free_slab();
    make_slab_problem(&s, size_mm, edge_mm);
    s.target.tiles = TARGET_TILES;
    uint16_t *of_element = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *of_element),
             *of_vertex = mt_arena_alloc(&s.arena, s.mesh.n_vertices, sizeof *of_vertex);
    make_kinds(tissue, of_element, of_vertex);
    law[1].strength /= 2;
    const mt_tissues tissues = {KINDS, tissue, of_element};
    const mt_nodal_spreading spreading = {KINDS, law, of_element};
    cr_assert_eq(mt_nodal_diffusion_make(
                     &s.arena, &s.mesh, &tissues, spreads ? &spreading : NULL, &(mt_watch){0}, &s.diffusion),
        MT_OK, "%s", mt_message());
    stimulate_vertices();
    s.problem.mesh = &s.mesh;
    s.problem.pde_steps = 2 * mt_monodomain_pde_steps(&s.diffusion, s.problem.dt_ms);
    s.problem.tolerance_mV = 0.1;
    s.problem.variant_of = of_vertex;
    s.results.peak_mV = peaks_mV;
    s.problem.record = (mt_record){.all = true, .threshold_mV = -60, .fraction = 0.9};
}

/* Without and with spreading of the increments, the share of the compensated splitting, multirate stepping, and an odd number of diffusion
 * steps. Kinds 0, 3, ..., 15 have every pair of these. The kinds 0 and 12 have the numbers of ranks `many`, and the others `few`. */
static void check_kinds_of_steps(const mt_backend *backend, mt_layout (*layout_of)(uint32_t n_ranks),
    int apart, const uint32_t *many, const uint32_t *few)
{
    scheme = mt_schemes;
    for (int kind = 0; kind < 16; kind += apart) {
        make_vertices((double[]){6, 2.5, 2}, 0.5, (kind & 1) == 0);
        if (backend == &mt_backend_opencl) use_model("mitchell-schaeffer"), make_variants();
        if (kind & 2) s.problem.splitting = MT_SPLITTING_GODUNOV;
        if (kind & 4) s.problem.stepping = MT_STEPPING_MULTIRATE;
        if (kind & 8) s.problem.pde_steps++;
        check_on(backend, layout_of, kind % 12 == 0 ? many : few);
    }
}

Test(leader, voltages_at_the_vertices_are_bit_identical_on_the_cpu)
{
    check_kinds_of_steps(&mt_backend_cpu, parts, 3, vertex_ranks, three);
    check_kinds_of_steps(&mt_backend_cpu_single, parts, 3, vertex_ranks, three);
}

/* Kinds 0, 7 and 14. */
Test(leader, voltages_at_the_vertices_are_bit_identical_on_devices)
{
    check_kinds_of_steps(&mt_backend_opencl, device_parts, 7, three, (const uint32_t[]){2, 0});
}

Test(leader, voltages_at_the_vertices_are_bit_identical_on_the_machine_with_equal_counts)
{
    check_kinds_of_steps(&mt_backend_ipu, eight_chips, 3, vertex_ranks, three);
}

Test(leader, voltages_at_the_vertices_are_bit_identical_under_every_scheme)
{
    for (scheme = mt_schemes; scheme->name; scheme++) {
        make_vertices((double[]){6, 2.5, 2}, 0.5, true);
        check_on(&mt_backend_cpu, parts, three);
        check_on(&mt_backend_ipu, eight_chips, three);
    }
}

/* 5952 vertices: interior chunks are computed during the exchange, and are in another order than on one process. */
Test(leader, large_parts_with_voltages_at_the_vertices_are_bit_identical)
{
    static const uint32_t two[] = {2, 3, 0};
    scheme = mt_schemes;
    make_vertices((double[]){12, 6, 4.4}, 0.4, true);
    use_model("mitchell-schaeffer");
    cr_assert_gt(s.diffusion.n_unknowns, 5000);
    s.problem.variant_of = NULL;
    check_on(&mt_backend_cpu, parts, two);
    check_on(&mt_backend_cpu_single, parts, two);
    check_on(&mt_backend_opencl, device_parts, two + 1);
}

/* 8 vertices of one box on 8 ranks with 3 tiles each. */
Test(leader, a_rank_can_have_no_vertices)
{
    static const uint32_t ranks[] = {2, 8, 0};
    scheme = mt_schemes;
    all_receive = false;
    make_vertices((double[]){0.5, 0.5, 0.5}, 0.5, true);
    check_on(&mt_backend_ipu, eight_chips, ranks);
    check_on(&mt_backend_cpu, parts, ranks);
    use_model("mitchell-schaeffer");
    check_runs(&mt_backend_opencl, device_parts, ranks + 1, true);
}

Test(leader, a_checked_run_receives_all_increments_and_voltages_of_vertices)
{
    static const uint32_t two[] = {2, 0};
    scheme = mt_schemes;
    make_vertices((double[]){6, 2.5, 2}, 0.5, true);
    check_on(&mt_backend_ipu, checked_chips, two);
}

/* A halo without rows: nobody receives anything. */
Test(leader, the_halo_of_another_operator_is_rejected_with_voltages_at_the_vertices)
{
    scheme = mt_schemes;
    make_vertices((double[]){6, 2.5, 2}, 0.5, true);
    const mt_layout layout = parts(2);
    mt_halo halo;
    const size_t n = s.diffusion.n_unknowns;
    const mt_pattern none = {.n_elements = n,
        .width = 1,
        .columns = s.diffusion.nodal->column,
        .start = mt_arena_alloc(&s.arena, n + 1, sizeof *none.start)};
    cr_assert_eq(
        mt_halo_make(&s.arena, &none, partition_by(&s, MT_PARTITION_FLAT, 1, 2), scheme, &halo), MT_OK);
    expect_refused(&mt_backend_cpu, (mt_layout){.target = layout.target, .halo = &halo}, 2,
        "the halo of another operator: part 0 does not receive all neighbours of vertex");
}
