/* How fast, as ratios of rates measured in the same run, each the best of several repetitions:
 *
 *   cell model     float, all lanes, one core, against one lane in double with the C library's functions
 *   diffusion      ELLPACK rows (16-bit columns, two threads) against streaming the same bytes through the same threads
 *   machine        the 0.2 mm slab, or a mesh with fibres, on the emulated machine (1,472 tiles) against the same float kernels on the
 *                  whole mesh, and the parts of a time step of both: the least time of each in steps that do one after the other.
 *                  "rest" is what the whole step takes more or less than its parts
 *   recording      the 0.2 mm slab, or a mesh with fibres, with a wave in it: all maps recorded and nine potentials a
 *                  millisecond, against the activation times alone
 *   growth         what more of something costs: times for n, 2n and 4n of it, and the exponent b of n^b through
 *                  the first and the last; n log n shows as 1.1
 *
 * Run it on an idle machine: build/release/benchmarks, or for one of them alone build/release/benchmarks growth, or machine
 * or recording [MESH]. Nothing here is a test. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/yaml.h"
#include "ipu/compile/compile.h"
#include "ipu/run/engine.h"
#include "mesh/cut/repair.h"
#include "mesh/files/formats.h"
#include "mesh/make/slab.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/kernels.h"
#include "solver/backends/backend.h"
#include "solver/outputs/ecg.h"
#include "solver/plan/codelets.h"
#include "solver/diffusion/tissue.h"

mt_cell_kernel_double mt_cell_tp06_double_one;

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(mt_status status)
{
    if (status == MT_OK) return;
    (void)fprintf(stderr, "benchmarks: %s\n", mt_message());
    exit((int)status);
}

static void *take(mt_arena *arena, size_t count, size_t size)
{
    void *memory = mt_arena_alloc(arena, count, size);
    must(memory ? MT_OK : MT_FILE);
    return memory;
}

/* Work per second: the best of `repeats` goes at what `go` does with `data`. */
static double best_rate(void (*go)(void *), void *data, double work, int repeats)
{
    double best = 0;
    for (int r = 0; r < repeats; r++) {
        double start = now_s();
        go(data);
        best = fmax(best, work / (now_s() - start));
    }
    return best;
}

/* ---- cell model ---- */

enum { CELLS = 4096, ELEMENT_STEPS = 50 };

typedef struct elements {
    float *v, *state;
    double *v_double, *state_double;
    const mt_kernels *kernels;
    float constants[TP06_CONSTANTS];
    double constants_double[TP06_CONSTANTS];
} elements;

static void go_float(void *data)
{
    elements *c = data;
    for (int s = 0; s < ELEMENT_STEPS; s++)
        mt_cell_tp06.kernel_float[c->kernels->set](c->constants, 1, NULL, 0.02, CELLS, c->state, c->v, c->v);
}

static void go_double(void *data)
{
    elements *c = data;
    for (int s = 0; s < ELEMENT_STEPS; s++)
        mt_cell_tp06.kernel_double[c->kernels->set](
            c->constants_double, 1, NULL, 0.02, CELLS, c->state_double, c->v_double, c->v_double);
}

static void go_double_one(void *data)
{
    elements *c = data;
    for (int s = 0; s < ELEMENT_STEPS; s++)
        mt_cell_tp06_double_one(
            c->constants_double, 1, NULL, 0.02, CELLS, c->state_double, c->v_double, c->v_double);
}

static void cell_model(void)
{
    mt_arena arena = {0};
    elements c = {take(&arena, CELLS, 4), take(&arena, CELLS * TP06_STATES, 4), take(&arena, CELLS, 8),
        take(&arena, CELLS * TP06_STATES, 8), NULL, {0}, {0}};
    mt_cell_constants_float(&mt_cell_tp06, mt_cell_tp06.variants, 1, c.constants);
    mt_cell_constants_double(&mt_cell_tp06, mt_cell_tp06.variants, 1, c.constants_double);
    const mt_kernels *all[MT_ISAS];
    const size_t n = mt_kernels_all(all);
    for (size_t element = 0; element < CELLS; element++) {
        c.v_double[element] =
            mt_cell_tp06.variants[0].v_mV + (double)(element % 100); /* cells at rest and firing */
        c.v[element] = (float)c.v_double[element];
        for (size_t k = 0; k < TP06_STATES; k++) {
            size_t at = mt_block_index(CELLS, TP06_STATES, element, k);
            c.state_double[at] = mt_cell_tp06.variants[0].states[k];
            c.state[at] = (float)mt_cell_tp06.variants[0].states[k];
        }
    }
    const double work = (double)CELLS * ELEMENT_STEPS, one = best_rate(go_double_one, &c, work, 5);
    printf("cell model, one core, element-steps/s (ratio to one lane in double)\n");
    printf("  %-8s double %9.3g  (1)\n", "one lane", one);
    for (size_t k = 0; k < n; k++) {
        c.kernels = all[k];
        double rate = best_rate(go_double, &c, work, 5), rate_float = best_rate(go_float, &c, work, 5);
        printf("  %-8s double %9.3g  (%.1f)   float %9.3g  (%.1f)\n", all[k]->isa, rate, rate / one,
            rate_float, rate_float / one);
    }
    mt_arena_free(&arena);
}

