#include "solver/conduction/elimination.h"

#include "data/core/grow.h"
#include "data/core/offsets.h"

enum { NONE = -1 };

/* An entry of the matrix of the hubs, in the list of its hub. */
typedef struct entry {
    uint32_t hub;
    int64_t next; /* NONE: the last */
    double value; /* the negative of the matrix entry */
} entry;

/* A hub to be eliminated. */
typedef struct waiting {
    uint64_t first; /* degree, at least 2, then round */
    uint32_t hub;
} waiting;

/* Hubs that are not eliminated yet. */
typedef struct hubs {
    size_t n;
    double *diagonal; /* [n] */
    int64_t *list;    /* [n] first entry; lists contain only hubs that are not eliminated */
    size_t *degree;   /* [n] */
    uint32_t *round;  /* [n] not before it */
    uint8_t *done;    /* [n] */
    size_t n_entries, room;
    entry *pool;
    mt_arena *arena; /* of the pool */
    /* a binary heap of hubs by degree, round and number, with outdated elements */
    size_t n_heap, heap_room;
    waiting *heap;
} hubs;

/* ---- entries ---- */

static mt_status new_entry(hubs *h, uint32_t row, uint32_t column, double value)
{
    MT_GROW(h->arena, h->pool, h->n_entries, 1, h->room);
    h->pool[h->n_entries] = (entry){column, h->list[row], value};
    h->list[row] = (int64_t)h->n_entries++;
    h->degree[row]++;
    return MT_OK;
}

/* Adds a coupling to a row. */
static mt_status couple(hubs *h, uint32_t row, uint32_t column, double value)
{
    for (int64_t k = h->list[row]; k != NONE; k = h->pool[k].next)
        if (h->pool[k].hub == column) {
            h->pool[k].value += value;
            return MT_OK;
        }
    return new_entry(h, row, column, value);
}

/* Couples two hubs, or reduces the diagonal of one that is coupled to itself. */
static mt_status couple_both(hubs *h, uint32_t a, uint32_t b, double value)
{
    if (a == b) h->diagonal[a] -= 2 * value;
    if (a == b) return MT_OK;
    MT_TRY(couple(h, a, b, value));
    return couple(h, b, a, value);
}

static void uncouple(hubs *h, uint32_t row, uint32_t column)
{
    int64_t *at = &h->list[row];
    while (h->pool[*at].hub != column) at = &h->pool[*at].next;
    *at = h->pool[*at].next;
    h->degree[row]--;
}

/* ---- the next hub ---- */

static waiting waiting_of(const hubs *h, uint32_t hub)
{
    const uint64_t degree = h->degree[hub] > 2 ? h->degree[hub] : 2;
    return (waiting){degree << 32 | h->round[hub], hub};
}

static bool precedes(const waiting *a, const waiting *b)
{
    return a->first != b->first ? a->first < b->first : a->hub < b->hub;
}

static mt_status push(hubs *h, uint32_t hub)
{
    const waiting key = waiting_of(h, hub);
    MT_GROW(h->arena, h->heap, h->n_heap, 1, h->heap_room);
    size_t at = h->n_heap++;
    for (; at > 0 && precedes(&key, &h->heap[(at - 1) / 2]); at = (at - 1) / 2)
        h->heap[at] = h->heap[(at - 1) / 2];
    h->heap[at] = key;
    return MT_OK;
}

static waiting pop(hubs *h)
{
    const waiting least = h->heap[0], key = h->heap[--h->n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < h->n_heap; at = child) {
        if (child + 1 < h->n_heap && precedes(&h->heap[child + 1], &h->heap[child])) child++;
        if (!precedes(&h->heap[child], &key)) break;
        h->heap[at] = h->heap[child];
    }
    h->heap[at] = key;
    return least;
}

