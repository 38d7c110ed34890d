#include "app/picture.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "data/file.h"

/* Everything below counts in samples: SUPER x SUPER of them make a pixel. The surface is drawn into the plot,
 * a part of the page; title, colour bar and axes stand around it. */
enum {
    SUPER = 2,
    PLOT_X = 50,
    PLOT_Y = 96,
    PLOT_W = MT_PICTURE_WIDTH - 2 * PLOT_X,
    PLOT_H = 750, /* pixels */
    N_W = PLOT_W * SUPER,
    N_H = PLOT_H * SUPER,
    LEVELS_MAX = 32
};

static const double pi = 3.14159265358979323846;

/* ---- colours ---- */

/* OKLab to linear-light sRGB: B. Ottosson, "A perceptual color space for image processing" (2020),
 * bottosson.github.io. */
static void oklab_to_linear(double lightness, double a, double b, double linear[3])
{
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    linear[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    linear[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    linear[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

/* Uniform Catmull-Rom spline through p[0..4] on [0, 1], continued straight beyond its ends. */
static double spline(const double p[5], double t)
{
    int k = t < 1 ? (int)(4 * t) : 3;
    double f = 4 * t - k;
    double before = k > 0 ? p[k - 1] : 2 * p[0] - p[1], after = k < 3 ? p[k + 2] : 2 * p[4] - p[3];
    double from = p[k], to = p[k + 1];
    return from +
           0.5 * f *
               (to - before +
                   f * (2 * before - 5 * from + 4 * to - after + f * (3 * (from - to) + after - before)));
}

void mt_picture_colour(double t, double linear[3])
{
    /* From violet over blue and green to yellow; the chroma stays inside what sRGB can show at that
     * lightness. */
    static const double chroma[5] = {0.145, 0.126, 0.104, 0.155, 0.178};
    static const double hue_degrees[5] = {300, 264, 202, 152, 106};
    t = t > 0 ? fmin(t, 1) : 0;
    double c = spline(chroma, t), h = spline(hue_degrees, t) * pi / 180;
    oklab_to_linear(0.36 + 0.56 * t, c * cos(h), c * sin(h), linear);
    for (int k = 0; k < 3; k++) linear[k] = fmax(0, fmin(linear[k], 1));
}

/* The transfer function of IEC 61966-2-1 (sRGB). */
static double srgb_of_linear(double x)
{
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static const double grey_linear = 0.55; /* of what was never activated */

/* ---- scale of times ---- */

double mt_picture_interval_ms(double range_ms)
{
    enum { MOST = 14 };
    if (!(range_ms > 0) || !isfinite(range_ms)) return 1;
    double power = pow(10, floor(log10(range_ms / MOST)));
    double steps[] = {1, 2, 5, 10};
    for (int k = 0; k < 3; k++)
        if (range_ms <= MOST * steps[k] * power * (1 + 1e-9)) return steps[k] * power;
    return 10 * power;
}

/* The levels are k * interval, first <= k <= last; they enclose all times. */
typedef struct scale {
    double interval_ms;
    double first, last; /* whole numbers; last > first */
    bool any;           /* was anything activated? */
    bool all;           /* was everything? */
} scale;

static scale make_scale(const float *activation_ms, size_t n_cells)
{
    double low = INFINITY, high = -INFINITY;
    scale s = {.interval_ms = 1, .last = 1, .all = true};
    for (size_t c = 0; c < n_cells; c++) {
        double t = (double)activation_ms[c];
        if (!isfinite(t)) {
            s.all = false;
            continue;
        }
        low = fmin(low, t);
        high = fmax(high, t);
    }
    s.any = low <= high;
    if (!s.any) return s;
    s.interval_ms = mt_picture_interval_ms(high - low);
    s.first = floor(low / s.interval_ms);
    s.last = fmax(ceil(high / s.interval_ms), s.first + 1);
    return s;
}

static double scale_position(const scale *s, double time_ms)
{
    return (time_ms / s->interval_ms - s->first) / (s->last - s->first);
}

/* Every how many levels a label: so that there are at most `most`. */
static int label_stride(const scale *s, int most)
{
    static const int strides[] = {1, 2, 5, 10};
    for (int k = 0; k < 4; k++)
        if ((s->last - s->first) / strides[k] <= most) return strides[k];
    return 20;
}

static void label_text(const scale *s, double level, char out[32])
{
    int decimals = s->interval_ms < 1 ? (int)ceil(-log10(s->interval_ms) - 1e-9) : 0;
    (void)snprintf(out, 32, "%.*f", decimals, level * s->interval_ms + 0.0);
}

/* ---- the surface ---- */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The view: x to the right, y away from us and to the left, z up. An azimuth and elevation at which the three
 * sides of a slab are seen, the largest one widest. right, up and toward (us) are orthonormal and
 * right-handed. */
typedef struct view {
    double right[3], up[3], toward[3];
    double middle_right, middle_up; /* mm; drawn in the middle of the plot */
    double samples_per_mm;
    double nearest, farthest; /* mm along toward */
} view;

static view make_view(void)
{
    double a = 27 * pi / 180, e = 36 * pi / 180;
    return (view){
        .right = {cos(a), -sin(a), 0},
        .up = {sin(a) * sin(e), cos(a) * sin(e), cos(e)},
        .toward = {-sin(a) * cos(e), -cos(a) * cos(e), sin(e)},
    };
}

/* The outer faces, and what belongs to vertices (of the mesh; zero where a vertex is inside). */
typedef struct surface {
    size_t n_faces, n_vertices;
    uint32_t *face_vertex; /* [n_faces][3], counter-clockwise seen from outside */
    uint32_t *face_cell;   /* [n_faces] */
    double *face_normal;   /* [n_faces][3], unit, outward */
    double *normal;        /* [n_vertices][3], unit, the mean over the faces around; zero inside */
    double *sample;        /* [n_vertices][3]: x right, y down in samples; z in [1, 2], growing toward us */
    float *time_ms;        /* [n_vertices]; 0 where no cell around is activated */
} surface;

static void normalise(double v[3])
{
    double length = sqrt(dot(v, v));
    for (int k = 0; k < 3 && length > 0; k++) v[k] /= length;
}

static mt_status collect_faces(
    mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency, surface *s)
{
    size_t n = mt_adjacency_boundary_faces(adjacency);
    s->n_vertices = mesh->n_vertices;
    MT_TAKE(arena, s->face_vertex, 3 * n);
    MT_TAKE(arena, s->face_cell, n);
    MT_TAKE(arena, s->face_normal, 3 * n);
    MT_TAKE(arena, s->normal, 3 * s->n_vertices);
    for (size_t c = 0; c < mesh->n_cells; c++)
        for (size_t f = 0; f < 4; f++) {
            if (adjacency->neighbour[4 * c + f] != MT_NO_CELL) continue;
            uint32_t *vertex = s->face_vertex + 3 * s->n_faces;
            double *normal = s->face_normal + 3 * s->n_faces;
            for (size_t k = 0; k < 3; k++) vertex[k] = mesh->cell_vertex[4 * c + mt_mesh_face[f][k]];
            mt_mesh_face_area(mesh, c, f, normal);
            for (size_t k = 0; k < 9; k++) s->normal[3 * (size_t)vertex[k / 3] + k % 3] += normal[k % 3];
            normalise(normal);
            s->face_cell[s->n_faces++] = (uint32_t)c;
        }
    for (size_t i = 0; i < s->n_vertices; i++) normalise(s->normal + 3 * i);
    return MT_OK;
}

static bool is_front(const surface *s, const view *v, size_t face)
{
    return dot(s->face_normal + 3 * face, v->toward) > 0;
}

/* Adds to every vertex the volume-weighted mean, over the activated cells around, of what the mean of a
 * cell's four vertices lacks to the cell's own time. */
static void correct_times(const mt_mesh *mesh, const float *activation_ms, const double *volume_mm3,
    double *sum, const double *weight, float *time_ms)
{
    memset(sum, 0, mesh->n_vertices * sizeof *sum);
    for (size_t c = 0; c < mesh->n_cells; c++) {
        if (!isfinite(activation_ms[c])) continue;
        const uint32_t *vertex = mesh->cell_vertex + 4 * c;
        double mean = 0;
        for (int k = 0; k < 4; k++) mean += 0.25 * (double)time_ms[vertex[k]];
        for (int k = 0; k < 4; k++) sum[vertex[k]] += volume_mm3[c] * ((double)activation_ms[c] - mean);
    }
    for (size_t i = 0; i < mesh->n_vertices; i++)
        if (weight[i] > 0) time_ms[i] += (float)(sum[i] / weight[i]);
}

/* From zero, the first correction gives the mean of the cells around. At the surface these all lie on one
 * side, which would bend the isochrones towards edges; a few more corrections take most of that away. */
static mt_status average_times(mt_arena *arena, const mt_mesh *mesh, const float *activation_ms, surface *s)
{
    enum { ROUNDS = 16 };
    double *weight, *sum, *volume_mm3;
    MT_TAKE(arena, weight, mesh->n_vertices);
    MT_TAKE(arena, sum, mesh->n_vertices);
    MT_TAKE(arena, volume_mm3, mesh->n_cells);
    MT_TAKE(arena, s->time_ms, mesh->n_vertices);
    for (size_t c = 0; c < mesh->n_cells; c++) {
        volume_mm3[c] = mt_mesh_volume_mm3(mesh, c);
        for (size_t k = 0; k < 4 && isfinite(activation_ms[c]); k++)
            weight[mesh->cell_vertex[4 * c + k]] += volume_mm3[c];
    }
    for (int round = 0; round < ROUNDS; round++)
        correct_times(mesh, activation_ms, volume_mm3, sum, weight, s->time_ms);
    return MT_OK;
}

/* Fits the surface into the plot and brings their vertices there. */
static mt_status place_vertices(mt_arena *arena, const mt_mesh *mesh, view *v, surface *s)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double *axes[3] = {v->right, v->up, v->toward};
    for (size_t k = 0; k < 3 * s->n_faces; k++)
        for (size_t axis = 0; axis < 3; axis++) {
            double x = dot(axes[axis], mesh->xyz_mm + 3 * (size_t)s->face_vertex[k]);
            low[axis] = fmin(low[axis], x);
            high[axis] = fmax(high[axis], x);
        }
    double margin = 4 * SUPER;
    v->samples_per_mm =
        fmin((N_W - 2 * margin) / (high[0] - low[0]), (N_H - 2 * margin) / (high[1] - low[1]));
    v->middle_right = 0.5 * (low[0] + high[0]);
    v->middle_up = 0.5 * (low[1] + high[1]);
    v->farthest = low[2];
    v->nearest = high[2] > low[2] ? high[2] : low[2] + 1;

    MT_TAKE(arena, s->sample, 3 * mesh->n_vertices);
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        const double *x = mesh->xyz_mm + 3 * i;
        s->sample[3 * i] = 0.5 * N_W + (dot(v->right, x) - v->middle_right) * v->samples_per_mm;
        s->sample[3 * i + 1] = 0.5 * N_H - (dot(v->up, x) - v->middle_up) * v->samples_per_mm;
        s->sample[3 * i + 2] = 1 + (dot(v->toward, x) - v->farthest) / (v->nearest - v->farthest);
    }
    return MT_OK;
}

static const double flat_cos =
    0.82; /* cos 35 degrees: faces that turn by more meet at an edge of the shape */

/* How much light a surface of this normal sends to us: 1 is the colour itself. */
static double light_on(const view *v, const double normal[3])
{
    double lamp[3] = {0.29, 0.60, 0.75}, sum = 0; /* right, up, toward: from above, a little to the right */
    normalise(lamp);
    sum = lamp[0] * dot(v->right, normal) + lamp[1] * dot(v->up, normal) + lamp[2] * dot(v->toward, normal);
    return 0.52 + 0.48 * (0.5 + 0.5 * sum);
}

/* Light at the corners of a face: smooth over a rounded surface, flat where it meets others at an edge. */
static void light_face(const surface *s, const view *v, size_t face, double light[3])
{
    const uint32_t *vertex = s->face_vertex + 3 * face;
    const double *normal = s->face_normal + 3 * face;
    for (size_t k = 0; k < 3; k++) {
        const double *around = s->normal + 3 * (size_t)vertex[k];
        light[k] = light_on(v, dot(around, normal) > flat_cos ? around : normal);
    }
}

/* ---- from triangles to samples ---- */

/* What each sample shows. depth 0: nothing; time NaN: never activated; ink 0..255: how much isochrone. */
typedef struct plot {
    float *depth, *time_ms, *light; /* [N_H][N_W] */
    uint8_t *ink;
} plot;

static mt_status make_plot(mt_arena *arena, plot *p)
{
    MT_TAKE(arena, p->depth, (size_t)N_W * N_H);
    MT_TAKE(arena, p->time_ms, (size_t)N_W * N_H);
    MT_TAKE(arena, p->light, (size_t)N_W * N_H);
    MT_TAKE(arena, p->ink, (size_t)N_W * N_H);
    return MT_OK;
}

typedef struct box {
    int x0, y0, x1, y1; /* samples x0 <= x < x1, y0 <= y < y1; inside the plot */
} box;

static int clamp_int(double x, int low, int high) { return x <= low ? low : x >= high ? high : (int)x; }

static box box_around(double x_low, double x_high, double y_low, double y_high)
{
    return (box){clamp_int(floor(x_low), 0, N_W), clamp_int(floor(y_low), 0, N_H),
        clamp_int(ceil(x_high) + 1, 0, N_W), clamp_int(ceil(y_high) + 1, 0, N_H)};
}

/* a, b, c: the corners in samples, each with depth. Fills samples whose centre is inside and nearest yet. */
static void fill_triangle(
    plot *p, const double *const corner[3], const double time_ms[3], const double light[3])
{
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (fabs(area) < 1e-12) return;
    box in = box_around(fmin(a[0], fmin(b[0], c[0])), fmax(a[0], fmax(b[0], c[0])),
        fmin(a[1], fmin(b[1], c[1])), fmax(a[1], fmax(b[1], c[1])));
    const double slack = -1e-7; /* two triangles that share an edge leave no gap on it */
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            double dx = x + 0.5 - a[0], dy = y + 0.5 - a[1];
            double u = (dx * (c[1] - a[1]) - dy * (c[0] - a[0])) / area;
            double w = (dy * (b[0] - a[0]) - dx * (b[1] - a[1])) / area;
            if (u < slack || w < slack || 1 - u - w < slack) continue;
            float depth = (float)(a[2] + u * (b[2] - a[2]) + w * (c[2] - a[2]));
            size_t i = (size_t)y * N_W + (size_t)x;
            if (depth <= p->depth[i]) continue;
            p->depth[i] = depth;
            p->time_ms[i] =
                (float)(time_ms[0] + u * (time_ms[1] - time_ms[0]) + w * (time_ms[2] - time_ms[0]));
            p->light[i] = (float)(light[0] + u * (light[1] - light[0]) + w * (light[2] - light[0]));
        }
}

/* Corners and times of a face; the times are NaN where its cell was never activated. */
static void get_face(
    const surface *s, const float *activation_ms, size_t face, const double *corner[3], double time_ms[3])
{
    bool active = isfinite(activation_ms[s->face_cell[face]]);
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = s->face_vertex[3 * face + k];
        corner[k] = s->sample + 3 * (size_t)vertex;
        time_ms[k] = active ? (double)s->time_ms[vertex] : NAN;
    }
}

static void fill_surface(plot *p, const surface *s, const view *v, const float *activation_ms)
{
    for (size_t face = 0; face < s->n_faces; face++) {
        const double *corner[3];
        double time_ms[3], light[3];
        if (!is_front(s, v, face)) continue;
        get_face(s, activation_ms, face, corner, time_ms);
        light_face(s, v, face, light);
        fill_triangle(p, corner, time_ms, light);
    }
}

/* ---- lines on the surface ---- */

typedef struct segment {
    double from[3], to[3]; /* samples, with depth */
} segment;

/* Hidden is what lies deeper than what is seen there, by more than this part of the depth of the whole. */
static const double depth_slack = 0.006;

static double nearest_on(const segment *cut, double x, double y, double *distance)
{
    double dx = cut->to[0] - cut->from[0], dy = cut->to[1] - cut->from[1], length2 = dx * dx + dy * dy;
    double f = length2 > 0 ? ((x - cut->from[0]) * dx + (y - cut->from[1]) * dy) / length2 : 0;
    f = f > 0 ? fmin(f, 1) : 0;
    *distance = hypot(cut->from[0] + f * dx - x, cut->from[1] + f * dy - y);
    return cut->from[2] + f * (cut->to[2] - cut->from[2]);
}

/* Inks the samples within `half` of the segment, with soft edges, where it is seen. */
static void ink_segment(plot *p, const segment *cut, double half, double strength)
{
    double reach = half + 0.5;
    box in = box_around(fmin(cut->from[0], cut->to[0]) - reach, fmax(cut->from[0], cut->to[0]) + reach,
        fmin(cut->from[1], cut->to[1]) - reach, fmax(cut->from[1], cut->to[1]) + reach);
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            double distance, depth = nearest_on(cut, x + 0.5, y + 0.5, &distance);
            double cover = fmin(1, reach - distance);
            size_t i = (size_t)y * N_W + (size_t)x;
            if (cover <= 0 || depth < (double)p->depth[i] - depth_slack) continue;
            uint8_t ink = (uint8_t)(255 * strength * cover + 0.5);
            if (ink > p->ink[i]) p->ink[i] = ink;
        }
}

