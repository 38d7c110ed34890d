#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "mesh/anatomy/channels.h"
#include "mesh/make/refine.h"
#include "mesh/make/slab.h"
#include "tests/random.h"

/* Slabs of boxes with a wall of scar from x = 5 to 11 mm, which has slits along x. The local element size is EDGE / cbrt(6), so that a slit of
 * one box is 1.8 elements wide, and one of four boxes 7.3. */
#define EDGE 0.5
static const double size_mm[3] = {16, 10, 4}, wall_mm[2] = {5, 11};

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(channels, .fini = leave);

/* Builds a slab with inner vertices displaced by up to `jitter` edges along each axis. */
static void make_slab(const double size[3], double edge_mm, double jitter, mt_mesh *mesh)
{
    uint64_t state = 7;
    cr_assert_eq(mt_slab_make(&arena, size, edge_mm, mesh), MT_OK, "%s", mt_message());
    for (size_t i = 0; i < 3 * mesh->n_vertices; i++) {
        const double scattered = (double)draw(&state, 20001) / 10000 - 1;
        if (mesh->xyz_mm[i] > edge_mm / 2 && mesh->xyz_mm[i] < size[i % 3] - edge_mm / 2)
            mesh->xyz_mm[i] += jitter * edge_mm * scattered;
    }
}

/* True if a point is scar. */
typedef bool scar(const double x[3], const void *context);

static uint8_t *conducting_of(const mt_mesh *mesh, scar *is_scar, const void *context)
{
    uint8_t *conducting = mt_arena_alloc(&arena, mesh->n_elements, 1);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        conducting[c] = !is_scar(x, context);
    }
    return conducting;
}

static mt_channels find(const mt_mesh *mesh, const uint8_t *conducting)
{
    mt_channels channels;
    cr_assert_eq(mt_channels_find(&arena, mesh, conducting, &channels), MT_OK, "%s", mt_message());
    return channels;
}

static mt_channels find_in(const mt_mesh *mesh, scar *is_scar, const void *context)
{
    return find(mesh, conducting_of(mesh, is_scar, context));
}

/* A slit through the wall: its middle and width along y, and its end along x. */
typedef struct slit {
    double y_mm, width_mm, end_mm;
} slit;

typedef struct slits {
    size_t n;
    slit slit[2];
} slits;

static bool is_wall(const double x[3], const void *context)
{
    const slits *s = context;
    if (x[0] < wall_mm[0] || x[0] > wall_mm[1]) return false;
    for (size_t k = 0; k < s->n; k++)
        if (fabs(x[1] - s->slit[k].y_mm) < s->slit[k].width_mm / 2 && x[0] < s->slit[k].end_mm) return false;
    return true;
}

static mt_channels find_slit(const mt_mesh *mesh, double y_mm, double width_mm, double end_mm)
{
    const slits one = {1, {{y_mm, width_mm, end_mm}}};
    return find_in(mesh, is_wall, &one);
}

/* ---- channels ---- */

Test(channels, a_straight_channel_is_found_with_its_width_and_place)
{
    for (int boxes = 1; boxes <= 2; boxes++) {
        mt_mesh mesh;
        const double width_mm = boxes * EDGE, y_mm = 5 + (boxes == 1 ? EDGE / 2 : 0);
        make_slab(size_mm, EDGE, 0, &mesh);
        const mt_channels found = find_slit(&mesh, y_mm, width_mm, 16);
        cr_assert_eq(found.n, 1, "%d boxes: %zu channels", boxes, found.n);
        const mt_channel *channel = found.channel;
        cr_expect_float_eq(channel->length_mm, EDGE / cbrt(6), 1e-9);
        cr_expect_float_eq(channel->width_mm, width_mm, channel->length_mm / 2, "%g", channel->width_mm);
        cr_expect_float_eq(channel->middle_mm[0], 8, 2 * EDGE, "x %g", channel->middle_mm[0]);
        cr_expect_float_eq(channel->middle_mm[1], y_mm, EDGE, "y %g", channel->middle_mm[1]);
        size_t n = 0;
        for (size_t c = 0; c < mesh.n_elements; c++) {
            double x[3];
            if (!found.of[c]) continue;
            mt_mesh_centroid(&mesh, c, x);
            cr_expect_eq(found.of[c], 1);
            cr_expect(x[0] > wall_mm[0] - EDGE && x[0] < wall_mm[1] + EDGE &&
                      fabs(x[1] - y_mm) < width_mm / 2 + EDGE);
            n++;
        }
        cr_expect_eq(channel->n_elements, n);
    }
}

