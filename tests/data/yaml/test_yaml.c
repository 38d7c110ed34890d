#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/core/progress.h"
#include "data/yaml/yaml.h"
#include "data/yaml/yaml_words.h"
#include "data/yaml/yaml_write.h"
#include "tests/sets.h"

typedef enum scheme { FULL, RANGED } scheme;

typedef struct stimulus {
    const char *name;
    double start_ms;
    double at_mm[3];
    struct {
        size_t count;
    } pulses;
} stimulus;

typedef struct example {
    double before; /* not in the table: must become 0 */
    double edge_mm;
    double size_mm[3];
    size_t tiles;
    uint32_t seed;
    scheme scheme;
    bool quiet;
    const char *title;
    struct {
        double end_ms;
        double dt_ms;
    } time;
    stimulus *stimuli;
    size_t n_stimuli;
    double *looks_ms;
    size_t n_looks;
    uint32_t *marks;
    size_t n_marks;
} example;

static const char *const schemes[] = {"full", "ranged", NULL};
static const mt_yaml_key pulses_keys[] = {
    MT_YAML_UNSIGNED(stimulus, pulses.count, "count", "1", MT_YAML_ANY, "How many.", .old_name = "number"),
    MT_YAML_END};
static const mt_yaml_key stimulus_keys[] = {MT_YAML_STRING(stimulus, name, "name", "unnamed", "Its name."),
    MT_YAML_DOUBLE(stimulus, start_ms, "start_ms", NULL, MT_YAML_AT_LEAST(0), "When it starts."),
    MT_YAML_DOUBLES(stimulus, at_mm, "at_mm", "[0, 0, 0]", MT_YAML_ANY, "Where it is."),
    MT_YAML_MAPPING("pulses", pulses_keys, "Its pulses."), MT_YAML_END};
static const mt_yaml_key time_keys[] = {
    MT_YAML_DOUBLE(example, time.end_ms, "end_ms", NULL, MT_YAML_ABOVE(0), "When it ends."),
    MT_YAML_DOUBLE(example, time.dt_ms, "dt_ms", "0.05", MT_YAML_WITHIN(0.001, 1), "A step."), MT_YAML_END};
static const mt_yaml_key example_keys[] = {
    MT_YAML_DOUBLE(example, edge_mm, "edge_mm", "0.4", MT_YAML_ABOVE(0), "Edge of a box."),
    MT_YAML_DOUBLES(example, size_mm, "size_mm", NULL, MT_YAML_ABOVE(0), "Size."),
    MT_YAML_UNSIGNED(
        example, tiles, "tiles", "1472", MT_YAML_WITHIN(1, 23552), "Tiles used.", .unit = "tiles"),
    MT_YAML_UNSIGNED(example, seed, "seed", "7", MT_YAML_ANY, "Of random numbers."),
    MT_YAML_ENUM(example, scheme, "scheme", "ranged", schemes, "What is sent.", .old_name = "way"),
    MT_YAML_REMOVED("colour", "red", "titles are black"),
    MT_YAML_BOOL(example, quiet, "quiet", "true", "Prints nothing."),
    MT_YAML_STRING(example, title, "title", "", "A title."),
    MT_YAML_MAPPING("time", time_keys, "Times.", .old_name = "times"),
    MT_YAML_NUMBERS(example, looks_ms, n_looks, "looks_ms", MT_YAML_AT_LEAST(0), "When to look."),
    MT_YAML_NUMBERS(example, marks, n_marks, "marks", MT_YAML_AT_LEAST(0), "Marked elements."),
    MT_YAML_LIST(example, stimuli, n_stimuli, "stimuli", 0, 3, stimulus_keys, "Up to three stimuli."),
    MT_YAML_END};
static const mt_yaml_table table = {example_keys, sizeof(example)};

static const char least[] = "size_mm: [20, 7, 3]\ntime:\n  end_ms: 500\n";

static const char whole[] = "# a comment\n"
                            "edge_mm: 1e-1\n"
                            "size_mm: [20, 7.5, 3]\n"
                            "tiles: 23552\n"
                            "seed: 4294967295\n"
                            "scheme: full\n"
                            "quiet: false\n"
                            "title: \"a \\\"quoted\\\" title: with \\n things\"\n"
                            "time: {end_ms: 500, dt_ms: 0.02}\n"
                            "looks_ms: [0, 0.1, 1e300]\n"
                            "marks: [3, 4294967295]\n"
                            "stimuli:\n"
                            "  - {name: apex, start_ms: 0.1}\n"
                            "  - name: 12\n"
                            "    start_ms: 30\n"
                            "    at_mm: [-1, 0.30000000000000004, 1e-300]\n"
                            "    pulses: {count: 010}\n";

