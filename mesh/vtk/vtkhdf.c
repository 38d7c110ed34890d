#include "mesh/vtk/vtkhdf.h"

#include <stdio.h>
#include <string.h>

#include "data/files/h5.h"
#include "mesh/names.h"
#include "mesh/vtk/vtkhdf_other.h"

static const char face_vertex[] = "VTKHDF/FieldData/face_vertex", face_tag[] = "VTKHDF/FieldData/face_tag";
static const char points[] = "VTKHDF/Points";
static const char groups[] = "VTKHDF/CellData/groups";
static const char ipus_and_tiles[] = "VTKHDF/FieldData/ipus_and_tiles";
/* Of a partition of elements, and of vertices. */
static const char *const ipu[] = {"VTKHDF/CellData/ipu", "VTKHDF/PointData/ipu"},
                         *const tile[] = {"VTKHDF/CellData/tile", "VTKHDF/PointData/tile"};

/* ---- writing ---- */

static mt_status check_fields(size_t n_fields, const mt_vtkhdf_field *fields)
{
    for (size_t i = 0; i < n_fields; i++) {
        const char *name = fields[i].name;
        MT_TRY(mt_vtkhdf_check_field(name));
        bool taken = mt_vtkhdf_is_own(name);
        for (size_t k = 0; k < i; k++) taken = taken || strcmp(name, fields[k].name) == 0;
        if (taken)
            return mt_fail(
                MT_INPUT, "element field '%s' is a duplicate, or has the name of a mesh array", name);
        if ((fields[i].f32 != NULL) + (fields[i].f64 != NULL) + (fields[i].i64 != NULL) != 1)
            return mt_fail(
                MT_INPUT, "element field '%s': exactly one of f32, f64 and i64 must be given", name);
    }
    return MT_OK;
}

static mt_status write_cell_data(mt_arena *scratch, mt_h5 *h5, const mt_mesh *mesh)
{
    const size_t shape[2] = {mesh->n_elements, 3};
    double *normal = NULL;
    if (mesh->sheet) {
        MT_ALLOC(scratch, normal, 3 * mesh->n_elements);
        for (size_t c = 0; c < mesh->n_elements; c++) mt_mesh_normal(mesh, c, normal + 3 * c);
    }
    const struct {
        const char *name;
        mt_h5_type type;
        size_t rank;
        const void *values;
    } fields[] = {{"region", MT_H5_INT32, 1, mesh->region}, {"fibre", MT_H5_DOUBLE, 2, mesh->fibre},
        {"sheet", MT_H5_DOUBLE, 2, mesh->sheet}, {"normal", MT_H5_DOUBLE, 2, normal},
        {"depth", MT_H5_DOUBLE, 1, mesh->depth}, {"layer", MT_H5_INT32, 1, mesh->layer},
        {"segment", MT_H5_INT32, 1, mesh->segment}, {"groups", MT_H5_UINT32, 1, mesh->groups}};
    MT_TRY(mt_h5_group(h5, "VTKHDF/CellData"));
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        char name[64];
        if (!fields[k].values) continue;
        (void)snprintf(name, sizeof name, "VTKHDF/CellData/%s", fields[k].name);
        MT_TRY(mt_h5_write(h5, name, fields[k].type, fields[k].rank, shape, NULL, fields[k].values));
    }
    return MT_OK;
}

static mt_status write_faces(mt_h5 *h5, const mt_mesh *mesh)
{
    const size_t n = mesh->n_faces;
    if (n == 0) return MT_OK;
    MT_TRY(mt_h5_write(h5, face_vertex, MT_H5_UINT32, 2, (size_t[]){n, 3}, NULL, mesh->face_vertex));
    return mt_h5_write(h5, face_tag, MT_H5_INT32, 1, &n, NULL, mesh->face_tag);
}

/* True if the file gets a text of names. A file with tagged triangles always does, if only with the first comment line; a
 * file without one was written by an earlier version. */
