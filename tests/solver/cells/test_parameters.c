/* Cells with parameters other than the published ones, compared with an independent implementation of the equations (tp06_oracle.h). */
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/cells/open.h"
#include "solver/cells/parameters.h"
#include "solver/cells/tp06/tp06.h"
#include "tests/random.h"
#include "tests/solver/cells/tp06_oracle.h"

static mt_arena arena;

static void free_arena(void) { mt_arena_free(&arena); }

TestSuite(parameters, .fini = free_arena);

/* Builds a variant from texts; each list ends with NULL. */
static mt_status change(
    size_t base, const char *const *scales, const char *const *sets, mt_cell_variant *variant)
{
    mt_yaml_override text[2][64];
    mt_cell_request asked = {.scales = text[0], .sets = text[1]};
    for (; *scales; scales++) text[0][asked.n_scales++] = (mt_yaml_override){"--scale", *scales};
    for (; *sets; sets++) text[1][asked.n_sets++] = (mt_yaml_override){"--value", *sets};
    return mt_cell_variant_change(&arena, &mt_cell_tp06, &mt_cell_tp06.variants[base], &asked, variant);
}

static const char *const nothing[] = {NULL};

/* ---- the effect on the equations ---- */

/* Advances a cell with y[ORACLE_V] and the states before it by one step. */
static void step(const double *constants, double dt_ms, double y[ORACLE_N])
{
    mt_cell_react_double(&mt_cell_tp06, constants, 1, NULL, dt_ms, 1, y, &y[ORACLE_V], &y[ORACLE_V]);
}

static void random_state(uint64_t *seed, double y[ORACLE_N])
{
    for (int gate = 0; gate < 12; gate++) y[gate] = between(seed, 0, 1);
    y[TP06_CAI] = between(seed, 5e-5, 2e-3);
    y[TP06_RPRIME] = between(seed, 0, 1);
    y[TP06_CASR] = between(seed, 0.5, 5);
    y[TP06_CASS] = exp(between(seed, log(1e-4), log(1)));
    y[TP06_NAI] = between(seed, 5, 15);
    y[TP06_KI] = between(seed, 120, 150);
    y[ORACLE_V] = between(seed, -100, 60);
}

/* All parameters are changed by random factors at once, half of them as absolute values: each must enter the equations as in the paper.
 * Rounding errors as in test_tp06.c; a constant computed from several parameters adds a few roundings to the 256 of a term. */
Test(parameters, each_parameter_changes_a_step_as_in_the_published_equations)
{
    uint64_t seed = 5;
    for (size_t type = 0; type < TP06_VARIANTS; type++)
        for (int sample = 0; sample < 200; sample++) {
            static char text[TP06_PARAMETERS][64];
            const char *scales[TP06_PARAMETERS + 1] = {0}, *sets[TP06_PARAMETERS + 1] = {0};
            size_t n[2] = {0, 0};
            oracle_cell cell = oracle_cell_of((int)type);
            mt_cell_variant variant;
            double constants[MT_CELL_CONSTANTS], y[ORACLE_N], expected[ORACLE_N], size[ORACLE_N];
            for (size_t k = 0; k < TP06_PARAMETERS; k++) {
                const char *name = mt_cell_tp06.parameters[k].name;
                double *value = oracle_parameter(&cell, name), factor = between(&seed, 0.5, 2);
                cr_assert_not_null(value, "%s", name);
                *value *= factor;
                if (k % 2 == 0) (void)snprintf(text[k], sizeof text[k], "%s=%.17g", name, factor);
                if (k % 2 == 1) (void)snprintf(text[k], sizeof text[k], "%s=%.17g", name, *value);
                (k % 2 == 0 ? scales : sets)[n[k % 2]++] = text[k];
            }
            cr_assert_eq(change(type, scales, sets, &variant), MT_OK, "%s", mt_message());
            mt_cell_constants_double(&mt_cell_tp06, &variant, 1, constants);
            random_state(&seed, y);
            memcpy(expected, y, sizeof y);
            oracle_step(&cell, 0.02, expected, size);
            step(constants, 0.02, y);
            for (int i = 0; i < ORACLE_N; i++)
                cr_assert(fabs(y[i] - expected[i]) <= 300 * DBL_EPSILON / 2 * size[i],
                    "type %zu, state %d: %.17g, not %.17g", type, i, y[i], expected[i]);
        }
}

