#include "app/study/paper/nodes_tables.h"

#include <math.h>

const mt_nodes_kind mt_nodes_kinds[MT_NODES_KINDS] = {
    [MT_NODES_ELEMENTS] = {"elements", "none", "elements"},
    [MT_NODES_WEIGHTED] = {"vertices", "row costs", "vertices, weights"},
    [MT_NODES_UNWEIGHTED] = {"vertices", "none", "vertices, no weights"},
};

/* Returns the costs with the scheme of all tables. */
static const mt_step_costs *costs_of(const mt_nodes_costs *c, size_t i, int kind)
{
    return c->rows[i][kind].schemes;
}

/* Begins a table with the columns that identify a row of a kind. */
static mt_table begin(mt_arena *arena, const char *key, const char *title)
{
    mt_table table = mt_table_begin(arena, key, title);
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    mt_table_strings(&table, "voltages", "voltages");
    mt_table_strings(&table, "weights", "weights");
    return table;
}

static void begin_row(mt_table *table, const mt_nodes_costs *c, size_t i, int kind)
{
    mt_table_number(table, c->base.ipus[i]);
    mt_table_text(table, mt_nodes_kinds[kind].voltages);
    mt_table_text(table, mt_nodes_kinds[kind].weights);
}

static void add_step(mt_table *table, const mt_nodes_costs *c, size_t i, int kind)
{
    const mt_step_costs *s = costs_of(c, i, kind), *elements = costs_of(c, i, MT_NODES_ELEMENTS);
    const double cycles = s->fits ? (double)s->cycles : NAN;
    begin_row(table, c, i, kind);
    MT_TABLE_NUMBERS(table, s->own.sum, c->substeps[kind != MT_NODES_ELEMENTS], cycles,
        100 * (double)(s->exchange_cycles + s->sync_cycles) / cycles,
        cycles * c->ode_steps / c->base.tiling.one.clock_hz,
        elements->fits ? (double)elements->cycles / cycles : NAN);
    mt_table_text(table, s->fits ? "yes" : "does not fit");
}

static mt_table make_steps(mt_arena *arena, const mt_nodes_costs *c)
{
    char title[320];
    (void)snprintf(title, sizeof title,
        "Voltages at elements and vertices: %s on %s, %s partition%s, %s; time of %.0f steps", c->heart,
        c->base.tiling.one.name, mt_partition_methods[c->base.tiling.method],
        c->base.tiling.balance_halo ? " with balanced halos" : "", c->base.scheme[0].name, c->ode_steps);
    mt_table table = begin(arena, "steps", title);
    mt_table_decimals(&table, "unknowns", "unknowns", "", 0);
    mt_table_decimals(&table, "substeps", "substeps", "", 0);
    mt_table_decimals(&table, "time_step_cycles", "time step", "cycles", 0);
    mt_table_decimals(&table, "exchange_sync_percent", "exchange, sync", "%", 1);
    mt_table_decimals(&table, "time_s", "time", "s", 2);
    mt_table_decimals(&table, "faster_than_elements", "faster", "times", 2);
    mt_table_strings(&table, "fits", "fits");
    for (size_t i = 0; i < c->base.n_ipus; i++)
        for (int kind = 0; kind < MT_NODES_KINDS; kind++) add_step(&table, c, i, kind);
    return table;
}

static mt_table make_tiles(mt_arena *arena, const mt_nodes_costs *c)
{
    mt_table table = begin(arena, "tiles", "Load, received voltages and memory of the tiles");
    mt_table_decimals(&table, "tiles", "tiles with voltages", "", 0);
    mt_table_decimals(&table, "unknowns_mean", "unknowns", "mean", 1);
    mt_table_decimals(&table, "load_balance_percent", "load balance", "%", 1);
    mt_table_decimals(&table, "received_mean", "received", "mean", 1);
    mt_table_decimals(&table, "received_max", "received", "largest", 0);
    mt_table_decimals(&table, "fullest_tile_bytes", "fullest tile", "bytes", 0);
    for (size_t i = 0; i < c->base.n_ipus; i++)
        for (int kind = 0; kind < MT_NODES_KINDS; kind++) {
            const mt_nodes_row *r = &c->rows[i][kind];
            const mt_step_costs *s = r->schemes;
            begin_row(&table, c, i, kind);
            MT_TABLE_NUMBERS(&table, r->tiles, s->own.sum / r->tiles, s->fits ? 100 * s->balance : NAN,
                s->received.sum / r->tiles, s->received.max, s->fits ? (double)s->memory_max : NAN);
        }
    return table;
}

