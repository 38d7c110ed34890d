#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/opencl/opencl.h"
#include "tests/opencl_library.h"

/* All tests run on pocl, through the loader that can have faults, and release every object. */
static void begin(void) { use_faults(""); }
static void end(void) { cr_assert_eq(live_objects(), 0); }
TestSuite(opencl, .init = begin);

static const char pocl[] = "pthread"; /* in the name of pocl's device */
#define MAKE(status) cr_assert_eq((status), MT_OK, "%s", mt_message())

static const char *const text[] = {"kernel void times(global float *v, uint n, float factor)\n",
    "{\n  const uint i = get_global_id(0);\n  if (i < n) v[i] *= factor;\n}\n"};

/* A device with a buffer of ITEMS numbers 0, 1, 2 ... and a kernel. */
enum { ITEMS = 1000 };
typedef struct fixture {
    mt_opencl *opencl;
    mt_opencl_buffer *buffer, *other;
    mt_opencl_program *program;
    mt_opencl_kernel *kernel;
} fixture;

static mt_status make(mt_arena *arena, fixture *f)
{
    float v[ITEMS];
    const uint32_t n = ITEMS;
    const float factor = 3;
    for (int k = 0; k < ITEMS; k++) v[k] = (float)k;
    MT_TRY(mt_opencl_open(arena, pocl, &f->opencl));
    MT_TRY(mt_opencl_buffer_make(f->opencl, "voltages", sizeof v, v, &f->buffer));
    MT_TRY(mt_opencl_buffer_make(f->opencl, "other", sizeof v, NULL, &f->other));
    MT_TRY(mt_opencl_program_make(f->opencl, "products", 2, text, "", &f->program));
    MT_TRY(mt_opencl_kernel_make(f->program, "times", &f->kernel));
    MT_TRY(mt_opencl_set_buffer(f->kernel, 0, f->buffer));
    MT_TRY(mt_opencl_set(f->kernel, 1, sizeof n, &n));
    return mt_opencl_set(f->kernel, 2, sizeof factor, &factor);
}

/* Everything that a run does with a device. */
static mt_status use(const fixture *f)
{
    float v[ITEMS];
    const float zero = 0;
    MT_TRY(mt_opencl_launch(f->kernel, ITEMS, 64));
    MT_TRY(mt_opencl_fill(f->buffer, 0, sizeof v, &zero, sizeof zero));
    MT_TRY(mt_opencl_finish(f->opencl));
    MT_TRY(mt_opencl_read(f->other, 0, sizeof v, v));
    return mt_opencl_write(f->buffer, 0, sizeof v, v);
}

Test(opencl, buffers_return_what_was_written_and_filled)
{
    {
        MT_SCRATCH(arena);
        MT_OPENCL_SCOPE(opencl);
        mt_opencl_buffer *b;
        int v[6] = {1, 2, 3, 4, 5, 6};
        const int seven = 7;
        MAKE(mt_opencl_open(arena, pocl, &opencl));
        cr_assert_not_null(strstr(mt_opencl_device(opencl)->name, pocl));
        MAKE(mt_opencl_buffer_make(opencl, "b", sizeof v, v, &b));
        MAKE(mt_opencl_fill(b, 16, 8, &seven, 4)); /* b: 1 2 3 4 7 7 */
        MAKE(mt_opencl_write(b, 4, 4, &v[5]));     /* b: 1 6 3 4 7 7 */
        memset(v, 255, sizeof v);
        MAKE(mt_opencl_read(b, 0, 20, v));
        static const int expected[] = {1, 6, 3, 4, 7, -1};
        cr_assert_arr_eq(v, expected, sizeof v);
    }
    end();
}

Test(opencl, bytes_of_all_buffers_are_counted_and_a_buffer_can_be_empty)
{
    {
        MT_SCRATCH(arena);
        MT_OPENCL_SCOPE(opencl);
        mt_opencl_buffer *a, *b;
        char byte = 0;
        MAKE(mt_opencl_open(arena, pocl, &opencl));
        cr_assert_eq(mt_opencl_bytes(opencl), 0);
        MAKE(mt_opencl_buffer_make(opencl, "a", 1001, NULL, &a));
        MAKE(mt_opencl_buffer_make(opencl, "b", 0, &byte, &b));
        MAKE(mt_opencl_read(b, 0, 0, NULL));
        cr_assert_eq(mt_opencl_bytes(opencl), 1001);
    }
    end();
}

