/* Every float, and enough divisions to cover all pairs of exponents several times: minutes on many cores. */
#include <criterion/criterion.h>

#include "tests/app/program.h"

TestSuite(math_slow, .init = enter_room, .fini = leave_room, .timeout = 7200);

Test(math_slow, for_every_float_the_result_is_at_most_one_float_from_the_nearest)
{
    static const struct {
        const char *key;
        double most_ulp, operands;
    } functions[] = {{"exp", 1, 4294967296}, {"expm1", 1, 4294967296}, {"log", 1, 4294967296},
        {"sqrt", 0.5, 4294967296}, {"divide", 0.5, 1e9}};
    char *text = works("reproduce math --full --pairs 1000000000 --progress never --format json");
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const char *key = functions[k].key;
        const double largest = json_number(text, key, "largest_error_ulp");
        cr_expect_eq(json_number(text, key, "operands"), functions[k].operands);
        cr_expect(largest <= functions[k].most_ulp, "%s: %g ulp", key, largest);
        cr_expect_eq(json_number(text, key, "farther"), 0, "%s", key);
        cr_expect_eq(json_number(text, key, "mismatches"), 0, "%s", key);
        cr_expect_eq(json_number(text, key, "unflushed"), 0, "%s", key);
    }
    free(text);
}
