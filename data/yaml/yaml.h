/* Reader and writer of YAML files of a known kind, from and to C structs.
 *
 * A schema (data/yaml/yaml_schema.h) describes each kind of file. Conditions that a schema cannot express, such as keys that depend
 * on each other, are checked by the caller after loading. This is not a general YAML library: the root is a mapping with keys known
 * in advance. Aliases are refused. Tags are refused too, except !!str, !!seq and !!map on a node of that kind; anchors are ignored.
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
 *         MT_YAML_BOOL(example, quiet, "quiet", "false", "Prints no tables.", .old_name = "silent"),
 *         MT_YAML_MAPPING("time", time_keys, "How long the run is."),
 *         MT_YAML_LIST(example, stimuli, n_stimuli, "stimuli", 0, 8, stimulus_keys, "The stimuli."),
 *         MT_YAML_END};
 *     static const mt_yaml_table example_table = {example_keys, sizeof(example)};
 *
 *     example e;
 *     MT_TRY(mt_yaml_load(arena, "case.yaml", &example_table, sets, n_sets, &e));
 *
 * Errors are MT_INPUT with one line, which reports the file, the line, the key, the value found (its first 40 characters) and the
 * allowed values:
 *     case.yaml:7: edge_mm: -0.5; allowed: above 0
 *     case.yaml:3: egde_mm: unknown key; allowed here: edge_mm, size_mm, tiles, scheme, quiet, time, stimuli
 *     --set stimuli.0.start_ms=x: x; allowed: a number at least 0
 *
 * Implementation: yaml_node parses the text into a tree of nodes with their lines, yaml_set replaces values by those of --set, and
 * yaml_fill checks the tree against the schema and fills the struct. */
#pragma once

#include "data/core/arena.h"
#include "data/core/status.h"
#include "data/yaml/yaml_schema.h"

/* Maximum size of a file in bytes: 40,000 lines of a hundred characters. The entire file is held in memory, at about a hundred
 * bytes per word; a larger file is probably not an input of this program. */
#define MT_YAML_BYTES_MAX (4 << 20)

/* Reads a file into *out (table->bytes bytes; members that the table does not name become 0). The file is a regular file, a pipe
 * or a terminal (usually as /dev/stdin). It contains UTF-8 text, with mappings and lists nested at most 32 deep. Time: n log n
 * for n bytes.
 * - `overrides`: texts "path.to.key=value" with their origins, applied in order after the file (borrowed; may be NULL if n is 0).
 *   An entry of a list is identified by its number from 0 ("stimuli.0.start_ms=5"); mappings, lists and arrays take YAML in one
 *   line ("size_mm=[20, 7, 3]").
 * Strings and lists are in `arena`. MT_FILE: the file cannot be read. MT_MEMORY. MT_INPUT. On failure *out is unchanged. */
MT_NODISCARD mt_status mt_yaml_load(mt_arena *arena, const char *path, const mt_yaml_table *table,
    const mt_yaml_override *overrides, size_t n_overrides, void *out);

/* Reads a NUL-terminated text in the same way; `name` replaces the file in messages. */
MT_NODISCARD mt_status mt_yaml_read(mt_arena *arena, const char *name, const char *text,
    const mt_yaml_table *table, const mt_yaml_override *overrides, size_t n_overrides, void *out);

/* For kinds of files with keys that depend on the value of one key: the first reads the text of a file into `arena`, for
 * mt_yaml_read; the second returns the value of a key of its root, "" if it is missing or not a text. Both fail as
 * mt_yaml_load. */
MT_NODISCARD mt_status mt_yaml_text(mt_arena *arena, const char *path, const char **text);
MT_NODISCARD mt_status mt_yaml_root_word(
    mt_arena *arena, const char *name, const char *text, const char *key, const char **word);

/* Writes to `arena` the text of a file that loads to the same struct, bit for bit. It contains every key of the table, including
 * keys with default values, except keys without a value (MT_YAML_NONE). The entries of a list need a key that is always written.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_write(
    mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **text);

/* Writes the same values to `arena`, one per line: "path.to.key: value" (data/yaml/yaml_write.h), to compare two structs: a text that
 * names an object is replaced by the object's identity (MT_YAML_OPENED). MT_MEMORY. */
MT_NODISCARD mt_status mt_yaml_write_lines(
    mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **text);
