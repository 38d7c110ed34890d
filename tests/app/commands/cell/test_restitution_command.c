#include <criterion/criterion.h>

#include "tests/json.h"
#include "tests/app/program.h"

#include <sys/resource.h>

static mt_arena arena;

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(restitution_command, .init = enter_room, .fini = leave);

static const json *rows_of(const char *line, const char *table)
{
    char *text = works("%s", line);
    const char *at = text;
    const json *tables = json_read(&arena, &at);
    free(text);
    cr_assert_str_eq(json_at(tables->first, "table")->text, table);
    return json_at(tables->first, "rows");
}

static double number(const json *row, const char *key) { return json_at(row, key)->number; }

/* Each S1-S2 interval is shorter than the previous one, and so is the action potential after it. A run of `cell` gives the same
 * values. */
Test(restitution_command, s1_s2_intervals_decrease_until_the_cell_no_longer_responds)
{
    const json *rows = rows_of("restitution --beats 2 --intervals-ms 600,100,50 --format json", "s1_s2");
    const size_t n = json_length(rows);
    double before_ms = INFINITY, interval_ms = 650;
    cr_assert(n >= 5 && n <= 7, "%zu: from 600 ms to about 350", n);
    for (const json *row = rows->first; row; row = row->next) {
        cr_assert_eq(number(row, "s1_s2_interval_ms"), interval_ms -= 50);
        cr_assert(number(row, "apd90_ms") < before_ms && number(row, "diastolic_interval_ms") > 0);
        before_ms = number(row, "apd90_ms");
    }
    free(works("cell --bcl 1000 --beats 1 --save one.yaml"));
    const json *beats = rows_of("cell --start one.yaml --bcl 600 --beats 2 --format json", "beats");
    cr_assert_float_eq(number(beats->first->next, "apd90_ms"), number(rows->first, "apd90_ms"), 1e-6);
    cr_assert_float_eq(number(beats->first->next, "diastolic_interval_ms"),
        number(rows->first, "diastolic_interval_ms"), 1e-6);
}

/* The slope of the model's closed form (tests/solver/cells/test_restitution.c) exceeds 1 below DI = 120 ln 1.8 = 70 ms: a cycle
 * length with shorter DI alternates, longer ones do not. */
Test(restitution_command, the_dynamic_protocol_shows_alternans)
{
    const json *rows = rows_of("restitution --protocol dynamic --model mitchell-schaeffer --dt-ms 0.05 "
                               "--beats 20 --intervals-ms 330,270,30 --format json",
        "dynamic");
    cr_assert_eq(json_length(rows), 3);
    cr_assert_lt(fabs(number(rows->first, "apd90_change_ms")), 0.5);
    cr_assert_gt(fabs(number(rows->first->next->next, "apd90_change_ms")), 10);
    for (const json *row = rows->first; row; row = row->next)
        cr_assert_float_eq(number(row, "apd90_ms") + number(row, "next_diastolic_interval_ms"),
            number(row, "cycle_length_ms"), 3); /* tolerance for the delay of weak upstrokes */
}

Test(restitution_command, both_protocols_draw_a_picture)
{
    free(works("restitution --model mitchell-schaeffer --dt-ms 0.1 --beats 1 --intervals-ms 500,400,50 "
               "--picture s.png"));
    free(works("restitution --model mitchell-schaeffer --dt-ms 0.1 --beats 4 --intervals-ms 500,400,50 "
               "--protocol dynamic --picture d.png"));
    cr_assert(there("s.png") && there("d.png") && !same_file("s.png", "d.png"));
}

/* A file size limit simulates a full disk: the table, which took long to compute, is not lost. */
Test(restitution_command, the_table_is_printed_although_writing_the_picture_fails)
{
    static const char *const lines[] = {
        "restitution --model mitchell-schaeffer --dt-ms 0.1 --beats 1 --intervals-ms 500,400,50",
        "restitution --model mitchell-schaeffer --dt-ms 0.1 --beats 1 --intervals-ms 500,400,50 --cable"};
    const struct rlimit little = {1024, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        reply r = myotile("%s --picture full.png", lines[k]);
        cr_expect(r.code == 3 && strstr(r.said, "full.png") && strstr(r.out, "S1 to S2"), "%s: %d: %s%s",
            lines[k], r.code, r.said, r.out);
        cr_expect_not(there("full.png"));
        forget(&r);
    }
}

Test(restitution_command, invalid_options_are_rejected)
{
    refuses(2, "--protocol steady; allowed: s1-s2, dynamic", "restitution --protocol steady");
    refuses(2, "--bcl with --protocol dynamic", "restitution --protocol dynamic --bcl 500");
    refuses(2, "--intervals-ms from 300 to 400; allowed: from long to short",
        "restitution --intervals-ms 300,400,10");
    refuses(2, "allowed: at most 1000", "restitution --intervals-ms 400,10,0.001");
    refuses(2, "--intervals-ms: start 1, duration 1: ends after the cycle of 1 ms",
        "restitution --intervals-ms 4,1,1");
    refuses(2, "--stimulus: start 1, duration 2000: ends after the cycle of 1000 ms",
        "restitution --stimulus 1,2000,1");
    refuses(2, "--beats 0; allowed: a whole number from 1", "restitution --beats 0");
    refuses(2, "--beats 3; allowed: a whole number from 4", "restitution --protocol dynamic --beats 3");
    refuses(2, "ending in .png", "restitution --picture a.jpg");
    refuses(5, "restitution: no action potential after a diastolic interval at 200 ms",
        "restitution --beats 1 --intervals-ms 200,100,50");
    refuses(5, "restitution: ", "restitution --beats 2 --stimulus 1,2,10000 --intervals-ms 300,200,50");
}