static bool has_names(const mt_mesh *mesh)
{
    return mesh->n_faces > 0 || mesh->n_names > 0 || mesh->n_groups > 0;
}

static mt_status write_names(mt_arena *scratch, mt_h5 *h5, const mt_mesh *mesh)
{
    const char *text;
    size_t n;
    if (!has_names(mesh)) return MT_OK;
    MT_TRY(mt_fail_in(h5->path, mt_names_make_text(scratch, mesh, &text, &n)));
    return mt_h5_write(h5, mt_vtkhdf_names, MT_H5_UINT8, 1, &n, NULL, text);
}

static void name_coordinate(size_t which, char name[64])
{
    (void)snprintf(name, 64, "VTKHDF/PointData/%s", mt_coordinate_name[which]);
}

static mt_status write_coordinates(mt_h5 *h5, const mt_mesh *mesh)
{
    char name[64];
    for (size_t k = 0; k < MT_COORDINATES; k++) {
        if (!mesh->coordinate[k]) continue;
        name_coordinate(k, name);
        MT_TRY(mt_h5_write(h5, name, MT_H5_DOUBLE, 1, &mesh->n_vertices, NULL, mesh->coordinate[k]));
    }
    return MT_OK;
}

static mt_status write_fields(mt_h5 *h5, const mt_mesh *mesh, size_t n_fields, const mt_vtkhdf_field *fields)
{
    bool any = mesh->coordinate[0] != NULL;
    for (size_t i = 0; i < n_fields; i++) any = any || fields[i].at_vertices;
    if (any) MT_TRY(mt_h5_group(h5, "VTKHDF/PointData"));
    MT_TRY(write_coordinates(h5, mesh));
    for (size_t i = 0; i < n_fields; i++) {
        char name[256];
        const mt_vtkhdf_field *field = fields + i;
        const size_t n = field->at_vertices ? mesh->n_vertices : mesh->n_elements;
        (void)snprintf(
            name, sizeof name, "VTKHDF/%s/%s", field->at_vertices ? "PointData" : "CellData", field->name);
        const mt_h5_type type = field->f32 ? MT_H5_FLOAT : field->f64 ? MT_H5_DOUBLE : MT_H5_INT64;
        const void *values = field->f32   ? (const void *)field->f32
                             : field->f64 ? (const void *)field->f64
                                          : (const void *)field->i64;
        const size_t shape[] = {n, field->components}, rank = field->components > 1 ? 2 : 1;
        MT_TRY(mt_h5_write(h5, name, type, rank, shape, field->unit, values));
        if (field->nan) MT_TRY(mt_h5_write_text(h5, name, "nan", field->nan));
    }
    return MT_OK;
}

static mt_status write_partition(
    mt_arena *scratch, mt_h5 *h5, bool at_vertices, const mt_partition *partition)
{
    const size_t n = partition->n_elements;
    const uint32_t each = partition->parts_per_group;
    int32_t *group, *place;
    MT_ALLOC(scratch, group, n);
    MT_ALLOC(scratch, place, n);
    for (size_t c = 0; c < n; c++) {
        group[c] = (int32_t)mt_partition_group_of(partition, c);
        place[c] = (int32_t)(partition->part[c] % each);
    }
    if (at_vertices) MT_TRY(mt_h5_group(h5, "VTKHDF/PointData"));
    MT_TRY(mt_h5_write(h5, ipu[at_vertices], MT_H5_INT32, 1, &n, NULL, group));
    MT_TRY(mt_h5_write(h5, tile[at_vertices], MT_H5_INT32, 1, &n, NULL, place));
    return mt_h5_write(h5, ipus_and_tiles, MT_H5_INT64, 1, (size_t[]){2}, NULL,
        (int64_t[]){mt_partition_groups(partition), each});
}

