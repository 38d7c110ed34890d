#include "solver/cells/parameters.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/number.h"
#include "data/yaml/yaml_words.h"

mt_status mt_cell_changes_new(mt_arena *arena, const mt_cell_model *model, mt_cell_changes *changes)
{
    MT_ALLOC(arena, changes->factor, model->n_parameters);
    MT_ALLOC(arena, changes->value, model->n_parameters);
    for (size_t k = 0; k < model->n_parameters; k++) {
        changes->factor[k] = 1;
        changes->value[k] = NAN;
    }
    return MT_OK;
}

/* ---- reading ---- */

static mt_status no_parameter(const mt_cell_model *model, const mt_yaml_override *text)
{
    static const char more[] = " ...";
    char names[800] = "";
    size_t n = 0;
    for (size_t k = 0; k < model->n_parameters && n < sizeof names; k++)
        n += (size_t)snprintf(
            names + n, sizeof names - n, "%s%s", k > 0 ? ", " : "", model->parameters[k].name);
    if (n >= sizeof names) memcpy(names + sizeof names - sizeof more, more, sizeof more);
    return mt_fail(MT_INPUT, "%s %.60s: not a parameter of the ionic model %s; allowed: %s", text->from,
        text->text, model->name, names);
}

/* Returns the range of the values of an imported model's parameter. */
static mt_yaml_range imported_range(const mt_cell_model *model, size_t parameter)
{
    const double size = fabs(model->variants[0].parameters[parameter]);
    double most = size == 0 ? MT_CELL_VALUE_MOST : MT_CELL_FACTOR_MOST * size;
    if (strcmp(model->parameters[parameter].unit, "mV") == 0)
        most = size == 0 ? MT_CELL_VOLTAGE_MOST_mV : fmax(most, MT_CELL_VOLTAGE_MOST_mV);
    return (mt_yaml_range){MT_YAML_WITHIN(-most, most)};
}

/* Returns the range of a parameter's values, or of its factors. */
static mt_yaml_range range_of(const mt_cell_model *model, size_t parameter, bool factor)
{
    const mt_yaml_range factors = {MT_YAML_WITHIN(0, MT_CELL_FACTOR_MOST)};
    double least = INFINITY, most = 0;
    if (factor) return factors;
    if (model->program) return imported_range(model, parameter);
    if (strcmp(model->parameters[parameter].unit, "mV") == 0)
        return (mt_yaml_range){MT_YAML_WITHIN(-MT_CELL_VOLTAGE_MOST_mV, MT_CELL_VOLTAGE_MOST_mV)};
    for (size_t v = 0; v < model->n_variants; v++) {
        const double value = model->variants[v].parameters[parameter];
        most = fmax(most, value);
        if (value > 0) least = fmin(least, value);
    }
    if (most == 0) return (mt_yaml_range){MT_YAML_AT_LEAST(0)};
    return (mt_yaml_range){MT_YAML_WITHIN(least / 1e6, MT_CELL_FACTOR_MOST * most)};
}

static bool is_within(double number, mt_yaml_range range)
{
    return number == 0 || (number >= range.low && number <= range.high);
}

/* Reads a text NAME=NUMBER. */
static mt_status read_change(
    const mt_cell_model *model, const mt_yaml_override *text, bool factor, size_t *parameter, double *number)
{
    const char *equals = strchr(text->text, '=');
    const size_t n = equals ? (size_t)(equals - text->text) : strlen(text->text);
    for (*parameter = 0; *parameter < model->n_parameters; ++*parameter) {
        const char *name = model->parameters[*parameter].name;
        if (strncmp(name, text->text, n) == 0 && name[n] == 0) break;
    }
    if (*parameter == model->n_parameters) return no_parameter(model, text);
    const char *unit = factor ? "" : model->parameters[*parameter].unit;
    const mt_yaml_range range = range_of(model, *parameter, factor);
    char allowed[MT_YAML_WORDS];
    if (equals && mt_number_read(equals + 1, number) && is_within(*number, range)) return MT_OK;
    mt_yaml_range_words(range, allowed);
    return mt_fail(MT_INPUT, "%s %.60s; allowed after %s=: %sa number %.100s%s%s", text->from, text->text,
        model->parameters[*parameter].name, range.low > 0 ? "0, or " : "", allowed, *unit ? ", in " : "",
        unit);
}

