/* myotile machine allreduce: executes a collective over the chips of a machine and reports its cost. */
#include <math.h>
#include <stdio.h>

#include "data/core/progress.h"
#include "app/commands/machine/allreduce_options.h"
#include "app/commands/machine/allreduce_sweep.h"
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "ipu/run/profile.h"
#include "app/commands/machine/collective.h"

static mt_status allreduce(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--ipus",
        .value = "N",
        .help = "number of chips, except of a prism; 64 chips require 8 GB of host memory"},
    {.name = "--bytes",
        .value = "SIZE",
        .help = "size of the vector of each chip: 4096, 64KiB, 1MiB, 10MB; with --sweep one or several: "
                "4KiB,1MiB"},
    {.name = "--sweep",
        .help = "model the time for each size and each logical topology on a ladder, a torus and prisms of "
                "this number of chips, with the fastest method or --method; moves no data, and does not "
                "check that the program fits the memory of a tile"},
    {.name = "--target",
        .value = "NAME|FILE.yaml",
        .help = "the emulated machine: a name from `myotile machine list`, or a file; default: gc200"},
    MT_OPTION_MACHINE_SET,
    {.name = "--physical",
        .value = "ladder|torus|prism",
        .help = "physical topology of the chips; default: that of the machine. A prism has one link between "
                "neighbours in adjacent layers, two in a layer, and three in the end layers"},
    {.name = "--layers", .value = "N", .help = "number of layers of a prism"},
    {.name = "--faces", .value = "N", .help = "number of chips in a layer of a prism; default: 3"},
    {.name = "--logical",
        .value = "peripheral-ring|barley-twist|ring-on-line|rung-ring-2|rung-ring-4|rung-ring-8",
        .help = "logical topology; default: peripheral-ring. A prism has its own"},
    {.name = "--routing",
        .value = "DNC|SWNC|RINGSWNC|BTNC",
        .help = "routing of the links, which must match both topologies; default: BTNC for a barley-twist, "
                "otherwise DNC"},
    {.name = "--replica",
        .value = "1|2|4|8",
        .help = "number of chips in a replica; chips with the same index in their replicas form a group; "
                "default: that of the logical "
                "topology"},
    {.name = "--group", .value = "N", .help = "number of consecutive replicas in a group; default: all"},
    {.name = "--orthogonal", .help = "the replicas of a group are as far apart as possible, not consecutive"},
    {.name = "--operation",
        .value = "all-reduce|reduce-scatter|all-gather|broadcast",
        .help = "the collective; a broadcast is from the first replica; default: all-reduce"},
    {.name = "--operator",
        .value = "add|mul|min|max|and|or",
        .help = "operator of the reduction, on floats; and, or: on unsigned integers; default: add"},
    {.name = "--method",
        .value = "auto|clockwise|anticlockwise|bidirectional|meet-in-the-middle|quad",
        .help = "algorithm; default: auto, selected by size; with --sweep: the fastest"},
    {.name = "--output", .letter = 'o', .value = "SWEEP.csv", .help = "write the table of --sweep"},
    {.name = "--picture", .value = "OUT.png", .help = "draw the times of --sweep"}, MT_OPTION_FORCE,
    MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_machine_allreduce = {
    .name = "machine allreduce",
    .operands = "",
    .summary = "emulate an all-reduce or another collective of several chips: rings, steps, links and time",
    .example = "myotile machine allreduce --ipus 16 --bytes 1MiB",
    .options = options,
    .run = allreduce,
};

/* ---- options ---- */

/* Refuses options that do not apply to the topology. */
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
                prism ? "--layers and --faces instead" : "with --physical prism");
    return MT_OK;
}

static mt_status read_prism(mt_arena *arena, const mt_arguments *arguments, mt_collective *c)
{
    unsigned long layers, faces;
    if (!mt_option_given(arguments, "--layers"))
        return mt_fail(MT_INPUT, "--layers is required for a prism; allowed: a number of layers");
    MT_TRY(mt_integer(
        "--layers", mt_option_value(arguments, "--layers", ""), 2, MT_ALLREDUCE_IPUS_MAX / 3, &layers));
    MT_TRY(mt_integer(
        "--faces", mt_option_value(arguments, "--faces", "3"), 3, MT_ALLREDUCE_IPUS_MAX / 2, &faces));
    return mt_allreduce_prism(arena, arguments, layers, faces, c);
}

