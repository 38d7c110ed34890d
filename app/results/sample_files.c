#include "app/results/sample_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/core/progress.h"
#include "app/draw/chart/curves.h"
#include "app/draw/chart/ecg_picture.h"
#include "app/results/time_csv.h"
#include "data/files/folder.h"
#include "mesh/vtk/series.h"
#include "solver/outputs/leads.h"

/* ---- time series ---- */

/* A table of numbers: frames of the traces or the potentials, with a column for each value. */
typedef struct rows {
    size_t n, n_columns;
    const char *const *name; /* [n_columns] */
    double *time_ms;         /* [n] */
    double *value;           /* [n][n_columns] */
} rows;

/* Reads a complete file of frames: a column for each value of each field, without names. */
static mt_status read_rows(mt_arena *arena, const mt_frames *frames, rows *r)
{
    const size_t n_values = frames->about.n_values, n_fields = frames->about.n_fields;
    float *values;
    *r = (rows){.n = frames->n, .n_columns = n_values * n_fields};
    MT_ALLOC(arena, values, n_values);
    MT_ALLOC(arena, r->time_ms, r->n);
    MT_ALLOC(arena, r->value, r->n * r->n_columns);
    for (size_t k = 0; k < r->n; k++) {
        int64_t step;
        MT_TRY(mt_frames_time(frames, k, &step, &r->time_ms[k]));
        for (size_t f = 0; f < n_fields; f++) {
            MT_TRY(mt_frames_read(frames, k, f, values));
            for (size_t p = 0; p < n_values; p++)
                r->value[k * r->n_columns + p * n_fields + f] = (double)values[p];
        }
    }
    return MT_OK;
}

static mt_status write_csv(const char *path, const rows *r)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    mt_time_csv_begin(file.stream, r->n_columns, r->name);
    for (size_t k = 0; k < r->n; k++)
        mt_time_csv_add(file.stream, r->time_ms[k], r->n_columns, r->value + k * r->n_columns);
    return mt_file_end(&file, MT_OK);
}

/* Builds a curve from a column, without NaN. */
static mt_status make_curve(mt_arena *arena, const rows *r, size_t column, mt_curve *curve)
{
    const double first = r->time_ms[0], last = r->time_ms[r->n - 1];
    MT_TRY(mt_curve_begin(arena, first, last > first ? last : first + 1, curve));
    for (size_t k = 0; k < r->n; k++) {
        const double value = r->value[k * r->n_columns + column];
        if (!isnan(value)) mt_curve_add(curve, r->time_ms[k], value);
    }
    return MT_OK;
}

/* ---- traces ---- */

/* Reads the traces, with names such as "apex V[mV]". */
static mt_status traces_of(mt_arena *arena, const mt_sample_files *files, rows *r)
{
    enum { NAME = 256 };
    const mt_sampling *s = files->sampling;
    const size_t n_fields = s->n_fields[MT_SAMPLE_TRACES];
    const char **name;
    MT_TRY(read_rows(arena, &s->frames[MT_SAMPLE_TRACES], r));
    MT_ALLOC(arena, name, r->n_columns);
    for (size_t c = 0; c < r->n_columns; c++) {
        const mt_cell_quantity field = mt_case_field(s->input, s->field[MT_SAMPLE_TRACES][c % n_fields]);
        char *text;
        MT_ALLOC(arena, text, NAME);
        (void)snprintf(text, NAME, "%.200s %s%s%s%s", s->input->points[c / n_fields].name, field.name,
            field.unit[0] ? "[" : "", field.unit, field.unit[0] ? "]" : "");
        name[c] = text;
    }
    r->name = name;
    return MT_OK;
}

mt_status mt_sample_traces(mt_arena *arena, const mt_sampling *sampling, size_t *n_columns,
    const char *const **column, size_t *n, const double **time_ms, const double **value)
{
    rows r;
    MT_TRY(traces_of(arena, &(const mt_sample_files){.sampling = sampling}, &r));
    *n_columns = r.n_columns, *column = r.name;
    *n = r.n, *time_ms = r.time_ms, *value = r.value;
    return MT_OK;
}

