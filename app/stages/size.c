#include "app/stages/size.h"
#include "app/cli/warning.h"

#include <stdio.h>

static void row(mt_table *table, const char *name, const char *text)
{
    mt_table_text(table, name);
    mt_table_text(table, text);
    mt_table_text(table, "");
}

void mt_content_rows(mt_table *table, const mt_mesh *mesh)
{
    row(table, "fibres", !mesh->fibre ? "no" : mt_info_fibres_alike(mesh) ? "yes, all alike" : "yes");
    row(table, "sheets", mesh->sheet ? "yes" : "no");
    row(table, "depth", mesh->depth ? "yes" : "no");
    row(table, "layers", mesh->layer ? "yes" : "no");
}

void mt_warn_of_loss(const char *path, const mt_mesh_format *to, const mt_mesh *mesh)
{
    if (mesh->fibre && !to->keeps_fibres) mt_warn("%s: %s keeps no fibres", path, to->name);
    if ((mesh->depth || mesh->layer) && !to->keeps_depth)
        mt_warn("%s: %s keeps no depth and no layers", path, to->name);
}

void mt_size_rows(mt_table *table, const mt_info *info)
{
    static const char *const names[] = {"extent x", "extent y", "extent z"};
    for (int k = 0; k < 3; k++) mt_table_property(table, names[k], info->max_mm[k] - info->min_mm[k], "mm");
    mt_table_property(table, "volume", info->volume_mm3, "mm^3");
}
