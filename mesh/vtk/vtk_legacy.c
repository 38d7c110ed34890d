#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/files/scan.h"
#include "mesh/vtk/vtk.h"
#include "mesh/vtk/vtk_grid.h"

enum { NAME_SIZE = 256 };

/* The sections of polygonal cells in VTK's order of cell data, and the types of their cells. */
enum { VERTICES, LINES, POLYGONS, STRIPS, SECTIONS };
static const int kind_of_section[SECTIONS] = {2, 4, 7, 6};

/* State of the reader; arrays are in the scratch arena. */
typedef struct reader {
    mt_scan scan;
    mt_arena *scratch;
    bool binary, poly_data;
    bool split;    /* version 5: offsets and corners in separate arrays */
    bool of_cells; /* True if the data that follow belong to cells */
    size_t n_data; /* number of cells or points; SIZE_MAX before it is known */
    bool has_points;
    size_t n_types;
    double *types;                  /* NULL before they are read */
    mt_vtk_cells section[SECTIONS]; /* cells of an unstructured grid are in the first */
    mt_vtk_grid grid;
} reader;

/* ---- numbers ---- */

static mt_status read_type(reader *r, const mt_vtk_type **type)
{
    char word[41];
    mt_scan_word(&r->scan, word, sizeof word);
    *type = mt_vtk_type_find(word);
    if (*type) return MT_OK;
    return mt_scan_fail(&r->scan,
        "type of numbers '%s'; allowed: char, short, int, long, each also unsigned_..., float, double, "
        "vtkIdType, vtktypeint64",
        word);
}

/* Skips raw numbers; counts the line ends in them, as an editor would. */
static void move(reader *r, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++) r->scan.line += r->scan.at[k] == '\n';
    r->scan.at += bytes;
}

/* Checks that n numbers can remain in the file. */
static mt_status check_room(const reader *r, const char *what, const mt_vtk_type *type, size_t n)
{
    const size_t left = mt_scan_left(&r->scan);
    const size_t most = r->binary ? left / type->bytes : left / 2 + 1;
    if (n <= most) return MT_OK;
    return mt_scan_fail(
        &r->scan, "%zu numbers (%s) are counted; the rest of the file has space for %zu", n, what, most);
}

/* Reads n numbers; raw numbers begin on the next line. */
static mt_status read_numbers(reader *r, const char *what, const mt_vtk_type *type, size_t n, double **values)
{
    if (r->binary) mt_scan_next_line(&r->scan);
    MT_TRY(check_room(r, what, type, n));
    MT_ALLOC(r->scratch, *values, n);
    if (!r->binary) return mt_vtk_decode_text(&r->scan, what, n, *values);
    mt_vtk_decode((const unsigned char *)r->scan.at, type, true, n, *values);
    move(r, n * type->bytes);
    return MT_OK;
}

static mt_status skip_numbers(reader *r, const char *what, const mt_vtk_type *type, size_t n)
{
    char word[2];
    if (r->binary) mt_scan_next_line(&r->scan);
    MT_TRY(check_room(r, what, type, n));
    if (r->binary) {
        move(r, n * type->bytes);
        return MT_OK;
    }
    for (size_t k = 0; k < n; k++) mt_scan_word(&r->scan, word, sizeof word);
    if (n == 0 || word[0]) return MT_OK;
    return mt_scan_fail(&r->scan, "the file ends before the last of %zu numbers of %s", n, what);
}

/* ---- points and cells ---- */

/* Checks that no data precede this section: their length must equal the number of points or cells read before. */
static mt_status check_no_data(const reader *r, const char *name)
{
    if (r->n_data == SIZE_MAX) return MT_OK;
    return mt_scan_fail(&r->scan, "%s after CELL_DATA or POINT_DATA; allowed: before them", name);
}

static mt_status read_points(reader *r)
{
    const mt_vtk_type *type;
    MT_TRY(check_no_data(r, "POINTS"));
    if (r->has_points) return mt_scan_fail(&r->scan, "a second section POINTS; allowed: one");
    r->has_points = true;
    MT_TRY(mt_scan_count(&r->scan, "number of points", 3, &r->grid.n_points));
    MT_TRY(read_type(r, &type));
    return read_numbers(r, "coordinate", type, 3 * r->grid.n_points, &r->grid.xyz);
}

