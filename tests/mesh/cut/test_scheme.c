#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/cut/scheme.h"
#include "mesh/cut/sets.h"
#include "tests/random.h"

enum { MOST = 64, NAMES = 100, SELF = 5000 }; /* destinations; the name of destination 0, and of the part */

static uint64_t state;

static uint32_t below(uint32_t n) { return (uint32_t)draw(&state, n); }

/* The destinations that need a part's elements, as bits. */
typedef struct needs {
    uint32_t n_elements, n_to;
    uint64_t *of; /* [n_elements] */
    mt_needs source;
} needs;

/* The result of a scheme. */
typedef struct plan {
    uint32_t *order, n_interior;
    mt_scheme_sink sink;
} plan;

static void finish(mt_arena *arena, needs *n)
{
    uint32_t *element = mt_arena_alloc(arena, n->n_elements, sizeof *element);
    uint32_t *part = mt_arena_alloc(arena, (size_t)n->n_elements * MOST, sizeof *part);
    uint32_t *neighbour = mt_arena_alloc(arena, MOST, sizeof *neighbour);
    size_t *offset = mt_arena_alloc(arena, (size_t)n->n_elements + 1, sizeof *offset), n_part = 0;
    cr_assert(element && part && neighbour && offset);
    uint64_t all = 0;
    for (uint32_t c = 0; c < n->n_elements; c++) {
        element[c] = c;
        all |= n->of[c];
        for (uint32_t q = 0; q < MOST; q++)
            if (n->of[c] >> q & 1) part[n_part++] = NAMES + 3 * q;
        offset[c + 1] = n_part;
    }
    n->n_to = 0;
    for (uint32_t q = 0; q < MOST; q++)
        if (all >> q & 1) neighbour[n->n_to++] = NAMES + 3 * q;
    n->source = (mt_needs){SELF, n->n_elements, n->n_to, element, offset, part, neighbour};
}

static void exactly(mt_arena *arena, uint32_t n_elements, const uint64_t *of, needs *n)
{
    *n = (needs){.n_elements = n_elements, .of = mt_arena_alloc(arena, n_elements, sizeof *n->of)};
    memcpy(n->of, of, n_elements * sizeof *of);
    finish(arena, n);
}

/* Cells that draw one of n_sets sets each, with 1 to `most` of n_to destinations; some are interior. */
static void random_needs(
    mt_arena *arena, uint32_t n_elements, uint32_t n_sets, uint32_t n_to, uint32_t most, needs *n)
{
    uint64_t set[1024];
    cr_assert(n_sets <= 1024 && n_to <= MOST);
    for (uint32_t s = 0; s < n_sets; s++) {
        set[s] = 0;
        for (uint32_t k = 1 + below(most); k > 0; k--) set[s] |= (uint64_t)1 << below(n_to);
    }
    *n = (needs){.n_elements = n_elements, .of = mt_arena_alloc(arena, n_elements, sizeof *n->of)};
    for (uint32_t c = 0; c < n_elements; c++) n->of[c] = below(8) == 0 ? 0 : set[below(n_sets)];
    finish(arena, n);
}

static void some_needs(mt_arena *arena, uint64_t seed, needs *n)
{
    state = seed;
    const uint32_t n_to = 1 + below(below(2) ? 6 : MOST);
    random_needs(arena, below(200), 1 + below(60), n_to, 1 + below(5), n);
}

static plan make(mt_arena *arena, const needs *n, const char *name, uint32_t ranges)
{
    mt_scheme scheme;
    mt_arena scratch = {0};
    plan p = {.order = mt_arena_alloc(arena, n->n_elements, sizeof *p.order), .sink = {.source = SELF}};
    cr_assert_eq(mt_scheme_find(name, ranges, &scheme), MT_OK, "%s", mt_message());
    cr_assert_eq(scheme.plan(&scheme, &n->source, &scratch, p.order, &p.n_interior, &p.sink), MT_OK, "%s",
        mt_message());
    mt_arena_free(&scratch);
    return p;
}

static bool sends(const plan *p, size_t r, uint32_t q)
{
    for (size_t k = r == 0 ? 0 : p->sink.to_end[r - 1]; k < p->sink.to_end[r]; k++)
        if (p->sink.to_part[k] == NAMES + 3 * q) return true;
    return false;
}