static mt_status read_choice(const mt_arguments *arguments, ipu_ring_choice *choice)
{
    const bool orthogonal = mt_option_given(arguments, "--orthogonal"),
               group = mt_option_given(arguments, "--group");
    const char *replica = mt_option_value(arguments, "--replica", NULL);
    size_t logical, routing;
    unsigned long number;
    MT_TRY(
        mt_option_word(arguments, "--logical", ipu_logical_name[0], ipu_logical_name, IPU_PRISM, &logical));
    *choice = mt_default_ring_choice((ipu_logical)logical);
    MT_TRY(mt_option_word(
        arguments, "--routing", ipu_routing_name[choice->routing], ipu_routing_name, IPU_ROUTINGS, &routing));
    choice->routing = (ipu_routing)routing;
    if (replica) {
        MT_TRY(mt_integer("--replica", replica, 1, MT_ALLREDUCE_IPUS_MAX, &number));
        choice->replica = number;
    }
    if (group) {
        MT_TRY(mt_integer(
            "--group", mt_option_value(arguments, "--group", ""), 2, MT_ALLREDUCE_IPUS_MAX, &number));
        choice->group = number;
        choice->grouping = orthogonal ? IPU_ORTHOGONAL : IPU_CONSECUTIVE;
    }
    if (orthogonal && !group)
        return mt_fail(MT_INPUT, "--orthogonal without --group; allowed: with a number of replicas");
    return MT_OK;
}

static mt_status read_network(mt_arena *arena, const mt_arguments *arguments, mt_collective *c)
{
    const bool given = mt_option_given(arguments, "--physical");
    unsigned long ipus;
    size_t joined = 0;
    ipu_ring_choice choice;
    if (given) MT_TRY(mt_option_word(arguments, "--physical", "", mt_physical_name, MT_PHYSICALS, &joined));
    MT_TRY(check_options(arguments, joined == MT_PRISM));
    if (joined == MT_PRISM) return read_prism(arena, arguments, c);
    if (!mt_option_given(arguments, "--ipus"))
        return mt_fail(
            MT_INPUT, "--ipus is required; allowed: a number of chips, or --physical prism --layers N");
    MT_TRY(mt_integer("--ipus", mt_option_value(arguments, "--ipus", ""), 2, MT_ALLREDUCE_IPUS_MAX, &ipus));
    MT_TRY(mt_allreduce_chips(arena, arguments, given ? mt_physical_name[joined] : NULL, ipus, c));
    MT_TRY(read_choice(arguments, &choice));
    return ipu_rings_make(arena, c->target.links.shape, ipus, &choice, &c->rings);
}

static mt_status read_all(mt_arena *arena, const mt_arguments *arguments, mt_collective *c)
{
    ipu_method method;
    size_t elements;
    if (mt_option_given(arguments, "--output"))
        return mt_fail(MT_INPUT, "--output without --sweep; allowed: with --sweep, or --format csv");
    if (!mt_option_given(arguments, "--bytes"))
        return mt_fail(MT_INPUT, "--bytes is required; allowed: a size, or --sweep");
    MT_TRY(mt_allreduce_words(arguments, c, &method));
    MT_TRY(mt_allreduce_size(mt_option_value(arguments, "--bytes", ""), &elements));
    MT_TRY(read_network(arena, arguments, c));
    return mt_collective_plan(arena, method, elements, c);
}

/* ---- the tables ---- */

enum { TABLES = 4 };

typedef struct tabling {
    mt_arena *arena;
    const mt_collective *of;
    const ipu_engine *engine;
} tabling;

static mt_table order_table(const tabling *a)
{
    mt_table table =
        mt_table_begin(a->arena, "rings", "Rings: each chip sends to the next one, the last to the first");
    mt_table_decimals(&table, "ring", "ring", "", 0);
    mt_table_decimals(&table, "part", "part of the data", "", 0);
    mt_table_decimals(&table, "turn", "turn", "", 0);
    mt_table_strings(&table, "chips", "chips");
    for (size_t r = 0; r < a->of->rings.n_rings; r++) {
        const ipu_ring *ring = &a->of->rings.ring[r];
        char *order = mt_arena_alloc(a->arena, ring->n, 12);
        size_t used = 0;
        for (size_t k = 0; k < ring->n && order; k++)
            used += (size_t)sprintf(order + used, k > 0 ? " %u" : "%u", ring->chip[k]);
        MT_TABLE_NUMBERS(&table, (double)r, ring->stream, ring->turn);
        mt_table_text(&table, order);
    }
    return table;
}

