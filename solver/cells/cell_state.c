#include "solver/cells/cell_state.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "data/files/file.h"
#include "data/core/number.h"
#include "data/yaml/yaml.h"
#include "solver/cells/open.h"

/* ---- reading ---- */

/* The content of a file. Its numbers are the parameters, then the states. */
typedef struct content {
    const char *model, *identity, *type;
    double dt_ms, bcl_ms;
    size_t beats;
    double v_mV;
    double number[];
} content;

static mt_status open_model(mt_arena *arena, void *structure)
{
    const mt_cell_model *model;
    return mt_cell_model_open(arena, ((content *)structure)->model, &model);
}

static const mt_yaml_opener model_opener = {.open = open_model};

enum { HEAD_KEYS = 7 };
static const mt_yaml_key head_keys[HEAD_KEYS + 1] = {
    MT_YAML_OPENED(content, model, "model", NULL, mt_cell_model_word, &model_opener, "Ionic model."),
    MT_YAML_STRING(content, identity, "identity", MT_YAML_NONE, "Identity of an imported model."),
    MT_YAML_STRING(content, type, "type", NULL, "Cell type."),
    MT_YAML_DOUBLE(content, dt_ms, "dt_ms", MT_YAML_NONE, MT_YAML_ABOVE(0), "Time step."),
    MT_YAML_DOUBLE(content, bcl_ms, "bcl_ms", MT_YAML_NONE, MT_YAML_ABOVE(0), "Basic cycle length."),
    MT_YAML_UNSIGNED(content, beats, "beats", "0", MT_YAML_AT_LEAST(0), "Number of pacing cycles."),
    MT_YAML_DOUBLE(content, v_mV, "v_mV", NULL, MT_YAML_WITHIN(-200, 200), "Transmembrane voltage."),
    MT_YAML_END};

/* Returns the keys of numbers from `first` on, one for each quantity. */
static mt_status number_keys(mt_arena *arena, const mt_cell_quantity *quantities, size_t n, size_t first,
    const char *missing, const mt_yaml_key **keys)
{
    mt_yaml_key *key;
    MT_ALLOC(arena, key, n + 1); /* terminated by zeros */
    *keys = key;
    for (size_t k = 0; k < n; k++)
        key[k] = (mt_yaml_key){.name = quantities[k].name,
            .type = MT_YAML_TYPE_DOUBLE,
            .offset = offsetof(content, number) + (first + k) * sizeof(double),
            .bytes = sizeof(double),
            .missing = missing,
            .range = {MT_YAML_ANY},
            .unit = quantities[k].unit};
    return MT_OK;
}

/* Reads the file as a state of this model. NULL: reports that the model of the file cannot be opened. */
static mt_status read_as(mt_arena *arena, mt_arena *scratch, const char *path, const char *text,
    const mt_cell_model *model, content **out)
{
    const mt_yaml_key *parameters, *states;
    const bool opened = model != NULL;
    if (!opened) model = mt_cell_models[0];
    MT_TRY(number_keys(scratch, model->parameters, model->n_parameters, 0, MT_YAML_NONE, &parameters));
    MT_TRY(number_keys(scratch, model->states, model->n_states, model->n_parameters, NULL, &states));
    mt_yaml_key keys[HEAD_KEYS + 3] = {[HEAD_KEYS] = MT_YAML_MAPPING("parameters", parameters,
                                           "Parameters that differ from those of the type."),
        MT_YAML_MAPPING("states", states, "All states of the model."),
        MT_YAML_END};
    memcpy(keys, head_keys, HEAD_KEYS * sizeof *keys);
    if (opened) keys[0].opener = NULL;
    const mt_yaml_table table = {
        keys, sizeof(content) + (model->n_parameters + model->n_states) * sizeof(double)};
    *out = mt_arena_alloc(arena, 1, table.bytes);
    return *out ? mt_yaml_read(arena, path, text, &table, NULL, 0, *out) : MT_MEMORY;
}

/* Finds the model of the file: `known`, or the model that the file names. NULL if that is invalid. */
static mt_status model_of(mt_arena *arena, mt_arena *scratch, const char *path, const char *text,
    const mt_cell_model *known, const mt_cell_model **model)
{
    const char *name, *identity;
    MT_TRY(mt_yaml_root_word(scratch, path, text, "model", &name));
    MT_TRY(mt_yaml_root_word(scratch, path, text, "identity", &identity));
    *model = known;
    if (known && strcmp(known->identity, identity[0] ? identity : name) == 0) return MT_OK;
    const mt_status status = mt_cell_model_open(arena, name, model);
    if (status == MT_INPUT) *model = NULL;
    return status == MT_INPUT ? MT_OK : status;
}