/* True if one of the previous texts names the same parameter. */
static bool names(const mt_cell_model *model, size_t n, const mt_yaml_override *texts, size_t parameter)
{
    const char *name = model->parameters[parameter].name;
    const size_t length = strlen(name);
    for (size_t k = 0; k < n; k++)
        if (strncmp(texts[k].text, name, length) == 0 && texts[k].text[length] == '=') return true;
    return false;
}

/* Returns the text with index i: factors first, then values. */
static const mt_yaml_override *text_of(const mt_cell_request *asked, size_t i)
{
    return i < asked->n_scales ? &asked->scales[i] : &asked->sets[i - asked->n_scales];
}

static mt_status add_change(
    const mt_cell_model *model, const mt_cell_request *asked, size_t i, mt_cell_changes *changes)
{
    const mt_yaml_override *text = text_of(asked, i);
    const bool factor = i < asked->n_scales;
    size_t k;
    double number = 0;
    MT_TRY(read_change(model, text, factor, &k, &number));
    const bool scaled = names(model, factor ? i : asked->n_scales, asked->scales, k);
    if (scaled && factor)
        return mt_fail(MT_INPUT, "%s %.60s: %s already has a factor; allowed: one", text->from, text->text,
            model->parameters[k].name);
    if (scaled || (!factor && names(model, i - asked->n_scales, asked->sets, k)))
        return mt_fail(MT_INPUT, "%s %.60s: %s already has a %s; allowed: one of them", text->from,
            text->text, model->parameters[k].name, scaled ? "factor" : "value");
    changes->factor[k] = factor ? number : 1;
    changes->value[k] = factor ? NAN : number;
    return MT_OK;
}

mt_status mt_cell_changes_add(
    const mt_cell_model *model, const mt_cell_request *asked, mt_cell_changes *changes)
{
    for (size_t i = 0; i < asked->n_scales + asked->n_sets; i++) MT_TRY(add_change(model, asked, i, changes));
    return MT_OK;
}

/* ---- variants ---- */

/* Checks the longest step, from rest. */
static mt_status check_step(const mt_cell_model *model, const mt_cell_variant *variant)
{
    MT_SCRATCH(scratch);
    double *constants, *state, v_mV = variant->v_mV;
    MT_ALLOC(scratch, constants, model->n_constants);
    MT_ALLOC(scratch, state, model->n_states);
    memcpy(state, variant->states, model->n_states * sizeof *state);
    mt_cell_constants_double(model, variant, 1, constants);
    mt_cell_react_double(model, constants, 1, NULL, model->dt_max_ms, 1, state, &v_mV, &v_mV);
    bool finite = isfinite(v_mV);
    for (size_t k = 0; k < model->n_states; k++) finite &= isfinite(state[k]) != 0;
    for (size_t k = 0; k < model->n_constants; k++) finite &= fabs(constants[k]) <= (double)FLT_MAX;
    return finite ? MT_OK
                  : mt_fail(MT_INPUT, "a step of this cell (%s) does not result in finite numbers",
                        variant->name);
}

mt_status mt_cell_variant_with(mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *base,
    const char *name, const mt_cell_changes *changes, mt_cell_variant *variant)
{
    double *parameters;
    MT_ALLOC(arena, parameters, model->n_parameters);
    for (size_t k = 0; k < model->n_parameters; k++)
        parameters[k] =
            isnan(changes->value[k]) ? base->parameters[k] * changes->factor[k] : changes->value[k];
    *variant =
        (mt_cell_variant){.name = name, .parameters = parameters, .v_mV = base->v_mV, .states = base->states};
    return check_step(model, variant);
}

/* Adds the responsible text to the message of a failure. */
static mt_status because_of(const mt_yaml_override *text, mt_status status)
{
    if (status != MT_INPUT) return status;
    return mt_fail(MT_INPUT, "%s %.60s: %s", text->from, text->text, mt_message());
}

mt_status mt_cell_variant_change(mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *base,
    const mt_cell_request *asked, mt_cell_variant *variant)
{
    mt_cell_changes changes;
    MT_TRY(mt_cell_changes_new(arena, model, &changes));
    for (size_t i = 0; i < asked->n_scales + asked->n_sets; i++) {
        MT_TRY(add_change(model, asked, i, &changes));
        MT_TRY(because_of(
            text_of(asked, i), mt_cell_variant_with(arena, model, base, base->name, &changes, variant)));
    }
    return mt_cell_variant_with(arena, model, base, base->name, &changes, variant);
}
