/* Overrides of values of a file, mostly from the command line: --set path.to.key=value. */
#pragma once

#include "data/yaml/yaml_node.h"
#include "data/yaml/yaml_schema.h"

/* Applies one override ("time.end_ms=5") to a tree with these keys at its root. Creates missing mappings on the path; an entry of
 * a list is identified by its number from 0 and must exist. Does not check the value. MT_INPUT: the text does not name a key, or
 * has no value; the message begins with the origin and at most 80 bytes of the text. MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_set(
    mt_arena *arena, const mt_yaml_key *keys, const mt_yaml_override *override, mt_yaml_node *root);
