/* Descriptions of the values that the keys of a schema allow, and messages that refuse others: they report the position, the key,
 * the value found and the allowed values. */
#pragma once

#include "data/yaml/yaml_node.h"
#include "data/yaml/yaml_schema.h"

/* Writes a range in words: "at least 0 and at most 1"; "" if every value is allowed. */
void mt_yaml_range_words(mt_yaml_range range, char out[MT_YAML_WORDS]);

/* Writes the allowed values of a key: "a number at least 0", "full, ranged", "a mapping with end_ms, dt_ms". `structure`: as in
 * mt_yaml_words. */
void mt_yaml_allowed_words(const mt_yaml_key *key, const void *structure, char out[MT_YAML_WORDS]);

/* Returns the i-th word of an ENUM or of a STRING with words; NULL after the last. `structure`: as in mt_yaml_words. */
const char *mt_yaml_word(const mt_yaml_key *key, const void *structure, size_t i);

/* Finds the key at a path ("exchange.sync_cycles"), in an entry of a list by its number ("stimuli.0.start_ms"); NULL if there is
 * no such key. The path ends at a NUL or a colon. */
const mt_yaml_key *mt_yaml_key_at(const mt_yaml_key *keys, const char *path);

/* Returns the effects of a change of the value at a path: the flags of its key, or else of the innermost enclosing key that has
 * flags; 0 if no key has flags. */
unsigned mt_yaml_affects(const mt_yaml_key *keys, const char *path);

/* The first returns the number of a key in its struct, NaN if it is not a DOUBLE or UNSIGNED; the second stores another, rounded
 * if it must be an integer. */
double mt_yaml_number(const mt_yaml_key *key, const void *structure);
void mt_yaml_put_number(const mt_yaml_key *key, void *structure, double number);

/* Returns the unit of a key: the unit in its row, or else the one that its name ends in; "" if it has no unit. mt_yaml_unit_at
 * finds the key by its path. */
const char *mt_yaml_unit(const mt_yaml_key *key);
/* Returns the unit that a name ends in ("activation_ms": ms), and the length of that ending; "" and 0 if there is no such
 * unit. */
const char *mt_yaml_unit_ending(const char *name, size_t *ending);
const char *mt_yaml_unit_at(const mt_yaml_key *keys, const char *path);

/* Finds the key of this name (of n bytes) in a mapping with the path `path`. The old name of a renamed key is accepted with a warning that
 * states the new one. MT_INPUT: there is no such key; the message lists the existing keys. */
MT_NODISCARD mt_status mt_yaml_find_key(const mt_yaml_key *keys, mt_yaml_place at, const char *path,
    const char *name, size_t n, const mt_yaml_key **key);

/* Returns the child of a mapping with the name of a key or its old name, or NULL. */
mt_yaml_node *mt_yaml_node_of(const mt_yaml_node *mapping, const mt_yaml_key *key);

/* Return MT_INPUT with a message: the key does not allow this value; the struct does not allow this word; the number is out of
 * range. */
mt_status mt_yaml_refuse(const mt_yaml_node *found, const char *path, const mt_yaml_key *key);
mt_status mt_yaml_refuse_word(
    const mt_yaml_node *found, const char *path, const mt_yaml_key *key, const void *structure);
mt_status mt_yaml_refuse_number(const mt_yaml_node *found, const char *path, mt_yaml_range range);
