/* A bar of colours for values from one end to another: the legend of what is not drawn with lines. */
#ifndef MT_APP_DRAW_SCENE_BAR_H
#define MT_APP_DRAW_SCENE_BAR_H

#include "app/draw/page.h"

enum { MT_BAR_SHADES = 1024 };

typedef struct mt_bar {
    double low, high; /* low < high; what lies beyond has the colour of its end */
    float linear[MT_BAR_SHADES + 1][3];
} mt_bar;

/* Fills in the colours (mt_picture_colour) of a bar that has its ends. */
void mt_bar_make(mt_bar *bar);

/* The colour of a value, as linear light; grey where it is not finite. An mt_paint (app/draw/scene/figure.h) whose context is the bar. */
void mt_bar_colour(const void *bar, float value, double linear[3]);

/* Draws the bar in the place of the legend, with ticks and, above it, "label [unit]". */
void mt_bar_draw(mt_page *page, const mt_bar *bar, const char *label, const char *unit);

#endif
