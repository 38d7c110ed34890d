#include <string.h>

#include "data/files/file.h"
#include "mesh/vtk/vtk.h"
#include "mesh/names.h"

enum { TRIANGLE = 5, TETRAHEDRON = 10 };

/* A base64 encoder that writes to a file: three bytes become four characters. */
typedef struct base64 {
    FILE *out;
    unsigned char held[3];
    size_t n_held, n_text;
    char text[4096];
} base64;

/* An array of the file: n x `components` (1 or 3) numbers, written by `put`. */
typedef struct array {
    const char *section, *type, *name;
    size_t bytes, components, n;                   /* bytes of a number */
    void (*put)(base64 *out, const mt_mesh *mesh); /* NULL if the mesh has none */
} array;

static void flush(base64 *out)
{
    (void)fwrite(out->text, 1, out->n_text, out->out);
    out->n_text = 0;
}

/* Encodes the one to three bytes held as four characters. */
static void put_group(base64 *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < out->n_held ? out->held[k] : 0);
    if (out->n_text + 4 > sizeof out->text) flush(out);
    for (size_t k = 0; k < 4; k++)
        out->text[out->n_text++] = k <= out->n_held ? digits[bits >> (18 - 6 * k) & 63] : '=';
    out->n_held = 0;
}

static void put(base64 *out, const void *values, size_t n)
{
    const unsigned char *bytes = values;
    for (size_t k = 0; k < n; k++) {
        out->held[out->n_held++] = bytes[k];
        if (out->n_held == 3) put_group(out);
    }
}

static void put_index(base64 *out, size_t index)
{
    const int64_t value = (int64_t)index;
    put(out, &value, sizeof value);
}

static void put_points(base64 *out, const mt_mesh *mesh)
{
    put(out, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *mesh->xyz_mm);
}

static void put_corners(base64 *out, const mt_mesh *mesh)
{
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) put_index(out, mesh->element_vertex[k]);
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) put_index(out, mesh->face_vertex[k]);
}

static void put_offsets(base64 *out, const mt_mesh *mesh)
{
    for (size_t c = 1; c <= mesh->n_elements; c++) put_index(out, 4 * c);
    for (size_t f = 1; f <= mesh->n_faces; f++) put_index(out, 4 * mesh->n_elements + 3 * f);
}

static void put_types(base64 *out, const mt_mesh *mesh)
{
    for (size_t c = 0; c < mesh->n_elements; c++) put(out, (unsigned char[]){TETRAHEDRON}, 1);
    for (size_t f = 0; f < mesh->n_faces; f++) put(out, (unsigned char[]){TRIANGLE}, 1);
}

static void put_regions(base64 *out, const mt_mesh *mesh)
{
    put(out, mesh->region, mesh->n_elements * sizeof *mesh->region);
    put(out, mesh->face_tag, mesh->n_faces * sizeof *mesh->face_tag);
}

/* Writes the values of cells, then 0 for each triangle. */
static void put_doubles(base64 *out, const mt_mesh *mesh, size_t components, const double *values)
{
    const double zero[3] = {0};
    put(out, values, components * mesh->n_elements * sizeof *values);
    for (size_t f = 0; f < mesh->n_faces; f++) put(out, zero, components * sizeof *zero);
}

static void put_fibres(base64 *out, const mt_mesh *mesh) { put_doubles(out, mesh, 3, mesh->fibre); }
static void put_sheets(base64 *out, const mt_mesh *mesh) { put_doubles(out, mesh, 3, mesh->sheet); }
static void put_depths(base64 *out, const mt_mesh *mesh) { put_doubles(out, mesh, 1, mesh->depth); }

static void put_normals(base64 *out, const mt_mesh *mesh)
{
    double normal[3] = {0};
    for (size_t c = 0; c < mesh->n_elements; c++) {
        mt_mesh_normal(mesh, c, normal);
        put(out, normal, sizeof normal);
    }
    memset(normal, 0, sizeof normal);
    for (size_t f = 0; f < mesh->n_faces; f++) put(out, normal, sizeof normal);
}

/* The same for 32-bit values: group bits or layers. */
static void put_words(base64 *out, const mt_mesh *mesh, const void *values)
{
    put(out, values, mesh->n_elements * sizeof(int32_t));
    for (size_t f = 0; f < mesh->n_faces; f++) put(out, (int32_t[]){0}, sizeof(int32_t));
}

static void put_groups(base64 *out, const mt_mesh *mesh) { put_words(out, mesh, mesh->groups); }
static void put_layers(base64 *out, const mt_mesh *mesh) { put_words(out, mesh, mesh->layer); }

/* Begins an array with the given number of bytes. */
static void begin_array(base64 *text, uint64_t bytes) { put(text, &bytes, sizeof bytes); }

static void end_array(base64 *text)
{
    if (text->n_held > 0) put_group(text);
    flush(text);
    (void)fputs("\n</DataArray>\n", text->out);
}

static void put_tag(FILE *out, const char *type, const char *name, size_t components)
{
    (void)fprintf(out, "<DataArray type=\"%s\" Name=\"%s\"%s format=\"binary\">\n", type, name,
        components == 3 ? " NumberOfComponents=\"3\"" : "");
}

static void put_array(FILE *out, const mt_mesh *mesh, const array *a)
{
    base64 text = {.out = out};
    put_tag(out, a->type, a->name, a->components);
    begin_array(&text, (uint64_t)a->n * a->components * a->bytes);
    a->put(&text, mesh);
    end_array(&text);
}

