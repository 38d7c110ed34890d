/* Vectors of LANES numbers: the kernels are written with them and compiled once for each arithmetic (MT_DOUBLE undefined: float, defined:
 * double) and each instruction set of the host.
 *
 * The including file is compiled with the compiler's flags for one instruction set, which determine the number of lanes. Every lane
 * computes the same bits as the one-lane version: the compiler contracts and reassociates nothing, every lanes_fma of the source is a fused
 * multiply-add rounded once, and operations with different bits between instruction sets (approximations, saturation) are not used.
 * MT_LANES_ONE selects one lane for any flags (benchmarks, the instruction tally). The special functions are in
 * solver/kernels/functions.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef MT_DOUBLE
typedef double real;
typedef int64_t real_bits;
#    define REAL_BYTES 8
#else
typedef float real;
typedef int32_t real_bits;
#    define REAL_BYTES 4
#endif

#if defined(MT_LANES_ONE)
#    define LANE_BYTES REAL_BYTES
#    define LANE_ONE 1
#elif defined(__AVX512F__)
#    define LANE_BYTES 64
#elif defined(__AVX2__)
#    define LANE_BYTES 32
#elif defined(__SSE2__) || defined(__aarch64__)
#    define LANE_BYTES 16
#else
#    define LANE_BYTES REAL_BYTES
#    define LANE_ONE 1
#endif
enum { LANES = LANE_BYTES / REAL_BYTES };

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

/* ---- operations written for each instruction set ---- */

#if defined(__SSE2__)
#    include <immintrin.h>
#elif defined(__aarch64__)
#    include <arm_neon.h>
#endif

/* LANES_X86(add)(x, y): the intrinsic for this width and arithmetic. */
#if !defined(LANE_ONE) && defined(__SSE2__)
#    define LANES_JOIN(width, operation, arithmetic) _mm##width##_##operation##_##arithmetic
#    define LANES_EXPAND(width, operation, arithmetic) LANES_JOIN(width, operation, arithmetic)
#    if LANE_BYTES == 64
#        define LANES_WIDTH 512
#    elif LANE_BYTES == 32
#        define LANES_WIDTH 256
#    else
#        define LANES_WIDTH
#    endif
#    ifdef MT_DOUBLE
#        define LANES_X86(operation) LANES_EXPAND(LANES_WIDTH, operation, pd)
#    else
#        define LANES_X86(operation) LANES_EXPAND(LANES_WIDTH, operation, ps)
#    endif
#elif !defined(LANE_ONE) && defined(__aarch64__)
#    ifdef MT_DOUBLE
#        define LANES_NEON(operation) operation##_f64
#    else
#        define LANES_NEON(operation) operation##_f32
#    endif
#endif

/* x y + z, rounded once. */
#if defined(LANE_ONE) && defined(MT_DOUBLE)
static inline lanes lanes_fma(lanes x, lanes y, lanes z) { return __builtin_fma(x, y, z); }
#elif defined(LANE_ONE)
static inline lanes lanes_fma(lanes x, lanes y, lanes z) { return __builtin_fmaf(x, y, z); }
#elif defined(__FMA__) || defined(__AVX512F__)
static inline lanes lanes_fma(lanes x, lanes y, lanes z) { return LANES_X86(fmadd)(x, y, z); }
#elif defined(LANES_NEON)
static inline lanes lanes_fma(lanes x, lanes y, lanes z) { return LANES_NEON(vfmaq)(z, x, y); }
#elif defined(MT_DOUBLE)
/* Not inlined, like the float version below: the kernels contain some thousand of them, and each calls the C library's fma twice. */
__attribute__((noinline, unused)) static lanes lanes_fma(lanes x, lanes y, lanes z)
{
    for (int lane = 0; lane < LANES; lane++) z[lane] = __builtin_fma(x[lane], y[lane], z[lane]);
    return z;
}
#else
/* x y + z of two floats in double: x y is exact there. The sum is rounded to odd, so that only its rounding to float matters (Boldo and
 * Melquiond, IEEE Trans. Comput. 57, 462, 2008: two bits more than the result would suffice; here there are 29). */
