/* A mesh on the tiles of a machine: how it is cut, what each tile then holds and receives, and what the emulated machine
 * would need for it. What the commands `run`, `partition` and `reproduce` share. */
#ifndef MT_APP_STAGES_TILING_H
#define MT_APP_STAGES_TILING_H

#include "app/cli/command.h"
#include "ipu/run/profile.h"
#include "mesh/cut/balance.h"
#include "mesh/cut/halo.h"

/* ---- how to cut ---- */

typedef struct mt_tiling {
    ipu_target one; /* one chip; its name tells the values that were set */
    uint32_t tiles; /* of each chip that are used */
    mt_partition_method method;
    double imbalance;
    bool balance_halo;
    bool checked; /* what is compiled is checked, the schedules of its exchange word by word */
} mt_tiling;

/* For the tables of options of commands that cut a mesh. */
#define MT_TILING_OPTIONS                                                                                    \
    {"--target", "NAME|FILE.yaml", "the machine; default: gc200", false},                                    \
        {"--partition", "flat|hierarchical", "to all tiles at once, or to the IPUs first; default: flat",    \
            false},                                                                                          \
        {"--imbalance", "X", "the largest part against the mean, 1.001 to 2; default: 1.03", false},         \
        {"--balance-halo", NULL, "move cells until the tiles that need most need less", false},              \
        {"--ranges", "R", "at most so many ranges a tile sends; for the scheme budget", false},              \
    {                                                                                                        \
        "--set", "key=value", "use this value in place of the machine's: links.shape=torus", true            \
    }

/* Gives the tiling that these options ask for, on all tiles; --ranges is looked at below. MT_INPUT names the option. */
MT_NODISCARD mt_status mt_tiling_parse(mt_arena *arena, const mt_arguments *arguments, mt_tiling *tiling);

/* Gives the value of --ranges; 0 where it is not given. MT_INPUT names the option. */
MT_NODISCARD mt_status mt_tiling_ranges(const mt_arguments *arguments, uint32_t *ranges);

/* Gives a list of how many IPUs: whole numbers from 1 to 4096 that need not be in order. MT_INPUT names the option; and where
 * so many have more tiles than can be counted. */
enum { MT_TILING_COUNTS = 16 };
MT_NODISCARD mt_status mt_tiling_counts(
    const mt_tiling *tiling, const char *text, size_t *n, uint32_t ipus[MT_TILING_COUNTS]);

/* That the host has room for the emulator's own tables of so many IPUs: at least MT_TILE_HOST_BYTES for each tile, whatever
 * the mesh and whether the tile is used; a mesh comes on top. MT_MEMORY: it has not (data/room.h); the message has the numbers.
 * From 1 GB on a warning on stderr has them. */
MT_NODISCARD mt_status mt_tiling_check_room(const mt_tiling *tiling, uint32_t ipus);

/* What an idle tile takes; measured, `partition` of 20,160 cells on 64 and on 1,024 GC200: 700 bytes a tile more, `run`: 756. */
#define MT_TILE_HOST_BYTES 700

/* Gives the cells that each cell's row of the diffusion step reads, as mt_diffusion_pattern has them. */
MT_NODISCARD mt_status mt_tiling_pattern(mt_arena *arena, const mt_adjacency *adjacency, mt_pattern *pattern);

/* Gives a partition for so many IPUs and, where balanced halos are asked for, balances what tiles need. `balance` says what
 * that did; all 0 where it is not asked for. Where METIS failed first and this is another cut than usual, a warning on
 * stderr says so. */
MT_NODISCARD mt_status mt_tiling_cut(mt_arena *arena, const mt_tiling *tiling, const mt_adjacency *adjacency,
    const mt_pattern *pattern, uint32_t ipus, mt_partition *parts, mt_balance *balance);

/* Where balanced halos are asked for and this scheme sends more than what is needed, goes on with what it sends: to be
 * done once, behind mt_tiling_cut. Adds its moves to `balance`. */
MT_NODISCARD mt_status mt_tiling_suit(const mt_tiling *tiling, const mt_scheme *scheme,
    const mt_adjacency *adjacency, const mt_pattern *pattern, mt_partition *parts, mt_balance *balance);

/* ---- what it gives ---- */

/* A count of a tile: by its part. */
typedef double mt_tile_count(const mt_halo *halo, uint32_t part);
mt_tile_count mt_tile_cells, mt_tile_separator, mt_tile_needed, mt_tile_received, mt_tile_unused, mt_tile_all,
    mt_tile_neighbours, mt_tile_ranges_sent, mt_tile_pieces_received;

/* Over all tiles; the median is the lower of two. */
typedef struct mt_tile_spread {
    double min, median, max, sum;
} mt_tile_spread;

/* Gives the spread of a count. MT_MEMORY. */
MT_NODISCARD mt_status mt_tile_spread_of(const mt_halo *halo, mt_tile_count *count, mt_tile_spread *spread);

/* Cells received from tiles of other IPUs, as each tile that receives counts them. */
size_t mt_tiling_crossing(const mt_halo *halo);

/* What the emulated machine would need, where it fits; else `why` says what does not. */
typedef struct mt_tiling_costs {
    bool fits;
    bool stands_still; /* what does not: messages between chips could wait for each other for ever */
    char why[1024];
    size_t memory_max, memory_median; /* bytes of a tile */
    uint64_t exchange_cycles;         /* of one diffusion step, without its synchronisation */
    uint64_t external_cycles;         /* of these: of the busiest link between chips */
    uint64_t exchange_bound_cycles;   /* what no schedule of the others can be below */
    uint64_t bytes_crossing;          /* from chip to chip: a byte once for each chip that receives it */
    char busiest_link[64];            /* its name; "" where nothing crosses */
    double effectiveness;             /* of the exchange on a chip: mean tile / slowest */
    uint64_t sync_cycles;             /* before that exchange, both kinds */
    uint64_t external_sync_cycles;    /* of these: of all chips */
    ipu_spread exchange, pde, ode; /* cycles of a tile: exchange (without links) and compute of one diffusion
                                         step, compute of one step of the cells */
} mt_tiling_costs;

/* "yes", "does not fit" or "could stand still", for tables and warnings. */
const char *mt_tiling_fits(const mt_tiling_costs *costs);

/* Gives the costs of a halo on so many of the chips; with them the machine, and where it fits its profile in `arena`, of one
 * run of each compute set. What does not fit is no failure. */
MT_NODISCARD mt_status mt_tiling_profile(mt_arena *arena, const mt_tiling *tiling, const mt_halo *halo,
    ipu_target *target, ipu_profile *profile, mt_tiling_costs *costs);

/* The costs alone. */
MT_NODISCARD mt_status mt_tiling_costs_of(
    const mt_tiling *tiling, const mt_halo *halo, mt_tiling_costs *costs);

#endif
