/* The functions of OpenCL 1.2 that Myotile calls, found at run time. The only header that includes OpenCL's own; for data/opencl. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* X(name) for each function except clGetPlatformIDs. */
#define MT_OPENCL_FUNCTIONS(X)                                                                               \
    X(clGetPlatformInfo)                                                                                     \
    X(clGetDeviceIDs)                                                                                        \
    X(clGetDeviceInfo)                                                                                       \
    X(clCreateContext)                                                                                       \
    X(clReleaseContext)                                                                                      \
    X(clCreateCommandQueue)                                                                                  \
    X(clReleaseCommandQueue)                                                                                 \
    X(clCreateBuffer)                                                                                        \
    X(clReleaseMemObject)                                                                                    \
    X(clCreateProgramWithSource)                                                                             \
    X(clBuildProgram)                                                                                        \
    X(clGetProgramBuildInfo)                                                                                 \
    X(clReleaseProgram)                                                                                      \
    X(clCreateKernel)                                                                                        \
    X(clSetKernelArg)                                                                                        \
    X(clGetKernelWorkGroupInfo)                                                                              \
    X(clReleaseKernel)                                                                                       \
    X(clEnqueueReadBuffer)                                                                                   \
    X(clEnqueueWriteBuffer)                                                                                  \
    X(clEnqueueFillBuffer)                                                                                   \
    X(clEnqueueNDRangeKernel)                                                                                \
    X(clFinish)

#define MT_OPENCL_MEMBER(name) __typeof__(name) *name;
typedef struct mt_opencl_functions {
    MT_OPENCL_FUNCTIONS(MT_OPENCL_MEMBER)
} mt_opencl_functions;
#undef MT_OPENCL_MEMBER
