#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/opencl/devices.h"
#include "tests/opencl_library.h"

static void forget_variables(void)
{
    cr_assert(unsetenv("MYOTILE_OPENCL") == 0 && unsetenv("MT_FAKE_DEVICES") == 0 &&
              unsetenv("MT_OPENCL_FAULTS") == 0);
}

TestSuite(devices, .init = forget_variables);

static const char install[] =
    "install the driver of the GPU and Debian's package ocl-icd-libopencl1, or pocl-opencl-icd";

/* Asserts that listing fails with a message that contains both texts. */
static void refuses_to_list(const char *text, const char *also)
{
    MT_SCRATCH(arena);
    size_t n = 7;
    mt_device *device;
    cr_assert_eq(mt_devices_list(arena, &n, &device), MT_INPUT, "%s", mt_message());
    cr_assert(strstr(mt_message(), text) && strstr(mt_message(), also), "%s", mt_message());
    cr_assert_eq(n, 0);
}

/* Returns the device found among those in use, by its number; -1 with the message if none is found. */
static int found(const char *which)
{
    MT_SCRATCH(arena);
    const mt_device *device;
    const mt_status status = mt_devices_find(arena, which, &device);
    cr_assert(status == MT_OK || status == MT_INPUT, "%s", mt_message());
    return status == MT_OK ? (int)device->number : -1;
}

static const mt_device *pocl_in(mt_arena *arena)
{
    size_t n;
    mt_device *device;
    cr_assert_eq(mt_devices_list(arena, &n, &device), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < n; k++)
        if (strcmp(device[k].platform, "Portable Computing Language") == 0) return &device[k];
    cr_assert_fail("no device of pocl; install pocl-opencl-icd");
    return NULL;
}

Test(devices, the_loader_lists_pocl_with_the_arithmetic_of_the_host)
{
    MT_SCRATCH(arena);
    const mt_device *d = pocl_in(arena);
    cr_assert_str_eq(d->type, "cpu");
    cr_assert(*d->name && *d->driver && strncmp(d->version, "OpenCL ", 7) == 0, "%s", d->version);
    cr_assert(d->compute_units >= 1 && d->group_items_max >= 1);
    cr_assert(d->memory_bytes >= d->buffer_bytes_max && d->buffer_bytes_max >= 1 << 20);
    cr_assert(d->available && d->compiler && d->nearest && d->inf_nan && d->doubles && d->correct_division);
    cr_assert_null(mt_device_lacks(d));
}

Test(devices, a_driver_is_loaded_without_the_loader)
{
    MT_SCRATCH(arena);
    const mt_device *by_loader = pocl_in(arena);
    cr_assert_eq(setenv("MYOTILE_OPENCL", "libpocl.so.2", 1), 0);
    const mt_device *by_driver = pocl_in(arena);
    cr_assert_eq(by_driver->number, 0);
    cr_assert_str_eq(by_driver->name, by_loader->name);
    cr_assert_neq(by_driver->functions, by_loader->functions);
}

/* libpocl.so.2 is also loaded directly. */
Test(devices, a_driver_that_the_loader_lists_is_listed_once)
{
    MT_SCRATCH(arena);
    size_t n, pocls = 0;
    mt_device *device;
    cr_assert_eq(mt_devices_list(arena, &n, &device), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < n; k++) pocls += strcmp(device[k].platform, "Portable Computing Language") == 0;
    cr_assert_eq(pocls, 1);
}

