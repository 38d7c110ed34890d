#include "app/report/heart_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/frames_shown.h"
#include "app/report/named_part.h"
#include "app/report/network_part.h"
#include "mesh/vertex_mean.h"

/* ---- shapes ---- */

static mt_status put_positions(mt_html_part *part, const mt_mesh *mesh, size_t n, const uint32_t *vertex)
{
    MT_SCRATCH(arena);
    double *xyz_mm;
    MT_ALLOC(arena, xyz_mm, 3 * n);
    for (size_t k = 0; k < 3 * n; k++) xyz_mm[k] = mesh->xyz_mm[3 * (size_t)vertex[k / 3] + k % 3];
    mt_html_reals(part, "position", n, 3, xyz_mm, MT_HTML_65535, 0);
    return MT_OK;
}

static mt_status put_surface(mt_html_part *part, const mt_mesh *mesh, const mt_coarse *surface)
{
    mt_json_open(&part->json, "surface", '{');
    MT_TRY(put_positions(part, mesh, surface->n_vertices, surface->vertex));
    mt_html_wholes(part, "triangle", surface->n, 3, surface->corner);
    mt_html_wholes(part, "element", surface->n, 1, surface->element);
    mt_json_close(&part->json);
    return MT_OK;
}

static mt_status put_cut(mt_html_part *part, const mt_mesh *mesh, const mt_coarse *cut)
{
    if (cut->n == 0) {
        mt_json_text(&part->json, "cut", NULL);
        return MT_OK;
    }
    mt_json_open(&part->json, "cut", '{');
    MT_TRY(put_positions(part, mesh, cut->n_vertices, cut->vertex));
    mt_html_wholes(part, "tetrahedron", cut->n, 4, cut->corner);
    mt_html_wholes(part, "element", cut->n, 1, cut->element);
    mt_json_number(&part->json, "error_mm", cut->error_mm);
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- maps ---- */

/* The drawn meshes, with the elements around each vertex. */
typedef struct drawn {
    mt_coarse surface, cut;
    mt_vertex_stars of_surface, of_cut;
    double *room; /* scratch: a value for each vertex or cell of any of them */
} drawn;

static void put_means(
    mt_html_part *part, const char *key, const mt_vertex_stars *stars, const float *values, double *room)
{
    mt_vertex_stars_mean(stars, values, room);
    mt_html_reals(part, key, stars->n, 1, room, MT_HTML_65535, 0);
}

static void put_map(mt_html_part *part, const mt_folder_map *map, const drawn *d)
{
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "name", map->name);
    mt_json_text(&part->json, "label", map->label);
    mt_json_text(&part->json, "unit", map->unit);
    if (map->beat > 0)
        mt_json_count(&part->json, "beat", map->beat);
    else
        mt_json_text(&part->json, "beat", NULL);
    put_means(part, "vertex", &d->of_surface, map->values, d->room);
    for (size_t k = 0; k < d->surface.n; k++) d->room[k] = (double)map->values[d->surface.element[k]];
    mt_html_reals(part, "element", d->surface.n, 1, d->room, MT_HTML_65535, 0);
    if (d->cut.n > 0) put_means(part, "cut", &d->of_cut, map->values, d->room);
    mt_json_close(&part->json);
}

/* ---- frames ---- */

/* `frames`: in `arena`. */
static mt_status put_frames(mt_arena *arena, mt_html_part *part, const mt_run_folder *folder, const drawn *d,
    const mt_heart_limits *limits, mt_frames_shown *frames)
{
    static const char *const key[] = {"v_mV", "cut_v_mV"};
    const mt_vertex_stars *const stars[] = {&d->of_surface, &d->of_cut};
    MT_TRY(mt_frames_shown_read(arena, folder, stars, limits->frames, frames));
    if (frames->n == 0) {
        mt_json_text(&part->json, "frames", NULL);
        return MT_OK;
    }
    mt_json_open(&part->json, "frames", '{');
    mt_html_doubles(part, "time_ms", frames->n, frames->time_ms);
    for (int w = 0; w < MT_FRAMES_PLACES; w++) /* there may be no cut */
        if (stars[w]->n > 0)
            mt_html_reals(
                part, key[w], frames->n * stars[w]->n, 1, frames->v_mV[w], limits->frame_levels, stars[w]->n);
    mt_json_close(&part->json);
    return MT_OK;
}

