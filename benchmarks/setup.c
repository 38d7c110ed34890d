/* The stages before the first time step: processor seconds per million elements. */
#include "benchmarks/benchmarks.h"
#include "benchmarks/slab.h"

/* A stage. Each measurement repeats it with a separate arena and then restores the slab. */
typedef struct stage {
    const char *name;
    void (*make)(slab *s, mt_arena *arena);
    const slab *made;
} stage;

static void open_ipu(slab *s, mt_arena *arena)
{
    void *self;
    bench_must(mt_backend_ipu.open(arena, &s->problem, &s->layout, &self));
}

static void open_cpu(slab *s, mt_arena *arena)
{
    void *self;
    bench_must(mt_backend_cpu.open(arena, &s->problem, NULL, &self));
}

static double take_stage(void *data)
{
    const stage *what = data;
    slab s = *what->made;
    mt_arena arena = {0};
    const double start = bench_processor_s();
    what->make(&s, &arena);
    const double taken = bench_processor_s() - start;
    mt_arena_free(&arena);
    return taken;
}

void bench_setup(bench_list *list, const char *mesh)
{
    slab s;
    stage all[] = {{"adjacency", slab_adjacency, &s},
        {"operator with its check of stability", slab_operator, &s},
        {"partition to 1,472 tiles (METIS)", slab_partition, &s}, {"halo", slab_halo, &s},
        {"ipu: plan, compile and open", open_ipu, &s}, {"cpu: open", open_cpu, &s}};
    slab_make(&s, mesh);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        (void)bench_add(list,
            (bench_figure){.unit = "s/M elements",
                .take = take_stage,
                .data = &all[k],
                .items = (double)s.mesh.n_elements,
                .scale = 1e6},
            "%s", all[k].name);
    list->unwarmed = true;
    bench_measure(list);
    mt_arena_free(&s.arena);
}