typedef double lanes_wide __attribute__((vector_size(16)));
typedef int64_t lanes_wide_bits __attribute__((vector_size(16)));
static inline lanes_wide lanes_fma_wide(lanes_wide x, lanes_wide y, lanes_wide z)
{
    const lanes_wide product = x * y, sum = product + z, z_there = sum - product,
                     lost = (product - (sum - z_there)) + (z - z_there);
    /* An even inexact sum is replaced by its odd neighbour in the direction of the error: towards 0 if the signs of both differ. */
    const lanes_wide_bits bits = (lanes_wide_bits)sum, differ = (bits ^ (lanes_wide_bits)lost) >> 63,
                          moves = (lost != 0) & ((bits & 1) - 1) & (sum - sum == 0);
    return (lanes_wide)(bits + (moves & (1 + 2 * differ)));
}
/* Not inlined: the kernels contain some thousand of them, and compilation would take minutes. */
__attribute__((noinline, unused)) static lanes lanes_fma(lanes x, lanes y, lanes z)
{
    const __m128 upper_x = _mm_movehl_ps(x, x), upper_y = _mm_movehl_ps(y, y), upper_z = _mm_movehl_ps(z, z);
    const lanes_wide low = lanes_fma_wide(_mm_cvtps_pd(x), _mm_cvtps_pd(y), _mm_cvtps_pd(z)),
                     high =
                         lanes_fma_wide(_mm_cvtps_pd(upper_x), _mm_cvtps_pd(upper_y), _mm_cvtps_pd(upper_z));
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
#endif

/* x limited by a bound; NaN is preserved. For the instruction tally the larger remains a call by this name. */
#if defined(MT_TALLY)
real mt_max(real, real) __attribute__((const));
#    define lanes_at_least mt_max
#elif defined(LANES_X86)
static inline lanes lanes_at_least(lanes x, real bound) { return LANES_X86(max)(lanes_all(bound), x); }
static inline lanes lanes_at_most(lanes x, real bound) { return LANES_X86(min)(lanes_all(bound), x); }
#elif defined(LANES_NEON)
static inline lanes lanes_at_least(lanes x, real bound) { return LANES_NEON(vmaxq)(lanes_all(bound), x); }
static inline lanes lanes_at_most(lanes x, real bound) { return LANES_NEON(vminq)(lanes_all(bound), x); }
#else
static inline lanes lanes_at_least(lanes x, real bound) { return bound > x ? bound : x; }
static inline lanes lanes_at_most(lanes x, real bound) { return bound < x ? bound : x; }
#endif

/* Selects `below` if x < bound, and `otherwise` if not, or if x is NaN. */
#if defined(LANE_ONE)
static inline lanes lanes_select_below(lanes x, real bound, lanes below, lanes otherwise)
{
    return x < bound ? below : otherwise;
}
#elif LANE_BYTES == 64
static inline lanes lanes_select_below(lanes x, real bound, lanes below, lanes otherwise)
{
#    ifdef MT_DOUBLE
    const __mmask8 mask = _mm512_cmp_pd_mask(x, lanes_all(bound), _CMP_LT_OQ);
#    else
    const __mmask16 mask = _mm512_cmp_ps_mask(x, lanes_all(bound), _CMP_LT_OQ);
#    endif
    return LANES_X86(mask_blend)(mask, otherwise, below);
}
#else
static inline lanes lanes_select_below(lanes x, real bound, lanes below, lanes otherwise)
{
    lanes_mask mask = x < bound;
    return (lanes)((mask & (lanes_mask)below) | (~mask & (lanes_mask)otherwise));
}
#endif

/* Select a if x < y (x <= y, x == y), and b if not, or if x or y is NaN. */
#if defined(LANE_ONE)
#    define LANES_SELECT(name, operation, code)                                                              \
        static inline lanes lanes_select_##name(lanes x, lanes y, lanes a, lanes b)                          \
        {                                                                                                    \
            return x operation y ? a : b;                                                                    \
        }
#elif LANE_BYTES == 64
#    ifdef MT_DOUBLE
#        define LANES_COMPARE _mm512_cmp_pd_mask
#    else
#        define LANES_COMPARE _mm512_cmp_ps_mask
#    endif
#    define LANES_SELECT(name, operation, code)                                                              \
        static inline lanes lanes_select_##name(lanes x, lanes y, lanes a, lanes b)                          \
        {                                                                                                    \
            return LANES_X86(mask_blend)(LANES_COMPARE(x, y, code), b, a);                                   \
        }
#else
#    define LANES_SELECT(name, operation, code)                                                              \
        static inline lanes lanes_select_##name(lanes x, lanes y, lanes a, lanes b)                          \
        {                                                                                                    \
            const lanes_mask mask = x operation y;                                                           \
            return (lanes)((mask & (lanes_mask)a) | (~mask & (lanes_mask)b));                                \
        }
#endif
LANES_SELECT(less, <, _CMP_LT_OQ)
LANES_SELECT(less_equal, <=, _CMP_LE_OQ)
LANES_SELECT(equal, ==, _CMP_EQ_OQ)

/* True if x < bound in any lane. */
#if defined(LANE_ONE)
static inline _Bool lanes_any_below(lanes x, real bound) { return x < bound; }
#elif LANE_BYTES == 64 && defined(MT_DOUBLE)
static inline _Bool lanes_any_below(lanes x, real bound)
{
    return _mm512_cmp_pd_mask(x, lanes_all(bound), _CMP_LT_OQ) != 0;
}
#elif LANE_BYTES == 64
static inline _Bool lanes_any_below(lanes x, real bound)
{
    return _mm512_cmp_ps_mask(x, lanes_all(bound), _CMP_LT_OQ) != 0;
}
#elif defined(LANES_X86)
static inline _Bool lanes_any_below(lanes x, real bound)
{
    return LANES_X86(movemask)((lanes)(x < bound)) != 0;
}
#else
static inline _Bool lanes_any_below(lanes x, real bound)
{
    const lanes_mask below = x < bound;
    real_bits any = 0;
    for (int lane = 0; lane < LANES; lane++) any |= below[lane];
    return any != 0;
}
#endif

/* Convert small numbers to integers, towards zero, and back. */
#if defined(LANE_ONE)
static inline lanes_mask lanes_to_integers(lanes x) { return (lanes_mask)x; }
static inline lanes lanes_of_integers(lanes_mask x) { return (lanes)x; }
#else
static inline lanes_mask lanes_to_integers(lanes x) { return __builtin_convertvector(x, lanes_mask); }
static inline lanes lanes_of_integers(lanes_mask x) { return __builtin_convertvector(x, lanes); }
#endif

/* The square root, correctly rounded. For the instruction tally it remains a call by this name. */
#if defined(MT_TALLY)
real mt_sqrt(real) __attribute__((const));
#    define lanes_sqrt mt_sqrt
#elif defined(LANES_X86)
static inline lanes lanes_sqrt(lanes x) { return LANES_X86(sqrt)(x); }
#elif defined(LANES_NEON)
static inline lanes lanes_sqrt(lanes x) { return LANES_NEON(vsqrtq)(x); }
#elif defined(MT_DOUBLE)
static inline lanes lanes_sqrt(lanes x) { return __builtin_sqrt(x); }
#else
static inline lanes lanes_sqrt(lanes x) { return __builtin_sqrtf(x); }
#endif

/* v[column[0]], v[column[1]], ... one for each lane. For floats four at a time by explicit loads: on current machines this is twice as fast
 * as their gather instructions, and as the compiled plain loop. */
#if !defined(LANE_ONE) && !defined(MT_DOUBLE) && defined(__AVX2__)
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
