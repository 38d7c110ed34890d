#include "app/draw/chart/profile_picture.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/draw/colour.h"
#include "app/draw/page.h"
#include "app/draw/scene/picture.h"

static const double idle_linear[3] = {0.72, 0.72, 0.72};

/* How often a compute set counts: as often as it ran; once, where nothing did. */
static double weight_of(const ipu_profiled *profiled, size_t step)
{
    return profiled->time_steps > 0 ? (double)profiled->profile->steps[step].runs : 1;
}

typedef uint64_t step_cycles(const ipu_profile_step *step);
static uint64_t exchange_of(const ipu_profile_step *step) { return step->exchange_phase_cycles; }
static uint64_t compute_of(const ipu_profile_step *step) { return step->compute.max; }
static uint64_t external_of(const ipu_profile_step *step) { return step->external_cycles; }

/* The compute set with most of them in all; of all, or of those only in which something crosses. */
static const ipu_profile_step *step_with_most(
    const ipu_profiled *profiled, step_cycles *cycles, bool crossing)
{
    size_t most = 0;
    double found = -1;
    for (size_t s = 0; s < profiled->profile->n_steps; s++) {
        if (crossing && !profiled->profile->steps[s].link_bytes) continue;
        const double here = weight_of(profiled, s) * (double)cycles(&profiled->profile->steps[s]);
        if (here > found) most = s, found = here;
    }
    return &profiled->profile->steps[most];
}

/* ---- tiles on their dies ---- */

enum { LEFT = 60, BAND_W = 1370, BAND_H = 368, BAR_X = 1462, BAR_W = 22, CHIP_GAP = 12, CHIP_NAME = 18 };

/* Where the dies stand in a band of the page, and how large their tiles are. Pixels. */
typedef struct dies {
    size_t n_chips, rows, columns; /* shown; of one die */
    size_t across;                 /* dies side by side */
    double tile_w, tile_h;         /* whole where at least 1 */
    double name_h;                 /* room for the name above a die */
} dies;

static double whole(double pixels) { return pixels >= 1 ? floor(pixels) : pixels; }

static dies lay_out(const ipu_target *target)
{
    dies best = {.n_chips = target->ipus < MT_PROFILE_CHIPS_MAX ? target->ipus : MT_PROFILE_CHIPS_MAX,
        .name_h = target->ipus > 1 ? CHIP_NAME : 0};
    for (size_t t = 0; t < target->tiles / target->ipus; t++) {
        size_t row, column;
        ipu_target_place(target, t, &row, &column);
        if (row >= best.rows) best.rows = row + 1;
        if (column >= best.columns) best.columns = column + 1;
    }
    double shown = -1;
    for (size_t across = 1; across <= best.n_chips; across++) {
        const size_t down = (best.n_chips + across - 1) / across;
        const double w = (BAND_W - CHIP_GAP * (double)(across - 1)) / (double)(across * best.columns);
        const double h =
            (BAND_H - best.name_h * (double)down - 4 * (double)(down - 1)) / (double)(down * best.rows);
        const double least = fmin(whole(w), whole(h));
        if (least <= shown) continue;
        shown = least;
        best.across = across, best.tile_w = fmin(whole(w), 24), best.tile_h = fmin(whole(h), 24);
    }
    return best;
}

static void corner_of(const dies *d, const ipu_target *target, double top, size_t tile, double *x, double *y)
{
    const size_t chip = ipu_target_chip(target, tile);
    size_t row, column;
    ipu_target_place(target, tile, &row, &column);
    *x = LEFT + (double)(chip % d->across) * ((double)d->columns * d->tile_w + CHIP_GAP) +
         (double)column * d->tile_w;
    *y = top + d->name_h + (double)(chip / d->across) * ((double)d->rows * d->tile_h + d->name_h + 4) +
         (double)row * d->tile_h;
}

