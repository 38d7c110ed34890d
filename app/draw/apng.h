/* Animated PNGs: pictures one behind the other in one file, which browsers play over and over. Other programs show the first.
 *
 * Colours are true and nothing is lost. A picture but the first is stored as the smallest box in which it differs from the one before.
 * W3C, "Portable Network Graphics (PNG) Specification (Third Edition)", has the format: chunks acTL, fcTL and fdAT. */
#ifndef MT_APP_DRAW_APNG_H
#define MT_APP_DRAW_APNG_H

#include <stdint.h>

#include "data/file.h"

typedef struct mt_apng {
    mt_file file;
    uint32_t w, h;
    uint32_t n;           /* pictures so far */
    uint32_t sequence;    /* number of the next chunk of an animation */
    unsigned char *pixel; /* [h][w][3] of the picture before */
    unsigned char *row;   /* [h][1 + 3 w], room for rows with their filters */
    unsigned char *packed;
} mt_apng;

/* Starts a file of n_pictures of w x h pixels, with its room in `arena`. MT_FILE, MT_MEMORY. */
MT_NODISCARD mt_status mt_apng_begin(
    mt_arena *arena, const char *path, uint32_t w, uint32_t h, uint32_t n_pictures, mt_apng *apng);

/* Adds one that is shown for so long. argb[h][stride / 4] are cairo's pixels; the alpha is not looked at. */
void mt_apng_add(mt_apng *apng, const unsigned char *argb, size_t stride, uint16_t show_ms);

/* Ends it: after MT_OK the file is put in place, whole; any other status is returned, and there is none. MT_FILE. */
MT_NODISCARD mt_status mt_apng_end(mt_apng *apng, mt_status status);

#endif
