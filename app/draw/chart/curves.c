#include "app/draw/chart/curves.h"

#include <cairo.h>
#include <math.h>

#include "app/draw/colour.h"

/* Layout of the page [pixels]. */
enum { LEFT = 130, RIGHT = MT_PAGE_WIDTH - 60, TOP = 140, BOTTOM = 890, GAP = 70, CAPTION_SIZE = 17 };

/* ---- curves ---- */

mt_status mt_curve_begin(mt_arena *arena, double from, double to, mt_curve *curve)
{
    *curve = (mt_curve){.from = from, .to = to};
    MT_ALLOC(arena, curve->part, MT_CURVE_PARTS);
    return MT_OK;
}

void mt_curve_add(mt_curve *curve, double x, double y)
{
    const double part = MT_CURVE_PARTS * (x - curve->from) / (curve->to - curve->from);
    mt_curve_part *p = &curve->part[part < MT_CURVE_PARTS ? (size_t)fmax(part, 0) : MT_CURVE_PARTS - 1];
    p->last = (mt_curve_point){x, y};
    if (p->n++ == 0) p->first = p->lowest = p->highest = p->last;
    if (isnan(y)) p->lowest = p->highest = p->last; /* remains: comparisons with NaN are false */
    if (y < p->lowest.y) p->lowest = p->last;
    if (y > p->highest.y) p->highest = p->last;
}

size_t mt_curve_points(const mt_curve_part *part, mt_curve_point points[4])
{
    const bool falls = part->highest.x < part->lowest.x;
    points[0] = part->first;
    points[1] = falls ? part->highest : part->lowest;
    points[2] = falls ? part->lowest : part->highest;
    points[3] = part->last;
    return part->n > 0 ? 4 : 0;
}

bool mt_curve_range(const mt_curve *curve, double *least, double *most)
{
    *least = INFINITY, *most = -INFINITY;
    for (size_t k = 0; k < MT_CURVE_PARTS; k++) {
        const mt_curve_part *p = &curve->part[k];
        if (p->n > 0 && isnan(p->lowest.y)) return false;
        if (p->n > 0) *least = fmin(*least, p->lowest.y), *most = fmax(*most, p->highest.y);
    }
    return isfinite(*least) && isfinite(*most);
}

/* ---- axes ---- */

/* A vertical axis with round ends, and its position. */
typedef struct axis {
    double low, high, step; /* in units of y */
    double top, bottom;     /* pixels */
} axis;

static double y_of(const axis *a, double value)
{
    return a->bottom - (a->bottom - a->top) * (value - a->low) / (a->high - a->low);
}

static double x_of(const mt_curve *curve, double x)
{
    return LEFT + (RIGHT - LEFT) * (x - curve->from) / (curve->to - curve->from);
}

/* Divides the height among the panels; the first has the height of two others. */
static void place_axis(size_t panel, size_t n_panels, axis *a)
{
    const double share = (BOTTOM - TOP - (double)(n_panels - 1) * GAP) / (double)(n_panels + (n_panels > 1));
    a->top = panel == 0 ? TOP : TOP + 2 * share + GAP + (double)(panel - 1) * (share + GAP);
    a->bottom = a->top + (panel == 0 && n_panels > 1 ? 2 : 1) * share;
}

static const mt_curve *curve_of(const mt_curve_panel *panel, size_t k)
{
    return k == 0 ? panel->curve : &panel->other[k - 1];
}

static mt_status make_axis(const mt_curves *c, size_t panel, axis *a)
{
    const mt_curve_panel *p = &c->panels[panel];
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k <= p->n_others; k++) {
        double low, high;
        if (!mt_curve_range(curve_of(p, k), &low, &high))
            return mt_fail(MT_INPUT, "picture of '%s': no points, or a value that is not finite", p->caption);
        least = fmin(least, low), most = fmax(most, high);
    }
    if (least == most) least -= fmax(0.5 * fabs(most), 1e-9), most += fmax(0.5 * fabs(most), 1e-9);
    a->step = mt_page_step(most - least, panel == 0 ? 8 : 5);
    a->low = a->step * floor(least / a->step + 1e-9);
    a->high = a->step * ceil(most / a->step - 1e-9);
    place_axis(panel, c->n_panels, a);
    return MT_OK;
}

