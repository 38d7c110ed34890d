#include "solver/cells/import/cellml_units.h"

#include <math.h>
#include <string.h>

#include "data/core/number.h"
#include "data/core/utf8.h"

typedef mt_xml_element element;

/* The standard units come first in the table. */
static const char *const standard[] = {"ampere", "becquerel", "candela", "celsius", "coulomb",
    "dimensionless", "farad", "gram", "gray", "henry", "hertz", "joule", "katal", "kelvin", "kilogram",
    "liter", "litre", "lumen", "lux", "meter", "metre", "mole", "newton", "ohm", "pascal", "radian", "second",
    "siemens", "sievert", "steradian", "tesla", "volt", "watt", "weber"};
enum { STANDARD = sizeof standard / sizeof *standard };

typedef enum progress { NEW, OPEN, DONE } progress;

typedef struct mt_cellml_unit {
    const element *element; /* NULL: a standard unit */
    size_t scope;
    mt_unit unit;
    progress progress;
    const element *next; /* its next <unit> to be multiplied */
    bool numbered;
    uint32_t number; /* index in the equations */
} cellml_unit;

static bool is(const element *e, const char *name) { return strcmp(e->name, name) == 0; }

/* ---- the table ---- */

static mt_status add_standard(mt_cellml_units *units)
{
    for (size_t k = 0; k < STANDARD; k++) {
        cellml_unit *u = &units->unit[units->n];
        u->progress = DONE;
        if (!mt_unit_named(standard[k], strlen(standard[k]), &u->unit)) u->unit = mt_unit_unknown;
        MT_TRY(mt_scoped_names_add(
            units->arena, &units->names, SIZE_MAX, standard[k], strlen(standard[k]), units->n++));
    }
    return MT_OK;
}

static mt_status add(mt_cellml_units *units, const element *e, size_t scope)
{
    const char *name = mt_xml_tree_attribute(e, "name", "");
    if (!*name) return mt_xml_tree_fail(units->tree, e, "without a name");
    const size_t length = strlen(name);
    if (mt_scoped_names_find(&units->names, scope, name, length))
        return mt_xml_tree_fail(units->tree, e, "'%s' is defined twice", mt_utf8_shown(name));
    MT_TRY(mt_scoped_names_add(units->arena, &units->names, scope, name, length, units->n));
    units->unit[units->n++] =
        (cellml_unit){.element = e, .scope = scope, .unit = mt_unit_none, .next = e->first};
    return MT_OK;
}

/* Calls `act` for the units of the model and of its components; only counts them if `units` is NULL. */
static mt_status for_each(const mt_xml_tree *tree, mt_cellml_units *units, size_t *n)
{
    size_t scope = 0;
    *n = 0;
    for (const element *e = tree->root->first; e; e = e->next) {
        if (is(e, "units")) {
            ++*n;
            if (units) MT_TRY(add(units, e, 0));
        }
        if (!is(e, "component")) continue;
        scope++;
        for (const element *own = e->first; own; own = own->next) {
            if (!is(own, "units")) continue;
            ++*n;
            if (units) MT_TRY(add(units, own, scope));
        }
    }
    return MT_OK;
}

/* Finds units of a component, of the model, or standard ones, in this order. NULL if there are none. */
static cellml_unit *find(const mt_cellml_units *units, size_t scope, const char *name)
{
    size_t index;
    if (mt_scoped_names_value(&units->names, scope, name, &index) ||
        mt_scoped_names_value(&units->names, 0, name, &index) ||
        mt_scoped_names_value(&units->names, SIZE_MAX, name, &index))
        return &units->unit[index];
    return NULL;
}

/* The same; an error at the element that names them, if there are none. */
static mt_status need(
    const mt_cellml_units *units, size_t scope, const element *e, const char *name, cellml_unit **found)
{
    *found = find(units, scope, name);
    if (*found) return MT_OK;
    return mt_xml_tree_fail(units->tree, e, "units '%s' are not defined", mt_utf8_shown(name));
}

/* ---- resolution ---- */

static mt_status read_attribute(
    const mt_cellml_units *units, const element *e, const char *name, double missing, double *value)
{
    const char *text = mt_xml_tree_attribute(e, name, NULL);
    *value = missing;
    if (!text || mt_number_read(text, value)) return MT_OK;
    return mt_xml_tree_fail(units->tree, e, "%s '%s'; allowed: a number", name, mt_utf8_shown(text));
}

