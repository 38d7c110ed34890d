#include "solver/cells/import/cellml.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/disjoint.h"
#include "data/core/number.h"
#include "data/core/utf8.h"
#include "data/files/xml_tree.h"
#include "solver/cells/import/cellml_metadata.h"
#include "solver/cells/import/cellml_units.h"
#include "solver/cells/import/scoped_names.h"
#include "solver/cells/import/mathml.h"
#include "solver/cells/graph/complete.h"

enum { DEPTH = 256, FULL_NAME = 128 };
#define NONE UINT32_MAX

typedef mt_xml_element element;

/* A <variable> of a component. */
typedef struct variable {
    const element *element;
    const char *name, *unit_text;
    uint32_t component; /* from 1; the scope of names and units */
    mt_unit unit;
} variable;

/* A set of connected variables, at the index of its first one. */
typedef struct set {
    uint32_t defined, by; /* variables on the left side of its equation: x, or x and t in dx/dt; NONE */
    uint32_t initial;     /* the variable with an initial value; NONE */
    uint32_t place; /* the variable whose component, name and units the set has; NONE: without a value */
    const element *equation, *right; /* NULL: none */
    size_t index, rate;              /* in the equations: of the set, and of its derivative; SIZE_MAX: none */
    mt_node derivative;
} set;

typedef struct reader {
    mt_arena *scratch;
    mt_xml_tree tree;
    mt_equations *equations;
    mt_mathml math;
    mt_cellml_units units;
    mt_scoped_names components, variables; /* the scope of a variable is its component */
    const char **component;                /* [1 + n_components] names */
    size_t n_components;
    variable *variable; /* [n] */
    uint32_t *parent;   /* [n] of connected variables (data/core/disjoint.h) */
    set *set;           /* [n] */
    size_t n, scope;    /* scope: component of the current equation */
    uint32_t time;      /* set of the variable of integration; NONE */
} reader;

static bool is(const element *e, const char *name) { return strcmp(e->name, name) == 0; }
static uint32_t set_of(reader *r, size_t k) { return mt_disjoint_root(r->parent, (uint32_t)k); }

/* Writes "component.name", shortened. */
static const char *full_name(const reader *r, uint32_t k, char text[FULL_NAME])
{
    (void)snprintf(text, FULL_NAME, "%s.%s", mt_utf8_shown(r->component[r->variable[k].component]),
        mt_utf8_shown(r->variable[k].name));
    return text;
}

/* Returns a required attribute. */
static mt_status need(const reader *r, const element *e, const char *name, const char **value)
{
    *value = mt_xml_tree_attribute(e, name, "");
    return **value ? MT_OK : mt_xml_tree_fail(&r->tree, e, "without the attribute %s", name);
}

/* ---- components and variables ---- */

static mt_status read_version(reader *r, const char **format)
{
    static const struct {
        const char *space, *format;
    } versions[] = {{"http://www.cellml.org/cellml/1.0#", "CellML 1.0"},
        {"http://www.cellml.org/cellml/1.1#", "CellML 1.1"},
        {"http://www.cellml.org/cellml/2.0#", "CellML 2.0"}};
    const element *root = r->tree.root;
    if (!is(root, "model")) return mt_xml_tree_fail(&r->tree, root, "is not a CellML <model>");
    const char *space = mt_xml_tree_attribute(root, "xmlns", NULL);
    if (!space) space = mt_xml_tree_attribute(root, "xmlns:cellml", "");
    for (size_t k = 0; k < sizeof versions / sizeof *versions; k++) {
        *format = versions[k].format;
        if (strcmp(space, versions[k].space) == 0) return MT_OK;
    }
    return mt_xml_tree_fail(&r->tree, root,
        "namespace '%s'; supported: http://www.cellml.org/cellml/1.0#, 1.1# and 2.0#", mt_utf8_shown(space));
}

