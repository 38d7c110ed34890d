#include <criterion/criterion.h>

#include <math.h>

#include "mesh/anatomy/tag_meaning.h"
#include "tests/answers.h"
#include "tests/mesh/bowl.h"

/* A copy of a bowl's triangles with tags that can be changed. */
static mt_mesh retagged(mt_arena *arena, const mt_mesh *bowl)
{
    mt_mesh copy = *bowl;
    copy.face_tag = mt_arena_alloc(arena, bowl->n_faces, sizeof *copy.face_tag);
    memcpy(copy.face_tag, bowl->face_tag, bowl->n_faces * sizeof *copy.face_tag);
    return copy;
}

static double area_of(const mt_mesh *mesh, size_t f)
{
    double a[3];
    mt_triangle_area(mesh, f, a);
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

Test(tag_meaning, renumbered_tags_are_identified_as_their_surfaces)
{
    static const int32_t renamed[][2] = {{0, 0}, {17, 17}, {5, -2}, {300, 300}};
    mt_arena arena = {0};
    mt_mesh bowl;
    mt_tag_meaning m;
    char text[MT_TAG_MEANING_TEXT];
    bowl_make(&arena, 40, 28, 90, &bowl);
    mt_mesh tagged = retagged(&arena, &bowl);
    for (size_t f = 0; f < bowl.n_faces; f++) { /* and rotates the vertices of each triangle */
        uint32_t *v = tagged.face_vertex + 3 * f, first = v[0];
        tagged.face_tag[f] = renamed[bowl.face_tag[f]][f % 2];
        v[0] = v[1], v[1] = v[2], v[2] = first;
    }
    ok(mt_tag_meaning_find(&tagged, &bowl, &m));
    cr_assert_eq(m.n, 4);
    cr_assert_arr_eq(m.tag, ((int32_t[]){-2, 5, 17, 300}), 4 * sizeof *m.tag);
    cr_assert_arr_eq(m.surface, ((int32_t[]){2, 2, 1, 3}), 4 * sizeof *m.surface);
    for (int s = 0; s < MT_SURFACES; s++)
        cr_assert_float_eq(m.overlap[s], s > 0 && s < MT_SURFACE_RV, 1e-12, "surface %d", s);
    cr_assert(mt_tag_meaning_text(&m, text));
    cr_assert_str_eq(text, "`--tags base=17,epi=-2+5,lv=300` (overlap with the surfaces found from the "
                           "shape: base 100 %, epi 100 %, lv 100 %)");
    mt_arena_free(&arena);
}

/* A tag that extends over the rim, one on a patch, one divided between two surfaces, and one on a triangle outside the surface. Overlap is
 * the intersection divided by the union. */
Test(tag_meaning, the_overlap_of_a_tag_and_its_surface_is_reported)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    mt_tag_meaning m;
    double both[2] = {0}, either[2] = {0};
    bowl_make(&arena, 40, 28, 90, &bowl);
    mt_mesh tagged = retagged(&arena, &bowl);
    for (size_t f = 0; f < bowl.n_faces; f++) {
        const int32_t was = bowl.face_tag[f];
        const bool base = was == MT_SURFACE_BASE || (was == MT_SURFACE_EPI && f < BOWL_AROUND / 4),
                   patch = was == MT_SURFACE_LV && f % 8 == 0;
        tagged.face_tag[f] = base ? 20 : patch ? 30 : 0;
        both[0] += was == MT_SURFACE_BASE ? area_of(&bowl, f) : 0;
        either[0] += base ? area_of(&bowl, f) : 0;
        both[1] += patch ? area_of(&bowl, f) : 0;
        either[1] += was == MT_SURFACE_LV ? area_of(&bowl, f) : 0;
    }
    ok(mt_tag_meaning_find(&tagged, &bowl, &m));
    cr_assert(m.n == 3 && m.surface[1] == MT_SURFACE_BASE && m.surface[2] == MT_SURFACE_LV);
    cr_assert_float_eq(m.overlap[MT_SURFACE_BASE], both[0] / either[0], 1e-12);
    cr_assert_float_eq(m.overlap[MT_SURFACE_LV], both[1] / either[1], 1e-12);
    cr_assert(m.overlap[MT_SURFACE_BASE] < 0.95 && m.overlap[MT_SURFACE_LV] < 0.2);
    mt_arena_free(&arena);
}