/* Reads cells before version 5: "k corner corner ..." for each cell, `size` numbers in total. */
static mt_status read_joined(reader *r, const char *name, size_t n, size_t size, mt_vtk_cells *cells)
{
    double *numbers, *end;
    size_t at = 0, filled = 0;
    if (n > size)
        return mt_scan_fail(&r->scan, "%zu %s in %zu numbers; each needs at least one", n, name, size);
    MT_TRY(read_numbers(r, "corners of cells", mt_vtk_type_find("int"), size, &numbers));
    MT_ALLOC(r->scratch, end, n);
    for (size_t k = 0; k < n; k++) {
        const double corners = at < size ? numbers[at++] : -1;
        if (!(corners >= 0 && corners <= (double)(size - at) && corners == (double)(size_t)corners))
            return mt_scan_fail(
                &r->scan, "%s: cell %zu of %zu ends after the %zu numbers of the section", name, k, n, size);
        memmove(numbers + filled, numbers + at, (size_t)corners * sizeof *numbers);
        at += (size_t)corners, filled += (size_t)corners;
        end[k] = (double)filled;
    }
    if (at != size)
        return mt_scan_fail(
            &r->scan, "%s: the cells have %zu numbers; the section counts %zu", name, at, size);
    *cells = (mt_vtk_cells){.n = n, .end = end, .n_corners = filled, .corner = numbers};
    return MT_OK;
}

/* Reads one of the two arrays of version 5. */
static mt_status read_part(reader *r, const char *name, size_t n, double **values)
{
    char word[NAME_SIZE];
    const mt_vtk_type *type;
    mt_scan_word(&r->scan, word, sizeof word);
    if (strcasecmp(word, name) != 0) return mt_scan_fail(&r->scan, "'%.40s'; expected: %s", word, name);
    MT_TRY(read_type(r, &type));
    return read_numbers(r, name, type, n, values);
}

static mt_status read_split(reader *r, const char *name, size_t n, size_t size, mt_vtk_cells *cells)
{
    double *offset, *corner;
    if (n == 0) return MT_OK;
    MT_TRY(read_part(r, "OFFSETS", n, &offset));
    MT_TRY(read_part(r, "CONNECTIVITY", size, &corner));
    if (offset[0] != 0 || offset[n - 1] != (double)size)
        return mt_scan_fail(&r->scan, "%s: offsets from %.17g to %.17g; allowed: from 0 to %zu", name,
            offset[0], offset[n - 1], size);
    *cells = (mt_vtk_cells){.n = n - 1, .end = offset + 1, .n_corners = size, .corner = corner};
    return MT_OK;
}

static mt_status read_cells(reader *r, const char *name, int section)
{
    size_t n, size;
    mt_vtk_cells *cells = &r->section[section];
    MT_TRY(check_no_data(r, name));
    if (cells->corner) return mt_scan_fail(&r->scan, "a second section %s; allowed: one", name);
    MT_TRY(mt_scan_count(&r->scan, "number of cells", 2, &n));
    MT_TRY(mt_scan_count(&r->scan, "size of the section", 2, &size));
    MT_TRY((r->split ? read_split : read_joined)(r, name, n, size, cells));
    cells->kind = kind_of_section[section];
    r->grid.n_elements += cells->n;
    return MT_OK;
}

static mt_status read_cell_types(reader *r)
{
    if (r->types) return mt_scan_fail(&r->scan, "a second section CELL_TYPES; allowed: one");
    MT_TRY(mt_scan_count(&r->scan, "number of cells", 2, &r->n_types));
    return read_numbers(r, "type of a cell", mt_vtk_type_find("int"), r->n_types, &r->types);
}

/* ---- data of cells and points ---- */

static mt_status read_data(reader *r, const char *name, bool of_cells)
{
    const size_t there = of_cells ? r->grid.n_elements : r->grid.n_points;
    MT_TRY(mt_scan_count(&r->scan, name, 1, &r->n_data));
    if (r->n_data != there)
        return mt_scan_fail(
            &r->scan, "%s %zu; the mesh has %zu %s", name, r->n_data, there, of_cells ? "cells" : "points");
    r->of_cells = of_cells;
    return MT_OK;
}

/* Reads the names of tags, an array of the file itself. */
static mt_status read_names(reader *r, const mt_vtk_type *type, size_t n)
{
    double *bytes;
    MT_TRY(read_numbers(r, "names", type, n, &bytes));
    return mt_vtk_grid_put_names(r->scratch, &r->grid, n, bytes);
}

/* Reads an array of n x `components` numbers, or skips it if the mesh does not use it. */
static mt_status read_array(reader *r, const char *name, const mt_vtk_type *type, size_t components, size_t n)
{
    mt_vtk_data *data;
    size_t numbers;
    if (__builtin_mul_overflow(n, components, &numbers)) numbers = SIZE_MAX;
    if (r->n_data == SIZE_MAX && mt_vtk_grid_is_names(name, type)) return read_names(r, type, numbers);
    if (r->n_data != n || !mt_vtk_grid_take(&r->grid, name, components, !r->of_cells, &data))
        return skip_numbers(r, name, type, numbers);
    return read_numbers(r, name, type, numbers, &data->values);
}

