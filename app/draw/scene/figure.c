#include "app/draw/scene/figure.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/draw/colour.h"
#include "app/draw/scene/section.h"

/* Area of the plots on the page; title, legend and axes are outside [pixels]. */
enum {
    PLOT_X = 50,
    PLOT_Y = 96,
    PLOT_W = MT_PAGE_WIDTH - 2 * PLOT_X,
    PLOT_H = 750,
    GAP = 40, /* between two plots */
    SUPER = MT_VIEW_SUPER
};

/* Finds the views of a figure, with the optional cutting view between the others. */
static mt_status find_views(const mt_figure *f, mt_view views[MT_VIEWS_MAX], size_t *n)
{
    mt_view view;
    bool found;
    MT_TRY(mt_views_find(f->surface.mesh, views, n));
    if (!f->cut || *n != 2) return MT_OK;
    MT_TRY(mt_view_cut_find(f->surface.mesh, &view, &found));
    if (!found) return MT_OK;
    views[2] = views[1];
    views[1] = view;
    *n = 3;
    return MT_OK;
}

/* All panels have the same scale, so that the views can be compared. */
mt_status mt_figure_make(mt_arena *arena, mt_figure *f)
{
    mt_view views[MT_VIEWS_MAX];
    MT_TRY(find_views(f, views, &f->n_panels));
    const int n = (int)f->n_panels, width = (PLOT_W - (n - 1) * GAP) / n, w = width * SUPER,
              h = PLOT_H * SUPER;
    f->samples_per_mm = INFINITY;
    for (int k = 0; k < n; k++)
        f->samples_per_mm = fmin(f->samples_per_mm, mt_view_scale(&views[k], &f->surface, w, h));
    for (int k = 0; k < n; k++) {
        mt_panel *p = &f->panel[k];
        *p = (mt_panel){.view = views[k], .left = PLOT_X + k * (width + GAP), .top = PLOT_Y};
        MT_TRY(mt_plot_make(arena, &f->surface, &p->view, f->samples_per_mm, w, h, false, &p->plot));
        if (p->view.cuts) mt_section_draw(&p->plot, &f->surface, &p->view);
    }
    return MT_OK;
}

/* ---- from samples to pixels ---- */

enum { GAMMA = 4096 };

/* Conversion of samples to pixels. */
typedef struct paint {
    mt_paint *colour_of;
    const void *context;
    uint8_t srgb[GAMMA + 1];
} paint;

static int up_to(int most, double x) { return x <= 0 ? 0 : x >= most ? most : (int)x; }

/* Colours of rims and of marked ends. */
static const double rim_linear[3] = {0.9, 0.9, 0.9}, marked_linear[3] = {0.75, 0.01, 0.01};

static void mix(double linear[3], const double other[3], double part)
{
    for (int k = 0; k < 3; k++) linear[k] += part * (other[k] - linear[k]);
}

/* Draws a sample of the network over its light. */
static void add_strand(const mt_plot_strand *s, const paint *with, double linear[3])
{
    double own[3];
    if (s->rim == 0) return;
    with->colour_of(with->context, s->value, own);
    mix(linear, rim_linear, s->rim / 255.0);
    mix(linear, s->failed ? marked_linear : own, s->core / 255.0);
}

/* Adds the linear light of a sample. */
static void add_sample(const mt_plot *p, const paint *with, size_t i, double sum[3])
{
    double linear[3] = {1, 1, 1}, light = 1; /* background */
    if (p->depth[i] > 0) {
        with->colour_of(with->context, p->value[i], linear);
        light = (double)p->light[i];
        if (p->ink[i] > 0) light *= 1 - 0.80 * p->ink[i] / 255.0;
    }
    for (int k = 0; k < 3; k++) linear[k] *= light;
    if (p->strand) add_strand(&p->strand[i], with, linear);
    for (int k = 0; k < 3; k++) sum[k] += linear[k];
}

/* Returns the pixel with this first sample. */
static uint32_t pixel_of(const mt_plot *p, const paint *with, size_t first)
{
    const size_t row = (size_t)p->w, sample[] = {first, first + 1, first + row, first + row + 1};
    double sum[3] = {0, 0, 0};
    uint32_t pixel = 0xFF;
    bool seen = false;
    for (int k = 0; k < SUPER * SUPER; k++)
        seen |= p->depth[sample[k]] > 0 || (p->strand && p->strand[sample[k]].rim > 0);
    if (!seen) return UINT32_MAX; /* background */
    for (int k = 0; k < SUPER * SUPER; k++) add_sample(p, with, sample[k], sum);
    for (int k = 0; k < 3; k++)
        pixel = pixel << 8 | with->srgb[up_to(GAMMA, sum[k] * GAMMA / (SUPER * SUPER) + 0.5)];
    return pixel;
}

static void resolve(const mt_panel *panel, const paint *with, cairo_surface_t *page)
{
    const mt_plot *p = &panel->plot;
    unsigned char *bytes = cairo_image_surface_get_data(page);
    size_t stride = (size_t)cairo_image_surface_get_stride(page);
    for (int y = 0; y < p->h / SUPER; y++)
        for (int x = 0; x < p->w / SUPER; x++) {
            const uint32_t pixel = pixel_of(p, with, mt_plot_at(p, x * SUPER, y * SUPER));
            memcpy(bytes + (size_t)(y + panel->top) * stride + 4 * (size_t)(x + panel->left), &pixel,
                sizeof pixel);
        }
}

