#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/device/self_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/device/program.h"
#include "solver/device/self_test_equations.h"
#include "solver/kernels/flushing.h"

/* ---- numbers ---- */

enum { NUMBERS = 4096, ARGUMENTS = 3 }; /* a multiple of all numbers of lanes */

static const float specials[] = {0, -0.0F, 0x1p-149F, -0x1.fffffcp-127F, 0x1p-126F, -0x1p-126F, 1e-20F, 0.5F,
    1, -1, 0x1.000002p+0F, 3, 0x1.fffffep+127F, INFINITY, -INFINITY, NAN};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Ranges of the arguments, as powers of 2. Products of roots, and sums and quotients of tiny numbers, are often subnormal. */
typedef struct range {
    int low, high;
} range;
#define ORDINARY                                                                                             \
    {                                                                                                        \
        -4, 4                                                                                                \
    }
#define TINY                                                                                                 \
    {                                                                                                        \
        -130, -118                                                                                           \
    }
#define ROOT                                                                                                 \
    {                                                                                                        \
        -70, -56                                                                                             \
    }
#define ANY                                                                                                  \
    {                                                                                                        \
        -149, 127                                                                                            \
    }
static const range ranges[][ARGUMENTS] = {{ORDINARY, ORDINARY, ORDINARY}, {{4, 6}, ORDINARY, ORDINARY},
    {TINY, ORDINARY, TINY}, {TINY, TINY, TINY}, {ROOT, ROOT, TINY}, {ANY, ANY, ANY}};
enum { RANGES = sizeof ranges / sizeof *ranges };

/* Returns 32 random bits (xorshift64*, of S. Vigna). */
static uint32_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * 0x2545f4914f6cdd1d >> 32);
}

/* Returns a random number of a range, of either sign. */
static float random_number(uint64_t *state, range of)
{
    const uint32_t bits = random_bits(state);
    const int exponent = of.low + (int)(random_bits(state) % (uint32_t)(of.high - of.low + 1));
    const float fraction = 1 + (float)(bits & 0x7fffff) * 0x1p-23F;
    return ldexpf(bits >> 31 ? -fraction : fraction, exponent);
}

/* Fills the arguments: all pairs of special numbers, then random ones of each range. */
static void fill(float argument[ARGUMENTS][NUMBERS])
{
    uint64_t state = 1;
    for (size_t k = 0; k < NUMBERS; k++) {
        const size_t of[ARGUMENTS] = {k / SPECIALS, k % SPECIALS, (k / SPECIALS + k) % SPECIALS};
        for (int a = 0; a < ARGUMENTS; a++)
            argument[a][k] =
                k < SPECIALS * SPECIALS ? specials[of[a]] : random_number(&state, ranges[k % RANGES][a]);
    }
}

/* ---- operations ---- */

#define NAME(name, expression) name,
static const char *const names[] = {SELF_TEST_OPERATIONS(NAME)};
enum { OPERATIONS = sizeof names / sizeof *names };

/* Computes the operations on the host. */
static void compute(float argument[ARGUMENTS][NUMBERS], float (*result)[NUMBERS])
{
    const uint64_t before = begin_arithmetic();
    for (size_t k = 0; k < NUMBERS; k++) {
        const lanes x = argument[0][k], y = argument[1][k], z = argument[2][k];
        int o = 0;
#define COMPUTE(name, expression) result[o++][k] = expression;
        SELF_TEST_OPERATIONS(COMPUTE)
    }
    end_arithmetic(before);
}

