/* Numbers as text, to the bit. */
#pragma once

#include <stdbool.h>

enum { MT_NUMBER_SIZE = 32 }; /* bytes of the longest text, with its final 0 */

/* Writes x with the fewest of 15, 16 or 17 significant digits that read back as the same double; infinities
 * and NaN as printf does. */
void mt_number_text(double x, char out[MT_NUMBER_SIZE]);

/* Reads a text that is a decimal number and nothing else, such as -1.5e-3; false: it is none, or not finite. */
bool mt_number_read(const char *text, double *x);

/* Writes a count with its thousands apart, "5,806", and returns it. */
const char *mt_number_count_text(double count, char text[MT_NUMBER_SIZE]);
