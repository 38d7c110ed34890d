/* The trace of a ring of four tiles on two chips, written to a file. */
#include <criterion/criterion.h>

#include "ipu/run/profile.h"
#include "ipu/run/trace_file.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"
#include "tests/json.h"
#include "tests/room.h"

enum { TILES = 4, ROUNDS = 2 };

static mt_arena arena;
static ipu_trace *trace;

/* As in test_profile, with a cycle more before the first set-up: "add" 146 + 348 (332 for a tile) + 71, "back" 71; a cycle takes 0.5 ns. */
static void enter(void)
{
    static ring r;
    ipu_target target = ring_target(TILES);
    const ipu_program *program;
    ipu_executable *e;
    ipu_engine *engine;
    target.exchange_fixed_cycles++;
    target.ipus = 2;
    target.clock_hz = 2e9;
    target.links = ring_links();
    ok(ring_make(&arena, &target, TILES, 10, RING_TAIL, &r));
    ok(ring_program(&arena, &r, ROUNDS, &program));
    ok(ipu_compile(&arena, r.graph, &program, 1, &e));
    ok(ipu_engine_new(&arena, e, false, &engine));
    ok(ipu_trace_new(&arena, &engine->timing, 2 * ROUNDS, &trace));
    engine->trace = trace;
    ok(ipu_engine_run(engine, 0));
    enter_room();
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(trace_file, .init = enter, .fini = leave);

/* Returns the complete document for tiles [first, last]. */
static const json *written(size_t first, size_t last)
{
    size_t n;
    ok(ipu_trace_write(trace, "A ring", first, last, "trace.json"));
    return json_parse_and_free(&arena, bytes_of("trace.json", &n));
}

/* Returns the next event of a kind, starting with this one, or NULL after the last. */
static const json *next_of(const json *event, const char *kind)
{
    while (event && strcmp(json_at(event, "ph")->text, kind) != 0) event = event->next;
    return event;
}

typedef struct slice {
    const char *name;
    size_t pid, tid;
    uint64_t from_ns, ns, cycles;
} slice;

static void expect_slice(const json *event, const slice *s, uint64_t later_ns)
{
    cr_assert_not_null(event, "%s", s->name);
    cr_expect_str_eq(json_at(event, "name")->text, s->name);
    cr_expect_eq(json_value(event, "pid"), (double)s->pid, "%s", s->name);
    cr_expect_eq(json_value(event, "tid"), (double)s->tid, "%s", s->name);
    cr_expect_eq(round(1000 * json_value(event, "ts")), (double)(s->from_ns + later_ns), "%s", s->name);
    cr_expect_eq(round(1000 * json_value(event, "dur")), (double)s->ns, "%s", s->name);
    cr_expect_eq(json_value(event, "args.cycles"), (double)s->cycles, "%s", s->name);
}

/* Tiles 1 and 2, one on each chip; the machine is process 3, its phases are thread 5. A round takes 636 cycles. */
Test(trace_file, slices_start_when_their_phases_begin)
{
    static const slice round_of[] = {
        {"sync: add", 3, 5, 0, 73, 146},
        {"exchange: add", 3, 5, 73, 174, 348},
        {"compute: add", 3, 5, 247, 36, 71}, /* to 282.5 ns, rounded like the beginning of the next */
        {"exchange: add", 1, 2, 73, 166, 332},
        {"compute: add", 1, 2, 247, 36, 71},
        {"exchange: add", 2, 3, 73, 166, 332},
        {"compute: add", 2, 3, 247, 36, 71},
        {"compute: back", 3, 5, 283, 35, 71},
        {"compute: back", 1, 2, 283, 35, 71},
        {"compute: back", 2, 3, 283, 35, 71},
    };
    const json *event = json_at(written(1, 2), "traceEvents")->first;
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < sizeof round_of / sizeof *round_of; k++) {
            event = next_of(event, "X");
            expect_slice(event, &round_of[k], 318 * round);
            event = event->next;
        }
    cr_assert_null(next_of(event, "X"));
}

static const json *name_of(const json *events, const char *what, double pid, double tid)
{
    const json *e = next_of(events, "M");
    while (e && (strcmp(json_at(e, "name")->text, what) != 0 || json_value(e, "pid") != pid ||
                    json_value(e, "tid") != tid))
        e = next_of(e->next, "M");
    cr_assert_not_null(e, "no %s of %g, %g", what, pid, tid);
    return json_at(e, "args.name");
}

Test(trace_file, chips_and_tiles_are_named)
{
    const json *whole = written(0, TILES - 1), *events = json_at(whole, "traceEvents")->first;
    cr_expect_str_eq(json_at(whole, "otherData.title")->text, "A ring");
    cr_expect_str_eq(json_at(whole, "otherData.machine")->text, "test");
    cr_expect_eq(json_value(whole, "otherData.clock_hz"), 2e9);
    cr_expect_eq(json_value(whole, "otherData.supersteps"), 2 * ROUNDS);
    cr_expect_str_eq(name_of(events, "process_name", 3, 5)->text, "machine");
    cr_expect_str_eq(name_of(events, "process_name", 1, 1)->text, "IPU 0");
    cr_expect_str_eq(name_of(events, "process_name", 2, 3)->text, "IPU 1");
    cr_expect_str_eq(name_of(events, "thread_name", 1, 2)->text, "tile 1");
    cr_expect_str_eq(name_of(events, "thread_name", 2, 4)->text, "tile 1");
}

Test(trace_file, write_failures_are_reported)
{
    cr_assert_eq(ipu_trace_write(trace, "A ring", 0, 0, "nowhere/trace.json"), MT_FILE);
    assert_message("nowhere");
}
