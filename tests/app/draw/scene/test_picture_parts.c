/* The picture of a partition, and the colours of its parts. */
#include "tests/app/draw/pixels.h"

#include <omp.h>
#include <unistd.h>

#include "app/draw/scene/figure.h"
#include "app/draw/scene/part_colours.h"
#include "app/draw/scene/picture.h"
#include "mesh/make/slab.h"
#include "tests/answers.h"
#include "tests/random.h"
#include "tests/temporary.h"

static char folder[64], path[128], other[128];
static mt_arena arena;
static mt_mesh mesh;
static mt_adjacency adjacency;
static mt_partition partition;

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "test_parts.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/parts.png", folder);
    (void)snprintf(other, sizeof other, "%s/other.png", folder);
    ok(mt_slab_make(&arena, (double[]){20, 7, 3}, 0.5, &mesh));
    ok(mt_adjacency_make(&arena, &mesh, &adjacency));
}

static void leave(void)
{
    (void)unlink(path);
    (void)unlink(other);
    cr_assert_eq(files_in(folder), 0, "files remain in the folder");
    (void)rmdir(folder);
    mt_arena_free(&arena);
}

TestSuite(picture_parts, .init = enter, .fini = leave);

static void divide(uint32_t n_groups, uint32_t each)
{
    ok(mt_partition_make(&arena, &adjacency,
        &(mt_partition_options){MT_PARTITION_FLAT, n_groups, each, 1.03, NULL, 0, 0}, &partition));
}

static mt_status paint(const char *to)
{
    return mt_picture_parts(to, &mesh, &adjacency, &partition, "A slab");
}

/* Builds the outer surface, with the number of the element as the value of each face. */
static mt_view_surface numbered_surface(void)
{
    mt_view_surface surface;
    float *number = mt_arena_alloc(&arena, mesh.n_elements, sizeof *number);
    for (size_t c = 0; c < mesh.n_elements; c++) number[c] = (float)c;
    ok(mt_view_surface_make_flat(&arena, &mesh, &adjacency, number, &surface));
    return surface;
}

static mt_part_colours colours_of(const mt_view_surface *surface)
{
    mt_part_colours colours;
    ok(mt_part_colours_make(&arena, surface, &partition, &colours));
    return colours;
}

static const double *colour_of(const mt_part_colours *colours, size_t element)
{
    const uint32_t part = partition.part[element];
    return colours->linear[part / partition.parts_per_group][colours->shade[part]];
}

/* ---- colours */

typedef struct meetings {
    const mt_view_surface *surface;
    const mt_part_colours *colours;
    size_t n_same, n_other; /* pairs of faces of different parts, in the same group and in two groups */
    double same, other;     /* smallest distance of their colours */
} meetings;

static void compare_colours(void *context, const mt_face_pair *meeting)
{
    meetings *m = context;
    const size_t a = m->surface->face_element[meeting->face], b = m->surface->face_element[meeting->other];
    if (partition.part[a] == partition.part[b]) return;
    const double distance = oklab_distance(colour_of(m->colours, a), colour_of(m->colours, b));
    if (partition.part[a] / partition.parts_per_group == partition.part[b] / partition.parts_per_group)
        m->n_same++, m->same = fmin(m->same, distance);
    else
        m->n_other++, m->other = fmin(m->other, distance);
}

static meetings look_at_meetings(void)
{
    const mt_view_surface surface = numbered_surface();
    const mt_part_colours colours = colours_of(&surface);
    meetings m = {.surface = &surface, .colours = &colours, .same = INFINITY, .other = INFINITY};
    mt_view_surface_meetings(&surface, compare_colours, &m);
    m.surface = NULL, m.colours = NULL;
    return m;
}

