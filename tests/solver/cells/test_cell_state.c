#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/cells/cell_state.h"
#include "solver/cells/tp06/tp06.h"

static mt_arena arena;
static char path[64];

static void enter(void)
{
    (void)strcpy(path, "/tmp/test_cell_state.XXXXXX");
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    (void)close(file);
}

static void leave(void)
{
    (void)remove(path);
    mt_arena_free(&arena);
}

TestSuite(cell_state, .init = enter, .fini = leave);

enum { MOST = 64 };

/* Fills a state with numbers that need all of their digits. */
static mt_cell_state awkward(const mt_cell_model *model, double parameters[MOST], double states[MOST])
{
    for (size_t k = 0; k < model->n_parameters; k++) parameters[k] = k % 2 ? NAN : 1.0 / (double)(k + 3);
    for (size_t k = 0; k < model->n_states; k++) states[k] = pow(10, -(double)k) / 3;
    return (mt_cell_state){
        model, model->variants[0].name, parameters, 0.02, 1000.0 / 3, 12345, -85.0 - 1.0 / 3, states};
}

Test(cell_state, a_written_state_is_read_back_bit_identically)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (int paced = 0; paced < 2; paced++) {
            double parameters[MOST], states[MOST];
            mt_cell_state written = awkward(*m, parameters, states), read;
            if (!paced) written.bcl_ms = NAN, written.beats = 0, written.type = "my: \"own\" # type";
            cr_assert_eq(mt_cell_state_write(path, &written), MT_OK, "%s", mt_message());
            cr_assert_eq(mt_cell_state_read(&arena, path, NULL, &read), MT_OK, "%s", mt_message());
            cr_assert(read.model == *m && strcmp(read.type, written.type) == 0);
            cr_assert(read.v_mV == written.v_mV && read.dt_ms == 0.02 && read.beats == written.beats);
            cr_assert(paced ? read.bcl_ms == written.bcl_ms : isnan(read.bcl_ms));
            for (size_t k = 0; k < (*m)->n_parameters; k++)
                cr_assert(
                    isnan(parameters[k]) ? isnan(read.parameters[k]) : read.parameters[k] == parameters[k]);
            cr_assert(memcmp(read.states, states, (*m)->n_states * sizeof *states) == 0, "%s", (*m)->name);
        }
}

/* Only parameters that a user changed, not the differences between types. */
Test(cell_state, only_parameters_that_differ_from_the_cell_type_are_listed)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t v = 0; v < (*m)->n_variants; v++) {
            double changed[MOST];
            const double *found;
            mt_cell_variant variant = (*m)->variants[v];
            cr_assert_eq(mt_cell_state_parameters(&arena, *m, &variant, &found), MT_OK);
            for (size_t k = 0; k < (*m)->n_parameters; k++) cr_assert(isnan(found[k]));
            memcpy(changed, variant.parameters, (*m)->n_parameters * sizeof *changed);
            changed[1] += 1, variant.parameters = changed;
            cr_assert_eq(mt_cell_state_parameters(&arena, *m, &variant, &found), MT_OK);
            for (size_t k = 0; k < (*m)->n_parameters; k++)
                cr_assert(k == 1 ? found[k] == changed[k] : isnan(found[k]));
        }
}

Test(cell_state, nonfinite_states_are_not_written)
{
    double parameters[MOST], states[MOST];
    const mt_cell_state s = awkward(mt_cell_models[0], parameters, states);
    states[12] = INFINITY;
    cr_assert_eq(mt_cell_state_write(path, &s), MT_NUMERICS);
    cr_assert(strstr(mt_message(), "the state Ca_i is inf"), "%s", mt_message());
}

/* ---- refused files */

static const char good[] = "model: mitchell-schaeffer\ntype: standard\nv_mV: -80\nstates:\n  h: 1\n";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    (void)fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

