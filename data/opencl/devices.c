#include "data/opencl/devices.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/utf8.h"
#include "data/opencl/functions.h"

#include <CL/cl_icd.h>

enum { PLATFORMS_MAX = 64 };

static const char variable[] = "MYOTILE_OPENCL";
static const char *const libraries[] = {"libOpenCL.so.1", "libnvidia-opencl.so.1", "libpocl.so.2"};
#define INSTALL                                                                                              \
    "install the driver of the GPU and Debian's package ocl-icd-libopencl1, or pocl-opencl-icd to compute "  \
    "on the processor"

typedef cl_int get_platforms(cl_uint, cl_platform_id *, cl_uint *);
typedef void *get_address(const char *);
typedef void function(void);

typedef struct platform {
    cl_platform_id id;
    const mt_opencl_functions *functions;
    const char *name;
} platform;

typedef struct survey {
    mt_arena *arena;
    size_t n_libraries, n_platforms;
    platform platform[PLATFORMS_MAX];
    size_t n_devices;
    mt_device *device;
} survey;

/* ---- errors ---- */

#define NAMED(error)                                                                                         \
    {                                                                                                        \
        error, #error                                                                                        \
    }
static const struct {
    int error;
    const char *name;
} errors[] = {NAMED(CL_DEVICE_NOT_FOUND), NAMED(CL_DEVICE_NOT_AVAILABLE), NAMED(CL_COMPILER_NOT_AVAILABLE),
    NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE), NAMED(CL_OUT_OF_RESOURCES), NAMED(CL_OUT_OF_HOST_MEMORY),
    NAMED(CL_PROFILING_INFO_NOT_AVAILABLE), NAMED(CL_MEM_COPY_OVERLAP), NAMED(CL_BUILD_PROGRAM_FAILURE),
    NAMED(CL_MAP_FAILURE), NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), NAMED(CL_COMPILE_PROGRAM_FAILURE),
    NAMED(CL_LINKER_NOT_AVAILABLE), NAMED(CL_LINK_PROGRAM_FAILURE), NAMED(CL_INVALID_VALUE),
    NAMED(CL_INVALID_DEVICE_TYPE), NAMED(CL_INVALID_PLATFORM), NAMED(CL_INVALID_DEVICE),
    NAMED(CL_INVALID_CONTEXT), NAMED(CL_INVALID_QUEUE_PROPERTIES), NAMED(CL_INVALID_COMMAND_QUEUE),
    NAMED(CL_INVALID_HOST_PTR), NAMED(CL_INVALID_MEM_OBJECT), NAMED(CL_INVALID_BINARY),
    NAMED(CL_INVALID_BUILD_OPTIONS), NAMED(CL_INVALID_PROGRAM), NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    NAMED(CL_INVALID_KERNEL_NAME), NAMED(CL_INVALID_KERNEL_DEFINITION), NAMED(CL_INVALID_KERNEL),
    NAMED(CL_INVALID_ARG_INDEX), NAMED(CL_INVALID_ARG_VALUE), NAMED(CL_INVALID_ARG_SIZE),
    NAMED(CL_INVALID_KERNEL_ARGS), NAMED(CL_INVALID_WORK_DIMENSION), NAMED(CL_INVALID_WORK_GROUP_SIZE),
    NAMED(CL_INVALID_WORK_ITEM_SIZE), NAMED(CL_INVALID_GLOBAL_OFFSET), NAMED(CL_INVALID_EVENT_WAIT_LIST),
    NAMED(CL_INVALID_EVENT), NAMED(CL_INVALID_OPERATION), NAMED(CL_INVALID_BUFFER_SIZE),
    NAMED(CL_INVALID_GLOBAL_WORK_SIZE), NAMED(CL_INVALID_PROPERTY), {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-9999, "NVIDIA: illegal read or write of memory"}};

const char *mt_device_error(int error)
{
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].error == error) return errors[k].name;
    return "unknown error";
}

/* ---- libraries ---- */

