#include "app/report/network_part.h"

#include <math.h>
#include <string.h>

#include "data/core/offsets.h"
#include "data/files/csv.h"
#include "data/files/h5.h"
#include "solver/conduction/conducting.h"

/* The network of a folder. */
typedef struct network {
    mt_h5 *h5;
    size_t n_points, n_lines;
    double *xyz_mm; /* [n_points][3] */
    uint32_t *line; /* [n_lines][2] */
    size_t n_frames;
    double *time_ms; /* [n_frames] */
} network;

/* The drawn points and lines. */
typedef struct drawn {
    size_t n_points, n_lines;
    uint32_t *point; /* [n_points] of the network, ascending */
    uint32_t *line;  /* [n_lines][2] indices into `point` */
} drawn;

/* ---- network.hdf ---- */

static mt_status read_lines(mt_arena *arena, network *n)
{
    static const char points[] = "VTKHDF/Points", lines[] = "VTKHDF/Lines/Connectivity";
    size_t shape[2], n_ends;
    int64_t *end;
    MT_TRY(mt_h5_shape(n->h5, points, 2, shape));
    MT_TRY(mt_h5_shape(n->h5, lines, 1, &n_ends));
    n->n_points = shape[0], n->n_lines = n_ends / 2;
    if (shape[1] != 3 || n_ends % 2 != 0 || n->n_points == 0 || n->n_lines == 0)
        return mt_fail(MT_INPUT, "%s: damaged: %zu points of %zu coordinates, %zu ends of lines", n->h5->path,
            shape[0], shape[1], n_ends);
    MT_ALLOC(arena, n->xyz_mm, 3 * n->n_points);
    MT_ALLOC(arena, n->line, n_ends);
    MT_ALLOC(arena, end, n_ends);
    MT_TRY(mt_h5_read(n->h5, points, MT_H5_DOUBLE, 2, shape, n->xyz_mm));
    MT_TRY(mt_h5_read(n->h5, lines, MT_H5_INT64, 1, &n_ends, end));
    for (size_t k = 0; k < n_ends; k++) {
        if (end[k] < 0 || (size_t)end[k] >= n->n_points)
            return mt_fail(MT_INPUT, "%s: %s: entry %zu is %lld; allowed: 0 to %zu", n->h5->path, lines, k,
                (long long)end[k], n->n_points - 1);
        n->line[k] = (uint32_t)end[k];
    }
    return MT_OK;
}

static mt_status read_times(mt_arena *arena, network *n)
{
    static const char times[] = "VTKHDF/Steps/Values";
    bool has;
    MT_TRY(mt_h5_has(n->h5, "VTKHDF/Steps", &has));
    if (!has) return MT_OK;
    MT_TRY(mt_h5_shape(n->h5, times, 1, &n->n_frames));
    MT_ALLOC(arena, n->time_ms, n->n_frames);
    return mt_h5_read(n->h5, times, MT_H5_DOUBLE, 1, &n->n_frames, n->time_ms);
}

/* ---- drawn lines ---- */

/* The lines at each point. */
typedef struct walk {
    const network *n;
    size_t *start; /* lines at point p: at[start[p]] .. at[start[p + 1]] */
    uint32_t *at;
    uint8_t *kept;     /* [n_points] */
    uint8_t *walked;   /* [n_lines] */
    uint32_t *drawing; /* [n_points] the number of the drawn point */
    size_t every;      /* of the points of a cable, this one is kept */
    drawn *d;
} walk;

static size_t degree(const walk *w, uint32_t point) { return w->start[point + 1] - w->start[point]; }

static uint32_t other_end(const walk *w, uint32_t line, uint32_t point)
{
    const uint32_t *ends = w->n->line + 2 * (size_t)line;
    return ends[0] == point ? ends[1] : ends[0];
}

/* Returns a line at the point that was not walked; UINT32_MAX if there is none. */
static uint32_t next_line(const walk *w, uint32_t point)
{
    for (size_t k = w->start[point]; k < w->start[point + 1]; k++)
        if (!w->walked[w->at[k]]) return w->at[k];
    return UINT32_MAX;
}

