#include "solver/cells/graph/imported.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/cells/graph/program_mix.h"
#include "solver/cells/trial.h"

/* ---- the row ---- */

/* True if another state or parameter of the system has the same name. */
static bool is_ambiguous(const mt_system *s, size_t variable)
{
    const mt_variable *v = s->equations->variable;
    size_t same = 0;
    for (size_t k = 0; k < s->n_states; k++) same += strcmp(v[s->state[k]].name, v[variable].name) == 0;
    for (size_t k = 0; k < s->n_parameters; k++)
        same += strcmp(v[s->parameter[k]].name, v[variable].name) == 0;
    return same > 1;
}

/* Sets a name to component_name, if there is a component. */
static mt_status name_with_component(mt_arena *arena, const mt_variable *v, const char **name)
{
    if (!*v->component) return MT_OK;
    const size_t size = strlen(v->component) + strlen(v->name) + 2;
    char *text;
    MT_ALLOC(arena, text, size);
    (void)snprintf(text, size, "%s_%s", v->component, v->name);
    *name = text;
    return MT_OK;
}

/* Lists variables as quantities: by their name, or as component_name if two have the same. */
static mt_status quantities(
    mt_arena *arena, const mt_system *s, size_t n, const uint32_t *index, const mt_cell_quantity **list)
{
    mt_cell_quantity *quantity;
    MT_ALLOC(arena, quantity, n);
    for (size_t k = 0; k < n; k++) {
        const mt_variable *v = &s->equations->variable[index[k]];
        quantity[k] = (mt_cell_quantity){v->name, mt_unit_same(v->unit, mt_unit_none) ? "" : v->unit_text};
        if (is_ambiguous(s, index[k])) MT_TRY(name_with_component(arena, v, &quantity[k].name));
    }
    *list = quantity;
    return MT_OK;
}

/* True if a state, a parameter or another current has the name of a current. */
static bool is_taken(const mt_cell_model *row, const mt_cell_quantity *currents, size_t n, size_t current)
{
    const char *name = currents[current].name;
    for (size_t k = 0; k < row->n_states; k++)
        if (strcmp(row->states[k].name, name) == 0) return true;
    for (size_t k = 0; k < row->n_parameters; k++)
        if (strcmp(row->parameters[k].name, name) == 0) return true;
    for (size_t k = 0; k < n; k++)
        if (k != current && strcmp(currents[k].name, name) == 0) return true;
    return false;
}

/* Adds the currents. States and parameters keep their names. */
static mt_status add_currents(mt_arena *arena, mt_imported *i)
{
    mt_currents *c = &i->program.currents;
    mt_cell_quantity *plain, *quantity;
    MT_TRY(mt_currents_find(arena, &i->system, c));
    MT_ALLOC(arena, plain, c->n);
    MT_ALLOC(arena, quantity, c->n);
    for (size_t k = 0; k < c->n; k++)
        plain[k] = (mt_cell_quantity){i->system.equations->variable[c->variable[k]].name, "pA/pF"};
    for (size_t k = 0; k < c->n; k++) {
        const mt_variable *v = &i->system.equations->variable[c->variable[k]];
        quantity[k] = plain[k];
        if (is_taken(&i->row, plain, c->n, k)) MT_TRY(name_with_component(arena, v, &quantity[k].name));
    }
    i->row.n_currents = c->n;
    i->row.currents = quantity;
    return MT_OK;
}

/* Makes the only variant: the parameters and the initial state of the file. */
static mt_status make_variant(mt_arena *arena, const mt_system *s, mt_cell_model *row)
{
    mt_cell_variant *variant;
    double *parameters, *states;
    const mt_variable *v = s->equations->variable;
    MT_ALLOC(arena, variant, 1);
    MT_ALLOC(arena, parameters, s->n_parameters);
    MT_ALLOC(arena, states, s->n_states);
    for (size_t k = 0; k < s->n_parameters; k++) parameters[k] = v[s->parameter[k]].value;
    for (size_t k = 0; k < s->n_states; k++) states[k] = v[s->state[k]].value;
    *variant = (mt_cell_variant){"default", parameters, v[s->v].value * s->mV, states};
    row->variants = variant;
    row->n_variants = 1;
    return MT_OK;
}

static mt_status make_row(mt_arena *arena, mt_imported *i)
{
    const mt_system *s = &i->system;
    const mt_equations *e = s->equations;
    mt_cell_model *row = &i->row;
    *row = (mt_cell_model){.name = e->path,
        .title = *e->title ? e->title : e->name,
        .source = e->source,
        .n_states = s->n_states,
        .n_parameters = s->n_parameters,
        .carrier = s->carrier < s->n_states ? s->carrier : 0,
        .carrier_per_mV = s->carrier < s->n_states ? s->carrier_per_mV : 0,
        .front_ms = mt_cell_models[0]->front_ms, /* the strength of a calibrated law is fitted for it */
        .program = &i->program};
    MT_TRY(quantities(arena, s, s->n_states, s->state, &row->states));
    MT_TRY(quantities(arena, s, s->n_parameters, s->parameter, &row->parameters));
    return make_variant(arena, s, row);
}

