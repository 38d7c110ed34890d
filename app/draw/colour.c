#include "app/draw/colour.h"

#include <math.h>
#include <stdbool.h>

void mt_colour_linear(double lightness, double chroma, double hue_degrees, double linear[3])
{
    double h = hue_degrees * M_PI / 180, a = chroma * cos(h), b = chroma * sin(h);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    linear[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    linear[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    linear[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static bool can_be_shown(double lightness, double chroma, double hue_degrees)
{
    double linear[3];
    bool inside = true;
    mt_colour_linear(lightness, chroma, hue_degrees, linear);
    for (int k = 0; k < 3; k++) inside = inside && linear[k] >= 0 && linear[k] <= 1;
    return inside;
}

double mt_colour_chroma(double lightness, double chroma, double hue_degrees)
{
    double low = 0, high = chroma;
    if (can_be_shown(lightness, chroma, hue_degrees)) return chroma;
    for (int k = 0; k < 30; k++) {
        const double middle = 0.5 * (low + high);
        *(can_be_shown(lightness, middle, hue_degrees) ? &low : &high) = middle;
    }
    return low;
}

double mt_colour_srgb(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

/* Evaluates the uniform Catmull-Rom spline through p[0..4] on [0, 1], with linear extrapolation of the end points. */
static double spline(const double p[5], double t)
{
    int k = t < 1 ? (int)(4 * t) : 3;
    double f = 4 * t - k;
    double before = k > 0 ? p[k - 1] : 2 * p[0] - p[1], after = k < 3 ? p[k + 2] : 2 * p[4] - p[3];
    double from = p[k], to = p[k + 1];
    return from +
           0.5 * f *
               (to - before +
                   f * (2 * before - 5 * from + 4 * to - after + f * (3 * (from - to) + after - before)));
}

void mt_colour_map(double t, double linear[3])
{
    /* From violet over blue and green to yellow, with chroma inside the sRGB gamut at each lightness. */
    static const double chroma[5] = {0.145, 0.126, 0.104, 0.155, 0.178};
    static const double hue_degrees[5] = {300, 264, 202, 152, 106};
    t = t > 0 ? fmin(t, 1) : 0;
    mt_colour_linear(0.36 + 0.56 * t, spline(chroma, t), spline(hue_degrees, t), linear);
    for (int k = 0; k < 3; k++) linear[k] = fmax(0, fmin(linear[k], 1));
}
