/* myotile mesh ventricles: generates idealised ventricles of a given size with the gmsh program. */
#include <math.h>
#include <string.h>

#include "app/results/mesh_rows.h"
#include "app/cli/command.h"
#include "app/study/published.h"
#include "app/heart/gmsh.h"
#include "data/core/progress.h"
#include "app/cli/table.h"
#include "data/files/file.h"
#include "mesh/info.h"
#include "mesh/vtk/vtkhdf.h"

static mt_status ventricles(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT.hdf", "the file to write, with surface tags base 1, epicardium 2, LV 3, RV 4"),
    {.name = "--elements", .value = "N", .help = "number of elements, within 1 %; default: 100000"},
    {.name = "--like",
        .value = "heart04|heart05",
        .help = "number of elements as in the hearts of the published study: 3 or 7.2 million"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_ventricles = {
    .name = "mesh ventricles",
    .operands = "",
    .summary = "generate a mesh of two idealised ventricles (truncated ellipsoids, 193.5 mL) with gmsh",
    .example = "myotile mesh ventricles --elements 10000 -o heart.hdf",
    .options = options,
    .run = ventricles,
};

static mt_status wanted_elements(const mt_arguments *arguments, unsigned long *elements)
{
    const char *like = mt_option_value(arguments, "--like", NULL),
               *count = mt_option_value(arguments, "--elements", NULL);
    if (like && count)
        return mt_fail(
            MT_INPUT, "mesh ventricles: --elements and --like are both given; allowed: one of them");
    if (like) return mt_published_elements(like, elements);
    return mt_integer("--elements", count ? count : "100000", 5000, 50000000, elements);
}

static mt_status ventricles(mt_arena *arena, const mt_arguments *arguments)
{
    const char *out = mt_option_value(arguments, "--output", NULL);
    unsigned long elements;
    mt_mesh mesh;
    mt_info info;
    mt_element_size size;
    MT_TRY(mt_vtkhdf_check_name(out));
    MT_TRY(mt_file_check(out, mt_option_replace(arguments)));
    MT_TRY(wanted_elements(arguments, &elements));
    MT_TRY(mt_gmsh_ventricles(arena, elements, out, &mesh));
    mt_progress_stage(NULL);
    MT_TRY(mt_vtkhdf_write(out, &mesh, 0, NULL));
    MT_TRY(mt_info_find(&mesh, &info));
    MT_TRY(mt_element_size_find(&mesh, &size));
    mt_table table = mt_table_properties(arena, "mesh", out);
    mt_table_property(&table, "elements", "elements", (double)mesh.n_elements, "");
    mt_table_property(&table, "vertices", "vertices", (double)mesh.n_vertices, "");
    mt_table_property(&table, "tagged_triangles", "tagged triangles", (double)mesh.n_faces, "");
    mt_table_property(&table, "volume_mm3", "volume", info.volume_mm3, "mm^3");
    mt_element_size_rows(&table, &size);
    return mt_print_table(arguments, &table);
}
