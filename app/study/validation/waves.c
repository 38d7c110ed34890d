/* myotile reproduce waves: conduction velocity against element size. */
#include <math.h>
#include <string.h>

#include "app/draw/chart/chart.h"
#include "app/study/reproduce.h"
#include "app/study/validation/slab_waves.h"
#include "app/waves/slab_family.h"
#include "data/core/progress.h"
#include "solver/cells/open.h"

static mt_status waves(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--families",
        .value = "NAME,...",
        .help = "mesh families: kuhn, boxes divided alike; mirrored, each box mirrors the next; gmsh, "
                "unstructured; default: all"},
    {.name = "--lengths",
        .value = "L,...",
        .help = "element sizes in mm (cube root of the mean volume); default: 0.27,0.4,0.55,0.8"},
    {.name = "--model",
        .value = "MODEL",
        .help = "ionic model, a name or the path of a file, as of `myotile cell`; default: the first of "
                "`cell --list`"},
    {.name = "--dt-ms", .value = "DT", .help = "time step; default: 0.02"},
    {.name = "--spreading",
        .value = "B",
        .help = "strength of reaction spreading, 0: none; default: the usual"},
    {.name = "--damping", .value = "A", .help = "damping of the diffusion operator; default: the usual"},
    {.name = "--correction",
        .value = "minimum|over-relaxed",
        .help = "correction of the damping at oblique faces; default: the usual"},
    {.name = "--plain", .help = "also measure the plain scheme: no spreading, damping 1.5, over-relaxed"},
    {.name = "--nodes", .help = "also measure voltages at the vertices"},
    {.name = "--finite-elements",
        .help = "also measure linear finite elements, with lumped and with consistent mass"},
    {.name = "--seed", .value = "N", .help = "seed of gmsh's random numbers; default: 1"},
    {.name = "--picture", .value = "OUT.png", .help = "chart of the activation time errors by element size"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_waves = {
    .name = "reproduce waves",
    .operands = "",
    .summary = "errors of activation times and CV on coarse meshes, relative to converged 1-D cables",
    .example = "myotile reproduce waves --families mirrored --lengths 0.8 --picture waves.png",
    .options = options,
    .run = waves,
};

/* Indices of the chosen scheme and of the optional plain one. */
enum { CHOSEN, PLAIN, METHODS_MAX = 5 };
enum { LENGTHS_MAX = MT_CHART_GROUPS_MAX };

/* Range of element lengths: smaller elements take hours, larger ones are too few across the slab. */
static const double shortest_mm = 0.1, longest_mm = 1;

typedef struct measuring {
    const char *picture; /* path, or NULL */
    const mt_cell_model *model;
    double dt_ms;
    unsigned long seed;
    size_t n_families, n_lengths, n_methods;
    bool plain; /* true if the plain scheme is measured, too */
    mt_slab_family family[MT_FAMILIES];
    double length_mm[LENGTHS_MAX];
    mt_slab_method method[METHODS_MAX];
    const char *method_name[METHODS_MAX];
    mt_slab_references references;
    mt_slab_waves result[MT_FAMILIES][LENGTHS_MAX][METHODS_MAX];
} measuring;

/* ---- options ---- */

static mt_status read_families(const char *names, measuring *m)
{
    bool asked[MT_FAMILIES] = {false};
    for (const char *at = names; at; at = *at ? at + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        int k = 0;
        while (k < MT_FAMILIES &&
               (strlen(mt_slab_family_name[k]) != length || strncmp(mt_slab_family_name[k], at, length) != 0))
            k++;
        if (k == MT_FAMILIES || asked[k])
            return mt_fail(
                MT_INPUT, "--families %s; allowed: kuhn, mirrored, gmsh, separated by commas", names);
        asked[k] = true;
        m->family[m->n_families++] = (mt_slab_family)k;
        at += length;
    }
    return MT_OK;
}

static mt_status read_lengths(const char *text, measuring *m)
{
    m->n_lengths = 1;
    for (const char *at = text; *at; at++) m->n_lengths += *at == ',';
    if (m->n_lengths > LENGTHS_MAX)
        return mt_fail(
            MT_INPUT, "--lengths with %zu numbers; allowed: at most %d", m->n_lengths, LENGTHS_MAX);
    MT_TRY(mt_numbers("--lengths", text, m->n_lengths, 0, m->length_mm));
    for (size_t i = 0; i < m->n_lengths; i++)
        if (m->length_mm[i] < shortest_mm || m->length_mm[i] > longest_mm)
            return mt_fail(
                MT_INPUT, "--lengths: %g mm; allowed: %g to %g", m->length_mm[i], shortest_mm, longest_mm);
    return MT_OK;
}

static void add_method(measuring *m, const char *name, mt_slab_method method)
{
    m->method_name[m->n_methods] = name;
    m->method[m->n_methods++] = method;
}

static mt_status read_schemes(const mt_arguments *arguments, measuring *m)
{
    mt_diffusion_scheme *chosen = &m->method[CHOSEN].scheme;
    const char *spreading = mt_option_value(arguments, "--spreading", NULL),
               *damping = mt_option_value(arguments, "--damping", NULL);
    size_t correction;
    *chosen = mt_diffusion_scheme_default;
    chosen->front_ms = m->model->front_ms;
    if (spreading) MT_TRY(mt_numbers("--spreading", spreading, 1, -INFINITY, &chosen->spreading));
    if (damping) MT_TRY(mt_numbers("--damping", damping, 1, 0, &chosen->damping));
    MT_TRY(mt_option_word(arguments, "--correction", mt_correction_name[chosen->correction],
        mt_correction_name, MT_CORRECTIONS, &correction));
    chosen->correction = (mt_correction)correction;
    MT_TRY(mt_diffusion_scheme_check(chosen));
    m->method_name[m->n_methods++] = mt_diffusion_scheme_same(chosen, &mt_diffusion_scheme_default) ? "usual"
                                     : mt_diffusion_scheme_same(chosen, &mt_diffusion_scheme_plain) ? "plain"
                                                                                                    : "given";
    m->plain = mt_option_given(arguments, "--plain");
    if (m->plain && mt_diffusion_scheme_same(chosen, &mt_diffusion_scheme_plain))
        return mt_fail(MT_INPUT, "--plain with a plain scheme; allowed: one of them");
    if (m->plain) add_method(m, "plain", (mt_slab_method){.scheme = mt_diffusion_scheme_plain});
    if (mt_option_given(arguments, "--nodes"))
        add_method(m, "nodes", (mt_slab_method){.kind = MT_SLAB_NODES});
    if (!mt_option_given(arguments, "--finite-elements")) return MT_OK;
    add_method(m, "lumped elements", (mt_slab_method){.kind = MT_SLAB_LUMPED_ELEMENTS});
    add_method(m, "consistent elements", (mt_slab_method){.kind = MT_SLAB_CONSISTENT_ELEMENTS});
    return MT_OK;
}

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, measuring *m)
{
    const char *model = mt_option_value(arguments, "--model", mt_cell_models[0]->name);
    m->picture = mt_option_value(arguments, "--picture", NULL);
    MT_TRY(read_families(mt_option_value(arguments, "--families", "kuhn,mirrored,gmsh"), m));
    MT_TRY(read_lengths(mt_option_value(arguments, "--lengths", "0.27,0.4,0.55,0.8"), m));
    MT_TRY(mt_cell_model_open(arena, model, &m->model));
    MT_TRY(mt_numbers("--dt-ms", mt_option_value(arguments, "--dt-ms", "0.02"), 1, 0, &m->dt_ms));
    if (m->dt_ms > m->model->dt_max_ms || m->dt_ms < 1e-4)
        return mt_fail(MT_INPUT, "--dt-ms %g; allowed: 0.0001 to %g, where the model is stable", m->dt_ms,
            m->model->dt_max_ms);
    MT_TRY(read_schemes(arguments, m));
    MT_TRY(mt_integer("--seed", mt_option_value(arguments, "--seed", "1"), 1, 1000000000, &m->seed));
    return m->picture ? mt_page_check_name(m->picture, mt_option_replace(arguments)) : MT_OK;
}