static void fill_tile(
    mt_page *page, const dies *d, const ipu_target *target, double top, size_t tile, double share)
{
    double x, y, linear[3];
    corner_of(d, target, top, tile, &x, &y);
    mt_picture_colour(share, linear);
    mt_page_fill(
        page, floor(x), floor(y), fmax(1, d->tile_w), fmax(1, d->tile_h), share > 0 ? linear : idle_linear);
}

/* From 0 to the most. */
static void draw_colour_bar(mt_page *page, double top, double most)
{
    const double step = mt_page_step(most, 6);
    for (int k = 0; k < BAND_H; k++) {
        double linear[3];
        mt_picture_colour((k + 0.5) / BAND_H, linear);
        mt_page_fill(page, BAR_X, top + BAND_H - 1 - k, BAR_W, 1, linear);
    }
    mt_page_frame(page, BAR_X, top, BAR_W, BAND_H);
    for (double value = 0; value <= most; value += step) {
        const double y = top + BAND_H * (1 - (most > 0 ? value / most : 0));
        char number[32];
        mt_page_number(value, number);
        mt_page_write(
            page, BAR_X + BAR_W + 8, y + 5, MT_START, 16, MT_PAGE_WIDTH - BAR_X - BAR_W - 14, number);
    }
    mt_page_write(page, BAR_X, top - 12, MT_START, 16, 120, "cycles");
}

/* What one band shows: the cycles of every tile in one of a compute set's phases. */
typedef struct band {
    const char *phase;
    const ipu_profile_step *step;
    const ipu_spread *spread;
    const uint64_t *cycles; /* [n_tiles] */
    size_t slowest;         /* the first of them */
    size_t n_slowest;
} band;

static band make_band(const ipu_profile *profile, const char *phase, const ipu_profile_step *step,
    const ipu_spread *spread, const uint64_t *cycles)
{
    band b = {phase, step, spread, cycles, SIZE_MAX, 0};
    for (size_t t = 0; t < profile->n_tiles; t++) {
        if (cycles[t] != spread->max) continue;
        if (b.n_slowest++ == 0) b.slowest = t;
    }
    return b;
}

/* "all 1,472 tiles", or how many of them have work. */
static void say_tiles(const ipu_profiled *profiled, const ipu_spread *spread, char busy[80])
{
    char all[32], some[32];
    mt_page_number((double)profiled->profile->n_tiles, all);
    mt_page_number((double)spread->tiles, some);
    if (spread->tiles == profiled->profile->n_tiles)
        (void)snprintf(busy, 80, "all %s tiles", all);
    else
        (void)snprintf(busy, 80, "%s of %s tiles", some, all);
}

static void write_heading(mt_page *page, const ipu_profiled *profiled, const band *b, double top)
{
    const size_t tiles = profiled->target->tiles / profiled->target->ipus;
    char words[320], busy[80], who[64], least[32], mean[32], most[32];
    say_tiles(profiled, b->spread, busy);
    if (b->spread->max == 0) {
        (void)snprintf(words, sizeof words, "%s: no tile has anything to do", b->phase);
        mt_page_write(page, LEFT, top - 12, MT_START, 18, BAND_W, words);
        return;
    }
    if (b->spread->min == b->spread->max) {
        mt_page_number((double)b->spread->max, most);
        (void)snprintf(words, sizeof words, "%s of '%s': %s are busy for %s cycles", b->phase, b->step->name,
            busy, most);
        mt_page_write(page, LEFT, top - 12, MT_START, 18, BAND_W, words);
        return;
    }
    mt_page_number((double)b->spread->min, least);
    mt_page_number(round(b->spread->mean), mean);
    mt_page_number((double)b->spread->max, most);
    if (b->n_slowest == 1)
        (void)snprintf(
            who, sizeof who, "tile %zu of IPU %zu (framed)", b->slowest % tiles, b->slowest / tiles);
    else
        mt_page_number((double)b->n_slowest, who), (void)strcat(who, " tiles");
    (void)snprintf(words, sizeof words,
        "%s of '%s': %s are busy for %s to %s cycles. Their mean, %s, is %.1f %% of the slowest: %s",
        b->phase, b->step->name, busy, least, most, mean, 100 * ipu_spread_effectiveness(b->spread), who);
    mt_page_write(page, LEFT, top - 12, MT_START, 18, BAND_W, words);
}

