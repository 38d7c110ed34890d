#include "mesh/network/network_hdf.h"

#include <stdio.h>
#include <string.h>

#include "data/core/number.h"
#include "mesh/vtk/series.h"

enum { TOPOLOGIES = 4, NAME = 400 };

static mt_status put_whole(mt_h5 *h5, const char *group, const char *name, int64_t value)
{
    char full[NAME];
    (void)snprintf(full, sizeof full, "VTKHDF/%s%s%s", group, *group ? "/" : "", name);
    return mt_h5_write_plain(h5, full, MT_H5_INT64, 1, (size_t[]){1}, NULL, &value);
}

/* Writes the cells of one of the four groups: lines of two points. */
static mt_status put_cells(
    mt_arena *scratch, mt_h5 *h5, const char *group, size_t n, const uint32_t *segment_point)
{
    char full[NAME];
    int64_t *offset;
    MT_ALLOC(scratch, offset, n + 1);
    for (size_t k = 0; k <= n; k++) offset[k] = (int64_t)(2 * k);
    (void)snprintf(full, sizeof full, "VTKHDF/%s", group);
    MT_TRY(mt_h5_group(h5, full));
    MT_TRY(put_whole(h5, group, "NumberOfCells", (int64_t)n));
    MT_TRY(put_whole(h5, group, "NumberOfConnectivityIds", (int64_t)(2 * n)));
    (void)snprintf(full, sizeof full, "VTKHDF/%s/Offsets", group);
    MT_TRY(mt_h5_write_plain(h5, full, MT_H5_INT64, 1, (size_t[]){n + 1}, NULL, offset));
    (void)snprintf(full, sizeof full, "VTKHDF/%s/Connectivity", group);
    return mt_h5_write_plain(h5, full, MT_H5_UINT32, 1, (size_t[]){2 * n}, NULL, segment_point);
}

static mt_status put_lines(mt_arena *scratch, mt_h5 *h5, const mt_lines *lines)
{
    const size_t n = lines->n_segments;
    MT_TRY(mt_h5_group(h5, "VTKHDF"));
    MT_TRY(mt_h5_write_integers(h5, "VTKHDF", "Version", 2, (int64_t[]){2, 0}));
    MT_TRY(mt_h5_write_text(h5, "VTKHDF", "Type", "PolyData"));
    MT_TRY(put_whole(h5, "", "NumberOfPoints", (int64_t)lines->n_points));
    MT_TRY(mt_h5_write_plain(
        h5, "VTKHDF/Points", MT_H5_DOUBLE, 2, (size_t[]){lines->n_points, 3}, "mm", lines->xyz_mm));
    MT_TRY(put_cells(scratch, h5, "Vertices", 0, lines->segment_point));
    MT_TRY(put_cells(scratch, h5, "Lines", n, lines->segment_point));
    MT_TRY(put_cells(scratch, h5, "Polygons", 0, lines->segment_point));
    MT_TRY(put_cells(scratch, h5, "Strips", 0, lines->segment_point));
    MT_TRY(mt_h5_group(h5, "VTKHDF/CellData"));
    if (lines->radius_mm)
        MT_TRY(mt_h5_write_plain(h5, "VTKHDF/CellData/radius", MT_H5_DOUBLE, 1, &n, "mm", lines->radius_mm));
    if (lines->kind)
        MT_TRY(mt_h5_write_plain(h5, "VTKHDF/CellData/kind", MT_H5_INT32, 1, &n, NULL, lines->kind));
    return MT_OK;
}

static mt_status put_fields(mt_h5 *h5, const mt_network_series *s)
{
    char full[NAME];
    MT_TRY(mt_h5_group(h5, "VTKHDF/PointData"));
    for (size_t f = 0; f < s->lines->n_fields; f++) {
        (void)snprintf(full, sizeof full, "VTKHDF/PointData/%s", s->lines->field[f].name);
        MT_TRY(mt_h5_write_plain(
            h5, full, MT_H5_DOUBLE, 1, &s->lines->n_points, s->field_unit, s->lines->field[f].values));
    }
    return MT_OK;
}

