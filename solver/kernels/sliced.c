#include "solver/kernels/sliced.h"
#include "solver/kernels/block.h"

enum { PARALLEL_FROM = 4096 };

static size_t length_of(const mt_sliced_source *source, size_t row)
{
    const size_t at = source->order[row];
    return source->start[at + 1] - source->start[at];
}

/* Finds the widths of the blocks; returns the largest. */
static size_t find_widths(const mt_sliced_source *source, mt_sliced *sliced)
{
    size_t first = 0, widest = 0;
    for (size_t row = 0; row < source->n; row += MT_BLOCK) {
        size_t width = 0;
        for (size_t lane = 0; lane < mt_block_width(source->n, row); lane++)
            if (length_of(source, row + lane) > width) width = length_of(source, row + lane);
        sliced->block[row / MT_BLOCK] = (mt_sliced_block){.first = first, .width = width};
        first += width;
        if (width > widest) widest = width;
    }
    sliced->n_values = MT_BLOCK * first;
    return widest;
}

/* Lists the columns of a block. The unused ones of a last block are those of its first row. */
static void list_columns(const mt_sliced_source *source, size_t row, size_t width, uint32_t *list)
{
    const size_t n = mt_block_width(source->n, row);
    for (size_t lane = 0; lane < MT_BLOCK; lane++) {
        const size_t at = row + (lane < n ? lane : 0), length = lane < n ? length_of(source, at) : 0;
        const uint32_t *column = source->column + source->start[source->order[at]];
        for (size_t k = 0; k < width; k++)
            list[MT_BLOCK * k + lane] = k < length ? source->place[column[k]] : (uint32_t)at;
    }
}

mt_status mt_sliced_make(mt_arena *arena, const mt_sliced_source *source, mt_sliced *sliced)
{
    *sliced = (mt_sliced){.n = source->n};
    MT_ALLOC(arena, sliced->block, (source->n + MT_BLOCK - 1) / MT_BLOCK);
    MT_SCRATCH(scratch);
    uint32_t *list, *columns; /* of the room, only what the packed columns use takes memory */
    const size_t widest = find_widths(source, sliced);
    MT_ALLOC(scratch, list, MT_BLOCK * widest);
    MT_ALLOC(arena, columns, sliced->n_values);
    void *room = columns;
    for (size_t row = 0; row < source->n; row += MT_BLOCK) {
        mt_sliced_block *block = &sliced->block[row / MT_BLOCK];
        list_columns(source, row, block->width, list);
        room = mt_ellpack_pack_block(MT_BLOCK * block->width, list, room, &block->columns);
    }
    return MT_OK;
}

/* Stores the values in one of two arrays; the other is NULL. */
static void put_values(const mt_sliced *sliced, const mt_sliced_source *source, const double *value,
    double factor, float *single, double *twice)
{
#pragma omp parallel for schedule(static) if (source->n >= PARALLEL_FROM)
    for (size_t row = 0; row < source->n; row++) {
        const mt_sliced_block *block = &sliced->block[row / MT_BLOCK];
        const double *of_row = value + source->start[source->order[row]];
        const size_t length = length_of(source, row);
        for (size_t k = 0; k < block->width; k++) {
            const size_t at = MT_BLOCK * (block->first + k) + row % MT_BLOCK;
            const double a = k < length ? factor * of_row[k] : 0;
            if (single)
                single[at] = (float)a;
            else
                twice[at] = a;
        }
    }
}

void mt_sliced_values_float(
    const mt_sliced *sliced, const mt_sliced_source *source, const double *value, double factor, float *a)
{
    put_values(sliced, source, value, factor, a, NULL);
}

void mt_sliced_values_double(
    const mt_sliced *sliced, const mt_sliced_source *source, const double *value, double factor, double *a)
{
    put_values(sliced, source, value, factor, NULL, a);
}