/* Small tiles would be hidden by a frame of their own size. */
static void frame_tile(mt_page *page, const dies *d, const ipu_target *target, double top, size_t tile)
{
    const double w = fmax(d->tile_w + 2, 11), h = fmax(d->tile_h + 2, 11);
    double x, y;
    corner_of(d, target, top, tile, &x, &y);
    mt_page_frame(page, floor(x - 0.5 * (w - d->tile_w)), floor(y - 0.5 * (h - d->tile_h)), w, h);
}

static void name_dies(mt_page *page, const dies *d, const ipu_target *target, double top)
{
    mt_page_grey(page, mt_page_ink);
    for (size_t chip = 0; target->ipus > 1 && chip < d->n_chips; chip++) {
        char name[32];
        double x, y;
        corner_of(d, target, top, chip * (target->tiles / target->ipus), &x, &y);
        (void)snprintf(name, sizeof name, "IPU %zu", chip);
        mt_page_write(page, x, y - 4, MT_START, 13, (double)d->columns * d->tile_w, name);
    }
}

/* 0 where there is nothing to do, above it elsewhere. */
static double share_of(const band *b, uint64_t cycles)
{
    return (double)cycles / fmax(1, (double)b->spread->max);
}

static void draw_band(mt_page *page, const ipu_profiled *profiled, const dies *d, const band *b, double top)
{
    const size_t shown = d->n_chips * (profiled->target->tiles / profiled->target->ipus);
    for (size_t t = 0; t < shown; t++)
        if (b->cycles[t] < b->spread->max || b->spread->max == 0)
            fill_tile(page, d, profiled->target, top, t, share_of(b, b->cycles[t]));
    for (size_t t = 0; t < shown; t++) /* where tiles are smaller than a pixel, these are seen */
        if (b->cycles[t] == b->spread->max && b->spread->max > 0)
            fill_tile(page, d, profiled->target, top, t, 1);
    if (b->n_slowest == 1 && b->slowest < shown) frame_tile(page, d, profiled->target, top, b->slowest);
    name_dies(page, d, profiled->target, top);
    write_heading(page, profiled, b, top);
    draw_colour_bar(page, top, (double)b->spread->max);
}

static void draw_tiles(mt_page *page, const ipu_profiled *profiled)
{
    const dies d = lay_out(profiled->target);
    const ipu_profile_step *exchange = step_with_most(profiled, exchange_of, false),
                           *compute = step_with_most(profiled, compute_of, false);
    char note[160] = "";
    const band above = make_band(
        profiled->profile, "Exchange", exchange, &exchange->exchange, exchange->tile_exchange_cycles);
    const band below =
        make_band(profiled->profile, "Compute", compute, &compute->compute, compute->tile_compute_cycles);
    draw_band(page, profiled, &d, &above, 130);
    draw_band(page, profiled, &d, &below, 575);
    if (profiled->target->ipus > d.n_chips)
        (void)snprintf(note, sizeof note, "The first %zu of %zu IPUs. ", d.n_chips, profiled->target->ipus);
    (void)strcat(note,
        "Every tile in its place on the die; a compute set's phase each time it runs; grey: nothing to do.");
    mt_page_grey(page, mt_page_soft);
    mt_page_write(page, LEFT, 975, MT_START, 15, BAND_W, note);
}

/* Begins a page, draws and writes it. */
typedef mt_status drawing(mt_page *page, const ipu_profiled *profiled);

static mt_status write_page(const ipu_profiled *profiled, const char *what, drawing *draw, const char *path)
{
    mt_page page;
    char title[512];
    (void)snprintf(title, sizeof title, "%s: %s", profiled->title, what);
    MT_TRY(mt_page_begin(&page));
    mt_page_title(&page, title);
    return mt_page_end(&page, draw(&page, profiled), path);
}

