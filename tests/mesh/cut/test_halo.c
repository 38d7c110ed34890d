#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/cut/halo.h"
#include "mesh/make/slab.h"
#include "tests/mesh/cut/check_halo.h"
#include "tests/random.h"

static uint64_t state;

static uint32_t below(uint32_t n) { return (uint32_t)draw(&state, n); }

struct problem {
    size_t n_elements, width;
    uint32_t *columns;
    mt_partition partition;
};

/* An arbitrary pattern, not even symmetric: rows read elements near or far, and are padded with themselves; parts are random or slices, and
 * often empty. */
static void random_problem(mt_arena *arena, uint64_t seed, struct problem *problem)
{
    state = seed;
    size_t n = 1 + below(200);
    problem->n_elements = n;
    problem->width = 1 + below(8);
    problem->columns = mt_arena_alloc(arena, n * problem->width, sizeof(uint32_t));
    problem->partition = (mt_partition){.n_parts = 1 + below(below(2) ? 5 : 40),
        .parts_per_group = 1,
        .n_elements = n,
        .part = mt_arena_alloc(arena, n, sizeof(uint32_t))};
    uint32_t n_parts = problem->partition.n_parts, slices = below(2), near = 1 + below(30);
    for (size_t c = 0; c < n; c++) {
        problem->partition.part[c] = slices ? (uint32_t)(c * n_parts / n) : below(n_parts);
        if (below(2) == 0 && n_parts > 2 && !slices) problem->partition.part[c] = 1;
        size_t used = below((uint32_t)problem->width + 1);
        for (size_t k = 0; k < problem->width; k++)
            problem->columns[c * problem->width + k] = k >= used  ? (uint32_t)c
                                                       : below(4) ? (uint32_t)((c + below(near)) % n)
                                                                  : below((uint32_t)n);
    }
}

static const mt_scheme *scheme_called(const char *name)
{
    static mt_scheme scheme;
    cr_assert_eq(mt_scheme_find(name, 0, &scheme), MT_OK, "%s", mt_message());
    return &scheme;
}

static void make(mt_arena *arena, const struct problem *problem, const mt_scheme *scheme, mt_halo *halo)
{
    cr_assert_eq(
        mt_halo_make(arena, &(mt_pattern){problem->n_elements, problem->width, problem->columns, NULL, NULL},
            &problem->partition, scheme, halo),
        MT_OK, "%s", mt_message());
}

static mt_status check(const mt_halo *halo, const struct problem *problem)
{
    return halo_check(halo, &(mt_pattern){problem->n_elements, problem->width, problem->columns, NULL, NULL},
        &problem->partition);
}

/* True if part q needs element c, by all rows. */
static bool needs(const struct problem *problem, uint32_t q, uint32_t c)
{
    if (problem->partition.part[c] == q) return false;
    for (size_t i = 0; i < problem->n_elements * problem->width; i++)
        if (problem->partition.part[i / problem->width] == q && problem->columns[i] == c) return true;
    return false;
}

/* Sends every range to its destinations, and counts the arrivals: times[q * n_elements + c]. */
static uint8_t *deliver(mt_arena *arena, const mt_halo *halo)
{
    uint8_t *times = mt_arena_alloc(arena, halo->n_parts * halo->n_elements, 1);
    cr_assert_not_null(times);
    for (size_t r = 0; r < halo->n_ranges; r++)
        for (size_t k = halo->to_offset[r]; k < halo->to_offset[r + 1]; k++)
            for (uint32_t i = halo->range[r].begin; i < halo->range[r].end; i++)
                times[halo->to_part[k] * halo->n_elements +
                      halo->own_element[halo->own_offset[halo->range[r].source] + i]]++;
    return times;
}