/* ---- the slabs ---- */

enum { BOXES_THICK = 4 };
static const double thickness_mm = 1.4; /* or BOXES_THICK boxes */

static mt_status make_slab(
    mt_arena *arena, mt_slab_family family, double length_mm, unsigned long seed, mt_mesh *mesh)
{
    const mt_slab_kind kind = {.family = family, .length_mm = length_mm, .seed = seed};
    const double least_mm[] = {mt_slab_waves_size_mm[0], mt_slab_waves_size_mm[1],
        fmax(BOXES_THICK * mt_slab_kind_edge_mm(&kind), thickness_mm)};
    return mt_slab_kind_make(arena, &kind, least_mm, mesh);
}

static mt_status measure_length(mt_arena *arena, measuring *m, size_t f, size_t i)
{
    mt_mesh mesh;
    char stage[64];
    const char *family = mt_slab_family_name[m->family[f]];
    (void)snprintf(stage, sizeof stage, "%s, %g mm", family, m->length_mm[i]);
    mt_progress_stage(stage);
    MT_TRY(make_slab(arena, m->family[f], m->length_mm[i], m->seed, &mesh));
    for (size_t k = 0; k < m->n_methods; k++) {
        (void)snprintf(stage, sizeof stage, "%s, %g mm, %s", family, m->length_mm[i], m->method_name[k]);
        mt_progress_stage(stage);
        MT_TRY(mt_slab_waves_measure(&mesh, &m->method[k], &m->references, &m->result[f][i][k]));
    }
    return MT_OK;
}

