#include "solver/cells/graph/equations.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512 };

mt_status mt_equations_new(mt_arena *arena, const char *path, const char *format, mt_equations **equations)
{
    enum { ROOM = 64 };
    MT_ALLOC(arena, *equations, 1);
    mt_equations *e = *equations;
    *e = (mt_equations){.arena = arena,
        .name = "",
        .title = "",
        .source = "",
        .room = ROOM,
        .n_units = 1,
        .units_room = ROOM};
    e->path = mt_arena_text(arena, path);
    e->format = mt_arena_text(arena, format);
    if (!e->path || !e->format) return MT_MEMORY;
    MT_ALLOC(arena, e->variable, e->room);
    MT_ALLOC(arena, e->unit, e->units_room); /* the first is unknown: zeroed */
    MT_ALLOC(arena, e->warning, MT_EQUATIONS_WARNINGS);
    return mt_graph_new(arena, &e->graph);
}

mt_status mt_equations_add(
    mt_equations *e, const char *component, const char *name, size_t line, size_t *index)
{
    if (e->n == MT_EQUATIONS_VARIABLES_MAX)
        return mt_equations_fail(e, line, "more than %d variables", MT_EQUATIONS_VARIABLES_MAX);
    if (e->n == e->room) {
        mt_variable *variable;
        MT_ALLOC(e->arena, variable, 2 * e->room);
        memcpy(variable, e->variable, e->n * sizeof *variable);
        e->variable = variable;
        e->room *= 2;
    }
    mt_variable *v = &e->variable[e->n];
    *v = (mt_variable){.line = line,
        .unit_text = "",
        .kind = MT_VARIABLE_INTERMEDIATE,
        .expression = MT_NO_NODE,
        .initial = MT_NO_NODE,
        .flat = MT_NO_NODE};
    v->component = mt_arena_text(e->arena, component);
    v->name = mt_arena_text(e->arena, name);
    if (!v->component || !v->name) return MT_MEMORY;
    *index = e->n++;
    return MT_OK;
}

/* True if both units are unknown, or agree in all digits. Padding of the structure is not compared. */
static bool identical(const mt_unit *a, const mt_unit *b)
{
    if (!a->known || !b->known) return a->known == b->known;
    return memcmp(&a->factor, &b->factor, sizeof a->factor) == 0 &&
           memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0;
}

mt_status mt_equations_unit(mt_equations *e, mt_unit unit, uint32_t *index)
{
    for (*index = 0; *index < e->n_units; (*index)++)
        if (identical(&e->unit[*index], &unit)) return MT_OK;
    if (e->n_units == MT_EQUATIONS_UNITS_MAX)
        return mt_fail(MT_INPUT, "%s: more than %d different units", e->path, MT_EQUATIONS_UNITS_MAX);
    if (e->n_units == e->units_room) {
        mt_unit *more;
        MT_ALLOC(e->arena, more, 2 * e->units_room);
        memcpy(more, e->unit, e->n_units * sizeof *more);
        e->unit = more;
        e->units_room *= 2;
    }
    e->unit[e->n_units++] = unit;
    return MT_OK;
}

void mt_equations_warn(mt_equations *e, size_t line, const char *format, ...)
{
    if (e->n_warnings == MT_EQUATIONS_WARNINGS) {
        e->n_more_warnings++;
        return;
    }
    char text[TEXT];
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    const size_t size = strlen(e->path) + strlen(text) + 32;
    char *complete = mt_arena_alloc(e->arena, size, 1);
    if (!complete) return;
    (void)snprintf(complete, size, "%s:%zu: %s", e->path, line, text);
    e->warning[e->n_warnings++] = complete;
}

mt_status mt_equations_fail(const mt_equations *e, size_t line, const char *format, ...)
{
    char text[TEXT];
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    return mt_fail(MT_INPUT, "%s:%zu: %s", e->path, line, text);
}

const char *mt_variable_name(const mt_variable *v, char text[MT_VARIABLE_NAME])
{
    enum { SHOWN = MT_VARIABLE_NAME_SHOWN };
    (void)snprintf(
        text, MT_VARIABLE_NAME, "%.*s%s%.*s", SHOWN, v->component, *v->component ? "." : "", SHOWN, v->name);
    return text;
}

bool mt_equations_find(const mt_equations *e, const char *name, size_t *index)
{
    size_t found = 0;
    for (size_t k = 0; k < e->n; k++) {
        const mt_variable *v = &e->variable[k];
        const size_t part = strlen(v->component);
        if (*v->component && strncmp(name, v->component, part) == 0 && name[part] == '.' &&
            strcmp(name + part + 1, v->name) == 0) {
            *index = k;
            return true;
        }
        if (strcmp(name, v->name) != 0) continue;
        *index = k;
        found++;
    }
    return found == 1;
}

mt_status mt_equations_values(const mt_equations *e, double *value, double *rate)
{
    MT_SCRATCH(scratch);
    double *node;
    MT_ALLOC(scratch, node, e->flat->n);
    for (size_t k = 0; k < e->n; k++) value[k] = e->variable[k].value; /* 0 for time and inputs */
    for (size_t k = 0; k < e->flat->n; k++) node[k] = mt_graph_node_value(e->flat, (mt_node)k, value, node);
    for (size_t k = 0; k < e->n; k++) {
        const mt_variable *v = &e->variable[k];
        rate[k] = v->kind == MT_VARIABLE_STATE ? node[v->flat] : 0;
        if (v->kind == MT_VARIABLE_INTERMEDIATE) value[k] = node[v->flat];
    }
    return MT_OK;
}