/* Returns the APD90 after a stimulus at 1 ms; `constants` NULL: of the oracle. */
static double apd90(const double *constants, const oracle_cell *cell)
{
    double y[ORACLE_N], size[ORACLE_N], peak = -100, rose = 0;
    const double rest_mV = oracle_start[ORACLE_EPI][ORACLE_V];
    memcpy(y, oracle_start[ORACLE_EPI], sizeof y);
    for (int k = 0; k < 40000; k++) {
        const double before = y[ORACLE_V];
        if (k >= 50 && k < 100) y[ORACLE_V] += 52 * 0.02;
        if (constants)
            step(constants, 0.02, y);
        else
            oracle_step(cell, 0.02, y, size);
        peak = fmax(peak, y[ORACLE_V]);
        if (before < 0 && y[ORACLE_V] >= 0) rose = 0.02 * k;
        if (rose > 0 && 0.02 * k > rose + 50 && y[ORACLE_V] < peak - 0.9 * (peak - rest_mV))
            return 0.02 * k - rose;
    }
    return INFINITY;
}

/* Half of g_Kr, as with an antiarrhythmic drug, prolongs the action potential by about 20 ms; low extracellular potassium also prolongs
 * it. Agreement with the oracle within two time steps. */
Test(parameters, parameters_change_an_action_potential_as_in_the_published_equations)
{
    static const struct {
        const char *scale, *set;
        double least_ms, most_ms; /* prolongation */
    } row[] = {{NULL, NULL, 0, 0}, {"g_Kr=0.5", NULL, 8, 25}, {NULL, "g_Kr=0.0765", 8, 25},
        {"g_Ks=0.25", NULL, 40, 120}, {NULL, "K_o=4", 5, 40}, {NULL, "K_o=8", -10, 0},
        {"g_CaL=0.7", NULL, -80, -10}};
    double usual = 0;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        mt_cell_variant variant;
        double constants[MT_CELL_CONSTANTS];
        oracle_cell cell = oracle_cell_of(ORACLE_EPI);
        if (row[k].scale || row[k].set) {
            const char *text = row[k].scale ? row[k].scale : row[k].set, *equals = strchr(text, '=');
            char name[16];
            (void)snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
            double *value = oracle_parameter(&cell, name);
            *value = row[k].scale ? *value * atof(equals + 1) : atof(equals + 1);
        }
        cr_assert_eq(change(TP06_EPI, (const char *[]){row[k].scale, NULL},
                         (const char *[]){row[k].set, NULL}, &variant),
            MT_OK, "%s", mt_message());
        mt_cell_constants_double(&mt_cell_tp06, &variant, 1, constants);
        const double found = apd90(constants, NULL), expected = apd90(NULL, &cell);
        if (k == 0) usual = found;
        cr_log_info("%s %s: %.2f ms longer, %.2f ms by the oracle", row[k].scale ? row[k].scale : "",
            row[k].set ? row[k].set : "", found - usual, expected - usual);
        cr_expect(fabs(found - expected) <= 0.04 + 1e-9, "row %zu: %g ms, not %g", k, found, expected);
        cr_expect(found - usual >= row[k].least_ms && found - usual <= row[k].most_ms,
            "row %zu: %g ms longer", k, found - usual);
    }
}

/* ---- valid changes ---- */

Test(parameters, an_unchanged_variant_is_bit_identical_to_that_of_the_model)
{
    mt_cell_variant variant;
    double constants[2][MT_CELL_CONSTANTS];
    for (size_t type = 0; type < TP06_VARIANTS; type++) {
        const mt_cell_variant *base = &mt_cell_tp06.variants[type];
        cr_assert_eq(
            change(type, (const char *[]){"g_Kr=1", NULL}, nothing, &variant), MT_OK, "%s", mt_message());
        cr_expect_arr_eq(variant.parameters, base->parameters, TP06_PARAMETERS * sizeof(double));
        mt_cell_constants_double(&mt_cell_tp06, base, 1, constants[0]);
        mt_cell_constants_double(&mt_cell_tp06, &variant, 1, constants[1]);
        cr_expect_arr_eq(constants[0], constants[1], TP06_CONSTANTS * sizeof(double));
        cr_expect(variant.v_mV == base->v_mV && variant.states == base->states);
        cr_expect_str_eq(variant.name, base->name);
    }
}

