#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/files/xml.h"
#include "mesh/vtk/vtk.h"
#include "mesh/vtk/vtk_bytes.h"
#include "mesh/vtk/vtk_grid.h"

/* The XML is read first, up to the `_` of AppendedData; the bytes after it need not be XML. This pass records the positions
 * of the required arrays of each piece, which are then decoded. */

enum { PIECES_MOST = 4096 };

/* Depths in the tree: VTKFile / UnstructuredGrid / Piece / Points / DataArray. */
enum { IN_ROOT = 1, IN_GRID, IN_PIECE, IN_SECTION, IN_ARRAY };

/* The kinds of polygonal cells in VTK's order of cell data; cells of an unstructured grid use the first. */
enum { VERTS, LINES, POLYS, STRIPS, KINDS };
static const struct {
    const char *section, *count;
    int kind;
} kinds[KINDS] = {{"Verts", "NumberOfVerts", 2}, {"Lines", "NumberOfLines", 4}, {"Polys", "NumberOfPolys", 7},
    {"Strips", "NumberOfStrips", 6}};

/* The position of an array in the file. */
typedef struct array {
    bool there, base64, appended;
    const mt_vtk_type *type;
    size_t components;
    const char *begin; /* start of the content of its element; NULL if appended */
    uint64_t offset;   /* in AppendedData, if appended */
    size_t line;
} array;

typedef struct wanted {
    const mt_vtk_known *is;
    array array;
} wanted;

typedef struct piece {
    struct piece *next;
    size_t n_points, n_elements, n[KINDS];
    array points, types, ends[KINDS], corners[KINDS];
    wanted of_cells[MT_VTK_ROLES], of_points[MT_VTK_ROLES];
} piece;

typedef struct reader {
    mt_scan scan; /* the complete file */
    mt_arena *scratch;
    size_t depth;
    bool poly_data, compressed, big_endian;
    size_t word;
    size_t n_pieces;
    piece *pieces, **last, *open; /* `open`: the piece that contains the current element, or NULL */
    array *arrays[3]; /* connectivity, offsets, types of the current section; NULL if not expected */
    wanted *data;     /* arrays of the current section; NULL if not expected */
    bool of_points, in_points;
    bool in_field; /* True in the field data of the file */
    array names;   /* of tags, of n_names bytes */
    size_t n_names;
    const char *appended; /* first byte after the `_`; NULL if there is no AppendedData */
    bool appended_base64;
    size_t n_corners; /* in all pieces */
    mt_vtk_grid grid;
} reader;

/* ---- attributes ---- */

static mt_status read_count(
    const reader *r, const char *const *attributes, const char *name, uint64_t most, uint64_t *count)
{
    const char *text = mt_xml_attribute(attributes, name, "0");
    char *end;
    text += strspn(text, " ");
    errno = 0;
    *count = strtoull(text, &end, 10);
    end += strspn(end, " ");
    if (*text >= '0' && *text <= '9' && !*end && errno == 0 && *count <= most) return MT_OK;
    return mt_scan_fail(&r->scan, "%s is '%.40s'; allowed: a whole number from 0 to %llu", name, text,
        (unsigned long long)most);
}

/* Reads a count; the sum over all pieces is limited by the size of the file. */
static mt_status read_size(
    const reader *r, const char *const *attributes, const char *name, size_t *total, size_t *count)
{
    uint64_t n;
    const size_t bytes = (size_t)(r->scan.end - r->scan.begin);
    MT_TRY(read_count(r, attributes, name, mt_vtk_most_each * bytes - *total, &n));
    *count = (size_t)n;
    *total += *count;
    return MT_OK;
}

/* ---- elements ---- */

