#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "solver/cells/import/cellml_units.h"
#include "tests/answers.h"

static mt_arena arena;
static mt_xml_tree tree;
static mt_cellml_units units;

static void finish(void) { mt_arena_free(&arena); }

TestSuite(cellml_units, .fini = finish);

static mt_status read_units(const char *text)
{
    const mt_scan scan = {.path = "a.xml", .begin = text, .at = text, .end = text + strlen(text), .line = 1};
    ok(mt_xml_tree_read(&arena, &scan, 64, &tree));
    return mt_cellml_units_read(&arena, &tree, &units);
}

/* Checks the factor and the exponents of metre, kilogram and second. */
static void check(size_t scope, const char *name, double factor, double metre, double kilogram, double second)
{
    mt_unit unit;
    ok(mt_cellml_units_find(&units, scope, tree.root, name, &unit));
    cr_assert(unit.known, "%s", name);
    cr_assert(fabs(unit.factor - factor) <= 1e-14 * factor, "%s: %.17g", name, unit.factor);
    cr_assert(unit.exponent[MT_METRE] == metre && unit.exponent[MT_KILOGRAM] == kilogram &&
                  unit.exponent[MT_SECOND] == second,
        "%s", name);
}

Test(cellml_units, units_are_products_of_scaled_powers_in_any_order)
{
    ok(read_units(
        "<model>"
        "<units name='per_ms2'><unit units='ms' exponent='-2'/></units>"
        "<component><units name='ms'><unit units='second' prefix='-6'/></units></component>"
        "<units name='ms'><unit units='second' prefix='milli'/></units>"
        "<units name='minute'><unit units='second' multiplier='60'/></units>"
        "<component><units name='speed'><unit units='ms' exponent='-1'/><unit units='metre' "
        "prefix='centi'/></units></component>"
        "<units name='area'><!-- --><note/><unit units='metre' prefix='centi' exponent='2' multiplier='3'/>"
        "</units>"
        "<units name='root'><unit units='area' exponent='0.5'/></units>"
        "<units name='own' base_units='yes'/>"
        "<units name='per_own'><unit units='own' exponent='-1'/></units>"
        "</model>"));
    check(0, "per_ms2", 1e6, 0, 0, -2);
    check(0, "ms", 1e-3, 0, 0, 1);
    check(1, "ms", 1e-6, 0, 0, 1);
    check(2, "ms", 1e-3, 0, 0, 1);
    check(2, "speed", 10, 1, 0, -1);
    check(0, "minute", 60, 0, 0, 1);
    check(0, "area", 3e-4, 2, 0, 0);
    check(0, "root", sqrt(3e-4), 1, 0, 0);
    check(0, "litre", 1e-3, 3, 0, 0);
    check(1, "newton", 1, 1, 1, -2);
    mt_unit unit;
    ok(mt_cellml_units_find(&units, 0, tree.root, "own", &unit));
    cr_assert(!unit.known);
    ok(mt_cellml_units_find(&units, 0, tree.root, "per_own", &unit));
    cr_assert(!unit.known);
    cr_assert_eq(mt_cellml_units_find(&units, 1, tree.root, "speed", &unit), MT_INPUT);
    assert_message("a.xml:1: <model>: units 'speed' are not defined");
}

Test(cellml_units, every_standard_unit_is_known)
{
    static const char *const names[] = {"ampere", "becquerel", "candela", "celsius", "coulomb",
        "dimensionless", "farad", "gram", "gray", "henry", "hertz", "joule", "katal", "kelvin", "kilogram",
        "liter", "litre", "lumen", "lux", "meter", "metre", "mole", "newton", "ohm", "pascal", "radian",
        "second", "siemens", "sievert", "steradian", "tesla", "volt", "watt", "weber"};
    ok(read_units("<model/>"));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        mt_unit unit;
        ok(mt_cellml_units_find(&units, 0, tree.root, names[k], &unit));
        cr_assert(unit.known, "%s", names[k]);
    }
    mt_unit unit;
    cr_assert_eq(mt_cellml_units_find(&units, 0, tree.root, "mV", &unit), MT_INPUT);
}