/* The edges of the surface, each twice, once with either face, sorted by their lower vertex. */
typedef struct edges {
    size_t *begin;       /* [n_vertices + 1] */
    uint32_t *to, *face; /* [3 n_faces]; of edge e the higher vertex and the face */
} edges;

static mt_status sort_edges(mt_arena *arena, const surface *s, edges *e)
{
    MT_TAKE(arena, e->begin, s->n_vertices + 2);
    MT_TAKE(arena, e->to, 3 * s->n_faces);
    MT_TAKE(arena, e->face, 3 * s->n_faces);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < 3 * s->n_faces; k++) {
            uint32_t a = s->face_vertex[k], b = s->face_vertex[k % 3 == 2 ? k - 2 : k + 1];
            uint32_t low = a < b ? a : b, high = a < b ? b : a;
            if (pass == 0)
                e->begin[low + 2]++; /* counted two places on, filled one place on */
            else {
                size_t at = e->begin[low + 1]++;
                e->to[at] = high;
                e->face[at] = (uint32_t)(k / 3);
            }
        }
        for (size_t i = 0; pass == 0 && i < s->n_vertices; i++) e->begin[i + 2] += e->begin[i + 1];
    }
    return MT_OK;
}

/* Inks the edges of the shape: where two faces meet that turn by more than 35 degrees, one of them seen. */
static mt_status draw_edges(mt_arena *arena, plot *p, const surface *s, const view *v)
{
    edges e;
    MT_TRY(sort_edges(arena, s, &e));
    for (size_t i = 0; i < s->n_vertices; i++)
        for (size_t a = e.begin[i]; a < e.begin[i + 1]; a++)
            for (size_t b = a + 1; b < e.begin[i + 1]; b++) {
                const double *n = s->face_normal + 3 * (size_t)e.face[a],
                             *m = s->face_normal + 3 * (size_t)e.face[b];
                segment line;
                if (e.to[a] != e.to[b] || dot(n, m) > flat_cos) continue;
                if (!is_front(s, v, e.face[a]) && !is_front(s, v, e.face[b])) continue;
                memcpy(line.from, s->sample + 3 * i, sizeof line.from);
                memcpy(line.to, s->sample + 3 * (size_t)e.to[a], sizeof line.to);
                ink_segment(p, &line, 0.5 * SUPER, 0.45);
            }
    return MT_OK;
}

