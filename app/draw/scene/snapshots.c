#include "app/draw/scene/snapshots.h"

#include <math.h>
#include <stdio.h>

#include "app/draw/scene/bar.h"
#include "app/draw/scene/figure.h"

/* Layout of the page [pixels]. */
enum {
    LEFT = 50,
    TOP = 110,
    WIDTH = MT_PAGE_WIDTH - 2 * LEFT,
    HEIGHT = 740,
    GAP = 12,
    HEAD = 26,
    LABEL = 120
};

/* The panels of one column; their samples are reused for each time. */
typedef struct column {
    mt_view_surface surface;
    mt_view_rim rim;
    double samples_per_mm;
    size_t n_views;
    mt_panel panel[MT_VIEWS_MAX];
    int step; /* distance of columns, pixels */
    mt_bar bar;
} column;

/* The names of the views are on the left of the first column. */
static mt_status make_column(mt_arena *arena, const mt_snapshots *s, column *c)
{
    mt_view views[MT_VIEWS_MAX];
    MT_TRY(mt_view_surface_make_flat(arena, s->mesh, s->adjacency, s->values[0], &c->surface));
    MT_TRY(mt_view_rim_make(arena, &c->surface, &c->rim));
    MT_TRY(mt_views_find(s->mesh, views, &c->n_views));
    const int n = (int)c->n_views, height = (HEIGHT - (n - 1) * GAP) / n,
              left = LEFT + (views[0].name[0] ? LABEL : 0);
    c->step = (LEFT + WIDTH - left + GAP) / (int)s->n;
    const int w = (c->step - GAP) * MT_VIEW_SUPER, h = height * MT_VIEW_SUPER;
    c->samples_per_mm = INFINITY;
    for (int k = 0; k < n; k++)
        c->samples_per_mm = fmin(c->samples_per_mm, mt_view_scale(&views[k], &c->surface, w, h));
    for (int k = 0; k < n; k++) {
        mt_panel *p = &c->panel[k];
        *p = (mt_panel){.view = views[k], .left = left, .top = TOP + HEAD + k * (height + GAP)};
        MT_TRY(mt_plot_make(arena, &c->surface, &p->view, c->samples_per_mm, w, h, true, &p->plot));
    }
    return MT_OK;
}

/* Draws time k and moves the column to the right. */
static mt_status draw_moment(mt_arena *scratch, mt_page *page, const mt_snapshots *s, size_t k, column *c)
{
    char time[32];
    mt_view_rim_values(&c->rim, s->values[k], &c->surface);
    for (size_t v = 0; v < c->n_views; v++) mt_plot_revalue(&c->panel[v].plot, &c->surface);
    MT_TRY(mt_panels_draw(c->n_views, c->panel, scratch, page, mt_bar_colour, &c->bar));
    (void)snprintf(time, sizeof time, "%.6g ms", s->time_ms[k]);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(
        page, c->panel[0].left + 0.5 * (c->step - GAP), TOP + 10, MT_MIDDLE, 22, c->step - GAP, time);
    for (size_t v = 0; v < c->n_views; v++) c->panel[v].left += c->step;
    return MT_OK;
}

static void draw_around(mt_page *page, const mt_snapshots *s, const column *c)
{
    mt_bar_draw(page, &c->bar, s->label, s->unit);
    for (size_t v = 0; v < c->n_views; v++) {
        const mt_panel *p = &c->panel[v];
        mt_page_grey(page, mt_page_ink);
        mt_page_write(
            page, LEFT, p->top + 0.5 * p->plot.h / MT_VIEW_SUPER, MT_START, 18, LABEL, p->view.name);
        mt_axes_draw(page, &p->view, c->samples_per_mm, v ? MT_PAGE_WIDTH - 130 : 130, MT_AXES_Y, 100);
    }
    mt_page_title(page, s->title);
}

static mt_status draw(mt_arena *scratch, mt_page *page, const mt_snapshots *s, column *c)
{
    for (size_t k = 0; k < s->n; k++) MT_TRY(draw_moment(scratch, page, s, k, c));
    draw_around(page, s, c);
    return MT_OK;
}

mt_status mt_snapshots_write(const char *path, const mt_snapshots *s)
{
    if (s->mesh->n_elements == 0 || s->adjacency->n_elements != s->mesh->n_elements)
        return mt_fail(MT_INPUT,
            "snapshots: a mesh of %zu elements and an adjacency of %zu; both must be equal and above 0",
            s->mesh->n_elements, s->adjacency->n_elements);
    if (s->n < 1 || s->n > MT_SNAPSHOTS_MAX)
        return mt_fail(MT_INPUT, "snapshots: %zu times; allowed: 1 to %d", s->n, MT_SNAPSHOTS_MAX);
    if (!(s->low < s->high) || !isfinite(s->high - s->low))
        return mt_fail(MT_INPUT, "snapshots: a scale from %g to %g; the second must be above the first",
            s->low, s->high);
    MT_SCRATCH(scratch);
    column *c;
    mt_page page;
    MT_ALLOC(scratch, c, 1);
    c->bar.low = s->low, c->bar.high = s->high;
    mt_bar_make(&c->bar);
    MT_TRY(make_column(scratch, s, c));
    MT_TRY(mt_page_begin(&page));
    return mt_page_end(&page, draw(scratch, &page, s, c), path);
}
