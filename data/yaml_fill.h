/* Fills a C struct from a tree, by the schema: the checks of every key and value are made here. */
#ifndef MT_DATA_YAML_FILL_H
#define MT_DATA_YAML_FILL_H

#include "data/yaml_node.h"
#include "data/yaml_schema.h"

/* Fills the members that the keys name in a struct of zeros at `out` from a mapping, defaults included. Gives strings and lists in
 * `arena`; `scratch` is for what is needed meanwhile. MT_INPUT: a key is unknown or missing, or a value not allowed; the
 * message has the place, the key, what was found and what is allowed. MT_FILE: no memory. */
MT_NODISCARD mt_status mt_yaml_fill(
    mt_arena *arena, mt_arena *scratch, const mt_yaml_node *mapping, const mt_yaml_key *keys, void *out);

#endif
