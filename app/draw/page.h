/* A page of a paper: what all pictures of the program share. White, with words and lines, written as a PNG.
 *
 *     mt_page page;
 *     MT_TRY(mt_page_begin(&page));
 *     return mt_page_end(&page, draw_something(&page), path);
 * Coordinates are pixels from the top left corner. mt_page_end reports what went wrong while drawing. */
#pragma once

#include "data/files/file.h"

enum { MT_PAGE_WIDTH = 1600, MT_PAGE_HEIGHT = 1000 }; /* pixels */

/* Cairo's; code that draws more than words and boxes includes cairo's header. */
typedef struct mt_page {
    struct _cairo_surface *surface;
    struct _cairo *pen;
} mt_page;

/* MT_MEMORY. */
MT_NODISCARD mt_status mt_page_begin(mt_page *page);

/* Ends the page. `status` is the result of the drawing: after MT_OK the file `path` is written, whole or not at all; any other
 * status is returned. MT_INPUT: words that are not UTF-8. MT_MEMORY. MT_FILE: the file cannot be written. */
MT_NODISCARD mt_status mt_page_end(mt_page *page, mt_status status, const char *path);

/* Checks, before long work, that a picture can be written under this name. MT_INPUT: it does not end in .png. MT_FILE: it cannot
 * be written there. */
MT_NODISCARD mt_status mt_page_check_name(const char *path, mt_file_replace replace);

/* The greys of words and lines, and of what is less important; 0 is black. */
extern const double mt_page_ink, mt_page_soft;

void mt_page_grey(mt_page *page, double grey);

typedef enum mt_anchor { MT_START, MT_MIDDLE, MT_END } mt_anchor;

/* Writes words with their start, middle or end at x and their baseline at y. Words that would be wider than `room` are written
 * smaller. Without a font there are no words, and the rest of the picture stays as it is. */
void mt_page_write(
    mt_page *page, double x, double y, mt_anchor anchor, double size, double room, const char *words);

/* Returns the width of words of this size [pixels]; 0 without a font. */
double mt_page_width(mt_page *page, double size, const char *words);

/* Copies words. If they are wider than `room`, an ellipsis replaces their middle: more is left of the end, in which names of a series
 * differ. `text` is complete UTF-8, and "" if not even the ellipsis fits. */
enum { MT_PAGE_SHORT = 256 };
void mt_page_shorten(mt_page *page, double size, double room, const char *words, char text[MT_PAGE_SHORT]);

/* Writes the title of the page above MT_TITLE_BOTTOM: a wide one smaller or in two lines. Of one that does not fit into these either, the middle
 * is replaced by an ellipsis, as its end says whether a run was stopped. */
enum { MT_TITLE_BOTTOM = 66 };
void mt_page_title(mt_page *page, const char *title);

/* Sets a colour (linear light). */
void mt_page_colour(mt_page *page, const double linear[3]);

/* Draws a line of the colour, width and dashes that are set. */
void mt_page_line(mt_page *page, double x0, double y0, double x1, double y1);

/* A box filled with a colour (linear light), and the outline of one. */
void mt_page_fill(mt_page *page, double x, double y, double w, double h, const double linear[3]);
void mt_page_frame(mt_page *page, double x, double y, double w, double h);

/* The step of a scale: 1, 2 or 5 times a power of ten, the smallest that fits at most `most` times into the range; 1 where the
 * range is 0. */
double mt_page_step(double range, int most);

/* The largest of 1, 2 and 5 times a power of ten that is not above x > 0. */
double mt_page_round_down(double x);

/* Writes a whole number with commas between the thousands, any other number with the digits it needs. */
void mt_page_number(double value, char out[32]);