/* Walks along a cable to its end, keeps some of its points, and draws the lines between them. */
static void walk_cable(walk *w, uint32_t from)
{
    uint32_t last = from, point = from, line;
    size_t steps = 0;
    do {
        line = next_line(w, point);
        if (line == UINT32_MAX) break;
        w->walked[line] = 1;
        point = other_end(w, line, point);
        steps++;
        if (!w->kept[point] && steps % w->every == 0) w->kept[point] = 2;
        if (!w->kept[point]) continue;
        uint32_t *to = w->d->line + 2 * w->d->n_lines++;
        to[0] = last, to[1] = last = point;
    } while (w->kept[point] != 1);
}

static void walk_all(walk *w)
{
    const size_t n = w->n->n_points;
    for (uint32_t p = 0; p < n; p++)
        for (size_t k = 0; w->kept[p] == 1 && k < degree(w, p); k++)
            if (next_line(w, p) != UINT32_MAX) walk_cable(w, p);
    for (uint32_t p = 0; p < n; p++) { /* rings */
        if (next_line(w, p) == UINT32_MAX) continue;
        w->kept[p] = 1;
        walk_cable(w, p);
    }
}

static void number_points(walk *w)
{
    drawn *d = w->d;
    for (uint32_t p = 0; p < w->n->n_points; p++) {
        if (!w->kept[p]) continue;
        w->drawing[p] = (uint32_t)d->n_points;
        d->point[d->n_points++] = p;
    }
    for (size_t k = 0; k < 2 * d->n_lines; k++) d->line[k] = w->drawing[d->line[k]];
}

/* Selects at most `most` points, or all ends and branch points. */
static mt_status draw(mt_arena *arena, const network *n, size_t most, drawn *d)
{
    MT_SCRATCH(scratch);
    walk w = {.n = n, .d = d};
    size_t n_kept = 0;
    *d = (drawn){0};
    MT_TRY(mt_offsets_make(scratch, n->n_lines, 2, n->line, n->n_points, &w.start, &w.at));
    MT_ALLOC(scratch, w.kept, n->n_points);
    MT_ALLOC(scratch, w.walked, n->n_lines);
    MT_ALLOC(scratch, w.drawing, n->n_points);
    MT_ALLOC(arena, d->point, n->n_points);
    MT_ALLOC(arena, d->line, 2 * n->n_lines);
    for (uint32_t p = 0; p < n->n_points; p++) {
        w.kept[p] = degree(&w, p) != 2;
        n_kept += w.kept[p];
    }
    const size_t others = n->n_points - n_kept, room = most > n_kept ? most - n_kept : 0;
    w.every = room == 0 ? SIZE_MAX : (others + room - 1) / room;
    if (w.every == 0) w.every = 1;
    walk_all(&w);
    number_points(&w);
    return MT_OK;
}

static mt_status put_lines(mt_html_part *part, const network *n, const drawn *d)
{
    MT_SCRATCH(scratch);
    double *xyz_mm;
    MT_ALLOC(scratch, xyz_mm, 3 * d->n_points);
    for (size_t k = 0; k < 3 * d->n_points; k++) xyz_mm[k] = n->xyz_mm[3 * (size_t)d->point[k / 3] + k % 3];
    mt_json_count(&part->json, "n_points", n->n_points);
    mt_json_count(&part->json, "n_lines", n->n_lines);
    mt_html_reals(part, "position", d->n_points, 3, xyz_mm, MT_HTML_65535, 0);
    mt_html_wholes(part, "line", d->n_lines, 2, d->line);
    return MT_OK;
}

/* ---- values ---- */

static void put_beat(mt_html_part *part, size_t beat, bool several)
{
    if (several)
        mt_json_count(&part->json, "beat", beat + 1);
    else
        mt_json_text(&part->json, "beat", NULL);
}

static mt_status has_beat(const network *n, size_t beat, char name[64], bool *has)
{
    (void)snprintf(
        name, 64, beat > 0 ? "VTKHDF/PointData/activation_beat%zu" : "VTKHDF/PointData/activation", beat + 1);
    return mt_h5_has(n->h5, name, has);
}

