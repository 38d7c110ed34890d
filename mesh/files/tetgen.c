#include "mesh/files/tetgen.h"

#include <string.h>
#include <unistd.h>

#include "data/files/file.h"
#include "data/files/scan.h"
#include "mesh/names.h"
#include "mesh/vtk/vtk_names.h"

/* Formats follow TetGen's manual, "File formats", and Chaste's TrianglesMeshWriter, TrianglesMeshReader and FibreReader. */

static const char *const endings[] = {".node", ".ele", ".face", ".ortho", ".axi", NULL};

/* ---- a file of rows ---- */

typedef struct rows {
    mt_scan scan;
    const char *what; /* plural noun for the rows, for messages */
    size_t n;
    size_t numbers;   /* numbers of a row, including its id */
    size_t at;        /* numbers of the current row already read */
    uint8_t *on_edge; /* [n_vertices] second order: nonzero for a vertex on an edge; else NULL */
    char path[MT_FILE_PATH_MAX];
} rows;

/* An optional number after the count in the first line, with its limits; `value` is unchanged if the number is absent. */
typedef struct head {
    const char *what;
    int64_t least, most, value;
} head;

static bool is_there(const char *name, const char *ending)
{
    char path[MT_FILE_PATH_MAX];
    return mt_file_sibling(name, endings, ending, path) == MT_OK && access(path, F_OK) == 0;
}

/* Reads the first line: "count [head ...] [BIN]". The rows follow. */
static mt_status read_head(rows *r, size_t n_head, head *h)
{
    int64_t n;
    bool binary = false;
    MT_TRY(mt_scan_int(&r->scan, "count", 0, UINT32_MAX - 1, &n));
    r->n = (size_t)n;
    for (size_t k = 0; !binary && mt_scan_more(&r->scan); k++) {
        char word[5];
        mt_scan behind = r->scan;
        mt_scan_word(&behind, word, sizeof word);
        binary = strcmp(word, "BIN") == 0;
        if (binary)
            r->scan = behind;
        else if (k < n_head)
            MT_TRY(mt_scan_int(&r->scan, h[k].what, h[k].least, h[k].most, &h[k].value));
        else
            break;
    }
    MT_TRY(mt_scan_end_line(&r->scan, "the first line"));
    if (binary) mt_scan_next_line(&r->scan);
    r->scan.binary = binary;
    return MT_OK;
}

/* Opens a file and reads its first line. */
static mt_status open_rows(mt_arena *scratch, const char *name, const char *ending, const char *what,
    size_t n_head, head *h, rows *r)
{
    MT_TRY(mt_file_sibling(name, endings, ending, r->path));
    MT_TRY(mt_scan_open(scratch, r->path, &r->scan));
    r->scan.comment = '#';
    r->what = what;
    return read_head(r, n_head, h);
}

/* Checks that the file can contain its rows, each with an id (not if binary), `ints` and `reals`. */
static mt_status expect_rows(rows *r, bool ids, size_t ints, size_t reals)
{
    r->numbers = ints + reals + (ids && !r->scan.binary ? 1 : 0);
    const size_t each = r->scan.binary ? 4 * ints + 8 * reals : 2 * r->numbers;
    const size_t most = (mt_scan_left(&r->scan) + 1) / each; /* no blank after the last number */
    if (r->n <= most) return MT_OK;
    return mt_scan_fail(
        &r->scan, "%zu %s are counted; the rest of the file has space for %zu", r->n, r->what, most);
}

/* Checks, before each number but the first of a row, that it is on the same line. */
static mt_status next(rows *r)
{
    if (r->at == r->numbers) r->at = 0;
    const size_t before = r->at++;
    return before == 0 ? MT_OK : mt_scan_need_more(&r->scan, before, r->numbers);
}

static mt_status read_int(rows *r, const char *what, int64_t least, int64_t most, int64_t *value)
{
    MT_TRY(next(r));
    return mt_scan_int(&r->scan, what, least, most, value);
}

static mt_status read_real(rows *r, const char *what, double most, double *value)
{
    MT_TRY(next(r));
    return mt_scan_real(&r->scan, what, most, value);
}

/* Reads the id of a row of text; ids are consecutive. */
static mt_status read_id(rows *r, size_t row, int64_t first)
{
    int64_t id;
    if (r->scan.binary) return MT_OK;
    return read_int(r, "id", first + (int64_t)row, first + (int64_t)row, &id);
}

static mt_status read_vertices(rows *r, const mt_mesh *mesh, int64_t first, size_t n, uint32_t *vertex)
{
    for (size_t k = 0; k < n; k++) {
        int64_t id;
        MT_TRY(read_int(r, "vertex", first, first + (int64_t)mesh->n_vertices - 1, &id));
        vertex[k] = (uint32_t)(id - first);
    }
    return MT_OK;
}

