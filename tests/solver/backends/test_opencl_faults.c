/* Failures of a device, before and during a run: the message, the checkpoint, and that everything is released. */
#include <criterion/criterion.h>

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#include "solver/backends/checkpoint.h"
#include "solver/cells/open.h"
#include "tests/opencl_library.h"
#include "tests/solver/same_bits.h"
#include "tests/solver/slab_problem.h"

static slab_problem s;
static char path[64];

static void enter(void)
{
    omp_set_num_threads(1); /* too little work to share */
    use_faults("");
    make_slab_problem(&s, (double[]){2.5, 2, 0.5}, 0.5);
    s.problem.mesh = &s.mesh;
    cr_assert_eq(mt_cell_model_open(&s.arena, "mitchell-schaeffer", &s.problem.model), MT_OK);
    (void)strcpy(path, "/tmp/test_opencl_faults.XXXXXX.hdf");
    const int file = mkstemps(path, 4);
    cr_assert_geq(file, 0);
    (void)close(file);
}

static void leave(void)
{
    (void)unlink(path);
    mt_arena_free(&s.arena);
}

TestSuite(opencl_faults, .init = enter, .fini = leave);

static mt_status open_once(void)
{
    mt_arena arena = {0};
    void *self;
    const mt_status status = mt_backend_opencl.open(&arena, &s.problem, NULL, &self);
    mt_arena_free(&arena);
    return status;
}

/* Faults of the driver while the backend is opened: status, and a part of the message. */
static const struct {
    const char *faults;
    mt_status status;
    const char *message;
} openings[] = {{"clCreateBuffer=-4", MT_FIT, " bytes are in use, the device has "},
    {"clCreateBuffer=-6", MT_MEMORY, "the host is out of memory"},
    {"clEnqueueWriteBuffer=-4", MT_FIT, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {"clBuildProgram=-11", MT_DEVICE, "compiling 'the self-test': CL_BUILD_PROGRAM_FAILURE (-11)"},
    {"clCreateKernel=-46", MT_DEVICE, "finding the kernel 'self_test'"},
    {"clCreateContext=-2", MT_DEVICE, "CL_DEVICE_NOT_AVAILABLE"}};

Test(opencl_faults, a_failure_to_open_is_reported_and_releases_everything)
{
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++) {
        use_faults(openings[k].faults);
        cr_assert_eq(open_once(), openings[k].status, "%s: %s", openings[k].faults, mt_message());
        cr_assert(strstr(mt_message(), openings[k].message), "%s: %s", openings[k].faults, mt_message());
        cr_assert_eq(live_objects(), 0, "%s", openings[k].faults);
    }
}

/* A compilation precedes most of them. The everyday test therefore fails every fourth; the slow test, which has MT_EVERY_ALLOCATION in its
 * environment, fails all. */
Test(opencl_faults, every_failing_allocation_is_reported_and_releases_everything)
{
    const size_t step = getenv("MT_EVERY_ALLOCATION") ? 1 : 4;
    mt_status status = MT_MEMORY;
    size_t k = 1;
    for (; status == MT_MEMORY; k += step) {
        mt_arena_fail_at(k);
        status = open_once();
        mt_arena_fail_at(0);
        cr_assert_eq(live_objects(), 0, "%zu", k);
    }
    cr_assert(status == MT_OK && k >= 30, "%zu: %s", k, mt_message());
}