/* Expects that the good file with one text replaced is refused; `message` follows the name of the file. */
static void refuses(const char *old, const char *new, const char *message)
{
    char text[1024], expected[1024];
    mt_cell_state state;
    const char *at = strstr(good, old);
    cr_assert_not_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, new, at + strlen(old));
    write_text(text);
    cr_assert_eq(mt_cell_state_read(&arena, path, NULL, &state), MT_INPUT, "%s", text);
    (void)snprintf(expected, sizeof expected, "%s:%s", path, message);
    cr_assert(strncmp(mt_message(), expected, strlen(expected)) == 0, "%s\nnot %s", mt_message(), expected);
}

Test(cell_state, errors_name_file_line_and_key)
{
    mt_cell_state state;
    write_text(good);
    cr_assert_eq(mt_cell_state_read(&arena, path, NULL, &state), MT_OK, "%s", mt_message());
    cr_assert(state.states[0] == 1 && isnan(state.dt_ms) && isnan(state.bcl_ms) && state.beats == 0);
    refuses(
        "model: mitchell-schaeffer", "model: purkinje", "1: model: ionic model 'purkinje'; allowed: tp06");
    refuses("model: mitchell-schaeffer\n", "", "1: model: missing; allowed: tp06");
    refuses("type: standard\n", "", "1: type: missing; allowed: a text");
    refuses("  h: 1\n", "  h: 1\n  Ca_i: 1\n", "6: states.Ca_i: unknown key; allowed here: h");
    refuses("  h: 1\n", "  {}\n", "5: states.h: missing; allowed: a number");
    refuses("h: 1", "h: closed", "5: states.h: closed; allowed: a number");
    refuses("model: mitchell-schaeffer", "model: tp06", "5: states.Xr1: missing");
    refuses("v_mV: -80", "v_mV: -800", "3: v_mV: -800; allowed: ");
    refuses("v_mV: -80", "v_mV: -80\nparameters: {g_Ks: 1}",
        "4: parameters.g_Ks: unknown key; allowed here: tau_in");
    refuses("v_mV: -80", "v_mV: -80\nbcl_ms: 0", "4: bcl_ms: 0; allowed: above 0");
    refuses("type: standard", "typ: standard", "2: typ: unknown key");
}

/* The identity is of more weight than the path. */
Test(cell_state, the_state_of_an_imported_model_belongs_to_the_content_of_its_file)
{
    double parameters[MOST], states[MOST];
    mt_cell_model model = mt_cell_tp06, edited;
    mt_cell_state read;
    char text[4096] = "";
    model.name = "/nowhere/a.mmt";
    model.identity = "a.mmt#1";
    const mt_cell_state written = awkward(&model, parameters, states);
    cr_assert_eq(mt_cell_state_write(path, &written), MT_OK, "%s", mt_message());
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_expect_gt(fread(text, 1, sizeof text - 1, file), 0);
    (void)fclose(file);
    cr_expect(strstr(text, "\nmodel: \"/nowhere/a.mmt\"\nidentity: \"a.mmt#1\"\n"), "%s", text);
    model.name = "moved/a.mmt";
    cr_assert_eq(mt_cell_state_read(&arena, path, &model, &read), MT_OK, "%s", mt_message());
    cr_expect_eq(read.model, &model);
    cr_expect_arr_eq(read.states, states, model.n_states * sizeof *states);
    edited = model;
    edited.identity = "a.mmt#2";
    cr_expect_eq(mt_cell_state_read(&arena, path, &edited, &read), MT_FILE);
    cr_expect(strstr(mt_message(), "/nowhere/a.mmt: cannot be read"), "%s", mt_message());
}

Test(cell_state, a_state_of_another_identity_is_refused)
{
    mt_cell_state state;
    char text[1024];
    (void)snprintf(text, sizeof text, "identity: a.mmt#1\n%s", good);
    write_text(text);
    cr_expect_eq(mt_cell_state_read(&arena, path, NULL, &state), MT_INPUT);
    cr_expect(
        strstr(mt_message(), ": identity: a.mmt#1; the model mitchell-schaeffer now is mitchell-schaeffer"),
        "%s", mt_message());
}

Test(cell_state, a_missing_file_is_reported)
{
    mt_cell_state state;
    cr_assert_eq(mt_cell_state_read(&arena, "/nowhere/state.yaml", NULL, &state), MT_FILE);
}
