#include "app/draw/chart/network_picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/draw/scene/bar.h"
#include "app/draw/colour.h"
#include "app/draw/scene/picture.h"

/* Where the network stands on the page. Pixels. */
enum { LEFT = 60, RIGHT = MT_PAGE_WIDTH - 60, MIDDLE_Y = 490, CAPTION_Y = 100, NOTE_Y = 868 };
enum { RAIL = 190, RADIUS = 310, PRISM_RADIUS = 270 }; /* from the middle to a rail; of circles */
enum { LABEL = 14, LABELS = 128, POINTS = 4 };

typedef struct point {
    double x, y;
} point;

typedef struct drawing {
    const mt_network_picture *of;
    mt_page *page;
    mt_bar bar;
    point chip[MT_NETWORK_CHIPS_MAX];
    double half;  /* of a box */
    double gap;   /* between links of a pair of chips */
    double pitch; /* from rung to rung, from layer to layer */
    bool labelled;
    point label[LABELS]; /* numbers that are written */
    size_t n_labels;
    double most; /* seconds that the busiest link is busy */
} drawing;

/* ---- where chips stand ---- */

static void place_ladder(drawing *d)
{
    const size_t n = d->of->network->n_chips, rungs = n > 1 ? n / 2 : 1;
    d->pitch = fmin((RIGHT - LEFT) / (double)rungs, 300);
    const double first = 0.5 * (LEFT + RIGHT) - 0.5 * d->pitch * (double)(rungs - 1);
    for (size_t c = 0; c < n; c++)
        d->chip[c] = (point){first + d->pitch * (double)(c / 2), MIDDLE_Y + (c % 2 ? RAIL : -RAIL)};
    d->labelled = n <= 16 && d->of->network->n_links <= LABELS;
}

/* Turned so that no two columns have the same height. */
static void place_prism(drawing *d)
{
    const size_t n = d->of->network->n_chips, faces = d->of->faces, layers = n / faces;
    const double width = 0.3;
    d->pitch = fmin((RIGHT - LEFT) / ((double)layers - 1 + 2 * width + 0.3), 420);
    const double first = 0.5 * (LEFT + RIGHT) - 0.5 * d->pitch * (double)(layers - 1);
    for (size_t c = 0; c < n; c++) {
        const double turned = ((double)(c % faces) + 0.25) / (double)faces,
                     angle = 2 * M_PI * turned - M_PI_2;
        d->chip[c] = (point){first + d->pitch * ((double)(c / faces) + width * cos(angle)),
            MIDDLE_Y + PRISM_RADIUS * sin(angle)};
    }
    d->labelled = n <= 16 && d->of->network->n_links <= LABELS;
}

/* A point of an ellipse, by the share of its length from the top. */
static point on_ellipse(double wide, double high, double part)
{
    enum { PIECES = 3600 };
    double length = 0, reached = 0;
    if (wide == high) return (point){wide * sin(2 * M_PI * part), -wide * cos(2 * M_PI * part)};
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < PIECES && (pass == 0 || reached < part * length); k++) {
            const double angle = 2 * M_PI * (k + 0.5) / PIECES,
                         step = hypot(wide * cos(angle), high * sin(angle));
            if (pass == 0) length += step;
            if (pass == 1 && (reached += step) >= part * length)
                return (point){wide * sin(angle), -high * cos(angle)};
        }
    return (point){0, -high};
}

/* A circle of few, an ellipse of many. */
static void place_circle(drawing *d)
{
    const size_t n = d->of->network->n_chips;
    const double wide = n > 16 ? 0.5 * (RIGHT - LEFT) - 40 : RADIUS;
    d->pitch = fmin(M_PI * (wide + RADIUS) / (double)n, 220);
    for (size_t c = 0; c < n; c++) {
        const point p = on_ellipse(wide, RADIUS, (double)c / (double)n);
        d->chip[c] = (point){0.5 * (LEFT + RIGHT) + p.x, MIDDLE_Y + p.y};
    }
    d->labelled = d->of->network->n_links <= 32;
}

static void place_chips(drawing *d)
{
    if (d->of->faces > 0)
        place_prism(d);
    else if (d->of->network->shape == IPU_LINK_LIST)
        place_circle(d);
    else
        place_ladder(d);
    d->half = fmax(11, fmin(26, 0.3 * d->pitch));
    d->gap = d->of->faces == 0 && d->labelled ? 26 : fmax(7, fmin(18, 0.15 * d->pitch));
}

