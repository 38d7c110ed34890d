#include <criterion/criterion.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/frames.h"
#include "tests/answers.h"
#include "tests/leftovers.h"

enum { N = 5, FIELDS = 2 };
static char folder[64], path[128], again[128];
static mt_arena arena;
static const char *const names[] = {"V", "Ca_i", "V"};
static const mt_frames_about about = {N, FIELDS, names, "0123456789abcdef0123456789abcdef"};

static void enter(void)
{
    strcpy(folder, "/tmp/myotile_frames_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/series.frames", folder);
    (void)snprintf(again, sizeof again, "%s/again.frames", folder);
}

static void leave(void)
{
    mt_arena_free(&arena);
    (void)unlink(path);
    (void)unlink(again);
    (void)rmdir(folder);
}

TestSuite(frames, .init = enter, .fini = leave);

/* Returns the value of a field at a step; the values differ in every bit. */
static float value_of(int64_t step, size_t field, size_t k)
{
    return (float)(10 * step + (int64_t)(100 * field + k)) / 3;
}

static mt_status give(void *context, size_t field, float *values)
{
    for (size_t k = 0; k < N; k++) values[k] = value_of(*(int64_t *)context, field, k);
    return MT_OK;
}

static void append(mt_frames *frames, int64_t step)
{
    ok(mt_frames_append(frames, step, (double)step * 0.02, give, &step));
    cr_assert_eq(frames->last_step, step);
}

/* Writes frames at steps 0, 7, 14 ... */
static void write_steps(const char *to, int64_t n)
{
    mt_frames frames;
    ok(mt_frames_create(&arena, to, &about, &frames));
    for (int64_t k = 0; k < n; k++) append(&frames, 7 * k);
    mt_frames_close(&frames);
}

static void check_steps(const mt_frames *frames, size_t n)
{
    float values[N];
    int64_t step;
    double time_ms;
    cr_assert_eq(frames->n, n);
    for (size_t k = 0; k < n; k++) {
        ok(mt_frames_time(frames, k, &step, &time_ms));
        cr_assert(step == (int64_t)(7 * k) && time_ms == (double)step * 0.02);
        for (size_t field = 0; field < FIELDS; field++) {
            ok(mt_frames_read(frames, k, field, values));
            for (size_t i = 0; i < N; i++) cr_assert_eq(values[i], value_of(step, field, i));
        }
    }
}

static size_t slurp(const char *file, char bytes[4096])
{
    FILE *stream = fopen(file, "rb");
    cr_assert_not_null(stream);
    const size_t n = fread(bytes, 1, 4096, stream);
    (void)fclose(stream);
    return n;
}

static void spill(const char *file, const char *bytes, size_t n)
{
    FILE *stream = fopen(file, "wb");
    cr_assert_not_null(stream);
    cr_assert_eq(fwrite(bytes, 1, n, stream), n);
    (void)fclose(stream);
}

static size_t size_of(const char *file)
{
    struct stat info;
    cr_assert_eq(stat(file, &info), 0);
    return (size_t)info.st_size;
}

static void same_bytes(void)
{
    static char a[4096], b[4096];
    const size_t n = slurp(path, a), m = slurp(again, b);
    cr_assert_eq(n, m);
    cr_assert_arr_eq(a, b, n);
}

Test(frames, appended_frames_are_read_back_bit_identically)
{
    mt_frames frames;
    write_steps(path, 4);
    cr_assert(mt_file_is_ours(path) && leftovers(path) == 0);
    ok(mt_frames_open(&arena, path, &frames));
    check_steps(&frames, 4);
    cr_assert(frames.about.n_values == N && frames.about.n_fields == FIELDS && frames.last_step == 21);
    cr_assert_str_eq(frames.about.field[1], "Ca_i");
    cr_assert_str_eq(frames.about.fingerprint, about.fingerprint);
    mt_frames_close(&frames);
    write_steps(path, 0); /* replaces the series */
    ok(mt_frames_open(&arena, path, &frames));
    check_steps(&frames, 0);
    mt_frames_close(&frames);
}

/* If a program is killed while it appends the third frame, at any byte, the two frames before are intact, and a continued run
 * produces the bytes of an uninterrupted one. */