/* ---- a slab ---- */

typedef struct slab {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    mt_partition partition;
    mt_halo halo;
    ipu_target target;
    mt_monodomain problem;
    mt_layout layout;
} slab;

/* What runs on the mesh that is there. */
static void make_problem(slab *s)
{
    must(mt_adjacency_make(&s->arena, &s->mesh, &s->adjacency));
    must(mt_diffusion_make(
        &s->arena, &s->mesh, &s->adjacency, &mt_tissue_usual, &mt_diffusion_scheme_usual, &s->diffusion));
    must(ipu_target_load(&s->arena, MT_DATA_DIR "/machines/gc200.yaml", NULL, 0, &s->target));
    must(mt_partition_make(&s->arena, &s->adjacency,
        &(mt_partition_options){MT_PARTITION_FLAT, 1, (uint32_t)s->target.tiles, 1.03, NULL}, &s->partition));
    mt_scheme scheme;
    must(mt_scheme_find("mixed-clean", 0, &scheme));
    const mt_pattern pattern = mt_diffusion_pattern(&s->diffusion);
    must(mt_halo_make(&s->arena, &pattern, &s->partition, &scheme, &s->halo));
    s->problem = (mt_monodomain){.diffusion = &s->diffusion,
        .model = &mt_cell_tp06,
        .dt_ms = 0.02,
        .pde_steps = mt_monodomain_pde_steps(&s->diffusion, 0.02)};
    s->layout = (mt_layout){&s->target, &s->halo, false};
}

static void make_slab(slab *s, double edge_mm)
{
    *s = (slab){0};
    must(mt_slab_make(&s->arena, (double[]){20, 7, 3}, edge_mm, &s->mesh));
    make_problem(s);
}

static void read_mesh(slab *s, const char *path)
{
    *s = (slab){0};
    must(mt_mesh_read(&s->arena, path, &s->mesh));
    make_problem(s);
}

/* ---- diffusion ---- */

/* The rows of all tiles as each tile holds them, and plain memory of as many bytes. */
typedef struct rows {
    slab *s;
    float *d, *a, *v, *out, *sums;
    uint16_t *column;
    size_t *v_offset; /* [parts + 1] of each tile's local order in v */
} rows;

static void go_rows(void *data)
{
    rows *r = data;
    const mt_halo *halo = &r->s->halo;
#pragma omp parallel for schedule(static)
    for (uint32_t p = 0; p < halo->n_parts; p++) {
        const size_t from = halo->own_offset[p];
        const float *v = r->v + r->v_offset[p];
        mt_ellpack_rows_float16(mt_halo_own(halo, p), r->d + from, r->a + MT_ELLPACK_WIDTH * from,
            r->column + MT_ELLPACK_WIDTH * from, mt_halo_local(halo, p), v, r->out + from);
    }
}

/* Reads every byte that the rows read, once, and writes what they write. */
static void go_stream(void *data)
{
    rows *r = data;
    const size_t n_blocks = r->s->mesh.n_elements / MT_BLOCK,
                 v_blocks = r->v_offset[r->s->halo.n_parts] / MT_BLOCK;
    const float *restrict a = r->a, *restrict columns = (const float *)(const void *)r->column;
    float checksum = 0;
#pragma omp parallel reduction(+ : checksum)
    {
        float sum[MT_BLOCK] = {0};
#pragma omp for schedule(static) nowait
        for (size_t block = 0; block < n_blocks; block++) {
            memcpy(sum, r->d + block * MT_BLOCK, sizeof sum);
            for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++)
                for (size_t lane = 0; lane < MT_BLOCK; lane++)
                    sum[lane] += a[(block * MT_ELLPACK_WIDTH + k) * MT_BLOCK + lane];
            for (size_t k = 0; k < MT_ELLPACK_WIDTH / 2; k++)
                for (size_t lane = 0; lane < MT_BLOCK; lane++)
                    sum[lane] += columns[(block * MT_ELLPACK_WIDTH / 2 + k) * MT_BLOCK + lane];
            memcpy(r->out + block * MT_BLOCK, sum, sizeof sum);
        }
#pragma omp for schedule(static)
        for (size_t block = 0; block < v_blocks; block++)
            for (size_t lane = 0; lane < MT_BLOCK; lane++) sum[lane] += r->v[block * MT_BLOCK + lane];
        for (size_t lane = 0; lane < MT_BLOCK; lane++) checksum += sum[lane];
    }
    r->out[0] = checksum;
}

