/* What the backend opencl uses of its device, for benchmarks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct mt_device_use {
    size_t buffer_bytes; /* of all buffers */
    size_t row_bytes;    /* of the matrix: values, columns, diagonal, places of rows */
    uint64_t written_bytes, read_bytes, launches; /* since the backend was opened: mt_opencl_counts */
} mt_device_use;

/* `self`: of mt_backend_opencl.open. */
mt_device_use mt_device_used(const void *self);