static mt_status write_traces(mt_arena *arena, const mt_sample_files *files, const char *path)
{
    rows r;
    MT_TRY(traces_of(arena, files, &r));
    return write_csv(path, &r);
}

/* The number of points in the picture of the traces, of points above its limit, and of points in non-conducting elements, without V. */
typedef struct shown {
    size_t points, beyond, nonconducting;
} shown;

static shown find_shown(const mt_probes *probes)
{
    shown n = {0};
    for (size_t p = 0; p < probes->n_points; p++) {
        if (probes->element[p] == MT_NO_ELEMENT)
            n.nonconducting++;
        else if (n.points < MT_CURVES_MAX)
            n.points++;
        else
            n.beyond++;
    }
    return n;
}

/* Builds the panel of a field, with the first n_points points in conducting elements. */
static mt_status trace_panel(mt_arena *arena, const mt_sample_files *files, const rows *r, size_t f,
    size_t n_points, mt_curve_panel *panel)
{
    enum { CAPTION = 64 };
    const mt_sampling *s = files->sampling;
    const size_t n_fields = s->n_fields[MT_SAMPLE_TRACES];
    const mt_cell_quantity field = mt_case_field(s->input, s->field[MT_SAMPLE_TRACES][f]);
    const mt_probes *probes = &s->problem->probes;
    mt_curve *curve;
    const char **name;
    char *caption;
    MT_ALLOC(arena, curve, n_points);
    MT_ALLOC(arena, name, n_points);
    MT_ALLOC(arena, caption, CAPTION);
    for (size_t p = 0, n = 0; n < n_points; p++) {
        if (probes->element[p] == MT_NO_ELEMENT) continue;
        MT_TRY(make_curve(arena, r, p * n_fields + f, &curve[n]));
        name[n++] = s->input->points[p].name;
    }
    (void)snprintf(caption, CAPTION, "%s%s%s", field.name, field.unit[0] ? ", " : "", field.unit);
    *panel = (mt_curve_panel){
        .caption = caption, .curve = curve, .n_others = n_points - 1, .other = curve + 1, .name = name};
    return MT_OK;
}

/* Writes a list of what the picture omits, for its note and a warning; "" if it is complete. */
static void write_left_out(const shown *n, size_t n_fields, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    if (n->beyond > 0)
        used += (size_t)snprintf(text + used, size - used, "the first %zu of %zu points; ", n->points,
            n->points + n->beyond + n->nonconducting);
    if (n->nonconducting > 0)
        used += (size_t)snprintf(text + used, size - used, "without %zu point%s in non-conducting elements; ",
            n->nonconducting, n->nonconducting > 1 ? "s" : "");
    if (n_fields > MT_CURVE_PANELS_MAX)
        used += (size_t)snprintf(
            text + used, size - used, "the first %d of %zu fields; ", MT_CURVE_PANELS_MAX, n_fields);
    if (used > 0) (void)snprintf(text + used, size - used, "traces.csv contains all");
}

/* Draws the first fields and points; the table has all. */
static mt_status draw_traces(mt_arena *arena, const mt_sample_files *files, const char *path)
{
    const size_t n_fields = files->sampling->n_fields[MT_SAMPLE_TRACES];
    const shown n = find_shown(&files->sampling->problem->probes);
    char note[256], left_out[200];
    mt_curve_panel panel[MT_CURVE_PANELS_MAX];
    mt_curves curves = {files->title, "time, ms", 0, panel, NULL};
    rows r;
    if (n.points == 0) return MT_OK;
    MT_TRY(traces_of(arena, files, &r));
    for (; curves.n_panels < n_fields && curves.n_panels < MT_CURVE_PANELS_MAX; curves.n_panels++)
        MT_TRY(trace_panel(arena, files, &r, curves.n_panels, n.points, &panel[curves.n_panels]));
    write_left_out(&n, n_fields, left_out, sizeof left_out);
    if (left_out[0]) {
        if (n.beyond > 0 || n_fields > MT_CURVE_PANELS_MAX) mt_warn("traces.png shows %s", left_out);
        (void)snprintf(note, sizeof note, "Shown: %s.", left_out);
        curves.note = note;
    }
    return mt_curves_write(path, &curves);
}

