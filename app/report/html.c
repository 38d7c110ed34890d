#include "app/report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "data/files/scan.h"

/* ---- parts ---- */

mt_status mt_html_part_begin(unsigned run, mt_html_part *part)
{
    *part = (mt_html_part){.run = run};
    part->text = open_memstream(&part->text_bytes, &part->n_text);
    part->blocks = open_memstream(&part->block_bytes, &part->n_block);
    if (!part->text || !part->blocks) {
        mt_html_part_free(part);
        return mt_fail(MT_MEMORY, "a report: out of memory");
    }
    part->json = mt_json_begin(part->text, &mt_json_html);
    mt_json_open(&part->json, NULL, '{');
    return MT_OK;
}

mt_status mt_html_part_size(mt_html_part *part, size_t *bytes)
{
    if (fflush(part->text) != 0 || fflush(part->blocks) != 0 || ferror(part->text) || ferror(part->blocks))
        return mt_fail(MT_MEMORY, "a report: out of memory");
    *bytes = part->n_text + part->n_block;
    return part->status;
}

mt_status mt_html_part_end(mt_html_part *part, size_t *bytes)
{
    mt_json_close(&part->json);
    return mt_html_part_size(part, bytes);
}

void mt_html_part_free(mt_html_part *part)
{
    if (part->text) (void)fclose(part->text);
    if (part->blocks) (void)fclose(part->blocks);
    free(part->text_bytes);
    free(part->block_bytes);
    *part = (mt_html_part){0};
}

/* ---- blocks ---- */

static void put_base64(FILE *to, const uint8_t *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < n; k += 3) {
        const size_t left = n - k;
        const uint32_t group = (uint32_t)bytes[k] << 16 | (uint32_t)(left > 1 ? bytes[k + 1] : 0) << 8 |
                               (uint32_t)(left > 2 ? bytes[k + 2] : 0);
        (void)fputc(digit[group >> 18], to);
        (void)fputc(digit[group >> 12 & 63], to);
        (void)fputc(left > 1 ? digit[group >> 6 & 63] : '=', to);
        (void)fputc(left > 2 ? digit[group & 63] : '=', to);
    }
}

/* Compressed bytes. */
typedef struct packed {
    uint8_t *bytes;
    size_t n;
} packed;

static mt_status pack(mt_arena *arena, const uint8_t *bytes, size_t n, packed *to)
{
    uLongf room = compressBound(n);
    MT_ALLOC(arena, to->bytes, room);
    if (compress2(to->bytes, &room, bytes, n, Z_DEFAULT_COMPRESSION) != Z_OK)
        return mt_fail(MT_MEMORY, "a report: out of memory");
    to->n = room;
    return MT_OK;
}

/* Packs integers of `bytes` bytes, little-endian, each minus the one `lag` before it (0 for plain numbers). */
static mt_status pack_numbers(
    mt_arena *arena, const uint32_t *number, size_t n, size_t bytes, size_t lag, packed *to)
{
    uint8_t *raw;
    MT_ALLOC(arena, raw, n * bytes);
    for (size_t k = 0; k < n; k++) {
        const uint32_t x = number[k] - (lag > 0 && k >= lag ? number[k - lag] : 0);
        for (size_t b = 0; b < bytes; b++) raw[k * bytes + b] = (uint8_t)(x >> 8 * b);
    }
    return pack(arena, raw, n * bytes, to);
}

/* The descriptor of an array. */
typedef struct described {
    const char *type;
    size_t n, components, lag;
    double offset, scale;
    uint32_t missing;
    bool has_missing;
} described;

static void describe(mt_html_part *part, const char *key, const char *id, const described *a)
{
    mt_json *json = &part->json;
    mt_json_open(json, key, '{');
    mt_json_text(json, "id", id);
    mt_json_text(json, "type", a->type);
    mt_json_count(json, "count", a->n);
    mt_json_count(json, "components", a->components);
    if (a->lag > 0 && a->lag != a->components)
        mt_json_count(json, "delta_items", a->lag);
    else
        mt_json_truth(json, "delta", a->lag > 0);
    mt_json_number(json, "offset", a->offset);
    mt_json_number(json, "scale", a->scale);
    if (a->has_missing)
        mt_json_count(json, "missing", a->missing);
    else
        mt_json_text(json, "missing", NULL);
    mt_json_close(json);
}