Test(devices, devices_are_numbered_over_all_platforms_and_described)
{
    MT_SCRATCH(arena);
    size_t n;
    mt_device *d;
    use_devices(":Some CPU|g:Fast GPU;a:Card|");
    cr_assert_eq(mt_devices_list(arena, &n, &d), MT_OK, "%s", mt_message());
    cr_assert_eq(n, 3);
    static const char *const types[] = {"cpu", "gpu", "accelerator"},
                             *const platforms[] = {"Fake 0", "Fake 1", "Fake 1"},
                             *const names[] = {"Some CPU", "Fast GPU", "Card"};
    for (size_t k = 0; k < 3; k++) {
        cr_assert_eq(d[k].number, k);
        cr_assert_str_eq(d[k].name, names[k]);
        cr_assert_str_eq(d[k].type, types[k]);
        cr_assert_str_eq(d[k].platform, platforms[k]);
        cr_assert_str_eq(d[k].vendor, "Fakes Ltd");
        cr_assert_str_eq(d[k].driver, "535.1");
        cr_assert_str_eq(d[k].version, "OpenCL 1.2 fake");
        cr_assert(d[k].compute_units == 132 && d[k].clock_MHz == 1980 && d[k].group_items_max == 1024);
        cr_assert(d[k].memory_bytes == 150ull << 30 && d[k].buffer_bytes_max == d[k].memory_bytes / 4);
    }
}

Test(devices, a_device_without_the_arithmetic_of_the_host_is_named_with_what_it_lacks)
{
    static const struct {
        const char *devices, *lacks;
    } cases[] = {{"g:A|", NULL}, {"gf:A|", NULL}, {"gd:A|", "double precision"},
        {"gc:A|", "correctly rounded division"}, {"gn:A|", "rounding to nearest"},
        {"gi:A|", "infinities and NaNs"}, {"gx:A|", "a compiler"}, {"gu:A|", "availability"},
        {"go:A|", "OpenCL 1.2"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MT_SCRATCH(arena);
        size_t n;
        mt_device *d;
        use_devices(cases[k].devices);
        cr_assert_eq(mt_devices_list(arena, &n, &d), MT_OK, "%s", mt_message());
        const char *lacks = mt_device_lacks(d);
        cr_assert(lacks == cases[k].lacks || (lacks && cases[k].lacks && strcmp(lacks, cases[k].lacks) == 0),
            "%s: %s", cases[k].devices, lacks);
        cr_assert_eq(d->fma, !strchr(cases[k].devices, 'f'), "%s", cases[k].devices);
    }
}

Test(devices, a_device_is_found_by_number_and_by_part_of_its_name)
{
    use_devices(":EPYC 64-Core;:EPYC;:EPYC 32-Core|g:NVIDIA H200;g:NVIDIA H100;g:Radeon 7900|");
    cr_assert_eq(found("3"), 3);
    cr_assert_eq(found("radeon"), 5);
    cr_assert_eq(found("H200"), 3);
    cr_assert_eq(found("7900"), 5, "digits that are no number of a device are part of a name");
    cr_assert_eq(found("epyc"), 1, "a complete name takes precedence");
    cr_assert_eq(found(NULL), 3, "the first GPU");
    cr_assert_eq(found(""), 3);
    use_devices(":EPYC 64-Core;:EPYC|");
    cr_assert_eq(found(NULL), 0, "the first device, since there is no GPU");
}

/* Returns the device of a rank by its number; -1 with the message if none is found. */
static int found_for(const char *which, uint32_t rank, uint32_t n_ranks)
{
    MT_SCRATCH(arena);
    const mt_device *device;
    const mt_status status = mt_devices_find_for_rank(arena, which, rank, n_ranks, &device);
    cr_assert(status == MT_OK || status == MT_INPUT, "%s", mt_message());
    return status == MT_OK ? (int)device->number : -1;
}

Test(devices, ranks_take_the_matching_devices_in_turn)
{
    enum { RANKS = 5 };
    static const struct {
        const char *which;
        int device[RANKS];
    } cases[] = {{NULL, {1, 2, 4, 1, 2}}, {"", {1, 2, 4, 1, 2}}, {"h200", {1, 2, 1, 2, 1}},
        {"NVIDIA", {1, 2, 4, 1, 2}}, {"EPYC", {0, 0, 0, 0, 0}}, {"3", {3, 3, 3, 3, 3}},
        {"amd", {-1, -1, -1, -1, -1}}};
    use_devices(":EPYC;g:NVIDIA H200;g:NVIDIA H200|:EPYC 32-Core;g:NVIDIA A100|");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint32_t r = 0; r < RANKS; r++)
            cr_assert_eq(
                found_for(cases[k].which, r, RANKS), cases[k].device[r], "%s, rank %u", cases[k].which, r);
    cr_assert_eq(found_for("h200", 0, 1), -1, "one rank must state which of them");
    use_devices(":EPYC;a:Card;:Xeon|");
    for (uint32_t r = 0; r < RANKS; r++)
        cr_assert_eq(found_for("", r, RANKS), r % 2 ? 2 : 0, "rank %u: processors, as the first device", r);
}