/* Reads `text` with overrides, which must fail, and compares the message. */
static void expect_error(const char *text, const char *override, const char *message)
{
    mt_arena arena = {0};
    example e;
    mt_status status = mt_yaml_read(
        &arena, "case.yaml", text, &table, &(mt_yaml_override){"--set", override}, override ? 1 : 0, &e);
    cr_expect_eq(status, MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
    mt_arena_free(&arena);
}

static void expect_same(const example *a, const example *b)
{
    cr_assert_eq(a->edge_mm, b->edge_mm);
    cr_assert_arr_eq(a->size_mm, b->size_mm, sizeof a->size_mm);
    cr_assert_eq(a->tiles, b->tiles);
    cr_assert_eq(a->seed, b->seed);
    cr_assert_eq(a->scheme, b->scheme);
    cr_assert_eq(a->quiet, b->quiet);
    cr_assert_str_eq(a->title, b->title);
    cr_assert_eq(a->time.end_ms, b->time.end_ms);
    cr_assert_eq(a->time.dt_ms, b->time.dt_ms);
    cr_assert_eq(a->n_looks, b->n_looks);
    if (a->n_looks > 0) cr_assert_arr_eq(a->looks_ms, b->looks_ms, a->n_looks * sizeof *a->looks_ms);
    cr_assert_eq(a->n_marks, b->n_marks);
    if (a->n_marks > 0) cr_assert_arr_eq(a->marks, b->marks, a->n_marks * sizeof *a->marks);
    cr_assert_eq(a->n_stimuli, b->n_stimuli);
    for (size_t i = 0; i < a->n_stimuli; i++) {
        cr_assert_str_eq(a->stimuli[i].name, b->stimuli[i].name);
        cr_assert_eq(a->stimuli[i].start_ms, b->stimuli[i].start_ms);
        cr_assert_arr_eq(a->stimuli[i].at_mm, b->stimuli[i].at_mm, sizeof a->stimuli[i].at_mm);
        cr_assert_eq(a->stimuli[i].pulses.count, b->stimuli[i].pulses.count);
    }
}

Test(yaml, every_type_is_loaded)
{
    mt_arena arena = {0};
    example e;
    memset(&e, 0xff, sizeof e);
    cr_assert_eq(mt_yaml_read(&arena, "case.yaml", whole, &table, NULL, 0, &e), MT_OK, "%s", mt_message());
    cr_expect_eq(e.before, 0);
    cr_expect_eq(e.edge_mm, 0.1);
    cr_expect_eq(e.size_mm[1], 7.5);
    cr_expect_eq(e.tiles, 23552);
    cr_expect_eq(e.seed, UINT32_MAX);
    cr_expect_eq(e.scheme, FULL);
    cr_expect_not(e.quiet);
    cr_expect_str_eq(e.title, "a \"quoted\" title: with \n things");
    cr_expect_eq(e.time.end_ms, 500);
    cr_expect_eq(e.time.dt_ms, 0.02);
    cr_assert_eq(e.n_looks, 3);
    cr_expect_eq(e.looks_ms[1], 0.1);
    cr_expect_eq(e.looks_ms[2], 1e300);
    cr_assert_eq(e.n_marks, 2);
    cr_expect_eq(e.marks[0], 3);
    cr_expect_eq(e.marks[1], UINT32_MAX);
    cr_assert_eq(e.n_stimuli, 2);
    cr_expect_str_eq(e.stimuli[0].name, "apex");
    cr_expect_eq(e.stimuli[0].at_mm[2], 0);
    cr_expect_eq(e.stimuli[0].pulses.count, 1);
    cr_expect_str_eq(e.stimuli[1].name, "12");
    cr_expect_eq(e.stimuli[1].start_ms, 30);
    cr_expect_eq(e.stimuli[1].at_mm[1], 0.30000000000000004);
    cr_expect_eq(e.stimuli[1].pulses.count, 10, "a leading zero is not octal");
    mt_arena_free(&arena);
}

Test(yaml, omitted_keys_have_their_default)
{
    mt_arena arena = {0};
    example e;
    cr_assert_eq(mt_yaml_read(&arena, "case.yaml", least, &table, NULL, 0, &e), MT_OK, "%s", mt_message());
    cr_expect_eq(e.edge_mm, 0.4);
    cr_expect_eq(e.tiles, 1472);
    cr_expect_eq(e.seed, 7);
    cr_expect_eq(e.scheme, RANGED);
    cr_expect(e.quiet);
    cr_expect_str_eq(e.title, "");
    cr_expect_eq(e.time.dt_ms, 0.05);
    cr_expect_eq(e.n_stimuli, 0);
    cr_expect_eq(e.n_looks, 0);
    mt_arena_free(&arena);
}

Test(yaml, written_values_are_loaded_unchanged)
{
    mt_arena arena = {0};
    static const char *const sources[] = {whole, least};
    static const char *const sets[] = {"edge_mm=0.1234567890123456789", "title=# 'odd': [\\x] \xc3\xa9\t"};
    for (size_t i = 0; i < 2; i++) {
        example first;
        example second;
        const char *text = NULL;
        cr_assert_eq(mt_yaml_read(&arena, "a", sources[i], &table, sets_of(sets, 2), 2, &first), MT_OK, "%s",
            mt_message());
        cr_assert_eq(mt_yaml_write(&arena, &table, &first, &text), MT_OK);
        cr_assert_eq(
            mt_yaml_read(&arena, "b", text, &table, NULL, 0, &second), MT_OK, "%s\n%s", mt_message(), text);
        expect_same(&first, &second);
    }
    mt_arena_free(&arena);
}

Test(yaml, errors_name_file_line_key_and_allowed_values)
{
    expect_error("size_mm: [1, 2, 3]\ntime:\n  end_ms: 5\n  dt_sm: 1\n", NULL,
        "case.yaml:4: time.dt_sm: unknown key; allowed here: end_ms, dt_ms");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nedge_mm: -0.5\n", NULL,
        "case.yaml:3: edge_mm: -0.5; allowed: above 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nedge_mm: fine\n", NULL,
        "case.yaml:3: edge_mm: fine; allowed: a number above 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nedge_mm:\n", NULL,
        "case.yaml:3: edge_mm: nothing; allowed: a number above 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5, dt_ms: 2}\n", NULL,
        "case.yaml:2: time.dt_ms: 2; allowed: at least 0.001 and at most 1");
    expect_error("size_mm: [1, 2, 3]\ntime:\n  dt_ms: 0.1\n", NULL,
        "case.yaml:3: time.end_ms: missing; allowed: a number above 0");
    expect_error(
        "\nsize_mm: [1, 2, 3]\n", NULL, "case.yaml:2: time.end_ms: missing; allowed: a number above 0");
    expect_error("", NULL, "case.yaml:1: size_mm: missing; allowed: 3 numbers in brackets, each above 0");
    expect_error("size_mm: [1, 2]\n", NULL,
        "case.yaml:1: size_mm: a sequence of 2; allowed: 3 numbers in brackets, each above 0");
    expect_error("size_mm:\n  - 1\n  - 0\n  - 2\n", NULL, "case.yaml:3: size_mm.1: 0; allowed: above 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nlooks_ms: 5\n", NULL,
        "case.yaml:3: looks_ms: 5; allowed: numbers in brackets, each at least 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nlooks_ms:\n  - 1\n  - -2\n", NULL,
        "case.yaml:5: looks_ms.1: -2; allowed: at least 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nmarks: 5\n", NULL,
        "case.yaml:3: marks: 5; allowed: whole numbers in brackets, each at least 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nmarks: [1, 0.5]\n", NULL,
        "case.yaml:3: marks.1: 0.5; allowed: a whole number at least 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nmarks: [4294967296]\n", NULL,
        "case.yaml:3: marks.0: 4294967296; allowed: at least 0 and at most 4294967295");
    expect_error(
        "size_mm: [1, 2, 3]\ntime: 5\n", NULL, "case.yaml:2: time: 5; allowed: a mapping with end_ms, dt_ms");
}

/* The warning that was given, or "". */
static char warned[256];

static void keep_warning(const char *kind, const char *text)
{
    (void)snprintf(warned, sizeof warned, "%s: %s", kind, text);
}

/* Reads a text, and with `set` not NULL a value by --set; expects one warning. */
static void expect_warning(const char *text, const char *set, const char *warning)
{
    static const mt_listener listener = {.message = keep_warning};
    const mt_yaml_override override = {"--set", set};
    mt_arena arena = {0};
    example e;
    warned[0] = 0;
    mt_listen(&listener);
    cr_assert_eq(mt_yaml_read(&arena, "case.yaml", text, &table, &override, set != NULL, &e), MT_OK, "%s",
        mt_message());
    cr_expect_str_eq(warned, warning);
    mt_listen(NULL);
    mt_arena_free(&arena);
}

Test(yaml, a_renamed_key_is_accepted_with_a_warning_that_states_its_new_name)
{
    expect_warning("size_mm: [1, 2, 3]\nway: full\ntime: {end_ms: 5}\n", NULL,
        "warning: case.yaml:2: way is now scheme");
    expect_warning(
        "size_mm: [1, 2, 3]\ntimes: {end_ms: 5}\n", NULL, "warning: case.yaml:2: times is now time");
    expect_warning(least, "way=full", "warning: --set way=full: way is now scheme");
    expect_warning(whole, "stimuli.1.pulses.number=2",
        "warning: --set stimuli.1.pulses.number=2: stimuli.1.pulses.number is now stimuli.1.pulses.count");
    expect_error("size_mm: [1, 2, 3]\ntime: {way: full}\n", NULL,
        "case.yaml:2: time.way: unknown key; allowed here: end_ms, dt_ms");
    expect_error("size_mm: [1, 2, 3]\ntime: {end_ms: 5}\nscheme: full\nway: full\n", NULL,
        "case.yaml:3: scheme: given twice; its old name is way");
}

