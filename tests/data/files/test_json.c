#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "data/files/json.h"

/* Writes an object with values, an object and two lists of objects in a style; the caller frees the text. */
static char *written(const mt_json_style *style)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    mt_json json = mt_json_begin(stream, style);
    mt_json_open(&json, NULL, '{');
    mt_json_text(&json, "name", "GC200");
    mt_json_open(&json, "tile", '{');
    mt_json_count(&json, "row", 3);
    mt_json_number(&json, "share", 0.1);
    mt_json_close(&json);
    mt_json_open(&json, "links", '[');
    for (uint64_t k = 0; k < 2; k++) {
        mt_json_open(&json, NULL, '{');
        mt_json_count(&json, "from", k);
        mt_json_close(&json);
    }
    mt_json_close(&json);
    mt_json_open(&json, "none", '[');
    mt_json_close(&json);
    mt_json_close(&json);
    (void)fclose(stream);
    return text;
}

static void expect(const mt_json_style *style, const char *expected)
{
    char *text = written(style);
    cr_expect_str_eq(text, expected);
    free(text);
}

Test(json, line_breaks_follow_the_style)
{
    expect(&mt_json_tree, "{\n"
                          "  \"name\": \"GC200\",\n"
                          "  \"tile\": {\"row\": 3, \"share\": 0.1},\n"
                          "  \"links\": [\n"
                          "    {\"from\": 0},\n"
                          "    {\"from\": 1}\n"
                          "  ],\n"
                          "  \"none\": []\n"
                          "}");
    expect(&mt_json_rows, "{\n"
                          "  \"name\": \"GC200\",\n"
                          "  \"tile\": {\"row\": 3, \"share\": 0.1},\n"
                          "  \"links\": [\n"
                          "    {\"from\": 0},\n"
                          "    {\"from\": 1}],\n"
                          "  \"none\": []\n"
                          "}");
    expect(&mt_json_long, "{\"name\": \"GC200\",\n"
                          "\"tile\": {\"row\": 3, \"share\": 0.1},\n"
                          "\"links\": [\n"
                          "{\"from\": 0},\n"
                          "{\"from\": 1}\n"
                          "],\n"
                          "\"none\": []}");
}

/* Checks values written as one list in one line. */
static void expect_values(void write(mt_json *json), const char *expected)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    mt_json json = mt_json_begin(stream, &mt_json_long);
    write(&json);
    (void)fclose(stream);
    cr_expect_str_eq(text, expected);
    free(text);
}

static void write_numbers(mt_json *json)
{
    mt_json_open(json, NULL, '{');
    mt_json_open(json, "of", '{');
    mt_json_number(json, "a", 0.1 + 0.2);
    mt_json_number(json, "b", INFINITY);
    mt_json_count(json, "c", UINT64_MAX);
    mt_json_thousandths(json, "d", 1000007);
    mt_json_close(json), mt_json_close(json);
}

Test(json, numbers_keep_every_bit_and_nan_is_null)
{
    expect_values(write_numbers,
        "{\"of\": {\"a\": 0.30000000000000004, \"b\": null, \"c\": 18446744073709551615, \"d\": 1000.007}}");
}

static void write_texts(mt_json *json)
{
    mt_json_open(json, NULL, '{');
    mt_json_open(json, "of", '{');
    mt_json_text(json, "a \"b\"", "\\ \n\t\x01");
    mt_json_text(json, "none", NULL);
    mt_json_text(json, "cheese", "K\xE4se \xE2\x99\xA5 \xE2\x99");
    mt_json_text(json, "c", "\xFF\"\xC3\xA4");
    mt_json_close(json), mt_json_close(json);
}

Test(json, arbitrary_bytes_are_written_as_valid_utf8)
{
    expect_values(write_texts,
        "{\"of\": {\"a \\\"b\\\"\": \"\\\\ \\n\\t\\u0001\", \"none\": null, \"cheese\": \"K\xEF\xBF\xBDse "
        "\xE2\x99\xA5 \xEF\xBF\xBD\xEF\xBF\xBD\", \"c\": \"\xEF\xBF\xBD\\\"\xC3\xA4\"}}");
}

Test(json, in_html_no_text_can_close_a_script_element)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    mt_json json = mt_json_begin(stream, &mt_json_html);
    mt_json_open(&json, NULL, '{');
    mt_json_text(&json, "</script>", "<!-- & -->");
    mt_json_truth(&json, "yes", true);
    mt_json_truth(&json, "no", false);
    mt_json_close(&json);
    (void)fclose(stream);
    cr_expect_str_eq(text,
        "{\"\\u003c/script\\u003e\": \"\\u003c!-- \\u0026 --\\u003e\",\n\"yes\": true,\n\"no\": false}");
    free(text);
}
