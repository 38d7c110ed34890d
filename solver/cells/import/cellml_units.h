/* The units of a CellML model: the standard ones, and those that the model and its components define. */
#pragma once

#include "data/files/xml_tree.h"
#include "solver/cells/graph/equations.h"
#include "solver/cells/import/scoped_names.h"

typedef struct mt_cellml_units {
    const mt_xml_tree *tree;
    mt_arena *arena;
    mt_scoped_names names;
    struct mt_cellml_unit *unit; /* [n] */
    size_t n;
} mt_cellml_units;

/* Reads the <units> of a model and of its components, in any order. Scope 0 is the model; scope k is its k-th <component>. A unit with
 * base_units="yes" or without <unit> is unknown. MT_INPUT, with file and line: an undefined name, a unit that is defined by itself, an
 * offset, a wrong number. MT_MEMORY. */
MT_NODISCARD mt_status mt_cellml_units_read(mt_arena *arena, const mt_xml_tree *tree, mt_cellml_units *units);

/* Finds a unit in a scope, in the model, or among the standard units. MT_INPUT, with file, line and element: it is not defined. */
MT_NODISCARD mt_status mt_cellml_units_find(const mt_cellml_units *units, size_t scope,
    const mt_xml_element *element, const char *name, mt_unit *unit);

/* Finds the index of a unit in the equations, for numbers. */
MT_NODISCARD mt_status mt_cellml_units_number(mt_cellml_units *units, mt_equations *equations, size_t scope,
    const mt_xml_element *element, const char *name, uint32_t *index);
