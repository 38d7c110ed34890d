/* myotile mesh convert. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/table.h"
#include "mesh/adjacency.h"
#include "mesh/formats.h"

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

static mt_table content_table(mt_arena *arena, const char *title, const mt_mesh *mesh, const content *c)
{
    mt_table table = mt_table_properties(arena, title);
    mt_table_property(&table, "cells", (double)mesh->n_cells, "");
    mt_table_property(&table, "vertices", (double)mesh->n_vertices, "");
    mt_table_property(&table, "regions", (double)c->n_regions, "");
    mt_table_property(&table, "tagged triangles", (double)mesh->n_faces, "");
    mt_table_property(&table, "different tags of them", (double)c->n_tags, "");
    mt_table_text(&table, "fibres");
    mt_table_text(&table, mesh->sheet ? "with sheets" : mesh->fibre ? "yes" : "no");
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

static void warn_of_loss(const char *path, const mt_mesh_format *to, const mt_mesh *mesh)
{
    if (mesh->fibre && !to->keeps_fibres)
        (void)fprintf(stderr, "myotile: warning: %s: %s keeps no fibres\n", path, to->name);
    if (mesh->n_faces > 0 && !to->keeps_faces)
        (void)fprintf(stderr, "myotile: warning: %s: %s keeps no tagged triangles\n", path, to->name);
}

/* ---- the command ---- */

static mt_status convert_mesh(mt_arena *arena, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, &mt_command_mesh_convert, 0);
    const char *out = mt_operand(arguments, &mt_command_mesh_convert, 1);
    const mt_mesh_format *from, *to;
    mt_format format;
    double unit_mm;
    mt_mesh mesh;
    mt_adjacency adjacency;
    content c;
    MT_TRY(mt_format_parse(mt_option_value(arguments, "--format", "text"), &format));
    MT_TRY(mt_mesh_format_find(in, &from));
    MT_TRY(mt_mesh_format_find(out, &to));
    MT_TRY(mt_unit_mm(mt_option_value(arguments, "--unit", from->unit), &unit_mm));
    MT_TRY(from->read(arena, in, unit_mm, &mesh));
    MT_TRY(mt_mesh_need_cells(in, &mesh));
    MT_TRY(mt_adjacency_make(arena, &mesh, &adjacency)); /* refuses cells that overlap or are there twice */
    MT_TRY(look_at(arena, &mesh, &c));
    MT_TRY(to->write(out, &mesh));
    warn_of_size(in, &c);
    warn_of_loss(out, to, &mesh);
    mt_table table = content_table(arena, in, &mesh, &c);
    return mt_table_print(arguments->out, &table, format);
}

static mt_status convert(const mt_arguments *arguments)
{
    mt_arena arena = {0};
    mt_status status = convert_mesh(&arena, arguments);
    mt_arena_free(&arena);
    return status;
}
