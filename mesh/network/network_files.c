#include "mesh/network/network_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/number.h"
#include "data/core/order.h"
#include "data/files/csv.h"
#include "mesh/files/carp.h"
#include "mesh/lines.h"
#include "mesh/scale.h"
#include "mesh/vtk/vtk.h"

/* ---- CSV: reading ---- */

enum { COORDINATES = 6, NODES = 2 };

static const char *const coordinate_names[COORDINATES] = {
    "x0_mm", "y0_mm", "z0_mm", "x1_mm", "y1_mm", "z1_mm"};
static const char *const node_names[NODES] = {"node0", "node1"};

/* The columns of a file; n_columns for missing ones. */
typedef struct columns {
    const char *path;
    mt_csv csv;
    size_t coordinate[COORDINATES], node[NODES], radius, kind;
} columns;

static size_t line_of(size_t row) { return row + 2; }

static mt_status fail_in_row(const columns *c, size_t row, size_t column, const char *allowed)
{
    return mt_fail(MT_INPUT, "%s:%zu: %s is '%.40s'; allowed: %s", c->path, line_of(row),
        c->csv.column[column], c->csv.cell[row * c->csv.n_columns + column], allowed);
}

/* Reads a number from -most to most. */
static mt_status read_number(const columns *c, size_t row, size_t column, double most, double *number)
{
    char allowed[64];
    *number = mt_csv_number(&c->csv, row, column);
    if (fabs(*number) <= most) return MT_OK;
    (void)snprintf(allowed, sizeof allowed, "a number from %g to %g", -most, most);
    return fail_in_row(c, row, column, allowed);
}

static mt_status read_whole(
    const columns *c, size_t row, size_t column, double least, double most, double *number)
{
    char allowed[64];
    *number = mt_csv_number(&c->csv, row, column);
    if (*number >= least && *number <= most && *number == floor(*number)) return MT_OK;
    (void)snprintf(allowed, sizeof allowed, "a whole number from %.0f to %.0f", least, most);
    return fail_in_row(c, row, column, allowed);
}

/* Finds the columns, and notes those without a use. */
static mt_status find_columns(mt_arena *arena, columns *c, mt_lines *lines)
{
    const size_t n = c->csv.n_columns;
    uint8_t *used;
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, used, n + 1);
    for (int k = 0; k < COORDINATES; k++) {
        c->coordinate[k] = mt_csv_find(&c->csv, coordinate_names[k]);
        used[c->coordinate[k]] = 1;
        if (c->coordinate[k] == n)
            return mt_fail(MT_INPUT,
                "%s:1: no column '%s'; allowed: x0_mm, y0_mm, z0_mm, x1_mm, y1_mm, z1_mm, and optionally "
                "node0, node1, radius_mm, kind",
                c->path, coordinate_names[k]);
    }
    for (int k = 0; k < NODES; k++) used[c->node[k] = mt_csv_find(&c->csv, node_names[k])] = 1;
    used[c->radius = mt_csv_find(&c->csv, "radius_mm")] = 1;
    used[c->kind = mt_csv_find(&c->csv, "kind")] = 1;
    for (int k = 0; k < NODES; k++)
        if (c->node[k] == n && c->node[!k] < n)
            return mt_fail(MT_INPUT, "%s:1: column '%s' without '%s'; allowed: both or neither", c->path,
                node_names[!k], node_names[k]);
    for (size_t k = 0; k < n; k++) {
        const char *name = c->csv.column[k];
        if (mt_csv_find(&c->csv, name) != k)
            return mt_fail(MT_INPUT, "%s:1: two columns '%.40s'; allowed: one", c->path, name);
        if (!used[k]) MT_TRY(mt_notes_add(arena, &lines->notes, "found but not used: column '%.40s'", name));
    }
    return MT_OK;
}

