/* myotile machine allreduce: a collective over the chips of a machine, really done, and what it takes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/data_folder.h"
#include "app/cli/progress.h"
#include "app/cli/table.h"
#include "app/commands/commands.h"
#include "data/number.h"
#include "ipu/collectives/collective.h"
#include "ipu/collectives/prism.h"
#include "ipu/compile/compile.h"
#include "ipu/cost/links.h"
#include "ipu/machine/machines.h"
#include "ipu/run/profile.h"

static mt_status allreduce(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--ipus", .value = "N", .help = "chips, unless it is a prism; 64 of them take 8 GB of memory"},
    {.name = "--bytes",
        .value = "SIZE",
        .help = "of each chip's vector: 4096, 64KiB, 1MiB, 10MB",
        .needed = true},
    {.name = "--target",
        .value = "NAME|FILE.yaml",
        .help = "the machine: a name that `myotile machine list` shows, or a file; default: gc200"},
    MT_OPTION_MACHINE_SET,
    {.name = "--physical",
        .value = "ladder|torus|prism",
        .help = "how the chips are joined; default: as the machine says. In a prism with a link between "
                "layers, two inside and three in end layers"},
    {.name = "--layers", .value = "N", .help = "of a prism"},
    {.name = "--faces", .value = "N", .help = "of a prism: chips of a layer; default: 3"},
    {.name = "--logical",
        .value = "peripheral-ring|barley-twist|ring-on-line|rung-ring-2|rung-ring-4|rung-ring-8",
        .help = "the way around the chips; default: peripheral-ring. A prism has its own"},
    {.name = "--routing",
        .value = "DNC|SWNC|RINGSWNC|BTNC",
        .help = "configuration of the links, which must go with the two above; default: BTNC for a "
                "barley-twist, else DNC"},
    {.name = "--replica",
        .value = "1|2|4|8",
        .help = "chips of a replica; chips with the same place in their replicas go together; default: what "
                "the way around is for"},
    {.name = "--group", .value = "N", .help = "only so many consecutive replicas go together; default: all"},
    {.name = "--orthogonal",
        .help = "the replicas of a group are as far apart as they can be, not consecutive"},
    {.name = "--operation",
        .value = "all-reduce|reduce-scatter|all-gather|broadcast",
        .help = "default: all-reduce; a broadcast is from the first replica"},
    {.name = "--operator",
        .value = "add|mul|min|max|and|or",
        .help = "of floats; and, or: of unsigned ints; default: add"},
    {.name = "--method",
        .value = "auto|clockwise|anticlockwise|bidirectional|meet-in-the-middle|quad",
        .help = "default: auto, by the number of bytes"},
    MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_machine_allreduce = {
    .name = "machine allreduce",
    .operands = "",
    .summary = "do an all-reduce or another collective over chips: its order, steps, links and time",
    .example = "myotile machine allreduce --ipus 16 --bytes 1MiB",
    .options = options,
    .run = allreduce,
};

/* ---- what is asked for ---- */

enum { MOST_IPUS = 256 };

typedef struct asked {
    mt_arena *arena;
    ipu_target target; /* of all chips */
    ipu_prism prism;   /* layers 0: it is none */
    ipu_ring_choice choice;
    ipu_collective operation;
    ipu_operator with;
    ipu_method method;
    size_t elements; /* of 4 bytes */
    ipu_rings rings;
    ipu_plan plan;
} asked;

static mt_status read_size(const char *text, size_t *elements)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1}, {"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"kB", 1e3},
        {"MB", 1e6}, {"GB", 1e9}};
    enum { ELEMENT = 4, MOST_GIB = 1 };
    char digits[MT_NUMBER_SIZE] = "";
    const size_t n = strspn(text, "0123456789.");
    double number;
    if (n < sizeof digits) memcpy(digits, text, n);
    for (size_t k = 0; mt_number_read(digits, &number) && k < sizeof units / sizeof *units; k++) {
        const double bytes = number * units[k].bytes;
        if (strcmp(text + n, units[k].unit) != 0) continue;
        if (!(bytes >= ELEMENT && bytes <= MOST_GIB * 0x1p30) || fmod(bytes, ELEMENT) != 0) break;
        *elements = (size_t)bytes / ELEMENT;
        return MT_OK;
    }
    return mt_fail(
        MT_INPUT, "--bytes: '%s'; allowed: a multiple of 4 bytes up to 1GiB: 4096, 64KiB, 1MiB, 10MB", text);
}

/* How chips are joined; the last is not a shape of machine files. */
static const char *const physical[] = {"ladder", "torus", "prism"};
enum { PRISM = 2, PHYSICALS };

/* A prism has links of its own. */
static mt_status check_sets(const mt_arguments *arguments)
{
    static const char *const of_links[] = {
        "links.shape=", "links.direct=", "links.cross=", "links.rail=", "links.list=", "links.buffers="};
    const char *set;
    for (size_t n = 0; (set = mt_option_nth(arguments, "--machine-set", n)); n++)
        for (size_t k = 0; k < sizeof of_links / sizeof *of_links; k++)
            if (strncmp(set, of_links[k], strlen(of_links[k])) == 0)
                return mt_fail(MT_INPUT,
                    "--machine-set %s with a prism; allowed: others, as it has links of its own", set);
    return MT_OK;
}

/* Options that say nothing of what is asked for. */
static mt_status check_options(const mt_arguments *arguments, bool prism)
{
    static const char *const of_rings[] = {"--ipus", "--logical", "--routing", "--replica", "--group",
        "--orthogonal"},
                             *const of_prisms[] = {"--layers", "--faces"};
    const char *const *wrong = prism ? of_rings : of_prisms;
    const size_t n = prism ? sizeof of_rings / sizeof *of_rings : sizeof of_prisms / sizeof *of_prisms;
    for (size_t k = 0; k < n; k++)
        if (mt_option_given(arguments, wrong[k]))
            return mt_fail(MT_INPUT, "%s %s; allowed: %s", wrong[k],
                prism ? "with a prism" : "without --physical prism",
                prism ? "--layers and --faces, which tell all of that" : "with it");
    if (prism && mt_option_given(arguments, "--machine-set")) MT_TRY(check_sets(arguments));
    return MT_OK;
}

/* The machine of one chip, with its links as asked for. */
static mt_status read_machine(
    const mt_arguments *arguments, const asked *a, const char *shape, ipu_target *one)
{
    const char *path;
    mt_yaml_override *sets;
    size_t n_sets;
    MT_TRY(ipu_machine_path(
        a->arena, mt_machines_folder(), mt_option_value(arguments, "--target", "gc200"), &path));
    MT_TRY(mt_option_overrides(a->arena, arguments, "--machine-set", &n_sets, &sets));
    if (shape) {
        char *set;
        MT_ALLOC(a->arena, set, sizeof "links.shape=" + strlen(shape));
        (void)sprintf(set, "links.shape=%s", shape);
        sets[n_sets++] = (mt_yaml_override){"--physical", set};
    }
    return ipu_machine_load(a->arena, path, sets, n_sets, one);
}

static mt_status read_prism(const mt_arguments *arguments, asked *a, ipu_target *one)
{
    unsigned long layers, faces;
    if (!mt_option_given(arguments, "--layers"))
        return mt_fail(MT_INPUT, "--layers is needed for a prism; allowed: a number of layers");
    MT_TRY(
        mt_whole_number("--layers", mt_option_value(arguments, "--layers", ""), 2, MOST_IPUS / 3, &layers));
    MT_TRY(mt_whole_number("--faces", mt_option_value(arguments, "--faces", "3"), 3, MOST_IPUS / 2, &faces));
    if (layers * faces > MOST_IPUS)
        return mt_fail(MT_INPUT, "a prism of %lu chips; allowed: at most %d", layers * faces, MOST_IPUS);
    a->prism = ipu_prism_claimed(layers, faces, 1);
    one->links.shape = IPU_LINK_LIST;
    one->links.direct = one->links.cross = one->links.rail = 0;
    MT_TRY(ipu_prism_links(a->arena, &a->prism, &one->links.list, &one->links.n_list));
    return ipu_target_several(one, layers * faces, &a->target);
}

static mt_status read_target(const mt_arguments *arguments, asked *a)
{
    const bool given = mt_option_given(arguments, "--physical");
    unsigned long ipus;
    ipu_target one;
    size_t joined = 0;
    if (given) MT_TRY(mt_option_word(arguments, "--physical", "", physical, PHYSICALS, &joined));
    MT_TRY(check_options(arguments, joined == PRISM));
    MT_TRY(read_machine(arguments, a, given && joined != PRISM ? physical[joined] : NULL, &one));
    if (joined == PRISM) return read_prism(arguments, a, &one);
    if (!mt_option_given(arguments, "--ipus"))
        return mt_fail(
            MT_INPUT, "--ipus is needed; allowed: a number of chips, or --physical prism --layers N");
    MT_TRY(mt_whole_number("--ipus", mt_option_value(arguments, "--ipus", ""), 2, MOST_IPUS, &ipus));
    return ipu_target_several(&one, ipus, &a->target);
}