/* The receivers' lists agree with the senders': subtracted from times, all must be zero afterwards. */
static void assert_directions_agree(const mt_halo *halo, uint8_t *times)
{
    for (uint32_t q = 0; q < halo->n_parts; q++) {
        size_t elements = 0;
        for (size_t k = halo->in_offset[q]; k < halo->in_offset[q + 1]; k++) {
            const mt_scheme_range *range = halo->range + halo->in_range[k];
            for (uint32_t i = range->begin; i < range->end; i++, elements++)
                times[q * halo->n_elements + halo->own_element[halo->own_offset[range->source] + i]]--;
        }
        cr_assert_eq(elements, halo->inbound[q]);
    }
    for (size_t k = 0; k < halo->n_parts * halo->n_elements; k++) cr_assert_eq(times[k], 0);
}

/* wanted[q * n_elements + c]: part q needs element c. */
static uint8_t *find_wanted(mt_arena *arena, const struct problem *problem)
{
    const uint32_t *part = problem->partition.part;
    uint8_t *wanted = mt_arena_alloc(arena, problem->partition.n_parts * problem->n_elements, 1);
    cr_assert_not_null(wanted);
    for (size_t i = 0; i < problem->n_elements * problem->width; i++) {
        const uint32_t q = part[i / problem->width], c = problem->columns[i];
        wanted[q * problem->n_elements + c] = part[c] != q;
    }
    return wanted;
}

static void assert_delivers(mt_arena *arena, const struct problem *problem, const mt_halo *halo,
    const uint8_t *times, const char *what)
{
    const uint8_t *wanted = find_wanted(arena, problem);
    for (uint32_t q = 0; q < halo->n_parts; q++) {
        size_t needed = 0;
        for (uint32_t c = 0; c < halo->n_elements; c++) {
            const uint8_t want = wanted[q * halo->n_elements + c], got = times[q * halo->n_elements + c];
            needed += want;
            cr_assert(got <= 1 && got >= want, "%s: part %u gets element %u %u times", what, q, c, got);
            cr_assert(!(got && problem->partition.part[c] == q));
        }
        cr_assert_eq(halo->needed[q], needed);
    }
}

/* Counts element by element: a piece ends if the next received element is not the next of the same part. */
static void assert_pieces(const mt_halo *halo)
{
    for (uint32_t q = 0; q < halo->n_parts; q++) {
        size_t pieces = 0, next = SIZE_MAX;
        for (size_t k = halo->in_offset[q]; k < halo->in_offset[q + 1]; k++) {
            const mt_scheme_range *range = halo->range + halo->in_range[k];
            const size_t first = halo->own_offset[range->source];
            for (size_t i = first + range->begin; i < first + range->end; next = ++i)
                pieces += i != next || i == first;
        }
        cr_assert_eq(mt_halo_pieces_in(halo, q), pieces, "part %u: %zu, not %zu", q,
            mt_halo_pieces_in(halo, q), pieces);
    }
}

/* Local indices of a part read the same values as global ones. */
static void assert_local_columns(mt_arena *arena, const struct problem *problem, const mt_halo *halo)
{
    uint32_t *map = mt_arena_alloc(arena, halo->n_elements, sizeof *map);
    uint32_t *local = mt_arena_alloc(arena, halo->n_elements * problem->width, sizeof *local);
    uint32_t *value = mt_arena_alloc(arena, halo->n_elements, sizeof *value);
    cr_assert(map && local && value);
    memset(map, 0xff, halo->n_elements * sizeof *map);
    for (uint32_t q = 0; q < halo->n_parts; q++) {
        size_t n_own = mt_halo_own(halo, q), n = n_own;
        cr_assert_eq(mt_halo_columns(halo,
                         &(mt_pattern){problem->n_elements, problem->width, problem->columns, NULL, NULL}, q,
                         map, local),
            MT_OK, "%s", mt_message());
        memcpy(value, halo->own_element + halo->own_offset[q], n_own * sizeof *value);
        for (size_t k = halo->in_offset[q]; k < halo->in_offset[q + 1]; k++) {
            const mt_scheme_range *range = halo->range + halo->in_range[k];
            for (uint32_t i = range->begin; i < range->end; i++)
                value[n++] = halo->own_element[halo->own_offset[range->source] + i];
        }
        cr_assert_eq(n, mt_halo_local(halo, q));
        for (size_t i = 0; i < n_own * problem->width; i++) {
            cr_assert_lt(local[i], n);
            cr_assert_eq(value[local[i]],
                problem->columns[value[i / problem->width] * problem->width + i % problem->width]);
        }
        for (size_t c = 0; c < halo->n_elements; c++)
            cr_assert_eq(map[c], UINT32_MAX, "the map must be restored");
    }
}

