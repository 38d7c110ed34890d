/* The 17 segments of the left ventricle. */
#include <criterion/criterion.h>

#include <string.h>

#include "mesh/anatomy/segments.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "tests/mesh/shell.h"

static mt_arena arena;

static void end(void) { mt_arena_free(&arena); }

TestSuite(segments, .fini = end);

/* The middles of the segments. */
Test(segments, every_segment_is_where_its_name_says)
{
    static const struct {
        int segment;
        double apicobasal, rotational;
        const char *name;
    } place[] = {{1, 0.9, 7.0 / 12, "basal anterior"}, {2, 0.9, 9.0 / 12, "basal anteroseptal"},
        {3, 0.9, 11.0 / 12, "basal inferoseptal"}, {4, 0.9, 1.0 / 12, "basal inferior"},
        {5, 0.9, 3.0 / 12, "basal inferolateral"}, {6, 0.9, 5.0 / 12, "basal anterolateral"},
        {7, 0.5, 7.0 / 12, "mid anterior"}, {8, 0.5, 9.0 / 12, "mid anteroseptal"},
        {9, 0.5, 11.0 / 12, "mid inferoseptal"}, {10, 0.5, 1.0 / 12, "mid inferior"},
        {11, 0.5, 3.0 / 12, "mid inferolateral"}, {12, 0.5, 5.0 / 12, "mid anterolateral"},
        {13, 0.2, 7.0 / 12, "apical anterior"}, {14, 0.2, 5.0 / 6, "apical septal"},
        {15, 0.2, 1.0 / 12, "apical inferior"}, {16, 0.2, 1.0 / 3, "apical lateral"},
        {17, 0.05, 0.4, "apex"}};
    for (size_t k = 0; k < sizeof place / sizeof *place; k++) {
        cr_assert_eq(mt_segment_at(place[k].apicobasal, place[k].rotational), place[k].segment, "%s: %d",
            place[k].name, mt_segment_at(place[k].apicobasal, place[k].rotational));
        cr_assert_str_eq(mt_segment_names[place[k].segment].name, place[k].name);
    }
    /* the borders of the apical sectors */
    static const struct {
        double border;
        int before, after;
    } turn[] = {{5, 15, 16}, {11, 16, 13}, {17, 13, 14}, {23, 14, 15}};
    for (size_t k = 0; k < sizeof turn / sizeof *turn; k++) {
        cr_assert_eq(mt_segment_at(0.2, (turn[k].border - 0.1) / 24), turn[k].before, "%g", turn[k].border);
        cr_assert_eq(mt_segment_at(0.2, (turn[k].border + 0.1) / 24), turn[k].after, "%g", turn[k].border);
    }
    /* the ends of the range, where the rotational coordinate jumps, and the borders of rings */
    cr_assert_eq(mt_segment_at(1, 0), 4);
    cr_assert_eq(mt_segment_at(1, 1), 4);
    cr_assert_eq(mt_segment_at(0, 1), 17);
    cr_assert_eq(mt_segment_at(0.2, 0), 15);
    cr_assert_eq(mt_segment_at(0.2, 1), 15);
    cr_assert_eq(mt_segment_at(0.7, 0.5), 7);
    cr_assert_eq(mt_segment_at(0.71, 0.5), 1);
}

Test(segments, segments_have_numbers_and_names)
{
    int32_t segment;
    for (int32_t k = 1; k <= MT_SEGMENT_LAST; k++) {
        char number[8];
        (void)snprintf(number, sizeof number, "%d", k);
        cr_assert(mt_segment_parse(number, &segment) == MT_OK && segment == k, "%d", k);
        cr_assert(mt_segment_parse(mt_segment_names[k].key, &segment) == MT_OK && segment == k, "%d", k);
    }
    static const char *const invalid[] = {
        "0", "18", "-1", "+7", " 7", "7x", "7.5", "", "anterior", "right_free_wall"};
    for (size_t k = 0; k < sizeof invalid / sizeof *invalid; k++)
        cr_assert_eq(mt_segment_parse(invalid[k], &segment), MT_INPUT, "'%s'", invalid[k]);
}

Test(segments, the_mean_of_rotational_coordinates_is_that_of_angles)
{
    cr_assert_float_eq(mt_coordinates_mean_rotational(2, (double[]){0.3, 0.4}), 0.35, 1e-12);
    cr_assert_float_eq(mt_coordinates_mean_rotational(2, (double[]){0.95, 0.01}), 0.98, 1e-12);
    cr_assert_float_eq(mt_coordinates_mean_rotational(4, (double[]){0.92, 1, 0, 0.12}), 0.01, 2e-3);
}

