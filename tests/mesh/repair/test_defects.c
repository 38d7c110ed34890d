#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/repair/defects.h"
#include "mesh/repair/repair.h"
#include "mesh/info.h"
#include "mesh/make/slab.h"
#include "tests/answers.h"
#include "tests/mesh/check_adjacency.h"
#include "tests/random.h"

enum { EXTRA_ELEMENTS = 64, EXTRA_VERTICES = 64, EXTRA_FACES = 16 };

static uint64_t state;

static size_t below(size_t n) { return draw(&state, n); }

/* Encodes the element's number in its data, to check that the data stay with the element. */
static void tell(mt_mesh *mesh, size_t c)
{
    const double angle = (double)c;
    mesh->region[c] = mesh->layer[c] = (int32_t)c;
    mesh->depth[c] = angle;
    memcpy(mesh->fibre + 3 * c, (double[]){cos(angle), sin(angle), 0}, 3 * sizeof(double));
    memcpy(mesh->sheet + 3 * c, (double[]){-sin(angle), cos(angle), 0}, 3 * sizeof(double));
}

static void assert_told(const mt_mesh *mesh)
{
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double angle = mesh->region[c];
        cr_assert(mesh->layer[c] == mesh->region[c] && mesh->depth[c] == angle);
        cr_assert(mesh->fibre[3 * c] == cos(angle) && mesh->fibre[3 * c + 1] == sin(angle));
        cr_assert(mesh->sheet[3 * c] == -sin(angle) && mesh->sheet[3 * c + 1] == cos(angle));
    }
}

/* A slab of 3 x 2 x 2 boxes of 1 mm: 72 elements, 36 vertices, the 12 triangles of its lower side tagged; with spare capacity. */
static void slab(mt_arena *arena, mt_mesh *mesh)
{
    mt_mesh made;
    uint32_t f = 0;
    ok(mt_slab_make_cut(arena, (double[]){3, 2, 2}, 1, MT_SLAB_KUHN, &made));
    ok(mt_mesh_new(arena, made.n_vertices + EXTRA_VERTICES, made.n_elements + EXTRA_ELEMENTS, mesh));
    memcpy(mesh->xyz_mm, made.xyz_mm, 3 * made.n_vertices * sizeof *made.xyz_mm);
    memcpy(mesh->element_vertex, made.element_vertex, 4 * made.n_elements * sizeof *made.element_vertex);
    ok(mt_mesh_new_fibres(arena, mesh));
    mesh->sheet = mt_arena_alloc(arena, 3 * mesh->n_elements, sizeof *mesh->sheet);
    mesh->depth = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->depth);
    mesh->layer = mt_arena_alloc(arena, mesh->n_elements, sizeof *mesh->layer);
    cr_assert(mesh->sheet && mesh->depth && mesh->layer);
    mesh->n_vertices = made.n_vertices, mesh->n_elements = made.n_elements;
    for (size_t c = 0; c < mesh->n_elements; c++) tell(mesh, c);
    ok(mt_mesh_new_faces(arena, 12 + EXTRA_FACES, mesh));
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t x = 0; x < 3; x++) {
            const uint32_t v = 4 * y + x, corner[6] = {v, v + 5, v + 1, v, v + 4, v + 5};
            memcpy(mesh->face_vertex + (size_t)6 * (f / 2), corner, sizeof corner);
            mesh->face_tag[f++] = 1, mesh->face_tag[f++] = 1;
        }
    mesh->n_faces = 12;
}

static uint32_t add_vertex(mt_mesh *mesh, double x, double y, double z)
{
    memcpy(mesh->xyz_mm + 3 * mesh->n_vertices, (double[]){x, y, z}, 3 * sizeof(double));
    return (uint32_t)mesh->n_vertices++;
}

static void add_element(mt_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    memcpy(mesh->element_vertex + 4 * mesh->n_elements, (uint32_t[]){a, b, c, d}, 4 * sizeof(uint32_t));
    tell(mesh, mesh->n_elements++);
}

static void add_face(mt_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    memcpy(mesh->face_vertex + 3 * mesh->n_faces, (uint32_t[]){a, b, c}, 3 * sizeof(uint32_t));
    mesh->face_tag[mesh->n_faces++] = 2;
}

static double volume_of(const mt_mesh *mesh)
{
    double sum = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) sum += mt_mesh_volume_mm3(mesh, c);
    return sum;
}

