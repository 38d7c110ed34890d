#include <criterion/criterion.h>

#include "app/cli/console.h"
#include "data/core/progress.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void work(mt_console_work *progress)
{
    for (int k = 0; k <= 50; k++) mt_console_update(progress, k, 1000.0 * k);
    mt_console_end(progress);
}

Test(console, nothing_is_printed_to_a_pipe)
{
    int ends[2];
    char byte;
    cr_assert_eq(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    mt_console_work progress = mt_console_begin_on(stream, "simulating", 50);
    work(&progress);
    fclose(stream);
    cr_assert_eq(read(ends[0], &byte, 1), 0, "something was written");
    close(ends[0]);
}

/* A terminal, and the text written to it. */
static FILE *open_terminal(int *master)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0);
    FILE *terminal = fopen(ptsname(*master), "w");
    cr_assert_not_null(terminal);
    return terminal;
}

/* Reads until `last` has arrived, because output arrives in pieces. */
static size_t read_until(int master, const char *last, char *out, size_t size)
{
    size_t n = 0;
    do {
        ssize_t more = read(master, out + n, size - 1 - n);
        cr_assert(more > 0);
        n += (size_t)more;
        out[n] = 0;
    } while (!strstr(out, last));
    return n;
}

/* Returns the complete output of the work on a terminal. */
static size_t on_terminal(char *out, size_t size)
{
    int master;
    FILE *terminal = open_terminal(&master);
    mt_console_work progress = mt_console_begin_on(terminal, "simulating", 50);
    work(&progress);
    size_t n = read_until(master, "\n", out, size);
    fclose(terminal);
    close(master);
    return n;
}

Test(console, the_line_of_a_stage_is_replaced_by_the_next_stage)
{
    char text[256];
    int master;
    FILE *terminal = open_terminal(&master);
    mt_console_stage_on(terminal, "cutting");
    mt_console_stage_on(terminal, NULL);
    (void)read_until(master, "\r\033[K", text, sizeof text);
    cr_assert_str_eq(text, "\rcutting ...\033[K\r\033[K");
    fclose(terminal);
    close(master);
}

Test(console, on_a_terminal_one_line_is_rewritten_and_terminated)
{
    char text[4096];
    size_t n = on_terminal(text, sizeof text);
    cr_assert_eq(strncmp(text, "\rsimulating  [>", 15), 0, "%s", text); /* drawn immediately */
    const char *last = strstr(text, "\rsimulating  50.0 ms in ");
    cr_assert(last, "%s", text);
    cr_assert_eq(
        strchr(text, '\n'), text + n - 1, "more than one line"); /* the terminal converts "\n" to "\r\n" */
    cr_assert(strstr(last, "cell-steps/s\033[K\r\n"), "%s", last);
}

/* 51 updates take much less than the 10 s required for 50 drawings. */
Test(console, redraws_are_rate_limited)
{
    char text[4096];
    int lines = 0;
    on_terminal(text, sizeof text);
    for (const char *p = text; (p = strstr(p, "\rsimulating")); p++) lines++;
    cr_assert(lines >= 2 && lines < 20, "%d", lines);
}

static const mt_console_work half = {
    .what = "simulating", .total_ms = 50, .now_ms = 19, .element_steps = 24.8e9};

Test(console, the_progress_line_reports_percentage_time_rate_and_time_left)
{
    char line[256];
    /* left = 20 s * 31 / 19 = 32.6 s, rounded up */
    mt_console_line(&half, 20, 120, line, sizeof line);
    cr_assert_str_eq(
        line, "simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 G cell-steps/s   0:33 left");
    mt_console_line(&half, 20000, 120, line, sizeof line);
    cr_assert_str_eq(line,
        "simulating  [=======>            ]  38 %   19.0 of 50.0 ms   1.24 M cell-steps/s   9:03:52 left");
}

Test(console, the_progress_line_names_the_unit_that_is_counted)
{
    char line[256];
    mt_console_work p = {.what = "exp", .counted = "floats", .total_ms = 4000, .now_ms = 1000};
    mt_console_line(&p, 20, 120, line, sizeof line);
    cr_assert_str_eq(
        line, "exp  [=====>              ]  25 %   1000.0 of 4000.0 million   50.0 M floats/s   1:00 left");
}

