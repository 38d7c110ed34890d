/* The syntax of expressions in the text formats: a table each.
 *
 * The same in all: numbers "1", "1.", ".5e-3"; calls f(a, b); the operators + - * / and == != < <= > >=; products before sums before
 * comparisons; equal precedence is left-associative. A sign binds weaker than a power and stronger than a product: -a^b is -(a^b), and a
 * sign can follow any operator: a^-b. */
#pragma once

#include "solver/cells/graph/graph.h"

enum { MT_ANY_NUMBER = 1 << 20 }; /* of arguments */

/* Builds the node of a call from its arguments. */
typedef mt_status mt_function_build(mt_graph *graph, const mt_node *argument, size_t n, mt_node *node);

/* The arguments that are conditions; the others are numbers. */
typedef enum mt_conditions {
    MT_CONDITIONS_NONE,
    MT_CONDITIONS_FIRST,
    MT_CONDITIONS_PAIRS,
    MT_CONDITIONS_ALL
} mt_conditions;

typedef struct mt_function {
    const char *name;
    size_t least, most; /* number of arguments */
    mt_op op;           /* of a call, if `build` is NULL */
    mt_function_build *build;
    mt_conditions
        conditions; /* MT_CONDITIONS_PAIRS: the first of each pair of arguments; the number of arguments is odd */
} mt_function;

typedef struct mt_constant {
    const char *name;
    double value;
} mt_constant;

typedef struct mt_dialect {
    const char *name;       /* "Myokit" */
    const char *comment[2]; /* begin a comment that ends with its line; NULL: none */
    bool block_comments;    /* slash star ... star slash */
    bool quoted_comments;   /* three quotes at the beginning of a line, up to three quotes */
    bool line_ends;         /* a line end outside brackets is a token; `\` before it joins lines */
    bool strings;           /* "text", 'text', and three quotes for several lines */
    bool dots;              /* names contain dots: component.name */
    bool units;             /* [mV] after a number */
    bool words, symbols;    /* and or not; && || ! */
    bool
        flat_logic; /* AND and OR have the same precedence, and NOT that of a sign; otherwise OR, AND, NOT, comparisons */
    bool conditions; /* conditions and numbers are different types: each is refused in place of the other */
    bool quotient;   /* a // b, the floor of a / b, and a % b, the remainder with the sign of b */
    bool ternary;    /* c ? a : b */
    bool trailing_comma;          /* f(a, b,) */
    const char *power;            /* operator, or NULL */
    bool power_from_right;        /* a^b^c is a^(b^c), not (a^b)^c */
    const mt_function *functions; /* terminated by a name of NULL */
    const mt_constant *constants; /* likewise; a name in scope takes precedence */
} mt_dialect;

extern const mt_dialect mt_dialect_myokit, mt_dialect_gotran, mt_dialect_easyml;

/* Return the entry of a name[length]; NULL if there is none. */
const mt_function *mt_dialect_function(const mt_dialect *dialect, const char *name, size_t length);
const mt_constant *mt_dialect_constant(const mt_dialect *dialect, const char *name, size_t length);

/* True if the value of the node is a truth value: of a comparison, AND, OR or NOT. */
bool mt_dialect_is_condition(const mt_graph *graph, mt_node node);

/* Build a // b, and a % b with the sign of b, by the operations of a graph. */
MT_NODISCARD mt_status mt_dialect_quotient(mt_graph *graph, mt_node a, mt_node b, mt_node *node);
MT_NODISCARD mt_status mt_dialect_remainder(mt_graph *graph, mt_node a, mt_node b, mt_node *node);
