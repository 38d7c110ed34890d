#include "app/size.h"

void mt_size_rows(mt_table *table, const mt_info *info)
{
    static const char *const names[] = {"extent x", "extent y", "extent z"};
    for (int k = 0; k < 3; k++) mt_table_property(table, names[k], info->max_mm[k] - info->min_mm[k], "mm");
    mt_table_property(table, "volume", info->volume_mm3, "mm^3");
}
