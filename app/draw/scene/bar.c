#include "app/draw/scene/bar.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

#include "app/draw/colour.h"
#include "app/draw/scene/figure.h"

enum { TICKS_MOST = 14 };

static const double grey_linear = 0.55; /* if there is no value */

void mt_bar_make(mt_bar *bar)
{
    for (int k = 0; k <= MT_BAR_SHADES; k++) {
        double linear[3];
        mt_colour_map((double)k / MT_BAR_SHADES, linear);
        for (int i = 0; i < 3; i++) bar->linear[k][i] = (float)linear[i];
    }
}

void mt_bar_shade(const mt_bar *bar, double place, double linear[3])
{
    if (!isfinite(place)) {
        linear[0] = linear[1] = linear[2] = grey_linear;
        return;
    }
    const double at = place * MT_BAR_SHADES + 0.5;
    const float *shade = bar->linear[at <= 0 ? 0 : at >= MT_BAR_SHADES ? MT_BAR_SHADES : (int)at];
    for (int k = 0; k < 3; k++) linear[k] = (double)shade[k];
}

void mt_bar_colour(const void *context, float value, double linear[3])
{
    const mt_bar *bar = context;
    mt_bar_shade(bar, ((double)value - bar->low) / (bar->high - bar->low), linear);
}

static void draw_ticks(mt_page *page, const mt_bar *bar)
{
    const double range = bar->high - bar->low, step = mt_page_step(range, TICKS_MOST),
                 y = MT_LEGEND_Y + MT_LEGEND_H;
    cairo_set_line_width(page->pen, 1);
    for (double level = ceil(bar->low / step - 1e-9); level * step <= bar->high + 1e-9 * step; level++) {
        char text[32];
        const double x = MT_LEGEND_X + MT_LEGEND_W * (level * step - bar->low) / range;
        (void)snprintf(text, sizeof text, "%.6g", level * step + 0.0);
        mt_page_grey(page, mt_page_ink);
        mt_page_line(page, floor(x) + 0.5, y, floor(x) + 0.5, y + 6);
        mt_page_write(page, x, y + 23, MT_MIDDLE, 16, 100, text);
    }
}

void mt_bar_fill(mt_page *page, const mt_bar *bar)
{
    for (int x = 0; x < MT_LEGEND_W; x++) {
        const float *shade = bar->linear[(int)((x + 0.5) / MT_LEGEND_W * MT_BAR_SHADES)];
        const double linear[3] = {(double)shade[0], (double)shade[1], (double)shade[2]};
        mt_page_fill(page, MT_LEGEND_X + x, MT_LEGEND_Y, 1, MT_LEGEND_H, linear);
    }
}

void mt_bar_draw(mt_page *page, const mt_bar *bar, const char *label, const char *unit)
{
    char words[128];
    mt_bar_fill(page, bar);
    draw_ticks(page, bar);
    mt_page_frame(page, MT_LEGEND_X, MT_LEGEND_Y, MT_LEGEND_W, MT_LEGEND_H);
    (void)snprintf(words, sizeof words, "%s [%s]", label, unit);
    mt_page_write(page, MT_LEGEND_X, MT_LEGEND_Y - 12, MT_START, 17, 400, words);
}