Test(channels, the_narrowest_place_of_a_channel_is_reported)
{
    /* two boxes wide, one box behind x = 9 */
    const slits two = {2, {{5, 2 * EDGE, 9}, {5 - EDGE / 2, EDGE, 16}}};
    mt_mesh mesh;
    make_slab(size_mm, EDGE, 0, &mesh);
    const mt_channels found = find_in(&mesh, is_wall, &two);
    cr_assert_eq(found.n, 1);
    cr_expect_float_eq(found.channel->width_mm, EDGE, found.channel->length_mm / 2);
    cr_expect_float_eq(found.channel->middle_mm[0], 10, 2 * EDGE, "x %g", found.channel->middle_mm[0]);
}

Test(channels, a_path_of_enough_elements_is_none)
{
    static const double jitter[] = {0, 0.15, 0.25};
    for (size_t j = 0; j < 3; j++) {
        mt_mesh mesh;
        make_slab(size_mm, EDGE, jitter[j], &mesh);
        cr_expect_eq(find_slit(&mesh, 5, 4 * EDGE, 16).n, 0, "jitter %g", jitter[j]);
    }
}

Test(channels, refinement_turns_a_channel_into_wide_tissue)
{
    mt_mesh mesh, fine;
    make_slab(size_mm, EDGE, 0, &mesh);
    const slits one = {1, {{5, 2 * EDGE, 16}}};
    uint8_t *coarse = conducting_of(&mesh, is_wall, &one);
    cr_expect_eq(find(&mesh, coarse).n, 1);
    cr_assert_eq(mt_refine(&arena, &mesh, &fine), MT_OK, "%s", mt_message());
    uint8_t *conducting = mt_arena_alloc(&arena, fine.n_elements, 1);
    for (size_t c = 0; c < fine.n_elements; c++) conducting[c] = coarse[c / 8];
    cr_expect_eq(find(&fine, conducting).n, 0);
}

/* The walls of the slit are oblique, so that its border is stair-cased. */
static bool is_oblique(const double x[3], const void *context)
{
    const double turned[3] = {x[0], x[1] - 0.4 * (x[0] - 8), x[2]};
    return is_wall(turned, context);
}

Test(channels, a_channel_with_a_stair_cased_border_is_found_in_irregular_meshes)
{
    static const double jitter[] = {0, 0.15, 0.25};
    for (size_t j = 0; j < 3; j++) {
        mt_mesh mesh;
        const slits one = {1, {{5, 2 * EDGE, 16}}};
        make_slab(size_mm, EDGE, jitter[j], &mesh);
        const mt_channels found = find_in(&mesh, is_oblique, &one);
        cr_assert_eq(found.n, 1, "jitter %g: %zu", jitter[j], found.n);
        const double *middle = found.channel->middle_mm;
        /* an element of the border takes up to one edge of the width */
        cr_expect(found.channel->width_mm > 0.2 && found.channel->width_mm < 2.2 * EDGE, "%g",
            found.channel->width_mm);
        cr_expect(middle[0] > wall_mm[0] && middle[0] < wall_mm[1]);
        cr_expect_float_eq(middle[1], 5 + 0.4 * (middle[0] - 8), EDGE);
    }
}