/* Writes the frames, and the network with the same frames. */
static mt_status put_series(mt_html_part *part, const mt_run_folder *folder, const drawn *d,
    const mt_heart_limits *limits, mt_heart_shown *shown)
{
    MT_SCRATCH(arena);
    mt_frames_shown frames;
    MT_TRY(put_frames(arena, part, folder, d, limits, &frames));
    shown->frames = frames.n, shown->all_frames = frames.n_there;
    mt_network_shown network = {.most = limits->network,
        .frame_levels = limits->frame_levels,
        .n_frames = frames.n,
        .time_ms = frames.time_ms};
    MT_TRY(mt_network_part_put(part, folder, &network));
    shown->network = network.points, shown->all_network = network.all_points;
    return MT_OK;
}

/* ---- fibres ---- */

mt_status mt_heart_sample(mt_arena *arena, size_t n, size_t most, size_t *n_chosen, uint32_t **chosen)
{
    const size_t count = n < most ? n : most;
    size_t k = 0;
    MT_ALLOC(arena, *chosen, count);
    for (uint64_t i = 0; i < count; i++) { /* 2^32 times the fraction, then its element */
        const uint64_t fraction = i * 0x9E3779B97F4A7C15u >> 32;
        (*chosen)[i] = n == count ? (uint32_t)i : (uint32_t)(fraction * n >> 32);
    }
    qsort(*chosen, count, sizeof **chosen, mt_compare_ids);
    for (size_t i = 0; i < count; i++)
        if (k == 0 || (*chosen)[i] != (*chosen)[k - 1]) (*chosen)[k++] = (*chosen)[i];
    *n_chosen = k;
    return MT_OK;
}

static mt_status put_fibres(mt_arena *arena, mt_html_part *part, const mt_mesh *mesh, size_t most, size_t *n)
{
    uint32_t *element;
    double *position, *direction;
    if (!mesh->fibre) {
        mt_json_text(&part->json, "fibres", NULL);
        return MT_OK;
    }
    MT_TRY(mt_heart_sample(arena, mesh->n_elements, most, n, &element));
    MT_ALLOC(arena, position, 3 * *n);
    MT_ALLOC(arena, direction, 3 * *n);
    for (size_t k = 0; k < *n; k++) {
        mt_mesh_centroid(mesh, element[k], position + 3 * k);
        memcpy(direction + 3 * k, mesh->fibre + 3 * (size_t)element[k], 3 * sizeof *direction);
    }
    mt_json_open(&part->json, "fibres", '{');
    mt_html_reals(part, "position", *n, 3, position, MT_HTML_65535, 0);
    mt_html_reals(part, "direction", *n, 3, direction, MT_HTML_65535, 0);
    mt_html_wholes(part, "element", *n, 1, element);
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- places ---- */

static void put_point(mt_html_part *part, const char *label, const char *kind, const double at_mm[3])
{
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "label", label);
    mt_json_text(&part->json, "kind", kind);
    mt_json_open(&part->json, "at_mm", '[');
    for (int k = 0; k < 3; k++) mt_json_number(&part->json, NULL, at_mm[k]);
    mt_json_close(&part->json);
    mt_json_close(&part->json);
}

/* Computes the mean of the centroids of a region's elements. `known`: false if a file of the region is missing. */
static mt_status middle_of(const mt_mesh *mesh, const mt_region *region, double middle_mm[3], bool *known)
{
    MT_SCRATCH(arena);
    uint32_t *element;
    size_t n;
    double centre[3];
    *known = true;
    memset(middle_mm, 0, 3 * sizeof *middle_mm);
    const mt_status status = mt_region_elements(arena, region, mesh, &n, &element);
    for (size_t k = 0; status == MT_OK && k < n; k++) {
        mt_mesh_centroid(mesh, element[k], centre);
        for (int i = 0; i < 3; i++) middle_mm[i] += centre[i] / (double)n;
    }
    if (status == MT_MEMORY) return status;
    *known = status == MT_OK;
    return MT_OK;
}

