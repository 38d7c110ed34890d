/* The frames of a series while it is being made: one file that only grows.
 *
 * A frame is a moment: its time step, its time, and each field's values at it. What has been appended stays, whatever happens to
 * the program: killed at any byte it loses the frame under way and no other, and a power cut loses none from before the last
 * mt_frames_sync. Equal frames make equal bytes, whether or not the program was stopped in between.
 *
 *   head    "myotile frames\n" and a 0; uint64 version, n_values, n_fields; the fingerprint, 40 characters;
 *           the fields' names, MT_FRAMES_NAME characters each; the sum of all this, 32 characters
 *   frame   int64 step, double time_ms; float [n_fields][n_values]; the sum of all this, 32 characters
 *
 * Numbers have the machine's order of bytes. Sums are those of data/core/hash.h. A frame counts if its sum is right, its step is above
 * the one before, and all before it count. What stands behind the last of these is no frame: it goes when the series goes on.
 *
 * The file is the caller's alone (data/files/folder.h has a lock); it goes by mt_file_remove. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/files/file.h"
#include "data/core/hash.h"

enum { MT_FRAMES_VERSION = 1, MT_FRAMES_NAME = 64 };

/* What a series is of. */
typedef struct mt_frames_about {
    size_t n_values, n_fields; /* of a field in a frame, and of a frame; neither is 0 */
    const char *const *field;  /* [n_fields] names, of 1 to MT_FRAMES_NAME - 1 characters */
    const char *fingerprint;   /* of what the values depend on; fewer than MT_HASH_SIZE characters */
} mt_frames_about;

typedef struct mt_frames {
    bool open;
    int fd;
    mt_frames_about about;
    size_t n;          /* whole frames */
    int64_t last_step; /* of the newest; INT64_MIN where there is none */
    size_t head_bytes, frame_bytes;
    float *values; /* [n_values], room */
    char path[MT_FILE_PATH_MAX];
} mt_frames; /* all zero is closed */

/* Writes the n_values of a field into values. */
typedef mt_status mt_frames_give(void *context, size_t field, float *values);

/* Starts a series without frames; one that was there is replaced. Its room is in `arena`, and so it is for the next two. Not in
 * an open set of files. MT_INPUT: sizes or names are not as above. MT_FILE: it cannot be written. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_create(
    mt_arena *arena, const char *path, const mt_frames_about *about, mt_frames *frames);

/* Opens a series to go on from a time step: its frames up to this step stay, whatever stands behind them goes. Whoever knows which
 * frames there must be compares frames->n. MT_INPUT: the series is of something else, or its head is damaged. MT_FILE: it is not
 * there, or cannot be read or written. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_go_on(
    mt_arena *arena, const char *path, const mt_frames_about *about, int64_t step, mt_frames *frames);

/* Opens a series only to read it. Fails as mt_frames_go_on. */
MT_NODISCARD mt_status mt_frames_open(mt_arena *arena, const char *path, mt_frames *frames);

void mt_frames_close(mt_frames *frames);

/* Appends a frame; its step is above that of all others. `give` is called once for each field. Where it fails the series is as it
 * was, and can be appended to again. MT_FILE: it cannot be written; or what `give` answers. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_append(
    mt_frames *frames, int64_t step, double time_ms, mt_frames_give *give, void *context);

/* Makes durable what has been appended: before a checkpoint of its step is written. MT_FILE. */
MT_NODISCARD mt_status mt_frames_sync(mt_frames *frames);

/* When frame k < n was, and the values of one of its fields [n_values]. MT_FILE: cannot be read. */
MT_NODISCARD mt_status mt_frames_when(const mt_frames *frames, size_t k, int64_t *step, double *time_ms);
MT_NODISCARD mt_status mt_frames_read(const mt_frames *frames, size_t k, size_t field, float *values);