Test(opencl, copied_bytes_and_launches_are_counted)
{
    {
        MT_SCRATCH(arena);
        fixture f = {0};
        float v[ITEMS];
        MAKE(make(arena, &f));
        MAKE(mt_opencl_launch(f.kernel, ITEMS, 64));
        MAKE(mt_opencl_launch(f.kernel, 0, 64)); /* launches nothing */
        MAKE(mt_opencl_read(f.buffer, 4, 12, v));
        MAKE(mt_opencl_write(f.buffer, 0, 8, v));
        const mt_opencl_counts counts = mt_opencl_counted(f.opencl);
        cr_assert_eq(counts.launches, 1);
        cr_assert_eq(counts.read_bytes, 12);
        cr_assert_eq(counts.written_bytes, 8);
        mt_opencl_close(&f.opencl);
    }
    end();
}

Test(opencl, a_kernel_of_several_texts_computes_with_its_arguments)
{
    {
        MT_SCRATCH(arena);
        fixture f = {0};
        float v[ITEMS];
        MAKE(make(arena, &f));
        const uint32_t n = ITEMS - 1;
        MAKE(mt_opencl_set(f.kernel, 1, sizeof n, &n));
        MAKE(mt_opencl_launch(f.kernel, n, 64)); /* 1024 items, of which 25 have nothing to compute */
        MAKE(mt_opencl_launch(f.kernel, n, 0));
        MAKE(mt_opencl_launch(f.kernel, 0, 64));
        MAKE(mt_opencl_read(f.buffer, 0, sizeof v, v));
        for (int k = 0; k < ITEMS; k++)
            cr_assert_eq(v[k], (float)k * (k < ITEMS - 1 ? 9 : 1), "%d: %g", k, (double)v[k]);
        mt_opencl_close(&f.opencl);
        cr_assert_null(f.opencl);
    }
    end();
}

Test(opencl, an_error_of_the_compiler_is_shown_with_device_and_program)
{
    {
        MT_SCRATCH(arena);
        fixture f = {0};
        static const char *const wrong = "kernel void wrong(global int *v)\n{\n  v[0] = nowhere;\n}\n";
        MAKE(make(arena, &f));
        cr_assert_eq(mt_opencl_program_make(f.opencl, "faulty", 1, &wrong, "", &f.program), MT_DEVICE);
        static const char *const parts[] = {"OpenCL device ", "(pthread",
            "): compiling 'faulty': CL_BUILD_PROGRAM_FAILURE (-11): ", ":3:", "'nowhere'"};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            cr_assert(strstr(mt_message(), parts[k]), "%s", mt_message());
        cr_assert_null(strchr(mt_message(), '\n'));
        mt_opencl_close(&f.opencl);
    }
    end();
}

Test(opencl, an_unknown_kernel_is_refused)
{
    {
        MT_SCRATCH(arena);
        fixture f = {0};
        mt_opencl_kernel *kernel;
        MAKE(make(arena, &f));
        cr_assert_eq(mt_opencl_kernel_make(f.program, "none", &kernel), MT_DEVICE);
        cr_assert(strstr(mt_message(), "the kernel 'none' of the program 'products': CL_INVALID_KERNEL_NAME"),
            "%s", mt_message());
        mt_opencl_close(&f.opencl);
    }
    end();
}

Test(opencl, work_groups_are_as_large_as_the_device_allows)
{
    {
        MT_SCRATCH(arena);
        fixture f = {0};
        float v[ITEMS];
        use_group_max("24");
        MAKE(make(arena, &f));
        MAKE(mt_opencl_launch(f.kernel, ITEMS, 64));
        MAKE(mt_opencl_read(f.buffer, 0, sizeof v, v));
        for (int k = 0; k < ITEMS; k++) cr_assert_eq(v[k], (float)k * 3, "%d: %g", k, (double)v[k]);
        mt_opencl_close(&f.opencl);
    }
    end();
}

Test(opencl, an_unknown_or_unusable_device_is_refused)
{
    MT_SCRATCH(arena);
    mt_opencl *opencl;
    cr_assert_eq(mt_opencl_open(arena, "nothing like this", &opencl), MT_INPUT);
    cr_assert(strstr(mt_message(), "'nothing like this' is unknown; allowed: ") && strstr(mt_message(), pocl),
        "%s", mt_message());
    cr_assert_null(opencl);
    use_devices("gu:Reserved GPU;gx:GPU without a compiler;go:Old GPU|");
    cr_assert_eq(mt_opencl_open(arena, "0", &opencl), MT_DEVICE);
    cr_assert(
        strstr(mt_message(), "0 (Reserved GPU): opening: CL_DEVICE_NOT_AVAILABLE (-2); the device is in use"),
        "%s", mt_message());
    cr_assert_eq(mt_opencl_open(arena, "1", &opencl), MT_DEVICE);
    cr_assert(strstr(mt_message(), "CL_COMPILER_NOT_AVAILABLE"), "%s", mt_message());
    cr_assert_eq(mt_opencl_open(arena, "2", &opencl), MT_DEVICE);
    cr_assert(strstr(mt_message(), "its driver has OpenCL 1.1 old; allowed: OpenCL 1.2 or later"), "%s",
        mt_message());
}

