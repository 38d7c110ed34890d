#include "mesh/cut/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "mesh/adjacency.h"

enum { BLOCK = 128 };

static const uint64_t *destinations(const mt_sets *sets, uint32_t set)
{
    return sets->to + (size_t)set * sets->n_words;
}

bool mt_sets_has(const mt_sets *sets, uint32_t set, uint32_t destination)
{
    return destinations(sets, set)[destination / 64] >> (destination % 64) & 1;
}

static uint32_t bits(uint64_t word) { return (uint32_t)__builtin_popcountll(word); }

static uint32_t n_destinations(const mt_sets *sets, uint32_t set)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < sets->n_words; w++) n += bits(destinations(sets, set)[w]);
    return n;
}

/* ---- construction ---- */

typedef struct listed {
    const uint32_t *need; /* [n] parts that need the element */
    size_t n;
    uint32_t element; /* index among the separator elements */
} listed;

static int compare_lists(const listed *a, const listed *b)
{
    for (size_t k = 0; k < a->n && k < b->n; k++)
        if (a->need[k] != b->need[k]) return a->need[k] < b->need[k] ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

static int compare_listed(const void *left, const void *right)
{
    const listed *a = left, *b = right;
    int order = compare_lists(a, b);
    return order ? order : (a->element > b->element) - (a->element < b->element);
}

static listed *list_elements(mt_arena *arena, const mt_needs *source, mt_sets *sets)
{
    listed *list = mt_arena_alloc(arena, source->n_own, sizeof *list);
    if (!list) return NULL;
    for (uint32_t i = 0; i < source->n_own; i++) {
        const size_t *offset = source->need_offset + source->element[i];
        if (offset[0] == offset[1]) continue;
        list[sets->n_elements] =
            (listed){source->need_part + offset[0], offset[1] - offset[0], sets->n_elements};
        sets->element[sets->n_elements++] = source->element[i];
    }
    qsort(list, sets->n_elements, sizeof *list, compare_listed);
    return list;
}

mt_status mt_sets_make(mt_arena *arena, const mt_needs *source, mt_sets *sets)
{
    *sets = (mt_sets){.n_to = source->n_neighbours, .n_words = (source->n_neighbours + 63) / 64};
    MT_ALLOC(arena, sets->element, source->n_own);
    const listed *list = list_elements(arena, source, sets);
    if (!list) return MT_MEMORY;
    for (uint32_t i = 0; i < sets->n_elements; i++)
        sets->n_sets += i == 0 || compare_lists(&list[i - 1], &list[i]) != 0;
    MT_ALLOC(arena, sets->set_of, sets->n_elements);
    MT_ALLOC(arena, sets->size, sets->n_sets);
    MT_ALLOC(arena, sets->to, (size_t)sets->n_sets * sets->n_words);
    for (uint32_t i = 0, set = 0; i < sets->n_elements; i++) {
        set += i > 0 && compare_lists(&list[i - 1], &list[i]) != 0;
        sets->set_of[list[i].element] = set;
        if (sets->size[set]++ > 0) continue;
        for (size_t k = 0; k < list[i].n; k++) {
            const uint32_t *at = bsearch(&list[i].need[k], source->neighbour, source->n_neighbours,
                sizeof *source->neighbour, mt_compare_ids);
            const size_t q = (size_t)(at - source->neighbour);
            sets->to[(size_t)set * sets->n_words + q / 64] |= (uint64_t)1 << q % 64;
        }
    }
    return MT_OK;
}

/* ---- order for few runs ---- */

/* A closed tour over the sets of a block and the empty set, which is stop 0. */
typedef struct tour {
    uint32_t n;
    uint32_t *stop;     /* [n] stop[0] is 0 */
    uint32_t *distance; /* [n][n] */
} tour;

/* Returns the distance between the stops at two positions; position n is position 0. */
static uint32_t leg(const tour *t, uint32_t from, uint32_t to)
{
    return t->distance[t->stop[from % t->n] * t->n + t->stop[to % t->n]];
}

static void measure(const mt_sets *sets, uint32_t first, tour *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < i; k++) {
            uint32_t differ = 0;
            for (uint32_t w = 0; w < sets->n_words; w++)
                differ += bits(destinations(sets, first + i - 1)[w] ^
                               (k > 0 ? destinations(sets, first + k - 1)[w] : 0));
            t->distance[i * t->n + k] = t->distance[k * t->n + i] = differ;
        }
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t t = *a;
    *a = *b;
    *b = t;
}