Test(tag_meaning, tags_that_match_no_surface_are_not_identified)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    mt_tag_meaning m;
    char text[MT_TAG_MEANING_TEXT];
    bowl_make(&arena, 40, 28, 90, &bowl);
    mt_mesh tagged = retagged(&arena, &bowl);
    for (size_t f = 0; f < bowl.n_faces; f++) tagged.face_tag[f] = f % 2 ? 8 : 9, bowl.face_tag[f] = 0;
    ok(mt_tag_meaning_find(&tagged, &bowl, &m));
    cr_assert(m.n == 2 && m.surface[0] == 0 && m.surface[1] == 0 && !mt_tag_meaning_text(&m, text));
    cr_assert_str_eq(text, "no tag has more than half of its area on a surface found from the shape");
    for (size_t f = 0; f < bowl.n_faces; f++) tagged.face_tag[f] = (int32_t)f;
    cr_assert_eq(mt_tag_meaning_find(&tagged, &bowl, &m), MT_INPUT);
    assert_message("different tags; allowed: 1 to 64");
    tagged.n_faces = 0;
    cr_assert_eq(mt_tag_meaning_find(&tagged, &bowl, &m), MT_INPUT);
    mt_arena_free(&arena);
}

/* The longest text: 64 tags of eleven characters. */
Test(tag_meaning, a_standard_tag_on_another_surface_is_a_contradiction)
{
    cr_expect(!mt_tag_meaning_contradicts(&(mt_tag_meaning){.n = 3, .tag = {1, 2, 9}, .surface = {1, 0, 2}}));
    cr_expect(mt_tag_meaning_contradicts(&(mt_tag_meaning){.n = 2, .tag = {2, 3}, .surface = {2, 4}}));
}

Test(tag_meaning, tags_are_listed_in_words)
{
    mt_tag_meaning m = {.n = 3, .tag = {10, 20, 30}};
    char list[64];
    mt_tag_meaning_list(&m, list, sizeof list);
    cr_expect_str_eq(list, "10, 20 and 30");
    m.n = 20;
    mt_tag_meaning_list(&m, list, sizeof list);
    cr_expect_str_eq(list, "10, 20, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...");
}

Test(tag_meaning, the_text_fits_its_buffer)
{
    mt_tag_meaning m = {.n = MT_TAG_MEANING_TAGS_MAX, .overlap = {0, 1, 1, 1, 1}};
    char text[MT_TAG_MEANING_TEXT];
    for (int32_t t = 0; t < MT_TAG_MEANING_TAGS_MAX; t++) m.tag[t] = INT32_MIN + t, m.surface[t] = 1 + t / 16;
    cr_assert(mt_tag_meaning_text(&m, text));
    cr_assert(strstr(text, "-2147483585` (") && strstr(text, "lv 100 %, rv 100 %)"), "%s", text);
}

Test(tag_meaning, foreign_tags_are_counted_unless_all_triangles_are_untagged)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    bowl_make(&arena, 40, 28, 90, &bowl);
    cr_assert_eq(mt_tag_meaning_foreign(&bowl), 0);
    bowl.face_tag[3] = 5, bowl.face_tag[4] = 0;
    cr_assert_eq(mt_tag_meaning_foreign(&bowl), 2);
    memset(bowl.face_tag, 0, bowl.n_faces * sizeof *bowl.face_tag);
    cr_assert_eq(mt_tag_meaning_foreign(&bowl), 0);
    mt_arena_free(&arena);
}

Test(tag_meaning, out_of_memory_is_reported_without_a_leak)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    mt_status status = MT_MEMORY;
    size_t n;
    bowl_make(&arena, 40, 28, 90, &bowl);
    for (n = 1; status != MT_OK; n++) {
        mt_tag_meaning m;
        mt_arena_fail_at(n);
        status = mt_tag_meaning_find(&bowl, &bowl, &m);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    cr_assert_gt(n, 4);
    mt_arena_free(&arena);
}
