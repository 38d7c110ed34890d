#include "app/draw/chart/scatter.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

#include "app/draw/chart/chart.h"

/* Layout of the page [pixels]. */
enum { LEFT = 130, RIGHT = MT_PAGE_WIDTH - 40, TOP = 110, BOTTOM = 890, GAP = 22, NAMES = 24, LABEL = 15 };

/* ---- numbers ---- */

double mt_scatter_correlation(size_t n, const double *x, const double *y)
{
    double count = 0, mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t k = 0; k < n; k++)
        if (!isnan(x[k]) && !isnan(y[k])) count++, mean_x += x[k], mean_y += y[k];
    mean_x /= count, mean_y /= count;
    for (size_t k = 0; k < n; k++) {
        const double a = x[k] - mean_x, b = y[k] - mean_y;
        if (!isnan(a) && !isnan(b)) xx += a * a, yy += b * b, xy += a * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

void mt_scatter_bins(size_t n, const double *value, double low, double high, size_t count[MT_SCATTER_BINS])
{
    for (size_t b = 0; b < MT_SCATTER_BINS; b++) count[b] = 0;
    for (size_t k = 0; k < n; k++) {
        const double part = MT_SCATTER_BINS * (value[k] - low) / (high - low);
        if (isnan(part)) continue;
        count[part < MT_SCATTER_BINS ? (size_t)fmax(part, 0) : MT_SCATTER_BINS - 1]++;
    }
}

/* The range of an axis, slightly wider than the values. */
typedef struct range {
    double low, high, least, most; /* least, most: of the values */
} range;

static mt_status find_range(size_t n, const mt_scatter_quantity *q, range *r)
{
    r->least = INFINITY, r->most = -INFINITY;
    for (size_t k = 0; k < n; k++)
        if (!isnan(q->value[k])) r->least = fmin(r->least, q->value[k]), r->most = fmax(r->most, q->value[k]);
    if (!isfinite(r->least) || !isfinite(r->most))
        return mt_fail(
            MT_INPUT, "scatter plot: %s has no values, or an infinite one; allowed: numbers", q->name);
    const double margin = r->most > r->least ? 0.06 * (r->most - r->least) : fmax(0.5 * fabs(r->most), 1e-9);
    r->low = r->least - margin, r->high = r->most + margin;
    return MT_OK;
}

/* ---- panels ---- */

typedef struct box {
    double x, y, w, h;
} box;

static double x_of(const box *b, const range *r, double value)
{
    return b->x + b->w * (value - r->low) / (r->high - r->low);
}

static double y_of(const box *b, const range *r, double value)
{
    return b->y + b->h - b->h * (value - r->low) / (r->high - r->low);
}

static box panel_of(const mt_scatter *s, size_t row, size_t column)
{
    const double n_rows = (double)s->n_results, n_columns = (double)s->n_parameters + 1;
    const double w = (RIGHT - LEFT - GAP * (n_columns - 1)) / n_columns,
                 h = (BOTTOM - TOP - (GAP + NAMES) * (n_rows - 1)) / n_rows;
    return (box){LEFT + (double)column * (w + GAP), TOP + (double)row * (h + GAP + NAMES), w, h};
}

/* Draws the values at the ticks of an axis: vertical, left of the box, or horizontal, below it. */
static void draw_ticks(mt_page *page, const box *b, const range *r, bool vertical)
{
    const double step = mt_page_step(r->high - r->low, vertical ? 5 : 3);
    mt_page_grey(page, mt_page_ink);
    for (double k = ceil(r->low / step); k * step <= r->high; k++) {
        const double value = k == 0 ? 0 : k * step;
        char number[32];
        mt_page_number(value, number);
        if (vertical)
            mt_page_write(page, b->x - 8, y_of(b, r, value) + 5, MT_END, LABEL, LEFT - 20, number);
        else
            mt_page_write(page, x_of(b, r, value), b->y + b->h + 18, MT_MIDDLE, LABEL, b->w / 3, number);
    }
}

static void draw_frame(mt_page *page, const box *b)
{
    mt_page_grey(page, 0.75);
    cairo_set_line_width(page->pen, 1);
    mt_page_frame(page, b->x, b->y, b->w, b->h);
}

/* Draws the histogram of a result along its vertical axis, with its name. */
static void draw_histogram(mt_page *page, const mt_scatter *s, size_t row, const range *r)
{
    const box b = panel_of(s, row, 0);
    size_t count[MT_SCATTER_BINS], most = 1;
    double colour[3];
    const double from = r->most > r->least ? r->least : r->low, to = r->most > r->least ? r->most : r->high;
    mt_scatter_bins(s->n, s->result[row].value, from, to, count);
    for (size_t k = 0; k < MT_SCATTER_BINS; k++) most = count[k] > most ? count[k] : most;
    mt_chart_colour(0, colour);
    for (size_t k = 0; k < MT_SCATTER_BINS; k++) {
        const double low = from + (to - from) * (double)k / MT_SCATTER_BINS,
                     high = from + (to - from) * (double)(k + 1) / MT_SCATTER_BINS;
        const double top = y_of(&b, r, high), bottom = y_of(&b, r, low);
        if (count[k] > 0)
            mt_page_fill(
                page, b.x, top, 0.94 * b.w * (double)count[k] / (double)most, bottom - top - 1, colour);
    }
    draw_frame(page, &b);
    draw_ticks(page, &b, r, true);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, b.x, b.y - 7, MT_START, 17, RIGHT - b.x, s->result[row].name);
}

