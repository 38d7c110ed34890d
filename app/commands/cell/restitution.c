/* myotile restitution: APD against the preceding diastolic interval in a single cell; in tissue also the conduction velocity
 * (app/commands/cell/tissue_restitution.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/cli/table.h"
#include "app/cli/command.h"
#include "app/commands/cell/tissue_restitution.h"
#include "app/draw/chart/curves.h"
#include "app/cli/cell_options.h"
#include "solver/cells/restitution.h"
#include "data/core/order.h"

static mt_status restitution(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_CELL_OPTIONS,
    {.name = "--protocol",
        .value = "s1-s2|dynamic",
        .help = "s1-s2: an extrastimulus (S2) after pacing at one basic cycle length (S1); dynamic: pacing "
                "at decreasing cycle lengths; default: s1-s2"},
    {.name = "--bcl", .value = "MS", .help = "s1-s2: basic cycle length of S1; default: 1000"},
    {.name = "--beats",
        .value = "N",
        .help = "s1-s2: number of S1 beats, default: 10; in tissue the last one propagates. dynamic: beats "
                "at each cycle length, default: 50"},
    {.name = "--intervals-ms",
        .value = "FROM,TO,STEP",
        .help = "S1-S2 intervals, or cycle lengths, from long to short; stops at loss of capture; default: "
                "1000,200,20"},
    MT_CELL_OPTION_STIMULUS, MT_TISSUE_RESTITUTION_OPTIONS,
    {.name = "--picture",
        .value = "OUT.png",
        .help = "draw APD90, in tissue also CV, over the diastolic interval"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_restitution = {
    .name = "restitution",
    .operands = "",
    .summary = "measure restitution: APD, in tissue also CV, by diastolic interval",
    .example = "myotile restitution --type epi --beats 5 --intervals-ms 800,300,50 --picture restitution.png",
    .options = options,
    .run = restitution,
};

enum { INTERVALS_MAX = 1000 };

typedef struct request {
    mt_chosen_cell cell;
    bool in_tissue;
    mt_tissue_restitution tissue; /* if in_tissue */
    bool dynamic;
    mt_pulses pulses; /* of S1; the dynamic protocol changes its bcl */
    size_t n;         /* number of intervals */
    double first_ms, step_ms;
    const char *picture; /* path, or NULL */
} request;

/* ---- the request ---- */

static mt_status read_protocol(const mt_arguments *arguments, request *r)
{
    static const char *const protocols[] = {"s1-s2", "dynamic"};
    const char *bcl = mt_option_value(arguments, "--bcl", NULL), *beats;
    unsigned long n;
    size_t protocol;
    MT_TRY(mt_option_word(arguments, "--protocol", protocols[0], protocols, 2, &protocol));
    r->dynamic = protocol == 1;
    if (r->dynamic && r->in_tissue) return mt_fail(MT_INPUT, "--protocol dynamic; allowed in tissue: s1-s2");
    if (r->dynamic && bcl)
        return mt_fail(MT_INPUT, "--bcl with --protocol dynamic; allowed: --intervals-ms, its cycle lengths");
    MT_TRY(mt_numbers("--bcl", bcl ? bcl : "1000", 1, 0, &r->pulses.bcl_ms));
    beats = mt_option_value(arguments, "--beats", r->dynamic ? "50" : "10");
    MT_TRY(mt_integer("--beats", beats, r->dynamic ? MT_RESTITUTION_BEATS_LEAST : 1, MT_PULSE_STEPS_MAX, &n));
    r->pulses.beats = n;
    return mt_cell_option_stimulus(arguments, r->cell.model, &r->pulses);
}

static mt_status read_intervals(const mt_arguments *arguments, request *r)
{
    const char *text = mt_option_value(arguments, "--intervals-ms", "1000,200,20");
    double of[3]; /* from, to, step */
    MT_TRY(mt_numbers("--intervals-ms", text, 3, 0, of));
    if (of[0] < of[1])
        return mt_fail(MT_INPUT, "--intervals-ms from %g to %g; allowed: from long to short", of[0], of[1]);
    const double n = floor((of[0] - of[1]) / of[2] + 1e-9) + 1;
    if (!(n <= INTERVALS_MAX))
        return mt_fail(
            MT_INPUT, "--intervals-ms %s: %.3g intervals; allowed: at most %d", text, n, INTERVALS_MAX);
    r->n = (size_t)n, r->first_ms = of[0], r->step_ms = of[2];
    return MT_OK;
}

