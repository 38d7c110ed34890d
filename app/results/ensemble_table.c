#include "app/results/ensemble_table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/results/network_files.h"
#include "app/results/qrs_tables.h"
#include "data/core/number.h"

/* ---- the results of a run ---- */

static void count_activated(const mt_run *run, size_t beat, mt_member_beat *of)
{
    const size_t n = run->problem->monodomain.diffusion->n_unknowns;
    const double *activation_ms = run->results.beats[beat].activation_ms;
    of->activated_percent = 100 * (double)mt_record_activated(n, activation_ms, &of->latest_ms) / (double)n;
}

static mt_status summarise_maps(mt_arena *scratch, const mt_run *run, size_t beat, mt_member_beat *of)
{
    const mt_unknowns places = mt_run_places(run);
    for (int map = 0; map < MT_MAPS; map++) {
        float *values;
        of->map[map] = (mt_map_summary){0, NAN, NAN, NAN};
        if (!mt_run_has_map(run, (mt_map)map)) continue;
        MT_TRY(mt_run_map(scratch, run, (mt_map)map, beat, &values));
        MT_TRY(mt_map_summarise(values, mt_unknowns_count(&places), &of->map[map]));
    }
    return MT_OK;
}

/* Fills in the junctions that no wavefront passed, and the duration of the QRS complex. */
static void find_conduction(const mt_run *run, size_t beat, mt_member_beat *of)
{
    of->qrs_ms = mt_run_qrs_duration_ms(run, beat);
    of->junctions_failed = of->junctions_open = NAN;
    if (!run->problem->monodomain.conduction) return;
    const mt_run_junctions n = mt_run_junctions_count(run, beat);
    of->junctions_failed = (double)n.failed;
    of->junctions_open = (double)n.open;
}

static void find_points(const mt_run *run, size_t beat, mt_member_beat *of)
{
    const mt_probes *probes = &run->problem->probes;
    for (size_t k = 0; k < probes->n_points; k++)
        of->point_ms[k] = mt_probe_activation_ms(probes, k, &run->problem->mesh, &run->problem->diffusion,
            run->results.beats[beat].activation_ms, mt_run_reached_ms(run));
}

mt_status mt_member_row_fill(mt_arena *arena, const mt_run *run, mt_member_row *row)
{
    const mt_placing *placing = &run->problem->placing;
    MT_ALLOC(arena, row->beat, run->results.n_beats);
    row->n_points = run->problem->probes.n_points;
    MT_ALLOC(arena, row->point, row->n_points);
    for (size_t k = 0; k < row->n_points; k++)
        if (!(row->point[k] = mt_arena_text(arena, run->input->points[k].name))) return MT_MEMORY;
    row->n_beats = run->results.n_beats;
    row->maps = run->input->output.maps;
    row->chosen = !placing->automatic ? "" : placing->at_vertices ? "nodes" : "elements";
    row->step_cycles = NAN;
    if (run->profile && mt_run_profiled_steps(run) > 0)
        row->step_cycles = (double)mt_run_step_cycles(run) / (double)mt_run_profiled_steps(run);
    for (size_t beat = 0; beat < run->results.n_beats; beat++) {
        MT_SCRATCH(scratch);
        MT_ALLOC(arena, row->beat[beat].point_ms, row->n_points);
        count_activated(run, beat, &row->beat[beat]);
        MT_TRY(summarise_maps(scratch, run, beat, &row->beat[beat]));
        find_conduction(run, beat, &row->beat[beat]);
        find_points(run, beat, &row->beat[beat]);
    }
    return MT_OK;
}

/* ---- the table ---- */

enum { KEY_SIZE = 400 };

/* The columns that are not empty. */
typedef struct columns {
    bool beats, cycles, junctions, qrs, errors;
    uint32_t maps;
    size_t n_points;
    const char *const *point; /* of the first member with results */
} columns;

static void add_beats(const mt_member_row *row, columns *c)
{
    c->beats |= row->n_beats > 1;
    if (row->n_beats > 0) c->maps |= row->maps;
    for (size_t beat = 0; beat < row->n_beats; beat++) {
        c->junctions |= !isnan(row->beat[beat].junctions_failed);
        c->qrs |= !isnan(row->beat[beat].qrs_ms);
    }
}

