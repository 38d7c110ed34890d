/* A white page for figures, with text and lines, written as a PNG. All pictures of the program use it.
 *
 *     mt_page page;
 *     MT_TRY(mt_page_begin(&page));
 *     return mt_page_end(&page, draw_something(&page), path);
 *
 * Coordinates are pixels from the top left corner. mt_page_end returns the errors of drawing. */
#pragma once

#include "data/files/file.h"

enum { MT_PAGE_WIDTH = 1600, MT_PAGE_HEIGHT = 1000 }; /* pixels */

/* Objects of cairo. Code that draws more than text and boxes includes cairo's header. */
typedef struct mt_page {
    struct _cairo_surface *surface;
    struct _cairo *pen;
} mt_page;

/* Begins a page. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_page_begin(mt_page *page);

/* Ends the page. `status`: the result of drawing. After MT_OK the file `path` is written completely or not at all; any other status
 * is returned. Fails with MT_INPUT if text is not UTF-8, with MT_FILE if the file cannot be written, or with MT_MEMORY. */
MT_NODISCARD mt_status mt_page_end(mt_page *page, mt_status status, const char *path);

/* Checks, before long work, that a picture can be written under this name. Fails with MT_INPUT if it does not end in .png, with
 * MT_FILE if it cannot be written. */
MT_NODISCARD mt_status mt_page_check_name(const char *path, mt_file_replace replace);

/* Greys of main and of secondary text and lines; 0 is black. */
extern const double mt_page_ink, mt_page_secondary;

void mt_page_grey(mt_page *page, double grey);

typedef enum mt_anchor { MT_START, MT_MIDDLE, MT_END } mt_anchor;

/* Writes text with its start, middle or end at x and its baseline at y, smaller if it would be wider than `room`. Without a font
 * the text is omitted and the rest of the picture is unchanged. */
void mt_page_write(
    mt_page *page, double x, double y, mt_anchor anchor, double size, double room, const char *words);

/* Returns the width of text of this size [pixels]; 0 without a font. */
double mt_page_width(mt_page *page, double size, const char *words);

/* Copies text. If it is wider than `room`, an ellipsis replaces its middle. More of the end remains, since names of a series differ
 * there. `text` is valid UTF-8, and "" if not even the ellipsis fits. */
enum { MT_PAGE_SHORT = 256 };
void mt_page_shorten(mt_page *page, double size, double room, const char *words, char text[MT_PAGE_SHORT]);

/* Writes the title of the page above MT_TITLE_BOTTOM, if necessary smaller or in two lines. If it still does not fit, an ellipsis
 * replaces its middle, since its end can say that a run was stopped. */
enum { MT_TITLE_BOTTOM = 66 };
void mt_page_title(mt_page *page, const char *title);

/* Sets a colour (linear light). */
void mt_page_colour(mt_page *page, const double linear[3]);

/* Draws a line in the current colour, width and dashes. */
void mt_page_line(mt_page *page, double x0, double y0, double x1, double y1);

/* Draw a box filled with a colour (linear light), and the outline of a box. */
void mt_page_fill(mt_page *page, double x, double y, double w, double h, const double linear[3]);
void mt_page_frame(mt_page *page, double x, double y, double w, double h);

/* Returns the tick spacing of a scale: 1, 2 or 5 times a power of ten, the smallest that fits at most `most` times into the range;
 * 1 if the range is 0. */
double mt_page_step(double range, int most);

/* Returns the largest of 1, 2 and 5 times a power of ten that is at most x > 0. */
double mt_page_round_down(double x);

/* Formats an integer with commas between the thousands, any other number with the digits it needs. */
void mt_page_number(double value, char out[32]);