/* Refuses numbers that single precision cannot hold. */
static mt_status check_range(const mt_imported *i)
{
    const mt_cell_program *p = &i->program;
    double constants[MT_CELL_CONSTANTS];
    for (size_t k = 0; k < p->n_numbers; k++)
        if (!isfinite((float)p->number[k]))
            return mt_fail(MT_INPUT,
                "%s: the equations contain the number %g; in single precision the largest is 3.4e38",
                i->system.equations->path, p->number[k]);
    mt_cell_constants_double(&i->row, i->row.variants, 1, constants);
    for (size_t k = 0; k < p->n_constants; k++)
        if (!isfinite((float)constants[k]))
            return mt_fail(MT_INPUT,
                "%s: an expression of parameters is %g; it must be finite in single precision",
                i->system.equations->path, constants[k]);
    return MT_OK;
}

/* Makes the programs for the chosen methods; tabulated ones for time steps up to dt_ms, none if it is 0. */
static mt_status make_program(mt_arena *arena, mt_imported *i, double dt_ms)
{
    MT_TRY(mt_step_build(arena, &i->system, &i->step));
    MT_TRY(mt_cell_program_make(arena, &i->system, &i->step, dt_ms, &i->program));
    if (i->program.n_constants > MT_CELL_CONSTANTS)
        return mt_fail(MT_INPUT, "%s: %zu constants; at most %d are supported", i->system.equations->path,
            i->program.n_constants, MT_CELL_CONSTANTS);
    i->row.n_constants = i->program.n_constants;
    mt_cell_program_kernels(&i->row);
    return check_range(i);
}

/* Makes the programs with the tabulated ones, unless those are too large. */
static mt_status make_program_with_tables(mt_arena *arena, mt_imported *i)
{
    const mt_status status = make_program(arena, i, i->row.dt_max_ms);
    return status == MT_INPUT ? make_program(arena, i, 0) : status;
}

/* ---- trial beats ---- */

#define SAME_mV 2.0            /* root mean square up to which two beats are the same */
#define LONGEST_MS 0.1         /* time step */
#define SUBSTEPS_BELOW_MS 0.02 /* longest time step below which groups try substeps */

/* Selects examples of states: all samples while the action potential begins, and every fifth later. */
static mt_status examples_of(mt_arena *arena, const mt_trial *trial, size_t n_states, mt_examples *examples)
{
    const size_t begun = (size_t)(50 / MT_TRIAL_EVERY_MS);
    double *v, *states;
    size_t n = 0;
    MT_ALLOC(arena, v, MT_TRIAL_SAMPLES);
    MT_ALLOC(arena, states, MT_TRIAL_SAMPLES * n_states);
    for (size_t k = 0; k < MT_TRIAL_SAMPLES; k += k < begun ? 1 : 5) {
        v[n] = trial->v_mV[k];
        memcpy(states + n++ * n_states, trial->states + k * n_states, n_states * sizeof *states);
    }
    *examples = (mt_examples){n, v, states};
    return MT_OK;
}

/* Runs a beat with this time step, a second one after it, and one in a cable. MT_NUMERICS if one of them is unstable, or the first is not
 * the same as the reference; otherwise sets difference_mV. */
static mt_status try_step(
    const mt_imported *i, double dt_ms, const mt_trial *reference, double *difference_mV)
{
    MT_SCRATCH(scratch);
    mt_trial first, second;
    mt_cell_variant again = i->row.variants[0];
    MT_TRY(mt_trial_run(scratch, &i->row, &again, dt_ms, &first));
    *difference_mV = mt_trial_difference_mV(&first, reference);
    if (!(*difference_mV <= SAME_mV)) return MT_NUMERICS;
    again.v_mV = first.v_mV[MT_TRIAL_SAMPLES - 1];
    again.states = first.states + (MT_TRIAL_SAMPLES - 1) * i->row.n_states;
    MT_TRY(mt_trial_run(NULL, &i->row, &again, dt_ms, &second));
    return mt_trial_run_cable(&i->row, i->row.variants, dt_ms);
}

