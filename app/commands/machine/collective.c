#include "app/commands/machine/collective.h"

#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "ipu/compile/compile.h"

mt_status mt_collective_plan(mt_arena *arena, ipu_method method, size_t elements, mt_collective *c)
{
    return ipu_plan_make(arena, &c->rings, c->operation, method, elements, sizeof(float), 0, &c->plan);
}

/* ---- the program ---- */

static ipu_type type_of(const mt_collective *c)
{
    return c->with == IPU_AND || c->with == IPU_OR ? IPU_UNSIGNED_INT : IPU_FLOAT;
}

static mt_status map_vector(const mt_collective *c, ipu_graph *g, uint32_t variable, size_t chip)
{
    const size_t tiles = c->target.tiles / c->target.ipus;
    for (size_t f = 0; f < c->plan.n_fragments; f++) {
        const size_t begin = ipu_plan_fragment(&c->plan, f), n = ipu_plan_fragment(&c->plan, f + 1) - begin;
        for (size_t t = 0; t < tiles; t++) {
            const size_t from = n * t / tiles, to = n * (t + 1) / tiles;
            MT_TRY(ipu_graph_set_tile_mapping(
                g, variable, begin + from, to - from, (uint32_t)(chip * tiles + t)));
        }
    }
    return MT_OK;
}

mt_status mt_collective_make(mt_arena *arena, const mt_collective *c, mt_collective_program *made)
{
    ipu_graph *g;
    const ipu_program *program;
    MT_TRY(ipu_graph_new(arena, &c->target, &g));
    MT_ALLOC(arena, made->vector, c->target.ipus);
    for (size_t chip = 0; chip < c->target.ipus; chip++) {
        char name[40];
        uint32_t v;
        (void)snprintf(name, sizeof name, "vector of IPU %zu", chip);
        MT_TRY(ipu_graph_add_variable(g, name, type_of(c), c->plan.n_elements, &v));
        MT_TRY(map_vector(c, g, v, chip));
        MT_TRY(ipu_graph_variable_tensor(g, v, &made->vector[chip]));
    }
    MT_TRY(ipu_collective_program(g, &c->plan, c->with, made->vector, c->target.ipus, &program));
    return ipu_compile(arena, g, &program, 1, &made->executable);
}

/* ---- execution ---- */

/* A collective during its execution. */
typedef struct doing {
    const mt_collective *collective;
    const mt_collective_program *made;
    ipu_engine *engine;
    uint32_t *room;          /* buffer of one vector */
    uint32_t *value, *owner; /* expected results on the chips of a ring, and the owners of their fragments */
} doing;

/* Returns the initial value of element i on a chip. For products all factors are 1, except one 2. */
static uint32_t beginning(const mt_collective *c, size_t chip, size_t i)
{
    const uint32_t number = (uint32_t)((i * 2654435761U + chip * 40503U) >> 7) % 1000;
    if (c->with == IPU_PRODUCT) return i % c->target.ipus == chip ? 2 : 1;
    return number;
}

static void write_vectors(const doing *d)
{
    const mt_collective *c = d->collective;
    for (size_t chip = 0; chip < c->target.ipus; chip++) {
        mt_progress_stage_part("initial values of each chip", (double)chip / (double)c->target.ipus);
        for (size_t i = 0; i < c->plan.n_elements; i++) {
            const uint32_t value = beginning(c, chip, i);
            const float as_float = (float)value;
            memcpy(&d->room[i], type_of(c) == IPU_FLOAT ? (const void *)&as_float : &value, sizeof *d->room);
        }
        ipu_engine_write(d->engine, &d->made->vector[chip], d->room);
    }
}

static uint32_t combined(ipu_operator with, uint32_t x, uint32_t y)
{
    switch (with) {
    case IPU_SUM:
        return x + y;
    case IPU_PRODUCT:
        return x * y;
    case IPU_MINIMUM_OF:
        return x < y ? x : y;
    case IPU_MAXIMUM_OF:
        return x > y ? x : y;
    case IPU_AND:
        return x & y;
    case IPU_OR:
    case IPU_OPERATORS:
        break;
    }
    return x | y;
}

static uint32_t chip_of(const ipu_ring *ring, size_t rank)
{
    size_t k = 0;
    while (ipu_ring_rank(ring, k) != rank) k++;
    return ring->chip[k];
}

