/* cluster ELEMENTS [STEPS [WARM_STEPS [PDE_STEPS [SCHEME [ARITHMETIC]]]]]: the time loop on ranks, as in `mpirun -n N myotile run`
 * with the backend cpu, on a slab of about ELEMENTS elements built in memory; no file is read or written. ARITHMETIC: double
 * precision, or `tabulated`, single precision with tables of functions of V. Under mpirun it measures the real computer; under
 * smpirun a simulated one (benchmarks/README.md, "On a cluster").
 *
 * WARM_STEPS steps (50) run first, then STEPS steps (100) are timed: entire ms, or all of them within one ms, so that each ms
 * ends with one check of all voltages. Rank 0 prints one line, with blanks between the columns:
 *
 *     ranks   elements   largest number of elements of a rank   diffusion substeps
 *     elements received by a rank in a diffusion substep, those needed, and ranks they come from: mean and maximum of each
 *     us per time step, mean and minimum, and us of the last check, by rank 0's clock
 *     us per step, checks included, spent in computation, mean and maximum; in exchanges, broadcasts, reductions, letters, mean
 *     a fingerprint of V at the end, which is the same on any number of ranks
 *
 * cluster letters: latency of messages from rank 0 to the next rank and to the last one, with the functions of the time loop:
 * half the minimum of several round trips. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/ranks.h"
#include "benchmarks/cluster/costs.h"
#include "benchmarks/cluster/timed.h"
#include "data/core/hash.h"
#include "mesh/make/slab.h"
#include "solver/backends/leader.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/diffusion/tissue.h"

#define EDGE_MM 0.125
#define DT_MS 0.02

enum { STEPS_MS = 50 };

typedef struct wish {
    double n_elements;
    size_t n_steps, warm_steps, pde_steps; /* pde_steps 0: determined by the mesh */
    const char *scheme;
    bool tabulated; /* single precision with tables instead of double precision */
} wish;

/* The complete problem on rank 0; the other ranks receive their parts of it. */
typedef struct slab {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    mt_partition partition;
    mt_halo halo;
    mt_stimulus stimulus;
    mt_monodomain problem;
    mt_layout layout;
} slab;

/* Times of a run on rank 0. The check of V is part of the last step of its ms. */
typedef struct seen {
    size_t end, n_steps;             /* the run's last step; number of timed steps: all without a check */
    double last_s;                   /* end of the last step */
    double steps_s, least_s, look_s; /* duration of the steps, of the shortest step, and of the last check */
} seen;

/* ---- the problem ---- */

/* Chooses a box of about n elements with a square base and nearly equal edges. */
static void choose_size(double n_elements, double size_mm[3])
{
    const double boxes = n_elements / 6, n = fmax(1, round(cbrt(boxes)));
    size_mm[0] = size_mm[1] = n * EDGE_MM;
    size_mm[2] = fmax(1, round(boxes / (n * n))) * EDGE_MM;
}

/* Stimulates a corner. */
static mt_status make_stimulus(slab *s)
{
    const double reach_mm = 1.5;
    uint32_t *element;
    size_t n = 0;
    MT_ALLOC(&s->arena, element, s->mesh.n_elements);
    for (size_t e = 0; e < s->mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&s->mesh, e, x);
        if (x[0] < reach_mm && x[1] < reach_mm && x[2] < reach_mm) element[n++] = (uint32_t)e;
    }
    s->stimulus = (mt_stimulus){.duration_ms = 2,
        .rise_mV_ms = 50 / (mt_tissue_default.chi_per_mm * mt_tissue_default.cm_uF_mm2),
        .n_elements = n,
        .element = element};
    return MT_OK;
}

/* Partitions as `myotile run` does for ranks, where the scheme is `exact`. */
static mt_status make_layout(slab *s, uint32_t n_ranks, const char *name)
{
    const mt_pattern pattern = mt_diffusion_pattern(&s->diffusion);
    const mt_partition_options options = {MT_PARTITION_FLAT, 1, n_ranks, 1.03, NULL, 0, 0};
    mt_scheme scheme;
    MT_TRY(mt_partition_make(&s->arena, &s->adjacency, &options, &s->partition));
    MT_TRY(mt_scheme_find(name, 0, &scheme));
    return mt_halo_make(&s->arena, &pattern, &s->partition, &scheme, &s->halo);
}

static mt_status make(slab *s, const wish *wanted, const mt_communicator *ranks)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    const mt_diffusion_options lean = {.lean = true};
    double size_mm[3];
    choose_size(wanted->n_elements, size_mm);
    MT_TRY(mt_slab_make(&s->arena, size_mm, EDGE_MM, &s->mesh));
    MT_TRY(mt_adjacency_make(&s->arena, &s->mesh, &s->adjacency));
    MT_TRY(mt_diffusion_make_with(
        &s->arena, &s->mesh, &s->adjacency, &tissues, &mt_diffusion_scheme_default, &lean, &s->diffusion));
    MT_TRY(make_stimulus(s));
    if (ranks) MT_TRY(make_layout(s, ranks->n_ranks, wanted->scheme));
    s->problem = (mt_monodomain){.diffusion = &s->diffusion,
        .model = &mt_cell_tp06,
        .evaluation = wanted->tabulated ? MT_EVALUATION_TABULATED : MT_EVALUATION_EXACT,
        .dt_ms = DT_MS,
        .pde_steps = wanted->pde_steps ? wanted->pde_steps : mt_monodomain_pde_steps(&s->diffusion, DT_MS),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = &s->stimulus};
    if (ranks) s->layout.halo = &s->halo;
    return MT_OK;
}

