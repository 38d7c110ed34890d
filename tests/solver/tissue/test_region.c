/* The elements of a region. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh/names.h"
#include "solver/tissue/region.h"
#include "tests/mesh/bowl_elements.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;
static mt_mesh mesh;
static const double size_mm[3] = {4, 6, 5};

static void make(void) { tagged_slab(&arena, size_mm, 0.5, &mesh); }
static void end(void) { mt_arena_free(&arena); }

TestSuite(region, .init = make, .fini = end);

static mt_region nowhere(void) { return mt_region_empty; }

static void set3(double to[3], double x, double y, double z) { to[0] = x, to[1] = y, to[2] = z; }

static const double *centre_of(size_t element)
{
    static double x[3];
    mt_mesh_centroid(&mesh, element, x);
    return x;
}

static bool in_sphere(const double x[3], const double c[3], double r)
{
    return hypot(hypot(x[0] - c[0], x[1] - c[1]), x[2] - c[2]) <= r;
}

/* Expects that the region consists of the elements, ascending, for which `wanted` holds. */
static void expect_elements(mt_region region, bool (*wanted)(const double x[3]))
{
    size_t n, k = 0;
    uint32_t *elements;
    cr_assert_eq(mt_region_check(&region), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < mesh.n_elements; c++) {
        const bool is = k < n && elements[k] == c;
        cr_assert_eq(is, wanted(centre_of(c)), "element %zu", c);
        k += is;
    }
    cr_assert(k == n && n > 0, "%zu of %zu", k, n);
}

static const double middle[3] = {1, 3, 2};

static bool near_middle(const double x[3]) { return in_sphere(x, middle, 1.3); }

Test(region, a_sphere_selects_the_elements_with_their_centre_in_it)
{
    mt_region region = nowhere();
    memcpy(region.centre_mm, middle, sizeof middle);
    region.radius_mm = 1.3;
    expect_elements(region, near_middle);
}

/* 1.5 mm are 7.5 boxes of 0.2 mm. In every second layer of centroids rounding places some slightly below 1.5 mm and others above; all
 * count. `wanted` uses integers: the places of four vertices, in boxes, sum to at most 4 * 7.5. */
Test(region, elements_on_the_border_of_a_box_are_selected_regardless_of_rounding)
{
    static const double size[3] = {20, 2.8, 2.4}, near[3] = {1.5, 1.5, 1.5};
    static const int n[3] = {100, 14, 12};
    mt_mesh fine;
    cr_assert_eq(mt_slab_make(&arena, size, 0.2, &fine), MT_OK, "%s", mt_message());
    for (int corner = 0; corner < 8; corner++) {
        mt_region region = nowhere();
        size_t n_reached, n_wanted = 0, n_border = 0;
        uint32_t *elements;
        for (int k = 0; k < 3; k++) {
            const bool far = corner >> k & 1;
            region.min_mm[k] = far ? size[k] - near[k] : 0;
            region.max_mm[k] = far ? size[k] : near[k];
        }
        cr_assert_eq(
            mt_region_elements(&arena, &region, &fine, &n_reached, &elements), MT_OK, "%s", mt_message());
        for (size_t c = 0; c < fine.n_elements; c++) {
            int sum[3] = {0}, largest = 0;
            for (int v = 0; v < 4; v++)
                for (int k = 0; k < 3; k++) {
                    const int at = (int)lround(
                        fine.xyz_mm[3 * (size_t)fine.element_vertex[4 * c + (size_t)v] + (size_t)k] / 0.2);
                    sum[k] += corner >> k & 1 ? n[k] - at : at;
                }
            for (int k = 0; k < 3; k++) largest = sum[k] > largest ? sum[k] : largest;
            if (largest > 30) continue;
            cr_assert(n_wanted < n_reached && elements[n_wanted] == c, "corner %d: element %zu is left out",
                corner, c);
            n_wanted++, n_border += largest == 30;
        }
        cr_assert(
            n_wanted == n_reached && n_border > 0, "corner %d: %zu of %zu", corner, n_wanted, n_reached);
    }
}