/* Reads "SCALARS name type [components]", then "LOOKUP_TABLE name", which some programs omit. */
static mt_status read_scalars(reader *r)
{
    char name[NAME_SIZE], word[NAME_SIZE];
    const mt_vtk_type *type;
    int64_t components = 1;
    mt_scan_word(&r->scan, name, sizeof name);
    MT_TRY(read_type(r, &type));
    if (mt_scan_more(&r->scan)) MT_TRY(mt_scan_int(&r->scan, "components of an array", 1, 1000, &components));
    const mt_scan before = r->scan;
    mt_scan_word(&r->scan, word, sizeof word);
    if (strcasecmp(word, "LOOKUP_TABLE") == 0)
        mt_scan_word(&r->scan, word, sizeof word);
    else
        r->scan = before;
    return read_array(r, name, type, (size_t)components, r->n_data);
}

/* Reads "VECTORS name type" and similar arrays. */
static mt_status read_vectors(reader *r, size_t components)
{
    char name[NAME_SIZE];
    const mt_vtk_type *type;
    mt_scan_word(&r->scan, name, sizeof name);
    MT_TRY(read_type(r, &type));
    return read_array(r, name, type, components, r->n_data);
}

/* Reads "TEXTURE_COORDINATES name components type". */
static mt_status read_texture(reader *r)
{
    char name[NAME_SIZE];
    const mt_vtk_type *type;
    int64_t components;
    mt_scan_word(&r->scan, name, sizeof name);
    MT_TRY(mt_scan_int(&r->scan, "components of an array", 1, 1000, &components));
    MT_TRY(read_type(r, &type));
    return read_array(r, name, type, (size_t)components, r->n_data);
}

/* Skips "COLOR_SCALARS name components" and "LOOKUP_TABLE name size": a byte or a float for each component of a colour. */
static mt_status skip_colours(reader *r, bool table)
{
    char name[NAME_SIZE];
    size_t n, numbers;
    mt_scan_word(&r->scan, name, sizeof name);
    MT_TRY(mt_scan_count(&r->scan, "number of colours", 1, &n));
    if (__builtin_mul_overflow(n, table ? 4 : r->n_data, &numbers)) numbers = SIZE_MAX;
    if (!table) mt_vtk_unused_add(&r->grid.unused, name, !r->of_cells, n);
    return skip_numbers(r, name, mt_vtk_type_find("unsigned_char"), numbers);
}

/* Skips to the next empty line. */
static void skip_metadata(reader *r)
{
    do mt_scan_next_line(&r->scan);
    while (mt_scan_more(&r->scan));
}

/* Reads "FIELD name n", then n times "name components tuples type" and the numbers. */
static mt_status read_field(reader *r)
{
    char name[NAME_SIZE];
    size_t n_arrays, components, tuples;
    const mt_vtk_type *type;
    mt_scan_word(&r->scan, name, sizeof name);
    MT_TRY(mt_scan_count(&r->scan, "number of arrays", 1, &n_arrays));
    for (size_t k = 0; k < n_arrays; k++) {
        mt_scan_word(&r->scan, name, sizeof name);
        if (strcasecmp(name, "METADATA") == 0) { /* of the previous array */
            skip_metadata(r);
            mt_scan_word(&r->scan, name, sizeof name);
        }
        MT_TRY(mt_scan_count(&r->scan, "components of an array", 1, &components));
        MT_TRY(mt_scan_count(&r->scan, "length of an array", 1, &tuples));
        MT_TRY(read_type(r, &type));
        MT_TRY(read_array(r, name, type, components, tuples));
    }
    return MT_OK;
}

/* ---- the file ---- */