static mt_status put_activation(mt_html_part *part, const network *n, const drawn *d)
{
    MT_SCRATCH(scratch);
    double *all_ms, *shown_ms;
    char name[64];
    bool has, several;
    MT_ALLOC(scratch, all_ms, n->n_points);
    MT_ALLOC(scratch, shown_ms, d->n_points);
    MT_TRY(has_beat(n, 1, name, &several));
    mt_json_open(&part->json, "activation", '[');
    for (size_t beat = 0;; beat++) {
        MT_TRY(has_beat(n, beat, name, &has));
        if (!has) break;
        MT_TRY(mt_h5_read(n->h5, name, MT_H5_DOUBLE, 1, &n->n_points, all_ms));
        for (size_t k = 0; k < d->n_points; k++) shown_ms[k] = all_ms[d->point[k]];
        mt_json_open(&part->json, NULL, '{');
        put_beat(part, beat, several);
        mt_html_reals(part, "value", d->n_points, 1, shown_ms, MT_HTML_65535, 0);
        mt_json_close(&part->json);
    }
    mt_json_close(&part->json);
    return MT_OK;
}

/* Returns the number of the frame at a time; n_frames if there is none. */
static size_t frame_at(const network *n, double time_ms)
{
    size_t k = 0;
    while (k < n->n_frames && fabs(n->time_ms[k] - time_ms) > 1e-9 * fmax(1, fabs(time_ms))) k++;
    return k;
}

/* Writes V at the times of the frames of the page, or null if one of them is missing. */
static mt_status put_frames(
    mt_html_part *part, const network *n, const drawn *d, const mt_network_shown *shown)
{
    static const char values[] = "VTKHDF/PointData/V";
    MT_SCRATCH(scratch);
    const size_t n_all = n->n_points * n->n_frames;
    float *all_mV;
    double *v_mV;
    bool complete = shown->n_frames > 0;
    for (size_t k = 0; k < shown->n_frames; k++)
        complete = complete && frame_at(n, shown->time_ms[k]) < n->n_frames;
    if (!complete) {
        mt_json_text(&part->json, "v_mV", NULL);
        return MT_OK;
    }
    MT_ALLOC(scratch, all_mV, n->n_points);
    MT_ALLOC(scratch, v_mV, d->n_points * shown->n_frames);
    for (size_t k = 0; k < shown->n_frames; k++) {
        const size_t first = frame_at(n, shown->time_ms[k]) * n->n_points;
        MT_TRY(mt_h5_read_rows(n->h5, values, MT_H5_FLOAT, 1, &n_all, first, n->n_points, all_mV));
        for (size_t p = 0; p < d->n_points; p++) v_mV[k * d->n_points + p] = (double)all_mV[d->point[p]];
    }
    mt_html_reals(part, "v_mV", d->n_points * shown->n_frames, 1, v_mV, shown->frame_levels, d->n_points);
    return MT_OK;
}

/* ---- junctions.csv ---- */

/* Its columns, row after row. */
typedef struct junctions {
    size_t n, n_beats;
    const mt_csv *csv;
    const char *path;
} junctions;

static double number_in(const junctions *j, size_t junction, size_t beat, const char *column)
{
    return mt_csv_number(j->csv, junction * j->n_beats + beat, mt_csv_find(j->csv, column));
}

static mt_status find_passage(const junctions *j, size_t junction, size_t beat, uint32_t *passage)
{
    const size_t row = junction * j->n_beats + beat, column = mt_csv_find(j->csv, "passage");
    const char *word = j->csv->cell[row * j->csv->n_columns + column];
    for (*passage = 0; *passage < MT_PASSAGES; ++*passage)
        if (strcmp(word, mt_passage_name[*passage]) == 0) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: passage %.40s in row %zu; allowed: those of myotile run", j->path, word, row);
}

/* Counts junctions and beats. The rows of a junction follow each other, beat by beat. */
static mt_status count(junctions *j)
{
    static const char *const columns[] = {
        "junction", "x_mm", "y_mm", "z_mm", "beat", "cable_ms", "tissue_ms", "passage"};
    const mt_csv *csv = j->csv;
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        if (mt_csv_find(csv, columns[k]) == csv->n_columns)
            return mt_fail(MT_INPUT, "%s: has no column %s", j->path, columns[k]);
    j->n_beats = 1;
    const size_t beat = mt_csv_find(csv, "beat");
    while (j->n_beats < csv->n_rows && mt_csv_number(csv, j->n_beats, beat) > 1) j->n_beats++;
    j->n = csv->n_rows / j->n_beats;
    for (size_t row = 0; row < csv->n_rows; row++)
        if (mt_csv_number(csv, row, beat) != (double)(row % j->n_beats + 1) ||
            j->n * j->n_beats != csv->n_rows)
            return mt_fail(MT_INPUT, "%s: row %zu is not in the order of junctions and beats", j->path, row);
    return MT_OK;
}

