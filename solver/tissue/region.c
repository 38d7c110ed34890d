#include "solver/tissue/region.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/scale.h"
#include "mesh/names.h"
#include "mesh/vertex_share.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/anatomy/segments.h"
#include "mesh/anatomy/tag_meaning.h"
#include "mesh/anatomy/patch.h"
#include "mesh/files/element_list.h"
#include "mesh/files/vtx.h"

enum { PARALLEL_FROM = 16384 }; /* elements */

const mt_region mt_region_empty = {.at = "",
    .position = {NAN, NAN, NAN, -1},
    .centre_mm = {NAN, NAN, NAN},
    .radius_mm = NAN,
    .min_mm = {NAN, NAN, NAN},
    .max_mm = {NAN, NAN, NAN},
    .surface = "",
    .depth_mm = NAN,
    .vtx = "",
    .elements = "",
    .tag = "",
    .group = "",
    .segment = "",
    .layer = -1};

const char *const mt_region_layers[] = {"endo", "mid", "epi", NULL};

const char *const mt_region_at[] = {"apex", NULL};

static bool has_at(const mt_region *region) { return region->at[0] || mt_position_stated(&region->position); }

static bool has_centre(const mt_region *region) { return has_at(region) || !isnan(region->centre_mm[0]); }
static bool has_box(const mt_region *region) { return !isnan(region->min_mm[0]); }

static mt_status check_box(const mt_region *region)
{
    if (isnan(region->min_mm[0]) != isnan(region->max_mm[0]))
        return mt_fail(MT_INPUT, "%s is given alone; allowed: a box with min_mm and max_mm",
            has_box(region) ? "min_mm" : "max_mm");
    for (int axis = 0; axis < 3; axis++)
        if (region->min_mm[axis] > region->max_mm[axis])
            return mt_fail(MT_INPUT, "min_mm %g is above max_mm %g on axis %c", region->min_mm[axis],
                region->max_mm[axis], "xyz"[axis]);
    return MT_OK;
}

mt_status mt_region_check_position(mt_position *p)
{
    static const char *const name[] = {"apicobasal", "rotational", "transmural"};
    const double value[] = {p->apicobasal, p->rotational, p->transmural};
    if (!mt_position_stated(p)) return MT_OK;
    for (size_t k = 0; k < 3; k++)
        if (isnan(value[k]))
            return mt_fail(
                MT_INPUT, "at: %s is missing; needed: apicobasal, rotational and transmural", name[k]);
    if (p->ventricle < 0) p->ventricle = 0;
    return MT_OK;
}

static mt_status check_sphere(const mt_region *region)
{
    if (region->at[0] && strcmp(region->at, "apex") != 0)
        return mt_fail(MT_INPUT, "at: %.100s; allowed: apex", region->at);
    if (region->at[0] && !isnan(region->centre_mm[0]))
        return mt_fail(MT_INPUT, "both at and centre_mm are given; allowed: one of them, with radius_mm");
    if (has_centre(region) && isnan(region->radius_mm))
        return mt_fail(MT_INPUT, "%s is given without radius_mm; allowed: a sphere with both",
            has_at(region) ? "at" : "centre_mm");
    if (!has_centre(region) && !isnan(region->radius_mm))
        return mt_fail(MT_INPUT, "radius_mm is given alone; allowed: with centre_mm or at");
    return MT_OK;
}

mt_status mt_region_check(mt_region *region)
{
    MT_TRY(check_box(region));
    MT_TRY(mt_region_check_position(&region->position));
    MT_TRY(check_sphere(region));
    if (has_box(region) && has_centre(region))
        return mt_fail(
            MT_INPUT, "both a box (min_mm, max_mm) and a sphere (radius_mm) are given; allowed: one");
    if (!region->surface[0] && !isnan(region->depth_mm))
        return mt_fail(MT_INPUT, "depth_mm is given without surface; allowed: both");
    if (!region->surface[0] && !region->vtx[0] && !region->elements[0] && !region->tag[0] &&
        !region->group[0] && !region->segment[0] && region->layer < 0 && !has_box(region) &&
        !has_centre(region))
        return mt_fail(MT_INPUT,
            "no place is given; allowed: at with radius_mm, centre_mm with radius_mm, min_mm with "
            "max_mm, or surface, vtx, elements, tag, group, layer or segment, alone or with one of these");
    if (region->surface[0] && isnan(region->depth_mm)) region->depth_mm = 0;
    int32_t segment;
    if (region->segment[0]) MT_TRY(mt_fail_in("segment", mt_segment_parse(region->segment, &segment)));
    return MT_OK;
}

