#include "data/files/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "data/core/number.h"
#include "data/core/utf8.h"

const mt_json_style mt_json_tree = {.indent = 2, .list_own_end = true, .top_in_lines = true};
const mt_json_style mt_json_rows = {.indent = 2, .top_in_lines = true};
const mt_json_style mt_json_long = {.list_own_end = true};
const mt_json_style mt_json_html = {.list_own_end = true, .in_html = true};

static void put_ascii(FILE *stream, char c, bool in_html)
{
    if (c == '"' || c == '\\')
        (void)fprintf(stream, "\\%c", c);
    else if (c == '\n')
        (void)fputs("\\n", stream);
    else if (c == '\t')
        (void)fputs("\\t", stream);
    else if (c < 0x20 || (in_html && (c == '<' || c == '>' || c == '&')))
        (void)fprintf(stream, "\\u%04x", (unsigned)c);
    else
        (void)fputc(c, stream);
}

/* Writes a text with its quotes. */
static void put_text(FILE *stream, const char *text, bool in_html)
{
    (void)fputc('"', stream);
    while (*text) {
        const size_t length = mt_utf8_character(text, NULL);
        if (length == 0)
            (void)fputs("\xEF\xBF\xBD", stream);
        else if (length == 1)
            put_ascii(stream, *text, in_html);
        else
            (void)fwrite(text, 1, length, stream);
        text += length > 0 ? length : 1;
    }
    (void)fputc('"', stream);
}

mt_json mt_json_begin(FILE *stream, const mt_json_style *style)
{
    return (mt_json){.stream = stream, .style = style};
}

static void break_line(const mt_json *json)
{
    (void)fputc('\n', json->stream);
    for (int k = 0; k < json->style->indent * json->depth; k++) (void)fputc(' ', json->stream);
}

/* Writes the comma, line end and key before a value. In lists, and before values that may be long, a new line begins. */
static void begin_value(mt_json *json, const char *key, bool new_line)
{
    const int d = json->depth;
    if (json->filled[d]) (void)fputc(',', json->stream);
    new_line = d > 0 && (new_line || json->broken[d]);
    if (d == 1 && !json->filled[d] && !json->style->top_in_lines) new_line = false;
    if (new_line)
        break_line(json);
    else if (json->filled[d])
        (void)fputc(' ', json->stream);
    json->broken[d] = new_line;
    json->filled[d] = true;
    if (!key) return;
    put_text(json->stream, key, json->style->in_html);
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
    if (json->broken[d] &&
        (json->end[d] == ']' ? json->style->list_own_end : d > 1 || json->style->top_in_lines))
        break_line(json);
    (void)fputc(json->end[d], json->stream);
}

void mt_json_truth(mt_json *json, const char *key, bool value)
{
    begin_value(json, key, json->depth == 1);
    (void)fputs(value ? "true" : "false", json->stream);
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

void mt_json_thousandths(mt_json *json, const char *key, uint64_t thousandths)
{
    begin_value(json, key, json->depth == 1);
    (void)fprintf(json->stream, "%" PRIu64 ".%03u", thousandths / 1000, (unsigned)(thousandths % 1000));
}

void mt_json_text(mt_json *json, const char *key, const char *text)
{
    begin_value(json, key, json->depth == 1);
    if (text)
        put_text(json->stream, text, json->style->in_html);
    else
        (void)fputs("null", json->stream);
}
