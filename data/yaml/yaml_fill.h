/* Fills a C struct from a tree, as a schema says, and checks every key and value. */
#pragma once

#include "data/yaml/yaml_node.h"
#include "data/yaml/yaml_schema.h"

/* Fills the members named by the keys, defaults included, of a struct of zeros at `out`. Gives strings and lists in `arena`, and
 * takes what it needs on the way from `scratch`. MT_INPUT: a key is unknown or missing, or a value is not allowed. MT_FILE: no
 * memory. */
MT_NODISCARD mt_status mt_yaml_fill(
    mt_arena *arena, mt_arena *scratch, const mt_yaml_node *mapping, const mt_yaml_key *keys, void *out);