/* Returns the distance of x from the box or sphere; 0 if there is neither. */
static double outside_mm(const mt_region *region, const double *centre, const double x[3])
{
    double sum = 0;
    if (has_box(region)) {
        for (int k = 0; k < 3; k++) {
            double d = fmax(0, fmax(region->min_mm[k] - x[k], x[k] - region->max_mm[k]));
            sum += d * d;
        }
        return sqrt(sum);
    }
    if (!has_centre(region)) return 0;
    return fmax(0, sqrt(mt_square3(x, centre)) - region->radius_mm);
}

/* Writes advice for a mesh without such a surface in its tags. The meaning of foreign tags is inferred from the shape, which is slow and
 * done only on failure. */
static void advise(const mt_mesh *mesh, char advice[MT_TAG_MEANING_TEXT + 100])
{
    MT_SCRATCH(scratch);
    mt_adjacency adjacency;
    mt_tag_meaning meaning;
    char text[MT_TAG_MEANING_TEXT];
    (void)strcpy(advice, "; `myotile mesh surfaces` tags the base, epicardium and endocardia that it finds");
    if (mt_tag_meaning_foreign(mesh) > 0 && mt_adjacency_make(scratch, mesh, &adjacency) == MT_OK &&
        mt_tag_meaning_by_shape(mesh, &adjacency, &meaning) == MT_OK && mt_tag_meaning_text(&meaning, text))
        (void)snprintf(
            advice, MT_TAG_MEANING_TEXT + 100, "; `myotile mesh surfaces` assigns them with %s", text);
}

/* Adds the key before the failure message, and, if `help`, advice after it. */
static mt_status in_key(const char *key, const char *value, const mt_mesh *mesh, bool help)
{
    char message[600], advice[MT_TAG_MEANING_TEXT + 100] = "";
    (void)snprintf(message, sizeof message, "%s", mt_message());
    if (help) advise(mesh, advice);
    return mt_fail(MT_INPUT, "%s: %.100s: %s%s", key, value, message, advice);
}

static mt_status find_centre(const mt_region *region, const mt_mesh *mesh, double centre[3])
{
    mt_landmarks landmarks;
    char text[MT_POSITION_TEXT];
    memcpy(centre, region->centre_mm, sizeof region->centre_mm);
    if (mt_position_stated(&region->position) && isnan(centre[0]))
        return mt_fail(MT_INPUT, "at: %s: the position was not found on the mesh; needed: centre_mm, too",
            mt_position_text(&region->position, text));
    if (!region->at[0]) return MT_OK;
    mt_status status = mt_landmarks_find(mesh, &landmarks);
    if (status == MT_INPUT) return in_key("at", region->at, mesh, true);
    MT_TRY(status);
    memcpy(centre, mesh->xyz_mm + 3 * landmarks.apex, 3 * sizeof *centre);
    return MT_OK;
}

/* Marks the elements or the vertices of the surface; all without a surface. */
static mt_status mark_surface(const mt_region *region, const mt_unknowns *unknowns, unsigned char *reached)
{
    const mt_mesh *mesh = unknowns->mesh;
    int32_t tag;
    bool tagged = false;
    if (!region->surface[0]) {
        memset(reached, 1, mt_unknowns_count(unknowns));
        return MT_OK;
    }
    MT_TRY(mt_fail_in("surface", mt_surface_parse(mesh, region->surface, &tag)));
    for (size_t f = 0; f < mesh->n_faces; f++) tagged |= mesh->face_tag[f] == tag;
    mt_status status = unknowns->at_vertices ? mt_patch_vertices(mesh, tag, region->depth_mm, reached)
                                             : mt_patch_elements(mesh, tag, region->depth_mm, reached);
    if (status != MT_INPUT) return status;
    return in_key("surface", region->surface, mesh, !tagged && mt_surface_name(tag));
}

static mt_status no_element(const char *key, const char *text, int32_t tag, const mt_mesh *mesh)
{
    char list[MT_NAMES_LIST];
    bool group = false;
    for (size_t g = 0; g < mesh->n_groups; g++) group |= mesh->group_tag[g] == tag;
    mt_names_list(mesh, MT_NAMES_ELEMENTS, list);
    return mt_fail(MT_INPUT, "%s: no element has the tag %.60s; the mesh has %s%s", key, text, list,
        group ? "; `group` instead of `tag` selects the elements of a group" : "");
}

