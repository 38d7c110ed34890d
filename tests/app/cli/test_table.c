#include <criterion/criterion.h>

#include "app/cli/table.h"
#include "tests/app/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the printed tables as one text; the caller frees it. */
static char *printed(const mt_table *tables, size_t n, bool as_document, mt_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    mt_status status =
        as_document ? mt_tables_print(stream, tables, n, format) : mt_table_print(stream, tables, format);
    fclose(stream);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    return text;
}

static void expect(const mt_table *tables, size_t n, bool as_document, mt_format format, const char *expected)
{
    char *text = printed(tables, n, as_document, format);
    cr_assert_str_eq(text, expected, "printed:\n%s\nexpected:\n%s", text, expected);
    free(text);
}

static mt_table costs(mt_arena *arena)
{
    mt_table t = mt_table_begin(arena, "costs", "Cost of a \"step\"");
    mt_table_strings(&t, "scheme", "scheme");
    mt_table_decimals(&t, "cycles", "Cycles", "", 0);
    mt_table_digits(&t, "time_us", "time", "\u00b5s", 3);
    mt_table_text(&t, "exact"), mt_table_number(&t, 1234567), mt_table_number(&t, 17.0666);
    mt_table_text(&t, "full, \"old\""), mt_table_number(&t, NAN), mt_table_number(&t, 0.1);
    mt_table_text(&t, NULL), mt_table_number(&t, -3), mt_table_number(&t, 1e-9);
    return t;
}

Test(table, text_aligns_columns_below_names_and_units)
{
    mt_arena arena = {0};
    mt_table t = costs(&arena);
    expect(&t, 1, false, MT_FORMAT_TEXT,
        "Cost of a \"step\"\n"
        "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
        "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\n"
        "scheme        Cycles   time\n"
        "                         \u00b5s\n"
        "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
        "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\n"
        "exact        1234567   17.1\n"
        "full, \"old\"        -    0.1\n"
        "-                 -3  1e-09\n"
        "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
        "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\n");
    mt_arena_free(&arena);
}

Test(table, json_has_keys_all_digits_and_escapes)
{
    mt_arena arena = {0};
    mt_table t = costs(&arena);
    expect(&t, 1, false, MT_FORMAT_JSON,
        "[{\n"
        "  \"table\": \"costs\",\n"
        "  \"title\": \"Cost of a \\\"step\\\"\",\n"
        "  \"columns\": [\n"
        "    {\"key\": \"scheme\", \"label\": \"scheme\", \"unit\": \"\"},\n"
        "    {\"key\": \"cycles\", \"label\": \"Cycles\", \"unit\": \"\"},\n"
        "    {\"key\": \"time_us\", \"label\": \"time\", \"unit\": \"\u00b5s\"}],\n"
        "  \"rows\": [\n"
        "    {\"scheme\": \"exact\", \"cycles\": 1234567, \"time_us\": 17.0666},\n"
        "    {\"scheme\": \"full, \\\"old\\\"\", \"cycles\": null, \"time_us\": 0.1},\n"
        "    {\"scheme\": null, \"cycles\": -3, \"time_us\": 1e-09}]\n"
        "}]\n");
    mt_arena_free(&arena);
}

Test(table, csv_has_keys_in_the_header_and_quotes_where_needed)
{
    mt_arena arena = {0};
    mt_table t = costs(&arena);
    expect(&t, 1, false, MT_FORMAT_CSV,
        "scheme,cycles,time_us\n"
        "exact,1234567,17.0666\n"
        "\"full, \"\"old\"\"\",,0.1\n"
        ",-3,1e-09\n");
    mt_arena_free(&arena);
}

static mt_table tiny(mt_arena *arena, const char *title, double value)
{
    mt_table t = mt_table_begin(arena, "tiny", title);
    mt_table_decimals(&t, "n_mm", "n", "mm", 1);
    if (!isnan(value)) mt_table_number(&t, value);
    return t;
}

