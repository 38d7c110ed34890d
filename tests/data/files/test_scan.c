#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/file.h"
#include "data/files/scan.h"
#include "tests/answers.h"
#include "tests/one_file.h"

TestSuite(scan, .init = enter, .fini = leave);

static mt_scan open_bytes(mt_arena *arena, const void *bytes, size_t n)
{
    mt_scan scan;
    cr_assert_eq(mt_file_write_text(path, bytes, n), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_scan_open(arena, path, &scan), MT_OK, "%s", mt_message());
    return scan;
}

Test(scan, words_and_numbers_are_read_in_order_and_lines_counted)
{
    static const char text[] = "Tt 12\t-3\r\n\n 1.5e-3 x\n$End 7";
    mt_arena arena = {0};
    mt_scan scan = open_bytes(&arena, text, sizeof text - 1);
    char word[3];
    int64_t a, b;
    double c;
    cr_assert_eq(mt_scan_words(&scan), 3);
    mt_scan_word(&scan, word, sizeof word);
    cr_assert_str_eq(word, "Tt");
    cr_assert_eq(mt_scan_int(&scan, "a", 0, 20, &a), MT_OK);
    cr_assert(mt_scan_more(&scan));
    cr_assert_eq(mt_scan_long(&scan, "b", -5, 5, &b), MT_OK);
    cr_assert_not(mt_scan_more(&scan));
    cr_assert_eq(mt_scan_real(&scan, "c", 1, &c), MT_OK);
    cr_assert(a == 12 && b == -3 && c == 1.5e-3 && scan.line == 3);
    cr_assert_not(mt_scan_skip_past(&scan, "$Begin"));
    cr_assert(mt_scan_skip_past(&scan, "$End"));
    cr_assert_eq(scan.line, 4);
    cr_assert_eq(mt_scan_int(&scan, "d", 0, 9, &a), MT_OK);
    cr_assert(a == 7 && mt_scan_left(&scan) == 0);
    mt_scan_word(&scan, word, sizeof word);
    cr_assert_str_eq(word, "");
    mt_arena_free(&arena);
}

Test(scan, an_invalid_number_is_reported_with_its_line_and_left_unread)
{
    static const char *const bad_int[] = {"x", "", "-", "1.5", "7x", "11", "-1", "99999999999999999999"},
                             *const bad_real[] = {"x", "", "nan", "inf", "-inf", "1e400", "1.5x", "101"};
    for (size_t k = 0; k < sizeof bad_int / sizeof *bad_int; k++) {
        mt_arena arena = {0};
        char text[64];
        int64_t value = 55;
        (void)snprintf(text, sizeof text, "one\n  %s", bad_int[k]);
        mt_scan scan = open_bytes(&arena, text, strlen(text));
        mt_scan_next_line(&scan);
        cr_assert_eq(mt_scan_int(&scan, "answer", 0, 10, &value), MT_INPUT, "%s", bad_int[k]);
        assert_message(":2: ");
        assert_message("answer");
        assert_message(bad_int[k]);
        assert_message("allowed: a whole number from 0 to 10");
        cr_assert_eq(value, 55);
        mt_arena_free(&arena);
    }
    for (size_t k = 0; k < sizeof bad_real / sizeof *bad_real; k++) {
        mt_arena arena = {0};
        double value = 55;
        mt_scan scan = open_bytes(&arena, bad_real[k], strlen(bad_real[k]));
        cr_assert_eq(mt_scan_real(&scan, "answer", 100, &value), MT_INPUT, "%s", bad_real[k]);
        assert_message("allowed: a number from -100 to 100");
        cr_assert_eq(value, 55);
        mt_arena_free(&arena);
    }
}

