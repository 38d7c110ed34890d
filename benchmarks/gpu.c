/* The parts of a time step on an OpenCL device, with the same parts by all threads of cpu-single in the same rounds.
 *
 * Backends compute complete steps only. A diffusion step is the difference of time steps with more and fewer diffusion steps, and the
 * rest of a time step that without any. */
#include "benchmarks/gpu.h"

#include <stdio.h>
#include <string.h>

#include "benchmarks/benchmarks.h"
#include "solver/backends/opencl.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/diffusion/nodal.h"
#include "solver/diffusion/tissue.h"

enum { STEPS_LEAST = 16, STEPS_MOST = 512, MORE = 8 };

/* Unknowns and steps of a measurement: small meshes take more steps, so that the time is long compared with its disturbances. */
static const size_t unknown_steps = (size_t)1 << 22;

void gpu_make_unknowns(slab *s, gpu_unknowns unknowns[GPU_UNKNOWNS])
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    const mt_nodal_spreading spreading = {1, &mt_nodal_law_default, NULL};
    gpu_unknowns *of = &unknowns[GPU_VERTICES];
    *of = (gpu_unknowns){.name = "vertices"};
    bench_must(mt_nodal_diffusion_make(
        &s->arena, &s->mesh, &tissues, &spreading, &(mt_watch){NULL, NULL}, &of->diffusion));
    of = &unknowns[GPU_ELEMENTS];
    *of = (gpu_unknowns){.name = "elements"};
    slab_adjacency(s, &s->arena);
    slab_operator(s, &s->arena);
    of->diffusion = s->diffusion;
    for (of = unknowns; of < unknowns + GPU_UNKNOWNS; of++)
        of->problem = (mt_monodomain){.diffusion = &of->diffusion,
            .model = &mt_cell_tp06,
            .dt_ms = 0.02,
            .pde_steps = mt_monodomain_pde_steps(&of->diffusion, 0.02),
            .mesh = &s->mesh};
}

void gpu_print_device(const bench_list *list, const mt_device *d)
{
    if (list->json)
        printf("{\"benchmark\": \"%s\", \"device\": \"%s\", \"type\": \"%s\", \"platform\": \"%s\", "
               "\"driver\": \"%s\"}\n",
            list->benchmark, d->name, d->type, d->platform, d->driver);
    else
        printf("%s: device %zu, %s (%s), %s, driver %s\n", list->benchmark, d->number, d->name, d->type,
            d->platform, d->driver);
}

/* ---- steps ---- */

/* An open backend, and the number of diffusion steps of its next time steps. The matrix is that of the problem's own number: other numbers
 * change only the time that a step takes. */
typedef struct stepping {
    const mt_backend *backend;
    void *self;
    mt_monodomain problem; /* of its own, as this changes pde_steps */
    size_t steps;          /* of a measurement, a multiple of STEPS_LEAST */
    size_t usual;          /* the problem's own number of diffusion steps */
    double *values;        /* [unknowns] */
    uint32_t first;        /* an unknown, 0 */
} stepping;

typedef struct steps {
    stepping *stepping;
    size_t pde_steps;
} steps;

static double take_steps(void *data)
{
    const steps *of = data;
    stepping *s = of->stepping;
    s->problem.pde_steps = of->pde_steps;
    const double start = bench_wall_s();
    bench_must(s->backend->advance(s->self, 0, s->steps));
    /* one number, after everything else: the host waits for the device */
    bench_must(s->backend->stream(s->self, MT_ARRAY_V, 1, &s->first, s->values));
    return bench_wall_s() - start;
}

/* Counts what time steps alone move between host and device. */
static double take_traffic(void *data)
{
    stepping *s = data;
    s->problem.pde_steps = s->usual;
    const mt_device_use before = mt_device_used(s->self);
    bench_must(s->backend->advance(s->self, 0, s->steps));
    const mt_device_use after = mt_device_used(s->self);
    return (double)(after.written_bytes - before.written_bytes + after.read_bytes - before.read_bytes);
}

static double take_launches(void *data)
{
    stepping *s = data;
    s->problem.pde_steps = s->usual;
    const uint64_t before = mt_device_used(s->self).launches;
    bench_must(s->backend->advance(s->self, 0, s->steps));
    return (double)(mt_device_used(s->self).launches - before);
}

static double take_bytes(void *data) { return (double)mt_device_used(((stepping *)data)->self).buffer_bytes; }

static size_t count_steps(size_t n)
{
    const size_t count = unknown_steps / n / STEPS_LEAST * STEPS_LEAST;
    return count < STEPS_LEAST ? STEPS_LEAST : count > STEPS_MOST ? STEPS_MOST : count;
}

