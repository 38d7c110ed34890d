/* Physical units: exponents of the base units and a factor to them.
 *
 * The base units are those of the SI (metre, kilogram, second, ampere, kelvin, mole, candela). A unit of which nothing is known ("arbitrary
 * units", a name without a definition) has `known` false; it passes every check. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"

typedef enum mt_base_unit {
    MT_METRE,
    MT_KILOGRAM,
    MT_SECOND,
    MT_AMPERE,
    MT_KELVIN,
    MT_MOLE,
    MT_CANDELA,
    MT_BASE_UNITS
} mt_base_unit;

typedef struct mt_unit {
    bool known;
    double factor; /* one of this unit in base units: 0.001 for a millivolt */
    double exponent[MT_BASE_UNITS];
} mt_unit;

extern const mt_unit mt_unit_none; /* known, dimensionless, factor 1 */
extern const mt_unit mt_unit_unknown;

/* Unknown if an operand is, or if the factor of the result is not a positive finite number. */
mt_unit mt_unit_times(mt_unit a, mt_unit b);
mt_unit mt_unit_power(mt_unit a, double exponent);
mt_unit mt_unit_scaled(mt_unit a, double factor);

/* True if both measure the same kind of quantity, or one is unknown; and if their factors agree, too (to 1e-6). */
bool mt_unit_same_dimension(mt_unit a, mt_unit b);
bool mt_unit_same(mt_unit a, mt_unit b);
bool mt_unit_is_dimensionless(mt_unit a); /* with any factor; false if unknown */

/* Finds a unit by a name as written in the formats: an SI unit or a common one (litre, L, M, molar, minute), in full ("millivolt"), as
 * symbol ("mV") or mixed ("mmole"), with or without prefix. Celsius is a kelvin: offsets are not represented. False, with `unit` unknown,
 * if there is none. */
bool mt_unit_named(const char *name, size_t length, mt_unit *unit);

/* Returns the factor of an SI prefix by name ("milli") or symbol ("m"); 0 if there is none. */
double mt_unit_prefix(const char *name, size_t length);

/* Reads a product of units: "mS/uF", "mS*uF**-1", "1/mV", "uA/cm^2 * mM", "mL (1e-3)", "1e-3 L", "(mmol/L)", "A^0.5", "cm2". Operators
 * apply from left to right: "J/mol*K" is (J/mol)*K. False, with `unit` unknown, if the text is something else, or longer than 255 bytes. */
bool mt_unit_read(const char *text, size_t length, mt_unit *unit);

/* Writes a unit in base units: "1e-3 kg m^2 s^-3 A^-1"; "1" if dimensionless; "unknown". */
void mt_unit_write(mt_unit unit, char *text, size_t size);