static void go_to_the_nearest(tour *t)
{
    for (uint32_t i = 0; i < t->n; i++) t->stop[i] = i;
    for (uint32_t i = 1; i < t->n; i++) {
        uint32_t nearest = i;
        for (uint32_t k = i + 1; k < t->n; k++) {
            const uint32_t closer = leg(t, i - 1, k), close = leg(t, i - 1, nearest);
            if (closer < close || (closer == close && t->stop[k] < t->stop[nearest])) nearest = k;
        }
        swap(&t->stop[i], &t->stop[nearest]);
    }
}

static void reverse(uint32_t *stop, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) swap(&stop[i], &stop[n - 1 - i]);
}

/* 2-opt: reverses a piece of the tour if that shortens it. */
static bool turn_pieces(tour *t)
{
    bool gained = false;
    for (uint32_t i = 1; i < t->n; i++)
        for (uint32_t k = i + 1; k < t->n; k++)
            if (leg(t, i - 1, k) + leg(t, i, k + 1) < leg(t, i - 1, i) + leg(t, k, k + 1)) {
                reverse(t->stop + i, k - i + 1);
                gained = true;
            }
    return gained;
}

/* Moves the `length` stops from position `from` on between the stops at `to` and `to` + 1, which are outside the piece. */
static void move_piece(tour *t, uint32_t from, uint32_t length, uint32_t to, bool turned)
{
    if (turned) reverse(t->stop + from, length);
    /* Rotates the stops from the piece to its new position, by three reversals. */
    const uint32_t begin = to < from ? to + 1 : from, end = to < from ? from + length : to + 1;
    const uint32_t head = to < from ? from - begin : length;
    reverse(t->stop + begin, head);
    reverse(t->stop + begin + head, end - begin - head);
    reverse(t->stop + begin, end - begin);
}

/* Or-opt: moves each piece of `length` stops, reversed or not, to the position with the shortest tour. */
static bool move_pieces(tour *t, uint32_t length)
{
    bool gained = false;
    for (uint32_t i = 1; i + length <= t->n; i++) {
        const uint32_t last = i + length - 1;
        const uint32_t with = leg(t, i - 1, i) + leg(t, last, last + 1), without = leg(t, i - 1, last + 1);
        uint32_t least = with, to = 0;
        bool turned = false;
        for (uint32_t k = 0; k < t->n && with > without; k++) {
            if (k + 1 >= i && k <= last) continue;
            const uint32_t base = without - leg(t, k, k + 1); /* may wrap around; the sums below do not */
            const uint32_t straight = base + leg(t, k, i) + leg(t, last, k + 1);
            const uint32_t back = base + leg(t, k, last) + leg(t, i, k + 1);
            if (straight < least) least = straight, to = k, turned = false;
            if (back < least) least = back, to = k, turned = true;
        }
        if (least == with) continue;
        move_piece(t, i, length, to, turned);
        gained = true;
    }
    return gained;
}

mt_status mt_sets_order_runs(mt_arena *scratch, const mt_sets *sets, uint32_t *order)
{
    const uint32_t most = 1 + (sets->n_sets < BLOCK ? sets->n_sets : BLOCK);
    tour t = {0};
    MT_ALLOC(scratch, t.stop, most);
    MT_ALLOC(scratch, t.distance, (size_t)most * most);
    for (uint32_t first = 0; first < sets->n_sets; first += BLOCK) {
        t.n = 1 + (sets->n_sets - first < BLOCK ? sets->n_sets - first : BLOCK);
        measure(sets, first, &t);
        go_to_the_nearest(&t);
        bool gained = true;
        for (int pass = 0; pass < 32 && gained; pass++) {
            gained = turn_pieces(&t);
            for (uint32_t length = 1; length <= 3; length++) gained |= move_pieces(&t, length);
        }
        for (uint32_t i = 1; i < t.n; i++) order[first + i - 1] = first + t.stop[i] - 1;
    }
    return MT_OK;
}

/* ---- order for short intervals ---- */

static const uint64_t STEPS = 1 << 24;
static const int AVERAGES = 60;

/* A sequence of all sets, or of all but one. */
typedef struct line {
    const mt_sets *sets;
    size_t *offset; /* [n_sets + 1] destinations of set s: to[offset[s] .. offset[s + 1]) */
    uint32_t *to;
    uint32_t n, *set; /* [n] */
    uint64_t *before; /* [n + 1] number of elements before each position */
    /* [n_to] the positions of a destination's first set and after its last set; both 0 if it has no sets */
    uint32_t *first, *last;
    int64_t *crossing; /* [n + 1] number of intervals that begin before this position and end after it */
} line;

static mt_status begin_line(mt_arena *scratch, const mt_sets *sets, line *l)
{
    *l = (line){.sets = sets};
    MT_ALLOC(scratch, l->offset, (size_t)sets->n_sets + 1);
    for (uint32_t s = 0; s < sets->n_sets; s++) l->offset[s + 1] = l->offset[s] + n_destinations(sets, s);
    MT_ALLOC(scratch, l->to, l->offset[sets->n_sets]);
    size_t n = 0;
    for (uint32_t s = 0; s < sets->n_sets; s++)
        for (uint32_t w = 0; w < sets->n_words; w++)
            for (uint64_t b = destinations(sets, s)[w]; b != 0; b &= b - 1)
                l->to[n++] = w * 64 + (uint32_t)__builtin_ctzll(b);
    MT_ALLOC(scratch, l->set, sets->n_sets);
    MT_ALLOC(scratch, l->before, (size_t)sets->n_sets + 1);
    MT_ALLOC(scratch, l->crossing, (size_t)sets->n_sets + 1);
    MT_ALLOC(scratch, l->first, sets->n_to);
    MT_ALLOC(scratch, l->last, sets->n_to);
    return MT_OK;
}

/* Computes the members that depend on the order; returns the sum of the intervals. */
static uint64_t survey(line *l)
{
    memset(l->first, 0, l->sets->n_to * sizeof *l->first);
    memset(l->last, 0, l->sets->n_to * sizeof *l->last);
    memset(l->crossing, 0, ((size_t)l->n + 1) * sizeof *l->crossing);
    for (uint32_t i = 0; i < l->n; i++) {
        l->before[i + 1] = l->before[i] + l->sets->size[l->set[i]];
        for (size_t k = l->offset[l->set[i]]; k < l->offset[l->set[i] + 1]; k++) {
            if (l->last[l->to[k]] == 0) l->first[l->to[k]] = i;
            l->last[l->to[k]] = i + 1;
        }
    }
    uint64_t sum = 0;
    for (uint32_t q = 0; q < l->sets->n_to; q++) {
        if (l->last[q] == 0) continue;
        sum += l->before[l->last[q]] - l->before[l->first[q]];
        l->crossing[l->first[q] + 1]++;
        l->crossing[l->last[q]]--;
    }
    for (uint32_t i = 0; i < l->n; i++) l->crossing[i + 1] += l->crossing[i];
    return sum;
}

/* Returns the increase of the sum of the intervals if a set outside the sequence is inserted at a position. */
static uint64_t price(const line *l, uint32_t set, uint32_t place)
{
    const uint64_t size = l->sets->size[set];
    uint64_t sum = size * (uint64_t)l->crossing[place];
    for (size_t k = l->offset[set]; k < l->offset[set + 1]; k++) {
        const uint32_t first = l->first[l->to[k]], last = l->last[l->to[k]];
        if (last == 0)
            sum += size;
        else if (place <= first)
            sum += size + l->before[first] - l->before[place];
        else if (place >= last)
            sum += size + l->before[place] - l->before[last];
    }
    return sum;
}

/* Moves a set to the first best position, if that is better; true if it moved. */
static bool move_set(line *l, uint32_t from)
{
    const uint32_t set = l->set[from];
    l->n--;
    memmove(l->set + from, l->set + from + 1, (l->n - from) * sizeof *l->set);
    (void)survey(l);
    uint32_t best = from;
    uint64_t least = price(l, set, from);
    for (uint32_t place = 0; place <= l->n; place++) {
        const uint64_t now = price(l, set, place);
        if (now < least) least = now, best = place;
    }
    memmove(l->set + best + 1, l->set + best, (l->n - best) * sizeof *l->set);
    l->set[best] = set;
    l->n++;
    return best != from;
}

