/* myotile reproduce machines: a time step of a heart on machines of tiles of different kinds, side by side.
 *
 * The step is that of the study (`reproduce table2`): explicit diffusion substeps and one step of the ionic model, without spreading of
 * the reaction, and the record of activation times. Each machine has the values of its file. All numbers follow from programs for the
 * emulated machines, without running them: the cost of a step does not depend on its values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/draw/scene/tile_map.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"
#include "data/core/progress.h"
#include "ipu/machine/fabric.h"
#include "solver/plan/plan.h"
#include "solver/plan/step_costs.h"

static mt_status machines(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_REPRODUCE_MESH,
    {.name = "--machines",
        .value = "NAME[:N],...",
        .help = "machines by name or file, with a number of chips; default: "
                "gc200:1,gc200:4,gc200:16,gc200:64,wse2"},
    {.name = "--scheme", .value = "NAME", .help = "separator scheme; default: exact"},
    {.name = "--pde-steps",
        .value = "P",
        .help = "diffusion substeps per time step; default: as in the study: 4"},
    MT_TILING_CUT_OPTIONS, MT_OPTION_STREAM,
    {.name = "--picture",
        .value = "OUT.png",
        .help = "map of the words on the links of the tiles, of the first machine with a mesh or torus of "
                "them"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_machines = {
    .name = "reproduce machines",
    .operands = "",
    .summary = "a time step of a heart on 1 to 64 IPUs and on a wafer of tiles, side by side",
    .example = "myotile reproduce machines --mesh slab.hdf --machines gc200:1,gc200:2",
    .options = options,
    .run = machines,
};

enum { MACHINES_MOST = MT_TILING_COUNTS, NAME_MOST = 512 };

typedef struct row {
    mt_tiling tiling;
    uint32_t chips;
    size_t tiles, used; /* of all chips; with elements */
    double word_bytes;
    mt_step_costs costs;
    ipu_profile_step substep; /* numbers only; zeros if it does not fit, as the next three */
    uint64_t received, hops;  /* of ipu_link_words */
    double busiest_words;     /* NaN without links between tiles */
    size_t memory_available;  /* bytes per tile */
} row;

typedef struct comparison {
    mt_reproduce base; /* the tiling is that of the current row */
    unsigned long pde_steps;
    double ode_steps;
    mt_monodomain problem;
    mt_diffusion no_values;
    size_t n, at;
    row rows[MACHINES_MOST];
    mt_arena *arena;
    size_t pictured; /* row with the map; n: none */
    double *load;    /* [tiles of the row] words on the busiest link that leaves each tile */
} comparison;

/* ---- options ---- */

static mt_status refuse_machine(const char *text)
{
    return mt_fail(MT_INPUT,
        "--machines %s; allowed: 1 to %d machines separated by commas, each a name or file with at most %d "
        "letters and optionally ':' and a number of chips",
        text, MACHINES_MOST, NAME_MOST - 1);
}

/* Reads NAME or NAME:N. */
static mt_status parse_machine(mt_arena *arena, const mt_arguments *arguments, char *name, row *r)
{
    unsigned long chips = 1;
    char *colon = strrchr(name, ':');
    if (colon && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
        MT_TRY(mt_integer("--machines", colon + 1, 1, 4096, &chips));
        *colon = 0;
    }
    MT_TRY(mt_tiling_options_parse_for(arena, arguments, name, &r->tiling));
    if (r->tiling.one.dram.bytes > 0) MT_TRY(mt_tiling_options_stream(arguments, &r->tiling.streamed));
    MT_TRY(mt_tiling_check_ipus(&r->tiling, chips));
    r->chips = (uint32_t)chips;
    return mt_tiling_check_memory(&r->tiling, r->chips);
}

static mt_status parse_machines(mt_arena *arena, const mt_arguments *arguments, comparison *c)
{
    const char *list = mt_option_value(arguments, "--machines", "gc200:1,gc200:4,gc200:16,gc200:64,wse2");
    for (const char *at = list; at; at = *at ? at + 1 : NULL) {
        char name[NAME_MOST];
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name || c->n == MACHINES_MOST) return refuse_machine(list);
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        MT_TRY(parse_machine(arena, arguments, name, &c->rows[c->n++]));
        at += length;
    }
    return MT_OK;
}

