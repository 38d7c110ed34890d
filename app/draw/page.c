#include "app/draw/page.h"

#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "app/draw/colour.h"
#include "data/file.h"

const double mt_page_ink = 0.13, mt_page_soft = 0.38;

/* ---- words and boxes ---- */

void mt_page_grey(mt_page *page, double grey) { cairo_set_source_rgb(page->pen, grey, grey, grey); }

/* Whether there is such a font. */
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
    if (extents.x_advance > room) {
        cairo_set_font_size(cr, size * room / extents.x_advance);
        cairo_text_extents(cr, text, &extents);
    }
    double shift = anchor == MT_START ? 0 : anchor == MT_MIDDLE ? 0.5 : 1;
    cairo_move_to(cr, x - shift * extents.x_advance, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
}

void mt_page_write(
    mt_page *page, double x, double y, mt_anchor anchor, double size, double room, const char *words)
{
    write_words(page, x, y, anchor, size, false, room, words);
}

void mt_page_title(mt_page *page, const char *title)
{
    mt_page_grey(page, mt_page_ink);
    write_words(page, 60, 62, MT_START, 26, true, MT_PAGE_WIDTH - 120, title);
}

void mt_page_fill(mt_page *page, double x, double y, double w, double h, const double linear[3])
{
    cairo_set_source_rgb(
        page->pen, mt_colour_srgb(linear[0]), mt_colour_srgb(linear[1]), mt_colour_srgb(linear[2]));
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

/* ---- the whole ---- */

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
        return mt_fail(MT_INPUT, "the title of a picture, or another word in it, is not valid UTF-8");
    if (status != CAIRO_STATUS_SUCCESS)
        return mt_fail(MT_FILE, "a picture cannot be drawn: %s", cairo_status_to_string(status));
    return MT_OK;
}

/* Four bytes, the highest first. */
static void put_word(FILE *stream, unsigned long word)
{
    for (int shift = 24; shift >= 0; shift -= 8) (void)fputc((int)(word >> shift & 0xff), stream);
}

/* The chunk that says who made the picture (PNG specification, 11.3.4.3: tEXt, keyword Software). */
static void put_software(FILE *stream)
{
    static const unsigned char chunk[] = "tEXtSoftware\0myotile " MT_VERSION;
    const size_t n = sizeof chunk - 1;
    put_word(stream, n - 4);
    (void)fwrite(chunk, 1, n, stream);
    put_word(stream, crc32(0, chunk, (unsigned)n));
}

typedef struct png {
    FILE *stream;
    size_t n; /* bytes of cairo's so far */
} png;

enum { PNG_HEADER = 33 }; /* the signature and IHDR, which comes first */

/* Failures stay with the stream, which tells them at its end. */
static cairo_status_t write_bytes(void *to, const unsigned char *bytes, unsigned n)
{
    png *out = to;
    const size_t first = out->n < PNG_HEADER && out->n + n >= PNG_HEADER ? PNG_HEADER - out->n : 0;
    (void)fwrite(bytes, 1, first, out->stream);
    if (first > 0) put_software(out->stream);
    (void)fwrite(bytes + first, 1, n - first, out->stream);
    out->n += n;
    return CAIRO_STATUS_SUCCESS;
}

static mt_status write_png(cairo_surface_t *page, const char *path)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    png out = {.stream = file.stream};
    const cairo_status_t status = cairo_surface_write_to_png_stream(page, write_bytes, &out);
    return mt_file_end(&file, status == CAIRO_STATUS_SUCCESS ? MT_OK
                                                             : mt_fail(MT_FILE, "%s: no picture: %s", path,
                                                                   cairo_status_to_string(status)));
}

mt_status mt_page_check_name(const char *path, mt_file_replace replace)
{
    const size_t n = strlen(path);
    if (n < 5 || strcmp(path + n - 4, ".png") != 0)
        return mt_fail(MT_INPUT, "%s: a picture is written under a name ending in .png", path);
    return mt_file_check(path, replace);
}

mt_status mt_page_end(mt_page *page, mt_status status, const char *path)
{
    if (status == MT_OK) status = check_drawing(page);
    if (status == MT_OK) status = write_png(page->surface, path);
    cairo_destroy(page->pen);
    cairo_surface_destroy(page->surface);
    return status;
}

mt_status mt_page_give(mt_page *page, mt_status status, mt_page_take *take, void *context)
{
    if (status == MT_OK) status = check_drawing(page);
    cairo_surface_flush(page->surface);
    if (status == MT_OK)
        take(context, cairo_image_surface_get_data(page->surface),
            (size_t)cairo_image_surface_get_stride(page->surface));
    cairo_destroy(page->pen);
    cairo_surface_destroy(page->surface);
    return status;
}