/* The content of a file. */
typedef struct content {
    const mt_mesh *mesh;
    size_t n_fields;
    const mt_vtkhdf_field *fields;
    const mt_partition *partition; /* NULL if there is none */
    bool of_vertices;              /* the partition */
    size_t n_notes;
    const mt_vtkhdf_note *notes;
} content;

static mt_status write_file(const char *path, const content *all)
{
    MT_H5_SCOPE(h5);
    MT_SCRATCH(scratch);
    MT_TRY(mt_vtkhdf_check_name(path));
    MT_TRY(mt_h5_create(path, h5));
    MT_TRY(mt_vtkhdf_put_grid(scratch, h5, all->mesh, 1, mt_h5_write));
    MT_TRY(write_cell_data(scratch, h5, all->mesh));
    MT_TRY(write_fields(h5, all->mesh, all->n_fields, all->fields));
    if (has_names(all->mesh) || all->partition) MT_TRY(mt_h5_group(h5, "VTKHDF/FieldData"));
    MT_TRY(write_names(scratch, h5, all->mesh));
    MT_TRY(write_faces(h5, all->mesh));
    if (all->partition) MT_TRY(write_partition(scratch, h5, all->of_vertices, all->partition));
    MT_TRY(mt_vtkhdf_put_notes(h5, all->n_notes, all->notes));
    return mt_h5_commit(h5);
}

mt_status mt_vtkhdf_write_result(const char *path, const mt_mesh *mesh, size_t n_fields,
    const mt_vtkhdf_field *fields, size_t n_notes, const mt_vtkhdf_note *notes)
{
    MT_TRY(check_fields(n_fields, fields));
    return write_file(path,
        &(content){.mesh = mesh, .n_fields = n_fields, .fields = fields, .n_notes = n_notes, .notes = notes});
}

mt_status mt_vtkhdf_write(
    const char *path, const mt_mesh *mesh, size_t n_fields, const mt_vtkhdf_field *fields)
{
    return mt_vtkhdf_write_result(path, mesh, n_fields, fields, 0, NULL);
}

mt_status mt_vtkhdf_write_partition(
    const char *path, const mt_unknowns *unknowns, const mt_partition *partition)
{
    const size_t n = mt_unknowns_count(unknowns);
    if (partition->n_elements != n)
        return mt_fail(MT_INPUT, "%s: a partition of %zu %s and a mesh of %zu; they must be the same", path,
            partition->n_elements, mt_unknowns_word(unknowns, partition->n_elements), n);
    MT_TRY(mt_partition_check(partition));
    return write_file(path,
        &(content){.mesh = unknowns->mesh, .partition = partition, .of_vertices = unknowns->at_vertices});
}

/* ---- reading ---- */

static mt_status check_kind(mt_h5 *h5)
{
    int64_t version[2];
    char type[64];
    bool there, steps;
    MT_TRY(mt_h5_has(h5, "VTKHDF", &there));
    if (!there) return mt_fail(MT_INPUT, "%s: not a VTKHDF file: it has no group VTKHDF", h5->path);
    MT_TRY(mt_h5_read_integers(h5, "VTKHDF", "Version", 2, version));
    MT_TRY(mt_h5_has(h5, "VTKHDF/Steps", &steps));
    if (version[0] != 1 && (version[0] != 2 || steps))
        return mt_fail(MT_INPUT, "%s: VTKHDF version %lld.%lld; allowed: 1.x, and 2.x without Steps",
            h5->path, (long long)version[0], (long long)version[1]);
    MT_TRY(mt_h5_read_text(h5, "VTKHDF", "Type", type, sizeof type));
    if (strcmp(type, mt_vtkhdf_type) != 0)
        return mt_fail(MT_INPUT, "%s: VTKHDF type '%s'; allowed: '%s'", h5->path, type, mt_vtkhdf_type);
    return MT_OK;
}

