#include "mesh/cut/repair.h"

#include <stdbool.h>
#include <string.h>

#include "mesh/cut/members.h"

#define NONE MT_NO_MEMBER

/* A binary heap of keys, the smallest first. */
struct heap {
    uint64_t *key;
    size_t n, room;
};

/* The neighbours of a part, in the order of its elements. */
struct near {
    uint32_t *part;
    uint32_t n, room;
    bool known; /* true if no element has moved here since the list was built */
};

/* A resumable breadth-first search: queue[k] was found as a neighbour of queue[by[k]]. */
struct search {
    uint32_t start; /* NONE if there is no search */
    uint32_t n, at; /* number of visited parts; position of the current one */
    uint32_t done;  /* number of its neighbours already visited */
};

struct parts {
    mt_arena *arena;
    const mt_cut_graph *graph;
    uint32_t n_parts;
    size_t least, most;
    mt_members of;
    struct near *near; /* [n_parts] */
    uint32_t *block;   /* [block_left] free memory for the lists of neighbours */
    size_t block_left;
    uint32_t *mark, marks; /* [n_parts] last list that contains a part; number of lists so far */
    uint32_t *listed;      /* [n_parts] list under construction */
    uint32_t *moved;       /* [n_moved] parts with outdated lists */
    size_t n_moved;
    struct search search;
    uint32_t *from;               /* [n_parts] predecessor in the search; NONE if not visited */
    uint32_t *place;              /* [n_parts] position in the queue */
    uint32_t *queue, *by, *chain; /* [n_parts] */
    struct heap by_size;          /* keys (UINT32_MAX - size, part); sizes may have decreased since */
    struct heap loose;   /* keys (faces to its own part, element) of `loose_part`; some may be outdated */
    uint32_t loose_part; /* NONE if there is none */
    size_t moves;
    bool failed; /* true if out of memory */
};

static mt_status begin(mt_arena *scratch, struct parts *parts, uint32_t *part)
{
    parts->arena = scratch;
    MT_ALLOC(scratch, parts->near, parts->n_parts);
    MT_ALLOC(scratch, parts->mark, parts->n_parts);
    MT_ALLOC(scratch, parts->listed, parts->n_parts);
    MT_ALLOC(scratch, parts->moved, parts->n_parts);
    MT_ALLOC(scratch, parts->from, parts->n_parts);
    MT_ALLOC(scratch, parts->place, parts->n_parts);
    MT_ALLOC(scratch, parts->queue, parts->n_parts);
    MT_ALLOC(scratch, parts->by, parts->n_parts);
    MT_ALLOC(scratch, parts->chain, parts->n_parts);
    memset(parts->from, 0xff, parts->n_parts * sizeof *parts->from);
    parts->search.start = parts->loose_part = NONE;
    return mt_members_make(scratch, parts->graph->n_nodes, parts->n_parts, part, &parts->of);
}

/* ---- heaps ---- */

static uint64_t key_of(uint32_t first, uint32_t second) { return (uint64_t)first << 32 | second; }

static void sink(struct heap *heap, size_t at)
{
    const uint64_t key = heap->key[at];
    for (size_t child; (child = 2 * at + 1) < heap->n; at = child) {
        if (child + 1 < heap->n && heap->key[child + 1] < heap->key[child]) child++;
        if (heap->key[child] >= key) break;
        heap->key[at] = heap->key[child];
    }
    heap->key[at] = key;
}

static void order_heap(struct heap *heap)
{
    for (size_t at = heap->n / 2; at-- > 0;) sink(heap, at);
}

static void push(struct heap *heap, uint64_t key)
{
    size_t at = heap->n++;
    for (; at > 0 && heap->key[(at - 1) / 2] > key; at = (at - 1) / 2)
        heap->key[at] = heap->key[(at - 1) / 2];
    heap->key[at] = key;
}

static void pop(struct heap *heap)
{
    heap->key[0] = heap->key[--heap->n];
    if (heap->n > 0) sink(heap, 0);
}

/* Empties a heap and reserves space for n keys; false if out of memory. */
static bool make_heap(struct parts *parts, struct heap *heap, size_t n)
{
    heap->n = 0;
    if (heap->room >= n) return true;
    heap->key = mt_arena_alloc(parts->arena, n, sizeof *heap->key);
    heap->room = heap->key ? n : 0;
    parts->failed |= !heap->key;
    return heap->key != NULL;
}

