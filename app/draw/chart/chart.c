#include "app/draw/chart/chart.h"

#include <cairo.h>
#include <math.h>

#include "app/draw/colour.h"

/* Layout of the page [pixels]. */
enum { LEFT = 130, RIGHT = MT_PAGE_WIDTH - 60, TOP = 140, BOTTOM = 775, NAMES = 108, LEGEND_Y = 934 };

/* The value axis, from its lower to its upper end. */
typedef struct axis {
    bool logarithmic;
    double low, high;
} axis;

static double height_of(const axis *a, double value)
{
    const double part = !a->logarithmic   ? value / a->high
                        : value <= a->low ? 0
                                          : log(value / a->low) / log(a->high / a->low);
    return (BOTTOM - TOP) * part;
}

/* ---- valid input ---- */

static bool may_be_shown(double value) { return value >= 1e-9 && value <= 1e15; }

static mt_status check_values(const mt_chart *c)
{
    for (size_t k = 0; k < c->n_groups * c->n_bars; k++) {
        const char *group = c->group[k / c->n_bars], *bar = c->bar[k % c->n_bars];
        for (size_t i = 0; i < c->n_kinds; i++) {
            const double value = c->value[k * c->n_kinds + i];
            if (value != 0 && !may_be_shown(value))
                return mt_fail(MT_INPUT, "chart: group '%s', bar '%s', '%s' is %g; allowed: 0, 1e-9 to 1e15",
                    group, bar, c->kind[i], value);
        }
        if (c->mark && !isnan(c->mark[k]) && !may_be_shown(c->mark[k]))
            return mt_fail(MT_INPUT, "chart: group '%s', bar '%s': the mark is at %g; allowed: 1e-9 to 1e15",
                group, bar, c->mark[k]);
    }
    return MT_OK;
}

static mt_status check_places(const mt_chart *c)
{
    if (c->n_kinds > 1 || c->n_bars > MT_CHART_KINDS_MAX)
        return mt_fail(MT_INPUT, "a chart of %zu lines of %zu kinds; allowed: 1 to %d lines of one kind",
            c->n_bars, c->n_kinds, MT_CHART_KINDS_MAX);
    for (size_t g = 0; g < c->n_groups; g++)
        if (!may_be_shown(c->place[g]) && !(c->linear_places && c->place[g] == 0))
            return mt_fail(MT_INPUT, "chart: group '%s' is at %g; allowed: %s1e-9 to 1e15", c->group[g],
                c->place[g], c->linear_places ? "0, " : "");
    return MT_OK;
}

static mt_status check(const mt_chart *c)
{
    const struct {
        const char *what;
        size_t n, most;
    } sizes[] = {{"groups", c->n_groups, MT_CHART_GROUPS_MAX},
        {"bars in a group", c->n_bars, MT_CHART_BARS_MAX}, {"kinds", c->n_kinds, MT_CHART_KINDS_MAX}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (sizes[k].n < 1 || sizes[k].n > sizes[k].most)
            return mt_fail(
                MT_INPUT, "a chart of %zu %s; allowed: 1 to %zu", sizes[k].n, sizes[k].what, sizes[k].most);
    if (c->place) MT_TRY(check_places(c));
    return check_values(c);
}

/* ---- the axis ---- */

static void extend(double value, double *least, double *most)
{
    if (!(value > 0)) return;
    *least = fmin(*least, value);
    *most = fmax(*most, value);
}

static double round_up(double x)
{
    const double below = mt_page_round_down(x), digit = below / pow(10, floor(log10(below) + 1e-9));
    if (x <= below * (1 + 1e-9)) return below;
    return below * (digit < 1.5 ? 2 : digit < 2.5 ? 2.5 : 2);
}

static mt_status make_axis(const mt_chart *c, axis *a)
{
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < c->n_groups * c->n_bars; k++) {
        double sum = 0;
        for (size_t i = 0; i < c->n_kinds; i++) extend(sum += c->value[k * c->n_kinds + i], &least, &most);
        if (c->mark) extend(c->mark[k], &least, &most);
    }
    *a = (axis){.logarithmic = c->logarithmic, .high = 1};
    if (c->logarithmic) {
        if (most == 0) return mt_fail(MT_INPUT, "a chart with a logarithmic axis has no value above 0");
        a->low = mt_page_round_down(0.5 * least);
        a->high = round_up(most);
    } else if (most > 0) {
        const double step = mt_page_step(most, 8);
        a->high = step * ceil(most / step - 1e-9);
    }
    return MT_OK;
}

