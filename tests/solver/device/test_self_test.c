#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/backends/backend.h"
#include "solver/cells/open.h"
#include "solver/device/program.h"
#include "solver/device/self_test.h"
#include "tests/opencl_library.h"
#include "tests/solver/slab_problem.h"

/* All tests run on pocl, through the loader that can have faults. */
static void begin(void) { use_changes("", "0"); }
TestSuite(self_test, .init = begin);

static const char pocl[] = "pthread"; /* in the name of pocl's device */

/* Tests pocl with a fault; asserts that nothing remains allocated. */
static void test(size_t lanes, const mt_device_fault *fault, char difference[MT_DEVICE_DIFFERENCE])
{
    MT_SCRATCH(arena);
    MT_OPENCL_SCOPE(opencl);
    cr_assert_eq(mt_opencl_open(arena, pocl, &opencl), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_device_self_test(opencl, lanes, fault, difference), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_opencl_bytes(opencl), 0);
}

Test(self_test, pocl_computes_the_bits_of_the_host)
{
    static const size_t lanes[] = {0, 1, 8, 16}; /* a GPU computes one number in a work-item */
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        char difference[MT_DEVICE_DIFFERENCE];
        test(lanes[k], NULL, difference);
        cr_assert_str_eq(difference, "");
    }
    cr_assert_eq(live_objects(), 0);
}

Test(self_test, a_program_that_does_not_compile_is_an_error)
{
    MT_SCRATCH(arena);
    MT_OPENCL_SCOPE(opencl);
    char difference[MT_DEVICE_DIFFERENCE];
    const mt_device_fault wrong = {.options = "-cl-std=CL1.2 -DLANES=7"};
    cr_assert_eq(mt_opencl_open(arena, pocl, &opencl), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_device_self_test(opencl, 0, &wrong, difference), MT_DEVICE);
    cr_assert(strstr(mt_message(), "compiling 'the self-test'"), "%s", mt_message());
    cr_assert_eq(mt_opencl_bytes(opencl), 0, "buffers are freed after a failure, too");
}

#define OPTIONS "-cl-std=CL1.2 -w -DLANES=8 -DGROUP=16 "
#define FLUSHES "-cl-denorms-are-zero "

/* Each difference names its operation and both results. Each fault is compiled for a second: the everyday test has one of each kind. The
 * slow test, which has MT_EVERY_FAULT in its environment, has all. */