/* ---- ECG ---- */

static mt_status leads_of(mt_arena *arena, const mt_sampling *s, mt_leads *leads, rows *r)
{
    const char **name;
    rows at;
    MT_TRY(read_rows(arena, &s->frames[MT_SAMPLE_ECG], &at));
    MT_ALLOC(arena, name, at.n_columns);
    for (size_t k = 0; k < at.n_columns; k++) name[k] = s->input->electrodes[k].name;
    MT_TRY(mt_leads_make(arena, at.n_columns, name, leads));
    *r = (rows){.n = at.n, .n_columns = leads->n, .name = leads->name, .time_ms = at.time_ms};
    MT_ALLOC(arena, r->value, r->n * r->n_columns);
    for (size_t k = 0; k < r->n; k++)
        mt_leads_values(leads, at.value + k * at.n_columns, r->value + k * r->n_columns);
    return MT_OK;
}

mt_status mt_sample_leads(mt_arena *arena, const mt_sampling *sampling, mt_leads *leads, size_t *n,
    const double **time_ms, const double **lead_mV)
{
    rows r;
    MT_TRY(leads_of(arena, sampling, leads, &r));
    *n = r.n;
    *time_ms = r.time_ms;
    *lead_mV = r.value;
    return MT_OK;
}

static mt_status write_ecg(mt_arena *arena, const mt_sample_files *files, const char *path)
{
    mt_leads leads;
    rows r;
    MT_TRY(leads_of(arena, files->sampling, &leads, &r));
    return write_csv(path, &r);
}

static mt_status draw_ecg(mt_arena *arena, const mt_sample_files *files, const char *path)
{
    mt_leads leads;
    mt_curve *curve;
    mt_span *span;
    size_t n;
    rows r;
    MT_TRY(leads_of(arena, files->sampling, &leads, &r));
    MT_ALLOC(arena, curve, r.n_columns);
    MT_TRY(mt_case_stimulated(arena, files->sampling->input, &n, &span));
    for (size_t k = 0; k < r.n_columns; k++) {
        if (!mt_ecg_blank(r.n, r.time_ms, n, span, r.n_columns, r.value + k))
            return MT_OK; /* no sample is left */
        MT_TRY(make_curve(arena, &r, k, &curve[k]));
    }
    return mt_ecg_picture(
        path, &(mt_ecg_record){files->title, leads.n, leads.n_standard, leads.name, curve, n, span});
}

/* ---- series ---- */

static mt_status give_field(void *context, size_t frame, size_t field, float *values)
{
    return mt_frames_read(context, frame, field, values);
}

static mt_status times_of(mt_arena *arena, const mt_frames *frames, double **time_ms)
{
    int64_t step;
    MT_ALLOC(arena, *time_ms, frames->n);
    for (size_t k = 0; k < frames->n; k++) MT_TRY(mt_frames_time(frames, k, &step, &(*time_ms)[k]));
    return MT_OK;
}