/* Writes Steps/NAME: for each frame `width` times the number k * each. */
static mt_status put_steps(
    mt_h5 *h5, const char *name, size_t n_frames, size_t width, int64_t first, size_t each, int64_t *room)
{
    char full[NAME];
    for (size_t k = 0; k < n_frames * width; k++) room[k] = first + (int64_t)(k / width * each);
    (void)snprintf(full, sizeof full, "VTKHDF/Steps/%s", name);
    return mt_h5_write_plain(
        h5, full, MT_H5_INT64, width > 1 ? 2 : 1, (size_t[]){n_frames, width}, NULL, room);
}

/* Writes the offsets of the fields: frame after frame for that of the series, 0 for the others. */
static mt_status put_field_offsets(mt_h5 *h5, const mt_network_series *s, int64_t *room)
{
    char name[NAME - 100];
    MT_TRY(mt_h5_group(h5, "VTKHDF/Steps/PointDataOffsets"));
    for (size_t f = 0; f < s->lines->n_fields; f++) {
        (void)snprintf(name, sizeof name, "PointDataOffsets/%s", s->lines->field[f].name);
        MT_TRY(put_steps(h5, name, s->n_frames, 1, 0, 0, room));
    }
    (void)snprintf(name, sizeof name, "PointDataOffsets/%s", s->name);
    MT_TRY(put_steps(h5, name, s->n_frames, 1, 0, s->lines->n_points, room));
    MT_TRY(mt_h5_group(h5, "VTKHDF/Steps/CellDataOffsets"));
    if (s->lines->radius_mm) MT_TRY(put_steps(h5, "CellDataOffsets/radius", s->n_frames, 1, 0, 0, room));
    if (s->lines->kind) MT_TRY(put_steps(h5, "CellDataOffsets/kind", s->n_frames, 1, 0, 0, room));
    return MT_OK;
}

static mt_status put_moments(mt_arena *scratch, mt_h5 *h5, const mt_network_series *s)
{
    const size_t n = s->n_frames;
    int64_t *room;
    MT_ALLOC(scratch, room, TOPOLOGIES * n);
    MT_TRY(mt_h5_group(h5, "VTKHDF/Steps"));
    MT_TRY(mt_h5_write_integers(h5, "VTKHDF/Steps", "NSteps", 1, (int64_t[]){(int64_t)n}));
    MT_TRY(mt_h5_write_plain(h5, "VTKHDF/Steps/Values", MT_H5_DOUBLE, 1, &n, "ms", s->time_ms));
    MT_TRY(put_steps(h5, "NumberOfParts", n, 1, 1, 0, room));
    MT_TRY(put_steps(h5, "PartOffsets", n, 1, 0, 0, room));
    MT_TRY(put_steps(h5, "PointOffsets", n, 1, 0, 0, room));
    MT_TRY(put_steps(h5, "CellOffsets", n, TOPOLOGIES, 0, 0, room));
    MT_TRY(put_steps(h5, "ConnectivityIdOffsets", n, TOPOLOGIES, 0, 0, room));
    return put_field_offsets(h5, s, room);
}

static void view_path(const mt_network_series *s, size_t frame, char path[NAME])
{
    (void)snprintf(path, NAME, "/frames/%s/%06zu", s->name, frame);
}

/* Creates a view of each frame, for XDMF. */
static mt_status put_views(mt_h5 *h5, const mt_network_series *s)
{
    const size_t n = s->lines->n_points;
    char of[NAME], view[NAME];
    MT_TRY(mt_h5_group(h5, "/frames"));
    (void)snprintf(view, sizeof view, "/frames/%s", s->name);
    MT_TRY(mt_h5_group(h5, view));
    (void)snprintf(of, sizeof of, "/VTKHDF/PointData/%s", s->name);
    for (size_t k = 0; k < s->n_frames; k++) {
        view_path(s, k, view);
        MT_TRY(mt_h5_view(h5, view, MT_H5_FLOAT, of, k * n, n));
    }
    return MT_OK;
}

