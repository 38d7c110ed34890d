#include "ipu/cost/workers.h"

#include <inttypes.h>

mt_status ipu_workers_check(const ipu_target *target)
{
    if (target->worker_contexts >= 1 && target->worker_contexts <= IPU_MAX_WORKERS) return MT_OK;
    return mt_fail(MT_INPUT, "a machine of %zu worker contexts per tile; allowed: 1 to %d",
        target->worker_contexts, IPU_MAX_WORKERS);
}

ipu_workers ipu_workers_begin(const ipu_target *target)
{
    return (ipu_workers){.n = target->worker_contexts, .apart = target->vertex_launch_cycles};
}

/* Returns the maximum of idle worker cycles of such a vertex. */
static uint64_t most_idle(const ipu_target *target, ipu_vertex_kind kind, uint64_t worker)
{
    return kind == IPU_MULTI_WORKER ? (target->worker_contexts - 1) * worker : 0;
}

bool ipu_workers_cost_valid(const ipu_target *target, ipu_vertex_kind kind, ipu_cycles cost)
{
    if (kind == IPU_SUPERVISOR && cost.worker > 0) return false;
    return cost.idle <= most_idle(target, kind, cost.worker);
}

static size_t least_loaded(const ipu_workers *workers)
{
    size_t least = 0;
    for (size_t w = 1; w < workers->n; w++)
        if (workers->load[w] < workers->load[least]) least = w;
    return least;
}

void ipu_workers_add(ipu_workers *workers, ipu_vertex_kind kind, ipu_cycles cost)
{
    workers->apart += cost.entry;
    if (kind == IPU_SINGLE_WORKER) {
        workers->load[least_loaded(workers)] += cost.worker;
        workers->used += cost.worker;
    } else {
        workers->apart += workers->n * cost.worker;
        workers->used += workers->n * cost.worker - cost.idle;
    }
}

uint64_t ipu_workers_cycles(const ipu_workers *workers)
{
    uint64_t most = 0;
    for (size_t w = 0; w < workers->n; w++)
        if (workers->load[w] > most) most = workers->load[w];
    return workers->apart + workers->n * most;
}

mt_status ipu_workers_fail(const ipu_target *target, const char *compute_set, size_t tile,
    const ipu_codelet *codelet, ipu_cycles cost)
{
    if (codelet->kind == IPU_SUPERVISOR)
        return mt_fail(MT_INPUT,
            "compute set '%s', tile %zu: supervisor codelet '%s': %" PRIu64 " worker cycles and %" PRIu64
            " idle; allowed: 0",
            compute_set, tile, codelet->name, cost.worker, cost.idle);
    return mt_fail(MT_INPUT,
        "compute set '%s', tile %zu: codelet '%s': %" PRIu64 " worker cycles idle; allowed: at most %" PRIu64
        " for a vertex of %s, the slowest of which takes %" PRIu64,
        compute_set, tile, codelet->name, cost.idle, most_idle(target, codelet->kind, cost.worker),
        codelet->kind == IPU_SINGLE_WORKER ? "one worker" : "all workers", cost.worker);
}