/* ---- choice of the element to move ---- */

static int faces_towards(const struct parts *parts, uint32_t element, uint32_t part)
{
    int n = 0;
    size_t n_near;
    const uint32_t *near = mt_cut_graph_near(parts->graph, element, &n_near);
    for (size_t f = 0; f < n_near; f++) n += near[f] != MT_NO_ELEMENT && parts->of.part[near[f]] == part;
    return n;
}

/* Stores an element in *best if it is better to move to part `to`: more faces there and fewer to its own part. */
static void weigh(const struct parts *parts, uint32_t element, uint32_t to, uint32_t *best, int *most)
{
    const int touching = faces_towards(parts, element, to);
    if (touching == 0) return;
    const int worth = (1 << 30) + touching - faces_towards(parts, element, parts->of.part[element]);
    if (worth > *most || (worth == *most && element < *best)) *best = element, *most = worth;
}

/* Returns the element of `part` to move to part `to`, or NONE if the two do not touch. Scans the smaller of the two. */
static uint32_t choose(const struct parts *parts, uint32_t part, uint32_t to)
{
    uint32_t best = NONE;
    int most = 0;
    if (parts->of.size[part] <= parts->of.size[to]) {
        for (uint32_t c = parts->of.first[part]; c != NONE; c = parts->of.next[c])
            weigh(parts, c, to, &best, &most);
        return best;
    }
    for (uint32_t c = parts->of.first[to]; c != NONE; c = parts->of.next[c]) {
        size_t n_near;
        const uint32_t *near = mt_cut_graph_near(parts->graph, c, &n_near);
        for (size_t f = 0; f < n_near; f++)
            if (near[f] != MT_NO_ELEMENT && parts->of.part[near[f]] == part)
                weigh(parts, near[f], to, &best, &most);
    }
    return best;
}

static void note_loose(struct parts *parts, uint32_t element)
{
    if (parts->of.part[element] != parts->loose_part) return;
    push(&parts->loose, key_of((uint32_t)faces_towards(parts, element, parts->loose_part), element));
}

static bool gather_loose(struct parts *parts, uint32_t part)
{
    parts->loose_part = NONE;
    if (!make_heap(parts, &parts->loose, 2 * parts->of.size[part] + 64)) return false;
    for (uint32_t c = parts->of.first[part]; c != NONE; c = parts->of.next[c])
        parts->loose.key[parts->loose.n++] = key_of((uint32_t)faces_towards(parts, c, part), c);
    order_heap(&parts->loose);
    parts->loose_part = part;
    return true;
}

/* Returns the element of a non-empty part with the fewest faces to it, the first among equals; NONE if out of memory. */
static uint32_t choose_any(struct parts *parts, uint32_t part)
{
    if (parts->loose_part != part && !gather_loose(parts, part)) return NONE;
    for (;; pop(&parts->loose)) {
        const uint32_t faces = (uint32_t)(parts->loose.key[0] >> 32), element = (uint32_t)parts->loose.key[0];
        if (parts->of.part[element] == part && (uint32_t)faces_towards(parts, element, part) == faces)
            return element;
    }
}

/* ---- moves ---- */

/* Marks the list of a part's neighbours as outdated. */
static void doubt(struct parts *parts, uint32_t part)
{
    if (!parts->near[part].known) return;
    parts->near[part].known = false;
    parts->moved[parts->n_moved++] = part;
}

static void move_element(struct parts *parts, uint32_t element, uint32_t to)
{
    const uint32_t from = parts->of.part[element];
    size_t n_near;
    const uint32_t *near = mt_cut_graph_near(parts->graph, element, &n_near);
    doubt(parts, from), doubt(parts, to);
    mt_members_move(&parts->of, element, to);
    parts->moves++;
    const bool loose = parts->loose_part != NONE && (from == parts->loose_part || to == parts->loose_part);
    if (loose && parts->loose.n + n_near + 1 > parts->loose.room)
        parts->loose_part = NONE; /* rebuilt on demand */
    if (loose) note_loose(parts, element);
    for (size_t f = 0; f < n_near; f++) {
        if (near[f] == MT_NO_ELEMENT) continue;
        doubt(parts, parts->of.part[near[f]]);
        if (loose) note_loose(parts, near[f]);
    }
}

/* ---- neighbours of parts ---- */