/* Computes them on the device. The buffers are freed by the caller. */
static mt_status compute_on_device(mt_opencl *opencl, size_t n_lanes, const mt_device_fault *fault,
    mt_opencl_buffer *const buffer[ARGUMENTS + 1], float (*result)[NUMBERS])
{
    const size_t n = NUMBERS;
    const mt_device_shape shape = mt_device_shape_of(mt_opencl_device(opencl), n_lanes);
    const char *text[MT_DEVICE_TEST_TEXTS];
    char options[MT_DEVICE_OPTIONS];
    mt_opencl_program *program;
    mt_opencl_kernel *kernel;
    MT_SCRATCH(scratch);
    MT_TRY(mt_device_test_program(scratch, fault && fault->text ? fault->text : "", text));
    mt_device_options(mt_opencl_device(opencl), &shape, false, options);
    MT_TRY(mt_opencl_program_make(opencl, "the self-test", MT_DEVICE_TEST_TEXTS, text,
        fault && fault->options ? fault->options : options, &program));
    MT_TRY(mt_opencl_kernel_make(program, "self_test", &kernel));
    MT_TRY(mt_opencl_set(kernel, 0, sizeof(uint64_t), &(uint64_t){n}));
    for (unsigned b = 0; b <= ARGUMENTS; b++) MT_TRY(mt_opencl_set_buffer(kernel, b + 1, buffer[b]));
    MT_TRY(mt_opencl_launch(kernel, n / shape.lanes, shape.group));
    return mt_opencl_read(buffer[ARGUMENTS], 0, OPERATIONS * sizeof *result, result);
}

/* ---- the comparison ---- */

static bool same(float a, float b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

static void describe(char difference[MT_DEVICE_DIFFERENCE], const char *name,
    float argument[ARGUMENTS][NUMBERS], size_t k, float device, float on_host)
{
    static const char letters[ARGUMENTS] = {'x', 'y', 'z'};
    char arguments[96] = "";
    for (int a = 0; a < ARGUMENTS; a++) {
        const size_t used = strlen(arguments);
        if (strchr(name, letters[a]))
            (void)snprintf(arguments + used, sizeof arguments - used, "%s %c = %.9g", used > 0 ? "," : " for",
                letters[a], (double)argument[a][k]);
    }
    (void)snprintf(difference, MT_DEVICE_DIFFERENCE, "%s%s: %.9g, on the host %.9g", name, arguments,
        (double)device, (double)on_host);
}

/* Writes the first difference, by operations, or "". */
static void compare(char difference[MT_DEVICE_DIFFERENCE], float argument[ARGUMENTS][NUMBERS],
    float (*device)[NUMBERS], float (*on_host)[NUMBERS])
{
    difference[0] = 0;
    for (int o = 0; o < OPERATIONS; o++)
        for (size_t k = 0; k < NUMBERS; k++)
            if (!same(device[o][k], on_host[o][k])) {
                describe(difference, names[o], argument, k, device[o][k], on_host[o][k]);
                return;
            }
}

mt_status mt_device_self_test(
    mt_opencl *opencl, size_t n_lanes, const mt_device_fault *fault, char difference[MT_DEVICE_DIFFERENCE])
{
    float(*argument)[NUMBERS], (*device)[NUMBERS], (*on_host)[NUMBERS];
    mt_opencl_buffer *buffer[ARGUMENTS + 1] = {NULL};
    mt_status status = MT_OK;
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, argument, ARGUMENTS);
    MT_ALLOC(scratch, device, OPERATIONS);
    MT_ALLOC(scratch, on_host, OPERATIONS);
    fill(argument);
    for (int b = 0; b <= ARGUMENTS && status == MT_OK; b++)
        status = b < ARGUMENTS ? mt_opencl_buffer_make(opencl, "numbers of the self-test", sizeof *argument,
                                     argument[b], &buffer[b])
                               : mt_opencl_buffer_make(opencl, "results of the self-test",
                                     OPERATIONS * sizeof *device, NULL, &buffer[b]);
    if (status == MT_OK) status = compute_on_device(opencl, n_lanes, fault, buffer, device);
    for (int b = 0; b <= ARGUMENTS; b++) mt_opencl_buffer_free(&buffer[b]);
    MT_TRY(status);
    compute(argument, on_host);
    compare(difference, argument, device, on_host);
    return MT_OK;
}