/* Returns the number of cells sent to q. */
static size_t sent(const plan *p, uint32_t q)
{
    size_t elements = 0;
    for (size_t r = 0; r < p->sink.n_ranges; r++)
        if (sends(p, r, q)) elements += p->sink.range[r].end - p->sink.range[r].begin;
    return elements;
}

static size_t all_sent(const plan *p)
{
    size_t elements = 0;
    for (uint32_t q = 0; q < MOST; q++) elements += sent(p, q);
    return elements;
}

static size_t all_needed(const needs *n) { return n->source.need_offset[n->n_elements]; }

static size_t n_bits(uint64_t word) { return (size_t)__builtin_popcountll(word); }

/* True if the destinations of a are lexicographically before the destinations of b. */
static bool before(uint64_t a, uint64_t b)
{
    while (a != 0 && b != 0) {
        const int p = __builtin_ctzll(a), q = __builtin_ctzll(b);
        if (p != q) return p < q;
        a &= a - 1, b &= b - 1;
    }
    return a == 0 && b != 0;
}

/* Lists the sets of a part and their sizes by number; returns how many there are. */
static size_t list_sets(const needs *n, uint64_t *set, size_t *size)
{
    size_t n_sets = 0;
    for (uint32_t c = 0; c < n->n_elements; c++) {
        if (n->of[c] == 0) continue;
        size_t at = 0;
        while (at < n_sets && before(set[at], n->of[c])) at++;
        if (at == n_sets || set[at] != n->of[c]) {
            memmove(set + at + 1, set + at, (n_sets - at) * sizeof *set);
            memmove(size + at + 1, size + at, (n_sets++ - at) * sizeof *size);
            set[at] = n->of[c], size[at] = 0;
        }
        size[at]++;
    }
    return n_sets;
}

/* Counts the pieces in which destinations receive the elements of a plan without unused elements. */
static size_t runs(const needs *n, const plan *p)
{
    size_t count = 0;
    uint64_t last = 0;
    for (uint32_t i = p->n_interior; i < n->n_elements; last = n->of[p->order[i++]])
        count += n_bits(n->of[p->order[i]] & ~last);
    return count;
}

static void assert_same(const plan *a, const plan *b, const needs *n)
{
    const size_t ranges = a->sink.n_ranges;
    cr_assert_eq(a->n_interior, b->n_interior);
    cr_assert(ranges == b->sink.n_ranges && a->sink.n_to == b->sink.n_to);
    if (n->n_elements > 0) cr_assert_arr_eq(a->order, b->order, n->n_elements * sizeof *a->order);
    if (ranges == 0) return;
    cr_assert_arr_eq(a->sink.range, b->sink.range, ranges * sizeof *a->sink.range);
    cr_assert_arr_eq(a->sink.to_end, b->sink.to_end, ranges * sizeof *a->sink.to_end);
    cr_assert_arr_eq(a->sink.to_part, b->sink.to_part, a->sink.n_to * sizeof *a->sink.to_part);
}

/* The interior ascends and has no destination, the others have one; every element occurs once; ranges are in the separator, ascend, and
 * have ascending destinations; each destination receives all its elements once. */
static void assert_sound(const needs *n, const plan *p, const char *what)
{
    uint8_t *seen = calloc(n->n_elements + 1, 1), *times = calloc(n->n_elements + 1, MOST);
    for (uint32_t i = 0; i < n->n_elements; i++) {
        cr_assert(p->order[i] < n->n_elements && !seen[p->order[i]]++, "%s: element %u", what, p->order[i]);
        cr_assert_eq(i < p->n_interior, n->of[p->order[i]] == 0, "%s: place %u", what, i);
        cr_assert(i == 0 || i >= p->n_interior || p->order[i] > p->order[i - 1]);
    }
    for (size_t r = 0; r < p->sink.n_ranges; r++) {
        const mt_scheme_range *range = p->sink.range + r;
        cr_assert(range->source == SELF && range->begin >= p->n_interior && range->begin < range->end &&
                      range->end <= n->n_elements && (r == 0 || range->begin >= range[-1].begin),
            "%s: range %zu", what, r);
        const size_t first = r == 0 ? 0 : p->sink.to_end[r - 1];
        cr_assert_lt(first, p->sink.to_end[r]);
        for (size_t k = first + 1; k < p->sink.to_end[r]; k++)
            cr_assert_lt(p->sink.to_part[k - 1], p->sink.to_part[k]);
        for (size_t k = first; k < p->sink.to_end[r]; k++)
            for (uint32_t i = range->begin; i < range->end; i++)
                times[p->order[i] * MOST + (p->sink.to_part[k] - NAMES) / 3]++;
    }
    for (uint32_t k = 0; k < n->n_elements * MOST; k++)
        cr_assert(times[k] <= 1 && times[k] >= (n->of[k / MOST] >> k % MOST & 1),
            "%s: destination %u gets element %u %u times", what, k % MOST, k / MOST, times[k]);
    free(seen);
    free(times);
}