static bool shallow(const double x[3]) { return x[0] <= 0.8; }
static bool shallow_and_near(const double x[3]) { return shallow(x) && near_middle(x); }
static bool shallow_and_in_box(const double x[3]) { return shallow(x) && x[1] >= 2 && x[1] <= 4; }

Test(region, a_surface_can_be_limited_to_a_patch_by_a_sphere_or_a_box)
{
    mt_region region = nowhere();
    region.surface = "lv_endocardium", region.depth_mm = 0.8; /* deeper than the elements with a face on it */
    expect_elements(region, shallow);
    memcpy(region.centre_mm, middle, sizeof middle);
    region.radius_mm = 1.3;
    expect_elements(region, shallow_and_near);
    mt_region boxed = nowhere();
    boxed.surface = "3", boxed.depth_mm = 0.8;
    set3(boxed.min_mm, -9, 2, -9);
    set3(boxed.max_mm, 9, 4, 9);
    expect_elements(boxed, shallow_and_in_box);
}

/* True for the centroid of an element that contains the vertex at [1, 3, 2] or [1.5, 3, 2]. */
static bool has_listed(const double x[3])
{
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double centre[3];
        mt_mesh_centroid(&mesh, c, centre);
        if (memcmp(centre, x, sizeof centre) != 0) continue;
        for (size_t k = 0; k < 4; k++) {
            const double *p = mesh.xyz_mm + 3 * (size_t)mesh.element_vertex[4 * c + k];
            if ((p[0] == 1 || p[0] == 1.5) && p[1] == 3 && p[2] == 2) return true;
        }
    }
    return false;
}

static bool has_listed_and_near(const double x[3]) { return has_listed(x) && in_sphere(x, middle, 0.5); }

/* Writes a list of the mesh vertices at these positions along x, with y = 3 and z = 2; returns its path. */
static const char *write_list(size_t n, const double *x)
{
    static char path[32];
    (void)strcpy(path, "/tmp/myotile_site_XXXXXX");
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    FILE *file = fdopen(fd, "w");
    (void)fprintf(file, "%zu\nintra\n", n);
    for (size_t k = 0; k < n; k++)
        for (size_t v = 0; v < mesh.n_vertices; v++) {
            const double *p = mesh.xyz_mm + 3 * v;
            if (p[0] == x[k] && p[1] == 3 && p[2] == 2) (void)fprintf(file, "%zu\n", v);
        }
    cr_assert_eq(fclose(file), 0);
    return path;
}

Test(region, a_list_of_vertices_selects_the_elements_with_one_of_them)
{
    mt_region region = nowhere();
    region.vtx = write_list(2, (double[]){1, 1.5});
    expect_elements(region, has_listed);
    memcpy(region.centre_mm, middle, sizeof middle);
    region.radius_mm = 0.5;
    expect_elements(region, has_listed_and_near);
    (void)unlink(region.vtx);
}

static bool is_right(const double x[3]) { return x[0] > 2; }
static bool is_right_and_low(const double x[3]) { return x[0] > 2 && x[1] <= 1; }

Test(region, a_tag_selects_the_elements_with_that_tag)
{
    mt_region region = nowhere();
    for (size_t c = 0; c < mesh.n_elements; c++) mesh.region[c] = is_right(centre_of(c)) ? -3 : 4;
    region.tag = "-3";
    expect_elements(region, is_right);
    set3(region.min_mm, 0, 0, 0), set3(region.max_mm, 4, 1, 5);
    expect_elements(region, is_right_and_low);
}

static void expect_nothing(mt_region region, const char *message);

static bool is_low(const double x[3]) { return x[1] <= 1; }
static bool is_right_or_low(const double x[3]) { return is_right(x) || is_low(x); }

