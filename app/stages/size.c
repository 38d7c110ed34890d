#include "app/stages/size.h"
#include "app/cli/warning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/vec3.h"

void mt_content_rows(mt_table *table, const mt_mesh *mesh)
{
    mt_table_property_text(table, "fibres", "fibres",
        !mesh->fibre                 ? "no"
        : mt_info_fibres_alike(mesh) ? "yes, all alike"
                                     : "yes");
    mt_table_property_text(table, "sheets", "sheets", mesh->sheet ? "yes" : "no");
    mt_table_property_text(table, "depth", "depth", mesh->depth ? "yes" : "no");
    mt_table_property_text(table, "layers", "layers", mesh->layer ? "yes" : "no");
}

void mt_print_notes(const char *path, const mt_mesh *mesh)
{
    for (const char *at = mesh->notes; at && *at; at++) {
        const size_t n = strcspn(at, "\n");
        mt_note(path, at, n);
        at += n;
    }
}

mt_status mt_read_mesh(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    MT_TRY(mt_mesh_read(arena, path, mesh));
    mt_print_notes(path, mesh);
    return MT_OK;
}

mt_status mt_write_mesh(const char *path, const mt_mesh_format *to, const mt_mesh *mesh)
{
    MT_TRY(to->write(path, mesh));
    if (mesh->fibre && !to->keeps_fibres) mt_warn("%s: %s keeps no fibres", path, to->name);
    if ((mesh->depth || mesh->layer) && !to->keeps_depth)
        mt_warn("%s: %s keeps no depth and no layers", path, to->name);
    return MT_OK;
}

void mt_size_rows(mt_table *table, const mt_info *info)
{
    static const char *const names[][2] = {
        {"extent_x_mm", "extent x"}, {"extent_y_mm", "extent y"}, {"extent_z_mm", "extent z"}};
    for (int k = 0; k < 3; k++)
        mt_table_property(table, names[k][0], names[k][1], info->max_mm[k] - info->min_mm[k], "mm");
    mt_table_property(table, "volume_mm3", "volume", info->volume_mm3, "mm^3");
}

/* A heart's longest side is 20 mm (a rabbit's ventricles) to 300 mm (a large human's whole heart): beyond, the
 * unit is likely wrong by a factor of ten or more. */
void mt_warn_of_size(const char *path, const double low_mm[3], const double high_mm[3])
{
    double side_mm[3];
    mt_minus3(high_mm, low_mm, side_mm);
    const double longest = fmax(side_mm[0], fmax(side_mm[1], side_mm[2]));
    if (longest >= 20 && longest <= 300) return;
    mt_warn("%s: the longest side is %g mm, a heart's is 20 to 300 mm; is --unit right?", path, longest);
}
