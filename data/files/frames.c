#include "data/files/frames.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUM = MT_HASH_SIZE - 1, FINGERPRINT = 40 };
static const char magic[16] = "myotile frames\n";

typedef struct head {
    char magic[sizeof magic];
    uint64_t version, n_values, n_fields;
    char fingerprint[FINGERPRINT];
} head; /* followed by the names and the checksum */

typedef struct moment {
    int64_t step;
    double time_ms;
} moment; /* followed by the values and the checksum */

/* ---- bytes ---- */

static mt_status fail_errno(const mt_frames *frames, const char *what)
{
    return mt_fail(MT_FILE, "%s: cannot be %s: %s", frames->path, what, strerror(errno));
}

static mt_status write_at(const mt_frames *frames, size_t offset, const void *from, size_t n)
{
    for (const char *at = from; n > 0;) {
        const ssize_t done = pwrite(frames->fd, at, n, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail_errno(frames, "written");
        at += done, offset += (size_t)done, n -= (size_t)done;
    }
    return MT_OK;
}

static mt_status read_at(const mt_frames *frames, size_t offset, void *into, size_t n)
{
    for (char *at = into; n > 0;) {
        const ssize_t done = pread(frames->fd, at, n, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail_errno(frames, "read");
        if (done == 0) return mt_fail(MT_FILE, "%s: truncated", frames->path);
        at += done, offset += (size_t)done, n -= (size_t)done;
    }
    return MT_OK;
}

static size_t frame_at(const mt_frames *frames, size_t k)
{
    return frames->head_bytes + k * frames->frame_bytes;
}

static size_t field_at(const mt_frames *frames, size_t k, size_t field)
{
    return frame_at(frames, k) + sizeof(moment) + field * frames->about.n_values * sizeof(float);
}

/* ---- the head ---- */

/* Computes the sizes of head and frame. False: they overflow or are 0. */
static bool measure(mt_frames *frames)
{
    const size_t n_values = frames->about.n_values, n_fields = frames->about.n_fields;
    size_t bytes, names;
    if (n_values == 0 || n_fields == 0) return false;
    if (__builtin_mul_overflow(n_values, n_fields, &bytes)) return false;
    if (__builtin_mul_overflow(bytes, sizeof(float), &bytes)) return false;
    if (__builtin_mul_overflow(n_fields, MT_FRAMES_NAME, &names)) return false;
    if (__builtin_add_overflow(names, sizeof(head) + SUM, &frames->head_bytes)) return false;
    return !__builtin_add_overflow(bytes, sizeof(moment) + SUM, &frames->frame_bytes) &&
           frames->frame_bytes <= INT64_MAX && frames->head_bytes <= INT64_MAX;
}

static mt_status check_about(const char *path, const mt_frames_about *about)
{
    if (strlen(about->fingerprint) >= MT_HASH_SIZE)
        return mt_fail(MT_INPUT, "%s: a fingerprint of %zu characters; allowed: at most %d", path,
            strlen(about->fingerprint), MT_HASH_SIZE - 1);
    for (size_t k = 0; k < about->n_fields; k++)
        if (!about->field[k][0] || strlen(about->field[k]) >= MT_FRAMES_NAME)
            return mt_fail(MT_INPUT, "%s: the name of field '%.80s'; allowed: 1 to %d characters", path,
                about->field[k], MT_FRAMES_NAME - 1);
    return MT_OK;
}

/* Builds the bytes of the head without its checksum. */
static mt_status make_head(mt_arena *arena, const mt_frames *frames, char **bytes)
{
    const mt_frames_about *about = &frames->about;
    head first = {.version = MT_FRAMES_VERSION, .n_values = about->n_values, .n_fields = about->n_fields};
    memcpy(first.magic, magic, sizeof magic);
    memcpy(first.fingerprint, about->fingerprint, strlen(about->fingerprint));
    MT_ALLOC(arena, *bytes, frames->head_bytes);
    memcpy(*bytes, &first, sizeof first);
    for (size_t k = 0; k < about->n_fields; k++)
        memcpy(*bytes + sizeof first + k * MT_FRAMES_NAME, about->field[k], strlen(about->field[k]));
    return MT_OK;
}

static mt_status write_head(mt_arena *arena, const mt_frames *frames)
{
    mt_file file;
    char *bytes, sum[MT_HASH_SIZE];
    MT_TRY(make_head(arena, frames, &bytes));
    MT_TRY(mt_hash_of(bytes, frames->head_bytes - SUM, sum));
    memcpy(bytes + frames->head_bytes - SUM, sum, SUM);
    MT_TRY(mt_file_begin(frames->path, &file));
    (void)fwrite(bytes, 1, frames->head_bytes, file.stream);
    return mt_file_end(&file, MT_OK);
}

/* Reads the contents of the head; its checksum has been verified, so its bytes are as written. */
static mt_status take_about(mt_arena *arena, mt_frames *frames, const char *bytes)
{
    const char **field;
    MT_ALLOC(arena, field, frames->about.n_fields);
    for (size_t k = 0; k < frames->about.n_fields; k++) field[k] = bytes + sizeof(head) + k * MT_FRAMES_NAME;
    frames->about.field = field;
    frames->about.fingerprint = bytes + offsetof(head, fingerprint);
    return MT_OK;
}

static mt_status read_head(mt_arena *arena, mt_frames *frames, size_t file_bytes)
{
    head first;
    char *bytes, sum[MT_HASH_SIZE];
    if (file_bytes < sizeof first)
        return mt_fail(MT_INPUT, "%s: not a file of frames, or damaged", frames->path);
    MT_TRY(read_at(frames, 0, &first, sizeof first));
    if (memcmp(first.magic, magic, sizeof magic) != 0)
        return mt_fail(MT_INPUT, "%s: not a file of frames, or damaged", frames->path);
    if (first.version != MT_FRAMES_VERSION)
        return mt_fail(MT_INPUT, "%s: frames of version %llu; allowed: %d", frames->path,
            (unsigned long long)first.version, MT_FRAMES_VERSION);
    frames->about = (mt_frames_about){.n_values = first.n_values, .n_fields = first.n_fields};
    if (!measure(frames) || file_bytes < frames->head_bytes)
        return mt_fail(MT_INPUT, "%s: its header is damaged", frames->path);
    MT_ALLOC(arena, bytes, frames->head_bytes);
    MT_TRY(read_at(frames, 0, bytes, frames->head_bytes));
    MT_TRY(mt_hash_of(bytes, frames->head_bytes - SUM, sum));
    if (memcmp(bytes + frames->head_bytes - SUM, sum, SUM) != 0)
        return mt_fail(MT_INPUT, "%s: its header is damaged", frames->path);
    return take_about(arena, frames, bytes);
}

static mt_status compare(const mt_frames *frames, const mt_frames_about *about)
{
    const mt_frames_about *found = &frames->about;
    if (strcmp(found->fingerprint, about->fingerprint) != 0)
        return mt_fail(MT_INPUT, "%s: contains the frames of another run", frames->path);
    if (found->n_values != about->n_values || found->n_fields != about->n_fields)
        return mt_fail(MT_INPUT, "%s: has %zu fields of %zu values; allowed: %zu of %zu", frames->path,
            found->n_fields, found->n_values, about->n_fields, about->n_values);
    for (size_t k = 0; k < about->n_fields; k++)
        if (strcmp(found->field[k], about->field[k]) != 0)
            return mt_fail(MT_INPUT, "%s: has the field %s; allowed: %s", frames->path, found->field[k],
                about->field[k]);
    return MT_OK;
}

/* ---- complete frames ---- */

/* Computes the checksum of a frame in the file. */
static mt_status sum_frame(const mt_frames *frames, size_t k, const moment *when, char sum[MT_HASH_SIZE])
{
    const size_t bytes = frames->about.n_values * sizeof *frames->values;
    mt_status status = MT_OK;
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, when, sizeof *when);
    for (size_t field = 0; field < frames->about.n_fields && status == MT_OK; field++) {
        status = read_at(frames, field_at(frames, k, field), frames->values, bytes);
        if (status == MT_OK) mt_hash_add(&hash, frames->values, bytes);
    }
    mt_hash_end(&hash, sum);
    return status;
}

/* Adds frame n to the count if it is valid and not after this step. */
static mt_status count_next(mt_frames *frames, int64_t step, bool *counts)
{
    moment when;
    char sum[MT_HASH_SIZE], found[SUM];
    *counts = false;
    MT_TRY(read_at(frames, frame_at(frames, frames->n), &when, sizeof when));
    if (when.step > step || (frames->n > 0 && when.step <= frames->last_step)) return MT_OK;
    MT_TRY(sum_frame(frames, frames->n, &when, sum));
    MT_TRY(read_at(frames, frame_at(frames, frames->n + 1) - SUM, found, SUM));
    if (memcmp(found, sum, SUM) != 0) return MT_OK;
    *counts = true;
    frames->last_step = when.step;
    frames->n++;
    return MT_OK;
}

static mt_status count_frames(mt_frames *frames, size_t file_bytes, int64_t step)
{
    const size_t most = (file_bytes - frames->head_bytes) / frames->frame_bytes;
    for (bool counts = true; counts && frames->n < most;) MT_TRY(count_next(frames, step, &counts));
    return MT_OK;
}

/* ---- opening ---- */

static mt_status open_file(const char *path, int flags, mt_frames *frames, size_t *file_bytes)
{
    struct stat info;
    *frames = (mt_frames){.last_step = INT64_MIN};
    if (snprintf(frames->path, sizeof frames->path, "%s", path) >= (int)sizeof frames->path)
        return mt_fail(MT_INPUT, "%.60s...: the path is too long", path);
    frames->fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
    if (frames->fd < 0) return fail_errno(frames, flags == O_RDONLY ? "read" : "written");
    frames->open = true;
    if (fstat(frames->fd, &info) != 0) return fail_errno(frames, "read");
    if (!S_ISREG(info.st_mode)) return mt_fail(MT_FILE, "%s: is not a regular file", path);
    *file_bytes = (size_t)info.st_size;
    return MT_OK;
}

/* Opens a series and counts its frames up to this step. Checks that its contents are `about`, unless it is NULL. If the file is
 * writable, truncates it after the last counted frame. */
static mt_status open_frames(mt_arena *arena, const char *path, int flags, const mt_frames_about *about,
    int64_t step, mt_frames *frames)
{
    size_t file_bytes = 0;
    MT_TRY(open_file(path, flags, frames, &file_bytes));
    MT_TRY(read_head(arena, frames, file_bytes));
    if (about) MT_TRY(compare(frames, about));
    /* a head may claim more values than the file has */
    if (about || file_bytes - frames->head_bytes >= frames->frame_bytes)
        MT_ALLOC(arena, frames->values, frames->about.n_values);
    MT_TRY(count_frames(frames, file_bytes, step));
    if (flags == O_RDONLY || ftruncate(frames->fd, (off_t)frame_at(frames, frames->n)) == 0) return MT_OK;
    return fail_errno(frames, "written");
}

static mt_status closed_unless(mt_status status, mt_frames *frames)
{
    if (status != MT_OK) mt_frames_close(frames);
    return status;
}

mt_status mt_frames_create(mt_arena *arena, const char *path, const mt_frames_about *about, mt_frames *frames)
{
    *frames = (mt_frames){.about = *about};
    MT_TRY(check_about(path, about));
    if (!measure(frames))
        return mt_fail(MT_INPUT, "%s: %zu fields of %zu values; allowed: at least one of each", path,
            about->n_fields, about->n_values);
    if (snprintf(frames->path, sizeof frames->path, "%s", path) >= (int)sizeof frames->path)
        return mt_fail(MT_INPUT, "%.60s...: the path is too long", path);
    MT_TRY(write_head(arena, frames));
    return mt_frames_resume(arena, path, about, INT64_MIN, frames);
}

mt_status mt_frames_create_in_memory(mt_arena *arena, const mt_frames_about *about, mt_frames *frames)
{
    char *bytes;
    *frames = (mt_frames){.about = *about, .last_step = INT64_MIN, .path = "frames in memory"};
    MT_TRY(check_about(frames->path, about));
    if (!measure(frames))
        return mt_fail(MT_INPUT, "%s: %zu fields of %zu values; allowed: at least one of each", frames->path,
            about->n_fields, about->n_values);
    MT_TRY(make_head(arena, frames, &bytes));
    MT_ALLOC(arena, frames->values, about->n_values);
    frames->fd = memfd_create("frames", MFD_CLOEXEC);
    if (frames->fd < 0) return fail_errno(frames, "created");
    frames->open = true;
    return closed_unless(write_at(frames, 0, bytes, frames->head_bytes), frames);
}

mt_status mt_frames_resume(
    mt_arena *arena, const char *path, const mt_frames_about *about, int64_t step, mt_frames *frames)
{
    return closed_unless(open_frames(arena, path, O_RDWR, about, step, frames), frames);
}

mt_status mt_frames_open(mt_arena *arena, const char *path, mt_frames *frames)
{
    return closed_unless(open_frames(arena, path, O_RDONLY, NULL, INT64_MAX, frames), frames);
}

void mt_frames_close(mt_frames *frames)
{
    if (frames->open) (void)close(frames->fd);
    frames->open = false;
}

/* ---- appending and reading ---- */

static mt_status write_fields(
    const mt_frames *frames, mt_frames_read_field *give, void *context, mt_hash *hash)
{
    const size_t bytes = frames->about.n_values * sizeof *frames->values;
    for (size_t field = 0; field < frames->about.n_fields; field++) {
        MT_TRY(give(context, field, frames->values));
        mt_hash_add(hash, frames->values, bytes);
        MT_TRY(write_at(frames, field_at(frames, frames->n, field), frames->values, bytes));
    }
    return MT_OK;
}

static mt_status write_frame(mt_frames *frames, const moment *when, mt_frames_read_field *give, void *context)
{
    char sum[MT_HASH_SIZE];
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, when, sizeof *when);
    mt_status status = write_at(frames, frame_at(frames, frames->n), when, sizeof *when);
    if (status == MT_OK) status = write_fields(frames, give, context, &hash);
    mt_hash_end(&hash, sum);
    return status == MT_OK ? write_at(frames, frame_at(frames, frames->n + 1) - SUM, sum, SUM) : status;
}

