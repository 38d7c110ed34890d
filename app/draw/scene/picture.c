#include "app/draw/scene/picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "app/draw/scene/bar.h"
#include "app/draw/scene/figure.h"
#include "app/draw/scene/isochrones.h"
#include "app/draw/scene/network.h"

/* All data of a picture. */
typedef struct map {
    mt_figure figure;
    mt_times times;
    const mt_picture_scale *scale;
    const mt_network_lines *network; /* or NULL */
    mt_time_labels labels[MT_VIEWS_MAX];
    mt_bar bar; /* without its range */
} map;

static bool has_lines(const map *m) { return m->times.any && m->scale->lines[0]; }

static void colour_of_time(const void *context, float time_ms, double linear[3])
{
    const map *m = context;
    mt_bar_shade(&m->bar, isfinite(time_ms) ? mt_times_position(&m->times, (double)time_ms) : NAN, linear);
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
        cairo_set_source_rgba(page->pen, 0, 0, 0, 0.45); /* isochrones */
        mt_page_line(page, floor(x) + 0.5, MT_LEGEND_Y, floor(x) + 0.5, foot);
    }
}

static void draw_bar(mt_page *page, const map *m)
{
    const mt_times *times = &m->times;
    const mt_picture_scale *scale = m->scale;
    char caption[128], label[128];
    mt_bar_fill(page, &m->bar);
    draw_bar_ticks(page, times, has_lines(m));
    mt_page_frame(page, MT_LEGEND_X, MT_LEGEND_Y, MT_LEGEND_W, MT_LEGEND_H);
    (void)snprintf(caption, sizeof caption, "%s every %g %s", scale->lines, times->interval_ms, scale->unit);
    (void)snprintf(label, sizeof label, "%s%s%s%s", scale->label, scale->unit[0] ? " [" : "", scale->unit,
        scale->unit[0] ? "]" : "");
    mt_page_write(page, MT_LEGEND_X, MT_LEGEND_Y - 12, MT_START, 17, 400, label);
    mt_page_grey(page, mt_page_secondary);
    if (!has_lines(m)) return;
    mt_page_write(page, MT_LEGEND_X + MT_LEGEND_W, MT_LEGEND_Y - 12, MT_END, 15, 300, caption);
}

/* Draws the note on grey elements below the numbers of the bar, between the axes. */
static void draw_grey_note(mt_page *page, const map *m)
{
    const double x = MT_LEGEND_X, y = MT_GREY_Y, size = 16;
    double grey[3];
    mt_bar_shade(&m->bar, NAN, grey);
    mt_page_fill(page, x, y, size, size, grey);
    mt_page_frame(page, x, y, size, size);
    mt_page_write(page, x + size + 10, y + 14, MT_START, 16, MT_LEGEND_W - size - 10, m->scale->grey);
}

/* ---- the picture ---- */

/* Draws the note on marked ends of the network, in the same row to the right. */
static void draw_mark_note(mt_page *page, const map *m)
{
    static const double red[3] = {0.75, 0.01, 0.01};
    const double x = MT_LEGEND_X + MT_LEGEND_W, y = MT_GREY_Y, size = 12, text = 240;
    if (!m->network || !m->network->note[0]) return;
    mt_page_fill(page, x - text - size - 10, y + 2, size, size, red);
    mt_page_grey(page, mt_page_secondary);
    mt_page_write(page, x - text, y + 14, MT_START, 16, text, m->network->note);
}

static mt_status draw(const map *m, mt_arena *scratch, mt_page *page, const char *title)
{
    const mt_figure *f = &m->figure;
    MT_TRY(mt_figure_draw(f, scratch, page, colour_of_time, m));
    for (size_t k = 0; k < f->n_panels && has_lines(m); k++)
        write_labels(page, &f->panel[k], &m->labels[k], &m->times);
    if (m->times.any) draw_bar(page, m);
    if (!m->times.all) draw_grey_note(page, m);
    draw_mark_note(page, m);
    mt_page_title(page, title);
    return MT_OK;
}

MT_ORDER_NUMBERS(ascending, float)

/* Returns the scale of all values, or without the highest and the lowest hundredth. */
static mt_status make_scale(
    mt_arena *scratch, const float *values, size_t n_values, bool trimmed, mt_times *times)
{
    float *sorted;
    size_t n = 0;
    *times = mt_times_make(values, n_values);
    if (!trimmed || !times->any) return MT_OK;
    MT_ALLOC(scratch, sorted, n_values);
    for (size_t k = 0; k < n_values; k++)
        if (isfinite(values[k])) sorted[n++] = values[k];
    qsort(sorted, n, sizeof *sorted, ascending);
    const bool all = times->all;
    *times = mt_times_make((float[]){sorted[n / 100], sorted[n - 1 - n / 100]}, 2);
    times->all = all;
    return MT_OK;
}

/* Same, of the values of the elements and the network. */
static mt_status make_scale_of(
    mt_arena *scratch, map *m, const float *values, size_t n_elements, const mt_network_lines *network)
{
    float *both;
    if (!network) return make_scale(scratch, values, n_elements, m->scale->trimmed, &m->times);
    MT_ALLOC(scratch, both, n_elements + network->n_points);
    memcpy(both, values, n_elements * sizeof *both);
    memcpy(both + n_elements, network->values, network->n_points * sizeof *both);
    return make_scale(scratch, both, n_elements + network->n_points, m->scale->trimmed, &m->times);
}

/* Makes the panels, with isochrones and the network. */
static mt_status make_panels(mt_arena *scratch, map *m)
{
    mt_figure *f = &m->figure;
    f->cut = true;
    if (m->network) f->surface.n_places = m->network->n_points, f->surface.place_mm = m->network->xyz_mm;
    MT_TRY(mt_figure_make(scratch, f));
    for (size_t k = 0; k < f->n_panels && has_lines(m); k++)
        mt_isochrones_draw(&f->panel[k].plot, &f->surface, &f->panel[k].view, &m->times, &m->labels[k]);
    for (size_t k = 0; k < f->n_panels && m->network; k++)
        MT_TRY(mt_network_draw(scratch, m->network, &f->panel[k].view, &f->panel[k].plot));
    return MT_OK;
}

mt_status mt_picture_map(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *values, const mt_picture_scale *scale, const mt_network_lines *network, const char *title)
{
    if (mesh->n_elements == 0 || adjacency->n_elements != mesh->n_elements)
        return mt_fail(MT_INPUT,
            "picture: a mesh of %zu elements and an adjacency of %zu; both must be equal and above 0",
            mesh->n_elements, adjacency->n_elements);
    MT_SCRATCH(scratch);
    map *m;
    mt_page page;
    MT_ALLOC(scratch, m, 1);
    mt_bar_make(&m->bar);
    m->scale = scale;
    m->network = network;
    MT_TRY(make_scale_of(scratch, m, values, mesh->n_elements, network));
    MT_TRY((scale->flat ? mt_view_surface_make_flat : mt_view_surface_make)(
        scratch, mesh, adjacency, values, &m->figure.surface));
    MT_TRY(make_panels(scratch, m));
    MT_TRY(mt_page_begin(&page));
    return mt_page_end(&page, draw(m, scratch, &page, title), path);
}
