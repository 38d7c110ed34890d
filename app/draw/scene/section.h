/* The section of a mesh on a plot with a cutting plane: each element that the plane cuts, in the colour of its own value, and the
 * outline of the section. */
#pragma once

#include "app/draw/scene/view.h"

/* Draws the section on a plot of this surface with a cutting view (mt_plot_make). Polygons of neighbouring elements share their
 * corners exactly, so there are no gaps. Values are constant per element; NaN if an element has none. */
void mt_section_draw(mt_plot *plot, const mt_view_surface *surface, const mt_view *view);
