/* Characters of UTF-8 (RFC 3629): no overlong forms, no halves of surrogate pairs, nothing above U+10FFFF. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The number of bytes of the character at `text` (1 to 4), and its code point unless `code` is NULL; 0 where the bytes there
 * are no character. The final 0 of a text is a character of one byte. Reads nothing behind that 0. */
size_t mt_utf8_character(const char *text, uint32_t *code);

/* The first byte of a text that belongs to no character; NULL where the whole text is UTF-8. */
const char *mt_utf8_invalid(const char *text);

/* Returns the number of bytes, at most `most`, of the longest beginning of a text that ends between characters. */
size_t mt_utf8_beginning(const char *text, size_t most);

/* Returns a value as a message quotes it: the text, or of a text of more than MT_UTF8_SHOWN bytes its first characters and "...". A
 * shortened text is valid until the thread's fourth next call. */
const char *mt_utf8_shown(const char *text);
enum { MT_UTF8_SHOWN = 40 };

/* Shortens in place each word (bytes other than white space) of more than MT_UTF8_WORD_MOST bytes: its first and its last characters
 * stay, with "..." between them. */
void mt_utf8_shorten_words(char *text);
enum { MT_UTF8_WORD_MOST = 200 };
