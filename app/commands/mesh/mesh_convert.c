/* myotile mesh convert. */
#include "app/results/mesh_rows.h"
#include "app/cli/command.h"
#include "app/heart/mesh_file.h"
#include "data/core/progress.h"
#include "mesh/repair/defects.h"
#include "mesh/repair/repair.h"
#include "mesh/files/formats.h"
#include "mesh/info.h"

static mt_status convert(mt_arena *arena, const mt_arguments *arguments);

static const mt_option convert_options[] = {
    {.name = "--unit",
        .value = "um|mm|cm|m",
        .help =
            "unit of the coordinates in IN; default: the unit stated in IN, or um for CARP, otherwise mm"},
    {.name = "--repair",
        .help = "reorient inverted elements; remove flat, duplicate and overlapping elements and "
                "disconnected pieces"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTIONS_END};

const mt_command mt_command_mesh_convert = {
    .name = "mesh convert",
    .operands = "IN OUT",
    .n_operands = 2,
    .summary = "convert or repair a mesh; formats by file name: .hdf .msh .pts .vtu, for input also .vtk "
               ".xdmf .node",
    .example = "myotile mesh convert slab.hdf slab.pts",
    .options = convert_options,
    .run = convert,
};

/* ---- content ---- */

static mt_table content_table(mt_arena *arena, const char *title, const mt_mesh *mesh, const mt_info *i)
{
    mt_table table = mt_table_properties(arena, "mesh", title);
    mt_table_property(&table, "elements", "elements", (double)mesh->n_elements, "");
    mt_table_property(&table, "vertices", "vertices", (double)mesh->n_vertices, "");
    mt_table_property(&table, "regions", "regions", (double)i->n_regions, "");
    mt_table_property(&table, "tagged_triangles", "tagged triangles", (double)mesh->n_faces, "");
    mt_table_property(&table, "triangle_tags", "distinct triangle tags", (double)i->n_surfaces, "");
    mt_content_rows(&table, mesh);
    mt_size_rows(&table, i);
    return table;
}

/* ---- defects ---- */

static void warn_of_defects(const char *path, const mt_defects *defects)
{
    char text[512];
    for (int kind = 0; kind < MT_DEFECT_KINDS; kind++) {
        if (mt_defect_kinds[kind].fatal || defects->of[kind].count == 0) continue;
        mt_defect_text(defects, (mt_defect)kind, text, sizeof text);
        mt_warn("%s: %s", path, text);
    }
}

static void tell_defects(mt_table *table, const mt_defects *defects)
{
    for (int kind = 0; kind < MT_DEFECT_KINDS; kind++)
        if (defects->of[kind].count > 0)
            mt_table_property(table, mt_defect_kinds[kind].key, mt_defect_kinds[kind].name,
                (double)defects->of[kind].count, "");
}

static void tell_repair(mt_table *table, const mt_repair *r)
{
    mt_table_property(
        table, "inverted_elements_reoriented", "inverted elements reoriented", (double)r->turned, "");
    mt_table_property(table, "duplicate_elements_merged", "duplicate elements of different regions merged",
        (double)r->repeats.n_merged, "");
    mt_table_property(
        table, "duplicate_elements_removed", "duplicate elements removed", (double)r->duplicates, "");
    mt_table_property(table, "elements_with_repeated_vertex_removed",
        "elements with a repeated vertex removed", (double)r->repeated, "");
    mt_table_property(table, "edges_collapsed", "edges collapsed", (double)r->flat.edges, "");
    mt_table_property(table, "elements_collapsed", "elements removed by this", (double)r->flat.elements, "");
    mt_table_property(table, "flat_surface_elements_removed", "flat elements removed at the surface",
        (double)r->flat.surface, "");
    mt_table_property(table, "flat_interior_elements_removed",
        "flat interior elements removed, leaving a slit", (double)r->flat.inside, "");
    mt_table_property(
        table, "overlapping_elements_removed", "overlapping elements removed", (double)r->overlapping, "");
    mt_table_property(table, "pieces_removed", "disconnected pieces removed", (double)r->pieces, "");
    mt_table_property(
        table, "elements_of_removed_pieces", "elements of these pieces", (double)r->piece_elements, "");
    mt_table_property(table, "vertices_removed", "vertices removed", (double)r->vertices, "");
    mt_table_property(
        table, "tagged_triangles_removed", "tagged triangles removed", (double)r->triangles, "");
}

/* Repairs the mesh if `wanted`, finds the remaining defects, and refuses a mesh that cannot be simulated. */
static mt_status repair_if_wanted(
    mt_arena *arena, const char *path, bool wanted, mt_mesh *mesh, mt_repair *repair, mt_defects *defects)
{
    if (wanted) {
        mesh->notes = NULL; /* the reader's notes are already printed */
        const mt_status status = mt_repair_mesh(arena, mesh, repair);
        if (status == MT_INPUT) return mt_fail(status, "%s: cannot be repaired: %s", path, mt_message());
        MT_TRY(status);
        mt_print_notes(path, mesh->notes);
    }
    MT_TRY(mt_defects_find(mesh, defects));
    return mt_defects_refuse(defects, path);
}

/* ---- the command ---- */

static mt_status convert(mt_arena *arena, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, 0);
    const char *out = mt_operand(arguments, 1);
    const mt_mesh_format *from = NULL, *to = NULL;
    double unit_mm = 1;
    mt_mesh mesh;
    mt_repair repair;
    mt_defects defects;
    mt_info numbers;
    const bool repairing = mt_option_given(arguments, "--repair");
    MT_TRY(mt_mesh_format_find(in, false, &from));
    MT_TRY(mt_mesh_format_check(out, mt_option_replace(arguments), &to));
    MT_TRY(mt_mesh_unit(in, from, mt_option_value(arguments, "--unit", NULL), &unit_mm));
    MT_TRY(mt_mesh_read_as(arena, in, from, unit_mm, &mesh));
    mt_print_notes(in, mesh.notes);
    MT_TRY(repair_if_wanted(arena, in, repairing, &mesh, &repair, &defects));
    MT_TRY(mt_info_find(&mesh, &numbers));
    MT_TRY(mt_write_mesh(out, to, &mesh));
    mt_warn_of_size(in, numbers.min_mm, numbers.max_mm);
    warn_of_defects(in, &defects);
    mt_table table = content_table(arena, in, &mesh, &numbers);
    tell_defects(&table, &defects);
    if (repairing) tell_repair(&table, &repair);
    return mt_print_table(arguments, &table);
}