/* ---- isochrones and their labels ---- */

/* Where the level crosses the triangle: false where it does not. */
static bool cross_level(const double *const corner[3], const double time_ms[3], double level_ms, segment *cut)
{
    double *end[2] = {cut->from, cut->to};
    int n = 0;
    for (int k = 0; k < 3 && n < 2; k++) {
        int next = (k + 1) % 3;
        if ((time_ms[k] < level_ms) == (time_ms[next] < level_ms)) continue;
        double f = (level_ms - time_ms[k]) / (time_ms[next] - time_ms[k]);
        for (int axis = 0; axis < 3; axis++)
            end[n][axis] = corner[k][axis] + f * (corner[next][axis] - corner[k][axis]);
        n++;
    }
    return n == 2;
}

typedef struct label {
    bool set;
    double x, y, score; /* samples; the lower the better */
} label;

typedef struct labels {
    int stride;
    double half_w, half_h;       /* of the gap they need, samples */
    double x, y, axis_x, axis_y; /* a line along what is seen: labels seek to stand on it */
    label at[LEVELS_MAX];        /* level k at [k - first] */
} labels;

/* The line: through the middle of what is seen, along its longer axis. */
static void find_axis(const plot *p, labels *l)
{
    double n = 0, sx = 0, sy = 0, xx = 0, xy = 0, yy = 0;
    for (int y = 0; y < N_H; y += 4)
        for (int x = 0; x < N_W; x += 4) {
            if (p->depth[(size_t)y * N_W + (size_t)x] <= 0) continue;
            n++, sx += x, sy += y, xx += (double)x * x, xy += (double)x * y, yy += (double)y * y;
        }
    n = fmax(n, 1);
    l->x = sx / n, l->y = sy / n;
    xx = xx / n - l->x * l->x, yy = yy / n - l->y * l->y, xy = xy / n - l->x * l->y;
    double angle = 0.5 * atan2(2 * xy, xx - yy);
    l->axis_x = cos(angle), l->axis_y = sin(angle);
}

