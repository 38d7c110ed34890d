/* Complete time steps: the kernels on the complete mesh, in float and in double, and the emulated machine, as one program and in
 * phases. The excess over the float kernels is the cost of emulation; each kernel is compared with the limits of all threads. */
#include <omp.h>

#include "benchmarks/bare.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/limits.h"
#include "benchmarks/phases.h"

typedef struct on_machine {
    void *self;
} on_machine;

static void go_machine(void *data) { bench_must(mt_backend_ipu.advance(((on_machine *)data)->self, 0, 1)); }

/* Returns the bytes that a time step copies from tile to tile per element; each is read and written. */
static bare_work halo_work(const slab *s)
{
    double received = 0;
    for (uint32_t p = 0; p < s->halo.n_parts; p++) received += (double)s->halo.inbound[p];
    return (bare_work){0, (double)s->problem.pde_steps * 8 * received / (double)s->mesh.n_elements};
}

static bare_work sum(bare_work a, bare_work b) { return (bare_work){a.flops + b.flops, a.bytes + b.bytes}; }

static int add(bench_list *list, bench_figure f, void (*go)(void *), void *data, bare_work work, int baseline,
    const char *name)
{
    f.go = go;
    f.data = data;
    f.flops = work.flops;
    f.bytes = work.bytes;
    f.baseline = baseline;
    return bench_add(list, f, "tiles: %s", name);
}

/* `like` has the common members of the figures, `bare` their baselines. */
static void add_tiles(bench_list *list, const slab *s, const bench_figure *like, const bare_figures *bare,
    on_machine *m, phase *phases)
{
    const bare_work cells = bare_cells(false), record = bare_record(false), halo = halo_work(s),
                    rows = bare_diffusion(false, &s->problem, sizeof(uint16_t));
    const int all =
        add(list, *like, go_machine, m, sum(sum(cells, record), sum(rows, halo)), bare->step, "step");
    const int of_cells = add(list, *like, phase_go, &phases[PHASE_CELLS], cells, bare->cells, "cells");
    const int spreads =
        add(list, *like, phase_go, &phases[PHASE_DIFFUSION], sum(rows, halo), bare->diffusion, "diffusion");
    const int records = add(list, *like, phase_go, &phases[PHASE_RECORD], record, bare->record, "record");
    const int copies = add(list, *like, phase_go, &phases[PHASE_HALO], halo, 0, "halo copies of it");
    bench_figure f = *like;
    f.peak = f.stream = 0;
    f.plus[0] = spreads, f.less[0] = copies;
    (void)add(list, f, NULL, NULL, (bare_work){0, 0}, bare->diffusion, "diffusion without them");
    f.plus[0] = all, f.less[0] = of_cells, f.less[1] = spreads, f.less[2] = records;
    (void)add(list, f, NULL, NULL, (bare_work){0, 0}, 0, "step without its parts");
}

/* Returns a figure with the limits of all threads. */
static bench_figure like_of(bench_list *list, slab *s, int peak[2])
{
    const int threads = omp_get_max_threads(), clock = bench_add_clock(list);
    for (int is_double = 0; is_double < 2; is_double++)
        peak[is_double] = bench_add_multiply_adds(list, mt_kernels_used(), is_double, threads, clock);
    return (bench_figure){.unit = "ns/element",
        .items = (double)s->mesh.n_elements,
        .scale = 1e9,
        .threads = threads,
        .peak = peak[0],
        .stream = bench_add_stream(list, &s->arena)};
}

void bench_machine(bench_list *list, const char *mesh)
{
    slab s;
    on_machine m;
    phase phases[PHASES];
    int peak[2];
    slab_make(&s, mesh);
    bench_figure like = like_of(list, &s, peak), like_double = like;
    like_double.peak = peak[1];
    const bare_figures in_float = bare_add_float(list, &s.arena, &s.problem, &like);
    (void)bare_add_double(list, &s.arena, &s.problem, &like_double);
    bench_must(mt_backend_ipu.open(&s.arena, &s.problem, &s.layout, &m.self));
    phases_make(&s, phases);
    add_tiles(list, &s, &like, &in_float, &m, phases);
    bench_measure(list);
    mt_arena_free(&s.arena);
}
