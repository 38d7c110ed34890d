/* Streams from a backend to the host: the bits equal a direct read, and the emulated machine counts their cycles and bytes. */
#include <criterion/criterion.h>

#include <omp.h>

#include "tests/solver/slab_problem.h"

#include "solver/kernels/block.h"

/* 4 x 3 x 2 mm in boxes of 0.5 mm, six elements each; a link to the host of one byte per cycle. */
enum { ELEMENTS = 8 * 6 * 4 * 6, STEPS = 40 };

/* Cycles of a transfer in addition to its link: a sync inside the chip, and one with the host. Bytes of the header of a packet, and of
 * its data at most. */
enum { SYNC = 126 + 600, HEADER = 24, PACKET = 256 };

static slab_problem s;

static void make(void)
{
    omp_set_num_threads(1); /* too little work to share */
    make_slab_problem(&s, (double[]){4, 3, 2}, 0.5);
    cr_assert_eq(s.mesh.n_elements, ELEMENTS);
    s.target.host.read_bytes_per_second = s.target.clock_hz;
}

static void drop(void) { mt_arena_free(&s.arena); }

TestSuite(streams, .init = make, .fini = drop);

static ipu_profile profile_of(void *self)
{
    ipu_profile profile;
    cr_assert_eq(mt_backend_ipu.profile(self, &s.arena, &profile), MT_OK, "%s", mt_message());
    return profile;
}

static void *after_some_steps(const mt_backend *backend, const mt_layout *layout)
{
    void *self;
    s.problem.record.all = true;
    cr_assert_eq(backend->open(&s.arena, &s.problem, layout, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(backend->advance(self, 0, STEPS), MT_OK, "%s", mt_message());
    return self;
}

/* Not sorted, and with one element twice. */
static const uint32_t some[] = {700, 3, 1151, 4, 3};
enum { SOME = sizeof some / sizeof *some, UNTOUCHED = -12345 };

static void expect_array(const mt_backend *backend, void *self, size_t array)
{
    double *there = mt_arena_alloc(&s.arena, 3 * ELEMENTS, sizeof *there), *all = there + ELEMENTS,
           *few = all + ELEMENTS;
    for (size_t e = 0; e < ELEMENTS; e++) few[e] = UNTOUCHED;
    backend->read(self, array, there);
    cr_assert_eq(backend->stream(self, array, 0, NULL, all), MT_OK, "%s", mt_message());
    cr_assert_eq(backend->stream(self, array, SOME, some, few), MT_OK, "%s", mt_message());
    cr_expect_arr_eq(
        there, all, ELEMENTS * sizeof *there, "%s: %s", backend->name, mt_array(&s.problem, array).name);
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        bool sent = false;
        for (int k = 0; k < SOME; k++) sent |= some[k] == e;
        cr_expect_eq(few[e], sent ? there[e] : UNTOUCHED, "%s: %s of %u", backend->name,
            mt_array(&s.problem, array).name, e);
    }
}

Test(streams, every_array_is_streamed_bit_identically)
{
    const mt_layout layout = layout_on(&s, 7);
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        use_model_for(&s, *b);
        void *self = after_some_steps(*b, &layout);
        for (size_t array = 0; array < mt_arrays(&s.problem); array++) expect_array(*b, self, array);
    }
}

/* All 1152 elements on one tile, in the order of the mesh, are 18 packets of 256 bytes. For a state every block is one packet. Elements
 * 700, 3 and 4, 1151, and 4 again are four packets. */
