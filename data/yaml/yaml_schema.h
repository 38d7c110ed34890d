/* A schema: the table of the keys of one kind of YAML file, with the complete description of each key.
 *
 * It determines how a file is read into a C struct, the error messages, how such a file is written, and the documentation of its
 * keys. The keys of a nested mapping have offsets in the same struct as their parent; the keys of a list's entries have offsets
 * in the struct of an entry. data/yaml/yaml.h shows an example.
 *
 * The macros below define the rows of a table. Their last argument is a sentence of documentation, optionally followed by further
 * members of the row:
 *
 *     MT_YAML_DOUBLE(example, edge_mm, "edge_mm", "0.4", MT_YAML_ABOVE(0), "Edge of the boxes.")
 *     MT_YAML_UNSIGNED(example, links, "links", NULL, MT_YAML_AT_LEAST(1), "Width of the links.", .unit = "lanes")
 *     MT_YAML_ENUM(example, type, "type", NULL, types, "Type of all cells.", .old_name = "kind")
 *
 * A key is optional if it has a default, a mapping if all its keys are optional, and a list if it may be empty. The default
 * MT_YAML_NONE is for numbers, arrays of numbers, texts and words without a required value: if omitted, they become NaN, "" or -1
 * and are not written. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"

typedef enum mt_yaml_type {
    MT_YAML_TYPE_DOUBLE,   /* double; finite */
    MT_YAML_TYPE_UNSIGNED, /* uint32_t or uint64_t (size_t); at most 2^53 */
    MT_YAML_TYPE_BOOL,     /* bool; true, false */
    MT_YAML_TYPE_STRING,   /* const char *, never NULL */
    MT_YAML_TYPE_ENUM,     /* int or an enum; the index of the word */
    MT_YAML_TYPE_DOUBLES,  /* double[n] */
    MT_YAML_TYPE_WORDS, /* uint32_t[n]; bit i % 32 of number i / 32 is the i-th word; a list of words in brackets */
    MT_YAML_TYPE_NUMBERS, /* pointer and count of double or uint32_t: any number of values */
    /* pointer and count of mt_yaml_override: a list of texts key=value, interpreted by the caller */
    MT_YAML_TYPE_SETS,
    MT_YAML_TYPE_MAPPING, /* nested keys of the same struct */
    MT_YAML_TYPE_EITHER, /* const char *, never NULL: a word; or nested keys of the same struct, each MT_YAML_NONE */
    MT_YAML_TYPE_LIST /* pointer and count of entry structs */
} mt_yaml_type;

/* The interval low <= value <= high, with < at an open end. */
typedef struct mt_yaml_range {
    double low, high;
    bool low_open, high_open;
} mt_yaml_range;

/* A value that replaces a value of a file: "path.to.key=value". */
typedef struct mt_yaml_override {
    const char *from; /* its origin as named in messages: "--set", "case.yaml:7: machine.set.0:" */
    const char *text;
} mt_yaml_override;

/* Returns the i-th of the words determined at run time, NULL after the last. `structure` is the struct being read, with the
 * members of all preceding keys filled in; NULL: returns the words of all such structs. */
typedef const char *mt_yaml_words(const void *structure, size_t i);

/* The object that a text names (MT_YAML_OPENED): a named one, or a file. `structure`: as in mt_yaml_words, with the text itself. */
typedef struct mt_yaml_opener {
    /* stores the object in other members of the struct, from memory of `arena`; MT_INPUT, with a message without the key's place */
    mt_status (*open)(mt_arena *arena, void *structure);
    /* returns a text that is equal for objects with equal content, or NULL: the key's text */
    const char *(*identity)(const void *structure);
} mt_yaml_opener;

/* A name of a number. */
typedef struct mt_named_number {
    const char *name; /* NULL ends a list */
    double number;
} mt_named_number;