/* Returns the first hub that is not eliminated. */
static uint32_t next_hub(hubs *h)
{
    for (;;) {
        const waiting found = pop(h);
        if (!h->done[found.hub] && found.first == waiting_of(h, found.hub).first) return found.hub;
    }
}

/* ---- chains ---- */

static double *diagonal_at(const mt_cables *c, double *diagonal, const hubs *h, uint32_t point)
{
    return point < c->n_chained ? &diagonal[point] : &h->diagonal[point - c->n_chained];
}

/* Adds the conductances of the pieces to the diagonal. */
static void add_pieces(const mt_cables *c, double *diagonal, const hubs *h)
{
    for (size_t k = 0; k < c->n_chains; k++)
        for (size_t piece = c->chain[k].first + k; piece <= c->chain[k].end + k; piece++) {
            uint32_t point[2];
            mt_cables_piece(c, k, piece, point);
            for (int end = 0; end < 2; end++)
                if (point[end] != MT_NO_POINT)
                    *diagonal_at(c, diagonal, h, point[end]) += c->conductance_mS[piece];
        }
}

/* Eliminates the points of a chain. */
static mt_status eliminate_chain(const mt_cables *c, size_t k, double *diagonal, mt_elimination *e, hubs *h)
{
    const mt_cable_chain *chain = &c->chain[k];
    const uint32_t left = chain->left - (uint32_t)c->n_chained, right = chain->right - (uint32_t)c->n_chained;
    double to_left = c->conductance_mS[chain->first + k]; /* 0 at a free end */
    for (size_t i = chain->first; i < chain->end; i++) {
        const double next = c->conductance_mS[i + k + 1];
        e->inverse[i] = 1 / diagonal[i];
        e->along[i] = next * e->inverse[i];
        e->across[i] = to_left * e->inverse[i];
        if (chain->left != MT_NO_POINT) h->diagonal[left] -= e->across[i] * to_left;
        to_left *= e->along[i];
        if (i + 1 < chain->end)
            diagonal[i + 1] -= e->along[i] * next;
        else if (chain->right != MT_NO_POINT)
            h->diagonal[right] -= e->along[i] * next;
    }
    if (chain->left == MT_NO_POINT || chain->right == MT_NO_POINT) return MT_OK;
    return couple_both(h, left, right, to_left);
}

/* ---- hubs ---- */

/* Eliminates the hub `k`: stores its column, and couples its neighbours. */
static mt_status eliminate_hub(hubs *h, uint32_t k, mt_elimination *e, size_t *n)
{
    const double inverse = 1 / h->diagonal[k];
    h->done[k] = 1;
    for (int64_t i = h->list[k]; i != NONE; i = h->pool[i].next) {
        const uint32_t a = h->pool[i].hub;
        const double value = h->pool[i].value;
        uncouple(h, a, k);
        if (h->round[a] <= h->round[k]) h->round[a] = h->round[k] + 1;
        h->diagonal[a] -= value * value * inverse;
        e->hub[*n] = a;
        e->factor[(*n)++] = value * inverse;
        for (int64_t j = h->pool[i].next; j != NONE; j = h->pool[j].next)
            MT_TRY(couple_both(h, a, h->pool[j].hub, value * h->pool[j].value * inverse));
    }
    for (int64_t i = h->list[k]; i != NONE; i = h->pool[i].next) MT_TRY(push(h, h->pool[i].hub));
    return MT_OK;
}

static mt_status eliminate_hubs(
    mt_arena *arena, mt_arena *scratch, const mt_cables *c, hubs *h, mt_elimination *e)
{
    size_t n = 0, room[2] = {0, 0};
    for (uint32_t k = 0; k < h->n; k++) MT_TRY(push(h, k));
    for (size_t k = 0; k < h->n; k++) {
        const uint32_t hub = next_hub(h);
        e->order[k] = hub;
        MT_GROW(scratch, e->hub, n, h->degree[hub], room[0]);
        MT_GROW(scratch, e->factor, n, h->degree[hub], room[1]);
        MT_TRY(eliminate_hub(h, hub, e, &n));
        e->inverse[c->n_chained + hub] = 1 / h->diagonal[hub];
        e->column[k + 1] = n;
    }
    MT_COPY(arena, e->hub, e->hub, n);
    MT_COPY(arena, e->factor, e->factor, n);
    return MT_OK;
}

