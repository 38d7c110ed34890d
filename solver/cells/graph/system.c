#include "solver/cells/graph/system.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- V and the stimulus ---- */

static const char *const labels_of_v[] = {"membrane_voltage", "membrane_potential", NULL},
                         *const names_of_v[] = {"V", "Vm", "V_m", "vm", "v", "Vmembrane", "membrane_V", "E",
                             NULL},
                         *const labels_of_stimulus[] = {"membrane_stimulus_current", "stimulus_current",
                             NULL},
                         *const names_of_stimulus[] = {"i_stim", "istim", "i_st", "ist", "stim_current",
                             "stimulus", "stim", "i_app", "iapp", "i_pulse", "i_stimulus", NULL};

static const char *word_in(const char *const *words, const char *text, bool exact)
{
    for (; text && *words; words++)
        if ((exact ? strcmp(*words, text) : strcasecmp(*words, text)) == 0) return *words;
    return NULL;
}

/* Lists the states for a message. */
static void state_names(const mt_equations *e, char *text, size_t size)
{
    *text = 0;
    for (size_t k = 0; k < e->n; k++) {
        const size_t n = strlen(text);
        if (e->variable[k].kind != MT_VARIABLE_STATE) continue;
        (void)snprintf(text + n, size - n, "%s%.60s", n ? ", " : "", e->variable[k].name);
    }
}

static mt_status find_named(const mt_equations *e, const char *what, const char *name, size_t *index)
{
    if (mt_equations_find(e, name, index)) return MT_OK;
    return mt_fail(MT_INPUT, "%s: there is no single variable '%.80s' for the %s; write COMPONENT.NAME",
        e->path, name, what);
}

static mt_status find_v(const mt_equations *e, const char *name, size_t *v)
{
    char names[600];
    size_t n[2] = {0}, found[2] = {0}; /* by label, by name */
    state_names(e, names, sizeof names);
    if (name) {
        MT_TRY(find_named(e, "transmembrane voltage", name, v));
        if (e->variable[*v].kind == MT_VARIABLE_STATE) return MT_OK;
        return mt_fail(MT_INPUT,
            "%s: '%.80s' has no derivative, so it is not the transmembrane voltage; states: %s", e->path,
            name, names);
    }
    for (size_t k = 0; k < e->n; k++) {
        const mt_variable *one = &e->variable[k];
        if (one->kind != MT_VARIABLE_STATE) continue;
        if (word_in(labels_of_v, one->label, true)) found[0] = k, n[0]++;
        if (word_in(names_of_v, one->name, true)) found[1] = k, n[1]++;
    }
    const int by = n[0] > 0 ? 0 : 1;
    *v = found[by];
    if (n[by] == 1) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: %s state is the transmembrane voltage by its annotation or name; annotate it in the file, or "
        "name "
        "it by --voltage of `myotile model import`; states: %s",
        e->path, n[by] ? "more than one" : "no", names);
}

/* Finds the stimulus; SIZE_MAX: none. */
static mt_status find_stimulus(const mt_equations *e, const char *name, size_t *stimulus)
{
    if (name) return find_named(e, "stimulus", name, stimulus);
    size_t by_name = SIZE_MAX, by_input = SIZE_MAX;
    *stimulus = SIZE_MAX;
    for (size_t k = 0; k < e->n && *stimulus == SIZE_MAX; k++) {
        const mt_variable *one = &e->variable[k];
        if (one->kind == MT_VARIABLE_STATE || one->kind == MT_VARIABLE_TIME) continue;
        if (word_in(labels_of_stimulus, one->label, true)) *stimulus = k;
        if (word_in(names_of_stimulus, one->name, false)) by_name = k;
        if (one->kind == MT_VARIABLE_INPUT && strstr(one->name, "pace")) by_input = k;
    }
    if (*stimulus == SIZE_MAX) *stimulus = by_name != SIZE_MAX ? by_name : by_input;
    return MT_OK;
}

/* Returns one unit of a variable as a multiple of `base` (in SI units), a unit of the same dimension as `like`; 1 if it is another or none.
 * */
static double factor(const mt_variable *v, const mt_unit *like, double base)
{
    return v->unit.known && mt_unit_same_dimension(v->unit, *like) ? v->unit.factor / base : 1;
}

