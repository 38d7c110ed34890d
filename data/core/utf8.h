/* Characters of UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes of the character at `text` (1 to 4), and its code point unless `code` is NULL; 0 if the bytes are
 * not a character. The final 0 of a text is a character of one byte; nothing after it is read. */
size_t mt_utf8_character(const char *text, uint32_t *code);

/* Returns the first byte of a text that does not belong to a character; NULL if the text is valid UTF-8. */
const char *mt_utf8_invalid(const char *text);

/* Returns the number of bytes of the longest prefix of a text that has at most `most` bytes and ends between characters. */
size_t mt_utf8_beginning(const char *text, size_t most);

/* Returns a value as a message quotes it: a text of at most MT_UTF8_SHOWN bytes unchanged, or the first characters of a longer
 * one and "...". A shortened text is valid until the thread's fourth next call. */
const char *mt_utf8_shown(const char *text);
enum { MT_UTF8_SHOWN = 40 };

/* Shortens in place each word (bytes other than white space) of more than MT_UTF8_WORD_MOST bytes to its first and last
 * characters with "..." between them. */
void mt_utf8_shorten_words(char *text);
enum { MT_UTF8_WORD_MOST = 200 };
