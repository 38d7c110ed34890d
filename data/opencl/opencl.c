#include "data/opencl/opencl.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/core/number.h"
#include "data/opencl/functions.h"

struct mt_opencl_buffer {
    mt_opencl_buffer *next;
    mt_opencl *opencl;
    const char *name;
    cl_mem memory;
    size_t bytes;
};

struct mt_opencl_program {
    mt_opencl_program *next;
    mt_opencl *opencl;
    const char *name;
    cl_program program;
};

struct mt_opencl_kernel {
    mt_opencl_kernel *next;
    mt_opencl *opencl;
    const char *name;
    cl_kernel kernel;
    size_t group_max;
};

/* Lists are newest first. */
struct mt_opencl {
    mt_arena *arena;
    const mt_device *device;
    const mt_opencl_functions *f;
    cl_context context;
    cl_command_queue queue;
    mt_opencl_buffer *buffers;
    mt_opencl_program *programs;
    mt_opencl_kernel *kernels;
    size_t bytes; /* of all buffers */
    mt_opencl_counts counts;
};

const mt_device *mt_opencl_device(const mt_opencl *o) { return o->device; }
size_t mt_opencl_bytes(const mt_opencl *o) { return o->bytes; }
mt_opencl_counts mt_opencl_counted(const mt_opencl *o) { return o->counts; }

/* ---- errors ---- */

/* The phase in which an error occurred decides on its remedy. */
typedef enum phase { OPENING, ALLOCATING, BUILDING, COMPUTING } phase;

static bool is_lack_of_memory(phase when, cl_int error)
{
    return error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_INVALID_BUFFER_SIZE ||
           (when == ALLOCATING && error == CL_OUT_OF_RESOURCES);
}

/* True for the errors that a lost device, or a kernel that the driver ended, has on some driver. */
static bool is_loss(cl_int error)
{
    static const cl_int losses[] = {CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE,
        CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -9999};
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        if (losses[k] == error) return true;
    return false;
}

static const char *remedy(phase when, cl_int error)
{
    if (error == CL_OUT_OF_HOST_MEMORY) return "the host is out of memory";
    if (error == CL_INVALID_WORK_GROUP_SIZE || error == CL_INVALID_WORK_ITEM_SIZE)
        return "the device does not allow work-groups of this size";
    if (error == CL_COMPILER_NOT_AVAILABLE) return "the driver has no compiler; update it";
    if (when == OPENING) return "the device is in use by another process, or its driver failed";
    if (is_loss(error))
        return "the device was lost, or its driver ended the computation; resume the run from its last "
               "checkpoint (--resume)";
    return "update the driver, or choose another device";
}

/* Fails with the message of an operation (printf format), the device, the error and its remedy. */
static mt_status failed(const mt_opencl *o, phase when, cl_int error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static mt_status failed(const mt_opencl *o, phase when, cl_int error, const char *format, ...)
{
    char operation[512], in_use[MT_NUMBER_SIZE], all[MT_NUMBER_SIZE];
    const mt_device *d = o->device;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(operation, sizeof operation, format, arguments);
    va_end(arguments);
    if (is_lack_of_memory(when, error))
        return mt_fail(MT_FIT,
            "OpenCL device %zu (%s): %s: %s; %s bytes are in use, the device has %s; choose a smaller mesh "
            "or another device",
            d->number, d->name, operation, mt_device_error(error),
            mt_number_count_text((double)o->bytes, in_use),
            mt_number_count_text((double)d->memory_bytes, all));
    return mt_fail(error == CL_OUT_OF_HOST_MEMORY ? MT_MEMORY : MT_DEVICE,
        "OpenCL device %zu (%s): %s: %s (%d); %s", d->number, d->name, operation, mt_device_error(error),
        error, remedy(when, error));
}

/* ---- opening and closing ---- */

static mt_status open_device(mt_opencl *o)
{
    cl_int error;
    cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)o->device->platform_id, 0};
    if (!o->device->available) return failed(o, OPENING, CL_DEVICE_NOT_AVAILABLE, "opening");
    if (!o->device->compiler) return failed(o, OPENING, CL_COMPILER_NOT_AVAILABLE, "opening");
    if (!o->device->recent)
        return mt_fail(MT_DEVICE, "OpenCL device %zu (%s): its driver has %s; allowed: OpenCL 1.2 or later",
            o->device->number, o->device->name, o->device->version);
    o->context = o->f->clCreateContext(properties, 1, &o->device->id, NULL, NULL, &error);
    if (!o->context) return failed(o, OPENING, error, "creating a context");
    o->queue = o->f->clCreateCommandQueue(o->context, o->device->id, 0, &error);
    return o->queue ? MT_OK : failed(o, OPENING, error, "creating a queue");
}

