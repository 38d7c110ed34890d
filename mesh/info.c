#include "mesh/info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/core/flood.h"
#include "data/core/offsets.h"
#include "data/core/vec3.h"
#include "mesh/adjacency.h"
#include "mesh/tags.h"
#include "mesh/triangles.h"

enum { PARALLEL_FROM = 16384 };

static const double *vertex(const mt_mesh *mesh, size_t element, size_t k)
{
    return mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * element + k];
}

static double distance(const double *a, const double *b) { return sqrt(mt_square3(a, b)); }

/* The circumradius R follows from the products p, q, s of opposite edges (Crelle 1821):
 * 24 V R = sqrt((p + q + s)(p + q - s)(p - q + s)(-p + q + s)). */
double mt_info_quality(const mt_mesh *mesh, size_t element)
{
    const double *a = vertex(mesh, element, 0), *b = vertex(mesh, element, 1), *c = vertex(mesh, element, 2),
                 *d = vertex(mesh, element, 3);
    double volume = mt_mesh_volume_mm3(mesh, element);
    double area = 0;
    for (size_t f = 0; f < 4; f++) {
        double vector[3];
        mt_mesh_face_area(mesh, element, f, vector);
        area += mt_length3(vector);
    }
    double p = distance(a, b) * distance(c, d), q = distance(a, c) * distance(b, d),
           s = distance(a, d) * distance(b, c);
    double product = (p + q + s) * (p + q - s) * (p - q + s) * (q + s - p);
    if (!(product > 0) || !(area > 0)) return 0;
    return 9 * volume / area * 24 * volume / sqrt(product);
}

static void measure_elements(const mt_mesh *mesh, mt_info *info)
{
    double sum = 0;
    info->quality_min = 1;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double quality = mt_info_quality(mesh, c);
        sum += quality;
        if (quality < info->quality_min) info->quality_min = quality;
    }
    info->quality_mean = sum / (double)mesh->n_elements;
}

/* Returns the dihedral angle between faces with the outward area vectors p and q; accurate for small angles, too. */
static double angle_deg(const double p[3], const double q[3])
{
    double turn[3];
    mt_cross3(p, q, turn);
    return atan2(mt_length3(turn), -mt_dot3(p, q)) * (180 / acos(-1));
}

static void measure_angles(const mt_mesh *mesh, mt_info *info)
{
    double sharpest = -INFINITY; /* cosine of the smallest angle */
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double area[4][3], size[4];
        for (size_t f = 0; f < 4; f++) {
            mt_mesh_face_area(mesh, c, f, area[f]);
            size[f] = mt_length3(area[f]);
            for (size_t g = 0; g < f; g++) {
                const double cosine = -mt_dot3(area[f], area[g]) / (size[f] * size[g]);
                if (!(cosine > sharpest)) continue;
                sharpest = cosine;
                info->dihedral_min_deg = angle_deg(area[f], area[g]);
            }
        }
    }
}

/* A selection of elements: all, or one group. */
typedef struct some {
    const uint16_t *of; /* [n_elements] the group of each element; NULL: all elements */
    size_t group;
} some;

static bool is_among(const some *which, size_t element)
{
    return !which->of || which->of[element] == which->group;
}

/* Stores the edges of the selected elements: the higher vertex of each in the bucket of the lower vertex v,
 * high[start[v] .. start[v + 1]). */
static void fill_edges(const mt_mesh *mesh, const some *which, size_t *start, uint32_t *high)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < mesh->n_elements; c++)
            for (int e = 0; e < 6 && is_among(which, c); e++) {
                uint32_t a = mesh->element_vertex[4 * c + mt_mesh_edge[e][0]];
                uint32_t b = mesh->element_vertex[4 * c + mt_mesh_edge[e][1]];
                size_t lower = a < b ? a : b;
                if (pass == 0)
                    start[lower + 2]++;
                else
                    high[start[lower + 1]++] = a < b ? b : a;
            }
        if (pass == 0) mt_offsets_sum(start, mesh->n_vertices + 2);
    }
}

