/* myotile reproduce precision: errors of single precision, with computed and with tabulated functions of V, over the beats of a cell.
 *
 * Three cells take the same steps. The reference is the one in double precision. */
#include <math.h>
#include <string.h>

#include "app/cli/cell_options.h"
#include "app/study/reproduce.h"
#include "data/core/progress.h"
#include "solver/cells/pacing.h"
#include "solver/cells/tabulated.h"

static mt_status precision(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {MT_CELL_OPTIONS,
    {.name = "--bcl", .value = "MS", .help = "basic cycle length; default: 1000"},
    {.name = "--beats", .value = "N", .help = "number of beats; default: 10"}, MT_CELL_OPTION_STIMULUS,
    MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_precision = {
    .name = "reproduce precision",
    .operands = "",
    .summary = "errors of single precision and of tabulated evaluation over the beats of a cell",
    .example = "myotile reproduce precision --model torord --scale g_Kr=0.5 --bcl 300",
    .options = options,
    .run = precision,
};

enum { DOUBLE, SINGLE, TABULATED, WAYS };
static const struct {
    const char *key, *label;
} ways[WAYS] = {[SINGLE] = {"single", "single precision"},
    [TABULATED] = {"tabulated", "single precision, tabulated functions of V"}};

typedef struct comparison {
    mt_chosen_cell cell;
    mt_pulses pulses;
    mt_pulse_steps steps;
    size_t n, n_ways, calcium; /* calcium: index of its state; SIZE_MAX: none */
    double tables;             /* largest error of a table */
    mt_lone_cell of[WAYS];
    mt_beats beats[WAYS];
    double sum_mV2[WAYS], most_mV[WAYS]; /* of the squares of errors of V, and the largest */
} comparison;

static mt_status parse(mt_arena *arena, const mt_arguments *arguments, comparison *c)
{
    unsigned long beats;
    MT_TRY(mt_cell_options_read(arena, arguments, &c->cell));
    MT_TRY(mt_numbers("--bcl", mt_option_value(arguments, "--bcl", "1000"), 1, 0, &c->pulses.bcl_ms));
    MT_TRY(mt_integer("--beats", mt_option_value(arguments, "--beats", "10"), 1, 100000, &beats));
    c->pulses.beats = beats;
    MT_TRY(mt_cell_option_stimulus(arguments, c->cell.model, &c->pulses));
    MT_TRY(mt_fail_in("--bcl and --stimulus", mt_pulses_in_steps(&c->pulses, c->cell.dt_ms, &c->steps)));
    c->n = c->steps.beats * c->steps.cycle;
    return MT_OK;
}

static double calcium_of(const comparison *c, int way)
{
    return c->calcium == SIZE_MAX ? NAN : mt_lone_cell_state(&c->of[way], c->calcium);
}

static mt_status begin(mt_arena *arena, comparison *c)
{
    const mt_chosen_cell *cell = &c->cell;
    const mt_cell_model *model[WAYS] = {cell->model, cell->model, cell->model};
    c->n_ways = cell->model->n_functions > 0 ? WAYS : TABULATED;
    if (c->n_ways == WAYS)
        MT_TRY(mt_cell_tabulate(
            arena, cell->model, &cell->variant, 1, cell->dt_ms, false, &model[TABULATED], &c->tables));
    c->calcium = mt_cell_model_calcium(cell->model);
    for (size_t way = 0; way < c->n_ways; way++) {
        MT_TRY(mt_lone_cell_make(arena, model[way], &cell->variant, cell->dt_ms, way != DOUBLE, cell->v_mV,
            cell->states, &c->of[way]));
        c->of[way].carried = c->pulses.carried;
        MT_TRY(mt_beats_begin(arena, c->steps.beats, c->steps.cycle, cell->dt_ms, c->of[way].v_mV,
            calcium_of(c, (int)way), &c->beats[way]));
    }
    return MT_OK;
}

static mt_status run(comparison *c)
{
    enum { STEPS_FROM_REPORT_TO_REPORT = 256 };
    for (size_t s = 0; s < c->n; s++) {
        const double rise = mt_pulse_is_on(&c->steps, s) ? c->pulses.rise_mV_ms : 0;
        for (size_t way = 0; way < c->n_ways; way++) {
            MT_TRY(mt_lone_cell_step(&c->of[way], rise));
            mt_beats_add(&c->beats[way], c->of[way].v_mV, calcium_of(c, (int)way));
            const double error_mV = c->of[way].v_mV - c->of[DOUBLE].v_mV;
            c->sum_mV2[way] += error_mV * error_mV;
            c->most_mV[way] = fmax(c->most_mV[way], fabs(error_mV));
        }
        if (s % STEPS_FROM_REPORT_TO_REPORT == 0) mt_progress_update((double)s * c->cell.dt_ms, (double)s);
    }
    for (size_t way = 0; way < c->n_ways; way++) mt_beats_end(&c->beats[way]);
    return MT_OK;
}

/* Returns the larger of a magnitude and a difference. Values that neither has are skipped; NaN if only one of them has it. */
static double larger(double most, double a, double b)
{
    if (isnan(a) && isnan(b)) return most;
    return isnan(most) || isnan(a - b) ? NAN : fmax(most, fabs(a - b));
}

static mt_table errors_table(mt_arena *arena, const comparison *c)
{
    mt_table table = mt_table_begin(arena, "precision", "Differences to double precision");
    mt_table_strings(&table, "arithmetic", "arithmetic");
    mt_table_digits(&table, "v_rms_mv", "V, root mean square", "mV", 2);
    mt_table_digits(&table, "v_most_mv", "largest", "mV", 2);
    mt_table_digits(&table, "activation_ms", "activation, largest", "ms", 2);
    mt_table_digits(&table, "apd90_ms", "APD90, largest", "ms", 2);
    mt_table_digits(&table, "calcium_percent", "peak of Ca_i, largest", "%", 2);
    mt_table_digits(&table, "tables", "functions of V, relative", "", 2);
    for (size_t way = SINGLE; way < c->n_ways; way++) {
        double activation_ms = 0, apd_ms = 0, calcium = 0;
        for (size_t k = 0; k < c->steps.beats; k++) {
            const mt_beat *a = &c->beats[DOUBLE].beat[k], *b = &c->beats[way].beat[k];
            activation_ms = larger(activation_ms, a->upstroke_ms, b->upstroke_ms);
            apd_ms = larger(apd_ms, a->apd_ms[MT_APD90], b->apd_ms[MT_APD90]);
            calcium = larger(calcium, 100, 100 * b->calcium_high_mM / a->calcium_high_mM);
        }
        mt_table_item(&table, ways[way].key, ways[way].label, 0);
        MT_TABLE_NUMBERS(&table, sqrt(c->sum_mV2[way] / (double)c->n), c->most_mV[way], activation_ms, apd_ms,
            calcium, way == TABULATED ? c->tables : NAN);
    }
    return table;
}

static mt_status precision(mt_arena *arena, const mt_arguments *arguments)
{
    comparison *c;
    MT_ALLOC(arena, c, 1);
    MT_TRY(parse(arena, arguments, c));
    MT_TRY(begin(arena, c));
    mt_progress_begin("pacing cells", (double)c->n * c->cell.dt_ms);
    const mt_status status = run(c);
    mt_progress_end();
    MT_TRY(status);
    mt_table table = errors_table(arena, c);
    return mt_print_tables(arguments, &table, 1);
}