mt_status mt_opencl_open(mt_arena *arena, const char *which, mt_opencl **opencl)
{
    const mt_device *device;
    *opencl = NULL;
    MT_TRY(mt_devices_find(arena, which, &device));
    return mt_opencl_open_on(arena, device, opencl);
}

mt_status mt_opencl_open_on(mt_arena *arena, const mt_device *device, mt_opencl **opencl)
{
    mt_opencl *o;
    *opencl = NULL;
    MT_ALLOC(arena, o, 1);
    *o = (mt_opencl){.arena = arena, .device = device, .f = device->functions};
    const mt_status status = open_device(o);
    if (status == MT_OK)
        *opencl = o;
    else
        mt_opencl_close(&o);
    return status;
}

void mt_opencl_close(mt_opencl **opencl)
{
    mt_opencl *o = *opencl;
    *opencl = NULL;
    if (!o) return;
    if (o->queue) (void)o->f->clFinish(o->queue);
    for (mt_opencl_kernel *k = o->kernels; k; k = k->next) (void)o->f->clReleaseKernel(k->kernel);
    for (mt_opencl_program *p = o->programs; p; p = p->next) (void)o->f->clReleaseProgram(p->program);
    for (mt_opencl_buffer *b = o->buffers; b; b = b->next) (void)o->f->clReleaseMemObject(b->memory);
    if (o->queue) (void)o->f->clReleaseCommandQueue(o->queue);
    if (o->context) (void)o->f->clReleaseContext(o->context);
}

mt_status mt_opencl_finish(mt_opencl *o)
{
    const cl_int error = o->f->clFinish(o->queue);
    return error == CL_SUCCESS ? MT_OK : failed(o, COMPUTING, error, "waiting for the queue");
}

/* ---- buffers ---- */

/* Returns the failure to create a buffer of this size. */
static mt_status too_large(const mt_opencl *o, cl_int error, const char *name, size_t bytes)
{
    char requested[MT_NUMBER_SIZE], most[MT_NUMBER_SIZE];
    return failed(o, ALLOCATING, error, "creating the buffer '%s' of %s bytes (at most %s in one buffer)",
        name, mt_number_count_text((double)bytes, requested),
        mt_number_count_text((double)o->device->buffer_bytes_max, most));
}