static void forget(plan *p) { mt_scheme_sink_free(&p->sink); }

/* ---- every scheme ---- */

Test(scheme, every_scheme_sends_each_needed_element_once_deterministically)
{
    for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++)
        for (uint64_t seed = 1; seed <= 200; seed++) {
            mt_arena arena = {0};
            needs n;
            some_needs(&arena, seed, &n);
            plan p = make(&arena, &n, scheme->name, 0), again = make(&arena, &n, scheme->name, 0);
            assert_sound(&n, &p, scheme->name);
            assert_same(&p, &again, &n);
            forget(&p);
            forget(&again);
            mt_arena_free(&arena);
        }
}

Test(scheme, out_of_memory_is_reported_without_a_leak)
{
    mt_arena lasting = {0};
    needs n;
    some_needs(&lasting, 7, &n);
    uint32_t *order = mt_arena_alloc(&lasting, n.n_elements, sizeof *order), n_interior;
    for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++) {
        mt_status status = MT_MEMORY;
        size_t at = 0;
        while (status != MT_OK) {
            mt_arena scratch = {0};
            mt_scheme_sink sink = {0};
            mt_arena_fail_at(++at);
            status = scheme->plan(scheme, &n.source, &scratch, order, &n_interior, &sink);
            mt_arena_fail_at(0);
            cr_assert(status == MT_OK || status == MT_MEMORY);
            mt_arena_free(&scratch);
            mt_scheme_sink_free(&sink);
        }
        cr_assert(at > 5 || strcmp(scheme->name, "full") == 0 || strcmp(scheme->name, "mixed-clean") == 0,
            "%s asks for memory %zu times", scheme->name, at - 1);
    }
    mt_arena_free(&lasting);
}

/* A needs elements 0 and 1, B 1 and 2, C 0 and 2 (Burchard et al. 2023, section 4.1): in every order some range contains an unneeded
 * element. */
Test(scheme, schemes_match_the_published_example_of_three_destinations)
{
    mt_arena arena = {0};
    needs n;
    exactly(&arena, 3, (uint64_t[]){5, 3, 6}, &n);
    static const struct {
        const char *name;
        uint32_t limit;
        size_t ranges, sent;
    } expected[] = {{"mixed-clean", 0, 1, 9}, {"full", 0, 1, 9}, {"ranged", 0, 3, 7}, {"exact", 0, 3, 6},
        {"budget", 3, 3, 6}, {"budget", 2, 2, 8}, {"budget", 1, 1, 9}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        plan p = make(&arena, &n, expected[k].name, expected[k].limit);
        assert_sound(&n, &p, expected[k].name);
        cr_expect_eq(p.sink.n_ranges, expected[k].ranges, "%s", expected[k].name);
        cr_expect_eq(all_sent(&p), expected[k].sent, "%s", expected[k].name);
        if (p.sink.n_ranges == 3 && expected[k].sent == 6)
            cr_expect_eq(runs(&n, &p), 4, "two of the three find their elements together");
        forget(&p);
    }
    mt_arena_free(&arena);
}

/* ---- full, exact, budget ---- */

Test(scheme, full_is_one_range_in_ascending_order_to_all_neighbours)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        mt_arena arena = {0};
        needs n;
        some_needs(&arena, seed, &n);
        plan p = make(&arena, &n, "full", 0);
        cr_assert_eq(p.sink.n_ranges, p.n_interior < n.n_elements);
        if (p.sink.n_ranges == 1) {
            cr_assert(p.sink.range[0].begin == p.n_interior && p.sink.range[0].end == n.n_elements);
            cr_assert_eq(p.sink.n_to, n.n_to);
        }
        for (uint32_t i = p.n_interior + 1; i < n.n_elements; i++) cr_assert_gt(p.order[i], p.order[i - 1]);
        forget(&p);
        mt_arena_free(&arena);
    }
}

