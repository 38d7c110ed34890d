#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/number.h"

Test(number, any_double_is_read_back_bit_identically_and_fits_the_buffer)
{
    uint64_t state = 12345;
    for (int i = 0; i < 100000; i++) {
        char text[MT_NUMBER_SIZE];
        double x, back;
        state = state * 6364136223846793005u + 1442695040888963407u;
        memcpy(&x, &state, sizeof x);
        if (!isfinite(x)) continue;
        mt_number_text(x, text);
        cr_assert_lt(strlen(text), MT_NUMBER_SIZE - 1, "%s", text);
        back = strtod(text, NULL);
        cr_assert_eq(memcmp(&x, &back, sizeof x), 0, "%s", text);
    }
}

Test(number, only_texts_that_are_entirely_a_number_are_read)
{
    static const char *const none[] = {
        "", " 1", "1 ", "1x", "nan", "inf", "0x10", "1e999", "1e", "--1", "1,5"};
    double x = 7;
    cr_expect(mt_number_read("-1.5e-3", &x) && x == -1.5e-3);
    cr_expect(mt_number_read("8", &x) && x == 8);
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        cr_expect_not(mt_number_read(none[k], &x), "'%s'", none[k]);
}

Test(number, numbers_are_written_in_their_shortest_form)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {{0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"}, {0.1 + 0.2, "0.30000000000000004"},
        {-0.0, "-0"}, {1e300, "1e+300"}, {-DBL_MAX, "-1.7976931348623157e+308"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[MT_NUMBER_SIZE];
        mt_number_text(cases[k].x, text);
        cr_assert_str_eq(text, cases[k].text);
    }
}
