/* Expressions as a graph: the equations of an ionic model that was read from a file.
 *
 * A node is a number, a variable or an operation on other nodes. Equal nodes are one node: a graph finds the existing one, so a common
 * subexpression is stored, and later computed, once. Operands have smaller indices than the node that uses them; the nodes in order of
 * their indices are therefore a program.
 *
 * Nodes are built as written: nothing is evaluated, reordered or simplified (solver/cells/graph/algebra.h does that). Truth values are the
 * numbers 0 and 1; an operand of AND, OR, NOT and SELECT is true if it is not 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"

typedef uint32_t mt_node;
#define MT_NO_NODE UINT32_MAX

typedef enum mt_op {
    MT_OP_NUMBER,   /* value */
    MT_OP_VARIABLE, /* a: index of the variable in the equations */
    /* one operand */
    MT_OP_NEGATE,
    MT_OP_SQRT,
    MT_OP_EXP,
    MT_OP_EXPM1,
    MT_OP_LOG, /* natural */
    MT_OP_LOG10,
    MT_OP_LOG2,
    MT_OP_ABS,
    MT_OP_FLOOR,
    MT_OP_CEIL,
    MT_OP_SIN,
    MT_OP_COS,
    MT_OP_TAN,
    MT_OP_ASIN,
    MT_OP_ACOS,
    MT_OP_ATAN,
    MT_OP_SINH,
    MT_OP_COSH,
    MT_OP_TANH,
    MT_OP_CBRT,
    MT_OP_NOT,
    /* two operands */
    MT_OP_ADD,
    MT_OP_SUBTRACT,
    MT_OP_MULTIPLY,
    MT_OP_DIVIDE,
    MT_OP_POWER,
    MT_OP_MIN,
    MT_OP_MAX,
    MT_OP_REMAINDER, /* of a / b, with the sign of a, as C's fmod */
    MT_OP_LESS,
    MT_OP_LESS_EQUAL,
    MT_OP_EQUAL,
    MT_OP_AND,
    MT_OP_OR,
    /* three operands */
    MT_OP_SELECT, /* b if a is true, else c */
    MT_OPS
} mt_op;

/* Returns the number of operands, and the name in messages: "exp", "+". */
size_t mt_op_operands(mt_op op);
const char *mt_op_name(mt_op op);

typedef struct mt_graph_node {
    mt_op op;
    uint32_t unit; /* of MT_OP_NUMBER: index of its unit in the equations; 0: none is written */
    union {
        double value;       /* of MT_OP_NUMBER */
        mt_node operand[3]; /* unused ones are MT_NO_NODE */
        uint32_t variable;  /* of MT_OP_VARIABLE */
    };
} mt_graph_node;

/* A graph; its memory belongs to the arena. */
typedef struct mt_graph {
    mt_arena *arena;
    mt_graph_node *node; /* [n] */
    size_t n, room;
    uint32_t *slot; /* hash table [n_slots] of nodes, for finding equal ones */
    size_t n_slots;
} mt_graph;

enum { MT_GRAPH_NODES_MAX = 1 << 20 };

/* Creates an empty graph. MT_MEMORY. */
MT_NODISCARD mt_status mt_graph_new(mt_arena *arena, mt_graph **graph);

/* Find or add a node. MT_INPUT with more than MT_GRAPH_NODES_MAX nodes (the caller adds file and line); MT_MEMORY. A number of any value is
 * allowed; +0 and -0 differ, all NaN are one. */
MT_NODISCARD mt_status mt_graph_number(mt_graph *graph, double value, mt_node *node);
MT_NODISCARD mt_status mt_graph_number_in(mt_graph *graph, double value, uint32_t unit, mt_node *node);
MT_NODISCARD mt_status mt_graph_variable(mt_graph *graph, size_t variable, mt_node *node);
MT_NODISCARD mt_status mt_graph_unary(mt_graph *graph, mt_op op, mt_node a, mt_node *node);
MT_NODISCARD mt_status mt_graph_binary(mt_graph *graph, mt_op op, mt_node a, mt_node b, mt_node *node);
MT_NODISCARD mt_status mt_graph_select(
    mt_graph *graph, mt_node condition, mt_node yes, mt_node no, mt_node *node);
MT_NODISCARD mt_status mt_graph_operation(
    mt_graph *graph, mt_op op, const mt_node *operand, mt_node *node); /* any with operands */

/* Computes the value of an operation for these operands in double precision, with the functions of the kernels: the same bits on every
 * host. */
double mt_op_value(mt_op op, double a, double b, double c);

/* Computes the value of a node from the values of the variables and of its operands, value[graph->n]. For the nodes in ascending order it
 * is the plain meaning of a graph, with which all faster evaluations are compared. */
double mt_graph_node_value(const mt_graph *graph, mt_node node, const double *variables, const double *value);

/* Marks the nodes on which `node` depends, and itself, in used[graph->n], which the caller has cleared or filled by earlier calls. */
void mt_graph_mark(const mt_graph *graph, mt_node node, bool *used);