/* Elements on the right belong to region -3, low ones to group 9, which is also the region of all others. */
Test(region, a_name_selects_the_region_or_group_of_that_name)
{
    mt_region region = nowhere();
    bool full;
    for (size_t c = 0; c < mesh.n_elements; c++) {
        mesh.region[c] = is_right(centre_of(c)) ? -3 : 4;
        if (is_low(centre_of(c))) cr_assert_eq(mt_groups_put(&arena, &mesh, 9, c, &full), MT_OK);
    }
    cr_assert_eq(mt_groups_put(&arena, &mesh, 9, 0, &full), MT_OK);
    cr_assert_eq(mt_names_put(&arena, &mesh, MT_NAMES_ELEMENTS, -3, "border zone", 11), MT_OK);
    cr_assert_eq(mt_names_put(&arena, &mesh, MT_NAMES_ELEMENTS, 9, "scar", 4), MT_OK);
    region.tag = "Border Zone";
    expect_elements(region, is_right);
    region.group = "scar";
    expect_elements(region, is_right_and_low);
    region.tag = "";
    expect_elements(region, is_low);
    for (size_t c = 0; c < mesh.n_elements; c++)
        if (is_right(centre_of(c))) mesh.region[c] = 9;
    expect_elements(region, is_right_or_low);
    region.group = "scra";
    expect_nothing(region, "group: scra is not a tag name; allowed: of the mesh's elements: 4, 9 (scar)");
    for (size_t c = 0; c < mesh.n_elements; c++) mesh.region[c] = 4;
    region.group = "", region.tag = "scar";
    expect_nothing(region, "tag: no element has the tag scar; the mesh has 4, 9 (scar); `group` instead of "
                           "`tag` selects the elements of a group");
}

Test(region, a_surface_is_selected_by_its_mesh_name_or_anatomical_name)
{
    mt_region by_number = nowhere(), by_name = nowhere();
    size_t n, n_named;
    uint32_t *elements, *named;
    cr_assert_eq(mt_names_put(&arena, &mesh, MT_NAMES_FACES, MT_SURFACE_LV, "ENDO", 4), MT_OK);
    by_number.surface = "lv_endocardium";
    by_name.surface = "endo";
    by_number.depth_mm = by_name.depth_mm = 0.3;
    cr_assert_eq(mt_region_elements(&arena, &by_number, &mesh, &n, &elements), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_region_elements(&arena, &by_name, &mesh, &n_named, &named), MT_OK, "%s", mt_message());
    cr_assert(n == n_named && n > 0);
    cr_assert_arr_eq(elements, named, n * sizeof *named);
    by_name.surface = "epi";
    expect_nothing(by_name, "surface: epi; allowed: base, epicardium, lv_endocardium, rv_endocardium, or a "
                            "tag or name of the mesh's triangles: 1 (base), 2 (epicardium), 3 (ENDO)");
}

Test(region, faults_in_a_list_of_vertices_are_reported)
{
    mt_region region = nowhere();
    char message[256];
    region.vtx = write_list(3, (double[]){1, 1.5, 7}); /* no vertex there */
    (void)snprintf(message, sizeof message,
        "vtx: %s:5: the file ends before the vertex; allowed: a whole number from 0 to 1286", region.vtx);
    expect_nothing(region, message);
    (void)unlink(region.vtx);
    region.surface = "lv_endocardium";
    region.vtx = write_list(1, (double[]){2});
    (void)snprintf(message, sizeof message, "no element of the surface with a vertex of %s", region.vtx);
    expect_nothing(region, message);
    (void)unlink(region.vtx);
    size_t n;
    uint32_t *elements;
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_FILE);
}

/* The left cavity of the script is the lower half of an ellipsoid around the origin, so its lowest point is on the z axis at -79.2 mm;
 * that of the outer surface is at -90.2 mm. The right ventricle extends below it: z grows by up to half towards its side (its tip, at x
 * = 30.8, from -77 to about -106 mm), which leaves the tip of the left ventricle unchanged. The vertex at the tip is less than an edge,
 * 6 mm, from the pole. */
static bool near_left_tip(const double x[3])
{
    const double tip[3] = {0, 0, -90.2};
    return in_sphere(x, tip, 8 + 6);
}

