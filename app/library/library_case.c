#include "app/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/ranks.h"
#include "data/core/progress.h"

static const myotile_options no_options;

/* ---- opening ---- */

/* Copies values "KEY=VALUE" after `sets[n]`. */
static mt_status add_sets(
    mt_arena *arena, const char *const *texts, size_t n_texts, mt_yaml_override *sets, size_t n)
{
    for (size_t k = 0; k < n_texts; k++) {
        sets[n + k] = (mt_yaml_override){"set", mt_arena_text(arena, texts[k])};
        if (!sets[n + k].text) return MT_MEMORY;
    }
    return MT_OK;
}

const mt_communicator *mt_library_ranks(const myotile_case *c)
{
    return c->ranks.n_ranks > 1 ? &c->ranks : NULL;
}

/* True if this process has the mesh and the results. */
static bool leads(const myotile_case *c) { return c->ranks.rank == 0; }

static mt_status agree(const myotile_case *c, mt_status status)
{
    return mt_library_ranks(c) ? mt_communicator_agree(&c->ranks, status) : status;
}

static mt_status build(myotile_case *c)
{
    MT_SCRATCH(scratch);
    mt_one_run *run;
    MT_ALLOC(scratch, run, 1);
    MT_TRY(mt_one_run_of_case(
        scratch, c->path, c->sets, c->n_sets, !c->options.no_cache, mt_library_ranks(c), run));
    if (!leads(c)) return MT_OK;
    MT_TRY(mt_problem_find_files(scratch, &run->input));
    return mt_fail_in(c->path, mt_shared_make(&c->shared, &run->input, run->cached));
}

static mt_status make_case(const char *path, const char *const *sets, size_t n_sets, myotile_case *c)
{
    MT_ALLOC(&c->arena, c->sets, n_sets);
    c->n_sets = n_sets;
    c->path = mt_arena_text(&c->arena, path);
    if (!c->path) return MT_MEMORY;
    return add_sets(&c->arena, sets, n_sets, c->sets, 0);
}

static mt_status open_here(const char *path, const char *const *sets, size_t n_sets, myotile_case *c)
{
    mt_library_lock();
    mt_status status = make_case(path, sets, n_sets, c);
    if (status == MT_OK) status = build(c);
    mt_library_unlock();
    return status;
}

myotile_status myotile_open(const char *path, const char *const *sets, size_t n_sets,
    const myotile_options *options, myotile_case **opened)
{
    mt_library_call call;
    myotile_case *c = calloc(1, sizeof *c);
    *opened = NULL;
    if (!c) return (myotile_status)mt_fail(MT_MEMORY, "%s: out of memory", path);
    c->options = options ? *options : no_options;
    mt_library_begin(&call, &c->options);
    mt_status status = c->options.communicator ? mt_ranks_join(c->options.communicator, &c->ranks) : MT_OK;
    if (status == MT_OK) status = agree(c, open_here(path, sets, n_sets, c));
    if (status == MT_OK)
        *opened = c;
    else
        myotile_close(c);
    return mt_library_end(&call, status);
}

void myotile_close(myotile_case *c)
{
    if (!c) return;
    mt_ranks_leave(&c->ranks);
    mt_shared_free(&c->shared);
    mt_arena_free(&c->arena);
    free(c);
}

void myotile_mesh_of(const myotile_case *c, myotile_mesh *mesh)
{
    const mt_mesh *whole = &c->shared.problem.whole;
    *mesh = (myotile_mesh){
        whole->n_vertices, whole->n_elements, whole->xyz_mm, whole->element_vertex, whole->region};
}

/* ---- running ---- */

/* The samples of a run for its observer. */
typedef struct watching {
    const myotile_watch *watch;
    mt_library_call *call;
    const mt_one_run *run;
    size_t every; /* time steps */
    double *v_mV; /* [unknowns] */
    uint32_t *number;
} watching;

