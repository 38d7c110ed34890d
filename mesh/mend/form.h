/* The form of one element: sound, inverted, flat.
 *
 * An element is flat where |6 V| <= 1e-6 L^3, L its longest edge (the regular element has 0.71 L^3): its height is a
 * millionth of its width, and what is left of V may be rounding. An element that has a vertex twice is flat too. */
#pragma once

#include "mesh/mesh.h"

typedef enum mt_form { MT_FORM_SOUND, MT_FORM_INVERTED, MT_FORM_FLAT, MT_FORM_REPEATED } mt_form;

/* REPEATED: it has a vertex twice, and is not called flat. */
mt_form mt_form_of(const mt_mesh *mesh, size_t element);

/* Does it have a vertex twice? */
bool mt_form_repeats(const mt_mesh *mesh, size_t element);
