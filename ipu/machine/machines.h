/* Machines by their names: a folder of machine files, such as data/machines, where gc200.yaml is the machine "gc200". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "ipu/machine/target.h"

/* Is this the path of a machine's file? A path has a '/' or ".yaml" in it; anything else is a name. */
bool ipu_machine_is_path(const char *name);

/* Gives in `arena` the path of a machine's file: of a name, that in the folder; a path stays as it is, and need not exist. MT_INPUT:
 * no machine has this name; the message lists their names. MT_FILE: the folder cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status ipu_machine_path(
    mt_arena *arena, const char *folder, const char *name, const char **path);

/* Reads the machine's file at such a path, with values set. Its name tells them: "GC200 with links.shape=torus". Fails as
 * ipu_target_load. */
MT_NODISCARD mt_status ipu_machine_load(
    mt_arena *arena, const char *path, const mt_yaml_override *sets, size_t n_sets, ipu_target *target);

/* Gives in `arena` the names of the machines of the folder, in alphabetical order; none where there is no such folder. MT_FILE: it
 * cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status ipu_machine_names(mt_arena *arena, const char *folder, size_t *n, const char ***names);