/* ---- table 1 ---- */

static void add_halo(mt_table *table, const mt_nodes_costs *c, size_t i, int kind, size_t scheme)
{
    const mt_step_costs *s = &c->rows[i][kind].schemes[scheme];
    const mt_step_part *pde = &s->part[MT_STEP_PDE];
    const double runs = s->fits ? (double)pde->runs : NAN;
    begin_row(table, c, i, kind);
    mt_table_text(table, c->base.scheme[scheme].name);
    MT_TABLE_NUMBERS(table, s->received.max, s->received.median, s->unused.median, s->local.max,
        100 * s->received.sum / s->local.sum, s->pieces.max, (double)s->crossing,
        (double)(pde->inside_cycles + pde->between_cycles) / runs,
        s->fits ? (double)s->memory_max / 1024 : NAN, s->fits ? (double)s->memory_median / 1024 : NAN);
}

static mt_table make_halos(mt_arena *arena, const mt_nodes_costs *c)
{
    mt_table table = begin(arena, "halos", "Halos of the tiles (table 1 of the study), by separator scheme");
    mt_table_strings(&table, "scheme", "scheme");
    mt_table_decimals(&table, "received_max", "received max", "", 0);
    mt_table_decimals(&table, "received_median", "received median", "", 0);
    mt_table_decimals(&table, "unused_median", "unused median", "", 0);
    mt_table_decimals(&table, "largest_tile", "largest tile", "", 0);
    mt_table_decimals(&table, "share_received_percent", "share received", "%", 2);
    mt_table_decimals(&table, "pieces_max", "pieces max", "", 0);
    mt_table_decimals(&table, "from_other_ipus", "from other IPUs", "", 0);
    mt_table_decimals(&table, "substep_exchange_sync_cycles", "exchange, sync of a substep", "cycles", 0);
    mt_table_decimals(&table, "memory_max_kib", "memory max", "KiB", 1);
    mt_table_decimals(&table, "memory_median_kib", "memory median", "KiB", 1);
    for (size_t i = 0; i < c->base.n_ipus; i++)
        for (size_t k = 0; k < c->base.n_schemes; k++)
            for (int kind = 0; kind < MT_NODES_KINDS; kind++) add_halo(&table, c, i, kind, k);
    return table;
}

/* ---- table 2 and figure 6 ---- */

static const struct {
    const char *key, *label;
} parts[MT_STEP_PARTS] = {
    [MT_STEP_ODE] = {"ode_compute", "ODE compute"},
    [MT_STEP_SPREADING] = {"spreading_compute", "spreading compute"},
    [MT_STEP_PDE] = {"pde_compute", "PDE compute"},
    [MT_STEP_RECORD] = {"activation", "activation times"},
};

/* `spread`: NULL for a phase that takes equally long on all tiles; in an exchange a tile that waits is not busy. `cycles`: of all runs in a
 * time step. */
static void add_phase(mt_table *table, const mt_nodes_costs *c, size_t i, int kind, const char *key,
    const char *label, double runs, const ipu_spread *spread, double cycles)
{
    begin_row(table, c, i, kind);
    mt_table_item(table, key, label, 0);
    MT_TABLE_NUMBERS(table, runs, spread ? (double)spread->min : NAN, spread ? spread->mean : NAN,
        spread ? spread->sd : NAN, cycles / runs, 100 * cycles / (double)costs_of(c, i, kind)->cycles,
        spread ? 100 * spread->mean * runs / cycles : NAN);
}

