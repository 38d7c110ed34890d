#include "app/draw/scene/view.h"

#include <math.h>
#include <string.h>

#include "data/core/offsets.h"
#include "data/core/vec3.h"
#include "mesh/anatomy/fibres.h"

static void normalise(double v[3])
{
    double length = mt_length3(v);
    for (int k = 0; k < 3 && length > 0; k++) v[k] /= length;
}

/* ---- directions ---- */

/* Returns the view of a slab: azimuth 27 degrees, elevation 36 degrees. */
static mt_view single_view(void)
{
    const double a = 27 * M_PI / 180, e = 36 * M_PI / 180;
    return (mt_view){
        .name = "",
        .right = {cos(a), -sin(a), 0},
        .up = {sin(a) * sin(e), cos(a) * sin(e), cos(e)},
        .toward = {-sin(a) * cos(e), -cos(a) * cos(e), sin(e)},
    };
}

/* Returns the view of a heart from this side (unit, perpendicular to its up), from 15 degrees above. */
static mt_view heart_view(const char *name, const double up[3], const double side[3], double sign)
{
    const double sine = 0.26, cosine = sqrt(1 - sine * sine);
    mt_view v = {.name = name};
    for (int k = 0; k < 3; k++) {
        v.toward[k] = sign * cosine * side[k] + sine * up[k];
        v.up[k] = cosine * up[k] - sign * sine * side[k];
    }
    mt_cross3(v.up, v.toward, v.right);
    return v;
}

/* Finds the side of the first view. In an upright position up x (from left to right ventricle) is anterior. A single left ventricle
 * is seen from the smallest y, or x if y is its axis. */
static void find_front(const mt_landmarks *heart, double side[3])
{
    if (mt_dot3(heart->to_rv, heart->to_rv) > 0) {
        mt_cross3(heart->up, heart->to_rv, side);
    } else {
        const int axis = fabs(heart->up[1]) < 0.9 ? 1 : 0;
        for (int k = 0; k < 3; k++) side[k] = heart->up[k] * heart->up[axis] - (k == axis);
    }
    normalise(side);
}

/* The right ventricle is turned 25 degrees towards the viewer of the front. */
mt_status mt_views_find(const mt_mesh *mesh, mt_view views[MT_VIEWS_MAX], size_t *n)
{
    mt_landmarks heart;
    double side[3];
    mt_status status = mt_landmarks_find(mesh, &heart);
    if (status == MT_INPUT) {
        views[0] = single_view();
        *n = 1;
        return MT_OK;
    }
    MT_TRY(status);
    const bool both = mt_dot3(heart.to_rv, heart.to_rv) > 0;
    find_front(&heart, side);
    for (int k = 0; k < 3 && both; k++) side[k] = 0.906 * side[k] + 0.423 * heart.to_rv[k];
    normalise(side);
    views[0] = heart_view(both ? "Anterior view" : "Side view", heart.up, side, 1);
    views[1] = heart_view(both ? "Posterior view" : "Opposite side", heart.up, side, -1);
    *n = 2;
    return MT_OK;
}

mt_status mt_view_cut_find(const mt_mesh *mesh, mt_view *view, bool *found)
{
    mt_landmarks heart;
    const mt_status status = mt_landmarks_find(mesh, &heart);
    *found = status == MT_OK;
    if (!*found) return status == MT_INPUT ? MT_OK : status;
    const bool both = mt_dot3(heart.to_rv, heart.to_rv) > 0;
    *view = (mt_view){.name = both ? "Long-axis cut, anterior part removed" : "Long-axis cut", .cuts = true};
    memcpy(view->up, heart.up, sizeof view->up);
    find_front(&heart, view->toward);
    mt_cross3(view->up, view->toward, view->right);
    view->cut_mm = mt_dot3(view->toward, heart.lv_mm);
    return MT_OK;
}

/* ---- the surface ---- */

