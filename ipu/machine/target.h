/* A tiled processor: number of tiles, memory, rates and latencies. The machine files are in data/machines/; every number in
 * them has its source. ipu/README.md explains how the numbers become cycles. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "data/yaml/yaml_schema.h"
#include "ipu/machine/topology.h"

/* The order in which a worker issues instructions. */
typedef enum ipu_issue {
    IPU_PAIRED, /* of the IPU: bundles of one or two, as the tool `tally` counts them */
    IPU_SINGLE  /* one after another */
} ipu_issue;

/* Worker cycles of instructions (ipu/cost/mix.h); 1 worker cycle = `worker_contexts` tile cycles. If the time of an instruction
 * depends on its operands, the mean, possibly a fraction. The classes `memory`, `floats` and `integer` can take 0 cycles, if a
 * machine takes operands from memory or counts loops in hardware. */
typedef struct ipu_instruction_costs {
    ipu_issue issue;
    double memory, floats, integer;
    double f32_div, f32_exp, f32_log, f32_sqrt;
    size_t f32_lanes,
        f16_lanes; /* elements of a vector instruction; 1, or 0: none besides the pairs of the mixes */
} ipu_instruction_costs;

/* The host links, one per chip. Write: from the host; read: to the host. */
typedef struct ipu_host {
    double write_bytes_per_second, read_bytes_per_second;
    size_t write_packet_bytes, read_packet_bytes, packet_header_bytes; /* as in ipu_links */
    size_t sync_cycles; /* of a sync with the host, in addition to the sync inside the chip */
} ipu_host;

/* Memory outside of each chip that its tiles share: variables marked by ipu_graph_set_dram are there, and vertices stream them through
 * buffers (ipu/cost/dram.h). All members are 0 if there is none. */
typedef struct ipu_dram {
    size_t bytes;                                         /* of each chip; 0: there is none */
    double read_bytes_per_second, write_bytes_per_second; /* sustained, of all tiles of a chip together */
    bool duplex;           /* True if reads and writes do not share their rate */
    size_t latency_cycles; /* of the load or store of a chunk, in addition to its bytes */
    size_t buffer_bytes;   /* of a tile */
    bool overlap;          /* True if tiles load and store while they compute */
} ipu_dram;

/* The structure of a tile's memory. ipu/compile/memory.h describes its allocation. */
typedef struct ipu_memory_rules {
    /* at the bottom, a multiple of element_bytes; instructions are fetched only from here */
    size_t region0_bytes;
    size_t element_bytes;       /* an element is never used by instruction fetch and exchange at once */
    size_t reserved_bytes;      /* at the top, for the machine's own use */
    size_t exchange_code_bytes; /* per fragment that a tile receives and per run that it sends */
    size_t send_words;          /* maximum of words in such a run */
    size_t copy_range_bytes;    /* per range that a tile copies: source, destination, length */
} ipu_memory_rules;

/* How the data of a copy, or of a vertex input that is not one range of its tile's memory, are assembled
 * (ipu/compile/assembly.h). */
typedef enum ipu_copies {
    IPU_COPIES_AUTO,  /* for each input the method that takes fewer cycles */
    IPU_COPIES_NEVER, /* every piece is received in its place */
    IPU_COPIES_ALWAYS /* received in a buffer and copied, as by the vendor's compiler */
} ipu_copies;

/* The network between the tiles of a chip (ipu/machine/fabric.h). */
typedef enum ipu_fabric_kind {
    IPU_CROSSBAR, /* of the IPU: no link is shared (ipu/machine/route.h) */
    IPU_MESH,
    IPU_TILE_TORUS,
    IPU_CLUSTERS,
    IPU_TILE_LINKS
} ipu_fabric_kind;

/* The order of a route in a mesh or torus: along the row of its sender and then along a column, or the other way round. */
typedef enum ipu_fabric_order { IPU_ROWS_FIRST, IPU_COLUMNS_FIRST } ipu_fabric_order;

enum {
    IPU_LINK_WORDS = 16, /* maximum of words per cycle of a link between tiles */
    IPU_LISTED_TILES =
        4096 /* maximum of tiles with a list of links: its table of routes has an entry for each pair */
};

/* The members other than `kind` are 0 for a crossbar. A word has exchange_bytes_per_cycle bytes. */
typedef struct ipu_fabric_rules {
    ipu_fabric_kind kind;
    size_t width;           /* of a mesh or torus: tiles in a row */
    size_t cluster_tiles;   /* of clusters: tiles in each */
    size_t words_per_cycle; /* of a link, in each direction; 0 for a list, whose links have their own */
    double hop_cycles;      /* latency of a word per link of its route, possibly a fraction */
    ipu_fabric_order first; /* of a mesh or torus */
    bool multicast;         /* True if links carry words for several receivers once */
    ipu_listed_link *list;  /* [n_list] of a list: `lanes` words per cycle between tiles */
    size_t n_list;
} ipu_fabric_rules;

/* What a tile waits for before a superstep (ipu/run/clocks.h). */
typedef enum ipu_sync {
    IPU_SYNC_GLOBAL,     /* all tiles */
    IPU_SYNC_NEIGHBOURS, /* the tiles from which it receives, and those to which it sends */
    IPU_SYNC_NONE        /* the tiles from which it receives: their words arrive when they are ready */
} ipu_sync;

/* The uncertainty of a constant: its values for the shortest and the longest time of programs. */
typedef struct ipu_band {
    const char *key; /* key in a machine file, such as "exchange.sync_cycles" */
    double fast, slow;
} ipu_band;

typedef enum ipu_end { IPU_FAST, IPU_SLOW, IPU_ENDS } ipu_end;

