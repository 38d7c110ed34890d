/* myotile reproduce figure3: slab benchmark of Niederer et al. 2011, as in the study's figure 3. */
#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/cli/table.h"
#include "app/draw/chart/chart.h"
#include "app/study/validation/niederer.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"

static mt_status figure3(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_NIEDERER_OPTIONS,
    {.name = "--picture",
        .value = "OUT.png",
        .help = "chart of the activation times along the slab's diagonal, for up to 4 meshes"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_figure3 = {
    .name = "reproduce figure3",
    .operands = "",
    .summary = "activation times of the Niederer benchmark, on the emulated machine and in double precision",
    .example = "myotile reproduce figure3 --edges-mm 0.5 --set time.end_ms=5 --picture figure3.png",
    .options = options,
    .run = figure3,
};

/* The point at which codes are compared, and the key of its published activation time. */
static const char far_corner[] = "P8", converged[] = "niederer_p8_converged";

/* Number of equidistant positions on the line, including both ends, that are printed and drawn. */
enum { PLACES = 11, POINTS_MAX = 9 };

typedef struct request {
    mt_niederer runs;
    const char *picture; /* path, or NULL */
} request;

/* ---- the line ---- */

static double line_length_mm(const mt_case *c)
{
    double square = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        const double d = c->line.to_mm[axis] - c->line.from_mm[axis];
        square += d * d;
    }
    return sqrt(square);
}

static double place_mm(const mt_niederer *runs, size_t place)
{
    return line_length_mm(&runs->input) * (double)place / (PLACES - 1);
}

/* Returns the activation time at a position, with the stimulus in the first corner. */
static double place_ms(const mt_niederer *runs, size_t mesh, size_t backend, size_t place)
{
    const mt_case *c = &runs->input;
    const size_t of_line = place * (c->line.points - 1) / (PLACES - 1);
    return mt_niederer_times(runs, mesh, backend, 0)[c->n_points + of_line];
}

/* ---- the tables ---- */

static void begin_row(mt_table *table, const mt_niederer *runs, size_t mesh, size_t backend)
{
    mt_table_number(table, runs->mesh[mesh].edge_mm);
    mt_table_text(table, runs->mesh[mesh].kind);
    mt_table_text(table, runs->backend[backend]->name);
}

static mt_table begin_table(mt_arena *arena, const char *key, const char *title)
{
    mt_table table = mt_table_begin(arena, key, title);
    mt_table_digits(&table, "edge_mm", "edge", "mm", 4);
    mt_table_strings(&table, "mesh", "mesh");
    mt_table_strings(&table, "backend", "backend");
    return table;
}

/* Returns the distance of a time from a range: positive if late, negative if early. */
static double beyond(double ms, double low, double high)
{
    return ms > high ? ms - high : ms < low ? ms - low : isnan(ms) ? NAN : 0;
}

static mt_status make_meshes(mt_arena *arena, const mt_niederer *runs, mt_table *table)
{
    double low, high;
    char title[256];
    MT_TRY(mt_published(converged, &low, &high));
    (void)snprintf(title, sizeof title,
        "Niederer benchmark, time step %g ms, reaction spreading %g: activation time of the corner P8, "
        "opposite to the stimulus",
        runs->input.time.dt_ms, runs->input.diffusion.spreading);
    *table = begin_table(arena, "meshes", title);
    mt_table_decimals(table, "elements", "elements", "", 0);
    mt_table_decimals(table, "characteristic_length_mm", "element size", "mm", 3);
    mt_table_decimals(table, "mean_edge_mm", "mean edge", "mm", 3);
    mt_table_decimals(table, "substeps", "substeps", "", 0);
    mt_table_decimals(table, "p8_ms", far_corner, "ms", 2);
    mt_table_decimals(table, "p8_to_converged_ms", "outside converged range", "ms", 2);
    mt_table_decimals(table, "p8_spread_ms", "range over corners", "ms", 2);
    mt_table_digits(table, "difference_to_cpu_ms", "difference from cpu", "ms", 2);
    for (size_t m = 0; m < runs->n_meshes; m++)
        for (size_t b = 0; b < runs->n_backends; b++) {
            const double at_ms = mt_niederer_point_ms(runs, far_corner, m, b, 0);
            begin_row(table, runs, m, b);
            MT_TABLE_NUMBERS(table, (double)runs->mesh[m].n_elements, runs->mesh[m].size.length_mm,
                runs->mesh[m].size.edge_mm, (double)runs->mesh[m].substeps, at_ms, beyond(at_ms, low, high),
                mt_niederer_spread_ms(runs, far_corner, m, b), mt_niederer_difference_ms(runs, m, b));
        }
    return MT_OK;
}

/* Builds the table of the points; keys number them as P1, P2, ... */
static mt_table make_points(mt_arena *arena, const mt_niederer *runs)
{
    const mt_case *c = &runs->input;
    mt_table table = begin_table(arena, "activation",
        "Activation times at the benchmark's points, mirrored with the stimulated corner");
    mt_table_digits(&table, "corner_x_mm", "corner x", "mm", 4);
    mt_table_digits(&table, "corner_y_mm", "y", "mm", 4);
    for (size_t p = 0; p < c->n_points; p++) {
        char key[32];
        (void)snprintf(key, sizeof key, "p%zu_ms", p + 1);
        mt_table_decimals(&table, key, c->points[p].name, "ms", 2);
    }
    for (size_t m = 0; m < runs->n_meshes; m++)
        for (size_t b = 0; b < runs->n_backends; b++)
            for (size_t corner = 0; corner < runs->n_corners; corner++) {
                begin_row(&table, runs, m, b);
                for (size_t axis = 0; axis < 2; axis++)
                    mt_table_number(
                        &table, mt_niederer_mirrored_mm(runs, corner, axis, c->line.from_mm[axis]));
                for (size_t p = 0; p < c->n_points; p++)
                    mt_table_number(&table, mt_niederer_times(runs, m, b, corner)[p]);
            }
    return table;
}

static mt_table make_diagonal(mt_arena *arena, const mt_niederer *runs)
{
    mt_table table =
        begin_table(arena, "diagonal", "Activation times along the diagonal, by distance from P1");
    for (size_t k = 0; k < PLACES; k++) {
        char key[32], label[32];
        (void)snprintf(key, sizeof key, "at_%zu_percent_ms", 100 * k / (PLACES - 1));
        (void)snprintf(label, sizeof label, "%.1f mm", place_mm(runs, k));
        mt_table_decimals(&table, key, label, "ms", 2);
    }
    for (size_t m = 0; m < runs->n_meshes; m++)
        for (size_t b = 0; b < runs->n_backends; b++) {
            begin_row(&table, runs, m, b);
            for (size_t k = 0; k < PLACES; k++) mt_table_number(&table, place_ms(runs, m, b, k));
        }
    return table;
}

static mt_status make_published(mt_arena *arena, mt_table *table)
{
    static const struct {
        const char *published, *key, *label;
    } rows[] = {{converged, "p8_converged", "P8, three codes at 0.05 mm: converged"},
        {"niederer_p8_0.1mm", "p8_at_0_1_mm", "P8, eleven codes at 0.1 mm"},
        {"niederer_p8_0.5mm_lumped", "p8_at_0_5_mm_lumped",
            "P8, finite differences and finite elements with lumped mass at 0.5 mm"}};
    *table = mt_table_begin(arena, "published", "Published by Niederer et al. 2011");
    mt_table_strings(table, "quantity", "quantity");
    mt_table_digits(table, "published_ms", "from", "ms", 4);
    mt_table_digits(table, "published_to_ms", "to", "ms", 4);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double low, high;
        MT_TRY(mt_published(rows[k].published, &low, &high));
        mt_table_item(table, rows[k].key, rows[k].label, 0);
        MT_TABLE_NUMBERS(table, low, high);
    }
    return MT_OK;
}

