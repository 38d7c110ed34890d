/* A machine of tiles: how many there are, how much memory they have, how fast they are. Machine files stand in data/machines/,
 * where every number carries its source. ipu/README.md explains how the numbers become cycles. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "data/yaml/yaml_schema.h"
#include "ipu/machine/topology.h"

/* Worker cycles of the instructions that take more than one; 1 worker cycle = `worker_contexts` tile cycles. A fraction where
 * an instruction's time depends on its operands: the mean. */
typedef struct ipu_instruction_costs {
    double f32_div, f32_exp, f32_log, f32_sqrt;
} ipu_instruction_costs;

/* The links to the host, one for each chip. Write: from the host; read: to the host. */
typedef struct ipu_host {
    double write_bytes_per_second, read_bytes_per_second;
    size_t write_packet_bytes, read_packet_bytes, packet_header_bytes; /* as of ipu_links */
    size_t sync_cycles; /* of a sync with the host, on top of the one inside the chip */
} ipu_host;

/* How a tile's memory is built; ipu/compile/memory.h describes how it is filled. */
typedef struct ipu_memory_rules {
    size_t region0_bytes;       /* at the bottom, whole elements; instructions are fetched only from here */
    size_t element_bytes;       /* no element is fetched from and used by the exchange at once */
    size_t reserved_bytes;      /* at the top, for the machine's own use */
    size_t exchange_code_bytes; /* for each fragment that a tile receives and each run that it sends */
    size_t send_words;          /* the most words of such a run */
    size_t copy_range_bytes;    /* for each range that a tile copies: where from, where to, how much */
} ipu_memory_rules;

/* How the data of a vertex input that is not one range of its tile's memory comes together, and that of a copy
 * (ipu/compile/assembly.h). */
typedef enum ipu_copies {
    IPU_COPIES_AUTO,  /* for each input what takes fewer cycles */
    IPU_COPIES_NEVER, /* every piece is received in its place */
    IPU_COPIES_ALWAYS /* as the vendor's compiler does: received elsewhere, and copied */
} ipu_copies;

/* How far a constant may be off: its values at which programs take least and most time. */
typedef struct ipu_band {
    const char *key; /* in a machine file, "exchange.sync_cycles" */
    double fast, slow;
} ipu_band;

typedef enum ipu_end { IPU_FAST, IPU_SLOW, IPU_ENDS } ipu_end;

typedef struct ipu_target {
    const char *name;
    size_t ipus;  /* chips; 1 as read from a file */
    size_t tiles; /* of all chips: chip k has the tiles k * tiles / ipus to (k + 1) * tiles / ipus */
    size_t bytes_per_tile;
    size_t worker_contexts; /* take turns to issue on a tile */
    double clock_hz;
    size_t exchange_bytes_per_cycle;   /* a tile's, in and out at once */
    size_t local_copy_bytes_per_cycle; /* inside a tile */
    size_t copy_call_cycles;           /* of the copies that a tile makes together */
    size_t copy_range_cycles;          /* of each range among them */
    ipu_copies copies;
    size_t sync_cycles;           /* before an exchange phase */
    size_t exchange_fixed_cycles; /* from the synchronisation to the first set-up of a fragment */
    size_t
        exchange_fragment_cycles; /* set-up of each fragment that a tile receives (ipu/compile/schedule.h) */
    size_t exchange_row_cycles;   /* of a word's route, for each row */
    size_t exchange_way_cycles;   /* of a word's shortest route; with columns only (ipu/machine/route.h) */
    size_t exchange_rows;         /* of tiles on a chip */
    size_t exchange_columns;      /* of four tiles, an even number; 0: only the rows are known */
    bool exchange_paired;         /* both tiles of a pair may receive the same words at twice the rate */
    size_t vertex_entry_cycles;   /* tile cycles to launch one vertex on all workers */
    ipu_instruction_costs instructions;
    ipu_links links;
    ipu_host host;
    ipu_memory_rules memory;
    ipu_band *bands;
    size_t n_bands;
} ipu_target;

/* The keys of a machine file. */
extern const mt_yaml_table ipu_target_table;

/* Reads a machine file. `overrides` are "exchange.sync_cycles=0" and so on (data/yaml/yaml_schema.h). Gives the name and the list of
 * links in `arena`. A constant that is overridden has no band: it is known. MT_FILE: the file cannot be read. MT_MEMORY. MT_INPUT:
 * it is no machine file, and the message has line, key and what is allowed; a band is not of a number of the file or does not
 * hold its value, a word of the exchange has not 1, 2, 4 or 8 bytes, an element is no multiple of 8 bytes, region 0 is not made
 * of whole elements or is larger than a tile, more is reserved than a tile has, the number of columns is odd or too small for
 * the tiles, way_cycles is missing beside columns, and as ipu_topology_check_links. */
MT_NODISCARD mt_status ipu_target_load(mt_arena *arena, const char *path, const mt_yaml_override *overrides,
    size_t n_overrides, ipu_target *target);

/* The same machine with every constant that has a band at that end of it. */
ipu_target ipu_target_at(const ipu_target *target, ipu_end end);

/* Where a tile stands on its chip: its row, from 0 to exchange_rows - 1, and its place across the columns, each four tiles
 * wide, from 0 to 4 x exchange_columns - 1 (without columns: as far as the tiles reach). Tiles are numbered in pairs, one pair
 * in each row, up the rows and then down again beside them, twice in a column; the second tile of a pair stands two places
 * after the first. */
void ipu_target_place(const ipu_target *target, size_t tile, size_t *row, size_t *column);

/* The other tile of a pair; the tile itself where it has no partner. */
size_t ipu_target_partner(const ipu_target *target, size_t tile);

/* Gives a machine of several chips like `one` (whose ipus is 1), joined by one->links, whose list it shares. MT_INPUT: the
 * links cannot join so many chips, or have no lanes, rate or packets. */
MT_NODISCARD mt_status ipu_target_several(const ipu_target *one, size_t ipus, ipu_target *several);

/* Gives in `arena` the network between the chips of a target; NULL for one chip. Fails as ipu_topology_of. */
MT_NODISCARD mt_status ipu_target_network(
    mt_arena *arena, const ipu_target *target, const ipu_topology **network);

/* The chip of a tile. */
size_t ipu_target_chip(const ipu_target *target, size_t tile);