typedef struct ipu_target {
    const char *name;
    size_t ipus;  /* chips; 1 as read from a file */
    size_t tiles; /* of all chips; chip k has tiles [k * tiles / ipus, (k + 1) * tiles / ipus) */
    size_t bytes_per_tile;
    size_t worker_contexts; /* per tile; they take turns to issue */
    double clock_hz;
    size_t exchange_bytes_per_cycle;   /* of a tile, simultaneously in and out */
    size_t local_copy_bytes_per_cycle; /* inside a tile */
    size_t copy_call_cycles;           /* once for all copies that a tile performs together */
    size_t copy_range_cycles;          /* per range among them, */
    size_t copy_row_cycles; /* or per row, if ranges are rows of strided copies (ipu/compile/assembly.h) */
    ipu_copies copies;
    ipu_fabric_rules fabric;
    ipu_sync sync;
    bool overlap;                 /* True if a tile computes with the words that it has while others arrive */
    size_t sync_cycles;           /* of the sync before an exchange phase */
    size_t exchange_fixed_cycles; /* from the sync to the first set-up of a fragment */
    /* set-up of each fragment that a tile receives, at the same time as the words before it (ipu/compile/schedule.h) */
    size_t exchange_fragment_cycles;
    /* of a word: of the shortest route of a crossbar with columns (ipu/machine/route.h); of other fabrics besides its hops */
    size_t exchange_way_cycles;
    /* of a crossbar, 0 for other fabrics: latency of a word's route per row; rows of tiles on a chip; columns of four tiles, an even
     * number, 0: only the rows are known */
    size_t exchange_row_cycles, exchange_rows, exchange_columns;
    /* True if both tiles of a pair can receive the same words at twice the rate */
    bool exchange_paired;
    size_t vertex_launch_cycles; /* tile cycles of a compute set on a tile with vertices, once */
    size_t vertex_entry_cycles;  /* tile cycles to launch one vertex on all workers */
    ipu_instruction_costs instructions;
    ipu_links links;
    ipu_host host;
    ipu_dram dram;
    ipu_memory_rules memory;
    ipu_band *bands;
    size_t n_bands;
} ipu_target;

/* The keys of a machine file. */
extern const mt_yaml_table ipu_target_table;

/* Reads a machine file. `overrides`: "exchange.sync_cycles=0" and the like (data/yaml/yaml_schema.h). Name and list of links
 * are in `arena`. An overridden constant has no band: it is assumed to be exact. Fails with MT_FILE if the file cannot be read,
 * MT_MEMORY, or MT_INPUT if
 *  - it is no machine file (the message has line, key and what is allowed);
 *  - a band is not of a number of the file, or does not contain its value;
 *  - a word of the exchange does not have 1, 2, 4 or 8 bytes;
 *  - an element is not a multiple of 8 bytes, region 0 is not a multiple of elements or exceeds the tile, or the reserved bytes exceed it;
 *  - a crossbar has more than 4,096 tiles, no rows, an odd number of columns or too few for its tiles, or columns without way_cycles; or
 *    another fabric has rows, columns or pairs;
 *  - the fabric lacks a number that its kind needs, or has one of another kind;
 *  - dram.bytes is above 0 without its rates and buffers, or is 0 with another key of dram;
 *  - `ipu_topology_check_links` fails. */
MT_NODISCARD mt_status ipu_target_load(mt_arena *arena, const char *path, const mt_yaml_override *overrides,
    size_t n_overrides, ipu_target *target);

/* Copies a machine with its name, lists and bands to `arena`. MT_MEMORY. */
MT_NODISCARD mt_status ipu_target_copy(mt_arena *arena, const ipu_target *target, ipu_target *copy);

/* Returns the same machine with every constant that has a band set to this end of the band. */
ipu_target ipu_target_at(const ipu_target *target, ipu_end end);

/* True if a machine with this fabric, these links and this memory outside of its chips can have a key of a machine file, such as
 * "fabric.width". */
bool ipu_target_has(const ipu_target *target, const char *key);

/* Computes the position of a tile on its chip. Of a crossbar: its row, from 0 to exchange_rows - 1, and its place across the columns, each
 * four tiles wide, from 0 to 4 x exchange_columns - 1 (without columns: up to the last tile). Tiles are numbered in pairs, one
 * pair per row, up the rows and then down again next to them, twice in a column; the second tile of a pair is two places after
 * the first. Of a mesh or torus, and of clusters, which are rows: tile t is in row t / width and column t % width. Of a list: all are in
 * row 0. */
void ipu_target_place(const ipu_target *target, size_t tile, size_t *row, size_t *column);

/* Returns the other tile of a pair; the tile itself if it has no partner. */
size_t ipu_target_partner(const ipu_target *target, size_t tile);

/* Returns the cycles from the first word of a fragment to the earliest one of the next at the same receiver: the words of the
 * fragment or, if that is longer, the set-up of the next, which runs at the same time. */
uint64_t ipu_target_turn(const ipu_target *target, size_t words);

/* Builds a machine of several chips like `one` (with 1 chip), joined by one->links; it shares their list. Fails with MT_INPUT
 * if the links cannot join this number of chips, or have no lanes, rate or packets, or if several chips have a fabric other than a
 * crossbar, a sync other than global, or overlap. */
MT_NODISCARD mt_status ipu_target_several(const ipu_target *one, size_t ipus, ipu_target *several);

/* Builds in `arena` the network between the chips of a target; NULL for one chip. Returns the errors of `ipu_topology_of`. */
MT_NODISCARD mt_status ipu_target_network(
    mt_arena *arena, const ipu_target *target, const ipu_topology **network);

/* Returns the chip of a tile. */
size_t ipu_target_chip(const ipu_target *target, size_t tile);
