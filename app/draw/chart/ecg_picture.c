#include "app/draw/chart/ecg_picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

#include "solver/outputs/leads.h"

/* The paper on the page [pixels]; on the paper [mm] the width of a calibration pulse and the gap after each column. */
enum { LEFT = 80, TOP = 96, WIDTH = 1440, HEIGHT = 780, CALIBRATION = 8, GAP = 2 };
enum { ROWS_MAX = MT_ECG_LEADS_MAX, COLUMNS_MAX = 4, COLUMN_ROWS = 8, STANDARD_ROWS = 3, LIMB_COLUMNS = 2 };

static const double USUAL_MM_S = 25, USUAL_MM_MV = 10;
/* minimum height of the leads in a row at 10 mm/mV; minimum row height with large millimetres [mm] */
static const double LEAST_HEIGHT = 5, LEAST_ROW = 5;

const char mt_ecg_calibration[] = "Amplitudes are not calibrated: potentials in an unbounded homogeneous "
                                  "volume conductor, without a torso.";

/* Arrangements in order of decreasing number of columns. */
typedef enum arrangement { WIDE, HALVES, ONE_COLUMN } arrangement;

/* Position of a lead. */
typedef struct cell {
    size_t row, column;
    mt_ecg_lead_group half;
} cell;

/* Layout of the paper [mm]. */
typedef struct grid {
    size_t shown, rows, columns;
    cell cell[MT_ECG_LEADS_MAX];
    bool calibrated[COLUMNS_MAX]; /* columns that begin with a calibration pulse */
    double width, height;         /* of the paper */
    double box, row;              /* width of a lead, height of a row */
    double label;                 /* height for the name within a row */
} grid;

/* ---- layout ---- */

static bool is_chest(const mt_ecg_record *r, size_t lead)
{
    return lead >= MT_LEADS_LIMB && lead < r->n_standard;
}

/* Places standard leads in columns of three, and other leads below them in all columns. */
static void place_wide(const mt_ecg_record *r, grid *g)
{
    g->columns = LIMB_COLUMNS;
    for (size_t k = 0; k < g->shown && k < r->n_standard; k++) {
        const size_t at = is_chest(r, k) ? MT_LEADS_LIMB + mt_leads_chest(r->name[k]) : k;
        g->cell[k] = (cell){at % STANDARD_ROWS, at / STANDARD_ROWS, MT_ECG_LIMBS};
        if (g->cell[k].column >= g->columns) g->columns = g->cell[k].column + 1;
    }
    for (size_t k = r->n_standard; k < g->shown; k++)
        g->cell[k] = (cell){
            STANDARD_ROWS + (k - r->n_standard) / g->columns, (k - r->n_standard) % g->columns, MT_ECG_LIMBS};
}

/* Places limb leads in one column, chest leads in the next, and other leads below the limb leads. */
static void place_halves(const mt_ecg_record *r, grid *g)
{
    g->columns = 2;
    for (size_t k = 0; k < g->shown; k++) {
        const bool chest = is_chest(r, k);
        const size_t row = chest               ? k - MT_LEADS_LIMB
                           : k < MT_LEADS_LIMB ? k
                                               : MT_LEADS_LIMB + k - r->n_standard;
        g->cell[k] = (cell){row, chest, MT_ECG_LIMBS};
    }
}

/* Fills columns with up to `rows` leads each. */
static void place_columns(grid *g, size_t rows)
{
    g->columns = (g->shown + rows - 1) / rows;
    const size_t even = (g->shown + g->columns - 1) / g->columns;
    for (size_t k = 0; k < g->shown; k++) g->cell[k] = (cell){k % even, k / even, MT_ECG_LIMBS};
}

/* Assigns each lead to limb or chest leads; non-standard leads have the half of their column. */
static void find_halves(const mt_ecg_record *r, bool one_column, grid *g)
{
    bool chest[COLUMNS_MAX] = {false};
    for (size_t k = 0; k < g->shown; k++) {
        cell *c = &g->cell[k];
        if (is_chest(r, k)) chest[c->column] = !one_column;
        c->half = is_chest(r, k) || (k >= r->n_standard && chest[c->column]) ? MT_ECG_CHEST : MT_ECG_LIMBS;
        if (c->row >= g->rows) g->rows = c->row + 1;
    }
    for (size_t k = 0; k < g->columns; k++) g->calibrated[k] = k == 0 || chest[k] != chest[k - 1];
}

