/* Equations for tests, written as nested calls: state("V", op2(MT_OP_ADD, var("a"), num(1)), num(0)). A variable is added when it is first
 * mentioned; its line is 10 times its position. Mention variables in a sequence before nested calls if a line matters. Include after
 * Criterion. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "solver/cells/graph/equations.h"

static mt_arena arena;
static mt_equations *e;

static inline void begin(void) { cr_assert_eq(mt_equations_new(&arena, "some.file", "test", &e), MT_OK); }
static inline void clear(void) { mt_arena_free(&arena); }

static inline mt_variable *find(const char *name)
{
    for (size_t k = 0; k < e->n; k++)
        if (strcmp(e->variable[k].name, name) == 0) return &e->variable[k];
    size_t index;
    cr_assert_eq(mt_equations_add(e, "cell", name, 10 * (e->n + 1), &index), MT_OK);
    return &e->variable[index];
}

/* Adds variables with these one-letter names in this order. */
static inline void mention(const char *letters)
{
    for (; *letters; letters++) (void)find((const char[]){*letters, 0});
}

static inline mt_unit unit_of(const char *text)
{
    mt_unit unit;
    cr_assert(mt_unit_read(text, strlen(text), &unit), "%s", text);
    return unit;
}

/* Nodes. */

static inline mt_node num(double value)
{
    mt_node node;
    cr_assert_eq(mt_graph_number(e->graph, value, &node), MT_OK);
    return node;
}

static inline mt_node num_in(double value, const char *unit)
{
    uint32_t index;
    mt_node node;
    cr_assert_eq(mt_equations_unit(e, unit_of(unit), &index), MT_OK);
    cr_assert_eq(mt_graph_number_in(e->graph, value, index, &node), MT_OK);
    return node;
}

static inline mt_node var(const char *name)
{
    mt_node node;
    cr_assert_eq(mt_graph_variable(e->graph, (size_t)(find(name) - e->variable), &node), MT_OK);
    return node;
}

static inline mt_node op1(mt_op op, mt_node a)
{
    mt_node node;
    cr_assert_eq(mt_graph_unary(e->graph, op, a, &node), MT_OK);
    return node;
}

static inline mt_node op2(mt_op op, mt_node a, mt_node b)
{
    mt_node node;
    cr_assert_eq(mt_graph_binary(e->graph, op, a, b, &node), MT_OK);
    return node;
}

static inline mt_node choose(mt_node condition, mt_node yes, mt_node no)
{
    mt_node node;
    cr_assert_eq(mt_graph_select(e->graph, condition, yes, no, &node), MT_OK);
    return node;
}

/* Definitions. */

static inline void define(const char *name, mt_node expression) { find(name)->expression = expression; }

static inline void state(const char *name, mt_node derivative, mt_node initial)
{
    mt_variable *v = find(name);
    v->kind = MT_VARIABLE_STATE;
    v->expression = derivative;
    v->initial = initial;
}

static inline void parameter(const char *name, double value)
{
    mt_variable *v = find(name);
    v->kind = MT_VARIABLE_PARAMETER;
    v->value = value;
}

/* Declares the unit of a variable. */
static inline void in(const char *name, const char *unit)
{
    mt_variable *v = find(name);
    v->unit_text = unit;
    v->unit = unit_of(unit);
}