static void draw_points(mt_page *page, const mt_scatter *s, const box *b, const double *x, const double *y,
    const range *of_x, const range *of_y)
{
    const double radius = s->n > 1000 ? 1.5 : s->n > 100 ? 2.5 : 4;
    double colour[3];
    mt_chart_colour(0, colour);
    mt_page_colour(page, colour);
    for (size_t k = 0; k < s->n; k++) {
        if (isnan(x[k]) || isnan(y[k])) continue;
        cairo_arc(page->pen, x_of(b, of_x, x[k]), y_of(b, of_y, y[k]), radius, 0, 2 * acos(-1));
        cairo_fill(page->pen);
    }
}

static void draw_panel(
    mt_page *page, const mt_scatter *s, size_t row, size_t column, const range *of_x, const range *of_y)
{
    const box b = panel_of(s, row, column + 1);
    const double *x = s->parameter[column].value, *y = s->result[row].value;
    const double r = mt_scatter_correlation(s->n, x, y);
    char text[32];
    draw_points(page, s, &b, x, y, of_x, of_y);
    draw_frame(page, &b);
    if (!isnan(r)) {
        (void)snprintf(text, sizeof text, "r = %.2f", r);
        mt_page_grey(page, mt_page_secondary);
        mt_page_write(page, b.x + b.w, b.y - 7, MT_END, LABEL, b.w, text);
    }
    if (row + 1 < s->n_results) return;
    draw_ticks(page, &b, of_x, false);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, b.x + b.w / 2, b.y + b.h + 42, MT_MIDDLE, 17, b.w, s->parameter[column].name);
}

static mt_status draw(mt_page *page, const mt_scatter *s)
{
    range of_x[MT_SCATTER_PARAMETERS_MAX], of_y[MT_SCATTER_RESULTS_MAX];
    for (size_t k = 0; k < s->n_results; k++) MT_TRY(find_range(s->n, &s->result[k], &of_y[k]));
    for (size_t k = 0; k < s->n_parameters; k++) MT_TRY(find_range(s->n, &s->parameter[k], &of_x[k]));
    mt_page_title(page, s->title);
    for (size_t row = 0; row < s->n_results; row++) {
        draw_histogram(page, s, row, &of_y[row]);
        for (size_t c = 0; c < s->n_parameters; c++) draw_panel(page, s, row, c, &of_x[c], &of_y[row]);
    }
    mt_page_grey(page, mt_page_secondary);
    mt_page_write(page, LEFT, MT_PAGE_HEIGHT - 22, MT_START, LABEL, RIGHT - LEFT, s->note);
    return MT_OK;
}

mt_status mt_scatter_write(const char *path, const mt_scatter *s)
{
    mt_page page;
    if (s->n_results < 1 || s->n_results > MT_SCATTER_RESULTS_MAX ||
        s->n_parameters > MT_SCATTER_PARAMETERS_MAX)
        return mt_fail(MT_INPUT, "scatter plot of %zu results and %zu parameters; allowed: 1 to %d, 0 to %d",
            s->n_results, s->n_parameters, MT_SCATTER_RESULTS_MAX, MT_SCATTER_PARAMETERS_MAX);
    MT_TRY(mt_page_begin(&page));
    return mt_page_end(&page, draw(&page, s), path);
}
