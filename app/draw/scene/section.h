/* The section of a mesh on a plot whose view cuts it: each element that the plane cuts, in the colour of its own value, and the outline of
 * the section. */
#pragma once

#include "app/draw/scene/view.h"

/* Draws the section on a plot of this surface that a cutting view made (mt_plot_make). The polygons of neighbouring elements share their
 * corners exactly, so that no gap is between them. Values are flat: NaN where an element has none. */
void mt_section_draw(mt_plot *plot, const mt_view_surface *surface, const mt_view *view);
