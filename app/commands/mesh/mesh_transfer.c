/* myotile mesh transfer. */
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "app/heart/case_places.h"
#include "app/heart/mesh_file.h"
#include "data/core/progress.h"
#include "data/files/h5.h"
#include "mesh/anatomy/transfer.h"
#include "mesh/vtk/vtkhdf.h"

static mt_status transfer(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT.hdf", "the file to write: the mesh TO with the fields and its coordinates"),
    {.name = "--field",
        .value = "NAME",
        .help =
            "a field of FROM to transfer, of elements or of vertices; also region, layer, segment or depth",
        .repeats = true,
        .required = true},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_transfer = {
    .name = "mesh transfer",
    .operands = "FROM.hdf TO",
    .n_operands = 2,
    .summary = "transfer fields, such as the result of a run, from one heart to another by ventricular "
               "coordinates",
    .example = "myotile mesh transfer coordinates.hdf heart.hdf --field segment -o transferred.hdf",
    .options = options,
    .run = transfer,
};

enum { UNIT = 64, MEANING = 256, NAME = 256, FIELDS_MAX = 64 };

static const char *const groups[] = {"VTKHDF/CellData", "VTKHDF/PointData"}; /* by at_vertices */

/* A field of the source: numbers, or values. */
typedef struct source_field {
    const char *name;
    bool at_vertices;
    char unit[UNIT], nan[MEANING];
    int64_t *numbers;
    double *values;
} source_field;

typedef struct transferring {
    mt_arena *arena;
    const char *from_path, *to_path;
    mt_mesh from, to;
    mt_positions positions; /* of the source */
    bool has[2];
    mt_transfer transfer[2]; /* by at_vertices, if has */
} transferring;

/* ---- fields of the source ---- */

/* Returns the array of a mesh with this name that can be replaced, of int32_t, or of double for the depth; NULL if there is none. */
static void *array_of(mt_mesh *mesh, const char *name)
{
    if (strcmp(name, "region") == 0) return &mesh->region;
    if (strcmp(name, "layer") == 0) return &mesh->layer;
    if (strcmp(name, "segment") == 0) return &mesh->segment;
    return strcmp(name, "depth") == 0 ? &mesh->depth : NULL;
}

/* True if a field can be transferred; the other arrays of a mesh cannot. */
static bool is_allowed(const char *name)
{
    mt_mesh any;
    return !mt_vtkhdf_is_own(name) || array_of(&any, name);
}

/* Appends the names of the transferable fields of a group to a list. */
static mt_status list_fields(mt_arena *scratch, mt_h5 *h5, bool at_vertices, char *list, size_t size)
{
    const char **names;
    size_t n;
    MT_TRY(mt_h5_list(scratch, h5, groups[at_vertices], &n, &names));
    for (size_t k = 0; k < n; k++) {
        const size_t length = strlen(list);
        if (is_allowed(names[k]))
            (void)snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "", names[k]);
    }
    return MT_OK;
}

static mt_status refuse_field(mt_h5 *h5, const char *path, const char *name)
{
    MT_SCRATCH(scratch);
    char list[400] = "";
    for (int at = 0; at < 2; at++) MT_TRY(list_fields(scratch, h5, at, list, sizeof list));
    return mt_fail(MT_INPUT, "%s: --field %.100s: no such field; allowed: %s", path, name,
        list[0] ? list : "none, as the file has no fields");
}

/* Reads an attribute of a dataset, "" if it has none. */
static mt_status read_note(mt_h5 *h5, const char *name, const char *attribute, char *text, size_t size)
{
    bool there;
    text[0] = 0;
    MT_TRY(mt_h5_has_attribute(h5, name, attribute, &there));
    return there ? mt_h5_read_text(h5, name, attribute, text, size) : MT_OK;
}