Test(table, several_tables_are_printed_as_one_document)
{
    mt_arena arena = {0};
    mt_table t[2] = {tiny(&arena, "one", 2.25), tiny(&arena, "two", NAN)};
    expect(t, 2, true, MT_FORMAT_TEXT,
        "one\n\u2500\u2500\u2500\n  n\n mm\n\u2500\u2500\u2500\n2.2\n\u2500\u2500\u2500\n"
        "\ntwo\n\u2500\u2500\n n\nmm\n\u2500\u2500\n\u2500\u2500\n");
    expect(t, 2, true, MT_FORMAT_CSV, "# tiny: one\nn_mm\n2.25\n\n# tiny: two\nn_mm\n");
    expect(t, 2, true, MT_FORMAT_JSON,
        "[{\n  \"table\": \"tiny\",\n  \"title\": \"one\",\n  \"columns\": [\n"
        "    {\"key\": \"n_mm\", \"label\": \"n\", \"unit\": \"mm\"}],\n  \"rows\": [\n"
        "    {\"n_mm\": 2.25}]\n},\n"
        "{\n  \"table\": \"tiny\",\n  \"title\": \"two\",\n  \"columns\": [\n"
        "    {\"key\": \"n_mm\", \"label\": \"n\", \"unit\": \"mm\"}],\n  \"rows\": []\n}]\n");
    expect(t, 0, true, MT_FORMAT_JSON, "[]\n");
    mt_arena_free(&arena);
}

/* The key is for programs; the label, indented by its depth, for people. */
Test(table, an_item_is_printed_as_key_in_csv_and_json_and_as_label_in_text)
{
    mt_arena arena = {0};
    mt_table t = mt_table_begin(&arena, "memory", "Memory");
    mt_table_strings(&t, "item", "what");
    mt_table_decimals(&t, "n_bytes", "n", "bytes", 0);
    mt_table_item(&t, "all", "all of it", 0), mt_table_number(&t, 30);
    mt_table_item(&t, "code", "program code", 1), mt_table_number(&t, 10);
    char *text = printed(&t, 1, false, MT_FORMAT_TEXT);
    cr_assert(strstr(text, "\nall of it          30\n  program code     10\n"), "%s", text);
    free(text);
    expect(&t, 1, false, MT_FORMAT_CSV, "item,n_bytes\nall,30\ncode,10\n");
    text = printed(&t, 1, false, MT_FORMAT_JSON);
    cr_assert(strstr(text, "{\"item\": \"code\", \"n_bytes\": 10}"), "%s", text);
    free(text);
    mt_arena_free(&arena);
}

Test(table, properties_are_one_object_of_keys_and_values)
{
    mt_arena arena = {0};
    mt_table t = mt_table_properties(&arena, "mesh", "a.hdf");
    mt_table_property(&t, "volume_mm3", "volume", 0.1, "mm^3");
    mt_table_property(&t, "angle_deg", "worst angle", NAN, "deg");
    mt_table_property_text(&t, "fibres", "fibres", "yes, \"alike\"");
    expect(&t, 1, false, MT_FORMAT_JSON,
        "[{\n  \"table\": \"mesh\",\n  \"title\": \"a.hdf\",\n"
        "  \"properties\": {\"volume_mm3\": 0.1, \"angle_deg\": null, \"fibres\": \"yes, "
        "\\\"alike\\\"\"}\n}]\n");
    expect(&t, 1, false, MT_FORMAT_CSV,
        "key,value,unit\nvolume_mm3,0.1,mm^3\nangle_deg,,deg\nfibres,\"yes, \"\"alike\"\"\",\n");
    char *text = printed(&t, 1, false, MT_FORMAT_TEXT);
    cr_assert(strstr(text, "\nproperty            value  unit\n") &&
                  strstr(text, "\nworst angle             -  deg\n"),
        "%s", text);
    free(text);
    mt_arena_free(&arena);
}

