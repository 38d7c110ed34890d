/* Location of the program's data: data/machines, data/geometry and data/reference. */
#pragma once

#include "data/core/arena.h"

/* Returns the folder share/myotile of the installation that has this code, of the program or of a shared library, even after it was moved;
 * otherwise data/ of the source tree of the build. Valid for the life of the process. Not for two threads at once before the first
 * return. */
const char *mt_data_folder(void);

/* Returns the folder of the machines in it (ipu/machine/machines.h). Valid for the life of the process. */
const char *mt_machines_folder(void);

/* Returns in `arena` the path of a file in the data folder, such as "cases/niederer-0.5.yaml". MT_INPUT: it is too long.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_data_path(mt_arena *arena, const char *file, const char **path);