typedef struct mt_yaml_key {
    const char *name; /* NULL ends a table */
    mt_yaml_type type;
    size_t offset;       /* of the member in its struct */
    size_t bytes;        /* of the member; LIST, NUMBERS: of one entry */
    const char *missing; /* the default, as text in a file; MT_YAML_NONE; NULL: the key is required */
    mt_yaml_range range; /* of each number; LIST: of the count */
    const mt_named_number *named; /* DOUBLE: names that are allowed for numbers; NULL: none */
    const char *const *choices;   /* ENUM, WORDS, EITHER: the allowed words, NULL-terminated; or */
    mt_yaml_words *words;         /*   a function that returns them */
    /* STRING: the text names an object; `words` returns its names, then a description of other texts; NULL: a text */
    const mt_yaml_opener *opener;
    const struct mt_yaml_key *keys; /* MAPPING, EITHER, LIST */
    size_t count_offset;            /* LIST, NUMBERS, SETS: offset of the size_t count */
    const char *about;              /* one sentence of documentation */
    const char *unit;               /* NULL: the name ends in the unit (edge_mm), or there is no unit */
    /* its name in earlier versions; still accepted, with a warning that states the new name */
    const char *old_name;
    /* flags of the program: the effects of a change of the value; 0: the flags of the enclosing key */
    unsigned affects;
    const char *instead; /* for a removed key (MT_YAML_REMOVED): its replacement, for the warning */
} mt_yaml_key;

typedef struct mt_yaml_table {
    const mt_yaml_key *keys;
    size_t bytes; /* of the struct */
} mt_yaml_table;

#define MT_YAML_NONE "~"
#define MT_YAML_UNBOUNDED INFINITY

/* Ranges of numbers. */
#define MT_YAML_ANY -INFINITY, INFINITY, true, true
#define MT_YAML_ABOVE(x) (x), INFINITY, true, true
#define MT_YAML_AT_LEAST(x) (x), INFINITY, false, true
#define MT_YAML_WITHIN(a, b) (a), (b), false, false

/* Offset and size of a member; compiles only if its type is one of the types named. */
#define MT_YAML_MEMBER(structure, member, ...)                                                               \
    .offset = offsetof(structure, member) + _Generic(((structure *)0)->member, __VA_ARGS__),                 \
    .bytes = sizeof(((structure *)0)->member)
#define MT_YAML_ROW(key, kind, ...)                                                                          \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_##kind, __VA_ARGS__                                              \
    }

/* A removed key without a member. Any scalar is accepted and ignored, with a warning unless it equals `fallback`, the old
 * default. The key is neither written nor documented. */
#define MT_YAML_REMOVED(key, fallback, ...)                                                                  \
    MT_YAML_ROW(key, STRING, .missing = (fallback), .instead = __VA_ARGS__)
#define MT_YAML_DOUBLE(structure, member, key, fallback, bounds, ...)                                        \
    MT_YAML_ROW(key, DOUBLE, MT_YAML_MEMBER(structure, member, double : 0), .missing = (fallback),           \
        .range = {bounds}, .about = __VA_ARGS__)
#define MT_YAML_UNSIGNED(structure, member, key, fallback, bounds, ...)                                      \
    MT_YAML_ROW(key, UNSIGNED,                                                                               \
        MT_YAML_MEMBER(structure, member, unsigned : 0, unsigned long : 0, unsigned long long : 0),          \
        .missing = (fallback), .range = {bounds}, .about = __VA_ARGS__)
#define MT_YAML_BOOL(structure, member, key, fallback, ...)                                                  \
    MT_YAML_ROW(                                                                                             \
        key, BOOL, MT_YAML_MEMBER(structure, member, bool : 0), .missing = (fallback), .about = __VA_ARGS__)
#define MT_YAML_STRING(structure, member, key, fallback, ...)                                                \
    MT_YAML_ROW(key, STRING, MT_YAML_MEMBER(structure, member, const char * : 0), .missing = (fallback),     \
        .about = __VA_ARGS__)
/* A text that names an object, which is opened as soon as the key is read, so that words of later keys can depend on it. */
#define MT_YAML_OPENED(structure, member, key, fallback, function, opens, ...)                               \
    MT_YAML_ROW(key, STRING, MT_YAML_MEMBER(structure, member, const char * : 0), .missing = (fallback),     \
        .words = (function), .opener = (opens), .about = __VA_ARGS__)
/* `words` is a NULL-terminated array; the member receives the index. */
#define MT_YAML_ENUM(structure, member, key, fallback, words, ...)                                           \
    MT_YAML_ROW(key, ENUM, .offset = offsetof(structure, member),                                            \
        .bytes = sizeof(((structure *)0)->member) / (sizeof(((structure *)0)->member) == sizeof(int)),       \
        .missing = (fallback), .choices = (words), .about = __VA_ARGS__)