static mt_status read_choice(const mt_arguments *arguments, asked *a)
{
    static const char *const usual[IPU_PRISM] = {"1", "1", "2", "2", "4", "8"};
    const bool orthogonal = mt_option_given(arguments, "--orthogonal"),
               group = mt_option_given(arguments, "--group");
    size_t logical, routing;
    unsigned long replica, members = 0;
    MT_TRY(
        mt_option_word(arguments, "--logical", ipu_logical_name[0], ipu_logical_name, IPU_PRISM, &logical));
    MT_TRY(mt_option_word(arguments, "--routing",
        ipu_routing_name[logical == IPU_BARLEY_TWIST ? IPU_BTNC : IPU_DNC], ipu_routing_name, IPU_ROUTINGS,
        &routing));
    MT_TRY(mt_whole_number(
        "--replica", mt_option_value(arguments, "--replica", usual[logical]), 1, MOST_IPUS, &replica));
    if (group)
        MT_TRY(mt_whole_number("--group", mt_option_value(arguments, "--group", ""), 2, MOST_IPUS, &members));
    if (orthogonal && !group)
        return mt_fail(MT_INPUT, "--orthogonal without --group; allowed: with a number of replicas");
    a->choice = (ipu_ring_choice){.logical = (ipu_logical)logical,
        .routing = (ipu_routing)routing,
        .replica = replica,
        .grouping = !group       ? IPU_ALL
                    : orthogonal ? IPU_ORTHOGONAL
                                 : IPU_CONSECUTIVE,
        .group = members};
    return MT_OK;
}

static mt_status read_all(const mt_arguments *arguments, asked *a)
{
    size_t operation, with, method;
    MT_TRY(mt_option_word(
        arguments, "--operation", ipu_collective_name[0], ipu_collective_name, IPU_COLLECTIVES, &operation));
    MT_TRY(mt_option_word(
        arguments, "--operator", ipu_operator_name[0], ipu_operator_name, IPU_OPERATORS, &with));
    MT_TRY(mt_option_word(arguments, "--method", ipu_method_name[0], ipu_method_name, IPU_METHODS, &method));
    a->operation = (ipu_collective)operation;
    a->with = (ipu_operator)with;
    a->method = (ipu_method)method;
    MT_TRY(read_size(mt_option_value(arguments, "--bytes", ""), &a->elements));
    MT_TRY(read_target(arguments, a));
    if (a->prism.layers > 0) {
        MT_TRY(ipu_prism_rings(a->arena, &a->prism, &a->rings));
    } else {
        MT_TRY(read_choice(arguments, a));
        MT_TRY(ipu_rings_make(a->arena, a->target.links.shape, a->target.ipus, &a->choice, &a->rings));
    }
    return ipu_plan_make(
        a->arena, &a->rings, a->operation, a->method, a->elements, sizeof(float), 0, &a->plan);
}

/* ---- the program ---- */

static ipu_type type_of(const asked *a)
{
    return a->with == IPU_AND || a->with == IPU_OR ? IPU_UNSIGNED_INT : IPU_FLOAT;
}

/* Every fragment is spread over all tiles of its chip, so that all of them send, receive and compute in each step. */
static mt_status map_vector(const asked *a, ipu_graph *g, uint32_t variable, size_t chip)
{
    const size_t tiles = a->target.tiles / a->target.ipus;
    for (size_t f = 0; f < a->plan.n_fragments; f++) {
        const size_t begin = ipu_plan_fragment(&a->plan, f), n = ipu_plan_fragment(&a->plan, f + 1) - begin;
        for (size_t t = 0; t < tiles; t++) {
            const size_t from = n * t / tiles, to = n * (t + 1) / tiles;
            MT_TRY(ipu_graph_set_tile_mapping(
                g, variable, begin + from, to - from, (uint32_t)(chip * tiles + t)));
        }
    }
    return MT_OK;
}

typedef struct made {
    ipu_tensor *vector; /* of each chip */
    ipu_executable *executable;
    ipu_engine *engine;
} made;

