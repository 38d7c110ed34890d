/* A run resumed from a checkpoint has the same bits as an uninterrupted one, on any number of tiles, and continues the cycle counts on
 * the same machine. Checkpoints that are damaged or belong to another problem are refused. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/leaks.h"
#include "tests/solver/slab_problem.h"

#include "solver/backends/checkpoint.h"
#include "solver/cells/tp06/tp06.h"

static char path[64];

static void enter(void)
{
    omp_set_num_threads(1); /* too little work to share */
    (void)strcpy(path, "/tmp/test_checkpoint.XXXXXX.hdf");
    const int file = mkstemps(path, 4);
    cr_assert_geq(file, 0);
    (void)close(file);
}

static void leave(void) { (void)unlink(path); }

TestSuite(checkpoint, .init = enter, .fini = leave);

/* During the stimulus, which ends with step 100, and after it; both times are between two whole milliseconds. */
enum { CUT = 77, LATE_CUT = 123, END = 160 };

/* Three beats. The second is in progress at the first cut and begins during action potentials. */
static const size_t beats[] = {0, 60, 120};
enum { BEATS = 3, OF_A_BEAT = 1 + MT_RECORDED };
static const mt_record record = {.all = true,
    .threshold_mV = -10,
    .fraction = 0.9,
    .stored = (1 << MT_RECORDED_LOW) - 1,
    .n_beats = BEATS,
    .beat = beats};

typedef struct state {
    size_t n_arrays;
    double *array[64];
    double *beat[BEATS][OF_A_BEAT];
    double peak_mV;
} state;

/* Adds a stimulus of every second element, with delays: it is on from step 65 to 129, at both cuts. */
static void add_delayed(slab_problem *s)
{
    enum { LONGEST = 60 };
    const size_t n = s->mesh.n_elements / 2;
    uint32_t *element = mt_arena_alloc(&s->arena, n, sizeof *element);
    uint16_t *delay = mt_arena_alloc(&s->arena, n, sizeof *delay);
    for (uint32_t k = 0; k < n; k++) element[k] = 2 * k, delay[k] = (uint16_t)(7 * k % (LONGEST + 1));
    s->stimulus[1] = (mt_stimulus){1.3, 0.1, 30, n, element, 0, 0, delay, LONGEST, 20, -80, -50};
    s->problem.n_stimuli = 2;
}

static void make(slab_problem *s)
{
    make_slab_problem(s, (double[]){4, 3, 2}, 0.5);
    s->problem.mesh = &s->mesh;
    s->problem.record = record;
    s->results.peak_mV = mt_arena_alloc(&s->arena, 2, sizeof(double));
    add_delayed(s);
}

static void *open_backend(mt_arena *arena, slab_problem *s, const mt_backend *b, const mt_layout *layout)
{
    void *self;
    cr_assert_eq(mt_records_new(&s->arena, &s->problem.record, s->mesh.n_elements, &s->results.beats), MT_OK);
    cr_assert_eq(b->open(arena, &s->problem, layout, &self), MT_OK, "%s", mt_message());
    return self;
}

static void go(slab_problem *s, const mt_backend *b, void *self, size_t first, size_t end)
{
    cr_assert_eq(
        mt_backend_run(&s->problem, b, self, first, end, &s->results, NULL, NULL), MT_OK, "%s", mt_message());
}

static state take(slab_problem *s, const mt_backend *b, void *self)
{
    state x = {.n_arrays = mt_arrays(&s->problem), .peak_mV = s->results.peak_mV[0]};
    for (size_t k = 0; k < x.n_arrays; k++) {
        x.array[k] = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof(double));
        b->read(self, k, x.array[k]);
    }
    for (size_t k = 0; k < BEATS; k++) {
        x.beat[k][0] = s->results.beats[k].activation_ms;
        for (int r = 0; r < MT_RECORDED; r++) x.beat[k][1 + r] = s->results.beats[k].recorded[r];
    }
    return x;
}

static void expect_same(const slab_problem *s, const state *a, const state *b)
{
    for (size_t k = 0; k < a->n_arrays; k++)
        cr_assert_arr_eq(a->array[k], b->array[k], s->mesh.n_elements * sizeof(double), "%s differs",
            mt_array(&s->problem, k).name);
    for (size_t k = 0; k < BEATS; k++)
        for (int r = 0; r < OF_A_BEAT; r++)
            if (a->beat[k][r])
                cr_assert_arr_eq(a->beat[k][r], b->beat[k][r], s->mesh.n_elements * sizeof(double),
                    "%d of beat %zu differs", r, k);
    cr_expect_eq(a->peak_mV, b->peak_mV);
}

