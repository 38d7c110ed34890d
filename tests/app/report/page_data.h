/* A simple reader of the data in a page of `myotile report`. */
#pragma once

#include <criterion/criterion.h>

#include <stdint.h>
#include <zlib.h>

#include "tests/json.h"
#include "tests/room.h"

/* A template without the code that shows the data. */
static const char bare_page[] = "<!DOCTYPE html>\n<title>Myotile report</title>\n<!-- data -->\n<p>end</p>\n";

typedef struct page {
    char *html;
    size_t n;
    const json *data;
} page;

/* Returns the text of the script with this id, in `arena`. */
static inline char *script(mt_arena *arena, const page *p, const char *type, const char *id)
{
    char tag[160];
    (void)snprintf(tag, sizeof tag, "<script type=\"%s\" id=\"%s\">", type, id);
    const char *begin = strstr(p->html, tag), *end = begin ? strstr(begin, "</script>") : NULL;
    cr_assert(begin && end && !strstr(begin + 1, tag), "%s", tag);
    begin += strlen(tag);
    char *text = json_take(arena, (size_t)(end - begin) + 1, 1);
    memcpy(text, begin, (size_t)(end - begin));
    return text;
}

static inline page open_page(mt_arena *arena, const char *path)
{
    page p = {0};
    char *text = bytes_of(path, &p.n);
    p.html = json_take(arena, p.n + 1, 1);
    memcpy(p.html, text, p.n);
    free(text);
    cr_assert_eq(strlen(p.html), p.n, "a byte is zero");
    p.data = json_parse(arena, script(arena, &p, "application/json", "report"));
    return p;
}

static inline size_t from_base64(const char *text, uint8_t *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    cr_assert_eq(strlen(text) % 4, 0);
    for (; *text; text += 4) {
        uint32_t group = 0;
        size_t padding = 0;
        for (int k = 0; k < 4; k++) {
            const char *digit = strchr(digits, text[k]);
            cr_assert(digit || (text[k] == '=' && k > 1 && !text[4]), "%.4s", text);
            padding += digit == NULL;
            group = group << 6 | (digit ? (uint32_t)(digit - digits) : 0);
        }
        for (size_t k = 0; k < 3 - padding; k++) bytes[n++] = (uint8_t)(group >> (16 - 8 * k));
    }
    return n;
}

/* Reads an array by its descriptor: n numbers, NaN for missing ones. */
static inline double *array(mt_arena *arena, const page *p, const json *about, size_t *n)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"u8", 1}, {"u16", 2}, {"u32", 4}, {"text", 1}, {"f64", 8}};
    char *text = script(arena, p, "text/plain", json_at(about, "id")->text);
    uint8_t *packed = json_take(arena, strlen(text), 1);
    const size_t n_packed = from_base64(text, packed), count = (size_t)json_value(about, "count"),
                 each = (size_t)json_value(about, "components");
    size_t type = 0, lag = 0;
    while (strcmp(types[type].name, json_at(about, "type")->text) != 0) cr_assert_lt(++type, 5);
    const size_t bytes = types[type].bytes;
    if (json_find(about, "delta_items"))
        lag = (size_t)json_value(about, "delta_items");
    else if (json_value(about, "delta") == 1)
        lag = each;
    uLongf n_raw = count * each * bytes;
    uint8_t *raw = json_take(arena, n_raw + 1, 1);
    cr_assert_eq(uncompress(raw, &n_raw, packed, n_packed), Z_OK);
    cr_assert_eq(n_raw, count * each * bytes);
    *n = count * each;
    double *values = json_take(arena, *n, sizeof *values);
    uint64_t *number = json_take(arena, *n, sizeof *number);
    const json *missing = json_at(about, "missing");
    for (size_t k = 0; k < *n; k++) {
        for (size_t b = 0; b < bytes; b++) number[k] |= (uint64_t)raw[k * bytes + b] << 8 * b;
        if (bytes == 8) {
            memcpy(&values[k], &number[k], sizeof values[k]);
            continue;
        }
        if (lag > 0 && k >= lag) number[k] = (number[k] + number[k - lag]) & ((1ull << 8 * bytes) - 1);
        values[k] = missing->kind == JSON_NUMBER && missing->number == (double)number[k]
                        ? (double)NAN
                        : json_value(about, "offset") + json_value(about, "scale") * (double)number[k];
    }
    return values;
}

/* Same, for a path in an object. */
static inline double *array_at(
    mt_arena *arena, const page *p, const json *object, const char *path, size_t *n)
{
    return array(arena, p, json_at(object, path), n);
}

/* Returns the text at a path in an object. */
static inline char *text_at(mt_arena *arena, const page *p, const json *object, const char *path)
{
    size_t n;
    const double *bytes = array_at(arena, p, object, path, &n);
    char *text = json_take(arena, n + 1, 1);
    for (size_t k = 0; k < n; k++) text[k] = (char)(uint8_t)bytes[k];
    return text;
}

/* Returns the largest error: half a step of quantisation, plus rounding. */
static inline double half_step(const json *about)
{
    return json_value(about, "scale") * (0.5 + 1e-9) + 1e-12 * fabs(json_value(about, "offset"));
}
