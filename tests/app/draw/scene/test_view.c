/* The directions of view of a mesh, its surface, and its sections. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "app/draw/scene/section.h"
#include "data/core/vec3.h"
#include "tests/mesh/tagged_slab.h"

static mt_arena arena;
static mt_mesh mesh;
static mt_view views[MT_VIEWS_MAX];

static size_t n_views(void)
{
    size_t n;
    cr_assert_eq(mt_views_find(&mesh, views, &n), MT_OK, "%s", mt_message());
    return n;
}

static void end(void) { mt_arena_free(&arena); }

TestSuite(view, .fini = end);

/* Checks that right, up and toward are orthonormal, with right x up = toward. */
static void assert_frame(const mt_view *v)
{
    const double *axis[3] = {v->right, v->up, v->toward};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            cr_assert_float_eq(mt_dot3(axis[i], axis[k]), i == k, 1e-12, "%s: %d %d", v->name, i, k);
    const double turn[3] = {v->right[1] * v->up[2] - v->right[2] * v->up[1],
        v->right[2] * v->up[0] - v->right[0] * v->up[2], v->right[0] * v->up[1] - v->right[1] * v->up[0]};
    cr_assert_float_eq(mt_dot3(turn, v->toward), 1, 1e-12);
}

/* Checks two views from opposite sides, both with the base, at +z, up and slightly turned to the viewer. */
static void assert_opposite(void)
{
    for (int k = 0; k < 2; k++) {
        assert_frame(&views[k]);
        cr_assert(views[k].up[2] > 0.9 && views[k].toward[2] > 0 && views[k].right[2] < 1e-9);
    }
    cr_assert(fabs(views[0].right[0] + views[1].right[0]) < 1e-12);
    cr_assert(fabs(views[0].right[1] + views[1].right[1]) < 1e-12);
}

/* The right ventricle is at +x of the left one. For a standing person with z up and the right hand at +x, the front is +y. */
Test(view, two_ventricles_are_viewed_from_the_front_with_the_right_one_on_the_left_and_from_the_back)
{
    const double size_mm[3] = {4, 5, 5};
    tagged_slab(&arena, size_mm, 1, &mesh);
    make_septum(&mesh);
    cr_assert_eq(n_views(), 2);
    assert_opposite();
    cr_assert_str_eq(views[0].name, "Anterior view");
    cr_assert(views[0].toward[1] > 0.5 && views[0].toward[0] > 0.2, "[%g, %g]", views[0].toward[0],
        views[0].toward[1]);
    cr_assert(views[0].right[0] < -0.8 && views[1].right[0] > 0.8);
}

/* For a long axis along each axis of space. */
Test(view, a_left_ventricle_is_viewed_from_two_sides)
{
    const double size_mm[3] = {4, 5, 5};
    tagged_slab(&arena, size_mm, 1, &mesh);
    for (size_t shift = 0; shift < 3; shift++) {
        cr_assert_eq(n_views(), 2);
        cr_assert_str_eq(views[0].name, "Side view");
        for (int k = 0; k < 2; k++) {
            assert_frame(&views[k]);
            cr_assert_gt(views[k].up[(2 + shift) % 3], 0.9);
        }
        for (size_t v = 0; v < mesh.n_vertices; v++) { /* x y z to z x y: still right-handed */
            double *x = mesh.xyz_mm + 3 * v, z = x[2];
            x[2] = x[1], x[1] = x[0], x[0] = z;
        }
    }
}

Test(view, a_mesh_without_anatomy_has_one_view)
{
    const double size_mm[3] = {4, 5, 5};
    tagged_slab(&arena, size_mm, 1, &mesh);
    for (size_t f = 0; f < mesh.n_faces; f++) mesh.face_tag[f] += 10;
    cr_assert_eq(n_views(), 1);
    cr_assert_str_eq(views[0].name, "");
    assert_frame(&views[0]);
    mesh.n_faces = 0;
    cr_assert_eq(n_views(), 1);
}

Test(view, out_of_memory_is_reported)
{
    const double size_mm[3] = {4, 5, 5};
    size_t n;
    tagged_slab(&arena, size_mm, 1, &mesh);
    mt_arena_fail_at(1);
    cr_assert_eq(mt_views_find(&mesh, views, &n), MT_MEMORY);
    mt_arena_fail_at(0);
}

/* The mean of the elements around a surface vertex is up to half an edge off, as all are on one side. The corrected value must be much
 * closer. */