/* Finds the longest time step with which a beat is the same as the reference, and the difference with it. */
static mt_status find_longest_step(
    mt_imported *i, const mt_trial *reference, double reference_dt_ms, double *difference_mV)
{
    static const double steps_ms[] = {LONGEST_MS, 0.05, 0.02, 0.01, 0.005};
    i->row.dt_max_ms = reference_dt_ms;
    for (size_t k = 0; k < sizeof steps_ms / sizeof *steps_ms && steps_ms[k] > reference_dt_ms; k++) {
        const mt_status status = try_step(i, steps_ms[k], reference, difference_mV);
        if (status == MT_NUMERICS) continue;
        i->row.dt_max_ms = steps_ms[k];
        return status;
    }
    *difference_mV = 0;
    return MT_OK;
}

/* Computes a beat with this time step, or, if it is unstable, with shorter ones; sets dt_ms to the one used. */
static mt_status reference_beat(
    mt_arena *arena, const mt_imported *i, double most_ms, mt_trial *trial, double *dt_ms)
{
    mt_status status = MT_NUMERICS;
    for (*dt_ms = most_ms; status == MT_NUMERICS && *dt_ms > 1e-4; *dt_ms /= 5)
        status = mt_trial_run(arena, &i->row, i->row.variants, *dt_ms, trial);
    *dt_ms *= 5;
    if (status != MT_NUMERICS) return status;
    return mt_fail(MT_NUMERICS, "%s: a beat with time steps of %g ms: %s", i->system.equations->path, *dt_ms,
        mt_message());
}

/* Beats of a model with methods chosen from the same examples. */
typedef struct choice {
    const mt_trial *reference;
    double reference_dt_ms, difference_mV; /* the latter of the model at its longest time step */
} choice;

/* Takes another Jacobian or number of substeps if a beat is then the same with longer time steps. A program that is too large is not
 * taken. */
static mt_status try_other(mt_arena *arena, mt_imported *i, choice *c, bool complete, unsigned substeps)
{
    const mt_imported before = *i;
    double difference_mV;
    i->step.complete = complete;
    i->step.substeps = substeps;
    const mt_status made = make_program(arena, i, 0);
    if (made == MT_MEMORY) return made;
    if (made == MT_OK) {
        MT_TRY(find_longest_step(i, c->reference, c->reference_dt_ms, &difference_mV));
        const double longest = i->row.dt_max_ms, longest_before = before.row.dt_max_ms;
        if (longest > longest_before ||
            (longest == longest_before && substeps == 1 && difference_mV < c->difference_mV)) {
            c->difference_mV = difference_mV;
            return MT_OK;
        }
    }
    const mt_algebra algebra = i->system.algebra; /* it has grown */
    *i = before;
    i->system.algebra = algebra;
    return MT_OK;
}

/* Chooses between Jacobians and numbers of substeps. */
static mt_status choose_by_trial(mt_arena *arena, mt_imported *i, choice *c)
{
    bool any = false;
    for (size_t k = 0; k < i->row.n_states; k++) any |= i->step.method[k] == MT_METHOD_IMPLICIT;
    if (any && i->row.dt_max_ms < LONGEST_MS) MT_TRY(try_other(arena, i, c, true, 1));
    for (unsigned substeps = 4; any && substeps <= 16; substeps *= 4)
        for (int complete = 0; complete < 2; complete++)
            if (i->row.dt_max_ms < SUBSTEPS_BELOW_MS) MT_TRY(try_other(arena, i, c, complete != 0, substeps));
    return MT_OK;
}

mt_status mt_imported_make(
    mt_arena *arena, const mt_equations *equations, const mt_system_names *names, mt_imported **imported)
{
    MT_SCRATCH(scratch);
    MT_ALLOC(arena, *imported, 1);
    mt_imported *i = *imported;
    mt_examples examples;
    mt_trial trial;
    choice c = {.reference = &trial};
    MT_TRY(mt_system_build(arena, equations, names, &i->system));
    MT_TRY(make_row(arena, i));
    MT_TRY(mt_step_cautious(scratch, &i->system, &i->step));
    MT_TRY(make_program(scratch, i, 0));
    MT_TRY(reference_beat(scratch, i, 0.01, &trial, &c.reference_dt_ms));
    MT_TRY(examples_of(scratch, &trial, i->row.n_states, &examples));
    MT_TRY(mt_step_choose(arena, &i->system, &examples, &i->step));
    MT_TRY(make_program(arena, i, 0));
    MT_TRY(reference_beat(scratch, i, 0.005, &trial, &c.reference_dt_ms));
    MT_TRY(find_longest_step(i, &trial, c.reference_dt_ms, &c.difference_mV));
    MT_TRY(choose_by_trial(arena, i, &c));
    i->row.interval_max_ms = i->row.dt_max_ms;
    MT_TRY(make_program_with_tables(arena, i));
    MT_TRY(add_currents(arena, i));
    return mt_program_mixes(&i->row);
}
