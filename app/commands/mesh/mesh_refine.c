/* myotile mesh refine. */
#include <math.h>

#include "app/results/mesh_rows.h"
#include "app/cli/command.h"
#include "app/commands/mesh/refine_selection.h"
#include "app/heart/refining.h"
#include "data/core/progress.h"
#include "app/cli/table.h"
#include "app/heart/mesh_file.h"
#include "mesh/files/formats.h"
#include "mesh/info.h"
#include "mesh/make/bisect.h"

static mt_status refine(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT", "the file to write; its ending selects the format"),
    {.name = "--times",
        .value = "N",
        .help = "number of refinements, each of an element into eight; default: 1"},
    MT_REFINE_SELECTION_OPTIONS, MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_refine = {
    .name = "mesh refine",
    .operands = "MESH",
    .n_operands = 1,
    .summary = "refine a mesh: split every element into eight, or with --where halve selected elements until "
               "they are small",
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

/* What a refinement did. */
typedef struct refinement {
    measures before, after;
    bool local;
    mt_bisected bisected; /* if local */
    double seconds;
} refinement;

static mt_table refine_table(mt_arena *arena, const char *title, const mt_mesh *mesh, const refinement *r)
{
    mt_table table = mt_table_properties(arena, "mesh", title);
    if (r->local) {
        mt_table_property(&table, "selected_elements", "selected elements with long edges",
            (double)r->bisected.n_selected, "");
        mt_table_property(
            &table, "other_divided_elements", "other elements divided", (double)r->bisected.n_others, "");
    }
    mt_table_property(&table, "elements", "elements", (double)mesh->n_elements, "");
    mt_table_property(&table, "vertices", "vertices", (double)mesh->n_vertices, "");
    mt_table_property(&table, "tagged_triangles", "tagged triangles", (double)mesh->n_faces, "");
    mt_table_property(
        &table, "characteristic_length_before_mm", "element size before", r->before.size.length_mm, "mm");
    mt_table_property(&table, "mean_edge_before_mm", "mean edge before", r->before.size.edge_mm, "mm");
    mt_element_size_rows(&table, &r->after.size);
    mt_table_property(
        &table, "worst_radius_ratio_before", "worst radius ratio before", r->before.quality, "");
    mt_table_property(&table, "worst_radius_ratio", "worst radius ratio 3 r / R", r->after.quality, "");
    mt_table_property(&table, "time_s", "time", r->seconds, "s");
    return table;
}

/* Checks that the options belong together. */
static mt_status check_options(const mt_arguments *arguments)
{
    static const char *const local[] = {"--edge-mm", "--margin-mm", "--case"};
    const bool where = mt_option_given(arguments, "--where");
    if (where && mt_option_given(arguments, "--times"))
        return mt_fail(
            MT_INPUT, "both --where and --times are given; allowed: --where with --edge-mm, or --times");
    if (where && !mt_option_given(arguments, "--edge-mm"))
        return mt_fail(MT_INPUT, "--where without --edge-mm; allowed: both");
    for (size_t k = 0; !where && k < sizeof local / sizeof *local; k++)
        if (mt_option_given(arguments, local[k]))
            return mt_fail(MT_INPUT, "%s without --where; allowed: both, or --times", local[k]);
    return MT_OK;
}

/* Replaces the mesh by one with small elements where --where selects them. */
static mt_status refine_locally(mt_refining *refining, const mt_arguments *arguments, double edge_mm,
    mt_mesh *mesh, mt_bisected *bisected)
{
    const char *path = mt_operand(arguments, 0);
    uint8_t *selected;
    mt_mesh fine;
    MT_TRY(mt_refine_selection(refining->arenas[refining->at], arguments, path, mesh, &selected));
    mt_progress_stage("refining");
    MT_TRY(mt_bisect(refining->arenas[1 - refining->at], mesh, selected, edge_mm, &fine, bisected));
    refining->at = 1 - refining->at;
    *mesh = fine;
    return mt_mesh_check(mesh);
}

static mt_status refine_with(mt_refining *refining, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, 0), *out = mt_option_value(arguments, "--output", NULL);
    unsigned long times;
    double edge_mm;
    mt_mesh mesh;
    const mt_mesh_format *to = NULL;
    refinement r = {.local = mt_option_given(arguments, "--where")};
    MT_TRY(check_options(arguments));
    MT_TRY(mt_mesh_format_check(out, mt_option_replace(arguments), &to));
    MT_TRY(mt_integer("--times", mt_option_value(arguments, "--times", "1"), 1, 10, &times));
    MT_TRY(mt_numbers("--edge-mm", mt_option_value(arguments, "--edge-mm", "1"), 1, 0, &edge_mm));
    MT_TRY(mt_read_mesh(refining->arenas[0], in, &mesh));
    MT_TRY(measure(&mesh, &r.before));
    const double start_s = mt_now_s();
    if (!r.local) mt_progress_stage("refining");
    const mt_status status = r.local ? refine_locally(refining, arguments, edge_mm, &mesh, &r.bisected)
                                     : mt_refining_times(refining, times, &mesh);
    mt_progress_stage(NULL);
    MT_TRY(status);
    r.seconds = mt_now_s() - start_s;
    MT_TRY(measure(&mesh, &r.after));
    MT_TRY(mt_write_mesh(out, to, &mesh));
    mt_table table = refine_table(refining->arenas[refining->at], out, &mesh, &r);
    return mt_print_table(arguments, &table);
}

static mt_status refine(mt_arena *arena, const mt_arguments *arguments)
{
    MT_SCRATCH(other);
    return refine_with(&(mt_refining){.arenas = {arena, other}}, arguments);
}