/* An ENUM with words from a function. */
#define MT_YAML_ENUM_OF(structure, member, key, fallback, function, ...)                                     \
    MT_YAML_ROW(key, ENUM, MT_YAML_MEMBER(structure, member, int : 0), .missing = (fallback),                \
        .words = (function), .about = __VA_ARGS__)
/* Any subset of the words of an array of at most 32. */
#define MT_YAML_WORD_LIST(structure, member, key, fallback, words, ...)                                      \
    MT_YAML_ROW(key, WORDS, MT_YAML_MEMBER(structure, member, uint32_t : 0), .missing = (fallback),          \
        .choices = (words), .about = __VA_ARGS__)
/* Any subset of words from a function, at most 32 n for one structure; member: uint32_t[n]. */
#define MT_YAML_WORD_LIST_OF(structure, member, key, fallback, function, ...)                                \
    MT_YAML_ROW(key, WORDS,                                                                                  \
        .offset = offsetof(structure, member) + _Generic(&((structure *)0)->member[0], uint32_t * : 0),      \
        .bytes = sizeof(((structure *)0)->member), .missing = (fallback), .words = (function),               \
        .about = __VA_ARGS__)
#define MT_YAML_DOUBLES(structure, member, key, fallback, bounds, ...)                                       \
    MT_YAML_ROW(key, DOUBLES,                                                                                \
        .offset = offsetof(structure, member) + _Generic(&((structure *)0)->member[0], double * : 0),        \
        .bytes = sizeof(((structure *)0)->member), .missing = (fallback), .range = {bounds},                 \
        .about = __VA_ARGS__)
/* Any number of numbers, and of texts in the next macro. Optional: an empty list if omitted. */
#define MT_YAML_NUMBERS(structure, member, count, key, bounds, ...)                                          \
    MT_YAML_ROW(key, NUMBERS,                                                                                \
        .offset =                                                                                            \
            offsetof(structure, member) + _Generic(((structure *)0)->member, double * : 0, uint32_t * : 0),  \
        .bytes = sizeof *((structure *)0)->member,                                                           \
        .count_offset = offsetof(structure, count) + _Generic(((structure *)0)->count, size_t : 0),          \
        .missing = "[]", .range = {bounds}, .about = __VA_ARGS__)
#define MT_YAML_SETS(structure, member, count, key, ...)                                                     \
    MT_YAML_ROW(key, SETS, MT_YAML_MEMBER(structure, member, const mt_yaml_override * : 0),                  \
        .count_offset = offsetof(structure, count) + _Generic(((structure *)0)->count, size_t : 0),          \
        .missing = "[]", .about = __VA_ARGS__)
/* A number with names for some numbers (mt_named_number), which are written as numbers. */
#define MT_YAML_NAMED_DOUBLE(structure, member, key, fallback, bounds, names, ...)                           \
    MT_YAML_ROW(key, DOUBLE, MT_YAML_MEMBER(structure, member, double : 0), .missing = (fallback),           \
        .range = {bounds}, .named = (names), .about = __VA_ARGS__)
/* One of `words`, or a mapping; nothing if omitted. `member`: the word, "" with a mapping. */
#define MT_YAML_EITHER(structure, member, key, words, nested, ...)                                           \
    MT_YAML_ROW(key, EITHER, MT_YAML_MEMBER(structure, member, const char * : 0), .missing = MT_YAML_NONE,   \
        .choices = (words), .keys = (nested), .about = __VA_ARGS__)
#define MT_YAML_MAPPING(key, nested, ...) MT_YAML_ROW(key, MAPPING, .keys = (nested), .about = __VA_ARGS__)
/* A list of `least` to `most` mappings (MT_YAML_UNBOUNDED: no upper bound); member: pointer to the first entry. */
#define MT_YAML_LIST(structure, member, count, key, least, most, nested, ...)                                \
    MT_YAML_ROW(key, LIST, .offset = offsetof(structure, member),                                            \
        .bytes = sizeof(*((structure *)0)->member),                                                          \
        .count_offset = offsetof(structure, count) + _Generic(((structure *)0)->count, size_t : 0),          \
        .keys = (nested), .range = {MT_YAML_WITHIN(least, most)}, .about = __VA_ARGS__)
#define MT_YAML_END                                                                                          \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }
