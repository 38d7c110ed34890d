/* A colour bar: the legend of pictures without isolines. */
#pragma once

#include "app/draw/page.h"

enum { MT_BAR_SHADES = 1024 };

typedef struct mt_bar {
    double low, high; /* low < high; values outside have the colour of the nearer end */
    float linear[MT_BAR_SHADES + 1][3];
} mt_bar;

/* Computes the colours (mt_colour_map). */
void mt_bar_make(mt_bar *bar);

/* Returns the colour at a position from 0 to 1, in linear light; grey if it is not finite. */
void mt_bar_shade(const mt_bar *bar, double place, double linear[3]);

/* Returns the colour of a value. An mt_paint (app/draw/scene/figure.h) with the bar as context. */
void mt_bar_colour(const void *bar, float value, double linear[3]);

/* Draws the colours at the place of the legend. */
void mt_bar_fill(mt_page *page, const mt_bar *bar);

/* Draws the bar there, with ticks and, above it, "label [unit]". */
void mt_bar_draw(mt_page *page, const mt_bar *bar, const char *label, const char *unit);
