#include "ipu/run/ranks.h"

#include <string.h>

size_t ipu_ranks_first(const ipu_target *target, uint32_t n_ranks, uint32_t rank)
{
    return mt_communicator_share(target->ipus, n_ranks, rank) * (target->tiles / target->ipus);
}

uint32_t ipu_ranks_of(const ipu_ranks *ranks, const ipu_target *target, size_t tile)
{
    const uint32_t n = ranks->with ? ranks->with->n_ranks : 1;
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (ipu_ranks_first(target, n, middle) <= tile)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Messages between this rank and the others, by the other's number. */
typedef struct crossing {
    const ipu_executable *executable;
    const ipu_ranks *ranks;
    const uint32_t *rank_of; /* [tiles] */
    mt_neighbour *neighbour; /* [n_ranks] */
} crossing;

/* Counts the pieces of a superstep, and lists them where there is room. */
static void find_pieces(const crossing *c, const ipu_superstep *step, bool *waits)
{
    const uint32_t mine = c->ranks->with->rank;
    for (size_t tile = 0; tile < c->executable->graph->target.tiles; tile++)
        for (size_t i = step->first_message[tile]; i < step->first_message[tile + 1]; i++) {
            const ipu_message *m = &c->executable->messages[i];
            const uint32_t from = c->rank_of[m->source_tile], to = c->rank_of[tile];
            if (from == to) continue;
            if (from == mine) mt_neighbour_send(&c->neighbour[to], m->source, m->bytes);
            if (to != mine) continue;
            mt_neighbour_receive(&c->neighbour[from], m->destination, m->bytes);
            waits[tile] = true;
        }
}

/* Does a superstep send anything between ranks, whichever they are? */
static bool any_crosses(const mt_communicator *with, const mt_neighbour *neighbour)
{
    uint64_t pieces = 0;
    for (uint32_t r = 0; r < with->n_ranks; r++) pieces += neighbour[r].n_send + neighbour[r].n_receive;
    with->reduce(with, MT_REDUCE_MAX, &pieces, 1);
    return pieces > 0;
}

static mt_status connect_with(mt_arena *scratch, crossing *c, const ipu_superstep *step, unsigned char *image,
    bool *waits, void **exchange)
{
    const mt_communicator *with = c->ranks->with;
    memset(c->neighbour, 0, with->n_ranks * sizeof *c->neighbour);
    find_pieces(c, step, waits);
    if (!any_crosses(with, c->neighbour)) return MT_OK;
    MT_TRY(mt_neighbours_room(scratch, with->n_ranks, c->neighbour));
    find_pieces(c, step, waits);
    return with->connect(with, image, c->neighbour, exchange);
}

static mt_status connect(
    crossing *c, const ipu_superstep *step, unsigned char *image, bool *waits, void **exchange)
{
    mt_arena scratch = {0};
    const mt_status status = connect_with(&scratch, c, step, image, waits, exchange);
    mt_arena_free(&scratch);
    return status;
}

static mt_status connect_all(
    mt_arena *arena, mt_arena *scratch, const ipu_executable *e, unsigned char *image, ipu_ranks *ranks)
{
    const ipu_target *target = &e->graph->target;
    uint32_t *rank_of;
    crossing c = {.executable = e, .ranks = ranks};
    MT_ALLOC(scratch, rank_of, target->tiles);
    for (size_t tile = 0; tile < target->tiles; tile++) rank_of[tile] = ipu_ranks_of(ranks, target, tile);
    c.rank_of = rank_of;
    MT_ALLOC(scratch, c.neighbour, ranks->with->n_ranks);
    for (size_t s = 0; s < e->graph->n_compute_sets; s++) {
        MT_ALLOC(arena, ranks->waits[s], target->tiles);
        MT_TRY(connect(&c, &e->supersteps[s], image, ranks->waits[s], &ranks->exchange[s]));
    }
    return MT_OK;
}

mt_status ipu_ranks_make(mt_arena *arena, const mt_communicator *with, const ipu_executable *executable,
    unsigned char *image, ipu_ranks *ranks)
{
    const ipu_target *target = &executable->graph->target;
    const size_t n_sets = executable->graph->n_compute_sets;
    mt_arena scratch = {0};
    *ranks = (ipu_ranks){.with = with, .end_tile = target->tiles};
    if (!with) return MT_OK;
    if (target->ipus < with->n_ranks)
        return mt_fail(MT_INPUT, "a machine of %zu IPUs on %u ranks; allowed: at most a rank for each IPU",
            target->ipus, with->n_ranks);
    ranks->first_tile = ipu_ranks_first(target, with->n_ranks, with->rank);
    ranks->end_tile = ipu_ranks_first(target, with->n_ranks, with->rank + 1);
    MT_ALLOC(arena, ranks->exchange, n_sets);
    MT_ALLOC(arena, ranks->waits, n_sets);
    const mt_status status = connect_all(arena, &scratch, executable, image, ranks);
    mt_arena_free(&scratch);
    return status;
}
