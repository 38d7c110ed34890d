#include "data/core/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t mt_utf8_character(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    const size_t n = *byte < 0x80   ? 1
                     : *byte < 0xC0 ? 0
                     : *byte < 0xE0 ? 2
                     : *byte < 0xF0 ? 3
                     : *byte < 0xF8 ? 4
                                    : 0;
    uint32_t number = n < 2 ? *byte : *byte & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        if ((byte[i] & 0xC0) != 0x80) return 0;
        number = number << 6 | (byte[i] & 0x3F);
    }
    if (n == 0 || number < least[n] || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) return 0;
    if (code) *code = number;
    return n;
}

const char *mt_utf8_invalid(const char *text)
{
    for (size_t n; *text; text += n) {
        n = mt_utf8_character(text, NULL);
        if (n == 0) return text;
    }
    return NULL;
}

static bool is_inside(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

size_t mt_utf8_beginning(const char *text, size_t most)
{
    size_t n = strnlen(text, most + 1);
    if (n <= most) return n;
    for (n = most; n > 0 && is_inside(text[n]);) n--;
    return n;
}

const char *mt_utf8_shown(const char *text)
{
    enum { AT_ONE_TIME = 4 };
    static _Thread_local char shown[AT_ONE_TIME][MT_UTF8_SHOWN + sizeof "..."];
    static _Thread_local unsigned next;
    if (strnlen(text, MT_UTF8_SHOWN + 1) <= MT_UTF8_SHOWN) return text;
    char *to = shown[next++ % AT_ONE_TIME];
    (void)snprintf(to, sizeof shown[0], "%.*s...", (int)mt_utf8_beginning(text, MT_UTF8_SHOWN), text);
    return to;
}

void mt_utf8_shorten_words(char *text)
{
    enum { BEGIN = 40, END = 40 };
    static const char white[] = " \t\r\n", dots[] = "...";
    char *to = text;
    for (const char *from = text; *from;) {
        const size_t space = strspn(from, white), n = strcspn(from + space, white);
        const char *word = from + space, *end = word + n;
        memmove(to, from, space);
        to += space;
        from = end;
        if (n > MT_UTF8_WORD_MOST) {
            const size_t begin = mt_utf8_beginning(word, BEGIN);
            memmove(to, word, begin);
            (void)memcpy(to + begin, dots, sizeof dots - 1);
            to += begin + sizeof dots - 1;
            word = end - END;
            while (word < end && is_inside(*word)) word++;
        }
        memmove(to, word, (size_t)(end - word));
        to += end - word;
    }
    *to = 0;
}
