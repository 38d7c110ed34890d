/* LANES numbers in OpenCL C 1.2, in place of solver/kernels/lanes.h: the equations are then compiled for a device, and compute the bits of
 * the host. LANES is 1 for GPUs, and the length of a vector for processors; an option of the build.
 *
 * Devices must round sums, products, fused multiply-adds, divisions and square roots correctly (solver/device/program.h). Subnormal numbers
 * are flushed by the option -cl-denorms-are-zero. Numbers without the suffix F are double precision, as in C: their expressions are
 * constant, and the compiler evaluates them before it rounds to single precision. */
#pragma once

#define MT_OPENCL
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* words that are names in the equations */
#define half half_
#define step step_

/* With tables of functions of V the equations are called twice; as calls, both would compute all functions. */
#define inline inline __attribute__((always_inline))

#define _Bool bool
#define uint16_t ushort
#define int32_t int
#define uint32_t uint
#define uint64_t ulong
#define fmaf fma
#define __builtin_inf() INFINITY

#define LANES_JOIN(word, lanes) word##lanes
#define LANES_EXPAND(word, lanes) LANES_JOIN(word, lanes)

typedef float real;
typedef int real_bits;
#define REAL_BYTES 4
#if LANES == 1
#    define LANE_ONE 1
typedef float lanes;
typedef int lanes_mask;
typedef uint lanes_pattern;
#    define lanes_to_integers(x) convert_int(x)
#    define lanes_of_integers(x) convert_float(x)
#    define lanes_if(condition, a, b) ((condition) ? (a) : (b))
#    define lanes_any(condition) (condition)
#    define of_pattern(bits) as_float(bits)
#    define pattern_of(x) as_uint(x)
#else
typedef LANES_EXPAND(float, LANES) lanes;
typedef LANES_EXPAND(int, LANES) lanes_mask;
typedef LANES_EXPAND(uint, LANES) lanes_pattern;
#    define lanes_to_integers(x) LANES_EXPAND(convert_int, LANES)(x)
#    define lanes_of_integers(x) LANES_EXPAND(convert_float, LANES)(x)
#    define lanes_if(condition, a, b) select(b, a, condition)
#    define lanes_any(condition) any(condition)
#    define of_pattern(bits) LANES_EXPAND(as_float, LANES)(bits)
#    define pattern_of(x) LANES_EXPAND(as_uint, LANES)(x)
#endif

/* Load and store LANES numbers, without alignment. */
#if LANES == 1
static inline lanes lanes_load(global const real *from) { return *from; }
static inline void lanes_store(global real *to, lanes x) { *to = x; }
#else
static inline lanes lanes_load(global const real *from) { return LANES_EXPAND(vload, LANES)(0, from); }
static inline void lanes_store(global real *to, lanes x) { LANES_EXPAND(vstore, LANES)(x, 0, to); }
#endif

static inline lanes lanes_all(real x) { return (lanes)x; }
static inline lanes lanes_fma(lanes x, lanes y, lanes z) { return fma(x, y, z); }
static inline lanes lanes_sqrt(lanes x) { return sqrt(x); }
static inline lanes lanes_at_least(lanes x, real bound)
{
    return lanes_if((lanes)bound > x, (lanes)bound, x);
}
static inline lanes lanes_at_most(lanes x, real bound) { return lanes_if((lanes)bound < x, (lanes)bound, x); }
static inline bool lanes_any_below(lanes x, real bound) { return lanes_any(x < (lanes)bound); }
static inline lanes lanes_select_below(lanes x, real bound, lanes below, lanes otherwise)
{
    return lanes_if(x < (lanes)bound, below, otherwise);
}
static inline lanes lanes_select_less(lanes x, lanes y, lanes a, lanes b) { return lanes_if(x < y, a, b); }
static inline lanes lanes_select_less_equal(lanes x, lanes y, lanes a, lanes b)
{
    return lanes_if(x <= y, a, b);
}
static inline lanes lanes_select_equal(lanes x, lanes y, lanes a, lanes b) { return lanes_if(x == y, a, b); }

/* Returns x, or 0 with its sign if it is subnormal. */
static inline lanes flushed(lanes x)
{
    const lanes_pattern bits = pattern_of(x);
    return lanes_if(bits << 1 < (lanes_pattern)0x01000000, of_pattern(bits & 0x80000000), x);
}