/* Is the surface whole and flat all over the label's place, at that depth? */
static bool place_is_flat(const plot *p, const labels *l, double x, double y, double depth)
{
    enum { HALF = 3 };
    double light = -1;
    for (int j = -HALF; j <= HALF; j++)
        for (int i = -HALF; i <= HALF; i++) {
            double at_x = x + 1.5 * l->half_w * i / HALF, at_y = y + 1.7 * l->half_h * j / HALF;
            if (at_x < 0 || at_y < 0 || at_x >= N_W || at_y >= N_H) return false;
            size_t k = (size_t)at_y * N_W + (size_t)at_x;
            if (light < 0) light = (double)p->light[k];
            if (p->depth[k] <= 0 || !isfinite(p->time_ms[k]) || fabs((double)p->light[k] - light) > 0.04 ||
                fabs((double)p->depth[k] - depth) > 0.2)
                return false;
        }
    return true;
}

static void offer_place(const plot *p, labels *l, int level, const segment *cut)
{
    double x = 0.5 * (cut->from[0] + cut->to[0]), y = 0.5 * (cut->from[1] + cut->to[1]);
    double depth = 0.5 * (cut->from[2] + cut->to[2]);
    label *best = &l->at[level];
    double score = fabs((x - l->x) * l->axis_y - (y - l->y) * l->axis_x);
    if (best->set && score >= best->score) return;
    if (x < 0 || y < 0 || x >= N_W || y >= N_H) return;
    if (depth < (double)p->depth[(size_t)y * N_W + (size_t)x] - depth_slack ||
        !place_is_flat(p, l, x, y, depth))
        return;
    *best = (label){true, x, y, score};
}

