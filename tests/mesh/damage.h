/* Damaged copies of a file: truncated, with changed bytes or numbers, or with missing pieces. Reproducible. */
#pragma once

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/random.h"

enum { DAMAGED_COPIES = 100, DAMAGE_ROOM = 32 }; /* a copy is at most this much longer */

/* Replaces a word of a text that contains a digit. */
static inline size_t change_word(uint64_t *state, unsigned char *bytes, size_t n)
{
    static const char *const words[] = {
        "nan", "-1", "0", "4294967295", "99999999999999999999", "inf", "1e999", "7", "x", "", "1 1", "\n"};
    size_t at = draw(state, n), end;
    while (at > 0 && !isspace(bytes[at - 1])) at--;
    for (end = at; end < n && !isspace(bytes[end]);) end++;
    const char *word = words[draw(state, sizeof words / sizeof *words)];
    if (end - at > 24 || strlen(word) > DAMAGE_ROOM) return n;
    memmove(bytes + at + strlen(word), bytes + end, n - end);
    memcpy(bytes + at, word, strlen(word));
    return n - (end - at) + strlen(word);
}

/* Replaces four or eight bytes by a number that is rarely valid. */
static inline void change_number(uint64_t *state, unsigned char *bytes, size_t n)
{
    static const uint64_t numbers[] = {UINT64_MAX, INT64_MAX, 0x7ff8000000000000, 0x7ff0000000000000,
        UINT32_MAX, INT32_MAX, 0, 1, 1000, 0x0100000001000000};
    const size_t size = draw(state, 2) ? 4 : 8;
    const uint64_t number = numbers[draw(state, sizeof numbers / sizeof *numbers)];
    if (n > size) memcpy(bytes + draw(state, n - size), &number, size);
}

/* Writes copy k of bytes[n] to out[n + DAMAGE_ROOM]; returns its length. */
static inline size_t damage(size_t k, const unsigned char *bytes, size_t n, unsigned char *out)
{
    uint64_t state = 12345 + 977 * k;
    (void)draw(&state, 1);
    memcpy(out, bytes, n);
    switch (k % 5) {
    case 0:
        return draw(&state, n);
    case 1:
        for (size_t turns = 1 + draw(&state, 4); turns > 0; turns--)
            out[draw(&state, n)] ^= (unsigned char)(1 + draw(&state, 255));
        return n;
    case 2:
        return change_word(&state, out, n);
    case 3:
        change_number(&state, out, n);
        return n;
    default: {
        const size_t at = draw(&state, n), length = draw(&state, n - at < 40 ? n - at : 40);
        memmove(out + at, out + at + length, n - at - length);
        return n - length;
    }
    }
}

/* Overwrites a file in place. File systems write truncated files to the disk at once, and creating a new file each time is slow. */
static inline void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "r+b");
    if (!file) file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, n, file), n);
    cr_assert(fflush(file) == 0 && ftruncate(fileno(file), (off_t)n) == 0);
    cr_assert_eq(fclose(file), 0);
}