Test(scan, comments_are_skipped)
{
    static const char text[] = "# first\n1#x\n #\n 2.5 # 3\nab#c";
    mt_arena arena = {0};
    mt_scan scan = open_bytes(&arena, text, sizeof text - 1);
    char word[8];
    int64_t a;
    double b;
    scan.comment = '#';
    cr_assert_not(mt_scan_more(&scan));
    cr_assert_eq(mt_scan_words(&scan), 0);
    cr_assert_eq(mt_scan_int(&scan, "a", 0, 9, &a), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_scan_end_line(&scan, "a"), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_scan_real(&scan, "b", 9, &b), MT_OK, "%s", mt_message());
    cr_assert(a == 1 && b == 2.5 && scan.line == 4);
    cr_assert_eq(mt_scan_need_more(&scan, 1, 2), MT_INPUT);
    assert_message(":4: the line ends after 1 of 2 numbers");
    mt_scan_word(&scan, word, sizeof word);
    cr_assert_str_eq(word, "ab");
    cr_assert_eq(mt_scan_end_file(&scan, "words", 1), MT_OK, "%s", mt_message());
    mt_scan_word(&scan, word, sizeof word);
    cr_assert_str_eq(word, "");
    scan = open_bytes(&arena, text, sizeof text - 1);
    mt_scan_word(&scan, word, sizeof word);
    cr_assert_str_eq(word, "#");
    cr_assert_eq(mt_scan_end_line(&scan, "#"), MT_INPUT);
    assert_message(":1: 'first' after #; allowed: the end of the line");
    mt_arena_free(&arena);
}

Test(scan, a_count_that_exceeds_the_rest_of_the_file_is_rejected)
{
    mt_arena arena = {0};
    size_t n;
    mt_scan scan = open_bytes(&arena, "3\n0 0\n1 1\n2 2", 13);
    cr_assert_eq(mt_scan_count(&scan, "points", 4, &n), MT_OK, "%s", mt_message());
    cr_assert_eq(n, 3);
    scan = open_bytes(&arena, "\n\n5\n0 0\n1 1\n2 2", 15);
    cr_assert_eq(mt_scan_count(&scan, "points", 4, &n), MT_INPUT);
    assert_message(":3: points is 5; the rest of the file has space for 4");
    scan = open_bytes(&arena, "-1", 2);
    cr_assert_eq(mt_scan_count(&scan, "points", 4, &n), MT_INPUT);
    mt_arena_free(&arena);
}

Test(scan, binary_numbers_are_little_endian_and_errors_name_the_byte)
{
    static const unsigned char bytes[] = {0xfe, 0xff, 0xff, 0xff, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    mt_arena arena = {0};
    int64_t a, b;
    double c;
    size_t n;
    mt_scan scan = open_bytes(&arena, bytes, sizeof bytes);
    scan.binary = true;
    cr_assert_eq(mt_scan_count(&scan, "n", 1, &n), MT_INPUT); /* of 8 bytes: out of range */
    scan.at = scan.begin;
    cr_assert_eq(mt_scan_int(&scan, "a", -2, -2, &a), MT_OK);
    cr_assert_eq(mt_scan_long(&scan, "b", 0, 257, &b), MT_INPUT);
    assert_message("byte 4: b is 258; allowed: 0 to 257");
    cr_assert_eq(mt_scan_long(&scan, "b", 0, 258, &b), MT_OK);
    cr_assert_eq(mt_scan_real(&scan, "c", 2, &c), MT_OK);
    cr_assert(a == -2 && b == 258 && c == 1.5);
    cr_assert_eq(mt_scan_real(&scan, "c", 2, &c), MT_INPUT);
    assert_message("byte 20: c is nan");
    scan.at = scan.end - 7;
    cr_assert_eq(mt_scan_real(&scan, "c", 2, &c), MT_INPUT);
    assert_message("ends before the c");
    mt_arena_free(&arena);
}

Test(scan, only_regular_files_are_accepted)
{
    mt_arena arena = {0};
    mt_scan scan;
    cr_assert_eq(mt_scan_open(&arena, "/tmp/myotile_no_such_file", &scan), MT_FILE);
    assert_message("No such file");
    cr_assert_eq(mt_scan_open(&arena, "/tmp", &scan), MT_FILE);
    cr_assert_eq(mt_scan_open(&arena, "/dev/zero", &scan), MT_FILE);
    assert_message("allowed: a regular file");
    mt_arena_fail_at(1);
    cr_assert_eq(mt_scan_open(&arena, path, &scan), MT_MEMORY);
    mt_arena_fail_at(0);
    mt_arena_free(&arena);
}
