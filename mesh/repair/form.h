/* The form of one element: sound, inverted or flat.
 *
 * An element is flat if |6 V| <= 1e-6 L^3, with L its longest edge (a regular tetrahedron has 0.71 L^3): its height is a
 * millionth of its width, and its V may be rounding error. An element with a repeated vertex is also flat. */
#pragma once

#include "mesh/mesh.h"

typedef enum mt_form { MT_FORM_SOUND, MT_FORM_INVERTED, MT_FORM_FLAT, MT_FORM_REPEATED } mt_form;

/* Returns the form of an element; MT_FORM_REPEATED, not MT_FORM_FLAT, if it has a repeated vertex. */
mt_form mt_form_of(const mt_mesh *mesh, size_t element);

/* True if an element has a repeated vertex. */
bool mt_form_repeats(const mt_mesh *mesh, size_t element);