Test(channels, parallel_channels_are_counted_separately)
{
    const slits two = {2, {{3, 2 * EDGE, 16}, {7, 2 * EDGE, 16}}};
    mt_mesh mesh;
    make_slab(size_mm, EDGE, 0.15, &mesh);
    const mt_channels found = find_in(&mesh, is_wall, &two);
    cr_assert_eq(found.n, 2);
    cr_expect_lt(fabs(found.channel[0].middle_mm[1] - found.channel[1].middle_mm[1]), 5);
    cr_expect_gt(fabs(found.channel[0].middle_mm[1] - found.channel[1].middle_mm[1]), 3);
}

/* Two blocks with a slit between them, in the middle of the tissue. */
static bool is_pair_of_blocks(const double x[3], const void *context)
{
    (void)context;
    return x[0] > 5 && x[0] < 11 && x[1] > 2 && x[1] < 8 && fabs(x[1] - 5) > EDGE;
}

Test(channels, a_path_through_a_ring_of_scar_is_a_channel)
{
    mt_mesh mesh;
    make_slab(size_mm, EDGE, 0.15, &mesh);
    cr_expect_eq(find_in(&mesh, is_pair_of_blocks, NULL).n, 1);
}

/* ---- no channels ---- */

Test(channels, a_dead_end_is_none)
{
    static const double jitter[] = {0, 0.15, 0.25};
    for (size_t j = 0; j < 3; j++) {
        mt_mesh mesh;
        make_slab(size_mm, EDGE, jitter[j], &mesh);
        for (int boxes = 2; boxes <= 3; boxes++)
            cr_expect_eq(find_slit(&mesh, 5 + (boxes == 3 ? EDGE / 2 : 0), boxes * EDGE, 9).n, 0,
                "jitter %g, %d boxes", jitter[j], boxes);
    }
}

typedef struct sphere {
    double centre_mm[3], radius_mm;
} sphere;

static bool is_in_sphere(const double x[3], const void *context)
{
    const sphere *s = context;
    double square = 0;
    for (int k = 0; k < 3; k++) square += (x[k] - s->centre_mm[k]) * (x[k] - s->centre_mm[k]);
    return square < s->radius_mm * s->radius_mm;
}

Test(channels, the_rough_border_of_one_scar_has_none)
{
    static const double jitter[] = {0, 0.15, 0.3}, edge_mm[] = {1, 0.8, 2.0 / 3}, cube_mm[3] = {12, 12, 8};
    for (size_t j = 0; j < 3; j++)
        for (size_t e = 0; e < 3; e++) {
            mt_mesh mesh;
            make_slab(cube_mm, edge_mm[e], jitter[j], &mesh);
            for (int k = 0; k < 4; k++) {
                const sphere s = {{6 + 0.1 * k, 6 - 0.07 * k, k % 2 ? 4 : 0.3 * k}, 2.2 + 0.4 * k};
                cr_expect_eq(find_in(&mesh, is_in_sphere, &s).n, 0, "jitter %g, edge %g, radius %g",
                    jitter[j], edge_mm[e], s.radius_mm);
            }
        }
}

/* A scar parallel to the outer surface, and tissue of one box between them. */
static bool is_block(const double x[3], const void *context)
{
    const double *from_mm = context;
    return x[0] > 5 && x[0] < 11 && x[1] > from_mm[0] && x[1] < from_mm[1];
}

Test(channels, the_outer_surface_counts_as_a_plane_of_symmetry)
{
    static const double near[] = {1, 7}, far[] = {2, 7};
    mt_mesh mesh;
    make_slab(size_mm, EDGE, 0, &mesh);
    const mt_channels found = find_in(&mesh, is_block, near);
    cr_expect_eq(found.n, 0, "a strip of two boxes conducts as a channel of four");
    cr_expect_eq(find_in(&mesh, is_block, far).n, 0);
    static const double touching[] = {EDGE, 7};
    const mt_channels strip = find_in(&mesh, is_block, touching);
    cr_assert_eq(strip.n, 1);
    cr_expect_float_eq(strip.channel->width_mm, 2 * EDGE, strip.channel->length_mm / 2);
}

