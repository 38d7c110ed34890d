/* myotile mesh surfaces. */
#include "app/results/mesh_rows.h"
#include "app/heart/anatomy.h"
#include "app/cli/command.h"
#include "app/heart/mesh_file.h"
#include "app/cli/table.h"
#include "data/core/progress.h"
#include "data/files/input.h"
#include "mesh/anatomy/tag_meaning.h"
#include "mesh/files/formats.h"

static mt_status tag_surfaces(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT", "the file to write: the mesh with surface tags base 1, epicardium 2, LV 3, RV 4"),
    {.name = "--surfaces", .value = MT_SURFACES_VALUE, .help = MT_SURFACES_HELP},
    {.name = "--tags", .value = MT_TAG_MEANING_EXAMPLE, .help = MT_TAGS_HELP}, MT_OPTION_FORMAT,
    MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_surfaces = {
    .name = "mesh surfaces",
    .operands = "MESH",
    .n_operands = 1,
    .summary = "find, tag and name the surfaces of a heart; fibres and all other data are preserved",
    .example = "myotile mesh surfaces heart.hdf -o tagged.hdf",
    .options = options,
    .run = tag_surfaces,
};

/* Adds the apex, which a mesh other than a heart, such as a piece of a wall, does not have. */
static mt_status add_apex(mt_table *table, const char *path, const mt_mesh *mesh)
{
    const mt_status status = mt_anatomy_apex_rows(table, mesh);
    if (status != MT_INPUT) return status;
    mt_warn("%s: no apex: %s", path, mt_message());
    return MT_OK;
}

static mt_status tag_surfaces(mt_arena *arena, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, 0), *out = mt_option_value(arguments, "--output", NULL);
    const mt_mesh_format *to = NULL;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_surfaces surfaces;
    mt_anatomy anatomy;
    MT_TRY(mt_mesh_format_check(out, mt_option_replace(arguments), &to));
    /* the output can be the same file, since this only adds to the mesh */
    MT_TRY(mt_input_change_in_place(in));
    MT_TRY(mt_read_mesh(arena, in, &mesh));
    MT_TRY(mt_fail_in(in, mt_adjacency_make(arena, &mesh, &adjacency)));
    MT_TRY(mt_anatomy_choose(arena, mt_option_value(arguments, "--tags", NULL),
        mt_option_value(arguments, "--surfaces", NULL), in, &adjacency, &mesh, &surfaces, &anatomy));
    MT_TRY(mt_write_mesh(out, to, &mesh));
    mt_table table = mt_table_properties(arena, "surfaces", out);
    mt_table_property(&table, "elements", "elements", (double)mesh.n_elements, "");
    mt_content_rows(&table, &mesh);
    mt_anatomy_rows(&table, &mesh, &surfaces, anatomy);
    MT_TRY(add_apex(&table, in, &mesh));
    return mt_print_table(arguments, &table);
}
