/* Small cells in Myokit's format, read from a temporary file. Include tests/one_file.h first. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "solver/cells/import/myokit.h"

/* Membrane of Hodgkin and Huxley (1952), at rest at -65 mV, with the units of time and V as arguments: "ms", "mV", one second in them
 * "1000", one volt "1000". Rates per ms and mV are multiplied by them. */
static const char squid_axon[] =
    "[[model]]\n"
    "membrane.V = -65e-3 * membrane.per_V\n"
    "sodium.m = 0.0529\n"
    "sodium.h = 0.596\n"
    "potassium.n = 0.318\n"
    "[engine]\n"
    "time = 0 [%s] in [%s] bind time\n"
    "pace = 0 bind pace\n"
    "[membrane]\n"
    "per_s = %s\n"
    "per_V = %s\n"
    "u = V / per_V * 1000\n"
    "k = 1000 / per_s\n"
    "dot(V) = -(i_ion + i_stim) * k * per_V / 1000\n"
    "    in [%s]\n"
    "    label membrane_potential\n"
    "i_stim = engine.pace * -60\n"
    "i_ion = sodium.i + potassium.i + 0.3 * (u + 54.387)\n"
    "[sodium]\n"
    "use membrane.u as u, membrane.k as k\n"
    "g = 120\n"
    "i = g * m^3 * h * (u - 50)\n"
    "dot(m) = k * (a * (1 - m) - b * m)\n"
    "    a = 0.1 * (u + 40) / (1 - exp(-0.1 * u - 4))\n"
    "    b = 4 * exp(-(u + 65) / 18)\n"
    "dot(h) = k * (0.07 * exp(-(u + 65) / 20) * (1 - h) - h / (1 + exp(-(u + 35) / 10)))\n"
    "[potassium]\n"
    "use membrane.u as u, membrane.k as k\n"
    "i = 36 * n^4 * (u + 77)\n"
    "dot(n) = k * (a * (1 - n) - 0.125 * exp(-(u + 65) / 80) * n)\n"
    "    a = 0.01 * (u + 55) / (1 - exp(-(u + 55) / 10))\n";

/* Reads a file with this text, which can contain arguments of printf, into `arena`. */
__attribute__((format(printf, 2, 3))) static mt_equations *read_cell(mt_arena *arena, const char *text, ...)
{
    mt_equations *equations = NULL;
    FILE *file = fopen(path, "w");
    va_list rest;
    cr_assert(file);
    va_start(rest, text);
    cr_assert(vfprintf(file, text, rest) > 0);
    va_end(rest);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(mt_myokit_read(arena, path, &equations), MT_OK, "%s", mt_message());
    return equations;
}
