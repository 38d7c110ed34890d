#include "solver/cells/graph/units.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const mt_unit mt_unit_none = {.known = true, .factor = 1};
const mt_unit mt_unit_unknown = {.known = false};

static const double tolerance = 1e-6; /* relative, of factors; absolute, of exponents */

static const struct {
    const char *name, *symbol;
    double factor;
} prefixes[] = {
    {"quetta", "Q", 1e30},
    {"ronna", "R", 1e27},
    {"yotta", "Y", 1e24},
    {"zetta", "Z", 1e21},
    {"exa", "E", 1e18},
    {"peta", "P", 1e15},
    {"tera", "T", 1e12},
    {"giga", "G", 1e9},
    {"mega", "M", 1e6},
    {"kilo", "k", 1e3},
    {"hecto", "h", 1e2},
    {"deca", "da", 1e1},
    {"deka", "da", 1e1},
    {"deci", "d", 1e-1},
    {"centi", "c", 1e-2},
    {"milli", "m", 1e-3},
    {"micro", "u", 1e-6},
    {"micro", "\302\265", 1e-6}, /* U+00B5, micro sign */
    {"micro", "\316\274", 1e-6}, /* U+03BC, Greek letter */
    {"nano", "n", 1e-9},
    {"pico", "p", 1e-12},
    {"femto", "f", 1e-15},
    {"atto", "a", 1e-18},
    {"zepto", "z", 1e-21},
    {"yocto", "y", 1e-24},
    {"ronto", "r", 1e-27},
    {"quecto", "q", 1e-30},
};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* Units with one or two names; the second is a symbol where there is one. */
static const struct {
    const char *name, *symbol;
    bool prefixed; /* takes prefixes */
    double factor;
    int8_t exponent[MT_BASE_UNITS];
} units[] = {
    {"dimensionless", "unitless", false, 1, {0}},
    {"metre", "m", true, 1, {1}},
    {"meter", NULL, true, 1, {1}},
    {"gram", "g", true, 1e-3, {0, 1}},
    {"second", "s", true, 1, {0, 0, 1}},
    {NULL, "sec", true, 1, {0, 0, 1}},
    {"ampere", "A", true, 1, {0, 0, 0, 1}},
    {"kelvin", "K", true, 1, {0, 0, 0, 0, 1}},
    {"celsius", NULL, true, 1, {0, 0, 0, 0, 1}}, /* without its offset: as a difference of temperatures */
    {"mole", "mol", true, 1, {0, 0, 0, 0, 0, 1}},
    {"candela", "cd", true, 1, {0, 0, 0, 0, 0, 0, 1}},
    {"radian", "rad", true, 1, {0}},
    {"steradian", "sr", true, 1, {0}},
    {"hertz", "Hz", true, 1, {0, 0, -1}},
    {"becquerel", "Bq", true, 1, {0, 0, -1}},
    {"newton", "N", true, 1, {1, 1, -2}},
    {"pascal", "Pa", true, 1, {-1, 1, -2}},
    {"joule", "J", true, 1, {2, 1, -2}},
    {"watt", "W", true, 1, {2, 1, -3}},
    {"coulomb", "C", true, 1, {0, 0, 1, 1}},
    {"volt", "V", true, 1, {2, 1, -3, -1}},
    {"farad", "F", true, 1, {-2, -1, 4, 2}},
    {"ohm", "Ohm", true, 1, {2, 1, -3, -2}},
    {NULL, "R", true, 1, {2, 1, -3, -2}},
    {NULL, "\316\251", true, 1, {2, 1, -3, -2}},     /* U+03A9, Greek letter */
    {NULL, "\342\204\246", true, 1, {2, 1, -3, -2}}, /* U+2126, ohm sign */
    {"siemens", "S", true, 1, {-2, -1, 3, 2}},
    {"weber", "Wb", true, 1, {2, 1, -2, -1}},
    {"tesla", "T", true, 1, {0, 1, -2, -1}},
    {"henry", "H", true, 1, {2, 1, -2, -2}},
    {"lumen", "lm", true, 1, {0, 0, 0, 0, 0, 0, 1}},
    {"lux", "lx", true, 1, {-2, 0, 0, 0, 0, 0, 1}},
    {"gray", "Gy", true, 1, {2, 0, -2}},
    {"sievert", "Sv", true, 1, {2, 0, -2}},
    {"katal", "kat", true, 1, {0, 0, -1, 0, 0, 1}},
    {"litre", "L", true, 1e-3, {3}},
    {"liter", "l", true, 1e-3, {3}},
    {"molar", "M", true, 1e3, {-3, 0, 0, 0, 0, 1}},
    {"minute", "min", false, 60, {0, 0, 1}},
    {"hour", "h", false, 3600, {0, 0, 1}},
    {"day", NULL, false, 86400, {0, 0, 1}},
};
enum { UNITS = sizeof units / sizeof *units };