Test(self_test, faults_of_the_arithmetic_are_found)
{
    static const struct {
        mt_device_fault fault;
        const char *difference;
        bool slow;
    } cases[] = {
        {{.text = "#pragma OPENCL FP_CONTRACT ON\n"}, "x * y + z for x = 1.00000012, y = 3, z = ", false},
        {{.options = OPTIONS}, "x + y for x = 0, y = 1.40129846e-45: 1.40129846e-45, on the host 0", false},
        {{.options = OPTIONS FLUSHES "-cl-fast-relaxed-math"}, ", on the host ", true},
        {{.options = OPTIONS FLUSHES "-cl-unsafe-math-optimizations"}, ", on the host ", false},
        {{.options = OPTIONS FLUSHES "-cl-finite-math-only"}, "inf", true},
        {{.options = OPTIONS FLUSHES "-cl-no-signed-zeros"}, "x + 0 for x = -0: -0, on the host 0", false},
        {{.options = OPTIONS FLUSHES "-cl-single-precision-constant"}, "0.7 * 0.1 - 0.07: 0, on the host -1.",
            true},
        {{.text = "#define lanes_exp exp\n"}, "exp(x) for x = ", false},
        {{.text = "#define lanes_fma(x, y, z) ((x) * (y) + (z))\n"}, "fma(x, y, z) for x = ", true},
        {{.text = "#define lanes_over(x, by) ((x) / (by))\n"}, "x over ", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char difference[MT_DEVICE_DIFFERENCE];
        if (cases[k].slow && !getenv("MT_EVERY_FAULT")) continue;
        test(8, &cases[k].fault, difference);
        cr_assert(strstr(difference, cases[k].difference), "case %zu: '%s'", k, difference);
    }
}

Test(self_test, options_are_those_that_the_device_has)
{
    char text[MT_DEVICE_OPTIONS];
    const mt_device exact = {.type = "gpu", .correct_division = true}, other = {.type = "cpu"};
    mt_device_options(&exact, &(mt_device_shape){1, 128}, false, text);
    cr_assert_str_eq(text,
        "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -cl-denorms-are-zero -w -DLANES=1 -DGROUP=128");
    mt_device_options(&other, &(mt_device_shape){8, 16}, false, text);
    cr_assert_str_eq(text, "-cl-std=CL1.2 -cl-denorms-are-zero -w -DLANES=8 -DGROUP=16");
}

Test(self_test, every_failing_allocation_is_reported)
{
    mt_status status = MT_MEMORY;
    size_t k = 0;
    while (status == MT_MEMORY) {
        MT_SCRATCH(arena);
        MT_OPENCL_SCOPE(opencl);
        char difference[MT_DEVICE_DIFFERENCE];
        cr_assert_eq(mt_opencl_open(arena, pocl, &opencl), MT_OK, "%s", mt_message());
        mt_arena_fail_at(++k);
        status = mt_device_self_test(opencl, 0, NULL, difference);
        mt_arena_fail_at(0);
        cr_assert_eq(mt_opencl_bytes(opencl), 0);
    }
    cr_assert(status == MT_OK && k > 10, "%zu: %s", k, mt_message());
}

/* ---- the backend ---- */

static slab_problem s;

/* Opens the backend on a slab, and describes its device. Devices compile the model in a second; a model with many states takes ten. */
static mt_status open_on(bool lenient, mt_backend_device *device)
{
    void *self;
    make_slab_problem(&s, (double[3]){2, 1, 1}, 0.5);
    cr_assert_eq(mt_cell_model_open(&s.arena, "mitchell-schaeffer", &s.problem.model), MT_OK);
    const mt_layout layout = {.device = pocl, .lenient = lenient};
    const mt_status status = mt_backend_opencl.open(&s.arena, &s.problem, &layout, &self);
    if (status == MT_OK) {
        mt_backend_opencl.describe(self, device);
        cr_assert_eq(mt_backend_run(&s.problem, &mt_backend_opencl, self, 0, 10, NULL, NULL, NULL), MT_OK,
            "%s", mt_message());
    }
    mt_arena_free(&s.arena);
    return status;
}

Test(self_test, a_device_with_other_bits_is_refused_unless_it_is_allowed)
{
    static const struct {
        const char *options, *without, *why;
    } cases[] = {{"-cl-unsafe-math-optimizations", "0", "its self-test differs from the host: "},
        {"", "2", "its driver does not state infinities and NaNs"}, /* CL_FP_INF_NAN */
        {"", "0x80", "its driver does not state correctly rounded division"}};
    mt_backend_device device;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        use_changes(cases[k].options, cases[k].without);
        cr_assert_eq(open_on(false, &device), MT_INPUT);
        cr_assert(strstr(mt_message(), cases[k].why) && strstr(mt_message(), "OpenCL device 0 (") &&
                      strstr(mt_message(), "machine.strict: false"),
            "%s", mt_message());
        cr_assert_eq(open_on(true, &device), MT_OK, "%s", mt_message());
        cr_assert(strncmp(device.differs, cases[k].why, strlen(cases[k].why)) == 0, "%s", device.differs);
    }
    cr_assert_eq(live_objects(), 0);
}

Test(self_test, the_backend_describes_its_device)
{
    mt_backend_device device;
    for (int lenient = 0; lenient < 2; lenient++) {
        cr_assert_eq(open_on(lenient, &device), MT_OK, "%s", mt_message());
        cr_assert(strstr(device.name, pocl), "%s", device.name);
        cr_assert_str_eq(device.differs, "");
        cr_assert(device.bytes > 100 * sizeof(float) && device.bytes < 1000000, "%zu", (size_t)device.bytes);
    }
}