static uint64_t cycles_of(slab_problem *s, const mt_backend *b, void *self)
{
    ipu_profile profile;
    cr_assert_eq(b->profile(self, &s->arena, &profile), MT_OK, "%s", mt_message());
    return profile.cycles;
}

typedef struct writer {
    slab_problem *s;
    const mt_backend *backend;
    void *self;
    size_t cut;
    mt_segments segments;
} writer;

/* Writes a checkpoint and stops, before the recorded values are streamed from the backend, as programs do. */
static bool write_and_stop(void *user, size_t steps_done)
{
    writer *w = user;
    if (steps_done < w->cut) return true;
    cr_assert_eq(mt_segments_count(&w->segments, &w->s->problem, w->backend, w->self, w->cut), MT_OK);
    cr_assert_eq(mt_checkpoint_write(path, &w->s->problem, &w->s->results, w->backend, w->self, &w->segments,
                     "title: a case\n"),
        MT_OK, "%s", mt_message());
    return false;
}

static void write_at(slab_problem *s, const mt_backend *b, const mt_layout *layout, size_t cut)
{
    mt_arena arena = {0};
    writer w = {.s = s, .backend = b, .self = open_backend(&arena, s, b, layout), .cut = cut};
    cr_assert_eq(mt_segments_begin(&arena, NULL, false, b, w.self, layout, &w.segments), MT_OK);
    cr_assert_eq(mt_backend_run(&s->problem, b, w.self, 0, END, &s->results, write_and_stop, &w), MT_STOPPED);
    mt_arena_free(&arena);
}

static void write_at_cut(slab_problem *s, const mt_backend *b, const mt_layout *layout)
{
    write_at(s, b, layout, CUT);
}

static mt_checkpoint opened(slab_problem *s)
{
    mt_checkpoint c;
    cr_assert_eq(mt_checkpoint_open(&s->arena, path, &c), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_checkpoint_check(&c, &s->problem), MT_OK, "%s", mt_message());
    return c;
}

/* Runs from the checkpoint to the end and returns the state; reports whether the machine continued its counts, and its cycles. */
static state continued(
    slab_problem *s, const mt_backend *b, const mt_layout *layout, bool *counted, uint64_t *cycles)
{
    mt_arena arena = {0};
    const mt_checkpoint c = opened(s);
    void *self = open_backend(&arena, s, b, layout);
    s->results.peak_mV[0] = 0;
    cr_assert_eq(
        mt_checkpoint_restore(&c, &s->problem, &s->results, b, self, counted), MT_OK, "%s", mt_message());
    go(s, b, self, c.step, END);
    const state x = take(s, b, self);
    *cycles = b->profile ? cycles_of(s, b, self) : 0;
    mt_arena_free(&arena);
    return x;
}

static state whole(slab_problem *s, const mt_backend *b, const mt_layout *layout, uint64_t *cycles)
{
    mt_arena arena = {0};
    void *self = open_backend(&arena, s, b, layout);
    go(s, b, self, 0, END);
    const state x = take(s, b, self);
    *cycles = b->profile ? cycles_of(s, b, self) : 0;
    mt_arena_free(&arena);
    return x;
}

Test(checkpoint, a_resumed_run_is_bit_identical_to_an_uninterrupted_one)
{
    const size_t cuts[] = {CUT, LATE_CUT, beats[2]};
    for (size_t pde_steps = 1; pde_steps <= 3;
         pde_steps++) /* the tiles hold V in one buffer, then in the other */
        for (const mt_backend *const *b = mt_backends; *b; b++) {
            slab_problem s;
            uint64_t cycles, cycles_after;
            bool counted;
            make(&s);
            use_model_for(&s, *b);
            s.problem.pde_steps = pde_steps;
            const mt_layout layout = layout_on(&s, 6);
            const state never = whole(&s, *b, &layout, &cycles);
            write_at(&s, *b, &layout, cuts[pde_steps - 1]);
            const state after = continued(&s, *b, &layout, &counted, &cycles_after);
            expect_same(&s, &never, &after);
            cr_expect_eq(counted, (*b)->profile != NULL);
            cr_expect_eq(cycles, cycles_after, "%s", (*b)->name);
            cr_expect_gt(never.array[MT_ARRAY_V][0], 0, "some elements are activated");
            mt_arena_free(&s.arena);
        }
}

