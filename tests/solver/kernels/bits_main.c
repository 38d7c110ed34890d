/* Prints the bits computed by the kernels of one instruction set, for comparison with another instruction set, compiler or processor
 * (bits.sh): results of the functions, of steps of the ionic models, of rows in double words and of rows of different lengths, in float
 * and double, with and without subnormal numbers. The output is binary; NaN, which has several patterns, is replaced by a single one.
 * Without an argument it lists the instruction sets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ipu/run/engine.h"
#include "solver/cells/model.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/block.h"
#include "solver/kernels/ellpack.h"
#include "solver/kernels/kernels.h"
#include "tests/random.h"

enum { N = 4096, CELLS = 256 + 7, STEPS = 400 };

static void put_floats(float *y, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (isnan(y[k])) y[k] = (float)NAN;
    (void)fwrite(y, sizeof *y, n, stdout);
}

static void put_doubles(double *y, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (isnan(y[k])) y[k] = (double)NAN;
    (void)fwrite(y, sizeof *y, n, stdout);
}

/* Tests floats of all sizes, and all floats around results near the smallest normal number: exp there, log and expm1 of such. */
static void put_functions_of_floats(const mt_kernels *kernels)
{
    static float x[N], by[N], y[N];
    const uint32_t around[] = {0xc2aeac50, 0xc2cff1b5, 0x00800000, 0x80800000, 0x3f800000, 0x42b17218};
    enum { CENTRES = sizeof around / sizeof *around, SPREAD = 200 };
    for (int f = 0; f < MT_FUNCTIONS; f++)
        for (uint32_t turn = 0; turn < SPREAD + CENTRES; turn++) {
            for (uint32_t k = 0; k < N; k++) {
                const uint32_t bits =
                    turn < SPREAD ? (turn * N + k) * 5237 : around[turn - SPREAD] - N / 2 + k;
                memcpy(&x[k], &bits, sizeof bits);
                by[k] = f == MT_OVER ? 9.03F : 3 + (float)k;
            }
            /* For quotients just below the smallest normal number, some processors detect underflow before rounding and others after. */
            if ((f == MT_DIVIDE || f == MT_OVER) && turn >= SPREAD + 2 && turn < SPREAD + 4) continue;
            kernels->function_float((mt_function)f, N, x, by, y);
            put_floats(y, N);
        }
}

static void put_functions_of_doubles(const mt_kernels *kernels)
{
    static double x[N], by[N], y[N];
    for (int f = 0; f < MT_FUNCTIONS; f++)
        for (uint64_t turn = 0; turn < 100; turn++) {
            uint64_t state = turn;
            for (size_t k = 0; k < N; k++) {
                const double fraction = between(&state, 0.5, 1);
                const int exponent = (int)draw(&state, 1000) - 500;
                x[k] = turn % 2 ? between(&state, -750, 710) : ldexp(fraction, exponent);
                by[k] = f == MT_OVER ? 9.03 : between(&state, 1, 100);
            }
            kernels->function_double((mt_function)f, N, x, by, y);
            put_doubles(y, N);
        }
}

/* Steps cells at rest and at any V, uniformly or multirate. */
static void put_cells(const mt_kernels *kernels, bool multirate)
{
    static float v[CELLS], state[CELLS * TP06_STATES], constants[TP06_CONSTANTS], kept[CELLS], change[CELLS],
        since[CELLS];
    static double v_d[CELLS], state_d[CELLS * TP06_STATES], constants_d[TP06_CONSTANTS], kept_d[CELLS],
        change_d[CELLS], since_d[CELLS];
    const mt_isa set = kernels->set;
    const mt_cell_variant *variant = &mt_cell_tp06.variants[TP06_ENDO];
    mt_cell_constants_float(&mt_cell_tp06, variant, 1, constants);
    mt_cell_constants_double(&mt_cell_tp06, variant, 1, constants_d);
    for (size_t cell = 0; cell < CELLS; cell++) {
        v[cell] = (float)(v_d[cell] = -120 + (double)cell);
        kept[cell] = INFINITY, kept_d[cell] = INFINITY;
        change[cell] = since[cell] = 0, change_d[cell] = since_d[cell] = 0;
        for (size_t k = 0; k < TP06_STATES; k++) {
            const size_t at = mt_block_index(CELLS, TP06_STATES, cell, k);
            state[at] = (float)(state_d[at] = variant->states[k]);
        }
    }
    for (size_t step = 0; multirate && step < STEPS; step++) {
        const mt_multirate_step at = {0.02, 0.1, step};
        mt_cell_tp06.multirate_float[set](
            &mt_cell_tp06, constants, 1, NULL, &at, CELLS, state, kept, change, since, v, v);
        mt_cell_tp06.multirate_double[set](
            &mt_cell_tp06, constants_d, 1, NULL, &at, CELLS, state_d, kept_d, change_d, since_d, v_d, v_d);
    }
    for (int step = 0; !multirate && step < STEPS; step++) {
        mt_cell_tp06.kernel_float[set](&mt_cell_tp06, constants, 1, NULL, 0.02, CELLS, state, v, v);
        mt_cell_tp06.kernel_double[set](&mt_cell_tp06, constants_d, 1, NULL, 0.02, CELLS, state_d, v_d, v_d);
    }
    put_floats(v, CELLS);
    put_floats(state, CELLS * TP06_STATES);
    put_doubles(v_d, CELLS);
    put_doubles(state_d, CELLS * TP06_STATES);
    put_floats(since, CELLS);
    put_doubles(since_d, CELLS);
}

