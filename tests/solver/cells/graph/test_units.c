/* Units as the formats write them, against factors and exponents from the definition of the SI. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/cells/graph/units.h"

static mt_unit of(const char *text)
{
    mt_unit unit;
    cr_assert(mt_unit_read(text, strlen(text), &unit), "%s", text);
    cr_assert(unit.known, "%s", text);
    return unit;
}

static void expect_unit(const char *text, double factor, const double exponent[MT_BASE_UNITS])
{
    const mt_unit unit = of(text);
    cr_expect_float_eq(unit.factor / factor, 1, 1e-12, "%s: %g", text, unit.factor);
    for (size_t k = 0; k < MT_BASE_UNITS; k++)
        cr_expect_float_eq(unit.exponent[k], exponent[k], 1e-12, "%s: exponent %zu", text, k);
}
#define EXPECT(text, factor, ...) expect_unit(text, factor, (const double[MT_BASE_UNITS]){__VA_ARGS__})

static void expect_same(const char *a, const char *b)
{
    cr_expect(mt_unit_same(of(a), of(b)), "%s, %s", a, b);
}

/* ---- names ---- */

Test(units, base_units_have_one_exponent)
{
    EXPECT("metre", 1, 1);
    EXPECT("kilogram", 1, 0, 1);
    EXPECT("second", 1, 0, 0, 1);
    EXPECT("ampere", 1, 0, 0, 0, 1);
    EXPECT("kelvin", 1, 0, 0, 0, 0, 1);
    EXPECT("mole", 1, 0, 0, 0, 0, 0, 1);
    EXPECT("candela", 1, 0, 0, 0, 0, 0, 0, 1);
    EXPECT("dimensionless", 1, 0);
}

