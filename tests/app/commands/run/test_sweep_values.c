#include <criterion/criterion.h>

#include "app/commands/run/sweep_values.h"

#include <string.h>

static mt_arena arena;

static void done(void) { mt_arena_free(&arena); }

TestSuite(sweep_values, .fini = done);

/* Checks the texts of the values, separated by '|'. */
static void expect(const char *text, const char *values, const char *last_name)
{
    mt_sweep_values v;
    char all[512] = "";
    cr_assert_eq(mt_sweep_values_read(&arena, text, &v), MT_OK, "%s: %s", text, mt_message());
    for (size_t k = 0; k < v.n; k++) {
        (void)strcat(strcat(all, k > 0 ? "|" : ""), v.value[k].text);
        cr_expect_eq(
            strncmp(v.value[k].set, text, strcspn(text, "=") + 1), 0, "%s: %s", text, v.value[k].set);
        cr_expect_str_eq(v.value[k].set + strcspn(text, "=") + 1, v.value[k].text);
    }
    cr_expect_str_eq(all, values, "%s: %s", text, all);
    cr_expect_str_eq(v.value[v.n - 1].name, last_name);
}

Test(sweep_values, commas_separate_values_except_in_brackets_braces_and_quotes)
{
    expect("time.end_ms=1,2.5,3e1", "1|2.5|3e1", "end_ms=3e1");
    expect("cell.scale=[g_Kr=0.5],[g_Kr=1, g_Ks=2]", "[g_Kr=0.5]|[g_Kr=1, g_Ks=2]", "scale=[g_Kr=1, g_Ks=2]");
    expect("points=[{name: a, at_mm: [1,2,3]}],[]", "[{name: a, at_mm: [1,2,3]}]|[]", "points=[]");
    expect("title=\"a, b\",'c, ''d'", "\"a, b\"|'c, ''d'", "title='c, ''d'");
    expect("title= a b , c", "a b|c", "title=c");
    expect("a.b=1", "1", "b=1");
}

Test(sweep_values, slashes_in_a_value_are_replaced_in_the_folder_name)
{
    expect("mesh.file=one.hdf,../two/three.hdf", "one.hdf|../two/three.hdf", "file=.._two_three.hdf");
}

static void refused(const char *text, const char *why)
{
    mt_sweep_values v;
    cr_assert_eq(mt_sweep_values_read(&arena, text, &v), MT_INPUT, "%s", text);
    cr_expect(strstr(mt_message(), why), "%s: %s", text, mt_message());
}

Test(sweep_values, values_that_are_empty_or_share_a_folder_name_are_rejected)
{
    char text[300] = "title=";
    refused("time.end_ms", "--sweep time.end_ms: key or values are missing; allowed: path.to.key=A,B,C");
    refused("=1,2", "key or values are missing");
    refused("time.end_ms=", "an empty value");
    refused("time.end_ms=1,,2", "an empty value");
    refused("time.end_ms=1,", "an empty value");
    refused("time.end_ms=1,2,1", "two values have the folder name end_ms=1; allowed: different values");
    refused("mesh.file=a/b,a_b", "two values have the folder name file=a_b");
    memset(text + strlen(text), 'a', 250);
    refused(text, "too long for a folder name; allowed: at most 200 characters");
}