static mt_status read_variable(reader *r, const element *e)
{
    variable *v = &r->variable[r->n];
    v->element = e;
    v->component = (uint32_t)r->n_components;
    MT_TRY(need(r, e, "name", &v->name));
    MT_TRY(need(r, e, "units", &v->unit_text));
    const size_t length = strlen(v->name);
    if (mt_scoped_names_find(&r->variables, v->component, v->name, length))
        return mt_xml_tree_fail(&r->tree, e, "a second variable '%s' of component '%s'",
            mt_utf8_shown(v->name), mt_utf8_shown(r->component[v->component]));
    MT_TRY(mt_scoped_names_add(r->scratch, &r->variables, v->component, v->name, length, r->n));
    MT_TRY(mt_cellml_units_find(&r->units, v->component, e, v->unit_text, &v->unit));
    r->set[r->n++] = (set){.defined = NONE,
        .by = NONE,
        .initial = NONE,
        .place = NONE,
        .index = SIZE_MAX,
        .rate = SIZE_MAX,
        .derivative = MT_NO_NODE};
    return MT_OK;
}

static mt_status read_component(reader *r, const element *component)
{
    const char **name = &r->component[++r->n_components];
    MT_TRY(need(r, component, "name", name));
    const size_t length = strlen(*name);
    if (mt_scoped_names_find(&r->components, 0, *name, length))
        return mt_xml_tree_fail(&r->tree, component, "a second component '%s'", mt_utf8_shown(*name));
    MT_TRY(mt_scoped_names_add(r->scratch, &r->components, 0, *name, length, r->n_components));
    for (const element *e = component->first; e; e = e->next) {
        if (is(e, "reaction") || is(e, "reset"))
            return mt_xml_tree_fail(&r->tree, e, "is not supported; supported are equations in <math>");
        if (is(e, "variable")) MT_TRY(read_variable(r, e));
    }
    return MT_OK;
}

static mt_status read_components(reader *r)
{
    size_t components = 0, n = 0;
    for (const element *e = r->tree.root->first; e; e = e->next) {
        if (is(e, "import"))
            return mt_xml_tree_fail(&r->tree, e, "is not supported; the model must be in one file");
        if (!is(e, "component")) continue;
        components++;
        for (const element *v = e->first; v; v = v->next) n += is(v, "variable");
    }
    if (n > MT_EQUATIONS_VARIABLES_MAX)
        return mt_xml_tree_fail(
            &r->tree, r->tree.root, "%zu variables; supported: at most %d", n, MT_EQUATIONS_VARIABLES_MAX);
    MT_ALLOC(r->scratch, r->component, components + 1);
    MT_ALLOC(r->scratch, r->variable, n);
    MT_ALLOC(r->scratch, r->set, n);
    MT_ALLOC(r->scratch, r->parent, n);
    mt_disjoint_begin(r->parent, n);
    for (const element *e = r->tree.root->first; e; e = e->next)
        if (is(e, "component")) MT_TRY(read_component(r, e));
    return MT_OK;
}

/* Finds a variable by its name in a component. */
static mt_status find_variable(
    const reader *r, size_t scope, const element *e, const char *name, uint32_t *index)
{
    size_t found;
    if (!mt_scoped_names_value(&r->variables, scope, name, &found))
        return mt_xml_tree_fail(&r->tree, e, "component '%s' has no variable '%s'",
            mt_utf8_shown(r->component[scope]), mt_utf8_shown(name));
    *index = (uint32_t)found;
    return MT_OK;
}

/* ---- connections ---- */

/* Fails if two connected variables do not measure the same quantity. */
static mt_status check_units(const reader *r, const element *e, uint32_t a, uint32_t b)
{
    const variable *v = &r->variable[a], *w = &r->variable[b];
    char first[FULL_NAME], second[FULL_NAME];
    const bool offset = (strcmp(v->unit_text, "celsius") == 0) != (strcmp(w->unit_text, "celsius") == 0);
    if (mt_unit_same_dimension(v->unit, w->unit) && !offset) return MT_OK;
    return mt_xml_tree_fail(&r->tree, e, "units '%s' of %s and '%s' of %s cannot be converted",
        mt_utf8_shown(v->unit_text), full_name(r, a, first), mt_utf8_shown(w->unit_text),
        full_name(r, b, second));
}