/* Later changes replace earlier ones; a factor applies to the value of the variant. */
Test(parameters, the_last_of_several_changes_applies)
{
    mt_cell_changes changes;
    mt_cell_variant variant;
    const mt_yaml_override half = {"a", "g_Kr=0.5"}, third = {"b", "g_Kr=0.25"}, ks = {"b", "g_Ks=2"},
                           value = {"c", "g_Kr=7"};
    const mt_cell_request first = {.scales = &half, .n_scales = 1},
                          second = {.scales = (const mt_yaml_override[]){third, ks}, .n_scales = 2},
                          last = {.sets = &value, .n_sets = 1};
    const mt_cell_variant *epi = &mt_cell_tp06.variants[TP06_EPI];
    cr_assert_eq(mt_cell_changes_new(&arena, &mt_cell_tp06, &changes), MT_OK);
    cr_assert_eq(mt_cell_changes_add(&mt_cell_tp06, &first, &changes), MT_OK);
    cr_assert_eq(mt_cell_changes_add(&mt_cell_tp06, &second, &changes), MT_OK);
    cr_assert_eq(mt_cell_variant_with(&arena, &mt_cell_tp06, epi, "x", &changes, &variant), MT_OK);
    cr_expect_eq(variant.parameters[TP06_G_KR], 0.25 * 0.153);
    cr_expect_eq(variant.parameters[TP06_G_KS], 2 * 0.392);
    cr_assert_eq(mt_cell_changes_add(&mt_cell_tp06, &last, &changes), MT_OK);
    cr_assert_eq(mt_cell_variant_with(&arena, &mt_cell_tp06, epi, "x", &changes, &variant), MT_OK);
    cr_expect_eq(variant.parameters[TP06_G_KR], 7);
    cr_assert_eq(mt_cell_changes_add(&mt_cell_tp06, &first, &changes), MT_OK);
    cr_assert_eq(mt_cell_variant_with(&arena, &mt_cell_tp06, epi, "x", &changes, &variant), MT_OK);
    cr_expect_eq(variant.parameters[TP06_G_KR], 0.5 * 0.153);
    cr_expect_str_eq(variant.name, "x");
}