/* Reads an end of a segment. `set` has the line that first placed each point, or 0. */
static mt_status read_end(const columns *c, size_t row, size_t end, size_t *set, mt_lines *lines)
{
    double x[3], number = (double)(2 * row + end);
    for (size_t k = 0; k < 3; k++)
        MT_TRY(read_number(c, row, c->coordinate[3 * end + k], mt_mesh_far_mm, &x[k]));
    if (c->node[end] < c->csv.n_columns)
        MT_TRY(read_whole(c, row, c->node[end], 0, (double)lines->n_points - 1, &number));
    const size_t point = (size_t)number;
    double *at = lines->xyz_mm + 3 * point;
    if (set[point] > 0 && !(at[0] == x[0] && at[1] == x[1] && at[2] == x[2]))
        return mt_fail(MT_INPUT,
            "%s:%zu: node %zu is at [%.9g, %.9g, %.9g] mm, but in line %zu at [%.9g, %.9g, %.9g]; allowed: "
            "one place",
            c->path, line_of(row), point, x[0], x[1], x[2], set[point], at[0], at[1], at[2]);
    if (set[point] == 0) memcpy(at, x, sizeof x);
    set[point] = set[point] > 0 ? set[point] : line_of(row);
    lines->segment_point[2 * row + end] = (uint32_t)point;
    return MT_OK;
}

static mt_status read_row(const columns *c, size_t row, size_t *set, mt_lines *lines)
{
    double kind;
    for (size_t end = 0; end < 2; end++) MT_TRY(read_end(c, row, end, set, lines));
    lines->place[row] = line_of(row);
    if (lines->radius_mm) MT_TRY(read_number(c, row, c->radius, mt_mesh_far_mm, &lines->radius_mm[row]));
    if (!lines->kind) return MT_OK;
    MT_TRY(read_whole(c, row, c->kind, INT32_MIN, INT32_MAX, &kind));
    lines->kind[row] = (int32_t)kind;
    return MT_OK;
}

static mt_status read_csv(mt_arena *arena, const char *path, double unit_mm, mt_lines *lines)
{
    MT_SCRATCH(scratch);
    columns c = {.path = path};
    size_t *set;
    *lines = (mt_lines){.path = path, .in_text = true};
    if (unit_mm != 1)
        return mt_fail(MT_INPUT, "%s: its columns are in mm, as their names say; allowed unit: mm", path);
    MT_TRY(mt_csv_read(scratch, path, &c.csv));
    MT_TRY(find_columns(arena, &c, lines));
    const size_t n = c.csv.n_rows;
    if (n == 0) return mt_fail(MT_INPUT, "%s: no segments; allowed: a header and rows", path);
    if (n >= UINT32_MAX / 2)
        return mt_fail(MT_INPUT, "%s: %zu rows; allowed: fewer than %u", path, n, UINT32_MAX / 2);
    lines->n_segments = n;
    lines->n_points = 2 * n;
    MT_ALLOC(arena, lines->xyz_mm, 3 * lines->n_points);
    MT_ALLOC(arena, lines->segment_point, 2 * n);
    MT_ALLOC(arena, lines->place, n);
    if (c.radius < c.csv.n_columns) MT_ALLOC(arena, lines->radius_mm, n);
    if (c.kind < c.csv.n_columns) MT_ALLOC(arena, lines->kind, n);
    MT_ALLOC(scratch, set, lines->n_points);
    for (size_t row = 0; row < n; row++) MT_TRY(read_row(&c, row, set, lines));
    while (set[lines->n_points - 1] == 0) lines->n_points--;
    lines->apart = c.node[0] == c.csv.n_columns;
    return MT_OK;
}

/* ---- CSV: writing ---- */

static void put_end(FILE *out, const mt_network *network, size_t segment, size_t end)
{
    const uint32_t node = network->segment_node[2 * segment + end];
    (void)fprintf(out, "%s%u", end > 0 ? "," : "", node);
    for (size_t k = 0; k < 3; k++) {
        char text[MT_NUMBER_SIZE];
        mt_number_text(network->xyz_mm[3 * (size_t)node + k], text);
        (void)fprintf(out, ",%s", text);
    }
}

static mt_status write_csv(const char *path, const mt_network *network)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    (void)fprintf(file.stream, "node0,x0_mm,y0_mm,z0_mm,node1,x1_mm,y1_mm,z1_mm%s%s\n",
        network->radius_mm ? ",radius_mm" : "", network->kind ? ",kind" : "");
    for (size_t s = 0; s < network->n_segments; s++) {
        put_end(file.stream, network, s, 0);
        put_end(file.stream, network, s, 1);
        if (network->radius_mm) {
            char text[MT_NUMBER_SIZE];
            mt_number_text(network->radius_mm[s], text);
            (void)fprintf(file.stream, ",%s", text);
        }
        if (network->kind) (void)fprintf(file.stream, ",%d", network->kind[s]);
        (void)fputc('\n', file.stream);
    }
    return mt_file_end(&file, MT_OK);
}

