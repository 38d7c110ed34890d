/* An OpenCL driver whose devices can only be listed, not opened. MT_FAKE_DEVICES has them, separated by ';': the letters of their properties,
 * ':' and their names. Each platform ends with '|': "gc:Fast GPU;:CPU|" is one platform. Without the variable there is no platform.
 *
 *     g a: GPU, accelerator (otherwise a CPU)      d: single precision only     c: rounds division incorrectly
 *     n: rounds towards zero                       i: has no infinities       f: has no fused multiply-add
 *     x: no compiler                               u: not available           o: OpenCL 1.1 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

struct _cl_device_id {
    const cl_icd_dispatch *dispatch;
    char flags[16], name[64];
};

struct _cl_platform_id {
    const cl_icd_dispatch *dispatch;
    cl_uint n;
    struct _cl_device_id device[MOST];
    char name[32];
};

static struct _cl_platform_id platforms[MOST];

static cl_int copy(const void *from, size_t bytes, size_t room, void *to, size_t *needed)
{
    if (needed) *needed = bytes;
    if (to && room < bytes) return CL_INVALID_VALUE;
    if (to) memcpy(to, from, bytes);
    return CL_SUCCESS;
}

static cl_int copy_text(const char *text, size_t room, void *to, size_t *needed)
{
    return copy(text, strlen(text) + 1, room, to, needed);
}

static cl_int platform_info(
    cl_platform_id platform, cl_platform_info what, size_t room, void *to, size_t *needed)
{
    return copy_text(what == CL_PLATFORM_NAME ? platform->name : "OpenCL 1.2 fake", room, to, needed);
}

static cl_int devices(
    cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *n)
{
    (void)type;
    if (platform->n == 0) return CL_DEVICE_NOT_FOUND;
    if (n) *n = platform->n;
    for (cl_uint k = 0; ids && k < room && k < platform->n; k++) ids[k] = &platform->device[k];
    return CL_SUCCESS;
}

static bool has(cl_device_id device, char flag) { return strchr(device->flags, flag) != NULL; }

static cl_int device_info(cl_device_id d, cl_device_info what, size_t room, void *to, size_t *needed)
{
    const cl_device_type type = has(d, 'g')   ? CL_DEVICE_TYPE_GPU
                                : has(d, 'a') ? CL_DEVICE_TYPE_ACCELERATOR
                                              : CL_DEVICE_TYPE_CPU;
    const cl_device_fp_config arithmetic = (has(d, 'c') ? 0u : CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) |
                                           (has(d, 'n') ? CL_FP_ROUND_TO_ZERO : CL_FP_ROUND_TO_NEAREST) |
                                           (has(d, 'i') ? 0u : CL_FP_INF_NAN) |
                                           (has(d, 'f') ? 0u : CL_FP_FMA);
    const cl_device_fp_config twice = has(d, 'd') ? 0u : CL_FP_FMA;
    const cl_uint units = 132, clock_MHz = 1980, vector = 1;
    const cl_ulong memory = 150ull << 30, most = memory / 4;
    const size_t group = 1024;
    const cl_bool available = !has(d, 'u'), compiler = !has(d, 'x');
    switch (what) {
    case CL_DEVICE_NAME:
        return copy_text(d->name, room, to, needed);
    case CL_DEVICE_VENDOR:
        return copy_text("Fakes Ltd", room, to, needed);
    case CL_DRIVER_VERSION:
        return copy_text("535.1", room, to, needed);
    case CL_DEVICE_VERSION:
        return copy_text(has(d, 'o') ? "OpenCL 1.1 old" : "OpenCL 1.2 fake", room, to, needed);
    case CL_DEVICE_TYPE:
        return copy(&type, sizeof type, room, to, needed);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return copy(&arithmetic, sizeof arithmetic, room, to, needed);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return copy(&twice, sizeof twice, room, to, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return copy(&units, sizeof units, room, to, needed);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return copy(&clock_MHz, sizeof clock_MHz, room, to, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return copy(&memory, sizeof memory, room, to, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return copy(&most, sizeof most, room, to, needed);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
        return copy(&vector, sizeof vector, room, to, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return copy(&group, sizeof group, room, to, needed);
    case CL_DEVICE_AVAILABLE:
        return copy(&available, sizeof available, room, to, needed);
    case CL_DEVICE_COMPILER_AVAILABLE:
        return copy(&compiler, sizeof compiler, room, to, needed);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_context no_context(const cl_context_properties *properties, cl_uint n, const cl_device_id *ids,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *error)
{
    (void)properties, (void)n, (void)ids, (void)notify, (void)user;
    *error = CL_DEVICE_NOT_AVAILABLE;
    return NULL;
}

static const cl_icd_dispatch dispatch = {.clGetPlatformInfo = platform_info,
    .clGetDeviceIDs = devices,
    .clGetDeviceInfo = device_info,
    .clCreateContext = no_context};

/* Reads the devices of a platform up to its '|', and returns what follows. */
static const char *read_platform(const char *text, struct _cl_platform_id *p)
{
    const char *end = strchr(text, '|');
    while (text < end && p->n < MOST) {
        struct _cl_device_id *d = &p->device[p->n++];
        const size_t flags = strcspn(text, ":"), name = strcspn(text + flags + 1, ";|");
        d->dispatch = &dispatch;
        (void)snprintf(d->flags, sizeof d->flags, "%.*s", (int)flags, text);
        (void)snprintf(d->name, sizeof d->name, "%.*s", (int)name, text + flags + 1);
        text += flags + 1 + name + (text[flags + 1 + name] == ';');
    }
    return end + 1;
}

static cl_int list(cl_uint room, cl_platform_id *ids, cl_uint *n)
{
    const char *text = getenv("MT_FAKE_DEVICES");
    cl_uint found = 0;
    memset(platforms, 0, sizeof platforms);
    while (text && *text && found < MOST) {
        struct _cl_platform_id *p = &platforms[found];
        p->dispatch = &dispatch;
        (void)snprintf(p->name, sizeof p->name, "Fake %u", found);
        text = read_platform(text, p);
        if (ids && found < room) ids[found] = p;
        found++;
    }
    if (n) *n = found;
    return found > 0 ? CL_SUCCESS : -1001;
}

void *clGetExtensionFunctionAddress(const char *name)
{
    union {
        cl_int (*function)(cl_uint, cl_platform_id *, cl_uint *);
        void *address;
    } as = {.function = list};
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? as.address : NULL;
}
