/* Comparison of published numbers with ours. */
#include <criterion/criterion.h>

#include "app/study/validation/comparison.h"
#include "app/study/published.h"
#include "tests/app/program.h"
#include "tests/answers.h"

TestSuite(comparison, .init = enter_room, .fini = leave_room);

static mt_arena arena;

/* Prints the tables as JSON and frees the arena. The caller frees the text. */
static char *printed(const mt_comparison *c)
{
    char *text;
    size_t n;
    FILE *stream = open_memstream(&text, &n);
    mt_table tables[MT_COMPARISON_TABLES];
    ok(mt_tables_print(stream, tables, mt_comparison_tables(c, tables), MT_FORMAT_JSON));
    (void)fclose(stream);
    mt_arena_free(&arena);
    cr_assert(is_json(text), "%s", text);
    return text;
}

Test(comparison, a_published_number_states_its_unit_and_whether_it_is_derived)
{
    mt_published_number p;
    ok(mt_published_find("heart04_pde_sd_1", &p));
    cr_assert(p.low == 5.2 && p.high == 5.2 && !p.derived);
    cr_assert_str_eq(p.unit, "thousand cycles");
    ok(mt_published_find("heart04_seconds_1", &p));
    cr_assert(p.low == 72.7 && p.high == 74.9 && p.derived);
    cr_assert_str_eq(p.unit, "s");
    ok(mt_published_find("heart04_elements", &p));
    cr_assert(p.low == 3031704 && !p.derived);
    cr_assert_str_empty(p.unit);
    ok(mt_published_find("heart04_pde", &p));
    cr_assert(isnan(p.low) && isnan(p.high));
}

/* Published: 238 thousand cycles; 72.7 to 74.9 s, with a mean of 73.8; 25.8 %. */
Test(comparison, differences_are_relative_to_the_mean_and_in_points_for_percentages)
{
    mt_comparison c = mt_comparison_begin(&arena, "both", true);
    ok(mt_comparison_add(&c, "one", "heart04_pde_mean_1", 119, "half"));
    ok(mt_comparison_add(&c, "two", "heart04_seconds_1", 1.1 * 73.8, "tenth"));
    ok(mt_comparison_add(&c, "share", "heart04_share_pde_1", 24.3, "half"));
    ok(mt_comparison_add(&c, "none", "heart04_seconds_pde_a100", NAN, "no"));
    mt_comparison_note(&c, "a note");
    char *json = printed(&c);
    cr_assert_eq(json_number(json, "heart04_pde_mean_1", "published"), 238);
    cr_assert(isnan(json_number(json, "heart04_pde_mean_1", "published_to")) &&
              isnan(json_number(json, "heart04_pde_mean_1", "difference_points")));
    cr_assert_float_eq(json_number(json, "heart04_pde_mean_1", "difference_percent"), -50, 1e-9);
    cr_assert_eq(json_number(json, "heart04_seconds_1", "published_to"), 74.9);
    cr_assert_float_eq(json_number(json, "heart04_seconds_1", "difference_percent"), 10, 1e-9);
    cr_assert_float_eq(json_number(json, "heart04_share_pde_1", "difference_points"), -1.5, 1e-9);
    cr_assert(isnan(json_number(json, "heart04_share_pde_1", "difference_percent")));
    cr_assert(isnan(json_number(json, "heart04_seconds_pde_a100", "ours")) &&
              isnan(json_number(json, "heart04_seconds_pde_a100", "difference_percent")));
    cr_assert_eq(json_number(json, "heart04_seconds_pde_a100", "published"), 28.2);
    cr_assert(
        strstr(json, "\"published\": 238, \"published_to\": null, \"basis\": \"published\""), "%s", json);
    cr_assert(
        strstr(json, "\"published\": 72.7, \"published_to\": 74.9, \"basis\": \"derived\""), "%s", json);
    free(json);
}

Test(comparison, identical_reasons_are_printed_once)
{
    mt_comparison c = mt_comparison_begin(&arena, "both", true);
    char again[] = "first";
    ok(mt_comparison_add(&c, "a", "heart04_pde_mean_1", 1, "first"));
    ok(mt_comparison_add(&c, "b", "heart04_pde_max_1", 1, "second"));
    ok(mt_comparison_add(&c, "c", "heart04_pde_min_1", 1, again));
    mt_comparison_note(&c, "a note");
    char *json = printed(&c);
    cr_assert_eq(json_number(json, "heart04_pde_mean_1", "reason"), 1);
    cr_assert_eq(json_number(json, "heart04_pde_max_1", "reason"), 2);
    cr_assert_eq(json_number(json, "heart04_pde_min_1", "reason"), 1);
    const char *first = strstr(json, "\"first\"");
    cr_assert(first && !strstr(first + 1, "\"first\""), "%s", json);
    cr_assert(strstr(json, "{\"reason\": 2, \"explanation\": \"second\"}"), "%s", json);
    cr_assert(strstr(json, "{\"reason\": null, \"explanation\": \"a note\"}"), "%s", json);
    free(json);
}

Test(comparison, values_that_are_not_comparable_are_omitted)
{
    mt_comparison c = mt_comparison_begin(&arena, "ours", false);
    ok(mt_comparison_add(&c, "a", "heart04_seconds_1", 7, "not printed"));
    char *json = printed(&c);
    cr_assert_eq(json_number(json, "heart04_seconds_1", "ours"), 7);
    static const char *const empty[] = {
        "published", "published_to", "difference_percent", "difference_points", "reason"};
    for (size_t k = 0; k < sizeof empty / sizeof *empty; k++)
        cr_assert(isnan(json_number(json, "heart04_seconds_1", empty[k])));
    cr_assert(!strstr(json, "not printed") && !strstr(json, "Reasons") && strstr(json, "\"basis\": null"),
        "%s", json);
    free(json);
}
