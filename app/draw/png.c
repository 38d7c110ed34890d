#include "app/draw/png.h"

#include <stdio.h>
#include <zlib.h>

enum { LEVEL = 6 }; /* of zlib: higher levels take much longer and save little */

static size_t row_bytes(size_t w) { return 1 + 3 * w; }

static void put_word(unsigned char *out, uint32_t word)
{
    for (int k = 0; k < 4; k++) out[k] = (unsigned char)(word >> (24 - 8 * k));
}

/* Writes a chunk. The stream stores its errors. */
static void put_chunk(FILE *to, const char *type, const unsigned char *bytes, size_t n)
{
    unsigned char word[4];
    uLong sum = crc32(0, (const unsigned char *)type, 4);
    if (n > 0) sum = crc32(sum, bytes, (uInt)n);
    put_word(word, (uint32_t)n);
    (void)fwrite(word, 1, 4, to);
    (void)fwrite(type, 1, 4, to);
    if (n > 0) (void)fwrite(bytes, 1, n, to);
    put_word(word, (uint32_t)sum);
    (void)fwrite(word, 1, 4, to);
}

static void put_head(FILE *to, uint32_t w, uint32_t h)
{
    static const unsigned char signature[] = "\x89PNG\r\n\x1a\n",
                               software[] = "Software\0myotile " MT_VERSION;
    unsigned char size[13] = {0};
    put_word(size, w);
    put_word(size + 4, h);
    size[8] = 8; /* bits per channel */
    size[9] = 2; /* red, green, blue */
    (void)fwrite(signature, 1, sizeof signature - 1, to);
    put_chunk(to, "IHDR", size, sizeof size);
    put_chunk(to, "tEXt", software, sizeof software - 1);
}

static const uint32_t *row_at(const unsigned char *argb, size_t stride, uint32_t y)
{
    return (const uint32_t *)(const void *)(argb + y * stride);
}

/* Filters rows with "up" (2), which subtracts the row above; smooth shades become small numbers. */
static void filter_rows(uint32_t w, uint32_t h, const unsigned char *argb, size_t stride, unsigned char *out)
{
    for (uint32_t y = 0; y < h; y++) {
        const uint32_t *row = row_at(argb, stride, y), *above = y > 0 ? row_at(argb, stride, y - 1) : NULL;
        *out++ = 2;
        for (uint32_t x = 0; x < w; x++, out += 3) {
            const uint32_t now = row[x], over = above ? above[x] : 0;
            out[0] = (unsigned char)((now >> 16) - (over >> 16));
            out[1] = (unsigned char)((now >> 8) - (over >> 8));
            out[2] = (unsigned char)(now - over);
        }
    }
}

mt_status mt_png_write(const char *path, uint32_t w, uint32_t h, const unsigned char *argb, size_t stride)
{
    MT_SCRATCH(scratch);
    unsigned char *rows, *packed;
    mt_file file;
    const size_t n = row_bytes(w) * h;
    uLongf n_packed = compressBound(n);
    MT_ALLOC(scratch, rows, n);
    MT_ALLOC(scratch, packed, n_packed);
    filter_rows(w, h, argb, stride, rows);
    if (compress2(packed, &n_packed, rows, n, LEVEL) != Z_OK)
        return mt_fail(MT_MEMORY, "out of memory for a picture");
    MT_TRY(mt_file_begin(path, &file));
    put_head(file.stream, w, h);
    put_chunk(file.stream, "IDAT", packed, n_packed);
    put_chunk(file.stream, "IEND", NULL, 0);
    return mt_file_end(&file, MT_OK);
}