/* Fills a new buffer. Drivers allocate memory at the first use. */
static cl_int fill_first(const mt_opencl *o, cl_mem memory, size_t bytes, const void *data)
{
    static const cl_uchar zero = 0;
    if (data) return o->f->clEnqueueWriteBuffer(o->queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    const cl_int error =
        o->f->clEnqueueFillBuffer(o->queue, memory, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    return error == CL_SUCCESS ? o->f->clFinish(o->queue) : error;
}

mt_status mt_opencl_buffer_make(
    mt_opencl *o, const char *name, size_t bytes, const void *data, mt_opencl_buffer **buffer)
{
    const size_t size = bytes > 0 ? bytes : 1; /* OpenCL has no empty buffers */
    const mt_device *d = o->device;
    cl_int error;
    mt_opencl_buffer *b;
    if (bytes > d->buffer_bytes_max) return too_large(o, CL_INVALID_BUFFER_SIZE, name, bytes);
    if (o->bytes + bytes > d->memory_bytes)
        return too_large(o, CL_MEM_OBJECT_ALLOCATION_FAILURE, name, bytes);
    MT_ALLOC(o->arena, b, 1);
    *b = (mt_opencl_buffer){.opencl = o, .bytes = bytes, .name = mt_arena_text(o->arena, name)};
    if (!b->name) return MT_MEMORY;
    b->memory = o->f->clCreateBuffer(o->context, CL_MEM_READ_WRITE, size, NULL, &error);
    if (!b->memory) return too_large(o, error, name, bytes);
    error = fill_first(o, b->memory, size, bytes > 0 ? data : NULL);
    if (error != CL_SUCCESS) {
        (void)o->f->clReleaseMemObject(b->memory);
        return too_large(o, error, name, bytes);
    }
    b->next = o->buffers;
    o->buffers = b;
    o->bytes += bytes;
    *buffer = b;
    return MT_OK;
}

void mt_opencl_buffer_free(mt_opencl_buffer **buffer)
{
    mt_opencl_buffer *b = *buffer;
    *buffer = NULL;
    if (!b) return;
    mt_opencl *o = b->opencl;
    mt_opencl_buffer **link = &o->buffers;
    while (*link != b) link = &(*link)->next;
    *link = b->next;
    (void)o->f->clFinish(o->queue);
    (void)o->f->clReleaseMemObject(b->memory);
    o->bytes -= b->bytes;
}

/* For assertions. */
__attribute__((unused)) static bool is_inside(const mt_opencl_buffer *b, size_t offset, size_t bytes)
{
    return offset <= b->bytes && bytes <= b->bytes - offset;
}

mt_status mt_opencl_write(mt_opencl_buffer *b, size_t offset, size_t bytes, const void *data)
{
    mt_opencl *o = b->opencl;
    assert(is_inside(b, offset, bytes));
    if (bytes == 0) return MT_OK;
    o->counts.written_bytes += bytes;
    const cl_int error =
        o->f->clEnqueueWriteBuffer(o->queue, b->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
    return error == CL_SUCCESS ? MT_OK : failed(o, COMPUTING, error, "writing the buffer '%s'", b->name);
}

mt_status mt_opencl_read(mt_opencl_buffer *b, size_t offset, size_t bytes, void *data)
{
    mt_opencl *o = b->opencl;
    assert(is_inside(b, offset, bytes));
    if (bytes == 0) return MT_OK;
    o->counts.read_bytes += bytes;
    const cl_int error =
        o->f->clEnqueueReadBuffer(o->queue, b->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
    return error == CL_SUCCESS ? MT_OK : failed(o, COMPUTING, error, "reading the buffer '%s'", b->name);
}

mt_status mt_opencl_fill(
    mt_opencl_buffer *b, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes)
{
    const mt_opencl *o = b->opencl;
    assert(is_inside(b, offset, bytes));
    assert(offset % pattern_bytes == 0 && bytes % pattern_bytes == 0);
    if (bytes == 0) return MT_OK;
    const cl_int error =
        o->f->clEnqueueFillBuffer(o->queue, b->memory, pattern, pattern_bytes, offset, bytes, 0, NULL, NULL);
    return error == CL_SUCCESS ? MT_OK : failed(o, COMPUTING, error, "filling the buffer '%s'", b->name);
}

/* ---- programs ---- */

enum { LOG_LINES = 6, LOG_SIZE = 480 };

/* Writes the first lines that are not empty, separated by " | ". */
static void first_lines(const char *log, char text[LOG_SIZE])
{
    size_t used = 0;
    text[0] = 0;
    for (int lines = 0; *log && lines < LOG_LINES && used < LOG_SIZE; log += *log == '\n') {
        const size_t n = strcspn(log, "\n");
        if (n > strspn(log, " \t\r"))
            used += (size_t)snprintf(
                text + used, LOG_SIZE - used, "%s%.*s", lines++ > 0 ? " | " : "", (int)n, log);
        log += n;
    }
}

static mt_status build_failed(const mt_opencl *o, const mt_opencl_program *p, cl_int error)
{
    MT_SCRATCH(scratch);
    char lines[LOG_SIZE], *log;
    size_t bytes = 0;
    const mt_device *d = o->device;
    if (o->f->clGetProgramBuildInfo(p->program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS)
        bytes = 0;
    MT_ALLOC(scratch, log, bytes + 1);
    if (bytes > 0)
        (void)o->f->clGetProgramBuildInfo(p->program, d->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    first_lines(log, lines);
    if (!*lines) return failed(o, BUILDING, error, "compiling '%s'", p->name);
    return mt_fail(MT_DEVICE, "OpenCL device %zu (%s): compiling '%s': %s (%d): %s", d->number, d->name,
        p->name, mt_device_error(error), error, lines);
}

mt_status mt_opencl_program_make(mt_opencl *o, const char *name, size_t n, const char *const *texts,
    const char *options, mt_opencl_program **program)
{
    cl_int error;
    mt_opencl_program *p;
    MT_ALLOC(o->arena, p, 1);
    *p = (mt_opencl_program){.opencl = o, .name = mt_arena_text(o->arena, name)};
    if (!p->name) return MT_MEMORY;
    MT_SCRATCH(scratch);
    const char **list;
    MT_COPY(scratch, list, texts, n); /* OpenCL's parameter lacks a const */
    p->program = o->f->clCreateProgramWithSource(o->context, (cl_uint)n, list, NULL, &error);
    if (!p->program) return failed(o, BUILDING, error, "creating the program '%s'", name);
    p->next = o->programs;
    o->programs = p;
    error = o->f->clBuildProgram(p->program, 1, &o->device->id, options, NULL, NULL);
    if (error != CL_SUCCESS) return build_failed(o, p, error);
    *program = p;
    return MT_OK;
}

/* ---- kernels ---- */

mt_status mt_opencl_kernel_make(mt_opencl_program *program, const char *name, mt_opencl_kernel **kernel)
{
    mt_opencl *o = program->opencl;
    cl_int error;
    mt_opencl_kernel *k;
    MT_ALLOC(o->arena, k, 1);
    *k = (mt_opencl_kernel){.opencl = o, .name = mt_arena_text(o->arena, name)};
    if (!k->name) return MT_MEMORY;
    k->kernel = o->f->clCreateKernel(program->program, name, &error);
    if (!k->kernel)
        return failed(o, BUILDING, error, "finding the kernel '%s' of the program '%s'", name, program->name);
    k->next = o->kernels;
    o->kernels = k;
    error = o->f->clGetKernelWorkGroupInfo(
        k->kernel, o->device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof k->group_max, &k->group_max, NULL);
    if (error != CL_SUCCESS)
        return failed(o, BUILDING, error, "reading the largest work-group of the kernel '%s'", name);
    *kernel = k;
    return MT_OK;
}

mt_status mt_opencl_set(mt_opencl_kernel *k, unsigned argument, size_t bytes, const void *value)
{
    const mt_opencl *o = k->opencl;
    const cl_int error = o->f->clSetKernelArg(k->kernel, argument, bytes, value);
    return error == CL_SUCCESS
               ? MT_OK
               : failed(o, COMPUTING, error, "setting argument %u of the kernel '%s'", argument, k->name);
}

mt_status mt_opencl_set_buffer(mt_opencl_kernel *k, unsigned argument, mt_opencl_buffer *buffer)
{
    assert(buffer->opencl == k->opencl);
    return mt_opencl_set(k, argument, sizeof buffer->memory, &buffer->memory);
}

mt_status mt_opencl_launch(mt_opencl_kernel *k, size_t n, size_t group)
{
    mt_opencl *o = k->opencl;
    if (group > k->group_max) group = k->group_max;
    const size_t items = group > 0 ? (n + group - 1) / group * group : n;
    if (n == 0) return MT_OK;
    o->counts.launches++;
    const cl_int error = o->f->clEnqueueNDRangeKernel(
        o->queue, k->kernel, 1, NULL, &items, group > 0 ? &group : NULL, 0, NULL, NULL);
    return error == CL_SUCCESS
               ? MT_OK
               : failed(o, COMPUTING, error, "launching the kernel '%s' for %zu items in groups of %zu",
                     k->name, items, group);
}