Test(scheme, exact_has_one_range_for_each_set_of_destinations_and_no_unused_element)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        mt_arena arena = {0};
        needs n;
        some_needs(&arena, seed, &n);
        plan p = make(&arena, &n, "exact", 0);
        cr_assert_eq(all_sent(&p), all_needed(&n));
        for (size_t r = 0; r < p.sink.n_ranges; r++) {
            const uint64_t set = n.of[p.order[p.sink.range[r].begin]];
            for (uint32_t i = p.n_interior; i < n.n_elements; i++)
                cr_assert_eq(n.of[p.order[i]] == set, i >= p.sink.range[r].begin && i < p.sink.range[r].end,
                    "seed %zu: the elements of a set are apart", (size_t)seed);
            for (uint32_t i = p.sink.range[r].begin + 1; i < p.sink.range[r].end; i++)
                cr_assert_gt(p.order[i], p.order[i - 1]);
        }
        forget(&p);
        mt_arena_free(&arena);
    }
}

Test(scheme, budget_equals_full_with_one_range_and_exact_with_many)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        mt_arena arena = {0};
        needs n;
        some_needs(&arena, seed, &n);
        plan full = make(&arena, &n, "full", 0), exact = make(&arena, &n, "exact", 0),
             one = make(&arena, &n, "budget", 1),
             many = make(&arena, &n, "budget", exact.sink.n_ranges > 0 ? (uint32_t)exact.sink.n_ranges : 1);
        assert_same(&one, &full, &n);
        assert_same(&many, &exact, &n);
        forget(&full), forget(&exact), forget(&one), forget(&many);
        mt_arena_free(&arena);
    }
}

Test(scheme, budget_uses_its_limit_and_a_higher_limit_never_increases_reception)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        mt_arena arena = {0};
        needs n;
        some_needs(&arena, seed, &n);
        uint64_t set[200];
        size_t size[200], last[MOST];
        const size_t n_sets = list_sets(&n, set, size);
        memset(last, 0xff, sizeof last);
        for (uint32_t ranges = 1; ranges <= 60; ranges++) {
            plan p = make(&arena, &n, "budget", ranges);
            cr_assert_eq(p.sink.n_ranges, ranges < n_sets ? ranges : n_sets);
            for (uint32_t q = 0; q < MOST; q++) {
                cr_assert_leq(sent(&p, q), last[q], "seed %zu, %u ranges", (size_t)seed, ranges);
                last[q] = sent(&p, q);
            }
            forget(&p);
        }
        mt_arena_free(&arena);
    }
}

/* Applies the rule of mesh/cut/sets.h by checking every pair for every merge; returns the number of sent elements. `set` and `size` are in
 * the order of the sets' numbers. */
static size_t merged_by_hand(uint64_t *set, size_t *size, size_t n, size_t limit)
{
    for (;;) {
        size_t a = 0, b = 0, least = SIZE_MAX;
        for (size_t i = 0; i < n; i++)
            for (size_t k = i + 1; k < n; k++) {
                const size_t cost = size[i] * n_bits(set[k] & ~set[i]) + size[k] * n_bits(set[i] & ~set[k]);
                if (cost < least) least = cost, a = i, b = k;
            }
        if (n <= limit) break;
        cr_assert_gt(least, 0);
        set[a] |= set[b], size[a] += size[b];
        for (n--; b < n; b++) set[b] = set[b + 1], size[b] = size[b + 1];
    }
    size_t elements = 0;
    for (size_t i = 0; i < n; i++) elements += size[i] * n_bits(set[i]);
    return elements;
}

Test(scheme, budget_merges_the_two_sets_with_the_lowest_cost)
{
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (uint32_t limit = 1; limit <= 31; limit += 5) {
            mt_arena arena = {0};
            needs n;
            uint64_t set[200];
            size_t size[200];
            some_needs(&arena, seed, &n);
            plan p = make(&arena, &n, "budget", limit);
            const size_t n_sets = list_sets(&n, set, size);
            if (n_sets > limit)
                cr_assert_eq(
                    all_sent(&p), merged_by_hand(set, size, n_sets, limit), "seed %zu", (size_t)seed);
            forget(&p);
            mt_arena_free(&arena);
        }
}