static void add_phases(mt_table *table, const mt_nodes_costs *c, size_t i, int kind)
{
    const mt_step_costs *s = costs_of(c, i, kind);
    double inside = 0, between = 0, exchanges = 0;
    if (!s->fits) {
        begin_row(table, c, i, kind);
        mt_table_item(table, "does_not_fit", "does not fit", 0);
        MT_TABLE_NUMBERS(table, NAN, NAN, NAN, NAN, NAN, NAN, NAN);
        return;
    }
    for (int k = 0; k < MT_STEP_PARTS; k++) {
        const mt_step_part *p = &s->part[k];
        inside += (double)p->inside_cycles, between += (double)p->between_cycles;
        if (p->inside_cycles > 0 && k != MT_STEP_RECORD) exchanges += (double)p->runs;
        if (p->runs == 0) continue;
        add_phase(table, c, i, kind, parts[k].key, parts[k].label, (double)p->runs, &p->compute,
            (double)p->compute_cycles);
    }
    add_phase(table, c, i, kind, "exchange_inside_ipus", "exchange inside IPUs, sync", exchanges,
        &s->part[MT_STEP_PDE].exchange, inside);
    add_phase(
        table, c, i, kind, "exchange_between_ipus", "exchange between IPUs, sync", exchanges, NULL, between);
}

static mt_table make_phases(mt_arena *arena, const mt_nodes_costs *c)
{
    mt_table table =
        begin(arena, "phases", "Cycles of a time step by phase (table 2 and figure 6 of the study)");
    mt_table_strings(&table, "phase", "phase");
    mt_table_decimals(&table, "runs", "runs", "", 0);
    mt_table_decimals(&table, "min_cycles", "min", "cycles", 0);
    mt_table_decimals(&table, "mean_cycles", "mean", "cycles", 0);
    mt_table_decimals(&table, "sd_cycles", "sd", "cycles", 0);
    mt_table_decimals(&table, "max_cycles", "max", "cycles", 0);
    mt_table_decimals(&table, "share_percent", "share", "%", 2);
    mt_table_decimals(&table, "load_balance_percent", "load balance", "%", 1);
    for (size_t i = 0; i < c->base.n_ipus; i++)
        for (int kind = 0; kind < MT_NODES_KINDS; kind++) add_phases(&table, c, i, kind);
    return table;
}

/* Returns the cycles of the phases of figure 6 in `cycles`; NaN if it does not fit. The record of activation times counts as ODE. */
static void phases_of(const mt_step_costs *s, double cycles[MT_STEPS_PHASES])
{
    const mt_step_part *p = s->part;
    cycles[MT_STEPS_ODE] = (double)(p[MT_STEP_ODE].compute_cycles + p[MT_STEP_RECORD].compute_cycles);
    cycles[MT_STEPS_PDE] = (double)(p[MT_STEP_PDE].compute_cycles + p[MT_STEP_SPREADING].compute_cycles);
    cycles[MT_STEPS_INSIDE] = cycles[MT_STEPS_BETWEEN] = 0;
    for (int k = 0; k < MT_STEP_PARTS; k++) {
        cycles[MT_STEPS_INSIDE] += (double)p[k].inside_cycles;
        cycles[MT_STEPS_BETWEEN] += (double)p[k].between_cycles;
    }
    for (int f = 0; !s->fits && f < MT_STEPS_PHASES; f++) cycles[f] = NAN;
}

/* ---- table 3 and figure 5 ---- */

static void add_scaling(mt_table *table, const mt_nodes_costs *c, size_t i, int kind)
{
    const mt_step_costs *s = costs_of(c, i, kind);
    const mt_scaling *line = &c->line[kind];
    double phase[MT_STEPS_PHASES];
    phases_of(s, phase);
    const double exchange = phase[MT_STEPS_INSIDE] + phase[MT_STEPS_BETWEEN],
                 seconds = mt_scaling_seconds(line, line->cycles[i]);
    begin_row(table, c, i, kind);
    MT_TABLE_NUMBERS(table, mt_scaling_seconds(line, phase[MT_STEPS_PDE] + exchange),
        mt_scaling_seconds(line, exchange), mt_scaling_seconds(line, phase[MT_STEPS_ODE]), seconds);
    for (int end = 0; end < IPU_ENDS; end++)
        mt_table_number(table, s->fits ? mt_scaling_seconds(line, (double)s->band.at[end]) : NAN);
    mt_table_number(table, s->own.sum * c->ode_steps / seconds);
    mt_scaling_numbers(table, line, i);
}