Test(yaml, overrides_by_old_and_new_names_of_a_key_replace_each_other)
{
    static const char *const words[][2] = {
        {"scheme: full\n", "way=ranged"}, {"way: full\n", "scheme=ranged"}};
    for (size_t k = 0; k < 2; k++) {
        char text[256];
        mt_arena arena = {0};
        example e;
        (void)snprintf(text, sizeof text, "%s%s", least, words[k][0]);
        cr_assert_eq(mt_yaml_read(&arena, "case.yaml", text, &table, NULL, 0, &e), MT_OK, "%s", mt_message());
        cr_expect_eq(e.scheme, FULL);
        cr_assert_eq(
            mt_yaml_read(&arena, "case.yaml", text, &table, &(mt_yaml_override){"--set", words[k][1]}, 1, &e),
            MT_OK, "%s", mt_message());
        cr_expect_eq(e.scheme, RANGED);
        mt_arena_free(&arena);
    }
}

/* Other tests of this file check that removed keys are not required, written, documented or listed as allowed. */
Test(yaml, a_removed_key_is_accepted_with_a_warning_that_names_its_replacement)
{
    static const mt_listener listener = {.message = keep_warning};
    char text[256];
    mt_arena arena = {0};
    example e;
    mt_listen(&listener);
    (void)snprintf(text, sizeof text, "%scolour: red\n", least);
    cr_assert_eq(mt_yaml_read(&arena, "case.yaml", text, &table, NULL, 0, &e), MT_OK);
    cr_expect_str_eq(warned, "", "the old default");
    (void)snprintf(text, sizeof text, "%scolour: blue\n", least);
    cr_assert_eq(mt_yaml_read(&arena, "case.yaml", text, &table, NULL, 0, &e), MT_OK);
    cr_expect_str_eq(warned, "warning: case.yaml:4: colour: no longer used; titles are black");
    cr_assert_eq(
        mt_yaml_read(&arena, "case.yaml", least, &table, &(mt_yaml_override){"--set", "colour=blue"}, 1, &e),
        MT_OK);
    cr_expect_str_eq(warned, "warning: --set colour=blue: no longer used; titles are black");
    (void)snprintf(text, sizeof text, "%scolour: [blue]\n", least);
    cr_expect_eq(mt_yaml_read(&arena, "case.yaml", text, &table, NULL, 0, &e), MT_INPUT);
    mt_arena_free(&arena);
    mt_listen(NULL);
}

/* The path may be of any file, so its contents must not appear in a message. */
Test(yaml, error_messages_truncate_long_values)
{
    expect_error("0123456789012345678901234567890123456789\n", NULL,
        "case.yaml:1: 0123456789012345678901234567890123456789; allowed: lines of key: value");
    expect_error("01234567890123456789012345678901234567890\n", NULL,
        "case.yaml:1: 0123456789012345678901234567890123456789...; allowed: lines of key: value");
    expect_error("size_mm: \"01234567890123456789012345678901234567890\"\n", NULL,
        "case.yaml:1: size_mm: \"0123456789012345678901234567890123456789...\"; allowed: 3 numbers in "
        "brackets, each above 0");
    expect_error("size_mm: 012345678901234567890123456789012345678\u00e4\n", NULL,
        "case.yaml:1: size_mm: 012345678901234567890123456789012345678...; allowed: 3 numbers in brackets, "
        "each above 0");
    expect_error("size_mm: [1, 2, 3]\ntime: {01234567890123456789012345678901234567890: 5}\n", NULL,
        "case.yaml:2: time.0123456789012345678901234567890123456789...: unknown key; allowed here: end_ms, "
        "dt_ms");
    expect_error(
        "01234567890123456789012345678901234567890: 1\n01234567890123456789012345678901234567890: 2\n", NULL,
        "case.yaml:2: 0123456789012345678901234567890123456789...: duplicate key; first in line 1");
    expect_error("!0123456789012345678901234567890123456789 5\n", NULL,
        "case.yaml:1: tag !012345678901234567890123456789012345678...; tags are not allowed here");
}