Test(view, surface_values_follow_the_values_of_the_elements)
{
    mt_adjacency adjacency;
    mt_view_surface surface;
    cr_assert_eq(mt_slab_make(&arena, (double[]){4, 2, 2}, 0.5, &mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    float *value = mt_arena_alloc(&arena, mesh.n_elements, sizeof *value);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        value[c] = (float)(10 * x[0]);
    }
    cr_assert_eq(mt_view_surface_make(&arena, &mesh, &adjacency, value, &surface), MT_OK);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        cr_assert_float_eq((double)surface.value[v], 10 * mesh.xyz_mm[3 * v], 10 * 0.25 * 0.5,
            "vertex %zu: %g at %g mm", v, (double)surface.value[v], mesh.xyz_mm[3 * v]);
}

/* Compared with the sum over all elements; elements without a value are ignored. */
Test(view, a_rim_vertex_has_the_mean_of_the_adjacent_elements)
{
    mt_adjacency adjacency;
    mt_view_surface surface;
    mt_view_rim rim;
    double sum[125] = {0}, weight[125] = {0};
    cr_assert_eq(mt_slab_make(&arena, (double[]){4, 4, 4}, 1, &mesh), MT_OK);
    cr_assert_eq(mesh.n_vertices, 125);
    for (size_t k = 0; k < 3 * mesh.n_vertices; k++) mesh.xyz_mm[k] *= 1 + 0.1 * mesh.xyz_mm[k];
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    float *value = mt_arena_alloc(&arena, mesh.n_elements, sizeof *value);
    cr_assert_eq(mt_view_surface_make_flat(&arena, &mesh, &adjacency, value, &surface), MT_OK);
    cr_assert_eq(mt_view_rim_make(&arena, &surface, &rim), MT_OK);
    cr_assert_lt(rim.stars.n, mesh.n_vertices); /* vertices inside are excluded */
    for (size_t c = 0; c < mesh.n_elements; c++) {
        value[c] = c % 7 ? (float)(c * c % 101) : NAN;
        for (size_t k = 0; k < 4 && c % 7; k++) {
            sum[mesh.element_vertex[4 * c + k]] += mt_mesh_volume_mm3(&mesh, c) * (double)value[c];
            weight[mesh.element_vertex[4 * c + k]] += mt_mesh_volume_mm3(&mesh, c);
        }
    }
    for (int again = 0; again < 2; again++) { /* no value of the previous time remains */
        mt_view_rim_values(&rim, value, &surface);
        for (size_t k = 0; k < 3 * surface.n_faces; k++) {
            const size_t v = surface.face_vertex[k];
            cr_assert_float_eq((double)surface.value[v], sum[v] / weight[v], 1e-4);
        }
    }
}

/* With the same bits, also if a face hides another or an element has no value. */
Test(view, replacing_the_values_of_a_plot_equals_a_new_plot)
{
    const double size_mm[3] = {4, 5, 5};
    mt_adjacency adjacency;
    mt_view_surface surface;
    mt_plot plot, fresh;
    tagged_slab(&arena, size_mm, 1, &mesh);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    float *value = mt_arena_alloc(&arena, mesh.n_elements, sizeof *value);
    cr_assert_eq(mt_view_surface_make(&arena, &mesh, &adjacency, value, &surface), MT_OK);
    cr_assert_gt(n_views(), 0);
    cr_assert_eq(mt_plot_make(&arena, &surface, &views[0], 60, 500, 400, true, &plot), MT_OK);
    for (size_t v = 0; v < mesh.n_vertices; v++) surface.value[v] = (float)(v * v % 31);
    for (size_t c = 0; c < mesh.n_elements; c += 5) value[c] = NAN;
    mt_plot_revalue(&plot, &surface);
    cr_assert_eq(mt_plot_make(&arena, &surface, &views[0], 60, 500, 400, false, &fresh), MT_OK);
    size_t seen = 0, none = 0;
    for (size_t i = 0; i < (size_t)plot.w * (size_t)plot.h; i++) {
        if (!(fresh.depth[i] > 0)) continue;
        seen++, none += isnan(fresh.value[i]) ? 1 : 0;
        cr_assert(plot.value[i] == fresh.value[i] || (isnan(plot.value[i]) && isnan(fresh.value[i])));
    }
    cr_assert(seen > 20000 && none > seen / 10 && none < seen, "%zu of %zu", none, seen);
}

static void count_at_edge(void *context, const mt_face_pair *meeting)
{
    size_t(*met)[7] = context;
    cr_assert(meeting->face != meeting->other);
    met[meeting->a][meeting->b]++;
}

/* Two tetrahedra share only the edge 1-4: its four faces meet in six pairs, the faces at each of the other ten edges in one. */
Test(view, at_an_edge_with_four_faces_all_pairs_of_faces_are_adjacent)
{
    double xyz_mm[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 1, 0, 1, 2, 1, 0, 2, -1, 0};
    uint32_t element_vertex[] = {0, 1, 2, 4, 1, 5, 6, 4};
    const float value[2] = {0};
    size_t met[7][7] = {{0}};
    mt_adjacency adjacency;
    mt_view_surface surface;
    mesh = (mt_mesh){.n_vertices = 7, .n_elements = 2, .xyz_mm = xyz_mm, .element_vertex = element_vertex};
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    cr_assert_eq(mt_view_surface_make_flat(&arena, &mesh, &adjacency, value, &surface), MT_OK);
    mt_view_surface_meetings(&surface, count_at_edge, met);
    for (uint32_t a = 0; a < 7; a++)
        for (uint32_t b = 0; b < 7; b++) {
            size_t edges = 0;
            for (size_t c = 0; c < 2 && a < b; c++) {
                bool has_a = false, has_b = false;
                for (size_t k = 4 * c; k < 4 * c + 4; k++)
                    has_a |= element_vertex[k] == a, has_b |= element_vertex[k] == b;
                edges += has_a && has_b;
            }
            cr_assert_eq(met[a][b], edges == 2 ? 6 : edges, "%u-%u: %zu", a, b, met[a][b]);
        }
}

static void count_meeting(void *context, const mt_face_pair *meeting)
{
    size_t *n = context;
    cr_assert(meeting->face != meeting->other && meeting->a < meeting->b);
    ++*n;
}

/* A closed surface of triangles has three edges for every two faces. */
Test(view, at_every_edge_of_a_closed_surface_two_faces_meet_once)
{
    mt_adjacency adjacency;
    mt_view_surface surface;
    size_t n = 0;
    tagged_slab(&arena, (const double[]){4, 5, 5}, 1, &mesh);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    const float *value = mt_arena_alloc(&arena, mesh.n_elements, sizeof *value);
    cr_assert_eq(mt_view_surface_make_flat(&arena, &mesh, &adjacency, value, &surface), MT_OK);
    mt_view_surface_meetings(&surface, count_meeting, &n);
    cr_assert(surface.n_faces == 2 * 2 * (20 + 20 + 25) && 2 * n == 3 * surface.n_faces, "%zu", n);
}

/* A block seen obliquely: its outline is convex, and its area that of the visible faces. */
Test(view, a_surface_has_no_holes)
{
    mt_adjacency adjacency;
    mt_view_surface surface;
    mt_plot plot;
    size_t seen = 0, runs = 0;
    double area = 0;
    cr_assert_eq(mt_slab_make(&arena, (double[]){4, 2, 3}, 1, &mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    const float *value = mt_arena_alloc(&arena, mesh.n_elements, sizeof *value);
    cr_assert_eq(mt_view_surface_make_flat(&arena, &mesh, &adjacency, value, &surface), MT_OK);
    cr_assert_eq(n_views(), 1);
    cr_assert_eq(mt_plot_make(&arena, &surface, &views[0], 50, 400, 400, false, &plot), MT_OK);
    const double sides_mm2[3] = {2 * 3, 4 * 3, 4 * 2};
    for (int k = 0; k < 3; k++) area += 50 * 50 * sides_mm2[k] * fabs(views[0].toward[k]);
    for (size_t i = 1; i < (size_t)plot.w * (size_t)plot.h; i++) {
        seen += plot.depth[i] > 0;
        runs += plot.depth[i] > 0 && !(plot.depth[i - 1] > 0);
    }
    size_t rows = 0;
    for (size_t y = 0; y < (size_t)plot.h; y++)
        for (size_t x = 0; x < (size_t)plot.w; x++)
            if (plot.depth[y * (size_t)plot.w + x] > 0) {
                rows++;
                break;
            }
    cr_expect_eq(runs, rows, "%zu in %zu rows", runs, rows);
    cr_expect_float_eq((double)seen, area, 0.002 * area, "%zu, not %g", seen, area);
}

/* On an empty plot, at any slope. */
Test(view, a_line_is_drawn_exactly_to_its_end_points)
{
    enum { W = 60, H = 50 };
    static const double ends[][4] = {
        {5.3, 40, 52, 7}, {5, 20.5, 52, 20.5}, {30.2, 4, 30.2, 44}, {10, 10, 13, 12}, {8, 12, 55, 15}};
    static float depth[W * H];
    static uint8_t ink[W * H];
    mt_plot plot = {.w = W, .h = H, .depth = depth, .ink = ink, .cut = INFINITY};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const double *e = ends[k], dx = e[2] - e[0], dy = e[3] - e[1];
        const mt_plot_segment line = {.from = {e[0], e[1], 1}, .to = {e[2], e[3], 1}};
        memset(ink, 0, sizeof ink);
        mt_plot_ink(&plot, &line, 1, 1);
        for (int i = 0; i < W * H; i++) {
            const double x = i % W + 0.5 - e[0], y = i / W + 0.5 - e[1],
                         f = fmax(0, fmin((x * dx + y * dy) / (dx * dx + dy * dy), 1)),
                         far = hypot(x - f * dx, y - f * dy), cover = fmax(0, fmin(1.5 - far, 1));
            cr_assert_float_eq(ink[i], 255 * cover, 0.51, "line %zu, (%d, %d): %d", k, i % W, i / W, ink[i]);
        }
    }
}

/* Returns the smallest barycentric coordinate of a point in an element; negative outside it. */
static double depth_inside(size_t element, const double at[3])
{
    const double volume = mt_mesh_volume_mm3(&mesh, element);
    double least = INFINITY;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t *v = mesh.element_vertex + 4 * element;
        double area[3], to[3];
        mt_mesh_face_area(&mesh, element, f, area);
        mt_minus3(at, mesh.xyz_mm + 3 * (size_t)v[mt_mesh_face[f][0]], to);
        least = fmin(least, -mt_dot3(area, to) / (6 * volume));
    }
    return least;
}

/* The septum with x from 0 to 4, y and z from 0 to 5 is cut at y = 2.5. The values are the numbers of the elements. */
Test(view, a_section_has_no_gaps_and_shows_each_element_it_intersects)
{
    enum { W = 150, H = 170 };
    static const double scale = 30, size_mm[3] = {4, 5, 5};
    mt_adjacency adjacency;
    mt_view_surface surface;
    mt_view view;
    mt_plot plot;
    bool found;
    tagged_slab(&arena, size_mm, 1, &mesh);
    make_septum(&mesh);
    float *value = mt_arena_alloc(&arena, mesh.n_elements, sizeof *value);
    for (size_t c = 0; c < mesh.n_elements; c++) value[c] = (float)c;
    cr_assert_eq(mt_view_cut_find(&mesh, &view, &found), MT_OK, "%s", mt_message());
    cr_assert(found && view.cuts && fabs(view.cut_mm - 2.5) < 1e-12);
    assert_frame(&view);
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK);
    cr_assert_eq(mt_view_surface_make(&arena, &mesh, &adjacency, value, &surface), MT_OK);
    cr_assert_eq(mt_plot_make(&arena, &surface, &view, scale, W, H, false, &plot), MT_OK);
    mt_section_draw(&plot, &surface, &view);
    for (int i = 0; i < W * H; i++) {
        const double right = (i % W + 0.5 - 0.5 * W) / scale, up = (0.5 * H - i / W - 0.5) / scale;
        const double at[3] = {2 + right * view.right[0], 2.5, 2.5 + up};
        const bool in = fabs(right) < 2 && fabs(up) < 2.5;
        cr_assert_eq(plot.depth[i] > 0, in, "(%g, %g)", right, up);
        if (!in) continue;
        cr_assert_eq(plot.depth[i], plot.cut);
        cr_assert_geq(depth_inside((size_t)plot.value[i], at), -1e-5, "%g at (%g, %g)", (double)plot.value[i],
            right, up);
    }
}

Test(view, a_mesh_without_anatomy_has_no_section)
{
    mt_view view;
    bool found = true;
    cr_assert_eq(mt_slab_make(&arena, (const double[]){2, 2, 2}, 1, &mesh), MT_OK);
    cr_assert_eq(mt_view_cut_find(&mesh, &view, &found), MT_OK);
    cr_assert(!found);
}
