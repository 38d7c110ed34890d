#include "app/heart/case_places.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/heart/anatomy.h"
#include "data/core/vec3.h"
#include "data/files/cache.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/names.h"

/* ---- coordinates in the cache ---- */

static const char kind[] = "coordinates";

/* Increased whenever mt_coordinates_make returns other numbers for the same mesh. */
enum { VERSION = 1 };

static void add_array(mt_hash *hash, const void *items, size_t bytes)
{
    const uint64_t size = bytes;
    mt_hash_add(hash, &size, sizeof size);
    if (bytes > 0) mt_hash_add(hash, items, bytes);
}

/* Computes the key of the coordinates: they depend on vertices, elements and surfaces. */
static mt_status key_of(const mt_mesh *mesh, char key[MT_HASH_SIZE])
{
    const uint32_t version = VERSION;
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    add_array(&hash, &version, sizeof version);
    add_array(&hash, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *mesh->xyz_mm);
    add_array(&hash, mesh->element_vertex, 4 * mesh->n_elements * sizeof *mesh->element_vertex);
    add_array(&hash, mesh->face_vertex, 3 * mesh->n_faces * sizeof *mesh->face_vertex);
    add_array(&hash, mesh->face_tag, mesh->n_faces * sizeof *mesh->face_tag);
    mt_hash_end(&hash, key);
    return MT_OK;
}

/* The head of an entry; the coordinates follow. It has no padding. */
typedef struct head {
    double to_septum[3], nonlinearity;
    uint64_t arbitrary;
} head;

/* Takes the coordinates of a mesh from the cache, if they are there, and repeats the remarks about them. */
static mt_status find_cached(
    mt_arena *arena, const char *path, const char key[MT_HASH_SIZE], mt_mesh *mesh, bool *found)
{
    MT_SCRATCH(scratch);
    const size_t n = mesh->n_vertices;
    const void *bytes;
    size_t n_bytes;
    *found = mt_cache_find(scratch, kind, key, &bytes, &n_bytes) &&
             n_bytes == sizeof(head) + MT_COORDINATES * n * sizeof(double);
    if (!*found) return MT_OK;
    const head *h = bytes;
    mt_coordinates c = {.arbitrary = h->arbitrary != 0, .nonlinearity = h->nonlinearity};
    memcpy(c.to_septum, h->to_septum, sizeof c.to_septum);
    for (size_t k = 0; k < MT_COORDINATES; k++)
        MT_COPY(arena, mesh->coordinate[k], (const double *)(const void *)(h + 1) + k * n, n);
    mt_anatomy_remark_coordinates(path, &c);
    return MT_OK;
}

static mt_status store(const char key[MT_HASH_SIZE], const mt_mesh *mesh, const mt_coordinates *c)
{
    MT_SCRATCH(scratch);
    const size_t n = mesh->n_vertices, bytes = sizeof(head) + MT_COORDINATES * n * sizeof(double);
    head *h = mt_arena_alloc(scratch, bytes, 1);
    if (!h) return MT_MEMORY;
    *h = (head){.nonlinearity = c->nonlinearity, .arbitrary = c->arbitrary};
    memcpy(h->to_septum, c->to_septum, sizeof h->to_septum);
    double *to = (double *)(void *)(h + 1);
    for (size_t k = 0; k < MT_COORDINATES; k++) memcpy(to + k * n, mesh->coordinate[k], n * sizeof *to);
    mt_cache_store(kind, key, h, bytes);
    return MT_OK;
}

/* ---- coordinates of a mesh ---- */

/* Checks that the mesh has the surfaces of ventricles. */
static mt_status check_surfaces(const char *path, const mt_mesh *mesh)
{
    static const int32_t needed[] = {MT_SURFACE_BASE, MT_SURFACE_EPI, MT_SURFACE_LV};
    mt_surfaces counts;
    mt_surfaces_count(mesh, &counts);
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (counts.n_triangles[needed[k]] == 0)
            return mt_fail(MT_INPUT,
                "%s: the mesh has no ventricular coordinates, and no triangle is tagged as %s; needed: a "
                "mesh "
                "of ventricles with tagged base, epicardium and lv_endocardium (`myotile mesh surfaces`)",
                path, mt_surface_name(needed[k]));
    return MT_OK;
}

static mt_status compute(mt_arena *arena, const char *path, bool cached, mt_mesh *mesh, bool *confirmed)
{
    char key[MT_HASH_SIZE];
    bool found = false;
    mt_adjacency adjacency;
    mt_coordinates c;
    MT_SCRATCH(scratch);
    MT_TRY(check_surfaces(path, mesh));
    if (!*confirmed) MT_TRY(mt_anatomy_confirm(arena, path, mesh));
    *confirmed = true;
    MT_TRY(key_of(mesh, key));
    if (cached) MT_TRY(find_cached(arena, path, key, mesh, &found));
    if (found) return MT_OK;
    MT_TRY(mt_fail_in(path, mt_adjacency_make(scratch, mesh, &adjacency)));
    MT_TRY(mt_anatomy_coordinates(arena, path, &adjacency, mesh, NULL, &c));
    mt_coordinates_put(&c, mesh);
    return cached ? store(key, mesh, &c) : MT_OK;
}

mt_status mt_case_places_coordinates(
    mt_arena *arena, const char *path, bool cached, mt_mesh *mesh, bool *confirmed)
{
    return mesh->coordinate[0] ? MT_OK : compute(arena, path, cached, mesh, confirmed);
}

/* ---- places ---- */

typedef struct finding {
    mt_arena *arena;
    const char *path; /* of the mesh */
    bool cached;
    mt_mesh *mesh;
    bool *confirmed;
    bool prepared;
    mt_positions positions; /* if prepared */
} finding;