static stepping *open_backend(
    mt_arena *arena, const bench_list *list, const mt_backend *backend, const mt_monodomain *problem)
{
    stepping *s = bench_take(arena, 1, sizeof *s);
    mt_layout *layout = bench_take(arena, 1, sizeof *layout);
    *layout = (mt_layout){.device = list->device, .lenient = true};
    *s = (stepping){.backend = backend,
        .problem = *problem,
        .usual = problem->pde_steps,
        .steps = count_steps(problem->diffusion->n_unknowns),
        .values = bench_take(arena, problem->diffusion->n_unknowns, sizeof *s->values)};
    bench_must(backend->open(arena, &s->problem, layout, &s->self));
    return s;
}

static steps *steps_of(mt_arena *arena, stepping *s, size_t pde_steps)
{
    steps *of = bench_take(arena, 1, sizeof *of);
    *of = (steps){s, pde_steps};
    return of;
}

/* The figures of a backend, for comparison. */
typedef struct stepped {
    int step, rest, diffusion;
} stepped;

/* Adds the time steps of one backend. `like`: .items of an unknown's time steps; `bytes`: of a row; copy: 0 for the host. */
static stepped add_steps(bench_list *list, mt_arena *arena, stepping *s, const char *name, double bytes,
    int copy, const stepped *baseline)
{
    const size_t n = s->problem.diffusion->n_unknowns, usual = s->usual;
    const char *where = s->backend == &mt_backend_opencl ? "device" : s->backend->name;
    stepped of;
    bench_figure f = {
        .unit = "ns/unknown", .take = take_steps, .items = (double)(n * s->steps), .scale = 1e9};
    f.data = steps_of(arena, s, usual);
    f.baseline = baseline ? baseline->step : 0;
    of.step = bench_add(list, f, "%s: %s, step (%zu diffusion)", where, name, usual);
    f.data = steps_of(arena, s, 0);
    f.baseline = baseline ? baseline->rest : 0;
    of.rest = bench_add(list, f, "%s: %s, without diffusion", where, name);
    f.data = steps_of(arena, s, usual + MORE);
    f.baseline = 0;
    const int more = bench_add(list, f, "%s: %s, %d more diffusion steps", where, name, MORE);
    f = (bench_figure){.unit = "rows/s",
        .rate = true,
        .items = (double)(n * s->steps * MORE),
        .plus = {more},
        .less = {of.step},
        .baseline = baseline ? baseline->diffusion : 0,
        .stream = copy,
        .bytes = copy ? bytes : 0};
    of.diffusion = bench_add(list, f, "%s: %s, diffusion", where, name);
    f.unit = "B/s";
    f.items *= bytes;
    f.baseline = f.stream = 0;
    f.bytes = 0;
    (void)bench_add(list, f, "%s: %s, diffusion, %.4g B/row", where, name, bytes);
    return of;
}

static void add_unknowns(bench_list *list, mt_arena *arena, const gpu_unknowns *u, int copy)
{
    stepping *host = open_backend(arena, list, &mt_backend_cpu_single, &u->problem),
             *device = open_backend(arena, list, &mt_backend_opencl, &u->problem);
    const size_t n = u->diffusion.n_unknowns;
    /* the matrix, V, and V after the step */
    const double bytes = (double)mt_device_used(device->self).row_bytes / (double)n + 2 * sizeof(float);
    const stepped of = add_steps(list, arena, host, u->name, bytes, 0, NULL);
    (void)add_steps(list, arena, device, u->name, bytes, copy, &of);
    (void)bench_add(list,
        (bench_figure){.unit = "B/unknown", .take = take_bytes, .data = device, .items = (double)n},
        "device: %s, buffers", u->name);
    (void)bench_add(list,
        (bench_figure){
            .unit = "B/step", .take = take_traffic, .data = device, .items = (double)device->steps},
        "device: %s, host traffic", u->name);
    (void)bench_add(list,
        (bench_figure){
            .unit = "kernels/step", .take = take_launches, .data = device, .items = (double)device->steps},
        "device: %s, kernels launched", u->name);
}

void bench_gpu(bench_list *list, const char *mesh)
{
    static gpu_unknowns unknowns[GPU_UNKNOWNS];
    static slab s;
    mt_arena arena = {0};
    slab_mesh(&s, mesh);
    gpu_make_unknowns(&s, unknowns);
    MT_OPENCL_SCOPE(opencl);
    bench_must(mt_opencl_open(&arena, list->device, &opencl));
    const int copy = gpu_add_copy(list, opencl);
    gpu_add_cells(list, &arena, opencl, s.mesh.n_elements);
    gpu_add_records(list, &arena, opencl, s.mesh.n_elements, copy);
    for (int k = 0; k < GPU_UNKNOWNS; k++) add_unknowns(list, &arena, &unknowns[k], copy);
    gpu_print_device(list, mt_opencl_device(opencl));
    bench_measure(list);
    mt_opencl_close(&opencl);
    mt_arena_free(&arena);
    mt_arena_free(&s.arena);
}