Test(checkpoint, a_resumed_run_with_multirate_stepping_is_bit_identical)
{
    slab_problem s;
    make(&s);
    s.problem.stepping = MT_STEPPING_MULTIRATE;
    s.problem.tolerance_mV = 0.1;
    const mt_layout layout = layout_on(&s, 7);
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        uint64_t cycles, all;
        bool counted;
        use_model_for(&s, *b);
        const state expected = whole(&s, *b, &layout, &all);
        write_at_cut(&s, *b, &layout);
        const state found = continued(&s, *b, &layout, &counted, &cycles);
        expect_same(&s, &expected, &found);
        cr_expect_eq(cycles, all, "%s", (*b)->name);
    }
    const mt_checkpoint c = opened(&s);
    s.problem.stepping = MT_STEPPING_UNIFORM;
    cr_expect_eq(mt_checkpoint_check(&c, &s.problem), MT_INPUT);
    cr_expect(strstr(mt_message(), "with multirate stepping; here uniform"), "%s", mt_message());
    mt_arena_free(&s.arena);
}

Test(checkpoint, a_resumed_run_with_double_words_is_bit_identical)
{
    const size_t pde_steps = 3; /* low parts are kept between substeps */
    slab_problem s;
    uint64_t cycles, cycles_after;
    bool counted;
    make(&s);
    s.problem.pde_steps = pde_steps;
    s.problem.accumulation = MT_ACCUMULATION_DOUBLE_WORD;
    const mt_layout few = layout_on(&s, 3), many = layout_on(&s, 17);
    const state never = whole(&s, &mt_backend_ipu, &few, &cycles);
    write_at_cut(&s, &mt_backend_ipu, &few);
    const state same = continued(&s, &mt_backend_ipu, &few, &counted, &cycles_after);
    expect_same(&s, &never, &same);
    cr_expect_eq(cycles, cycles_after);
    const state other = continued(&s, &mt_backend_ipu, &many, &counted, &cycles_after);
    expect_same(&s, &never, &other);
    mt_arena_free(&s.arena);
}

Test(checkpoint, a_run_can_resume_on_other_tiles_and_counts_cycles_from_there)
{
    slab_problem s;
    uint64_t cycles, cycles_after;
    bool counted;
    make(&s);
    const mt_layout few = layout_on(&s, 3), many = layout_on(&s, 17);
    const state never = whole(&s, &mt_backend_ipu, &few, &cycles);
    write_at_cut(&s, &mt_backend_ipu, &few);
    const state after = continued(&s, &mt_backend_ipu, &many, &counted, &cycles_after);
    expect_same(&s, &never, &after);
    cr_expect_not(counted);
    (void)whole(&s, &mt_backend_ipu, &many, &cycles);
    cr_expect_lt(
        cycles_after, cycles, "%llu and %llu", (unsigned long long)cycles_after, (unsigned long long)cycles);
    mt_arena_free(&s.arena);
}

/* Runs on one backend; and to the cut on another, then on this one. */
static void run_on_both(
    slab_problem *s, const mt_backend *from, const mt_backend *to, state *never, state *after)
{
    uint64_t cycles;
    bool counted;
    const mt_layout layout = layout_on(s, 6);
    *never = whole(s, to, &layout, &cycles);
    write_at_cut(s, from, &layout);
    *after = continued(s, to, &layout, &counted, &cycles);
    cr_expect_not(counted);
}

Test(checkpoint, the_host_in_single_precision_and_the_machine_resume_each_other_with_the_same_bits)
{
    static const mt_backend *const backend[] = {&mt_backend_ipu, &mt_backend_cpu_single};
    slab_problem s;
    state never, after;
    make(&s);
    for (int k = 0; k < 2; k++) {
        run_on_both(&s, backend[k], backend[1 - k], &never, &after);
        expect_same(&s, &never, &after);
    }
    mt_arena_free(&s.arena);
}

/* Within single precision: both differ by less than this (test_backends). */
Test(checkpoint, the_other_precision_resumes_to_within_single_precision)
{
    static const mt_backend *const backend[] = {&mt_backend_cpu, &mt_backend_ipu};
    slab_problem s;
    state never, after;
    make(&s);
    for (int k = 0; k < 2; k++) {
        const mt_backend *from = backend[k], *to = backend[1 - k];
        double largest = 0;
        run_on_both(&s, from, to, &never, &after);
        for (size_t c = 0; c < s.mesh.n_elements; c++)
            largest = fmax(largest, fabs(never.array[MT_ARRAY_V][c] - after.array[MT_ARRAY_V][c]));
        cr_expect(largest > 0 && largest < 0.05, "%s to %s: %g mV", from->name, to->name, largest);
    }
    mt_arena_free(&s.arena);
}

