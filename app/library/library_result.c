#include "app/library/library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/results/qrs_tables.h"

enum { TABLE_TRACES, TABLE_ECG, TABLE_POINTS, TABLES };
static const char *const table_name[TABLES] = {
    [TABLE_TRACES] = "traces", [TABLE_ECG] = "ecg", [TABLE_POINTS] = "points"};

/* A map of one beat, by its name without the number of the beat. */
typedef struct result_map {
    char name[32];
    size_t beat;
    myotile_map map;
} result_map;

typedef struct result_frames {
    const char *field;
    myotile_frames frames;
} result_frames;

struct myotile_result {
    mt_arena arena;
    double reached_ms, machine_s;
    uint64_t cycles;
    size_t n_beats, n_maps, n_fields;
    result_map *maps; /* [n_maps] by map, then beat */
    myotile_table table[TABLES];
    result_frames *frames; /* [n_fields] */
    const char *used;
};

/* ---- collecting ---- */

static mt_status add_map(mt_run *run, mt_map which, size_t beat, myotile_result *r)
{
    const mt_unknowns places = mt_run_places(run);
    const bool vector = which == MT_MAP_CONDUCTION_VELOCITY;
    result_map *m = &r->maps[r->n_maps++];
    float *value;
    mt_map_name(which, run->problem->monodomain.record.fraction, m->name);
    m->beat = beat;
    m->map = (myotile_map){
        mt_unknowns_count(&places), vector ? 3 : 1, places.at_vertices, mt_map_unit[which], NULL};
    if (vector)
        MT_COPY(&r->arena, value, run->velocities[beat].velocity, 3 * m->map.n);
    else
        MT_TRY(mt_run_map(&r->arena, run, which, beat, &value));
    m->map.value = value;
    return MT_OK;
}

static mt_status collect_maps(mt_run *run, myotile_result *r)
{
    MT_ALLOC(&r->arena, r->maps, MT_MAPS * r->n_beats);
    for (int m = 0; m < MT_MAPS; m++)
        for (size_t beat = 0; beat < r->n_beats && mt_run_has_map(run, (mt_map)m); beat++)
            MT_TRY(add_map(run, (mt_map)m, beat, r));
    return MT_OK;
}

/* Columns of the positions, and of the activation in each beat. */
static mt_status name_columns(mt_arena *arena, size_t n_beats, const char *const **columns)
{
    enum { AXES = 3, NAME = 64 };
    static const char *const axis[AXES] = {"x_mm", "y_mm", "z_mm"};
    const char **name;
    MT_ALLOC(arena, name, AXES + n_beats);
    for (size_t k = 0; k < AXES; k++) name[k] = axis[k];
    for (size_t beat = 0; beat < n_beats; beat++) {
        char *text;
        MT_ALLOC(arena, text, NAME);
        if (beat > 0)
            (void)snprintf(text, NAME, "activation_beat%zu_ms", beat + 1);
        else
            (void)snprintf(text, NAME, "activation_ms");
        name[AXES + beat] = text;
    }
    *columns = name;
    return MT_OK;
}

static mt_status collect_points(const mt_run *run, myotile_result *r)
{
    const mt_probes *probes = &run->problem->probes;
    myotile_table *t = &r->table[TABLE_POINTS];
    const char **row;
    double *value;
    if (probes->n_points == 0) return MT_OK;
    *t = (myotile_table){.n_rows = probes->n_points, .n_columns = 3 + r->n_beats};
    MT_TRY(name_columns(&r->arena, r->n_beats, &t->column));
    MT_ALLOC(&r->arena, row, t->n_rows);
    MT_ALLOC(&r->arena, value, t->n_rows * t->n_columns);
    for (size_t p = 0; p < t->n_rows; p++) {
        double *of = value + p * t->n_columns;
        row[p] = mt_arena_text(&r->arena, run->input->points[p].name);
        if (!row[p]) return MT_MEMORY;
        memcpy(of, probes->xyz_mm + 3 * p, 3 * sizeof *of);
        for (size_t beat = 0; beat < r->n_beats; beat++)
            of[3 + beat] = mt_probe_activation_ms(probes, p, &run->problem->mesh, &run->problem->diffusion,
                run->results.beats[beat].activation_ms, r->reached_ms);
    }
    t->row = row, t->value = value;
    return MT_OK;
}

static mt_status collect_samples(const mt_run *run, myotile_result *r)
{
    const mt_sampling *s = run->sampling;
    myotile_table *traces = &r->table[TABLE_TRACES], *ecg = &r->table[TABLE_ECG];
    if (s->wanted[MT_SAMPLE_TRACES])
        MT_TRY(mt_sample_traces(&r->arena, s, &traces->n_columns, &traces->column, &traces->n_rows,
            &traces->time_ms, &traces->value));
    if (!s->wanted[MT_SAMPLE_ECG]) return MT_OK;
    mt_leads leads;
    MT_TRY(mt_sample_leads(&r->arena, s, &leads, &ecg->n_rows, &ecg->time_ms, &ecg->value));
    ecg->n_columns = leads.n;
    const char **name;
    MT_ALLOC(&r->arena, name, leads.n);
    for (size_t k = 0; k < leads.n; k++)
        if (!(name[k] = mt_arena_text(&r->arena, leads.name[k]))) return MT_MEMORY;
    ecg->column = name;
    return MT_OK;
}

