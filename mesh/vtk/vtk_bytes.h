/* The bytes of an array in VTK's XML files, stored raw or in base64, plain or compressed.
 *
 *   plain        a word: the number of bytes; then the bytes
 *   compressed   words: the number of blocks, the bytes of a block, the bytes of the last block if it is smaller
 *                (else 0), the compressed bytes of each block; then the blocks, compressed by zlib
 *
 * In base64 the words may be encoded separately from the data, as VTK does for compressed arrays, or together
 * with them.
 *
 * Several arrays may refer to the same bytes of a file, so the cost of an array is bounded by its own length,
 * not by the size of the file: no block is empty, and a block has at most twice the size of its content plus
 * 64 bytes. */
#pragma once

#include "data/files/scan.h"

typedef struct mt_vtk_bytes {
    mt_scan scan;     /* start of the array, or its declaration, in the file; for messages */
    const char *name; /* of the array, borrowed; for messages */
    const char *at, *end;
    bool base64, compressed, big_endian;
    bool dense;            /* True if the base64 has no white space */
    size_t word;           /* bytes of a word: 4 or 8 */
    unsigned char held[3]; /* base64: decoded bytes not yet consumed, the next one last */
    size_t n_held;
} mt_vtk_bytes;

/* Checks that the array can have n bytes. MT_INPUT: fewer bytes remain in the file or, for a compressed
 * array, fewer than n / 1032, the limit of deflate. */
MT_NODISCARD mt_status mt_vtk_bytes_check(const mt_vtk_bytes *from, size_t n);

/* Reads the n bytes of the array; *bytes points into the file or into `arena`. MT_INPUT: another number of
 * bytes, or damage. */
MT_NODISCARD mt_status mt_vtk_bytes_read(
    mt_arena *arena, mt_vtk_bytes *from, size_t n, const unsigned char **bytes);