Test(channels, a_mesh_without_scars_or_without_tissue_has_none)
{
    static const double small_mm[3] = {2, 2, 2};
    mt_mesh mesh;
    make_slab(small_mm, EDGE, 0, &mesh);
    uint8_t *conducting = mt_arena_alloc(&arena, mesh.n_elements, 1);
    mt_channels found = find(&mesh, NULL);
    cr_expect(found.n == 0 && found.of[0] == 0);
    cr_expect_eq(find(&mesh, conducting).n, 0);
    for (size_t c = 0; c < mesh.n_elements; c++) conducting[c] = 1;
    cr_expect_eq(find(&mesh, conducting).n, 0);
    conducting[7] = 0;
    cr_expect_eq(find(&mesh, conducting).n, 0);
}

/* ---- determinism and errors ---- */

/* Returns the number of channel elements, and checks that every element has the same label as its copy in another order. */
Test(channels, the_order_of_the_elements_changes_no_channel)
{
    const slits two = {2, {{3, 2 * EDGE, 16}, {7, EDGE, 16}}};
    mt_mesh mesh, mixed;
    uint64_t state = 3;
    make_slab(size_mm, EDGE, 0.2, &mesh);
    const size_t n = mesh.n_elements;
    uint8_t *conducting = conducting_of(&mesh, is_wall, &two);
    const mt_channels found = find(&mesh, conducting);
    cr_assert_eq(mt_mesh_new(&arena, mesh.n_vertices, n, &mixed), MT_OK);
    mixed.xyz_mm = mesh.xyz_mm;
    uint32_t *order = mt_arena_alloc(&arena, n, sizeof *order);
    uint8_t *mixed_conducting = mt_arena_alloc(&arena, n, 1);
    for (size_t c = 0; c < n; c++) order[c] = (uint32_t)c;
    for (size_t c = n; c-- > 1;) {
        const size_t other = draw(&state, c + 1);
        const uint32_t kept = order[c];
        order[c] = order[other], order[other] = kept;
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t k = 0; k < 4; k++)
            mixed.element_vertex[4 * c + k] = mesh.element_vertex[4 * (size_t)order[c] + k];
        mixed_conducting[c] = conducting[order[c]];
    }
    const mt_channels other = find(&mixed, mixed_conducting);
    cr_assert_eq(found.n, 2);
    cr_assert_eq(other.n, 2);
    const size_t crossed = other.of[0], first = other.channel[0].width_mm != found.channel[0].width_mm;
    cr_expect_eq(crossed, 0);
    for (size_t k = 0; k < 2; k++) {
        const mt_channel *a = &found.channel[k], *b = &other.channel[k ^ first];
        cr_expect_eq(a->n_elements, b->n_elements);
        cr_expect_float_eq(a->width_mm, b->width_mm, 1e-12);
        for (int axis = 0; axis < 3; axis++) cr_expect_float_eq(a->middle_mm[axis], b->middle_mm[axis], EDGE);
    }
    for (size_t c = 0; c < n; c++) cr_assert_eq(other.of[c] > 0, found.of[order[c]] > 0);
}

Test(channels, lack_of_memory_is_reported)
{
    mt_mesh mesh;
    mt_channels found;
    make_slab(size_mm, 1, 0, &mesh);
    const slits one = {1, {{5.5, 1, 16}}};
    uint8_t *conducting = conducting_of(&mesh, is_wall, &one);
    size_t n = 1;
    for (;; n++) {
        mt_arena_fail_at(n);
        const mt_status status = mt_channels_find(&arena, &mesh, conducting, &found);
        mt_arena_fail_at(0);
        if (status == MT_OK) break;
        cr_assert(status == MT_MEMORY && n < 100);
    }
    cr_expect_gt(n, 10);
    cr_expect_eq(found.n, 1);
}
