#include "ipu/machine/target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/yaml/yaml.h"
#include "data/yaml/yaml_words.h"
#include "ipu/machine/integer.h"

enum {
    TILES_A_COLUMN = 4,
    CROSSBAR_TILES =
        4096 /* more than twice the largest known crossbar: a larger one would need other latencies and wires */
};

/* Ranges that include every conceivable machine, and more than a thousand times the numbers of those in data/machines. Counts
 * have 32 bits, so that no sum of cycles and bytes overflows. */
#define COUNT(member, key, low, high, ...)                                                                   \
    MT_YAML_UNSIGNED(ipu_target, member, key, NULL, MT_YAML_WITHIN(low, high), __VA_ARGS__)
#define CYCLES_MOST 100000000
#define CYCLES(member, key, ...) COUNT(member, key, 0, CYCLES_MOST, __VA_ARGS__)
#define BYTES(member, key, low, ...) COUNT(member, key, low, UINT32_MAX, __VA_ARGS__)
#define LANES_MOST (1 << 20)
#define LANES(key, about)                                                                                    \
    MT_YAML_UNSIGNED(ipu_target, links.key, #key, "0", MT_YAML_WITHIN(0, LANES_MOST), about, .unit = "lanes")
#define RATE(member, key, low, high, about)                                                                  \
    MT_YAML_DOUBLE(ipu_target, member, key, NULL, MT_YAML_WITHIN(low, high), about)
#define NANOSECONDS MT_YAML_WITHIN(0, 1e9)
#define WORKER_CYCLES(key, about)                                                                            \
    MT_YAML_DOUBLE(                                                                                          \
        ipu_target, instructions.key, #key, NULL, MT_YAML_WITHIN(1, 1e6), about, .unit = "worker cycles")

#define CLASS_CYCLES(member, key, about)                                                                     \
    MT_YAML_DOUBLE(                                                                                          \
        ipu_target, instructions.member, key, NULL, MT_YAML_WITHIN(0, 1e6), about, .unit = "worker cycles")
#define VECTOR(key, about)                                                                                   \
    MT_YAML_UNSIGNED(                                                                                        \
        ipu_target, instructions.key, #key, NULL, MT_YAML_WITHIN(1, 1024), about, .unit = "elements")

static const char *const copies[] = {"auto", "never", "always", NULL};
static const char *const syncs[] = {"global", "neighbours", "none", NULL};
static const char *const fabrics[] = {"crossbar", "mesh", "torus", "clusters", "list", NULL};
static const char *const orders[] = {"rows", "columns", NULL};

static const mt_yaml_key exchange_keys[] = {
    COUNT(exchange_bytes_per_cycle, "bytes_per_cycle", 1, 8,
        "Rate at which a tile sends, and at which it receives: 1, 2, 4 or 8."),
    COUNT(local_copy_bytes_per_cycle, "local_copy_bytes_per_cycle", 1, 1 << 20,
        "Rate of copies inside a tile."),
    CYCLES(copy_call_cycles, "copy_call_cycles", "Fixed cost of the copies of a tile in one superstep."),
    CYCLES(copy_range_cycles, "copy_range_cycles", "Cost of each copied range."),
    CYCLES(copy_row_cycles, "copy_row_cycles",
        "Cost of each copied range that is a row: one of four or more of equal lengths at equal distances."),
    MT_YAML_ENUM(ipu_target, copies, "copies", "auto", copies,
        "Copies that rearrange inputs into contiguous memory. auto: if they save cycles; always: as the "
        "vendor's compiler does; never: none."),
    MT_YAML_ENUM(ipu_target, sync, "sync", "global", syncs,
        "What a tile waits for before a superstep. global: all tiles; neighbours: the tiles with which it "
        "exchanges words; none: the "
        "tiles from which it receives."),
    MT_YAML_BOOL(ipu_target, overlap, "overlap", "false",
        "true: a tile computes with the words that it has while others arrive."),
    CYCLES(sync_cycles, "sync_cycles", "Sync before an exchange."),
    CYCLES(
        exchange_fixed_cycles, "fixed_cycles", "Latency from the sync to the set-up of the first fragment."),
    CYCLES(exchange_fragment_cycles, "fragment_cycles",
        "Set-up of each fragment that a tile receives, during the words of the fragment before it."),
    MT_YAML_UNSIGNED(ipu_target, exchange_row_cycles, "row_cycles", "0", MT_YAML_WITHIN(0, CYCLES_MOST),
        "Latency of a word per row of its route; of a crossbar."),
    MT_YAML_UNSIGNED(ipu_target, exchange_rows, "rows", "0", MT_YAML_WITHIN(0, 1 << 20),
        "Rows of tiles on a chip; required for a crossbar."),
    MT_YAML_UNSIGNED(ipu_target, exchange_columns, "columns", "0", MT_YAML_WITHIN(0, 1 << 20),
        "Columns of tiles, each four tiles wide; an even number. 0: only the rows are known."),
    MT_YAML_UNSIGNED(ipu_target, exchange_way_cycles, "way_cycles", "0", MT_YAML_WITHIN(0, CYCLES_MOST),
        "Latency of a word: of the shortest route of a crossbar, required with columns; of other fabrics "
        "besides its hops."),
    MT_YAML_BOOL(ipu_target, exchange_paired, "paired", "false",
        "true: the two tiles of a pair can receive the same words together at twice the rate."),
    MT_YAML_END};

static const mt_yaml_key tile_link_keys[] = {
    MT_YAML_UNSIGNED(
        ipu_listed_link, from, "from", NULL, MT_YAML_WITHIN(0, IPU_LISTED_TILES - 1), "Source tile, from 0."),
    MT_YAML_UNSIGNED(
        ipu_listed_link, to, "to", NULL, MT_YAML_WITHIN(0, IPU_LISTED_TILES - 1), "Destination tile."),
    MT_YAML_UNSIGNED(ipu_listed_link, lanes, "words_per_cycle", NULL, MT_YAML_WITHIN(1, IPU_LINK_WORDS),
        "Rate of the link in this direction.", .unit = "words/cycle"),
    MT_YAML_END};

static const mt_yaml_key fabric_keys[] = {
    MT_YAML_ENUM(ipu_target, fabric.kind, "kind", NULL, fabrics,
        "crossbar: that of the IPU, without shared links; mesh, torus: links between neighbours in rows and "
        "columns; clusters: tiles "
        "with a common link out and one in; list: the links of `fabric.list`."),
    MT_YAML_UNSIGNED(ipu_target, fabric.width, "width", "0", MT_YAML_WITHIN(0, 1 << 20),
        "Tiles in a row; required for a mesh or torus.", .unit = "tiles"),
    MT_YAML_UNSIGNED(ipu_target, fabric.cluster_tiles, "cluster_tiles", "0", MT_YAML_WITHIN(0, 1 << 20),
        "Tiles in a cluster; required for clusters.", .unit = "tiles"),
    MT_YAML_UNSIGNED(ipu_target, fabric.words_per_cycle, "words_per_cycle", "0",
        MT_YAML_WITHIN(0, IPU_LINK_WORDS),
        "Rate of a link in each direction; required for a mesh, torus or clusters.", .unit = "words/cycle"),
    MT_YAML_DOUBLE(ipu_target, fabric.hop_cycles, "hop_cycles", "0", MT_YAML_WITHIN(0, CYCLES_MOST),
        "Latency of a word per link of its route; required except for a crossbar. Of n links it is n times "
        "this, rounded up.",
        .unit = "tile cycles"),
    MT_YAML_ENUM(ipu_target, fabric.first, "first", "rows", orders,
        "Order of a route in a mesh or torus. rows: along the row of the sender, then along a column; "
        "columns: the other way round."),
    MT_YAML_BOOL(ipu_target, fabric.multicast, "multicast", "false",
        "true: links carry words for several receivers once."),
    MT_YAML_LIST(ipu_target, fabric.list, fabric.n_list, "list", 0, INT32_MAX, tile_link_keys,
        "Links of a list, each in one direction. A route has the fewest links."),
    MT_YAML_END};

static const char *const shapes[] = {"ladder", "torus", "list", "none", NULL};

static const mt_yaml_key listed_link_keys[] = {MT_YAML_UNSIGNED(ipu_listed_link, from, "from", NULL,
                                                   MT_YAML_WITHIN(0, UINT16_MAX - 1), "Source chip, from 0."),
    MT_YAML_UNSIGNED(ipu_listed_link, to, "to", NULL, MT_YAML_WITHIN(0, UINT16_MAX - 1), "Destination chip."),
    MT_YAML_UNSIGNED(ipu_listed_link, lanes, "lanes", NULL, MT_YAML_WITHIN(1, LANES_MOST),
        "Lanes in this direction.", .unit = "lanes"),
    MT_YAML_END};

static const mt_yaml_key listed_route_keys[] = {
    MT_YAML_UNSIGNED(
        ipu_listed_route, from, "from", NULL, MT_YAML_WITHIN(0, UINT16_MAX - 1), "Source chip, from 0."),
    MT_YAML_UNSIGNED(
        ipu_listed_route, to, "to", NULL, MT_YAML_WITHIN(0, UINT16_MAX - 1), "Destination chip."),
    MT_YAML_NUMBERS(ipu_listed_route, via, n_via, "via", MT_YAML_WITHIN(0, UINT16_MAX - 1),
        "Intermediate chips, in order."),
    MT_YAML_END};

static const mt_yaml_key link_keys[] = {
    MT_YAML_ENUM(ipu_target, links.shape, "shape", "ladder", shapes,
        "Topology of the IPU-Links. A torus is a ladder with connected "
        "ends; list: the links of `links.list`; none: there is only one chip."),
    LANES(direct, "Lanes across a rung in each direction, for messages that end there."),
    LANES(cross, "Lanes across a rung in each direction, for messages that continue along a rail."),
    LANES(rail, "Lanes along a rail to the next rung, in each direction."),
    MT_YAML_LIST(ipu_target, links.list, links.n_list, "list", 0, INT32_MAX, listed_link_keys,
        "Links of the shape list, each in one direction. Parallel links between the same two chips share the "
        "data."),
    MT_YAML_LIST(ipu_target, links.routes, links.n_routes, "routes", 0, INT32_MAX, listed_route_keys,
        "Routes over these links for single pairs of chips, in place of routes with the fewest links."),
    MT_YAML_UNSIGNED(ipu_target, links.chips, "chips", "0", MT_YAML_WITHIN(0, UINT16_MAX),
        "Number of chips of the list. 0: as many as it connects."),
    MT_YAML_DOUBLE(ipu_target, links.lane_bits_per_second, "lane_bits_per_second", MT_YAML_NONE,
        MT_YAML_WITHIN(1e6, 1e16), "Rate of a lane in one direction."),
    MT_YAML_DOUBLE(ipu_target, links.efficiency, "efficiency", MT_YAML_NONE, MT_YAML_WITHIN(0.01, 1),
        "Fraction of the rate available to data."),
    MT_YAML_UNSIGNED(ipu_target, links.buffers, "buffers", "1", MT_YAML_WITHIN(1, 2),
        "Buffers at the end of each link; with 2 a torus cannot deadlock.", .unit = ""),
    MT_YAML_UNSIGNED(ipu_target, links.packet_bytes, "packet_bytes", "0", MT_YAML_WITHIN(0, UINT32_MAX),
        "Largest payload of a packet; at least 1, except with shape none."),
    MT_YAML_UNSIGNED(ipu_target, links.packet_header_bytes, "packet_header_bytes", "0",
        MT_YAML_WITHIN(0, UINT32_MAX), "Header of each packet."),
    MT_YAML_DOUBLE(ipu_target, links.sync_ns_per_hop, "sync_ns_per_hop", MT_YAML_NONE, NANOSECONDS,
        "Latency of a sync of all chips per hop, in one direction."),
    MT_YAML_DOUBLE(ipu_target, links.setup_ns, "setup_ns", MT_YAML_NONE, NANOSECONDS,
        "Fixed time of an exchange between chips, in addition to its data and its sync.", .unit = "ns"),
    MT_YAML_DOUBLE(ipu_target, links.through_ns, "through_ns", MT_YAML_NONE, NANOSECONDS,
        "Additional fixed time of an exchange with a route over more than one link.", .unit = "ns"),
    MT_YAML_END};

static const mt_yaml_key host_keys[] = {
    RATE(host.write_bytes_per_second, "write_bytes_per_second", 1e6, 1e16, "Rate from the host to a chip."),
    RATE(host.read_bytes_per_second, "read_bytes_per_second", 1e6, 1e16, "Rate from a chip to the host."),
    BYTES(host.write_packet_bytes, "write_packet_bytes", 1, "Largest payload of a packet from the host."),
    BYTES(host.read_packet_bytes, "read_packet_bytes", 1, "Largest payload of a packet to the host."),
    BYTES(host.packet_header_bytes, "packet_header_bytes", 0, "Header of each packet."),
    CYCLES(host.sync_cycles, "sync_cycles", "Sync with the host, in addition to the sync inside the chip."),
    MT_YAML_END};

static const mt_yaml_key dram_keys[] = {
    MT_YAML_UNSIGNED(ipu_target, dram.bytes, "bytes", "0", MT_YAML_WITHIN(0, 1e15),
        "Size of the memory outside of a chip. 0: none.", .unit = "bytes"),
    MT_YAML_DOUBLE(ipu_target, dram.read_bytes_per_second, "read_bytes_per_second", MT_YAML_NONE,
        MT_YAML_WITHIN(1e6, 1e16), "Sustained rate of reads of all tiles of a chip together."),
    MT_YAML_DOUBLE(ipu_target, dram.write_bytes_per_second, "write_bytes_per_second", MT_YAML_NONE,
        MT_YAML_WITHIN(1e6, 1e16), "Sustained rate of writes."),
    MT_YAML_BOOL(ipu_target, dram.duplex, "duplex", "false",
        "true: reads and writes do not share their rates; false: they take turns."),
    MT_YAML_UNSIGNED(ipu_target, dram.latency_cycles, "latency_cycles", "0", MT_YAML_WITHIN(0, CYCLES_MOST),
        "Latency of the load or store of a chunk."),
    MT_YAML_UNSIGNED(ipu_target, dram.buffer_bytes, "buffer_bytes", "0", MT_YAML_WITHIN(0, UINT32_MAX),
        "Memory of a tile for chunks; at least 64 if there is memory outside of the chip."),
    MT_YAML_BOOL(ipu_target, dram.overlap, "overlap", "false",
        "true: tiles load and store chunks while they compute."),
    MT_YAML_END};

static const mt_yaml_key vertex_keys[] = {
    CYCLES(vertex_launch_cycles, "launch_cycles",
        "Start and end of a compute set on a tile with vertices, in addition to the launch of each."),
    CYCLES(vertex_entry_cycles, "entry_cycles", "Launch of one vertex on all workers of a tile."),
    MT_YAML_END};

static const char *const issues[] = {"paired", "single", NULL};

static const mt_yaml_key instruction_keys[] = {
    MT_YAML_ENUM(ipu_target, instructions.issue, "issue", NULL, issues,
        "paired: bundles of one or two instructions, as of an IPU; single: one instruction after another."),
    CLASS_CYCLES(memory, "memory", "Load or store. Of paired instructions, only cycles above 1 count."),
    CLASS_CYCLES(
        floats, "float", "Float instruction except the following ones; comparison, conversion, move."),
    CLASS_CYCLES(integer, "integer", "Integer, address, constant or loop instruction."),
    VECTOR(f32_lanes, "Floats of a vector instruction; 1: none. An IPU has 1, since its pairs are in the "
                      "counted instructions."),
    VECTOR(f16_lanes, "Halves of a vector instruction, likewise."), WORKER_CYCLES(f32_div, "Division."),
    WORKER_CYCLES(f32_exp, "Exponential function."), WORKER_CYCLES(f32_log, "Logarithm."),
    WORKER_CYCLES(f32_sqrt, "Square root."), MT_YAML_END};

static const mt_yaml_key memory_keys[] = {BYTES(memory.region0_bytes, "region0_bytes", 1,
                                              "Size of region 0, at the lowest addresses: a multiple of "
                                              "`element_bytes`. Instructions can only be fetched from it."),
    MT_YAML_UNSIGNED(ipu_target, memory.element_bytes, "element_bytes", NULL, MT_YAML_WITHIN(8, UINT32_MAX),
        "Size of a memory element, a multiple of 8 bytes. Instruction fetches and the exchange must not "
        "access the same element."),
    BYTES(memory.reserved_bytes, "reserved_bytes", 0,
        "Memory at the highest addresses that is reserved for the system."),
    BYTES(memory.exchange_code_bytes, "exchange_code_bytes", 0,
        "Exchange code per fragment that a tile receives and per run of words that it sends."),
    COUNT(memory.send_words, "send_words", 1, UINT32_MAX, "Largest run of words sent by one instruction."),
    BYTES(memory.copy_range_bytes, "copy_range_bytes", 0, "Memory per range that a tile copies."),
    MT_YAML_END};

static const mt_yaml_key band_keys[] = {
    MT_YAML_STRING(ipu_band, key, "key", NULL, "Key of a number in this file, such as exchange.sync_cycles."),
    MT_YAML_DOUBLE(ipu_band, fast, "fast", NULL, MT_YAML_ANY, "Value at which programs take the least time."),
    MT_YAML_DOUBLE(ipu_band, slow, "slow", NULL, MT_YAML_ANY, "Value at which programs take the most time."),
    MT_YAML_END};

static const mt_yaml_key target_keys[] = {
    MT_YAML_STRING(ipu_target, name, "name", NULL, "Name in tables."),
    MT_YAML_UNSIGNED(ipu_target, tiles, "tiles", NULL, MT_YAML_WITHIN(1, 1 << 20), "Tiles of a chip."),
    BYTES(bytes_per_tile, "bytes_per_tile", 1, "Memory of a tile."),
    MT_YAML_UNSIGNED(ipu_target, worker_contexts, "worker_contexts", NULL, MT_YAML_WITHIN(1, 64),
        "Worker contexts of a tile, which issue in turn. One worker cycle is this number of tile cycles."),
    RATE(clock_hz, "clock_hz", 1e6, 1e12, "Clock rate of the tiles."),
    MT_YAML_MAPPING("memory", memory_keys, "Memory of a tile."),
    MT_YAML_MAPPING("fabric", fabric_keys, "The network between the tiles of a chip."),
    MT_YAML_MAPPING("exchange", exchange_keys, "Exchange between the tiles of a chip."),
    MT_YAML_MAPPING("links", link_keys, "Links between chips (IPU-Links)."),
    MT_YAML_MAPPING("host", host_keys, "The link of each chip to its host."),
    MT_YAML_MAPPING("dram", dram_keys, "Memory outside of each chip, from which its tiles stream."),
    MT_YAML_MAPPING("vertex", vertex_keys, "Cost of executing a vertex in addition to its instructions."),
    MT_YAML_MAPPING("instructions", instruction_keys,
        "Worker cycles of instructions; the mean, if it depends on the operands."),
    MT_YAML_LIST(ipu_target, bands, n_bands, "bands", 0, 64, band_keys,
        "Uncertain constants. Predictions are also reported with all of them at either end."),
    MT_YAML_END,
};

const mt_yaml_table ipu_target_table = {target_keys, sizeof(ipu_target)};

/* Checks the memory rules. Addresses of items are multiples of 8 bytes, so the word size must divide 8. */
static mt_status check_memory(const char *path, const ipu_target *target)
{
    const ipu_memory_rules *m = &target->memory;
    if (8 % target->exchange_bytes_per_cycle != 0)
        return mt_fail(MT_INPUT, "%s: exchange.bytes_per_cycle: %zu; allowed: 1, 2, 4 or 8", path,
            target->exchange_bytes_per_cycle);
    if (m->element_bytes % 8 != 0)
        return mt_fail(
            MT_INPUT, "%s: memory.element_bytes: %zu; allowed: a multiple of 8", path, m->element_bytes);
    if (m->region0_bytes % m->element_bytes != 0 || m->region0_bytes > target->bytes_per_tile)
        return mt_fail(MT_INPUT,
            "%s: memory.region0_bytes: %zu; allowed: a multiple of element_bytes = %zu, at most the %zu of a "
            "tile",
            path, m->region0_bytes, m->element_bytes, target->bytes_per_tile);
    if (m->reserved_bytes > target->bytes_per_tile)
        return mt_fail(MT_INPUT, "%s: memory.reserved_bytes: %zu; allowed: at most the %zu of a tile", path,
            m->reserved_bytes, target->bytes_per_tile);
    return MT_OK;
}

static mt_status check_crossbar(const char *path, const ipu_target *t)
{
    const size_t columns = t->exchange_columns;
    const size_t places = TILES_A_COLUMN * t->exchange_rows * columns;
    if (t->tiles > CROSSBAR_TILES)
        return mt_fail(MT_INPUT,
            "%s: tiles: %zu; allowed with fabric.kind crossbar: at most %d, because no larger one is known",
            path, t->tiles, CROSSBAR_TILES);
    if (columns % 2 != 0)
        return mt_fail(MT_INPUT, "%s: exchange.columns: %zu; allowed: an even number, or 0", path, columns);
    if (columns > 0 && t->exchange_way_cycles == 0)
        return mt_fail(
            MT_INPUT, "%s: exchange.way_cycles: 0; allowed with exchange.columns: at least 1", path);
    if (columns > 0 && t->tiles > places)
        return mt_fail(MT_INPUT,
            "%s: tiles: %zu; allowed: at most %d x exchange.rows x exchange.columns = %zu, or "
            "exchange.columns 0",
            path, t->tiles, TILES_A_COLUMN, places);
    return MT_OK;
}

/* Keys that only machines with some kinds of fabric, or shapes of links, have: bits by kind or shape. */
enum { BARS = 1 << IPU_CROSSBAR, GRIDS = 1 << IPU_MESH | 1 << IPU_TILE_TORUS };
enum { GROUPS = 1 << IPU_CLUSTERS, LISTS = 1 << IPU_TILE_LINKS, SHARED = GRIDS | GROUPS | LISTS };
enum { RUNGS = 1 << IPU_LADDER | 1 << IPU_TORUS, LINKED = 1 << IPU_LINK_LIST, JOINED = RUNGS | LINKED };
static const struct {
    const char *key;
    unsigned fabrics, shapes; /* 0: any */
} network_keys[] = {{"exchange.rows", BARS, 0}, {"exchange.row_cycles", BARS, 0},
    {"exchange.columns", BARS, 0}, {"exchange.paired", BARS, 0}, {"fabric.width", GRIDS, 0},
    {"fabric.first", GRIDS, 0}, {"fabric.cluster_tiles", GROUPS, 0},
    {"fabric.words_per_cycle", GRIDS | GROUPS, 0}, {"fabric.hop_cycles", SHARED, 0},
    {"fabric.multicast", SHARED, 0}, {"fabric.list", LISTS, 0}, {"links.direct", 0, RUNGS},
    {"links.cross", 0, RUNGS}, {"links.rail", 0, RUNGS}, {"links.list", 0, LINKED},
    {"links.routes", 0, LINKED}, {"links.chips", 0, LINKED}, {"links.lane_bits_per_second", 0, JOINED},
    {"links.efficiency", 0, JOINED}, {"links.buffers", 0, JOINED}, {"links.packet_bytes", 0, JOINED},
    {"links.packet_header_bytes", 0, JOINED}, {"links.sync_ns_per_hop", 0, JOINED},
    {"links.setup_ns", 0, JOINED}, {"links.through_ns", 0, JOINED}};

bool ipu_target_has(const ipu_target *target, const char *key)
{
    if (strncmp(key, "dram.", strlen("dram.")) == 0) return target->dram.bytes > 0;
    for (size_t k = 0; k < sizeof network_keys / sizeof *network_keys; k++) {
        if (strcmp(key, network_keys[k].key) != 0) continue;
        const unsigned fabrics_with = network_keys[k].fabrics, shapes_with = network_keys[k].shapes;
        return (fabrics_with == 0 || fabrics_with >> target->fabric.kind & 1) &&
               (shapes_with == 0 || shapes_with >> target->links.shape & 1);
    }
    return true;
}

static mt_status check_fabric(const char *path, const ipu_target *t)
{
    const ipu_fabric_rules *f = &t->fabric;
    const struct {
        const char *key;
        size_t value;
        bool needed; /* True if a machine that can have the key needs it */
    } of[] = {{"exchange.rows", t->exchange_rows, true}, {"fabric.width", f->width, true},
        {"fabric.cluster_tiles", f->cluster_tiles, true},
        {"fabric.words_per_cycle", f->words_per_cycle, true}, {"fabric.list", f->n_list, true},
        {"exchange.row_cycles", t->exchange_row_cycles, false},
        {"exchange.columns", t->exchange_columns, false}, {"exchange.paired", t->exchange_paired, false},
        {"fabric.first", f->first, false}, {"fabric.multicast", f->multicast, false}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const bool has = ipu_target_has(t, of[k].key);
        if (of[k].needed && has != (of[k].value > 0))
            return mt_fail(MT_INPUT, "%s: %s: %zu; allowed with fabric.kind %s: %s", path, of[k].key,
                of[k].value, fabrics[f->kind], has ? "at least 1" : "none");
        if (!has && of[k].value > 0)
            return mt_fail(MT_INPUT, "%s: %s: not its default; allowed with fabric.kind %s: the default",
                path, of[k].key, fabrics[f->kind]);
    }
    const bool hops = ipu_target_has(t, "fabric.hop_cycles");
    if (hops != (f->hop_cycles > 0))
        return mt_fail(MT_INPUT, "%s: fabric.hop_cycles: %g; allowed with fabric.kind %s: %s", path,
            f->hop_cycles, fabrics[f->kind], hops ? "above 0" : "none");
    return MT_OK;
}

/* Checks that the fabric has its tiles: full rows or clusters, and all tiles of a list. */
static mt_status check_tiles(const char *path, const ipu_target *t)
{
    const ipu_fabric_rules *f = &t->fabric;
    const size_t group = f->kind == IPU_CLUSTERS ? f->cluster_tiles : f->width;
    if (group > 0 && t->tiles % group != 0)
        return mt_fail(MT_INPUT, "%s: tiles: %zu; allowed: a multiple of %s = %zu", path, t->tiles,
            f->kind == IPU_CLUSTERS ? "fabric.cluster_tiles" : "fabric.width", group);
    if (f->kind == IPU_TILE_LINKS && t->tiles > IPU_LISTED_TILES)
        return mt_fail(MT_INPUT, "%s: tiles: %zu; allowed with fabric.kind list: at most %d", path, t->tiles,
            IPU_LISTED_TILES);
    for (size_t k = 0; k < f->n_list; k++)
        if (f->list[k].from >= t->tiles || f->list[k].to >= t->tiles || f->list[k].from == f->list[k].to)
            return mt_fail(MT_INPUT,
                "%s: fabric.list: %zu: from %u to %u; allowed: different tiles below %zu", path, k,
                f->list[k].from, f->list[k].to, t->tiles);
    return MT_OK;
}

static mt_status check_places(const char *path, const ipu_target *t)
{
    MT_TRY(check_fabric(path, t));
    return t->fabric.kind == IPU_CROSSBAR ? check_crossbar(path, t) : check_tiles(path, t);
}

/* The constants that can have a band: times, and no size of a machine. */
static const char *const bandable[] = {"exchange.local_copy_bytes_per_cycle", "exchange.copy_call_cycles",
    "exchange.copy_range_cycles", "exchange.copy_row_cycles", "exchange.sync_cycles", "exchange.fixed_cycles",
    "exchange.fragment_cycles", "exchange.row_cycles", "exchange.way_cycles", "fabric.hop_cycles",
    "links.lane_bits_per_second", "links.efficiency", "links.packet_header_bytes", "links.sync_ns_per_hop",
    "links.setup_ns", "links.through_ns", "dram.read_bytes_per_second", "dram.write_bytes_per_second",
    "dram.latency_cycles", "vertex.launch_cycles", "vertex.entry_cycles", "instructions.memory",
    "instructions.float", "instructions.integer", "instructions.f32_div", "instructions.f32_exp",
    "instructions.f32_log", "instructions.f32_sqrt", NULL};

static mt_status refuse_band(const char *path, const char *key)
{
    char all[768] = "";
    size_t n = 0;
    for (size_t k = 0; bandable[k]; k++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", k > 0 ? ", " : "", bandable[k]);
    return mt_fail(MT_INPUT, "%s: bands: key: %.80s; allowed, once each: %s", path, key, all);
}

static bool is_bandable(const char *key)
{
    for (size_t k = 0; bandable[k]; k++)
        if (strcmp(bandable[k], key) == 0) return true;
    return false;
}

static bool allows(const mt_yaml_key *key, double x)
{
    const mt_yaml_range r = key->range;
    const bool whole = key->type != MT_YAML_TYPE_UNSIGNED || x == floor(x);
    return whole && (r.low_open ? x > r.low : x >= r.low) && (r.high_open ? x < r.high : x <= r.high);
}

static mt_status check_band(const char *path, const ipu_target *t, size_t n)
{
    const ipu_band *band = &t->bands[n];
    const mt_yaml_key *key = is_bandable(band->key) ? mt_yaml_key_at(target_keys, band->key) : NULL;
    for (size_t k = 0; k < n; k++)
        if (strcmp(t->bands[k].key, band->key) == 0) key = NULL;
    if (!key) return refuse_band(path, band->key);
    const double value = mt_yaml_number(key, t), low = fmin(band->fast, band->slow),
                 high = fmax(band->fast, band->slow);
    if (low > value || high < value)
        return mt_fail(MT_INPUT, "%s: bands: %s: %g to %g; allowed: a range that contains its value, %g",
            path, band->key, band->fast, band->slow, value);
    if (!allows(key, low) || !allows(key, high)) {
        char words[MT_YAML_WORDS];
        mt_yaml_allowed_words(key, NULL, words);
        return mt_fail(MT_INPUT, "%s: bands: %s: %g to %g; allowed: each %s", path, band->key, band->fast,
            band->slow, words);
    }
    return MT_OK;
}

/* True if an override sets the key, or a mapping that contains it. */
static bool is_set(const char *key, const mt_yaml_override *sets, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const size_t length = strcspn(sets[k].text, "=");
        if (strncmp(sets[k].text, key, length) == 0 && (key[length] == 0 || key[length] == '.')) return true;
    }
    return false;
}

static mt_status keep_bands(const char *path, const mt_yaml_override *sets, size_t n_sets, ipu_target *t)
{
    size_t n = 0;
    for (size_t k = 0; k < t->n_bands; k++) {
        if (is_set(t->bands[k].key, sets, n_sets)) continue;
        t->bands[n++] = t->bands[k];
        MT_TRY(check_band(path, t, n - 1));
    }
    t->n_bands = n;
    return MT_OK;
}

mt_status ipu_target_copy(mt_arena *arena, const ipu_target *target, ipu_target *copy)
{
    ipu_target to = *target;
    MT_COPY(arena, to.links.list, target->links.list, to.links.n_list);
    MT_COPY(arena, to.links.routes, target->links.routes, to.links.n_routes);
    for (size_t r = 0; r < to.links.n_routes; r++)
        MT_COPY(arena, to.links.routes[r].via, target->links.routes[r].via, to.links.routes[r].n_via);
    MT_COPY(arena, to.fabric.list, target->fabric.list, to.fabric.n_list);
    MT_COPY(arena, to.bands, target->bands, to.n_bands);
    for (size_t k = 0; k < to.n_bands; k++)
        if (!(to.bands[k].key = mt_arena_text(arena, target->bands[k].key))) return MT_MEMORY;
    to.name = target->name ? mt_arena_text(arena, target->name) : NULL;
    if (target->name && !to.name) return MT_MEMORY;
    *copy = to;
    return MT_OK;
}

ipu_target ipu_target_at(const ipu_target *target, ipu_end end)
{
    ipu_target t = *target;
    for (size_t k = 0; k < t.n_bands; k++) {
        const ipu_band *band = &target->bands[k];
        mt_yaml_put_number(
            mt_yaml_key_at(target_keys, band->key), &t, end == IPU_FAST ? band->fast : band->slow);
    }
    return t;
}

/* Checks the links between chips. Without links their numbers become 0. */
static mt_status check_links(const char *path, ipu_links *links)
{
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"lane_bits_per_second", &links->lane_bits_per_second}, {"efficiency", &links->efficiency},
        {"sync_ns_per_hop", &links->sync_ns_per_hop}, {"setup_ns", &links->setup_ns},
        {"through_ns", &links->through_ns}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        if (links->shape == IPU_NO_LINKS)
            *numbers[k].value = 0;
        else if (isnan(*numbers[k].value))
            return mt_fail(MT_INPUT, "%s: links.%s: missing; allowed without it: links.shape none", path,
                numbers[k].key);
    }
    if (links->shape != IPU_NO_LINKS && links->packet_bytes == 0)
        return mt_fail(
            MT_INPUT, "%s: links.packet_bytes: 0 or missing; allowed: at least 1, or links.shape none", path);
    return ipu_topology_check_links(path, links);
}

/* Checks the memory outside of a chip. Without it its numbers become 0. */
static mt_status check_dram(const char *path, ipu_dram *dram)
{
    enum { LEAST_BUFFER = 64 };
    const struct {
        const char *key;
        bool set; /* to a value of a machine with such memory */
        bool needed;
    } keys[] = {{"read_bytes_per_second", !isnan(dram->read_bytes_per_second), true},
        {"write_bytes_per_second", !isnan(dram->write_bytes_per_second), true},
        {"buffer_bytes", dram->buffer_bytes >= LEAST_BUFFER, true}, {"duplex", dram->duplex, false},
        {"latency_cycles", dram->latency_cycles > 0, false}, {"overlap", dram->overlap, false}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (dram->bytes > 0 && keys[k].needed && !keys[k].set)
            return mt_fail(MT_INPUT, "%s: dram.%s: missing%s; allowed without it: dram.bytes 0", path,
                keys[k].key, strcmp(keys[k].key, "buffer_bytes") == 0 ? " or below 64" : "");
        if (dram->bytes == 0 && keys[k].set)
            return mt_fail(MT_INPUT,
                "%s: dram.%s without dram.bytes; allowed: dram.bytes of at least 1, or "
                "no key of dram",
                path, keys[k].key);
    }
    if (dram->bytes == 0) *dram = (ipu_dram){0};
    return MT_OK;
}

mt_status ipu_target_load(mt_arena *arena, const char *path, const mt_yaml_override *overrides,
    size_t n_overrides, ipu_target *target)
{
    MT_TRY(mt_yaml_load(arena, path, &ipu_target_table, overrides, n_overrides, target));
    target->ipus = 1;
    if (!target->name[0]) return mt_fail(MT_INPUT, "%s: name: empty; allowed: a name for tables", path);
    MT_TRY(check_memory(path, target));
    MT_TRY(check_places(path, target));
    MT_TRY(check_dram(path, &target->dram));
    MT_TRY(keep_bands(path, overrides, n_overrides, target));
    return check_links(path, &target->links);
}

static size_t tiles_of_a_chip(const ipu_target *target)
{
    return target->ipus > 1 ? target->tiles / target->ipus : target->tiles;
}

static size_t tiles_of_a_row(const ipu_target *target)
{
    const ipu_fabric_rules *f = &target->fabric;
    if (f->kind == IPU_CLUSTERS) return f->cluster_tiles;
    return f->width > 0 ? f->width : tiles_of_a_chip(target);
}

void ipu_target_place(const ipu_target *target, size_t tile, size_t *row, size_t *column)
{
    const size_t on_chip = tile % tiles_of_a_chip(target);
    const size_t pair = on_chip / 2;
    if (target->fabric.kind != IPU_CROSSBAR) {
        const size_t width = tiles_of_a_row(target);
        *row = on_chip / width;
        *column = on_chip % width;
        return;
    }
    const size_t turn = pair / target->exchange_rows; /* number of reversals of the numbering direction */
    const size_t along = pair % target->exchange_rows;
    *row = turn % 2 == 0 ? along : target->exchange_rows - 1 - along;
    *column = TILES_A_COLUMN * (turn / 2) + turn % 2 + 2 * (on_chip % 2);
}

uint64_t ipu_target_turn(const ipu_target *target, size_t words)
{
    return ipu_larger(words, target->exchange_fragment_cycles);
}

size_t ipu_target_partner(const ipu_target *target, size_t tile)
{
    const size_t tiles = tiles_of_a_chip(target);
    const size_t on_chip = tile % tiles;
    const size_t partner = on_chip ^ 1;
    return partner < tiles ? tile - on_chip + partner : tile;
}

/* Phases of several chips do not overlap in the model. */
static mt_status check_syncs(const ipu_target *one, size_t ipus)
{
    if (one->sync == IPU_SYNC_GLOBAL && !one->overlap) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: %zu chips with exchange.sync %s and exchange.overlap %s; allowed with several chips: global and "
        "false",
        one->name, ipus, syncs[one->sync], one->overlap ? "true" : "false");
}