/* ---- planted defects ---- */

static void plant_nothing(mt_mesh *mesh) { (void)mesh; }

static void invert(mt_mesh *mesh, size_t element)
{
    const uint32_t t = mesh->element_vertex[4 * element];
    mesh->element_vertex[4 * element] = mesh->element_vertex[4 * element + 1],
                             mesh->element_vertex[4 * element + 1] = t;
}

static void plant_inverted(mt_mesh *mesh) { invert(mesh, 5), invert(mesh, 17); }

/* An element between two that share a face, with one corner of that face twice. */
static void plant_repeated(mt_mesh *mesh)
{
    const uint32_t *v = mesh->element_vertex;
    add_element(mesh, v[1], v[2], v[2], v[3]);
}

/* Divides element 30 into four around a point that nearly coincides with its first corner: three of them have no volume. */
static void plant_needle(mt_mesh *mesh)
{
    uint32_t v[4];
    double x[3], middle[3];
    memcpy(v, mesh->element_vertex + 120, sizeof v);
    mt_mesh_centroid(mesh, 30, middle);
    for (size_t k = 0; k < 3; k++)
        x[k] = mesh->xyz_mm[3 * v[0] + k] + 1e-9 * (middle[k] - mesh->xyz_mm[3 * v[0] + k]);
    const uint32_t near = add_vertex(mesh, x[0], x[1], x[2]);
    mesh->element_vertex[120] = near;
    add_element(mesh, v[0], near, v[2], v[3]);
    add_element(mesh, v[0], v[1], near, v[3]);
    add_element(mesh, v[0], v[1], v[2], near);
}

/* Four corners of a box's lower side. */
static void plant_on_the_surface(mt_mesh *mesh) { add_element(mesh, 1, 2, 5, 6); }

static void plant_duplicate(mt_mesh *mesh)
{
    const uint32_t *v = mesh->element_vertex + 28;
    add_element(mesh, v[2], v[0], v[1], v[3]);
    add_element(mesh, v[0], v[2], v[1], v[3]);
    for (size_t c = 1; c <= 2; c++) mesh->region[mesh->n_elements - c] = mesh->region[7];
}

/* A low third element on the face opposite corner 0 of element 0. */
static void plant_crowd(mt_mesh *mesh)
{
    const uint32_t *v = mesh->element_vertex;
    double x[3], middle[3];
    mt_mesh_centroid(mesh, 0, middle);
    for (size_t k = 0; k < 3; k++) {
        x[k] = 0;
        for (size_t i = 1; i < 4; i++) x[k] += mesh->xyz_mm[3 * v[i] + k] / 3;
        x[k] += (middle[k] - x[k]) / 2;
    }
    const uint32_t top = add_vertex(mesh, x[0], x[1], x[2]);
    add_element(mesh, top, v[1], v[2], v[3]);
}

static void plant_bad_triangle(mt_mesh *mesh) { add_face(mesh, 3, 4, 3); }

static void plant_stray(mt_mesh *mesh) { add_face(mesh, 0, 1, 35); }

static void plant_dangling(mt_mesh *mesh)
{
    (void)add_vertex(mesh, 1, 2, 3);
    add_face(mesh, 0, 1, add_vertex(mesh, 4, 5, 6)); /* also a stray vertex */
}

static void plant_piece(mt_mesh *mesh)
{
    const uint32_t a = add_vertex(mesh, 9, 0, 0), b = add_vertex(mesh, 10, 0, 0),
                   c = add_vertex(mesh, 9, 1, 0), d = add_vertex(mesh, 9, 0, 1);
    add_element(mesh, a, b, c, d);
    add_face(mesh, a, b, c);
}

/* An element inside element 0, on a face of the surface: the face opposite corner 3 is on z = 0. */
static void plant_fold(mt_mesh *mesh)
{
    const uint32_t v[3] = {0, 1, 5}; /* a tagged triangle */
    add_element(mesh, v[0], v[1], v[2], add_vertex(mesh, 0.5, 0.4, 0.1));
}

static void plant_all(mt_mesh *mesh)
{
    plant_needle(mesh), plant_repeated(mesh), plant_crowd(mesh), plant_duplicate(mesh),
        plant_on_the_surface(mesh);
    plant_bad_triangle(mesh), plant_dangling(mesh), plant_piece(mesh), plant_inverted(mesh);
}

