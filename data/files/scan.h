/* Sequential reader of files from other programs: words and numbers as text, or raw little-endian binary.
 *
 * The file is held in memory unchanged, and nothing is read beyond its end. Every number is checked against its allowed range,
 * and a count also against the remaining bytes, so that no memory is allocated for data that cannot exist. Errors are MT_INPUT
 * and report the file, the line of the wrong word (in binary, the byte), the value found and the allowed values.
 *
 * Invariant: begin <= at <= end, and *end is 0 or another character that does not occur in numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

typedef struct mt_scan {
    const char *path; /* borrowed */
    const char *begin, *at, *end;
    size_t line;  /* of `at`, from 1; counted only in text */
    bool binary;  /* True if numbers are raw bytes; set by the caller */
    char comment; /* in text, begins a comment that ends with its line; 0: no comments */
} mt_scan;

/* Reads an entire file into the arena. MT_FILE: it cannot be read, or is not a regular file. MT_MEMORY. */
MT_NODISCARD mt_status mt_scan_open(mt_arena *arena, const char *path, mt_scan *scan);

/* Returns MT_INPUT with "file:line: " or "file: byte n: " before the message (printf format). */
mt_status mt_scan_fail(const mt_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t mt_scan_left(const mt_scan *scan); /* bytes */

/* Text. A word ends at a blank, a comment, or the end of the line or file. Blanks before a word are skipped; before numbers,
 * comments and line ends are skipped too. */

/* Copies the next word, truncated to the size of `out`. "" at the end of the file. */
void mt_scan_word(mt_scan *scan, char *out, size_t size);

/* The first is true if there is another word in this line; the second counts the remaining words of the line. */
bool mt_scan_more(mt_scan *scan);
size_t mt_scan_words(const mt_scan *scan);

/* Moves to the beginning of the next line. */
void mt_scan_next_line(mt_scan *scan);

/* MT_INPUT: the first, if the line of n numbers ends after k of them; the second, if the line continues after `what`; the third,
 * if another word follows the last of n items called `what`. In binary there are no lines, and the first two always succeed. */
MT_NODISCARD mt_status mt_scan_need_more(mt_scan *scan, size_t k, size_t n);
MT_NODISCARD mt_status mt_scan_end_line(mt_scan *scan, const char *what);
MT_NODISCARD mt_status mt_scan_end_file(mt_scan *scan, const char *what, size_t n);

/* Moves to the byte after the next `mark`; false, without moving, if there is no mark. */
bool mt_scan_skip_past(mt_scan *scan, const char *mark);

/* Numbers, in text or binary. `what` names the number in messages. */

/* Reads an integer from least to most; in binary of 4 (int32) or 8 bytes (uint64, but at most 2^63 - 1). */
MT_NODISCARD mt_status mt_scan_int(
    mt_scan *scan, const char *what, int64_t least, int64_t most, int64_t *value);
MT_NODISCARD mt_status mt_scan_long(
    mt_scan *scan, const char *what, int64_t least, int64_t most, int64_t *value);

/* Reads a count of items of at least `bytes_each` (above 0) bytes each, which must still fit in the file; in binary of 8
 * bytes. */
MT_NODISCARD mt_status mt_scan_count(mt_scan *scan, const char *what, size_t bytes_each, size_t *count);

/* Reads a finite number from -most to most; in binary a double. */
MT_NODISCARD mt_status mt_scan_real(mt_scan *scan, const char *what, double most, double *value);