static mt_status collect_faces(mt_arena *arena, const mt_adjacency *adjacency, mt_view_surface *s)
{
    const mt_mesh *mesh = s->mesh;
    size_t n = mt_adjacency_boundary_faces(adjacency);
    MT_ALLOC(arena, s->face_vertex, 3 * n);
    MT_ALLOC(arena, s->face_element, n);
    MT_ALLOC(arena, s->face_normal, 3 * n);
    MT_ALLOC(arena, s->normal, 3 * s->mesh->n_vertices);
    for (size_t c = 0; c < mesh->n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            if (adjacency->neighbour[4 * c + f] != MT_NO_ELEMENT) continue;
            uint32_t *vertex = s->face_vertex + 3 * s->n_faces;
            double *normal = s->face_normal + 3 * s->n_faces;
            for (size_t k = 0; k < 3; k++) vertex[k] = mesh->element_vertex[4 * c + mt_mesh_face[f][k]];
            mt_mesh_face_area(mesh, c, f, normal);
            for (size_t k = 0; k < 9; k++) s->normal[3 * (size_t)vertex[k / 3] + k % 3] += normal[k % 3];
            normalise(normal);
            s->face_element[s->n_faces++] = (uint32_t)c;
        }
    for (size_t i = 0; i < s->mesh->n_vertices; i++) normalise(s->normal + 3 * i);
    return MT_OK;
}

/* Adds a correction to every vertex: the volume-weighted mean, over adjacent elements with a value, of the element's value less the
 * mean of its vertices. */
static void correct_values(const mt_mesh *mesh, const float *element_value, const double *volume_mm3,
    double *sum, const double *weight, float *value)
{
    memset(sum, 0, mesh->n_vertices * sizeof *sum);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        if (!isfinite(element_value[c])) continue;
        const uint32_t *vertex = mesh->element_vertex + 4 * c;
        double mean = 0;
        for (int k = 0; k < 4; k++) mean += 0.25 * (double)value[vertex[k]];
        for (int k = 0; k < 4; k++) sum[vertex[k]] += volume_mm3[c] * ((double)element_value[c] - mean);
    }
    for (size_t i = 0; i < mesh->n_vertices; i++)
        if (weight[i] > 0) value[i] += (float)(sum[i] / weight[i]);
}

/* The first correction, from zero, yields the mean of the adjacent elements. At the surface they are all on one side, which would
 * bend isochrones towards edges; further corrections remove most of this. */
static mt_status average_values(mt_arena *arena, mt_view_surface *s)
{
    enum { ROUNDS = 16 };
    const mt_mesh *mesh = s->mesh;
    const float *element_value = s->element_value;
    double *weight, *sum, *volume_mm3;
    MT_ALLOC(arena, weight, mesh->n_vertices);
    MT_ALLOC(arena, sum, mesh->n_vertices);
    MT_ALLOC(arena, volume_mm3, mesh->n_elements);
    MT_ALLOC(arena, s->value, mesh->n_vertices);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        volume_mm3[c] = mt_mesh_volume_mm3(mesh, c);
        for (size_t k = 0; k < 4 && isfinite(element_value[c]); k++)
            weight[mesh->element_vertex[4 * c + k]] += volume_mm3[c];
    }
    for (int round = 0; round < ROUNDS; round++)
        correct_values(mesh, element_value, volume_mm3, sum, weight, s->value);
    return MT_OK;
}

mt_status mt_view_rim_make(mt_arena *arena, mt_view_surface *s, mt_view_rim *rim)
{
    const mt_mesh *mesh = s->mesh;
    uint8_t *outer;
    size_t n = 0;
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, outer, mesh->n_vertices);
    MT_ALLOC(arena, s->value, mesh->n_vertices);
    for (size_t k = 0; k < 3 * s->n_faces; k++) outer[s->face_vertex[k]] = 1;
    for (size_t v = 0; v < mesh->n_vertices; v++) n += outer[v];
    MT_ALLOC(arena, rim->vertex, n);
    MT_ALLOC(arena, rim->mean, n);
    n = 0;
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (outer[v]) rim->vertex[n++] = (uint32_t)v;
    return mt_vertex_stars_make(arena, mesh, n, rim->vertex, &rim->stars);
}

void mt_view_rim_values(mt_view_rim *rim, const float *element_value, mt_view_surface *s)
{
    s->element_value = element_value;
    mt_vertex_stars_mean(&rim->stars, element_value, rim->mean);
    for (size_t k = 0; k < rim->stars.n; k++)
        s->value[rim->vertex[k]] = isnan(rim->mean[k]) ? 0 : (float)rim->mean[k];
}

