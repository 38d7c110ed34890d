/* A time series of fields under construction: one file of frames that only grows.
 *
 * A frame consists of its time step, its time and the values of each field. Appended frames are permanent: a program killed at
 * any byte loses only the frame being written, and a power failure loses no frame from before the last mt_frames_sync. Equal
 * frames produce equal bytes, whether or not the program was stopped in between.
 *
 *     head    "myotile frames\n" and a 0; uint64 version, n_values, n_fields; the fingerprint, 40 characters;
 *             the fields' names, MT_FRAMES_NAME characters each; the checksum of all this, 32 characters
 *     frame   int64 step, double time_ms; float [n_fields][n_values]; the checksum of all this, 32 characters
 *
 * Numbers have the machine's byte order. The checksums are the hashes of data/core/hash.h. A frame is valid if its checksum is
 * correct, its step exceeds the previous one, and all frames before it are valid. Bytes after the last valid frame are deleted
 * when the series is continued.
 *
 * A series can also be in memory, for callers that write no files: then nothing is permanent.
 *
 * Only the caller uses the file (data/files/folder.h has a lock); mt_file_remove deletes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/files/file.h"
#include "data/core/hash.h"

enum { MT_FRAMES_VERSION = 1, MT_FRAMES_NAME = 64 };

/* The contents of a series. */
typedef struct mt_frames_about {
    size_t n_values, n_fields; /* values per field and frame; fields per frame; neither is 0 */
    const char *const *field;  /* [n_fields] names, of 1 to MT_FRAMES_NAME - 1 characters */
    const char *fingerprint;   /* of the data that determine the values; fewer than MT_HASH_SIZE characters */
} mt_frames_about;

typedef struct mt_frames {
    bool open;
    int fd;
    mt_frames_about about;
    size_t n;          /* number of complete frames */
    int64_t last_step; /* of the newest frame; INT64_MIN if there is no frame */
    size_t head_bytes, frame_bytes;
    float *values; /* [n_values] buffer */
    char path[MT_FILE_PATH_MAX];
} mt_frames; /* zero-initialised: closed */

/* Writes the n_values of a field to values. */
typedef mt_status mt_frames_read_field(void *context, size_t field, float *values);

/* Creates an empty series, replacing an existing one. The buffers are in `arena`, as in the next two functions. Not allowed in an
 * open set of files. MT_INPUT: sizes or names are invalid. MT_FILE: it cannot be written. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_create(
    mt_arena *arena, const char *path, const mt_frames_about *about, mt_frames *frames);

/* Creates an empty series in memory, which ends with mt_frames_close. Fails as mt_frames_create. */
MT_NODISCARD mt_status mt_frames_create_in_memory(
    mt_arena *arena, const mt_frames_about *about, mt_frames *frames);

/* Opens a series to continue after a time step: keeps the frames up to this step and deletes everything after them. To check that
 * no frame is missing, the caller compares frames->n. MT_INPUT: the series has other contents, or its head is damaged. MT_FILE:
 * it does not exist, or cannot be read or written. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_resume(
    mt_arena *arena, const char *path, const mt_frames_about *about, int64_t step, mt_frames *frames);

/* Opens a series for reading. Fails as mt_frames_resume. */
MT_NODISCARD mt_status mt_frames_open(mt_arena *arena, const char *path, mt_frames *frames);

void mt_frames_close(mt_frames *frames);

/* Appends a frame with a step above that of all others. Calls `give` once for each field. On failure the series is unchanged and
 * accepts further frames. MT_FILE: it cannot be written. Errors of `give`. MT_MEMORY. */
MT_NODISCARD mt_status mt_frames_append(
    mt_frames *frames, int64_t step, double time_ms, mt_frames_read_field *give, void *context);

/* Makes the appended frames durable; called before a checkpoint of their step is written. MT_FILE. */
MT_NODISCARD mt_status mt_frames_sync(mt_frames *frames);

/* Return the step and time of frame k < n, and the values of one of its fields [n_values]. MT_FILE: it cannot be read. */
MT_NODISCARD mt_status mt_frames_time(const mt_frames *frames, size_t k, int64_t *step, double *time_ms);
MT_NODISCARD mt_status mt_frames_read(const mt_frames *frames, size_t k, size_t field, float *values);