static mt_status measure_all(measuring *m)
{
    for (size_t f = 0; f < m->n_families; f++)
        for (size_t i = 0; i < m->n_lengths; i++) {
            MT_SCRATCH(arena);
            MT_TRY(measure_length(arena, m, f, i));
        }
    mt_progress_stage(NULL);
    return MT_OK;
}

/* ---- the tables ---- */

enum { SPEEDS, DIRECTIONS, LINE, TABLES };

static void begin_row(mt_table *table, const measuring *m, size_t f, size_t i, size_t k)
{
    mt_table_text(table, mt_slab_family_name[m->family[f]]);
    mt_table_text(table, m->method_name[k]);
    MT_TABLE_NUMBERS(table, m->result[f][i][k].size.length_mm, m->result[f][i][k].size.edge_mm);
}

/* Adds the rows of a measurement, with velocities also relative to a short time step. */
static void add_row(mt_table *tables, const measuring *m, size_t f, size_t i, size_t k)
{
    const mt_slab_waves *w = &m->result[f][i][k];
    const double of_limit = m->references.speed_mm_ms / m->references.limit_speed_mm_ms;
    const double numbers[] = {(double)w->n_elements, (double)w->n_unknowns, 100 * w->delay_rms,
        100 * w->delay_mean, 100 * w->along, 100 * w->across, 100 * ((1 + w->along) * of_limit - 1),
        100 * ((1 + w->across) * of_limit - 1), w->peak_mV, w->low_mV, w->substep_ms};
    begin_row(&tables[SPEEDS], m, f, i, k);
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        mt_table_number(&tables[SPEEDS], numbers[n]);
    begin_row(&tables[DIRECTIONS], m, f, i, k);
    for (size_t s = 0; s < MT_SLAB_SECTORS; s++) mt_table_number(&tables[DIRECTIONS], 100 * w->delay[s]);
}

static void begin_tables(mt_arena *arena, const char *title, mt_table *tables)
{
    mt_table *speeds = &tables[SPEEDS], *directions = &tables[DIRECTIONS];
    *speeds = mt_table_begin(arena, "waves", title);
    *directions = mt_table_begin(arena, "delays",
        "Activation time error after a stimulus at a corner, by angle to the fibres; positive: late");
    for (int k = 0; k < LINE; k++) {
        mt_table_strings(&tables[k], "family", "family");
        mt_table_strings(&tables[k], "scheme", "scheme");
        mt_table_decimals(&tables[k], "length_mm", "element size", "mm", 3);
        mt_table_decimals(&tables[k], "mean_edge_mm", "mean edge", "mm", 3);
    }
    mt_table_decimals(speeds, "elements", "elements", "", 0);
    mt_table_decimals(speeds, "voltages", "voltages", "", 0);
    mt_table_decimals(speeds, "delay_percent", "time error RMS", "%", 1);
    mt_table_decimals(speeds, "mean_delay_percent", "time error mean", "%", 1);
    mt_table_decimals(speeds, "along_percent", "CV_l error", "%", 1);
    mt_table_decimals(speeds, "across_percent", "CV_t error", "%", 1);
    mt_table_decimals(speeds, "along_of_limit_percent", "CV_l, dt to 0", "%", 1);
    mt_table_decimals(speeds, "across_of_limit_percent", "CV_t, dt to 0", "%", 1);
    mt_table_decimals(speeds, "peak_mv", "peak V", "mV", 1);
    mt_table_decimals(speeds, "below_rest_mv", "below rest", "mV", 2);
    mt_table_decimals(speeds, "substep_ms", "stable substep", "ms", 3);
    for (int s = 0; s < MT_SLAB_SECTORS; s++) {
        const int from = s * 90 / MT_SLAB_SECTORS, to = (s + 1) * 90 / MT_SLAB_SECTORS;
        char key[48], label[32];
        (void)snprintf(key, sizeof key, "from_%d_to_%d_percent", from, to);
        (void)snprintf(label, sizeof label, "%d-%d", from, to);
        mt_table_decimals(directions, key, label, "%", 1);
    }
}

