#include "app/draw/page.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/draw/png.h"
#include "app/draw/colour.h"
#include "data/files/file.h"

const double mt_page_ink = 0.13, mt_page_secondary = 0.38;

/* ---- text ---- */

void mt_page_grey(mt_page *page, double grey) { cairo_set_source_rgb(page->pen, grey, grey, grey); }

/* True if this font is available. */
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

static void write_words(mt_page *page, double x, double y, mt_anchor anchor, double size, bool bold,
    double room, const char *text)
{
    cairo_t *cr = page->pen;
    cairo_text_extents_t extents;
    if (!text[0] || !set_font(cr, size, bold)) return;
    cairo_text_extents(cr, text, &extents);
    /* advances are rounded, not proportional to the size */
    while (extents.x_advance > room && room > 0 && size > 1) {
        size *= fmin(room / extents.x_advance, 0.98);
        cairo_set_font_size(cr, size);
        cairo_text_extents(cr, text, &extents);
    }
    double shift = anchor == MT_START ? 0 : anchor == MT_MIDDLE ? 0.5 : 1;
    cairo_move_to(cr, x - shift * extents.x_advance, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
}

double mt_page_width(mt_page *page, double size, const char *words)
{
    cairo_text_extents_t extents;
    if (!set_font(page->pen, size, false)) return 0;
    cairo_text_extents(page->pen, words, &extents);
    return extents.x_advance;
}

void mt_page_write(
    mt_page *page, double x, double y, mt_anchor anchor, double size, double room, const char *words)
{
    write_words(page, x, y, anchor, size, false, room, words);
}

static bool starts_letter(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; } /* of UTF-8 */

void mt_page_shorten(mt_page *page, double size, double room, const char *words, char text[MT_PAGE_SHORT])
{
    static const char dots[] = "\u2026";
    const size_t n = strlen(words), most = MT_PAGE_SHORT - sizeof dots;
    (void)snprintf(text, MT_PAGE_SHORT, "%s", n <= most ? words : "");
    if (n <= most && mt_page_width(page, size, text) <= room) return;
    for (size_t kept = n <= most ? n - 1 : most;; kept--) {
        size_t head = kept / 3, tail = n - (kept - head);
        while (!starts_letter(words[head])) head--;
        while (!starts_letter(words[tail])) tail++;
        (void)snprintf(text, MT_PAGE_SHORT, "%.*s%s%s", (int)head, words, dots, words + tail);
        if (mt_page_width(page, size, text) <= room) return;
        if (kept == 0) break;
    }
    text[0] = 0;
}

/* ---- titles ---- */

enum { TITLE_X = 60, TITLE_ROOM = MT_PAGE_WIDTH - 120, TITLE_WORDS = 1200 };
static const double TITLE_SIZE = 26, TITLE_LEAST = 17;

/* Returns the width of bold text [pixels]; 0 without a font. */
static double bold_width(cairo_t *cr, double size, const char *words)
{
    cairo_text_extents_t extents;
    if (!set_font(cr, size, true)) return 0;
    cairo_text_extents(cr, words, &extents);
    return extents.x_advance;
}

/* Returns the bytes of the longest start of a title that fits into a line. It ends at a blank, or at a letter if there is no blank. */
static size_t first_line(cairo_t *cr, const char *title)
{
    char words[TITLE_WORDS];
    size_t letter = 0, blank = 0;
    for (size_t n = 1; title[n - 1] && n < sizeof words; n++) {
        if (!starts_letter(title[n])) continue;
        memcpy(words, title, n);
        words[n] = 0;
        if (bold_width(cr, TITLE_LEAST, words) > TITLE_ROOM) break;
        letter = n;
        if (title[n] == ' ') blank = n;
    }
    return blank > 0 ? blank : letter;
}

/* Writes the rest of a title, shortened to its end after an ellipsis if necessary. */
static void write_rest(mt_page *page, double y, const char *rest)
{
    char words[TITLE_WORDS + 8];
    const char *dots = "";
    rest += strspn(rest, " ");
    if (strlen(rest) >= TITLE_WORDS) {
        rest += strlen(rest) - TITLE_WORDS + 1;
        dots = "\u2026 ";
    }
    for (;; rest++, dots = "\u2026 ") {
        while (!starts_letter(*rest)) rest++;
        (void)snprintf(words, sizeof words, "%s%s", dots, rest);
        if (bold_width(page->pen, TITLE_LEAST, words) <= TITLE_ROOM) break;
    }
    write_words(page, TITLE_X, y, MT_START, TITLE_LEAST, true, TITLE_ROOM, words);
}

void mt_page_title(mt_page *page, const char *title)
{
    char words[TITLE_WORDS];
    const double width = bold_width(page->pen, TITLE_SIZE, title), one = 52, two[2] = {32, 58};
    mt_page_grey(page, mt_page_ink);
    if (width * TITLE_LEAST <= TITLE_ROOM * TITLE_SIZE) {
        write_words(page, TITLE_X, one, MT_START, TITLE_SIZE, true, TITLE_ROOM, title);
        return;
    }
    const size_t n = first_line(page->pen, title);
    (void)snprintf(words, sizeof words, "%.*s", (int)n, title);
    write_words(page, TITLE_X, two[0], MT_START, TITLE_LEAST, true, TITLE_ROOM, words);
    write_rest(page, two[1], title + n);
}

/* ---- lines and boxes ---- */

void mt_page_colour(mt_page *page, const double linear[3])
{
    cairo_set_source_rgb(
        page->pen, mt_colour_srgb(linear[0]), mt_colour_srgb(linear[1]), mt_colour_srgb(linear[2]));
}

void mt_page_line(mt_page *page, double x0, double y0, double x1, double y1)
{
    cairo_move_to(page->pen, x0, y0);
    cairo_line_to(page->pen, x1, y1);
    cairo_stroke(page->pen);
}

void mt_page_fill(mt_page *page, double x, double y, double w, double h, const double linear[3])
{
    mt_page_colour(page, linear);
    cairo_rectangle(page->pen, x, y, w, h);
    cairo_fill(page->pen);
}

void mt_page_frame(mt_page *page, double x, double y, double w, double h)
{
    mt_page_grey(page, mt_page_ink);
    cairo_set_line_width(page->pen, 1);
    cairo_rectangle(page->pen, x + 0.5, y + 0.5, w - 1, h - 1);
    cairo_stroke(page->pen);
}

/* ---- numbers ---- */

double mt_page_step(double range, int most)
{
    if (!(range > 0) || !isfinite(range)) return 1;
    double power = pow(10, floor(log10(range / most)));
    double steps[] = {1, 2, 5, 10};
    for (int k = 0; k < 3; k++)
        if (range <= most * steps[k] * power * (1 + 1e-9)) return steps[k] * power;
    return 10 * power;
}

double mt_page_round_down(double x)
{
    const double power = pow(10, floor(log10(x) + 1e-9)), digit = x / power + 1e-9;
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

void mt_page_number(double value, char out[32])
{
    char digits[32];
    size_t used = 0;
    (void)snprintf(digits, sizeof digits, fabs(value) < 1e15 && value == floor(value) ? "%.0f" : "%g", value);
    const char *sign = digits[0] == '-' ? "-" : "", *at = digits + strlen(sign);
    const size_t n = strspn(at, "0123456789"), whole = at[n] ? 0 : n;
    used += (size_t)snprintf(out, 32, "%s", sign);
    for (; *at; at++) {
        const size_t left = strlen(at);
        out[used++] = *at;
        if (left > 1 && left <= whole && left % 3 == 1) out[used++] = ',';
    }
    out[used] = 0;
}

/* ---- the page ---- */

mt_status mt_page_begin(mt_page *page)
{
    page->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, MT_PAGE_WIDTH, MT_PAGE_HEIGHT);
    page->pen = cairo_create(page->surface);
    cairo_set_source_rgb(page->pen, 1, 1, 1);
    cairo_paint(page->pen);
    if (cairo_status(page->pen) == CAIRO_STATUS_SUCCESS) return MT_OK;
    cairo_destroy(page->pen);
    cairo_surface_destroy(page->surface);
    return mt_fail(MT_MEMORY, "out of memory for a picture");
}

static mt_status check_drawing(const mt_page *page)
{
    const cairo_status_t status = cairo_status(page->pen);
    if (status == CAIRO_STATUS_INVALID_STRING)
        return mt_fail(MT_INPUT, "the title or another text of a picture is not valid UTF-8");
    if (status != CAIRO_STATUS_SUCCESS)
        return mt_fail(MT_FILE, "a picture cannot be drawn: %s", cairo_status_to_string(status));
    return MT_OK;
}

mt_status mt_page_check_name(const char *path, mt_file_replace replace)
{
    const size_t n = strlen(path);
    if (n < 5 || strcmp(path + n - 4, ".png") != 0)
        return mt_fail(MT_INPUT, "%s: a picture needs a name ending in .png", path);
    return mt_file_check(path, replace);
}

mt_status mt_page_end(mt_page *page, mt_status status, const char *path)
{
    if (status == MT_OK) status = check_drawing(page);
    cairo_surface_flush(page->surface);
    if (status == MT_OK)
        status =
            mt_png_write(path, MT_PAGE_WIDTH, MT_PAGE_HEIGHT, cairo_image_surface_get_data(page->surface),
                (size_t)cairo_image_surface_get_stride(page->surface));
    cairo_destroy(page->pen);
    cairo_surface_destroy(page->surface);
    return status;
}