Test(table, json_is_valid_for_arbitrary_texts)
{
    mt_arena arena = {0};
    mt_table t[2] = {mt_table_begin(&arena, "odd", "a\\b\"c\"\n\t\x01 end"), costs(&arena)};
    mt_table_strings(&t[0], "label", "label \"quoted\"");
    mt_table_digits(&t[0], "x_percent", "x", "%", 3);
    mt_table_text(&t[0], "\x1f\r\\"), mt_table_number(&t[0], INFINITY);
    mt_table_text(&t[0], ""), mt_table_number(&t[0], -0.1234567890123456789e-300);
    char *text = printed(t, 2, true, MT_FORMAT_JSON);
    cr_assert(is_json(text), "no JSON:\n%s", text);
    cr_assert_null(strstr(text, "inf"));
    free(text);
    mt_arena_free(&arena);
}

Test(table, csv_round_trips_doubles_exactly)
{
    static const double numbers[] = {
        0.1, 1.0 / 3, 1e300, 5e-324, 123456789012345678.0, -2.5e-7, 1.0000000000000002};
    mt_arena arena = {0};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        mt_table t = tiny(&arena, "", numbers[k]);
        char *text = printed(&t, 1, false, MT_FORMAT_CSV);
        cr_assert_eq(strtod(strchr(text, '\n'), NULL), numbers[k], "%s is not %.17g", text, numbers[k]);
        free(text);
    }
    mt_arena_free(&arena);
}

Test(table, incomplete_rows_and_columns_added_after_rows_are_rejected)
{
    mt_arena arena = {0};
    mt_table t = costs(&arena);
    mt_table_text(&t, "alone");
    cr_assert_eq(mt_table_print(stdout, &t, MT_FORMAT_TEXT), MT_INPUT);
    cr_assert(strstr(mt_message(), "10 values"), "%s", mt_message());
    mt_table late = tiny(&arena, "late", 1);
    mt_table_strings(&late, "more", "more");
    mt_table_number(&late, 2);
    cr_assert_eq(mt_tables_print(stdout, &late, 1, MT_FORMAT_CSV), MT_INPUT);
    mt_arena_free(&arena);
}

Test(table, a_full_output_stream_is_a_failure)
{
    mt_arena arena = {0};
    mt_table t = costs(&arena);
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    cr_assert_eq(mt_table_print(full, &t, MT_FORMAT_TEXT), MT_FILE);
    fclose(full);
    mt_arena_free(&arena);
}

/* 100 rows make the array of values grow several times. */
static mt_status fill_and_print(mt_arena *arena, FILE *stream)
{
    mt_table t = mt_table_begin(arena, "many", "Many");
    mt_table_strings(&t, "a", "first");
    mt_table_digits(&t, "b_s", "second", "s", 3);
    for (int k = 0; k < 100; k++) mt_table_text(&t, "x"), mt_table_number(&t, k);
    return mt_table_print(stream, &t, MT_FORMAT_CSV);
}

/* Row k of the 100 is "x,k". */
Test(table, a_long_table_keeps_all_its_values)
{
    mt_arena arena = {0};
    char *text, *save, row[16];
    size_t n;
    FILE *stream = open_memstream(&text, &n);
    cr_assert_eq(fill_and_print(&arena, stream), MT_OK, "%s", mt_message());
    (void)fclose(stream);
    char *line = strtok_r(strstr(text, "a,b_s"), "\n", &save);
    for (int k = 0; k < 100; k++) {
        (void)snprintf(row, sizeof row, "x,%d", k);
        cr_assert((line = strtok_r(NULL, "\n", &save)) != NULL);
        cr_assert_str_eq(line, row);
    }
    cr_assert_null(strtok_r(NULL, "\n", &save));
    free(text);
    mt_arena_free(&arena);
}