static void diffusion(slab *s)
{
    mt_arena arena = {0};
    const size_t n = s->mesh.n_elements;
    rows r = {.s = s,
        .d = take(&arena, n, 4),
        .a = take(&arena, n * MT_ELLPACK_WIDTH, 4),
        .out = take(&arena, n, 4),
        .column = take(&arena, n * MT_ELLPACK_WIDTH, 2),
        .v_offset = take(&arena, s->halo.n_parts + (size_t)1, 8)};
    uint32_t *map = take(&arena, n, 4), *local = take(&arena, n * MT_ELLPACK_WIDTH, 4);
    const mt_pattern pattern = mt_diffusion_pattern(&s->diffusion);
    memset(map, 0xff, n * 4);
    for (uint32_t p = 0; p < s->halo.n_parts; p++) {
        const size_t own = mt_halo_own(&s->halo, p), from = s->halo.own_offset[p];
        r.v_offset[p + 1] = r.v_offset[p] + mt_halo_local(&s->halo, p);
        must(mt_halo_columns(&s->halo, &pattern, p, map, local));
        for (size_t row = 0; row < own; row++)
            for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++)
                r.column[MT_ELLPACK_WIDTH * from + mt_block_index(own, MT_ELLPACK_WIDTH, row, k)] =
                    (uint16_t)local[MT_ELLPACK_WIDTH * row + k];
    }
    r.v = take(&arena, r.v_offset[s->halo.n_parts], 4);
    const double bytes = (double)n * (MT_ELLPACK_WIDTH * 6 + 8) + 4 * (double)r.v_offset[s->halo.n_parts];
    const double stream = best_rate(go_stream, &r, bytes, 20), rate = best_rate(go_rows, &r, bytes, 20);
    printf("diffusion, %zu rows, %d threads: ELLPACK %.1f GB/s, streaming the same bytes %.1f GB/s: ratio "
           "%.2f\n",
        n, omp_get_max_threads(), rate / 1e9, stream / 1e9, rate / stream);
    mt_arena_free(&arena);
}

/* ---- machine ---- */

enum { MACHINE_STEPS = 20 };

typedef struct on_machine {
    const mt_backend *backend;
    void *self;
} on_machine;

static void go_machine(void *data)
{
    on_machine *m = data;
    must(m->backend->advance(m->self, 0, 1));
}

/* The same kernels on the whole mesh: no tiles, no exchange. */
typedef struct bare {
    const mt_monodomain *problem;
    size_t n;
    float *v, *next, *before, *activation, *state, *d, *a;
    uint32_t *column;
} bare;

enum { CHUNK = 64 * MT_BLOCK };

static void bare_cells(void *data)
{
    const bare *b = data;
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < b->n; at += CHUNK)
        mt_cell_step_float(&mt_cell_tp06, 0, NULL, b->problem->dt_ms, b->n - at < CHUNK ? b->n - at : CHUNK,
            b->state + at * TP06_STATES, b->v + at, b->v + at);
}

static void bare_diffusion(void *data)
{
    const bare *b = data;
    for (size_t p = 0; p < b->problem->pde_steps; p++) {
        const float *from = p % 2 ? b->next : b->v;
        float *to = p % 2 ? b->v : b->next;
#pragma omp parallel for schedule(static)
        for (size_t at = 0; at < b->n; at += CHUNK)
            mt_ellpack_rows_float32(b->n - at < CHUNK ? b->n - at : CHUNK, b->d + at,
                b->a + at * MT_ELLPACK_WIDTH, b->column + at * MT_ELLPACK_WIDTH, from + at, from, to + at);
    }
}

static void bare_record(void *data)
{
    const bare *b = data;
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < b->n; c++) {
        if (b->before[c] < 0 && b->v[c] >= 0) b->activation[c] = b->before[c] / (b->before[c] - b->v[c]);
        b->before[c] = b->v[c];
    }
}

static bare make_bare(mt_arena *arena, const slab *s)
{
    const size_t n = s->mesh.n_elements;
    bare b = {&s->problem, n, take(arena, n, 4), take(arena, n, 4), take(arena, n, 4), take(arena, n, 4),
        take(arena, n * TP06_STATES, 4), take(arena, n, 4), take(arena, n * MT_ELLPACK_WIDTH, 4),
        take(arena, n * MT_ELLPACK_WIDTH, 4)};
    const double substep_ms = s->problem.dt_ms / (double)s->problem.pde_steps;
    for (size_t c = 0; c < n; c++) {
        float off[MT_ELLPACK_WIDTH];
        b.d[c] =
            mt_diffusion_step_row_float(s->diffusion.rate + (size_t)MT_DIFFUSION_ROW * c, substep_ms, off);
        b.v[c] = b.before[c] = (float)mt_cell_tp06.variants[0].v_mV;
        for (size_t k = 0; k < TP06_STATES; k++)
            b.state[mt_block_index(n, TP06_STATES, c, k)] = (float)mt_cell_tp06.variants[0].states[k];
        for (size_t k = 0; k < MT_ELLPACK_WIDTH; k++) {
            size_t at = mt_block_index(n, MT_ELLPACK_WIDTH, c, k);
            b.a[at] = off[k];
            b.column[at] = s->diffusion.column[MT_ELLPACK_WIDTH * c + k];
        }
    }
    return b;
}