/* Writes the names and tags of groups as field data; n is 0 if there are none. */
static void put_names(FILE *out, size_t n, const char *names)
{
    base64 text = {.out = out};
    if (n == 0) return;
    (void)fprintf(out,
        "<FieldData>\n<DataArray type=\"UInt8\" Name=\"names\" NumberOfTuples=\"%zu\" format=\"binary\">\n",
        n);
    begin_array(&text, n);
    put(&text, names, n);
    end_array(&text);
    (void)fputs("</FieldData>\n", out);
}

static void put_head(FILE *out, const char *kind)
{
    (void)fprintf(out,
        "<?xml version=\"1.0\"?>\n"
        "<!-- myotile " MT_VERSION " -->\n"
        "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
        "<%s>\n",
        kind, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "BigEndian" : "LittleEndian", kind);
}

static void put_file(
    FILE *out, const mt_mesh *mesh, size_t n_arrays, const array *arrays, size_t n_names, const char *names)
{
    const char *section = NULL;
    put_head(out, "UnstructuredGrid");
    put_names(out, n_names, names);
    (void)fprintf(out, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", mesh->n_vertices,
        mesh->n_elements + mesh->n_faces);
    for (const array *a = arrays; a < arrays + n_arrays; a++) {
        const bool next = !section || strcmp(section, a->section) != 0;
        if (section && next) (void)fprintf(out, "</%s>\n", section);
        if (next) (void)fprintf(out, "<%s>\n", a->section);
        section = a->section;
        if (a->put) put_array(out, mesh, a);
    }
    (void)fprintf(out, "</%s>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", section);
}

mt_status mt_vtu_write(const char *path, const mt_mesh *mesh)
{
    const size_t n = mesh->n_elements + mesh->n_faces, n_corners = 4 * mesh->n_elements + 3 * mesh->n_faces;
    const array arrays[] = {
        {"Points", "Float64", "Points", 8, 3, mesh->n_vertices, put_points},
        {"Cells", "Int64", "connectivity", 8, 1, n_corners, put_corners},
        {"Cells", "Int64", "offsets", 8, 1, n, put_offsets},
        {"Cells", "UInt8", "types", 1, 1, n, put_types},
        {"CellData", "Int32", "region", 4, 1, n, put_regions},
        {"CellData", "Float64", "fibre", 8, 3, n, mesh->fibre ? put_fibres : NULL},
        {"CellData", "Float64", "sheet", 8, 3, n, mesh->sheet ? put_sheets : NULL},
        {"CellData", "Float64", "normal", 8, 3, n, mesh->sheet ? put_normals : NULL},
        {"CellData", "Float64", "depth", 8, 1, n, mesh->depth ? put_depths : NULL},
        {"CellData", "Int32", "layer", 4, 1, n, mesh->layer ? put_layers : NULL},
        {"CellData", "UInt32", "groups", 4, 1, n, mesh->groups ? put_groups : NULL},
    };
    MT_SCRATCH(scratch);
    const char *names = NULL;
    size_t n_names = 0;
    mt_file file;
    if (mesh->n_names + mesh->n_groups > 0)
        MT_TRY(mt_fail_in(path, mt_names_make_text(scratch, mesh, &names, &n_names)));
    MT_TRY(mt_file_begin(path, &file));
    put_file(file.stream, mesh, sizeof arrays / sizeof *arrays, arrays, n_names, names);
    return mt_file_end(&file, MT_OK);
}

/* ---- lines ---- */

/* Writes an array of `bytes` bytes per number as stored. */
static void put_stored(FILE *out, const char *type, const char *name, size_t components, size_t bytes,
    size_t n, const void *values)
{
    base64 text = {.out = out};
    put_tag(out, type, name, components);
    begin_array(&text, (uint64_t)n * components * bytes);
    put(&text, values, n * components * bytes);
    end_array(&text);
}

static void put_lines(FILE *out, const mt_lines *lines, const int64_t *corner, const int64_t *offset)
{
    const size_t n = lines->n_segments;
    put_head(out, "PolyData");
    (void)fprintf(
        out, "<Piece NumberOfPoints=\"%zu\" NumberOfLines=\"%zu\">\n<Points>\n", lines->n_points, n);
    put_stored(out, "Float64", "Points", 3, sizeof *lines->xyz_mm, lines->n_points, lines->xyz_mm);
    (void)fputs("</Points>\n<Lines>\n", out);
    put_stored(out, "Int64", "connectivity", 1, sizeof *corner, 2 * n, corner);
    put_stored(out, "Int64", "offsets", 1, sizeof *offset, n, offset);
    (void)fputs("</Lines>\n<PointData>\n", out);
    for (size_t f = 0; f < lines->n_fields; f++)
        put_stored(
            out, "Float64", lines->field[f].name, 1, sizeof(double), lines->n_points, lines->field[f].values);
    (void)fputs("</PointData>\n<CellData>\n", out);
    if (lines->radius_mm)
        put_stored(out, "Float64", "radius", 1, sizeof *lines->radius_mm, n, lines->radius_mm);
    if (lines->kind) put_stored(out, "Int32", "kind", 1, sizeof *lines->kind, n, lines->kind);
    (void)fputs("</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n", out);
}

mt_status mt_vtp_write_lines(const char *path, const mt_lines *lines)
{
    MT_SCRATCH(scratch);
    int64_t *corner, *offset;
    mt_file file;
    MT_ALLOC(scratch, corner, 2 * lines->n_segments);
    MT_ALLOC(scratch, offset, lines->n_segments);
    for (size_t k = 0; k < 2 * lines->n_segments; k++) corner[k] = lines->segment_point[k];
    for (size_t s = 0; s < lines->n_segments; s++) offset[s] = 2 * (int64_t)(s + 1);
    MT_TRY(mt_file_begin(path, &file));
    put_lines(file.stream, lines, corner, offset);
    return mt_file_end(&file, MT_OK);
}
