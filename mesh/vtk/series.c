#include "mesh/vtk/series.h"

#include <stdio.h>
#include <string.h>

#include "data/core/number.h"

static const char region[] = "region", element[] = "element", vertex[] = "vertex";

/* Returns the group of the fields, and the number of values of a field in a frame. */
static const char *group_of(const mt_series *s) { return s->at_vertices ? "PointData" : "CellData"; }
static size_t count_of(const mt_series *s)
{
    return s->at_vertices ? s->mesh->n_vertices : s->mesh->n_elements;
}

static mt_status check(const mt_series *s)
{
    if (s->n_fields == 0 || s->n_frames == 0 || s->mesh->n_elements == 0)
        return mt_fail(MT_INPUT,
            "a series of %zu fields, %zu frames and %zu elements; allowed: at least one of each", s->n_fields,
            s->n_frames, s->mesh->n_elements);
    for (size_t i = 0; i < s->n_fields; i++) {
        const char *name = s->fields[i].name;
        MT_TRY(mt_vtkhdf_check_field(name));
        bool taken = strcmp(name, region) == 0 || strcmp(name, element) == 0 || strcmp(name, vertex) == 0;
        for (size_t k = 0; k < i; k++) taken = taken || strcmp(name, s->fields[k].name) == 0;
        if (taken)
            return mt_fail(
                MT_INPUT, "element field '%s' is a duplicate, or has the name of a mesh array", name);
    }
    return MT_OK;
}

/* Copies the mesh without vertices of no element. */
static mt_status compact(mt_arena *scratch, const mt_mesh *mesh, mt_mesh *shown)
{
    uint8_t *used;
    size_t n = 0;
    *shown = *mesh;
    shown->n_faces = 0;
    MT_TRY(mt_mesh_used(scratch, mesh, &used));
    for (size_t v = 0; v < mesh->n_vertices; v++) n += used[v];
    if (n == mesh->n_vertices) return MT_OK;
    MT_ALLOC(scratch, shown->element_vertex, 4 * mesh->n_elements);
    MT_COPY(scratch, shown->xyz_mm, mesh->xyz_mm, 3 * mesh->n_vertices);
    memcpy(shown->element_vertex, mesh->element_vertex, 4 * mesh->n_elements * sizeof *shown->element_vertex);
    return mt_mesh_keep_vertices(scratch, shown, used);
}

/* ---- VTKHDF ---- */

/* Writes the numbers of the vertices. */
static mt_status write_vertices(mt_arena *scratch, mt_h5 *h5, const mt_series *s)
{
    const size_t n = s->mesh->n_vertices;
    int64_t *number;
    if (!s->at_vertices) return MT_OK;
    MT_TRY(mt_h5_group(h5, "VTKHDF/PointData"));
    if (!s->mesh->vertex_number) return MT_OK;
    MT_ALLOC(scratch, number, n);
    for (size_t v = 0; v < n; v++) number[v] = (int64_t)s->mesh->vertex_number[v];
    return mt_h5_write_plain(h5, "VTKHDF/PointData/vertex", MT_H5_INT64, 1, &n, NULL, number);
}

/* Writes the arrays that are equal in all frames. */
static mt_status write_static(mt_arena *scratch, mt_h5 *h5, const mt_series *s)
{
    const mt_mesh *mesh = s->mesh;
    const size_t n = mesh->n_elements;
    int64_t *number;
    MT_TRY(mt_vtkhdf_put_grid(scratch, h5, mesh, 2, mt_h5_write_plain));
    MT_TRY(mt_h5_group(h5, "VTKHDF/CellData"));
    MT_TRY(mt_h5_write_plain(h5, "VTKHDF/CellData/region", MT_H5_INT32, 1, &n, NULL, mesh->region));
    MT_TRY(write_vertices(scratch, h5, s));
    if (!mesh->number) return MT_OK;
    MT_ALLOC(scratch, number, n);
    for (size_t c = 0; c < n; c++) number[c] = (int64_t)mt_mesh_number(mesh, c);
    return mt_h5_write_plain(h5, "VTKHDF/CellData/element", MT_H5_INT64, 1, &n, NULL, number);
}

/* Writes Steps/NAME: value, value + each, value + 2 each, ... */
static mt_status write_steps(
    mt_h5 *h5, const char *name, size_t n_frames, int64_t value, size_t each, int64_t *room)
{
    char full[280];
    for (size_t k = 0; k < n_frames; k++) room[k] = value + (int64_t)(k * each);
    (void)snprintf(full, sizeof full, "VTKHDF/Steps/%s", name);
    return mt_h5_write_plain(h5, full, MT_H5_INT64, 1, &n_frames, NULL, room);
}