Test(devices, unknown_and_ambiguous_devices_are_refused_with_the_list)
{
    use_devices(":EPYC|g:NVIDIA H200;g:NVIDIA H200|");
    cr_assert_eq(found("intel"), -1);
    cr_assert_str_eq(mt_message(), "OpenCL device 'intel' is unknown; allowed: a number or a part of a name: "
                                   "0 (EPYC), 1 (NVIDIA H200), 2 (NVIDIA H200)");
    cr_assert_eq(found("3"), -1);
    cr_assert_eq(found("-1"), -1);
    cr_assert_eq(found("nvidia"), -1);
    cr_assert(strstr(mt_message(), "'nvidia' is ambiguous; allowed: a number or"), "%s", mt_message());
    cr_assert_eq(found("NVIDIA H200"), -1, "two devices have this name");
    cr_assert(strstr(mt_message(), "ambiguous"), "%s", mt_message());
}

Test(devices, a_missing_or_wrong_library_is_named)
{
    cr_assert_eq(setenv("MYOTILE_OPENCL", "/nowhere/libOpenCL.so", 1), 0);
    refuses_to_list("MYOTILE_OPENCL: cannot be loaded: ", "/nowhere/libOpenCL.so");
    cr_assert_eq(setenv("MYOTILE_OPENCL", "libm.so.6", 1), 0);
    refuses_to_list("MYOTILE_OPENCL: libm.so.6", "is neither an OpenCL loader nor an OpenCL driver");
}

Test(devices, no_platform_and_no_device_say_what_to_install)
{
    use_devices("");
    refuses_to_list("OpenCL lists no platform (driver); ", install);
    use_devices("||");
    refuses_to_list("OpenCL lists no device of Fake 0 or other platforms; ", install);
    use_faults("clGetPlatformIDs=-1001");
    refuses_to_list("OpenCL lists no platform (driver); ", install);
    use_faults("clGetDeviceIDs=-1");
    refuses_to_list("OpenCL lists no device of Portable Computing Language; ", install);
}

/* The real system without libraries: every dlopen fails. */
static bool none_installed;
void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
    return none_installed ? NULL : __real_dlopen(name, flags);
}

Test(devices, without_any_library_the_message_says_what_to_install)
{
    none_installed = true;
    refuses_to_list(
        "found no OpenCL library (libOpenCL.so.1, libnvidia-opencl.so.1, libpocl.so.2); ", install);
}

Test(devices, errors_have_the_names_of_the_specification)
{
    cr_assert_str_eq(mt_device_error(-5), "CL_OUT_OF_RESOURCES");
    cr_assert_str_eq(mt_device_error(-64), "CL_INVALID_PROPERTY");
    cr_assert_str_eq(mt_device_error(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    cr_assert_str_eq(mt_device_error(-123456), "unknown error");
}

Test(devices, every_failing_allocation_is_reported)
{
    use_devices(":EPYC|g:NVIDIA H200|");
    mt_status status = MT_MEMORY;
    size_t k = 0;
    while (status == MT_MEMORY) {
        MT_SCRATCH(arena);
        const mt_device *device;
        mt_arena_fail_at(++k);
        status = mt_devices_find(arena, "0", &device);
        mt_arena_fail_at(0);
    }
    cr_assert(status == MT_OK && k > 10, "%zu: %s", k, mt_message());
}