static void put_array(mt_html_part *part, const char *key, const described *a, const packed *block)
{
    char id[32];
    (void)snprintf(id, sizeof id, "r%ua%u", part->run, part->n_arrays++);
    describe(part, key, id, a);
    (void)fprintf(part->blocks, "<script type=\"text/plain\" id=\"%s\">", id);
    put_base64(part->blocks, block->bytes, block->n);
    (void)fputs("</script>\n", part->blocks);
}

/* Writes plain numbers or differences, whichever is shorter. */
static mt_status put_numbers(mt_arena *arena, mt_html_part *part, const char *key, const uint32_t *number,
    size_t bytes, const described *about)
{
    described a = *about;
    packed plain = {0}, delta = {0};
    const size_t n = a.n * a.components;
    a.type = bytes == 1 ? "u8" : bytes == 2 ? "u16" : "u32";
    MT_TRY(pack_numbers(arena, number, n, bytes, 0, &plain));
    MT_TRY(pack_numbers(arena, number, n, bytes, a.lag, &delta));
    if (plain.n <= delta.n) a.lag = 0;
    put_array(part, key, &a, a.lag > 0 ? &delta : &plain);
    return MT_OK;
}

/* ---- arrays ---- */

static void keep_status(mt_html_part *part, mt_status status)
{
    if (part->status == MT_OK) part->status = status;
}

/* Finds offset, scale and whether a value is missing. Integers within the number of levels remain exact. */
static void find_range(const double *values, size_t n, uint32_t levels, described *a)
{
    double low = INFINITY, high = -INFINITY;
    bool whole = true;
    a->missing = levels;
    for (size_t k = 0; k < n; k++) {
        a->has_missing = a->has_missing || !isfinite(values[k]);
        if (!isfinite(values[k])) continue;
        low = fmin(low, values[k]), high = fmax(high, values[k]);
        whole = whole && values[k] == nearbyint(values[k]);
    }
    a->offset = low <= high ? low : 0;
    a->scale = !(low < high) ? 0 : whole && high - low <= levels - 1 ? 1 : (high - low) / (levels - 1);
}

static uint32_t level_of(double value, const described *a)
{
    if (!isfinite(value)) return a->missing;
    if (!(a->scale > 0)) return 0;
    const double level = nearbyint((value - a->offset) / a->scale);
    return (uint32_t)fmin(fmax(level, 0), a->missing - 1.0);
}

static mt_status put_reals(mt_arena *arena, mt_html_part *part, const char *key, size_t n, size_t components,
    const double *values, mt_html_levels levels, size_t lag)
{
    described a = {.n = n, .components = components, .lag = lag > 0 ? lag : components};
    const size_t all = n * components;
    uint32_t *number;
    MT_ALLOC(arena, number, all);
    find_range(values, all, (1u << levels) - 1, &a);
    for (size_t k = 0; k < all; k++) number[k] = level_of(values[k], &a);
    return put_numbers(arena, part, key, number, (size_t)levels / 8, &a);
}

void mt_html_reals(mt_html_part *part, const char *key, size_t n, size_t components, const double *values,
    mt_html_levels levels, size_t lag)
{
    MT_SCRATCH(arena);
    keep_status(part, put_reals(arena, part, key, n, components, values, levels, lag));
}

static mt_status put_wholes(
    mt_arena *arena, mt_html_part *part, const char *key, size_t n, size_t components, const uint32_t *values)
{
    uint32_t low = UINT32_MAX, high = 0, *number;
    const size_t all = n * components;
    for (size_t k = 0; k < all; k++) {
        low = values[k] < low ? values[k] : low;
        high = values[k] > high ? values[k] : high;
    }
    if (all == 0) low = 0;
    MT_ALLOC(arena, number, all);
    for (size_t k = 0; k < all; k++) number[k] = values[k] - low;
    const size_t bytes = high - low <= UINT8_MAX ? 1 : high - low <= UINT16_MAX ? 2 : 4;
    const described a = {
        .n = n, .components = components, .lag = components, .offset = (double)low, .scale = 1};
    return put_numbers(arena, part, key, number, bytes, &a);
}

