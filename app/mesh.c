/* myotile mesh slab, myotile mesh info. */
#include <math.h>

#include "app/command.h"
#include "app/table.h"
#include "mesh/formats.h"
#include "mesh/info.h"
#include "mesh/slab.h"
#include "mesh/vtkhdf.h"

/* ---- mesh slab ---- */

static mt_status slab(const mt_arguments *arguments);

static const mt_option slab_options[] = {
    {"--size-mm", "X,Y,Z", "extent of the slab; each a whole multiple of the edge", false},
    {"--edge-mm", "H", "edge of the boxes, each cut into six tetrahedra", false},
    {"-o", "FILE.hdf", "the file to write (VTKHDF: opens in ParaView)", false}, {NULL, NULL, NULL, false}};

const mt_command mt_command_mesh_slab = {
    .name = "mesh slab",
    .operands = "",
    .summary = "make a slab of tetrahedra with fibres along x",
    .example = "myotile mesh slab --size-mm 20,7,3 --edge-mm 0.5 -o slab.hdf",
    .options = slab_options,
    .run = slab,
};

static mt_status needed(
    const mt_arguments *arguments, const char *command, const char *option, const char **value)
{
    *value = mt_option_value(arguments, option, NULL);
    return *value ? MT_OK : mt_fail(MT_INPUT, "%s: %s is needed", command, option);
}

static mt_status make_slab(mt_arena *arena, const mt_arguments *arguments)
{
    const char *size, *edge, *path;
    double size_mm[3], edge_mm;
    mt_mesh mesh;
    MT_TRY(needed(arguments, "mesh slab", "--size-mm", &size));
    MT_TRY(needed(arguments, "mesh slab", "--edge-mm", &edge));
    MT_TRY(needed(arguments, "mesh slab", "-o", &path));
    MT_TRY(mt_numbers("--size-mm", size, 3, 0, size_mm));
    MT_TRY(mt_numbers("--edge-mm", edge, 1, 0, &edge_mm));
    MT_TRY(mt_slab_make(arena, size_mm, edge_mm, &mesh));
    MT_TRY(mt_vtkhdf_write(path, &mesh, 0, NULL));
    (void)fprintf(arguments->out, "%s: %zu cells, %zu vertices\n", path, mesh.n_cells, mesh.n_vertices);
    return MT_OK;
}

static mt_status slab(const mt_arguments *arguments)
{
    mt_arena arena = {0};
    mt_status status = make_slab(&arena, arguments);
    mt_arena_free(&arena);
    return status;
}

/* ---- mesh info ---- */

static mt_status info(const mt_arguments *arguments);

static const mt_option info_options[] = {
    {"--format", "text|json|csv", "of the table; default: text", false}, {NULL, NULL, NULL, false}};

const mt_command mt_command_mesh_info = {
    .name = "mesh info",
    .operands = "MESH",
    .n_operands = 1,
    .summary = "say what there is to say about a mesh: counts, extent, volume, edges, quality",
    .example = "myotile mesh info slab.hdf",
    .options = info_options,
    .run = info,
};

static mt_table info_table(mt_arena *arena, const char *title, const mt_info *i)
{
    mt_table table = mt_table_properties(arena, title);
    mt_table_property(&table, "cells", (double)i->n_cells, "");
    mt_table_property(&table, "vertices", (double)i->n_vertices, "");
    mt_table_property(&table, "edges", (double)i->n_edges, "");
    mt_table_property(&table, "inner faces", (double)i->n_inner_faces, "");
    mt_table_property(&table, "boundary faces", (double)i->n_boundary_faces, "");
    mt_table_property(&table, "components", (double)i->n_components, "");
    mt_table_property(&table, "regions", (double)i->n_regions, "");
    mt_table_property(&table, "extent x", i->max_mm[0] - i->min_mm[0], "mm");
    mt_table_property(&table, "extent y", i->max_mm[1] - i->min_mm[1], "mm");
    mt_table_property(&table, "extent z", i->max_mm[2] - i->min_mm[2], "mm");
    mt_table_property(&table, "volume", i->volume_mm3, "mm^3");
    mt_table_property(&table, "characteristic length V^(1/3)", i->length_mm, "mm");
    mt_table_property(&table, "shortest edge", i->edge_min_mm, "mm");
    mt_table_property(&table, "mean edge", i->edge_mean_mm, "mm");
    mt_table_property(&table, "longest edge", i->edge_max_mm, "mm");
    mt_table_property(&table, "worst radius ratio 3 r / R", i->quality_min, "");
    mt_table_property(&table, "mean radius ratio", i->quality_mean, "");
    return table;
}

static mt_status print_info(mt_arena *arena, const mt_arguments *arguments)
{
    const char *path = mt_operand(arguments, &mt_command_mesh_info, 0);
    mt_format format;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_info numbers;
    MT_TRY(mt_format_parse(mt_option_value(arguments, "--format", "text"), &format));
    MT_TRY(mt_mesh_read(arena, path, &mesh));
    MT_TRY(mt_adjacency_make(arena, &mesh, &adjacency));
    MT_TRY(mt_info_make(&mesh, &adjacency, &numbers));
    mt_table table = info_table(arena, path, &numbers);
    return mt_table_print(arguments->out, &table, format);
}

static mt_status info(const mt_arguments *arguments)
{
    mt_arena arena = {0};
    mt_status status = print_info(&arena, arguments);
    mt_arena_free(&arena);
    return status;
}
