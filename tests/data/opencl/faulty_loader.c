/* The OpenCL loader with faults. MT_OPENCL_FAULTS names functions and the errors that they return ("clFinish=-5 clCreateBuffer=-4"). All
 * other calls are forwarded to libOpenCL.so.1, to which this library is linked; programs get the options in MT_OPENCL_OPTIONS after their own, and
 * devices lack the properties of single precision in the bits of MT_OPENCL_WITHOUT and allow work-groups of MT_OPENCL_GROUP_MAX items.
 * opencl_faulty_live returns the number of objects that were
 * created and not released. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int live;

int opencl_faulty_live(void);
int opencl_faulty_live(void) { return live; }

/* Returns the function of libOpenCL.so.1, of which the program's own search for names knows nothing. */
static void *original(const char *name)
{
    static void *library;
    if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *address = dlsym(library, name);
    if (!address) fprintf(stderr, "libOpenCL.so.1: no %s\n", name), abort();
    return address;
}

/* Returns the error of a function, or CL_SUCCESS. */
static cl_int fault(const char *name)
{
    const char *text = getenv("MT_OPENCL_FAULTS");
    const size_t n = strlen(name);
    for (; text && (text = strstr(text, name)); text += n)
        if (text[n] == '=') return atoi(text + n + 1);
    return CL_SUCCESS;
}

/* A function with these parameters that returns an error, and with its fault changes nothing. */
#define RETURNS_ERROR(name, parameters, arguments)                                                           \
    CL_API_ENTRY cl_int CL_API_CALL name parameters                                                          \
    {                                                                                                        \
        __typeof__(name) *function;                                                                          \
        void *address = original(#name);                                                                     \
        memcpy(&function, &address, sizeof function);                                                        \
        const cl_int error = fault(#name);                                                                   \
        return error != CL_SUCCESS ? error : function arguments;                                             \
    }

/* A function that creates an object. */
#define CREATES(type, name, parameters, arguments)                                                           \
    CL_API_ENTRY type CL_API_CALL name parameters                                                            \
    {                                                                                                        \
        __typeof__(name) *function;                                                                          \
        void *address = original(#name);                                                                     \
        memcpy(&function, &address, sizeof function);                                                        \
        *error = fault(#name);                                                                               \
        if (*error != CL_SUCCESS) return NULL;                                                               \
        type created = function arguments;                                                                   \
        live += created != NULL;                                                                             \
        return created;                                                                                      \
    }

/* A function that releases an object, never with a fault. */
#define RELEASES(type, name)                                                                                 \
    CL_API_ENTRY cl_int CL_API_CALL name(type object)                                                        \
    {                                                                                                        \
        cl_int (*function)(type);                                                                            \
        void *address = original(#name);                                                                     \
        memcpy(&function, &address, sizeof function);                                                        \
        live--;                                                                                              \
        return function(object);                                                                             \
    }

RETURNS_ERROR(clGetPlatformIDs, (cl_uint room, cl_platform_id *ids, cl_uint *n), (room, ids, n))
RETURNS_ERROR(clGetDeviceIDs,
    (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *n),
    (platform, type, room, ids, n))
CREATES(cl_context, clCreateContext,
    (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *error),
    (properties, n, devices, notify, user, error))
CREATES(cl_command_queue, clCreateCommandQueue,
    (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *error),
    (context, device, properties, error))
CREATES(cl_mem, clCreateBuffer,
    (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *error),
    (context, flags, bytes, host, error))
CREATES(cl_program, clCreateProgramWithSource,
    (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error),
    (context, n, texts, lengths, error))
CREATES(
    cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error), (program, name, error))
/* Returns the options with those of MT_OPENCL_OPTIONS. */
static const char *with_more(const char *options)
{
    static char all[512];
    const char *more = getenv("MT_OPENCL_OPTIONS");
    (void)snprintf(all, sizeof all, "%s %s", options, more ? more : "");
    return all;
}
RETURNS_ERROR(clBuildProgram,
    (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user),
    (program, n, devices, with_more(options), notify, user))

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(
    cl_device_id device, cl_device_info what, size_t room, void *to, size_t *needed)
{
    __typeof__(clGetDeviceInfo) *function;
    void *address = original("clGetDeviceInfo");
    const char *without = getenv("MT_OPENCL_WITHOUT");
    cl_device_fp_config arithmetic;
    memcpy(&function, &address, sizeof function);
    const cl_int error = function(device, what, room, to, needed);
    if (error != CL_SUCCESS || what != CL_DEVICE_SINGLE_FP_CONFIG || !to || !without) return error;
    memcpy(&arithmetic, to, sizeof arithmetic);
    arithmetic &= ~strtoull(without, NULL, 0);
    memcpy(to, &arithmetic, sizeof arithmetic);
    return CL_SUCCESS;
}
RETURNS_ERROR(clGetProgramBuildInfo,
    (cl_program program, cl_device_id device, cl_program_build_info what, size_t room, void *to,
        size_t *needed),
    (program, device, what, room, to, needed))
/* Returns the items that a work-group can have; SIZE_MAX: no limit of its own. */
static size_t group_max(void)
{
    const char *text = getenv("MT_OPENCL_GROUP_MAX");
    return text ? strtoul(text, NULL, 10) : SIZE_MAX;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
    cl_kernel_work_group_info what, size_t room, void *to, size_t *needed)
{
    __typeof__(clGetKernelWorkGroupInfo) *function;
    void *address = original("clGetKernelWorkGroupInfo");
    const size_t most = group_max();
    memcpy(&function, &address, sizeof function);
    cl_int error = fault("clGetKernelWorkGroupInfo");
    if (error == CL_SUCCESS) error = function(kernel, device, what, room, to, needed);
    if (error == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE && to && most < SIZE_MAX)
        memcpy(to, &most, sizeof most);
    return error;
}

RETURNS_ERROR(clSetKernelArg, (cl_kernel kernel, cl_uint argument, size_t bytes, const void *value),
    (kernel, argument, bytes, value))
RETURNS_ERROR(clEnqueueReadBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes, void *to,
        cl_uint n, const cl_event *wait, cl_event *event),
    (queue, buffer, blocking, offset, bytes, to, n, wait, event))
RETURNS_ERROR(clEnqueueWriteBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes, const void *from,
        cl_uint n, const cl_event *wait, cl_event *event),
    (queue, buffer, blocking, offset, bytes, from, n, wait, event))
RETURNS_ERROR(clEnqueueFillBuffer,
    (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes, size_t offset,
        size_t bytes, cl_uint n, const cl_event *wait, cl_event *event),
    (queue, buffer, pattern, pattern_bytes, offset, bytes, n, wait, event))
CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
    cl_uint dimensions, const size_t *offset, const size_t *items, const size_t *group, cl_uint n,
    const cl_event *wait, cl_event *event)
{
    __typeof__(clEnqueueNDRangeKernel) *function;
    void *address = original("clEnqueueNDRangeKernel");
    memcpy(&function, &address, sizeof function);
    const cl_int error = fault("clEnqueueNDRangeKernel");
    if (error != CL_SUCCESS) return error;
    if (group && *group > group_max()) return CL_INVALID_WORK_GROUP_SIZE;
    return function(queue, kernel, dimensions, offset, items, group, n, wait, event);
}
RETURNS_ERROR(clFinish, (cl_command_queue queue), (queue))
RELEASES(cl_context, clReleaseContext)
RELEASES(cl_command_queue, clReleaseCommandQueue)
RELEASES(cl_mem, clReleaseMemObject)
RELEASES(cl_program, clReleaseProgram)
RELEASES(cl_kernel, clReleaseKernel)
