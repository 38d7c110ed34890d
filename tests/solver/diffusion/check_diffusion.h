/* The invariants of solver/diffusion/diffusion.h; the message names the first row that violates one. */
#pragma once

#include <math.h>

#include "solver/diffusion/diffusion.h"

static inline bool within_two_faces(const mt_adjacency *adjacency, size_t c, uint32_t column)
{
    uint32_t ring[MT_RING_MAX];
    size_t n = mt_adjacency_ring(adjacency, c, ring), k = 0;
    while (k < n && ring[k] != column) k++;
    return k < n;
}

static inline mt_status check_row(const mt_diffusion *diffusion, const mt_adjacency *adjacency, size_t c)
{
    const double *rate = diffusion->rate + MT_DIFFUSION_ROW * c;
    const uint32_t *column = diffusion->column + MT_DIFFUSION_ROW * c;
    size_t k = 0;
    for (; k < MT_DIFFUSION_ROW && column[k] != c; k++) {
        if (!isfinite(rate[k]))
            return mt_fail(MT_NUMERICS, "row %zu: rate %g at column %u", c, rate[k], column[k]);
        if (k > 0 && column[k] <= column[k - 1])
            return mt_fail(
                MT_INPUT, "row %zu: column %u after %u; columns must ascend", c, column[k], column[k - 1]);
        if (!within_two_faces(adjacency, c, column[k]))
            return mt_fail(MT_INPUT, "row %zu: column %u; it must lie at most two faces away", c, column[k]);
    }
    for (; k < MT_DIFFUSION_ROW; k++)
        if (column[k] != c || rate[k] != 0)
            return mt_fail(MT_INPUT,
                "row %zu: column %u with rate %g after the row's end; padding must be the row itself with "
                "rate 0",
                c, column[k], rate[k]);
    return MT_OK;
}

/* sum_i V_i a_ij = V_j sum_k a_jk. An entry is the sum of a few star coefficients that may cancel, so its rounding error is about ten
 * epsilon of the stars, which are at most a few hundred times the row. 1e-12 of the absolute sums covers this. */
static inline mt_status check_conservation(mt_arena *scratch, const mt_diffusion *diffusion)
{
    double *sum, *size;
    MT_ALLOC(scratch, sum, diffusion->n_unknowns);
    MT_ALLOC(scratch, size, diffusion->n_unknowns);
    for (size_t c = 0; c < diffusion->n_unknowns; c++)
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
            double weighted = diffusion->volume_mm3[c] * diffusion->rate[MT_DIFFUSION_ROW * c + k];
            uint32_t column = diffusion->column[MT_DIFFUSION_ROW * c + k];
            sum[column] += weighted;
            sum[c] -= weighted;
            size[column] += fabs(weighted);
            size[c] += fabs(weighted);
        }
    for (size_t c = 0; c < diffusion->n_unknowns; c++)
        if (!(fabs(sum[c]) <= 1e-12 * size[c]))
            return mt_fail(MT_NUMERICS,
                "column %zu: the volume-weighted sum is %g beside entries of %g; it must be 0", c, sum[c],
                size[c]);
    return MT_OK;
}

static inline mt_status diffusion_check(const mt_diffusion *diffusion, const mt_adjacency *adjacency)
{
    if (adjacency->n_elements != diffusion->n_unknowns)
        return mt_fail(MT_INPUT, "an adjacency of %zu elements for an operator of %zu", adjacency->n_elements,
            diffusion->n_unknowns);
    for (size_t c = 0; c < diffusion->n_unknowns; c++) {
        if (!(diffusion->volume_mm3[c] > 0))
            return mt_fail(
                MT_INPUT, "row %zu: volume %g mm^3; it must be above 0", c, diffusion->volume_mm3[c]);
        MT_TRY(check_row(diffusion, adjacency, c));
    }
    mt_arena scratch = {0};
    mt_status status = check_conservation(&scratch, diffusion);
    mt_arena_free(&scratch);
    return status;
}