/* ---- how a link goes ---- */

/* From box to box, along up to two corners. */
typedef struct way {
    point at[POINTS];
    size_t n;
    size_t labelled; /* its number stands at the line that begins there */
    double side;     /* of the line: 1 on its right, as it goes */
} way;

static bool is_seam(const ipu_topology *t, const ipu_link *link)
{
    const uint32_t from = link->from / 2, to = link->to / 2;
    return t->shape == IPU_TORUS && (from > to ? from - to : to - from) > 1;
}

/* How many links between the same chips the same way come before. */
static size_t rank_of(const ipu_topology *t, uint32_t link)
{
    size_t rank = 0;
    for (uint32_t l = 0; l < link; l++)
        rank += t->links[l].from == t->links[link].from && t->links[l].to == t->links[link].to;
    return rank;
}

/* Where a line that leaves a point inside a box, relative to its middle, comes out of it. */
static point edge(const drawing *d, point inside, double dx, double dy)
{
    const double h = d->half + 3;
    const double x = dx != 0 ? (h - copysign(inside.x, inside.x * dx)) / fabs(dx) : INFINITY;
    const double y = dy != 0 ? (h - copysign(inside.y, inside.y * dy)) / fabs(dy) : INFINITY, t = fmin(x, y);
    return (point){inside.x + t * dx, inside.y + t * dy};
}

/* Straight, each way on its right side. */
static way straight(const drawing *d, uint32_t l)
{
    const ipu_topology *t = d->of->network;
    const point a = d->chip[t->links[l].from], b = d->chip[t->links[l].to];
    const double length = hypot(b.x - a.x, b.y - a.y), dx = (b.x - a.x) / length, dy = (b.y - a.y) / length;
    const double off = d->gap * ((double)rank_of(t, l) + 0.5);
    const double inset = fmin(off, d->half - 3); /* lines further out than a box begin at its corner */
    const point side = {-inset * dy, inset * dx}, out_of = edge(d, side, dx, dy),
                into = edge(d, side, -dx, -dy);
    const point from = {a.x + out_of.x, a.y + out_of.y}, to = {b.x + into.x, b.y + into.y};
    if (off <= d->half - 3) return (way){{from, to}, 2, 0, 1};
    const double out = off - inset, bow = fmin(0.25 * length, 1.5 * out + 10);
    return (way){{from, {from.x - out * dy + bow * dx, from.y + out * dx + bow * dy},
                     {to.x - out * dy - bow * dx, to.y + out * dx - bow * dy}, to},
        4, 1, 1};
}

/* Around the ladder: what goes to its first rung outside of what comes back. */
static way around(const drawing *d, uint32_t l)
{
    const ipu_link *link = &d->of->network->links[l];
    const point a = d->chip[link->from], b = d->chip[link->to];
    const double away = link->from % 2 ? 1 : -1, onward = b.x > a.x ? 1 : -1, outside = onward < 0 ? 1 : 0;
    const double shift = 0.5 * (d->half - 3) * (outside > 0 ? -onward : onward);
    const double y = a.y + away * (d->half + 45 + outside * fmax(12, d->gap)),
                 near = a.y + away * (d->half + 3);
    return (way){{{a.x + shift, near}, {a.x + shift, y}, {b.x - shift, y}, {b.x - shift, near}}, 4, 1,
        away * onward * (outside > 0 ? 1 : -1)};
}

static way way_of(const drawing *d, uint32_t l)
{
    return is_seam(d->of->network, &d->of->network->links[l]) ? around(d, l) : straight(d, l);
}

/* ---- arrows ---- */

static double seconds(const drawing *d, uint32_t l)
{
    return (double)d->of->load[l] / d->of->network->links[l].bytes_per_second;
}

static double share(const drawing *d, uint32_t l) { return d->most > 0 ? seconds(d, l) / d->most : 0; }

static void set_colour(const drawing *d, uint32_t l)
{
    double linear[3];
    if (d->of->load[l] == 0) {
        mt_page_grey(d->page, 0.8);
        return;
    }
    mt_bar_colour(&d->bar, (float)(100 * share(d, l)), linear);
    cairo_set_source_rgb(
        d->page->pen, mt_colour_srgb(linear[0]), mt_colour_srgb(linear[1]), mt_colour_srgb(linear[2]));
}