/* Allocates a list of n parts from a larger block. */
static uint32_t *take_list(struct parts *parts, size_t n)
{
    enum { BLOCK = 1 << 14 };
    if (n > parts->block_left) {
        parts->block_left = n > BLOCK ? n : BLOCK;
        parts->block = mt_arena_alloc(parts->arena, parts->block_left, sizeof *parts->block);
        if (!parts->block) parts->block_left = 0;
    }
    if (!parts->block) return NULL;
    parts->block += n;
    parts->block_left -= n;
    return parts->block - n;
}

static bool keep_list(struct parts *parts, struct near *near, uint32_t n)
{
    if (n > near->room) {
        near->part = take_list(parts, 2 * n);
        near->room = near->part ? 2 * n : 0;
    }
    parts->failed |= n > near->room;
    near->n = n <= near->room ? n : 0;
    if (near->n > 0) memcpy(near->part, parts->listed, n * sizeof *near->part);
    return !parts->failed;
}

/* Rebuilds the list of a part's neighbours; true if the list or its order changed. */
static bool look_again(struct parts *parts, uint32_t part)
{
    struct near *list = &parts->near[part];
    uint32_t n = 0;
    parts->mark[part] = ++parts->marks;
    for (uint32_t c = parts->of.first[part]; c != NONE; c = parts->of.next[c]) {
        size_t n_near;
        const uint32_t *near = mt_cut_graph_near(parts->graph, c, &n_near);
        for (size_t f = 0; f < n_near; f++) {
            if (near[f] == MT_NO_ELEMENT || parts->mark[parts->of.part[near[f]]] == parts->marks) continue;
            parts->mark[parts->of.part[near[f]]] = parts->marks;
            parts->listed[n++] = parts->of.part[near[f]];
        }
    }
    list->known = true;
    if (n == list->n && (n == 0 || memcmp(list->part, parts->listed, n * sizeof *list->part) == 0))
        return false;
    (void)keep_list(parts, list, n);
    return true;
}

/* ---- chains ---- */

static void see(struct parts *parts, uint32_t part, uint32_t from, uint32_t by)
{
    struct search *s = &parts->search;
    parts->from[part] = from;
    parts->place[part] = s->n;
    parts->by[s->n] = by;
    parts->queue[s->n++] = part;
}

/* Resets the search to the state before the neighbours of queue[at] were visited. */
static void go_back(struct parts *parts, uint32_t at)
{
    struct search *s = &parts->search;
    for (; s->n > 1 && parts->by[s->n - 1] >= at; s->n--) parts->from[parts->queue[s->n - 1]] = NONE;
    s->at = at;
    s->done = 0;
}

static void begin_search(struct parts *parts, uint32_t start)
{
    struct search *s = &parts->search;
    for (uint32_t k = 0; k < s->n; k++) parts->from[parts->queue[k]] = NONE;
    *s = (struct search){.start = start};
    parts->n_moved = 0;
    see(parts, start, start, 0);
}

/* Resets the search to the first part with neighbours that have changed since its visit. */
static void renew_search(struct parts *parts)
{
    struct search *s = &parts->search;
    uint32_t first = NONE;
    for (size_t k = 0; k < parts->n_moved; k++) {
        const uint32_t part = parts->moved[k];
        if (parts->near[part].known || parts->from[part] == NONE || parts->place[part] > s->at) continue;
        if (look_again(parts, part) && parts->place[part] < first) first = parts->place[part];
    }
    parts->n_moved = 0;
    if (first != NONE) go_back(parts, first);
}

/* Visits and returns the next part; NONE if there are no more parts. */
static uint32_t look_further(struct parts *parts)
{
    struct search *s = &parts->search;
    for (; s->at < s->n && !parts->failed; s->at++, s->done = 0) {
        const uint32_t part = parts->queue[s->at];
        if (!parts->near[part].known) (void)look_again(parts, part);
        while (s->done < parts->near[part].n) {
            const uint32_t next = parts->near[part].part[s->done++];
            if (parts->from[next] != NONE) continue;
            see(parts, next, part, s->at);
            return next;
        }
    }
    return NONE;
}

/* Searches from part `start` for the nearest part with fewer than `below` or more than `above` elements. Writes the path, from that part to
 * `start` inclusive, to chain[]; returns its length, or 0 if there is no such part. If called again for the same part, resumes with the
 * same result as a new search: parts inside a chain keep their sizes, and the search returns to the first part with changed neighbours. */
