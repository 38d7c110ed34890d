/* One small mesh in the formats of VTK: every kind of legacy and XML file. Numbers are exact as float, so that equality is bitwise. Cells:
 * a vertex, a tetrahedron, a triangle, a line, a tetrahedron of negative volume, a triangle; point 6 is unused. */
#pragma once

#include <zlib.h>

#include "tests/mesh/buffer.h"

enum { N_POINTS = 7, N_CELLS = 6, N_CORNERS = 17 };

static const double sample_xyz[3 * N_POINTS] = {
    1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1.5, 0, 0, -0.25, -8, 0, 0, 5, 5, 5};
static const double sample_type[N_CELLS] = {1, 10, 5, 3, 10, 5};
static const double sample_end[N_CELLS] = {1, 5, 8, 10, 14, 17};
static const double sample_corner[N_CORNERS] = {5, 1, 0, 2, 3, 1, 3, 0, 0, 5, 1, 0, 2, 4, 4, 0, 2};
static const double sample_tag[N_CELLS] = {9, 3, 4, 9, -70000, 2};
static const double sample_fibre[3 * N_CELLS] = {0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
static const double sample_sheet[3 * N_CELLS] = {0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
static const double sample_depth[N_CELLS] = {7, 0.25, 7, 7, 0.75, 7};
static const double sample_layer[N_CELLS] = {0, 1, 0, 0, 3, 0};

/* An array of the sample's data. */
typedef struct sample_array {
    const char *name, *type; /* in XML */
    size_t components;
    const double *values;
} sample_array;

/* `Tags` is ignored because of `elemTag`, which is first in our list; `other` is unknown. */
static const sample_array sample_data[] = {{"Tags", "Float32", 1, sample_depth},
    {"elemTag", "Int32", 1, sample_tag}, {"other", "Float32", 1, sample_depth},
    {"Fiber", "Float32", 3, sample_fibre}, {"sheet", "Float64", 3, sample_sheet},
    {"depth", "Float64", 1, sample_depth}, {"layer", "UInt8", 1, sample_layer}};
enum { N_DATA = sizeof sample_data / sizeof *sample_data };

/* ---- numbers */

/* Appends numbers as raw bytes: integers of 1, 4 or 8 bytes, or float and double. */
static inline void raw(buffer *b, bool real, size_t bytes, bool big_endian, size_t n, const double *values)
{
    for (size_t k = 0; k < n; k++) {
        const float single = (float)values[k];
        uint32_t low;
        uint64_t bits;
        memcpy(&low, &single, sizeof low);
        memcpy(&bits, &values[k], sizeof bits);
        word(b, !real ? (uint64_t)(int64_t)values[k] : bytes == 4 ? low : bits, bytes, big_endian);
    }
}

static inline void numbers(buffer *b, size_t n, const double *values)
{
    for (size_t k = 0; k < n; k++) text(b, "%.17g%c", values[k], k % 3 == 2 ? '\n' : ' ');
}

/* ---- legacy files */

typedef struct vtk_kind {
    const char *version;
    bool binary;
    bool types_first; /* as written by meshtool */
} vtk_kind;

static const vtk_kind vtk_kinds[] = {
    {"3.0", false, false}, {"3.0", true, true}, {"5.1", false, true}, {"5.1", true, false}};
enum { VTK_KINDS = sizeof vtk_kinds / sizeof *vtk_kinds };

/* Appends the numbers of an array after its header. */
static inline void vtk_put(buffer *b, const vtk_kind *k, const char *type, size_t n, const double *values)
{
    const bool real = strcmp(type, "float") == 0 || strcmp(type, "double") == 0;
    const bool wide = strcmp(type, "double") == 0 || strcmp(type, "long") == 0 || strstr(type, "64");
    const size_t bytes = strstr(type, "char") ? 1 : wide ? 8 : 4;
    text(b, "\n");
    if (k->binary)
        raw(b, real, bytes, true, n, values);
    else
        numbers(b, n, values);
    text(b, "\n");
}

static inline void vtk_put_types(buffer *b, const vtk_kind *k)
{
    text(b, "CELL_TYPES %d", N_CELLS);
    vtk_put(b, k, "int", N_CELLS, sample_type);
}

/* Appends a section of n cells with corners up to end[n] each. */
static inline void vtk_put_cells(
    buffer *b, const vtk_kind *k, const char *name, size_t n, const double *end, const double *corner)
{
    const size_t n_corners = (size_t)end[n - 1];
    double offsets[N_CELLS + 1] = {0}, joined[N_CELLS + N_CORNERS];
    size_t filled = 0, begin = 0;
    if (k->version[0] == '5') {
        memcpy(offsets + 1, end, n * sizeof *end);
        text(b, "%s %zu %zu\nOFFSETS vtktypeint64", name, n + 1, n_corners);
        vtk_put(b, k, "vtktypeint64", n + 1, offsets);
        text(b, "CONNECTIVITY vtktypeint64");
        vtk_put(b, k, "vtktypeint64", n_corners, corner);
        return;
    }
    for (size_t c = 0; c < n; begin = (size_t)end[c++]) {
        joined[filled++] = end[c] - (double)begin;
        for (size_t i = begin; i < (size_t)end[c]; i++) joined[filled++] = corner[i];
    }
    text(b, "%s %zu %zu", name, n, filled);
    vtk_put(b, k, "int", filled, joined);
}

static inline void vtk_put_metadata(buffer *b, const vtk_kind *k)
{
    if (k->version[0] == '5')
        text(b, "METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 8\n\n");
}

/* Appends arrays as VTK writes them: scalars, vectors, or in a field. */
static inline void vtk_put_data(buffer *b, const vtk_kind *k)
{
    text(b, "CELL_DATA %d\nSCALARS Tags float 1\nLOOKUP_TABLE mine", N_CELLS);
    vtk_put(b, k, "float", N_CELLS, sample_depth);
    vtk_put_metadata(b, k);
    text(b, "LOOKUP_TABLE mine 2");
    vtk_put(b, k, "unsigned_char", 8, (double[]){0, 0, 0, 1, 1, 1, 1, 1});
    text(b, "SCALARS elemTag int\nLOOKUP_TABLE default");
    vtk_put(b, k, "int", N_CELLS, sample_tag);
    text(b, "VECTORS Fiber float");
    vtk_put(b, k, "float", sizeof sample_fibre / sizeof(double), sample_fibre);
    vtk_put_metadata(b, k);
    text(b, "COLOR_SCALARS colours 1");
    vtk_put(b, k, "unsigned_char", N_CELLS, sample_layer);
    text(b, "FIELD FieldData 4\nmaterial 1 %d float", N_CELLS);
    vtk_put(b, k, "float", N_CELLS, sample_depth);
    vtk_put_metadata(b, k);
    text(b, "sheet 3 %d double", N_CELLS);
    vtk_put(b, k, "double", sizeof sample_sheet / sizeof(double), sample_sheet);
    text(b, "depth 1 %d double", N_CELLS);
    vtk_put(b, k, "double", N_CELLS, sample_depth);
    vtk_put_metadata(b, k);
    text(b, "layer 1 %d unsigned_char", N_CELLS);
    vtk_put(b, k, "unsigned_char", N_CELLS, sample_layer);
    text(b, "POINT_DATA %d\nNORMALS n float", N_POINTS);
    vtk_put(b, k, "float", 3 * N_POINTS, sample_xyz);
    text(b, "TEXTURE_COORDINATES t 3 float");
    vtk_put(b, k, "float", 3 * N_POINTS, sample_xyz);
}

static inline buffer vtk_file(const vtk_kind *k)
{
    buffer b = {.n = 0};
    text(&b, "# vtk DataFile Version %s\nPOINTS of a title\n%s\nDATASET UNSTRUCTURED_GRID\n", k->version,
        k->binary ? "BINARY" : "ASCII");
    text(&b, "FIELD FieldData 1\nTimeValue 1 1 double");
    vtk_put(&b, k, "double", 1, (double[]){0.5});
    text(&b, "POINTS %d float", N_POINTS);
    vtk_put(&b, k, "float", 3 * N_POINTS, sample_xyz);
    vtk_put_metadata(&b, k);
    if (k->types_first) vtk_put_types(&b, k);
    vtk_put_cells(&b, k, "CELLS", N_CELLS, sample_end, sample_corner);
    if (!k->types_first) vtk_put_types(&b, k);
    vtk_put_data(&b, k);
    return b;
}

/* Two triangles with their tags, 8 and 9. Data are of vertices, lines, polygons and strips, in this order, for any order in the file. */
static inline buffer vtk_surface(const vtk_kind *k)
{
    buffer b = {.n = 0};
    text(&b, "# vtk DataFile Version %s\n\n%s\nDATASET POLYDATA\nPOINTS 4 double", k->version,
        k->binary ? "BINARY" : "ASCII");
    vtk_put(&b, k, "double", 12, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
    vtk_put_cells(&b, k, "POLYGONS", 2, (double[]){3, 6}, (double[]){0, 1, 2, 1, 2, 3});
    vtk_put_cells(&b, k, "VERTICES", 1, (double[]){2}, (double[]){0, 1});
    text(&b, "CELL_DATA 3\nSCALARS surface-id long\nLOOKUP_TABLE default");
    vtk_put(&b, k, "long", 3, (double[]){7, 8, 9});
    return b;
}

/* ---- XML files */

typedef enum place { ASCII, INLINE, APPENDED_RAW, APPENDED_BASE64 } place;

typedef struct vtu_kind {
    place place;
    bool compressed, big_endian;
    size_t word;
    bool apart; /* the header of plain base64 is padded separately */
} vtu_kind;

enum { VTU_KINDS = 25 };

static inline vtu_kind vtu_kind_of(int k)
{
    if (k == 0) return (vtu_kind){.place = ASCII, .word = 4};
    k--;
    return (vtu_kind){.place = (place)(INLINE + k / 8),
        .compressed = k % 2,
        .big_endian = k / 2 % 2,
        .word = k / 4 % 2 ? 8 : 4,
        .apart = k / 2 % 2};
}

static inline void base64(buffer *b, const buffer *in)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < in->n; k += 3) {
        uint32_t bits = 0;
        for (size_t i = 0; i < 3; i++) bits = bits << 8 | (k + i < in->n ? in->bytes[k + i] : 0);
        for (size_t i = 0; i < 4; i++)
            text(b, "%c", k + i <= in->n ? digits[bits >> (18 - 6 * i) & 63] : '=');
    }
}

/* Appends header and content of an array, optionally in base64; compressed in blocks of 40 bytes. */
static inline void vtu_put_bytes(buffer *b, const vtu_kind *k, const buffer *content)
{
    enum { BLOCK = 40 };
    buffer header = {.n = 0}, body = {.n = 0}, both;
    if (k->compressed) {
        const size_t n_blocks = (content->n + BLOCK - 1) / BLOCK;
        word(&header, n_blocks, k->word, k->big_endian);
        word(&header, BLOCK, k->word, k->big_endian);
        word(&header, content->n % BLOCK, k->word, k->big_endian);
        for (size_t i = 0; i < n_blocks; i++) {
            Bytef block[200];
            uLongf n = sizeof block;
            const size_t length = i + 1 < n_blocks || content->n % BLOCK == 0 ? BLOCK : content->n % BLOCK;
            const int done = compress(block, &n, content->bytes + BLOCK * i, length);
            assert(done == Z_OK);
            word(&header, n, k->word, k->big_endian);
            add(&body, block, n);
        }
    } else {
        word(&header, content->n, k->word, k->big_endian);
        body = *content;
    }
    both = header;
    add(&both, body.bytes, body.n);
    if (k->place == APPENDED_RAW) {
        add(b, both.bytes, both.n);
    } else if (k->compressed || k->apart) {
        base64(b, &header), base64(b, &body);
    } else {
        base64(b, &both);
    }
}

static inline void vtu_put_array(
    buffer *b, buffer *appended, const vtu_kind *k, const sample_array *a, size_t n)
{
    static const char *const formats[] = {"ascii", "binary", "appended", "appended"};
    const size_t bytes = strstr(a->type, "64") ? 8 : strstr(a->type, "32") ? 4 : 1;
    buffer content = {.n = 0};
    text(b, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\"\n format=\"%s\"", a->type, a->name,
        a->components, formats[k->place]);
    raw(&content, a->type[0] == 'F', bytes, k->big_endian, n * a->components, a->values);
    if (k->place >= APPENDED_RAW) {
        text(b, " offset=\"%zu\"/>\n", appended->n);
        vtu_put_bytes(appended, k, &content);
        return;
    }
    text(b, ">\n  ");
    if (k->place == INLINE)
        vtu_put_bytes(b, k, &content);
    else
        numbers(b, n * a->components, a->values);
    text(b, "\n<InformationKey name=\"L2\">1 2</InformationKey></DataArray>\n");
}

static inline void vtu_put_piece(buffer *b, buffer *appended, const vtu_kind *k)
{
    static const double nothing[3 * N_POINTS] = {0};
    const sample_array points = {"Points", "Float32", 3, sample_xyz},
                       cells[] = {{"connectivity", "Int64", 1, sample_corner},
                           {"offsets", "Int32", 1, sample_end}, {"types", "UInt8", 1, sample_type}};
    text(b, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<PointData>\n", N_POINTS, N_CELLS);
    vtu_put_array(b, appended, k, &(sample_array){"Normals", "Float64", 3, nothing}, N_POINTS);
    text(b, "</PointData>\n<CellData Scalars=\"elemTag\">\n");
    for (int i = 0; i < N_DATA; i++) vtu_put_array(b, appended, k, &sample_data[i], N_CELLS);
    text(b, "</CellData>\n<Points>\n");
    vtu_put_array(b, appended, k, &points, N_POINTS);
    text(b, "</Points>\n<Cells>\n");
    for (int i = 0; i < 3; i++) vtu_put_array(b, appended, k, &cells[i], i == 0 ? N_CORNERS : N_CELLS);
    text(b, "</Cells>\n</Piece>\n");
}

static inline buffer vtu_file(const vtu_kind *k, int n_pieces)
{
    buffer b = {.n = 0}, appended = {.n = 0};
    text(&b,
        "<?xml version=\"1.0\"?>\n<!-- <Piece> --><VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"%s\" header_type=\"%s\"%s>\n<UnstructuredGrid>\n",
        k->big_endian ? "BigEndian" : "LittleEndian", k->word == 8 ? "UInt64" : "UInt32",
        k->compressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
    text(&b, "<FieldData><DataArray type=\"String\" Name=\"Points\" format=\"ascii\">72 105 "
             "0</DataArray></FieldData>\n");
    for (int p = 0; p < n_pieces; p++) vtu_put_piece(&b, &appended, k);
    text(&b, "</UnstructuredGrid>\n");
    if (k->place >= APPENDED_RAW) {
        text(&b, "<AppendedData encoding=\"%s\">\n  _", k->place == APPENDED_RAW ? "raw" : "base64");
        add(&b, appended.bytes, appended.n);
        text(&b, "\n</AppendedData>\n");
    }
    text(&b, "</VTKFile>\n");
    return b;
}

/* Two triangles with their tags, in the same format. */
static const char vtp_surface[] =
    "<VTKFile type=\"PolyData\">\n<PolyData>\n<Piece NumberOfPoints=\"4\" NumberOfVerts=\"1\" "
    "NumberOfPolys=\"2\">\n"
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0 0 0 "
    "1</DataArray></Points>\n"
    "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 1 2 3</DataArray>\n"
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3 6</DataArray></Polys>\n"
    "<Verts><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1</DataArray>\n"
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">2</DataArray></Verts>\n"
    "<CellData><DataArray type=\"Int32\" Name=\"surface-id\" format=\"ascii\">7 8 9</DataArray></CellData>\n"
    "</Piece>\n</PolyData>\n</VTKFile>\n";