static void draw_tick(mt_page *page, const axis *a, double value)
{
    const double y = floor(BOTTOM - height_of(a, value)) + 0.5;
    char number[32];
    mt_page_grey(page, 0.87);
    cairo_set_line_width(page->pen, 1);
    mt_page_line(page, LEFT, y, RIGHT, y);
    mt_page_number(value, number);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, LEFT - 12, y + 5, MT_END, 16, LEFT - 30, number);
}

/* Draws ticks at 1, 2 and 5 times every power of ten; above three powers only at some of the powers. */
static void draw_logarithmic_ticks(mt_page *page, const axis *a)
{
    const double powers = log10(a->high / a->low);
    const int every = (int)ceil(powers / 8), first = (int)floor(log10(a->low) + 1e-9),
              last = (int)floor(log10(a->high) + 1e-9);
    for (int k = first; k <= last; k += every)
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            const double value = digit * pow(10, k);
            if (digit > 1 && powers > 3) break;
            if (value >= a->low * (1 - 1e-9) && value <= a->high * (1 + 1e-9)) draw_tick(page, a, value);
        }
}

static void draw_ticks(mt_page *page, const axis *a)
{
    if (a->logarithmic) {
        draw_logarithmic_ticks(page, a);
        return;
    }
    const double step = mt_page_step(a->high, 8);
    for (int k = 0; k * step <= a->high * (1 + 1e-9); k++) draw_tick(page, a, k * step);
}

/* ---- bars ---- */

void mt_chart_colour(size_t kind, double linear[3])
{
    static const double of[MT_CHART_KINDS_MAX][3] = {
        {0.47, 0.105, 262}, {0.68, 0.105, 205}, {0.87, 0.105, 92}, {0.70, 0.125, 40}};
    const double *o = of[kind % MT_CHART_KINDS_MAX];
    mt_colour_linear(o[0], mt_colour_chroma(o[0], o[1], o[2]), o[2], linear);
}

static void draw_diamond(mt_page *page, double x, double y)
{
    const double reach = 7;
    cairo_move_to(page->pen, x - reach, y);
    cairo_line_to(page->pen, x, y - reach);
    cairo_line_to(page->pen, x + reach, y);
    cairo_line_to(page->pen, x, y + reach);
    cairo_close_path(page->pen);
    mt_page_grey(page, mt_page_ink);
    cairo_fill_preserve(page->pen);
    mt_page_grey(page, 1);
    cairo_set_line_width(page->pen, 1.5);
    cairo_stroke(page->pen);
}

/* Writes a name upwards, ending below the axis. */
static void write_name(mt_page *page, double x, double size, const char *name)
{
    cairo_save(page->pen);
    cairo_translate(page->pen, x, BOTTOM + 8);
    cairo_rotate(page->pen, -M_PI_2);
    mt_page_grey(page, mt_page_secondary);
    mt_page_write(page, 0, 0.35 * size, MT_END, size, NAMES, name);
    cairo_restore(page->pen);
}

/* Draws the kinds from the top down, each from its upper end to the axis, so that no background is visible between two kinds. */
static void draw_bar(mt_page *page, const mt_chart *c, const axis *a, size_t which, double x, double w)
{
    const double *value = c->value + which * c->n_kinds;
    double sum[MT_CHART_KINDS_MAX];
    for (size_t i = 0; i < c->n_kinds; i++) sum[i] = (i > 0 ? sum[i - 1] : 0) + value[i];
    for (size_t i = c->n_kinds; i-- > 0;) {
        const double top = height_of(a, sum[i]);
        double linear[3];
        mt_chart_colour(i, linear);
        if (value[i] > 0) mt_page_fill(page, x, BOTTOM - top, w, top, linear);
    }
    if (c->mark && !isnan(c->mark[which]))
        draw_diamond(page, x + 0.5 * w, BOTTOM - height_of(a, c->mark[which]));
}

