/* For the reader of VTK's XML files: the bytes of an array, which stand there raw or in base64, plain or
 * compressed.
 *
 *   plain        a word: the number of bytes, then they
 *   compressed   words: the number of blocks, the bytes of a block, those of the last one if it is smaller
 *                (else 0), the compressed bytes of each; then the blocks, by zlib
 *
 * In base64 the words may be apart from what follows, as VTK has them where it compresses, or run on into
 * it.
 *
 * Many arrays may be told to stand in the same place, so that what one may cost goes by its length, not by that of the
 * file: a block is not empty and at most twice as long as what is in it, beside 64 bytes. */
#pragma once

#include "data/files/scan.h"

typedef struct mt_vtk_bytes {
    mt_scan scan;     /* where the array begins in the file, or where it is told of: for messages */
    const char *name; /* of the array, borrowed: for messages */
    const char *at, *end;
    bool base64, compressed, big_endian;
    bool dense;            /* no blanks in the base64 */
    size_t word;           /* bytes of a word: 4 or 8 */
    unsigned char held[3]; /* base64: decoded and not yet taken, the next last */
    size_t n_held;
} mt_vtk_bytes;

/* MT_INPUT where the array cannot have n bytes: the file has fewer from here on or, in compressed arrays,
 * fewer than a 1032nd of that: zlib's deflate cannot do better. */
MT_NODISCARD mt_status mt_vtk_bytes_check(const mt_vtk_bytes *from, size_t n);

/* Gives the n bytes of the array, in the file or in `arena`. MT_INPUT: there are more or fewer, damage. */
MT_NODISCARD mt_status mt_vtk_bytes_read(
    mt_arena *arena, mt_vtk_bytes *from, size_t n, const unsigned char **bytes);
