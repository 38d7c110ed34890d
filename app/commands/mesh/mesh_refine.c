/* myotile mesh refine. */
#include <math.h>

#include "app/results/mesh_rows.h"
#include "app/cli/command.h"
#include "app/heart/refining.h"
#include "data/core/progress.h"
#include "app/cli/table.h"
#include "app/heart/mesh_file.h"
#include "mesh/files/formats.h"
#include "mesh/info.h"

static mt_status refine(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT", "the file to write; its ending selects the format"),
    {.name = "--times",
        .value = "N",
        .help = "number of refinements, each of an element into eight; default: 1"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTIONS_END};

const mt_command mt_command_mesh_refine = {
    .name = "mesh refine",
    .operands = "MESH",
    .n_operands = 1,
    .summary = "refine a mesh uniformly: split every element into eight, every tagged triangle into four",
    .example = "myotile mesh refine slab.hdf -o fine.hdf",
    .options = options,
    .run = refine,
};

typedef struct measures {
    mt_element_size size;
    double quality; /* minimum radius ratio */
} measures;

static mt_status measure(const mt_mesh *mesh, measures *m)
{
    m->quality = mesh->n_elements ? 1 : NAN;
    for (size_t c = 0; c < mesh->n_elements; c++) m->quality = fmin(m->quality, mt_info_quality(mesh, c));
    return mt_element_size_find(mesh, &m->size);
}

static mt_table refine_table(mt_arena *arena, const char *title, const mt_mesh *mesh, const measures *before,
    const measures *after, double seconds)
{
    mt_table table = mt_table_properties(arena, "mesh", title);
    mt_table_property(&table, "elements", "elements", (double)mesh->n_elements, "");
    mt_table_property(&table, "vertices", "vertices", (double)mesh->n_vertices, "");
    mt_table_property(&table, "tagged_triangles", "tagged triangles", (double)mesh->n_faces, "");
    mt_table_property(
        &table, "characteristic_length_before_mm", "element size before", before->size.length_mm, "mm");
    mt_table_property(&table, "mean_edge_before_mm", "mean edge before", before->size.edge_mm, "mm");
    mt_element_size_rows(&table, &after->size);
    mt_table_property(&table, "worst_radius_ratio_before", "worst radius ratio before", before->quality, "");
    mt_table_property(&table, "worst_radius_ratio", "worst radius ratio 3 r / R", after->quality, "");
    mt_table_property(&table, "time_s", "time", seconds, "s");
    return table;
}

static mt_status refine_with(mt_refining *refining, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, 0), *out = mt_option_value(arguments, "--output", NULL);
    unsigned long times;
    mt_mesh mesh;
    const mt_mesh_format *to = NULL;
    MT_TRY(mt_mesh_format_check(out, mt_option_replace(arguments), &to));
    MT_TRY(mt_integer("--times", mt_option_value(arguments, "--times", "1"), 1, 10, &times));
    MT_TRY(mt_read_mesh(refining->arenas[0], in, &mesh));
    measures before, after;
    MT_TRY(measure(&mesh, &before));
    const double start_s = mt_now_s();
    mt_progress_stage("refining");
    mt_status status = mt_refining_times(refining, times, &mesh);
    mt_progress_stage(NULL);
    MT_TRY(status);
    const double seconds = mt_now_s() - start_s;
    MT_TRY(measure(&mesh, &after));
    MT_TRY(mt_write_mesh(out, to, &mesh));
    mt_table table = refine_table(refining->arenas[refining->at], out, &mesh, &before, &after, seconds);
    return mt_print_table(arguments, &table);
}

static mt_status refine(mt_arena *arena, const mt_arguments *arguments)
{
    MT_SCRATCH(other);
    return refine_with(&(mt_refining){.arenas = {arena, other}}, arguments);
}