/* At the end of a way, in place of its last pixels. */
static void draw_head(const drawing *d, const way *w, double reach)
{
    cairo_t *pen = d->page->pen;
    const point end = w->at[w->n - 1], before = w->at[w->n - 2];
    const double length = hypot(end.x - before.x, end.y - before.y);
    const double dx = (end.x - before.x) / length, dy = (end.y - before.y) / length, wide = 0.55 * reach;
    cairo_move_to(pen, end.x, end.y);
    cairo_line_to(pen, end.x - reach * dx - wide * dy, end.y - reach * dy + wide * dx);
    cairo_line_to(pen, end.x - reach * dx + wide * dy, end.y - reach * dy - wide * dx);
    cairo_close_path(pen);
    cairo_fill(pen);
}

static void draw_link(const drawing *d, uint32_t l)
{
    cairo_t *pen = d->page->pen;
    const bool idle = d->of->load[l] == 0;
    const double width = idle ? 1.2 : 2 + fmin(4, 0.3 * d->gap) * share(d, l);
    way w = way_of(d, l);
    const way whole = w;
    point *end = &w.at[w.n - 1], before = w.at[w.n - 2];
    const double length = hypot(end->x - before.x, end->y - before.y),
                 reach = fmin(2.2 * width + 5, fmin(0.5 * length, 0.85 * d->gap)),
                 keep = 1 - 0.9 * reach / length;
    set_colour(d, l);
    *end = (point){before.x + keep * (end->x - before.x), before.y + keep * (end->y - before.y)};
    cairo_set_line_width(pen, width);
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
    for (size_t k = 0; k < w.n; k++) cairo_line_to(pen, w.at[k].x, w.at[k].y);
    cairo_stroke(pen);
    draw_head(d, &whole, reach);
}

/* ---- numbers beside them ---- */

static double distance(point p, point a, point b)
{
    const double x = b.x - a.x, y = b.y - a.y, length2 = x * x + y * y;
    const double along = fmax(0, fmin(1, ((p.x - a.x) * x + (p.y - a.y) * y) / length2));
    return hypot(p.x - a.x - along * x, p.y - a.y - along * y);
}

/* How far a place for a number is from other numbers and lines, in pixels; beyond what is enough, that. */
static double free_around(const drawing *d, uint32_t link, point p)
{
    const double enough = LABEL;
    double least = enough;
    for (size_t k = 0; k < d->n_labels; k++)
        least = fmin(least, hypot(p.x - d->label[k].x, p.y - d->label[k].y) - 2.5 * LABEL);
    for (uint32_t l = 0; l < d->of->network->n_links; l++) {
        const way w = way_of(d, l);
        for (size_t k = 0; l != link && k + 1 < w.n; k++)
            least = fmin(least, distance(p, w.at[k], w.at[k + 1]));
    }
    return least;
}

/* Beside its line, `wide` pixels along it: in the middle, or where more room is. */
static point place_label(const drawing *d, uint32_t l, const way *w, double wide)
{
    static const double along[] = {0.5, 0.35, 0.65, 0.25, 0.75, 0.15, 0.85};
    const point a = w->at[w->labelled], b = w->at[w->labelled + 1];
    const double length = hypot(b.x - a.x, b.y - a.y), dx = (b.x - a.x) / length, dy = (b.y - a.y) / length;
    const double off = w->side * (6 + 0.5 * LABEL);
    point best = {0, 0};
    double most = -INFINITY;
    for (size_t k = 0; k < sizeof along / sizeof *along; k++) {
        const point p = {a.x + along[k] * length * dx - off * dy, a.y + along[k] * length * dy + off * dx};
        double room = INFINITY;
        for (int end = -1; end <= 1; end++)
            room = fmin(
                room, free_around(d, l, (point){p.x + 0.5 * end * wide * dx, p.y + 0.5 * end * wide * dy}));
        if (room <= most) continue;
        most = room;
        best = p;
    }
    return best;
}

