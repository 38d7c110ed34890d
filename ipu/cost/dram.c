#include "ipu/cost/dram.h"

#include <math.h>

#include "ipu/machine/integer.h"

/* Returns the bytes of buffers for a single chunk. */
static uint64_t whole(const ipu_dram *dram, const ipu_dram_use *use)
{
    return dram->overlap ? 2 * (use->read + use->written) : use->bytes;
}

uint64_t ipu_dram_chunks(const ipu_dram *dram, const ipu_dram_use *use)
{
    return use->bytes > 0 ? ipu_divide_up(whole(dram, use), dram->buffer_bytes) : 0;
}

size_t ipu_dram_buffers(const ipu_dram *dram, const ipu_dram_use *use)
{
    const uint64_t all = whole(dram, use);
    return all < dram->buffer_bytes ? (size_t)all : dram->buffer_bytes;
}

uint64_t ipu_dram_cycles(const ipu_target *target, const ipu_dram_load *load)
{
    const ipu_dram *dram = &target->dram;
    if (load->chunks == 0) return 0;
    const double n = (double)load->chunks, own = (double)load->compute,
                 shared_read = (double)load->read / dram->read_bytes_per_second * target->clock_hz,
                 shared_write = (double)load->written / dram->write_bytes_per_second * target->clock_hz,
                 read = fmax(shared_read, (double)load->read_cycles),
                 write = fmax(shared_write, (double)load->write_cycles),
                 launches = (double)(target->vertex_launch_cycles + target->vertex_entry_cycles),
                 compute = own + (n - 1) * launches;
    if (!dram->overlap) return (uint64_t)ceil(read + compute + write - own);
    const double bus = dram->duplex ? fmax(read, write) : read + write;
    return (uint64_t)ceil((read + compute + write) / n + (n - 1) / n * fmax(compute, bus) - own);
}
