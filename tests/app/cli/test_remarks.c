#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "app/cli/remarks.h"

/* The remark of a key: its word, or NULL, and its text, or NULL. */
static void expect(
    const char *text, const char *key, const char *value, const char *known, const char *source)
{
    mt_arena arena = {0};
    mt_remark remark;
    const char *word, *line;
    cr_assert(mt_remark_find(text, key, &remark), "no %s in %s", key, text);
    cr_expect_eq((size_t)(remark.value.end - remark.value.begin), strlen(value), "%s in %s", key, text);
    cr_expect_eq(strncmp(remark.value.begin, value, strlen(value)), 0, "%s in %s", key, text);
    cr_assert_eq(mt_remark_source(&arena, &remark, &word, &line), MT_OK);
    cr_expect(known ? word && strcmp(word, known) == 0 : !word, "%s: %s in %s", key, word, text);
    cr_expect(source ? line && strcmp(line, source) == 0 : !line, "%s: %s in %s", key, line, text);
    mt_arena_free(&arena);
}

static void expect_none(const char *text, const char *key)
{
    mt_remark remark;
    cr_expect(!mt_remark_find(text, key, &remark), "%s in %s", key, text);
}

Test(remarks, the_four_words_are_told_from_the_source)
{
    expect("a: 1 # measured: by us", "a", "1", "measured", "by us");
    expect("a: 1 # specified: data sheet: page 1\n", "a", "1", "specified", "data sheet: page 1");
    expect("a: 1 # derived:from b\n", "a", "1", "derived", "from b");
    expect("a: 1 #assumed: as b\n", "a", "1", "assumed", "as b");
    expect("a: 1 # guessed: as b\n", "a", "1", NULL, "guessed: as b");
    expect("a: 1 # measured by us\n", "a", "1", NULL, "measured by us");
    expect("a: 1 # measured\n", "a", "1", NULL, "measured");
}

Test(remarks, a_remark_goes_on_in_lines_that_begin_right_of_the_key)
{
    static const char text[] = "a: 1 # measured: one\n"
                               "     #   two\n"
                               "  # three\n"
                               "# of the next\n"
                               "b:\n"
                               "  c: 2 # derived: four\n"
                               "   #five\n"
                               "  # of the next\n"
                               "  d: 3 # assumed: six\n"
                               "\n"
                               "       # of nothing\n";
    expect(text, "a", "1", "measured", "one two three");
    expect(text, "b.c", "2", "derived", "four five");
    expect(text, "b.d", "3", "assumed", "six");
}

Test(remarks, a_key_is_found_by_those_above_it)
{
    static const char text[] =
        "a:\n  b:\n      c: 1 # assumed: deep\n  c: 2 # assumed: middle\nc: 3 # assumed: top\n"
        "d: # of the mapping\n  c: 4\n";
    expect(text, "a.b.c", "1", "assumed", "deep");
    expect(text, "a.c", "2", "assumed", "middle");
    expect(text, "c", "3", "assumed", "top");
    expect(text, "d.c", "4", NULL, NULL);
    expect_none(text, "a");
    expect_none(text, "b.c");
    expect_none(text, "d");
}

/* Dashes may stand right of the list's key or below it. */
Test(remarks, entries_of_lists_are_counted)
{
    static const char text[] = "a:\n"
                               "  b:\n"
                               "    - {c: 1} # assumed: first\n"
                               "             #   entry\n"
                               "    - c: 2 # assumed: second\n"
                               "      d: 3 # assumed: its d\n"
                               "    -   e:\n"
                               "          f: 4 # assumed: deep\n"
                               "  g:\n"
                               "  - 5 # assumed: below\n"
                               "  - h: 6 # assumed: below too\n"
                               "  i: 7 # assumed: behind\n";
    expect(text, "a.b.0", "{c: 1}", "assumed", "first entry");
    expect(text, "a.b.1.c", "2", "assumed", "second");
    expect(text, "a.b.1.d", "3", "assumed", "its d");
    expect(text, "a.b.2.e.f", "4", "assumed", "deep");
    expect(text, "a.g.0", "5", "assumed", "below");
    expect(text, "a.g.1.h", "6", "assumed", "below too");
    expect(text, "a.i", "7", "assumed", "behind");
    expect_none(text, "a.b.c");
    expect_none(text, "a.b.d");
}

Test(remarks, a_hash_in_a_value_begins_none)
{
    expect("a: \"x # y\" # assumed: z\n", "a", "\"x # y\"", "assumed", "z");
    expect("a: \"x \\\" # y\" # assumed: z\n", "a", "\"x \\\" # y\"", "assumed", "z");
    expect("a: 'x # y'\n", "a", "'x # y'", NULL, NULL);
    expect("a: x#y\n", "a", "x#y", NULL, NULL);
    expect("a: it's # assumed: z\n", "a", "it's", "assumed", "z");
}

Test(remarks, line_ends_of_other_systems_are_blanks)
{
    static const char text[] = "a: 1 # measured: one\r\n     # two\r\nb: 2\r\nc: 3 #\r\n";
    expect(text, "a", "1", "measured", "one two");
    expect(text, "b", "2", NULL, NULL);
    expect(text, "c", "3", NULL, NULL);
}

Test(remarks, what_is_written_otherwise_is_not_found_and_does_no_harm)
{
    char text[4096], key[256], *to = text;
    expect_none("", "a");
    expect_none("#", "a");
    expect_none(":", "");
    expect_none("a:", "a");
    expect_none("a:1 # assumed: no blank\n", "a");
    expect_none("a: {b: 1} # assumed: in one line\n", "a.b");
    expect_none("- a: 1 # assumed: of a list\n", "a");
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = 0;
    (void)snprintf(text, sizeof text, "%s: 1 # assumed: too long\nb: 2 # assumed: short\n", key);
    expect_none(text, key);
    expect(text, "b", "2", "assumed", "short");
    for (int k = 0; k < 20; k++) to += sprintf(to, "%*sd:\n", k, "");
    (void)strcpy(to, "b: 2 # assumed: behind\n");
    expect(text, "b", "2", "assumed", "behind");
}