Test(yaml, numbers_words_and_lists_are_strict)
{
    static const char *const values[][2] = {
        {"tiles=2.5", "--set tiles=2.5: 2.5; allowed: a whole number at least 1 and at most 23552"},
        {"tiles=0", "--set tiles=0: 0; allowed: at least 1 and at most 23552"},
        {"seed=-1", "--set seed=-1: -1; allowed: at least 0 and at most 4294967295"},
        {"seed=4294967296", "--set seed=4294967296: 4294967296; allowed: at least 0 and at most 4294967295"},
        {"edge_mm=nan", "--set edge_mm=nan: nan; allowed: a number above 0"},
        {"edge_mm=.inf", "--set edge_mm=.inf: .inf; allowed: a number above 0"},
        {"edge_mm=1e999", "--set edge_mm=1e999: 1e999; allowed: a number above 0"},
        {"edge_mm=0x10", "--set edge_mm=0x10: 0x10; allowed: a number above 0"},
        {"quiet=yes", "--set quiet=yes: yes; allowed: true, false"},
        {"scheme=fulll", "--set scheme=fulll: fulll; allowed: full, ranged"},
        {"stimuli=[{start_ms: 1},{start_ms: 1},{start_ms: 1},{start_ms: 1}]",
            "--set stimuli=[{start_ms: 1},{start_ms: 1},{start_ms: 1},{start_ms: 1}]: a sequence of 4; "
            "allowed: a list of mappings, their number at least 0 and at most 3"},
        {"stimuli=[{}]", "--set stimuli=[{}]: stimuli.0.start_ms is missing; allowed: a number at least 0"},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        expect_error(least, values[i][0], values[i][1]);
    expect_error("edge_mm: \"1\"\n", NULL, "case.yaml:1: edge_mm: \"1\"; allowed: a number above 0");
}

Test(yaml, overrides_replace_and_add_values_and_their_keys_are_checked)
{
    static const char *const sets[] = {"edge_mm=2", "time.dt_ms=0.5", "size_mm=[4, 5, 6]",
        "stimuli.1.start_ms=9", "stimuli.0.pulses.count=3", "title=a=b", "edge_mm=3"};
    mt_arena arena = {0};
    example e;
    cr_assert_eq(
        mt_yaml_read(&arena, "case.yaml", whole, &table, sets_of(sets, 7), 7, &e), MT_OK, "%s", mt_message());
    cr_expect_eq(e.edge_mm, 3, "the last override applies");
    cr_expect_eq(e.time.dt_ms, 0.5);
    cr_expect_eq(e.time.end_ms, 500);
    cr_expect_eq(e.size_mm[2], 6);
    cr_expect_eq(e.stimuli[1].start_ms, 9);
    cr_expect_eq(e.stimuli[0].pulses.count, 3);
    cr_expect_str_eq(e.title, "a=b");
    mt_arena_free(&arena);
    expect_error(whole, "time.dt_sm=1", "--set time.dt_sm=1: unknown key; allowed here: end_ms, dt_ms");
    expect_error(whole, "edge_mm", "--set edge_mm: no value; allowed: key=value");
    expect_error(whole, "edge_mm.x=1", "--set edge_mm.x=1: edge_mm is a value without keys");
    expect_error(whole, "stimuli.2.start_ms=1",
        "--set stimuli.2.start_ms=1: stimuli has 2 entries; allowed: the number of an entry, from 0, and a "
        "key");
}

Test(yaml, invalid_yaml_is_rejected_with_its_line)
{
    expect_error(
        "edge_mm: 1\ntiles: 2\nedge_mm: 3\n", NULL, "case.yaml:3: edge_mm: duplicate key; first in line 1");
    expect_error("edge_mm: [1\ntiles: 2\n", NULL, "case.yaml:2: not YAML: did not find expected ',' or ']'");
    expect_error("- 1\n- 2\n", NULL, "case.yaml:1: a sequence of 2; allowed: lines of key: value");
    expect_error("edge_mm: 1\n---\nedge_mm: 2\n", NULL, "case.yaml:3: a second document; allowed: one");
    expect_error(
        "size_mm: &a [1, 2, 3]\ntime: *a\n", NULL, "case.yaml:2: anchors and aliases are not allowed here");
    expect_error("edge_mm: 1\ntiles: !!float 2\n", NULL,
        "case.yaml:2: tag tag:yaml.org,2002:float; tags are not allowed here");
    expect_error("edge_mm: !here 1\n", NULL, "case.yaml:1: tag !here; tags are not allowed here");
}

Test(yaml, the_first_repeated_key_is_reported)
{
    expect_error(
        "c: 1\nb: 2\na: 3\nb: 4\na: 5\nc: 6\nb: 7\n", NULL, "case.yaml:4: b: duplicate key; first in line 2");
    expect_error("time: {end_ms: 1, dt_ms: 1,\n end_ms: 2}\n", NULL,
        "case.yaml:2: end_ms: duplicate key; first in line 1");
    expect_error(
        least, "stimuli=[{a: 1, a: 2}]", "--set stimuli=[{a: 1, a: 2}]: duplicate key; first in line 0");
}

Test(yaml, nesting_depth_is_limited)
{
    char text[80] = "a: ";
    memset(text + 3, '[', 33), memset(text + 36, ']', 33);
    expect_error(text, NULL, "case.yaml:1: nested more than 32 levels deep");
    memset(text + 3, '[', 32), memset(text + 35, ']', 32), text[67] = 0;
    expect_error(text, NULL,
        "case.yaml:1: a: unknown key; allowed here: edge_mm, size_mm, tiles, seed, scheme, quiet, title, "
        "time, looks_ms, marks, stimuli");
}

/* With quadratic time these would take a minute or more. */
Test(yaml, excessive_keys_anchors_and_brackets_are_rejected_quickly, .timeout = 30)
{
    enum { MANY = 150000 };
    char *text = malloc(MANY * 24), *to = text;
    cr_assert_not_null(text);
    for (int k = 0; k < MANY; k++) to += sprintf(to, "key%d: 1\n", k);
    expect_error(text, NULL,
        "case.yaml:1: key0: unknown key; allowed here: edge_mm, size_mm, tiles, seed, scheme, quiet, title, "
        "time, looks_ms, marks, stimuli");
    to = text;
    for (int k = 0; k < MANY; k++) to += sprintf(to, "k%d: &a%d 1\n", k, k);
    (void)sprintf(to, "k7: 1\n");
    expect_error(text, NULL, "case.yaml:150001: k7: duplicate key; first in line 8");
    memset(text, '[', MANY);
    text[MANY] = 0;
    expect_error(text, NULL, "case.yaml:1: nested more than 32 levels deep");
    free(text);
}

Test(yaml, invalid_utf8_is_rejected_with_its_line_and_key)
{
    static const char said[] = "invalid byte 0xF6; allowed: text in UTF-8";
    char message[200];
    static const char *const texts[][2] = {{"title: gr\xF6\xDF"
                                            "er\n",
                                               "1: title"},
        {"edge_mm: 1\ntitle: \"a\n\n b\xF6\"\n", "4: title"}, {"time:\n  end_ms: \xF6\n", "2: time.end_ms"},
        {"stimuli:\n- {start_ms: 1}\n- {start_ms: 1, name: \xF6\xF6}", "3: stimuli.1.name"}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        (void)snprintf(message, sizeof message, "case.yaml:%s: %s", texts[k][1], said);
        expect_error(texts[k][0], NULL, message);
    }
    (void)snprintf(message, sizeof message, "case.yaml:2: %s", said);
    expect_error("edge_mm: 1\n# gr\xF6\xDF\n", NULL, message);
    expect_error("edge_mm: 1\ngr\xF6: 1\n", NULL, message);
    expect_error("edge_mm: 1\ngr\xF6: 1\ntitle: \xF6\n", NULL, message);
    expect_error("}\n\xF6", NULL, message);
    (void)snprintf(message, sizeof message, "case.yaml:1: title: %s", said);
    expect_error("\xEF\xBB\xBFtitle: \xC3\xA9\xF6\n", NULL, message);
}

Test(yaml, invalid_utf8_is_rejected_on_the_command_line)
{
    static const char said[] = "; allowed: text in UTF-8";
    static const char *const sets[][3] = {{"title=gr\xF6\xDF", "--set title: invalid byte 0xF6"},
        {"size_mm=[\xFF]", "--set size_mm: invalid byte 0xFF"},
        {"ti\xFEtle=x", "--set ti: invalid byte 0xFE"}, {"title\xFE", "--set title: invalid byte 0xFE"}};
    char message[200];
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        (void)snprintf(message, sizeof message, "%s%s", sets[k][1], said);
        expect_error(least, sets[k][0], message);
    }
}

/* All kinds of invalid UTF-8: a lone continuation byte, a truncated character, overlong forms, surrogates, and code points above
 * U+10FFFF. */
