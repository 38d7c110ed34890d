/* A mesh on a page: all views of its outer surface, side by side and to one scale, with their names and the three axes. The picture
 * chooses the colours and draws the legend. */
#pragma once

#include "app/draw/page.h"
#include "app/draw/scene/view.h"

/* Place of the legend, a bar between the axes, and of a note below it [pixels]. */
enum { MT_LEGEND_X = 440, MT_LEGEND_Y = 912, MT_LEGEND_W = 720, MT_LEGEND_H = 20, MT_GREY_Y = 970 };

/* A single view. */
typedef struct mt_panel {
    mt_view view;
    mt_plot plot;
    int left, top; /* position on the page, pixels */
} mt_panel;

typedef struct mt_figure {
    mt_view_surface surface;
    bool cut; /* true if a heart has a third panel in the middle, cut along its long axis */
    double samples_per_mm;
    size_t n_panels;
    mt_panel panel[MT_VIEWS_MAX];
} mt_figure;

/* Computes the panels of a figure after its other members are set. Lines can be added to their plots afterwards. Fails with
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_figure_make(mt_arena *arena, mt_figure *figure);

/* Returns the colour of a surface value, in linear light. */
typedef void mt_paint(const void *context, float value, double linear[3]);

/* Draws the samples of n panels in place, coloured by `colour_of`, without names or axes. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_panels_draw(size_t n, const mt_panel *panel, mt_arena *scratch, mt_page *page,
    mt_paint *colour_of, const void *context);

/* Draws the three axes, as projected by the view, from (x0, y0) as arrows of equal round length, at most `longest` pixels. Axes
 * that point down begin higher up. */
void mt_axes_draw(
    mt_page *page, const mt_view *view, double samples_per_mm, double x0, double y0, double longest);

/* Default of y0: below the plots. */
enum { MT_AXES_Y = 925 };

/* Draws all panels, coloured by `colour_of`, with names and axes. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_figure_draw(
    const mt_figure *figure, mt_arena *scratch, mt_page *page, mt_paint *colour_of, const void *context);