/* Reads a count of a file of one piece. The corresponding array must have that length, which bounds the memory allocated. */
static mt_status read_count(mt_h5 *h5, const char *name, const char *array, size_t rank, size_t *count)
{
    int64_t value;
    size_t pieces, shape[MT_H5_RANK_MAX];
    MT_TRY(mt_h5_shape(h5, name, 1, &pieces));
    if (pieces != 1)
        return mt_fail(MT_INPUT, "%s: %s: the mesh is in %zu pieces; allowed: 1", h5->path, name, pieces);
    MT_TRY(mt_h5_read(h5, name, MT_H5_INT64, 1, (size_t[]){1}, &value));
    MT_TRY(mt_h5_shape(h5, array, rank, shape));
    if (value < 0 || (size_t)value != shape[0])
        return mt_fail(MT_INPUT, "%s: %s is %lld and %s has %zu entries; they must be the same", h5->path,
            name, (long long)value, array, shape[0]);
    *count = (size_t)value;
    return MT_OK;
}

static mt_status check_cells(mt_arena *scratch, mt_h5 *h5, size_t n_elements)
{
    uint8_t *types;
    int64_t *offsets;
    MT_ALLOC(scratch, types, n_elements);
    MT_ALLOC(scratch, offsets, n_elements + 1);
    MT_TRY(mt_h5_read(h5, "VTKHDF/Types", MT_H5_UINT8, 1, (size_t[]){n_elements}, types));
    MT_TRY(mt_h5_read(h5, "VTKHDF/Offsets", MT_H5_INT64, 1, (size_t[]){n_elements + 1}, offsets));
    for (size_t c = 0; c < n_elements; c++)
        if (types[c] != MT_VTK_TETRA)
            return mt_fail(MT_INPUT, "%s: element %zu is of VTK type %u; allowed: tetrahedra (10)", h5->path,
                c, types[c]);
    for (size_t c = 0; c <= n_elements; c++)
        if (offsets[c] != (int64_t)(4 * c))
            return mt_fail(MT_INPUT,
                "%s: VTKHDF/Offsets: entry %zu is %lld; in a mesh of tetrahedra it is %zu", h5->path, c,
                (long long)offsets[c], 4 * c);
    return MT_OK;
}

/* Reads one or three numbers per element, or one per vertex, if the file has them. `n_elements`: their number. */
static mt_status read_doubles(
    mt_arena *arena, mt_h5 *h5, const char *name, size_t n_elements, size_t each, double **values)
{
    bool there;
    MT_TRY(mt_h5_has(h5, name, &there));
    if (!there) return MT_OK;
    MT_ALLOC(arena, *values, each * n_elements);
    return mt_h5_read(h5, name, MT_H5_DOUBLE, each == 1 ? 1 : 2, (size_t[]){n_elements, each}, *values);
}

/* Reads one 32-bit integer per element, if the file has them. */
static mt_status read_integers(
    mt_arena *arena, mt_h5 *h5, const char *name, size_t n_elements, int32_t **values)
{
    bool there;
    MT_TRY(mt_h5_has(h5, name, &there));
    if (!there) return MT_OK;
    MT_ALLOC(arena, *values, n_elements);
    return mt_h5_read(h5, name, MT_H5_INT32, 1, &n_elements, *values);
}

static mt_status read_cell_data(mt_arena *arena, mt_h5 *h5, mt_mesh *mesh)
{
    const char *region = "VTKHDF/CellData/region";
    const size_t n = mesh->n_elements;
    bool there;
    for (size_t c = 0; c < n; c++) mesh->region[c] = 1;
    MT_TRY(mt_h5_has(h5, region, &there));
    if (there) MT_TRY(mt_h5_read(h5, region, MT_H5_INT32, 1, &n, mesh->region));
    MT_TRY(read_integers(arena, h5, "VTKHDF/CellData/layer", n, &mesh->layer));
    MT_TRY(read_integers(arena, h5, "VTKHDF/CellData/segment", n, &mesh->segment));
    MT_TRY(read_doubles(arena, h5, "VTKHDF/CellData/fibre", n, 3, &mesh->fibre));
    MT_TRY(read_doubles(arena, h5, "VTKHDF/CellData/sheet", n, 3, &mesh->sheet));
    return read_doubles(arena, h5, "VTKHDF/CellData/depth", n, 1, &mesh->depth);
}