Test(picture_parts, adjacent_parts_have_distinguishable_colours)
{
    static const uint32_t sizes[][2] = {
        {1, 2}, {1, 40}, {1, 300}, {2, 20}, {4, 10}, {4, 300}, {12, 10}, {16, 20}, {64, 4}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        divide(sizes[k][0], sizes[k][1]);
        const meetings m = look_at_meetings();
        cr_assert(m.n_same > 10 && (m.n_other > 10) == (sizes[k][0] > 1));
        cr_assert_geq(m.same, sizes[k][0] == 1 ? 0.11 : mt_part_shade_distance, "%u x %u: %g", sizes[k][0],
            sizes[k][1], m.same);
        cr_assert_geq(m.other, mt_part_shade_distance, "%u x %u: %g", sizes[k][0], sizes[k][1], m.other);
    }
}

/* One part for each face: many parts have more neighbours than there are shades. */
Test(picture_parts, scattered_parts_use_all_colours_equally_often)
{
    uint64_t state = 1;
    divide(2, 500);
    for (size_t c = 0; c < mesh.n_elements; c++) partition.part[c] = (uint32_t)draw(&state, 1000);
    const mt_view_surface surface = numbered_surface();
    const mt_part_colours colours = colours_of(&surface);
    size_t used[MT_PART_SHADES_MAX] = {0};
    for (size_t p = 0; p < 500; p++) used[colours.shade[p]]++;
    for (size_t s = 0; s < colours.n_shades; s++)
        cr_assert(used[s] > 40 && used[s] < 170, "shade %zu: %zu of 500 parts", s, used[s]);
}

/* ---- the picture */

/* True if the pixel has this colour under this light, to 2 of 255: half a level of rounding, one level for the table of the sRGB curve, and
 * half a level for light in single precision. */
static bool shows(const unsigned char rgb[3], const double linear[3], double light)
{
    for (int k = 0; k < 3; k++)
        if (fabs(255 * srgb_of_linear(light * linear[k]) - rgb[k]) > 2) return false;
    return true;
}

/* True if all samples of the pixel belong to one element and have no ink; then returns the element and the mean light. */
static bool is_flat(const mt_plot *plot, int x, int y, size_t *element, double *light)
{
    *light = 0;
    *element = (size_t)plot->value[mt_plot_at(plot, 2 * x, 2 * y)];
    for (int k = 0; k < 4; k++) {
        const size_t at = mt_plot_at(plot, 2 * x + k % 2, 2 * y + k / 2);
        if (plot->depth[at] <= 0 || (size_t)plot->value[at] != *element || plot->ink[at] > 0) return false;
        *light += 0.25 * (double)plot->light[at];
    }
    return true;
}

/* Only borders between groups, of 0.6 pixels on either side with soft edges, darken pixels: at most one in 100 here. */
Test(picture_parts, every_pixel_of_the_surface_has_the_colour_of_its_part)
{
    divide(4, 10);
    mt_figure *figure = mt_arena_alloc(&arena, 1, sizeof *figure);
    figure->surface = numbered_surface();
    ok(mt_figure_make(&arena, figure));
    const mt_part_colours colours = colours_of(&figure->surface);
    ok(paint(path));
    unsigned char *pixels = read_pixels(path);
    const mt_panel *panel = &figure->panel[0];
    size_t n = 0, dark = 0;
    for (int y = 0; y < panel->plot.h / MT_VIEW_SUPER; y++)
        for (int x = 0; x < panel->plot.w / MT_VIEW_SUPER; x++) {
            size_t element;
            double light;
            if (!is_flat(&panel->plot, x, y, &element, &light)) continue;
            const unsigned char *rgb = pixel_at(pixels, (size_t)(x + panel->left), (size_t)(y + panel->top));
            const double *colour = colour_of(&colours, element);
            const int k = colour[2] > colour[1] ? 2 : colour[0] > colour[1] ? 0 : 1; /* the strongest */
            const double seen = linear_of_byte(rgb[k]) / colour[k];
            cr_assert(shows(rgb, colour, seen) && seen < light * 1.03, "pixel %d %d", x, y);
            dark += !shows(rgb, colour, light);
            n++;
        }
    free(pixels);
    cr_assert(n > 200000 && dark > 0 && dark < n / 100, "%zu of %zu pixels are dark", dark, n);
}

