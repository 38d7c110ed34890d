/* The OpenCL library that the program loads in a test: the system's, with pocl; a driver with chosen devices; or a loader with faults. */
#pragma once

#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tests/leaks.h"

/* Loads the driver whose devices are these (tests/data/opencl/fake_driver.c). */
static inline void use_devices(const char *devices)
{
    cr_assert_eq(setenv("MYOTILE_OPENCL", MT_OPENCL_FAKE_DRIVER, 1), 0);
    cr_assert_eq(setenv("MT_FAKE_DEVICES", devices, 1), 0);
}

/* Loads the loader with these faults from now on; "": none (tests/data/opencl/faulty_loader.c). */
static inline void use_faults(const char *faults)
{
    cr_assert_eq(setenv("MYOTILE_OPENCL", MT_OPENCL_FAULTY_LOADER, 1), 0);
    cr_assert_eq(setenv("MT_OPENCL_FAULTS", faults, 1), 0);
}

/* Loads the loader that compiles programs with these options after their own, and hides these properties of single precision (bits of
 * OpenCL's CL_DEVICE_SINGLE_FP_CONFIG) from now on. */
static inline void use_changes(const char *options, const char *without)
{
    use_faults("");
    cr_assert_eq(setenv("MT_OPENCL_OPTIONS", options, 1), 0);
    cr_assert_eq(setenv("MT_OPENCL_WITHOUT", without, 1), 0);
}

/* Loads the loader that allows work-groups of this number of items. */
static inline void use_group_max(const char *items)
{
    use_faults("");
    cr_assert_eq(setenv("MT_OPENCL_GROUP_MAX", items, 1), 0);
}

/* Returns the number of OpenCL objects that were created with use_faults and not released. */
static inline int live_objects(void)
{
    int (*live)(void);
    void *library = dlopen(MT_OPENCL_FAULTY_LOADER, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(library, "%s", dlerror());
    void *address = dlsym(library, "opencl_faulty_live");
    memcpy(&live, &address, sizeof live);
    const int n = live();
    (void)dlclose(library);
    return n;
}
