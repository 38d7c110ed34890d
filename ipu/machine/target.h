/* A machine of tiles: how many, how much memory, how fast. Read from data/machines/, where every number
 * carries its source. It describes; it does nothing. The README of this folder says how the numbers make
 * cycles. */
#ifndef IPU_MACHINE_TARGET_H
#define IPU_MACHINE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/arena.h"
#include "data/status.h"
#include "data/yaml.h"
#include "ipu/machine/topology.h"

/* Worker cycles of the instructions that take more than one: 1 worker cycle = `worker_contexts` tile cycles. Not
 * whole where an instruction's time depends on its operands and a mean is meant. */
typedef struct ipu_instruction_costs {
    double f32_div, f32_exp, f32_log, f32_sqrt;
} ipu_instruction_costs;

/* The way to the host: each chip has a link of its own there. Write: from the host; read: to it. */
typedef struct ipu_host {
    double write_bytes_per_second, read_bytes_per_second;
    size_t write_packet_bytes, read_packet_bytes, packet_header_bytes; /* as of ipu_links */
    size_t sync_cycles; /* of a sync with the host, on top of the one inside the chip */
} ipu_host;
/* What a tile's memory is made of (ipu/compile/memory.h says how it is filled). */
typedef struct ipu_memory_rules {
    size_t region0_bytes;       /* at the bottom, whole elements; instructions are fetched only from there */
    size_t element_bytes;       /* fetches and the exchange must not meet in one element */
    size_t reserved_bytes;      /* at the top, for the machine's own use */
    size_t exchange_code_bytes; /* for each fragment that a tile receives and each run that it sends */
    size_t send_words;          /* the most words of such a run */
} ipu_memory_rules;

typedef struct ipu_target {
    const char *name;
    size_t ipus;  /* chips; 1 as read from a file */
    size_t tiles; /* of all chips: chip k has the tiles k * tiles / ipus to (k + 1) * tiles / ipus */
    size_t bytes_per_tile;
    size_t worker_contexts; /* they share a tile's issue slots in turn */
    double clock_hz;
    size_t exchange_bytes_per_cycle;   /* a tile's, in and out at once */
    size_t local_copy_bytes_per_cycle; /* inside a tile */
    size_t sync_cycles;                /* before an exchange phase */
    size_t exchange_fixed_cycles;      /* from the synchronisation to the first set-up of a fragment */
    size_t
        exchange_fragment_cycles; /* set-up of each fragment that a tile receives (ipu/compile/schedule.h) */
    size_t exchange_row_cycles;   /* of a word's way, a row */
    size_t exchange_way_cycles;   /* of the shortest way of a word; with columns only (ipu/machine/route.h) */
    size_t exchange_rows;         /* of tiles on a chip */
    size_t exchange_columns;      /* of four tiles, an even number; 0: only the rows are known */
    bool exchange_paired;         /* two tiles of a pair may take the same words at the double rate */
    size_t vertex_entry_cycles;   /* tile cycles to launch one vertex on all workers */
    ipu_instruction_costs instructions;
    ipu_links links;
    ipu_host host;
    ipu_memory_rules memory;
    const ipu_topology *network; /* of `ipus` chips, the caller's; NULL: the one of `links` */
} ipu_target;

/* The keys of a machine file. */
extern const mt_yaml_table ipu_target_table;

/* Reads a machine file. `overrides` are "exchange.sync_cycles=0" and so on (data/yaml.h). Gives the name and the list of
 * links in `arena`. Fails as mt_yaml_load does, and with MT_INPUT for words of the exchange that are not of 1, 2, 4 or 8
 * bytes, for elements that are not whole 8 bytes, a region 0 that is not of whole elements or larger than a tile, more
 * reserved than a tile has, columns that are odd, too few for the tiles or without way_cycles, and for links as
 * ipu_topology_check_links. */
MT_NODISCARD mt_status ipu_target_load(
    mt_arena *arena, const char *path, const char *const *overrides, size_t n_overrides, ipu_target *target);

/* Where a tile stands on its chip: `exchange_rows` rows, from 0, and columns that are four tiles wide, from 0 to
 * 4 x exchange_columns - 1 (where these are 0: as many as its tiles need). Tiles are numbered in pairs, a pair a row, up
 * the rows and then down again beside that, twice in a column of four; the second tile of a pair stands two places
 * behind the first. */
void ipu_target_place(const ipu_target *target, size_t tile, size_t *row, size_t *column);

/* The other tile of a tile's pair; the tile itself where it has none. */
size_t ipu_target_partner(const ipu_target *target, size_t tile);

/* A machine of several such chips (one has ipus 1), joined as one->links say, whose list is shared. MT_INPUT: the
 * links join no machine of so many. */
MT_NODISCARD mt_status ipu_target_several(const ipu_target *one, size_t ipus, ipu_target *several);

/* Gives the network between the chips of a target: its own `network`, or in `arena` the one that its links describe; NULL
 * for one chip. MT_INPUT: as ipu_topology_of, or a network of another number of chips; MT_FILE: no memory. */
MT_NODISCARD mt_status ipu_target_network(
    mt_arena *arena, const ipu_target *target, const ipu_topology **network);

/* The chip of a tile. */
size_t ipu_target_chip(const ipu_target *target, size_t tile);

#endif
