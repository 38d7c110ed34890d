#include <criterion/criterion.h>

#include "mesh/files/vtx.h"
#include "tests/answers.h"
#include "tests/mesh/damage.h"
#include "tests/mesh/tagged_slab.h"
#include "tests/one_file.h"

TestSuite(vtx, .init = enter, .fini = leave);

static mt_status read_text(mt_arena *arena, const char *text, mt_vtx *list)
{
    write_bytes(path, text, strlen(text));
    return mt_vtx_read(arena, path, 100, list);
}

Test(vtx, a_list_is_read_as_sorted_unique_vertices)
{
    static const char *const texts[] = {"4\nintra\n7\n0\n99\n7\n", "4 \r\n extra 99 7\r\n7 0"};
    for (size_t k = 0; k < 2; k++) {
        mt_arena arena = {0};
        mt_vtx list;
        ok(read_text(&arena, texts[k], &list));
        cr_assert_eq(list.n, 3);
        cr_assert_arr_eq(list.vertex, ((uint32_t[]){0, 7, 99}), 3 * sizeof *list.vertex);
        cr_assert_str_eq(list.path, path);
        mt_arena_free(&arena);
    }
}

Test(vtx, every_fault_is_reported_with_its_line)
{
    static const char *const bad[][2] = {{"", ":1: the file ends before the number of vertices"},
        {"two\nintra\n1\n2\n", ":1: number of vertices is 'two'"},
        {"0\nintra\n", ":1: number of vertices is 0; allowed: at least 1"},
        {"5000\nintra\n1\n", ":1: number of vertices is 5000; the rest of the file has space for "},
        {"2 2\nintra\n1\n2\n", ":1: '2' after the number of vertices; allowed: the end of the line"},
        {"2\n1\n2\n", ":2: '1' after the number of vertices; allowed: intra, extra"},
        {"2\nintra\n1\n", ":4: the file ends before the vertex"},
        {"1\nintra\n1\n2\n", ":4: '2' after the last of 1 vertices"},
        {"2\nintra\n1\n100\n", ":4: vertex is '100'; allowed: a whole number from 0 to 99"},
        {"2\nintra\n-1\n0\n", ":3: vertex is '-1'"}, {"2\nintra\n1\napex\n", ":4: vertex is 'apex'"},
        {"2\nintra\n1\n2.5\n", ":4: vertex is '2.5'"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mt_arena arena = {0};
        mt_vtx list;
        cr_assert_eq(read_text(&arena, bad[k][0], &list), MT_INPUT, "%s", bad[k][0]);
        assert_message(path);
        assert_message(bad[k][1]);
        mt_arena_free(&arena);
    }
    mt_arena arena = {0};
    mt_vtx list;
    cr_assert_eq(mt_vtx_read(&arena, "/tmp/myotile_no_such.vtx", 100, &list), MT_FILE);
    assert_message("/tmp/myotile_no_such.vtx");
    mt_arena_free(&arena);
}

/* The vertices of a mesh's triangles with this tag. */
static mt_vtx list_of(mt_arena *arena, const mt_mesh *mesh, int32_t tag)
{
    mt_vtx list = {.path = "list", .tag = tag};
    unsigned char *in = mt_arena_alloc(arena, mesh->n_vertices, 1);
    list.vertex = mt_arena_alloc(arena, mesh->n_vertices, sizeof *list.vertex);
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) in[mesh->face_vertex[k]] |= mesh->face_tag[k / 3] == tag;
    for (uint32_t v = 0; v < mesh->n_vertices; v++)
        if (in[v]) list.vertex[list.n++] = v;
    return list;
}

static size_t count(const mt_mesh *mesh, int32_t tag)
{
    size_t n = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) n += mesh->face_tag[f] == tag;
    return n;
}

/* Checks that the two meshes have the same triangles of this tag, with the same orientation. */
static void assert_same_surface(const mt_mesh *a, const mt_mesh *b, int32_t tag)
{
    cr_assert_eq(count(a, tag), count(b, tag), "tag %d", tag);
    for (size_t f = 0; f < a->n_faces; f++) {
        bool same = a->face_tag[f] != tag;
        const uint32_t *v = a->face_vertex + 3 * f;
        for (size_t g = 0; g < b->n_faces && !same; g++) {
            const uint32_t *w = b->face_vertex + 3 * g;
            for (size_t k = 0; k < 3 && b->face_tag[g] == tag; k++)
                same = same || (v[0] == w[k] && v[1] == w[(k + 1) % 3] && v[2] == w[(k + 2) % 3]);
        }
        cr_assert(same, "triangle %zu of tag %d", f, tag);
    }
}