Test(checkpoint, equal_states_are_saved_as_equal_files)
{
    static char bytes[2][1 << 20];
    slab_problem s;
    size_t n[2];
    make(&s);
    for (int k = 0; k < 2; k++) {
        const mt_layout layout = layout_on(&s, 5);
        write_at_cut(&s, &mt_backend_ipu, &layout);
        FILE *file = fopen(path, "rb");
        cr_assert_not_null(file);
        n[k] = fread(bytes[k], 1, sizeof bytes[k], file);
        cr_assert(n[k] > 0 && n[k] < sizeof bytes[k]);
        (void)fclose(file);
    }
    cr_assert_eq(n[0], n[1]);
    cr_assert_arr_eq(bytes[0], bytes[1], n[0]);
    mt_arena_free(&s.arena);
}

/* Flips a bit in each 4 KiB of the file in turn: the file is refused, or it reads as written. */
Test(checkpoint, damaged_checkpoints_are_detected)
{
    slab_problem s;
    mt_checkpoint c;
    make(&s);
    write_at_cut(&s, &mt_backend_cpu, NULL);
    const mt_checkpoint good = opened(&s);
    FILE *file = fopen(path, "rb+");
    cr_assert_not_null(file);
    (void)fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    size_t refused = 0, tried = 0;
    for (long at = 2048; at < size; at += 4096) {
        (void)fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        (void)fseek(file, at, SEEK_SET);
        (void)fputc(byte ^ 16, file), (void)fflush(file);
        const mt_status status = mt_checkpoint_open(&s.arena, path, &c);
        if (status != MT_OK)
            cr_expect(strstr(mt_message(), path), "%s", mt_message());
        else
            cr_expect(c.step == good.step && strcmp(c.case_text, good.case_text) == 0);
        refused += status != MT_OK;
        tried++;
        (void)fseek(file, at, SEEK_SET);
        (void)fputc(byte, file), (void)fflush(file);
    }
    (void)fclose(file);
    cr_expect_gt(refused, tried * 9 / 10, "%zu of %zu", refused, tried); /* the other bytes are not read */
    cr_assert_eq(truncate(path, size / 2), 0);
    cr_assert_neq(mt_checkpoint_open(&s.arena, path, &c), MT_OK);
    mt_arena_free(&s.arena);
}

static void is_refused(slab_problem *other, const mt_checkpoint *c, const char *why)
{
    other->problem.mesh = &other->mesh;
    other->problem.record = record;
    cr_assert_eq(mt_checkpoint_check(c, &other->problem), MT_INPUT);
    cr_expect(strstr(mt_message(), why), "%s", mt_message());
    mt_arena_free(&other->arena);
}

Test(checkpoint, a_checkpoint_of_another_problem_is_rejected)
{
    slab_problem s, other;
    mt_diffusion_scheme stronger = mt_diffusion_scheme_default;
    make(&s);
    write_at_cut(&s, &mt_backend_cpu, NULL);
    const mt_checkpoint c = opened(&s);
    make_slab_problem(&other, (double[]){4, 3, 2.5}, 0.5);
    is_refused(&other, &c, ": from another mesh, with 1152 conducting elements; here ");
    make_slab_problem(&other, (double[]){4, 3, 2}, 0.5);
    other.mesh.xyz_mm[0] -= 1e-9;
    is_refused(&other, &c, "from another mesh with the same number of elements");
    make_slab_problem(&other, (double[]){4, 3, 2}, 0.5);
    other.problem.model = mt_cell_models[1];
    is_refused(&other, &c, ": from a run of the ionic model tp06; here torord");
    stronger.damping *= 1.01;
    other = (slab_problem){.scheme = &stronger};
    cr_assert_eq(mt_slab_make(&other.arena, (double[]){4, 3, 2}, 0.5, &other.mesh), MT_OK);
    make_problem(&other, (double[]){1.5, 1.5, 1.5});
    is_refused(&other, &c, "another diffusion operator");
    mt_arena_free(&s.arena);
}

/* The file can be moved or edited after the run. */
Test(checkpoint, a_checkpoint_of_an_imported_model_is_verified_without_the_model_and_belongs_to_its_content)
{
    slab_problem s;
    mt_cell_model model = mt_cell_tp06;
    model.name = "models/a.mmt";
    model.identity = "a.mmt#1";
    make(&s);
    s.problem.model = &model;
    write_at_cut(&s, &mt_backend_cpu, NULL);
    const mt_checkpoint c = opened(&s);
    cr_expect_str_eq(c.model, "a.mmt#1");
    model.name = "/elsewhere/a.mmt";
    cr_expect_eq(mt_checkpoint_check(&c, &s.problem), MT_OK, "%s", mt_message());
    model.identity = "a.mmt#2";
    cr_expect_eq(mt_checkpoint_check(&c, &s.problem), MT_INPUT);
    cr_expect(
        strstr(mt_message(), ": from a run of the ionic model a.mmt#1; here a.mmt#2"), "%s", mt_message());
    mt_arena_free(&s.arena);
}