/* ---- arithmetic ---- */

/* Returns a unit, or the unknown one if its factor is outside the range of numbers. */
static mt_unit checked(mt_unit unit)
{
    return unit.known && isfinite(unit.factor) && unit.factor > 0 ? unit : mt_unit_unknown;
}

mt_unit mt_unit_times(mt_unit a, mt_unit b)
{
    if (!a.known || !b.known) return mt_unit_unknown;
    a.factor *= b.factor;
    for (size_t k = 0; k < MT_BASE_UNITS; k++) a.exponent[k] += b.exponent[k];
    return checked(a);
}

mt_unit mt_unit_power(mt_unit a, double exponent)
{
    if (!a.known || !isfinite(exponent)) return mt_unit_unknown;
    a.factor = pow(a.factor, exponent);
    for (size_t k = 0; k < MT_BASE_UNITS; k++) a.exponent[k] *= exponent;
    return checked(a);
}

mt_unit mt_unit_scaled(mt_unit a, double factor)
{
    a.factor *= factor;
    return checked(a);
}

bool mt_unit_same_dimension(mt_unit a, mt_unit b)
{
    if (!a.known || !b.known) return true;
    for (size_t k = 0; k < MT_BASE_UNITS; k++)
        if (fabs(a.exponent[k] - b.exponent[k]) > tolerance) return false;
    return true;
}

bool mt_unit_same(mt_unit a, mt_unit b)
{
    if (!a.known || !b.known) return true;
    return mt_unit_same_dimension(a, b) && fabs(a.factor - b.factor) <= tolerance * fmax(a.factor, b.factor);
}

bool mt_unit_is_dimensionless(mt_unit a) { return a.known && mt_unit_same_dimension(a, mt_unit_none); }

/* ---- names ---- */

/* True if `text` consists of the `length` bytes at `name`. */
static bool is(const char *text, const char *name, size_t length)
{
    return text && strlen(text) == length && memcmp(text, name, length) == 0;
}

/* Finds a name in the table of units; after a prefix only those that take one. */
static bool find_unit(const char *name, size_t length, bool with_prefix, bool symbols, mt_unit *unit)
{
    for (size_t k = 0; k < UNITS; k++) {
        if (with_prefix && !units[k].prefixed) continue;
        if (!is(units[k].name, name, length) && !(symbols && is(units[k].symbol, name, length))) continue;
        *unit = mt_unit_none;
        unit->factor = units[k].factor;
        for (size_t b = 0; b < MT_BASE_UNITS; b++) unit->exponent[b] = units[k].exponent[b];
        return true;
    }
    return false;
}

/* Finds a unit after a prefix. A full prefix needs a full name. */
static bool find_with_prefix(const char *name, size_t length, const char *prefix, bool symbols, mt_unit *unit)
{
    const size_t n = strlen(prefix);
    return n < length && memcmp(prefix, name, n) == 0 && find_unit(name + n, length - n, true, symbols, unit);
}

bool mt_unit_named(const char *name, size_t length, mt_unit *unit)
{
    *unit = mt_unit_unknown;
    if (find_unit(name, length, false, true, unit)) return true;
    for (size_t k = 0; k < PREFIXES; k++) {
        if (!find_with_prefix(name, length, prefixes[k].name, false, unit) &&
            !find_with_prefix(name, length, prefixes[k].symbol, true, unit))
            continue;
        *unit = mt_unit_scaled(*unit, prefixes[k].factor);
        return true;
    }
    return false;
}

double mt_unit_prefix(const char *name, size_t length)
{
    for (size_t k = 0; k < PREFIXES; k++)
        if (is(prefixes[k].name, name, length) || is(prefixes[k].symbol, name, length))
            return prefixes[k].factor;
    return 0;
}

/* ---- products ---- */

enum { TEXT = 256, EXPONENT_MOST = 64 };

static void skip_space(const char **at)
{
    while (**at == ' ' || **at == '\t') (*at)++;
}

/* Skips this text if it is next. */
static bool skip(const char **at, const char *text)
{
    const size_t n = strlen(text);
    if (strncmp(*at, text, n) != 0) return false;
    *at += n;
    return true;
}

static bool starts_number(const char *at)
{
    return isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));
}

