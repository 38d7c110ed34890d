#include <criterion/criterion.h>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "app/draw/scene/movie.h"
#include "app/draw/scene/picture.h"
#include "mesh/make/slab.h"
#include "tests/app/draw/pixels.h"

enum { FRAMES = 3, W = MT_PAGE_WIDTH, H = MT_PAGE_HEIGHT };

/* A slab, and a front that passes through it, from 35 mV to -85 mV; one layer of it has no value. */
typedef struct bench {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    size_t first, fails_at; /* the frame that is called 0; and that cannot be had */
    char folder[64], path[128];
} bench;

static const double time_ms[FRAMES] = {0, 12.5, 25};

static bench make_bench(void)
{
    bench b = {.folder = "/tmp/test_movie.XXXXXX", .fails_at = SIZE_MAX};
    cr_assert_not_null(mkdtemp(b.folder));
    (void)snprintf(b.path, sizeof b.path, "%s/series.png", b.folder);
    cr_assert_eq(mt_slab_make(&b.arena, (double[]){20, 7, 3}, 1, &b.mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&b.arena, &b.mesh, &b.adjacency), MT_OK);
    return b;
}

static mt_status give(void *context, size_t frame, float *values)
{
    const bench *b = context;
    if (frame == b->fails_at) return mt_fail(MT_NUMERICS, "no more");
    for (size_t c = 0; c < b->mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&b->mesh, c, x);
        values[c] = x[1] < 1 ? NAN : x[0] < 10 * (double)(frame + b->first) ? 35 : -85;
    }
    return MT_OK;
}

static mt_movie movie_of(bench *b)
{
    return (mt_movie){.mesh = &b->mesh,
        .adjacency = &b->adjacency,
        .n_frames = FRAMES,
        .time_ms = time_ms,
        .give = give,
        .context = b,
        .title = "A slab",
        .label = "Membrane potential",
        .unit = "mV",
        .low = -90,
        .high = 40,
        .show_ms = 80};
}

static void write_movie(bench *b)
{
    const mt_movie m = movie_of(b);
    cr_assert_eq(mt_movie_write(b->path, &m), MT_OK, "%s", mt_message());
}

static void end_bench(bench *b)
{
    (void)unlink(b->path);
    cr_assert_eq(files_in(b->folder), 0, "something was left behind");
    (void)rmdir(b->folder);
    mt_arena_free(&b->arena);
}

/* ---- a reader of animated PNGs, as far as ours go (PNG specification, third edition, 5.3, 9, 11.3.6) */

