#include "app/report/html_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/files/data_folder.h"
#include "data/core/progress.h"
#include "app/report/curves_part.h"
#include "app/report/difference_part.h"
#include "app/report/machine_part.h"
#include "app/report/table_part.h"
#include "app/report/used_part.h"
#include "data/files/folder.h"
#include "ipu/run/details.h"

const size_t mt_html_report_bytes = 3000000;

enum { SURFACE = 20000, CUT = 15000, FRAMES = 100, FIBRES = 5000, NETWORK = 6000, ROWS = 5000, LINKS = 100 };
/* With less than this the heart is not recognisable. */
enum { SURFACE_LEAST = 200, CUT_LEAST = 100, FRAMES_LEAST = 10, ROWS_LEAST = 100 };

mt_status mt_html_report_template(mt_arena *arena, const char **path)
{
    return mt_data_path(arena, "report/template.html", path);
}

/* ---- limits ---- */

typedef struct limits {
    mt_heart_limits heart;
    mt_machine_limits machine;
    size_t rows;
} limits;

/* No limits. */
static const limits all = {{SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, MT_HTML_65535},
    {{SIZE_MAX, SIZE_MAX}, SIZE_MAX}, SIZE_MAX};

static size_t at_least(double number, size_t least)
{
    return number > (double)least ? (size_t)number : least;
}

/* Returns the default limits. `share`: of the run in the file size [bytes]. */
static limits usual(size_t share)
{
    return (limits){
        {SURFACE, CUT, FRAMES, FIBRES, NETWORK, MT_HTML_255}, {{IPU_DETAILED_MOST, share / 4}, LINKS}, ROWS};
}

/* Returns limits for a fraction of the amounts shown at first. */
static limits part_of(const mt_heart_shown *first, double fraction, size_t share)
{
    const double slow = sqrt(fraction); /* frames and others are reduced less */
    limits some = usual(share);
    some.heart.surface = at_least(fraction * (double)first->vertices, SURFACE_LEAST);
    some.heart.cut = at_least(fraction * (double)first->cut_vertices, CUT_LEAST);
    some.heart.frames = at_least(slow * (double)first->frames, FRAMES_LEAST);
    some.heart.fibres = at_least(slow * (double)first->fibres, 1);
    some.heart.network = at_least(fraction * (double)first->network, 1);
    some.rows = at_least(slow * ROWS, ROWS_LEAST);
    return some;
}

/* ---- notes ---- */

