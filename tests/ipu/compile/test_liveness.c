#include <criterion/criterion.h>

#include "ipu/compile/liveness.h"
#include "tests/ipu/test_ring.h"

/* Liveness of variable "t", temporary, of 8 floats; "in" and "out" are not temporary. Compute sets, all on tile 0 and added only when a
 * test runs them: "write" writes all of t, "some" its first half, "read" reads it, "both" reads and writes it, "other" does not access
 * it. */
enum { WRITE, SOME, READ, BOTH, OTHER, SETS };

static mt_arena arena;
static ipu_graph *graph;
static uint32_t t, in, out, stream;
static ipu_tensor whole, half;
static uint32_t set_of[SETS];
static bool made[SETS];

static uint32_t variable(const char *name)
{
    uint32_t id;
    cr_assert_eq(ipu_graph_add_variable(graph, name, IPU_FLOAT, 8, &id), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(graph, id, 0, 8, 0), MT_OK);
    return id;
}

/* Adds to compute set `set` a vertex that copies n elements. */
static void copy(uint32_t set, uint32_t from, uint32_t to, size_t n)
{
    size_t vertex;
    ipu_tensor tensor;
    cr_assert_eq(ipu_graph_add_vertex(graph, set, &ring_copy_codelet, 0, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(graph, &(ipu_slice){from, 0, n}, 1, &tensor), MT_OK);
    cr_assert_eq(ipu_graph_connect(graph, vertex, "in", tensor), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(graph, &(ipu_slice){to, 0, n}, 1, &tensor), MT_OK);
    cr_assert_eq(ipu_graph_connect(graph, vertex, "out", tensor), MT_OK);
}

static void setup(void)
{
    const ipu_target target = ring_target(1);
    for (int kind = 0; kind < SETS; kind++) made[kind] = false;
    cr_assert_eq(ipu_graph_new(&arena, &target, &graph), MT_OK);
    t = variable("t");
    in = variable("in");
    out = variable("out");
    cr_assert_eq(ipu_graph_set_temporary(graph, t), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(graph, "s", IPU_FLOAT, &stream), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, t, &whole), MT_OK);
    cr_assert_eq(ipu_graph_slice(graph, whole, 4, 4, &half), MT_OK);
}

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(liveness, .init = setup, .fini = teardown);

static uint32_t make(int kind)
{
    static const char *const names[SETS] = {"write", "some", "read", "both", "other"};
    const uint32_t from[SETS] = {in, in, t, t, in}, to[SETS] = {t, t, out, t, out};
    if (made[kind]) return set_of[kind];
    cr_assert_eq(ipu_graph_add_compute_set(graph, names[kind], &set_of[kind]), MT_OK);
    copy(set_of[kind], from[kind], to[kind], kind == SOME ? 4 : 8);
    made[kind] = true;
    return set_of[kind];
}

static const ipu_program *run(int kind)
{
    const ipu_program *p;
    cr_assert_eq(ipu_program_execute(&arena, make(kind), &p), MT_OK);
    return p;
}

static const ipu_program *repeat(uint64_t count, const ipu_program *body)
{
    const ipu_program *p;
    cr_assert_eq(ipu_program_repeat(&arena, count, body, &p), MT_OK);
    return p;
}

static const ipu_program *send(ipu_tensor tensor)
{
    const ipu_program *p;
    cr_assert_eq(ipu_program_host_write(&arena, stream, tensor, &p), MT_OK);
    return p;
}

static const ipu_program *fetch(ipu_tensor tensor)
{
    const ipu_program *p;
    cr_assert_eq(ipu_program_host_read(&arena, tensor, stream, &p), MT_OK);
    return p;
}

/* Returns element 0 of a new variable. */
static ipu_tensor predicate(void)
{
    uint32_t id;
    ipu_tensor tensor;
    cr_assert_eq(ipu_graph_add_variable(graph, "decides", IPU_UNSIGNED_INT, 1, &id), MT_OK);
    cr_assert_eq(ipu_graph_variable_tensor(graph, id, &tensor), MT_OK);
    return tensor;
}

static const ipu_program *when(const ipu_program *then, const ipu_program *otherwise)
{
    const ipu_program *p;
    cr_assert_eq(ipu_program_if(&arena, predicate(), then, otherwise, &p), MT_OK);
    return p;
}

static const ipu_program *during(const ipu_program *condition, const ipu_program *body)
{
    const ipu_program *p;
    cr_assert_eq(ipu_program_repeat_while(&arena, condition, predicate(), body, 9, &p), MT_OK);
    return p;
}