/* Reads integers, or else floating-point numbers. */
static mt_status read_values(mt_arena *arena, mt_h5 *h5, const char *name, size_t n, source_field *field)
{
    size_t rank, shape[MT_H5_RANK_MAX];
    MT_TRY(mt_h5_extents(h5, name, &rank, shape));
    if (rank != 1 || shape[0] != n)
        return mt_fail(MT_INPUT, "%s: %s is not one number for each of %zu %s; allowed: such fields",
            h5->path, name, n, field->at_vertices ? "vertices" : "elements");
    MT_ALLOC(arena, field->numbers, n);
    mt_status status = mt_h5_read(h5, name, MT_H5_INT64, 1, &n, field->numbers);
    if (status != MT_INPUT) return status;
    field->numbers = NULL;
    MT_ALLOC(arena, field->values, n);
    return mt_h5_read(h5, name, MT_H5_DOUBLE, 1, &n, field->values);
}

static mt_status read_field(const transferring *t, const char *name, source_field *field)
{
    MT_H5_SCOPE(h5);
    char full[NAME];
    bool there = false;
    *field = (source_field){.name = name};
    MT_TRY(mt_vtkhdf_check_field(name));
    MT_TRY(mt_h5_open(t->from_path, h5));
    for (int at = 0; at < 2 && !there && is_allowed(name); at++) {
        field->at_vertices = at;
        (void)snprintf(full, sizeof full, "%s/%s", groups[at], name);
        MT_TRY(mt_h5_has(h5, full, &there));
    }
    if (!there) return refuse_field(h5, t->from_path, name);
    MT_TRY(read_note(h5, full, "unit", field->unit, sizeof field->unit));
    MT_TRY(read_note(h5, full, "nan", field->nan, sizeof field->nan));
    return read_values(
        t->arena, h5, full, field->at_vertices ? t->from.n_vertices : t->from.n_elements, field);
}

/* ---- the transfer ---- */

/* Reads both meshes, and prepares the search in the source. */
static mt_status read_meshes(transferring *t)
{
    bool confirmed[2] = {false, false};
    MT_TRY(mt_vtkhdf_read(t->arena, t->from_path, &t->from));
    MT_TRY(mt_fail_in(t->from_path, mt_mesh_check(&t->from)));
    mt_print_notes(t->from_path, t->from.notes);
    MT_TRY(mt_read_mesh(t->arena, t->to_path, &t->to));
    MT_TRY(mt_fail_in(t->to_path, mt_mesh_check(&t->to)));
    MT_TRY(mt_case_places_coordinates(t->arena, t->from_path, true, &t->from, &confirmed[0]));
    MT_TRY(mt_case_places_coordinates(t->arena, t->to_path, true, &t->to, &confirmed[1]));
    return mt_positions_make(t->arena, &t->from, &t->positions);
}

/* Replaces an array of elements of the target. */
static mt_status replace_array(
    transferring *t, const source_field *field, const int64_t *numbers, double *values)
{
    const bool fractions = strcmp(field->name, "depth") == 0;
    void *array = array_of(&t->to, field->name);
    int32_t *small;
    if ((values != NULL) != fractions)
        return mt_fail(MT_INPUT, "%s: --field %s has %s; allowed: %s", t->from_path, field->name,
            values ? "fractions" : "integers", fractions ? "fractions" : "integers");
    if (fractions) {
        *(double **)array = values;
        return MT_OK;
    }
    MT_ALLOC(t->arena, small, t->to.n_elements);
    for (size_t e = 0; e < t->to.n_elements; e++) small[e] = (int32_t)numbers[e];
    *(int32_t **)array = small;
    return MT_OK;
}