static mt_status skip_reals(rows *r, size_t n)
{
    double unused;
    for (size_t k = 0; k < n; k++) MT_TRY(read_real(r, "attribute or marker", 1e300, &unused));
    return MT_OK;
}

/* ---- the files ---- */

/* Reads the vertices of the mesh and the first id. */
static mt_status read_points(rows *r, double unit_mm, mt_mesh *mesh, int64_t *first)
{
    mt_scan peek = r->scan;
    *first = 0;
    if (!peek.binary) MT_TRY(mt_scan_int(&peek, "first id", 0, 1, first));
    for (size_t v = 0; v < r->n; v++) {
        MT_TRY(read_id(r, v, *first));
        for (size_t k = 0; k < 3; k++) {
            double *x = mesh->xyz_mm + 3 * v + k;
            MT_TRY(read_real(r, "coordinate", mt_mesh_far_mm / unit_mm, x));
            *x *= unit_mm;
        }
        MT_TRY(skip_reals(r, r->numbers - r->at));
        MT_TRY(mt_scan_end_line(&r->scan, "a vertex"));
    }
    return mt_scan_end_file(&r->scan, r->what, r->n);
}

/* Reads the `corners` corners of an element or triangle, followed by the vertices on its edges if it has second order. */
static mt_status read_corners(rows *r, const mt_mesh *mesh, int64_t first, size_t corners, uint32_t *vertex)
{
    uint32_t on_edge[6];
    MT_TRY(read_vertices(r, mesh, first, corners, vertex));
    if (!r->on_edge) return MT_OK;
    const size_t n = corners == 4 ? 6 : 3;
    MT_TRY(read_vertices(r, mesh, first, n, on_edge));
    for (size_t k = 0; k < n; k++) r->on_edge[on_edge[k]] = 1;
    return MT_OK;
}

/* Reads the elements, and marks those without a region in without[n_elements] (zero-initialised). */
static mt_status read_elements(rows *r, int64_t first, mt_mesh *mesh, uint8_t *without, mt_vtk_odd *odd)
{
    for (size_t c = 0; c < r->n; c++) {
        MT_TRY(read_id(r, c, first));
        MT_TRY(read_corners(r, mesh, first, 4, mesh->element_vertex + 4 * c));
        without[c] = r->at == r->numbers;
        if (!without[c]) {
            double region;
            MT_TRY(read_real(r, "attribute", 1e300, &region));
            without[c] = !mt_vtk_integer(region, c + (size_t)first, &mesh->region[c], odd);
        }
        MT_TRY(skip_reals(r, r->numbers - r->at));
        MT_TRY(mt_scan_end_line(&r->scan, "an element"));
    }
    return mt_scan_end_file(&r->scan, r->what, r->n);
}

/* Counts the words of the next row of text. */
static size_t row_words(mt_scan scan)
{
    char word[2];
    mt_scan_word(&scan, word, sizeof word);
    return mt_scan_words(&scan) + 1;
}

/* Reads the marker of a triangle as tag of the next triangle of the mesh, which is kept if it is not 0. */
static mt_status read_marker(rows *r, mt_mesh *mesh)
{
    double marker;
    mt_vtk_odd odd = {0};
    MT_TRY(read_real(r, "marker", 1e300, &marker));
    if (!mt_vtk_integer(marker, 0, &mesh->face_tag[mesh->n_faces], &odd))
        return mt_scan_fail(&r->scan, "marker is %g; allowed: a whole number of 32 bits", marker);
    mesh->n_faces += marker != 0;
    return MT_OK;
}

/* Reads the tagged triangles. TetGen may add the numbers of the two elements of a triangle after the marker. `on_edge`: as
 * for the elements; triangles of a second-order mesh may be of first order. */
static mt_status read_faces(
    mt_arena *arena, mt_arena *scratch, const char *name, int64_t first, uint8_t *on_edge, mt_mesh *mesh)
{
    rows r = {0};
    head markers = {"number of markers", 0, 1, 0};
    if (!is_there(name, ".face")) return MT_OK;
    MT_TRY(open_rows(scratch, name, ".face", "triangles", 1, &markers, &r));
    if (on_edge && (r.scan.binary || row_words(r.scan) >= 8)) r.on_edge = on_edge;
    MT_TRY(expect_rows(&r, true, r.on_edge ? 6 : 3, (size_t)markers.value));
    if (markers.value == 0) return MT_OK;
    MT_TRY(mt_mesh_new_faces(arena, r.n, mesh));
    mesh->n_faces = 0;
    for (size_t f = 0; f < r.n; f++) {
        MT_TRY(read_id(&r, f, first));
        MT_TRY(read_corners(&r, mesh, first, 3, mesh->face_vertex + 3 * mesh->n_faces));
        MT_TRY(read_marker(&r, mesh));
        for (int k = 0; k < 2 && !r.scan.binary && mt_scan_more(&r.scan); k++) {
            int64_t element;
            MT_TRY(mt_scan_int(&r.scan, "element of a triangle", -1, UINT32_MAX, &element));
        }
        MT_TRY(mt_scan_end_line(&r.scan, "a triangle"));
    }
    return mt_scan_end_file(&r.scan, r.what, r.n);
}