static mt_status check_identity(const char *path, const content *read, const mt_cell_model *model)
{
    if (!read->identity[0] || strcmp(read->identity, model->identity) == 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: identity: %s; the model %s now is %s; allowed: the same, or no identity, which accepts the "
        "state",
        path, read->identity, model->name, model->identity);
}

mt_status mt_cell_state_read(
    mt_arena *arena, const char *path, const mt_cell_model *known, mt_cell_state *state)
{
    MT_SCRATCH(scratch);
    const char *text;
    const mt_cell_model *model;
    content *read;
    MT_TRY(mt_yaml_text(scratch, path, &text));
    MT_TRY(model_of(arena, scratch, path, text, known, &model));
    MT_TRY(read_as(arena, scratch, path, text, model, &read));
    MT_TRY(check_identity(path, read, model));
    *state = (mt_cell_state){.model = model,
        .type = read->type,
        .parameters = read->number,
        .dt_ms = read->dt_ms,
        .bcl_ms = read->bcl_ms,
        .beats = read->beats,
        .v_mV = read->v_mV,
        .states = read->number + model->n_parameters};
    return MT_OK;
}

/* ---- writing ---- */

mt_status mt_cell_state_parameters(
    mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *variant, const double **parameters)
{
    double *changed;
    MT_COPY(arena, changed, variant->parameters, model->n_parameters);
    *parameters = changed;
    for (size_t v = 0; v < model->n_variants; v++)
        for (size_t k = 0; k < model->n_parameters && strcmp(model->variants[v].name, variant->name) == 0;
             k++)
            if (changed[k] == model->variants[v].parameters[k]) changed[k] = NAN;
    return MT_OK;
}

/* Writes the finite numbers below their key, with their units. */
static void write_numbers(
    FILE *to, const char *key, size_t n, const mt_cell_quantity *quantities, const double *number)
{
    bool begun = false;
    for (size_t k = 0; k < n; k++) {
        char text[MT_NUMBER_SIZE];
        if (isnan(number[k])) continue;
        if (!begun) (void)fprintf(to, "%s:\n", key);
        begun = true;
        mt_number_text(number[k], text);
        (void)fprintf(to, "  %s: %s%s%s\n", quantities[k].name, text, *quantities[k].unit ? " # " : "",
            quantities[k].unit);
    }
}

static mt_status check_finite(const char *path, const mt_cell_state *s)
{
    if (!isfinite(s->v_mV)) return mt_fail(MT_NUMERICS, "%s: V is %g mV", path, s->v_mV);
    for (size_t k = 0; k < s->model->n_states; k++)
        if (!isfinite(s->states[k]))
            return mt_fail(
                MT_NUMERICS, "%s: the state %s is %g", path, s->model->states[k].name, s->states[k]);
    return MT_OK;
}

/* Returns the name of a model, or the absolute path of its file if that still exists. */
static mt_status name_of(mt_arena *scratch, const mt_cell_model *model, const char **name)
{
    *name = model->name;
    if (!mt_import_is_file(model->name)) return MT_OK;
    const mt_status status = mt_file_absolute(scratch, name);
    return status == MT_FILE ? MT_OK : status;
}

static mt_status write_head(mt_arena *scratch, const mt_cell_state *s, FILE *to)
{
    const mt_yaml_table table = {head_keys, sizeof(content)};
    const bool imported = mt_import_is_file(s->model->name);
    content head = {.identity = imported ? s->model->identity : "",
        .type = s->type,
        .dt_ms = s->dt_ms,
        .bcl_ms = s->bcl_ms,
        .beats = s->beats,
        .v_mV = s->v_mV};
    const char *text;
    MT_TRY(name_of(scratch, s->model, &head.model));
    MT_TRY(mt_yaml_write(scratch, &table, &head, &text));
    (void)fprintf(to, "# State of a cell, written by myotile.\n%s", text);
    return MT_OK;
}

mt_status mt_cell_state_write(const char *path, const mt_cell_state *state)
{
    const mt_cell_model *model = state->model;
    MT_SCRATCH(scratch);
    mt_file file;
    MT_TRY(check_finite(path, state));
    MT_TRY(mt_file_begin(path, &file));
    const mt_status status = write_head(scratch, state, file.stream);
    write_numbers(file.stream, "parameters", model->n_parameters, model->parameters, state->parameters);
    write_numbers(file.stream, "states", model->n_states, model->states, state->states);
    return mt_file_end(&file, status);
}

mt_status mt_cell_state_save(const char *path, const mt_cell_variant *variant, const mt_cell_state *state)
{
    MT_SCRATCH(scratch);
    mt_cell_state of_cell = *state;
    of_cell.type = variant->name;
    MT_TRY(mt_cell_state_parameters(scratch, state->model, variant, &of_cell.parameters));
    return mt_cell_state_write(path, &of_cell);
}