static mt_status make_program(const asked *a, made *m)
{
    ipu_graph *g;
    const ipu_program *program;
    MT_TRY(ipu_graph_new(a->arena, &a->target, &g));
    MT_ALLOC(a->arena, m->vector, a->target.ipus);
    for (size_t c = 0; c < a->target.ipus; c++) {
        char name[40];
        uint32_t v;
        (void)snprintf(name, sizeof name, "vector of IPU %zu", c);
        MT_TRY(ipu_graph_add_variable(g, name, type_of(a), a->elements, &v));
        MT_TRY(map_vector(a, g, v, c));
        MT_TRY(ipu_graph_whole(g, v, &m->vector[c]));
    }
    MT_TRY(ipu_collective_program(g, &a->plan, a->with, m->vector, a->target.ipus, &program));
    MT_TRY(ipu_compile(a->arena, g, &program, 1, &m->executable));
    return ipu_engine_new(a->arena, m->executable, false, &m->engine);
}

/* Small whole numbers, of which no order changes a sum: element i of chip c. Factors are 1, but for one 2. */
static uint32_t beginning(const asked *a, size_t c, size_t i)
{
    const uint32_t number = (uint32_t)((i * 2654435761U + c * 40503U) >> 7) % 1000;
    if (a->with == IPU_PRODUCT) return i % a->target.ipus == c ? 2 : 1;
    return number;
}

static void write_vectors(const asked *a, const made *m, uint32_t *room)
{
    for (size_t c = 0; c < a->target.ipus; c++) {
        for (size_t i = 0; i < a->elements; i++) {
            const uint32_t value = beginning(a, c, i);
            const float as_float = (float)value;
            memcpy(&room[i], type_of(a) == IPU_FLOAT ? (const void *)&as_float : &value, sizeof room[i]);
        }
        ipu_engine_write(m->engine, &m->vector[c], room);
    }
}

static uint32_t combined(const asked *a, uint32_t x, uint32_t y)
{
    switch (a->with) {
    case IPU_SUM:
        return x + y;
    case IPU_PRODUCT:
        return x * y;
    case IPU_MINIMUM_OF:
        return x < y ? x : y;
    case IPU_MAXIMUM_OF:
        return x > y ? x : y;
    case IPU_AND:
        return x & y;
    case IPU_OR:
    case IPU_OPERATORS:
        break;
    }
    return x | y;
}

static uint32_t chip_of(const ipu_ring *ring, size_t rank)
{
    size_t k = 0;
    while (ipu_ring_rank(ring, k) != rank) k++;
    return ring->chip[k];
}

/* What the elements of a ring's chips come to, and whose fragment each is. */
typedef struct result {
    uint32_t *value, *owner;
} result;

static void find_result(const asked *a, const ipu_ring *ring, const result *to)
{
    const uint32_t root = chip_of(ring, 0);
    for (size_t f = 0; f < a->plan.n_fragments; f++) {
        const uint32_t owner = chip_of(ring, f % ring->n);
        for (size_t i = ipu_plan_fragment(&a->plan, f); i < ipu_plan_fragment(&a->plan, f + 1); i++) {
            to->owner[i] = owner;
            if (a->plan.n_reducing == 0) {
                to->value[i] = beginning(a, a->operation == IPU_BROADCAST ? root : owner, i);
                continue;
            }
            to->value[i] = beginning(a, ring->chip[0], i);
            for (size_t k = 1; k < ring->n; k++)
                to->value[i] = combined(a, to->value[i], beginning(a, ring->chip[k], i));
        }
    }
}

/* Of a reduce-scatter only a chip's own fragments are done. */
static mt_status check_chip(
    const asked *a, const made *m, uint32_t chip, const result *wanted, uint32_t *room)
{
    ipu_engine_read(m->engine, &m->vector[chip], room);
    for (size_t i = 0; i < a->elements; i++) {
        float as_float;
        if (a->operation == IPU_REDUCE_SCATTER && wanted->owner[i] != chip) continue;
        memcpy(&as_float, &room[i], sizeof as_float);
        const double got = type_of(a) == IPU_FLOAT ? (double)as_float : room[i];
        if (got != wanted->value[i])
            return mt_fail(
                MT_NUMERICS, "IPU %u, element %zu: %g; expected: %u", chip, i, got, wanted->value[i]);
    }
    return MT_OK;
}