/* Sorts a bucket and removes repeated vertices; returns the number of others. Insertion, since buckets have about 30 vertices, 7 of
 * them different. */
static size_t sort_bucket(size_t n, uint32_t *high)
{
    enum { LONG = 512 };
    size_t kept = 0;
    if (n > LONG) qsort(high, n, sizeof *high, mt_compare_ids);
    for (size_t i = 0; i < n; i++) {
        const uint32_t vertex = high[i];
        size_t at = kept;
        while (at > 0 && high[at - 1] > vertex) at--;
        if (at > 0 && high[at - 1] == vertex) continue;
        for (size_t k = kept++; k > at; k--) high[k] = high[k - 1];
        high[at] = vertex;
    }
    return kept;
}

static mt_status measure_edges(mt_arena *scratch, const mt_mesh *mesh, const some *which, mt_info *info)
{
    size_t *start;
    uint32_t *high, *n_high;
    double sum = 0;
    MT_ALLOC(scratch, start, mesh->n_vertices + 2);
    MT_ALLOC(scratch, n_high, mesh->n_vertices);
    MT_ALLOC(scratch, high, 6 * mesh->n_elements);
    fill_edges(mesh, which, start, high);
#pragma omp parallel for schedule(static) if (mesh->n_elements >= PARALLEL_FROM)
    for (size_t v = 0; v < mesh->n_vertices; v++)
        n_high[v] = (uint32_t)sort_bucket(start[v + 1] - start[v], high + start[v]);
    info->edge_min_mm = INFINITY;
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        for (size_t k = start[v]; k < start[v] + n_high[v]; k++) {
            double length = distance(mesh->xyz_mm + 3 * v, mesh->xyz_mm + 3 * (size_t)high[k]);
            if (length < info->edge_min_mm) info->edge_min_mm = length;
            if (length > info->edge_max_mm) info->edge_max_mm = length;
            sum += length;
            info->n_edges++;
        }
    }
    info->edge_mean_mm = sum / (double)info->n_edges;
    return MT_OK;
}

mt_status mt_element_size_of(const mt_mesh *mesh, const uint16_t *of, size_t group, mt_element_size *size)
{
    const some which = {of, group};
    MT_SCRATCH(scratch);
    mt_info info = {0};
    double volume_mm3 = 0;
    size_t n = 0;
    *size = (mt_element_size){NAN, NAN};
    for (size_t c = 0; c < mesh->n_elements; c++)
        if (is_among(&which, c)) volume_mm3 += mt_mesh_volume_mm3(mesh, c), n++;
    if (n == 0) return MT_OK;
    const mt_status status = measure_edges(scratch, mesh, &which, &info);
    *size = (mt_element_size){cbrt(volume_mm3 / (double)n), info.edge_mean_mm};
    return status;
}

mt_status mt_element_size_find(const mt_mesh *mesh, mt_element_size *size)
{
    return mt_element_size_of(mesh, NULL, 0, size);
}

void mt_element_size_text(const mt_element_size *size, char text[MT_ELEMENT_SIZE_TEXT])
{
    (void)snprintf(text, MT_ELEMENT_SIZE_TEXT, "%.2f mm (mean edge %.2f mm)", size->length_mm, size->edge_mm);
}

static size_t neighbours_of(void *context, uint32_t element, const uint32_t **neighbour)
{
    const mt_adjacency *adjacency = context;
    *neighbour = adjacency->neighbour + 4 * (size_t)element;
    return 4;
}

static mt_status count_components(mt_arena *scratch, const mt_adjacency *adjacency, mt_info *info)
{
    uint32_t *seen, *queue;
    MT_ALLOC(scratch, seen, adjacency->n_elements);
    MT_ALLOC(scratch, queue, adjacency->n_elements);
    for (size_t c = 0; c < adjacency->n_elements; c++) {
        if (seen[c]) continue;
        info->n_components++;
        (void)mt_flood((uint32_t)c, 1, neighbours_of, (void *)adjacency, seen, queue);
    }
    return MT_OK;
}

