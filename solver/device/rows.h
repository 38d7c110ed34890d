/* What the host and the kernels of a device (steps.cl) agree on. */
#pragma once

#ifndef MT_OPENCL
#    include <stdint.h>
#endif

/* The columns of a block of rows, in 16-bit words from `at`: 16 bits relative to `base`, or 32 bits if `wide`. The rows have `entries`
 * entries; of rows of different lengths the first is `first` (solver/kernels/sliced.h). */
typedef struct mt_device_rows {
    uint64_t at, first;
    uint32_t base, wide, entries, unused;
} mt_device_rows;

/* Entries of an element's row (solver/kernels/ellpack.h). */
enum { MT_DEVICE_ROW = 16 };

/* What follows the reaction: nothing, the spread part of an element is added, or the increment of a vertex is stored. */
enum { MT_DEVICE_NOT_SPREAD, MT_DEVICE_SPREADS_ELEMENTS, MT_DEVICE_SPREADS_VERTICES };