/* The tiles again, phase by phase. The halo's compute sets are those of the diffusion with vertices that do nothing: what is left is
 * the host's copying. */
enum { PHASE_CELLS, PHASE_HALO, PHASE_DIFFUSION, PHASE_RECORD, PHASES };
typedef struct phased {
    mt_plan plan;
    ipu_codelet idle;
    ipu_engine *engine;
} phased;

typedef struct phase {
    ipu_engine *engine;
    size_t program;
} phase;

static void go_phase(void *data)
{
    const phase *p = data;
    must(ipu_engine_run(p->engine, p->program));
}

static void do_nothing(const ipu_span *fields, const void *context) { (void)fields, (void)context; }

/* Adds a compute set like `set`, of idle vertices. */
static uint32_t add_idle(phased *p, uint32_t set)
{
    ipu_graph *graph = p->plan.graph;
    const size_t n = graph->n_vertices;
    uint32_t idle;
    must(ipu_graph_add_compute_set(graph, "halo", &idle));
    for (size_t i = 0, vertex; i < n; i++) {
        const ipu_vertex like = graph->vertices[i];
        if (like.compute_set != set) continue;
        must(ipu_graph_add_vertex(graph, idle, &p->idle, like.tile, like.context, &vertex));
        for (size_t f = 0; f < p->idle.n_fields; f++)
            must(ipu_graph_connect(
                graph, vertex, p->idle.fields[f].name, graph->connections[like.first_connection + f].tensor));
    }
    return idle;
}

/* As many diffusion steps as the problem has, to and fro. */
static const ipu_program *substeps(slab *s, uint32_t ab, uint32_t ba)
{
    const size_t n = s->problem.pde_steps;
    const ipu_program **step = take(&s->arena, n, sizeof *step), *all;
    for (size_t p = 0; p < n; p++) must(ipu_program_execute(&s->arena, p % 2 ? ba : ab, &step[p]));
    must(ipu_program_sequence(&s->arena, step, n, &all));
    return all;
}

static void write_rest(phased *p)
{
    const mt_halo *halo = p->plan.halo;
    mt_arena scratch = {0};
    float *v = take(&scratch, halo->n_elements, sizeof *v),
          *state = take(&scratch, halo->n_elements * TP06_STATES, sizeof *state);
    for (uint32_t part = 0; part < halo->n_parts; part++)
        for (size_t from = halo->own_offset[part], n = mt_halo_own(halo, part), c = 0; c < n; c++) {
            v[from + c] = (float)mt_cell_tp06.variants[0].v_mV;
            for (size_t k = 0; k < TP06_STATES; k++)
                state[TP06_STATES * from + mt_block_index(n, TP06_STATES, c, k)] =
                    (float)mt_cell_tp06.variants[0].states[k];
        }
    const ipu_tensor *at_rest[] = {&p->plan.v_a, &p->plan.v_b, &p->plan.before};
    for (size_t k = 0; k < 3; k++) ipu_engine_write(p->engine, at_rest[k], v);
    ipu_engine_write(p->engine, &p->plan.state, state);
    mt_arena_free(&scratch);
}

/* Of a part: its piece of a variable, with `entries` values an element. */
static void write_piece(
    phased *p, const ipu_tensor *tensor, uint32_t part, size_t entries, const void *values)
{
    const mt_halo *halo = p->plan.halo;
    const ipu_slice piece = {p->plan.graph->slices[tensor->first_slice].variable,
        entries * halo->own_offset[part], entries * mt_halo_own(halo, part)};
    if (piece.n > 0) ipu_engine_write_slice(p->engine, &piece, values);
}

static void write_matrix(phased *p)
{
    mt_arena scratch = {0};
    mt_plan_matrix m;
    must(mt_plan_matrix_room(&scratch, &p->plan, &m));
    for (uint32_t part = 0; part < p->plan.halo->n_parts; part++) {
        must(mt_plan_matrix_of(&p->plan, part, &m));
        write_piece(p, &p->plan.d, part, 1, m.d);
        write_piece(p, &p->plan.a, part, MT_DIFFUSION_ROW, m.a);
        write_piece(p, &p->plan.column, part, MT_DIFFUSION_ROW, m.column);
    }
    mt_arena_free(&scratch);
}