Test(cellml_units, prefixes_have_their_factors)
{
    static const struct {
        const char *prefix;
        double factor;
    } cases[] = {{"yotta", 1e24}, {"zetta", 1e21}, {"exa", 1e18}, {"peta", 1e15}, {"tera", 1e12},
        {"giga", 1e9}, {"mega", 1e6}, {"kilo", 1e3}, {"hecto", 1e2}, {"deka", 1e1}, {"deca", 1e1},
        {"deci", 1e-1}, {"centi", 1e-2}, {"milli", 1e-3}, {"micro", 1e-6}, {"nano", 1e-9}, {"pico", 1e-12},
        {"femto", 1e-15}, {"atto", 1e-18}, {"zepto", 1e-21}, {"yocto", 1e-24}, {"0", 1}, {"-12", 1e-12},
        {"+4", 1e4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[128];
        (void)snprintf(text, sizeof text,
            "<model><units name='u'><unit units='second' prefix='%s'/></units></model>", cases[k].prefix);
        ok(read_units(text));
        check(0, "u", cases[k].factor, 0, 0, 1);
    }
}

Test(cellml_units, a_number_has_the_index_of_its_unit)
{
    mt_equations *equations;
    uint32_t first, second, again;
    ok(mt_equations_new(&arena, "a.xml", "test", &equations));
    ok(read_units("<model><units name='u'><unit units='second' prefix='milli'/></units></model>"));
    ok(mt_cellml_units_number(&units, equations, 0, tree.root, "u", &first));
    ok(mt_cellml_units_number(&units, equations, 0, tree.root, "second", &second));
    ok(mt_cellml_units_number(&units, equations, 0, tree.root, "u", &again));
    cr_assert(first != second && first == again && first > 0 && second > 0);
    cr_assert_eq(equations->unit[first].factor, 1e-3);
    cr_assert_eq(mt_cellml_units_number(&units, equations, 0, tree.root, "v", &first), MT_INPUT);
}

Test(cellml_units, wrong_definitions_are_refused_with_line_and_element)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"<model>\n<units/></model>", "a.xml:2: <units>: without a name"},
        {"<model><units name='u'/>\n<units name='u'/></model>", "a.xml:2: <units>: 'u' is defined twice"},
        {"<model><component><units name='u'/>\n<units name='u'/></component></model>",
            "a.xml:2: <units>: 'u' is defined twice"},
        {"<model><units name='u'>\n<unit units='v'/></units></model>",
            "a.xml:2: <unit>: units 'v' are not defined"},
        {"<model><units name='u'>\n<unit/></units></model>", "a.xml:2: <unit>: units '' are not defined"},
        {"<model><component><units name='v'/></component><units name='u'>\n<unit units='v'/></units></model>",
            "a.xml:2: <unit>: units 'v' are not defined"},
        {"<model><units name='u'>\n<unit units='u'/></units></model>",
            "a.xml:2: <unit>: units 'u' are defined by themselves"},
        {"<model><units name='u'><unit units='v'/></units><units name='v'><unit units='volt'/>\n<unit "
         "units='u'/>"
         "</units></model>",
            "a.xml:2: <unit>: units 'u' are defined by themselves"},
        {"<model><units name='u'>\n<unit units='volt' prefix='mili'/></units></model>",
            "a.xml:2: <unit>: prefix 'mili'; allowed: a name such as milli, or an integer"},
        {"<model><units name='u'><unit units='volt' prefix='0.5'/></units></model>",
            "<unit>: prefix '0.5'; allowed: "},
        {"<model><units name='u'><unit units='volt' prefix='301'/></units></model>",
            "<unit>: prefix '301'; allowed: "},
        {"<model><units name='u'>\n<unit units='volt' exponent='a'/></units></model>",
            "a.xml:2: <unit>: exponent 'a'; allowed: a number"},
        {"<model><units name='u'><unit units='volt' multiplier=''/></units></model>",
            "<unit>: multiplier ''; allowed: a number"},
        {"<model><units name='u'><unit units='volt' multiplier='0'/></units></model>",
            "<unit>: multiplier 0; allowed: above 0"},
        {"<model><units name='u'>\n<unit units='kelvin' offset='32'/></units></model>",
            "a.xml:2: <unit>: offset 32; supported: 0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cr_assert_eq(read_units(cases[k].text), MT_INPUT, "%s", cases[k].text);
        assert_message(cases[k].message);
    }
}
