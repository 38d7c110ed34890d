#include "app/results/mesh_rows.h"

#include <math.h>

#include "mesh/anatomy/fibres.h"
#include "solver/diffusion/nodal.h"

enum { SHOWN = 8 };

void mt_content_rows(mt_table *table, const mt_mesh *mesh)
{
    mt_table_property_text(table, "fibres", "fibres",
        !mesh->fibre                 ? "no"
        : mt_info_fibres_alike(mesh) ? "yes, uniform"
                                     : "yes");
    mt_table_property_text(table, "sheets", "sheets", mesh->sheet ? "yes" : "no");
    mt_table_property_text(table, "depth", "depth", mesh->depth ? "yes" : "no");
    mt_table_property_text(table, "layers", "layers", mesh->layer ? "yes" : "no");
    if (mesh->segment) mt_table_property_text(table, "segments", "segments", "yes");
}

void mt_element_size_rows(mt_table *table, const mt_element_size *size)
{
    mt_table_property(table, "characteristic_length_mm", "element size", size->length_mm, "mm");
    mt_table_property(table, "mean_edge_mm", "mean edge", size->edge_mm, "mm");
}

void mt_size_rows(mt_table *table, const mt_info *info)
{
    static const char *const names[][2] = {
        {"extent_x_mm", "extent x"}, {"extent_y_mm", "extent y"}, {"extent_z_mm", "extent z"}};
    for (int k = 0; k < 3; k++)
        mt_table_property(table, names[k][0], names[k][1], info->max_mm[k] - info->min_mm[k], "mm");
    mt_table_property(table, "volume_mm3", "volume", info->volume_mm3, "mm^3");
}

void mt_anatomy_rows(mt_table *table, const mt_mesh *mesh, const mt_surfaces *surfaces, mt_anatomy anatomy)
{
    size_t others = mesh->n_faces;
    static const struct {
        const char *count_key, *count, *area_key, *area;
    } row[MT_SURFACES] = {
        [MT_SURFACE_BASE] = {"base_triangles", "triangles of the base", "base_area_mm2", "area of the base"},
        [MT_SURFACE_EPI] = {"epicardium_triangles", "triangles of the epicardium", "epicardium_area_mm2",
            "area of the epicardium"},
        [MT_SURFACE_LV] = {"left_endocardium_triangles", "triangles of the left endocardium",
            "left_endocardium_area_mm2", "area of the left endocardium"},
        [MT_SURFACE_RV] = {"right_endocardium_triangles", "triangles of the right endocardium",
            "right_endocardium_area_mm2", "area of the right endocardium"}};
    mt_table_property_text(table, "surfaces", "surfaces", mt_anatomy_text(anatomy, surfaces->how));
    for (int s = MT_SURFACE_BASE; s < MT_SURFACES; s++) {
        mt_table_property(table, row[s].count_key, row[s].count, (double)surfaces->n_triangles[s], "");
        mt_table_property(table, row[s].area_key, row[s].area, surfaces->area_mm2[s], "mm^2");
        others -= surfaces->n_triangles[s];
    }
    mt_table_property(table, "other_triangles", "triangles with other tags", (double)others, "");
    mt_table_property(table, "triangles_dropped", "triangles on no surface, removed",
        (double)(surfaces->n_triangles[0] - others), "");
}

mt_status mt_anatomy_apex_rows(mt_table *table, const mt_mesh *mesh)
{
    mt_landmarks landmarks;
    MT_TRY(mt_landmarks_find(mesh, &landmarks));
    const double *apex = mesh->xyz_mm + 3 * landmarks.apex;
    mt_table_property(table, "apex_x_mm", "apex x", apex[0], "mm");
    mt_table_property(table, "apex_y_mm", "apex y", apex[1], "mm");
    mt_table_property(table, "apex_z_mm", "apex z", apex[2], "mm");
    return MT_OK;
}

void mt_operator_rows(mt_table *table, const mt_diffusion *diffusion)
{
    if (diffusion && diffusion->nodal) {
        const mt_nodal *nodal = diffusion->nodal;
        const double entries = (double)nodal->start[diffusion->n_unknowns];
        mt_table_property(table, "negative_couplings_percent", "negative couplings of vertices",
            100 * (double)nodal->n_negative / entries, "%");
        if (nodal->kept < 1)
            mt_table_property(table, "kept_spreading_percent",
                "spreading between vertices that stability allows", 100 * nodal->kept, "%");
        return;
    }
    mt_table_property(table, "elements_with_limited_gradients", "elements with limited gradients",
        diffusion ? (double)diffusion->n_limited : NAN, "");
    if (diffusion && diffusion->n_slivers > 0)
        mt_table_property(table, "limited_slivers", "limited slivers", (double)diffusion->n_slivers, "");
    if (diffusion && diffusion->n_slowed > 0)
        mt_table_property(table, "slowed_elements", "elements slowed by reaction spreading",
            (double)diffusion->n_slowed, "");
}

mt_table mt_operator_table(
    mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency, const mt_diffusion *diffusion)
{
    const bool all = diffusion->n_limited + diffusion->n_slivers <= SHOWN;
    mt_table table =
        mt_table_begin(arena, "limited_elements", all ? "Limited elements" : "Limited elements, the first");
    mt_table_decimals(&table, "element", "element", "", 0);
    mt_table_digits(&table, "x_mm", "x", "mm", 6);
    mt_table_digits(&table, "y_mm", "y", "mm", 6);
    mt_table_digits(&table, "z_mm", "z", "mm", 6);
    mt_table_digits(&table, "volume_mm3", "volume", "mm^3", 4);
    mt_table_digits(&table, "theta", "theta", "", 4);
    mt_table_digits(&table, "worst_cosine", "worst cosine", "", 4);
    mt_table_digits(&table, "capacity_volumes", "capacity", "volumes", 4);
    size_t shown = 0;
    for (size_t c = 0; c < mesh->n_elements && shown < SHOWN; c++) {
        double x[3];
        const mt_diffusion_limiting effect = mt_diffusion_effect_on(diffusion, mesh, adjacency, c);
        if (!effect.limited) continue;
        mt_mesh_centroid(mesh, c, x);
        mt_table_number(&table, (double)mt_mesh_number(mesh, c));
        for (int k = 0; k < 3; k++) mt_table_number(&table, x[k]);
        MT_TABLE_NUMBERS(&table, mt_mesh_volume_mm3(mesh, c), effect.theta, effect.cosine, effect.capacity);
        shown++;
    }
    return table;
}
