#include "app/draw/ecg_picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

/* The paper on the page [pixels], and on the paper [mm] the calibration before each row of a half and the gap behind each box. */
enum { LEFT = 80, TOP = 96, WIDTH = 1440, HEIGHT = 780, CALIBRATION = 10, GAP = 3 };
enum { ROWS_MAX = 8, COLUMNS_MAX = 4, STANDARD_ROWS = 3, LIMB_COLUMNS = 2 };

static const double USUAL_MM_S = 25, USUAL_MM_MV = 10;
static const double LEAST_LENGTH = 0.4, LEAST_HEIGHT = 5; /* of a box; mm */

/* Boxes on the paper, in mm. */
typedef struct grid {
    size_t shown, rows, columns, halves;
    double width, height; /* of the paper */
    double box, row;      /* length of a box for its lead, height of a row */
    double label;         /* of that height for the names of leads */
} grid;

/* ---- places ---- */

/* The paper has whole squares of 5 mm. */
static grid make_grid(const mt_ecg_record *r, int pixels_per_mm)
{
    grid g = {.shown = r->n < MT_ECG_LEADS_MAX ? r->n : MT_ECG_LEADS_MAX};
    g.columns = r->n_standard > 0 ? COLUMNS_MAX : (g.shown + ROWS_MAX - 1) / ROWS_MAX;
    g.halves = r->n_standard > 0 ? MT_ECG_HALVES : 1;
    g.rows = (g.shown + g.columns - 1) / g.columns;
    g.width = (double)(5 * (WIDTH / (5 * pixels_per_mm)));
    g.height = (double)(5 * (HEIGHT / (5 * pixels_per_mm)));
    g.box = (g.width - CALIBRATION * (double)g.halves) / (double)g.columns - GAP;
    g.row = g.height / (double)g.rows;
    g.label = fmin(2, 0.2 * g.row);
    return g;
}

static void place(const mt_ecg_record *r, const grid *g, size_t lead, size_t *row, size_t *column)
{
    const bool standard = lead < r->n_standard, below = !standard && r->n_standard > 0;
    const size_t rows = standard ? STANDARD_ROWS : g->rows, left = lead - r->n_standard;
    *row = below ? STANDARD_ROWS + left / g->columns : lead % rows;
    *column = below ? left % g->columns : lead / rows;
}

/* Where a column is, and the calibration before a half [mm]. */
static mt_ecg_half half_of(const grid *g, size_t column)
{
    return g->halves > 1 && column >= LIMB_COLUMNS ? MT_ECG_CHEST : MT_ECG_LIMBS;
}

static double left_of(const grid *g, size_t column)
{
    return CALIBRATION * (half_of(g, column) == MT_ECG_CHEST ? 2.0 : 1.0) + (double)column * (g->box + GAP);
}

/* ---- scale ---- */

/* The highest and the lowest voltage in the rows of a half [mV], 0 among them. */
typedef struct extents {
    double low[ROWS_MAX], high[ROWS_MAX], highest; /* the last: of any row, from low to high */
} extents;

static mt_status find_extents(const mt_ecg_record *r, const grid *g, extents halves[MT_ECG_HALVES])
{
    for (size_t h = 0; h < MT_ECG_HALVES; h++) halves[h] = (extents){.highest = 0};
    for (size_t k = 0; k < g->shown; k++) {
        double least, most;
        size_t row, column;
        place(r, g, k, &row, &column);
        extents *e = &halves[half_of(g, column)];
        if (!mt_curve_range(&r->curve[k], &least, &most))
            return mt_fail(
                MT_INPUT, "a picture of lead '%s': no points, or one that is not finite", r->name[k]);
        e->low[row] = fmin(e->low[row], least);
        e->high[row] = fmax(e->high[row], most);
        e->highest = fmax(e->highest, e->high[row] - e->low[row]);
    }
    if (g->halves == 1) halves[MT_ECG_CHEST] = halves[MT_ECG_LIMBS];
    return MT_OK;
}