static mt_status write_data_offsets(mt_h5 *h5, const mt_series *s, int64_t *room)
{
    char name[256];
    MT_TRY(mt_h5_group(h5, "VTKHDF/Steps/CellDataOffsets"));
    MT_TRY(write_steps(h5, "CellDataOffsets/region", s->n_frames, 0, 0, room));
    if (s->mesh->number) MT_TRY(write_steps(h5, "CellDataOffsets/element", s->n_frames, 0, 0, room));
    if (s->at_vertices) MT_TRY(mt_h5_group(h5, "VTKHDF/Steps/PointDataOffsets"));
    if (s->at_vertices && s->mesh->vertex_number)
        MT_TRY(write_steps(h5, "PointDataOffsets/vertex", s->n_frames, 0, 0, room));
    for (size_t i = 0; i < s->n_fields; i++) {
        (void)snprintf(name, sizeof name, "%sOffsets/%s", group_of(s), s->fields[i].name);
        MT_TRY(write_steps(h5, name, s->n_frames, 0, count_of(s), room));
    }
    return MT_OK;
}

/* Writes the times of the frames and their offsets in the arrays. */
static mt_status write_moments(mt_arena *scratch, mt_h5 *h5, const mt_series *s)
{
    static const char *const offsets[] = {
        "PartOffsets", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"};
    const size_t n = s->n_frames;
    int64_t *room;
    MT_ALLOC(scratch, room, n);
    MT_TRY(mt_h5_group(h5, "VTKHDF/Steps"));
    MT_TRY(mt_h5_write_integers(h5, "VTKHDF/Steps", "NSteps", 1, (int64_t[]){(int64_t)n}));
    MT_TRY(mt_h5_write_plain(h5, "VTKHDF/Steps/Values", MT_H5_DOUBLE, 1, &n, "ms", s->time_ms));
    MT_TRY(write_steps(h5, "NumberOfParts", n, 1, 0, room));
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++)
        MT_TRY(write_steps(h5, offsets[k], n, 0, 0, room));
    return write_data_offsets(h5, s, room);
}

static void field_path(const mt_series *s, size_t field, char path[256])
{
    (void)snprintf(path, 256, "/VTKHDF/%s/%s", group_of(s), s->fields[field].name);
}

static void view_path(const mt_series *s, size_t frame, size_t field, char path[256])
{
    (void)snprintf(path, 256, "/frames/%s/%06zu", s->fields[field].name, frame);
}

/* Creates a view of each frame of each field, for XDMF. */
static mt_status write_views(mt_h5 *h5, const mt_series *s)
{
    const size_t n = count_of(s);
    char path[256], view[256];
    MT_TRY(mt_h5_group(h5, "/frames"));
    for (size_t i = 0; i < s->n_fields; i++) {
        field_path(s, i, path);
        (void)snprintf(view, sizeof view, "/frames/%s", s->fields[i].name);
        MT_TRY(mt_h5_group(h5, view));
        for (size_t k = 0; k < s->n_frames; k++) {
            view_path(s, k, i, view);
            MT_TRY(mt_h5_view(h5, view, MT_H5_FLOAT, path, k * n, n));
        }
    }
    return MT_OK;
}

static mt_status write_frames(mt_arena *scratch, mt_h5 *h5, const mt_series *s)
{
    const size_t n = count_of(s), all = n * s->n_frames;
    char path[256];
    float *values;
    MT_ALLOC(scratch, values, n);
    for (size_t i = 0; i < s->n_fields; i++) {
        field_path(s, i, path);
        MT_TRY(mt_h5_reserve(h5, path, MT_H5_FLOAT, 1, &all, s->fields[i].unit));
    }
    for (size_t k = 0; k < s->n_frames; k++)
        for (size_t i = 0; i < s->n_fields; i++) {
            field_path(s, i, path);
            MT_TRY(s->give(s->context, k, i, values));
            MT_TRY(mt_h5_write_rows(h5, path, MT_H5_FLOAT, k * n, n, values));
        }
    return MT_OK;
}

static mt_status write_hdf(mt_arena *scratch, const char *path, const mt_series *s)
{
    MT_H5_SCOPE(h5);
    MT_TRY(mt_h5_create(path, h5));
    MT_TRY(write_static(scratch, h5, s));
    MT_TRY(write_moments(scratch, h5, s));
    MT_TRY(write_frames(scratch, h5, s));
    MT_TRY(write_views(h5, s));
    MT_TRY(mt_vtkhdf_put_notes(h5, s->n_notes, s->notes));
    return mt_h5_commit(h5);
}

/* ---- XDMF ---- */

void mt_series_put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        entity ? (void)fputs(entity, out) : (void)fputc(*text, out);
    }
}

