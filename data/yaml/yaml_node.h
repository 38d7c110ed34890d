/* A YAML text as a tree of nodes with their positions in the file.
 *
 * A text contains one document of mappings, sequences and scalars, nested at most 32 deep. Duplicate keys, aliases, and tags that
 * contradict the kind of their node are refused. The tree does not interpret its scalars. It is in the arena given to the reader,
 * and borrows the names of origins and the sources of single values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/arena.h"
#include "data/core/status.h"

/* A position: a file and its line, or "--set ..." and line 0. */
typedef struct mt_yaml_place {
    const char *origin;
    size_t line;
} mt_yaml_place;

typedef enum mt_yaml_kind { MT_YAML_IS_SCALAR, MT_YAML_IS_SEQUENCE, MT_YAML_IS_MAPPING } mt_yaml_kind;

typedef struct mt_yaml_node mt_yaml_node;
struct mt_yaml_node {
    mt_yaml_kind kind;
    mt_yaml_place at;
    const char *text;  /* SCALAR */
    bool quoted;       /* SCALAR */
    size_t begin, end; /* SCALAR: range of characters in the source */
    size_t n;          /* number of children */
    mt_yaml_node *first, *last, *next;
    size_t number;        /* index among the children of its parent */
    const char *key;      /* in a mapping */
    mt_yaml_place key_at; /* position of the key */
};

/* Returns the root of a text, always a mapping; an empty text yields an empty mapping. MT_INPUT: the text is not of this kind, or
 * is not UTF-8; the message reports the line. MT_MEMORY. Time: n log n for n bytes. */
MT_NODISCARD mt_status mt_yaml_node_read(
    mt_arena *arena, const char *origin, const char *source, mt_yaml_node **root);

/* Replaces the contents of a node by a text of one line from this place: a scalar of that text if `scalar`, otherwise the text
 * parsed as YAML. The node keeps its key and its position among its siblings. Fails as mt_yaml_node_read. */
MT_NODISCARD mt_status mt_yaml_node_set(
    mt_arena *arena, mt_yaml_place at, const char *source, bool scalar, mt_yaml_node *node);

/* Return the child of a mapping with this key, or the i-th child of a sequence, from 0. NULL if there is no such
 * child. */
mt_yaml_node *mt_yaml_node_named(const mt_yaml_node *mapping, const char *key);
mt_yaml_node *mt_yaml_node_numbered(const mt_yaml_node *sequence, size_t i);

void mt_yaml_node_append(mt_yaml_node *parent, mt_yaml_node *child);

/* ---- messages */

enum { MT_YAML_WORDS = 512 }; /* bytes of a path, a value or a list of allowed values, with a final 0 */

/* Writes to `arena` the beginning of such messages: "file:line: path:" or "--set ...:". MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_place_text(
    mt_arena *arena, mt_yaml_place at, const char *path, const char **text);

/* Returns MT_INPUT with "file:line: path: ..." or "--set ...: ..."; path "": no path. */
mt_status mt_yaml_fail(mt_yaml_place at, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Write the path of a key below another path, or of the i-th entry. */
void mt_yaml_join(char out[MT_YAML_WORDS], const char *path, const char *key);
void mt_yaml_join_number(char out[MT_YAML_WORDS], const char *path, size_t i);

/* Describes a node in words: its text, "a mapping", "a sequence of 3", "nothing". */
const char *mt_yaml_found(const mt_yaml_node *node, char out[MT_YAML_WORDS]);