/* ---- detection and repair ---- */

struct plant {
    const char *name;
    void (*plant)(mt_mesh *mesh);
    size_t count[MT_DEFECT_KINDS];
    mt_defect kind; /* the defect to which the first number refers */
    size_t first;
    mt_repair repair;
};

static const struct plant plants[] = {
    {"nothing", plant_nothing, {0}, 0, 0, {0}},
    {"inverted", plant_inverted, {[MT_DEFECT_INVERTED] = 2}, MT_DEFECT_INVERTED, 5, {.turned = 2}},
    {"repeated", plant_repeated, {[MT_DEFECT_FLAT] = 1}, MT_DEFECT_FLAT, 72, {.repeated = 1}},
    {"needle", plant_needle, {[MT_DEFECT_FLAT] = 3}, MT_DEFECT_FLAT, 72,
        {.flat.edges = 1, .flat.elements = 3, .vertices = 1}},
    {"surface", plant_on_the_surface, {[MT_DEFECT_FLAT] = 1}, MT_DEFECT_FLAT, 72, {.flat.surface = 1}},
    {"duplicate", plant_duplicate, {[MT_DEFECT_DUPLICATE] = 2, [MT_DEFECT_INVERTED] = 1}, MT_DEFECT_DUPLICATE,
        72, {.duplicates = 2, .turned = 1}},
    {"crowd", plant_crowd, {[MT_DEFECT_CROWDED] = 1}, MT_DEFECT_CROWDED, 0,
        {.overlapping = 1, .vertices = 1}},
    {"triangle", plant_bad_triangle, {[MT_DEFECT_TRIANGLE] = 1}, MT_DEFECT_TRIANGLE, 12, {.triangles = 1}},
    {"stray", plant_stray, {[MT_DEFECT_STRAY] = 1}, MT_DEFECT_STRAY, 12, {0}},
    {"dangling", plant_dangling, {[MT_DEFECT_DANGLING] = 2, [MT_DEFECT_STRAY] = 1}, MT_DEFECT_DANGLING, 36,
        {.vertices = 2, .triangles = 1}},
    {"piece", plant_piece, {[MT_DEFECT_PIECE] = 1}, MT_DEFECT_PIECE, 72,
        {.pieces = 1, .piece_elements = 1, .vertices = 4, .triangles = 1}},
    {"fold", plant_fold, {[MT_DEFECT_FOLD] = 1}, MT_DEFECT_FOLD, 0, {0}},
    {"all", plant_all,
        {[MT_DEFECT_INVERTED] = 3,
            [MT_DEFECT_FLAT] = 5,
            [MT_DEFECT_DUPLICATE] = 2,
            [MT_DEFECT_CROWDED] = 1,
            [MT_DEFECT_TRIANGLE] = 1,
            [MT_DEFECT_DANGLING] = 2,
            [MT_DEFECT_PIECE] = 1,
            [MT_DEFECT_STRAY] = 1},
        MT_DEFECT_FLAT, 72,
        {.turned = 3,
            .duplicates = 2,
            .repeated = 1,
            .flat.edges = 1,
            .flat.elements = 3,
            .flat.surface = 1,
            .overlapping = 1,
            .pieces = 1,
            .piece_elements = 1,
            .vertices = 8,
            .triangles = 3}},
};

static void assert_found(const struct plant *p, const mt_defects *d)
{
    bool fatal = false;
    for (int k = 0; k < MT_DEFECT_KINDS; k++) {
        cr_assert_eq(
            d->of[k].count, p->count[k], "%s: %s: %zu", p->name, mt_defect_kinds[k].name, d->of[k].count);
        fatal = fatal || (p->count[k] > 0 && mt_defect_kinds[k].fatal);
    }
    cr_assert_eq(d->fatal, fatal, "%s", p->name);
    cr_assert_eq(d->of[p->kind].number[0], p->first, "%s: %zu", p->name, d->of[p->kind].number[0]);
}