/* Reads the ventricular coordinates, if the file has all of them. */
static mt_status read_coordinates(mt_arena *arena, mt_h5 *h5, mt_mesh *mesh)
{
    char name[64];
    bool there = true;
    for (size_t k = 0; k < MT_COORDINATES && there; k++) {
        name_coordinate(k, name);
        MT_TRY(mt_h5_has(h5, name, &there));
    }
    for (size_t k = 0; k < MT_COORDINATES && there; k++) {
        name_coordinate(k, name);
        MT_TRY(read_doubles(arena, h5, name, mesh->n_vertices, 1, &mesh->coordinate[k]));
    }
    return MT_OK;
}

static mt_status read_faces(mt_arena *arena, mt_h5 *h5, mt_mesh *mesh)
{
    size_t shape[2];
    bool there;
    MT_TRY(mt_h5_has(h5, face_vertex, &there));
    if (!there) return MT_OK;
    MT_TRY(mt_h5_shape(h5, face_vertex, 2, shape));
    MT_TRY(mt_mesh_new_faces(arena, shape[0], mesh));
    MT_TRY(mt_h5_read(h5, face_vertex, MT_H5_UINT32, 2, (size_t[]){shape[0], 3}, mesh->face_vertex));
    return mt_h5_read(h5, face_tag, MT_H5_INT32, 1, shape, mesh->face_tag);
}

/* Reads the unit that the file states, "" if it states none, and checks that it is known. */
mt_status mt_vtkhdf_unit_of(mt_h5 *h5, const char *name, char unit[MT_UNIT_SIZE])
{
    bool there, stated;
    double mm;
    unit[0] = 0;
    MT_TRY(mt_h5_has(h5, name, &there));
    if (!there) return MT_OK;
    MT_TRY(mt_h5_has_attribute(h5, name, "unit", &stated));
    if (!stated) return MT_OK;
    MT_TRY(mt_h5_read_text(h5, name, "unit", unit, MT_UNIT_SIZE));
    return mt_fail_in(h5->path, mt_fail_in(name, mt_unit_mm(unit, &mm)));
}

/* Converts coordinates to mm from the unit that the file states, else from unit_mm. */
static mt_status convert_points(mt_h5 *h5, double unit_mm, mt_mesh *mesh)
{
    char unit[MT_UNIT_SIZE];
    MT_TRY(mt_vtkhdf_unit_of(h5, points, unit));
    if (unit[0]) MT_TRY(mt_unit_mm(unit, &unit_mm));
    for (size_t k = 0; unit_mm != 1 && k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] *= unit_mm;
    return MT_OK;
}

/* Names the tags 1 to 4 in files written by Myotile before names were stored; they had the meaning of mt_surface. */
static mt_status name_earlier(mt_arena *arena, mt_h5 *h5, mt_mesh *mesh)
{
    char program[64];
    bool there;
    MT_TRY(mt_h5_has(h5, mt_vtkhdf_names, &there));
    if (there || mesh->n_faces == 0 ||
        mt_h5_read_text(h5, "/", "program", program, sizeof program) != MT_OK ||
        strncmp(program, "myotile ", strlen("myotile ")) != 0)
        return MT_OK;
    return mt_names_put_surfaces(arena, mesh);
}