static mt_status read_prefix(const mt_cellml_units *units, const element *e, double *prefix)
{
    const char *text = mt_xml_tree_attribute(e, "prefix", "0");
    double power;
    *prefix = mt_unit_prefix(text, strlen(text));
    if (*prefix > 0) return MT_OK;
    if (mt_number_read(text, &power) && power == floor(power) && fabs(power) <= 300) {
        *prefix = pow(10, power);
        return MT_OK;
    }
    return mt_xml_tree_fail(
        units->tree, e, "prefix '%s'; allowed: a name such as milli, or an integer", mt_utf8_shown(text));
}

/* Multiplies a unit by its next <unit>, which is `base`. */
static mt_status multiply(const mt_cellml_units *units, cellml_unit *u, mt_unit base)
{
    const element *e = u->next;
    double prefix, exponent, multiplier, offset;
    MT_TRY(read_prefix(units, e, &prefix));
    MT_TRY(read_attribute(units, e, "exponent", 1, &exponent));
    MT_TRY(read_attribute(units, e, "multiplier", 1, &multiplier));
    MT_TRY(read_attribute(units, e, "offset", 0, &offset));
    if (offset != 0) return mt_xml_tree_fail(units->tree, e, "offset %g; supported: 0", offset);
    if (multiplier <= 0)
        return mt_xml_tree_fail(units->tree, e, "multiplier %g; allowed: above 0", multiplier);
    const mt_unit factor = mt_unit_power(mt_unit_scaled(base, prefix), exponent);
    u->unit = mt_unit_times(u->unit, mt_unit_scaled(factor, multiplier));
    return MT_OK;
}

/* Moves a unit to its next <unit>. */
static void skip_others(cellml_unit *u)
{
    while (u->next && !is(u->next, "unit")) u->next = u->next->next;
}

/* Begins to resolve a unit. */
static void open(cellml_unit *u)
{
    u->progress = OPEN;
    skip_others(u);
    if (!u->next) u->unit = mt_unit_unknown; /* a base unit */
}

/* Resolves a unit, and before it those on which it depends, without recursion: a chain of definitions can be long. */
static mt_status resolve(mt_cellml_units *units, size_t *stack, size_t root)
{
    size_t depth = 0;
    stack[depth++] = root;
    open(&units->unit[root]);
    while (depth > 0) {
        cellml_unit *u = &units->unit[stack[depth - 1]];
        if (!u->next) {
            u->progress = DONE;
            depth--;
            continue;
        }
        const char *name = mt_xml_tree_attribute(u->next, "units", "");
        cellml_unit *base;
        MT_TRY(need(units, u->scope, u->next, name, &base));
        if (base->progress == OPEN)
            return mt_xml_tree_fail(
                units->tree, u->next, "units '%s' are defined by themselves", mt_utf8_shown(name));
        if (base->progress == NEW) {
            open(base);
            stack[depth++] = (size_t)(base - units->unit);
            continue;
        }
        MT_TRY(multiply(units, u, base->unit));
        u->next = u->next->next;
        skip_others(u);
    }
    return MT_OK;
}

mt_status mt_cellml_units_read(mt_arena *arena, const mt_xml_tree *tree, mt_cellml_units *units)
{
    MT_SCRATCH(scratch);
    size_t n, *stack;
    *units = (mt_cellml_units){.arena = arena, .tree = tree};
    MT_TRY(for_each(tree, NULL, &n));
    MT_ALLOC(arena, units->unit, STANDARD + n);
    MT_ALLOC(scratch, stack, STANDARD + n);
    MT_TRY(add_standard(units));
    MT_TRY(for_each(tree, units, &n));
    for (size_t k = 0; k < units->n; k++)
        if (units->unit[k].progress == NEW) MT_TRY(resolve(units, stack, k));
    return MT_OK;
}

/* ---- use ---- */

mt_status mt_cellml_units_find(
    const mt_cellml_units *units, size_t scope, const element *e, const char *name, mt_unit *unit)
{
    cellml_unit *u;
    MT_TRY(need(units, scope, e, name, &u));
    *unit = u->unit;
    return MT_OK;
}

mt_status mt_cellml_units_number(mt_cellml_units *units, mt_equations *equations, size_t scope,
    const element *e, const char *name, uint32_t *number)
{
    cellml_unit *u;
    MT_TRY(need(units, scope, e, name, &u));
    if (!u->numbered) MT_TRY(mt_equations_unit(equations, u->unit, &u->number));
    u->numbered = true;
    *number = u->number;
    return MT_OK;
}