/* Links the occurrences of each edge, so that finding meetings takes no longer at vertices with many edges. */
static mt_status link_edges(mt_arena *arena, mt_view_surface *s)
{
    MT_SCRATCH(scratch);
    size_t *seen; /* by the higher vertex: 1 + the last visited edge */
    MT_ALLOC(scratch, seen, s->mesh->n_vertices);
    MT_ALLOC(arena, s->edge_again, 3 * s->n_faces);
    for (size_t v = 0; v < s->mesh->n_vertices; v++)
        for (size_t i = s->edge_begin[v + 1]; i-- > s->edge_begin[v];) {
            const size_t again = seen[s->edge_to[i]]; /* at most i if it belongs to an earlier vertex */
            s->edge_again[i] = again > i ? again - 1 : 0;
            seen[s->edge_to[i]] = i + 1;
        }
    return MT_OK;
}

static mt_status sort_edges(mt_arena *arena, mt_view_surface *s)
{
    MT_ALLOC(arena, s->edge_begin, s->mesh->n_vertices + 2);
    MT_ALLOC(arena, s->edge_to, 3 * s->n_faces);
    MT_ALLOC(arena, s->edge_face, 3 * s->n_faces);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < 3 * s->n_faces; k++) {
            uint32_t a = s->face_vertex[k], b = s->face_vertex[k % 3 == 2 ? k - 2 : k + 1];
            uint32_t low = a < b ? a : b, high = a < b ? b : a;
            if (pass == 0)
                s->edge_begin[low + 2]++;
            else {
                size_t at = s->edge_begin[low + 1]++;
                s->edge_to[at] = high;
                s->edge_face[at] = (uint32_t)(k / 3);
            }
        }
        if (pass == 0) mt_offsets_sum(s->edge_begin, s->mesh->n_vertices + 2);
    }
    return link_edges(arena, s);
}

void mt_view_surface_meetings(const mt_view_surface *s, mt_visit_face_pair *meet, void *context)
{
    for (size_t v = 0; v < s->mesh->n_vertices; v++)
        for (size_t i = s->edge_begin[v]; i < s->edge_begin[v + 1]; i++)
            for (size_t k = s->edge_again[i]; k > 0; k = s->edge_again[k])
                meet(context, &(mt_face_pair){(uint32_t)v, s->edge_to[i], s->edge_face[i], s->edge_face[k]});
}

mt_status mt_view_surface_make_flat(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *element_value, mt_view_surface *surface)
{
    *surface = (mt_view_surface){.mesh = mesh, .element_value = element_value};
    MT_TRY(collect_faces(arena, adjacency, surface));
    return sort_edges(arena, surface);
}

mt_status mt_view_surface_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *element_value, mt_view_surface *surface)
{
    MT_TRY(mt_view_surface_make_flat(arena, mesh, adjacency, element_value, surface));
    return average_values(arena, surface);
}

/* ---- from triangles to samples ---- */

static const double flat_cos = 0.82; /* cos 35 degrees: larger angles between faces form a sharp edge */

double mt_view_light(const mt_view *v, const double normal[3])
{
    double lamp[3] = {0.29, 0.60, 0.75}, sum = 0; /* right, up, toward: from above, slightly from the right */
    normalise(lamp);
    sum = lamp[0] * mt_dot3(v->right, normal) + lamp[1] * mt_dot3(v->up, normal) +
          lamp[2] * mt_dot3(v->toward, normal);
    return 0.52 + 0.48 * (0.5 + 0.5 * sum);
}

/* Computes the light at the corners of a face: smooth on a rounded surface, flat at sharp edges. */
static void light_face(const mt_view_surface *s, const mt_view *v, size_t face, double light[3])
{
    const uint32_t *vertex = s->face_vertex + 3 * face;
    const double *normal = s->face_normal + 3 * face;
    for (size_t k = 0; k < 3; k++) {
        const double *around = s->normal + 3 * (size_t)vertex[k];
        light[k] = mt_view_light(v, mt_dot3(around, normal) > flat_cos ? around : normal);
    }
}