static mt_table line_table(mt_arena *arena, const mt_slab_references *r)
{
    mt_table table = mt_table_properties(arena, "line", "Reference: converged 1-D cables");
    mt_table_property(&table, "time_step_ms", "time step", r->dt_ms, "ms");
    mt_table_property(&table, "along_mm_per_ms", "longitudinal CV, CV_l", r->speed_mm_ms, "mm/ms");
    mt_table_property(&table, "across_mm_per_ms", "transverse CV, CV_t", r->speed_mm_ms / r->scale, "mm/ms");
    mt_table_property(&table, "limit_time_step_ms", "time step for \"dt to 0\"", r->limit_dt_ms, "ms");
    mt_table_property(&table, "limit_along_mm_per_ms", "CV_l, dt to 0", r->limit_speed_mm_ms, "mm/ms");
    mt_table_property(
        &table, "limit_across_mm_per_ms", "CV_t, dt to 0", r->limit_speed_mm_ms / r->scale, "mm/ms");
    mt_table_property(&table, "peak_mv", "peak V", r->peak_mV, "mV");
    return table;
}

static void make_tables(mt_arena *arena, const measuring *m, const char *title, mt_table *tables)
{
    begin_tables(arena, title, tables);
    for (size_t f = 0; f < m->n_families; f++)
        for (size_t i = 0; i < m->n_lengths; i++)
            for (size_t k = 0; k < m->n_methods; k++) add_row(tables, m, f, i, k);
    tables[LINE] = line_table(arena, &m->references);
}

/* ---- the picture ---- */

static mt_status draw(const measuring *m, const char *title)
{
    static const char *const kinds[] = {"time error"};
    char names[LENGTHS_MAX][32];
    const char *groups[LENGTHS_MAX], *lines[MT_FAMILIES];
    double delays[LENGTHS_MAX * MT_FAMILIES], plain[LENGTHS_MAX * MT_FAMILIES];
    for (size_t i = 0; i < m->n_lengths; i++) {
        (void)snprintf(names[i], sizeof names[i], "%g mm", m->length_mm[i]);
        groups[i] = names[i];
        for (size_t f = 0; f < m->n_families; f++) {
            const mt_slab_waves *w = m->result[f][i];
            lines[f] = mt_slab_family_name[m->family[f]];
            delays[i * m->n_families + f] = isnan(w[CHOSEN].delay_rms) ? 0 : 100 * w[CHOSEN].delay_rms;
            plain[i * m->n_families + f] = 100 * w[PLAIN].delay_rms;
        }
    }
    return mt_chart_write(m->picture,
        &(mt_chart){.title = title,
            .caption = "Activation time error [%], root mean square over all directions, by element size",
            .n_groups = m->n_lengths,
            .n_bars = m->n_families,
            .n_kinds = 1,
            .group = groups,
            .bar = lines,
            .kind = kinds,
            .value = delays,
            .mark = m->plain ? plain : NULL,
            .mark_name = "plain scheme",
            .place = m->length_mm});
}

/* ---- the command ---- */

static mt_status waves(mt_arena *arena, const mt_arguments *arguments)
{
    mt_table tables[TABLES];
    measuring *m;
    char title[256];
    MT_ALLOC(arena, m, 1);
    MT_TRY(parse(arena, arguments, m));
    mt_progress_stage("1-D cables");
    MT_TRY(mt_slab_references_make(arena, m->model, &mt_tissue_default, m->dt_ms, &m->references));
    MT_TRY(measure_all(m));
    const mt_diffusion_scheme *s = &m->method[CHOSEN].scheme;
    (void)snprintf(title, sizeof title,
        "Propagation through slabs: %s, dt %g ms, reaction spreading %g, damping %g, %s correction",
        m->model->name, m->dt_ms, s->spreading, s->damping, mt_correction_name[s->correction]);
    make_tables(arena, m, title, tables);
    if (m->picture) MT_TRY(draw(m, title));
    return mt_print_tables(arguments, tables, TABLES);
}