/* ---- the picture ---- */

/* One line per mesh: activation times of the first backend, with the optional second one as marks. */
typedef struct drawing {
    char title[128], caption[256], line_name[MT_CHART_KINDS_MAX][64], place_name[PLACES][32];
    const char *line[MT_CHART_KINDS_MAX], *group[PLACES];
    double place[PLACES], value[PLACES * MT_CHART_KINDS_MAX], mark[PLACES * MT_CHART_KINDS_MAX];
} drawing;

static mt_status say(const mt_niederer *runs, drawing *d)
{
    double low, high;
    MT_TRY(mt_published(converged, &low, &high));
    (void)snprintf(
        d->title, sizeof d->title, "Activation times along the diagonal of the slab, from P1 to P8");
    (void)snprintf(d->caption, sizeof d->caption,
        "Activation time [ms] by distance from the stimulated corner; lines: %s%s%s; P8 of converged "
        "codes: %g to %g ms",
        runs->backend[0]->name, runs->n_backends > 1 ? ", dashed: " : "",
        runs->n_backends > 1 ? runs->backend[1]->name : "", low, high);
    for (size_t m = 0; m < runs->n_meshes; m++) {
        (void)snprintf(
            d->line_name[m], sizeof d->line_name[m], "%g mm, %s", runs->mesh[m].edge_mm, runs->mesh[m].kind);
        d->line[m] = d->line_name[m];
    }
    return MT_OK;
}

