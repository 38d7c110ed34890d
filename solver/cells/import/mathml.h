/* Expressions in MathML's content markup, as in CellML, to nodes of a graph.
 *
 * Supported are the elements that CellML 1.0, 1.1 and 2.0 allow, except factorial:
 *
 *   cn (real, integer, e-notation, rational), ci, true, false, pi, exponentiale, eulergamma, infinity, notanumber
 *   plus minus times divide power root rem min max abs floor ceiling exp ln log
 *   sin cos tan sec csc cot, with h after and arc before the names
 *   eq neq lt leq gt geq (a < b < c means a < b and b < c), and or xor not, piecewise (NaN where no piece is true)
 *   diff: the first derivative of a variable
 *
 * Errors are MT_INPUT with file, line and element. The XML reader limits the nesting. */
#pragma once

#include "data/files/xml_tree.h"
#include "solver/cells/graph/equations.h"

enum { MT_MATHML_NAME = 256 }; /* bytes of the longest name of a variable, including the final 0 */

typedef struct mt_mathml_variable {
    char name[MT_MATHML_NAME];
    char by[MT_MATHML_NAME]; /* of a derivative: the variable of integration; otherwise "" */
} mt_mathml_variable;

/* The meaning of names, provided by the reader of the file. The functions fail with a message about `element`. */
typedef struct mt_mathml {
    const mt_xml_tree *tree;
    mt_equations *equations;
    uint32_t dimensionless; /* index of this unit in the equations */
    void *context;
    mt_status (*variable)(
        void *context, const mt_xml_element *element, const mt_mathml_variable *variable, mt_node *node);
    mt_status (*unit)(void *context, const mt_xml_element *element, const char *name, uint32_t *unit);
} mt_mathml;

/* Splits an equation <apply><eq/>LEFT RIGHT</apply>. LEFT must be a variable or a derivative. */
MT_NODISCARD mt_status mt_mathml_equation(const mt_xml_tree *tree, const mt_xml_element *equation,
    mt_mathml_variable *left, const mt_xml_element **right);

/* Builds the node of an expression. */
MT_NODISCARD mt_status mt_mathml_expression(
    const mt_mathml *math, const mt_xml_element *element, mt_node *node);