/* The largest of 1, 2 and 5 times a power of ten that is not above x > 0. */
static double round_down(double x)
{
    const double power = pow(10, floor(log10(x) + 1e-9)), digit = x / power + 1e-9;
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/* mm for a unit of something that has `extent` units and must fit into `room` mm: what is usual, if it then has `least` mm. */
static double choose(double usual, double extent, double room, double least)
{
    const double length = usual * extent;
    if (extent == 0 || (length <= room * (1 + 1e-9) && length >= least)) return usual;
    return round_down(room / extent);
}

static double seconds_of(const mt_ecg_record *r) { return (r->curve[0].to - r->curve[0].from) / 1000; }

/* The largest millimetres in which the record fits at the usual speed; the smallest, where it does not in any. */
static int choose_pixels(const mt_ecg_record *r)
{
    static const int pixels[] = {12, 8, 6};
    size_t k = 0;
    while (k < 2 && USUAL_MM_S * seconds_of(r) > make_grid(r, pixels[k]).box) k++;
    return pixels[k];
}

static double gain_of(const grid *g, const extents *e)
{
    return choose(USUAL_MM_MV, e->highest, g->row - g->label - 1, fmin(LEAST_HEIGHT, 0.5 * g->row));
}

mt_status mt_ecg_scale_find(const mt_ecg_record *record, mt_ecg_scale *scale)
{
    if (record->n == 0) return mt_fail(MT_INPUT, "a picture of an ECG without leads");
    const int pixels = choose_pixels(record);
    const grid g = make_grid(record, pixels);
    extents e[MT_ECG_HALVES];
    MT_TRY(find_extents(record, &g, e));
    *scale = (mt_ecg_scale){pixels, choose(USUAL_MM_S, seconds_of(record), g.box, LEAST_LENGTH * g.box),
        {gain_of(&g, &e[MT_ECG_LIMBS]), gain_of(&g, &e[MT_ECG_CHEST])}};
    return MT_OK;
}

/* ---- drawing ---- */

typedef struct drawing {
    mt_page *page;
    const mt_ecg_record *record;
    grid grid;
    extents extents[MT_ECG_HALVES];
    mt_ecg_scale scale;
} drawing;

static double x_of(const drawing *d, double mm) { return LEFT + mm * d->scale.pixels_per_mm; }
static double y_of(const drawing *d, double mm) { return TOP + mm * d->scale.pixels_per_mm; }

/* Where 0 mV is in a row of a half, in mm from the top of the paper: such that what is there stands in the middle below the names,
 * on a line of the grid. */
static double base_of(const drawing *d, mt_ecg_half half, size_t row)
{
    const extents *e = &d->extents[half];
    const double middle = 0.5 * (e->high[row] + e->low[row]) * d->scale.mm_per_mV[half];
    return round(((double)row + 0.5) * d->grid.row + 0.5 * d->grid.label + middle);
}

/* Lines each `every` mm, in both directions. */
static void rule(const drawing *d, int every, double width, const double rgb[3])
{
    cairo_t *pen = d->page->pen;
    cairo_set_source_rgb(pen, rgb[0], rgb[1], rgb[2]);
    cairo_set_line_width(pen, width);
    for (int mm = 0; mm <= (int)d->grid.width; mm += every) {
        cairo_move_to(pen, x_of(d, mm) + 0.5, y_of(d, 0));
        cairo_line_to(pen, x_of(d, mm) + 0.5, y_of(d, d->grid.height));
    }
    for (int mm = 0; mm <= (int)d->grid.height; mm += every) {
        cairo_move_to(pen, x_of(d, 0), y_of(d, mm) + 0.5);
        cairo_line_to(pen, x_of(d, d->grid.width), y_of(d, mm) + 0.5);
    }
    cairo_stroke(pen);
}

static void draw_paper(const drawing *d)
{
    static const double ground[3] = {1, 0.975, 0.97}, fine[3] = {0.98, 0.865, 0.86},
                        coarse[3] = {0.93, 0.64, 0.64};
    cairo_set_source_rgb(d->page->pen, ground[0], ground[1], ground[2]);
    cairo_rectangle(d->page->pen, x_of(d, 0), y_of(d, 0), d->grid.width * d->scale.pixels_per_mm,
        d->grid.height * d->scale.pixels_per_mm);
    cairo_fill(d->page->pen);
    rule(d, 1, 1, fine);
    rule(d, 5, 1.4, coarse);
}

static void begin_line(const drawing *d)
{
    mt_page_grey(d->page, 0.05);
    cairo_set_line_width(d->page->pen, 2.2);
    cairo_set_line_join(d->page->pen, CAIRO_LINE_JOIN_ROUND);
}

/* The voltage of the pulses of a half: 1 mV, or a round one where that would be too high or hardly to be seen. */
static double pulse_of(const drawing *d, mt_ecg_half half)
{
    const double most = d->grid.row < 14 ? 0.6 * d->grid.row : 10, usual = d->scale.mm_per_mV[half];
    return usual <= most && usual >= 2 ? 1 : round_down(most / usual);
}

/* A pulse on the line of 0 mV, or below it where it would leave its row. */
static void draw_calibration(const drawing *d, mt_ecg_half half, size_t row)
{
    const double voltage = pulse_of(d, half), high = voltage * d->scale.mm_per_mV[half];
    const double left = left_of(&d->grid, half == MT_ECG_CHEST ? LIMB_COLUMNS : 0) - CALIBRATION;
    const double foot = fmax(base_of(d, half, row), ceil((double)row * d->grid.row + high)),
                 head = foot - high;
    const double x[] = {1, 2, 2, 7, 7, 8}, y[] = {foot, foot, head, head, foot, foot};
    char number[32], words[48];
    begin_line(d);
    for (size_t k = 0; k < 6; k++) cairo_line_to(d->page->pen, x_of(d, left + x[k]), y_of(d, y[k]));
    cairo_stroke(d->page->pen);
    mt_page_number(voltage, number);
    (void)snprintf(words, sizeof words, "%s mV", number);
    mt_page_write(d->page, x_of(d, left + 4.5), y_of(d, foot) + 18, MT_MIDDLE, 14, 60, words);
}

static void draw_lead(const drawing *d, size_t lead)
{
    const mt_curve *curve = &d->record->curve[lead];
    size_t row, column;
    place(d->record, &d->grid, lead, &row, &column);
    const mt_ecg_half half = half_of(&d->grid, column);
    const double left = left_of(&d->grid, column), base = base_of(d, half, row);
    begin_line(d);
    for (size_t k = 0; k < MT_CURVE_PARTS; k++) {
        mt_curve_point point[4];
        const size_t n = mt_curve_points(&curve->part[k], point);
        for (size_t i = 0; i < n; i++)
            cairo_line_to(d->page->pen, x_of(d, left + (point[i].x - curve->from) / 1000 * d->scale.mm_per_s),
                y_of(d, base - point[i].y * d->scale.mm_per_mV[half]));
    }
    cairo_stroke(d->page->pen);
    mt_page_write(d->page, x_of(d, left), y_of(d, (double)row * d->grid.row) + 18, MT_START, 17,
        d->grid.box * d->scale.pixels_per_mm, d->record->name[lead]);
}

/* Speed and gains. */
static void write_scale(const drawing *d, double y)
{
    const double *gain = d->scale.mm_per_mV;
    char speed[32], limbs[32], chest[32], words[160];
    mt_page_number(d->scale.mm_per_s, speed);
    mt_page_number(gain[MT_ECG_LIMBS], limbs);
    mt_page_number(gain[MT_ECG_CHEST], chest);
    (void)snprintf(words, sizeof words, "%s mm/s    %s mm/mV", speed, limbs);
    if (gain[MT_ECG_LIMBS] != gain[MT_ECG_CHEST])
        (void)snprintf(
            words, sizeof words, "%s mm/s    left %s mm/mV    right %s mm/mV", speed, limbs, chest);
    mt_page_write(d->page, LEFT, y, MT_START, 18, 800, words);
}

static void draw_words(const drawing *d)
{
    const mt_ecg_record *r = d->record;
    const double below = y_of(d, d->grid.height) + 34;
    char from[32], to[32], words[160];
    mt_page_number(r->curve[0].from, from);
    mt_page_number(r->curve[0].to, to);
    mt_page_grey(d->page, mt_page_ink);
    write_scale(d, below);
    (void)snprintf(words, sizeof words, "each from %s to %s ms", from, to);
    if (d->grid.shown < r->n)
        (void)snprintf(words, sizeof words, "the first %zu of %zu, each from %s to %s ms", d->grid.shown,
            r->n, from, to);
    mt_page_write(d->page, LEFT + WIDTH, below, MT_END, 18, 600, words);
    mt_page_title(d->page, r->title);
}

static void draw(const drawing *d)
{
    draw_paper(d);
    for (size_t row = 0; row < d->grid.rows; row++)
        for (size_t half = 0; half < d->grid.halves; half++) draw_calibration(d, (mt_ecg_half)half, row);
    for (size_t k = 0; k < d->grid.shown; k++) draw_lead(d, k);
    draw_words(d);
}

mt_status mt_ecg_picture(const char *path, const mt_ecg_record *record)
{
    mt_page page;
    drawing d = {.page = &page, .record = record};
    MT_TRY(mt_ecg_scale_find(record, &d.scale));
    d.grid = make_grid(record, d.scale.pixels_per_mm);
    MT_TRY(find_extents(record, &d.grid, d.extents));
    MT_TRY(mt_page_begin(&page));
    draw(&d);
    return mt_page_end(&page, MT_OK, path);
}
