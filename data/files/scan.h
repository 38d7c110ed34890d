/* A file that others wrote, read from front to back: words and numbers as text, or raw little-endian binary.
 *
 * The file stands in memory as it is, and nothing is read beyond its end. Every number is checked against what
 * is allowed before it is given, and a count also against the bytes that are left, so that no memory is taken
 * for what cannot be there. Failures are MT_INPUT and name the file and the line of the word that is wrong
 * (the byte, in binary), what was found there and what is allowed.
 *
 * Invariant: begin <= at <= end, *end is 0 or another character that is in no number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

typedef struct mt_scan {
    const char *path; /* borrowed */
    const char *begin, *at, *end;
    size_t line;  /* of `at`, from 1; counts on only in text */
    bool binary;  /* numbers are raw bytes; set by whoever knows */
    char comment; /* in text, begins a remark that goes to the end of its line; 0: there are none */
} mt_scan;

/* Reads a whole file into the arena. MT_FILE: cannot be read, is no regular file. MT_MEMORY. */
MT_NODISCARD mt_status mt_scan_open(mt_arena *arena, const char *path, mt_scan *scan);

/* MT_INPUT with "file:line: " or "file: byte n: " before the message (printf rules). */
mt_status mt_scan_fail(const mt_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t mt_scan_left(const mt_scan *scan); /* bytes */

/* Text. A word ends at a blank, a remark, the end of the line or that of the file; blanks before it are
 * skipped, here and for numbers with remarks and the ends of lines among them. */

/* Copies the next word; a longer one is cut to what fits. "" at the end of the file. */
void mt_scan_word(mt_scan *scan, char *out, size_t size);

/* Is there another word in this line? How many words has the line from here on? */
bool mt_scan_more(mt_scan *scan);
size_t mt_scan_words(const mt_scan *scan);

/* Moves behind the end of this line. */
void mt_scan_next_line(mt_scan *scan);

/* MT_INPUT where a line of n numbers ends behind k of them; where a line goes on behind `what`; where
 * another word follows the last of n things called `what`. In binary there are no lines: the first two
 * always succeed. */
MT_NODISCARD mt_status mt_scan_need_more(mt_scan *scan, size_t k, size_t n);
MT_NODISCARD mt_status mt_scan_end_line(mt_scan *scan, const char *what);
MT_NODISCARD mt_status mt_scan_end_file(mt_scan *scan, const char *what, size_t n);

/* Moves behind the next `mark`, wherever it is; false, without moving, where there is none. */
bool mt_scan_behind(mt_scan *scan, const char *mark);

/* Numbers, in text or binary. `what` names the number in messages. */

/* A whole number from least to most, in binary of 4 (int32) or 8 bytes (uint64, but at most 2^63 - 1). */
MT_NODISCARD mt_status mt_scan_int(
    mt_scan *scan, const char *what, int64_t least, int64_t most, int64_t *value);
MT_NODISCARD mt_status mt_scan_long(
    mt_scan *scan, const char *what, int64_t least, int64_t most, int64_t *value);

/* A count of things that take at least `bytes_each` (above 0) bytes of the file each, which must still be
 * there; in binary of 8 bytes. */
MT_NODISCARD mt_status mt_scan_count(mt_scan *scan, const char *what, size_t bytes_each, size_t *count);

/* A finite number from -most to most; in binary a double. */
MT_NODISCARD mt_status mt_scan_real(mt_scan *scan, const char *what, double most, double *value);
