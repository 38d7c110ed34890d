#include <criterion/criterion.h>

#include <string.h>

#include "app/cli/remarks.h"

/* Checks the word and the text of a line's remark; NULL: no word, no text. */
static void expect(const char *text, size_t line, const char *known, const char *source)
{
    mt_arena arena = {0};
    mt_remarks remarks;
    const char *word, *said;
    cr_assert_eq(mt_remarks_begin(&arena, text, &remarks), MT_OK);
    cr_assert_eq(mt_remark_of_line(&arena, &remarks, line, &word, &said), MT_OK);
    cr_expect(known ? word && strcmp(word, known) == 0 : !word, "%zu: %s in %s", line, word, text);
    cr_expect(source ? said && strcmp(said, source) == 0 : !said, "%zu: %s in %s", line, said, text);
    mt_arena_free(&arena);
}

Test(remarks, the_four_keywords_are_separated_from_the_source_text)
{
    expect("a: 1 # measured: by us", 1, "measured", "by us");
    expect("a: 1 # specified: data sheet: page 1\n", 1, "specified", "data sheet: page 1");
    expect("a: 1 # derived:from b\n", 1, "derived", "from b");
    expect("a: 1 #assumed: as b\n", 1, "assumed", "as b");
    expect("a: 1 # guessed: as b\n", 1, NULL, "guessed: as b");
    expect("a: 1 # measured by us\n", 1, NULL, "measured by us");
    expect("a: 1 # measured\n", 1, NULL, "measured");
}

Test(remarks, a_remark_continues_on_comment_lines_that_are_indented_further)
{
    static const char text[] = "a: 1 # measured: one\n"
                               "     #   two\n"
                               "  # three\n"
                               "# of the next\n"
                               "b:\n"
                               "  c: 2 # derived: four\n"
                               "   #five\n"
                               "  # of the next\n"
                               "  d: 3 # assumed: six # and a half\n"
                               "\n"
                               "       # of nothing\n"
                               "  - {e: 4} # assumed: first\n"
                               "           #   entry";
    expect(text, 1, "measured", "one two three");
    expect(text, 5, NULL, NULL);
    expect(text, 6, "derived", "four five");
    expect(text, 9, "assumed", "six # and a half");
    expect(text, 12, "assumed", "first entry");
}

Test(remarks, a_hash_inside_a_value_does_not_start_a_remark)
{
    expect("a: \"x # y\" # assumed: z\n", 1, "assumed", "z");
    expect("a: \"x \\\" # y\" # assumed: z\n", 1, "assumed", "z");
    expect("a: 'x # y'\n", 1, NULL, NULL);
    expect("{a: 'x # y', b: [\"# z\"]} # assumed: c\n", 1, "assumed", "c");
    expect("a: x#y\n", 1, NULL, NULL);
    expect("a: it's # assumed: z\n", 1, "assumed", "z");
}

Test(remarks, carriage_returns_are_treated_as_blanks)
{
    static const char text[] = "a: 1 # measured: one\r\n     # two\r\nb: 2\r\nc: 3 #\r\n";
    expect(text, 1, "measured", "one two");
    expect(text, 3, NULL, NULL);
    expect(text, 4, NULL, NULL);
}

Test(remarks, missing_or_uncommented_lines_have_no_remark)
{
    expect("", 1, NULL, NULL);
    expect("#", 1, NULL, NULL);
    expect("a: \"\\", 1, NULL, NULL);
    expect("a: 1 # measured: one\n", 0, NULL, NULL);
    expect("a: 1 # measured: one\n", 2, NULL, NULL);
    expect("a: 1 # measured: one\n", 3, NULL, NULL);
}