mt_status mt_frames_append(
    mt_frames *frames, int64_t step, double time_ms, mt_frames_read_field *give, void *context)
{
    assert(frames->n == 0 || step > frames->last_step);
    const mt_status status = write_frame(frames, &(moment){step, time_ms}, give, context);
    if (status != MT_OK) {
        (void)ftruncate(
            frames->fd, (off_t)frame_at(frames, frames->n)); /* otherwise the next frame overwrites it */
        return status;
    }
    frames->last_step = step;
    frames->n++;
    return MT_OK;
}

mt_status mt_frames_sync(mt_frames *frames)
{
    return fdatasync(frames->fd) == 0 ? MT_OK : fail_errno(frames, "written");
}

mt_status mt_frames_time(const mt_frames *frames, size_t k, int64_t *step, double *time_ms)
{
    moment when;
    assert(k < frames->n);
    MT_TRY(read_at(frames, frame_at(frames, k), &when, sizeof when));
    *step = when.step;
    *time_ms = when.time_ms;
    return MT_OK;
}

mt_status mt_frames_read(const mt_frames *frames, size_t k, size_t field, float *values)
{
    assert(k < frames->n && field < frames->about.n_fields);
    return read_at(frames, field_at(frames, k, field), values, frames->about.n_values * sizeof *values);
}
