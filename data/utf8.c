#include "data/utf8.h"

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
