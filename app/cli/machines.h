/* The machines that come with Myotile: the YAML files in data/machines (app/cli/data_folder.h). */
#ifndef MT_APP_CLI_MACHINES_H
#define MT_APP_CLI_MACHINES_H

#include <stdbool.h>
#include <stddef.h>

#include "data/arena.h"
#include "data/status.h"

/* Is this the path of a machine's file? A path has a '/' or ".yaml" in it; anything else is a name. */
bool mt_machine_is_path(const char *name);

/* Gives the path of a machine's file: of a name, that in data/machines; a path stays as it is, and need not exist. MT_INPUT: no
 * machine has this name; the message lists their names. */
MT_NODISCARD mt_status mt_machine_path(mt_arena *arena, const char *name, const char **path);

/* Gives the names of the machines, in alphabetical order. */
MT_NODISCARD mt_status mt_machine_names(mt_arena *arena, size_t *n, const char ***names);

#endif
