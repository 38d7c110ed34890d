/* myotile tune: conductivities for requested conduction velocities at a given element size. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "data/core/progress.h"
#include "app/waves/slab_options.h"
#include "app/waves/tuning.h"
#include "app/commands/cell/tune_network.h"
#include "data/core/number.h"

static mt_status tune(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--cv-l", .value = "V", .help = "target longitudinal CV in mm/ms, with --cv-t"},
    {.name = "--cv-t", .value = "V", .help = "target transverse CV in mm/ms"},
    {.name = "--network",
        .value = "V",
        .help = "instead: target CV of the cables of a conduction network in mm/ms, by their conductivity"},
    {.name = "--junction",
        .value = "MS",
        .help = "instead: target antegrade delay of the network's junctions in ms, by their resistance"},
    MT_SLAB_OPTIONS(""),
    {.name = "--case",
        .value = "CASE.yaml",
        .help = "use tissue, diffusion, cell and time of this case; default: the Niederer benchmark"},
    {.name = "--set", .value = "path.to.key=value", .help = "replace a value of the case", .repeats = true},
    MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_tune = {
    .name = "tune",
    .operands = "",
    .summary = "find the conductivities that yield given conduction velocities (CV) at an element size, or "
               "those of a "
               "conduction network",
    .example = "myotile tune --cv-l 0.6 --cv-t 0.3 --edge-mm 1 --set time.dt_ms=0.05",
    .options = options,
    .run = tune,
};

/* ---- the request ---- */

typedef struct request {
    mt_case input;
    mt_slab_kind kind;
    double asked_mm_ms[MT_TUNING_DIRECTIONS];
} request;

static mt_status read_case(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    mt_yaml_override *sets;
    size_t n_sets;
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &sets));
    return mt_slab_options_case(arena, arguments, n_sets, sets, &r->input);
}

static mt_status read_speeds(const mt_arguments *arguments, request *r)
{
    static const char *const names[] = {[MT_TUNING_ALONG] = "--cv-l", [MT_TUNING_ACROSS] = "--cv-t"};
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++)
        if (!mt_option_given(arguments, names[k]))
            return mt_fail(
                MT_INPUT, "tune: no %s; needed: --cv-l and --cv-t, or --network or --junction", names[k]);
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++)
        MT_TRY(mt_numbers(names[k], mt_option_value(arguments, names[k], NULL), 1, 0, &r->asked_mm_ms[k]));
    return MT_OK;
}

static mt_status read_request(mt_arena *arena, const mt_arguments *arguments, request *r)
{
    *r = (request){0};
    MT_TRY(read_speeds(arguments, r));
    MT_TRY(read_case(arena, arguments, r));
    return mt_slab_options_kind(arguments, &r->input, &r->kind);
}

/* ---- the tables ---- */

enum { WAVES, TISSUE, TABLES };

static mt_table wave_table(mt_arena *arena, const request *r, const mt_tuning *tuning)
{
    static const char *const keys[] = {"along", "across"}, *const labels[] = {"longitudinal", "transverse"};
    mt_table table = mt_table_begin(arena, "tuned_waves", "CV with these conductivities");
    mt_table_strings(&table, "direction", "direction");
    mt_table_digits(&table, "asked_mm_per_ms", "target", "mm/ms", 4);
    mt_table_digits(&table, "measured_mm_per_ms", "measured", "mm/ms", 4);
    mt_table_digits(&table, "converged_mm_per_ms", "converged mesh", "mm/ms", 4);
    mt_table_decimals(&table, "mesh_adds_percent", "mesh error", "%", 1);
    mt_table_decimals(&table, "uneven_percent", "deviation of elements", "%", 1);
    mt_table_decimals(&table, "elements", "elements", "", 0);
    mt_table_decimals(&table, "length_mm", "element size", "mm", 3);
    mt_table_decimals(&table, "edge_mean_mm", "mean edge", "mm", 3);
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++) {
        const mt_tuned *d = &tuning->direction[k];
        mt_table_item(&table, keys[k], labels[k], 0);
        const double numbers[] = {r->asked_mm_ms[k], d->wave.speed_mm_ms, d->converged_mm_ms,
            100 * (d->wave.speed_mm_ms / d->converged_mm_ms - 1), 100 * d->wave.uneven, (double)d->n_elements,
            d->length_mm, d->edge_mean_mm};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) mt_table_number(&table, numbers[n]);
    }
    return table;
}

