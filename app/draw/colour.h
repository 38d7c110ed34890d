/* Colours by how they look: OKLab (B. Ottosson, "A perceptual color space for image processing", 2020,
 * bottosson.github.io), in which equal distances look equal. Lightness 0 is black and 1 is white; two flat colours side by
 * side can be told apart from about 0.02 on. */
#pragma once

/* Linear-light sRGB of a lightness, a chroma and a hue. A chroma beyond what sRGB can show at that lightness gives
 * components outside [0, 1]. */
void mt_colour_linear(double lightness, double chroma, double hue_degrees, double linear[3]);

/* The largest chroma, at most this one, that sRGB can show. */
double mt_colour_chroma(double lightness, double chroma, double hue_degrees);

/* sRGB's transfer function (IEC 61966-2-1), from linear light to what a file holds; both in [0, 1]. */
double mt_colour_srgb(double linear);

/* The colour map of values at t in [0, 1] (clamped), as linear-light sRGB components in [0, 1]. Its OKLab lightness
 * rises evenly: L(t) = 0.36 + 0.56 t. */
void mt_colour_map(double t, double linear[3]);