static mt_status start_root(reader *r, const char *name, const char *const *attributes)
{
    if (strcmp(name, "VTKFile") != 0)
        return mt_scan_fail(&r->scan, "not a VTK XML file: its root is <%.40s>", name);
    const char *order = mt_xml_attribute(attributes, "byte_order", "LittleEndian");
    const char *word = mt_xml_attribute(attributes, "header_type", "UInt32");
    const char *compressor = mt_xml_attribute(attributes, "compressor", "");
    r->big_endian = strcmp(order, "BigEndian") == 0;
    if (!r->big_endian && strcmp(order, "LittleEndian") != 0)
        return mt_scan_fail(&r->scan, "byte_order '%.40s'; allowed: LittleEndian, BigEndian", order);
    r->word = strcmp(word, "UInt64") == 0 ? 8 : 4;
    if (r->word == 4 && strcmp(word, "UInt32") != 0)
        return mt_scan_fail(&r->scan, "header_type '%.40s'; allowed: UInt32, UInt64", word);
    r->compressed = *compressor != 0;
    if (r->compressed && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return mt_scan_fail(
            &r->scan, "compressor '%.40s'; allowed: vtkZLibDataCompressor, or none", compressor);
    return MT_OK;
}

static mt_status start_appended(reader *r, mt_xml_tag *tag)
{
    const char *encoding = mt_xml_attribute(tag->attributes, "encoding", "raw"), *at = tag->end;
    r->appended_base64 = strcmp(encoding, "base64") == 0;
    if (!r->appended_base64 && strcmp(encoding, "raw") != 0)
        return mt_scan_fail(&r->scan, "encoding '%.40s'; allowed: raw, base64", encoding);
    while (at < r->scan.end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
    if (at >= r->scan.end || *at != '_')
        return mt_scan_fail(&r->scan, "AppendedData does not begin with '_'");
    r->appended = at + 1;
    tag->last = true;
    return MT_OK;
}

static mt_status start_grid(reader *r, mt_xml_tag *tag)
{
    if (strcmp(tag->name, "AppendedData") == 0) return start_appended(r, tag);
    r->poly_data = strcmp(tag->name, "PolyData") == 0;
    if (r->poly_data || strcmp(tag->name, "UnstructuredGrid") == 0) return MT_OK;
    return mt_scan_fail(&r->scan, "<%.40s>; allowed: UnstructuredGrid, PolyData, AppendedData", tag->name);
}

static mt_status start_piece(reader *r, const char *name, const char *const *attributes)
{
    piece *p;
    r->in_field = strcmp(name, "FieldData") == 0;
    if (strcmp(name, "Piece") != 0) return MT_OK;
    if (++r->n_pieces > PIECES_MOST) return mt_scan_fail(&r->scan, "more than %d pieces", PIECES_MOST);
    MT_ALLOC(r->scratch, p, 1);
    MT_TRY(read_size(r, attributes, "NumberOfPoints", &r->grid.n_points, &p->n_points));
    const size_t before = r->grid.n_elements;
    if (!r->poly_data) MT_TRY(read_size(r, attributes, "NumberOfCells", &r->grid.n_elements, &p->n[0]));
    for (int k = 0; k < KINDS && r->poly_data; k++)
        MT_TRY(read_size(r, attributes, kinds[k].count, &r->grid.n_elements, &p->n[k]));
    p->n_elements = r->grid.n_elements - before;
    *r->last = r->open = p;
    r->last = &p->next;
    return MT_OK;
}

/* Sets the arrays expected in a section. */
static void start_section(reader *r, const char *name)
{
    piece *p = r->open;
    memset(r->arrays, 0, sizeof r->arrays);
    r->data = NULL;
    r->in_points = strcmp(name, "Points") == 0;
    r->of_points = strcmp(name, "PointData") == 0;
    if (r->of_points) r->data = p->of_points;
    if (strcmp(name, "CellData") == 0) r->data = p->of_cells;
    for (int k = 0; k < (r->poly_data ? KINDS : 1); k++)
        if (strcmp(name, r->poly_data ? kinds[k].section : "Cells") == 0) {
            r->arrays[0] = &p->corners[k];
            r->arrays[1] = &p->ends[k];
            r->arrays[2] = r->poly_data ? NULL : &p->types;
        }
}

static mt_status note_array(
    const reader *r, const char *name, const mt_xml_tag *tag, size_t components, array *a)
{
    const char *const *attributes = tag->attributes;
    const char *type = mt_xml_attribute(attributes, "type", ""),
               *format = mt_xml_attribute(attributes, "format", "ascii");
    *a = (array){
        .there = true, .type = mt_vtk_type_find(type), .components = components, .line = tag->end_line};
    if (!a->type)
        return mt_scan_fail(
            &r->scan, "array '%.40s': type '%.40s'; allowed: Int8 to UInt64, Float32, Float64", name, type);
    a->appended = strcmp(format, "appended") == 0;
    a->base64 = strcmp(format, "binary") == 0;
    if (a->appended) return read_count(r, attributes, "offset", SIZE_MAX, &a->offset);
    if (!a->base64 && strcmp(format, "ascii") != 0)
        return mt_scan_fail(
            &r->scan, "array '%.40s': format '%.40s'; allowed: ascii, binary, appended", name, format);
    a->begin = tag->end;
    return MT_OK;
}

static mt_status start_array(reader *r, const mt_xml_tag *tag)
{
    static const char *const names[3] = {"connectivity", "offsets", "types"};
    const char *called = mt_xml_attribute(tag->attributes, "Name", "");
    uint64_t n;
    if (strcmp(tag->name, "DataArray") != 0) return MT_OK;
    MT_TRY(read_count(r, tag->attributes, "NumberOfComponents", SIZE_MAX, &n));
    const size_t components = n > 0 ? (size_t)n : 1; /* 0, as if the attribute is absent, means 1 */
    if (r->in_points && !r->open->points.there)
        return note_array(r, "Points", tag, components, &r->open->points);
    for (int k = 0; k < 3; k++)
        if (r->arrays[k] && !r->arrays[k]->there && strcmp(called, names[k]) == 0)
            return note_array(r, called, tag, components, r->arrays[k]);
    if (!r->data) return MT_OK;
    const mt_vtk_known *is = mt_vtk_grid_known(&r->grid, called, components, r->of_points);
    if (!is || (r->data[is->role].is && r->data[is->role].is <= is)) {
        mt_vtk_unused_add(&r->grid.unused, called, r->of_points, components);
        return MT_OK;
    }
    if (r->data[is->role].is)
        mt_vtk_unused_add(&r->grid.unused, r->data[is->role].is->name, r->of_points, components);
    r->data[is->role].is = is;
    return note_array(r, called, tag, components, &r->data[is->role].array);
}

/* Records the names of tags among the field arrays. */
static mt_status start_field_array(reader *r, const mt_xml_tag *tag)
{
    const char *called = mt_xml_attribute(tag->attributes, "Name", "");
    const mt_vtk_type *type = mt_vtk_type_find(mt_xml_attribute(tag->attributes, "type", ""));
    size_t total = 0;
    if (!type || !mt_vtk_grid_is_names(called, type) || r->names.there) return MT_OK;
    MT_TRY(read_size(r, tag->attributes, "NumberOfTuples", &total, &r->n_names));
    return note_array(r, called, tag, 1, &r->names);
}

static mt_status start_element(void *context, mt_xml_tag *tag)
{
    reader *r = context;
    r->depth = tag->depth;
    if (tag->depth == IN_ROOT) return start_root(r, tag->name, tag->attributes);
    if (tag->depth == IN_GRID) return start_grid(r, tag);
    if (tag->depth == IN_PIECE) return start_piece(r, tag->name, tag->attributes);
    if (tag->depth == IN_SECTION && r->open) start_section(r, tag->name);
    if (tag->depth == IN_SECTION && r->in_field) return start_field_array(r, tag);
    if (tag->depth == IN_ARRAY && r->open) return start_array(r, tag);
    return MT_OK;
}

static void end_element(void *context, const char *begin, const char *after)
{
    (void)begin, (void)after;
    reader *r = context;
    if (--r->depth < IN_PIECE) r->open = NULL, r->in_field = false;
}

static mt_status read_tree(reader *r)
{
    static const mt_xml_acts acts = {start_element, end_element, MT_XML_DEPTH};
    MT_TRY(mt_xml_parse(&r->scan, &acts, r));
    if (r->n_pieces > 0) return MT_OK;
    return mt_scan_fail(&r->scan, "has no <Piece> of an UnstructuredGrid or PolyData");
}

/* ---- arrays ---- */

/* Returns the text of an array stored in its element, up to the next tag. */
static mt_scan text_of(const reader *r, const array *a)
{
    mt_scan scan = r->scan;
    scan.at = a->begin;
    scan.line = a->line;
    const char *end = memchr(a->begin, '<', mt_scan_left(&scan));
    if (end) scan.end = end;
    return scan;
}

static mt_status decode_ascii(mt_scan scan, const char *name, size_t n, double *out)
{
    char word[41];
    MT_TRY(mt_vtk_decode_text(&scan, name, n, out));
    mt_scan_word(&scan, word, sizeof word);
    if (!word[0]) return MT_OK;
    return mt_scan_fail(&scan, "array '%s': '%s' after the last of %zu numbers", name, word, n);
}

static mt_status find_bytes(const reader *r, const array *a, const char *name, mt_vtk_bytes *from)
{
    *from = (mt_vtk_bytes){.scan = r->scan,
        .name = name,
        .base64 = a->appended ? r->appended_base64 : a->base64,
        .compressed = r->compressed,
        .big_endian = r->big_endian,
        .word = r->word};
    from->scan.line = a->line;
    if (!a->appended) {
        const mt_scan text = text_of(r, a);
        from->at = text.at, from->end = text.end;
        return MT_OK;
    }
    if (!r->appended)
        return mt_scan_fail(&from->scan, "array '%s' is appended, but there is no AppendedData", name);
    if (a->offset > (size_t)(r->scan.end - r->appended))
        return mt_scan_fail(&from->scan, "array '%s': offset %llu; AppendedData has %zu bytes", name,
            (unsigned long long)a->offset, (size_t)(r->scan.end - r->appended));
    from->at = r->appended + a->offset, from->end = r->scan.end;
    from->dense = true;
    return MT_OK;
}

/* Checks that the array of n x `components` numbers exists and can fit in the file, before memory is allocated. n is bounded
 * by the size of the file. */
static mt_status check_array(const reader *r, const array *a, const char *name, size_t n, size_t components)
{
    if (n == 0) return MT_OK;
    if (!a->there) return mt_fail(MT_INPUT, "%s: a piece has no array '%s'", r->scan.path, name);
    if (a->components != components)
        return mt_fail(MT_INPUT, "%s:%zu: array '%s' has %zu components; allowed: %zu", r->scan.path, a->line,
            name, a->components, components);
    if (a->appended || a->base64) {
        mt_vtk_bytes from;
        MT_TRY(find_bytes(r, a, name, &from));
        return mt_vtk_bytes_check(&from, n * components * a->type->bytes);
    }
    const mt_scan scan = text_of(r, a);
    if (n * components <= mt_scan_left(&scan) / 2 + 1) return MT_OK;
    return mt_scan_fail(&scan, "array '%s': %zu numbers are needed; the data has space for %zu", name,
        n * components, mt_scan_left(&scan) / 2 + 1);
}

/* Decodes the numbers of an array that has passed check_array into out[n]. */
static mt_status decode(const reader *r, const array *a, const char *name, size_t n, double *out)
{
    MT_SCRATCH(own);
    mt_vtk_bytes from;
    const unsigned char *bytes;
    if (n == 0) return MT_OK;
    if (!a->appended && !a->base64) return decode_ascii(text_of(r, a), name, n, out);
    MT_TRY(find_bytes(r, a, name, &from));
    MT_TRY(mt_vtk_bytes_read(own, &from, n * a->type->bytes, &bytes));
    mt_vtk_decode(bytes, a->type, r->big_endian, n, out);
    return MT_OK;
}

/* ---- pieces ---- */

/* Returns the number of corners of n > 0 cells, which is the last offset. */
static mt_status count_corners(reader *r, const double *end, size_t n, size_t *count)
{
    const double last = end[n - 1];
    const size_t most = mt_vtk_most_each * (size_t)(r->scan.end - r->scan.begin) - r->n_corners;
    if (!(last >= 0 && last <= (double)most && last == floor(last)))
        return mt_fail(MT_INPUT, "%s: array 'offsets' ends in %.17g; allowed: a whole number from 0 to %zu",
            r->scan.path, last, most);
    *count = (size_t)last;
    r->n_corners += *count;
    return MT_OK;
}

/* Reads an array with one number per entry. */
static mt_status read_array(
    const reader *r, const array *a, const char *name, size_t n, const double **values)
{
    double *out;
    MT_TRY(check_array(r, a, name, n, 1));
    MT_ALLOC(r->scratch, out, n);
    *values = out;
    return decode(r, a, name, n, out);
}

static mt_status read_cells(reader *r, const piece *p, int kind, mt_vtk_cells *cells)
{
    cells->n = p->n[kind];
    cells->kind = kinds[kind].kind;
    MT_TRY(read_array(r, &p->ends[kind], "offsets", cells->n, &cells->end));
    MT_TRY(count_corners(r, cells->end, cells->n, &cells->n_corners));
    MT_TRY(read_array(r, &p->corners[kind], "connectivity", cells->n_corners, &cells->corner));
    return r->poly_data ? MT_OK : read_array(r, &p->types, "types", cells->n, &cells->type);
}

static const wanted *data_of(const piece *p, bool of_points, mt_vtk_role role)
{
    return of_points ? &p->of_points[role] : &p->of_cells[role];
}

/* Concatenates the arrays with a role from all pieces; all pieces must have the same arrays. */
static mt_status join_data(reader *r, bool of_points, mt_vtk_role role, mt_vtk_data *data)
{
    const size_t each = mt_vtk_components(role);
    double *out;
    bool first = true;
    for (const piece *p = r->pieces; p; p = p->next) {
        const wanted *one = data_of(p, of_points, role);
        const size_t n = of_points ? p->n_points : p->n_elements;
        if (n == 0) continue;
        if (first) data->is = one->is;
        first = false;
        if (one->is != data->is)
            return mt_fail(MT_INPUT,
                "%s: not every piece has an array '%s'; allowed: the same arrays in all pieces", r->scan.path,
                (one->is ? one->is : data->is)->name);
        if (one->is) MT_TRY(check_array(r, &one->array, one->is->name, n, each));
    }
    if (!data->is) return MT_OK;
    MT_ALLOC(r->scratch, out, each * (of_points ? r->grid.n_points : r->grid.n_elements));
    data->values = out;
    for (const piece *p = r->pieces; p; p = p->next) {
        const size_t n = each * (of_points ? p->n_points : p->n_elements);
        MT_TRY(decode(r, &data_of(p, of_points, role)->array, data->is->name, n, out));
        out += n;
    }
    return MT_OK;
}

static mt_status join_points(reader *r)
{
    double *out;
    for (const piece *p = r->pieces; p; p = p->next)
        MT_TRY(check_array(r, &p->points, "Points", p->n_points, 3));
    MT_ALLOC(r->scratch, out, 3 * r->grid.n_points);
    r->grid.xyz = out;
    for (const piece *p = r->pieces; p; p = p->next) {
        MT_TRY(decode(r, &p->points, "Points", 3 * p->n_points, out));
        out += 3 * p->n_points;
    }
    return MT_OK;
}

static mt_status join_cells(reader *r)
{
    size_t first = 0;
    mt_vtk_cells **last = &r->grid.cells;
    for (const piece *p = r->pieces; p; first += p->n_points, p = p->next)
        for (int k = 0; k < KINDS; k++) {
            mt_vtk_cells *cells;
            if (p->n[k] == 0) continue;
            MT_ALLOC(r->scratch, cells, 1);
            cells->first_point = first;
            cells->n_points = p->n_points;
            MT_TRY(read_cells(r, p, k, cells));
            *last = cells;
            last = &cells->next;
        }
    return MT_OK;
}

static mt_status read_names(reader *r)
{
    const double *bytes;
    if (!r->names.there) return MT_OK;
    MT_TRY(read_array(r, &r->names, "names", r->n_names, &bytes));
    return mt_vtk_grid_put_names(r->scratch, &r->grid, r->n_names, bytes);
}

static mt_status join(reader *r)
{
    MT_TRY(read_names(r));
    MT_TRY(join_points(r));
    MT_TRY(join_cells(r));
    for (mt_vtk_role role = 0; role < MT_VTK_ROLES; role++) {
        MT_TRY(join_data(r, false, role, &r->grid.of_cells[role]));
        MT_TRY(join_data(r, true, role, &r->grid.of_points[role]));
    }
    return MT_OK;
}

static mt_status read_grid(reader *r)
{
    r->last = &r->pieces;
    MT_TRY(mt_scan_open(r->scratch, r->grid.path, &r->scan));
    MT_TRY(read_tree(r));
    return join(r);
}

mt_status mt_vtu_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch, .grid.path = path};
    MT_TRY(read_grid(&r));
    return mt_vtk_grid_mesh(arena, &r.grid, unit_mm, mesh);
}

mt_status mt_vtu_read_lines(mt_arena *arena, const char *path, double unit_mm, mt_lines *lines)
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch, .grid = {.path = path, .for_lines = true}};
    *lines = (mt_lines){0};
    MT_TRY(read_grid(&r));
    return mt_vtk_grid_lines(arena, &r.grid, unit_mm, lines);
}