mt_status ipu_target_several(const ipu_target *one, size_t ipus, ipu_target *several)
{
    const ipu_links *links = &one->links;
    MT_TRY(ipu_topology_allows(links, ipus));
    if (ipus > 1 && one->fabric.kind != IPU_CROSSBAR)
        return mt_fail(MT_INPUT, "%s: %zu chips with fabric.kind %s; allowed: one chip, or crossbar",
            one->name, ipus, fabrics[one->fabric.kind]);
    if (ipus > 1) MT_TRY(check_syncs(one, ipus));
    if (ipus > 1) MT_TRY(ipu_topology_check_links(one->name, links));
    if (ipus > 1 && !(links->lane_bits_per_second > 0 && links->efficiency > 0 && links->packet_bytes > 0))
        return mt_fail(MT_INPUT,
            "%s: links between chips at %g bits/s per lane, efficiency %g, packets of %zu bytes; allowed: "
            "above 0",
            one->name, links->lane_bits_per_second, links->efficiency, links->packet_bytes);
    *several = *one;
    several->ipus = ipus;
    several->tiles = one->tiles * ipus;
    return MT_OK;
}

mt_status ipu_target_network(mt_arena *arena, const ipu_target *target, const ipu_topology **network)
{
    ipu_topology *made = NULL;
    if (target->ipus > 1) MT_TRY(ipu_topology_of(arena, &target->links, target->ipus, &made));
    *network = made;
    return MT_OK;
}

size_t ipu_target_chip(const ipu_target *target, size_t tile)
{
    return ((tile + 1) * target->ipus - 1) / target->tiles;
}
