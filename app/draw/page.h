/* A page of a paper: what all pictures of the program share. White, with words and lines, written as a PNG.
 *
 *     mt_page page;
 *     MT_TRY(mt_page_begin(&page));
 *     return mt_page_end(&page, draw_something(&page), path);
 *
 * Coordinates are pixels from the top left corner. What goes wrong while drawing is kept, and told at the end. */
#ifndef MT_APP_DRAW_PAGE_H
#define MT_APP_DRAW_PAGE_H

#include "data/file.h"

enum { MT_PAGE_WIDTH = 1600, MT_PAGE_HEIGHT = 1000 }; /* pixels */

/* Cairo's; whoever draws more than words and boxes includes its header. */
typedef struct mt_page {
    struct _cairo_surface *surface;
    struct _cairo *pen;
} mt_page;

/* MT_MEMORY. */
MT_NODISCARD mt_status mt_page_begin(mt_page *page);

/* Ends the page. `status` is how the drawing went: with MT_OK the file `path` is written, whole or not at all;
 * otherwise that is the answer. MT_INPUT: words that are not UTF-8. MT_MEMORY, or the file cannot be written. */
MT_NODISCARD mt_status mt_page_end(mt_page *page, mt_status status, const char *path);

/* Can a picture be written under this name? For those who have long work before it. MT_INPUT: it does not end in .png;
 * MT_FILE: it cannot be written there. */
MT_NODISCARD mt_status mt_page_check_name(const char *path, mt_file_replace replace);

/* The greys of words and lines, and of what is less important; 0 is black. */
extern const double mt_page_ink, mt_page_soft;

void mt_page_grey(mt_page *page, double grey);

typedef enum mt_anchor { MT_START, MT_MIDDLE, MT_END } mt_anchor;

/* Writes words; x is where their start, middle or end stands, y their baseline. Wider than `room`, they are written
 * smaller. A font that cannot be had leaves its words out and the picture alone. */
void mt_page_write(
    mt_page *page, double x, double y, mt_anchor anchor, double size, double room, const char *words);

/* Writes the title of the page. */
void mt_page_title(mt_page *page, const char *title);

/* A box filled with a colour (linear light), and the outline of one. */
void mt_page_fill(mt_page *page, double x, double y, double w, double h, const double linear[3]);
void mt_page_frame(mt_page *page, double x, double y, double w, double h);

/* The step of a scale: 1, 2 or 5 times a power of ten, the smallest that goes at most `most` times into the range. 1 where
 * the range is 0. */
double mt_page_step(double range, int most);

/* A whole number with commas between its thousands, another with the digits it needs. */
void mt_page_number(double value, char out[32]);

#endif