/* Read from the left or from below. */
static void draw_label(drawing *d, uint32_t l)
{
    cairo_t *pen = d->page->pen;
    const way w = way_of(d, l);
    const point a = w.at[w.labelled], b = w.at[w.labelled + 1];
    const double dx = b.x - a.x, dy = b.y - a.y;
    double angle = atan2(dy, dx);
    char number[32];
    if (dx < -1e-9 || (fabs(dx) <= 1e-9 && dy > 0)) angle += M_PI;
    mt_page_number((double)d->of->load[l], number);
    const point p = place_label(d, l, &w, 0.6 * LABEL * (double)strlen(number));
    cairo_save(pen);
    cairo_translate(pen, p.x, p.y);
    cairo_rotate(pen, angle);
    mt_page_grey(d->page, mt_page_ink);
    mt_page_write(d->page, 0, 0.35 * LABEL, MT_MIDDLE, LABEL, 0.8 * hypot(dx, dy), number);
    cairo_restore(pen);
    d->label[d->n_labels++] = p;
}

/* ---- the page ---- */

static void draw_chip(const drawing *d, uint32_t chip)
{
    static const double paper[] = {1, 1, 1};
    const point p = {floor(d->chip[chip].x), floor(d->chip[chip].y)};
    const double h = floor(d->half), size = fmin(20, 1.1 * h);
    char number[16];
    mt_page_fill(d->page, p.x - h, p.y - h, 2 * h, 2 * h, paper);
    mt_page_frame(d->page, p.x - h, p.y - h, 2 * h, 2 * h);
    (void)snprintf(number, sizeof number, "%u", chip);
    mt_page_write(d->page, p.x, p.y + 0.36 * size, MT_MIDDLE, size, 2 * h - 4, number);
}

/* The bar of all maps of the project, its dark end for the busiest. */
static void make_bar(mt_bar *bar)
{
    bar->low = 0;
    bar->high = 100;
    for (int k = 0; k <= MT_BAR_SHADES; k++) {
        double linear[3];
        mt_picture_colour(1 - (double)k / MT_BAR_SHADES, linear);
        for (int i = 0; i < 3; i++) bar->linear[k][i] = (float)linear[i];
    }
}

static void draw_note(const drawing *d)
{
    const ipu_topology *t = d->of->network;
    char words[300], number[32];
    if (d->most == 0) return;
    const uint32_t busiest = ipu_topology_busiest(t, d->of->load);
    mt_page_number((double)d->of->load[busiest], number);
    (void)snprintf(words, sizeof words, "Busiest: %s, %s %s.%s Grey: carries nothing.",
        t->links[busiest].name, number, d->of->load[busiest] == 1 ? "byte" : "bytes",
        d->labelled ? " Numbers: bytes." : "");
    mt_page_write(d->page, 0.5 * (LEFT + RIGHT), NOTE_Y, MT_MIDDLE, 17, RIGHT - LEFT, words);
}

static void draw(drawing *d)
{
    const ipu_topology *t = d->of->network;
    for (int busy = 0; busy < 2; busy++)
        for (uint32_t l = 0; l < t->n_links; l++)
            if ((d->of->load[l] > 0) == busy) draw_link(d, l);
    for (uint32_t l = 0; d->labelled && l < t->n_links; l++)
        if (d->of->load[l] > 0) draw_label(d, l);
    for (uint32_t c = 0; c < t->n_chips; c++) draw_chip(d, c);
    mt_page_grey(d->page, mt_page_ink);
    mt_page_write(d->page, LEFT, CAPTION_Y, MT_START, 17, RIGHT - LEFT, d->of->caption);
    draw_note(d);
    mt_bar_draw(d->page, &d->bar, "Busy, of the busiest link's time", "%");
    mt_page_title(d->page, d->of->title);
}

mt_status mt_network_picture_write(const char *path, const mt_network_picture *picture)
{
    drawing *d;
    MT_SCRATCH(scratch);
    mt_page page;
    const size_t n = picture->network->n_chips;
    if (n > MT_NETWORK_CHIPS_MAX)
        return mt_fail(MT_INPUT, "a picture of %zu IPUs; allowed: at most %d", n, MT_NETWORK_CHIPS_MAX);
    MT_ALLOC(scratch, d, 1);
    d->of = picture;
    d->page = &page;
    make_bar(&d->bar);
    place_chips(d);
    for (uint32_t l = 0; l < picture->network->n_links; l++) d->most = fmax(d->most, seconds(d, l));
    mt_status status = mt_page_begin(&page);
    if (status == MT_OK) {
        draw(d);
        status = mt_page_end(&page, MT_OK, path);
    }
    return status;
}