/* Of two that would touch, the later goes. */
static void part_labels(labels *l)
{
    for (int i = 0; i < LEVELS_MAX; i++)
        for (int j = 0; j < i; j++)
            if (l->at[i].set && l->at[j].set && fabs(l->at[i].x - l->at[j].x) < 2.6 * l->half_w &&
                fabs(l->at[i].y - l->at[j].y) < 2.6 * l->half_h)
                l->at[i].set = false;
}

/* Takes the ink away below a label. */
static void clear_below(plot *p, const labels *l, const label *at)
{
    box in = box_around(at->x - l->half_w, at->x + l->half_w, at->y - l->half_h, at->y + l->half_h);
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            double u = (x + 0.5 - at->x) / l->half_w, v = (y + 0.5 - at->y) / l->half_h;
            if (u * u * u * u + v * v * v * v < 1) p->ink[(size_t)y * N_W + (size_t)x] = 0;
        }
}

/* For every piece of every isochrone inside the scale: inks it, or offers its middle to a label. */
static void walk_isochrones(
    plot *p, const surface *s, const view *v, const float *activation_ms, const scale *times, labels *offer)
{
    for (size_t face = 0; face < s->n_faces; face++) {
        const double *corner[3];
        double time_ms[3];
        segment cut;
        if (!is_front(s, v, face)) continue;
        get_face(s, activation_ms, face, corner, time_ms);
        if (isnan(time_ms[0])) continue;
        double low = fmin(time_ms[0], fmin(time_ms[1], time_ms[2]));
        double high = fmax(time_ms[0], fmax(time_ms[1], time_ms[2]));
        double from = fmax(ceil(low / times->interval_ms), times->first + 1);
        double to = fmin(floor(high / times->interval_ms), times->last - 1);
        for (double level = from; level <= to; level++) {
            if (!cross_level(corner, time_ms, level * times->interval_ms, &cut)) continue;
            bool fifth = fmod(level, 5) == 0;
            if (!offer)
                ink_segment(p, &cut, (fifth ? 0.9 : 0.6) * SUPER, fifth ? 1 : 0.9);
            else if (fmod(level, offer->stride) == 0)
                offer_place(p, offer, (int)(level - times->first), &cut);
        }
    }
}

