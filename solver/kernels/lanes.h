/* One name for "so many numbers at once": the kernels are written with it and compiled once for each
 * arithmetic (MT_DOUBLE undefined: float, defined: double) and each instruction set of the host.
 *
 * The file that includes this is compiled with the compiler's flags for one instruction set; what those flags
 * allow decides the number of lanes here. Every lane computes the same bits as the one-lane version: no
 * operation is contracted or reassociated, and exp, expm1 and log are SLEEF's "cinz" functions, whose results
 * (1.0 ulp) are the same on every instruction set. MT_LANES_ONE asks for one lane whatever the flags
 * (benchmarks, the tally of instructions). */
#ifndef MT_SOLVER_KERNELS_LANES_H
#define MT_SOLVER_KERNELS_LANES_H

#include <stddef.h>
#include <stdint.h>

#ifdef MT_DOUBLE
typedef double real;
typedef int64_t real_bits;
#else
typedef float real;
typedef int32_t real_bits;
#endif

#if defined(MT_LANES_ONE)
#    define LANE_BYTES (sizeof(real))
#    define LANE_ONE 1
#elif defined(__AVX512F__)
#    define LANE_BYTES 64
#elif defined(__AVX2__)
#    define LANE_BYTES 32
#elif defined(__SSE2__) || defined(__aarch64__)
#    define LANE_BYTES 16
#else
#    define LANE_BYTES (sizeof(real))
#    define LANE_ONE 1
#endif
enum { LANES = (int)(LANE_BYTES / sizeof(real)) };

#ifdef LANE_ONE
typedef real lanes;
typedef real_bits lanes_mask; /* all ones where true */
#else
typedef real lanes __attribute__((vector_size(LANE_BYTES)));
typedef real_bits lanes_mask __attribute__((vector_size(LANE_BYTES)));
#endif

/* Loads and stores need no alignment. */
static inline lanes lanes_load(const real *from)
{
    lanes x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
}
static inline void lanes_store(real *to, lanes x) { __builtin_memcpy(to, &x, sizeof x); }

/* x in every lane. */
static inline lanes lanes_all(real x) { return x - (lanes){0}; }

#ifdef LANE_ONE
static inline lanes lanes_select_below(lanes x, real bound, lanes below, lanes otherwise)
{
    return x < bound ? below : otherwise;
}
#else
/* Where x < bound: below; elsewhere (and where x is not a number): otherwise. */
static inline lanes lanes_select_below(lanes x, real bound, lanes below, lanes otherwise)
{
    lanes_mask mask = x < bound;
    return (lanes)((mask & (lanes_mask)below) | (~mask & (lanes_mask)otherwise));
}
#endif

/* The larger of both. For the tally of instructions it stays a call by this name. */
#ifdef MT_TALLY
real mt_max(real, real) __attribute__((const));
#    define lanes_at_least mt_max
#else
static inline lanes lanes_at_least(lanes x, real bound)
{
    return lanes_select_below(x, bound, lanes_all(bound), x);
}
#endif

/* v[column[0]], v[column[1]], ... one for each lane. For floats four at a time by hand: on today's machines
 * that is twice as fast as their gather instructions, and as what compilers make of the plain loop. */
