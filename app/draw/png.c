#include "app/draw/png.h"

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
static void put_chunk(mt_png *p, const char *type, const unsigned char *head, size_t first,
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

static void put_head(mt_png *p)
{
    static const unsigned char signature[] = "\x89PNG\r\n\x1a\n",
                               software[] = "Software\0myotile " MT_VERSION;
    unsigned char size[13] = {0}, pictures[8] = {0};
    put_word(size, p->w);
    put_word(size + 4, p->h);
    size[8] = 8;                       /* bits of a colour */
    size[9] = 2;                       /* red, green, blue */
    put_word(pictures, p->n_pictures); /* and behind it 0: for ever */
    (void)fwrite(signature, 1, sizeof signature - 1, p->file.stream);
    put_chunk(p, "IHDR", size, sizeof size, NULL, 0);
    put_chunk(p, "tEXt", software, sizeof software - 1, NULL, 0);
    if (p->n_pictures > 1) put_chunk(p, "acTL", pictures, sizeof pictures, NULL, 0);
}

mt_status mt_png_begin(
    mt_arena *arena, const char *path, uint32_t w, uint32_t h, uint32_t n_pictures, mt_png *png)
{
    *png = (mt_png){.w = w, .h = h, .n_pictures = n_pictures};
    if (n_pictures > 1) MT_ALLOC(arena, png->before, (size_t)w * h);
    MT_ALLOC(arena, png->row, row_bytes(w) * h);
    MT_ALLOC(arena, png->packed, compressBound(row_bytes(w) * h));
    MT_TRY(mt_file_begin(path, &png->file));
    put_head(png);
    return MT_OK;
}

typedef struct box {
    uint32_t x0, y0, x1, y1; /* x0 <= x < x1 */
} box;

static const uint32_t *row_at(const unsigned char *argb, size_t stride, uint32_t y)
{
    return (const uint32_t *)(const void *)(argb + y * stride);
}

/* Keeps the pixels; gives the box of those that are new, of one pixel at least. */
static box find_new(mt_png *p, const unsigned char *argb, size_t stride)
{
    box in = {p->w, p->h, 0, 0};
    if (p->n_pictures == 1) return (box){0, 0, p->w, p->h};
    for (uint32_t y = 0; y < p->h; y++) {
        const uint32_t *row = row_at(argb, stride, y);
        uint32_t *before = p->before + (size_t)y * p->w, first = 0, end = p->w;
        if (p->n > 0 && memcmp(row, before, p->w * sizeof *row) == 0) continue;
        while (p->n > 0 && row[first] == before[first]) first++;
        while (p->n > 0 && row[end - 1] == before[end - 1]) end--;
        memcpy(before, row, p->w * sizeof *row);
        in.x0 = first < in.x0 ? first : in.x0;
        in.y0 = y < in.y0 ? y : in.y0;
        in.x1 = end > in.x1 ? end : in.x1;
        in.y1 = y + 1;
    }
    return in.x1 > 0 ? in : (box){0, 0, 1, 1};
}

/* Rows with the filter "up" (2), which takes the row above from each; smooth shades become small numbers. */
static size_t filter_rows(mt_png *p, const box *in, const unsigned char *argb, size_t stride)
{
    unsigned char *out = p->row;
    for (uint32_t y = in->y0; y < in->y1; y++) {
        const uint32_t *row = row_at(argb, stride, y),
                       *above = y > in->y0 ? row_at(argb, stride, y - 1) : NULL;
        *out++ = 2;
        for (uint32_t x = in->x0; x < in->x1; x++, out += 3) {
            const uint32_t now = row[x], over = above ? above[x] : 0;
            out[0] = (unsigned char)((now >> 16) - (over >> 16));
            out[1] = (unsigned char)((now >> 8) - (over >> 8));
            out[2] = (unsigned char)(now - over);
        }
    }
    return (size_t)(out - p->row);
}

static void put_control(mt_png *p, const box *in, uint16_t show_ms)
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

mt_status mt_png_add(mt_png *png, const unsigned char *argb, size_t stride, uint16_t show_ms)
{
    const box in = find_new(png, argb, stride);
    const size_t n = filter_rows(png, &in, argb, stride);
    unsigned char number[4];
    uLongf packed = compressBound(n);
    if (compress2(png->packed, &packed, png->row, n, LEVEL) != Z_OK)
        return mt_fail(MT_MEMORY, "out of memory for a picture");
    if (png->n_pictures > 1) put_control(png, &in, show_ms);
    put_word(number, png->sequence);
    if (png->n++ == 0) {
        put_chunk(png, "IDAT", NULL, 0, png->packed, packed);
    } else {
        put_chunk(png, "fdAT", number, sizeof number, png->packed, packed);
        png->sequence++;
    }
    return MT_OK;
}

mt_status mt_png_end(mt_png *png, mt_status status)
{
    put_chunk(png, "IEND", NULL, 0, NULL, 0);
    return mt_file_end(&png->file, status);
}