typedef struct keyed {
    double key;
    uint32_t set;
} keyed;

MT_ORDER(compare_keyed, keyed, key, set)

/* Normalises the numbers of the destinations to mean 0 and variance 1, weighted by their elements; false if all are equal. */
static bool centre(double *number, const double *weight, uint32_t n)
{
    double sum = 0, squares = 0, total = 0;
    for (uint32_t q = 0; q < n; q++) sum += weight[q] * number[q], total += weight[q];
    for (uint32_t q = 0; q < n; q++) number[q] -= sum / total, squares += weight[q] * number[q] * number[q];
    const double deviation = sqrt(squares / total);
    for (uint32_t q = 0; q < n && deviation > 0; q++) number[q] /= deviation;
    return deviation > 0;
}

/* Computes the key of each set, the mean number of its destinations. */
static void average(const line *l, const double *number, keyed *key)
{
    for (uint32_t s = 0; s < l->sets->n_sets; s++) {
        double sum = 0;
        for (size_t k = l->offset[s]; k < l->offset[s + 1]; k++) sum += number[l->to[k]];
        key[s] = (keyed){sum / (double)(l->offset[s + 1] - l->offset[s]), s};
    }
}

static mt_status average_reciprocally(mt_arena *scratch, line *l)
{
    const uint32_t n_sets = l->sets->n_sets, n_to = l->sets->n_to;
    double *number, *weight;
    keyed *key;
    MT_ALLOC(scratch, number, n_to);
    MT_ALLOC(scratch, weight, n_to);
    MT_ALLOC(scratch, key, n_sets);
    for (uint32_t s = 0; s < n_sets; s++)
        for (size_t k = l->offset[s]; k < l->offset[s + 1]; k++) weight[l->to[k]] += l->sets->size[s];
    for (uint32_t q = 0; q < n_to; q++) number[q] = q;
    for (int i = 0; i < AVERAGES && centre(number, weight, n_to); i++) {
        average(l, number, key);
        memset(number, 0, n_to * sizeof *number);
        for (uint32_t s = 0; s < n_sets; s++)
            for (size_t k = l->offset[s]; k < l->offset[s + 1]; k++)
                number[l->to[k]] += l->sets->size[s] * key[s].key / weight[l->to[k]];
    }
    average(l, number, key);
    qsort(key, n_sets, sizeof *key, compare_keyed);
    for (l->n = 0; l->n < n_sets; l->n++) l->set[l->n] = key[l->n].set;
    return MT_OK;
}

mt_status mt_sets_order_intervals(mt_arena *scratch, const mt_sets *sets, uint32_t *order)
{
    line l;
    MT_TRY(begin_line(scratch, sets, &l));
    MT_TRY(average_reciprocally(scratch, &l));
    const uint64_t move = sets->n_sets + l.offset[sets->n_sets];
    uint64_t steps = 0;
    bool gained = true;
    while (gained && steps < STEPS) {
        gained = false;
        for (uint32_t s = 0; s < sets->n_sets && steps < STEPS; s++, steps += move) {
            uint32_t place = 0;
            while (l.set[place] != s) place++;
            gained |= move_set(&l, place);
        }
    }
    memcpy(order, l.set, sets->n_sets * sizeof *order);
    return MT_OK;
}

/* ---- merging ---- */

/* The remaining sets, each with the later set that is cheapest to merge with. */
typedef struct merging {
    mt_sets *sets;
    uint32_t *into;              /* [n_sets] the set itself, or the lower set that it was merged with */
    uint32_t *count;             /* [n_sets] number of destinations */
    uint32_t n, *left, *partner; /* [n] sets of the block, ascending; positions of their partners */
    uint64_t *cost;              /* [n] cost of the merge; UINT64_MAX if there is no partner */
} merging;

/* Returns the number of additional unused elements if the two sets are merged. */
static uint64_t cost_of(const merging *m, uint32_t a, uint32_t b)
{
    uint32_t common = 0;
    for (uint32_t w = 0; w < m->sets->n_words; w++)
        common += bits(destinations(m->sets, a)[w] & destinations(m->sets, b)[w]);
    return (uint64_t)m->sets->size[a] * (m->count[b] - common) +
           (uint64_t)m->sets->size[b] * (m->count[a] - common);
}