static void draw_isochrones(
    plot *p, const surface *s, const view *v, const float *activation_ms, const scale *times, labels *l)
{
    char text[32];
    double longest = 1;
    for (double level = times->first; level <= times->last; level++) {
        label_text(times, level, text);
        longest = fmax(longest, (double)strlen(text));
    }
    *l = (labels){
        .stride = label_stride(times, 14), .half_w = SUPER * (4.6 * longest + 5), .half_h = SUPER * 10};
    find_axis(p, l);
    walk_isochrones(p, s, v, activation_ms, times, l);
    part_labels(l);
    walk_isochrones(p, s, v, activation_ms, times, NULL);
    for (int k = 0; k < LEVELS_MAX; k++)
        if (l->at[k].set) clear_below(p, l, &l->at[k]);
}

/* ---- from samples to pixels ---- */

enum { SHADES = 1024, GAMMA = 4096 };

typedef struct palette {
    float linear[SHADES + 1][3];
    uint8_t srgb[GAMMA + 1];
} palette;

static void make_palette(palette *colours)
{
    for (int k = 0; k <= SHADES; k++) {
        double linear[3];
        mt_picture_colour((double)k / SHADES, linear);
        for (int i = 0; i < 3; i++) colours->linear[k][i] = (float)linear[i];
    }
    for (int k = 0; k <= GAMMA; k++)
        colours->srgb[k] = (uint8_t)(255 * srgb_of_linear((double)k / GAMMA) + 0.5);
}

/* Adds the linear light of a sample. */
static void add_sample(const plot *p, const palette *colours, const scale *times, size_t i, double sum[3])
{
    if (p->depth[i] <= 0) {
        for (int k = 0; k < 3; k++) sum[k] += 1; /* paper */
        return;
    }
    bool active = isfinite(p->time_ms[i]);
    double position = active ? scale_position(times, (double)p->time_ms[i]) : 0;
    int shade = clamp_int(position * SHADES + 0.5, 0, SHADES);
    double light = (double)p->light[i] * (1 - 0.80 * p->ink[i] / 255.0);
    for (int k = 0; k < 3; k++) sum[k] += light * (active ? (double)colours->linear[shade][k] : grey_linear);
}

static void resolve(const plot *p, const palette *colours, const scale *times, cairo_surface_t *page)
{
    unsigned char *bytes = cairo_image_surface_get_data(page);
    size_t stride = (size_t)cairo_image_surface_get_stride(page);
    for (size_t y = 0; y < PLOT_H; y++)
        for (size_t x = 0; x < PLOT_W; x++) {
            double sum[3] = {0, 0, 0};
            uint32_t pixel = 0xFF;
            for (size_t k = 0; k < SUPER * SUPER; k++)
                add_sample(p, colours, times, (y * SUPER + k / SUPER) * N_W + x * SUPER + k % SUPER, sum);
            for (int k = 0; k < 3; k++)
                pixel =
                    pixel << 8 | colours->srgb[clamp_int(sum[k] * GAMMA / (SUPER * SUPER) + 0.5, 0, GAMMA)];
            memcpy(bytes + (y + PLOT_Y) * stride + 4 * (x + PLOT_X), &pixel, sizeof pixel);
        }
}

/* ---- words and lines ---- */

enum anchor { START, MIDDLE, END };

static const double ink_grey = 0.13, soft_grey = 0.38;

static void set_grey(cairo_t *cr, double grey) { cairo_set_source_rgb(cr, grey, grey, grey); }