static mt_status collect_field(const mt_run *run, size_t f, myotile_result *r)
{
    const mt_sampling *s = run->sampling;
    const mt_frames *from = &s->frames[MT_SAMPLE_SERIES];
    const mt_unknowns *unknowns = &run->problem->unknowns;
    float *value;
    double *time_ms;
    uint32_t *number;
    MT_ALLOC(&r->arena, value, from->n * s->n_part);
    MT_ALLOC(&r->arena, time_ms, from->n);
    MT_ALLOC(&r->arena, number, s->n_part);
    for (size_t k = 0; k < s->n_part; k++)
        number[k] = (uint32_t)mt_unknowns_number(unknowns, s->of ? s->of[k] : k);
    for (size_t k = 0; k < from->n; k++) {
        int64_t step;
        MT_TRY(mt_frames_time(from, k, &step, &time_ms[k]));
        MT_TRY(mt_frames_read(from, k, f, value + k * s->n_part));
    }
    r->frames[f].field = mt_arena_text(&r->arena, from->about.field[f]);
    if (!r->frames[f].field) return MT_MEMORY;
    r->frames[f].frames = (myotile_frames){from->n, s->n_part, unknowns->at_vertices, number, time_ms, value};
    return MT_OK;
}

static mt_status collect_frames(const mt_run *run, myotile_result *r)
{
    const mt_sampling *s = run->sampling;
    if (!s->wanted[MT_SAMPLE_SERIES]) return MT_OK;
    MT_ALLOC(&r->arena, r->frames, s->n_fields[MT_SAMPLE_SERIES]);
    r->n_fields = s->n_fields[MT_SAMPLE_SERIES];
    for (size_t f = 0; f < r->n_fields; f++) MT_TRY(collect_field(run, f, r));
    return MT_OK;
}

static mt_status collect(mt_run *run, myotile_result *r)
{
    MT_SCRATCH(scratch);
    r->reached_ms = mt_run_reached_ms(run);
    r->n_beats = run->results.n_beats;
    if (run->profile) {
        r->cycles = mt_run_step_cycles(run);
        r->machine_s = (double)r->cycles / run->layout->target->clock_hz;
    }
    MT_TRY(mt_run_find_velocities(scratch, run));
    MT_TRY(collect_maps(run, r));
    MT_TRY(collect_points(run, r));
    MT_TRY(collect_samples(run, r));
    MT_TRY(collect_frames(run, r));
    return mt_run_used_text(&r->arena, run, &r->used);
}

mt_status mt_library_collect(mt_run *run, myotile_result **result)
{
    myotile_result *r = calloc(1, sizeof *r);
    if (!r) return mt_fail(MT_MEMORY, "%s: out of memory", run->path);
    const mt_status status = collect(run, r);
    if (status == MT_OK)
        *result = r;
    else
        myotile_result_free(r);
    return status;
}

/* ---- access ---- */

void myotile_result_free(myotile_result *r)
{
    if (!r) return;
    mt_arena arena = r->arena;
    mt_arena_free(&arena);
    free(r);
}

double myotile_result_reached_ms(const myotile_result *r) { return r->reached_ms; }
size_t myotile_result_beats(const myotile_result *r) { return r->n_beats; }
const char *myotile_result_used(const myotile_result *r) { return r->used; }
uint64_t myotile_result_cycles(const myotile_result *r) { return r->cycles; }
double myotile_result_machine_s(const myotile_result *r) { return r->machine_s; }

const char *myotile_result_map_name(const myotile_result *r, size_t k)
{
    return k * r->n_beats < r->n_maps ? r->maps[k * r->n_beats].name : NULL;
}

/* Appends a word to a list for a message. */
static void list_word(char *text, size_t size, const char *word)
{
    const size_t n = strlen(text);
    (void)snprintf(text + n, size - n, "%s%s", n > 0 ? ", " : "", word);
}

myotile_status myotile_result_map(const myotile_result *r, const char *name, size_t beat, myotile_map *map)
{
    char names[256] = "";
    for (size_t k = 0; k < r->n_maps; k++) {
        if (r->maps[k].beat == 0) list_word(names, sizeof names, r->maps[k].name);
        if (r->maps[k].beat != beat || strcmp(r->maps[k].name, name) != 0) continue;
        *map = r->maps[k].map;
        return MYOTILE_OK;
    }
    return (myotile_status)mt_fail(
        MT_INPUT, "map %.60s of beat %zu; allowed: %s, of beats 0 to %zu", name, beat, names, r->n_beats - 1);
}

myotile_status myotile_result_table(const myotile_result *r, const char *name, myotile_table *table)
{
    char names[64] = "";
    for (int k = 0; k < TABLES; k++) {
        if (!r->table[k].value) continue;
        list_word(names, sizeof names, table_name[k]);
        if (strcmp(table_name[k], name) != 0) continue;
        *table = r->table[k];
        return MYOTILE_OK;
    }
    return (myotile_status)mt_fail(
        MT_INPUT, "table %.60s; allowed, by the case: %s", name, names[0] ? names : "none");
}

const char *myotile_result_frames_name(const myotile_result *r, size_t k)
{
    return k < r->n_fields ? r->frames[k].field : NULL;
}

myotile_status myotile_result_frames(const myotile_result *r, const char *field, myotile_frames *frames)
{
    char names[256] = "";
    for (size_t k = 0; k < r->n_fields; k++) {
        list_word(names, sizeof names, r->frames[k].field);
        if (strcmp(r->frames[k].field, field) != 0) continue;
        *frames = r->frames[k].frames;
        return MYOTILE_OK;
    }
    return (myotile_status)mt_fail(
        MT_INPUT, "frames of %.60s; allowed, by `series` of the case: %s", field, names[0] ? names : "none");
}
