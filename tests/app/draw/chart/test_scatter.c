#include <criterion/criterion.h>

#include "app/draw/chart/scatter.h"
#include "tests/room.h"

#include <math.h>

TestSuite(scatter, .init = enter_room, .fini = leave_room);

/* A line has r = 1 or -1; values of a parabola, symmetric to its vertex, r = 0; a missing value does not count. */
Test(scatter, the_correlation_is_that_of_known_relations)
{
    const double x[] = {-2, -1, 0, 1, 2, 100}, line[] = {5, 3, 1, -1, -3, NAN},
                 parabola[] = {4, 1, 0, 1, 4, NAN}, constant[] = {1, 1, 1, 1, 1, 1};
    cr_expect_float_eq(mt_scatter_correlation(5, x, x), 1, 1e-15);
    cr_expect_float_eq(mt_scatter_correlation(6, x, line), -1, 1e-15);
    cr_expect_float_eq(mt_scatter_correlation(6, x, parabola), 0, 1e-15);
    cr_expect(isnan(mt_scatter_correlation(6, x, constant)));
}

Test(scatter, each_value_is_in_the_bin_of_its_range)
{
    size_t count[MT_SCATTER_BINS];
    const double value[] = {0, 0.99, 1, 8, 15.5, 16, NAN};
    mt_scatter_bins(7, value, 0, 16, count);
    for (size_t k = 0; k < MT_SCATTER_BINS; k++)
        cr_expect_eq(count[k], k == 0 || k == 15 ? 2 : k == 1 || k == 8 ? 1 : 0, "bin %zu: %zu", k, count[k]);
}

static mt_status draw(const double *result, const double *parameter, size_t n_parameters)
{
    const mt_scatter_quantity r = {"latest activation, ms", result},
                              p[MT_SCATTER_PARAMETERS_MAX + 1] = {{"g_Na", parameter}, {"g_K", parameter}};
    return mt_scatter_write("s.png", &(mt_scatter){"Slab", "3 members", 3, 1, n_parameters, &r, p});
}

Test(scatter, pictures_are_written_or_refused_with_the_name_of_the_quantity)
{
    const double y[] = {1, 2, NAN}, x[] = {3, 3, 3}, none[] = {NAN, NAN, NAN}, infinite[] = {1, INFINITY, 2};
    cr_expect_eq(draw(none, x, 1), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "scatter plot: latest activation, ms has no values, or an infinite one; allowed: numbers");
    cr_expect_eq(draw(y, infinite, 2), MT_INPUT);
    cr_expect_eq(draw(y, x, MT_SCATTER_PARAMETERS_MAX + 1), MT_INPUT);
    cr_expect_not(there("s.png"));
    cr_assert_eq(draw(y, x, 2), MT_OK, "%s", mt_message());
    cr_expect(there("s.png"));
    cr_assert_eq(draw(y, x, 0), MT_OK, "%s", mt_message());
}