static mt_status begin_watch(mt_arena *arena, const myotile_watch *watch, mt_one_run *run, watching *w)
{
    const mt_unknowns *unknowns = &run->problem.unknowns;
    const size_t n = mt_unknowns_count(unknowns);
    const double steps = watch->every_ms / run->input.time.dt_ms;
    if (!(steps >= 0.999) || fabs(steps - round(steps)) > 1e-6 * steps)
        return mt_fail(MT_INPUT,
            "samples every %g ms; allowed: multiples of the time step, time.dt_ms = %g ms", watch->every_ms,
            run->input.time.dt_ms);
    w->every = (size_t)llround(steps);
    MT_ALLOC(arena, w->v_mV, n);
    MT_ALLOC(arena, w->number, n);
    for (size_t k = 0; k < n; k++) w->number[k] = (uint32_t)mt_unknowns_number(unknowns, k);
    return MT_OK;
}

static mt_status observe(void *context, const mt_backend *backend, void *self, size_t steps_done)
{
    const watching *w = context;
    const mt_unknowns *unknowns = &w->run->problem.unknowns;
    if (steps_done % w->every != 0) return MT_OK;
    MT_TRY(backend->read(self, MT_ARRAY_V, w->v_mV));
    const myotile_sample sample = {(double)steps_done * w->run->input.time.dt_ms, mt_unknowns_count(unknowns),
        unknowns->at_vertices, w->v_mV, w->number};
    w->call->stop |= w->watch->sample(w->watch->user, &sample);
    return MT_OK;
}

static mt_status prepare(
    mt_arena *arena, myotile_case *c, const char *const *sets, size_t n_sets, mt_one_run *run)
{
    mt_yaml_override *all;
    MT_ALLOC(arena, all, c->n_sets + n_sets);
    memcpy(all, c->sets, c->n_sets * sizeof *all);
    MT_TRY(add_sets(arena, sets, n_sets, all, c->n_sets));
    MT_TRY(mt_one_run_of_case(
        arena, c->path, all, c->n_sets + n_sets, !c->options.no_cache, mt_library_ranks(c), run));
    return leads(c) ? mt_one_run_prepare(arena, &c->shared, NULL, run) : MT_OK;
}

/* Runs the time steps; other threads can prepare meanwhile, unless a device compiles programs. */
static mt_status compute(mt_arena *arena, mt_one_run *run, myotile_result **result)
{
    const bool alone = run->run.backend == &mt_backend_opencl;
    if (alone) mt_library_lock();
    mt_status status = mt_run_make(arena, &run->run);
    if (alone) mt_library_unlock();
    if (status == MT_OK) status = mt_library_collect(&run->run, result);
    return status;
}

static mt_status run_case(mt_library_call *call, myotile_case *c, const char *const *sets, size_t n_sets,
    const myotile_watch *watch, myotile_result **result)
{
    MT_SCRATCH(arena);
    mt_one_run *run;
    MT_ALLOC(arena, run, 1);
    mt_library_lock();
    mt_status status = prepare(arena, c, sets, n_sets, run);
    mt_library_unlock();
    if (!leads(c)) return status == MT_OK ? mt_one_run_make_part(run) : agree(c, status);
    watching w = {.watch = watch, .call = call, .run = run};
    run->run.on_signal = NULL;
    if (status == MT_OK && watch && watch->sample) {
        run->run.look = observe, run->run.looking = &w;
        status = begin_watch(arena, watch, run, &w);
    }
    status = agree(c, status);
    if (status == MT_OK) status = compute(arena, run, result);
    mt_sampling_close(&run->sampling, false);
    if (status == MT_OK && !run->run.stopped_by) mt_one_run_warn(run);
    if (status == MT_OK && run->run.stopped_by)
        return mt_fail(MT_STOPPED, "stopped by a callback at %.9g of %.9g ms", mt_run_reached_ms(&run->run),
            run->input.time.end_ms);
    return status;
}

myotile_status myotile_run(myotile_case *c, const char *const *sets, size_t n_sets,
    const myotile_watch *watch, myotile_result **result)
{
    mt_library_call call;
    *result = NULL;
    mt_library_begin(&call, &c->options);
    return mt_library_end(&call, run_case(&call, c, sets, n_sets, watch, result));
}