static mt_status find_component(const reader *r, const element *e, const char *attribute, size_t *component)
{
    const char *name;
    MT_TRY(need(r, e, attribute, &name));
    if (mt_scoped_names_value(&r->components, 0, name, component)) return MT_OK;
    return mt_xml_tree_fail(&r->tree, e, "there is no component '%s'", mt_utf8_shown(name));
}

static mt_status read_connection(reader *r, const element *connection)
{
    size_t first, second;
    const element *names = connection; /* 2.0: attributes of the connection; 1.x: of its <map_components> */
    for (const element *e = connection->first; e; e = e->next)
        if (is(e, "map_components")) names = e;
    MT_TRY(find_component(r, names, "component_1", &first));
    MT_TRY(find_component(r, names, "component_2", &second));
    for (const element *e = connection->first; e; e = e->next) {
        const char *name;
        uint32_t a = 0, b = 0;
        if (!is(e, "map_variables")) continue;
        MT_TRY(need(r, e, "variable_1", &name));
        MT_TRY(find_variable(r, first, e, name, &a));
        MT_TRY(need(r, e, "variable_2", &name));
        MT_TRY(find_variable(r, second, e, name, &b));
        MT_TRY(check_units(r, e, a, b));
        (void)mt_disjoint_join(r->parent, a, b);
    }
    return MT_OK;
}

/* ---- definitions ---- */

static mt_status fail_twice(const reader *r, const element *e, uint32_t k, const element *other)
{
    char name[FULL_NAME];
    return mt_xml_tree_fail(&r->tree, e, "the value of %s is defined twice, here and in line %zu",
        full_name(r, k, name), other->line);
}

/* Records which set an equation defines. */
static mt_status read_equation(reader *r, const element *equation)
{
    mt_mathml_variable left;
    const element *right, *place = equation->first; /* checked by mt_mathml_equation */
    uint32_t k = 0;
    MT_TRY(mt_mathml_equation(&r->tree, equation, &left, &right));
    MT_TRY(find_variable(r, r->scope, place->next, left.name, &k));
    set *s = &r->set[set_of(r, k)];
    if (s->equation) return fail_twice(r, equation, k, s->equation);
    s->defined = k;
    s->equation = equation;
    s->right = right;
    if (!left.by[0]) return MT_OK;
    MT_TRY(find_variable(r, r->scope, place->next, left.by, &s->by));
    const uint32_t time = set_of(r, s->by);
    if (r->time == NONE) r->time = time;
    if (r->time == time) return MT_OK;
    char first[FULL_NAME], second[FULL_NAME];
    return mt_xml_tree_fail(&r->tree, equation,
        "a derivative by %s, and others by %s; supported: one variable of integration",
        full_name(r, s->by, first), full_name(r, r->time, second));
}

static mt_status read_equations(reader *r)
{
    r->scope = 0;
    for (const element *component = r->tree.root->first; component; component = component->next) {
        if (!is(component, "component")) continue;
        r->scope++;
        for (const element *math = component->first; math; math = math->next) {
            if (!is(math, "math")) continue;
            for (const element *e = math->first; e; e = e->next) MT_TRY(read_equation(r, e));
        }
    }
    if (r->time == NONE || !r->set[r->time].equation) return MT_OK;
    return mt_xml_tree_fail(&r->tree, r->set[r->time].equation, "defines the variable of integration");
}

/* Records the initial values. One of the variable of integration has no meaning. */
static mt_status find_initial_values(reader *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        const element *e = r->variable[k].element;
        set *s = &r->set[set_of(r, k)];
        if (!mt_xml_tree_attribute(e, "initial_value", NULL) || set_of(r, k) == r->time) continue;
        if (s->initial != NONE) return fail_twice(r, e, k, r->variable[s->initial].element);
        if (s->equation && s->by == NONE) return fail_twice(r, e, k, s->equation);
        s->initial = k;
    }
    return MT_OK;
}