/* Finds the row of the picture. */
static mt_status choose_picture(const mt_arguments *arguments, comparison *c)
{
    c->base.picture = mt_option_value(arguments, "--picture", NULL);
    c->pictured = c->n;
    if (!c->base.picture) return MT_OK;
    for (size_t k = c->n; k-- > 0;)
        if (c->rows[k].tiling.one.fabric.width > 0) c->pictured = k;
    if (c->pictured == c->n)
        return mt_fail(MT_INPUT, "--picture %s; allowed: with a machine whose tiles are in a mesh or torus",
            c->base.picture);
    return mt_page_check_name(c->base.picture, mt_option_replace(arguments));
}

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, comparison *c)
{
    uint32_t ranges;
    double study, unused;
    const char *steps = mt_option_value(arguments, "--pde-steps", NULL);
    MT_TRY(mt_published("heart04_pde_steps", &study, &unused));
    MT_TRY(mt_published("ode_steps", &c->ode_steps, &unused));
    c->pde_steps = (unsigned long)study;
    if (steps) MT_TRY(mt_integer("--pde-steps", steps, 1, 1000000, &c->pde_steps));
    MT_TRY(mt_tiling_options_ranges(arguments, &ranges));
    MT_TRY(mt_scheme_find(mt_option_value(arguments, "--scheme", "exact"), ranges, &c->base.scheme[0]));
    c->base.n_schemes = c->base.n_ipus = 1;
    MT_TRY(parse_machines(arena, arguments, c));
    return choose_picture(arguments, c);
}

/* ---- costs ---- */

static mt_status read_loads(comparison *c, const ipu_profile *profile, row *r)
{
    const ipu_link_words *links = &profile->fabric;
    r->received = links->received, r->hops = links->hops;
    r->busiest_words = links->n_links > 0 ? 0 : NAN;
    for (size_t l = 0; l < links->n_links; l++)
        r->busiest_words = fmax(r->busiest_words, (double)links->words[l]);
    if (c->at != c->pictured || links->n_links == 0) return MT_OK;
    MT_ALLOC(c->arena, c->load, r->tiles);
    for (size_t l = 0; l < links->n_links; l++)
        c->load[l / IPU_SIDES] = fmax(c->load[l / IPU_SIDES], (double)links->words[l]);
    return MT_OK;
}

static mt_status find_costs(void *context, size_t i, size_t k, const mt_halo *halo)
{
    comparison *c = context;
    row *r = &c->rows[c->at];
    MT_SCRATCH(scratch);
    ipu_profile profile;
    (void)i, (void)k;
    MT_TRY(mt_step_costs_profile(scratch, &c->problem, &r->tiling, halo, &profile, &r->costs));
    r->tiles = r->tiling.one.tiles * r->chips;
    r->word_bytes = (double)r->tiling.one.exchange_bytes_per_cycle;
    r->memory_available = r->tiling.one.bytes_per_tile;
    for (uint32_t part = 0; part < halo->n_parts; part++) r->used += mt_halo_own(halo, part) > 0;
    if (!r->costs.fits) {
        mt_warn("%s, %u chip%s: does not fit: %s", r->tiling.one.name, r->chips, r->chips > 1 ? "s" : "",
            r->costs.why);
        return MT_OK;
    }
    r->substep = profile.steps[MT_PLAN_PDE_AB];
    return read_loads(c, &profile, r);
}

static mt_status find_rows(comparison *c)
{
    c->problem = (mt_monodomain){.diffusion = &c->no_values,
        .model = mt_cell_models[0],
        .dt_ms = 1, /* costs do not depend on it */
        .pde_steps = c->pde_steps,
        .mesh = &c->base.mesh};
    for (c->at = 0; c->at < c->n; c->at++) {
        c->base.tiling = c->rows[c->at].tiling;
        c->base.ipus[0] = c->rows[c->at].chips;
        MT_TRY(mt_reproduce_each(&c->base, find_costs, c));
    }
    return MT_OK;
}

/* ---- tables ---- */