/* A font that cannot be had leaves its words out and the picture alone. */
static bool set_font(cairo_t *cr, double size, bool bold)
{
    cairo_font_face_t *face = cairo_toy_font_face_create(
        "sans-serif", CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_matrix_t scale_to, none;
    cairo_matrix_init_scale(&scale_to, size, size);
    cairo_matrix_init_identity(&none);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_scaled_font_t *font = cairo_scaled_font_create(face, &scale_to, &none, options);
    bool usable = cairo_scaled_font_status(font) == CAIRO_STATUS_SUCCESS;
    if (usable) {
        cairo_set_font_face(cr, face);
        cairo_set_font_size(cr, size);
    }
    cairo_scaled_font_destroy(font);
    cairo_font_options_destroy(options);
    cairo_font_face_destroy(face);
    return usable;
}

/* y is the baseline. A text wider than `room` is written smaller. */
static void write_text(cairo_t *cr, double x, double y, enum anchor anchor, double size, bool bold,
    double room, const char *text)
{
    cairo_text_extents_t extents;
    if (!text[0] || !set_font(cr, size, bold)) return;
    cairo_text_extents(cr, text, &extents);
    if (extents.x_advance > room) {
        cairo_set_font_size(cr, size * room / extents.x_advance);
        cairo_text_extents(cr, text, &extents);
    }
    double shift = anchor == START ? 0 : anchor == MIDDLE ? 0.5 : 1;
    cairo_move_to(cr, x - shift * extents.x_advance, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
}

static void write_labels(cairo_t *cr, const labels *l, const scale *times)
{
    for (int k = 0; k < LEVELS_MAX; k++) {
        const label *at = &l->at[k];
        char text[32];
        if (!at->set) continue;
        double position = scale_position(times, (times->first + k) * times->interval_ms);
        set_grey(cr, position < 0.35 ? 1 : 0.08);
        label_text(times, times->first + k, text);
        write_text(cr, PLOT_X + at->x / SUPER, PLOT_Y + at->y / SUPER + 5.3, MIDDLE, 15, false, 100, text);
    }
}

static const double bar_x = 440, bar_w = 720, bar_y = 912, bar_h = 20;

static void draw_bar_ticks(cairo_t *cr, const scale *times)
{
    int stride = label_stride(times, 15);
    cairo_set_line_width(cr, 1);
    for (double level = times->first; level <= times->last; level++) {
        char text[32];
        bool labelled = fmod(level, stride) == 0;
        double x = bar_x + bar_w * (level - times->first) / (times->last - times->first);
        set_grey(cr, ink_grey);
        cairo_move_to(cr, floor(x) + 0.5, bar_y + bar_h);
        cairo_line_to(cr, floor(x) + 0.5, bar_y + bar_h + (labelled ? 6 : 4));
        cairo_stroke(cr);
        label_text(times, level, text);
        if (labelled) write_text(cr, x, bar_y + bar_h + 23, MIDDLE, 16, false, 100, text);
        if (level == times->first || level == times->last) continue;
        cairo_set_source_rgba(cr, 0, 0, 0, 0.45); /* the isochrones */
        cairo_move_to(cr, floor(x) + 0.5, bar_y);
        cairo_line_to(cr, floor(x) + 0.5, bar_y + bar_h);
        cairo_stroke(cr);
    }
}

static void draw_bar(cairo_t *cr, const palette *colours, const scale *times)
{
    char caption[128];
    for (int x = 0; x < (int)bar_w; x++) {
        const float *linear = colours->linear[(int)((x + 0.5) / bar_w * SHADES)];
        cairo_set_source_rgb(cr, srgb_of_linear((double)linear[0]), srgb_of_linear((double)linear[1]),
            srgb_of_linear((double)linear[2]));
        cairo_rectangle(cr, bar_x + x, bar_y, 1, bar_h);
        cairo_fill(cr);
    }
    draw_bar_ticks(cr, times);
    set_grey(cr, ink_grey);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, bar_x + 0.5, bar_y + 0.5, bar_w - 1, bar_h - 1);
    cairo_stroke(cr);
    (void)snprintf(caption, sizeof caption, "isochrones every %g ms", times->interval_ms);
    write_text(cr, bar_x, bar_y - 12, START, 17, false, 400, "Activation time [ms]");
    set_grey(cr, soft_grey);
    write_text(cr, bar_x + bar_w, bar_y - 12, END, 15, false, 300, caption);
}

static void draw_grey_note(cairo_t *cr)
{
    double x = bar_x + bar_w + 60;
    set_grey(cr, srgb_of_linear(grey_linear));
    cairo_rectangle(cr, x, bar_y, bar_h, bar_h);
    cairo_fill(cr);
    set_grey(cr, ink_grey);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, x + 0.5, bar_y + 0.5, bar_h - 1, bar_h - 1);
    cairo_stroke(cr);
    write_text(cr, x + bar_h + 10, bar_y + 16, START, 16, false, 300, "never activated");
}

static void draw_arrow(cairo_t *cr, double x, double y, double dx, double dy)
{
    double length = hypot(dx, dy), ux = dx / length, uy = dy / length;
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x + dx - 6 * ux, y + dy - 6 * uy);
    cairo_stroke(cr);
    cairo_move_to(cr, x + dx, y + dy);
    cairo_line_to(cr, x + dx - 9 * ux - 3.2 * uy, y + dy - 9 * uy + 3.2 * ux);
    cairo_line_to(cr, x + dx - 9 * ux + 3.2 * uy, y + dy - 9 * uy - 3.2 * ux);
    cairo_close_path(cr);
    cairo_fill(cr);
}