/* {1 2 5} and {3 4 5} merge first, for 12; with their union, {1 2 3 4} costs 10, with {1 2 4} 14, and with each of the two alone it was
 * 16. */
Test(scheme, budget_considers_merging_with_unions_of_sets)
{
    static const struct {
        uint64_t set;
        uint32_t elements;
    } sets[] = {{0x1e, 10}, {0x16, 14}, {0x26, 3}, {0x38, 3}};
    mt_arena arena = {0};
    needs n;
    uint64_t of[30];
    uint32_t n_elements = 0;
    for (size_t s = 0; s < 4; s++)
        for (uint32_t c = 0; c < sets[s].elements; c++) of[n_elements++] = sets[s].set;
    exactly(&arena, n_elements, of, &n);
    plan p = make(&arena, &n, "budget", 2);
    cr_assert_eq(all_sent(&p), all_needed(&n) + 12 + 10);
    forget(&p);
    mt_arena_free(&arena);
}

/* ---- ranged ---- */

/* Finds the interval of an order that a destination needs. */
static void enclose(const needs *n, const plan *p, uint32_t q, uint32_t *begin, uint32_t *end)
{
    *begin = n->n_elements, *end = 0;
    for (uint32_t i = 0; i < n->n_elements; i++)
        if (n->of[p->order[i]] >> q & 1) {
            if (i < *begin) *begin = i;
            *end = i + 1;
        }
}

Test(scheme, ranged_sends_each_destination_the_smallest_range_and_equal_ranges_once)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        mt_arena arena = {0};
        needs n;
        some_needs(&arena, seed, &n);
        plan p = make(&arena, &n, "ranged", 0);
        for (uint32_t q = 0; q < MOST; q++) {
            uint32_t begin, end;
            size_t ranges = 0;
            enclose(&n, &p, q, &begin, &end);
            for (size_t r = 0; r < p.sink.n_ranges; r++) {
                if (!sends(&p, r, q)) continue;
                cr_assert(p.sink.range[r].begin == begin && p.sink.range[r].end == end);
                ranges++;
            }
            cr_assert_eq(ranges, end > 0);
        }
        for (size_t r = 1; r < p.sink.n_ranges; r++)
            cr_assert(p.sink.range[r].begin != p.sink.range[r - 1].begin ||
                      p.sink.range[r].end > p.sink.range[r - 1].end);
        forget(&p);
        mt_arena_free(&arena);
    }
}

/* ---- comparison with all orders ---- */

typedef struct sum_of_order {
    const uint64_t *set;
    const size_t *size;
    size_t n;
} sum_of_order;

/* Returns pieces, or elements of all intervals, in an order of sets. */
static size_t pieces(const sum_of_order *s, const size_t *order)
{
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) count += n_bits(s->set[order[i]] & ~(i > 0 ? s->set[order[i - 1]] : 0));
    return count;
}

static size_t intervals(const sum_of_order *s, const size_t *order)
{
    size_t sum = 0;
    for (uint32_t q = 0; q < MOST; q++) {
        size_t elements = 0, end = 0;
        for (size_t i = 0; i < s->n; i++) {
            const bool needed = s->set[order[i]] >> q & 1;
            if (needed || elements > 0) elements += s->size[order[i]];
            if (needed) end = elements;
        }
        sum += end;
    }
    return sum;
}

typedef size_t measure(const sum_of_order *s, const size_t *order);

/* Returns the minimum over all orders: Heap's enumeration of permutations. */
static size_t least_of_all(const sum_of_order *s, measure *of)
{
    size_t order[8], count[8] = {0}, least;
    for (size_t i = 0; i < s->n; i++) order[i] = i;
    least = of(s, order);
    for (size_t i = 1; i < s->n;) {
        if (count[i] >= i) {
            count[i++] = 0;
            continue;
        }
        const size_t k = i % 2 ? count[i] : 0, t = order[k];
        order[k] = order[i], order[i] = t;
        const size_t now = of(s, order);
        if (now < least) least = now;
        count[i]++;
        i = 1;
    }
    return least;
}

