/* A profile as files for other programs: profile.json and up to five tables.
 *
 *   profile.json  everything except single tiles; its JSON Schema, with the version, is data/reference/profile.schema.json
 *   tiles.csv     one row per tile: chip, place on the die; for one run of each compute set cycles by phase, bytes received and
 *                 sent, number of senders, and vertices; memory by category
 *   links.csv     one row per link between chips in each compute set that uses links; only if there are links
 * and for the tiles of ipu/run/details.h:
 *   memory.csv    memory maps; live from and to: moments of the programs (ipu/compile/liveness.h), empty for always live
 *                 items
 *   vertices.csv  number of vertices of each codelet of a tile in each compute set, and their cycles
 *   received.csv  bytes that a tile receives from each other one in one run of a compute set */
#pragma once

#include "data/files/json.h"
#include "ipu/run/profile.h"

/* A profile and the simulation it describes; all borrowed. */
typedef struct ipu_profiled {
    const char *title;
    size_t time_steps; /* 0: nothing ran; only the costs of one run of each compute set are present */
    const ipu_profile *profile;
    const ipu_target *target;
    /* adds keys after the totals of profile.json; may be NULL */
    void (*add)(mt_json *json, const void *context);
    const void *context;
} ipu_profiled;

/* Writes profile.json to an existing folder, and, with `details` (which the profile must have then), the tables. Each file is
 * written completely or not at all; within a set of files (data/files/file.h) all of them are. Other files of an earlier
 * profile in this folder are removed. Fails with MT_FILE if a file cannot be written, MT_MEMORY, or MT_INPUT if a path is too
 * long or, before anything is written or removed, if ipu_profile_check_words rejects a string. */
MT_NODISCARD mt_status ipu_profile_write(const ipu_profiled *profiled, const char *folder, bool details);

/* Checks in advance that the files can be written to the folder. Fails with MT_FILE otherwise; the message has the reason. */
MT_NODISCARD mt_status ipu_profile_check(const char *folder, bool details);

/* Checks in advance that a profile can contain these strings. Fails with MT_INPUT if one of them is not UTF-8. */
MT_NODISCARD mt_status ipu_profile_check_words(const char *title, const char *machine);

/* True if there is a profile in the folder. Other programs also use the name profile.json; ours begins with "format": "myotile
 * profile". */
bool ipu_profile_is_in(const char *folder);

/* Removes the files of a profile in the folder, and its trace.json. Fails with MT_FILE if one cannot be removed. */
MT_NODISCARD mt_status ipu_profile_remove(const char *folder);