/* Removes the elements outside a region of the mesh, or outside a group. */
static mt_status keep_tagged(const char *key, const char *text, const mt_mesh *mesh, unsigned char *reached)
{
    const bool group = strcmp(key, "group") == 0;
    int32_t tag;
    bool any = false;
    if (!text[0]) return MT_OK;
    MT_TRY(mt_fail_in(key, mt_names_find(mesh, MT_NAMES_ELEMENTS, text, &tag)));
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const bool tagged = group ? mt_groups_has(mesh, tag, c) : mesh->region[c] == tag;
        reached[c] = reached[c] && tagged;
        any |= tagged;
    }
    return any ? MT_OK : no_element(key, text, tag, mesh);
}

/* Removes the elements without any of the listed vertices. */
static mt_status keep_listed(
    mt_arena *scratch, const mt_region *region, const mt_mesh *mesh, unsigned char *reached)
{
    mt_vtx list;
    unsigned char *listed;
    if (!region->vtx[0]) return MT_OK;
    MT_TRY(mt_fail_in("vtx", mt_vtx_read(scratch, region->vtx, mesh->n_vertices, &list)));
    MT_ALLOC(scratch, listed, mesh->n_vertices);
    for (size_t k = 0; k < list.n; k++) listed[list.vertex[k]] = 1;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const uint32_t *v = mesh->element_vertex + 4 * c;
        reached[c] = reached[c] && (listed[v[0]] || listed[v[1]] || listed[v[2]] || listed[v[3]]);
    }
    return MT_OK;
}

/* Removes the elements that are not in the file of elements. */
static mt_status keep_named(
    mt_arena *scratch, const mt_region *region, const mt_mesh *mesh, unsigned char *reached)
{
    unsigned char *listed;
    if (!region->elements[0]) return MT_OK;
    MT_TRY(
        mt_fail_in("elements", mt_element_list_read(scratch, region->elements, mesh->n_elements, &listed)));
    for (size_t c = 0; c < mesh->n_elements; c++) reached[c] = reached[c] && listed[c];
    return MT_OK;
}

/* Removes the elements of other layers. */
static mt_status keep_layer(const mt_region *region, const mt_mesh *mesh, unsigned char *reached)
{
    if (region->layer < 0) return MT_OK;
    if (!mesh->layer)
        return mt_fail(MT_INPUT,
            "layer: %s; the mesh has no transmural layers: `myotile mesh fibres` writes them",
            mt_region_layers[region->layer]);
    for (size_t c = 0; c < mesh->n_elements; c++)
        reached[c] = reached[c] && mesh->layer[c] == MT_LAYER_ENDO + region->layer;
    return MT_OK;
}

/* Removes the elements of other segments. */
static mt_status keep_segment(const mt_region *region, const mt_mesh *mesh, unsigned char *reached)
{
    int32_t segment;
    if (!region->segment[0]) return MT_OK;
    MT_TRY(mt_fail_in("segment", mt_segment_parse(region->segment, &segment)));
    if (!mesh->segment)
        return mt_fail(MT_INPUT,
            "segment: %s; the mesh has no segments: `myotile mesh coordinates` writes them", region->segment);
    for (size_t c = 0; c < mesh->n_elements; c++) reached[c] = reached[c] && mesh->segment[c] == segment;
    return MT_OK;
}