static mt_status prepare(finding *f)
{
    if (f->prepared) return MT_OK;
    MT_TRY(mt_case_places_coordinates(f->arena, f->path, f->cached, f->mesh, f->confirmed));
    MT_TRY(mt_positions_make(f->arena, f->mesh, &f->positions));
    f->prepared = true;
    return MT_OK;
}

static mt_status refuse(const finding *f, const mt_position *p, const mt_located *located)
{
    char text[MT_POSITION_TEXT];
    if (located->element == MT_NO_ELEMENT)
        return mt_fail(MT_INPUT, "ventricle: %s; %s has no such ventricle; allowed: %s",
            p->ventricle == 1 ? "right" : "left", f->path, p->ventricle == 1 ? "left" : "right");
    return mt_fail(MT_INPUT,
        "%s: found no point of %s with these coordinates; the nearest is %.3g mm away, allowed: at most an "
        "edge, %.3g mm",
        mt_position_text(p, text), f->path, located->distance_mm, f->positions.edge_mm);
}

/* Finds the point at a position. MT_INPUT, with a message that begins after the key `at`. */
static mt_status find_position(finding *f, const mt_position *p, double xyz_mm[3])
{
    MT_TRY(prepare(f));
    const mt_located located = mt_positions_find(&f->positions, p);
    if (!mt_positions_has(&f->positions, &located)) return refuse(f, p, &located);
    mt_positions_point(&f->positions, &located, xyz_mm);
    return MT_OK;
}

static mt_status find_apex(finding *f, double xyz_mm[3])
{
    mt_landmarks landmarks;
    if (!*f->confirmed) MT_TRY(mt_anatomy_confirm(f->arena, f->path, f->mesh));
    *f->confirmed = true;
    MT_TRY(mt_fail_in(f->path, mt_landmarks_find(f->mesh, &landmarks)));
    memcpy(xyz_mm, f->mesh->xyz_mm + 3 * landmarks.apex, 3 * sizeof *xyz_mm);
    return MT_OK;
}

/* Stores a point, which must agree with a stated one. `key`: of the stated one. */
static mt_status put(const finding *f, const char *key, const double found_mm[3], double to_mm[3])
{
    if (!isnan(to_mm[0]) && sqrt(mt_square3(found_mm, to_mm)) > MT_CASE_PLACES_TOLERANCE_MM)
        return mt_fail(MT_INPUT,
            "%s: [%.10g, %.10g, %.10g] is not the place `at` on %s, [%.10g, %.10g, %.10g]; allowed: only one "
            "of both keys",
            key, to_mm[0], to_mm[1], to_mm[2], f->path, found_mm[0], found_mm[1], found_mm[2]);
    if (isnan(to_mm[0])) memcpy(to_mm, found_mm, 3 * sizeof *to_mm);
    return MT_OK;
}

static mt_status find_region(finding *f, mt_region *region)
{
    double at_mm[3];
    if (!mt_position_stated(&region->position)) return MT_OK;
    MT_TRY(mt_fail_in("at", find_position(f, &region->position, at_mm)));
    return put(f, "centre_mm", at_mm, region->centre_mm);
}

static mt_status find_point(finding *f, mt_case_point *point)
{
    double at_mm[3];
    if (!point->at[0] && !mt_position_stated(&point->position)) return MT_OK;
    MT_TRY(mt_fail_in("at", point->at[0] ? find_apex(f, at_mm) : find_position(f, &point->position, at_mm)));
    return put(f, "at_mm", at_mm, point->at_mm);
}

static bool has_places(const mt_case *input)
{
    bool any = false;
    for (size_t r = 0; r < input->n_regions; r++)
        any |= mt_position_stated(&input->regions[r].region.position);
    for (size_t s = 0; s < input->n_stimuli; s++)
        any |= mt_position_stated(&input->stimuli[s].region.position);
    for (size_t p = 0; p < input->n_points; p++)
        any |= input->points[p].at[0] || mt_position_stated(&input->points[p].position);
    return any;
}

mt_status mt_case_places_find(mt_arena *arena, const mt_case *input, bool cached, mt_mesh *mesh,
    bool *confirmed, mt_case_places *places)
{
    finding f = {.arena = arena,
        .path = mt_case_mesh_name(input),
        .cached = cached,
        .mesh = mesh,
        .confirmed = confirmed};
    char name[MT_CASE_STIMULUS_NAME];
    *places = (mt_case_places){0};
    if (!has_places(input)) return MT_OK;
    MT_COPY(arena, places->regions, input->regions, input->n_regions);
    MT_COPY(arena, places->stimuli, input->stimuli, input->n_stimuli);
    MT_COPY(arena, places->points, input->points, input->n_points);
    for (size_t r = 0; r < input->n_regions; r++)
        MT_TRY(mt_case_in_entry("regions", r, find_region(&f, &places->regions[r].region)));
    for (size_t s = 0; s < input->n_stimuli; s++)
        MT_TRY(mt_fail_in(
            mt_case_stimulus_name(input, s, "", name), find_region(&f, &places->stimuli[s].region)));
    for (size_t p = 0; p < input->n_points; p++)
        MT_TRY(mt_case_in_entry("points", p, find_point(&f, &places->points[p])));
    return MT_OK;
}

void mt_case_places_put(const mt_case_places *places, mt_case *input)
{
    if (places->regions) input->regions = places->regions;
    if (places->stimuli) input->stimuli = places->stimuli;
    if (places->points) input->points = places->points;
}

mt_status mt_case_places_find_region(
    mt_arena *arena, const char *path, mt_mesh *mesh, bool *confirmed, mt_region *region)
{
    finding f = {.arena = arena, .path = path, .cached = true, .mesh = mesh, .confirmed = confirmed};
    return find_region(&f, region);
}
