/* Reading and writing YAML files of a known kind.
 *
 * A file kind is described once, by a table of keys that points into a C struct; the checks, the libcyaml
 * schema that loads the struct and the writer all come from that table. What a table cannot say (one key
 * depending on another) is for the caller to check after loading. This is not a general YAML library: the
 * root is a mapping, keys are known beforehand. Aliases are refused, and so are tags, except !!str,
 * !!seq and !!map at a node that is one anyway, where they change nothing; an anchor that no alias names is
 * read over.
 *
 *     typedef struct stimulus {
 *         const char *name;
 *         double start_ms;
 *     } stimulus;
 *     typedef struct example {
 *         double edge_mm, size_mm[3];
 *         size_t tiles;
 *         int scheme; // an index of schemes
 *         bool quiet;
 *         struct {
 *             double end_ms;
 *         } time;
 *         stimulus *stimuli;
 *         size_t n_stimuli;
 *     } example;
 *
 *     static const char *const schemes[] = {"full", "ranged", NULL};
 *     static const mt_yaml_key stimulus_keys[] = {
 *         MT_YAML_STRING(stimulus, name, "name", "unnamed"), // has a default
 *         MT_YAML_DOUBLE(stimulus, start_ms, "start_ms", NULL, MT_YAML_AT_LEAST(0)),
 *         MT_YAML_END};
 *     static const mt_yaml_key time_keys[] = { // a nested mapping: dotted members
 *         MT_YAML_DOUBLE(example, time.end_ms, "end_ms", NULL, MT_YAML_ABOVE(0)),
 *         MT_YAML_END};
 *     static const mt_yaml_key example_keys[] = {
 *         MT_YAML_DOUBLE(example, edge_mm, "edge_mm", "0.4", MT_YAML_ABOVE(0)),
 *         MT_YAML_DOUBLES(example, size_mm, "size_mm", NULL, MT_YAML_ABOVE(0)), // size_mm: [20, 7, 3]
 *         MT_YAML_UNSIGNED(example, tiles, "tiles", NULL, MT_YAML_WITHIN(1, 1472)),
 *         MT_YAML_ENUM(example, scheme, "scheme", "full", schemes),
 *         MT_YAML_BOOL(example, quiet, "quiet", "false"),
 *         MT_YAML_MAPPING("time", time_keys),
 *         MT_YAML_LIST(example, stimuli, n_stimuli, "stimuli", 0, 8, stimulus_keys),
 *         MT_YAML_END};
 *     static const mt_yaml_table example_table = {example_keys, sizeof(example)};
 *
 *     example e;
 *     MT_TRY(mt_yaml_load(arena, "case.yaml", &example_table, sets, n_sets, &e));
 *
 * Errors are one line with MT_INPUT, and name file, line, key, what was found (its first 40 characters) and what
 * is allowed:
 *     case.yaml:7: edge_mm: -0.5; allowed: above 0
 *     case.yaml:3: egde_mm: unknown key; allowed here: edge_mm, size_mm, tiles, scheme, quiet, time, stimuli
 *     --set stimuli.0.start_ms=x: x; allowed: a number at least 0
 *
 * The keys of a nested mapping have offsets from the *same* struct as their parent's; the keys of a list's
 * entries from the entry's struct. A key with a default (text as it would stand in the file) may be left out;
 * a mapping may be left out when all its keys may; a list may be left out when its least count is 0. A
 * number, numbers or a text whose default is MT_YAML_NONE are NaN or "" where left out, and then not written
 * either. */
#ifndef MT_DATA_YAML_H
#define MT_DATA_YAML_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/arena.h"
#include "data/status.h"

typedef enum mt_yaml_type {
    MT_YAML_TYPE_DOUBLE,   /* double; finite */
    MT_YAML_TYPE_UNSIGNED, /* uint32_t or uint64_t (size_t); at most 2^53 */
    MT_YAML_TYPE_BOOL,     /* bool; true, false */
    MT_YAML_TYPE_STRING,   /* const char *, never NULL */
    MT_YAML_TYPE_ENUM,     /* int or an enum; the index in `choices` */
    MT_YAML_TYPE_DOUBLES,  /* double[n] */
    MT_YAML_TYPE_MAPPING,  /* nested keys of the same struct */
    MT_YAML_TYPE_LIST      /* pointer and count of entry structs */
} mt_yaml_type;

/* low <= value <= high, or < where open. */
typedef struct mt_yaml_range {
    double low, high;
    bool low_open, high_open;
} mt_yaml_range;

extern const char mt_yaml_none[];
#define MT_YAML_NONE mt_yaml_none

/* Made by the macros below only. */
typedef struct mt_yaml_key {
    const char *name; /* NULL ends a table */
    mt_yaml_type type;
    size_t offset;       /* of the member in its struct */
    size_t bytes;        /* of the member; LIST: of one entry */
    const char *missing; /* the text of the default; MT_YAML_NONE; NULL = the key is needed */
    mt_yaml_range range; /* numbers: of each; LIST: of the count */
    const char *const *choices;
    const struct mt_yaml_key *keys; /* MAPPING, LIST */
    size_t count_offset;            /* LIST: of its size_t count */
} mt_yaml_key;

