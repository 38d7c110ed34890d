/* myotile mesh convert. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/table.h"
#include "mesh/adjacency.h"
#include "mesh/carp.h"
#include "mesh/gmsh.h"
#include "mesh/vtkhdf.h"

static mt_status convert(const mt_arguments *arguments);

static const mt_option convert_options[] = {
    {"--unit", "um|mm|cm|m", "of the numbers in IN; default: um for CARP, else mm", false},
    {"--format", "text|json|csv", "of the table; default: text", false}, {NULL, NULL, NULL, false}};

const mt_command mt_command_mesh_convert = {
    .name = "mesh convert",
    .operands = "IN OUT",
    .n_operands = 2,
    .summary = "read a mesh and write it in another format: .msh (Gmsh), .pts .elem .lon (CARP), .hdf (ours)",
    .example = "myotile mesh convert slab.hdf slab.pts",
    .options = convert_options,
    .run = convert,
};

/* ---- formats ---- */

static mt_status read_gmsh(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh, bool *has_fibres)
{
    *has_fibres = false;
    return mt_gmsh_read(arena, path, unit_mm, mesh);
}

static mt_status read_vtkhdf(
    mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh, bool *has_fibres)
{
    *has_fibres = true;
    MT_TRY(mt_vtkhdf_read(arena, path, mesh));
    if (unit_mm == 1) return MT_OK;
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] *= unit_mm;
    return mt_mesh_check(mesh); /* cells may vanish */
}

static mt_status write_vtkhdf(const char *path, const mt_mesh *mesh)
{
    return mt_vtkhdf_write(path, mesh, 0, NULL);
}

/* What can be read and written, by the ending of a file's name. */
typedef struct mesh_format {
    const char *ending, *name, *unit;
    bool keeps_fibres, keeps_faces;
    mt_status (*read)(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh, bool *has_fibres);
    mt_status (*write)(const char *path, const mt_mesh *mesh);
} mesh_format;

static const mesh_format formats[] = {
    {".hdf", "VTKHDF", "mm", true, true, read_vtkhdf, write_vtkhdf},
    {".msh", "MSH", "mm", false, true, read_gmsh, mt_gmsh_write},
    {".pts", "CARP", "um", true, false, mt_carp_read, mt_carp_write},
    {".elem", "CARP", "um", true, false, mt_carp_read, mt_carp_write},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

static mt_status find_format(const char *path, const mesh_format **format)
{
    const size_t n = strlen(path);
    for (int f = 0; f < N_FORMATS; f++) {
        const size_t m = strlen(formats[f].ending);
        if (n <= m || strcmp(path + n - m, formats[f].ending) != 0) continue;
        *format = &formats[f];
        return MT_OK;
    }
    return mt_fail(MT_INPUT,
        "mesh convert: %s: the ending tells the format; allowed: .hdf, .msh (Gmsh), .pts or .elem (CARP)",
        path);
}

static mt_status unit_of(const char *name, double *mm)
{
    static const struct {
        const char *name;
        double mm;
    } units[] = {{"um", 1e-3}, {"mm", 1}, {"cm", 10}, {"m", 1000}};
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
        if (strcmp(name, units[u].name) == 0) {
            *mm = units[u].mm;
            return MT_OK;
        }
    return mt_fail(MT_INPUT, "--unit %s; allowed: um, mm, cm, m", name);
}

/* ---- what was read ---- */

typedef struct content {
    size_t n_regions, n_tags;
    double side_mm[3]; /* of the box around the vertices */
    double volume_mm3;
} content;

static int compare_tags(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static mt_status count_distinct(mt_arena *arena, size_t n, const int32_t *tag, size_t *count)
{
    int32_t *sorted;
    MT_TAKE(arena, sorted, n);
    if (n > 0) memcpy(sorted, tag, n * sizeof *tag);
    qsort(sorted, n, sizeof *sorted, compare_tags);
    *count = 0;
    for (size_t k = 0; k < n; k++) *count += k == 0 || sorted[k] != sorted[k - 1];
    return MT_OK;
}

static mt_status look_at(mt_arena *arena, const mt_mesh *mesh, content *c)
{
    *c = (content){0};
    MT_TRY(count_distinct(arena, mesh->n_cells, mesh->region, &c->n_regions));
    MT_TRY(count_distinct(arena, mesh->n_faces, mesh->face_tag, &c->n_tags));
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t v = 0; v < mesh->n_vertices; v++) {
            low = fmin(low, mesh->xyz_mm[3 * v + k]);
            high = fmax(high, mesh->xyz_mm[3 * v + k]);
        }
        c->side_mm[k] = mesh->n_vertices ? high - low : 0;
    }
    for (size_t i = 0; i < mesh->n_cells; i++) c->volume_mm3 += mt_mesh_volume_mm3(mesh, i);
    return MT_OK;
}