/* Returns the largest number of bytes that a chip sends in a step. */
static uint64_t most_sent(const tabling *a, size_t step, uint64_t *bytes)
{
    const size_t n = a->of->target.ipus;
    uint64_t most = 0;
    ipu_plan_bytes(&a->of->plan, step, sizeof(float), n, bytes);
    for (size_t from = 0; from < n; from++) {
        uint64_t sent = 0;
        for (size_t to = 0; to < n; to++) sent += bytes[from * n + to];
        if (sent > most) most = sent;
    }
    return most;
}

static bool alike(const tabling *a, const ipu_superstep_timing *steps, size_t s, size_t t)
{
    return (s < a->of->plan.n_reducing) == (t < a->of->plan.n_reducing) &&
           steps[s].cycles == steps[t].cycles && steps[s].external_cycles == steps[t].external_cycles &&
           steps[s].compute_phase_cycles == steps[t].compute_phase_cycles;
}

/* Consecutive equal steps share a row. */
static mt_status steps_table(const tabling *a, mt_table *out)
{
    const ipu_superstep_timing *steps = a->engine->timing.supersteps;
    uint64_t *bytes;
    mt_table table = mt_table_begin(a->arena, "steps", "Steps, in tile cycles");
    MT_ALLOC(a->arena, bytes, a->of->target.ipus * a->of->target.ipus);
    mt_table_strings(&table, "kind", "kind");
    mt_table_decimals(&table, "steps", "steps", "", 0);
    mt_table_decimals(&table, "sent_bytes", "sent by a chip", "bytes", 0);
    mt_table_decimals(&table, "sync_cycles", "sync", "", 0);
    mt_table_decimals(&table, "copies_cycles", "copies", "", 0);
    mt_table_decimals(&table, "inside_cycles", "exchange within chips", "", 0);
    mt_table_decimals(&table, "between_cycles", "exchange between chips", "", 0);
    mt_table_decimals(&table, "compute_cycles", "compute", "", 0);
    mt_table_decimals(&table, "step_cycles", "one step", "", 0);
    mt_table_decimals(&table, "all_cycles", "all steps", "", 0);
    for (size_t s = 0, n = 1; s < a->of->plan.n_steps; s += n) {
        const ipu_superstep_timing *step = &steps[s];
        for (n = 1; s + n < a->of->plan.n_steps && alike(a, steps, s, s + n);) n++;
        mt_table_text(&table, s < a->of->plan.n_reducing ? "reduce" : "gather");
        MT_TABLE_NUMBERS(&table, (double)n, (double)most_sent(a, s, bytes), (double)step->sync_cycles,
            (double)(step->gather_phase_cycles + step->scatter_phase_cycles),
            (double)(step->exchange_phase_cycles - step->external_cycles), (double)step->external_cycles,
            (double)step->compute_phase_cycles, (double)step->cycles, (double)(n * step->cycles));
    }
    *out = table;
    return MT_OK;
}

/* Returns the bytes over a link in all steps, including headers. */
static uint64_t link_bytes(const ipu_timing *timing, size_t n_steps, uint32_t link)
{
    uint64_t bytes = 0;
    for (size_t s = 0; s < n_steps; s++)
        if (timing->supersteps[s].link_bytes) bytes += timing->supersteps[s].link_bytes[link];
    return bytes;
}

/* Builds the table of links with traffic. */
static mt_table links_table(const tabling *a)
{
    const ipu_timing *timing = &a->engine->timing;
    const ipu_topology *network = timing->network;
    const double all = (double)ipu_engine_cycles(a->engine);
    size_t idle = 0;
    char title[80];
    for (uint32_t l = 0; l < network->n_links; l++) idle += link_bytes(timing, a->of->plan.n_steps, l) == 0;
    (void)snprintf(title, sizeof title, "Links, sum of all steps; %zu others are unused", idle);
    mt_table table = mt_table_begin(a->arena, "links", title);
    mt_table_strings(&table, "link", "link");
    mt_table_decimals(&table, "bytes", "bytes", "", 0);
    mt_table_decimals(&table, "busy_cycles", "busy", "cycles", 0);
    mt_table_decimals(&table, "busy_percent", "share of the time", "%", 1);
    for (uint32_t l = 0; l < network->n_links; l++) {
        const uint64_t bytes = link_bytes(timing, a->of->plan.n_steps, l);
        if (bytes == 0) continue;
        const double busy = (double)ipu_link_cycles(&network->links[l], bytes, a->of->target.clock_hz);
        mt_table_text(&table, network->links[l].name);
        MT_TABLE_NUMBERS(&table, (double)bytes, busy, 100 * busy / all);
    }
    return table;
}