/* Reads a decimal number without sign. */
static bool read_number(const char **at, double *value)
{
    if (!starts_number(*at)) return false;
    char *end;
    *value = (*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X') ? NAN : strtod(*at, &end);
    if (!isfinite(*value)) return false;
    *at = end;
    return true;
}

/* Reads the exponent after "^" or "**": a number with sign, in parentheses or not. */
static bool read_exponent(const char **at, double *exponent)
{
    skip_space(at);
    const bool inside = skip(at, "(");
    if (inside) skip_space(at);
    const double sign = skip(at, "-") ? -1 : 1;
    if (sign > 0) (void)skip(at, "+");
    if (!read_number(at, exponent)) return false;
    *exponent *= sign;
    if (inside) skip_space(at);
    return (!inside || skip(at, ")")) && fabs(*exponent) <= EXPONENT_MOST;
}

/* True at a multiplication sign of Unicode: U+00B7, middle dot, or U+22C5, dot operator. */
static bool at_dot(const char *at)
{
    return strncmp(at, "\302\267", 2) == 0 || strncmp(at, "\342\213\205", 3) == 0;
}

static bool in_name(const char *at)
{
    return (isalpha((unsigned char)*at) || *at == '_' || (unsigned char)*at >= 0x80) && !at_dot(at);
}

static bool read_product(const char **at, mt_unit *unit);

/* Reads a number, a name or a product in parentheses, without its exponent. A name can end with one: "cm2". */
static bool read_factor(const char **at, mt_unit *unit)
{
    double value;
    if (read_number(at, &value)) {
        *unit = mt_unit_scaled(mt_unit_none, value);
        return unit->known;
    }
    if (skip(at, "(")) {
        if (!read_product(at, unit)) return false;
        skip_space(at);
        return skip(at, ")");
    }
    const char *name = *at;
    while (in_name(*at)) (*at)++;
    if (*at == name || !mt_unit_named(name, (size_t)(*at - name), unit)) return false;
    const bool exponent = starts_number(*at) || (**at == '-' && starts_number(*at + 1));
    if (exponent && !read_exponent(at, &value)) return false;
    if (exponent) *unit = mt_unit_power(*unit, value);
    return true;
}

static bool read_term(const char **at, mt_unit *unit)
{
    skip_space(at);
    if (!read_factor(at, unit)) return false;
    const char *after = *at;
    skip_space(&after);
    if (skip(&after, "^") || skip(&after, "**")) {
        double exponent;
        if (!read_exponent(&after, &exponent)) return false;
        *at = after;
        *unit = mt_unit_power(*unit, exponent);
    }
    return unit->known;
}

/* Reads terms until the end of the text or a closing parenthesis. Signs apply from left to right; a missing one is a multiplication. */
static bool read_product(const char **at, mt_unit *unit)
{
    if (!read_term(at, unit)) return false;
    for (;;) {
        skip_space(at);
        if (!**at || **at == ')') return unit->known;
        const bool divide = skip(at, "/");
        if (!divide && !skip(at, "*") && !skip(at, "\302\267")) (void)skip(at, "\342\213\205");
        mt_unit next;
        if (!read_term(at, &next)) return false;
        *unit = mt_unit_times(*unit, divide ? mt_unit_power(next, -1) : next);
    }
}

bool mt_unit_read(const char *text, size_t length, mt_unit *unit)
{
    char copy[TEXT];
    *unit = mt_unit_unknown;
    if (length >= sizeof copy || memchr(text, 0, length)) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    const char *at = copy;
    mt_unit product;
    if (!read_product(&at, &product) || *at) return false;
    *unit = product;
    return true;
}

void mt_unit_write(mt_unit unit, char *text, size_t size)
{
    static const char *const symbols[MT_BASE_UNITS] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    static const size_t order[MT_BASE_UNITS] = {
        MT_KILOGRAM, MT_METRE, MT_SECOND, MT_AMPERE, MT_KELVIN, MT_MOLE, MT_CANDELA};
    char all[TEXT] = "";
    size_t n = 0;
    const bool scaled = fabs(unit.factor - 1) > tolerance || mt_unit_is_dimensionless(unit);
    if (!unit.known) n += (size_t)snprintf(all, sizeof all, "unknown");
    if (unit.known && scaled) n += (size_t)snprintf(all, sizeof all, "%g", unit.factor);
    for (size_t k = 0; unit.known && k < MT_BASE_UNITS; k++) {
        const double exponent = unit.exponent[order[k]];
        if (fabs(exponent) <= tolerance) continue;
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n ? " " : "", symbols[order[k]]);
        if (fabs(exponent - 1) > tolerance) n += (size_t)snprintf(all + n, sizeof all - n, "^%g", exponent);
    }
    (void)snprintf(text, size, "%s", all);
}