static mt_table content_table(
    mt_arena *arena, const char *title, const mt_mesh *mesh, const content *c, bool has_fibres)
{
    mt_table table = mt_table_properties(arena, title);
    mt_table_property(&table, "cells", (double)mesh->n_cells, "");
    mt_table_property(&table, "vertices", (double)mesh->n_vertices, "");
    mt_table_property(&table, "regions", (double)c->n_regions, "");
    mt_table_property(&table, "tagged triangles", (double)mesh->n_faces, "");
    mt_table_property(&table, "different tags of them", (double)c->n_tags, "");
    mt_table_text(&table, "fibres");
    mt_table_text(&table, has_fibres ? "yes" : "no");
    mt_table_text(&table, "");
    mt_table_property(&table, "extent x", c->side_mm[0], "mm");
    mt_table_property(&table, "extent y", c->side_mm[1], "mm");
    mt_table_property(&table, "extent z", c->side_mm[2], "mm");
    mt_table_property(&table, "volume", c->volume_mm3, "mm^3");
    return table;
}

/* A heart's longest side is 20 mm (a rabbit's ventricles) to 300 mm (a large human's whole heart): beyond, the
 * unit is likely wrong by a factor of ten or more. */
static void warn_of_size(const char *path, const content *c)
{
    const double longest = fmax(c->side_mm[0], fmax(c->side_mm[1], c->side_mm[2]));
    if (longest >= 20 && longest <= 300) return;
    (void)fprintf(stderr,
        "myotile: warning: %s: the longest side is %g mm, a heart's is 20 to 300 mm; is --unit right?\n",
        path, longest);
}

static void warn_of_loss(const char *path, const mesh_format *to, const mt_mesh *mesh, bool has_fibres)
{
    if (has_fibres && !to->keeps_fibres)
        (void)fprintf(stderr, "myotile: warning: %s: %s keeps no fibres\n", path, to->name);
    if (mesh->n_faces > 0 && !to->keeps_faces)
        (void)fprintf(stderr, "myotile: warning: %s: %s keeps no tagged triangles\n", path, to->name);
    if (!has_fibres && to->keeps_fibres)
        (void)fprintf(stderr,
            "myotile: warning: %s: there are no fibres to write; they are (1, 0, 0) in every cell\n", path);
}

/* ---- the command ---- */

static mt_status convert_mesh(mt_arena *arena, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, &mt_command_mesh_convert, 0);
    const char *out = mt_operand(arguments, &mt_command_mesh_convert, 1);
    const mesh_format *from = NULL, *to = NULL;
    mt_format format;
    double unit_mm = 1;
    bool has_fibres;
    mt_mesh mesh;
    mt_adjacency adjacency;
    content c;
    MT_TRY(mt_format_parse(mt_option_value(arguments, "--format", "text"), &format));
    MT_TRY(find_format(in, &from));
    MT_TRY(find_format(out, &to));
    MT_TRY(unit_of(mt_option_value(arguments, "--unit", from->unit), &unit_mm));
    MT_TRY(from->read(arena, in, unit_mm, &mesh, &has_fibres));
    MT_TRY(mt_adjacency_make(arena, &mesh, &adjacency)); /* refuses cells that overlap or are there twice */
    MT_TRY(look_at(arena, &mesh, &c));
    MT_TRY(to->write(out, &mesh));
    warn_of_size(in, &c);
    warn_of_loss(out, to, &mesh, has_fibres);
    mt_table table = content_table(arena, in, &mesh, &c, has_fibres);
    return mt_table_print(arguments->out, &table, format);
}

static mt_status convert(const mt_arguments *arguments)
{
    mt_arena arena = {0};
    mt_status status = convert_mesh(&arena, arguments);
    mt_arena_free(&arena);
    return status;
}