Test(console, the_progress_line_never_exceeds_the_columns_or_the_buffer)
{
    char line[256];
    for (int columns = 0; columns < 120; columns++) {
        mt_console_line(&half, 20, columns, line, sizeof line);
        cr_assert(strlen(line) <= (size_t)columns);
    }
    cr_assert_str_eq((mt_console_line(&half, 20, 49, line, sizeof line), line),
        "simulating  38 %   19.0 of 50.0 ms   0:33 left");
    cr_assert_str_eq((mt_console_line(&half, 20, 79, line, sizeof line), line),
        "simulating  38 %   19.0 of 50.0 ms   1.24 G cell-steps/s   0:33 left");
    for (size_t size = 1; size < 100; size++) {
        memset(line, '#', sizeof line);
        mt_console_line(&half, 20, 120, line, size);
        cr_assert(strlen(line) < size && line[size] == '#');
    }
}

Test(console, the_progress_line_handles_start_end_and_invalid_values)
{
    char line[256];
    mt_console_work p = {.what = "w", .total_ms = 10};
    mt_console_line(&p, 0, 120, line, sizeof line);
    cr_assert_str_eq(line, "w  [>                   ]   0 %   0.0 of 10.0 ms");
    p.now_ms = 10;
    mt_console_line(&p, 5, 120, line, sizeof line);
    cr_assert_str_eq(line, "w  [====================] 100 %   10.0 of 10.0 ms");
    p.now_ms = 11;
    mt_console_line(&p, 5, 120, line, sizeof line);
    cr_assert(strstr(line, "100 %"));
    p.total_ms = 0;
    mt_console_line(&p, 5, 120, line, sizeof line);
    cr_assert(strstr(line, "100 %"));
}

/* Output to a log from a stage of ten intervals, and from a very short stage. */
Test(console, a_log_file_receives_lines_for_long_stages_only)
{
    int ends[2];
    char text[4096] = "";
    cr_assert_eq(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    mt_console_choose_interval(0.05);
    mt_console_stage_on(stream, "reading");
    mt_console_stage_on(stream, "measuring");
    mt_console_listen(stdout);
    mt_progress_stage_part("the first half", 0.25);
    (void)nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    mt_console_stage_on(stream, NULL);
    fclose(stream);
    cr_assert(read(ends[0], text, sizeof text - 1) > 0);
    cr_assert(strstr(text, "myotile: measuring: the first half 25 % ... 0:0"), "%s", text);
    cr_assert(!strstr(text, "reading") && !strchr(text, '\r'), "%s", text);
    close(ends[0]);
}

/* Printed once, before the work that follows the stages. */
Test(console, long_stages_are_reported_with_their_durations)
{
    int ends[2];
    char text[4096] = "";
    cr_assert_eq(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    mt_console_choose_worth(0.1);
    mt_console_stage_on(stream, "reading");
    (void)mt_console_begin_on(stream, "simulating", 50);
    mt_console_stage_on(stream, "reading");
    mt_console_stage_on(stream, "cutting");
    (void)nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    (void)mt_console_begin_on(stream, "simulating", 50);
    fclose(stream);
    cr_assert(read(ends[0], text, sizeof text - 1) > 0);
    cr_assert(strncmp(text, "myotile: ready in 0:01: reading 0.0 s, cutting 0.", 49) == 0, "%s", text);
    cr_assert(strchr(text, '\n') == text + strlen(text) - 1, "%s", text);
    close(ends[0]);
}

Test(console, progress_never_prints_nothing)
{
    char text[16];
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    mt_console_choose(MT_CONSOLE_NEVER);
    mt_console_choose_interval(0.01);
    mt_console_choose_worth(0);
    mt_console_stage_on(stream, "measuring");
    mt_console_work progress = mt_console_begin_on(stream, "simulating", 50);
    (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    work(&progress);
    fclose(stream);
    cr_assert_eq(read(ends[0], text, sizeof text), 0);
    close(ends[0]);
}

Test(console, the_first_signal_sets_the_interrupt_flag_only)
{
    mt_console_listen(stdout);
    mt_progress_catch_interrupt(NULL);
    cr_assert(!mt_progress_interrupted());
    raise(SIGTERM);
    cr_assert(mt_progress_interrupted());
}

Test(console, second_interrupt_ends_the_program, .exit_code = 130)
{
    signal(SIGINT, SIG_DFL); /* tests in the background of a shell inherit an ignored SIGINT */
    mt_console_listen(stdout);
    mt_progress_catch_interrupt(NULL);
    raise(SIGINT);
    if (!mt_progress_interrupted()) return;
    raise(SIGINT);
}

Test(console, an_ignored_interrupt_stays_ignored)
{
    signal(SIGINT, SIG_IGN);
    mt_console_listen(stdout);
    mt_progress_catch_interrupt(NULL);
    raise(SIGINT);
    raise(SIGINT);
    cr_assert(!mt_progress_interrupted());
}
