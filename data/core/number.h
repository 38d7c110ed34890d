/* Exact conversion between numbers and text. */
#pragma once

#include <stdbool.h>

enum { MT_NUMBER_SIZE = 32 }; /* bytes of the longest text, including the final 0 */

/* Writes x with the fewest of 15, 16 or 17 significant digits that read back as the same double; infinities and NaN as printf
 * writes them. */
void mt_number_text(double x, char out[MT_NUMBER_SIZE]);

/* Reads a text that consists of one decimal number such as -1.5e-3. False: the text is not a number, or the number is not
 * finite. */
bool mt_number_read(const char *text, double *x);

/* Writes a count with thousands separators, "5,806", and returns the text. */
const char *mt_number_count_text(double count, char text[MT_NUMBER_SIZE]);