/* All streams go over the same chips, so the rings of one tell all. */
static mt_status check_vectors(const asked *a, const made *m, uint32_t *room)
{
    result wanted;
    MT_ALLOC(a->arena, wanted.value, a->elements);
    MT_ALLOC(a->arena, wanted.owner, a->elements);
    for (size_t r = 0; r < a->rings.n_rings; r++) {
        const ipu_ring *ring = &a->rings.ring[r];
        if (ring->stream > 0) continue;
        find_result(a, ring, &wanted);
        for (size_t k = 0; k < ring->n; k++) MT_TRY(check_chip(a, m, ring->chip[k], &wanted, room));
    }
    return MT_OK;
}

static mt_status run_program(const asked *a, const made *m)
{
    uint32_t *room;
    MT_ALLOC(a->arena, room, a->elements);
    write_vectors(a, m, room);
    MT_TRY(ipu_engine_run(m->engine, 0));
    return check_vectors(a, m, room);
}

/* ---- tables ---- */

static mt_table order_table(const asked *a)
{
    mt_table table = mt_table_begin(
        a->arena, "rings", "Rings, each from a chip to the next and from the last to the first");
    mt_table_decimals(&table, "ring", "ring", "", 0);
    mt_table_decimals(&table, "part", "part of the data", "", 0);
    mt_table_decimals(&table, "turn", "turn", "", 0);
    mt_table_strings(&table, "chips", "chips");
    for (size_t r = 0; r < a->rings.n_rings; r++) {
        const ipu_ring *ring = &a->rings.ring[r];
        char *order = mt_arena_alloc(a->arena, ring->n, 12);
        size_t used = 0;
        for (size_t k = 0; k < ring->n && order; k++)
            used += (size_t)sprintf(order + used, k > 0 ? " %u" : "%u", ring->chip[k]);
        mt_table_number(&table, (double)r);
        mt_table_number(&table, ring->stream);
        mt_table_number(&table, ring->turn);
        mt_table_text(&table, order);
    }
    return table;
}

/* The most bytes that a chip sends in a step. */
static uint64_t most_sent(const asked *a, size_t step, uint64_t *bytes)
{
    const size_t n = a->target.ipus;
    uint64_t most = 0;
    ipu_plan_bytes(&a->plan, step, sizeof(float), n, bytes);
    for (size_t from = 0; from < n; from++) {
        uint64_t sent = 0;
        for (size_t to = 0; to < n; to++) sent += bytes[from * n + to];
        if (sent > most) most = sent;
    }
    return most;
}

static bool alike(const asked *a, const ipu_superstep_timing *steps, size_t s, size_t t)
{
    return (s < a->plan.n_reducing) == (t < a->plan.n_reducing) && steps[s].cycles == steps[t].cycles &&
           steps[s].external_cycles == steps[t].external_cycles &&
           steps[s].compute_phase_cycles == steps[t].compute_phase_cycles;
}

/* Steps that are alike and follow each other share a row. */
static mt_status steps_table(const asked *a, const ipu_timing *timing, mt_table *out)
{
    const ipu_superstep_timing *steps = timing->supersteps;
    uint64_t *bytes;
    mt_table table = mt_table_begin(a->arena, "steps", "Steps, in tile cycles");
    MT_ALLOC(a->arena, bytes, a->target.ipus * a->target.ipus);
    mt_table_strings(&table, "kind", "kind");
    mt_table_decimals(&table, "steps", "steps", "", 0);
    mt_table_decimals(&table, "sent_bytes", "sent by a chip", "bytes", 0);
    mt_table_decimals(&table, "sync_cycles", "sync", "", 0);
    mt_table_decimals(&table, "copies_cycles", "copies", "", 0);
    mt_table_decimals(&table, "inside_cycles", "exchange inside", "", 0);
    mt_table_decimals(&table, "between_cycles", "between chips", "", 0);
    mt_table_decimals(&table, "compute_cycles", "compute", "", 0);
    mt_table_decimals(&table, "step_cycles", "one step", "", 0);
    mt_table_decimals(&table, "all_cycles", "all of them", "", 0);
    for (size_t s = 0, n = 1; s < a->plan.n_steps; s += n) {
        const ipu_superstep_timing *step = &steps[s];
        for (n = 1; s + n < a->plan.n_steps && alike(a, steps, s, s + n);) n++;
        mt_table_text(&table, s < a->plan.n_reducing ? "reduce" : "gather");
        mt_table_number(&table, (double)n);
        mt_table_number(&table, (double)most_sent(a, s, bytes));
        mt_table_number(&table, (double)step->sync_cycles);
        mt_table_number(&table, (double)(step->gather_phase_cycles + step->scatter_phase_cycles));
        mt_table_number(&table, (double)(step->exchange_phase_cycles - step->external_cycles));
        mt_table_number(&table, (double)step->external_cycles);
        mt_table_number(&table, (double)step->compute_phase_cycles);
        mt_table_number(&table, (double)step->cycles);
        mt_table_number(&table, (double)(n * step->cycles));
    }
    *out = table;
    return MT_OK;
}