static void consider(merging *m, uint32_t i, uint32_t k)
{
    const uint64_t cost = cost_of(m, m->left[i], m->left[k]);
    if (cost < m->cost[i] || (cost == m->cost[i] && k < m->partner[i])) m->cost[i] = cost, m->partner[i] = k;
}

static void find_partner(merging *m, uint32_t i)
{
    m->cost[i] = UINT64_MAX;
    for (uint32_t k = i + 1; k < m->n; k++) consider(m, i, k);
}

/* Merges the set at position i with its partner, and updates the partners in the block. */
static void merge(merging *m, uint32_t i)
{
    const uint32_t gone = m->partner[i], a = m->left[i], b = m->left[gone];
    mt_sets *sets = m->sets;
    for (uint32_t w = 0; w < sets->n_words; w++)
        sets->to[(size_t)a * sets->n_words + w] |= destinations(sets, b)[w];
    sets->size[a] += sets->size[b];
    m->into[b] = a;
    m->count[a] = n_destinations(sets, a);
    m->n--;
    for (uint32_t k = gone; k < m->n; k++) {
        m->left[k] = m->left[k + 1];
        m->partner[k] = m->partner[k + 1];
        m->cost[k] = m->cost[k + 1];
    }
    for (uint32_t k = 0; k < m->n; k++) {
        const bool lost = m->cost[k] != UINT64_MAX && (m->partner[k] == gone || m->partner[k] == i);
        if (m->cost[k] != UINT64_MAX && m->partner[k] > gone) m->partner[k]--;
        if (k == i || lost)
            find_partner(m, k);
        else if (k < i)
            consider(m, k, i);
    }
}

/* Reduces the number of sets of the block by `excess`. */
static void reduce(merging *m, uint32_t excess)
{
    for (uint32_t i = 0; i < m->n; i++) find_partner(m, i);
    for (; excess > 0; excess--) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < m->n; i++)
            if (m->cost[i] < m->cost[best]) best = i;
        merge(m, best);
    }
}

/* Renumbers the remaining sets contiguously, also in set_of. */
static void close_up(merging *m, uint32_t *number)
{
    mt_sets *sets = m->sets;
    uint32_t n = 0;
    for (uint32_t s = 0; s < sets->n_sets; s++) {
        if (m->into[s] != s) {
            number[s] = number[m->into[s]];
            continue;
        }
        number[s] = n;
        sets->size[n] = sets->size[s];
        memmove(
            sets->to + (size_t)n++ * sets->n_words, destinations(sets, s), sets->n_words * sizeof *sets->to);
    }
    for (uint32_t i = 0; i < sets->n_elements; i++) sets->set_of[i] = number[sets->set_of[i]];
    sets->n_sets = n;
}

/* Performs one round of merging over all sets, block by block. */
static void merge_round(merging *m, uint32_t limit, uint32_t *number)
{
    const uint32_t n_sets = m->sets->n_sets;
    uint32_t excess = n_sets - limit;
    for (uint32_t s = 0; s < n_sets; s++) m->into[s] = s, m->count[s] = n_destinations(m->sets, s);
    for (uint32_t first = 0; first < n_sets && excess > 0; first += BLOCK) {
        m->n = n_sets - first < BLOCK ? n_sets - first : BLOCK;
        for (uint32_t i = 0; i < m->n; i++) m->left[i] = first + i;
        const uint32_t most = n_sets <= BLOCK ? m->n - 1 : m->n / 2;
        const uint32_t merged = excess < most ? excess : most;
        reduce(m, merged);
        excess -= merged;
    }
    close_up(m, number);
}

mt_status mt_sets_merge(mt_arena *scratch, mt_sets *sets, uint32_t limit)
{
    if (sets->n_sets <= limit) return MT_OK;
    merging m = {.sets = sets};
    uint32_t *number;
    MT_ALLOC(scratch, m.into, sets->n_sets);
    MT_ALLOC(scratch, m.count, sets->n_sets);
    MT_ALLOC(scratch, m.left, BLOCK);
    MT_ALLOC(scratch, m.partner, BLOCK);
    MT_ALLOC(scratch, m.cost, BLOCK);
    MT_ALLOC(scratch, number, sets->n_sets);
    while (sets->n_sets > limit) merge_round(&m, limit, number);
    return MT_OK;
}