static uint32_t search(struct parts *parts, uint32_t start, size_t below, size_t above)
{
    uint32_t length = 0;
    if (parts->search.start == start)
        renew_search(parts);
    else
        begin_search(parts, start);
    uint32_t found = parts->queue[parts->search.n - 1]; /* the last result, or the start */
    while (found != NONE &&
           (found == start || (parts->of.size[found] >= below && parts->of.size[found] <= above)))
        found = look_further(parts);
    if (parts->failed) return 0;
    for (uint32_t p = found; p != NONE; p = p == start ? NONE : parts->from[p]) parts->chain[length++] = p;
    return length;
}

/* Moves an element of part a to part b, which need not touch. */
static void jump(struct parts *parts, uint32_t a, uint32_t b)
{
    const uint32_t element = choose_any(parts, a);
    if (element != NONE) move_element(parts, element, b);
}

/* Moves an element of part a to part b. Along a shortest chain there is always an element at the border, as no part has lost an element
 * before its turn. */
static void hand(struct parts *parts, uint32_t a, uint32_t b)
{
    const uint32_t element = choose(parts, a, b);
    if (element != NONE)
        move_element(parts, element, b);
    else
        jump(parts, a, b);
}

/* Returns the part with the most elements, the first among equals; NONE if out of memory. Valid while parts above `least` only lose
 * elements and no other part rises above it. */
static uint32_t largest(struct parts *parts)
{
    struct heap *heap = &parts->by_size;
    if (heap->n == 0) {
        if (!make_heap(parts, heap, parts->n_parts)) return NONE;
        for (uint32_t p = 0; p < parts->n_parts; p++)
            heap->key[heap->n++] = key_of(UINT32_MAX - (uint32_t)parts->of.size[p], p);
        order_heap(heap);
    }
    for (;;) {
        const uint32_t part = (uint32_t)heap->key[0];
        const uint64_t now = key_of(UINT32_MAX - (uint32_t)parts->of.size[part], part);
        if (heap->key[0] == now) return part;
        heap->key[0] = now;
        sink(heap, 0);
    }
}

static void fill(struct parts *parts, uint32_t part)
{
    bool alone = false;
    while (parts->of.size[part] < parts->least && !parts->failed) {
        const uint32_t n = alone || parts->of.size[part] == 0 ? 0 : search(parts, part, 0, parts->least);
        alone = n == 0 && parts->of.size[part] > 0;
        const uint32_t donor = n == 0 && !parts->failed ? largest(parts) : NONE;
        if (donor != NONE) hand(parts, donor, part);
        for (uint32_t i = 0; i + 1 < n; i++) hand(parts, parts->chain[i], parts->chain[i + 1]);
    }
}

static void drain(struct parts *parts, uint32_t part, uint32_t *roomy)
{
    bool alone = false;
    while (parts->of.size[part] > parts->most && !parts->failed) {
        const uint32_t n = alone ? 0 : search(parts, part, parts->most, SIZE_MAX);
        alone = n == 0;
        if (parts->failed) return;
        while (n == 0 && parts->of.size[*roomy] >= parts->most) ++*roomy;
        if (n == 0) hand(parts, part, *roomy);
        for (uint32_t i = n; i-- > 1;) hand(parts, parts->chain[i], parts->chain[i - 1]);
    }
}

mt_status mt_repair_parts(
    const mt_cut_graph *graph, uint32_t n_parts, size_t least, size_t most, uint32_t *part, size_t *moves)
{
    const size_t n = graph->n_nodes;
    if (n_parts == 0 || least > n / n_parts || most < (n + n_parts - 1) / n_parts)
        return mt_fail(MT_INPUT, "%zu elements cannot be partitioned into %u parts of %zu to %zu elements", n,
            n_parts, least, most);
    MT_SCRATCH(scratch);
    struct parts parts = {.graph = graph, .n_parts = n_parts, .least = least, .most = most};
    uint32_t roomy = 0;
    MT_TRY(begin(scratch, &parts, part));
    for (uint32_t p = 0; p < n_parts; p++) fill(&parts, p);
    parts.search.start = NONE; /* draining has another target than filling */
    for (uint32_t p = 0; p < n_parts; p++) drain(&parts, p, &roomy);
    *moves = parts.moves;
    return parts.failed ? MT_MEMORY : MT_OK;
}