static double interval_ms(const request *r, size_t k) { return r->first_ms - (double)k * r->step_ms; }

/* Checks that the pulses fit into the shortest cycle. */
static mt_status check_pulses(const request *r)
{
    mt_pulses shortest = r->pulses;
    mt_pulse_steps steps;
    MT_TRY(mt_fail_in("--stimulus", mt_pulses_in_steps(&r->pulses, r->cell.dt_ms, &steps)));
    shortest.bcl_ms = interval_ms(r, r->n - 1), shortest.beats = 2;
    if (r->in_tissue && shortest.bcl_ms <= mt_plane_wave_duration_ms)
        return mt_fail(MT_INPUT,
            "--intervals-ms down to %g ms; allowed in tissue: above %g ms, the duration of S1",
            shortest.bcl_ms, mt_plane_wave_duration_ms);
    if (r->in_tissue) return MT_OK;
    return mt_fail_in("--intervals-ms", mt_pulses_in_steps(&shortest, r->cell.dt_ms, &steps));
}

static mt_status read_request(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    *r = (request){.picture = mt_option_value(arguments, "--picture", NULL)};
    MT_TRY(mt_tissue_restitution_requested(arguments, &r->in_tissue));
    if (r->in_tissue)
        MT_TRY(mt_tissue_restitution_read(arena, arguments, &r->tissue, &r->cell));
    else
        MT_TRY(mt_cell_options_read(arena, arguments, &r->cell));
    MT_TRY(read_protocol(arguments, r));
    MT_TRY(read_intervals(arguments, r));
    if (r->dynamic) r->pulses.bcl_ms = r->first_ms;
    if (r->picture) MT_TRY(mt_page_check_name(r->picture, mt_option_replace(arguments)));
    return check_pulses(r);
}

/* ---- the measurement ---- */

/* Beats at one interval: two in the dynamic protocol, else two copies of one. */
typedef struct pair {
    double interval_ms;
    mt_beat beat[2];
} pair;

typedef struct measured {
    size_t n;   /* number of intervals that the cell followed, beginning with the first */
    pair *pair; /* [n] */
} measured;

/* Applies all S1 but the last; updates V and states. */
static mt_status pace_s1(const request *r, double *v_mV, double *states)
{
    mt_pulses before = r->pulses;
    before.beats--;
    return mt_cell_pace(r->cell.model, &r->cell.variant, r->cell.dt_ms, &before, NULL, NULL, v_mV, states);
}

static mt_status measure_one(const request *r, double *v_mV, double *states, pair *p)
{
    mt_pulses pulses = r->pulses;
    if (r->dynamic) {
        pulses.bcl_ms = p->interval_ms;
        return mt_restitution_paced(
            r->cell.model, &r->cell.variant, r->cell.dt_ms, &pulses, v_mV, states, p->beat);
    }
    MT_TRY(mt_restitution_premature(
        r->cell.model, &r->cell.variant, r->cell.dt_ms, &pulses, p->interval_ms, *v_mV, states, &p->beat[0]));
    p->beat[1] = p->beat[0];
    return MT_OK;
}

static mt_status measure_all(mt_arena *arena, const request *r, measured *m)
{
    double v_mV = r->cell.v_mV, *states;
    MT_ALLOC(arena, m->pair, r->n);
    MT_COPY(arena, states, r->cell.states, r->cell.model->n_states);
    if (!r->dynamic) MT_TRY(mt_fail_in("restitution", pace_s1(r, &v_mV, states)));
    for (m->n = 0; m->n < r->n; m->n++) {
        pair *p = &m->pair[m->n];
        mt_progress_stage_part("intervals", (double)m->n / (double)r->n);
        p->interval_ms = interval_ms(r, m->n);
        MT_TRY(mt_fail_in("restitution", measure_one(r, &v_mV, states, p)));
        if (!mt_restitution_is_point(&p->beat[0]) || !mt_restitution_is_point(&p->beat[1])) break;
    }
    if (m->n > 0) return MT_OK;
    return mt_fail(MT_NUMERICS,
        "restitution: no action potential after a diastolic interval at %g ms; a stronger --stimulus or a "
        "longer interval may help",
        r->first_ms);
}