static double seconds(const comparison *c, const row *r, double cycles)
{
    return c->ode_steps * cycles / r->tiling.one.clock_hz;
}

static double part_cycles(const row *r, int part)
{
    const mt_step_part *p = &r->costs.part[part];
    return (double)(p->compute_cycles + p->inside_cycles + p->between_cycles);
}

static mt_table begin_table(mt_arena *arena, const char *key, const char *title)
{
    mt_table table = mt_table_begin(arena, key, title);
    mt_table_strings(&table, "machine", "machine");
    mt_table_decimals(&table, "chips", "chips", "", 0);
    return table;
}

static void begin_row(mt_table *table, const row *r)
{
    mt_table_text(table, r->tiling.one.name);
    mt_table_number(table, r->chips);
}

static mt_table make_tiles(mt_arena *arena, const comparison *c)
{
    mt_table table = begin_table(arena, "tiles", "Tiles");
    mt_table_decimals(&table, "tiles_used", "used tiles", "", 0);
    mt_table_decimals(&table, "tiles", "of", "", 0);
    mt_table_decimals(&table, "own_max", "own elements (max)", "", 0);
    mt_table_decimals(&table, "received_max", "received elements (max)", "", 0);
    mt_table_decimals(&table, "received_percent", "share of received", "%", 1);
    mt_table_decimals(&table, "memory_max_bytes", "memory (max)", "bytes", 0);
    mt_table_decimals(&table, "memory_available_bytes", "of", "bytes", 0);
    for (size_t k = 0; k < c->n; k++) {
        const row *r = &c->rows[k];
        const mt_step_costs *s = &r->costs;
        begin_row(&table, r);
        MT_TABLE_NUMBERS(&table, (double)r->used, (double)r->tiles, s->own.max, s->received.max,
            100 * s->received.sum / (s->own.sum + s->received.sum), s->fits ? (double)s->memory_max : NAN,
            (double)r->memory_available);
    }
    return table;
}

static mt_table make_exchange(mt_arena *arena, const comparison *c)
{
    mt_table table = begin_table(arena, "exchange", "Exchange of a diffusion substep");
    mt_table_decimals(&table, "words", "received words", "", 0);
    mt_table_decimals(&table, "hops_mean", "hops of a word (mean)", "", 2);
    mt_table_decimals(&table, "busiest_link_words", "busiest link", "words", 0);
    mt_table_decimals(&table, "bytes_between_chips", "between chips", "bytes", 0);
    mt_table_decimals(&table, "exchange_cycles", "exchange", "cycles", 0);
    mt_table_decimals(&table, "exchange_bound_cycles", "lower bound", "cycles", 0);
    mt_table_decimals(&table, "copies_cycles", "copies", "cycles", 0);
    mt_table_decimals(&table, "sync_cycles", "sync", "cycles", 0);
    for (size_t k = 0; k < c->n; k++) {
        const row *r = &c->rows[k];
        const ipu_profile_step *s = &r->substep;
        const double fits = r->costs.fits ? 1 : NAN;
        begin_row(&table, r);
        MT_TABLE_NUMBERS(&table, fits * (double)s->bytes_received / r->word_bytes,
            r->received > 0 ? (double)r->hops / (double)r->received : NAN, fits * r->busiest_words,
            fits * (double)s->bytes_crossing, fits * (double)s->exchange_phase_cycles,
            fits * (double)(s->exchange_bound_cycles + s->external_cycles),
            fits * (double)s->rearrangement_phase_cycles, fits * (double)s->sync_cycles);
    }
    return table;
}

/* True if a machine streams variables outside of its chips. */
static bool streams(const comparison *c)
{
    for (size_t k = 0; k < c->n; k++)
        if (c->rows[k].tiling.streamed != MT_STREAMED_NONE) return true;
    return false;
}