Test(yaml, utf8_is_validated_according_to_the_standard)
{
    static const char *const wrong[] = {"\x80", "\xC3", "\xC3(", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF",
        "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFE"};
    static const char *const right[] = {"\x7F", "\xC2\x80", "\xC2\x85", "\xDF\xBF", "\xE0\xA0\x80",
        "\xE2\x80\xA8", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBB\xBF", "\xEF\xBF\xBE", "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF", "\x01", "a\\b\"c\td", "\xC3\xA9t\xC3\xA9"};
    char set[32];
    const char *sets[] = {set};
    example e, again;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mt_arena arena = {0};
        (void)snprintf(set, sizeof set, "title=%s", wrong[k]);
        cr_assert_eq(mt_yaml_read(&arena, "x", least, &table, sets_of(sets, 1), 1, &e), MT_INPUT, "%zu", k);
        cr_assert(strstr(mt_message(), "invalid byte"), "%zu: %s", k, mt_message());
        mt_arena_free(&arena);
    }
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
        mt_arena arena = {0};
        const char *text;
        (void)snprintf(set, sizeof set, "title=%s", right[k]);
        cr_assert_eq(mt_yaml_read(&arena, "x", least, &table, sets_of(sets, 1), 1, &e), MT_OK, "%zu: %s", k,
            mt_message());
        cr_assert_str_eq(e.title, right[k]);
        cr_assert_eq(mt_yaml_write(&arena, &table, &e, &text), MT_OK);
        cr_assert_eq(
            mt_yaml_read(&arena, "x", text, &table, NULL, 0, &again), MT_OK, "%zu: %s", k, mt_message());
        cr_assert_str_eq(again.title, right[k]);
        mt_arena_free(&arena);
    }
}

static void load_fails(const char *path, mt_status code, const char *message)
{
    mt_arena arena = {0};
    example e;
    cr_assert_eq(mt_yaml_load(&arena, path, &table, NULL, 0, &e), code, "%s: %s", path, mt_message());
    cr_assert(strstr(mt_message(), message), "%s", mt_message());
    mt_arena_free(&arena);
}

Test(yaml, devices_and_folders_are_rejected, .timeout = 30)
{
    load_fails("/dev/zero", MT_INPUT, "/dev/zero: is a character device; allowed: a regular file, or a pipe");
    load_fails("/dev/null", MT_INPUT, "/dev/null: is a character device");
    load_fails("/tmp", MT_INPUT, "/tmp: is a folder; allowed: a regular file, or a pipe");
}

/* Loads a text of this number of bytes from a pipe: a comment, then `least`. */
static mt_status load_from_pipe(size_t bytes, example *e)
{
    int ends[2];
    char name[32];
    mt_arena arena = {0};
    cr_assert_eq(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        (void)close(ends[0]);
        FILE *to = fdopen(ends[1], "w");
        (void)fputc('#', to);
        for (size_t k = 0; k < bytes - strlen(least) - 2; k++) (void)fputc('x', to);
        (void)fputc('\n', to);
        (void)fputs(least, to);
        (void)fclose(to);
        _exit(0);
    }
    (void)close(ends[1]);
    (void)snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    const mt_status status = mt_yaml_load(&arena, name, &table, NULL, 0, e);
    (void)close(ends[0]);
    mt_arena_free(&arena);
    return status;
}

