#include <criterion/criterion.h>

#include <unistd.h>

#include "app/draw/colour.h"
#include "app/draw/scene/picture.h"
#include "app/draw/scene/snapshots.h"
#include "mesh/make/slab.h"
#include "tests/app/draw/pixels.h"
#include "tests/temporary.h"

enum { MOMENTS = 3 };

/* A slab at three times: all low, all high, and without values. */
typedef struct bench {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    float *values[MOMENTS];
    char folder[64], path[128];
} bench;

static const double time_ms[MOMENTS] = {0, 12.5, 25};

static bench make_bench(void)
{
    static const float value[MOMENTS] = {-85, 35, NAN};
    bench b = {0};
    temporary_pattern(b.folder, sizeof b.folder, "test_snapshots.XXXXXX");
    cr_assert_not_null(mkdtemp(b.folder));
    (void)snprintf(b.path, sizeof b.path, "%s/moments.png", b.folder);
    cr_assert_eq(mt_slab_make(&b.arena, (double[]){20, 7, 3}, 1, &b.mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&b.arena, &b.mesh, &b.adjacency), MT_OK);
    for (size_t k = 0; k < MOMENTS; k++) {
        b.values[k] = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof **b.values);
        for (size_t c = 0; c < b.mesh.n_elements; c++) b.values[k][c] = value[k];
    }
    return b;
}

static mt_snapshots snapshots_of(const bench *b)
{
    return (mt_snapshots){.mesh = &b->mesh,
        .adjacency = &b->adjacency,
        .n = MOMENTS,
        .time_ms = time_ms,
        .values = (const float *const *)b->values,
        .title = "A slab",
        .label = "Membrane potential",
        .unit = "mV",
        .low = -90,
        .high = 40};
}

static void end_bench(bench *b)
{
    (void)unlink(b->path);
    cr_assert_eq(files_in(b->folder), 0, "files remain in the folder");
    (void)rmdir(b->folder);
    mt_arena_free(&b->arena);
}

/* True if a pixel has the colour of t on the scale, grey below 0, under any light. */
static bool has_colour(const unsigned char rgb[3], double t)
{
    double linear[3] = {0.55, 0.55, 0.55}, light[3];
    if (t >= 0) mt_colour_map(t, linear);
    for (int k = 0; k < 3; k++) light[k] = linear_of_byte(rgb[k]) / linear[k];
    for (int k = 0; k < 3; k++)
        if (!(light[k] > 0.45 && light[k] < 1.02 && fabs(light[k] - light[0]) < 0.06)) return false;
    return true;
}

/* The columns are thirds of the width between margins of 50 pixels. -85 and 35 mV are 5 and 125 of the 130 mV of the scale. */
Test(snapshots, snapshots_are_in_chronological_order_with_one_colour_scale)
{
    static const double place[MOMENTS] = {5.0 / 130, 125.0 / 130, -1};
    static const size_t rows[2] = {140, 840};
    bench b = make_bench();
    const mt_snapshots s = snapshots_of(&b);
    cr_assert_eq(mt_snapshots_write(b.path, &s), MT_OK, "%s", mt_message());
    for (size_t column = 0; column < MOMENTS; column++)
        for (size_t k = 0; k < MOMENTS; k++) {
            const size_t columns[2] = {50 + column * 1500 / MOMENTS, 40 + (column + 1) * 1500 / MOMENTS},
                         n = count_within(b.path, columns, rows, has_colour, place[k]);
            cr_assert(k == column ? n > 10000 : n < 500, "moment %zu in column %zu: %zu", k, column, n);
        }
    end_bench(&b);
}

static void refuses(const bench *b, const mt_snapshots *s, const char *why)
{
    cr_assert_eq(mt_snapshots_write(b->path, s), MT_INPUT);
    cr_assert(strstr(mt_message(), why), "%s", mt_message());
}

Test(snapshots, invalid_snapshots_are_rejected)
{
    bench b = make_bench();
    mt_snapshots s = snapshots_of(&b);
    s.n = 0, refuses(&b, &s, "0 times; allowed: 1 to 8");
    s.n = MT_SNAPSHOTS_MAX + 1, refuses(&b, &s, "9 times; allowed: 1 to 8");
    s = snapshots_of(&b), s.high = -90, refuses(&b, &s, "must be above the first");
    const mt_adjacency other = {.n_elements = 1};
    s = snapshots_of(&b), s.adjacency = &other, refuses(&b, &s, "an adjacency of 1");
    end_bench(&b);
}
