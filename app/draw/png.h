/* A picture as a PNG of 8 bits a colour, without loss. Format: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)". */
#pragma once

#include <stdint.h>

#include "data/files/file.h"

/* Writes a picture of w x h pixels, whole or not at all. argb [h][stride / 4] are cairo's pixels; alpha is not written. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_png_write(
    const char *path, uint32_t w, uint32_t h, const unsigned char *argb, size_t stride);
