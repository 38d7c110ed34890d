/* A map of a folder of results. */
#pragma once

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "data/files/h5.h"

/* Returns a field of result.hdf, such as "VTKHDF/PointData/activation", of n numbers; owned by the caller. */
static inline float *read_map(const char *folder, const char *field, size_t n)
{
    char path[64];
    float *values = malloc(n * sizeof *values);
    MT_H5_SCOPE(h5);
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    cr_assert_eq(mt_h5_open(path, h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_read(h5, field, MT_H5_FLOAT, 1, &n, values), MT_OK, "%s", mt_message());
    return values;
}
