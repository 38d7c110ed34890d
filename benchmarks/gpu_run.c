/* Runs on an OpenCL device and by cpu-single, from a stimulus on, with a comparison of all voltages at the end. */
#include <math.h>
#include <string.h>

#include "benchmarks/benchmarks.h"
#include "benchmarks/gpu.h"
#include "solver/backends/opencl.h"

/* A sphere around the first element is stimulated. */
static const double radius_mm = 1.5, duration_ms = 2, strength_uA_mm3 = 50, usual_end_ms = 100;

typedef struct running {
    const gpu_unknowns *of;
    const mt_backend *backend;
    mt_layout layout;
    mt_monodomain problem;
    size_t steps;
    double *v_mV; /* [unknowns] at the end */
    mt_device_use use;
    struct running *other; /* by cpu-single; NULL for itself */
} running;

static double take_run(void *data)
{
    running *r = data;
    mt_arena arena = {0};
    mt_results results = {0};
    void *self;
    bench_must(r->backend->open(&arena, &r->problem, &r->layout, &self));
    bench_must(mt_results_new(&arena, &r->problem, &results));
    const double start = bench_wall_s();
    bench_must(mt_backend_run(&r->problem, r->backend, self, 0, r->steps, &results, NULL, NULL));
    bench_must(r->backend->read(self, MT_ARRAY_V, r->v_mV));
    const double taken = bench_wall_s() - start;
    if (r->other) r->use = mt_device_used(self);
    mt_arena_free(&arena);
    return taken;
}

static double take_traffic(void *data)
{
    const running *r = data;
    return (double)(r->use.written_bytes + r->use.read_bytes);
}

/* Counts the voltages with other bits than those of cpu-single in the same round. */
static double take_different(void *data)
{
    const running *r = data;
    double n = 0;
    for (size_t k = 0; k < r->of->diffusion.n_unknowns; k++)
        n += memcmp(&r->v_mV[k], &r->other->v_mV[k], sizeof *r->v_mV) != 0;
    return n;
}

/* Counts the unknowns that are activated at the end, to show that there was something to compute. */
static double take_above_rest(void *data)
{
    const running *r = data;
    double n = 0;
    for (size_t k = 0; k < r->of->diffusion.n_unknowns; k++) n += r->v_mV[k] > -60;
    return n;
}

/* ---- the stimulus ---- */

static bool is_near(const slab *s, bool vertex, size_t k, const double centre_mm[3])
{
    double at_mm[3];
    if (vertex)
        memcpy(at_mm, s->mesh.xyz_mm + 3 * k, sizeof at_mm);
    else
        mt_mesh_centroid(&s->mesh, k, at_mm);
    return hypot(hypot(at_mm[0] - centre_mm[0], at_mm[1] - centre_mm[1]), at_mm[2] - centre_mm[2]) <
           radius_mm;
}

static mt_stimulus *make_stimulus(slab *s, const gpu_unknowns *u)
{
    const size_t n = u->diffusion.n_unknowns;
    mt_stimulus *stimulus = bench_take(&s->arena, 1, sizeof *stimulus);
    uint32_t *unknown = bench_take(&s->arena, n, sizeof *unknown);
    const double membrane_uF_mm3 = mt_tissue_default.chi_per_mm * mt_tissue_default.cm_uF_mm2;
    double centre_mm[3];
    size_t n_near = 0;
    mt_mesh_centroid(&s->mesh, 0, centre_mm);
    for (size_t k = 0; k < n; k++)
        if (is_near(s, u->diffusion.nodal, k, centre_mm)) unknown[n_near++] = (uint32_t)k;
    *stimulus = (mt_stimulus){.duration_ms = duration_ms,
        .rise_mV_ms = strength_uA_mm3 / membrane_uF_mm3,
        .n_elements = n_near,
        .element = unknown};
    return stimulus;
}

/* ---- figures ---- */

static running *make_run(slab *s, const bench_list *list, const gpu_unknowns *u, const mt_stimulus *stimulus,
    bool multirate, const mt_backend *backend)
{
    running *r = bench_take(&s->arena, 1, sizeof *r);
    *r = (running){.of = u,
        .backend = backend,
        .layout = {.device = list->device, .lenient = true},
        .problem = u->problem,
        .v_mV = bench_take(&s->arena, u->diffusion.n_unknowns, sizeof *r->v_mV)};
    r->steps = (size_t)llround((list->end_ms > 0 ? list->end_ms : usual_end_ms) / r->problem.dt_ms);
    r->problem.n_stimuli = 1;
    r->problem.stimulus = stimulus;
    r->problem.stepping = multirate ? MT_STEPPING_MULTIRATE : MT_STEPPING_UNIFORM;
    r->problem.tolerance_mV = 0.1;
    return r;
}

/* Runs one step, since some drivers compile a kernel when it is first launched. Works on a copy. */
static void warm_up(running r)
{
    r.steps = 1;
    (void)take_run(&r);
}

static void add_runs(
    bench_list *list, slab *s, const gpu_unknowns *u, const mt_stimulus *stimulus, bool multirate)
{
    const char *stepping = multirate ? "multirate" : "uniform";
    running *host = make_run(s, list, u, stimulus, multirate, &mt_backend_cpu_single),
            *device = make_run(s, list, u, stimulus, multirate, &mt_backend_opencl);
    device->other = host;
    warm_up(*device);
    const double steps_100_ms = 100 / host->problem.dt_ms;
    bench_figure f = {.unit = "s/100 ms", .take = take_run, .scale = steps_100_ms};
    f.items = (double)host->steps;
    f.data = host;
    f.baseline = bench_add(list, f, "cpu-single: %s, %s", u->name, stepping);
    f.data = device;
    (void)bench_add(list, f, "device: %s, %s", u->name, stepping);
    f = (bench_figure){.unit = "B/step", .take = take_traffic, .data = device, .items = (double)host->steps};
    (void)bench_add(list, f, "device: %s, %s, host traffic", u->name, stepping);
    f = (bench_figure){.unit = "unknowns", .take = take_different, .data = device, .items = 1};
    (void)bench_add(list, f, "device: %s, %s, different bits of V", u->name, stepping);
    f.take = take_above_rest;
    (void)bench_add(
        list, f, "device: %s, %s, V > -60 mV, of %zu", u->name, stepping, u->diffusion.n_unknowns);
}

void bench_gpu_run(bench_list *list, const char *mesh)
{
    static gpu_unknowns unknowns[GPU_UNKNOWNS];
    static slab s;
    const mt_device *device;
    slab_mesh(&s, mesh);
    gpu_make_unknowns(&s, unknowns);
    bench_must(mt_devices_find(&s.arena, list->device, &device));
    for (int k = 0; k < GPU_UNKNOWNS; k++) {
        const mt_stimulus *stimulus = make_stimulus(&s, &unknowns[k]);
        for (int multirate = 0; multirate < 2; multirate++)
            add_runs(list, &s, &unknowns[k], stimulus, multirate != 0);
    }
    gpu_print_device(list, device);
    list->unwarmed = true;
    bench_measure(list);
    mt_arena_free(&s.arena);
}
