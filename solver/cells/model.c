#include "solver/cells/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/hash.h"

/* One line per model, with its row mt_cell_NAME. */
/* clang-format off */
#define MODELS(MODEL) \
    MODEL(tp06) \
    MODEL(torord) \
    MODEL(courtemanche) \
    MODEL(stewart) \
    MODEL(bueno_orovio) \
    MODEL(mitchell_schaeffer)
/* clang-format on */

#define DECLARE(name) extern const mt_cell_model mt_cell_##name;
MODELS(DECLARE)

#define ENTRY(name) &mt_cell_##name,
const mt_cell_model *const mt_cell_models[] = {MODELS(ENTRY) NULL};

const mt_cell_quantity mt_paced_quantity[MT_PACED] = {
    [MT_PACED_KEPT] = {"kept", "mV"}, [MT_PACED_CHANGE] = {"change", "mV"}, [MT_PACED_SINCE] = {"since", ""}};
const double mt_paced_start[MT_PACED] = {[MT_PACED_KEPT] = INFINITY};

mt_status mt_cell_model_find(const char *name, const mt_cell_model **model)
{
    char names[256] = "";
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        if (strcmp(name, (*m)->name) == 0) {
            *model = *m;
            return MT_OK;
        }
        const size_t n = strlen(names);
        (void)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", (*m)->name);
    }
    return mt_fail(MT_INPUT, "ionic model '%.40s'; allowed: %s", name, names);
}

const char *mt_cell_model_word(const void *structure, size_t i)
{
    size_t n = 0;
    (void)structure;
    while (n < i && mt_cell_models[n]) n++;
    if (mt_cell_models[n]) return mt_cell_models[n]->name;
    return n == i ? MT_CELL_MODEL_FILES : NULL;
}

mt_status mt_cell_model_identity(
    const char *path, const void *content, size_t n, char identity[MT_CELL_IDENTITY])
{
    const char *slash = strrchr(path, '/');
    char hash[MT_HASH_SIZE];
    MT_TRY(mt_hash_of(content, n, hash));
    (void)snprintf(identity, MT_CELL_IDENTITY, "%.*s#%s", MT_CELL_IDENTITY - MT_HASH_SIZE - 1,
        slash ? slash + 1 : path, hash);
    return MT_OK;
}

bool mt_cell_model_same(const mt_cell_model *a, const mt_cell_model *b)
{
    return a == b || strcmp(a->identity, b->identity) == 0;
}

void mt_cell_variant_names(const mt_cell_model *model, char *text, size_t size)
{
    *text = 0;
    for (size_t k = 0; k < model->n_variants; k++) {
        const size_t n = strlen(text);
        (void)snprintf(text + n, size - n, "%s%s", n ? ", " : "", model->variants[k].name);
    }
}

mt_status mt_cell_variant_find(const mt_cell_model *model, const char *name, size_t *variant)
{
    char names[256];
    for (*variant = 0; *variant < model->n_variants; (*variant)++)
        if (strcmp(name, model->variants[*variant].name) == 0) return MT_OK;
    mt_cell_variant_names(model, names, sizeof names);
    return mt_fail(MT_INPUT, "cell type '%.40s'; allowed: %s", name, names);
}

size_t mt_cell_model_calcium(const mt_cell_model *model)
{
    for (size_t k = 0; k < model->n_states; k++)
        if (strcmp(model->states[k].name, "Ca_i") == 0 && strcmp(model->states[k].unit, "mM") == 0) return k;
    return SIZE_MAX;
}

static void constants_of(const mt_cell_model *model, const mt_cell_variant *variant, double *constants)
{
    if (model->constants)
        model->constants(model, variant->parameters, constants);
    else
        memcpy(constants, variant->parameters, model->n_constants * sizeof *constants);
}

void mt_cell_constants_double(
    const mt_cell_model *model, const mt_cell_variant *variant, size_t n, double *constants)
{
    for (size_t v = 0; v < n; v++) constants_of(model, &variant[v], constants + v * model->n_constants);
}

