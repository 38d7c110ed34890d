/* The machines that come with Myotile: the YAML files in data/machines (app/cli/data_folder.h). */
#ifndef MT_APP_CLI_MACHINES_H
#define MT_APP_CLI_MACHINES_H

#include <stdbool.h>
#include <stddef.h>

#include "data/arena.h"
#include "data/status.h"
#include "ipu/machine/target.h"

/* For the tables of options. */
#define MT_OPTION_MACHINE_SET                                                                                \
    {                                                                                                        \
        .name = "--machine-set", .value = "key=value",                                                       \
        .help = "use this value in place of the machine's: links.shape=torus", .repeats = true               \
    }

/* Is this the path of a machine's file? A path has a '/' or ".yaml" in it; anything else is a name. */
bool mt_machine_is_path(const char *name);

/* Gives the path of a machine's file: of a name, that in data/machines; a path stays as it is, and need not exist. MT_INPUT: no
 * machine has this name; the message lists their names. */
MT_NODISCARD mt_status mt_machine_path(mt_arena *arena, const char *name, const char **path);

/* Reads the machine's file at such a path, with values set. Its name tells them: "GC200 with links.shape=torus". Fails as
 * ipu_target_load. */
MT_NODISCARD mt_status mt_machine_load(
    mt_arena *arena, const char *path, const mt_yaml_override *sets, size_t n_sets, ipu_target *target);

/* Gives the names of the machines, in alphabetical order. */
MT_NODISCARD mt_status mt_machine_names(mt_arena *arena, size_t *n, const char ***names);

#endif
