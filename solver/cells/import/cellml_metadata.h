/* The annotations of a CellML model: labels of variables, title and publication. */
#pragma once

#include "data/files/xml_tree.h"
#include "solver/cells/graph/equations.h"
#include "solver/cells/import/scoped_names.h"

/* Adds the annotations to the equations. `ids`: indices of variables by their id, scope 0. MT_MEMORY. */
MT_NODISCARD mt_status mt_cellml_metadata_read(
    const mt_xml_tree *tree, const mt_scoped_names *ids, mt_equations *equations);
