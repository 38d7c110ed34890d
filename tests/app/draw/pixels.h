/* Helpers for tests of pictures: files, pixels and colours. */
#pragma once

#include <criterion/criterion.h>

#include <cairo/cairo.h>
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/draw/page.h"
#include "tests/leaks.h"

/* ---- files */

static inline size_t files_in(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static inline unsigned char *read_all(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s is not there", path);
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*n);
    cr_assert_eq(fread(bytes, 1, *n, file), *n);
    fclose(file);
    return bytes;
}

static inline void assert_same_bytes(const char *path, const char *other)
{
    size_t n, m;
    unsigned char *bytes = read_all(path, &n), *others = read_all(other, &m);
    cr_assert(n == m && memcmp(bytes, others, n) == 0, "%s and %s differ", path, other);
    free(bytes);
    free(others);
}

/* ---- pixels */

/* Reads the pixels of a page: red, green and blue. The caller frees them. */
static inline unsigned char *read_pixels(const char *path)
{
    cairo_surface_t *page = cairo_image_surface_create_from_png(path);
    cr_assert_eq(cairo_surface_status(page), CAIRO_STATUS_SUCCESS);
    cr_assert_eq(cairo_image_surface_get_width(page), MT_PAGE_WIDTH);
    cr_assert_eq(cairo_image_surface_get_height(page), MT_PAGE_HEIGHT);
    const unsigned char *bytes = cairo_image_surface_get_data(page);
    const size_t stride = (size_t)cairo_image_surface_get_stride(page);
    unsigned char *rgb = malloc(3 * (size_t)MT_PAGE_WIDTH * MT_PAGE_HEIGHT);
    for (size_t k = 0; k < (size_t)MT_PAGE_WIDTH * MT_PAGE_HEIGHT; k++) {
        uint32_t pixel;
        memcpy(&pixel, bytes + k / MT_PAGE_WIDTH * stride + 4 * (k % MT_PAGE_WIDTH), sizeof pixel);
        for (size_t i = 0; i < 3; i++) rgb[3 * k + i] = pixel >> (16 - 8 * i) & 255;
    }
    cairo_surface_destroy(page);
    return rgb;
}

static inline const unsigned char *pixel_at(const unsigned char *pixels, size_t x, size_t y)
{
    return pixels + 3 * (y * MT_PAGE_WIDTH + x);
}

/* Same, but the pixels remain valid until the next call. The same file is read once: most tests inspect several parts of a page. */
static inline const unsigned char *last_pixels(const char *path)
{
    static unsigned char *pixels;
    static struct stat last;
    struct stat info;
    cr_assert_eq(stat(path, &info), 0, "%s is not there", path);
    if (!pixels || info.st_ino != last.st_ino || info.st_size != last.st_size ||
        memcmp(&info.st_mtim, &last.st_mtim, sizeof info.st_mtim) != 0) {
        free(pixels);
        pixels = read_pixels(path);
        last = info;
    }
    return pixels;
}

typedef bool pixel_test(const unsigned char rgb[3], double t);

/* Counts the pixels of the page with x[0] <= x < x[1] and y[0] <= y < y[1] that pass. */
static inline size_t count_within(
    const char *path, const size_t x[2], const size_t y[2], pixel_test *passes, double t)
{
    const unsigned char *pixels = last_pixels(path);
    size_t n = 0;
    for (size_t j = y[0]; j < y[1]; j++)
        for (size_t i = x[0]; i < x[1]; i++) n += passes(pixel_at(pixels, i, j), t);
    return n;
}

/* ---- colours */

/* Converts sRGB to linear light, IEC 61966-2-1. */
static inline double linear_of_srgb(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}
/* Same for one of 256 levels, by a table. */
static inline double linear_of_byte(unsigned char byte)
{
    static double linear[256];
    if (byte > 0 && !(linear[byte] > 0)) linear[byte] = linear_of_srgb(byte / 255.0);
    return linear[byte];
}
static inline double srgb_of_linear(double x)
{
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

/* Converts linear-light sRGB to OKLab: B. Ottosson (2020), bottosson.github.io/posts/oklab. */
static inline void oklab(const double rgb[3], double lab[3])
{
    double l = cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    double m = cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    double s = cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static inline double oklab_distance(const double rgb[3], const double other[3])
{
    double a[3], b[3];
    oklab(rgb, a), oklab(other, b);
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}
