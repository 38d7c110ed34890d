#include "app/draw/scene/isochrones.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/draw/page.h"

enum { LEVELS = 14 }; /* maximum number of isochrones and of labels */

/* ---- scale of times ---- */

mt_times mt_times_make(const float *activation_ms, size_t n_elements)
{
    double low = INFINITY, high = -INFINITY;
    mt_times s = {.interval_ms = 1, .last = 1, .all = true};
    for (size_t c = 0; c < n_elements; c++) {
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
    s.interval_ms = mt_page_step(high - low, LEVELS);
    s.first = floor(low / s.interval_ms);
    s.last = fmax(ceil(high / s.interval_ms), s.first + 1);
    return s;
}

double mt_times_position(const mt_times *s, double time_ms)
{
    return (time_ms / s->interval_ms - s->first) / (s->last - s->first);
}

int mt_times_stride(const mt_times *s, int most)
{
    static const int strides[] = {1, 2, 5, 10};
    for (int k = 0; k < 4; k++)
        if ((s->last - s->first) / strides[k] <= most) return strides[k];
    return 20;
}

void mt_times_text(const mt_times *s, double level, char out[32])
{
    int decimals = s->interval_ms < 1 ? (int)ceil(-log10(s->interval_ms) - 1e-9) : 0;
    (void)snprintf(out, 32, "%.*f", decimals, level * s->interval_ms + 0.0);
}

/* ---- isochrones and their labels ---- */

/* Intersects a level with a triangle. False if they do not intersect. */
static bool cross_level(
    const double *const corner[3], const double time_ms[3], double level_ms, mt_plot_segment *cut)
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

/* Finds the line for the labels: through the centre of the visible surface, along its longer axis. */
static void find_axis(const mt_plot *p, mt_time_labels *l)
{
    double n = 0, sx = 0, sy = 0, xx = 0, xy = 0, yy = 0;
    for (int y = 0; y < p->h; y += 4)
        for (int x = 0; x < p->w; x += 4) {
            if (p->depth[mt_plot_at(p, x, y)] <= 0) continue;
            n++, sx += x, sy += y, xx += (double)x * x, xy += (double)x * y, yy += (double)y * y;
        }
    n = fmax(n, 1);
    l->x = sx / n, l->y = sy / n;
    xx = xx / n - l->x * l->x, yy = yy / n - l->y * l->y, xy = xy / n - l->x * l->y;
    double angle = 0.5 * atan2(2 * xy, xx - yy);
    l->axis_x = cos(angle), l->axis_y = sin(angle);
}

/* True if the surface is closed and flat, at this depth, in the area of a label. */
static bool place_is_flat(const mt_plot *p, const mt_time_labels *l, double x, double y, double depth)
{
    enum { HALF = 3 };
    double light = -1;
    for (int j = -HALF; j <= HALF; j++)
        for (int i = -HALF; i <= HALF; i++) {
            double at_x = x + 1.5 * l->half_w * i / HALF, at_y = y + 1.7 * l->half_h * j / HALF;
            if (at_x < 0 || at_y < 0 || at_x >= p->w || at_y >= p->h) return false;
            size_t k = mt_plot_at(p, (int)at_x, (int)at_y);
            if (light < 0) light = (double)p->light[k];
            if (p->depth[k] <= 0 || !isfinite(p->value[k]) || fabs((double)p->light[k] - light) > 0.04 ||
                fabs((double)p->depth[k] - depth) > 0.2)
                return false;
        }
    return true;
}

static void offer_place(const mt_plot *p, mt_time_labels *l, int level, const mt_plot_segment *cut)
{
    double x = 0.5 * (cut->from[0] + cut->to[0]), y = 0.5 * (cut->from[1] + cut->to[1]);
    double depth = 0.5 * (cut->from[2] + cut->to[2]);
    mt_time_label *best = &l->at[level];
    double score = fabs((x - l->x) * l->axis_y - (y - l->y) * l->axis_x);
    if (best->set && score >= best->score) return;
    if (x < 0 || y < 0 || x >= p->w || y >= p->h) return;
    if (!mt_plot_shows(p, mt_plot_at(p, (int)x, (int)y), depth) || !place_is_flat(p, l, x, y, depth)) return;
    *best = (mt_time_label){true, x, y, score};
}

/* Removes the later one of two labels that would touch. */
static void part_labels(mt_time_labels *l)
{
    for (int i = 0; i < MT_TIME_LEVELS_MAX; i++)
        for (int j = 0; j < i; j++)
            if (l->at[i].set && l->at[j].set && fabs(l->at[i].x - l->at[j].x) < 2.6 * l->half_w &&
                fabs(l->at[i].y - l->at[j].y) < 2.6 * l->half_h)
                l->at[i].set = false;
}

/* Removes the ink below a label. */
static void clear_below(mt_plot *p, const mt_time_labels *l, const mt_time_label *at)
{
    mt_box in = mt_plot_box(p, at->x - l->half_w, at->x + l->half_w, at->y - l->half_h, at->y + l->half_h);
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            double u = (x + 0.5 - at->x) / l->half_w, v = (y + 0.5 - at->y) / l->half_h;
            if (u * u * u * u + v * v * v * v < 1) p->ink[mt_plot_at(p, x, y)] = 0;
        }
}

/* Visits each piece of each isochrone within the scale: inks it, or proposes its middle for a label. */
static void walk_isochrones(
    mt_plot *p, const mt_view_surface *s, const mt_view *v, const mt_times *times, mt_time_labels *offer)
{
    for (size_t face = 0; face < s->n_faces; face++) {
        const double *corner[3];
        double time_ms[3];
        mt_plot_segment cut;
        if (!mt_view_sees(v, s, face)) continue;
        mt_plot_face(p, s, face, corner, time_ms);
        if (isnan(time_ms[0])) continue;
        double low = fmin(time_ms[0], fmin(time_ms[1], time_ms[2]));
        double high = fmax(time_ms[0], fmax(time_ms[1], time_ms[2]));
        double from = fmax(ceil(low / times->interval_ms), times->first + 1);
        double to = fmin(floor(high / times->interval_ms), times->last - 1);
        for (double level = from; level <= to; level++) {
            if (!cross_level(corner, time_ms, level * times->interval_ms, &cut)) continue;
            bool fifth = fmod(level, 5) == 0;
            if (!offer)
                mt_plot_ink(p, &cut, (fifth ? 0.9 : 0.6) * MT_VIEW_SUPER, fifth ? 1 : 0.9);
            else if (fmod(level, offer->stride) == 0)
                offer_place(p, offer, (int)(level - times->first), &cut);
        }
    }
}

void mt_isochrones_draw(
    mt_plot *p, const mt_view_surface *s, const mt_view *v, const mt_times *times, mt_time_labels *l)
{
    char text[32];
    double longest = 1;
    for (double level = times->first; level <= times->last; level++) {
        mt_times_text(times, level, text);
        longest = fmax(longest, (double)strlen(text));
    }
    *l = (mt_time_labels){.stride = mt_times_stride(times, 14),
        .half_w = MT_VIEW_SUPER * (4.6 * longest + 5),
        .half_h = MT_VIEW_SUPER * 10};
    find_axis(p, l);
    walk_isochrones(p, s, v, times, l);
    part_labels(l);
    walk_isochrones(p, s, v, times, NULL);
    for (int k = 0; k < MT_TIME_LEVELS_MAX; k++)
        if (l->at[k].set) clear_below(p, l, &l->at[k]);
}