Test(defects, planted_defects_are_counted_and_located_one_by_one_and_all_at_once)
{
    for (size_t k = 0; k < sizeof plants / sizeof *plants; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_defects defects;
        double at[3];
        slab(&arena, &mesh);
        plants[k].plant(&mesh);
        ok(mt_mesh_check_content(&mesh, NULL));
        ok(mt_defects_find(&mesh, &defects));
        assert_found(&plants[k], &defects);
        const mt_defect_list *list = &defects.of[plants[k].kind];
        if (strcmp(mt_defect_kinds[plants[k].kind].of, "element") == 0 && list->count > 0) {
            mt_mesh_centroid(&mesh, plants[k].first, at);
            cr_assert_arr_eq(list->at_mm[0], at, sizeof at, "%s", plants[k].name);
        }
        mt_arena_free(&arena);
    }
}

/* No defect remains, except harmless ones. The volume is that of the slab within rounding and the 1e-9 of the needle, and the data of each
 * element have stayed with it. A fold adds its own volume. */
Test(defects, each_defect_is_repaired_as_reported_and_the_slab_is_restored)
{
    for (size_t k = 0; k < sizeof plants / sizeof *plants; k++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_defects defects;
        mt_adjacency adjacency;
        mt_repair repair;
        slab(&arena, &mesh);
        plants[k].plant(&mesh);
        const bool fold = plants[k].count[MT_DEFECT_FOLD] > 0;
        ok(mt_repair_mesh(&arena, &mesh, &repair));
        cr_assert_eq(memcmp(&repair, &plants[k].repair, sizeof repair), 0,
            "%s: turned %zu duplicates %zu repeated %zu collapsed %zu %zu flat %zu %zu overlapping %zu "
            "pieces %zu %zu vertices %zu triangles %zu",
            plants[k].name, repair.turned, repair.duplicates, repair.repeated, repair.flat.edges,
            repair.flat.elements, repair.flat.surface, repair.flat.inside, repair.overlapping, repair.pieces,
            repair.piece_elements, repair.vertices, repair.triangles);
        ok(mt_mesh_check(&mesh));
        ok(mt_adjacency_make(&arena, &mesh, &adjacency));
        ok(mt_defects_find(&mesh, &defects));
        cr_assert(!defects.fatal && defects.of[MT_DEFECT_PIECE].count == 0 &&
                  defects.of[MT_DEFECT_DANGLING].count == 0);
        cr_assert(mesh.n_elements == 72u + fold && mesh.n_vertices == 36u + fold,
            "%s: %zu elements, %zu vertices", plants[k].name, mesh.n_elements, mesh.n_vertices);
        cr_assert(mesh.n_faces >= 12 && mesh.n_faces <= 13);
        for (size_t f = 0; f < 12; f++) cr_assert_eq(mesh.face_tag[f], 1);
        if (!fold)
            cr_assert_float_eq(volume_of(&mesh), 12, 1e-8, "%s: %.17g", plants[k].name, volume_of(&mesh));
        assert_told(&mesh);
        mt_arena_free(&arena);
    }
}

/* Two stacked boxes with a common side divided along one diagonal above and along the other below, with a flat element in between. */
static void crossed(mt_arena *arena, mt_mesh *mesh)
{
    mt_mesh made;
    ok(mt_slab_make(arena, (double[]){1, 1, 1}, 1, &made));
    ok(mt_mesh_new(arena, 12, 13, mesh));
    for (size_t v = 0; v < 8; v++) {
        memcpy(mesh->xyz_mm + 3 * v, made.xyz_mm + 3 * v, 3 * sizeof(double));
        if (v >= 4) { /* the upper box, mirrored in x */
            memcpy(mesh->xyz_mm + 3 * (v + 4), made.xyz_mm + 3 * v, 3 * sizeof(double));
            mesh->xyz_mm[3 * (v + 4) + 2] = 2;
        }
    }
    memcpy(mesh->element_vertex, made.element_vertex, 24 * sizeof *made.element_vertex);
    for (size_t k = 0; k < 24; k++) mesh->element_vertex[24 + k] = (made.element_vertex[k] ^ 1) + 4;
    memcpy(mesh->element_vertex + 48, (uint32_t[]){4, 5, 6, 7}, 4 * sizeof(uint32_t));
    mesh->n_elements = 13;
}

/* Its corners are all on the surface, its edges are long, and it has no face on the surface. An edge is nevertheless collapsed, and by
 * Euler's formula the result is a ball without a slit. */