Test(region, the_apex_is_in_the_left_ventricle_even_if_the_right_one_is_lower)
{
    double lowest[2] = {0, 0};
    size_t n;
    uint32_t *elements;
    mt_region region = nowhere();
    mt_arena_free(&arena);
    gmsh_ventricles(&arena, 6, &mesh);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        double *x = mesh.xyz_mm + 3 * v;
        x[2] *= 1 + 0.02 * fmax(0, x[0] - 12);
        lowest[x[0] > 20] = fmin(lowest[x[0] > 20], x[2]);
    }
    cr_assert(lowest[1] < lowest[0] - 5, "left %g, right %g", lowest[0], lowest[1]);
    region.at = "apex", region.radius_mm = 8;
    cr_assert_eq(mt_region_check(&region), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < n; k++) {
        const double *x = centre_of(elements[k]);
        cr_assert(near_left_tip(x), "[%g, %g, %g]", x[0], x[1], x[2]);
    }
}

/* ---- lists of elements, and layers */

static const char *list_path(const char *text)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "/tmp/test_region_%d.txt", (int)getpid());
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

static bool is_listed(const double x[3])
{
    for (size_t c = 0; c < 3; c++) {
        const size_t element[] = {0, 7, 40};
        double y[3];
        mt_mesh_centroid(&mesh, element[c], y);
        if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) return true;
    }
    return false;
}

Test(region, a_list_of_elements_selects_those_elements)
{
    mt_region region = nowhere();
    region.elements = list_path("# of mine\n40\n\n 7 # the first\n0\n7\n");
    expect_elements(region, is_listed);
    (void)unlink(region.elements);
}

static void expect_bad_list(const char *text, const char *message)
{
    mt_region region = nowhere();
    size_t n;
    uint32_t *elements;
    region.elements = list_path(text);
    cr_expect_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT, "%s", text);
    cr_expect(strncmp(mt_message(), "elements: /tmp/", 15) == 0 && strstr(mt_message(), message), "%s",
        mt_message());
    (void)unlink(region.elements);
}

Test(region, faults_in_a_list_of_elements_are_reported_with_their_line)
{
    char last[128];
    (void)snprintf(last, sizeof last, ".txt:2: element is '%zu'; allowed: a whole number from 0 to %zu",
        mesh.n_elements, mesh.n_elements - 1);
    char text[64];
    (void)snprintf(text, sizeof text, "0\n%zu\n", mesh.n_elements);
    expect_bad_list(text, last);
    expect_bad_list("1\n\n-1", ".txt:3: element is '-1'; allowed: a whole number from 0 to ");
    expect_bad_list("1.5\n", ".txt:1: element is '1.5'; allowed");
    expect_bad_list("1 2\n", ".txt:1: '2' after the number of an element; allowed: the end of the line");
    expect_bad_list("# nothing\n", "the list is empty; allowed: one element number per line");
    expect_bad_list("", "the list is empty");
}

static bool in_left_half(const double x[3]) { return x[0] < 2; }
static bool in_left_half_below(const double x[3]) { return x[0] < 2 && x[2] <= 2; }

Test(region, a_layer_selects_its_elements_alone_or_within_a_box)
{
    mt_region region = nowhere();
    size_t n;
    uint32_t *elements;
    region.layer = MT_LAYER_EPI - MT_LAYER_ENDO;
    cr_assert_eq(mt_region_check(&region), MT_OK, "%s", mt_message());
    cr_expect_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "layer: epi; the mesh has no transmural layers: `myotile mesh fibres` writes them");
    mesh.layer = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.layer);
    for (size_t c = 0; c < mesh.n_elements; c++)
        mesh.layer[c] = in_left_half(centre_of(c)) ? MT_LAYER_EPI : MT_LAYER_ENDO;
    expect_elements(region, in_left_half);
    set3(region.min_mm, 0, 0, 0);
    set3(region.max_mm, 4, 6, 2);
    expect_elements(region, in_left_half_below);
    region = nowhere();
    region.layer = MT_LAYER_MID - MT_LAYER_ENDO;
    cr_expect_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT);
    cr_expect_str_eq(mt_message(), "no element in the layer mid");
}