static mt_status tiles_page(mt_page *page, const ipu_profiled *profiled)
{
    draw_tiles(page, profiled);
    return MT_OK;
}

mt_status mt_profile_picture_tiles(const ipu_profiled *profiled, const char *path)
{
    return write_page(profiled, "how long each tile is busy", tiles_page, path);
}

/* ---- memory ---- */

enum { AXIS_X = 150, AXIS_RIGHT = 1540, AXIS_TOP = 130, AXIS_BOTTOM = 830 };

/* What memory is used for, and behind it the gaps. */
enum { USES = IPU_MEMORY_CATEGORIES + 1, USES_IN_A_ROW = 4 };

static size_t bytes_of_use(const ipu_tile_memory *memory, size_t use)
{
    return use < IPU_MEMORY_CATEGORIES ? memory->bytes[use] : memory->gaps;
}

static void colour_of_use(size_t category, double linear[3])
{
    if (category == IPU_MEMORY_CATEGORIES) {
        mt_colour_linear(0.9, 0, 0, linear);
        return;
    }
    const double hue = fmod(262 + 137.5 * (double)category, 360),
                 lightness = 0.47 + 0.4 * fmod(0.618 * (double)category, 1);
    mt_colour_linear(lightness, mt_colour_chroma(lightness, 0.11, hue), hue, linear);
}

typedef struct tile_total {
    size_t total, tile;
} tile_total;

static int by_total(const void *left, const void *right)
{
    const tile_total *a = left;
    const tile_total *b = right;
    if (a->total != b->total) return a->total < b->total ? -1 : 1;
    return a->tile < b->tile ? -1 : a->tile > b->tile;
}

static mt_status sort_tiles(mt_arena *arena, const ipu_profile *profile, tile_total **order)
{
    MT_ALLOC(arena, *order, profile->n_tiles);
    for (size_t t = 0; t < profile->n_tiles; t++)
        (*order)[t] = (tile_total){profile->memory[t].total + profile->memory[t].gaps, t};
    qsort(*order, profile->n_tiles, sizeof **order, by_total);
    return MT_OK;
}

/* Lines across the page at round values of an axis from 0 to `most`. */
static void draw_value_lines(mt_page *page, double most)
{
    const double step = mt_page_step(most, 8);
    cairo_set_line_width(page->pen, 1);
    for (double value = 0; value <= most * (1 + 1e-9); value += step) {
        const double y = floor(AXIS_BOTTOM - (AXIS_BOTTOM - AXIS_TOP) * value / most) + 0.5;
        char number[32];
        mt_page_grey(page, 0.87);
        cairo_move_to(page->pen, AXIS_X, y);
        cairo_line_to(page->pen, AXIS_RIGHT, y);
        cairo_stroke(page->pen);
        mt_page_number(value, number);
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, AXIS_X - 12, y + 5, MT_END, 16, AXIS_X - 30, number);
    }
}

/* One tile a pixel; of more tiles than pixels, some; the last is the fullest. */
static void draw_stacks(mt_page *page, const ipu_profile *profile, const tile_total *order, double most)
{
    const size_t width = AXIS_RIGHT - AXIS_X;
    double linear[USES][3];
    for (size_t k = 0; k < USES; k++) colour_of_use(k, linear[k]);
    for (size_t x = 0; x < width; x++) {
        const size_t rank = ((x + 1) * profile->n_tiles - 1) / width;
        const ipu_tile_memory *memory = &profile->memory[order[rank].tile];
        size_t sum = 0;
        for (size_t k = 0; k < USES; k++) {
            const double scale = (AXIS_BOTTOM - AXIS_TOP) / most, from = round(scale * (double)sum);
            sum += bytes_of_use(memory, k);
            const double to = round(scale * (double)sum);
            if (to > from)
                mt_page_fill(page, (double)(AXIS_X + x), AXIS_BOTTOM - to, 1, to - from, linear[k]);
        }
    }
}