/* Returns k * step, exactly 0 for k = 0. */
static double multiple(double k, double step) { return k == 0 ? 0 : k * step; }

static void draw_values(mt_page *page, const axis *a)
{
    const double first = round(a->low / a->step), last = round(a->high / a->step);
    for (double k = first; k <= last; k++) {
        const double value = multiple(k, a->step), y = floor(y_of(a, value)) + 0.5;
        char number[32];
        mt_page_grey(page, k == 0 && first < 0 ? 0.6 : 0.87);
        cairo_set_line_width(page->pen, 1);
        mt_page_line(page, LEFT, y, RIGHT, y);
        mt_page_number(value, number);
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, LEFT - 12, y + 5, MT_END, 16, LEFT - 30, number);
    }
}

/* Draws vertical lines at round positions through all panels, with numbers below the last. */
static void draw_places(mt_page *page, const mt_curve *curve, const axis *a, size_t n)
{
    const double step = mt_page_step(curve->to - curve->from, 10);
    for (double k = ceil(curve->from / step - 1e-9); k * step <= curve->to + 1e-9 * step; k++) {
        const double place = multiple(k, step), x = floor(x_of(curve, place)) + 0.5;
        char number[32];
        mt_page_grey(page, 0.87);
        cairo_set_line_width(page->pen, 1);
        for (size_t p = 0; p < n; p++) mt_page_line(page, x, a[p].top, x, a[p].bottom);
        mt_page_number(place, number);
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, x, a[n - 1].bottom + 28, MT_MIDDLE, 16, 120, number);
    }
}

/* ---- lines ---- */

static void draw_points(mt_page *page, const mt_curve *curve, const axis *a, bool dots)
{
    for (size_t k = 0; k < MT_CURVE_PARTS; k++) {
        mt_curve_point points[4];
        const size_t n = mt_curve_points(&curve->part[k], points);
        for (size_t i = 0; i < n; i++) {
            const double x = x_of(curve, points[i].x), y = y_of(a, points[i].y);
            if (dots) cairo_new_sub_path(page->pen), cairo_arc(page->pen, x, y, 5, 0, 2 * M_PI);
            if (!dots) cairo_line_to(page->pen, x, y);
        }
    }
    dots ? cairo_fill(page->pen) : cairo_stroke(page->pen);
}

