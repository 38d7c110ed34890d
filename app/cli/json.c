#include "app/cli/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "data/number.h"

/* The bytes of the character at `at`; 0 where it is none (RFC 3629, section 4). */
static size_t length_of(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second */
        size_t bytes;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    if (*at < 0x80) return 1;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        if (*at < forms[k].first || *at > forms[k].last) continue;
        if (at[1] < forms[k].low || at[1] > forms[k].high) return 0;
        for (size_t b = 2; b < forms[k].bytes; b++)
            if (at[b] < 0x80 || at[b] > 0xBF) return 0;
        return forms[k].bytes;
    }
    return 0;
}

bool mt_json_allows(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const size_t length = length_of(at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

static void put_ascii(FILE *stream, char c)
{
    if (c == '"' || c == '\\')
        (void)fprintf(stream, "\\%c", c);
    else if (c == '\n')
        (void)fputs("\\n", stream);
    else if (c == '\t')
        (void)fputs("\\t", stream);
    else if (c < 0x20)
        (void)fprintf(stream, "\\u%04x", (unsigned)c);
    else
        (void)fputc(c, stream);
}

void mt_json_string(FILE *stream, const char *text)
{
    (void)fputc('"', stream);
    while (*text) {
        const size_t length = length_of((const unsigned char *)text);
        if (length == 0)
            (void)fputs("\xEF\xBF\xBD", stream);
        else if (length == 1)
            put_ascii(stream, *text);
        else
            (void)fwrite(text, 1, length, stream);
        text += length > 0 ? length : 1;
    }
    (void)fputc('"', stream);
}

mt_json mt_json_begin(FILE *stream) { return (mt_json){.stream = stream}; }

static void break_line(const mt_json *json)
{
    (void)fputc('\n', json->stream);
    for (int k = 0; k < 2 * json->depth; k++) (void)fputc(' ', json->stream);
}

/* What stands before a value. In lists, and before what can be long, a line begins. */
static void begin_value(mt_json *json, const char *key, bool new_line)
{
    const int d = json->depth;
    if (json->filled[d]) (void)fputc(',', json->stream);
    new_line = d > 0 && (new_line || json->broken[d]);
    if (new_line)
        break_line(json);
    else if (json->filled[d])
        (void)fputc(' ', json->stream);
    json->broken[d] = new_line;
    json->filled[d] = true;
    if (!key) return;
    mt_json_string(json->stream, key);
    (void)fputs(": ", json->stream);
}

void mt_json_open(mt_json *json, const char *key, char bracket)
{
    assert(json->depth < MT_JSON_DEPTH_MAX);
    begin_value(json, key, json->depth == 1 || json->end[json->depth] == ']');
    (void)fputc(bracket, json->stream);
    const int d = ++json->depth;
    json->end[d] = bracket == '{' ? '}' : ']';
    json->filled[d] = json->broken[d] = false;
}

void mt_json_close(mt_json *json)
{
    const int d = json->depth--;
    if (json->broken[d]) break_line(json);
    (void)fputc(json->end[d], json->stream);
    if (json->depth == 0) (void)fputc('\n', json->stream);
}

void mt_json_number(mt_json *json, const char *key, double value)
{
    char text[MT_NUMBER_SIZE] = "null";
    if (isfinite(value)) mt_number_text(value, text);
    begin_value(json, key, json->depth == 1);
    (void)fputs(text, json->stream);
}

void mt_json_count(mt_json *json, const char *key, uint64_t value)
{
    begin_value(json, key, json->depth == 1);
    (void)fprintf(json->stream, "%" PRIu64, value);
}

void mt_json_text(mt_json *json, const char *key, const char *text)
{
    begin_value(json, key, json->depth == 1);
    if (text)
        mt_json_string(json->stream, text);
    else
        (void)fputs("null", json->stream);
}
