/* The OpenCL devices of this computer.
 *
 * The OpenCL library is loaded at run time, so programs have no link dependency on it. The libraries are, in this order:
 *
 * 1. the ICD loader, libOpenCL.so.1, which lists the platforms of all installed drivers;
 * 2. drivers that the loader does not list, for computers (or containers) with a driver but without a loader or without the driver's
 *    entry in /etc/OpenCL/vendors: libnvidia-opencl.so.1, libpocl.so.2.
 *
 * If the environment variable MYOTILE_OPENCL is set and not empty, it names the only library to load: a loader or a driver. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

typedef struct mt_device {
    size_t number; /* from 0, over all platforms */
    const char *name, *platform, *vendor;
    const char *driver, *version; /* of the driver ("535.104"), and of OpenCL ("OpenCL 3.0 CUDA") */
    const char *type;             /* "gpu", "cpu", "accelerator" or "other" */
    uint64_t compute_units, clock_MHz, memory_bytes;
    uint64_t buffer_bytes_max; /* the largest single buffer */
    uint64_t vector_floats;    /* numbers of single precision in a vector register; 1: none */
    uint64_t group_items_max;  /* the largest work-group of a kernel that uses few registers */
    bool available;            /* false: another process has exclusive use of it, or it failed */
    bool compiler;             /* true if it compiles OpenCL C */
    bool recent;               /* true for OpenCL 1.2 and later */
    /* Arithmetic in single precision. OpenCL's fma() is correctly rounded on every device, but slow without `fma`. */
    bool fma;
    bool
        correct_division; /* division and square root are correctly rounded with -cl-fp32-correctly-rounded-divide-sqrt */
    bool nearest; /* rounds to nearest even */
    bool inf_nan; /* has infinities and NaNs */
    bool doubles; /* computes in double precision, in which compilers evaluate constants */
    /* OpenCL's, for data/opencl/opencl.c */
    const struct mt_opencl_functions *functions;
    struct _cl_platform_id *platform_id;
    struct _cl_device_id *id;
} mt_device;

/* Returns the devices of all platforms in `arena`, at least one. Fails with MT_INPUT if there is no OpenCL library, platform or
 * device; the message states what to install. MT_MEMORY. */
MT_NODISCARD mt_status mt_devices_list(mt_arena *arena, size_t *n, mt_device **devices);

/* Finds a device by its number, or by a part of its name in any letter case; a complete name takes precedence over parts. NULL or
 * "": the first GPU, or the first device if there is no GPU. Fails as mt_devices_list, and with MT_INPUT if no device or more than one
 * matches; the message lists the devices. */
MT_NODISCARD mt_status mt_devices_find(mt_arena *arena, const char *which, const mt_device **device);

/* Same for one of several ranks: the device number `rank` of those that match `which` (NULL or "": of the type of the first device above),
 * modulo their number. Several devices can match. For a single rank, as mt_devices_find. */
MT_NODISCARD mt_status mt_devices_find_for_rank(
    mt_arena *arena, const char *which, uint32_t rank, uint32_t n_ranks, const mt_device **device);

/* Returns the first property that a device lacks for results with the bits of the host ("double precision"); NULL if its driver states all.
 * The properties are necessary, not sufficient. */
const char *mt_device_lacks(const mt_device *device);

/* Returns the name of an error of OpenCL ("CL_OUT_OF_RESOURCES"). */
const char *mt_device_error(int error);