static mt_status none_reached(
    const mt_region *region, const mt_unknowns *unknowns, const double *centre, double nearest_mm)
{
    double low_mm[3], high_mm[3];
    char which[600], tagged[230] = "";
    const mt_mesh *mesh = unknowns->mesh;
    const bool in_layer = region->layer >= 0, by_volume = region->tag[0] || region->group[0] || in_layer ||
                                                          region->segment[0] || region->elements[0];
    const char *one = !unknowns->at_vertices ? "element"
                      : by_volume            ? "vertex of conducting elements, at least half of their volume"
                                             : "vertex of conducting elements",
               *place = unknowns->at_vertices ? "" : " centre",
               *with = unknowns->at_vertices ? " in " : " with a vertex of ";
    (void)snprintf(tagged, sizeof tagged, "%s%.60s%s%.60s%s%.30s", region->tag[0] ? " with the tag " : "",
        region->tag, region->group[0] ? " of the group " : "", region->group,
        region->segment[0] ? " in the segment " : "", region->segment);
    (void)snprintf(which, sizeof which, "%s%s%s%s%s%.100s%s%.100s", tagged, in_layer ? " in the layer " : "",
        in_layer ? mt_region_layers[region->layer] : "", region->surface[0] ? " of the surface" : "",
        region->vtx[0] ? with : "", region->vtx, region->elements[0] ? " listed in " : "", region->elements);
    if (isinf(nearest_mm)) return mt_fail(MT_INPUT, "no %s%s", one, which);
    mt_mesh_box(mesh, low_mm, high_mm);
    const char *advice = mt_scale_advice(mt_scale_extent_mm(low_mm, high_mm), nearest_mm);
    if (has_box(region))
        return mt_fail(MT_INPUT,
            "no %s%s%s is in the box [%g, %g, %g] .. [%g, %g, %g] mm; the nearest is %.3g mm outside%s", one,
            place, which, region->min_mm[0], region->min_mm[1], region->min_mm[2], region->max_mm[0],
            region->max_mm[1], region->max_mm[2], nearest_mm, advice);
    return mt_fail(MT_INPUT, "no %s%s%s is within %g mm of [%g, %g, %g]; the nearest is %.3g mm away%s", one,
        place, which, region->radius_mm, centre[0], centre[1], centre[2], nearest_mm + region->radius_mm,
        advice);
}

bool mt_region_uses_surfaces(const mt_region *region)
{
    bool named = region->at[0];
    for (int32_t s = MT_SURFACE_BASE; s <= MT_SURFACE_RV; s++)
        named |= strcmp(region->surface, mt_surface_name(s)) == 0;
    return named;
}

/* Returns the tolerance at a border (solver/tissue/region.h). */
static double border_mm(const mt_mesh *mesh)
{
    double largest = 0;
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) largest = fmax(largest, fabs(mesh->xyz_mm[k]));
    return 1e-12 * largest;
}

/* Removes the unknowns outside the box or sphere, and computes the smallest distance of any unknown from it: infinite without unknowns.
 * Returns the number of the others. */
static size_t keep_near(const mt_region *region, const mt_unknowns *unknowns, const double *centre,
    double on_border_mm, unsigned char *reached, double *nearest_mm)
{
    const size_t count = mt_unknowns_count(unknowns);
    size_t n = 0, n_before = 0;
    double nearest = INFINITY; /* of a reduction over nothing, compilers make different values */
#pragma omp parallel for schedule(static) reduction(+ : n, n_before) reduction(min : nearest) if (count >= PARALLEL_FROM)
    for (size_t k = 0; k < count; k++) {
        double x[3];
        if (!reached[k]) continue;
        mt_unknowns_place(unknowns, k, x);
        const double outside = outside_mm(region, centre, x);
        nearest = fmin(nearest, outside);
        reached[k] = outside <= on_border_mm;
        n += reached[k];
        n_before++;
    }
    *nearest_mm = n_before > 0 ? nearest : INFINITY;
    return n;
}

/* Removes the unknowns outside the box or sphere, and lists the others; fails if there are none. */
static mt_status list_near(mt_arena *arena, const mt_region *region, const mt_unknowns *unknowns,
    const double *centre, double on_border_mm, unsigned char *reached, size_t *n, uint32_t **list)
{
    double nearest_mm;
    *n = keep_near(region, unknowns, centre, on_border_mm, reached, &nearest_mm);
    if (*n == 0) return none_reached(region, unknowns, centre, nearest_mm);
    MT_ALLOC(arena, *list, *n);
    *n = 0;
    for (size_t k = 0; k < mt_unknowns_count(unknowns); k++)
        if (reached[k]) (*list)[(*n)++] = (uint32_t)k;
    return MT_OK;
}

mt_status mt_region_elements(
    mt_arena *arena, const mt_region *region, const mt_mesh *mesh, size_t *n, uint32_t **elements)
{
    MT_SCRATCH(scratch);
    const mt_unknowns unknowns = {mesh, false};
    unsigned char *reached;
    double centre[3];
    MT_TRY(find_centre(region, mesh, centre));
    MT_ALLOC(scratch, reached, mesh->n_elements);
    MT_TRY(mark_surface(region, &unknowns, reached));
    MT_TRY(keep_tagged("tag", region->tag, mesh, reached));
    MT_TRY(keep_tagged("group", region->group, mesh, reached));
    MT_TRY(keep_listed(scratch, region, mesh, reached));
    MT_TRY(keep_named(scratch, region, mesh, reached));
    MT_TRY(keep_layer(region, mesh, reached));
    MT_TRY(keep_segment(region, mesh, reached));
    return list_near(arena, region, &unknowns, centre, border_mm(mesh), reached, n, elements);
}