/* True if a variable receives its value from another component. */
static bool is_received(const element *e)
{
    return strcmp(mt_xml_tree_attribute(e, "public_interface", ""), "in") == 0 ||
           strcmp(mt_xml_tree_attribute(e, "private_interface", ""), "in") == 0;
}

/* Finds the place where each set is defined; of the variable of integration it is the source. */
static mt_status find_places(reader *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        set *s = &r->set[set_of(r, k)];
        if (set_of(r, k) != r->time)
            s->place = s->defined != NONE ? s->defined : s->initial;
        else if (s->place == NONE ||
                 (is_received(r->variable[s->place].element) && !is_received(r->variable[k].element)))
            s->place = k;
    }
    for (uint32_t k = 0; k < r->n; k++) {
        const set *s = &r->set[set_of(r, k)];
        char name[FULL_NAME];
        if (s->place != NONE)
            MT_TRY(check_units(r, r->variable[k].element, k, s->place));
        else if (set_of(r, k) == k)
            mt_equations_warn(r->equations, r->variable[k].element->line,
                "%s has no value: neither a number nor an equation; no equation needs it",
                full_name(r, k, name));
    }
    return MT_OK;
}

static mt_status add_variables(reader *r)
{
    mt_equations *equations = r->equations;
    for (uint32_t k = 0; k < r->n; k++) {
        const variable *v = &r->variable[k];
        set *s = &r->set[set_of(r, k)];
        if (s->place != k) continue;
        const size_t line = s->equation ? s->equation->line : v->element->line;
        MT_TRY(mt_equations_add(equations, r->component[v->component], v->name, line, &s->index));
        mt_variable *to = &equations->variable[s->index];
        to->unit = v->unit;
        to->unit_text = mt_arena_text(equations->arena, v->unit_text);
        if (!to->unit_text) return MT_MEMORY;
        if (set_of(r, k) == r->time)
            to->kind = MT_VARIABLE_TIME;
        else if (s->by != NONE)
            to->kind = MT_VARIABLE_STATE;
    }
    return MT_OK;
}

/* ---- expressions ---- */

static mt_status at(const reader *r, const element *e, mt_status status)
{
    return status == MT_INPUT ? mt_xml_tree_fail(&r->tree, e, "%s", mt_message()) : status;
}

/* Rounds a ratio of factors, such as 1e-6 / 1e-3, to the decimal number next to it. */
static double tidy(double x)
{
    char text[MT_NUMBER_SIZE];
    (void)snprintf(text, sizeof text, "%.15g", x);
    const double rounded = strtod(text, NULL);
    return fabs(rounded - x) <= 4 * DBL_EPSILON * fabs(x) ? rounded : x;
}

/* Multiplies a value by the factor between two units. */
static mt_status convert(reader *r, const element *e, mt_unit from, mt_unit to, mt_node *node)
{
    mt_graph *graph = r->equations->graph;
    uint32_t unit;
    mt_node factor;
    if (mt_unit_same(from, to)) return MT_OK;
    MT_TRY(mt_equations_unit(r->equations, mt_unit_times(to, mt_unit_power(from, -1)), &unit));
    MT_TRY(at(r, e, mt_graph_number_in(graph, tidy(from.factor / to.factor), unit, &factor)));
    return at(r, e, mt_graph_binary(graph, MT_OP_MULTIPLY, *node, factor, node));
}

static mt_unit rate_unit(const reader *r, uint32_t of, uint32_t by)
{
    return mt_unit_times(r->variable[of].unit, mt_unit_power(r->variable[by].unit, -1));
}

/* Builds the value of a variable in its own units. */
static mt_status refer(reader *r, const element *e, uint32_t k, mt_node *node)
{
    const set *s = &r->set[set_of(r, k)];
    char name[FULL_NAME];
    if (s->place == NONE)
        return mt_xml_tree_fail(
            &r->tree, e, "%s has no value: neither a number nor an equation", full_name(r, k, name));
    MT_TRY(at(r, e, mt_graph_variable(r->equations->graph, s->index, node)));
    return convert(r, e, r->variable[s->place].unit, r->variable[k].unit, node);
}

