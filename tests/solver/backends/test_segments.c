/* A run that is continued on other machines: the cycles of each machine for its own time steps are stored and reported. */
#include <criterion/criterion.h>

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/backends/checkpoint.h"
#include "tests/solver/slab_problem.h"

static char path[64];

static void enter(void)
{
    omp_set_num_threads(1); /* too little work to share */
    (void)strcpy(path, "/tmp/test_segments.XXXXXX.hdf");
    const int file = mkstemps(path, 4);
    cr_assert_geq(file, 0);
    (void)close(file);
}

static void leave(void) { (void)unlink(path); }

TestSuite(segments, .init = enter, .fini = leave);

/* Two beats, and a stimulus that ends with step 100. */
enum { END = 160 };
static const size_t beats[] = {0, 120};
static const mt_record record = {
    .all = true, .threshold_mV = -10, .fraction = 0.9, .n_beats = 2, .beat = beats};

static void make(slab_problem *s)
{
    make_slab_problem(s, (double[]){3, 2, 1}, 0.5);
    s->problem.mesh = &s->mesh;
    s->problem.record = record;
    s->results.peak_mV = mt_arena_alloc(&s->arena, 1, sizeof(double));
}

/* A run in progress, and the step at which it is stopped. */
typedef struct way {
    slab_problem *s;
    const mt_backend *backend;
    void *self;
    mt_segments segments;
    size_t stop;
} way;

/* Writes a checkpoint and stops, before the recorded values are streamed at the end. */
static bool write_and_stop(void *user, size_t steps_done)
{
    way *w = user;
    if (steps_done < w->stop) return true;
    cr_assert_eq(mt_segments_count(&w->segments, &w->s->problem, w->backend, w->self, w->stop), MT_OK, "%s",
        mt_message());
    cr_assert_eq(mt_checkpoint_write(
                     path, &w->s->problem, &w->s->results, w->backend, w->self, &w->segments, "title: a\n"),
        MT_OK, "%s", mt_message());
    return false;
}

/* Runs the steps up to `stop`, from the start or from the checkpoint, and writes a new checkpoint. The returned segments are in the
 * arena of s. */
static mt_segments go(slab_problem *s, const mt_backend *b, const mt_layout *layout, bool from, size_t stop)
{
    mt_arena *arena = &s->arena;
    way w = {.s = s, .backend = b, .stop = stop};
    mt_checkpoint c = {.step = 0};
    bool counted = false;
    cr_assert_eq(mt_records_new(arena, &s->problem.record, s->mesh.n_elements, &s->results.beats), MT_OK);
    cr_assert_eq(b->open(arena, &s->problem, layout, &w.self), MT_OK, "%s", mt_message());
    if (from) {
        cr_assert_eq(mt_checkpoint_open(arena, path, &c), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_checkpoint_restore(&c, &s->problem, &s->results, b, w.self, &counted), MT_OK, "%s",
            mt_message());
    }
    cr_assert_eq(
        mt_segments_begin(arena, from ? &c.segments : NULL, counted, b, w.self, layout, &w.segments), MT_OK);
    cr_assert_eq(
        mt_backend_run(&s->problem, b, w.self, c.step, END + 1, &s->results, write_and_stop, &w), MT_STOPPED);
    return w.segments;
}

/* Returns the cycles of one machine for the steps from `first` to `end`, in a run that uses it from the start. */
static mt_segment alone(slab_problem *s, const mt_layout *layout, size_t first, size_t end)
{
    mt_segment until_first = {0}, until_end = *go(s, &mt_backend_ipu, layout, false, end).segment;
    if (first > 0) until_first = *go(s, &mt_backend_ipu, layout, false, first).segment;
    until_end.first = first;
    for (int p = 0; p < MT_PHASES; p++) until_end.cycles[p] -= until_first.cycles[p];
    until_end.step_cycles -= until_first.step_cycles;
    until_end.host_cycles -= until_first.host_cycles;
    return until_end;
}

static void expect_same(const mt_segment *found, const mt_segment *expected)
{
    uint64_t sum = 0;
    cr_expect(found->first == expected->first && found->end == expected->end, "%zu to %zu", found->first,
        found->end);
    cr_expect_str_eq(found->machine, expected->machine);
    cr_expect_str_eq(found->fingerprint, expected->fingerprint);
    cr_expect(found->ipus == expected->ipus && found->tiles == expected->tiles, "%zu tiles", found->tiles);
    cr_expect_eq(found->clock_hz, expected->clock_hz);
    for (int p = 0; p < MT_PHASES; p++) {
        cr_expect_eq(found->cycles[p], expected->cycles[p], "%s", mt_phase_words_of[p].key);
        sum += found->cycles[p];
    }
    cr_expect_eq(found->step_cycles, expected->step_cycles);
    cr_expect_eq(found->host_cycles, expected->host_cycles);
    cr_expect_eq(sum, found->step_cycles, "the phases add up to the total");
}

