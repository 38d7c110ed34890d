/* Characters of UTF-8 (RFC 3629): no overlong forms, no halves of surrogate pairs, nothing above U+10FFFF. */
#ifndef MT_DATA_UTF8_H
#define MT_DATA_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The number of bytes of the character at `text` (1 to 4), and its code point unless `code` is NULL; 0 where the bytes there
 * are no character. The final 0 of a text is a character of one byte. Reads nothing behind that 0. */
size_t mt_utf8_character(const char *text, uint32_t *code);

/* The first byte of a text that belongs to no character; NULL where the whole text is UTF-8. */
const char *mt_utf8_invalid(const char *text);

#endif
