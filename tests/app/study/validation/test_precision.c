/* reproduce precision: tabulated evaluation is as accurate as single precision. */
#include <criterion/criterion.h>

#include "tests/json.h"
#include "tests/app/program.h"

TestSuite(precision, .init = enter_room, .fini = leave_room, .timeout = 60);

/* Tables are accurate to 2e-6, and rounding to 6e-8 in each of 50,000 steps: in a beat the sum of the rounding errors is larger. */
Test(precision, tables_add_less_than_a_tenth_to_the_errors_of_single_precision)
{
    static const char *const models[] = {"tp06", "torord"}, *const keys[] = {"v_rms_mv", "v_most_mv",
                                                                "apd90_ms", "calcium_percent"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char *text = works("reproduce precision --model %s --beats 1 --format json", models[m]);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const double single = json_number(text, "single", keys[k]),
                         tabulated = json_number(text, "tabulated", keys[k]);
            cr_expect(single > 0 && tabulated > 0 && tabulated <= 1.1 * single,
                "%s, %s: %g, without tables %g", models[m], keys[k], tabulated, single);
        }
        const double tables = json_number(text, "tabulated", "tables");
        cr_expect(tables > 1e-8 && tables < 3e-6, "%s: %g", models[m], tables);
        free(text);
    }
}

Test(precision, a_model_without_tables_is_compared_in_single_precision_only)
{
    char *text = works("reproduce precision --model mitchell-schaeffer --beats 1 --bcl 500 --format json");
    cr_expect(json_number(text, "single", "v_rms_mv") > 0);
    cr_expect_null(strstr(text, "tabulated"));
    free(text);
    refuses(
        2, "--bcl and --stimulus: start 1, duration 600", "reproduce precision --stimulus 1,600,1 --bcl 500");
}
