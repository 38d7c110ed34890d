#include <criterion/criterion.h>

#include "ipu/run/profile.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"

/* The ring of test_compile, 4 tiles of 10 on a machine of 6: "add" 528 cycles, "back" 71. */
typedef struct ringing {
    mt_arena arena;
    ring r;
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    ipu_trace *trace;
} ringing;

static ringing *begin(uint64_t rounds, size_t room)
{
    static ringing x;
    const ipu_target target = ring_target(6);
    x = (ringing){0};
    ok(ring_make(&x.arena, &target, 4, 10, RING_TAIL, &x.r));
    ok(ring_program(&x.arena, &x.r, rounds, &x.program));
    ok(ipu_compile(&x.arena, x.r.graph, &x.program, 1, &x.e));
    ok(ipu_engine_new(&x.arena, x.e, false, &x.engine));
    ok(ipu_trace_new(&x.arena, &x.engine->timing, room, &x.trace));
    return &x;
}

Test(trace, every_superstep_is_recorded_with_its_start_cycle)
{
    ringing *x = begin(3, 8);
    ok(ipu_engine_run(x->engine, 0)); /* not traced yet */
    x->engine->trace = x->trace;
    ok(ipu_engine_run(x->engine, 0));
    cr_assert_eq(x->trace->n, 6);
    cr_assert_eq(x->trace->left_out, 0);
    for (size_t k = 0; k < 6; k++) {
        cr_expect_eq(x->trace->supersteps[k].compute_set, k % 2 ? x->r.back : x->r.add);
        cr_expect_eq(x->trace->supersteps[k].begin, 3 * 599 + k / 2 * 599 + (k % 2 ? 528 : 0));
    }
    x->engine->trace = NULL;
    ok(ipu_engine_run(x->engine, 0));
    cr_assert_eq(x->trace->n, 6);
    mt_arena_free(&x->arena);
}

Test(trace, omitted_supersteps_are_counted)
{
    ringing *x = begin(3, 4);
    x->engine->trace = x->trace;
    ok(ipu_engine_run(x->engine, 0));
    cr_assert_eq(x->trace->n, 4);
    cr_assert_eq(x->trace->left_out, 2);
    mt_arena_free(&x->arena);
}

/* In "add" each of four tiles has an exchange slice and a compute slice, in "back" a compute slice; two tiles are empty. */
Test(trace, the_trace_size_of_a_program_counts_its_executed_supersteps)
{
    ringing *x = begin(3, 1);
    const ipu_trace_size all = ipu_trace_size_of(&x->engine->timing, x->program, 0, 5),
                         two = ipu_trace_size_of(&x->engine->timing, x->program, 3, 4);
    cr_assert_eq(all.supersteps, 6);
    cr_assert_eq(all.slices, 3 * 4 * 3);
    cr_assert_eq(two.supersteps, 6);
    cr_assert_eq(two.slices, 3 * 3, "only tile 3 has work");
    mt_arena_free(&x->arena);
}

/* One compute set, two or three: at most three. */
Test(trace, the_longest_case_of_a_switch_determines_the_trace_size)
{
    ringing *x = begin(3, 1);
    const ipu_program *once, *cases[2], *program;
    ok(ipu_program_execute(&x->arena, 0, &once));
    ok(ipu_program_repeat(&x->arena, 3, once, &cases[0]));
    ok(ipu_program_repeat(&x->arena, 2, once, &cases[1]));
    ok(ipu_program_switch(&x->arena, (ipu_tensor){0}, cases, 2, once, &program));
    cr_assert_eq(ipu_trace_size_of(&x->engine->timing, program, 0, 5).supersteps, 3);
    ok(ipu_program_if(&x->arena, (ipu_tensor){0}, once, cases[1], &program));
    cr_assert_eq(ipu_trace_size_of(&x->engine->timing, program, 0, 5).supersteps, 2);
    mt_arena_free(&x->arena);
}
