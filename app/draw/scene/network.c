#include "app/draw/scene/network.h"

#include <math.h>

/* Half widths [samples]. */
static const double half_line = MT_VIEW_SUPER, half_end = 1.9 * MT_VIEW_SUPER,
                    half_failed = 3.4 * MT_VIEW_SUPER, rim_width = 0.7 * MT_VIEW_SUPER;

/* A line, or a dot if both ends are equal. */
typedef struct strand {
    double from[3], to[3]; /* samples, with depth */
    double value[2];
    double half, forward; /* half width; by how much it covers others */
    bool failed;
    bool whole; /* drawn completely, also where the surface is in front of it */
} strand;

typedef struct drawing {
    mt_plot *plot;
    double slack;   /* depth below the surface at which lines are visible */
    double deep;    /* same, of ends, which are in the tissue */
    double overlap; /* depth by which a core can be behind the rim of a nearer line: of its own next piece */
} drawing;

/* Returns the position of the nearest point of the strand, from 0 to 1. */
static double nearest_on(const strand *s, double x, double y, double *distance)
{
    const double dx = s->to[0] - s->from[0], dy = s->to[1] - s->from[1], square = dx * dx + dy * dy;
    const double f = square > 0 ? ((x - s->from[0]) * dx + (y - s->from[1]) * dy) / square : 0,
                 at = fmax(0, fmin(f, 1));
    *distance = hypot(s->from[0] + at * dx - x, s->from[1] + at * dy - y);
    return at;
}

static bool is_visible(const drawing *d, size_t sample, double depth, double slack)
{
    const double rounding = 1e-6; /* of the depth of the cutting plane */
    return depth >= (double)d->plot->depth[sample] - slack && depth <= (double)d->plot->cut + rounding;
}

static uint8_t cover_of(double half, double distance)
{
    return (uint8_t)(255 * fmax(0, fmin(1, half + 0.5 - distance)) + 0.5);
}

/* Adds the rim at a sample. A nearer one replaces the others, and covers what is drawn there. */
static void add_rim(mt_plot_strand *at, double depth, uint8_t cover, const strand *s)
{
    if (cover > at->rim) at->rim = cover;
    if (depth <= (double)at->depth) return;
    at->depth = (float)depth;
    at->failed = s->failed;
    at->core = (uint8_t)(at->core * (255 - cover) / 255);
}

/* Adds the core, unless a nearer line covers it. */
static void add_core(const drawing *d, mt_plot_strand *at, double depth, uint8_t cover, double value)
{
    if (depth < (double)at->depth - d->overlap || cover < at->core) return;
    at->core = cover;
    at->value = (float)value;
}

static void draw_strand(const drawing *d, const strand *s, bool core)
{
    mt_plot *p = d->plot;
    const double half = core ? s->half : s->half + rim_width, reach = half + 0.5;
    const mt_box in = mt_plot_box(p, fmin(s->from[0], s->to[0]) - reach, fmax(s->from[0], s->to[0]) + reach,
        fmin(s->from[1], s->to[1]) - reach, fmax(s->from[1], s->to[1]) + reach);
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            double distance;
            const double f = nearest_on(s, x + 0.5, y + 0.5, &distance),
                         depth = s->from[2] + f * (s->to[2] - s->from[2]);
            const size_t i = mt_plot_at(p, x, y);
            const uint8_t cover = cover_of(half, distance);
            if (cover == 0 || (!s->whole && !is_visible(d, i, depth, d->slack))) continue;
            if (core)
                add_core(d, &p->strand[i], depth + s->forward, cover, s->value[f > 0.5]);
            else
                add_rim(&p->strand[i], depth + s->forward, cover, s);
        }
}

static strand line_of(const mt_network_lines *n, const mt_view *v, const mt_plot *p, size_t line)
{
    const uint32_t *point = n->line + 2 * line;
    strand s = {.half = half_line, .value = {(double)n->values[point[0]], (double)n->values[point[1]]}};
    mt_plot_place(p, v, n->xyz_mm + 3 * (size_t)point[0], s.from);
    mt_plot_place(p, v, n->xyz_mm + 3 * (size_t)point[1], s.to);
    return s;
}

/* True if the middle of a dot is inside the plot and visible. */
static bool shows_end(const drawing *d, const strand *s)
{
    const double x = floor(s->from[0]), y = floor(s->from[1]);
    if (x < 0 || y < 0 || x >= d->plot->w || y >= d->plot->h) return false;
    return is_visible(d, mt_plot_at(d->plot, (int)x, (int)y), s->from[2], d->deep);
}

/* Returns a dot, which covers its line. */
static strand end_of(const mt_network_lines *n, const mt_view *v, const drawing *d, size_t end)
{
    const uint32_t point = n->end[end];
    const double value = (double)n->values[point];
    strand s = {.half = n->failed[end] ? half_failed : half_end,
        .forward = 2 * d->overlap,
        .whole = true,
        .value = {value, value},
        .failed = n->failed[end]};
    mt_plot_place(d->plot, v, n->xyz_mm + 3 * (size_t)point, s.from);
    for (int k = 0; k < 3; k++) s.to[k] = s.from[k];
    return s;
}

mt_status mt_network_draw(
    mt_arena *arena, const mt_network_lines *network, const mt_view *view, mt_plot *plot)
{
    const double per_mm = 1 / (plot->scale.nearest - plot->scale.farthest);
    const drawing d = {.plot = plot,
        .slack = MT_NETWORK_DEPTH_MM * per_mm,
        .deep = MT_NETWORK_END_DEPTH_MM * per_mm,
        .overlap = 0.5 * MT_NETWORK_DEPTH_MM * per_mm};
    MT_ALLOC(arena, plot->strand, (size_t)plot->w * (size_t)plot->h);
    for (int core = 0; core < 2; core++)
        for (size_t k = 0; k < network->n_lines; k++) {
            const strand s = line_of(network, view, plot, k);
            draw_strand(&d, &s, core);
        }
    for (size_t k = 0; k < network->n_ends; k++) {
        const strand s = end_of(network, view, &d, k);
        for (int core = 0; core < 2 && shows_end(&d, &s); core++) draw_strand(&d, &s, core);
    }
    return MT_OK;
}
