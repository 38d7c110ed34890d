/* A bar of colours for values from one end to another: the legend of what is not drawn with lines. */
#pragma once

#include "app/draw/page.h"

enum { MT_BAR_SHADES = 1024 };

typedef struct mt_bar {
    double low, high; /* low < high; what lies beyond has the colour of its end */
    float linear[MT_BAR_SHADES + 1][3];
} mt_bar;

/* Fills in the colours (mt_colour_map). */
void mt_bar_make(mt_bar *bar);

/* The colour at a place from 0 to 1, as linear light; grey where it is not finite. */
void mt_bar_shade(const mt_bar *bar, double place, double linear[3]);

/* The same of a value. An mt_paint (app/draw/scene/figure.h) whose context is the bar. */
void mt_bar_colour(const void *bar, float value, double linear[3]);

/* Draws the colours in the place of the legend. */
void mt_bar_fill(mt_page *page, const mt_bar *bar);

/* Draws the bar there, with ticks and, above it, "label [unit]". */
void mt_bar_draw(mt_page *page, const mt_bar *bar, const char *label, const char *unit);
