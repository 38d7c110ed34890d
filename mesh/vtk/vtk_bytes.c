#include "mesh/vtk/vtk_bytes.h"

#include <string.h>
#include <zlib.h>

enum { BEST_RATIO = 1032 };

/* Upper bound on the number of bytes that remain. */
static size_t room(const mt_vtk_bytes *from)
{
    const size_t left = (size_t)(from->end - from->at);
    return from->base64 ? left / 4 * 3 + from->n_held : left;
}

static mt_status check_room(const mt_vtk_bytes *from, const char *what, uint64_t n)
{
    if (n <= room(from)) return MT_OK;
    return mt_scan_fail(&from->scan, "array '%s': %s of %llu bytes; allowed: at most %zu", from->name, what,
        (unsigned long long)n, room(from));
}

/* ---- base64 ---- */

/* Returns the value of a base64 digit, 0 to 63, or -1. */
static int digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static mt_status refuse_base64(const mt_vtk_bytes *from)
{
    if (from->at >= from->end)
        return mt_scan_fail(&from->scan, "array '%s': its base64 data is truncated", from->name);
    return mt_scan_fail(
        &from->scan, "array '%s': byte 0x%02x in its base64 data", from->name, (unsigned char)*from->at);
}

/* Decodes four characters to one to three bytes; '=' is padding. */
static mt_status decode_group(mt_vtk_bytes *from)
{
    uint32_t bits = 0;
    size_t n = 0;
    for (int k = 0; k < 4; from->at++) {
        if (from->at >= from->end) return refuse_base64(from);
        const char c = *from->at;
        if (!from->dense && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
        const int value = digit(c);
        const bool fills = c == '=' && k >= 2;
        if (!fills && (value < 0 || n < (size_t)k)) return refuse_base64(from);
        bits = bits << 6 | (fills ? 0 : (uint32_t)value);
        n += !fills;
        k++;
    }
    from->n_held = n - 1;
    for (size_t k = 0; k < n - 1; k++) from->held[n - 2 - k] = (unsigned char)(bits >> (16 - 8 * k));
    return MT_OK;
}

static mt_status decode(mt_vtk_bytes *from, size_t n, unsigned char *out)
{
    for (size_t k = 0; k < n; k++) {
        if (from->n_held == 0) MT_TRY(decode_group(from));
        out[k] = from->held[--from->n_held];
    }
    return MT_OK;
}

/* ---- plain and compressed ---- */

/* Reads the next n bytes as stored. */
static mt_status take(
    mt_arena *arena, mt_vtk_bytes *from, const char *what, size_t n, const unsigned char **bytes)
{
    unsigned char *decoded;
    MT_TRY(check_room(from, what, n));
    if (!from->base64) {
        *bytes = (const unsigned char *)from->at;
        from->at += n;
        return MT_OK;
    }
    MT_ALLOC(arena, decoded, n);
    *bytes = decoded;
    return decode(from, n, decoded);
}

static uint64_t word_at(const mt_vtk_bytes *from, const unsigned char *bytes)
{
    uint64_t value = 0;
    for (size_t k = 0; k < from->word; k++)
        value = value << 8 | bytes[from->big_endian ? k : from->word - 1 - k];
    return value;
}

static mt_status take_plain(mt_arena *arena, mt_vtk_bytes *from, size_t n, const unsigned char **bytes)
{
    const unsigned char *header;
    MT_TRY(take(arena, from, "a header", from->word, &header));
    const uint64_t there = word_at(from, header);
    if (there != n)
        return mt_scan_fail(&from->scan, "array '%s' has %llu bytes; %zu are needed", from->name,
            (unsigned long long)there, n);
    return take(arena, from, "content", n, bytes);
}

/* Decompresses the blocks; each has `each` bytes, the last one `last`. */
static mt_status inflate_blocks(mt_arena *arena, mt_vtk_bytes *from, size_t n_blocks, size_t each,
    size_t last, const unsigned char *sizes, unsigned char *out)
{
    for (size_t b = 0; b < n_blocks; b++) {
        const unsigned char *block;
        const uint64_t size = word_at(from, sizes + b * from->word);
        const size_t n = b + 1 < n_blocks ? each : last;
        uLongf done = n;
        MT_TRY(check_room(from, "a compressed block", size));
        if (size > 2 * n + 64)
            return mt_scan_fail(&from->scan, "array '%s': a compressed block of %llu bytes for %zu",
                from->name, (unsigned long long)size, n);
        MT_TRY(take(arena, from, "a compressed block", (size_t)size, &block));
        const int result = uncompress(out, &done, block, (uLong)size);
        if (result == Z_MEM_ERROR)
            return mt_fail(MT_MEMORY, "%s: out of memory decompressing", from->scan.path);
        if (result != Z_OK || done != n)
            return mt_scan_fail(&from->scan,
                "array '%s': compressed block %zu of %zu is damaged, or not of %zu bytes", from->name, b + 1,
                n_blocks, n);
        out += n;
    }
    return MT_OK;
}

static mt_status take_compressed(mt_arena *arena, mt_vtk_bytes *from, size_t n, const unsigned char **bytes)
{
    const unsigned char *header, *sizes;
    unsigned char *out;
    uint64_t whole, total;
    MT_TRY(take(arena, from, "a header", 3 * from->word, &header));
    const uint64_t n_blocks = word_at(from, header), each = word_at(from, header + from->word),
                   rest = word_at(from, header + 2 * from->word), last = rest > 0 ? rest : each;
    if (n_blocks == 0 || n_blocks > room(from) / from->word)
        return mt_scan_fail(&from->scan, "array '%s': %llu compressed blocks; allowed: 1 to %zu", from->name,
            (unsigned long long)n_blocks, room(from) / from->word);
    if ((n_blocks > 1 && each == 0) || __builtin_mul_overflow(n_blocks - 1, each, &whole) ||
        __builtin_add_overflow(whole, last, &total) || total != n || last > n)
        return mt_scan_fail(&from->scan,
            "array '%s': %llu blocks of %llu bytes and a last one of %llu; %zu bytes are needed", from->name,
            (unsigned long long)n_blocks, (unsigned long long)each, (unsigned long long)last, n);
    MT_TRY(take(arena, from, "the sizes of blocks", (size_t)n_blocks * from->word, &sizes));
    MT_ALLOC(arena, out, n);
    *bytes = out;
    return inflate_blocks(arena, from, (size_t)n_blocks, (size_t)each, (size_t)last, sizes, out);
}

mt_status mt_vtk_bytes_check(const mt_vtk_bytes *from, size_t n)
{
    if (!from->compressed) return check_room(from, "content", n);
    if (n / BEST_RATIO <= room(from)) return MT_OK;
    return mt_scan_fail(&from->scan, "array '%s': %zu bytes cannot result from decompressing its %zu bytes",
        from->name, n, room(from));
}

mt_status mt_vtk_bytes_read(mt_arena *arena, mt_vtk_bytes *from, size_t n, const unsigned char **bytes)
{
    MT_TRY(mt_vtk_bytes_check(from, n));
    return (from->compressed ? take_compressed : take_plain)(arena, from, n, bytes);
}