/* Adds the derivative of a state as a variable, for a right side that needs it. */
static mt_status add_rate(reader *r, set *s)
{
    char name[2 * MT_MATHML_NAME];
    const variable *v = &r->variable[s->place];
    (void)snprintf(name, sizeof name, "d(%.200s)/d(%.200s)", v->name, r->variable[s->by].name);
    MT_TRY(mt_equations_add(r->equations, r->component[v->component], name, s->equation->line, &s->rate));
    r->equations->variable[s->rate].unit = rate_unit(r, s->place, r->set[r->time].place);
    return MT_OK;
}

/* Builds the derivative of a variable by the variable of integration, both in their own units. */
static mt_status refer_to_rate(reader *r, const element *e, uint32_t of, uint32_t by, mt_node *node)
{
    set *s = &r->set[set_of(r, of)];
    char name[FULL_NAME];
    if (s->by == NONE)
        return mt_xml_tree_fail(
            &r->tree, e, "no equation defines the derivative of %s", full_name(r, of, name));
    if (set_of(r, by) != r->time)
        return mt_xml_tree_fail(&r->tree, e, "%s is not the variable of integration", full_name(r, by, name));
    if (s->rate == SIZE_MAX) MT_TRY(at(r, e, add_rate(r, s)));
    MT_TRY(at(r, e, mt_graph_variable(r->equations->graph, s->rate, node)));
    return convert(r, e, rate_unit(r, s->place, r->set[r->time].place), rate_unit(r, of, by), node);
}

static mt_status build_variable(
    void *context, const element *e, const mt_mathml_variable *named, mt_node *node)
{
    reader *r = context;
    uint32_t k = 0, by = 0;
    MT_TRY(find_variable(r, r->scope, e, named->name, &k));
    if (!named->by[0]) return refer(r, e, k, node);
    MT_TRY(find_variable(r, r->scope, e, named->by, &by));
    return refer_to_rate(r, e, k, by, node);
}

static mt_status find_unit(void *context, const element *e, const char *name, uint32_t *unit)
{
    reader *r = context;
    return mt_cellml_units_number(&r->units, r->equations, r->scope, e, name, unit);
}

/* Builds the right side of a set's equation. */
static mt_status build_equation(reader *r, set *s)
{
    mt_node node = MT_NO_NODE;
    r->scope = r->variable[s->defined].component;
    MT_TRY(mt_mathml_expression(&r->math, s->right, &node));
    if (s->by == NONE) {
        r->equations->variable[s->index].expression = node;
        return MT_OK;
    }
    MT_TRY(convert(
        r, s->right, rate_unit(r, s->defined, s->by), rate_unit(r, s->place, r->set[r->time].place), &node));
    s->derivative = node;
    return MT_OK;
}

/* Copies a text without blanks around it. False if it does not fit. */
static bool trim(const char *text, char *out, size_t size)
{
    while (isspace((unsigned char)*text)) text++;
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1])) n--;
    if (n >= size) return false;
    memcpy(out, text, n);
    out[n] = 0;
    return true;
}