/* Sets colour and dashes of curve k in a panel. A single curve has the colour of its panel; several use the circle of hues. */
static void use_colour(mt_page *page, const mt_curve_panel *panel, size_t number, size_t k)
{
    enum { HUES = 8 };
    static const double of[MT_CURVE_PANELS_MAX][3] = {{0.47, 0.105, 262}, {0.62, 0.14, 35}, {0.6, 0.1, 160}},
                        dashes[][2] = {{11, 6}, {2.5, 4.5}};
    const size_t n = panel->n_others + 1, n_hues = n < HUES ? n : HUES;
    double look[3] = {of[number][0], of[number][1], of[number][2]}, linear[3];
    if (n > 1) {
        look[0] = k % HUES % 2 == 0 ? 0.47 : 0.64;
        look[1] = 0.13;
        look[2] = fmod(of[0][2] + 360 * (double)(k % HUES) / (double)n_hues, 360);
    }
    mt_colour_linear(look[0], mt_colour_chroma(look[0], look[1], look[2]), look[2], linear);
    mt_page_colour(page, linear);
    cairo_set_line_width(page->pen, 2.2);
    cairo_set_line_join(page->pen, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(page->pen, k < HUES ? NULL : dashes[k / HUES - 1], k < HUES ? 0 : 2, 0);
}

static void draw_curves(mt_page *page, const mt_curve_panel *panel, const axis *a, size_t number)
{
    for (size_t k = panel->n_others + 1; k-- > 0;) { /* the first on top */
        use_colour(page, panel, number, k);
        if (panel->look != MT_CURVE_DOTS) draw_points(page, curve_of(panel, k), a, false);
        if (panel->look != MT_CURVE_LINE) draw_points(page, curve_of(panel, k), a, true);
    }
    cairo_set_dash(page->pen, NULL, 0, 0);
}

enum { PIECE = 32, WORD = PIECE + 8, BETWEEN = 26 };

/* Style of the legend's names: font size and maximum width. */
typedef struct names {
    double size, most;
} names;

static double entry_width(mt_page *page, const char *name, const names *of)
{
    return WORD + fmin(mt_page_width(page, of->size, name), of->most) + BETWEEN;
}

/* Returns the number of entries from `first` on that fit into a row, at least 1 if any remain, and their width. */
static size_t fill_row(
    mt_page *page, const mt_curve_panel *panel, size_t first, double room, const names *of, double *width)
{
    size_t n = 0;
    *width = 0;
    for (size_t k = first; k <= panel->n_others; k++, n++) {
        const double more = entry_width(page, panel->name[k], of);
        if (n > 0 && *width + more > room + BETWEEN) break;
        *width += more;
    }
    return n;
}

/* Returns the largest font and width with which all entries fit into two rows. */
static names choose_names(mt_page *page, const mt_curve_panel *panel, double room)
{
    names of = {16, 300};
    while (of.most > 12) {
        double width;
        size_t k = 0;
        for (int row = 0; row < 2 && k <= panel->n_others; row++)
            k += fill_row(page, panel, k, room, &of, &width);
        if (k > panel->n_others) break;
        if (of.size > 11)
            of.size--;
        else
            of.most *= 0.9;
    }
    return of;
}

/* Draws the names, each with a sample of its line, to the right of the caption; the second row is at its height. */
static void draw_names(mt_page *page, const mt_curve_panel *panel, const axis *a, size_t number)
{
    const double room = RIGHT - 60 - mt_page_width(page, CAPTION_SIZE, panel->caption) - 40,
                 heights[] = {a->top - 47, a->top - 24};
    char name[MT_PAGE_SHORT];
    double width;
    size_t k = 0;
    if (!panel->name) return;
    const names of = choose_names(page, panel, room);
    const bool one = fill_row(page, panel, 0, room, &of, &width) > panel->n_others;
    for (int row = one; row < 2; row++) {
        const double y = heights[row];
        size_t in_row = fill_row(page, panel, k, room, &of, &width);
        double x = RIGHT - width + BETWEEN;
        for (; in_row-- > 0 && k <= panel->n_others; k++) {
            use_colour(page, panel, number, k);
            mt_page_line(page, x, y - 5, x + PIECE, y - 5);
            cairo_set_dash(page->pen, NULL, 0, 0);
            mt_page_grey(page, mt_page_ink);
            mt_page_shorten(page, of.size, of.most, panel->name[k], name);
            mt_page_write(page, x + WORD, y, MT_START, of.size, of.most, name);
            x += entry_width(page, panel->name[k], &of);
        }
    }
}

static void draw(mt_page *page, const mt_curves *c, const axis *a)
{
    draw_places(page, c->panels[0].curve, a, c->n_panels);
    for (size_t p = 0; p < c->n_panels; p++) {
        draw_values(page, &a[p]);
        draw_curves(page, &c->panels[p], &a[p], p);
        draw_names(page, &c->panels[p], &a[p], p);
        mt_page_grey(page, mt_page_ink);
        cairo_set_line_width(page->pen, 1.6);
        mt_page_line(page, LEFT, a[p].bottom + 0.8, RIGHT, a[p].bottom + 0.8);
        mt_page_write(page, 60, a[p].top - 24, MT_START, CAPTION_SIZE, RIGHT - 60, c->panels[p].caption);
    }
    mt_page_write(
        page, 0.5 * (LEFT + RIGHT), a[c->n_panels - 1].bottom + 64, MT_MIDDLE, 17, RIGHT - LEFT, c->caption);
    mt_page_grey(page, mt_page_secondary);
    if (c->note) mt_page_write(page, LEFT, MT_PAGE_HEIGHT - 14, MT_START, 16, RIGHT - LEFT, c->note);
    mt_page_title(page, c->title);
}

mt_status mt_curves_write(const char *path, const mt_curves *curves)
{
    axis a[MT_CURVE_PANELS_MAX];
    mt_page page;
    for (size_t p = 0; p < curves->n_panels; p++) MT_TRY(make_axis(curves, p, &a[p]));
    MT_TRY(mt_page_begin(&page));
    draw(&page, curves, a);
    return mt_page_end(&page, MT_OK, path);
}