static mt_status put_frames(mt_arena *scratch, mt_h5 *h5, const mt_network_series *s)
{
    const size_t n = s->lines->n_points, all = n * s->n_frames;
    char full[NAME];
    float *values;
    if (s->n_frames == 0) return MT_OK;
    MT_TRY(put_moments(scratch, h5, s));
    MT_ALLOC(scratch, values, n);
    (void)snprintf(full, sizeof full, "VTKHDF/PointData/%s", s->name);
    MT_TRY(mt_h5_reserve(h5, full, MT_H5_FLOAT, 1, &all, s->unit));
    for (size_t k = 0; k < s->n_frames; k++) {
        MT_TRY(s->give(s->context, k, values));
        MT_TRY(mt_h5_write_rows(h5, full, MT_H5_FLOAT, k * n, n, values));
    }
    return put_views(h5, s);
}

static mt_status write_hdf(const char *path, const mt_network_series *s)
{
    MT_SCRATCH(scratch);
    MT_H5_SCOPE(h5);
    MT_TRY(mt_h5_create(path, h5));
    MT_TRY(put_lines(scratch, h5, s->lines));
    MT_TRY(put_fields(h5, s));
    MT_TRY(put_frames(scratch, h5, s));
    MT_TRY(mt_vtkhdf_put_notes(h5, s->n_notes, s->notes));
    return mt_h5_commit(h5);
}

/* ---- XDMF ---- */

/* Writes a field of n values. */
static void put_attribute(FILE *out, const char *hdf, const char *name, const char *center, size_t n,
    const char *type, int bytes, const char *path)
{
    char shape[64];
    (void)snprintf(shape, sizeof shape, "%zu", n);
    (void)fputs("<Attribute Name=\"", out);
    mt_series_put_text(out, name);
    (void)fprintf(out, "\" AttributeType=\"Scalar\" Center=\"%s\">", center);
    mt_series_put_array(out, hdf, type, bytes, shape, path);
    (void)fputs("</Attribute>\n", out);
}

static void put_frame_lines(FILE *out, const char *hdf, const mt_lines *lines)
{
    char shape[64];
    (void)fprintf(out, "<Topology TopologyType=\"Polyline\" NodesPerElement=\"2\" NumberOfElements=\"%zu\">",
        lines->n_segments);
    (void)snprintf(shape, sizeof shape, "%zu 2", lines->n_segments);
    mt_series_put_array(out, hdf, "Int", 8, shape, "/VTKHDF/Lines/Connectivity");
    (void)fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">", out);
    (void)snprintf(shape, sizeof shape, "%zu 3", lines->n_points);
    mt_series_put_array(out, hdf, "Float", 8, shape, "/VTKHDF/Points");
    (void)fputs("</Geometry>\n", out);
}

static void put_frame(FILE *out, const char *hdf, const void *series, size_t frame)
{
    const mt_network_series *s = series;
    const mt_lines *lines = s->lines;
    char time[MT_NUMBER_SIZE], path[NAME];
    mt_number_text(s->time_ms[frame], time);
    (void)fprintf(out, "<Grid Name=\"network\" GridType=\"Uniform\">\n<Time Value=\"%s\"/>\n", time);
    put_frame_lines(out, hdf, lines);
    if (lines->radius_mm)
        put_attribute(out, hdf, "radius", "Cell", lines->n_segments, "Float", 8, "/VTKHDF/CellData/radius");
    if (lines->kind)
        put_attribute(out, hdf, "kind", "Cell", lines->n_segments, "Int", 4, "/VTKHDF/CellData/kind");
    for (size_t f = 0; f < lines->n_fields; f++) {
        (void)snprintf(path, sizeof path, "/VTKHDF/PointData/%s", lines->field[f].name);
        put_attribute(out, hdf, lines->field[f].name, "Node", lines->n_points, "Float", 8, path);
    }
    view_path(s, frame, path);
    put_attribute(out, hdf, s->name, "Node", lines->n_points, "Float", 4, path);
    (void)fputs("</Grid>\n", out);
}

mt_status mt_network_hdf_write(const char *path, const mt_network_series *s)
{
    MT_TRY(mt_vtkhdf_check_name(path));
    MT_TRY(write_hdf(path, s));
    return s->n_frames > 0 ? mt_series_xdmf_write(path, "network", s->n_frames, put_frame, s) : MT_OK;
}