/* Builds the initial value of a state, or the value of a set without an equation: a number, or a variable of the same component. */
static mt_status build_initial_value(reader *r, const set *s)
{
    const variable *v = &r->variable[s->initial];
    const char *text = mt_xml_tree_attribute(v->element, "initial_value", "");
    mt_variable *to = &r->equations->variable[s->index];
    mt_node node = MT_NO_NODE;
    char word[MT_MATHML_NAME];
    double value = 0;
    size_t named;
    const bool fits = trim(text, word, sizeof word);
    if (fits && mt_number_read(word, &value)) {
        if (s->by == NONE) {
            to->kind = MT_VARIABLE_PARAMETER;
            to->value = value;
            return MT_OK;
        }
        uint32_t unit;
        MT_TRY(
            mt_cellml_units_number(&r->units, r->equations, v->component, v->element, v->unit_text, &unit));
        MT_TRY(at(r, v->element, mt_graph_number_in(r->equations->graph, value, unit, &node)));
        MT_TRY(convert(r, v->element, v->unit, to->unit, &node));
    } else if (fits && mt_scoped_names_value(&r->variables, v->component, word, &named)) {
        MT_TRY(check_units(r, v->element, s->initial, (uint32_t)named));
        MT_TRY(refer(r, v->element, (uint32_t)named, &node));
        MT_TRY(convert(r, v->element, r->variable[named].unit, to->unit, &node));
    } else
        return mt_xml_tree_fail(&r->tree, v->element,
            "initial_value '%s'; allowed: a number, or a variable of the same component",
            mt_utf8_shown(text));
    *(s->by == NONE ? &to->expression : &to->initial) = node;
    return MT_OK;
}

/* Sets the derivatives of the states. */
static mt_status finish_states(reader *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        const set *s = &r->set[k];
        if (s->derivative == MT_NO_NODE) continue;
        mt_node *to = &r->equations->variable[s->index].expression;
        *to = s->derivative;
        if (s->rate == SIZE_MAX) continue;
        r->equations->variable[s->rate].expression = s->derivative;
        MT_TRY(at(r, s->equation, mt_graph_variable(r->equations->graph, s->rate, to)));
    }
    return MT_OK;
}

static mt_status build_all(reader *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        set *s = &r->set[set_of(r, k)];
        if (s->defined == k) MT_TRY(build_equation(r, s));
        if (s->initial == k) MT_TRY(build_initial_value(r, s));
    }
    return finish_states(r);
}

/* ---- the file ---- */

static mt_status read_metadata(reader *r)
{
    mt_scoped_names ids = {0};
    for (uint32_t k = 0; k < r->n; k++) {
        const char *id = mt_xml_tree_local(r->variable[k].element, "id", NULL);
        const set *s = &r->set[set_of(r, k)];
        if (!id || s->index == SIZE_MAX || mt_scoped_names_find(&ids, 0, id, strlen(id))) continue;
        MT_TRY(mt_scoped_names_add(r->scratch, &ids, 0, id, strlen(id), s->index));
    }
    return mt_cellml_metadata_read(&r->tree, &ids, r->equations);
}

static mt_status read_model(reader *r)
{
    MT_TRY(mt_cellml_units_read(r->scratch, &r->tree, &r->units));
    MT_TRY(read_components(r));
    for (const element *e = r->tree.root->first; e; e = e->next)
        if (is(e, "connection")) MT_TRY(read_connection(r, e));
    MT_TRY(read_equations(r));
    MT_TRY(find_initial_values(r));
    MT_TRY(find_places(r));
    MT_TRY(add_variables(r));
    MT_TRY(build_all(r));
    return read_metadata(r);
}

mt_status mt_cellml_read(mt_arena *arena, const char *path, mt_equations **equations)
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch, .time = NONE};
    mt_scan scan;
    const char *format;
    MT_TRY(mt_scan_open(scratch, path, &scan));
    MT_TRY(mt_xml_tree_read(scratch, &scan, DEPTH, &r.tree));
    MT_TRY(read_version(&r, &format));
    MT_TRY(mt_equations_new(arena, path, format, &r.equations));
    *equations = r.equations;
    r.equations->name = mt_arena_text(arena, mt_xml_tree_attribute(r.tree.root, "name", ""));
    if (!r.equations->name) return MT_MEMORY;
    r.math = (mt_mathml){.tree = &r.tree,
        .equations = r.equations,
        .context = &r,
        .variable = build_variable,
        .unit = find_unit};
    MT_TRY(mt_equations_unit(r.equations, mt_unit_none, &r.math.dimensionless));
    MT_TRY(read_model(&r));
    return mt_equations_finish(r.equations);
}