Test(frames, a_series_killed_at_any_byte_loses_only_the_current_frame_and_resumes_identically)
{
    static char whole[4096];
    mt_frames frames;
    write_steps(path, 2);
    const size_t kept = slurp(path, whole);
    write_steps(path, 3);
    write_steps(again, 5);
    const size_t n = slurp(path, whole);
    for (size_t cut = kept; cut < n; cut++) {
        spill(path, whole, cut);
        ok(mt_frames_open(&arena, path, &frames));
        check_steps(&frames, 2);
        mt_frames_close(&frames);
        ok(mt_frames_resume(&arena, path, &about, 1000, &frames));
        check_steps(&frames, 2);
        for (int64_t k = 2; k < 5; k++) append(&frames, 7 * k);
        mt_frames_close(&frames);
        same_bytes();
    }
}

/* After a power failure a file may have its full length but not its bytes. */
Test(frames, a_frame_with_a_missing_byte_is_invalid)
{
    static char whole[4096], bytes[4096];
    mt_frames frames;
    write_steps(path, 2);
    const size_t kept = slurp(path, whole);
    write_steps(path, 3);
    const size_t n = slurp(path, whole);
    for (size_t at = kept; at < n; at++) {
        memcpy(bytes, whole, n);
        bytes[at] = (char)~bytes[at];
        spill(path, bytes, n);
        ok(mt_frames_open(&arena, path, &frames));
        check_steps(&frames, 2);
        mt_frames_close(&frames);
    }
    memset(bytes + kept, 0, n - kept);
    spill(path, bytes, n);
    ok(mt_frames_open(&arena, path, &frames));
    check_steps(&frames, 2);
    mt_frames_close(&frames);
}

/* Frames after a damaged frame do not count either, nor a frame with a step not above the previous one. */
Test(frames, frames_after_a_damaged_frame_are_ignored)
{
    static char bytes[4096];
    mt_frames frames;
    write_steps(path, 1);
    const size_t first = slurp(path, bytes);
    write_steps(path, 4);
    const size_t n = slurp(path, bytes), frame = (n - first) / 3;
    bytes[first + 3]++;
    spill(path, bytes, n);
    ok(mt_frames_open(&arena, path, &frames));
    check_steps(&frames, 1);
    mt_frames_close(&frames);
    write_steps(path, 4);
    cr_assert_eq(slurp(path, bytes), n);
    memcpy(bytes + first + 2 * frame, bytes + first + frame, frame);
    spill(path, bytes, n);
    ok(mt_frames_open(&arena, path, &frames));
    check_steps(&frames, 3);
    mt_frames_close(&frames);
}

Test(frames, a_series_resumed_after_any_step_equals_an_uninterrupted_one)
{
    mt_frames frames;
    write_steps(again, 5);
    for (int64_t step = -1; step <= 28; step++) {
        const int64_t kept = step < 0 ? 0 : step / 7 + 1;
        write_steps(path, 5);
        ok(mt_frames_resume(&arena, path, &about, step, &frames));
        check_steps(&frames, (size_t)kept);
        for (int64_t k = kept; k < 5; k++) append(&frames, 7 * k);
        ok(mt_frames_sync(&frames));
        check_steps(&frames, 5);
        mt_frames_close(&frames);
        same_bytes();
    }
}

/* The frames of another run are not truncated. */
Test(frames, frames_of_another_run_are_rejected_and_kept)
{
    static const char *const others[] = {"V", "Ca_sr", NULL};
    const struct {
        mt_frames_about about;
        const char *message;
    } cases[] = {
        {{N, FIELDS, names, "another"}, "series.frames: contains the frames of another run"},
        {{N + 1, FIELDS, names, about.fingerprint}, ": has 2 fields of 5 values; allowed: 2 of 6"},
        {{N, FIELDS + 1, names, about.fingerprint}, ": has 2 fields of 5 values; allowed: 3 of 5"},
        {{N, FIELDS, others, about.fingerprint}, ": has the field Ca_i; allowed: Ca_sr"},
    };
    write_steps(again, 3);
    write_steps(path, 3);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mt_frames frames;
        cr_assert_eq(mt_frames_resume(&arena, path, &cases[k].about, 0, &frames), MT_INPUT);
        assert_message(cases[k].message);
        cr_assert_not(frames.open);
        same_bytes();
    }
}

