#include <criterion/criterion.h>

#include <string.h>

#include "data/core/utf8.h"

/* Surrogates, overlong forms, code points above U+10FFFF and truncated characters; RFC 3629. */
Test(utf8, only_characters_of_utf_8_are_valid)
{
    static const char *const right[] = {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "Herz \xe2\x99\xa5 \xc3\xa4"};
    static const char *const wrong[] = {"\xff", "\x80", "\xc1\xbf", "\xc2", "\xc3z", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xe2\x99", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf1\x80\x80",
        "\xf5\x80\x80\x80"};
    for (size_t k = 0; k < sizeof right / sizeof *right; k++)
        cr_expect_null(mt_utf8_invalid(right[k]), "right %zu", k);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        cr_expect_eq(mt_utf8_invalid(wrong[k]), wrong[k], "wrong %zu", k);
    const char *late = "a\xc3\xa4\xe2\x99z";
    cr_expect_eq(mt_utf8_invalid(late), late + 3);
}

Test(utf8, characters_are_decoded_to_length_and_code_point)
{
    static const struct {
        const char *text;
        size_t bytes;
        uint32_t code;
    } characters[] = {{"", 1, 0}, {"A", 1, 0x41}, {"\xc3\xa4!", 2, 0xE4}, {"\xe2\x99\xa5", 3, 0x2665},
        {"\xf0\x9f\xab\x80", 4, 0x1FAC0}};
    for (size_t k = 0; k < sizeof characters / sizeof *characters; k++) {
        uint32_t code = 1;
        cr_expect_eq(mt_utf8_character(characters[k].text, &code), characters[k].bytes, "%zu", k);
        cr_expect_eq(code, characters[k].code, "%zu: U+%04X", k, code);
    }
}

Test(utf8, a_quoted_value_is_truncated_to_forty_bytes_at_a_character_boundary)
{
    char text[1000] = "";
    cr_expect_str_eq(mt_utf8_shown("short"), "short");
    memset(text, 'x', 39);
    (void)strcpy(text + 39, "\xe2\x99\xa5 and more");
    cr_expect_str_eq(mt_utf8_shown(text), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
    text[40] = 0;
    cr_expect_eq(mt_utf8_shown(text), text);
    (void)strcpy(text, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\xe2\x99\xa5 and more");
    cr_expect_str_eq(mt_utf8_shown(text), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\xe2\x99\xa5...");
}

Test(utf8, long_words_keep_their_start_and_end)
{
    char text[1000] = "cannot read /", *at = text + strlen(text);
    memset(at, 'f', 300);
    (void)strcpy(at + 300, "/heart.hdf: \xc3\xa4 reason");
    mt_utf8_shorten_words(text);
    cr_expect_str_eq(text,
        "cannot read /fffffffffffffffffffffffffffffffffffffff...fffffffffffffffffffffffffffff/heart.hdf: "
        "\xc3\xa4 reason");
    memset(text, 'w', MT_UTF8_WORD_MOST);
    (void)strcpy(text + MT_UTF8_WORD_MOST, " w");
    mt_utf8_shorten_words(text);
    cr_expect_eq(strlen(text), MT_UTF8_WORD_MOST + 2);
    for (size_t k = 0; k < 100; k++) (void)strcpy(text + 3 * k, "\xe2\x99\xa5");
    mt_utf8_shorten_words(text);
    cr_expect_null(mt_utf8_invalid(text));
    cr_expect(strlen(text) < 90 && strlen(text) > 70);
}