typedef struct mt_yaml_table {
    const mt_yaml_key *keys;
    size_t bytes; /* of the struct */
} mt_yaml_table;

#define MT_YAML_ANY                                                                                          \
    {                                                                                                        \
        -INFINITY, INFINITY, true, true                                                                      \
    }
#define MT_YAML_ABOVE(x)                                                                                     \
    {                                                                                                        \
        (x), INFINITY, true, true                                                                            \
    }
#define MT_YAML_AT_LEAST(x)                                                                                  \
    {                                                                                                        \
        (x), INFINITY, false, true                                                                           \
    }
#define MT_YAML_WITHIN(a, b)                                                                                 \
    {                                                                                                        \
        (a), (b), false, false                                                                               \
    }

/* offset and size of a member, refused by the compiler where its type is not the one named */
#define MT_YAML_MEMBER(structure, member, ...)                                                               \
    .offset = offsetof(structure, member) + _Generic(((structure *)0)->member, __VA_ARGS__),                 \
    .bytes = sizeof(((structure *)0)->member)

#define MT_YAML_DOUBLE(structure, member, key, fallback, bounds)                                             \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_DOUBLE, .missing = (fallback), .range = bounds,                  \
        MT_YAML_MEMBER(structure, member, double : 0)                                                        \
    }
#define MT_YAML_UNSIGNED(structure, member, key, fallback, bounds)                                           \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_UNSIGNED, .missing = (fallback), .range = bounds,                \
        MT_YAML_MEMBER(structure, member, unsigned : 0, unsigned long : 0, unsigned long long : 0)           \
    }
#define MT_YAML_BOOL(structure, member, key, fallback)                                                       \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_BOOL, .missing = (fallback),                                     \
        MT_YAML_MEMBER(structure, member, bool : 0)                                                          \
    }
#define MT_YAML_STRING(structure, member, key, fallback)                                                     \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_STRING, .missing = (fallback),                                   \
        MT_YAML_MEMBER(structure, member, const char * : 0)                                                  \
    }
/* `choices_` is a NULL-terminated array of names; the member gets the index. */
#define MT_YAML_ENUM(structure, member, key, fallback, choices_)                                             \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_ENUM, .missing = (fallback), .choices = (choices_),              \
        .offset = offsetof(structure, member),                                                               \
        .bytes = sizeof(((structure *)0)->member) / (sizeof(((structure *)0)->member) == sizeof(int))        \
    }
#define MT_YAML_DOUBLES(structure, member, key, fallback, bounds)                                            \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_DOUBLES, .missing = (fallback), .range = bounds,                 \
        .offset = offsetof(structure, member) + _Generic(&((structure *)0)->member[0], double * : 0),        \
        .bytes = sizeof(((structure *)0)->member)                                                            \
    }
#define MT_YAML_MAPPING(key, keys_)                                                                          \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_MAPPING, .keys = (keys_)                                         \
    }
/* A list of `least` to `most` mappings (MT_YAML_UNBOUNDED: no upper bound); member: pointer to the first. */
#define MT_YAML_LIST(structure, member, count, key, least, most, keys_)                                      \
    {                                                                                                        \
        .name = (key), .type = MT_YAML_TYPE_LIST, .keys = (keys_), .range = {(least), (most), false, false}, \
        .offset = offsetof(structure, member), .bytes = sizeof(*((structure *)0)->member),                   \
        .count_offset = offsetof(structure, count) + _Generic(((structure *)0)->count, size_t : 0)           \
    }
#define MT_YAML_UNBOUNDED INFINITY
#define MT_YAML_END                                                                                          \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

/* The most bytes that a file may have: 40,000 lines of a hundred characters. It is read whole, and every word of it becomes
 * some hundred bytes; what is larger was not written for this. */
#define MT_YAML_BYTES_MAX (4 << 20)

/* Reads a file into *out (of table->bytes bytes; members that the table does not name become 0). The file is a regular one,
 * a pipe or a terminal (/dev/stdin is one of these mostly), of UTF-8 text, mappings and lists nested at most 32 deep. Time:
 * n log n for n bytes.
 * `overrides` (borrowed, may be NULL when n is 0) are texts "path.to.key=value", applied in order over the
 * file; an entry of a list is named by its number from 0 ("stimuli.0.start_ms=5"); mappings, lists and arrays
 * take YAML in one line ("size_mm=[20, 7, 3]"). Gives strings and lists in `arena`. Fails with MT_FILE
 * (cannot be read), MT_MEMORY or MT_INPUT; *out is then unchanged. */
MT_NODISCARD mt_status mt_yaml_load(mt_arena *arena, const char *path, const mt_yaml_table *table,
    const char *const *overrides, size_t n_overrides, void *out);

/* The same from a text (ended by NUL); `name` stands for the file in messages. */
MT_NODISCARD mt_status mt_yaml_read(mt_arena *arena, const char *name, const char *text,
    const mt_yaml_table *table, const char *const *overrides, size_t n_overrides, void *out);

/* Gives in `arena` the text of a file which loads to the same struct, bit for bit: every key of the table is
 * written, those left at their defaults too, but no MT_YAML_NONE. The entries of a list need a key that is
 * always written. Fails with MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_write(
    mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **text);

#endif