Test(opencl, a_buffer_above_the_memory_of_the_device_is_refused_with_both_sizes)
{
    {
        MT_SCRATCH(arena);
        fixture f = {0};
        mt_opencl_buffer *buffer;
        char expected[200];
        MAKE(make(arena, &f));
        const mt_device *d = mt_opencl_device(f.opencl);
        cr_assert_eq(mt_opencl_buffer_make(f.opencl, "huge", (size_t)1 << 50, NULL, &buffer), MT_FIT);
        cr_assert(
            strstr(mt_message(), "creating the buffer 'huge' of 1,125,899,906,842,624 bytes (at most ") &&
                strstr(mt_message(), "): CL_INVALID_BUFFER_SIZE; 8,000 bytes are in use, the device has "),
            "%s", mt_message());
        (void)snprintf(expected, sizeof expected, "%llu", (unsigned long long)d->memory_bytes % 1000);
        cr_assert_not_null(strstr(mt_message(), expected));
        cr_assert_eq(mt_opencl_bytes(f.opencl), 8000);
        mt_opencl_close(&f.opencl);
    }
    end();
}

/* Several buffers of allowed size exceed the memory together: the device is not even asked. */
Test(opencl, buffers_above_the_memory_in_total_are_refused)
{
    {
        MT_SCRATCH(arena);
        fixture f = {0};
        mt_opencl_buffer *buffer;
        MAKE(make(arena, &f));
        mt_device small = *mt_opencl_device(f.opencl),
                  *in_use = (mt_device *)(uintptr_t)mt_opencl_device(f.opencl);
        small.memory_bytes = 10000;
        *in_use = small;
        MAKE(mt_opencl_buffer_make(f.opencl, "fits", 2000, NULL, &buffer));
        cr_assert_eq(mt_opencl_buffer_make(f.opencl, "more", 1, NULL, &buffer), MT_FIT);
        cr_assert(
            strstr(mt_message(), "10,000 bytes are in use, the device has 10,000;"), "%s", mt_message());
        mt_opencl_close(&f.opencl);
    }
    end();
}

/* Faults while a device is opened and filled: status, and a part of the message. */
static const struct {
    const char *faults;
    mt_status status;
    const char *message;
} makings[] = {
    {"clCreateContext=-2", MT_DEVICE,
        "creating a context: CL_DEVICE_NOT_AVAILABLE (-2); the device is in use"},
    {"clCreateContext=-6", MT_MEMORY,
        "creating a context: CL_OUT_OF_HOST_MEMORY (-6); the host is out of memory"},
    {"clCreateCommandQueue=-5", MT_DEVICE,
        "creating a queue: CL_OUT_OF_RESOURCES (-5); the device is in use"},
    {"clCreateBuffer=-4", MT_FIT, "creating the buffer 'voltages' of 4,000 bytes (at most "},
    {"clCreateBuffer=-61", MT_FIT, "CL_INVALID_BUFFER_SIZE; 0 bytes are in use"},
    {"clCreateBuffer=-6", MT_MEMORY, "the host is out of memory"},
    {"clEnqueueWriteBuffer=-4", MT_FIT, "CL_MEM_OBJECT_ALLOCATION_FAILURE; 0 bytes are in use"},
    {"clEnqueueFillBuffer=-5", MT_FIT, "CL_OUT_OF_RESOURCES; 4,000 bytes are in use"},
    {"clFinish=-5", MT_FIT, "creating the buffer 'other'"},
    {"clCreateProgramWithSource=-6", MT_MEMORY, "creating the program 'products': CL_OUT_OF_HOST_MEMORY"},
    {"clBuildProgram=-3", MT_DEVICE,
        "compiling 'products': CL_COMPILER_NOT_AVAILABLE (-3); the driver has no compiler"},
    {"clBuildProgram=-11 clGetProgramBuildInfo=-30", MT_DEVICE,
        "compiling 'products': CL_BUILD_PROGRAM_FAILURE (-11)"},
    {"clCreateKernel=-6", MT_MEMORY, "finding the kernel 'times'"},
    {"clGetKernelWorkGroupInfo=-48", MT_DEVICE,
        "the largest work-group of the kernel 'times': CL_INVALID_KERNEL (-48)"},
    {"clSetKernelArg=-51", MT_DEVICE, "setting argument 0 of the kernel 'times': CL_INVALID_ARG_SIZE (-51)"},
};

