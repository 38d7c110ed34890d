/* A machine's profile as files: for programs profile.json and three tables, for people three pictures.
 *
 *   profile.json  everything but single tiles; data/reference/profile.schema.json (JSON Schema) says what stands
 *                 where, and carries the version
 *   tiles.csv     a row a tile: chip, place on the die, cycles in one run of each compute set, memory by category
 *   memory.csv    where everything lies in the memory of the fullest tile; live from and to: moments of the programs
 *                 (ipu/compile/live.h), empty for what is always live
 *   links.csv     a row for each compute set and link between chips, where anything crosses
 *   tiles.png, memory.png, links.png   app/draw/profile_picture.h */
#ifndef MT_APP_RESULTS_PROFILE_FILES_H
#define MT_APP_RESULTS_PROFILE_FILES_H

#include <stdbool.h>

#include "ipu/run/profile.h"

/* What is written, borrowed. */
typedef struct mt_profiled {
    const char *title;
    size_t time_steps; /* 0: nothing was run, and all there is are the costs of one run of each compute set */
    const ipu_profile *profile;
    const ipu_target *target;
} mt_profiled;

/* Writes profile.json into the folder, and, with `details`, all the others: links.csv and links.png only where anything
 * goes from chip to chip. Each whole or not at all; with a set of files (data/file.h) all of them. What an earlier profile in
 * this folder had besides is removed.
 * MT_MEMORY, or a file cannot be written; MT_INPUT: a path that is too long; words that
 * mt_profile_check_words refuses, before anything is written or taken away. */
MT_NODISCARD mt_status mt_profile_write(const mt_profiled *of, const char *folder, bool details);

/* May they stand in a profile? For those who have long work before it. MT_INPUT: one of them is not UTF-8. */
MT_NODISCARD mt_status mt_profile_check_words(const char *title, const char *machine);

/* Removes the files of an earlier profile, and its trace.json; nothing happens in a folder without a profile.json
 * that begins as ours do: with "format": "myotile profile". MT_FILE: one cannot be removed. */
MT_NODISCARD mt_status mt_profile_forget(const char *folder);

/* Each alone, under any name. */
MT_NODISCARD mt_status mt_profile_write_json(const mt_profiled *of, const char *path);
MT_NODISCARD mt_status mt_profile_write_tiles(const mt_profiled *of, const char *path);
MT_NODISCARD mt_status mt_profile_write_map(const mt_profiled *of, const char *path);
MT_NODISCARD mt_status mt_profile_write_links(const mt_profiled *of, const char *path);

/* Does anything go from chip to chip? */
bool mt_profile_crosses(const ipu_profile *profile);

#endif