/* The second machine is resumed once on the same machine, which adds no segment. */
Test(segments, each_segment_has_the_cycles_of_its_steps_on_its_machine)
{
    slab_problem s;
    make(&s);
    const mt_layout few = layout_on(&s, 3), many = layout_on(&s, 17), other = layout_on(&s, 6);
    (void)go(&s, &mt_backend_ipu, &few, false, 77);
    (void)go(&s, &mt_backend_ipu, &many, true, 90);
    (void)go(&s, &mt_backend_ipu, &many, true, 131);
    const mt_segments found = go(&s, &mt_backend_ipu, &other, true, END);
    const mt_segment expected[] = {
        alone(&s, &few, 0, 77), alone(&s, &many, 77, 131), alone(&s, &other, 131, END)};
    cr_assert_eq(found.n, 3);
    for (size_t k = 0; k < 3; k++) expect_same(&found.segment[k], &expected[k]);
    cr_expect(expected[0].tiles == 3 && expected[1].tiles == 17 && expected[2].tiles == 6);
    cr_expect_gt(expected[1].host_cycles, 0, "the segment streams the end of a beat");
    cr_expect(mt_segments_several(&found));
    mt_arena_free(&s.arena);
}

/* The run was moved to another machine at its end; the counts of the first are reported nevertheless. */
Test(segments, the_last_segment_can_have_no_step)
{
    mt_segment stretch[] = {{.end = 20, .machine = "a"}, {.first = 20, .end = 20, .machine = "a"}};
    cr_expect(mt_segments_several(&(mt_segments){2, stretch}));
    cr_expect_not(mt_segments_several(&(mt_segments){1, stretch}));
    stretch[0].end = stretch[1].first = 0;
    cr_expect_not(mt_segments_several(&(mt_segments){2, stretch}), "elsewhere from the first step on");
}

/* After a stretch on another backend the same tiles form a new segment, since no cycles were counted in between. */
Test(segments, steps_without_a_machine_form_a_segment)
{
    slab_problem s;
    make(&s);
    const mt_layout layout = layout_on(&s, 3);
    (void)go(&s, &mt_backend_ipu, &layout, false, 20);
    (void)go(&s, &mt_backend_cpu, NULL, true, 30);
    (void)go(&s, &mt_backend_cpu, NULL, true, 40);
    const mt_segments found = go(&s, &mt_backend_ipu, &layout, true, 50);
    const mt_segment first = alone(&s, &layout, 0, 20);
    cr_assert_eq(found.n, 3);
    expect_same(&found.segment[0], &first);
    cr_expect(found.segment[1].first == 20 && found.segment[1].end == 40 && !found.segment[1].machine[0]);
    cr_expect_eq(found.segment[1].step_cycles, 0);
    cr_expect(found.segment[2].first == 40 && found.segment[2].end == 50 && found.segment[2].tiles == 3);
    mt_arena_free(&s.arena);
}

Test(segments, a_run_resumed_on_the_same_machine_has_one_segment)
{
    slab_problem s;
    make(&s);
    const mt_layout layout = layout_on(&s, 3);
    (void)go(&s, &mt_backend_ipu, &layout, false, 20);
    const mt_segments found = go(&s, &mt_backend_ipu, &layout, true, 50);
    const mt_segment whole = alone(&s, &layout, 0, 50);
    cr_assert_eq(found.n, 1);
    expect_same(found.segment, &whole);
    cr_expect_not(mt_segments_several(&found));
    mt_arena_free(&s.arena);
}

Test(segments, invalid_arrays_are_rejected)
{
    mt_arena arena = {0};
    mt_segment two[] = {{.end = 5, .machine = "a", .fingerprint = "0", .tiles = 3, .step_cycles = 7},
        {.first = 5, .end = 6, .machine = ""}};
    mt_segments_flat flat;
    mt_segments back;
    cr_assert_eq(mt_segments_flatten(&arena, &(mt_segments){2, two}, &flat), MT_OK);
    cr_assert_eq(mt_segments_unflatten(&arena, &flat, &back), MT_OK);
    cr_assert_eq(back.n, 2);
    cr_expect_str_eq(back.segment[0].machine, "a");
    cr_expect(back.segment[0].step_cycles == 7 && back.segment[1].first == 5 && back.segment[1].end == 6);
    flat.begin[2] = 4;
    cr_expect_eq(mt_segments_unflatten(&arena, &flat, &back), MT_INPUT, "ends before it begins");
    flat.begin[2] = 6;
    flat.count[1] = -1;
    cr_expect_eq(mt_segments_unflatten(&arena, &flat, &back), MT_INPUT, "fewer tiles than none");
    flat.count[1] = 3;
    flat.words[flat.n_words - 1] = 'x';
    cr_expect_eq(mt_segments_unflatten(&arena, &flat, &back), MT_INPUT, "words without an end");
    flat.n_words--;
    cr_expect_eq(mt_segments_unflatten(&arena, &flat, &back), MT_INPUT, "a word too few");
    flat.n = 0;
    cr_expect_eq(mt_segments_unflatten(&arena, &flat, &back), MT_INPUT, "none");
    mt_arena_free(&arena);
}
