/* Perceptual colours in OKLab (B. Ottosson, "A perceptual color space for image processing", 2020, bottosson.github.io): equal
 * distances look equal. Lightness 0 is black and 1 is white. Adjacent flat colours can be distinguished from a distance of about
 * 0.02. */
#pragma once

/* Converts lightness, chroma and hue to linear-light sRGB. Components are outside [0, 1] if the chroma is outside the sRGB gamut. */
void mt_colour_linear(double lightness, double chroma, double hue_degrees, double linear[3]);

/* Returns the largest chroma, at most `chroma`, inside the sRGB gamut. */
double mt_colour_chroma(double lightness, double chroma, double hue_degrees);

/* Returns the sRGB transfer function (IEC 61966-2-1), from linear light to file values; both in [0, 1]. */
double mt_colour_srgb(double linear);

/* Returns the colour map at t, clamped to [0, 1], in linear-light sRGB components in [0, 1]. Its OKLab lightness is linear: L(t) =
 * 0.36 + 0.56 t. */
void mt_colour_map(double t, double linear[3]);