static void assert_legend(void)
{
    const mt_view_surface surface = numbered_surface();
    const mt_part_colours colours = colours_of(&surface);
    ok(paint(path));
    unsigned char *pixels = read_pixels(path);
    const bool one = colours.n_groups == 1;
    const size_t n = one ? colours.n_shades : colours.n_groups, shades = one ? 1 : colours.n_shades;
    for (size_t k = 0; k < n; k++)
        for (size_t s = 0; s < shades; s++) {
            const double *linear = one ? colours.linear[0][k] : colours.linear[k][s];
            const size_t x = MT_LEGEND_X + (2 * k + 1) * MT_LEGEND_W / (2 * n) - 2,
                         y = MT_LEGEND_Y + 2 + 4 * s;
            cr_assert(shows(pixel_at(pixels, x, y), linear, 1), "column %zu of %zu, shade %zu", k, n, s);
            for (size_t j = 0; j < k; j++)
                cr_assert_neq(
                    memcmp(linear, one ? colours.linear[0][j] : colours.linear[j][s], 3 * sizeof *linear), 0);
        }
    free(pixels);
}

Test(picture_parts, the_legend_lists_all_groups_in_distinct_colours)
{
    static const uint32_t groups[] = {1, 16, 64};
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        divide(groups[k], 3);
        assert_legend();
    }
}

static bool is_dark(const unsigned char rgb[3], double t)
{
    (void)t;
    return rgb[0] < 128;
}

/* "0" below the first column takes less ink than "15" below the last. */
Test(picture_parts, the_columns_are_numbered_from_the_left)
{
    enum { GROUPS = 16, W = MT_LEGEND_W / GROUPS };
    static const size_t y[2] = {MT_LEGEND_Y + MT_LEGEND_H + 8, MT_LEGEND_Y + MT_LEGEND_H + 26};
    static const size_t left[2] = {MT_LEGEND_X, MT_LEGEND_X + W},
                        right[2] = {MT_LEGEND_X + MT_LEGEND_W - W, MT_LEGEND_X + MT_LEGEND_W};
    divide(GROUPS, 3);
    ok(paint(path));
    const size_t first = count_within(path, left, y, is_dark, 0),
                 last = count_within(path, right, y, is_dark, 0);
    cr_assert(first > 5 && 4 * last > 5 * first, "%zu and %zu pixels", first, last);
}

Test(picture_parts, the_picture_is_bit_identical_for_any_number_of_threads)
{
    divide(3, 30);
    omp_set_num_threads(1);
    ok(paint(path));
    omp_set_num_threads(2);
    ok(paint(other));
    assert_same_bytes(path, other);
}

Test(picture_parts, invalid_input_is_rejected_and_leaves_no_file)
{
    divide(2, 5);
    mt_adjacency less = adjacency;
    less.n_elements--;
    cr_assert_eq(mt_picture_parts(path, &mesh, &less, &partition, ""), MT_INPUT);
    partition.n_elements--;
    cr_assert_eq(paint(path), MT_INPUT);
    assert_message("a partition of");
    partition.n_elements++;
    cr_assert_eq(mt_picture_parts(path, &mesh, &adjacency, &partition, "\xff\xfe"), MT_INPUT);
    assert_message("UTF-8");
    partition.part[3] = 10;
    cr_assert_eq(paint(path), MT_INPUT);
    assert_message("element 3: part 10");
    divide(65, 2);
    cr_assert_eq(paint(path), MT_INPUT);
    assert_message("65 groups of parts; allowed: at most 64");
    (void)strcat(path, "/no/where.png");
    divide(2, 5);
    cr_assert_eq(paint(path), MT_FILE);
    cr_assert_eq(files_in(folder), 0);
}

Test(picture_parts, every_failed_allocation_is_returned_as_a_status)
{
    size_t n = 1;
    divide(2, 5);
    for (; n < 100; n++) {
        mt_arena_fail_at(n);
        const mt_status status = paint(path);
        if (status == MT_OK) break;
        cr_assert_eq(status, MT_MEMORY);
        cr_assert_eq(files_in(folder), 0);
    }
    cr_assert(n > 20 && n < 100, "%zu", n);
    mt_arena_fail_at(0);
}