/* ---- restricted to some parts ---- */

static const uint32_t *elements_of(const mt_halo *halo, const mt_scheme_range *range)
{
    return halo->own_element + halo->own_offset[range->source] + range->begin;
}

/* A part in its own view owns, sends and receives the same. */
static void assert_part_seen(const mt_halo *whole, const mt_halo *seen, uint32_t p)
{
    const size_t n_in = whole->in_offset[p + 1] - whole->in_offset[p],
                 n_out = whole->range_offset[p + 1] - whole->range_offset[p];
    cr_assert_eq(mt_halo_own(seen, p), mt_halo_own(whole, p));
    cr_assert_eq(seen->n_interior[p], whole->n_interior[p]);
    cr_assert_eq(seen->inbound[p], whole->inbound[p]);
    cr_assert_eq(memcmp(seen->own_element + seen->own_offset[p], whole->own_element + whole->own_offset[p],
                     mt_halo_own(whole, p) * sizeof *whole->own_element),
        0);
    cr_assert_eq(seen->in_offset[p + 1] - seen->in_offset[p], n_in);
    for (size_t k = 0; k < n_in; k++) {
        const mt_scheme_range *a = &whole->range[whole->in_range[whole->in_offset[p] + k]],
                              *b = &seen->range[seen->in_range[seen->in_offset[p] + k]];
        cr_assert(a->source == b->source && a->end - a->begin == b->end - b->begin);
        cr_assert_eq(
            memcmp(elements_of(whole, a), elements_of(seen, b), (a->end - a->begin) * sizeof(uint32_t)), 0);
    }
    cr_assert_eq(seen->range_offset[p + 1] - seen->range_offset[p], n_out);
    for (size_t k = 0; k < n_out; k++) {
        const size_t a = whole->range_offset[p] + k, b = seen->range_offset[p] + k,
                     n_to = whole->to_offset[a + 1] - whole->to_offset[a];
        cr_assert(whole->range[a].begin == seen->range[b].begin && whole->range[a].end == seen->range[b].end);
        cr_assert_eq(seen->to_offset[b + 1] - seen->to_offset[b], n_to);
        cr_assert_eq(memcmp(whole->to_part + whole->to_offset[a], seen->to_part + seen->to_offset[b],
                         n_to * sizeof *whole->to_part),
            0);
    }
}

/* The view of parts [first, end) shows of another part the elements that they receive, and no others except the first. */
static void assert_other_seen(const mt_halo *whole, const mt_halo *seen, const uint8_t *times, uint32_t p,
    uint32_t first, uint32_t end, bool each)
{
    size_t n = 0;
    for (size_t k = whole->own_offset[p]; k < whole->own_offset[p + 1]; k++) {
        bool received = false;
        for (uint32_t q = first; q < end; q++)
            received |= times[q * whole->n_elements + whole->own_element[k]];
        if (!received) continue;
        cr_assert_eq(seen->own_element[seen->own_offset[p] + n], whole->own_element[k]);
        n++;
    }
    for (uint32_t q = first; q < end; q++)
        for (size_t k = whole->in_offset[p]; k < whole->in_offset[p + 1]; k++)
            each |= whole->range[whole->in_range[k]].source == q;
    if (n == 0 && each && mt_halo_own(whole, p) > 0) n = 1;
    cr_assert_eq(mt_halo_own(seen, p), n, "part %u from %u .. %u", p, first, end);
    for (size_t r = seen->range_offset[p]; r < seen->range_offset[p + 1]; r++)
        for (size_t k = seen->to_offset[r]; k < seen->to_offset[r + 1]; k++)
            cr_assert(seen->to_part[k] >= first && seen->to_part[k] < end);
}