void mt_html_wholes(mt_html_part *part, const char *key, size_t n, size_t components, const uint32_t *values)
{
    MT_SCRATCH(arena);
    keep_status(part, put_wholes(arena, part, key, n, components, values));
}

static mt_status put_doubles(
    mt_arena *arena, mt_html_part *part, const char *key, size_t n, const double *values)
{
    uint8_t *raw;
    packed block;
    MT_ALLOC(arena, raw, n * sizeof *values);
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        for (size_t b = 0; b < sizeof bits; b++) raw[k * sizeof bits + b] = (uint8_t)(bits >> 8 * b);
    }
    MT_TRY(pack(arena, raw, n * sizeof *values, &block));
    put_array(part, key, &(described){.type = "f64", .n = n, .components = 1, .scale = 1}, &block);
    return MT_OK;
}

void mt_html_doubles(mt_html_part *part, const char *key, size_t n, const double *values)
{
    MT_SCRATCH(arena);
    keep_status(part, put_doubles(arena, part, key, n, values));
}

static mt_status put_text(mt_arena *arena, mt_html_part *part, const char *key, const char *text)
{
    const size_t n = strlen(text);
    packed block;
    MT_TRY(pack(arena, (const uint8_t *)text, n, &block));
    put_array(part, key, &(described){.type = "text", .n = n, .components = 1, .scale = 1}, &block);
    return MT_OK;
}

void mt_html_text(mt_html_part *part, const char *key, const char *text)
{
    MT_SCRATCH(arena);
    keep_status(part, put_text(arena, part, key, text));
}

/* ---- the file ---- */

static const char mark[] = "\n<!-- data -->\n", first_line[] = "<!-- myotile " MT_VERSION " -->\n";
static const char json_begins[] =
    "<script type=\"application/json\" id=\"report\">{\"format\": 1, \"version\": \"" MT_VERSION
    "\", \"runs\": [",
                  between[] = ",\n", json_ends[] = "]}</script>\n";

mt_status mt_html_template_read(mt_arena *arena, const char *path, mt_html_template *template)
{
    mt_scan scan;
    MT_TRY(mt_scan_open(arena, path, &scan));
    char *text, *at;
    MT_ALLOC(arena, text, mt_scan_left(&scan) + 1);
    memcpy(text, scan.begin, mt_scan_left(&scan));
    at = strstr(text, mark);
    if (!at || strstr(at + 1, mark))
        return mt_fail(MT_INPUT, "%s: the line '<!-- data -->' occurs %s; allowed: once", path,
            at ? "several times" : "nowhere");
    at[1] = 0;
    *template = (mt_html_template){text, at + sizeof mark - 1};
    return MT_OK;
}

size_t mt_html_frame_bytes(const mt_html_template *template, size_t n)
{
    return sizeof first_line - 1 + strlen(template->head) + strlen(template->tail) + sizeof json_begins - 1 +
           sizeof json_ends - 1 + (n > 0 ? n - 1 : 0) * (sizeof between - 1);
}

mt_status mt_html_write(
    const char *path, const mt_html_template *template, size_t n, const mt_html_part *parts, size_t *bytes)
{
    mt_file file;
    *bytes = mt_html_frame_bytes(template, n);
    MT_TRY(mt_file_begin(path, &file));
    (void)fputs(first_line, file.stream);
    (void)fputs(template->head, file.stream);
    (void)fputs(json_begins, file.stream);
    for (size_t k = 0; k < n; k++) {
        if (k > 0) (void)fputs(between, file.stream);
        (void)fwrite(parts[k].text_bytes, 1, parts[k].n_text, file.stream);
        *bytes += parts[k].n_text + parts[k].n_block;
    }
    (void)fputs(json_ends, file.stream);
    for (size_t k = 0; k < n; k++) (void)fwrite(parts[k].block_bytes, 1, parts[k].n_block, file.stream);
    (void)fputs(template->tail, file.stream);
    return mt_file_end(&file, MT_OK);
}
