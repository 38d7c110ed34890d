/* The rows that tell how large a mesh is. */
#ifndef MT_APP_SIZE_H
#define MT_APP_SIZE_H

#include "app/table.h"
#include "mesh/info.h"

/* Adds the extents and the volume to a table of properties. */
void mt_size_rows(mt_table *table, const mt_info *info);

#endif