static mt_status read_section(reader *r, const char *word)
{
    static const struct {
        const char *name;
        int section;
        bool poly_data;
    } cells[] = {{"CELLS", 0, false}, {"VERTICES", VERTICES, true}, {"LINES", LINES, true},
        {"POLYGONS", POLYGONS, true}, {"TRIANGLE_STRIPS", STRIPS, true}};
    static const struct {
        const char *name;
        size_t components;
    } vectors[] = {{"VECTORS", 3}, {"NORMALS", 3}, {"TENSORS", 9}, {"TENSORS6", 6}, {"GLOBAL_IDS", 1},
        {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        if (strcasecmp(word, cells[k].name) == 0 && r->poly_data == cells[k].poly_data)
            return read_cells(r, cells[k].name, cells[k].section);
    if (strcasecmp(word, "POINTS") == 0) return read_points(r);
    if (strcasecmp(word, "CELL_TYPES") == 0 && !r->poly_data) return read_cell_types(r);
    if (strcasecmp(word, "CELL_DATA") == 0) return read_data(r, "CELL_DATA", true);
    if (strcasecmp(word, "POINT_DATA") == 0) return read_data(r, "POINT_DATA", false);
    if (strcasecmp(word, "FIELD") == 0) return read_field(r);
    if (strcasecmp(word, "METADATA") == 0) return skip_metadata(r), MT_OK;
    if (strcasecmp(word, "LOOKUP_TABLE") == 0) return skip_colours(r, true);
    if (r->n_data == SIZE_MAX)
        return mt_scan_fail(&r->scan, "'%.40s'; expected: a section of a %s", word,
            r->poly_data ? "POLYDATA" : "UNSTRUCTURED_GRID");
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (strcasecmp(word, vectors[k].name) == 0) return read_vectors(r, vectors[k].components);
    if (strcasecmp(word, "SCALARS") == 0) return read_scalars(r);
    if (strcasecmp(word, "TEXTURE_COORDINATES") == 0) return read_texture(r);
    if (strcasecmp(word, "COLOR_SCALARS") == 0) return skip_colours(r, false);
    return mt_scan_fail(&r->scan, "'%.40s'; expected: a section or a data array", word);
}

static mt_status read_header(reader *r)
{
    static const char begin[] = "# vtk DataFile Version ";
    char word[41];
    if (mt_scan_left(&r->scan) < sizeof begin || strncasecmp(r->scan.at, begin, sizeof begin - 1) != 0)
        return mt_scan_fail(&r->scan, "not a legacy VTK file: it does not begin with '%s'", begin);
    r->scan.at += sizeof begin - 1;
    mt_scan_word(&r->scan, word, sizeof word);
    if (word[0] < '1' || word[0] > '5' || word[1] != '.')
        return mt_scan_fail(&r->scan, "version '%s'; allowed: 1.0 to 5.1", word);
    r->split = word[0] == '5';
    mt_scan_next_line(&r->scan); /* the title is arbitrary */
    mt_scan_next_line(&r->scan);
    mt_scan_word(&r->scan, word, sizeof word);
    r->binary = strcasecmp(word, "BINARY") == 0;
    if (!r->binary && strcasecmp(word, "ASCII") != 0)
        return mt_scan_fail(&r->scan, "'%s'; allowed: ASCII, BINARY", word);
    mt_scan_word(&r->scan, word, sizeof word);
    if (strcasecmp(word, "DATASET") != 0) return mt_scan_fail(&r->scan, "'%s'; expected: DATASET", word);
    mt_scan_word(&r->scan, word, sizeof word);
    r->poly_data = strcasecmp(word, "POLYDATA") == 0;
    if (r->poly_data || strcasecmp(word, "UNSTRUCTURED_GRID") == 0) return MT_OK;
    return mt_scan_fail(&r->scan, "DATASET '%s'; allowed: UNSTRUCTURED_GRID, POLYDATA", word);
}

/* Builds the grid from the sections. */
static mt_status join(reader *r)
{
    mt_vtk_cells **last = &r->grid.cells;
    if (!r->has_points) return mt_scan_fail(&r->scan, "the file ends without POINTS");
    if (!r->poly_data && r->n_types != r->section[0].n)
        return mt_scan_fail(&r->scan, "%zu CELL_TYPES for %zu CELLS", r->n_types, r->section[0].n);
    r->section[0].type = r->types;
    for (int s = 0; s < SECTIONS; s++) {
        r->section[s].n_points = r->grid.n_points;
        *last = &r->section[s];
        last = &r->section[s].next;
    }
    return MT_OK;
}

static mt_status read_grid(reader *r)
{
    MT_TRY(mt_scan_open(r->scratch, r->grid.path, &r->scan));
    MT_TRY(read_header(r));
    for (;;) {
        char word[41];
        mt_scan_word(&r->scan, word, sizeof word);
        if (r->scan.at == r->scan.end && !word[0]) break;
        MT_TRY(read_section(r, word));
    }
    return join(r);
}

mt_status mt_vtk_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch, .n_data = SIZE_MAX, .grid.path = path};
    MT_TRY(read_grid(&r));
    return mt_vtk_grid_mesh(arena, &r.grid, unit_mm, mesh);
}

mt_status mt_vtk_read_lines(mt_arena *arena, const char *path, double unit_mm, mt_lines *lines)
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch, .n_data = SIZE_MAX, .grid = {.path = path, .for_lines = true}};
    *lines = (mt_lines){0};
    MT_TRY(read_grid(&r));
    return mt_vtk_grid_lines(arena, &r.grid, unit_mm, lines);
}