/* A value of 0 is not drawn. */
static void place_points(const mt_niederer *runs, drawing *d)
{
    for (size_t k = 0; k < PLACES; k++) {
        d->place[k] = place_mm(runs, k);
        (void)snprintf(d->place_name[k], sizeof d->place_name[k], "%.1f mm", d->place[k]);
        d->group[k] = d->place_name[k];
        for (size_t m = 0; m < runs->n_meshes; m++) {
            const double at_ms = place_ms(runs, m, 0, k);
            d->value[k * runs->n_meshes + m] = at_ms > 0 ? at_ms : 0;
            const double mark_ms = runs->n_backends > 1 ? place_ms(runs, m, 1, k) : NAN;
            d->mark[k * runs->n_meshes + m] = mark_ms > 0 ? mark_ms : NAN;
        }
    }
}

static mt_status draw(mt_arena *arena, const request *r)
{
    const mt_niederer *runs = &r->runs;
    static const char *const kinds[] = {"activation"};
    drawing *d;
    MT_ALLOC(arena, d, 1);
    MT_TRY(say(runs, d));
    place_points(runs, d);
    return mt_chart_write(r->picture, &(mt_chart){.title = d->title,
                                          .caption = d->caption,
                                          .n_groups = PLACES,
                                          .n_bars = runs->n_meshes,
                                          .n_kinds = 1,
                                          .group = d->group,
                                          .bar = d->line,
                                          .kind = kinds,
                                          .value = d->value,
                                          .mark = runs->n_backends > 1 ? d->mark : NULL,
                                          .mark_name = runs->n_backends > 1 ? runs->backend[1]->name : NULL,
                                          .linear_places = true,
                                          .place = d->place});
}

/* ---- the command ---- */

/* Refuses, before the work, requests that tables and charts cannot show. */
static mt_status check(const request *r)
{
    const mt_case *c = &r->runs.input;
    if (c->n_points > POINTS_MAX)
        return mt_fail(MT_INPUT, "points: found %zu; allowed here: at most %d", c->n_points, POINTS_MAX);
    if (c->line.points < PLACES || (c->line.points - 1) % (PLACES - 1) != 0)
        return mt_fail(MT_INPUT, "line.points: %zu; allowed here: %d, %d, %d, ...", c->line.points, PLACES,
            2 * PLACES - 1, 3 * PLACES - 2);
    if (r->picture && r->runs.n_meshes > MT_CHART_KINDS_MAX)
        return mt_fail(
            MT_INPUT, "--picture with %zu meshes; allowed: at most %d", r->runs.n_meshes, MT_CHART_KINDS_MAX);
    return MT_OK;
}

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    r->picture = mt_option_value(arguments, "--picture", NULL);
    MT_TRY(mt_niederer_parse(arena, arguments, &r->runs));
    MT_TRY(check(r));
    return r->picture ? mt_page_check_name(r->picture, mt_option_replace(arguments)) : MT_OK;
}

static mt_status figure3(mt_arena *arena, const mt_arguments *arguments)
{
    enum { TABLES = 4 };
    mt_table tables[TABLES];
    request r;
    MT_TRY(parse(arena, arguments, &r));
    MT_TRY(mt_niederer_run(arena, &r.runs));
    mt_progress_stage(NULL);
    if (r.picture) MT_TRY(draw(arena, &r));
    MT_TRY(make_meshes(arena, &r.runs, &tables[0]));
    tables[1] = make_points(arena, &r.runs);
    tables[2] = make_diagonal(arena, &r.runs);
    MT_TRY(make_published(arena, &tables[3]));
    return mt_print_tables(arguments, tables, TABLES);
}