/* ---- vertices ---- */

/* Removes the vertices with less than half of the volume of their elements among those of the complete mesh with in[n_elements] != 0. */
static mt_status keep_shared(
    mt_arena *scratch, const mt_mesh *mesh, const unsigned char *in, unsigned char *reached)
{
    uint8_t *of;
    MT_ALLOC(scratch, of, mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) of[c] = in[mt_mesh_number(mesh, c)];
    return mt_vertex_share_keep(mesh, of, reached);
}

enum { BY_TAG, BY_GROUP, BY_LIST, BY_SEGMENT, BY_LAYER, CONDITIONS };

/* Marks in `in` the elements of the complete mesh that satisfy one of the conditions on elements. */
static mt_status mark_elements(
    mt_arena *scratch, const mt_region *region, const mt_mesh *whole, int condition, unsigned char *in)
{
    memset(in, 1, whole->n_elements);
    switch (condition) {
    case BY_TAG:
        return keep_tagged("tag", region->tag, whole, in);
    case BY_GROUP:
        return keep_tagged("group", region->group, whole, in);
    case BY_LIST:
        return keep_named(scratch, region, whole, in);
    case BY_SEGMENT:
        return keep_segment(region, whole, in);
    default:
        return keep_layer(region, whole, in);
    }
}

/* Removes the vertices outside the stated tag, group, list of elements, segment or layer. */
static mt_status keep_in_elements(mt_arena *scratch, const mt_region *region, const mt_mesh *whole,
    const mt_mesh *mesh, unsigned char *reached)
{
    const bool stated[CONDITIONS] = {region->tag[0] != 0, region->group[0] != 0, region->elements[0] != 0,
        region->segment[0] != 0, region->layer >= 0};
    unsigned char *in;
    MT_ALLOC(scratch, in, whole->n_elements);
    for (int k = 0; k < CONDITIONS; k++) {
        if (!stated[k]) continue;
        MT_TRY(mark_elements(scratch, region, whole, k, in));
        MT_TRY(keep_shared(scratch, mesh, in, reached));
    }
    return MT_OK;
}

/* Removes the vertices with at[n_vertices] == 0, by their numbers in the complete mesh. */
static void keep_marked(const mt_unknowns *unknowns, const unsigned char *at, unsigned char *reached)
{
    for (size_t v = 0; v < mt_unknowns_count(unknowns); v++)
        reached[v] = reached[v] && at[mt_unknowns_number(unknowns, v)];
}

/* Removes the vertices outside the surface and the list of vertices. */
static mt_status keep_on(mt_arena *scratch, const mt_region *region, const mt_mesh *whole,
    const mt_unknowns *unknowns, unsigned char *reached)
{
    mt_vtx list;
    unsigned char *at;
    MT_ALLOC(scratch, at, whole->n_vertices);
    MT_TRY(mark_surface(region, &(mt_unknowns){whole, true}, at));
    keep_marked(unknowns, at, reached);
    if (!region->vtx[0]) return MT_OK;
    MT_TRY(mt_fail_in("vtx", mt_vtx_read(scratch, region->vtx, whole->n_vertices, &list)));
    memset(at, 0, whole->n_vertices);
    for (size_t k = 0; k < list.n; k++) at[list.vertex[k]] = 1;
    keep_marked(unknowns, at, reached);
    return MT_OK;
}

mt_status mt_region_vertices(mt_arena *arena, const mt_region *region, const mt_mesh *whole,
    const mt_mesh *mesh, size_t *n, uint32_t **vertices)
{
    MT_SCRATCH(scratch);
    const mt_unknowns unknowns = {mesh, true};
    unsigned char *reached;
    double centre[3];
    MT_TRY(find_centre(region, whole, centre));
    MT_ALLOC(scratch, reached, mesh->n_vertices);
    memset(reached, 1, mesh->n_vertices);
    MT_TRY(keep_on(scratch, region, whole, &unknowns, reached));
    MT_TRY(keep_in_elements(scratch, region, whole, mesh, reached));
    return list_near(arena, region, &unknowns, centre, border_mm(whole), reached, n, vertices);
}
