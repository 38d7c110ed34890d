#include <criterion/criterion.h>

#include "ipu/compile/schedule.h"

/* The exchange of a program whose time on the machine is published: matrix times vector, 10,000 x 1,000, on one GC200 (tutorial 6 of the
 * vendor's examples, colAxisSplit 7): all its exchange takes 8,743.1 cycles, the mean over the tiles. The mapping is the tutorial's:
 *
 *   in[i]                              on tile i T / N
 *   row r times segment s of 7         on tile (s M + r) T / (7 M), with its part of the matrix and its partial sum
 *   out[r], the sum of 7 partial sums  on tile r T / M
 *
 * The matrix comes from the host row by row, and goes from there to where its parts are needed. */
enum { T = 1472, M = 10000, N = 1000, SEGMENTS = 7 };

static const double published_cycles = 8743.1, allowed = 0.15;

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(tutorial, .fini = teardown);

typedef struct list {
    ipu_fragment *fragment;
    size_t n, received[T];
} list;

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

static uint32_t tile_of_product(size_t row, size_t segment)
{
    return (uint32_t)((segment * M + row) * T / (SEGMENTS * M));
}

static size_t first_column(size_t segment) { return segment * N / SEGMENTS; }

static void add(list *l, uint32_t source, uint32_t receiver, size_t from, size_t words)
{
    if (source != receiver)
        l->fragment[l->n++] = (ipu_fragment){source, receiver, from, words, l->received[receiver]};
    l->received[receiver] += words;
}

/* Mean over the tiles. */
static double cycles_of(const ipu_target *target, const list *l)
{
    ipu_schedule s;
    double sum = 0;
    cr_assert_eq(ipu_schedule_make(&arena, target, l->fragment, l->n, &s), MT_OK, "%s", mt_message());
    for (size_t t = 0; t < T; t++) sum += (double)s.tile_cycles[t];
    return sum / T;
}

static list new_list(size_t most)
{
    list l = {.fragment = mt_arena_alloc(&arena, most, sizeof *l.fragment)};
    cr_assert_not_null(l.fragment);
    return l;
}

static double matrix(const ipu_target *target)
{
    list l = new_list(2 * M * SEGMENTS);
    for (size_t row = 0; row < M; row++)
        for (size_t s = 0; s < SEGMENTS; s++)
            for (size_t at = row * N + first_column(s), end = row * N + first_column(s + 1), next; at < end;
                 at = next) {
                const uint32_t source = (uint32_t)(at * T / (M * N));
                next = min(end, ((size_t)(source + 1) * M * N + T - 1) / T);
                add(&l, source, tile_of_product(row, s), at, next - at);
            }
    return cycles_of(target, &l);
}

static double vector(const ipu_target *target)
{
    list l = new_list((T + SEGMENTS) * (N / SEGMENTS + 1));
    for (uint32_t t = 0; t < T; t++)
        for (size_t s = 0; s < SEGMENTS; s++) {
            const uint32_t first = tile_of_product(0, s), last = tile_of_product(M - 1, s);
            for (size_t i = first_column(s); t >= first && t <= last && i < first_column(s + 1); i++)
                add(&l, (uint32_t)(i * T / N), t, i, 1);
        }
    return cycles_of(target, &l);
}

static double partial_sums(const ipu_target *target)
{
    list l = new_list(M * SEGMENTS);
    for (size_t row = 0; row < M; row++)
        for (size_t s = 0; s < SEGMENTS; s++)
            add(&l, tile_of_product(row, s), (uint32_t)(row * T / M), s * M + row, 1);
    return cycles_of(target, &l);
}

Test(tutorial, exchange_takes_as_long_as_on_the_machine)
{
    ipu_target target;
    cr_assert_eq(
        ipu_target_load(&arena, "data/machines/gc200.yaml", NULL, 0, &target), MT_OK, "%s", mt_message());
    const double cycles = matrix(&target) + vector(&target) + partial_sums(&target);
    cr_log_info("%.0f cycles; published %.1f", cycles, published_cycles);
    cr_expect_float_eq(cycles, published_cycles, allowed * published_cycles, "%.0f cycles", cycles);
}
