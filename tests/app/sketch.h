/* Sketches in place of the pictures of maps, which take half of the time of a short run: small PNG files, of which two are equal if and only
 * if the pictures would be made from the same values and texts. The programs of these tests are linked with `--wrap` (cmake/tests.cmake). */
#pragma once

#include <stdbool.h>

extern bool sketch_draws; /* true: the pictures themselves */
