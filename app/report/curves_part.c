#include "app/report/curves_part.h"

#include <math.h>
#include <string.h>

#include "app/draw/chart/ecg_picture.h"
#include "app/report/table_part.h"
#include "data/core/vec3.h"
#include "solver/outputs/leads.h"

/* The file that is being written. */
typedef struct curves {
    mt_html_part *part;
    const mt_run_folder *folder;
    mt_csv csv;
    size_t n, each;  /* number of shown rows; every each-th row is shown */
    double *values;  /* [n] scratch */
    size_t *nearest; /* [input.n_points] the element with the nearest centroid; NULL if not known */
} curves;

/* A column name such as "P1 V[mV]", divided into point, field and unit. A field has no blanks. The columns of an ECG are leads, without a
 * field. */
typedef struct column_words {
    char point[MT_COLUMN_WORDS], field[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
} column_words;

static void read_words(const char *name, column_words *w)
{
    mt_column_words(name, w->point, w->unit);
    char *blank = strrchr(w->point, ' ');
    (void)snprintf(w->field, sizeof w->field, "%s", blank ? blank + 1 : "");
    if (blank) *blank = 0;
}

static const mt_case_point *find_point(size_t n, const mt_case_point *points, const char *name, size_t *k)
{
    for (*k = 0; *k < n; ++*k)
        if (strcmp(points[*k].name, name) == 0) return &points[*k];
    return NULL;
}

static void put_place(mt_html_part *part, const mt_case_point *point)
{
    if (!point) {
        mt_json_text(&part->json, "at_mm", NULL);
        return;
    }
    mt_json_open(&part->json, "at_mm", '[');
    for (int k = 0; k < 3; k++) mt_json_number(&part->json, NULL, point->at_mm[k]);
    mt_json_close(&part->json);
}

static void take_column(const curves *c, size_t column)
{
    for (size_t k = 0; k < c->n; k++) c->values[k] = mt_csv_number(&c->csv, k * c->each, column);
}

/* Writes the values as a curve. */
static void put_curve(
    const curves *c, const char *label, const char *unit, const mt_case_point *point, const size_t *element)
{
    mt_html_part *part = c->part;
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "label", label);
    mt_json_text(&part->json, "unit", unit);
    mt_html_reals(part, "y", c->n, 1, c->values, MT_HTML_65535, 0);
    put_place(part, point);
    if (element)
        mt_json_count(&part->json, "element", *element);
    else
        mt_json_text(&part->json, "element", NULL);
    mt_json_close(&part->json);
}

static void begin_group(const curves *c, const char *label)
{
    mt_html_part *part = c->part;
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "label", label);
    take_column(c, 0);
    mt_html_doubles(part, "x", c->n, c->values);
    mt_json_text(&part->json, "x_label", "time");
    mt_json_text(&part->json, "x_unit", "ms");
    mt_json_open(&part->json, "curves", '[');
}

static void end_group(const curves *c)
{
    mt_json_close(&c->part->json);
    mt_json_close(&c->part->json);
}

static mt_status open_file(
    mt_arena *arena, curves *c, const char *name, size_t most, mt_curves_left *left, bool *has)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_run_folder_has(c->folder, name, path, has));
    if (!*has) return MT_OK;
    MT_TRY(mt_csv_read(arena, path, &c->csv));
    if (strcmp(c->csv.column[0], "time_ms") != 0)
        return mt_fail(
            MT_INPUT, "%s:1: the first column is '%s'; it must be 'time_ms'", path, c->csv.column[0]);
    c->each = (c->csv.n_rows + most - 1) / most;
    if (c->each == 0) c->each = 1;
    c->n = (c->csv.n_rows + c->each - 1) / c->each;
    if (c->each > 1 && c->csv.n_rows > left->rows) *left = (mt_curves_left){c->csv.n_rows, c->n};
    MT_ALLOC(arena, c->values, c->n);
    return MT_OK;
}

/* ---- traces ---- */

static mt_status find_nearest(mt_arena *arena, curves *c)
{
    const mt_case *input = &c->folder->input;
    double *square;
    MT_ALLOC(arena, c->nearest, input->n_points);
    MT_ALLOC(arena, square, input->n_points);
    for (size_t p = 0; p < input->n_points; p++) square[p] = INFINITY;
    for (size_t e = 0; e < c->folder->mesh.n_elements; e++) {
        double centre[3];
        mt_mesh_centroid(&c->folder->mesh, e, centre);
        for (size_t p = 0; p < input->n_points; p++) {
            const double s = mt_square3(centre, input->points[p].at_mm);
            if (s < square[p]) square[p] = s, c->nearest[p] = e;
        }
    }
    return MT_OK;
}

/* Returns the first column from `column` on with a field that no earlier column has; n_columns if there is none. */
static size_t next_field(const curves *c, size_t column)
{
    column_words here, before;
    for (; column < c->csv.n_columns; column++) {
        bool is_new = true;
        read_words(c->csv.column[column], &here);
        for (size_t k = 1; k < column && is_new; k++) {
            read_words(c->csv.column[k], &before);
            is_new = strcmp(before.field, here.field) != 0;
        }
        if (is_new) break;
    }
    return column;
}

static void put_field(const curves *c, size_t first)
{
    const mt_case *input = &c->folder->input;
    column_words of, here;
    size_t k;
    read_words(c->csv.column[first], &of);
    begin_group(c, of.field);
    for (size_t column = first; column < c->csv.n_columns; column++) {
        read_words(c->csv.column[column], &here);
        if (strcmp(here.field, of.field) != 0) continue;
        const mt_case_point *point = find_point(input->n_points, input->points, here.point, &k);
        take_column(c, column);
        put_curve(c, here.point, here.unit, point, point ? &c->nearest[k] : NULL);
    }
    end_group(c);
}