static columns columns_of(const mt_ensemble_rows *r)
{
    columns c = {.maps = (uint32_t)1 << MT_MAP_ACTIVATION};
    for (size_t k = 0; k < r->n; k++) {
        const mt_member_row *row = &r->row[k];
        c.cycles |= !isnan(row->step_cycles);
        c.errors |= !r->sweep && row->error[0];
        if (!r->sweep && row->n_beats > 0 && !c.point) c.point = row->point, c.n_points = row->n_points;
        add_beats(row, &c);
    }
    return c;
}

/* Appends text in the letters of the keys of tables. */
static void append_key(char key[KEY_SIZE], const char *text)
{
    size_t n = strlen(key);
    for (; *text && n + 1 < KEY_SIZE; text++)
        key[n++] = (char)(isalnum((unsigned char)*text) ? tolower((unsigned char)*text) : '_');
    key[n] = 0;
}

/* Writes the key of a column of a map: "median_upstroke_mv_per_ms". */
static void map_key(const char *what, mt_map map, char key[KEY_SIZE])
{
    const char *unit = mt_map_unit[map], *slash = strchr(unit, '/');
    const int n = slash ? (int)(slash - unit) : (int)strlen(unit);
    char text[KEY_SIZE];
    (void)snprintf(text, sizeof text, "%s_%s_%.*s%s%s", what, mt_map_words[map], n, unit,
        slash ? "_per_" : "", slash ? slash + 1 : "");
    key[0] = 0;
    append_key(key, text);
}

static bool has_key(const mt_table *table, const char *key)
{
    for (size_t k = 0; k < table->n_columns; k++)
        if (strcmp(table->columns[k].key, key) == 0) return true;
    return false;
}

/* Adds a column for a name that the user chose. `begin`, `end`: of its key. */
static void add_named(mt_table *table, const char *begin, const char *name, const char *end, bool exact,
    const char *label, const char *unit)
{
    char key[KEY_SIZE] = "";
    append_key(key, begin);
    append_key(key, name);
    append_key(key, end);
    if (!(key[0] >= 'a' && key[0] <= 'z')) memmove(key + 1, key, strlen(key)), key[0] = 'k';
    const size_t n = strlen(key);
    for (size_t k = 2; has_key(table, key) && n + 24 < KEY_SIZE; k++)
        (void)snprintf(key + n, KEY_SIZE - n, "_%zu", k);
    mt_table_digits(table, key, label, unit, 5);
    if (!exact || table->status != MT_OK) return;
    (void)snprintf(key, sizeof key, "%s%s%s", begin, name, end);
    const char *own = mt_arena_text(table->arena, key);
    if (own)
        table->columns[table->n_columns - 1].key = own;
    else
        table->status = MT_MEMORY;
}

/* Returns the last part of a key, or the entire key if another one has the same last part. */
static const char *short_key(const mt_ensemble_rows *r, size_t k)
{
    const char *dot = strrchr(r->key[k], '.'), *last = dot ? dot + 1 : r->key[k];
    for (size_t other = 0; other < r->n_keys; other++) {
        const char *dot_of_other = strrchr(r->key[other], '.');
        if (other != k && strcmp(dot_of_other ? dot_of_other + 1 : r->key[other], last) == 0)
            return r->key[k];
    }
    return last;
}

static void add_key_columns(const mt_ensemble_rows *r, bool exact, mt_table *table)
{
    mt_table_strings(table, r->sweep ? "value" : "name", r->sweep ? r->key[0] : "name");
    for (size_t k = 0; !r->sweep && k < r->n_keys; k++)
        add_named(table, "", r->key[k], "", exact, short_key(r, k), "");
}

static void add_map_column(mt_table *table, const char *what, const char *label, mt_map map)
{
    char key[KEY_SIZE], words[64];
    map_key(what, map, key);
    (void)snprintf(words, sizeof words, "%s %s", label, mt_map_words[map]);
    for (char *at = words; *at; at++)
        if (*at == '_') *at = ' ';
    mt_table_digits(table, key, words, mt_map_unit[map], 5);
}

