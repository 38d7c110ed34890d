#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/csv.h"

Test(csv, fields_are_quoted_if_necessary)
{
    static const struct {
        const char *text, *field;
    } cases[] = {{"plain words", "plain words"}, {"", ""}, {"a,b", "\"a,b\""}, {"\"a\"", "\"\"\"a\"\"\""},
        {"two\nlines", "\"two\nlines\""}, {"end\r", "\"end\r\""},
        /* executed by a spreadsheet */
        {"=1+1", "'=1+1"}, {"@SUM(A1)", "'@SUM(A1)"}, {"-P1", "'-P1"},
        {"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"}, {"=a,b", "\"'=a,b\""}, {"'=1+1", "''=1+1"},
        {"\t=1", "'\t=1"},
        /* not executed */
        {"-85.2", "-85.2"}, {"+1e-3", "+1e-3"}, {"-inf", "-inf"}, {"-", "-"}, {"'tis", "'tis"},
        {"a=b", "a=b"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        mt_csv_field(stream, cases[k].text);
        (void)fclose(stream);
        cr_expect_str_eq(text, cases[k].field);
        free(text);
    }
}

static mt_csv read_back(mt_arena *arena, const char *text)
{
    char path[] = "/tmp/test_csv.XXXXXX";
    const int file = mkstemp(path);
    mt_csv csv;
    cr_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    (void)close(file);
    const mt_status status = mt_csv_read(arena, path, &csv);
    (void)unlink(path);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    return csv;
}

Test(csv, written_files_are_read_back)
{
    static const char *const texts[] = {"plain", "", "a,b", "\"a\"", "two\nlines", "end\r", "1.5", "=1+1",
        "'=1+1", "''-a,b", "'tis", "-", "-2.5"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    mt_arena arena = {0};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    for (int line = 0; line < 3; line++)
        for (int k = 0; k < TEXTS; k++) {
            mt_csv_field(stream, texts[k]);
            (void)fputs(k + 1 < TEXTS ? "," : line == 1 ? "\r\n" : "\n", stream);
        }
    (void)fclose(stream);
    const mt_csv csv = read_back(&arena, text);
    cr_assert(csv.n_columns == TEXTS && csv.n_rows == 2);
    for (int k = 0; k < TEXTS; k++) {
        cr_expect_str_eq(csv.column[k], texts[k]);
        cr_expect_str_eq(csv.cell[k], texts[k]);
        cr_expect_str_eq(csv.cell[TEXTS + k], texts[k]);
    }
    cr_expect_eq(mt_csv_find(&csv, "a,b"), 2);
    cr_expect_eq(mt_csv_find(&csv, "nothing"), TEXTS);
    cr_expect_eq(mt_csv_number(&csv, 0, 6), 1.5);
    cr_expect(isnan(mt_csv_number(&csv, 0, 0)) && isnan(mt_csv_number(&csv, 0, 1)));
    free(text);
    mt_arena_free(&arena);
}

Test(csv, a_byte_order_mark_and_empty_last_lines_are_skipped)
{
    mt_arena arena = {0};
    mt_csv csv = read_back(&arena, "\xef\xbb\xbf"
                                   "a,b\r\n1,2\r\n\r\n\n");
    cr_expect(csv.n_columns == 2 && csv.n_rows == 1);
    cr_expect_eq(mt_csv_find(&csv, "a"), 0);
    csv = read_back(&arena, "a\n1\n\n"); /* of one column an empty line is a field */
    cr_expect(csv.n_columns == 1 && csv.n_rows == 2);
    mt_arena_free(&arena);
}

Test(csv, a_damaged_file_is_rejected_with_its_line)
{
    static const struct {
        const char *text, *words;
        size_t n;
    } cases[] = {{"", ":1: the file is empty", 0}, {"a,b\n1\n", ":2: 1 fields; allowed: 2", 6},
        {"a,b\n1,2\n1,2,3\n", ":3: 3 fields; allowed: 2", 14},
        {"a,b\n1,2\n\n1,2\n", ":3: 1 fields; allowed: 2", 13},
        {"a,b\n1,\"2\n\n", ":2: an unterminated quote", 10},
        {"a,b\n\"1\"2,3\n", ":2: byte 50 after a field; allowed: a comma or the end of the line", 11},
        {"a;b\n1;2\n", ":1: columns separated by a semicolon; allowed: commas", 8},
        {"a\tb\n1\t2\n", ":1: columns separated by a tab; allowed: commas", 8},
        {"a\n1\0\n", ":2: byte 0 after a field; allowed: a comma or the end of the line", 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[] = "/tmp/test_csv.XXXXXX";
        const int file = mkstemp(path);
        mt_arena arena = {0};
        mt_csv csv;
        cr_assert(file >= 0 && write(file, cases[k].text, cases[k].n) == (ssize_t)cases[k].n);
        (void)close(file);
        cr_expect_eq(mt_csv_read(&arena, path, &csv), MT_INPUT, "%zu", k);
        cr_expect(strstr(mt_message(), cases[k].words), "%zu: %s", k, mt_message());
        (void)unlink(path);
        mt_arena_free(&arena);
    }
}