static bool has_names(const mt_chart *c)
{
    for (size_t b = 0; b < c->n_bars; b++)
        if (c->bar[b][0]) return true;
    return false;
}

/* Draws the bars on complete pixels, with gaps of at least one bar between groups. */
static void draw_bars(mt_page *page, const mt_chart *c, const axis *a)
{
    const double of_group = (double)(RIGHT - LEFT) / (double)c->n_groups;
    const double below = BOTTOM + (has_names(c) ? NAMES + 28 : 34);
    const double pitch = fmin(110, floor(of_group / ((double)c->n_bars + 0.8))), w = floor(0.84 * pitch);
    for (size_t g = 0; g < c->n_groups; g++) {
        const double middle = LEFT + of_group * ((double)g + 0.5);
        const double left = floor(middle - 0.5 * (pitch * (double)c->n_bars - (pitch - w)) + 0.5);
        for (size_t b = 0; b < c->n_bars; b++) {
            const double x = left + pitch * (double)b;
            draw_bar(page, c, a, g * c->n_bars + b, x, w);
            write_name(page, x + 0.5 * w, fmin(15, pitch), c->bar[b]);
        }
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, middle, below, MT_MIDDLE, 18, of_group - 10, c->group[g]);
    }
}

/* ---- lines ---- */

/* Positions of the groups, and their order. */
typedef struct places {
    double x[MT_CHART_GROUPS_MAX];
    size_t order[MT_CHART_GROUPS_MAX];
} places;

static double scaled(const mt_chart *c, double place) { return c->linear_places ? place : log(place); }

static places find_places(const mt_chart *c)
{
    enum { MARGIN = 70 };
    places p = {{0}, {0}};
    double least = INFINITY, most = -INFINITY;
    for (size_t g = 0; g < c->n_groups; g++) {
        least = fmin(least, scaled(c, c->place[g]));
        most = fmax(most, scaled(c, c->place[g]));
        size_t k = g;
        for (; k > 0 && c->place[p.order[k - 1]] > c->place[g]; k--) p.order[k] = p.order[k - 1];
        p.order[k] = g;
    }
    for (size_t g = 0; g < c->n_groups; g++) {
        const double part = most > least ? (scaled(c, c->place[g]) - least) / (most - least) : 0.5;
        p.x[g] = floor(LEFT + MARGIN + part * (RIGHT - LEFT - 2 * MARGIN)) + 0.5;
    }
    return p;
}

/* Draws the names below the axis, each in the space between its neighbours. */
static void draw_places(mt_page *page, const mt_chart *c, const places *p)
{
    for (size_t k = 0; k < c->n_groups; k++) {
        const double x = p->x[p->order[k]];
        const double before = k > 0 ? x - p->x[p->order[k - 1]] : INFINITY;
        const double behind = k + 1 < c->n_groups ? p->x[p->order[k + 1]] - x : INFINITY;
        mt_page_grey(page, 0.87);
        cairo_set_line_width(page->pen, 1);
        mt_page_line(page, x, TOP, x, BOTTOM);
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, x, BOTTOM + 34, MT_MIDDLE, 18, fmax(12, fmin(140, fmin(before, behind)) - 8),
            c->group[p->order[k]]);
    }
}

/* Draws the marks of a bar. */
static void draw_marks(mt_page *page, const mt_chart *c, const axis *a, const places *p, size_t bar)
{
    const double broken[] = {10, 7};
    for (size_t k = 0; k < c->n_groups; k++) {
        const double value = c->mark[p->order[k] * c->n_bars + bar];
        if (!isnan(value)) cairo_line_to(page->pen, p->x[p->order[k]], BOTTOM - height_of(a, value));
    }
    mt_page_grey(page, mt_page_secondary);
    cairo_set_line_width(page->pen, 1.6);
    cairo_set_dash(page->pen, broken, 2, 0);
    cairo_stroke(page->pen);
    cairo_set_dash(page->pen, NULL, 0, 0);
}