/* Writes the place of a stimulus. For spheres, such as sites, no elements are searched. */
static mt_status put_stimulus(
    mt_html_part *part, const mt_mesh *mesh, const mt_case_stimulus *stimulus, size_t number)
{
    char label[64];
    double at_mm[3];
    bool known = true;
    (void)snprintf(label, sizeof label, "stimulus %zu", number);
    if (isfinite(stimulus->region.centre_mm[0]))
        memcpy(at_mm, stimulus->region.centre_mm, sizeof at_mm);
    else
        MT_TRY(middle_of(mesh, &stimulus->region, at_mm, &known));
    if (known) put_point(part, label, "stimulus", at_mm);
    return MT_OK;
}

static mt_status put_points(mt_html_part *part, const mt_run_folder *folder)
{
    const mt_case *input = &folder->input;
    mt_json_open(&part->json, "points", '[');
    for (size_t k = 0; k < input->n_points; k++)
        put_point(part, input->points[k].name, "point", input->points[k].at_mm);
    for (size_t k = 0; k < input->n_electrodes; k++)
        put_point(part, input->electrodes[k].name, "electrode", input->electrodes[k].at_mm);
    for (size_t k = 0; k < input->n_stimuli; k++)
        MT_TRY(put_stimulus(part, &folder->mesh, &input->stimuli[k], k + 1));
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- complete part ---- */

static mt_status draw(mt_arena *arena, const mt_run_folder *folder, const mt_heart_limits *limits, drawn *d)
{
    const mt_mesh *mesh = &folder->mesh;
    const mt_display_cells all = {mesh->n_elements, 4, mesh->element_vertex, NULL};
    MT_TRY(mt_coarse_make(arena, mesh, &folder->boundary, limits->surface, &d->surface));
    MT_TRY(mt_vertex_stars_make(arena, mesh, d->surface.n_vertices, d->surface.vertex, &d->of_surface));
    if (limits->cut > 0) {
        MT_TRY(mt_coarse_make(arena, mesh, &all, limits->cut, &d->cut));
        MT_TRY(mt_vertex_stars_make(arena, mesh, d->cut.n_vertices, d->cut.vertex, &d->of_cut));
    }
    MT_ALLOC(arena, d->room, d->surface.n_vertices + d->surface.n + d->cut.n_vertices);
    return MT_OK;
}

static mt_status put(mt_arena *arena, mt_html_part *part, const mt_run_folder *folder,
    const mt_heart_limits *limits, mt_heart_shown *shown)
{
    const mt_mesh *mesh = &folder->mesh;
    drawn d = {0};
    MT_TRY(draw(arena, folder, limits, &d));
    *shown = (mt_heart_shown){.vertices = d.surface.n_vertices,
        .triangles = d.surface.n,
        .all_triangles = folder->boundary.n,
        .cut_vertices = d.cut.n_vertices,
        .tetrahedra = d.cut.n,
        .maps = folder->n_maps,
        .error_mm = d.surface.error_mm,
        .cut_error_mm = d.cut.error_mm};
    mt_json_text(&part->json, "mesh", folder->positions);
    mt_json_count(&part->json, "n_elements", mesh->n_elements);
    mt_json_count(&part->json, "n_surface_triangles", folder->boundary.n);
    mt_json_number(&part->json, "error_mm", d.surface.error_mm);
    MT_TRY(put_surface(part, mesh, &d.surface));
    MT_TRY(mt_named_part_put(part, folder, &d.surface));
    MT_TRY(put_cut(part, mesh, &d.cut));
    mt_json_open(&part->json, "maps", '[');
    for (size_t k = 0; k < folder->n_maps; k++) put_map(part, &folder->maps[k], &d);
    mt_json_close(&part->json);
    MT_TRY(put_series(part, folder, &d, limits, shown));
    MT_TRY(put_fibres(arena, part, mesh, limits->fibres, &shown->fibres));
    return put_points(part, folder);
}

mt_status mt_heart_part_put(
    mt_html_part *part, const mt_run_folder *folder, const mt_heart_limits *limits, mt_heart_shown *shown)
{
    MT_SCRATCH(arena);
    mt_json_open(&part->json, "heart", '{');
    const mt_status status = put(arena, part, folder, limits, shown);
    if (status == MT_OK) mt_json_close(&part->json);
    return status;
}