static const double size_mm[3] = {2, 1.5, 1};

Test(vtx, the_vertices_of_a_surface_yield_its_outward_facing_triangles)
{
    mt_arena arena = {0};
    mt_mesh tagged, mesh;
    tagged_slab(&arena, size_mm, 0.5, &tagged);
    const mt_vtx lists[] = {list_of(&arena, &tagged, MT_SURFACE_BASE),
        list_of(&arena, &tagged, MT_SURFACE_EPI), list_of(&arena, &tagged, MT_SURFACE_LV)};
    mesh = tagged;
    mesh.n_faces = 0;
    ok(mt_vtx_tag(&arena, 3, lists, &mesh));
    ok(mt_mesh_check(&mesh));
    cr_assert_eq(mesh.n_faces, tagged.n_faces);
    for (int32_t tag = MT_SURFACE_BASE; tag <= MT_SURFACE_LV; tag++) assert_same_surface(&tagged, &mesh, tag);
    mt_arena_free(&arena);
}

/* A slab's corner triangles: the triangles with a corner at x = 0, y = 0, and all triangles between these vertices. */
Test(vtx, a_triangle_in_two_lists_belongs_to_the_first_and_a_tagged_one_is_unchanged)
{
    mt_arena arena = {0};
    mt_mesh tagged, mesh;
    tagged_slab(&arena, size_mm, 0.5, &tagged);
    mt_vtx base = list_of(&arena, &tagged, MT_SURFACE_BASE), all = {.path = "all", .tag = 9};
    all.vertex = mt_arena_alloc(&arena, tagged.n_vertices, sizeof *all.vertex);
    for (uint32_t v = 0; v < tagged.n_vertices; v++) all.vertex[all.n++] = v;
    mesh = tagged;
    /* the rest of the boundary: 2 (12 + 8 + 6) squares, two triangles each */
    ok(mt_vtx_tag(&arena, 1, &all, &mesh));
    cr_assert_eq(mesh.n_faces, 104);
    for (int32_t tag = MT_SURFACE_BASE; tag <= MT_SURFACE_LV; tag++) assert_same_surface(&tagged, &mesh, tag);
    mesh = tagged;
    mesh.n_faces = 0;
    ok(mt_vtx_tag(&arena, 2, (mt_vtx[]){base, all}, &mesh));
    assert_same_surface(&tagged, &mesh, MT_SURFACE_BASE);
    cr_assert_eq(count(&mesh, 9), 104 - count(&tagged, MT_SURFACE_BASE));
    mesh.n_faces = 0;
    cr_assert_eq(mt_vtx_tag(&arena, 2, (mt_vtx[]){all, base}, &mesh), MT_INPUT);
    assert_message("list: 20 vertices with 24 triangles of the boundary between them, all in other surfaces");
    base.n = 2;
    cr_assert_eq(mt_vtx_tag(&arena, 1, &base, &mesh), MT_INPUT);
    assert_message(
        "list: 2 vertices with 0 triangles of the boundary between them; allowed: the vertices of a");
    mt_arena_free(&arena);
}

Test(vtx, out_of_memory_is_reported_without_a_leak)
{
    mt_arena slab = {0};
    mt_mesh tagged;
    tagged_slab(&slab, size_mm, 0.5, &tagged);
    const mt_vtx base = list_of(&slab, &tagged, MT_SURFACE_BASE);
    write_bytes(path, "2\nintra\n1\n2\n", 12);
    for (int tagging = 0; tagging < 2; tagging++) {
        mt_status status = MT_MEMORY;
        size_t n;
        for (n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_mesh mesh = tagged;
            mt_vtx list;
            mesh.n_faces = 0;
            mt_arena_fail_at(n);
            status = tagging ? mt_vtx_tag(&arena, 1, &base, &mesh) : mt_vtx_read(&arena, path, 100, &list);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
        }
        cr_assert(n > (tagging ? 6 : 3), "%zu", n);
    }
    mt_arena_free(&slab);
}
