/* A machine's profile as files: profile.json and three tables for programs, three pictures for people.
 *
 *   profile.json  everything but single tiles; its JSON Schema, with the version, is data/reference/profile.schema.json
 *   tiles.csv     a row for each tile: chip, place on the die, cycles in one run of each compute set, memory by category
 *   memory.csv    the memory map of the fullest tile; live from and to: moments of the programs
 *                 (ipu/compile/liveness.h), empty for what is always live
 *   links.csv     a row for each link between chips in each compute set that uses links
 *   tiles.png, memory.png, links.png   app/draw/profile_picture.h */
#ifndef MT_APP_RESULTS_PROFILE_FILES_H
#define MT_APP_RESULTS_PROFILE_FILES_H

#include <stdbool.h>

#include "app/draw/profile_picture.h"

/* Writes profile.json into the folder, and, with `details`, all the others: links.csv and links.png only where anything
 * goes from chip to chip. Each file is written whole or not at all; within a set
 * of files (data/file.h) all of them are. Other files of an earlier profile in this folder are removed. MT_MEMORY. MT_FILE: a
 * file cannot be written. MT_INPUT: a path that is too long; words that mt_profile_check_words refuses, before anything is
 * written or removed. */
MT_NODISCARD mt_status mt_profile_write(const mt_profiled *profiled, const char *folder, bool details);

/* Checks before the work that the files can be written there. MT_FILE: they cannot; the message says why. */
MT_NODISCARD mt_status mt_profile_check(const char *folder, bool details);

/* Checks before the work that these words can stand in a profile. MT_INPUT: one of them is not UTF-8. */
MT_NODISCARD mt_status mt_profile_check_words(const char *title, const char *machine);

/* Removes the files of an earlier profile, and its trace.json. Does nothing in a folder without a profile.json of ours, which
 * begins with "format": "myotile profile". MT_FILE: one cannot be removed. */
MT_NODISCARD mt_status mt_profile_forget(const char *folder);

/* Does anything go from chip to chip? */
bool mt_profile_crosses(const ipu_profile *profile);

#endif
