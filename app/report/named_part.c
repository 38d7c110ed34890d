#include "app/report/named_part.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/anatomy/patch.h"
#include "mesh/names.h"
#include "data/core/order.h"

enum { KINDS = 255, WORDS = 128 };

/* Names of triangles: kind k + 1 has word[k], kind 0 has no name. */
typedef struct named {
    uint32_t *kind; /* [n triangles] */
    size_t n;
    char word[KINDS][WORDS];
} named;

static void put_named(
    mt_html_part *part, const char *name, const char *label, size_t n_triangles, const named *by)
{
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "name", name);
    mt_json_text(&part->json, "label", label);
    mt_json_open(&part->json, "kinds", '[');
    for (size_t k = 0; k < by->n; k++) mt_json_text(&part->json, NULL, by->word[k]);
    mt_json_close(&part->json);
    mt_html_wholes(part, "triangle", n_triangles, 1, by->kind);
    mt_json_close(&part->json);
}

/* ---- by tags ---- */

enum { NO_TAG = INT_MIN };

MT_ORDER_NUMBERS(ascending, int32_t)

/* Finds the distinct tags, ascending. Returns their number, or 0 if there are more than KINDS. */
static size_t distinct(size_t n, const int32_t *tag, int32_t found[KINDS])
{
    size_t n_found = 0;
    for (size_t k = 0; k < n; k++) {
        if (tag[k] == NO_TAG || bsearch(&tag[k], found, n_found, sizeof *found, ascending)) continue;
        if (n_found == KINDS) return 0;
        found[n_found++] = tag[k];
        qsort(found, n_found, sizeof *found, ascending);
    }
    return n_found;
}

/* Names a tag of triangles or elements: by its surface if the name means one, otherwise by its name or its number. */
static void name_tag(const mt_mesh *mesh, int32_t dimension, int32_t tag, char word[WORDS])
{
    const char *surface = mt_surface_name(mt_names_surface_of(mesh, tag)),
               *name = mt_names_text(mesh, dimension, tag);
    if (dimension == MT_NAMES_FACES && surface) name = surface;
    (void)(name ? snprintf(word, WORDS, "%.*s", WORDS - 1, name) : snprintf(word, WORDS, "tag %d", tag));
}

/* Does nothing if there are fewer tags than `least`. `dimension`: of the names of these tags. */
static mt_status put_tags(mt_arena *arena, mt_html_part *part, const mt_mesh *mesh, int32_t dimension,
    size_t least, size_t n, const int32_t *tag)
{
    int32_t found[KINDS];
    named *by;
    MT_ALLOC(arena, by, 1);
    by->n = distinct(n, tag, found);
    if (by->n < least) return MT_OK;
    MT_ALLOC(arena, by->kind, n);
    for (size_t k = 0; k < by->n; k++) name_tag(mesh, dimension, found[k], by->word[k]);
    for (size_t k = 0; k < n; k++) {
        const int32_t *at = bsearch(&tag[k], found, by->n, sizeof *found, ascending);
        by->kind[k] = at ? (uint32_t)(at - found) + 1 : 0;
    }
    if (dimension == MT_NAMES_FACES)
        put_named(part, "surface", "surfaces", n, by);
    else
        put_named(part, "tag", "element tags", n, by);
    return MT_OK;
}

/* A tagged triangle by its vertices in ascending order. */
typedef struct tagged {
    uint32_t vertex[3];
    int32_t tag;
} tagged;

static mt_status sort_tags(mt_arena *arena, const mt_mesh *mesh, tagged **list)
{
    MT_ALLOC(arena, *list, mesh->n_faces);
    for (size_t k = 0; k < mesh->n_faces; k++) {
        memcpy((*list)[k].vertex, mesh->face_vertex + 3 * k, sizeof(*list)[k].vertex);
        mt_face_sort((*list)[k].vertex);
        (*list)[k].tag = mesh->face_tag[k];
    }
    qsort(*list, mesh->n_faces, sizeof **list, mt_face_compare);
    return MT_OK;
}

