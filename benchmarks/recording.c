/* Cost of recording all maps, and the potentials of electrodes every millisecond, during propagation. */
#include <math.h>

#include <omp.h>

#include "benchmarks/benchmarks.h"
#include "benchmarks/slab.h"
#include "solver/outputs/ecg.h"

enum { ELECTRODES = 9 };

/* A run that each round advances by one millisecond. */
typedef struct recorded {
    void *self;
    size_t done, steps_ms;
    const mt_ecg *ecg; /* NULL: no potentials */
    double *v;
} recorded;

static void go_ms(void *data)
{
    recorded *r = data;
    double phi[ELECTRODES];
    for (size_t k = 0; k < r->steps_ms; k++) bench_must(mt_backend_ipu.advance(r->self, r->done++, 1));
    if (!r->ecg) return;
    mt_backend_ipu.read(r->self, MT_ARRAY_V, r->v);
    mt_ecg_potentials(r->ecg, r->v, phi);
}

static void make_electrodes(slab *s, mt_ecg *ecg)
{
    static const char *const name[ELECTRODES] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
    mt_medium muscle = {0.17, 0.019, NAN, 0.62, 0.24, NAN, 140, 0.01};
    mt_electrode electrode[ELECTRODES];
    for (size_t k = 0; k < ELECTRODES; k++)
        electrode[k] = (mt_electrode){name[k], {20 * cos(0.7 * (double)k), 20 * sin(0.7 * (double)k), 20}};
    bench_must(mt_ecg_make(&s->arena, &(mt_unknowns){&s->mesh, false}, &s->adjacency,
        &(mt_media){.n = 1, .medium = &muscle}, 1, ELECTRODES, electrode, ecg));
}

/* Stimulates the end with the least x, so that most elements are at rest or on the plateau, as in a heart. */
static mt_stimulus stimulate_end(slab *s)
{
    uint32_t *element = bench_take(&s->arena, s->mesh.n_elements, sizeof *element);
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

void bench_recording(bench_list *list, const char *mesh)
{
    slab s;
    mt_ecg ecg;
    slab_make(&s, mesh);
    make_electrodes(&s, &ecg);
    const mt_stimulus end = stimulate_end(&s);
    mt_monodomain plain = s.problem, all;
    plain.n_stimuli = 1;
    plain.stimulus = &end;
    all = plain;
    all.record = (mt_record){.all = true, .fraction = 0.9};
    recorded without = {.steps_ms = (size_t)llround(1 / plain.dt_ms)}, with = without;
    with.ecg = &ecg;
    with.v = bench_take(&s.arena, s.mesh.n_elements, sizeof *with.v);
    bench_must(mt_backend_ipu.open(&s.arena, &plain, &s.layout, &without.self));
    bench_must(mt_backend_ipu.open(&s.arena, &all, &s.layout, &with.self));
    bench_figure f = {.unit = "ns/element",
        .go = go_ms,
        .data = &without,
        .items = (double)s.mesh.n_elements * (double)without.steps_ms,
        .scale = 1e9,
        .threads = omp_get_max_threads()};
    f.baseline = bench_add(list, f, "step, activation alone");
    f.data = &with;
    (void)bench_add(list, f, "step, all maps and %d potentials a ms", ELECTRODES);
    list->unwarmed = true; /* no millisecond is repeated */
    bench_measure(list);
    mt_arena_free(&s.arena);
}