Test(yaml, a_pipe_is_read_up_to_the_maximum_file_size)
{
    example e;
    cr_assert_eq(load_from_pipe(100, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(e.time.end_ms, 500);
    cr_assert_eq(load_from_pipe(MT_YAML_BYTES_MAX, &e), MT_OK, "%s", mt_message());
    cr_assert_eq(load_from_pipe(MT_YAML_BYTES_MAX + 1, &e), MT_INPUT);
    cr_assert(strstr(mt_message(), ": more than 4194304 bytes; allowed: at most this size (a larger file is "
                                   "probably a mesh or a result)"),
        "%s", mt_message());
}

Test(yaml, a_missing_file_is_a_file_error)
{
    mt_arena arena = {0};
    example e;
    cr_assert_eq(mt_yaml_load(&arena, "/nowhere/case.yaml", &table, NULL, 0, &e), MT_FILE);
    cr_assert_str_eq(mt_message(), "/nowhere/case.yaml: cannot be read: No such file or directory");
    mt_arena_free(&arena);
}

Test(yaml, a_file_is_read)
{
    char path[] = "/tmp/mt_yaml_XXXXXX";
    int handle = mkstemp(path);
    cr_assert(handle >= 0);
    FILE *file = fdopen(handle, "w");
    cr_assert(fputs(whole, file) >= 0);
    cr_assert_eq(fclose(file), 0);
    mt_arena arena = {0};
    example e;
    cr_expect_eq(mt_yaml_load(&arena, path, &table, NULL, 0, &e), MT_OK, "%s", mt_message());
    cr_expect_eq(e.tiles, 23552);
    cr_expect_eq(remove(path), 0);
    mt_arena_free(&arena);
}

typedef struct place {
    const char *name;
    double at_mm[3], radius_mm, start_ms;
    int sky;
} place;
typedef struct places {
    place *place;
    size_t n;
} places;

static const char *const skies[] = {"blue", "grey", NULL};

/* Optional values without a default: an omitted one is NaN, an empty text or no word, and is not written. */
Test(yaml, omitted_optional_keys_have_no_value_and_are_not_written)
{
    static const mt_yaml_key keys[] = {MT_YAML_STRING(place, name, "name", MT_YAML_NONE, ""),
        MT_YAML_DOUBLES(place, at_mm, "at_mm", MT_YAML_NONE, MT_YAML_ABOVE(0), ""),
        MT_YAML_DOUBLE(place, radius_mm, "radius_mm", MT_YAML_NONE, MT_YAML_ABOVE(0), ""),
        MT_YAML_ENUM(place, sky, "sky", MT_YAML_NONE, skies, ""),
        MT_YAML_DOUBLE(place, start_ms, "start_ms", "0", MT_YAML_ANY, ""), MT_YAML_END};
    static const mt_yaml_key list[] = {MT_YAML_LIST(places, place, n, "places", 0, 9, keys, ""), MT_YAML_END};
    static const mt_yaml_table both = {list, sizeof(places)};
    static const char text[] =
        "places: [{name: a}, {at_mm: [1, 2, 3]}, {radius_mm: 4, start_ms: 5}, {sky: blue}]";
    static const char expected[] = "places:\n"
                                   "  - name: \"a\"\n    start_ms: 0\n"
                                   "  - at_mm: [1, 2, 3]\n    start_ms: 0\n"
                                   "  - radius_mm: 4\n    start_ms: 5\n"
                                   "  - sky: blue\n    start_ms: 0\n";
    mt_arena arena = {0};
    places p;
    const char *written;
    cr_assert_eq(mt_yaml_read(&arena, "a.yaml", text, &both, NULL, 0, &p), MT_OK, "%s", mt_message());
    cr_assert_eq(p.n, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_str_eq(p.place[i].name, i == 0 ? "a" : "");
        for (int k = 0; k < 3; k++) cr_expect_eq(isnan(p.place[i].at_mm[k]), i != 1);
        cr_expect_eq(isnan(p.place[i].radius_mm), i != 2);
        cr_expect_eq(p.place[i].sky, i == 3 ? 0 : -1);
    }
    cr_assert_eq(mt_yaml_write(&arena, &both, &p, &written), MT_OK);
    cr_expect_str_eq(written, expected);
    cr_expect_eq(mt_yaml_read(&arena, "a.yaml", "places: [{radius_mm: nan}]", &both, NULL, 0, &p), MT_INPUT);
    cr_expect_eq(mt_yaml_read(&arena, "a.yaml", "places: [{sky: ~}]", &both, NULL, 0, &p), MT_INPUT);
    mt_arena_free(&arena);
}

/* Words that depend on a preceding key; values for another file, with their positions. */

typedef struct drink {
    int kind, taste;
    const mt_yaml_override *sets;
    size_t n_sets;
} drink;

static const char *const kinds[] = {"tea", "juice", NULL};

static const char *taste(const void *structure, size_t i)
{
    static const char *const tastes[] = {"green", "black", "apple"};
    const drink *d = structure;
    const size_t from = d && d->kind == 1 ? 2 : 0, to = d && d->kind == 0 ? 2 : 3;
    return from + i < to ? tastes[from + i] : NULL;
}

static const mt_yaml_key drink_keys[] = {MT_YAML_ENUM(drink, kind, "kind", "tea", kinds, "Kind."),
    MT_YAML_ENUM_OF(drink, taste, "taste", NULL, taste, "Taste."),
    MT_YAML_SETS(drink, sets, n_sets, "set", "Sets."), MT_YAML_END};
static const mt_yaml_table drink_table = {drink_keys, sizeof(drink)};

static void expect_drink_error(const char *text, const char *message)
{
    mt_arena arena = {0};
    drink d;
    cr_expect_eq(mt_yaml_read(&arena, "a.yaml", text, &drink_table, NULL, 0, &d), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
    mt_arena_free(&arena);
}

Test(yaml, allowed_words_can_depend_on_another_key)
{
    mt_arena arena = {0};
    drink d;
    const char *text;
    cr_assert_eq(
        mt_yaml_read(&arena, "a.yaml", "taste: apple\nkind: juice", &drink_table, NULL, 0, &d), MT_OK);
    cr_expect(d.kind == 1 && d.taste == 0 && d.n_sets == 0);
    cr_assert_eq(mt_yaml_write(&arena, &drink_table, &d, &text), MT_OK);
    cr_expect_str_eq(text, "kind: juice\ntaste: apple\nset: []\n");
    mt_arena_free(&arena);
    expect_drink_error("\ntaste: apple", "a.yaml:2: taste: apple; allowed: green, black");
    expect_drink_error("kind: juice", "a.yaml:1: taste: missing; allowed: apple");
    expect_drink_error("taste: [apple]", "a.yaml:1: taste: a sequence of 1; allowed: green, black");
}

typedef struct menu {
    uint32_t dishes;
} menu;

static const char *const dishes[] = {"soup", "fish", "cake", NULL};
static const mt_yaml_key menu_keys[] = {
    MT_YAML_WORD_LIST(menu, dishes, "dishes", "[soup, cake]", dishes, "Dishes."), MT_YAML_END};
static const mt_yaml_table menu_table = {menu_keys, sizeof(menu)};

Test(yaml, a_list_of_words_is_a_set)
{
    static const struct {
        const char *text, *written;
        uint32_t dishes;
    } cases[] = {{"{}", "dishes: [soup, cake]\n", 5}, {"dishes: []", "dishes: []\n", 0},
        {"dishes: [cake, fish]", "dishes: [fish, cake]\n", 6},
        {"dishes:\n  - fish\n  - fish", "dishes: [fish]\n", 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mt_arena arena = {0};
        menu m;
        const char *text;
        cr_assert_eq(mt_yaml_read(&arena, "a.yaml", cases[k].text, &menu_table, NULL, 0, &m), MT_OK, "%s",
            mt_message());
        cr_expect_eq(m.dishes, cases[k].dishes);
        cr_assert_eq(mt_yaml_write(&arena, &menu_table, &m, &text), MT_OK);
        cr_expect_str_eq(text, cases[k].written);
        mt_arena_free(&arena);
    }
    mt_arena arena = {0};
    menu m;
    cr_expect_eq(mt_yaml_read(&arena, "a.yaml", "dishes: [soup, stew]", &menu_table, NULL, 0, &m), MT_INPUT);
    cr_expect_str_eq(mt_message(), "a.yaml:1: dishes.1: stew; allowed: any of soup, fish, cake, in brackets");
    cr_expect_eq(mt_yaml_read(&arena, "a.yaml", "dishes: soup", &menu_table, NULL, 0, &m), MT_INPUT);
    cr_expect_str_eq(mt_message(), "a.yaml:1: dishes: soup; allowed: any of soup, fish, cake, in brackets");
    mt_arena_free(&arena);
}

/* A member of several numbers has a bit for each of more than 32 words. */
typedef struct shelf {
    uint32_t before, books[2], after;
} shelf;
static const char *book(const void *structure, size_t i)
{
    static const char names[40][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d",
        "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x",
        "y", "z", "A", "B", "C", "D"};
    (void)structure;
    return i < 40 ? names[i] : NULL;
}

Test(yaml, a_list_may_have_more_than_32_words)
{
    static const mt_yaml_key keys[] = {
        MT_YAML_WORD_LIST_OF(shelf, books, "books", "[a]", book, "Books."), MT_YAML_END};
    static const mt_yaml_table of_shelf = {keys, sizeof(shelf)};
    mt_arena arena = {0};
    shelf s;
    const char *text;
    cr_assert_eq(mt_yaml_read(&arena, "a.yaml", "books: [D, v, w, 0]", &of_shelf, NULL, 0, &s), MT_OK, "%s",
        mt_message());
    cr_expect_eq(s.books[0], (1U << 31) + 1);
    cr_expect_eq(s.books[1], (1U << 7) + 1);
    cr_expect(s.before == 0 && s.after == 0);
    cr_assert_eq(mt_yaml_write(&arena, &of_shelf, &s, &text), MT_OK);
    cr_expect_str_eq(text, "books: [0, v, w, D]\n");
    mt_arena_free(&arena);
}

/* A text that names an object: a colour by its name, or by a number after #, which stands for a file. */
typedef struct paint {
    const char *named, *shade;
    int colour, tone;
} paint;
static const char *paint_word(const void *structure, size_t i)
{
    static const char *const words[] = {"red", "blue", "#NUMBER", NULL};
    (void)structure;
    return words[i];
}
static const char *tone_word(const void *structure, size_t i)
{
    const paint *p = structure;
    return i > 0 ? NULL : !p ? "any" : p->colour == 0 ? "warm" : p->colour == 1 ? "cold" : "odd";
}
static mt_status open_paint(mt_arena *arena, void *structure)
{
    paint *p = structure;
    p->shade = mt_arena_text(arena, strchr(p->named, '/') ? strchr(p->named, '/') + 1 : p->named);
    p->colour = strcmp(p->named, "red") == 0 ? 0 : strcmp(p->named, "blue") == 0 ? 1 : 2;
    if (p->colour < 2 || p->named[0] == '#') return p->shade ? MT_OK : MT_MEMORY;
    return mt_fail(MT_INPUT, "colour %s; allowed: red", p->named);
}
static const char *shade_of(const void *structure) { return ((const paint *)structure)->shade; }
static const mt_yaml_opener paint_opener = {open_paint, shade_of};
static const mt_yaml_key paint_keys[] = {
    MT_YAML_OPENED(paint, named, "colour", "blue", paint_word, &paint_opener, "Colour."),
    MT_YAML_ENUM_OF(paint, tone, "tone", NULL, tone_word, "Tone."), MT_YAML_END};
static const mt_yaml_table paint_table = {paint_keys, sizeof(paint)};

Test(yaml, a_text_opens_the_object_that_it_names_before_the_next_key)
{
    static const struct {
        const char *text, *written, *lines;
    } cases[] = {{"tone: cold", "colour: blue\ntone: cold\n", "colour: blue\ntone: cold\n"},
        {"tone: warm\ncolour: red", "colour: red\ntone: warm\n", "colour: red\ntone: warm\n"},
        {"colour: '#a/7'\ntone: odd", "colour: \"#a/7\"\ntone: odd\n", "colour: \"7\"\ntone: odd\n"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mt_arena arena = {0};
        paint p;
        const char *text;
        cr_assert_eq(mt_yaml_read(&arena, "a.yaml", cases[k].text, &paint_table, NULL, 0, &p), MT_OK, "%s",
            mt_message());
        cr_assert_eq(mt_yaml_write(&arena, &paint_table, &p, &text), MT_OK);
        cr_expect_str_eq(text, cases[k].written);
        cr_assert_eq(mt_yaml_write_lines(&arena, &paint_table, &p, &text), MT_OK);
        cr_expect_str_eq(text, cases[k].lines);
        mt_arena_free(&arena);
    }
}

Test(yaml, an_object_that_does_not_exist_is_reported_with_its_key)
{
    mt_arena arena = {0};
    paint p;
    cr_expect_eq(
        mt_yaml_read(&arena, "a.yaml", "tone: odd\ncolour: grey", &paint_table, NULL, 0, &p), MT_INPUT);
    cr_expect_str_eq(mt_message(), "a.yaml:2: colour: colour grey; allowed: red");
    cr_expect_eq(mt_yaml_read(&arena, "a.yaml", "colour: []", &paint_table, NULL, 0, &p), MT_INPUT);
    cr_expect_str_eq(mt_message(), "a.yaml:1: colour: a sequence of 0; allowed: red, blue, #NUMBER");
    mt_arena_free(&arena);
}

/* One line per value, each with its complete path. */
Test(yaml, single_line_output_has_complete_key_paths)
{
    mt_arena arena = {0};
    menu m = {2};
    const char *text;
    cr_assert_eq(mt_yaml_write_lines(&arena, &menu_table, &m, &text), MT_OK);
    cr_expect_str_eq(text, "dishes: [fish]\n");
    mt_arena_free(&arena);
}

Test(yaml, deferred_values_record_their_file_and_line)
{
    mt_arena arena = {0};
    drink d;
    const char *text, *set = "set=[a=b]";
    const char *source = "taste: black\nset:\n  - a=1\n  - \"b=[1, \\\"2\\\"]\"\n";
    cr_assert_eq(
        mt_yaml_read(&arena, "a.yaml", source, &drink_table, NULL, 0, &d), MT_OK, "%s", mt_message());
    cr_assert_eq(d.n_sets, 2);
    cr_expect_str_eq(d.sets[0].from, "a.yaml:3: set.0:");
    cr_expect_str_eq(d.sets[0].text, "a=1");
    cr_expect_str_eq(d.sets[1].from, "a.yaml:4: set.1:");
    cr_expect_str_eq(d.sets[1].text, "b=[1, \"2\"]");
    cr_assert_eq(mt_yaml_write(&arena, &drink_table, &d, &text), MT_OK);
    cr_expect_str_eq(text, "kind: tea\ntaste: black\nset: [\"a=1\", \"b=[1, \\\"2\\\"]\"]\n");
    cr_assert_eq(mt_yaml_read(&arena, "a.yaml", source, &drink_table, sets_of(&set, 1), 1, &d), MT_OK);
    cr_expect(d.n_sets == 1 && strcmp(d.sets[0].from, "--set set=[a=b]:") == 0);
    mt_arena_free(&arena);
    expect_drink_error("taste: black\nset: a=1", "a.yaml:2: set: a=1; allowed: pairs key=value in brackets");
}

Test(yaml, every_failed_allocation_is_reported)
{
    static const char *const sets[] = {"time.dt_ms=0.5", "size_mm=[4, 5, 6]"};
    for (size_t n = 1;; n++) {
        mt_arena arena = {0};
        example e;
        const char *text = NULL;
        mt_arena_fail_at(n);
        mt_status status = mt_yaml_read(&arena, "case.yaml", whole, &table, sets_of(sets, 2), 2, &e);
        if (status == MT_OK) status = mt_yaml_write(&arena, &table, &e, &text);
        mt_arena_fail_at(0);
        mt_arena_free(&arena);
        if (status == MT_OK) {
            cr_assert_gt(n, 20);
            break;
        }
        cr_assert_eq(status, MT_MEMORY, "allocation %zu: %s", n, mt_message());
        cr_assert_lt(n, 1000);
    }
}

/* Returns the bytes allocated for a list of n entries. */
static size_t taken_for(size_t n)
{
    typedef struct entries {
        stimulus *entry;
        size_t n;
    } entries;
    static const mt_yaml_key keys[] = {
        MT_YAML_LIST(entries, entry, n, "list", 0, MT_YAML_UNBOUNDED, stimulus_keys, ""), MT_YAML_END};
    static const mt_yaml_table lists = {keys, sizeof(entries)};
    mt_arena arena = {0};
    entries read;
    char *text = mt_arena_alloc(&arena, 32, n + 1), *to = text + sprintf(text, "list:\n");
    for (size_t k = 0; k < n; k++) to += sprintf(to, "  - {start_ms: %zu}\n", k);
    const size_t before = mt_arena_allocated();
    cr_assert_eq(mt_yaml_read(&arena, "x", text, &lists, NULL, 0, &read), MT_OK, "%s", mt_message());
    const size_t taken = mt_arena_allocated() - before;
    cr_assert_eq(read.n, n);
    for (size_t k = 0; k < n; k++) cr_assert_eq(read.entry[k].start_ms, (double)k);
    mt_arena_free(&arena);
    return taken;
}

/* The array doubles when it grows, so four times the entries need two more doublings. A copy for each entry would need 16 times
 * the memory. */
Test(yaml, memory_of_a_list_is_linear_in_its_length) { cr_expect_leq(taken_for(4096), 5 * taken_for(1024)); }

/* In the order of the table, with nested keys after the rest. */
Test(yaml, the_reference_page_has_a_row_for_every_key)
{
    static const char expected[] =
        "\n| key | default | unit | allowed | meaning |\n|---|---|---|---|---|\n"
        "| `edge_mm` | `0.4` | mm | a number above 0 | Edge of a box. |\n"
        "| `size_mm` | required | mm | 3 numbers in brackets, each above 0 | Size. |\n"
        "| `tiles` | `1472` | tiles | a whole number at least 1 and at most 23552 | Tiles used. |\n"
        "| `seed` | `7` |  | a whole number | Of random numbers. |\n"
        "| `scheme` | `ranged` |  | full, ranged | What is sent. |\n"
        "| `quiet` | `true` |  | true, false | Prints nothing. |\n"
        "| `title` | none |  | a text | A title. |\n"
        "| `looks_ms` | `[]` | ms | numbers in brackets, each at least 0 | When to look. |\n"
        "| `marks` | `[]` |  | whole numbers in brackets, each at least 0 | Marked elements. |\n"
        "\n## time\n\nTimes.\n"
        "\n| key | default | unit | allowed | meaning |\n|---|---|---|---|---|\n"
        "| `time.end_ms` | required | ms | a number above 0 | When it ends. |\n"
        "| `time.dt_ms` | `0.05` | ms | a number at least 0.001 and at most 1 | A step. |\n"
        "\n## stimuli\n\nUp to three stimuli.\nA list of at least 0 and at most 3 entries.\n"
        "\n| key | default | unit | allowed | meaning |\n|---|---|---|---|---|\n"
        "| `stimuli.N.name` | `unnamed` |  | a text | Its name. |\n"
        "| `stimuli.N.start_ms` | required | ms | a number at least 0 | When it starts. |\n"
        "| `stimuli.N.at_mm` | `[0, 0, 0]` | mm | 3 numbers in brackets | Where it is. |\n"
        "\n## stimuli.N.pulses\n\nIts pulses.\n"
        "\n| key | default | unit | allowed | meaning |\n|---|---|---|---|---|\n"
        "| `stimuli.N.pulses.count` | `1` |  | a whole number | How many. |\n";
    char *page;
    size_t n;
    FILE *to = open_memstream(&page, &n);
    mt_yaml_write_page(to, example_keys);
    cr_assert_eq(fclose(to), 0);
    cr_expect_str_eq(page, expected);
    free(page);
}

/* ---- a word or a mapping, and names of numbers ---- */

typedef struct sited {
    const char *at;
    double height, turn;
    int side;
} sited;

typedef struct sites {
    sited *site;
    size_t n;
} sites;

static const mt_named_number heights[] = {{"apex", 0}, {"base", 1}, {NULL, 0}};
static const char *const sides[] = {"left", "right", NULL}, *const site_words[] = {"apex", "here", NULL};
static const mt_yaml_key at_keys[] = {
    MT_YAML_NAMED_DOUBLE(sited, height, "height", MT_YAML_NONE, MT_YAML_WITHIN(0, 1), heights, "Height."),
    MT_YAML_DOUBLE(sited, turn, "turn", MT_YAML_NONE, MT_YAML_ANY, "Turn.", .affects = 2),
    MT_YAML_ENUM(sited, side, "side", MT_YAML_NONE, sides, "Side."), MT_YAML_END};
static const mt_yaml_key sited_keys[] = {
    MT_YAML_EITHER(sited, at, "at", site_words, at_keys, "A place.", .affects = 1),
    MT_YAML_ENUM(sited, side, "other_side", MT_YAML_NONE, sides, "Side again."), MT_YAML_END};
static const mt_yaml_key sites_keys[] = {
    MT_YAML_LIST(sites, site, n, "sites", 0, 9, sited_keys, "Places."), MT_YAML_END};
static const mt_yaml_table sites_table = {sites_keys, sizeof(sites)};

static void read_sites(mt_arena *arena, const char *text, const char *set, sites *s)
{
    cr_assert_eq(
        mt_yaml_read(arena, "a.yaml", text, &sites_table, &(mt_yaml_override){"--set", set}, set ? 1 : 0, s),
        MT_OK, "%s", mt_message());
}

Test(yaml, a_word_or_a_mapping_is_read_and_written)
{
    static const char text[] = "sites:\n  - {at: apex}\n  - {at: {height: base, turn: -3}}\n"
                               "  - {at: {height: 0.25, side: right}}\n  - {other_side: left}\n";
    mt_arena arena = {0};
    sites s, again;
    const char *written, *lines;
    read_sites(&arena, text, NULL, &s);
    cr_assert(s.n == 4 && strcmp(s.site[0].at, "apex") == 0 && isnan(s.site[0].height));
    cr_assert(!s.site[1].at[0] && s.site[1].height == 1 && s.site[1].turn == -3);
    cr_assert(s.site[2].height == 0.25 && isnan(s.site[2].turn));
    cr_assert(!s.site[3].at[0] && isnan(s.site[3].height) && s.site[3].side == 0);
    for (size_t k = 0; k < 3; k++) s.site[k].side = -1;
    cr_assert_eq(mt_yaml_write(&arena, &sites_table, &s, &written), MT_OK);
    cr_assert(
        strstr(written, "- at: \"apex\"\n") && strstr(written, "- at:\n      height: 1\n      turn: -3\n"),
        "%s", written);
    s.n = 3; /* an entry without a value is not written */
    cr_assert_eq(mt_yaml_write(&arena, &sites_table, &s, &written), MT_OK);
    read_sites(&arena, written, NULL, &again);
    cr_assert(again.n == 3 && strcmp(again.site[0].at, "apex") == 0 && again.site[1].turn == -3);
    cr_assert_eq(mt_yaml_write_lines(&arena, &sites_table, &s, &lines), MT_OK);
    cr_assert(strstr(lines, "sites.0.at: \"apex\"\nsites.1.at.height: 1\n"), "%s", lines);
    cr_assert_eq(mt_yaml_affects(sites_keys, "sites.1.at.turn"), 2);
    cr_assert_eq(mt_yaml_affects(sites_keys, "sites.1.at.height"), 1);
    read_sites(&arena, text, "sites.0.at={turn: 4}", &again);
    cr_assert(!again.site[0].at[0] && again.site[0].turn == 4);
    read_sites(&arena, text, "sites.1.at=here", &again);
    cr_assert(strcmp(again.site[1].at, "here") == 0 && isnan(again.site[1].turn));
    read_sites(&arena, text, "sites.3.at.height=apex", &again);
    cr_assert_eq(again.site[3].height, 0);
    mt_arena_free(&arena);
}

Test(yaml, wrong_words_mappings_and_names_are_refused)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {{"sites: [{at: top}]", "a.yaml:1: sites.0.at: top; allowed: apex, here, or a mapping with "
                                        "height, turn, side"},
        {"sites: [{at: [1]}]",
            "a.yaml:1: sites.0.at: a sequence of 1; allowed: apex, here, or a mapping with "
            "height, turn, side"},
        {"sites: [{at: {up: 1}}]", "a.yaml:1: sites.0.at.up: unknown key; allowed here: height, turn, side"},
        {"sites: [{at: {height: top}}]", "a.yaml:1: sites.0.at.height: top; allowed: a number at least 0 and "
                                         "at most 1, or apex, base"},
        {"sites: [{at: {turn: apex}}]", "a.yaml:1: sites.0.at.turn: apex; allowed: a number"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mt_arena arena = {0};
        sites s;
        cr_expect_eq(mt_yaml_read(&arena, "a.yaml", wrong[k].text, &sites_table, NULL, 0, &s), MT_INPUT);
        cr_expect_str_eq(mt_message(), wrong[k].message);
        mt_arena_free(&arena);
    }
}