/* ---- the run ---- */

static bool watch(void *user, size_t steps_done)
{
    seen *w = user;
    const double now_s = timed_now_s(), took_s = now_s - w->last_s;
    if (steps_done % STEPS_MS == 0 || steps_done == w->end)
        w->look_s = took_s;
    else
        w->steps_s += took_s, w->least_s = fmin(w->least_s, took_s), w->n_steps++;
    w->last_s = now_s;
    return true;
}

/* Rank 0 runs the steps, the others serve. */
static mt_status run(const slab *s, const mt_backend *backend, void *self, size_t first, size_t n, seen *w)
{
    const mt_communicator *ranks = s->layout.ranks;
    *w = (seen){.end = first + n, .least_s = INFINITY};
    timed_begin();
    if (ranks && ranks->rank > 0) return mt_backend_serve(self);
    w->last_s = timed_now_s();
    MT_TRY(mt_backend_run(&s->problem, backend, self, first, first + n, NULL, watch, w));
    w->look_s -= w->least_s;
    if (ranks) mt_backend_dismiss(self);
    return MT_OK;
}

/* ---- the output line ---- */

/* The load of a rank, and its times per time step. */
typedef struct part {
    double elements, received, needed, near, us[TIMED_PLACES];
} part;

static double mean_of(const part *parts, uint32_t n, timed_place place)
{
    double sum = 0;
    for (uint32_t r = 0; r < n; r++) sum += parts[r].us[place];
    return sum / n;
}

static uint32_t neighbours_of(const mt_halo *halo, uint32_t p)
{
    uint32_t n = 0, last = UINT32_MAX;
    for (size_t i = halo->in_offset[p]; i < halo->in_offset[p + 1]; i++) {
        const uint32_t source = halo->range[halo->in_range[i]].source; /* ascending */
        n += source != last;
        last = source;
    }
    return n;
}

/* Prints mean and maximum over the ranks. */
static void print_both(uint32_t n, const part *parts, double of(const part *))
{
    double sum = 0, most = 0;
    for (uint32_t r = 0; r < n; r++) sum += of(&parts[r]), most = fmax(most, of(&parts[r]));
    printf(" %.1f %.1f", sum / n, most);
}

static double received_of(const part *p) { return p->received; }
static double needed_of(const part *p) { return p->needed; }
static double near_of(const part *p) { return p->near; }
static double computes_of(const part *p) { return p->us[TIMED_ELSEWHERE]; }

static void print(const slab *s, uint32_t n_ranks, const part *parts, const seen *w, const char *v)
{
    const timed_place others[] = {TIMED_EXCHANGE, TIMED_BROADCAST, TIMED_REDUCE, TIMED_LETTERS};
    double most = 0;
    for (uint32_t r = 0; r < n_ranks; r++) most = fmax(most, parts[r].elements);
    printf("%u %zu %.0f %zu", n_ranks, s->mesh.n_elements, most, s->problem.pde_steps);
    print_both(n_ranks, parts, received_of);
    print_both(n_ranks, parts, needed_of);
    print_both(n_ranks, parts, near_of);
    printf(" %.1f %.1f %.1f", w->steps_s / (double)w->n_steps * 1e6, w->least_s * 1e6, w->look_s * 1e6);
    print_both(n_ranks, parts, computes_of);
    for (int k = 0; k < 4; k++) printf(" %.1f", mean_of(parts, n_ranks, others[k]));
    printf(" %.8s\n", v);
}

/* Collects the parts of all ranks on rank 0. */
static mt_status collect(mt_arena *arena, const slab *s, size_t n_steps, part **parts)
{
    const mt_communicator *ranks = s->layout.ranks;
    const uint32_t n = ranks ? ranks->n_ranks : 1;
    part own = {.elements = (double)s->mesh.n_elements};
    timed_tell(own.us);
    for (int k = 0; k < TIMED_PLACES; k++) own.us[k] *= 1e6 / (double)n_steps;
    MT_ALLOC(arena, *parts, n);
    **parts = own;
    if (ranks && ranks->rank > 0) ranks->send(ranks, 0, &own, sizeof own);
    for (uint32_t r = 0; ranks && ranks->rank == 0 && r < n; r++) {
        part *p = *parts + r;
        if (r > 0) ranks->receive(ranks, r, p, sizeof *p);
        p->elements = (double)mt_halo_own(&s->halo, r);
        p->received = (double)s->halo.inbound[r];
        p->needed = (double)s->halo.needed[r];
        p->near = neighbours_of(&s->halo, r);
    }
    return MT_OK;
}