/* The three axes as arrows of one round length each, drawn in the scale and direction of the view. */
static void draw_axes(cairo_t *cr, const view *v)
{
    const double longest = 150, x0 = 130, y0 = 925;
    double per_mm = v->samples_per_mm / SUPER;
    double length = pow(10, floor(log10(longest / per_mm)));
    length *= length * 5 * per_mm <= longest ? 5 : length * 2 * per_mm <= longest ? 2 : 1;
    char text[64];
    set_grey(cr, ink_grey);
    cairo_set_line_width(cr, 1.6);
    for (int axis = 0; axis < 3; axis++) {
        double dx = v->right[axis] * length * per_mm, dy = -v->up[axis] * length * per_mm,
               far = hypot(dx, dy);
        draw_arrow(cr, x0, y0, dx, dy);
        write_text(cr, x0 + dx * (1 + 11 / far), y0 + dy * (1 + 11 / far) + 5, MIDDLE, 15, false, 50,
            (const char *[]){"x", "y", "z"}[axis]);
    }
    (void)snprintf(text, sizeof text, "each arrow %g mm", length);
    write_text(cr, x0 - 45, y0 + 30, START, 15, false, 300, text);
}

/* ---- the whole ---- */

static mt_status write_page(cairo_surface_t *page, const char *path)
{
    char temporary[MT_FILE_PATH_MAX];
    MT_TRY(mt_file_temporary(path, temporary, sizeof temporary));
    cairo_status_t status = cairo_surface_write_to_png(page, temporary);
    if (status == CAIRO_STATUS_SUCCESS) return mt_file_commit(temporary, path);
    mt_file_discard(temporary);
    return mt_fail(MT_FILE, "%s: the picture cannot be written: %s", path, cairo_status_to_string(status));
}

/* What one picture needs, in one place. */
typedef struct figure {
    view view;
    scale times;
    surface surface;
    plot plot;
    labels labels;
    palette *colours;
} figure;

static mt_status draw_page(const figure *f, cairo_surface_t *page, cairo_t *cr, const char *title)
{
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_surface_flush(page);
    resolve(&f->plot, f->colours, &f->times, page);
    cairo_surface_mark_dirty(page);
    if (f->times.any) {
        write_labels(cr, &f->labels, &f->times);
        draw_bar(cr, f->colours, &f->times);
    }
    if (!f->times.all) draw_grey_note(cr);
    draw_axes(cr, &f->view);
    set_grey(cr, ink_grey);
    write_text(cr, 60, 62, START, 26, true, MT_PICTURE_WIDTH - 120, title);
    if (cairo_status(cr) == CAIRO_STATUS_INVALID_STRING)
        return mt_fail(MT_INPUT, "the title of a picture is not valid UTF-8");
    if (cairo_status(cr) != CAIRO_STATUS_SUCCESS)
        return mt_fail(MT_FILE, "a picture cannot be drawn: %s", cairo_status_to_string(cairo_status(cr)));
    return MT_OK;
}

static mt_status draw_and_write(const figure *f, const char *path, const char *title)
{
    cairo_surface_t *page =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, MT_PICTURE_WIDTH, MT_PICTURE_HEIGHT);
    cairo_t *cr = cairo_create(page);
    mt_status status = MT_OK;
    if (cairo_status(cr) != CAIRO_STATUS_SUCCESS) status = mt_fail(MT_FILE, "out of memory for a picture");
    if (status == MT_OK) status = draw_page(f, page, cr, title);
    if (status == MT_OK) status = write_page(page, path);
    cairo_destroy(cr);
    cairo_surface_destroy(page);
    return status;
}

static mt_status make_picture(mt_arena *scratch, const char *path, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const float *activation_ms, const char *title)
{
    figure *f;
    MT_TAKE(scratch, f, 1);
    MT_TAKE(scratch, f->colours, 1);
    MT_TRY(make_plot(scratch, &f->plot));
    f->view = make_view();
    f->times = make_scale(activation_ms, mesh->n_cells);
    MT_TRY(collect_faces(scratch, mesh, adjacency, &f->surface));
    MT_TRY(average_times(scratch, mesh, activation_ms, &f->surface));
    MT_TRY(place_vertices(scratch, mesh, &f->view, &f->surface));
    make_palette(f->colours);
    fill_surface(&f->plot, &f->surface, &f->view, activation_ms);
    MT_TRY(draw_edges(scratch, &f->plot, &f->surface, &f->view));
    if (f->times.any) draw_isochrones(&f->plot, &f->surface, &f->view, activation_ms, &f->times, &f->labels);
    return draw_and_write(f, path, title);
}

mt_status mt_picture_activation(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *activation_ms, const char *title)
{
    if (mesh->n_cells == 0 || adjacency->n_cells != mesh->n_cells)
        return mt_fail(MT_INPUT,
            "picture: a mesh of %zu cells and an adjacency of %zu; both must be the same, above 0",
            mesh->n_cells, adjacency->n_cells);
    mt_arena scratch = {0};
    mt_status status = make_picture(&scratch, path, mesh, adjacency, activation_ms, title);
    mt_arena_free(&scratch);
    return status;
}