static int clamp_int(double x, int low, int high) { return x <= low ? low : x >= high ? high : (int)x; }

mt_box mt_plot_box(const mt_plot *p, double x_low, double x_high, double y_low, double y_high)
{
    return (mt_box){clamp_int(floor(x_low), 0, p->w), clamp_int(floor(y_low), 0, p->h),
        clamp_int(ceil(x_high) + 1, 0, p->w), clamp_int(ceil(y_high) + 1, 0, p->h)};
}

/* Columns, low <= x < high. */
typedef struct columns {
    double low, high;
} columns;

/* Widens the columns to all points of the segment at most `reach` above or below y. */
static void widen(columns *in, const double *from, const double *to, double y, double reach)
{
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    if (fmin(from[1], to[1]) > y + reach || fmax(from[1], to[1]) < y - reach) return;
    for (int side = -1; side <= 1; side += 2) {
        const double f = dy != 0 ? (y + side * reach - from[1]) / dy : 0.5 + 0.5 * side,
                     x = from[0] + dx * fmax(0, fmin(f, 1));
        in->low = fmin(in->low, x);
        in->high = fmax(in->high, x);
    }
}

/* Restricts a box, in this row, to samples less than `reach` from the lines through n corners. Narrow boxes are unchanged. */
static mt_box row_of(
    const mt_plot *p, const mt_box *in, int y, size_t n, const double *const *corner, double reach)
{
    enum { NARROW = 8 };
    columns near = {INFINITY, -INFINITY};
    if (in->x1 - in->x0 <= NARROW) return *in;
    for (size_t k = 0; k < n; k++) widen(&near, corner[k], corner[(k + 1) % n], y + 0.5, reach);
    return near.low <= near.high ? mt_plot_box(p, near.low - reach - 1, near.high + reach, y, y)
                                 : (mt_box){0};
}

void mt_plot_triangle(
    mt_plot *p, size_t face, const double *const corner[3], const double value[3], const double light[3])
{
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (fabs(area) < 1e-12) return;
    mt_box in = mt_plot_box(p, fmin(a[0], fmin(b[0], c[0])), fmax(a[0], fmax(b[0], c[0])),
        fmin(a[1], fmin(b[1], c[1])), fmax(a[1], fmax(b[1], c[1])));
    const double slack = -1e-7; /* prevents gaps between triangles with a common edge */
    for (int y = in.y0; y < in.y1; y++) {
        const mt_box row = row_of(p, &in, y, 3, corner, 1);
        for (int x = row.x0; x < row.x1; x++) {
            double dx = x + 0.5 - a[0], dy = y + 0.5 - a[1];
            double u = (dx * (c[1] - a[1]) - dy * (c[0] - a[0])) / area;
            double w = (dy * (b[0] - a[0]) - dx * (b[1] - a[1])) / area;
            if (u < slack || w < slack || 1 - u - w < slack) continue;
            float depth = (float)(a[2] + u * (b[2] - a[2]) + w * (c[2] - a[2]));
            size_t i = mt_plot_at(p, x, y);
            if (depth <= p->depth[i] || depth > p->cut) continue;
            p->depth[i] = depth;
            p->ink[i] = 0;
            if (p->face) p->face[i] = (uint32_t)face;
            p->value[i] = (float)(value[0] + u * (value[1] - value[0]) + w * (value[2] - value[0]));
            p->light[i] = (float)(light[0] + u * (light[1] - light[0]) + w * (light[2] - light[0]));
        }
    }
}

void mt_plot_face(
    const mt_plot *p, const mt_view_surface *s, size_t face, const double *corner[3], double value[3])
{
    const double own = (double)s->element_value[s->face_element[face]];
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = s->face_vertex[3 * face + k];
        corner[k] = p->sample + 3 * (size_t)vertex;
        value[k] = !isfinite(own) ? NAN : s->value ? (double)s->value[vertex] : own;
    }
}

static void fill_surface(mt_plot *p, const mt_view_surface *s, const mt_view *v)
{
    for (size_t face = 0; face < s->n_faces; face++) {
        const double *corner[3];
        double value[3], light[3];
        if (!mt_view_sees(v, s, face)) continue;
        mt_plot_face(p, s, face, corner, value);
        light_face(s, v, face, light);
        mt_plot_triangle(p, face, corner, value, light);
    }
}

