#include "ipu/run/ranks.h"

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

/* The communication of all supersteps, collected before anything is connected. */
typedef struct crossing {
    const ipu_executable *executable;
    const ipu_ranks *ranks;
    uint32_t *rank_of;        /* [tiles] */
    mt_neighbour **neighbour; /* [n_compute_sets][n_ranks] */
    uint64_t *flags;          /* [n_compute_sets][2] nonzero if data cross ranks; if cycles depend on data */
} crossing;

/* Counts the pieces of a superstep, or lists them if there is room. */
static void find_pieces(const crossing *c, size_t set)
{
    const ipu_superstep *step = &c->executable->supersteps[set];
    const uint32_t mine = c->ranks->with->rank;
    for (size_t tile = 0; tile < c->executable->graph->target.tiles; tile++)
        for (size_t i = step->first_message[tile]; i < step->first_message[tile + 1]; i++) {
            const ipu_message *m = &c->executable->messages[i];
            const uint32_t from = c->rank_of[m->source_tile], to = c->rank_of[tile];
            if (from == to) continue;
            if (from == mine) mt_neighbour_send(&c->neighbour[set][to], m->source, m->bytes);
            if (to != mine) continue;
            mt_neighbour_receive(&c->neighbour[set][from], m->destination, m->bytes);
            c->ranks->waits[set][tile] = true;
        }
}

static mt_status find_set(mt_arena *arena, mt_arena *scratch, crossing *c, size_t set)
{
    const uint32_t n_ranks = c->ranks->with->n_ranks;
    MT_ALLOC(arena, c->ranks->waits[set], c->executable->graph->target.tiles);
    MT_ALLOC(scratch, c->neighbour[set], n_ranks);
    find_pieces(c, set);
    MT_TRY(mt_neighbours_allocate(scratch, n_ranks, c->neighbour[set]));
    find_pieces(c, set);
    for (uint32_t r = 0; r < n_ranks; r++)
        c->flags[2 * set] |= c->neighbour[set][r].n_send + c->neighbour[set][r].n_receive > 0;
    c->flags[2 * set + 1] = c->executable->supersteps[set].data_dependent;
    return MT_OK;
}

/* Performs all steps in which a single rank can fail. */
static mt_status find_all(mt_arena *arena, mt_arena *scratch, ipu_ranks *ranks, crossing *c)
{
    const ipu_target *target = &c->executable->graph->target;
    const size_t n_sets = c->executable->graph->n_compute_sets;
    MT_ALLOC(arena, ranks->exchange, n_sets);
    MT_ALLOC(arena, ranks->waits, n_sets);
    MT_ALLOC(arena, ranks->depends, n_sets);
    MT_ALLOC(scratch, c->rank_of, target->tiles);
    MT_ALLOC(scratch, c->neighbour, n_sets);
    MT_ALLOC(scratch, c->flags, 2 * n_sets);
    for (size_t tile = 0; tile < target->tiles; tile++) c->rank_of[tile] = ipu_ranks_of(ranks, target, tile);
    for (size_t s = 0; s < n_sets; s++) MT_TRY(find_set(arena, scratch, c, s));
    return MT_OK;
}

mt_status ipu_ranks_make(mt_arena *arena, const mt_communicator *with, const ipu_executable *executable,
    unsigned char *image, ipu_ranks *ranks)
{
    const ipu_target *target = &executable->graph->target;
    *ranks = (ipu_ranks){.with = with, .end_tile = target->tiles};
    if (!with) return MT_OK;
    if (target->ipus < with->n_ranks)
        return mt_fail(MT_INPUT, "a machine of %zu IPUs on %u ranks; allowed: at most one rank per IPU",
            target->ipus, with->n_ranks);
    ranks->first_tile = ipu_ranks_first(target, with->n_ranks, with->rank);
    ranks->end_tile = ipu_ranks_first(target, with->n_ranks, with->rank + 1);
    MT_SCRATCH(scratch);
    const size_t n_sets = executable->graph->n_compute_sets;
    crossing c = {.executable = executable, .ranks = ranks};
    MT_TRY(mt_communicator_agree(with, find_all(arena, scratch, ranks, &c)));
    with->reduce(with, MT_REDUCE_MAX, c.flags, 2 * n_sets);
    for (size_t s = 0; s < n_sets; s++) {
        ranks->depends[s] = c.flags[2 * s + 1] != 0;
        if (c.flags[2 * s]) MT_TRY(with->connect(with, image, c.neighbour[s], &ranks->exchange[s]));
    }
    return MT_OK;
}
