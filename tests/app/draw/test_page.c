/* The page that all pictures share: round numbers, and numbers as text. Words, boxes and files are tested with the pictures. */
#include <criterion/criterion.h>

#include <locale.h>
#include <math.h>
#include <string.h>
#include <wchar.h>

#include "app/draw/page.h"
#include "tests/leaks.h"

Test(page, scale_steps_are_round_and_limited_in_number)
{
    static const struct {
        double range, step;
    } known[] = {{45, 5}, {14, 1}, {14.1, 2}, {28, 2}, {29, 5}, {70, 5}, {71, 10}, {140, 10}, {141, 20},
        {1.3, 0.1}, {0, 1}, {NAN, 1}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        cr_assert_float_eq(mt_page_step(known[k].range, 14), known[k].step, 1e-12, "%g gives %g",
            known[k].range, mt_page_step(known[k].range, 14));
    cr_assert_float_eq(mt_page_step(8, 8), 1, 1e-12);
    cr_assert_float_eq(mt_page_step(8.1, 8), 2, 1e-12);
}

Test(page, integers_have_thousands_separators_and_other_numbers_their_digits)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {{0, "0"}, {7, "7"}, {999, "999"}, {1000, "1,000"}, {94208, "94,208"}, {3030123, "3,030,123"},
        {-1234567, "-1,234,567"}, {-100, "-100"}, {0.05, "0.05"}, {2.5, "2.5"}, {1234.5, "1234.5"},
        {1e300, "1e+300"}, {INFINITY, "inf"}, {-999999999999999, "-999,999,999,999,999"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        char text[32];
        mt_page_number(known[k].value, text);
        cr_assert_str_eq(text, known[k].text);
    }
}

static bool is_utf8(const char *text)
{
    mbstate_t state = {0};
    return setlocale(LC_CTYPE, "C.UTF-8") && mbsrtowcs(NULL, &text, 0, &state) != (size_t)-1;
}

Test(page, a_name_that_is_too_wide_keeps_its_start_and_end)
{
    static const char name[] = "a very long name of point 12",
                      umlauts[] = "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
    char text[MT_PAGE_SHORT], endless[1000];
    mt_page page;
    cr_assert_eq(mt_page_begin(&page), MT_OK);
    mt_page_shorten(&page, 11, 1000, name, text);
    cr_expect_str_eq(text, name);
    mt_page_shorten(&page, 11, 90, name, text);
    cr_expect(text[0] == 'a' && strstr(text, "\u2026") && strcmp(text + strlen(text) - 8, "point 12") == 0,
        "%s", text);
    cr_expect_leq(mt_page_width(&page, 11, text), 90);
    for (double room = 60; room > 0; room--) {
        mt_page_shorten(&page, 11, room, umlauts, text);
        cr_assert(is_utf8(text) && mt_page_width(&page, 11, text) <= room, "%g: %s", room, text);
    }
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    mt_page_shorten(&page, 11, 1e6, endless, text);
    cr_expect(strlen(text) < MT_PAGE_SHORT && strstr(text, "\u2026"), "%s", text);
    cr_expect_eq(mt_page_end(&page, MT_INPUT, "unused.png"), MT_INPUT);
}
