/* A file in memory, built piece by piece. */
#pragma once

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct buffer {
    unsigned char bytes[16384];
    size_t n;
} buffer;

static inline void add(buffer *b, const void *bytes, size_t n)
{
    assert(b->n + n <= sizeof b->bytes);
    if (n > 0) memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
}

static inline void text(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void text(buffer *b, const char *format, ...)
{
    char words[4096];
    va_list arguments;
    va_start(arguments, format);
    const size_t n = (size_t)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    assert(n < sizeof words);
    add(b, words, n);
}

/* Appends the lowest bytes of a word, in the given byte order. */
static inline void word(buffer *b, uint64_t value, size_t bytes, bool big_endian)
{
    for (size_t k = 0; k < bytes; k++) {
        const unsigned char byte = (unsigned char)(value >> (8 * (big_endian ? bytes - 1 - k : k)));
        add(b, &byte, 1);
    }
}