static void make_phased(slab *s, phased *p)
{
    const ipu_program *programs[PHASES];
    ipu_executable *executable;
    mt_arena values = {0};
    *p = (phased){.idle = mt_codelet_pde};
    p->idle.compute = do_nothing;
    must(mt_plan_make(&s->arena, &values, &s->problem, &s->layout, &p->plan));
    const uint32_t ab = add_idle(p, MT_PLAN_PDE_AB), ba = add_idle(p, MT_PLAN_PDE_BA);
    must(ipu_program_execute(&s->arena, MT_PLAN_ODE, &programs[PHASE_CELLS]));
    programs[PHASE_HALO] = substeps(s, ab, ba);
    programs[PHASE_DIFFUSION] = substeps(s, MT_PLAN_PDE_AB, MT_PLAN_PDE_BA);
    must(ipu_program_execute(&s->arena, MT_PLAN_ACTIVATION, &programs[PHASE_RECORD]));
    must(ipu_compile(&s->arena, p->plan.graph, programs, PHASES, &executable));
    must(ipu_engine_new(&s->arena, executable, false, &p->engine));
    write_rest(p);
    write_matrix(p);
    mt_arena_free(&values);
}

/* A part of a time step, and the least time that it has taken. */
typedef struct lap {
    void (*go)(void *data);
    void *data;
    double least_s;
} lap;

/* Steps of a few parts one after the other. */
static void do_laps(lap *laps, size_t n)
{
    for (int step = 0; step < MACHINE_STEPS; step++)
        for (size_t k = 0; k < n; k++) {
            const double start = now_s();
            laps[k].go(laps[k].data);
            laps[k].least_s = fmin(laps[k].least_s, now_s() - start);
        }
}

static void tell_lap(const char *name, double tiles_ns, double all_ns, double without_ns)
{
    printf("  %-12s%8.2f ns  (%3.0f %%)%8.2f ns\n", name, tiles_ns, 100 * tiles_ns / all_ns, without_ns);
}

/* A step on the tiles as a whole; in its parts; in its parts with the halo copied by itself before the diffusion copies it again; and
 * without tiles, in parts. */
enum {
    LAP_TILES,
    LAP_CELLS,
    LAP_DIFFUSION,
    LAP_RECORD,
    LAP_AGAIN,
    LAP_HALO = LAP_AGAIN + 1,
    LAP_BARE = LAP_AGAIN + 4,
    LAPS = LAP_BARE + 3
};

static void tell_machine(const slab *s, const lap laps[LAPS])
{
    double ns[LAPS];
    for (size_t k = 0; k < LAPS; k++) ns[k] = 1e9 * laps[k].least_s / (double)s->mesh.n_elements;
    const double *bare_ns = ns + LAP_BARE, all = ns[LAP_TILES],
                 all_bare = bare_ns[0] + bare_ns[1] + bare_ns[2];
    printf(
        "machine, %zu elements, %zu diffusion steps, %d threads: an element's time step on %zu tiles takes "
        "%.2f times the time that it takes without them\n",
        s->mesh.n_elements, s->problem.pde_steps, omp_get_max_threads(), s->target.tiles, all / all_bare);
    printf("                 tiles              without\n");
    tell_lap("cell model", ns[LAP_CELLS], all, bare_ns[0]);
    tell_lap("diffusion", ns[LAP_DIFFUSION] - ns[LAP_HALO], all, bare_ns[1]);
    tell_lap("halo", ns[LAP_HALO], all, 0);
    tell_lap("record", ns[LAP_RECORD], all, bare_ns[2]);
    tell_lap("rest", all - ns[LAP_CELLS] - ns[LAP_DIFFUSION] - ns[LAP_RECORD], all, 0);
    tell_lap("all", all, all, all_bare);
}

static void machine(slab *s)
{
    on_machine m = {mt_backend_find("ipu"), NULL};
    phased p;
    bare b = make_bare(&s->arena, s);
    must(m.backend->open(&s->arena, &s->problem, &s->layout, &m.self));
    make_phased(s, &p);
    phase cells = {p.engine, PHASE_CELLS}, halo = {p.engine, PHASE_HALO},
          spreads = {p.engine, PHASE_DIFFUSION}, records = {p.engine, PHASE_RECORD};
    lap laps[LAPS] = {{go_machine, &m, INFINITY}, {go_phase, &cells, INFINITY},
        {go_phase, &spreads, INFINITY}, {go_phase, &records, INFINITY}, {go_phase, &cells, INFINITY},
        {go_phase, &halo, INFINITY}, {go_phase, &spreads, INFINITY}, {go_phase, &records, INFINITY},
        {bare_cells, &b, INFINITY}, {bare_diffusion, &b, INFINITY}, {bare_record, &b, INFINITY}};
    for (int repeat = 0; repeat < 5; repeat++) {
        do_laps(laps + LAP_TILES, 1);
        do_laps(laps + LAP_CELLS, 3);
        do_laps(laps + LAP_AGAIN, 4);
        do_laps(laps + LAP_BARE, 3);
    }
    tell_machine(s, laps);
}

