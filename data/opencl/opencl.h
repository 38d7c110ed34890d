/* An open OpenCL device: one in-order queue, buffers, programs, kernels. For one thread at a time.
 *
 *     MT_OPENCL_SCOPE(opencl);
 *     MT_TRY(mt_opencl_open(arena, "nvidia", &opencl));
 *     MT_TRY(mt_opencl_buffer_make(opencl, "voltages", bytes, values, &buffer));
 *     MT_TRY(mt_opencl_program_make(opencl, "double every value", 1, &source, "-cl-std=CL1.2", &program));
 *     MT_TRY(mt_opencl_kernel_make(program, "twice", &kernel));
 *     MT_TRY(mt_opencl_set_buffer(kernel, 0, buffer));
 *     MT_TRY(mt_opencl_set(kernel, 1, sizeof n, &n));
 *     MT_TRY(mt_opencl_launch(kernel, n, 64));
 *     MT_TRY(mt_opencl_read(buffer, 0, bytes, values));      (waits for the kernel)
 *
 * Objects are in the arena of mt_opencl_open and are released by mt_opencl_close, which must be called before that arena is freed,
 * or by an end of that arena (mt_arena_at_end).
 * Setting arguments, launching, filling, reading and writing take no memory from the arena.
 *
 * Errors of every function. The message names the operation, the device, OpenCL's error and a remedy.
 *
 *     MT_FIT      the device has too little memory
 *     MT_MEMORY   the host has too little memory
 *     MT_DEVICE   any other failure, such as a lost device: a run can then be resumed from its checkpoint. Drivers report failures of
 *                 a launch late: by the next read, write or finish. */
#pragma once

#include "data/opencl/devices.h"

typedef struct mt_opencl mt_opencl;
typedef struct mt_opencl_buffer mt_opencl_buffer;
typedef struct mt_opencl_program mt_opencl_program;
typedef struct mt_opencl_kernel mt_opencl_kernel;

/* Opens a device. which: as of mt_devices_find, whose errors it returns. Sets *opencl to NULL on failure. */
MT_NODISCARD mt_status mt_opencl_open(mt_arena *arena, const char *which, mt_opencl **opencl);

/* Same for a device that was listed or found; borrows it until the device is closed. */
MT_NODISCARD mt_status mt_opencl_open_on(mt_arena *arena, const mt_device *device, mt_opencl **opencl);

/* Waits for the device and releases everything. Does nothing if *opencl is NULL, and sets it to NULL. */
void mt_opencl_close(mt_opencl **opencl);

/* Declares `name`, an mt_opencl pointer, which is closed at the end of its scope. Declare it after the arena (MT_SCRATCH). */
#define MT_OPENCL_SCOPE(name) __attribute__((cleanup(mt_opencl_close))) mt_opencl *name = NULL

const mt_device *mt_opencl_device(const mt_opencl *opencl);

/* Returns the bytes of all buffers. */
size_t mt_opencl_bytes(const mt_opencl *opencl);

/* Bytes copied by mt_opencl_write and mt_opencl_read, and kernels launched, since the device was opened. */
typedef struct mt_opencl_counts {
    uint64_t written_bytes, read_bytes, launches;
} mt_opencl_counts;
mt_opencl_counts mt_opencl_counted(const mt_opencl *opencl);

/* ---- buffers ---- */

/* Creates a buffer and fills it with a copy of `data`, or with zeros if `data` is NULL. The device's memory is occupied on return, so
 * that a lack of memory is not first seen in the time loop. `name` appears in messages ("voltages"). A buffer of 0 bytes is allowed. */
MT_NODISCARD mt_status mt_opencl_buffer_make(
    mt_opencl *opencl, const char *name, size_t bytes, const void *data, mt_opencl_buffer **buffer);

/* Frees a buffer before the device is closed, after the kernels that use it are complete: waits for them. Does nothing if *buffer is NULL,
 * and sets it to NULL. */
void mt_opencl_buffer_free(mt_opencl_buffer **buffer);

/* Copy `bytes` bytes from the host to the buffer, or back, from this offset of the buffer on. They return when the copy is complete.
 * The range must be inside the buffer (assert), as below. */
MT_NODISCARD mt_status mt_opencl_write(
    mt_opencl_buffer *buffer, size_t offset, size_t bytes, const void *data);
MT_NODISCARD mt_status mt_opencl_read(mt_opencl_buffer *buffer, size_t offset, size_t bytes, void *data);

/* Enqueues a fill with a pattern of 1, 2, 4, 8 or 16 bytes, of which offset and bytes must be multiples. */
MT_NODISCARD mt_status mt_opencl_fill(
    mt_opencl_buffer *buffer, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes);

/* ---- programs and kernels ---- */

/* Compiles the concatenation of n texts of OpenCL C with these options ("" if none). `name` appears in messages. If they do not compile,
 * MT_DEVICE with the first lines of the compiler's output. */
MT_NODISCARD mt_status mt_opencl_program_make(mt_opencl *opencl, const char *name, size_t n,
    const char *const *texts, const char *options, mt_opencl_program **program);

/* Returns the kernel of this name. Each call returns a separate kernel with arguments of its own. */
MT_NODISCARD mt_status mt_opencl_kernel_make(
    mt_opencl_program *program, const char *name, mt_opencl_kernel **kernel);

/* Set the argument of this number (from 0): a value, which is copied, or a buffer. Arguments keep their values between
 * launches. */
MT_NODISCARD mt_status mt_opencl_set(
    mt_opencl_kernel *kernel, unsigned argument, size_t bytes, const void *value);
MT_NODISCARD mt_status mt_opencl_set_buffer(
    mt_opencl_kernel *kernel, unsigned argument, mt_opencl_buffer *buffer);

/* Enqueues a kernel for at least n work-items in work-groups of `group` items, or of the largest number that the device allows for this
 * kernel if that is less. n is rounded up to a multiple of that number, so the kernel compares get_global_id(0) with its number of items.
 * group = 0: n is not rounded, and the driver chooses. n = 0: does nothing. */
MT_NODISCARD mt_status mt_opencl_launch(mt_opencl_kernel *kernel, size_t n, size_t group);

/* Waits until everything enqueued is complete. */
MT_NODISCARD mt_status mt_opencl_finish(mt_opencl *opencl);