/* The share of a ring of a spherical shell is the difference of the cosines of its polar angles. Septal sectors share it with 60 degrees
 * each, as do the others; of the apical ring, the four sectors have 90 degrees each. The borders are those of elements of 3 mm in 38 mm
 * (the middle of the wall), whose deviations cancel along a border; 4 % of a segment are allowed. The cap has few elements. */
Test(segments, volumes_of_a_shell_are_the_analytic_ones)
{
    mt_mesh mesh;
    mt_coordinates c;
    const shell s = {16, 3, 1};
    double volume_ml[MT_SEGMENTS], total = 0;
    shell_make(&arena, &s, &mesh);
    int32_t *segment = mt_arena_alloc(&arena, mesh.n_elements, sizeof *segment);
    cr_assert_eq(mt_coordinates_make(&arena, &mesh, (double[]){1, 0, 0}, &c), MT_OK, "%s", mt_message());
    mt_segments_find(&mesh, &c, segment, volume_ml);
    for (int k = 0; k < MT_SEGMENTS; k++) total += volume_ml[k];
    cr_assert_eq(volume_ml[0], 0);
    for (int k = 1; k < MT_SEGMENTS; k++) {
        const double border[] = {0, 0.1, 0.4, 0.7, 1};
        const int ring = k == 17 ? 0 : k > 12 ? 1 : k > 6 ? 2 : 3;
        const double share =
            (cos(border[ring] * M_PI / 2) - cos(border[ring + 1] * M_PI / 2)) / (ring == 0      ? 1
                                                                                    : ring == 1 ? 4
                                                                                                : 6);
        cr_assert_float_eq(volume_ml[k] / total, share, (k == 17 ? 0.3 : 0.04) * share, "%d: %g, %g", k,
            volume_ml[k] / total, share);
    }
}

/* The heart of the script is symmetric in y, with the right ventricle at x > 37.4. Anterior segments are at +y, inferior ones at -y, and
 * lateral ones at -x above the apex. The septum is in the left ventricle in its full thickness, 11 mm. */
Test(segments, the_septum_of_two_ventricles_belongs_to_the_left_one)
{
    mt_mesh mesh;
    mt_coordinates c;
    double volume_ml[MT_SEGMENTS], sum = 0;
    gmsh_ventricles_alike(&arena, 6, &mesh);
    int32_t *segment = mt_arena_alloc(&arena, mesh.n_elements, sizeof *segment);
    cr_assert_eq(mt_coordinates_make(&arena, &mesh, NULL, &c), MT_OK, "%s", mt_message());
    mt_segments_find(&mesh, &c, segment, volume_ml);
    for (int k = 0; k < MT_SEGMENTS; k++) sum += 1000 * volume_ml[k];
    for (size_t e = 0; e < mesh.n_elements; e++) {
        double x[3];
        sum -= mt_mesh_volume_mm3(&mesh, e);
        mt_mesh_centroid(&mesh, e, x);
        const char *name = mt_segment_names[segment[e]].name;
        if (strstr(name, "anterior")) cr_assert(x[1] > 0, "%s: %g %g %g", name, x[0], x[1], x[2]);
        if (strstr(name, "inferior")) cr_assert(x[1] < 0, "%s: %g %g %g", name, x[0], x[1], x[2]);
        if (strstr(name, "lateral") && segment[e] <= 12)
            cr_assert(x[0] < 5, "%s: %g %g %g", name, x[0], x[1], x[2]);
        if (strstr(name, "septal")) cr_assert(x[0] > 5, "%s: %g %g %g", name, x[0], x[1], x[2]);
        /* inside the outer ellipsoid of the left ventricle: its muscle */
        const double in = hypot(hypot(x[0], x[1]) / 37.4, x[2] / 90.2);
        if (in < 0.95 && x[2] > -60) cr_assert(segment[e] > 0, "%g %g %g", x[0], x[1], x[2]);
        if (in > 1.15 && x[2] > -60) cr_assert(segment[e] == 0, "%s: %g %g %g", name, x[0], x[1], x[2]);
    }
    cr_assert_lt(fabs(sum), 1e-6);
}
