/* Options of `partition` and `reproduce` for partitioning a mesh (solver/plan/tiling.h). */
#pragma once

#include "app/cli/command.h"
#include "solver/plan/tiling.h"

/* For the option tables of commands that partition a mesh. */
#define MT_TILING_OPTIONS                                                                                    \
    {.name = "--target", .value = "NAME|FILE.yaml", .help = "the emulated machine; default: gc200"},         \
        MT_TILING_CUT_OPTIONS
#define MT_TILING_CUT_OPTIONS                                                                                \
    {.name = "--partition",                                                                                  \
        .value = "auto|flat|hierarchical|curve|bisection",                                                   \
        .help = "partition by METIS for all tiles at once (flat), or for IPUs and then their tiles "         \
                "(hierarchical); or by positions, along a space-filling curve or by bisection together "     \
                "with the grid of tiles; default: auto, bisection for a mesh or torus of tiles, else "       \
                "flat"},                                                                                     \
        {.name = "--imbalance",                                                                              \
            .value = "X",                                                                                    \
            .help = "largest imbalance of the partition (max/mean), 1.001 to 2; default: 1.03"},             \
        {.name = "--balance-halo", .help = "move elements between tiles to reduce the largest halo"},        \
        {.name = "--ranges",                                                                                 \
            .value = "R",                                                                                    \
            .help = "largest number of ranges that a tile sends; for the scheme budget"},                    \
        MT_OPTION_MACHINE_SET

/* For commands that state the cycles of a time step. */
#define MT_OPTION_STREAM                                                                                     \
    {                                                                                                        \
        .name = "--stream", .value = "none|states|all",                                                      \
        .help = "variables in memory outside of the chip, of machines with `dram`: those of the ionic "      \
                "model, or all that tiles process in order; default: none"                                   \
    }

/* Reads --stream; ignores it if it is not given. Fails with MT_INPUT if the word is unknown; the message names the option. */
MT_NODISCARD mt_status mt_tiling_options_stream(const mt_arguments *arguments, mt_streamed *streamed);

/* Reads the tiling from these options, except --ranges and --stream; it uses all tiles. Fails with MT_INPUT; the message names the
 * option. */
MT_NODISCARD mt_status mt_tiling_options_parse(
    mt_arena *arena, const mt_arguments *arguments, mt_tiling *tiling);

/* Same for a machine by name or path, without --target. */
MT_NODISCARD mt_status mt_tiling_options_parse_for(
    mt_arena *arena, const mt_arguments *arguments, const char *machine, mt_tiling *tiling);

/* Reads --ranges; 0 if not given. Fails with MT_INPUT; the message names the option. */
MT_NODISCARD mt_status mt_tiling_options_ranges(const mt_arguments *arguments, uint32_t *ranges);

/* Reads a list of IPU counts: integers from 1 to 4096 in any order. Fails with MT_INPUT if the list is invalid; the message names
 * the option. Returns the errors of `mt_tiling_check_ipus` (too many tiles) and `mt_tiling_check_memory`. */
enum { MT_TILING_COUNTS = 16 };
MT_NODISCARD mt_status mt_tiling_options_counts(
    const mt_tiling *tiling, const char *text, size_t *n, uint32_t ipus[MT_TILING_COUNTS]);
