/* Fills a C struct from a YAML tree according to a schema, and checks every key and value. */
#pragma once

#include "data/yaml/yaml_node.h"
#include "data/yaml/yaml_schema.h"

/* Fills the members of a zeroed struct at `out` named by the keys, defaults included. Strings and lists are in `arena`, temporary
 * data in `scratch`. MT_INPUT: a key is unknown or missing, or a value is not allowed. MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_fill(
    mt_arena *arena, mt_arena *scratch, const mt_yaml_node *mapping, const mt_yaml_key *keys, void *out);