Test(defects, a_flat_element_between_two_sides_of_the_surface_is_collapsed)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_repair repair;
    mt_adjacency adjacency;
    mt_info info;
    crossed(&arena, &mesh);
    ok(mt_repair_mesh(&arena, &mesh, &repair));
    cr_assert(
        repair.turned == 6 && repair.flat.surface == 0 && repair.flat.inside == 0 && repair.flat.edges == 1);
    ok(mt_adjacency_make(&arena, &mesh, &adjacency));
    ok(mt_info_make(&mesh, &adjacency, &info));
    cr_assert_eq(
        info.n_vertices + info.n_inner_faces + info.n_boundary_faces, 1 + info.n_edges + info.n_elements);
    cr_assert_eq(info.n_components, 1);
    mt_arena_free(&arena);
}

Test(defects, the_component_of_larger_volume_is_kept_or_the_first_of_equal_ones)
{
    for (int larger = 0; larger < 3; larger++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_repair repair;
        ok(mt_mesh_new(&arena, 8, 2, &mesh));
        for (size_t p = 0; p < 2; p++)
            for (size_t k = 0; k < 4; k++) {
                const double size = larger == 2 || (int)p != larger ? 1 : 2;
                mesh.element_vertex[4 * p + k] = (uint32_t)(4 * p + k);
                mesh.xyz_mm[12 * p + 3 * k] = 10 * (double)p;
                if (k > 0) mesh.xyz_mm[12 * p + 3 * k + k - 1] += size;
            }
        mesh.region[0] = 0, mesh.region[1] = 1;
        ok(mt_repair_mesh(&arena, &mesh, &repair));
        cr_assert(mesh.n_elements == 1 && mesh.n_vertices == 4 && repair.pieces == 1);
        cr_assert_eq(mesh.region[0], larger % 2);
        mt_arena_free(&arena);
    }
}

/* ---- random damage ---- */

static void damage_once(mt_mesh *mesh)
{
    const size_t element = below(mesh->n_elements), other = below(mesh->n_elements);
    uint32_t *v = mesh->element_vertex + 4 * element;
    switch (below(9)) {
    case 0: /* swap two vertices of an element */
        invert(mesh, element);
        break;
    case 1: /* replace a vertex of an element by a random one */
        v[below(4)] = (uint32_t)below(mesh->n_vertices);
        break;
    case 2: /* copy the vertices of another element */
        memcpy(v, mesh->element_vertex + 4 * other, 4 * sizeof *v);
        break;
    case 3: /* replace a vertex by another in all elements */
        for (uint32_t k = 0, a = (uint32_t)below(mesh->n_vertices), b = v[0]; k < 4 * mesh->n_elements; k++)
            if (mesh->element_vertex[k] == a) mesh->element_vertex[k] = b;
        break;
    case 4: /* move a vertex to another one, or near it */
        for (size_t k = 0; k < 3; k++)
            mesh->xyz_mm[3 * v[0] + k] = mesh->xyz_mm[3 * v[1] + k] + 1e-8 * (double)below(3);
        break;
    case 5: /* move a vertex anywhere */
        for (size_t k = 0; k < 3; k++) mesh->xyz_mm[3 * v[0] + k] = (double)below(1000) / 300;
        break;
    case 6: /* remove elements */
        for (size_t n = below(20); n > 0 && mesh->n_elements > 1; n--) {
            const size_t hole = below(mesh->n_elements), last = --mesh->n_elements;
            memcpy(mesh->element_vertex + 4 * hole, mesh->element_vertex + 4 * last, 4 * sizeof *v);
            tell(mesh, hole);
        }
        break;
    case 7: /* add a flat element on the surface or a needle inside, if capacity permits */
        if (mesh->n_elements + 4 < 72 + EXTRA_ELEMENTS && mesh->n_vertices + 1 < 36 + EXTRA_VERTICES &&
            mesh->n_elements > 30)
            plant_needle(mesh);
        break;
    default: /* replace a corner of a triangle by a random vertex */
        mesh->face_vertex[below(3 * mesh->n_faces)] = (uint32_t)below(mesh->n_vertices);
    }
}

static void assert_repaired(mt_mesh *mesh)
{
    mt_arena arena = {0};
    mt_adjacency adjacency;
    mt_defects defects;
    mt_repair again;
    ok(mt_mesh_check(mesh));
    ok(mt_adjacency_make(&arena, mesh, &adjacency));
    ok(adjacency_check(&adjacency));
    ok(mt_defects_find(mesh, &defects));
    cr_assert(!defects.fatal && defects.of[MT_DEFECT_PIECE].count == 0 &&
              defects.of[MT_DEFECT_DANGLING].count == 0);
    assert_told(mesh);
    ok(mt_repair_mesh(&arena, mesh, &again));
    cr_assert_eq(memcmp(&again, &(mt_repair){0}, sizeof again), 0, "a second repair finds another defect");
    mt_arena_free(&arena);
}

