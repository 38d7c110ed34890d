/* myotile report: writes results as one HTML file. */
#include <math.h>
#include <string.h>

#include "app/cli/command.h"
#include "data/core/progress.h"
#include "app/cli/table.h"
#include "app/report/html_report.h"

static const mt_option options[] = {
    MT_OPTION_OUTPUT("FILE.html", "the file to write, self-contained, for a browser"),
    {.name = "--profile",
        .value = "DIR",
        .help =
            "folder of a profile written by `run --profile`; the first belongs to the first DIR, and so on",
        .repeats = true},
    {.name = "--size-mb",
        .value = "N",
        .help = "largest size of the file in MB; surfaces and frames are made coarser until they fit; "
                "default: 3"},
    {.name = "--full", .help = "keep full resolution and all frames, whatever the size of the file"},
    {.name = "--template",
        .value = "FILE.html",
        .help = "another HTML page, with a line '<!-- data -->' that the data replaces"},
    MT_OPTION_FORCE, MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

static mt_status report(mt_arena *arena, const mt_arguments *arguments);

const mt_command mt_command_report = {
    .name = "report",
    .operands = "DIR...",
    .n_operands = 1,
    .more_operands = true,
    .summary = "write one HTML file with the maps, curves, tables and tiles of one or several runs",
    .example = "myotile report quick -o report.html",
    .options = options,
    .run = report,
};

/* Assigns profiles to runs. */
static mt_status read_profiles(mt_arena *arena, const mt_arguments *arguments, mt_html_report *asked)
{
    const char **profile, **all;
    size_t n;
    MT_TRY(mt_option_all(arena, arguments, "--profile", &n, &profile));
    if (n > asked->n)
        return mt_fail(MT_INPUT,
            "--profile: given %zu times for %zu runs; allowed: at most once for each run", n, asked->n);
    MT_ALLOC(arena, all, asked->n);
    for (size_t k = 0; k < n; k++) all[k] = profile[k];
    asked->profile = all;
    return MT_OK;
}

static mt_status read_size(const mt_arguments *arguments, size_t *bytes)
{
    const char *size = mt_option_value(arguments, "--size-mb", NULL);
    double mb;
    *bytes = mt_html_report_bytes;
    if (size && mt_option_given(arguments, "--full"))
        return mt_fail(MT_INPUT, "--size-mb and --full are both given; allowed: one of them");
    if (mt_option_given(arguments, "--full")) *bytes = SIZE_MAX;
    if (!size) return MT_OK;
    MT_TRY(mt_numbers("--size-mb", size, 1, 0, &mb));
    *bytes = (size_t)fmin(1e6 * mb, 1e15);
    return MT_OK;
}

static mt_status ask(mt_arena *arena, const mt_arguments *arguments, mt_html_report *asked)
{
    *asked = (mt_html_report){.n = arguments->n_operands,
        .folder = arguments->operand,
        .path = mt_option_value(arguments, "--output", NULL),
        .template = mt_option_value(arguments, "--template", NULL)};
    MT_TRY(read_profiles(arena, arguments, asked));
    MT_TRY(read_size(arguments, &asked->bytes));
    if (!asked->template) MT_TRY(mt_html_report_template(arena, &asked->template));
    return mt_file_check(asked->path, mt_option_replace(arguments));
}

static mt_table file_table(mt_arena *arena, const mt_html_report *asked, const mt_html_written *made)
{
    mt_table table = mt_table_properties(arena, "report", "Report");
    mt_table_property_text(&table, "file", "file", asked->path);
    mt_table_property(&table, "size_mb", "size", (double)made->bytes / 1e6, "MB");
    mt_table_property(&table, "runs", "runs", (double)asked->n, "");
    return table;
}

static mt_table run_table(mt_arena *arena, size_t n, const mt_html_run *run)
{
    mt_table table = mt_table_begin(arena, "shown", "Contents");
    mt_table_strings(&table, "run", "run");
    mt_table_decimals(&table, "triangles", "triangles", "", 0);
    mt_table_decimals(&table, "all_triangles", "of", "", 0);
    mt_table_digits(&table, "error_mm", "error", "mm", 3);
    mt_table_decimals(&table, "tetrahedra", "tetrahedra", "", 0);
    mt_table_digits(&table, "cut_error_mm", "error", "mm", 3);
    mt_table_decimals(&table, "maps", "maps", "", 0);
    mt_table_decimals(&table, "frames", "frames", "", 0);
    mt_table_decimals(&table, "all_frames", "of", "", 0);
    mt_table_digits(&table, "size_mb", "size", "MB", 3);
    for (size_t k = 0; k < n; k++) {
        const mt_heart_shown *heart = &run[k].heart;
        mt_table_text(&table, run[k].name);
        MT_TABLE_NUMBERS(&table, (double)heart->triangles, (double)heart->all_triangles, heart->error_mm,
            (double)heart->tetrahedra, heart->cut_error_mm, (double)heart->maps, (double)heart->frames,
            (double)heart->all_frames, (double)run[k].bytes / 1e6);
    }
    return table;
}

static mt_status report(mt_arena *arena, const mt_arguments *arguments)
{
    mt_html_report asked;
    mt_html_written made;
    MT_TRY(ask(arena, arguments, &asked));
    mt_progress_stage("writing the report");
    const mt_status status = mt_html_report_make(arena, &asked, &made);
    mt_progress_stage(NULL);
    MT_TRY(status);
    const mt_table tables[] = {file_table(arena, &asked, &made), run_table(arena, asked.n, made.run)};
    return mt_print_tables(arguments, tables, 2);
}