enum { MOST = 6 };

/* Returns the sequence of the parts before the first NULL. */
static const ipu_program *sequence(const ipu_program *const parts[MOST])
{
    const ipu_program *p;
    size_t n = 0;
    while (n < MOST && parts[n]) n++;
    cr_assert_eq(ipu_program_sequence(&arena, parts, n, &p), MT_OK);
    return p;
}
#define SEQUENCE(...) sequence((const ipu_program *const[MOST]){__VA_ARGS__})

static ipu_liveness found(const ipu_program *const *programs, size_t n)
{
    ipu_liveness liveness;
    cr_assert_eq(ipu_liveness_find(&arena, graph, programs, n, &liveness), MT_OK, "%s", mt_message());
    cr_expect(liveness.variable[in].always && liveness.variable[out].always, "they are not temporary");
    return liveness;
}

/* Both functions start a new graph after the check. */
static void expect_range(const ipu_program *program, uint32_t first, uint32_t last)
{
    const ipu_live_range live = found(&program, 1).variable[t];
    cr_expect(!live.always);
    cr_expect_eq(live.first, first);
    cr_expect_eq(live.last, last);
    setup();
}

static void expect_always(const ipu_program *program)
{
    cr_expect(found(&program, 1).variable[t].always);
    setup();
}

Test(liveness, time_points_are_in_program_order)
{
    (void)make(BOTH), (void)make(SOME);
    const ipu_program *programs[] = {SEQUENCE(run(OTHER), send(whole), run(READ), fetch(whole)),
        SEQUENCE(run(READ), run(WRITE), send(half))};
    const ipu_liveness l = found(programs, 2);
    cr_expect_eq(l.set_moment[set_of[OTHER]], 0);
    cr_expect_eq(l.set_moment[set_of[READ]], 2);
    cr_expect_eq(l.set_moment[set_of[WRITE]], 4);
    cr_expect_eq(l.set_moment[set_of[BOTH]], 6, "no program executes it");
    cr_expect_eq(l.set_moment[set_of[SOME]], 7);
    cr_expect_eq(l.n_moments, 8);
}

Test(liveness, a_variable_is_live_from_its_write_to_its_last_read)
{
    expect_range(SEQUENCE(run(WRITE), run(OTHER), run(READ)), 0, 2);
    expect_range(SEQUENCE(run(OTHER), run(WRITE), run(BOTH), run(READ)), 1, 3);
    expect_range(SEQUENCE(run(WRITE), run(READ), run(OTHER), run(WRITE), run(READ)), 0, 1);
    expect_range(SEQUENCE(run(WRITE), run(SOME), run(READ)), 0, 2);
}

Test(liveness, a_variable_that_is_written_but_never_read_needs_memory)
{
    expect_range(SEQUENCE(run(OTHER), run(WRITE)), 1, 1);
    expect_range(SEQUENCE(run(OTHER), run(WRITE), run(OTHER), run(SOME)), 1,
        2); /* written at both moments, never read */
}

Test(liveness, a_variable_read_before_it_is_completely_written_is_always_live)
{
    expect_always(run(READ));
    expect_always(SEQUENCE(run(READ), run(WRITE)));
    expect_always(SEQUENCE(run(SOME), run(READ)));
    expect_always(run(BOTH));
}

Test(liveness, a_variable_not_marked_as_temporary_is_always_live)
{
    graph->variables[t].temporary = false;
    expect_always(run(OTHER));
    graph->variables[t].temporary = false;
    expect_always(SEQUENCE(run(WRITE), run(READ)));
}

/* A transfer in a loop of 0 turns is never reached. */
Test(liveness, a_temporary_variable_that_nothing_accesses_is_never_live)
{
    const ipu_program *programs[] = {run(OTHER), SEQUENCE(run(OTHER), repeat(0, send(whole)))};
    for (int k = 0; k < 2; k++) {
        const ipu_liveness l = found(&programs[k], 1);
        cr_expect(!l.variable[t].always);
        cr_expect_gt(l.variable[t].first, l.variable[t].last);
        cr_expect(l.unused[0] && !l.unused[1] && !l.unused[2], "t, in and out have a mapping each");
    }
}

/* Variable t of 8 elements has its mappings in reverse order. Elements 2 and 3 are written and read, so only the mapping of 6 and 7, and
 * that of 0 and 1, are unused; and writing two elements is writing all that is used. */