static void draw_uses(mt_page *page, const ipu_profile *profile)
{
    const double each = (double)(AXIS_RIGHT - AXIS_X) / USES_IN_A_ROW, box = 20;
    for (size_t k = 0; k < USES; k++) {
        const double x = floor(AXIS_X + each * (double)(k % USES_IN_A_ROW)),
                     y = 882 + 30.0 * (double)(k / USES_IN_A_ROW);
        double linear[3];
        char bytes[32], name[128];
        colour_of_use(k, linear);
        mt_page_fill(page, x, y, box, box, linear);
        mt_page_number((double)bytes_of_use(&profile->fullest, k), bytes);
        (void)snprintf(name, sizeof name, "%s: %s",
            k < IPU_MEMORY_CATEGORIES ? ipu_memory_category_name[k] : "gaps", bytes);
        mt_page_grey(page, mt_page_ink);
        mt_page_write(page, x + box + 10, y + 16, MT_START, 17, each - box - 24, name);
    }
}

static void write_memory_words(mt_page *page, const ipu_profiled *profiled)
{
    const ipu_profile *profile = profiled->profile;
    const size_t tiles = profiled->target->tiles / profiled->target->ipus;
    char words[256], most[32], middle[32];
    mt_page_number((double)profile->memory_max, most);
    mt_page_number((double)profile->memory_median, middle);
    (void)snprintf(words, sizeof words,
        "bytes; fullest: tile %zu of IPU %zu with %s, %.1f %% of what is there; median %s",
        profile->fullest_tile % tiles, profile->fullest_tile / tiles, most,
        100 * (double)profile->memory_max / (double)profile->memory_there, middle);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, LEFT, 105, MT_START, 17, MT_PAGE_WIDTH - 2 * LEFT, words);
    mt_page_write(page, AXIS_X, AXIS_BOTTOM + 28, MT_START, 16, 500, "emptiest tile");
    mt_page_write(page, AXIS_RIGHT, AXIS_BOTTOM + 28, MT_END, 16, 500, "fullest tile");
    mt_page_number((double)profile->n_tiles, most);
    (void)snprintf(words, sizeof words, "all %s tiles, by what they hold", most);
    mt_page_write(page, 0.5 * (AXIS_X + AXIS_RIGHT), AXIS_BOTTOM + 28, MT_MIDDLE, 16, 500, words);
    mt_page_grey(page, mt_page_soft);
    mt_page_write(
        page, AXIS_X, 985, MT_START, 15, 900, "From the axis up; numbers: bytes of the fullest tile");
}

/* The memory that is there, where the axis reaches so far. */
static void draw_limit(mt_page *page, const ipu_profile *profile, double most)
{
    const double y =
        floor(AXIS_BOTTOM - (AXIS_BOTTOM - AXIS_TOP) * (double)profile->memory_there / most) + 0.5;
    char words[64], bytes[32];
    if (y < AXIS_TOP) return;
    mt_page_grey(page, mt_page_ink);
    cairo_set_line_width(page->pen, 2);
    cairo_move_to(page->pen, AXIS_X, y);
    cairo_line_to(page->pen, AXIS_RIGHT, y);
    cairo_stroke(page->pen);
    mt_page_number((double)profile->memory_there, bytes);
    (void)snprintf(words, sizeof words, "%s bytes are there", bytes);
    mt_page_write(page, AXIS_X + 10, y + 20, MT_START, 16, 300, words);
}

static mt_status memory_page(mt_page *page, const ipu_profiled *profiled)
{
    const ipu_profile *profile = profiled->profile;
    const double full = (double)profile->memory_max, there = (double)profile->memory_there;
    const double most = full > 0.4 * there ? there : fmax(1.15 * full, 1);
    MT_SCRATCH(scratch);
    tile_total *order;
    const mt_status status = sort_tiles(scratch, profile, &order);
    if (status == MT_OK) {
        draw_value_lines(page, most);
        draw_stacks(page, profile, order, most);
        draw_limit(page, profile, most);
        draw_uses(page, profile);
        write_memory_words(page, profiled);
    }
    return status;
}

