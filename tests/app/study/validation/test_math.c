/* Accuracy of the functions on a sample; test_math_slow.c tests every float. */
#include <criterion/criterion.h>

#include "tests/answers.h"
#include "tests/json.h"
#include "tests/app/program.h"

#include <omp.h>

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(math, .init = enter, .fini = leave, .timeout = 120);

#define QUICK "reproduce math --every 10007 --pairs 300000 --format json"

static const struct {
    const char *key;
    double most_ulp; /* largest error over all floats */
    double places;   /* largest distance from the correctly rounded result, in floats */
} functions[] = {{"exp", 1.04, 1}, {"expm1", 1.1, 1}, {"log", 0.87, 1}, {"sqrt", 0.5, 0}, {"divide", 0.5, 0}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

Test(math, no_result_is_more_than_one_float_from_the_nearest_float)
{
    char *text = works(QUICK);
    for (size_t k = 0; k < FUNCTIONS; k++) {
        const char *key = functions[k].key;
        const double largest = json_number(text, key, "largest_error_ulp");
        cr_expect_eq(json_number(text, key, "farther"), 0, "%s", key);
        cr_expect(largest <= functions[k].most_ulp && largest > 0.45, "%s: %g ulp", key, largest);
        cr_expect(json_number(text, key, "nearest_percent") > (functions[k].places > 0 ? 95 : 99.9999999));
        char published[64];
        (void)snprintf(published, sizeof published, "math_%s_places", key);
        cr_expect_eq(json_number(text, published, "published"), 1);
        cr_expect_eq(json_number(text, published, "ours"), functions[k].places, "%s", key);
    }
    free(text);
}

/* Every operand is in exactly one count. */
Test(math, zeros_infinities_nans_and_subnormals_are_counted_separately)
{
    char *text = works(QUICK);
    for (size_t k = 0; k < FUNCTIONS; k++) {
        static const char *const apart[] = {
            "zeros", "infinities", "nans", "flushed", "unflushed", "mismatches"};
        const char *key = functions[k].key;
        double sum = json_number(text, key, "measured");
        for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) sum += json_number(text, key, apart[i]);
        cr_expect_eq(json_number(text, key, "operands"), sum, "%s", key);
        cr_expect_eq(json_number(text, key, "mismatches"), 0, "%s", key);
        cr_expect(json_number(text, key, "subnormal_operands") > 100, "%s", key);
        cr_expect_eq(json_number(text, key, "unflushed"), 0, "%s", key);
        cr_expect(json_number(text, key, "nans") > 100 && json_number(text, key, "infinities") >= 1);
    }
    cr_expect(json_number(text, "exp", "flushed") > 100 && json_number(text, "divide", "flushed") > 100);
    cr_expect_eq(json_number(text, "log", "zeros"), 1);
    free(text);
}

Test(math, the_sample_has_the_requested_floats_and_pairs)
{
    char *fine = works("reproduce math --every 5000 --pairs 1000 --format json"),
         *coarse = works("reproduce math --every 10000 --pairs 70000 --format json"),
         *none = works("reproduce math --every 1000000000 --pairs 1 --format json");
    const double special = json_number(none, "exp", "operands"), of = 4294967296.0;
    cr_expect(special > 20 * 8192 && special < 44 * 8193 + 5, "%g", special);
    cr_expect_float_eq(json_number(fine, "exp", "operands") - special, of / 5000, 200);
    cr_expect_float_eq(json_number(coarse, "log", "operands") - special, of / 10000, 200);
    cr_expect_eq(json_number(fine, "divide", "operands"), 1000);
    cr_expect_eq(json_number(coarse, "divide", "operands"), 70000);
    cr_expect_eq(json_number(none, "divide", "operands"), 1);
    free(fine), free(coarse), free(none);
}

Test(math, the_results_are_equal_for_any_number_of_threads)
{
    char *one = works(QUICK);
    omp_set_num_threads(3);
    char *three = works(QUICK);
    cr_assert_str_eq(one, three);
    free(one), free(three);
}

Test(math, the_picture_is_written)
{
    free(works("reproduce math --every 1000003 --pairs 1000 --picture math.png"));
    cr_assert(there("math.png"));
}

Test(math, invalid_options_are_rejected_before_the_computation)
{
    refuses(2, "--full with --every; allowed: one of them", "reproduce math --full --every 3");
    refuses(2, "--every 0; allowed: a whole number from 1", "reproduce math --every 0");
    refuses(2, "--pairs some; allowed: a whole number from 1", "reproduce math --pairs some");
    refuses(2, "math.jpg", "reproduce math --full --picture math.jpg");
}