/* Computes the fingerprint of V at the end, which is the same on any number of ranks. */
static mt_status fingerprint(slab *s, const mt_backend *backend, void *self, char text[MT_HASH_SIZE])
{
    double *v_mV;
    MT_ALLOC(&s->arena, v_mV, s->mesh.n_elements);
    backend->read(self, MT_ARRAY_V, v_mV);
    return mt_hash_of(v_mV, s->mesh.n_elements * sizeof *v_mV, text);
}

static mt_status open_backend(slab *s, const mt_backend **backend, void **self)
{
    if (s->layout.ranks)
        return mt_backend_open_on_ranks(&s->arena, *backend, &s->problem, &s->layout, backend, self);
    return (*backend)->open(&s->arena, &s->problem, NULL, self);
}

static mt_status measure(slab *s, const wish *wanted, const mt_communicator *ranks)
{
    const mt_backend *backend = wanted->tabulated ? &mt_backend_cpu_single : &mt_backend_cpu;
    const bool leads = !ranks || ranks->rank == 0;
    void *self;
    seen w;
    part *parts;
    char v[MT_HASH_SIZE];
    s->layout.ranks = ranks;
    if (leads) MT_TRY(make(s, wanted, ranks));
    MT_TRY(open_backend(s, &backend, &self));
    if (wanted->warm_steps > 0) MT_TRY(run(s, backend, self, 0, wanted->warm_steps, &w));
    MT_TRY(run(s, backend, self, wanted->warm_steps, wanted->n_steps, &w));
    MT_TRY(collect(&s->arena, s, wanted->n_steps, &parts));
    if (!leads) return mt_backend_serve(self);
    MT_TRY(fingerprint(s, backend, self, v));
    if (ranks) mt_backend_dismiss(self);
    print(s, ranks ? ranks->n_ranks : 1, parts, &w, v);
    return MT_OK;
}

/* ---- letters ---- */

static double trip_us(const mt_communicator *ranks, uint32_t to, size_t bytes, void *data)
{
    enum { TRIPS = 500 };
    double least_us = INFINITY;
    for (int k = 0; k < TRIPS; k++) {
        const double begin_s = timed_now_s();
        if (ranks->rank == 0) ranks->send(ranks, to, data, bytes);
        if (ranks->rank == 0) ranks->receive(ranks, to, data, bytes);
        if (ranks->rank == to) ranks->receive(ranks, 0, data, bytes);
        if (ranks->rank == to) ranks->send(ranks, 0, data, bytes);
        least_us = fmin(least_us, 1e6 * (timed_now_s() - begin_s) / 2);
    }
    return least_us;
}

static mt_status tell_letters(const mt_communicator *ranks)
{
    mt_arena arena = {0};
    unsigned char *data;
    if (!ranks) return mt_fail(MT_INPUT, "letters need at least two ranks");
    MT_ALLOC(&arena, data, (size_t)1 << 20);
    for (size_t bytes = 8; bytes <= (size_t)1 << 20; bytes *= 8) {
        const double next_us = trip_us(ranks, 1, bytes, data),
                     last_us = trip_us(ranks, ranks->n_ranks - 1, bytes, data);
        if (ranks->rank == 0) printf("%zu %.2f %.2f\n", bytes, next_us, last_us);
    }
    mt_arena_free(&arena);
    return MT_OK;
}

static size_t number(int argc, char **argv, int k, size_t usual)
{
    return argc > k ? (size_t)strtoul(argv[k], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
    slab s = {0};
    const char *const arithmetic = argc > 6 ? argv[6] : "double";
    const wish wanted = {.n_elements = argc > 1 ? strtod(argv[1], NULL) : 0,
        .n_steps = number(argc, argv, 2, 100),
        .warm_steps = number(argc, argv, 3, STEPS_MS),
        .pde_steps = number(argc, argv, 4, 0),
        .scheme = argc > 5 ? argv[5] : "mixed-clean",
        .tabulated = strcmp(arithmetic, "tabulated") == 0};
    const bool letters = argc > 1 && strcmp(argv[1], "letters") == 0;
    const bool known = wanted.tabulated || strcmp(arithmetic, "double") == 0;
    if (!letters && (!(wanted.n_elements >= 6) || wanted.n_steps < 2 || !known)) {
        (void)fprintf(stderr,
            "usage: cluster ELEMENTS [STEPS [WARM_STEPS [PDE_STEPS [SCHEME [double | tabulated]]]]] | "
            "letters\n");
        return 2;
    }
#ifdef CLUSTER_SIMULATED
    (void)setenv("PMI_RANK", "0", 1); /* as a launcher sets it, for mt_ranks_begin */
#endif
    costs_begin();
    mt_status status = mt_ranks_begin();
    if (status == MT_OK && letters) status = tell_letters(mt_ranks());
    if (status == MT_OK && !letters)
        status = measure(&s, &wanted, mt_ranks() ? timed_around(mt_ranks()) : NULL);
    const bool prints = mt_ranks_end(status);
    if (status != MT_OK && prints) (void)fprintf(stderr, "cluster: %s\n", mt_message());
    mt_ranks_exit((int)status);
    mt_arena_free(&s.arena);
    return (int)status;
}
