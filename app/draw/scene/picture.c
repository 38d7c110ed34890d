#include "app/draw/scene/picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/core/order.h"
#include "app/draw/colour.h"
#include "app/draw/scene/figure.h"
#include "app/draw/scene/isochrones.h"

/* ---- colours ---- */

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
    mt_colour_linear(0.36 + 0.56 * t, spline(chroma, t), spline(hue_degrees, t), linear);
    for (int k = 0; k < 3; k++) linear[k] = fmax(0, fmin(linear[k], 1));
}

enum { SHADES = 1024 };

/* What one picture needs, in one place. */
typedef struct map {
    mt_figure figure;
    mt_times times;
    const mt_picture_scale *scale;
    mt_time_labels labels[MT_VIEWS_MAX];
    float linear[SHADES + 1][3];
} map;

static const double grey_linear = 0.55; /* of what is not activated */

static bool has_lines(const map *m) { return m->times.any && m->scale->lines[0]; }

static void make_palette(map *m)
{
    for (int k = 0; k <= SHADES; k++) {
        double linear[3];
        mt_picture_colour((double)k / SHADES, linear);
        for (int i = 0; i < 3; i++) m->linear[k][i] = (float)linear[i];
    }
}

static void colour_of_time(const void *context, float time_ms, double linear[3])
{
    const map *m = context;
    if (!isfinite(time_ms)) {
        for (int k = 0; k < 3; k++) linear[k] = grey_linear;
        return;
    }
    const double at = mt_times_position(&m->times, (double)time_ms) * SHADES + 0.5;
    const float *shade = m->linear[at <= 0 ? 0 : at >= SHADES ? SHADES : (int)at];
    for (int k = 0; k < 3; k++) linear[k] = (double)shade[k];
}

/* ---- labels and legend ---- */

static void write_labels(
    mt_page *page, const mt_panel *panel, const mt_time_labels *labels, const mt_times *times)
{
    for (int k = 0; k < MT_TIME_LEVELS_MAX; k++) {
        const mt_time_label *at = &labels->at[k];
        char text[32];
        if (!at->set) continue;
        double position = mt_times_position(times, (times->first + k) * times->interval_ms);
        mt_page_grey(page, position < 0.35 ? 1 : 0.08);
        mt_times_text(times, times->first + k, text);
        mt_page_write(page, panel->left + at->x / MT_VIEW_SUPER, panel->top + at->y / MT_VIEW_SUPER + 5.3,
            MT_MIDDLE, 15, 100, text);
    }
}

static void draw_bar_ticks(mt_page *page, const mt_times *times, bool lines)
{
    const double foot = MT_LEGEND_Y + MT_LEGEND_H;
    const int stride = mt_times_stride(times, 15);
    cairo_set_line_width(page->pen, 1);
    for (double level = times->first; level <= times->last; level++) {
        char text[32];
        bool labelled = fmod(level, stride) == 0;
        double x = MT_LEGEND_X + MT_LEGEND_W * (level - times->first) / (times->last - times->first);
        mt_page_grey(page, mt_page_ink);
        mt_page_line(page, floor(x) + 0.5, foot, floor(x) + 0.5, foot + (labelled ? 6 : 4));
        mt_times_text(times, level, text);
        if (labelled) mt_page_write(page, x, foot + 23, MT_MIDDLE, 16, 100, text);
        if (!lines || level == times->first || level == times->last) continue;
        cairo_set_source_rgba(page->pen, 0, 0, 0, 0.45); /* the isochrones */
        mt_page_line(page, floor(x) + 0.5, MT_LEGEND_Y, floor(x) + 0.5, foot);
    }
}