/* Transfers a field; *made has no name if it replaced an array of the target. */
static mt_status make_field(transferring *t, const char *name, mt_vtkhdf_field *made)
{
    source_field *field;
    char *meaning;
    double *values = NULL;
    int64_t *numbers = NULL;
    MT_ALLOC(t->arena, field, 1);
    MT_ALLOC(t->arena, meaning, MEANING + 32);
    MT_TRY(read_field(t, name, field));
    const bool at = field->at_vertices;
    if (!t->has[at]) MT_TRY(mt_transfer_make(t->arena, &t->positions, &t->to, at, &t->transfer[at]));
    t->has[at] = true;
    if (field->numbers)
        MT_TRY(mt_transfer_numbers(t->arena, &t->transfer[at], field->numbers, 0, &numbers));
    else
        MT_TRY(mt_transfer_values(t->arena, &t->transfer[at], field->values, &values));
    *made = (mt_vtkhdf_field){0};
    if (array_of(&t->to, name)) return replace_array(t, field, numbers, values);
    (void)snprintf(meaning, MEANING + 32, "no counterpart%s%s", field->nan[0] ? ", or " : "", field->nan);
    *made = (mt_vtkhdf_field){.name = name,
        .unit = field->unit[0] ? field->unit : NULL,
        .f64 = values,
        .i64 = numbers,
        .nan = values ? meaning : NULL,
        .at_vertices = at};
    return MT_OK;
}

/* Adds the numbers of places of one kind, and warns if some have no counterpart. */
static void add_places(mt_table *table, const transferring *t, bool at_vertices)
{
    static const char *const of[] = {"elements", "vertices"};
    const mt_transfer *transfer = &t->transfer[at_vertices];
    const double share = transfer->n_used > 0 ? (double)transfer->n_without / (double)transfer->n_used : 0;
    char key[64], label[64];
    if (!t->has[at_vertices]) return;
    mt_table_property(table, of[at_vertices], of[at_vertices], (double)transfer->n_used, "");
    (void)snprintf(key, sizeof key, "%s_without_percent", of[at_vertices]);
    (void)snprintf(label, sizeof label, "%s without a counterpart", of[at_vertices]);
    mt_table_property(table, key, label, 100 * share, "%");
    (void)snprintf(key, sizeof key, "%s_farthest_mm", of[at_vertices]);
    (void)snprintf(label, sizeof label, "largest deviation from a position, %s", of[at_vertices]);
    mt_table_property(table, key, label, transfer->farthest_mm, "mm");
    if (transfer->n_without == 0) return;
    mt_warn("%s: %zu of %zu %s (%.1f %%) have no counterpart in %s, within a mean edge of %.3g mm",
        t->to_path, transfer->n_without, transfer->n_used, of[at_vertices], 100 * share, t->from_path,
        t->positions.edge_mm);
}

static mt_status print(const mt_arguments *arguments, const transferring *t, const char *out, size_t n)
{
    mt_table table = mt_table_properties(t->arena, "transfer", out);
    mt_table_property(&table, "fields", "fields", (double)n, "");
    for (int at = 0; at < 2; at++) add_places(&table, t, at);
    mt_table_property(&table, "edge_mm", "mean edge of the source", t->positions.edge_mm, "mm");
    return mt_print_tables(arguments, &table, 1);
}

static mt_status transfer(mt_arena *arena, const mt_arguments *arguments)
{
    const char *out = mt_option_value(arguments, "--output", NULL), *name;
    transferring t = {
        .arena = arena, .from_path = mt_operand(arguments, 0), .to_path = mt_operand(arguments, 1)};
    mt_vtkhdf_field fields[FIELDS_MAX];
    size_t n = 0, n_written = 0;
    MT_TRY(mt_vtkhdf_check_name(out));
    MT_TRY(mt_file_check(out, mt_option_replace(arguments)));
    MT_TRY(read_meshes(&t));
    for (; (name = mt_option_nth(arguments, "--field", n)); n++) {
        if (n == FIELDS_MAX)
            return mt_fail(
                MT_INPUT, "--field: more than %d fields; allowed: at most %d", FIELDS_MAX, FIELDS_MAX);
        MT_TRY(make_field(&t, name, &fields[n_written]));
        n_written += fields[n_written].name != NULL;
    }
    MT_TRY(mt_vtkhdf_write(out, &t.to, n_written, fields));
    return print(arguments, &t, out, n);
}