static void assert_seen(const mt_halo *whole, const uint8_t *times)
{
    for (uint32_t n = 1; n <= 3; n++)
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t first = whole->n_parts * k / n, end = whole->n_parts * (k + 1) / n;
            const bool each = (n + k) % 2;
            mt_arena arena = {0};
            mt_halo seen;
            cr_assert_eq(mt_halo_seen(&arena, whole, first, end, each, &seen), MT_OK, "%s", mt_message());
            for (uint32_t p = 0; p < whole->n_parts; p++)
                if (p >= first && p < end)
                    assert_part_seen(whole, &seen, p);
                else
                    assert_other_seen(whole, &seen, times, p, first, end, each);
            mt_arena_free(&arena);
        }
}

static void assert_right(const struct problem *problem, const mt_scheme *scheme, const char *what)
{
    mt_arena arena = {0};
    mt_halo halo;
    make(&arena, problem, scheme, &halo);
    cr_assert_eq(check(&halo, problem), MT_OK, "%s, %s: %s", scheme->name, what, mt_message());
    uint8_t *times = deliver(&arena, &halo);
    assert_delivers(&arena, problem, &halo, times, scheme->name);
    assert_directions_agree(&halo, times);
    assert_pieces(&halo);
    assert_local_columns(&arena, problem, &halo);
    assert_seen(&halo, deliver(&arena, &halo));
    mt_arena_free(&arena);
}

/* Checks every scheme, with several limits if it has one. */
static void assert_right_under_all(const struct problem *problem, const char *what)
{
    for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++) {
        mt_scheme limited = *scheme;
        for (uint32_t ranges = 1; scheme->ranges > 0 && ranges < 40; ranges *= 3) {
            limited.ranges = ranges;
            assert_right(problem, &limited, what);
        }
        assert_right(problem, scheme, what);
    }
}

Test(halo, every_part_receives_each_needed_element_exactly_once_under_every_scheme)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        mt_arena arena = {0};
        struct problem problem;
        char what[32];
        random_problem(&arena, seed, &problem);
        (void)snprintf(what, sizeof what, "seed %zu", (size_t)seed);
        assert_right_under_all(&problem, what);
        mt_arena_free(&arena);
    }
}

/* A slab without some of its tetrahedra, and the rings of the others. */
static void broken_slab(mt_arena *arena, uint64_t seed, mt_adjacency *adjacency, struct problem *problem)
{
    mt_mesh mesh;
    state = seed;
    cr_assert_eq(mt_slab_make(arena, (double[]){4, 4, 3}, 1, &mesh), MT_OK, "%s", mt_message());
    size_t n = 0;
    for (size_t c = 0; c < mesh.n_elements; c++)
        if (below(10) > 0)
            memmove(mesh.element_vertex + 4 * n++, mesh.element_vertex + 4 * c, 4 * sizeof(uint32_t));
    mesh.n_elements = n;
    cr_assert_eq(mt_adjacency_make(arena, &mesh, adjacency), MT_OK, "%s", mt_message());
    *problem = (struct problem){.n_elements = n, .width = MT_RING_MAX};
    problem->columns = mt_arena_alloc(arena, n * MT_RING_MAX, sizeof(uint32_t));
    for (size_t c = 0; c < n; c++) (void)mt_adjacency_ring(adjacency, c, problem->columns + c * MT_RING_MAX);
}