Test(parameters, invalid_parameters_are_rejected_with_their_position)
{
    static const struct {
        const char *scales[3], *sets[3], *message;
    } row[] = {
        {{"g_kr=0.5"}, {0},
            "--scale g_kr=0.5: not a parameter of the ionic model tp06; allowed: g_Na, g_bNa, "},
        {{""}, {0}, "--scale : not a parameter"},
        {{"=1"}, {0}, "--scale =1: not a parameter"},
        {{"g_K=1"}, {0}, "--scale g_K=1: not a parameter"},
        {{"g_Kr"}, {0}, "--scale g_Kr; allowed after g_Kr=: a number at least 0 and at most 50"},
        {{"g_Kr="}, {0}, "--scale g_Kr=; allowed after g_Kr=: a number at least 0 and at most 50"},
        {{"g_Kr=-0.5"}, {0}, "--scale g_Kr=-0.5; allowed after g_Kr=: a number at least 0 and at most 50"},
        {{"s_half=-1"}, {0}, "--scale s_half=-1; allowed after s_half=: a number at least 0 and at most 50"},
        {{"g_Kr=0.5x"}, {0}, "--scale g_Kr=0.5x; allowed"},
        {{"g_Kr=inf"}, {0}, "--scale g_Kr=inf; allowed"},
        {{"g_Kr=nan"}, {0}, "--scale g_Kr=nan; allowed"},
        {{"g_Kr=1e999"}, {0}, "--scale g_Kr=1e999; allowed"},
        {{"g_Kr=1", "g_Kr=2"}, {0}, "--scale g_Kr=2: g_Kr already has a factor; allowed: one"},
        {{0}, {"K_o=5", "K_o=5"}, "--value K_o=5: K_o already has a value; allowed: one of them"},
        {{"K_o=1"}, {"K_o=5"}, "--value K_o=5: K_o already has a factor; allowed: one of them"},
        {{0}, {"K_o=-5"},
            "--value K_o=-5; allowed after K_o=: 0, or a number at least 5.4e-06 and at most 270, in mM"},
        {{0}, {"s_half=x"},
            "--value s_half=x; allowed after s_half=: a number at least -500 and at most 500, in mV"},
        {{0}, {"g_Na=1", "K_o=0"},
            "--value K_o=0: a step of this cell (epi) does not result in finite numbers"},
        {{0}, {"Na_o=14000"}, "--value Na_o=14000; allowed after Na_o=: 0, or a number at least 0.00014 and"},
        {{0}, {"K_o=1e-300"}, "--value K_o=1e-300; allowed after K_o=: 0, or a number at least 5.4e-06"},
        {{0}, {"s_half=501"}, "--value s_half=501; allowed after s_half=: a number at least -500"},
        {{"g_Na=1", "g_Kr=1e300"}, {0},
            "--scale g_Kr=1e300; allowed after g_Kr=: a number at least 0 and at most 50"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        mt_cell_variant variant;
        cr_expect_eq(change(TP06_EPI, row[k].scales, row[k].sets, &variant), MT_INPUT, "row %zu", k);
        cr_expect_eq(strncmp(mt_message(), row[k].message, strlen(row[k].message)), 0, "%s", mt_message());
    }
    mt_cell_variant variant;
    cr_expect_eq(
        change(TP06_EPI, nothing, (const char *[]){"s_half=-3", NULL}, &variant), MT_OK, "%s", mt_message());
}

/* The message lists all names. */
Test(parameters, an_unknown_name_is_rejected_with_the_known_ones)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++) {
        const mt_yaml_override text = {"--scale", "g_Nonsense=1"};
        const mt_cell_request asked = {.scales = &text, .n_scales = 1};
        mt_cell_variant variant;
        cr_assert_eq(mt_cell_variant_change(&arena, *m, &(*m)->variants[0], &asked, &variant), MT_INPUT);
        for (size_t k = 0; k < (*m)->n_parameters; k++)
            cr_expect(strstr(mt_message(), (*m)->parameters[k].name), "%s", mt_message());
    }
}

/* Changes as in block, overexpression and ischaemia are accepted for every parameter. */
Test(parameters, drug_effects_and_disease_remodelling_are_within_the_ranges)
{
    static const char *const factors[] = {"0.01", "0.5", "2", "10", "50"};
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t k = 0; k < (*m)->n_parameters; k++)
            for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
                char text[2][96];
                const mt_yaml_override scale = {"--scale", text[0]}, value = {"--value", text[1]};
                mt_cell_changes changes;
                const double own = (*m)->variants[0].parameters[k], factor = strtod(factors[f], NULL);
                const bool voltage = strcmp((*m)->parameters[k].unit, "mV") == 0;
                (void)snprintf(text[0], sizeof text[0], "%s=%s", (*m)->parameters[k].name, factors[f]);
                (void)snprintf(text[1], sizeof text[1], "%s=%.17g", (*m)->parameters[k].name,
                    voltage ? -own : own * fmin(factor, 49));
                cr_assert_eq(mt_cell_changes_new(&arena, *m, &changes), MT_OK);
                cr_expect_eq(
                    mt_cell_changes_add(*m, &(mt_cell_request){.scales = &scale, .n_scales = 1}, &changes),
                    MT_OK, "%s", mt_message());
                cr_expect_eq(
                    mt_cell_changes_add(*m, &(mt_cell_request){.sets = &value, .n_sets = 1}, &changes), MT_OK,
                    "%s", mt_message());
            }
    mt_cell_variant variant;
    cr_expect_eq(
        change(TP06_EPI, (const char *[]){"g_Ks=0", NULL}, (const char *[]){"g_Kr=0", NULL}, &variant), MT_OK,
        "%s", mt_message());
}