static mt_status write_vtp(const char *path, const mt_network *network)
{
    return mt_vtp_write_lines(path, &(mt_lines){.n_points = network->n_nodes,
                                        .n_segments = network->n_segments,
                                        .xyz_mm = network->xyz_mm,
                                        .segment_point = network->segment_node,
                                        .radius_mm = network->radius_mm,
                                        .kind = network->kind});
}

/* ---- formats ---- */

static const struct format {
    const char *ending, *unit; /* the usual unit */
    mt_status (*read)(mt_arena *arena, const char *path, double unit_mm, mt_lines *lines);
    mt_status (*write)(const char *path, const mt_network *network); /* NULL: only read */
} formats[] = {
    {".vtp", "mm", mt_vtu_read_lines, write_vtp},
    {".csv", "mm", read_csv, write_csv},
    {".vtu", "mm", mt_vtu_read_lines, NULL},
    {".vtk", "mm", mt_vtk_read_lines, NULL},
    {".pts", "um", mt_carp_read_lines, NULL},
    {".elem", "um", mt_carp_read_lines, NULL},
};

static mt_status find_format(const char *path, bool to_write, const struct format **format)
{
    const size_t n = strlen(path);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const size_t m = strlen(formats[f].ending);
        *format = &formats[f];
        if (n > m && strcmp(path + n - m, formats[f].ending) == 0 && (!to_write || formats[f].write))
            return MT_OK;
    }
    return mt_fail(MT_INPUT, "%s: not a file name of a conduction network; allowed endings: %s", path,
        to_write ? ".vtp, .csv" : ".vtp, .csv, .vtu, .vtk, .pts, .elem");
}

bool mt_network_is_file(const char *path)
{
    MT_SCRATCH(scratch);
    const struct format *format = NULL;
    mt_lines lines = {0};
    if (find_format(path, false, &format) != MT_OK) return false;
    if (format->read == read_csv) return true;
    (void)(format->read(scratch, path, 1, &lines) == MT_OK); /* the counts suffice */
    return lines.n_segments > 0 && lines.n_solids == 0;
}

/* ---- from lines to a network ---- */

/* A point of the file. */
typedef struct point {
    double x, y, z;
    uint32_t number;
} point;

MT_ORDER(by_place, point, x, y, z, number)

static bool coincide(const point *a, const point *b) { return a->x == b->x && a->y == b->y && a->z == b->z; }

/* Replaces the points of segments by the lowest point at the same place. Counts the replaced points, if they are used. */
static mt_status merge_points(mt_lines *lines, size_t *n_merged)
{
    MT_SCRATCH(scratch);
    point *points;
    uint32_t *lowest;
    uint8_t *used;
    const size_t n = lines->n_points;
    MT_ALLOC(scratch, points, n);
    MT_ALLOC(scratch, lowest, n);
    MT_ALLOC(scratch, used, n);
    for (size_t k = 0; k < 2 * lines->n_segments; k++) used[lines->segment_point[k]] = 1;
    size_t n_used = 0;
    for (size_t v = 0; v < n; v++) {
        const double *x = lines->xyz_mm + 3 * v;
        if (used[v]) points[n_used++] = (point){x[0], x[1], x[2], (uint32_t)v};
    }
    if (n_used > 0) qsort(points, n_used, sizeof *points, by_place);
    *n_merged = 0;
    for (size_t k = 0; k < n_used; k++) {
        const bool same = k > 0 && coincide(&points[k], &points[k - 1]);
        lowest[points[k].number] = same ? lowest[points[k - 1].number] : points[k].number;
        *n_merged += same;
    }
    for (size_t k = 0; k < 2 * lines->n_segments; k++)
        lines->segment_point[k] = lowest[lines->segment_point[k]];
    return MT_OK;
}

/* Returns in *where "file:line" or "file: cell n" of a segment. */
enum { WHERE = MT_FILE_PATH_MAX + 64 };
static const char *place_of(const mt_lines *lines, size_t segment, char where[WHERE])
{
    (void)snprintf(
        where, WHERE, lines->in_text ? "%s:%zu" : "%s: cell %zu", lines->path, lines->place[segment]);
    return where;
}

