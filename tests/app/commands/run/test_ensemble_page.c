#include <criterion/criterion.h>

#include "tests/app/commands/run/ensemble_case.h"
#include "tests/app/report/page_data.h"

#include "data/files/csv.h"

TestSuite(ensemble_page, .init = enter_ensemble, .fini = leave_room);

/* The stimulus of d is so strong that the computation diverges; that of c begins later, so that all results of the others differ. */
static const char four[] = "name,stimuli.0.start_ms,cell.scale,stimuli.0.strength_uA_mm3\n"
                           "a,0,\"[tau_in=1]\",50\nb,0.25,\"[tau_in=1.1]\",50\n"
                           "c,1,\"[tau_in=1]\",50\nd,0,\"[tau_in=1]\",1000000\n";

static mt_arena arena;

/* Runs the ensemble, of which a member fails, and returns its messages. */
static char *run_four(const char *options)
{
    const int kept = dup(STDERR_FILENO), to = open("stderr", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    size_t n;
    cr_assert(kept >= 0 && to >= 0);
    (void)dup2(to, STDERR_FILENO);
    reply r = myotile("run small.yaml -o out --ensemble four.csv --set time.end_ms=12 %s", options);
    (void)fflush(stderr);
    (void)dup2(kept, STDERR_FILENO);
    (void)close(kept), (void)close(to);
    cr_assert_eq(r.code, 5, "%d: %s", r.code, r.said);
    forget(&r);
    return bytes_of("stderr", &n);
}

/* Checks that a cell of the page is that of the table, to the last bit. */
static void same_cell(const json *found, const mt_csv *csv, size_t row, size_t column)
{
    const char *expected = csv->cell[row * csv->n_columns + column];
    const double number = mt_csv_number(csv, row, column);
    if (!*expected)
        cr_expect(found->kind == JSON_NULL, "%s", csv->column[column]);
    else if (!isnan(number))
        cr_expect(found->kind == JSON_NUMBER && found->number == number, "%s: %g", csv->column[column],
            found->number);
    else
        cr_expect(found->kind == JSON_TEXT && strcmp(found->text, expected) == 0, "%s: %s",
            csv->column[column], expected);
}

/* Returns the number of items of a list. */
static size_t length(const json *list)
{
    size_t n = 0;
    for (const json *item = list->first; item; item = item->next) n++;
    return n;
}

static const json *item(const json *list, size_t k)
{
    const json *at = list->first;
    while (k-- > 0) at = at->next;
    return at;
}

/* The percentiles of three sorted numbers: the ranks of 5 and 95 % are 0.1 and 1.9. */
static void expect_statistics(const json *of, double a, double b, double c)
{
    cr_expect_eq(json_value(of, "n"), 3);
    cr_expect_eq(json_value(of, "min"), a);
    cr_expect_float_eq(json_value(of, "p5"), a + 0.1 * (b - a), 1e-12);
    cr_expect_eq(json_value(of, "p50"), b);
    cr_expect_float_eq(json_value(of, "p95"), c - 0.1 * (c - b), 1e-12);
    cr_expect_eq(json_value(of, "max"), c);
}

Test(ensemble_page, the_page_has_the_numbers_of_the_table_and_their_distributions)
{
    mt_csv csv;
    write_text("four.csv", four);
    free(run_four(""));
    cr_assert_eq(mt_csv_read(&arena, "out/ensemble.csv", &csv), MT_OK, "%s", mt_message());
    const page p = open_page(&arena, "out/ensemble.html");
    const json *of = json_at(json_at(p.data, "runs")->first, "ensemble"), *rows = json_at(of, "table.rows");
    cr_assert_eq(csv.n_rows, 4);
    cr_assert_eq(length(rows), 4);
    cr_assert_eq(length(json_at(of, "table.columns")), csv.n_columns);
    for (size_t c = 0; c < csv.n_columns; c++) {
        cr_expect_str_eq(json_at(item(json_at(of, "table.columns"), c), "key")->text, csv.column[c]);
        for (size_t r = 0; r < 4; r++) same_cell(item(item(rows, r), c), &csv, r, c);
    }
    cr_expect_str_eq(item(item(rows, 3), (size_t)json_value(of, "outcome"))->text, "failed");
    cr_expect_gt(strlen(item(item(rows, 3), (size_t)json_value(of, "error"))->text), 10);
    /* the latest activation, the second result, increases with the start and with tau_in */
    const size_t latest = mt_csv_find(&csv, "latest_activation_ms");
    const double a = mt_csv_number(&csv, 0, latest), b = mt_csv_number(&csv, 1, latest),
                 c = mt_csv_number(&csv, 2, latest);
    cr_assert(a < b && b != c && a < c, "%g %g %g", a, b, c);
    const json *result = item(json_at(of, "results"), 1);
    cr_expect_str_eq(json_at(result, "label")->text, "latest activation");
    expect_statistics(json_at(result, "statistics")->first, a, fmin(b, c), fmax(b, c));
    cr_expect_eq(item(json_at(result, "values"), 2)->number, c);
    cr_expect(item(json_at(result, "values"), 3)->kind == JSON_NULL);
    /* the varied values: a number, a factor of a list, a number */
    const json *parameters = json_at(of, "parameters");
    cr_assert_eq(length(parameters), 3);
    cr_expect_str_eq(json_at(item(parameters, 1), "label")->text, "tau_in");
    cr_expect_eq(item(json_at(item(parameters, 1), "values"), 1)->number, 1.1);
    mt_arena_free(&arena);
}

Test(ensemble_page, the_page_lists_warnings_and_values_and_is_the_same_for_any_number_of_jobs)
{
    write_text("four.csv", four);
    char *said = run_four("--set mesh.slab.edge_mm=1");
    cr_assert_eq(rename("out", "first"), 0);
    free(run_four("--jobs 3 --set mesh.slab.edge_mm=1"));
    cr_expect(same_file("first/ensemble.html", "out/ensemble.html"));
    const page p = open_page(&arena, "out/ensemble.html");
    const json *run = json_at(p.data, "runs")->first;
    size_t n = 0;
    for (const json *note = json_at(run, "notes")->first; note; note = note->next, n++)
        cr_expect(strstr(said, note->text), "%s: %s", note->text, said);
    cr_expect(n > 0 && n == (size_t)occurrences(said, " of 4 members"), "%s", said);
    cr_expect_str_eq(json_at(run, "command")->text,
        "myotile run 'small.yaml' --ensemble 'four.csv' --set "
        "'time.end_ms=12' --set 'mesh.slab.edge_mm=1' --output 'out-again'");
    static const char *const values[][2] = {{"time.end_ms", "12"}, {"output.report", "true"},
        {"stimuli.0.start_ms", "as in the table of members"}, {"stimuli.0.duration_ms", "2"}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        const json *used = json_at(run, "used")->first;
        while (used && strcmp(json_at(used, "key")->text, values[k][0]) != 0) used = used->next;
        cr_assert_not_null(used, "%s", values[k][0]);
        cr_expect_str_eq(json_at(used, "value")->text, values[k][1], "%s", values[k][0]);
    }
    free(said);
    mt_arena_free(&arena);
    (void)things();
}

Test(ensemble_page, without_reports_an_earlier_page_is_deleted)
{
    write_text("one.csv", "time.end_ms\n0.1\n");
    free(works("run small.yaml -o out --ensemble one.csv"));
    cr_expect(there("out/ensemble.html") && !there("out/001/report.html"));
    free(works("run small.yaml -o out --ensemble one.csv --set output.report=false"));
    cr_expect(!there("out/ensemble.html"));
    write_text("two.csv", "time.end_ms,output.report\n0.1,true\n0.2,false\n");
    free(works("run small.yaml -o out --ensemble two.csv"));
    cr_expect(there("out/ensemble.html") && there("out/001/report.html") && !there("out/002/report.html"));
}