void mt_cell_constants_float(
    const mt_cell_model *model, const mt_cell_variant *variant, size_t n, float *constants)
{
    double exact[MT_CELL_CONSTANTS];
    for (size_t v = 0; v < n; v++) {
        constants_of(model, &variant[v], exact);
        for (size_t k = 0; k < model->n_constants; k++)
            constants[v * model->n_constants + k] = (float)exact[k];
    }
}

void mt_cell_react_float(const mt_cell_model *model, const float *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, float *state, const float *v_in_mV, float *v_out_mV)
{
    const mt_isa set = mt_kernels_used()->set;
    if (model->tables)
        model->tabulated_float[set](
            model, model->tables, constants, n_variants, of, dt_ms, n, state, v_in_mV, v_out_mV);
    else
        model->kernel_float[set](model, constants, n_variants, of, dt_ms, n, state, v_in_mV, v_out_mV);
}

void mt_cell_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV)
{
    model->kernel_double[mt_kernels_used()->set](
        model, constants, n_variants, of, dt_ms, n, state, v_in_mV, v_out_mV);
}

mt_multirate_step mt_cell_limited_step(const mt_cell_model *model, const mt_multirate_step *step)
{
    const size_t period =
        (step->step + 1) & ~step->step; /* a, without its limit (solver/kernels/multirate.h) */
    mt_multirate_step at = *step;
    if (model->interval_max_ms > 0 && 2 * (double)period * step->dt_ms > 1.0001 * model->interval_max_ms)
        at.step = MT_MULTIRATE_MOST - 1;
    return at;
}

void mt_cell_multirate_react_float(const mt_cell_model *model, const float *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, float *state, float *kept_mV,
    float *change_mV, float *since, const float *v_in_mV, float *v_out_mV)
{
    const mt_multirate_step at = mt_cell_limited_step(model, step);
    const mt_isa set = mt_kernels_used()->set;
    if (model->tables)
        model->tabulated_multirate_float[set](model, model->tables, constants, n_variants, of, &at, n, state,
            kept_mV, change_mV, since, v_in_mV, v_out_mV);
    else
        model->multirate_float[set](
            model, constants, n_variants, of, &at, n, state, kept_mV, change_mV, since, v_in_mV, v_out_mV);
}

void mt_cell_multirate_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, double *state, double *kept_mV,
    double *change_mV, double *since, const double *v_in_mV, double *v_out_mV)
{
    const mt_multirate_step at = mt_cell_limited_step(model, step);
    model->multirate_double[mt_kernels_used()->set](
        model, constants, n_variants, of, &at, n, state, kept_mV, change_mV, since, v_in_mV, v_out_mV);
}

void mt_cell_step_float(const mt_cell_model *model, size_t variant, const uint16_t *variant_of, double dt_ms,
    size_t n, float *state, const float *v_in_mV, float *v_out_mV)
{
    float constants[MT_CELL_VARIANTS * MT_CELL_CONSTANTS];
    const size_t n_variants = variant_of ? model->n_variants : 1;
    mt_cell_constants_float(model, model->variants + (variant_of ? 0 : variant), n_variants, constants);
    mt_cell_react_float(model, constants, n_variants, variant_of, dt_ms, n, state, v_in_mV, v_out_mV);
}

void mt_cell_step_double(const mt_cell_model *model, size_t variant, const uint16_t *variant_of, double dt_ms,
    size_t n, double *state, const double *v_in_mV, double *v_out_mV)
{
    double constants[MT_CELL_VARIANTS * MT_CELL_CONSTANTS];
    const size_t n_variants = variant_of ? model->n_variants : 1;
    mt_cell_constants_double(model, model->variants + (variant_of ? 0 : variant), n_variants, constants);
    mt_cell_react_double(model, constants, n_variants, variant_of, dt_ms, n, state, v_in_mV, v_out_mV);
}