static mt_status put_traces(mt_arena *arena, curves *c, size_t most, mt_curves_left *left)
{
    bool has;
    mt_json_open(&c->part->json, "traces", '[');
    MT_TRY(open_file(arena, c, "traces.csv", most, left, &has));
    if (has) {
        MT_TRY(find_nearest(arena, c));
        for (size_t k = next_field(c, 1); k < c->csv.n_columns; k = next_field(c, k + 1)) put_field(c, k);
    }
    mt_json_close(&c->part->json);
    return MT_OK;
}

/* ---- ECG ---- */

/* The leads of a file, without the samples during stimuli. */
typedef struct leads {
    const char **name; /* [n] */
    size_t n, n_standard;
    double **value; /* [n][n_rows] */
    double *time_ms;
    size_t n_spans;
    mt_span *span;
    mt_ecg_scale scale;
} leads;

static mt_status find_scale(mt_arena *arena, const curves *c, leads *l)
{
    const size_t n_rows = c->csv.n_rows;
    const double from = l->time_ms[0], to = l->time_ms[n_rows - 1];
    mt_curve *curve;
    MT_ALLOC(arena, curve, l->n);
    for (size_t k = 0; k < l->n; k++) {
        MT_TRY(mt_curve_begin(arena, from, to > from ? to : from + 1, &curve[k]));
        for (size_t row = 0; row < n_rows; row++)
            if (!isnan(l->value[k][row])) mt_curve_add(&curve[k], l->time_ms[row], l->value[k][row]);
    }
    return mt_ecg_scale_find(
        &(mt_ecg_record){"", l->n, l->n_standard, l->name, curve, l->n_spans, l->span}, &l->scale);
}

static mt_status read_leads(mt_arena *arena, const curves *c, leads *l)
{
    const size_t n_rows = c->csv.n_rows;
    *l = (leads){.n = c->csv.n_columns - 1};
    MT_ALLOC(arena, l->name, l->n);
    MT_ALLOC(arena, l->value, l->n);
    MT_ALLOC(arena, l->time_ms, n_rows);
    for (size_t row = 0; row < n_rows; row++) l->time_ms[row] = mt_csv_number(&c->csv, row, 0);
    MT_TRY(mt_case_stimulated(arena, &c->folder->input, &l->n_spans, &l->span));
    for (size_t k = 0; k < l->n; k++) {
        l->name[k] = c->csv.column[k + 1];
        MT_ALLOC(arena, l->value[k], n_rows);
        for (size_t row = 0; row < n_rows; row++) l->value[k][row] = mt_csv_number(&c->csv, row, k + 1);
        (void)mt_ecg_blank(n_rows, l->time_ms, l->n_spans, l->span, 1, l->value[k]);
    }
    l->n_standard = mt_leads_standard(l->n, l->name);
    return find_scale(arena, c, l);
}

/* Writes the scales of the picture: "mm_per_s", "mm_per_mV" (limb leads, chest leads), "stimulated" (spans in ms) and "note". */
static void put_paper(mt_html_part *part, const leads *l)
{
    mt_json_count(&part->json, "n_standard", l->n_standard);
    mt_json_number(&part->json, "mm_per_s", l->scale.mm_per_s);
    mt_json_open(&part->json, "mm_per_mV", '[');
    for (int k = 0; k < MT_ECG_HALVES; k++) mt_json_number(&part->json, NULL, l->scale.mm_per_mV[k]);
    mt_json_close(&part->json);
    mt_json_open(&part->json, "stimulated", '[');
    for (size_t k = 0; k < l->n_spans; k++) {
        mt_json_open(&part->json, NULL, '[');
        mt_json_number(&part->json, NULL, l->span[k].from_ms);
        mt_json_number(&part->json, NULL, l->span[k].to_ms);
        mt_json_close(&part->json);
    }
    mt_json_close(&part->json);
    mt_json_text(&part->json, "note", mt_ecg_calibration);
}

static mt_status put_leads(mt_arena *arena, curves *c)
{
    const mt_case *input = &c->folder->input;
    leads l;
    MT_TRY(read_leads(arena, c, &l));
    begin_group(c, "ECG");
    for (size_t lead = 0; lead < l.n; lead++) {
        const char *name = l.name[lead];
        size_t k;
        for (k = 0; k < c->n; k++) c->values[k] = l.value[lead][k * c->each];
        put_curve(c, name, "mV", find_point(input->n_electrodes, input->electrodes, name, &k), NULL);
    }
    mt_json_close(&c->part->json);
    put_paper(c->part, &l);
    mt_json_close(&c->part->json);
    return MT_OK;
}

static mt_status put_ecg(mt_arena *arena, curves *c, size_t most, mt_curves_left *left)
{
    bool has;
    mt_json_open(&c->part->json, "ecg", '[');
    MT_TRY(open_file(arena, c, "ecg.csv", most, left, &has));
    if (has && c->csv.n_rows > 0) MT_TRY(put_leads(arena, c));
    mt_json_close(&c->part->json);
    return MT_OK;
}

mt_status mt_curves_part_put(
    mt_html_part *part, const mt_run_folder *folder, size_t most, mt_curves_left *left)
{
    curves c = {.part = part, .folder = folder};
    MT_SCRATCH(arena);
    *left = (mt_curves_left){0};
    MT_TRY(put_traces(arena, &c, most, left));
    return put_ecg(arena, &c, most, left);
}
