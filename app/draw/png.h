/* PNGs: one picture, or several one behind the other in one file, which browsers play over and over. Other programs show the first.
 *
 * Colours are true and nothing is lost. A picture but the first is stored as the smallest box in which it differs from the one before.
 * W3C, "Portable Network Graphics (PNG) Specification (Third Edition)", has the format: chunks acTL, fcTL and fdAT, which one
 * picture alone does without. */
#ifndef MT_APP_DRAW_PNG_H
#define MT_APP_DRAW_PNG_H

#include <stdint.h>

#include "data/files/file.h"

typedef struct mt_png {
    mt_file file;
    uint32_t w, h;
    uint32_t n_pictures; /* in all */
    uint32_t n;          /* so far */
    uint32_t sequence;   /* number of the next chunk of an animation */
    uint32_t *before;    /* [h][w] cairo's pixels of the picture before; NULL of one alone */
    unsigned char *row;  /* [h][1 + 3 w], room for rows with their filters */
    unsigned char *packed;
} mt_png;

/* Starts a file of n_pictures of w x h pixels, with its room in `arena`. MT_FILE, MT_MEMORY. */
MT_NODISCARD mt_status mt_png_begin(
    mt_arena *arena, const char *path, uint32_t w, uint32_t h, uint32_t n_pictures, mt_png *png);

/* Adds one that is shown for so long. `show_ms` means nothing to a picture alone. argb[h][stride / 4] are cairo's
 * pixels; the alpha is not written. MT_MEMORY. */
MT_NODISCARD mt_status mt_png_add(mt_png *png, const unsigned char *argb, size_t stride, uint16_t show_ms);

/* Ends it: after MT_OK the file is put in place, whole; any other status is returned, and there is none. MT_FILE. */
MT_NODISCARD mt_status mt_png_end(mt_png *png, mt_status status);

#endif