/* Returns the layout; the paper consists of complete 5 mm squares. */
static grid make_grid(const mt_ecg_record *r, arrangement arranged, int pixels_per_mm)
{
    grid g = {.shown = r->n < MT_ECG_LEADS_MAX ? r->n : MT_ECG_LEADS_MAX};
    double calibrations = 0;
    if (arranged == ONE_COLUMN || (arranged == HALVES && r->n_standard == 0))
        place_columns(&g, g.shown);
    else if (arranged == HALVES)
        place_halves(r, &g);
    else if (r->n_standard > 0)
        place_wide(r, &g);
    else
        place_columns(&g, COLUMN_ROWS);
    find_halves(r, g.columns == 1, &g);
    for (size_t k = 0; k < g.columns; k++) calibrations += g.calibrated[k];
    g.width = (double)(5 * (WIDTH / (5 * pixels_per_mm)));
    g.height = (double)(5 * (HEIGHT / (5 * pixels_per_mm)));
    g.box = (g.width - CALIBRATION * calibrations) / (double)g.columns - GAP;
    g.row = g.height / (double)g.rows;
    g.label = fmin(2, 0.2 * g.row);
    return g;
}

/* Returns the left end of a column, after its calibration pulse [mm]. */
static double left_of(const grid *g, size_t column)
{
    double left = (double)column * (g->box + GAP);
    for (size_t k = 0; k <= column; k++) left += g->calibrated[k] ? CALIBRATION : 0;
    return left;
}

/* ---- scale ---- */

/* Minimum and maximum voltage in the rows of a half [mV], including 0. */
typedef struct extents {
    double low[ROWS_MAX], high[ROWS_MAX], highest; /* highest: the largest range of a row */
} extents;

static mt_status find_extents(const mt_ecg_record *r, const grid *g, extents halves[MT_ECG_HALVES])
{
    for (size_t h = 0; h < MT_ECG_HALVES; h++) halves[h] = (extents){.highest = 0};
    for (size_t k = 0; k < g->shown; k++) {
        double least, most;
        const size_t row = g->cell[k].row;
        extents *e = &halves[g->cell[k].half];
        if (!mt_curve_range(&r->curve[k], &least, &most))
            return mt_fail(
                MT_INPUT, "picture of lead '%s': no points, or a value that is not finite", r->name[k]);
        e->low[row] = fmin(e->low[row], least);
        e->high[row] = fmax(e->high[row], most);
        e->highest = fmax(e->highest, e->high[row] - e->low[row]);
    }
    if (r->n_standard <= MT_LEADS_LIMB) halves[MT_ECG_CHEST].highest = halves[MT_ECG_LIMBS].highest;
    return MT_OK;
}

static double seconds_of(const mt_ecg_record *r) { return (r->curve[0].to - r->curve[0].from) / 1000; }

/* Chooses the arrangement with the most columns, then the largest millimetres, for which the record fits at the standard speed;
 * otherwise the last one. */
static grid choose_grid(const mt_ecg_record *r, int *pixels_per_mm)
{
    static const struct {
        arrangement arranged;
        int pixels;
    } tries[] = {{WIDE, 48}, {WIDE, 36}, {WIDE, 28}, {WIDE, 22}, {WIDE, 16}, {WIDE, 12}, {WIDE, 8}, {WIDE, 6},
        {HALVES, 8}, {HALVES, 6}, {ONE_COLUMN, 6}, {ONE_COLUMN, 4}};
    grid g = {0};
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        g = make_grid(r, tries[k].arranged, tries[k].pixels);
        *pixels_per_mm = tries[k].pixels;
        const bool fits = USUAL_MM_S * seconds_of(r) <= g.box;
        if (fits && (tries[k].pixels <= 12 || g.row >= LEAST_ROW)) break;
    }
    return g;
}

/* Returns the standard gain if the leads then fit into their rows and are high enough, else the largest round gain that fits. */
static double gain_of(const grid *g, const extents *e)
{
    const double room = g->row - g->label - 1, high = USUAL_MM_MV * e->highest;
    if (high == 0 || (high <= room * (1 + 1e-9) && high >= fmin(LEAST_HEIGHT, 0.5 * g->row)))
        return USUAL_MM_MV;
    return mt_page_round_down(room / e->highest);
}