/* Neither search must find the optimum; for so few sets both must in 99 of 100 cases. Less than the optimum would mean missing elements. */
static void assert_mostly_the_best(const char *name, measure *of)
{
    size_t missed = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        mt_arena arena = {0};
        needs n;
        uint64_t set[40];
        size_t size[40];
        state = seed;
        random_needs(&arena, 40, 1 + below(7), 2 + below(6), 3, &n);
        const sum_of_order s = {set, size, list_sets(&n, set, size)};
        plan p = make(&arena, &n, name, 0);
        const size_t mine = of == pieces ? runs(&n, &p) : all_sent(&p), least = least_of_all(&s, of);
        cr_assert_geq(mine, least, "seed %zu: %zu, best %zu", (size_t)seed, mine, least);
        missed += mine != least;
        forget(&p);
        mt_arena_free(&arena);
    }
    cr_assert_leq(missed, 3);
}

Test(scheme, exact_mostly_finds_the_minimum_number_of_ranges_for_few_sets)
{
    assert_mostly_the_best("exact", pieces);
}

Test(scheme, ranged_mostly_finds_the_shortest_ranges_for_few_sets)
{
    assert_mostly_the_best("ranged", intervals);
}

/* Lists the sets in the order of a plan that stores the elements of a set together. */
static size_t sets_of_plan(const needs *n, const plan *p, uint64_t *set, size_t *size)
{
    size_t n_sets = 0;
    for (uint32_t i = p->n_interior; i < n->n_elements; i++) {
        if (n_sets == 0 || set[n_sets - 1] != n->of[p->order[i]])
            set[n_sets] = n->of[p->order[i]], size[n_sets++] = 0;
        size[n_sets - 1]++;
    }
    return n_sets;
}

/* Returns the measure after moving `length` sets from `from` on, reversed or not, so that `to` of the others precede them. */
static size_t after_move(
    const sum_of_order *s, measure *of, size_t from, size_t length, size_t to, bool turned)
{
    size_t order[200], n = 0;
    for (size_t i = 0; i < s->n - length; i++) {
        if (i == to) n += length;
        order[n++] = i < from ? i : i + length;
    }
    for (size_t k = 0; k < length; k++) order[to + k] = from + (turned ? length - 1 - k : k);
    return of(s, order);
}

/* Tries reversals of any piece in place, and moves of up to `most` sets, also reversed if `turns`. */
static void assert_no_move_gains(const char *name, measure *of, size_t most, bool turns)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        mt_arena arena = {0};
        needs n;
        uint64_t set[200];
        size_t size[200];
        state = seed;
        random_needs(&arena, below(200), 1 + below(25), 1 + below(12), 1 + below(5), &n);
        plan p = make(&arena, &n, name, 0);
        const sum_of_order s = {set, size, sets_of_plan(&n, &p, set, size)};
        const size_t now = s.n > 0 ? after_move(&s, of, 0, 1, 0, false) : 0;
        for (size_t length = 1; length <= s.n; length++)
            for (size_t from = 0; from + length <= s.n; from++)
                for (size_t to = 0; to + length <= s.n; to++)
                    if (length <= most || (turns && to == from)) {
                        cr_assert_geq(
                            after_move(&s, of, from, length, to, false), now, "seed %zu", (size_t)seed);
                        cr_assert(!turns || after_move(&s, of, from, length, to, true) >= now, "seed %zu",
                            (size_t)seed);
                    }
        forget(&p);
        mt_arena_free(&arena);
    }
}

Test(scheme, exact_cannot_be_improved_by_reversing_or_moving_a_segment)
{
    assert_no_move_gains("exact", pieces, 3, true);
}

Test(scheme, ranged_cannot_be_improved_by_moving_a_set)
{
    assert_no_move_gains("ranged", intervals, 1, false);
}