/* Returns the interpolated value; same arithmetic as in mt_plot_triangle. */
static float value_at(const double *const corner[3], const double value[3], double x, double y)
{
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    const double dx = x - a[0], dy = y - a[1];
    const double u = (dx * (c[1] - a[1]) - dy * (c[0] - a[0])) / area;
    const double w = (dy * (b[0] - a[0]) - dx * (b[1] - a[1])) / area;
    return (float)(value[0] + u * (value[1] - value[0]) + w * (value[2] - value[0]));
}

static void revalue_row(mt_plot *p, const mt_view_surface *s, int y)
{
    const double *corner[3] = {p->sample, p->sample, p->sample};
    double value[3] = {0};
    size_t face = SIZE_MAX; /* face of `corner` and `value` */
    for (int x = 0; x < p->w; x++) {
        const size_t i = mt_plot_at(p, x, y);
        if (!(p->depth[i] > 0)) continue;
        if (p->face[i] != face) {
            face = p->face[i];
            mt_plot_face(p, s, face, corner, value);
        }
        p->value[i] = value_at(corner, value, x + 0.5, y + 0.5);
    }
}

void mt_plot_revalue(mt_plot *p, const mt_view_surface *s)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < p->h; y++) revalue_row(p, s, y);
}

/* ---- lines ---- */

const double mt_plot_depth_slack = 0.006;

bool mt_plot_shows(const mt_plot *p, size_t sample, double depth)
{
    const double rounding = 1e-6; /* of the depth of the cutting plane */
    return depth >= (double)p->depth[sample] - mt_plot_depth_slack && depth <= (double)p->cut + rounding;
}

static double nearest_on(const mt_plot_segment *cut, double x, double y, double *distance)
{
    double dx = cut->to[0] - cut->from[0], dy = cut->to[1] - cut->from[1], length2 = dx * dx + dy * dy;
    double f = length2 > 0 ? ((x - cut->from[0]) * dx + (y - cut->from[1]) * dy) / length2 : 0;
    f = f > 0 ? fmin(f, 1) : 0;
    *distance = hypot(cut->from[0] + f * dx - x, cut->from[1] + f * dy - y);
    return cut->from[2] + f * (cut->to[2] - cut->from[2]);
}

void mt_plot_ink(mt_plot *p, const mt_plot_segment *cut, double half, double strength)
{
    double reach = half + 0.5;
    mt_box in = mt_plot_box(p, fmin(cut->from[0], cut->to[0]) - reach, fmax(cut->from[0], cut->to[0]) + reach,
        fmin(cut->from[1], cut->to[1]) - reach, fmax(cut->from[1], cut->to[1]) + reach);
    for (int y = in.y0; y < in.y1; y++) {
        const mt_box row = row_of(p, &in, y, 2, (const double *const[]){cut->from, cut->to}, reach);
        for (int x = row.x0; x < row.x1; x++) {
            double distance, depth = nearest_on(cut, x + 0.5, y + 0.5, &distance);
            double cover = fmin(1, reach - distance);
            size_t i = mt_plot_at(p, x, y);
            if (cover <= 0 || !mt_plot_shows(p, i, depth)) continue;
            uint8_t ink = (uint8_t)(255 * strength * cover + 0.5);
            if (ink > p->ink[i]) p->ink[i] = ink;
        }
    }
}

mt_plot_segment mt_plot_edge(const mt_plot *p, const mt_face_pair *meeting)
{
    mt_plot_segment line;
    memcpy(line.from, p->sample + 3 * (size_t)meeting->a, sizeof line.from);
    memcpy(line.to, p->sample + 3 * (size_t)meeting->b, sizeof line.to);
    return line;
}

typedef struct drawing {
    mt_plot *plot;
    const mt_view_surface *surface;
    const mt_view *view;
} drawing;

