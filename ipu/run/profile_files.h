/* A profile as files for programs: profile.json and three tables.
 *
 *   profile.json  everything but single tiles; its JSON Schema, with the version, is data/reference/profile.schema.json
 *   tiles.csv     a row for each tile: chip, place on the die; of one run of each compute set cycles by phase, bytes received and
 *                 sent, tiles that it receives from, and vertices; memory by category
 *   links.csv     a row for each link between chips in each compute set that uses links; only where there is one
 * and of the tiles that ipu/run/details.h names:
 *   memory.csv    memory maps; live from and to: moments of the programs (ipu/compile/liveness.h), empty for what is always
 *                 live
 *   vertices.csv  how many vertices of which codelet a tile has in each compute set, and their cycles
 *   received.csv  bytes that a tile receives from each other one in one run of a compute set */
#pragma once

#include "data/files/json.h"
#include "ipu/run/profile.h"

/* A profile and what it is of; all borrowed. */
typedef struct ipu_profiled {
    const char *title;
    size_t time_steps; /* 0: nothing ran, and all there is are the costs of one run of each compute set */
    const ipu_profile *profile;
    const ipu_target *target;
    void (*add)(
        mt_json *json, const void *context); /* more keys, behind the totals of profile.json; or NULL */
    const void *context;
} ipu_profiled;

/* Writes profile.json into a folder that is there, and, with `details`, which the profile must have then, the tables. Each file is written whole or not at all;
 * within a set of files (data/files/file.h) all of them are. Other files of an earlier profile in this folder are removed.
 * MT_MEMORY. MT_FILE: a file cannot be written. MT_INPUT: a path that is too long; words that ipu_profile_check_words
 * refuses, before anything is written or removed. */
MT_NODISCARD mt_status ipu_profile_write(const ipu_profiled *profiled, const char *folder, bool details);

/* Checks before the work that the files can be written there. MT_FILE: they cannot; the message says why. */
MT_NODISCARD mt_status ipu_profile_check(const char *folder, bool details);

/* Checks before the work that these words can stand in a profile. MT_INPUT: one of them is not UTF-8. */
MT_NODISCARD mt_status ipu_profile_check_words(const char *title, const char *machine);

/* Is there a profile in the folder? Others call their files profile.json, too; ours begins with "format": "myotile profile". */
bool ipu_profile_is_in(const char *folder);

/* Removes the files of a profile that is in the folder, and its trace.json. MT_FILE: one cannot be removed. */
MT_NODISCARD mt_status ipu_profile_forget(const char *folder);
