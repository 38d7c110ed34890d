/* Writes a struct as a YAML text that reads back to the same struct, and a schema as a page of documentation. Both write to a
 * stream; the caller checks it for errors. */
#pragma once

#include <stdio.h>

#include "data/yaml/yaml_schema.h"

/* Writes a text as a quoted value. */
void mt_yaml_write_text(FILE *to, const char *text);

/* Writes one line for each key, defaults included, except keys without a value (MT_YAML_NONE). */
void mt_yaml_write_keys(FILE *to, const mt_yaml_key *keys, const void *structure);

/* Writes one line "path.to.key: value" for each key, in the same order and with the same values. An entry of a list is identified
 * by its number; an empty list is written as "points: []". */
void mt_yaml_write_paths(FILE *to, const mt_yaml_key *keys, const void *structure);

/* Writes documentation in Markdown: a table of the keys, then a section for each mapping and list with its sentence and a table
 * of its keys. */
void mt_yaml_write_page(FILE *to, const mt_yaml_key *keys);