static mt_status find_scale(const mt_ecg_record *r, grid *g, extents e[MT_ECG_HALVES], mt_ecg_scale *scale)
{
    if (r->n == 0) return mt_fail(MT_INPUT, "picture of an ECG: no leads");
    *g = choose_grid(r, &scale->pixels_per_mm);
    MT_TRY(find_extents(r, g, e));
    const bool fits = USUAL_MM_S * seconds_of(r) <= g->box;
    scale->mm_per_s = fits ? USUAL_MM_S : mt_page_round_down(g->box / seconds_of(r));
    for (size_t h = 0; h < MT_ECG_HALVES; h++) scale->mm_per_mV[h] = gain_of(g, &e[h]);
    return MT_OK;
}

mt_status mt_ecg_scale_find(const mt_ecg_record *record, mt_ecg_scale *scale)
{
    extents e[MT_ECG_HALVES];
    grid g;
    return find_scale(record, &g, e, scale);
}

bool mt_ecg_blank(
    size_t n, const double *time_ms, size_t n_spans, const mt_span *span, size_t stride, double *value_mV)
{
    bool any = false;
    for (size_t k = 0; k < n; k++) {
        if (mt_spans_cover(n_spans, span, time_ms[k])) value_mV[k * stride] = NAN;
        any |= !isnan(value_mV[k * stride]);
    }
    return any;
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

/* Returns the position of 0 mV in a row of a half [mm from the top], on a grid line, so that the leads are centred below the names. */
static double base_of(const drawing *d, mt_ecg_lead_group half, size_t row)
{
    const extents *e = &d->extents[half];
    const double middle = 0.5 * (e->high[row] + e->low[row]) * d->scale.mm_per_mV[half];
    return round(((double)row + 0.5) * d->grid.row + 0.5 * d->grid.label + middle);
}

/* Draws lines every `every` mm in both directions. */
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

/* Returns the voltage of the calibration pulses of a half: 1 mV, or a round number if 1 mV is too high or hardly visible. */
static double pulse_of(const drawing *d, mt_ecg_lead_group half)
{
    const double most = d->grid.row < 14 ? 0.6 * d->grid.row : 10, usual = d->scale.mm_per_mV[half];
    return usual <= most && usual >= 2 ? 1 : mt_page_round_down(most / usual);
}

/* Draws a pulse on the 0 mV line, or below it if it would leave its row. */
static void draw_calibration(const drawing *d, const cell *at)
{
    const double voltage = pulse_of(d, at->half), high = voltage * d->scale.mm_per_mV[at->half];
    const double left = left_of(&d->grid, at->column) - CALIBRATION;
    const double foot = fmax(base_of(d, at->half, at->row), ceil((double)at->row * d->grid.row + high + 1)),
                 head = foot - high;
    const double x[] = {0.5, 1, 1, 6, 6, 6.5}, y[] = {foot, foot, head, head, foot, foot};
    char number[32], words[48];
    begin_line(d);
    for (size_t k = 0; k < 6; k++) cairo_line_to(d->page->pen, x_of(d, left + x[k]), y_of(d, y[k]));
    cairo_stroke(d->page->pen);
    mt_page_number(voltage, number);
    (void)snprintf(words, sizeof words, "%s mV", number);
    mt_page_write(
        d->page, x_of(d, left + 3.5), y_of(d, foot) + 18, MT_MIDDLE, 14, 7 * d->scale.pixels_per_mm, words);
}

/* Draws a pulse before the first lead of each half in each row. */
static void draw_calibrations(const drawing *d)
{
    for (size_t k = 0; k < d->grid.shown; k++) {
        const cell *at = &d->grid.cell[k];
        if (d->grid.calibrated[at->column]) draw_calibration(d, at);
    }
}

static double lead_x(const drawing *d, const cell *at, double time_ms)
{
    const double from_ms = d->record->curve[0].from;
    return x_of(d, left_of(&d->grid, at->column) + (time_ms - from_ms) / 1000 * d->scale.mm_per_s);
}

static void draw_lead(const drawing *d, size_t lead)
{
    const mt_curve *curve = &d->record->curve[lead];
    const cell *at = &d->grid.cell[lead];
    const double base = base_of(d, at->half, at->row);
    double before_ms = curve->from;
    begin_line(d);
    for (size_t k = 0; k < MT_CURVE_PARTS; k++) {
        mt_curve_point point[4];
        const size_t n = mt_curve_points(&curve->part[k], point);
        for (size_t i = 0; i < n; i++) {
            if (mt_spans_between(d->record->n_stimulated, d->record->stimulated, before_ms, point[i].x))
                cairo_new_sub_path(d->page->pen);
            before_ms = point[i].x;
            cairo_line_to(d->page->pen, lead_x(d, at, point[i].x),
                y_of(d, base - point[i].y * d->scale.mm_per_mV[at->half]));
        }
    }
    cairo_stroke(d->page->pen);
    mt_page_write(d->page, x_of(d, left_of(&d->grid, at->column)),
        y_of(d, (double)at->row * d->grid.row) + 18, MT_START, 17, d->grid.box * d->scale.pixels_per_mm,
        d->record->name[lead]);
}

static void use_mark(const drawing *d)
{
    cairo_set_source_rgb(d->page->pen, 0.1, 0.3, 0.75);
    cairo_set_line_width(d->page->pen, 2.2);
}

/* Marks the stimuli at the bottom of a lead's row. */
static void draw_stimuli(const drawing *d, size_t lead)
{
    const cell *at = &d->grid.cell[lead];
    const double bottom = y_of(d, (double)(at->row + 1) * d->grid.row);
    use_mark(d);
    for (size_t k = 0; k < d->record->n_stimulated; k++) {
        const double from_ms = d->record->stimulated[k].from_ms;
        if (from_ms < d->record->curve[0].from || from_ms > d->record->curve[0].to) continue;
        cairo_move_to(d->page->pen, lead_x(d, at, from_ms), bottom - 4);
        cairo_line_to(d->page->pen, lead_x(d, at, from_ms), bottom - 16);
    }
    cairo_stroke(d->page->pen);
}

/* Writes speed and gains. */
static void write_scale(const drawing *d, double y)
{
    const double *gain = d->scale.mm_per_mV;
    char speed[32], small[32], limbs[32], chest[32], words[200];
    mt_page_number(d->scale.mm_per_s, speed);
    mt_page_number(1000 / d->scale.mm_per_s, small);
    mt_page_number(gain[MT_ECG_LIMBS], limbs);
    mt_page_number(gain[MT_ECG_CHEST], chest);
    int n = snprintf(words, sizeof words, "%s mm/s (1 mm = %s ms)    ", speed, small);
    if (d->record->n_standard == 0)
        (void)snprintf(words + n, sizeof words - (size_t)n, "%s mm/mV", limbs);
    else if (d->record->n_standard == MT_LEADS_LIMB)
        (void)snprintf(words + n, sizeof words - (size_t)n, "limb leads: %s mm/mV", limbs);
    else
        (void)snprintf(words + n, sizeof words - (size_t)n, "limb leads: %s mm/mV    chest leads: %s mm/mV",
            limbs, chest);
    mt_page_write(d->page, LEFT, y, MT_START, 18, 800, words);
}

/* Writes the meaning of the marks and the note on amplitudes. */
static void write_notes(const drawing *d, double y)
{
    mt_page_grey(d->page, mt_page_secondary);
    mt_page_write(d->page, LEFT, y, MT_START, 16, 960, mt_ecg_calibration);
    if (d->record->n_stimulated == 0) return;
    static const char words[] = "stimulus (artefact not drawn)";
    mt_page_write(d->page, LEFT + WIDTH, y, MT_END, 16, 400, words);
    use_mark(d);
    const double x = LEFT + WIDTH - mt_page_width(d->page, 16, words) - 10;
    mt_page_line(d->page, x, y, x, y - 12);
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
    write_notes(d, below + 30);
    mt_page_title(d->page, r->title);
}

static void draw(const drawing *d)
{
    draw_paper(d);
    draw_calibrations(d);
    for (size_t k = 0; k < d->grid.shown; k++) draw_lead(d, k);
    for (size_t k = 0; k < d->grid.shown; k++) draw_stimuli(d, k);
    draw_words(d);
}

mt_status mt_ecg_picture(const char *path, const mt_ecg_record *record)
{
    mt_page page;
    drawing d = {.page = &page, .record = record};
    MT_TRY(find_scale(record, &d.grid, d.extents, &d.scale));
    MT_TRY(mt_page_begin(&page));
    draw(&d);
    return mt_page_end(&page, MT_OK, path);
}