static mt_status totals_table(const tabling *a, mt_table *out)
{
    const double clock = a->of->target.clock_hz, bytes = (double)(a->of->plan.n_elements * sizeof(float));
    ipu_profile profile;
    char title[320];
    MT_TRY(ipu_profile_make(a->arena, a->engine, &profile));
    MT_TRY(ipu_profile_add_bands(a->engine->timing.executable, &profile));
    const double us = profile.seconds * 1e6, fast = (double)profile.band.at[IPU_FAST],
                 slow = (double)profile.band.at[IPU_SLOW];
    (void)snprintf(title, sizeof title, "%s of %.0f bytes on each of %zu IPUs: %s, %s, %s",
        ipu_collective_name[a->of->operation], bytes, a->of->target.ipus, a->of->target.name,
        ipu_logical_name[a->of->rings.logical], ipu_method_name[a->of->plan.method]);
    mt_table table = mt_table_properties(a->arena, "totals", title);
    mt_table_property(&table, "steps", "steps", (double)a->of->plan.n_steps, "");
    mt_table_property(&table, "cycles", "all steps", (double)profile.cycles, "cycles");
    mt_table_property(&table, "time_us", "time", us, "us");
    mt_table_property(&table, "fast_us", "time, constants at their fast ends", fast / clock * 1e6, "us");
    mt_table_property(&table, "slow_us", "time, constants at their slow ends", slow / clock * 1e6, "us");
    mt_table_property(
        &table, "bandwidth_gb_per_s", "bandwidth (vector size / time)", bytes / us / 1e3, "GB/s");
    *out = table;
    return MT_OK;
}

static mt_status make_tables(
    mt_arena *arena, const mt_collective *collective, const ipu_engine *engine, mt_table tables[TABLES])
{
    const tabling a = {arena, collective, engine};
    MT_TRY(totals_table(&a, &tables[0]));
    tables[1] = order_table(&a);
    MT_TRY(steps_table(&a, &tables[2]));
    tables[3] = links_table(&a);
    return MT_OK;
}

/* ---- the command ---- */

/* Names the stage, with the estimated time of it and the next one. The two factors were measured on 64 chips. */
static mt_status begin_stage(mt_arena *arena, const mt_collective *c)
{
    enum { TEXT = 128 };
    static const double s_per_tile = 5e-6, s_per_number = 2e-8;
    const double tile_steps = (double)c->plan.n_steps * (double)c->target.tiles,
                 numbers = (double)c->plan.n_elements * (double)c->target.ipus,
                 seconds = s_per_tile * tile_steps + s_per_number * numbers;
    char *text;
    MT_ALLOC(arena, text, TEXT);
    (void)snprintf(text, TEXT,
        "compiling the collective (%zu steps of %zu tiles; about %.0f:%02.0f min with the data)",
        c->plan.n_steps, c->target.tiles, floor(seconds / 60), floor(fmod(seconds, 60)));
    mt_progress_stage(text);
    return MT_OK;
}

static mt_status allreduce(mt_arena *arena, const mt_arguments *arguments)
{
    mt_collective c = {0};
    mt_collective_program made;
    ipu_engine *engine;
    mt_table tables[TABLES];
    if (mt_option_given(arguments, "--sweep")) return mt_allreduce_sweep(arena, arguments);
    if (mt_option_given(arguments, "--picture"))
        mt_warn("--picture without --sweep is obsolete and ignored; the table of links contains the loads");
    MT_TRY(read_all(arena, arguments, &c));
    MT_TRY(begin_stage(arena, &c));
    MT_TRY(mt_collective_make(arena, &c, &made));
    mt_progress_stage("moving the data");
    MT_TRY(mt_collective_execute(arena, &c, &made, &engine));
    MT_TRY(make_tables(arena, &c, engine, tables));
    return mt_print_tables(arguments, tables, TABLES);
}