Test(opencl, every_failure_before_the_run_is_reported_and_nothing_stays_allocated)
{
    for (size_t k = 0; k < sizeof makings / sizeof *makings; k++) {
        MT_SCRATCH(arena);
        fixture f = {0};
        use_faults(makings[k].faults);
        const mt_status status = make(arena, &f);
        mt_opencl_close(&f.opencl);
        cr_assert_eq(status, makings[k].status, "%s: %d, %s", makings[k].faults, status, mt_message());
        cr_assert(strstr(mt_message(), makings[k].message), "%s: %s", makings[k].faults, mt_message());
        end();
    }
}

/* Faults of a device that was lost while computing, as different drivers report them. */
static const struct {
    const char *faults, *message;
} losses[] = {
    {"clEnqueueNDRangeKernel=-5", "launching the kernel 'times' for 1024 items in groups of 64: "},
    {"clEnqueueNDRangeKernel=-36", "CL_INVALID_COMMAND_QUEUE (-36); "},
    {"clEnqueueFillBuffer=-2", "filling the buffer 'voltages': CL_DEVICE_NOT_AVAILABLE (-2); "},
    {"clFinish=-14", "waiting for the queue: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST (-14); "},
    {"clEnqueueReadBuffer=-5", "reading the buffer 'other': CL_OUT_OF_RESOURCES (-5); "},
    {"clEnqueueReadBuffer=-9999", "(-9999); "},
    {"clEnqueueWriteBuffer=-36", "writing the buffer 'voltages': CL_INVALID_COMMAND_QUEUE (-36); "},
};

Test(opencl, a_lost_device_is_reported_with_the_advice_to_resume)
{
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++) {
        MT_SCRATCH(arena);
        fixture f = {0};
        use_faults("");
        MAKE(make(arena, &f));
        MAKE(use(&f));
        use_faults(losses[k].faults);
        cr_assert_eq(use(&f), MT_DEVICE, "%s: %s", losses[k].faults, mt_message());
        cr_assert(strstr(mt_message(), losses[k].message) && strstr(mt_message(), "(pthread") &&
                      strstr(mt_message(), "the device was lost") && strstr(mt_message(), "--resume"),
            "%s: %s", losses[k].faults, mt_message());
        mt_opencl_close(&f.opencl);
        end();
    }
}

/* Drivers allocate memory late: a launch can lack it. */
Test(opencl, memory_that_a_launch_lacks_is_reported_as_lack_of_memory)
{
    MT_SCRATCH(arena);
    fixture f = {0};
    MAKE(make(arena, &f));
    use_faults("clEnqueueNDRangeKernel=-4");
    cr_assert_eq(use(&f), MT_FIT);
    cr_assert(
        strstr(mt_message(), "CL_MEM_OBJECT_ALLOCATION_FAILURE; 8,000 bytes are in use"), "%s", mt_message());
    mt_opencl_close(&f.opencl);
    end();
}

Test(opencl, every_failing_allocation_is_reported_and_nothing_stays_allocated)
{
    mt_status status = MT_MEMORY;
    size_t k = 0;
    while (status == MT_MEMORY) {
        MT_SCRATCH(arena);
        fixture f = {0};
        mt_arena_fail_at(++k);
        status = make(arena, &f);
        mt_arena_fail_at(0);
        mt_opencl_close(&f.opencl);
        end();
    }
    cr_assert(status == MT_OK && k >= 15, "%zu: %s", k, mt_message());
}

/* The time loop. */
Test(opencl, computing_takes_no_memory_from_an_arena)
{
    MT_SCRATCH(arena);
    fixture f = {0};
    MAKE(make(arena, &f));
    const size_t before = mt_arena_allocated();
    MAKE(use(&f));
    cr_assert_eq(mt_arena_allocated(), before);
    mt_opencl_close(&f.opencl);
}

Test(opencl, two_devices_are_independent)
{
    {
        MT_SCRATCH(arena);
        fixture a = {0}, b = {0};
        MAKE(make(arena, &a));
        MAKE(make(arena, &b));
        mt_opencl_close(&a.opencl);
        MAKE(use(&b));
        mt_opencl_close(&b.opencl);
        mt_opencl_close(&b.opencl);
    }
    end();
}
