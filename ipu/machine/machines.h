/* Machines by name: a folder of machine files, such as data/machines, where gc200.yaml is the machine "gc200". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "ipu/machine/target.h"

/* True if this is the path of a machine file: it contains '/' or ".yaml". Anything else is a name. */
bool ipu_machine_is_path(const char *name);

/* Returns in `arena` the path of a machine file: of a name, the file in the folder; a path is returned unchanged and need not
 * exist. Fails with MT_INPUT if no machine has this name (the message lists the names), MT_FILE if the folder cannot be read,
 * or MT_MEMORY. */
MT_NODISCARD mt_status ipu_machine_path(
    mt_arena *arena, const char *folder, const char *name, const char **path);

/* Reads the machine file at this path, with overridden values. The name of the target includes them: "GC200 with
 * links.shape=torus". Returns the errors of `ipu_target_load`. */
MT_NODISCARD mt_status ipu_machine_load(
    mt_arena *arena, const char *path, const mt_yaml_override *sets, size_t n_sets, ipu_target *target);

/* Lists in `arena` the names of the machines of the folder, in alphabetical order; n is 0 if the folder does not exist. Fails
 * with MT_FILE if it cannot be read, or MT_MEMORY. */
MT_NODISCARD mt_status ipu_machine_names(mt_arena *arena, const char *folder, size_t *n, const char ***names);