static mt_table tissue_table(mt_arena *arena, const request *r, const mt_tuning *tuning)
{
    const mt_case *c = &r->input;
    const mt_tissue tissue = mt_case_tissue(c);
    mt_table table = mt_table_properties(arena, "tuned_tissue", "Tissue parameters");
    const struct {
        const char *key, *label;
        double value;
        const char *unit;
    } rows[] = {{"intracellular_along_millisiemens_per_mm", "intracellular longitudinal conductivity",
                    c->tissue.intracellular_l_mS_mm, "mS/mm"},
        {"intracellular_across_millisiemens_per_mm", "intracellular transverse conductivity",
            c->tissue.intracellular_t_mS_mm, "mS/mm"},
        {"extracellular_along_millisiemens_per_mm", "extracellular longitudinal conductivity",
            c->tissue.extracellular_l_mS_mm, "mS/mm"},
        {"extracellular_across_millisiemens_per_mm", "extracellular transverse conductivity",
            c->tissue.extracellular_t_mS_mm, "mS/mm"},
        {"diffusivity_along_mm2_per_ms", "longitudinal diffusivity", mt_tissue_diffusivity_l(&tissue),
            "mm^2/ms"},
        {"diffusivity_across_mm2_per_ms", "transverse diffusivity", mt_tissue_diffusivity_t(&tissue),
            "mm^2/ms"},
        {"time_step_ms", "time step", c->time.dt_ms, "ms"},
        {"rounds", "iterations in each direction", (double)tuning->n_rounds, ""}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        mt_table_property(&table, rows[k].key, rows[k].label, rows[k].value, rows[k].unit);
    mt_table_property_text(&table, "family", "mesh family", mt_slab_family_name[r->kind.family]);
    mt_table_property_text(&table, "cell_model", "ionic model", mt_case_model(c)->name);
    return table;
}

/* ---- the snippet ---- */

/* Prints the tissue as YAML to paste into a case. */
static mt_status print_snippet(FILE *out, const mt_case *c)
{
    const struct {
        const char *key;
        double value;
    } keys[] = {{"intracellular_l_mS_mm", c->tissue.intracellular_l_mS_mm},
        {"intracellular_t_mS_mm", c->tissue.intracellular_t_mS_mm},
        {"intracellular_n_mS_mm", c->tissue.intracellular_n_mS_mm},
        {"extracellular_l_mS_mm", c->tissue.extracellular_l_mS_mm},
        {"extracellular_t_mS_mm", c->tissue.extracellular_t_mS_mm},
        {"extracellular_n_mS_mm", c->tissue.extracellular_n_mS_mm}, {"chi_per_mm", c->tissue.chi_per_mm},
        {"cm_uF_mm2", c->tissue.cm_uF_mm2}};
    (void)fprintf(out, "\nFor the case:\n\ntissue:\n");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char number[MT_NUMBER_SIZE];
        if (isnan(keys[k].value)) continue; /* omitted in the case */
        mt_number_text(keys[k].value, number);
        (void)fprintf(out, "  %s: %s\n", keys[k].key, number);
    }
    if (fflush(out) == 0 && !ferror(out)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s", strerror(errno));
}

/* ---- the command ---- */

/* Threshold for a warning: above it the velocity depends strongly on the mesh and is right only for the tuned waves. */
static const double much_percent = 20;

static void warn_of_elements(const mt_tuning *tuning)
{
    static const char *const names[] = {"along", "across"};
    for (int k = 0; k < MT_TUNING_DIRECTIONS; k++) {
        const mt_tuned *d = &tuning->direction[k];
        const double adds_percent = 100 * (d->wave.speed_mm_ms / d->converged_mm_ms - 1);
        if (fabs(adds_percent) <= much_percent) continue;
        mt_warn("tune: CV %s the fibres is %.0f %% %s than on a converged mesh; usual: up to %g %%. The CV "
                "of other activations, such as premature beats, will be inaccurate; use smaller elements",
            names[k], fabs(adds_percent), adds_percent < 0 ? "slower" : "faster", much_percent);
    }
}

static mt_status tune(mt_arena *arena, const mt_arguments *arguments)
{
    mt_table tables[TABLES];
    mt_tuning tuning;
    request r;
    if (mt_tune_network_asked(arguments)) return mt_tune_network_run(arena, arguments);
    MT_TRY(read_request(arena, arguments, &r));
    mt_slab_options_warn("tune", &r.input);
    MT_TRY(mt_tune(&r.kind, r.asked_mm_ms, &r.input, &tuning));
    warn_of_elements(&tuning);
    tables[WAVES] = wave_table(arena, &r, &tuning);
    tables[TISSUE] = tissue_table(arena, &r, &tuning);
    MT_TRY(mt_print_tables(arguments, tables, TABLES));
    return arguments->format == MT_FORMAT_TEXT ? print_snippet(arguments->out, &r.input) : MT_OK;
}