Test(halo, needed_elements_are_received_once_in_tetrahedral_meshes_with_any_parts)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        mt_arena arena = {0};
        mt_adjacency adjacency;
        struct problem problem;
        broken_slab(&arena, seed, &adjacency, &problem);
        const uint32_t n_parts = 2 + below(20);
        cr_assert_eq(
            mt_partition_make(&arena, &adjacency,
                &(mt_partition_options){MT_PARTITION_FLAT, 1, n_parts, 1.03, NULL, 0, 0}, &problem.partition),
            MT_OK, "%s", mt_message());
        assert_right_under_all(&problem, "METIS");
        for (size_t c = 0; c < problem.n_elements; c++) problem.partition.part[c] = below(n_parts);
        assert_right_under_all(&problem, "at random");
        mt_arena_free(&arena);
    }
}

static size_t destinations(const struct problem *problem, uint32_t n_parts, uint32_t c, uint32_t *first)
{
    size_t n = 0;
    for (uint32_t q = n_parts; q-- > 0;)
        if (needs(problem, q, c)) *first = q, n++;
    return n;
}

/* The definition, element by element: interior ascending, then mixed ascending, then clean by destination and ascending. */
Test(halo, mixed_clean_orders_elements_and_sends_mixed_to_all_neighbours)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        mt_arena arena = {0};
        struct problem problem;
        mt_halo halo;
        random_problem(&arena, seed, &problem);
        make(&arena, &problem, scheme_called("mixed-clean"), &halo);
        for (uint32_t p = 0; p < halo.n_parts; p++) {
            uint64_t last = 0;
            size_t n_own = mt_halo_own(&halo, p), n_interior = 0, n_mixed = 0;
            uint8_t neighbour[64] = {0}, n_neighbours = 0;
            for (size_t i = 0; i < n_own; i++) {
                uint32_t c = halo.own_element[halo.own_offset[p] + i], to = 0;
                size_t n = destinations(&problem, halo.n_parts, c, &to);
                n_interior += n == 0, n_mixed += n > 1;
                uint64_t key = (n == 0 ? 0 : n > 1 ? 1 : 2 + (uint64_t)to) << 32 | c;
                cr_assert(i == 0 || key > last, "seed %zu part %u position %zu", (size_t)seed, p, i);
                last = key;
                for (uint32_t q = 0; n > 0 && q < halo.n_parts; q++) neighbour[q] |= needs(&problem, q, c);
            }
            for (uint32_t q = 0; q < halo.n_parts; q++) n_neighbours = (uint8_t)(n_neighbours + neighbour[q]);
            cr_assert_eq(halo.n_interior[p], n_interior);
            size_t r = halo.range_offset[p];
            if (n_mixed > 0) {
                cr_assert(halo.range[r].begin == n_interior && halo.range[r].end == n_interior + n_mixed);
                cr_assert_eq(halo.to_offset[r + 1] - halo.to_offset[r], n_neighbours);
                r++;
            }
            for (; r < halo.range_offset[p + 1]; r++)
                cr_assert_eq(halo.to_offset[r + 1] - halo.to_offset[r], 1);
        }
        mt_arena_free(&arena);
    }
}

