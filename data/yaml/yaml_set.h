/* Values that replace those of a file, mostly from the command line: --set path.to.key=value. */
#pragma once

#include "data/yaml/yaml_node.h"
#include "data/yaml/yaml_schema.h"

/* Puts one of them ("time.end_ms=5") into a tree whose root has these keys. It makes the mappings on the way that the file
 * lacks; an entry of a list is named by its number from 0 and must exist. The value is not checked here. MT_INPUT: the text
 * names no key, or has no value; the message begins with its source and the text, of which
 * it has at most 80 bytes. MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_set(
    mt_arena *arena, const mt_yaml_key *keys, const mt_yaml_override *override, mt_yaml_node *root);