static mt_status read_names(mt_arena *arena, mt_arena *scratch, mt_h5 *h5, mt_mesh *mesh)
{
    const char *text;
    size_t n;
    MT_TRY(mt_vtkhdf_read_names(scratch, h5, &n, &text));
    if (!text) return name_earlier(arena, h5, mesh);
    MT_TRY(mt_fail_in(h5->path, mt_names_parse(arena, mesh, text, n)));
    if (mesh->n_groups == 0) return MT_OK;
    return mt_h5_read(h5, groups, MT_H5_UINT32, 1, &mesh->n_elements, mesh->groups);
}

mt_status mt_vtkhdf_read_in(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_H5_SCOPE(h5);
    MT_SCRATCH(scratch);
    size_t n_vertices, n_elements, n_ids;
    bool other;
    MT_TRY(mt_h5_open(path, h5));
    MT_TRY(check_kind(h5));
    MT_TRY(mt_vtkhdf_is_other(scratch, h5, &other));
    if (other) {
        MT_TRY(mt_vtkhdf_read_other(arena, h5, mesh));
        MT_TRY(convert_points(h5, unit_mm, mesh));
        MT_TRY(read_faces(arena, h5, mesh));
        MT_TRY(name_earlier(arena, h5, mesh));
        return mt_mesh_check_content(mesh, h5->path);
    }
    MT_TRY(read_count(h5, "VTKHDF/NumberOfPoints", points, 2, &n_vertices));
    MT_TRY(read_count(h5, "VTKHDF/NumberOfCells", "VTKHDF/Types", 1, &n_elements));
    MT_TRY(read_count(h5, "VTKHDF/NumberOfConnectivityIds", "VTKHDF/Connectivity", 1, &n_ids));
    if (n_ids % 4 || n_ids / 4 != n_elements)
        return mt_fail(MT_INPUT, "%s: %zu elements with %zu corners; tetrahedra have 4 each", h5->path,
            n_elements, n_ids);
    MT_TRY(mt_mesh_new(arena, n_vertices, n_elements, mesh));
    MT_TRY(check_cells(scratch, h5, n_elements));
    MT_TRY(mt_h5_read(h5, points, MT_H5_DOUBLE, 2, (size_t[]){n_vertices, 3}, mesh->xyz_mm));
    MT_TRY(convert_points(h5, unit_mm, mesh));
    MT_TRY(mt_h5_read(h5, "VTKHDF/Connectivity", MT_H5_UINT32, 1, (size_t[]){n_ids}, mesh->element_vertex));
    MT_TRY(read_cell_data(arena, h5, mesh));
    MT_TRY(read_coordinates(arena, h5, mesh));
    MT_TRY(read_faces(arena, h5, mesh));
    MT_TRY(read_names(arena, scratch, h5, mesh));
    return mt_mesh_check_content(mesh, h5->path);
}

mt_status mt_vtkhdf_read(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    return mt_vtkhdf_read_in(arena, path, 1, mesh);
}

mt_status mt_vtkhdf_stated_unit(const char *path, char unit[MT_UNIT_SIZE])
{
    MT_H5_SCOPE(h5);
    unit[0] = 0;
    MT_TRY(mt_h5_open(path, h5));
    return mt_vtkhdf_unit_of(h5, points, unit);
}

mt_status mt_vtkhdf_read_field(
    mt_arena *arena, const char *path, const char *name, size_t n_elements, double **values)
{
    MT_H5_SCOPE(h5);
    char full[256];
    int n = snprintf(full, sizeof full, "VTKHDF/CellData/%s", name);
    if (n < 0 || (size_t)n >= sizeof full)
        return mt_fail(MT_INPUT, "element field '%.200s...': the name is too long", name);
    MT_ALLOC(arena, *values, n_elements);
    MT_TRY(mt_h5_open(path, h5));
    return mt_h5_read(h5, full, MT_H5_DOUBLE, 1, &n_elements, *values);
}

/* ---- reading a partition ---- */