static mt_status count_dangling(mt_arena *scratch, const mt_mesh *mesh, mt_info *info)
{
    uint8_t *used;
    MT_TRY(mt_mesh_used(scratch, mesh, &used));
    for (size_t v = 0; v < mesh->n_vertices; v++) info->n_dangling += !used[v];
    return MT_OK;
}

mt_status mt_info_find(const mt_mesh *mesh, mt_info *info)
{
    *info = (mt_info){.n_vertices = mesh->n_vertices, .n_elements = mesh->n_elements};
    MT_SCRATCH(scratch);
    mt_tags tags;
    MT_TRY(mt_tags_make(scratch, mesh->n_elements, mesh->region, &tags));
    info->n_regions = tags.n;
    MT_TRY(mt_tags_make(scratch, mesh->n_faces, mesh->face_tag, &tags));
    info->n_surfaces = tags.n;
    mt_mesh_box(mesh, info->min_mm, info->max_mm);
    for (size_t c = 0; c < mesh->n_elements; c++) info->volume_mm3 += mt_mesh_volume_mm3(mesh, c);
    if (mesh->n_elements > 0) info->length_mm = cbrt(info->volume_mm3 / (double)mesh->n_elements);
    return MT_OK;
}

mt_status mt_info_make(const mt_mesh *mesh, const mt_adjacency *adjacency, mt_info *info)
{
    MT_TRY(mt_info_find(mesh, info));
    if (mesh->n_elements == 0) return MT_OK;
    info->n_inner_faces = mt_adjacency_inner_faces(adjacency);
    info->n_boundary_faces = mt_adjacency_boundary_faces(adjacency);
    measure_elements(mesh, info);
    measure_angles(mesh, info);
    MT_SCRATCH(scratch);
    MT_TRY(measure_edges(scratch, mesh, &(some){0}, info));
    MT_TRY(count_components(scratch, adjacency, info));
    return count_dangling(scratch, mesh, info);
}

bool mt_info_fibres_alike(const mt_mesh *mesh)
{
    if (!mesh->fibre) return false;
    for (size_t c = 1; c < mesh->n_elements; c++) {
        const double *a = mesh->fibre, *b = mesh->fibre + 3 * c;
        const double sense = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++)
            if (fabs(a[k] - sense * b[k]) > 1e-6) return false;
    }
    return true;
}

/* ---- tags ---- */

typedef double size_of(const mt_mesh *mesh, size_t id);

static mt_status make_groups(mt_arena *arena, const mt_mesh *mesh, size_t n_items, const int32_t *tag,
    size_of *size, size_t *n, mt_info_group **groups)
{
    MT_SCRATCH(scratch);
    mt_tags tags;
    *n = 0;
    MT_TRY(mt_tags_make(scratch, n_items, tag, &tags));
    MT_ALLOC(arena, *groups, tags.n);
    for (size_t t = 0; t < tags.n; t++) {
        mt_info_group *g = *groups + t;
        *g = (mt_info_group){.tag = tags.tag[t], .count = tags.offset[t + 1] - tags.offset[t]};
        for (size_t k = tags.offset[t]; k < tags.offset[t + 1]; k++) g->size += size(mesh, tags.id[k]);
    }
    *n = tags.n;
    return MT_OK;
}

mt_status mt_info_regions(mt_arena *arena, const mt_mesh *mesh, size_t *n, mt_info_group **groups)
{
    return make_groups(arena, mesh, mesh->n_elements, mesh->region, mt_mesh_volume_mm3, n, groups);
}

mt_status mt_info_surfaces(mt_arena *arena, const mt_mesh *mesh, size_t *n, mt_info_group **groups)
{
    return make_groups(arena, mesh, mesh->n_faces, mesh->face_tag, mt_triangle_mm2, n, groups);
}