Test(defects, after_any_damage_the_repair_succeeds_or_reports_why_not)
{
    size_t repaired = 0, closed = 0, slits = 0, crowded = 0;
    for (state = 1; state < 2000; state++) {
        const uint64_t seed = state;
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_repair repair;
        slab(&arena, &mesh);
        for (size_t n = 1 + below(12); n > 0; n--) damage_once(&mesh);
        ok(mt_mesh_check_content(&mesh, NULL));
        const mt_status status = mt_repair_mesh(&arena, &mesh, &repair);
        if (status == MT_OK) assert_repaired(&mesh);
        cr_assert(status == MT_OK || (status == MT_INPUT && *mt_message()), "seed %zu", (size_t)seed);
        repaired += status == MT_OK;
        closed += repair.flat.edges, slits += repair.flat.inside, crowded += repair.overlapping;
        mt_arena_free(&arena);
        state = seed;
    }
    cr_assert(repaired == 1999, "%zu", repaired);
    cr_assert(closed > 100 && slits > 10 && crowded > 100, "too few damaged meshes: %zu %zu %zu", closed,
        slits, crowded);
}

/* Divides an element into four around a point that nearly coincides with one of its corners, or is in the middle of an edge or a face: its
 * own faces do not change, and 3, 2 or 1 of the four are flat. */
static void cut(mt_mesh *mesh)
{
    static const double weights[3][4] = {
        {1 - 3e-9, 1e-9, 1e-9, 1e-9}, {0.5, 0.5, 0, 0}, {0.25, 0.25, 0.5, 0}};
    const double *weight = weights[below(3)];
    const size_t element = below(mesh->n_elements), first = below(4);
    uint32_t v[4];
    double x[3] = {0};
    memcpy(v, mesh->element_vertex + 4 * element, sizeof v);
    for (size_t k = 0; k < 12; k++)
        x[k % 3] += weight[k / 3] * mesh->xyz_mm[3 * (size_t)v[(first + k / 3) % 4] + k % 3];
    const uint32_t p = add_vertex(mesh, x[0], x[1], x[2]);
    mesh->element_vertex[4 * element] = p;
    add_element(mesh, v[0], p, v[2], v[3]), add_element(mesh, v[0], v[1], p, v[3]),
        add_element(mesh, v[0], v[1], v[2], p);
}

/* The direction of a collapse must not depend on the numbers of the vertices. */
static void renumber(mt_mesh *mesh)
{
    uint32_t name[36 + EXTRA_VERTICES];
    double xyz[3 * (36 + EXTRA_VERTICES)];
    for (size_t v = 0; v < mesh->n_vertices; v++) name[v] = (uint32_t)v;
    for (size_t v = mesh->n_vertices - 1; v > 0; v--) {
        const size_t w = below(v + 1);
        const uint32_t t = name[v];
        name[v] = name[w], name[w] = t;
    }
    memcpy(xyz, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *xyz);
    for (size_t v = 0; v < mesh->n_vertices; v++)
        memcpy(mesh->xyz_mm + 3 * (size_t)name[v], xyz + 3 * v, 3 * sizeof *xyz);
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) mesh->element_vertex[k] = name[mesh->element_vertex[k]];
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) mesh->face_vertex[k] = name[mesh->face_vertex[k]];
}

/* The slab's faces and volume are restored, within the 1e-9 of each division. Collapsing to a point on a corner, an edge or a face can
 * replace the original vertex by this point, so the elements can differ. They fill the slab: none is on the wrong side of a face, and by
 * Euler's formula there is no hole. */
