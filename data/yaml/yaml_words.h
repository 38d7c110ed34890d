/* What the keys of a schema allow, in words, and messages that refuse the rest: they name the place, the key, what was found there
 * and what is allowed. */
#pragma once

#include "data/yaml/yaml_node.h"
#include "data/yaml/yaml_schema.h"

/* "at least 0 and at most 1"; "" where everything is allowed. */
void mt_yaml_range_words(mt_yaml_range range, char out[MT_YAML_WORDS]);

/* "a number at least 0", "full, ranged", "a mapping with end_ms, dt_ms". `structure`: as of mt_yaml_words. */
void mt_yaml_allowed_words(const mt_yaml_key *key, const void *structure, char out[MT_YAML_WORDS]);

/* The i-th word of an ENUM; NULL behind the last. `structure`: as of mt_yaml_words. */
const char *mt_yaml_word(const mt_yaml_key *key, const void *structure, size_t i);

/* Finds the key at a path ("exchange.sync_cycles"), in an entry of a list by its number ("stimuli.0.start_ms"); NULL: there is none. The
 * path ends at a NUL or a colon. */
const mt_yaml_key *mt_yaml_key_at(const mt_yaml_key *keys, const char *path);

/* Returns what a change of the value at such a path affects: the flags of its key, or else of the innermost key around it that has some; 0
 * if none has. */
unsigned mt_yaml_affects(const mt_yaml_key *keys, const char *path);

/* The number of a key in its struct, NaN where it is of no DOUBLE or UNSIGNED; and puts another there, rounded where it must be whole. */
double mt_yaml_number(const mt_yaml_key *key, const void *structure);
void mt_yaml_put_number(const mt_yaml_key *key, void *structure, double number);

/* The unit of a key: the one in its row, or else the one its name ends in; "" if it has none. The second finds the key by its path. */
const char *mt_yaml_unit(const mt_yaml_key *key);
/* The unit that a name ends in ("activation_ms": ms), and the length of that ending; "" and 0. */
const char *mt_yaml_unit_ending(const char *name, size_t *ending);
const char *mt_yaml_unit_at(const mt_yaml_key *keys, const char *path);

/* Finds the key of this name (of n bytes) in a mapping whose own path is `path`. MT_INPUT: there is no such key; the message lists
 * the keys there are, or gives the new name of a renamed one. */
MT_NODISCARD mt_status mt_yaml_find_key(const mt_yaml_key *keys, mt_yaml_place at, const char *path,
    const char *name, size_t n, const mt_yaml_key **key);

/* MT_INPUT: the key does not allow this; nor, in such a struct, this word; the number is out of range. */
mt_status mt_yaml_refuse(const mt_yaml_node *found, const char *path, const mt_yaml_key *key);
mt_status mt_yaml_refuse_word(
    const mt_yaml_node *found, const char *path, const mt_yaml_key *key, const void *structure);
mt_status mt_yaml_refuse_number(const mt_yaml_node *found, const char *path, mt_yaml_range range);