/* The search only improves its initial order. */
Test(scheme, exact_has_no_more_ranges_than_a_nearest_neighbour_order)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        mt_arena arena = {0};
        needs n;
        uint64_t set[128], last = 0;
        size_t size[128], nearest = 0;
        state = seed;
        random_needs(&arena, 600, 1 + below(128), 1 + below(MOST), 1 + below(6), &n);
        for (size_t left = list_sets(&n, set, size); left > 0; left--) {
            size_t best = 0;
            for (size_t k = 1; k < left; k++)
                if (n_bits(set[k] ^ last) < n_bits(set[best] ^ last)) best = k;
            nearest += n_bits(set[best] & ~last);
            last = set[best];
            memmove(set + best, set + best + 1, (left - best - 1) * sizeof *set);
        }
        plan p = make(&arena, &n, "exact", 0);
        cr_assert_leq(runs(&n, &p), nearest, "seed %zu", (size_t)seed);
        forget(&p);
        mt_arena_free(&arena);
    }
}

/* Sets with two destinations each, as links of a chain with any names of destinations: there is an order with contiguous sets for every
 * destination. */
Test(scheme, ranged_sends_no_unused_element_along_a_chain_in_any_numbering)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        mt_arena arena = {0};
        needs n;
        uint64_t of[8 * MOST];
        uint32_t name[MOST], n_elements = 0;
        state = seed;
        const uint32_t links = 2 + below(MOST - 1);
        for (uint32_t k = 0; k < links; k++) {
            const uint32_t at = below(k + 1);
            name[k] = name[at];
            name[at] = k;
        }
        for (uint32_t k = 0; k + 1 < links; k++)
            for (uint32_t c = 1 + below(8); c > 0; c--)
                of[n_elements++] = (uint64_t)1 << name[k] | (uint64_t)1 << name[k + 1];
        exactly(&arena, n_elements, of, &n);
        plan p = make(&arena, &n, "ranged", 0);
        cr_assert_eq(all_sent(&p), all_needed(&n), "seed %zu", (size_t)seed);
        forget(&p);
        mt_arena_free(&arena);
    }
}

static size_t exact_pieces(mt_arena *arena, const needs *n)
{
    plan p = make(arena, n, "exact", 0);
    const size_t count = runs(n, &p);
    forget(&p);
    return count;
}

static size_t pieces_as_numbered(const needs *n)
{
    uint64_t set[1000], last = 0;
    size_t size[1000], count = 0;
    const size_t n_sets = list_sets(n, set, size);
    for (size_t s = 0; s < n_sets; last = set[s++]) count += n_bits(set[s] & ~last);
    return count;
}

/* Hundreds of sets: above 128 they are processed in blocks. */
Test(scheme, parts_with_hundreds_of_sets_are_sent_completely_within_the_limit)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        mt_arena arena = {0};
        needs n;
        state = seed;
        random_needs(&arena, 2000, 1000, MOST, 4, &n);
        uint64_t set[1000];
        size_t last = SIZE_MAX, size[1000];
        const size_t n_sets = list_sets(&n, set, size);
        cr_assert_gt(n_sets, 512);
        for (uint32_t ranges = 1; ranges < 1200; ranges = 1 + ranges * 3 / 2) {
            plan p = make(&arena, &n, "budget", ranges);
            assert_sound(&n, &p, "budget");
            cr_assert_eq(p.sink.n_ranges, ranges < n_sets ? ranges : n_sets);
            cr_assert_leq(all_sent(&p), last);
            last = all_sent(&p);
            forget(&p);
        }
        cr_assert_eq(last, all_needed(&n));
        cr_assert_lt(exact_pieces(&arena, &n), pieces_as_numbered(&n), "blocks are ordered, too");
        for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++) {
            plan p = make(&arena, &n, scheme->name, 0);
            assert_sound(&n, &p, scheme->name);
            forget(&p);
        }
        mt_arena_free(&arena);
    }
}

Test(scheme, only_budget_accepts_a_limit_of_ranges)
{
    mt_scheme scheme;
    for (const mt_scheme *s = mt_schemes; s->name; s++) {
        cr_assert_eq(mt_scheme_find(s->name, 0, &scheme), MT_OK);
        cr_assert(scheme.plan == s->plan && scheme.ranges == s->ranges);
        cr_assert_eq(mt_scheme_find(s->name, 7, &scheme), strcmp(s->name, "budget") ? MT_INPUT : MT_OK);
    }
    cr_assert_eq(mt_scheme_find("best", 0, &scheme), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "'best'; allowed: full, ranged, mixed-clean, exact, budget"),
        "%s", mt_message());
}
