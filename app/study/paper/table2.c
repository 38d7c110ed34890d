/* myotile reproduce table2: cycles of a time step by phase, compared with published numbers. */
#include <math.h>

#include "app/study/validation/comparison.h"
#include "app/study/published.h"
#include "app/study/validation/steps.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/plan/codelets.h"

static mt_status table2(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_REPRODUCE_MESH, MT_STEPS_OPTIONS, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_table2 = {
    .name = "reproduce table2",
    .operands = "",
    .summary = "cycles of each phase of a time step on 1 to 16 IPUs, compared with the study",
    .example = "myotile reproduce table2 --mesh heart.hdf --ipus 1,2",
    .options = options,
    .run = table2,
};

/* ---- phases on all IPU counts ---- */

static mt_table begin_phases(mt_arena *arena, const mt_steps *s)
{
    char title[MT_STEPS_TITLE];
    mt_steps_title(s, "Cycles of a time step by phase", title);
    mt_table table = mt_table_begin(arena, "phases", title);
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    mt_table_strings(&table, "phase", "phase");
    mt_table_decimals(&table, "runs", "runs", "", 0);
    mt_table_decimals(&table, "min_cycles", "min", "cycles", 0);
    mt_table_decimals(&table, "mean_cycles", "mean", "cycles", 0);
    mt_table_decimals(&table, "sd_cycles", "sd", "cycles", 0);
    mt_table_decimals(&table, "max_cycles", "max", "cycles", 0);
    mt_table_decimals(&table, "share_percent", "share", "%", 2);
    mt_table_decimals(&table, "load_balance_percent", "load balance", "%", 1);
    return table;
}

/* Adds a row. `spread`: NULL if all tiles take equally long. `cycles`: duration of the phase; in an exchange the busy time of a
 * tile is shorter if it waits for others. */
static void add_phase(mt_table *table, uint32_t ipus, const char *key, const char *label, double runs,
    const ipu_spread *spread, double cycles, double whole)
{
    mt_table_number(table, ipus);
    mt_table_item(table, key, label, 0);
    MT_TABLE_NUMBERS(table, runs, spread ? (double)spread->min : NAN, spread ? spread->mean : NAN,
        spread ? spread->sd : NAN, cycles, 100 * runs * cycles / whole,
        spread && cycles > 0 ? 100 * spread->mean / cycles : NAN);
}

static void add_phases(mt_table *table, const mt_steps *s, size_t i)
{
    const mt_costs *c = &s->step[i].one;
    const uint32_t ipus = s->base.ipus[i];
    const double p = s->pde_steps, whole = s->step[i].cycles;
    if (!c->fits) {
        add_phase(table, ipus, c->may_deadlock ? "may_deadlock" : "does_not_fit", mt_costs_verdict(c), NAN,
            NULL, NAN, NAN);
        return;
    }
    add_phase(table, ipus, "pde_compute", "PDE compute", p, &c->pde, (double)c->pde.max, whole);
    add_phase(table, ipus, "pde_exchange_inside_ipus", "PDE exchange inside IPUs", p, &c->exchange,
        (double)(c->exchange_cycles - c->rearrangement_cycles - c->external_cycles), whole);
    if (c->gather.max > 0)
        add_phase(table, ipus, "pde_rearrangement_before", "PDE copies before exchange", p, &c->gather,
            (double)c->gather.max, whole);
    if (c->scatter.max > 0)
        add_phase(table, ipus, "pde_rearrangement_after", "PDE copies after exchange", p, &c->scatter,
            (double)c->scatter.max, whole);
    add_phase(
        table, ipus, "pde_links", "PDE exchange between IPUs", p, NULL, (double)c->external_cycles, whole);
    add_phase(table, ipus, "pde_sync", "PDE sync", p, NULL, (double)c->sync_cycles, whole);
    add_phase(table, ipus, "ode_compute", "ODE compute", 1, &c->ode, (double)c->ode.max, whole);
    add_phase(table, ipus, "time_step", "time step", 1, NULL, whole, whole);
    add_phase(table, ipus, "time_step_fast", "time step, constants at their fast ends", 1, NULL,
        s->step[i].at[IPU_FAST], whole);
    add_phase(table, ipus, "time_step_slow", "time step, constants at their slow ends", 1, NULL,
        s->step[i].at[IPU_SLOW], whole);
}

/* ---- comparison on one IPU ---- */

/* Cost on one IPU, and reasons with our counts and the study's. */
typedef struct beside {
    const mt_steps *steps;
    const mt_steps_costs *one;
    double spmv, tp06; /* counted worker cycles per element */
    char pde[128], ode[128], spills[128], imbalance[128];
} beside;

typedef struct row {
    const char *quantity, *key;
    double ours;
    const char *reason;
} row;

static mt_status add_rows(mt_comparison *comparison, const row *rows, size_t n)
{
    for (size_t k = 0; k < n; k++)
        MT_TRY(mt_comparison_add(comparison, rows[k].quantity, rows[k].key, rows[k].ours, rows[k].reason));
    return MT_OK;
}

static mt_status say_cycles(double ours, const char *counted, const char *profiled, char text[128])
{
    double count, profile, high;
    MT_TRY(mt_published(counted, &count, &high));
    MT_TRY(mt_published(profiled, &profile, &high));
    (void)snprintf(text, 128,
        "Cycles per element: we count %.0f; the study counts %.0f, and its profile has %.4g (%+.0f %% of its "
        "count).",
        ours, count, profile, 100 * (profile / count - 1));
    return MT_OK;
}

static mt_status say_reasons(beside *b)
{
    const ipu_mix *pde = mt_codelet_mix("pde"), *ode = &mt_cell_tp06.mix.ode;
    double spills, high;
    b->spmv = ipu_mix_cycles(pde, &b->steps->base.tiling.one.instructions);
    b->tp06 = ipu_mix_cycles(ode, &b->steps->base.tiling.one.instructions);
    MT_TRY(say_cycles(b->spmv, "spmv_measured", "spmv_profile", b->pde));
    MT_TRY(say_cycles(b->tp06, "tp06_measured", "tp06_profile", b->ode));
    MT_TRY(mt_published("spmv_spills", &spills, &high));
    (void)snprintf(b->spills, sizeof b->spills,
        "Different source code: %u spill instructions here, %g in the study.",
        pde->count[IPU_OP_SPILL] + pde->count[IPU_OP_RELOAD], spills);
    (void)snprintf(b->imbalance, sizeof b->imbalance,
        "Tolerance of the partition: the largest part has up to %.3g times the mean number of elements.",
        b->steps->base.tiling.imbalance);
    return MT_OK;
}

/* Adds the cycles of the tiles, in thousands. */
static mt_status add_spreads(mt_comparison *comparison, const beside *b)
{
    static const char filled[] = "Balance of METIS' partition, within its tolerance.",
                      exchange[] = "With the copies of the vendor's compiler if exchange.copies is always; "
                                   "different heart and partition.";
    const mt_costs *c = &b->one->one;
    const double longest = (double)c->ode.max / 1e3;
    const row rows[] = {{"PDE compute, fastest tile", "heart04_pde_min_1", (double)c->pde.min / 1e3, b->pde},
        {"PDE compute, mean tile", "heart04_pde_mean_1", c->pde.mean / 1e3, b->pde},
        {"PDE compute, slowest tile", "heart04_pde_max_1", (double)c->pde.max / 1e3, b->pde},
        {"PDE compute, standard deviation", "heart04_pde_sd_1", c->pde.sd / 1e3, filled},
        {"PDE exchange with its copies and sync", "heart04_exchange_1",
            (double)(c->exchange_cycles + c->sync_cycles) / 1e3, exchange},
        {"ODE compute, fastest tile", "heart04_ode_min_1", (double)c->ode.min / 1e3, b->ode},
        {"ODE compute, mean tile", "heart04_ode_mean_1", c->ode.mean / 1e3, b->ode},
        {"ODE compute, slowest tile", "heart04_ode_max_1", longest, b->ode},
        {"ODE compute, slowest tile, from its share", "heart04_ode_by_shares_1", longest, b->ode},
        {"ODE compute, standard deviation", "heart04_ode_sd_1", c->ode.sd / 1e3, filled}};
    return add_rows(comparison, rows, sizeof rows / sizeof *rows);
}

static mt_status add_shares(mt_comparison *comparison, const beside *b)
{
    static const char follows[] = "Follows from the cycles above.",
                      uneven[] = "Imbalance of the halos; different heart and partition.";
    const mt_costs *c = &b->one->one;
    const double exchange = (double)(c->exchange_cycles + c->sync_cycles), compute = (double)c->pde.max;
    const double inside = (double)(c->exchange_cycles - c->rearrangement_cycles - c->external_cycles);
    const double p = b->steps->pde_steps, ode = (double)c->ode.max, part = 100 / b->one->cycles;
    const row rows[] = {
        {"PDE part of a time step", "heart04_share_pde_1", p * (compute + exchange) * part, follows},
        {"PDE exchange in a time step", "heart04_share_exchange_1", p * exchange * part, follows},
        {"ODE part of a time step", "heart04_share_ode_1", ode * part, follows},
        {"PDE compute / PDE exchange", "heart04_compute_per_exchange_1", compute / exchange, follows},
        {"ODE step / PDE step", "heart04_ode_per_pde_1", ode / (compute + exchange), follows},
        {"PDE compute, mean / slowest", "heart04_effectiveness_pde_1", 100 * c->pde.mean / compute,
            b->imbalance},
        {"PDE exchange, mean / slowest", "heart04_effectiveness_exchange_1", 100 * c->exchange.mean / inside,
            uneven},
        {"ODE compute, mean / slowest", "heart04_effectiveness_ode_1", 100 * c->ode.mean / ode,
            b->imbalance}};
    return add_rows(comparison, rows, sizeof rows / sizeof *rows);
}

/* Adds the cycles per element: counted in the source, and on the tiles. */
static mt_status add_elements(mt_comparison *comparison, const beside *b)
{
    static const char formulas[] = "Different source code: our formulas are not identical to the study's.",
                      profile[] = "Ours: our count and the start of vertices; the study does not explain "
                                  "the excess of its profile over its count.";
    const mt_costs *c = &b->one->one;
    const double elements = (double)b->steps->n_elements / b->steps->base.tiling.tiles;
    const row rows[] = {{"diffusion, measured alone", "spmv_measured", b->spmv, b->spills},
        {"diffusion, counted", "spmv_estimated", b->spmv, b->spills},
        {"diffusion, on the tiles", "spmv_profile", c->pde.mean / elements, profile},
        {"ionic model, measured alone", "tp06_measured", b->tp06, formulas},
        {"ionic model, counted", "tp06_estimated", b->tp06, formulas},
        {"ionic model, on the tiles", "tp06_profile", c->ode.mean / elements, profile}};
    return add_rows(comparison, rows, sizeof rows / sizeof *rows);
}

/* Adds notes; those on published numbers only if they are shown. */
static void add_notes(mt_comparison *comparison)
{
    if (comparison->comparable) {
        mt_comparison_note(comparison, "The study's counts and its profile disagree; ours are compared with "
                                       "both. Nothing is fitted to the profile.");
        mt_comparison_note(comparison,
            "Counting rules that were chosen by the study's counts are marked (c) in ipu/tally/tally.h.");
        mt_comparison_note(comparison, "Derived numbers follow from the study's text; its tables are not "
                                       "available. Differences refer to the middle of a range.");
    }
    mt_comparison_note(comparison,
        "The time step excludes stimuli and the recording of activation times, which `run` adds.");
}

static mt_status compare(
    mt_arena *arena, const mt_steps *s, const mt_steps_costs *one, mt_comparison *comparison)
{
    beside *b;
    MT_ALLOC(arena, b, 1);
    *b = (beside){.steps = s, .one = one};
    MT_TRY(say_reasons(b));
    MT_TRY(mt_steps_compare(arena, s, comparison));
    MT_TRY(add_spreads(comparison, b));
    MT_TRY(add_shares(comparison, b));
    MT_TRY(add_elements(comparison, b));
    add_notes(comparison);
    return MT_OK;
}

static mt_status table2(mt_arena *arena, const mt_arguments *arguments)
{
    mt_steps *s;
    mt_comparison comparison;
    mt_table tables[1 + MT_COMPARISON_TABLES];
    size_t n = 1;
    MT_ALLOC(arena, s, 1);
    MT_TRY(mt_steps_parse(arena, arguments, s));
    MT_TRY(mt_steps_make(mt_option_value(arguments, "--mesh", NULL), s));
    tables[0] = begin_phases(arena, s);
    for (size_t i = 0; i < s->base.n_ipus; i++) add_phases(&tables[0], s, i);
    const mt_steps_costs *one = mt_steps_on_one(s);
    if (one) {
        MT_TRY(compare(arena, s, one, &comparison));
        n += mt_comparison_tables(&comparison, tables + n);
    }
    return mt_print_tables(arguments, tables, n);
}