/* ---- the tables ---- */

/* Slope between this interval and the preceding longer one; NaN at the first. */
static double slope_at(const measured *m, size_t k)
{
    if (k == 0) return NAN;
    const mt_beat *a = &m->pair[k - 1].beat[0], *b = &m->pair[k].beat[0];
    return (a->apd_ms[MT_APD90] - b->apd_ms[MT_APD90]) / (a->interval_ms - b->interval_ms);
}

static void points_of_s1_s2(mt_table *table, const measured *m)
{
    mt_table_decimals(table, "s1_s2_interval_ms", "S1 to S2", "ms", 2);
    mt_table_decimals(table, "diastolic_interval_ms", "DI", "ms", 2);
    mt_table_decimals(table, "apd90_ms", "APD90", "ms", 2);
    mt_table_decimals(table, "apd50_ms", "APD50", "ms", 2);
    mt_table_decimals(table, "apd30_ms", "APD30", "ms", 2);
    mt_table_decimals(table, "slope", "slope", "", 3);
    mt_table_decimals(table, "peak_mv", "peak", "mV", 2);
    mt_table_decimals(table, "largest_dvdt_mv_per_ms", "dV/dt max", "mV/ms", 1);
    for (size_t k = 0; k < m->n; k++) {
        const mt_beat *b = &m->pair[k].beat[0];
        MT_TABLE_NUMBERS(table, m->pair[k].interval_ms, b->interval_ms, b->apd_ms[MT_APD90],
            b->apd_ms[MT_APD50], b->apd_ms[MT_APD30], slope_at(m, k), b->peak_mV, b->dvdt_mV_ms);
    }
}

static void points_of_dynamic(mt_table *table, const measured *m)
{
    mt_table_decimals(table, "cycle_length_ms", "cycle length", "ms", 2);
    mt_table_decimals(table, "diastolic_interval_ms", "DI", "ms", 2);
    mt_table_decimals(table, "apd90_ms", "APD90", "ms", 2);
    mt_table_decimals(table, "next_diastolic_interval_ms", "next DI", "ms", 2);
    mt_table_decimals(table, "next_apd90_ms", "next APD90", "ms", 2);
    mt_table_decimals(table, "apd90_change_ms", "change", "ms", 3);
    for (size_t k = 0; k < m->n; k++) {
        const mt_beat *b = m->pair[k].beat;
        mt_table_number(table, m->pair[k].interval_ms);
        for (int i = 0; i < 2; i++) {
            MT_TABLE_NUMBERS(table, b[i].interval_ms, b[i].apd_ms[MT_APD90]);
        }
        mt_table_number(table, b[1].apd_ms[MT_APD90] - b[0].apd_ms[MT_APD90]);
    }
}

static mt_table summary(mt_arena *arena, const request *r, const measured *m)
{
    mt_table table = mt_table_properties(arena, "restitution", "Restitution");
    double steepest = NAN, largest_ms = 0;
    for (size_t k = 0; k < m->n; k++) {
        const mt_beat *b = m->pair[k].beat;
        steepest = fmax(steepest, slope_at(m, k));
        largest_ms = fmax(largest_ms, fabs(b[1].apd_ms[MT_APD90] - b[0].apd_ms[MT_APD90]));
    }
    mt_table_property_text(&table, "model", "model", r->cell.model->name);
    mt_table_property_text(&table, "type", "type", r->cell.variant.name);
    mt_table_property(&table, "shortest_interval_ms", "shortest interval with capture",
        m->pair[m->n - 1].interval_ms, "ms");
    mt_table_property(&table, "shortest_diastolic_interval_ms", "its diastolic interval",
        m->pair[m->n - 1].beat[0].interval_ms, "ms");
    if (r->dynamic)
        mt_table_property(
            &table, "largest_apd90_change_ms", "largest beat-to-beat change of APD90", largest_ms, "ms");
    else
        mt_table_property(&table, "largest_slope", "largest slope", steepest, "");
    return table;
}