/* ---- imported models ---- */

/* A file with a switch, a shift in mV, a charge and a conductance; V returns to `rest`. */
static const char imported_text[] = "[[model]]\n"
                                    "membrane.V = -80\n"
                                    "gate.x = 0.5\n"
                                    "[membrane]\n"
                                    "t = 0 [ms] in [ms] bind time\n"
                                    "pace = 0 bind pace\n"
                                    "dot(V) = -g * x * (V + 80 - shift) * if(celltype == 2, 3, 1) + pace\n"
                                    "    label membrane_potential\n"
                                    "g = 0.1 in [mS/uF]\n"
                                    "shift = 0 in [mV]\n"
                                    "offset = 20 in [mV]\n"
                                    "celltype = 0\n"
                                    "z = -2\n"
                                    "use gate.x\n"
                                    "[gate]\n"
                                    "use membrane.V, membrane.z, membrane.offset\n"
                                    "dot(x) = 0.01 * (1 / (1 + exp(z * (V + offset) / 100)) - x)\n";

static const mt_cell_model *import_text(void)
{
    mt_imported *imported;
    const mt_system_names none = {0};
    char path[] = "/tmp/myotile_XXXXXX.mmt";
    const int file = mkstemps(path, 4);
    cr_assert(file >= 0);
    cr_assert_eq(write(file, imported_text, strlen(imported_text)), (ssize_t)strlen(imported_text));
    cr_assert_eq(close(file), 0);
    const mt_status status = mt_cell_model_import(&arena, path, &none, &imported);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    return &imported->row;
}

static mt_status set(const mt_cell_model *model, const char *text, mt_cell_variant *variant)
{
    const mt_yaml_override value = {"--value", text};
    const mt_cell_request asked = {.sets = &value, .n_sets = 1};
    return mt_cell_variant_change(&arena, model, &model->variants[0], &asked, variant);
}

Test(parameters, a_parameter_of_an_imported_model_can_be_a_switch_or_negative)
{
    static const struct {
        const char *text, *message; /* NULL: accepted */
    } rows[] = {{"celltype=2", NULL}, {"celltype=-1e9", NULL},
        {"celltype=1.1e9", "a number at least -1000000000 and at most 1000000000"},
        {"celltype=inf", "a number"}, {"celltype=x", "a number"}, {"z=2", NULL}, {"z=-100", NULL},
        {"z=0", NULL}, {"z=-101", "a number at least -100 and at most 100"}, {"g=1e-9", NULL},
        {"g=-0.5", NULL}, {"g=5.1", "a number at least -5 and at most 5, in "}, {"shift=-30", NULL},
        {"shift=501", "a number at least -500 and at most 500, in mV"}, {"offset=-900", NULL},
        {"offset=1001", "a number at least -1000 and at most 1000, in mV"}};
    const mt_cell_model *model = import_text();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        mt_cell_variant variant;
        const mt_status status = set(model, rows[k].text, &variant);
        cr_expect_eq(status, rows[k].message ? MT_INPUT : MT_OK, "%s: %s", rows[k].text, mt_message());
        if (rows[k].message) cr_expect(strstr(mt_message(), rows[k].message), "%s", mt_message());
    }
}

/* From V = -60 the change is 0.1 x 20 x 0.5 in one ms, and three times as large for the other type. */
Test(parameters, a_switch_of_an_imported_model_changes_its_equations)
{
    static const char *const texts[] = {"celltype=0", "celltype=1", "celltype=2", "g=-0.1"};
    static const double expected_mV[] = {-61, -61, -63, -59};
    const mt_cell_model *model = import_text();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        mt_cell_variant variant;
        double constants[MT_CELL_CONSTANTS], v_mV = -60, x = 0.5;
        cr_assert_eq(set(model, texts[k], &variant), MT_OK, "%s", mt_message());
        mt_cell_constants_double(model, &variant, 1, constants);
        mt_cell_react_double(model, constants, 1, NULL, 1, 1, &x, &v_mV, &v_mV);
        cr_expect(fabs(v_mV - expected_mV[k]) < 1e-9, "%s: %g mV", texts[k], v_mV);
    }
}