/* Inks a sharp edge: two faces at more than 35 degrees, at least one of them visible. */
static void draw_edge(void *context, const mt_face_pair *meeting)
{
    const drawing *d = context;
    const double *n = d->surface->face_normal + 3 * (size_t)meeting->face,
                 *m = d->surface->face_normal + 3 * (size_t)meeting->other;
    if (mt_dot3(n, m) > flat_cos) return;
    if (!mt_view_sees(d->view, d->surface, meeting->face) &&
        !mt_view_sees(d->view, d->surface, meeting->other))
        return;
    const mt_plot_segment line = mt_plot_edge(d->plot, meeting);
    mt_plot_ink(d->plot, &line, 0.5 * MT_VIEW_SUPER, 0.45);
}

/* ---- the plot ---- */

bool mt_view_sees(const mt_view *v, const mt_view_surface *s, size_t face)
{
    return mt_dot3(s->face_normal + 3 * face, v->toward) > 0;
}

static void extend(const mt_view *v, const double *at_mm, double low[3], double high[3])
{
    const double *axes[3] = {v->right, v->up, v->toward};
    for (size_t axis = 0; axis < 3; axis++) {
        const double x = mt_dot3(axes[axis], at_mm);
        low[axis] = fmin(low[axis], x);
        high[axis] = fmax(high[axis], x);
    }
}

/* Computes the extent of the surface and the further places along right, up and toward [mm]. */
static void extent(const mt_view *v, const mt_view_surface *s, double low[3], double high[3])
{
    for (size_t axis = 0; axis < 3; axis++) low[axis] = INFINITY, high[axis] = -INFINITY;
    for (size_t k = 0; k < 3 * s->n_faces; k++)
        extend(v, s->mesh->xyz_mm + 3 * (size_t)s->face_vertex[k], low, high);
    for (size_t k = 0; k < s->n_places; k++) extend(v, s->place_mm + 3 * k, low, high);
}

double mt_view_scale(const mt_view *v, const mt_view_surface *s, int w, int h)
{
    double low[3], high[3], margin = 4 * MT_VIEW_SUPER;
    extent(v, s, low, high);
    return fmin((w - 2 * margin) / (high[0] - low[0]), (h - 2 * margin) / (high[1] - low[1]));
}

void mt_plot_place(const mt_plot *p, const mt_view *v, const double at_mm[3], double sample[3])
{
    const mt_plot_scale *c = &p->scale;
    sample[0] = 0.5 * p->w + (mt_dot3(v->right, at_mm) - c->middle_right) * c->samples_per_mm;
    sample[1] = 0.5 * p->h - (mt_dot3(v->up, at_mm) - c->middle_up) * c->samples_per_mm;
    sample[2] = 1 + (mt_dot3(v->toward, at_mm) - c->farthest) / (c->nearest - c->farthest);
}

static void place_vertices(mt_plot *p, const mt_view_surface *s, const mt_view *v, double samples_per_mm)
{
    double low[3], high[3];
    extent(v, s, low, high);
    const double farthest = low[2], nearest = high[2] > low[2] ? high[2] : low[2] + 1;
    p->scale = (mt_plot_scale){
        0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), farthest, nearest, samples_per_mm};
    p->cut = v->cuts ? (float)(1 + (v->cut_mm - farthest) / (nearest - farthest)) : INFINITY;
    for (size_t i = 0; i < s->mesh->n_vertices; i++)
        mt_plot_place(p, v, s->mesh->xyz_mm + 3 * i, p->sample + 3 * i);
}

mt_status mt_plot_make(mt_arena *arena, const mt_view_surface *surface, const mt_view *view,
    double samples_per_mm, int w, int h, bool moves, mt_plot *plot)
{
    const size_t n = (size_t)w * (size_t)h;
    *plot = (mt_plot){.w = w, .h = h};
    MT_ALLOC(arena, plot->depth, n);
    MT_ALLOC(arena, plot->value, n);
    MT_ALLOC(arena, plot->light, n);
    MT_ALLOC(arena, plot->ink, n);
    if (moves) MT_ALLOC(arena, plot->face, n);
    MT_ALLOC(arena, plot->sample, 3 * surface->mesh->n_vertices);
    place_vertices(plot, surface, view, samples_per_mm);
    fill_surface(plot, surface, view);
    mt_view_surface_meetings(surface, draw_edge, &(drawing){plot, surface, view});
    return MT_OK;
}