static mt_status read_size(mt_h5 *h5, mt_partition *partition)
{
    int64_t size[2];
    bool there;
    MT_TRY(mt_h5_has(h5, ipus_and_tiles, &there));
    if (!there)
        return mt_fail(
            MT_INPUT, "%s: has no partition: `myotile partition MESH -o FILE.hdf` saves one", h5->path);
    MT_TRY(mt_h5_read(h5, ipus_and_tiles, MT_H5_INT64, 1, (size_t[]){2}, size));
    for (int k = 0; k < 2; k++)
        if (size[k] < 1 || size[k] > INT32_MAX)
            return mt_fail(MT_INPUT, "%s: %s: entry %d is %lld; 1 to %d are allowed", h5->path,
                ipus_and_tiles, k, (long long)size[k], INT32_MAX);
    if (size[0] * size[1] > INT32_MAX)
        return mt_fail(MT_INPUT, "%s: %s: %lld times %lld parts; at most %d are allowed", h5->path,
            ipus_and_tiles, (long long)size[0], (long long)size[1], INT32_MAX);
    partition->n_parts = (uint32_t)(size[0] * size[1]);
    partition->parts_per_group = (uint32_t)size[1];
    return MT_OK;
}

/* Fails if the partition is not that of the requested unknowns. */
static mt_status check_unknowns(mt_h5 *h5, bool at_vertices)
{
    bool there, other;
    MT_TRY(mt_h5_has(h5, ipu[at_vertices], &there));
    MT_TRY(mt_h5_has(h5, ipu[!at_vertices], &other));
    if (there || !other) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: has a partition of %s; allowed here: of %s, as `myotile partition MESH --discretisation %s -o "
        "FILE.hdf` saves it",
        h5->path, at_vertices ? "elements" : "vertices", at_vertices ? "vertices" : "elements",
        at_vertices ? "nodes" : "elements");
}

mt_status mt_vtkhdf_has_partition(const char *path, bool at_vertices, bool *has)
{
    MT_H5_SCOPE(h5);
    MT_TRY(mt_h5_open(path, h5));
    return mt_h5_has(h5, ipu[at_vertices], has);
}

/* Reads one number per element or vertex and checks that each is below `end`. */
static mt_status read_numbers(
    mt_h5 *h5, const char *const name[2], const mt_unknowns *of, size_t n, uint32_t end, int32_t *number)
{
    const char *array = name[of->at_vertices];
    MT_TRY(mt_h5_read(h5, array, MT_H5_INT32, 1, &n, number));
    for (size_t c = 0; c < n; c++)
        if (number[c] < 0 || (uint32_t)number[c] >= end)
            return mt_fail(MT_INPUT, "%s: %s: %s %zu has %d; 0 to %u are allowed", h5->path, array,
                mt_unknowns_word(of, 1), c, number[c], end - 1);
    return MT_OK;
}

mt_status mt_vtkhdf_read_partition(
    mt_arena *arena, const char *path, bool at_vertices, size_t n, mt_partition *partition)
{
    MT_H5_SCOPE(h5);
    MT_SCRATCH(scratch);
    const mt_unknowns of = {.at_vertices = at_vertices};
    int32_t *number;
    MT_TRY(mt_h5_open(path, h5));
    *partition = (mt_partition){.n_elements = n};
    MT_TRY(read_size(h5, partition));
    MT_TRY(check_unknowns(h5, at_vertices));
    const uint32_t each = partition->parts_per_group;
    MT_ALLOC(scratch, number, n);
    MT_ALLOC(arena, partition->part, n);
    MT_TRY(read_numbers(h5, ipu, &of, n, mt_partition_groups(partition), number));
    for (size_t c = 0; c < n; c++) partition->part[c] = (uint32_t)number[c] * each;
    MT_TRY(read_numbers(h5, tile, &of, n, each, number));
    for (size_t c = 0; c < n; c++) partition->part[c] += (uint32_t)number[c];
    return MT_OK;
}
