/* The self-test of an OpenCL device: does it compute the bits of the host?
 *
 * The properties that a driver states (mt_device_lacks) are necessary, not sufficient. The self-test computes the operations of which the
 * equations consist (solver/device/self_test_equations.h) for some thousand numbers, on the device and on the host, and compares the bits.
 * The numbers include subnormal ones, infinities, NaN, and those whose results are subnormal or depend on contraction. Any NaN equals any
 * other.
 *
 * The program takes about a second to compile, of which drivers keep the result. */
#pragma once

#include "data/opencl/opencl.h"

/* The size of the text of a difference. */
enum { MT_DEVICE_DIFFERENCE = 192 };

/* Faults that tests plant: other options of the compiler, and text before the operations; NULL: none. */
typedef struct mt_device_fault {
    const char *options, *text;
} mt_device_fault;

/* Tests an open device that computes this number of lanes (0: as of mt_device_shape_of). `fault`: NULL except in tests. Writes the first
 * difference, "x / y for x = 1, y = 3: 0.333333313, on the host 0.333333343", or "" if there is none. Errors as of data/opencl/opencl.h. */
MT_NODISCARD mt_status mt_device_self_test(
    mt_opencl *opencl, size_t n_lanes, const mt_device_fault *fault, char difference[MT_DEVICE_DIFFERENCE]);