Test(opencl_faults, a_device_that_is_not_there_is_reported)
{
    const mt_layout layout = {.device = "quantum"};
    mt_arena arena = {0};
    void *self;
    cr_expect_eq(mt_backend_opencl.open(&arena, &s.problem, &layout, &self), MT_INPUT);
    cr_expect(strstr(mt_message(), "quantum") && strstr(mt_message(), "pthread"), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(opencl_faults, implicit_steps_are_refused)
{
    s.problem.diffusing = MT_DIFFUSING_EULER;
    s.problem.pde_steps = 1;
    cr_expect_eq(open_once(), MT_INPUT);
    cr_expect(strstr(mt_message(), "implicit diffusion steps; allowed: explicit"), "%s", mt_message());
}

/* ---- in the time loop ---- */

enum { STEPS = 120, SAVED = 60, LOST = 85 };

/* A run whose device is lost after some steps. */
typedef struct losing {
    void *self;
    mt_segments segments;
    const char *faults;
} losing;

static bool save_and_lose(void *user, size_t steps_done)
{
    losing *l = user;
    if (steps_done == SAVED) {
        cr_assert_eq(mt_segments_count(&l->segments, &s.problem, &mt_backend_opencl, l->self, SAVED), MT_OK);
        cr_assert_eq(mt_checkpoint_write(path, &s.problem, &s.results, &mt_backend_opencl, l->self,
                         &l->segments, "title: a\n"),
            MT_OK, "%s", mt_message());
    }
    if (steps_done == LOST) use_faults(l->faults);
    return true;
}

static void lose(const char *faults)
{
    mt_arena arena = {0};
    losing l = {.faults = faults};
    use_faults("");
    cr_assert_eq(mt_backend_opencl.open(&arena, &s.problem, NULL, &l.self), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_segments_begin(&arena, NULL, false, &mt_backend_opencl, l.self, &(mt_layout){0}, &l.segments),
        MT_OK);
    const mt_status status =
        mt_backend_run(&s.problem, &mt_backend_opencl, l.self, 0, STEPS, &s.results, save_and_lose, &l);
    cr_assert_eq(status, MT_DEVICE, "%s: %d, %s", faults, status, mt_message());
    cr_assert(strstr(mt_message(), "the device was lost") && strstr(mt_message(), "--resume"), "%s: %s",
        faults, mt_message());
    mt_arena_free(&arena);
    cr_assert_eq(live_objects(), 0, "%s", faults);
}

/* Resumes from the checkpoint and compares V with that of an uninterrupted run. */
static void resume_on(const mt_backend *backend, const double *expected_mV)
{
    mt_arena arena = {0};
    mt_checkpoint c;
    void *self;
    bool counted;
    double *v_mV = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v_mV);
    use_faults("");
    cr_assert_eq(mt_checkpoint_open(&arena, path, &c), MT_OK, "%s", mt_message());
    cr_assert_eq(c.step, SAVED);
    cr_assert_eq(backend->open(&arena, &s.problem, NULL, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_checkpoint_restore(&c, &s.problem, &s.results, backend, self, &counted), MT_OK, "%s",
        mt_message());
    cr_assert_eq(mt_backend_run(&s.problem, backend, self, SAVED, STEPS, &s.results, NULL, NULL), MT_OK, "%s",
        mt_message());
    cr_assert_eq(backend->read(self, MT_ARRAY_V, v_mV), MT_OK);
    expect_same_values(expected_mV, v_mV, s.mesh.n_elements, backend->name, "V");
    mt_arena_free(&arena);
}

/* The failing function is that of a step, of a search for impossible voltages, or of a read. */
Test(opencl_faults, a_device_lost_in_the_time_loop_leaves_a_checkpoint_to_resume_from)
{
    static const char *const losses[] = {"clEnqueueNDRangeKernel=-5", "clEnqueueReadBuffer=-36",
        "clEnqueueFillBuffer=-5 clEnqueueReadBuffer=-5"};
    double *v_mV = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v_mV);
    s.results.peak_mV = mt_arena_alloc(&s.arena, 1, sizeof(double));
    run_backend(&s, "cpu-single", NULL, STEPS, v_mV, NULL);
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++) {
        lose(losses[k]);
        resume_on(k % 2 ? &mt_backend_cpu_single : &mt_backend_opencl, v_mV);
        (void)unlink(path);
    }
}

/* What the program reads, writes and streams after a loss fails, too, or does nothing; it never returns old values as new ones. */
Test(opencl_faults, reading_from_a_lost_device_is_an_error)
{
    static const uint32_t some[] = {5, 100};
    mt_arena arena = {0};
    void *self;
    double *values = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *values), extreme_mV[2];
    s.problem.record = (mt_record){.all = true, .fraction = 0.9};
    cr_assert_eq(mt_backend_opencl.open(&arena, &s.problem, NULL, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_opencl.advance(self, 0, 5), MT_OK);
    use_faults("clEnqueueNDRangeKernel=-5 clEnqueueReadBuffer=-5 clEnqueueWriteBuffer=-5");
    for (size_t a = 0; a < mt_arrays(&s.problem); a++) {
        cr_expect_eq(mt_backend_opencl.read(self, a, values), MT_DEVICE, "%zu", a);
        cr_expect_eq(mt_backend_opencl.stream(self, a, 0, NULL, values), MT_DEVICE, "%zu", a);
        cr_expect_eq(mt_backend_opencl.stream(self, a, 2, some, values), MT_DEVICE, "%zu", a);
    }
    cr_expect_not(mt_backend_opencl.survey(self, values, extreme_mV));
    cr_expect_eq(mt_backend_opencl.turn(self, 5, true), MT_DEVICE);
    mt_backend_opencl.write(self, MT_ARRAY_V, values);
    cr_expect_eq(mt_backend_opencl.advance(self, 5, 1), MT_DEVICE);
    mt_arena_free(&arena);
    cr_assert_eq(live_objects(), 0);
}

/* The time loop allocates nothing. */
Test(opencl_faults, a_step_takes_no_memory_from_an_arena)
{
    mt_arena arena = {0};
    void *self;
    double values[120], extreme_mV[2];
    cr_assert_eq(mt_backend_opencl.open(&arena, &s.problem, NULL, &self), MT_OK, "%s", mt_message());
    mt_arena_fail_at(1);
    cr_expect_eq(mt_backend_opencl.advance(self, 0, 10), MT_OK, "%s", mt_message());
    cr_expect(mt_backend_opencl.survey(self, values, extreme_mV));
    cr_expect_eq(mt_backend_opencl.stream(self, MT_ARRAY_V, 1, (uint32_t[]){7}, values), MT_OK);
    mt_arena_fail_at(0);
    mt_arena_free(&arena);
}