static void note(mt_html_part *part, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(mt_html_part *part, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mt_json_text(&part->json, NULL, text);
}

static void note_end(mt_html_part *part, const mt_run_folder *folder)
{
    if (folder->taken)
        note(part, "A run was writing into this folder when the report was created. The report shows "
                   "the results of an earlier run.");
    if (strcmp(folder->stopped_by, "its end") != 0)
        note(part, "The run was stopped by %s at %.9g of %.9g ms.", folder->stopped_by, folder->reached_ms,
            folder->end_ms);
}

/* Adds a note if a device computed that may not have the bits of the host. */
static void note_device(mt_html_part *part, const mt_run_folder *folder)
{
    if (folder->device_differs[0])
        note(part, "Results may differ from those of the host in their last digits. Device: %s.",
            folder->device_differs);
}

/* Adds a note if elements were not activated. The first map is the activation of the first beat. */
static void note_activation(mt_html_part *part, const mt_run_folder *folder)
{
    const size_t n = folder->mesh.n_elements;
    size_t without = 0;
    if (folder->n_maps == 0) return;
    for (size_t c = 0; c < n; c++) without += isnan(folder->maps[0].values[c]) != 0;
    if (without > 0)
        note(part,
            "%zu of %zu elements (%.3g %%) have no activation time%s: they were not activated or are "
            "non-conducting.",
            without, n, 100 * (double)without / (double)n,
            folder->maps[0].beat > 0 ? " in the first beat" : "");
}

static void note_left_out(mt_html_part *part, const mt_heart_shown *heart, const mt_curves_left *curves,
    const mt_tiles_shown *tiles)
{
    if (heart->error_mm > 0)
        note(part, "The surface is simplified to %zu of %zu triangles, with an error of at most %.3g mm.",
            heart->triangles, heart->all_triangles, heart->error_mm);
    if (heart->frames < heart->all_frames)
        note(part, "The report has %zu of %zu frames.", heart->frames, heart->all_frames);
    if (heart->network < heart->all_network)
        note(part, "The conduction network is drawn with %zu of its %zu points.", heart->network,
            heart->all_network);
    if (curves->rows > 0)
        note(part, "Traces and ECG are drawn from %zu of %zu equidistant rows; peaks between them are lost.",
            curves->shown, curves->rows);
    if (tiles->rows * tiles->columns > 1)
        note(part, "The %zu tiles are drawn in blocks of %zu x %zu, each with the maximum over its tiles.",
            tiles->tiles, tiles->rows, tiles->columns);
    if (tiles->measures < tiles->all_measures)
        note(part, "The report has %zu of %zu measures of each tile.", tiles->measures, tiles->all_measures);
    if (tiles->details < tiles->all_details)
        note(part, "The report has %zu of %zu tables of tile details.", tiles->details, tiles->all_details);
}

/* ---- one run ---- */

/* Adds the table of a file, if the folder has it and it has rows. */
static mt_status put_table(
    mt_html_part *part, const mt_run_folder *folder, const char *name, const char *title)
{
    char path[MT_FILE_PATH_MAX];
    MT_SCRATCH(arena);
    mt_csv csv = {0};
    bool has;
    MT_TRY(mt_run_folder_has(folder, name, path, &has));
    if (has) MT_TRY(mt_csv_read(arena, path, &csv));
    return csv.n_rows > 0 ? mt_table_part_csv(part, title, &csv) : MT_OK;
}

/* The tables of a fit (app/fit/fit_files.h). */
static const struct {
    const char *name, *title;
} of_fit[] = {{"fit.csv", "Fit to local activation times (LAT)"},
    {"parameters.csv", "Longitudinal CV, and its ratio to the transverse CV"},
    {"sites.csv", "Sites of earliest activation"},
    {"correlation.csv", "Correlation of the fitted parameters"},
    {"points.csv", "Measured and fitted LAT at the projected points"}};

static mt_status put_tables(mt_html_part *part, const mt_run_folder *folder)
{
    mt_json_open(&part->json, "tables", '[');
    MT_TRY(put_table(part, folder, "activation.csv", "Activation times at points"));
    MT_TRY(put_table(part, folder, "qrs.csv", "QRS complexes"));
    MT_TRY(put_table(part, folder, "network.csv", "Conduction system"));
    for (size_t k = 0; mt_run_folder_is_fit(folder) && k < sizeof of_fit / sizeof *of_fit; k++)
        MT_TRY(put_table(part, folder, of_fit[k].name, of_fit[k].title));
    mt_json_close(&part->json);
    return MT_OK;
}

/* The finished runs of a report, and the resolution of each. */
typedef struct made_runs {
    size_t n;
    mt_compared_run *run; /* [n of the report] */
    double *fraction;     /* [n of the report] of the default amounts */
} made_runs;

static mt_status put_run(mt_html_part *part, const mt_run_folder *folder, const made_runs *made,
    const limits *most, mt_heart_shown *heart)
{
    mt_curves_left curves;
    mt_tiles_shown tiles;
    MT_TRY(mt_used_part_put(part, folder));
    MT_TRY(put_tables(part, folder));
    MT_TRY(mt_heart_part_put(part, folder, &most->heart, heart));
    MT_TRY(mt_difference_part_put(part, folder, made->n, made->run));
    MT_TRY(mt_curves_part_put(part, folder, most->rows, &curves));
    MT_TRY(mt_machine_part_put(part, folder, &most->machine, &tiles));
    mt_json_open(&part->json, "notes", '[');
    note_end(part, folder);
    note_device(part, folder);
    note_activation(part, folder);
    note_left_out(part, heart, &curves, &tiles);
    mt_json_close(&part->json);
    return MT_OK;
}

static mt_status make_part(const mt_run_folder *folder, const made_runs *made, const limits *most,
    mt_html_part *part, mt_html_run *run)
{
    MT_TRY(mt_html_part_begin((unsigned)made->n, part));
    mt_status status = put_run(part, folder, made, most, &run->heart);
    if (status == MT_OK) status = mt_html_part_end(part, &run->bytes);
    if (status != MT_OK) mt_html_part_free(part);
    return status;
}

/* Builds a part with at most `bytes` bytes. Its size is about proportional to the fraction shown, so that the next attempt uses slightly
 * less than the fraction that should fit. `fraction`: in, the largest allowed; out, the one used. */
static mt_status fit_part(const mt_run_folder *folder, const made_runs *made, size_t bytes, double *fraction,
    mt_html_part *part, mt_html_run *run)
{
    static const double least = 0.01;
    const double allowed = *fraction;
    limits most = usual(bytes);
    MT_TRY(make_part(folder, made, &most, part, run));
    const mt_heart_shown first = run->heart;
    for (*fraction = 1; (run->bytes > bytes && *fraction > least) || *fraction > allowed;) {
        const double fitting = *fraction * fmin(0.95 * (double)bytes / (double)run->bytes, 0.9);
        *fraction = *fraction > allowed ? allowed : fmax(fitting, least);
        most = part_of(&first, *fraction, bytes);
        mt_html_part_free(part);
        MT_TRY(make_part(folder, made, &most, part, run));
    }
    if (run->bytes <= bytes) return MT_OK;
    mt_html_part_free(part);
    return mt_fail(MT_INPUT,
        "%s: %zu bytes at the coarsest resolution; limit: %zu; allowed: a larger limit (--size-mb), or "
        "none (--full)",
        folder->path, run->bytes, bytes);
}

/* Builds the part of the run that follows the runs in `made`. `kept`: optional, its maps for later runs. */
static mt_status make_run(mt_arena *arena, const mt_html_report *report, const made_runs *made, size_t share,
    mt_compared_run *kept, mt_html_part *part, mt_html_run *run)
{
    const size_t k = made->n;
    MT_SCRATCH(scratch);
    const char *path = report->folder[k], *profile = report->profile ? report->profile[k] : NULL;
    mt_run_folder folder;
    mt_status status = report->run ? mt_run_folder_of(scratch, report->run, path, profile, &folder)
                                   : mt_run_folder_read(scratch, path, profile, &folder);
    if (status == MT_OK)
        status = share == SIZE_MAX ? make_part(&folder, made, &all, part, run)
                                   : fit_part(&folder, made, share, &made->fraction[k], part, run);
    if (status == MT_OK && kept) status = mt_compared_run_keep(arena, &folder, kept);
    if (status == MT_OK) {
        run->name = mt_arena_text(arena, folder.name);
        if (!run->name) status = MT_MEMORY;
    }
    return status;
}

/* ---- all runs ---- */

/* Computes the share of each run in the file size. */
static mt_status share_of(const mt_html_report *report, const mt_html_template *template, size_t *share)
{
    const size_t frame = mt_html_frame_bytes(template, report->n);
    *share = SIZE_MAX;
    if (report->bytes == SIZE_MAX) return MT_OK;
    if (report->bytes <= frame)
        return mt_fail(MT_INPUT,
            "%s: the page without results has %zu bytes; limit: %zu; allowed: a larger limit (--size-mb)",
            report->path, frame, report->bytes);
    *share = (report->bytes - frame) / report->n;
    return MT_OK;
}

/* Rebuilds runs on the same mesh that are finer than the coarsest of them: their differences need the same vertices. */
static mt_status draw_alike(mt_arena *arena, const mt_html_report *report, const made_runs *runs,
    size_t share, mt_html_part *parts, mt_html_written *made)
{
    for (size_t k = 0; k < report->n && report->n > 1; k++) {
        made_runs before = *runs;
        double coarsest = runs->fraction[k];
        for (size_t other = 0; other < report->n; other++)
            if (strcmp(runs->run[other].positions, runs->run[k].positions) == 0)
                coarsest = fmin(coarsest, runs->fraction[other]);
        if (coarsest == runs->fraction[k]) continue;
        before.n = k, before.fraction[k] = coarsest;
        mt_html_part_free(&parts[k]);
        MT_TRY(make_run(arena, report, &before, share, NULL, &parts[k], &made->run[k]));
    }
    return MT_OK;
}

static mt_status make_all(mt_arena *arena, const mt_html_report *report, const mt_html_template *template,
    mt_html_part *parts, mt_html_written *made)
{
    size_t share;
    made_runs runs = {0};
    MT_ALLOC(arena, runs.run, report->n);
    MT_ALLOC(arena, runs.fraction, report->n);
    MT_TRY(share_of(report, template, &share));
    for (; runs.n < report->n; runs.n++) {
        mt_compared_run *kept = report->n > 1 ? &runs.run[runs.n] : NULL;
        runs.fraction[runs.n] = 1;
        MT_TRY(make_run(arena, report, &runs, share, kept, &parts[runs.n], &made->run[runs.n]));
    }
    MT_TRY(draw_alike(arena, report, &runs, share, parts, made));
    return mt_html_write(report->path, template, report->n, parts, &made->bytes);
}

mt_status mt_html_report_make(mt_arena *arena, const mt_html_report *report, mt_html_written *made)
{
    mt_html_template template;
    mt_html_part *parts;
    MT_TRY(mt_html_template_read(arena, report->template, &template));
    MT_ALLOC(arena, parts, report->n);
    MT_ALLOC(arena, made->run, report->n);
    const mt_status status = make_all(arena, report, &template, parts, made);
    for (size_t k = 0; k < report->n; k++) mt_html_part_free(&parts[k]);
    return status;
}

/* ---- a run that has just ended ---- */

static mt_status make_beside(mt_arena *arena, const mt_run *run, const char *folder)
{
    char path[MT_FILE_PATH_MAX];
    mt_html_written made;
    MT_TRY(mt_folder_path(folder, mt_run_report_page, path));
    mt_html_report report = {.n = 1,
        .folder = &folder,
        .profile = &run->details,
        .run = run,
        .path = path,
        .bytes = mt_html_report_bytes};
    MT_TRY(mt_html_report_template(arena, &report.template));
    return mt_html_report_make(arena, &report, &made);
}

bool mt_html_report_of_run(const mt_run *done, const char *folder)
{
    MT_SCRATCH(arena);
    if (!done->input->output.report || done->stopped_by) return false;
    const mt_status status = make_beside(arena, done, folder);
    if (status != MT_OK) mt_warn("%s is not written: %s", mt_run_report_page, mt_message());
    return status == MT_OK;
}

mt_status mt_html_report_check(const mt_case *input, const char *folder)
{
    if (!input->output.report) return MT_OK;
    MT_SCRATCH(arena);
    char path[MT_FILE_PATH_MAX];
    mt_html_template template;
    const char *page;
    MT_TRY(mt_html_report_template(arena, &page));
    MT_TRY(mt_html_template_read(arena, page, &template));
    MT_TRY(mt_folder_path(folder, mt_run_report_page, path));
    return mt_file_check(path, MT_FILE_ANY);
}