/* Sets a pointer to a function at an address. ISO C does not convert pointers to data. */
static bool set_function(function **to, void *address)
{
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

/* Fills the table from the library's exports. False if one is missing, as in drivers. */
static bool find_exports(void *library, mt_opencl_functions *f)
{
    bool all = true;
#define FIND(name) all = set_function((function **)(void *)&f->name, dlsym(library, #name)) && all;
    MT_OPENCL_FUNCTIONS(FIND)
#undef FIND
    return all;
}

/* Fills the table from the first member of a driver's platform, as the extension cl_khr_icd defines it. */
static void find_in_driver(cl_platform_id id, mt_opencl_functions *f)
{
    const cl_icd_dispatch *table;
    memcpy(&table, id, sizeof table);
#define FIND(name) f->name = table->name;
    MT_OPENCL_FUNCTIONS(FIND)
#undef FIND
}

/* Finds the function of a library that lists its platforms, and whether the library exports all functions; NULL if it is not an OpenCL
 * library. */
static get_platforms *find_list(void *library, mt_opencl_functions *f, bool *exports)
{
    get_platforms *list = NULL;
    get_address *address = NULL;
    *exports = find_exports(library, f);
    if (*exports && set_function((function **)(void *)&list, dlsym(library, "clGetPlatformIDs"))) return list;
    *exports = false;
    if (set_function((function **)(void *)&list, dlsym(library, "clIcdGetPlatformIDsKHR"))) return list;
    if (!set_function((function **)(void *)&address, dlsym(library, "clGetExtensionFunctionAddress")))
        return NULL;
    (void)set_function((function **)(void *)&list, address("clIcdGetPlatformIDsKHR"));
    return list;
}

/* ---- platforms ---- */

/* Returns a text without white space at its ends. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t\n");
    for (size_t n = strlen(text); n > 0 && strchr(" \t\n", text[n - 1]);) text[--n] = 0;
    return text;
}

static mt_status platform_name(mt_arena *arena, const platform *p, const char **name)
{
    size_t bytes = 0;
    char *room;
    if (p->functions->clGetPlatformInfo(p->id, CL_PLATFORM_NAME, 0, NULL, &bytes) != CL_SUCCESS) bytes = 0;
    MT_ALLOC(arena, room, bytes + 1);
    if (bytes > 0) (void)p->functions->clGetPlatformInfo(p->id, CL_PLATFORM_NAME, bytes, room, NULL);
    *name = trimmed(room);
    return MT_OK;
}

/* True if one of the first n platforms is this one, which the loader has listed before its driver does. */
static bool is_listed(const survey *s, size_t n, const platform *p)
{
    for (size_t k = 0; k < n; k++)
        if (s->platform[k].id == p->id || strcmp(s->platform[k].name, p->name) == 0) return true;
    return false;
}

/* Adds the platforms of a loaded library, or nothing if it is not an OpenCL library. */
static mt_status add_library(survey *s, void *library)
{
    cl_platform_id ids[PLATFORMS_MAX];
    cl_uint n = 0;
    bool exports;
    mt_opencl_functions *of_library;
    const size_t before = s->n_platforms;
    MT_ALLOC(s->arena, of_library, 1);
    get_platforms *list = find_list(library, of_library, &exports);
    if (!list) return MT_OK;
    s->n_libraries++;
    if (list(PLATFORMS_MAX, ids, &n) != CL_SUCCESS) return MT_OK; /* CL_PLATFORM_NOT_FOUND_KHR */
    for (cl_uint k = 0; k < n && k < PLATFORMS_MAX && s->n_platforms < PLATFORMS_MAX; k++) {
        platform *p = &s->platform[s->n_platforms];
        mt_opencl_functions *own = of_library;
        if (!exports) {
            MT_ALLOC(s->arena, own, 1);
            find_in_driver(ids[k], own);
        }
        *p = (platform){.id = ids[k], .functions = own};
        MT_TRY(platform_name(s->arena, p, &p->name));
        s->n_platforms += !is_listed(s, before, p);
    }
    return MT_OK;
}

/* Loads a library, which stays loaded: drivers have threads. */
static void *load(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

static mt_status add_named_library(survey *s, const char *name)
{
    void *library = load(name);
    if (!library) return mt_fail(MT_INPUT, "%s: cannot be loaded: %s", variable, dlerror());
    MT_TRY(add_library(s, library));
    return s->n_libraries > 0
               ? MT_OK
               : mt_fail(MT_INPUT, "%s: %s is neither an OpenCL loader nor an OpenCL driver", variable, name);
}

static mt_status add_platforms(survey *s)
{
    const char *named = getenv(variable);
    if (named && *named) {
        MT_TRY(add_named_library(s, named));
    } else {
        for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
            void *library = load(libraries[k]);
            if (library) MT_TRY(add_library(s, library));
        }
        if (s->n_libraries == 0)
            return mt_fail(MT_INPUT, "found no OpenCL library (%s, %s, %s); " INSTALL, libraries[0],
                libraries[1], libraries[2]);
    }
    if (s->n_platforms == 0) return mt_fail(MT_INPUT, "OpenCL lists no platform (driver); " INSTALL);
    return MT_OK;
}

/* ---- devices ---- */

static mt_status device_text(mt_arena *arena, const mt_device *d, cl_device_info what, const char **text)
{
    size_t bytes = 0;
    char *room;
    if (d->functions->clGetDeviceInfo(d->id, what, 0, NULL, &bytes) != CL_SUCCESS) bytes = 0;
    MT_ALLOC(arena, room, bytes + 1);
    if (bytes > 0) (void)d->functions->clGetDeviceInfo(d->id, what, bytes, room, NULL);
    *text = trimmed(room);
    return MT_OK;
}

/* Return a property of a device, of the type that OpenCL defines for it; 0 if the driver does not know it. */
static uint64_t number32(const mt_device *d, cl_device_info what)
{
    cl_uint value = 0;
    return d->functions->clGetDeviceInfo(d->id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static uint64_t number64(const mt_device *d, cl_device_info what)
{
    cl_ulong value = 0; /* also of the type cl_bitfield */
    return d->functions->clGetDeviceInfo(d->id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static uint64_t number_size(const mt_device *d, cl_device_info what)
{
    size_t value = 0;
    return d->functions->clGetDeviceInfo(d->id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static const char *type_name(uint64_t type)
{
    if (type & CL_DEVICE_TYPE_GPU) return "gpu";
    if (type & CL_DEVICE_TYPE_CPU) return "cpu";
    return type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : "other";
}

/* True if the version ("OpenCL 3.0 CUDA") is 1.2 or later. */
static bool is_recent(const char *version)
{
    unsigned major = 0, minor = 0;
    return sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && (major > 1 || minor >= 2);
}

static mt_status describe(mt_arena *arena, mt_device *d)
{
    MT_TRY(device_text(arena, d, CL_DEVICE_NAME, &d->name));
    MT_TRY(device_text(arena, d, CL_DEVICE_VENDOR, &d->vendor));
    MT_TRY(device_text(arena, d, CL_DRIVER_VERSION, &d->driver));
    MT_TRY(device_text(arena, d, CL_DEVICE_VERSION, &d->version));
    d->type = type_name(number64(d, CL_DEVICE_TYPE));
    d->compute_units = number32(d, CL_DEVICE_MAX_COMPUTE_UNITS);
    d->clock_MHz = number32(d, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    d->memory_bytes = number64(d, CL_DEVICE_GLOBAL_MEM_SIZE);
    d->buffer_bytes_max = number64(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    d->vector_floats = number32(d, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    d->group_items_max = number_size(d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    d->available = number32(d, CL_DEVICE_AVAILABLE) != 0;
    d->compiler = number32(d, CL_DEVICE_COMPILER_AVAILABLE) != 0;
    d->recent = is_recent(d->version);
    const uint64_t single = number64(d, CL_DEVICE_SINGLE_FP_CONFIG);
    d->fma = (single & CL_FP_FMA) != 0;
    d->correct_division = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    d->nearest = (single & CL_FP_ROUND_TO_NEAREST) != 0;
    d->inf_nan = (single & CL_FP_INF_NAN) != 0;
    d->doubles = number64(d, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    return MT_OK;
}

/* Returns the number of devices of a platform. */
static cl_uint devices_of(const platform *p)
{
    cl_uint n = 0;
    const cl_int error = p->functions->clGetDeviceIDs(p->id, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    return error == CL_SUCCESS ? n : 0;
}

static mt_status add_devices(survey *s, const platform *p, cl_uint n)
{
    cl_device_id *ids;
    MT_ALLOC(s->arena, ids, n);
    if (p->functions->clGetDeviceIDs(p->id, CL_DEVICE_TYPE_ALL, n, ids, NULL) != CL_SUCCESS) return MT_OK;
    for (cl_uint k = 0; k < n; k++) {
        mt_device *d = &s->device[s->n_devices];
        *d = (mt_device){.number = s->n_devices,
            .platform = p->name,
            .functions = p->functions,
            .platform_id = p->id,
            .id = ids[k]};
        MT_TRY(describe(s->arena, d));
        s->n_devices++;
    }
    return MT_OK;
}

mt_status mt_devices_list(mt_arena *arena, size_t *n, mt_device **devices)
{
    survey s = {.arena = arena};
    cl_uint of[PLATFORMS_MAX];
    size_t all = 0;
    *n = 0;
    MT_TRY(add_platforms(&s));
    for (size_t k = 0; k < s.n_platforms; k++) all += of[k] = devices_of(&s.platform[k]);
    MT_ALLOC(arena, s.device, all);
    for (size_t k = 0; k < s.n_platforms; k++)
        if (of[k] > 0) MT_TRY(add_devices(&s, &s.platform[k], of[k]));
    if (s.n_devices == 0)
        return mt_fail(MT_INPUT, "OpenCL lists no device of %s%s; " INSTALL, s.platform[0].name,
            s.n_platforms > 1 ? " or other platforms" : "");
    *n = s.n_devices;
    *devices = s.device;
    return MT_OK;
}

const char *mt_device_lacks(const mt_device *d)
{
    if (!d->available) return "availability";
    if (!d->compiler) return "a compiler";
    if (!d->recent) return "OpenCL 1.2";
    if (!d->nearest) return "rounding to nearest";
    if (!d->inf_nan) return "infinities and NaNs";
    if (!d->doubles) return "double precision";
    if (!d->correct_division) return "correctly rounded division";
    return NULL;
}

/* ---- finding ---- */

/* Fails with the list of devices. */
static mt_status not_found(const char *which, const char *why, size_t n, const mt_device *device)
{
    char list[512] = "";
    for (size_t k = 0, used = 0; k < n && used < sizeof list; k++)
        used += (size_t)snprintf(
            list + used, sizeof list - used, "%s%zu (%s)", k > 0 ? ", " : "", k, device[k].name);
    return mt_fail(MT_INPUT, "OpenCL device '%s' is %s; allowed: a number or a part of a name: %s",
        mt_utf8_shown(which), why, list);
}

static const mt_device *first_gpu(size_t n, const mt_device *device)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(device[k].type, "gpu") == 0) return &device[k];
    return &device[0];
}

/* True if `which` is the number of a device. */
static bool is_number_of(const mt_device *device, const char *which)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%zu", device->number);
    return strcmp(which, number) == 0;
}

/* Ways to match devices; the first that matches any is used. */
typedef enum match { BY_TYPE, BY_NUMBER, BY_NAME, BY_PART, MATCHES } match;

static bool matches(match how, const mt_device *first, const mt_device *device, const char *which)
{
    switch (how) {
    case BY_TYPE:
        return !*which && strcmp(device->type, first->type) == 0;
    case BY_NUMBER:
        return is_number_of(device, which);
    case BY_NAME:
        return strcasecmp(device->name, which) == 0;
    default:
        return strcasestr(device->name, which) != NULL;
    }
}

/* Lists the devices that match, in `found`; returns their number. */
static size_t list_matches(size_t n, const mt_device *device, const char *which, const mt_device **found)
{
    size_t n_found = 0;
    for (int how = 0; how < MATCHES && n_found == 0; how++)
        for (size_t k = 0; k < n; k++)
            if (matches((match)how, first_gpu(n, device), &device[k], which)) found[n_found++] = &device[k];
    return n_found;
}

mt_status mt_devices_find_for_rank(
    mt_arena *arena, const char *which, uint32_t rank, uint32_t n_ranks, const mt_device **device)
{
    size_t n;
    mt_device *all;
    const mt_device **found;
    MT_TRY(mt_devices_list(arena, &n, &all));
    *device = first_gpu(n, all);
    const bool any = !which || !*which;
    if (any && n_ranks <= 1) return MT_OK;
    MT_ALLOC(arena, found, n);
    const size_t n_found = list_matches(n, all, any ? "" : which, found);
    if (n_found == 0 || (n_found > 1 && n_ranks <= 1))
        return not_found(which, n_found > 0 ? "ambiguous" : "unknown", n, all);
    *device = found[rank % n_found];
    return MT_OK;
}

mt_status mt_devices_find(mt_arena *arena, const char *which, const mt_device **device)
{
    return mt_devices_find_for_rank(arena, which, 0, 1, device);
}