mt_status mt_profile_picture_memory(const ipu_profiled *profiled, const char *path)
{
    return write_page(profiled, "memory of its tiles", memory_page, path);
}

/* ---- links ---- */

typedef struct link_load {
    uint64_t cycles;
    size_t link;
} link_load;

static int by_cycles(const void *left, const void *right)
{
    const link_load *a = left;
    const link_load *b = right;
    if (a->cycles != b->cycles) return a->cycles > b->cycles ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

enum { LINK_NAME_X = 60, LINK_BAR_X = 300, LINK_BAR_W = 860, LINK_TOP = 130, LINK_BOTTOM = 945 };

/* Against the whole phase, which is the full width. */
static void draw_link(mt_page *page, const ipu_profile *profile, const ipu_profile_step *step,
    const link_load *load, double y, double pitch)
{
    static const double rest[3] = {0.86, 0.86, 0.86};
    const double size = fmin(16, pitch * 0.95), bar = fmax(1, floor(0.76 * pitch)),
                 share = (double)load->cycles / fmax(1, (double)step->exchange_phase_cycles),
                 baseline = floor(y) + 0.5 * bar + 0.35 * size, words_x = LINK_BAR_X + LINK_BAR_W + 8;
    double linear[3];
    char words[160], cycles[32], bytes[32];
    mt_picture_colour(share, linear);
    mt_page_fill(page, LINK_BAR_X, floor(y), LINK_BAR_W, bar, rest);
    mt_page_fill(page, LINK_BAR_X, floor(y), round(LINK_BAR_W * share), bar, linear);
    mt_page_number((double)load->cycles, cycles);
    mt_page_number((double)step->link_bytes[load->link], bytes);
    (void)snprintf(
        words, sizeof words, "%s cycles, %.0f %% of the phase; %s bytes", cycles, 100 * share, bytes);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, LINK_NAME_X, baseline, MT_START, size, 230, profile->links[load->link].name);
    mt_page_write(page, words_x, baseline, MT_START, size, MT_PAGE_WIDTH - words_x - 12, words);
}

static mt_status links_page(mt_page *page, const ipu_profiled *profiled)
{
    const ipu_profile *profile = profiled->profile;
    const ipu_profile_step *step = step_with_most(profiled, external_of, true);
    const size_t shown = profile->n_links < MT_PROFILE_LINKS_MAX ? profile->n_links : MT_PROFILE_LINKS_MAX;
    const double pitch = fmin(30, (double)(LINK_BOTTOM - LINK_TOP) / (double)shown);
    mt_arena scratch = {0};
    char words[256], phase[32];
    link_load *loads = mt_arena_alloc(&scratch, profile->n_links, sizeof *loads);
    if (!loads) return MT_MEMORY;
    for (size_t l = 0; l < profile->n_links; l++) loads[l] = (link_load){step->link_cycles[l], l};
    qsort(loads, profile->n_links, sizeof *loads, by_cycles);
    for (size_t k = 0; k < shown; k++)
        draw_link(page, profile, step, &loads[k], LINK_TOP + pitch * (double)k, pitch);
    mt_arena_free(&scratch);
    mt_page_number((double)step->exchange_phase_cycles, phase);
    char which[64];
    (void)snprintf(which, sizeof which, shown < profile->n_links ? "The %zu busiest of %zu" : "All %zu",
        shown, profile->n_links);
    (void)snprintf(words, sizeof words,
        "%s links in '%s': cycles for which each is busy; the full width is the whole exchange phase, %s "
        "cycles",
        which, step->name, phase);
    mt_page_grey(page, mt_page_ink);
    mt_page_write(page, LINK_NAME_X, 105, MT_START, 17, MT_PAGE_WIDTH - 2 * LINK_NAME_X, words);
    return MT_OK;
}

mt_status mt_profile_picture_links(const ipu_profiled *profiled, const char *path)
{
    return write_page(profiled, "links between IPUs", links_page, path);
}