static mt_status put_passages(mt_html_part *part, const junctions *j, size_t beat, double *room)
{
    static const char *const columns[] = {"cable_ms", "tissue_ms"};
    MT_SCRATCH(scratch);
    uint32_t *passage;
    MT_ALLOC(scratch, passage, j->n);
    mt_json_open(&part->json, NULL, '{');
    put_beat(part, beat, j->n_beats > 1);
    for (int c = 0; c < 2; c++) {
        for (size_t k = 0; k < j->n; k++) room[k] = number_in(j, k, beat, columns[c]);
        mt_html_reals(part, columns[c], j->n, 1, room, MT_HTML_65535, 0);
    }
    for (size_t k = 0; k < j->n; k++) MT_TRY(find_passage(j, k, beat, &passage[k]));
    mt_html_wholes(part, "passage", j->n, 1, passage);
    mt_json_close(&part->json);
    return MT_OK;
}

static mt_status put_all_junctions(mt_html_part *part, const junctions *j)
{
    static const char *const axes[] = {"x_mm", "y_mm", "z_mm"};
    MT_SCRATCH(scratch);
    double *room;
    MT_ALLOC(scratch, room, 3 * j->n);
    for (size_t k = 0; k < 3 * j->n; k++) room[k] = number_in(j, k / 3, 0, axes[k % 3]);
    mt_json_open(&part->json, "junctions", '{');
    mt_html_reals(part, "position", j->n, 3, room, MT_HTML_65535, 0);
    mt_json_open(&part->json, "passages", '[');
    for (int k = 0; k < MT_PASSAGES; k++) mt_json_text(&part->json, NULL, mt_passage_name[k]);
    mt_json_close(&part->json);
    mt_json_open(&part->json, "beats", '[');
    for (size_t beat = 0; beat < j->n_beats; beat++) MT_TRY(put_passages(part, j, beat, room));
    mt_json_close(&part->json);
    mt_json_close(&part->json);
    return MT_OK;
}

static mt_status put_junctions(mt_html_part *part, const mt_run_folder *folder)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_csv csv = {0};
    junctions j = {.csv = &csv, .path = path};
    bool has;
    MT_TRY(mt_run_folder_has(folder, "junctions.csv", path, &has));
    if (has) MT_TRY(mt_csv_read(scratch, path, &csv));
    if (csv.n_rows == 0) {
        mt_json_text(&part->json, "junctions", NULL);
        return MT_OK;
    }
    MT_TRY(count(&j));
    return put_all_junctions(part, &j);
}

/* ---- complete part ---- */

static mt_status put(
    mt_html_part *part, const mt_run_folder *folder, const char *path, mt_network_shown *shown)
{
    MT_SCRATCH(arena);
    MT_H5_SCOPE(h5);
    network n = {.h5 = h5};
    drawn d;
    MT_TRY(mt_h5_open(path, h5));
    MT_TRY(read_lines(arena, &n));
    MT_TRY(read_times(arena, &n));
    MT_TRY(draw(arena, &n, shown->most, &d));
    shown->points = d.n_points, shown->all_points = n.n_points;
    mt_json_open(&part->json, "network", '{');
    MT_TRY(put_lines(part, &n, &d));
    MT_TRY(put_activation(part, &n, &d));
    MT_TRY(put_frames(part, &n, &d, shown));
    MT_TRY(put_junctions(part, folder));
    mt_json_close(&part->json);
    return MT_OK;
}

mt_status mt_network_part_put(mt_html_part *part, const mt_run_folder *folder, mt_network_shown *shown)
{
    char path[MT_FILE_PATH_MAX];
    bool has;
    shown->points = shown->all_points = 0;
    MT_TRY(mt_run_folder_has(folder, "network.hdf", path, &has));
    if (has) return put(part, folder, path, shown);
    mt_json_text(&part->json, "network", NULL);
    return MT_OK;
}