static uint32_t word(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

typedef struct shown {
    uint32_t x, y, w, h, show_ms;
} shown;

typedef struct reader {
    uint32_t said, n, sequence; /* pictures; and the next number of a chunk */
    shown at[FRAMES];
    unsigned char pixels[FRAMES][3 * W * H]; /* after each of them */
} reader;

/* Puts the box of a picture over the one before; filters none, sub and up. */
static void put_picture(reader *r, const unsigned char *packed, size_t n)
{
    const shown *at = &r->at[r->n - 1];
    const size_t row = 1 + 3 * (size_t)at->w;
    uLongf bytes = row * at->h;
    unsigned char *raw = malloc(bytes), *page = r->pixels[r->n - 1];
    cr_assert(uncompress(raw, &bytes, packed, n) == Z_OK && bytes == row * at->h);
    if (r->n > 1) memcpy(page, r->pixels[r->n - 2], sizeof r->pixels[0]);
    for (size_t y = 0; y < at->h; y++) {
        unsigned char *line = raw + y * row;
        cr_assert_leq(line[0], 2);
        for (size_t k = 1; k < row; k++) {
            const unsigned char left = k > 3 ? line[k - 3] : 0, above = y > 0 ? line[k - row] : 0;
            line[k] = (unsigned char)(line[k] + (line[0] == 1 ? left : line[0] == 2 ? above : 0));
        }
        memcpy(page + 3 * ((at->y + y) * W + at->x), line + 1, row - 1);
    }
    free(raw);
}

static void begin_picture(reader *r, const unsigned char *control)
{
    cr_assert_lt(r->n, FRAMES);
    cr_assert_eq(word(control), r->sequence++);
    const uint32_t over = (uint32_t)control[22] << 8 | control[23];
    shown *at = &r->at[r->n++];
    *at = (shown){word(control + 12), word(control + 16), word(control + 4), word(control + 8),
        (uint32_t)control[20] << 8 | control[21]};
    cr_assert(over == 1000 && control[24] == 0 && control[25] == 0);
    cr_assert(at->w > 0 && at->h > 0 && at->x + at->w <= W && at->y + at->h <= H);
}

/* Every chunk has its sum, and the pictures are as many as are told; to be freed. */
static reader *read_movie(const char *path)
{
    size_t n;
    unsigned char *bytes = read_all(path, &n);
    reader *r = calloc(1, sizeof *r);
    cr_assert_eq(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8), 0);
    for (size_t k = 8; k < n;) {
        const size_t size = word(bytes + k);
        const unsigned char *type = bytes + k + 4, *data = type + 4;
        cr_assert_leq(k + 12 + size, n);
        cr_assert_eq(word(data + size), crc32(0, type, (unsigned)size + 4));
        if (memcmp(type, "acTL", 4) == 0) {
            r->said = word(data);
            cr_assert_eq(word(data + 4), 0, "it ends");
        }
        if (memcmp(type, "fcTL", 4) == 0) begin_picture(r, data);
        if (memcmp(type, "IDAT", 4) == 0) put_picture(r, data, size);
        if (memcmp(type, "fdAT", 4) == 0) {
            cr_assert_eq(word(data), r->sequence++);
            put_picture(r, data + 4, size - 4);
        }
        k += 12 + size;
    }
    cr_assert(r->said == r->n && memcmp(bytes + n - 8, "IEND", 4) == 0);
    free(bytes);
    return r;
}

/* ---- */

/* Each frame beside the first picture of a movie that begins with it, which cairo reads. The last is shown for a second longer. */
Test(movie, each_frame_is_the_picture_of_its_moment_and_shown_as_long_as_is_asked)
{
    bench b = make_bench();
    write_movie(&b);
    reader *r = read_movie(b.path);
    cr_assert_eq(r->n, FRAMES);
    cr_assert(mt_file_is_ours(b.path));
    cr_assert(r->at[0].show_ms == 80 && r->at[1].show_ms == 80 && r->at[2].show_ms == 1080);
    cr_assert(r->at[0].w == W && r->at[0].h == H && r->at[1].w < W && r->at[1].h < H);
    for (size_t k = 0; k < FRAMES; k++) {
        mt_movie one = movie_of(&b);
        b.first = k;
        one.n_frames = 1, one.time_ms = time_ms + k;
        cr_assert_eq(mt_movie_write(b.path, &one), MT_OK);
        unsigned char *alone = read_pixels(b.path);
        cr_assert_arr_eq(alone, r->pixels[k], sizeof r->pixels[k], "frame %zu", k);
        cr_assert(k == 0 || memcmp(r->pixels[k], r->pixels[k - 1], sizeof r->pixels[k]) != 0);
        free(alone);
    }
    free(r);
    end_bench(&b);
}

static bool same_colour(const unsigned char rgb[3], const double linear[3])
{
    double found[3];
    for (int k = 0; k < 3; k++) found[k] = linear_of_byte(rgb[k]);
    for (int k = 0; k < 3; k++) { /* under light: darker, all alike */
        const double light = found[k] / linear[k], first = found[0] / linear[0];
        if (!(light > 0.45 && light < 1.02 && fabs(light - first) < 0.06)) return false;
    }
    return true;
}

