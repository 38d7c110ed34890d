/* Where the program's data lie: data/machines, data/geometry and data/reference. */
#pragma once

#include "data/core/arena.h"

/* The folder share/myotile beside the folder of the program, where it is installed, wherever that was moved; else data/ of the
 * source that the program was built from. Valid for ever. */
const char *mt_data_folder(void);

/* The folder of the machines in it (ipu/machine/machines.h). Valid for ever. */
const char *mt_machines_folder(void);

/* Gives in `arena` the path of a file in it, such as "cases/niederer-0.5.yaml". MT_INPUT: it is too long. MT_MEMORY. */
MT_NODISCARD mt_status mt_data_path(mt_arena *arena, const char *file, const char **path);