void mt_series_put_array(
    FILE *out, const char *hdf, const char *type, int bytes, const char *shape, const char *name)
{
    (void)fprintf(out, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%s\">", type,
        bytes, shape);
    mt_series_put_text(out, hdf);
    (void)fputs(":", out);
    mt_series_put_text(out, name);
    (void)fputs("</DataItem>", out);
}

static void put_attribute(FILE *out, const char *name, bool at_vertices)
{
    (void)fputs("<Attribute Name=\"", out);
    mt_series_put_text(out, name);
    (void)fprintf(out, "\" AttributeType=\"Scalar\" Center=\"%s\">", at_vertices ? "Node" : "Cell");
}

static void put_static_field(FILE *out, const char *hdf, const mt_mesh *mesh, const char *name, int bytes)
{
    char shape[64], path[64];
    (void)snprintf(shape, sizeof shape, "%zu", mesh->n_elements);
    (void)snprintf(path, sizeof path, "/VTKHDF/CellData/%s", name);
    put_attribute(out, name, false);
    mt_series_put_array(out, hdf, "Int", bytes, shape, path);
    (void)fputs("</Attribute>\n", out);
}

static void put_grid(FILE *out, const char *hdf, const mt_mesh *mesh)
{
    char shape[64];
    (void)fprintf(out, "<Topology TopologyType=\"Tetrahedron\" NumberOfElements=\"%zu\">", mesh->n_elements);
    (void)snprintf(shape, sizeof shape, "%zu", 4 * mesh->n_elements);
    mt_series_put_array(out, hdf, "Int", 8, shape, "/VTKHDF/Connectivity");
    (void)fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">", out);
    (void)snprintf(shape, sizeof shape, "%zu 3", mesh->n_vertices);
    mt_series_put_array(out, hdf, "Float", 8, shape, "/VTKHDF/Points");
    (void)fputs("</Geometry>\n", out);
    put_static_field(out, hdf, mesh, region, 4);
    if (mesh->number) put_static_field(out, hdf, mesh, element, 8);
}

static void put_field(FILE *out, const char *hdf, const mt_series *s, size_t frame, size_t field)
{
    char shape[64], path[256];
    (void)snprintf(shape, sizeof shape, "%zu", count_of(s));
    view_path(s, frame, field, path);
    put_attribute(out, s->fields[field].name, s->at_vertices);
    mt_series_put_array(out, hdf, "Float", 4, shape, path);
    (void)fputs("</Attribute>\n", out);
}

static void put_frame(FILE *out, const char *hdf, const void *series, size_t frame)
{
    const mt_series *s = series;
    char time[MT_NUMBER_SIZE];
    mt_number_text(s->time_ms[frame], time);
    (void)fprintf(out, "<Grid Name=\"mesh\" GridType=\"Uniform\">\n<Time Value=\"%s\"/>\n", time);
    put_grid(out, hdf, s->mesh);
    for (size_t i = 0; i < s->n_fields; i++) put_field(out, hdf, s, frame, i);
    (void)fputs("</Grid>\n", out);
}

mt_status mt_series_xdmf_write(
    const char *path, const char *name, size_t n_frames, mt_series_put_frame *put, const void *series)
{
    const char *slash = strrchr(path, '/'), *hdf = slash ? slash + 1 : path;
    char xdmf[MT_FILE_PATH_MAX];
    mt_file file;
    MT_TRY(mt_series_xdmf_path(path, xdmf));
    MT_TRY(mt_file_begin(xdmf, &file));
    (void)fprintf(file.stream,
        "<?xml version=\"1.0\"?>\n<!-- myotile " MT_VERSION "; times in ms -->\n"
        "<Xdmf Version=\"3.0\">\n<Domain>\n"
        "<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
        name);
    for (size_t k = 0; k < n_frames; k++) put(file.stream, hdf, series, k);
    (void)fputs("</Grid>\n</Domain>\n</Xdmf>\n", file.stream);
    return mt_file_end(&file, MT_OK);
}

mt_status mt_series_xdmf_path(const char *path, char xdmf[MT_FILE_PATH_MAX])
{
    return mt_file_sibling(path, (const char *const[]){".hdf", NULL}, ".xdmf", xdmf);
}

/* ---- both files ---- */

mt_status mt_series_write(const char *path, const mt_series *series)
{
    MT_TRY(mt_vtkhdf_check_name(path));
    MT_TRY(check(series));
    MT_SCRATCH(scratch);
    mt_mesh shown;
    mt_series s = *series;
    MT_TRY(compact(scratch, series->mesh, &shown));
    s.mesh = &shown;
    MT_TRY(write_hdf(scratch, path, &s));
    return mt_series_xdmf_write(path, "series", s.n_frames, put_frame, &s);
}