Test(defects, flat_elements_are_removed_without_leaving_holes_or_folds)
{
    size_t slits = 0;
    for (uint64_t seed = 1; seed < 500; seed++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        mt_adjacency adjacency;
        mt_defects defects;
        mt_repair repair;
        mt_info info;
        state = seed;
        slab(&arena, &mesh);
        for (size_t n = 1 + below(12); n > 0; n--) cut(&mesh);
        renumber(&mesh);
        ok(mt_repair_mesh(&arena, &mesh, &repair));
        ok(mt_defects_find(&mesh, &defects));
        ok(mt_adjacency_make(&arena, &mesh, &adjacency));
        ok(mt_info_make(&mesh, &adjacency, &info));
        slits += repair.flat.inside;
        cr_assert_eq(repair.flat.surface + repair.overlapping + repair.pieces, 0);
        cr_assert(defects.of[MT_DEFECT_FOLD].count == 0 && defects.of[MT_DEFECT_STRAY].count == 0);
        cr_assert_eq(mesh.n_faces, 12, "the tagged triangles have moved with their vertices");
        cr_assert_float_eq(info.volume_mm3, 12, 1e-6, "seed %zu: %.17g", (size_t)seed, info.volume_mm3);
        if (repair.flat.inside == 0)
            cr_assert_eq(info.n_vertices + info.n_inner_faces + info.n_boundary_faces,
                1 + info.n_edges + info.n_elements);
        cr_assert(repair.flat.inside > 0 || info.n_boundary_faces == 64);
        mt_arena_free(&arena);
    }
    cr_assert_eq(slits, 0, "%zu", slits);
}

/* A vertex pressed down to the one below it: collapsed they would join both sides of the wall in a point. */
Test(defects, opposite_sides_of_a_wall_are_not_merged)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_repair repair;
    ok(mt_slab_make(&arena, (double[]){2, 2, 1}, 1, &mesh));
    mesh.xyz_mm[3 * (9 + 4) + 2] = 1e-9;
    ok(mt_repair_mesh(&arena, &mesh, &repair));
    cr_assert(repair.flat.edges == 0 && repair.flat.surface > 0);
    mt_arena_free(&arena);
}

/* Its two long sides would become one face without an element. */
Test(defects, an_isolated_needle_is_removed_and_not_collapsed)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_repair repair;
    slab(&arena, &mesh);
    const uint32_t a = add_vertex(&mesh, 9, 0, 0), b = add_vertex(&mesh, 9 + 1e-9, 0, 0),
                   c = add_vertex(&mesh, 9, 1, 0), d = add_vertex(&mesh, 9, 0, 1);
    add_element(&mesh, a, b, c, d);
    ok(mt_repair_mesh(&arena, &mesh, &repair));
    cr_assert(repair.flat.edges == 0 && repair.flat.surface == 1 && mesh.n_elements == 72);
    mt_arena_free(&arena);
}

/* Copies of the last elements, in descending order: elements with vertices early in the search have high numbers. */
Test(defects, reported_positions_belong_to_the_lowest_numbers)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_defects defects;
    slab(&arena, &mesh);
    for (size_t k = 0; k < 40; k++) {
        const uint32_t *v = mesh.element_vertex + 4 * (71 - k);
        add_element(&mesh, v[0], v[1], v[2], v[3]);
    }
    ok(mt_defects_find(&mesh, &defects));
    const mt_defect_list *list = &defects.of[MT_DEFECT_DUPLICATE];
    cr_assert(list->count == 40 && list->number[0] == 72 && list->number[1] == 73 && list->number[2] == 74);
    mt_arena_free(&arena);
}

/* 20,000 elements on one face, and as many around one vertex: quadratic time would be excessive. */
Test(defects, many_elements_at_one_face_or_vertex_take_no_quadratic_time)
{
    enum { N = 20000 };
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_defects defects;
    mt_repair repair;
    ok(mt_mesh_new(&arena, 3 + N, N, &mesh));
    mesh.xyz_mm[3] = mesh.xyz_mm[7] = 1;
    for (uint32_t c = 0; c < N; c++) {
        memcpy(mesh.element_vertex + 4 * c, (uint32_t[]){0, 1, 2, 3 + c}, 4 * sizeof(uint32_t));
        mesh.xyz_mm[3 * (3 + c) + 2] = (c % 2 ? -1e-9 : 1) * (double)(c + 1); /* half of them are flat */
    }
    ok(mt_defects_find(&mesh, &defects));
    cr_assert(defects.of[MT_DEFECT_CROWDED].count == 1 && defects.of[MT_DEFECT_CROWDED].number[0] == 0);
    ok(mt_repair_mesh(&arena, &mesh, &repair));
    cr_assert(mesh.n_elements <= 2);
    mt_arena_free(&arena);
}