/* Segment 7 is mid anterior. */
Test(region, a_segment_selects_its_elements_and_their_vertices_by_number_or_name)
{
    static const char *const names[] = {"7", "mid_anterior"};
    mt_region region = nowhere();
    size_t n;
    uint32_t *list;
    region.segment = "7";
    cr_assert_eq(mt_region_check(&region), MT_OK, "%s", mt_message());
    cr_expect_eq(mt_region_elements(&arena, &region, &mesh, &n, &list), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "segment: 7; the mesh has no segments: `myotile mesh coordinates` writes them");
    mesh.segment = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.segment);
    for (size_t c = 0; c < mesh.n_elements; c++) mesh.segment[c] = in_left_half(centre_of(c)) ? 7 : 8;
    for (int k = 0; k < 2; k++) {
        region = nowhere();
        region.segment = names[k];
        expect_elements(region, in_left_half);
        cr_assert_eq(mt_region_vertices(&arena, &region, &mesh, &mesh, &n, &list), MT_OK, "%s", mt_message());
        uint8_t *in = mt_arena_alloc(&arena, mesh.n_vertices, 1);
        for (size_t i = 0; i < n; i++) in[list[i]] = 1;
        for (size_t v = 0; v < mesh.n_vertices;
             v++) /* on the border, half of the volume or a little less is in the segment */
            if (fabs(mesh.xyz_mm[3 * v] - 2) > 0.1) cr_assert_eq(in[v], mesh.xyz_mm[3 * v] < 2, "%zu", v);
        set3(region.min_mm, 0, 0, 0);
        set3(region.max_mm, 4, 6, 2);
        expect_elements(region, in_left_half_below);
    }
    region = nowhere();
    region.segment = "17";
    cr_expect_eq(mt_region_elements(&arena, &region, &mesh, &n, &list), MT_INPUT);
    cr_expect_str_eq(mt_message(), "no element in the segment 17");
}