static void title_of(const request *r, char *title, size_t size)
{
    char cell[128], waves[64] = "";
    if (r->in_tissue)
        (void)snprintf(
            waves, sizeof waves, ", propagation %s the fibres", mt_plane_wave_direction[r->tissue.axis]);
    mt_cell_title(&r->cell, cell, sizeof cell);
    if (r->dynamic)
        (void)snprintf(title, size, "%s %s, %zu beats at each cycle length", r->cell.model->title, cell,
            r->pulses.beats);
    else
        (void)snprintf(title, size, "%s %s%s, S2 after %zu S1 at %g ms", r->cell.model->title, cell, waves,
            r->pulses.beats, r->pulses.bcl_ms);
}

static mt_status print(mt_arena *arena, const mt_arguments *arguments, const request *r, const measured *m)
{
    char title[256];
    title_of(r, title, sizeof title);
    mt_table tables[2] = {mt_table_begin(arena, r->dynamic ? "dynamic" : "s1_s2", title)};
    (r->dynamic ? points_of_dynamic : points_of_s1_s2)(&tables[0], m);
    tables[1] = summary(arena, r, m);
    return mt_print_tables(arguments, tables, 2);
}

/* ---- the picture ---- */

MT_ORDER(by_place, mt_curve_point, x)

static mt_status draw(mt_arena *arena, const request *r, const measured *m)
{
    mt_curve_point *point;
    mt_curve curve;
    char title[256];
    MT_ALLOC(arena, point, 2 * m->n);
    for (size_t k = 0; k < 2 * m->n; k++) {
        const mt_beat *b = &m->pair[k / 2].beat[k % 2];
        point[k] = (mt_curve_point){b->interval_ms, b->apd_ms[MT_APD90]};
    }
    qsort(point, 2 * m->n, sizeof *point, by_place);
    const double step = mt_page_step(point[2 * m->n - 1].x, 10);
    MT_TRY(mt_curve_begin(arena, 0, step * ceil(point[2 * m->n - 1].x / step), &curve));
    for (size_t k = 0; k < 2 * m->n; k++) mt_curve_add(&curve, point[k].x, point[k].y);
    title_of(r, title, sizeof title);
    const mt_curve_panel panel[] = {
        {.caption = "APD90, ms", .curve = &curve, .look = r->dynamic ? MT_CURVE_DOTS : MT_CURVE_DOTTED_LINE}};
    return mt_curves_write(r->picture, &(mt_curves){title, "diastolic interval, ms", 1, panel, NULL});
}

/* ---- in tissue ---- */

/* A single cell is paced with all S1 but the last, which is a wave in tissue. */
static mt_status measure_tissue(mt_arena *arena, request *r)
{
    mt_cell_variant paced = r->cell.variant;
    double *states, *intervals_ms;
    MT_ALLOC(arena, intervals_ms, r->n);
    MT_COPY(arena, states, r->cell.states, r->cell.model->n_states);
    paced.v_mV = r->cell.v_mV;
    paced.states = states;
    mt_progress_stage("pacing a cell");
    MT_TRY(mt_fail_in("restitution", pace_s1(r, &paced.v_mV, states)));
    for (size_t k = 0; k < r->n; k++) intervals_ms[k] = interval_ms(r, k);
    return mt_tissue_restitution_measure(arena, &r->tissue, &paced, r->pulses.bcl_ms, r->n, intervals_ms);
}

static mt_status restitution_in_tissue(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    mt_table tables[2];
    char title[256];
    MT_TRY(measure_tissue(arena, r));
    title_of(r, title, sizeof title);
    const mt_status drawn =
        r->picture ? mt_tissue_restitution_draw(arena, &r->tissue, title, r->picture) : MT_OK;
    mt_tissue_restitution_tables(arena, &r->tissue, &r->cell, title, tables);
    MT_TRY(mt_print_tables(arguments, tables, 2));
    return drawn; /* the results are printed even if drawing failed */
}

/* ---- the command ---- */

static mt_status restitution(mt_arena *arena, const mt_arguments *arguments)
{
    request r;
    measured m;
    MT_TRY(read_request(arena, arguments, &r));
    if (r.in_tissue) return restitution_in_tissue(arena, arguments, &r);
    mt_progress_stage("pacing a cell");
    MT_TRY(measure_all(arena, &r, &m));
    mt_progress_stage(NULL);
    const mt_status drawn = r.picture ? draw(arena, &r, &m) : MT_OK;
    MT_TRY(print(arena, arguments, &r, &m));
    return drawn; /* the results are printed even if drawing failed */
}
