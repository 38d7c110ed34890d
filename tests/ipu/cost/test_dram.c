#include <criterion/criterion.h>

#include <math.h>

#include "ipu/cost/dram.h"

/* 4 bytes per cycle to read, 8 to write. */
static ipu_target machine(bool duplex, bool overlap)
{
    return (ipu_target){.clock_hz = 1e9,
        .exchange_bytes_per_cycle = 4,
        .vertex_launch_cycles = 0,
        .vertex_entry_cycles = 10,
        .dram = {.bytes = 1 << 20,
            .read_bytes_per_second = 4e9,
            .write_bytes_per_second = 8e9,
            .duplex = duplex,
            .buffer_bytes = 1000,
            .overlap = overlap}};
}

Test(dram, chunks_fit_their_buffers)
{
    const ipu_target one = machine(true, false), two = machine(true, true);
    const ipu_dram_use none = {0}, most = {600, 400, 1000}, more = {601, 400, 1001}, same = {500, 500, 500};
    cr_expect_eq(ipu_dram_chunks(&one.dram, &none), 0);
    cr_expect_eq(ipu_dram_chunks(&one.dram, &most), 1);
    cr_expect_eq(ipu_dram_chunks(&one.dram, &more), 2);
    cr_expect_eq(ipu_dram_chunks(&two.dram, &most), 2, "two buffers for input and output");
    cr_expect_eq(ipu_dram_chunks(&two.dram, &more), 3);
    cr_expect_eq(ipu_dram_chunks(&one.dram, &same), 1);
    cr_expect_eq(ipu_dram_chunks(&two.dram, &same), 2);
    cr_expect_eq(ipu_dram_buffers(&one.dram, &same), 500);
    cr_expect_eq(ipu_dram_buffers(&two.dram, &same), 1000);
    cr_expect_eq(ipu_dram_buffers(&two.dram, &(ipu_dram_use){100, 0, 100}), 200);
}

Test(dram, without_overlap_load_compute_and_store_follow_each_other)
{
    const ipu_target target = machine(false, false);
    const ipu_dram_load load = {.read = 4000, .written = 4000, .chunks = 8, .compute = 300};
    cr_expect_eq(ipu_dram_cycles(&target, &load), 1000 + 500 + 7 * 10, "and 7 more launches");
}

Test(dram, a_tile_alone_is_limited_by_its_port_and_the_latency)
{
    const ipu_target target = machine(false, false);
    const ipu_dram_load load = {
        .read = 4000, .written = 4000, .read_cycles = 5000, .write_cycles = 700, .chunks = 1, .compute = 300};
    cr_expect_eq(ipu_dram_cycles(&target, &load), 5000 + 700);
}

Test(dram, no_data_take_no_time)
{
    const ipu_target target = machine(false, true);
    cr_expect_eq(ipu_dram_cycles(&target, &(const ipu_dram_load){.compute = 300}), 0);
}

/* Simulates n equal chunks with two buffers for input and two for output: chunk k is loaded after chunk k - 1, when chunk k - 2 has been
 * computed, and computed when chunk k - 2 has been stored. Without duplex loads and stores wait for each other, the next load before the
 * store of the chunk before. Returns the end of the last store. */
static double simulate(size_t n, double load, double compute, double store, bool duplex)
{
    enum { MOST = 64 };
    double computed[MOST] = {0}, stored[MOST] = {0}, reads = 0, writes = 0;
    cr_assert_leq(n, (size_t)MOST);
    for (size_t step = 0; step < n + 1; step++) {
        if (step < n) {
            const double free = step >= 2 ? computed[step - 2] : 0, out = step >= 2 ? stored[step - 2] : 0;
            reads = fmax(duplex ? reads : fmax(reads, writes), free) + load;
            computed[step] = fmax(fmax(reads, out), step > 0 ? computed[step - 1] : 0) + compute;
        }
        if (step == 0) continue;
        writes = stored[step - 1] = fmax(duplex ? writes : fmax(reads, writes), computed[step - 1]) + store;
    }
    return stored[n - 1];
}

Test(dram, a_pipeline_of_a_duplex_memory_agrees_with_a_simulation)
{
    const ipu_target target = machine(true, true);
    const double computes[] = {0, 700, 2000, 3000, 20000};
    for (size_t c = 0; c < sizeof computes / sizeof *computes; c++)
        for (size_t n = 1; n <= 16; n *= 2) {
            const uint64_t compute = (uint64_t)computes[c];
            const ipu_dram_load load = {.read = 8000, .written = 8000, .chunks = n, .compute = compute};
            const double each = (double)compute + (double)(n - 1) * 10,
                         simulated =
                             simulate(n, 2000.0 / (double)n, each / (double)n, 1000.0 / (double)n, true);
            cr_expect_float_eq((double)(compute + ipu_dram_cycles(&target, &load)), simulated, 1,
                "%zu chunks, compute %.0f: %.1f", n, computes[c], simulated);
        }
}

Test(dram, a_shared_bus_is_within_a_load_and_a_store_of_the_simulation)
{
    const ipu_target target = machine(false, true);
    const double computes[] = {0, 500, 3000, 20000};
    for (size_t c = 0; c < sizeof computes / sizeof *computes; c++)
        for (size_t n = 1; n <= 16; n *= 2) {
            const uint64_t compute = (uint64_t)computes[c];
            const ipu_dram_load load = {.read = 8000, .written = 8000, .chunks = n, .compute = compute};
            const double each = (double)compute + (double)(n - 1) * 10, parts = (double)n,
                         simulated = simulate(n, 2000 / parts, each / parts, 1000 / parts, false),
                         ours = (double)(compute + ipu_dram_cycles(&target, &load));
            cr_expect_leq(fabs(ours - simulated), 3000 / parts + 1, "%zu chunks, compute %.0f: %.0f, %.0f", n,
                computes[c], ours, simulated);
            cr_expect_geq(simulated, fmax(3000, each) - 1);
        }
}
