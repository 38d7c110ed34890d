/* myotile mesh ventricles: idealised hearts of a wanted size, meshed by the gmsh program. */
#include <math.h>
#include <string.h>

#include "app/command.h"
#include "app/gmsh.h"
#include "app/progress.h"
#include "app/table.h"
#include "data/file.h"
#include "mesh/info.h"
#include "mesh/vtkhdf.h"

static mt_status ventricles(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {"-o", "OUT.hdf", "the file to write, its surfaces tagged base 1, epicardium 2, LV 3, RV 4", false},
    {"--cells", "N", "how many cells, met within 1 %; default: 100000", false},
    {"--like", "heart04|heart05", "the sizes of the published study: 3031704 or 7205076 cells", false},
    {"--format", "text|json|csv", "of the table; default: text", false}, {NULL, NULL, NULL, false}};

const mt_command mt_command_mesh_ventricles = {
    .name = "mesh ventricles",
    .operands = "",
    .summary = "make two idealised ventricles (truncated ellipsoids, 193.5 mL) with the gmsh program",
    .example = "myotile mesh ventricles --cells 10000 -o heart.hdf",
    .options = options,
    .run = ventricles,
};

static mt_status wanted_cells(const mt_arguments *arguments, unsigned long *cells)
{
    static const struct {
        const char *name;
        unsigned long cells;
    } known[] = {{"heart04", 3031704}, {"heart05", 7205076}};
    const char *like = mt_option_value(arguments, "--like", NULL),
               *count = mt_option_value(arguments, "--cells", NULL);
    if (like && count)
        return mt_fail(MT_INPUT, "mesh ventricles: --cells and --like are both given; allowed: one of them");
    for (size_t k = 0; like && k < sizeof known / sizeof known[0]; k++)
        if (strcmp(like, known[k].name) == 0) {
            *cells = known[k].cells;
            return MT_OK;
        }
    if (like) return mt_fail(MT_INPUT, "--like %s; allowed: heart04, heart05", like);
    return mt_whole_number("--cells", count ? count : "100000", 5000, 50000000, cells);
}

/* Cells go with the edge to the power -3, so a few corrections meet the count. 0.6327 mm made 3.03 million. */
static mt_status make_wanted(mt_arena *arena, unsigned long cells, const char *temporary, mt_mesh *mesh)
{
    double edge_mm = 0.6327 * cbrt(3.03e6 / (double)cells);
    for (int attempt = 0; attempt < 8; attempt++) {
        mt_progress_stage("meshing with gmsh");
        MT_TRY(mt_gmsh_mesh(arena, "ventricles.geo", NULL, 0, edge_mm, temporary, mesh));
        const double ratio = (double)mesh->n_cells / (double)cells;
        if (fabs(ratio - 1) <= 0.01) return MT_OK;
        edge_mm *= cbrt(ratio);
        mt_arena_free(arena);
    }
    return mt_fail(MT_NUMERICS, "mesh ventricles: no mesh within 1 %% of %lu cells after 8 attempts", cells);
}

static mt_status ventricles_with(mt_arena *arena, const mt_arguments *arguments)
{
    const char *out = mt_option_value(arguments, "-o", NULL);
    unsigned long cells;
    mt_format format;
    mt_mesh mesh;
    mt_info info;
    char temporary[MT_FILE_PATH_MAX];
    if (!out) return mt_fail(MT_INPUT, "mesh ventricles: -o is needed");
    MT_TRY(mt_vtkhdf_check_name(out));
    if (snprintf(temporary, sizeof temporary, "%s.part.msh", out) >= (int)sizeof temporary)
        return mt_fail(MT_INPUT, "%s: the path is too long", out);
    MT_TRY(mt_format_parse(mt_option_value(arguments, "--format", "text"), &format));
    MT_TRY(wanted_cells(arguments, &cells));
    MT_TRY(make_wanted(arena, cells, temporary, &mesh));
    mt_progress_stage(NULL);
    MT_TRY(mt_vtkhdf_write(out, &mesh, 0, NULL));
    MT_TRY(mt_info_look(&mesh, &info));
    mt_table table = mt_table_properties(arena, out);
    mt_table_property(&table, "cells", (double)mesh.n_cells, "");
    mt_table_property(&table, "vertices", (double)mesh.n_vertices, "");
    mt_table_property(&table, "tagged triangles", (double)mesh.n_faces, "");
    mt_table_property(&table, "volume", info.volume_mm3, "mm^3");
    mt_table_property(&table, "characteristic length V^(1/3)", info.length_mm, "mm");
    return mt_table_print(arguments->out, &table, format);
}

static mt_status ventricles(mt_arena *arena, const mt_arguments *arguments)
{
    mt_progress_catch_interrupt();
    mt_status status = ventricles_with(arena, arguments);
    if (status != MT_OK) mt_progress_stage(NULL);
    return status;
}