/* Reads rows of 9 or 3 numbers. */
static mt_status read_fibres(mt_arena *arena, mt_arena *scratch, const char *name, mt_mesh *mesh)
{
    rows r = {0};
    const bool ortho = is_there(name, ".ortho");
    if (!ortho && !is_there(name, ".axi")) return MT_OK;
    MT_TRY(open_rows(scratch, name, ortho ? ".ortho" : ".axi", "fibres", 0, NULL, &r));
    if (ortho && is_there(name, ".axi"))
        MT_TRY(mt_mesh_note(
            arena, mesh, "fibres are read from .ortho, which also has sheets; .axi is not used"));
    if (r.n != mesh->n_elements)
        return mt_scan_fail(
            &r.scan, "%zu fibres are counted; allowed: %zu, the elements of the mesh", r.n, mesh->n_elements);
    MT_TRY(expect_rows(&r, false, 0, ortho ? 9 : 3));
    MT_TRY(mt_mesh_new_fibres(arena, mesh));
    if (ortho) MT_ALLOC(arena, mesh->sheet, 3 * mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[9];
        for (size_t k = 0; k < r.numbers; k++) MT_TRY(read_real(&r, "component of a direction", 1e6, &x[k]));
        if (!mt_mesh_put_directions(mesh, c, x, x + 3))
            return mt_scan_fail(&r.scan, "a fibre of length 0, or a sheet of length 0 or parallel to its "
                                         "fibre; every element needs directions");
        MT_TRY(mt_scan_end_line(&r.scan, "the directions of an element"));
    }
    return mt_scan_end_file(&r.scan, r.what, r.n);
}

/* Removes the vertices on edges of a second-order mesh. */
static mt_status drop_on_edges(mt_arena *arena, mt_arena *scratch, uint8_t *on_edge, mt_mesh *mesh)
{
    const size_t before = mesh->n_vertices;
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) on_edge[mesh->element_vertex[k]] = 0;
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) on_edge[mesh->face_vertex[k]] = 0;
    for (size_t v = 0; v < before; v++) on_edge[v] = !on_edge[v];
    MT_TRY(mt_mesh_keep_vertices(scratch, mesh, on_edge));
    return mt_mesh_note_curved(arena, mesh, mesh->n_elements, before - mesh->n_vertices);
}

static mt_status check_order(const rows *elements, int64_t vertices)
{
    if (vertices == 4 || vertices == 10) return MT_OK;
    return mt_scan_fail(&elements->scan,
        "number of vertices per element is %lld; allowed: 4, or 10 (second order)", (long long)vertices);
}

mt_status mt_tetgen_read(mt_arena *arena, const char *name, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    enum { MANY = 1000 };
    head of_points[] = {
        {"dimension", 3, 3, 3}, {"number of attributes", 0, MANY, 0}, {"number of markers", 0, 1, 0}};
    head of_elements[] = {{"number of vertices per element", 4, 10, 4}, {"number of attributes", 0, MANY, 0}};
    rows points = {0}, elements = {0};
    int64_t first;
    mt_vtk_odd odd = {0};
    uint8_t *without;
    MT_TRY(open_rows(scratch, name, ".node", "vertices", 3, of_points, &points));
    MT_TRY(expect_rows(&points, true, 0, 3 + (size_t)(of_points[1].value + of_points[2].value)));
    MT_TRY(open_rows(scratch, name, ".ele", "elements", 2, of_elements, &elements));
    MT_TRY(check_order(&elements, of_elements[0].value));
    MT_TRY(expect_rows(&elements, true, (size_t)of_elements[0].value, (size_t)of_elements[1].value));
    if (points.n == 0 || elements.n == 0)
        return mt_fail(MT_INPUT, "%s: counts no %s", points.n == 0 ? points.path : elements.path,
            points.n == 0 ? "vertices" : "elements");
    MT_TRY(mt_mesh_new(arena, points.n, elements.n, mesh));
    MT_TRY(read_points(&points, unit_mm, mesh, &first));
    if (of_elements[0].value == 10) MT_ALLOC(scratch, elements.on_edge, mesh->n_vertices);
    MT_ALLOC(scratch, without, mesh->n_elements);
    MT_TRY(read_elements(&elements, first, mesh, without, &odd));
    MT_TRY(mt_vtk_odd_note(arena, &odd, "attribute", "element", mesh));
    MT_TRY(mt_names_unassigned(arena, mesh, without));
    MT_TRY(read_faces(arena, scratch, name, first, elements.on_edge, mesh));
    if (elements.on_edge) MT_TRY(drop_on_edges(arena, scratch, elements.on_edge, mesh));
    return read_fibres(arena, scratch, name, mesh);
}