/* ---- recording ---- */

enum { ELECTRODES = 9, RECORDED_MS = 12 };

/* Makes a millisecond of steps, and answers how long that took; with an ECG that, too. */
static double one_ms(const on_machine *m, const mt_ecg *ecg, size_t first, size_t n, double *v, double *phi)
{
    const double start = now_s();
    for (size_t step = first; step < first + n; step++) must(m->backend->advance(m->self, step, 1));
    if (ecg) {
        m->backend->read(m->self, MT_ARRAY_V, v);
        mt_ecg_potentials(ecg, v, phi);
    }
    return now_s() - start;
}

static void make_electrodes(slab *s, mt_ecg *ecg)
{
    static const char *const name[ELECTRODES] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
    mt_medium muscle = {0.17, 0.019, NAN, 0.62, 0.24, NAN, 140, 0.01};
    mt_electrode electrode[ELECTRODES];
    for (size_t k = 0; k < ELECTRODES; k++)
        electrode[k] = (mt_electrode){name[k], {20 * cos(0.7 * (double)k), 20 * sin(0.7 * (double)k), 20}};
    must(mt_ecg_make(&s->arena, &s->mesh, &s->adjacency, &(mt_media){.n = 1, .medium = &muscle}, 1,
        ELECTRODES, electrode, ecg));
}

/* From a stimulus at the end with the least x: most elements are at rest or on their plateau, as in a heart. */
static mt_stimulus stimulate_end(slab *s)
{
    uint32_t *element = take(&s->arena, s->mesh.n_elements, sizeof *element);
    mt_stimulus end = {.duration_ms = 2, .rise_mV_ms = 50 / 1.4, .element = element};
    double least_mm = INFINITY;
    for (size_t v = 0; v < s->mesh.n_vertices; v++) least_mm = fmin(least_mm, s->mesh.xyz_mm[3 * v]);
    for (size_t e = 0; e < s->mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&s->mesh, e, x);
        if (x[0] < least_mm + 1.5) element[end.n_elements++] = (uint32_t)e;
    }
    return end;
}

/* The two take turns, millisecond by millisecond. */
static void recording(slab *s)
{
    const size_t n = (size_t)llround(1 / s->problem.dt_ms);
    const mt_stimulus end = stimulate_end(s);
    mt_monodomain plain = s->problem, all = s->problem;
    on_machine without = {mt_backend_find("ipu"), NULL}, with = without;
    double *v = take(&s->arena, s->mesh.n_elements, sizeof *v), phi[ELECTRODES], time[2] = {0};
    mt_ecg ecg;
    plain.n_stimuli = all.n_stimuli = 1;
    plain.stimulus = all.stimulus = &end;
    all.record = (mt_record){.all = true, .fraction = 0.9};
    make_electrodes(s, &ecg);
    must(without.backend->open(&s->arena, &plain, &s->layout, &without.self));
    must(with.backend->open(&s->arena, &all, &s->layout, &with.self));
    for (size_t ms = 0; ms < RECORDED_MS; ms++) {
        time[0] += one_ms(&without, NULL, ms * n, n, v, phi);
        time[1] += one_ms(&with, &ecg, ms * n, n, v, phi);
    }
    printf("recording, %zu elements: all maps, and %d potentials a ms, in %.3f times the time; bytes an "
           "element: %zu "
           "on the tiles, %zu for the potentials on the host\n",
        s->mesh.n_elements, ELECTRODES, time[1] / time[0], MT_RECORDED * sizeof(float),
        ELECTRODES * sizeof(float));
}

/* ---- growth ---- */

/* Prepares what is measured for n of something, and does it. */
typedef struct growing {
    const char *of;
    size_t n;
    void *(*prepare)(mt_arena *arena, size_t n);
    void (*go)(mt_arena *arena, void *prepared);
} growing;

/* Of the processor: others may be at work. */
static double processor_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least_time(const growing *g, size_t n)
{
    double least = INFINITY;
    for (int repeat = 0; repeat < 3; repeat++) {
        mt_arena arena = {0};
        void *prepared = g->prepare(&arena, n);
        const double start = processor_s();
        g->go(&arena, prepared);
        least = fmin(least, processor_s() - start);
        mt_arena_free(&arena);
    }
    return least;
}

static void grow(const growing *g)
{
    const double once = least_time(g, g->n), twice = least_time(g, 2 * g->n), four = least_time(g, 4 * g->n);
    printf("  %-52s %7zu  %9.4f s %9.4f s %9.4f s   n^%.2f\n", g->of, g->n, once, twice, four,
        log2(four / once) / 2);
    (void)fflush(stdout);
}

/* A text of n times a line with its number, behind a first line. */
static void *lines(mt_arena *arena, size_t n, const char *first, const char *line)
{
    const size_t size = strlen(first) + n * (strlen(line) + 24) + 1;
    char *text = take(arena, size, 1);
    size_t used = (size_t)snprintf(text, size, "%s", first);
    for (size_t i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, size - used, line, i);
    }
    return text;
}