Test(liveness, elements_that_nothing_accesses_need_not_be_written)
{
    ipu_tensor some, more;
    uint32_t v;
    cr_assert_eq(ipu_graph_add_variable(graph, "v", IPU_FLOAT, 8, &v), MT_OK);
    for (size_t from = 8; from > 0; from -= 2)
        cr_assert_eq(ipu_graph_set_tile_mapping(graph, v, from - 2, 2, 0), MT_OK);
    cr_assert_eq(ipu_graph_set_temporary(graph, v), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(graph, &(ipu_slice){v, 2, 2}, 1, &some), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(graph, &(ipu_slice){v, 3, 2}, 1, &more), MT_OK);
    const ipu_program *p = SEQUENCE(run(OTHER), send(some), fetch(some));
    ipu_liveness l = found(&p, 1);
    cr_expect(!l.variable[v].always && l.variable[v].first == 1 && l.variable[v].last == 2);
    cr_expect(l.unused[3] && !l.unused[4] && l.unused[5] && l.unused[6]);
    p = SEQUENCE(run(OTHER), send(some), fetch(more));
    l = found(&p, 1);
    cr_expect(l.variable[v].always, "element 4 is read before it is written");
    cr_expect(l.unused[3] && !l.unused[4] && !l.unused[5] && l.unused[6]);
}

Test(liveness, a_variable_read_in_the_next_iteration_is_live_to_the_end_of_this_one)
{
    expect_range(SEQUENCE(run(WRITE), repeat(3, SEQUENCE(run(READ), run(OTHER)))), 0, 2);
    expect_range(SEQUENCE(run(WRITE), repeat(1, SEQUENCE(run(READ), run(OTHER)))), 0, 1);
    expect_range(repeat(3, SEQUENCE(run(WRITE), run(READ), run(OTHER))), 0, 1);
    expect_range(
        repeat(2, SEQUENCE(run(WRITE), repeat(2, SEQUENCE(run(READ), run(OTHER))), run(BOTH))), 0, 3);
    expect_always(repeat(3, SEQUENCE(run(READ), run(WRITE))));
}

/* A loop of 0 turns is not entered, and its body has no moment. */
Test(liveness, a_loop_without_iterations_writes_nothing)
{
    expect_always(SEQUENCE(repeat(0, run(WRITE)), run(READ)));
    expect_range(SEQUENCE(run(WRITE), repeat(0, run(OTHER)), run(READ)), 0, 1);
}

/* The predicate is a moment: number 1 in all of these. */
Test(liveness, both_branches_of_a_condition_count)
{
    const ipu_program *nothing = SEQUENCE(NULL);
    expect_range(SEQUENCE(run(WRITE), when(run(OTHER), run(READ))), 0, 3);
    expect_range(SEQUENCE(run(WRITE), when(run(READ), NULL), run(OTHER)), 0, 2);
    expect_range(SEQUENCE(run(OTHER), when(run(WRITE), send(whole)), run(READ)), 2, 4);
    expect_range(SEQUENCE(run(WRITE), when(nothing, nothing), run(READ)), 0, 2);
    expect_always(SEQUENCE(run(OTHER), when(run(WRITE), NULL), run(READ)));
    expect_always(SEQUENCE(run(OTHER), when(run(OTHER), run(WRITE)), run(READ)));
}

/* Moments: 0 write, then the condition, the predicate and the body. */
Test(liveness, a_conditional_loop_evaluates_its_condition_first_and_after_each_iteration)
{
    const ipu_program *nothing = SEQUENCE(NULL);
    expect_range(SEQUENCE(run(WRITE), during(run(OTHER), run(READ))), 0, 3);
    expect_range(SEQUENCE(run(WRITE), during(run(READ), run(OTHER))), 0, 3);
    expect_range(during(run(WRITE), SEQUENCE(run(READ), run(OTHER))), 0, 2);
    expect_range(SEQUENCE(run(WRITE), during(nothing, nothing), run(READ)), 0, 2);
    expect_range(SEQUENCE(during(run(WRITE), run(OTHER)), run(READ)), 0, 3);
    expect_always(SEQUENCE(during(run(OTHER), run(WRITE)), run(READ)));
    expect_always(during(run(READ), run(WRITE)));
}

