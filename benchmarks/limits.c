#include "benchmarks/limits.h"

#include <omp.h>

/* MT_KERNEL(multiply_adds) of each instruction set of this processor's family. */
bench_multiply_adds mt_multiply_adds_float_base, mt_multiply_adds_double_base;
#ifdef __x86_64__
bench_multiply_adds mt_multiply_adds_float_avx2, mt_multiply_adds_float_avx512, mt_multiply_adds_double_avx2,
    mt_multiply_adds_double_avx512;
#endif
static bench_multiply_adds *const chains[2][MT_ISAS] = {{[MT_ISA_BASE] = mt_multiply_adds_float_base,
#ifdef __x86_64__
                                                            [MT_ISA_AVX2] = mt_multiply_adds_float_avx2,
                                                            [MT_ISA_AVX512] = mt_multiply_adds_float_avx512
#endif
                                                        },
    {[MT_ISA_BASE] = mt_multiply_adds_double_base,
#ifdef __x86_64__
        [MT_ISA_AVX2] = mt_multiply_adds_double_avx2,
        [MT_ISA_AVX512] = mt_multiply_adds_double_avx512
#endif
    }};

enum { TURNS = 100000, CYCLES = 4000000 };

/* Run the chains by one thread and by all; `data` is an entry of chains [arithmetic][set]. */
static void go_one(void *data) { (void)(*(bench_multiply_adds *const *)data)(TURNS); }
static void go_all(void *data)
{
#pragma omp parallel
    (void)(*(bench_multiply_adds *const *)data)(TURNS);
}

int bench_add_multiply_adds(
    bench_list *list, const mt_kernels *kernels, bool is_double, int threads, int clock)
{
    bench_multiply_adds *const *of = &chains[is_double][kernels->set];
    return bench_add(list,
        (bench_figure){.unit = "flop/s",
            .go = threads > 1 ? go_all : go_one,
            .data = (void *)(uintptr_t)of,
            .rate = true,
            .items = (*of)(TURNS)*threads,
            .threads = threads,
            .baseline = clock},
        "multiply-adds %s %s", is_double ? "double" : "float", kernels->isa);
}

/* The operands are two registers, which no processor computes ahead; the asm hides them from the optimiser. */
static void go_clock(void *data)
{
    size_t x = 0, step = *(size_t *)data;
    for (size_t k = 0; k < CYCLES / 8; k++) {
        _Pragma("GCC unroll 8") for (int turn = 0; turn < 8; turn++)
        {
            x += step;
            __asm__ volatile("" : "+r"(x), "+r"(step));
        }
    }
}

int bench_add_clock(bench_list *list)
{
    static size_t step = 3;
    return bench_add(list,
        (bench_figure){.unit = "Hz", .go = go_clock, .data = &step, .rate = true, .items = CYCLES}, "clock");
}

enum { STREAM = 1 << 26, LINE = 16 }; /* 256 MiB of floats */
typedef struct stream {
    const float *numbers;
    float sum; /* result, so that the compiler does not remove the reads */
} stream;

static void go_stream(void *data)
{
    stream *s = data;
    const float *numbers = s->numbers;
    float total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (size_t from = 0; from < STREAM; from += 64 * LINE) {
        float sum[LINE] = {0};
        for (size_t line = 0; line < 64; line++)
            for (size_t k = 0; k < LINE; k++) sum[k] += numbers[from + line * LINE + k];
        for (size_t k = 0; k < LINE; k++) total += sum[k];
    }
    s->sum += total;
}

int bench_add_stream(bench_list *list, mt_arena *arena)
{
    stream *s = bench_take(arena, 1, sizeof *s);
    float *numbers = bench_take(arena, STREAM, sizeof *numbers);
    for (size_t k = 0; k < STREAM; k++) numbers[k] = (float)(k % 3); /* allocates each page */
    s->numbers = numbers;
    return bench_add(list,
        (bench_figure){.unit = "B/s",
            .go = go_stream,
            .data = s,
            .rate = true,
            .threads = omp_get_max_threads(),
            .items = STREAM * sizeof(float)},
        "stream");
}

double bench_flops_of_function(mt_function f, bool is_double)
{
    /* solver/kernels/functions.h, term by term: the operations that do not depend on the arithmetic, and the polynomial. */
    switch (f) {
    case MT_EXP:
        return 12 + (is_double ? 18 : 8);
    case MT_EXPM1:
        return 41 + (is_double ? 18 : 8);
    case MT_LOG:
        return 21 + (is_double ? 12 : 6);
    default:
        return 1;
    }
}

double bench_flops(const ipu_mix *mix, bool is_double)
{
    return mix->count[IPU_OP_ADD] + mix->count[IPU_OP_MULTIPLY] + mix->count[IPU_OP_DIVIDE] +
           mix->count[IPU_OP_SQRT] + mix->count[IPU_OP_EXP] * bench_flops_of_function(MT_EXP, is_double) +
           mix->count[IPU_OP_EXPM1] * bench_flops_of_function(MT_EXPM1, is_double) +
           mix->count[IPU_OP_LOG] * bench_flops_of_function(MT_LOG, is_double);
}