/* Returns the expected result of element i; without a reduction, the value of chip `source`. */
static uint32_t result(const mt_collective *c, const ipu_ring *ring, uint32_t source, size_t i)
{
    if (c->plan.n_reducing == 0) return beginning(c, source, i);
    uint32_t value = beginning(c, ring->chip[0], i);
    for (size_t k = 1; k < ring->n; k++) value = combined(c->with, value, beginning(c, ring->chip[k], i));
    return value;
}

static void find_results(const doing *d, const ipu_ring *ring)
{
    const mt_collective *c = d->collective;
    for (size_t f = 0; f < c->plan.n_fragments; f++) {
        const uint32_t owner = chip_of(ring, f % ring->n),
                       source = c->operation == IPU_BROADCAST ? chip_of(ring, 0) : owner;
        for (size_t i = ipu_plan_fragment(&c->plan, f); i < ipu_plan_fragment(&c->plan, f + 1); i++) {
            d->owner[i] = owner;
            d->value[i] = result(c, ring, source, i);
        }
    }
}

/* Checks the results of a chip; of a reduce-scatter only its own fragments. */
static mt_status check_chip(const doing *d, uint32_t chip)
{
    const mt_collective *c = d->collective;
    ipu_engine_read(d->engine, &d->made->vector[chip], d->room);
    for (size_t i = 0; i < c->plan.n_elements; i++) {
        float as_float;
        if (c->operation == IPU_REDUCE_SCATTER && d->owner[i] != chip) continue;
        memcpy(&as_float, &d->room[i], sizeof as_float);
        const double got = type_of(c) == IPU_FLOAT ? (double)as_float : d->room[i];
        if (got != d->value[i])
            return mt_fail(MT_NUMERICS, "IPU %u, element %zu: %g; expected: %u", chip, i, got, d->value[i]);
    }
    return MT_OK;
}

/* Checks all results. All streams have the same chips, so the rings of one suffice. */
static mt_status check_vectors(const doing *d)
{
    for (size_t r = 0; r < d->collective->rings.n_rings; r++) {
        const ipu_ring *ring = &d->collective->rings.ring[r];
        if (ring->stream > 0) continue;
        find_results(d, ring);
        for (size_t k = 0; k < ring->n; k++) {
            mt_progress_stage_part("comparing the results of each chip", (double)k / (double)ring->n);
            MT_TRY(check_chip(d, ring->chip[k]));
        }
    }
    return MT_OK;
}

mt_status mt_collective_execute(
    mt_arena *arena, const mt_collective *c, const mt_collective_program *made, ipu_engine **engine)
{
    doing d = {.collective = c, .made = made};
    MT_ALLOC(arena, d.room, c->plan.n_elements);
    MT_ALLOC(arena, d.value, c->plan.n_elements);
    MT_ALLOC(arena, d.owner, c->plan.n_elements);
    MT_TRY(ipu_engine_new(arena, made->executable, false, &d.engine));
    write_vectors(&d);
    MT_TRY(ipu_engine_run(d.engine, 0));
    *engine = d.engine;
    return check_vectors(&d);
}

/* ---- timing ---- */

static mt_status add_cycles(mt_arena *scratch, const mt_collective *c, const size_t *times, uint64_t *cycles)
{
    mt_collective_program made;
    ipu_timing timing;
    MT_TRY(mt_collective_make(scratch, c, &made));
    MT_TRY(ipu_timing_make(scratch, made.executable, &timing));
    *cycles = 0;
    for (size_t s = 0; s < c->plan.n_steps; s++)
        *cycles += (times ? times[s] : 1) * timing.supersteps[s].cycles;
    return MT_OK;
}

mt_status mt_collective_cycles(const mt_collective *c, uint64_t *cycles)
{
    MT_SCRATCH(scratch);
    mt_collective kinds = *c;
    size_t *times = NULL;
    mt_status status = MT_OK;
    if (c->target.exchange_bytes_per_cycle <= sizeof(float))
        status = ipu_plan_kinds(scratch, &c->plan, &kinds.plan, &times);
    return status == MT_OK ? add_cycles(scratch, &kinds, times, cycles) : status;
}