typedef struct entry {
    double x;
    const char *name;
} entry;
typedef struct entries {
    entry *list;
    size_t n;
} entries;
static const mt_yaml_key entry_keys[] = {MT_YAML_DOUBLE(entry, x, "x", NULL, MT_YAML_ANY, "a number"),
    MT_YAML_STRING(entry, name, "name", "none", "a text"), MT_YAML_END};
static const mt_yaml_key list_keys[] = {
    MT_YAML_LIST(entries, list, n, "list", 0, MT_YAML_UNBOUNDED, entry_keys, "entries"), MT_YAML_END};
static const mt_yaml_table list_table = {list_keys, sizeof(entries)};

static void *many_keys(mt_arena *arena, size_t n) { return lines(arena, n, "", "key%zu: 1\n"); }
static void *many_anchors(mt_arena *arena, size_t n)
{
    return lines(arena, n, "", "key%1$zu: &anchor%1$zu 1\n");
}
static void *many_entries(mt_arena *arena, size_t n)
{
    return lines(arena, n, "list:\n", "- {x: %zu, name: \"ten letters\"}\n");
}
static void *many_brackets(mt_arena *arena, size_t n)
{
    char *text = take(arena, n + 8, 1);
    memset(text, '[', n);
    return text;
}

/* Refused or not: the text has been read. */
static void read_yaml(mt_arena *arena, void *text)
{
    entries e;
    (void)!mt_yaml_read(arena, "text", text, &list_table, NULL, 0, &e);
}

static void add_elements(const ipu_span *fields, const void *context) { (void)fields, (void)context; }
static ipu_cycles cost_of_none(const ipu_target *target, const size_t *n, const void *context)
{
    (void)n, (void)context;
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = 1};
}
static const ipu_field two_fields[] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet adder = {
    "add", 2, two_fields, add_elements, cost_of_none, .code_bytes = 64, .vertex_bytes = 16};

/* Four tiles with memory for everything. */
static ipu_graph *roomy_graph(mt_arena *arena)
{
    ipu_target target;
    ipu_graph *graph;
    must(ipu_target_load(arena, MT_DATA_DIR "/machines/gc200.yaml", NULL, 0, &target));
    target.tiles = 4;
    target.bytes_per_tile = (size_t)1 << 30;
    target.memory.region0_bytes = (size_t)1 << 29;
    must(ipu_graph_new(arena, &target, &graph));
    return graph;
}

static void connect_adder(
    ipu_graph *graph, uint32_t set, uint32_t tile, const ipu_slice *in, size_t n_in, ipu_slice out)
{
    size_t vertex;
    ipu_tensor tensor;
    must(ipu_graph_add_vertex(graph, set, &adder, tile, NULL, &vertex));
    must(ipu_graph_add_tensor(graph, in, n_in, &tensor));
    must(ipu_graph_connect(graph, vertex, "in", tensor));
    must(ipu_graph_add_tensor(graph, &out, 1, &tensor));
    must(ipu_graph_connect(graph, vertex, "out", tensor));
}

/* n vertices of tile 0, each of which reads an element of tile 1, one of its own and one that all read. */
static void *many_vertices(mt_arena *arena, size_t n)
{
    ipu_graph *graph = roomy_graph(arena);
    uint32_t far, own, set;
    must(ipu_graph_add_variable(graph, "far", IPU_FLOAT, n, &far));
    must(ipu_graph_add_variable(graph, "own", IPU_FLOAT, 2 * n, &own));
    must(ipu_graph_set_tile_mapping(graph, far, 0, n, 1));
    must(ipu_graph_set_tile_mapping(graph, own, 0, 2 * n, 0));
    must(ipu_graph_add_compute_set(graph, "set", &set));
    for (size_t i = 0; i < n; i++)
        connect_adder(graph, set, 0, (ipu_slice[]){{own, i, 1}, {far, i, 1}, {own, 0, 1}}, 3,
            (ipu_slice){own, n + i, 1});
    return graph;
}

/* n vertices of tile 0 that read the same own elements, and what tile 1 reads of what they write. */
static void *many_readers(mt_arena *arena, size_t n)
{
    ipu_graph *graph = roomy_graph(arena);
    uint32_t read, written, mirror, set;
    must(ipu_graph_add_variable(graph, "read", IPU_FLOAT, 8, &read));
    must(ipu_graph_add_variable(graph, "written", IPU_FLOAT, n, &written));
    must(ipu_graph_add_variable(graph, "mirror", IPU_FLOAT, n, &mirror));
    must(ipu_graph_set_tile_mapping(graph, read, 0, 8, 0));
    must(ipu_graph_set_tile_mapping(graph, written, 0, n, 0));
    must(ipu_graph_set_tile_mapping(graph, mirror, 0, n, 1));
    must(ipu_graph_add_compute_set(graph, "read", &set));
    for (size_t i = 0; i < n; i++)
        connect_adder(graph, set, 0, (ipu_slice[]){{read, 0, 8}}, 1, (ipu_slice){written, i, 1});
    for (size_t i = 0; i < n; i++)
        connect_adder(graph, set, 1, (ipu_slice[]){{read, i % 8, 1}}, 1, (ipu_slice){mirror, i, 1});
    return graph;
}