/* Returns a switch with two cases and a default. */
static const ipu_program *choose(const ipu_program *a, const ipu_program *b, const ipu_program *otherwise)
{
    const ipu_program *p;
    cr_assert_eq(
        ipu_program_switch(&arena, predicate(), (const ipu_program *[]){a, b}, 2, otherwise, &p), MT_OK);
    return p;
}

/* The moment of the predicate precedes the cases. */
Test(liveness, all_cases_of_a_switch_count)
{
    const ipu_program *nothing = SEQUENCE(NULL);
    expect_range(SEQUENCE(run(WRITE), choose(run(OTHER), run(READ), nothing)), 0, 3);
    expect_range(SEQUENCE(run(WRITE), choose(nothing, nothing, run(READ))), 0, 2);
    expect_range(SEQUENCE(choose(run(WRITE), run(WRITE), run(WRITE)), run(READ)), 1, 2);
    expect_always(SEQUENCE(choose(run(OTHER), run(WRITE), run(WRITE)), run(READ)));
    expect_always(SEQUENCE(choose(run(WRITE), nothing, run(WRITE)), run(READ)));
    expect_always(SEQUENCE(choose(run(WRITE), run(WRITE), NULL), run(READ)));
    expect_always(choose(run(OTHER), run(OTHER), run(READ)));
}

/* Written on one tile, read by all tiles. */
Test(liveness, a_predicate_is_read_where_it_is_evaluated)
{
    ipu_tensor decides = predicate();
    const uint32_t v = graph->slices[decides.first_slice].variable;
    const ipu_program *asked, *all;
    uint32_t words;
    cr_assert_eq(ipu_graph_set_temporary(graph, v), MT_OK);
    cr_assert_eq(ipu_graph_add_stream(graph, "words", IPU_UNSIGNED_INT, &words), MT_OK);
    cr_assert_eq(ipu_program_host_write(&arena, words, decides, &all), MT_OK);
    cr_assert_eq(ipu_program_if(&arena, decides, run(READ), NULL, &asked), MT_OK);
    all = SEQUENCE(run(WRITE), all, run(OTHER), asked);
    const ipu_live_range live = found(&all, 1).variable[v];
    cr_expect(!live.always && live.first == 1 && live.last == 3);
    cr_expect(found(&asked, 1).variable[v].always);
}

Test(liveness, transfers_count_as_reads_and_writes)
{
    ipu_tensor twice;
    const ipu_slice slice = graph->slices[half.first_slice];
    cr_assert_eq(ipu_graph_add_tensor(graph, (ipu_slice[]){slice, slice}, 2, &twice), MT_OK);
    expect_always(SEQUENCE(send(twice), fetch(whole)));
    expect_range(SEQUENCE(send(whole), run(OTHER), fetch(half)), 0, 2);
    expect_range(SEQUENCE(send(half), fetch(half)), 0, 1); /* the other half is not used */
    expect_always(SEQUENCE(send(half), fetch(whole)));
    expect_always(SEQUENCE(fetch(half), send(whole)));
}

/* Moments: 0 write, 1 read, 2 other, 3 both. */
Test(liveness, all_programs_count)
{
    const ipu_program *programs[] = {
        SEQUENCE(run(WRITE), run(READ)), SEQUENCE(run(OTHER), run(WRITE), run(BOTH)), run(READ)};
    ipu_live_range live = found(programs, 2).variable[t];
    cr_expect(!live.always && live.first == 0 && live.last == 3);
    cr_expect(
        found(programs, 3).variable[t].always, "the third program reads data that an earlier run wrote");
}

Test(liveness, an_unexecuted_compute_set_counts_as_a_separate_program)
{
    (void)make(OTHER);
    expect_range(run(WRITE), 0, 0);
    (void)make(OTHER), (void)make(SOME);
    expect_range(run(WRITE), 0, 2); /* 1 other, 2 some */
    (void)make(READ);
    expect_always(run(WRITE));
}

Test(liveness, every_failed_allocation_is_reported)
{
    const ipu_program *program = SEQUENCE(run(WRITE), repeat(2, run(READ)));
    for (size_t n = 1;; n++) {
        ipu_liveness liveness;
        mt_arena_fail_at(n);
        const mt_status status = ipu_liveness_find(&arena, graph, &program, 1, &liveness);
        mt_arena_fail_at(0);
        if (status == MT_OK) {
            cr_assert_geq(n, 10);
            return;
        }
        cr_assert_eq(status, MT_MEMORY, "take %zu: %s", n, mt_message());
        cr_assert_lt(n, 100);
    }
}