/* Computes rows of the diffusion step in double words, over several steps. */
static void put_rows(const mt_kernels *kernels)
{
    static float a[CELLS * MT_ELLPACK_WIDTH], v[2][CELLS], v_low[CELLS];
    static uint16_t column[CELLS * MT_ELLPACK_WIDTH];
    uint64_t state = 5;
    for (size_t row = 0; row < CELLS; row++) {
        v[0][row] = -120 + (float)row;
        v_low[row] = 0;
    }
    for (size_t k = 0; k < CELLS * MT_ELLPACK_WIDTH; k++) {
        a[k] = (float)between(&state, -0.02, 0.05);
        column[k] = (uint16_t)draw(&state, CELLS);
    }
    for (int step = 0; step < STEPS; step++)
        kernels->rows_double_word16(CELLS, a, column, v[step % 2], v[step % 2], 1, v_low, v[(step + 1) % 2]);
    put_floats(v[STEPS % 2], CELLS);
    put_floats(v_low, CELLS);
}

/* Computes rows of different lengths, over several steps. */
static void put_sliced_rows(const mt_kernels *kernels)
{
    enum { WIDTH = 23, BLOCKS = (CELLS + MT_BLOCK - 1) / MT_BLOCK, VALUES = WIDTH * MT_BLOCK };
    static float a[BLOCKS * VALUES], v[2][CELLS], words[2][CELLS], low[CELLS];
    static double a_d[BLOCKS * VALUES], v_d[2][CELLS];
    static uint16_t column[BLOCKS * VALUES];
    mt_sliced_block block[BLOCKS];
    uint64_t state = 5;
    for (size_t row = 0; row < CELLS; row++) {
        v_d[0][row] = v[0][row] = words[0][row] = -120 + (float)row;
        low[row] = 0;
    }
    for (size_t b = 0; b < BLOCKS; b++)
        block[b] = (mt_sliced_block){{column + VALUES * b, 0, 0}, WIDTH * b, b % (WIDTH + 1)};
    for (size_t k = 0; k < BLOCKS * VALUES; k++) {
        a[k] = (float)(a_d[k] = between(&state, -0.01, 0.03));
        column[k] = (uint16_t)draw(&state, CELLS);
    }
    for (int step = 0; step < STEPS; step++) {
        const float *from = v[step % 2];
        const double *from_d = v_d[step % 2];
        kernels->sliced_float(CELLS, block, a, from, from, from, v[(step + 1) % 2]);
        kernels->sliced_double(CELLS, block, a_d, from_d, from_d, from_d, v_d[(step + 1) % 2]);
        kernels->sliced_double_word(
            CELLS, block, a, words[step % 2], words[step % 2], 1, low, words[(step + 1) % 2]);
    }
    put_floats(v[STEPS % 2], CELLS);
    put_floats(words[STEPS % 2], CELLS);
    put_floats(low, CELLS);
    put_doubles(v_d[STEPS % 2], CELLS);
}

int main(int argc, char **argv)
{
    const mt_kernels *all[MT_ISAS];
    const size_t n = mt_kernels_all(all);
    for (size_t k = 0; k < n; k++) {
        if (argc < 2) (void)puts(all[k]->isa);
        if (argc < 2 || strcmp(argv[1], all[k]->isa) != 0) continue;
        for (int flushing = 0; flushing < 2; flushing++) {
            const uint64_t before = flushing ? ipu_begin_flushing() : 0;
            put_functions_of_floats(all[k]);
            put_functions_of_doubles(all[k]);
            put_cells(all[k], false);
            put_cells(all[k], true);
            put_rows(all[k]);
            put_sliced_rows(all[k]);
            if (flushing) ipu_end_flushing(before);
        }
    }
    return 0;
}
