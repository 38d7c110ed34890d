#include "app/draw/apng.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { LEVEL = 6 }; /* of zlib: higher ones take much longer and save little */

static size_t row_bytes(size_t w) { return 1 + 3 * w; }

static void put_word(unsigned char *out, uint32_t word)
{
    for (int k = 0; k < 4; k++) out[k] = (unsigned char)(word >> (24 - 8 * k));
}

/* A chunk: `n` bytes behind `first` bytes of a head. Failures stay with the stream, which tells them at its end. */
static void put_chunk(mt_apng *p, const char *type, const unsigned char *head, size_t first,
    const unsigned char *bytes, size_t n)
{
    unsigned char word[4];
    uLong sum = crc32(0, (const unsigned char *)type, 4);
    if (first > 0) sum = crc32(sum, head, (uInt)first);
    if (n > 0) sum = crc32(sum, bytes, (uInt)n);
    put_word(word, (uint32_t)(first + n));
    (void)fwrite(word, 1, 4, p->file.stream);
    (void)fwrite(type, 1, 4, p->file.stream);
    if (first > 0) (void)fwrite(head, 1, first, p->file.stream);
    if (n > 0) (void)fwrite(bytes, 1, n, p->file.stream);
    put_word(word, (uint32_t)sum);
    (void)fwrite(word, 1, 4, p->file.stream);
}

static void put_head(mt_apng *p, uint32_t n_pictures)
{
    static const unsigned char signature[] = "\x89PNG\r\n\x1a\n",
                               software[] = "Software\0myotile " MT_VERSION;
    unsigned char size[13] = {0}, pictures[8] = {0};
    put_word(size, p->w);
    put_word(size + 4, p->h);
    size[8] = 8;                    /* bits of a colour */
    size[9] = 2;                    /* red, green, blue */
    put_word(pictures, n_pictures); /* and behind it 0: for ever */
    (void)fwrite(signature, 1, sizeof signature - 1, p->file.stream);
    put_chunk(p, "IHDR", size, sizeof size, NULL, 0);
    put_chunk(p, "tEXt", software, sizeof software - 1, NULL, 0);
    put_chunk(p, "acTL", pictures, sizeof pictures, NULL, 0);
}

mt_status mt_apng_begin(
    mt_arena *arena, const char *path, uint32_t w, uint32_t h, uint32_t n_pictures, mt_apng *apng)
{
    *apng = (mt_apng){.w = w, .h = h};
    MT_ALLOC(arena, apng->pixel, 3 * (size_t)w * h);
    MT_ALLOC(arena, apng->row, row_bytes(w) * h);
    MT_ALLOC(arena, apng->packed, compressBound(row_bytes(w) * h));
    MT_TRY(mt_file_begin(path, &apng->file));
    put_head(apng, n_pictures);
    return MT_OK;
}

typedef struct box {
    uint32_t x0, y0, x1, y1; /* x0 <= x < x1 */
} box;

/* Takes over the pixels; gives the box of those that are new, of one pixel at least. */
static box take_pixels(mt_apng *p, const unsigned char *argb, size_t stride)
{
    box in = {p->w, p->h, 0, 0};
    for (uint32_t y = 0; y < p->h; y++)
        for (uint32_t x = 0; x < p->w; x++) {
            uint32_t pixel;
            unsigned char *old = p->pixel + 3 * ((size_t)y * p->w + x);
            memcpy(&pixel, argb + y * stride + 4 * (size_t)x, sizeof pixel);
            const unsigned char rgb[3] = {
                (unsigned char)(pixel >> 16), (unsigned char)(pixel >> 8), (unsigned char)pixel};
            if (p->n > 0 && memcmp(rgb, old, sizeof rgb) == 0) continue;
            memcpy(old, rgb, sizeof rgb);
            in.x0 = x < in.x0 ? x : in.x0;
            in.y0 = y < in.y0 ? y : in.y0;
            in.x1 = x + 1 > in.x1 ? x + 1 : in.x1;
            in.y1 = y + 1;
        }
    return in.x1 > 0 ? in : (box){0, 0, 1, 1};
}

/* Rows with the filter "up" (2), which takes the row above from each; smooth shades become small numbers. */
static size_t filter_rows(mt_apng *p, const box *in)
{
    const size_t n = 3 * (size_t)(in->x1 - in->x0);
    unsigned char *out = p->row;
    for (uint32_t y = in->y0; y < in->y1; y++) {
        const unsigned char *at = p->pixel + 3 * ((size_t)y * p->w + in->x0), *above = at - 3 * (size_t)p->w;
        *out++ = 2;
        for (size_t k = 0; k < n; k++) *out++ = (unsigned char)(at[k] - (y > in->y0 ? above[k] : 0));
    }
    return (size_t)(out - p->row);
}

static void put_control(mt_apng *p, const box *in, uint16_t show_ms)
{
    unsigned char control[26] = {0}; /* the last two: left as it is, and put over what was there */
    put_word(control, p->sequence++);
    put_word(control + 4, in->x1 - in->x0);
    put_word(control + 8, in->y1 - in->y0);
    put_word(control + 12, in->x0);
    put_word(control + 16, in->y0);
    put_word(control + 20, (uint32_t)show_ms << 16 | 1000); /* a fraction of a second */
    put_chunk(p, "fcTL", control, sizeof control, NULL, 0);
}

void mt_apng_add(mt_apng *apng, const unsigned char *argb, size_t stride, uint16_t show_ms)
{
    const box in = take_pixels(apng, argb, stride);
    const size_t n = filter_rows(apng, &in);
    unsigned char number[4];
    uLongf packed = compressBound(n);
    if (compress2(apng->packed, &packed, apng->row, n, LEVEL) != Z_OK) packed = 0; /* not with this room */
    put_control(apng, &in, show_ms);
    put_word(number, apng->sequence);
    if (apng->n++ == 0) {
        put_chunk(apng, "IDAT", NULL, 0, apng->packed, packed);
    } else {
        put_chunk(apng, "fdAT", number, sizeof number, apng->packed, packed);
        apng->sequence++;
    }
}

mt_status mt_apng_end(mt_apng *apng, mt_status status)
{
    put_chunk(apng, "IEND", NULL, 0, NULL, 0);
    return mt_file_end(&apng->file, status);
}
