#include "app/commands/cell/tune_network.h"

#include <errno.h>
#include <string.h>

#include "app/cli/table.h"
#include "app/waves/network_tuning.h"
#include "app/waves/slab_options.h"
#include "data/core/number.h"

bool mt_tune_network_asked(const mt_arguments *arguments)
{
    return mt_option_given(arguments, "--network") || mt_option_given(arguments, "--junction");
}

enum { CABLE, JUNCTION, TABLES };

static mt_table cable_table(mt_arena *arena, const mt_case *c, double asked, const mt_network_tuning *found)
{
    mt_table table = mt_table_properties(arena, "tuned_network", "Cables of the network");
    mt_table_property(&table, "asked_mm_per_ms", "target CV", asked, "mm/ms");
    mt_table_property(&table, "measured_mm_per_ms", "measured CV", found->speed_mm_ms, "mm/ms");
    mt_table_property(&table, "conductivity_millisiemens_per_mm", "axial conductivity",
        c->network.conductivity_mS_mm, "mS/mm");
    mt_table_property(&table, "diffusivity_mm2_ms", "diffusivity", found->diffusivity_mm2_ms, "mm^2/ms");
    mt_table_property(&table, "radius_mm", "radius of a fibre", c->network.radius_mm, "mm");
    mt_table_property(&table, "spacing_mm", "distance of the points, at most", c->network.spacing_mm, "mm");
    mt_table_property(&table, "time_step_ms", "time step", c->time.dt_ms, "ms");
    mt_table_property_text(&table, "cell_model", "ionic model", c->network.model->name);
    mt_table_property(&table, "rounds", "iterations", (double)found->n_rounds, "");
    return table;
}

static mt_table junction_table(
    mt_arena *arena, const mt_case *c, double asked, const mt_junction_tuning *found)
{
    mt_table table = mt_table_properties(arena, "tuned_junction", "Junctions of the network");
    mt_table_property(&table, "asked_ms", "target antegrade delay", asked, "ms");
    mt_table_property(&table, "antegrade_ms", "antegrade delay", found->antegrade_ms, "ms");
    mt_table_property(&table, "retrograde_ms", "retrograde delay", found->retrograde_ms, "ms");
    mt_table_property(&table, "resistance_kohm", "resistance", c->network.resistance_kOhm, "kOhm");
    mt_table_property(
        &table, "block_kohm", "resistance that blocks antegrade conduction", found->block_kOhm, "kOhm");
    mt_table_property(&table, "fibres", "parallel fibres", c->network.fibres, "");
    mt_table_property(&table, "radius_mm", "radius of the coupled tissue", c->network.reach_mm, "mm");
    mt_table_property(&table, "runs", "simulations", (double)found->n_runs, "");
    return table;
}

/* Prints the keys to paste into a case. */
static mt_status print_snippet(FILE *out, const mt_case *c, bool cable, bool junction)
{
    char number[MT_NUMBER_SIZE];
    (void)fprintf(out, "\nFor the case:\n\nnetwork:\n");
    mt_number_text(c->network.conductivity_mS_mm, number);
    if (cable) (void)fprintf(out, "  conductivity_mS_mm: %s\n", number);
    mt_number_text(c->network.resistance_kOhm, number);
    if (junction) (void)fprintf(out, "  junction:\n    resistance_kOhm: %s\n", number);
    if (fflush(out) == 0 && !ferror(out)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s", strerror(errno));
}

mt_status mt_tune_network_run(mt_arena *arena, const mt_arguments *arguments)
{
    const char *speed = mt_option_value(arguments, "--network", NULL),
               *delay = mt_option_value(arguments, "--junction", NULL);
    mt_yaml_override *sets;
    mt_table tables[TABLES];
    mt_network_tuning network;
    mt_junction_tuning junction;
    mt_slab_kind kind;
    mt_case input;
    double asked_mm_ms = NAN, asked_ms = NAN;
    size_t n_sets, n = 0;
    if (mt_option_given(arguments, "--cv-l") || mt_option_given(arguments, "--cv-t"))
        return mt_fail(
            MT_INPUT, "tune: --cv-l or --cv-t with --network or --junction; allowed: one of the two pairs");
    if (speed) MT_TRY(mt_numbers("--network", speed, 1, 0, &asked_mm_ms));
    if (delay) MT_TRY(mt_numbers("--junction", delay, 1, 0, &asked_ms));
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &sets));
    MT_TRY(mt_slab_options_any_case(arena, arguments, n_sets, sets, &input));
    if (delay) MT_TRY(mt_slab_options_kind(arguments, &input, &kind));
    mt_slab_options_warn("tune", &input);
    if (speed) MT_TRY(mt_fail_in("--network", mt_tune_network(&input, asked_mm_ms, &network)));
    if (delay) MT_TRY(mt_fail_in("--junction", mt_tune_junction(&kind, &input, asked_ms, &junction)));
    if (speed) tables[n++] = cable_table(arena, &input, asked_mm_ms, &network);
    if (delay) tables[n++] = junction_table(arena, &input, asked_ms, &junction);
    MT_TRY(mt_print_tables(arguments, tables, n));
    return arguments->format == MT_FORMAT_TEXT ? print_snippet(arguments->out, &input, speed, delay) : MT_OK;
}
