/* Operations on expressions that simplify their result: arithmetic on nodes.
 *
 * A node is constant if it depends on numbers and constant variables only (the parameters of a cell); a program computes it once for a kind
 * of cells, not in each step. The results of these functions have a canonical form:
 *
 *   products    a constant factor is collected in front: c (x y), not (c x) y. A division by a constant is a product with its reciprocal
 *   quotients   of quotients, and products of them, have one division
 *   powers      with integer and half-integer exponents up to 16 are products and square roots; a^x with a number a is an exponential
 *   exp(x) - 1  is expm1(x), without cancellation
 *   logarithms  to other bases are products with the natural one
 *   quotients   x / (exp(c x) - 1), and others with a removable singularity where x is 0, are computed by the Bernoulli function
 *               B(u) = u / (exp(u) - 1) with B(0) = 1. The zero of x can be written in different forms: (V + 40) / (1 - exp(-0.1 V - 4))
 *   numbers     are evaluated, if the operation is exact to the last bit on every host: + - * / sqrt, comparisons
 *
 * Values are those of the original expressions up to rounding. Operations that cannot be simplified are added as they are.
 *
 * Errors are kept in `status`: after the first one all functions return a valid but meaningless node, and the caller checks once. */
#pragma once

#include "solver/cells/graph/graph.h"

/* What an algebra knows about a node. `key` depends on the expression only, not on the order in which nodes were created: factors are ordered
 * by it, so that every compiler, which chooses the order of arguments, makes the same products. */
typedef struct mt_algebra_note {
    bool constant;
    uint64_t key;
} mt_algebra_note;

typedef struct mt_algebra {
    mt_graph *graph;
    const bool *constant_variable; /* [variables of the graph] borrowed */
    mt_algebra_note *note;         /* [room] what is known about each node */
    size_t room;
    mt_status status;
} mt_algebra;

/* Creates an algebra with an empty graph. The result keeps constant_variable. MT_MEMORY. */
MT_NODISCARD mt_status mt_algebra_new(mt_arena *arena, const bool *constant_variable, mt_algebra *algebra);

mt_node mt_number(mt_algebra *m, double value);
mt_node mt_symbol(mt_algebra *m, size_t variable);

mt_node mt_sum(mt_algebra *m, mt_node a, mt_node b);
mt_node mt_difference(mt_algebra *m, mt_node a, mt_node b);
mt_node mt_negative(mt_algebra *m, mt_node a);
mt_node mt_product(mt_algebra *m, mt_node a, mt_node b);
mt_node mt_quotient(mt_algebra *m, mt_node a, mt_node b);
mt_node mt_power(mt_algebra *m, mt_node a, mt_node exponent);
mt_node mt_choice(mt_algebra *m, mt_node condition, mt_node yes, mt_node no);

/* Applies any operation with operands, by the functions above if it is one of theirs. */
mt_node mt_apply(mt_algebra *m, mt_op op, const mt_node *operand);

/* Bernoulli function u / (exp(u) - 1), and (exp(u) - 1) / u: 1 if u is 0. */
mt_node mt_bernoulli(mt_algebra *m, mt_node u);
mt_node mt_exprel(mt_algebra *m, mt_node u);

/* True if the node is constant, or is this number. */
bool mt_is_constant(const mt_algebra *m, mt_node node);
bool mt_is_number(const mt_algebra *m, mt_node node, double value);

/* A node as slope times another, the leaf, plus intercept, with numbers. */
typedef struct mt_line {
    mt_node leaf; /* MT_NO_NODE: a number */
    double slope, intercept;
} mt_line;

/* Returns a node as such a line; of a node that is none, with itself as leaf. */
mt_line mt_line_of(const mt_algebra *m, mt_node node);

/* Copies the nodes first <= k < end of another graph, with leaf[variable] in place of its variables: fills copy[first .. end); those before
 * are given. */
void mt_algebra_copy(
    mt_algebra *m, const mt_graph *from, size_t first, size_t end, const mt_node *leaf, mt_node *copy);

/* Returns an operation, or leaf, with copy[k] in place of each operand k. */
mt_node mt_rebuilt(mt_algebra *m, mt_node node, const mt_node *copy);

/* Return the expression with `by` in place of a variable; and with by[variable] in place of every variable for which that is not
 * MT_NO_NODE. */
mt_node mt_replaced(mt_algebra *m, mt_node root, size_t variable, mt_node by);
mt_node mt_replaced_all(mt_algebra *m, mt_node root, const mt_node *by);

/* Returns the partial derivative of an expression with respect to a variable. Conditions, floor, ceil and remainders count as constant
 * between their jumps. */
mt_node mt_derivative(mt_algebra *m, mt_node root, size_t variable);
