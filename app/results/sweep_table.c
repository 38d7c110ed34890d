#include "app/results/sweep_table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/results/network_files.h"
#include "app/results/qrs_tables.h"

static void count_activated(const mt_run *run, size_t beat, mt_sweep_beat *of)
{
    const size_t n = run->problem->monodomain.diffusion->n_unknowns;
    const double *activation_ms = run->results.beats[beat].activation_ms;
    of->activated_percent = 100 * (double)mt_record_activated(n, activation_ms, &of->latest_ms) / (double)n;
}

static mt_status find_medians(mt_arena *scratch, const mt_run *run, size_t beat, mt_sweep_beat *of)
{
    const mt_unknowns places = mt_run_places(run);
    for (int map = 0; map < MT_MAPS; map++) {
        float *values;
        mt_map_summary summary;
        of->median[map] = NAN;
        if (!mt_run_has_map(run, (mt_map)map)) continue;
        MT_TRY(mt_run_map(scratch, run, (mt_map)map, beat, &values));
        MT_TRY(mt_map_summarise(values, mt_unknowns_count(&places), &summary));
        of->median[map] = summary.median;
    }
    return MT_OK;
}

/* Fills in the junctions that no wavefront passed, and the duration of the QRS complex. */
static void find_conduction(const mt_run *run, size_t beat, mt_sweep_beat *of)
{
    of->qrs_ms = mt_run_qrs_duration_ms(run, beat);
    of->junctions_failed = of->junctions_open = NAN;
    if (!run->problem->monodomain.conduction) return;
    const mt_run_junctions n = mt_run_junctions_count(run, beat);
    of->junctions_failed = (double)n.failed;
    of->junctions_open = (double)n.open;
}

mt_status mt_sweep_row_fill(mt_arena *arena, const mt_run *run, mt_sweep_row *row)
{
    MT_ALLOC(arena, row->beat, run->results.n_beats);
    row->n_beats = run->results.n_beats;
    row->maps = run->input->output.maps;
    row->step_cycles = NAN;
    if (run->profile && mt_run_profiled_steps(run) > 0)
        row->step_cycles = (double)mt_run_step_cycles(run) / (double)mt_run_profiled_steps(run);
    for (size_t beat = 0; beat < run->results.n_beats; beat++) {
        MT_SCRATCH(scratch);
        count_activated(run, beat, &row->beat[beat]);
        MT_TRY(find_medians(scratch, run, beat, &row->beat[beat]));
        find_conduction(run, beat, &row->beat[beat]);
    }
    return MT_OK;
}

/* The columns that are not empty. */
typedef struct columns {
    bool beats, cycles, junctions, qrs;
    uint32_t maps;
} columns;

static columns columns_of(size_t n, const mt_sweep_row *rows)
{
    columns c = {.maps = (uint32_t)1 << MT_MAP_ACTIVATION};
    for (size_t k = 0; k < n; k++) {
        c.beats |= rows[k].n_beats > 1;
        c.cycles |= !isnan(rows[k].step_cycles);
        if (rows[k].n_beats > 0) c.maps |= rows[k].maps;
        for (size_t beat = 0; beat < rows[k].n_beats; beat++) {
            c.junctions |= !isnan(rows[k].beat[beat].junctions_failed);
            c.qrs |= !isnan(rows[k].beat[beat].qrs_ms);
        }
    }
    return c;
}

/* Writes the key of a column: "median_upstroke_mv_per_ms". */
static void map_key(mt_map map, char *text, size_t size)
{
    const char *unit = mt_map_unit[map], *slash = strchr(unit, '/');
    const int n = slash ? (int)(slash - unit) : (int)strlen(unit);
    (void)snprintf(text, size, "median_%s_%.*s%s%s", mt_map_words[map], n, unit, slash ? "_per_" : "",
        slash ? slash + 1 : "");
    for (; *text; text++) *text = (char)tolower((unsigned char)*text);
}

static void begin_columns(const char *key, const columns *c, mt_table *table)
{
    mt_table_strings(table, "value", key);
    if (c->beats) mt_table_decimals(table, "beat", "beat", "", 0);
    mt_table_digits(table, "elements_activated_percent", "activated", "%", 5);
    mt_table_digits(table, "latest_activation_ms", "latest activation", "ms", 5);
    for (int map = 0; map < MT_MAPS; map++) {
        char map_column[64], label[64];
        if (!(c->maps >> map & 1)) continue;
        map_key((mt_map)map, map_column, sizeof map_column);
        (void)snprintf(label, sizeof label, "median %s", mt_map_words[map]);
        for (char *at = label; *at; at++)
            if (*at == '_') *at = ' ';
        mt_table_digits(table, map_column, label, mt_map_unit[map], 5);
    }
    if (c->junctions) mt_table_decimals(table, "junctions_failed", "junctions failed", "", 0);
    if (c->junctions) mt_table_decimals(table, "junctions_open", "open", "", 0);
    if (c->qrs) mt_table_decimals(table, "qrs_duration_ms", "QRS", "ms", 1);
    if (c->cycles) mt_table_decimals(table, "time_step_cycles", "time step", "cycles", 0);
    mt_table_strings(table, "outcome", "outcome");
}

/* Adds a row. `beat`: NULL if there are no results. */
static void add_row(
    const mt_sweep_row *row, size_t number, const mt_sweep_beat *beat, const columns *c, mt_table *table)
{
    mt_table_text(table, row->value);
    if (c->beats) mt_table_number(table, beat ? (double)number + 1 : NAN);
    MT_TABLE_NUMBERS(table, beat ? beat->activated_percent : NAN, beat ? beat->latest_ms : NAN);
    for (int map = 0; map < MT_MAPS; map++)
        if (c->maps >> map & 1) mt_table_number(table, beat ? beat->median[map] : NAN);
    if (c->junctions) mt_table_number(table, beat ? beat->junctions_failed : NAN);
    if (c->junctions) mt_table_number(table, beat ? beat->junctions_open : NAN);
    if (c->qrs) mt_table_number(table, beat ? beat->qrs_ms : NAN);
    if (c->cycles) mt_table_number(table, row->step_cycles);
    mt_table_text(table, row->outcome);
}

mt_table mt_sweep_table(
    mt_arena *arena, const char *title, const char *key, size_t n, const mt_sweep_row *rows)
{
    const columns c = columns_of(n, rows);
    mt_table table = mt_table_begin(arena, "sweep", title);
    begin_columns(key, &c, &table);
    for (size_t k = 0; k < n; k++) {
        if (rows[k].n_beats == 0) add_row(&rows[k], 0, NULL, &c, &table);
        for (size_t beat = 0; beat < rows[k].n_beats; beat++)
            add_row(&rows[k], beat, &rows[k].beat[beat], &c, &table);
    }
    return table;
}