/* ---- axes and names ---- */

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

/* An axis on the page: its arrow; `shadowed`: true if a longer arrow has the same direction. */
typedef struct arrow {
    double dx, dy;
    bool shadowed;
} arrow;

static void find_arrows(const mt_view *v, double length, arrow arrows[3])
{
    for (int axis = 0; axis < 3; axis++)
        arrows[axis] = (arrow){v->right[axis] * length, -v->up[axis] * length, false};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const arrow *a = &arrows[i], *b = &arrows[k];
            const double far = hypot(a->dx, a->dy), other = hypot(b->dx, b->dy);
            if (k == i || other < far || (other == far && k > i)) continue;
            arrows[i].shadowed |= a->dx * b->dx + a->dy * b->dy > 0.9 * far * other;
        }
}

/* Draws an axis; a dot if it points towards or away from the viewer, with its name in direction `free` (unit), away from the
 * arrows. The name of a shadowed arrow is next to it. */
static void draw_axis(
    mt_page *page, const char *name, double x0, double y0, const arrow *a, const double free[2])
{
    cairo_t *cr = page->pen;
    const double dx = a->dx, dy = a->dy, far = hypot(dx, dy), beside = a->shadowed ? 11 / far : 0,
                 behind = a->shadowed ? -6 / far : 11 / far;
    if (far < 8) {
        cairo_arc(cr, x0, y0, 3.2, 0, 2 * M_PI);
        cairo_fill(cr);
        mt_page_write(page, x0 + 13 * free[0], y0 + 13 * free[1] + 5, MT_MIDDLE, 15, 50, name);
        return;
    }
    draw_arrow(cr, x0, y0, dx, dy);
    mt_page_write(page, x0 + dx * (1 + behind) + dy * beside, y0 + dy * (1 + behind) - dx * beside + 5,
        MT_MIDDLE, 15, 50, name);
}

void mt_axes_draw(
    mt_page *page, const mt_view *v, double samples_per_mm, double x0, double y0, double longest)
{
    static const char *const names[] = {"x", "y", "z"};
    const double text_y = y0 + 30; /* downward axes end above the text */
    double per_mm = samples_per_mm / SUPER;
    double length = pow(10, floor(log10(longest / per_mm)));
    length *= length * 5 * per_mm <= longest ? 5 : length * 2 * per_mm <= longest ? 2 : 1;
    char text[64];
    arrow arrows[3];
    mt_page_grey(page, mt_page_ink);
    cairo_set_line_width(page->pen, 1.6);
    for (int axis = 0; axis < 3; axis++)
        if (v->up[axis] < 0) y0 = fmin(y0, text_y - 40 + v->up[axis] * length * per_mm);
    const double sum[2] = {v->right[0] + v->right[1] + v->right[2], -(v->up[0] + v->up[1] + v->up[2])},
                 all = fmax(hypot(sum[0], sum[1]), 1e-9), free[2] = {-sum[0] / all, -sum[1] / all};
    find_arrows(v, length * per_mm, arrows);
    for (int axis = 0; axis < 3; axis++) draw_axis(page, names[axis], x0, y0, &arrows[axis], free);
    (void)snprintf(text, sizeof text, "arrow length %g mm", length);
    mt_page_write(page, x0 - 45, text_y, MT_START, 15, 300, text);
}

mt_status mt_panels_draw(size_t n, const mt_panel *panel, mt_arena *scratch, mt_page *page,
    mt_paint *colour_of, const void *context)
{
    paint *with;
    MT_ALLOC(scratch, with, 1);
    *with = (paint){.colour_of = colour_of, .context = context};
    for (int k = 0; k <= GAMMA; k++) with->srgb[k] = (uint8_t)(255 * mt_colour_srgb((double)k / GAMMA) + 0.5);
    cairo_surface_flush(page->surface);
    for (size_t k = 0; k < n; k++) resolve(&panel[k], with, page->surface);
    cairo_surface_mark_dirty(page->surface);
    return MT_OK;
}

/* Draws the axes of panel k. Axes of a middle panel are in its lower left corner, above the legend. */
static void draw_axes_of(mt_page *page, const mt_figure *f, size_t k)
{
    const mt_panel *p = &f->panel[k];
    const bool first = k == 0, last = k + 1 == f->n_panels;
    if (first || last)
        mt_axes_draw(page, &p->view, f->samples_per_mm, first ? 130 : MT_PAGE_WIDTH - 130, MT_AXES_Y,
            f->n_panels > 1 ? 100 : 150);
    else
        mt_axes_draw(page, &p->view, f->samples_per_mm, p->left + 45, PLOT_Y + PLOT_H - 38, 50);
}

mt_status mt_figure_draw(
    const mt_figure *f, mt_arena *scratch, mt_page *page, mt_paint *colour_of, const void *context)
{
    MT_TRY(mt_panels_draw(f->n_panels, f->panel, scratch, page, colour_of, context));
    for (size_t k = 0; k < f->n_panels; k++) {
        const mt_panel *p = &f->panel[k];
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, p->left + 0.5 * p->plot.w / SUPER, PLOT_Y - 8, MT_MIDDLE, 19, 400, p->view.name);
        draw_axes_of(page, f, k);
    }
    return MT_OK;
}
