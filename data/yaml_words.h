/* What a key allows, in words, and refusals in these words: with the place, the path of the key, what was found there and what is
 * allowed. */
#ifndef MT_DATA_YAML_WORDS_H
#define MT_DATA_YAML_WORDS_H

#include "data/yaml_node.h"
#include "data/yaml_schema.h"

/* "at least 0 and at most 1"; "" where everything is allowed. */
void mt_yaml_range_words(mt_yaml_range range, char out[MT_YAML_WORDS]);

/* "a number at least 0", "full, ranged", "a mapping with end_ms, dt_ms". */
void mt_yaml_allowed_words(const mt_yaml_key *key, char out[MT_YAML_WORDS]);

/* The unit of a key: its own, or the one that its name ends in; "" where there is none. */
const char *mt_yaml_unit(const mt_yaml_key *key);

/* Gives the key of this name (n bytes) in a mapping whose path is `path`. MT_INPUT: there is none; the message lists those that
 * there are, or has the new name of one that has been renamed. */
MT_NODISCARD mt_status mt_yaml_find_key(const mt_yaml_key *keys, mt_yaml_place at, const char *path,
    const char *name, size_t n, const mt_yaml_key **key);

/* MT_INPUT: this is not what the key allows; this number is outside of the range. */
mt_status mt_yaml_refuse(const mt_yaml_node *found, const char *path, const mt_yaml_key *key);
mt_status mt_yaml_refuse_number(const mt_yaml_node *found, const char *path, mt_yaml_range range);

#endif