static mt_status write_series(mt_arena *arena, const mt_sample_files *files, const char *path)
{
    const mt_sampling *s = files->sampling;
    mt_frames frames = s->frames[MT_SAMPLE_SERIES];
    mt_series_field *fields;
    double *time_ms;
    MT_ALLOC(arena, fields, s->n_fields[MT_SAMPLE_SERIES]);
    for (size_t f = 0; f < s->n_fields[MT_SAMPLE_SERIES]; f++) {
        const mt_cell_quantity field = mt_case_field(s->input, s->field[MT_SAMPLE_SERIES][f]);
        fields[f] = (mt_series_field){field.name, field.unit[0] ? field.unit : NULL};
    }
    MT_TRY(times_of(arena, &frames, &time_ms));
    return mt_series_write(path, &(mt_series){.mesh = &s->part,
                                     .at_vertices = s->problem->unknowns.at_vertices,
                                     .n_fields = s->n_fields[MT_SAMPLE_SERIES],
                                     .n_frames = frames.n,
                                     .fields = fields,
                                     .time_ms = time_ms,
                                     .give = give_field,
                                     .context = &frames,
                                     .n_notes = files->n_notes,
                                     .notes = files->notes});
}

/* Does nothing: series.xdmf is written with series.hdf. */
static mt_status written_already(mt_arena *arena, const mt_sample_files *files, const char *path)
{
    (void)arena, (void)files, (void)path;
    return MT_OK;
}

/* ---- all files ---- */

static bool wants_traces(const mt_case *c) { return mt_moments_any(&c->traces.when); }
static bool wants_series(const mt_case *c) { return mt_moments_any(&c->series.samples.when); }
static bool wants_ecg(const mt_case *c) { return c->n_electrodes > 0; }

static const struct {
    const char *name;
    mt_sample of;
    bool (*wanted)(const mt_case *input); /* NULL for a file that is never written, only deleted */
    mt_status (*write)(mt_arena *arena, const mt_sample_files *files, const char *path);
} all[] = {{"traces.csv", MT_SAMPLE_TRACES, wants_traces, write_traces},
    {"traces.png", MT_SAMPLE_TRACES, wants_traces, draw_traces},
    {"series.hdf", MT_SAMPLE_SERIES, wants_series, write_series},
    {"series.xdmf", MT_SAMPLE_SERIES, wants_series, written_already},
    {"movie.png", MT_SAMPLE_SERIES, NULL, NULL}, /* of earlier versions */
    {"ecg.csv", MT_SAMPLE_ECG, wants_ecg, write_ecg}, {"ecg.png", MT_SAMPLE_ECG, wants_ecg, draw_ecg}};
enum { ALL = sizeof all / sizeof *all };

static bool is_wanted(const mt_case *input, int k) { return all[k].wanted && all[k].wanted(input); }

static bool has(const mt_sampling *s, int k) { return is_wanted(s->input, k) && s->frames[all[k].of].n > 0; }

/* Writes a file, or deletes the file of an earlier run. */
static mt_status renew(const mt_sample_files *files, const char *folder, int k)
{
    char path[MT_FILE_PATH_MAX];
    MT_SCRATCH(arena);
    MT_TRY(mt_folder_path(folder, all[k].name, path));
    const bool wanted = has(files->sampling, k),
               had = !wanted && access(path, F_OK) == 0 && mt_file_is_ours(path);
    return wanted ? all[k].write(arena, files, path) : had ? mt_file_remove(path) : MT_OK;
}

mt_status mt_sample_files_write(const mt_sample_files *files, const char *folder)
{
    for (int k = 0; k < ALL; k++) MT_TRY(renew(files, folder, k));
    return MT_OK;
}

mt_status mt_sample_files_check(const mt_case *input, const char *folder)
{
    char path[MT_FILE_PATH_MAX];
    for (int k = 0; k < ALL; k++) {
        MT_TRY(mt_folder_path(folder, all[k].name, path));
        if (is_wanted(input, k)) MT_TRY(mt_file_check(path, MT_FILE_ANY));
    }
    return MT_OK;
}

void mt_sample_files_names(const mt_sampling *sampling, char *text, size_t size)
{
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; k < ALL; k++)
        if (has(sampling, k) && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n > 0 ? ", " : "", all[k].name);
}