static void find_units(mt_system *s)
{
    const mt_equations *e = s->equations;
    mt_unit volt, second;
    s->mV = s->ms = 1;
    if (!mt_unit_named("volt", 4, &volt) || !mt_unit_named("second", 6, &second)) return;
    s->mV = factor(&e->variable[s->v], &volt, 1e-3);
    for (size_t k = 0; k < e->n; k++)
        if (e->variable[k].kind == MT_VARIABLE_TIME) s->ms = factor(&e->variable[k], &second, 1e-3);
}

/* ---- expressions ---- */

mt_status mt_system_copy(const mt_system *s, mt_algebra *m, mt_node stimulus, mt_node *copy)
{
    MT_SCRATCH(scratch);
    const mt_equations *e = s->equations;
    mt_node *leaf;
    MT_ALLOC(scratch, leaf, e->n);
    for (size_t k = 0; k < e->n; k++)
        leaf[k] = e->variable[k].kind == MT_VARIABLE_INPUT ? mt_number(m, 0) : mt_symbol(m, k);
    leaf[s->v] = mt_product(m, mt_number(m, 1 / s->mV), leaf[s->v]);
    size_t from = 0;
    if (s->stimulus != SIZE_MAX) {
        const mt_node of_stimulus = e->variable[s->stimulus].flat;
        leaf[s->stimulus] = stimulus;
        if (of_stimulus != MT_NO_NODE) {
            mt_algebra_copy(m, e->flat, 0, of_stimulus, leaf, copy);
            copy[of_stimulus] = stimulus;
            from = of_stimulus + 1;
        }
    }
    mt_algebra_copy(m, e->flat, from, e->flat->n, leaf, copy);
    return m->status;
}

/* Copies the derivatives into the algebra, with the stimulus as a symbol. */
static mt_status copy_rates(mt_arena *scratch, mt_system *s, mt_node *rate)
{
    const mt_equations *e = s->equations;
    mt_algebra *m = &s->algebra;
    mt_node *copy;
    MT_ALLOC(scratch, copy, e->flat->n);
    const mt_node stimulus = s->stimulus != SIZE_MAX ? mt_symbol(m, s->stimulus) : MT_NO_NODE;
    MT_TRY(mt_system_copy(s, m, stimulus, copy));
    for (size_t k = 0; k < e->n; k++) {
        const mt_variable *v = &e->variable[k];
        if (v->kind != MT_VARIABLE_STATE) continue;
        rate[k] = mt_product(m, mt_number(m, (k == s->v ? s->mV : 1) / s->ms), copy[v->flat]);
    }
    return m->status;
}

/* Finds the state that the stimulus changes most beside V, and removes the stimulus from the derivatives. */
static mt_status remove_stimulus(mt_system *s)
{
    MT_SCRATCH(scratch);
    mt_algebra *m = &s->algebra;
    s->carrier = s->n_states;
    if (s->stimulus == SIZE_MAX) return MT_OK;
    mt_node *by;
    MT_ALLOC(scratch, by, s->n_states + 1);
    for (size_t k = 0; k <= s->n_states; k++)
        by[k] = mt_derivative(m, k < s->n_states ? s->rate[k] : s->v_rate, s->stimulus);
    MT_TRY(m->status);
    bool *used;
    double *value, *states;
    MT_ALLOC(scratch, used, m->graph->n);
    MT_ALLOC(scratch, value, m->graph->n);
    MT_ALLOC(scratch, states, s->n_states);
    for (size_t k = 0; k <= s->n_states; k++) mt_graph_mark(m->graph, by[k], used);
    for (size_t k = 0; k < s->n_states; k++) states[k] = s->equations->variable[s->state[k]].value;
    MT_TRY(mt_system_values(s, used, s->equations->variable[s->v].value * s->mV, states, value));
    const double of_v = value[by[s->n_states]];
    for (size_t k = 0; k < s->n_states; k++) {
        const double per_mV = value[by[k]] / of_v;
        if (per_mV == 0 || !isfinite(per_mV)) continue;
        if (s->carrier < s->n_states && fabs(per_mV) <= fabs(s->carrier_per_mV)) continue;
        s->carrier = k;
        s->carrier_per_mV = per_mV;
    }
    const mt_node none = mt_number(m, 0);
    s->v_rate = mt_replaced(m, s->v_rate, s->stimulus, none);
    for (size_t k = 0; k < s->n_states; k++) s->rate[k] = mt_replaced(m, s->rate[k], s->stimulus, none);
    return m->status;
}

