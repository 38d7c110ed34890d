#include <string.h>

#include "data/file.h"
#include "mesh/vtk.h"

enum { TRIANGLE = 5, TETRAHEDRON = 10 };

/* An array of the file: n times `components` numbers, which `put` writes one after the other. */
typedef struct array {
    const char *section, *type, *name;
    size_t bytes, components, n;                 /* bytes of a number */
    void (*put)(FILE *out, const mt_mesh *mesh); /* NULL: the mesh has none */
} array;

static void put(FILE *out, const void *values, size_t bytes) { (void)fwrite(values, 1, bytes, out); }

static void put_int32(FILE *out, int32_t value) { put(out, &value, sizeof value); }

static void put_index(FILE *out, size_t index)
{
    const int64_t value = (int64_t)index;
    put(out, &value, sizeof value);
}

static void put_points(FILE *out, const mt_mesh *mesh)
{
    put(out, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *mesh->xyz_mm);
}

static void put_corners(FILE *out, const mt_mesh *mesh)
{
    for (size_t k = 0; k < 4 * mesh->n_cells; k++) put_index(out, mesh->cell_vertex[k]);
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) put_index(out, mesh->face_vertex[k]);
}

static void put_offsets(FILE *out, const mt_mesh *mesh)
{
    for (size_t c = 1; c <= mesh->n_cells; c++) put_index(out, 4 * c);
    for (size_t f = 1; f <= mesh->n_faces; f++) put_index(out, 4 * mesh->n_cells + 3 * f);
}

static void put_types(FILE *out, const mt_mesh *mesh)
{
    for (size_t c = 0; c < mesh->n_cells; c++) (void)fputc(TETRAHEDRON, out);
    for (size_t f = 0; f < mesh->n_faces; f++) (void)fputc(TRIANGLE, out);
}

static void put_regions(FILE *out, const mt_mesh *mesh)
{
    put(out, mesh->region, mesh->n_cells * sizeof *mesh->region);
    put(out, mesh->face_tag, mesh->n_faces * sizeof *mesh->face_tag);
}

/* Those of cells, then 0 for each triangle. */
static void put_doubles(FILE *out, const mt_mesh *mesh, size_t components, const double *values)
{
    const double zero[3] = {0};
    put(out, values, components * mesh->n_cells * sizeof *values);
    for (size_t f = 0; f < mesh->n_faces; f++) put(out, zero, components * sizeof *zero);
}

static void put_fibres(FILE *out, const mt_mesh *mesh) { put_doubles(out, mesh, 3, mesh->fibre); }
static void put_sheets(FILE *out, const mt_mesh *mesh) { put_doubles(out, mesh, 3, mesh->sheet); }
static void put_depths(FILE *out, const mt_mesh *mesh) { put_doubles(out, mesh, 1, mesh->depth); }

static void put_normals(FILE *out, const mt_mesh *mesh)
{
    double normal[3] = {0};
    for (size_t c = 0; c < mesh->n_cells; c++) {
        mt_mesh_normal(mesh, c, normal);
        put(out, normal, sizeof normal);
    }
    memset(normal, 0, sizeof normal);
    for (size_t f = 0; f < mesh->n_faces; f++) put(out, normal, sizeof normal);
}

static void put_layers(FILE *out, const mt_mesh *mesh)
{
    put(out, mesh->layer, mesh->n_cells * sizeof *mesh->layer);
    for (size_t f = 0; f < mesh->n_faces; f++) put_int32(out, 0);
}

static uint64_t bytes_of(const array *a) { return (uint64_t)a->n * a->components * a->bytes; }

static void put_file(FILE *out, const mt_mesh *mesh, size_t n_arrays, const array *arrays)
{
    const size_t n = mesh->n_cells + mesh->n_faces;
    const char *order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "BigEndian" : "LittleEndian",
               *section = NULL;
    uint64_t offset = 0;
    (void)fprintf(out,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
        "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
        order, mesh->n_vertices, n);
    for (const array *a = arrays; a < arrays + n_arrays; a++) {
        if (section && strcmp(section, a->section) != 0) (void)fprintf(out, "</%s>\n", section);
        if (!section || strcmp(section, a->section) != 0) (void)fprintf(out, "<%s>\n", a->section);
        section = a->section;
        if (!a->put) continue;
        (void)fprintf(out,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\" format=\"appended\" "
            "offset=\"%llu\"/>\n",
            a->type, a->name, a->components, (unsigned long long)offset);
        offset += sizeof(uint64_t) + bytes_of(a);
    }
    (void)fprintf(out, "</%s>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_", section);
    for (const array *a = arrays; a < arrays + n_arrays; a++) {
        const uint64_t bytes = bytes_of(a);
        if (!a->put) continue;
        put(out, &bytes, sizeof bytes);
        a->put(out, mesh);
    }
    (void)fputs("\n</AppendedData>\n</VTKFile>\n", out);
}

mt_status mt_vtu_write(const char *path, const mt_mesh *mesh)
{
    const size_t n = mesh->n_cells + mesh->n_faces, n_corners = 4 * mesh->n_cells + 3 * mesh->n_faces;
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
    };
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    put_file(file.stream, mesh, sizeof arrays / sizeof *arrays, arrays);
    return mt_file_end(&file, MT_OK);
}