/* Sorts the entries of the hubs by row. */
static mt_status list_rows(mt_arena *arena, mt_elimination *e)
{
    MT_SCRATCH(scratch);
    const size_t n = e->column[e->n_hubs];
    uint32_t *rank; /* [n_hubs] place of a hub in the order */
    MT_ALLOC(scratch, rank, e->n_hubs);
    MT_ALLOC(arena, e->row, e->n_hubs + 2);
    MT_ALLOC(arena, e->earlier, n);
    MT_ALLOC(arena, e->earlier_factor, n);
    for (size_t k = 0; k < e->n_hubs; k++) rank[e->order[k]] = (uint32_t)k;
    for (size_t i = 0; i < n; i++) e->row[rank[e->hub[i]] + (size_t)2]++;
    mt_offsets_sum(e->row, e->n_hubs + 2);
    for (size_t k = 0; k < e->n_hubs; k++)
        for (size_t i = e->column[k]; i < e->column[k + 1]; i++) {
            const size_t at = e->row[rank[e->hub[i]] + (size_t)1]++;
            e->earlier[at] = e->order[k];
            e->earlier_factor[at] = e->factor[i];
        }
    return MT_OK;
}

/* Lists the ends of chains at each hub. Free ends are listed under a hub that does not exist. */
static mt_status list_ends(mt_arena *arena, const mt_cables *c, mt_elimination *e)
{
    MT_SCRATCH(scratch);
    uint32_t *key;
    MT_ALLOC(scratch, key, 2 * c->n_chains);
    for (size_t k = 0; k < c->n_chains; k++) {
        const mt_cable_chain *chain = &c->chain[k];
        const uint32_t none = (uint32_t)e->n_hubs, first = (uint32_t)c->n_chained;
        key[2 * k] = chain->left == MT_NO_POINT ? none : chain->left - first;
        key[2 * k + 1] = chain->right == MT_NO_POINT ? none : chain->right - first;
    }
    return mt_offsets_make(arena, 2 * c->n_chains, 1, key, e->n_hubs + 1, &e->ends, &e->end);
}

mt_status mt_elimination_make(
    mt_arena *arena, const mt_cables *c, const double *diagonal_mS, mt_elimination *e)
{
    MT_SCRATCH(scratch);
    double *diagonal;
    hubs h = {.n = c->n_points - c->n_chained, .arena = scratch};
    *e = (mt_elimination){.n_hubs = h.n};
    MT_ALLOC(arena, e->along, c->n_chained);
    MT_ALLOC(arena, e->across, c->n_chained);
    MT_ALLOC(arena, e->inverse, c->n_points);
    MT_ALLOC(arena, e->order, h.n);
    MT_ALLOC(arena, e->column, h.n + 1);
    MT_ALLOC(scratch, h.list, h.n);
    MT_ALLOC(scratch, h.degree, h.n);
    MT_ALLOC(scratch, h.round, h.n);
    MT_ALLOC(scratch, h.done, h.n);
    MT_COPY(scratch, diagonal, diagonal_mS, c->n_points);
    h.diagonal = diagonal + c->n_chained;
    for (size_t k = 0; k < h.n; k++) h.list[k] = NONE;
    add_pieces(c, diagonal, &h);
    for (size_t k = 0; k < c->n_chains; k++) MT_TRY(eliminate_chain(c, k, diagonal, e, &h));
    MT_TRY(eliminate_hubs(arena, scratch, c, &h, e));
    MT_TRY(list_rows(arena, e));
    return list_ends(arena, c, e);
}