static mt_table make_scaling(mt_arena *arena, const mt_nodes_costs *c)
{
    char title[128];
    (void)snprintf(
        title, sizeof title, "Time of %.0f time steps (table 3 and figure 5 of the study)", c->ode_steps);
    mt_table table = begin(arena, "scaling", title);
    mt_table_decimals(&table, "pde_s", "PDE part", "s", 2);
    mt_table_decimals(&table, "pde_exchange_s", "exchange", "s", 2);
    mt_table_decimals(&table, "ode_s", "ODE part", "s", 2);
    mt_table_decimals(&table, "total_s", "total", "s", 2);
    mt_table_decimals(&table, "total_fast_s", "from", "s", 2);
    mt_table_decimals(&table, "total_slow_s", "to", "s", 2);
    mt_table_digits(&table, "unknown_steps_per_s", "rate", "unknowns x steps/s", 4);
    mt_scaling_columns(&table);
    for (size_t i = 0; i < c->base.n_ipus; i++)
        for (int kind = 0; kind < MT_NODES_KINDS; kind++) add_scaling(&table, c, i, kind);
    return table;
}

mt_status mt_nodes_draw_shares(
    mt_arena *arena, const mt_nodes_costs *c, const char *picture, const char *title)
{
    const char *bars[MT_NODES_KINDS];
    double *cycles;
    MT_ALLOC(arena, cycles, c->base.n_ipus * MT_NODES_KINDS * MT_STEPS_PHASES);
    for (int kind = 0; kind < MT_NODES_KINDS; kind++) bars[kind] = mt_nodes_kinds[kind].name;
    for (size_t k = 0; k < c->base.n_ipus * MT_NODES_KINDS; k++)
        phases_of(costs_of(c, k / MT_NODES_KINDS, (int)(k % MT_NODES_KINDS)), cycles + k * MT_STEPS_PHASES);
    return mt_shares_draw(
        arena, picture, title, &(mt_shares){c->base.n_ipus, MT_NODES_KINDS, c->base.ipus, bars, cycles});
}

/* ---- the largest heart ---- */

/* Estimates the largest heart by the bytes per unknown of the fullest tile. A lower bound: fixed memory
 * and halos, which grow less, count as proportional. */
static void add_largest(mt_table *table, const mt_nodes_costs *c, int kind)
{
    const size_t i = mt_scaling_fewest(&c->line[kind]);
    mt_table_text(table, mt_nodes_kinds[kind].voltages);
    mt_table_text(table, mt_nodes_kinds[kind].weights);
    if (i == SIZE_MAX) {
        MT_TABLE_NUMBERS(table, NAN, NAN, NAN, NAN);
        return;
    }
    const mt_step_costs *s = costs_of(c, i, kind);
    const double on_one = s->own.sum / c->base.ipus[i];
    const double room = (double)c->base.tiling.one.bytes_per_tile / (double)s->memory_max;
    MT_TABLE_NUMBERS(table, c->base.ipus[i], (double)s->memory_max * c->base.tiling.tiles / on_one,
        floor(on_one * room), floor(on_one * room * (double)c->n_elements / s->own.sum));
}

static mt_table make_largest(mt_arena *arena, const mt_nodes_costs *c)
{
    char title[256];
    (void)snprintf(title, sizeof title,
        "Largest heart on one IPU, estimated, at least: memory of the fullest tile proportional to the "
        "unknowns, %zu bytes per tile",
        (size_t)c->base.tiling.one.bytes_per_tile);
    mt_table table = mt_table_begin(arena, "largest", title);
    mt_table_strings(&table, "voltages", "voltages");
    mt_table_strings(&table, "weights", "weights");
    mt_table_decimals(&table, "measured_ipus", "measured on", "IPUs", 0);
    mt_table_decimals(&table, "unknown_bytes", "an unknown", "bytes", 0);
    mt_table_decimals(&table, "largest_unknowns", "unknowns", "", 0);
    mt_table_decimals(&table, "largest_elements", "elements of the mesh", "", 0);
    for (int kind = 0; kind < MT_NODES_KINDS; kind++) add_largest(&table, c, kind);
    return table;
}

void mt_nodes_tables(mt_arena *arena, const mt_nodes_costs *c, mt_table tables[MT_NODES_TABLES])
{
    tables[0] = make_steps(arena, c);
    tables[1] = make_tiles(arena, c);
    tables[2] = make_halos(arena, c);
    tables[3] = make_phases(arena, c);
    tables[4] = make_scaling(arena, c);
    tables[5] = make_largest(arena, c);
}