Test(streams, every_streamed_byte_and_cycle_is_counted)
{
    const mt_layout layout = layout_on(&s, 1);
    void *self = after_some_steps(&mt_backend_ipu, &layout);
    double *values = mt_arena_alloc(&s.arena, ELEMENTS, sizeof *values);
    const uint64_t steps = profile_of(self).cycles;
    mt_backend_ipu.read(self, MT_ARRAY_V, values);
    cr_expect_eq(profile_of(self).cycles, steps, "reading is not counted");
    cr_expect_eq(profile_of(self).transfers, 0);

    cr_assert_eq(mt_backend_ipu.stream(self, MT_ARRAY_V, 0, NULL, values), MT_OK);
    const uint64_t v = SYNC + 4 * ELEMENTS + 4 * ELEMENTS / PACKET * HEADER;
    cr_expect_eq(v, 5766);
    cr_expect_eq(profile_of(self).host_cycles, v);

    cr_assert_eq(mt_backend_ipu.stream(self, mt_array_states(&s.problem) + 2, 0, NULL, values), MT_OK);
    const uint64_t state = SYNC + 4 * ELEMENTS + ELEMENTS / MT_BLOCK * HEADER;
    cr_expect_eq(profile_of(self).host_cycles, v + state);

    static const uint32_t five[] = {700, 3, 4, 1151, 4};
    cr_assert_eq(mt_backend_ipu.stream(self, MT_ARRAY_V, 5, five, values), MT_OK);
    const uint64_t few = SYNC + 4 * 5 + 4 * HEADER;
    const ipu_profile profile = profile_of(self);
    cr_expect_eq(profile.host_cycles, v + state + few);
    cr_expect_eq(profile.transfers, 3);
    cr_expect_eq(profile.host_bytes_read, 4 * ELEMENTS + 4 * ELEMENTS + 4 * 5);
    cr_expect_eq(profile.cycles, steps + profile.host_cycles);
}

static ipu_profile run_with(mt_record record, const mt_layout *layout)
{
    void *self;
    s.problem.record = record;
    cr_assert_eq(mt_records_new(&s.arena, &record, ELEMENTS, &s.results.beats), MT_OK);
    cr_assert_eq(mt_backend_ipu.open(&s.arena, &s.problem, layout, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&s.problem, &mt_backend_ipu, self, 0, STEPS, &s.results, NULL, NULL), MT_OK,
        "%s", mt_message());
    return profile_of(self);
}

/* At the end the activation times. With a record of all values: activation, low and the two that are kept; all of these again if a
 * second beat begins. */
Test(streams, a_run_streams_its_records_at_the_end_of_each_beat)
{
    static const size_t beats[] = {0, STEPS / 2};
    const mt_layout layout = layout_on(&s, 1);
    const uint64_t one = SYNC + 4 * ELEMENTS + 4 * ELEMENTS / PACKET * HEADER;
    mt_record record = {0};
    ipu_profile profile = run_with(record, &layout);
    cr_expect_eq(profile.transfers, 1);
    cr_expect_eq(profile.host_cycles, one);
    cr_expect_eq(profile.cycles,
        profile.sync_cycles + profile.exchange_cycles + profile.compute_cycles + profile.host_cycles);
    record = (mt_record){.all = true,
        .threshold_mV = -10,
        .fraction = 0.9,
        .stored = 1 << MT_RECORDED_REPOLARISATION | 1 << MT_RECORDED_PEAK};
    profile = run_with(record, &layout);
    cr_expect_eq(profile.transfers, 4);
    cr_expect_eq(profile.host_cycles, 4 * one);
    record.n_beats = 2, record.beat = beats;
    profile = run_with(record, &layout);
    cr_expect_eq(profile.transfers, 8);
    cr_expect_eq(profile.host_cycles, 8 * one);
    cr_expect_eq(profile.host_bytes_read, 8 * 4 * ELEMENTS);
}

Test(streams, out_of_memory_is_an_error)
{
    const mt_layout layout = layout_on(&s, 3);
    void *self = after_some_steps(&mt_backend_ipu, &layout);
    double *values = mt_arena_alloc(&s.arena, ELEMENTS, sizeof *values);
    for (size_t n = 1; n <= 2; n++) {
        mt_arena_fail_at(n);
        cr_expect_eq(mt_backend_ipu.stream(self, MT_ARRAY_V, 0, NULL, values), MT_MEMORY, "%zu", n);
    }
    cr_expect_eq(mt_backend_ipu.stream(self, MT_ARRAY_V, 0, NULL, values), MT_OK);
    cr_expect_eq(profile_of(self).transfers, 1, "a failed transfer is not counted");
}