/* Each derived unit by its definition from others. */
Test(units, derived_units_agree_with_their_definitions)
{
    static const char *const pairs[][2] = {{"becquerel", "1/s"}, {"hertz", "1/s"}, {"coulomb", "A*s"},
        {"newton", "kg*m/s^2"}, {"pascal", "N/m^2"}, {"joule", "N*m"}, {"watt", "J/s"}, {"volt", "W/A"},
        {"farad", "C/V"}, {"ohm", "V/A"}, {"siemens", "A/V"}, {"weber", "V*s"}, {"tesla", "Wb/m^2"},
        {"henry", "Wb/A"}, {"lumen", "cd*sr"}, {"lux", "lm/m^2"}, {"gray", "J/kg"}, {"sievert", "J/kg"},
        {"katal", "mol/s"}, {"litre", "dm^3"}, {"liter", "dm^3"}, {"gram", "kg (1e-3)"}, {"radian", "m/m"},
        {"steradian", "m^2/m^2"}, {"meter", "metre"}, {"celsius", "K"}, {"molar", "mol/L"}, {"min", "60 s"},
        {"hour", "60 min"}, {"day", "24 h"}, {"mM", "mol/m^3"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) expect_same(pairs[k][0], pairs[k][1]);
    EXPECT("volt", 1, 2, 1, -3, -1);
    EXPECT("farad", 1, -2, -1, 4, 2);
}

Test(units, a_symbol_is_the_unit_of_its_name)
{
    static const char *const pairs[][2] = {{"m", "metre"}, {"s", "second"}, {"A", "ampere"}, {"V", "volt"},
        {"S", "siemens"}, {"F", "farad"}, {"Ohm", "ohm"}, {"R", "ohm"}, {"\316\251", "ohm"},
        {"\342\204\246", "ohm"}, {"C", "coulomb"}, {"J", "joule"}, {"W", "watt"}, {"N", "newton"},
        {"Pa", "pascal"}, {"mol", "mole"}, {"M", "molar"}, {"L", "litre"}, {"l", "litre"}, {"K", "kelvin"},
        {"g", "gram"}, {"Hz", "hertz"}, {"rad", "radian"}, {"sr", "steradian"}, {"T", "tesla"},
        {"Wb", "weber"}, {"H", "henry"}, {"cd", "candela"}, {"lm", "lumen"}, {"lx", "lux"}, {"Gy", "gray"},
        {"Sv", "sievert"}, {"kat", "katal"}, {"Bq", "becquerel"}, {"1", "dimensionless"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) expect_same(pairs[k][0], pairs[k][1]);
}

Test(units, every_prefix_scales_by_name_and_by_symbol)
{
    static const struct {
        const char *name, *symbol;
        int power;
    } all[] = {{"quecto", "q", -30}, {"ronto", "r", -27}, {"yocto", "y", -24}, {"zepto", "z", -21},
        {"atto", "a", -18}, {"femto", "f", -15}, {"pico", "p", -12}, {"nano", "n", -9}, {"micro", "u", -6},
        {"micro", "\302\265", -6}, {"micro", "\316\274", -6}, {"milli", "m", -3}, {"centi", "c", -2},
        {"deci", "d", -1}, {"deca", "da", 1}, {"deka", "da", 1}, {"hecto", "h", 2}, {"kilo", "k", 3},
        {"mega", "M", 6}, {"giga", "G", 9}, {"tera", "T", 12}, {"peta", "P", 15}, {"exa", "E", 18},
        {"zetta", "Z", 21}, {"yotta", "Y", 24}, {"ronna", "R", 27}, {"quetta", "Q", 30}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char text[40];
        const double factor = pow(10, all[k].power);
        (void)snprintf(text, sizeof text, "%svolt", all[k].name);
        EXPECT(text, factor, 2, 1, -3, -1);
        (void)snprintf(text, sizeof text, "%sV", all[k].symbol);
        EXPECT(text, factor, 2, 1, -3, -1);
        (void)snprintf(text, sizeof text, "%svolt", all[k].symbol);
        EXPECT(text, factor, 2, 1, -3, -1);
        cr_expect_float_eq(mt_unit_prefix(all[k].name, strlen(all[k].name)) / factor, 1, 1e-12);
        cr_expect_float_eq(mt_unit_prefix(all[k].symbol, strlen(all[k].symbol)) / factor, 1, 1e-12);
    }
    cr_expect_eq(mt_unit_prefix("", 0), 0);
    cr_expect_eq(mt_unit_prefix("mil", 3), 0);
    cr_expect_eq(mt_unit_prefix("milli", 1), 1e-3); /* the first letter only */
}

Test(units, a_symbol_is_read_before_a_prefix)
{
    EXPECT("m", 1, 1);                    /* not a prefix of nothing */
    EXPECT("cd", 1, 0, 0, 0, 0, 0, 0, 1); /* not a hundredth of a day */
    EXPECT("mol", 1, 0, 0, 0, 0, 0, 1);
    EXPECT("min", 60, 0, 0, 1);
    EXPECT("Pa", 1, -1, 1, -2); /* not peta-annum */
    EXPECT("mm", 1e-3, 1);
    EXPECT("Mm", 1e6, 1);
    EXPECT("mM", 1, -3, 0, 0, 0, 0, 1);
    EXPECT("dam", 10, 1);
}

/* ---- products ---- */

Test(units, products_of_myokit_are_read_from_left_to_right)
{
    EXPECT("mS/uF", 1e3, 0, 0, -1);
    EXPECT("1/ms/mV", 1e6, -2, -1, 2, 1);
    EXPECT("mmol/L", 1, -3, 0, 0, 0, 0, 1);
    EXPECT("cm^2/uA*mM/ms", 1e-4 / 1e-6 / 1e-3, -1, 0, -1, -1, 0, 1);
    EXPECT("cm^2/uA * mM/ms", 1e-4 / 1e-6 / 1e-3, -1, 0, -1, -1, 0, 1);
    EXPECT("s^-3", 1, 0, 0, -3);
    EXPECT("J/mol*K", 1, 2, 1, -2, 0, 1, -1);
    EXPECT("mM^4", 1, -12, 0, 0, 0, 0, 4);
}

Test(units, a_number_in_parentheses_scales_a_unit)
{
    EXPECT("mL (1e-3)", 1e-9, 3);
    EXPECT("m^3 (1e-6)", 1e-6, 3);
    EXPECT("1/ms (2)", 2e3, 0, 0, -1);
    EXPECT("(2.5)", 2.5, 0);
    EXPECT("1 (0.1)", 0.1, 0);
    EXPECT("1e-3 L", 1e-6, 3);
    EXPECT("10^-3 mol", 1e-3, 0, 0, 0, 0, 0, 1);
}

Test(units, products_of_gotran_are_read)
{
    EXPECT("mS*uF**-1", 1e3, 0, 0, -1);
    EXPECT("mM**-1*ms**-1", 1e3, 3, 0, -1, 0, 0, -1);
    EXPECT("l*F**-1*s**-1", 1e-3, 5, 1, -5, -2);
    EXPECT("J*kmole**-1*K**-1", 1e-3, 2, 1, -2, 0, -1, -1);
    EXPECT("nmole*mm**-3", 1, -3, 0, 0, 0, 0, 1);
}

Test(units, exponents_groups_and_blanks_are_flexible)
{
    EXPECT(" ( mmol / L ) ", 1, -3, 0, 0, 0, 0, 1);
    EXPECT("1/(mM*ms)", 1e3, 3, 0, -1, 0, 0, -1);
    EXPECT("(mV/ms)^2", 1, 4, 2, -8, -2);
    EXPECT("A^0.5", 1, 0, 0, 0, 0.5);
    EXPECT("m ^ (-2)", 1, -2);
    EXPECT("m^+2", 1, 2);
    EXPECT("cm2", 1e-4, 2);
    EXPECT("uA cm-2", 1e-2, -2, 0, 0, 1);
    EXPECT("N\302\267m", 1, 2, 1, -2);
    EXPECT("N\342\213\205m", 1, 2, 1, -2);
    EXPECT("((((((m))))))", 1, 1);
}

Test(units, other_texts_are_unknown)
{
    static const char *const texts[] = {"", " ", "a.u.", "arbitrary", "mV*", "/ms", "*m", "mV/", "mV^",
        "mV^a", "(mV", "mV)", "()", "0", "0x10", "m^1e9", "1e300^3", "1e-300^3", "m^100", "millim", "kmin",
        "mmmol", "k", "mV,ms", "-1", "m**", "1e999", "mV^(2"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        mt_unit unit = mt_unit_none;
        cr_expect_not(mt_unit_read(texts[k], strlen(texts[k]), &unit), "%s", texts[k]);
        cr_expect_not(unit.known, "%s", texts[k]);
    }
    char longest[300];
    memset(longest, ' ', sizeof longest);
    longest[0] = 'm';
    mt_unit unit;
    cr_expect(mt_unit_read(longest, 255, &unit));
    cr_expect_not(mt_unit_read(longest, 256, &unit));
    cr_expect_not(mt_unit_read("m\0V", 3, &unit));
    memset(longest, '(', sizeof longest);
    cr_expect_not(mt_unit_read(longest, 255, &unit));
}

Test(units, only_the_given_length_is_read)
{
    mt_unit unit;
    cr_assert(mt_unit_read("mV/ms", 2, &unit));
    cr_expect(mt_unit_same(unit, of("mV")));
    cr_assert(mt_unit_named("mVolt", 2, &unit));
    cr_expect(mt_unit_same(unit, of("mV")));
    cr_expect_not(mt_unit_named("mV", 0, &unit));
    cr_expect_not(mt_unit_named("mV/ms", 5, &unit));
}

/* ---- arithmetic ---- */

Test(units, factors_are_compared_with_a_tolerance)
{
    const mt_unit mV = of("mV");
    cr_expect(mt_unit_same(mV, mt_unit_scaled(mV, 1 + 5e-7)));
    cr_expect_not(mt_unit_same(mV, mt_unit_scaled(mV, 1 + 2e-6)));
    cr_expect_not(mt_unit_same(of("V"), mV));
    cr_expect(mt_unit_same_dimension(of("V"), mV));
    cr_expect_not(mt_unit_same_dimension(of("A"), mV));
    cr_expect(mt_unit_same(mt_unit_power(mt_unit_power(mV, 1 / 3.0), 3), mV));
    cr_expect_not(mt_unit_same(of("yF"), of("zF")));
}

Test(units, an_unknown_unit_fits_every_unit_and_spreads)
{
    const mt_unit unknown = mt_unit_unknown, mV = of("mV");
    cr_expect(mt_unit_same(unknown, mV) && mt_unit_same(mV, unknown));
    cr_expect(mt_unit_same_dimension(unknown, mV));
    cr_expect_not(mt_unit_is_dimensionless(unknown));
    cr_expect_not(mt_unit_times(unknown, mV).known || mt_unit_times(mV, unknown).known);
    cr_expect_not(mt_unit_power(unknown, 2).known || mt_unit_scaled(unknown, 2).known);
}

Test(units, results_outside_the_range_of_numbers_are_unknown)
{
    const mt_unit large = mt_unit_scaled(mt_unit_none, 1e200);
    cr_expect_not(mt_unit_times(large, large).known);
    cr_expect_not(mt_unit_power(large, -2).known);
    cr_expect_not(mt_unit_power(large, NAN).known);
    cr_expect_not(mt_unit_scaled(large, 0).known);
    cr_expect_not(mt_unit_scaled(large, -1).known);
}

Test(units, a_ratio_is_dimensionless_with_a_factor)
{
    cr_expect(mt_unit_is_dimensionless(of("mV/V")));
    cr_expect_not(mt_unit_same(of("mV/V"), mt_unit_none));
    cr_expect_not(mt_unit_is_dimensionless(of("mV")));
}

static void expect_text(mt_unit unit, const char *text)
{
    char written[100];
    mt_unit_write(unit, written, sizeof written);
    cr_expect_str_eq(written, text);
}

Test(units, a_unit_is_written_in_base_units)
{
    expect_text(of("mV"), "0.001 kg m^2 s^-3 A^-1");
    expect_text(of("m"), "m");
    expect_text(of("A^0.5"), "A^0.5");
    expect_text(mt_unit_none, "1");
    expect_text(of("mV/V"), "0.001");
    expect_text(mt_unit_unknown, "unknown");
    char cut[5];
    mt_unit_write(of("mV"), cut, sizeof cut);
    cr_expect_str_eq(cut, "0.00");
}

Test(units, a_written_unit_is_read_as_the_same)
{
    static const char *const texts[] = {"mV", "mS/uF", "L/F/ms", "lx", "K", "dimensionless", "mV/V"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char written[100];
        mt_unit_write(of(texts[k]), written, sizeof written);
        expect_same(texts[k], written);
    }
}
