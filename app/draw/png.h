/* Lossless PNG files with 8 bits per channel. Format: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)". */
#pragma once

#include <stdint.h>

#include "data/files/file.h"

/* Writes a picture of w x h pixels, completely or not at all. argb [h][stride / 4]: cairo's pixels; alpha is not written. Fails
 * with MT_FILE or MT_MEMORY. */
MT_NODISCARD mt_status mt_png_write(
    const char *path, uint32_t w, uint32_t h, const unsigned char *argb, size_t stride);