/* Of the middle of the page, where the slab is; t below 0: grey. */
static size_t coloured(const unsigned char *pixels, double t)
{
    double linear[3] = {0.55, 0.55, 0.55};
    size_t n = 0;
    if (t >= 0) mt_picture_colour(t, linear);
    for (size_t y = 150; y < 800; y++)
        for (size_t x = 100; x < 1500; x++) n += same_colour(pixel_at(pixels, x, y), linear);
    return n;
}

/* 35 mV and -85 mV are 125 and 5 of the scale's 130 mV, whatever a frame has. */
Test(movie, one_scale_of_colours_holds_for_all_frames_and_what_has_no_value_is_grey)
{
    bench b = make_bench();
    write_movie(&b);
    reader *r = read_movie(b.path);
    size_t high[FRAMES], low[FRAMES], grey[FRAMES];
    for (size_t k = 0; k < FRAMES; k++) {
        high[k] = coloured(r->pixels[k], 125.0 / 130);
        low[k] = coloured(r->pixels[k], 5.0 / 130);
        grey[k] = coloured(r->pixels[k], -1);
    }
    cr_assert(high[0] < 2000 && low[0] > 100000, "%zu %zu", high[0], low[0]);
    cr_assert(high[1] > 50000 && low[1] > 50000, "%zu %zu", high[1], low[1]);
    cr_assert(high[2] > 100000 && low[2] < 2000, "%zu %zu", high[2], low[2]);
    cr_assert(grey[0] > 10000 && grey[1] > 10000 && grey[2] > 10000);
    free(r);
    end_bench(&b);
}

Test(movie, the_same_bytes_come_each_time)
{
    bench b = make_bench();
    char other[192];
    mt_movie m = movie_of(&b);
    m.n_frames = 2;
    (void)snprintf(other, sizeof other, "%s/other.png", b.folder);
    cr_assert_eq(mt_movie_write(b.path, &m), MT_OK);
    cr_assert_eq(mt_movie_write(other, &m), MT_OK);
    assert_same_bytes(b.path, other);
    (void)unlink(other);
    end_bench(&b);
}

/* A file size limit stands for a disk that is full. */
Test(movie, what_fails_leaves_nothing)
{
    bench b = make_bench();
    mt_movie m = movie_of(&b);
    for (b.fails_at = 0; b.fails_at < FRAMES; b.fails_at++) {
        cr_assert_eq(mt_movie_write(b.path, &m), MT_NUMERICS);
        cr_assert_eq(files_in(b.folder), 0);
    }
    size_t n = 1;
    for (m.n_frames = 1; n < 100; n++) {
        mt_arena_fail_at(n);
        const mt_status status = mt_movie_write(b.path, &m);
        mt_arena_fail_at(0);
        if (status == MT_OK) break;
        cr_assert_eq(status, MT_MEMORY);
        cr_assert_eq(files_in(b.folder), 0);
    }
    cr_assert(n > 10 && n < 100, "%zu", n);
    (void)unlink(b.path);
    const struct rlimit little = {.rlim_cur = 5000, .rlim_max = RLIM_INFINITY};
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    cr_assert_eq(mt_movie_write(b.path, &m), MT_FILE);
    end_bench(&b);
}

Test(movie, senseless_input_is_refused)
{
    bench b = make_bench();
    mt_adjacency other = b.adjacency;
    other.n_elements--;
    for (int k = 0; k < 8; k++) {
        mt_movie m = movie_of(&b);
        if (k == 0) m.adjacency = &other;
        if (k == 1) m.n_frames = 0;
        if (k == 2) m.high = m.low;
        if (k == 3) m.high = NAN;
        if (k == 4) m.high = INFINITY;
        if (k == 5) m.show_ms = 0;
        if (k == 6) m.show_ms = 65536;
        if (k == 7) m.title = "\xff\xfe";
        cr_assert_eq(mt_movie_write(b.path, &m), MT_INPUT, "%d", k);
    }
    const mt_movie m = movie_of(&b);
    cr_assert_eq(mt_movie_write("/no/where.png", &m), MT_FILE);
    end_bench(&b);
}