static mt_table make_times(mt_arena *arena, const comparison *c)
{
    char title[128];
    (void)snprintf(title, sizeof title, "A time step, and %.0f of them (500 ms)", c->ode_steps);
    mt_table table = begin_table(arena, "times", title);
    mt_table_decimals(&table, "diffusion_cycles", "diffusion", "cycles", 0);
    mt_table_decimals(&table, "reaction_cycles", "reaction", "cycles", 0);
    mt_table_decimals(&table, "record_cycles", "record", "cycles", 0);
    if (streams(c)) mt_table_decimals(&table, "dram_cycles", "memory outside", "cycles", 0);
    mt_table_decimals(&table, "overlapped_cycles", "overlap", "cycles", 0);
    mt_table_decimals(&table, "time_step_cycles", "time step", "cycles", 0);
    mt_table_decimals(&table, "time_step_fast_cycles", "from", "cycles", 0);
    mt_table_decimals(&table, "time_step_slow_cycles", "to", "cycles", 0);
    mt_table_digits(&table, "time_s", "time", "s", 3);
    mt_table_digits(&table, "time_fast_s", "from", "s", 3);
    mt_table_digits(&table, "time_slow_s", "to", "s", 3);
    mt_table_decimals(&table, "time_percent", "of the first", "%", 1);
    mt_table_strings(&table, "fits", "fits");
    const double first =
        seconds(c, &c->rows[0], c->rows[0].costs.fits ? (double)c->rows[0].costs.cycles : NAN);
    for (size_t k = 0; k < c->n; k++) {
        const row *r = &c->rows[k];
        const mt_step_costs *s = &r->costs;
        const double fits = s->fits ? 1 : NAN, fast = fits * (double)s->band.at[IPU_FAST],
                     slow = fits * (double)s->band.at[IPU_SLOW], cycles = fits * (double)s->cycles;
        begin_row(&table, r);
        MT_TABLE_NUMBERS(&table, fits * part_cycles(r, MT_STEP_PDE), fits * part_cycles(r, MT_STEP_ODE),
            fits * part_cycles(r, MT_STEP_RECORD));
        if (streams(c)) mt_table_number(&table, fits * (double)s->dram_cycles);
        MT_TABLE_NUMBERS(&table, fits * (double)s->overlapped_cycles, cycles, fast, slow,
            seconds(c, r, cycles), seconds(c, r, fast), seconds(c, r, slow),
            100 * seconds(c, r, cycles) / first);
        mt_table_text(&table, s->fits ? "yes" : s->why);
    }
    return table;
}

/* ---- the picture ---- */

static mt_status draw(const comparison *c)
{
    const row *r = c->pictured < c->n ? &c->rows[c->pictured] : NULL;
    char title[600], note[256];
    double most = 0, sum = 0;
    if (!r || !c->load) return MT_OK; /* it does not fit */
    for (size_t t = 0; t < r->tiles; t++) most = fmax(most, c->load[t]), sum += c->load[t];
    (void)snprintf(title, sizeof title,
        "Words on the links of %s in a diffusion substep: mesh of %zu elements", r->tiling.one.name,
        c->base.mesh.n_elements);
    (void)snprintf(note, sizeof note,
        "%zu x %zu tiles, %zu used; maximum %.0f, mean of used tiles %.1f words", r->tiling.one.fabric.width,
        r->tiles / r->tiling.one.fabric.width, r->used, most, sum / (double)r->used);
    return mt_tile_map_write(c->base.picture, &(mt_tile_map){.title = title,
                                                  .label = "Busiest of the four links that leave a tile",
                                                  .unit = "words",
                                                  .note = note,
                                                  .columns = r->tiling.one.fabric.width,
                                                  .rows = r->tiles / r->tiling.one.fabric.width,
                                                  .value = c->load});
}

static mt_status machines(mt_arena *arena, const mt_arguments *arguments)
{
    comparison *c;
    MT_ALLOC(arena, c, 1);
    c->arena = arena;
    MT_TRY(parse(arena, arguments, c));
    mt_status status = mt_reproduce_mesh(mt_option_value(arguments, "--mesh", NULL), &c->base);
    if (status == MT_OK) status = find_rows(c);
    if (status == MT_OK) status = draw(c);
    mt_reproduce_free_mesh(&c->base);
    MT_TRY(status);
    const mt_table tables[] = {make_tiles(arena, c), make_exchange(arena, c), make_times(arena, c)};
    return mt_print_tables(arguments, tables, sizeof tables / sizeof *tables);
}
