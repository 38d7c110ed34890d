/* Reads YAML files of a known kind into C structs, and writes them.
 *
 * A schema (data/yaml/yaml_schema.h) describes each kind of file. The caller checks what a schema cannot express, such as keys that
 * depend on each other, after loading. This is not a general YAML library: the root is a mapping whose keys are known in advance.
 * Aliases are refused, and so are tags, except !!str, !!seq and !!map on a node that is one anyway; anchors are ignored.
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
 *         MT_YAML_STRING(stimulus, name, "name", "unnamed", "Its name in the tables."), // has a default
 *         MT_YAML_DOUBLE(stimulus, start_ms, "start_ms", NULL, MT_YAML_AT_LEAST(0), "When it starts."),
 *         MT_YAML_END};
 *     static const mt_yaml_key time_keys[] = { // a nested mapping: dotted members
 *         MT_YAML_DOUBLE(example, time.end_ms, "end_ms", NULL, MT_YAML_ABOVE(0), "When the run ends."),
 *         MT_YAML_END};
 *     static const mt_yaml_key example_keys[] = {
 *         MT_YAML_DOUBLE(example, edge_mm, "edge_mm", "0.4", MT_YAML_ABOVE(0), "Edge of a box."),
 *         MT_YAML_DOUBLES(example, size_mm, "size_mm", NULL, MT_YAML_ABOVE(0), "Size."), // size_mm: [20, 7, 3]
 *         MT_YAML_UNSIGNED(example, tiles, "tiles", NULL, MT_YAML_WITHIN(1, 1472), "Tiles used."),
 *         MT_YAML_ENUM(example, scheme, "scheme", "full", schemes, "What is sent."),
 *         MT_YAML_BOOL(example, quiet, "quiet", "false", "Prints no tables.", .was = "silent"),
 *         MT_YAML_MAPPING("time", time_keys, "How long the run is."),
 *         MT_YAML_LIST(example, stimuli, n_stimuli, "stimuli", 0, 8, stimulus_keys, "The stimuli."),
 *         MT_YAML_END};
 *     static const mt_yaml_table example_table = {example_keys, sizeof(example)};
 *
 *     example e;
 *     MT_TRY(mt_yaml_load(arena, "case.yaml", &example_table, sets, n_sets, &e));
 *
 * Errors are MT_INPUT with one line, which names the file, the line, the key, what was found (its first 40 characters) and
 * what is allowed:
 *     case.yaml:7: edge_mm: -0.5; allowed: above 0
 *     case.yaml:3: egde_mm: unknown key; allowed here: edge_mm, size_mm, tiles, scheme, quiet, time, stimuli
 *     case.yaml:9: silent is now quiet
 *     --set stimuli.0.start_ms=x: x; allowed: a number at least 0
 *
 * How it works: yaml_node parses the text into a tree of nodes that know their lines, yaml_set replaces values by those of --set,
 * and yaml_fill checks the tree against the schema and fills the struct. */
#pragma once

#include "data/core/arena.h"
#include "data/core/status.h"
#include "data/yaml/yaml_schema.h"

/* The most bytes a file may have: 40,000 lines of a hundred characters. The whole file is held in memory, at some hundred bytes a
 * word; a larger one was not meant for us. */
#define MT_YAML_BYTES_MAX (4 << 20)

/* Reads a file into *out (table->bytes bytes; members that the table does not name become 0). The file is a regular file, a
 * pipe or a terminal (/dev/stdin is usually one of these); it holds UTF-8 text, with mappings and lists nested at most 32 deep.
 * Time: n log n for n bytes.
 * `overrides` (borrowed; may be NULL when n is 0) are texts "path.to.key=value" and where they come from, applied in order over
 * the file. An entry of a list is named by its number from 0 ("stimuli.0.start_ms=5"); mappings, lists and arrays take YAML in
 * one line ("size_mm=[20, 7, 3]"). Gives strings and lists in `arena`. Fails with MT_FILE (the file cannot be read), MT_MEMORY or
 * MT_INPUT, and then leaves *out unchanged. */
MT_NODISCARD mt_status mt_yaml_load(mt_arena *arena, const char *path, const mt_yaml_table *table,
    const mt_yaml_override *overrides, size_t n_overrides, void *out);

/* The same from a text that ends with a NUL; `name` stands for the file in messages. */
MT_NODISCARD mt_status mt_yaml_read(mt_arena *arena, const char *name, const char *text,
    const mt_yaml_table *table, const mt_yaml_override *overrides, size_t n_overrides, void *out);

/* For kinds of files whose keys depend on the value of one of them: the text of a file, given in `arena`, for mt_yaml_read; and
 * the value of a key of its root, "" where there is none or it is no text. Both fail as mt_yaml_load. */
MT_NODISCARD mt_status mt_yaml_text(mt_arena *arena, const char *path, const char **text);
MT_NODISCARD mt_status mt_yaml_root_word(
    mt_arena *arena, const char *name, const char *text, const char *key, const char **word);

/* Gives in `arena` the text of a file that loads to the same struct, bit for bit. It has every key of the table, those at
 * their defaults included, but not those without a value (MT_YAML_NONE). The entries of a list need a key that is always
 * written. MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_write(
    mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **text);

/* Gives the same as a line a value: "path.to.key: value" (data/yaml/yaml_write.h). */
MT_NODISCARD mt_status mt_yaml_write_lines(
    mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **text);