/* n variables over two tiles, n compute sets, each with a vertex that reads one from the other tile. */
static void *many_variables(mt_arena *arena, size_t n)
{
    ipu_graph *graph = roomy_graph(arena);
    for (size_t i = 0; i < n; i++) {
        char name[32];
        uint32_t v, set;
        (void)snprintf(name, sizeof name, "name%zu", i);
        must(ipu_graph_add_variable(graph, name, IPU_FLOAT, 4 + i % 7, &v));
        must(ipu_graph_set_tile_mapping(graph, v, 0, 2, 0));
        must(ipu_graph_set_tile_mapping(graph, v, 2, 2 + i % 7, 1));
        must(ipu_graph_add_compute_set(graph, name, &set));
        connect_adder(graph, set, 0, (ipu_slice[]){{v, 2, 2 + i % 7}}, 1, (ipu_slice){v, 0, 2});
    }
    return graph;
}

static void compile_graph(mt_arena *arena, void *graph)
{
    ipu_executable *executable;
    must(ipu_compile(arena, graph, NULL, 0, &executable));
}

/* A slab with about n elements, for parts of 16. */
typedef struct uneven {
    mt_adjacency slab;
    uint32_t *part, n_parts;
} uneven;

static uneven *make_uneven(mt_arena *arena, size_t n)
{
    mt_mesh mesh;
    uneven *u = take(arena, 1, sizeof *u);
    const double size_mm = cbrt((double)n / 6);
    must(mt_slab_make(arena, (double[]){round(size_mm), round(size_mm), round(size_mm)}, 1, &mesh));
    must(mt_adjacency_make(arena, &mesh, &u->slab));
    u->n_parts = (uint32_t)(mesh.n_elements / 16);
    u->part = take(arena, mesh.n_elements, sizeof *u->part);
    return u;
}

/* All elements are in one part: what a partitioner may leave. */
static void *one_full_part(mt_arena *arena, size_t n) { return make_uneven(arena, n); }

/* Every second part has three quarters of the elements of two. */
static void *uneven_parts(mt_arena *arena, size_t n)
{
    uneven *u = make_uneven(arena, n);
    for (size_t c = 0; c < u->slab.n_elements; c++) {
        const size_t part = c / 32 * 2 + (c % 32 >= 24);
        u->part[c] = part < u->n_parts ? (uint32_t)part : u->n_parts - 1;
    }
    return u;
}

static void repair_parts(mt_arena *arena, void *prepared)
{
    uneven *u = prepared;
    size_t moves;
    (void)arena;
    must(mt_repair_parts(&u->slab, u->n_parts, 1, 17, u->part, &moves));
}

static void growth(void)
{
    static const growing all[] = {{"keys of a YAML file", 40000, many_keys, read_yaml},
        {"anchors of a YAML file", 40000, many_anchors, read_yaml},
        {"entries of a YAML list", 10000, many_entries, read_yaml},
        {"brackets that YAML opens", 100000, many_brackets, read_yaml},
        {"vertices of a tile that receive", 16000, many_vertices, compile_graph},
        {"vertices of a tile that read one place", 16000, many_readers, compile_graph},
        {"variables with compute sets", 2000, many_variables, compile_graph},
        {"elements in parts of which every second is too large", 400000, uneven_parts, repair_parts},
        {"elements that are all in one part", 4000, one_full_part, repair_parts}};
    printf("growth: seconds of the processor for n, 2n and 4n\n");
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) grow(&all[k]);
}

int main(int n, char **words)
{
    slab s;
    if (n == 2 && strcmp(words[1], "growth") == 0) return growth(), 0;
    if ((n == 2 || n == 3) && (strcmp(words[1], "recording") == 0 || strcmp(words[1], "machine") == 0)) {
        if (n == 2)
            make_slab(&s, 0.2);
        else
            read_mesh(&s, words[2]);
        if (strcmp(words[1], "recording") == 0)
            recording(&s);
        else
            machine(&s);
        mt_arena_free(&s.arena);
        return 0;
    }
    cell_model();
    make_slab(&s, 0.1);
    diffusion(&s);
    mt_arena_free(&s.arena);
    make_slab(&s, 0.2);
    diffusion(&s);
    machine(&s);
    recording(&s);
    mt_arena_free(&s.arena);
    growth();
    return 0;
}