#if !defined(LANE_ONE) && !defined(MT_DOUBLE) && defined(__AVX2__)
#    include <immintrin.h>
static inline __m128 lanes_four(const float *v, size_t c0, size_t c1, size_t c2, size_t c3)
{
    __m128 low = _mm_insert_ps(_mm_load_ss(v + c0), _mm_load_ss(v + c1), 0x10);
    __m128 high = _mm_insert_ps(_mm_load_ss(v + c2), _mm_load_ss(v + c3), 0x10);
    return _mm_movelh_ps(low, high);
}
static inline __m128 four_uint16_t(const float *v, const uint16_t *column)
{
    uint64_t c;
    __builtin_memcpy(&c, column, sizeof c);
    return lanes_four(v, c & 0xffff, c >> 16 & 0xffff, c >> 32 & 0xffff, c >> 48);
}
static inline __m128 four_uint32_t(const float *v, const uint32_t *column)
{
    uint64_t c[2];
    __builtin_memcpy(c, column, sizeof c);
    return lanes_four(v, c[0] & 0xffffffff, c[0] >> 32, c[1] & 0xffffffff, c[1] >> 32);
}
#    define LANES_EIGHT(index, v, column)                                                                    \
        _mm256_insertf128_ps(                                                                                \
            _mm256_castps128_ps256(four_##index(v, column)), four_##index(v, (column) + 4), 1)
#    ifdef __AVX512F__
#        define LANES_ALL(index, v, column)                                                                  \
            _mm512_insertf32x8(_mm512_castps256_ps512(LANES_EIGHT(index, v, column)),                        \
                LANES_EIGHT(index, v, (column) + 8), 1)
#    else
#        define LANES_ALL LANES_EIGHT
#    endif
static inline lanes gather_uint16_t(const real *v, const uint16_t *column)
{
    return (lanes)LANES_ALL(uint16_t, v, column);
}
static inline lanes gather_uint32_t(const real *v, const uint32_t *column)
{
    return (lanes)LANES_ALL(uint32_t, v, column);
}
#else
#    define LANES_GATHER(index)                                                                              \
        static inline lanes gather_##index(const real *v, const index *column)                               \
        {                                                                                                    \
            real value[LANES];                                                                               \
            for (int lane = 0; lane < LANES; lane++) value[lane] = v[column[lane]];                          \
            return lanes_load(value);                                                                        \
        }
LANES_GATHER(uint16_t)
LANES_GATHER(uint32_t)
#endif

/* The special functions. For the tally of instructions they stay calls by these names. */
#ifdef MT_TALLY
real mt_exp(real) __attribute__((const));
real mt_expm1(real) __attribute__((const));
real mt_log(real) __attribute__((const));
real mt_sqrt(real) __attribute__((const));
#    define lanes_exp mt_exp
#    define lanes_expm1 mt_expm1
#    define lanes_log mt_log
#    define lanes_sqrt mt_sqrt
#else
#    include <math.h>
#    include <sleef.h>
#    ifdef MT_LANES_LIBM
#        define LANES_FUNCTION(f, d) d
#        define SLEEF_EXP exp
#        define SLEEF_EXPM1 expm1
#        define SLEEF_LOG log
#    elif defined(LANE_ONE)
#        ifdef MT_DOUBLE
#            define SLEEF_NAME(f) Sleef_cinz_##f##d1_u10purec
#        else
#            define SLEEF_NAME(f) Sleef_cinz_##f##f1_u10purec
#        endif
#    elif LANE_BYTES == 64
#        ifdef MT_DOUBLE
#            define SLEEF_NAME(f) Sleef_cinz_##f##d8_u10avx512fnofma
#        else
#            define SLEEF_NAME(f) Sleef_cinz_##f##f16_u10avx512fnofma
#        endif
#    elif LANE_BYTES == 32
#        ifdef MT_DOUBLE
#            define SLEEF_NAME(f) Sleef_cinz_##f##d4_u10avx
#        else
#            define SLEEF_NAME(f) Sleef_cinz_##f##f8_u10avx
#        endif
#    elif defined(__aarch64__)
#        ifdef MT_DOUBLE
#            define SLEEF_NAME(f) Sleef_cinz_##f##d2_u10advsimdnofma
#        else
#            define SLEEF_NAME(f) Sleef_cinz_##f##f4_u10advsimdnofma
#        endif
#    else
#        ifdef MT_DOUBLE
#            define SLEEF_NAME(f) Sleef_cinz_##f##d2_u10sse2
#        else
#            define SLEEF_NAME(f) Sleef_cinz_##f##f4_u10sse2
#        endif
#    endif
#    ifndef MT_LANES_LIBM
#        define SLEEF_EXP SLEEF_NAME(exp)
#        define SLEEF_EXPM1 SLEEF_NAME(expm1)
#        define SLEEF_LOG SLEEF_NAME(log)
#    endif
static inline lanes lanes_exp(lanes x) { return (lanes)SLEEF_EXP(x); }
static inline lanes lanes_expm1(lanes x) { return (lanes)SLEEF_EXPM1(x); }
static inline lanes lanes_log(lanes x) { return (lanes)SLEEF_LOG(x); }
static inline lanes lanes_sqrt(lanes x)
{
#    ifdef LANE_ONE
#        ifdef MT_DOUBLE
    return sqrt(x);
#        else
    return sqrtf(x);
#        endif
#    else
    lanes y = x; /* the hardware's square root, lane by lane in the source, one instruction in the object */
    for (int i = 0; i < LANES; i++)
        y[i] = sizeof(real) == 4 ? (real)sqrtf((float)x[i]) : (real)sqrt((double)x[i]);
    return y;
#    endif
}
#endif

#endif