/* Refuses derivatives that depend on time, and lists the parameters on which they depend. */
static mt_status find_leaves(mt_arena *arena, mt_system *s)
{
    MT_SCRATCH(scratch);
    const mt_equations *e = s->equations;
    const mt_graph *graph = s->algebra.graph;
    bool *used, *leaf;
    MT_ALLOC(scratch, used, graph->n);
    MT_ALLOC(scratch, leaf, e->n + 2);
    for (size_t k = 0; k <= s->n_states; k++) {
        const mt_node rate = k < s->n_states ? s->rate[k] : s->v_rate;
        mt_graph_mark(graph, rate, used);
        for (mt_node node = 0; node <= rate; node++) {
            if (!used[node] || graph->node[node].op != MT_OP_VARIABLE) continue;
            const uint32_t variable = graph->node[node].variable;
            leaf[variable] = true;
            if (e->variable[variable].kind == MT_VARIABLE_TIME)
                return mt_fail(MT_INPUT,
                    "%s: the derivative of '%.80s' depends on time; supported is a stimulus current, "
                    "annotated in "
                    "the file or named by --stimulus-current of `myotile model import` if it has no usual "
                    "name",
                    e->path, e->variable[k < s->n_states ? s->state[k] : s->v].name);
        }
    }
    MT_ALLOC(arena, s->parameter, e->n);
    for (size_t k = 0; k < e->n; k++)
        if (leaf[k] && e->variable[k].kind == MT_VARIABLE_PARAMETER)
            s->parameter[s->n_parameters++] = (uint32_t)k;
    if (s->n_parameters > MT_SYSTEM_PARAMETERS_MAX)
        return mt_fail(MT_INPUT, "%s: %zu parameters; at most %d are supported", e->path, s->n_parameters,
            MT_SYSTEM_PARAMETERS_MAX);
    return MT_OK;
}

mt_status mt_system_build(
    mt_arena *arena, const mt_equations *equations, const mt_system_names *names, mt_system *system)
{
    MT_SCRATCH(scratch);
    const mt_equations *e = equations;
    *system = (mt_system){.equations = e, .dt = e->n, .step = e->n + 1};
    bool *constant;
    MT_ALLOC(arena, constant, e->n + 2);
    for (size_t k = 0; k < e->n; k++) constant[k] = e->variable[k].kind == MT_VARIABLE_PARAMETER;
    MT_TRY(find_v(e, names->voltage, &system->v));
    MT_TRY(find_stimulus(e, names->stimulus, &system->stimulus));
    find_units(system);
    MT_TRY(mt_algebra_new(arena, constant, &system->algebra));
    mt_node *rate;
    MT_ALLOC(scratch, rate, e->n);
    MT_TRY(copy_rates(scratch, system, rate));
    MT_ALLOC(arena, system->state, e->n);
    MT_ALLOC(arena, system->rate, e->n);
    for (size_t k = 0; k < e->n; k++) {
        if (e->variable[k].kind != MT_VARIABLE_STATE || k == system->v) continue;
        system->rate[system->n_states] = rate[k];
        system->state[system->n_states++] = (uint32_t)k;
    }
    system->v_rate = rate[system->v];
    if (system->n_states > MT_SYSTEM_STATES_MAX)
        return mt_fail(MT_INPUT, "%s: %zu states; at most %d are supported", e->path, system->n_states,
            MT_SYSTEM_STATES_MAX);
    MT_TRY(remove_stimulus(system));
    return find_leaves(arena, system);
}

mt_status mt_system_values(
    const mt_system *system, const bool *used, double v_mV, const double *states, double *value)
{
    MT_SCRATCH(scratch);
    const mt_equations *e = system->equations;
    const mt_graph *graph = system->algebra.graph;
    double *variable;
    MT_ALLOC(scratch, variable, e->n + 2);
    for (size_t k = 0; k < e->n; k++) variable[k] = e->variable[k].value;
    for (size_t k = 0; k < system->n_states; k++) variable[system->state[k]] = states[k];
    variable[system->v] = v_mV;
    variable[system->dt] = variable[system->step] = 1;
    for (mt_node k = 0; k < graph->n; k++)
        if (used[k]) value[k] = mt_graph_node_value(graph, k, variable, value);
    return MT_OK;
}