static mt_status put_surfaces(
    mt_arena *arena, mt_html_part *part, const mt_run_folder *folder, const mt_coarse *surface)
{
    const mt_mesh *mesh = &folder->mesh;
    tagged *list;
    int32_t *tag;
    if (mesh->n_faces == 0) return MT_OK;
    MT_TRY(sort_tags(arena, mesh, &list));
    MT_ALLOC(arena, tag, surface->n);
    for (size_t k = 0; k < surface->n; k++) {
        tagged wanted = {0};
        memcpy(wanted.vertex, folder->boundary.vertex + 3 * (size_t)surface->cell[k], sizeof wanted.vertex);
        mt_face_sort(wanted.vertex);
        const tagged *found = bsearch(&wanted, list, mesh->n_faces, sizeof *list, mt_face_compare);
        tag[k] = found ? found->tag : NO_TAG;
    }
    return put_tags(arena, part, mesh, MT_NAMES_FACES, 1, surface->n, tag);
}

static mt_status put_elements(
    mt_arena *arena, mt_html_part *part, const mt_run_folder *folder, const mt_coarse *surface)
{
    int32_t *tag;
    MT_ALLOC(arena, tag, surface->n);
    for (size_t k = 0; k < surface->n; k++) tag[k] = folder->mesh.region[surface->element[k]];
    return put_tags(arena, part, &folder->mesh, MT_NAMES_ELEMENTS, 2, surface->n, tag);
}

/* ---- by regions of the case ---- */

static void name_region(size_t number, const mt_case_region *region, char word[WORDS])
{
    const mt_region *r = &region->region;
    char where[WORDS / 2] = "";
    if (r->surface[0])
        (void)snprintf(where, sizeof where, ", %s", r->surface);
    else if (r->tag[0])
        (void)snprintf(where, sizeof where, ", tag %.40s", r->tag);
    else if (r->group[0])
        (void)snprintf(where, sizeof where, ", group %.40s", r->group);
    else if (r->layer >= 0)
        (void)snprintf(where, sizeof where, ", layer %s", mt_region_layers[r->layer]);
    else if (r->segment[0])
        (void)snprintf(where, sizeof where, ", segment %.30s", r->segment);
    else if (isfinite(r->radius_mm))
        (void)snprintf(where, sizeof where, ", a sphere");
    else if (isfinite(r->min_mm[0]))
        (void)snprintf(where, sizeof where, ", a box");
    (void)snprintf(word, WORDS, "regions.%zu%s%s%s%s", number, where,
        region->non_conducting == 1 ? ", non-conducting" : "", region->type[0] ? ", type " : "",
        region->type);
}

/* Marks the elements of a region; the last region wins. */
static mt_status mark_region(const mt_mesh *mesh, const mt_case_region *region, uint32_t kind, uint32_t *of)
{
    MT_SCRATCH(arena);
    uint32_t *element;
    size_t n;
    const mt_status status = mt_region_elements(arena, &region->region, mesh, &n, &element);
    for (size_t k = 0; status == MT_OK && k < n; k++) of[element[k]] = kind;
    return status == MT_MEMORY ? status : MT_OK;
}

static mt_status put_regions(
    mt_arena *arena, mt_html_part *part, const mt_run_folder *folder, const mt_coarse *surface)
{
    const mt_case *input = &folder->input;
    named *by;
    uint32_t *of;
    if (input->n_regions == 0) return MT_OK;
    MT_ALLOC(arena, by, 1);
    MT_ALLOC(arena, by->kind, surface->n);
    MT_ALLOC(arena, of, folder->mesh.n_elements);
    for (; by->n < input->n_regions && by->n < KINDS; by->n++) {
        name_region(by->n, &input->regions[by->n], by->word[by->n]);
        MT_TRY(mark_region(&folder->mesh, &input->regions[by->n], (uint32_t)by->n + 1, of));
    }
    for (size_t k = 0; k < surface->n; k++) by->kind[k] = of[surface->element[k]];
    put_named(part, "region", "regions of the case", surface->n, by);
    return MT_OK;
}

/* ---- complete part ---- */

mt_status mt_named_part_put(mt_html_part *part, const mt_run_folder *folder, const mt_coarse *surface)
{
    MT_SCRATCH(arena);
    mt_json_open(&part->json, "named", '[');
    MT_TRY(put_surfaces(arena, part, folder, surface));
    MT_TRY(put_elements(arena, part, folder, surface));
    MT_TRY(put_regions(arena, part, folder, surface));
    mt_json_close(&part->json);
    return MT_OK;
}