/* Three parts of three elements. Parts 1 and 2 need element 0, part 2 element 1, no part element 2; part 0 needs element 3. */
Test(halo, a_small_halo_matches_a_hand_calculation)
{
    uint32_t columns[9 * 2] = {0, 3, 1, 1, 2, 0, 3, 0, 4, 4, 5, 5, 6, 0, 7, 1, 8, 8};
    uint32_t part[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    const struct problem problem = {
        9, 2, columns, {.n_parts = 3, .parts_per_group = 1, .n_elements = 9, .part = part}};
    static const mt_scheme_range expected[] = {{0, 1, 2}, {0, 2, 3}, {1, 2, 3}};
    mt_arena arena = {0};
    mt_halo halo;
    make(&arena, &problem, scheme_called("mixed-clean"), &halo);
    cr_assert_arr_eq(halo.own_element, ((uint32_t[]){2, 0, 1, 4, 5, 3, 6, 7, 8}), 9 * sizeof(uint32_t));
    cr_assert_arr_eq(halo.n_interior, ((uint32_t[]){1, 2, 3}), 3 * sizeof(uint32_t));
    cr_assert_eq(halo.n_ranges, 3);
    cr_assert_arr_eq(halo.range, expected, sizeof expected);
    cr_assert_arr_eq(halo.to_part, ((uint32_t[]){1, 2, 2, 0}), 4 * sizeof(uint32_t));
    cr_assert_arr_eq(halo.in_range, ((uint32_t[]){2, 0, 0, 1}), 4 * sizeof(uint32_t));
    cr_assert_arr_eq(halo.inbound, ((size_t[]){1, 1, 2}), 3 * sizeof(size_t));
    cr_assert_eq(mt_halo_pieces_in(&halo, 0), 1);
    cr_assert_eq(mt_halo_pieces_in(&halo, 2), 1, "two ranges that touch");
    mt_arena_free(&arena);
}

/* Each damage violates one invariant of the struct comment. */
static void damage(mt_halo *halo, int which)
{
    uint32_t t = 0;
    switch (which) {
    case 0:
        halo->own_element[0] = halo->own_element[1];
        break;
    case 1:
        halo->range[1].begin = 1;
        break; /* overlaps range 0 */
    case 2:
        halo->range[1].end = 2;
        break; /* empty */
    case 3:
        halo->range[2].source = 0;
        break;
    case 4:
        halo->n_interior[0] = 2;
        break; /* range 0 begins inside */
    case 5:
        halo->in_range[1] = 1;
        break; /* not sent to that part */
    case 6:
        halo->to_part[2] = 0;
        break; /* sent to itself */
    case 7:
        halo->in_range[2] = 1, halo->in_range[3] = 0;
        break; /* out of order */
    case 8:
        halo->inbound[2]++;
        break;
    case 9:
        halo->needed[2]--;
        break;
    case 10:
        t = halo->own_element[0], halo->own_element[0] = halo->own_element[1], halo->own_element[1] = t;
        break; /* 0 not sent */
    case 11:
        halo->range[0].end = 5;
        break;
    case 12:
        t = halo->to_part[0], halo->to_part[0] = halo->to_part[1], halo->to_part[1] = t;
        break;
    case 13:
        halo->range_offset[3] = 2;
        break;
    case 14:
        halo->range[1].begin = 1, halo->inbound[2] = 3;
        break; /* the overlap again, with all counts right */
    default:
        halo->in_offset[3] = 3;
        break;
    }
}

Test(halo, the_check_detects_every_kind_of_damage)
{
    uint32_t columns[9 * 2] = {0, 3, 1, 1, 2, 0, 3, 0, 4, 4, 5, 5, 6, 0, 7, 1, 8, 8};
    uint32_t part[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    const struct problem problem = {
        9, 2, columns, {.n_parts = 3, .parts_per_group = 1, .n_elements = 9, .part = part}};
    for (int which = 0; which <= 15; which++) {
        mt_arena arena = {0};
        mt_halo halo;
        make(&arena, &problem, scheme_called("mixed-clean"), &halo);
        cr_assert_eq(check(&halo, &problem), MT_OK, "%s", mt_message());
        damage(&halo, which);
        cr_assert_eq(check(&halo, &problem), MT_INPUT, "damage %d was not found", which);
        mt_arena_free(&arena);
    }
}

Test(halo, columns_of_another_pattern_are_rejected_and_the_map_is_restored)
{
    uint32_t columns[4] = {0, 1, 2, 3}, other[4] = {0, 2, 2, 3}, part[4] = {0, 0, 1, 1}, map[4], local[2];
    const struct problem problem = {
        4, 1, columns, {.n_parts = 2, .parts_per_group = 1, .n_elements = 4, .part = part}};
    mt_arena arena = {0};
    mt_halo halo;
    make(&arena, &problem, scheme_called("mixed-clean"), &halo);
    cr_assert_eq(halo.n_ranges, 0);
    memset(map, 0xff, sizeof map);
    cr_assert_eq(mt_halo_columns(&halo, &(mt_pattern){4, 1, other, NULL, NULL}, 0, map, local), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "row 1 of part 0 reads element 2"), "%s", mt_message());
    for (int c = 0; c < 4; c++) cr_assert_eq(map[c], UINT32_MAX);
    mt_arena_free(&arena);
}

Test(halo, invalid_input_is_rejected)
{
    uint32_t columns[4] = {0, 1, 2, 4}, part[4] = {0, 0, 1, 1};
    mt_partition partition = {.n_parts = 2, .parts_per_group = 1, .n_elements = 4, .part = part};
    const mt_scheme *scheme = scheme_called("mixed-clean");
    mt_arena arena = {0};
    mt_halo halo;
    cr_assert_eq(
        mt_halo_make(&arena, &(mt_pattern){4, 1, columns, NULL, NULL}, &partition, scheme, &halo), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "row 3 reads element 4"), "%s", mt_message());
    columns[3] = 3;
    cr_assert_eq(
        mt_halo_make(&arena, &(mt_pattern){3, 1, columns, NULL, NULL}, &partition, scheme, &halo), MT_INPUT);
    part[2] = 2;
    cr_assert_eq(
        mt_halo_make(&arena, &(mt_pattern){4, 1, columns, NULL, NULL}, &partition, scheme, &halo), MT_INPUT);
    partition.n_parts = 0;
    cr_assert_eq(
        mt_halo_make(&arena, &(mt_pattern){4, 1, columns, NULL, NULL}, &partition, scheme, &halo), MT_INPUT);
    mt_scheme none;
    cr_assert_eq(mt_scheme_find("mixed", 0, &none), MT_INPUT);
    cr_assert_not_null(
        strstr(mt_message(), "'mixed'; allowed: full, ranged, mixed-clean"), "%s", mt_message());
    cr_assert_eq(mt_scheme_find("mixed-clean", 5, &none), MT_INPUT);
    cr_assert_not_null(strstr(mt_message(), "' has no limit of ranges, but 5 is given"), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(halo, without_elements_the_halo_is_empty)
{
    const struct problem problem = {0, 16, NULL, {.n_parts = 5, .parts_per_group = 1}};
    mt_arena arena = {0};
    mt_halo halo;
    make(&arena, &problem, mt_schemes, &halo);
    cr_assert_eq(halo.n_ranges, 0);
    mt_arena_free(&arena);
}

static void assert_fails_without_memory(const struct problem *problem, const mt_scheme *scheme)
{
    mt_status status = MT_MEMORY;
    for (size_t n = 1; status != MT_OK; n++) {
        mt_arena arena = {0};
        mt_halo halo;
        mt_arena_fail_at(n);
        status = mt_halo_make(&arena,
            &(mt_pattern){problem->n_elements, problem->width, problem->columns, NULL, NULL},
            &problem->partition, scheme, &halo);
        mt_arena_fail_at(0);
        if (status == MT_OK) {
            cr_assert_gt(n, 10);
            mt_arena_fail_at(1);
            cr_assert_eq(check(&halo, problem), MT_MEMORY, "the check needs memory, too");
            mt_arena_fail_at(0);
        } else
            cr_assert_eq(status, MT_MEMORY);
        mt_arena_free(&arena);
    }
}

Test(halo, out_of_memory_is_reported_without_a_leak)
{
    mt_arena arena = {0};
    struct problem problem;
    random_problem(&arena, 3, &problem);
    for (const mt_scheme *scheme = mt_schemes; scheme->name; scheme++)
        assert_fails_without_memory(&problem, scheme);
    mt_arena_free(&arena);
}
