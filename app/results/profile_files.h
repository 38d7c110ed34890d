/* A machine's profile as files: those for programs (ipu/run/profile_files.h), and pictures for people.
 *
 *   tiles.png, memory.png, links.png: app/draw/chart/profile_picture.h */
#ifndef MT_APP_RESULTS_PROFILE_FILES_H
#define MT_APP_RESULTS_PROFILE_FILES_H

#include <stdbool.h>

#include "ipu/run/profile_files.h"
#include "solver/backends/segments.h"

/* As ipu_profile_write; with `details` also the pictures, links.png only where anything goes from chip to chip. */
MT_NODISCARD mt_status mt_profile_write(const ipu_profiled *profiled, const char *folder, bool details);

/* What a simulation adds to its profile (ipu_profiled.add): its mt_segments, the last of which the profile is of. Where it has one only,
 * nothing: that is in the totals. */
void mt_profile_add_segments(mt_json *json, const void *segments);

/* As ipu_profile_check and ipu_profile_forget, of all these files. */
MT_NODISCARD mt_status mt_profile_check(const char *folder, bool details);
MT_NODISCARD mt_status mt_profile_forget(const char *folder);

#endif