static void begin_columns(const mt_ensemble_rows *r, const columns *c, bool exact, mt_table *table)
{
    add_key_columns(r, exact, table);
    if (c->beats) mt_table_decimals(table, "beat", "beat", "", 0);
    mt_table_digits(table, "elements_activated_percent", "activated", "%", 5);
    mt_table_digits(table, "latest_activation_ms", "latest activation", "ms", 5);
    for (int map = 0; map < MT_MAPS; map++) {
        if (!(c->maps >> map & 1)) continue;
        if (!r->sweep) add_map_column(table, "p5", "5 %", (mt_map)map);
        add_map_column(table, "median", "median", (mt_map)map);
        if (!r->sweep) add_map_column(table, "p95", "95 %", (mt_map)map);
    }
    for (size_t k = 0; k < c->n_points; k++)
        add_named(table, "activation_", c->point[k], "_ms", exact, c->point[k], "ms");
    if (c->junctions) mt_table_decimals(table, "junctions_failed", "junctions failed", "", 0);
    if (c->junctions) mt_table_decimals(table, "junctions_open", "open", "", 0);
    if (c->qrs) mt_table_decimals(table, "qrs_duration_ms", "QRS", "ms", 1);
    if (c->cycles) mt_table_decimals(table, "time_step_cycles", "time step", "cycles", 0);
    mt_table_strings(table, "outcome", "outcome");
    if (c->errors) mt_table_strings(table, "error", "error");
}

/* Adds the name and the values of a member. */
static void add_values(const mt_ensemble_rows *r, size_t k, mt_table *table)
{
    mt_table_text(table, r->sweep ? r->value[k][0] : r->name[k]);
    for (size_t i = 0; !r->sweep && i < r->n_keys; i++) {
        double number;
        if (mt_number_read(r->value[k][i], &number))
            mt_table_number(table, number);
        else
            mt_table_text(table, r->value[k][i]);
    }
}

/* Returns the activation at the point with this name; NaN if the member has none. */
static double point_ms(const mt_member_row *row, const mt_member_beat *beat, const char *name)
{
    for (size_t k = 0; beat && k < row->n_points; k++)
        if (strcmp(row->point[k], name) == 0) return beat->point_ms[k];
    return NAN;
}

static void add_maps(const mt_member_beat *beat, const columns *c, bool sweep, mt_table *table)
{
    for (int map = 0; map < MT_MAPS; map++) {
        if (!(c->maps >> map & 1)) continue;
        if (!sweep) mt_table_number(table, beat ? beat->map[map].low : NAN);
        mt_table_number(table, beat ? beat->map[map].median : NAN);
        if (!sweep) mt_table_number(table, beat ? beat->map[map].high : NAN);
    }
}

/* Adds a row. `beat`: NULL if there are no results. */
static void add_row(const mt_ensemble_rows *r, size_t k, size_t number, const mt_member_beat *beat,
    const columns *c, mt_table *table)
{
    const mt_member_row *row = &r->row[k];
    add_values(r, k, table);
    if (c->beats) mt_table_number(table, beat ? (double)number + 1 : NAN);
    MT_TABLE_NUMBERS(table, beat ? beat->activated_percent : NAN, beat ? beat->latest_ms : NAN);
    add_maps(beat, c, r->sweep, table);
    for (size_t p = 0; p < c->n_points; p++) mt_table_number(table, point_ms(row, beat, c->point[p]));
    if (c->junctions) mt_table_number(table, beat ? beat->junctions_failed : NAN);
    if (c->junctions) mt_table_number(table, beat ? beat->junctions_open : NAN);
    if (c->qrs) mt_table_number(table, beat ? beat->qrs_ms : NAN);
    if (c->cycles) mt_table_number(table, row->step_cycles);
    mt_table_text(table, row->outcome);
    if (c->errors) mt_table_text(table, row->error[0] ? row->error : NULL);
}

mt_table mt_ensemble_table(mt_arena *arena, const mt_ensemble_rows *r, bool exact)
{
    const columns c = columns_of(r);
    mt_table table = mt_table_begin(arena, r->sweep ? "sweep" : "ensemble", r->title);
    begin_columns(r, &c, exact, &table);
    for (size_t k = 0; k < r->n; k++) {
        const mt_member_row *row = &r->row[k];
        if (row->n_beats == 0) add_row(r, k, 0, NULL, &c, &table);
        for (size_t beat = 0; beat < row->n_beats; beat++) add_row(r, k, beat, &row->beat[beat], &c, &table);
    }
    return table;
}