/* Vertices of a polygon, any four of which form a flat element that cannot be closed. Each of these 715 has 12 candidates with up to 400
 * elements around, ten times the limit of the work. The edges of the needle after them are therefore not collapsed; without them they
 * are. */
Test(defects, the_cost_of_removing_crowded_flat_elements_is_bounded)
{
    enum { CORNERS = 13, FLAT = 715 };
    for (size_t flat = 0; flat <= FLAT; flat += FLAT) {
        mt_arena arena = {0};
        mt_mesh needle, mesh;
        mt_repair repair;
        uint32_t k = 0, corner[4];
        slab(&arena, &needle);
        plant_needle(&needle);
        ok(mt_mesh_new(&arena, needle.n_vertices + CORNERS, flat + needle.n_elements, &mesh));
        memcpy(mesh.xyz_mm, needle.xyz_mm, 3 * needle.n_vertices * sizeof(double));
        for (size_t v = 0; v < CORNERS; v++)
            memcpy(mesh.xyz_mm + 3 * (needle.n_vertices + v), (double[]){9 + (double)v, (double)(v * v), 0},
                3 * sizeof(double));
        for (uint32_t set = 0; set < 1 << CORNERS && flat > 0; set++) {
            int n = 0;
            for (uint32_t v = 0; v < CORNERS; v++)
                if (set >> v & 1 && n++ < 4) corner[n - 1] = (uint32_t)needle.n_vertices + v;
            if (n == 4) memcpy(mesh.element_vertex + (size_t)4 * k++, corner, sizeof corner);
        }
        cr_assert_eq(k, flat);
        memcpy(
            mesh.element_vertex + 4 * flat, needle.element_vertex, 4 * needle.n_elements * sizeof(uint32_t));
        ok(mt_repair_mesh(&arena, &mesh, &repair));
        cr_assert_eq(repair.flat.edges, flat == 0);
        cr_assert_eq(repair.flat.surface + repair.flat.inside, flat == 0 ? 0 : flat + 3);
        mt_arena_free(&arena);
    }
}

Test(defects, a_mesh_of_flat_elements_only_is_an_error)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_repair repair;
    slab(&arena, &mesh);
    for (size_t v = 0; v < mesh.n_vertices; v++) mesh.xyz_mm[3 * v + 2] = 0;
    cr_assert_eq(mt_repair_mesh(&arena, &mesh, &repair), MT_INPUT);
    cr_assert_str_eq(mt_message(), "no element is left after the repair");
    mt_arena_free(&arena);
}

Test(defects, fatal_defects_are_rejected_with_file_counts_positions_and_remedy)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_defects defects;
    slab(&arena, &mesh);
    plant_dangling(&mesh), plant_piece(&mesh);
    ok(mt_defects_find(&mesh, &defects));
    ok(mt_defects_refuse(&defects, "a.msh"));
    for (size_t c = 10; c < 14; c++) invert(&mesh, c);
    plant_bad_triangle(&mesh);
    ok(mt_defects_find(&mesh, &defects));
    cr_assert_eq(mt_defects_refuse(&defects, "a.msh"), MT_INPUT);
    cr_assert_str_eq(mt_message(),
        "a.msh: inverted elements: 4 (element 10 at 1.25 0.5 0.75 mm, 11 at 1.75 0.25 0.5 mm, "
        "12 at 2.75 0.5 0.25 mm, ...); tagged triangles with a repeated vertex: 1 (triangle 14 "
        "at 2 0.333333 0 mm); --repair reorients inverted elements, removes such triangles");
    mt_arena_free(&arena);
}

Test(defects, out_of_memory_is_reported_without_a_leak)
{
    for (int repairing = 0; repairing < 2; repairing++) {
        mt_status status = MT_MEMORY;
        for (size_t n = 1; status != MT_OK; n++) {
            mt_arena arena = {0};
            mt_mesh mesh;
            mt_defects defects;
            mt_repair repair;
            slab(&arena, &mesh);
            plant_all(&mesh);
            mt_arena_fail_at(n);
            status = repairing ? mt_repair_mesh(&arena, &mesh, &repair) : mt_defects_find(&mesh, &defects);
            mt_arena_fail_at(0);
            mt_arena_free(&arena);
            cr_assert(status == MT_OK ? n > 5 : status == MT_MEMORY, "take %zu: %s", n, mt_message());
        }
    }
}
