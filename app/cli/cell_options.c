#include "app/cli/cell_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/cells/parameters.h"
#include "solver/cells/open.h"

/* Reads --scale and --set. */
static mt_status read_asked(mt_arena *arena, const mt_arguments *arguments, mt_cell_request *asked)
{
    mt_yaml_override *scales, *sets;
    MT_TRY(mt_option_overrides(arena, arguments, "--scale", &asked->n_scales, &scales));
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &asked->n_sets, &sets));
    asked->scales = scales;
    asked->sets = sets;
    return MT_OK;
}

/* Applies the parameter changes of the file, then the options. */
static mt_status change_started(mt_arena *arena, const mt_cell_variant *base, const mt_cell_request *asked,
    const char *path, mt_chosen_cell *cell)
{
    mt_cell_changes changes;
    MT_TRY(mt_cell_changes_new(arena, cell->model, &changes));
    memcpy(changes.value, cell->start.parameters, cell->model->n_parameters * sizeof *changes.value);
    MT_TRY(mt_cell_changes_add(cell->model, asked, &changes));
    return mt_fail_in(
        path, mt_cell_variant_with(arena, cell->model, base, base->name, &changes, &cell->variant));
}

/* Builds a cell type with changed parameters. The options are first applied alone, so that an error message names the faulty one. */
static mt_status make_variant(
    mt_arena *arena, const mt_arguments *arguments, const char *path, size_t type, mt_chosen_cell *cell)
{
    const mt_cell_variant *base = &cell->model->variants[type];
    mt_cell_request asked;
    MT_TRY(read_asked(arena, arguments, &asked));
    MT_TRY(mt_cell_variant_change(arena, cell->model, base, &asked, &cell->variant));
    if (cell->started) MT_TRY(change_started(arena, base, &asked, path, cell));
    cell->changed = memcmp(cell->variant.parameters, base->parameters,
                        cell->model->n_parameters * sizeof *base->parameters) != 0;
    return MT_OK;
}

static mt_status disagree(const char *path, const char *found, const char *option, const char *asked)
{
    return mt_fail(MT_INPUT, "%s: a state of %s; %s requests %.100s", path, found, option, asked);
}

/* Reads the state, and checks that model and type agree with the options. */
static mt_status read_state(
    mt_arena *arena, const mt_arguments *arguments, const char *path, mt_cell_state *state)
{
    const char *model = mt_option_value(arguments, "--model", NULL), *type;
    const mt_cell_model *known = NULL;
    if (model) MT_TRY(mt_cell_model_open(arena, model, &known));
    MT_TRY(mt_cell_state_read(arena, path, known, state));
    if (known && !mt_cell_model_same(known, state->model))
        return disagree(path, state->model->identity, "--model", known->identity);
    type = mt_option_value(arguments, "--type", state->type);
    return strcmp(type, state->type) == 0 ? MT_OK : disagree(path, state->type, "--type", type);
}

static mt_status read_start(
    mt_arena *arena, const mt_arguments *arguments, const char *path, mt_chosen_cell *cell)
{
    size_t variant;
    MT_TRY(read_state(arena, arguments, path, &cell->start));
    cell->model = cell->start.model;
    MT_TRY(mt_fail_in(path, mt_cell_variant_find(cell->model, cell->start.type, &variant)));
    cell->started = true;
    return make_variant(arena, arguments, path, variant, cell);
}

static mt_status read_cell(mt_arena *arena, const mt_arguments *arguments, mt_chosen_cell *cell)
{
    const char *path = mt_option_value(arguments, "--start", NULL);
    size_t variant;
    if (path) return read_start(arena, arguments, path, cell);
    MT_TRY(mt_cell_model_open(
        arena, mt_option_value(arguments, "--model", mt_cell_models[0]->name), &cell->model));
    MT_TRY(mt_cell_variant_find(
        cell->model, mt_option_value(arguments, "--type", cell->model->variants[0].name), &variant));
    return make_variant(arena, arguments, NULL, variant, cell);
}

static mt_status read_steps(const mt_arguments *arguments, mt_chosen_cell *cell)
{
    const char *dt = mt_option_value(arguments, "--dt-ms", NULL);
    cell->dt_ms =
        cell->started && isfinite(cell->start.dt_ms) ? cell->start.dt_ms : fmin(0.02, cell->model->dt_max_ms);
    if (dt) MT_TRY(mt_numbers("--dt-ms", dt, 1, 0, &cell->dt_ms));
    if (cell->dt_ms > cell->model->dt_max_ms)
        return mt_fail(MT_INPUT, "--dt-ms %g; allowed: at most %g, for stability of the model", cell->dt_ms,
            cell->model->dt_max_ms);
    return MT_OK;
}

mt_status mt_cell_options_read(mt_arena *arena, const mt_arguments *arguments, mt_chosen_cell *cell)
{
    *cell = (mt_chosen_cell){.started = false};
    MT_TRY(read_cell(arena, arguments, cell));
    cell->v_mV = cell->started ? cell->start.v_mV : cell->variant.v_mV;
    cell->states = cell->started ? cell->start.states : cell->variant.states;
    return read_steps(arguments, cell);
}

void mt_cell_title(const mt_chosen_cell *cell, char *title, size_t size)
{
    (void)snprintf(
        title, size, "%s cell%s", cell->variant.name, cell->changed ? " with other parameters" : "");
}

static mt_status read_carrier(const mt_arguments *arguments, const mt_cell_model *model, mt_pulses *pulses)
{
    const char *asked = mt_option_value(arguments, "--carrier", "none"),
               *ion = model->carrier_per_mV > 0 ? model->states[model->carrier].name : NULL;
    pulses->carried = ion && strcmp(asked, ion) == 0;
    if (pulses->carried || strcmp(asked, "none") == 0) return MT_OK;
    return mt_fail(MT_INPUT, "--carrier %.64s; allowed with %s: none%s%s", asked, model->name,
        ion ? ", " : "", ion ? ion : "");
}

mt_status mt_cell_option_stimulus(
    const mt_arguments *arguments, const mt_cell_model *model, mt_pulses *pulses)
{
    double stimulus[3];
    MT_TRY(
        mt_numbers("--stimulus", mt_option_value(arguments, "--stimulus", "1,1,52"), 3, -INFINITY, stimulus));
    pulses->start_ms = stimulus[0], pulses->duration_ms = stimulus[1], pulses->rise_mV_ms = stimulus[2];
    return read_carrier(arguments, model, pulses);
}