/* Over all steps. */
static uint64_t bytes_over(const asked *a, const ipu_timing *timing, uint32_t link)
{
    uint64_t bytes = 0;
    for (size_t s = 0; s < a->plan.n_steps; s++)
        if (timing->supersteps[s].link_bytes) bytes += timing->supersteps[s].link_bytes[link];
    return bytes;
}

/* Those that carry something. */
static mt_table links_table(const asked *a, const ipu_engine *engine)
{
    const ipu_timing *timing = &engine->timing;
    const ipu_topology *network = timing->network;
    const double all = (double)ipu_engine_cycles(engine);
    size_t idle = 0;
    char title[80];
    for (uint32_t l = 0; l < network->n_links; l++) idle += bytes_over(a, timing, l) == 0;
    (void)snprintf(title, sizeof title, "Links, in all steps; %zu others carry nothing", idle);
    mt_table table = mt_table_begin(a->arena, "links", title);
    mt_table_strings(&table, "link", "link");
    mt_table_decimals(&table, "bytes", "bytes", "", 0);
    mt_table_decimals(&table, "busy_cycles", "busy", "cycles", 0);
    mt_table_decimals(&table, "busy_percent", "share of the time", "%", 1);
    for (uint32_t l = 0; l < network->n_links; l++) {
        const uint64_t bytes = bytes_over(a, timing, l);
        if (bytes == 0) continue;
        const double busy = (double)ipu_link_cycles(&network->links[l], bytes, a->target.clock_hz);
        mt_table_text(&table, network->links[l].name);
        mt_table_number(&table, (double)bytes);
        mt_table_number(&table, busy);
        mt_table_number(&table, 100 * busy / all);
    }
    return table;
}

static mt_status totals_table(const asked *a, const made *m, mt_table *out)
{
    const double clock = a->target.clock_hz, bytes = (double)(a->elements * sizeof(float));
    ipu_profile profile;
    char title[320];
    MT_TRY(ipu_profile_make(a->arena, m->engine, &profile));
    MT_TRY(ipu_profile_add_bands(m->executable, &profile));
    const double us = profile.seconds * 1e6, fast = (double)profile.band.at[IPU_FAST],
                 slow = (double)profile.band.at[IPU_SLOW];
    (void)snprintf(title, sizeof title, "%s of %.0f bytes on each of %zu IPUs: %s, %s, %s",
        ipu_collective_name[a->operation], bytes, a->target.ipus, a->target.name,
        ipu_logical_name[a->rings.logical], ipu_method_name[a->plan.method]);
    mt_table table = mt_table_properties(a->arena, "totals", title);
    mt_table_property(&table, "steps", "steps", (double)a->plan.n_steps, "");
    mt_table_property(&table, "cycles", "all steps", (double)profile.cycles, "cycles");
    mt_table_property(&table, "time_us", "time", us, "us");
    mt_table_property(
        &table, "fast_us", "with uncertain constants at their fast ends", fast / clock * 1e6, "us");
    mt_table_property(&table, "slow_us", "at their slow ends", slow / clock * 1e6, "us");
    mt_table_property(&table, "bandwidth_gb_per_s", "vector a second", bytes / us / 1e3, "GB/s");
    *out = table;
    return MT_OK;
}

static mt_status allreduce(mt_arena *arena, const mt_arguments *arguments)
{
    asked a = {.arena = arena};
    made m;
    mt_table tables[4];
    mt_format format;
    MT_TRY(mt_format_option(arguments, &format));
    MT_TRY(read_all(arguments, &a));
    mt_progress_stage("the collective");
    MT_TRY(make_program(&a, &m));
    MT_TRY(run_program(&a, &m));
    MT_TRY(totals_table(&a, &m, &tables[0]));
    tables[1] = order_table(&a);
    MT_TRY(steps_table(&a, &m.engine->timing, &tables[2]));
    tables[3] = links_table(&a, m.engine);
    return mt_tables_print(arguments->out, tables, sizeof tables / sizeof *tables, format);
}