static void expect_refused(mt_region region, const char *message)
{
    cr_expect_eq(mt_region_check(&region), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

Test(region, contradicting_keys_are_rejected)
{
    mt_region region = nowhere();
    expect_refused(region,
        "no place is given; allowed: at with radius_mm, centre_mm with radius_mm, min_mm with "
        "max_mm, or surface, vtx, elements, tag, group, layer or segment, alone or with one of these");
    region.radius_mm = 1;
    expect_refused(region, "radius_mm is given alone; allowed: with centre_mm or at");
    region.position.rotational = 0.5;
    expect_refused(region, "at: apicobasal is missing; needed: apicobasal, rotational and transmural");
    region.position = (mt_position){0.5, 0.5, NAN, -1};
    expect_refused(region, "at: transmural is missing; needed: apicobasal, rotational and transmural");
    region.position = mt_position_empty;
    region.at = "tip";
    expect_refused(region, "at: tip; allowed: apex");
    region.at = "apex";
    region.centre_mm[0] = 0;
    expect_refused(region, "both at and centre_mm are given; allowed: one of them, with radius_mm");
    region.centre_mm[0] = NAN;
    region.depth_mm = 1;
    expect_refused(region, "depth_mm is given without surface; allowed: both");
    region.depth_mm = NAN;
    set3(region.min_mm, 0, 0, 0);
    expect_refused(region, "min_mm is given alone; allowed: a box with min_mm and max_mm");
    set3(region.max_mm, 1, 1, 1);
    expect_refused(region, "both a box (min_mm, max_mm) and a sphere (radius_mm) are given; allowed: one");
    region.radius_mm = NAN;
    expect_refused(region, "at is given without radius_mm; allowed: a sphere with both");
    region = nowhere();
    region.segment = "18";
    expect_refused(region, "segment: '18'; allowed: 1 to 17, or a name such as mid_anterior or apex");
}

static void expect_nothing(mt_region region, const char *message)
{
    size_t n;
    uint32_t *elements;
    cr_assert_eq(mt_region_check(&region), MT_OK, "%s", mt_message());
    cr_expect_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

/* Some of the six centroids of a Kuhn box are a quarter of the edge from each side: 0.125 mm. */
Test(region, an_empty_selection_is_reported_with_the_distance_of_the_nearest_centre)
{
    mt_region region = nowhere();
    set3(region.min_mm, -3, 2, 2);
    set3(region.max_mm, -1, 4, 4);
    expect_nothing(region,
        "no element centre is in the box [-3, 2, 2] .. [-1, 4, 4] mm; the nearest is 1.12 mm outside");
    region.surface = "epicardium";
    expect_nothing(region, "no element centre of the surface is in the box [-3, 2, 2] .. [-1, 4, 4] mm; the "
                           "nearest is 4.88 mm outside");
    region = nowhere();
    set3(region.centre_mm, 2000, 1000, 500);
    region.radius_mm = 1;
    expect_nothing(region, "no element centre is within 1 mm of [2000, 1000, 500]; the nearest is 2.28e+03 "
                           "mm away; this appears to be in micrometres: 1 mm = 1000 um");
    region = nowhere();
    set3(region.centre_mm, 2, 3, -4);
    region.radius_mm = 1;
    size_t n;
    uint32_t *elements;
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT);
    double least = INFINITY;
    for (size_t c = 0; c < mesh.n_elements; c++) {
        const double *x = centre_of(c);
        least = fmin(least, hypot(hypot(x[0] - 2, x[1] - 3), x[2] + 4));
    }
    char message[128];
    (void)snprintf(message, sizeof message,
        "no element centre is within 1 mm of [2, 3, -4]; the nearest is %.3g mm away", least);
    cr_assert_str_eq(mt_message(), message);
}

Test(region, a_mesh_without_tagged_triangles_is_rejected_with_a_remedy)
{
    mt_region region = nowhere();
    region.surface = "rv_endocardium";
    mesh.n_faces = 0;
    expect_nothing(region, "surface: rv_endocardium: the mesh has no tagged triangles; `myotile mesh "
                           "surfaces` tags the base, epicardium and endocardia that it finds");
    region = nowhere();
    region.at = "apex", region.radius_mm = 3;
    size_t n;
    uint32_t *elements;
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT);
    cr_assert(strncmp(mt_message(), "at: apex: ", 10) == 0 && strstr(mt_message(), "`myotile mesh surfaces`"),
        "%s", mt_message());
}

/* A left ventricle with other tags on its surfaces: its shape identifies them. */
Test(region, a_mesh_with_foreign_tags_is_rejected_with_the_option_that_maps_them)
{
    static const char line[] =
        "; `myotile mesh surfaces` assigns them with `--tags base=10,epi=20,lv=30` (overlap with the "
        "surfaces found from the shape: base 100 %, epi 100 %, lv 100 %)";
    mt_region region = nowhere();
    mt_arena_free(&arena);
    bowl_elements(&arena, &mesh);
    for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] *= 10;
    region.surface = "lv_endocardium";
    size_t n;
    uint32_t *elements;
    cr_assert_eq(mt_region_check(&region), MT_OK);
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT);
    cr_assert(strstr(mt_message(), line) &&
                  strstr(mt_message(), "no triangle of the mesh has the tag 3; the mesh has "),
        "%s", mt_message());
    region.surface = "31"; /* a number is not a name */
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT);
    cr_assert_null(strstr(mt_message(), "mesh surfaces"), "%s", mt_message());
    region.surface = "30";
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_OK, "%s", mt_message());
    region = nowhere();
    region.at = "apex", region.radius_mm = 3;
    cr_assert_eq(mt_region_elements(&arena, &region, &mesh, &n, &elements), MT_INPUT);
    cr_assert(strncmp(mt_message(), "at: apex: no triangle", 21) == 0 && strstr(mt_message(), line), "%s",
        mt_message());
}

Test(region, every_failed_allocation_is_reported)
{
    mt_region region = nowhere();
    region.surface = "lv_endocardium", region.at = "apex", region.radius_mm = 30, region.depth_mm = 1;
    mt_status status = MT_MEMORY;
    size_t take;
    for (take = 1; status != MT_OK && take < 100; take++) {
        size_t n;
        uint32_t *elements;
        mt_arena_fail_at(take);
        status = mt_region_elements(&arena, &region, &mesh, &n, &elements);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", take, mt_message());
    }
    cr_assert(status == MT_OK && take > 5, "ended at take %zu", take);
}