Test(table, every_failed_allocation_is_returned_as_a_status)
{
    FILE *nowhere = fopen("/dev/null", "w");
    size_t n = 1;
    for (; n < 1000; n++) {
        mt_arena arena = {0};
        mt_arena_fail_at(n);
        mt_status status = fill_and_print(&arena, nowhere);
        mt_arena_free(&arena);
        if (status == MT_OK) break;
        cr_assert_eq(status, MT_MEMORY);
    }
    cr_assert(n > 100 && n < 1000, "%zu", n);
    mt_arena_fail_at(0);
    fclose(nowhere);
}

/* Returns the number of characters of the widest line. */
static size_t widest(const char *text)
{
    size_t most = 0, n = 0;
    for (; *text; text++) {
        n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xC0) != 0x80);
        if (n > most) most = n;
    }
    return most;
}

static void expect_narrow(const mt_table *table, const char *const *shown, size_t n_shown)
{
    char *text = printed(table, 1, false, MT_FORMAT_TEXT);
    cr_assert_leq(widest(text), 100, "%zu characters:\n%s", widest(text), text);
    for (size_t k = 0; k < n_shown; k++)
        cr_assert(strstr(text, shown[k]), "\"%s\" is missing in:\n%s", shown[k], text);
    free(text);
}

Test(table, headings_are_wrapped_if_the_table_is_too_wide)
{
    mt_arena arena = {0};
    mt_table t = mt_table_begin(&arena, "wide", "Wide");
    mt_table_strings(&t, "name", "name");
    for (int k = 0; k < 7; k++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", k);
        mt_table_decimals(&t, key, "share of all tile memory", "%", 1);
    }
    mt_table_text(&t, "row");
    for (int k = 0; k < 7; k++) mt_table_number(&t, 10 + k);
    expect_narrow(&t, (const char *const[]){"memory", "row", "10.0", "16.0"}, 4);
    mt_arena_free(&arena);
}

Test(table, long_texts_are_wrapped_at_blanks_or_within_words)
{
    mt_arena arena = {0};
    char name[301];
    memset(name, 'a', 300), name[300] = 0;
    mt_table t = mt_table_begin(&arena, "texts", name);
    mt_table_strings(&t, "file", "file");
    mt_table_strings(&t, "why", "why");
    mt_table_decimals(&t, "n", "n", "", 0);
    mt_table_text(&t, name),
        mt_table_text(&t, "a value that is said in many words, of which each stays whole here and there "
                          "\u00b5\u00b5\u00b5"),
        mt_table_number(&t, 12345);
    expect_narrow(&t, (const char *const[]){"many words", "12345", "\u00b5\u00b5\u00b5"}, 3);
    t = mt_table_properties(&arena, "properties", "Properties");
    mt_table_property(&t, "number", "a number", 1234567.8, "mm");
    mt_table_property_text(&t, "path", "a path", name);
    expect_narrow(&t, (const char *const[]){"1234567.8"}, 1);
    mt_arena_free(&arena);
}

Test(table, tables_with_too_many_columns_are_split_and_repeat_the_first_column)
{
    mt_arena arena = {0};
    mt_table t = mt_table_begin(&arena, "parts", "Parts");
    mt_table_strings(&t, "name", "name");
    for (int k = 1; k < MT_TABLE_COLUMNS_MAX; k++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", k);
        mt_table_decimals(&t, key, key, "mm", 6);
    }
    mt_table_text(&t, "first-row");
    for (int k = 1; k < MT_TABLE_COLUMNS_MAX; k++) mt_table_number(&t, 100000 + k);
    expect_narrow(&t, (const char *const[]){"100001.000000", "100015.000000", "k15"}, 3);
    char *text = printed(&t, 1, false, MT_FORMAT_TEXT), *second = strstr(text, "first-row") + 1;
    cr_expect(strstr(second, "first-row"), "%s", text);
    free(text);
    mt_arena_free(&arena);
}