static mt_status check_segments(const mt_lines *lines)
{
    char where[WHERE];
    for (size_t s = 0; s < lines->n_segments; s++) {
        const uint32_t *v = lines->segment_point + 2 * s;
        const double *x = lines->xyz_mm + 3 * (size_t)v[0];
        if (v[0] == v[1])
            return mt_fail(MT_INPUT,
                "%s: a segment of length 0, from [%.9g, %.9g, %.9g] mm to the same place; allowed: two "
                "places",
                place_of(lines, s, where), x[0], x[1], x[2]);
        if (lines->radius_mm && !(lines->radius_mm[s] > 0 && lines->radius_mm[s] <= mt_mesh_far_mm))
            return mt_fail(MT_INPUT, "%s: radius %g mm; allowed: above 0, at most %g",
                place_of(lines, s, where), lines->radius_mm[s], mt_mesh_far_mm);
    }
    return MT_OK;
}

/* Numbers the points of segments as nodes, in their order, and counts the points that are no nodes. */
static mt_status put_nodes(mt_arena *arena, mt_lines *lines, mt_network *network, size_t *n_dropped)
{
    MT_SCRATCH(scratch);
    uint32_t *node;
    size_t n = 0;
    MT_ALLOC(scratch, node, lines->n_points);
    for (size_t k = 0; k < 2 * lines->n_segments; k++) node[lines->segment_point[k]] = 1;
    for (size_t v = 0; v < lines->n_points; v++) n += node[v];
    *n_dropped = lines->n_points - n;
    MT_TRY(mt_fail_in(lines->path, mt_network_new(arena, n, lines->n_segments, network)));
    n = 0;
    for (size_t v = 0; v < lines->n_points; v++) {
        if (!node[v]) continue;
        memcpy(network->xyz_mm + 3 * n, lines->xyz_mm + 3 * v, 3 * sizeof *lines->xyz_mm);
        node[v] = (uint32_t)n++;
    }
    for (size_t k = 0; k < 2 * lines->n_segments; k++)
        network->segment_node[k] = node[lines->segment_point[k]];
    return MT_OK;
}

static mt_status check_repeats(const mt_lines *lines, const mt_network *network)
{
    char where[WHERE];
    size_t first, repeat;
    MT_TRY(mt_network_find_repeat(network, &first, &repeat));
    if (repeat == network->n_segments) return MT_OK;
    return mt_fail(MT_INPUT, "%s: a segment between the same two places as in %s %zu; allowed: one segment",
        place_of(lines, repeat, where), lines->in_text ? "line" : "cell", lines->place[first]);
}

static mt_status make_network(mt_arena *arena, mt_lines *lines, mt_network *network)
{
    size_t n_merged, n_dropped;
    MT_TRY(merge_points(lines, &n_merged));
    MT_TRY(check_segments(lines));
    MT_TRY(put_nodes(arena, lines, network, &n_dropped));
    MT_TRY(check_repeats(lines, network));
    network->radius_mm = lines->radius_mm;
    network->kind = lines->kind;
    network->notes = lines->notes;
    if (n_merged > 0 && !lines->apart)
        MT_TRY(mt_notes_add(
            arena, &network->notes, "points at the place of another one, merged with it: %zu", n_merged));
    if (n_dropped > n_merged)
        MT_TRY(
            mt_notes_add(arena, &network->notes, "points of no segment, dropped: %zu", n_dropped - n_merged));
    return mt_network_check(network, lines->path);
}

/* ---- entry points ---- */

mt_status mt_network_read(mt_arena *arena, const char *path, const char *unit, mt_network *network)
{
    const struct format *format = NULL;
    double unit_mm;
    mt_lines lines;
    MT_TRY(find_format(path, false, &format));
    MT_TRY(mt_fail_in(path, mt_unit_mm(unit ? unit : format->unit, &unit_mm)));
    MT_TRY(format->read(arena, path, unit_mm, &lines));
    return make_network(arena, &lines, network);
}

mt_status mt_network_check_output(const char *path, mt_file_replace replace)
{
    const struct format *format = NULL;
    MT_TRY(find_format(path, true, &format));
    return mt_file_check(path, replace);
}

mt_status mt_network_write(const char *path, const mt_network *network)
{
    const struct format *format = NULL;
    MT_TRY(find_format(path, true, &format));
    return format->write(path, network);
}
