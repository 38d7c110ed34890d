#include "app/picture.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/view.h"
#include "data/file.h"

/* Where the plots stand on the page; title, colour bar and axes stand around them. Pixels. */
enum {
    PLOT_X = 50,
    PLOT_Y = 96,
    PLOT_W = MT_PICTURE_WIDTH - 2 * PLOT_X,
    PLOT_H = 750,
    GAP = 40, /* between two of them */
    SUPER = MT_VIEW_SUPER,
    LEVELS_MAX = 32
};

static const double pi = 3.14159265358979323846;

/* ---- colours ---- */

/* OKLab to linear-light sRGB: B. Ottosson, "A perceptual color space for image processing" (2020),
 * bottosson.github.io. */
static void oklab_to_linear(double lightness, double a, double b, double linear[3])
{
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    linear[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    linear[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    linear[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

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
    double c = spline(chroma, t), h = spline(hue_degrees, t) * pi / 180;
    oklab_to_linear(0.36 + 0.56 * t, c * cos(h), c * sin(h), linear);
    for (int k = 0; k < 3; k++) linear[k] = fmax(0, fmin(linear[k], 1));
}

/* The transfer function of IEC 61966-2-1 (sRGB). */
static double srgb_of_linear(double x)
{
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static const double grey_linear = 0.55; /* of what was never activated */

/* ---- scale of times ---- */

double mt_picture_interval_ms(double range_ms)
{
    enum { MOST = 14 };
    if (!(range_ms > 0) || !isfinite(range_ms)) return 1;
    double power = pow(10, floor(log10(range_ms / MOST)));
    double steps[] = {1, 2, 5, 10};
    for (int k = 0; k < 3; k++)
        if (range_ms <= MOST * steps[k] * power * (1 + 1e-9)) return steps[k] * power;
    return 10 * power;
}

/* The levels are k * interval, first <= k <= last; they enclose all times. */
typedef struct scale {
    double interval_ms;
    double first, last; /* whole numbers; last > first */
    bool any;           /* was anything activated? */
    bool all;           /* was everything? */
} scale;

static scale make_scale(const float *activation_ms, size_t n_cells)
{
    double low = INFINITY, high = -INFINITY;
    scale s = {.interval_ms = 1, .last = 1, .all = true};
    for (size_t c = 0; c < n_cells; c++) {
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
    s.interval_ms = mt_picture_interval_ms(high - low);
    s.first = floor(low / s.interval_ms);
    s.last = fmax(ceil(high / s.interval_ms), s.first + 1);
    return s;
}

static double scale_position(const scale *s, double time_ms)
{
    return (time_ms / s->interval_ms - s->first) / (s->last - s->first);
}

/* Every how many levels a label: so that there are at most `most`. */
static int label_stride(const scale *s, int most)
{
    static const int strides[] = {1, 2, 5, 10};
    for (int k = 0; k < 4; k++)
        if ((s->last - s->first) / strides[k] <= most) return strides[k];
    return 20;
}

static void label_text(const scale *s, double level, char out[32])
{
    int decimals = s->interval_ms < 1 ? (int)ceil(-log10(s->interval_ms) - 1e-9) : 0;
    (void)snprintf(out, 32, "%.*f", decimals, level * s->interval_ms + 0.0);
}

/* ---- isochrones and their labels ---- */

/* Where the level crosses the triangle: false where it does not. */
static bool cross_level(
    const double *const corner[3], const double time_ms[3], double level_ms, mt_segment *cut)
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

typedef struct label {
    bool set;
    double x, y, score; /* samples; the lower the better */
} label;

typedef struct labels {
    int stride;
    double half_w, half_h;       /* of the gap they need, samples */
    double x, y, axis_x, axis_y; /* a line along what is seen: labels seek to stand on it */
    label at[LEVELS_MAX];        /* level k at [k - first] */
} labels;

/* The line: through the middle of what is seen, along its longer axis. */
static void find_axis(const mt_plot *p, labels *l)
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

/* Is the surface whole and flat all over the label's place, at that depth? */
static bool place_is_flat(const mt_plot *p, const labels *l, double x, double y, double depth)
{
    enum { HALF = 3 };
    double light = -1;
    for (int j = -HALF; j <= HALF; j++)
        for (int i = -HALF; i <= HALF; i++) {
            double at_x = x + 1.5 * l->half_w * i / HALF, at_y = y + 1.7 * l->half_h * j / HALF;
            if (at_x < 0 || at_y < 0 || at_x >= p->w || at_y >= p->h) return false;
            size_t k = mt_plot_at(p, (int)at_x, (int)at_y);
            if (light < 0) light = (double)p->light[k];
            if (p->depth[k] <= 0 || !isfinite(p->time_ms[k]) || fabs((double)p->light[k] - light) > 0.04 ||
                fabs((double)p->depth[k] - depth) > 0.2)
                return false;
        }
    return true;
}

static void offer_place(const mt_plot *p, labels *l, int level, const mt_segment *cut)
{
    double x = 0.5 * (cut->from[0] + cut->to[0]), y = 0.5 * (cut->from[1] + cut->to[1]);
    double depth = 0.5 * (cut->from[2] + cut->to[2]);
    label *best = &l->at[level];
    double score = fabs((x - l->x) * l->axis_y - (y - l->y) * l->axis_x);
    if (best->set && score >= best->score) return;
    if (x < 0 || y < 0 || x >= p->w || y >= p->h) return;
    if (depth < (double)p->depth[mt_plot_at(p, (int)x, (int)y)] - mt_plot_depth_slack ||
        !place_is_flat(p, l, x, y, depth))
        return;
    *best = (label){true, x, y, score};
}

/* Of two that would touch, the later goes. */
static void part_labels(labels *l)
{
    for (int i = 0; i < LEVELS_MAX; i++)
        for (int j = 0; j < i; j++)
            if (l->at[i].set && l->at[j].set && fabs(l->at[i].x - l->at[j].x) < 2.6 * l->half_w &&
                fabs(l->at[i].y - l->at[j].y) < 2.6 * l->half_h)
                l->at[i].set = false;
}

/* Takes the ink away below a label. */
static void clear_below(mt_plot *p, const labels *l, const label *at)
{
    mt_box in = mt_plot_box(p, at->x - l->half_w, at->x + l->half_w, at->y - l->half_h, at->y + l->half_h);
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            double u = (x + 0.5 - at->x) / l->half_w, v = (y + 0.5 - at->y) / l->half_h;
            if (u * u * u * u + v * v * v * v < 1) p->ink[mt_plot_at(p, x, y)] = 0;
        }
}

/* For every piece of every isochrone inside the scale: inks it, or offers its middle to a label. */
static void walk_isochrones(mt_plot *p, const mt_skin *s, const mt_view *v, const scale *times, labels *offer)
{
    for (size_t face = 0; face < s->n_faces; face++) {
        const double *corner[3];
        double time_ms[3];
        mt_segment cut;
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
                mt_plot_ink(p, &cut, (fifth ? 0.9 : 0.6) * SUPER, fifth ? 1 : 0.9);
            else if (fmod(level, offer->stride) == 0)
                offer_place(p, offer, (int)(level - times->first), &cut);
        }
    }
}

static void draw_isochrones(mt_plot *p, const mt_skin *s, const mt_view *v, const scale *times, labels *l)
{
    char text[32];
    double longest = 1;
    for (double level = times->first; level <= times->last; level++) {
        label_text(times, level, text);
        longest = fmax(longest, (double)strlen(text));
    }
    *l = (labels){
        .stride = label_stride(times, 14), .half_w = SUPER * (4.6 * longest + 5), .half_h = SUPER * 10};
    find_axis(p, l);
    walk_isochrones(p, s, v, times, l);
    part_labels(l);
    walk_isochrones(p, s, v, times, NULL);
    for (int k = 0; k < LEVELS_MAX; k++)
        if (l->at[k].set) clear_below(p, l, &l->at[k]);
}

/* ---- from samples to pixels ---- */

enum { SHADES = 1024, GAMMA = 4096 };

typedef struct palette {
    float linear[SHADES + 1][3];
    uint8_t srgb[GAMMA + 1];
} palette;

static void make_palette(palette *colours)
{
    for (int k = 0; k <= SHADES; k++) {
        double linear[3];
        mt_picture_colour((double)k / SHADES, linear);
        for (int i = 0; i < 3; i++) colours->linear[k][i] = (float)linear[i];
    }
    for (int k = 0; k <= GAMMA; k++)
        colours->srgb[k] = (uint8_t)(255 * srgb_of_linear((double)k / GAMMA) + 0.5);
}

static int up_to(int most, double x) { return x <= 0 ? 0 : x >= most ? most : (int)x; }

/* Adds the linear light of a sample. */
static void add_sample(const mt_plot *p, const palette *colours, const scale *times, size_t i, double sum[3])
{
    if (p->depth[i] <= 0) {
        for (int k = 0; k < 3; k++) sum[k] += 1; /* paper */
        return;
    }
    bool active = isfinite(p->time_ms[i]);
    double position = active ? scale_position(times, (double)p->time_ms[i]) : 0;
    int shade = up_to(SHADES, position * SHADES + 0.5);
    double light = (double)p->light[i] * (1 - 0.80 * p->ink[i] / 255.0);
    for (int k = 0; k < 3; k++) sum[k] += light * (active ? (double)colours->linear[shade][k] : grey_linear);
}

/* left: where the plot's left side stands on the page. */
static void resolve(
    const mt_plot *p, int left, const palette *colours, const scale *times, cairo_surface_t *page)
{
    unsigned char *bytes = cairo_image_surface_get_data(page);
    size_t stride = (size_t)cairo_image_surface_get_stride(page);
    for (int y = 0; y < p->h / SUPER; y++)
        for (int x = 0; x < p->w / SUPER; x++) {
            double sum[3] = {0, 0, 0};
            uint32_t pixel = 0xFF;
            for (int k = 0; k < SUPER * SUPER; k++)
                add_sample(
                    p, colours, times, mt_plot_at(p, x * SUPER + k % SUPER, y * SUPER + k / SUPER), sum);
            for (int k = 0; k < 3; k++)
                pixel = pixel << 8 | colours->srgb[up_to(GAMMA, sum[k] * GAMMA / (SUPER * SUPER) + 0.5)];
            memcpy(bytes + (size_t)(y + PLOT_Y) * stride + 4 * (size_t)(x + left), &pixel, sizeof pixel);
        }
}

/* ---- words and lines ---- */

enum anchor { START, MIDDLE, END };

static const double ink_grey = 0.13, soft_grey = 0.38;

static void set_grey(cairo_t *cr, double grey) { cairo_set_source_rgb(cr, grey, grey, grey); }

/* A font that cannot be had leaves its words out and the picture alone. */
static bool set_font(cairo_t *cr, double size, bool bold)
{
    cairo_font_face_t *face = cairo_toy_font_face_create(
        "sans-serif", CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_matrix_t scale_to, none;
    cairo_matrix_init_scale(&scale_to, size, size);
    cairo_matrix_init_identity(&none);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_scaled_font_t *font = cairo_scaled_font_create(face, &scale_to, &none, options);
    bool usable = cairo_scaled_font_status(font) == CAIRO_STATUS_SUCCESS;
    if (usable) {
        cairo_set_font_face(cr, face);
        cairo_set_font_size(cr, size);
    }
    cairo_scaled_font_destroy(font);
    cairo_font_options_destroy(options);
    cairo_font_face_destroy(face);
    return usable;
}

/* y is the baseline. A text wider than `room` is written smaller. */
static void write_text(cairo_t *cr, double x, double y, enum anchor anchor, double size, bool bold,
    double room, const char *text)
{
    cairo_text_extents_t extents;
    if (!text[0] || !set_font(cr, size, bold)) return;
    cairo_text_extents(cr, text, &extents);
    if (extents.x_advance > room) {
        cairo_set_font_size(cr, size * room / extents.x_advance);
        cairo_text_extents(cr, text, &extents);
    }
    double shift = anchor == START ? 0 : anchor == MIDDLE ? 0.5 : 1;
    cairo_move_to(cr, x - shift * extents.x_advance, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
}

static void write_labels(cairo_t *cr, const labels *l, int left, const scale *times)
{
    for (int k = 0; k < LEVELS_MAX; k++) {
        const label *at = &l->at[k];
        char text[32];
        if (!at->set) continue;
        double position = scale_position(times, (times->first + k) * times->interval_ms);
        set_grey(cr, position < 0.35 ? 1 : 0.08);
        label_text(times, times->first + k, text);
        write_text(cr, left + at->x / SUPER, PLOT_Y + at->y / SUPER + 5.3, MIDDLE, 15, false, 100, text);
    }
}

static const double bar_x = 440, bar_w = 720, bar_y = 912, bar_h = 20;

static void draw_bar_ticks(cairo_t *cr, const scale *times)
{
    int stride = label_stride(times, 15);
    cairo_set_line_width(cr, 1);
    for (double level = times->first; level <= times->last; level++) {
        char text[32];
        bool labelled = fmod(level, stride) == 0;
        double x = bar_x + bar_w * (level - times->first) / (times->last - times->first);
        set_grey(cr, ink_grey);
        cairo_move_to(cr, floor(x) + 0.5, bar_y + bar_h);
        cairo_line_to(cr, floor(x) + 0.5, bar_y + bar_h + (labelled ? 6 : 4));
        cairo_stroke(cr);
        label_text(times, level, text);
        if (labelled) write_text(cr, x, bar_y + bar_h + 23, MIDDLE, 16, false, 100, text);
        if (level == times->first || level == times->last) continue;
        cairo_set_source_rgba(cr, 0, 0, 0, 0.45); /* the isochrones */
        cairo_move_to(cr, floor(x) + 0.5, bar_y);
        cairo_line_to(cr, floor(x) + 0.5, bar_y + bar_h);
        cairo_stroke(cr);
    }
}

static void draw_bar(cairo_t *cr, const palette *colours, const scale *times)
{
    char caption[128];
    for (int x = 0; x < (int)bar_w; x++) {
        const float *linear = colours->linear[(int)((x + 0.5) / bar_w * SHADES)];
        cairo_set_source_rgb(cr, srgb_of_linear((double)linear[0]), srgb_of_linear((double)linear[1]),
            srgb_of_linear((double)linear[2]));
        cairo_rectangle(cr, bar_x + x, bar_y, 1, bar_h);
        cairo_fill(cr);
    }
    draw_bar_ticks(cr, times);
    set_grey(cr, ink_grey);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, bar_x + 0.5, bar_y + 0.5, bar_w - 1, bar_h - 1);
    cairo_stroke(cr);
    (void)snprintf(caption, sizeof caption, "isochrones every %g ms", times->interval_ms);
    write_text(cr, bar_x, bar_y - 12, START, 17, false, 400, "Activation time [ms]");
    set_grey(cr, soft_grey);
    write_text(cr, bar_x + bar_w, bar_y - 12, END, 15, false, 300, caption);
}

static void draw_grey_note(cairo_t *cr)
{
    double x = bar_x + bar_w + 60;
    set_grey(cr, srgb_of_linear(grey_linear));
    cairo_rectangle(cr, x, bar_y, bar_h, bar_h);
    cairo_fill(cr);
    set_grey(cr, ink_grey);
    cairo_set_line_width(cr, 1);
    cairo_rectangle(cr, x + 0.5, bar_y + 0.5, bar_h - 1, bar_h - 1);
    cairo_stroke(cr);
    write_text(cr, x + bar_h + 10, bar_y + 16, START, 16, false, 300, "never activated");
}

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

/* An axis that points at us or away is a dot. */
static void draw_axis(cairo_t *cr, const char *name, double x0, double y0, double dx, double dy)
{
    const double far = hypot(dx, dy);
    if (far < 8) {
        cairo_arc(cr, x0, y0, 3.2, 0, 2 * pi);
        cairo_fill(cr);
        write_text(cr, x0 - 12, y0 + 5, MIDDLE, 15, false, 50, name);
        return;
    }
    draw_arrow(cr, x0, y0, dx, dy);
    write_text(cr, x0 + dx * (1 + 11 / far), y0 + dy * (1 + 11 / far) + 5, MIDDLE, 15, false, 50, name);
}

/* The three axes from x0 as arrows of one round length each, at most `longest` pixels, drawn in the scale and
 * direction of the view. */
static void draw_axes(cairo_t *cr, const mt_view *v, double samples_per_mm, double x0, double longest)
{
    static const char *const names[] = {"x", "y", "z"};
    double y0 = 925; /* axes that go down end above the text */
    double per_mm = samples_per_mm / SUPER;
    double length = pow(10, floor(log10(longest / per_mm)));
    length *= length * 5 * per_mm <= longest ? 5 : length * 2 * per_mm <= longest ? 2 : 1;
    char text[64];
    set_grey(cr, ink_grey);
    cairo_set_line_width(cr, 1.6);
    for (int axis = 0; axis < 3; axis++)
        if (v->up[axis] < 0) y0 = fmin(y0, 915 + v->up[axis] * length * per_mm);
    for (int axis = 0; axis < 3; axis++)
        draw_axis(cr, names[axis], x0, y0, v->right[axis] * length * per_mm, -v->up[axis] * length * per_mm);
    (void)snprintf(text, sizeof text, "each arrow %g mm", length);
    write_text(cr, x0 - 45, 955, START, 15, false, 300, text);
}

/* ---- the whole ---- */

static mt_status write_page(cairo_surface_t *page, const char *path)
{
    char temporary[MT_FILE_PATH_MAX];
    MT_TRY(mt_file_temporary(path, temporary, sizeof temporary));
    cairo_status_t status = cairo_surface_write_to_png(page, temporary);
    if (status == CAIRO_STATUS_SUCCESS) return mt_file_commit(temporary, path);
    mt_file_discard(temporary);
    return mt_fail(MT_FILE, "%s: the picture cannot be written: %s", path, cairo_status_to_string(status));
}

/* What is seen from one side. */
typedef struct panel {
    mt_view view;
    mt_plot plot;
    labels labels;
    int left; /* of the page, pixels */
} panel;

/* What one picture needs, in one place. */
typedef struct figure {
    scale times;
    mt_skin skin;
    double samples_per_mm;
    size_t n_panels;
    panel panel[MT_VIEWS_MAX];
    palette *colours;
} figure;

/* What stands above, on and below a plot, one of several or the only one. */
static void annotate(const figure *f, size_t which, cairo_t *cr)
{
    const panel *p = &f->panel[which];
    const bool several = f->n_panels > 1;
    if (f->times.any) write_labels(cr, &p->labels, p->left, &f->times);
    set_grey(cr, ink_grey);
    write_text(cr, p->left + 0.5 * p->plot.w / SUPER, PLOT_Y - 8, MIDDLE, 19, false, 400, p->view.name);
    draw_axes(cr, &p->view, f->samples_per_mm, which ? MT_PICTURE_WIDTH - 130 : 130, several ? 100 : 150);
}

static mt_status draw_page(const figure *f, cairo_surface_t *page, cairo_t *cr, const char *title)
{
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_surface_flush(page);
    for (size_t k = 0; k < f->n_panels; k++)
        resolve(&f->panel[k].plot, f->panel[k].left, f->colours, &f->times, page);
    cairo_surface_mark_dirty(page);
    for (size_t k = 0; k < f->n_panels; k++) annotate(f, k, cr);
    if (f->times.any) draw_bar(cr, f->colours, &f->times);
    if (!f->times.all) draw_grey_note(cr);
    set_grey(cr, ink_grey);
    write_text(cr, 60, 62, START, 26, true, MT_PICTURE_WIDTH - 120, title);
    if (cairo_status(cr) == CAIRO_STATUS_INVALID_STRING)
        return mt_fail(MT_INPUT, "the title of a picture is not valid UTF-8");
    if (cairo_status(cr) != CAIRO_STATUS_SUCCESS)
        return mt_fail(MT_FILE, "a picture cannot be drawn: %s", cairo_status_to_string(cairo_status(cr)));
    return MT_OK;
}

static mt_status draw_and_write(const figure *f, const char *path, const char *title)
{
    cairo_surface_t *page =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, MT_PICTURE_WIDTH, MT_PICTURE_HEIGHT);
    cairo_t *cr = cairo_create(page);
    mt_status status = MT_OK;
    if (cairo_status(cr) != CAIRO_STATUS_SUCCESS) status = mt_fail(MT_FILE, "out of memory for a picture");
    if (status == MT_OK) status = draw_page(f, page, cr, title);
    if (status == MT_OK) status = write_page(page, path);
    cairo_destroy(cr);
    cairo_surface_destroy(page);
    return status;
}

/* All panels in one scale, so that what is seen from either side can be compared. */
static mt_status make_panels(mt_arena *scratch, figure *f)
{
    mt_view views[MT_VIEWS_MAX];
    MT_TRY(mt_views_find(f->skin.mesh, views, &f->n_panels));
    const int n = (int)f->n_panels, width = (PLOT_W - (n - 1) * GAP) / n, w = width * SUPER,
              h = PLOT_H * SUPER;
    f->samples_per_mm = INFINITY;
    for (int k = 0; k < n; k++)
        f->samples_per_mm = fmin(f->samples_per_mm, mt_view_scale(&views[k], &f->skin, w, h));
    for (int k = 0; k < n; k++) {
        panel *p = &f->panel[k];
        p->view = views[k];
        p->left = PLOT_X + k * (width + GAP);
        MT_TRY(mt_plot_make(scratch, &f->skin, &p->view, f->samples_per_mm, w, h, &p->plot));
        if (f->times.any) draw_isochrones(&p->plot, &f->skin, &p->view, &f->times, &p->labels);
    }
    return MT_OK;
}

static mt_status make_picture(mt_arena *scratch, const char *path, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const float *activation_ms, const char *title)
{
    figure *f;
    MT_TAKE(scratch, f, 1);
    MT_TAKE(scratch, f->colours, 1);
    make_palette(f->colours);
    f->times = make_scale(activation_ms, mesh->n_cells);
    MT_TRY(mt_skin_make(scratch, mesh, adjacency, activation_ms, &f->skin));
    MT_TRY(make_panels(scratch, f));
    return draw_and_write(f, path, title);
}

mt_status mt_picture_activation(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *activation_ms, const char *title)
{
    if (mesh->n_cells == 0 || adjacency->n_cells != mesh->n_cells)
        return mt_fail(MT_INPUT,
            "picture: a mesh of %zu cells and an adjacency of %zu; both must be the same, above 0",
            mesh->n_cells, adjacency->n_cells);
    mt_arena scratch = {0};
    mt_status status = make_picture(&scratch, path, mesh, adjacency, activation_ms, title);
    mt_arena_free(&scratch);
    return status;
}