Test(frames, a_damaged_header_is_detected_at_every_byte)
{
    static char whole[4096];
    mt_frames frames;
    write_steps(path, 0);
    const size_t head = slurp(path, whole);
    write_steps(path, 1);
    const size_t n = slurp(path, whole);
    for (size_t at = 0; at < head; at++) {
        whole[at] ^= 1;
        spill(path, whole, n);
        whole[at] ^= 1;
        cr_assert_eq(mt_frames_open(&arena, path, &frames), MT_INPUT, "byte %zu", at);
        spill(path, whole, at);
        cr_assert_eq(mt_frames_open(&arena, path, &frames), MT_INPUT, "%zu bytes", at);
        assert_message("series.frames: ");
    }
}

Test(frames, invalid_series_are_rejected)
{
    char name[MT_FRAMES_NAME + 1], fingerprint[MT_HASH_SIZE + 1];
    const char *const long_name[] = {memset(name, 'x', sizeof name)}, *const empty[] = {""};
    mt_frames frames;
    name[MT_FRAMES_NAME] = 0;
    memset(fingerprint, 'x', sizeof fingerprint);
    fingerprint[MT_HASH_SIZE] = 0;
    const mt_frames_about bad[] = {{0, 1, names, ""}, {1, 0, names, ""}, {SIZE_MAX / 2, 1, names, ""},
        {SIZE_MAX / 4, 1, names, ""}, {1, 1, long_name, ""}, {1, 1, empty, ""}, {1, 1, names, fingerprint}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cr_assert_eq(mt_frames_create(&arena, path, &bad[k], &frames), MT_INPUT, "%zu", k);
        cr_assert(!frames.open && access(path, F_OK) != 0);
    }
    cr_assert_eq(mt_frames_open(&arena, path, &frames), MT_FILE);
    cr_assert_eq(mt_frames_open(&arena, folder, &frames), MT_FILE);
    cr_assert_eq(mt_frames_create(&arena, "/nowhere/at/all", &about, &frames), MT_FILE);
    cr_assert_not(frames.open);
}

static mt_status give_first(void *context, size_t field, float *values)
{
    return field == 0 ? give(context, field, values) : mt_fail(MT_NUMERICS, "no more values");
}

/* A full disk, and values that are not available: the next frame is appended as if there had been no error. */
Test(frames, a_failed_frame_leaves_the_series_unchanged)
{
    struct rlimit limit, old;
    mt_frames frames;
    int64_t step = 14;
    write_steps(again, 4);
    ok(mt_frames_create(&arena, path, &about, &frames));
    append(&frames, 0);
    append(&frames, 7);
    cr_assert_eq(mt_frames_append(&frames, step, 1, give_first, &step), MT_NUMERICS);
    assert_message("no more values");
    check_steps(&frames, 2);
    const size_t size = frames.head_bytes + 2 * frames.frame_bytes;
    cr_assert_eq(size_of(path), size);
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (size_t room = 0; room < frames.frame_bytes; room++) {
        limit = (struct rlimit){size + room, old.rlim_max};
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const mt_status status = mt_frames_append(&frames, step, 1, give, &step);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
        cr_assert_eq(status, MT_FILE, "%zu", room);
        check_steps(&frames, 2);
        cr_assert_eq(size_of(path), size);
    }
    append(&frames, 14);
    append(&frames, 21);
    mt_frames_close(&frames);
    same_bytes();
}

Test(frames, out_of_memory_is_reported_and_leaves_no_open_file)
{
    mt_frames frames;
    write_steps(path, 2);
    for (size_t n = 1;; n++) {
        mt_arena_fail_at(n);
        const mt_status status = mt_frames_resume(&arena, path, &about, 100, &frames);
        mt_arena_fail_at(0);
        cr_assert_eq(frames.open, status == MT_OK);
        if (status == MT_OK) break;
        cr_assert_eq(status, MT_MEMORY);
    }
    check_steps(&frames, 2);
    mt_frames_close(&frames);
}