static void draw_bar(mt_page *page, const map *m)
{
    const mt_times *times = &m->times;
    const mt_picture_scale *scale = m->scale;
    char caption[128], label[128];
    for (int x = 0; x < MT_LEGEND_W; x++) {
        const float *shade = m->linear[(int)((x + 0.5) / MT_LEGEND_W * SHADES)];
        const double linear[3] = {(double)shade[0], (double)shade[1], (double)shade[2]};
        mt_page_fill(page, MT_LEGEND_X + x, MT_LEGEND_Y, 1, MT_LEGEND_H, linear);
    }
    draw_bar_ticks(page, times, has_lines(m));
    mt_page_frame(page, MT_LEGEND_X, MT_LEGEND_Y, MT_LEGEND_W, MT_LEGEND_H);
    (void)snprintf(caption, sizeof caption, "%s every %g %s", scale->lines, times->interval_ms, scale->unit);
    (void)snprintf(label, sizeof label, "%s [%s]", scale->label, scale->unit);
    mt_page_write(page, MT_LEGEND_X, MT_LEGEND_Y - 12, MT_START, 17, 400, label);
    mt_page_grey(page, mt_page_soft);
    if (!has_lines(m)) return;
    mt_page_write(page, MT_LEGEND_X + MT_LEGEND_W, MT_LEGEND_Y - 12, MT_END, 15, 300, caption);
}

/* Below the numbers of the bar, between the axes. */
static void draw_grey_note(mt_page *page, const char *words)
{
    const double x = MT_LEGEND_X, y = MT_GREY_Y, size = 16, grey[3] = {grey_linear, grey_linear, grey_linear};
    mt_page_fill(page, x, y, size, size, grey);
    mt_page_frame(page, x, y, size, size);
    mt_page_write(page, x + size + 10, y + 14, MT_START, 16, MT_LEGEND_W - size - 10, words);
}

/* ---- the whole ---- */

static mt_status draw(const map *m, mt_arena *scratch, mt_page *page, const char *title)
{
    const mt_figure *f = &m->figure;
    MT_TRY(mt_figure_draw(f, scratch, page, colour_of_time, m));
    for (size_t k = 0; k < f->n_panels && has_lines(m); k++)
        write_labels(page, &f->panel[k], &m->labels[k], &m->times);
    if (m->times.any) draw_bar(page, m);
    if (!m->times.all) draw_grey_note(page, m->scale->grey);
    mt_page_title(page, title);
    return MT_OK;
}

MT_ORDER_NUMBERS(ascending, float)

/* The scale of the values, or of all but the highest and the lowest hundredth. */
static mt_status make_scale(
    mt_arena *scratch, const float *values, size_t n_elements, bool trimmed, mt_times *times)
{
    float *sorted;
    size_t n = 0;
    *times = mt_times_make(values, n_elements);
    if (!trimmed || !times->any) return MT_OK;
    MT_ALLOC(scratch, sorted, n_elements);
    for (size_t k = 0; k < n_elements; k++)
        if (isfinite(values[k])) sorted[n++] = values[k];
    qsort(sorted, n, sizeof *sorted, ascending);
    const bool all = times->all;
    *times = mt_times_make((float[]){sorted[n / 100], sorted[n - 1 - n / 100]}, 2);
    times->all = all;
    return MT_OK;
}

mt_status mt_picture_map(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *values, const mt_picture_scale *scale, const char *title)
{
    if (mesh->n_elements == 0 || adjacency->n_elements != mesh->n_elements)
        return mt_fail(MT_INPUT,
            "picture: a mesh of %zu elements and an adjacency of %zu; both must be the same, above 0",
            mesh->n_elements, adjacency->n_elements);
    MT_SCRATCH(scratch);
    map *m;
    mt_page page;
    MT_ALLOC(scratch, m, 1);
    mt_figure *f = &m->figure;
    make_palette(m);
    m->scale = scale;
    MT_TRY(make_scale(scratch, values, mesh->n_elements, scale->trimmed, &m->times));
    MT_TRY(mt_view_surface_make(scratch, mesh, adjacency, values, &f->surface));
    f->cut = true;
    MT_TRY(mt_figure_make(scratch, f));
    for (size_t k = 0; k < f->n_panels && has_lines(m); k++)
        mt_isochrones_draw(&f->panel[k].plot, &f->surface, &f->panel[k].view, &m->times, &m->labels[k]);
    MT_TRY(mt_page_begin(&page));
    return mt_page_end(&page, draw(m, scratch, &page, title), path);
}