static void draw_line(mt_page *page, const mt_chart *c, const axis *a, const places *p, size_t bar)
{
    double linear[3];
    mt_chart_colour(bar, linear);
    mt_page_colour(page, linear);
    cairo_set_line_width(page->pen, 3);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < c->n_groups; k++) {
            const double value = c->value[p->order[k] * c->n_bars + bar];
            const double x = p->x[p->order[k]], y = BOTTOM - height_of(a, value);
            if (value == 0) continue;
            if (pass == 0) {
                cairo_line_to(page->pen, x, y);
            } else {
                cairo_new_sub_path(page->pen);
                cairo_arc(page->pen, x, y, 7, 0, 2 * M_PI);
            }
        }
        pass == 0 ? cairo_stroke(page->pen) : cairo_fill(page->pen);
    }
}

static void draw_lines(mt_page *page, const mt_chart *c, const axis *a)
{
    const places p = find_places(c);
    draw_places(page, c, &p);
    for (size_t b = 0; c->mark && b < c->n_bars; b++) draw_marks(page, c, a, &p, b);
    for (size_t b = 0; b < c->n_bars; b++) draw_line(page, c, a, &p, b);
}

/* ---- legend and title ---- */

/* Draws a sample of the marks. */
static void draw_sample(mt_page *page, const mt_chart *c, double x, double y, double size)
{
    if (!c->place) {
        draw_diamond(page, x + 0.5 * size, y + 0.5 * size);
        return;
    }
    mt_page_grey(page, mt_page_secondary);
    cairo_set_line_width(page->pen, 1.6);
    cairo_move_to(page->pen, x - 8, y + 0.5 * size);
    cairo_line_to(page->pen, x + 2, y + 0.5 * size);
    cairo_move_to(page->pen, x + 9, y + 0.5 * size);
    cairo_line_to(page->pen, x + 19, y + 0.5 * size);
    cairo_stroke(page->pen);
}

static void draw_legend(mt_page *page, const mt_chart *c)
{
    const size_t n_colours = c->place ? c->n_bars : c->n_kinds, n = n_colours + (c->mark != NULL);
    const char *const *names = c->place ? c->bar : c->kind;
    const double each = fmin(300, (double)(RIGHT - LEFT) / (double)n), box = 20;
    double x = 0.5 * (LEFT + RIGHT) - 0.5 * each * (double)n + 20;
    for (size_t i = 0; i < n; i++, x += each) {
        double linear[3];
        mt_chart_colour(i, linear);
        if (i < n_colours)
            mt_page_fill(page, floor(x), LEGEND_Y, box, box, linear);
        else
            draw_sample(page, c, floor(x), LEGEND_Y, box);
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, floor(x) + box + 10, LEGEND_Y + 16, MT_START, 17, each - box - 30,
            i < n_colours ? names[i] : c->mark_name);
    }
}

static void draw(mt_page *page, const mt_chart *c, const axis *a)
{
    draw_ticks(page, a);
    c->place ? draw_lines(page, c, a) : draw_bars(page, c, a);
    mt_page_grey(page, mt_page_ink);
    cairo_set_line_width(page->pen, 1.6);
    mt_page_line(page, LEFT, BOTTOM + 0.8, RIGHT, BOTTOM + 0.8);
    mt_page_write(page, 60, TOP - 28, MT_START, 17, RIGHT - 60, c->caption);
    draw_legend(page, c);
    mt_page_title(page, c->title);
}

mt_status mt_chart_write(const char *path, const mt_chart *chart)
{
    axis a;
    mt_page page;
    MT_TRY(check(chart));
    MT_TRY(make_axis(chart, &a));
    MT_TRY(mt_page_begin(&page));
    draw(&page, chart, &a);
    return mt_page_end(&page, MT_OK, path);
}
